;;; agent-q-fs-log.el --- What models do and may do, in sight  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; M-x agent-q-fs-log lists the latest calls of tools, and goes on listing them.
;; RET shows all that is known of one, with its arguments, its answer and what it
;; changed; j visits a file that it was about; R reviews what it changed, and u takes
;; that back; t, r and o show only one tool, tier or outcome, and a shows all again.
;;
;; The list itself has only what events carry (agent-q-fs-audit.el).  Arguments and
;; answers are remembered in memory, and changes are those that the core has kept.
;;
;; `agent-q-fs-mode-line-mode' shows the calls that run.
;;
;; M-x agent-q-fs-policy switches the policy, which the mode line shows wherever models
;; have called tools.

;;; Code:

(require 'agent-q-fs)
(require 'agent-q-fs-approve)
(require 'agent-q-fs-audit)
(require 'agent-q-fs-show)
(require 'seq)
(require 'tabulated-list)

(autoload 'agent-q-fs-show-keys "agent-q-fs-answer" nil t)

(defconst agent-q-fs-log--buffer "*agent-q-fs log*"
  "The name of the buffer that lists calls.")

(defvar agent-q-fs-log--timer nil
  "The timer that will update the list.")

(defvar-local agent-q-fs-log--filter nil
  "Which calls are listed: a property list of :tool, :tier and :outcome.")

(defvar agent-q-fs-log-mode-map
  (let ((map (make-sparse-keymap)))
    (set-keymap-parent map tabulated-list-mode-map)
    (define-key map "\C-m" #'agent-q-fs-log-describe)
    (define-key map "j" #'agent-q-fs-log-visit)
    (define-key map "R" #'agent-q-fs-log-review)
    (define-key map "u" #'agent-q-fs-log-undo)
    (define-key map "t" #'agent-q-fs-log-filter-tool)
    (define-key map "r" #'agent-q-fs-log-filter-tier)
    (define-key map "o" #'agent-q-fs-log-filter-outcome)
    (define-key map "a" #'agent-q-fs-log-show-all)
    (define-key map "?" #'agent-q-fs-show-keys)
    map)
  "Keys in the list of calls.")

(define-derived-mode agent-q-fs-log-mode tabulated-list-mode "Calls"
  "The latest calls of tools.
ms is how long a call took, without the time for which it waited for you;
that stands under You, in seconds.
\\<agent-q-fs-log-mode-map>
\\[agent-q-fs-log-describe]	all that is known of the call
\\[agent-q-fs-log-visit]	visit a file that it was about
\\[agent-q-fs-log-review]	review what it changed
\\[agent-q-fs-log-undo]	take that back
\\[agent-q-fs-log-filter-tool]	show only the calls of a tool
\\[agent-q-fs-log-filter-tier]	show only those of a tier
\\[agent-q-fs-log-filter-outcome]	show only those with an outcome
\\[agent-q-fs-log-show-all]	show all again
\\[quit-window]	leave the list"
  (setq tabulated-list-format [("Time" 8 t) ("Tool" 18 t) ("Tier" 9 t) ("Outcome" 17 t)
                               ("ms" 7 agent-q-fs-log--faster-p :right-align t)
                               ("You s" 6 agent-q-fs-log--sooner-p :right-align t)
                               ("Bytes" 7 agent-q-fs-log--smaller-p :right-align t)
                               ("Paths" 0 nil)]
        tabulated-list-padding 1
        tabulated-list-sort-key nil
        tabulated-list-entries #'agent-q-fs-log--entries)
  (setq-local bidi-display-reordering nil)
  (tabulated-list-init-header)
  (add-hook 'kill-buffer-hook #'agent-q-fs-log--stop nil t))

(defun agent-q-fs-log--faster-p (a b)
  "Return non-nil if the call of row A took less time than that of B."
  (< (or (agent-q-fs-audit-worked (car a)) 0) (or (agent-q-fs-audit-worked (car b)) 0)))

(defun agent-q-fs-log--sooner-p (a b)
  "Return non-nil if the call of row A waited less for a person than that of B."
  (< (or (plist-get (car a) :waited) 0) (or (plist-get (car b) :waited) 0)))

(defun agent-q-fs-log--smaller-p (a b)
  "Return non-nil if the call of row A answered less than that of B."
  (< (or (plist-get (car a) :bytes) 0) (or (plist-get (car b) :bytes) 0)))


;;;; Rows

(defun agent-q-fs-log-outcome (event)
  "Return the outcome of the call of EVENT, a word."
  (cond ((agent-q-fs-audit-asking-p event) "waits for you")
        ((eq 'start (plist-get event :event)) "running")
        ((plist-get event :error) (symbol-name (plist-get event :error)))
        ((memq (plist-get event :decision) '(approved edited hunks remembered))
         (symbol-name (plist-get event :decision)))
        (t "done")))

(defun agent-q-fs-log--face (outcome)
  "Return the face of the word OUTCOME."
  (cond ((member outcome '("running" "waits for you")) 'warning)
        ((member outcome '("done" "approved" "edited" "hunks" "remembered")) 'success)
        (t 'error)))

(defun agent-q-fs-log--shown-p (event)
  "Return non-nil if the call of EVENT is to be listed."
  (let ((tool (plist-get agent-q-fs-log--filter :tool))
        (tier (plist-get agent-q-fs-log--filter :tier))
        (outcome (plist-get agent-q-fs-log--filter :outcome)))
    (and (or (null tool) (equal tool (plist-get event :tool)))
         (or (null tier) (equal tier (format "%s" (plist-get event :tier))))
         (or (null outcome) (equal outcome (agent-q-fs-log-outcome event))))))

(defun agent-q-fs-log--row (event)
  "Return the row for EVENT."
  (let ((outcome (agent-q-fs-log-outcome event))
        (took (plist-get event :microseconds))
        (waited (plist-get event :waited)))
    (list event
          (vector (format-time-string "%T" (- (plist-get event :time) (/ (or took 0) 1e6)))
                  (agent-q-fs-show-visible (plist-get event :tool) t)
                  (format "%s" (or (plist-get event :tier) "?"))
                  (propertize outcome 'font-lock-face (agent-q-fs-log--face outcome))
                  (if took (format "%.1f" (/ (agent-q-fs-audit-worked event) 1000.0)) "")
                  (if waited (format "%.1f" (/ waited 1e6)) "")
                  (if took (number-to-string (plist-get event :bytes)) "")
                  (agent-q-fs-show-visible (agent-q-fs-log--what event) t)))))

(defun agent-q-fs-log--what (event)
  "Return the paths of EVENT, or its command and where that ran."
  (let ((paths (string-join (plist-get event :paths) " "))
        (command (plist-get event :command)))
    (cond ((null command) paths)
          ((member paths '("." "")) command)
          (t (format "%s  (in %s)" command paths)))))

(defun agent-q-fs-log--entries ()
  "Return the rows of the list."
  (mapcar #'agent-q-fs-log--row
          (seq-filter #'agent-q-fs-log--shown-p (agent-q-fs-audit-calls))))


;;;; Staying up to date

(defun agent-q-fs-log--event (&optional _event)
  "See to it that the list is brought up to date soon."
  (unless agent-q-fs-log--timer
    (setq agent-q-fs-log--timer (run-with-timer 0.2 nil #'agent-q-fs-log--update))))

(defun agent-q-fs-log--update ()
  "Bring the list up to date, staying where point is."
  (setq agent-q-fs-log--timer nil)
  (let ((buffer (get-buffer agent-q-fs-log--buffer)))
    (when buffer
      (with-current-buffer buffer
        (let* ((id (plist-get (tabulated-list-get-id) :id))
               (column (current-column))
               (windows (mapcar (lambda (window)
                                  (cons window (= (window-point window) (point-min))))
                                (get-buffer-window-list buffer nil t)))
               place)
          (tabulated-list-print)
          (goto-char (point-min))
          (while (and id (not (eobp)) (not place))
            (if (equal id (plist-get (tabulated-list-get-id) :id))
                (setq place (progn (move-to-column column) (point)))
              (forward-line)))
          (goto-char (or place (point-min)))
          (pcase-dolist (`(,window . ,top) windows)
            (set-window-point window (if top (point-min) (point)))))))))

