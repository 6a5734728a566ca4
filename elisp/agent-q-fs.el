;;; agent-q-fs.el --- File tools that an agent can be trusted with  -*- lexical-binding: t; -*-

;; Author: The agent-q-fs authors
;; Version: 0.2.0
;; Package-Requires: ((emacs "28.2"))
;; Keywords: files, tools
;; URL: https://github.com/agent-q/agent-q-fs
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A workspace is a directory that no path leads out of.  Programs open one and
;; call operations in it:
;;
;;     (setq ws (agent-q-fs-open :root "~/project/"))
;;     (agent-q-fs-call ws 'read_file :path "README" :end_line 20)
;;          => (:path "README" :content "..." :total-lines 90 ... :text "...")
;;     (agent-q-fs-read-file ws "README" :end_line 20)      ; the same
;;     (agent-q-fs-close ws)
;;
;; Where the workspace is nil, it is the current one: `agent-q-fs-workspace',
;; opened at the project's root when first needed.
;;
;; A call that fails signals an error: `agent-q-fs-not-found',
;; `agent-q-fs-outside-root' and so on, each an `agent-q-fs-error', whose data
;; is the property list (:error CODE :message WORDS :path PATH :hint WORDS
;; :text WORDS).  C-g ends a long call at once.
;;
;; `agent-q-fs-call-async' (agent-q-fs-job.el) lets Emacs go on meanwhile.
;; `agent-q-fs-call-tool' (agent-q-fs-tools.el) is the call for models: text
;; comes back, also when it fails, and `agent-q-fs-policy' says what somebody
;; is asked before.  Every call emits events; `agent-q-fs-log' lists them.
;;
;; The parts, from below:
;;
;;     agent-q-fs-load.el       finds, builds and loads the core, which is in C
;;     agent-q-fs-workspace.el  workspaces, errors, paths as names and as places
;;     agent-q-fs.el            calls, and the hooks around changes
;;     agent-q-fs-ops.el        a function for each operation; generated from the
;;                              core's table by scripts/agent-q-fs-generate.el
;;     agent-q-fs-loaddefs.el   commands, functions and options of files that are not
;;                              loaded yet; written by scripts/loaddefs.el
;;     agent-q-fs-job.el        calls that run beside Emacs; a workspace with replies of your
;;                              own, for tests
;;
;;     agent-q-fs-remote.el     workspaces on other machines
;;     agent-q-fs-remote-link.el  frames to a server there
;;     agent-q-fs-remote-life.el  a connection that is lost, and begun again
;;     agent-q-fs-remote-data.el  replies from there, read as if they were lies
;;
;;     agent-q-fs-buffers.el    buffers whose files are read and changed
;;     agent-q-fs-coedit.el     unsaved text that is read and edited in its buffer
;;     agent-q-fs-refresh.el    a buffer shows what its file holds now
;;
;;     agent-q-fs-audit.el      arguments of calls, events of them, and their file
;;     agent-q-fs-approve.el    what is done without asking, and requests
;;     agent-q-fs-rules.el      what is remembered
;;     agent-q-fs-prompt.el     the queue of requests; a program that waits for an answer
;;     agent-q-fs-requests.el   how a person is told of requests, sees and answers them
;;     agent-q-fs-show.el       what a person is shown of a call
;;     agent-q-fs-answer.el     what a person may answer
;;     agent-q-fs-tools.el      the tools, and calls by models
;;     agent-q-fs-spec.el       what a model is told: tools and rules
;;     agent-q-fs-exec.el       tools that run commands; its Commentary lists its parts
;;
;;     agent-q-fs-rpc.el        the function that Common Lisp calls
;;     agent-q-fs-sly.el        what users of SLY and SLIME set up
;;     agent-q-fs-mcp.el        calls of agents outside Emacs
;;     agent-q-fs-mcp-setup.el  what these have in their configuration
;;
;;     agent-q-fs-deploy.el     how the program gets to other machines
;;     agent-q-fs-remote-shell.el  scripts and processes there
;;
;;     agent-q-fs-ui.el         M-x agent-q-fs, the tools by hand; its Commentary
;;                              lists the commands' files
;;
;; To add an operation, see CONTRIBUTING.org: it takes nothing here.

;;; Code:

(require 'agent-q-fs-loaddefs)
(require 'agent-q-fs-workspace)
(require 'cl-lib)
(require 'json)

(declare-function agent-q-fs-coedit-perform "agent-q-fs-coedit"
                  (workspace operation arguments how))
(declare-function agent-q-fs--mod-call "ext:agent-q-fs-module.so"
                  (workspace operation arguments how))
(declare-function agent-q-fs--mod-catalogue "ext:agent-q-fs-module.so" ())
(declare-function agent-q-fs--mod-version "ext:agent-q-fs-module.so" ())


;;;; Options are a person's, not a project's

;; A repository could set any variable in the buffers that visit its files, by a line in a
;; file or by .dir-locals.el, and where `enable-local-variables' is :all, or a person has
;; once said so, nobody is asked.  So all options are risky (agent-q-fs-loaddefs.el), each
;; is read by its default value, and no variable of ours is set from a file.

(put 'agent-q-fs-authority 'risky-local-variable t)
(put 'agent-q-fs-workspace 'risky-local-variable t)

(defun agent-q-fs--ours-p (setting)
  "Return non-nil if SETTING, (VARIABLE . VALUE), is of a variable of this package."
  (and (symbolp (car-safe setting))
       (string-prefix-p "agent-q-fs-" (symbol-name (car setting)))))

(defun agent-q-fs--refuse-local-values ()
  "Take our variables from those that a file or directory is about to set here."
  (let ((ours (seq-filter #'agent-q-fs--ours-p file-local-variables-alist)))
    (when ours
      (setq file-local-variables-alist
            (seq-remove #'agent-q-fs--ours-p file-local-variables-alist))
      (message "%s: no file can set %s" (buffer-name)
               (mapconcat (lambda (setting) (symbol-name (car setting))) ours ", ")))))

(defun agent-q-fs--forget-local-values ()
  "Forget what files and directories have set before this was loaded."
  (dolist (buffer (buffer-list))
    (with-current-buffer buffer
      (dolist (setting (append file-local-variables-alist dir-local-variables-alist nil))
        (when (agent-q-fs--ours-p setting)
          (kill-local-variable (car setting)))))))

(add-hook 'before-hack-local-variables-hook #'agent-q-fs--refuse-local-values)
(agent-q-fs--forget-local-values)

(defun agent-q-fs--named-by-a-file-p (mode)
  "Return non-nil if MODE, a function, is called because a file names it."
  (seq-some (lambda (n)
              (memq (cadr (backtrace-frame n mode)) '(set-auto-mode-0 hack-one-local-variable)))
            '(1 2)))

(defun agent-q-fs--refuse-files (mode)
  "Have no line in a file, such as \"mode: NAME\", turn on MODE, a global mode."
  (advice-add mode :before-while
              (lambda (&rest _)
                (or (not (agent-q-fs--named-by-a-file-p mode))
                    (ignore (message "%s: no file can turn on %s" (buffer-name) mode))))
              '((name . agent-q-fs--refuse-files))))


;;;; The catalogue of the core

(defvar agent-q-fs--catalogue nil
  "The core's catalogue, once it was needed.  It is read in one place only.")

(defvar agent-q-fs--operations (make-hash-table :test #'equal)
  "The rows of the catalogue's operations by name, once they were needed.")

(defun agent-q-fs-catalogue ()
  "Return the core's catalogue, a property list; do not change it.
It has the :version, the :abi, and lists of all :errors, :options,
:limits, :mounts, :sets of tools, :protected names, :operations and
further :replies."
  (or agent-q-fs--catalogue
      (progn
        (agent-q-fs-module-load)
        (setq agent-q-fs--catalogue
              (agent-q-fs--read (agent-q-fs--mod-catalogue)))
        (dolist (row (plist-get agent-q-fs--catalogue :operations))
          (puthash (plist-get row :name) row agent-q-fs--operations))
        agent-q-fs--catalogue)))

(defun agent-q-fs-operations ()
  "Return the operations of the core; do not change the list.
Each is a property list (:name :tier :slow :doc :title :hints :sets
:params :reply :errors), and so is each of its parameters (:name :type
:required :default :least :most :choices :doc); the default is JSON
text."
  (plist-get (agent-q-fs-catalogue) :operations))

(defun agent-q-fs--operation (name)
  "Return the row of the operation NAME, a string or a symbol, or nil."
  (agent-q-fs-catalogue)
  (gethash (if (symbolp name) (symbol-name name) name) agent-q-fs--operations))

(defun agent-q-fs--shared-message (code)
  "Return the message of the error CODE, a keyword, that the core gives too."
  (let ((name (substring (symbol-name code) 1)))
    (plist-get (seq-find (lambda (row) (equal name (plist-get row :name)))
                         (plist-get (agent-q-fs-catalogue) :errors))
               :message)))

(defun agent-q-fs--tier (operation)
  "Return the least tier of OPERATION, a symbol such as `safe'; nil if unknown."
  (let ((tier (plist-get (agent-q-fs--operation operation) :tier)))
    (and tier (intern (substring (symbol-name tier) 1)))))

(defun agent-q-fs--option-documentation (option)
  "Return the paragraph about OPTION, of the catalogue's options."
  (format "\n:%s (%s%s)\n    %s\n" (plist-get option :name)
          (if (plist-get option :choices)
              (string-join (plist-get option :choices) " | ")
            (substring (symbol-name (plist-get option :type)) 1))
          (if (plist-get option :default)
              (concat ", default " (plist-get option :default))
            "")
          (replace-regexp-in-string "[`']" "\\\\=\\&" (plist-get option :doc))))

(defun agent-q-fs--options-documentation ()
  "Return the paragraphs about the catalogue's options."
  (let ((agent-q-fs-module-build nil))  ; help must not start a compiler
    (mapconcat #'agent-q-fs--option-documentation
               (plist-get (agent-q-fs-catalogue) :options) "")))

(defun agent-q-fs--open-documentation ()
  "Return the documentation of `agent-q-fs-open', with the catalogue's options."
  (concat (replace-regexp-in-string "\n\n(fn .*)\\'" ""
                                    (documentation (symbol-function 'agent-q-fs-open) t))
          "\n"
          (or (ignore-errors (agent-q-fs--options-documentation))
              "\nThe options are listed here once the core is built.")))

(put 'agent-q-fs-open 'function-documentation '(agent-q-fs--open-documentation))


;;;; The callers that wait

;; A call that comes from elsewhere, as from Common Lisp, has a caller.  When it has
;; given up, or is gone, nobody is asked about the call any more, a command that it
;; runs is ended as by C-g, and a change that was approved of and not begun is not
;; made: the caller was told that it was not made.

(cl-defstruct (agent-q-fs-caller (:constructor agent-q-fs-caller-new) (:copier nil))
  "The party that waits for a call."
  (name nil :documentation "Words about it for a person, such as a chat's name, or nil.")
  (data nil :documentation "Non-nil if it wants the data of replies beside the words.")
  (gone nil :documentation "Non-nil once it no longer waits.")
  (ends nil :documentation "Functions to call then, which end the work.")
  (ask nil :documentation "Non-nil if each of its changes is asked about, whatever the policy is.")
  (listener nil :documentation "The function that is told how far its call is, or nil.")
  (stop nil :documentation "The function that ends all that it is doing, or nil.")
  (approver nil :documentation "A function of a request that decides, or returns nil, or nil."))

(defvar agent-q-fs-caller nil
  "The caller of the tool call that is being made.
Nil stands for a caller in this Emacs, who can quit.")

(defun agent-q-fs-caller-check (caller)
  "Quit if CALLER, which may be nil, is gone."
  (when (and caller (agent-q-fs-caller-gone caller))
    (signal 'quit nil)))

(defvar agent-q-fs-caller-gone-functions nil
  "Functions called with an `agent-q-fs-caller' that waits no longer.")

(defun agent-q-fs-caller-leave (caller)
  "Mark CALLER as gone, and end the work that it waits for."
  (unless (agent-q-fs-caller-gone caller)
    (setf (agent-q-fs-caller-gone caller) t)
    (mapc #'funcall (agent-q-fs-caller-ends caller))
    (run-hook-with-args 'agent-q-fs-caller-gone-functions caller)))

(defun agent-q-fs-caller-stop-all (caller)
  "Have CALLER, which may be nil, end all that it is doing, if it can."
  (when (and caller (agent-q-fs-caller-stop caller))
    (funcall (agent-q-fs-caller-stop caller))))

(defun agent-q-fs-caller-decision (caller request)
  "Return the decision that CALLER, which may be nil, brings about REQUEST, or nil."
  (and caller (agent-q-fs-caller-approver caller)
       (funcall (agent-q-fs-caller-approver caller) request)))

(defun agent-q-fs-caller-at-end (caller end)
  "Have END, a function, called when CALLER, which may be nil, goes."
  (when caller
    (push end (agent-q-fs-caller-ends caller))))

(defun agent-q-fs-caller-wait (predicate &optional end process)
  "Wait until PREDICATE, a function, returns non-nil; quit if the caller is gone.
END, a function, is called when the caller goes, which may be long before
this function can quit: other calls may be waiting further up the stack.
PROCESS, a function, returns the process whose output decides, or nil.
Emacs stays usable while this waits."
  (let ((caller agent-q-fs-caller))
    (when (and caller end)
      (push end (agent-q-fs-caller-ends caller)))
    (unwind-protect
        (while (not (funcall predicate))
          (agent-q-fs-caller-check caller)
          (let ((awaited (and process (funcall process))))
            ;; After output of a process that it is not told to wait for, Emacs waits for more
            ;; of it: 10 ms, in each wait.
            (cond ((process-live-p awaited) (accept-process-output awaited 0.02))
                  ;; One that has ended may have left something to read.
                  ((and awaited (or (accept-process-output awaited 0) (funcall predicate))))
                  (t (accept-process-output nil 0.02)))))
      (when (and caller end)
        (setf (agent-q-fs-caller-ends caller) (delq end (agent-q-fs-caller-ends caller)))))))


;;;; Hooks around changes

(defvar agent-q-fs-before-change-functions nil
  "Functions called when something is about to be changed.
Each is called with the workspace and a list of what is changed, the
targets.  A target is a property list:

:path       what is changed, as replies show paths: nothing in it is a link
:given      how the caller spelled that, where the path was an argument
:action     :write, :copy, :make (a directory), :move or :delete
:type       what is there now: :file, :directory, :symlink, :other, :missing
:protected  non-nil when the path is among those that are always asked about
:risks      why the change is dangerous, a list of keywords, such as :create
:from       where a move or copy comes from

`agent-q-fs-path-name' makes file names of the paths.  A function
prevents the change by signalling an `agent-q-fs-error'.  It may change
files itself (save a buffer, say): the call is then planned again, and
the functions are called again.  One that never changes anything may have
the property `agent-q-fs-only-looks', which saves a remote project time.")

(defvar agent-q-fs-change-shown nil
  "The plan of the change during `agent-q-fs-before-change-functions'.
A property list of :tier, :summary, :targets and :digest.")

(defvar agent-q-fs-after-change-functions nil
  "Functions called when something was changed.
Each is called with the workspace, the same list of targets that
`agent-q-fs-before-change-functions' were called with, and the reply.
The reply is an error's data where the change is done but the disk did
not confirm it, and nil where the call was interrupted: perhaps nothing
was changed then.  Errors of these functions are only warned of.")

(defvar agent-q-fs-after-read-functions nil
  "Functions called when something was read.
Each is called with the workspace, the operation, its arguments and the
reply, whose members it may change with `plist-put'.  In a model's call,
the reply has the text that the model is shown as :text, and no :content.")

(defvar agent-q-fs-read-origin 'model
  "For whom the read is made after which a hook runs: `model' or `person'.")

(defun agent-q-fs--after-read (workspace operation arguments how reply)
  "Run the hook for REPLY to OPERATION with ARGUMENTS in WORKSPACE.
HOW says how it was called."
  (let ((agent-q-fs-read-origin (or (plist-get how :origin) 'person)))
    (with-demoted-errors "agent-q-fs: error after a read: %S"
      (run-hook-with-args 'agent-q-fs-after-read-functions
                          workspace operation arguments reply))))

(defun agent-q-fs--changes-p (operation)
  "Non-nil when OPERATION changes something."
  (not (memq (agent-q-fs--tier operation) '(nil safe))))

(cl-defmethod agent-q-fs--transport-call ((workspace agent-q-fs-workspace)
                                          operation arguments how)
  "Have the core do OPERATION with ARGUMENTS in WORKSPACE as HOW says."
  (agent-q-fs--read (agent-q-fs--mod-call (agent-q-fs-workspace-handle workspace)
                                          operation arguments how)))

(defun agent-q-fs--watched-p (workspace operation how)
  "Non-nil when hooks must run around a call of OPERATION in WORKSPACE.
HOW says how it is called."
  (and (or agent-q-fs-before-change-functions agent-q-fs-after-change-functions)
       (not (eq 'plan (plist-get how :verb)))
       (agent-q-fs--changes-p operation)
       (agent-q-fs--transport-watched-p workspace)))

(defun agent-q-fs--changed (workspace targets reply)
  "Run the hook after TARGETS were changed in WORKSPACE with REPLY as the answer."
  (run-hook-wrapped
   'agent-q-fs-after-change-functions
   (lambda (function)
     (condition-case problem
         (funcall function workspace targets reply)
       ;; The change is done: this call did not fail.
       ((error quit)
        (display-warning 'agent-q-fs (format "%s, after a change: %s" function
                                             (error-message-string problem)))))
     nil)))


;;;; Planning and committing

;; A change is planned once.  The plan says whether the caller's authority is enough.
;; If it is, the hook above runs with the plan's targets, and the plan's digest is
;; committed.  If it is not, the caller gets the plan as a refusal, asks somebody, and
;; comes back with the digest.  Then the core is asked for the plan again: it has kept
;; the plan, and looks only whether it still holds.  So the hook, which may save a
;; person's buffer, does not run for an approval that is stale by then.  Calls and jobs
;; share this code; they differ in how they send requests to the core.

(defconst agent-q-fs--tries 3
  "How many times a change is planned when files keep changing under it.")

(defun agent-q-fs--refusal (plan how)
  "Return the error's reply if PLAN must not be done as HOW says, or nil.
PLAN may be an error's reply, which is returned as it is."
  (let ((digest (plist-get how :digest)))
    (cond
     ((plist-get plan :error) plan)
     ((not (plist-get plan :allowed))
      (append (agent-q-fs--error-reply :approval-required
                                       (agent-q-fs--shared-message :approval-required)
                                       (substring (symbol-name (plist-get plan :tier)) 1)
                                       (plist-get plan :summary))
              (cl-loop for key in '(:tier :summary :targets :diff :digest)
                       append (list key (plist-get plan key)))))
     ((and digest (not (equal digest (plist-get plan :digest))))
      (agent-q-fs--error-reply :stale (agent-q-fs--shared-message :stale))))))

(defvar agent-q-fs--before-commit nil
  "The HOW of a plan that is asked for only because its commit follows.")

(defun agent-q-fs--do-change (workspace how send done &optional tries)
  "Plan a change in WORKSPACE and commit it; call DONE with the reply.
HOW says how the change is called.  SEND is a function that calls the
core: its arguments are the HOW of that call, and a function that it
calls with the reply, at once or later.  The change is planned TRIES
times at most."
  (let* ((plan-how
          (list :verb 'plan :authority (plist-get how :authority)
                :origin (plist-get how :origin) :call (plist-get how :call)
                :caller (plist-get how :caller) :digest (plist-get how :digest)
                ;; An approved plan has been shown: its diff is not needed again.
                :words (and (plist-get how :digest)
                            (equal "dangerous" (format "%s" (plist-get how :authority))))))
         (agent-q-fs--before-commit plan-how))
    (funcall send plan-how
             (lambda (plan)
               (let ((refusal (agent-q-fs--refusal plan how)))
                 (if refusal
                     (funcall done refusal)
                   (agent-q-fs--commit-plan workspace plan how send done
                                            (or tries agent-q-fs--tries))))))))

(defun agent-q-fs--commit-plan (workspace plan how send done tries)
  "Commit PLAN in WORKSPACE, with hooks around it, and call DONE with the reply.
HOW, SEND and TRIES are as for `agent-q-fs--do-change'."
  (let ((targets (copy-sequence (plist-get plan :targets)))) ; listeners know the list itself
    (let ((agent-q-fs-change-shown plan))
      (run-hook-with-args 'agent-q-fs-before-change-functions workspace targets))
    (funcall send
             (list :verb 'commit :authority (plist-get how :authority)
                   :origin (plist-get how :origin) :call (plist-get how :call)
                   :caller (plist-get how :caller)
                   :digest (plist-get plan :digest) :words (plist-get how :words))
             (lambda (reply)
               (let ((code (plist-get reply :error)))
                 (if (and (eq :stale code) (not (plist-get how :digest)) (> tries 1))
                     ;; Nobody has approved of this very plan, so another one will do.
                     (agent-q-fs--do-change workspace how send done (1- tries))
                   (when (or (memq code '(nil :durability-unknown quit))
                             ;; The connection to another machine was lost meanwhile.
                             (memq (plist-get reply :outcome) '(:done :unknown)))
                     (agent-q-fs--changed workspace targets
                                          (and (memq code '(nil :durability-unknown)) reply)))
                   (funcall done reply)))))))

(defconst agent-q-fs--change-bytes (* 32 1024 1024)
  "How much Emacs may allocate in a change before it collects garbage.")

(defun agent-q-fs--change (workspace operation arguments how)
  "Call OPERATION, which changes something, with hooks around the change.
WORKSPACE, ARGUMENTS and HOW are as for `agent-q-fs--call'."
  ;; The plan and the reply of a large change are a few megabytes of strings, all of
  ;; them in use: collecting garbage in between only looks at them again and again.
  (let ((gc-cons-threshold (max gc-cons-threshold agent-q-fs--change-bytes))
        answer)
    (agent-q-fs--do-change
     workspace how
     (lambda (how then)
       (funcall then (condition-case problem
                         (agent-q-fs--transport-call workspace operation arguments how)
                       (agent-q-fs-error (cdr problem))
                       ;; A commit that was interrupted may have been done.
                       (quit (if (eq 'commit (plist-get how :verb))
                                 '(:error quit)
                               (signal 'quit nil))))))
     (lambda (reply) (setq answer reply)))
    (when (eq 'quit (plist-get answer :error))
      (signal 'quit nil))
    (agent-q-fs--check answer)))


;;;; JSON

;; Emacs can be built without functions for JSON in C, and those refuse text that is
;; not Unicode; json.el is slower, and does neither.

(defun agent-q-fs--json-parse (text)
  "Return the value of TEXT, JSON: hash tables, vectors, :false and :null.
Signal an error if it is not JSON."
  (or (ignore-error (void-function json-unavailable)
        (when (fboundp 'json-parse-string)
          (json-parse-string text)))
      (let ((json-object-type 'hash-table) (json-key-type 'string)
            (json-array-type 'vector) (json-false :false) (json-null :null))
        (json-read-from-string text))))

(defun agent-q-fs--json-print (value)
  "Return VALUE as JSON text: property lists, vectors, :false and :null."
  (let ((text (or (ignore-error (void-function json-unavailable wrong-type-argument)
                    (when (fboundp 'json-serialize)
                      (json-serialize value)))
                  (let ((json-false :false) (json-null :null))
                    (json-encode value)))))
    ;; Emacs 30 returns bytes.
    (if (multibyte-string-p text) text (decode-coding-string text 'utf-8-unix))))


;;;; Calls

(defvar agent-q-fs-event-functions '(agent-q-fs-audit-record)
  "Functions called with an event when a call starts and when it ends.
An event is a property list; see the Commentary of agent-q-fs-audit.el.")

(defvar agent-q-fs--told nil
  "The HOW of the call whose events its caller emits; t for any.")

(defun agent-q-fs--tell (workspace operation arguments how call)
  "Return what the function CALL returns, emitting events around it.
It calls OPERATION with ARGUMENTS in WORKSPACE as HOW says."
  (if (or (null agent-q-fs-event-functions) (memq agent-q-fs--told (list t how)))
      (funcall call)
    (agent-q-fs-audit-around workspace operation arguments how call)))

(defun agent-q-fs--insist (operation how)
  "Signal an error if a call of OPERATION as HOW says cannot be written down.
A call that changes nothing need not be."
  (when (and agent-q-fs-event-functions
             (not (eq 'plan (plist-get how :verb)))
             (agent-q-fs--changes-p operation))
    (agent-q-fs-audit-insist)))

(defun agent-q-fs--perform (workspace operation arguments how)
  "Call OPERATION, run the hooks that belong to it, and return its reply.
WORKSPACE, ARGUMENTS and HOW are as for `agent-q-fs--call'."
  (agent-q-fs--insist operation how)
  (cond
   ((agent-q-fs-coedit-perform workspace operation arguments how))
   ((agent-q-fs--watched-p workspace operation how)
    (agent-q-fs--change workspace operation arguments how))
   (t
    (let ((reply (agent-q-fs--transport-call workspace operation arguments how)))
      (agent-q-fs--after-read workspace operation arguments how reply)
      reply))))

(defun agent-q-fs--call (workspace operation arguments how)
  "Call OPERATION with ARGUMENTS in WORKSPACE, and return its reply.
HOW is a property list.  :authority says how much the call may do.  With
:verb `plan', nothing is done, and the reply says what would be done.
:origin is for whom it is: `person', the default, `model' or `undo'.
With :digest, only the plan that has this digest is done.  With :words,
data that the reply's text shows may be left out.
`agent-q-fs--do-change' also uses :verb `commit', which needs a :digest."
  (let ((workspace (agent-q-fs--workspace workspace)))
    (agent-q-fs--tell workspace operation arguments how
                      (lambda () (agent-q-fs--perform workspace operation arguments how)))))

(defun agent-q-fs--look (workspace operation arguments)
  "Return the reply to OPERATION, which only looks, with ARGUMENTS in WORKSPACE.
Nobody is told of the call, and no buffer is looked at."
  (agent-q-fs--transport-call (agent-q-fs--workspace workspace) operation arguments nil))

;;;###autoload
(defun agent-q-fs-call (workspace operation &rest arguments)
  "Call OPERATION in WORKSPACE with ARGUMENTS, and return its reply.
WORKSPACE may be nil for the current one.  OPERATION is a symbol or a
string, as `agent-q-fs-operations' has them.  ARGUMENTS is a property
list with the operation's parameters, spelled with underscores or
hyphens; `:false' is false, as nil is, and `:null' is as if it were not
there.  The reply is a property list too.

Signal an `agent-q-fs-error' when the call fails.  A change is made only
if `agent-q-fs-authority' is enough for it."
  (agent-q-fs--call workspace operation arguments
                    (list :authority (default-value 'agent-q-fs-authority))))

;;;###autoload
(defun agent-q-fs-preview (workspace operation &rest arguments)
  "Return what OPERATION with ARGUMENTS would do in WORKSPACE, and do nothing.
The reply has :tier, :summary, :targets, :diff and :digest, see
`agent-q-fs-commit'; :allowed says whether `agent-q-fs-authority' is enough."
  (agent-q-fs--call workspace operation arguments
                    (list :verb 'plan :authority (default-value 'agent-q-fs-authority))))

;;;###autoload
(defun agent-q-fs-commit (workspace digest operation &rest arguments)
  "Do in WORKSPACE what a preview with this DIGEST showed for OPERATION.
ARGUMENTS are those that were previewed.  Where anything would now be
done differently, signal `agent-q-fs-stale' and do nothing.

That somebody approved of it is for the caller to know: this has all
authority."
  (unless (stringp digest) ; without one, nothing would be compared
    (agent-q-fs--fail :invalid-argument "digest: expected that of a preview"))
  (agent-q-fs--call workspace operation arguments
                    (list :authority 'dangerous :digest digest)))

(defun agent-q-fs--decode-content (reply)
  "Return REPLY with the bytes of its content as a unibyte string."
  (plist-put reply :content (base64-decode-string (plist-get reply :content))))

;;;###autoload
(defun agent-q-fs-version (&optional here)
  "Return the versions of the core, its interface and the libraries below it.
Interactively, show them; HERE, the prefix argument, inserts them."
  (interactive "P")
  (agent-q-fs-module-load)
  (let* ((facts (agent-q-fs--read (agent-q-fs--mod-version)))
         (words (format "agent-q-fs %s (ABI %s) with pcre2 %s, libmagic %s, \
libgit2 %s, jansson %s; Emacs %s"
                        (plist-get facts :version) (plist-get facts :abi)
                        (plist-get facts :pcre2) (plist-get facts :libmagic)
                        (plist-get facts :libgit2) (plist-get facts :jansson)
                        emacs-version)))
    (cond (here (insert words))
          ((called-interactively-p 'any) (message "%s" words)))
    words))

(provide 'agent-q-fs)

;; After `provide', because these are made of the functions above.
(require 'agent-q-fs-ops)
(require 'agent-q-fs-buffers)
(require 'agent-q-fs-coedit)
;;; agent-q-fs.el ends here
