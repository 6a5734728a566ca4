;;; agent-q-fs-exec-approve.el --- What is asked about commands  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; What a person sees of a command before it is run, and which other commands an
;; approval that is remembered may be for: those that are the same to the letter; and,
;; where the command is plain, those that begin with the same word.
;;
;; Plain is what consists of words of few characters that mean nothing to any
;; shell, and one space between them.  This is told by what is allowed, not by what is
;; not: shells have more meaning than any list has.  And the first word must be a
;; program that does not run what its arguments say, and which nobody can have put
;; where it is found but who owns the system.

;;; Code:

(require 'agent-q-fs-exec-run)
(require 'agent-q-fs-exec-session)
(require 'seq)

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
  "Programs that run what their arguments say, and words of shells.
An approval of such a word would be one of anything.")

(defun agent-q-fs-exec-approve--runner-p (word)
  "Return non-nil if WORD, the name of a program, runs what its arguments say.
A version may be behind its name."
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
  "Return what approvals of COMMAND in the directory PATH of WORKSPACE may be for.
See `agent-q-fs-request-likes'."
  (let ((isolation (agent-q-fs-exec-isolation-kind workspace))
        (word (agent-q-fs-exec-approve-word command workspace)))
    ;; What a word means in a container, an earlier command may have changed.
    (when (eq 'podman isolation) (setq word nil))
    (append
     (list (list 'exact "this very command" (list 'command command path isolation)))
     (when word
       (list (list 'word (format "commands that begin with %s" word)
                   (list 'word word (agent-q-fs-exec-approve--place word workspace)
                         isolation)))))))

(defun agent-q-fs-exec-approve-command (workspace arguments)
  "Return the preview of a command with ARGUMENTS in WORKSPACE."
  (let* ((command (or (plist-get arguments :command) (plist-get arguments :cmd)))
         (path (car (agent-q-fs-exec-run-place workspace (plist-get arguments :workdir)))))
    (agent-q-fs-exec-run-check command (if (plist-member arguments :cmd) "cmd" "command"))
    (list :summary (format "run %s" (truncate-string-to-width command 200 nil nil "…"))
          :targets (list (list :path path :given (plist-get arguments :workdir)
                               :action :run-in :type :directory))
          :facts (list (cons "Isolated" (agent-q-fs-exec-isolation-words workspace))
                       (cons "Environ" (agent-q-fs-exec-environment-words)))
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

(provide 'agent-q-fs-exec-approve)
;;; agent-q-fs-exec-approve.el ends here
