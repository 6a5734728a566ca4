;;; agent-q-fs-approve.el --- Which calls need an approval, and decisions  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A model's call that may do more than `agent-q-fs-policy' permits becomes a
;; request, which describes what would be done.  A request is decided, in this
;; order, by
;;
;;   1. the policy `read-only', which refuses it;
;;   2. a denial that is remembered, or one of `agent-q-fs-denied';
;;   3. the policies that let it pass: `never' does, and `tiered' if it is cautious
;;      and `agent-q-fs-authority' is not `safe';
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
;;     :commit    the request to commit, where it is not the one that was made:
;;                the person changed the arguments or took some of the hunks
;;     :taken :of  with hunks, how many of how many were taken
;;
;; The core commits only the change that the request's digest stands for.  Remembered
;; decisions count in this session and this project; `agent-q-fs-approvals' lists
;; them.

;;; Code:

(require 'agent-q-fs)
(require 'cl-lib)
(require 'seq)
(require 'subr-x)
(require 'tabulated-list)

(declare-function agent-q-fs-prompt "agent-q-fs-prompt" (request callback))
(declare-function agent-q-fs-prompt-wait "agent-q-fs-prompt" (request))

(defgroup agent-q-fs-approve nil
  "Approvals of models' calls."
  :group 'agent-q-fs)

(defcustom agent-q-fs-policy 'tiered
  "Which calls of models are made without asking a person.
With every policy, all calls are logged (`agent-q-fs-log'), and nothing
outside the workspace is touched.

tiered     calls that read or edit are made; calls that create, move or
           delete files, or touch protected files, are asked about.
           If `agent-q-fs-authority' is `safe', so are calls that edit
never      all calls are made, and nobody is asked
always     calls that read are made; all others are asked about
read-only  calls that read are made; all others are refused

With the other policies, `agent-q-fs-authority' has no effect on calls of
models."
  :type '(choice (const tiered) (const never) (const always) (const read-only)))

(defcustom agent-q-fs-denied nil
  "Changes that are never made, as a list of (TOOL . DIRECTORY).
TOOL is a tool's name, or t for every tool that changes something.
DIRECTORY is relative to the workspace's root; nil stands for all of the
workspace.  Letter case does not matter.  Paths that may not even be read
belong into the :restricted_paths of `agent-q-fs-open'."
  :type '(repeat (cons (choice (const :tag "Every tool" t) string)
                       (choice (const :tag "Everywhere" nil) string))))

