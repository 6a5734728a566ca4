;;; agent-q-fs-requests-list.el --- Tell of all requests that wait, and list them  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; While requests wait, the mode line says how many, and the echo area said so once.
;; `agent-q-fs-requests-list' lists what agents want to do, a line each.  All of it can be
;; denied there at once, and what its line says whole can be done at once.

;;; Code:

(require 'agent-q-fs-prompt)
(require 'agent-q-fs-requests)
(require 'agent-q-fs-show)
(require 'tabulated-list)

(declare-function notifications-notify "notifications" (&rest params))

(defcustom agent-q-fs-prompt-notice '(echo)
  "How you are told that requests wait, besides the mode line.
echo     one line in the echo area
bell     the bell, or what `visible-bell' and `ring-bell-function' say
desktop  a notification of the desktop, where there is D-Bus"
  :type '(set (const echo) (const bell) (const desktop))
  :group 'agent-q-fs-approve)


;;;; Telling the person

(defvar agent-q-fs-requests--text nil "The text in the mode line, or nil if unknown.")

(defconst agent-q-fs-requests--mode-line '(:eval (agent-q-fs-requests--mode-line-text))
  "The part of the mode line that is shown while requests wait.")

(defvar agent-q-fs-requests--mode-line-map
  (make-mode-line-mouse-map 'mouse-1 #'agent-q-fs-requests)
  "The command of a click on the text in the mode line.")

