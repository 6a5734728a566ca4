;;;; workspace.lisp -- the transport :EMACS, through SLY's or SLIME's connection.
;;;;
;;;; SPDX-License-Identifier: MIT
;;;;
;;;; Emacs is sent (agent-q-fs-rpc NAME 'ARGUMENTS 'HOW), one message a call, and answers with
;;;; a string: the words for a model, or a reply as the core prints it.

(in-package #:agent-q-fs)

(defun rpc-form (name &rest data)
  "The form that Emacs evaluates.  NAME is a string or a keyword; DATA are data."
  `(agent-q-fs-rpc ,name ,@(loop for datum in data collect (list 'quote datum))))

(defun ask-emacs (link name &rest data)
  "What agent-q-fs-rpc returns for NAME and DATA, a string.  The second value is nil, or the
code of the error that the string tells of."
  (let ((value (evaluate-in-emacs link (apply #'rpc-form name data))))
    (cond ((stringp value) (values value nil))
          ((and (proper-list-p value) (= 2 (length value)) (every #'stringp value))
           (values (second value) (first value)))
          (t (malformed "Emacs sent ~A" (describe-type value))))))

(defun error-code (reply)
  "The code of an error REPLY, a string; nil for another reply."
  (and (consp reply)
       (eq :error (first reply))
       (let ((code (second reply)))
         (if (symbolp code) (string-downcase (symbol-name code)) code))))

;;;; Getting to know each other
;;;
;;; Where Emacs may not evaluate, it answers nothing at all.  So the first message of a
;;; connection is followed by one that it answers in any case, and in order.

(defvar *greeted* '()
  "The connections whose Emacs has answered as it should.")

(defvar *greeted-lock* (make-lock "agent-q-fs connections"))

(defun greeted-p (link)
  (with-lock (*greeted-lock*)
    (member (link-connection link) *greeted*)))

(defun remember-greeted (link)
  "Takes note of LINK, and forgets those that are closed."
  (with-lock (*greeted-lock*)
    (setf *greeted* (cons (link-connection link)
                          (intersection *greeted* (open-connections (link-server link)))))))

(defun greeting ()
  (rpc-form :hello agent-q-fs/catalogue:*version*))

(defun greet-and-ping (link)
  "What Emacs says to the greeting, as the server has it; nil where it says nothing."
  (flet ((server (name &rest arguments) (apply #'call-server link name arguments)))
    (with-plain-printing
      (call-watching-link
       link
       (lambda ()
         (let ((thread (server "CURRENT-THREAD-ID"))
               (greeting (server "MAKE-TAG"))
               (ping (server "MAKE-TAG")))
           (server "SEND-TO-EMACS" (list :eval thread greeting
                                         (server "PROCESS-FORM-FOR-EMACS" (greeting))))
           (server "SEND-TO-EMACS" (list :ping thread ping))
           (server "WAIT-FOR-EVENT" (list :emacs-pong ping))
           (third (server "WAIT-FOR-EVENT" (list :emacs-return greeting 'value) t))))))))

(defun check-version (reply)
  "Signals unless REPLY, to the greeting, is of our version."
  (let ((version (getf (read-reply reply) :version)))
    (unless (equal version agent-q-fs/catalogue:*version*)
      (fail 'agent-q-fs-not-connected :not-connected
            (format-message "Not connected to Emacs: agent-q-fs is of version ~A there, and ~
                             of ~A in Lisp"
                            (list version agent-q-fs/catalogue:*version*))
            :hint "Load both from one directory, and restart the older one"))))

(defun greet (link)
  "Signals unless the Emacs at LINK is ready for calls."
  (unless (greeted-p link)
    (unless (link-open-p link) (lost-link nil))
    (destructuring-bind (&optional outcome value &rest more)
        (signalled-outside (lambda () (greet-and-ping link)))
      (case outcome
        (:ok (check-version value))
        ((nil) (forbidden (link-server link)))
        (t (failure-in-emacs (make-condition 'simple-error
                                             :format-control "~A~{ ~A~}"
                                             :format-arguments (list value more))
                             (link-server link)))))
    (remember-greeted link)))

;;;; Workspaces

(defstruct (emacs-workspace (:include workspace) (:copier nil)
                            (:constructor make-emacs-workspace (properties link number roots)))
  "A workspace of the Emacs at LINK, which has NUMBER there."
  (link nil :type link :read-only t)
  (number 0 :type integer :read-only t)
  (roots '() :type list :read-only t)   ; what else may be used, native names
  (open t))

(defmethod workspace-transport ((workspace emacs-workspace))
  :emacs)

(defmethod workspace-open-p ((workspace emacs-workspace))
  (and (emacs-workspace-open workspace)
       (link-open-p (emacs-workspace-link workspace))))

(defun given-roots (options)
  "The directories in OPTIONS as they were spelled."
  (let ((allowed (entry-value options "allowed_paths")))
    (remove nil (cons (given-path (entry-value options "root"))
                      (and (typep allowed 'sequence) (not (stringp allowed))
                           (map 'list #'given-path allowed))))))

(defun close-by-post (link number)
  "Has Emacs close the workspace NUMBER, without waiting for it."
  (when (link-open-p link)
    (ignore-errors (post-to-emacs link (rpc-form :close number)))))

(defmethod open-by-transport ((transport (eql :emacs)) options)
  (let ((link (require-link)))
    (greet link)
    (let* ((reply (read-reply (ask-emacs link :open
                                         (emacs-arguments options *option-parameters*))))
           (code (error-code reply))
           (number (getf reply :workspace)))
      (when code
        (error (reply-condition reply code)))
      (finalize (make-emacs-workspace reply link number
                                      (append (getf reply :allowed-paths)
                                              (given-roots options)))
                (lambda () (close-by-post link number))))))

(defmethod close-workspace ((workspace emacs-workspace))
  (when (workspace-open-p workspace)
    (setf (emacs-workspace-open workspace) nil)
    (cancel-finalizer workspace)
    (ask-emacs (emacs-workspace-link workspace) :close (emacs-workspace-number workspace)))
  nil)

(defmethod reset-workspace ((workspace emacs-workspace))
  (check-workspace-open workspace)
  (let* ((link (emacs-workspace-link workspace))
         (reply (read-reply (ask-emacs link :reset (emacs-workspace-number workspace))))
         (code (error-code reply)))
    (when code
      (error (reply-condition reply code)))
    workspace))

(defun check-workspace-open (workspace)
  "Signals unless calls can go to WORKSPACE."
  (unless (emacs-workspace-open workspace)
    (invalid-argument "The workspace is closed"))
  (unless (link-open-p (emacs-workspace-link workspace))
    (lost-link nil)))

;;;; The table

(defvar *emacs-operations* nil
  "The latest table of operations and the connection that it came by, a cons.")

(defun link-operations (link)
  "The operations that the Emacs at LINK has."
  (let ((known *emacs-operations*))
    (if (and known (eq (car known) (link-connection link)))
        (cdr known)
        (let ((reply (progn (greet link) (read-reply (ask-emacs link :operations)))))
          (when (error-code reply)
            (error (reply-condition reply (error-code reply))))
          (cdr (setf *emacs-operations*
                     (cons (link-connection link) (mapcar #'parse-operation reply))))))))

(defmethod transport-operations ((transport (eql :emacs)))
  (link-operations (require-link)))

;;;; Calls

(defun refused-path (workspace entries parameters)
  "The first of the paths in ENTRIES that leads out of WORKSPACE, or nil."
  (let ((facts (workspace-properties workspace)))
    (unless (eq :unrestricted (getf facts :mode))
      (first-path-outside entries parameters (getf facts :root)
                          (emacs-workspace-roots workspace) (getf facts :home)))))

;;; Who leaves a call early, by a timeout, say, or C-c C-c, does not want it any more: Emacs need
;;; not ask about it, nor go on with it.

(defvar *call-count* 0
  "How many calls of tools were sent.")

(defvar *call-count-lock* (make-lock "agent-q-fs calls"))

(defun next-call ()
  "The number of a call that is about to be sent."
  (with-lock (*call-count-lock*)
    (incf *call-count*)))

(defun give-up-by-post (link call)
  "Tells Emacs that nobody waits for CALL, a number, any more."
  (when (link-open-p link)
    (ignore-errors (post-to-emacs link (rpc-form :give-up call)))))

(defun call-wanted (link function)
  "The values of FUNCTION, which is called with the number of its call and waits for that."
  (let ((call (next-call))
        (over nil))
    (unwind-protect
         (handler-bind ((agent-q-fs-error
                          (lambda (condition) ; an answer, or nothing was sent
                            (setf over (not (typep condition 'agent-q-fs-timeout))))))
           (multiple-value-prog1 (funcall function call)
             (setf over t)))
      (unless over (give-up-by-post link call)))))

(defun emacs-how (how)
  "HOW, of CALL-HOW, as data for Emacs."
  (loop for (name value) on how by #'cddr
        when value
          collect name
          and collect (emacs-value value :choice (key-name name))))

(defun send-call (workspace name operation entries how)
  "What Emacs answers to the call NAME, as ASK-EMACS has it; or nil, and the reply that
refuses the call."
  (check-workspace-open workspace)
  (let* ((parameters (and operation (operation-parameters operation)))
         (outside (refused-path workspace entries parameters)))
    (if outside
        (values nil (outside-reply outside (workspace-root workspace)))
        (let ((link (emacs-workspace-link workspace))
              (name (checked-text name "The operation's name"))
              (arguments (emacs-arguments entries parameters))
              (number (emacs-workspace-number workspace)))
          (call-wanted link (lambda (call)
                              (ask-emacs link name arguments
                                         (list* :workspace number :call call how))))))))

(defmethod perform ((workspace emacs-workspace) name operation entries how)
  (multiple-value-bind (answer refusal)
      (send-call workspace name operation entries (list* :data t (emacs-how how)))
    (let ((reply (if answer (read-reply answer) refusal)))
      (values reply (error-code reply)))))

(defmethod perform-tool ((workspace emacs-workspace) name operation entries approved)
  (multiple-value-bind (answer code)
      (send-call workspace name operation entries (and approved '(:approved t)))
    (if answer
        (values answer code)
        (values (reply-text code) (error-code code)))))
