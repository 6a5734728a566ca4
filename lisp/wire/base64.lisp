;;;; base64.lisp -- bytes inside of replies.
;;;;
;;;; SPDX-License-Identifier: MIT

(in-package #:agent-q-fs)

(declaim (type (simple-array (unsigned-byte 8) (128)) *base64-values*))
(defparameter *base64-values*
  (let ((values (make-array 128 :element-type '(unsigned-byte 8) :initial-element 255)))
    (loop for character across "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
          for value from 0
          do (setf (aref values (char-code character)) value))
    values)
  "The six bits that each ASCII character stands for, and 255 for those that stand for none.")

(declaim (inline base64-value))
(defun base64-value (text position table)
  "Returns the six bits that the character at POSITION stands for."
  (declare (type text text) (type index position)
           (type (simple-array (unsigned-byte 8) (128)) table))
  (let* ((code (char-code (schar text position)))
         (value (if (< code 128) (aref table code) 255)))
    (when (> value 63)
      (malformed "invalid base64 at ~D" position))
    value))

(defun padding (text)
  "Returns the number of `=` at the end of TEXT, at most 2."
  (declare (type text text))
  (cond ((zerop (length text)) 0)
        ((char/= (schar text (- (length text) 1)) #\=) 0)
        ((char/= (schar text (- (length text) 2)) #\=) 1)
        (t 2)))

(defun decode-base64-tail (text position digits octets i)
  "Decodes the two or three DIGITS of TEXT that are left at POSITION into OCTETS at I."
  (flet ((value (offset) (base64-value text (+ position offset) *base64-values*)))
    (let ((bits (logior (ash (value 0) 10) (ash (value 1) 4))))
      (setf (aref octets i) (ldb (byte 8 8) bits))
      (when (= digits 3)
        (setf (aref octets (1+ i)) (ldb (byte 8 0) (logior bits (ash (value 2) -2))))))))

(defun decode-base64 (text)
  "Returns the bytes that TEXT encodes."
  (declare (type text text))
  (unless (zerop (mod (length text) 4))
    (malformed "base64 of ~D characters" (length text)))
  (let* ((digits (- (length text) (padding text)))
         (octets (make-octets (floor (* digits 3) 4)))
         (table *base64-values*)
         (position 0)
         (i 0))
    (declare (type index digits position i))
    (flet ((value (offset) (base64-value text (+ position offset) table)))
      (declare (inline value))
      (loop while (<= (+ position 4) digits)
            do (let ((bits (logior (ash (value 0) 18) (ash (value 1) 12)
                                   (ash (value 2) 6) (value 3))))
                 (declare (type (unsigned-byte 24) bits))
                 (setf (aref octets i) (ldb (byte 8 16) bits)
                       (aref octets (+ i 1)) (ldb (byte 8 8) bits)
                       (aref octets (+ i 2)) (ldb (byte 8 0) bits)))
               (incf position 4)
               (incf i 3)))
    (when (< position digits)
      (decode-base64-tail text position (- digits position) octets i))
    octets))