(defun agent-q-fs-requests--changed ()
  "Have the mode line show how many requests wait, and give a notice of new ones."
  (let ((others (remq agent-q-fs-requests--mode-line (default-value 'mode-line-misc-info))))
    (setq agent-q-fs-requests--text nil)
    (setq-default mode-line-misc-info
                  (if agent-q-fs-prompt--queue
                      (cons agent-q-fs-requests--mode-line others)
                    others))
    (force-mode-line-update t)
    (if agent-q-fs-prompt--queue (agent-q-fs-requests--notice-later)
      (agent-q-fs-requests--notice-no-more))))

(add-hook 'agent-q-fs-prompt-changed-hook #'agent-q-fs-requests--changed)

(defun agent-q-fs-requests--worst-face ()
  "Return the face for the most that is at stake in the queue."
  (let ((stakes (mapcar (lambda (request)
                          (unless (agent-q-fs-prompt-get request :face)
                            (agent-q-fs-prompt-put request :face (agent-q-fs-show-face request)))
                          (agent-q-fs-prompt-get request :face))
                        (agent-q-fs-prompt-waiting))))
    (seq-find (lambda (face) (memq face stakes))
              '(agent-q-fs-show-danger agent-q-fs-show-notable agent-q-fs-show-calm))))

(defun agent-q-fs-requests--mode-line-text ()
  "Return the text in the mode line."
  (or agent-q-fs-requests--text
      (setq agent-q-fs-requests--text
            (if (null agent-q-fs-prompt--queue) ""
              (concat (propertize (format "[%d to approve]" (length agent-q-fs-prompt--queue))
                                  'face (agent-q-fs-requests--worst-face)
                                  'mouse-face 'mode-line-highlight
                                  'local-map agent-q-fs-requests--mode-line-map
                                  'help-echo "Agents wait for you: mouse-1, or \
M-x agent-q-fs-requests, shows what they want to do")
                      " ")))))

(defconst agent-q-fs-requests--notice-pause 10 "Seconds between one notice and the next.")

(defvar agent-q-fs-requests--notice-timer nil "The timer of the next notice, or nil.")

(defvar agent-q-fs-requests--noticed 0 "When the last notice was given.")

(defun agent-q-fs-requests--notice-later (&optional seconds)
  "Give one notice about all that waits soon, or after SECONDS."
  (unless agent-q-fs-requests--notice-timer
    (setq agent-q-fs-requests--notice-timer
          (run-with-timer (or seconds
                              (max 0.1 (- (+ agent-q-fs-requests--noticed
                                             agent-q-fs-requests--notice-pause)
                                          (float-time))))
                          nil #'agent-q-fs-requests--notice))))

(defun agent-q-fs-requests--notice-no-more ()
  "Give no notice, because nothing waits."
  (when agent-q-fs-requests--notice-timer
    (cancel-timer agent-q-fs-requests--notice-timer))
  (setq agent-q-fs-requests--notice-timer nil
        agent-q-fs-requests--noticed 0))

(defun agent-q-fs-requests--echo-area-taken-p ()
  "Return non-nil if the person is reading something else in the echo area."
  (or (active-minibuffer-window) cursor-in-echo-area executing-kbd-macro
      overriding-terminal-local-map    ; as while searching
      (agent-q-fs-prompt--reader)
      (agent-q-fs-prompt--half-key-p)))

(defun agent-q-fs-requests--notice ()
  "Tell the person what waits, once for all that has come by now."
  (setq agent-q-fs-requests--notice-timer nil)
  (let ((new (seq-remove (lambda (request)
                           (or (agent-q-fs-prompt-get request :told)
                               (agent-q-fs-prompt-get request :modal)))
                         (agent-q-fs-prompt-waiting))))
    (cond
     ((null new))
     ((agent-q-fs-requests--echo-area-taken-p)
      (agent-q-fs-requests--notice-later 1))
     (t
      (setq agent-q-fs-requests--noticed (float-time))
      (dolist (request new)
        (agent-q-fs-prompt-put request :told t))
      (agent-q-fs-requests--give-notice
       (if (cdr agent-q-fs-prompt--queue)
           (format "%d requests of agents wait for you" (length agent-q-fs-prompt--queue))
         (concat "An agent asks: " (agent-q-fs-show-sentence (car new)))))))))

(defun agent-q-fs-requests--give-notice (words)
  "Tell the person WORDS as `agent-q-fs-prompt-notice' says."
  (let ((how (default-value 'agent-q-fs-prompt-notice)))
    (with-demoted-errors "agent-q-fs: %S"
      (when (memq 'bell how) (ding t))
      (when (memq 'desktop how) (agent-q-fs-requests--notify words)))
    (when (memq 'echo how)
      (message "%s   (%s)" words (substitute-command-keys "\\[agent-q-fs-requests]")))))

(defun agent-q-fs-requests--notify (words)
  "Give a notification of the desktop that says WORDS, where there is D-Bus."
  (when (and (featurep 'dbusbind) (getenv "DBUS_SESSION_BUS_ADDRESS")
             (require 'notifications nil t))
    (notifications-notify :title "Emacs" :app-name "agent-q-fs"
                          :body (replace-regexp-in-string
                                 "[&<>]" (lambda (mark) (format "&#%d;" (aref mark 0))) words)
                          :actions '("default" "Show")
                          :on-action (lambda (&rest _) (agent-q-fs-requests)))))


;;;; The list

(defvar agent-q-fs-requests-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "RET") #'agent-q-fs-requests-open)
    (define-key map [mouse-2] #'agent-q-fs-requests-open)
    (define-key map "A" #'agent-q-fs-requests-approve-all)
    (define-key map "D" #'agent-q-fs-requests-deny-all)
    map)
  "Keys in the list of requests.")

(defconst agent-q-fs-requests--list "*agent-q-fs requests*"
  "The name of the buffer of the list.")

(defconst agent-q-fs-requests--columns
  [("Waits" 7 nil) ("What" 56 t) ("Tool" 14 t) ("Project" 0 t)]
  "The columns of the list.")

(define-derived-mode agent-q-fs-requests-mode tabulated-list-mode "Requests"
  "The requests of agents that wait for you.
\\{agent-q-fs-requests-mode-map}"
  :interactive nil
  (setq tabulated-list-format agent-q-fs-requests--columns
        tabulated-list-padding 1
        tabulated-list-entries #'agent-q-fs-requests--rows)
  (setq-local bidi-display-reordering nil)
  (tabulated-list-init-header))

(defun agent-q-fs-requests--rows ()
  "Return the rows of the list."
  (mapcar (lambda (request)
            (let ((shown (agent-q-fs-prompt-shown request)))
              (list request
                    (vector (format-seconds "%mm %ss%z" (- (float-time) (agent-q-fs-prompt-get
                                                                         request :begun)))
                            (propertize (agent-q-fs-show-sentence shown)
                                        'face (agent-q-fs-show-face shown))
                            (agent-q-fs-request-tool shown)
                            (agent-q-fs-show-visible (agent-q-fs-request-root shown) t)))))
          (agent-q-fs-prompt-waiting)))

(defun agent-q-fs-requests-list ()
  "List the requests of agents that wait for you."
  (interactive)
  (with-current-buffer (get-buffer-create agent-q-fs-requests--list)
    (agent-q-fs-requests-mode)
    (tabulated-list-print)
    (goto-char (point-min))
    (pop-to-buffer (current-buffer) '((display-buffer-reuse-window display-buffer-same-window)))))

(defun agent-q-fs-requests-open ()
  "Show the request of this line."
  (interactive nil agent-q-fs-requests-mode)
  (let ((request (or (tabulated-list-get-id) (user-error "There is no request here"))))
    (if (agent-q-fs-request-decision request)
        (user-error "This request is over; g lists those that wait")
      (agent-q-fs-request--show request))))

(defun agent-q-fs-requests--totals (requests)
  "Return words about what REQUESTS would do together."
  (let ((danger 0) (added 0) (removed 0))
    (dolist (request requests)
      (let* ((shown (agent-q-fs-prompt-shown request)) (lines (agent-q-fs-show-lines shown)))
        (when (eq 'danger (agent-q-fs-show-stake shown)) (setq danger (1+ danger)))
        (setq added (+ added (car lines)) removed (+ removed (cdr lines)))))
    (concat (format "%d" (length requests))
            (if (< 0 danger) (format ", %d of them DANGEROUS" danger) "")
            (format ", +%d -%d lines" added removed))))

(defun agent-q-fs-requests--told-p (request)
  "Return non-nil if the list says all of what REQUEST, as shown, would do.
It does not of commands, nor where its line is cut or names no file: of
several files it says how many, and of what touches none not even that."
  (let* ((shown (agent-q-fs-prompt-shown request))
         (changes (agent-q-fs-show--changes shown)))
    (and (agent-q-fs-request-digest shown)
         changes
         (null (cdr changes))
         (<= (string-width (agent-q-fs-show-sentence shown))
             (cadr (assoc "What" (append agent-q-fs-requests--columns nil)))))))

(defun agent-q-fs-requests--all (question requests)
  "List what waits; return REQUESTS if the answer to QUESTION is yes.
Requests that come meanwhile are not among them."
  (when executing-kbd-macro
    (user-error "A keyboard macro cannot decide"))
  (let ((use-short-answers nil))
    (unless (agent-q-fs-prompt-waiting) (user-error "Nothing waits"))
    (agent-q-fs-requests-list)
    (unless requests (user-error "No line says these whole: open them one by one, with RET"))
    (when (yes-or-no-p (format question (agent-q-fs-requests--totals requests)))
      requests)))

(defun agent-q-fs-requests--each (requests function)
  "Call FUNCTION with each of REQUESTS that still waits, and count them."
  (let ((count 0))
    (dolist (request requests)
      (unless (agent-q-fs-request-decision request)
        (funcall function request)
        (when (agent-q-fs-request-decision request) (setq count (1+ count)))))
    (when (get-buffer agent-q-fs-requests--list)
      (with-current-buffer agent-q-fs-requests--list
        (tabulated-list-print t)))
    (message "%d decided, %d wait" count (length (agent-q-fs-prompt-waiting)))))

(defun agent-q-fs-requests-approve-all ()
  "Let all be done that waits, after listing it.
Commands are left, and what is too long for the list or about several
files: see each of them."
  (interactive)
  (let* ((waiting (agent-q-fs-prompt-waiting))
         (requests (seq-filter #'agent-q-fs-requests--told-p waiting))
         (left (- (length waiting) (length requests))))
    (agent-q-fs-requests--each
     (agent-q-fs-requests--all
      (concat (if (< 0 left)
                  (format "%d to be opened one by one (commands, several files) left out.  " left)
                "")
              "Do all of these (%s)? ")
      requests)
     #'agent-q-fs-prompt-approve)))

(defun agent-q-fs-requests-deny-all ()
  "Deny all that waits, after listing it."
  (interactive)
  (let ((requests (agent-q-fs-requests--all "Deny all of these (%s)? "
                                              (agent-q-fs-prompt-waiting))))
    (when requests
      (let ((reason (read-string "Why not? (the models are told; RET alone gives no reason) ")))
        (agent-q-fs-requests--each
         requests (lambda (request) (agent-q-fs-prompt-refuse request reason)))))))

(provide 'agent-q-fs-requests-list)
;;; agent-q-fs-requests-list.el ends here
