;;; agent-q-fs-exec-session.el --- Commands that go on between calls  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A session is a run (agent-q-fs-exec-run.el) with a number, which a model polls and
;; writes to by further calls, and a person by a buffer.  It ends with its command;
;; when somebody ends it; when nobody has used it for a while; when its
;; workspace is closed; and with Emacs.  At the end is what a person sees of sessions, and
;; of the isolations that work here.

;;; Code:

(require 'agent-q-fs-exec-run)
(require 'cl-lib)
(require 'seq)
(require 'tabulated-list)

(declare-function agent-q-fs-exec-state "agent-q-fs-exec" (session))

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
  "The most bytes that a terminal takes as one line; it silently drops more.")

(defconst agent-q-fs-exec-session--patience 1
  "Seconds that a program may take to read its input.")

(cl-defstruct (agent-q-fs-exec-session (:constructor agent-q-fs-exec-session--make)
                                       (:copier nil))
  "A command that goes on between calls."
  number
  (run nil :documentation "The run.")
  (screen (agent-q-fs-exec-output-make :keep 4096)
          :documentation "Its output, for the person.")
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
  "Functions called with a session and an event.
The event is `kept' when the session goes on after the call that began
it, `printed', `ended' or `forgotten'; or a string that was written to
the session.")

(defun agent-q-fs-exec-session--tell (session what)
  "Call `agent-q-fs-exec-session-functions' with SESSION and WHAT, an event."
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
        (and (default-value 'agent-q-fs-exec-idle)
             (not (agent-q-fs-exec-session-ended-p session))
             (run-with-timer (default-value 'agent-q-fs-exec-idle) nil #'agent-q-fs-exec-session-end
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
  (when (>= (length agent-q-fs-exec-session--all) (default-value 'agent-q-fs-exec-sessions))
    (let ((ended (sort (seq-filter #'agent-q-fs-exec-session-ended-p
                                   agent-q-fs-exec-session--all)
                       (lambda (a b) (< (agent-q-fs-exec-session-used a)
                                        (agent-q-fs-exec-session-used b))))))
      (unless ended
        (agent-q-fs--fail :limit "There are %d sessions already, and none has ended; \
end one with kill_session" (length agent-q-fs-exec-session--all)))
      (agent-q-fs-exec-session-forget (car ended)))))

(defun agent-q-fs-exec-session-start (workspace command place tty)
  "Start COMMAND in PLACE of WORKSPACE and return its session.
PLACE is as for `agent-q-fs-exec-run-start'.
With TTY it has a terminal."
  (agent-q-fs-exec-session--make-room)
  (let ((session (agent-q-fs-exec-session--make)))
    (setf (agent-q-fs-exec-session-run session)
          (agent-q-fs-exec-run-start
           workspace command place :tty tty :name "cmd"
           :on-output (lambda (_run bytes)
                        (agent-q-fs-exec-output-add (agent-q-fs-exec-session-screen session) bytes)
                        (agent-q-fs-exec-session--tell session 'printed))
           :on-end (lambda (run) (agent-q-fs-exec-session--ended session run)))
          (agent-q-fs-exec-session-number session) (cl-incf agent-q-fs-exec-session--count))
    (push session agent-q-fs-exec-session--all)
    (agent-q-fs-exec-session-use session)
    session))

(defun agent-q-fs-exec-session--ended (session run)
  "Call the functions that wait for SESSION, because its RUN has ended."
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
  (let ((terminal (agent-q-fs-exec-run-terminal (agent-q-fs-exec-session-run session))))
    (or (eq 'podman (car (agent-q-fs-exec-run-isolation (agent-q-fs-exec-session-run session))))
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
    (unless (agent-q-fs-exec-run-type (agent-q-fs-exec-session-run session) bytes
                                      agent-q-fs-exec-session--patience)
      (agent-q-fs--fail :timeout "The program in session %d does not read what is written \
to it; some of this was not written yet" (agent-q-fs-exec-session-number session)))))

(defun agent-q-fs-exec-session-resize (session lines columns)
  "Give the terminal of SESSION LINES lines and COLUMNS columns."
  (agent-q-fs-exec-run-resize (agent-q-fs-exec-session-run session) lines columns))

(defun agent-q-fs-exec-session--closing (workspace)
  "Forget the sessions of WORKSPACE, which is being closed."
  (mapc #'agent-q-fs-exec-session-forget (agent-q-fs-exec-session-list workspace)))

;; Behind the function that ends the commands.
(add-hook 'agent-q-fs-close-functions #'agent-q-fs-exec-session--closing t)


;;;; Sessions, for people

;; A session that goes on has a buffer.  It shows the output as plain text, in which
;; nothing has an effect, and a person can type there as the model does.
;; `agent-q-fs-sessions' lists all sessions.

(defconst agent-q-fs-exec-ui--size 200000
  "Characters that the buffer of a session may have.")

(defconst agent-q-fs-exec-ui--delay 0.1
  "Seconds between two updates of a session's buffer.")

(defvar-local agent-q-fs-exec-ui--session nil
  "The session of this buffer, or of this list's entry.")

(defvar-local agent-q-fs-exec-ui--end nil
  "A marker between the session's output and the text that is typed.")

(defvar agent-q-fs-exec-ui--timers nil
  "The timers that will update buffers, a list of (SESSION . TIMER).")

(defvar agent-q-fs-exec-session-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "RET") #'agent-q-fs-exec-ui-send)
    (define-key map (kbd "C-c C-c") #'agent-q-fs-exec-ui-interrupt)
    (define-key map (kbd "C-c C-d") #'agent-q-fs-exec-ui-end-of-input)
    (define-key map (kbd "C-c C-k") #'agent-q-fs-exec-ui-kill)
    map)
  "Keys in the buffer of a session.")

(define-derived-mode agent-q-fs-exec-session-mode fundamental-mode "Session"
  "The output of a command that a model has started, and your input to it.
\\{agent-q-fs-exec-session-mode-map}"
  (setq-local bidi-display-reordering nil
              bidi-paragraph-direction 'left-to-right
              enable-local-variables nil
              buffer-undo-list t
              mode-line-process '(:eval (agent-q-fs-exec-ui--state)))
  (add-hook 'kill-buffer-query-functions #'agent-q-fs-exec-ui--may-kill-p nil t)
  (add-hook 'kill-buffer-hook #'agent-q-fs-exec-ui--killed nil t))

(defun agent-q-fs-exec-ui--state ()
  "Return the words about the session in the mode line."
  (if agent-q-fs-exec-ui--session
      (format " [%s]" (agent-q-fs-exec-state agent-q-fs-exec-ui--session))
    ""))

(defun agent-q-fs-exec-ui--may-kill-p ()
  "Return non-nil if this buffer may be killed, though its session would end."
  (or (null agent-q-fs-exec-ui--session)
      (agent-q-fs-exec-session-ended-p agent-q-fs-exec-ui--session)
      noninteractive
      (yes-or-no-p "This ends the command; kill it? ")))

(defun agent-q-fs-exec-ui--killed ()
  "End the session of this buffer, which is being killed."
  (when agent-q-fs-exec-ui--session
    (agent-q-fs-exec-session-end agent-q-fs-exec-ui--session 'killed)))


;;;; Output

(defun agent-q-fs-exec-ui--insert (text &rest properties)
  "Insert TEXT with PROPERTIES behind the output, before the text that is typed."
  (let ((inhibit-read-only t)
        (inhibit-modification-hooks t)
        (windows (seq-filter (lambda (window)
                               (>= (window-point window) agent-q-fs-exec-ui--end))
                             (get-buffer-window-list nil nil t)))
        (following (>= (point) agent-q-fs-exec-ui--end)))
    (save-excursion
      (goto-char agent-q-fs-exec-ui--end)
      (insert-before-markers
       (apply #'propertize text 'read-only t 'front-sticky '(read-only)
              'rear-nonsticky t properties))
      (let ((more (- agent-q-fs-exec-ui--end agent-q-fs-exec-ui--size)))
        (when (> more 0)
          (delete-region (point-min) more))))
    (when following (goto-char (point-max)))
    (dolist (window windows)
      (set-window-point window (point-max)))))

(defun agent-q-fs-exec-ui--refresh (session)
  "Show the latest output of SESSION."
  (setf (alist-get session agent-q-fs-exec-ui--timers nil t) nil)
  (let ((buffer (agent-q-fs-exec-session-buffer session)))
    (when (buffer-live-p buffer)
      (with-current-buffer buffer
        (let ((text (car (agent-q-fs-exec-output-take
                          (agent-q-fs-exec-session-screen session) 16384 500
                          (agent-q-fs-exec-session-ended-p session)))))
          (unless (equal "" text)
            (agent-q-fs-exec-ui--insert text)))))))

(defun agent-q-fs-exec-ui--open (session)
  "Make the buffer of SESSION."
  (let ((run (agent-q-fs-exec-session-run session))
        (buffer (generate-new-buffer (format "*agent-q-fs session %d*"
                                             (agent-q-fs-exec-session-number session)))))
    (setf (agent-q-fs-exec-session-buffer session) buffer)
    (with-current-buffer buffer
      (agent-q-fs-exec-session-mode)
      (setq agent-q-fs-exec-ui--session session
            agent-q-fs-exec-ui--end (copy-marker (point-max))
            default-directory (agent-q-fs-workspace-root
                               (agent-q-fs-exec-run-workspace run)))
      (agent-q-fs-exec-ui--insert
       (concat "$ " (agent-q-fs-exec-output-clean
                     (encode-coding-string (agent-q-fs-exec-run-command run) 'utf-8))
               "\n")
       'face 'bold))
    (agent-q-fs-exec-ui--refresh session)))

(defun agent-q-fs-exec-ui--event (session what)
  "Show that WHAT has happened to SESSION."
  (let ((buffer (agent-q-fs-exec-session-buffer session)))
    (cond
     ((eq what 'kept) (agent-q-fs-exec-ui--open session))
     ((not (buffer-live-p buffer)))
     ((eq what 'printed)
      (unless (alist-get session agent-q-fs-exec-ui--timers)
        (setf (alist-get session agent-q-fs-exec-ui--timers)
              (run-with-timer agent-q-fs-exec-ui--delay nil
                              #'agent-q-fs-exec-ui--refresh session))))
     ((eq what 'ended)
      (agent-q-fs-exec-ui--refresh session)
      (with-current-buffer buffer
        (agent-q-fs-exec-ui--insert (format "\n[%s]\n" (agent-q-fs-exec-state session))
                                    'face 'shadow)
        (force-mode-line-update)))
     ((eq what 'forgotten)
      ;; Unless somebody looks at it.
      (unless (get-buffer-window buffer t)
        (kill-buffer buffer)))
     ((stringp what)
      (agent-q-fs-exec-ui--refresh session)
      (with-current-buffer buffer
        (agent-q-fs-exec-ui--insert (agent-q-fs-exec-output-clean
                                     (encode-coding-string what 'utf-8))
                                    'face 'font-lock-string-face))))))

(add-hook 'agent-q-fs-exec-session-functions #'agent-q-fs-exec-ui--event)


;;;; Input

(defun agent-q-fs-exec-ui--current ()
  "Return the session of this buffer, or the session or run of the entry at point."
  (or agent-q-fs-exec-ui--session
      (and (derived-mode-p 'agent-q-fs-sessions-mode) (tabulated-list-get-id))
      (user-error "There is no command here")))

(defun agent-q-fs-exec-ui--write (chars)
  "Write CHARS to the session of this buffer."
  (condition-case problem
      (agent-q-fs-exec-session-write (agent-q-fs-exec-ui--current) chars)
    (agent-q-fs-error (user-error "%s" (plist-get (cdr problem) :message)))))

(defun agent-q-fs-exec-ui-send ()
  "Send the text behind the output, and a newline."
  (interactive nil agent-q-fs-exec-session-mode)
  (let ((text (buffer-substring-no-properties agent-q-fs-exec-ui--end (point-max))))
    (agent-q-fs-exec-ui--write (concat text "\n"))
    (delete-region agent-q-fs-exec-ui--end (point-max))))

(defun agent-q-fs-exec-ui-interrupt ()
  "Type ^C into the session."
  (interactive nil agent-q-fs-exec-session-mode)
  (agent-q-fs-exec-ui--write "\003"))

(defun agent-q-fs-exec-ui-end-of-input ()
  "Type ^D into the session."
  (interactive nil agent-q-fs-exec-session-mode)
  (agent-q-fs-exec-ui--write "\004"))

(defun agent-q-fs-exec-ui-kill ()
  "End the command and all that it has started."
  (interactive nil agent-q-fs-exec-session-mode agent-q-fs-sessions-mode)
  (let* ((current (agent-q-fs-exec-ui--current))
         (run (agent-q-fs-exec-ui--run current)))
    (when (agent-q-fs-exec-run-ended run)
      (user-error "This command has ended"))
    (if (eq run current) (agent-q-fs-exec-run-end run 'killed)
      (agent-q-fs-exec-session-end current 'killed))
    (message "Ending: %s" (agent-q-fs-exec-ui--command run))))


;;;; The list

;; It has the sessions, which go on between calls, and the commands that a call waits for.

(defvar agent-q-fs-sessions-mode-map
  (let ((map (make-sparse-keymap)))
    (set-keymap-parent map tabulated-list-mode-map)
    (define-key map (kbd "RET") #'agent-q-fs-exec-ui-visit)
    (define-key map "k" #'agent-q-fs-exec-ui-kill)
    map)
  "Keys in the list of commands.")

(define-derived-mode agent-q-fs-sessions-mode tabulated-list-mode "Sessions"
  "The commands of models that run, and those of sessions that have ended.
Those without a number are commands that a call waits for.
\\{agent-q-fs-sessions-mode-map}"
  (setq tabulated-list-format [("N" 4 t :right-align t) ("State" 22 t) ("Directory" 16 t)
                               ("Project" 24 t) ("Command" 0 t)]
        tabulated-list-padding 1
        tabulated-list-entries #'agent-q-fs-exec-ui--entries)
  (tabulated-list-init-header))

(defun agent-q-fs-exec-ui--run (entry)
  "Return the run of ENTRY, a session or a run."
  (if (agent-q-fs-exec-run-p entry) entry (agent-q-fs-exec-session-run entry)))

(defun agent-q-fs-exec-ui--command (run)
  "Return the command of RUN on one line, as text that nothing obeys."
  (replace-regexp-in-string
   "\n" "^J" (agent-q-fs-exec-output-clean
              (encode-coding-string (agent-q-fs-exec-run-command run) 'utf-8))))

(defun agent-q-fs-exec-ui--state-words (entry run)
  "Return the state of ENTRY, whose run is RUN, in a few words."
  (cond ((not (agent-q-fs-exec-run-ended run))
         (format-time-string "running since %T" (agent-q-fs-exec-run-started run)))
        ((eq entry run) "ended")
        (t (agent-q-fs-exec-state entry))))

(defun agent-q-fs-exec-ui--entry (entry)
  "Return the row of ENTRY, a session or a run."
  (let ((run (agent-q-fs-exec-ui--run entry)))
    (list entry
          (vector (if (eq run entry) "" (number-to-string (agent-q-fs-exec-session-number entry)))
                  (agent-q-fs-exec-ui--state-words entry run)
                  (agent-q-fs-exec-run-directory run)
                  (agent-q-fs-workspace-root (agent-q-fs-exec-run-workspace run))
                  (agent-q-fs-exec-ui--command run)))))

(defun agent-q-fs-exec-ui--entries ()
  "Return the rows of the list."
  (let ((sessions (agent-q-fs-exec-session-list)))
    (mapcar #'agent-q-fs-exec-ui--entry
            (append (seq-difference (agent-q-fs-exec-run-list)
                                    (mapcar #'agent-q-fs-exec-session-run sessions) #'eq)
                    sessions))))

(defun agent-q-fs-exec-ui--list-again ()
  "Have the list, if there is one, show what runs by now."
  (let ((buffer (get-buffer "*agent-q-fs sessions*")))
    (when (and buffer (with-current-buffer buffer (derived-mode-p 'agent-q-fs-sessions-mode)))
      (with-current-buffer buffer (tabulated-list-print t)))))

(add-hook 'agent-q-fs-exec-run-changed-hook #'agent-q-fs-exec-ui--list-again)

(defun agent-q-fs-exec-ui--so-far (output)
  "Return what OUTPUT has, which the call will be told, as text that nothing obeys."
  (concat
   (agent-q-fs-exec-output-clean
    (agent-q-fs-exec-output--joined (agent-q-fs-exec-output-head output)))
   (if (< 0 (agent-q-fs-exec-output-dropped output)) "\n[and more]\n" "")
   (agent-q-fs-exec-output-clean
    (agent-q-fs-exec-output--joined (agent-q-fs-exec-output-tail output)))))

(defun agent-q-fs-exec-ui--show-run (run)
  "Show the command of RUN, which a call waits for, and what it has printed by now."
  (let ((help-window-select t))
    (with-help-window "*agent-q-fs command*"
      (princ (format "%s\n\n%s in %s, isolation %s.  A call waits for its end.\n\n%s%s"
                     (agent-q-fs-exec-ui--command run)
                     (agent-q-fs-exec-ui--state-words run run)
                     (agent-q-fs-exec-run-directory run)
                     (car (agent-q-fs-exec-run-isolation run))
                     (agent-q-fs-exec-ui--so-far (agent-q-fs-exec-run-stdout run))
                     (agent-q-fs-exec-ui--so-far (agent-q-fs-exec-run-stderr run)))))))

(defun agent-q-fs-exec-ui-visit ()
  "Show the buffer of the session at point, or what the command there has printed."
  (interactive nil agent-q-fs-sessions-mode)
  (let ((entry (agent-q-fs-exec-ui--current)))
    (cond ((agent-q-fs-exec-run-p entry) (agent-q-fs-exec-ui--show-run entry))
          ((buffer-live-p (agent-q-fs-exec-session-buffer entry))
           (pop-to-buffer (agent-q-fs-exec-session-buffer entry)))
          (t (user-error "This session has no buffer")))))

;;;###autoload
(defun agent-q-fs-sessions ()
  "List the commands of models that run at this moment, and their sessions."
  (interactive)
  (require 'agent-q-fs-exec)
  (let ((buffer (get-buffer-create "*agent-q-fs sessions*")))
    (with-current-buffer buffer
      (agent-q-fs-sessions-mode)
      (tabulated-list-print))
    (pop-to-buffer buffer)
    (unless (agent-q-fs-exec-ui--entries)
      (message "No command of a model runs"))))


;;;; Isolations, for people

(defconst agent-q-fs-exec-isolations
  '((bubblewrap . "a sandbox for each command: it changes the project, sees nothing else of yours")
    (podman . "a container for the project, of an image that you name")
    (landlock . "the kernel lets a command change what is in the project's directories")
    (none . "a command can do whatever you can"))
  "The isolations of commands and what they do, the strongest first.
A container comes after a sandbox, because it does not keep commands from
making names such as .envrc where there are none yet.")

(defvar agent-q-fs-exec-isolate--here nil
  "Why isolations do not work here, (KIND . WORDS), once that was tried.
WORDS are nil for one that works.")

(defun agent-q-fs-exec-isolate--why-not (kind)
  "Return words why commands cannot be isolated by KIND here; nil if they can."
  (pcase kind
    ('bubblewrap
     (let ((program (agent-q-fs-exec-program "bwrap")))
       (if (not program) "there is no program bwrap (of the package bubblewrap)"
         (pcase-let ((`(,status . ,words)
                      (agent-q-fs-exec-isolate-try
                       (list program "--unshare-all" "--ro-bind" "/" "/" "--proc" "/proc"
                             "--dev" "/dev" "--" (agent-q-fs-exec-shell) "-c" "exit 0"))))
           (unless (eql 0 status) (format "it ended with %s: %s" status words))))))
    ('podman
     (cond ((not (agent-q-fs-exec-program "podman")) "there is no program podman")
           ((not (or (default-value 'agent-q-fs-exec-podman-image)
                     (default-value 'agent-q-fs-exec-podman-rootfs)))
            "no image is chosen: see agent-q-fs-exec-podman-image")))
    ('landlock (and (= 0 (agent-q-fs-exec-landlock-level)) "this kernel has none"))))

(defun agent-q-fs-exec-isolate-here (kind)
  "Return words why commands cannot be isolated by KIND here; nil if they can.
It is tried once."
  (unless (assq kind agent-q-fs-exec-isolate--here)
    (push (cons kind (condition-case problem
                         (agent-q-fs-exec-isolate--why-not kind)
                       (error (agent-q-fs-audit-plain (error-message-string problem)))))
          agent-q-fs-exec-isolate--here))
  (cdr (assq kind agent-q-fs-exec-isolate--here)))

(defun agent-q-fs-exec-isolate-strongest ()
  "Return the strongest isolation that works here, a symbol."
  (car (seq-find (lambda (row) (null (agent-q-fs-exec-isolate-here (car row))))
                 agent-q-fs-exec-isolations)))

(defun agent-q-fs-exec-isolate-offer (workspace)
  "Return the fact that commands of WORKSPACE could be isolated, or nil.
It is in a list, and for a person who has chosen nothing yet.  What works
here is not to be had on another machine."
  (unless (or (agent-q-fs-workspace-isolation workspace)
              (not (equal "" (agent-q-fs-workspace-prefix workspace)))
              (not (eq 'none (default-value 'agent-q-fs-exec-isolation)))
              (get 'agent-q-fs-exec-isolation 'customized-value)
              (get 'agent-q-fs-exec-isolation 'saved-value))
    (let ((kind (agent-q-fs-exec-isolate-strongest)))
      (unless (eq 'none kind)
        (list (cons "Offered" (format "%s works here: M-x agent-q-fs-isolations" kind)))))))

(defun agent-q-fs-exec-isolate--rows ()
  "Return what each isolation does, and whether it works here, as lines."
  (mapconcat (pcase-lambda (`(,kind . ,words))
               (let ((why-not (agent-q-fs-exec-isolate-here kind)))
                 (format "%-11s %s: %s\n" kind
                         (cond (why-not (format "does not work here (%s)" why-not))
                               ((eq kind (agent-q-fs-exec-isolate-strongest)) "the strongest here")
                               (t "works here"))
                         words)))
             agent-q-fs-exec-isolations ""))

;;;###autoload
(defun agent-q-fs-isolations (kind)
  "Show what each isolation of commands can do here, and choose KIND of them.
It counts for projects that were opened without an isolation of their own.
Interactively, the strongest that works is offered first."
  (interactive
   (progn
     (setq agent-q-fs-exec-isolate--here nil)
     (with-help-window "*agent-q-fs isolations*"
       (princ (agent-q-fs-exec-isolate--rows)))
     (let ((good (mapcar #'symbol-name
                         (seq-remove #'agent-q-fs-exec-isolate-here
                                     (mapcar #'car agent-q-fs-exec-isolations)))))
       (list (intern (completing-read
                      (format "Isolation of commands (default %s, now %s): " (car good)
                              (default-value 'agent-q-fs-exec-isolation))
                      good nil t nil nil (car good)))))))
  (when (agent-q-fs-exec-isolate-here kind)
    (user-error "%s does not work: %s" kind (agent-q-fs-exec-isolate-here kind)))
  (customize-set-variable 'agent-q-fs-exec-isolation kind)
  (message "Commands run in %s from now on; M-x customize-save-variable keeps that" kind))

(provide 'agent-q-fs-exec-session)
;;; agent-q-fs-exec-session.el ends here
