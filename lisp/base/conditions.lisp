;;;; conditions.lisp -- what can go wrong, as conditions.
;;;;
;;;; SPDX-License-Identifier: MIT
;;;;
;;;; The codes are those of module/base/error.h.  A test compares the two lists.

(in-package #:agent-q-fs)

(define-condition agent-q-fs-error (error)
  ((code :initarg :code :initform nil :reader agent-q-fs-error-code
         :documentation "A keyword, such as :not-found.")
   (message :initarg :message :initform "" :reader agent-q-fs-error-message
            :documentation "What is wrong, in words that a model can act on.")
   (path :initarg :path :initform nil :reader agent-q-fs-error-path
         :documentation "The path as it was given, or nil.")
   (hint :initarg :hint :initform nil :reader agent-q-fs-error-hint
         :documentation "What to do about it, or nil.")
   (plist :initarg :plist :initform nil :reader agent-q-fs-error-plist
          :documentation "The whole error reply."))
  (:report (lambda (condition stream)
             (write-string (agent-q-fs-error-message condition) stream)
             (when (agent-q-fs-error-hint condition)
               (terpri stream)
               (write-string (agent-q-fs-error-hint condition) stream))))
  (:documentation "The root of everything that agent-q-fs signals."))

(eval-when (:compile-toplevel :load-toplevel :execute)
  (defun condition-name (code)
    "The name of the condition for CODE: agent-q-fs-not-found for \"not-found\"."
    (intern (concatenate 'string "AGENT-Q-FS-" (string-upcase code)) '#:agent-q-fs)))

(defmacro define-error-codes (table &body rows)
  "Defines a condition for each row (CODE DOCUMENTATION), and TABLE as the list of
(CODE KEYWORD CONDITION)."
  `(progn
     ,@(loop for (code documentation) in rows
             collect `(define-condition ,(condition-name code) (agent-q-fs-error) ()
                        (:documentation ,documentation)))
     (defparameter ,table
       ',(loop for (code) in rows
               collect (list code (intern (string-upcase code) '#:keyword)
                             (condition-name code)))
       "Every error code with its keyword and its condition.")))

(define-error-codes *error-codes*
  ("outside-root" "The path leads out of the project root.")
  ("restricted" "The path lies under one of the restricted paths.")
  ("not-found" "There is nothing of that name.")
  ("exists" "There is already something of that name.")
  ("is-directory" "A file was expected.")
  ("not-a-directory" "A directory was expected.")
  ("not-regular" "A device, pipe or socket: nothing to read or write.")
  ("permission" "The operating system forbids it.")
  ("invalid-argument" "An argument is missing, unknown, of the wrong type or out of range.")
  ("unknown-operation" "No operation has that name.")
  ("no-match" "The text to replace does not occur.")
  ("multiple-matches" "The text to replace occurs several times.")
  ("stale" "The file is not what it was when it was read.")
  ("binary" "The file is not text.")
  ("encoding" "The text cannot be decoded, or not be written back as it was.")
  ("patch-parse" "The patch is malformed.")
  ("patch-apply" "The patch does not fit the files.")
  ("too-large" "The file is larger than the limit.")
  ("too-long" "The path or argument is longer than the limit.")
  ("limit" "The call used up its time or steps.")
  ("loop" "Too many symbolic links.")
  ("raced" "The tree kept changing under the call.")
  ("approval-required" "Somebody has to approve this call first.")
  ("denied" "The call was not approved.")
  ("read-only" "The workspace is read-only.")
  ("snapshot" "The snapshot could not be taken or read.")
  ("snapshot-restore" "The snapshot could not be restored.")
  ("io" "The operating system failed.")
  ("no-space" "The disk is full.")
  ("durability-unknown" "The write is done, but may not survive a crash.")
  ("cancelled" "The call was cancelled.")
  ("timeout" "The command took too long.")
  ("command-failed" "The command failed.")
  ("not-connected" "There is no connection to Emacs."))

(define-condition agent-q-fs-library-error (agent-q-fs-error) ()
  (:documentation "The shared object is missing, cannot be loaded or is of another version.
Signalled with the restarts RETRY and USE-PATH."))

(define-condition agent-q-fs-malformed-reply (agent-q-fs-error) ()
  (:documentation "A reply is not what the core prints."))

(defun make-error-plist (code message path hint)
  "The error reply for what is found wrong on this side of the core."
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
  "FORMAT, whatever the caller has bound the printer's variables to."
  (with-standard-io-syntax
    (let ((*print-readably* nil))
      (apply #'format nil control arguments))))

(defun reply-condition (reply code)
  "The condition for an error REPLY.  A CODE from a newer core gives the root condition."
  (destructuring-bind (&optional name (keyword (getf reply :error)) (class 'agent-q-fs-error))
      (assoc code *error-codes* :test #'equal)
    (declare (ignore name))
    (make-condition class
                    :code keyword
                    :message (or (getf reply :message) "")
                    :path (getf reply :path)
                    :hint (getf reply :hint)
                    :plist reply)))
