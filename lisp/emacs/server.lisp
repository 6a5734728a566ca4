;;;; server.lisp -- the connection to Emacs, which belongs to SLYNK or SWANK.
;;;;
;;;; SPDX-License-Identifier: MIT
;;;;
;;;; Both servers are looked up at run time: this system is compiled and loaded without them.
;;;; A call is one `eval-in-emacs` of a form that is a function's name and data.

(in-package #:agent-q-fs)

(defvar *emacs-timeout* 600
  "Seconds that Emacs may take for one call, with the time that a person takes to decide; nil
for any time.  Only SBCL obeys this.")

(defconstant +longest-message+ #xFFFFFF
  "Bytes.  SLY and SLIME send the length of a message as six hexadecimal digits.")

;;;; Servers
;;;
;;; SLYNK is derived from SWANK.  The symbols that this file uses have the same names in both,
;;; except for the debugger's level.

(defparameter *servers* '("SLYNK" "SWANK")
  "The packages of the servers that Emacs may be connected to.")

(defun server-symbol (server name)
  "Returns the symbol NAME of SERVER, a package's name; signals if SERVER lacks it."
  (or (symbol-elsewhere name server)
      (fail 'agent-q-fs-not-connected :not-connected
            (format-message "Not connected to Emacs: this ~A has no ~A" (list server name))
            :hint "Use a current version of SLY or SLIME")))

(defun server-value (server name)
  "Returns the value of SERVER's variable NAME, or nil."
  (let ((symbol (symbol-elsewhere name server)))
    (and symbol (boundp symbol) (symbol-value symbol))))

(defun served-p (server connection)
  "Returns false while SERVER has no thread yet that sends messages for CONNECTION.  A connection
is listed a moment before it has one, and what is sent in that moment is lost."
  (let ((threaded (symbol-elsewhere "MULTITHREADED-CONNECTION" server))
        (sender (symbol-elsewhere "MCONN.CONTROL-THREAD" server)))
    (or (null sender)
        (not (find-class threaded nil))
        (not (typep connection threaded))
        (and (funcall sender connection) t))))

(defun open-connections (server)
  "Returns the connections of SERVER that can be used, the latest first."
  (remove-if-not (lambda (connection) (served-p server connection))
                 (server-value server "*CONNECTIONS*")))

(defstruct (link (:constructor make-link (server connection)) (:copier nil))
  "A connection to Emacs, and the server that it belongs to."
  (server "" :type string)
  (connection nil))

(defun link-open-p (link)
  "Returns false once Emacs or the server has closed the connection."
  (and (member (link-connection link) (open-connections (link-server link))) t))

(defun same-link-p (link other)
  (eq (link-connection link) (link-connection other)))

(defun thread-link (server)
  "Returns the link that SERVER has for this thread, such as a REPL's, or nil."
  (let ((connection (server-value server "*EMACS-CONNECTION*")))
    (and connection
         (member connection (open-connections server))
         (make-link server connection))))

(defun latest-link (server)
  "Returns the link of SERVER's latest connection, for threads that belong to no connection."
  (let ((connection (first (open-connections server))))
    (and connection (make-link server connection))))

(defun find-link ()
  "Returns the link of this thread, or else the latest one; nil without a connection."
  (or (some #'thread-link *servers*)
      (some #'latest-link *servers*)))

(defun require-link ()
  "Returns the link to Emacs; signals without a connection."
  (or (find-link)
      (fail 'agent-q-fs-not-connected :not-connected "Not connected to Emacs"
            :hint "Start Lisp with M-x sly or M-x slime, or open a workspace with :transport :ffi")))

(defvar *connection-callers* '()
  "An association list from servers to functions, of CONNECTION-CALLER.")

(defun connection-caller (server)
  "Returns a function of a connection and a function, which calls the latter in the context of
the former.  It is compiled at run time, because the server's macro is not there when this file
is compiled."
  (or (cdr (assoc server *connection-callers* :test #'string=))
      (let ((caller (compile nil `(lambda (connection function)
                                    (,(server-symbol server "WITH-CONNECTION") (connection)
                                     (funcall function))))))
        (push (cons server caller) *connection-callers*)
        caller)))

(defun call-server (link name &rest arguments)
  "Calls the server's function NAME for LINK.  Any thread may do so."
  (let* ((server (link-server link))
         (function (server-symbol server name)))
    (funcall (the function (connection-caller server))
             (link-connection link)
             (lambda () (apply function arguments)))))

;;;; Waiting

(defun lost-link (done)
  "Signals that the connection is closed.  DONE is true if Emacs may have run the call before."
  (fail 'agent-q-fs-not-connected :not-connected "Not connected to Emacs: the connection was closed"
        :hint (if done
                  "The call may have been done before: look before you repeat it"
                  "Connect again with M-x sly or M-x slime")))

(defun late-answer (seconds)
  "Signals that Emacs has not answered for SECONDS."
  (fail 'agent-q-fs-timeout :timeout
        (format-message "Emacs has not answered within ~D seconds" (list seconds))
        :hint (format-message "Emacs is busy, or the person did not decide; the question is ~
                               withdrawn.  A busy Emacs may still run the call: look before you repeat it"
                              '())))

(defun debugger-level (server)
  "Returns the number of SERVER's debuggers that this thread is in."
  (or (server-value server "*SLY-DB-LEVEL*") (server-value server "*SLDB-LEVEL*") 0))

(defun call-watching-link (link function)
  "Calls FUNCTION, which waits for Emacs; signals if LINK is closed or time runs out."
  (let ((level (debugger-level (link-server link)))
        (waited 0))
    (call-with-watch 0.5
                     (lambda ()
                       ;; After C-c C-c the person is in the debugger: that time does not count.
                       (when (= level (debugger-level (link-server link)))
                         (incf waited 0.5)
                         (cond ((not (link-open-p link)) (lost-link t))
                               ((and *emacs-timeout* (>= waited *emacs-timeout*))
                                (late-answer *emacs-timeout*)))))
                     function)))

;;;; Evaluating

(defun signalled-outside (function)
  "Returns the value of FUNCTION, which calls the server.  Our own errors are signalled after
FUNCTION has been left: before that, the server's handlers would get them."
  (let ((failure nil))
    (multiple-value-prog1 (handler-case (funcall function)
                            (agent-q-fs-error (condition) (setf failure condition)))
      (when failure (error failure)))))

(defun not-set-up ()
  "Signals that no agent-q-fs answers in Emacs."
  (fail 'agent-q-fs-not-connected :not-connected
        "Not connected to Emacs: agent-q-fs does not answer there"
        :hint "In Emacs, with the directory elisp/ of agent-q-fs in load-path, M-x agent-q-fs-sly-setup"))

(defun failure-in-emacs (condition)
  "Signals the error of Emacs that CONDITION, from the server, reports."
  (let ((words (princ-to-string condition)))
    (if (search "void-function" words)
        (not-set-up)
        (fail 'agent-q-fs-io :io (format-message "Emacs signalled ~A" (list words))))))

(defun form-size (form)
  "Returns at least the bytes that FORM takes in a message, where it is printed as a string."
  (typecase form
    (string (+ 8 (text-size form)))
    (cons (+ 8 (form-size (car form)) (form-size (cdr form))))
    (symbol (+ 2 (length (symbol-name form))))
    (t 24)))

(defun check-form-size (form)
  "Signals if FORM does not fit into a message."
  (let ((size (form-size form)))
    (when (> size (- +longest-message+ 256))
      (fail 'agent-q-fs-too-large :too-large
            (format-message "The arguments take ~D bytes on their way to Emacs, where at most ~D fit"
                            (list size (- +longest-message+ 256)))
            :hint "Send less at once: write_file and write_bytes can append"))))

(defmacro with-plain-printing (&body body)
  "Runs BODY with the standard values of the variables of the reader and the printer."
  `(with-standard-io-syntax
     (let ((*read-eval* nil) (*print-readably* nil))
       ,@body)))

(defun wait-for-value (link form)
  "Has Emacs evaluate FORM, and returns the value."
  (let ((level (debugger-level (link-server link))))
    (handler-bind
        ;; The server signals a simple-error for an error in Emacs.  Any other error comes from
        ;; code that has interrupted the waiting, and is left alone.
        ((simple-error (lambda (condition)
                         (when (= level (debugger-level (link-server link)))
                           (failure-in-emacs condition)))))
      (with-plain-printing
        (call-watching-link link (lambda () (call-server link "EVAL-IN-EMACS" form)))))))

(defun evaluate-in-emacs (link form)
  "Returns the value of FORM, a list of a function's name and data, in the Emacs at LINK."
  (check-form-size form)
  (unless (link-open-p link) (lost-link nil))
  (signalled-outside (lambda () (wait-for-value link form))))

(defun post-to-emacs (link form)
  "Has FORM evaluated in the Emacs at LINK, and does not wait for it."
  (with-plain-printing
    (call-server link "EVAL-IN-EMACS" form t)))
