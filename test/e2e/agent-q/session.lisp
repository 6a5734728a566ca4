;;;; session.lisp -- Agent-Q, its own tests and its loop, in a Lisp that Emacs has started.
;;;;
;;;; SPDX-License-Identifier: MIT
;;;;
;;;; AGENT_Q_DIR names the directory of Agent-Q.

(defpackage #:agent-q-session
  (:use #:common-lisp))

(in-package #:agent-q-session)

(defmacro quietly (&body body)
  "Runs BODY, of other people's code, without its output and its warnings."
  `(let ((*standard-output* (make-broadcast-stream))
         (*error-output* (make-broadcast-stream))
         (uiop:*compile-file-failure-behaviour* :ignore))
     (handler-bind ((warning #'muffle-warning))
       ,@body)))

(defun load-agent-q (home)
  "Loads Agent-Q and its tests, which keep their files in HOME."
  (setf (uiop:getenv "HOME") home)
  (quietly
    (asdf:load-system "yason")
    (asdf:load-system "cl-llm-provider")
    (load (merge-pathnames "test/e2e/agent-q/provider.lisp" agent-q-fs/setup:*root*))
    (asdf:load-asd (merge-pathnames "agent-q.asd" (uiop:ensure-directory-pathname
                                                   (uiop:getenv "AGENT_Q_DIR"))))
    (asdf:load-system "agent-q/tests"))
  t)

(defun load-ours (&optional set)
  "Loads agent-q-fs as the manual says, and returns how many of its tools Agent-Q has then.  These
are the usual ones, or those of SET."
  (quietly (asdf:load-system "agent-q-fs/agent-q"))
  (when set
    (setf (symbol-value (uiop:find-symbol* '#:*tool-names* '#:agent-q-fs/agent-q)) set))
  (length (uiop:symbol-call '#:agent-q-fs/agent-q '#:register-tools)))

(defun own-tests ()
  "Returns the names of Agent-Q's own tests."
  (flet ((own-p (name)
           (and (eq (symbol-package name) (find-package '#:agent-q-tests))
                (typep (uiop:symbol-call '#:fiveam '#:get-test name)
                       (uiop:find-symbol* '#:test-case '#:fiveam)))))
    (remove-if-not #'own-p (uiop:symbol-call '#:fiveam '#:test-names))))

(defun results-of (name)
  (quietly
    (progv (list (uiop:find-symbol* '#:*test-dribble* '#:fiveam)) (list *standard-output*)
      (uiop:symbol-call '#:fiveam '#:run name))))

(defun run-own-tests ()
  "Returns the names of those of Agent-Q's own tests that fail, in lower case, one a line."
  (flet ((failure-p (result) (typep result (uiop:find-symbol* '#:test-failure '#:fiveam))))
    (format nil "~(~{~A~^~%~}~)"
            (sort (loop for name in (own-tests)
                        when (some #'failure-p (results-of name)) collect (symbol-name name))
                  #'string<))))

(defun talk (turns)
  "Has Agent-Q's loop work while its model does TURNS.  Returns what the model was told of its
calls, the texts of one a list."
  (setf (symbol-value (uiop:find-symbol* '#:*turns* '#:cl-llm-provider)) (append turns '("Done."))
        (symbol-value (uiop:find-symbol* '#:*seen* '#:cl-llm-provider)) '())
  (quietly
    (uiop:symbol-call '#:agent-q '#:configure :provider :openai :model "scripted" :api-key "-")
    (uiop:symbol-call '#:agent-q '#:agent-q-new-conversation)
    (uiop:symbol-call '#:agent-q '#:agent-q-send "Go on."))
  (loop for message in (first (symbol-value (uiop:find-symbol* '#:*seen* '#:cl-llm-provider)))
        when (equal "tool" (getf message :role))
          collect (getf message :content)))

(defun schema (name)
  "Returns the required parameters of Agent-Q's tool NAME, and all of them, names."
  (let ((tool (uiop:symbol-call '#:cl-llm-provider.tools '#:find-tool
                                (symbol-value (uiop:find-symbol* '#:*agent-q-registry*
                                                                 '#:agent-q.tools))
                                name)))
    (list (uiop:symbol-call '#:cl-llm-provider '#:tool-required-params tool)
          (loop for parameter in (uiop:symbol-call '#:cl-llm-provider '#:tool-parameters tool)
                collect (getf parameter :name)))))
