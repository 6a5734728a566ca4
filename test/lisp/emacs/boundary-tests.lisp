;;;; boundary-tests.lisp -- paths that Lisp refuses by their spelling, as the core does.
;;;;
;;;; SPDX-License-Identifier: MIT

(in-package #:agent-q-fs/test)
(in-suite agent-q-fs)

(defun outside (path &key (root "/p/app/") roots (home "/home/u/"))
  (agent-q-fs::outside-p path root roots home))

(test boundary.outside
  (dolist (path '("../x" "a/../../x" "/etc/passwd" ".." "../" "/p/app-evil/f" "../app-evil/f"
                  "/" "/p" "~/x" "./../x" "/p/app/../x" "a/b/../../../x"))
    (is-true (outside path) "~A" path)))

(test boundary.inside
  (dolist (path '("x" "." "" "a/../b" "/p/app" "/p/app/" "/p/app/x" "../app/x" "//p//app/x"
                  "..." "..x" "a/.." "$HOME/x" "~root/x"))
    (is-false (outside path) "~A" path))
  (is-false (outside "/q/x" :roots '("/q/")))
  (is-false (outside "~/x" :roots '("/home/u/")))
  (is-true (outside "/qq/x" :roots '("/q/")))
  (is-false (outside "/anything" :root "/")))

(test boundary.agrees-with-the-core
  (with-tree (root ("a/b/f" "x"))
    (dolist (path '("../x" "a/../../x" "/etc/passwd" ".." "a/b/../../.." "~/x" "/" "a/../a/b/f"
                    "./a" "a/b/f" "."))
      (is (eq (and (agent-q-fs::outside-p path root '() "/no/home/") t)
              (typep (condition-of (call :file-exists :path path)) 'agent-q-fs-outside-root))
          "~A" path))))

(test boundary.words-are-the-cores
  (with-tree (root ("a b/f" "x"))
    (dolist (path '("../x" "/etc/passwd" "a b/../../é"))
      (is (equal (agent-q-fs-error-plist (condition-of (call :file-exists :path path)))
                 (agent-q-fs::outside-reply path root))))))

(test boundary.every-path-of-a-call
  (let ((row (parse-operation '(:name "op"
                                :params ((:name "path" :type :path) (:name "source" :type :path)
                                         (:name "names" :type :strings)
                                         (:name "text" :type :string))))))
    (flet ((first-outside (&rest arguments)
             (agent-q-fs::first-path-outside (argument-entries arguments)
                                             (operation-parameters row) "/p/" '() nil)))
      (is (equal "/x" (first-outside :path "a" :source "/x")))
      (is (equal "/x" (first-outside :path #p"/x")))
      (is (null (first-outside :text "/x" :path 42 :names '("/x"))))
      (is (null (first-outside :names 1)))
      (is (null (first-outside :names (list* "a" "b")))))))
