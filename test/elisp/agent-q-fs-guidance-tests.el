;;; agent-q-fs-guidance-tests.el --- Tests of what a model is told  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'agent-q-fs-test-help)
(require 'agent-q-fs-guidance)

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

;; What is not there is not spoken of.
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

;; Limits are those of the workspace.
(ert-deftest agent-q-fs-guidance/limits ()
  (agent-q-fs-guidance-test--with (ws :backend 'memory :limits '(:read_lines 7))
    (should (string-search "shows 7 lines at most" (agent-q-fs-guidance ws)))))

;;; agent-q-fs-guidance-tests.el ends here
