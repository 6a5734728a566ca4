;;; approve.el --- what being asked costs  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;;     emacs -Q --batch -L build/elisp -L build/test/bench -l bench -l approve \
;;           -f bench-approve-main DISK MEMORY
;;
;; Rows for changes that need an approval, as bench.el prints them:
;;
;;     approve/patch-2000        a patch of 2,000 files through the dispatcher, approved,
;;                               against one call of the core that commits it
;;     approve/patch-2000-in-memory  the same where no disk hides what comes before the commit
;;     approve/preview-locked    a preview while another process holds the commit's
;;                               lock, against the same while nobody does
;;     approve/preview-unmade    a preview where the state directory cannot be made,
;;                               against the same where it can
;;
;; A run changes a fresh tree; the two sides take turns.

;;; Code:

(require 'bench)
(require 'agent-q-fs)
(require 'agent-q-fs-tools)
(require 'agent-q-fs-approve)

(declare-function agent-q-fs--mod-call "ext:agent-q-fs-module.so"
                  (workspace operation arguments how))

(defconst bench-approve-files 2000 "How many files a patch changes.")

(defun bench-approve-name (i)
  "The name of file I."
  (format "d%02d/f%04d.txt" (% i 40) i))

(defun bench-approve-tree (directory)
  "Make DIRECTORY anew, with the files that the patch is for."
  (delete-directory directory t)
  (dotimes (d 40)
    (make-directory (expand-file-name (format "d%02d" d) directory) t))
  (let ((write-region-inhibit-fsync t)
        (text (concat "one\ntwo\nthree\n" (make-string 500 ?x) "\n")))
    (dotimes (i bench-approve-files)
      (write-region text nil (expand-file-name (bench-approve-name i) directory) nil 0))))

(defun bench-approve-patch ()
  "The patch."
  (with-temp-buffer
    (dotimes (i bench-approve-files)
      (let ((name (bench-approve-name i)))
        (insert (format "--- a/%s\n+++ b/%s\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"
                        name name))))
    (buffer-string)))

(defun bench-approve-open (directory &optional state)
  "Open DIRECTORY/root, with the state directory STATE or a new one."
  (agent-q-fs-open :root (expand-file-name "root" directory)
                   :state_dir (or state (expand-file-name "state" directory))))

(defun bench-approve-check (directory)
  "Fail unless the patch was applied below DIRECTORY."
  (dolist (i (list 0 (1- bench-approve-files)))
    (with-temp-buffer
      (insert-file-contents (expand-file-name (bench-approve-name i) directory))
      (unless (string-prefix-p "one\n2\nthree\n" (buffer-string))
        (error "The patch was not applied")))))

(defun bench-approve-run (directory change)
  "Milliseconds that CHANGE, a function of a workspace, takes in a fresh DIRECTORY."
  (let ((root (expand-file-name "root" directory)))
    (delete-directory directory t)
    (bench-approve-tree root)
    (call-process "sync" nil nil nil "-f" directory)
    (let* ((ws (bench-approve-open directory))
           (ms (bench-time 1 (lambda () (funcall change ws)))))
      (agent-q-fs-close ws)
      (bench-approve-check root)
      ms)))

(defun bench-approve-row (row bound name ours peer)
  "Print ROW: OURS and PEER, called NAME, each answer milliseconds; at most BOUND."
  (when (string-match-p (wildcard-to-regexp bench-rows) row)
    (let (ours-ms peer-ms)
      (dotimes (_ bench-runs)
        (push (funcall ours) ours-ms)
        (push (funcall peer) peer-ms))
      (bench-print row (bench-median ours-ms) name (bench-median peer-ms) bound t))))

(defun bench-approve-patch-row (directory name bound)
  "The row NAME of a large patch, in DIRECTORY, at most BOUND times its commit."
  (let ((patch (bench-approve-patch))
        (agent-q-fs-policy 'always)
        (agent-q-fs-unattended-function (lambda (_request) '(:decision approved))))
    (bench-approve-row
     name bound "its-commit"
     (lambda ()
       (bench-approve-run directory
                          (lambda (ws) (agent-q-fs-call-tool "apply_patch" `(:patch ,patch) ws))))
     (lambda ()
       (bench-approve-run directory
                          (lambda (ws)
                            (agent-q-fs--mod-call (agent-q-fs-workspace-handle ws) "apply_patch"
                                                  `(:patch ,patch) '(:authority dangerous))))))))

(defun bench-approve-hold (lock)
  "Start a program that holds LOCK, a file, and return a function that ends it.
Emacs does not know of it: a child process makes each call of the core
look for input, which would be measured, too."
  (let ((id (make-temp-file "agent-q-fs-bench")))
    (call-process "sh" nil 0 nil "-c" "echo $$ >\"$1\"; exec flock -F \"$2\" sleep 60" "sh" id lock)
    (while (zerop (call-process "flock" nil nil nil "-n" lock "true"))
      (sleep-for 0.01))
    (lambda ()
      (call-process "sh" nil nil nil "-c" "kill $(cat \"$1\")" "sh" id)
      (delete-file id))))

(defun bench-approve-preview (ws)
  "Preview an edit in WS."
  (agent-q-fs-preview ws 'edit_file :path "d00/f0000.txt" :old_str "two" :new_str "2"))

(defun bench-approve-preview-rows (directory)
  "The rows of previews, in DIRECTORY."
  (delete-directory directory t)
  (bench-approve-tree (expand-file-name "root" directory))
  (let* ((ws (bench-approve-open directory))
         (unmade (bench-approve-open directory "/proc/self/none"))
         (free (lambda () (bench-time 20 (lambda () (bench-approve-preview ws))))))
    ;; A commit makes the lock's file.
    (let ((agent-q-fs-authority 'dangerous))
      (agent-q-fs-call ws 'write_file :path "new" :content "x"))
    (let ((lock (car (directory-files-recursively (expand-file-name "state" directory)
                                                  "\\.lock\\'"))))
      (bench-approve-row
       "approve/preview-locked" 1.25 "unlocked"
       (lambda ()
         (let ((end (bench-approve-hold lock)))
           (unwind-protect (bench-time 20 (lambda () (bench-approve-preview ws)))
             (funcall end))))
       free))
    (bench-approve-row
     "approve/preview-unmade" 1.25 "made"
     (lambda () (bench-time 20 (lambda () (bench-approve-preview unmade))))
     free)))

(defun bench-approve-main ()
  "Run the rows; the command line is two directories, on a disk and in memory."
  (let ((disk (file-truename (pop command-line-args-left)))
        (memory (file-truename (pop command-line-args-left))))
    (bench-approve-patch-row disk "approve/patch-2000" 1.25)
    (bench-approve-patch-row memory "approve/patch-2000-in-memory" 1.9)
    (bench-approve-preview-rows memory)
    (delete-directory disk t)
    (delete-directory memory t)))

(provide 'approve)
;;; approve.el ends here
