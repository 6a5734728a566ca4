;;; agent-q-fs-exec-process.el --- Environment and end of a command's processes  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; All processes of a command inherit an environment, which is described here, and
;; a mark, by which they are found and ended.

;;; Code:

(require 'agent-q-fs)
(require 'cl-lib)
(require 'seq)
(require 'subr-x)


;;;; The environment

;; A command gets only those variables of Emacs' environment that
;; `agent-q-fs-exec-environment' names, and the settings in `agent-q-fs-exec-settings'.
;; Packages that read .envrc or .dir-locals.el set variables in buffers, so the global
;; values are taken: nothing comes from a buffer or a project.

(defgroup agent-q-fs-exec nil
  "Commands that models run."
  :group 'agent-q-fs)

(defcustom agent-q-fs-exec-environment
  '("PATH" "HOME" "USER" "LOGNAME" "SHELL" "LANG" "LANGUAGE" "LC_*" "TZ" "TMPDIR")
  "Names of the variables that commands have as Emacs has them.
A name may end in *, which stands for any end.  Nothing else of Emacs'
environment reaches a command: it may hold secrets."
  :type '(repeat string))

(defcustom agent-q-fs-exec-settings
  '("TERM=dumb" "PAGER=cat" "GIT_PAGER=cat" "MANPAGER=cat" "SYSTEMD_PAGER=cat"
    "NO_COLOR=1" "CLICOLOR=0" "GIT_TERMINAL_PROMPT=0")
  "Further settings in the environment of commands, as NAME=VALUE.
These keep programs from paging and colouring, and git from asking."
  :type '(repeat string))

(defcustom agent-q-fs-exec-shell nil
  "The shell that commands are given to, with -c; nil for `shell-file-name'."
  :type '(choice (const :tag "Yours" nil) file))

(defun agent-q-fs-exec-environment--named-p (entry)
  "Return non-nil if ENTRY, NAME=VALUE, has a name that commands may see."
  (let ((name (car (split-string entry "="))))
    (and (string-search "=" entry)
         (seq-some (lambda (known)
                     (if (string-suffix-p "*" known)
                         (string-prefix-p (substring known 0 -1) name)
                       (equal known name)))
                   agent-q-fs-exec-environment))))

(defun agent-q-fs-exec-environment--path (entry)
  "Return ENTRY; if it is PATH, without directories that depend on where one is."
  (if (not (string-prefix-p "PATH=" entry))
      entry
    (concat "PATH="
            (string-join (seq-filter (lambda (directory) (string-prefix-p "/" directory))
                                     (split-string (substring entry 5) ":"))
                         ":"))))

(defun agent-q-fs-exec-environment ()
  "Return the environment of commands, as `process-environment' has it."
  (append agent-q-fs-exec-settings
          (mapcar #'agent-q-fs-exec-environment--path
                  (seq-filter #'agent-q-fs-exec-environment--named-p
                              ;; A name that occurs twice counts the first time, as for Emacs.
                              (seq-uniq (default-toplevel-value 'process-environment)
                                        (lambda (a b)
                                          (equal (car (split-string a "="))
                                                 (car (split-string b "=")))))))))

(defun agent-q-fs-exec-environment-words ()
  "Return words for a person about the environment of commands."
  (format "%s; of yours only %s"
          (string-join agent-q-fs-exec-settings " ")
          (string-join agent-q-fs-exec-environment " ")))

(defun agent-q-fs-exec-file-bytes (name)
  "Return the bytes of the file NAME."
  (encode-coding-string name (or file-name-coding-system default-file-name-coding-system
                                 'utf-8-unix)))

(defun agent-q-fs-exec-program (name)
  "Return the file that a command finds as NAME, or nil."
  (let* ((file-name-handler-alist nil)
         (path (seq-some (lambda (entry)
                           (and (string-prefix-p "PATH=" entry) (substring entry 5)))
                         (agent-q-fs-exec-environment))))
    (seq-some (lambda (directory)
                (let ((file (concat (file-name-as-directory directory) name)))
                  (and (file-executable-p file) (file-regular-p file) file)))
              (split-string (or path "/usr/bin:/bin") ":" t))))

(defun agent-q-fs-exec-shell ()
  "Return the file name of the shell for commands, or signal an error."
  (let* ((shell (or agent-q-fs-exec-shell (default-toplevel-value 'shell-file-name)))
         (found (and (stringp shell)
                     (if (file-name-absolute-p shell)
                         (and (file-executable-p shell) shell)
                       (agent-q-fs-exec-program shell)))))
    (or found
        (agent-q-fs--fail :command-failed "There is no shell %s; see agent-q-fs-exec-shell"
                          shell))))


;;;; Ending all that a command started

;; A process can leave its group, its session and its parent, so none of these
;; finds all processes that a command has started.  A process cannot easily change
;; its first environment and its limits, so each command has a mark in both:
;;
;;   - a variable in the environment, which shows in /proc/PID/environ;
;;   - a limit that no other process has, which shows in /proc/PID/limits, for
;;     processes that were started with another environment.  It is the limit of
;;     resident memory: Linux has ignored that one for years, and every shell can set it.
;;
;; `agent-q-fs-exec-sweep-end' kills the processes that have a mark, again and again
;; until none is left.  One look through /proc serves all commands that are being ended.

(defconst agent-q-fs-exec-sweep-variable "AGENT_Q_FS_COMMAND"
  "The variable in a command's environment that says which command it is.")

(defconst agent-q-fs-exec-sweep--round 0.01
  "Seconds between two searches for processes that are still there.")

(defconst agent-q-fs-exec-sweep--patience 2
  "Seconds after which it is not hoped any more that a process ends.")


;;;; Marks

(cl-defstruct (agent-q-fs-exec-mark (:constructor agent-q-fs-exec-sweep--make-mark)
                                    (:copier nil))
  "The mark of the processes of a command."
  (id nil :documentation "The variable's value.")
  (limit nil :documentation "The limit, in KiB."))

(defconst agent-q-fs-exec-sweep--limit-line "^Max resident set +[a-z0-9]+ +\\([0-9]+\\) "
  "A regexp for the limit in /proc/PID/limits, in bytes.")

(defun agent-q-fs-exec-sweep--most ()
  "Return the most KiB that the limit of a command can be."
  (with-temp-buffer
    (ignore-errors (insert-file-contents-literally "/proc/self/limits"))
    (if (re-search-forward agent-q-fs-exec-sweep--limit-line nil t)
        ;; This Emacs runs in a command itself.
        (/ (string-to-number (match-string 1)) 1024)
      (expt 2 50))))

(defun agent-q-fs-exec-sweep-mark ()
  "Return a mark that no other command has."
  (let ((most (agent-q-fs-exec-sweep--most)))
    (agent-q-fs-exec-sweep--make-mark
     :id (secure-hash 'sha1 (format "%s %s %s %s" (emacs-pid) (float-time)
                                    (random most-positive-fixnum) (recent-keys)))
     :limit (- most 1 (random (max 1 (/ most 4)))))))

(defun agent-q-fs-exec-sweep-shell (mark)
  "Return the shell command that sets the limit of MARK."
  (format "ulimit -m %d" (agent-q-fs-exec-mark-limit mark)))


;;;; Looking

(defun agent-q-fs-exec-sweep--read (pid file)
  "Make the current buffer hold /proc/PID/FILE, or nothing."
  (erase-buffer)
  (ignore-errors
    (insert-file-contents-literally (concat "/proc/" pid "/" file))
    (goto-char (point-min))))

(defun agent-q-fs-exec-sweep--has-p (pid marks)
  "Return the one of MARKS that the process PID has, or nil."
  (or (progn
        (agent-q-fs-exec-sweep--read pid "environ")
        (when (re-search-forward (concat "\\(?:\\`\\|\0\\)" agent-q-fs-exec-sweep-variable
                                         "=\\([0-9a-f]\\{40\\}\\)\0")
                                 nil t)
          (let ((id (match-string 1)))
            (seq-find (lambda (mark) (equal id (agent-q-fs-exec-mark-id mark))) marks))))
      (progn
        (agent-q-fs-exec-sweep--read pid "limits")
        (when (re-search-forward agent-q-fs-exec-sweep--limit-line nil t)
          (let ((limit (string-to-number (match-string 1))))
            (seq-find (lambda (mark) (= limit (* 1024 (agent-q-fs-exec-mark-limit mark))))
                      marks))))))

(defun agent-q-fs-exec-sweep--alive-p (pid)
  "Return non-nil unless the process PID has ended and is only remembered."
  (agent-q-fs-exec-sweep--read pid "stat")
  ;; The name is in parentheses and may hold any.
  (and (re-search-forward ".*) \\([A-Za-z]\\) " nil t)
       (not (member (match-string 1) '("Z" "X")))))

(defun agent-q-fs-exec-sweep-find (marks)
  "Return the live processes with one of MARKS as a list of (MARK . PIDS)."
  (let ((file-name-handler-alist nil)
        (inhibit-quit t)
        found)
    (with-temp-buffer
      (set-buffer-multibyte nil)
      (dolist (pid (ignore-errors (directory-files "/proc" nil "\\`[0-9]+\\'" t)))
        (let ((mark (agent-q-fs-exec-sweep--has-p pid marks)))
          (when (and mark (agent-q-fs-exec-sweep--alive-p pid))
            (push (string-to-number pid) (alist-get mark found))))))
    found))

(defun agent-q-fs-exec-sweep-signal (marks signal)
  "Send SIGNAL to all live processes with MARKS; return them as (MARK . PIDS)."
  (let ((found (agent-q-fs-exec-sweep-find marks)))
    (pcase-dolist (`(,_ . ,pids) found)
      (dolist (pid pids)
        (ignore-errors (signal-process pid signal))))
    found))


;;;; Ending

(cl-defstruct (agent-q-fs-exec-sweep--job (:constructor agent-q-fs-exec-sweep--make-job)
                                          (:copier nil))
  mark then deadline killed)

(defvar agent-q-fs-exec-sweep--jobs nil
  "The commands that are being ended.")

(defvar agent-q-fs-exec-sweep--timer nil
  "The timer that will search again.")

(defun agent-q-fs-exec-sweep-end (mark then)
  "Kill all processes of MARK, and call THEN when there are none left.
It is called with how many there were, and with the pids of those that
did not end in time."
  (push (agent-q-fs-exec-sweep--make-job
         :mark mark :then then
         :deadline (+ (float-time) agent-q-fs-exec-sweep--patience))
        agent-q-fs-exec-sweep--jobs)
  (unless agent-q-fs-exec-sweep--timer
    (setq agent-q-fs-exec-sweep--timer (run-with-timer 0 nil #'agent-q-fs-exec-sweep--look))))

(defun agent-q-fs-exec-sweep--look ()
  "Kill the live processes of all commands that are being ended."
  (setq agent-q-fs-exec-sweep--timer nil)
  (let* ((jobs agent-q-fs-exec-sweep--jobs)
         (found (agent-q-fs-exec-sweep-signal (mapcar #'agent-q-fs-exec-sweep--job-mark jobs)
                                              'SIGKILL)))
    (dolist (job jobs)
      (let ((pids (alist-get (agent-q-fs-exec-sweep--job-mark job) found)))
        (setf (agent-q-fs-exec-sweep--job-killed job)
              (cl-union pids (agent-q-fs-exec-sweep--job-killed job)))
        (when (or (null pids) (> (float-time) (agent-q-fs-exec-sweep--job-deadline job)))
          (setq agent-q-fs-exec-sweep--jobs (delq job agent-q-fs-exec-sweep--jobs))
          (with-demoted-errors "agent-q-fs: error at the end of a command: %S"
            (funcall (agent-q-fs-exec-sweep--job-then job)
                     (length (agent-q-fs-exec-sweep--job-killed job)) pids))))))
  (when (and agent-q-fs-exec-sweep--jobs (not agent-q-fs-exec-sweep--timer))
    (setq agent-q-fs-exec-sweep--timer
          (run-with-timer agent-q-fs-exec-sweep--round nil #'agent-q-fs-exec-sweep--look))))

(defun agent-q-fs-exec-sweep-end-now (marks)
  "Kill all processes of MARKS before this returns, because Emacs ends."
  (let ((deadline (+ (float-time) agent-q-fs-exec-sweep--patience)))
    (while (and marks
                (agent-q-fs-exec-sweep-signal marks 'SIGKILL)
                (< (float-time) deadline))
      (sleep-for 0.005))))

(provide 'agent-q-fs-exec-process)
;;; agent-q-fs-exec-process.el ends here
