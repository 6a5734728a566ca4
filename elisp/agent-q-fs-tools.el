;;; agent-q-fs-tools.el --- The tools, and calls by models  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; One registry has all tools: the operations in the core's catalogue, and those that
;; are declared with `agent-q-fs-define-tool'.  The specifications for models are made
;; from it (agent-q-fs-spec.el).
;;
;; A model names a tool, gives arguments that came out of some JSON parser, and is shown
;; text.  `agent-q-fs-call-tool' and, without waiting, `agent-q-fs-call-tool-async'
;;
;;   - take every shape in which Emacs' parsers and agent packages hold a JSON
;;     object, and check it by the tool's parameters (agent-q-fs-audit.el);
;;   - make changes that the policy allows at once; others become requests, which somebody
;;     approves of (agent-q-fs-approve.el), and only the plan that was approved is committed;
;;   - emit events (agent-q-fs-audit.el);
;;   - answer failures in words.

;;; Code:

(require 'agent-q-fs)
(require 'agent-q-fs-approve)
(require 'agent-q-fs-arguments)
(require 'agent-q-fs-audit)
(require 'agent-q-fs-diagnostics)
(require 'cl-lib)
(require 'seq)

(declare-function agent-q-fs-job-cancel "agent-q-fs-job" (job))


;;;; The registry

(cl-defstruct (agent-q-fs-tool (:constructor agent-q-fs-tool--make) (:copier nil))
  "A tool that models may call."
  (name nil :documentation "A string.")
  (doc nil :documentation "Its description, for the model.")
  (tier nil :documentation "`safe', `cautious' or `dangerous', at least.")
  (slow nil :documentation "Whether it may take long.")
  (params nil :documentation "As in `agent-q-fs-operations'.")
  (handler nil :documentation "The function that runs it; nil for an operation of the core.")
  (start nil :documentation "The function that starts it without waiting, or nil.")
  (preview nil :documentation "The function that says what it would do, or nil.")
  (check nil :documentation "The function that compares that with an approved request, or nil.")
  (hints nil :documentation "As in `agent-q-fs-operations', with :title among them.")
  (sets nil :documentation "The names of the sets that it is in.")
  (reply nil :documentation "As in `agent-q-fs-operations', nil if unknown."))

(defvar agent-q-fs-tools--defined nil
  "The tools that were declared in Emacs Lisp, the latest first.")

(defvar agent-q-fs-tools--core nil
  "The core's operations as tools, once they were needed.")

(defvar agent-q-fs-tools--table (make-hash-table :test #'equal)
  "All tools by name, once they were needed.")

(defun agent-q-fs-tools--core-tool (row)
  "Return the tool that ROW of the core's table is."
  (agent-q-fs-tool--make :name (plist-get row :name) :doc (plist-get row :doc)
                         :tier (agent-q-fs--tier (plist-get row :name))
                         :slow (plist-get row :slow) :params (plist-get row :params)
                         :hints (cl-list* :title (plist-get row :title) (plist-get row :hints))
                         :sets (plist-get row :sets) :reply (plist-get row :reply)))

(defun agent-q-fs-all-tools ()
  "Return all tools: the core's in the order of its table, then the declared ones."
  (unless agent-q-fs-tools--core
    (setq agent-q-fs-tools--core (mapcar #'agent-q-fs-tools--core-tool (agent-q-fs-operations)))
    (dolist (tool agent-q-fs-tools--core)
      (puthash (agent-q-fs-tool-name tool) tool agent-q-fs-tools--table)))
  (append agent-q-fs-tools--core (reverse agent-q-fs-tools--defined)))

(defun agent-q-fs-find-tool (name)
  "Return the tool called NAME, a string or a symbol, or nil."
  (unless agent-q-fs-tools--core (agent-q-fs-all-tools))
  (gethash (if (symbolp name) (symbol-name name) name) agent-q-fs-tools--table))

;;;###autoload
(cl-defun agent-q-fs-define-tool (name &key doc (tier 'dangerous) params
                                       handler start preview check slow hints sets)
  "Declare the tool NAME, a string, and return it.

DOC      what it does, in a sentence for the model
TIER     `safe', `cautious' or `dangerous'; or a function that is called
         with the arguments and returns one of them
PARAMS   its parameters, as property lists (:name :type :required :doc
         :default :least :most :choices) like those of
         `agent-q-fs-operations'; :type is :string, :path, :integer,
         :boolean, :strings or :choice, :default is JSON text
HANDLER  a function that is called with the workspace and a property list
         of the arguments (:path \"a\" ...), which have been checked, and
         returns text, or a property list with :text as the core's replies
         are.  It may signal errors
START    instead, a function that is called with the workspace, the
         arguments and a function, returns at once, and calls that
         function once with what HANDLER would return, or with an error
         as (SYMBOL . DATA).  If it returns a function, that one is called
         to end the work when nobody waits for it any more
PREVIEW  a function that is called as HANDLER is, changes nothing, and
         returns (:summary :targets :diff) as `agent-q-fs-preview' does,
         and maybe (:facts :likes :personal) for an `agent-q-fs-request',
         :likes as a function if that takes long.  Without CHECK, it is
         called again before HANDLER, and must return the same
CHECK    a function that is called as HANDLER is, with the approved request
         behind the arguments, and returns nil if HANDLER would do
         something else by now.  HANDLER itself finds the request in
         `agent-q-fs-tools-approved', for what can only be compared then
SLOW     whether HANDLER may take long
HINTS    (:title :read-only :destructive :idempotent :open-world) for MCP
SETS     names of sets of tools that it is in, besides \"all\" and, if
         TIER is `safe', \"read-only\"

A tool of the core cannot be replaced, one that was declared can."
  (declare (indent 1))
  (unless (and (stringp name)
               (let ((case-fold-search nil))
                 (string-match-p "\\`[a-z][a-z0-9_]\\{0,63\\}\\'" name)))
    (error "A tool's name is like read_file, not %S" name))
  (unless (or (functionp handler) (functionp start))
    (error "The tool %s has no handler" name))
  (unless (or (memq tier '(safe cautious dangerous)) (functionp tier))
    (error "The tool %s has no tier like %S" name tier))
  ;; Tools are declared while files are loaded and compiled, when the core may not be there.
  (when (member name agent-q-fs-operation-names)
    (error "The core has a tool %s already" name))
  (let ((old (gethash name agent-q-fs-tools--table))
        (tool (agent-q-fs-tool--make :name name :doc doc :tier tier :params params
                                     :slow (or slow (and start t)) :handler handler
                                     :start start :preview preview :check check
                                     :hints hints
                                     :sets (append '("all") (and (eq tier 'safe) '("read-only"))
                                                   sets))))
    (setq agent-q-fs-tools--defined (cons tool (delq old agent-q-fs-tools--defined)))
    (puthash name tool agent-q-fs-tools--table)))

(defun agent-q-fs-undefine-tool (name)
  "Forget the tool NAME, which `agent-q-fs-define-tool' declared."
  (let ((tool (gethash name agent-q-fs-tools--table)))
    (when (memq tool agent-q-fs-tools--defined)
      (setq agent-q-fs-tools--defined (delq tool agent-q-fs-tools--defined))
      (remhash name agent-q-fs-tools--table))))


;;;; Calls

;; A call goes through stages: check, try, ask, commit.  Each calls the next; the last one,
;; or one that fails, calls `agent-q-fs-tools--end' with the reply.  Of a call that waits,
;; all that has happened when the first returns.

(defvar agent-q-fs-turn nil
  "The turn that the calls made now belong to, a short string, or nil.
A program that makes calls for a model binds it to a name of the chat and
of the model's turn in it.  `agent-q-fs-review' can show one turn alone.")

(cl-defstruct (agent-q-fs-tools--call (:constructor agent-q-fs-tools--make-call)
                                      (:copier nil))
  name arguments workspace tool wait person caller
  (turn agent-q-fs-turn :documentation "The turn it belongs to, also when it is decided later.")
  (program nil :documentation "The tier that a program, which wants data, asks for; or nil.")
  (start nil :documentation "The event.")
  (tier nil :documentation "As far as it is known by now.")
  (decision nil :documentation "The :decision of its events.")
  (note nil :documentation "Words for the model before the reply's text.")
  (done nil :documentation "The function that is called with the reply, once.")
  (ended nil))

(defun agent-q-fs-tools--problem (problem)
  "Convert PROBLEM, a caught error (SYMBOL . DATA), into a reply."
  (if (eq (car-safe (cdr problem)) :error)
      (cdr problem)
    (let ((words (agent-q-fs-audit-plain (error-message-string problem))))
      (list :error (if (eq (car problem) 'quit) :cancelled :internal)
            :message words :text (concat "Error: " words)))))

(defmacro agent-q-fs-tools--guard (call &rest body)
  "Run BODY, a stage of CALL; an error in it is the end of CALL."
  (declare (indent 1) (debug (form body)))
  `(condition-case problem
       (progn ,@body)
     (error (agent-q-fs-tools--end ,call (agent-q-fs-tools--problem problem)))
     (quit (if (agent-q-fs-tools--call-wait ,call)
               (signal 'quit nil)
             (agent-q-fs-tools--end ,call (agent-q-fs-tools--problem problem))))))

(defun agent-q-fs-tools--end (call reply)
  "End CALL with REPLY, once."
  (unless (agent-q-fs-tools--call-ended call)
    (setf (agent-q-fs-tools--call-ended call) t)
    (let ((note (agent-q-fs-tools--call-note call)) (shown reply))
      (when (and note (not (plist-get reply :error)))
        (setq shown (plist-put (copy-sequence reply) :text (concat note (plist-get reply :text)))))
      (when (agent-q-fs-tools--call-start call)
        (agent-q-fs-audit-end (agent-q-fs-tools--call-start call) shown
                              (agent-q-fs-tools--call-arguments call)
                              :tier (agent-q-fs-tools--call-tier call)
                              :decision (agent-q-fs-tools--call-decision call)))
      (if (or (agent-q-fs-tools--call-wait call) (agent-q-fs-tools--call-person call)
              (agent-q-fs-tools--call-program call))
          (funcall (agent-q-fs-tools--call-done call) shown)
        (agent-q-fs-diagnostics-then reply shown (agent-q-fs-tools--call-done call))))))

(defvar agent-q-fs-call-name nil
  "The name under which a person's call is kept; nil stands for that of its events.")

(defun agent-q-fs-tools--naming (call)
  "Return by which names CALL is kept: those of its events, session and turn."
  (let ((start (agent-q-fs-tools--call-start call)) (turn (agent-q-fs-tools--call-turn call)))
    (list :call (or agent-q-fs-call-name (and start (plist-get start :id)))
          :caller (truncate-string-to-width
                   (agent-q-fs-audit-plain
                    (concat agent-q-fs-audit--session (and turn (concat " " turn))))
                   60))))

(defun agent-q-fs-tools--core-reply (call arguments how)
  "Return the core's reply to CALL with ARGUMENTS as HOW says; signal errors.
A model is shown only its words, unless its caller wants data."
  (let* ((caller (agent-q-fs-tools--call-caller call))
         (data (or (agent-q-fs-tools--call-program call)
                   (and caller (agent-q-fs-caller-data caller))))
         (how (append (unless data '(:words t)) how (agent-q-fs-tools--naming call)))
         (agent-q-fs--told how))
    (agent-q-fs--call (agent-q-fs-tools--call-workspace call)
                      (agent-q-fs-tool-name (agent-q-fs-tools--call-tool call))
                      arguments how)))

(defun agent-q-fs-tools--begin (name arguments workspace done &rest how)
  "Call the tool NAME with ARGUMENTS in WORKSPACE, and DONE with the reply.
HOW has :wait, :person, :digest and :caller; and :program, the highest tier of
a program that wants data, and is asked about up to there as a model is."
  (let* ((agent-q-fs-caller (plist-get how :caller))
         (call (agent-q-fs-tools--make-call
                :name name :arguments arguments :workspace workspace :done done
                :wait (plist-get how :wait) :person (plist-get how :person)
                :program (plist-get how :program) :caller agent-q-fs-caller)))
    (condition-case problem
        (agent-q-fs-tools--guard call
          (agent-q-fs-tools--check call)
          (agent-q-fs-tools--try call (plist-get how :digest)))
      (quit (agent-q-fs-tools--end call (agent-q-fs-tools--problem problem))
            (signal 'quit nil)))))

(defun agent-q-fs-tools--announce (call)
  "Emit the start event of CALL."
  (when agent-q-fs-event-functions
    (let* ((tool (agent-q-fs-tools--call-tool call)) (tier (and tool (agent-q-fs-tool-tier tool))))
      (setf (agent-q-fs-tools--call-start call)
            (agent-q-fs-audit-start
             (if (agent-q-fs-tools--call-person call) 'person 'tool)
             (agent-q-fs-tools--call-name call)
             (agent-q-fs-tools--call-workspace call)
             (if (functionp tier) 'dangerous (or tier 'safe)))))))

(defun agent-q-fs-tools--find-workspace (call)
  "Note the workspace of CALL, announce CALL, and return the error if it has none.
The current workspace may be another one when somebody has decided."
  (prog1 (condition-case problem
             (ignore (cl-callf or (agent-q-fs-tools--call-workspace call)
                       (agent-q-fs-current-workspace)))
           (error problem))
    (agent-q-fs-tools--announce call)))

(defun agent-q-fs-tools--check (call)
  "Find CALL's tool and workspace, and put its arguments into one form."
  (setf (agent-q-fs-tools--call-tool call)
        (agent-q-fs-find-tool (agent-q-fs-tools--call-name call)))
  (let ((problem (agent-q-fs-tools--find-workspace call))
        (tool (or (agent-q-fs-tools--call-tool call)
                  (agent-q-fs--fail :unknown-operation "There is no tool %.60s"
                                    (agent-q-fs-audit--short (agent-q-fs-tools--call-name call)))))
        (given (agent-q-fs-tools--call-arguments call)))
    (setf (agent-q-fs-tools--call-arguments call) nil ; events never carry them unchecked
          (agent-q-fs-tools--call-arguments call) (agent-q-fs-tools--checked tool given))
    (when problem (signal (car problem) (cdr problem)))
    (unless (or noninteractive (agent-q-fs-tools--call-person call))
      (agent-q-fs-policy-watch (agent-q-fs-tools--call-workspace call)))))

(defun agent-q-fs-tools--in-lisp-p (tool)
  "Return non-nil if TOOL was declared in Emacs Lisp."
  (or (agent-q-fs-tool-handler tool) (agent-q-fs-tool-start tool)))

(defun agent-q-fs-tools--checked (tool given)
  "Return the arguments GIVEN to TOOL as a property list."
  (let* ((params (agent-q-fs-tool-params tool)) (plist (agent-q-fs-arguments-of params given)))
    (if (agent-q-fs-tools--in-lisp-p tool)
        (agent-q-fs-arguments-check params plist)
      plist)))

(defun agent-q-fs-tool-tier-of (tool arguments)
  "Return the least tier of a call of TOOL with ARGUMENTS, which have been checked."
  (let ((tier (agent-q-fs-tool-tier tool)))
    (if (functionp tier) (funcall tier arguments) tier)))

(defun agent-q-fs-tools--asks-p (call)
  "Return non-nil if the caller of CALL wants no change without a question."
  (let ((caller (agent-q-fs-tools--call-caller call)))
    (or (and caller (agent-q-fs-caller-ask caller)) (eq 'safe (agent-q-fs-tools--call-program call)))))

(defun agent-q-fs-tools--try (call digest)
  "Make CALL if that needs no approval, or commit the plan that has DIGEST."
  (let* ((tool (agent-q-fs-tools--call-tool call))
         (name (agent-q-fs-tool-name tool))
         (person (agent-q-fs-tools--call-person call))
         (tier (agent-q-fs-tool-tier-of tool (agent-q-fs-tools--call-arguments call)))
         (authority (cond (person 'dangerous)
                          ((or (eq tier 'safe) (agent-q-fs-tools--asks-p call)) 'safe)
                          (t (agent-q-fs-approve-authority name)))))
    (setf (agent-q-fs-tools--call-tier call) tier
          (agent-q-fs-tools--call-decision call)
          (cond (person 'person) ((not (eq tier 'safe)) 'policy)))
    (cond
     ((agent-q-fs-approve-refusal tier)
      (agent-q-fs-tools--decided call nil (agent-q-fs-approve-refusal tier)))
     ((agent-q-fs-tools--in-lisp-p tool)
      (if (or (memq tier (list 'safe authority)) person)
          (agent-q-fs-tools--run call (agent-q-fs-tools--call-arguments call))
        (agent-q-fs-tools--ask call (agent-q-fs-tools--request
                                     call tool (agent-q-fs-tools--call-arguments call) tier))))
     (t (agent-q-fs-tools--operate call (list :authority authority :digest digest
                                              :origin (if person 'person 'model)))))))

(defun agent-q-fs-tools--operate (call how)
  "Have the core do CALL as HOW says; if it refuses, ask for an approval."
  (let* ((tool (agent-q-fs-tools--call-tool call))
         (arguments (agent-q-fs-tools--call-arguments call))
         (workspace (agent-q-fs-tools--call-workspace call))
         (failed (lambda (problem)
                   (if (and (eq 'agent-q-fs-approval-required (car problem))
                            (agent-q-fs-tools--may-ask-p call (cdr problem)))
                       (agent-q-fs-tools--guard call
                         (unless (member (plist-get how :digest)
                                         `(nil ,(plist-get (cdr problem) :digest)))
                           (agent-q-fs-tools-stale))
                         (agent-q-fs-tools--ask
                          call (agent-q-fs-tools--core-request call tool arguments
                                                               (cdr problem))))
                     (agent-q-fs-tools--end call (agent-q-fs-tools--problem problem))))))
    (if (and (or (agent-q-fs-tool-slow tool) (not (equal "" (agent-q-fs-workspace-prefix workspace))))
             (not (agent-q-fs-tools--call-wait call))
             (not (agent-q-fs-coedit-buffers workspace (agent-q-fs-tool-name tool) arguments)))
        (let* ((agent-q-fs--told t)
               (caller (agent-q-fs-tools--call-caller call))
               (naming (agent-q-fs-tools--naming call))
               (job (agent-q-fs-call-async workspace (agent-q-fs-tool-name tool) arguments
                     :authority (plist-get how :authority) :digest (plist-get how :digest)
                     :call (plist-get naming :call) :caller (plist-get naming :caller)
                     :origin (plist-get how :origin) :on-error failed
                     :on-progress (and caller (agent-q-fs-caller-listener caller))
                     :on-done (lambda (reply) (agent-q-fs-tools--end call reply)))))
          (agent-q-fs-caller-at-end caller (lambda () (agent-q-fs-job-cancel job))))
      (let (reply problem)
        (condition-case caught
            (setq reply (agent-q-fs-tools--core-reply call arguments how))
          (error (setq problem caught)))
        (if problem
            (funcall failed problem)
          (agent-q-fs-tools--end call reply))))))

(defun agent-q-fs-tools--may-ask-p (call refusal)
  "Return non-nil if REFUSAL of CALL is not above what its program wants."
  (memq (agent-q-fs-tools--call-program call)
        (list nil 'dangerous (agent-q-fs-audit--reply-tier refusal))))

(defun agent-q-fs-tools--core-request (call tool arguments preview)
  "Return the request that CALL of TOOL with ARGUMENTS becomes.
PREVIEW is the core's plan, or its refusal, which has the same members."
  (agent-q-fs-request--make
   :tool (agent-q-fs-tool-name tool) :arguments arguments
   :workspace (agent-q-fs-tools--call-workspace call) :caller (agent-q-fs-tools--call-caller call)
   :tier (agent-q-fs-audit--reply-tier preview)
   :summary (plist-get preview :summary) :targets (plist-get preview :targets)
   :diff (plist-get preview :diff) :digest (plist-get preview :digest)
   :alike (agent-q-fs-approve-secret-likes (agent-q-fs-tools--call-workspace call)
                                           (plist-get preview :targets))
   :remake (agent-q-fs-tools--remaker call)))

(defun agent-q-fs-tools--request (call tool arguments tier)
  "Return the request that CALL of TOOL with ARGUMENTS, of TIER, becomes.
TOOL was declared in Emacs Lisp."
  (let ((preview (and (agent-q-fs-tool-preview tool)
                      (funcall (agent-q-fs-tool-preview tool)
                               (agent-q-fs-tools--call-workspace call) arguments))))
    (agent-q-fs-request--make
     :tool (agent-q-fs-tool-name tool) :arguments arguments :tier tier
     :workspace (agent-q-fs-tools--call-workspace call)
     :caller (agent-q-fs-tools--call-caller call)
     :summary (or (plist-get preview :summary) (agent-q-fs-tool-name tool))
     :targets (plist-get preview :targets) :diff (plist-get preview :diff)
     :facts (plist-get preview :facts) :alike (plist-get preview :likes)
     :personal (plist-get preview :personal) :remake (agent-q-fs-tools--remaker call))))

(defun agent-q-fs-tools--remaker (call)
  "Return a function that makes a request of a tool's name and arguments, for CALL."
  (lambda (name arguments)
    (let* ((tool (agent-q-fs-find-tool name))
           (arguments (agent-q-fs-tools--checked tool arguments))
           (how (list :verb 'plan :authority 'safe :origin 'model)))
      (if (agent-q-fs-tools--in-lisp-p tool)
          (agent-q-fs-tools--request call tool arguments (agent-q-fs-tools--call-tier call))
        (let ((agent-q-fs--told how))
          (agent-q-fs-tools--core-request
           call tool arguments
           (condition-case problem
               (agent-q-fs--call (agent-q-fs-tools--call-workspace call) name arguments how)
             (agent-q-fs-approval-required (cdr problem)))))))))

(defun agent-q-fs-tools--ask (call request)
  "Have REQUEST decided, and go on with CALL."
  (setf (agent-q-fs-tools--call-tier call) (agent-q-fs-request-tier request)
        (agent-q-fs-tools--call-decision call) 'denied) ; until it is decided
  (agent-q-fs-caller-check (agent-q-fs-tools--call-caller call))
  (agent-q-fs-audit-asked (agent-q-fs-tools--call-start call))
  (if (agent-q-fs-tools--call-wait call)
      (agent-q-fs-tools--decided call request (agent-q-fs-approve request))
    (agent-q-fs-approve-async
     request (lambda (decision) (agent-q-fs-tools--decided call request decision)))))

(defun agent-q-fs-tools--denial (call request decision)
  "Return the reply to CALL, whose REQUEST was denied by DECISION."
  (let* ((name (agent-q-fs-tool-name (agent-q-fs-tools--call-tool call)))
         (reason (plist-get decision :reason))
         (reason (and (stringp reason) (agent-q-fs-audit-plain reason))))
    (pcase (plist-get decision :code)
      (:approval-required
       (agent-q-fs--error-reply :approval-required
                                (concat (agent-q-fs--shared-message :approval-required) "%s")
                                (agent-q-fs-request-tier request)
                                (agent-q-fs-request-summary request)
                                (if reason (concat "; " reason) "")))
      (:read-only
       (agent-q-fs--error-reply
        :read-only "The policy is read-only: %s was not done%s" name
        (if (and request (agent-q-fs-request-likes request)) ", as it reads a secret" "")))
      (:cancelled
       (agent-q-fs--error-reply :cancelled "%s was not done%s" name
                                (if reason (concat ": " reason) "")))
      (_ (agent-q-fs--error-reply :denied "The user denied %s%s%s" name
                                  (if reason (concat ": " reason) "")
                                  (if (not (plist-get decision :stop)) ""
                                    "\nThe user wants you to stop here: call no more tools, \
and wait for what the user says."))))))

(defun agent-q-fs-tools--decided (call request decision)
  "Go on with CALL, which became REQUEST, after DECISION.
If the caller has gone since, it was told that nothing was done."
  (agent-q-fs-audit-answered (agent-q-fs-tools--call-start call))
  (agent-q-fs-tools--guard call
    (agent-q-fs-caller-check (agent-q-fs-tools--call-caller call))
    (let ((agent-q-fs-caller (agent-q-fs-tools--call-caller call))
          (word (plist-get decision :decision)))
      (setf (agent-q-fs-tools--call-decision call)
            (if (memq word '(policy remembered approved edited hunks)) word 'denied)
            (agent-q-fs-tools--call-note call)
            (pcase word
              ('edited "The user changed this call before it was done.\n")
              ('hunks (format "The user took %d of the %d hunks of this change only: %s.\n"
                              (plist-get decision :taken) (plist-get decision :of)
                              (plist-get decision :which)))))
      (when (memq word '(remembered approved edited hunks))
        (agent-q-fs-audit-decided (agent-q-fs-tools--call-start call) word))
      (if (memq word '(policy remembered approved edited hunks))
          (agent-q-fs-tools--commit call (or (plist-get decision :commit) request))
        (when (plist-get decision :stop)
          (agent-q-fs-caller-stop-all (agent-q-fs-tools--call-caller call)))
        (agent-q-fs-tools--end call (agent-q-fs-tools--denial call request decision))))))

(defvar agent-q-fs-tools-approved nil
  "The request that was approved of, while its tool in Emacs Lisp is run.
Nil if nobody was asked about the call.")

(defun agent-q-fs-tools--commit (call request)
  "Make the change of REQUEST, which was approved of, and end CALL.
Without a digest, it is another call than was asked about, and reads no secret."
  (let* ((tool (agent-q-fs-find-tool (agent-q-fs-request-tool request)))
         (arguments (agent-q-fs-request-arguments request))
         (digest (agent-q-fs-request-digest request))
         (how (list :authority (if digest 'dangerous 'safe) :origin 'model :digest digest)))
    (setf (agent-q-fs-tools--call-tool call) tool (agent-q-fs-tools--call-arguments call) arguments)
    (cond ((not (agent-q-fs-tools--in-lisp-p tool))
           (agent-q-fs-tools--end call (agent-q-fs-tools--core-reply call arguments how)))
          ((agent-q-fs-tools--same-p call request) (agent-q-fs-tools--run call arguments request))
          (t (agent-q-fs-tools-stale)))))

(defun agent-q-fs-tools-stale ()
  "Signal that a tool would not do now what was approved of."
  (agent-q-fs--fail :stale (agent-q-fs--shared-message :stale)))

(defun agent-q-fs-tools--same-p (call request)
  "Return non-nil if CALL, for REQUEST, would do what was approved of.
The core compares digests; this is for tools in Emacs Lisp."
  (let* ((tool (agent-q-fs-tools--call-tool call))
         (arguments (agent-q-fs-request-arguments request))
         (check (agent-q-fs-tool-check tool))
         (seen (lambda (request)
                 (list (agent-q-fs-request-targets request) (agent-q-fs-request-facts request)
                       (agent-q-fs-request-diff request)))))
    (if check
        (funcall check (agent-q-fs-tools--call-workspace call) arguments request)
      (equal (funcall seen request)
             (funcall seen (agent-q-fs-tools--request call tool arguments
                                                      (agent-q-fs-request-tier request)))))))


;;;; Tools in Emacs Lisp

(defun agent-q-fs-tools--result (result)
  "Return RESULT, of a handler, as a reply."
  (cond ((stringp result) (list :text (agent-q-fs-audit-plain result)))
        ((and (consp result) (keywordp (car result)) (stringp (plist-get result :text)))
         (plist-put (copy-sequence result) :text
                    (agent-q-fs-audit-plain (plist-get result :text))))
        ((and (consp result) (get (car-safe result) 'error-conditions))
         (agent-q-fs-tools--problem result))
        (t (agent-q-fs--error-reply :internal "The tool answered nothing that can be shown"))))

(defun agent-q-fs-tools--run (call arguments &optional request)
  "Run CALL's tool, which is in Emacs Lisp, with ARGUMENTS.
REQUEST was approved of for it; nil if nobody was asked."
  (let* (;; Also nil: this call may come while another one, which was approved of, waits.
         (agent-q-fs-tools-approved request)
         (tool (agent-q-fs-tools--call-tool call))
         (workspace (agent-q-fs-tools--call-workspace call))
         (end (lambda (result)
                (agent-q-fs-tools--end call (agent-q-fs-tools--result result)))))
    (agent-q-fs--workspace workspace)
    (unless (eq 'safe (agent-q-fs-tools--call-tier call))
      (agent-q-fs-audit-insist))
    (if (and (agent-q-fs-tool-handler tool)
             (or (agent-q-fs-tools--call-wait call) (not (agent-q-fs-tool-start tool))))
        (funcall end (save-current-buffer
                       (funcall (agent-q-fs-tool-handler tool) workspace arguments)))
      (let ((cancel (save-current-buffer
                      (funcall (agent-q-fs-tool-start tool) workspace arguments end))))
        (when (functionp cancel)
          (agent-q-fs-caller-at-end (agent-q-fs-tools--call-caller call) cancel)))
      (when (agent-q-fs-tools--call-wait call)
        (agent-q-fs-caller-wait (lambda () (agent-q-fs-tools--call-ended call)))))))


;;;; The doors

;;;###autoload
(defun agent-q-fs-call-tool (name arguments &optional workspace)
  "Call the tool NAME with ARGUMENTS and return the text to show a model.
NAME is a string or a symbol.  ARGUMENTS is a property list, an alist, a
hash table or JSON text.  WORKSPACE nil means the current one.

A failure is text too: it begins with \"Error: \".

If `agent-q-fs-policy' demands that somebody is asked, this waits for the
answer.  The events of the call have as :decision

  policy                     nobody had to be asked
  approved, edited, hunks    a person has approved of it, changed it, or
                             taken some of its hunks
  remembered                 a person has said so before
  denied                     it was not done
  person                     it was a person's own"
  (let (answer)
    (agent-q-fs-tools--begin name arguments workspace
                             (lambda (reply) (setq answer reply)) :wait t)
    (plist-get answer :text)))

;;;###autoload
(defun agent-q-fs-call-tool-async (name arguments callback &optional workspace caller)
  "Call the tool NAME with ARGUMENTS, and CALLBACK with the text to show a model.
NAME, ARGUMENTS and WORKSPACE are as for `agent-q-fs-call-tool'.  CALLBACK
is called once, maybe before this returns.  Nothing is waited for: not
for tools that take long, nor for a person's decision.

CALLER, of `agent-q-fs-caller-new', may give up by `agent-q-fs-caller-leave':
then nobody is asked any more, what has not begun is not done, and CALLBACK
is not called."
  (agent-q-fs-tools--begin
   name arguments workspace
   (lambda (reply)
     (unless (and caller (agent-q-fs-caller-gone caller))
       (condition-case problem
           (funcall callback (plist-get reply :text))
         (error (message "agent-q-fs: error in a tool's callback: %S" problem)))))
   :caller caller)
  nil)

;;;###autoload
(defun agent-q-fs-call-tool-as-person (name arguments &optional workspace digest)
  "Call the tool NAME with ARGUMENTS for a person, who is not asked again.
NAME, ARGUMENTS and WORKSPACE are as for `agent-q-fs-call-tool'.  With
DIGEST, commit only the plan that has it.  This is for commands, where a
key press is the approval; never call it for a model."
  (let (answer)
    (agent-q-fs-tools--begin name arguments workspace
                             (lambda (reply) (setq answer reply))
                             :wait t :person t :digest digest)
    (plist-get answer :text)))

(provide 'agent-q-fs-tools)
;; After `provide', because these tools are declared with the functions above.
(mapc #'require '(agent-q-fs-exec agent-q-fs-symbols))
;;; agent-q-fs-tools.el ends here
