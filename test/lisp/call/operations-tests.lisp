;;;; operations-tests.lisp -- the table, every operation once, and refused arguments.
;;;;
;;;; SPDX-License-Identifier: MIT

(in-package #:agent-q-fs/test)
(in-suite agent-q-fs)

(test operations.table
  (dolist (operation (operations))
    (is (stringp (operation-name operation)))
    (is (member (operation-tier operation) '(:safe :cautious :dangerous)))
    (is (plusp (length (operation-documentation operation))))
    (dolist (parameter (operation-parameters operation))
      (is (plusp (length (parameter-documentation parameter))))
      (is (member (parameter-type parameter)
                  '(:string :path :integer :boolean :strings :edits :choice)))
      (when (eq :choice (parameter-type parameter))
        (is (every #'stringp (parameter-choices parameter)))))))

(test operations.found-by-any-name
  (let ((operation (find-operation "read_file")))
    (is (equal "read_file" (operation-name operation)))
    (is (eq operation (find-operation :read-file)))
    (is (eq operation (find-operation 'read_file)))
    (is (null (find-operation "read-file")))
    (is (null (find-operation "no such")))))

(defmacro with-sample-tree (&body body)
  `(with-tree (root ("a.lisp" (format nil "(defun a ())~%;; b~%"))
                    ("src/b.lisp" (format nil "(b)~%(defun b ())~%"))
                    ("src/bytes.bin" #(0 1 2 255))
                    ("empty"))
     ,@body))

(test operations.all-are-tried-below
  (is (subsetp (mapcar #'operation-name (remove :safe (operations)
                                                :key #'operation-tier :test-not #'eq))
               '("get_project_root" "list_directory" "list_dir" "directory_tree"
                 "get_file_info" "file_exists" "read_file" "read_bytes" "search_files"
                 "grep_files" "list_forms" "read_form" "snapshot_list" "snapshot_diff"
                 "changes_list" "changes_diff")
               :test #'string=)))

(test operations.get-project-root
  (with-sample-tree
    (is (equal root (getf (call :get-project-root) :root)))))

(test operations.list-directory
  (with-sample-tree
    (let ((reply (call :list-directory)))
      (is (equal '("a.lisp" "empty" "src")
                 (mapcar (lambda (entry) (getf entry :name)) (getf reply :entries))))
      (is (equal '(:file :directory :directory)
                 (mapcar (lambda (entry) (getf entry :type)) (getf reply :entries))))
      (is (= 3 (getf reply :total)))
      (is (null (getf reply :truncated))))
    (is (= 1 (length (getf (call :list-directory :limit 1 :sort-by :size) :entries))))))

(test operations.list-dir
  (with-sample-tree
    (is (search "src/" (getf (call :list-dir) :text)))))

(test operations.directory-tree
  (with-sample-tree
    (let ((reply (call :directory-tree)))
      (is (= 3 (getf reply :files)))
      (is (= 2 (getf reply :directories)))
      (is (= 3 (length (getf (getf reply :tree) :children)))))))

(test operations.get-file-info
  (with-sample-tree
    (let ((reply (call :get-file-info :path "a.lisp")))
      (is (eq :file (getf reply :type)))
      (is (= 18 (getf reply :size)))
      (is (eq t (getf reply :readable)))
      (is (equal "rw-r--r--" (getf reply :permissions))))))

(test operations.file-exists
  (with-sample-tree
    (is (eq t (getf (call :file-exists :path "a.lisp") :exists)))
    (is (eq nil (getf (call :file-exists :path "nothing") :exists)))))

(test operations.read-file
  (with-sample-tree
    (let ((reply (call :read-file :path "a.lisp" :start-line 2)))
      (is (equal (format nil ";; b~%") (getf reply :content)))
      (is (= 2 (getf reply :total-lines)))
      (is (stringp (getf reply :version))))))

(test operations.read-bytes
  (with-sample-tree
    (is (equalp #(0 1 2 255) (read-bytes "src/bytes.bin")))
    (multiple-value-bind (octets reply) (read-bytes "src/bytes.bin" :offset 1 :limit 2)
      (is (equalp #(1 2) octets))
      (is (= 4 (getf reply :size)))
      (is (eq t (getf reply :truncated))))))

(test operations.search-files
  (with-sample-tree
    (is (equal '("a.lisp" "src/b.lisp") (getf (call :search-files :pattern "**/*.lisp") :paths)))
    (is (equal '() (getf (call :search-files :pattern "**/*.lisp" :exclude-patterns '("*"))
                         :paths)))))

(test operations.grep-files
  (with-sample-tree
    (let ((reply (call :grep-files :pattern "defun")))
      (is (equal '(("a.lisp" 1) ("src/b.lisp" 2))
                 (loop for match in (getf reply :matches)
                       collect (list (getf match :path) (getf match :line)))))
      (is (= 2 (getf reply :total))))
    (is (= 1 (getf (call :grep-files :pattern "DEFUN B" :ignore-case t :literal t) :total)))))

(test operations.forms
  (with-sample-tree
    (is (equal '(("defun" "a" 1) ("b" nil 1) ("defun" "b" 2))
               (loop for form in (getf (call :list-forms :path ".") :forms)
                     collect (list (getf form :kind) (getf form :name) (getf form :start-line)))))
    (let ((reply (call :read-form :path "src/b.lisp" :name "b")))
      (is (equal "(defun b ())" (getf reply :content)))
      (is (equal '(2 2) (list (getf reply :start-line) (getf reply :end-line)))))))

(test operations.changes
  "The changes of a call are listed, shown and taken back."
  (with-sample-tree
    (call :edit-file :path "a.lisp" :old-str "defun a" :new-str "defun z")
    (let* ((listed (call :changes-list))
           (id (getf (first (getf listed :calls)) :id))
           (file (first (getf (call :changes-diff :calls (list id)) :files))))
      (is (= 1 (getf listed :total)))
      (is (equal '("a.lisp" :modified 1 1)
                 (list (getf file :path) (getf file :action)
                       (getf file :added) (getf file :removed))))
      (is (equal '("a.lisp") (mapcar (lambda (each) (getf each :path))
                                     (getf (call :changes-undo :calls (list id)) :files))))
      (is (equal (format nil "(defun a ())~%;; b~%")
                 (getf (call :read-file :path "a.lisp") :content))))))

;;;; Refused arguments

(defun refusal (operation &rest arguments)
  "Returns the message of the invalid-argument error of a call, or nil."
  (let ((condition (condition-of (call* operation arguments))))
    (and (typep condition 'agent-q-fs-invalid-argument)
         (agent-q-fs-error-message condition))))

(test operations.unknown-operation
  (with-sample-tree
    (signals agent-q-fs-unknown-operation (call :no-such-operation))
    (signals agent-q-fs-unknown-operation (call "read-file" :path "a.lisp"))
    (signals agent-q-fs-unknown-operation (call (format nil "read_file~C" (code-char 0))))
    (signals agent-q-fs-invalid-argument (call 42))
    (signals agent-q-fs-invalid-argument (call nil))))

(test operations.refusals-name-the-parameter
  (with-sample-tree
    (loop for (name . arguments)
            in `(("pth" :read-file :pth "a.lisp")
                 ("nothing" :read-file :path "a.lisp" :nothing nil)
                 ("path" :read-file)
                 ("path" :read-file :path nil)
                 ("path" :read-file :path 42)
                 ("path" :read-file :path ("a.lisp"))
                 ("limit" :list-directory :limit "many")
                 ("limit" :list-directory :limit 0)
                 ("limit" :list-directory :limit 1.5d0)
                 ("limit" :list-directory :limit ,(expt 10 30))
                 ("limit" :list-directory :limit ,(- (expt 2 64)))
                 ("limit" :list-directory :limit 1d300)
                 ("show_hidden" :list-directory :show-hidden "false")
                 ("show_hidden" :list-directory :show-hidden 0)
                 ("sort_by" :list-directory :sort-by "colour")
                 ("sort_by" :list-directory :sort-by :colour)
                 ("exclude_patterns" :list-directory :exclude-patterns (1 2))
                 ("exclude_patterns" :list-directory :exclude-patterns "*.lisp"))
          do (let ((message (apply #'refusal arguments)))
               (is (and message (eql 0 (search name message)))
                   "~S was refused with ~S" arguments message)))))

(test operations.integral-float-is-an-integer
  (with-sample-tree
    (is (= 1 (length (getf (call :list-directory :limit 1.0) :entries))))
    (is (= 1 (length (getf (call :list-directory :limit 1d0) :entries))))))

(test operations.list-as-a-model-writes-it
  (with-sample-tree
    (is (equal '("a.lisp") (getf (call :search-files :pattern "**/*.lisp"
                                                     :exclude-patterns "[\"src\"]")
                                 :paths)))))

(test operations.given-twice
  (with-sample-tree
    (signals agent-q-fs-invalid-argument (call :read-file :path "a.lisp" :path "src/b.lisp"))))
