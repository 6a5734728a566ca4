;;;; roots.lisp -- which directory is the project, as far as Lisp knows it.
;;;;
;;;; SPDX-License-Identifier: MIT
;;;;
;;;; The order is: what was set; the Git project; an ASDF system's directory; the
;;;; directory of the SLY or SLIME connection; the current directory.  Here is what
;;;; only Lisp knows of it.  The core goes through the order, and says which it was.

(in-package #:agent-q-fs)

(defvar *project-root* nil
  "The project's directory, a pathname or an absolute string; nil to have it found.
Calls that name no workspace heed it at once.  Where Agent-Q is loaded, and this is nil,
agent-q:*project-root* is as good.")

(defvar *project-system* nil
  "The name of the ASDF system that the project is; nil for the one around the current
directory, among those that are loaded.")

(defun default-directory ()
  "The directory that relative pathnames are relative to, without its last name's rest."
  (let ((here (merge-pathnames *default-pathname-defaults* (uiop:getcwd))))
    (make-pathname :name nil :type nil :version nil :defaults here)))

(defun symbol-elsewhere (name package)
  "The symbol NAME in PACKAGE, both strings, if it is there; nothing is interned."
  (let ((found (find-package package)))
    (and found (find-symbol name found))))

(defun agent-q-root-variable ()
  "The symbol agent-q:*project-root*, or nil without Agent-Q."
  (let ((symbol (symbol-elsewhere "*PROJECT-ROOT*" "AGENT-Q")))
    (and symbol (boundp symbol) symbol)))

(defun explicit-root ()
  "What somebody has set as the project's directory, or nil."
  (or *project-root*
      (let ((variable (agent-q-root-variable)))
        (and variable (symbol-value variable)))))

(defun set-project-root (directory)
  "Has DIRECTORY, a string, be the project; nil or \"\" has it found again.  Emacs calls this."
  (let ((variable (agent-q-root-variable))
        (root (and (plusp (length directory)) directory)))
    ;; Agent-Q's own functions look at its variable, and take a pathname there.
    (cond (variable
           (setf *project-root* nil
                 (symbol-value variable)
                 (and root (uiop:ensure-directory-pathname
                            (uiop:parse-native-namestring root)))))
          (t (setf *project-root* root))))
  t)

;;;; ASDF

(defun system-directory (name)
  "The directory of the ASDF system NAME, or nil."
  (ignore-errors (asdf:system-source-directory name)))

(defun inside-p (directory other)
  "Is the directory OTHER inside of DIRECTORY?  Both are directory pathnames, or nil."
  (let ((above (and directory (native-namestring directory)))
        (below (and other (native-namestring other))))
    (and above below (eql 0 (search above below)))))

(defun system-around (directory)
  "The directory of the loaded ASDF system that is the nearest around DIRECTORY, or nil."
  (let ((nearest nil))
    (dolist (name (asdf:already-loaded-systems) nearest)
      (let ((candidate (system-directory name)))
        (when (and (inside-p candidate directory)
                   (or (null nearest) (inside-p nearest candidate)))
          (setf nearest candidate))))))

(defun asdf-root ()
  "The directory of the ASDF system that the project is, or nil."
  (if *project-system*
      (or (system-directory *project-system*)
          (invalid-argument "*project-system*: there is no ASDF system ~A"
                            (if (stringp *project-system*)
                                *project-system*
                                (describe-type *project-system*))))
      (system-around (default-directory))))

;;;; SLY and SLIME

(defun sly-directory ()
  "The default directory of the SLY or SLIME connection, or nil."
  (dolist (server '("SLYNK" "SWANK"))
    (let ((function (symbol-elsewhere "DEFAULT-DIRECTORY" server)))
      (when (and function (fboundp function))
        (let ((directory (ignore-errors (funcall function))))
          (when (and (typep directory '(or string pathname))
                     (plusp (length (namestring directory))))
            (return (if (stringp directory)
                        (uiop:ensure-directory-pathname
                         (uiop:parse-native-namestring directory))
                        directory))))))))
