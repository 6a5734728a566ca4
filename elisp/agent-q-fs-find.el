;;; agent-q-fs-find.el --- Find files by a glob, and look at one  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; `agent-q-fs-find' lists the files that match the text in the minibuffer, again
;; with each key: a glob, or a part of a path.  The search runs beside Emacs, and
;; one that is no longer wanted stops.
;;
;; `agent-q-fs-view' shows lines of one file without visiting it.

;;; Code:

(require 'agent-q-fs-ui)

(defcustom agent-q-fs-find-limit 500
  "The most files that are listed while a glob is typed."
  :type 'natnum
  :group 'agent-q-fs-ui)

(defcustom agent-q-fs-find-delay 0.1
  "Seconds without a key before a search starts."
  :type 'number
  :group 'agent-q-fs-ui)

(defface agent-q-fs-find-chosen '((t :inherit highlight :extend t))
  "Face for the file that RET visits."
  :group 'agent-q-fs-ui)

(defvar agent-q-fs-find--history nil
  "Globs that were typed.")

(defvar agent-q-fs-find--buffer nil
  "The buffer that lists files while the minibuffer is read.")

(defvar-local agent-q-fs-find--glob nil
  "The glob whose files this buffer lists.")

(defvar-local agent-q-fs-find--fresh nil
  "Non-nil while the list still belongs to an earlier glob.")

(defvar-local agent-q-fs-find--directory "."
  "The directory that is searched.")

(defvar-local agent-q-fs-find--state ""
  "The state of the search in words.")

(defvar-local agent-q-fs-find--overlay nil
  "The overlay on the file that RET visits.")

(defvar agent-q-fs-find-map
  (let ((map (make-sparse-keymap)))
    (set-keymap-parent map minibuffer-local-map)
    (define-key map [down] #'agent-q-fs-find-next)
    (define-key map [up] #'agent-q-fs-find-previous)
    (define-key map "\C-n" #'agent-q-fs-find-next)
    (define-key map "\C-p" #'agent-q-fs-find-previous)
    (define-key map "\C-c\C-o" #'agent-q-fs-find-keep)
    map)
  "Keys while a glob is typed.")

(defvar agent-q-fs-find-mode-map
  (let ((map (make-sparse-keymap)))
    (set-keymap-parent map special-mode-map)
    (define-key map "\C-m" #'agent-q-fs-find-visit)
    (define-key map "o" #'agent-q-fs-find-visit-other-window)
    (define-key map [mouse-2] #'agent-q-fs-find-visit-at-mouse)
    (define-key map [follow-link] 'mouse-face)
    (define-key map "n" #'next-line)
    (define-key map "p" #'previous-line)
    (define-key map "\C-c\C-k" #'agent-q-fs-find-stop)
    map)
  "Keys in a list of files.")

(define-derived-mode agent-q-fs-find-mode special-mode "Files"
  "Files that match a glob.
\\{agent-q-fs-find-mode-map}"
  (setq-local revert-buffer-function (lambda (&rest _) (agent-q-fs-find--run))
              truncate-lines t
              bidi-paragraph-direction 'left-to-right
              bidi-display-reordering nil
              header-line-format '(:eval (agent-q-fs-find--header))
              buffer-undo-list t
              agent-q-fs-find--overlay (make-overlay 1 1))
  (overlay-put agent-q-fs-find--overlay 'face 'agent-q-fs-find-chosen))

(defun agent-q-fs-find--header ()
  "Return the header above the files."
  (string-replace "%" "%%"
                  (concat " " (agent-q-fs-show-visible (or agent-q-fs-find--glob "") t)
                          ": " agent-q-fs-find--state)))

(defun agent-q-fs-find-glob (text)
  "Return the glob for TEXT, which a person typed.
Text without * and ? is a part of a path."
  (cond ((string-match-p "[*?]" text)
         (if (or (string-search "/" text) (string-prefix-p "**" text))
             text
           (concat "**/" text)))
        ((string-search "/" text) (concat "**" text "**"))
        (t (concat "**/*" text "*"))))


;;;; Filling the list

(defun agent-q-fs-find--choose ()
  "Show the file at point as the one that RET visits."
  (if (get-text-property (point) 'agent-q-fs-path)
      (move-overlay agent-q-fs-find--overlay
                    (line-beginning-position) (min (point-max) (1+ (line-end-position))))
    (move-overlay agent-q-fs-find--overlay 1 1))
  (dolist (window (get-buffer-window-list nil nil t))
    (set-window-point window (point))))

(defun agent-q-fs-find--clear ()
  "Remove the files of an earlier glob."
  (when agent-q-fs-find--fresh
    (setq agent-q-fs-find--fresh nil)
    (let ((inhibit-read-only t))
      (erase-buffer))))

(defun agent-q-fs-find--add (paths)
  "List PATHS, which were found."
  (agent-q-fs-find--clear)
  (let ((inhibit-read-only t))
    (save-excursion
      (goto-char (point-max))
      (dolist (path paths)
        (insert (propertize (agent-q-fs-ui-visible path t)
                            'face 'agent-q-fs-ui-path 'mouse-face 'highlight
                            'agent-q-fs-path path)
                "\n"))))
  (agent-q-fs-find--choose))

(defun agent-q-fs-find--end (reply)
  "Show the result of the search, which ended with REPLY."
  (let ((problem (agent-q-fs-ui-fails-p reply)))
    (agent-q-fs-find--clear)
    (setq agent-q-fs-find--state
          (cond (problem (car (split-string problem "\n")))
                (t (format "%d file%s%s" (plist-get reply :total)
                           (if (= 1 (plist-get reply :total)) "" "s")
                           (if (plist-get reply :truncated) ", not all shown" "")))))
    (agent-q-fs-find--choose)
    (force-mode-line-update)))

(defun agent-q-fs-find--run ()
  "Search for the buffer's glob."
  (setq agent-q-fs-find--fresh t
        agent-q-fs-find--state "searching")
  (goto-char (point-min))
  (agent-q-fs-ui-start "search_files"
                       (list :pattern agent-q-fs-find--glob :path agent-q-fs-find--directory
                             :limit (default-value 'agent-q-fs-find-limit))
                       "Searching..." #'agent-q-fs-find--add #'agent-q-fs-find--end))


;;;; While it is typed

(defun agent-q-fs-find--typed (buffer text)
  "Have BUFFER list the files that TEXT means, unless it does."
  (when (buffer-live-p buffer)
    (with-current-buffer buffer
      (let ((glob (agent-q-fs-find-glob text)))
        (unless (equal glob agent-q-fs-find--glob)
          (setq agent-q-fs-find--glob glob)
          (agent-q-fs-find--run))))))

(defun agent-q-fs-find--watch (buffer)
  "Have BUFFER follow the text of this minibuffer."
  (let ((timer nil))
    (add-hook 'post-command-hook
              (lambda ()
                (let ((text (minibuffer-contents-no-properties)))
                  (when timer (cancel-timer timer))
                  (setq timer (run-with-timer (default-value 'agent-q-fs-find-delay) nil
                                              #'agent-q-fs-find--typed buffer text))))
              nil t)
    (add-hook 'minibuffer-exit-hook
              (lambda () (when timer (cancel-timer timer)))
              nil t)))

(defun agent-q-fs-find-next (&optional n)
  "Choose the next file, or the Nth."
  (interactive "p")
  (when (buffer-live-p agent-q-fs-find--buffer)
    (with-current-buffer agent-q-fs-find--buffer
      (forward-line (or n 1))
      (when (and (eobp) (> (point) (point-min)))
        (forward-line -1))
      (agent-q-fs-find--choose))))

(defun agent-q-fs-find-previous (&optional n)
  "Choose the previous file, or the Nth."
  (interactive "p")
  (agent-q-fs-find-next (- (or n 1))))

(defun agent-q-fs-find-keep ()
  "Keep the list in its buffer, instead of visiting a file."
  (interactive)
  (throw 'agent-q-fs-find-keep t))

(defun agent-q-fs-find--settle (buffer text)
  "Wait until BUFFER lists the files that TEXT means; return the path chosen."
  (agent-q-fs-find--typed buffer text)
  (with-current-buffer buffer
    (while (and (agent-q-fs-ui-running-p) (or agent-q-fs-find--fresh (bobp))
                (not (get-text-property (point) 'agent-q-fs-path)))
      (accept-process-output nil 0.05))
    (unless agent-q-fs-find--fresh
      (get-text-property (point) 'agent-q-fs-path))))

(defun agent-q-fs-find--read (buffer)
  "Read a glob while BUFFER lists its files.
Return the path chosen, t to keep the list, or nil if nothing matches."
  (let ((agent-q-fs-find--buffer buffer)
        (enable-recursive-minibuffers nil))
    (save-window-excursion
      (display-buffer buffer '((display-buffer-at-bottom) (window-height . 0.4)))
      (catch 'agent-q-fs-find-keep
        (agent-q-fs-find--settle
         buffer
         (minibuffer-with-setup-hook (lambda () (agent-q-fs-find--watch buffer))
           (read-from-minibuffer "Find file (glob, or part of a path): " nil
                                 agent-q-fs-find-map nil 'agent-q-fs-find--history)))))))

;;;###autoload
(defun agent-q-fs-find (&optional directory)
  "Find a file of the project by a glob, or by a part of its path, and visit it.
The files that match are listed as you type.
\\<agent-q-fs-find-map>\\[agent-q-fs-find-next] and \
\\[agent-q-fs-find-previous] choose another one, \\[exit-minibuffer] visits it,
\\[agent-q-fs-find-keep] keeps the list.
With a prefix argument, ask for the DIRECTORY to search."
  (interactive (list (and current-prefix-arg
                          (agent-q-fs-ui-read-path "Find in directory" "."))))
  (let* ((workspace (agent-q-fs-ui-workspace))
         (buffer (generate-new-buffer "*agent-q-fs files*"))
         (chosen nil))
    (unwind-protect
        (progn
          (with-current-buffer buffer
            (agent-q-fs-find-mode)
            (setq agent-q-fs-ui--workspace workspace
                  agent-q-fs-find--directory (or directory ".")
                  default-directory (agent-q-fs-workspace-root workspace)))
          (setq chosen (agent-q-fs-find--read buffer)))
      (unless (eq chosen t)
        (kill-buffer buffer)))
    (cond ((eq chosen t) (pop-to-buffer buffer))
          (chosen (agent-q-fs-ui-visit
                   (let ((agent-q-fs-ui--workspace workspace)) (agent-q-fs-ui-file chosen))))
          (t (user-error "No file matches")))))


;;;; In a list that was kept

(defun agent-q-fs-find-visit (&optional other)
  "Visit the file at point, with OTHER in another window."
  (interactive nil agent-q-fs-find-mode)
  (agent-q-fs-ui-visit
   (agent-q-fs-ui-file (or (get-text-property (line-beginning-position) 'agent-q-fs-path)
                           (user-error "There is no file here")))
   nil nil other))

(defun agent-q-fs-find-visit-other-window ()
  "Visit the file at point in another window."
  (interactive nil agent-q-fs-find-mode)
  (agent-q-fs-find-visit t))

(defun agent-q-fs-find-visit-at-mouse (event)
  "Visit the file that EVENT, a click, is on."
  (interactive "e" agent-q-fs-find-mode)
  (mouse-set-point event)
  (agent-q-fs-find-visit))

(defun agent-q-fs-find-stop ()
  "Stop the search."
  (interactive nil agent-q-fs-find-mode)
  (unless (agent-q-fs-ui-stop)
    (user-error "The search has ended")))


;;;; Lines of one file

;; `agent-q-fs-view' shows some lines of a file, of any size and encoding, as
;; models see them, without visiting it: no mode of its choosing, no local
;; variables, nothing to save.

(defcustom agent-q-fs-view-lines 500
  "How many lines are shown at a time."
  :type 'natnum
  :group 'agent-q-fs-ui)

(defvar-local agent-q-fs-view--facts nil
  "The reply that this buffer shows, without the content.")

(defvar-local agent-q-fs-view--place nil
  "The lines that this buffer shows, as (PATH START END).")

(defvar agent-q-fs-view-mode-map
  (let ((map (make-sparse-keymap)))
    (set-keymap-parent map special-mode-map)
    (define-key map "n" #'agent-q-fs-view-next)
    (define-key map "p" #'agent-q-fs-view-previous)
    (define-key map "\C-m" #'agent-q-fs-view-visit)
    (define-key map "l" #'agent-q-fs-view-from)
    map)
  "Keys where lines of a file are shown.")

(define-derived-mode agent-q-fs-view-mode special-mode "View"
  "Lines of a file.
\\{agent-q-fs-view-mode-map}"
  (setq-local revert-buffer-function
              (lambda (&rest _) (agent-q-fs-view--show agent-q-fs-view--place))
              bidi-paragraph-direction 'left-to-right
              header-line-format '(:eval (agent-q-fs-view--header))
              buffer-undo-list t)
  (display-line-numbers-mode 1))

(defun agent-q-fs-view--header ()
  "Return the header above the lines."
  (let ((facts agent-q-fs-view--facts))
    (string-replace
     "%" "%%"
     (concat " " (agent-q-fs-show-visible (or (plist-get facts :path) "") t)
             (format "  lines %s to %s of %s, %s, %s"
                     (plist-get facts :start-line) (plist-get facts :end-line)
                     (plist-get facts :total-lines) (plist-get facts :encoding)
                     (plist-get facts :line-endings))))))

(defun agent-q-fs-view--show (place)
  "Show PLACE, (PATH START END), in this buffer."
  (pcase-let* ((`(,path ,start ,end) place)
               (reply (agent-q-fs-ui-with-words
                        (agent-q-fs-read-file (agent-q-fs-ui-workspace) path
                                              :start_line start :end_line end)))
               (inhibit-read-only t))
    (erase-buffer)
    (insert (plist-get reply :content))
    (goto-char (point-min))
    (setq agent-q-fs-view--place place
          agent-q-fs-view--facts (agent-q-fs-ui-without (agent-q-fs-ui-without reply :content)
                                                        :text)
          display-line-numbers-offset (1- (plist-get reply :start-line)))))

;;;###autoload
(defun agent-q-fs-view (path &optional start end)
  "Show the lines START to END of PATH, without visiting it.
With a prefix argument, ask for them; else START is 1, and END so that
`agent-q-fs-view-lines' are shown."
  (interactive (append (list (agent-q-fs-ui-read-path "View file" (agent-q-fs-ui-path-here)))
                       (and current-prefix-arg
                            (list (read-number "From line: " 1)
                                  (read-number "To line (-1 is the end): " -1)))))
  (let* ((workspace (agent-q-fs-ui-workspace))
         (start (or start 1))
         (buffer (generate-new-buffer (format "*agent-q-fs view: %s*" path)))
         (done nil))
    (unwind-protect
        (with-current-buffer buffer
          (agent-q-fs-view-mode)
          (setq agent-q-fs-ui--workspace workspace
                default-directory (agent-q-fs-workspace-root workspace))
          (agent-q-fs-view--show
           (list path start (or end (+ start (default-value 'agent-q-fs-view-lines) -1))))
          (setq done t))
      (unless done (kill-buffer buffer)))
    (let ((old (get-buffer (format "*agent-q-fs view: %s*" path))))
      (when (and old (not (eq old buffer)))
        (kill-buffer old)
        (with-current-buffer buffer
          (rename-buffer (format "*agent-q-fs view: %s*" path)))))
    (pop-to-buffer buffer)))

(defun agent-q-fs-view-from (line)
  "Show the lines from LINE on."
  (interactive "nFrom line: " agent-q-fs-view-mode)
  (agent-q-fs-view--show (list (car agent-q-fs-view--place) (max 1 line)
                               (+ (max 1 line) (default-value 'agent-q-fs-view-lines) -1))))

(defun agent-q-fs-view-next ()
  "Show the lines behind these."
  (interactive nil agent-q-fs-view-mode)
  (let ((end (plist-get agent-q-fs-view--facts :end-line)))
    (when (>= end (plist-get agent-q-fs-view--facts :total-lines))
      (user-error "These are the last lines"))
    (agent-q-fs-view-from (1+ end))))

(defun agent-q-fs-view-previous ()
  "Show the lines before these."
  (interactive nil agent-q-fs-view-mode)
  (let ((start (plist-get agent-q-fs-view--facts :start-line)))
    (when (<= start 1)
      (user-error "These are the first lines"))
    (agent-q-fs-view-from (- start (default-value 'agent-q-fs-view-lines)))))

(defun agent-q-fs-view-visit ()
  "Visit the file at the line that point is on."
  (interactive nil agent-q-fs-view-mode)
  (agent-q-fs-ui-visit (agent-q-fs-ui-file (plist-get agent-q-fs-view--facts :path))
                       (+ display-line-numbers-offset (line-number-at-pos))
                       (current-column)))

(provide 'agent-q-fs-find)
;;; agent-q-fs-find.el ends here
