;;;; registry.lisp -- the tools in a registry of cl-llm-provider, and so in Agent-Q.
;;;;
;;;; SPDX-License-Identifier: MIT
;;;;
;;;; cl-llm-provider asks its approval callback before the handler is called, and tells the
;;;; handler nothing of it.  So that a dangerous call is approved of exactly once, what the
;;;; callback has approved of is noted by its arguments, the very object.  Where there is no
;;;; callback, or somebody calls a handler by himself, Emacs (or *APPROVAL-HANDLER*) asks.

(defpackage #:agent-q-fs/agent-q
  (:documentation "The tools for Agent-Q, and for anything else that uses cl-llm-provider.")
  (:use #:common-lisp)
  (:import-from #:agent-q-fs
                #:operation-name #:operation-tier #:operation-documentation
                #:operation-parameters #:parameter-name #:parameter-type #:parameter-required-p
                #:parameter-choices #:parameter-documentation)
  (:export #:register-tools #:*tool-names* #:*tool-categories*
           #:resolve-project-path #:glob-matches-p #:matches-exclusion-p #:find-git-root
           #:detect-project-root #:ensure-project-root))

(in-package #:agent-q-fs/agent-q)

(defvar *tool-names* t
  "The names of the operations that REGISTER-TOOLS registers; t for all of them.")

(defvar *tool-categories* '(:filesystem)
  "What REGISTER-TOOLS says that the tools are about.")

;;;; What was approved of

(defvar *approved* (agent-q-fs::make-weak-table)
  "The arguments of calls that a callback has approved of and that are not made yet.")

(defvar *approved-lock* (agent-q-fs::make-lock "agent-q-fs approved"))

(defun note-approval (arguments)
  "Takes note that the call with ARGUMENTS, an object of its own, was approved of."
  (when arguments
    (agent-q-fs::with-lock (*approved-lock*)
      (setf (gethash arguments *approved*) t))))

(defun take-approval (arguments)
  "Was the call with ARGUMENTS approved of?  True once for each time it was."
  (agent-q-fs::with-lock (*approved-lock*)
    (prog1 (gethash arguments *approved*)
      (remhash arguments *approved*))))

;;; Tools of ours are known by their handlers: cl-llm-provider has no place for such a mark
;;; that is certain to be there.
(defvar *handlers* (agent-q-fs::make-weak-table)
  "The handlers of tools that REGISTER-TOOLS has made.")

(defun ours-p (tool)
  "Is TOOL one that REGISTER-TOOLS has made?"
  (and (gethash (cl-llm-provider:tool-handler tool) *handlers*) t))

(defmethod cl-llm-provider.tools:request-tool-approval :around
    ((tool cl-llm-provider:tool-definition) call arguments &key callback)
  (cond ((not (ours-p tool)) (call-next-method))
        ;; Without a callback, the handler has somebody asked.
        ((null callback) (values :approved arguments nil))
        (t (multiple-value-bind (decision final reason) (call-next-method)
             (when (member decision '(:approved :edited))
               (note-approval final))
             (values decision final reason)))))

;;;; Definitions

(defun safety-level (tier dangerous)
  "cl-llm-provider's word for TIER; DANGEROUS for what is dangerous."
  (ecase tier
    (:safe :safe)
    (:cautious :moderate)
    (:dangerous dangerous)))

(defun json-type (type)
  "cl-llm-provider's word for TYPE, of a parameter."
  (case type
    (:integer :integer)
    (:boolean :boolean)
    ((:strings :edits) :array)
    (t :string)))

(defun items-of (type)
  "What the elements of a parameter of TYPE are."
  (case type
    (:strings '(:items (:type :string)))
    (:edits '(:items (:type :object)))))

(defun describe-parameter (parameter)
  "PARAMETER as cl-llm-provider has it."
  (append (list :name (parameter-name parameter)
                :type (json-type (parameter-type parameter))
                :description (parameter-documentation parameter))
          (and (parameter-choices parameter) (list :enum (parameter-choices parameter)))
          (items-of (parameter-type parameter))))

(defun make-handler (name)
  "The function that runs the tool NAME."
  (let ((handler (lambda (arguments)
                   (agent-q-fs::run-tool name arguments nil (take-approval arguments)))))
    (setf (gethash handler *handlers*) t)
    handler))

(defun make-tool (operation dangerous)
  "OPERATION as a tool of cl-llm-provider."
  (let ((parameters (operation-parameters operation))
        (dangerous-p (eq :dangerous (operation-tier operation))))
    (cl-llm-provider:define-tool
        (operation-name operation)
        (operation-documentation operation)
        (mapcar #'describe-parameter parameters)
      :required (mapcar #'parameter-name (remove-if-not #'parameter-required-p parameters))
      :safety-level (safety-level (operation-tier operation) dangerous)
      :categories *tool-categories*
      :requires-approval (and dangerous-p t)
      :handler (make-handler (operation-name operation)))))

;;;; Registering

(defun variable-value (name package)
  "The value of the variable NAME in PACKAGE, strings, or nil."
  (let ((symbol (agent-q-fs::symbol-elsewhere name package)))
    (and symbol (boundp symbol) (symbol-value symbol))))

(defun agent-q-registry ()
  "Agent-Q's registry, or nil without Agent-Q."
  (variable-value "*AGENT-Q-REGISTRY*" "AGENT-Q.TOOLS"))

(defun highest-level (registry)
  "The level of dangerous tools in REGISTRY.
Agent-Q shows its model nothing above :moderate, and runs nothing above it.  Its own tools
that create, move and delete files have that level, so ours have it there as well; somebody
is asked all the same."
  (let ((executor (agent-q-fs::symbol-elsewhere "EXECUTE-TOOL-CALLS-SAFE" "AGENT-Q")))
    (if (and registry (eq registry (agent-q-registry)) executor (fboundp executor))
        :moderate
        :dangerous)))

(defun wanted-p (operation)
  "Is OPERATION one of *TOOL-NAMES*?"
  (or (eq *tool-names* t)
      (member (operation-name operation) *tool-names* :test #'string=)))

(defun table ()
  "The operations, from Emacs if it is connected, or else from the shared object."
  (if (agent-q-fs::find-link)
      (agent-q-fs:operations :emacs)
      (agent-q-fs:operations :ffi)))

(defun register-tools (&key (registry (or (agent-q-registry)
                                          (cl-llm-provider.tools:ensure-registry)))
                         (dangerous-level (highest-level registry)))
  "Registers the tools in REGISTRY, by default Agent-Q's, or cl-llm-provider's without it.
Tools of the same names are replaced.  Returns the tools.

Their safety levels are :SAFE, :MODERATE, and DANGEROUS-LEVEL.  What is dangerous is
approved of once: by the registry's approval callback, or the one given to EXECUTE-TOOL;
without any, by the person at Emacs, or by AGENT-Q-FS:*APPROVAL-HANDLER* where the transport
is :FFI."
  (loop for operation in (table)
        when (wanted-p operation)
          collect (let ((tool (make-tool operation dangerous-level)))
                    (cl-llm-provider.tools:register-tool registry tool :replace t)
                    tool)))
