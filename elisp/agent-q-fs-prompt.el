;;; agent-q-fs-prompt.el --- Requests that wait for a person  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; `agent-q-fs-prompt' puts a request (agent-q-fs-approve.el) into a queue and returns.
;; The mode line says how many wait, and the echo area once.  The person opens them when
;; they like, by `agent-q-fs-requests' (agent-q-fs-requests.el); no key that is typed
;; anywhere else decides.
;;
;; `agent-q-fs-prompt-wait' is for a program that waits inside Emacs, where no command
;; can run until the program goes on.  It shows the request and reads keys until there is
;; a decision, as `query-replace' does.  It never does so on top of another function that
;; reads keys, because a key would be taken from that one: while the person types or
;; searches, it waits, and lets them; where that cannot be, the request is refused.

;;; Code:

(require 'agent-q-fs-answer)
(require 'agent-q-fs-approve)
(require 'agent-q-fs-show)

(defcustom agent-q-fs-prompt-delay 1.0
  "Seconds without any key before one can decide about a request.
That is where a program waits inside Emacs, so that the question takes the
keyboard, and where a request takes the place of the one before.  They
begin when the request is visible, and anew with each key: a key that
comes earlier was meant for something else."
  :type 'number
  :group 'agent-q-fs-approve)

(defcustom agent-q-fs-prompt-timeout nil
  "Seconds after which a request that nobody decides is denied; nil for never."
  :type '(choice (const :tag "Never" nil) number)
  :group 'agent-q-fs-approve)


;;;; The queue

(defvar agent-q-fs-prompt--queue nil
  "Requests that are not decided, as (REQUEST . CALLBACK), the oldest first.")

(defvar agent-q-fs-prompt-changed-hook nil
  "Functions called when the requests that wait are others than before.")

(defun agent-q-fs-prompt-get (request key)
  "Return the prompt's value of KEY for REQUEST."
  (plist-get (agent-q-fs-request-state request) key))

(defun agent-q-fs-prompt-put (request &rest plist)
  "Let the prompt know PLIST about REQUEST."
  (let ((state (agent-q-fs-request-state request)))
    (while plist
      (setq state (plist-put state (pop plist) (pop plist))))
    (setf (agent-q-fs-request-state request) state)))

(defun agent-q-fs-prompt-waiting ()
  "Return the requests that wait for a decision, the oldest first."
  (mapcar #'car agent-q-fs-prompt--queue))

(defun agent-q-fs-prompt (request callback)
  "Put REQUEST into the queue, and call CALLBACK with the decision some day."
  (let ((seconds (default-value 'agent-q-fs-prompt-timeout)))
    (agent-q-fs-prompt-put request :begun (float-time)
                           :timer (and seconds
                                       (run-with-timer seconds nil
                                                       #'agent-q-fs-prompt--expire request))))
  (setq agent-q-fs-prompt--queue
        (append agent-q-fs-prompt--queue (list (cons request callback))))
  (add-hook 'delete-frame-functions #'agent-q-fs-prompt--frame-deleted)
  (run-hooks 'agent-q-fs-prompt-changed-hook))

(defun agent-q-fs-prompt-decide (request &rest decision)
  "Decide about REQUEST: DECISION, a property list.  The first decision counts."
  (unless (agent-q-fs-request-decision request)
    (setf (agent-q-fs-request-decision request) decision)
    (let ((entry (assq request agent-q-fs-prompt--queue))
          (timer (agent-q-fs-prompt-get request :timer)))
      (when timer (cancel-timer timer))
      (setq agent-q-fs-prompt--queue (delq entry agent-q-fs-prompt--queue))
      (unless agent-q-fs-prompt--queue
        (remove-hook 'delete-frame-functions #'agent-q-fs-prompt--frame-deleted))
      (unwind-protect
          (agent-q-fs-prompt--close request)
        (when entry
          (run-hooks 'agent-q-fs-prompt-changed-hook)
          (condition-case problem
              (funcall (cdr entry) decision)
            ((error quit) (message "agent-q-fs: error after a decision: %S" problem))))))))

(defun agent-q-fs-prompt--expire (request)
  "Deny REQUEST, about which nobody has decided in time."
  (agent-q-fs-prompt-decide request :decision 'denied :unanswered t
                            :reason "nobody answered in time")
  (agent-q-fs-prompt--wake))

(defun agent-q-fs-prompt-reexamine ()
  "Decide about requests that wait which the rules or the policy settle by now.
A request that a person has changed, or seen anew, is only denied so: else
it waits for that person."
  (dolist (request (unless (agent-q-fs-approve-unattended-p) (agent-q-fs-prompt-waiting)))
    (let* ((shown (agent-q-fs-prompt-shown request))
           (decision (agent-q-fs-approve--settled shown)))
      (when (and decision
                 (or (eq shown request) (eq 'denied (plist-get decision :decision))))
        (apply #'agent-q-fs-prompt-decide request decision)
        (agent-q-fs-prompt--wake)))))

(add-hook 'agent-q-fs-rules-changed-hook #'agent-q-fs-prompt-reexamine)

(defun agent-q-fs-prompt--frames (&optional without)
  "Return the frames that a person may look at, but not WITHOUT."
  (seq-remove (lambda (frame)
                (or (eq frame without)
                    (frame-parameter frame 'parent-frame)
                    (equal "initial_terminal" (terminal-name frame))))
              (frame-list)))

(defun agent-q-fs-prompt--frame-deleted (frame)
  "Deny the requests that need FRAME, which is being deleted.
That is the question on it; and all that wait, if it is the last one."
  (let ((last (null (agent-q-fs-prompt--frames frame))))
    (dolist (request (agent-q-fs-prompt-waiting))
      (when (or last (eq frame (agent-q-fs-prompt-get request :frame)))
        (agent-q-fs-prompt-put request :windows nil)
        (agent-q-fs-prompt-decide request :decision 'denied :unanswered t
                                  :reason "the frame was closed")
        (agent-q-fs-prompt--wake)))))

(defun agent-q-fs-prompt-withdraw (caller)
  "Withdraw the requests of CALLER, which is gone."
  (dolist (request (agent-q-fs-prompt-waiting))
    (when (eq caller (agent-q-fs-request-caller request))
      (agent-q-fs-prompt--withdraw request))))

(add-hook 'agent-q-fs-caller-gone-functions #'agent-q-fs-prompt-withdraw)

(defun agent-q-fs-prompt--withdraw (request)
  "Withdraw REQUEST, whose caller is gone.
If the person has begun to type in a minibuffer since it was asked about,
they finish first."
  (let ((depth (agent-q-fs-prompt-get request :depth)))
    (cond
     ((agent-q-fs-request-decision request))
     ((and depth (> (minibuffer-depth) depth))
      (run-with-timer 0.2 nil #'agent-q-fs-prompt--withdraw request))
     (t
      (agent-q-fs-prompt-decide request :decision 'denied :code :cancelled
                                :reason "who called it waits no more")
      (when depth
        (message "Nobody waits for %s any more" (agent-q-fs-request-tool request)))
      (agent-q-fs-prompt--wake)))))


;;;; A program that waits inside Emacs

(defvar agent-q-fs-prompt-map
  (let ((map (make-sparse-keymap)))
    (define-key map "y" #'agent-q-fs-prompt-approve)
    (define-key map "n" #'agent-q-fs-prompt--deny)
    (define-key map "e" #'agent-q-fs-prompt--edit)
    (define-key map "h" #'agent-q-fs-prompt-hunks)
    (define-key map "s" #'agent-q-fs-prompt--save) ; where unsaved text is in the way
    (define-key map "!" #'agent-q-fs-prompt--choose-always)
    (define-key map "q" #'agent-q-fs-prompt-quit)
    (define-key map "\C-g" #'agent-q-fs-prompt--interrupt)
    (define-key map "?" #'agent-q-fs-prompt--help)
    (dolist (key '(" " "\C-v" [next]))
      (define-key map key #'agent-q-fs-prompt--scroll))
    (dolist (key '("\C-?" [backspace] [?\M-v] [prior]))
      (define-key map key #'agent-q-fs-prompt--scroll-back))
    map)
  "Keys that decide about a request for which a program waits inside Emacs.
Each is bound to a function that is called with the request.")

(defvar agent-q-fs-prompt-hunk-map
  (let ((map (make-sparse-keymap)))
    (set-keymap-parent map agent-q-fs-prompt-map)
    (define-key map "y" #'agent-q-fs-prompt-take-hunk)
    (define-key map "n" #'agent-q-fs-prompt-leave-hunk)
    (define-key map "b" #'agent-q-fs-prompt-hunk-before)
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
    (define-key map "\C-g" #'agent-q-fs-prompt--interrupt)
    (define-key map [t] #'agent-q-fs-prompt--back)
    map)
  "Keys that decide about a request and others like it.")

(defconst agent-q-fs-prompt--harmless
  '(agent-q-fs-prompt--interrupt agent-q-fs-prompt--help agent-q-fs-prompt--back
    agent-q-fs-prompt--scroll agent-q-fs-prompt--scroll-back agent-q-fs-prompt-hunk-before ignore)
  "Functions whose keys need no pause before them.")

(defvar agent-q-fs-prompt--depth 0
  "How many functions on the stack read keys for requests.")

(defvar agent-q-fs-prompt--edit-depth 0
  "How deep the recursive edit is that a function here has begun.")

(defvar agent-q-fs-prompt--reading nil
  "The innermost wait for input: nil, (key REQUEST) or (edit REQUEST).")

(defvar agent-q-fs-prompt--key-time 0
  "When a key was typed last, as far as questions have seen it.")

(defconst agent-q-fs-prompt--readers
  '(read-event read-char read-char-exclusive read-key read-key-sequence
    read-key-sequence-vector read-from-minibuffer read-char-choice read-quoted-char
    read-multiple-choice map-y-or-n-p perform-replace y-or-n-p yes-or-no-p execute-kbd-macro)
  "Functions that read keys.")

(defun agent-q-fs-prompt--reader ()
  "Return the function on the stack whose keys we would take, or nil.
A function below a recursive edit reads no keys.  `sit-for' only looks
whether there is one, and `agent-q-fs-prompt--read-key' is ours."
  (let (readers)
    (catch 'done
      (mapbacktrace
       (lambda (_evald function _arguments _flags)
         (cond
          ((eq function 'recursive-edit) (throw 'done nil))
          ((eq function 'agent-q-fs-prompt--read-key) (setq readers nil) (throw 'done nil))
          ((eq function 'sit-for) (pop readers))
          ((memq function agent-q-fs-prompt--readers) (push function readers))))))
    (car readers)))

(defun agent-q-fs-prompt--half-key-p ()
  "Return non-nil if the person has typed a prefix, such as \\`C-x', and goes on."
  (let ((keys (this-command-keys-vector)))
    (and (null this-command)
         (< 0 (length keys))
         (keymapp (key-binding keys)))))

(defun agent-q-fs-prompt--obstacle ()
  "Return why no question can be asked now, in words, or nil."
  (cond
   (executing-kbd-macro "a keyboard macro is running")
   ((active-minibuffer-window) "the user is typing in the minibuffer")
   ((agent-q-fs-prompt--reader) "a command is reading the user's keys")
   ((agent-q-fs-prompt--half-key-p) "the user has typed the first half of a key")))

(defun agent-q-fs-prompt--calm-p ()
  "Return non-nil if the person has not typed for a while, and searches nothing."
  (let ((idle (current-idle-time)))
    (and (not overriding-terminal-local-map)
         (not (active-minibuffer-window))
         (or this-command               ; a command waits, so nobody types
             (and idle (<= (min 1 (default-value 'agent-q-fs-prompt-delay)) (float-time idle)))))))

(defun agent-q-fs-prompt-wait (request)
  "Ask the person until REQUEST, if it is in the queue, is decided.
A quit or a throw through this denies it."
  (when (assq request agent-q-fs-prompt--queue)
    (agent-q-fs-prompt-put request :modal t)
    (unwind-protect
        (let ((agent-q-fs-prompt--depth (1+ agent-q-fs-prompt--depth))
              (obstacle (agent-q-fs-prompt--obstacle))
              (inhibit-quit nil))
          (when obstacle
            (agent-q-fs-prompt-decide
             request :decision 'denied :code :approval-required
             :reason (concat obstacle ", and cannot be asked while this call waits; \
make it again later")))
          (while (not (agent-q-fs-request-decision request))
            (agent-q-fs-prompt--step (agent-q-fs-prompt--turn request))))
      (agent-q-fs-prompt-decide request :decision 'denied)
      (if (= 0 agent-q-fs-prompt--depth) ; nobody reads keys who could be woken
          (setq unread-command-events (delq 'agent-q-fs-wake unread-command-events))
        (agent-q-fs-prompt--wake)))))

(defun agent-q-fs-prompt--turn (request)
  "Return the request whose turn it is, REQUEST or one that a program asked before."
  (or (seq-find (lambda (other)
                  (or (eq other request)
                      (and (agent-q-fs-prompt-get other :modal)
                           ;; While a reason is typed in the minibuffer, only the reader
                           ;; of the minibuffer can go on.
                           (not (eq 'reason (agent-q-fs-prompt-get other :mode))))))
                (agent-q-fs-prompt-waiting))
      request))

(defun agent-q-fs-prompt--step (request)
  "Do the next thing that leads to a decision about REQUEST."
  (condition-case nil
      (cond
       ((null (agent-q-fs-prompt--frames)) ; the last one was closed meanwhile
        (agent-q-fs-prompt-decide request :decision 'denied :reason "there is nobody to ask"))
       ((and (null (agent-q-fs-prompt-get request :frame))
             (null agent-q-fs-prompt--reading) ; else they are answering another question
             (not (agent-q-fs-prompt--calm-p)))
        (agent-q-fs-prompt--let-type request))
       (t
        (agent-q-fs-prompt--open request)
        (cond
         ((agent-q-fs-request-decision request)) ; by who came in meanwhile
         ((eq 'edit (agent-q-fs-prompt-get request :mode))
          (agent-q-fs-prompt--go-on-editing request))
         (t (agent-q-fs-prompt--obey request (agent-q-fs-prompt--read-key request))))))
    (quit (agent-q-fs-prompt-quit request))))

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

(defun agent-q-fs-prompt--let-type (request)
  "Let the person go on typing before they are asked about REQUEST."
  (let* ((depth (1+ (recursion-depth)))
         (waits agent-q-fs-prompt--depth)
         (timer (run-with-timer
                 0.1 0.1 (lambda ()
                           ;; A throw through the wait for a later request would deny that.
                           (when (and (= depth (recursion-depth))
                                      (= waits agent-q-fs-prompt--depth)
                                      (or (agent-q-fs-request-decision request)
                                          (and (null this-command)
                                               (not (agent-q-fs-prompt--half-key-p))
                                               (agent-q-fs-prompt--calm-p))))
                             (throw 'exit nil))))))
    (unwind-protect
        (with-current-buffer (window-buffer)
          (recursive-edit))
      (cancel-timer timer))))

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

(defun agent-q-fs-prompt--open (request)
  "Show REQUEST, unless it is shown already."
  (unless (buffer-live-p (agent-q-fs-prompt-get request :buffer))
    (let ((frame (if (memq (selected-frame) (agent-q-fs-prompt--frames))
                     (selected-frame)
                   (car (agent-q-fs-prompt--frames)))))
      (unless (agent-q-fs-prompt-get request :frame)
        (agent-q-fs-prompt-put request :frame frame
                               :mode 'main :depth (minibuffer-depth)
                               :windows (current-window-configuration frame)))
      ;; Another function that waits may read the keys while this is drawn.
      (agent-q-fs-prompt-put request
                             :buffer (agent-q-fs-show-buffer (agent-q-fs-prompt-shown request))
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
                        (window-height . agent-q-fs-prompt--fit)
                        (inhibit-same-window . t))))
    (raise-frame frame)))

(defun agent-q-fs-prompt--fit (window)
  "Make WINDOW as high as its text, where that leaves room for others."
  (fit-window-to-buffer window (- (frame-height (window-frame window)) 8) 12))

(defun agent-q-fs-prompt--window (request)
  "Return the window that shows REQUEST, showing it again if need be."
  (or (get-buffer-window (agent-q-fs-prompt-get request :buffer) t)
      (progn (agent-q-fs-prompt--display request)
             (get-buffer-window (agent-q-fs-prompt-get request :buffer) t))))

(defun agent-q-fs-prompt--close (request)
  "Close the buffers and windows of REQUEST."
  (let ((buffer (agent-q-fs-prompt-get request :buffer))
        (windows (agent-q-fs-prompt-get request :windows)))
    (when (agent-q-fs-prompt-get request :modal)
      (agent-q-fs-edit-abandon (agent-q-fs-prompt-get request :edit)))
    (when (buffer-live-p buffer)
      (kill-buffer buffer))
    (when (and windows (frame-live-p (window-configuration-frame windows)))
      (set-window-configuration windows))
    (agent-q-fs-prompt-put request :buffer nil :windows nil :mode nil :edit nil)
    (when windows (message nil))))

(defun agent-q-fs-prompt--quiet-p (request)
  "Return non-nil if there was a pause before the key that is typed now.
REQUEST was visible throughout.  Call this once for each key."
  (let ((since (max agent-q-fs-prompt--key-time (agent-q-fs-prompt-get request :visible))))
    (setq agent-q-fs-prompt--key-time (float-time))
    (and (<= (default-value 'agent-q-fs-prompt-delay) (- agent-q-fs-prompt--key-time since))
         (agent-q-fs-prompt-get request :ready)
         (not (agent-q-fs-prompt-get request :early))
         (not (input-pending-p)))))

(defun agent-q-fs-prompt--decides-p (request function)
  "Return non-nil if FUNCTION may decide about REQUEST, or lead to a decision.
Hunks before the last one are only taken or left for now."
  (not (or (memq function agent-q-fs-prompt--harmless)
           (and (memq function '(agent-q-fs-prompt-take-hunk agent-q-fs-prompt-leave-hunk))
                (< (1+ (agent-q-fs-prompt-get request :hunk))
                   (length (agent-q-fs-prompt-get request :hunks)))))))

(defun agent-q-fs-prompt--read-key (request)
  "Return the next key that is typed for REQUEST."
  ;; Nobody knows when a key was typed that is there already.
  (agent-q-fs-prompt-put request :early (input-pending-p))
  (agent-q-fs-show-hunk (agent-q-fs-prompt-get request :buffer)
                        (and (eq 'hunks (agent-q-fs-prompt-get request :mode))
                             (agent-q-fs-prompt-get request :hunk)))
  (let* ((agent-q-fs-prompt--reading (list 'key request))
         (cursor-in-echo-area t)
         (delay (default-value 'agent-q-fs-prompt-delay))
         (timer (and (< 0 delay) (run-with-timer delay delay #'agent-q-fs-prompt--look request))))
    (agent-q-fs-prompt-put request :ready (null timer))
    (agent-q-fs-prompt--window request)
    (redisplay)        ; a mode that paints the text may send messages, which wipe a question
    (unwind-protect
        (read-key (agent-q-fs-prompt--question request))
      (when timer (cancel-timer timer)))))

(defun agent-q-fs-prompt--look (request)
  "Have keys decide about REQUEST if its question has them, and none is there.
One that is there was typed while Emacs was busy: nobody knows when."
  (when (and (equal agent-q-fs-prompt--reading (list 'key request))
             (not (input-pending-p)))
    (agent-q-fs-prompt-put request :ready t)))

(defun agent-q-fs-prompt--obey (request key)
  "Do what KEY means for REQUEST, if it is not decided."
  (agent-q-fs-prompt-put request :help nil :say nil)
  (let ((function (lookup-key (pcase (agent-q-fs-prompt-get request :mode)
                                ('hunks agent-q-fs-prompt-hunk-map)
                                ('always agent-q-fs-prompt-always-map)
                                (_ agent-q-fs-prompt-map))
                              (vector key) t)))
    (cond
     ((agent-q-fs-request-decision request))
     ((eq key 'agent-q-fs-wake))
     ((not (functionp function))
      (setq agent-q-fs-prompt--key-time (float-time))
      (agent-q-fs-prompt-put request :say "That key means nothing here"))
     ((or (agent-q-fs-prompt--quiet-p request)
          (not (agent-q-fs-prompt--decides-p request function)))
      (funcall function request))
     (t (agent-q-fs-prompt-put
         request :say "That was quick; type it again after a moment")))))

(defconst agent-q-fs-prompt--keys "\
y    do it                        SPC, DEL  scroll
n    do not; you may say why      h         go through the hunks, taking some
e    change it, and look again    !         decide for all that is like it
q    do not (C-g, too)            s         save your text that is in its way
"
  "The help about the keys.")

(defun agent-q-fs-prompt--question (request)
  "Return the words that ask about REQUEST."
  (let ((say (agent-q-fs-prompt-get request :say))
        (waiting (1- (length agent-q-fs-prompt--queue)))
        (shown (agent-q-fs-prompt-shown request)))
    (concat
     (when say (concat say ".  "))
     (when (agent-q-fs-prompt-get request :help) agent-q-fs-prompt--keys)
     (pcase (agent-q-fs-prompt-get request :mode)
       ('hunks (format "Hunk %d of %d: take it? (y n, b goes back, ! takes the rest, q denies all) "
                       (1+ (agent-q-fs-prompt-get request :hunk))
                       (length (agent-q-fs-prompt-get request :hunks))))
       ('always (format "Always do %s: %s; other keys go back "
                        (agent-q-fs-request-tool request)
                        (agent-q-fs-prompt-always-words request)))
       (_ (concat
           (propertize (concat (if (eq 'danger (agent-q-fs-show-stake shown)) "DANGEROUS: " "")
                               (agent-q-fs-show-sentence shown)
                               (if (eq shown request) "" ", as you changed it") "?")
                       'face (agent-q-fs-show-face shown))
           " (y n e h ! q, SPC scrolls, ? helps) "
           (if (> waiting 0) (format "[%d more waiting] " waiting) ""))))
     (when (agent-q-fs-show-more-p (agent-q-fs-prompt--window request))
       "[more below] "))))

(defalias 'agent-q-fs-prompt--interrupt #'agent-q-fs-prompt-quit
  "Deny a request, at any time.")

(defun agent-q-fs-prompt--deny (request)
  "Deny REQUEST, giving a reason."
  (agent-q-fs-prompt-put request :mode 'reason)
  (let ((agent-q-fs-prompt--reading nil))
    (agent-q-fs-prompt-refuse
     request (condition-case nil
                 (agent-q-fs-prompt-with-keys
                   (read-string "Why not? (the model is told; RET alone gives no reason) "))
               (quit "")))))

(defun agent-q-fs-prompt--help (request)
  "Show help about the keys for REQUEST."
  (agent-q-fs-prompt-put request :help t))

(defun agent-q-fs-prompt--scroll (request)
  "Show more of REQUEST."
  (with-selected-window (agent-q-fs-prompt--window request)
    (condition-case nil (scroll-up) (end-of-buffer nil))))

(defun agent-q-fs-prompt--scroll-back (request)
  "Scroll back in the buffer of REQUEST."
  (with-selected-window (agent-q-fs-prompt--window request)
    (condition-case nil (scroll-down) (beginning-of-buffer nil))))

(defun agent-q-fs-prompt--choose-always (request)
  "Decide about REQUEST and others like it."
  (agent-q-fs-prompt-put request :mode 'always))

(defun agent-q-fs-prompt--back (request)
  "Ask about REQUEST alone again."
  (agent-q-fs-prompt-put request :mode 'main))

(defun agent-q-fs-prompt--edit (request)
  "Let the person change the arguments of REQUEST, and show what that would do."
  (let ((buffer (agent-q-fs-edit-start
                 (agent-q-fs-prompt-shown request)
                 (lambda (made)
                   (when made
                     (agent-q-fs-prompt-put request :instead made :edited t))
                   (agent-q-fs-prompt-put request :mode 'main :edit nil)
                   (agent-q-fs-prompt--wake))))
        (window (agent-q-fs-prompt--window request)))
    (agent-q-fs-prompt-put request :mode 'edit :edit buffer)
    (select-frame-set-input-focus (window-frame window))
    (select-window window)
    (switch-to-buffer buffer t t)))

(defun agent-q-fs-prompt--go-on-editing (request)
  "Let the person edit until REQUEST is decided or the editing is over."
  (condition-case nil
      (let ((agent-q-fs-prompt--reading (list 'edit request))
            (agent-q-fs-prompt--edit-depth (1+ (recursion-depth))))
        (agent-q-fs-prompt-with-keys
          (with-current-buffer (window-buffer)
            (recursive-edit))))
    (quit (agent-q-fs-prompt-put request :mode 'main)))
  (when (and (not (agent-q-fs-request-decision request))
             (not (eq 'edit (agent-q-fs-prompt-get request :mode))))
    (agent-q-fs-edit-abandon (agent-q-fs-prompt-get request :edit))
    (agent-q-fs-prompt--show-anew request)))

(defun agent-q-fs-prompt--show-anew (request)
  "Have REQUEST be shown anew, because it may be another one that is shown."
  (when (buffer-live-p (agent-q-fs-prompt-get request :buffer))
    (kill-buffer (agent-q-fs-prompt-get request :buffer)))
  (agent-q-fs-prompt-put request :edit nil :buffer nil))

(defun agent-q-fs-prompt--save (request)
  "Save the unsaved text that is in the way of REQUEST, and show it anew."
  (agent-q-fs-prompt-save request)
  (agent-q-fs-prompt--show-anew request))

(provide 'agent-q-fs-prompt)
;; After `provide', because it needs the queue: it tells the person what waits.
(require 'agent-q-fs-requests)
;;; agent-q-fs-prompt.el ends here
