;;; agent-q-fs-prompt.el --- Ask a person about a model's call  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; `agent-q-fs-prompt' shows a request (agent-q-fs-approve.el) in a window and
;; reads keys until it is decided, as `query-replace' does.
;;
;; Requests come from timers and process filters, so the next one may come while
;; one is asked.  They stand in a queue, and the person sees one after the other.
;; A function that waits for a request's decision (`agent-q-fs-prompt-wait') may find
;; others before it in the queue, even one whose keys are being read further down the
;; stack: then it reads keys for that one until its own turn comes, and wakes the
;; earlier reader.  That is why all data of a prompt is in the request.
;;
;; How a request is shown is in agent-q-fs-show.el.

;;; Code:

(require 'agent-q-fs-approve)
(require 'agent-q-fs-show)

(defcustom agent-q-fs-prompt-delay 1.0
  "Seconds without any key before one can decide about a request.
They begin when the request is visible, and anew with each key: a key that
comes earlier was meant for something else."
  :type 'number
  :group 'agent-q-fs-approve)

(defcustom agent-q-fs-prompt-timeout nil
  "Seconds after which a request that nobody decides is denied; nil for never."
  :type '(choice (const :tag "Never" nil) number)
  :group 'agent-q-fs-approve)

(defvar agent-q-fs-prompt-map
  (let ((map (make-sparse-keymap)))
    (define-key map "y" #'agent-q-fs-prompt-approve)
    (define-key map "n" #'agent-q-fs-prompt-deny)
    (define-key map "e" #'agent-q-fs-prompt-edit)
    (define-key map "h" #'agent-q-fs-prompt-hunks)
    (define-key map "!" #'agent-q-fs-prompt-always)
    (define-key map "q" #'agent-q-fs-prompt-quit)
    (define-key map "\C-g" #'agent-q-fs-prompt-interrupt)
    (define-key map "?" #'agent-q-fs-prompt-help)
    (define-key map " " #'agent-q-fs-prompt-scroll)
    (define-key map "\C-v" #'agent-q-fs-prompt-scroll)
    (define-key map [next] #'agent-q-fs-prompt-scroll)
    (define-key map "\C-?" #'agent-q-fs-prompt-scroll-back)
    (define-key map [backspace] #'agent-q-fs-prompt-scroll-back)
    (define-key map [?\M-v] #'agent-q-fs-prompt-scroll-back)
    (define-key map [prior] #'agent-q-fs-prompt-scroll-back)
    map)
  "Keys that decide about a request.
Each is bound to a function that is called with the request.")

(defvar agent-q-fs-prompt-hunk-map
  (let ((map (make-sparse-keymap)))
    (set-keymap-parent map agent-q-fs-prompt-map)
    (define-key map "y" #'agent-q-fs-prompt-take-hunk)
    (define-key map "n" #'agent-q-fs-prompt-leave-hunk)
    (define-key map "!" #'agent-q-fs-prompt-take-rest)
    (define-key map "e" #'ignore)
    (define-key map "h" #'ignore)
    map)
  "Keys that decide about one hunk of a request.")

(defvar agent-q-fs-prompt-always-map
  (let ((map (make-sparse-keymap)))
    (define-key map "t" #'agent-q-fs-prompt-always-tool)
    (define-key map "d" #'agent-q-fs-prompt-always-directory)
    (define-key map "c" #'agent-q-fs-prompt-always-command)
    (define-key map "w" #'agent-q-fs-prompt-always-word)
    (define-key map "T" #'agent-q-fs-prompt-never-tool)
    (define-key map "D" #'agent-q-fs-prompt-never-directory)
    (define-key map "\C-g" #'agent-q-fs-prompt-interrupt)
    (define-key map [t] #'agent-q-fs-prompt-back)
    map)
  "Keys that decide about a request and others like it.")

(defconst agent-q-fs-prompt--harmless
  '(agent-q-fs-prompt-interrupt agent-q-fs-prompt-help agent-q-fs-prompt-back
    agent-q-fs-prompt-scroll agent-q-fs-prompt-scroll-back ignore)
  "Commands whose keys need no pause before them.")


;;;; The queue

(defvar agent-q-fs-prompt--queue nil
  "Requests that are not decided, as (REQUEST . CALLBACK), the oldest first.")

(defvar agent-q-fs-prompt--depth 0
  "How many functions on the stack read keys for requests.")

(defvar agent-q-fs-prompt--edit-depth 0
  "How deep the recursive edit is in which the text of a request is edited.")

(defvar agent-q-fs-prompt--reading nil
  "The innermost wait for input: nil, (key REQUEST) or (edit REQUEST).")

(defun agent-q-fs-prompt (request callback)
  "Show REQUEST to the person, now or when its turn comes.
Then call CALLBACK with the decision."
  (setq agent-q-fs-prompt--queue
        (append agent-q-fs-prompt--queue (list (cons request callback))))
  (agent-q-fs-prompt--later))

(defun agent-q-fs-prompt--later ()
  "See to the queue soon, unless somebody does already."
  (when (and agent-q-fs-prompt--queue (= 0 agent-q-fs-prompt--depth))
    (run-with-timer 0 nil #'agent-q-fs-prompt--work)))

(defun agent-q-fs-prompt--work ()
  "Ask about all requests in the queue, unless that is being done."
  (when (= 0 agent-q-fs-prompt--depth)
    (while agent-q-fs-prompt--queue
      (agent-q-fs-prompt-wait (caar agent-q-fs-prompt--queue)))))

(defun agent-q-fs-prompt-wait (request)
  "Ask the person until REQUEST, which is in the queue, is decided.
A quit or a throw through this denies it."
  (unwind-protect
      (let ((agent-q-fs-prompt--depth (1+ agent-q-fs-prompt--depth))
            (inhibit-quit nil))
        (while (not (agent-q-fs-request-decision request))
          (agent-q-fs-prompt--step (agent-q-fs-prompt--turn request))))
    (agent-q-fs-prompt-decide request :decision 'denied)
    (if (= 0 agent-q-fs-prompt--depth) ; nobody reads keys who could be woken
        (setq unread-command-events (delq 'agent-q-fs-wake unread-command-events))
      (agent-q-fs-prompt--wake))
    (agent-q-fs-prompt--later)))

(defun agent-q-fs-prompt--turn (request)
  "Return the request whose turn it is, REQUEST or one before it in the queue."
  (or (seq-find (lambda (other)
                  (or (eq other request)
                      ;; While a reason is typed in the minibuffer, only the reader
                      ;; of the minibuffer can go on.
                      (not (eq 'reason (agent-q-fs-prompt-get other :mode)))))
                (mapcar #'car agent-q-fs-prompt--queue))
      request))

(defun agent-q-fs-prompt--wake ()
  "Make the reader of keys further down the stack look at the requests again."
  (pcase agent-q-fs-prompt--reading
    (`(key ,request)
     (unless (memq 'agent-q-fs-wake unread-command-events)
       (push 'agent-q-fs-wake unread-command-events))
     (run-with-timer 0.1 nil #'agent-q-fs-prompt--wake-again request))
    (`(edit ,request)
     (run-with-timer 0 nil #'agent-q-fs-prompt--leave-edit request))))

(defun agent-q-fs-prompt--wake-again (request)
  "Wake the reader of keys for REQUEST again if it still reads; it is decided.
When a terminal is closed, the event that was to wake it is lost."
  (when (and (eq 'key (car agent-q-fs-prompt--reading))
             (eq request (cadr agent-q-fs-prompt--reading))
             (agent-q-fs-request-decision request))
    (agent-q-fs-prompt--wake)))

(defun agent-q-fs-prompt--leave-edit (request)
  "Leave the recursive edit for REQUEST if it is over.
Recursive edits that were begun in it come first."
  (when (and (eq request (cadr agent-q-fs-prompt--reading))
             (not (eq 'edit (agent-q-fs-prompt-get request :mode))))
    (if (<= (recursion-depth) agent-q-fs-prompt--edit-depth)
        (throw 'exit nil)
      (run-with-timer 0.1 nil #'agent-q-fs-prompt--leave-edit request))))

(defun agent-q-fs-prompt-decide (request &rest decision)
  "Decide about REQUEST: DECISION, a property list.  The first decision counts."
  (unless (agent-q-fs-request-decision request)
    (setf (agent-q-fs-request-decision request) decision)
    (let ((entry (assq request agent-q-fs-prompt--queue)))
      (setq agent-q-fs-prompt--queue (delq entry agent-q-fs-prompt--queue))
      (unwind-protect
          (agent-q-fs-prompt--close request)
        (when entry
          (condition-case problem
              (funcall (cdr entry) decision)
            (error (message "agent-q-fs: error after a decision: %S" problem))))))))

(defun agent-q-fs-prompt-get (request key)
  "Return the prompt's value of KEY for REQUEST."
  (plist-get (agent-q-fs-request-state request) key))

(defun agent-q-fs-prompt-put (request &rest plist)
  "Let the prompt know PLIST about REQUEST."
  (let ((state (agent-q-fs-request-state request)))
    (while plist
      (setq state (plist-put state (pop plist) (pop plist))))
    (setf (agent-q-fs-request-state request) state)))


;;;; Showing

(defun agent-q-fs-prompt--frame ()
  "Return a frame that a person may look at."
  (let ((seen (lambda (frame) (not (equal "initial_terminal" (terminal-name frame))))))
    (if (funcall seen (selected-frame))
        (selected-frame)
      (seq-find seen (frame-list)))))

(defun agent-q-fs-prompt--open (request)
  "Show REQUEST, unless it is shown already."
  (unless (buffer-live-p (agent-q-fs-prompt-get request :buffer))
    (let ((frame (agent-q-fs-prompt--frame)))
      (unless (agent-q-fs-prompt-get request :frame)
        (agent-q-fs-prompt-put request :frame frame
                               :mode 'main :depth (minibuffer-depth)
                               :windows (current-window-configuration frame)
                               :begun (float-time)))
      (add-hook 'delete-frame-functions #'agent-q-fs-prompt--frame-deleted)
      ;; Another function that waits may read the keys while this is drawn.
      (agent-q-fs-prompt-put request :buffer (agent-q-fs-show-buffer request)
                             :visible (float-time))
      (agent-q-fs-prompt--display request)
      (discard-input)
      (redisplay)
      (agent-q-fs-prompt-put request :visible (float-time)))))

(defun agent-q-fs-prompt--display (request)
  "Display the buffer of REQUEST."
  (let ((frame (agent-q-fs-prompt-get request :frame)))
    (with-selected-frame frame
      (when (window-minibuffer-p)
        (select-window (or (minibuffer-selected-window) (frame-first-window)) t))
      (display-buffer (agent-q-fs-prompt-get request :buffer)
                      '((display-buffer-reuse-window display-buffer-pop-up-window
                                                     display-buffer-use-some-window)
                        (inhibit-same-window . t))))
    (raise-frame frame)))

(defun agent-q-fs-prompt--window (request)
  "Return the window that shows REQUEST, showing it again if need be."
  (or (get-buffer-window (agent-q-fs-prompt-get request :buffer) t)
      (progn (agent-q-fs-prompt--display request)
             (get-buffer-window (agent-q-fs-prompt-get request :buffer) t))))

(defun agent-q-fs-prompt--close (request)
  "Close the buffer and windows of REQUEST."
  (let ((buffer (agent-q-fs-prompt-get request :buffer))
        (windows (agent-q-fs-prompt-get request :windows)))
    (when (agent-q-fs-prompt-get request :edit)
      (agent-q-fs-edit-abandon request))
    (when (buffer-live-p buffer)
      (kill-buffer buffer))
    (when (and windows (frame-live-p (window-configuration-frame windows)))
      (set-window-configuration windows))
    (agent-q-fs-prompt-put request :buffer nil :windows nil :mode nil)
    (unless agent-q-fs-prompt--queue
      (remove-hook 'delete-frame-functions #'agent-q-fs-prompt--frame-deleted))
    (when windows (message nil))))

(defun agent-q-fs-prompt--frame-deleted (frame)
  "Deny the requests that are shown on FRAME, which is being deleted."
  (dolist (entry agent-q-fs-prompt--queue)
    (when (eq frame (agent-q-fs-prompt-get (car entry) :frame))
      (agent-q-fs-prompt-put (car entry) :windows nil)
      (agent-q-fs-prompt-decide (car entry) :decision 'denied
                                :reason "the frame was closed")
      (agent-q-fs-prompt--wake))))

(defun agent-q-fs-prompt-withdraw (caller)
  "Withdraw the requests of CALLER, which is gone."
  (dolist (entry agent-q-fs-prompt--queue)
    (when (eq caller (agent-q-fs-request-caller (car entry)))
      (agent-q-fs-prompt--withdraw (car entry)))))

(add-hook 'agent-q-fs-caller-gone-functions #'agent-q-fs-prompt-withdraw)

(defun agent-q-fs-prompt--withdraw (request)
  "Withdraw REQUEST, whose caller is gone.
If the person has begun to type in a minibuffer since, they finish first."
  (let ((depth (agent-q-fs-prompt-get request :depth)))
    (cond
     ((agent-q-fs-request-decision request))
     ((and depth (> (minibuffer-depth) depth))
      (run-with-timer 0.2 nil #'agent-q-fs-prompt--withdraw request))
     (t
      (agent-q-fs-prompt-decide request :decision 'denied :code :cancelled
                                :reason "who called it waits no more")
      (message "Nobody waits for %s any more" (agent-q-fs-request-tool request))
      (agent-q-fs-prompt--wake)))))


;;;; Reading keys

(defun agent-q-fs-prompt--step (request)
  "Do the next thing that leads to a decision about REQUEST."
  (condition-case nil
      (cond
       ((not (agent-q-fs-prompt--frame)) ; the last one was closed meanwhile
        (agent-q-fs-prompt-decide request :decision 'denied :reason "there is nobody to ask"))
       (t
        (agent-q-fs-prompt--open request)
        (cond
         ((agent-q-fs-request-decision request)) ; by who came in meanwhile
         ((eq 'edit (agent-q-fs-prompt-get request :mode))
          (agent-q-fs-prompt--go-on-editing request))
         (t (agent-q-fs-prompt--obey request (agent-q-fs-prompt--read-key request))))))
    (quit (agent-q-fs-prompt-quit request))))

(defvar agent-q-fs-prompt--key-time 0
  "When a key was typed last, as far as questions have seen it.")

(defun agent-q-fs-prompt--calm-p (request)
  "Return non-nil if there was a pause before the key that is typed now.
REQUEST was visible throughout.  Call this once for each key."
  (let ((since (max agent-q-fs-prompt--key-time (agent-q-fs-prompt-get request :visible))))
    (setq agent-q-fs-prompt--key-time (float-time))
    (and (<= (default-value 'agent-q-fs-prompt-delay) (- agent-q-fs-prompt--key-time since))
         (not (agent-q-fs-prompt-get request :early))
         (not (input-pending-p)))))

(defun agent-q-fs-prompt--decides-p (request command)
  "Return non-nil if COMMAND may decide about REQUEST, or lead to a decision.
Hunks before the last one are only taken or left for now."
  (not (or (memq command agent-q-fs-prompt--harmless)
           (and (memq command '(agent-q-fs-prompt-take-hunk agent-q-fs-prompt-leave-hunk))
                (< (1+ (agent-q-fs-prompt-get request :hunk))
                   (length (agent-q-fs-prompt-get request :hunks)))))))

(defun agent-q-fs-prompt--read-key (request)
  "Return the next key that is typed for REQUEST, or nil if none comes in time."
  ;; Nobody knows when a key was typed that is there already.
  (agent-q-fs-prompt-put request :early (input-pending-p))
  (let ((agent-q-fs-prompt--reading (list 'key request))
        (cursor-in-echo-area t)
        (left (and (default-value 'agent-q-fs-prompt-timeout)
                   (- (+ (agent-q-fs-prompt-get request :begun)
                         (default-value 'agent-q-fs-prompt-timeout))
                      (float-time)))))
    (agent-q-fs-prompt--window request)
    (if left
        (with-timeout ((max left 0.01) nil)
          (read-key (agent-q-fs-prompt--text request)))
      (read-key (agent-q-fs-prompt--text request)))))

(defun agent-q-fs-prompt--obey (request key)
  "Do what KEY, which may be nil, means for REQUEST, if it is not decided."
  (agent-q-fs-prompt-put request :help nil :say nil)
  (let ((command (and key
                      (lookup-key (pcase (agent-q-fs-prompt-get request :mode)
                                    ('hunks agent-q-fs-prompt-hunk-map)
                                    ('always agent-q-fs-prompt-always-map)
                                    (_ agent-q-fs-prompt-map))
                                  (vector key) t))))
    (cond
     ((agent-q-fs-request-decision request))
     ((null key)
      (agent-q-fs-prompt-decide request :decision 'denied :reason "nobody answered in time"))
     ((eq key 'agent-q-fs-wake))
     ((not (functionp command))
      (setq agent-q-fs-prompt--key-time (float-time))
      (agent-q-fs-prompt-put request :say "That key means nothing here"))
     ((or (agent-q-fs-prompt--calm-p request)
          (not (agent-q-fs-prompt--decides-p request command)))
      (funcall command request))
     (t (agent-q-fs-prompt-put
         request :say "That was quick; please look, and type it again after a moment")))))

(defconst agent-q-fs-prompt--help "\
y    do it                        SPC, DEL  scroll
n    do not; you may say why      h         go through the hunks, taking some
e    change it, and do that       !         decide for all that is like it
q    do not (C-g, too)            ?         this help
"
  "The help about the keys.")

(defun agent-q-fs-prompt--text (request)
  "Return the words that ask about REQUEST."
  (let ((waiting (1- (length agent-q-fs-prompt--queue)))
        (say (agent-q-fs-prompt-get request :say))
        (directory (agent-q-fs-show-visible (agent-q-fs-approve-directory-words request) t)))
    (concat
     (when say (concat say ".  "))
     (when (agent-q-fs-prompt-get request :help) agent-q-fs-prompt--help)
     (pcase (agent-q-fs-prompt-get request :mode)
       ('hunks (format "Hunk %d of %d: take it? (y n, ! takes the rest, q denies all) "
                       (1+ (agent-q-fs-prompt-get request :hunk))
                       (length (agent-q-fs-prompt-get request :hunks))))
       ('always (format "Always do %s: %s; never: T or D; other keys go back%s "
                        (agent-q-fs-request-tool request)
                        (agent-q-fs-prompt--always-words request directory)
                        (if (agent-q-fs-request-protected-p request)
                            " (protected files are asked all the same)"
                          "")))
       (_ (format "%s %s? (y n e h ! q, SPC scrolls, ? helps)%s "
                  (if (eq 'dangerous (agent-q-fs-request-tier request)) "DANGEROUS: do" "Do")
                  (agent-q-fs-request-tool request)
                  (if (> waiting 0) (format " [%d more waiting]" waiting) ""))))
     (when (agent-q-fs-show-more-p (agent-q-fs-prompt--window request))
       "[more below] "))))

(defun agent-q-fs-prompt--always-words (request directory)
  "Return words for the scopes that REQUEST, in DIRECTORY, may be approved for."
  (if (agent-q-fs-request-likes request)
      (mapconcat (lambda (like)
                   (concat (if (eq 'word (car like)) "w " "c ") (nth 1 like)))
                 (agent-q-fs-request-likes request) ", ")
    (format "t anywhere in this project, d under %s/" directory)))

(defmacro agent-q-fs-prompt-with-keys (&rest body)
  "Run BODY, which reads keys by commands, within a function that reads keys.
`read-key' leaves other keymaps than a person's own."
  (declare (indent 0) (debug (body)))
  `(let ((overriding-terminal-local-map nil)
         (overriding-local-map nil)
         (cursor-in-echo-area nil)
         (enable-recursive-minibuffers t)
         (keys (current-global-map)))
     (unwind-protect
         (progn (use-global-map global-map)
                ,@body)
       (use-global-map keys))))


;;;; Commands of the keys

(defun agent-q-fs-prompt-approve (request)
  "Let REQUEST be done."
  (agent-q-fs-prompt-decide request :decision 'approved))

(defun agent-q-fs-prompt-quit (request)
  "Deny REQUEST."
  (agent-q-fs-prompt-decide request :decision 'denied))

(defun agent-q-fs-prompt-interrupt (request)
  "Deny REQUEST, at any time."
  (agent-q-fs-prompt-quit request))

(defun agent-q-fs-prompt-deny (request)
  "Deny REQUEST, giving a reason."
  (agent-q-fs-prompt-put request :mode 'reason)
  (let* ((agent-q-fs-prompt--reading nil)
         (reason (condition-case nil
                     (agent-q-fs-prompt-with-keys
                       (read-string "Why not (the model is told; RET for nothing)? "))
                   (quit ""))))
    (agent-q-fs-prompt-decide request :decision 'denied
                              :reason (unless (string-blank-p reason) reason))))

(defun agent-q-fs-prompt-help (request)
  "Show help about the keys for REQUEST."
  (agent-q-fs-prompt-put request :help t))

(defun agent-q-fs-prompt-scroll (request)
  "Show more of REQUEST."
  (with-selected-window (agent-q-fs-prompt--window request)
    (condition-case nil (scroll-up) (end-of-buffer nil))))

(defun agent-q-fs-prompt-scroll-back (request)
  "Scroll back in the buffer of REQUEST."
  (with-selected-window (agent-q-fs-prompt--window request)
    (condition-case nil (scroll-down) (beginning-of-buffer nil))))

(defun agent-q-fs-prompt-always (request)
  "Decide about REQUEST and others like it."
  (agent-q-fs-prompt-put request :mode 'always))

(defun agent-q-fs-prompt-back (request)
  "Ask about REQUEST alone again."
  (agent-q-fs-prompt-put request :mode 'main))

(defun agent-q-fs-prompt--always (request &optional directory)
  "Let REQUEST and all calls of its tool, in DIRECTORY if any, be done.
Not where only some calls may be approved of together."
  (cond
   ((agent-q-fs-request-likes request)
    (agent-q-fs-prompt-put request :say "Not all calls of this tool can be approved of"))
   ((and directory (not (agent-q-fs-approve-directory-p request directory)))
    (agent-q-fs-prompt-put request :say "No directory smaller than what holds the project \
has all of these files"))
   (t
    (agent-q-fs-approve-remember 'approve request directory)
    (agent-q-fs-prompt-approve request))))

(defun agent-q-fs-prompt-always-tool (request)
  "Let REQUEST and all calls of its tool be done."
  (agent-q-fs-prompt--always request))

(defun agent-q-fs-prompt-always-directory (request)
  "Let REQUEST and all calls of its tool under the same directory be done."
  (agent-q-fs-prompt--always request (agent-q-fs-approve-directory request)))

(defun agent-q-fs-prompt--always-like (request name)
  "Let REQUEST and all calls that are like it, as NAME says, be done."
  (let ((like (assq name (agent-q-fs-request-likes request))))
    (if (not like)
        (agent-q-fs-prompt-put request :say "This cannot be approved of in that way")
      (agent-q-fs-approve-remember 'approve request nil like)
      (agent-q-fs-prompt-approve request))))

(defun agent-q-fs-prompt-always-command (request)
  "Let REQUEST and all calls with the same command be done."
  (agent-q-fs-prompt--always-like request 'exact))

(defun agent-q-fs-prompt-always-word (request)
  "Let REQUEST and all calls whose command begins with the same word be done."
  (agent-q-fs-prompt--always-like request 'word))

(defun agent-q-fs-prompt-never-tool (request)
  "Deny REQUEST and all calls of its tool."
  (agent-q-fs-approve-remember 'deny request)
  (agent-q-fs-prompt-quit request))

(defun agent-q-fs-prompt-never-directory (request)
  "Deny REQUEST and all calls of its tool under the same directory."
  (agent-q-fs-approve-remember 'deny request (agent-q-fs-approve-directory request))
  (agent-q-fs-prompt-quit request))


;;;; Some of the hunks

(defun agent-q-fs-prompt-hunks (request)
  "Go through the hunks of REQUEST, to take some of them."
  (let ((hunks (agent-q-fs-show-hunks request)))
    (if (null hunks)
        (agent-q-fs-prompt-put request :say "This cannot be taken in parts")
      (agent-q-fs-prompt-put request :mode 'hunks :hunks hunks :hunk 0 :taken nil)
      (agent-q-fs-show-hunk request 0))))

(defun agent-q-fs-prompt-take-hunk (request)
  "Take the hunk of REQUEST that is asked about."
  (agent-q-fs-prompt-put request :taken (cons (agent-q-fs-prompt-get request :hunk)
                                              (agent-q-fs-prompt-get request :taken)))
  (agent-q-fs-prompt-leave-hunk request))

(defun agent-q-fs-prompt-leave-hunk (request)
  "Go on to the next hunk of REQUEST; behind the last one, do the taken hunks."
  (let ((next (1+ (agent-q-fs-prompt-get request :hunk))))
    (if (= next (length (agent-q-fs-prompt-get request :hunks)))
        (agent-q-fs-prompt--do-hunks request)
      (agent-q-fs-prompt-put request :hunk next)
      (agent-q-fs-show-hunk request next))))

(defun agent-q-fs-prompt-take-rest (request)
  "Take the hunk of REQUEST that is asked about and all behind it."
  (while (eq 'hunks (agent-q-fs-prompt-get request :mode))
    (agent-q-fs-prompt-take-hunk request)))

(defun agent-q-fs-prompt--do-hunks (request)
  "Let the hunks of REQUEST be done that were taken."
  (let* ((hunks (agent-q-fs-prompt-get request :hunks))
         (taken (sort (copy-sequence (agent-q-fs-prompt-get request :taken)) #'<)))
    (agent-q-fs-prompt-put request :mode 'main)
    (cond
     ((null taken)
      (agent-q-fs-prompt-decide request :decision 'denied :reason "no hunk was wanted"))
     ((= (length taken) (length hunks)) (agent-q-fs-prompt-approve request))
     (t
      (condition-case problem
          (agent-q-fs-prompt-decide
           request :decision 'hunks
           :taken (length taken) :of (length hunks)
           :commit (agent-q-fs-show-some-hunks request hunks taken))
        (agent-q-fs-error
         (agent-q-fs-prompt-put request :say (plist-get (cdr problem) :message))
         (agent-q-fs-show-hunk request nil)))))))


;;;; Another call instead

(defun agent-q-fs-prompt-edit (request)
  "Let the person change the arguments of REQUEST, and do that."
  (agent-q-fs-edit-start request)
  (agent-q-fs-prompt-put request :mode 'edit))

(defun agent-q-fs-prompt--go-on-editing (request)
  "Let the person edit until REQUEST is decided or the editing given up."
  (condition-case nil
      (let ((agent-q-fs-prompt--reading (list 'edit request))
            (agent-q-fs-prompt--edit-depth (1+ (recursion-depth))))
        (agent-q-fs-prompt-with-keys
          (with-current-buffer (window-buffer)
            (recursive-edit))))
    (quit (agent-q-fs-prompt-put request :mode 'main)))
  (when (and (not (agent-q-fs-request-decision request))
             (not (eq 'edit (agent-q-fs-prompt-get request :mode))))
    (agent-q-fs-edit-abandon request)
    (agent-q-fs-prompt-put request :visible (float-time))))

(provide 'agent-q-fs-prompt)
;;; agent-q-fs-prompt.el ends here
