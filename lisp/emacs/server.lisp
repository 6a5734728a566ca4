;;;; server.lisp -- the connection to Emacs, which is SLYNK's or SWANK's.
;;;;
;;;; SPDX-License-Identifier: MIT
;;;;
;;;; Both are found at run time: this system loads, and is compiled, without them.
;;;; A call is one `eval-in-emacs`, whose form is a function's name and data.

(in-package #:agent-q-fs)

(defvar *emacs-timeout* 600
  "Seconds that Emacs may take for one call, with the time a person takes to decide about
it; nil for any time.  Only SBCL heeds this.")

(defconstant +longest-message+ #xFFFFFF
  "Bytes.  SLY and SLIME tell a message's length in six hexadecimal digits.")

;;;; Servers
;;;
;;; SLYNK is a child of SWANK, and what is used here has kept its name in both, but for
;;; the debugger's level.

(defun server-symbol (server name)
  "The symbol NAME of SERVER, a package's name."
  (or (symbol-elsewhere name server)
      (fail 'agent-q-fs-not-connected :not-connected
            (format-message "Not connected to Emacs: this ~A has no ~A" (list server name))
            :hint "Use a current version of SLY or SLIME")))

(defun server-value (server name)
  "The value of SERVER's variable NAME, or nil."
  (let ((symbol (symbol-elsewhere name server)))
    (and symbol (boundp symbol) (symbol-value symbol))))

(defun open-connections (server)
  "The connections that SERVER has, the latest first."
  (server-value server "*CONNECTIONS*"))

(defstruct (link (:constructor make-link (server connection)) (:copier nil))
  "A connection to Emacs, and whose it is."
  (server "" :type string)
  (connection nil))

(defun link-open-p (link)
  "False once Emacs or the server has closed the connection."
  (and (member (link-connection link) (open-connections (link-server link))) t))

(defun same-link-p (link other)
  (eq (link-connection link) (link-connection other)))

(defun thread-link (server)
  "The link that SERVER has for this thread: a REPL's, say."
  (let ((connection (server-value server "*EMACS-CONNECTION*")))
    (and connection
         (member connection (open-connections server))
         (make-link server connection))))

(defun latest-link (server)
  "The link that was made last, for threads that are nobody's."
  (let ((connection (first (open-connections server))))
    (and connection (make-link server connection))))

(defun find-link ()
  "The link of this thread, or else the latest; nil without any."
  (let ((servers '("SLYNK" "SWANK")))
    (or (some #'thread-link servers)
        (some #'latest-link servers))))

(defun require-link ()
  "The link to Emacs."
  (or (find-link)
      (fail 'agent-q-fs-not-connected :not-connected "Not connected to Emacs"
            :hint "Start Lisp with M-x sly or M-x slime, or open a workspace with :transport :ffi")))

(defvar *connection-callers* '()
  "Functions that call a function in the context of a connection, by server.")

(defun connection-caller (server)
  "A function that calls one, its second argument, in the context of a connection, its first.
The server offers that as a macro, which is not there when this file is compiled."
  (or (cdr (assoc server *connection-callers* :test #'string=))
      (let ((caller (compile nil `(lambda (connection function)
                                    (,(server-symbol server "WITH-CONNECTION") (connection)
                                     (funcall function))))))
        (push (cons server caller) *connection-callers*)
        caller)))

(defun call-server (link name &rest arguments)
  "Calls the server's function NAME on behalf of LINK, from whatever thread."
  (let* ((server (link-server link))
         (function (server-symbol server name)))
    (funcall (the function (connection-caller server))
             (link-connection link)
             (lambda () (apply function arguments)))))

;;;; Waiting

(defun lost-link (done)
  "Signals that Emacs is gone.  DONE is true if it may have done what it was asked to."
  (fail 'agent-q-fs-not-connected :not-connected "Not connected to Emacs: the connection was closed"
        :hint (if done
                  "The call may have been done before: look before you repeat it"
                  "Connect again with M-x sly or M-x slime")))

(defun late-answer (seconds)
  "Signals that Emacs took too long."
  (fail 'agent-q-fs-timeout :timeout
        (format-message "Emacs has not answered within ~D seconds" (list seconds))
        :hint (format-message "It is busy, or somebody did not decide, and is not asked any more.  ~
                               If it was busy, the call may still be done: look before you repeat it"
                              '())))

(defun debugger-level (server)
  "How many debuggers this thread is in."
  (or (server-value server "*SLY-DB-LEVEL*") (server-value server "*SLDB-LEVEL*") 0))

(defun call-watching-link (link function)
  "Calls FUNCTION, which waits for Emacs; signals where LINK closes or time runs out."
  (let ((level (debugger-level (link-server link)))
        (waited 0))
    (call-with-watch 0.5
                     (lambda ()
                       ;; C-c C-c while waiting: the time in the debugger is the person's.
                       (when (= level (debugger-level (link-server link)))
                         (incf waited 0.5)
                         (cond ((not (link-open-p link)) (lost-link t))
                               ((and *emacs-timeout* (>= waited *emacs-timeout*))
                                (late-answer *emacs-timeout*)))))
                     function)))

;;;; Evaluating

(defun signalled-outside (function)
  "The value of FUNCTION, which calls the server.  Errors of ours are signalled after it has
been left: inside of it, they would be the server's to handle."
  (let ((failure nil))
    (multiple-value-prog1 (handler-case (funcall function)
                            (agent-q-fs-error (condition) (setf failure condition)))
      (when failure (error failure)))))

(defun forbidden (server)
  "Signals that Emacs does not evaluate for Lisp."
  (let ((variable (if (string= server "SLYNK")
                      "sly-enable-evaluate-in-emacs"
                      "slime-enable-evaluate-in-emacs")))
    (fail 'agent-q-fs-not-connected :not-connected
          (format-message "Not connected to Emacs: ~A is nil there" (list variable))
          :hint "M-x agent-q-fs-sly-setup in Emacs turns it on")))

(defun failure-in-emacs (condition server)
  "Signals what CONDITION, from SERVER, says that Emacs has signalled."
  (let ((words (princ-to-string condition)))
    (cond ((search "agent-q-fs-rpc-forbidden" words) (forbidden server))
          ((search "void-function" words)
           (fail 'agent-q-fs-not-connected :not-connected
                 "Not connected to Emacs: agent-q-fs is not loaded there"
                 :hint "In Emacs, add its directory elisp/ to load-path and evaluate (require 'agent-q-fs-rpc)"))
          (t (fail 'agent-q-fs-io :io (format-message "Emacs signalled ~A" (list words)))))))

(defun form-size (form)
  "About how many bytes FORM has in a message: it is printed as a string in a list."
  (typecase form
    (string (+ 8 (text-size form)))
    (cons (+ 8 (form-size (car form)) (form-size (cdr form))))
    (symbol (+ 2 (length (symbol-name form))))
    (t 24)))

(defun check-form-size (form)
  "Signals where FORM would not fit into a message."
  (let ((size (form-size form)))
    (when (> size (- +longest-message+ 256))
      (fail 'agent-q-fs-too-large :too-large
            (format-message "The arguments take ~D bytes on their way to Emacs, where at most ~D fit"
                            (list size (- +longest-message+ 256)))
            :hint "Send less at once: write_file and write_bytes can append"))))

(defmacro with-plain-printing (&body body)
  "Runs BODY as if the caller had bound no variable of the reader and printer."
  `(with-standard-io-syntax
     (let ((*read-eval* nil) (*print-readably* nil))
       ,@body)))

(defun wait-for-value (link form)
  "What Emacs returns for FORM."
  (let ((level (debugger-level (link-server link))))
    (handler-bind
        ;; What the server signals for Emacs is no more than this.  Other errors are of who
        ;; interrupts the waiting, and theirs.
        ((simple-error (lambda (condition)
                         (when (= level (debugger-level (link-server link)))
                           (failure-in-emacs condition (link-server link))))))
      (with-plain-printing
        (call-watching-link link (lambda () (call-server link "EVAL-IN-EMACS" form)))))))

(defun evaluate-in-emacs (link form)
  "The value of FORM, a list of a function's name and data, in the Emacs at LINK."
  (check-form-size form)
  (unless (link-open-p link) (lost-link nil))
  (signalled-outside (lambda () (wait-for-value link form))))

(defun post-to-emacs (link form)
  "Has FORM evaluated in the Emacs at LINK sometime."
  (with-plain-printing
    (call-server link "EVAL-IN-EMACS" form t)))
