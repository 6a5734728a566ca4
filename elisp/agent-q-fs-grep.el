;;; agent-q-fs-grep.el --- Lines that match, in a buffer  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; `agent-q-fs-grep' searches the project and lists the lines that match while
;; they are found.  `next-error' goes from one to the next, from anywhere.
;;
;; Text properties say what a line is about; its text is never parsed, because a
;; file may have any name.

;;; Code:

(require 'agent-q-fs-ui)

(defcustom agent-q-fs-grep-limit 10000
  "The most lines that a search lists."
  :type 'natnum
  :group 'agent-q-fs-ui)

(defface agent-q-fs-grep-match '((t :inherit match))
  "Face for the match in a line."
  :group 'agent-q-fs-ui)

(defvar agent-q-fs-grep--history nil
  "Patterns that were searched for.")

(defvar-local agent-q-fs-grep--arguments nil
  "The arguments of the search that this buffer shows.")

(defvar-local agent-q-fs-grep--last nil
  "The path of the line that was listed last.")

(defvar-local agent-q-fs-grep--count 0
  "How many lines are listed.")

(defvar-local agent-q-fs-grep--state ""
  "The state of the search in words.")

(defvar agent-q-fs-grep-mode-map
  (let ((map (make-sparse-keymap)))
    (set-keymap-parent map special-mode-map)
    (define-key map "\C-m" #'agent-q-fs-grep-visit)
    (define-key map [mouse-2] #'agent-q-fs-grep-visit-at-mouse)
    (define-key map [follow-link] 'mouse-face)
    (define-key map "o" #'agent-q-fs-grep-visit-other-window)
    (define-key map "\C-o" #'agent-q-fs-grep-display)
    (define-key map "n" #'agent-q-fs-grep-next)
    (define-key map "p" #'agent-q-fs-grep-previous)
    (define-key map "\M-n" #'agent-q-fs-grep-next-file)
    (define-key map "\M-p" #'agent-q-fs-grep-previous-file)
    (define-key map "\C-c\C-k" #'agent-q-fs-grep-stop)
    (define-key map "k" #'agent-q-fs-grep-stop)
    (define-key map "c" #'agent-q-fs-grep-toggle-case)
    (define-key map "l" #'agent-q-fs-grep-toggle-literal)
    (define-key map "i" #'agent-q-fs-grep-set-include)
    (define-key map "x" #'agent-q-fs-grep-toggle-exclusions)
    (define-key map "\C-c\C-f" #'next-error-follow-minor-mode)
    map)
  "Keys in a list of lines that match.")

(define-derived-mode agent-q-fs-grep-mode special-mode "Grep"
  "Lines that match.
\\{agent-q-fs-grep-mode-map}"
  (setq-local revert-buffer-function (lambda (&rest _) (agent-q-fs-grep--run))
              next-error-function #'agent-q-fs-grep-next-error
              imenu-create-index-function #'agent-q-fs-grep--imenu
              truncate-lines t
              bidi-paragraph-direction 'left-to-right
              bidi-display-reordering nil
              header-line-format '(:eval (agent-q-fs-grep--header))
              buffer-undo-list t))

(defun agent-q-fs-grep--header ()
  "Return the header above the lines."
  (let ((arguments agent-q-fs-grep--arguments))
    (string-replace
     "%" "%%"
     (concat " " (agent-q-fs-show-visible (plist-get arguments :pattern) t)
             (if (equal "." (plist-get arguments :path)) ""
               (concat " in " (agent-q-fs-show-visible (plist-get arguments :path) t)))
             (if (plist-get arguments :include)
                 (concat ", only " (agent-q-fs-show-visible (plist-get arguments :include) t)) "")
             (if (plist-get arguments :literal) ", as text" "")
             (if (plist-get arguments :ignore_case) ", either case" "")
             (if (plist-member arguments :exclude_patterns) ", nothing excluded" "")
             ": " agent-q-fs-grep--state))))


;;;; Filling the buffer

(defun agent-q-fs-grep--characters (text bytes)
  "Return how many characters of TEXT its first BYTES are."
  (if (= (length text) (string-bytes text))
      (min bytes (length text))
    (let ((encoded (encode-coding-string text 'utf-8-unix)))
      (length (decode-coding-string (substring encoded 0 (min bytes (length encoded)))
                                    'utf-8-unix)))))

(defun agent-q-fs-grep--insert (match)
  "Insert MATCH, an item of the reply, at point."
  (let* ((path (plist-get match :path))
         (text (plist-get match :text))
         (start (agent-q-fs-grep--characters text (plist-get match :start)))
         (end (agent-q-fs-grep--characters text (plist-get match :end)))
         (from (point)))
    (unless (equal path agent-q-fs-grep--last)
      (insert (propertize (agent-q-fs-ui-visible path t) 'face 'agent-q-fs-ui-directory
                          'agent-q-fs-path path 'agent-q-fs-heading path)
              "\n")
      (setq agent-q-fs-grep--last path
            from (point)))
    (insert (propertize (format "%6d: " (plist-get match :line)) 'face 'agent-q-fs-ui-note)
            (agent-q-fs-ui-visible (substring text 0 start))
            (propertize (agent-q-fs-ui-visible (substring text start end))
                        'face 'agent-q-fs-grep-match)
            (agent-q-fs-ui-visible (substring text end)))
    (add-text-properties from (point)
                         (list 'agent-q-fs-match (list path (plist-get match :line) start)
                               'agent-q-fs-path path
                               'mouse-face 'highlight
                               'help-echo "mouse-2: visit this line"))
    (insert "\n")))

(defun agent-q-fs-grep--add (matches)
  "Add MATCHES, which were found, to the end of the buffer."
  (let ((inhibit-read-only t))
    (save-excursion
      (goto-char (point-max))
      (mapc #'agent-q-fs-grep--insert matches)))
  (setq agent-q-fs-grep--count (+ agent-q-fs-grep--count (length matches))
        agent-q-fs-grep--state (format "%d so far" agent-q-fs-grep--count))
  (force-mode-line-update))

(defun agent-q-fs-grep--end (reply)
  "Show the result of the search, which ended with REPLY."
  (setq agent-q-fs-grep--state
        (let ((problem (agent-q-fs-ui-fails-p reply)))
          (cond
           ((equal problem "stopped") (format "%d, stopped" agent-q-fs-grep--count))
           (problem (message "%s" problem)
                    (car (split-string problem "\n")))
           (t (format "%d line%s in %d file%s%s"
                      (plist-get reply :total) (if (= 1 (plist-get reply :total)) "" "s")
                      (plist-get reply :files) (if (= 1 (plist-get reply :files)) "" "s")
                      (if (plist-get reply :truncated)
                          (format ", %d shown" agent-q-fs-grep--count) ""))))))
  (force-mode-line-update))

(defun agent-q-fs-grep--run ()
  "Search as the buffer's arguments say."
  (let ((inhibit-read-only t))
    (erase-buffer))
  (setq agent-q-fs-grep--last nil
        agent-q-fs-grep--count 0
        agent-q-fs-grep--state "searching"
        next-error-last-buffer (current-buffer))
  (agent-q-fs-ui-start "grep_files" (append agent-q-fs-grep--arguments
                                            (list :limit (default-value 'agent-q-fs-grep-limit)))
                       "Searching..." #'agent-q-fs-grep--add #'agent-q-fs-grep--end))

(defun agent-q-fs-grep-quote (text)
  "Return an expression of PCRE that matches TEXT and nothing else."
  (replace-regexp-in-string "[][(){}|.*+?^$\\]" "\\\\\\&" text))

;;;###autoload
(defun agent-q-fs-grep (pattern &optional path include)
  "List the lines of the project that match PATTERN, a regular expression.
With a prefix argument, also ask for the PATH to search, and for a glob
of the files to INCLUDE.  The expression is one of PCRE, as models have it."
  (interactive
   (let ((word (and (not (derived-mode-p 'agent-q-fs-tree-mode))
                    (thing-at-point 'symbol t))))
     (list (read-regexp "Search for" (and word (agent-q-fs-grep-quote word))
                        'agent-q-fs-grep--history)
           (and current-prefix-arg (agent-q-fs-ui-read-path "Search in" "."))
           (and current-prefix-arg
                (read-string "Only files like (a glob, empty for all): ")))))
  (when (equal pattern "")
    (user-error "There is nothing to search for"))
  (let ((workspace (agent-q-fs-ui-workspace))
        (buffer (get-buffer-create "*agent-q-fs grep*")))
    (with-current-buffer buffer
      (agent-q-fs-ui-stop)
      (agent-q-fs-grep-mode)
      (setq agent-q-fs-ui--workspace workspace
            default-directory (agent-q-fs-workspace-root workspace)
            agent-q-fs-grep--arguments
            (append (list :pattern (substring-no-properties pattern) :path (or path "."))
                    (unless (member include '(nil "")) (list :include include))))
      (agent-q-fs-grep--run))
    (display-buffer buffer)
    buffer))


;;;; Commands

(defun agent-q-fs-grep-stop ()
  "Stop the search."
  (interactive nil agent-q-fs-grep-mode)
  (unless (agent-q-fs-ui-stop)
    (user-error "The search has ended")))

(defun agent-q-fs-grep--toggle (key)
  "Search again with the opposite of the argument KEY."
  (setq agent-q-fs-grep--arguments
        (plist-put agent-q-fs-grep--arguments key
                   (not (plist-get agent-q-fs-grep--arguments key))))
  (agent-q-fs-grep--run))

(defun agent-q-fs-grep-toggle-case ()
  "Search again, minding letter case or not."
  (interactive nil agent-q-fs-grep-mode)
  (agent-q-fs-grep--toggle :ignore_case))

(defun agent-q-fs-grep-toggle-literal ()
  "Search again, taking the pattern as plain text or not."
  (interactive nil agent-q-fs-grep-mode)
  (agent-q-fs-grep--toggle :literal))

(defun agent-q-fs-grep-toggle-exclusions ()
  "Search again, with or without the files that are excluded by default."
  (interactive nil agent-q-fs-grep-mode)
  (setq agent-q-fs-grep--arguments
        (if (plist-member agent-q-fs-grep--arguments :exclude_patterns)
            (agent-q-fs-ui-without agent-q-fs-grep--arguments :exclude_patterns)
          (append agent-q-fs-grep--arguments (list :exclude_patterns []))))
  (agent-q-fs-grep--run))

(defun agent-q-fs-grep-set-include (glob)
  "Search again, only in files like GLOB; an empty one means all."
  (interactive (list (read-string "Only files like (a glob, empty for all): "
                                  (plist-get agent-q-fs-grep--arguments :include)))
               agent-q-fs-grep-mode)
  (setq agent-q-fs-grep--arguments
        (append (agent-q-fs-ui-without agent-q-fs-grep--arguments :include)
                (unless (equal glob "") (list :include glob))))
  (agent-q-fs-grep--run))

(defun agent-q-fs-grep--match ()
  "Return the match at point, (PATH LINE COLUMN)."
  (or (get-text-property (line-beginning-position) 'agent-q-fs-match)
      (let ((path (get-text-property (line-beginning-position) 'agent-q-fs-heading)))
        (and path (list path nil nil)))
      (user-error "There is no match here")))

(defun agent-q-fs-grep-visit (&optional other)
  "Visit the line at point, with OTHER in another window."
  (interactive nil agent-q-fs-grep-mode)
  (pcase-let ((`(,path ,line ,column) (agent-q-fs-grep--match)))
    (setq next-error-last-buffer (current-buffer))
    (agent-q-fs-ui-visit (agent-q-fs-ui-file path) line column other)))

(defun agent-q-fs-grep-visit-other-window ()
  "Visit the line at point in another window."
  (interactive nil agent-q-fs-grep-mode)
  (agent-q-fs-grep-visit t))

(defun agent-q-fs-grep-display ()
  "Show the line at point in another window, and stay here."
  (interactive nil agent-q-fs-grep-mode)
  (save-selected-window (agent-q-fs-grep-visit t)))

(defun agent-q-fs-grep-visit-at-mouse (event)
  "Visit the line that EVENT, a click, is on."
  (interactive "e" agent-q-fs-grep-mode)
  (mouse-set-point event)
  (agent-q-fs-grep-visit t))

(defun agent-q-fs-grep--move (n property)
  "Move N lines that have PROPERTY; return non-nil if there are that many."
  (let ((step (if (< n 0) -1 1)) (left (abs n)) (place (point)) (more t))
    (while (and (> left 0) more)
      (setq more (zerop (forward-line step)))
      (if (eobp) (setq more nil))
      (when (and more (get-text-property (point) property))
        (setq left (1- left) place (point))))
    (goto-char place)
    (zerop left)))

(defun agent-q-fs-grep-next (&optional n)
  "Go to the next match, or the Nth."
  (interactive "p" agent-q-fs-grep-mode)
  (unless (agent-q-fs-grep--move (or n 1) 'agent-q-fs-match)
    (user-error "No more matches")))

(defun agent-q-fs-grep-previous (&optional n)
  "Go to the previous match, or the Nth."
  (interactive "p" agent-q-fs-grep-mode)
  (agent-q-fs-grep-next (- (or n 1))))

(defun agent-q-fs-grep-next-file (&optional n)
  "Go to the matches of the next file, or the Nth."
  (interactive "p" agent-q-fs-grep-mode)
  (unless (agent-q-fs-grep--move (or n 1) 'agent-q-fs-heading)
    (user-error "No more files")))

(defun agent-q-fs-grep-previous-file (&optional n)
  "Go to the matches of the previous file, or the Nth."
  (interactive "p" agent-q-fs-grep-mode)
  (agent-q-fs-grep-next-file (- (or n 1))))

(defun agent-q-fs-grep-next-error (n &optional reset)
  "Visit the Nth match from here, with RESET from the first; for `next-error'."
  (when reset
    (goto-char (point-min)))
  (cond
   ((not (zerop n))
    (unless (agent-q-fs-grep--move n 'agent-q-fs-match)
      (user-error (cond ((agent-q-fs-ui-running-p) "No more matches yet")
                        ((< n 0) "Moved back before the first match")
                        (t "Moved past the last match")))))
   ((not (get-text-property (line-beginning-position) 'agent-q-fs-match))
    (agent-q-fs-grep--move 1 'agent-q-fs-match)))
  (dolist (window (get-buffer-window-list nil nil t))
    (set-window-point window (point)))
  (let ((match (agent-q-fs-grep--match)))
    (agent-q-fs-ui-visit (agent-q-fs-ui-file (nth 0 match)) (nth 1 match) (nth 2 match)
                         (eq (current-buffer) (window-buffer)))))

(defun agent-q-fs-grep--imenu ()
  "Return the files as an index for `imenu'."
  (let (index)
    (save-excursion
      (goto-char (point-min))
      (while (not (eobp))
        (let ((path (get-text-property (point) 'agent-q-fs-heading)))
          (when path (push (cons path (point)) index)))
        (forward-line)))
    (nreverse index)))

(provide 'agent-q-fs-grep)
;;; agent-q-fs-grep.el ends here
