;;;; roots-tests.lisp -- which directory is the project.
;;;;
;;;; SPDX-License-Identifier: MIT

(in-package #:agent-q-fs/test)
(in-suite agent-q-fs)

(defmacro without-current-workspace (&body body)
  `(let ((*workspace* nil) (agent-q-fs::*opened* nil) (*project-root* nil)
         (*project-system* nil))
     ,@body))

(defmacro with-package-variable ((name package) &body body)
  "Runs BODY with a new package PACKAGE, whose variable NAME is bound to nil."
  `(let ((made (make-package ,package :use '())))
     (unwind-protect
          (progv (list (intern ,name made)) '(nil)
            ,@body)
       (delete-package made))))

(test roots.set-root-is-heeded-at-once
  (with-tree (root ("p/a" "in p") ("q/a" "in q"))
    (without-current-workspace
      (flet ((a () (call-tool "read_file" '(:path "a")))
             (below (name) (concatenate 'string root name)))
        (setf *project-root* (below "p"))
        (is (search "in p" (a)))
        (setf *project-root* (pathname (below "q/")))
        (is (search "in q" (a)))
        (let ((*project-root* (below "p")))
          (is (search "in p" (a))))
        (is (search "in q" (a)))
        (setf *project-root* (below "nothing"))
        (is (eql 0 (search "Error: " (a))))))))

(test roots.replaced
  "A call that names no workspace opens the project again; one that names it is told."
  (with-tree (root ("p/a" "in p") ("q/a" "in q"))
    (flet ((below (name) (concatenate 'string root name)))
      (without-current-workspace
        (let* ((*project-root* (below "p"))
               (named (open-workspace :root (below "p"))))
          (is (search "in p" (call-tool "read_file" '(:path "a"))))
          (rename-file (below "p/") (below "away/"))
          (rename-file (below "q/") (below "p/"))
          (is (equal "in q" (getf (call :read-file :path "a") :content)))
          (rename-file (below "p/") (below "q/"))
          (rename-file (below "away/") (below "p/"))
          (is (search "in p" (call-tool "read_file" '(:path "a"))))
          (is (equal "in p" (getf (call :read-file :workspace named :path "a") :content)))
          (rename-file (below "p/") (below "away/"))
          (signals agent-q-fs-root-moved (call :read-file :workspace named :path "a"))
          (is (eql 0 (search "Error: " (call-tool "read_file" '(:path "a")
                                                  :workspace named))))
          (close-workspace named))))))

(test roots.set-by-emacs
  (with-tree (root ("p/a" "in p"))
    (without-current-workspace
      (agent-q-fs::set-project-root (concatenate 'string root "p"))
      (is (equal (concatenate 'string root "p") *project-root*))
      (is (search "in p" (call-tool "read_file" '(:path "a"))))
      (dolist (nothing '("" nil))
        (setf *project-root* "/")
        (agent-q-fs::set-project-root nothing)
        (is (null *project-root*))))))

(test roots.agent-q-root-is-heeded
  (with-tree (root ("p/a" "in p") ("q/a" "in q"))
    (without-current-workspace
      (with-package-variable ("*PROJECT-ROOT*" "AGENT-Q")
        (let ((variable (find-symbol "*PROJECT-ROOT*" "AGENT-Q")))
          (setf (symbol-value variable) (pathname (concatenate 'string root "p/")))
          (is (search "in p" (call-tool "read_file" '(:path "a"))))
          (setf (symbol-value variable) (concatenate 'string root "q"))
          (is (search "in q" (call-tool "read_file" '(:path "a"))))
          (agent-q-fs::set-project-root (concatenate 'string root "p"))
          (is (equal (pathname (concatenate 'string root "p/")) (symbol-value variable)))
          (is (search "in p" (call-tool "read_file" '(:path "a"))))
          (agent-q-fs::set-project-root (concatenate 'string root "p[1]"))
          (is (equal (concatenate 'string root "p[1]/")
                     (agent-q-fs::native-namestring (symbol-value variable))))
          (agent-q-fs::set-project-root "")
          (is (null (symbol-value variable))))))))

(test roots.order
  (with-tree (root ("git/.git/HEAD" "x") ("git/.git/objects/x" "x") ("git/.git/refs/x" "x")
                   ("git/lisp/a" "x")
                   ("system/agent-q-fs-test-system.asd" "(asdf:defsystem \"agent-q-fs-test-system\")")
                   ("system/sub/a" "x") ("sly/a" "x") ("s[l]y/a" "x") ("here/a" "x"))
    (flet ((below (name) (pathname (concatenate 'string root name)))
           (found ()
             (with-workspace ()
               (list (getf (workspace-properties *workspace*) :method)
                     (subseq (workspace-root *workspace*) (length root))))))
      (without-current-workspace
        (asdf:load-asd (below "system/agent-q-fs-test-system.asd"))
        (unwind-protect
             (progn
               (asdf:load-system "agent-q-fs-test-system")
               (let ((*default-pathname-defaults* (below "git/lisp/"))
                     (*project-system* "agent-q-fs-test-system"))
                 (is (equal '(:git "git/") (found))))
               (let ((*default-pathname-defaults* (below "here/"))
                     (*project-system* "agent-q-fs-test-system"))
                 (is (equal '(:asdf "system/") (found))))
               (let ((*default-pathname-defaults* (below "system/sub/")))
                 (is (equal '(:asdf "system/") (found))))
               (let ((*default-pathname-defaults* (below "here/")))
                 (is (equal '(:cwd "here/") (found)))
                 (dolist (server '("SWANK" "SLYNK"))
                   (unless (find-package server)
                     (let ((package (make-package server :use '())))
                       (unwind-protect
                            (loop for (directory . expected)
                                    in `((,(namestring (below "sly/")) :sly "sly/")
                                         (,(string-right-trim "/" (namestring (below "sly/")))
                                          :sly "sly/")
                                         (,(below "sly/") :sly "sly/")
                                         (,(concatenate 'string root "s[l]y") :sly "s[l]y/")
                                         ("" :cwd "here/") (#p"" :cwd "here/") (nil :cwd "here/")
                                         (5 :cwd "here/"))
                                  do (let ((directory directory))
                                       (setf (symbol-function (intern "DEFAULT-DIRECTORY" package))
                                             (lambda () directory)))
                                     (is (equal expected (found)) "~A ~S" server directory))
                         (delete-package package)))))))
          (asdf:clear-system "agent-q-fs-test-system"))))))

(test roots.no-such-system
  (with-tree (root)
    (let ((*project-system* "no-such-system"))
      (is (search "there is no ASDF system no-such-system"
                  (agent-q-fs-error-message (condition-of (open-workspace))))))))
