;;; agent-q-fs-rules.el --- Decisions about calls to come  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A rule approves of calls, or denies them, before anybody is asked.  A person makes one
;; with a key in a request, or by hand: in `M-x agent-q-fs-approvals', or in the file.
;; By hand, a rule is
;;
;;     (:answer approve :tool "create_file" :glob "docs/**" :root "/home/me/project")
;;     (:answer approve :tool "shell" :words "git status *" :root "/home/me/project")
;;     (:answer deny :tool t :glob "**/*.key" :root "/home/me/project")
;;
;; A :glob is compared with the canonical places of all that a call touches, from the root:
;; of an approval all must match, of a denial one.  Its special signs are *, which
;; stays in a directory, ** and ?.  :words are a command's, and " *" at their end stands for
;; any more; approvals are for plain commands only.
;;
;; An approval counts only where a call can do the same as when it was made.  Rules
;; that come of requests carry all that decides it (`agent-q-fs--scope', and the
;; program of a command); a rule by hand gets it from the first call that it covers.
;; Nothing protected or secret is ever covered.

;;; Code:

(require 'agent-q-fs)
(require 'cl-lib)
(require 'seq)
(require 'subr-x)
(require 'tabulated-list)

(declare-function agent-q-fs-all-tools "agent-q-fs-tools" ())
(declare-function agent-q-fs-exec-approve--program "agent-q-fs-exec" (word))
(declare-function agent-q-fs-exec-approve-words "agent-q-fs-exec" (command))
(declare-function agent-q-fs-tool-name "agent-q-fs-tools" (tool) t)
(declare-function agent-q-fs-tool-tier "agent-q-fs-tools" (tool) t)
(declare-function agent-q-fs-show-visible "agent-q-fs-show" (text &optional name))

(defgroup agent-q-fs-approve nil
  "Approvals of models' calls."
  :group 'agent-q-fs)

(defcustom agent-q-fs-approvals-file nil
  "The file in which decisions that are remembered are kept for later sessions.
With nil there is none, and t stands for approvals.eld in the directory
`agent-q-fs-state-directory'.  The file is yours to read and to edit.  What
was approved counts while the project's directory, the workspace's rules,
and the program of a command are what they were."
  :type '(choice (const :tag "Forget them with the session" nil)
                 (const :tag "In the state directory" t) file))

(defvar agent-q-fs-rules-changed-hook nil
  "Hook run when the policy, the denials or the remembered decisions have changed.
Calls that wait for a person may be settled now.")

(defun agent-q-fs-approve--changed ()
  "Have `agent-q-fs-rules-changed-hook' run soon, and mode lines drawn again."
  (run-with-timer 0 nil #'run-hooks 'agent-q-fs-rules-changed-hook)
  (force-mode-line-update t))


;;;; Decisions that are remembered

(cl-defstruct (agent-q-fs-rule (:constructor agent-q-fs-rule--make) (:copier nil))
  "A decision for calls to come."
  (answer nil :documentation "`approve' or `deny'.")
  (tool nil :documentation "The tool's name; t for every tool.")
  (directory nil :documentation "The place that all targets must be in, as bytes.
Of a denial, any of them; and nil for all of the project.")
  (glob nil :documentation "What the targets' paths from the root must match; nil for anything.
Of a denial, one of them.")
  (words nil :documentation "What the command is; or how it begins, before \" *\"; nil for any.")
  (like nil :documentation "One of a request's likes, which the call must have; nil for any.")
  (scope nil :documentation "The workspace, of `agent-q-fs--scope'; nil for any.")
  (tier nil :documentation "The most that an approval covers.")
  (kept nil :documentation "Non-nil if it is in `agent-q-fs-approvals-file'."))

(defvar agent-q-fs-approve--rules nil
  "The rules of this session, the latest first.")

(defun agent-q-fs-rule-root (rule)
  "Return the bytes of the root of the project that RULE is for; nil for any."
  (plist-get (agent-q-fs-rule-scope rule) :root))

(defun agent-q-fs-approve--scope-p (rule workspace)
  "Return the scope of WORKSPACE if RULE is for it, or nil.
A person's rule may have the root alone: that is for workspaces that are
opened without options of their own."
  (let ((scope (agent-q-fs--scope-bytes (agent-q-fs--scope workspace)))
        (wanted (agent-q-fs-rule-scope rule)))
    (and (or (equal wanted scope)
             (and (null (cddr wanted))
                  (equal (agent-q-fs-rule-root rule) (plist-get scope :root))
                  (equal (agent-q-fs-workspace-options workspace)
                         (agent-q-fs--merge-options
                          (default-value 'agent-q-fs-open-options)))))
         scope)))

(defun agent-q-fs-approve--complete (rule like scope)
  "Fix LIKE and SCOPE in RULE, which a person wrote without them."
  (unless (equal scope (agent-q-fs-rule-scope rule))
    (setf (agent-q-fs-rule-scope rule) scope
          (agent-q-fs-rule-directory rule) (plist-get scope :root)
          (agent-q-fs-rule-like rule) (and (consp like) (agent-q-fs-approve--like like)))
    (agent-q-fs-approve--keep)))

(defun agent-q-fs-approve--like (like)
  "Return LIKE, of a request, as rules have it."
  (list (nth 0 like) (nth 1 like) (agent-q-fs--scope-bytes (nth 2 like))))

(defun agent-q-fs-approve-add (answer tool root &optional glob words)
  "Remember a person's own ANSWER, `approve' or `deny', for calls of TOOL in ROOT.
GLOB and WORDS, which may be nil, say for which of them; see
`agent-q-fs-approvals'.  Return the rule."
  (let ((rule (agent-q-fs-approve--rule
               (list :answer answer :tool tool :root (directory-file-name (expand-file-name root))
                     :glob glob :words words))))
    (unless rule
      (user-error "This is no rule: a glob has *, ** and ? only, and approvals are for one tool"))
    (agent-q-fs-approve-rules)
    (setf (agent-q-fs-rule-kept rule) nil)
    (push rule agent-q-fs-approve--rules)
    (agent-q-fs-approve--keep rule)
    (agent-q-fs-approve--changed)
    rule))

(defun agent-q-fs-approve-forget (rule)
  "Remember RULE no more, in this session or in the file."
  (setq agent-q-fs-approve--rules (remq rule agent-q-fs-approve--rules))
  (agent-q-fs-approve--keep)
  (agent-q-fs-approve--changed))

(defun agent-q-fs-approve--words (place root)
  "Return the name of PLACE for a person, relative to ROOT if it is inside."
  (agent-q-fs--file-name-of-bytes
   (cond ((equal place root) ".")
         ((and root (agent-q-fs--place-in-p place root))
          (substring place (1+ (length (directory-file-name root)))))
         (t place))))


;;;; Data in files of ours

;; A file that is written by us and read again, and that a person may edit, must not be
;; where somebody else, or a model, can write.

(defun agent-q-fs-rules-data-p (data)
  "Return non-nil if DATA are lists, names, numbers and strings."
  (cond ((consp data) (and (agent-q-fs-rules-data-p (car data))
                           (agent-q-fs-rules-data-p (cdr data))))
        ((vectorp data) (seq-every-p #'agent-q-fs-rules-data-p data))
        (t (or (stringp data) (symbolp data) (numberp data)))))

(defun agent-q-fs-rules-readable (data)
  "Return DATA with those strings as text that are text."
  (cond ((stringp data)
         (let ((text (decode-coding-string data 'utf-8-unix)))
           (if (string-match-p "[\x3fff80-\x3fffff]" text) data text)))
        ((consp data) (cons (agent-q-fs-rules-readable (car data))
                            (agent-q-fs-rules-readable (cdr data))))
        ((vectorp data) (apply #'vector (mapcar #'agent-q-fs-rules-readable data)))
        (t data)))

(defun agent-q-fs--reach ()
  "Return the identities of the directories in which models may change files.
That is in any workspace that is open.  Return t if one may go anywhere."
  (let (identities)
    (maphash
     (lambda (workspace _number)
       (unless (or (eq t identities) (agent-q-fs--memory-p workspace))
         (if (eq :unrestricted (plist-get (agent-q-fs-workspace-facts workspace) :mode))
             (setq identities t)
           (dolist (place (cons (agent-q-fs--root-place workspace)
                                (mapcar #'cdr (cdr (assoc "allowed_paths"
                                                          (agent-q-fs--scope-rules
                                                           workspace))))))
             (push (agent-q-fs--place-identity (agent-q-fs--true-place place)) identities)))))
     agent-q-fs--workspaces)
    identities))

(defun agent-q-fs-rules-reached-p (file)
  "Return non-nil if a tool of an open workspace can write FILE."
  (let ((reach (agent-q-fs--reach)))
    (or (eq t reach)
        (seq-intersection reach (agent-q-fs--place-identities
                                 (list (agent-q-fs--true-place
                                        (agent-q-fs--file-bytes file))))))))

(defun agent-q-fs-rules-fault (file)
  "Return why decisions must not be read from FILE, words, or nil."
  (let ((facts (file-attributes file 'integer)))
    (cond
     ((file-attribute-type facts) "expected a regular file")
     ((not (eql (user-uid) (file-attribute-user-id facts))) "expected a file of yours")
     ((/= 0 (logand #o077 (file-modes file))) "expected the mode 0600, which shuts others out")
     ((< 1000000 (file-attribute-size facts)) "expected at most a megabyte")
     ((agent-q-fs-rules-reached-p file)
      "expected it where no tool of an open workspace can write"))))

(defun agent-q-fs-rules-write-data (file header data)
  "Write HEADER and DATA, a list, into FILE, whole or not at all."
  (with-file-modes #o700
    (make-directory (file-name-directory file) t))
  (let ((new (make-temp-file (concat file ".")))
        (coding-system-for-write 'utf-8-unix)
        (write-region-inhibit-fsync nil) ; a loss of power must not leave an empty file
        (print-length nil) (print-level nil) (print-escape-newlines t)
        (print-escape-control-characters t) (print-circle nil) (print-quoted nil))
    (unwind-protect
        (progn
          (write-region (concat header (mapconcat (lambda (datum) (format "\n%S\n" datum)) data ""))
                        nil new nil 'quiet)
          (rename-file new file t))
      (ignore-errors (delete-file new)))))

(defun agent-q-fs-rules-read-data (file function)
  "Return what FUNCTION returns for each datum in FILE, a list.
Where it returns nil, or FILE is no text of data, return words about that."
  (with-temp-buffer
    (let ((coding-system-for-read 'utf-8-unix) (read-circle nil) values wrong)
      (insert-file-contents file)
      (condition-case nil
          (while (and (not wrong) (progn (forward-comment (buffer-size)) (not (eobp))))
            (let* ((line (line-number-at-pos))
                   (value (funcall function (read (current-buffer)))))
              (if value (push value values)
                (setq wrong (format "line %d: expected a decision, as this package writes it"
                                    line)))))
        (error (setq wrong (format "line %d: expected a list that ends"
                                   (line-number-at-pos)))))
      (or wrong (nreverse values)))))


;;;; Decisions that are kept

;; The file is written by this and read by a person, who may edit it.  Any fault is
;; told, and nothing of the file counts then: half of it might be the wrong half.
;; Neither may the file be where somebody else, or a model, can write.

(defconst agent-q-fs-approve--header "\
;; -*- mode: lisp-data; coding: utf-8-unix -*-
;; Decisions that agent-q-fs remembers, one a list.  Remove one to be asked again.
;; An approval counts only while the project and the program are what is written here.
"
  "How the file begins.")

(defvar agent-q-fs-approve--stamp nil
  "The state of the file of kept decisions when it was last read.")

(defvar agent-q-fs-approve--broken nil
  "Why the decisions in that file do not count, words, or nil.")

(defun agent-q-fs-approve-file ()
  "Return the name of the file of kept decisions, or nil."
  (let ((file (default-value 'agent-q-fs-approvals-file)))
    (and file
         (expand-file-name (if (eq t file) "approvals.eld" file)
                           (default-value 'agent-q-fs-state-directory)))))

(defun agent-q-fs-approve--lasting-p (rule)
  "Return non-nil if RULE means something in another session."
  (and (memq (plist-get (agent-q-fs-rule-scope rule) :backend) '(nil :host))
       (not (eq 'chars (car (nth 2 (agent-q-fs-rule-like rule))))) ; of a command's session
       (agent-q-fs-rules-data-p (list (agent-q-fs-rule-scope rule)
                                         (agent-q-fs-rule-like rule)))))

(defun agent-q-fs-approve--written (rule)
  "Return RULE as the list that is kept of it."
  (agent-q-fs-rules-readable
   (append (list :answer (agent-q-fs-rule-answer rule) :tool (agent-q-fs-rule-tool rule))
           (and (agent-q-fs-rule-glob rule) (list :glob (agent-q-fs-rule-glob rule)))
           (and (agent-q-fs-rule-words rule) (list :words (agent-q-fs-rule-words rule)))
           (if (cddr (agent-q-fs-rule-scope rule))
               (list :tier (agent-q-fs-rule-tier rule) :directory (agent-q-fs-rule-directory rule)
                     :like (agent-q-fs-rule-like rule) :scope (agent-q-fs-rule-scope rule))
             (list :root (agent-q-fs-rule-root rule))))))

(defun agent-q-fs-approve--rule (form)
  "Return the rule that FORM, of the file, is, or nil if it is none."
  (let* ((get (lambda (key) (plist-get form key)))
         (text (lambda (key) (let ((value (funcall get key)))
                               (or (null value) (and (stringp value) (not (equal "" value)))))))
         (whole (plist-member form :scope))
         (scope (if whole (funcall get :scope) (list :root (funcall get :root))))
         (like (funcall get :like)))
    (when (and (proper-list-p form) (cl-evenp (length form)) (agent-q-fs-rules-data-p form)
               (cl-loop for (key) on form by #'cddr
                        always (memq key (append '(:answer :tool :glob :words)
                                                 (if whole '(:tier :directory :like :scope)
                                                   '(:root)))))
               (memq (funcall get :answer) '(approve deny))
               (or (stringp (funcall get :tool))
                   (and (eq t (funcall get :tool)) (eq 'deny (funcall get :answer))))
               (or (not whole) (memq (funcall get :tier) '(cautious dangerous)))
               (funcall text :glob) (funcall text :words)
               (not (string-match-p "[][{}\\]\\|\\`/" (or (funcall get :glob) "")))
               (pcase scope (`(:root ,(and (pred stringp) (pred (string-prefix-p "/"))) . ,_) t))
               (pcase (funcall get :directory)
                 ('nil (or (not whole) (eq 'deny (funcall get :answer))))
                 ((and (pred stringp) directory) (string-prefix-p "/" directory)))
               (or (null like) (and (proper-list-p like) (= 3 (length like))
                                    (symbolp (car like)) (stringp (nth 1 like)))))
      (agent-q-fs-rule--make
       :answer (funcall get :answer) :tool (funcall get :tool) :kept t
       :glob (funcall get :glob) :words (funcall get :words)
       :tier (or (funcall get :tier) 'dangerous) :scope (agent-q-fs--scope-bytes scope)
       :directory (agent-q-fs--scope-bytes (funcall get :directory))
       :like (and like (agent-q-fs-approve--like like))))))

(defun agent-q-fs-approve--tell (file words)
  "Tell the person that the decisions in FILE do not count, and WORDS, why."
  (display-warning 'agent-q-fs (format "%s: %s.  No decision in it counts; mend or remove it"
                                       (agent-q-fs-show-visible file t) words)))

(defun agent-q-fs-approve--load (file)
  "Read FILE, and have its rules in place of those that were read before.
Nil stands for a file that is not there."
  (let ((rules (and file (or (agent-q-fs-rules-fault file)
                             (agent-q-fs-rules-read-data file #'agent-q-fs-approve--rule)))))
    (setq agent-q-fs-approve--broken (and (stringp rules) rules)
          agent-q-fs-approve--rules
          (append (seq-remove #'agent-q-fs-rule-kept agent-q-fs-approve--rules)
                  (unless (stringp rules) rules)))
    (when agent-q-fs-approve--broken
      (agent-q-fs-approve--tell file rules))))

(defun agent-q-fs-approve--stamp (file)
  "Return what FILE is like now, and what models can reach; nil without FILE."
  (let ((facts (file-attributes file 'integer)))
    (and facts
         (list file (file-attribute-inode-number facts) (file-attribute-size facts)
               (file-attribute-modification-time facts) (file-attribute-status-change-time facts)
               (agent-q-fs--reach)))))

(defun agent-q-fs-approve-rules ()
  "Return the decisions that are remembered, those in the file as it is now."
  (let* ((file-name-handler-alist nil)
         (file (agent-q-fs-approve-file))
         (stamp (and file (agent-q-fs-approve--stamp file))))
    (unless (equal stamp agent-q-fs-approve--stamp)
      (setq agent-q-fs-approve--stamp stamp)
      (agent-q-fs-approve--load (and stamp file)))
    agent-q-fs-approve--rules))

(defun agent-q-fs-approve--keep (&optional rule)
  "Write the rules that are kept, and RULE, which is new, if it can be kept."
  (let* ((file-name-handler-alist nil)
         (file (agent-q-fs-approve-file)))
    (when file
      (cond
       (agent-q-fs-approve--broken
        (agent-q-fs-approve--tell file agent-q-fs-approve--broken))
       ((agent-q-fs-rules-reached-p (directory-file-name (file-name-directory file)))
        (agent-q-fs-approve--tell file "it would be where a tool of an open workspace can write"))
       (t
        (when (and rule (agent-q-fs-approve--lasting-p rule))
          (setf (agent-q-fs-rule-kept rule) t))
        (condition-case problem
            (agent-q-fs-rules-write-data
             file agent-q-fs-approve--header
             (mapcar #'agent-q-fs-approve--written
                     (seq-filter #'agent-q-fs-rule-kept agent-q-fs-approve--rules)))
          (file-error (agent-q-fs-approve--tell file (error-message-string problem))))
        (setq agent-q-fs-approve--stamp (agent-q-fs-approve--stamp file)))))))


;;;; The list of remembered decisions

(defvar agent-q-fs-approvals-mode-map
  (let ((map (make-sparse-keymap)))
    (set-keymap-parent map tabulated-list-mode-map)
    (define-key map "+" #'agent-q-fs-approvals-add)
    (define-key map "d" #'agent-q-fs-approvals-revoke)
    (define-key map "D" #'agent-q-fs-approvals-revoke-all)
    (define-key map "e" #'agent-q-fs-approvals-edit)
    map)
  "Keys in the list of remembered decisions.")

(define-derived-mode agent-q-fs-approvals-mode tabulated-list-mode "Approvals"
  "The decisions about tools that are remembered.
\\<agent-q-fs-approvals-mode-map>\\[agent-q-fs-approvals-revoke] revokes the one at point, \
\\[agent-q-fs-approvals-revoke-all] all of them.
\\[agent-q-fs-approvals-add] adds one, \\[agent-q-fs-approvals-edit] visits the file."
  (setq tabulated-list-format [("Answer" 8 t) ("Tool" 16 t) ("At most" 10 t)
                               ("For" 28 t) ("Project" 28 t) ("Counts" 0 t)]
        tabulated-list-padding 1
        tabulated-list-entries #'agent-q-fs-approvals--entries)
  (tabulated-list-init-header))

(defun agent-q-fs-approvals--name (place &optional root)
  "Return the name of PLACE, which may be nil, relative to ROOT if it is inside."
  (if place
      (agent-q-fs-show-visible (agent-q-fs-approve--words place root) t)
    ""))

(defun agent-q-fs-approvals--program-changed (rule)
  "Return words if the program of RULE, of commands, is not what it was; or nil."
  (pcase (nth 2 (agent-q-fs-rule-like rule))
    (`(word ,words ,program . ,_)
     (let ((word (car (split-string words))))
       (unless (equal program (agent-q-fs--scope-bytes (agent-q-fs-exec-approve--program word)))
         (format "%s has changed, or a model or another user can change it" word))))))

(defun agent-q-fs-approvals--differs (rule)
  "Return words if RULE's project is open, but not with its scope; or nil."
  (let (other)
    (maphash (lambda (workspace _)
               (let ((scope (agent-q-fs--scope-bytes (agent-q-fs--scope workspace))))
                 (when (and (not (eq t other))
                            (equal (agent-q-fs-rule-root rule) (plist-get scope :root)))
                   (setq other
                         (or (and (agent-q-fs-approve--scope-p rule workspace) t)
                             (cl-loop for (key value) on scope by #'cddr
                                      unless (equal value (plist-get (agent-q-fs-rule-scope rule)
                                                                     key))
                                      collect (substring (symbol-name key) 1)))))))
             agent-q-fs--workspaces)
    (and (consp other)
         (format "the project is open with another %s" (string-join other ", ")))))

(defun agent-q-fs-approvals--why-not (rule)
  "Return why RULE counts no more, in words, or nil if it may count."
  (let* ((scope (agent-q-fs-rule-scope rule))
         (inode (plist-get scope :inode))
         (host (memq (plist-get scope :backend) '(nil :host)))
         (there (and host (agent-q-fs--place-identity (agent-q-fs-rule-root rule)))))
    (cond ((eq 'deny (agent-q-fs-rule-answer rule)) nil)
          ((and host (null there)) "the project is gone")
          ((and host inode (not (equal inode (cdr there)))) "another directory is in its place")
          ((agent-q-fs-approvals--program-changed rule))
          ((agent-q-fs-approvals--differs rule)))))

(defun agent-q-fs-approvals--for (rule)
  "Return what RULE is for, in words."
  (cond ((agent-q-fs-rule-words rule) (agent-q-fs-show-visible (agent-q-fs-rule-words rule)))
        ((agent-q-fs-rule-glob rule) (agent-q-fs-show-visible (agent-q-fs-rule-glob rule) t))
        ((nth 1 (agent-q-fs-rule-like rule)))
        (t (agent-q-fs-approvals--name (agent-q-fs-rule-directory rule)
                                       (agent-q-fs-rule-root rule)))))

(defun agent-q-fs-approvals--entries ()
  "Return the rows of the list."
  (mapcar (lambda (rule)
            (list rule
                  (vector (symbol-name (agent-q-fs-rule-answer rule))
                          (if (eq t (agent-q-fs-rule-tool rule)) "every tool"
                            (agent-q-fs-rule-tool rule))
                          (if (eq 'deny (agent-q-fs-rule-answer rule))
                              ""
                            (symbol-name (agent-q-fs-rule-tier rule)))
                          (agent-q-fs-approvals--for rule)
                          (agent-q-fs-approvals--name (agent-q-fs-rule-root rule))
                          (let ((why-not (agent-q-fs-approvals--why-not rule)))
                            (if why-not (propertize (concat "no: " why-not) 'face 'warning)
                              (if (agent-q-fs-rule-kept rule) "yes, kept" "yes"))))))
          (agent-q-fs-approve-rules)))

(defun agent-q-fs-approvals--read-tool (answer)
  "Read the tool that a rule with ANSWER is for; t for every tool."
  (let* ((every (append (and (eq 'deny answer) '("every tool"))
                        '("lisp_notes"))) ; no tool, and asked about as one
         (names (mapcar #'agent-q-fs-tool-name
                        (seq-remove (lambda (tool) (eq 'safe (agent-q-fs-tool-tier tool)))
                                    (agent-q-fs-all-tools))))
         (name (completing-read "Tool: " (append every names) nil t)))
    (if (equal name "every tool") t name)))

(defun agent-q-fs-approvals--check-words (words)
  "Signal an error if no approval can be of the command WORDS."
  (unless (agent-q-fs-exec-approve-words (string-remove-suffix " *" words))
    (user-error "Commands like %s are asked about each time: they are not plain, the program runs others, or somebody else can change it" words)))

(defun agent-q-fs-approvals-add (answer tool &optional for)
  "Remember ANSWER, `approve' or `deny', for calls of TOOL in the project here.
FOR says for which: a command, such as \"git status *\", of a tool that runs
commands; of others a glob from the project's root, such as \"docs/**\".
Nil stands for all of the project."
  (interactive
   (let* ((answer (intern (completing-read "Approve or deny: " '("approve" "deny") nil t)))
          (tool (agent-q-fs-approvals--read-tool answer)))
     (list answer tool
           (read-string (if (agent-q-fs-approvals--command-p tool)
                            "Command (a * at its end stands for any further words): "
                          "Paths (such as docs/**; empty for all): ")))))
  (let* ((root (agent-q-fs-workspace-root (agent-q-fs-current-workspace)))
         (for (unless (equal for "") for))
         (command (and for (agent-q-fs-approvals--command-p tool) for)))
    (when (and (eq 'approve answer) (agent-q-fs-approvals--command-p tool))
      (unless command (user-error "An approval of commands names the command"))
      (agent-q-fs-approvals--check-words command))
    (let ((rule (agent-q-fs-approve-add answer tool root (unless command for) command)))
      (when (derived-mode-p 'agent-q-fs-approvals-mode)
        (tabulated-list-print t))
      (message "%s%s" (if (eq 'approve answer)
                          "Not asked about any more, unless something is protected or secret"
                        "Denied from now on")
               (if (agent-q-fs-rule-kept rule) ""
                 ", in this session (see agent-q-fs-approvals-file)")))))

(defun agent-q-fs-approvals--command-p (tool)
  "Return non-nil if TOOL, a name, runs commands."
  (member tool '("shell" "exec_command")))

(defun agent-q-fs-approvals-edit ()
  "Visit the file of decisions; what is saved there counts at once."
  (interactive)
  (let ((file (or (agent-q-fs-approve-file)
                  (user-error "No decisions are kept: see agent-q-fs-approvals-file"))))
    (unless (file-exists-p file) (agent-q-fs-approve--keep))
    (find-file file)
    (add-hook 'after-save-hook #'agent-q-fs-approve--changed nil t)))

(defun agent-q-fs-approvals-revoke ()
  "Revoke the decision at point."
  (interactive nil agent-q-fs-approvals-mode)
  (let ((rule (or (tabulated-list-get-id) (user-error "There is no decision here"))))
    (agent-q-fs-approve-forget rule)
    (tabulated-list-print t)
    (message "Revoked.  From now on, this is asked again")))

(defun agent-q-fs-approvals-revoke-all ()
  "Revoke all decisions."
  (interactive nil agent-q-fs-approvals-mode)
  (mapc #'agent-q-fs-approve-forget (agent-q-fs-approve-rules))
  (tabulated-list-print)
  (message "Everything is asked again"))

;;;###autoload
(defun agent-q-fs-approvals ()
  "Show the decisions about tools that are remembered; add and revoke them.
The last column says why one does not count any more.  The option
`agent-q-fs-approvals-file' says whether they are kept for sessions to come."
  (interactive)
  (let ((here default-directory)
        (buffer (get-buffer-create "*agent-q-fs approvals*")))
    (with-current-buffer buffer
      (agent-q-fs-approvals-mode)
      (setq default-directory here)
      (tabulated-list-print))
    (pop-to-buffer buffer)
    (unless (agent-q-fs-approve-rules)
      (message "Nothing is remembered; ! in a request does that, and + here adds a rule"))))

(provide 'agent-q-fs-rules)
;;; agent-q-fs-rules.el ends here
