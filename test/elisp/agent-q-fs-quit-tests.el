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
          ;; Other programs of the machine must not be measured.
          (and (zerop (user-uid)) '("nice" "-n" "-10"))
          (agent-q-fs-test-emacs-command
           "-nw" "-module-assertions" "-L" "." "-l" "agent-q-fs-quit-child")))

(defun agent-q-fs-quit-tests--wait (log seconds)
  "Return the datum that the child wrote into LOG, waiting SECONDS at most."
  (with-timeout (seconds (error "The Emacs on the terminal did not finish"))
    (while (not (file-exists-p log))
      (accept-process-output nil 0.05)))
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
        (condition-case problem
            (agent-q-fs-quit-tests--wait log 240)
          (error (error "%s; its screen: %s" (cadr problem)
                        (with-current-buffer screen (buffer-string)))))
      (delete-process process)
      (kill-buffer screen)
      (mapc (lambda (end) (when (file-exists-p (concat log end)) (delete-file (concat log end))))
            '("" ".stamp" ".new")))))

(defun agent-q-fs-quit-tests--check (result least-quits)
  "Check the RESULT of interruptions, LEAST-QUITS of which must have hit a call."
  (let* ((outcomes (plist-get result :outcomes))
         (seconds (mapcar #'cadr (seq-filter (lambda (o) (eq (car o) 'quit)) outcomes)))
         (sorted (sort (copy-sequence seconds) #'<))
         (n (length sorted)))
    (should (>= n least-quits))
    (message "%d of %d interrupted calls: median %.0f ms, worst %.0f ms, over 100 ms: %d"
             n (length outcomes) (* 1000 (nth (/ n 2) sorted)) (* 1000 (car (last sorted)))
             (seq-count (lambda (s) (> s 0.1)) sorted))
    (should (seq-every-p (lambda (o) (memq (car o) '(quit ended))) outcomes))
    (should (<= (seq-count (lambda (s) (> s 0.1)) sorted) (max 1 (/ n 25))))
    (should (<= (car (last sorted)) 0.5))
    (should (equal (plist-get result :before) (plist-get result :after)))))

(defun agent-q-fs-quit-tests--interrupt (form times least-quits &optional limits)
  "Interrupt FORM, TIMES times with LIMITS: LEAST-QUITS of them hit it, and end it at once."
  (agent-q-fs-test-on-a-busy-machine
    (agent-q-fs-quit-tests--check (agent-q-fs-quit-tests--run form times limits) least-quits)))

(ert-deftest agent-q-fs-quit/grep ()
  "Threat 64: C-g during a grep of many files returns at once and leaves nothing behind."
  (agent-q-fs-test-with-tree (_ws)
    (agent-q-fs-test-long-grep 2000)
    (agent-q-fs-quit-tests--interrupt '(agent-q-fs-grep-files ws "absent") 50 48)))

(ert-deftest agent-q-fs-quit/grep-with-matches ()
  (agent-q-fs-test-with-tree (_ws)
    (agent-q-fs-test-long-grep 2000 2000)
    (agent-q-fs-quit-tests--interrupt
     '(agent-q-fs-grep-files ws "needle" :limit 100000000 :context 2) 20 15)))

(ert-deftest agent-q-fs-quit/grep-with-a-hostile-pattern ()
  "Threat 53: C-g stops a pattern that would go on for ever."
  (agent-q-fs-test-with-tree (_ws '("f" ""))
    (agent-q-fs-test--write "f" (concat (make-string 5000 ?x) "\n"))
    (agent-q-fs-quit-tests--interrupt
     `(agent-q-fs-grep-files ws ,agent-q-fs-quit-tests--endless) 10 10
     '(:regex_steps 1000000000000 :time_ms 86400000))))

(ert-deftest agent-q-fs-quit/walks ()
  "The same for reading a big tree."
  (agent-q-fs-test-with-tree (_ws)
    (dotimes (i 100)
      (make-directory (format "seed/%02d/a/b" i) t)
      (dotimes (j 10) (write-region "" nil (format "seed/%02d/a/b/%d" i j) nil 'quiet)))
    (dotimes (i 60)
      (call-process "cp" nil nil nil "-al" "seed" (format "copy%02d" i)))
    (dolist (form '((agent-q-fs-search-files ws "**/*.absent")
                    (agent-q-fs-directory-tree ws)
                    (agent-q-fs-list-directory ws :depth 256)))
      (agent-q-fs-quit-tests--interrupt `(dotimes (_ 1000) ,form) 15 13))))

(ert-deftest agent-q-fs-quit/fast-operations ()
  "C-g during calls that take no thread of their own."
  (agent-q-fs-test-with-tree (_ws '("a" "x\n"))
    (with-temp-file "long"
      (dotimes (_ 100) (insert (make-string 1000000 ?x) "\n")))
    (dolist (form '((agent-q-fs-read-file ws "a")
                    (agent-q-fs-read-file ws "long" :start_line 99 :end_line 99)))
      (agent-q-fs-quit-tests--interrupt `(dotimes (_ 10000000) ,form) 15 13))))

(ert-deftest agent-q-fs-quit/throw ()
  "A call ends properly under `while-no-input', and when a throw passes through it."
  (agent-q-fs-test-with-tree (_ws)
    (agent-q-fs-test-long-grep 2000)
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
    (with-timeout (60 (error "The Emacs in tmux is not ready"))
      (while (not (and (file-exists-p (concat log ".ready"))
                       (with-temp-buffer
                         (insert-file-contents (concat log ".ready"))
                         (equal (buffer-string) (format "ready %d\n" i)))))
        (sleep-for 0.02)))
    (sleep-for 0.15)
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
            (let ((result (agent-q-fs-quit-tests--wait log 60)))
              (should (equal (make-list 10 'quit) (mapcar #'car (plist-get result :outcomes))))
              (should (equal (plist-get result :before) (plist-get result :after)))))
        (call-process "tmux" nil nil nil "-L" session "kill-server")
        (mapc (lambda (end) (when (file-exists-p (concat log end)) (delete-file (concat log end))))
              '("" ".ready" ".new"))))))

(provide 'agent-q-fs-quit-tests)
;;; agent-q-fs-quit-tests.el ends here
