;;; agent-q-fs-exec-run.el --- Run a command, and end it  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A run is a command from its start to the end of all processes that it started.
;; `agent-q-fs-exec-run-start' begins one and returns at once.  Its output is collected,
;; and its ON-END is called once, when
;;
;;   - the command has ended, by itself or by `agent-q-fs-exec-run-end';
;;   - no process that it started is alive;
;;   - its output has been read.
;;
;; A command that could not be started has a problem, which is an error's reply.
;;
;; The program agent-q-fs-run, of which each command has its own, starts the command, is
;; the parent of all that this starts, and ends it: also when Emacs or the runner is killed.
;; Emacs writes to it and reads from it records: WORD LENGTH newline BYTES.
;;
;; The directory is judged by the core.  The runner enters it by name, and asks the kernel
;; where it is: if that is not the directory that the core has judged, nothing is run.

;;; Code:

(require 'agent-q-fs)
(require 'agent-q-fs-exec-process)
(require 'agent-q-fs-exec-isolate)
(require 'agent-q-fs-load)
(require 'cl-lib)

(defconst agent-q-fs-exec-run--longest 120000
  "Bytes that a command may have.  The kernel takes no argument above 128 KiB.")

(defconst agent-q-fs-exec-run--patience 5
  "Seconds after which it is not hoped any more that a runner ends its command.
By itself it takes 0.3 for asking, and 1.8 for killing.")

(defconst agent-q-fs-exec-run--window 65536
  "Bytes of an output that the runner sends without being asked for more.
Of what comes beyond that it keeps the end and counts the rest, so the
command never waits, and a flood costs Emacs nothing.")

(defconst agent-q-fs-exec-run--pace 0.02
  "Seconds before the runner of a command that prints much is asked for more.")

(defconst agent-q-fs-exec-run--unread 4000000
  "The most bytes that may wait to be typed.")

(defcustom agent-q-fs-exec-size '(24 . 80)
  "Lines and columns of the terminals of commands."
  :group 'agent-q-fs-exec
  :type '(cons natnum natnum))

(defcustom agent-q-fs-exec-limits nil
  "Limits of commands, a list of (NAME . NUMBER); nil for those of Emacs.
NAME is `processes', how many the user may have; `memory', bytes of
addresses of each process; `file', bytes of each file that is written;
`files', open files of each process; or `seconds', of a processor, of
each process.  Containers of podman have options of their own for that."
  :group 'agent-q-fs-exec
  :type '(alist :key-type (choice (const processes) (const memory) (const file)
                                  (const files) (const seconds))
                :value-type natnum))

(cl-defstruct (agent-q-fs-exec-run (:constructor agent-q-fs-exec-run--make) (:copier nil))
  "A command, from its start to the end of all that it started."
  workspace command tty
  (directory nil :documentation "Where, as the workspace names it.")
  (isolation nil :documentation "(KIND . OPTIONS), as `agent-q-fs--isolation-of' returns it.")
  (on-output nil :documentation "Called with the run and bytes that it has printed.")
  (on-end nil :documentation "Called with the run, once.")
  (stdout (agent-q-fs-exec-output-make))
  (stderr (agent-q-fs-exec-output-make))
  (process nil :documentation "The runner, once there is one.")
  (rest "" :documentation "The beginning of a record from the runner.")
  (window agent-q-fs-exec-run--window :documentation "Bytes that the runner may still send.")
  (terminal nil :documentation "The name of the command's terminal, once it has begun.")
  (typed 0 :documentation "Bytes that the terminal has taken.")
  (sent 0 :documentation "Bytes that the runner was given to type.")
  (peak nil :documentation "KiB of memory of the largest process, once it has ended.")
  (mark nil :documentation "The mark of all processes that it starts.")
  (started (float-time))
  (seconds nil :documentation "How long it took, once it has ended.")
  (status nil :documentation "(exit . NUMBER) or (signal . NUMBER), once the command has ended.")
  (reason nil :documentation "Why it was ended: a symbol; nil if it ended by itself.")
  (left 0 :documentation "How many processes were alive when the command had ended.")
  (survivors nil :documentation "The pids of processes that could not be ended.")
  (problem nil :documentation "An error's reply, if it could not be started.")
  (ended nil))

(defvar agent-q-fs-exec-run--all nil
  "The runs that have not ended.")

(defvar agent-q-fs-exec-run-changed-hook nil
  "Functions called when a run has begun or ended.")

(defun agent-q-fs-exec-run-list ()
  "Return the runs that have not ended, the latest first."
  (copy-sequence agent-q-fs-exec-run--all))

(defun agent-q-fs-exec-run--changed ()
  "Tell that a run has begun or ended."
  (with-demoted-errors "agent-q-fs: error about a command: %S"
    (run-hooks 'agent-q-fs-exec-run-changed-hook)))


;;;; Where

(defun agent-q-fs-exec-run-place (workspace workdir)
  "Return the path of the directory WORKDIR of WORKSPACE, or signal an error.
It is canonical, as the workspace names it."
  (when (eq :memory (plist-get (agent-q-fs-workspace-facts workspace) :backend))
    (agent-q-fs--fail :unknown-operation "No command can be run in a workspace in memory: \
programs cannot see its files"))
  (unless (or (equal "" (agent-q-fs-workspace-prefix workspace))
              (eq 'none (agent-q-fs-exec-isolation-kind workspace)))
    (agent-q-fs--fail :command-failed "Commands of this project are isolated by %s, which is not to \
be had on another machine (%s); they are not run without it.  Its person may open it with \
:isolation 'none" (agent-q-fs-exec-isolation-kind workspace) (agent-q-fs-workspace-root workspace)))
  ;; The command's own events tell of it.
  (let ((info (agent-q-fs--look workspace 'get_file_info (list :path (or workdir ".")))))
    (unless (eq :directory (plist-get info :type))
      (agent-q-fs--fail :not-a-directory "workdir: '%s' is not a directory" workdir))
    (plist-get info :path)))

(defun agent-q-fs-exec-run-check (command name)
  "Signal an error unless COMMAND, the argument NAME, can be given to a shell."
  (let ((bytes (string-bytes command)))
    (cond
     ((string-search "\0" command)
      (agent-q-fs--fail :invalid-argument "%s: it has a NUL, which no command can have" name))
     ((string-match-p "\\`[ \t\n\r]*\\'" command)
      (agent-q-fs--fail :invalid-argument "%s: expected a command, got nothing" name))
     ((> bytes agent-q-fs-exec-run--longest)
      (agent-q-fs--fail :too-long "%s: %d bytes are too many, at most %d can be run; \
write them to a file and run that" name bytes agent-q-fs-exec-run--longest)))))


;;;; More access for one command

(defconst agent-q-fs-exec-run--access
  '(("project" . "as the isolation of the project has it")
    ("protected" . "also .git and the protected files can be changed")
    ("everything" . "no isolation: files anywhere, network, processes"))
  "Values of the argument access of tools that start a command, with words.")

(defconst agent-q-fs-exec-run-access
  `(:name "access" :type :choice :default "\"project\""
          :choices ,(mapcar #'car agent-q-fs-exec-run--access)
          :doc "Reach beyond the isolation, after a denied access: protected (.git and \
protected files, too), everything (none). The user decides.")
  "The parameter of tools that start a command, for more than its isolation allows.")

(defun agent-q-fs-exec-isolation-for (workspace arguments)
  "Return the isolation of a command of WORKSPACE with ARGUMENTS.
It is (KIND . OPTIONS)."
  (let ((own (agent-q-fs--isolation-of workspace)))
    (pcase (plist-get arguments :access)
      ((guard (eq 'none (car own))) own)
      ("everything" '(none))
      ("protected"
       (when (eq 'podman (car own))
         (agent-q-fs--fail :invalid-argument "access: expected project or everything: what the \
container of this project can change was fixed when it was started"))
       (cons (car own) (plist-put (copy-sequence (cdr own)) :writable t)))
      (_ own))))

(defun agent-q-fs-exec-isolation-difference (workspace arguments)
  "Return a fact for a person if ARGUMENTS ask for more than WORKSPACE allows.
It is (NAME . WORDS), in a list."
  (unless (or (member (plist-get arguments :access) '(nil "project"))
              (equal (agent-q-fs--isolation-of workspace)
                     (agent-q-fs-exec-isolation-for workspace arguments)))
    (list (cons "Asks for" (format "%s; the project has %s"
                                   (cdr (assoc (plist-get arguments :access)
                                               agent-q-fs-exec-run--access))
                                   (agent-q-fs-exec-isolation-words workspace))))))


;;;; Starting

(defun agent-q-fs-exec-run--record (word &optional body)
  "Return the record WORD with BODY, a string, as a runner reads it."
  (agent-q-fs-exec-records (list (cons word body))))

(defvar agent-q-fs-exec-run--variables nil
  "The records of an environment of commands, (ENVIRONMENT . RECORDS).")

(defun agent-q-fs-exec-run--variables ()
  "Return the records of the environment of commands."
  (let ((environment (agent-q-fs-exec-environment)))
    (unless (eq environment (car agent-q-fs-exec-run--variables))
      (setq agent-q-fs-exec-run--variables
            (cons environment (agent-q-fs-exec-records
                               (mapcar (lambda (entry) (cons "variable" entry)) environment)))))
    (cdr agent-q-fs-exec-run--variables)))

(defun agent-q-fs-exec-run--limits ()
  "Return the records of the limits of commands."
  (mapcar (pcase-lambda (`(,name . ,most)) (cons "limit" (format "%s %s" name most)))
          (default-value 'agent-q-fs-exec-limits)))

(defun agent-q-fs-exec-run--request (run name &optional there)
  "Return the records that have a runner start RUN in the directory NAME.
THERE: it is on another machine, whose server tells it the version and adds
what it has of that machine's environment."
  (pcase-let* ((mark (agent-q-fs-exec-run-mark run))
               (`(,words . ,options)
                (agent-q-fs-exec-isolate-command
                 (agent-q-fs-exec-run-workspace run) name (agent-q-fs-exec-run-tty run) mark
                 (encode-coding-string (agent-q-fs-exec-run-command run) 'utf-8-unix)))
               (size (default-value 'agent-q-fs-exec-size)))
    (agent-q-fs-exec-records
     (append
      (unless there `(("version" . ,agent-q-fs-module-version)))
      `(("directory" . ,name)
        ("window" . ,(format "%d %d" agent-q-fs-exec-run--window agent-q-fs-exec-output--keep)))
      (when (agent-q-fs-exec-run-tty run)
        `(("terminal" . ,(format "%d %d" (car size) (cdr size)))))
      (when (memq 'filter options) '(("filter")))
      (when (memq 'deaf options) '(("deaf")))
      (seq-remove #'symbolp options)
      (if (memq 'marked options)
          `(("mark" . ,(format "%s %d" (agent-q-fs-exec-mark-id mark)
                               (agent-q-fs-exec-mark-limit mark))))
        (agent-q-fs-exec-run--limits))
      (mapcar (lambda (word) (cons "word" word)) words)
      (list (cons "variable" (agent-q-fs-exec-mark-entry mark)))
      (if there
          (mapcar (lambda (entry) (cons "variable" entry))
                  (default-value 'agent-q-fs-exec-settings))
        (list (agent-q-fs-exec-run--variables)))
      '(("start"))))))

(defun agent-q-fs-exec-run--make-runner (file)
  "Start the runner FILE, which waits for a request, and return its process."
  (let ((process-environment '("DISPLAY")) ; else Emacs adds that of a frame
        (process-adaptive-read-buffering nil)
        (file-name-handler-alist nil)
        (default-directory "/"))
    (make-process :name "agent-q-fs command" :buffer nil :noquery t
                  :file-handler nil :coding 'binary :connection-type 'pipe
                  :command (list file)
                  :filter #'agent-q-fs-exec-run--filter
                  :sentinel #'agent-q-fs-exec-run--sentinel)))

(defun agent-q-fs-exec-run--launch (run name)
  "Have a runner start RUN in the directory NAME; signal an error if that fails."
  (agent-q-fs-exec-run--begin-runner (agent-q-fs-exec-run-workspace run) run name))

(cl-defgeneric agent-q-fs-exec-run--begin-runner (_workspace run name)
  "Have a runner start RUN, of WORKSPACE, in the directory NAME.
Set the process of RUN to that runner, or to what stands for it."
  (let* ((request (agent-q-fs-exec-run--request run name))
         (file (agent-q-fs-exec-runner))
         (spare (agent-q-fs-exec-run--take-spare file)))
    (unless (and spare
                 (or (agent-q-fs-exec-run--give spare run request)
                     ;; Its end is not that of RUN.
                     (ignore (process-put spare 'agent-q-fs-exec nil))))
      ;; If the runner is no runner, its end says so.
      (agent-q-fs-exec-run--give (agent-q-fs-exec-run--make-runner file) run request))
    (run-with-timer 0 nil #'agent-q-fs-exec-run--prepare-spare file)))

(defun agent-q-fs-exec-run--give (process run request)
  "Give PROCESS, a runner, RUN and the REQUEST for it; return nil if it is gone."
  (process-put process 'agent-q-fs-exec run)
  (setf (agent-q-fs-exec-run-process run) process)
  (ignore-errors (process-send-string process request) t))

(defun agent-q-fs-exec-run--fail (run reply)
  "End RUN, which could not be started, with REPLY, an error's."
  (setf (agent-q-fs-exec-run-problem run) reply)
  (agent-q-fs-exec-run--finish run))

(defun agent-q-fs-exec-run--begin (run name problem)
  "Start RUN in the directory NAME, unless there is a PROBLEM, an error's reply."
  (cond
   ((agent-q-fs-exec-run-ended run))    ; while its isolation was prepared
   (problem (agent-q-fs-exec-run--fail run problem))
   (t
    (condition-case caught
        (agent-q-fs-exec-run--launch run name)
      (agent-q-fs-error (agent-q-fs-exec-run--fail run (cdr caught)))
      (error (agent-q-fs-exec-run--fail
              run (agent-q-fs--error-reply
                   :command-failed "The command could not be started: %s"
                   (agent-q-fs-audit-plain (error-message-string caught)))))))))

(cl-defun agent-q-fs-exec-run-start (workspace command place
                                               &key tty on-output on-end (name "command"))
  "Start COMMAND in PLACE of WORKSPACE, and return a run.
PLACE is what `agent-q-fs-exec-run-place' returned a moment ago.  With
TTY the command has a terminal.  ON-OUTPUT is called with the run and
bytes that were printed, ON-END with the run when it has ended.  NAME is
how errors name the argument that COMMAND is."
  (agent-q-fs-exec-run-check command name)
  (let ((run (agent-q-fs-exec-run--make
              :workspace workspace :command command :tty tty :directory place
              :isolation (agent-q-fs--isolation-of workspace)
              :mark (agent-q-fs-exec-mark-new) :on-output on-output :on-end on-end)))
    (push run agent-q-fs-exec-run--all)
    (agent-q-fs-exec-run--changed)
    (agent-q-fs-exec-isolate-prepare
     workspace (lambda (problem)
                 (agent-q-fs-exec-run--begin run (agent-q-fs-path-name workspace place) problem)))
    run))


;;;; The runner

;; It is a process of Emacs, or one on another machine (agent-q-fs-remote.el).

(cl-defgeneric agent-q-fs-exec-run--awaited (runner)
  "Return the process whose output tells of RUNNER, or nil if that has ended."
  (and (process-live-p runner) runner))

(cl-defgeneric agent-q-fs-exec-run--write (runner bytes)
  "Send BYTES, records, to RUNNER."
  (process-send-string runner bytes))

(cl-defgeneric agent-q-fs-exec-run--ask-to-end (runner)
  "Have RUNNER ask its command to end, and kill it a moment later."
  ;; The command may have stopped its runner, which then reads the first one by the second.
  (dolist (signal '(SIGTERM SIGCONT))
    (signal-process runner signal)))

(cl-defgeneric agent-q-fs-exec-run--kill (runner)
  "Have RUNNER kill its command, and tell of it."
  (process-send-eof runner))

(cl-defgeneric agent-q-fs-exec-run--drop (runner)
  "Forget RUNNER, which kills its command then, if it has not ended."
  (delete-process runner))


;;;; The next runner

;; To start a runner takes longer than to run a short command.  So, beside each command, the
;; runner of the next one is started, and waits for its request.  It ends by itself when Emacs
;; does, as every runner.

(defvar agent-q-fs-exec-run--spare-seconds 120
  "Seconds that a runner waits for a command before it is let go.")

(defvar agent-q-fs-exec-run--spare nil
  "The runner that waits for the next command, (PROCESS FILE MODES), or nil.
FILE is the runner's, and MODES are those that new files would have had.")

(defvar agent-q-fs-exec-run--spare-timer (timer-create)
  "The timer that lets the waiting runner go.")

(defun agent-q-fs-exec-run--drop-spare (&optional process)
  "Let the waiting runner go; with PROCESS, only if it is that one."
  (let ((spare (car agent-q-fs-exec-run--spare)))
    (when (and spare (memq process (list nil spare)))
      (setq agent-q-fs-exec-run--spare nil)
      (delete-process spare))))

(defun agent-q-fs-exec-run--prepare-spare (file)
  "Start the runner FILE for the next command, unless one waits already."
  (unless agent-q-fs-exec-run--spare
    (let ((process (ignore-errors (agent-q-fs-exec-run--make-runner file))))
      (when process
        (setq agent-q-fs-exec-run--spare (list process file (default-file-modes)))
        (cancel-timer agent-q-fs-exec-run--spare-timer)
        (setq agent-q-fs-exec-run--spare-timer
              (run-with-timer agent-q-fs-exec-run--spare-seconds nil
                              #'agent-q-fs-exec-run--drop-spare process))))))

(defun agent-q-fs-exec-run--take-spare (file)
  "Return the waiting runner, if it is as a new one of FILE would be, or nil."
  (pcase agent-q-fs-exec-run--spare
    (`(,process ,(pred (equal file)) ,(pred (eql (default-file-modes))))
     (setq agent-q-fs-exec-run--spare nil)
     (and (process-live-p process) process))
    (_ (agent-q-fs-exec-run--drop-spare))))


;;;; Reading

(defun agent-q-fs-exec-run--send (run word body)
  "Send the record WORD with BODY to the runner of RUN, if it lives."
  (let ((runner (agent-q-fs-exec-run-process run)))
    (when (and runner (agent-q-fs-exec-run--awaited runner))
      (ignore-errors
        (agent-q-fs-exec-run--write runner (agent-q-fs-exec-run--record word body))))))

(defun agent-q-fs-exec-run--more (run)
  "Ask the runner of RUN for as much output as one may have at once."
  (unless (agent-q-fs-exec-run-ended run)
    (let ((more (- agent-q-fs-exec-run--window (agent-q-fs-exec-run-window run))))
      (setf (agent-q-fs-exec-run-window run) agent-q-fs-exec-run--window)
      (agent-q-fs-exec-run--send run "more" (number-to-string more)))))

(defun agent-q-fs-exec-run--take-output (run output bytes)
  "Take BYTES that RUN has printed to OUTPUT."
  (agent-q-fs-exec-output-add output bytes)
  (let* ((before (agent-q-fs-exec-run-window run))
         (half (/ agent-q-fs-exec-run--window 2))
         (after (- before (length bytes))))
    (setf (agent-q-fs-exec-run-window run) after)
    ;; Without ON-OUTPUT nobody looks before the end, and the runner keeps what is shown then.
    (when (and (agent-q-fs-exec-run-on-output run) (> before half) (<= after half))
      (run-with-timer agent-q-fs-exec-run--pace nil #'agent-q-fs-exec-run--more run))))

(defun agent-q-fs-exec-run--take-end (run words)
  "Take note that RUN has ended as WORDS say, strings."
  (pcase-let ((`(,how ,number ,left ,peak ,_user ,_system . ,survivors) words))
    (setf (agent-q-fs-exec-run-status run) (cons (if (equal "exit" how) 'exit 'signal)
                                                 (string-to-number number))
          (agent-q-fs-exec-run-peak run) (string-to-number peak)
          ;; Bubblewrap's own processes do not count as left behind.
          (agent-q-fs-exec-run-left run) (if (eq 'bubblewrap (car (agent-q-fs-exec-run-isolation run)))
                                             0
                                           (string-to-number left))
          (agent-q-fs-exec-run-survivors run) (mapcar #'string-to-number survivors))
    (agent-q-fs-exec-run--finish run)))

(defun agent-q-fs-exec-run--refused (run what why)
  "End RUN, which its runner has refused: WHAT says at which step, and WHY."
  (agent-q-fs-exec-run--fail
   run
   (pcase what
     ("directory" (agent-q-fs--error-reply
                   :raced "The working directory was moved or replaced meanwhile; nothing was run"))
     ((and "terminal" (guard (agent-q-fs-exec-run-tty run)))
      (agent-q-fs--error-reply
       :limit "No pseudo-terminal is left for this command; nothing was run"))
     ("version" (agent-q-fs--error-reply
                 :command-failed "The program agent-q-fs-run is not of this version (%s); \
M-x agent-q-fs-module-build builds it anew.  Nothing was run"
                 (agent-q-fs-audit-plain why)))
     (_ (agent-q-fs--error-reply :command-failed "The command could not be started: %s: %s"
                                 what (agent-q-fs-audit-plain why))))))

(defun agent-q-fs-exec-run--take (run word body)
  "Take the record WORD with BODY, from the runner of RUN."
  (pcase word
    ("out" (agent-q-fs-exec-run--take-output run (agent-q-fs-exec-run-stdout run) body))
    ("err" (agent-q-fs-exec-run--take-output run (agent-q-fs-exec-run-stderr run) body))
    ((and "lost" (guard (string-match-p "\\`\\(?:out\\|err\\) [0-9]\\{1,18\\}\\'" body)))
     (pcase-let ((`(,which ,count) (split-string body " ")))
       (agent-q-fs-exec-output-lose (if (equal which "err")
                                        (agent-q-fs-exec-run-stderr run)
                                      (agent-q-fs-exec-run-stdout run))
                                    (string-to-number count))))
    ("started" (when (processp (agent-q-fs-exec-run-process run)) ; else it is a name elsewhere
                 (setf (agent-q-fs-exec-run-terminal run) (cadr (split-string body " " t)))))
    ("typed" (setf (agent-q-fs-exec-run-typed run) (string-to-number body)))
    ("refused" (let ((space (or (string-search " " body) (length body))))
                 (agent-q-fs-exec-run--refused run (substring body 0 space)
                                               (string-trim (substring body space)))))
    ((and "end" (guard (string-match-p "\\`\\(?:exit\\|signal\\)\\(?: [0-9]\\{1,18\\}\\)\\{5,\\}\\'"
                                       body)))
     (agent-q-fs-exec-run--take-end run (split-string body " ")))
    (_ (agent-q-fs-exec-run--broken run))))

(defun agent-q-fs-exec-run--broken (run)
  "End RUN, whose runner has sent what is no record."
  (agent-q-fs-exec-run--fail
   run (agent-q-fs--error-reply
        :command-failed "The program agent-q-fs-run beside the core is none: expected records, \
got something else; M-x agent-q-fs-module-build builds it")))

(defun agent-q-fs-exec-run--filter (process bytes)
  "Take the records in BYTES, which were read from PROCESS, a runner."
  (let ((run (process-get process 'agent-q-fs-exec)))
    (if run
        (agent-q-fs-exec-run--take-records run bytes)
      (agent-q-fs-exec-run--drop-spare process)))) ; what speaks unasked is no runner

(defun agent-q-fs-exec-run--take-records (run bytes)
  "Take the records in BYTES, from the runner of RUN."
  (let ((bytes (concat (agent-q-fs-exec-run-rest run) bytes))
        (at 0) (go t) (printed nil))
    (while (and go (not (agent-q-fs-exec-run-ended run)))
      (let* ((head (and (string-match "\\([a-z]+\\) \\([0-9]+\\)\n" bytes at)
                        (= at (match-beginning 0))
                        (match-end 0)))
             (end (and head (+ head (string-to-number (match-string 2 bytes))))))
        (cond
         ((and end (<= end (length bytes)))
          (let ((word (match-string 1 bytes)))
            (when (member word '("out" "err"))
              (push (substring bytes head end) printed))
            (agent-q-fs-exec-run--take run word (substring bytes head end)))
          (setq at end))
         ((if head (< (- end head) agent-q-fs-exec-run--unread) (< (- (length bytes) at) 32))
          (setq go nil))
         (t (agent-q-fs-exec-run--broken run)))))
    (setf (agent-q-fs-exec-run-rest run) (substring bytes at))
    (when (and printed (agent-q-fs-exec-run-on-output run))
      (funcall (agent-q-fs-exec-run-on-output run) run
               (agent-q-fs-exec-output--joined printed)))))


;;;; How it ended, in words

(defconst agent-q-fs-exec-run--signals
  '((1 . "SIGHUP") (2 . "SIGINT") (3 . "SIGQUIT") (4 . "SIGILL") (5 . "SIGTRAP") (6 . "SIGABRT")
    (7 . "SIGBUS") (8 . "SIGFPE") (9 . "SIGKILL") (10 . "SIGUSR1") (11 . "SIGSEGV")
    (12 . "SIGUSR2") (13 . "SIGPIPE") (14 . "SIGALRM") (15 . "SIGTERM") (24 . "SIGXCPU")
    (25 . "SIGXFSZ") (31 . "SIGSYS"))
  "Names of signals that processes end by.")

(defun agent-q-fs-exec-run-signal (number)
  "Return the name of the signal NUMBER."
  (or (cdr (assq number agent-q-fs-exec-run--signals)) (format "signal %d" number)))

(defun agent-q-fs-exec-run-ended-words (run)
  "Return how RUN has ended, in words."
  (pcase (agent-q-fs-exec-run-status run)
    (`(signal . ,number) (format "Killed by %s" (agent-q-fs-exec-run-signal number)))
    (`(exit . ,code)
     (concat (format "Exit status %d" code)
             (pcase code
               (126 " (found, but could not be executed)")
               (127 " (command not found)")
               ;; A sandbox or container can report a signal only like this.
               ((and (guard (assq (- code 128) agent-q-fs-exec-run--signals))
                     (guard (not (eq 'none (car (agent-q-fs-exec-run-isolation run))))))
                (format " (as of %s)" (agent-q-fs-exec-run-signal (- code 128)))))))
    (_ "Ended")))


;;;; Typing

(defun agent-q-fs-exec-run-type (run bytes patience)
  "Have BYTES typed into the terminal of RUN.
Return non-nil if the terminal has taken them within PATIENCE seconds."
  (let ((sent (+ (agent-q-fs-exec-run-sent run) (length bytes))))
    (and (<= (- sent (agent-q-fs-exec-run-typed run)) agent-q-fs-exec-run--unread)
         (with-timeout (patience nil)
           (setf (agent-q-fs-exec-run-sent run) sent)
           (agent-q-fs-exec-run--send run "in" bytes)
           (while (and (< (agent-q-fs-exec-run-typed run) sent)
                       (not (agent-q-fs-exec-run-ended run)))
             (accept-process-output (agent-q-fs-exec-run--awaited-of run) 0.05))
           t))))

(defun agent-q-fs-exec-run-resize (run lines columns)
  "Give the terminal of RUN LINES lines and COLUMNS columns."
  (agent-q-fs-exec-run--send run "size" (format "%d %d" lines columns)))


;;;; Ending

(defun agent-q-fs-exec-run--sentinel (process _event)
  "Take note that PROCESS, the runner of a run, has ended."
  (let ((run (process-get process 'agent-q-fs-exec)))
    (unless run
      (agent-q-fs-exec-run--drop-spare process))
    (when (and run (not (process-live-p process)) (not (agent-q-fs-exec-run-ended run)))
      (if (agent-q-fs-exec-run-reason run)
          (agent-q-fs-exec-run--finish run)
        (agent-q-fs-exec-run--fail
         run (agent-q-fs--error-reply
              :command-failed "The program that runs commands was ended (%s %d), and with it \
the command and all that it had started"
              (process-status process) (process-exit-status process)))))))

(defun agent-q-fs-exec-run--finish (run)
  "End RUN, unless it has ended, and call its ON-END."
  (unless (agent-q-fs-exec-run-ended run)
    (setq agent-q-fs-exec-run--all (delq run agent-q-fs-exec-run--all))
    (setf (agent-q-fs-exec-run-seconds run) (- (float-time) (agent-q-fs-exec-run-started run))
          (agent-q-fs-exec-run-ended run) t)
    (when (agent-q-fs-exec-run-process run)
      ;; The runner ends what it has started when nobody writes to it any more.  Emacs
      ;; may be writing or reading at this moment, and does not expect that it is gone.
      (run-with-timer 0 nil #'agent-q-fs-exec-run--drop (agent-q-fs-exec-run-process run)))
    (agent-q-fs-exec-run--changed)
    (when (agent-q-fs-exec-run-on-end run)
      (with-demoted-errors "agent-q-fs: error at the end of a command: %S"
        (funcall (agent-q-fs-exec-run-on-end run) run)))))

(defun agent-q-fs-exec-run-end (run reason)
  "End RUN and all that it started, for REASON, a symbol.
They are asked to end first, and killed a moment later."
  (unless (or (agent-q-fs-exec-run-ended run) (agent-q-fs-exec-run-reason run))
    (setf (agent-q-fs-exec-run-reason run) reason)
    (if (not (agent-q-fs-exec-run-process run)) ; its isolation is being prepared
        (agent-q-fs-exec-run--fail run (agent-q-fs--error-reply
                                        :cancelled "The command was ended before it began"))
      (ignore-errors (agent-q-fs-exec-run--ask-to-end (agent-q-fs-exec-run-process run)))
      (run-with-timer agent-q-fs-exec-run--patience nil #'agent-q-fs-exec-run--finish run))))

(defun agent-q-fs-exec-run--awaited-of (run)
  "Return the process whose output tells of RUN, or nil if there is none."
  (and (agent-q-fs-exec-run-process run)
       (agent-q-fs-exec-run--awaited (agent-q-fs-exec-run-process run))))

(defun agent-q-fs-exec-run-end-all-now (&optional runs)
  "End RUNS, by default all, before this returns."
  (let ((runs (or runs agent-q-fs-exec-run--all))
        (deadline (+ (float-time) agent-q-fs-exec-run--patience)))
    (dolist (run runs)
      (when (agent-q-fs-exec-run--awaited-of run)
        (ignore-errors (agent-q-fs-exec-run--kill (agent-q-fs-exec-run-process run)))))
    (dolist (run runs)
      (while (and (not (agent-q-fs-exec-run-ended run))
                  (agent-q-fs-exec-run--awaited-of run)
                  (< (float-time) deadline))
        (accept-process-output (agent-q-fs-exec-run--awaited-of run) 0.05 nil t)))
    (mapc #'agent-q-fs-exec-run--finish runs)))

(defun agent-q-fs-exec-run--closing (workspace)
  "End the commands of WORKSPACE, which is being closed."
  (let ((runs (seq-filter (lambda (run) (eq workspace (agent-q-fs-exec-run-workspace run)))
                          agent-q-fs-exec-run--all)))
    (dolist (run runs)
      (setf (agent-q-fs-exec-run-reason run) 'closed))
    (when runs (agent-q-fs-exec-run-end-all-now runs))))

(add-hook 'agent-q-fs-close-functions #'agent-q-fs-exec-run--closing)
(add-hook 'kill-emacs-hook #'agent-q-fs-exec-run-end-all-now)

(defun agent-q-fs-exec-run-wait (predicate &optional quit run)
  "Wait until PREDICATE, a function, returns non-nil; on a quit, call QUIT.
It is called at once, and then once more, where the caller is gone.
RUN, if non-nil, is the run whose end or output decides."
  (let ((done nil))
    (unwind-protect
        (progn
          (agent-q-fs-caller-wait
           predicate quit
           (and run (lambda ()
                      ;; One of Emacs that has ended may have left something to read.
                      (let ((runner (agent-q-fs-exec-run-process run)))
                        (if (processp runner) runner (agent-q-fs-exec-run--awaited-of run))))))
          (setq done t))
      (unless (or done (not quit)) (funcall quit)))))

(provide 'agent-q-fs-exec-run)
;;; agent-q-fs-exec-run.el ends here
