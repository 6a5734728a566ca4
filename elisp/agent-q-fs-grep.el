;;; agent-q-fs-grep.el --- Lines that match, in a buffer  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; `agent-q-fs-grep' searches the project and lists the lines that match while
;; they are found.  `next-error' goes from one to the next, from anywhere.
;;
;; Text properties say what a line is about; its text is never parsed, because a
;; file may have any name.
;;
;; Expressions are those of PCRE, as models have them.  One that is evidently
;; of Emacs is translated.
;;; Code:

(require 'agent-q-fs-find)
(require 'seq)

(declare-function agent-q-fs-grep-edit "agent-q-fs-change" ())
(defvar agent-q-fs-grep-edit-mode)

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

(defvar-local agent-q-fs-grep--typed nil
  "The person's own words, where the pattern was translated from them.")

(defvar-local agent-q-fs-grep--last nil
  "The path and number of the line that was listed last, as (PATH . LINE).")

(defvar-local agent-q-fs-grep--after nil
  "The lines behind the last match, which are listed once the next one is known.")

(defvar-local agent-q-fs-grep--count 0
  "How many matching lines are listed.")

(defvar-local agent-q-fs-grep--limit nil
  "The most lines that this buffer lists; nil for `agent-q-fs-grep-limit'.")

(defvar-local agent-q-fs-grep--state ""
  "The state of the search in words.")

(defvar agent-q-fs-grep-mode-map
  (let ((map (make-sparse-keymap)))
    (set-keymap-parent map agent-q-fs-ui-mode-map)
    (define-key map "n" #'agent-q-fs-grep-next)
    (define-key map "p" #'agent-q-fs-grep-previous)
    (define-key map "\M-n" #'agent-q-fs-grep-next-file)
    (define-key map "\M-p" #'agent-q-fs-grep-previous-file)
    (define-key map "k" #'agent-q-fs-ui-end-job)
    (define-key map "c" #'agent-q-fs-grep-toggle-case)
    (define-key map "l" #'agent-q-fs-grep-toggle-literal)
    (define-key map "i" #'agent-q-fs-grep-set-include)
    (define-key map "x" #'agent-q-fs-grep-toggle-exclusions)
    (define-key map "E" #'agent-q-fs-grep-translate)
    (define-key map "+" #'agent-q-fs-grep-widen)
    (define-key map "-" #'agent-q-fs-grep-narrow)
    (define-key map "a" #'agent-q-fs-grep-more)
    (define-key map "r" #'rename-uniquely)
    (define-key map "e" #'agent-q-fs-grep-edit)
    (define-key map "\C-c\C-p" #'agent-q-fs-grep-edit)
    (define-key map "\C-x\C-q" #'agent-q-fs-grep-edit)
    (define-key map "f" #'next-error-follow-minor-mode)
    (define-key map "\C-c\C-f" #'next-error-follow-minor-mode)
    map)
  "Keys in a list of lines that match.")

(easy-menu-define agent-q-fs-grep-menu agent-q-fs-grep-mode-map
  "Menu of a list of lines that match."
  '("Grep"
    ["Edit the Lines" agent-q-fs-grep-edit]
    ["Follow" next-error-follow-minor-mode
     :style toggle :selected (bound-and-true-p next-error-follow-minor-mode)]
    ["More Lines Around" agent-q-fs-grep-widen]
    ["Fewer Lines Around" agent-q-fs-grep-narrow]
    ["Either Case" agent-q-fs-grep-toggle-case
     :style toggle :selected (plist-get agent-q-fs-grep--arguments :ignore_case)]
    ["Plain Text" agent-q-fs-grep-toggle-literal
     :style toggle :selected (plist-get agent-q-fs-grep--arguments :literal)]
    ["As Emacs' Expression" agent-q-fs-grep-translate]
    ["Only Some Files..." agent-q-fs-grep-set-include]
    ["Exclude Nothing" agent-q-fs-grep-toggle-exclusions
     :style toggle :selected (plist-member agent-q-fs-grep--arguments :exclude_patterns)]
    ["List More" agent-q-fs-grep-more]
    "--"
    ["Keep This List" rename-uniquely]
    ["Search Again" revert-buffer]
    ["Stop" agent-q-fs-ui-end-job (agent-q-fs-ui-running-p)]))

(define-derived-mode agent-q-fs-grep-mode agent-q-fs-ui-mode "Grep"
  "Lines that match.
\\{agent-q-fs-grep-mode-map}"
  (setq-local revert-buffer-function (lambda (&rest _) (agent-q-fs-grep--run))
              next-error-function #'agent-q-fs-grep-next-error
              imenu-create-index-function #'agent-q-fs-grep--imenu
              agent-q-fs-ui-place-function #'agent-q-fs-grep--place
              header-line-format '(:eval (agent-q-fs-grep--header))))

(defun agent-q-fs-grep--header ()
  "Return the header above the lines."
  (let* ((arguments agent-q-fs-grep--arguments)
         (context (plist-get arguments :context)))
    (string-replace
     "%" "%%"
     (concat " " (agent-q-fs-show-visible (plist-get arguments :pattern) t)
             (if (equal "." (plist-get arguments :path)) ""
               (concat " in " (agent-q-fs-show-visible (plist-get arguments :path) t)))
             (if (plist-get arguments :include)
                 (concat ", only " (agent-q-fs-show-visible (plist-get arguments :include) t)) "")
             (cond ((plist-get arguments :literal) ", as text")
                   (agent-q-fs-grep--typed
                    (concat ", from Emacs' " (agent-q-fs-show-visible agent-q-fs-grep--typed t)))
                   (t ""))
             (if (plist-get arguments :ignore_case) ", either case" "")
             (if (plist-member arguments :exclude_patterns) ", nothing excluded" "")
             (if (memq context '(nil 0)) "" (format ", %d around" context))
             ": " agent-q-fs-grep--state))))


;;;; Expressions

(defun agent-q-fs-grep-quote (text)
  "Return an expression of PCRE that matches TEXT and nothing else."
  (replace-regexp-in-string "[][(){}|.*+?^$\\]" "\\\\\\&" text))

(defun agent-q-fs-grep-emacs-p (pattern)
  "Return non-nil if PATTERN is evidently an expression of Emacs, not of PCRE."
  (let ((case-fold-search nil))
    (string-match-p
     (rx (or (seq "\\_" (any "<>")) "\\|" "\\`" "\\'"
             (seq "\\<" alnum) (seq alnum "\\>")
             "\\(?" "\\)*" "\\)+" "\\)?" "\\s-" "\\s_" "\\sw"
             (seq "\\{" (* digit) (? ",") (* digit) "\\}")))
     pattern)))

(defun agent-q-fs-grep--symbol-class ()
  "Return a class of PCRE of the characters that symbols have in this buffer."
  (concat "[\\w"
          (seq-filter (lambda (character) (memq (char-syntax character) '(?w ?_)))
                      "!$%&*+/:<=>?@~-")
          "]"))

(defconst agent-q-fs-grep--escapes
  '(("\\_<" . "(?<!%s)(?=%s)") ("\\_>" . "(?<=%s)(?!%s)")
    ("\\<" . "\\b(?=\\w)") ("\\>" . "\\b(?<=\\w)") ("\\`" . "\\A") ("\\'" . "\\z")
    ("\\s-" . "\\s") ("\\s " . "\\s") ("\\sw" . "\\w") ("\\s_" . "%s")
    ("\\S-" . "\\S") ("\\Sw" . "\\W")
    ("\\(" . "(") ("\\)" . ")") ("\\|" . "|") ("\\{" . "{") ("\\}" . "}")
    ("(" . "\\(") (")" . "\\)") ("|" . "\\|") ("{" . "\\{") ("}" . "\\}"))
  "Parts of an expression of Emacs, and what PCRE has for them.
%s stands for a class of the characters of symbols.")

(defun agent-q-fs-grep-from-emacs (pattern)
  "Return an expression of PCRE that matches what PATTERN matches in Emacs."
  (let ((class (agent-q-fs-grep--symbol-class)))
    (replace-regexp-in-string
     (rx (or (seq "[" (? "^") (? "]")
                  (* (or (seq "[:" (+ alpha) ":]") (not (any "]")))) "]")
             (seq "\\_" (any "<>")) (seq "\\" (any "sS") (any "-w_ ")) (seq "\\" anything)
             (any "(){}|")))
     (lambda (part)
       (let ((known (cdr (assoc part agent-q-fs-grep--escapes))))
         (cond (known (string-replace "%s" class known))
               ;; In a class of Emacs a backslash is one, and nothing more.
               ((string-prefix-p "[" part) (string-replace "\\" "\\\\" part))
               (t part))))
     pattern t t)))

(defun agent-q-fs-grep--suggestions ()
  "Return expressions for what point is about, the first as the default."
  (let ((region (and (use-region-p)
                     (car (split-string (buffer-substring-no-properties
                                         (region-beginning) (region-end))
                                        "\n"))))
        (word (and (not (derived-mode-p 'agent-q-fs-tree-mode)) (thing-at-point 'symbol t))))
    (append (and region (not (equal region "")) (list (agent-q-fs-grep-quote region)))
            (and word (list (agent-q-fs-grep-quote word)
                            (agent-q-fs-grep-from-emacs
                             (concat "\\_<" (regexp-quote word) "\\_>")))))))

(defun agent-q-fs-grep-read (prompt)
  "Read an expression with PROMPT; one that is evidently Emacs' is translated.
Return it; one that was translated has what was typed as a property."
  (let* ((suggestions (agent-q-fs-grep--suggestions))
         (typed (read-from-minibuffer (format-prompt (concat prompt " (PCRE)") (car suggestions))
                                      nil nil nil 'agent-q-fs-grep--history suggestions))
         (pattern (if (equal typed "") (or (car suggestions) "") typed)))
    (if (agent-q-fs-grep-emacs-p pattern)
        (propertize (agent-q-fs-grep-from-emacs pattern) 'agent-q-fs-typed pattern)
      pattern)))


;;;; Filling the buffer

(defun agent-q-fs-grep--characters (text bytes)
  "Return how many characters of TEXT its first BYTES are."
  (if (= (length text) (string-bytes text))
      (min bytes (length text))
    (let ((encoded (encode-coding-string text 'utf-8-unix)))
      (length (decode-coding-string (substring encoded 0 (min bytes (length encoded)))
                                    'utf-8-unix)))))

(defun agent-q-fs-grep--line (path line text sign &optional start end)
  "Insert the LINE of PATH, which is TEXT, with SIGN behind its number.
It matches from START to END, if that is not nil."
  (let ((from (point)))
    (insert (propertize (format "%6d%s " line sign) 'face 'agent-q-fs-ui-note)
            (if (not start)
                (propertize (agent-q-fs-ui-visible text) 'face 'agent-q-fs-ui-note)
              (concat (agent-q-fs-ui-visible (substring text 0 start))
                      (propertize (agent-q-fs-ui-visible (substring text start end))
                                  'face 'agent-q-fs-grep-match)
                      (agent-q-fs-ui-visible (substring text end)))))
    (add-text-properties from (point)
                         (list 'agent-q-fs-place (list path line start)
                               'agent-q-fs-text text
                               'agent-q-fs-path path
                               'mouse-face 'highlight
                               'help-echo "mouse-2: visit this line"))
    (when start (put-text-property from (point) 'agent-q-fs-match t))
    (insert "\n")
    (setq agent-q-fs-grep--last (cons path line))))

(defun agent-q-fs-grep--around (path first lines before)
  "Insert LINES of PATH, the first being FIRST, that are new and above BEFORE."
  (dolist (text lines)
    (when (and (< (or (cdr agent-q-fs-grep--last) 0) first)
               (or (null before) (< first before)))
      (when (and (cdr agent-q-fs-grep--last) (< (1+ (cdr agent-q-fs-grep--last)) first))
        (insert (propertize "    --\n" 'face 'agent-q-fs-ui-note)))
      (agent-q-fs-grep--line path first text "-"))
    (setq first (1+ first))))

(defun agent-q-fs-grep--flush (&optional path line)
  "List the lines behind the last match, down to LINE if that is of PATH, too."
  (when agent-q-fs-grep--after
    (pcase-let ((`(,last ,first ,lines) agent-q-fs-grep--after))
      (setq agent-q-fs-grep--after nil)
      (agent-q-fs-grep--around last first lines (and (equal last path) line)))))

(defun agent-q-fs-grep--insert (match)
  "Insert MATCH, an item of the reply, at point."
  (let* ((path (plist-get match :path))
         (line (plist-get match :line))
         (text (plist-get match :text))
         (before (plist-get match :before))
         (start (agent-q-fs-grep--characters text (plist-get match :start)))
         (end (agent-q-fs-grep--characters text (plist-get match :end))))
    (agent-q-fs-grep--flush path line)
    (unless (equal path (car agent-q-fs-grep--last))
      (insert (propertize (agent-q-fs-ui-visible path t) 'face 'agent-q-fs-ui-directory
                          'agent-q-fs-path path 'agent-q-fs-heading path)
              "\n")
      (setq agent-q-fs-grep--last (list path)))
    (agent-q-fs-grep--around path (- line (length before)) before line)
    (agent-q-fs-grep--line path line text ":" start end)
    (when (plist-get match :after)
      (setq agent-q-fs-grep--after (list path (1+ line) (plist-get match :after))))))

(defun agent-q-fs-grep--add (matches)
  "Add MATCHES, which were found, to the end of the buffer."
  (with-silent-modifications
    (save-excursion
      (goto-char (point-max))
      (mapc #'agent-q-fs-grep--insert matches)))
  (setq agent-q-fs-grep--count (+ agent-q-fs-grep--count (length matches))
        agent-q-fs-grep--state (format "%d so far" agent-q-fs-grep--count))
  (force-mode-line-update))

(defun agent-q-fs-grep--lines (lines files)
  "Return words for LINES in FILES, two numbers."
  (format "%d line%s in %d file%s" lines (if (= 1 lines) "" "s") files (if (= 1 files) "" "s")))

(defun agent-q-fs-grep--end (reply)
  "Show the result of the search, which ended with REPLY."
  (with-silent-modifications
    (save-excursion
      (goto-char (point-max))
      (agent-q-fs-grep--flush)))
  (setq agent-q-fs-grep--state
        (let ((problem (agent-q-fs-ui-fails-p reply)))
          (cond
           ((equal problem "stopped") (format "%d, stopped" agent-q-fs-grep--count))
           (problem (message "%s" problem)
                    (car (split-string problem "\n")))
           (t (concat
               (agent-q-fs-grep--lines (plist-get reply :total) (plist-get reply :files))
               (agent-q-fs-find-ignored reply))))))
  (when (plist-get reply :truncated)
    (agent-q-fs-grep--count-all))
  (force-mode-line-update))

(defun agent-q-fs-grep--cut (lines files)
  "Say that only some of LINES in FILES, two numbers or nil, are listed."
  (setq agent-q-fs-grep--state
        (concat (if lines
                    (format "%d of %s shown" agent-q-fs-grep--count
                            (agent-q-fs-grep--lines lines files))
                  (format "%d shown, there are more" agent-q-fs-grep--count))
                (substitute-command-keys
                 "; \\<agent-q-fs-grep-mode-map>\\[agent-q-fs-grep-more] lists more")))
  (force-mode-line-update))

(defun agent-q-fs-grep--count-all ()
  "Count the lines that match, because not all are listed."
  (let ((lines 0) (files 0))
    (setq agent-q-fs-grep--state (format "%d shown, counting all" agent-q-fs-grep--count))
    (agent-q-fs-ui-start
     "grep_files" (append (list :output "count" :limit 1000000000)
                          (agent-q-fs-ui-without agent-q-fs-grep--arguments :context))
     "Counting..."
     (lambda (counts)
       (dolist (count counts)
         (setq lines (+ lines (plist-get count :count))
               files (1+ files))))
     (lambda (reply)
       (if (agent-q-fs-ui-fails-p reply)
           (agent-q-fs-grep--cut nil nil)
         (agent-q-fs-grep--cut lines files))))))

(defun agent-q-fs-grep--run ()
  "Search as the buffer's arguments say."
  (with-silent-modifications
    (erase-buffer))
  (setq agent-q-fs-grep--last nil
        agent-q-fs-grep--after nil
        agent-q-fs-grep--count 0
        agent-q-fs-grep--state "searching"
        next-error-last-buffer (current-buffer))
  (agent-q-fs-ui-start "grep_files"
                       (append agent-q-fs-grep--arguments
                               (list :limit (or agent-q-fs-grep--limit
                                                (default-value 'agent-q-fs-grep-limit))))
                       "Searching..." #'agent-q-fs-grep--add #'agent-q-fs-grep--end))

(defun agent-q-fs-grep--buffer (workspace)
  "Return the buffer for a search in WORKSPACE.
A list of another project is kept, and so is one that is being edited."
  (let ((buffer (get-buffer "*agent-q-fs grep*")))
    (when (and buffer
               (with-current-buffer buffer
                 (or (bound-and-true-p agent-q-fs-grep-edit-mode)
                     (not (memq agent-q-fs-ui--workspace (list nil workspace))))))
      (with-current-buffer buffer (rename-uniquely)))
    (get-buffer-create "*agent-q-fs grep*")))

;;;###autoload
(defun agent-q-fs-grep (pattern &optional path include)
  "List the lines of the project that match PATTERN, a regular expression.
With a prefix argument, also ask for the PATH to search, and for a glob
of the files to INCLUDE.  The expression is one of PCRE, as models have
it; one with the \\=\\_<, \\=\\( or \\=\\| of Emacs is translated when it is typed."
  (interactive
   (list (agent-q-fs-grep-read "Search for")
         (and current-prefix-arg (agent-q-fs-find-read-path "Search in" "."))
         (and current-prefix-arg
              (read-string "Only files like (a glob, empty for all): "))))
  (when (equal pattern "")
    (user-error "There is nothing to search for"))
  (let* ((workspace (agent-q-fs-ui-workspace))
         (buffer (agent-q-fs-grep--buffer workspace)))
    (with-current-buffer buffer
      (agent-q-fs-ui-stop)
      (agent-q-fs-grep-mode)
      (agent-q-fs-ui-belong workspace)
      (setq agent-q-fs-grep--typed (get-text-property 0 'agent-q-fs-typed pattern)
            agent-q-fs-grep--arguments
            (append (list :pattern (substring-no-properties pattern) :path (or path "."))
                    (unless (member include '(nil "")) (list :include include))))
      (agent-q-fs-grep--run))
    (display-buffer buffer)
    buffer))


;;;; Commands

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

(defun agent-q-fs-grep-translate ()
  "Search again, taking the pattern as an expression of Emacs."
  (interactive nil agent-q-fs-grep-mode)
  (let ((pattern (plist-get agent-q-fs-grep--arguments :pattern)))
    (setq agent-q-fs-grep--typed pattern
          agent-q-fs-grep--arguments
          (plist-put agent-q-fs-grep--arguments :pattern (agent-q-fs-grep-from-emacs pattern)))
    (agent-q-fs-grep--run)))

(defun agent-q-fs-grep-widen (&optional n)
  "Search again, and list N more lines around each match."
  (interactive "p" agent-q-fs-grep-mode)
  (setq agent-q-fs-grep--arguments
        (plist-put agent-q-fs-grep--arguments :context
                   (min 100 (max 0 (+ (or (plist-get agent-q-fs-grep--arguments :context) 0)
                                      (or n 1))))))
  (agent-q-fs-grep--run))

(defun agent-q-fs-grep-narrow (&optional n)
  "Search again, and list N fewer lines around each match."
  (interactive "p" agent-q-fs-grep-mode)
  (agent-q-fs-grep-widen (- (or n 1))))

(defun agent-q-fs-grep-more ()
  "Search again, and list ten times as many lines."
  (interactive nil agent-q-fs-grep-mode)
  (setq agent-q-fs-grep--limit
        (* 10 (or agent-q-fs-grep--limit (default-value 'agent-q-fs-grep-limit))))
  (agent-q-fs-grep--run))

(defun agent-q-fs-grep--place ()
  "Return the place that the line at point is about, (PATH LINE COLUMN), or nil."
  (or (get-text-property (line-beginning-position) 'agent-q-fs-place)
      (agent-q-fs-ui--line-place)))

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
  (let ((match (agent-q-fs-ui--place)))
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
