;;;; names-tests.lisp -- odd file names are listed, and work when passed back.
;;;;
;;;; SPDX-License-Identifier: MIT

(in-package #:agent-q-fs/test)
(in-suite agent-q-fs)

(defparameter *odd-names*
  (list (format nil "new~%line") (format nil "esc~C]0;title~C" (code-char 27) (code-char 7))
        "brackets[1]" "star*" "question?" "#.(quit)" "quote\"inside" "\"quoted\"" "back\\slash"
        "single'quote" "-dash" " lead" "trail " "tilde~" "~" "$HOME" "a%2e%2e" "semi;colon"
        "C:\\x" "naïve" "λ€😀" "#1=(#1#)" "{a,b}" "!not" "|bar|" "colon:name" "...more"
        (format nil "tab~Cname" (code-char 9)) (format nil "cr~Cname" (code-char 13))
        (format nil "bidi~C" (code-char #x202E)) (make-string 255 :initial-element #\x))
  "Names that are valid UTF-8.")

(defparameter *odd-bytes*
  '(#(255) #(97 128 98) #(34 255) #(195) #(237 160 128) #(192 128) #(92 255))
  "Names that are not valid UTF-8.")

(defun odd-tree (root)
  "Makes a file of each odd name, which contains its number."
  (put-tree root (loop for name in (append *odd-names* *odd-bytes*)
                       for number from 0
                       collect (list name (format nil "file ~D" number)))))

(defun odd-count ()
  (+ (length *odd-names*) (length *odd-bytes*)))

(defun contents-sorted (paths)
  "Returns the contents of the files PATHS, sorted."
  (sort (loop for path in paths collect (getf (call :read-file :path path) :content))
        #'string<))

(defun all-contents ()
  (sort (loop for number below (odd-count) collect (format nil "file ~D" number)) #'string<))

(test names.listed-and-passed-back
  (with-tree (root)
    (odd-tree root)
    (let ((entries (getf (call :list-directory :show-hidden t) :entries)))
      (is (= (odd-count) (length entries)))
      (is (equal (all-contents)
                 (contents-sorted (mapcar (lambda (entry) (getf entry :path)) entries)))))))

(test names.text-names-are-themselves
  (with-tree (root)
    (odd-tree root)
    (let ((names (mapcar (lambda (entry) (getf entry :name))
                         (getf (call :list-directory :show-hidden t) :entries))))
      (dolist (name (remove #\" *odd-names* :key (lambda (name) (char name 0))))
        (is (member name names :test #'equal) "~S is not listed so" name)))))

(test names.found-and-passed-back
  (with-tree (root)
    (odd-tree root)
    (is (equal (all-contents)
               (contents-sorted (getf (call :search-files :pattern "**") :paths))))
    (is (equal (all-contents)
               (contents-sorted (mapcar (lambda (match) (getf match :path))
                                        (getf (call :grep-files :pattern "file") :matches)))))))

(test names.below-a-directory-called-tilde
  (with-tree (root ("~/x" "inside"))
    (let ((paths (getf (call :search-files :pattern "**") :paths)))
      (is (equal '("inside") (contents-sorted paths))))
    (let ((entry (first (getf (call :list-directory :path "./~") :entries))))
      (is (equal "inside" (getf (call :read-file :path (getf entry :path)) :content))))))

(test names.as-pathnames
  (with-tree (root ("a[1]*?.lisp" "odd") ("d[2]/b.lisp" "below"))
    (is (equal "odd" (getf (call :read-file :path (make-pathname :name "a[1]*?" :type "lisp"))
                           :content)))
    (is (equal "below" (getf (call :read-file
                                   :path (make-pathname :directory '(:relative "d[2]")
                                                        :name "b" :type "lisp"))
                             :content)))
    #+sbcl (is (equal "odd" (getf (call :read-file
                                        :path (sb-ext:parse-native-namestring "a[1]*?.lisp"))
                                  :content)))
    #+sbcl (is (equal "odd" (getf (call :read-file
                                        :path (first (directory
                                                      (concatenate 'string root "*.lisp"))))
                                  :content)))))
