;;;; registry-tests.lisp -- the tools in a registry, run as cl-llm-provider runs tools.
;;;;
;;;; SPDX-License-Identifier: MIT

(in-package #:agent-q-fs/test)
(in-suite agent-q-fs)

(defun table-of (&rest plist)
  "Returns a hash table like those that parsers of JSON make."
  (let ((table (make-hash-table :test #'equal)))
    (loop for (name value) on plist by #'cddr
          do (setf (gethash name table) value))
    table))

(defun execute (registry name arguments &rest options)
  "Returns the value of EXECUTE-TOOL, or the condition that it signals."
  (handler-case
      (apply #'cl-llm-provider.tools:execute-tool
             (cl-llm-provider.tools:find-tool registry name)
             (make-instance 'cl-llm-provider:tool-call :name name :arguments arguments)
             :registry registry options)
    (error (condition) condition)))

(defun new-registry (&rest options)
  (let ((registry (apply #'cl-llm-provider.tools:make-tool-registry options)))
    (agent-q-fs/agent-q:register-tools :registry registry)
    registry))

(defun names-of (tools)
  (sort (mapcar #'cl-llm-provider:tool-name tools) #'string<))

(test registry.loading-registers
  (is-true (cl-llm-provider.tools:find-tool (cl-llm-provider.tools:ensure-registry)
                                            "read_file")))

(defun remove-words (items)
  "Returns ITEMS, members that describe the elements of an array, without words about objects."
  (if (eq :object (getf items :type)) '(:type :object) items))

(defun is-described (described parameter)
  "Checks that DESCRIBED, as cl-llm-provider has it, says what the table says of PARAMETER."
  (destructuring-bind (type items)
      (ecase (agent-q-fs:parameter-type parameter)
        ((:path :string :choice) '(:string nil))
        (:integer '(:integer nil))
        (:boolean '(:boolean nil))
        (:strings '(:array (:type :string)))
        (:edits '(:array (:type :object))))
    (is (equal (agent-q-fs:parameter-name parameter) (getf described :name)))
    (is (eq type (getf described :type)))
    (is (equal items (remove-words (getf described :items))))
    (is (equal (agent-q-fs:parameter-choices parameter) (getf described :enum)))
    (is (eq (and (agent-q-fs:parameter-choices parameter) t)
            (not (eq 'none (getf described :enum 'none)))))))

(test registry.every-operation-by-its-level
  (let ((registry (new-registry)))
    (is (equal (sort (mapcar #'operation-name (operations :ffi)) #'string<)
               (names-of (cl-llm-provider.tools:list-tools registry))))
    (dolist (operation (operations :ffi))
      (let ((tool (cl-llm-provider.tools:find-tool registry (operation-name operation))))
        (is (eq (ecase (operation-tier operation)
                  (:safe :safe) (:cautious :moderate) (:dangerous :dangerous))
                (cl-llm-provider:tool-safety-level tool)))
        (is (equal (operation-documentation operation)
                   (cl-llm-provider:tool-description tool)))
        (is (every #'stringp (cl-llm-provider:tool-required-params tool)))
        (loop for described in (cl-llm-provider:tool-parameters tool)
              for parameter in (operation-parameters operation)
              do (is-described described parameter))))))

(test registry.filtered-by-level
  (let ((registry (new-registry)))
    (flet ((offered (level)
             (names-of (cl-llm-provider.tools:tools-for-llm :registry registry
                                                            :max-safety-level level))))
      (is (member "read_file" (offered :safe) :test #'equal))
      (is (not (member "edit_file" (offered :safe) :test #'equal)))
      (is (member "edit_file" (offered :moderate) :test #'equal))
      (is (not (member "delete_file" (offered :moderate) :test #'equal)))
      (is (member "delete_file" (offered :dangerous) :test #'equal)))
    (with-tree (root ("a" "kept"))
      (is (typep (execute registry "delete_file" '(:path "a") :max-safety-level :moderate)
                 'cl-llm-provider.tools:tool-safety-violation))
      (is (equal "kept" (contents root "a"))))))

(test registry.replaces-tools-of-the-same-names
  (let ((registry (cl-llm-provider.tools:make-tool-registry)))
    (dolist (name '("read_file" "other"))
      (cl-llm-provider.tools:register-tool
       registry (cl-llm-provider:define-tool name "Old." '() :handler (constantly "old"))))
    (agent-q-fs/agent-q:register-tools :registry registry)
    (with-tree (root ("a" "new"))
      (is (search "new" (execute registry "read_file" '(:path "a"))))
      (is (equal "old" (execute registry "other" '()))))))

(test registry.only-some
  (let* ((agent-q-fs/agent-q:*tool-names* '("read_file" "edit_file"))
         (registry (new-registry)))
    (is (equal '("edit_file" "read_file")
               (names-of (cl-llm-provider.tools:list-tools registry))))))

(test registry.arguments-of-every-shape
  (let ((registry (new-registry)))
    (with-tree (root ("a" (format nil "one~%two~%")))
      (dolist (arguments (list (table-of "path" "a" "start_line" 2) '(:path "a" :start_line 2)
                               '(:path "a" :start-line 2) '(("path" . "a") ("start_line" . 2))
                               '((:path . "a") (:start-line . 2))))
        (is (search (format nil "two~%") (execute registry "read_file" arguments))
            "~S" arguments)))))

(test registry.results-are-text
  (let ((registry (new-registry)))
    (with-tree (root ("a" "x"))
      (dolist (call '(("list_directory") ("read_file" :path "a") ("read_file" :path "nothing")
                      ("read_file" :path "../x") ("read_file") ("grep_files" :pattern "(")))
        (is (stringp (execute registry (first call) (rest call))) "~S" call)))))

;;;; Approval, exactly once

(defun counting (answer)
  "Returns an approval callback that answers ANSWER, and a function that counts its calls."
  (let ((count 0))
    (values (lambda (&rest more)
              (declare (ignore more))
              (incf count)
              answer)
            (lambda () count))))

(test registry.approved-by-the-callback-once
  (let ((registry (new-registry)))
    (dolist (arguments (list (list :path "new" :content "text")
                             (list (cons "path" "new") (cons "content" "text"))
                             (table-of "path" "new" "content" "text")))
      (with-tree (root)
        (multiple-value-bind (callback count) (counting :approved)
          (multiple-value-bind (handler handled) (counting :approved)
            (let ((*approval-handler* handler))
              (is (stringp (execute registry "create_file" arguments
                                    :approval-callback callback)))
              (is (equal "text" (contents root "new")))
              (is (= 1 (funcall count)))
              (is (= 0 (funcall handled)) "nobody else was asked"))))))))

(test registry.approved-by-the-registrys-callback
  (multiple-value-bind (callback count) (counting t)
    (let ((registry (new-registry :approval-callback callback)))
      (with-tree (root ("a" "x"))
        (execute registry "delete_file" (list :path "a"))
        (is (null (contents root "a")))
        (is (= 1 (funcall count)))
        (execute registry "list_directory" '())
        (is (= 1 (funcall count)))))))

(test registry.rejected-changes-nothing
  (let ((registry (new-registry)))
    (with-tree (root ("a" "kept"))
      (dolist (answer '(nil :rejected (:rejected "no")))
        (is (typep (execute registry "delete_file" (list :path "a")
                            :approval-callback (constantly answer))
                   'cl-llm-provider.tools:tool-approval-error))
        (is (equal "kept" (contents root "a")))))))

(test registry.edited-is-done-instead
  (let ((registry (new-registry)))
    (with-tree (root ("a" "kept"))
      (execute registry "create_file" (list :path "a" :content "x" :allow-overwrite t)
               :approval-callback (constantly (list :edited (list :path "b" :content "y"))))
      (is (equal "kept" (contents root "a")))
      (is (equal "y" (contents root "b"))))))

(test registry.callbacks-see-what-would-be-done
  (let ((registry (new-registry)) (seen '()))
    (with-tree (root (".vscode/tasks.json" "theirs"))
      (libc-symlink ".vscode" (in-root root "notes"))
      (execute registry "create_file" (list :path "notes/new.json" :content "x")
               :approval-callback (lambda (&rest call)
                                    (declare (ignore call))
                                    (push *approval-preview* seen)
                                    (if (protected-target-p (first seen)) :rejected :approved)))
      (is (= 1 (length seen)))
      (is (equal ".vscode/new.json" (getf (first (getf (first seen) :targets)) :path)))
      (is (search "+x" (getf (first seen) :diff)))
      (is (null (contents root ".vscode/new.json"))))))

(test registry.approvals-are-of-what-was-shown
  "A change between a callback's answer and the call is not covered by the answer."
  (let ((registry (new-registry)))
    (with-tree (root ("one/a" "1") ("two/a" "2"))
      (libc-symlink "one" (in-root root "link"))
      (is (eql 0 (search "Error: Approval is required"
                         (execute registry "delete_file" (list :path "link/a")
                                  :approval-callback
                                  (lambda (&rest call)
                                    (declare (ignore call))
                                    (libc-unlink (in-root root "link"))
                                    (libc-symlink "two" (in-root root "link"))
                                    :approved)))))
      (is (equal "1" (contents root "one/a")))
      (is (equal "2" (contents root "two/a")))
      (is (eql 0 (search "Error: Approval is required"
                         (execute registry "create_file"
                                  (list :path "one/a" :content "mine" :allow-overwrite t)
                                  :approval-callback
                                  (lambda (&rest call)
                                    (declare (ignore call))
                                    (put (in-root root "one/a") "theirs")
                                    :approved)))))
      (is (equal "theirs" (contents root "one/a"))))))

(test registry.edited-is-shown-first
  (let ((registry (new-registry)) (seen '()))
    (with-tree (root ("a" "kept") (".envrc" "theirs"))
      (execute registry "create_file" (list :path "new" :content "x")
               :approval-callback
               (lambda (&rest call)
                 (declare (ignore call))
                 (push *approval-preview* seen)
                 (if (protected-target-p *approval-preview*)
                     :rejected
                     (list :edited (list :path ".envrc" :content "x" :allow-overwrite t)))))
      (is (= 2 (length seen)))
      (is (equal "theirs" (contents root ".envrc")))
      (is (null (contents root "new"))))))

(test registry.without-a-callback-the-handler-is-asked-once
  (let ((registry (new-registry)))
    (with-tree (root ("a" "kept"))
      (is (eql 0 (search "Error: Approval is required"
                         (execute registry "delete_file" (list :path "a")))))
      (is (equal "kept" (contents root "a")))
      (multiple-value-bind (handler handled) (counting :approved)
        (let ((*approval-handler* handler))
          (execute registry "delete_file" (list :path "a"))
          (is (null (contents root "a")))
          (is (= 1 (funcall handled))))))))

(test registry.handlers-called-by-somebody-else
  (let* ((registry (new-registry))
         (handler (cl-llm-provider:tool-handler
                   (cl-llm-provider.tools:find-tool registry "delete_file")))
         (arguments (list :path "a")))
    (with-tree (root ("a" "kept"))
      (is (eql 0 (search "Error: Approval is required" (funcall handler arguments))))
      (is (eql 0 (search "Error: Approval is required"
                         (execute registry "delete_file" arguments :skip-approval t))))
      (is (equal "kept" (contents root "a")))
      ;; A rejected call is not remembered as approved.
      (is (typep (execute registry "delete_file" arguments :approval-callback (constantly nil))
                 'error))
      (is (eql 0 (search "Error: Approval is required" (funcall handler arguments))))
      (is (equal "kept" (contents root "a")))
      ;; An approval is for one call.
      (execute registry "delete_file" arguments :approval-callback (constantly t))
      (is (null (contents root "a")))
      (put (in-root root "a") "again")
      (is (eql 0 (search "Error: Approval is required" (funcall handler arguments))))
      (is (equal "again" (contents root "a"))))
    ;; Nor is it for the same change once more.
    (let ((create (cl-llm-provider:tool-handler
                   (cl-llm-provider.tools:find-tool registry "create_file")))
          (arguments (list :path "new" :content "text")))
      (with-tree (root)
        (execute registry "create_file" arguments :approval-callback (constantly t))
        (is (equal "text" (contents root "new")))
        (uiop:run-program (list "rm" (concatenate 'string root "new")))
        (is (eql 0 (search "Error: Approval is required" (funcall create arguments))))
        (is (null (contents root "new")))))))

(test registry.of-emacs-where-it-is-connected
  (let ((find-link #'agent-q-fs::find-link))
    (unwind-protect
         (progn
           (setf (symbol-function 'agent-q-fs::find-link) (constantly nil))
           (is (eq (operations :ffi) (agent-q-fs/agent-q::table)))
           (setf (symbol-function 'agent-q-fs::find-link) (constantly t))
           (is (not (eq (operations :ffi) (ignore-errors (agent-q-fs/agent-q::table))))))
      (setf (symbol-function 'agent-q-fs::find-link) find-link))))

(test registry.tools-of-others-are-left-alone
  (let* ((registry (new-registry))
         (tool (cl-llm-provider:define-tool "theirs" "" '() :requires-approval t
                                            :handler (constantly "done"))))
    (cl-llm-provider.tools:register-tool registry tool)
    (is (typep (execute registry "theirs" '()) 'cl-llm-provider.tools:tool-approval-required))
    (is (equal "done" (execute registry "theirs" '() :approval-callback (constantly t))))))

(test registry.agent-q-shows-nothing-above-moderate
  (with-package-variable ("*AGENT-Q-REGISTRY*" "AGENT-Q.TOOLS")
    (let ((variable (find-symbol "*AGENT-Q-REGISTRY*" "AGENT-Q.TOOLS"))
          (registry (cl-llm-provider.tools:make-tool-registry))
          (agent-q (make-package "AGENT-Q" :use '())))
      (setf (symbol-value variable) registry)
      (unwind-protect
           (flet ((level ()
                    (agent-q-fs/agent-q:register-tools)
                    (cl-llm-provider:tool-safety-level
                     (cl-llm-provider.tools:find-tool registry "delete_file"))))
             (is (eq :dangerous (level)))
             (setf (symbol-function (intern "EXECUTE-TOOL-CALLS-SAFE" agent-q))
                   (constantly nil))
             (is (eq :moderate (level)))
             (with-tree (root ("a" "kept"))
               (is (eql 0 (search "Error: Approval is required"
                                  (execute registry "delete_file" (list :path "a")
                                           :max-safety-level :moderate))))
               (is (equal "kept" (contents root "a")))))
        (delete-package agent-q)))))

(test registry.only-the-named-tools
  "*TOOL-NAMES* limits what is registered, also afterwards; what was replaced is put back."
  (let* ((registry (cl-llm-provider.tools:make-tool-registry))
         (theirs (cl-llm-provider:define-tool "list_directory" "" '()
                                              :handler (constantly "theirs"))))
    (flet ((named (name) (cl-llm-provider.tools:find-tool registry name))
           (register (*tool-names*) (agent-q-fs/agent-q:register-tools :registry registry)))
      (cl-llm-provider.tools:register-tool registry theirs)
      (is (= 2 (length (register '("read_file" "list_directory")))))
      (is (= 2 (length (cl-llm-provider.tools:list-tools registry))))
      (is-false (eq theirs (named "list_directory")))
      (register '("read_file" "edit_file"))
      (is (eq theirs (named "list_directory")))
      (is-true (named "edit_file"))
      (register '("read_file"))
      (is-true (named "read_file"))
      (is (null (named "edit_file")))
      (is (= (length (operations :ffi)) (length (register t))))
      (is-false (eq theirs (named "list_directory"))))))

(test registry.a-set
  "*TOOL-NAMES* may be a set's name, or have such among its names; another word is an error."
  (flet ((registered (*tool-names*)
           (names-of (agent-q-fs/agent-q:register-tools
                      :registry (cl-llm-provider.tools:make-tool-registry))))
         (in-set (set)
           (sort (loop for operation in (operations :ffi)
                       when (member set (operation-sets operation) :test #'string=)
                         collect (operation-name operation))
                 #'string<)))
    (is (equal (in-set "coding") (registered "coding")))
    (is-true (member "edit_file" (registered "coding") :test #'string=))
    (is-true (member "apply_patch" (registered "gpt") :test #'string=))
    (is (equal (sort (union (in-set "gpt") '("edit_file") :test #'string=) #'string<)
               (registered '("gpt" "edit_file"))))
    (dolist (wrong '("codeing" 7 (7) ("read_file" . 1)))
      (handler-case (progn (registered wrong) (fail "~S was taken" wrong))
        (agent-q-fs-invalid-argument (condition)
          (is (search "coding" (princ-to-string condition))))))))

(test registry.named-before-loading
  (let ((said (fresh-lisp "(progn (agent-q-fs/setup:load-systems '(\"agent-q-fs\") '() nil)
                             (setf (symbol-value (find-symbol \"*TOOL-NAMES*\" \"AGENT-Q-FS\"))
                                   '(\"read_file\"))
                             (agent-q-fs/setup:load-systems '(\"agent-q-fs/agent-q\") '() nil)
                             (format t \"~&TOOLS ~S~%\"
                                     (mapcar (find-symbol \"TOOL-NAME\" \"CL-LLM-PROVIDER\")
                                             (uiop:symbol-call \"CL-LLM-PROVIDER.TOOLS\" \"LIST-TOOLS\"
                                               (uiop:symbol-call \"CL-LLM-PROVIDER.TOOLS\"
                                                                 \"ENSURE-REGISTRY\")))))")))
    (is (search "TOOLS (\"read_file\")" said) "It said ~A" said)))

(test registry.nil-lists-are-not-given
  "A JSON null, which yason makes nil, leaves out a list as it does other arguments."
  (let ((registry (new-registry)))
    (with-tree (root (".git/HEAD" "x") ("a" "text"))
      (dolist (arguments (list (list :exclude-patterns nil)
                               (list (cons "exclude_patterns" nil))
                               (table-of "exclude_patterns" nil)))
        (is (equal (execute registry "directory_tree" '())
                   (execute registry "directory_tree" arguments)))
        (is (not (search "HEAD" (execute registry "directory_tree" arguments)))))
      (is (search "HEAD" (execute registry "directory_tree" (list :exclude-patterns #()))))
      (execute registry "edit_file" (table-of "path" "a" "old_str" "text" "new_str" "new"
                                              "edits" nil))
      (is (equal "new" (contents root "a"))))))

(test registry.null-for-each-optional-argument
  "An argument that a model leaves out may as well be null."
  (let ((registry (new-registry)))
    (dolist (operation (operations :ffi))
      (let ((nulls (make-hash-table :test #'equal)))
        (dolist (parameter (operation-parameters operation))
          (unless (parameter-required-p parameter)
            (setf (gethash (parameter-name parameter) nulls) nil)))
        (with-tree (root ("a" "text"))
          (when (and (eq :safe (operation-tier operation))
                     (notany #'parameter-required-p (operation-parameters operation)))
            (is (equal (execute registry (operation-name operation) '())
                       (execute registry (operation-name operation) nulls))
                "~A" (operation-name operation))))))))

(test registry.edits-are-described
  (let* ((registry (new-registry))
         (edits (find "edits" (cl-llm-provider:tool-parameters
                               (cl-llm-provider.tools:find-tool registry "edit_file"))
                      :key (lambda (parameter) (getf parameter :name)) :test #'string=))
         (items (getf edits :items)))
    (is (eq :object (getf items :type)))
    (is (search "old_str" (getf items :description)))
    (is (search "new_str" (getf items :description)))
    (is (find "old_str" (getf items :properties) :key (lambda (member) (getf member :name))
                                                 :test #'equal))))

(test registry.categories-as-agent-q-has-them
  (let ((registry (new-registry)))
    (flet ((categories (name)
             (cl-llm-provider:tool-categories (cl-llm-provider.tools:find-tool registry name))))
      (is (equal '(:filesystem :editing) (categories "create_file")))
      (is (equal '(:filesystem :navigation) (categories "list_directory"))))))

(test registry.loads-agent-q-first
  ;; A system without files stands for it.
  (flet ((needed-p ()
           (member "agent-q" (asdf:required-components "agent-q-fs/agent-q"
                                                       :other-systems t
                                                       :keep-component 'asdf:system)
                   :key #'asdf:component-name :test #'string=)))
    (unless (asdf:find-system "agent-q" nil)
      (is-false (needed-p))
      (with-tree (root ("agent-q.asd" "(defsystem \"agent-q\")"))
        (let ((asdf:*central-registry* (list (uiop:parse-native-namestring root))))
          (unwind-protect (is-true (needed-p))
            (asdf:clear-system "agent-q")))))))

(test registry.does-not-search-for-agent-q-before
  ;; ocicl would try to fetch it, for those who use the other systems only.
  (let ((said (fresh-lisp "(let* ((searched '())
                                  (file (asdf:system-source-file \"agent-q-fs\"))
                                  (asdf:*system-definition-search-functions*
                                    (list (lambda (name) (push name searched) nil))))
                             (asdf:load-asd file)
                             (format t \"~&DEFINED, SEARCHED ~S~%\"
                                     (find \"agent-q\" searched :test (function equal))))")))
    (is (search "DEFINED, SEARCHED NIL" said) "It said ~A" said)))
