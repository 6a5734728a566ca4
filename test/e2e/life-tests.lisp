;;;; life-tests.lisp -- the life of a change, as an agent makes it and a person sees it.
;;;;
;;;; SPDX-License-Identifier: MIT

(in-package #:agent-q-fs/e2e)
(in-suite e2e)

(defun lines (&rest lines)
  (format nil "~{~A~%~}" lines))

(defun tool (name &rest arguments)
  "Returns the text that a model is shown."
  (call-tool name arguments))

(defun buffer-text (root name)
  "Returns the text of the buffer that visits NAME, or nil without such a buffer."
  (emacs-value (in-elisp "(let ((buffer (get-file-buffer ~A)))
                            (and buffer (with-current-buffer buffer
                                          (substring-no-properties (buffer-string)))))"
                         (concatenate 'string root name))))

(defun visit (root name)
  (emacs-value (in-elisp "(progn (find-file-noselect ~A) t)" (concatenate 'string root name))))

(defun tidy-up ()
  "Kills the buffers that visit files."
  (emacs-value "(progn (dolist (buffer (buffer-list))
                         (when (buffer-file-name buffer)
                           (with-current-buffer buffer (set-buffer-modified-p nil))
                           (kill-buffer buffer)))
                       t)"))

(defparameter *greet* (lines "(defun greet ()" "  (print :hello))" "" "(defun bye ()"
                             "  (print :hello))"))

(defmacro with-greetings ((root) &body body)
  `(with-project (,root ("src/greet.lisp" *greet*) ("src/old.lisp" (lines "(old)"))
                        ("README" (lines "Read me")) (".git/HEAD" "x"))
     (unwind-protect (progn ,@body)
       (tidy-up))))

(test life.looking-around
  (with-greetings (root)
    (is (search root (tool "get_project_root")))
    (let ((tree (tool "directory_tree")))
      (is (and (search "greet.lisp" tree) (search "README" tree)))
      (is (not (search "HEAD" tree))))
    (is (equal (lines "src/greet.lisp" "src/old.lisp") (tool "search_files" "pattern" "**/*.lisp")))
    (let ((found (tool "grep_files" "pattern" "hello" "context" 0)))
      (is (search "src/greet.lisp:2:" found))
      (is (search "src/greet.lisp:5:" found)))
    (is (equal *greet* (tool "read_file" "path" "src/greet.lisp")))
    (is (equal (lines "  (print :hello))")
               (subseq (tool "read_file" "path" "src/greet.lisp" "start_line" 2 "end_line" 2)
                       0 (length (lines "  (print :hello))")))))))

(test life.editing
  (with-greetings (root)
    (visit root "src/greet.lisp")
    (let ((refusal (tool "edit_file" "path" "src/greet.lisp" "old_str" ":hello"
                         "new_str" ":hi")))
      (is (eql 0 (search "Error: " refusal)))
      (is (and (search "2" refusal) (search "5" refusal)) "it said ~A" refusal)
      (is (equal *greet* (contents root "src/greet.lisp"))))
    (let ((reply (tool "edit_file" "path" "src/greet.lisp"
                       "old_str" (format nil "bye ()~%  (print :hello)")
                       "new_str" (format nil "bye ()~%  (print :bye)"))))
      (is (search "Edited src/greet.lisp" reply)))
    (let ((expected (lines "(defun greet ()" "  (print :hello))" "" "(defun bye ()"
                           "  (print :bye))")))
      (is (equal expected (contents root "src/greet.lisp")))
      (is (equal expected (buffer-text root "src/greet.lisp")))
      (tool "insert_at_line" "path" "src/greet.lisp" "line" 0 "content" ";;;; greet.lisp")
      (is (equal (concatenate 'string (lines ";;;; greet.lisp") expected)
                 (contents root "src/greet.lisp")))
      (is (equal (contents root "src/greet.lisp") (buffer-text root "src/greet.lisp"))))
    (is (equal (lines "(old)") (contents root "src/old.lisp")))))

(test life.creating-moving-deleting
  (with-greetings (root)
    (let ((before (questions)))
      (is (search "new.lisp" (answering ("y")
                               (tool "create_file" "path" "src/new.lisp"
                                     "content" (lines "(new)")))))
      (is (equal (lines "(new)") (contents root "src/new.lisp")))
      (is (= 1 (- (questions) before)) "create_file was asked about once"))
    (visit root "src/new.lisp")
    (answering ("y") (tool "move_file" "source" "src/new.lisp"
                           "destination" "lib/newer.lisp"))
    (is (null (contents root "src/new.lisp")))
    (is (equal (lines "(new)") (contents root "lib/newer.lisp")))
    (is (null (buffer-text root "src/new.lisp")))
    (is (equal (lines "(new)") (buffer-text root "lib/newer.lisp")))))

(test life.denied-and-approved
  (with-greetings (root)
    (let ((reply (answering ("q") (tool "delete_file" "path" "src/old.lisp"))))
      (is (eql 0 (search "Error: The user denied delete_file" reply)) "it said ~A" reply))
    (is (equal (lines "(old)") (contents root "src/old.lisp")))
    (let ((before (questions)))
      (answering ("y") (tool "delete_file" "path" "src/old.lisp"))
      (is (= 1 (- (questions) before))))
    (is (null (contents root "src/old.lisp")))
    (is (equal *greet* (contents root "src/greet.lisp")))
    (is (equal (lines "Read me") (contents root "README")))))

(test life.patching
  (with-greetings (root)
    (let ((reply (tool "apply_patch" "patch"
                       (lines "--- a/README" "+++ b/README" "@@ -1 +1,2 @@" " Read me" "+twice"
                              "--- a/src/old.lisp" "+++ b/src/old.lisp" "@@ -1 +1 @@"
                              "-(old)" "+(newer)"))))
      (is (search "README" reply)))
    (is (equal (lines "Read me" "twice") (contents root "README")))
    (is (equal (lines "(newer)") (contents root "src/old.lisp")))
    (let ((reply (tool "apply_patch" "patch"
                       (lines "--- a/README" "+++ b/README" "@@ -1,2 +1 @@" " Read me" "-twice"
                              "--- a/src/old.lisp" "+++ b/src/old.lisp" "@@ -1 +1 @@"
                              "-(not there)" "+(newest)"))))
      (is (eql 0 (search "Error: " reply))))
    (is (equal (lines "Read me" "twice") (contents root "README")))))

(test life.the-log-has-it
  (with-greetings (root)
    (tool "read_file" "path" "README")
    (answering ("y") (tool "create_file" "path" "made" "content" "x"))
    (answering ("q") (tool "delete_file" "path" "made"))
    (let ((log (emacs-value "(save-window-excursion
                               (agent-q-fs-log)
                               (prog1 (substring-no-properties (buffer-string))
                                 (bury-buffer)))")))
      (loop for word in '("read_file" "README" "create_file" "delete_file" "made" "approved"
                          "denied")
            do (is (search word log) "~A is not in the log" word)))
    (let ((file (emacs-value "(progn (agent-q-fs-audit-flush)
                                     (with-temp-buffer
                                       (insert-file-contents (agent-q-fs-audit-file-name))
                                       (buffer-string)))")))
      (is (search "\"create_file\"" file)))))

(test life.programs-are-asked-about
  "A program in Lisp may do what a model may, whatever it says of its authority."
  (with-greetings (root)
    (is (= 0 (counting-questions
               (is (typep (condition-of (call :delete-file :path "README"))
                          'agent-q-fs-approval-required))
               (call :edit-file :path "README" :old-str "Read" :new-str "Know")
               (is (equal (lines "Know me") (contents root "README"))))))
    (is (= 1 (counting-questions
               (is (typep (answering ("q")
                            (condition-of (call :delete-file :path "README"
                                                :authority :dangerous)))
                          'agent-q-fs-denied)))))
    (is (equal (lines "Know me") (contents root "README")))
    (let ((shown (preview :delete-file '(:path "README"))))
      (is (search "-Know me" (getf shown :diff)))
      (is (= 1 (counting-questions
                 (is (equal "README"
                            (getf (answering ("y")
                                    (commit (getf shown :digest) :delete-file '(:path "README")))
                                  :path))))))
      (is (null (contents root "README")))
      (put (in-root root "README") "theirs")
      (is (typep (condition-of (commit (getf shown :digest) :delete-file '(:path "README")))
                 'agent-q-fs-stale)))
    (is (equal "theirs" (contents root "README")))
    (unwind-protect
         (progn (emacs-value "(setq agent-q-fs-policy 'read-only)")
                (is (typep (condition-of (call :edit-file :path "README" :old-str "t" :new-str "x"))
                           'agent-q-fs-read-only)))
      (emacs-value "(setq agent-q-fs-policy 'tiered)"))
    (is (equal "theirs" (contents root "README")))))

(test life.trusted-programs-are-not-asked-about
  (with-greetings (root)
    (trusting (authority)
      (let ((before (questions)))
        (is (typep (condition-of (call :delete-file :path "README"))
                   'agent-q-fs-approval-required))
        (is (equal (lines "Read me") (contents root "README")))
        (let ((shown (preview :delete-file '(:path "README"))))
          (is (search "-Read me" (getf shown :diff)))
          (commit (getf shown :digest) :delete-file '(:path "README")))
        (is (null (contents root "README")))
        (call :create-file :path "README" :content "again" :authority :dangerous)
        (is (equal "again" (contents root "README")))
        (is (= before (questions)))))))

(test life.conditions-cross
  (with-greetings (root)
    (let ((condition (condition-of (call :read-file :path "nothing"))))
      (is (typep condition 'agent-q-fs-not-found))
      (is (equal "nothing" (agent-q-fs-error-path condition)))
      (is (equal "Error: Path 'nothing' does not exist"
                 (getf (agent-q-fs-error-plist condition) :text))))
    (libc-symlink "/etc/passwd" (in-root root "out"))
    (is (typep (condition-of (call :read-file :path "out")) 'agent-q-fs-outside-root))
    (is (equal "again" (handler-bind ((agent-q-fs-not-found
                                        (lambda (condition)
                                          (put (in-root root "nothing") "again")
                                          (invoke-restart (find-restart 'retry condition)))))
                         (getf (call :read-file :path "nothing") :content))))
    (let ((version (getf (call :read-file :path "README") :version)))
      (put (in-root root "README") "changed")
      (is (typep (condition-of (call :edit-file :path "README" :old-str "changed" :new-str "x"
                                                :version version))
                 'agent-q-fs-stale))
      (is (equal "changed" (contents root "README"))))))

(test life.unsaved-buffers-are-kept
  (with-greetings (root)
    (visit root "README")
    (emacs-value (in-elisp "(with-current-buffer (get-file-buffer ~A)
                              (goto-char (point-max)) (insert \"typed\") t)"
                           (concatenate 'string root "README")))
    (is (eql 0 (search "Error: " (tool "edit_file" "path" "README" "old_str" "Read"
                                       "new_str" "Write"))))
    (is (equal (lines "Read me") (contents root "README")))
    (is (equal (format nil "Read me~%typed") (buffer-text root "README")))))

(test life.commands
  "A command is run, another one denied, and a session on a terminal lasts several calls."
  (with-greetings (root)
    (let ((reply (answering ("y") (tool "shell" "command" "cat README; exit 3"))))
      (is (search "Read me" reply))
      (is (search "Exit status 3" reply)))
    (let ((reply (answering ("q") (tool "shell" "command" "touch made"))))
      (is (eql 0 (search "Error: The user denied shell" reply)) "it said ~A" reply)
      (is (null (contents root "made"))))
    (let* ((started (answering ("y") (tool "exec_command" "cmd" "cat" "yield_time_ms" 0)))
           (id (parse-integer started :start (length "Session ") :junk-allowed t)))
      (is (eql 0 (search "Session " started)) "it said ~A" started)
      (flet ((typed (chars answer)
               (let ((said (answering ("y") (tool "write_stdin" "session_id" id "chars" chars
                                                                "yield_time_ms" 0))))
                 (loop until (search answer said)
                       unless (eql 0 (search "Session " said))
                         do (error "Expected ~S of a session that goes on, not ~S" answer said)
                       do (setf said (tool "write_stdin" "session_id" id "yield_time_ms" 100))))))
        (typed (lines "one") "one")
        (typed (lines "two") "two")
        (typed (string (code-char 4)) "Exit status 0")
        (pass)))))

;; The files of Emacs' memory, and of a session that Emacs made.
(test life.backends
  (trusting (authority)
    (dolist (backend '(:memory :session))
      (with-workspace (ws :backend backend)
        (is (eq backend (getf (workspace-properties ws) :backend)))
        (call :write-file :workspace ws :authority :dangerous :path "a/b" :content "x")
        (is (equal "x" (getf (call :read-file :workspace ws :path "a/b") :content)))
        (is (eq ws (reset-workspace ws)))
        (is (null (getf (call :file-exists :workspace ws :path "a/b") :exists)))))))
