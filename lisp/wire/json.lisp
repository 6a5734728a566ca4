;;;; json.lisp -- printing requests as JSON.
;;;;
;;;; SPDX-License-Identifier: MIT
;;;;
;;;; This file never uses the printer's variables, the readtable or the package: a request must
;;;; not depend on the caller's bindings of them.

(in-package #:agent-q-fs)

(defconstant +most-nesting+ 16
  "The most levels of lists and tables in an argument.  No argument needs more than three.")

(defun write-ascii (string output)
  "Appends STRING, which is ASCII and needs no escape."
  (loop for character across (the string string)
        do (write-octet (char-code character) output)))

;;;; Strings

(defun write-control (code output)
  "Appends the escape of a control character."
  (write-ascii "\\u00" output)
  (write-ascii (string (char "0123456789abcdef" (ash code -4))) output)
  (write-ascii (string (char "0123456789abcdef" (logand code 15))) output))

(declaim (inline write-json-code))
(defun write-json-code (code output)
  "Appends one character of a string.  Returns false if it is half of a UTF-16 pair."
  (declare (type (integer 0 #x10FFFF) code) (type output output))
  (cond ((or (= code 34) (= code 92))
         (write-octet 92 output)
         (write-octet code output))
        ((< code 32) (write-control code output))
        ((< code 128) (write-octet code output))
        ((surrogate-p code) (return-from write-json-code nil))
        (t (write-code code output)))
  t)

(defun write-characters (string output)
  "Appends the characters of STRING.  Returns false if one is half of a UTF-16 pair."
  (declare (type output output))
  (with-typed-string (string)
    (loop for i of-type index from 0 below (length string)
          always (write-json-code (char-code (schar string i)) output))))

(defun write-json-string (string output label)
  "Appends STRING.  LABEL names the argument in an error."
  (reserve output (+ 2 (length string)))
  (write-octet 34 output)
  (unless (write-characters string output)
    (invalid-argument "~A: the text holds half of a UTF-16 pair, which is not a character"
                      label))
  (write-octet 34 output))

;;;; Numbers

(defun write-digits (integer output)
  "Appends INTEGER, of any size, in decimal."
  (write-ascii (let ((*print-base* 10) (*print-radix* nil) (*print-pretty* nil))
                 (princ-to-string integer))
               output))

(defun write-json-integer (integer output)
  "Appends INTEGER.  An integer of more than 64 bits is printed as a real number: the core's
parser would refuse the whole request, and could not say which argument was at fault."
  (write-digits integer output)
  (unless (typep integer '(signed-byte 64))
    (write-ascii ".0" output)))

(defun write-json-float (float output label)
  "Appends FLOAT exactly: it is n/2^k, and therefore n*5^k/10^k."
  (unless (finite-float-p float)
    (invalid-argument "~A: expected a finite number" label))
  (let* ((value (rational float))
         (places (max 1 (1- (integer-length (denominator value))))))
    (multiple-value-bind (whole rest) (truncate (abs value))
      (when (minusp value) (write-octet 45 output))
      (write-digits whole output)
      (write-octet 46 output)
      (let ((digits (make-output)))
        (write-digits (* rest (expt 10 places)) digits)
        (loop repeat (- places (output-length digits))
              do (write-octet 48 output))
        (write-ascii (decode-utf8 (output-result digits)) output)))))

;;;; Everything else

(defun proper-list-p (list)
  "Returns true unless LIST is circular or dotted."
  (and (listp list)
       (ignore-errors (list-length list))
       t))

(defun key-name (key)
  "Returns the name that KEY has in a request: a string is itself, :start-line is start_line."
  (typecase key
    (string key)
    (symbol (substitute #\_ #\- (string-downcase (symbol-name key))))
    (t (invalid-argument "An argument's name must be a string or a symbol, not ~A"
                         (describe-type key)))))

(defun describe-type (value)
  "Returns the type of VALUE in words, without printing VALUE."
  (let ((name (class-name (class-of value))))
    (if name
        (format-message "a value of type ~A" (list (string-downcase (symbol-name name))))
        "a value of a nameless type")))

(defun write-separated (write items output)
  "Calls WRITE on each of ITEMS, with commas between."
  (let ((first t))
    (map nil (lambda (item)
               (unless first (write-octet 44 output))
               (setf first nil)
               (funcall write item))
         items)))

(defun write-json-array (items output label depth)
  "Appends ITEMS, a proper list or a vector."
  (write-octet 91 output)
  (write-separated (lambda (item) (write-json item output label (1+ depth))) items output)
  (write-octet 93 output))

(defun write-json-object (alist output label depth)
  "Appends ALIST as an object."
  (write-octet 123 output)
  (write-separated (lambda (entry)
                     (write-json-string (key-name (car entry)) output label)
                     (write-octet 58 output)
                     (write-json (cdr entry) output label (1+ depth)))
                   alist output)
  (write-octet 125 output))

(defun json-word (symbol)
  "Returns the JSON word that SYMBOL stands for, or nil.  JSON libraries have symbols FALSE,
TRUE and NULL in their own packages, so only the name counts."
  (cond ((eq symbol t) "true")
        ((null symbol) "null")
        (t (cdr (assoc (symbol-name symbol)
                       '(("TRUE" . "true") ("FALSE" . "false") ("NULL" . "null"))
                       :test #'string=)))))

(defun write-json-symbol (symbol output label)
  "Appends t, nil, or a JSON library's word, and refuses any other symbol."
  (write-ascii (or (json-word symbol)
                   (invalid-argument "~A: a symbol is not data, but for t and nil" label))
               output))

(defun write-json-list (list output label depth)
  "Appends LIST: an object when it is a property list, an array otherwise."
  (unless (proper-list-p list)
    (invalid-argument "~A: expected a list that ends" label))
  (if (and (keywordp (first list)) (evenp (length list)))
      (write-json-object (loop for (key value) on list by #'cddr
                               collect (cons key value))
                         output label depth)
      (write-json-array list output label depth)))

(defun hash-table-entries (table)
  "Returns TABLE as an association list."
  (loop for key being the hash-keys of table using (hash-value value)
        collect (cons key value)))

(defun write-json (value output label &optional (depth 0))
  "Appends VALUE by its own type.  LABEL names the argument in an error."
  (when (> depth +most-nesting+)
    (invalid-argument "~A: lists are nested more than ~D deep" label +most-nesting+))
  (typecase value
    (string (write-json-string value output label))
    (integer (write-json-integer value output))
    (float (write-json-float value output label))
    (symbol (write-json-symbol value output label))
    (cons (write-json-list value output label depth))
    (vector (write-json-array value output label depth))
    (hash-table (write-json-object (hash-table-entries value) output label depth))
    (t (invalid-argument "~A: ~A cannot be sent" label (describe-type value)))))
