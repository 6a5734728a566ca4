;;;; run.lisp -- runs the tests and ends Lisp with 0 when all have passed.
;;;;
;;;; SPDX-License-Identifier: MIT
;;;;
;;;;     sbcl --noinform --non-interactive --no-sysinit --no-userinit --load test/lisp/run.lisp
;;;;     ecl --norc --load test/lisp/run.lisp
;;;;
;;;; The last line is the count, `12 passed, 0 failed`.  T in the environment is a part of the
;;;; names of the tests to run.
;;;;
;;;; On SBCL a warning of the compiler, of any kind, is a failure.  A run of all tests compiles
;;;; every file of our systems, so that it sees all warnings; with T only files that have changed
;;;; are compiled.

(load (merge-pathnames "setup.lisp" *load-truename*))

(in-package #:agent-q-fs/setup)

(defvar *everything* (zerop (length (uiop:getenv "T")))
  "True for a run of all tests.")

(defun test ()
  "Loads the systems and runs the selected tests.  Returns the numbers of tests passed, failed
and skipped.  In a run of all tests, the absence of warnings counts as one test."
  (let ((warnings (load-systems '("agent-q-fs" "agent-q-fs/ffi" "agent-q-fs/agent-q"
                                  "agent-q-fs/test")
                                '("cffi" "fiveam" "cl-llm-provider")
                                #+sbcl *everything* #-sbcl nil)))
    #-sbcl (setf warnings '())
    (multiple-value-bind (passed failed skipped)
        (uiop:symbol-call '#:agent-q-fs/test '#:run-tests)
      (format t "~{~&~A~%~}" warnings)
      (cond (warnings (incf failed))
            (*everything* (incf passed)))
      (values passed failed skipped))))

(defun main ()
  (multiple-value-bind (passed failed skipped)
      (handler-case (test)
        (error (condition)
          (format t "~&~A: ~A~%" (type-of condition) condition)
          (values 0 1 0)))
    (finish)
    (format t "~&~D passed, ~D failed~[~:;, ~:*~D skipped~]~%" passed failed skipped)
    (finish-output)
    (uiop:quit (if (and (zerop failed) (plusp passed)) 0 1))))

(main)
