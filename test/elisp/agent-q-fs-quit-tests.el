;;; agent-q-fs-quit-tests.el --- C-g during calls, on a real terminal  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A batch Emacs has no C-g, so these tests start an Emacs on a terminal of its
;; own, agent-q-fs-quit-child.el in it, and interrupt that one: with SIGINT,
;; which is what a terminal makes of C-g, or with the key itself through tmux.

;;; Code:

(require 'agent-q-fs-test-help)

(defconst agent-q-fs-quit-tests--endless "(x+x+)+[yz]"
  "A pattern that a line of x keeps busy for ever.")

(defun agent-q-fs-quit-tests--child-command (terminal-type)
  "Return the command of an Emacs on a terminal of TERMINAL-TYPE."
  (append (list "env" (concat "TERM=" terminal-type))
          (agent-q-fs-test-emacs-command
           "-nw" "-module-assertions" "-L" "." "-l" "agent-q-fs-quit-child")))

(defun agent-q-fs-quit-tests--wait (log screen)
  "Return the datum that the child wrote into LOG; SCREEN returns its screen."
  (let ((agent-q-fs-test-patience 1200)) ; many interruptions, one after the other
    (agent-q-fs-test-until (file-exists-p log) (funcall screen)))
  (with-temp-buffer
    (insert-file-contents log)
    (read (current-buffer))))

(defun agent-q-fs-quit-tests--run (form times &optional limits)
  "Interrupt FORM, TIMES times with LIMITS, in another Emacs; return the log."
  (let* ((log (make-temp-name (expand-file-name "aqfs-quit-" temporary-file-directory)))
         (screen (generate-new-buffer " *aqfs terminal*"))
         (process-environment
          (cons (format "AQFS_QUIT=%S" (list :directory default-directory :form form
                                             :times times :limits limits :log log))
                process-environment))
         (process (make-process :name "terminal" :buffer screen :connection-type 'pty
                                :noquery t
                                :command (agent-q-fs-quit-tests--child-command "xterm"))))
    (set-process-window-size process 24 80)
    (unwind-protect
        (agent-q-fs-quit-tests--wait
         log (lambda () (with-current-buffer screen (buffer-string))))
      (delete-process process)
      (kill-buffer screen)
      (mapc (lambda (end) (when (file-exists-p (concat log end)) (delete-file (concat log end))))
            '("" ".stamp" ".new")))))

(defun agent-q-fs-quit-tests--interrupt (form times &optional limits)
  "Interrupt FORM, TIMES times with LIMITS: each ends it, and leaves nothing behind.
FORM must not end by itself before a test gives up; `make bench'
measures how long it takes to end."
  (let ((result (agent-q-fs-quit-tests--run form times limits)))
    (should (equal (make-list times 'quit) (mapcar #'car (plist-get result :outcomes))))
    (should (equal (plist-get result :before) (plist-get result :after)))))

(ert-deftest agent-q-fs-quit/grep ()
  "Threat 64: C-g ends a grep of 160 GB, and leaves nothing behind."
  (agent-q-fs-test-with-tree (_ws)
    (agent-q-fs-test-long-grep 40000)
    (agent-q-fs-quit-tests--interrupt '(agent-q-fs-grep-files ws "absent") 50)))

(ert-deftest agent-q-fs-quit/grep-with-matches ()
  (agent-q-fs-test-with-tree (_ws)
    (agent-q-fs-test-long-grep 2000 2000)
    (agent-q-fs-quit-tests--interrupt
     '(while t (agent-q-fs-grep-files ws "needle" :limit 100000000 :context 2)) 20)))

(ert-deftest agent-q-fs-quit/grep-with-a-hostile-pattern ()
  "Threat 53: C-g stops a pattern that would go on for ever."
  (agent-q-fs-test-with-tree (_ws '("f" ""))
    (agent-q-fs-test--write "f" (concat (make-string 5000 ?x) "\n"))
    (agent-q-fs-quit-tests--interrupt
     `(agent-q-fs-grep-files ws ,agent-q-fs-quit-tests--endless) 10
     '(:regex_steps 1000000000000 :time_ms 86400000))))

(defun agent-q-fs-quit-tests--fill ()
  "Fill `default-directory' with 60,000 files."
  (dotimes (i 100)
    (make-directory (format "seed/%02d/a/b" i) t)
    (dotimes (j 10) (write-region "" nil (format "seed/%02d/a/b/%d" i j) nil 'quiet)))
  (dotimes (i 60)
    (call-process "cp" nil nil nil "-al" "seed" (format "copy%02d" i))))

(ert-deftest agent-q-fs-quit/walks ()
  "The same for reading a big tree."
  (agent-q-fs-test-with-tree (_ws)
    (agent-q-fs-quit-tests--fill)
    (dolist (form '((agent-q-fs-search-files ws "**/*.absent")
                    (agent-q-fs-directory-tree ws)
                    (agent-q-fs-list-directory ws :depth 256)))
      (agent-q-fs-quit-tests--interrupt `(while t ,form) 15))))

(ert-deftest agent-q-fs-quit/fast-operations ()
  "C-g during calls that take no thread of their own."
  (agent-q-fs-test-with-tree (_ws '("a" "x\n"))
    (with-temp-file "long"
      (dotimes (_ 100) (insert (make-string 1000000 ?x) "\n")))
    (dolist (form '((agent-q-fs-read-file ws "a")
                    (agent-q-fs-read-file ws "long" :start_line 99 :end_line 99)))
      (agent-q-fs-quit-tests--interrupt `(while t ,form) 15))))

(ert-deftest agent-q-fs-quit/throw ()
  "A call ends properly under `while-no-input', and when a throw passes through it."
  (agent-q-fs-test-with-tree (_ws)
    (agent-q-fs-test-long-grep 40000)
    (let ((result (agent-q-fs-quit-tests--run
                   '(catch 'out
                      (unwind-protect
                          (agent-q-fs-grep-files ws "absent")
                        (throw 'out 5)))
                   5)))
      (should (equal (plist-get result :before) (plist-get result :after))))))

(ert-deftest agent-q-fs-quit/inhibited ()
  "While quitting is inhibited a call is not interrupted; afterwards it is."
  (agent-q-fs-test-with-tree (ws '("a" "needle\n"))
    (let (total outcome)
      (let ((inhibit-quit t))
        (setq quit-flag t
              total (plist-get (agent-q-fs-grep-files ws "needle") :total)
              quit-flag nil))
      (should (equal total 1))
      (setq outcome (condition-case nil
                        (let ((inhibit-quit t))
                          (setq quit-flag t)
                          (let ((inhibit-quit nil))
                            (agent-q-fs-grep-files ws "needle")))
                      (quit 'quit)))
      (should (eq outcome 'quit)))))

(defun agent-q-fs-quit-tests--type (session log times)
  "Type C-g into tmux's SESSION each time the child says in LOG that it is ready."
  (dotimes (i times)
    (agent-q-fs-test-until (and (file-exists-p (concat log ".ready"))
                                (with-temp-buffer
                                  (insert-file-contents (concat log ".ready"))
                                  (equal (buffer-string) (format "ready %d\n" i)))))
    (sleep-for 0.15)                    ; a call has begun by then, or will find the key
    (call-process "tmux" nil nil nil "-L" session "send-keys" "C-g")))

(ert-deftest agent-q-fs-quit/typed-in-tmux ()
  "The key itself, in a terminal: each C-g ends the call it was typed in."
  (unless (executable-find "tmux") (ert-skip "There is no tmux"))
  (agent-q-fs-test-with-tree (_ws)
    (agent-q-fs-test-long-grep 2000)
    (let* ((log (make-temp-name (expand-file-name "aqfs-quit-" temporary-file-directory)))
           (session (format "aqfs-%d" (emacs-pid)))
           (plan (list :directory default-directory :times 10 :typed t :log log
                       ;; However late the key comes, it finds a call.
                       :form '(while t (agent-q-fs-grep-files ws "absent"))))
           (process-environment (cons (format "AQFS_QUIT=%S" plan) process-environment)))
      (unwind-protect
          (progn
            (apply #'call-process "tmux" nil nil nil "-L" session "new-session" "-d"
                   "-x" "80" "-y" "24" (agent-q-fs-quit-tests--child-command "screen"))
            (agent-q-fs-quit-tests--type session log 11)
            (let ((result (agent-q-fs-quit-tests--wait
                           log (lambda ()
                                 (shell-command-to-string
                                  (format "tmux -L %s capture-pane -p" session))))))
              (should (equal (make-list 10 'quit) (mapcar #'car (plist-get result :outcomes))))
              (should (equal (plist-get result :before) (plist-get result :after)))))
        (call-process "tmux" nil nil nil "-L" session "kill-server")
        (mapc (lambda (end) (when (file-exists-p (concat log end)) (delete-file (concat log end))))
              '("" ".ready" ".new"))))))

(provide 'agent-q-fs-quit-tests)
;;; agent-q-fs-quit-tests.el ends here
