;;;; conditions.lisp -- what can go wrong, as conditions.
;;;;
;;;; SPDX-License-Identifier: MIT
;;;;
;;;; The catalogue says which errors there are (wire/catalogue.lisp).

(in-package #:agent-q-fs)

(define-condition agent-q-fs-error (error)
  ((code :initarg :code :initform nil :reader agent-q-fs-error-code
         :documentation "A keyword, such as :not-found.")
   (message :initarg :message :initform "" :reader agent-q-fs-error-message
            :documentation "What is wrong, in words that a model can act on.")
   (path :initarg :path :initform nil :reader agent-q-fs-error-path
         :documentation "The path as the caller gave it, or nil.")
   (hint :initarg :hint :initform nil :reader agent-q-fs-error-hint
         :documentation "What to do about it, or nil.")
   (plist :initarg :plist :initform nil :reader agent-q-fs-error-plist
          :documentation "The whole error reply."))
  (:report (lambda (condition stream)
             (write-string (agent-q-fs-error-message condition) stream)
             (when (agent-q-fs-error-hint condition)
               (terpri stream)
               (write-string (agent-q-fs-error-hint condition) stream))))
  (:documentation "The root of all conditions that agent-q-fs signals."))

(eval-when (:compile-toplevel :load-toplevel :execute)
  (defun condition-name (code)
    "Returns the name of the condition for CODE: agent-q-fs-not-found for \"not-found\"."
    (intern (concatenate 'string "AGENT-Q-FS-" (string-upcase code)) '#:agent-q-fs)))

(defmacro define-error-conditions ()
  "Defines a condition for each error of the catalogue."
  `(progn ,@(loop for (code documentation) in agent-q-fs/catalogue:*errors*
                  collect `(define-condition ,(condition-name code) (agent-q-fs-error) ()
                             (:documentation ,documentation)))))

(define-error-conditions)

(defparameter *error-codes*
  (loop for (code) in agent-q-fs/catalogue:*errors*
        collect (list code (intern (string-upcase code) '#:keyword) (condition-name code)))
  "Every error code with its keyword and its condition.")

(define-condition agent-q-fs-library-error (agent-q-fs-error) ()
  (:documentation "The shared object is missing, cannot be loaded or is of another version.
Signalled with the restarts BUILD, RETRY and USE-PATH."))

(define-condition agent-q-fs-malformed-reply (agent-q-fs-error) ()
  (:documentation "A reply is not in the language that the core prints."))

(defun make-error-plist (code message path hint)
  "Returns an error reply for a fault that Lisp finds before or after the core is called."
  (list :error code :message message :path path :hint hint
        :text (format nil "Error: ~A~@[~%~A~]" message hint)))

(defun fail (condition code message &key path hint)
  "Signals CONDITION as if the core had answered so."
  (error condition :code code :message message :path path :hint hint
                   :plist (make-error-plist code message path hint)))

(defun invalid-argument (control &rest arguments)
  "Signals agent-q-fs-invalid-argument with a message made by FORMAT."
  (fail 'agent-q-fs-invalid-argument :invalid-argument (format-message control arguments)))

(defun format-message (control arguments)
  "Calls FORMAT to a string, independently of the caller's bindings of the printer's variables."
  (with-standard-io-syntax
    (let ((*print-readably* nil))
      (apply #'format nil control arguments))))

(defun reply-condition (reply code)
  "Returns the condition for an error REPLY.  A CODE of a newer core gives the root condition."
  (destructuring-bind (&optional name (keyword (getf reply :error)) (class 'agent-q-fs-error))
      (assoc code *error-codes* :test #'equal)
    (declare (ignore name))
    (make-condition class
                    :code keyword
                    :message (or (getf reply :message) "")
                    :path (getf reply :path)
                    :hint (getf reply :hint)
                    :plist reply)))
