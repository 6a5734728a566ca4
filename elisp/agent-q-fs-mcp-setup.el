;;; agent-q-fs-mcp-setup.el --- What agents outside have in their configuration  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;;     M-x agent-q-fs-mcp-setup
;;
;; shows what an agent needs in its configuration to use the tools of this Emacs, and how
;; its own file tools are switched off, and writes both where the person says yes.
;;
;; A file of JSON is written anew with what it had and what is added.  One with comments,
;; which would be lost, is left alone, and so is what could not be read.

;;; Code:

(require 'agent-q-fs)
(require 'agent-q-fs-mcp)
(require 'cl-lib)
(require 'json)
(require 'subr-x)

(defconst agent-q-fs-mcp-setup--arguments '("mcp" "--emacs" "--text-only")
  "The arguments of the program.
Some agents give a model the data in place of the words, which are shorter.")

(defconst agent-q-fs-mcp-setup--agents
  '(("Claude Code"
     :file ".mcp.json"
     :entry (("mcpServers" ("agent-q-fs" ("type" . "stdio") ("command" . %command)
                            ("args" . %arguments) ("alwaysLoad" . t))))
     :off-file ".claude/settings.json"
     :off (("permissions" ("allow" . ["mcp__agent-q-fs"])
            ("deny" . ["Read" "Edit" "Write" "NotebookEdit" "Glob" "Grep"])))
     :note "Start claude once in the project, and say that you trust it: before, claude -p does not \
heed what is allowed.  For all projects at once: claude mcp add --scope user agent-q-fs -- agent-q-fs \
mcp --emacs --text-only.  Bash can write files, too: where commands are not needed, deny it as well.")
    ("codex"
     :file "~/.codex/config.toml"
     :entry table
     :off-text "sandbox_mode = \"read-only\"\n\n[features]\nshell_tool = false\n"
     :note "Emacs asks you, so codex need not ask as well; codex exec, which cannot ask, would \
refuse each change.  codex always has apply_patch; in a sandbox that is read-only it changes nothing.  \
sandbox_mode stands above all tables of the file.")
    ("opencode"
     :file "~/.config/opencode/opencode.json"
     :entry (("mcp" ("agent-q-fs" ("type" . "local") ("command" . %words) ("enabled" . t))))
     :off-file "~/.config/opencode/opencode.json"
     :off (("permission" ("read" . "deny") ("edit" . "deny") ("glob" . "deny") ("grep" . "deny")
            ("list" . "deny")))
     :note "This is the form of opencode 1; in version 2 the server stands in mcp.servers, without \
enabled.  bash can write files, too: where commands are not needed, deny it as well.")
    ("Zed"
     :file "~/.config/zed/settings.json"
     :entry (("context_servers" ("agent-q-fs" ("command" . %command) ("args" . %arguments))))
     :off-file "~/.config/zed/settings.json"
     :off (("agent" ("profiles" ("agent-q-fs" ("name" . "agent-q-fs") ("tools" . %none)
                                 ("enable_all_context_servers" . t)))))
     :note "Choose the profile agent-q-fs in the agent panel: it has the tools of servers alone.")
    ("ECA"
     :file "~/.config/eca/config.json"
     :entry (("mcpServers" ("agent-q-fs" ("command" . %command) ("args" . %arguments))))
     :off-file "~/.config/eca/config.json"
     :off (("disabledTools" . ["eca__read_file" "eca__write_file" "eca__edit_file" "eca__move_file"
                               "eca__directory_tree" "eca__grep"]))
     :note "eca__shell_command can write files, too: where commands are not needed, add it.")
    ("mcp.el"
     :variable mcp-hub-servers
     :entry ("agent-q-fs" :command %command :args %list)
     :note "This is for an Emacs beside the one that serves.  In that one, gptel has the tools by \
itself: M-x agent-q-fs-gptel-setup.")
    ("agent-shell"
     :variable agent-shell-mcp-servers
     :entry ((name . "agent-q-fs") (command . %command) (args . %list) (env))
     :note "The agent's own file tools are switched off in its own configuration."))
  "The agents, with their configuration, and what switches their tools off.
A file is in the project unless it begins with ~.  In an entry, %command,
%arguments, %words, %list and %none stand for the program, its arguments as
JSON has them, both, the arguments as a list, and an empty object.")

(defun agent-q-fs-mcp-setup-program ()
  "Return the name of the program: in full, unless it is found by its name."
  (let* ((module (agent-q-fs-module--find))
         (beside (and module (expand-file-name "agent-q-fs" (file-name-directory module)))))
    (if (or (executable-find "agent-q-fs") (not beside) (not (file-executable-p beside)))
        "agent-q-fs"
      beside)))


;;;; Entries

(defun agent-q-fs-mcp-setup--fill (form &optional command)
  "Return FORM, of an entry, with COMMAND and its arguments in it."
  (let ((arguments agent-q-fs-mcp-setup--arguments))
    (pcase form
      ('%command command)
      ('%arguments (vconcat arguments))
      ('%words (vconcat (cons command arguments)))
      ('%list arguments)
      ('%none (make-hash-table))
      (`(,first . ,rest) (cons (agent-q-fs-mcp-setup--fill first command)
                               (agent-q-fs-mcp-setup--fill rest command)))
      (_ form))))

(defun agent-q-fs-mcp-setup--json (value)
  "Return VALUE, hash tables or alists, as JSON text for people."
  (let ((json-encoding-pretty-print t) (json-encoding-default-indentation "  ")
        (json-false :false) (json-null :null))
    (concat (json-encode value) "\n")))

(defun agent-q-fs-mcp-setup-entry (agent &optional command)
  "Return the text that AGENT, a name, has in its configuration.
COMMAND is the program, by default as it is found here."
  (let* ((plist (cdr (assoc agent agent-q-fs-mcp-setup--agents)))
         (command (or command (agent-q-fs-mcp-setup-program)))
         (entry (plist-get plist :entry)))
    (cond ((eq entry 'table)
           (format "[mcp_servers.agent-q-fs]\ncommand = %s\nargs = [%s]\n\
env_vars = [\"XDG_RUNTIME_DIR\"]\ndefault_tools_approval_mode = \"approve\"\n"
                   (json-encode-string command)
                   (mapconcat #'json-encode-string agent-q-fs-mcp-setup--arguments ", ")))
          ((plist-get plist :variable)
           (format "(add-to-list '%s\n             '%S)\n" (plist-get plist :variable)
                   (agent-q-fs-mcp-setup--fill entry command)))
          (t (agent-q-fs-mcp-setup--json (agent-q-fs-mcp-setup--fill entry command))))))

(defun agent-q-fs-mcp-setup-off (agent)
  "Return the text that switches the file tools of AGENT off, or nil."
  (let ((plist (cdr (assoc agent agent-q-fs-mcp-setup--agents))))
    (or (plist-get plist :off-text)
        (and (plist-get plist :off) (agent-q-fs-mcp-setup--json
                                    (agent-q-fs-mcp-setup--fill (plist-get plist :off)))))))


;;;; Files

(defun agent-q-fs-mcp-setup--merge (old new)
  "Return OLD, JSON as hash tables and vectors, with what NEW, an alist, has."
  (cond ((and (vectorp old) (vectorp new)) (vconcat (delete-dups (append old new nil))))
        ((consp new)
         (let ((object (if (hash-table-p old) old (make-hash-table :test #'equal))))
           (pcase-dolist (`(,key . ,value) new object)
             (puthash key (agent-q-fs-mcp-setup--merge (gethash key object) value) object))))
        (t new)))

(defun agent-q-fs-mcp-setup--read (text file)
  "Return TEXT, the JSON object of FILE, as a hash table; nil for no text."
  (let ((json-object-type 'hash-table) (json-key-type 'string) (json-array-type 'vector)
        (json-false :false) (json-null :null))
    (condition-case nil
        (with-temp-buffer
          (insert text)
          (goto-char (point-min))
          (skip-chars-forward " \t\r\n")
          (if (eobp)
              nil
            (unless (eq ?{ (char-after)) (error "No object"))
            (prog1 (json-read)
              (skip-chars-forward " \t\r\n")
              (unless (eobp) (error "More")))))
      (error (user-error "%s has comments or is no JSON: put the entry in by hand" file)))))

(defun agent-q-fs-mcp-setup--change (file function)
  "Write what FUNCTION returns for the text of FILE into it, by its buffer."
  (let* ((file (expand-file-name file))
         ;; First, for what others do meanwhile in a buffer needs its directory to be there.
         (_ (make-directory (file-name-directory file) t))
         (visited (get-file-buffer file))
         (buffer (or visited (let ((coding-system-for-read 'utf-8)) (find-file-noselect file)))))
    (unwind-protect
        (with-current-buffer buffer
          (when (or (buffer-modified-p) (not (verify-visited-file-modtime)))
            (user-error "%s has changes that are not saved, or not read: see to them first" file))
          (let ((text (save-restriction
                        (widen)
                        (funcall function (buffer-substring-no-properties (point-min) (point-max))))))
            (save-restriction
              (widen)
              (let ((inhibit-read-only t))
                (delete-region (point-min) (point-max))
                (insert text)))
            (let ((coding-system-for-write (unless visited 'utf-8-unix)))
              (save-buffer))))
      (unless visited
        (with-current-buffer buffer (set-buffer-modified-p nil))
        (kill-buffer buffer)))
    file))

(defun agent-q-fs-mcp-setup--write (agent command)
  "Write the entry for AGENT, with COMMAND, into its configuration.
Return where it is."
  (let* ((plist (cdr (assoc agent agent-q-fs-mcp-setup--agents)))
         (file (plist-get plist :file)) (variable (plist-get plist :variable))
         (entry (plist-get plist :entry)))
    (cond
     (variable
      (unless (boundp variable)
        (user-error "%s is not loaded: put the entry into your init file" agent))
      (customize-save-variable
       variable (cons (agent-q-fs-mcp-setup--fill entry command)
                      (cl-remove-if (lambda (server)
                                      (member "agent-q-fs"
                                              (list (car-safe server)
                                                    (cdr-safe (assq 'name (ensure-list server))))))
                                    (symbol-value variable))))
      (symbol-name variable))
     ((eq entry 'table)
      (agent-q-fs-mcp-setup--change
       file (lambda (text)
              (when (string-match-p "^[ \t]*\\[[ \t]*mcp_servers[ \t]*\\.[ \t]*\"?agent-q-fs\\b" text)
                (user-error "%s has an entry for agent-q-fs: change it by hand" file))
              (concat text (if (string-match-p "[^\n]\\'" text) "\n" "")
                      (if (equal text "") "" "\n") (agent-q-fs-mcp-setup-entry agent command)))))
     (t (agent-q-fs-mcp-setup--add file (agent-q-fs-mcp-setup--fill entry command))))))

(defun agent-q-fs-mcp-setup--add (file value)
  "Add VALUE, an alist, to the JSON of FILE, and return its name."
  (agent-q-fs-mcp-setup--change
   file (lambda (text)
          (agent-q-fs-mcp-setup--json
           (agent-q-fs-mcp-setup--merge (agent-q-fs-mcp-setup--read text file) value)))))


;;;; The command

(defun agent-q-fs-mcp-setup--show (agent command)
  "Show what AGENT needs, with COMMAND as the program."
  (let ((plist (cdr (assoc agent agent-q-fs-mcp-setup--agents))))
    (with-output-to-temp-buffer "*agent-q-fs MCP*"
      (princ (format "%s uses the tools of this Emacs with this in %s:\n\n%s" agent
                     (or (plist-get plist :file) "your init file")
                     (agent-q-fs-mcp-setup-entry agent command)))
      (when (agent-q-fs-mcp-setup-off agent)
        (princ (format "\nThis in %s switches its own file tools off:\n\n%s"
                       (or (plist-get plist :off-file) (plist-get plist :file))
                       (agent-q-fs-mcp-setup-off agent))))
      (princ (concat "\n" (plist-get plist :note) "\n"))
      (unless agent-q-fs-mcp-mode
        (princ "\nThis Emacs serves after M-x agent-q-fs-mcp-mode.\n")))))

;;;###autoload
(defun agent-q-fs-mcp-setup (agent)
  "Show what AGENT needs in its configuration to use the tools of this Emacs.
With a yes, write it there.  With another yes, switch off the file tools of
AGENT itself, which know neither the boundary nor the rules.  Files of a
project are those of the project here."
  (interactive
   (list (completing-read "Agent: " (mapcar #'car agent-q-fs-mcp-setup--agents) nil t)))
  (let* ((plist (or (cdr (assoc agent agent-q-fs-mcp-setup--agents))
                    (user-error "There is no entry for %s; there are %s" agent
                                (mapconcat #'car agent-q-fs-mcp-setup--agents ", "))))
         (default-directory (agent-q-fs--file-name
                             (agent-q-fs-workspace-root (agent-q-fs-current-workspace))))
         (command (agent-q-fs-mcp-setup-program))
         (name (lambda (file) (abbreviate-file-name (expand-file-name file))))
         (written nil))
    (agent-q-fs-mcp-setup--show agent command)
    (when (y-or-n-p (format "Write the entry into %s? "
                            (if (plist-get plist :file) (funcall name (plist-get plist :file))
                              "your Customize file")))
      (push (agent-q-fs-mcp-setup--write agent command) written))
    (when (and (plist-get plist :off-file)
               (y-or-n-p (format "Switch its own file tools off in %s? "
                                 (funcall name (plist-get plist :off-file)))))
      (push (agent-q-fs-mcp-setup--add (plist-get plist :off-file)
                                       (agent-q-fs-mcp-setup--fill (plist-get plist :off)))
            written))
    (when written
      (message "Written into %s%s%s" (mapconcat #'abbreviate-file-name (delete-dups (reverse written)) " and ")
               (if (plist-get plist :variable) "" (concat ".  Restart " agent))
               (if agent-q-fs-mcp-mode ""
                 "; M-x agent-q-fs-mcp-mode makes this Emacs serve it")))))

(provide 'agent-q-fs-mcp-setup)
;;; agent-q-fs-mcp-setup.el ends here
