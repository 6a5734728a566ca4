;;; agent-q-fs-rpc.el --- What Common Lisp asks of Emacs  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A Common Lisp that is connected by SLY or SLIME asks Emacs to evaluate forms.  The
;; Lisp side of agent-q-fs sends one kind of form,
;;
;;     (agent-q-fs-rpc NAME 'ARGUMENTS 'HOW)
;;
;; where everything behind the first symbol is data: strings, numbers, keywords, t, nil,
;; and quoted lists of these.  `agent-q-fs-rpc-answer' puts a function into the hooks for
;; SLY's and SLIME's messages, which reads such a form as data, does what it asks, and
;; sends the answer when there is one.  Nothing is evaluated, so Lisp needs no permission
;; for that, and nothing waits while a person thinks or a command runs.
;;
;; NAME is a tool's name, or a keyword of `agent-q-fs-rpc--kinds'.  HOW is a property list:
;;
;;     :workspace NUMBER   what :open returned; nil for the current workspace
;;     :call NUMBER        the number by which :give-up names it
;;     :approved DIGEST    the change that somebody has approved of in Lisp
;;     :data BOOLEAN       whether a program wants the reply as it is printed, rather
;;                         than a model its words; and then :authority, :digest and
;;                         :verb, as requests have them
;;
;; The answer is a string, or for a model's call that failed a list of the error's code
;; and its words.  A program in Lisp may do what tools may, and more as far as
;; `agent-q-fs-rpc-trust' says.
;;
;; agent-q-fs-sly.el is for people: setting up, and the project's root.

;;; Code:

(require 'agent-q-fs)
(require 'agent-q-fs-approve)
(require 'agent-q-fs-arguments)
(require 'agent-q-fs-audit)
(require 'agent-q-fs-job)
(require 'agent-q-fs-tools)
(require 'cl-lib)
(require 'seq)

(declare-function agent-q-fs-sly-open "agent-q-fs-sly"
                  (workspace options connection caller done))
(declare-function slime-dispatch-event "ext:slime" (event &optional process))
(declare-function sly-dispatch-event "ext:sly" (event &optional process))
(defvar slime-dispatching-connection)
(defvar slime-event-hooks)
(defvar slime-net-process-close-hooks)
(defvar sly-dispatching-connection)
(defvar sly-event-hooks)
(defvar sly-net-process-close-hooks)

(defcustom agent-q-fs-rpc-trust nil
  "The matters in which the word of a connected Common Lisp counts, a list.
Code that runs in that Lisp can say anything, also code that a model had
it evaluate.  With nil, its programs and tools may do what a model may,
and everything beyond is asked about here.

approvals  a change that was approved of in Lisp, by a callback of
           cl-llm-provider, is not asked about again, unless it touches
           a protected file
authority  a program in Lisp that says :authority :dangerous is not asked
           about, and neither is one that commits a preview
options    Lisp may choose any directory as the project, and options that
           let paths lead out of it

See also `agent-q-fs-sly-directories'."
  :group 'agent-q-fs
  :type '(set (const approvals) (const authority) (const options)))

(defconst agent-q-fs-rpc--longest #xffffff
  "Bytes of the longest message: its length has six hexadecimal digits.")

;;;; Forms that are data

;; A connected Lisp sends forms as text, and nothing in one is evaluated.  First parentheses
;; and strings are scanned, and whatever has a meaning of its own to `read' is refused: so
;; `read' makes the same of the text as the scan.  SLY and SLIME print a list as nested
;; pairs, and `read' of Emacs 28 recurs for each.

(defconst agent-q-fs-rpc--form-deepest 8000
  "How deep parentheses may be nested, which is how many elements a list may have.")

(defconst agent-q-fs-rpc--form-nesting 40
  "How deep lists may be nested in lists.")

(defvar agent-q-fs-rpc--form-syntax
  (let ((table (make-syntax-table)))
    (modify-syntax-entry '(0 . #x3fffff) "_" table)
    (dolist (entry '((?\s . " ") (?\n . " ") (?\t . " ") (?\r . " ") (?\( . "()") (?\) . ")(")
                     (?\" . "\"") (?\\ . "\\")))
      (modify-syntax-entry (car entry) (cdr entry) table))
    ;; The scan stops at these, as at comments.
    (dolist (character '(?# ?? ?\[ ?\] ?\; ?` ?,))
      (modify-syntax-entry character "<" table))
    table)
  "The syntax of forms that are data.")

