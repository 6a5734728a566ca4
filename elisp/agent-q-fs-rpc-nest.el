;;; agent-q-fs-rpc-nest.el --- A call from Lisp while Emacs waits for Lisp  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Where Emacs waits for an answer from Lisp (`sly-eval', `slime-eval'), a call that
;; comes meanwhile runs inside of that.  Such an answer ends the waiting by a
;; `throw': it would go through the call, a person's question or a command, and the
;; Lisp that has called would have its thread aborted.  So what answers a request
;; that was there before a call is kept until the call has ended.

;;; Code:

(require 'cl-lib)

(declare-function sly-dispatch-event "ext:sly" (event &optional process))
(declare-function sly-rex-continuations "ext:sly" (&optional process) t)
(declare-function slime-dispatch-event "ext:slime" (event &optional process))
(declare-function slime-rex-continuations "ext:slime" (&optional process) t)

(defvar sly--stack-eval-tags)
(defvar sly-dispatching-connection)
(defvar sly-net-processes)
(defvar slime-dispatching-connection)
(defvar slime-net-processes)
(defvar slime-stack-eval-tags)

(defvar agent-q-fs-rpc-nest--calls nil
  "The calls that Emacs is in, the innermost first: lists (REQUESTS ANSWER...).
REQUESTS are those that were not answered when the call began, each as
\(CONNECTION . ID).  ANSWER is a function that dispatches what has come
since, the latest first.")

(defun agent-q-fs-rpc-nest--pending (connections continuations)
  "Return the requests to CONNECTIONS that CONTINUATIONS says are not answered."
  (let (requests)
    (dolist (connection connections requests)
      (pcase-dolist (`(,id . ,_) (funcall continuations connection))
        (push (cons connection id) requests)))))

(defun agent-q-fs-rpc-nest--requests ()
  "Return the requests whose answers may end what Emacs waits for."
  (append (when (bound-and-true-p sly--stack-eval-tags)
            (agent-q-fs-rpc-nest--pending sly-net-processes #'sly-rex-continuations))
          (when (bound-and-true-p slime-stack-eval-tags)
            (agent-q-fs-rpc-nest--pending slime-net-processes #'slime-rex-continuations))))

(defun agent-q-fs-rpc-nest-call (function)
  "Return what FUNCTION returns, a call from Lisp that no answer from there ends."
  (let ((requests (agent-q-fs-rpc-nest--requests)))
    (if (null requests)
        (funcall function)
      (let* ((call (list requests))
             (agent-q-fs-rpc-nest--calls (cons call agent-q-fs-rpc-nest--calls)))
        (unwind-protect
            (funcall function)
          (dolist (answer (reverse (cdr call)))
            ;; By then what the call returns has been sent.
            (run-with-timer 0 nil answer)))))))

(defun agent-q-fs-rpc-nest--keep (event connection dispatch)
  "Keep EVENT from CONNECTION for DISPATCH if it is an answer to wait with.
Of several calls that have to end before, the outermost keeps it."
  (pcase event
    (`(:return ,_ ,id)
     (let ((call (cl-find-if (lambda (call)
                               (member (cons connection id) (car call)))
                             agent-q-fs-rpc-nest--calls :from-end t)))
       (when call
         (push (lambda () (funcall dispatch event connection)) (cdr call))
         t)))))

(defun agent-q-fs-rpc-nest-sly-event (event)
  "Keep EVENT, a message from SLY, if a call has to end first."
  (agent-q-fs-rpc-nest--keep event sly-dispatching-connection #'sly-dispatch-event))

(defun agent-q-fs-rpc-nest-slime-event (event)
  "Keep EVENT, a message from SLIME, if a call has to end first."
  (agent-q-fs-rpc-nest--keep event slime-dispatching-connection #'slime-dispatch-event))

(provide 'agent-q-fs-rpc-nest)
;;; agent-q-fs-rpc-nest.el ends here
