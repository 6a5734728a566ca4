;;;; sample.lisp -- Common Lisp as draw.el has to read it.
;;;;
;;;; SPDX-License-Identifier: MIT

(in-package #:sample)

(defvar *sample-authority* :cautious ;; constant
  "A keyword of a known set, but not :safe in words.")

(defun sample-decide (a &key (b 1)) ;; number number
  "Returns NIL when A < 3."
  #+sbcl (when a (print a))
  (let ((c (find #\( a)) (d nil)) ;; binding
    (setf c #\") ;; form
    (unless (eq c (first b)) ;; form when condition condition condition comparison
      (format nil "~A is no 1" '(a "b")))))

(defun sample-choose (a)
  #| not (if a b c) |#
  (ecase a
    (:safe (handler-case (if a 1 b) ;; clause constant branches condition condition condition number number
             (error (condition) (print condition) nil))) ;; form
    (:dangerous (loop for c in a when (plusp c) collect c)))) ;; clause constant condition condition condition comparison

(defmethod sample-print :around ((a b) stream)
  (print-unreadable-object (a stream :type t) ;; boolean
    (some #'identity a))) ;; comparison
