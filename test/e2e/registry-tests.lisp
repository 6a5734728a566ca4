;;;; registry-tests.lisp -- as Agent-Q runs the tools: cl-llm-provider's stages, then Emacs.
;;;;
;;;; SPDX-License-Identifier: MIT

(in-package #:agent-q-fs/e2e)
(in-suite e2e)

(defun new-registry (&rest options)
  (let ((registry (apply #'cl-llm-provider.tools:make-tool-registry options)))
    (agent-q-fs/agent-q:register-tools :registry registry)
    registry))

(defun execute (registry name arguments &rest options)
  "Returns the text for the model, or the condition that EXECUTE-TOOL signals."
  (handler-case
      (apply #'cl-llm-provider.tools:execute-tool
             (cl-llm-provider.tools:find-tool registry name)
             (make-instance 'cl-llm-provider:tool-call :name name :arguments arguments)
             :registry registry options)
    (cl-llm-provider.tools:tool-approval-error (condition) condition)))

(test registry.emacs-asks-once
  (with-greetings (root)
    (let ((registry (new-registry)))
      (is (= 0 (counting-questions
                 (is (equal *greet* (execute registry "read_file"
                                             (list :path "src/greet.lisp")))))))
      (is (= 1 (counting-questions
                 (answering ("y") (execute registry "delete_file" (list :path "src/old.lisp"))))))
      (is (null (contents root "src/old.lisp")))
      (is (= 1 (counting-questions
                 (is (eql 0 (search "Error: The user denied"
                                    (answering ("q") (execute registry "delete_file"
                                                              (list :path "README")))))))))
      (is (equal (lines "Read me") (contents root "README"))))))

(test registry.the-callback-asks-once
  (with-greetings (root)
    (trusting (approvals)
      (let* ((count 0)
             (answer :approved)
             (registry (new-registry :approval-callback (lambda (&rest call)
                                                          (declare (ignore call))
                                                          (incf count)
                                                          answer))))
        (is (= 0 (counting-questions
                   (execute registry "create_file" (list :path "new" :content (lines "x"))))))
        (is (equal (lines "x") (contents root "new")))
        (is (= 1 count))
        (setf answer :rejected)
        (is (= 0 (counting-questions
                   (is (typep (execute registry "delete_file" (list :path "new"))
                              'cl-llm-provider.tools:tool-approval-error)))))
        (is (equal (lines "x") (contents root "new")))
        ;; A call that was never approved is asked about, also when its handler is called directly.
        (is (= 1 (counting-questions
                   (answering ("q") (execute registry "delete_file" (list :path "new")
                                             :skip-approval t)))))
        (is (equal (lines "x") (contents root "new")))))))

(test registry.approvals-in-lisp-are-of-what-was-shown
  "A protected file is asked about in Emacs all the same, and so is what was not shown."
  (with-greetings (root)
    (trusting (approvals)
      (let* ((seen '())
             (between (lambda ()))
             (registry (new-registry :approval-callback (lambda (&rest call)
                                                          (declare (ignore call))
                                                          (push agent-q-fs:*approval-preview* seen)
                                                          (funcall between)
                                                          :approved))))
        (ensure-directories-exist (concatenate 'string root ".vscode/"))
        (emacs-value (format nil "(make-symbolic-link \".vscode\" ~S)"
                             (concatenate 'string root "notes")))
        (is (= 1 (counting-questions
                   (is (eql 0 (search "Error: The user denied"
                                      (answering ("q")
                                        (execute registry "create_file"
                                                 (list :path "notes/tasks.json" :content "x")))))))))
        (is (null (contents root ".vscode/tasks.json")))
        (let ((target (first (getf (first seen) :targets))))
          (is (equal ".vscode/tasks.json" (getf target :path)))
          (is-true (getf target :protected)))
        ;; The file is another one when the call is made.
        (setf between (lambda () (emacs-value (format nil "(write-region \"Theirs\\n\" nil ~S nil 'quiet)"
                                                       (concatenate 'string root "README")))))
        (is (= 1 (counting-questions
                   (answering ("q") (execute registry "delete_file" (list :path "README"))))))
        (is (equal (lines "Theirs") (contents root "README")))))))

(test registry.callbacks-are-not-trusted
  "A call that a callback in Lisp has approved is asked about in Emacs, unless it is trusted."
  (with-greetings (root)
    (let ((registry (new-registry :approval-callback (constantly :approved))))
      (is (= 1 (counting-questions
                 (is (eql 0 (search "Error: The user denied"
                                    (answering ("q") (execute registry "delete_file"
                                                              (list :path "README")))))))))
      (is (equal (lines "Read me") (contents root "README"))))))

(test registry.rules-of-emacs-hold
  (with-greetings (root)
    (let ((registry (new-registry :approval-callback (constantly :approved))))
      (emacs-value "(setq agent-q-fs-denied '((t . \"src\")))")
      (unwind-protect
           (progn
             (is (eql 0 (search "Error: The user denied"
                                (execute registry "delete_file" (list :path "src/old.lisp")))))
             (emacs-value "(setq agent-q-fs-denied nil agent-q-fs-policy 'read-only)")
             (is (eql 0 (search "Error: " (execute registry "delete_file"
                                                   (list :path "src/old.lisp"))))))
        (emacs-value "(setq agent-q-fs-denied nil agent-q-fs-policy 'tiered)"))
      (is (equal (lines "(old)") (contents root "src/old.lisp"))))))

(test registry.helpers-through-emacs
  (with-greetings (root)
    (is (equal (concatenate 'string root "src/greet.lisp")
               (namestring (agent-q-fs/agent-q:resolve-project-path "src/../src/greet.lisp"))))
    (is (null (agent-q-fs/agent-q:resolve-project-path "../x")))))
