;;; agent-q-fs-arguments.el --- Arguments as models send them  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A model's arguments are a JSON object, and each JSON parser in Emacs represents
;; one in another way: property lists, alists, hash tables, keys that are
;; strings, symbols or keywords, or the text itself.
;; `agent-q-fs-arguments-plist' makes one form of all of these.  The core checks
;; the arguments of its operations; `agent-q-fs-arguments-check' has it check those
;; of other tools.  The options with which a program opens a workspace are looked at here, too.

;;; Code:

(require 'agent-q-fs)
(require 'cl-lib)
(require 'seq)
(require 'subr-x)

(declare-function agent-q-fs--mod-check "ext:agent-q-fs-module.so" (params arguments))

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
   ;; json.el returns these if it is told to.
   ((eq value :json-false) :false)
   ((eq value :json-null) :null)
   (t value)))

(defun agent-q-fs-arguments-plist (arguments)
  "Return ARGUMENTS, a JSON object, as a property list for `agent-q-fs-call'.
Its names may be strings: names that a model makes up are not interned."
  (mapcan (lambda (pair)
            (list (agent-q-fs-arguments--name (car pair))
                  (agent-q-fs-arguments--value (cdr pair))))
          (agent-q-fs-arguments--pairs arguments)))

(defun agent-q-fs-arguments-of (params given)
  "Return the arguments GIVEN to a tool with PARAMS as a property list.
GIVEN may be the text itself, for the one parameter that the tool
requires, such as the patch of apply_patch_freeform."
  (let* ((required (seq-filter (lambda (param) (plist-get param :required)) params))
         (only (and (not (cdr required)) (car required))))
    (if (and (eq :string (plist-get only :type)) (stringp given)
             (not (string-match-p "\\`[ \t\r\n]*{" given)))
        (list (intern (concat ":" (plist-get only :name))) given)
      (agent-q-fs-arguments-plist given))))

(defun agent-q-fs-arguments-check (params plist)
  "Return the arguments in PLIST as PARAMS have them, or signal an error.
The core checks them by the function that checks its operations'.  The
names become keywords with underscores, such as :timeout_ms.  Arguments
that were not given have their defaults."
  (agent-q-fs-module-load)
  (agent-q-fs--read (agent-q-fs--mod-check params plist)))


;;;; Options of programs

(defun agent-q-fs-arguments-near-name (option name)
  "Return NAME, which a program gave as OPTION; refuse one of another machine.
To connect there runs programs and asks for passwords, so a person begins it."
  (when (and (stringp name) (file-remote-p name))
    (agent-q-fs--fail :invalid-argument
                      "%s: %s is on another machine, where only a person opens a project"
                      (string-remove-prefix ":" (format "%s" option)) name))
  name)

(defun agent-q-fs-arguments-near (options)
  "Return OPTIONS, which a program gave; refuse those that name another machine.
The directory here may be there, and say where the project is."
  (cl-loop for (name value) on options by #'cddr
           do (agent-q-fs-arguments-near-name name value))
  (agent-q-fs-arguments-near-name
   :root (agent-q-fs--remote-directory (plist-get options :root) options))
  options)

(defun agent-q-fs-arguments-workspace ()
  "Return the workspace of a program here that names none.
On another machine that is one which a person has opened."
  (unless (or agent-q-fs-workspace (agent-q-fs-found-workspace))
    (agent-q-fs-arguments-near (default-value 'agent-q-fs-open-options)))
  (agent-q-fs-current-workspace))

(provide 'agent-q-fs-arguments)
;;; agent-q-fs-arguments.el ends here
