;;;; workspace.lisp -- the transport :EMACS, through SLY's or SLIME's connection.
;;;;
;;;; SPDX-License-Identifier: MIT
;;;;
;;;; A call sends one message with the form (agent-q-fs-rpc NAME 'ARGUMENTS 'HOW) to Emacs, which
;;;; answers with a string: the text for a model, or a reply as the core prints it.

(in-package #:agent-q-fs)

(defun rpc-form (name &rest data)
  "Returns the form that Emacs evaluates.  NAME is a string or a keyword; DATA are data."
  `(agent-q-fs-rpc ,name ,@(loop for datum in data collect (list 'quote datum))))

(defun ask-emacs (link name &rest data)
  "Calls agent-q-fs-rpc with NAME and DATA, and returns its string.  The second value is nil, or
the code of the error that the string describes."
  (let ((value (evaluate-in-emacs link (apply #'rpc-form name data))))
    (cond ((stringp value) (values value nil))
          ((and (proper-list-p value) (= 2 (length value)) (every #'stringp value))
           (values (second value) (first value)))
          (t (malformed "Emacs sent ~A" (describe-type value))))))

(defun error-code (reply)
  "Returns the code of an error REPLY, a string; nil for any other reply."
  (and (consp reply)
       (eq :error (first reply))
       (let ((code (second reply)))
         (if (symbolp code) (string-downcase (symbol-name code)) code))))

;;;; The greeting
;;;
;;; An Emacs in which agent-q-fs is not set up, and that may not evaluate, does not answer at all.
;;; So the first message of a connection is followed by a ping, which Emacs always answers, and
;;; answers in order.

(defvar *greeted* '()
  "The connections whose Emacs has answered the greeting.")

(defvar *greeted-lock* (make-lock "agent-q-fs connections"))

(defun greeted-p (link)
  (with-lock (*greeted-lock*)
    (member (link-connection link) *greeted*)))

(defun remember-greeted (link)
  "Remembers the connection of LINK, and forgets connections that are closed."
  (with-lock (*greeted-lock*)
    (setf *greeted* (cons (link-connection link)
                          (intersection *greeted* (open-connections (link-server link)))))))

(defun greeting ()
  (rpc-form :hello agent-q-fs/catalogue:*version*))

(defun greet-and-ping (link)
  "Sends the greeting and a ping, and returns the answer to the greeting in the server's form;
nil if only the ping was answered."
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
  "Signals unless REPLY, the answer to the greeting, has our version."
  (let ((version (getf (read-reply reply) :version)))
    (unless (equal version agent-q-fs/catalogue:*version*)
      (fail 'agent-q-fs-not-connected :not-connected
            (format-message "Not connected to Emacs: agent-q-fs is of version ~A there, and ~
                             of ~A in Lisp"
                            (list version agent-q-fs/catalogue:*version*))
            :hint "Load both from one directory, and restart the older one"))))

(defun greet (link)
  "Signals unless the Emacs at LINK answers the greeting, now or before."
  (unless (greeted-p link)
    (unless (link-open-p link) (lost-link nil))
    (destructuring-bind (&optional outcome value &rest more)
        (signalled-outside (lambda () (greet-and-ping link)))
      (case outcome
        (:ok (check-version value))
        ((nil) (not-set-up))
        (t (failure-in-emacs (make-condition 'simple-error
                                             :format-control "~A~{ ~A~}"
                                             :format-arguments (list value more))))))
    (remember-greeted link)))

;;;; Calls that somebody waits for

;;; A caller that leaves a call early, by a timeout or C-c C-c, does not want its result: Emacs is
;;; told to withdraw the question about it, and to stop it.

(defvar *call-count* 0
  "The number of the latest call that was sent.")

(defvar *call-count-lock* (make-lock "agent-q-fs calls"))

(defun next-call ()
  "Returns a number for a call that is about to be sent."
  (with-lock (*call-count-lock*)
    (incf *call-count*)))

(defun give-up-by-post (link call)
  "Tells Emacs that Lisp does not wait for CALL, a number, any more."
  (when (link-open-p link)
    (ignore-errors (post-to-emacs link (rpc-form :give-up call)))))

(defun call-wanted (link function)
  "Calls FUNCTION with the number of a new call, which FUNCTION sends and waits for, and returns
its values.  If FUNCTION is left early, Emacs is told."
  (let ((call (next-call))
        (over nil))
    (unwind-protect
         (handler-bind ((agent-q-fs-error
                          ;; The call was answered or never sent, unless time ran out.
                          (lambda (condition)
                            (setf over (not (typep condition 'agent-q-fs-timeout))))))
           (multiple-value-prog1 (funcall function call)
             (setf over t)))
      (unless over (give-up-by-post link call)))))

;;;; Workspaces

(defmethod transport-connection ((transport (eql :emacs)))
  (let ((link (find-link)))
    (and link (link-connection link))))

(defmethod transport-connected-p ((transport (eql :emacs)) connection)
  (and (find-if (lambda (server) (member connection (open-connections server)))
                *servers*)
       t))

(defstruct (emacs-workspace (:include workspace) (:copier nil)
                            (:constructor make-emacs-workspace (properties link number roots)))
  "A workspace of the Emacs at LINK, which calls it NUMBER."
  (link nil :type link :read-only t)
  (number 0 :type integer :read-only t)
  (roots '() :type list :read-only t)   ; further directories that may be used, native names
  (open t))

(defmethod workspace-transport ((workspace emacs-workspace))
  :emacs)

(defmethod workspace-open-p ((workspace emacs-workspace))
  (and (emacs-workspace-open workspace)
       (link-open-p (emacs-workspace-link workspace))))

(defun given-roots (options)
  "Returns the directories in OPTIONS as the caller spelled them."
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
    (let* ((arguments (emacs-arguments options *option-parameters*))
           (reply (read-reply (call-wanted link (lambda (call)
                                                  (ask-emacs link :open arguments
                                                             (list :call call))))))
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
  "Signals if WORKSPACE or its connection is closed."
  (unless (emacs-workspace-open workspace)
    (invalid-argument "The workspace is closed"))
  (unless (link-open-p (emacs-workspace-link workspace))
    (lost-link nil)))

;;;; The table

(defvar *emacs-operations* nil
  "The latest table of operations and the connection that it came by, a cons.")

(defun link-operations (link)
  "Returns the operations that the Emacs at LINK has."
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
  "Returns the first of the paths in ENTRIES that leads out of WORKSPACE, or nil."
  (let ((facts (workspace-properties workspace)))
    (unless (eq :unrestricted (getf facts :mode))
      (first-path-outside entries parameters (getf facts :root)
                          (emacs-workspace-roots workspace) (getf facts :home)))))

(defun emacs-how (how)
  "Returns HOW, of CALL-HOW, as data for Emacs."
  (loop for (name value) on how by #'cddr
        when value
          collect name
          and collect (emacs-value value :choice (key-name name))))

(defun send-call (workspace name operation entries how)
  "Sends the call of NAME to Emacs, and returns the values of ASK-EMACS; or nil, and a reply that
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
      (send-call workspace name operation entries (and approved (list :approved approved)))
    (if answer
        (values answer code)
        (values (reply-text code) (error-code code)))))
