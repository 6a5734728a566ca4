;;; agent-q-fs-exec-isolate.el --- What a command can reach  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The isolation of a workspace is the one it was opened with, or else
;; `agent-q-fs-exec-isolation':
;;
;;     none        a command can do what the person can do
;;     landlock    the kernel keeps each command from files and from the network
;;     bubblewrap  each command has a sandbox
;;     podman      the workspace has a container
;;
;; or a list of one of these and options: (bubblewrap :writable t).  An isolation that
;; is not available is an error; it is never replaced by another one.
;;
;; An isolation has two functions: one makes sure that it is available, and calls
;; another one back; one returns the words that run a command in it.

;;; Code:

(require 'agent-q-fs)
(require 'agent-q-fs-audit)
(require 'agent-q-fs-exec-process)
(require 'cl-lib)
(require 'seq)
(require 'subr-x)

(declare-function agent-q-fs-show-visible "agent-q-fs-show" (text &optional name))
(declare-function agent-q-fs-ui-reporter "agent-q-fs-ui" (words))

(defcustom agent-q-fs-exec-isolation 'none
  "The isolation of commands in workspaces that were opened without :isolation.
That option of `agent-q-fs-open' sets it for one workspace.  The value is
one of these, or a list of one and options, (bubblewrap :writable t):

none        nothing: a command can do what you can do
landlock    a command can change what is in the workspace, read the
            system's programs, and no other file; no network, no signal
            to other processes.  It needs no program, and Linux 5.13
bubblewrap  a command can change the workspace, read the system's
            programs, and reach nothing else, no network, no process
podman      a container for the workspace; :image NAME or :rootfs
            DIRECTORY says of what, and :network NAME a network of
            podman's, other than this machine's own (\"host\")

In all, .git and the protected files at the top of the workspace can
only be read; with :writable t they can be changed.  In landlock, no
name at the top can be made or deleted unless there is :writable t."
  :group 'agent-q-fs-exec
  :type '(choice (const none) (const landlock) (const bubblewrap) (const podman)
                 (cons (choice (const landlock) (const bubblewrap) (const podman)) plist)))

