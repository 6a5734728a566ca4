;;;; helpers-tests.lisp -- the functions that Agent-Q's users know.
;;;;
;;;; SPDX-License-Identifier: MIT

(in-package #:agent-q-fs/test)
(in-suite agent-q-fs)

(defmacro with-detection (&body body)
  `(without-current-workspace
     ,@body))

(test helpers.glob
  (loop for (pattern . names)
          in '(("*.lisp" "package.lisp" "agent.lisp" ".lisp")
               ("**/*.lisp" "a.lisp" "src/a.lisp" "src/tools/a.lisp")
               ("test-?.el" "test-1.el" "test-a.el" "test-é.el")
               ("**/test/*.lisp" "test/a.lisp" "p/test/a.lisp" "p/q/test/a.lisp")
               ("src/**" "src/a" "src/a/b") ("a*c" "ac" "abc" "a*c") ("" "")
               ("[a]" "[a]") ("{a,b}" "{a,b}") ("**" "a" "a/b" "") ("***" "ab/c"))
        do (dolist (name names)
             (is-true (agent-q-fs/agent-q:glob-matches-p pattern name) "~A ~A" pattern name)))
  (loop for (pattern . names)
          in '(("*.lisp" "src/a.lisp" "a.lisp.bak" "lisp") ("**/*.lisp" "a.el" "src/a.lis" "alisp")
               ("**/b" "ab" "a/bb" "b/a") ("test-?.el" "test-10.el" "test-.el" "test-/.el")
               ("a*c" "a/c" "abd") ("" "a") ("[a]" "a") ("{a,b}" "a") ("src/**" "srca" "lib/a"))
        do (dolist (name names)
             (is-false (agent-q-fs/agent-q:glob-matches-p pattern name) "~A ~A" pattern name)))
  ;; A matcher that tries all ways would never end.
  (is-false (agent-q-fs/agent-q:glob-matches-p
             (format nil "~{~A~}b" (loop repeat 300 collect "*a"))
             (make-string 3000 :initial-element #\a))))

(test helpers.glob-agrees-with-the-core
  (with-tree (root ("a.lisp" "") ("ab" "") ("b" "") ("src/a.lisp" "") ("src/b" "") ("src/x/ab" "")
                   ("src/x/b" "") ("a/b/c" "") ("a/c" "") ("test-1" "") ("[a]" ""))
    (let ((all (getf (call :search-files :pattern "**") :paths)))
      (dolist (pattern '("*" "**" "*.lisp" "**/*.lisp" "**/b" "**b" "a**" "a**/b" "a/**/c" "src/**"
                         "src/*" "?" "test-?" "*/*" "**/**" "[a]" "**/?b" "***" "a*"))
        (is (equal (sort (copy-list (getf (call :search-files :pattern pattern) :paths)) #'string<)
                   (sort (remove-if-not (lambda (path)
                                          (agent-q-fs/agent-q:glob-matches-p pattern path))
                                        all)
                         #'string<))
            "~A" pattern)))))

(test helpers.exclusion
  (is-true (agent-q-fs/agent-q:matches-exclusion-p ".git" '("*.fasl" ".git")))
  (is-true (agent-q-fs/agent-q:matches-exclusion-p "a.fasl" '("*.fasl" ".git")))
  (is-true (agent-q-fs/agent-q:matches-exclusion-p "anything" '("*")))
  (is-true (agent-q-fs/agent-q:matches-exclusion-p "a-test-b" '("*test*")))
  (is-false (agent-q-fs/agent-q:matches-exclusion-p "a" '()))
  (is-false (agent-q-fs/agent-q:matches-exclusion-p "a.fas" '("*.fasl"))))

(test helpers.git-root
  (with-tree (root ("p/.git/HEAD" "x") ("p/a/b/f" "x") ("tree/.git" "gitdir: /x") ("tree/c/f" "x"))
    (flet ((found (name)
             (let ((directory (agent-q-fs/agent-q:find-git-root
                               (concatenate 'string root name))))
               (and directory (subseq (namestring directory) (length root))))))
      (is (equal "p/" (found "p/a/b/")))
      (is (equal "p/" (found "p")))
      (is (equal "tree/" (found "tree/c")))
      (libc-symlink "p/a/b" (in-root root "link"))
      (is (equal "p/" (found "link")) "the project is where the link leads"))
    (is (null (agent-q-fs/agent-q:find-git-root nil)))
    (is (null (agent-q-fs/agent-q:find-git-root "/no/such/directory/")))))

(test helpers.project-root
  (with-tree (root ("p/.git/HEAD" "x") ("p/a/f" "x") ("q/f" "x") ("s[1]/f" "x"))
    (with-detection
      (let ((*default-pathname-defaults* (pathname (concatenate 'string root "p/a/"))))
        (is (equal (pathname (concatenate 'string root "p/"))
                   (agent-q-fs/agent-q:detect-project-root)))
        (is (equal (pathname (concatenate 'string root "p/"))
                   (agent-q-fs/agent-q:ensure-project-root)))
        (is (null *project-root*) "nothing was set")
        (setf *project-root* (concatenate 'string root "q"))
        (is (equal (pathname (concatenate 'string root "q/"))
                   (agent-q-fs/agent-q:ensure-project-root))))
      (loop for (set . name) in `((,(pathname (concatenate 'string root "q/")) . "q/")
                                  (,(concatenate 'string root "s[1]") . "s[1]/")
                                  (,(concatenate 'string root "none") . "none/"))
            do (setf *project-root* set)
               (is (equal (concatenate 'string root name)
                          (agent-q-fs::native-namestring
                           (agent-q-fs/agent-q:ensure-project-root)))))
      (setf *project-root* nil)
      (let ((*default-pathname-defaults* (pathname (concatenate 'string root "q/"))))
        (is (equal *default-pathname-defaults* (agent-q-fs/agent-q:detect-project-root))
            "where there is no Git project, it is the current directory"))
      (dolist (directory (list #p"/" (user-homedir-pathname)))
        (let ((*default-pathname-defaults* directory))
          (is (typep (condition-of (agent-q-fs/agent-q:ensure-project-root))
                     'agent-q-fs-invalid-argument)
              "~A is no project" directory))))))

(test helpers.connection-without-a-directory
  (unless (find-package "SWANK")
    (with-tree (root ("here/a" "x") ("there/a" "x"))
      (let ((package (make-package "SWANK" :use '()))
            (*default-pathname-defaults* (pathname (concatenate 'string root "here/"))))
        (unwind-protect
             (with-detection
               (dolist (case `(("" ,*default-pathname-defaults*)
                               (,(concatenate 'string root "there/")
                                ,(pathname (concatenate 'string root "there/")))))
                 (destructuring-bind (answer expected) case
                   (setf (symbol-function (intern "DEFAULT-DIRECTORY" package))
                         (lambda () answer))
                   (is (equal expected (agent-q-fs/agent-q:detect-project-root))))))
          (delete-package package))))))

(test helpers.home-by-another-name
  (with-tree (root ("home/a" "x"))
    (libc-symlink "home" (in-root root "link"))
    (let ((before (uiop:getenv "HOME"))
          (*default-pathname-defaults* (pathname (concatenate 'string root "home/"))))
      (with-detection
        (is (equal *default-pathname-defaults* (agent-q-fs/agent-q:detect-project-root)))
        (unwind-protect
             (progn
               (setf (uiop:getenv "HOME") (concatenate 'string root "link/"))
               (is (null (agent-q-fs/agent-q:detect-project-root))))
          (setf (uiop:getenv "HOME") (or before "")))))))

(test helpers.resolve
  (with-tree (root ("src/a.lisp" "x") ("f" "x"))
    (libc-symlink "src/a.lisp" (in-root root "inside"))
    (libc-symlink "/etc/passwd" (in-root root "outside"))
    (flet ((resolved (path)
             (let ((full (agent-q-fs/agent-q:resolve-project-path path)))
               (and full (namestring full))))
           (below (name) (concatenate 'string root name)))
      (is (equal (below "src/a.lisp") (resolved "src/a.lisp")))
      (is (equal (below "src/a.lisp") (resolved "inside")))
      (is (equal (below "src/a.lisp") (resolved (below "src/../src/a.lisp"))))
      (is (equal (below "src/a.lisp") (resolved #p"src/a.lisp")))
      (is (equal (below "src/") (resolved "src")))
      (is (equal root (resolved ".")))
      (is (equal root (resolved "")))
      (is (equal (below "new/file") (resolved "new/file")))
      (is (null (resolved "\"n\\377\"")) "Lisp has no name for such bytes")
      (dolist (path '("../x" "/etc/passwd" "outside" "src/../../x" "../../../etc/passwd"))
        (is (null (resolved path)) "~A" path)))))
