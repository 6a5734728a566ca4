;;; agent-q-fs-exec-process.el --- Processes of a command: environment, files, output  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; All processes of a command inherit an environment, which is described here.  The
;; files that they may reach in an isolation follow from the workspace.
;; Their output is collected, bounded and cleaned.

;;; Code:

(require 'agent-q-fs)
(require 'agent-q-fs-audit)
(require 'cl-lib)
(require 'seq)
(require 'subr-x)

;;;; The environment

;; A command gets only those variables of Emacs' environment that
;; `agent-q-fs-exec-environment' names, and the settings in `agent-q-fs-exec-settings'.
;; Packages that read .envrc or .dir-locals.el set variables in buffers, so the global
;; values are taken: nothing comes from a buffer or a project.

(defgroup agent-q-fs-exec nil
  "Commands that models run."
  :group 'agent-q-fs)

(defcustom agent-q-fs-exec-environment
  '("PATH" "HOME" "USER" "LOGNAME" "SHELL" "LANG" "LANGUAGE" "LC_*" "TZ" "TMPDIR")
  "Names of the variables that commands have as Emacs has them.
A name may end in *, which stands for any end.  Nothing else of Emacs'
environment reaches a command: it may hold secrets."
  :type '(repeat string))

(defcustom agent-q-fs-exec-settings
  '("TERM=dumb" "PAGER=cat" "GIT_PAGER=cat" "MANPAGER=cat" "SYSTEMD_PAGER=cat"
    "NO_COLOR=1" "CLICOLOR=0" "GIT_TERMINAL_PROMPT=0")
  "Further settings in the environment of commands, as NAME=VALUE.
These keep programs from paging and colouring, and git from asking."
  :type '(repeat string))

(defcustom agent-q-fs-exec-shell nil
  "The shell that commands are given to, with -c; nil for `shell-file-name'."
  :type '(choice (const :tag "Yours" nil) file))

(defun agent-q-fs-exec-environment--pattern (names)
  "Return a regexp for the entries, NAME=VALUE or NAME, of NAMES."
  (if (null names)
      regexp-unmatchable
    (concat "\\`\\(?:"
            (mapconcat (lambda (known)
                         (if (string-suffix-p "*" known)
                             (concat (regexp-quote (substring known 0 -1)) "[^=]*")
                           (regexp-quote known)))
                       names "\\|")
            "\\)\\(?:=\\|\\'\\)")))

(defun agent-q-fs-exec-environment--path (entry)
  "Return ENTRY, of PATH, without directories that depend on where one is."
  (concat "PATH="
          (string-join (seq-filter (lambda (directory) (string-prefix-p "/" directory))
                                   (split-string (substring entry 5) ":"))
                       ":")))

(defvar agent-q-fs-exec-environment--latest nil
  "What `agent-q-fs-exec-environment' returned last, behind what it was made of.")

(defun agent-q-fs-exec-environment ()
  "Return the environment of commands, as `process-environment' has it.
Do not change the list."
  (let ((whole (default-toplevel-value 'process-environment))
        (names (default-value 'agent-q-fs-exec-environment))
        (settings (default-value 'agent-q-fs-exec-settings)))
    (pcase agent-q-fs-exec-environment--latest
      (`(,(pred (equal whole)) ,(pred (equal names)) ,(pred (equal settings)) . ,environment)
       environment)
      (_ (let ((environment (agent-q-fs-exec-environment--make)))
           (setq agent-q-fs-exec-environment--latest
                 (cl-list* (copy-sequence whole) (copy-sequence names) (copy-sequence settings)
                           environment))
           environment)))))

(defun agent-q-fs-exec-environment--make ()
  "Return what `agent-q-fs-exec-environment' returns, made anew."
  (let* ((case-fold-search nil)
         (pattern (agent-q-fs-exec-environment--pattern
                   (default-value 'agent-q-fs-exec-environment)))
         (named (seq-filter (lambda (entry) (string-match-p pattern entry))
                            (default-toplevel-value 'process-environment)))
         ;; A name that occurs twice counts the first time, as for Emacs; without = it is unset.
         (first (seq-uniq named (lambda (a b)
                                  (equal (car (split-string a "=")) (car (split-string b "=")))))))
    (append (default-value 'agent-q-fs-exec-settings)
            (mapcar (lambda (entry)
                      (if (string-prefix-p "PATH=" entry)
                          (agent-q-fs-exec-environment--path entry)
                        entry))
                    (seq-filter (lambda (entry) (string-search "=" entry)) first)))))

(defun agent-q-fs-exec-environment-words (&optional there)
  "Return words for a person about the environment of commands.
THERE: on another machine."
  (format "%s; of %s only %s"
          (string-join (default-value 'agent-q-fs-exec-settings) " ")
          (if there "yours there" "yours")
          (string-join (default-value 'agent-q-fs-exec-environment) " ")))

(defun agent-q-fs-exec-path ()
  "Return the directories in which commands find programs."
  (split-string (or (seq-some (lambda (entry)
                                (and (string-prefix-p "PATH=" entry) (substring entry 5)))
                              (agent-q-fs-exec-environment))
                    "/usr/bin:/bin")
                ":" t))

(defun agent-q-fs-exec-program (name &optional path)
  "Return the file that a command finds as NAME, or nil.
PATH is what `agent-q-fs-exec-path' has returned."
  (let ((file-name-handler-alist nil))
    (seq-some (lambda (directory)
                (let ((file (concat (file-name-as-directory directory) name)))
                  (and (file-executable-p file) (file-regular-p file) file)))
              (or path (agent-q-fs-exec-path)))))

(defun agent-q-fs-exec-shell (&optional workspace)
  "Return the file name of the shell for commands, or signal an error.
On another machine, where WORKSPACE may be, it is the one that all have."
  (if (and workspace (not (equal "" (agent-q-fs-workspace-prefix workspace)))) "/bin/sh"
    (agent-q-fs-exec--own-shell)))

(defun agent-q-fs-exec--own-shell ()
  "Return the file name of this machine's shell for commands, or signal an error."
  (let* ((shell (or (default-value 'agent-q-fs-exec-shell)
                    (default-toplevel-value 'shell-file-name)))
         (found (and (stringp shell)
                     (if (file-name-absolute-p shell)
                         (and (file-executable-p shell) shell)
                       (agent-q-fs-exec-program shell)))))
    (or found
        (agent-q-fs--fail :command-failed "There is no shell %s; see agent-q-fs-exec-shell"
                          shell))))

(defvar agent-q-fs-exec--runner nil
  "The runner that was found last, (FILE . OPTION) with `agent-q-fs-module-file'.")

(defun agent-q-fs-exec-runner ()
  "Return the file name of the runner of commands, or signal an error."
  (let ((option (default-value 'agent-q-fs-module-file)))
    (pcase agent-q-fs-exec--runner
      (`(,(and file (pred file-executable-p)) . ,(pred (equal option))) file)
      (_ (let ((file (or (agent-q-fs-module-beside "agent-q-fs-run")
                         (error "There is no program agent-q-fs-run beside the core; \
M-x agent-q-fs-module-build builds it"))))
           (setq agent-q-fs-exec--runner (cons file option))
           file)))))


;;;; Records

(defun agent-q-fs-exec-records (records)
  "Return RECORDS, a list of (WORD . BODY), as agent-q-fs-run reads them.
BODY is a string, or nil.  RECORDS may have what this has returned."
  (mapconcat (lambda (record)
               (if (stringp record)
                   record
                 (let* ((body (or (cdr record) ""))
                        (bytes (if (multibyte-string-p body) (agent-q-fs--file-bytes body) body)))
                   (concat (car record) " " (number-to-string (length bytes)) "\n" bytes))))
             records ""))


;;;; The files

;; A command in an isolation reaches the files of its workspace as the options of the
;; workspace have it.

(defun agent-q-fs-exec-isolation-kind (workspace)
  "Return the isolation of commands in WORKSPACE: `none', `landlock' and so on."
  (car (agent-q-fs--isolation-of workspace)))

(defun agent-q-fs-exec-isolation-option (workspace option)
  "Return the OPTION of the isolation of WORKSPACE, such as :network."
  (plist-get (cdr (agent-q-fs--isolation-of workspace)) option))

(defun agent-q-fs-exec-isolate--given (workspace option)
  "Return the value of OPTION that WORKSPACE was opened with, or nil."
  (let ((options (agent-q-fs-workspace-options workspace)))
    (or (plist-get options (intern (concat ":" option)))
        (plist-get options (intern (concat ":" (string-replace "_" "-" option)))))))

(defun agent-q-fs-exec-isolate--true-names (workspace paths &optional all)
  "Return the true names of those of PATHS in WORKSPACE that exist, or of ALL."
  (let ((file-name-handler-alist nil))
    (delq nil
          (mapcar (lambda (path)
                    (let ((name (expand-file-name path (agent-q-fs-workspace-root workspace))))
                      (and (or all (file-exists-p name))
                           (directory-file-name (file-truename name)))))
                  (append paths nil)))))

(defun agent-q-fs-exec-isolate--names (workspace option &optional all)
  "Return the true names of the paths in OPTION of WORKSPACE that exist, or ALL."
  (agent-q-fs-exec-isolate--true-names
   workspace (agent-q-fs-exec-isolate--given workspace option) all))

(defun agent-q-fs-exec-isolate--state (workspace directories)
  "Return the true name of the state directory of WORKSPACE, in a list.
Nil where none of DIRECTORIES holds it.  It keeps what is restricted."
  (seq-filter
   (lambda (name)
     (seq-some (lambda (directory) (string-prefix-p (concat directory "/") name)) directories))
   (agent-q-fs-exec-isolate--true-names
    workspace (list (or (agent-q-fs-exec-isolate--given workspace "state_dir")
                        (default-value 'agent-q-fs-state-directory))))))

(defun agent-q-fs-exec-isolate--protected-names ()
  "Return the names that programs outside obey, as the core has them.
Compiled code is not among them: a command has to write that."
  (cons ".git"
        (seq-mapcat (lambda (group)
                      (and (not (equal "Compiled code" (plist-get group :title)))
                           (plist-get group :names)))
                    (plist-get (agent-q-fs-catalogue) :protected))))

(defvar agent-q-fs-exec-isolate--patterns nil
  "What `agent-q-fs-exec-isolate--patterns' returns, once it was needed.")

(defun agent-q-fs-exec-isolate--any (patterns)
  "Return a regexp for the names that PATTERNS begin with."
  (mapconcat #'car patterns "\\|"))

(defun agent-q-fs-exec-isolate--patterns ()
  "Return the names that programs outside obey, (ANY . PATTERNS).
A pattern is (REGEXP . FURTHER-PATTERN); ANY is a regexp for all beginnings."
  (or agent-q-fs-exec-isolate--patterns
      (let ((patterns (mapcar (lambda (name)
                                (mapcar #'agent-q-fs-buffers-glob-regexp
                                        (split-string name "/" t)))
                              (agent-q-fs-exec-isolate--protected-names))))
        (setq agent-q-fs-exec-isolate--patterns
              (cons (agent-q-fs-exec-isolate--any patterns) patterns)))))

(defun agent-q-fs-exec-isolate--further (name patterns)
  "Return the further patterns of those of PATTERNS that NAME matches."
  (cl-loop for (regexp . further) in patterns
           when (string-match-p regexp name) collect further))

(defun agent-q-fs-exec-isolate--found (directory patterns &optional any)
  "Return the names in DIRECTORY for which one of PATTERNS stands.
As in the core, case does not matter.  ANY is a regexp for their beginnings."
  (let ((case-fold-search t)
        (any (or any (agent-q-fs-exec-isolate--any patterns))))
    (seq-mapcat
     (lambda (name)
       (when (string-match-p any name)
         (let ((file (concat (file-name-as-directory directory) name))
               (further (agent-q-fs-exec-isolate--further name patterns)))
           (cond ((memq nil further) (list file))
                 ((file-directory-p file)
                  (agent-q-fs-exec-isolate--found file further))))))
     (ignore-error file-error
       (directory-files directory nil directory-files-no-dot-files-regexp t)))))

(defun agent-q-fs-exec-isolate--protected (directory)
  "Return the names in DIRECTORY, a workspace's top, that programs outside obey.
Some names count because of what DIRECTORY itself is called."
  (pcase-let* ((case-fold-search t)
               (`(,any . ,patterns) (agent-q-fs-exec-isolate--patterns))
               (own (file-name-nondirectory (directory-file-name directory)))
               (inside (and (string-match-p any own)
                            (delq nil (agent-q-fs-exec-isolate--further own patterns)))))
    (if inside
        (agent-q-fs-exec-isolate--found directory (append inside patterns))
      (agent-q-fs-exec-isolate--found directory patterns any))))

(defcustom agent-q-fs-exec-masked
  '(".git" ".gitmodules" ".gitconfig" ".githooks" ".husky" ".hg" ".pre-commit-config.yaml"
    ".envrc" ".mise.toml" "mise.toml" ".dir-locals.el" ".dir-locals-2.el"
    ".vscode" ".idea" ".zed" ".devcontainer" ".exrc" ".nvim.lua"
    ".mcp.json" ".claude" ".codex" ".agents" ".cursor" ".gemini" ".opencode" "opencode.json"
    ".cargo" ".npmrc" ".yarnrc.yml" ".pnp.cjs" ".bazelrc" ".gdbinit" ".pdbrc"
    ".bashrc" ".bash_profile" ".profile" ".zshrc" ".zprofile" ".ripgreprc")
  "Names that a command in a sandbox cannot make at the top of its workspace.
A sandbox hides such a name, and for that it must be there.  So the
runner makes an empty directory of each name that does not exist, and
removes it when the command is over.  The list holds the names that
programs obey without a question; each one costs some time."
  :group 'agent-q-fs-exec
  :type '(repeat string))

(defun agent-q-fs-exec-isolate--mask-p (file)
  "Return non-nil if FILE is a directory that a runner has put in a name's place."
  (and (eq t (file-attribute-type (file-attributes file)))
       (eql #o1700 (file-modes file 'nofollow))
       (directory-empty-p file)))

(defun agent-q-fs-exec-isolate--masked (workspace directories hidden)
  "Return the names in DIRECTORIES of WORKSPACE that a command must not make.
They are not there yet, and no part of HIDDEN."
  (unless (or (agent-q-fs-exec-isolation-option workspace :writable)
              (plist-get (agent-q-fs-workspace-facts workspace) :read-only))
    (let ((file-name-handler-alist nil))
      (seq-mapcat
       (lambda (directory)
         (cl-loop for name in (default-value 'agent-q-fs-exec-masked)
                  for file = (concat directory "/" name)
                  when (and (or (null (file-attributes file)) ; not even a link
                                (agent-q-fs-exec-isolate--mask-p file))
                            (not (member file hidden)))
                  collect file))
       directories))))

(defun agent-q-fs-exec-isolate--pointed (directory)
  "Return the names of the repository that the file .git in DIRECTORY points to."
  (let ((file (concat directory "/.git")))
    (when (file-regular-p file)
      (with-temp-buffer
        (ignore-errors (insert-file-contents-literally file nil 0 8192))
        (and (looking-at "gitdir: \\([^\n\0]+\\)")
             (list (agent-q-fs--file-name-of-bytes (match-string 1))))))))

(defun agent-q-fs-exec-isolate--locked (workspace directories hidden)
  "Return the true names in DIRECTORIES of WORKSPACE that may not be changed.
They are those of .git, of files that programs outside obey, of what the
workspace protects itself, and of the log, where they exist, without HIDDEN."
  (unless (agent-q-fs-exec-isolation-option workspace :writable)
    (let* ((file-name-handler-alist nil)
           (below (lambda (name above) (string-prefix-p (concat above "/") (concat name "/"))))
           (given (append
                   (agent-q-fs-exec-isolate--names workspace "protected_paths")
                   (ensure-list (agent-q-fs-audit-file-name))
                   (seq-mapcat
                    (lambda (directory)
                      (append (mapcar (lambda (name) (expand-file-name name directory))
                                      (agent-q-fs-exec-isolate--pointed directory))
                              (agent-q-fs-exec-isolate--protected directory)))
                    directories))))
      (seq-uniq
       (seq-filter
        (lambda (name)
          (and (seq-some (lambda (above) (funcall below name above)) directories)
               (not (member name directories))
               (not (agent-q-fs-exec-isolate--mask-p name))
               (not (seq-some (lambda (above) (funcall below name above)) hidden))))
        (mapcar #'file-truename (seq-filter #'file-exists-p given)))))))

(defun agent-q-fs-exec-isolate-rules (workspace)
  "Return the paths of WORKSPACE to show and to hide, shorter names first.
Each is (NAME . ACTION).  ACTION is `show', `hide', `lock' for what may
be read only, `mask' for a name that must not be made, or `pin' for a
directory above a hidden or locked path: it must keep its name, because
a path is hidden by its name."
  (let* ((root (directory-file-name (agent-q-fs--file-name (agent-q-fs-workspace-root workspace))))
         (restricted (agent-q-fs-exec-isolate--names workspace "restricted_paths"))
         (shown (cl-set-difference (agent-q-fs-exec-isolate--names workspace "allowed_paths")
                                   restricted :test #'equal))
         (hidden (append (agent-q-fs-exec-isolate--state workspace (cons root shown)) restricted))
         (locked (agent-q-fs-exec-isolate--locked workspace (cons root shown) hidden))
         (masked (agent-q-fs-exec-isolate--masked workspace (cons root shown) hidden))
         (above nil))
    (dolist (name (append hidden locked))
      (let ((directory (directory-file-name (file-name-directory name))))
        (while (string-prefix-p (concat root "/") directory)
          (push directory above)
          (setq directory (directory-file-name (file-name-directory directory))))))
    (sort (append (list (cons root 'show))
                  (mapcar (lambda (name) (cons name 'pin))
                          (cl-set-difference (seq-uniq above) (append hidden shown locked)
                                             :test #'equal))
                  (mapcar (lambda (name) (cons name 'lock)) locked)
                  (mapcar (lambda (name) (cons name 'mask)) masked)
                  (mapcar (lambda (name) (cons name 'show)) (remove root shown))
                  (mapcar (lambda (name) (cons name 'hide)) hidden))
          (lambda (a b) (< (length (car a)) (length (car b)))))))


;;;; Output

;; A command may print for ever.  An output keeps the first and the last bytes
;; that came since it was last taken, and counts those between.
;; `agent-q-fs-exec-output-take' makes of them the text that a model is shown: decoded,
;; without escape sequences, and within a cap of bytes and lines.

(defconst agent-q-fs-exec-output--keep 16384
  "Bytes that are kept of the beginning of an output, and of its end.
This is several times as much as is shown, because escape sequences are
not shown.")

(defconst agent-q-fs-exec-output--longest 2048
  "The most bytes of an unfinished escape sequence that are kept for later.")

(cl-defstruct (agent-q-fs-exec-output (:constructor agent-q-fs-exec-output-make)
                                      (:copier nil))
  "Bytes that a command printed and nobody has taken."
  (head nil :documentation "The first ones, a list of strings, the latest first.")
  (head-size 0)
  (tail nil :documentation "The last ones, likewise.")
  (tail-size 0)
  (dropped 0 :documentation "How many there were between.")
  (keep agent-q-fs-exec-output--keep :documentation "How many bytes head and tail have."))

(defun agent-q-fs-exec-output-add (output bytes)
  "Add BYTES, a unibyte string, to OUTPUT."
  (let ((room (- (agent-q-fs-exec-output-keep output) (agent-q-fs-exec-output-head-size output))))
    (when (> room 0)
      (let ((first (if (<= (length bytes) room) bytes (substring bytes 0 room))))
        (push first (agent-q-fs-exec-output-head output))
        (cl-incf (agent-q-fs-exec-output-head-size output) (length first))
        (setq bytes (substring bytes (length first)))))
    (unless (equal bytes "")
      (push bytes (agent-q-fs-exec-output-tail output))
      (when (> (cl-incf (agent-q-fs-exec-output-tail-size output) (length bytes))
               (* 2 (agent-q-fs-exec-output-keep output)))
        (agent-q-fs-exec-output--drop output)))))

(defun agent-q-fs-exec-output-lose (output count)
  "Take note that COUNT bytes are missing behind what OUTPUT has."
  (cl-incf (agent-q-fs-exec-output-dropped output)
           (+ count (agent-q-fs-exec-output-tail-size output)))
  (setf (agent-q-fs-exec-output-tail output) nil
        (agent-q-fs-exec-output-tail-size output) 0
        ;; Output from here on does not belong to the beginning.
        (agent-q-fs-exec-output-head-size output) (agent-q-fs-exec-output-keep output)))

(defun agent-q-fs-exec-output--joined (strings)
  "Return STRINGS, a list with the latest first, as one string."
  (apply #'concat (reverse strings)))

(defun agent-q-fs-exec-output--drop (output)
  "Drop all of the tail of OUTPUT but its last bytes, and a little more."
  (let ((size 0)
        (cell (agent-q-fs-exec-output-tail output)))
    (while (and cell (< (cl-incf size (length (car cell)))
                        (agent-q-fs-exec-output-keep output)))
      (setq cell (cdr cell)))
    (when cell
      (setcdr cell nil)
      (cl-incf (agent-q-fs-exec-output-dropped output)
               (- (agent-q-fs-exec-output-tail-size output) size))
      (setf (agent-q-fs-exec-output-tail-size output) size))))

(defun agent-q-fs-exec-output-empty-p (output)
  "Return non-nil if nothing was added to OUTPUT since it was taken."
  (= 0 (agent-q-fs-exec-output-head-size output)))


;;;; Where one may cut

(defun agent-q-fs-exec-output--unfinished (bytes)
  "Return how many bytes at the end of BYTES are unfinished.
They are part of a character, an escape sequence or a line ending."
  (let* ((start (max 0 (- (length bytes) agent-q-fs-exec-output--longest)))
         (end (substring bytes start))
         (length (length end)))
    (cond
     ((string-match "\e\\(?:\\[[0-?]*[ -/]*\\|[]PX^_][^\a\e]*\e?\\|[ -/]+\\)?\\'" end)
      (- length (match-beginning 0)))
     ((string-match "\r+\\'" end) (- length (match-beginning 0)))
     ((and (string-match "[\302-\364][\200-\277]*\\'" end)
           (< (- length (match-beginning 0))
              (let ((lead (aref end (match-beginning 0))))
                (cond ((>= lead #xf0) 4) ((>= lead #xe0) 3) (t 2)))))
      (- length (match-beginning 0)))
     (t 0))))

(defun agent-q-fs-exec-output--raw (output last)
  "Take the bytes of OUTPUT: (HEAD TAIL DROPPED).  Without TAIL, HEAD is all.
Unless LAST, an unfinished end is left for the next time."
  (agent-q-fs-exec-output--drop output)
  (let* ((dropped (agent-q-fs-exec-output-dropped output))
         (head (agent-q-fs-exec-output--joined (agent-q-fs-exec-output-head output)))
         (tail (agent-q-fs-exec-output--joined (agent-q-fs-exec-output-tail output)))
         (all (if (= 0 dropped) (concat head tail) tail))
         (end (- (length all) (if last 0 (agent-q-fs-exec-output--unfinished all))))
         (rest (substring all end)))
    (setf (agent-q-fs-exec-output-head output) (and (not (equal rest "")) (list rest))
          (agent-q-fs-exec-output-head-size output) (length rest)
          (agent-q-fs-exec-output-tail output) nil
          (agent-q-fs-exec-output-tail-size output) 0
          (agent-q-fs-exec-output-dropped output) 0)
    (if (= 0 dropped)
        (list (substring all 0 end) nil 0)
      ;; Leave out characters that were torn apart where the middle was dropped.
      (let ((torn (agent-q-fs-exec-output--unfinished head))
            (begin (min 3 (string-match "[^\200-\277]\\|\\'" all))))
        (list (substring head 0 (- (length head) torn))
              (substring all (min begin end) end)
              (+ dropped torn (min begin end)))))))


;;;; Cleaning

(defconst agent-q-fs-exec-output--escapes
  (concat "\\(?:\e\\[\\|\u009b\\)[0-?]*[ -/]*[@-~]" ; CSI: colour, cursor
          "\\|\\(?:\e[]PX^_]\\|[\u0090\u0098\u009d-\u009f]\\)[^\a\e\n\u009c]*\\(?:\a\\|\e\\\\\\|\u009c\\)"
          "\\|\e[ -/]+[0-~]\\|\e[0-~]")
  "A regexp for escape sequences, which a terminal would obey.")

;; By numbers of characters: in octal these would be bytes.
(defconst agent-q-fs-exec-output--controls "[\u0000-\u0008\u000b-\u001f\u007f-\u009f]"
  "A regexp for a character that has no ink, other than tabs and newlines.")

(defconst agent-q-fs-exec-output--carets
  (let ((table (make-vector 160 nil)))
    (dotimes (character 160)
      (aset table character
            (cond ((= character ?\a) "")
                  ((< character 32) (format "^%c" (+ character 64)))
                  ((= character 127) "^?")
                  (t (format "<U+%04X>" character)))))
    table)
  "How control characters are shown.")

(defun agent-q-fs-exec-output--caret (text)
  "Return how TEXT, of control characters, is shown."
  (mapconcat (lambda (character) (aref agent-q-fs-exec-output--carets character)) text ""))

(defun agent-q-fs-exec-output-clean (bytes)
  "Return BYTES as text that nothing obeys: decoded, and without escape sequences."
  (let ((case-fold-search nil)
        (text (decode-coding-string bytes 'utf-8-unix)))
    (when (string-match-p agent-q-fs-exec-output--controls text)
      (dolist (step `((,agent-q-fs-exec-output--escapes . "")
                      ("[^\n\b]\b" . "")  ; characters that are struck over
                      ("\b+" . "")
                      ("\r+\n" . "\n") ("\r" . "\n")
                      (,(concat agent-q-fs-exec-output--controls "+") . agent-q-fs-exec-output--caret)))
        (setq text (replace-regexp-in-string (car step) (cdr step) text t t))))
    (agent-q-fs-audit-plain text)))


;;;; Capping

(defun agent-q-fs-exec-output--first (text bytes lines)
  "Return the beginning of TEXT, BYTES bytes and LINES lines at most."
  (let ((end 0))
    (while (and end (> lines 0))
      (setq end (string-search "\n" text end)
            end (and end (1+ end))
            lines (1- lines)))
    (let ((encoded (encode-coding-string (substring text 0 end) 'utf-8-unix)))
      (if (<= (length encoded) bytes)
          (substring text 0 end)
        (while (= #x80 (logand #xc0 (aref encoded bytes)))
          (setq bytes (1- bytes)))
        (decode-coding-string (substring encoded 0 bytes) 'utf-8-unix)))))

(defun agent-q-fs-exec-output--last (text bytes lines)
  "Return the end of TEXT, BYTES bytes and LINES lines at most."
  (let ((start (length text))
        (lines (if (string-suffix-p "\n" text) (1+ lines) lines)))
    (while (and (> start 0) (> lines 0))
      (setq start (1- start))
      (while (and (> start 0) (not (eq ?\n (aref text (1- start)))))
        (setq start (1- start)))
      (setq lines (1- lines)))
    (let* ((encoded (encode-coding-string (substring text start) 'utf-8-unix))
           (from (max 0 (- (length encoded) bytes))))
      (while (and (< from (length encoded)) (= #x80 (logand #xc0 (aref encoded from))))
        (setq from (1+ from)))
      (decode-coding-string (substring encoded from) 'utf-8-unix))))

(defun agent-q-fs-exec-output--fits-p (text bytes lines)
  "Return non-nil if TEXT has at most BYTES bytes and LINES lines."
  (and (<= (string-bytes text) bytes)
       (<= (agent-q-fs-audit--lines text) lines)))

(defun agent-q-fs-exec-output--number (number)
  "Return NUMBER with commas between its thousands."
  (let ((text (number-to-string number)))
    (while (string-match "\\`\\([0-9]+\\)\\([0-9]\\{3\\}\\)" text)
      (setq text (concat (match-string 1 text) "," (match-string 2 text)
                         (substring text (match-end 0)))))
    text))

(defun agent-q-fs-exec-output--cut (head tail left bytes lines)
  "Return the beginning of HEAD and the end of TAIL with a mark between them.
LEFT are bytes left out between; BYTES and LINES are the most for all."
  (let* ((room (max 1 (/ (- bytes 60) 2)))
         (first (agent-q-fs-exec-output--first head room (max 1 (/ (1- lines) 2))))
         (last (agent-q-fs-exec-output--last tail room (max 1 (/ (1- lines) 2))))
         (left (+ left (- (string-bytes (if (eq head tail) head (concat head tail)))
                          (string-bytes first) (string-bytes last)))))
    (concat first
            (if (string-suffix-p "\n" first) "" "\n")
            (format "[truncated] %s bytes left out\n" (agent-q-fs-exec-output--number left))
            last)))

(defun agent-q-fs-exec-output-take (output bytes lines last)
  "Empty OUTPUT, and return its text as (TEXT . TRUNCATED).
TEXT has BYTES bytes and LINES lines at most; if there is more, the
middle is left out, and TRUNCATED is t.  LAST says that nothing will be
added any more."
  (pcase-let* ((`(,head ,tail ,dropped) (and (not (agent-q-fs-exec-output-empty-p output))
                                             (agent-q-fs-exec-output--raw output last)))
               (head (and head (agent-q-fs-exec-output-clean head))))
    (cond
     ((null head) (cons "" nil))
     (tail (cons (agent-q-fs-exec-output--cut head (agent-q-fs-exec-output-clean tail)
                                              dropped bytes lines)
                 t))
     ((agent-q-fs-exec-output--fits-p head bytes lines) (cons head nil))
     (t (cons (agent-q-fs-exec-output--cut head head 0 bytes lines) t)))))

(provide 'agent-q-fs-exec-process)
;;; agent-q-fs-exec-process.el ends here
