;;;; data.lisp -- from a call's arguments to data for Emacs.
;;;;
;;;; SPDX-License-Identifier: MIT
;;;;
;;;; A list (NAME VALUE NAME VALUE ...) of strings, integers, t, nil, :false, :null and lists
;;;; of these, which the server prints.  No symbol in it comes from the caller: a symbol is
;;;; printed by its name, and a name can look like code.

(in-package #:agent-q-fs)

(declaim (inline printed-size))
(defun printed-size (code)
  "Returns the bytes that the character CODE takes in a message, where a text is a string in a
string and its escapes are escaped again."
  (cond ((or (= code 34) (= code 92)) 4)
        ((< code #x80) 1)
        ((< code #x800) 2)
        ((< code #x10000) 3)
        (t 4)))

(defun text-size (string)
  "Returns the bytes that STRING takes in a message; nil if it has half of a UTF-16 pair."
  (let ((size 0))
    (declare (type index size))
    (with-typed-string (string)
      (loop for i of-type index from 0 below (length string)
            do (let ((code (char-code (schar string i))))
                 (when (surrogate-p code) (return-from text-size nil))
                 (incf size (printed-size code)))))
    size))

(defun checked-text (string label)
  "Returns STRING; signals if it has half of a UTF-16 pair.  LABEL names the argument in the
error."
  (unless (text-size string)
    (invalid-argument "~A: the text holds half of a UTF-16 pair, which is not a character" label))
  string)

(defun emacs-float (float label)
  "Returns FLOAT as an integer if it is whole, else 0.5, which every parameter refuses as it would
refuse FLOAT."
  (unless (finite-float-p float)
    (invalid-argument "~A: expected a finite number" label))
  (multiple-value-bind (whole rest) (truncate (rational float))
    (if (zerop rest) whole 0.5)))

(defun emacs-symbol (symbol label)
  "Returns SYMBOL, which is t, nil or a JSON library's word, as data; nil is null, as in JSON."
  (let ((word (json-word symbol)))
    (cond ((null word) (invalid-argument "~A: a symbol is not data, but for t and nil" label))
          ((string= word "true") t)
          ((string= word "false") :false)
          (t :null))))

(defun emacs-object (entries label depth)
  "Returns ENTRIES, an association list, as an object."
  (loop for (name . value) in entries
        collect (cons (checked-text (key-name name) label)
                      (emacs-datum value label (1+ depth)))))

(defun emacs-list (list label depth)
  "Returns LIST as an object or a list, by the rule of WRITE-JSON-LIST."
  (unless (proper-list-p list)
    (invalid-argument "~A: expected a list that ends" label))
  (if (and (keywordp (first list)) (evenp (length list)))
      (emacs-object (plist-entries list) label depth)
      (loop for item in list collect (emacs-datum item label (1+ depth)))))

(defun emacs-datum (value label &optional (depth 0))
  "Returns VALUE as data for Emacs, by its own type."
  (when (> depth +most-nesting+)
    (invalid-argument "~A: lists are nested more than ~D deep" label +most-nesting+))
  (typecase value
    (string (checked-text value label))
    (integer value)
    (float (emacs-float value label))
    (symbol (emacs-symbol value label))
    (cons (emacs-list value label depth))
    (pathname (path-text value label))
    (vector (loop for item across value collect (emacs-datum item label (1+ depth))))
    (hash-table (emacs-object (hash-table-entries value) label depth))
    (t (invalid-argument "~A: ~A cannot be sent" label (describe-type value)))))

(defun emacs-value (value type label)
  "Returns the argument VALUE, for a parameter of TYPE, as data for Emacs."
  (cond ((and (null value) (eq type :boolean)) :false)
        ((and (null value) (eq type :strings)) '())
        ((and (eq type :choice) (symbolp value) (not (json-word value))) (key-name value))
        (t (emacs-datum value label))))

(defun emacs-arguments (entries parameters)
  "Returns ENTRIES as a property list for Emacs, by PARAMETERS.  The names are strings, so Emacs
does not intern them."
  (loop for (name . value) in entries
        collect (checked-text name "An argument's name")
        collect (emacs-value value (type-of-argument name parameters) name)))
