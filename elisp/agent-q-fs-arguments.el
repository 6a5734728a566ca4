;;; agent-q-fs-arguments.el --- Arguments as models send them  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A model's arguments are a JSON object, and each JSON parser in Emacs represents
;; one in another way: property lists, alists, hash tables, keys that are
;; strings, symbols or keywords, or the text itself.
;; `agent-q-fs-arguments-plist' makes one form of all of these.
;; `agent-q-fs-arguments-check' checks it by a tool's parameters; for the
;; operations of the core, the core does that.

;;; Code:

(require 'agent-q-fs)
(require 'seq)
(require 'subr-x)

(defun agent-q-fs-arguments--object (text)
  "Return the object that TEXT, JSON, is."
  (let ((object (and (string-match-p "\\`[ \t\r\n]*{" text)
                     (ignore-errors (agent-q-fs--json-parse text)))))
    (if (hash-table-p object)
        object
      (agent-q-fs--fail :invalid-argument "arguments: expected an object"))))

(defun agent-q-fs-arguments--pairs (object)
  "Return the members of OBJECT, a JSON object, as a list of (NAME . VALUE)."
  (cond
   ((hash-table-p object)
    (let (pairs)
      (maphash (lambda (name value) (push (cons name value) pairs)) object)
      (nreverse pairs)))
   ((stringp object) (agent-q-fs-arguments--pairs (agent-q-fs-arguments--object object)))
   ((not (proper-list-p object))
    (agent-q-fs--fail :invalid-argument "arguments: expected an object"))
   ((and (consp (car object)) (seq-every-p #'consp object)) object)
   (t
    (unless (zerop (% (length object) 2))
      (agent-q-fs--fail :invalid-argument "arguments: the last name has no value"))
    (let (pairs)
      (while object
        (push (cons (pop object) (pop object)) pairs))
      (nreverse pairs)))))

(defun agent-q-fs-arguments--name (name)
  "Return NAME, that of an argument, as a string or a keyword."
  (cond ((keywordp name) name)
        ((stringp name) name)
        ((and name (symbolp name)) (symbol-name name))
        (t (agent-q-fs--fail :invalid-argument "arguments: %S is no name" name))))

(defun agent-q-fs-arguments--keyword (name)
  "Return the keyword for NAME, that of a member inside an argument."
  (let ((name (agent-q-fs-arguments--name name)))
    (cond ((keywordp name) name)
          ;; Emacs keeps symbols for ever, so names that a model makes up are not interned.
          ((string-match-p "\\`[a-z][a-z_]\\{0,30\\}\\'" name) (intern (concat ":" name)))
          (t (agent-q-fs--fail :invalid-argument "arguments: there is no %s"
                               (truncate-string-to-width name 40))))))

(defun agent-q-fs-arguments--object-p (value)
  "Non-nil when VALUE, inside an argument, is a JSON object but no property list."
  (or (hash-table-p value)
      (and (proper-list-p value)
           (consp (car value))
           (caar value)
           (not (keywordp (caar value)))
           (or (symbolp (caar value)) (stringp (caar value))))))

(defun agent-q-fs-arguments--value (value)
  "Return VALUE with every object in it as a property list."
  (cond
   ((agent-q-fs-arguments--object-p value)
    (mapcan (lambda (pair)
              (list (agent-q-fs-arguments--keyword (car pair))
                    (agent-q-fs-arguments--value (cdr pair))))
            (agent-q-fs-arguments--pairs value)))
   ((vectorp value) (vconcat (mapcar #'agent-q-fs-arguments--value value)))
   ((and (consp value) (proper-list-p value)) (mapcar #'agent-q-fs-arguments--value value))
   (t value)))

(defun agent-q-fs-arguments-plist (arguments)
  "Return ARGUMENTS, a JSON object, as a property list for `agent-q-fs-call'.
Its names may be strings: names that a model makes up are not interned."
  (mapcan (lambda (pair)
            (list (agent-q-fs-arguments--name (car pair))
                  (agent-q-fs-arguments--value (cdr pair))))
          (agent-q-fs-arguments--pairs arguments)))



;;;; Checking

;; The messages are those of module/wire/args.c.

(defun agent-q-fs-arguments--word (value)
  "Return what an error says that VALUE is."
  (cond ((stringp value) "a string")
        ((integerp value) "an integer")
        ((floatp value) "a number with a fraction")
        ((memq value '(t nil :false :json-false)) "a boolean")
        ((eq value :null) "null")
        ((or (vectorp value) (and (listp value) (not (keywordp (car value))))) "a list")
        (t "an object")))

(defun agent-q-fs-arguments--wrong (param expected value)
  "Signal that PARAM was EXPECTED to be something, but is VALUE."
  (agent-q-fs--fail :invalid-argument "%s: expected %s, got %s" (plist-get param :name)
                    expected (agent-q-fs-arguments--word value)))

(defun agent-q-fs-arguments--integer (param value)
  "Return VALUE, of PARAM, as an integer."
  (let ((number (if (and (floatp value) (< (abs value) 9007199254740992.0)
                         (= value (ffloor value)))
                    (truncate value)
                  value))
        (least (plist-get param :least))
        (most (plist-get param :most)))
    (unless (integerp number)
      (agent-q-fs-arguments--wrong param "an integer" value))
    (when (or (and least (< number least)) (and most (> number most)))
      (agent-q-fs--fail :invalid-argument "%s: expected an integer from %s to %s, got %d"
                        (plist-get param :name) (or least "any") (or most "any") number))
    number))

(defun agent-q-fs-arguments--strings (param value)
  "Return VALUE, of PARAM, as a list of strings."
  (let ((list (cond
               ((and (stringp value) (string-match-p "\\`[ \t\r\n]*\\[" value))
                (append (ignore-errors (agent-q-fs--json-parse value)) nil))
               ((vectorp value) (append value nil))
               ((proper-list-p value) value)
               (t (agent-q-fs-arguments--wrong param "a list of strings" value)))))
    (unless (seq-every-p #'stringp list)
      (agent-q-fs-arguments--wrong param "a list of strings" value))
    (mapcar #'substring-no-properties list)))

(defun agent-q-fs-arguments--checked (param value)
  "Return VALUE as PARAM wants it, or signal an error."
  (pcase (plist-get param :type)
    (:integer (agent-q-fs-arguments--integer param value))
    (:boolean (pcase value
                ('t t)
                ((or 'nil :false :json-false) nil)
                (_ (agent-q-fs-arguments--wrong param "true or false" value))))
    (:strings (agent-q-fs-arguments--strings param value))
    (:choice
     (let ((words (string-join (plist-get param :choices) "|")))
       (cond ((member value (plist-get param :choices)) value)
             ((stringp value)
              (agent-q-fs--fail :invalid-argument "%s: expected one of %s, got another word"
                                (plist-get param :name) words))
             (t (agent-q-fs-arguments--wrong param (concat "one of " words) value)))))
    (_ (if (stringp value)
           (substring-no-properties value)
         (agent-q-fs-arguments--wrong param "a string" value)))))

(defun agent-q-fs-arguments--default (param)
  "Return the default of PARAM as its checked values are."
  (and (plist-get param :default)
       (agent-q-fs-arguments--checked
        param (aref (agent-q-fs--json-parse (format "[%s]" (plist-get param :default))) 0))))

(defun agent-q-fs-arguments--spelled (key)
  "Return KEY, of an argument, as the parameters are spelled."
  (string-replace "-" "_" (string-remove-prefix ":" (format "%s" key))))

(defun agent-q-fs-arguments-check (params plist)
  "Return a property list of the arguments in PLIST as PARAMS have them.
The names become keywords, such as :path.  What was not given has its
default, if it has one.  Signal an `agent-q-fs-invalid-argument' where
they do not fit."
  (let ((known (mapcar (lambda (param) (plist-get param :name)) params))
        given checked)
    (while plist
      (let ((name (agent-q-fs-arguments--spelled (pop plist))) (value (pop plist)))
        (unless (member name known)
          (agent-q-fs--fail :invalid-argument "%s: unknown argument; expected %s"
                            (truncate-string-to-width name 40)
                            (if known (string-join known ", ") "none")))
        (when (assoc name given)
          (agent-q-fs--fail :invalid-argument "%s: given twice" name))
        (push (cons name value) given)))
    (dolist (param params)
      (let* ((cell (assoc (plist-get param :name) given))
             (cell (and (not (memq (cdr cell) '(:null :json-null))) cell))
             (key (intern (concat ":" (plist-get param :name)))))
        (cond
         (cell (setq checked (cons (agent-q-fs-arguments--checked param (cdr cell))
                                   (cons key checked))))
         ((plist-get param :required)
          (agent-q-fs--fail :invalid-argument "%s: this argument is required"
                            (plist-get param :name)))
         ((plist-get param :default)
          (setq checked (cons (agent-q-fs-arguments--default param) (cons key checked)))))))
    (nreverse checked)))

(provide 'agent-q-fs-arguments)
;;; agent-q-fs-arguments.el ends here