(defun agent-q-fs-log--stop ()
  "No longer bring the list up to date."
  (remove-hook 'agent-q-fs-event-functions #'agent-q-fs-log--event)
  (remove-hook 'agent-q-fs-prompt-changed-hook #'agent-q-fs-log--event)
  (when agent-q-fs-log--timer
    (cancel-timer agent-q-fs-log--timer)
    (setq agent-q-fs-log--timer nil)))


;;;; Commands

(defun agent-q-fs-log--call ()
  "Return the event of the call at point."
  (or (tabulated-list-get-id) (user-error "There is no call here")))

(declare-function agent-q-fs-kept--ask "agent-q-fs-undo" (workspace operation &rest arguments))
(declare-function agent-q-fs-kept--calls "agent-q-fs-undo" (workspace))
(declare-function agent-q-fs-review "agent-q-fs-review" (&optional scope))
(declare-function agent-q-fs-undo-call "agent-q-fs-undo" (workspace call))

(defun agent-q-fs-log--workspace (event)
  "Return the workspace of the call of EVENT, if it is known here."
  (let* ((root (plist-get event :root))
         (default-directory (or root default-directory))
         (found (or (agent-q-fs-found-workspace) agent-q-fs-workspace)))
    (and root found (equal root (agent-q-fs-workspace-root found)) found)))

