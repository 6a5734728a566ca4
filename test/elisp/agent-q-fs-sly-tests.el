;;; agent-q-fs-sly-tests.el --- Tests of loading Lisp's side of the tools  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; With a stand-in for SLY.  test/e2e has the real SLY and SLIME.

;;; Code:

(require 'agent-q-fs-test-help)
(require 'agent-q-fs-sly)

(defmacro agent-q-fs-sly-tests-with (&rest body)
  "Run BODY as if SLY were connected, and return (SENT SAID).
SENT are the forms that Lisp was to evaluate, latest first, and SAID is the last message."
  (declare (indent 0) (debug t))
  `(let ((sent nil) (said nil))
     (cl-letf (((symbol-function 'agent-q-fs-sly--client) (lambda () 'sly))
               ((symbol-function 'sly-eval-async) (lambda (form &rest _) (push form sent)))
               ((symbol-function 'agent-q-fs-rpc-answer) #'ignore)
               ((symbol-function 'message)
                (lambda (format &rest arguments)
                  (setq said (apply #'format-message format arguments)))))
       ,@body)
     (list sent said)))

(ert-deftest agent-q-fs-sly/a-hook-asks-nobody ()
  "In `sly-connected-hook', while the core is not built, a person is told, and not asked."
  (cl-letf (((symbol-function 'agent-q-fs-module-at-hand-p) #'ignore)
            ((symbol-function 'agent-q-fs-module-load) (lambda () (ert-fail "loaded")))
            ((symbol-function 'y-or-n-p) (lambda (_) (ert-fail "asked"))))
    (pcase-let ((`(,sent ,said) (let ((this-command nil) (noninteractive nil))
                                  (agent-q-fs-sly-tests-with (agent-q-fs-sly-load)))))
      (should-not sent)
      (should (string-search "M-x agent-q-fs-module-build" said)))))

(ert-deftest agent-q-fs-sly/a-command-has-the-core-first ()
  "A person who gives the command is asked before Lisp begins, and not while they type on."
  (cl-letf (((symbol-function 'agent-q-fs-module-at-hand-p) #'ignore)
            ((symbol-function 'agent-q-fs-module-load) (lambda () (error "Not built"))))
    (let ((this-command 'agent-q-fs-sly-load) (noninteractive nil))
      (agent-q-fs-sly-tests-with
        (should-error (agent-q-fs-sly-load))
        (should-not sent)
        (cl-letf (((symbol-function 'agent-q-fs-module-load) #'ignore))
          (agent-q-fs-sly-load))
        (should (= 1 (length sent)))
        (should (string-search "Lisp is loading" said))))))

(ert-deftest agent-q-fs-sly/nobody-connected ()
  (cl-letf (((symbol-function 'agent-q-fs-sly--client) #'ignore)
            ((symbol-function 'agent-q-fs-rpc-answer) #'ignore))
    (should (string-search "No Lisp is connected"
                           (cadr (should-error (agent-q-fs-sly-load) :type 'user-error))))))

(provide 'agent-q-fs-sly-tests)
;;; agent-q-fs-sly-tests.el ends here