(defun agent-q-fs-rpc--form-refuse (words)
  "Signal that a form is refused, in WORDS."
  (agent-q-fs--fail :invalid-argument "form: %s" words))

(defun agent-q-fs-rpc--form-scan ()
  "Signal an error unless the text of this buffer is one list of plain data."
  (goto-char (point-min))
  (let ((state (parse-partial-sexp (point) (point-max) agent-q-fs-rpc--form-deepest nil nil t)))
    (cond ((nth 4 state) (agent-q-fs-rpc--form-refuse "expected data: strings, numbers, keywords, \
and quoted lists of these"))
          ((<= agent-q-fs-rpc--form-deepest (nth 0 state))
           (agent-q-fs-rpc--form-refuse (format "expected lists of less than %d elements"
                                           agent-q-fs-rpc--form-deepest)))
          ((or (/= 0 (nth 0 state)) (nth 3 state))
           (agent-q-fs-rpc--form-refuse "expected a form that ends"))))
  ;; Only these two escapes mean the same to the scan and to `read'.
  (goto-char (point-min))
  (while (re-search-forward "\\\\[^\\\\\"]" nil t)
    (backward-char)
    (when (cl-oddp (skip-chars-backward "\\\\"))
      (agent-q-fs-rpc--form-refuse "expected no escapes in strings but of quotes and backslashes"))
    (skip-chars-forward "\\\\")))

(defun agent-q-fs-rpc--form-read (text)
  "Return the list that TEXT, which comes from Lisp, prints; evaluate nothing."
  (with-current-buffer (get-buffer-create " *agent-q-fs-data*")
    (let ((inhibit-modification-hooks t) (inhibit-read-only t) (case-fold-search nil)
          (parse-sexp-lookup-properties nil) (read-circle nil) (read-symbol-shorthands nil))
      (unwind-protect
          (progn
            (erase-buffer)
            (insert text)
            (with-syntax-table agent-q-fs-rpc--form-syntax
              (agent-q-fs-rpc--form-scan)
              (goto-char (point-min))
              (prog1 (read (current-buffer))
                (skip-chars-forward " \n\t\r")
                (unless (eobp)
                  (agent-q-fs-rpc--form-refuse "expected one form")))))
        (erase-buffer)))))

(defun agent-q-fs-rpc--form-plain (datum depth)
  "Signal an error if DATUM, which is inside of DEPTH lists, is not plain data."
  (when (< agent-q-fs-rpc--form-nesting depth)
    (agent-q-fs-rpc--form-refuse "expected lists that are not so deep"))
  (while (consp datum)
    (agent-q-fs-rpc--form-plain (pop datum) (1+ depth)))
  (unless (or (null datum) (eq t datum) (stringp datum) (numberp datum) (keywordp datum))
    (agent-q-fs-rpc--form-refuse "expected data, not symbols")))

(defun agent-q-fs-rpc--form-literal (form)
  "Return what FORM, an argument, stands for; signal an error unless it is data."
  (let ((datum (pcase form
                 (`(quote ,datum) datum)
                 ((pred consp) (agent-q-fs-rpc--form-refuse "expected data; nothing is evaluated"))
                 (_ form))))
    (agent-q-fs-rpc--form-plain datum 0)
    datum))

