;;;; arguments.lisp -- from a caller's arguments to a request.
;;;;
;;;; SPDX-License-Identifier: MIT
;;;;
;;;; The type in the operation's row decides how an argument is printed, because nil means
;;;; false, the empty list and \"not given\".  Whether an argument is allowed is left to the core,
;;;; which refuses it in the same words for every caller.

(in-package #:agent-q-fs)

(defun plist-entries (plist)
  "Returns PLIST as an association list."
  (unless (evenp (length plist))
    (invalid-argument "The arguments are a property list, but its last value is missing"))
  (loop for (key value) on plist by #'cddr collect (cons key value)))

(defun pairs-of (arguments)
  "Returns ARGUMENTS, a property list, association list or hash table, as an association list."
  (cond ((hash-table-p arguments) (hash-table-entries arguments))
        ((not (proper-list-p arguments))
         (invalid-argument "The arguments must be a property list, an association list ~
                            or a hash table, not ~A"
                           (describe-type arguments)))
        ((not (consp (first arguments))) (plist-entries arguments))
        ((every #'consp arguments) arguments)
        (t (invalid-argument "The arguments are an association list, but not every ~
                              element is a pair"))))

(defun argument-entries (arguments)
  "Returns ARGUMENTS, a property list, association list or hash table, as entries: an
association list whose keys are names as the core spells them."
  (loop for (key . value) in (pairs-of arguments)
        collect (cons (key-name key) value)))

(defun entry-value (entries name)
  "Returns the value of NAME in ENTRIES, or nil."
  (cdr (assoc name entries :test #'string=)))

(defun without-entry (entries name)
  "Returns ENTRIES without those called NAME."
  (remove name entries :key #'car :test #'string=))

;;;; Values

(defun path-text (pathname label)
  "Returns the path that is sent to the core for PATHNAME."
  (let ((name (native-namestring pathname)))
    (cond ((null name)
           (invalid-argument "~A: expected a pathname without wildcards; a string names ~
                              any file"
                             label))
          ;; The core reads a leading ~ as the home and a leading quote as a quoted name; in a
          ;; pathname both are characters of the name.
          ((and (plusp (length name)) (find (char name 0) "~\""))
           (concatenate 'string "./" name))
          (t name))))

(defun given-path (value)
  "Returns the path that VALUE, an argument, names, or nil."
  (typecase value
    (string value)
    (pathname (native-namestring value))))

(defun write-path (value output label)
  "Appends a path, a string or a pathname."
  (write-json (if (pathnamep value) (path-text value label) value) output label))

(defun write-strings (value output label)
  "Appends a list of strings, or of pathnames."
  (flet ((text (item) (if (pathnamep item) (path-text item label) item)))
    (write-json (cond ((null value) #())
                      ((proper-list-p value) (mapcar #'text value))
                      ((and (vectorp value) (not (stringp value))) (map 'vector #'text value))
                      (t value))
                output label)))

(defun write-boolean (value output label)
  "Appends a boolean: nil is false.  The core refuses any other value than true and false."
  (if (null value)
      (write-ascii "false" output)
      (write-json value output label)))

(defun write-choice (value output label)
  "Appends one of a few words, which may be given as a symbol."
  (write-json (if (and (symbolp value) (not (json-word value))) (key-name value) value)
              output label))

(defun write-value (value type output label)
  "Appends the argument VALUE for a parameter of TYPE."
  (case type
    (:path (write-path value output label))
    (:strings (write-strings value output label))
    (:boolean (write-boolean value output label))
    (:choice (write-choice value output label))
    (t (write-json value output label))))

;;;; Requests

(defun type-of-argument (name parameters)
  "Returns the type of the argument NAME by PARAMETERS, or nil."
  (let ((parameter (find name parameters :key #'parameter-name :test #'string=)))
    (and parameter (parameter-type parameter))))

(defun write-arguments (entries parameters output)
  "Appends ENTRIES as an object.  A name that PARAMETERS lack is sent as well: the core refuses
it as unknown."
  (write-octet 123 output)
  (write-separated (lambda (entry)
                     (destructuring-bind (name . value) entry
                       (write-json-string name output "An argument's name")
                       (write-octet 58 output)
                       (write-value value (type-of-argument name parameters) output name)))
                   entries output)
  (write-octet 125 output))

(defun write-member (name value output)
  "Appends a member of a request, behind a comma."
  (write-octet 44 output)
  (write-json-string name output name)
  (write-octet 58 output)
  (write-value value (if (symbolp value) :choice nil) output name))

(defun encode-request (name operation entries &optional how)
  "Returns the request for the operation called NAME, octets.  OPERATION is its row, or nil;
ENTRIES are its arguments, and HOW is a property list of CALL-HOW."
  (let ((output (make-output)))
    (write-ascii "{\"op\":" output)
    (write-json-string name output "The operation's name")
    (write-ascii ",\"args\":" output)
    (write-arguments entries (and operation (operation-parameters operation)) output)
    (loop for (member value) on how by #'cddr
          do (write-member (key-name member) value output))
    (write-octet 125 output)
    (output-result output)))

(defparameter *option-parameters*
  (loop for (name type) in agent-q-fs/catalogue:*options*
        collect (make-parameter :name name :type type))
  "The options of a workspace.")

(defun encode-options (entries)
  "Returns the request with the options of a workspace, octets."
  (let ((output (make-output)))
    (write-arguments entries *option-parameters* output)
    (output-result output)))
