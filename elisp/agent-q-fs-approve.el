;;; agent-q-fs-approve.el --- Which calls need an approval, and decisions  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A model's call that may do more than `agent-q-fs-policy' permits becomes a
;; request, which describes what would be done.  A request is decided, in this
;; order, by
;;
;;   1. the policy `read-only', which refuses it;
;;   2. a denial that is remembered, or one of `agent-q-fs-denied';
;;   3. the policies that let it pass: `never' does; `tiered' and `edits' do if it
;;      is cautious, and `edits' if it also makes plain files, and
;;      `agent-q-fs-authority' is not `safe';
;;   4. an approval that is remembered, unless a file is protected;
;;   5. the person: `agent-q-fs-approval-function', by default
;;      `agent-q-fs-prompt', or `agent-q-fs-unattended-function' where there is
;;      no person.
;;
;; A decision is a property list:
;;
;;     :decision  policy, remembered, approved, edited, hunks or denied
;;     :reason    of a denial, in words for the model; may be nil
;;     :code      of a denial, the error if it is not :denied: :read-only,
;;                :approval-required (nobody could be asked) or :cancelled
;;     :stop      of a denial, non-nil if the caller is to end what it is doing
;;     :commit    the request to commit, where it is not the one that was made:
;;                the person changed the arguments or took some of the hunks
;;     :taken :of  with hunks, how many of how many were taken
;;
;; The core commits only the change that the request's digest stands for.  Remembered
;; decisions count in this project, and in this session or, with
;; `agent-q-fs-approvals-file', also in later ones; `agent-q-fs-approvals' lists them.

;;; Code:

