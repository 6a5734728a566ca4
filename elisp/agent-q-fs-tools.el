;;; agent-q-fs-tools.el --- Calls by models  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A model names a tool, gives arguments that came out of some JSON parser, and
;; is shown text.  `agent-q-fs-call-tool' is that call: it takes every shape in
;; which Emacs' parsers and agent packages hold a JSON object, and answers
;; failures in words.

;;; Code:

(require 'agent-q-fs)
(require 'seq)

;;;###autoload
(defun agent-q-fs-call-tool (name arguments &optional workspace)
  "Call the tool NAME with ARGUMENTS and return the text to show a model.
NAME is a string or a symbol.  ARGUMENTS is a property list, an alist or
a hash table.  WORKSPACE nil means the current one.

A failure is text too: it begins with \"Error: \"."
  (condition-case problem
      (plist-get (apply #'agent-q-fs-call workspace name
                        (agent-q-fs-tools--plist arguments))
                 :text)
    (agent-q-fs-error (plist-get (cdr problem) :text))
    (error (concat "Error: " (agent-q-fs-tools--clean (error-message-string problem))))))

(defun agent-q-fs-tools--clean (text)
  "Return TEXT without properties, its raw bytes in octal."
  (mapconcat (lambda (character)
               (if (eq (char-charset character) 'eight-bit)
                   (format "\\%03o" (multibyte-char-to-unibyte character))
                 (char-to-string character)))
             (string-to-multibyte (substring-no-properties text)) ""))

(defun agent-q-fs-tools--pairs (object)
  "Return the members of OBJECT, a JSON object, as a list of (NAME . VALUE)."
  (cond
   ((hash-table-p object)
    (let (pairs)
      (maphash (lambda (name value) (push (cons name value) pairs)) object)
      (nreverse pairs)))
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

(defun agent-q-fs-tools--name (name)
  "Return NAME, that of an argument, as a string or a keyword."
  (cond ((keywordp name) name)
        ((stringp name) name)
        ((and name (symbolp name)) (symbol-name name))
        (t (agent-q-fs--fail :invalid-argument "arguments: %S is no name" name))))

(defun agent-q-fs-tools--keyword (name)
  "Return the keyword for NAME, that of a member inside an argument."
  (let ((name (agent-q-fs-tools--name name)))
    (cond ((keywordp name) name)
          ;; What a model makes up is not kept in Emacs for ever.
          ((string-match-p "\\`[a-z][a-z_]\\{0,30\\}\\'" name) (intern (concat ":" name)))
          (t (agent-q-fs--fail :invalid-argument "arguments: there is no %s"
                               (truncate-string-to-width name 40))))))

(defun agent-q-fs-tools--object-p (value)
  "Non-nil when VALUE, inside an argument, is a JSON object but no property list."
  (or (hash-table-p value)
      (and (proper-list-p value)
           (consp (car value))
           (caar value)
           (not (keywordp (caar value)))
           (or (symbolp (caar value)) (stringp (caar value))))))

(defun agent-q-fs-tools--value (value)
  "Return VALUE with every object in it as a property list."
  (cond
   ((agent-q-fs-tools--object-p value)
    (mapcan (lambda (pair)
              (list (agent-q-fs-tools--keyword (car pair))
                    (agent-q-fs-tools--value (cdr pair))))
            (agent-q-fs-tools--pairs value)))
   ((vectorp value) (vconcat (mapcar #'agent-q-fs-tools--value value)))
   ((and (consp value) (proper-list-p value)) (mapcar #'agent-q-fs-tools--value value))
   (t value)))

(defun agent-q-fs-tools--plist (arguments)
  "Return ARGUMENTS, a JSON object, as a property list for `agent-q-fs-call'.
Its names may be strings: names that a model makes up are not interned."
  (mapcan (lambda (pair)
            (list (agent-q-fs-tools--name (car pair))
                  (agent-q-fs-tools--value (cdr pair))))
          (agent-q-fs-tools--pairs arguments)))

(provide 'agent-q-fs-tools)
;;; agent-q-fs-tools.el ends here
