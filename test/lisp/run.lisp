;;;; run.lisp -- runs the tests and ends Lisp with 0 when all have passed.
;;;;
;;;;     sbcl --noinform --non-interactive --no-sysinit --no-userinit --load test/lisp/run.lisp
;;;;     ecl --norc --load test/lisp/run.lisp
;;;;
;;;; The last line is the count, `12 passed, 0 failed`.  On SBCL a warning from the
;;;; compiler, of any kind, is a failure: our systems are compiled anew each time.

(load (merge-pathnames "setup.lisp" *load-truename*))

(in-package #:agent-q-fs/setup)

(defun test ()
  "Loads and runs everything.  Returns the numbers of tests passed, failed and skipped."
  (let ((warnings (load-systems '("agent-q-fs" "agent-q-fs/ffi" "agent-q-fs/agent-q"
                                  "agent-q-fs/test")
                                '("cffi" "fiveam" "cl-llm-provider")
                                #+sbcl t #-sbcl nil)))
    (multiple-value-bind (passed failed skipped)
        (uiop:symbol-call '#:agent-q-fs/test '#:run-tests)
      #-sbcl (setf warnings '())
      (format t "~{~&~A~%~}" warnings)
      (if warnings (incf failed) (incf passed))
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
