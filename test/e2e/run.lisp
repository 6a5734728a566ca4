;;;; run.lisp -- runs the end-to-end tests with one server, and ends Lisp.
;;;;
;;;; SPDX-License-Identifier: MIT
;;;;
;;;; T in the environment is a part of tests' names.  The last line is the count.

(load (merge-pathnames "../lisp/setup.lisp" *load-truename*))

(in-package #:agent-q-fs/setup)

(defun server-system ()
  "Returns the name of the server's system.  SLY has its definition in a directory of its own."
  (let ((server (uiop:getenv "E2E_SERVER")))
    (when (equal server "slynk")
      (asdf:load-asd (merge-pathnames "slynk/slynk.asd"
                                      (uiop:ensure-directory-pathname
                                       (uiop:getenv "E2E_CLIENT")))))
    server))

(defun main ()
  (multiple-value-bind (passed failed skipped)
      (handler-case
          (progn (load-systems '("agent-q-fs/e2e")
                               (list "cffi" "fiveam" "cl-llm-provider" (server-system)) nil)
                 (uiop:symbol-call '#:agent-q-fs/e2e '#:run-tests))
        (error (condition)
          (format t "~&~A: ~A~%" (type-of condition) condition)
          (values 0 1 0)))
    (finish)
    (format t "~&~D passed, ~D failed, ~D skipped~%" passed failed skipped)
    (finish-output)
    ;; The server's threads may still run, so the process ends without unwinding them.
    (sb-ext:exit :code (if (and (zerop failed) (plusp passed)) 0 1) :abort t)))

(main)
