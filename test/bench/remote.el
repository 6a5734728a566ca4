;;; remote.el --- projects on a far machine, from Emacs  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;;     over ssh-slow emacs -Q --batch -L build/elisp -l bench.el -l remote.el -f bench-remote-main PROGRAM DIR
;;
;; The machine far is reached by ssh, each byte takes 50 ms, PROGRAM is agent-q-fs there, and DIR a tree
;; to find files in.  The peers are the bare round trip, a line and its echo, and what TRAMP does by itself:
;;
;;     remote/read-file    a call with a small reply: one round trip
;;     remote/edit         an edit, planned and made: two
;;     remote/edit-shown   an edit that a person has seen before: two
;;     remote/find         all names below DIR: one, and 1.2 times as long as here
;;     remote/first-call   from a connection of TRAMP to the first reply: six at most
;;     remote/read-file-tramp, remote/exists-tramp    against TRAMP, without what it remembers

;;; Code:

(require 'agent-q-fs)
(require 'agent-q-fs-remote)
(require 'agent-q-fs-deploy)
(require 'tramp)

(declare-function bench-compare "bench" (row bound times ours name peer &optional difference))

(defvar bench-remote-echo nil "A process that says again what it hears.")

(defun bench-remote-trip (&optional times)
  "Wait for one round trip, or TIMES of them, one after the other."
  (dotimes (_ (or times 1))
    (process-put bench-remote-echo 'heard nil)
    (process-send-string bench-remote-echo "x\n")
    (while (not (process-get bench-remote-echo 'heard))
      (accept-process-output bench-remote-echo))))

(defun bench-remote-begin-echo ()
  "Start the process for bare round trips."
  (setq bench-remote-echo
        (agent-q-fs-shell-start "/ssh:far:" :name "echo" :command '("/bin/cat") :coding 'binary
                                :filter (lambda (process _) (process-put process 'heard t))))
  (bench-remote-trip))

(defvar bench-remote-line '(:path "a.txt" :line 1 :content "one\n")
  "The arguments of an edit.")

(defun bench-remote-edit-shown (project)
  "Plan an edit in PROJECT, and then make it, as where a person looks in between."
  (let ((plan (agent-q-fs--call project 'insert_at_line bench-remote-line
                                '(:verb plan :authority cautious))))
    (agent-q-fs--call project 'insert_at_line bench-remote-line
                      (list :authority 'cautious :digest (plist-get plan :digest)))))

(defun bench-remote-first-call (root)
  "Open ROOT without a server there, and read a file."
  (mapc #'agent-q-fs-link-close agent-q-fs-link--all)
  (process-put (agent-q-fs-shell--shared "/ssh:far:") 'agent-q-fs-shell-direct nil)
  (agent-q-fs-read-file (agent-q-fs-open :root root) "a.txt"))

(defun bench-remote-find (project)
  "Return the names of all files of PROJECT."
  (plist-get (agent-q-fs-search-files project "**" :ignored t :limit 1000000) :paths))

(defun bench-remote-find-here (project)
  "Wait for a round trip, and 1.2 times as long as finding files of PROJECT takes.
Return the names of all of them."
  (bench-remote-trip)
  (let* ((start (float-time)) (found (bench-remote-find project)))
    (let ((until (+ (float-time) (* 0.2 (- (float-time) start)))))
      (while (< (float-time) until)))
    found))

(defun bench-remote-find-row (directory)
  "Print the row of finding files below DIRECTORY."
  (let ((here (agent-q-fs-open :root directory))
        (there (agent-q-fs-open :root (concat "/ssh:far:" directory))))
    (bench-compare "remote/find" 1.0 1 (lambda () (bench-remote-find there))
                   "1-round-trip+1.2-local" (lambda () (bench-remote-find-here here)))
    (mapc #'agent-q-fs-close (list here there))))

(defun bench-remote-main ()
  "Print the rows, with the program and the tree that the command line names."
  (let* ((home (getenv "FAR_HOME"))
         (root (format "/ssh:far:%s/project/" home))
         (file (concat root "a.txt"))
         (agent-q-fs-deploy-programs (list (cons "" (pop command-line-args-left))))
         (tree (pop command-line-args-left))
         (agent-q-fs-authority 'cautious)
         (same (lambda (&rest _) nil))
         (tramp-verbose 1)
         (remote-file-name-inhibit-cache t)
         (project nil))
    (make-directory (concat home "/project"))
    (write-region "one\ntwo\n" nil (concat home "/project/a.txt") nil 'quiet)
    (ignore (file-exists-p "/ssh:far:/"))
    (setq project (agent-q-fs-open :root root))
    (bench-remote-begin-echo)
    (bench-compare "remote/read-file" 1.15 1
                   (lambda () (agent-q-fs-read-file project "a.txt"))
                   "1-round-trip" #'bench-remote-trip same)
    (bench-compare "remote/edit" 1.15 1
                   (lambda () (apply #'agent-q-fs-call project 'insert_at_line bench-remote-line))
                   "2-round-trips" (lambda () (bench-remote-trip 2)) same)
    (bench-compare "remote/edit-shown" 1.15 1 (lambda () (bench-remote-edit-shown project))
                   "2-round-trips" (lambda () (bench-remote-trip 2)) same)
    (bench-remote-find-row tree)
    (bench-compare "remote/read-file-tramp" 1.0 1
                   (lambda () (plist-get (agent-q-fs-read-file project "a.txt") :content))
                   "tramp-insert-file-contents"
                   (lambda () (with-temp-buffer (insert-file-contents file) (buffer-string))))
    (bench-compare "remote/exists-tramp" 1.15 1
                   (lambda () (eq t (plist-get (agent-q-fs-file-exists project "a.txt") :exists)))
                   "tramp-file-exists-p" (lambda () (file-exists-p file)))
    (bench-compare "remote/first-call" 1.0 1 (lambda () (bench-remote-first-call root))
                   "6-round-trips" (lambda () (bench-remote-trip 6)) same)
    (mapc #'agent-q-fs-link-close agent-q-fs-link--all)
    (tramp-cleanup-all-connections)
    (kill-emacs 0)))

(provide 'remote)
;;; remote.el ends here
