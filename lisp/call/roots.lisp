;;;; roots.lisp -- finding the project's directory.
;;;;
;;;; SPDX-License-Identifier: MIT
;;;;
;;;; The order is: the directory that was set; the Git project; an ASDF system's directory; the
;;;; directory of the SLY or SLIME connection; the current directory.  This file finds the
;;;; candidates that only Lisp knows.  The core chooses among them, and says which it chose.

(in-package #:agent-q-fs)

(defvar *project-root* nil
  "The project's directory, a pathname or an absolute string; nil to have it found.
A change takes effect at the next call that names no workspace.  If this is nil and Agent-Q is
loaded, agent-q:*project-root* is used instead.")

(defvar *project-system* nil
  "The name of the project's ASDF system; nil for the loaded system whose directory is the
nearest around the current directory.")

(defun default-directory ()
  "Returns the directory that relative pathnames are relative to."
  (let ((here (merge-pathnames *default-pathname-defaults* (uiop:getcwd))))
    (make-pathname :name nil :type nil :version nil :defaults here)))

(defun symbol-elsewhere (name package)
  "Returns the symbol NAME in PACKAGE, both strings, or nil; interns nothing."
  (let ((found (find-package package)))
    (and found (find-symbol name found))))

(defun agent-q-root-variable ()
  "Returns the symbol agent-q:*project-root*, or nil without Agent-Q."
  (let ((symbol (symbol-elsewhere "*PROJECT-ROOT*" "AGENT-Q")))
    (and symbol (boundp symbol) symbol)))

(defun native-directory (name)
  "Returns the pathname of the directory NAME, a string, as the operating system has it."
  ;; UIOP would make a wildcard of a `[` in the last part.
  (uiop:parse-native-namestring (concatenate 'string (string-right-trim "/" name) "/")))

(defun root-variable ()
  "Returns the symbol whose value is the project's directory, if that was set."
  (or (and (null *project-root*) (agent-q-root-variable))
      '*project-root*))

;;;; Roots that people choose
;;;
;;; Each Emacs that is connected may choose a root.  The variable has the one that was chosen last,
;;; for other code that looks there; and as long as it has that, each Emacs keeps its own.

(defgeneric transport-connection (transport)
  (:documentation "Returns the connection that a call in this thread by TRANSPORT would use; nil
for a transport without connections.")
  (:method (transport) (declare (ignore transport)) nil))

(defgeneric transport-connected-p (transport connection)
  (:documentation "Returns true if CONNECTION, of TRANSPORT, is open.")
  (:method (transport connection) (declare (ignore transport connection)) nil))

(defstruct (choice (:constructor make-choice (connection root)) (:copier nil))
  "The root that the person at the Emacs behind CONNECTION has chosen; nil to have it found."
  connection root)

(defvar *choices* '()
  "The latest choice of each connected Emacs, the latest first.")

(defun choice-of (connection)
  "Returns the choice of the Emacs behind CONNECTION, or nil."
  (find connection *choices* :key #'choice-connection))

(defun choices-count-p (root)
  "Returns true if ROOT, the variable's value, is there by the latest choice."
  (and *choices* (equal root (choice-root (first *choices*)))))

(defun chosen-root (connection root)
  "Returns the root for calls by CONNECTION, where ROOT, the variable's value, was chosen last."
  (let ((choice (choice-of connection)))
    (cond (choice (choice-root choice))
          ((transport-connected-p :emacs (choice-connection (first *choices*))) nil)
          (t root))))

(defun remember-choice (connection root before)
  "Remembers that ROOT was chosen by CONNECTION.  BEFORE is what the variable had: a root that was
set in Lisp has ended the choices before it."
  (setf *choices*
        (cons (make-choice connection root)
              (and (choices-count-p before)
                   (remove-if-not (lambda (choice)
                                    (and (not (eq connection (choice-connection choice)))
                                         (transport-connected-p :emacs
                                                                (choice-connection choice))))
                                  *choices*)))))

(defun explicit-root ()
  "Returns the project's directory if it was set or chosen, or nil."
  (let ((root (symbol-value (root-variable)))
        (connection (transport-connection *transport*)))
    (if (and connection (choices-count-p root))
        (chosen-root connection root)
        root)))

(defun set-project-root (directory)
  "Sets the project's directory to DIRECTORY, a string; nil or \"\" have it found again.  Emacs
calls this function, and another Emacs that is connected keeps what was chosen there."
  (let* ((agent-q (agent-q-root-variable))
         (variable (or agent-q '*project-root*))
         (given (and (plusp (length directory)) directory))
         ;; Agent-Q's own functions use its variable, and expect a pathname there.
         (root (if (and given agent-q) (native-directory given) given))
         (before (symbol-value (root-variable))))
    (when agent-q (setf *project-root* nil))
    (setf (symbol-value variable) root)
    (let ((connection (transport-connection :emacs)))
      (when connection (remember-choice connection root before))))
  t)

;;;; ASDF

(defun system-directory (name)
  "Returns the directory of the ASDF system NAME, or nil."
  (ignore-errors (asdf:system-source-directory name)))

(defun inside-p (directory other)
  "Returns true if OTHER is DIRECTORY or is inside of it.  Both are directory pathnames, or nil."
  (let ((above (and directory (native-namestring directory)))
        (below (and other (native-namestring other))))
    (and above below (eql 0 (search above below)))))

(defun system-around (directory)
  "Returns the directory of the loaded ASDF system that is the nearest around DIRECTORY, or nil."
  (let ((nearest nil))
    (dolist (name (asdf:already-loaded-systems) nearest)
      (let ((candidate (system-directory name)))
        (when (and (inside-p candidate directory)
                   (or (null nearest) (inside-p nearest candidate)))
          (setf nearest candidate))))))

(defun asdf-root ()
  "Returns the directory of the project's ASDF system, or nil."
  (if *project-system*
      (or (system-directory *project-system*)
          (invalid-argument "*project-system*: there is no ASDF system ~A"
                            (if (stringp *project-system*)
                                *project-system*
                                (describe-type *project-system*))))
      (system-around (default-directory))))

;;;; SLY and SLIME

(defun sly-directory ()
  "Returns the default directory of the SLY or SLIME connection, or nil."
  (dolist (server '("SLYNK" "SWANK"))
    (let ((function (symbol-elsewhere "DEFAULT-DIRECTORY" server)))
      (when (and function (fboundp function))
        (let ((directory (ignore-errors (funcall function))))
          (when (and (typep directory '(or string pathname))
                     (plusp (length (namestring directory))))
            (return (if (stringp directory)
                        (native-directory directory)
                        directory))))))))