(defun agent-q-fs-rpc--form (text head)
  "Return the list of data behind HEAD, a symbol, in TEXT, a printed form.
Signal an error if TEXT is anything else."
  (let ((form (agent-q-fs-rpc--form-read text)))
    (unless (and (proper-list-p form) (eq head (car form)))
      (agent-q-fs-rpc--form-refuse "expected a list"))
    (mapcar #'agent-q-fs-rpc--form-literal (cdr form))))


;;;; Connections and their workspaces

(cl-defstruct (agent-q-fs-rpc--entry (:constructor agent-q-fs-rpc--make-entry) (:copier nil))
  "A workspace that a Lisp has opened."
  number workspace connection)

(defvar agent-q-fs-rpc--entries nil
  "The workspaces that connected Lisps have opened, the latest first.")
(defvar agent-q-fs-rpc--count 0 "How many workspaces they have opened.")

(defvar agent-q-fs-rpc-root-functions nil
  "Functions called with a connection and the root of its latest workspace.")

(defun agent-q-fs-rpc--entry (number connection)
  "Return the entry of the workspace that has NUMBER for CONNECTION, or nil."
  (seq-find (lambda (entry)
              (and (eql number (agent-q-fs-rpc--entry-number entry))
                   (eq connection (agent-q-fs-rpc--entry-connection entry))))
            agent-q-fs-rpc--entries))

(defun agent-q-fs-rpc--workspace (how connection)
  "Return the workspace that HOW names for CONNECTION.
Without a name, that is the one of the project that CONNECTION is in."
  (let ((number (plist-get how :workspace)))
    (if (null number)
        (agent-q-fs-arguments-workspace)
      (agent-q-fs-rpc--entry-workspace
       (or (agent-q-fs-rpc--entry number connection)
           (agent-q-fs--fail :invalid-argument "The workspace is closed"))))))

(defun agent-q-fs-rpc--forget (entry)
  "Close ENTRY's workspace and forget it."
  (setq agent-q-fs-rpc--entries (delq entry agent-q-fs-rpc--entries))
  (agent-q-fs-close (agent-q-fs-rpc--entry-workspace entry)))

(defun agent-q-fs-rpc--connection-closed (connection)
  "Close the workspaces of the Lisp behind CONNECTION, and end its calls."
  (agent-q-fs-rpc--calls-end connection)
  (dolist (entry agent-q-fs-rpc--entries)
    (when (eq connection (agent-q-fs-rpc--entry-connection entry))
      (agent-q-fs-rpc--forget entry))))

(defun agent-q-fs-rpc--host (connection)
  "Return where the Lisp behind CONNECTION is: a restarted one is there again."
  (let ((contact (process-contact connection)))
    (if (consp contact) (car contact) contact)))


;;;; Calls that somebody waits for

(defvar agent-q-fs-rpc--calls nil
  "The calls that have not ended, as (CONNECTION NUMBER CALLER).
NUMBER is Lisp's number of the call.")

(defun agent-q-fs-rpc--calls-end (connection &optional number)
  "End the call from CONNECTION that has NUMBER, or else all of its calls.
Nobody waits for them any more."
  (dolist (call agent-q-fs-rpc--calls)
    (when (and (eq connection (car call)) (or (null number) (eql number (nth 1 call))))
      (setq agent-q-fs-rpc--calls (delq call agent-q-fs-rpc--calls))
      (agent-q-fs-caller-leave (nth 2 call)))))

(defun agent-q-fs-rpc--called (connection how done function)
  "Call FUNCTION with a caller and a function that ends the call HOW is about.
That function calls DONE with what it is called with, once; not if the
caller, behind CONNECTION, has gone.  If FUNCTION fails, or is left by a
throw, DONE is called with the reply for that."
  (let* ((caller (agent-q-fs-caller-new :name (format "the Lisp at %s" (agent-q-fs-rpc--host connection))
                                        :approver (agent-q-fs-rpc--approver
                                                   (plist-get how :approved))))
         (call (list connection (plist-get how :call) caller))
         (ended nil)
         (end (lambda (reply)
                (unless ended
                  (setq ended t
                        agent-q-fs-rpc--calls (delq call agent-q-fs-rpc--calls))
                  (unless (agent-q-fs-caller-gone caller)
                    (funcall done reply)))))
         (left t))
    (push call agent-q-fs-rpc--calls)
    (unwind-protect
        (let ((problem (agent-q-fs-rpc--caught (lambda () (funcall function caller end) nil))))
          (setq left nil)
          (when problem (funcall end problem)))
      (when left
        (funcall end (agent-q-fs--error-reply :cancelled "Emacs gave the call up"))))))

(defun agent-q-fs-rpc--caught (function)
  "Return what FUNCTION returns, a reply or nil, or the reply for its error.
A quit is turned into a reply too, so that it ends nothing else."
  (condition-case problem
      (let ((inhibit-quit nil))         ; SLY and SLIME read messages in a process filter
        (funcall function))
    ((error quit) (agent-q-fs-tools--problem problem))))

(defun agent-q-fs-rpc--approver (digest)
  "Return a function that approves of a request with DIGEST, once, or nil.
Without trust there is none.  It returns nil for other requests, and where
a file is protected: whether somebody in Lisp has seen that is not known."
  (when (and (stringp digest) (memq 'approvals (default-value 'agent-q-fs-rpc-trust)))
    (let (done)
      (lambda (request)
        (when (and (not done)
                   (equal digest (agent-q-fs-request-digest request))
                   (not (agent-q-fs-request-protected-p request)))
          (setq done t)
          (list :decision 'approved))))))


;;;; Opening a project

(defun agent-q-fs-rpc--options (arguments)
  "Return ARGUMENTS, from Lisp, as `agent-q-fs-open' takes them."
  (let ((plist (agent-q-fs-arguments-plist arguments)) options)
    (while plist
      (let ((name (agent-q-fs-arguments--keyword (pop plist))) (value (pop plist)))
        (unless (eq value :null)
          (setq options (nconc options (list name value))))))
    options))

(defun agent-q-fs-rpc--directories (names)
  "Return the directories NAMES as they are spelled and as they are."
  (delete-dups
   (mapcan (lambda (name)
             (let ((file-name-handler-alist nil))
               (list (file-name-as-directory (expand-file-name name))
                     (file-name-as-directory (file-truename name)))))
           (append names nil))))

(defun agent-q-fs-rpc--opened (workspace options connection)
  "Take note of WORKSPACE, opened with OPTIONS, for CONNECTION; return the facts."
  (let ((number (setq agent-q-fs-rpc--count (1+ agent-q-fs-rpc--count)))
        (merged (agent-q-fs--merge-options options (default-value 'agent-q-fs-open-options))))
    (push (agent-q-fs-rpc--make-entry :number number :workspace workspace
                                      :connection connection)
          agent-q-fs-rpc--entries)
    (run-hook-with-args 'agent-q-fs-rpc-root-functions connection
                        (agent-q-fs-workspace-root workspace))
    (append (list :workspace number)
            (agent-q-fs-workspace-facts workspace)
            (list :home (file-name-as-directory (expand-file-name "~"))
                  :allowed-paths (agent-q-fs-rpc--directories
                                  (or (plist-get merged :allowed_paths)
                                      (plist-get merged :allowed-paths)))))))

(defun agent-q-fs-rpc--open (connection done arguments &optional how)
  "Open a workspace with ARGUMENTS for CONNECTION, and call DONE with the facts.
HOW has the :call."
  (agent-q-fs-rpc--called
   connection how done
   (lambda (caller end)
     (let* ((default-directory (buffer-local-value 'default-directory
                                                   (process-buffer connection)))
            (options (agent-q-fs-rpc--options arguments)))
       (agent-q-fs-sly-open (apply #'agent-q-fs-open (agent-q-fs-arguments-near options)) options
                            connection caller end)))))


;;;; Replies to Lisp

(defun agent-q-fs-rpc--plain (text)
  "Return TEXT without properties and raw bytes: itself, if it has none."
  (if (or (text-properties-at 0 text)
          (next-property-change 0 text)
          ;; The comparison shows at once that text is ASCII.
          (and (/= (string-bytes (string-to-multibyte text)) (length text))
               (string-match-p "[\x3fff80-\x3fffff]" text)))
      (agent-q-fs-audit-plain text)
    text))

(defun agent-q-fs-rpc--print (reply)
  "Return REPLY as the core prints it."
  (let ((print-length nil) (print-level nil) (print-circle nil) (print-quoted nil)
        (print-escape-newlines nil) (print-escape-nonascii nil) (print-escape-multibyte nil)
        (print-escape-control-characters nil) (print-integers-as-characters nil)
        (float-output-format nil))
    (agent-q-fs-rpc--plain (prin1-to-string reply))))

(defun agent-q-fs-rpc--size (text)
  "Return how many bytes TEXT takes in a message, escapes counted."
  (let ((size (string-bytes text)) (start 0))
    (while (setq start (string-match "[\"\\\\]" text start))
      (setq size (1+ size)
            start (1+ start)))
    size))

(defun agent-q-fs-rpc--fits-p (text)
  "Return non-nil if TEXT can be sent to Lisp."
  (let ((room (- agent-q-fs-rpc--longest 256)))
    (or (< (* 2 (string-bytes text)) room)
        (< (agent-q-fs-rpc--size text) room))))

(defun agent-q-fs-rpc--too-long (text)
  "Return the reply that says that TEXT cannot be sent."
  (agent-q-fs--error-reply
   :too-large "The answer takes %d bytes on its way to Lisp, where at most %d fit; ask for less"
   (agent-q-fs-rpc--size text) (- agent-q-fs-rpc--longest 256)))

(defun agent-q-fs-rpc--data (reply)
  "Return REPLY printed, or a shorter one that says that it is too long."
  (let ((text (agent-q-fs-rpc--print reply)))
    (if (agent-q-fs-rpc--fits-p text)
        text
      (agent-q-fs-rpc--print (agent-q-fs-rpc--too-long text)))))

(defun agent-q-fs-rpc--words (reply)
  "Return the words of REPLY; for an error, a list of its code and them."
  (let ((text (agent-q-fs-rpc--plain (plist-get reply :text)))
        (code (plist-get reply :error)))
    (cond ((not (agent-q-fs-rpc--fits-p text))
           (agent-q-fs-rpc--words (agent-q-fs-rpc--too-long text)))
          (code (list (substring (symbol-name code) 1) text))
          (t text))))


;;;; Tools, and calls of programs

(defun agent-q-fs-rpc--tier (how)
  "Return the tier that HOW, of a program's call, has as its :authority."
  (pcase (plist-get how :authority)
    ((or 'nil "safe") 'safe)
    ("cautious" 'cautious)
    ("dangerous" 'dangerous)
    (_ (agent-q-fs--fail :invalid-argument "authority: expected safe, cautious or dangerous"))))

(defun agent-q-fs-rpc--tool (connection name arguments how done)
  "Call the tool NAME with ARGUMENTS for a model behind CONNECTION, as HOW says.
Call DONE with the reply, now or later."
  (agent-q-fs-rpc--called
   connection how done
   (lambda (caller end)
     (agent-q-fs-tools--begin name arguments (agent-q-fs-rpc--workspace how connection) end
                              :caller caller))))

(defun agent-q-fs-rpc--trusted-p ()
  "Return non-nil if what a program in Lisp says of its authority counts."
  (memq 'authority (default-value 'agent-q-fs-rpc-trust)))

(defun agent-q-fs-rpc--untold (reply)
  "Return REPLY, of a plan or of its refusal, without the diff of a secret.
The core leaves it out of words for models, and not of data."
  (if (seq-some (lambda (target) (plist-get target :secret)) (plist-get reply :targets))
      (cl-loop for (key value) on reply by #'cddr
               unless (eq :diff key) append (list key value))
    reply))

(defun agent-q-fs-rpc--program (connection name arguments how done)
  "Call the operation NAME with ARGUMENTS for a program behind CONNECTION.
HOW and DONE are as for `agent-q-fs-rpc--tool'.  Planning is free.  A
program that is not trusted is told no more than a model."
  (agent-q-fs-rpc--called
   connection how
   (if (agent-q-fs-rpc--trusted-p) done
     (lambda (reply) (funcall done (agent-q-fs-rpc--untold reply))))
   (lambda (caller end)
     (let ((workspace (agent-q-fs-rpc--workspace how connection))
           (tier (agent-q-fs-rpc--tier how))
           (plan (equal "plan" (plist-get how :verb)))
           (trusted (agent-q-fs-rpc--trusted-p)))
       (if (and (agent-q-fs--operation name) (not plan) (not trusted))
           (agent-q-fs-tools--begin name arguments workspace end :caller caller :program tier
                                    :digest (plist-get how :digest))
         (agent-q-fs-rpc--perform
          workspace name (agent-q-fs-arguments-plist arguments) caller end
          (list :authority (if (or trusted (eq 'safe tier)) tier 'cautious) ; secrets are dangerous
                :origin (unless trusted 'model)
                :digest (plist-get how :digest) :verb (and plan 'plan))))))))

(defun agent-q-fs-rpc--perform (workspace name arguments caller end how)
  "Have the core call NAME with ARGUMENTS in WORKSPACE as HOW says, for CALLER.
Call END with the reply, now or later."
  (if (plist-get (agent-q-fs--operation name) :slow)
      (let ((job (agent-q-fs-call-async
                  workspace name arguments
                  :authority (plist-get how :authority) :origin (plist-get how :origin)
                  :digest (plist-get how :digest) :preview (plist-get how :verb)
                  :on-done end
                  :on-error (lambda (problem)
                              (funcall end (agent-q-fs-tools--problem problem))))))
        (agent-q-fs-caller-at-end caller (lambda () (agent-q-fs-job-cancel job))))
    (let ((agent-q-fs-caller caller))
      (funcall end (agent-q-fs--call workspace name arguments how)))))

(defun agent-q-fs-rpc--call (connection done name data)
  "Call what NAME, a string, is the name of, with DATA: the arguments, and how.
Call DONE with the answer for CONNECTION."
  (pcase-let ((`(,arguments ,how) data))
    (cond ((not (and (proper-list-p how) (cl-evenp (length how))))
           (funcall done (list "invalid-argument" "Error: how: expected a property list")))
          ((plist-get how :data)
           (agent-q-fs-rpc--program connection name arguments how
                                    (lambda (reply) (funcall done (agent-q-fs-rpc--data reply)))))
          (t
           (agent-q-fs-rpc--tool connection name arguments how
                                 (lambda (reply) (funcall done (agent-q-fs-rpc--words reply))))))))


;;;; Kinds of messages

(defvar agent-q-fs-rpc--told nil
  "Non-nil once the person was told that Lisp can evaluate forms here.")

(defun agent-q-fs-rpc-switch-words ()
  "Return what it means that Lisp may evaluate forms here, or nil if it may not."
  (let ((on (seq-filter (lambda (switch) (and (boundp switch) (symbol-value switch)))
                        '(sly-enable-evaluate-in-emacs slime-enable-evaluate-in-emacs))))
    (when on
      (format "%s is t: a connected Lisp can also evaluate any form in Emacs, past all tools"
              (mapconcat #'symbol-name on ", ")))))

(defun agent-q-fs-rpc--hello (&rest _)
  "Return the facts that Lisp needs first."
  (let ((words (and (not agent-q-fs-rpc--told) (agent-q-fs-rpc-switch-words))))
    (when words
      (setq agent-q-fs-rpc--told t)
      (message "%s" words)))
  (list :version agent-q-fs-module-version :emacs emacs-version))

(defun agent-q-fs-rpc--close (connection number)
  "Close the workspace of CONNECTION that has NUMBER, if it is open."
  (let ((entry (agent-q-fs-rpc--entry number connection)))
    (when entry
      (agent-q-fs-rpc--forget entry)))
  (list :closed number))

(defun agent-q-fs-rpc--reset (connection number)
  "Put the workspace of CONNECTION that has NUMBER back to how it was opened."
  (agent-q-fs-reset (agent-q-fs-rpc--workspace (list :workspace number) connection))
  (list :workspace number))

(defun agent-q-fs-rpc--give-up (connection number)
  "End the call of CONNECTION that has NUMBER, if it is not over."
  (when (integerp number)
    (agent-q-fs-rpc--calls-end connection number))
  (list :given-up number))

(defconst agent-q-fs-rpc--kinds
  '((:hello . agent-q-fs-rpc--hello)
    (:operations . (lambda (_connection) (agent-q-fs-operations)))
    (:close . agent-q-fs-rpc--close)
    (:reset . agent-q-fs-rpc--reset)
    (:give-up . agent-q-fs-rpc--give-up))
  "The functions that return the reply to messages of a kind, beside :open.
They are called with the connection and the data.")

(defun agent-q-fs-rpc--message (connection done kind data)
  "Call DONE with the answer to the message of KIND, a keyword, with DATA.
It comes from CONNECTION."
  (let ((function (alist-get kind agent-q-fs-rpc--kinds))
        (done (lambda (reply) (funcall done (agent-q-fs-rpc--data reply)))))
    (if (eq kind :open)
        (agent-q-fs-rpc--open connection done (car data) (cadr data))
      (funcall done (agent-q-fs-rpc--caught
                     (lambda ()
                       (if function
                           (apply function connection data)
                         (agent-q-fs--fail :unknown-operation
                                           "There is no message kind %s" kind))))))))


;;;; Messages

(defun agent-q-fs-rpc--ours-p (text)
  "Return non-nil if TEXT is a form that is answered here."
  (and (stringp text) (string-prefix-p "(agent-q-fs-rpc " text)))

(defun agent-q-fs-rpc--serve (text connection return)
  "Do what TEXT, a form from CONNECTION, asks for, and call RETURN with the answer."
  (condition-case problem
      (pcase (agent-q-fs-rpc--form text 'agent-q-fs-rpc)
        (`(,(and kind (pred keywordp)) . ,data)
         (agent-q-fs-rpc--message connection (lambda (value) (funcall return `(:ok ,value)))
                                  kind data))
        (`(,(and name (pred stringp)) . ,(and data (guard (<= (length data) 2))))
         (agent-q-fs-rpc--call connection (lambda (value) (funcall return `(:ok ,value)))
                               name data))
        (_ (agent-q-fs--fail :invalid-argument "expected a tool's name, arguments, and how")))
    (error (funcall return (list :error "agent-q-fs-rpc-refused"
                                 (plist-get (agent-q-fs-tools--problem problem) :message))))))

(defun agent-q-fs-rpc--post (text connection)
  "Do what TEXT, a form from CONNECTION that nobody waits for, asks for.
Only the end of something is asked for in this way."
  (pcase (ignore-errors (agent-q-fs-rpc--form text 'agent-q-fs-rpc))
    (`(,(and kind (or :close :give-up)) ,data)
     (agent-q-fs-rpc--message connection #'ignore kind (list data)))))

(defun agent-q-fs-rpc--event (event connection dispatch)
  "Answer EVENT, a message from CONNECTION, if it is ours; return non-nil then.
DISPATCH is the function that sends messages."
  (pcase event
    (`(:eval ,thread ,tag ,(and text (pred agent-q-fs-rpc--ours-p)))
     (agent-q-fs-rpc--serve text connection
                            (lambda (value)
                              (when (process-live-p connection)
                                (funcall dispatch `(:emacs-return ,thread ,tag ,value)
                                         connection))))
     t)
    (`(:eval-no-wait ,(and text (pred agent-q-fs-rpc--ours-p)))
     (agent-q-fs-rpc--post text connection)
     t)))

(defun agent-q-fs-rpc--sly-event (event)
  "Answer EVENT, a message from SLY, if it is ours; return non-nil then."
  (agent-q-fs-rpc--event event sly-dispatching-connection #'sly-dispatch-event))

(defun agent-q-fs-rpc--slime-event (event)
  "Answer EVENT, a message from SLIME, if it is ours."
  (agent-q-fs-rpc--event event slime-dispatching-connection #'slime-dispatch-event))

(defun agent-q-fs-rpc-answer ()
  "Answer connected Lisps from now on."
  (add-hook 'sly-event-hooks #'agent-q-fs-rpc--sly-event)
  (add-hook 'slime-event-hooks #'agent-q-fs-rpc--slime-event)
  (add-hook 'sly-net-process-close-hooks #'agent-q-fs-rpc--connection-closed)
  (add-hook 'slime-net-process-close-hooks #'agent-q-fs-rpc--connection-closed))

;;;###autoload
(defun agent-q-fs-rpc (name &rest _data)
  "Greet a connected Lisp, and answer it from now on.  NAME is :hello.
This is evaluated where a person lets Lisp evaluate forms, and has not
called `agent-q-fs-sly-setup'.  Later messages are not evaluated."
  (unless (eq name :hello)
    (error "Messages to agent-q-fs are not evaluated: M-x agent-q-fs-sly-setup"))
  (agent-q-fs-rpc-answer)
  (agent-q-fs-rpc--data (agent-q-fs-rpc--hello)))

(autoload 'agent-q-fs-sly-open "agent-q-fs-sly")

(provide 'agent-q-fs-rpc)
;;; agent-q-fs-rpc.el ends here
