;;;; tools.lisp -- calls for models: they return text, and some need approval.
;;;;
;;;; SPDX-License-Identifier: MIT
;;;;
;;;; With the transport :EMACS, Emacs asks the person, as its agent-q-fs-policy says.  With :FFI,
;;;; *APPROVAL-HANDLER* is called.  No call is decided by both.

(in-package #:agent-q-fs)

(defvar *tool-names* t
  "The tools that the system agent-q-fs/agent-q registers: the name of a set, such as
\"coding\", or a list of names of tools and sets; t for all.
It can be set before that system is loaded.  Afterwards AGENT-Q-FS/AGENT-Q:REGISTER-TOOLS
registers these, and no others.")

(defvar *approval-handler* nil
  "The function that decides, with the transport :FFI, about calls that do more than
*AUTHORITY* allows.  It is called with the operation (see OPERATION-NAME) and a hash table of
the arguments, and returns one of

  :APPROVED                  make the change
  :DENIED, (:DENIED REASON)  refuse it; the model is told the reason, a string
  (:MODIFIED ARGUMENTS)      call the operation with these arguments instead

Any other value is a denial.  *APPROVAL-PREVIEW* shows the change.  An approved change is made
only if it is still the one that was shown.  After :MODIFIED, the function is called again with
the new arguments, and the change that they make is shown; it approves of that with :APPROVED, or
by returning arguments that make the same change.  If this variable is nil, such calls are refused.")

(defvar *approval-preview* nil
  "The change that an *APPROVAL-HANDLER*, or an approval callback of cl-llm-provider, is deciding
about: a property list of :TIER, :SUMMARY, :TARGETS, :DIFF and :DIGEST.  A target is a property
list of :PATH, which is where it leads, :ACTION, :PROTECTED and others.")

(defvar *tool-execution-hooks* '()
  "Functions that are called before and after each call of a tool, with a phase, the operation,
a hash table of the arguments, and the result:

  :BEFORE   the result is nil
  :AFTER    the result is the text for the model
  :ERROR    the call has failed; the result is the text for the model

If there is no such operation, the tool's name is passed instead.  An error of a hook becomes
a warning, and the call goes on.")

;;;; Arguments and texts

(defun arguments-table (entries)
  "Returns ENTRIES as a hash table."
  (let ((table (make-hash-table :test #'equal)))
    (loop for (name . value) in entries
          do (setf (gethash name table) value))
    table))

(defun reply-text (reply)
  "Returns the text for a model in REPLY."
  (let ((text (getf reply :text)))
    (if (stringp text)
        text
        (malformed "it has no text"))))

(defun condition-text (condition)
  "Returns the text for a model about CONDITION."
  (reply-text (agent-q-fs-error-plist condition)))

;;;; Approval

(defun denial (name reason)
  "Returns the reply that denies the call of the tool NAME, for REASON or without a reason."
  (make-error-plist :denied
                    (format-message "The user denied ~A~@[: ~A~]"
                                    (list name (and (stringp reason) reason)))
                    nil nil))

(defun approve-with (handler operation entries preview)
  "Asks HANDLER, and returns its decision: a keyword, and a reason or arguments."
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
  "Makes the change with DIGEST, which ENTRIES ask for and somebody has approved."
  (unless (stringp digest) ; without a digest the core would compare nothing
    (invalid-argument "~A: there is no digest of what was approved" name))
  (perform workspace name operation entries
           (call-how :dangerous :digest digest :words t :origin :model)))

(defun same-change-p (plan other)
  "Returns true if PLAN and OTHER, previews, are of the same change."
  (and (stringp (getf plan :digest))
       (equal (getf plan :digest) (getf other :digest))))

(defconstant +most-modifications+ 100
  "How often an *APPROVAL-HANDLER* may change the arguments of one call.")

(defun run-decided (workspace name operation entries preview)
  "Asks about PREVIEW, the core's reply to a call that needs approval, and obeys the decision."
  (dotimes (i +most-modifications+ (values (denial name "it was changed again and again") "denied"))
    (multiple-value-bind (decision more)
        (approve-with *approval-handler* (or operation name) entries preview)
      (ecase decision
        (:approved (return (run-approved workspace name operation entries
                                         (getf preview :digest))))
        (:denied (return (values (denial name more) "denied")))
        (:modified
         (multiple-value-bind (plan code)
             (perform workspace name operation more
                      (call-how *authority* :preview t :origin :model))
           (cond ((and code (not (equal code "approval-required"))) (return (values plan code)))
                 ((not (getf plan :digest)) (return plan)) ; it reads, and no secret
                 ((same-change-p plan preview)
                  (return (run-approved workspace name operation more (getf plan :digest))))
                 (t (setf entries more
                          preview plan)))))))))

(defun run-with-approval (workspace name operation entries approved)
  "Returns the reply of the tool NAME, and nil or the error's code.  APPROVED is the digest of
a change that was approved already, or nil."
  (multiple-value-bind (reply code)
      (perform workspace name operation entries (call-how *authority* :words t :origin :model))
    (cond ((not (equal code "approval-required")) (values reply code))
          ((and approved (equal approved (getf reply :digest)))
           (run-approved workspace name operation entries approved))
          (*approval-handler* (run-decided workspace name operation entries reply))
          (t (values reply code)))))

(defmethod perform-tool ((workspace workspace) name operation entries approved)
  (multiple-value-bind (reply code)
      (run-with-approval workspace name operation entries approved)
    (values (reply-text reply) code)))

;;;; Hooks

(defun run-hooks (hooks phase operation arguments result)
  "Calls HOOKS, and turns their errors into warnings."
  (dolist (hook hooks)
    (handler-case (funcall hook phase operation arguments result)
      (error (condition)
        (warn "agent-q-fs: a hook of *tool-execution-hooks* failed: ~A" condition)))))

(defun call-with-hooks (operation entries function)
  "Calls FUNCTION between the hooks, and returns its text.  FUNCTION returns as a second value
nil or an error's code."
  (let* ((hooks *tool-execution-hooks*)
         (arguments (and hooks (arguments-table entries))))
    (run-hooks hooks :before operation arguments nil)
    (multiple-value-bind (text code) (funcall function)
      (run-hooks hooks (if code :error :after) operation arguments text)
      text)))

;;;; The call

(defun perform-tool-as-text (workspace name operation entries approved)
  "Calls PERFORM-TOOL, and returns a text also for an error that Lisp finds."
  (handler-case (perform-tool workspace name operation entries approved)
    (agent-q-fs-library-error (condition) (error condition))
    (agent-q-fs-error (condition) (values (condition-text condition) condition))))

(defun run-tool (name arguments workspace approved)
  "Does the work of CALL-TOOL.  APPROVED is the digest of a change that was approved already,
or nil."
  (handler-case
      (let* ((reached (checked-workspace workspace))
             (entries (argument-entries arguments))
             (name (operation-designator-name name))
             (operation (find-row name reached)))
        (flet ((perform-in (reached)
                 (perform-tool-as-text reached name operation entries approved)))
          (call-with-hooks (or operation name) entries
                           (lambda ()
                             (multiple-value-bind (text code) (perform-in reached)
                               (if (and (equal code "root-moved") (null workspace)
                                        (forget-moved-p reached))
                                   (perform-in (checked-workspace nil))
                                   (values text code)))))))
    (agent-q-fs-library-error (condition) (error condition))
    (agent-q-fs-error (condition) (condition-text condition))))

(defun call-tool (name arguments &key workspace)
  "Calls the tool NAME for a model, and returns the text to show to the model.

ARGUMENTS are a hash table, association list or property list.  If the tool fails, the text
begins with \"Error: \".  Only a missing or wrong shared object is signalled, because no model
can do anything about it.

With the transport :EMACS, Emacs asks for approval as agent-q-fs-policy says there; with :FFI,
*APPROVAL-HANDLER* decides.  *TOOL-EXECUTION-HOOKS* are called before and after the call."
  (run-tool name arguments workspace nil))
