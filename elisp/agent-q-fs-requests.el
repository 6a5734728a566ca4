;;; agent-q-fs-requests.el --- See and answer the requests that wait  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; `agent-q-fs-requests' opens the requests that wait (agent-q-fs-prompt.el) in an ordinary
;; buffer, which shows one after the other.  agent-q-fs-requests-list.el tells the person
;; that there are some, and lists all.
;;
;; A key decides in that buffer and nowhere else, and only about what has been on the
;; screen for a moment.  After a decision another request is shown in its place.  Where none
;; waits, the buffer stays until no key has been typed for a while, and shows there what
;; is asked meanwhile: so keys in the rhythm of the last answers reach neither a request
;; that was not seen, nor the person's text.

;;; Code:

(require 'agent-q-fs-prompt)
(require 'agent-q-fs-show)

(declare-function agent-q-fs-requests-approve-all "agent-q-fs-requests-list" ())
(declare-function agent-q-fs-requests-deny-all "agent-q-fs-requests-list" ())
(declare-function agent-q-fs-requests-list "agent-q-fs-requests-list" ())
(declare-function agent-q-fs-ui--evil "agent-q-fs-find" ())
(declare-function agent-q-fs-requests--echo-area-taken-p "agent-q-fs-requests-list" ())

(defcustom agent-q-fs-prompt-stay 2.0
  "Seconds without any key that the buffer of a request stays after the last one.
Keys that come meanwhile, in the rhythm of the answers before, do nothing
there, and what an agent asks meanwhile is shown there.  With 0 the buffer
goes at once, and such keys go to what you had before you."
  :type 'number
  :group 'agent-q-fs-approve)


;;;; The buffer of a request

(defvar-local agent-q-fs-request--request nil "The request that this buffer shows.")

(defvar-local agent-q-fs-request--ready nil "Non-nil if keys decide: it has been seen.")

(defvar-local agent-q-fs-request--timer nil "The timer that makes keys decide, or nil.")

(defvar-local agent-q-fs-request--came nil
  "Non-nil if the request came here by itself, in place of another.")

(defvar-local agent-q-fs-request--stays nil
  "The timer that takes this buffer away, if it stays after the last decision.")

(defvar agent-q-fs-request-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map "y" #'agent-q-fs-request-approve)
    (define-key map "n" #'agent-q-fs-request-deny)
    (define-key map "k" #'agent-q-fs-request-stop)
    (define-key map "e" #'agent-q-fs-request-edit)
    (define-key map "h" #'agent-q-fs-request-hunks)
    (define-key map "!" #'agent-q-fs-request-always)
    (define-key map "g" #'agent-q-fs-request-renew)
    (define-key map "s" #'agent-q-fs-request-save)
    (define-key map "v" #'agent-q-fs-request-visit)
    (define-key map "w" #'agent-q-fs-request-whole)
    (define-key map "=" #'agent-q-fs-request-ediff)
    (define-key map "l" #'agent-q-fs-requests-list)
    (define-key map "A" #'agent-q-fs-requests-approve-all)
    (define-key map "D" #'agent-q-fs-requests-deny-all)
    (define-key map "\M-n" #'agent-q-fs-request-next)
    (define-key map "\M-p" #'agent-q-fs-request-previous)
    (define-key map "?" #'agent-q-fs-show-keys)
    map)
  "Keys in the buffer of a request.")

(defun agent-q-fs-request--map (keys others)
  "Return a map in which KEYS decide, and OTHERS lead back to the whole request."
  (let ((map (make-sparse-keymap)))
    (set-keymap-parent map agent-q-fs-request-mode-map)
    (dolist (key keys) (define-key map key #'agent-q-fs-request-obey))
    (dolist (key others) (define-key map key #'agent-q-fs-request-back))
    map))

(defvar agent-q-fs-request-hunk-map
  (agent-q-fs-request--map '("y" "n" "b" "!") '("q" "\C-g" "e" "h" "k"))
  "Keys in the buffer of a request while its hunks are taken or left.")

(defvar agent-q-fs-request-always-map
  (agent-q-fs-request--map '("t" "d" "c" "w" "T" "D") '("q" "\C-g" "y" "n" "e" "h" "k" "!"))
  "Keys in the buffer of a request while it is decided for all that is like it.")

(define-derived-mode agent-q-fs-request-mode agent-q-fs-show-mode "Request"
  "A request: an agent wants to do this, and waits for your decision.
\\<agent-q-fs-request-mode-map>
\\[agent-q-fs-request-approve]	do it
\\[agent-q-fs-request-deny]	do not; you may give a reason, which the model is told
\\[agent-q-fs-request-stop]	do not, and have the model end what it is doing
\\[agent-q-fs-request-edit]	change the arguments
\\[agent-q-fs-request-hunks]	take some hunks, and leave the others
\\[agent-q-fs-request-always]	do it always, or never: for this tool, directory or command
\\[quit-window]	decide later: the request goes on waiting

\\[agent-q-fs-request-visit]	visit the file
\\[agent-q-fs-request-whole]	show all of the file as it would be
\\[agent-q-fs-request-ediff]	compare the file with that by ediff
\\[agent-q-fs-request-renew]	look again at what the call would do
\\[agent-q-fs-request-save]	save your unsaved text that is in its way, and look again
\\[agent-q-fs-request-next] \\[agent-q-fs-request-previous]	the next request, the one before
\\[agent-q-fs-requests-list]	a list of all requests
\\[agent-q-fs-requests-approve-all] \\[agent-q-fs-requests-deny-all]	do or deny all that wait"
  :interactive nil
  (setq header-line-format '(:eval (agent-q-fs-request--header)))
  (add-hook 'pre-command-hook #'agent-q-fs-request--typed nil t))

(defun agent-q-fs-request--header-keys (room)
  "Return words for the keys that decide, in ROOM columns if that is possible."
  (seq-find (lambda (words) (<= (string-width words) room))
            '("y do it  n do not  e change  h hunks  ! always  q later  ? more"
              "y do it  n do not  e h !  q later  ? more")
            "y n e h ! q  ? more"))

(defun agent-q-fs-request--header ()
  "Return the header line."
  (let* ((request agent-q-fs-request--request)
         (waiting (agent-q-fs-prompt-waiting))
         (place (seq-position waiting request #'eq))
         (hunks (agent-q-fs-prompt-get request :hunks)))
    (concat
     " "
     (cond
      (agent-q-fs-request--stays
       (format "Nothing waits.  This goes when no key has come for %s s; q leaves now"
               (default-value 'agent-q-fs-prompt-stay)))
      ((null place) (if waiting
                        (format "Over.  %d more %s  M-n next  q leaves" (length waiting)
                                (if (cdr waiting) "wait" "waits"))
                      "Over.  Nothing else waits  q leaves"))
      ((eq 'hunks (agent-q-fs-prompt-get request :mode))
       (format "Hunk %d of %d:  y takes it  n leaves it  b back  ! takes the rest  q all again"
               (1+ (agent-q-fs-prompt-get request :hunk)) (length hunks)))
      ((eq 'always (agent-q-fs-prompt-get request :mode))
       (concat "Always: " (string-replace "%" "%%" (agent-q-fs-prompt-always-words request))
              "; q back"))
      (t (let ((which (if (cdr waiting)
                          (format "%d of %d  M-n M-p l(ist)  " (1+ place) (length waiting))
                        "")))
           (concat which (agent-q-fs-request--header-keys
                          (- (window-width) 1 (length which))))))))))

(defun agent-q-fs-request--verdict (request)
  "Return what was decided about REQUEST, as a participle."
  (pcase (plist-get (agent-q-fs-request-decision request) :decision)
    ('denied "denied")
    ('hunks "approved in part")
    (_ "approved")))

(defun agent-q-fs-request--outcome (request)
  "Return words for what has become of REQUEST, and why."
  (let* ((decision (agent-q-fs-request-decision request))
         (reason (plist-get decision :reason)))
    (cond ((eq :cancelled (plist-get decision :code)) "nobody waits for it any more")
          ((member reason '(nil "")) (concat "it was " (agent-q-fs-request--verdict request)))
          (t (format "it was %s, %s" (agent-q-fs-request--verdict request)
                     (agent-q-fs-show-visible reason t))))))

(defun agent-q-fs-request--banner (request)
  "Return words above REQUEST about what has become of it, or nil."
  (cond
   ((agent-q-fs-request-decision request)
    (format "This request is over: %s.\n\n" (agent-q-fs-request--outcome request)))
   ((agent-q-fs-prompt-get request :stale)
    "CHANGED: the files are not what they were when this was planned, so it cannot be done \
as it is shown.  g shows what it would do now.\n\n")
   ((agent-q-fs-prompt-unsaved request)
    (format "UNSAVED: %s.\n\n"
            (agent-q-fs-prompt-unsaved-words (agent-q-fs-prompt-unsaved request))))
   ((agent-q-fs-prompt-get request :edited) "As you changed it:\n\n")
   ((agent-q-fs-prompt-get request :instead) "As it would be now:\n\n")))

(defun agent-q-fs-request--draw ()
  "Show the request of this buffer as it is by now."
  (let* ((request agent-q-fs-request--request)
         (inhibit-read-only t)
         (banner (progn
                   (agent-q-fs-prompt-put request :stale (agent-q-fs-prompt-stale-p request))
                   (agent-q-fs-request--banner request))))
    (erase-buffer)
    (remove-overlays)
    (when banner
      (insert (propertize banner 'face 'agent-q-fs-show-danger)))
    (agent-q-fs-show-fill (agent-q-fs-prompt-shown request))
    (goto-char (point-min))
    (set-buffer-modified-p nil)
    (agent-q-fs-request--unready)
    (agent-q-fs-request--update)))

(defun agent-q-fs-request--pause ()
  "Return how many seconds a request is on the screen before a key decides.
They are more where no key has asked for it."
  (let ((delay (default-value 'agent-q-fs-prompt-delay)))
    (if agent-q-fs-request--came delay (min 0.5 delay))))

(defun agent-q-fs-request--too-early-p ()
  "Return non-nil if the key that is typed may be meant for what was here before.
Only \\`q', \\`?' and scrolling have an effect then, and what is no single letter."
  (let ((keys (this-command-keys-vector)))
    (and (or agent-q-fs-request--stays
             (and agent-q-fs-request--came (not agent-q-fs-request--ready)))
         (= 1 (length keys))
         (characterp (aref keys 0))
         (< ?\s (aref keys 0) ?\d)
         (not (memq (aref keys 0) '(?q ??))))))

(defun agent-q-fs-request--typed ()
  "Begin a pause anew, as a key is typed, and give that no effect if it is early."
  (when (agent-q-fs-request--too-early-p)
    (setq this-command #'agent-q-fs-request-wait))
  (cond (agent-q-fs-request--stays (agent-q-fs-request--stay))
        ((and agent-q-fs-request--came (not agent-q-fs-request--ready))
         (agent-q-fs-request--unready))))

(defun agent-q-fs-request-wait ()
  "Say that a key came too early, or too late, to mean something here."
  (interactive nil agent-q-fs-request-mode)
  (user-error (if agent-q-fs-request--stays "Nothing waits; q goes back to what you had before"
                "That was quick; please look, and type it again")))

(defun agent-q-fs-request--unready ()
  "Have keys decide nothing here until what is shown has been seen for a while."
  (when agent-q-fs-request--timer (cancel-timer agent-q-fs-request--timer))
  (setq agent-q-fs-request--ready (<= (agent-q-fs-request--pause) 0))
  (add-hook 'pre-redisplay-functions #'agent-q-fs-request--drawn nil t))

(defun agent-q-fs-request--drawn (window)
  "Have keys decide a pause after WINDOW is drawn, which shows this buffer.
Calling `redisplay' instead would run timers, which may wait for a key."
  (with-current-buffer (window-buffer window)
    (remove-hook 'pre-redisplay-functions #'agent-q-fs-request--drawn t)
    (setq agent-q-fs-request--timer
          (run-with-timer (agent-q-fs-request--pause) nil
                          #'agent-q-fs-request--look (current-buffer)))))

(defun agent-q-fs-request--look (buffer)
  "Have keys decide in BUFFER, which was drawn a pause ago, if no key is there.
One that is there was typed while Emacs was busy: nobody knows when."
  (when (buffer-live-p buffer)
    (with-current-buffer buffer
      (if (input-pending-p)
          (agent-q-fs-request--unready)
        (setq agent-q-fs-request--ready t)))))

(defun agent-q-fs-request--update ()
  "Have keys and highlighting be those of the request's state."
  (let ((mode (agent-q-fs-prompt-get agent-q-fs-request--request :mode)))
    (use-local-map (pcase mode
                     ('hunks agent-q-fs-request-hunk-map)
                     ('always agent-q-fs-request-always-map)
                     (_ agent-q-fs-request-mode-map)))
    (agent-q-fs-show-hunk (current-buffer)
                          (and (eq mode 'hunks)
                               (agent-q-fs-prompt-get agent-q-fs-request--request :hunk)))
    (when (memq 'agent-q-fs-ui--evil after-change-major-mode-hook)
      (agent-q-fs-ui--evil))
    (force-mode-line-update)))

(defun agent-q-fs-request--show (request &optional came)
  "Show REQUEST in the buffer for that.
With CAME it comes there by itself, and not because a key asks for it."
  (with-current-buffer (get-buffer-create "*agent-q-fs request*")
    (unless (derived-mode-p 'agent-q-fs-request-mode)
      (agent-q-fs-request-mode))
    (agent-q-fs-request--stay-no-more)
    (setq agent-q-fs-request--request request
          agent-q-fs-request--came came)
    (unless (agent-q-fs-prompt-get request :modal)
      (agent-q-fs-prompt-put request :mode 'main))
    (agent-q-fs-prompt-put request :told t)
    (agent-q-fs-request--draw)
    (pop-to-buffer (current-buffer) '((display-buffer-reuse-window display-buffer-same-window)))
    (set-window-start (selected-window) (point-min))))

(defun agent-q-fs-request--over ()
  "Say in the buffer of a request that it is over, if it is."
  (let ((buffer (get-buffer "*agent-q-fs request*")))
    (when buffer
      (with-current-buffer buffer
        (when (and agent-q-fs-request--request
                   (agent-q-fs-request-decision agent-q-fs-request--request)
                   (not (get-text-property (point-min) 'agent-q-fs-over)))
          (let ((inhibit-read-only t))
            (save-excursion
              (goto-char (point-min))
              (insert (propertize (agent-q-fs-request--banner agent-q-fs-request--request)
                                  'face 'agent-q-fs-show-notable 'agent-q-fs-over t)))))))))

(add-hook 'agent-q-fs-prompt-changed-hook #'agent-q-fs-request--over)


;;;; After the last decision

(defun agent-q-fs-request--stay-no-more ()
  "Have this buffer be there until somebody takes it away."
  (when agent-q-fs-request--stays
    (cancel-timer agent-q-fs-request--stays)
    (setq agent-q-fs-request--stays nil)))

(defun agent-q-fs-request--stay ()
  "Have this buffer stay until no key has come for a while: its request is over."
  (let ((seconds (default-value 'agent-q-fs-prompt-stay)))
    (agent-q-fs-request--stay-no-more)
    (if (<= seconds 0)
        (quit-windows-on (current-buffer) t)
      (setq agent-q-fs-request--stays
            (run-with-timer seconds nil #'agent-q-fs-request--go (current-buffer)))
      (force-mode-line-update))))

(defun agent-q-fs-request--typing-p ()
  "Return non-nil if the person is in the middle of a key or of a command."
  (or (input-pending-p) (agent-q-fs-requests--echo-area-taken-p)))

(defun agent-q-fs-request--show-next (buffer)
  "Show in BUFFER what has been asked while it stays, if the person is there.
Return non-nil if that was possible."
  (let ((request (seq-find (lambda (request) (not (agent-q-fs-prompt-get request :modal)))
                           (agent-q-fs-prompt-waiting))))
    (when (and request
               (buffer-live-p buffer)
               (buffer-local-value 'agent-q-fs-request--stays buffer)
               (eq buffer (window-buffer))
               (not (agent-q-fs-request--typing-p)))
      (agent-q-fs-request--show request t)
      t)))

(defun agent-q-fs-request--go (buffer)
  "Take BUFFER away, as no key has come for a while, or show what waits by now."
  (when (buffer-live-p buffer)
    (with-current-buffer buffer
      (cond ((agent-q-fs-request--typing-p) (agent-q-fs-request--stay))
            ((agent-q-fs-request--show-next buffer))
            (t (setq agent-q-fs-request--stays nil)
               (quit-windows-on buffer t))))))

(defun agent-q-fs-request--come ()
  "Show what has been asked in the buffer of the last request, if that stays.
Not at once: whether a program waits for it is known a moment later."
  (let ((buffer (get-buffer "*agent-q-fs request*")))
    (when (and buffer agent-q-fs-prompt--queue
               (buffer-local-value 'agent-q-fs-request--stays buffer))
      (run-with-timer 0 nil #'agent-q-fs-request--show-next buffer))))

(add-hook 'agent-q-fs-prompt-changed-hook #'agent-q-fs-request--come)

;;;###autoload
(defun agent-q-fs-requests (&optional list)
  "Show what agents want to do: the request that has waited longest.
With LIST, the prefix argument, list all."
  (interactive "P")
  (let ((waiting (agent-q-fs-prompt-waiting)))
    (cond
     ((null waiting) (message "No agent waits for you"))
     (list (agent-q-fs-requests-list))
     (t (agent-q-fs-request--show (car waiting))
        ;; After a command that says nothing, M-x looks for a shorter
        ;; name of it at once, and keeps Emacs busy with that.
        (message "%s" (if (cdr waiting)
                          (format "The first of %d requests that wait" (length waiting))
                        "The one request that waits"))))))


;;;; Answering

(defun agent-q-fs-request--current ()
  "Return the request of this buffer, which waits."
  (unless (derived-mode-p 'agent-q-fs-request-mode)
    (user-error "This is not the buffer of a request"))
  (when (agent-q-fs-request-decision agent-q-fs-request--request)
    (user-error "This request is over"))
  agent-q-fs-request--request)

(defun agent-q-fs-request--seen (&optional harmless)
  "Return the request of this buffer, if the person has had time to see it.
That takes no time if the key is HARMLESS, and decides nothing yet."
  (let ((request (agent-q-fs-request--current)))
    (when executing-kbd-macro
      (user-error "A keyboard macro cannot decide"))
    (unless (or harmless agent-q-fs-request--ready)
      (agent-q-fs-request--unready)
      (user-error "That was quick; please look, and type it again"))
    request))

(defun agent-q-fs-request--go-on (request place)
  "Show what follows REQUEST, which was in PLACE of the queue; or itself."
  (let ((waiting (agent-q-fs-prompt-waiting))
        (say (agent-q-fs-prompt-get request :say)))
    (agent-q-fs-prompt-put request :say nil)
    (cond
     ((not (agent-q-fs-request-decision request))
      (if (or (agent-q-fs-prompt-get request :stale) (agent-q-fs-prompt-unsaved request))
          (agent-q-fs-request--draw)    ; says so
        (setq agent-q-fs-request--came nil) ; a key that was heeded asked for what is next,
        (agent-q-fs-request--unready)       ; where the keys mean something else
        (agent-q-fs-request--update)))
     (t (if waiting (agent-q-fs-request--show (or (nth place waiting) (car waiting)) t)
          (with-current-buffer "*agent-q-fs request*" (agent-q-fs-request--stay)))
        (setq say (concat (or say (agent-q-fs-request--decided request))
                          (unless waiting ".  Nothing waits any more")))))
    (when say (message "%s" say))))

(defun agent-q-fs-request--decided (request)
  "Return words for the echo area about what was decided about REQUEST."
  (let ((verdict (agent-q-fs-request--verdict request)))
    (format "%s%s: %s" (upcase (substring verdict 0 1)) (substring verdict 1)
            (substring-no-properties
             (agent-q-fs-show-sentence (agent-q-fs-prompt-shown request))))))

(defun agent-q-fs-request--do (function &rest arguments)
  "Call FUNCTION with the request of this buffer and ARGUMENTS, and go on."
  (agent-q-fs-request--do-seen (agent-q-fs-request--seen) function arguments))

(defun agent-q-fs-request--do-seen (request function &optional arguments)
  "Call FUNCTION with REQUEST, which was seen, and ARGUMENTS, a list, and go on."
  (let ((place (seq-position (agent-q-fs-prompt-waiting) request #'eq)))
    (apply function request arguments)
    (agent-q-fs-request--go-on request (or place 0))))

(defun agent-q-fs-request-approve ()
  "Let the request be done."
  (interactive nil agent-q-fs-request-mode)
  (unless (memq (agent-q-fs-prompt-get (agent-q-fs-request--seen) :mode) '(nil main))
    (user-error "Only a part of it is asked about; q asks about all of it again"))
  (when (agent-q-fs-prompt-get agent-q-fs-request--request :stale)
    (user-error "The files have changed; g shows what this would do now"))
  (agent-q-fs-request--do #'agent-q-fs-prompt-approve))

(defun agent-q-fs-request-deny (reason)
  "Deny the request for REASON, which the model is told."
  (interactive (progn (agent-q-fs-request--seen)
                      (list (read-string
                             "Why not? (the model is told; RET alone gives no reason) ")))
               agent-q-fs-request-mode)
  (agent-q-fs-request--do #'agent-q-fs-prompt-refuse reason))

(defun agent-q-fs-request-stop (reason)
  "Deny the request for REASON, and have the agent end what it is doing."
  (interactive (progn (agent-q-fs-request--seen)
                      (list (read-string "Why should it stop? (RET alone gives no reason) ")))
               agent-q-fs-request-mode)
  (agent-q-fs-request--do #'agent-q-fs-prompt-refuse reason t))

(defun agent-q-fs-request-always ()
  "Decide for all calls that are like the request."
  (interactive nil agent-q-fs-request-mode)
  (agent-q-fs-request--do #'agent-q-fs-prompt-put :mode 'always))

(defun agent-q-fs-request-obey ()
  "Decide about a hunk, or for all calls like this, as the typed key says."
  (interactive nil agent-q-fs-request-mode)
  (let* ((always (eq 'always (agent-q-fs-prompt-get (agent-q-fs-request--current) :mode)))
         (function (lookup-key (if always agent-q-fs-prompt-always-map agent-q-fs-prompt-hunk-map)
                               (this-command-keys-vector)))
         (request (agent-q-fs-request--seen
                   (not (agent-q-fs-prompt--decides-p agent-q-fs-request--request function)))))
    (when always
      (agent-q-fs-prompt-put request :mode 'main))
    (agent-q-fs-request--do-seen request function)))

(defun agent-q-fs-request-back ()
  "Ask about the request as a whole again."
  (interactive nil agent-q-fs-request-mode)
  (agent-q-fs-prompt-put agent-q-fs-request--request :mode 'main)
  (goto-char (point-min))
  (agent-q-fs-request--unready)
  (agent-q-fs-request--update))

(defun agent-q-fs-request-hunks ()
  "Go through the hunks of the request, to take some."
  (interactive nil agent-q-fs-request-mode)
  (agent-q-fs-request--do #'agent-q-fs-prompt-hunks))

(defun agent-q-fs-request--put-instead (request made &rest plist)
  "Have MADE, a request, stand for REQUEST, of which PLIST is known then."
  (when made
    (apply #'agent-q-fs-prompt-put request :instead made plist))
  (if (agent-q-fs-request-decision request)
      (message "This request is over: nobody waits for it any more")
    (agent-q-fs-request--show request)))

(defun agent-q-fs-request-edit ()
  "Change the arguments of the call; what it does then is shown."
  (interactive nil agent-q-fs-request-mode)
  (let ((request (agent-q-fs-request--current)))
    (pop-to-buffer-same-window
     (agent-q-fs-edit-start (agent-q-fs-prompt-shown request)
                            (lambda (made)
                              (agent-q-fs-request--put-instead request made :edited t))))))

(defun agent-q-fs-request-renew ()
  "Look again at what the call would do, as the files are now."
  (interactive nil agent-q-fs-request-mode)
  (let ((request (agent-q-fs-request--current)))
    (condition-case problem
        (progn (agent-q-fs-prompt-renew request)
               (agent-q-fs-request--show request))
      (agent-q-fs-error
       (user-error "It could not be done now: %s"
                   (agent-q-fs-show-visible (plist-get (cdr problem) :message)))))))

(defun agent-q-fs-request-save ()
  "Save your unsaved text that is in the way of the request, and look at it again."
  (interactive nil agent-q-fs-request-mode)
  (let ((request (agent-q-fs-request--seen)))
    (agent-q-fs-prompt-save request)
    (agent-q-fs-request--show request)
    (message "%s" (or (agent-q-fs-prompt-get request :say) "Saved; this is what would be done now"))
    (agent-q-fs-prompt-put request :say nil)))

(defun agent-q-fs-request-next (&optional count)
  "Show the request that waits after this one, or COUNT further."
  (interactive "p" agent-q-fs-request-mode)
  (let* ((waiting (or (agent-q-fs-prompt-waiting) (user-error "Nothing waits any more")))
         (place (seq-position waiting agent-q-fs-request--request #'eq)))
    (agent-q-fs-request--show
     (nth (if place (mod (+ place (or count 1)) (length waiting)) 0) waiting))))

(defun agent-q-fs-request-previous (&optional count)
  "Show the request that waits before this one, or COUNT before."
  (interactive "p" agent-q-fs-request-mode)
  (agent-q-fs-request-next (- (or count 1))))


;;;; The files

(defun agent-q-fs-request--file ()
  "Return the path of the file that point, or else the request, is about."
  (let ((shown (agent-q-fs-prompt-shown agent-q-fs-request--request)))
    (or (cadr (get-text-property (point) 'agent-q-fs-part))
        (agent-q-fs-edit--file shown)
        (user-error "This is about no file"))))

(defun agent-q-fs-request-visit ()
  "Visit the file that point, or else the request, is about."
  (interactive nil agent-q-fs-request-mode)
  (let ((file (agent-q-fs-path-name (agent-q-fs-request-workspace agent-q-fs-request--request)
                                    (agent-q-fs-request--file))))
    (if (file-exists-p file)
        (find-file-other-window file)
      (user-error "There is no such file now: %s" (agent-q-fs-show-visible file t)))))

(defun agent-q-fs-request--sides ()
  "Return the file that point is about before and after, as (PATH BEFORE . AFTER)."
  (let* ((shown (agent-q-fs-prompt-shown agent-q-fs-request--request))
         (path (agent-q-fs-request--file)))
    (when (agent-q-fs-show-cut-p shown)
      (user-error "The diff is cut: the arguments at the end of this buffer have it all"))
    (cons path (agent-q-fs-hunks-sides shown path))))

(defun agent-q-fs-request-whole ()
  "Show the whole file that point is about as it would be."
  (interactive nil agent-q-fs-request-mode)
  (pcase-let ((`(,path ,_before . ,after) (agent-q-fs-request--sides)))
    (let ((buffer (agent-q-fs-hunks-side-buffer path after)))
      (with-current-buffer buffer (view-mode-enter nil #'kill-buffer))
      (pop-to-buffer buffer))))

(defun agent-q-fs-request-ediff ()
  "Compare the file that point is about with what it would be, by ediff."
  (interactive nil agent-q-fs-request-mode)
  (pcase-let ((`(,path ,before . ,after) (agent-q-fs-request--sides)))
    (agent-q-fs-hunks-ediff (agent-q-fs-hunks-side-buffer path before)
                            (agent-q-fs-hunks-side-buffer (concat "new " path) after))))

(provide 'agent-q-fs-requests)
;; After `provide', because it shows requests in the buffer above.
(require 'agent-q-fs-requests-list)
;;; agent-q-fs-requests.el ends here