(defun agent-q-fs-exec-isolation-words (workspace)
  "Return words for a person about the isolation of WORKSPACE."
  (pcase (agent-q-fs--isolation-of workspace)
    ('(none) (if (equal "" (agent-q-fs-workspace-prefix workspace))
                 "no, it can do whatever you can"
               "no, it can do whatever you can on that machine"))
    (`(,kind . ,options)
     (format "%s, %s%s" kind (if (plist-get options :network) "with network" "no network")
             (if (plist-get options :writable) ", can change .git and protected files" "")))))


;;;; A denied access

(defconst agent-q-fs-exec-isolate--denied
  (concat "[Pp]ermission denied\\|Operation not permitted\\|Read-only file system"
          "\\|\\_<E\\(?:ACCES\\|PERM\\|ROFS\\|NETUNREACH\\|AI_AGAIN\\)\\_>"
          "\\|Network is unreachable\\|[Cc]ould not resolve\\|in name resolution"
          "\\|Name or service not known\\|[Cc]onnection refused\\|[Cc]ould not connect")
  "A regexp for what programs print when an isolation has denied them something.")

(defun agent-q-fs-exec-isolation-hint (isolation printed)
  "Return words for a model whose command failed in ISOLATION, or nil.
ISOLATION is (KIND . OPTIONS).  PRINTED are the strings that were printed."
  (let ((kind (car isolation)) (case-fold-search nil))
    (when (and (not (eq 'none kind))
               (seq-some (lambda (text) (string-match-p agent-q-fs-exec-isolate--denied text))
                         printed))
      (format "Note: this may be the isolation (%s).  In it a command changes only files of the \
project%s%s; outside it reads the system's programs and nothing of the user's; it has %s.  Use \
the file tools for what they can do.  If the command needs more, call again with access%s \"everything\" (no isolation): the user is asked.\n"
              kind
              (if (plist-get (cdr isolation) :writable) "" ", not .git and protected files")
              (if (and (eq 'landlock kind) (not (plist-get (cdr isolation) :writable)))
                  ", and makes or deletes no name at its top" "")
              (if (plist-get (cdr isolation) :network) "a network of its own" "no network")
              (if (or (eq 'podman kind) (plist-get (cdr isolation) :writable)) ""
                " \"protected\" (.git and protected files, too) or")))))


;;;; The mark of a command

;; The processes of a command are the descendants of its runner (agent-q-fs-exec-run.el).
;; Those in a container are not, so its processes are known by a mark:
;;
;;   - a variable in the environment, which shows in /proc/PID/environ; all commands have it,
;;     so that a person can tell what a process belongs to;
;;   - in a container, a limit that no other process has, which shows in /proc/PID/limits,
;;     for processes that were started with another environment.  It is the limit of
;;     resident memory: Linux has ignored that one for years, and every shell can set it.

(defconst agent-q-fs-exec-mark-variable "AGENT_Q_FS_COMMAND"
  "The variable in a command's environment that says which command it is.")

(cl-defstruct (agent-q-fs-exec-mark (:constructor agent-q-fs-exec-mark--make) (:copier nil))
  "The mark of the processes of a command."
  (id nil :documentation "The variable's value.")
  (limit nil :documentation "The limit, in KiB."))

(defun agent-q-fs-exec-mark-new ()
  "Return a mark that no other command has."
  (let ((most (expt 2 50)))
    (agent-q-fs-exec-mark--make
     :id (secure-hash 'sha1 (format "%s %s %s" (emacs-pid) (float-time)
                                    (random most-positive-fixnum)))
     :limit (- most 1 (random (/ most 4))))))

(defun agent-q-fs-exec-mark-entry (mark)
  "Return the entry of an environment that MARK is."
  (concat agent-q-fs-exec-mark-variable "=" (agent-q-fs-exec-mark-id mark)))


;;;; Preparing, and the words

(defun agent-q-fs-exec-isolate--shares-network-p (workspace)
  "Return non-nil if the isolation of WORKSPACE asks for this machine's network.
There a command reaches what listens for this machine's own programs."
  (let ((network (agent-q-fs-exec-isolation-option workspace :network)))
    (and network
         (not (and (eq 'podman (agent-q-fs-exec-isolation-kind workspace))
                   (stringp network)
                   (not (string-match-p "\\`\\(?:host\\|ns\\)\\(?::\\|\\'\\)" network)))))))

(defun agent-q-fs-exec-isolate-prepare (workspace then)
  "See to it that commands can be isolated in WORKSPACE, and call THEN.
It is called with nil, or with an error's reply, now or later."
  (pcase (agent-q-fs-exec-isolation-kind workspace)
    ((and kind (guard (agent-q-fs-exec-isolate--shares-network-p workspace)))
     (funcall then (agent-q-fs-exec-isolate-failure
                    kind "its network would be this machine's, with all that listens on \
127.0.0.1, such as SWANK, and that is refused.  A network of podman's is apart from it: \
(podman :network \"NAME\")")))
    ('none (funcall then nil))
    ((and kind (guard (not (equal "" (agent-q-fs-workspace-prefix workspace)))))
     (funcall then (agent-q-fs-exec-isolate-failure kind "the project is on another machine")))
    ('landlock (agent-q-fs-exec-landlock-prepare workspace then))
    ('bubblewrap (agent-q-fs-exec-bubblewrap-prepare workspace then))
    ('podman (agent-q-fs-exec-podman-prepare workspace then))))

(defun agent-q-fs-exec-isolate-command (workspace directory tty mark command)
  "Return how to run COMMAND in DIRECTORY of WORKSPACE: (WORDS . OPTIONS).
OPTIONS say what else the runner is to do: `filter', have a filter for
system calls at descriptor 9; `deaf', ignore what the keys of a terminal
send; `marked', end what has MARK; or records, as for `agent-q-fs-exec-records'.
TTY says that there is a terminal.  All processes of the command have MARK."
  (let ((words (lambda (shell)
                 ;; A command that begins with a hyphen must not be taken for an option.
                 (list shell "-c" (if (string-match-p "\\`[-+]" command)
                                      (concat " " command)
                                    command)))))
    (pcase (agent-q-fs-exec-isolation-kind workspace)
      ('none (list (funcall words (agent-q-fs-exec-shell workspace))))
      ('landlock (cons (funcall words (agent-q-fs-exec-shell))
                       (agent-q-fs-exec-landlock-records workspace)))
      ('bubblewrap (agent-q-fs-exec-bubblewrap-command
                    directory tty (funcall words (agent-q-fs-exec-shell))))
      ('podman (agent-q-fs-exec-podman-command
                workspace directory tty
                (append (default-value 'agent-q-fs-exec-settings)
                        (list (agent-q-fs-exec-mark-entry mark)))
                (append (list "/bin/sh" "-c"
                              (concat (format "ulimit -m %d; " (agent-q-fs-exec-mark-limit mark))
                                      ;; The terminal inside is another one.
                                      (when tty "stty sane -echo -onlcr; ")
                                      "exec \"$@\"")
                              "sh")
                        (funcall words "/bin/sh")))))))

(defun agent-q-fs-exec-isolate-try (words)
  "Run WORDS, a command, to its end; return (STATUS . OUTPUT)."
  (with-temp-buffer
    (let ((default-directory "/")
          (file-name-handler-alist nil)
          (process-environment (agent-q-fs-exec-environment)))
      (condition-case problem
          (let ((status (apply #'call-process (car words) nil t nil (cdr words))))
            (cons status (string-trim (buffer-string))))
        (error (cons nil (error-message-string problem)))))))

(defun agent-q-fs-exec-isolate-failure (kind words)
  "Return the reply that says that KIND of isolation is not to be had: WORDS.
Of many words the last are kept: what failed stands behind the warnings."
  (let ((line (replace-regexp-in-string "[\0- \177]+" " " words)))
    (agent-q-fs--error-reply
     :command-failed "Commands here run in %s, which does not work: %s.  Nothing was run"
     kind (agent-q-fs-audit-plain (substring line (max 0 (- (length line) 500)))))))


;;;; A fence of landlock

;; The runner puts the command behind a fence (module/runner/fence.h), of which it is told
;; what may be written, what may be read, and what must be neither.  A fence only allows:
;; what it allows of a directory holds for all below it.  So the top of a workspace cannot
;; be allowed as a whole, because .git lies there, but what is in it can.

(defvar agent-q-fs-exec-landlock--level nil
  "How far the kernel's Landlock goes, a number, once that was asked; 0 for none.")

(defun agent-q-fs-exec-landlock-level ()
  "Return how far the kernel's Landlock goes, a number; 0 if there is none.
Signal an error if the runner, which asks the kernel, does not."
  (or agent-q-fs-exec-landlock--level
      (pcase-let* ((runner (agent-q-fs-exec-runner))
                   (`(,status . ,words) (agent-q-fs-exec-isolate-try (list runner "--landlock"))))
        (unless (eql 0 status)
          (error "%s ended with %s: %s" (abbreviate-file-name runner) status words))
        (setq agent-q-fs-exec-landlock--level (string-to-number words)))))

(defun agent-q-fs-exec-landlock-prepare (_workspace then)
  "See whether the kernel has fences, and call THEN with nil or an error."
  (funcall
   then
   (condition-case problem
       (when (= 0 (agent-q-fs-exec-landlock-level))
         (agent-q-fs-exec-isolate-failure
          'landlock (if (agent-q-fs-exec-program "bwrap")
                        "this kernel has none, but bubblewrap is here: \
\(agent-q-fs-open :isolation 'bubblewrap)"
                      "this kernel has none; the package bubblewrap would be as strong")))
     (error (agent-q-fs-exec-isolate-failure 'landlock (error-message-string problem))))))

(defvar agent-q-fs-exec-landlock--guards nil
  "The value of `agent-q-fs-exec-landlock--guards', once it was needed.")

(defun agent-q-fs-exec-landlock--guards ()
  "Return records of the names that a command must not make."
  (or agent-q-fs-exec-landlock--guards
      (setq agent-q-fs-exec-landlock--guards
            (agent-q-fs-exec-records
             (mapcar (lambda (name) (cons "guard" (string-remove-prefix "/" name)))
                     (seq-remove (lambda (name) (string-match-p "[*?[]" name))
                                 (agent-q-fs-exec-isolate--protected-names)))))))

(defun agent-q-fs-exec-landlock-records (workspace)
  "Return the records that have the runner fence a command of WORKSPACE."
  (let* ((file-name-handler-alist nil)
         (root (directory-file-name (agent-q-fs--file-name (agent-q-fs-workspace-root workspace))))
         (restricted (agent-q-fs-exec-isolate--names workspace "restricted_paths" t))
         (written (cons root (seq-difference (agent-q-fs-exec-isolate--names
                                              workspace "allowed_paths")
                                             restricted)))
         (hidden (append (agent-q-fs-exec-isolate--state workspace written) restricted))
         (write (if (plist-get (agent-q-fs-workspace-facts workspace) :read-only) "read" "write"))
         (rule (lambda (word) (lambda (name) (cons word name)))))
    (append
     '(("fence"))
     (mapcar (funcall rule "hide") hidden)
     (mapcar (funcall rule write) written)
     (unless (agent-q-fs-exec-isolation-option workspace :writable)
       (append (mapcar (funcall rule "read")
                       (agent-q-fs-exec-isolate--locked workspace written hidden))
               (list (agent-q-fs-exec-landlock--guards))))
     (mapcar (funcall rule "read")
             (cons "/proc" (default-value 'agent-q-fs-exec-bubblewrap-read))))))


;;;; A sandbox of bubblewrap

;; Each command has a sandbox of its own: the workspace, the system's programs and
;; settings to be read, an empty home and /tmp, its own processes and devices, and no
;; network.  When its first process ends, the kernel ends all others.
;;
;; A terminal is asked to act on input that nobody typed by an ioctl.  A filter for
;; system calls, which the runner hands on, refuses it.

(defcustom agent-q-fs-exec-bubblewrap-read ; of landlock, too
  '("/usr" "/bin" "/sbin" "/lib" "/lib32" "/lib64" "/libx32" "/etc" "/opt" "/nix/store"
    "/gnu/store" "/run/current-system")
  "Directories of the system that a command in a sandbox can read, if they exist.
The same holds for one behind a fence of landlock."
  :group 'agent-q-fs-exec
  :type '(repeat directory))


;;;; The sandbox

(defun agent-q-fs-exec-bubblewrap--rules (workspace rules)
  "Return the options of bubblewrap for the RULES of WORKSPACE."
  (let ((bind (if (plist-get (agent-q-fs-workspace-facts workspace) :read-only)
                  "--ro-bind"
                "--bind"))
        words locks)
    (pcase-dolist (`(,name . ,action) rules)
      (let ((name (agent-q-fs--file-bytes name)))
        (push (cond ((memq action '(show pin)) (list bind name name))
                    ((eq action 'lock) (list "--ro-bind" name name))
                    ;; To make it read-only takes bubblewrap 2 ms: it reads all mounts.
                    ((eq action 'mask) (list "--perms" "0555" "--tmpfs" name))
                    ((file-directory-p name)
                     (push (list "--remount-ro" name) locks)
                     (list "--tmpfs" name))
                    ;; A device where there are none: it cannot be opened.
                    (t (list "--ro-bind" "/dev/null" name)))
              words)))
    (apply #'append (nreverse (append locks words)))))

(defun agent-q-fs-exec-bubblewrap--sandbox (workspace rules)
  "Return the words that run a command in a sandbox for WORKSPACE by RULES."
  (append
   (list (agent-q-fs-exec-program "bwrap") "--unshare-all" "--die-with-parent"
         "--cap-drop" "ALL" "--hostname" "sandbox")
   (mapcan (lambda (directory) (list "--ro-bind-try" directory directory))
           (default-value 'agent-q-fs-exec-bubblewrap-read))
   (list "--proc" "/proc" "--dev" "/dev" "--tmpfs" "/tmp" "--tmpfs" "/dev/shm")
   (let ((home (expand-file-name "~")))
     (unless (equal home "/") (list "--tmpfs" (agent-q-fs--file-bytes home))))
   (list "--setenv" "TMPDIR" "/tmp")
   (agent-q-fs-exec-bubblewrap--rules workspace rules)))

(defvar agent-q-fs-exec-bubblewrap--latest nil
  "The latest sandbox that was tried and worked, (KEY . RECORDS).
KEY is all that it was made of.  RECORDS are for the runner: its words, and
the names to mask.")

(defun agent-q-fs-exec-bubblewrap--records (workspace rules)
  "Return the records of a sandbox for WORKSPACE by RULES."
  (agent-q-fs-exec-records
   (append (mapcar (lambda (word) (cons "word" word))
                   (agent-q-fs-exec-bubblewrap--sandbox workspace rules))
           (cl-loop for (name . action) in rules
                    when (eq action 'mask) collect (cons "mask" name)))))

(defun agent-q-fs-exec-bubblewrap--fault (workspace rules)
  "Return an error's reply if a sandbox for WORKSPACE by RULES does not work."
  (pcase-let ((`(,status . ,words)
               (agent-q-fs-exec-isolate-try
                (append (agent-q-fs-exec-bubblewrap--sandbox
                         workspace
                         ;; Without a runner, bubblewrap would make what is masked.
                         (seq-remove (lambda (rule) (eq 'mask (cdr rule))) rules))
                        (list "--" "env" "--default-signal=INT"
                              (agent-q-fs-exec-shell) "-c" "exit 0")))))
    (unless (eql 0 status)
      (agent-q-fs-exec-isolate-failure
       'bubblewrap (if (equal words "") (format "it ended with %s" status) words)))))

(defun agent-q-fs-exec-bubblewrap--look (workspace program)
  "Look for a sandbox for WORKSPACE by bubblewrap, PROGRAM.
Return an error's reply if there is none that works."
  (let* ((rules (agent-q-fs-exec-isolate-rules workspace))
         (key (list program rules (default-value 'agent-q-fs-exec-bubblewrap-read)
                    (plist-get (agent-q-fs-workspace-facts workspace) :read-only)
                    (expand-file-name "~") (agent-q-fs-exec-shell))))
    (unless (equal key (car agent-q-fs-exec-bubblewrap--latest))
      (or (agent-q-fs-exec-bubblewrap--fault workspace rules)
          (ignore (setq agent-q-fs-exec-bubblewrap--latest
                        (cons key (agent-q-fs-exec-bubblewrap--records workspace rules))))))))

(defun agent-q-fs-exec-bubblewrap-prepare (workspace then)
  "See whether a sandbox for WORKSPACE works, and call THEN with nil or an error."
  (let ((program (agent-q-fs-exec-program "bwrap")))
    (funcall
     then
     (condition-case problem
         (if program
             (agent-q-fs-exec-bubblewrap--look workspace program)
           (agent-q-fs-exec-isolate-failure
            'bubblewrap "there is no program bwrap (of the package bubblewrap)"))
       (agent-q-fs-error (cdr problem))))))

(defun agent-q-fs-exec-bubblewrap-command (directory tty words)
  "Return how to run WORDS in DIRECTORY, (WORDS . OPTIONS).
That is in the sandbox that was found a moment ago.  With TTY there is a
terminal.  Its signals reach all processes around the command; those of
bubblewrap must not end by them."
  (cons (append (list "--chdir" (agent-q-fs--file-bytes directory) "--seccomp" "9" "--")
                (when tty (list "env" "--default-signal=INT,QUIT,TSTP"))
                words)
        (append (if tty '(filter deaf) '(filter))
                (list (cdr agent-q-fs-exec-bubblewrap--latest)))))


;;;; A container of podman

;; A workspace has one container.  It is started when a command first needs it, with
;; the workspace's directory at /workspace, and stays until the workspace is closed or
;; Emacs ends; each command is an exec in it.
;;
;; Ending podman's exec does not end the command.  The processes of a container
;; can be seen from outside, with their environment, so they are ended by their
;; mark.

(defcustom agent-q-fs-exec-podman-image nil
  "The image of containers for commands, where a workspace does not name one."
  :group 'agent-q-fs-exec
  :type '(choice (const :tag "None" nil) string))

(defcustom agent-q-fs-exec-podman-rootfs nil
  "A directory that containers for commands have as their file system.
It is used where there is no image.  It needs /bin/sh and sleep, and
containers write to it."
  :group 'agent-q-fs-exec
  :type '(choice (const :tag "None" nil) directory))

(defcustom agent-q-fs-exec-podman-global-options nil
  "Options for podman itself, such as \"--runtime=runc\"."
  :group 'agent-q-fs-exec
  :type '(repeat string))

(defcustom agent-q-fs-exec-podman-run-options
  '("--cap-drop=all" "--security-opt=no-new-privileges")
  "Options for the start of a container, such as \"--memory=2g\"."
  :group 'agent-q-fs-exec
  :type '(repeat string))

(defconst agent-q-fs-exec-podman--patience 120
  "Seconds that a container may take to start.")

(defvar agent-q-fs-exec-podman--containers nil
  "The containers, as a list of (WORKSPACE . PLIST).
PLIST has :name; :state, which is `starting' or `running'; and :waiting,
the functions to call when it runs.")

(defun agent-q-fs-exec-podman--words (&rest words)
  "Return the command of podman with WORDS.
Its warnings would come between the words of the command in the container."
  (append (list (agent-q-fs-exec-program "podman") "--log-level=error")
          (default-value 'agent-q-fs-exec-podman-global-options) words))

(defun agent-q-fs-exec-podman--inside (workspace directory)
  "Return the name in the container of DIRECTORY in WORKSPACE."
  (let ((root (directory-file-name
               (agent-q-fs--file-name (agent-q-fs-workspace-root workspace)))))
    (agent-q-fs--file-bytes
     (cond ((equal directory root) "/workspace")
           ((string-prefix-p (concat root "/") directory)
            (concat "/workspace" (substring directory (length root))))
           (t directory)))))

(defun agent-q-fs-exec-podman--mounts (workspace)
  "Return the options of podman that show and hide paths as WORKSPACE does."
  (let ((flag (if (plist-get (agent-q-fs-workspace-facts workspace) :read-only) ":ro" "")))
    (mapcan
     (pcase-lambda (`(,name . ,action))
       (let ((inside (agent-q-fs-exec-podman--inside workspace name))
             (name (agent-q-fs--file-bytes name)))
         (when (string-search ":" (concat name inside))
           (agent-q-fs--fail :command-failed "podman cannot mount a directory with a colon: %s"
                             name))
         (cond ((memq action '(show pin)) (list "-v" (concat name ":" inside flag)))
               ((eq action 'lock) (list "-v" (concat name ":" inside ":ro")))
               ((file-directory-p name)
                ;; Without notmpcopyup podman would copy the hidden files into it.
                (list "--mount" (format "type=tmpfs,destination=%s,notmpcopyup,ro=true"
                                        inside)))
               (t (list "-v" (concat "/dev/null:" inside ":ro"))))))
     (agent-q-fs-exec-isolate-rules workspace))))

(defun agent-q-fs-exec-podman--run (workspace name)
  "Return the command that starts a container called NAME for WORKSPACE."
  (let* ((option (lambda (key default)
                   (or (agent-q-fs-exec-isolation-option workspace key) default)))
         (image (funcall option :image (default-value 'agent-q-fs-exec-podman-image)))
         (rootfs (funcall option :rootfs (default-value 'agent-q-fs-exec-podman-rootfs)))
         (network (agent-q-fs-exec-isolation-option workspace :network)))
    (unless (or image rootfs)
      (agent-q-fs--fail :command-failed
                        "Commands here run in podman, for which no image is chosen: \
see agent-q-fs-exec-podman-image.  Nothing was run"))
    (append (agent-q-fs-exec-podman--words
             "run" "--detach" "--rm" "--name" name "--label" "agent-q-fs"
             "--network" (or network "none")
             "--pull=never" "--hostname" "sandbox" "--workdir" "/workspace")
            (default-value 'agent-q-fs-exec-podman-run-options)
            (agent-q-fs-exec-podman--mounts workspace)
            ;; With a slash at the end, runc does not find its own mounts.
            (if image
                (list image)
              (list "--rootfs" (directory-file-name (expand-file-name rootfs))))
            ;; The first process of a container has to bury the orphans.
            (list "/bin/sh" "-c" "while :; do sleep 3600 & wait; done"))))


;;;; Starting

(defun agent-q-fs-exec-podman--plist (workspace)
  "Return the property list of the container of WORKSPACE, or nil."
  (alist-get workspace agent-q-fs-exec-podman--containers))

(defun agent-q-fs-exec-podman-prepare (workspace then)
  "See to it that WORKSPACE has a container, and call THEN with nil or an error."
  (let ((container (agent-q-fs-exec-podman--plist workspace)))
    (cond
     ((not (agent-q-fs-exec-program "podman"))
      (funcall then (agent-q-fs-exec-isolate-failure 'podman "there is no program podman")))
     ((eq 'running (plist-get container :state)) (funcall then nil))
     (container
      (plist-put container :waiting (cons then (plist-get container :waiting))))
     (t (agent-q-fs-exec-podman--start workspace then)))))

(defun agent-q-fs-exec-podman--start (workspace then)
  "Start the container of WORKSPACE, and call THEN with nil or an error."
  (let* ((name (format "agent-q-fs-%d-%s" (emacs-pid)
                       (substring (agent-q-fs-exec-mark-id (agent-q-fs-exec-mark-new)) 0 12)))
         (buffer (generate-new-buffer " *agent-q-fs podman*" t))
         (process-environment (agent-q-fs-exec-environment))
         (default-directory "/")
         (problem nil) process)
    (condition-case caught
        (setq process (make-process
                       :name "agent-q-fs podman" :buffer buffer :noquery t
                       :connection-type 'pipe :file-handler nil
                       :command (agent-q-fs-exec-podman--run workspace name)
                       :sentinel (lambda (process _event)
                                   (unless (process-live-p process)
                                     (agent-q-fs-exec-podman--started workspace process)))))
      (error (setq problem caught)))
    (if problem
        (progn (kill-buffer buffer)
               (funcall then (if (eq (car-safe (cdr problem)) :error)
                                 (cdr problem)
                               (agent-q-fs-exec-isolate-failure
                                'podman (error-message-string problem)))))
      (setf (alist-get workspace agent-q-fs-exec-podman--containers)
            (list :name name :state 'starting :waiting (list then)))
      (agent-q-fs-exec-podman--tell workspace process)
      (run-with-timer agent-q-fs-exec-podman--patience nil
                      (lambda () (when (process-live-p process) (kill-process process)))))))

(defun agent-q-fs-exec-podman--tell (workspace process)
  "Tell the person each second that PROCESS starts the container of WORKSPACE."
  (require 'agent-q-fs-ui)
  (let* ((name (file-name-nondirectory
                (directory-file-name (agent-q-fs-workspace-root workspace))))
         (report (agent-q-fs-ui-reporter (format "Starting a container for %s (seconds)..."
                                                 (agent-q-fs-show-visible name t))))
         (seconds 0) timer)
    (setq timer (run-with-timer 1 1 (lambda ()
                                      (if (process-live-p process)
                                          (funcall report (setq seconds (1+ seconds)))
                                        (cancel-timer timer)
                                        (funcall report 'done)))))))

(defun agent-q-fs-exec-podman--started (workspace process)
  "Go on with what waits for WORKSPACE's container; PROCESS, its start, has ended."
  (let* ((container (agent-q-fs-exec-podman--plist workspace))
         (good (and (eq 'exit (process-status process)) (= 0 (process-exit-status process))))
         (words (with-current-buffer (process-buffer process) (buffer-string)))
         (waiting (reverse (plist-get container :waiting))))
    (kill-buffer (process-buffer process))
    (if (and good container)
        (progn (plist-put container :state 'running)
               (plist-put container :waiting nil))
      (setf (alist-get workspace agent-q-fs-exec-podman--containers nil t) nil))
    (dolist (then waiting)
      (funcall then (unless good
                      (agent-q-fs-exec-isolate-failure 'podman (string-trim words)))))))

(defun agent-q-fs-exec-podman-command (workspace directory tty environment words)
  "Return how to run WORDS in DIRECTORY of WORKSPACE, (WORDS . OPTIONS).
With TTY there is a terminal.  ENVIRONMENT is added to that of the container."
  (list (append (agent-q-fs-exec-podman--words "exec")
                (when tty (list "--interactive" "--tty"))
                (mapcan (lambda (entry) (list "--env" entry)) environment)
                (list "--workdir" (agent-q-fs-exec-podman--inside workspace directory)
                      (plist-get (agent-q-fs-exec-podman--plist workspace) :name))
                words)
        'marked))


;;;; Ending

(defun agent-q-fs-exec-podman-close (workspace &optional now)
  "Remove the container of WORKSPACE, if it has one; with NOW, wait for that."
  (let ((name (plist-get (agent-q-fs-exec-podman--plist workspace) :name))
        (process-environment (agent-q-fs-exec-environment))
        (default-directory "/"))
    (setf (alist-get workspace agent-q-fs-exec-podman--containers nil t) nil)
    (when name
      (let ((words (agent-q-fs-exec-podman--words "rm" "--force" "--time" "0" name)))
        (ignore-errors
          (apply #'call-process (car words) nil (if now nil 0) nil (cdr words)))))))

(defun agent-q-fs-exec-podman--close-all ()
  "Remove all containers, because Emacs ends."
  (dolist (container agent-q-fs-exec-podman--containers)
    (agent-q-fs-exec-podman-close (car container) t)))

(add-hook 'agent-q-fs-close-functions #'agent-q-fs-exec-podman-close)
(add-hook 'kill-emacs-hook #'agent-q-fs-exec-podman--close-all)

(provide 'agent-q-fs-exec-isolate)
;;; agent-q-fs-exec-isolate.el ends here
