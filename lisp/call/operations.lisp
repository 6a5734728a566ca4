;;;; operations.lisp -- the table of operations, as the core describes it.
;;;;
;;;; SPDX-License-Identifier: MIT
;;;;
;;;; Names, tiers and parameters are read from the core's table when the program runs; this
;;;; file names no operation.

(in-package #:agent-q-fs)

(defstruct (parameter (:copier nil) (:predicate nil))
  "One parameter of an operation."
  (name "" :type string)
  (type nil)          ; :string :path :integer :boolean :strings :edits :choice
  (required-p nil)
  (unless nil)        ; the name of a parameter that may be given in place of a required one
  (default nil)       ; as JSON text, nil when there is none
  (least nil)         ; of an integer
  (most nil)
  (choices '() :type list)
  (members '() :type list)   ; of each of :edits, parameters
  (documentation "" :type string))

(defstruct (operation (:copier nil) (:predicate nil))
  "One operation."
  (name "" :type string)
  (tier nil)          ; :safe :cautious :dangerous
  (slow-p nil)        ; true of an operation that can take long
  (sets '() :type list)      ; the names of the sets of tools that it is in
  (documentation "" :type string)
  (parameters '() :type list))

(defun parse-parameter (plist)
  "Returns the parameter that PLIST, a part of a row of the core's table, describes."
  (destructuring-bind (&key name type required unless default least most choices members doc
                       &allow-other-keys)
      plist
    (make-parameter :name name :type type :required-p required :unless unless
                    :default default
                    :least least :most most :choices choices
                    :members (mapcar #'parse-parameter members) :documentation (or doc ""))))

(defun parse-operation (plist)
  "Returns the operation that PLIST, a row of the core's table, describes."
  (destructuring-bind (&key name tier slow doc sets params &allow-other-keys) plist
    (make-operation :name name :tier tier :slow-p slow :documentation (or doc "") :sets sets
                    :parameters (mapcar #'parse-parameter params))))

(defgeneric transport-operations (transport)
  (:documentation "Returns the operations that the other end of TRANSPORT has, a list."))

(defvar *transport* :emacs
  "The way to a workspace when OPEN-WORKSPACE is called without :TRANSPORT, a keyword.
:EMACS goes through SLY's or SLIME's connection, and never anywhere else.  :FFI, of the
system agent-q-fs/ffi, calls the shared object in this process.")

(defun operations (&optional (transport *transport*))
  "Returns all operations, in the core's order."
  (transport-operations transport))

(defun operation-designator-name (designator)
  "Returns the name of the operation that a string or a symbol designates."
  (typecase designator
    (string designator)
    ((and symbol (not null)) (key-name designator))
    (t (invalid-argument "An operation's name must be a string or a symbol, not ~A"
                         (describe-type designator)))))

(defun find-operation (designator &optional (transport *transport*))
  "Returns the operation called DESIGNATOR, such as \"read_file\" or :read-file, or nil."
  (find (operation-designator-name designator) (operations transport)
        :key #'operation-name :test #'string=))
