;;;; implementation.lisp -- what SBCL and ECL each do in their own way.
;;;;
;;;; SPDX-License-Identifier: MIT

(in-package #:agent-q-fs)

;;;; Interruptions
;;;
;;; SLIME's and SLY's C-c C-c, timeouts and the destruction of threads all run
;;; code on top of whatever a thread is doing.  On top of a C function such code
;;; must not leave by a throw: the core's locks and memory would stay behind.

(defmacro uninterrupted (&body body)
  "Runs BODY with interruptions put off until its end."
  #+sbcl `(sb-sys:without-interrupts ,@body)
  #+ecl `(mp:without-interrupts ,@body)
  #-(or sbcl ecl) `(progn ,@body))

(defmacro interruptible (&body body)
  "Inside UNINTERRUPTED: lets interruptions in again, where the caller had them."
  #+sbcl `(sb-sys:with-local-interrupts ,@body)
  #+ecl `(mp:with-local-interrupts ,@body)
  #-(or sbcl ecl) `(progn ,@body))

;;;; Floating point
;;;
;;; Both Lisps trap overflow and invalid operations.  C code does not expect that:
;;; strtod of \"1e999\" overflows on purpose, which would end in SIGFPE.

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
  "False for infinities and for what is not a number."
  #+sbcl (not (or (sb-ext:float-infinity-p float) (sb-ext:float-nan-p float)))
  #+ecl (not (or (ext:float-infinity-p float) (ext:float-nan-p float)))
  #-(or sbcl ecl) (progn float t))

;;;; Threads and locks

(defun make-lock (name)
  "A lock for WITH-LOCK."
  #+sbcl (sb-thread:make-mutex :name name)
  #+ecl (mp:make-lock :name name)
  #-(or sbcl ecl) name)

(defmacro with-lock ((lock) &body body)
  "Runs BODY while no other thread holds LOCK.  Not recursive."
  #+sbcl `(sb-thread:with-mutex (,lock) ,@body)
  #+ecl `(mp:with-lock (,lock) ,@body)
  #-(or sbcl ecl) `(progn ,lock ,@body))

;;; ECL takes milliseconds to start a thread, which is too much for every call: there,
;;; and where no thread can be had, a call is waited for without interruption.

(defun spawn-thread (function)
  "Calls FUNCTION in a new thread, or returns nil."
  #+sbcl (ignore-errors (sb-thread:make-thread function :name "agent-q-fs"))
  #-sbcl (progn function nil))

(defun join-thread (thread)
  "Waits until THREAD has ended, however it ends."
  #+sbcl (sb-thread:join-thread thread :default nil)
  #-sbcl thread)

(defun thread-running-p (thread)
  "False once THREAD has ended."
  #+sbcl (sb-thread:thread-alive-p thread)
  #-sbcl (progn thread nil))

(defun run-cancellably (function cancel)
  "The values of FUNCTION, called in a thread of its own so that this one can be
interrupted.  When it is left early, CANCEL is called and FUNCTION waited for."
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
                ;; A deadline of the caller's may end this wait as well.
                (loop while (thread-running-p thread)
                      do (ignore-errors (join-thread thread))))
              (run)))))
    (when failure (error failure))
    (values-list results)))

;;;; Looking up while waiting

(defun call-with-watch (seconds watch function)
  "Calls FUNCTION, and WATCH whenever it has waited for SECONDS on a lock or a condition.
WATCH may leave by a throw or an error.  Without deadlines, WATCH is not called."
  #+sbcl (handler-bind ((sb-sys:deadline-timeout (lambda (condition)
                                                   (funcall watch)
                                                   (sb-sys:defer-deadline seconds condition))))
           (sb-sys:with-deadline (:seconds seconds)
             (funcall function)))
  #-sbcl (progn seconds watch (funcall function)))

;;;; Finalizers, and what goes with objects

(defun make-weak-table ()
  "A table from objects, by EQ, that keeps none of them from becoming garbage."
  #+sbcl (make-hash-table :test #'eq :weakness :key :synchronized t)
  #+ecl (make-hash-table :test #'eq :weakness :key :synchronized t)
  #-(or sbcl ecl) (make-hash-table :test #'eq))

(defun finalize (object function)
  "Has FUNCTION called, without arguments, some time after OBJECT has become garbage.
FUNCTION must not refer to OBJECT, which would live for ever."
  #+sbcl (sb-ext:finalize object function :dont-save t)
  #+ecl (ext:set-finalizer object (lambda (dead) (declare (ignore dead)) (funcall function)))
  #-(or sbcl ecl) function
  object)

(defun cancel-finalizer (object)
  "Takes back FINALIZE."
  #+sbcl (sb-ext:cancel-finalization object)
  #+ecl (ext:set-finalizer object nil)
  object)

;;;; File names

(defun native-namestring (pathname)
  "The name that the operating system knows PATHNAME by; nil when it has none.

A pathname with a real wildcard has none.  Where `*`, `?` or `[` is an ordinary
character of a name (as in what DIRECTORY returns), it stays one."
  (let ((physical (translate-logical-pathname pathname)))
    #+sbcl (handler-case (sb-ext:native-namestring physical)
             (error () nil))
    #-sbcl (let ((parts (list* (pathname-name physical) (pathname-type physical)
                               (pathname-directory physical))))
             ;; ECL keeps no difference between `a*b` the name and the pattern.
             (and (notany (lambda (part) (member part '(:wild :wild-inferiors))) parts)
                  (or (pathname-name physical) (null (pathname-type physical)))
                  (namestring physical)))))
