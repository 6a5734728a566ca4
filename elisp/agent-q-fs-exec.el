;;; agent-q-fs-exec.el --- Tools that run commands  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The tools shell, exec_command, write_stdin, list_sessions and kill_session.  They
;; go through the dispatcher (agent-q-fs-tools.el) like every tool: its policy, its
;; questions, its events.
;;
;;     agent-q-fs-exec-run.el      a command from its start to its end
;;     agent-q-fs-exec-session.el  commands that go on between calls, and people's view of them
;;     agent-q-fs-exec-process.el  environment, files and output of commands
;;     agent-q-fs-exec-isolate.el  what a command can reach: none, landlock, bubblewrap, podman

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
;; must be a program that does not run its arguments, under whatever name it is found,
;; and that only this person and the owner of the system can change or replace: no model
;; by a tool, and no other user.

(defconst agent-q-fs-exec-approve--plain
  (let ((word "[A-Za-z0-9_./,-][A-Za-z0-9_./:@%+,-]*"))
    (concat "\\`\\([a-z0-9_][a-z0-9_.+-]*\\)\\(?: \\(" word "\\)\\(?: " word "\\)*\\)?\\'"))
  "A regexp for a plain command; its groups are the first word and the second.")

(defconst agent-q-fs-exec-approve--runners
  (split-string "
R Rscript ack ag alacritty alias ansible ant ar arch ash at awk babel bash batch bats bazel bc
bear bind brew buck buildah builtin bun bundle busybox bwrap byobu bzexe c++ cabal capsh cc ccache
choom chpst chroot chrt clang clisp clojure cmake command compgen complete conda coproc cpack cpan
cpio cpulimit crontab crun crystal csh ctags ctest cucumber dash dbus dc declare deno direnv
distcc distrobox doas dotenv dotnet doxygen dpkg dtach dune eatmydata ecl ed editor elvish emacs
emacsclient enable entr env eslint eval ex exec expect export fakeroot faketime fc fd fdfind find
firejail fish flake8 flask flatpak flock flutter fnm foot fstab-decode ftp function fzf g++ gawk
gcc gdb gdbtui gem ghc ghci ghcid gimp gio gnuplot gradle groff grunt gs guile gulp hash hatch
helm hg hyperfine i386 idle inotifywait install intercept-build invoke ionice ip ipython irb
isympy java jekyll jest jj jobs jrunscript jshell julia jupyter just kitty konsole ksh kubectl
latex ld lein less let lftp linux32 linux64 lldb lli local login logrotate logsave ltrace lua
luajit lualatex lxc m4 mage mail make man mapfile mawk mc memusage meson mill mise mix mkdocs mksh
mocha more mpirun msgexec msgfilter mutt mvn mypy mysql nano nawk nc ncat nerdctl newgrp nice nim
ninja nix node nodejs nohup nox nsenter numactl nvim nx ocaml octave openssl openvt osascript
parallel pax pdb pdflatex pdm perf perl pg php phpunit pico pidstat pip pipenv pipx pkexec
playwright pm2 podman poetry pre-commit prettier prlimit proot prove proxychains pry psql pwsh py
pydoc pyenv pylint pypy pytest python qemu racket rackup rails rake raku rbash readarray readonly
rebar rg rlwrap rpm rscript rspec rsync rubocop ruby run run-parts runc runcon runghc runuser
rustc rustup rvim sage sbcl sbt scan-build sccache schroot scons scp screen script scriptlive sed
sendmail service set setarch setpriv setsid sftp sg sh shopt slsh snap socat sort sotruss source
sphinx split sqlite ssh sshpass stack start-stop-daemon stdbuf strace stylelint su sudo svn swift
switch_root systemd-cat systemd-inhibit systemd-run systemd-socket-activate tar task taskset tclsh
tcsh telnet terraform tex texi2dvi texi2pdf time timeout tmux toolbox torify torsocks tox toybox
trap trickle ts ts-node tsx turbo type typeset unalias uname26 unset unshare unxz urxvt uv uvx
vagrant valgrind vi view vim vimdiff vimtutor vipw vite vitest w3m waf watch webpack wget wine
wish x86_64 xargs xdg xdotool xelatex xetex xonsh xterm xvfb-run yarn yash zig zip zsh")
  "Programs that run their arguments as programs, and words of shells.
An approval of such a word would be an approval of anything.")

(defconst agent-q-fs-exec-approve--subcommands
  '(("apt" "list" "policy" "search" "show")
    ("cargo" "fmt" "metadata" "search" "tree" "version")
    ("docker" "images" "info" "inspect" "logs" "ps" "stats" "top" "version")
    ("gh" "issue" "search" "status")
    ("git" "add" "blame" "branch" "cat-file" "check-ignore" "commit" "describe" "diff" "log"
     "ls-files" "ls-tree" "merge-base" "mv" "name-rev" "reflog" "restore" "rev-list" "rev-parse"
     "rm" "shortlog" "show" "show-ref" "stash" "status" "switch" "tag")
    ("go" "doc" "fmt" "version")
    ("guix" "describe" "gc" "hash")
    ("npm" "audit" "explain" "ls" "outdated" "search" "view")
    ("npx") ("corepack")
    ("pnpm" "audit" "list" "outdated" "why")
    ("systemctl" "cat" "is-active" "is-enabled" "list-timers" "list-unit-files" "list-units"
     "show" "status"))
  "Programs that do many things, with subcommands that run no argument.
An approval is of one of these, and never of the program.")

(defconst agent-q-fs-exec-approve--settings " \\(?:--\\(?:ou\\|op\\|conf\\)\\|-[[:alnum:]]*[oOc]\\)"
  "The look of options by which subcommands write files or run programs.
These are git's --output, -O and --open-files-in-pager, which may be shortened,
cargo's --config, and -o, -c, --option and --config-file of apt.")

(defun agent-q-fs-exec-approve--listed (name list)
  "Return the elements of LIST that the program NAME may be one of.
So may be its parts, and what is before a version: vim.basic, gcc-12."
  (delq nil (mapcar (lambda (part) (assoc-string part list))
                    (cl-list* name (string-trim-right name "[-._0-9]+")
                              (split-string name "[-._0-9]+" t)))))

(defun agent-q-fs-exec-approve--way (file)
  "Return what is passed on the way to FILE, an absolute name, the last first.
Each is (NAME . ATTRIBUTES): a directory, a link, and what it all leads to.
Return nil if it leads nowhere."
  (let* ((file-name-handler-alist nil)
         (name "/")
         (rest (split-string file "/" t))
         (way (list (cons name (file-attributes name 'integer))))
         (links 0))
    (while rest
      (let* ((part (pop rest))
             (next (cond ((equal part ".") name)
                         ((equal part "..")
                          (file-name-directory (directory-file-name name)))
                         (t (concat (file-name-as-directory name) part))))
             (facts (file-attributes next 'integer))
             (target (file-attribute-type facts)))
        (push (cons next facts) way)
        (cond ((null facts) (setq rest nil way nil))
              ((not (stringp target)) (setq name next))
              ((> (setq links (1+ links)) 40) (setq rest nil way nil))
              (t (setq rest (append (split-string target "/" t) rest)
                       name (if (string-prefix-p "/" target) "/" name))))))
    way))

(defun agent-q-fs-exec-approve--safe-p (step)
  "Return non-nil if no other user can change or replace STEP of a way."
  (pcase-let* ((`(,name . ,facts) step)
               (modes (let ((file-name-handler-alist nil)) (file-modes name)))
               (type (file-attribute-type facts)))
    (and (memql (file-attribute-user-id facts) (list 0 (user-uid)))
         (or (stringp type)             ; a link's own modes mean nothing
             (= 0 (logand modes #o022))
             ;; In such a directory, only its owner can replace what is there.
             (and (eq t type) (/= 0 (logand modes #o1000)))))))

(defun agent-q-fs-exec-approve--identity (facts)
  "Return the device and inode in FACTS, a file's attributes."
  (cons (file-attribute-device-number facts) (file-attribute-inode-number facts)))

(defun agent-q-fs-exec-approve--twin-p (facts)
  "Return non-nil if a file with FACTS is another name of one that is listed."
  (and (< 1 (file-attribute-link-number facts))
       (let ((identity (agent-q-fs-exec-approve--identity facts))
             (path (agent-q-fs-exec-path))
             (file-name-handler-alist nil))
         (seq-some (lambda (name)
                     (let ((file (agent-q-fs-exec-program name path)))
                       (and file
                            (equal identity (agent-q-fs-exec-approve--identity
                                             (file-attributes (file-truename file) 'integer))))))
                   (append agent-q-fs-exec-approve--runners
                           (mapcar #'car agent-q-fs-exec-approve--subcommands))))))

(defun agent-q-fs-exec-approve--names (way)
  "Return the names that the program at the end of WAY has in it."
  (mapcar (lambda (step) (file-name-nondirectory (car step)))
          (seq-remove (lambda (step) (eq t (file-attribute-type (cdr step)))) way)))

(defun agent-q-fs-exec-approve--lasting-p (way)
  "Return non-nil if what WAY leads to stays what it is.
No other user and no model can change it, or put another file in its place."
  (let ((reach (agent-q-fs--reach)))
    (and (null (file-attribute-type (cdar way))) ; a file
         (seq-every-p #'agent-q-fs-exec-approve--safe-p way)
         (not (eq t reach))
         (not (seq-some (lambda (step)
                          (member (agent-q-fs-exec-approve--identity (cdr step)) reach))
                        way)))))

(defun agent-q-fs-exec-approve--program (word)
  "Return the program WORD as data, or nil if it is not known to stay what it is.
The data have all that is passed on the way to it, with the owners, and
change whenever the program does."
  (let* ((file (agent-q-fs-exec-program word))
         (way (and file (file-name-absolute-p file) (agent-q-fs-exec-approve--way file)))
         (facts (cdar way)))
    (when (and way
               (agent-q-fs-exec-approve--lasting-p way)
               (not (agent-q-fs-exec-approve--twin-p facts)))
      (list :names (agent-q-fs-exec-approve--names way)
            :way (mapcar (pcase-lambda (`(,name . ,facts))
                           (list (agent-q-fs--file-bytes name) (file-attribute-user-id facts)
                                 (file-attribute-modes facts)))
                         way)
            :inode (file-attribute-inode-number facts)
            :bytes (file-attribute-size facts)
            :changed (format-time-string "%s.%N" (file-attribute-modification-time facts))))))

(defun agent-q-fs-exec-approve-words (command)
  "Return what approvals of the beginning of COMMAND may be of, or nil.
That is (WORDS . PROGRAM): its first word, or the first two of a program
that does many things, and the program as data."
  (let ((case-fold-search nil))
    (when (string-match agent-q-fs-exec-approve--plain command)
      (let* ((word (match-string 1 command))
             (second (match-string 2 command))
             (program (agent-q-fs-exec-approve--program word))
             (listed (lambda (list)
                       (mapcan (lambda (name) (agent-q-fs-exec-approve--listed name list))
                               (plist-get program :names))))
             (rows (funcall listed agent-q-fs-exec-approve--subcommands)))
        (when (and program
                   (not (and rows (string-match-p agent-q-fs-exec-approve--settings command)))
                   (null (funcall listed agent-q-fs-exec-approve--runners))
                   (seq-every-p (lambda (row) (member second (cdr row))) rows))
          (cons (if rows (concat word " " second) word) program))))))

(defun agent-q-fs-exec-approve--likes (command path workspace arguments)
  "Return the likes of COMMAND, of ARGUMENTS, in the directory PATH of WORKSPACE.
See `agent-q-fs-request-likes'."
  (let* ((isolation (agent-q-fs-exec-isolation-for workspace arguments))
         ;; An earlier command may have changed what a word means in a container.
         (words (and (not (eq 'podman (car isolation))) ; nor is it known of another machine
                     (equal "" (agent-q-fs-workspace-prefix workspace))
                     (equal isolation (agent-q-fs--isolation-of workspace))
                     (agent-q-fs-exec-approve-words command))))
    (append
     (list (list 'exact "this very command"
                 (list 'command command (agent-q-fs--place workspace path) isolation)))
     (when words
       (list (list 'word (format "commands that begin with %s" (car words))
                   (list 'word (car words) (cdr words) isolation)))))))

(defun agent-q-fs-exec-approve--facts (workspace arguments)
  "Return words for a person about the surroundings of a command in WORKSPACE.
ARGUMENTS are those of the call."
  (append
   (agent-q-fs-exec-isolation-difference workspace arguments)
   (agent-q-fs-exec-isolate-offer workspace)
   (list (cons "Isolated" (let ((agent-q-fs--isolation-now
                                 (agent-q-fs-exec-isolation-for workspace arguments)))
                            (agent-q-fs-exec-isolation-words workspace)))
         (cons "Environ" (agent-q-fs-exec-environment-words)))))

(defun agent-q-fs-exec-approve-check (workspace arguments request)
  "Return non-nil if a command in WORKSPACE still has the surroundings of REQUEST.
ARGUMENTS are those of the call.  The directory is compared when it is looked
up to run the command."
  (equal (agent-q-fs-request-facts request)
         (agent-q-fs-exec-approve--facts workspace arguments)))

(defun agent-q-fs-exec-approve-command (workspace arguments)
  "Return the preview of a command with ARGUMENTS in WORKSPACE."
  (let* ((command (or (plist-get arguments :command) (plist-get arguments :cmd)))
         (path (agent-q-fs-exec-run-place workspace (plist-get arguments :workdir)))
         (facts (agent-q-fs-exec-approve--facts workspace arguments)))
    (agent-q-fs-exec-run-check command (if (plist-member arguments :cmd) "cmd" "command"))
    (list :summary (format "run %s" (truncate-string-to-width command 200 nil nil "…"))
          :targets (list (list :path path :given (plist-get arguments :workdir)
                               :action :run-in :type :directory))
          :facts facts
          ;; No policy is leave to go beyond the isolation that the person has chosen.
          :personal (and (assoc "Asks for" facts) 'ruled)
          :likes (lambda () (agent-q-fs-exec-approve--likes command path workspace arguments)))))

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
                       (cons "Isolated" (let ((agent-q-fs--isolation-now
                                               (agent-q-fs-exec-run-isolation run)))
                                          (agent-q-fs-exec-isolation-words workspace))))
          :likes (list (list 'exact "these very characters in this session"
                             (list 'chars chars (agent-q-fs-exec-session-number session)))))))

(defconst agent-q-fs-exec--bytes 8192
  "Bytes of stdout, and of stderr, that one reply may have.")

(defconst agent-q-fs-exec--lines 200
  "Lines of stdout, and of stderr, that one reply may have.")


;;;; Replies

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
         (kind (car (agent-q-fs-exec-run-isolation run)))
         (seconds (or (agent-q-fs-exec-run-seconds run)
                      (- (float-time) (agent-q-fs-exec-run-started run))))
         (part (lambda (name text)
                 (unless (equal "" text)
                   (concat name ":\n" text (if (string-suffix-p "\n" text) "" "\n"))))))
    (append
     more
     (list :path (agent-q-fs-exec-run-directory run)
           :exit-code (and (eq 'exit (car status)) (cdr status))
           :signal (and (eq 'signal (car status)) (agent-q-fs-exec-run-signal (cdr status)))
           :stdout (car stdout) :stderr (car stderr)
           :truncated (or (cdr stdout) (cdr stderr))
           :milliseconds (round (* 1000 seconds))
           :left-behind (agent-q-fs-exec-run-left run)
           :peak-kilobytes (agent-q-fs-exec-run-peak run)
           :isolation (intern (format ":%s" kind))
           :text (concat (format "%s (%.2f s, isolation %s)\n" words seconds kind)
                         (agent-q-fs-exec--left-words run)
                         (funcall part (if (agent-q-fs-exec-run-tty run) "output" "stdout")
                                  (car stdout))
                         (funcall part "stderr" (car stderr))
                         (unless (member status '(nil (exit . 0)))
                           (agent-q-fs-exec-isolation-hint (agent-q-fs-exec-run-isolation run)
                                                           (list (car stdout) (car stderr)))))))))

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
                run (concat "Ended because nobody used it; " (agent-q-fs-exec-run-ended-words run))
                bytes more))
        ('killed (agent-q-fs-exec--reply
                  run (concat "Ended by a call or a person; " (agent-q-fs-exec-run-ended-words run))
                  bytes more))
        (_ (agent-q-fs-exec--reply run (agent-q-fs-exec-run-ended-words run) bytes more)))))

(defun agent-q-fs-exec--waiting (start &optional quit run-of)
  "Call START with a function, and return the value that START calls it with.
Emacs stays usable while this waits.  On a quit, call QUIT with the value
that START returned.  RUN-OF makes of that value the run that is waited for."
  (let* ((answer nil)
         (begun (funcall start (lambda (reply) (setq answer reply)))))
    (agent-q-fs-exec-run-wait (lambda () answer)
                              (when quit (lambda () (funcall quit begun)))
                              (when run-of (funcall run-of begun)))
    answer))

(defun agent-q-fs-exec--place (workspace arguments)
  "Return the place in WORKSPACE of the command that ARGUMENTS are of.
Signal an error if it is not the one that was approved of."
  (let ((place (agent-q-fs-exec-run-place workspace (plist-get arguments :workdir)))
        (request agent-q-fs-tools-approved))
    (when (and request
               (not (equal place
                           (plist-get (car (agent-q-fs-request-targets request)) :path))))
      (agent-q-fs-tools-stale))
    place))


;;;; shell

(defun agent-q-fs-exec--shell (workspace arguments done)
  "Run the command of ARGUMENTS in WORKSPACE, and call DONE with the reply."
  (let* ((agent-q-fs--isolation-now (agent-q-fs-exec-isolation-for workspace arguments))
         (timer nil)
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
stdin is empty. Processes that it leaves are ended; exec_command is for those that go on."
  :tier 'dangerous
  :params (list '(:name "command" :type :string :required t :doc "The command, for the shell.")
                agent-q-fs-exec--workdir agent-q-fs-exec-run-access
                '(:name "timeout_ms" :type :integer :default "60000" :least 1 :most 3600000
                        :doc "Milliseconds after which it is ended with all that it started."))
  :handler (lambda (workspace arguments)
             (agent-q-fs-exec--waiting
              (lambda (done) (agent-q-fs-exec--shell workspace arguments done))
              (lambda (run) (agent-q-fs-exec-run-end run 'killed))
              #'identity))
  :start (lambda (workspace arguments done)
           (let ((run (agent-q-fs-exec--shell workspace arguments done)))
             (lambda () (agent-q-fs-exec-run-end run 'killed))))
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
  (let ((session (let ((agent-q-fs--isolation-now
                        (agent-q-fs-exec-isolation-for workspace arguments)))
                   (agent-q-fs-exec-session-start
                    workspace (plist-get arguments :cmd)
                    (agent-q-fs-exec--place workspace arguments) (plist-get arguments :tty)))))
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
                        agent-q-fs-exec--workdir agent-q-fs-exec-run-access)
                  agent-q-fs-exec--polling
                  (list '(:name "tty" :type :boolean :default "true"
                                :doc "Whether it has a terminal. Without one its stdin is empty, \
and stdout and stderr are told apart.")))
  :handler (lambda (workspace arguments)
             (agent-q-fs-exec--waiting
              (lambda (done) (agent-q-fs-exec--exec workspace arguments done))
              ;; Nobody will ever know the number of this session.
              (lambda (session) (agent-q-fs-exec-session-end session 'killed))
              #'agent-q-fs-exec-session-run))
  :start (lambda (workspace arguments done)
           (let* ((told nil)
                  (session (agent-q-fs-exec--exec workspace arguments
                                                  (lambda (reply)
                                                    (setq told t)
                                                    (funcall done reply)))))
             (lambda () (unless told (agent-q-fs-exec-session-end session 'killed)))))
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
           (downcase (agent-q-fs-exec-run-ended-words run)))
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
