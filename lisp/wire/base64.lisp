;;;; base64.lisp -- bytes inside of replies.

(in-package #:agent-q-fs)

(defparameter *base64-values*
  (let ((values (make-array 128 :initial-element nil)))
    (loop for character across "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
          for value from 0
          do (setf (svref values (char-code character)) value))
    values)
  "What each ASCII character stands for.")

(declaim (inline base64-value))
(defun base64-value (text position)
  "The six bits at POSITION."
  (declare (type text text) (type index position))
  (let* ((code (char-code (schar text position)))
         (value (and (< code 128) (svref *base64-values* code))))
    (or value (malformed "invalid base64 at ~D" position))))

(defun padding (text)
  "How many `=` TEXT ends in."
  (declare (type text text))
  (cond ((zerop (length text)) 0)
        ((char/= (schar text (- (length text) 1)) #\=) 0)
        ((char/= (schar text (- (length text) 2)) #\=) 1)
        (t 2)))

(defun decode-base64 (text)
  "The bytes that TEXT stands for."
  (declare (type text text))
  (unless (zerop (mod (length text) 4))
    (malformed "base64 of ~D characters" (length text)))
  (let* ((digits (- (length text) (padding text)))
         (result (make-octets (floor (* digits 3) 4)))
         (i 0) (bits 0) (held 0))
    (declare (type index digits i) (type (unsigned-byte 16) bits) (type (integer 0 14) held))
    (loop for position of-type index from 0 below digits
          do (setf bits (logior (ash (logand bits #xFF) 6) (base64-value text position))
                   held (+ held 6))
             (when (>= held 8)
               (decf held 8)
               (setf (aref result i) (ldb (byte 8 held) bits))
               (incf i)))
    result))
