;;; agent-q-fs-rpc.el --- The function that Common Lisp calls  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A Common Lisp that is connected by SLY or SLIME has its forms evaluated here, if
;; the user permits it.  The Lisp side of agent-q-fs sends one form only,
;;
;;     (agent-q-fs-rpc NAME 'ARGUMENTS 'HOW)
;;
;; where everything behind the function's name is data: strings, numbers, lists,
;; keywords.  NAME is a tool's name, or a message kind: a keyword of
;; `agent-q-fs-rpc--kinds'.
;; The value is a string without properties, or for a tool that failed a list of
;; the error's code and the words, and fits into a message.
;;
;; A call runs where SLY and SLIME read their messages, in a process filter.  There
;; Emacs does not heed C-g unless it is told to, and other messages may come in
;; while a person is asked.
;;
;; agent-q-fs-sly.el is for people: what to turn on, and the project's root.

;;; Code:

(require 'agent-q-fs)
(require 'agent-q-fs-approve)
(require 'agent-q-fs-audit)
(require 'agent-q-fs-tools)
(require 'cl-lib)
(require 'seq)

(declare-function slime-dispatch-event "ext:slime" (event &optional process))
(declare-function slime-rex-continuations "ext:slime" (&optional process) t)
(declare-function sly-dispatch-event "ext:sly" (event &optional process))
(declare-function sly-rex-continuations "ext:sly" (&optional process) t)
(defvar slime-dispatching-connection)
(defvar slime-event-hooks)
(defvar slime-net-process-close-hooks)
(defvar slime-net-processes)
(defvar slime-stack-eval-tags)
(defvar sly--stack-eval-tags)
(defvar sly-dispatching-connection)
(defvar sly-event-hooks)
(defvar sly-net-process-close-hooks)
(defvar sly-net-processes)


;;;; A call from Lisp while Emacs waits for Lisp

;; While Emacs waits for an answer from Lisp (`sly-eval', `slime-eval'), a call from
;; Lisp runs inside of that wait.  The answer ends the wait by a `throw', which would
;; leave the call, a person's question or a command, and abort the calling thread in
;; Lisp.  So an answer to a request that was sent before the call is kept until the
;; call has ended.

(defvar agent-q-fs-rpc-nest--calls nil
  "The calls that Emacs is in, the innermost first: lists (REQUESTS ANSWER...).
REQUESTS are those that were not answered when the call began, each as
\(CONNECTION . ID).  ANSWER is a function that dispatches what has come
since, the latest first.")

(defun agent-q-fs-rpc-nest--pending (connections continuations)
  "Return the requests to CONNECTIONS that CONTINUATIONS says are not answered."
  (let (requests)
    (dolist (connection connections requests)
      (pcase-dolist (`(,id . ,_) (funcall continuations connection))
        (push (cons connection id) requests)))))

