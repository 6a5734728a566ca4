;;; agent-q-fs-exec-session.el --- Commands that go on between calls  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A session is a run (agent-q-fs-exec-run.el) with a number, which a model polls and
;; writes to by further calls, and a person by a buffer (agent-q-fs-exec-ui.el).  It ends with
;; its command; when somebody ends it; when nobody has used it for a while; when its
;; workspace is closed; and with Emacs.

;;; Code:

(require 'agent-q-fs-exec-run)
(require 'cl-lib)
(require 'seq)

(defcustom agent-q-fs-exec-sessions 64
  "How many sessions there may be.
For a new one, those that have ended are forgotten, the one that was
used least recently first."
  :group 'agent-q-fs-exec
  :type 'natnum)

(defcustom agent-q-fs-exec-idle 1800
  "Seconds after which a session that nobody uses is ended; nil for never."
  :group 'agent-q-fs-exec
  :type '(choice (const :tag "Never" nil) number))

(defconst agent-q-fs-exec-session--line 4095
  "Bytes of a line that a terminal takes; it drops what is more without a word.")

(defconst agent-q-fs-exec-session--patience 1
  "Seconds that a program may take to read what is written to it.")

(cl-defstruct (agent-q-fs-exec-session (:constructor agent-q-fs-exec-session--make)
                                       (:copier nil))
  "A command that goes on between calls."
  number
  (run nil :documentation "The run.")
  (screen (agent-q-fs-exec-output-make :keep 4096)
          :documentation "What it has printed, for the person.")
  (used (float-time) :documentation "When somebody has last used it.")
  (line 0 :documentation "Bytes written to it since the last end of a line.")
  (waiting nil :documentation "Functions to call when it has ended.")
  (idle nil :documentation "The timer that ends it.")
  (buffer nil :documentation "Where the person sees it."))

(defvar agent-q-fs-exec-session--all nil
  "The sessions, the latest first.")

(defvar agent-q-fs-exec-session--count 0
  "The number of the latest session.")

(defvar agent-q-fs-exec-session-functions nil
  "Functions called with a session and with what has happened to it.
That is `kept' when it goes on after the call that began it, `printed',
`ended' or `forgotten'; or a string that was written to it.")

(defun agent-q-fs-exec-session--tell (session what)
  "Tell who listens that WHAT has happened to SESSION."
  (with-demoted-errors "agent-q-fs: error about a session: %S"
    (run-hook-with-args 'agent-q-fs-exec-session-functions session what)))

(defun agent-q-fs-exec-session-ended-p (session)
  "Return non-nil if SESSION has ended."
  (agent-q-fs-exec-run-ended (agent-q-fs-exec-session-run session)))

(defun agent-q-fs-exec-session-list (&optional workspace)
  "Return the sessions of WORKSPACE, or all, the oldest first."
  (reverse (if workspace
               (seq-filter (lambda (session)
                             (eq workspace (agent-q-fs-exec-run-workspace
                                            (agent-q-fs-exec-session-run session))))
                           agent-q-fs-exec-session--all)
             agent-q-fs-exec-session--all)))

(defun agent-q-fs-exec-session-find (workspace number)
  "Return the session NUMBER of WORKSPACE, or signal an error."
  (or (seq-find (lambda (session) (eql number (agent-q-fs-exec-session-number session)))
                (agent-q-fs-exec-session-list workspace))
      (agent-q-fs--fail :not-found "There is no session %d; list_sessions lists them" number)))

(defun agent-q-fs-exec-session-use (session)
  "Take note that SESSION is used."
  (setf (agent-q-fs-exec-session-used session) (float-time))
  (when (agent-q-fs-exec-session-idle session)
    (cancel-timer (agent-q-fs-exec-session-idle session)))
  (setf (agent-q-fs-exec-session-idle session)
        (and agent-q-fs-exec-idle
             (not (agent-q-fs-exec-session-ended-p session))
             (run-with-timer agent-q-fs-exec-idle nil #'agent-q-fs-exec-session-end
                             session 'idle))))

(defun agent-q-fs-exec-session-end (session reason)
  "End SESSION for REASON, a symbol."
  (agent-q-fs-exec-run-end (agent-q-fs-exec-session-run session) reason))

(defun agent-q-fs-exec-session-forget (session)
  "Forget SESSION, which has ended."
  (setq agent-q-fs-exec-session--all (delq session agent-q-fs-exec-session--all))
  (agent-q-fs-exec-session--tell session 'forgotten))


;;;; Starting

(defun agent-q-fs-exec-session--make-room ()
  "Forget a session that has ended if there are as many as there may be.
Signal an error where none has."
  (when (>= (length agent-q-fs-exec-session--all) agent-q-fs-exec-sessions)
    (let ((ended (sort (seq-filter #'agent-q-fs-exec-session-ended-p
                                   agent-q-fs-exec-session--all)
                       (lambda (a b) (< (agent-q-fs-exec-session-used a)
                                        (agent-q-fs-exec-session-used b))))))
      (unless ended
        (agent-q-fs--fail :limit "There are %d sessions already, and none has ended; \
end one with kill_session" (length agent-q-fs-exec-session--all)))
      (agent-q-fs-exec-session-forget (car ended)))))

(defun agent-q-fs-exec-session-start (workspace command workdir tty)
  "Start COMMAND in WORKDIR of WORKSPACE and return its session.
With TTY it has a terminal."
  (agent-q-fs-exec-session--make-room)
  (let ((session (agent-q-fs-exec-session--make)))
    (setf (agent-q-fs-exec-session-run session)
          (agent-q-fs-exec-run-start
           workspace command workdir :tty tty :name "cmd"
           :on-output (lambda (_run bytes)
                        (agent-q-fs-exec-output-add (agent-q-fs-exec-session-screen session) bytes)
                        (agent-q-fs-exec-session--tell session 'printed))
           :on-end (lambda (run) (agent-q-fs-exec-session--ended session run)))
          (agent-q-fs-exec-session-number session) (cl-incf agent-q-fs-exec-session--count))
    (push session agent-q-fs-exec-session--all)
    (agent-q-fs-exec-session-use session)
    session))

(defun agent-q-fs-exec-session--ended (session run)
  "Tell who waits for SESSION that its RUN has ended."
  (setf (agent-q-fs-exec-session-run session) run) ; it may end while it is started
  (when (agent-q-fs-exec-session-idle session)
    (cancel-timer (agent-q-fs-exec-session-idle session)))
  (let ((waiting (agent-q-fs-exec-session-waiting session)))
    (setf (agent-q-fs-exec-session-waiting session) nil)
    (mapc #'funcall (reverse waiting)))
  (agent-q-fs-exec-session--tell session 'ended))

(defun agent-q-fs-exec-session-after (session milliseconds then)
  "Call THEN once when SESSION has ended, or MILLISECONDS from now."
  (if (or (agent-q-fs-exec-session-ended-p session) (= 0 milliseconds))
      (funcall then)
    (let* ((timer nil)
           (tell (lambda ()
                   (when timer
                     (cancel-timer timer)
                     (setq timer nil)
                     (funcall then)))))
      (push tell (agent-q-fs-exec-session-waiting session))
      (setq timer (run-with-timer (/ milliseconds 1000.0) nil tell)))))


;;;; Writing

(defun agent-q-fs-exec-session--whole-lines-p (session)
  "Return non-nil if SESSION's terminal hands on lines, and takes only short ones.
That is so unless the program has chosen to be given each character."
  (let ((terminal (process-tty-name (agent-q-fs-exec-run-process
                                     (agent-q-fs-exec-session-run session)))))
    (or (eq 'podman (agent-q-fs-exec-run-isolation (agent-q-fs-exec-session-run session)))
        (not terminal)                  ; podman's terminal is not the program's
        (with-temp-buffer
          (let ((default-directory "/"))
            (not (and (eql 0 (ignore-errors
                               (call-process "stty" nil t nil "-F" terminal "-a")))
                      (string-match-p "-icanon\\b" (buffer-string)))))))))

(defun agent-q-fs-exec-session--check-lines (session bytes)
  "Signal an error if a line of BYTES, to be written to SESSION, would be cut.
Else take note of how long its last line is."
  (let ((length (agent-q-fs-exec-session-line session))
        (start 0) (longest 0) end)
    ;; These keys end a line, or throw it away: ^C ^D LF CR ^U ^Z ^\
    (while (setq end (string-match "[\003\004\n\r\025\032\034]" bytes start))
      (setq longest (max longest (+ length (- end start)))
            length 0
            start (1+ end)))
    (setq length (+ length (- (length bytes) start))
          longest (max longest length))
    (when (and (>= longest agent-q-fs-exec-session--line)
               (agent-q-fs-exec-session--whole-lines-p session))
      (agent-q-fs--fail
       :too-long "chars: a line of %d bytes would be cut: the program reads whole lines, and \
a terminal takes at most %d bytes of one.  Nothing was written; put it into a file"
       longest (1- agent-q-fs-exec-session--line)))
    (setf (agent-q-fs-exec-session-line session) length)))

(defun agent-q-fs-exec-session-check (session)
  "Signal an error unless SESSION can be written to."
  (let ((number (agent-q-fs-exec-session-number session)))
    (cond
     ((agent-q-fs-exec-session-ended-p session)
      (agent-q-fs--fail :command-failed "Session %d has ended, nothing can be written to it"
                        number))
     ((not (agent-q-fs-exec-run-tty (agent-q-fs-exec-session-run session)))
      (agent-q-fs--fail :command-failed "The stdin of session %d is closed: it was started \
with tty false" number))
     ((not (agent-q-fs-exec-run-process (agent-q-fs-exec-session-run session)))
      (agent-q-fs--fail :command-failed "Session %d has not begun yet; try again" number)))))

(defun agent-q-fs-exec-session-write (session chars)
  "Write CHARS to SESSION as if they were typed, or signal an error."
  (agent-q-fs-exec-session-check session)
  (let ((bytes (encode-coding-string chars 'utf-8-unix)))
    (agent-q-fs-exec-session--check-lines session bytes)
    (agent-q-fs-exec-session-use session)
    (agent-q-fs-exec-session--tell session chars)
    (unless (with-timeout (agent-q-fs-exec-session--patience nil)
              (process-send-string
               (agent-q-fs-exec-run-process (agent-q-fs-exec-session-run session)) bytes)
              t)
      (agent-q-fs--fail :timeout "The program in session %d does not read what is written \
to it; some of this was not written yet" (agent-q-fs-exec-session-number session)))))

(defun agent-q-fs-exec-session-resize (session lines columns)
  "Give the terminal of SESSION so many LINES and COLUMNS."
  (let ((process (agent-q-fs-exec-run-process (agent-q-fs-exec-session-run session))))
    (when (and (process-live-p process)
               (agent-q-fs-exec-run-tty (agent-q-fs-exec-session-run session)))
      (set-process-window-size process lines columns))))

(defun agent-q-fs-exec-session--closing (workspace)
  "Forget the sessions of WORKSPACE, which is being closed."
  (mapc #'agent-q-fs-exec-session-forget (agent-q-fs-exec-session-list workspace)))

;; Behind the function that ends the commands.
(add-hook 'agent-q-fs-close-functions #'agent-q-fs-exec-session--closing t)

(provide 'agent-q-fs-exec-session)
;;; agent-q-fs-exec-session.el ends here
