;;; agent-q-fs-exec-load-tests.el --- Tests of many and of greedy commands  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'agent-q-fs-exec-help)

(ert-deftest agent-q-fs-exec-load/timers-and-memory ()
  "Threat 66: while two commands print for ever, timers fire and memory stays."
  (pcase-let ((`(,most ,grown ,truncated)
               (agent-q-fs-test-in-emacs '(progn (require 'agent-q-fs-exec-load-child)
                                                 (agent-q-fs-exec-load-child 100 48000000)))))
    (message "At most %d pieces of output between two timers; RSS grew by %d KiB" most grown)
    (should (= 2 truncated))
    (should (<= most 4))
    (should (< grown 32768))))

(ert-deftest agent-q-fs-exec-load/two-hundred-at-once ()
  "Threat 121: each of 200 commands is answered, once, with its own answer."
  (agent-q-fs-exec-help-with (ws)
    (let ((answers (make-vector 200 nil)) (answered 0)
          (held (agent-q-fs-test-held)))
      (dotimes (i 200)
        (agent-q-fs-call-tool-async (if (zerop (% i 4)) "exec_command" "shell")
                                    (if (zerop (% i 4))
                                        (list :cmd (format "echo =%d=" i) :yield_time_ms 300000)
                                      (list :command (format "echo =%d=" i)
                                            :timeout_ms 3600000))
                                    (lambda (text)
                                      (cl-incf answered)
                                      (aset answers i (cons text (aref answers i))))
                                    ws))
      (agent-q-fs-test-until (= 200 answered) answered)
      (let ((good 0))
        (dotimes (i 200)
          (let ((texts (aref answers i)))
            (should (= 1 (length texts)))
            (if (string-prefix-p "Error: There are 64 sessions" (car texts))
                (should (zerop (% i 4)))
              (should (string-search (format "=%d=\n" i) (car texts)))
              (cl-incf good))))
        (should (>= good 150)))
      (should (equal held (agent-q-fs-test-held-again held)))
      (should-not (agent-q-fs-exec-help-gone)))))

(ert-deftest agent-q-fs-exec-load/no-more-processes ()
  "Threat 121: if no process can be started, the reply says so."
  (when (= 0 (user-uid)) (ert-skip "Root may have any number of processes; nobody tests it"))
  (unless (executable-find "prlimit") (ert-skip "There is no prlimit"))
  (agent-q-fs-exec-help-with (ws)
    (should (string-search "before" (agent-q-fs-exec-help-call ws "shell" :command "echo before")))
    (let* ((pid (number-to-string (emacs-pid)))
           (hard (with-temp-buffer
                   (call-process "prlimit" nil t nil "--pid" pid "--nproc" "--noheadings"
                                 "--output=HARD")
                   (string-trim (buffer-string))))
           ;; This will lift the limit when nothing more can be started.
           (lifter (start-process "lifter" nil "sh" "-c"
                                  (format "while ! [ -e lift ]; do sleep 0.1; done; \
exec prlimit --pid %s --nproc=%s:%s" pid hard hard))))
      (call-process "prlimit" nil nil nil "--pid" pid (format "--nproc=1:%s" hard))
      (agent-q-fs-exec-run--drop-spare) ; it may start as many processes as before
      (unwind-protect
          (dolist (call '(("shell" :command "echo x") ("exec_command" :cmd "echo x")))
            (should (string-match-p "\\`Error: The command could not be started: "
                                    (apply #'agent-q-fs-exec-help-call ws call))))
        (agent-q-fs-test--write "lift" "")
        (agent-q-fs-test-until (not (process-live-p lifter))))
      (should (string-search "after" (agent-q-fs-exec-help-call ws "shell"
                                                                :command "echo after"))))))

(ert-deftest agent-q-fs-exec-load/no-more-terminals ()
  "Threat 121: where there is no terminal left, nothing is run without one."
  (unless (eql 0 (call-process "unshare" nil nil nil "--map-root-user" "--mount" "sh" "-c"
                               "mount --bind /dev/null /dev/ptmx"))
    (ert-skip "Here unshare cannot hide /dev/ptmx"))
  (let* ((file (make-temp-file "aqfs-decoy-"))
         (form `(progn
                  (require 'agent-q-fs-tools)
                  (setq agent-q-fs-policy 'never agent-q-fs-audit-file nil)
                  (princ (agent-q-fs-call-tool
                          "exec_command" '(:cmd ,(concat "echo ran >" file) :yield_time_ms 300000)
                          (agent-q-fs-open :root "/usr")))))
         (text (with-temp-buffer
                 (apply #'call-process "unshare" nil '(t nil) nil "--map-root-user" "--mount" "sh" "-c"
                        "mount --bind /dev/null /dev/ptmx; exec \"$@\"" "sh"
                        (agent-q-fs-test-emacs-command "--batch" "-l" "agent-q-fs" "--eval"
                                                       (prin1-to-string form)))
                 (buffer-string))))
    (unwind-protect
        (progn
          (should (equal "Error: No pseudo-terminal is left for this command; nothing was run"
                         text))
          (should (= 0 (file-attribute-size (file-attributes file)))))
      (delete-file file))))

(ert-deftest agent-q-fs-exec-load/nothing-stays ()
  "After many commands of all kinds there are no more descriptors, threads or timers."
  (agent-q-fs-exec-help-with (ws)
    (let ((run (lambda ()
                 (agent-q-fs-exec-help-call ws "shell" :command "echo x; echo y >&2")
                 (agent-q-fs-exec-help-call ws "shell" :command "sleep 9" :timeout_ms 1)
                 (agent-q-fs-exec-help-call ws "shell" :command "")
                 (agent-q-fs-exec-help-call ws "exec_command" :cmd "echo x" :yield_time_ms 300000)
                 (agent-q-fs-exec-help-call
                  ws "kill_session" :session_id (agent-q-fs-exec-help-session ws "cat"))
                 (agent-q-fs-test-until (not agent-q-fs-exec-run--all)))))
      (funcall run)
      (let ((held (agent-q-fs-test-held))
            (buffers (length (buffer-list)))
            (processes (length (process-list))))
        (dotimes (_ 2) (funcall run))
        (should (equal held (agent-q-fs-test-held-again held)))
        (agent-q-fs-test-until (= buffers (length (buffer-list))) (buffer-list))
        (agent-q-fs-test-until (= processes (length (process-list))) (process-list))))))

(provide 'agent-q-fs-exec-load-tests)
;;; agent-q-fs-exec-load-tests.el ends here
