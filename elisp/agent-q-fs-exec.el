;;; agent-q-fs-exec.el --- Tools that run commands  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The tools shell, exec_command, write_stdin, list_sessions and kill_session.  They
;; go through the dispatcher (agent-q-fs-tools.el) like every tool: its policy, its
;; questions, its events.
;;
;;     agent-q-fs-exec-run.el      a command from its start to its end
;;     agent-q-fs-exec-session.el  commands that go on between calls, and people's view of them
;;     agent-q-fs-exec-process.el  environment and output of commands; ending their processes
;;     agent-q-fs-exec-isolate.el  what a command can reach: none, bubblewrap, podman

;;; Code:

(require 'agent-q-fs-exec-run)
(require 'agent-q-fs-exec-session)
(require 'agent-q-fs-tools)
(require 'seq)


;;;; Questions about commands

;; A person sees the command, its directory and its surroundings before it is run.  A
;; remembered approval may also cover other commands: those that are the same to the
;; letter; and, if the command is plain, those that begin with the same word.
;;
;; A plain command consists of words of few characters, none of which means anything
;; to a shell, with one space between them.  The test names the characters that are
;; allowed, because no list of those with a meaning is complete.  Also, the first word
;; must be a program that does not run its arguments, and that only the owner of the
;; system can have put where it is found.

(defconst agent-q-fs-exec-approve--plain
  (let ((word "[A-Za-z0-9_./,-][A-Za-z0-9_./:@%+,-]*"))
    (concat "\\`\\([a-z0-9_][a-z0-9_.+-]*\\)\\(?: " word "\\)*\\'"))
  "A regexp for a plain command; its first group is the first word.")

(defconst agent-q-fs-exec-approve--runners
  '("alias" "ash" "at" "awk" "bash" "batch" "builtin" "bun" "busybox" "bwrap" "byobu" "cargo"
    "chroot" "chrt" "cmake" "command" "coproc" "crontab" "csh" "dash" "dbus-run-session"
    "declare" "deno" "docker" "doas" "dotenv" "ed" "elvish" "emacs" "emacsclient" "enable" "env"
    "eval" "ex" "exec" "expect" "export" "fakeroot" "find" "fish" "flock" "function" "gawk"
    "gdb" "ghc" "guile" "hash" "ionice" "irb" "java" "julia" "ksh" "ld" "let" "lldb" "local"
    "ltrace" "lua" "make" "mawk" "mksh" "nano" "nawk" "nice" "node" "nohup" "npm" "npx" "nsenter"
    "nvim" "openvt" "osascript" "parallel" "perl" "php" "pip" "pkexec" "podman" "prlimit" "pwsh"
    "python" "readonly" "rlwrap" "rsync" "ruby" "run-parts" "runuser" "sbcl" "ecl" "screen"
    "script" "sed" "set" "setarch" "setpriv" "setsid" "sh" "shopt" "source" "sqlite" "ssh"
    "start-stop-daemon" "stdbuf" "strace" "su" "sudo" "systemd-run" "taskset" "tclsh" "tcsh"
    "time" "timeout" "tmux" "trap" "type" "typeset" "uv" "unalias" "unshare" "unset" "valgrind"
    "vi" "view" "vim" "watch" "wish" "xargs" "xterm" "yarn" "zsh")
  "Programs that run their arguments as programs, and words of shells.
An approval of such a word would be an approval of anything.")

(defun agent-q-fs-exec-approve--runner-p (word)
  "Return non-nil if WORD, a program's name, runs its arguments as programs.
A version may be behind the name."
  (member (replace-regexp-in-string "[-.0-9]+\\'" "" word) agent-q-fs-exec-approve--runners))

(defun agent-q-fs-exec-approve--place (word workspace)
  "Return the file that the program WORD is, if not anybody can change it.
It must not be in WORKSPACE, and nobody else may be able to write to it
or to the directories that it is in."
  (let* ((file-name-handler-alist nil)
         (file (agent-q-fs-exec-program word))
         (true (and file (file-truename file)))
         (root (file-truename (agent-q-fs--file-name (agent-q-fs-workspace-root workspace))))
         (good (and true
                    (not (string-prefix-p (file-name-as-directory root) true))
                    (not (string-prefix-p (file-name-as-directory root) file)))))
    (dolist (name (and good (list true (file-name-directory true) (file-name-directory file))))
      (let ((modes (file-modes name)))
        (when (or (null modes) (/= 0 (logand modes #o022)))
          (setq good nil))))
    (and good true)))

(defun agent-q-fs-exec-approve-word (command workspace)
  "Return the first word of COMMAND in WORKSPACE, if approvals may be of it."
  (let ((case-fold-search nil))
    (and (string-match agent-q-fs-exec-approve--plain command)
         (let ((word (match-string 1 command)))
           (and (not (agent-q-fs-exec-approve--runner-p word))
                (agent-q-fs-exec-approve--place word workspace)
                word)))))

(defun agent-q-fs-exec-approve--likes (command path workspace)
  "Return the likes of COMMAND in the directory PATH of WORKSPACE.
See `agent-q-fs-request-likes'."
  (let ((isolation (agent-q-fs-exec-isolation-kind workspace))
        (word (agent-q-fs-exec-approve-word command workspace)))
    ;; An earlier command may have changed what a word means in a container.
    (when (eq 'podman isolation) (setq word nil))
    (append
     (list (list 'exact "this very command" (list 'command command path isolation)))
     (when word
       (list (list 'word (format "commands that begin with %s" word)
                   (list 'word word (agent-q-fs-exec-approve--place word workspace)
                         isolation)))))))

(defun agent-q-fs-exec-approve--facts (workspace)
  "Return words for a person about the surroundings of commands in WORKSPACE."
  (list (cons "Isolated" (agent-q-fs-exec-isolation-words workspace))
        (cons "Environ" (agent-q-fs-exec-environment-words))))

(defun agent-q-fs-exec-approve-check (workspace _arguments request)
  "Return non-nil if a command in WORKSPACE still has the surroundings of REQUEST.
The directory is compared when it is looked up to run the command."
  (equal (agent-q-fs-request-facts request) (agent-q-fs-exec-approve--facts workspace)))

(defun agent-q-fs-exec-approve-command (workspace arguments)
  "Return the preview of a command with ARGUMENTS in WORKSPACE."
  (let* ((command (or (plist-get arguments :command) (plist-get arguments :cmd)))
         (path (car (agent-q-fs-exec-run-place workspace (plist-get arguments :workdir)))))
    (agent-q-fs-exec-run-check command (if (plist-member arguments :cmd) "cmd" "command"))
    (list :summary (format "run %s" (truncate-string-to-width command 200 nil nil "…"))
          :targets (list (list :path path :given (plist-get arguments :workdir)
                               :action :run-in :type :directory))
          :facts (agent-q-fs-exec-approve--facts workspace)
          :likes (agent-q-fs-exec-approve--likes command path workspace))))

(defun agent-q-fs-exec-approve-input (workspace arguments)
  "Return the preview of writing to a session of WORKSPACE with ARGUMENTS."
  (let* ((session (agent-q-fs-exec-session-find workspace (plist-get arguments :session_id)))
         (run (agent-q-fs-exec-session-run session))
         (chars (or (plist-get arguments :chars) "")))
    (agent-q-fs-exec-session-check session)
    (list :summary (format "type into session %d" (agent-q-fs-exec-session-number session))
          :targets (list (list :path (agent-q-fs-exec-run-directory run)
                               :action :run-in :type :directory))
          :facts (list (cons "Session" (agent-q-fs-exec-run-command run))
                       (cons "Isolated" (agent-q-fs-exec-isolation-words workspace)))
          :likes (list (list 'exact "these very characters in this session"
                             (list 'chars chars (agent-q-fs-exec-session-number session)))))))

(defconst agent-q-fs-exec--bytes 8192
  "Bytes of stdout, and of stderr, that one reply may have.")

(defconst agent-q-fs-exec--lines 200
  "Lines of stdout, and of stderr, that one reply may have.")


;;;; Replies

(defconst agent-q-fs-exec--signals
  '((1 . "SIGHUP") (2 . "SIGINT") (3 . "SIGQUIT") (4 . "SIGILL") (5 . "SIGTRAP") (6 . "SIGABRT")
    (7 . "SIGBUS") (8 . "SIGFPE") (9 . "SIGKILL") (10 . "SIGUSR1") (11 . "SIGSEGV")
    (12 . "SIGUSR2") (13 . "SIGPIPE") (14 . "SIGALRM") (15 . "SIGTERM") (24 . "SIGXCPU")
    (25 . "SIGXFSZ") (31 . "SIGSYS"))
  "Names of signals that processes end by.")

(defun agent-q-fs-exec--signal (number)
  "Return the name of the signal NUMBER."
  (or (cdr (assq number agent-q-fs-exec--signals)) (format "signal %d" number)))

(defun agent-q-fs-exec--ended-words (run)
  "Return how RUN has ended, in words."
  (pcase (agent-q-fs-exec-run-status run)
    (`(signal . ,number) (format "Killed by %s" (agent-q-fs-exec--signal number)))
    (`(exit . ,code)
     (concat (format "Exit status %d" code)
             (pcase code
               (126 " (found, but could not be executed)")
               (127 " (command not found)")
               ;; A sandbox or container can report a signal only like this.
               ((and (guard (assq (- code 128) agent-q-fs-exec--signals))
                     (guard (not (eq 'none (agent-q-fs-exec-run-isolation run)))))
                (format " (as of %s)" (agent-q-fs-exec--signal (- code 128)))))))
    (_ "Ended")))

(defun agent-q-fs-exec--left-words (run)
  "Return words about the processes that RUN has left behind."
  (concat
   (when (and (> (agent-q-fs-exec-run-left run) 0) (not (agent-q-fs-exec-run-reason run)))
     (format "Processes that it left behind were ended: %d\n" (agent-q-fs-exec-run-left run)))
   (when (agent-q-fs-exec-run-survivors run)
     (format "Processes that could not be ended: %s\n"
             (mapconcat #'number-to-string (agent-q-fs-exec-run-survivors run) " ")))))

(defun agent-q-fs-exec--reply (run words &optional bytes more)
  "Return the reply about RUN so far: WORDS, and its new output.
BYTES are the most of each output.  MORE is added to the reply."
  (let* ((ended (agent-q-fs-exec-run-ended run))
         (take (lambda (output)
                 (agent-q-fs-exec-output-take output (or bytes agent-q-fs-exec--bytes)
                                              agent-q-fs-exec--lines ended)))
         (stdout (funcall take (agent-q-fs-exec-run-stdout run)))
         (stderr (funcall take (agent-q-fs-exec-run-stderr run)))
         (status (and ended (agent-q-fs-exec-run-status run)))
         (seconds (or (agent-q-fs-exec-run-seconds run)
                      (- (float-time) (agent-q-fs-exec-run-started run))))
         (part (lambda (name text)
                 (unless (equal "" text)
                   (concat name ":\n" text (if (string-suffix-p "\n" text) "" "\n"))))))
    (append
     more
     (list :path (agent-q-fs-exec-run-directory run)
           :exit-code (and (eq 'exit (car status)) (cdr status))
           :signal (and (eq 'signal (car status)) (agent-q-fs-exec--signal (cdr status)))
           :stdout (car stdout) :stderr (car stderr)
           :truncated (or (cdr stdout) (cdr stderr))
           :milliseconds (round (* 1000 seconds))
           :left-behind (agent-q-fs-exec-run-left run)
           :isolation (intern (format ":%s" (agent-q-fs-exec-run-isolation run)))
           :text (concat (format "%s (%.2f s, isolation %s)\n" words seconds
                                 (agent-q-fs-exec-run-isolation run))
                         (agent-q-fs-exec--left-words run)
                         (funcall part (if (agent-q-fs-exec-run-tty run) "output" "stdout")
                                  (car stdout))
                         (funcall part "stderr" (car stderr)))))))

(defun agent-q-fs-exec--failure (run code words)
  "Return an error's reply about RUN with CODE and WORDS."
  (let* ((reply (agent-q-fs-exec--reply run words)))
    (plist-put (append (list :error code :message words :hint nil) reply)
               :text (concat "Error: " (plist-get reply :text)))))

(defun agent-q-fs-exec--ended-reply (run &optional bytes more)
  "Return the reply about RUN, which has ended.  BYTES and MORE are as above."
  (or (agent-q-fs-exec-run-problem run)
      (pcase (agent-q-fs-exec-run-reason run)
        ('timeout (agent-q-fs-exec--failure
                   run :timeout "The command took too long and was ended, with all that it had \
started"))
        ('closed (agent-q-fs-exec--failure
                  run :cancelled "The workspace was closed, and the command ended"))
        ('idle (agent-q-fs-exec--reply
                run (concat "Ended because nobody used it; " (agent-q-fs-exec--ended-words run))
                bytes more))
        ('killed (agent-q-fs-exec--reply
                  run (concat "Ended by a call or a person; " (agent-q-fs-exec--ended-words run))
                  bytes more))
        (_ (agent-q-fs-exec--reply run (agent-q-fs-exec--ended-words run) bytes more)))))

(defun agent-q-fs-exec--waiting (start &optional quit)
  "Call START with a function, and return the value that START calls it with.
Emacs stays usable while this waits.  On a quit, call QUIT with the value
that START returned."
  (let* ((answer nil)
         (begun (funcall start (lambda (reply) (setq answer reply)))))
    (agent-q-fs-exec-run-wait (lambda () answer)
                              (when quit (lambda () (funcall quit begun))))
    answer))

(defun agent-q-fs-exec--place (workspace arguments)
  "Return the place in WORKSPACE of the command that ARGUMENTS are of.
Signal an error if it is not the one that was approved of."
  (let ((place (agent-q-fs-exec-run-place workspace (plist-get arguments :workdir)))
        (request agent-q-fs-tools-approved))
    (when (and request
               (not (equal (car place)
                           (plist-get (car (agent-q-fs-request-targets request)) :path))))
      (agent-q-fs-tools-stale))
    place))


;;;; shell

(defun agent-q-fs-exec--shell (workspace arguments done)
  "Run the command of ARGUMENTS in WORKSPACE, and call DONE with the reply."
  (let* ((timer nil)
         (seconds (/ (plist-get arguments :timeout_ms) 1000.0))
         (run (agent-q-fs-exec-run-start
               workspace (plist-get arguments :command) (agent-q-fs-exec--place workspace arguments)
               :on-end (lambda (run)
                         (when timer (cancel-timer timer))
                         (funcall done (agent-q-fs-exec--ended-reply run))))))
    (unless (agent-q-fs-exec-run-ended run)
      ;; The command's time has not begun while its isolation is prepared.
      (setq timer (run-with-timer seconds seconds
                                  (lambda ()
                                    (when (agent-q-fs-exec-run-process run)
                                      (agent-q-fs-exec-run-end run 'timeout))))))
    run))

(defconst agent-q-fs-exec--workdir
  '(:name "workdir" :type :path :default "\".\""
          :doc "The directory to run it in, relative to the project root.")
  "The parameter of tools that start a command.")

(agent-q-fs-define-tool "shell"
  :doc "Runs a shell command to its end and returns its stdout, stderr and exit status. \
stdin is empty. What it leaves running is ended; exec_command is for what goes on."
  :tier 'dangerous
  :params (list '(:name "command" :type :string :required t :doc "The command, for the shell.")
                agent-q-fs-exec--workdir
                '(:name "timeout_ms" :type :integer :default "60000" :least 1 :most 3600000
                        :doc "Milliseconds after which it is ended with all that it started."))
  :handler (lambda (workspace arguments)
             (agent-q-fs-exec--waiting
              (lambda (done) (agent-q-fs-exec--shell workspace arguments done))
              (lambda (run) (agent-q-fs-exec-run-end run 'killed))))
  :start #'agent-q-fs-exec--shell
  :preview #'agent-q-fs-exec-approve-command
  :check #'agent-q-fs-exec-approve-check
  :hints '(:title "Run a shell command" :open-world t)
  :sets '("commands"))


;;;; exec_command and write_stdin

(defconst agent-q-fs-exec--polling
  '((:name "yield_time_ms" :type :integer :default "250" :least 0 :most 300000
           :doc "Milliseconds to wait for output, or for the end.")
    (:name "max_output_tokens" :type :integer :default "8000" :least 16 :most 1000000
           :doc "The most output to return, in tokens of four bytes; never more than 8 KB."))
  "The parameters of tools that return the output of a session.")

(defun agent-q-fs-exec--session-reply (session arguments)
  "Return the reply about SESSION, which ARGUMENTS ask about."
  (let* ((run (agent-q-fs-exec-session-run session))
         (number (agent-q-fs-exec-session-number session))
         (bytes (min agent-q-fs-exec--bytes
                     (* 4 (plist-get arguments :max_output_tokens))))
         (more (list :session-id number :running (not (agent-q-fs-exec-run-ended run)))))
    (if (agent-q-fs-exec-run-ended run)
        (agent-q-fs-exec--ended-reply run bytes more)
      (agent-q-fs-exec--reply run (format "Session %d is running" number) bytes more))))

(defun agent-q-fs-exec--exec (workspace arguments done)
  "Begin the session of ARGUMENTS in WORKSPACE, and call DONE with the reply."
  (let ((session (agent-q-fs-exec-session-start
                  workspace (plist-get arguments :cmd) (agent-q-fs-exec--place workspace arguments)
                  (plist-get arguments :tty))))
    (agent-q-fs-exec-session-after
     session (plist-get arguments :yield_time_ms)
     (lambda ()
       (let ((reply (agent-q-fs-exec--session-reply session arguments)))
         (if (agent-q-fs-exec-session-ended-p session)
             (agent-q-fs-exec-session-forget session) ; there is no more to be told of it
           (agent-q-fs-exec-session--tell session 'kept))
         (funcall done reply))))
    session))

(agent-q-fs-define-tool "exec_command"
  :doc "Starts a shell command in a terminal. If it has not ended after yield_time_ms it goes \
on as a session, whose number write_stdin takes."
  :tier 'dangerous
  :params (append (list '(:name "cmd" :type :string :required t
                                :doc "The command, for the shell.")
                        agent-q-fs-exec--workdir)
                  agent-q-fs-exec--polling
                  (list '(:name "tty" :type :boolean :default "true"
                                :doc "Whether it has a terminal. Without one its stdin is empty, \
and stdout and stderr are told apart.")))
  :handler (lambda (workspace arguments)
             (agent-q-fs-exec--waiting
              (lambda (done) (agent-q-fs-exec--exec workspace arguments done))
              ;; Nobody will ever know the number of this session.
              (lambda (session) (agent-q-fs-exec-session-end session 'killed))))
  :start #'agent-q-fs-exec--exec
  :preview #'agent-q-fs-exec-approve-command
  :check #'agent-q-fs-exec-approve-check
  :hints '(:title "Start a command in a terminal" :open-world t)
  :sets '("commands"))

(defconst agent-q-fs-exec--session-id
  '(:name "session_id" :type :integer :required t :least 1
          :doc "The number of the session, from exec_command.")
  "The parameter of tools about a session.")

(defun agent-q-fs-exec--write (workspace arguments done)
  "Type the :chars of ARGUMENTS into a session of WORKSPACE.
Call DONE with the reply."
  (let ((session (agent-q-fs-exec-session-find workspace (plist-get arguments :session_id)))
        (chars (plist-get arguments :chars)))
    (agent-q-fs-exec-session-use session)
    (unless (equal "" chars)
      (agent-q-fs-exec-session-write session chars))
    (agent-q-fs-exec-session-after
     session (plist-get arguments :yield_time_ms)
     (lambda () (funcall done (agent-q-fs-exec--session-reply session arguments))))))

(agent-q-fs-define-tool "write_stdin"
  :doc "Types into a session, and returns what it has printed since the last call. Empty chars \
only look."
  :tier (lambda (arguments)
          (if (equal "" (plist-get arguments :chars)) 'safe 'dangerous))
  :params (append (list agent-q-fs-exec--session-id
                        '(:name "chars" :type :string :default "\"\""
                                :doc "What to type. A line ends with \\n; \\u0003 is ^C, \\u0004 \
the end of input."))
                  agent-q-fs-exec--polling)
  :handler (lambda (workspace arguments)
             (agent-q-fs-exec--waiting
              (lambda (done) (agent-q-fs-exec--write workspace arguments done))))
  :start #'agent-q-fs-exec--write
  :preview #'agent-q-fs-exec-approve-input
  :hints '(:title "Type into a session" :open-world t)
  :sets '("commands"))


;;;; list_sessions and kill_session

(defun agent-q-fs-exec-state (session)
  "Return the state of SESSION in a few words."
  (let ((run (agent-q-fs-exec-session-run session)))
    (cond ((agent-q-fs-exec-run-problem run) "could not be started")
          ((agent-q-fs-exec-run-ended run)
           (downcase (agent-q-fs-exec--ended-words run)))
          (t "running"))))

(defun agent-q-fs-exec--row (session)
  "Return the row of SESSION in a list."
  (let ((run (agent-q-fs-exec-session-run session)))
    (list :session-id (agent-q-fs-exec-session-number session)
          :command (agent-q-fs-audit-plain (agent-q-fs-exec-run-command run))
          :path (agent-q-fs-exec-run-directory run)
          :running (not (agent-q-fs-exec-run-ended run))
          :state (agent-q-fs-exec-state session)
          :tty (and (agent-q-fs-exec-run-tty run) t)
          :seconds (round (or (agent-q-fs-exec-run-seconds run)
                              (- (float-time) (agent-q-fs-exec-run-started run))))
          :idle-seconds (round (- (float-time) (agent-q-fs-exec-session-used session))))))

(agent-q-fs-define-tool "list_sessions"
  :doc "Lists the sessions of exec_command, with their commands and what they do."
  :tier 'safe
  :handler (lambda (workspace _arguments)
             (let ((rows (mapcar #'agent-q-fs-exec--row
                                 (agent-q-fs-exec-session-list workspace))))
               (list :sessions rows
                     :total (length rows)
                     :text (if (null rows)
                               "There are no sessions"
                             (mapconcat
                              (lambda (row)
                                (format "%d  %s  (%s, %d s, in %s)\n"
                                        (plist-get row :session-id)
                                        (truncate-string-to-width
                                         (replace-regexp-in-string "[\0-\37]+" " "
                                                                   (plist-get row :command))
                                         200 nil nil "…")
                                        (plist-get row :state) (plist-get row :seconds)
                                        (plist-get row :path)))
                              rows "")))))
  :hints '(:title "List sessions")
  :sets '("commands"))

(defun agent-q-fs-exec--kill (workspace arguments done)
  "End the session of WORKSPACE that ARGUMENTS name, and call DONE with the reply."
  (let ((session (agent-q-fs-exec-session-find workspace (plist-get arguments :session_id))))
    (agent-q-fs-exec-session-end session 'killed)
    (agent-q-fs-exec-session-after
     session 5000
     (lambda ()
       (let ((reply (agent-q-fs-exec--session-reply session '(:max_output_tokens 8000))))
         (when (agent-q-fs-exec-session-ended-p session)
           (agent-q-fs-exec-session-forget session))
         (funcall done reply))))))

(agent-q-fs-define-tool "kill_session"
  :doc "Ends a session and all that it has started, and returns what it printed last."
  :tier 'cautious
  :params (list agent-q-fs-exec--session-id)
  :handler (lambda (workspace arguments)
             (agent-q-fs-exec--waiting
              (lambda (done) (agent-q-fs-exec--kill workspace arguments done))))
  :start #'agent-q-fs-exec--kill
  :hints '(:title "End a session" :idempotent t)
  :sets '("commands"))

(provide 'agent-q-fs-exec)
;;; agent-q-fs-exec.el ends here