(require 'agent-q-fs)
(require 'agent-q-fs-audit)
(require 'cl-lib)
(require 'seq)
(require 'subr-x)

(declare-function agent-q-fs-prompt "agent-q-fs-prompt" (request callback))
(declare-function agent-q-fs-prompt-wait "agent-q-fs-prompt" (request))

(defgroup agent-q-fs-approve nil
  "Approvals of models' calls."
  :group 'agent-q-fs)

(defcustom agent-q-fs-policy 'tiered
  "Which calls of models are made without asking a person.
The command \\[agent-q-fs-policy] switches it.  With every policy, all
calls are logged (`agent-q-fs-log'), and the tools for files touch nothing
outside the workspace.  A command that a model runs can touch whatever you
can, unless `agent-q-fs-exec-isolation' keeps it apart.

tiered     Reading is not asked about, and neither is changing the bytes
           of a file that is there.  Everything else is asked about:
           creating, replacing, moving and deleting, in patches too,
           changing a mode, touching a file that other programs obey or
           that git ignores, and every command.
           If `agent-q-fs-authority' is `safe', every change is
edits      As `tiered', but creating is not asked about, of directories
           and of plain files: not executable, and none that other
           programs obey or that git ignores
never      Nothing is asked about: all calls are made, commands too
always     Every change is asked about
read-only  Every change is refused, and so is every command

With the other policies, `agent-q-fs-authority' has no effect on calls of
models.  A new value counts at once, also for calls that wait, whether
Customize, `setq-default' or a command sets it."
  :type '(choice (const tiered) (const edits) (const never) (const always) (const read-only)))

(defcustom agent-q-fs-denied nil
  "Changes that are never made, as a list of (TOOL . DIRECTORY).
TOOL is a tool's name, or t for every tool that changes something.
DIRECTORY is relative to the workspace's root; nil stands for all of the
workspace.  Letter case does not matter.  Paths that may not even be read
belong into the :restricted_paths of `agent-q-fs-open'."
  :type '(repeat (cons (choice (const :tag "Every tool" t) string)
                       (choice (const :tag "Everywhere" nil) string))))

(defcustom agent-q-fs-approvals-file nil
  "The file in which decisions that are remembered are kept for later sessions.
With nil there is none, and t stands for approvals.eld in the directory
`agent-q-fs-state-directory'.  The file is yours to read and to edit.  What
was approved counts while the project's directory, the workspace's rules,
and the program of a command are what they were."
  :type '(choice (const :tag "Forget them with the session" nil)
                 (const :tag "In the state directory" t) file))

(defcustom agent-q-fs-unattended-function nil
  "A function that decides about requests where there is nobody to ask.
It is called with an `agent-q-fs-request' and returns a decision, such as
\(:decision approved) or (:decision denied :reason \"Not at night\").  It
may be nil, and return nil: then the request is denied."
  :type '(choice (const :tag "Deny" nil) function))

;;;; When what is asked changes

(defvar agent-q-fs-rules-changed-hook nil
  "Hook run when the policy, the denials or the remembered decisions have changed.
Calls that wait for a person may be settled now.")

(defun agent-q-fs-approve--changed ()
  "Have `agent-q-fs-rules-changed-hook' run soon, and mode lines drawn again."
  (run-with-timer 0 nil #'run-hooks 'agent-q-fs-rules-changed-hook)
  (force-mode-line-update t))

(defun agent-q-fs-approve--set (_variable _value operation where)
  "Tell that an option is set, unless OPERATION is another or WHERE is a buffer."
  (when (and (eq 'set operation) (null where))
    (agent-q-fs-approve--changed)))

(dolist (option '(agent-q-fs-policy agent-q-fs-authority agent-q-fs-denied
                  agent-q-fs-approvals-file))
  (add-variable-watcher option #'agent-q-fs-approve--set))


;;;; Requests

(cl-defstruct (agent-q-fs-request (:constructor agent-q-fs-request--make)
                                  (:copier nil))
  "A call that needs a decision, with what it would do."
  (tool nil :documentation "The tool's name.")
  (arguments nil :documentation "Its arguments, a property list.")
  (workspace nil :documentation "Where, an `agent-q-fs-workspace'.")
  (tier nil :documentation "`cautious' or `dangerous'.")
  (summary nil :documentation "A line about it.")
  (targets nil :documentation "The files that it touches, as in a preview.")
  (diff nil :documentation "The change as a diff, as in a preview.")
  (digest nil :documentation "The plan's digest; nil if the core does not do it.")
  (facts nil :documentation "Further facts for the person, a list of (NAME . TEXT).")
  (likes nil :documentation "Classes of calls that an approval may be remembered for,
in place of the whole tool: a list of (NAME LABEL KEY).  A call is like
another one if they have the same KEY.")
  (caller nil :documentation "The `agent-q-fs-caller' that waits for it, or nil.")
  (remake nil :documentation "A function that makes a request of a TOOL and ARGUMENTS.")
  (decision nil :documentation "The decision, once there is one.")
  (state nil :documentation "The prompt's own data."))

(defun agent-q-fs-approve--workspace (request)
  "Return the workspace that REQUEST is about."
  (or (agent-q-fs-request-workspace request) (agent-q-fs-current-workspace)))

(defun agent-q-fs-request-root (request)
  "Return the directory that the paths of REQUEST are relative to."
  (agent-q-fs-workspace-root (agent-q-fs-approve--workspace request)))

(defun agent-q-fs-request-protected-p (request)
  "Return non-nil if REQUEST touches a file that other programs obey."
  (seq-some (lambda (target) (plist-get target :protected))
            (agent-q-fs-request-targets request)))

(defun agent-q-fs-request-plain-p (request)
  "Return non-nil if REQUEST only edits files and makes plain ones.
That is asked of the core's plans alone, which say all that they do."
  (and (agent-q-fs-request-digest request)
       (agent-q-fs-request-targets request)
       (seq-every-p (lambda (target)
                      (member (plist-get target :risks) '(nil (:create))))
                    (agent-q-fs-request-targets request))))

(defun agent-q-fs-request-paths (request &optional not-made)
  "Return every path that REQUEST touches, as the workspace names it.
With NOT-MADE, leave out the directories that it makes."
  (delete-dups
   (delq nil (mapcan (lambda (target)
                       (unless (and not-made (eq :make (plist-get target :action)))
                         (list (plist-get target :from) (plist-get target :path))))
                     (agent-q-fs-request-targets request)))))


;;;; Decisions that are remembered

(defun agent-q-fs-approve--places (request paths &optional given)
  "Return PATHS of REQUEST as places.  GIVEN is as for `agent-q-fs--place'."
  (let ((workspace (agent-q-fs-approve--workspace request)))
    (delete-dups (mapcar (lambda (path) (agent-q-fs--place workspace path given)) paths))))

(cl-defstruct (agent-q-fs-rule (:constructor agent-q-fs-rule--make) (:copier nil))
  "A decision for calls to come."
  (answer nil :documentation "`approve' or `deny'.")
  (tool nil :documentation "The tool's name; t for every tool.")
  (directory nil :documentation "The place that all targets must be in, as bytes.
Of a denial, any of them; and nil for all of the project.")
  (like nil :documentation "One of a request's likes, which the call must have; nil for any.")
  (scope nil :documentation "The workspace, of `agent-q-fs--scope'; nil for any.")
  (tier nil :documentation "The most that an approval covers.")
  (kept nil :documentation "Non-nil if it is in `agent-q-fs-approvals-file'."))

(defvar agent-q-fs-approve--rules nil
  "The rules of this session, the latest first.")

(defun agent-q-fs-rule-root (rule)
  "Return the bytes of the root of the project that RULE is for; nil for any."
  (plist-get (agent-q-fs-rule-scope rule) :root))

(defun agent-q-fs-approve--inside-p (request directory)
  "Return non-nil if all that REQUEST touches is in DIRECTORY, a place."
  (let ((places (agent-q-fs-approve--places request (agent-q-fs-request-paths request))))
    (and places
         (seq-every-p (lambda (place) (agent-q-fs--place-in-p place directory)) places))))

(defun agent-q-fs-approve--covers-p (rule request)
  "Return non-nil if RULE approves of all that REQUEST would do."
  (and (equal (agent-q-fs-rule-tool rule) (agent-q-fs-request-tool request))
       (memq (agent-q-fs-request-tier request)
             (if (eq 'dangerous (agent-q-fs-rule-tier rule)) '(cautious dangerous) '(cautious)))
       (if (agent-q-fs-request-likes request)
           (seq-some (lambda (like)
                       (equal (agent-q-fs--scope-bytes (nth 2 like))
                              (nth 2 (agent-q-fs-rule-like rule))))
                     (agent-q-fs-request-likes request))
         (null (agent-q-fs-rule-like rule)))
       (agent-q-fs-approve--inside-p request (agent-q-fs-rule-directory rule))
       (equal (agent-q-fs-rule-scope rule)
              (agent-q-fs--scope-bytes
               (agent-q-fs--scope (agent-q-fs-approve--workspace request))))))

(defun agent-q-fs-approve--denied-places (request)
  "Return the places that REQUEST touches, under every name that is known of them.
That is where its paths lead, how they were spelled, and what was passed
on the way."
  (append
   (agent-q-fs-approve--places
    request (append (agent-q-fs-request-paths request)
                    (mapcan (lambda (target) (append (plist-get target :passed) nil))
                            (agent-q-fs-request-targets request))))
   (agent-q-fs-approve--places
    request (delq nil (mapcar (lambda (target) (plist-get target :given))
                              (agent-q-fs-request-targets request)))
    'given)))

(defun agent-q-fs-approve--among-p (directory places)
  "Return non-nil if one of PLACES is DIRECTORY, in it, or above it.
Letters that some file systems take for the same are the same."
  (let ((directory (agent-q-fs--place-folded directory)))
    (seq-some (lambda (place)
                (let ((place (agent-q-fs--place-folded place)))
                  (or (agent-q-fs--place-in-p place directory)
                      ;; A change of what is above takes along what is inside.
                      (agent-q-fs--place-in-p directory place))))
              places)))

(defun agent-q-fs-approve--touches-p (request directory)
  "Return non-nil if REQUEST touches DIRECTORY, a place, by any name.
It may be a link, be mounted elsewhere as well, or have files with two names."
  (let ((places (agent-q-fs-approve--denied-places request)))
    (or (agent-q-fs-approve--among-p directory places)
        (and (not (agent-q-fs--memory-p (agent-q-fs-approve--workspace request)))
             (let* ((true (agent-q-fs--true-place directory))
                    (identity (agent-q-fs--place-identity true)))
               (or (agent-q-fs-approve--among-p true places)
                   (and identity
                        (or (member identity (agent-q-fs--place-identities places))
                            (agent-q-fs--place-holds-p
                             true (agent-q-fs--place-twins places))))))))))

(defun agent-q-fs-approve--forbids-p (rule request)
  "Return non-nil if RULE denies any of what REQUEST would do."
  (let* ((workspace (agent-q-fs-approve--workspace request))
         (root (agent-q-fs-rule-root rule))
         (directory (agent-q-fs-rule-directory rule)))
    (and (member (agent-q-fs-rule-tool rule) (list t (agent-q-fs-request-tool request)))
         ;; Names in memory are not those of the disk.
         (or (null root)
             (eq (agent-q-fs--memory-p workspace)
                 (eq :memory (plist-get (agent-q-fs-rule-scope rule) :backend))))
         (if directory
             (agent-q-fs-approve--touches-p
              request (agent-q-fs--place workspace directory (null root)))
           (or (null root) (equal root (agent-q-fs--root-place workspace)))))))

(defun agent-q-fs-approve--denials ()
  "Return the rules that deny something."
  (append (mapcar (lambda (denied)
                    (agent-q-fs-rule--make
                     :answer 'deny :tool (car denied)
                     :directory (and (not (member (cdr denied) '("" "." "./"))) (cdr denied))))
                  (default-value 'agent-q-fs-denied))
          (seq-filter (lambda (rule) (eq 'deny (agent-q-fs-rule-answer rule)))
                      (agent-q-fs-approve-rules))))

(defun agent-q-fs-approve-remember (answer request &optional directory like)
  "Remember ANSWER, `approve' or `deny', for calls like REQUEST.
That is the same tool in the same project, as `agent-q-fs--scope'
describes it, and inside DIRECTORY, by default the project's root.  A
denial counts whatever the project's rules are by then.  An approval
covers no higher tier.  Of a request that has likes it is for LIKE, which
is one of them, and for nothing without."
  (let* ((workspace (agent-q-fs-approve--workspace request))
         (place (and (or directory (eq 'approve answer))
                     (agent-q-fs--place workspace (or directory ".")))))
    (agent-q-fs-approve-rules)          ; with those that are kept by now
    (push (agent-q-fs-rule--make :answer answer
                                 :tool (agent-q-fs-request-tool request)
                                 :scope (agent-q-fs--scope-bytes (agent-q-fs--scope workspace))
                                 :tier (agent-q-fs-request-tier request)
                                 :directory place
                                 :like (and like
                                            (list (nth 0 like) (nth 1 like)
                                                  (agent-q-fs--scope-bytes (nth 2 like)))))
          agent-q-fs-approve--rules)
    (agent-q-fs-approve--keep (car agent-q-fs-approve--rules))
    (agent-q-fs-approve--changed)))

(defun agent-q-fs-approve-forget (rule)
  "Remember RULE no more, in this session or in the file."
  (setq agent-q-fs-approve--rules (remq rule agent-q-fs-approve--rules))
  (agent-q-fs-approve--keep)
  (agent-q-fs-approve--changed))

(defun agent-q-fs-approve-directory (request)
  "Return the place that holds all targets of REQUEST, as bytes.
A directory that the call makes for other targets counts as inside itself,
and so does one that a command is run in."
  (let ((common nil) (first t)
        (alone (seq-every-p (lambda (target) (eq :make (plist-get target :action)))
                            (agent-q-fs-request-targets request)))
        (inside (seq-some (lambda (target) (eq :run-in (plist-get target :action)))
                          (agent-q-fs-request-targets request))))
    (dolist (place (agent-q-fs-approve--places request
                                               (agent-q-fs-request-paths request (not alone))))
      (let* ((parts (split-string place "/"))
             (parts (if inside parts (butlast parts))))
        (setq common (if first parts
                       (cl-loop for a in common for b in parts
                                while (equal a b) collect a))
              first nil)))
    (cond (first (agent-q-fs--root-place (agent-q-fs-approve--workspace request)))
          ((equal common '("")) "/")
          (t (string-join common "/")))))

(defun agent-q-fs-approve-directory-p (request directory)
  "Return non-nil if an approval of REQUEST may be for all of DIRECTORY, a place.
One that holds the project and more is no part of it."
  (let ((root (agent-q-fs--root-place (agent-q-fs-approve--workspace request))))
    (or (equal root directory)
        (not (agent-q-fs--place-in-p root directory)))))

(defun agent-q-fs-approve--words (place root)
  "Return the name of PLACE for a person, relative to ROOT if it is inside."
  (agent-q-fs--file-name-of-bytes
   (cond ((equal place root) ".")
         ((and root (agent-q-fs--place-in-p place root))
          (substring place (1+ (length (directory-file-name root)))))
         (t place))))

(defun agent-q-fs-approve-directory-words (request)
  "Return the name of `agent-q-fs-approve-directory' of REQUEST, for a person."
  (agent-q-fs-approve--words (agent-q-fs-approve-directory request)
                             (agent-q-fs--root-place
                              (agent-q-fs-approve--workspace request))))


;;;; Decisions that are kept

;; The file is written by this and read by a person, who may edit it.  What is wrong in
;; any way is told, and nothing of the file counts: half of it might be the wrong half.
;; Neither may the file be where somebody else, or a model, can write.

(defconst agent-q-fs-approve--header "\
;; -*- mode: lisp-data; coding: utf-8-unix -*-
;; Decisions that agent-q-fs remembers, one a list.  What you remove is asked about again.
;; An approval counts only while the project and the program are what is written here.
"
  "How the file begins.")

(defvar agent-q-fs-approve--stamp nil
  "What the file of kept decisions was like when it was last read.")

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
  (and (eq :host (plist-get (agent-q-fs-rule-scope rule) :backend))
       (not (eq 'chars (car (nth 2 (agent-q-fs-rule-like rule))))) ; of a command's session
       (agent-q-fs-audit-data-p (list (agent-q-fs-rule-scope rule)
                                         (agent-q-fs-rule-like rule)))))

(defun agent-q-fs-approve--written (rule)
  "Return RULE as the list that is kept of it."
  (agent-q-fs-audit-readable
   (list :answer (agent-q-fs-rule-answer rule) :tool (agent-q-fs-rule-tool rule)
         :tier (agent-q-fs-rule-tier rule) :directory (agent-q-fs-rule-directory rule)
         :like (agent-q-fs-rule-like rule) :scope (agent-q-fs-rule-scope rule))))

(defun agent-q-fs-approve--rule (form)
  "Return the rule that FORM, of the file, is, or nil if it is none."
  (pcase form
    ((and `(:answer ,(and answer (or 'approve 'deny)) :tool ,(and tool (pred stringp))
                    :tier ,(and tier (or 'cautious 'dangerous)) :directory ,directory
                    :like ,like :scope ,(and scope `(:root ,(pred stringp) . ,_)))
          (guard (and (if directory (and (stringp directory) (string-prefix-p "/" directory))
                        (eq 'deny answer))
                      (or (null like)
                          (and (proper-list-p like) (= 3 (length like))
                               (symbolp (car like)) (stringp (nth 1 like))))
                      (agent-q-fs-audit-data-p form))))
     (agent-q-fs-rule--make
      :answer answer :tool tool :tier tier :kept t
      :directory (agent-q-fs--scope-bytes directory) :scope (agent-q-fs--scope-bytes scope)
      :like (and like (list (car like) (nth 1 like) (agent-q-fs--scope-bytes (nth 2 like))))))))

(defun agent-q-fs-approve--parse (file)
  "Return the rules in FILE, or words about what is wrong with it."
  (with-temp-buffer
    (let ((coding-system-for-read 'utf-8-unix) (read-circle nil) rules wrong)
      (insert-file-contents file)
      (condition-case nil
          (while (and (not wrong) (progn (forward-comment (buffer-size)) (not (eobp))))
            (let* ((line (line-number-at-pos))
                   (rule (agent-q-fs-approve--rule (read (current-buffer)))))
              (if rule (push rule rules)
                (setq wrong (format "line %d: expected a decision, as this package writes it"
                                    line)))))
        (error (setq wrong (format "line %d: expected a list that ends"
                                   (line-number-at-pos)))))
      (or wrong (nreverse rules)))))

(defun agent-q-fs-approve--tell (file words)
  "Tell the person that the decisions in FILE do not count, and WORDS, why."
  (display-warning 'agent-q-fs (format "%s: %s.  No decision in it counts; mend or remove it"
                                       (agent-q-fs-show-visible file t) words)))

(defun agent-q-fs-approve--load (file)
  "Read FILE, and have its rules in place of those that were read before.
Nil stands for a file that is not there."
  (let ((rules (and file (or (agent-q-fs-audit-fault file)
                             (agent-q-fs-approve--parse file)))))
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
       ((agent-q-fs-audit-reached-p (directory-file-name (file-name-directory file)))
        (agent-q-fs-approve--tell file "it would be where a tool of an open workspace can write"))
       (t
        (when (and rule (agent-q-fs-approve--lasting-p rule))
          (setf (agent-q-fs-rule-kept rule) t))
        (condition-case problem
            (agent-q-fs-audit-write-data
             file agent-q-fs-approve--header
             (mapcar #'agent-q-fs-approve--written
                     (seq-filter #'agent-q-fs-rule-kept agent-q-fs-approve--rules)))
          (file-error (agent-q-fs-approve--tell file (error-message-string problem))))
        (setq agent-q-fs-approve--stamp (agent-q-fs-approve--stamp file)))))))


;;;; Deciding

(defun agent-q-fs-approve--cautious-p ()
  "Return non-nil if cautious calls are done without asking."
  (and (memq (default-value 'agent-q-fs-policy) '(tiered edits never))
       (memq (default-value 'agent-q-fs-authority) '(cautious dangerous))))

(defun agent-q-fs-approve-authority (tool)
  "Return how much a call of TOOL may do before it becomes a request.
If a denial may concern TOOL, every change must become one."
  (if (and (agent-q-fs-approve--cautious-p)
           (not (seq-some (lambda (rule) (member (agent-q-fs-rule-tool rule) (list t tool)))
                          (agent-q-fs-approve--denials))))
      'cautious
    'safe))

(defun agent-q-fs-approve-refusal (tier)
  "Return the decision about a call of TIER that the policy rules out, or nil.
The policy `read-only' is judged here and nowhere else."
  (and (eq 'read-only (default-value 'agent-q-fs-policy))
       (not (eq 'safe tier))
       (list :decision 'denied :code :read-only :reason "nothing may be changed")))

(defun agent-q-fs-approve-unattended-p ()
  "Return non-nil if there is nobody to ask."
  (or noninteractive
      (seq-every-p (lambda (frame) (equal "initial_terminal" (terminal-name frame)))
                   (frame-list))))

(defun agent-q-fs-approve--unattended (request)
  "Return the decision about REQUEST where nobody can be asked."
  (or (and (default-value 'agent-q-fs-unattended-function)
           (funcall (default-value 'agent-q-fs-unattended-function) request))
      (list :decision 'denied :code :approval-required
            :reason "there is nobody here to give it")))

(defun agent-q-fs-approve--policy-p (request)
  "Return non-nil if the policy lets REQUEST pass."
  (let ((caller (agent-q-fs-request-caller request)))
    (and (not (and caller (agent-q-fs-caller-ask caller)))
         (or (eq (default-value 'agent-q-fs-policy) 'never)
             (and (agent-q-fs-approve--cautious-p)
                  (or (eq 'cautious (agent-q-fs-request-tier request))
                      (and (eq (default-value 'agent-q-fs-policy) 'edits)
                           (agent-q-fs-request-plain-p request))))))))

(defun agent-q-fs-approve--settled (request)
  "Return the decision about REQUEST that needs no person, or nil."
  (cond
   ((agent-q-fs-approve-refusal (agent-q-fs-request-tier request)))
   ((seq-some (lambda (rule) (agent-q-fs-approve--forbids-p rule request))
              (agent-q-fs-approve--denials))
    (list :decision 'denied :reason "this was ruled out before"))
   ((agent-q-fs-approve--policy-p request)
    (list :decision 'policy))
   ((and (not (agent-q-fs-request-protected-p request))
         (seq-some (lambda (rule)
                     (and (eq 'approve (agent-q-fs-rule-answer rule))
                          (agent-q-fs-approve--covers-p rule request)))
                   (agent-q-fs-approve-rules)))
    (list :decision 'remembered))
   ((agent-q-fs-approve-unattended-p)
    (agent-q-fs-approve--unattended request))))

(defcustom agent-q-fs-approval-function #'agent-q-fs-prompt
  "A function that asks a person about a request.
It is called with an `agent-q-fs-request' and a function.  It returns at
once, and calls that function, later or now, once, with the decision."
  :type 'function)

(defun agent-q-fs-approve-async (request callback)
  "Have REQUEST decided, and call CALLBACK with the decision, now or later."
  (let ((settled (agent-q-fs-approve--settled request)))
    (if settled
        (funcall callback settled)
      (funcall (default-value 'agent-q-fs-approval-function) request callback))))

(defun agent-q-fs-approve (request)
  "Return the decision about REQUEST, waiting for the person if need be."
  (let ((decision nil))
    (agent-q-fs-approve-async request (lambda (answer) (setq decision answer)))
    (unless decision
      (when (eq (default-value 'agent-q-fs-approval-function) #'agent-q-fs-prompt)
        (agent-q-fs-prompt-wait request))
      (agent-q-fs-caller-wait (lambda () decision)))
    decision))

(autoload 'agent-q-fs-prompt "agent-q-fs-prompt")
(autoload 'agent-q-fs-show-visible "agent-q-fs-show")

(provide 'agent-q-fs-approve)
;;; agent-q-fs-approve.el ends here
