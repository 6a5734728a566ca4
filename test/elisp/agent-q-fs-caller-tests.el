;;; agent-q-fs-caller-tests.el --- Tests of calls that nobody waits for  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'agent-q-fs-test-help)
(require 'agent-q-fs-caller)
(require 'agent-q-fs-tools)

(defun agent-q-fs-caller-test--leave (caller seconds)
  "Have CALLER be gone after SECONDS."
  (run-with-timer seconds nil (lambda () (setf (agent-q-fs-caller-gone caller) t))))

(defun agent-q-fs-caller-test--call (workspace caller tool &rest arguments)
  "Return the reply to CALLER's call of TOOL with ARGUMENTS in WORKSPACE, or `quit'."
  (let (reply)
    (condition-case nil
        (progn (agent-q-fs-tools--begin tool arguments workspace
                                        (lambda (it) (setq reply it))
                                        :wait t :caller caller)
               reply)
      (quit 'quit))))

(ert-deftest agent-q-fs-caller/waits ()
  (let ((agent-q-fs-caller (agent-q-fs-caller-new)) (done nil))
    (run-with-timer 0.1 nil (lambda () (setq done t)))
    (agent-q-fs-caller-wait (lambda () done))
    (should done)))

(ert-deftest agent-q-fs-caller/what-is-done-is-answered ()
  (let ((agent-q-fs-caller (agent-q-fs-caller-new)))
    (setf (agent-q-fs-caller-gone agent-q-fs-caller) t)
    (agent-q-fs-caller-wait #'always)))

(ert-deftest agent-q-fs-caller/quits-once-gone ()
  (let ((agent-q-fs-caller (agent-q-fs-caller-new)))
    (agent-q-fs-caller-test--leave agent-q-fs-caller 0.1)
    (should (eq 'gone (condition-case nil
                          (agent-q-fs-caller-wait #'ignore)
                        (quit 'gone))))))

(ert-deftest agent-q-fs-caller/ends-its-command ()
  (agent-q-fs-test-with-tree (ws '("f" "text"))
    (let ((agent-q-fs-policy 'never) (caller (agent-q-fs-caller-new)))
      (agent-q-fs-caller-test--leave caller 0.5)
      (should (eq 'quit (agent-q-fs-caller-test--call
                         ws caller "shell" :command "touch begun; sleep 2; touch late")))
      (should (file-exists-p "begun"))
      (sleep-for 2.5)
      (should-not (file-exists-p "late")))))

(ert-deftest agent-q-fs-caller/ends-no-call-inside-of-its-own ()
  "A call that comes while it waits has another caller, or none."
  (agent-q-fs-test-with-tree (ws '("f" "text"))
    (let ((agent-q-fs-policy 'never) (caller (agent-q-fs-caller-new)) inside)
      (setf (agent-q-fs-caller-gone caller) nil)
      (run-with-timer 0.2 nil
                      (lambda ()
                        (setf (agent-q-fs-caller-gone caller) t)
                        (setq inside (agent-q-fs-call-tool
                                      "shell" '(:command "sleep 0.3; echo inside") ws))))
      (should (eq 'quit (agent-q-fs-caller-test--call ws caller "shell" :command "sleep 20")))
      (should (string-search "inside" inside)))))

(ert-deftest agent-q-fs-caller/approval-of-ones-own-is-not-waited-for ()
  "Whoever is asked, and never answers."
  (agent-q-fs-test-with-tree (ws '("f" "text"))
    (let ((caller (agent-q-fs-caller-new))
          (agent-q-fs-approval-function #'ignore))
      (cl-letf (((symbol-function 'agent-q-fs-approve-unattended-p) #'ignore))
        (agent-q-fs-caller-test--leave caller 0.2)
        (should (eq 'quit (agent-q-fs-caller-test--call ws caller "delete_file" :path "f"))))
      (should (file-exists-p "f")))))

(provide 'agent-q-fs-caller-tests)
;;; agent-q-fs-caller-tests.el ends here