(defun agent-q-fs-rpc-nest--requests ()
  "Return the requests whose answers may end what Emacs waits for."
  (append (when (bound-and-true-p sly--stack-eval-tags)
            (agent-q-fs-rpc-nest--pending sly-net-processes #'sly-rex-continuations))
          (when (bound-and-true-p slime-stack-eval-tags)
            (agent-q-fs-rpc-nest--pending slime-net-processes #'slime-rex-continuations))))

(defun agent-q-fs-rpc-nest-call (function)
  "Return what FUNCTION, a call from Lisp, returns; no answer from Lisp ends it."
  (let ((requests (agent-q-fs-rpc-nest--requests)))
    (if (null requests)
        (funcall function)
      (let* ((call (list requests))
             (agent-q-fs-rpc-nest--calls (cons call agent-q-fs-rpc-nest--calls)))
        (unwind-protect
            (funcall function)
          (dolist (answer (reverse (cdr call)))
            ;; When the timer fires, the value of the call has been sent.
            (run-with-timer 0 nil answer)))))))

(defun agent-q-fs-rpc-nest--keep (event connection dispatch)
  "Keep EVENT from CONNECTION for DISPATCH if it is an answer to wait with.
Of several calls that have to end before, the outermost keeps it."
  (pcase event
    (`(:return ,_ ,id)
     (let ((call (cl-find-if (lambda (call)
                               (member (cons connection id) (car call)))
                             agent-q-fs-rpc-nest--calls :from-end t)))
       (when call
         (push (lambda () (funcall dispatch event connection)) (cdr call))
         t)))))

(defun agent-q-fs-rpc-nest-sly-event (event)
  "Keep EVENT, a message from SLY, if a call has to end first."
  (agent-q-fs-rpc-nest--keep event sly-dispatching-connection #'sly-dispatch-event))

(defun agent-q-fs-rpc-nest-slime-event (event)
  "Keep EVENT, a message from SLIME, if a call has to end first."
  (agent-q-fs-rpc-nest--keep event slime-dispatching-connection #'slime-dispatch-event))

(defconst agent-q-fs-rpc--longest #xffffff
  "Bytes of the longest message: its length has six hexadecimal digits.")


;;;; Connections and their workspaces

(cl-defstruct (agent-q-fs-rpc--entry (:constructor agent-q-fs-rpc--make-entry) (:copier nil))
  "A workspace that a Lisp has opened."
  number workspace connection)

(defvar agent-q-fs-rpc--entries nil
  "The workspaces that connected Lisps have opened, the latest first.")

(defvar agent-q-fs-rpc--count 0
  "How many workspaces they have opened.")

(defvar agent-q-fs-rpc-root-functions nil
  "Functions called with a connection and the root of its latest workspace.")

(defvar agent-q-fs-rpc--told nil
  "The connection of the next message, as SLY's or SLIME's hook says.
If SLY and SLIME are in one Emacs, the variables of each may be outdated.")

(defvar agent-q-fs-rpc--connection nil
  "The connection of the call that is being answered.")

(defun agent-q-fs-rpc--take-connection ()
  "Return the connection whose message is obeyed now, a process, or nil."
  (prog1 (or agent-q-fs-rpc--told
             (bound-and-true-p sly-dispatching-connection)
             (bound-and-true-p slime-dispatching-connection))
    (setq agent-q-fs-rpc--told nil)))

(defun agent-q-fs-rpc-connection ()
  "Return the connection of the Lisp that is being answered, a process, or nil."
  (or agent-q-fs-rpc--connection
      (bound-and-true-p sly-dispatching-connection)
      (bound-and-true-p slime-dispatching-connection)))

(defvar agent-q-fs-rpc--letting-in nil
  "Non-nil while other messages are about to be let in.")

(defun agent-q-fs-rpc--let-in ()
  "Have further messages that have arrived handled while this one waits.
Otherwise SLY and SLIME might handle them only after the person who is
asked about this one has answered."
  (let* ((connection (agent-q-fs-rpc-connection))
         (buffer (and (processp connection) (process-buffer connection)))
         (function (if (memq connection (bound-and-true-p sly-net-processes))
                       'sly-process-available-input
                     'slime-process-available-input)))
    (when (and (buffer-live-p buffer) (< 0 (buffer-size buffer))
               (not agent-q-fs-rpc--letting-in))
      (setq agent-q-fs-rpc--letting-in t)
      (run-with-timer 0 nil (lambda ()
                              (setq agent-q-fs-rpc--letting-in nil)
                              (when (process-live-p connection)
                                (funcall function connection)))))))

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

(defun agent-q-fs-rpc--workspace (number)
  "Return the workspace that has NUMBER; nil for the current one."
  (when number
    (let ((entry (seq-find (lambda (entry) (eql number (agent-q-fs-rpc--entry-number entry)))
                           agent-q-fs-rpc--entries)))
      (unless entry
        (agent-q-fs--fail :invalid-argument "The workspace is closed"))
      (agent-q-fs-rpc--entry-workspace entry))))


;;;; Calls that somebody waits for

(defvar agent-q-fs-rpc--calls nil
  "The calls of tools that Emacs is in, as (CONNECTION NUMBER CALLER).
NUMBER is Lisp's number of the call.")

(defun agent-q-fs-rpc--calls-end (connection &optional number)
  "End the call from CONNECTION that has NUMBER, or else all of its calls.
Nobody waits for them any more."
  (pcase-dolist (`(,from ,its-number ,caller) agent-q-fs-rpc--calls)
    (when (and (eq from connection) (or (null number) (eql number its-number)))
      (agent-q-fs-caller-leave caller))))

(defun agent-q-fs-rpc--called (number function)
  "Call FUNCTION with the caller of the call that has NUMBER in Lisp."
  (let* ((caller (agent-q-fs-caller-new))
         (entry (list (agent-q-fs-rpc-connection) number caller)))
    (push entry agent-q-fs-rpc--calls)
    (unwind-protect
        (funcall function caller)
      (setq agent-q-fs-rpc--calls (delq entry agent-q-fs-rpc--calls)))))


;;;; Replies to Lisp

(defun agent-q-fs-rpc--plain (text)
  "Return TEXT without properties and raw bytes: itself, if it has none."
  (if (or (text-properties-at 0 text)
          (next-property-change 0 text)
          ;; The comparison shows at once that text is ASCII.
          (and (not (and (multibyte-string-p text)
                         (= (string-bytes text) (length text))))
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

(defmacro agent-q-fs-rpc--replying (&rest body)
  "Return the reply that BODY returns, or the reply for its error.
A quit in BODY is turned into a reply too, so that it ends nothing else."
  (declare (indent 0) (debug (body)))
  `(condition-case problem
       (let ((inhibit-quit nil))
         ,@body)
     ((error quit) (agent-q-fs-tools--problem problem))))


;;;; Kinds of messages

;; Where the user has turned evaluation off, SLY and SLIME signal an error and
;; answer nothing: Lisp would wait for ever.

(defconst agent-q-fs-rpc--forbidden "agent-q-fs-rpc-forbidden"
  "The error that Lisp gets if evaluation is off.")

(defun agent-q-fs-rpc--refuse (event enabled dispatch)
  "Answer EVENT if it is a call of ours and ENABLED, a variable, forbids it.
DISPATCH is the function that sends answers.  Return non-nil if EVENT was
answered."
  (pcase event
    (`(:eval ,thread ,tag ,(and (pred stringp) (pred (string-prefix-p "(agent-q-fs-rpc "))))
     (unless (symbol-value enabled)
       (funcall dispatch `(:emacs-return ,thread ,tag (:error ,agent-q-fs-rpc--forbidden
                                                              ,(symbol-name enabled))))
       t))
    ;; Nobody waits for this one, and an error would only stop Emacs for a while.
    (`(:eval-no-wait ,(and (pred stringp) (pred (string-prefix-p "(agent-q-fs-rpc "))))
     (not (symbol-value enabled)))))

(defun agent-q-fs-rpc--tell (event connection)
  "Take note that EVENT, if it asks for a value, is from CONNECTION."
  (when (eq :eval (car event))
    (setq agent-q-fs-rpc--told connection)))

(defun agent-q-fs-rpc--sly-event (event)
  "Answer EVENT, a message from SLY, if it is forbidden."
  (agent-q-fs-rpc--tell event sly-dispatching-connection)
  (agent-q-fs-rpc--refuse event 'sly-enable-evaluate-in-emacs 'sly-dispatch-event))

(defun agent-q-fs-rpc--slime-event (event)
  "Answer EVENT, a message from SLIME, if it is forbidden."
  (agent-q-fs-rpc--tell event slime-dispatching-connection)
  (agent-q-fs-rpc--refuse event 'slime-enable-evaluate-in-emacs 'slime-dispatch-event))

(defun agent-q-fs-rpc--hello (_version)
  "Return the facts that Lisp needs first."
  (add-hook 'sly-event-hooks #'agent-q-fs-rpc--sly-event)
  (add-hook 'sly-event-hooks #'agent-q-fs-rpc-nest-sly-event)
  (add-hook 'slime-event-hooks #'agent-q-fs-rpc--slime-event)
  (add-hook 'slime-event-hooks #'agent-q-fs-rpc-nest-slime-event)
  (list :version agent-q-fs-module-version :emacs emacs-version))

(defun agent-q-fs-rpc--operations ()
  "Return the table of operations."
  (agent-q-fs-operations))

(defun agent-q-fs-rpc--directories (names)
  "Return the directories NAMES as they are spelled and as they are."
  (delete-dups
   (mapcan (lambda (name)
             (let ((file-name-handler-alist nil))
               (list (file-name-as-directory (expand-file-name name))
                     (file-name-as-directory (file-truename name)))))
           (append names nil))))

(defun agent-q-fs-rpc--facts (workspace options)
  "Return the facts for Lisp about WORKSPACE, which was opened with OPTIONS."
  (let ((merged (agent-q-fs--merge-options options (default-value 'agent-q-fs-open-options))))
    (append (agent-q-fs-workspace-facts workspace)
            (list :home (file-name-as-directory (expand-file-name "~"))
                  :allowed-paths (agent-q-fs-rpc--directories
                                  (or (plist-get merged :allowed_paths)
                                      (plist-get merged :allowed-paths)))))))

(defun agent-q-fs-rpc--options (arguments)
  "Return ARGUMENTS, from Lisp, as `agent-q-fs-open' takes them."
  (let ((plist (agent-q-fs-arguments-plist arguments)) options)
    (while plist
      (let ((name (agent-q-fs-arguments--keyword (pop plist))) (value (pop plist)))
        (unless (eq value :null)
          (setq options (nconc options (list name value))))))
    options))

(defun agent-q-fs-rpc--open (arguments)
  "Open a workspace with ARGUMENTS, and return the facts for Lisp about it."
  (let* ((options (agent-q-fs-rpc--options arguments))
         (workspace (apply #'agent-q-fs-open options))
         (connection (agent-q-fs-rpc-connection))
         (number (setq agent-q-fs-rpc--count (1+ agent-q-fs-rpc--count))))
    (push (agent-q-fs-rpc--make-entry :number number :workspace workspace
                                      :connection connection)
          agent-q-fs-rpc--entries)
    (dolist (hook '(sly-net-process-close-hooks slime-net-process-close-hooks))
      (add-hook hook #'agent-q-fs-rpc--connection-closed))
    (run-hook-with-args 'agent-q-fs-rpc-root-functions connection
                        (agent-q-fs-workspace-root workspace))
    (append (list :workspace number) (agent-q-fs-rpc--facts workspace options))))

(defun agent-q-fs-rpc--close (number)
  "Close the workspace that has NUMBER, if it is open."
  (dolist (entry agent-q-fs-rpc--entries)
    (when (eql number (agent-q-fs-rpc--entry-number entry))
      (agent-q-fs-rpc--forget entry)))
  (list :closed number))

(defun agent-q-fs-rpc--reset (number)
  "Put the workspace that has NUMBER back to its contents when it was opened."
  (agent-q-fs-reset (agent-q-fs-rpc--workspace number))
  (list :workspace number))

(defun agent-q-fs-rpc--give-up (number)
  "End the call that has NUMBER, if it is not over."
  (agent-q-fs-rpc--calls-end (agent-q-fs-rpc-connection) number)
  (list :given-up number))

(defconst agent-q-fs-rpc--kinds
  '((:hello . agent-q-fs-rpc--hello)
    (:operations . agent-q-fs-rpc--operations)
    (:open . agent-q-fs-rpc--open)
    (:close . agent-q-fs-rpc--close)
    (:reset . agent-q-fs-rpc--reset)
    (:give-up . agent-q-fs-rpc--give-up))
  "The functions that answer messages which call no tool, by message kind.")

(defun agent-q-fs-rpc--message (kind data)
  "Return the reply to the message of KIND, a keyword, with DATA."
  (agent-q-fs-rpc--replying
    (let ((function (alist-get kind agent-q-fs-rpc--kinds)))
      (unless function
        (agent-q-fs--fail :unknown-operation "There is no message kind %s" kind))
      (apply function data))))


;;;; Tools

(defun agent-q-fs-rpc--name (name)
  "Return NAME, a tool's, as a string."
  (cond ((stringp name) name)
        ((and name (symbolp name)) (symbol-name name))
        (t (agent-q-fs--fail :invalid-argument "name: expected that of a tool"))))

(defun agent-q-fs-rpc--call (name arguments how)
  "Return the reply of the operation NAME with ARGUMENTS, called as HOW says."
  (agent-q-fs-rpc--replying
    (agent-q-fs-rpc--called
     (plist-get how :call)
     (lambda (caller)
       (let ((agent-q-fs-caller caller))
         (agent-q-fs--call (agent-q-fs-rpc--workspace (plist-get how :workspace))
                           (agent-q-fs-rpc--name name)
                           (agent-q-fs-arguments-plist arguments)
                           (list :authority (or (plist-get how :authority) "safe")
                                 :digest (plist-get how :digest)
                                 :verb (and (equal "plan" (plist-get how :verb))
                                            'plan))))))))

(defun agent-q-fs-rpc--approver (digest)
  "Return a function that approves of a request with DIGEST, once.
It returns nil for other requests that come, and where a file is
protected: whether somebody in Lisp has seen that is not known."
  (let (done)
    (lambda (request)
      (when (and (not done)
                 (stringp digest)
                 (equal digest (agent-q-fs-request-digest request))
                 (not (agent-q-fs-request-protected-p request)))
        (setq done t)
        (list :decision 'approved)))))

(defun agent-q-fs-rpc--approved (digest function)
  "Call FUNCTION; nobody is asked about the change that has DIGEST.
Calls that a rule or the policy denies are denied all the same."
  (let* ((approver (agent-q-fs-rpc--approver digest))
         (ask (default-value 'agent-q-fs-approval-function))
         (alone (default-value 'agent-q-fs-unattended-function))
         (agent-q-fs-approval-function
          (lambda (request callback)
            (let ((decision (funcall approver request)))
              (if decision (funcall callback decision) (funcall ask request callback)))))
         (agent-q-fs-unattended-function
          (lambda (request)
            (or (funcall approver request) (and alone (funcall alone request))))))
    (funcall function)))

(defun agent-q-fs-rpc--tool (name arguments how)
  "Return the reply of the tool NAME with ARGUMENTS, called by a model as HOW says."
  (agent-q-fs-rpc--replying
    (agent-q-fs-rpc--let-in)
    (let* ((workspace (agent-q-fs-rpc--workspace (plist-get how :workspace)))
           (name (agent-q-fs-rpc--name name))
           answer
           (call (lambda (caller)
                   (agent-q-fs-tools--begin name arguments workspace
                                            (lambda (reply) (setq answer reply))
                                            :wait t :caller caller))))
      (agent-q-fs-rpc--called
       (plist-get how :call)
       (if (plist-get how :approved)
           (lambda (caller)
             (agent-q-fs-rpc--approved (plist-get how :approved)
                                       (lambda () (funcall call caller))))
         call))
      answer)))

;;;###autoload
(defun agent-q-fs-rpc (name &rest data)
  "Call the tool NAME for a connected Common Lisp.
DATA are the tool's arguments, as `agent-q-fs-call-tool' takes them, and
a property list:

:workspace NUMBER   what :open returned; nil for the current workspace
:approved DIGEST    the change that somebody has approved of in Lisp
:call NUMBER        the number by which :give-up names it
:data BOOLEAN       whether a program wants the reply as it is printed,
                    rather than a model its words; and then :authority,
                    :digest and :verb, as requests have them

Return a string, or for a model's call that failed a list of the error's
code and its words.  NAME may also be a keyword of
`agent-q-fs-rpc--kinds'."
  (let ((agent-q-fs-rpc--connection (agent-q-fs-rpc--take-connection)))
    (agent-q-fs-rpc-nest-call
     (lambda ()
       (if (keywordp name)
           (agent-q-fs-rpc--data (agent-q-fs-rpc--message name data))
         (pcase-let ((`(,arguments ,how) data))
           (if (plist-get how :data)
               (agent-q-fs-rpc--data (agent-q-fs-rpc--call name arguments how))
             (agent-q-fs-rpc--words (agent-q-fs-rpc--tool name arguments how)))))))))

(provide 'agent-q-fs-rpc)
;;; agent-q-fs-rpc.el ends here
