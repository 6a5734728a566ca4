;;; agent-q-fs-loaddefs.el --- What the other files offer  -*- lexical-binding: t; no-update-autoloads: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Written by scripts/loaddefs.el from the autoload cookies and the options in the other
;; files, where changes belong.

;;; Code:

(defun agent-q-fs-loaddefs-value (option value)
  "Return what somebody has saved for OPTION with Customize, or else VALUE."
  (let ((saved (get option 'saved-value)))
    (if saved (eval (car saved) t) value)))


;;;; agent-q-fs-answer.el

(register-definition-prefixes "agent-q-fs-answer" '("agent-q-fs"))


;;;; agent-q-fs-approve.el

(defvar agent-q-fs-policy (agent-q-fs-loaddefs-value 'agent-q-fs-policy 'tiered) "Which calls of models are made without asking a person.")
(custom-autoload 'agent-q-fs-policy "agent-q-fs-approve" t)
(put 'agent-q-fs-policy 'risky-local-variable t)
(defvar agent-q-fs-denied (agent-q-fs-loaddefs-value 'agent-q-fs-denied nil) "Changes that are never made, as a list of (TOOL . DIRECTORY).")
(custom-autoload 'agent-q-fs-denied "agent-q-fs-approve" t)
(put 'agent-q-fs-denied 'risky-local-variable t)
(defvar agent-q-fs-unattended-function (agent-q-fs-loaddefs-value 'agent-q-fs-unattended-function nil) "A function that decides about requests where there is nobody to ask.")
(custom-autoload 'agent-q-fs-unattended-function "agent-q-fs-approve" t)
(put 'agent-q-fs-unattended-function 'risky-local-variable t)
(defvar agent-q-fs-approval-function (agent-q-fs-loaddefs-value 'agent-q-fs-approval-function 'agent-q-fs-prompt) "A function that asks a person about a request.")
(custom-autoload 'agent-q-fs-approval-function "agent-q-fs-approve" t)
(put 'agent-q-fs-approval-function 'risky-local-variable t)
(custom-add-load 'agent-q-fs-approve "agent-q-fs-approve")
(register-definition-prefixes "agent-q-fs-approve" '("agent-q-fs"))


;;;; agent-q-fs-arguments.el

(register-definition-prefixes "agent-q-fs-arguments" '("agent-q-fs"))


;;;; agent-q-fs-audit.el

(autoload 'agent-q-fs-audit-around "agent-q-fs-audit")
(autoload 'agent-q-fs-audit-job "agent-q-fs-audit")
(autoload 'agent-q-fs-audit-record "agent-q-fs-audit")
(autoload 'agent-q-fs-audit-insist "agent-q-fs-audit")
(defvar agent-q-fs-audit-file (agent-q-fs-loaddefs-value 'agent-q-fs-audit-file t) "The file that events are appended to, one JSON object a line.")
(custom-autoload 'agent-q-fs-audit-file "agent-q-fs-audit" t)
(put 'agent-q-fs-audit-file 'risky-local-variable t)
(defvar agent-q-fs-audit-required (agent-q-fs-loaddefs-value 'agent-q-fs-audit-required t) "Whether calls that may change something need `agent-q-fs-audit-file'.")
(custom-autoload 'agent-q-fs-audit-required "agent-q-fs-audit" t)
(put 'agent-q-fs-audit-required 'risky-local-variable t)
(defvar agent-q-fs-audit-size (agent-q-fs-loaddefs-value 'agent-q-fs-audit-size 10000000) "Bytes that the file of events may have before a new one is begun.")
(custom-autoload 'agent-q-fs-audit-size "agent-q-fs-audit" t)
(put 'agent-q-fs-audit-size 'risky-local-variable t)
(defvar agent-q-fs-audit-keep (agent-q-fs-loaddefs-value 'agent-q-fs-audit-keep 5) "How many earlier files of events are kept, with .1, .2, ... at their ends.")
(custom-autoload 'agent-q-fs-audit-keep "agent-q-fs-audit" t)
(put 'agent-q-fs-audit-keep 'risky-local-variable t)
(defvar agent-q-fs-audit-remember (agent-q-fs-loaddefs-value 'agent-q-fs-audit-remember 1000) "How many calls `agent-q-fs-log' can show.")
(custom-autoload 'agent-q-fs-audit-remember "agent-q-fs-audit" t)
(put 'agent-q-fs-audit-remember 'risky-local-variable t)
(custom-add-load 'agent-q-fs-audit "agent-q-fs-audit")
(custom-add-load 'agent-q-fs "agent-q-fs-audit")
(register-definition-prefixes "agent-q-fs-audit" '("agent-q-fs"))


;;;; agent-q-fs-buffers.el

(defvar agent-q-fs-unsaved (agent-q-fs-loaddefs-value 'agent-q-fs-unsaved 'refuse) "How to treat a write to a file while a buffer has unsaved changes to it.")
(custom-autoload 'agent-q-fs-unsaved "agent-q-fs-buffers" t)
(put 'agent-q-fs-unsaved 'risky-local-variable t)
(custom-add-load 'agent-q-fs "agent-q-fs-buffers")
(register-definition-prefixes "agent-q-fs-buffers" '("agent-q-fs"))


;;;; agent-q-fs-change.el

(autoload 'agent-q-fs-str-replace "agent-q-fs-change" nil t)
(autoload 'agent-q-fs-insert "agent-q-fs-change" nil t)
(autoload 'agent-q-fs-create "agent-q-fs-change" nil t)
(autoload 'agent-q-fs-mkdir "agent-q-fs-change" nil t)
(autoload 'agent-q-fs-move "agent-q-fs-change" nil t)
(autoload 'agent-q-fs-copy "agent-q-fs-change" nil t)
(autoload 'agent-q-fs-delete "agent-q-fs-change" nil t)
(autoload 'agent-q-fs-apply-patch-here "agent-q-fs-change" nil t)
(autoload 'agent-q-fs-grep-edit "agent-q-fs-change" nil t)
(defvar agent-q-fs-change-confirm (agent-q-fs-loaddefs-value 'agent-q-fs-change-confirm t) "Whether commands that change files show what they would do, and ask.")
(custom-autoload 'agent-q-fs-change-confirm "agent-q-fs-change" t)
(put 'agent-q-fs-change-confirm 'risky-local-variable t)
(custom-add-load 'agent-q-fs-ui "agent-q-fs-change")
(register-definition-prefixes "agent-q-fs-change" '("agent-q-fs"))


;;;; agent-q-fs-coedit.el

(register-definition-prefixes "agent-q-fs-coedit" '("agent-q-fs"))


;;;; agent-q-fs-deploy.el

(autoload 'agent-q-fs-deploy "agent-q-fs-deploy" nil t)
(autoload 'agent-q-fs-deploy-forget "agent-q-fs-deploy" nil t)
(defvar agent-q-fs-deploy-programs (agent-q-fs-loaddefs-value 'agent-q-fs-deploy-programs nil) "Where the program agent-q-fs is on machines on which you put it yourself.")
(custom-autoload 'agent-q-fs-deploy-programs "agent-q-fs-deploy" t)
(put 'agent-q-fs-deploy-programs 'risky-local-variable t)
(defvar agent-q-fs-deploy-copy (agent-q-fs-loaddefs-value 'agent-q-fs-deploy-copy 'ask) "Whether the program may be copied to another machine where it is missing.")
(custom-autoload 'agent-q-fs-deploy-copy "agent-q-fs-deploy" t)
(put 'agent-q-fs-deploy-copy 'risky-local-variable t)
(defvar agent-q-fs-deploy-directory (agent-q-fs-loaddefs-value 'agent-q-fs-deploy-directory nil) "The directory with what is copied to other machines.")
(custom-autoload 'agent-q-fs-deploy-directory "agent-q-fs-deploy" t)
(put 'agent-q-fs-deploy-directory 'risky-local-variable t)
(custom-add-load 'agent-q-fs-deploy "agent-q-fs-deploy")
(custom-add-load 'agent-q-fs "agent-q-fs-deploy")
(register-definition-prefixes "agent-q-fs-deploy" '("agent-q-fs"))


;;;; agent-q-fs-diagnostics.el

(defvar agent-q-fs-diagnostics (agent-q-fs-loaddefs-value 'agent-q-fs-diagnostics t) "Whether replies to a model's edits tell what checkers find that is new.")
(custom-autoload 'agent-q-fs-diagnostics "agent-q-fs-diagnostics" t)
(put 'agent-q-fs-diagnostics 'risky-local-variable t)
(defvar agent-q-fs-lisp-notes (agent-q-fs-loaddefs-value 'agent-q-fs-lisp-notes nil) "Whether replies to a model's edits of Lisp tell what the compiler says.")
(custom-autoload 'agent-q-fs-lisp-notes "agent-q-fs-diagnostics" t)
(put 'agent-q-fs-lisp-notes 'risky-local-variable t)
(custom-add-load 'agent-q-fs "agent-q-fs-diagnostics")
(register-definition-prefixes "agent-q-fs-diagnostics" '("agent-q-fs"))


;;;; agent-q-fs-exec-isolate.el

(defvar agent-q-fs-exec-isolation (agent-q-fs-loaddefs-value 'agent-q-fs-exec-isolation 'none) "The isolation of commands in workspaces that were opened without :isolation.")
(custom-autoload 'agent-q-fs-exec-isolation "agent-q-fs-exec-isolate" t)
(put 'agent-q-fs-exec-isolation 'risky-local-variable t)
(defvar agent-q-fs-exec-bubblewrap-read (agent-q-fs-loaddefs-value 'agent-q-fs-exec-bubblewrap-read '("/usr" "/bin" "/sbin" "/lib" "/lib32" "/lib64" "/libx32" "/etc" "/opt" "/nix/store" "/gnu/store" "/run/current-system")) "Directories of the system that a command in a sandbox can read, if they exist.")
(custom-autoload 'agent-q-fs-exec-bubblewrap-read "agent-q-fs-exec-isolate" t)
(put 'agent-q-fs-exec-bubblewrap-read 'risky-local-variable t)
(defvar agent-q-fs-exec-podman-image (agent-q-fs-loaddefs-value 'agent-q-fs-exec-podman-image nil) "The image of containers for commands, where a workspace does not name one.")
(custom-autoload 'agent-q-fs-exec-podman-image "agent-q-fs-exec-isolate" t)
(put 'agent-q-fs-exec-podman-image 'risky-local-variable t)
(defvar agent-q-fs-exec-podman-rootfs (agent-q-fs-loaddefs-value 'agent-q-fs-exec-podman-rootfs nil) "A directory that containers for commands have as their file system.")
(custom-autoload 'agent-q-fs-exec-podman-rootfs "agent-q-fs-exec-isolate" t)
(put 'agent-q-fs-exec-podman-rootfs 'risky-local-variable t)
(defvar agent-q-fs-exec-podman-global-options (agent-q-fs-loaddefs-value 'agent-q-fs-exec-podman-global-options nil) "Options for podman itself, such as \"--runtime=runc\".")
(custom-autoload 'agent-q-fs-exec-podman-global-options "agent-q-fs-exec-isolate" t)
(put 'agent-q-fs-exec-podman-global-options 'risky-local-variable t)
(defvar agent-q-fs-exec-podman-run-options (agent-q-fs-loaddefs-value 'agent-q-fs-exec-podman-run-options '("--cap-drop=all" "--security-opt=no-new-privileges")) "Options for the start of a container, such as \"--memory=2g\".")
(custom-autoload 'agent-q-fs-exec-podman-run-options "agent-q-fs-exec-isolate" t)
(put 'agent-q-fs-exec-podman-run-options 'risky-local-variable t)
(custom-add-load 'agent-q-fs-exec "agent-q-fs-exec-isolate")
(register-definition-prefixes "agent-q-fs-exec-isolate" '("agent-q-fs"))


;;;; agent-q-fs-exec-process.el

(defvar agent-q-fs-exec-environment (agent-q-fs-loaddefs-value 'agent-q-fs-exec-environment '("PATH" "HOME" "USER" "LOGNAME" "SHELL" "LANG" "LANGUAGE" "LC_*" "TZ" "TMPDIR")) "Names of the variables that commands have as Emacs has them.")
(custom-autoload 'agent-q-fs-exec-environment "agent-q-fs-exec-process" t)
(put 'agent-q-fs-exec-environment 'risky-local-variable t)
(defvar agent-q-fs-exec-settings (agent-q-fs-loaddefs-value 'agent-q-fs-exec-settings '("TERM=dumb" "PAGER=cat" "GIT_PAGER=cat" "MANPAGER=cat" "SYSTEMD_PAGER=cat" "NO_COLOR=1" "CLICOLOR=0" "GIT_TERMINAL_PROMPT=0")) "Further settings in the environment of commands, as NAME=VALUE.")
(custom-autoload 'agent-q-fs-exec-settings "agent-q-fs-exec-process" t)
(put 'agent-q-fs-exec-settings 'risky-local-variable t)
(defvar agent-q-fs-exec-shell (agent-q-fs-loaddefs-value 'agent-q-fs-exec-shell nil) "The shell that commands are given to, with -c; nil for `shell-file-name'.")
(custom-autoload 'agent-q-fs-exec-shell "agent-q-fs-exec-process" t)
(put 'agent-q-fs-exec-shell 'risky-local-variable t)
(defvar agent-q-fs-exec-masked (agent-q-fs-loaddefs-value 'agent-q-fs-exec-masked '(".git"
  ".gitmodules"
  ".gitconfig"
  ".githooks"
  ".husky"
  ".hg"
  ".pre-commit-config.yaml"
  ".envrc"
  ".mise.toml"
  "mise.toml"
  ".dir-locals.el"
  ".dir-locals-2.el"
  ".vscode"
  ".idea"
  ".zed"
  ".devcontainer"
  ".exrc"
  ".nvim.lua"
  ".mcp.json"
  ".claude"
  ".codex"
  ".agents"
  ".cursor"
  ".gemini"
  ".opencode"
  "opencode.json"
  ".cargo"
  ".npmrc"
  ".yarnrc.yml"
  ".pnp.cjs"
  ".bazelrc"
  ".gdbinit"
  ".pdbrc"
  ".bashrc"
  ".bash_profile"
  ".profile"
  ".zshrc"
  ".zprofile"
  ".ripgreprc")) "Names that a command in a sandbox cannot make at the top of its workspace.")
(custom-autoload 'agent-q-fs-exec-masked "agent-q-fs-exec-process" t)
(put 'agent-q-fs-exec-masked 'risky-local-variable t)
(custom-add-load 'agent-q-fs-exec "agent-q-fs-exec-process")
(custom-add-load 'agent-q-fs "agent-q-fs-exec-process")
(register-definition-prefixes "agent-q-fs-exec-process" '("agent-q-fs"))


;;;; agent-q-fs-exec-run.el

(defvar agent-q-fs-exec-size (agent-q-fs-loaddefs-value 'agent-q-fs-exec-size '(24 . 80)) "Lines and columns of the terminals of commands.")
(custom-autoload 'agent-q-fs-exec-size "agent-q-fs-exec-run" t)
(put 'agent-q-fs-exec-size 'risky-local-variable t)
(defvar agent-q-fs-exec-limits (agent-q-fs-loaddefs-value 'agent-q-fs-exec-limits nil) "Limits of commands, a list of (NAME . NUMBER); nil for those of Emacs.")
(custom-autoload 'agent-q-fs-exec-limits "agent-q-fs-exec-run" t)
(put 'agent-q-fs-exec-limits 'risky-local-variable t)
(custom-add-load 'agent-q-fs-exec "agent-q-fs-exec-run")
(register-definition-prefixes "agent-q-fs-exec-run" '("agent-q-fs"))


;;;; agent-q-fs-exec-session.el

(autoload 'agent-q-fs-sessions "agent-q-fs-exec-session" nil t)
(autoload 'agent-q-fs-isolations "agent-q-fs-exec-session" nil t)
(defvar agent-q-fs-exec-sessions (agent-q-fs-loaddefs-value 'agent-q-fs-exec-sessions 64) "How many sessions there may be.")
(custom-autoload 'agent-q-fs-exec-sessions "agent-q-fs-exec-session" t)
(put 'agent-q-fs-exec-sessions 'risky-local-variable t)
(defvar agent-q-fs-exec-idle (agent-q-fs-loaddefs-value 'agent-q-fs-exec-idle 1800) "Seconds after which a session that nobody uses is ended; nil for never.")
(custom-autoload 'agent-q-fs-exec-idle "agent-q-fs-exec-session" t)
(put 'agent-q-fs-exec-idle 'risky-local-variable t)
(custom-add-load 'agent-q-fs-exec "agent-q-fs-exec-session")
(register-definition-prefixes "agent-q-fs-exec-session" '("agent-q-fs"))


;;;; agent-q-fs-exec.el

(register-definition-prefixes "agent-q-fs-exec" '("agent-q-fs"))


;;;; agent-q-fs-find.el

(autoload 'agent-q-fs-find "agent-q-fs-find" nil t)
(autoload 'agent-q-fs-evil-setup "agent-q-fs-find" nil t)
(autoload 'agent-q-fs-context-menu "agent-q-fs-find")
(autoload 'agent-q-fs-embark-setup "agent-q-fs-find" nil t)
(autoload 'agent-q-fs-view "agent-q-fs-find" nil t)
(defvar agent-q-fs-find-limit (agent-q-fs-loaddefs-value 'agent-q-fs-find-limit 200000) "The most files among which `agent-q-fs-find' lets you choose.")
(custom-autoload 'agent-q-fs-find-limit "agent-q-fs-find" t)
(put 'agent-q-fs-find-limit 'risky-local-variable t)
(defvar agent-q-fs-view-lines (agent-q-fs-loaddefs-value 'agent-q-fs-view-lines 500) "How many lines are shown at a time.")
(custom-autoload 'agent-q-fs-view-lines "agent-q-fs-find" t)
(put 'agent-q-fs-view-lines 'risky-local-variable t)
(custom-add-load 'agent-q-fs-ui "agent-q-fs-find")
(register-definition-prefixes "agent-q-fs-find" '("agent-q-fs"))


;;;; agent-q-fs-gptel.el

(autoload 'agent-q-fs-gptel-setup "agent-q-fs-gptel" nil t)
(defvar agent-q-fs-gptel-preview (agent-q-fs-loaddefs-value 'agent-q-fs-gptel-preview t) "Whether a request of a chat is also shown in the chat, with a key to open it.")
(custom-autoload 'agent-q-fs-gptel-preview "agent-q-fs-gptel" t)
(put 'agent-q-fs-gptel-preview 'risky-local-variable t)
(custom-add-load 'agent-q-fs-approve "agent-q-fs-gptel")
(register-definition-prefixes "agent-q-fs-gptel" '("agent-q-fs"))


;;;; agent-q-fs-grep.el

(autoload 'agent-q-fs-grep "agent-q-fs-grep" nil t)
(defvar agent-q-fs-grep-limit (agent-q-fs-loaddefs-value 'agent-q-fs-grep-limit 10000) "The most lines that a search lists.")
(custom-autoload 'agent-q-fs-grep-limit "agent-q-fs-grep" t)
(put 'agent-q-fs-grep-limit 'risky-local-variable t)
(custom-add-load 'agent-q-fs-ui "agent-q-fs-grep")
(register-definition-prefixes "agent-q-fs-grep" '("agent-q-fs"))


;;;; agent-q-fs-job.el

(autoload 'agent-q-fs-call-async "agent-q-fs-job")
(autoload 'agent-q-fs-job-wait "agent-q-fs-job")
(register-definition-prefixes "agent-q-fs-job" '("agent-q-fs"))


;;;; agent-q-fs-load.el

(autoload 'agent-q-fs-module-build "agent-q-fs-load" nil t)
(autoload 'agent-q-fs-module-load "agent-q-fs-load")
(defvar agent-q-fs-module-file (agent-q-fs-loaddefs-value 'agent-q-fs-module-file nil) "The shared object to load; nil means to look where it usually is.")
(custom-autoload 'agent-q-fs-module-file "agent-q-fs-load" t)
(put 'agent-q-fs-module-file 'risky-local-variable t)
(defvar agent-q-fs-module-build (agent-q-fs-loaddefs-value 'agent-q-fs-module-build 'ask) "Whether to build the shared object where it is missing or out of date.")
(custom-autoload 'agent-q-fs-module-build "agent-q-fs-load" t)
(put 'agent-q-fs-module-build 'risky-local-variable t)
(custom-add-load 'agent-q-fs-module "agent-q-fs-load")
(custom-add-load 'agent-q-fs "agent-q-fs-load")
(register-definition-prefixes "agent-q-fs-load" '("agent-q-fs"))


;;;; agent-q-fs-log.el

(autoload 'agent-q-fs-log "agent-q-fs-log" nil t)
(autoload 'agent-q-fs-mode-line-mode "agent-q-fs-log" nil t)
(autoload 'agent-q-fs-policy "agent-q-fs-log" nil t)
(autoload 'agent-q-fs-policy-watch "agent-q-fs-log")
(defvar agent-q-fs-mode-line-delay (agent-q-fs-loaddefs-value 'agent-q-fs-mode-line-delay 0.2) "Seconds that a call must have taken to be shown.")
(custom-autoload 'agent-q-fs-mode-line-delay "agent-q-fs-log" t)
(put 'agent-q-fs-mode-line-delay 'risky-local-variable t)
(custom-add-load 'agent-q-fs-mode-line "agent-q-fs-log")
(custom-add-load 'agent-q-fs-ui "agent-q-fs-log")
(register-definition-prefixes "agent-q-fs-log" '("agent-q-fs"))


;;;; agent-q-fs-mcp-setup.el

(autoload 'agent-q-fs-mcp-setup "agent-q-fs-mcp-setup" nil t)
(register-definition-prefixes "agent-q-fs-mcp-setup" '("agent-q-fs"))


;;;; agent-q-fs-mcp.el

(autoload 'agent-q-fs-mcp-mode "agent-q-fs-mcp" nil t)
(defvar agent-q-fs-mcp-directories (agent-q-fs-loaddefs-value 'agent-q-fs-mcp-directories nil) "Directories in which agents outside Emacs may use the tools.")
(custom-autoload 'agent-q-fs-mcp-directories "agent-q-fs-mcp" t)
(put 'agent-q-fs-mcp-directories 'risky-local-variable t)
(custom-add-load 'agent-q-fs-mcp "agent-q-fs-mcp")
(custom-add-load 'agent-q-fs "agent-q-fs-mcp")
(register-definition-prefixes "agent-q-fs-mcp" '("agent-q-fs"))


;;;; agent-q-fs-ops.el

(autoload 'agent-q-fs-get-project-root "agent-q-fs-ops")
(autoload 'agent-q-fs-list-directory "agent-q-fs-ops")
(autoload 'agent-q-fs-list-dir "agent-q-fs-ops")
(autoload 'agent-q-fs-directory-tree "agent-q-fs-ops")
(autoload 'agent-q-fs-get-file-info "agent-q-fs-ops")
(autoload 'agent-q-fs-file-exists "agent-q-fs-ops")
(autoload 'agent-q-fs-read-file "agent-q-fs-ops")
(autoload 'agent-q-fs-read-bytes "agent-q-fs-ops")
(autoload 'agent-q-fs-search-files "agent-q-fs-ops")
(autoload 'agent-q-fs-grep-files "agent-q-fs-ops")
(autoload 'agent-q-fs-list-forms "agent-q-fs-ops")
(autoload 'agent-q-fs-read-form "agent-q-fs-ops")
(autoload 'agent-q-fs-edit-form "agent-q-fs-ops")
(autoload 'agent-q-fs-edit-file "agent-q-fs-ops")
(autoload 'agent-q-fs-insert-at-line "agent-q-fs-ops")
(autoload 'agent-q-fs-replace-in-files "agent-q-fs-ops")
(autoload 'agent-q-fs-apply-patch "agent-q-fs-ops")
(autoload 'agent-q-fs-apply-patch-json "agent-q-fs-ops")
(autoload 'agent-q-fs-apply-patch-freeform "agent-q-fs-ops")
(autoload 'agent-q-fs-create-file "agent-q-fs-ops")
(autoload 'agent-q-fs-write-file "agent-q-fs-ops")
(autoload 'agent-q-fs-write-bytes "agent-q-fs-ops")
(autoload 'agent-q-fs-make-directory "agent-q-fs-ops")
(autoload 'agent-q-fs-move-file "agent-q-fs-ops")
(autoload 'agent-q-fs-copy-file "agent-q-fs-ops")
(autoload 'agent-q-fs-delete-file "agent-q-fs-ops")
(autoload 'agent-q-fs-snapshot-create "agent-q-fs-ops")
(autoload 'agent-q-fs-snapshot-list "agent-q-fs-ops")
(autoload 'agent-q-fs-snapshot-diff "agent-q-fs-ops")
(autoload 'agent-q-fs-snapshot-restore "agent-q-fs-ops")
(autoload 'agent-q-fs-snapshot-prune "agent-q-fs-ops")
(autoload 'agent-q-fs-changes-list "agent-q-fs-ops")
(autoload 'agent-q-fs-changes-diff "agent-q-fs-ops")
(autoload 'agent-q-fs-changes-undo "agent-q-fs-ops")
(autoload 'agent-q-fs-changes-accept "agent-q-fs-ops")
(autoload 'agent-q-fs-changes-forget "agent-q-fs-ops")
(register-definition-prefixes "agent-q-fs-ops" '("agent-q-fs"))


;;;; agent-q-fs-prompt.el

(defvar agent-q-fs-prompt-delay (agent-q-fs-loaddefs-value 'agent-q-fs-prompt-delay 1.0) "Seconds without any key before one can decide about a request.")
(custom-autoload 'agent-q-fs-prompt-delay "agent-q-fs-prompt" t)
(put 'agent-q-fs-prompt-delay 'risky-local-variable t)
(defvar agent-q-fs-prompt-timeout (agent-q-fs-loaddefs-value 'agent-q-fs-prompt-timeout nil) "Seconds after which a request that nobody decides is denied; nil for never.")
(custom-autoload 'agent-q-fs-prompt-timeout "agent-q-fs-prompt" t)
(put 'agent-q-fs-prompt-timeout 'risky-local-variable t)
(custom-add-load 'agent-q-fs-approve "agent-q-fs-prompt")
(register-definition-prefixes "agent-q-fs-prompt" '("agent-q-fs"))


;;;; agent-q-fs-refresh.el

(register-definition-prefixes "agent-q-fs-refresh" '("agent-q-fs"))


;;;; agent-q-fs-remote-data.el

(register-definition-prefixes "agent-q-fs-remote-data" '("agent-q-fs"))


;;;; agent-q-fs-remote-life.el

(register-definition-prefixes "agent-q-fs-remote-life" '("agent-q-fs"))


;;;; agent-q-fs-remote-link.el

(defvar agent-q-fs-remote-seconds (agent-q-fs-loaddefs-value 'agent-q-fs-remote-seconds 30) "How many seconds another machine may take for a sign of life.")
(custom-autoload 'agent-q-fs-remote-seconds "agent-q-fs-remote-link" t)
(put 'agent-q-fs-remote-seconds 'risky-local-variable t)
(custom-add-load 'agent-q-fs "agent-q-fs-remote-link")
(register-definition-prefixes "agent-q-fs-remote-link" '("agent-q-fs"))


;;;; agent-q-fs-remote-shell.el

(register-definition-prefixes "agent-q-fs-remote-shell" '("agent-q-fs"))


;;;; agent-q-fs-remote.el

(autoload 'agent-q-fs-remote-open "agent-q-fs-remote")
(register-definition-prefixes "agent-q-fs-remote" '("agent-q-fs"))


;;;; agent-q-fs-requests-list.el

(defvar agent-q-fs-prompt-notice (agent-q-fs-loaddefs-value 'agent-q-fs-prompt-notice '(echo)) "How you are told that requests wait, besides the mode line.")
(custom-autoload 'agent-q-fs-prompt-notice "agent-q-fs-requests-list" t)
(put 'agent-q-fs-prompt-notice 'risky-local-variable t)
(custom-add-load 'agent-q-fs-approve "agent-q-fs-requests-list")
(register-definition-prefixes "agent-q-fs-requests-list" '("agent-q-fs"))


;;;; agent-q-fs-requests.el

(autoload 'agent-q-fs-requests "agent-q-fs-requests" nil t)
(defvar agent-q-fs-prompt-stay (agent-q-fs-loaddefs-value 'agent-q-fs-prompt-stay 2.0) "Seconds without any key that the buffer of a request stays after the last one.")
(custom-autoload 'agent-q-fs-prompt-stay "agent-q-fs-requests" t)
(put 'agent-q-fs-prompt-stay 'risky-local-variable t)
(custom-add-load 'agent-q-fs-approve "agent-q-fs-requests")
(register-definition-prefixes "agent-q-fs-requests" '("agent-q-fs"))


;;;; agent-q-fs-review.el

(autoload 'agent-q-fs-review "agent-q-fs-review" nil t)
(autoload 'agent-q-fs-review-marks-mode "agent-q-fs-review" nil t)
(register-definition-prefixes "agent-q-fs-review" '("agent-q-fs"))


;;;; agent-q-fs-rpc.el

(autoload 'agent-q-fs-rpc "agent-q-fs-rpc")
(defvar agent-q-fs-rpc-trust (agent-q-fs-loaddefs-value 'agent-q-fs-rpc-trust nil) "The matters in which the word of a connected Common Lisp counts, a list.")
(custom-autoload 'agent-q-fs-rpc-trust "agent-q-fs-rpc" t)
(put 'agent-q-fs-rpc-trust 'risky-local-variable t)
(custom-add-load 'agent-q-fs "agent-q-fs-rpc")
(register-definition-prefixes "agent-q-fs-rpc" '("agent-q-fs"))


;;;; agent-q-fs-rules.el

(autoload 'agent-q-fs-approvals "agent-q-fs-rules" nil t)
(defvar agent-q-fs-approvals-file (agent-q-fs-loaddefs-value 'agent-q-fs-approvals-file nil) "The file in which decisions that are remembered are kept for later sessions.")
(custom-autoload 'agent-q-fs-approvals-file "agent-q-fs-rules" t)
(put 'agent-q-fs-approvals-file 'risky-local-variable t)
(custom-add-load 'agent-q-fs-approve "agent-q-fs-rules")
(custom-add-load 'agent-q-fs "agent-q-fs-rules")
(register-definition-prefixes "agent-q-fs-rules" '("agent-q-fs"))


;;;; agent-q-fs-show.el

(register-definition-prefixes "agent-q-fs-show" '("agent-q-fs"))


;;;; agent-q-fs-sly.el

(autoload 'agent-q-fs-sly-setup "agent-q-fs-sly" nil t)
(autoload 'agent-q-fs-sly-load "agent-q-fs-sly" nil t)
(autoload 'agent-q-fs-sly-set-project-root "agent-q-fs-sly" nil t)
(autoload 'agent-q-fs-sly-use-project "agent-q-fs-sly" nil t)
(defvar agent-q-fs-sly-project-key (agent-q-fs-loaddefs-value 'agent-q-fs-sly-project-key 76) "The key of `agent-q-fs-sly-use-project' in `project-switch-commands'.")
(custom-autoload 'agent-q-fs-sly-project-key "agent-q-fs-sly" t)
(put 'agent-q-fs-sly-project-key 'risky-local-variable t)
(defvar agent-q-fs-sly-directories (agent-q-fs-loaddefs-value 'agent-q-fs-sly-directories nil) "Directories in which a connected Common Lisp may choose its project.")
(custom-autoload 'agent-q-fs-sly-directories "agent-q-fs-sly" t)
(put 'agent-q-fs-sly-directories 'risky-local-variable t)
(custom-add-load 'agent-q-fs-sly "agent-q-fs-sly")
(custom-add-load 'agent-q-fs "agent-q-fs-sly")
(register-definition-prefixes "agent-q-fs-sly" '("agent-q-fs"))


;;;; agent-q-fs-spec.el

(autoload 'agent-q-fs-tool-specs "agent-q-fs-spec")
(autoload 'agent-q-fs-guidance "agent-q-fs-spec")
(defvar agent-q-fs-tool-sets (agent-q-fs-loaddefs-value 'agent-q-fs-tool-sets nil) "Sets of tools of your own: (SET . TOOLS).")
(custom-autoload 'agent-q-fs-tool-sets "agent-q-fs-spec" t)
(put 'agent-q-fs-tool-sets 'risky-local-variable t)
(defvar agent-q-fs-model-tool-sets (agent-q-fs-loaddefs-value 'agent-q-fs-model-tool-sets '(("\\(?:\\`\\|/\\)\\(?:gpt-[5-9]\\|o[3-9]\\b\\)\\|codex" . "gpt") ("" . "coding"))) "The sets of tools for models: (REGEXP . SET), the first that matches counts.")
(custom-autoload 'agent-q-fs-model-tool-sets "agent-q-fs-spec" t)
(put 'agent-q-fs-model-tool-sets 'risky-local-variable t)
(custom-add-load 'agent-q-fs "agent-q-fs-spec")
(register-definition-prefixes "agent-q-fs-spec" '("agent-q-fs"))


;;;; agent-q-fs-symbols-source.el

(register-definition-prefixes "agent-q-fs-symbols-source" '("agent-q-fs"))


;;;; agent-q-fs-symbols.el

(register-definition-prefixes "agent-q-fs-symbols" '("agent-q-fs"))


;;;; agent-q-fs-tools.el

(autoload 'agent-q-fs-define-tool "agent-q-fs-tools")
(autoload 'agent-q-fs-call-tool "agent-q-fs-tools")
(autoload 'agent-q-fs-call-tool-async "agent-q-fs-tools")
(autoload 'agent-q-fs-call-tool-as-person "agent-q-fs-tools")
(register-definition-prefixes "agent-q-fs-tools" '("agent-q-fs"))


;;;; agent-q-fs-tour.el

(autoload 'agent-q-fs-tour "agent-q-fs-tour" nil t)
(autoload 'agent-q-fs-manual "agent-q-fs-tour" nil t)
(register-definition-prefixes "agent-q-fs-tour" '("agent-q-fs"))


;;;; agent-q-fs-tree-marks.el

(defvar agent-q-fs-tree-git (agent-q-fs-loaddefs-value 'agent-q-fs-tree-git t) "Whether trees show what git says about files that have changed.")
(custom-autoload 'agent-q-fs-tree-git "agent-q-fs-tree-marks" t)
(put 'agent-q-fs-tree-git 'risky-local-variable t)
(custom-add-load 'agent-q-fs-ui "agent-q-fs-tree-marks")
(register-definition-prefixes "agent-q-fs-tree-marks" '("agent-q-fs"))


;;;; agent-q-fs-tree.el

(autoload 'agent-q-fs-tree "agent-q-fs-tree" nil t)
(autoload 'agent-q-fs-tree-bookmark-jump "agent-q-fs-tree")
(defvar agent-q-fs-tree-limit (agent-q-fs-loaddefs-value 'agent-q-fs-tree-limit 100000) "The most entries that a tree has; 0 is all there are.")
(custom-autoload 'agent-q-fs-tree-limit "agent-q-fs-tree" t)
(put 'agent-q-fs-tree-limit 'risky-local-variable t)
(defvar agent-q-fs-tree-exclude (agent-q-fs-loaddefs-value 'agent-q-fs-tree-exclude '(".git" "node_modules" "*.elc" "*.fasl" "*.o")) "Globs of basenames that trees leave out, until the key `a' is typed there.")
(custom-autoload 'agent-q-fs-tree-exclude "agent-q-fs-tree" t)
(put 'agent-q-fs-tree-exclude 'risky-local-variable t)
(custom-add-load 'agent-q-fs-ui "agent-q-fs-tree")
(register-definition-prefixes "agent-q-fs-tree" '("agent-q-fs"))


;;;; agent-q-fs-ui.el

(autoload 'agent-q-fs-show-root "agent-q-fs-ui" nil t)
(autoload 'agent-q-fs-set-root "agent-q-fs-ui" nil t)
(autoload 'agent-q-fs-pin "agent-q-fs-ui" nil t)
(autoload 'agent-q-fs "agent-q-fs-ui" nil t)
(autoload 'agent-q-fs-project "agent-q-fs-ui" nil t)
(autoload 'agent-q-fs-project-setup "agent-q-fs-ui" nil t)
(defvar agent-q-fs-project-key (agent-q-fs-loaddefs-value 'agent-q-fs-project-key "a") "The key of the menu in `project-prefix-map', for `agent-q-fs-project-setup'.")
(custom-autoload 'agent-q-fs-project-key "agent-q-fs-ui" t)
(put 'agent-q-fs-project-key 'risky-local-variable t)
(custom-add-load 'agent-q-fs-ui "agent-q-fs-ui")
(custom-add-load 'agent-q-fs "agent-q-fs-ui")
(register-definition-prefixes "agent-q-fs-ui" '("agent-q-fs"))


;;;; agent-q-fs-undo.el

(autoload 'agent-q-fs-undo "agent-q-fs-undo" nil t)
(autoload 'agent-q-fs-forget-changes "agent-q-fs-undo" nil t)
(autoload 'agent-q-fs-snapshots "agent-q-fs-undo" nil t)
(autoload 'agent-q-fs-snapshot-now "agent-q-fs-undo" nil t)
(register-definition-prefixes "agent-q-fs-undo" '("agent-q-fs"))


;;;; agent-q-fs-workspace.el

(autoload 'agent-q-fs-open "agent-q-fs-workspace")
(autoload 'agent-q-fs-reopen "agent-q-fs-workspace" nil t)
(defvar agent-q-fs-open-options (agent-q-fs-loaddefs-value 'agent-q-fs-open-options nil) "Options for every workspace, as `agent-q-fs-open' takes them.")
(custom-autoload 'agent-q-fs-open-options "agent-q-fs-workspace" t)
(put 'agent-q-fs-open-options 'risky-local-variable t)
(custom-autoload 'agent-q-fs-state-directory "agent-q-fs-workspace" t)
(put 'agent-q-fs-state-directory 'risky-local-variable t)
(custom-add-load 'agent-q-fs "agent-q-fs-workspace")
(custom-add-load 'tools "agent-q-fs-workspace")
(register-definition-prefixes "agent-q-fs-workspace" '("agent-q-fs"))


;;;; agent-q-fs.el

(autoload 'agent-q-fs-call "agent-q-fs")
(autoload 'agent-q-fs-preview "agent-q-fs")
(autoload 'agent-q-fs-commit "agent-q-fs")
(autoload 'agent-q-fs-version "agent-q-fs" nil t)
(register-definition-prefixes "agent-q-fs" '("agent-q-fs"))

(provide 'agent-q-fs-loaddefs)
;;; agent-q-fs-loaddefs.el ends here
