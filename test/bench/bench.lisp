;;;; bench.lisp -- the row that is measured between Lisp and Emacs.
;;;;
;;;; SPDX-License-Identifier: MIT
;;;;
;;;;     E2E_SERVER=swank E2E_CLIENT=... sh scripts/lisp.sh sbcl test/bench/bench.lisp
;;;;
;;;; Sets a tool call of a file of 4 KB against a bare eval-in-emacs that returns a string
;;;; of the same length, in turns, and prints a `BENCH` line as bench.c does.  The answers
;;;; are compared first.  Exits with 1 when they differed.

(load (merge-pathnames "../lisp/setup.lisp" *load-truename*))
(agent-q-fs/setup:load-systems '("agent-q-fs/e2e")
                               (list "cffi" "fiveam" "cl-llm-provider" (uiop:getenv "E2E_SERVER"))
                               nil)

(in-package #:agent-q-fs/e2e)

(defparameter *row* "small/read-file-4k-lisp")
(defparameter *bound* 1.3)
(defparameter *calls* 100 "In one run.")

(defun runs ()
  (parse-integer (or (uiop:getenv "BENCH_RUNS") "9")))

(defun now ()
  "Microseconds.  The Lisp's own clock is too coarse."
  (multiple-value-bind (seconds microseconds) (sb-ext:get-time-of-day)
    (+ (* 1000000 seconds) microseconds)))

(defun latency (function)
  "The milliseconds that one call of FUNCTION takes."
  (let ((start (now)))
    (funcall function)
    (/ (- (now) start) 1000.0)))

(defun median (numbers)
  (nth (floor (length numbers) 2) (sort (copy-list numbers) #'<)))

(defun measure (ours peer)
  "Prints the row of OURS against PEER, the medians of calls that were made in turns; true
unless their answers differ.  Between few calls Emacs collects garbage, which takes as long
as all the rest of what it holds demands."
  (let* ((same (equal (funcall ours) (funcall peer)))
         (times (loop repeat (* *calls* (runs)) collect (cons (latency ours) (latency peer))))
         (our-time (median (mapcar #'car times)))
         (peer-time (median (mapcar #'cdr times)))
         (ratio (/ our-time peer-time)))
    (format t "~&BENCH ~A ~,3F eval-in-emacs ~,3F ~,3F ~,2F ~A~%" *row* our-time peer-time ratio
            *bound* (cond ((not same) "DIFFERS") ((<= ratio *bound*) "ok") (t "SHORT")))
    (finish-output)
    same))

(defun four-kilobytes ()
  "A text of that length, in short lines."
  (format nil "~{~A~%~}" (loop for i below 64 collect (format nil "~63@<~D~>" i))))

(defun main ()
  (listen-for-emacs)
  ;; SLIME as it is when nobody has changed it: its messages are logged.
  (start-emacs :form "(setq slime-log-events t)")
  (unwind-protect
       (with-project (root ("four-kilobytes.txt" (four-kilobytes)))
         (emacs-value (in-elisp "(progn (defvar bench-text ~A) t)" (four-kilobytes)))
         (measure (lambda () (call-tool "read_file" '(:path "four-kilobytes.txt")))
                  (lambda () (to-emacs '(symbol-value (quote bench-text))))))
    (kill-emacs *emacs*)))

(sb-ext:exit :code (if (main) 0 1) :abort t)
