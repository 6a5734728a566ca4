;;;; tools-tests.lisp -- calls for models: approval and hooks.
;;;;
;;;; SPDX-License-Identifier: MIT

(in-package #:agent-q-fs/test)
(in-suite agent-q-fs)

(defmacro with-handler ((decision &optional seen) &body body)
  "Runs BODY with an *APPROVAL-HANDLER* that answers DECISION, and pushes its arguments to SEEN."
  `(let ((*approval-handler*
           (lambda (operation arguments)
             (declare (ignorable operation arguments))
             ,@(when seen `((push (list (operation-name operation) arguments *approval-preview*)
                                  ,seen)))
             ,decision)))
     ,@body))

(test tools.approved-is-done-once-asked
  (with-tree (root)
    (let ((seen '()))
      (with-handler (:approved seen)
        (is (search "new" (call-tool "create_file" '(:path "new" :content "text"))))
        (is (equal "text" (contents root "new")))
        (call-tool "read_file" '(:path "new"))
        (call-tool "edit_file" '(:path "new" :old-str "text" :new-str "other")))
      (is (= 1 (length seen)) "what reads and edits is not asked about")
      (destructuring-bind (name arguments preview) (first seen)
        (is (equal "create_file" name))
        (is (equal "new" (gethash "path" arguments)))
        (is (eq :dangerous (getf preview :tier)))
        (is (search "+text" (getf preview :diff)))))))

(test tools.denied-changes-nothing
  (with-tree (root ("a" "kept"))
    (dolist (decision '(:denied (:denied "not now") nil t :yes "approved" (:denied . 3)
                        (:modified) (:approved)))
      (with-handler (decision)
        (is (eql 0 (search "Error: The user denied delete_file"
                           (call-tool "delete_file" '(:path "a"))))
            "~S" decision)
        (is (equal "kept" (contents root "a")) "~S" decision)))
    (with-handler ('(:denied "not now"))
      (is (equal "Error: The user denied delete_file: not now"
                 (call-tool "delete_file" '(:path "a")))))))

(test tools.modified-is-done-instead
  (with-tree (root ("a" "kept"))
    (with-handler ('(:modified (:path "b" :content "theirs")))
      (call-tool "create_file" '(:path "c" :content "mine")))
    (is (equal "theirs" (contents root "b")))
    (is (null (contents root "c")))
    (with-handler ('(:modified 42))
      (is (eql 0 (search "Error: " (call-tool "delete_file" '(:path "a"))))))
    (is (equal "kept" (contents root "a")))))

(defun protected-target-p (preview)
  "Returns true if PREVIEW shows that a protected file is touched."
  (some (lambda (target) (getf target :protected)) (getf preview :targets)))

(test tools.modified-is-shown-first
  "A call that a handler has put in place of another is shown to it before it is made."
  (with-tree (root ("a" "kept") (".vscode/tasks.json" "theirs"))
    (libc-symlink ".vscode" (in-root root "notes"))
    (let* ((seen '())
           (*approval-handler*
             (lambda (operation arguments)
               (declare (ignore operation))
               (push (list (gethash "path" arguments) *approval-preview*) seen)
               (cond ((rest seen) (if (protected-target-p *approval-preview*) :denied :approved))
                     (t '(:modified (:path "notes/tasks.json" :content "x"
                                     :allow-overwrite t)))))))
      (is (eql 0 (search "Error: The user denied create_file"
                         (call-tool "create_file" '(:path "new" :content "mine")))))
      (is (equal '("notes/tasks.json" "new") (mapcar #'first seen)))
      (is (equal ".vscode/tasks.json"
                 (getf (first (getf (second (first seen)) :targets)) :path)))
      (is (equal "theirs" (contents root ".vscode/tasks.json")))
      (is (null (contents root "new"))))
    ;; A change between that question and the answer counts, too.
    (let* ((asked 0)
           (*approval-handler*
             (lambda (operation arguments)
               (declare (ignore operation arguments))
               (if (= 2 (incf asked))
                   (progn (put (in-root root "a") "another by now")
                          :approved)
                   '(:modified (:path "a" :content "new" :allow-overwrite t))))))
      (is (eql 0 (search "Error: "
                         (call-tool "create_file" '(:path "b" :content "mine")))))
      (is (= 2 asked))
      (is (equal "another by now" (contents root "a")))))
  ;; A handler that is never content ends nothing but its call.
  (with-tree (root)
    (let* ((asked 0)
           (*approval-handler*
             (lambda (operation arguments)
               (declare (ignore operation arguments))
               (list :modified (list :path (format nil "new~D" (incf asked)) :content "x")))))
      (is (eql 0 (search "Error: The user denied"
                         (call-tool "create_file" '(:path "new" :content "mine")))))
      (is (null (contents root (format nil "new~D" asked)))))))

(test tools.approved-is-what-was-shown
  (with-tree (root ("a" "shown"))
    (let ((*approval-handler* (lambda (operation arguments)
                                (declare (ignore operation arguments))
                                (put (in-root root "a") "another by now")
                                :approved)))
      (is (eql 0 (search "Error: " (call-tool "delete_file" '(:path "a")))))
      (is (equal "another by now" (contents root "a"))))))

(test tools.nobody-to-ask
  (with-tree (root ("a" "kept"))
    (is (eql 0 (search "Error: Approval is required" (call-tool "delete_file" '(:path "a")))))
    (is (equal "kept" (contents root "a")))
    (with-handler ((error "The handler fails"))
      (signals simple-error (call-tool "delete_file" '(:path "a"))))
    (is (equal "kept" (contents root "a")))))

(test tools.hooks
  (with-tree (root ("a" (format nil "text~%")))
    (let* ((told '())
           (*tool-execution-hooks*
             (list (lambda (phase operation arguments result)
                     (push (list phase
                                 (if (stringp operation) operation (operation-name operation))
                                 (gethash "path" arguments) result)
                           told)))))
      (call-tool "read_file" '(("path" . "a")))
      (is (equal `((:before "read_file" "a" nil) (:after "read_file" "a" ,(format nil "text~%")))
                 (reverse told)))
      (setf told '())
      (call-tool "read_file" '(:path "b"))
      (is (equal '(:error "read_file" "b" "Error: Path 'b' does not exist") (first told)))
      (setf told '())
      (call-tool "no_such_tool" '(:path "b"))
      (is (equal '(:error :before) (mapcar #'first told)))
      (is (equal "no_such_tool" (second (first told)))))))

(test tools.hooks-that-fail-are-nobodys
  (with-tree (root ("a" (format nil "text~%")))
    (let ((*tool-execution-hooks* (list (lambda (&rest more)
                                          (declare (ignore more))
                                          (error "A hook fails"))))
          (warnings 0))
      (is (equal (format nil "text~%")
                 (handler-bind ((warning (lambda (warning)
                                           (incf warnings)
                                           (muffle-warning warning))))
                   (call-tool "read_file" '(:path "a")))))
      (is (= 2 warnings)))))

(test tools.nothing-is-approved-without-a-digest
  ;; The core would compare nothing.
  (with-tree (root ("a" "x"))
    (signals agent-q-fs-invalid-argument
      (agent-q-fs::run-approved *workspace* "delete_file" (find-operation "delete_file" :ffi)
                                '(("path" . "a")) nil))
    (is (equal "x" (contents root "a")))))

(test tools.a-reply-without-text-is-malformed
  (dolist (reply '(() (:text nil) (:text 5)))
    (is (typep (condition-of (agent-q-fs::reply-text reply)) 'agent-q-fs-malformed-reply)))
  (is (equal "x" (agent-q-fs::reply-text '(:text "x")))))

(test tools.changed-for-ever-is-denied
  (with-tree (root ("a" "x"))
    (let* ((times 0)
           (*approval-handler* (lambda (name arguments)
                                 (declare (ignore name arguments))
                                 (list :modified (list :path (format nil "new~D" (incf times))
                                                       :content "x")))))
      (multiple-value-bind (reply code)
          (agent-q-fs::run-with-approval *workspace* "create_file" (find-operation "create_file" :ffi)
                                         '(("path" . "new") ("content" . "x")) nil)
        (is (equal "denied" code))
        (is (eq :denied (getf reply :error)))
        (is (= 100 times))))))

(test tools.denials-are-errors
  (loop for (reason . words) in '((nil . "The user denied x") ("why" . "The user denied x: why")
                                  (5 . "The user denied x"))
        do (let ((denial (agent-q-fs::denial "x" reason)))
             (is (eq :denied (getf denial :error)))
             (is (equal words (getf denial :message))))))

(defvar *asked* :nobody
  "How the core was asked, the latest first, where a test wants to know it.")

(defmethod agent-q-fs::perform :around ((workspace agent-q-fs::workspace) name operation entries how)
  (declare (ignore name operation entries))
  (unless (eq *asked* :nobody) (push how *asked*))
  (call-next-method))

(test tools.data-is-not-sent-beside-the-words
  (with-tree (root ("a" (format nil "x~%")))
    (let ((*asked* '()))
      (is (equal (format nil "x~%") (call-tool "read_file" '(:path "a"))))
      (is (equal '(t) (mapcar (lambda (how) (getf how :words)) *asked*))))))

(test tools.secrets-are-asked-about
  (with-tree (root (".env" (format nil "A=TOPSECRET~%")) (".env.example" (format nil "A=OPEN~%")))
    (is (eql 0 (search "Error: Approval is required" (call-tool "read_file" '(:path ".env")))))
    (let ((seen '()))
      (with-handler (:denied seen)
        (is (eql 0 (search "Error: The user denied read_file"
                           (call-tool "read_file" '(:path ".env")))))
        (is (null (search "TOPSECRET" (call-tool "edit_file" '(:path ".env" :old-str "A=TOPX"
                                                               :new-str "B")))))
        (is (null (search "TOPSECRET" (call-tool "grep_files" '(:pattern "A=")))))
        (is (equal (format nil "A=OPEN~%") (call-tool "read_file" '(:path ".env.example")))))
      (is (= 2 (length seen)))
      (let ((target (first (getf (third (first (last seen))) :targets))))
        (is (equal ".env" (getf target :path)))
        (is (eq :read (getf target :action)))
        (is (search "Environments" (getf target :secret)))))
    (with-handler (:approved)
      (is (equal (format nil "A=TOPSECRET~%") (call-tool "read_file" '(:path ".env")))))
    ;; Other arguments are judged in their turn.
    (with-handler ('(:modified (:path ".env.example")))
      (is (equal (format nil "A=OPEN~%") (call-tool "read_file" '(:path ".env")))))
    (with-handler ('(:modified (:path ".env")))
      (is (equal (format nil "A=TOPSECRET~%") (call-tool "read_file" '(:path ".env")))))
    ;; A program's own call is not asked about.
    (is (equal (format nil "A=TOPSECRET~%") (getf (call* "read_file" '(:path ".env")) :content)))))
