;;; agent-q-fs-spec-tests.el --- Tests of specifications and rules for models  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'agent-q-fs-test-help)
(require 'agent-q-fs-spec)


(defun agent-q-fs-spec-tests--parsed (format &optional set)
  "Return the specifications in FORMAT of SET after a way through JSON."
  (json-parse-string (agent-q-fs-tool-specs-json format set)
                     :object-type 'alist :array-type 'list))

(defun agent-q-fs-spec-tests--named (name specs)
  "Return the one called NAME of SPECS."
  (seq-find (lambda (spec) (equal name (alist-get 'name spec))) specs))

(ert-deftest agent-q-fs-spec/every-tool-in-every-format ()
  (dolist (format '(openai anthropic mcp))
    (let ((specs (agent-q-fs-spec-tests--parsed format)))
      (should (equal (append (mapcar (lambda (row) (plist-get row :name)) (agent-q-fs-operations))
                             '("shell" "exec_command" "write_stdin" "list_sessions"
                               "kill_session" "find_definition" "find_references"
                               "list_symbols" "describe_symbol" "macroexpand_form"))
                     (mapcar (lambda (spec) (alist-get 'name spec)) specs)))
      (dolist (spec specs)
        (should (string-match-p "\\." (alist-get 'description spec)))
        (let ((schema (or (alist-get 'parameters spec) (alist-get 'input_schema spec)
                          (alist-get 'inputSchema spec))))
          (unless (equal "custom" (alist-get 'type spec))
            (should (equal "object" (alist-get 'type schema)))
            (should (eq :false (alist-get 'additionalProperties schema)))
            (dolist (required (alist-get 'required schema))
              (should (assq (intern required) (alist-get 'properties schema))))
            (dolist (property (alist-get 'properties schema))
              (should (member (alist-get 'type property)
                              '("string" "integer" "boolean" "array")))
              (should (stringp (alist-get 'description property)))))))
      ;; json-serialize must take them as well.
      (should (equal specs
                     (json-parse-string (json-serialize (vconcat (agent-q-fs-tool-specs format)))
                                        :object-type 'alist :array-type 'list))))))

(ert-deftest agent-q-fs-spec/details ()
  (let* ((openai (agent-q-fs-spec-tests--parsed 'openai))
         (list (alist-get 'parameters (agent-q-fs-spec-tests--named "list_directory" openai)))
         (edit (alist-get 'parameters (agent-q-fs-spec-tests--named "edit_file" openai)))
         (property (lambda (schema name) (alist-get name (alist-get 'properties schema)))))
    (should (equal '("name" "size" "modified") (alist-get 'enum (funcall property list 'sort_by))))
    (should (equal '(".git") (alist-get 'default (funcall property list 'exclude_patterns))))
    (should (equal '(1 256) (list (alist-get 'minimum (funcall property list 'depth))
                                  (alist-get 'maximum (funcall property list 'depth)))))
    (should (equal '("old_str" "new_str")
                   (alist-get 'required (alist-get 'items (funcall property edit 'edits)))))
    (let ((freeform (agent-q-fs-spec-tests--named "apply_patch_freeform" openai)))
      (should (equal "custom" (alist-get 'type freeform)))
      (should (equal "lark" (alist-get 'syntax (alist-get 'format freeform)))))))

(ert-deftest agent-q-fs-spec/annotations ()
  (let ((specs (agent-q-fs-spec-tests--parsed 'mcp)))
    (pcase-dolist (`(,name . ,expected)
                   '(("read_file" t :false t :false) ("edit_file" :false t :false :false)
                     ("insert_at_line" :false :false :false :false)
                     ("make_directory" :false :false t :false) ("delete_file" :false t t :false)))
      (let ((annotations (alist-get 'annotations (agent-q-fs-spec-tests--named name specs))))
        (should (equal expected
                       (mapcar (lambda (key) (alist-get key annotations))
                               '(readOnlyHint destructiveHint idempotentHint openWorldHint))))))
    (should (equal "Read a file" (alist-get 'title (agent-q-fs-spec-tests--named "read_file" specs))))
    (unwind-protect
        (progn
          (agent-q-fs-define-tool "test_shell" :doc "Runs." :handler #'ignore
                                  :hints '(:open-world t :title "Shell"))
          (let ((spec (agent-q-fs-spec-tests--named
                       "test_shell" (agent-q-fs-spec-tests--parsed 'mcp '("test_shell")))))
            (should (equal "Shell" (alist-get 'title spec)))
            (should (eq t (alist-get 'openWorldHint (alist-get 'annotations spec))))))
      (agent-q-fs-undefine-tool "test_shell"))))

(defun agent-q-fs-spec-tests--check-schema (schema definitions)
  "Fail unless SCHEMA is complete; DEFINITIONS has the schemas that it refers to."
  (let ((properties (alist-get 'properties schema))
        (reference (alist-get '$ref schema)))
    (when reference
      (should (assq (intern (string-remove-prefix "#/$defs/" reference)) definitions)))
    (dolist (name (alist-get 'required schema))
      (should (assq (intern name) properties)))
    (dolist (part (append (mapcar #'cdr properties) (list (alist-get 'items schema))))
      (when part
        (agent-q-fs-spec-tests--check-schema part definitions)))))

(defun agent-q-fs-spec-tests--sorted (value)
  "Return VALUE, parsed JSON, with the members of each object sorted by name."
  (cond ((vectorp value) (vconcat (mapcar #'agent-q-fs-spec-tests--sorted value)))
        ((consp value)
         (sort (mapcar (lambda (member)
                         (cons (car member) (agent-q-fs-spec-tests--sorted (cdr member))))
                       value)
               (lambda (a b) (string< (car a) (car b)))))
        (t value)))

(ert-deftest agent-q-fs-spec/schemas-of-replies ()
  "Every operation of the core has a schema of its replies, and keeps to it."
  (let ((specs (agent-q-fs-spec-tests--parsed 'mcp)))
    (dolist (spec specs)
      (let ((schema (alist-get 'outputSchema spec)))
        (should (equal (and (agent-q-fs--operation (alist-get 'name spec)) "object")
                       (alist-get 'type schema)))
        (dolist (part (cons schema (mapcar #'cdr (alist-get '$defs schema))))
          (agent-q-fs-spec-tests--check-schema part (alist-get '$defs schema)))))
    (agent-q-fs-test-with-tree (ws '("a.txt" "one\ntwo\n") '("d/e/b" "one\n"))
      (dolist (call '((get_project_root) (read_file :path "a.txt") (directory_tree)
                      (list_directory :depth 2) (get_file_info :path "d")
                      (file_exists :path "nope") (search_files :pattern "**")
                      (grep_files :pattern "one")
                      (edit_file :path "a.txt" :old_str "one" :new_str "1")))
        (let* ((schema (alist-get 'outputSchema
                                  (agent-q-fs-spec-tests--named (symbol-name (car call)) specs)))
               (names (cl-loop for key in (apply #'agent-q-fs-call ws call) by #'cddr
                               unless (eq key :text) ; MCP's content
                               collect (string-replace "-" "_"
                                                       (substring (symbol-name key) 1)))))
          (should-not (seq-difference (alist-get 'required schema) names))
          (should-not (seq-difference names (mapcar (lambda (property)
                                                      (symbol-name (car property)))
                                                    (alist-get 'properties schema)))))))))

;; The program makes its list in C, of the same table.
(ert-deftest agent-q-fs-spec/the-program-says-the-same ()
  (let* ((program (expand-file-name "agent-q-fs" (or (getenv "BUILD") "build")))
         (directory (make-temp-file "aqfs-spec" t)))
    (unwind-protect
        (dolist (set '("all" "coding"))
          (with-temp-buffer
            (insert "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":"
                    "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{}}}\n"
                    "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}\n")
            (let ((process-environment (cons (concat "XDG_STATE_HOME=" directory)
                                             process-environment))
                  (coding-system-for-read 'utf-8-unix))
              (call-process-region nil nil program t t nil "mcp" "--root" directory "--tools" set))
            (goto-char (point-min))
            (forward-line)
            (let ((said (alist-get 'tools (alist-get 'result (json-parse-buffer
                                                              :object-type 'alist))))
                  (specs (json-parse-string
                          (agent-q-fs--json-print
                           (vconcat (seq-filter
                                     (lambda (spec)
                                       (agent-q-fs--operation (plist-get spec :name)))
                                     (agent-q-fs-tool-specs 'mcp set))))
                          :object-type 'alist)))
              (should (equal (agent-q-fs-spec-tests--sorted specs)
                             (agent-q-fs-spec-tests--sorted said))))))
      (delete-directory directory t))))

(ert-deftest agent-q-fs-spec/nullable-members ()
  "The schema of a member that may be null permits null."
  (should (equal '(:type ["string" "null"] :enum ["a" "b" :null])
                 (agent-q-fs-spec--member '(:name "x" :type :keyword :nullable t
                                                  :choices ("a" "b")))))
  (should (equal '(:anyOf [(:$ref "#/$defs/tree_node") (:type "null")] :description "D.")
                 (agent-q-fs-spec--member '(:name "x" :type :map :nullable t :like "tree_node"
                                                  :doc "D.")))))

(ert-deftest agent-q-fs-spec/sets ()
  (let ((names (lambda (set) (mapcar #'agent-q-fs-tool-name (agent-q-fs-tools set)))))
    (should (equal (funcall names nil) (funcall names "all")))
    (should (equal (mapcar #'agent-q-fs-tool-name (agent-q-fs-all-tools)) (funcall names nil)))
    (should (member "edit_file" (funcall names 'agent-q)))
    (should-not (member "write_bytes" (funcall names "agent-q")))
    (should (equal (funcall names "agent-q")
                   (cl-loop for row in (agent-q-fs-operations)
                            when (member "agent-q" (plist-get row :sets))
                            collect (plist-get row :name))))
    (should (equal '("shell" "exec_command" "write_stdin" "list_sessions" "kill_session")
                   (funcall names "commands")))
    (should (member "list_sessions" (funcall names "read-only")))
    (dolist (set (plist-get (agent-q-fs-catalogue) :sets))
      (should (member (plist-get set :name) (agent-q-fs-tool-set-names))))
    (let ((agent-q-fs-tool-sets '(("mine" "read_file") ("agent-q" . safe) ("every" . t))))
      (should (equal '("read_file") (funcall names "mine")))
      (should (equal (cl-loop for tool in (agent-q-fs-all-tools)
                              when (eq 'safe (agent-q-fs-tool-tier tool))
                              collect (agent-q-fs-tool-name tool))
                     (funcall names "agent-q")))
      (should (equal (funcall names nil) (funcall names "every"))))
    (should (seq-every-p (lambda (tool) (eq 'safe (agent-q-fs-tool-tier tool)))
                         (agent-q-fs-tools "read-only")))
    (should (equal '("read_file") (funcall names '("read_file" "nope"))))
    ;; Sets are put together; a set of one's own may build upon the one that it hides.
    (should (equal (append (funcall names "gpt") (funcall names "commands"))
                   (funcall names '("gpt" "commands" "read_file"))))
    (let ((agent-q-fs-tool-sets '(("coding" "coding" "shell"))))
      (should (equal (append (funcall names "coding") nil) (funcall names '("coding"))))
      (should (member "edit_file" (funcall names "coding")))
      (should (equal "shell" (car (last (funcall names "coding"))))))
    (should (equal "apply_patch" (car (funcall names "gpt"))))
    (should (string-search "coding" (cadr (should-error (agent-q-fs-tools "nope")))))
    (should-error (agent-q-fs-tool-specs 'nope))))

(ert-deftest agent-q-fs-spec/sets-are-as-small-as-they-say ()
  "No format has more bytes than the catalogue says, but for the schemas of replies."
  (dolist (set (plist-get (agent-q-fs-catalogue) :sets))
    (let* ((name (plist-get set :name))
           (most (plist-get set :bytes))
           (size (lambda (specs) (string-bytes (agent-q-fs--json-print (vconcat specs)))))
           (mcp (agent-q-fs-tool-specs 'mcp name)))
      (ert-info (name)
        (should (<= (funcall size (agent-q-fs-tool-specs 'openai name)) most))
        (should (<= (funcall size (agent-q-fs-tool-specs 'anthropic name)) most))
        (should (<= (funcall size (mapcar (lambda (spec)
                                            (cl-loop for (key value) on spec by #'cddr
                                                     unless (eq key :outputSchema)
                                                     append (list key value)))
                                          mcp))
                    most))
        (should (<= (funcall size mcp) (* 3 most)))))))

(ert-deftest agent-q-fs-spec/says-when-to-use-what ()
  "In a set for work, each tool says when to use it, and so do those that are alike.
They name each other only where every set has both, as test_tool_sets.c has it."
  (dolist (set '("coding" "gpt" "lisp" "read-only" "symbols"))
    (dolist (tool (agent-q-fs-tools set))
      (ert-info ((agent-q-fs-tool-name tool))
        (unless (member (agent-q-fs-tool-name tool) '("list_sessions" "get_project_root"))
          (should (string-match-p "\\_<\\(?:[Uu]se\\|[Pp]refer\\)\\_>"
                                  (agent-q-fs-tool-doc tool)))))))
  (pcase-dolist (`(,name . ,other) '(("edit_file" . "replace_in_files")
                                     ("find_definition" . "grep_files")
                                     ("create_file" . "edit_file")))
    (ert-info (name)
      (should (string-search other (agent-q-fs-tool-doc (agent-q-fs-find-tool name)))))))

(ert-deftest agent-q-fs-spec/set-of-a-model ()
  (dolist (model '("gpt-5.1-codex" "openai/gpt-5" gpt-6-mini "o3" "codex-mini-latest" "GPT-5.5"))
    (should (equal "gpt" (agent-q-fs-model-tool-set model))))
  (dolist (model '("claude-opus-5" "gpt-4o" gemini-3.5-flash nil "qwen" "foo3"))
    (should (equal "coding" (agent-q-fs-model-tool-set model))))
  (let ((agent-q-fs-model-tool-sets '(("qwen" . "lisp"))))
    (should (equal "lisp" (agent-q-fs-model-tool-set "qwen3")))
    (should-not (agent-q-fs-model-tool-set "gpt-5"))))


;;;; Rules for the system prompt

(defmacro agent-q-fs-guidance-test--with (spec &rest body)
  "Run BODY with a workspace that is closed afterwards.
SPEC is (VARIABLE OPTION...), the options of `agent-q-fs-open'."
  (declare (indent 1))
  `(let* ((agent-q-fs-open-options nil)
          (agent-q-fs-policy 'tiered)
          (,(car spec) (agent-q-fs-open ,@(cdr spec))))
     (unwind-protect (progn ,@body)
       (agent-q-fs-close ,(car spec)))))

(ert-deftest agent-q-fs-guidance/memory ()
  (agent-q-fs-guidance-test--with (ws :backend 'memory)
    (let ((text (agent-q-fs-guidance ws "agent-q")))
      (should (string-prefix-p "# Files\n\n- The files are in memory" text))
      (should (string-search "It starts empty" text))
      (should (string-search "`read_file` shows 2000 lines at most" text))
      (should (string-search "Tools: get_project_root, list_directory" text))
      (should-not (string-search "apply_patch" text)))))

(ert-deftest agent-q-fs-guidance/session ()
  (agent-q-fs-test-with-tree (_ws '("docs/a.md" "x"))
    (agent-q-fs-guidance-test--with (ws :backend 'session :mounts '((:host_path "docs"))
                                        :allowed_host_roots (list default-directory))
      (let ((text (agent-q-fs-guidance ws)))
        (should (string-search "a directory of this session's own" text))
        (should (string-search (agent-q-fs-workspace-root ws) text))
        (should (string-search "copies of files, in `docs` (1 file)" text))
        (should (string-search "16 segments of 80 characters" text))
        (should (string-search "One write has 48000 characters" text))
        (should-not (string-search "starts empty" text))))))

(ert-deftest agent-q-fs-guidance/host ()
  (agent-q-fs-test-with-tree (ws '("a" "x"))
    (let ((text (agent-q-fs-guidance ws)))
      (should (string-search (concat "the user's own project, in "
                                     (agent-q-fs-workspace-root ws))
                             text))
      (should (string-search "give the version you got to `edit_file`" text))
      (should-not (string-search "copies of files" text)))))

;; The rules mention only tools that the model has.
(ert-deftest agent-q-fs-guidance/only-what-is-there ()
  (agent-q-fs-test-with-tree (ws '("a" "x"))
    (let ((text (agent-q-fs-guidance ws '("read_file"))))
      (should (string-search "Tools: read_file." text))
      (dolist (word '("edit_file" "delete_file" "grep_files" "list_dir" "asked"))
        (should-not (string-search word text))))
    (let ((text (agent-q-fs-guidance ws "read-only")))
      (should-not (string-search "edit_file" text))
      (should-not (string-search "asked" text)))))

(ert-deftest agent-q-fs-guidance/policies ()
  (agent-q-fs-test-with-tree (ws '("a" "x"))
    (let ((agent-q-fs-policy 'never))
      (should (string-search "without anybody being asked" (agent-q-fs-guidance ws))))
    (let ((agent-q-fs-policy 'always))
      (should (string-search "asked before each change" (agent-q-fs-guidance ws))))
    (let ((agent-q-fs-policy 'read-only))
      (should (string-search "Nothing can be changed here" (agent-q-fs-guidance ws)))))
  (agent-q-fs-guidance-test--with (ws :backend 'memory :read_only t)
    (let ((text (agent-q-fs-guidance ws)))
      (should (string-search "Nothing can be changed here" text))
      (should-not (string-search "`edit_file`" text)))))

;; The rules speak of the tools of the set, whichever it is.
(ert-deftest agent-q-fs-guidance/speaks-for-its-set ()
  (agent-q-fs-test-with-tree (ws '("a" "x"))
    (dolist (set (agent-q-fs-tool-set-names))
      (let ((text (agent-q-fs-guidance ws set))
            (names (mapcar #'agent-q-fs-tool-name (agent-q-fs-tools set)))
            (position 0))
        (while (string-match "`\\([a-z]+_[a-z_]+\\)`" text position)
          (should (member (match-string 1 text) names))
          (setq position (match-end 0)))))
    (let ((text (agent-q-fs-guidance ws "gpt")))
      (should (string-search "`apply_patch` changes, adds, moves and deletes" text))
      (should-not (string-search "edit_file" text)))
    (should (string-search "one call of `edit_file`, by edits" (agent-q-fs-guidance ws "coding")))
    (should (string-search "finds files by name" (agent-q-fs-guidance ws "coding")))
    (should (string-search "others, which you do not have" (agent-q-fs-guidance ws "agent-q")))
    (should-not (string-search "do not have" (agent-q-fs-guidance ws "gpt")))
    (should-not (string-search "do not have" (agent-q-fs-guidance ws "all")))
    (should-not (string-search "do not have" (agent-q-fs-guidance ws "commands")))
    (should-not (string-search "finds files by name" (agent-q-fs-guidance ws "all")))))

;; Limits are those of the workspace.
(ert-deftest agent-q-fs-guidance/limits ()
  (agent-q-fs-guidance-test--with (ws :backend 'memory :limits '(:read_lines 7))
    (should (string-search "shows 7 lines at most" (agent-q-fs-guidance ws)))))
;;; agent-q-fs-spec-tests.el ends here