(defcustom agent-q-fs-unattended-function nil
  "A function that decides about requests where there is nobody to ask.
It is called with an `agent-q-fs-request' and returns a decision, such as
\(:decision approved) or (:decision denied :reason \"Not at night\").  It
may be nil, and return nil: then the request is denied."
  :type '(choice (const :tag "Deny" nil) function))

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
  (tier nil :documentation "The most that an approval covers."))

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
           (seq-some (lambda (like) (equal (nth 2 like) (nth 2 (agent-q-fs-rule-like rule))))
                     (agent-q-fs-request-likes request))
         (null (agent-q-fs-rule-like rule)))
       (agent-q-fs-approve--inside-p request (agent-q-fs-rule-directory rule))
       (equal (agent-q-fs-rule-scope rule)
              (agent-q-fs--scope (agent-q-fs-approve--workspace request)))))

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
It may be a link, be mounted elsewhere as well, or be a file with two names."
  (let ((places (agent-q-fs-approve--denied-places request)))
    (or (agent-q-fs-approve--among-p directory places)
        (and (not (agent-q-fs--memory-p (agent-q-fs-approve--workspace request)))
             (let* ((true (agent-q-fs--true-place directory))
                    (identity (agent-q-fs--place-identity true)))
               (or (agent-q-fs-approve--among-p true places)
                   (and identity
                        (member identity (agent-q-fs--place-identities places)))))))))

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
                      agent-q-fs-approve--rules)))

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
    (push (agent-q-fs-rule--make :answer answer
                                 :tool (agent-q-fs-request-tool request)
                                 :scope (agent-q-fs--scope workspace)
                                 :tier (agent-q-fs-request-tier request)
                                 :directory place :like like)
          agent-q-fs-approve--rules)))

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


;;;; Deciding

(defun agent-q-fs-approve--cautious-p ()
  "Return non-nil if cautious calls are done without asking."
  (and (memq (default-value 'agent-q-fs-policy) '(tiered never))
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

(defun agent-q-fs-approve--settled (request)
  "Return the decision about REQUEST that needs no person, or nil."
  (cond
   ((agent-q-fs-approve-refusal (agent-q-fs-request-tier request)))
   ((seq-some (lambda (rule) (agent-q-fs-approve--forbids-p rule request))
              (agent-q-fs-approve--denials))
    (list :decision 'denied :reason "this was ruled out before"))
   ((or (eq (default-value 'agent-q-fs-policy) 'never)
        (and (eq 'cautious (agent-q-fs-request-tier request))
             (agent-q-fs-approve--cautious-p)))
    (list :decision 'policy))
   ((and (not (agent-q-fs-request-protected-p request))
         (seq-some (lambda (rule)
                     (and (eq 'approve (agent-q-fs-rule-answer rule))
                          (agent-q-fs-approve--covers-p rule request)))
                   agent-q-fs-approve--rules))
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


;;;; The list of remembered decisions

(defvar agent-q-fs-approvals-mode-map
  (let ((map (make-sparse-keymap)))
    (set-keymap-parent map tabulated-list-mode-map)
    (define-key map "d" #'agent-q-fs-approvals-revoke)
    (define-key map "D" #'agent-q-fs-approvals-revoke-all)
    map)
  "Keys in the list of remembered decisions.")

(define-derived-mode agent-q-fs-approvals-mode tabulated-list-mode "Approvals"
  "The decisions about tools that are remembered in this session.
\\<agent-q-fs-approvals-mode-map>\\[agent-q-fs-approvals-revoke] \
revokes the one at point, \\[agent-q-fs-approvals-revoke-all] all of them."
  (setq tabulated-list-format [("Answer" 8 t) ("Tool" 22 t) ("At most" 10 t)
                               ("Under" 24 t) ("Project" 0 t)]
        tabulated-list-padding 1
        tabulated-list-entries #'agent-q-fs-approvals--entries)
  (tabulated-list-init-header))

(defun agent-q-fs-approvals--name (place &optional root)
  "Return the name of PLACE, which may be nil, relative to ROOT if it is inside."
  (if place
      (agent-q-fs-show-visible (agent-q-fs-approve--words place root) t)
    ""))

(defun agent-q-fs-approvals--entries ()
  "Return the rows of the list."
  (mapcar (lambda (rule)
            (list rule
                  (vector (symbol-name (agent-q-fs-rule-answer rule))
                          (agent-q-fs-rule-tool rule)
                          (if (eq 'deny (agent-q-fs-rule-answer rule))
                              ""
                            (symbol-name (agent-q-fs-rule-tier rule)))
                          (or (nth 1 (agent-q-fs-rule-like rule))
                              (agent-q-fs-approvals--name (agent-q-fs-rule-directory rule)
                                                          (agent-q-fs-rule-root rule)))
                          (agent-q-fs-approvals--name (agent-q-fs-rule-root rule)))))
          agent-q-fs-approve--rules))

(defun agent-q-fs-approvals-revoke ()
  "Revoke the decision at point."
  (interactive nil agent-q-fs-approvals-mode)
  (let ((rule (or (tabulated-list-get-id) (user-error "There is no decision here"))))
    (setq agent-q-fs-approve--rules (delq rule agent-q-fs-approve--rules))
    (tabulated-list-print t)
    (message "Revoked.  From now on, this is asked again")))

(defun agent-q-fs-approvals-revoke-all ()
  "Revoke all decisions."
  (interactive nil agent-q-fs-approvals-mode)
  (setq agent-q-fs-approve--rules nil)
  (tabulated-list-print)
  (message "Everything is asked again"))

;;;###autoload
(defun agent-q-fs-approvals ()
  "Show the decisions about tools that are remembered in this session."
  (interactive)
  (let ((buffer (get-buffer-create "*agent-q-fs approvals*")))
    (with-current-buffer buffer
      (agent-q-fs-approvals-mode)
      (tabulated-list-print))
    (pop-to-buffer buffer)))

(provide 'agent-q-fs-approve)
;;; agent-q-fs-approve.el ends here
