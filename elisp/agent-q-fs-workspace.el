;;; agent-q-fs-workspace.el --- Workspaces, and errors  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Workspaces are opened and closed here, and an error reply becomes a signal.  The
;; errors themselves are in agent-q-fs-ops.el.  Paths become file names and places,
;; and what a workspace lets through becomes data, its scope.

;;; Code:

(require 'agent-q-fs-load)
(require 'cl-lib)
(require 'seq)
(require 'subr-x)

(declare-function agent-q-fs--mod-close "ext:agent-q-fs-module.so" (workspace))
(declare-function agent-q-fs--mod-open "ext:agent-q-fs-module.so" (options))
(declare-function agent-q-fs--mod-reset "ext:agent-q-fs-module.so" (workspace))
(defvar agent-q-fs-exec-isolation)
(declare-function agent-q-fs-remote-open "agent-q-fs-remote" (directory given asked isolation))
(declare-function ucs-normalize-NFD-string "ucs-normalize" (str))
(declare-function sly-current-connection "ext:sly" ())
(declare-function slime-current-connection "ext:slime" ())

(defgroup agent-q-fs nil
  "File tools that an agent can be trusted with."
  :group 'tools
  :prefix "agent-q-fs-")

(defcustom agent-q-fs-open-options nil
  "Options for every workspace, as `agent-q-fs-open' takes them.
The options that a caller gives come before these."
  :type 'plist)

(defcustom agent-q-fs-state-directory
  (expand-file-name "agent-q-fs/" (or (getenv "XDG_STATE_HOME") "~/.local/state"))
  "Where journals of writes are kept, which a crash may leave unfinished."
  :type 'directory)

(defvar agent-q-fs-authority 'cautious
  "How much a call may do without being refused: safe, cautious or dangerous.
A refusal is an `agent-q-fs-approval-required' error, which carries what
would be done.  A program binds this to `dangerous' after it has asked.")

(defvar agent-q-fs-workspace nil
  "The workspace of all calls that name none, or nil.
When nil, each of them goes to the project around its `default-directory'.
A person sets this by \\[agent-q-fs-pin]; a program may bind it.")


;;;; Errors

(defun agent-q-fs--error (reply)
  "Return the error that REPLY is, as (SYMBOL . DATA), or nil for a good reply."
  (when (eq (car-safe reply) :error)
    (let ((symbol (intern-soft (concat "agent-q-fs-" (substring (symbol-name (cadr reply)) 1)))))
      (cons (if (get symbol 'error-conditions) symbol 'agent-q-fs-error) reply))))

(defun agent-q-fs--error-reply (code format &rest arguments)
  "Return a reply for an error with CODE and a message from FORMAT and ARGUMENTS."
  (let ((message (apply #'format format arguments)))
    (list :error code :message message :path nil :hint nil
          :text (concat "Error: " message))))

(defun agent-q-fs--check (reply)
  "Return REPLY, or signal the error that it is."
  (if (eq (car-safe reply) :error)
      (let ((problem (agent-q-fs--error reply)))
        (signal (car problem) (cdr problem)))
    reply))

(defun agent-q-fs--fail (code format &rest arguments)
  "Signal the error CODE with a message from FORMAT and ARGUMENTS."
  (agent-q-fs--check (apply #'agent-q-fs--error-reply code format arguments)))

(defun agent-q-fs--read (answer)
  "Return the reply that ANSWER of the core is, or signal the error that it is.
ANSWER is a printed reply, or (REPLY . TEXT) if the text comes apart."
  ;; A visited file may set up abbreviations for symbols in its buffer.
  (let ((read-symbol-shorthands nil)
        (printed (if (consp answer) (car answer) answer)))
    (agent-q-fs--check
     (nconc (if (< (length printed) 65536)
                (read printed)
              ;; Nothing of a long reply is garbage before it is read.
              (let ((gc-cons-threshold (max gc-cons-threshold 268435456)))
                (read printed)))
            (when (consp answer) (list :text (cdr answer)))))))


;;;; Workspaces

(cl-defstruct (agent-q-fs-workspace
               (:constructor agent-q-fs--make-workspace (handle facts &optional options isolation))
               (:copier nil))
  "A directory that no path leads out of.  See `agent-q-fs-open'."
  (handle nil :read-only t :documentation "The core's pointer.")
  (options nil :read-only t :documentation "What it was opened with.")
  (isolation nil :read-only t :documentation "What keeps its commands apart, or nil.")
  (facts nil :read-only t :documentation "What `get_project_root' says of it."))

;; How a workspace is reached depends on its type: the core is behind an
;; `agent-q-fs-workspace', and a test double behind an `agent-q-fs-mock'.

(cl-defgeneric agent-q-fs--transport-call (workspace operation arguments how)
  "Return the reply to OPERATION with ARGUMENTS in WORKSPACE, or signal its error.
HOW is as for `agent-q-fs--call'.")

(cl-defgeneric agent-q-fs--transport-start (workspace job operation arguments how then)
  "Have JOB call OPERATION with ARGUMENTS in WORKSPACE, without waiting.
HOW is as for `agent-q-fs--call'.  THEN is called later with the reply.
Arguments of a wrong kind are signalled at once.")

(cl-defgeneric agent-q-fs--transport-cancel (workspace job)
  "Have JOB, which was started in WORKSPACE, end soon.")

(cl-defgeneric agent-q-fs--transport-close (workspace)
  "Close the other end of WORKSPACE, or signal an error.")

(cl-defgeneric agent-q-fs--transport-reset (workspace)
  "Put WORKSPACE back to its contents when it was opened, or signal an error.")

(cl-defgeneric agent-q-fs--transport-watched-p (_workspace)
  "Non-nil when hooks must run around changes in WORKSPACE."
  t)

(cl-defmethod agent-q-fs--transport-close ((workspace agent-q-fs-workspace))
  "Close WORKSPACE in the core."
  (let ((problem (agent-q-fs--mod-close (agent-q-fs-workspace-handle workspace))))
    (when problem
      (agent-q-fs--read problem))))

(cl-defmethod agent-q-fs--transport-reset ((workspace agent-q-fs-workspace))
  "Reset WORKSPACE in the core."
  (agent-q-fs--read (agent-q-fs--mod-reset (agent-q-fs-workspace-handle workspace))))

(defun agent-q-fs-workspace-root (workspace)
  "Return the name of WORKSPACE's directory."
  (plist-get (agent-q-fs-workspace-facts workspace) :root))

(defun agent-q-fs-workspace-prefix (workspace)
  "Return what Emacs' names of WORKSPACE's files have before their names there.
That is TRAMP's name of another machine, and nothing on this one."
  (or (plist-get (agent-q-fs-workspace-facts workspace) :prefix) ""))

(defun agent-q-fs--local-directory (option name)
  "Return the directory NAME, a string, of this machine, in full.
OPTION is what it is called in the error."
  (unless (and (stringp name) (not (string-search "\0" name)))
    (agent-q-fs--fail :invalid-argument "%s: expected a directory's name" option))
  (let ((file-name-handler-alist nil))
    (file-name-as-directory (expand-file-name (file-name-unquote name)))))

(defun agent-q-fs--remote-directory (root asked)
  "Return the remote name that ROOT is, or nil if the project is on this machine.
Without ROOT it is that of the directory here, if nothing that was ASKED for
says where the project is."
  (let ((name (cond ((stringp root) (if (file-name-absolute-p root) root
                                      (concat default-directory root)))
                    ((or root (plist-get asked :asdf-root) (plist-get asked :asdf_root)
                         (not (member (plist-get asked :backend) '(nil host :host "host"))))
                     nil)
                    (t default-directory))))
    (and name (not (string-search "\0" name)) (file-remote-p name) name)))

(defun agent-q-fs--lisp-directory ()
  "Return the default directory of the SLY or SLIME connection, or nil."
  (let* ((connection (or (and (featurep 'sly) (sly-current-connection))
                         (and (featurep 'slime) (slime-current-connection))))
         (buffer (and (processp connection) (process-buffer connection)))
         (directory (and (buffer-live-p buffer)
                         (buffer-local-value 'default-directory buffer))))
    (and directory (not (file-remote-p directory)) (expand-file-name directory))))

(defun agent-q-fs--merge-options (&rest plists)
  "Return one property list of PLISTS, earlier lists hiding options of later ones.
Hyphens and underscores in an option's name are the same."
  (let (merged hidden)
    (dolist (plist plists (nreverse merged))
      (let (names)
        (while plist
          (push (string-replace "-" "_" (format "%s" (car plist))) names)
          (unless (member (car names) hidden)
            (push (car plist) merged)
            (when (cdr plist) (push (cadr plist) merged)))
          (setq plist (cddr plist)))
        (setq hidden (append names hidden))))))

(defun agent-q-fs--root-sources (root)
  "Return options that say where the project may be, ROOT being given or nil."
  (let ((here (unless (file-remote-p default-directory)
                (agent-q-fs--local-directory "default-directory" default-directory)))
        (file-name-handler-alist nil))
    (list :start here
          :cwd here
          :sly_directory (unless root (agent-q-fs--lisp-directory))
          :state_dir (expand-file-name (default-value 'agent-q-fs-state-directory))
          :temp_dir (expand-file-name temporary-file-directory)
          :home (expand-file-name "~"))))

(defvar agent-q-fs--workspaces (make-hash-table :test #'eq :weakness 'key)
  "The workspaces that were opened and not closed, with a number for each.")

(defvar agent-q-fs--workspace-count 0
  "How many workspaces there were so far.")

(defun agent-q-fs--workspace-number (workspace)
  "Return the number of WORKSPACE, which no other one of this session has."
  (or (gethash workspace agent-q-fs--workspaces)
      (puthash workspace (cl-incf agent-q-fs--workspace-count) agent-q-fs--workspaces)))

(defvar agent-q-fs--isolation-now nil
  "The isolation of the command that is being looked at or begun, or nil.
It counts in place of the workspace's own.")

(defun agent-q-fs--isolation-of (workspace)
  "Return the isolation of commands in WORKSPACE as a list (KIND . OPTIONS)."
  (or agent-q-fs--isolation-now
      (agent-q-fs-workspace-isolation workspace)
      (agent-q-fs--isolation (or (default-value 'agent-q-fs-exec-isolation) 'none))))

(defvar agent-q-fs--sessions (make-hash-table :test #'eq :weakness 'key)
  "Workspaces with a directory of their own, which is removed when Emacs ends.")

(defvar agent-q-fs--identities (make-hash-table :test #'eq :weakness 'key)
  "The device and inode of the root of each workspace, when it was opened.")

(defun agent-q-fs--close-sessions ()
  "Close all sessions: for `kill-emacs-hook'."
  (maphash (lambda (workspace _) (ignore-errors (agent-q-fs-close workspace)))
           agent-q-fs--sessions))

(defun agent-q-fs--opened (handle facts asked isolation)
  "Return the workspace of HANDLE, of which the core says FACTS.
It was ASKED for with these options, and ISOLATION of its commands."
  (let ((workspace (agent-q-fs--make-workspace handle facts asked isolation)))
    (agent-q-fs--workspace-number workspace)
    (when (eq (plist-get facts :backend) :host)
      (puthash workspace (agent-q-fs--place-identity (agent-q-fs--root-place workspace))
               agent-q-fs--identities))
    (when (eq (plist-get facts :backend) :session)
      (puthash workspace t agent-q-fs--sessions)
      (add-hook 'kill-emacs-hook #'agent-q-fs--close-sessions))
    workspace))

(defun agent-q-fs--isolation (asked)
  "Return ASKED, an isolation of commands, as a list (KIND . OPTIONS); nil for nil."
  (when asked
    (let* ((spec (if (consp asked) asked (list asked)))
           (kind (intern-soft (replace-regexp-in-string "\\`:" "" (format "%s" (car spec))))))
      (if (and (memq kind '(none landlock bubblewrap podman)) (proper-list-p spec))
          (cons kind (cdr spec))
        (agent-q-fs--fail :invalid-argument
                          "isolation: expected none, landlock, bubblewrap or podman, got %S" asked)))))

;;;###autoload
(defun agent-q-fs-open (&rest options)
  "Open a workspace and return it.
OPTIONS is a property list, the names spelled with underscores or hyphens.
Without :root, the first of these is the project: the git project around
`default-directory', :asdf_root, the directory of the SLY or SLIME
connection, `default-directory' itself.  The option :isolation is about
commands only: none, landlock, bubblewrap or podman, or a list with options; see
`agent-q-fs-exec-isolation'.

To these are added `agent-q-fs-open-options'.  Close the workspace with
`agent-q-fs-close'; one that is garbage is closed by itself."
  (agent-q-fs-module-load)
  (let* ((asked (agent-q-fs--merge-options options (default-value 'agent-q-fs-open-options)))
         (isolation (agent-q-fs--isolation (plist-get asked :isolation)))
         (asked (if (plist-member asked :isolation) ; the core knows no commands
                    (cl-loop for (name value) on asked by #'cddr
                             unless (eq name :isolation) append (list name value))
                  asked))
         (root (plist-get asked :root))
         (far (agent-q-fs--remote-directory root asked)))
    (if far
        (agent-q-fs-remote-open far (and root t) asked isolation)
      (agent-q-fs--open-here root asked isolation))))

(defun agent-q-fs--open-here (root asked isolation)
  "Open the project at ROOT, or around here for nil, on this machine.
It was ASKED for with these options, and ISOLATION of its commands."
  (let ((answer (agent-q-fs--mod-open
                 (agent-q-fs--merge-options
                  (list :root (and root (agent-q-fs--local-directory "root" root)))
                  asked
                  (agent-q-fs--root-sources root)))))
    (if (consp answer)
        (agent-q-fs--opened (car answer) (agent-q-fs--read (cdr answer)) asked isolation)
      (agent-q-fs--read answer))))

(defvar agent-q-fs--found (make-hash-table :test #'equal)
  "The workspaces of callers that named none, by what they are found from.")

(defvar agent-q-fs-close-functions nil
  "Functions called with a workspace that is being closed.")

(defun agent-q-fs-close (workspace)
  "Close WORKSPACE: calls and jobs still running in it end, later ones fail.
So do its commands.  Closing it again does nothing."
  (when (agent-q-fs-workspace-p workspace)
    (run-hook-with-args 'agent-q-fs-close-functions workspace))
  (agent-q-fs--transport-close (agent-q-fs--workspace workspace))
  (agent-q-fs--forget-found workspace)
  (remhash workspace agent-q-fs--workspaces)
  (when (eq workspace agent-q-fs-workspace)
    (setq agent-q-fs-workspace nil)))

(defun agent-q-fs-reset (workspace)
  "Put WORKSPACE, in memory or a session, back to its contents when it was opened.
Afterwards it holds its mounts, as they were copied, and nothing else."
  (agent-q-fs--transport-reset (agent-q-fs--workspace workspace))
  workspace)

(defun agent-q-fs--found-from ()
  "Return what the workspace of a caller here follows from.
That is the caller's directory, unless options say where the files are."
  (let* ((options (default-value 'agent-q-fs-open-options))
         (backend (plist-get options :backend)))
    (list options
          (when (and (null (plist-get options :root))
                     (member backend '(nil host :host "host")))
            (if (file-remote-p default-directory) default-directory
              (agent-q-fs--root-sources nil))))))

(defun agent-q-fs--found-again (workspace)
  "Return the found workspace that is the same as WORKSPACE, just opened.
That is WORKSPACE itself if no caller has found this project before."
  (let ((same nil))
    (maphash (lambda (_ other)
               (when (and (equal (agent-q-fs-workspace-root workspace)
                                 (agent-q-fs-workspace-root other))
                          (equal (agent-q-fs-workspace-options workspace)
                                 (agent-q-fs-workspace-options other)))
                 (setq same other)))
             agent-q-fs--found)
    (when same (agent-q-fs-close workspace))
    (or same workspace)))

(defun agent-q-fs-found-workspace (&optional workspace)
  "Return the workspace that callers here have found, or nil.
With WORKSPACE, have them find that one from now on."
  (let ((from (agent-q-fs--found-from)))
    (if workspace
        (puthash from workspace agent-q-fs--found)
      (gethash from agent-q-fs--found))))

(defun agent-q-fs--moved-p (workspace)
  "Return non-nil if the root of WORKSPACE was moved or replaced."
  (let ((opened (gethash workspace agent-q-fs--identities)))
    (and opened
         (not (equal opened (agent-q-fs--place-identity
                             (agent-q-fs--root-place workspace)))))))

(defun agent-q-fs--forget-found (workspace)
  "Have no caller find WORKSPACE any more."
  (maphash (lambda (from found)
             (when (eq found workspace) (remhash from agent-q-fs--found)))
           agent-q-fs--found))

(defun agent-q-fs--found-here ()
  "Return the workspace that callers here have found, or nil.
One whose root was moved or replaced is found anew: nobody asked for that
very directory, but for the project that is here."
  (let ((found (agent-q-fs-found-workspace)))
    (if (and found (agent-q-fs--moved-p found))
        (agent-q-fs--forget-found found)
      found)))

(defun agent-q-fs-current-workspace ()
  "Return the workspace of a caller here who names none.
That is `agent-q-fs-workspace', or the one at the root of the project that
`default-directory' is in, which is opened once, and again when the root
was moved or replaced."
  (or agent-q-fs-workspace
      (agent-q-fs--found-here)
      (agent-q-fs-found-workspace (agent-q-fs--found-again (agent-q-fs-open)))))

;;;###autoload
(defun agent-q-fs-reopen (&optional workspace)
  "Open WORKSPACE, the current one for nil, again, and return the new one.
Use it when its directory was moved or replaced: the new one is of the
directory that has its name now, with the same options.  WORKSPACE is
closed.  If it was the pinned one, the new one is."
  (interactive)
  (let* ((old (agent-q-fs--workspace workspace))
         (pinned (eq old agent-q-fs-workspace))
         (found (agent-q-fs-found-workspace)))
    (unless (eq :host (plist-get (agent-q-fs-workspace-facts old) :backend))
      (agent-q-fs--fail :invalid-argument "workspace: its files are not a directory's"))
    (let ((new (apply #'agent-q-fs-open
                      (agent-q-fs--merge-options
                       (list :root (agent-q-fs--file-name (agent-q-fs-workspace-root old))
                             :isolation (agent-q-fs-workspace-isolation old))
                       (agent-q-fs-workspace-options old)))))
      (agent-q-fs-close old)
      (when pinned (setq agent-q-fs-workspace new))
      (when (eq old found) (agent-q-fs-found-workspace new))
      (when (called-interactively-p 'any)
        (message "Opened again: %s" (agent-q-fs-workspace-root new)))
      new)))

(defun agent-q-fs--workspace (workspace)
  "Return WORKSPACE, or the current one for nil.
Signal an error if it is not a workspace."
  (let ((workspace (or workspace (agent-q-fs-current-workspace))))
    (if (agent-q-fs-workspace-p workspace)
        workspace
      (agent-q-fs--fail :invalid-argument "workspace: expected what `agent-q-fs-open' returned"))))


;;;; Paths as file names

(defun agent-q-fs--unquote (path)
  "Return the bytes that PATH, in double quotes as git has them, stands for."
  (let ((case-fold-search nil))
    (replace-regexp-in-string
     "\\\\\\([0-7]\\{3\\}\\|.\\)"
     (lambda (escape)
       (let ((character (aref escape 1)))
         (if (<= ?0 character ?7)
             (unibyte-string (string-to-number (substring escape 1) 8))
           (string (or (cdr (assq character '((?a . ?\a) (?b . ?\b) (?f . ?\f) (?n . ?\n)
                                              (?r . ?\r) (?t . ?\t) (?v . ?\v))))
                       character)))))
     (substring (encode-coding-string path 'utf-8-unix) 1 -1) t t)))

(defsubst agent-q-fs--file-coding ()
  "Return the encoding of file names."
  (or file-name-coding-system default-file-name-coding-system 'utf-8-unix))

(defun agent-q-fs--file-bytes (name)
  "Return the bytes of NAME, a file name as Emacs has it."
  (encode-coding-string name (agent-q-fs--file-coding)))

(defun agent-q-fs--file-name-of-bytes (bytes)
  "Return the file name, as Emacs has it, that BYTES are."
  (decode-coding-string bytes (agent-q-fs--file-coding)))

(defun agent-q-fs--file-name (path)
  "Return PATH, as replies show it, as Emacs has file names."
  (agent-q-fs--file-name-of-bytes (if (string-prefix-p "\"" path)
                                      (agent-q-fs--unquote path)
                                    (encode-coding-string path 'utf-8-unix))))

(defun agent-q-fs--path-namer (workspace)
  "Return the function `agent-q-fs-path-name' of paths in WORKSPACE.
It is quicker for many paths: the root is decoded once."
  (let ((root (agent-q-fs--file-name (agent-q-fs-workspace-root workspace)))
        (prefix (agent-q-fs-workspace-prefix workspace)))
    (lambda (path)
      (let ((name (agent-q-fs--file-name path)))
        (cond ((string-prefix-p "/" name) (concat prefix name))
              ((equal name ".") (directory-file-name root))
              (t (concat root name)))))))

(defun agent-q-fs-path-name (workspace path)
  "Return the absolute file name of PATH, as replies show it, in WORKSPACE.
No character of PATH is special in it: use it with `file-name-handler-alist'
bound to nil."
  (funcall (agent-q-fs--path-namer workspace) path))


;;;; Places, as bytes

;; The subjects of decisions are compared as bytes: absolute names, as the file system has
;; them.  The text that a person is shown has quotes and escapes in it, and is not compared.

(defun agent-q-fs--memory-p (workspace)
  "Return non-nil if the files of WORKSPACE are in memory, where names are its own."
  (eq :memory (plist-get (agent-q-fs-workspace-facts workspace) :backend)))

(defun agent-q-fs--place (workspace path &optional given)
  "Return the bytes of the absolute name of PATH, as replies in WORKSPACE show it.
With GIVEN, PATH is as a caller may spell it, where ~/ is the home directory."
  (let* ((file-name-handler-alist nil)
         (facts (agent-q-fs-workspace-facts workspace))
         (prefix (agent-q-fs-workspace-prefix workspace))
         (root (agent-q-fs--file-name (agent-q-fs-workspace-root workspace)))
         (name (agent-q-fs--file-name path))
         (name (if (and given (string-prefix-p "~/" name))
                   (concat (or (plist-get facts :far-home) (expand-file-name "~")) (substring name 1))
                 name)))
    (agent-q-fs--file-bytes
     (directory-file-name
      (expand-file-name (cond ((and (not (equal "" prefix)) (string-prefix-p prefix name)) name)
                              ((string-prefix-p "/" name) (concat prefix name))
                              (t (concat (file-name-as-directory root) name))))))))

(defun agent-q-fs--root-place (workspace)
  "Return the bytes of the name of the directory of WORKSPACE."
  (agent-q-fs--place workspace "."))

(defun agent-q-fs--place-in-p (place directory)
  "Return non-nil if PLACE is DIRECTORY or in it; both are bytes."
  (or (equal place directory)
      (string-prefix-p (if (string-suffix-p "/" directory) directory (concat directory "/"))
                       place)))

(defun agent-q-fs--place-folded (place)
  "Return PLACE as a file system could have it that does not tell letters apart."
  (let ((name (decode-coding-string place 'utf-8-unix)))
    (downcase (upcase (if (string-match-p "[^[:ascii:]]" name)
                          (progn (require 'ucs-normalize)
                                 (ucs-normalize-NFD-string name))
                        name)))))

(defun agent-q-fs--place-identity (place)
  "Return the device and inode of PLACE itself, or nil if there is nothing."
  (let* ((file-name-handler-alist nil)
         (facts (file-attributes (agent-q-fs--file-name-of-bytes place))))
    (and facts (cons (file-attribute-device-number facts) (file-attribute-inode-number facts)))))

(defun agent-q-fs--true-place (place)
  "Return PLACE without links; PLACE itself where links go in circles."
  (let ((file-name-handler-alist nil))
    (condition-case nil
        (agent-q-fs--file-bytes (file-truename (agent-q-fs--file-name-of-bytes place)))
      (error place))))

(defun agent-q-fs--place-identities (places)
  "Return the identities of PLACES and of all directories above them that exist."
  (let ((file-name-handler-alist nil)
        (seen (make-hash-table :test #'equal))
        identities)
    (dolist (place places identities)
      (while (and place (not (gethash place seen)))
        (puthash place t seen)
        (let ((identity (agent-q-fs--place-identity place))
              (above (directory-file-name (or (file-name-directory place) place))))
          (when identity (push identity identities))
          (setq place (unless (equal above place) above)))))))


;;;; The scope of a workspace

;; An approval counts only where a call can do the same as it could when the person
;; gave it.  So it carries all that decides what a workspace lets through, as data.

(defconst agent-q-fs--scope-elsewhere
  '("root" "start" "cwd" "home" "asdf_root" "sly_directory" "state_dir" "temp_dir")
  "Options of workspaces that are in the root that was found, or are no rules.")

(defun agent-q-fs--scope-datum (workspace value)
  "Return VALUE, of an option of WORKSPACE, as data that can be compared.
A name in a list is there as it is spelled and as the links in it lead."
  (if (and (or (consp value) (vectorp value)) (seq-every-p #'stringp value))
      (sort (mapcar (lambda (path)
                      (let ((place (agent-q-fs--place workspace path 'given)))
                        (cons place (agent-q-fs--true-place place))))
                    value)
            (lambda (a b) (string< (car a) (car b))))
    value))

(defun agent-q-fs--scope-rules (workspace)
  "Return the options of WORKSPACE that are rules, as data, sorted by name."
  (let (rules)
    (cl-loop for (key value) on (agent-q-fs-workspace-options workspace) by #'cddr
             for name = (string-replace "-" "_" (string-remove-prefix ":" (format "%s" key)))
             unless (or (member name agent-q-fs--scope-elsewhere) (assoc name rules))
             do (push (cons name (agent-q-fs--scope-datum workspace value)) rules))
    (sort rules (lambda (a b) (string< (car a) (car b))))))

(defun agent-q-fs--scope (workspace)
  "Return all that decides what a call in WORKSPACE can reach and do, as data.
A directory that took the root's place has another inode."
  (let* ((facts (agent-q-fs-workspace-facts workspace))
         (memory (agent-q-fs--memory-p workspace))
         (root (agent-q-fs--root-place workspace)))
    (list :root root
          :inode (if memory
                     (list (agent-q-fs--workspace-number workspace))
                   (or (plist-get facts :identity) (cdr (agent-q-fs--place-identity root))))
          :backend (plist-get facts :backend)
          :mode (plist-get facts :mode)
          :read-only (and (plist-get facts :read-only) t)
          :rules (agent-q-fs--scope-rules workspace)
          :isolation (agent-q-fs--isolation-of workspace))))

(defun agent-q-fs--scope-bytes (data)
  "Return DATA with all strings as bytes: so the same data are equal.
A string has the same bytes whether it was typed or read."
  (cond ((stringp data) (encode-coding-string data 'utf-8-unix))
        ((consp data) (cons (agent-q-fs--scope-bytes (car data))
                            (agent-q-fs--scope-bytes (cdr data))))
        ((vectorp data) (apply #'vector (mapcar #'agent-q-fs--scope-bytes data)))
        (t data)))

(provide 'agent-q-fs-workspace)
;;; agent-q-fs-workspace.el ends here
