;;;; registry.lisp -- the tools in a registry of cl-llm-provider, and so in Agent-Q.
;;;;
;;;; SPDX-License-Identifier: MIT
;;;;
;;;; cl-llm-provider asks its approval callback before it calls the handler, and does not tell
;;;; the handler what the callback said.  A dangerous call must be approved exactly once, so
;;;; this file remembers the arguments of the approved call, by EQ.  Where there is no callback,
;;;; or where other code calls a handler directly, Emacs (or *APPROVAL-HANDLER*) asks.
;;;;
;;;; A callback is told the arguments, which do not say where a link leads, so the change is planned
;;;; before it is asked: it finds the plan in *APPROVAL-PREVIEW*, and its approval is for that plan.

(defpackage #:agent-q-fs/agent-q
  (:documentation "The tools for Agent-Q, and for anything else that uses cl-llm-provider.")
  (:use #:common-lisp)
  (:import-from #:agent-q-fs
                #:operation-name #:operation-tier #:operation-sets #:operation-documentation
                #:operation-parameters #:parameter-name #:parameter-type #:parameter-required-p
                #:parameter-unless
                #:parameter-choices #:parameter-members #:parameter-documentation
                #:*tool-names*)
  (:export #:register-tools #:*tool-names* #:*tool-categories*
           #:resolve-project-path #:glob-matches-p #:matches-exclusion-p #:find-git-root
           #:detect-project-root #:ensure-project-root))

(in-package #:agent-q-fs/agent-q)

(defvar *tool-categories* '(:filesystem)
  "The categories that REGISTER-TOOLS gives to all tools.  Those that change something also get
:EDITING, and the others :NAVIGATION, as Agent-Q's own.")

;;;; Notes about objects of others, by EQ

(defvar *memory-lock* (agent-q-fs::make-lock "agent-q-fs registry")
  "Held while a weak table of this file is used.")

(defun recall (key table)
  "Returns what TABLE, a weak table, has for KEY, or nil."
  (agent-q-fs::with-lock (*memory-lock*)
    (values (gethash key table))))

(defun (setf recall) (value key table)
  "Makes VALUE what TABLE, a weak table, has for KEY."
  (agent-q-fs::with-lock (*memory-lock*)
    (setf (gethash key table) value)))

(defun take (key table)
  "Returns what TABLE, a weak table, has for KEY, or nil, and forgets it: nobody else gets it."
  ;; REMHASH removes nothing from a weak table of ECL 24.5: the value is what counts.
  (agent-q-fs::with-lock (*memory-lock*)
    (let ((value (gethash key table)))
      (when value
        (setf (gethash key table) nil))
      value)))

;;;; Approved calls

(defvar *approved* (agent-q-fs::make-weak-table)
  "The arguments of calls that a callback has approved and that are not made yet, with the digests
of the changes that it was shown.")

(defun note-approval (arguments preview)
  "Remembers that the call with ARGUMENTS, by EQ, was approved to do what PREVIEW shows."
  (when arguments
    (setf (recall arguments *approved*) (getf preview :digest))))

(defun take-approval (arguments)
  "Returns the digest of the change that was approved for the call with ARGUMENTS, or nil, and
forgets the approval."
  (take arguments *approved*))

(defun preview-or-nil (operation arguments)
  "Returns what a call of OPERATION with ARGUMENTS would do; nil if it would fail."
  (handler-case (agent-q-fs:preview (operation-name operation)
                                    (without-nil-lists arguments (list-names operation)))
    (agent-q-fs:agent-q-fs-error () nil)))

(defun approve-previewed (operation arguments ask)
  "Has ASK, a function of arguments, decide about a call of OPERATION with ARGUMENTS, and returns its
values.  Where it edits them, it is asked again about what they would do then, until it is
content with what it was shown."
  (let ((preview (preview-or-nil operation arguments)))
    (dotimes (i agent-q-fs::+most-modifications+
                (values :rejected arguments "It was changed again and again"))
      (multiple-value-bind (decision final reason)
          (let ((agent-q-fs:*approval-preview* preview))
            (funcall ask arguments))
        (let ((plan (if (eq final arguments) preview (preview-or-nil operation final))))
          (cond ((not (member decision '(:approved :edited)))
                 (return (values decision final reason)))
                ((or (null plan) (agent-q-fs::same-change-p plan preview))
                 (note-approval final plan)
                 (return (values decision final reason)))
                (t (setf arguments final
                         preview plan))))))))

;;; Our tools are recognised by their handlers: no member of cl-llm-provider's tools is certain
;;; to be there for a mark.
(defvar *handlers* (agent-q-fs::make-weak-table)
  "The handlers of the tools that REGISTER-TOOLS has made, with the operations.")

(defun our-operation (tool)
  "Returns the operation of TOOL if REGISTER-TOOLS has made it, or nil."
  (let ((handler (cl-llm-provider:tool-handler tool)))
    (and handler (recall handler *handlers*))))

(defmethod cl-llm-provider.tools:request-tool-approval :around
    ((tool cl-llm-provider:tool-definition) call arguments &key callback)
  (cond ((not (our-operation tool)) (call-next-method))
        ;; Without a callback, the handler asks Emacs or *APPROVAL-HANDLER*.
        ((null callback) (values :approved arguments nil))
        (t (approve-previewed (our-operation tool) arguments
                              (lambda (arguments)
                                (call-next-method tool call arguments :callback callback))))))

;;;; Definitions

(defun safety-level (tier dangerous)
  "Returns cl-llm-provider's word for TIER; DANGEROUS is the word for dangerous operations."
  (ecase tier
    (:safe :safe)
    (:cautious :moderate)
    (:dangerous dangerous)))

(defun json-type (type)
  "Returns cl-llm-provider's word for TYPE, the type of a parameter."
  (case type
    (:integer :integer)
    (:boolean :boolean)
    ((:strings :edits) :array)
    (t :string)))

(defun describe-members (members)
  "Returns a sentence about objects that have MEMBERS, parameters."
  (format nil "An object with ~{~A~^, ~}."
          (loop for member in members
                collect (format nil "~A (~(~A~)~:[~;, required~]): ~A" (parameter-name member)
                                (json-type (parameter-type member)) (parameter-required-p member)
                                (string-right-trim "." (parameter-documentation member))))))

(defun items-of (parameter)
  "Returns the members that describe the elements of PARAMETER.  cl-llm-provider shows a model only
the type and the description of an element, so the description tells of an object's members."
  (let ((members (parameter-members parameter)))
    (case (parameter-type parameter)
      (:strings '(:items (:type :string)))
      (:edits `(:items (:type :object
                        :description ,(describe-members members)
                        :properties ,(mapcar #'describe-parameter members)
                        :required ,(mapcar #'parameter-name
                                           (remove-if-not #'parameter-required-p members))))))))

(defun describe-parameter (parameter)
  "Returns PARAMETER as cl-llm-provider describes parameters."
  (append (list :name (parameter-name parameter)
                :type (json-type (parameter-type parameter))
                :description (parameter-documentation parameter))
          (and (parameter-choices parameter) (list :enum (parameter-choices parameter)))
          (items-of parameter)))

;;; A JSON parser such as yason makes one nil of null, false and an empty list.  Models that fill in
;;; every parameter send null for what they do not give, so that is what a nil list means here.

(defun list-names (operation)
  "Returns the names of the parameters of OPERATION that are lists."
  (loop for parameter in (operation-parameters operation)
        when (member (parameter-type parameter) '(:strings :edits))
          collect (parameter-name parameter)))

(defun without-nil-lists (arguments names)
  "Returns ARGUMENTS without those called NAMES that are nil; arguments of no known form as they are."
  (handler-case
      (remove-if (lambda (entry)
                   (and (null (cdr entry)) (member (car entry) names :test #'string=)))
                 (agent-q-fs::argument-entries arguments))
    (agent-q-fs:agent-q-fs-error () arguments)))

(defun make-handler (operation)
  "Returns a function that runs OPERATION as a tool."
  (let* ((name (operation-name operation))
         (lists (list-names operation))
         (handler (lambda (arguments)
                    (agent-q-fs::run-tool name (without-nil-lists arguments lists) nil
                                          (take-approval arguments)))))
    (setf (recall handler *handlers*) operation)
    handler))

(defun make-tool (operation dangerous)
  "Returns OPERATION as a tool of cl-llm-provider."
  (let ((parameters (operation-parameters operation))
        (dangerous-p (eq :dangerous (operation-tier operation))))
    (cl-llm-provider:define-tool
        (operation-name operation)
        (operation-documentation operation)
        (mapcar #'describe-parameter parameters)
      :required (loop for parameter in parameters
                      when (and (parameter-required-p parameter)
                                (null (parameter-unless parameter)))
                        collect (parameter-name parameter))
      :safety-level (safety-level (operation-tier operation) dangerous)
      :categories (append *tool-categories*
                          (if (eq :safe (operation-tier operation)) '(:navigation) '(:editing)))
      :requires-approval (and dangerous-p t)
      :handler (make-handler operation))))

;;;; Registering

(defun variable-value (name package)
  "Returns the value of the variable NAME in PACKAGE, both strings, or nil."
  (let ((symbol (agent-q-fs::symbol-elsewhere name package)))
    (and symbol (boundp symbol) (symbol-value symbol))))

(defun agent-q-registry ()
  "Returns Agent-Q's registry, or nil without Agent-Q."
  (variable-value "*AGENT-Q-REGISTRY*" "AGENT-Q.TOOLS"))

(defun highest-level (registry)
  "Returns the level of dangerous tools in REGISTRY.
Agent-Q shows its model no tool above :moderate, and runs none.  Its own tools that create,
move and delete files have that level, so ours have it there as well; a person is asked
nevertheless."
  (let ((executor (agent-q-fs::symbol-elsewhere "EXECUTE-TOOL-CALLS-SAFE" "AGENT-Q")))
    ;; NIL is the name of no function.
    (if (and registry (eq registry (agent-q-registry)) (fboundp executor))
        :moderate
        :dangerous)))

(defun wanted-p (operation)
  "Returns true if OPERATION, or a set that it is in, is one of *TOOL-NAMES*."
  (or (eq *tool-names* t)
      (let ((names (if (listp *tool-names*) *tool-names* (list *tool-names*))))
        (or (member (operation-name operation) names :test #'string=)
            (intersection (operation-sets operation) names :test #'string=)))))

(defun check-tool-names (operations)
  "Signals an error unless *TOOL-NAMES* can choose from OPERATIONS."
  (let ((sets (remove-duplicates (loop for operation in operations
                                       append (operation-sets operation))
                                 :test #'string=)))
    (unless (if (listp *tool-names*)
                (and (null (cdr (last *tool-names*))) (every #'stringp *tool-names*))
                (or (eq *tool-names* t)
                    (and (stringp *tool-names*) (member *tool-names* sets :test #'string=))))
      (agent-q-fs::invalid-argument
       "*tool-names*: expected t, the name of a set of tools (~{~A~^, ~}) or a list of names of ~
        tools and sets, not ~S" sets *tool-names*))))

;;; A tool whose place ours has taken is put back when ours goes.
(defvar *replaced* (agent-q-fs::make-weak-table)
  "For each registry, an association list from names to the tools of others that were replaced.")

(defun put-tool (registry tool)
  "Registers TOOL, one of ours, in REGISTRY."
  (let* ((name (cl-llm-provider:tool-name tool))
         (old (cl-llm-provider.tools:find-tool registry name)))
    (when (and old (not (our-operation old)))
      (setf (recall registry *replaced*)
            (acons name old (remove name (recall registry *replaced*) :key #'car :test #'string=))))
    (cl-llm-provider.tools:register-tool registry tool :replace t)
    tool))

(defun take-tool (registry tool)
  "Takes TOOL, one of ours, out of REGISTRY, and puts back what it has replaced."
  (let* ((name (cl-llm-provider:tool-name tool))
         (old (cdr (assoc name (recall registry *replaced*) :test #'string=))))
    (if old
        (cl-llm-provider.tools:register-tool registry old :replace t)
        (remhash name (cl-llm-provider.tools:registry-tools registry)))))

(defun take-unwanted (registry)
  "Takes those of our tools out of REGISTRY that are not wanted any more."
  (dolist (tool (cl-llm-provider.tools:list-tools registry))
    (let ((operation (our-operation tool)))
      (when (and operation (not (wanted-p operation)))
        (take-tool registry tool)))))

(defun table ()
  "Returns the operations, from Emacs if it is connected, or else from the shared object."
  (if (agent-q-fs::find-link)
      (agent-q-fs:operations :emacs)
      (agent-q-fs:operations :ffi)))

(defun register-tools (&key (registry (or (agent-q-registry)
                                          (cl-llm-provider.tools:ensure-registry)))
                         (dangerous-level (highest-level registry)))
  "Registers the tools of *TOOL-NAMES* in REGISTRY, by default Agent-Q's, or cl-llm-provider's
without it.  Tools of the same names are replaced; where one of ours is not wanted any more, what it
replaced is put back.  Returns the tools.

Their safety levels are :SAFE, :MODERATE, and DANGEROUS-LEVEL.  A dangerous call is approved
once: by the registry's approval callback, or by the one given to EXECUTE-TOOL; without a
callback, by the person at Emacs, or by AGENT-Q-FS:*APPROVAL-HANDLER* where the transport is
:FFI.  A callback finds in AGENT-Q-FS:*APPROVAL-PREVIEW* what the call would do, and approves of
that alone; the person at Emacs is asked all the same where a protected file is touched."
  (let ((operations (table)))
    (check-tool-names operations)
    (take-unwanted registry)
    (loop for operation in operations
          when (wanted-p operation)
            collect (put-tool registry (make-tool operation dangerous-level)))))
