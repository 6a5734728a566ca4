;;; agent-q-fs-exec-run.el --- Run a command, and end it  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A run is a command from its start to the end of all processes that it started.
;; `agent-q-fs-exec-run-start' begins one and returns at once.  Its output is collected,
;; and its ON-END is called once, when
;;
;;   - the command has ended, by itself or by `agent-q-fs-exec-run-end';
;;   - no process that it started is alive (agent-q-fs-exec-process.el);
;;   - its output has been read.
;;
;; A command that could not be started has a problem, which is an error's reply.
;;
;; The directory is judged by the core.  Emacs enters it by name, and the shell that
;; comes before the command (`agent-q-fs-exec-run--script') asks the kernel where it is:
;; if that is not the directory that the core has judged, nothing is run.

;;; Code:

(require 'agent-q-fs)
(require 'agent-q-fs-exec-process)
(require 'agent-q-fs-exec-isolate)
(require 'agent-q-fs-job)
(require 'cl-lib)

(defconst agent-q-fs-exec-run--longest 120000
  "Bytes that a command may have.  The kernel takes no argument above 128 KiB.")

(defconst agent-q-fs-exec-run--grace 0.3
  "Seconds between asking a command to end and killing it.")

(defconst agent-q-fs-exec-run--patience 2
  "Seconds for reading the output after the last process has ended.")

(defcustom agent-q-fs-exec-size '(24 . 80)
  "Lines and columns of the terminals of commands."
  :group 'agent-q-fs-exec
  :type '(cons natnum natnum))

(cl-defstruct (agent-q-fs-exec-run (:constructor agent-q-fs-exec-run--make) (:copier nil))
  "A command, from its start to the end of all that it started."
  workspace command tty
  (directory nil :documentation "Where, as the workspace names it.")
  (isolation nil :documentation "`none', `bubblewrap' or `podman'.")
  (on-output nil :documentation "Called with the run and bytes that it has printed.")
  (on-end nil :documentation "Called with the run, once.")
  (stdout (agent-q-fs-exec-output-make))
  (stderr (agent-q-fs-exec-output-make))
  (process nil :documentation "The process, once there is one.")
  (pipe nil :documentation "The pipe for stdout, unless there is a terminal.")
  (mark nil :documentation "The mark of all processes that it starts.")
  (started (float-time))
  (seconds nil :documentation "How long it took, once it has ended.")
  (status nil :documentation "(exit . NUMBER) or (signal . NUMBER), once the command has ended.")
  (reason nil :documentation "Why it was ended: a symbol; nil if it ended by itself.")
  (swept nil :documentation "Whether all processes that it started have ended.")
  (left 0 :documentation "How many processes were alive when the command had ended.")
  (survivors nil :documentation "The pids of processes that could not be ended.")
  (problem nil :documentation "An error's reply, if it could not be started.")
  (ended nil))

(defvar agent-q-fs-exec-run--all nil
  "The runs that have not ended.")


;;;; Where

(defun agent-q-fs-exec-run-place (workspace workdir)
  "Return (PATH . NAME) of the directory WORKDIR of WORKSPACE, or signal an error.
PATH is canonical, as the workspace names it; NAME is absolute."
  (when (eq :memory (plist-get (agent-q-fs-workspace-facts workspace) :backend))
    (agent-q-fs--fail :unknown-operation "No command can be run in a workspace in memory: \
programs cannot see its files"))
  (let* ((agent-q-fs--told t)           ; the command's own events tell of it
         (info (agent-q-fs--call workspace 'get_file_info (list :path (or workdir ".")) nil))
         (path (plist-get info :path)))
    (unless (eq :directory (plist-get info :type))
      (agent-q-fs--fail :not-a-directory "workdir: '%s' is not a directory" workdir))
    (cons path (agent-q-fs-path-name workspace path))))

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


;;;; Starting

(defconst agent-q-fs-exec-run--script
  "mark=$1 directory=$2 rows=$3 columns=$4; shift 4
[ \"$(pwd -P; echo .)\" = \"$directory
.\" ] || { echo \"$mark:directory\" >&2; exit 125; }
if [ \"$rows\" = 0 ]; then exec </dev/null
elif [ -t 0 ]; then stty sane -echo -onlcr rows \"$rows\" columns \"$columns\"
else echo \"$mark:terminal\" >&2; exit 125; fi
for fd in /proc/self/fd/*; do
  fd=${fd##*/}
  case $fd in
  [012]|'*') ;;
  ?) eval \"exec $fd>&-\" ;;
  *) [ -z \"$BASH_VERSION\" ] || eval \"exec $fd>&-\" ;;
  esac
done
ulimit -c 0
%s
[ \"$rows\" != 0 ] || exec 3>&1 1>&2 2>&3 3>&-
unset mark directory rows columns fd
%s exec \"$@\"
"
  "The script of the shell that becomes the command.
If the command must not be run, it prints the mark and a word.  `stty
sane' is there because Emacs leaves some keys of a terminal without
meaning.  Emacs hands on descriptors that it inherited from its parent;
only bash can close those above 9.  The section on reading explains why
stdout and stderr are exchanged.")

(defconst agent-q-fs-exec-run--interpreter
  (seq-find #'file-executable-p '("/bin/bash" "/usr/bin/bash" "/usr/local/bin/bash" "/bin/sh"))
  "The shell for `agent-q-fs-exec-run--script'.")

(defconst agent-q-fs-exec-run--refusals
  '(("directory" :raced
     "The working directory was moved or replaced meanwhile; nothing was run")
    ("terminal" :limit "No pseudo-terminal is left for this command; nothing was run"))
  "Words of `agent-q-fs-exec-run--script', and the errors that they mean.")

