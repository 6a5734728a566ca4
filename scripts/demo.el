;;; demo.el --- Walks through every tool and shows what comes back  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; `make run' without a terminal.  Calls that read are made on this project, as
;; it is; those that write, on a directory that is made for it and gone afterwards.  All
;; goes through the functions that an agent's calls go through.

;;; Code:

(require 'agent-q-fs)
(require 'agent-q-fs-tools)

(defvar demo-shown nil
  "The tools that were shown.")

(defun demo-say (format &rest arguments)
  "Print FORMAT with ARGUMENTS and a newline."
  (princ (concat (apply #'format format arguments) "\n")))

(defun demo-title (what tool arguments)
  "Announce TOOL with ARGUMENTS, called as WHAT says."
  (push tool demo-shown)
  (demo-say "\n>>> %s%s %s" what tool
            (if arguments (substring (prin1-to-string arguments) 1 -1) "")))

(defun demo-call (tool &rest arguments)
  "Call TOOL with ARGUMENTS, and print what a model would be shown."
  (demo-title "" tool arguments)
  (demo-say "%s" (string-trim-right (agent-q-fs-call-tool tool arguments))))

(defun demo-approve (tool &rest arguments)
  "Call TOOL with ARGUMENTS, show what has to be approved, and approve of it."
  (let ((agent-q-fs-unattended-function #'demo-decide))
    (apply #'demo-call tool arguments)))

(defun demo-decide (request)
  "Show REQUEST as a person would be shown it, and approve of it."
  (demo-say "%s: %s" (agent-q-fs-request-tier request) (agent-q-fs-request-summary request))
  (pcase-dolist (`(,name . ,text) (agent-q-fs-request-facts request))
    (demo-say "%s: %s" name text))
  (let ((diff (or (agent-q-fs-request-diff request) "")))
    (unless (string-empty-p diff)
      (demo-say "%s" (string-trim-right diff))))
  (demo-say "--- approved:")
  (list :decision 'approved))

(defun demo-commit (digest tool arguments)
  "Do what was approved under DIGEST, TOOL with ARGUMENTS, and print the outcome."
  (demo-say "%s" (string-trim-right
                  (condition-case problem
                      (plist-get (apply #'agent-q-fs-commit nil digest tool arguments) :text)
                    (agent-q-fs-error (plist-get (cdr problem) :text))))))

(defun demo-readers ()
  "Show every tool that reads, and what happens to calls that go wrong."
  (demo-call "get_project_root")
  (demo-call "list_directory" :path ".")
  (demo-call "list_dir" :path "module" :depth 1 :limit 5)
  (demo-call "directory_tree" :path "doc")
  (demo-call "get_file_info" :path "README.org")
  (demo-call "file_exists" :path "module/include/aqfs.h")
  (demo-call "read_file" :path "module/include/aqfs.h" :start_line 1 :end_line 8 :line_numbers t)
  (demo-call "read_bytes" :path "LICENSE" :limit 12)
  (demo-call "search_files" :pattern "**/aqfs*.h")
  (demo-call "search_files" :pattern "*.{c,h}")
  (demo-call "grep_files" :pattern "^int beneath_open" :path "module" :context 1)
  (demo-call "list_forms" :path "lisp/call" :limit 5)
  (demo-call "read_form" :path "scripts/demo.el" :name "demo-say")
  (demo-call "list_symbols" :path "scripts/demo.el" :pattern "demo-sa")
  (demo-call "find_definition" :name "agent-q-fs-call-tool" :path "scripts/demo.el")
  (demo-call "find_references" :name "demo-commit" :path "scripts/demo.el")
  (demo-call "describe_symbol" :name "agent-q-fs-undefine-tool" :path "scripts/demo.el")
  (demo-approve "macroexpand_form" :form "(with-demoted-errors \"No: %S\" (f))" :path "scripts/demo.el")
  (demo-call "read_file" :path "../outside")
  (demo-call "read_file" :path "/etc/passwd")
  (demo-call "read_file" :path "README.org" :start_line 100000)
  (demo-call "grep_files" :pattern "(" :path "module")
  (demo-call "read_file" :file "README.org"))

(defun demo-editors ()
  "Show the tools that change what is there, which run and are told of."
  (demo-call "edit_file" :path "lib/greet.el"
             :old_str "(message \"Hello\")" :new_str "(message \"Hello, %s\" name)")
  (demo-call "edit_file" :path "lib/greet.el" :old_str "greet" :new_str "welcome")
  (demo-call "edit_file" :path "lib/greet.el" :old_str "  (message \"Bye\")" :new_str "")
  (demo-call "insert_at_line" :path "lib/greet.el" :line 0 :content ";; Greetings.\n")
  (demo-call "edit_file" :path "../outside.el" :old_str "a" :new_str "b")
  (demo-call "edit_file" :path "way-out" :old_str "a" :new_str "b")
  (demo-call "edit_form" :path "lib/greet.el" :name "part" :new_name "leave")
  (demo-call "edit_form" :path "lib/greet.el" :name "leave" :content "(defun leave ()")
  (demo-call "replace_in_files" :pattern "you" :replacement "you all" :include ["*.el"])
  (demo-call "apply_patch_freeform" :patch "*** Begin Patch
*** Update File: lib/greet.el
@@ (defun leave ()
-\t(message \"Bye\"))
+  (message \"Good bye\"))
*** End Patch")
  (demo-call "apply_patch_json" :patch "--- a/notes.txt
+++ b/notes.txt
@@ -1,2 +1,2 @@
 one
-two
+2
")
  (demo-call "apply_patch" :patch "--- a/notes.txt
+++ b/notes.txt
@@ -1,2 +1,2 @@
 one
-two
+2
"))

(defun demo-dangers ()
  "Show the tools that somebody has to approve, and approvals that no longer hold."
  (demo-approve "create_file" :path "lib/new.el" :content "(provide 'new)\n")
  (demo-call "create_file" :path "lib/refused.el" :content "Nobody approves.\n")
  (demo-approve "write_file" :path "notes.txt" :content "three\n" :mode "append")
  (demo-approve "write_bytes" :path "blob" :content "AAEC")
  (demo-approve "make_directory" :path "a/b")
  (demo-approve "copy_file" :source "notes.txt" :destination "a/b/notes.txt")
  (demo-approve "move_file" :source "blob" :destination "a/blob")
  (demo-approve "edit_file" :path ".envrc" :old_str "one" :new_str "two")
  (demo-approve "delete_file" :path "a" :recursive t)
  (let* ((edit '(:path "notes.txt" :old_str "one" :new_str "1"))
         (shown (apply #'agent-q-fs-preview nil "edit_file" edit)))
    (demo-title "what was approved before somebody else wrote: " "edit_file" edit)
    (demo-say "%s" (string-trim-right (plist-get shown :text)))
    (write-region "somebody's words\n" nil (expand-file-name "notes.txt") t 'quiet)
    (demo-say "--- approved, but by now notes.txt is another:")
    (demo-commit (plist-get shown :digest) "edit_file" edit)))

(defun demo-snapshots ()
  "Show the tools that keep the project as it is, and put it back."
  (demo-call "snapshot_create" :tag "before the rename")
  (demo-call "edit_file" :path "notes.txt" :old_str "one" :new_str "1")
  (demo-approve "delete_file" :path "lib/greet.el")
  (demo-call "snapshot_list")
  (let ((id (plist-get (car (plist-get (agent-q-fs-snapshot-list nil) :snapshots)) :id)))
    (demo-call "snapshot_diff" :id id)
    (demo-approve "snapshot_restore" :id id))
  (demo-approve "snapshot_prune" :keep 1))

(defun demo-changes ()
  "Show the tools for what was changed, and take the last change back."
  (demo-call "edit_file" :path "notes.txt" :old_str "two" :new_str "three")
  (demo-call "changes_list")
  (let ((ids (vector (plist-get (car (plist-get (agent-q-fs-changes-list nil) :calls)) :id))))
    (demo-call "changes_diff" :calls ids)
    (demo-approve "changes_undo" :calls ids))
  (demo-approve "changes_accept")
  (demo-approve "changes_forget"))

(defun demo-commands ()
  "Show the tools that run commands."
  (demo-call "shell" :command "rm -rf lib")
  (demo-approve "shell" :command "ls lib; ls nowhere; sleep 300 &")
  (demo-approve "shell" :command "sleep 300" :timeout_ms 300)
  (demo-approve "exec_command" :cmd "read -r name; echo \"Hello, $name\"; sleep 300")
  (demo-approve "write_stdin" :session_id 1 :chars "you\n")
  (demo-call "write_stdin" :session_id 1)
  (demo-call "list_sessions")
  (demo-call "kill_session" :session_id 1))

(defun demo-writers ()
  "Show every tool that writes, in a directory of its own."
  (let* ((base (file-truename (make-temp-file "aqfs-demo-" t)))
         (default-directory (file-name-as-directory (expand-file-name "project" base)))
         (agent-q-fs-state-directory (expand-file-name "state" base)))
    (unwind-protect
        (progn
          (make-directory "lib" t)
          (write-region "(defun greet (name)\n  (message \"Hello\"))\n
(defun part ()\n\t(message \"Bye\"))\n
(greet \"you\")\n" nil "lib/greet.el" nil 'quiet)
          (write-region "one\ntwo\n" nil "notes.txt" nil 'quiet)
          (write-region "one\n" nil ".envrc" nil 'quiet)
          (write-region "a\n" nil "../outside.el" nil 'quiet)
          (make-symbolic-link "../outside.el" "way-out")
          (let ((agent-q-fs-workspace (agent-q-fs-open :root default-directory)))
            (demo-editors)
            (demo-dangers)
            (demo-snapshots)
            (demo-changes)
            (demo-commands)
            (agent-q-fs-close agent-q-fs-workspace)))
      (delete-directory base t))))

(defun demo-check-complete ()
  "Fail when there is a tool that is not shown."
  (dolist (tool (agent-q-fs-all-tools))
    (unless (member (agent-q-fs-tool-name tool) demo-shown)
      (error "The demo does not show %s" (agent-q-fs-tool-name tool)))))

(demo-say "%s" (agent-q-fs-version))
(demo-readers)
(demo-writers)
(demo-check-complete)

;;; demo.el ends here
