;;; agent-q-fs-exec-runner-tests.el --- Tests of the runner of commands, from Emacs  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'agent-q-fs-exec-help)

(defun agent-q-fs-exec-runner-tests--said (script)
  "Return what \"shell\" says where the runner is a SCRIPT of the shell, or missing."
  (agent-q-fs-exec-help-with (ws)
    (let ((runner (expand-file-name "runner")))
      (when script
        (agent-q-fs-test--write "runner" (concat "#!/bin/sh\n" script))
        (set-file-modes runner #o755))
      (cl-letf ((agent-q-fs-exec--runner nil)
                ((symbol-function 'agent-q-fs-module-beside)
                 (lambda (_program) (and script runner))))
        (prog1 (agent-q-fs-exec-help-call ws "shell" :command "touch decoy" :timeout_ms 3600000)
          (should-not (file-exists-p "decoy")))))))

(ert-deftest agent-q-fs-exec-runner/strange-runners ()
  "A runner that is missing, of another version, no runner, or cannot do it is an error."
  (pcase-dolist
      (`(,script . ,words)
       '((nil . "\\`Error: The command could not be started: There is no program agent-q-fs-run")
         ("printf 'refused 15\\nversion version'; exec cat >/dev/null" .
          "\\`Error: The program agent-q-fs-run is not of this version (version)")
         ("echo usage: something else entirely, which goes on; exec cat >/dev/null" .
          "\\`Error: The program agent-q-fs-run beside the core is none")
         ("printf 'strange 0\\n'; exec cat >/dev/null" .
          "\\`Error: The program agent-q-fs-run beside the core is none")
         ("exit 3" . "\\`Error: The program that runs commands was ended (exit 3)")
         ("kill -9 $$" . "\\`Error: The program that runs commands was ended (signal 9)")
         ("printf 'refused 31\\nfilter Function not implemented'; exec cat >/dev/null" .
          "\\`Error: The command could not be started: filter: Function not implemented")))
    (should (string-match-p words (agent-q-fs-exec-runner-tests--said script)))))

(ert-deftest agent-q-fs-exec-runner/request ()
  "The runner is told bytes, with their length."
  (should (equal "word 3\n\303\251x" (agent-q-fs-exec-run--record "word" "éx")))
  (should (equal "start 0\n" (agent-q-fs-exec-run--record "start")))
  (should (equal "word 2\n\377\n" (agent-q-fs-exec-run--record "word" "\377\n"))))

(ert-deftest agent-q-fs-exec-runner/waits-for-the-runner ()
  "A call waits for its own runner: after output of any process Emacs waits 10 ms more."
  (agent-q-fs-exec-help-with (ws)
    (let* ((awaited nil)
           (note (lambda (process &rest _)
                   ;; Timers of earlier tests may wait, too.
                   (unless (backtrace-frame 0 'timer-event-handler)
                     (push (and (processp process) t) awaited)))))
      (dolist (call `(("shell" :command "true")
                      ("exec_command" :cmd "true" :yield_time_ms 60000)))
        (setq awaited nil)
        (advice-add 'accept-process-output :before note)
        (unwind-protect (apply #'agent-q-fs-exec-help-call ws call)
          (advice-remove 'accept-process-output note))
        (should (memq t awaited))
        (should-not (memq nil awaited))))))

(defun agent-q-fs-exec-runner-tests--children (pid)
  "Return the processes that the process PID has started."
  (with-temp-buffer
    (insert-file-contents-literally (format "/proc/%d/task/%d/children" pid pid))
    (mapcar #'string-to-number (split-string (buffer-string)))))

(defun agent-q-fs-exec-runner-tests--pids (text)
  "Return the runner of the only run, with the process that it has for its leader.
TEXT begins the command line of a process that the command has started."
  (agent-q-fs-exec-help-sleeping text 1)
  (let ((guard (process-id (agent-q-fs-exec-run-process (car agent-q-fs-exec-run--all)))))
    (cons guard (agent-q-fs-exec-runner-tests--children guard))))

(ert-deftest agent-q-fs-exec-runner/killed ()
  "Whichever process of the runner is killed or stopped, nothing is left."
  (dolist (how '((0 . SIGKILL) (1 . SIGKILL) (1 . SIGSTOP)))
    (agent-q-fs-exec-help-with (ws)
      (let ((reply nil))
        (agent-q-fs-tools--begin
         "shell" (list :command (agent-q-fs-exec-help-own
                                 "env -i setsid sleep 91.1 & trap '' TERM HUP; sleep 92.1; sleep 93")
                       :timeout_ms 3600000)
         ws (lambda (answer) (setq reply answer)))
        (agent-q-fs-exec-help-sleeping "sleep 92" 1)
        (signal-process (nth (car how) (agent-q-fs-exec-runner-tests--pids "sleep 91"))
                        (cdr how))
        (agent-q-fs-test-until reply)
        (should (eq :command-failed (plist-get reply :error)))
        (should (string-match-p "The program that runs commands was ended"
                                (plist-get reply :text)))
        (should-not (agent-q-fs-exec-help-gone "sleep 9"))
        (should-not (agent-q-fs-exec-help-gone))))))

(ert-deftest agent-q-fs-exec-runner/one-is-stopped-and-the-other-one-killed ()
  "The end of a command reaches a runner that was stopped."
  (agent-q-fs-exec-help-with (ws)
    (let ((reply nil))
      (agent-q-fs-tools--begin
       "shell" (list :command (agent-q-fs-exec-help-own "env -i setsid sleep 96.1 & sleep 96.2")
                     :timeout_ms 3600000)
       ws (lambda (answer) (setq reply answer)))
      (pcase-let ((`(,guard ,leader) (agent-q-fs-exec-runner-tests--pids "sleep 96.1"))
                  (run (car agent-q-fs-exec-run--all)))
        (agent-q-fs-exec-help-sleeping "sleep 96" 2)
        (signal-process guard 'SIGSTOP)
        (signal-process leader 'SIGKILL)
        (agent-q-fs-exec-run-end run 'timeout)
        (agent-q-fs-test-until reply)
        (should (eq :timeout (plist-get reply :error)))
        (should-not (agent-q-fs-exec-help-gone "sleep 96"))))))

(ert-deftest agent-q-fs-exec-runner/kills-its-parents ()
  "A command that kills its parent is ended by its grandparent."
  (agent-q-fs-exec-help-with (ws)
    (should (string-match-p
             "\\`Error: The program that runs commands was ended"
             (agent-q-fs-exec-help-call
              ws "shell" :timeout_ms 3600000
              :command (agent-q-fs-exec-help-own "setsid sleep 94.1 & kill -9 $PPID; sleep 94.2"))))
    (should-not (agent-q-fs-exec-help-gone "sleep 94"))))

(ert-deftest agent-q-fs-exec-runner/emacs-is-killed ()
  "When Emacs is killed, no process of its commands is left."
  (let ((process
         (make-process
          :name "killed" :noquery t :connection-type 'pipe
          :command (agent-q-fs-test-emacs-command
                    "--batch" "-l" "agent-q-fs" "--eval"
                    (prin1-to-string
                     `(progn
                        (require 'agent-q-fs-tools)
                        (setq agent-q-fs-policy 'never agent-q-fs-audit-file nil)
                        (agent-q-fs-call-tool
                         "shell" (list :timeout_ms 3600000 :command
                                       ,(agent-q-fs-exec-help-own
                                         "trap '' TERM HUP; env -i setsid sleep 95.1 & \
(setsid sh -c 'trap \"\" TERM HUP; sleep 95.2' &); sleep 95.3"))
                         (agent-q-fs-open :root "/usr"))))))))
    (agent-q-fs-exec-help-sleeping "sleep 95" 3)
    ;; The runner of the command, and the one that waits for the next.
    (let ((runners (agent-q-fs-exec-runner-tests--children (process-id process))))
      (should (= 2 (length runners)))
      (signal-process process 'SIGKILL)
      (should-not (agent-q-fs-exec-help-gone "sleep 95"))
      (agent-q-fs-test-until (not (seq-some #'process-attributes runners))))
    (delete-process process)))

(defun agent-q-fs-exec-runner-tests--spare ()
  "Return the runner that waits for the next command, once there is one."
  (agent-q-fs-test-until agent-q-fs-exec-run--spare)
  (car agent-q-fs-exec-run--spare))

(defun agent-q-fs-exec-runner-tests--used (workspace command)
  "Run COMMAND in WORKSPACE; return its reply's :stdout, and its runner behind that."
  (let* (run (note (lambda (this &rest _) (setq run this))))
    (advice-add 'agent-q-fs-exec-run--launch :before note)
    (unwind-protect
        (let ((reply (agent-q-fs-exec-help-reply workspace "shell" :command command)))
          (cons (plist-get reply :stdout) (agent-q-fs-exec-run-process run)))
      (advice-remove 'agent-q-fs-exec-run--launch note))))

(ert-deftest agent-q-fs-exec-runner/waits-for-the-next-command ()
  "Each command is run by the runner that was started beside the one before."
  (agent-q-fs-exec-help-with (ws)
    (agent-q-fs-exec-help-call ws "shell" :command "true")
    (dotimes (_ 3)
      (let ((spare (agent-q-fs-exec-runner-tests--spare)))
        (should (equal (cons "hi\n" spare)
                       (agent-q-fs-exec-runner-tests--used ws "echo hi")))))
    ;; An error's words are whole, too.
    (agent-q-fs-exec-runner-tests--spare)
    (should (string-match-p "\\`Exit status 127 (command not found)"
                            (agent-q-fs-exec-help-call ws "shell" :command "no-such-command")))))

(ert-deftest agent-q-fs-exec-runner/another-one-where-the-next-is-gone ()
  "A runner that ended or says something while it waits is never given a command."
  (agent-q-fs-exec-help-with (ws)
    (dolist (how '(kill kill-unnoticed speak))
      (agent-q-fs-exec-help-call ws "shell" :command "true")
      (let ((spare (agent-q-fs-exec-runner-tests--spare)))
        (pcase how
          ('speak (agent-q-fs-exec-run--filter spare "usage: something"))
          (_ (signal-process spare 'SIGKILL)
             (if (eq how 'kill)
                 (agent-q-fs-test-until (not (process-live-p spare)))
               (while (file-exists-p (format "/proc/%d/fd/0" (process-id spare)))
                 (sleep-for 0.01)))))
        (pcase-let ((`(,said . ,runner) (agent-q-fs-exec-runner-tests--used ws "echo hi")))
          (should (equal "hi\n" said))
          (should-not (eq spare runner)))))))

(ert-deftest agent-q-fs-exec-runner/next-ends-as-it-is-given-a-command ()
  "The end of a waiting runner that took no command is no end of that command."
  (agent-q-fs-exec-help-with (ws)
    (agent-q-fs-exec-help-call ws "shell" :command "true")
    (let ((spare (agent-q-fs-exec-runner-tests--spare))
          (send (symbol-function 'process-send-string)))
      (cl-letf (((symbol-function 'process-send-string)
                 (lambda (process string)
                   (when (eq process spare)
                     (signal-process process 'KILL)
                     (error "No longer connected"))
                   (funcall send process string))))
        (should (equal "hi\n" (car (agent-q-fs-exec-runner-tests--used
                                    ws "sleep 0.2; echo hi"))))))))

(ert-deftest agent-q-fs-exec-runner/next-has-one-timer ()
  "However many commands there were, one timer waits to let the next runner go."
  (agent-q-fs-exec-help-with (ws)
    (dotimes (_ 3)
      (agent-q-fs-exec-help-call ws "shell" :command "true")
      (agent-q-fs-exec-runner-tests--spare))
    (should (= 1 (seq-count (lambda (timer)
                              (eq #'agent-q-fs-exec-run--drop-spare (timer--function timer)))
                            timer-list)))))

(ert-deftest agent-q-fs-exec-runner/next-is-as-a-new-one ()
  "A command has the permissions for new files that Emacs has when it begins."
  (agent-q-fs-exec-help-with (ws)
    (agent-q-fs-exec-help-call ws "shell" :command "true")
    (let ((spare (agent-q-fs-exec-runner-tests--spare)))
      (with-file-modes #o700
        (should (equal "0077\n" (car (agent-q-fs-exec-runner-tests--used ws "umask")))))
      (should-not (process-live-p spare)))))

(ert-deftest agent-q-fs-exec-runner/next-is-let-go ()
  "A runner that nobody needs ends."
  (agent-q-fs-exec-help-with (ws)
    (let ((agent-q-fs-exec-run--spare-seconds 0.05))
      (agent-q-fs-exec-run--drop-spare)
      (agent-q-fs-exec-help-call ws "shell" :command "true")
      (let* ((spare (agent-q-fs-exec-runner-tests--spare)) (pid (process-id spare)))
        (agent-q-fs-test-until (not (or agent-q-fs-exec-run--spare (process-attributes pid))))))))

(agent-q-fs-exec-deftest "limits" (ws '("d/f" "")) (none landlock bubblewrap)
  "Limits hold for a command and what it starts; a wrong one is an error."
  (let ((agent-q-fs-exec-limits '((files . 40) (file . 10240) (seconds . 100) (memory . 900000000))))
    (let ((reply (agent-q-fs-exec-help-reply
                  ws "shell" :command "sh -c 'ulimit -n; ulimit -t; ulimit -v'; head -c 99999 /dev/zero >d/f")))
      (should (string-match-p "\\`40\n100\n878906\n\\'" (plist-get reply :stdout)))
      (should-not (equal 0 (plist-get reply :exit-code)))
      (should (= 10240 (file-attribute-size (file-attributes "d/f"))))))
  (dolist (limits '(((memories . 5)) ((memory . many)) ((memory . -1))))
    (let ((agent-q-fs-exec-limits limits))
      (should (string-match-p
               "\\`Error: The command could not be started: request: limit: expected processes, memory"
               (agent-q-fs-exec-help-call ws "shell" :command "echo x >ran")))))
  (should-not (file-exists-p "ran")))

(ert-deftest agent-q-fs-exec-runner/names-its-memory ()
  "The reply has the memory of the largest process."
  (agent-q-fs-exec-help-with (ws)
    (let ((reply (agent-q-fs-exec-help-reply
                  ws "shell" :command "x=$(head -c 30000000 /dev/zero | tr '\\0' x); echo ${#x}")))
      (should (equal "30000000\n" (plist-get reply :stdout)))
      (should (< 29000 (plist-get reply :peak-kilobytes))))))

(provide 'agent-q-fs-exec-runner-tests)
;;; agent-q-fs-exec-runner-tests.el ends here