(defun agent-q-fs-exec-run--marked-p (run)
  "Return non-nil if the process of RUN has its mark.
Podman's own process has none: it ends when the command does, whose
processes have the mark."
  (not (eq 'podman (agent-q-fs-exec-run-isolation run))))

(defun agent-q-fs-exec-run--words (run name)
  "Return the words that Emacs is to run for RUN in the directory NAME."
  (let* ((isolated (agent-q-fs-exec-isolate-command
                    (agent-q-fs-exec-run-workspace run) name (agent-q-fs-exec-run-tty run)
                    (agent-q-fs-exec-run-mark run)
                    (encode-coding-string (agent-q-fs-exec-run-command run) 'utf-8-unix)))
         (size (if (agent-q-fs-exec-run-tty run) (default-value 'agent-q-fs-exec-size) '(0 . 0))))
    (append (list agent-q-fs-exec-run--interpreter "-c"
                  (format agent-q-fs-exec-run--script
                          (if (agent-q-fs-exec-run--marked-p run)
                              (agent-q-fs-exec-sweep-shell (agent-q-fs-exec-run-mark run))
                            "")
                          (or (cdr isolated) ""))
                  "sh"
                  (agent-q-fs-exec-mark-id (agent-q-fs-exec-run-mark run))
                  (agent-q-fs--file-bytes name)
                  (number-to-string (car size)) (number-to-string (cdr size)))
            (car isolated))))

(defun agent-q-fs-exec-run--launch (run name)
  "Start the process of RUN in the directory NAME; signal an error if that fails."
  (let* ((words (agent-q-fs-exec-run--words run name))
         (process-environment
          (append (when (agent-q-fs-exec-run--marked-p run)
                    (list (concat agent-q-fs-exec-sweep-variable "="
                                  (agent-q-fs-exec-mark-id (agent-q-fs-exec-run-mark run)))))
                  (list "DISPLAY")      ; else Emacs adds that of a frame
                  (agent-q-fs-exec-environment)))
         (file-name-handler-alist nil)
         (default-directory (file-name-as-directory name))
         (pipe (unless (agent-q-fs-exec-run-tty run) (agent-q-fs-job--make-pipe)))
         process)
    (unwind-protect
        (setq process
              (make-process :name "agent-q-fs command" :buffer nil :noquery t
                            :file-handler nil :coding 'binary :command words
                            :connection-type (if pipe 'pipe 'pty) :stderr pipe
                            :filter #'agent-q-fs-exec-run--filter
                            :sentinel #'agent-q-fs-exec-run--sentinel))
      (when (and pipe (not process)) (delete-process pipe)))
    (setf (agent-q-fs-exec-run-process run) process
          (agent-q-fs-exec-run-pipe run) pipe)
    (process-put process 'agent-q-fs-exec run)
    (when pipe
      (process-put pipe 'agent-q-fs-exec run)
      (set-process-filter pipe #'agent-q-fs-exec-run--filter)
      (set-process-sentinel pipe #'agent-q-fs-exec-run--sentinel))))

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
              :workspace workspace :command command :tty tty :directory (car place)
              :isolation (agent-q-fs-exec-isolation-kind workspace)
              :mark (agent-q-fs-exec-sweep-mark) :on-output on-output :on-end on-end)))
    (push run agent-q-fs-exec-run--all)
    (agent-q-fs-exec-isolate-prepare
     workspace (lambda (problem) (agent-q-fs-exec-run--begin run (cdr place) problem)))
    run))


;;;; Reading

;; When output comes faster than it can be used, Emacs stops reading it for a moment:
;; the program waits, and Emacs does something else.  Emacs does not read a process
;; whose filter is t.  But if the process ends during that, its last output is lost, so
;; this can be done only to a pipe beside the process.  Emacs lets a process have one
;; such pipe, which is meant for stderr.  It is stdout that floods, so the shell before
;; the command exchanges the two.  A terminal is never fast.

(defconst agent-q-fs-exec-run--burst 1048576
  "Bytes that are read from all commands before they have to wait.")

(defvar agent-q-fs-exec-run--read 0
  "Bytes that were read since commands had to wait.")

(defvar agent-q-fs-exec-run--gc 0
  "The value of `gc-elapsed' then.")

(defvar agent-q-fs-exec-run--waiting nil
  "The pipes that are not read.")

(defun agent-q-fs-exec-run--pause (pipe)
  "Do not read PIPE for a moment, which is longer the longer garbage takes."
  (unless agent-q-fs-exec-run--waiting
    (run-with-timer (min 0.25 (max 0.01 (* 3 (- gc-elapsed agent-q-fs-exec-run--gc)))) nil
                    #'agent-q-fs-exec-run--go-on))
  (push pipe agent-q-fs-exec-run--waiting)
  (set-process-filter pipe t))

(defun agent-q-fs-exec-run--go-on ()
  "Read on from the pipes that had to wait."
  (let ((pipes agent-q-fs-exec-run--waiting))
    (setq agent-q-fs-exec-run--waiting nil
          agent-q-fs-exec-run--read 0
          agent-q-fs-exec-run--gc gc-elapsed)
    (dolist (pipe pipes)
      (when (process-live-p pipe)
        (set-process-filter pipe #'agent-q-fs-exec-run--filter)))))

(defun agent-q-fs-exec-run--filter (process bytes)
  "Take BYTES, which were read from PROCESS."
  (let* ((run (process-get process 'agent-q-fs-exec))
         (pipe (and run (eq process (agent-q-fs-exec-run-pipe run)))))
    (when (and run (not (agent-q-fs-exec-run-ended run)))
      (agent-q-fs-exec-output-add (if (or pipe (agent-q-fs-exec-run-tty run))
                                      (agent-q-fs-exec-run-stdout run)
                                    (agent-q-fs-exec-run-stderr run))
                                  bytes)
      (when (and (> (cl-incf agent-q-fs-exec-run--read (length bytes))
                    agent-q-fs-exec-run--burst)
                 pipe)
        (agent-q-fs-exec-run--pause process))
      (when (agent-q-fs-exec-run-on-output run)
        (funcall (agent-q-fs-exec-run-on-output run) run bytes)))))


;;;; Ending

(defun agent-q-fs-exec-run--sentinel (process _event)
  "Take note that PROCESS, of a run, has ended."
  (let ((run (process-get process 'agent-q-fs-exec)))
    (when (and run (not (process-live-p process)))
      (when (and (eq process (agent-q-fs-exec-run-process run))
                 (not (agent-q-fs-exec-run-status run)))
        (setf (agent-q-fs-exec-run-status run)
              (cons (process-status process) (process-exit-status process)))
        (unless (agent-q-fs-exec-run-reason run)
          (agent-q-fs-exec-run--sweep run)))
      (agent-q-fs-exec-run--settle run))))

(defun agent-q-fs-exec-run--signal (run signal)
  "Send SIGNAL to the process of RUN, if it lives."
  (let ((process (agent-q-fs-exec-run-process run)))
    (when (process-live-p process)
      (ignore-errors (signal-process process signal)))))

(defun agent-q-fs-exec-run--sweep (run)
  "Kill the live processes of RUN."
  (agent-q-fs-exec-run--signal run 'SIGKILL)
  (agent-q-fs-exec-sweep-end
   (agent-q-fs-exec-run-mark run)
   (lambda (killed survivors)
     (setf (agent-q-fs-exec-run-swept run) t
           ;; Bubblewrap's own processes do not count as left behind.
           (agent-q-fs-exec-run-left run)
           (if (eq 'bubblewrap (agent-q-fs-exec-run-isolation run)) 0 killed)
           (agent-q-fs-exec-run-survivors run) survivors)
     (agent-q-fs-exec-run--settle run)
     ;; Do not wait for processes that nothing can end, nor for others that hold the output.
     (run-with-timer (if survivors agent-q-fs-exec-run--grace agent-q-fs-exec-run--patience)
                     nil #'agent-q-fs-exec-run--finish run))))

(defun agent-q-fs-exec-run--settle (run)
  "End RUN if nothing of it is to be waited for."
  (when (and (agent-q-fs-exec-run-swept run)
             (agent-q-fs-exec-run-status run)
             (not (and (agent-q-fs-exec-run-pipe run)
                       (process-live-p (agent-q-fs-exec-run-pipe run)))))
    (agent-q-fs-exec-run--finish run)))

(defun agent-q-fs-exec-run--refusal (run)
  "Return the error's reply that the shell before RUN's command meant, or nil."
  (when (equal '(exit . 125) (agent-q-fs-exec-run-status run))
    (let ((said (agent-q-fs-exec-output--joined
                 (append (agent-q-fs-exec-output-head (agent-q-fs-exec-run-stderr run))
                         (agent-q-fs-exec-output-head (agent-q-fs-exec-run-stdout run)))))
          (mark (agent-q-fs-exec-mark-id (agent-q-fs-exec-run-mark run))))
      (when (string-match (format "\\`%s:\\([a-z]+\\)\r?\n\\'" mark) said)
        (pcase (assoc (match-string 1 said) agent-q-fs-exec-run--refusals)
          (`(,_ ,code ,words) (agent-q-fs--error-reply code "%s" words)))))))

(defun agent-q-fs-exec-run--finish (run)
  "End RUN, unless it has ended, and call its ON-END."
  (unless (agent-q-fs-exec-run-ended run)
    (setq agent-q-fs-exec-run--all (delq run agent-q-fs-exec-run--all))
    (setf (agent-q-fs-exec-run-seconds run) (- (float-time) (agent-q-fs-exec-run-started run)))
    (unless (agent-q-fs-exec-run-problem run)
      (setf (agent-q-fs-exec-run-problem run) (agent-q-fs-exec-run--refusal run)))
    (setf (agent-q-fs-exec-run-ended run) t)
    (dolist (process (list (agent-q-fs-exec-run-process run) (agent-q-fs-exec-run-pipe run)))
      (when process (delete-process process)))
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
      (dolist (signal '(SIGTERM SIGCONT))
        (agent-q-fs-exec-sweep-signal (list (agent-q-fs-exec-run-mark run)) signal)
        (agent-q-fs-exec-run--signal run signal))
      (run-with-timer agent-q-fs-exec-run--grace nil #'agent-q-fs-exec-run--sweep run))))

(defun agent-q-fs-exec-run-end-all-now (&optional runs)
  "End RUNS, by default all, before this returns."
  (let ((runs (or runs agent-q-fs-exec-run--all)))
    (dolist (run runs)
      (agent-q-fs-exec-run--signal run 'SIGKILL))
    (agent-q-fs-exec-sweep-end-now (mapcar #'agent-q-fs-exec-run-mark runs))
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

(defun agent-q-fs-exec-run-wait (predicate &optional quit)
  "Wait until PREDICATE, a function, returns non-nil; on a quit, call QUIT.
It is called at once, and then once more, where the caller is gone."
  (let ((done nil))
    (unwind-protect
        (progn
          (agent-q-fs-caller-wait predicate quit)
          (setq done t))
      (unless (or done (not quit)) (funcall quit)))))

(provide 'agent-q-fs-exec-run)
;;; agent-q-fs-exec-run.el ends here
