;;; SPDX-License-Identifier: MIT
;;; ask.lisp -- what SBCL's reader says of the files whose names it is given: where forms begin and end.
;;;
;;; Names come one a line on standard input; a line for each goes to standard output, as agree.c
;;; expects it.  Nothing is evaluated or interned: *read-suppress* is true, so that no package
;;; and no feature matters.  A reader conditional is read with both its parts, as one form.

(defpackage #:ask (:use #:cl))
(in-package #:ask)

(defun read-conditional (stream char parameter)
  (declare (ignore char parameter))
  (read stream t nil t)
  (read stream t nil t)
  t)

(defun whole-readtable ()
  (let ((table (copy-readtable nil)))
    (set-dispatch-macro-character #\# #\+ 'read-conditional table)
    (set-dispatch-macro-character #\# #\- 'read-conditional table)
    table))

(defun second-char (stream)
  "The character behind the next one of STREAM."
  (let ((at (file-position stream)))
    (read-char stream)
    (prog1 (read-char stream nil) (file-position stream at))))

(defun skip-comments (stream)
  "Moves to where the next form of STREAM begins.  NIL if there is none."
  (loop
    (let ((char (peek-char t stream nil)))
      (cond ((null char) (return nil))
            ((char= char #\;) (read-line stream nil))
            ((and (char= char #\#) (eql (second-char stream) #\|))
             (read-char stream)
             (read-char stream)
             (funcall (get-dispatch-macro-character #\# #\|) stream #\| nil))
            (t (return t))))))

(defun places (stream)
  (let ((*readtable* (whole-readtable))
        (*read-eval* nil)
        (*read-suppress* t))
    (when (and (eql (peek-char nil stream nil) #\#) (eql (second-char stream) #\!))
      (read-line stream nil))
    (loop while (skip-comments stream)
          collect (file-position stream)
          do (read-preserving-whitespace stream)
          collect (file-position stream))))

(defun ask (path)
  (let ((places (handler-case
                    (with-open-file (stream (sb-ext:parse-native-namestring path)
                                            :external-format :latin-1)
                      (places stream))
                  (error () :refused))))
    (if (eq places :refused)
        (format t "~A~Crefused~%" path #\Tab)
        (format t "~A~Cok~{~C~D~}~%" path #\Tab
                (loop for place in places collect #\Tab collect place)))))

(loop for path = (read-line *standard-input* nil)
      while path
      do (ask path))
