;;; agent-q-fs-exec-ui.el --- Sessions of commands, for people  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A session that goes on has a buffer, which shows what it prints as plain text
;; that nothing obeys, and in which a person types as the model does.
;; `agent-q-fs-sessions' lists all sessions.

;;; Code:

(require 'agent-q-fs-exec-session)
(require 'tabulated-list)

(declare-function agent-q-fs-exec-state "agent-q-fs-exec" (session))

(defconst agent-q-fs-exec-ui--size 200000
  "Characters that the buffer of a session may have.")

(defconst agent-q-fs-exec-ui--delay 0.1
  "Seconds between two looks at what a session has printed.")

(defvar-local agent-q-fs-exec-ui--session nil
  "The session of this buffer, or of this list's entry.")

(defvar-local agent-q-fs-exec-ui--end nil
  "A marker behind what the session has printed; what is behind is typed.")

(defvar agent-q-fs-exec-ui--timers nil
  "What will show what sessions have printed, a list of (SESSION . TIMER).")

(defvar agent-q-fs-exec-session-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "RET") #'agent-q-fs-exec-ui-send)
    (define-key map (kbd "C-c C-c") #'agent-q-fs-exec-ui-interrupt)
    (define-key map (kbd "C-c C-d") #'agent-q-fs-exec-ui-end-of-input)
    (define-key map (kbd "C-c C-k") #'agent-q-fs-exec-ui-kill)
    map)
  "Keys in the buffer of a session.")

(define-derived-mode agent-q-fs-exec-session-mode fundamental-mode "Session"
  "What a command prints that a model has started, and what you type into it.
\\{agent-q-fs-exec-session-mode-map}"
  (setq-local bidi-display-reordering nil
              bidi-paragraph-direction 'left-to-right
              enable-local-variables nil
              buffer-undo-list t
              mode-line-process '(:eval (agent-q-fs-exec-ui--state)))
  (add-hook 'kill-buffer-query-functions #'agent-q-fs-exec-ui--may-kill-p nil t)
  (add-hook 'kill-buffer-hook #'agent-q-fs-exec-ui--killed nil t))

(defun agent-q-fs-exec-ui--state ()
  "Return what the mode line says of the session."
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


;;;; What is shown

(defun agent-q-fs-exec-ui--insert (text &rest properties)
  "Insert TEXT with PROPERTIES behind what was printed, before what is typed."
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
  "Show what SESSION has printed."
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


;;;; What is typed

(defun agent-q-fs-exec-ui--current ()
  "Return the session of this buffer or of the entry at point."
  (or agent-q-fs-exec-ui--session
      (and (derived-mode-p 'agent-q-fs-sessions-mode) (tabulated-list-get-id))
      (user-error "There is no session here")))

(defun agent-q-fs-exec-ui--write (chars)
  "Write CHARS to the session of this buffer."
  (condition-case problem
      (agent-q-fs-exec-session-write (agent-q-fs-exec-ui--current) chars)
    (agent-q-fs-error (user-error "%s" (plist-get (cdr problem) :message)))))

(defun agent-q-fs-exec-ui-send ()
  "Send what is typed behind the output, and a newline."
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
  "End the session and all that it has started."
  (interactive nil agent-q-fs-exec-session-mode agent-q-fs-sessions-mode)
  (agent-q-fs-exec-session-end (agent-q-fs-exec-ui--current) 'killed))


;;;; The list

(defvar agent-q-fs-sessions-mode-map
  (let ((map (make-sparse-keymap)))
    (set-keymap-parent map tabulated-list-mode-map)
    (define-key map (kbd "RET") #'agent-q-fs-exec-ui-visit)
    (define-key map "k" #'agent-q-fs-exec-ui-kill)
    map)
  "Keys in the list of sessions.")

(define-derived-mode agent-q-fs-sessions-mode tabulated-list-mode "Sessions"
  "The commands that models have started and that go on.
\\{agent-q-fs-sessions-mode-map}"
  (setq tabulated-list-format [("N" 4 t :right-align t) ("State" 22 t) ("Directory" 16 t)
                               ("Project" 24 t) ("Command" 0 t)]
        tabulated-list-padding 1
        tabulated-list-entries #'agent-q-fs-exec-ui--entries)
  (tabulated-list-init-header))

(defun agent-q-fs-exec-ui--entries ()
  "Return the rows of the list."
  (mapcar (lambda (session)
            (let ((run (agent-q-fs-exec-session-run session)))
              (list session
                    (vector (number-to-string (agent-q-fs-exec-session-number session))
                            (agent-q-fs-exec-state session)
                            (agent-q-fs-exec-run-directory run)
                            (agent-q-fs-workspace-root (agent-q-fs-exec-run-workspace run))
                            (replace-regexp-in-string
                             "\n" "^J"
                             (agent-q-fs-exec-output-clean
                              (encode-coding-string (agent-q-fs-exec-run-command run)
                                                    'utf-8)))))))
          (agent-q-fs-exec-session-list)))

(defun agent-q-fs-exec-ui-visit ()
  "Show the buffer of the session at point."
  (interactive nil agent-q-fs-sessions-mode)
  (let ((buffer (agent-q-fs-exec-session-buffer (agent-q-fs-exec-ui--current))))
    (unless (buffer-live-p buffer)
      (user-error "This session has no buffer"))
    (pop-to-buffer buffer)))

;;;###autoload
(defun agent-q-fs-sessions ()
  "List the commands that models have started and that go on."
  (interactive)
  (require 'agent-q-fs-exec)
  (let ((buffer (get-buffer-create "*agent-q-fs sessions*")))
    (with-current-buffer buffer
      (agent-q-fs-sessions-mode)
      (tabulated-list-print))
    (pop-to-buffer buffer)))

(provide 'agent-q-fs-exec-ui)
;;; agent-q-fs-exec-ui.el ends here
