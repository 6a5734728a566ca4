;;;; implementation.lisp -- the functions that differ between Lisps.
;;;;
;;;; SPDX-License-Identifier: MIT
;;;;
;;;; SBCL and ECL are those that all tests run on, and need no library here.  The others have the
;;;; last branch of each function: what bordeaux-threads and trivial-garbage know of them, or a way
;;;; that is right everywhere and can do less.  CLISP, as it is distributed, has no threads, and
;;;; bordeaux-threads does not load there.

(in-package #:agent-q-fs)

;;;; Interruptions
;;;
;;; C-c C-c in SLIME and SLY, timeouts and the destruction of threads all interrupt a thread
;;; and run code on its stack.  While the thread is in a C function, such code must not leave by
;;; a throw: the locks and the memory of the core would never be released.

(defmacro uninterrupted (&body body)
  "Runs BODY with interruptions deferred until its end; on a Lisp that we do not know, just so."
  #+sbcl `(sb-sys:without-interrupts ,@body)
  #+ecl `(mp:without-interrupts ,@body)
  #-(or sbcl ecl) `(progn ,@body))

(defmacro interruptible (&body body)
  "Inside of UNINTERRUPTED: runs BODY with interruptions enabled, if the caller had them so."
  #+sbcl `(sb-sys:with-local-interrupts ,@body)
  #+ecl `(mp:with-local-interrupts ,@body)
  #-(or sbcl ecl) `(progn ,@body))

;;;; Floating point
;;;
;;; SBCL and ECL trap overflow and invalid operations.  C code does not expect traps: strtod of
;;; \"1e999\" overflows on purpose, and would be killed by SIGFPE.  Others mask them in foreign
;;; code, or have none.

(defmacro with-foreign-floats (&body body)
  "Runs BODY with floating point exceptions masked, as C has them."
  #+sbcl `(sb-int:with-float-traps-masked
              (:overflow :underflow :invalid :divide-by-zero :inexact)
            ,@body)
  #+ecl (let ((traps (gensym "TRAPS")))
          `(let ((,traps (si:trap-fpe 'cl:last t)))
             (si:trap-fpe t nil)
             (unwind-protect (progn ,@body)
               (si:trap-fpe ,traps t))))
  #-(or sbcl ecl) `(progn ,@body))

(defun finite-float-p (float)
  "Returns false for infinities and for NaN."
  #+sbcl (not (or (sb-ext:float-infinity-p float) (sb-ext:float-nan-p float)))
  #+ecl (not (or (ext:float-infinity-p float) (ext:float-nan-p float)))
  #-(or sbcl ecl) (handler-case (<= most-negative-double-float float most-positive-double-float)
                    (arithmetic-error () nil)))

;;;; Threads and locks

(defun make-lock (name)
  "A lock for WITH-LOCK."
  #+sbcl (sb-thread:make-mutex :name name)
  #+(and ecl threads) (mp:make-lock :name name)
  #-(or sbcl ecl clisp) (bordeaux-threads:make-lock name)
  #+(or clisp (and ecl (not threads))) name)

(defmacro with-lock ((lock) &body body)
  "Runs BODY while no other thread holds LOCK.  Not recursive."
  #+sbcl `(sb-thread:with-mutex (,lock) ,@body)
  #+ecl `(mp:with-lock (,lock) ,@body)
  #-(or sbcl ecl clisp) `(bordeaux-threads:with-lock-held (,lock) ,@body)
  #+clisp `(progn ,lock ,@body))

;;; ECL takes milliseconds to start a thread, too much for every call.  There, on Lisps that we do
;;; not know, and where a thread cannot be started, the caller waits for a call without
;;; interruption.

(defun spawn-thread (function)
  "Calls FUNCTION in a new thread, or returns nil."
  #+sbcl (ignore-errors (sb-thread:make-thread function :name "agent-q-fs"))
  #-sbcl (progn function nil))

(defun join-thread (thread)
  "Waits until THREAD has ended, normally or not."
  #+sbcl (sb-thread:join-thread thread :default nil)
  #-sbcl thread)

(defun thread-running-p (thread)
  "Returns false once THREAD has ended."
  #+sbcl (sb-thread:thread-alive-p thread)
  #-sbcl (progn thread nil))

(defun run-cancellably (function cancel)
  "Returns the values of FUNCTION, which runs in another thread so that this one can be
interrupted.  If this function is left early, it calls CANCEL and waits for FUNCTION."
  (let ((results '())
        (failure nil)
        (joined nil))
    (flet ((run ()
             (handler-case (setf results (multiple-value-list (funcall function)))
               (serious-condition (condition) (setf failure condition)))))
      (uninterrupted
        (let ((thread (spawn-thread #'run)))
          (if thread
              (unwind-protect (progn (interruptible (join-thread thread))
                                     (setf joined t))
                (unless joined (funcall cancel))
                ;; A deadline of the caller can end this wait too, so it is repeated.
                (loop while (thread-running-p thread)
                      do (ignore-errors (join-thread thread))))
              (run)))))
    (when failure (error failure))
    (values-list results)))

;;;; A look around while waiting

(defun call-with-watch (seconds watch function)
  "Calls FUNCTION, and calls WATCH each time FUNCTION has waited for SECONDS on a lock or a
condition variable.  WATCH may leave by a throw or an error.  A Lisp without deadlines never
calls WATCH."
  #+sbcl (handler-bind ((sb-sys:deadline-timeout (lambda (condition)
                                                   (funcall watch)
                                                   (sb-sys:defer-deadline seconds condition))))
           (sb-sys:with-deadline (:seconds seconds)
             (funcall function)))
  #-sbcl (progn seconds watch (funcall function)))

;;;; Finalizers and weak tables

(defun make-weak-table ()
  "Returns a table with objects as keys, by EQ.  A key in it can still become garbage.
Use it under a lock: the locks that ECL 21.2 and 24.5 give such tables fail in long sessions."
  #+(or sbcl ecl) (make-hash-table :test #'eq :weakness :key)
  #-(or sbcl ecl) (trivial-garbage:make-weak-hash-table :test #'eq :weakness :key))

(defun finalize (object function)
  "Arranges that FUNCTION is called, without arguments, after OBJECT has become garbage.
FUNCTION must not refer to OBJECT: then OBJECT would never be garbage."
  #+sbcl (sb-ext:finalize object function :dont-save t)
  #+ecl (ext:set-finalizer object (lambda (dead) (declare (ignore dead)) (funcall function)))
  #-(or sbcl ecl) (trivial-garbage:finalize object function)
  object)

(defun cancel-finalizer (object)
  "Undoes FINALIZE."
  #+sbcl (sb-ext:cancel-finalization object)
  #+ecl (ext:set-finalizer object nil)
  #-(or sbcl ecl) (trivial-garbage:cancel-finalization object)
  object)

;;;; File names

(defun native-namestring (pathname)
  "Returns the name that the operating system knows PATHNAME by, or nil.

A pathname with a real wildcard has no such name.  A `*`, `?` or `[` that is an ordinary
character of a name, as in the pathnames that DIRECTORY returns, stays what it is."
  (let ((physical (translate-logical-pathname pathname)))
    #+sbcl (handler-case (sb-ext:native-namestring physical)
             (error () nil))
    #-sbcl (let ((parts (list* (pathname-name physical) (pathname-type physical)
                               (pathname-directory physical))))
             ;; Other Lisps do not distinguish a name `a*b` from the pattern.
             (and (notany (lambda (part) (member part '(:wild :wild-inferiors))) parts)
                  (or (pathname-name physical) (null (pathname-type physical)))
                  (namestring physical)))))
