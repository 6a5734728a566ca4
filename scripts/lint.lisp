;;;; lint.lisp -- compiles every system of lisp/*.asd; any warning is an error, a
;;;; STYLE-WARNING as well, and a note of SBCL that code is deleted, which a person's
;;;; REPL shows at the first load.  Their dependencies are compiled first, unjudged.
;;;;
;;;; Each file is a compilation unit of its own, so a function that is defined in a later
;;;; file, and so perhaps in a room above, is a warning too.
;;;;
;;;; SPDX-License-Identifier: MIT

(require :asdf)

(setf *compile-verbose* nil *compile-print* nil)

(defvar *directory* (merge-pathnames "lisp/" *default-pathname-defaults*))

;; In place of a library that the systems need and Debian has not.
(load (merge-pathnames "../test/lisp/stand-in/system.lisp" *directory*))

(defun compile-each-by-itself ()
  "Makes each file a compilation unit.  FiveAM brings a method of the same kind, which this
replaces: call this when FiveAM is loaded."
  (defmethod asdf:perform :around ((operation asdf:compile-op) (file asdf:cl-source-file))
    (with-compilation-unit (:override t)
      (call-next-method))))

(defun dependency-names (form)
  "The names of the systems in FORM, an element of a system's :depends-on."
  (etypecase form
    ((or string symbol) (list form))
    (cons (case (first form)
            (:feature (and (uiop:featurep (second form)) (dependency-names (third form))))
            (:version (dependency-names (second form)))
            (t nil)))))

(let* ((asd (directory (merge-pathnames "*.asd" *directory*)))
       (warnings 0)
       (systems (progn
                  (mapc #'asdf:load-asd asd)
                  (remove-if-not (lambda (system)
                                   (member (asdf:system-source-file system) asd :test #'equal))
                                 (mapcar #'asdf:find-system (asdf:registered-systems)))))
       (names (mapcar #'asdf:component-name systems)))
  ;; A system that needs what this machine has not (Agent-Q itself) is left out.
  (flet ((available (system)
           (loop for form in (asdf:system-depends-on system)
                 always (loop for name in (dependency-names form)
                              always (asdf:find-system name nil)))))
    (dolist (system systems)
      (dolist (form (asdf:system-depends-on system))
        (dolist (name (dependency-names form))
          (when (and (not (member (string-downcase name) names :test #'equal))
                     (asdf:find-system name nil))
            (let ((*error-output* (make-broadcast-stream)))
              (handler-bind ((warning #'muffle-warning))
                (asdf:load-system name)))))))
    (compile-each-by-itself)
    (handler-bind (;; A file that is compiled and then loaded defines its macros twice.
                   #+sbcl (sb-kernel:redefinition-warning #'muffle-warning)
                   ((or warning #+sbcl sb-ext:code-deletion-note)
                     (lambda (warning)
                       (incf warnings)
                       (format t "~&~a: ~a~%" (type-of warning) warning))))
      (dolist (system systems)
        (if (available system)
            (asdf:load-system system :force t)
            (format t "~&~a: left out, a system it needs is not here~%"
                    (asdf:component-name system))))))
  (unless (zerop warnings)
    (format t "~&~d warning~:p~%" warnings)
    (uiop:quit 1)))
