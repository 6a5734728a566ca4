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
;;     :unanswered  non-nil of a denial that nobody gave
;;     :code      of a denial, the error if it is not :denied: :read-only,
;;                :approval-required (nobody could be asked) or :cancelled
;;     :stop      of a denial, non-nil if the caller is to end what it is doing
;;     :commit    the request to commit, where it is not the one that was made:
;;                the person changed the arguments or took some of the hunks
;;     :taken :of  with hunks, how many of how many were taken, and :which in words
;;
;; The core commits only the change that the request's digest stands for.  Remembered
;; decisions count in this project, and in this session or, with
;; `agent-q-fs-approvals-file', also in later ones; `agent-q-fs-approvals' lists them.

;;; Code:

(require 'agent-q-fs)
(require 'agent-q-fs-rules)
(require 'cl-lib)
(require 'seq)
(require 'subr-x)

(declare-function agent-q-fs-buffers-glob-regexp "agent-q-fs-buffers" (glob))
(declare-function agent-q-fs-prompt "agent-q-fs-prompt" (request callback))
(declare-function agent-q-fs-prompt-wait "agent-q-fs-prompt" (request))

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
  :group 'agent-q-fs-approve
  :type '(choice (const tiered) (const edits) (const never) (const always) (const read-only)))

(defcustom agent-q-fs-denied nil
  "Changes that are never made, as a list of (TOOL . DIRECTORY).
TOOL is a tool's name, or t for every tool that changes something.
DIRECTORY is relative to the workspace's root; nil stands for all of the
workspace.  Letter case does not matter.  Paths that may not even be read
belong into the :restricted_paths of `agent-q-fs-open'."
  :group 'agent-q-fs-approve
  :type '(repeat (cons (choice (const :tag "Every tool" t) string)
                       (choice (const :tag "Everywhere" nil) string))))

(defcustom agent-q-fs-unattended-function nil
  "A function that decides about requests where there is nobody to ask.
It is called with an `agent-q-fs-request' and returns a decision, such as
\(:decision approved) or (:decision denied :reason \"Not at night\").  It
may be nil, and return nil: then the request is denied."
  :group 'agent-q-fs-approve
  :type '(choice (const :tag "Deny" nil) function))

;;;; When what is asked changes

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
  (alike nil :documentation "What `agent-q-fs-request-likes' returns, or a function that
returns it.")
  (caller nil :documentation "The `agent-q-fs-caller' that waits for it, or nil.")
  (remake nil :documentation "A function that makes a request of a TOOL and ARGUMENTS.")
  (personal nil :documentation "Whether no policy and no rule decides about it, but a person.
If this is `ruled', only policies do not.")
  (decision nil :documentation "The decision, once there is one.")
  (state nil :documentation "The prompt's own data."))

(defun agent-q-fs-request-likes (request)
  "Return the classes of calls that an approval of REQUEST may be remembered for.
They stand in place of the whole tool, a list of (NAME LABEL KEY).  A call
is like another one if they have the same KEY."
  (let ((alike (agent-q-fs-request-alike request)))
    (if (functionp alike)
        (setf (agent-q-fs-request-alike request) (funcall alike))
      alike)))

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

(defun agent-q-fs-approve-secret-likes (workspace targets)
  "Return the likes of a request whose TARGETS in WORKSPACE are secret, or nil.
So an approval of other files covers no secret, and one of a secret covers
the very secrets that it was given for."
  (let ((paths (mapcan (lambda (target)
                         (and (plist-get target :secret)
                              (delq nil (list (plist-get target :path)
                                              (plist-get target :from)))))
                       targets)))
    (when paths
      `((exact "with these very secrets"
               (secret ,(sort (mapcar (lambda (path) (agent-q-fs--place workspace path)) paths)
                              #'string<)))))))

(defun agent-q-fs-approve-may-ask-p (operation)
  "Return non-nil if the core may refuse OPERATION until somebody approves."
  (member "approval-required" (plist-get (agent-q-fs--operation operation) :errors)))

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


;;;; Rules and requests

(defun agent-q-fs-approve--places (request paths &optional given)
  "Return PATHS of REQUEST as places.  GIVEN is as for `agent-q-fs--place'."
  (let ((workspace (agent-q-fs-approve--workspace request)))
    (delete-dups (mapcar (lambda (path) (agent-q-fs--place workspace path given)) paths))))

(defun agent-q-fs-approve--inside-p (request directory)
  "Return non-nil if all that REQUEST touches is in DIRECTORY, a place."
  (let ((places (agent-q-fs-approve--places request (agent-q-fs-request-paths request))))
    (and places
         (seq-every-p (lambda (place) (agent-q-fs--place-in-p place directory)) places))))

(defun agent-q-fs-approve--relative (request place)
  "Return PLACE as text, from the root of REQUEST's project; nil outside of it."
  (let ((root (agent-q-fs--root-place (agent-q-fs-approve--workspace request))))
    (and (agent-q-fs--place-in-p place root)
         (decode-coding-string (string-remove-prefix "/" (substring place (length root)))
                               'utf-8-unix))))

(defun agent-q-fs-approve--in-glob-p (glob request)
  "Return non-nil if all that REQUEST touches matches GLOB, from the root.
A directory that is made on the way to a file need not."
  (let ((case-fold-search nil)
        (regexp (agent-q-fs-buffers-glob-regexp glob))
        (paths (or (agent-q-fs-request-paths request t) (agent-q-fs-request-paths request))))
    (seq-every-p (lambda (place)
                   (let ((path (agent-q-fs-approve--relative request place)))
                     (and path (string-match-p regexp path))))
                 (agent-q-fs-approve--places request paths))))

(defun agent-q-fs-approve--in-words-p (words request)
  "Return non-nil if REQUEST runs the command WORDS, or one that begins so."
  (let* ((arguments (agent-q-fs-request-arguments request))
         (command (or (plist-get arguments :command) (plist-get arguments :cmd) ""))
         (head (string-remove-suffix " *" words)))
    (or (equal head command)
        (and (string-suffix-p " *" words) (string-prefix-p (concat head " ") command)))))

(defun agent-q-fs-approve--like-p (rule request)
  "Return one of REQUEST's likes that RULE is for, or t if neither has any."
  (let ((wanted (agent-q-fs-rule-like rule)))
    (cond ((null (agent-q-fs-request-likes request)) (null wanted))
          ((or wanted (agent-q-fs-rule-words rule))
           (seq-find (lambda (like)
                       (if wanted
                           (equal (agent-q-fs--scope-bytes (nth 2 like)) (nth 2 wanted))
                         (eq 'word (car like)))) ; a person named no program
                     (agent-q-fs-request-likes request))))))

(defun agent-q-fs-approve--covers-p (rule request)
  "Return non-nil if RULE approves of all that REQUEST would do."
  (let ((like (agent-q-fs-approve--like-p rule request))
        (glob (agent-q-fs-rule-glob rule))
        (words (agent-q-fs-rule-words rule))
        (workspace (agent-q-fs-approve--workspace request))
        scope)
    (and like
         (equal (agent-q-fs-rule-tool rule) (agent-q-fs-request-tool request))
         (memq (agent-q-fs-request-tier request)
               (if (eq 'dangerous (agent-q-fs-rule-tier rule))
                   '(cautious dangerous)
                 '(cautious)))
         (or (null words) (agent-q-fs-approve--in-words-p words request))
         (or (null glob) (agent-q-fs-approve--in-glob-p glob request))
         (agent-q-fs-approve--inside-p request (or (agent-q-fs-rule-directory rule)
                                                   (agent-q-fs-rule-root rule)))
         (setq scope (agent-q-fs-approve--scope-p rule workspace))
         (progn (agent-q-fs-approve--complete rule like scope) t))))

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

(defun agent-q-fs--place-twins (places)
  "Return the identities of those of PLACES that are files with several names."
  (let ((file-name-handler-alist nil))
    (delq nil (mapcar (lambda (place)
                        (let ((facts (file-attributes (agent-q-fs--file-name-of-bytes place))))
                          (and facts (null (file-attribute-type facts))
                               (< 1 (file-attribute-link-number facts))
                               (agent-q-fs--place-identity place))))
                      places))))

(defun agent-q-fs--place-holds-p (place identities)
  "Return non-nil if a file below PLACE, a directory, has one of IDENTITIES.
A directory with too many files to look at is taken to have one."
  (let ((file-name-handler-alist nil)
        (queue (list (agent-q-fs--file-name-of-bytes place)))
        (left 100000)
        found)
    (while (and queue identities (not found))
      (pcase-dolist (`(,name . ,facts)
                     (ignore-errors (directory-files-and-attributes
                                     (pop queue) t directory-files-no-dot-files-regexp t)))
        (setq left (1- left))
        (cond ((eq t (file-attribute-type facts)) (push name queue))
              ((member (cons (file-attribute-device-number facts)
                             (file-attribute-inode-number facts))
                       identities)
               (setq found t))))
      (when (< left 0) (setq found t)))
    found))

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

(defun agent-q-fs-approve--takes-along-p (request target)
  "Return non-nil if TARGET of REQUEST deletes or moves a directory."
  (let ((workspace (agent-q-fs-approve--workspace request))
        (file-name-handler-alist nil))
    (pcase (plist-get target :action)
      (:delete (eq :directory (plist-get target :type)))
      (:move (or (agent-q-fs--memory-p workspace) ; where nobody can look
                 (file-directory-p (agent-q-fs-path-name workspace (plist-get target :from))))))))

(defun agent-q-fs-approve--glob-touches-p (glob request)
  "Return non-nil if REQUEST touches, by any name, what GLOB matches from the root.
A directory that is deleted or moved may hold such files."
  (let* ((case-fold-search nil)
         (regexp (agent-q-fs-buffers-glob-regexp (agent-q-fs--place-folded glob)))
         (base (or (file-name-directory (replace-regexp-in-string "[*?].*" "" glob)) "."))
         (root (agent-q-fs--place (agent-q-fs-approve--workspace request) base)))
    (or (seq-some (lambda (place)
                    (let ((path (agent-q-fs-approve--relative request place)))
                      (and path (string-match-p regexp (agent-q-fs--place-folded path)))))
                  (agent-q-fs-approve--denied-places request))
        (and (seq-some (lambda (target) (agent-q-fs-approve--takes-along-p request target))
                       (agent-q-fs-request-targets request))
             (agent-q-fs-approve--touches-p request root)))))

(defun agent-q-fs-approve--forbids-p (rule request)
  "Return non-nil if RULE denies any of what REQUEST would do."
  (let* ((workspace (agent-q-fs-approve--workspace request))
         (root (agent-q-fs-rule-root rule))
         (directory (agent-q-fs-rule-directory rule))
         (glob (agent-q-fs-rule-glob rule))
         (words (agent-q-fs-rule-words rule)))
    (and (member (agent-q-fs-rule-tool rule) (list t (agent-q-fs-request-tool request)))
         (or (null words) (agent-q-fs-approve--in-words-p words request))
         (or (null glob) (agent-q-fs-approve--glob-touches-p glob request))
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

(defun agent-q-fs-approve-directory-words (request)
  "Return the name of `agent-q-fs-approve-directory' of REQUEST, for a person."
  (agent-q-fs-approve--words (agent-q-fs-approve-directory request)
                             (agent-q-fs--root-place
                              (agent-q-fs-approve--workspace request))))

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
                                 :like (and like (agent-q-fs-approve--like like)))
          agent-q-fs-approve--rules)
    (agent-q-fs-approve--keep (car agent-q-fs-approve--rules))
    (agent-q-fs-approve--changed)))


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
   ((eq t (agent-q-fs-request-personal request))
    (and (agent-q-fs-approve-unattended-p) (agent-q-fs-approve--unattended request)))
   ((agent-q-fs-approve-refusal (agent-q-fs-request-tier request)))
   ((seq-some (lambda (rule) (agent-q-fs-approve--forbids-p rule request))
              (agent-q-fs-approve--denials))
    (list :decision 'denied :reason "this was ruled out before"))
   ((and (not (agent-q-fs-request-personal request)) (agent-q-fs-approve--policy-p request))
    (list :decision 'policy))
   ((and (not (agent-q-fs-request-protected-p request))
         (seq-some (lambda (rule)
                     (and (eq 'approve (agent-q-fs-rule-answer rule))
                          (agent-q-fs-approve--covers-p rule request)))
                   (agent-q-fs-approve-rules)))
    (list :decision 'remembered))
   ((agent-q-fs-caller-decision (agent-q-fs-request-caller request) request))
   ((agent-q-fs-approve-unattended-p)
    (agent-q-fs-approve--unattended request))))

(defcustom agent-q-fs-approval-function #'agent-q-fs-prompt
  "A function that asks a person about a request.
It is called with an `agent-q-fs-request' and a function.  It returns at
once, and calls that function, later or now, once, with the decision."
  :group 'agent-q-fs-approve
  :type 'function)

(defun agent-q-fs-approve-async (request callback)
  "Have REQUEST decided, and call CALLBACK with the decision, now or later."
  (let ((settled (agent-q-fs-approve--settled request)))
    (if settled
        (funcall callback settled)
      (funcall (default-value 'agent-q-fs-approval-function) request callback))))

(defvar agent-q-fs-approve--once nil
  "The answers of this session to questions that are asked once, (KEY . ANSWER).
KEY is a tool's name and a workspace's scope, ANSWER as
`agent-q-fs-approve-once' returns it.")

(defun agent-q-fs-approve-once (request)
  "Return `approved', `denied' or `asked' for REQUEST, without waiting.
The answer of a person counts in this session for all requests of the
tool in such a workspace, and the person is asked when there is none."
  (let* ((key (cons (agent-q-fs-request-tool request)
                    (agent-q-fs--scope-bytes
                     (agent-q-fs--scope (agent-q-fs-approve--workspace request)))))
         (answer (lambda (decision)
                   (cond ((plist-get decision :unanswered) nil)
                         ((eq 'denied (plist-get decision :decision)) 'denied)
                         (t 'approved))))
         (settled (agent-q-fs-approve--settled request)))
    (cond (settled (funcall answer (plist-put (copy-sequence settled) :unanswered nil)))
          ((alist-get key agent-q-fs-approve--once nil nil #'equal))
          (t (let ((note (lambda (value)
                           (setf (alist-get key agent-q-fs-approve--once nil t #'equal) value)))
                   (problem t))
               (funcall note 'asked)
               (unwind-protect
                   (progn (funcall (default-value 'agent-q-fs-approval-function) request
                                   (lambda (decision) (funcall note (funcall answer decision))))
                          (setq problem nil))
                 (when problem (funcall note nil))) ; nobody was asked
               (or (alist-get key agent-q-fs-approve--once nil nil #'equal) 'denied))))))

(defun agent-q-fs-approve-opening (workspace facts caller)
  "Return the request of CALLER for WORKSPACE, which it may not have unasked.
FACTS are shown.  No policy decides about it: each is about what is done in
a project."
  (agent-q-fs-request--make
   :tool "open" :workspace workspace :tier 'dangerous :caller caller :personal t
   :arguments (list :root (agent-q-fs-workspace-root workspace))
   :summary (format "Let %s use the tools in %s" (agent-q-fs-caller-name caller)
                    (agent-q-fs-workspace-root workspace))
   :facts facts
   :remake (lambda (&rest _)
             (agent-q-fs--fail :invalid-argument "This can be allowed or denied, not changed"))))

(defun agent-q-fs-approve (request)
  "Return the decision about REQUEST, waiting for the person if need be."
  (let ((decision nil))
    (agent-q-fs-approve-async request (lambda (answer) (setq decision answer)))
    (unless decision
      (when (featurep 'agent-q-fs-prompt) ; the person is asked, unless something else decides
        (agent-q-fs-prompt-wait request))
      (agent-q-fs-caller-wait (lambda () decision)))
    decision))

(autoload 'agent-q-fs-prompt "agent-q-fs-prompt")
(autoload 'agent-q-fs-show-visible "agent-q-fs-show")

(provide 'agent-q-fs-approve)
;;; agent-q-fs-approve.el ends here
