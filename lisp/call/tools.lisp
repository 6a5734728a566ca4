;;;; tools.lisp -- calls of models: text comes back, and somebody may have to approve.
;;;;
;;;; SPDX-License-Identifier: MIT
;;;;
;;;; By the transport :EMACS, Emacs asks, as its agent-q-fs-policy says.  By :FFI nobody is
;;;; there to be asked but *APPROVAL-HANDLER*.  Never both.

(in-package #:agent-q-fs)

(defvar *approval-handler* nil
  "Who decides, by the transport :FFI, about calls that do more than *AUTHORITY* allows: a
function that is called with the operation (see OPERATION-NAME) and a hash table of the
arguments, and returns one of

  :APPROVED                  do it
  :DENIED, (:DENIED REASON)  do not; the model is told the reason, a string
  (:MODIFIED ARGUMENTS)      do it with these instead

Anything else is a denial.  *APPROVAL-PREVIEW* is what would be done.  What is approved is
done if it is that still.  With nil, such calls are refused.")

(defvar *approval-preview* nil
  "While an *APPROVAL-HANDLER* decides: what would be done, a property list of :TIER,
:SUMMARY, :TARGETS and :DIFF.")

(defvar *tool-execution-hooks* '()
  "Functions that are called around calls of tools, with a phase, the operation, a hash
table of the arguments, and the result:

  :BEFORE   the result is nil
  :AFTER    it is the text for the model
  :ERROR    the same, where the call has failed

The operation is the tool's name where there is none of that name.  An error of a hook is
warned of, and otherwise nobody's.")

;;;; Arguments and texts

(defun arguments-table (entries)
  "ENTRIES as a hash table."
  (let ((table (make-hash-table :test #'equal)))
    (loop for (name . value) in entries
          do (setf (gethash name table) value))
    table))

(defun reply-text (reply)
  "The words for a model in REPLY."
  (let ((text (getf reply :text)))
    (if (stringp text)
        text
        (malformed "it has no text"))))

(defun condition-text (condition)
  "The words for a model about CONDITION."
  (reply-text (agent-q-fs-error-plist condition)))

;;;; Approval

(defun denial (name reason)
  "The reply that says that the tool NAME was not approved of, for REASON or for none."
  (make-error-plist :denied
                    (format-message "The user denied ~A~@[: ~A~]"
                                    (list name (and (stringp reason) reason)))
                    nil nil))

(defun approve-with (handler operation entries preview)
  "What HANDLER decides: a keyword, and a reason or arguments."
  (let* ((*approval-preview* preview)
         (decision (funcall handler operation (arguments-table entries))))
    (cond ((eq decision :approved) :approved)
          ((and (proper-list-p decision) (eq :modified (first decision))
                (= 2 (length decision)))
           (values :modified (argument-entries (second decision))))
          ((and (proper-list-p decision) (eq :denied (first decision)))
           (values :denied (second decision)))
          (t :denied))))

(defun run-approved (workspace name operation entries digest)
  "Does what was approved: what DIGEST stands for, or nil for whatever ENTRIES say."
  (perform workspace name operation entries (call-how :dangerous :digest digest :words t)))

(defun run-decided (workspace name operation entries refusal)
  "Asks about REFUSAL, the core's answer to a call, and goes on accordingly."
  (multiple-value-bind (decision more)
      (approve-with *approval-handler* (or operation name) entries refusal)
    (ecase decision
      (:approved (run-approved workspace name operation entries (getf refusal :digest)))
      (:modified (run-approved workspace name operation more nil))
      (:denied (values (denial name more) "denied")))))

(defun run-with-approval (workspace name operation entries approved)
  "The reply of the tool NAME, and nil or the error's code."
  (multiple-value-bind (reply code)
      (perform workspace name operation entries (call-how *authority* :words t))
    (cond ((not (equal code "approval-required")) (values reply code))
          (approved (run-approved workspace name operation entries (getf reply :digest)))
          (*approval-handler* (run-decided workspace name operation entries reply))
          (t (values reply code)))))

(defmethod perform-tool ((workspace workspace) name operation entries approved)
  (multiple-value-bind (reply code)
      (run-with-approval workspace name operation entries approved)
    (values (reply-text reply) code)))

;;;; Hooks

(defun run-hooks (hooks phase operation arguments result)
  "Calls HOOKS, and warns of their errors."
  (dolist (hook hooks)
    (handler-case (funcall hook phase operation arguments result)
      (error (condition)
        (warn "agent-q-fs: a hook of *tool-execution-hooks* failed: ~A" condition)))))

(defun call-with-hooks (operation entries function)
  "The text that FUNCTION, a call, returns; its second value is nil or an error's code."
  (let* ((hooks *tool-execution-hooks*)
         (arguments (and hooks (arguments-table entries))))
    (run-hooks hooks :before operation arguments nil)
    (multiple-value-bind (text code) (funcall function)
      (run-hooks hooks (if code :error :after) operation arguments text)
      text)))

;;;; The call

(defun perform-tool-as-text (workspace name operation entries approved)
  "PERFORM-TOOL, where a failure on this side of it is text as well."
  (handler-case (perform-tool workspace name operation entries approved)
    (agent-q-fs-library-error (condition) (error condition))
    (agent-q-fs-error (condition) (values (condition-text condition) condition))))

(defun run-tool (name arguments workspace approved)
  "What CALL-TOOL does.  APPROVED is true where somebody has approved of this very call."
  (handler-case
      (let* ((workspace (checked-workspace workspace))
             (entries (argument-entries arguments))
             (name (operation-designator-name name))
             (operation (find-row name workspace)))
        (call-with-hooks (or operation name) entries
                         (lambda ()
                           (perform-tool-as-text workspace name operation entries approved))))
    (agent-q-fs-library-error (condition) (error condition))
    (agent-q-fs-error (condition) (condition-text condition))))

(defun call-tool (name arguments &key workspace)
  "Calls the tool NAME as a model asked for, and returns the text to show it.

ARGUMENTS are a hash table, association list or property list.  A tool's failure is text as
well, which begins with \"Error: \"; only a missing or wrong shared object, which no model
can do anything about, is signalled.

By the transport :EMACS, Emacs asks for approval as agent-q-fs-policy says there; by :FFI,
*APPROVAL-HANDLER* is asked.  *TOOL-EXECUTION-HOOKS* are called around it."
  (run-tool name arguments workspace nil))