(defun agent-q-fs-log--kept (event)
  "Return what is kept of the change that the call of EVENT has made, or nil."
  (require 'agent-q-fs-undo)
  (let ((workspace (agent-q-fs-log--workspace event)))
    (and workspace
         (seq-find (lambda (call) (equal (plist-get event :id) (plist-get call :call)))
                   (agent-q-fs-kept--calls workspace)))))

(defun agent-q-fs-log--change (event)
  "Return what is left of the change that the call of EVENT made, or nil."
  (let ((kept (and (not (eq 'safe (plist-get event :tier)))
                   (agent-q-fs-log--kept event))))
    (and kept
         (plist-get (agent-q-fs-kept--ask (agent-q-fs-log--workspace event) 'changes_diff
                                          :calls (list (plist-get kept :id)))
                    :text))))

(defun agent-q-fs-log--insert-details (event)
  "Print the arguments, the answer and the change of the call of EVENT."
  (let* ((details (agent-q-fs-audit-details (plist-get event :id)))
         (change (agent-q-fs-log--change event))
         (section (lambda (title text)
                    (princ (format "\n%s\n%s\n" title (agent-q-fs-show-visible text))))))
    (pcase-dolist (`(,name . ,value) (car details))
      (funcall section (concat "Argument " (string-remove-prefix ":" name)) value))
    (when details
      (funcall section "Answer" (cadr details)))
    (when change
      (funcall section "What it changed, as far as that is still there" change))))

(defun agent-q-fs-log--changing-call ()
  "Return what is kept of the call at point, which has changed something."
  (or (agent-q-fs-log--kept (agent-q-fs-log--call))
      (user-error "No change of that call is kept (any more)")))

(defun agent-q-fs-log-review ()
  "Review what the call at point has changed."
  (interactive nil agent-q-fs-log-mode)
  (let ((call (agent-q-fs-log--changing-call))
        (default-directory (plist-get (agent-q-fs-log--call) :root)))
    (agent-q-fs-review (list "one call" (plist-get call :id)))))

(defun agent-q-fs-log-undo ()
  "Take back what the call at point has changed, after showing what that does."
  (interactive nil agent-q-fs-log-mode)
  (agent-q-fs-undo-call (agent-q-fs-log--workspace (agent-q-fs-log--call))
                        (agent-q-fs-log--changing-call)))

(defun agent-q-fs-log-describe ()
  "Show all that is known of the call at point, and what it changed."
  (interactive nil agent-q-fs-log-mode)
  (let* ((event (agent-q-fs-log--call)) (all event))
    (with-help-window "*agent-q-fs call*"
      (while event
        (let ((key (pop event)) (value (pop event)))
          (princ (format "%-14s %s\n" (substring (symbol-name key) 1)
                         (pcase key
                           (:time (format-time-string "%F %T.%3N" value))
                           (:paths (mapconcat (lambda (path) (agent-q-fs-show-visible path t))
                                              value "\n               "))
                           (_ (if (stringp value)
                                  (agent-q-fs-show-visible value t)
                                (format "%s" (or value "-")))))))))
      (agent-q-fs-log--insert-details all))))

(defun agent-q-fs-log-visit ()
  "Visit the file, or one of the files, that the call at point was about."
  (interactive nil agent-q-fs-log-mode)
  (let* ((event (agent-q-fs-log--call))
         (paths (or (plist-get event :paths) (user-error "That call was about no file")))
         (path (if (cdr paths) (completing-read "File: " paths nil t) (car paths)))
         (root (or (plist-get event :root) (user-error "It is not known where that was")))
         (file (if (string-prefix-p "/" path) path
                 (concat root path))))
    (unless (let ((file-name-handler-alist nil)) (file-exists-p file))
      (user-error "It is not there any more: %s" path))
    ;; The name is the model's: no handler is to see it, no file variable to act.
    (let ((enable-local-variables nil) (enable-dir-local-variables nil))
      (find-file-other-window (if (find-file-name-handler file 'insert-file-contents)
                                  (file-name-quote file)
                                file)))))

(defun agent-q-fs-log--choose (key prompt words)
  "List only the calls whose KEY is a word of WORDS that PROMPT asks for."
  (let ((word (completing-read prompt (delete-dups words) nil t)))
    (setq agent-q-fs-log--filter
          (plist-put agent-q-fs-log--filter key (unless (equal word "") word)))
    (tabulated-list-print)))

(defun agent-q-fs-log-filter-tool ()
  "List only the calls of one tool."
  (interactive nil agent-q-fs-log-mode)
  (agent-q-fs-log--choose :tool "Only the tool (empty for all): "
                          (mapcar (lambda (event) (plist-get event :tool))
                                  (agent-q-fs-audit-calls))))

(defun agent-q-fs-log-filter-tier ()
  "List only the calls of one tier."
  (interactive nil agent-q-fs-log-mode)
  (agent-q-fs-log--choose :tier "Only the tier (empty for all): "
                          (list "safe" "cautious" "dangerous")))

(defun agent-q-fs-log-filter-outcome ()
  "List only the calls with one outcome."
  (interactive nil agent-q-fs-log-mode)
  (agent-q-fs-log--choose :outcome "Only the outcome (empty for all): "
                          (mapcar #'agent-q-fs-log-outcome (agent-q-fs-audit-calls))))

(defun agent-q-fs-log-show-all ()
  "List all calls again."
  (interactive nil agent-q-fs-log-mode)
  (setq agent-q-fs-log--filter nil)
  (tabulated-list-print))

;;;###autoload
(defun agent-q-fs-log ()
  "List the latest calls of tools, and those to come."
  (interactive)
  (let ((buffer (get-buffer-create agent-q-fs-log--buffer)))
    (with-current-buffer buffer
      (unless (derived-mode-p 'agent-q-fs-log-mode)
        (agent-q-fs-log-mode))
      (tabulated-list-print))
    (add-hook 'agent-q-fs-event-functions #'agent-q-fs-log--event)
    (add-hook 'agent-q-fs-prompt-changed-hook #'agent-q-fs-log--event)
    (pop-to-buffer buffer)))


;;;; The mode line

;; `agent-q-fs-mode-line-mode' shows in the mode line which tool runs, or waits
;; for a decision, once that has taken a moment.  To show that in another place,
;; put `agent-q-fs-mode-line' there.

(defgroup agent-q-fs-mode-line nil
  "Calls that run, in the mode line."
  :group 'agent-q-fs-ui)

(defcustom agent-q-fs-mode-line-delay 0.2
  "Seconds that a call must have taken to be shown."
  :type 'number)

(defface agent-q-fs-mode-line '((t :inherit warning))
  "Face for a call that runs, in the mode line.")

(defvar agent-q-fs-mode-line--calls nil
  "The start events of the calls that have not ended, the latest first.")

(defvar agent-q-fs-mode-line--timer nil
  "The timer that will show calls that have taken long enough.")

(defvar agent-q-fs-mode-line '(:eval (agent-q-fs-mode-line-text))
  "A mode line construct that shows a running call.")
(put 'agent-q-fs-mode-line 'risky-local-variable t)

(defun agent-q-fs-mode-line--old ()
  "Return the calls that have taken long enough to be shown."
  (let ((now (float-time)))
    (seq-filter (lambda (event)
                  (<= (default-value 'agent-q-fs-mode-line-delay) (- now (plist-get event :time))))
                agent-q-fs-mode-line--calls)))

(defun agent-q-fs-mode-line-text ()
  "Return the text in the mode line: the latest tool that runs, and how many do."
  (let ((calls (agent-q-fs-mode-line--old)))
    (if (null calls)
        ""
      (propertize (format " [%s%s]"
                          (replace-regexp-in-string "[^a-z0-9_]" "?"
                                                    (plist-get (car calls) :tool))
                          (if (cdr calls) (format " +%d" (length (cdr calls))) ""))
                  'face 'agent-q-fs-mode-line
                  'help-echo "Tools that run; M-x agent-q-fs-log lists them"))))

(defun agent-q-fs-mode-line--look ()
  "Show the calls that have become old enough."
  (setq agent-q-fs-mode-line--timer nil)
  (force-mode-line-update t))

(defun agent-q-fs-mode-line--event (event)
  "Take note of EVENT, a call's start or end."
  (if (eq 'start (plist-get event :event))
      (progn
        (push event agent-q-fs-mode-line--calls)
        (unless agent-q-fs-mode-line--timer
          (setq agent-q-fs-mode-line--timer
                (run-with-timer (+ 0.01 (default-value 'agent-q-fs-mode-line-delay)) nil
                                #'agent-q-fs-mode-line--look))))
    (let ((shown (agent-q-fs-mode-line--old)))
      (setq agent-q-fs-mode-line--calls
            (seq-remove (lambda (call) (equal (plist-get call :id) (plist-get event :id)))
                        agent-q-fs-mode-line--calls))
      (when shown (force-mode-line-update t)))))

;;;###autoload
(define-minor-mode agent-q-fs-mode-line-mode
  "Show in the mode line which tool runs."
  :global t
  (setq agent-q-fs-mode-line--calls nil)
  (when agent-q-fs-mode-line--timer
    (cancel-timer agent-q-fs-mode-line--timer)
    (setq agent-q-fs-mode-line--timer nil))
  (setq global-mode-string
        (delq 'agent-q-fs-mode-line (if (listp global-mode-string) global-mode-string
                                      (list global-mode-string))))
  (remove-hook 'agent-q-fs-event-functions #'agent-q-fs-mode-line--event)
  (when agent-q-fs-mode-line-mode
    (add-hook 'agent-q-fs-event-functions #'agent-q-fs-mode-line--event)
    (setq global-mode-string
          (append (or global-mode-string '("")) '(agent-q-fs-mode-line)))))

(agent-q-fs--refuse-files 'agent-q-fs-mode-line-mode)


;;;; The policy, switched and in sight

(defconst agent-q-fs-policies
  '((tiered . "asks before commands and changes, but not before edits of existing files")
    (edits . "asks before commands and changes, but not before edits and new plain files")
    (always . "asks before every change and command")
    (never . "ASKS NOTHING: changes and commands are simply done")
    (read-only . "refuses every change and command"))
  "The policies, each with what it means in a few words.")

(defun agent-q-fs-policy--read ()
  "Read a policy, each shown with what it means."
  (let ((table (mapcar (lambda (row) (symbol-name (car row))) agent-q-fs-policies))
        (words (lambda (name)
                 (concat "  " (alist-get (intern name) agent-q-fs-policies)))))
    (intern (completing-read
             (format-prompt "Policy for agents" (default-value 'agent-q-fs-policy))
             (lambda (string predicate action)
               (if (eq action 'metadata)
                   `(metadata (category . agent-q-fs-policy) (display-sort-function . identity)
                              (annotation-function . ,words))
                 (complete-with-action action table string predicate)))
             nil t nil nil (symbol-name (default-value 'agent-q-fs-policy))))))

;;;###autoload
(defun agent-q-fs-policy (policy &optional save)
  "Make POLICY, a value of `agent-q-fs-policy', the one for all calls of models.
With SAVE, the prefix argument, keep it for later sessions."
  (interactive (list (agent-q-fs-policy--read) current-prefix-arg))
  (unless (assq policy agent-q-fs-policies)
    (user-error "There is no policy %s: it is one of %s" policy
                (mapconcat (lambda (row) (symbol-name (car row))) agent-q-fs-policies ", ")))
  (funcall (if save #'customize-save-variable #'customize-set-variable)
           'agent-q-fs-policy policy)
  (message "The policy is `%s' now: it %s" policy
           (alist-get policy agent-q-fs-policies)))

(defvar agent-q-fs-policy--roots nil
  "The directories of the projects in which models have called tools.")

(defvar-local agent-q-fs-policy--here nil
  "The directory of this buffer, as (NAME . TRUENAME).")

;;;###autoload
(defun agent-q-fs-policy-watch (workspace)
  "Show the policy in mode lines of WORKSPACE, where a model calls tools."
  (let ((root (agent-q-fs-workspace-root workspace)))
    (unless (member root agent-q-fs-policy--roots)
      (push root agent-q-fs-policy--roots)
      (add-to-list 'mode-line-misc-info '(:eval (agent-q-fs-policy-lighter)))
      (force-mode-line-update t))))

(defvar agent-q-fs-policy-lighter-map
  (let ((map (make-sparse-keymap)))
    (define-key map [mode-line mouse-1] #'agent-q-fs-policy)
    map)
  "Keys on the policy in the mode line.")

(defun agent-q-fs-policy-lighter ()
  "Return the words of the mode line about the policy, or nil in other projects."
  (unless (equal default-directory (car agent-q-fs-policy--here))
    (setq agent-q-fs-policy--here
          (cons default-directory (if (file-remote-p default-directory) default-directory
                                    (file-truename default-directory)))))
  (when (and (equal default-directory (car agent-q-fs-policy--here))
             (seq-some (lambda (root) (string-prefix-p root (cdr agent-q-fs-policy--here)))
                       agent-q-fs-policy--roots))
    (let ((policy (default-value 'agent-q-fs-policy)))
      (propertize (format "[agents: %s] " policy)
                  'face (if (eq 'never policy) 'warning 'shadow)
                  'mouse-face 'mode-line-highlight
                  'local-map agent-q-fs-policy-lighter-map
                  'help-echo (format "The policy for agents here: %s %s\nmouse-1: choose another"
                                     policy (alist-get policy agent-q-fs-policies))))))

(provide 'agent-q-fs-log)
;;; agent-q-fs-log.el ends here
