;;;; emacs.lisp -- a real Emacs on a real terminal, connected to this Lisp.
;;;;
;;;; SPDX-License-Identifier: MIT
;;;;
;;;; E2E_SERVER is swank or slynk, E2E_CLIENT the directory of SLIME or SLY in Emacs Lisp.

(in-package #:agent-q-fs/e2e)

(defvar *server* (string-upcase (or (uiop:getenv "E2E_SERVER") "swank")))

(defvar *port* nil
  "The port on which this Lisp listens for Emacs.")

(defun server-symbol (name)
  (or (find-symbol name *server*) (error "~A has no ~A" *server* name)))

(defun load-quietly (function)
  "Calls FUNCTION, which compiles other people's code, without its output and warnings."
  (let ((*standard-output* (make-broadcast-stream))
        (*error-output* (make-broadcast-stream)))
    (handler-bind ((warning #'muffle-warning))
      (funcall function))))

(defun listen-for-emacs ()
  "Starts the server, without its log and without the compiler's output about its REPL."
  (when (string= *server* "SWANK")
    (load-quietly (lambda () (funcall (server-symbol "SWANK-REQUIRE") '(:swank-repl)))))
  (setf (symbol-value (server-symbol "*LOG-OUTPUT*")) (make-broadcast-stream)
        *port* (funcall (server-symbol "CREATE-SERVER") :port 0 :dont-close t)))

;;;; The process

(defstruct (emacs (:copier nil))
  "An Emacs that was started."
  process thread
  (screen (make-array 100000 :element-type 'character :adjustable t :fill-pointer 0))
  (lock (sb-thread:make-mutex :name "screen")))

(defvar *emacs* nil
  "The Emacs that tests use.")

(defun source-file (name)
  (uiop:native-namestring (asdf:system-relative-pathname "agent-q-fs" name)))

(defun built-elisp ()
  "Returns the directory of the compiled Emacs Lisp."
  (source-file (format nil "../~A/elisp/" (or (uiop:getenv "BUILD") "build"))))

(defun emacs-command ()
  "Returns the arguments of script that run Emacs on a terminal of its own."
  (list "-qfec"
        (format nil "stty rows 40 cols 120; exec ~A -Q -nw -l '~A'"
                (or (uiop:getenv "EMACS") "emacs") (source-file "../test/e2e/child.el"))
        "/dev/null"))

(defun emacs-environment (elisp form)
  (flet ((mine-p (entry)
           (member (subseq entry 0 (or (position #\= entry) (length entry)))
                   '("E2E_PORT" "E2E_ELISP" "E2E_FORM" "TERM" "INSIDE_EMACS")
                   :test #'string=)))
    (list* (format nil "E2E_PORT=~D" *port*)
           (format nil "E2E_ELISP=~A" (if elisp (built-elisp) ""))
           (format nil "E2E_FORM=~A" form)
           "TERM=xterm"
           (remove-if #'mine-p (sb-ext:posix-environ)))))

(defun drain (emacs)
  "Reads all that EMACS writes to its terminal, until it ends.  Without this EMACS would wait."
  (let ((output (sb-ext:process-output (emacs-process emacs))))
    (handler-case
        (loop for character = (read-char output nil)
              while character
              do (sb-thread:with-mutex ((emacs-lock emacs))
                   (vector-push-extend character (emacs-screen emacs))))
      (stream-error () nil))))

(defun wait-until (predicate &key (seconds 300) (what "something"))
  "Waits for PREDICATE to be true, and returns its value.  SECONDS is for what never happens."
  (loop with deadline = (+ (get-internal-real-time) (* seconds internal-time-units-per-second))
        for value = (funcall predicate)
        when value return value
        when (> (get-internal-real-time) deadline)
          do (error "Waited ~D seconds for ~A~@[; the screen said ~A~]" seconds what
                    (and *emacs* (screen-tail)))
        do (sleep 0.01)))

(defun screen-tail ()
  (let ((screen (emacs-screen *emacs*)))
    (subseq screen (max 0 (- (length screen) 1500)))))

(defun start-emacs (&key (elisp t) (form "nil") (wait t))
  "Starts an Emacs and, with WAIT, waits until it is connected."
  (let* ((process (sb-ext:run-program "script" (emacs-command)
                                      :search t :wait nil :input :stream :output :stream
                                      :external-format :latin-1
                                      :environment (emacs-environment elisp form)))
         (emacs (make-emacs :process process)))
    (setf (emacs-thread emacs) (sb-thread:make-thread #'drain :arguments (list emacs)))
    (setf *emacs* emacs)
    (when wait
      (wait-until #'agent-q-fs::find-link :what "Emacs to connect")
      (wait-for-client emacs))
    emacs))

(defun wait-for-client (emacs)
  "Waits until the client in EMACS has ended its first talk with Lisp."
  (let ((*emacs* emacs))
    (wait-until (lambda () (shown-p "Lisp connected" 0)) :what "the client to be ready")))

(defun emacs-children (pid)
  "Returns the processes that PID has started."
  (mapcar #'parse-integer
          (uiop:split-string (string-trim '(#\Newline)
                                          (uiop:run-program
                                           (list "ps" "-o" "pid=" "--ppid"
                                                 (princ-to-string pid))
                                           :output :string :ignore-error-status t))
                             :separator '(#\Newline))))

(defun kill-emacs (emacs)
  "Kills EMACS, so that it ends as in a crash."
  (let ((process (emacs-process emacs)))
    (when (sb-ext:process-alive-p process)
      (dolist (pid (ignore-errors (emacs-children (sb-ext:process-pid process))))
        (uiop:run-program (list "kill" "-9" (princ-to-string pid)) :ignore-error-status t))
      (sb-ext:process-kill process 9))
    (sb-ext:process-wait process)
    (ignore-errors (sb-ext:process-close process))))

(defun wait-for-silence ()
  "Waits until no Emacs is connected."
  (wait-until (lambda () (null (agent-q-fs::find-link))) :what "the connection to close"))

(defun fresh-emacs (&rest options)
  "Kills the present Emacs, if any, and starts another one."
  (when *emacs* (kill-emacs *emacs*))
  (wait-for-silence)
  (apply #'start-emacs options))

;;;; Looking into it

(defun to-emacs (form &optional nowait)
  "Has Emacs evaluate FORM, without the functions under test."
  (with-standard-io-syntax
    (let ((*print-readably* nil))
      (agent-q-fs::call-server (agent-q-fs::require-link) "EVAL-IN-EMACS" form nowait))))

(defun emacs-value (text)
  "Returns the value of TEXT, a form of Emacs Lisp; t for a value that cannot be sent."
  (to-emacs `(let ((value (eval (car (read-from-string ,text)) t)))
               (if (or (stringp value) (integerp value) (null value)) value t))))

(defun messages ()
  "Returns the number of messages to Emacs that asked for an evaluation."
  (emacs-value "e2e-messages"))

(defmacro counting-messages (&body body)
  "Returns the number of messages that BODY sends."
  `(let ((before (messages)))
     ,@body
     (- (messages) before 1)))

(defun in-elisp (control &rest arguments)
  "Returns CONTROL with ARGUMENTS, strings, as Emacs Lisp prints them."
  (apply #'format nil control
         (mapcar (lambda (argument)
                   (with-output-to-string (out)
                     (write-char #\" out)
                     (loop for character across argument
                           do (when (find character "\"\\") (write-char #\\ out))
                              (write-char character out))
                     (write-char #\" out)))
                 arguments)))

(defmacro trusting ((&rest words) &body body)
  "Runs BODY while Emacs heeds what this Lisp says about WORDS; see agent-q-fs-rpc-trust."
  `(unwind-protect (progn (emacs-value ,(format nil "(setq agent-q-fs-rpc-trust '~(~A~))" words))
                          ,@body)
     (emacs-value "(setq agent-q-fs-rpc-trust nil)")))

;;;; The person

(defun type-keys (keys)
  "Types KEYS, a string, on the terminal."
  (let ((keyboard (sb-ext:process-input (emacs-process *emacs*))))
    (write-string keys keyboard)
    (finish-output keyboard)))

(defun screen-position ()
  (sb-thread:with-mutex ((emacs-lock *emacs*))
    (length (emacs-screen *emacs*))))

(defun shown-p (text start)
  "Returns true if the screen has shown TEXT since START."
  (sb-thread:with-mutex ((emacs-lock *emacs*))
    (search text (emacs-screen *emacs*) :start2 start)))

(defun wait-for-shown (start)
  "Waits until a request has been drawn since START; a key decides about it from then on."
  (wait-until (lambda () (shown-p "request shown" start)) :what "the request"))

(defun open-requests ()
  "Opens the requests that wait, as the person does."
  (let ((start (screen-position)))
    (type-keys (format nil "~Cr" (code-char 3)))
    (wait-for-shown start)))

(defun wait-for-question (start)
  "Waits until the person is told that a request waits, and opens the requests."
  (wait-until (lambda () (shown-p "to approve]" start)) :what "the question")
  (sleep 0.3)                           ; the keys come after the redisplay, as a person's do
  (open-requests))

(defun call-answering (keys function)
  "Calls FUNCTION in a thread, types each of KEYS at a request, and returns its values.  The key
`q` stands for a denial without a reason."
  (let* ((values '())
         (start (screen-position))
         (workspace (current-workspace))
         (thread (start-thread
                  (lambda ()
                    (let ((*workspace* workspace))
                      (setf values (multiple-value-list (funcall function))))))))
    (dolist (key keys)
      (wait-for-question start)
      (setf start (screen-position))
      (type-keys (if (string= key "q") (format nil "n~C" (code-char 13)) key)))
    (join thread)
    (values-list values)))

(defmacro answering ((&rest keys) &body body)
  "Returns the values of BODY, while a person answers questions with KEYS."
  `(call-answering (list ,@keys) (lambda () ,@body)))

(defun questions ()
  "Returns the number of questions so far."
  (emacs-value "e2e-questions"))

(defmacro counting-questions (&body body)
  "Returns the number of questions to the person at Emacs during BODY."
  `(let ((asked (questions)))
     ,@body
     (- (questions) asked)))

;;;; Running

(defun call-with-project (function files)
  "Calls FUNCTION with a directory that has FILES as the project."
  (call-with-tree (lambda (root)
                    (let ((*workspace* nil)
                          (agent-q-fs::*opened* nil)
                          (*transport* :emacs)
                          (*project-root* root))
                      (funcall function root)))
                  files))

(defmacro with-project ((root &rest files) &body body)
  "Runs BODY with a new directory ROOT of FILES as the project, reached through Emacs."
  `(call-with-project (lambda (,root) (declare (ignorable ,root)) ,@body)
                      (list ,@(loop for file in files collect `(list ,@file)))))

(defun run-tests ()
  "Runs the tests, and returns how many passed, failed and were skipped."
  (listen-for-emacs)
  (start-emacs)
  (unwind-protect (run-package '#:agent-q-fs/e2e)
    (kill-emacs *emacs*)))
