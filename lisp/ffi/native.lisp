;;;; native.lisp -- the functions of aqfs.h, which take and return octets.
;;;;
;;;; SPDX-License-Identifier: MIT

(in-package #:agent-q-fs)

;;;; The functions
;;;
;;; They are called through pointers that are looked up when the shared object is loaded:
;;; CFFI:DEFCFUN needs the shared object when this file is compiled.

(eval-when (:compile-toplevel :load-toplevel :execute)
  (defparameter *native-names*
    '("aqfs_version" "aqfs_catalogue" "aqfs_operations"
      "aqfs_open" "aqfs_call" "aqfs_reset" "aqfs_close" "aqfs_free"
      "aqfs_reply_text" "aqfs_reply_error" "aqfs_reply_free")))

(defvar *natives* nil
  "The addresses of *NATIVE-NAMES*, a vector; nil before the shared object is loaded.")

(defvar *library-lock* (make-lock "agent-q-fs library"))

(defvar *ffi-operations* nil
  "The table of operations, or nil before it was read.")

(defun load-natives ()
  "Loads the shared object, and returns the addresses of *NATIVE-NAMES*."
  (let ((handle (open-library (find-library))))
    (map 'vector (lambda (name) (dlsym handle name)) *native-names*)))

(defun try-to-load ()
  "Returns the value of *NATIVES*, after loading the shared object if necessary; or the condition
that says why it cannot be loaded.  The caller signals that without the lock, because a debugger
can keep the thread for a long time."
  (handler-case
      (with-lock (*library-lock*)
        (or *natives* (setf *natives* (load-natives))))
    (agent-q-fs-library-error (condition) condition)))

(defun try-to-build ()
  "Builds the shared object, which will be loaded then.  Returns nil, or the condition that says
why it cannot be built."
  (handler-case (progn (build-library)
                       (setf *library-path* nil))
    (agent-q-fs-library-error (condition) condition)))

(defun load-library ()
  "Loads the shared object if it is not loaded yet.  The first call does this too; call this
function to choose the time at which loading happens and its restarts may appear.

Signals agent-q-fs-library-error with the restarts BUILD, where the sources are here, RETRY and
USE-PATH."
  (let ((natives (try-to-load)))
    (loop
      (unless (typep natives 'condition)
        (return natives))
      (setf natives
            (restart-case (error natives)
              (build ()
                :report "Build the shared object now, with make."
                :test (lambda (condition) (declare (ignore condition)) (source-tree))
                (or (try-to-build) (try-to-load)))
              (retry ()
                :report "Look for the shared object again."
                (try-to-load))
              (use-path (path)
                :report "Load the shared object from another path."
                :interactive read-library-path
                (setf *library-path* path)
                (try-to-load)))))))

(defmacro define-native (name (c-name result) &rest parameters)
  "Defines NAME as the function C-NAME with PARAMETERS, each (NAME TYPE)."
  (let ((index (position c-name *native-names* :test #'string=)))
    `(defun ,name ,(mapcar #'first parameters)
       (cffi:foreign-funcall-pointer (svref (or *natives* (load-library)) ,index) ()
                                     ,@(loop for (name type) in parameters
                                             append (list type name))
                                     ,result))))

(define-native %version ("aqfs_version" :pointer) (format :int32))
(define-native %catalogue ("aqfs_catalogue" :pointer) (format :int32))
(define-native %operations ("aqfs_operations" :pointer) (format :int32))
(define-native %open ("aqfs_open" :pointer)
  (options :pointer) (length :size) (format :int32) (out :pointer))
(define-native %call ("aqfs_call" :pointer)
  (workspace :pointer) (request :pointer) (length :size) (context :pointer))
(define-native %reset ("aqfs_reset" :pointer) (workspace :pointer) (format :int32))
(define-native %close ("aqfs_close" :void) (workspace :pointer))
(define-native %free ("aqfs_free" :void) (workspace :pointer))
(define-native %reply-text ("aqfs_reply_text" :pointer) (reply :pointer) (length :pointer))
(define-native %reply-error ("aqfs_reply_error" :pointer) (reply :pointer))
(define-native %reply-free ("aqfs_reply_free" :void) (reply :pointer))

(defconstant +sexp+ 0 "AQFS_SEXP of aqfs.h.")

(cffi:defcstruct context
  (format :int32)
  (cancelled :pointer)
  (emit :pointer)
  (data :pointer))

;;;; Replies

(defun copy-octets (pointer length)
  "Returns a copy of LENGTH bytes of foreign memory."
  (let ((octets (make-octets length)))
    (cffi:with-pointer-to-vector-data (target octets)
      (cffi:foreign-funcall "memcpy" :pointer target :pointer pointer :size length :pointer))
    octets))

(defun reply-octets (reply)
  "Returns the bytes of REPLY, a foreign pointer."
  (cffi:with-foreign-object (length :size)
    (let ((text (%reply-text reply length)))
      (copy-octets text (cffi:mem-ref length :size)))))

(defun reply-code (reply)
  "Returns the error code of REPLY, a foreign pointer, or nil."
  (let ((code (%reply-error reply)))
    (unless (null-address-p code)
      (cffi:foreign-string-to-lisp code :encoding :utf-8))))

(defun take-reply (reply)
  "Returns the bytes of REPLY, and its error code or nil.  Frees REPLY."
  (when (null-address-p reply)
    (fail 'agent-q-fs-io :io "There is no memory for a reply"))
  (unwind-protect (values (reply-octets reply) (reply-code reply))
    (%reply-free reply)))

(defmacro in-foreign-code (&body body)
  "Runs BODY, which calls the core, without interruptions and floating point traps."
  `(uninterrupted (with-foreign-floats ,@body)))

(defmacro with-octets-pointer ((pointer octets) &body body)
  "Runs BODY with POINTER bound to the bytes of OCTETS, which stay in place for so long."
  `(cffi:with-pointer-to-vector-data (,pointer ,octets) ,@body))

;;;; Calls

(defun versions ()
  "Returns the versions of the core, its ABI and the libraries it uses, a property list."
  (load-library)
  (read-reply (in-foreign-code (take-reply (%version +sexp+)))))

(defmethod transport-operations ((transport (eql :ffi)))
  (or *ffi-operations*
      (progn
        (load-library)
        (setf *ffi-operations*
              (mapcar #'parse-operation
                      (read-reply (in-foreign-code (take-reply (%operations +sexp+)))))))))

(defun exchange (workspace request cancelled)
  "Sends REQUEST to WORKSPACE, a foreign pointer, and returns the values of TAKE-REPLY.
CANCELLED is the address of a flag that cancels the call when it is set."
  (declare (type octets request))
  (in-foreign-code
    (cffi:with-foreign-object (context '(:struct context))
      (cffi:with-foreign-slots ((format (:pointer cancelled) emit data)
                                context (:struct context))
        (declare (ignore cancelled))
        (setf format +sexp+
              emit (cffi:null-pointer)
              data (cffi:null-pointer)))
      (setf (cffi:foreign-slot-value context '(:struct context) 'cancelled) cancelled)
      (with-octets-pointer (start request)
        (take-reply (%call workspace start (length request) context))))))

(defun exchange-interruptibly (workspace request)
  "Does as EXCHANGE, and cancels the call when this thread is interrupted."
  (cffi:with-foreign-object (cancelled :int32)
    (setf (cffi:mem-ref cancelled :int32) 0)
    (run-cancellably (lambda () (exchange workspace request cancelled))
                     (lambda () (setf (cffi:mem-ref cancelled :int32) 1)))))
