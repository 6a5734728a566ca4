;;; agent-q-fs-find.el --- Names of files in the minibuffer, and one file's lines  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; `agent-q-fs-find' completes the paths of all files of the project with whatever
;; completion is installed.  Words that are separated by blanks may stand in any
;; order; files that were visited come first.
;;
;; `agent-q-fs-find-read-path' reads a path for the other commands, a directory at a
;; time.  In both, a name that would mislead is shown so that it does not, and is
;; inserted as it is.
;;
;; `agent-q-fs-view' shows lines of one file without visiting it.  Evil, Embark and the
;; menu of a mouse's right button get what they need to work with all lists.

;;; Code:

(require 'agent-q-fs-ui)
(require 'minibuffer)
(require 'seq)

(defvar recentf-list)
(declare-function evil-define-key* "ext:evil-core" (state keymap key def &rest bindings))
(declare-function evil-make-overriding-map "ext:evil-core" (keymap &optional state copy))
(declare-function evil-normalize-keymaps "ext:evil-core" (&optional state))

(defcustom agent-q-fs-find-limit 200000
  "The most files among which `agent-q-fs-find' lets you choose."
  :type 'natnum
  :group 'agent-q-fs-ui)

(defvar agent-q-fs-find--history nil
  "Paths of files that were found.")

(defvar agent-q-fs-find-map
  (let ((map (make-sparse-keymap)))
    (define-key map "\C-c\C-o" #'agent-q-fs-find-keep)
    map)
  "Keys that `agent-q-fs-find' adds to those of the minibuffer.")

(defvar agent-q-fs-find-mode-map
  (let ((map (make-sparse-keymap)))
    (set-keymap-parent map agent-q-fs-ui-mode-map)
    (define-key map "n" #'next-line)
    (define-key map "p" #'previous-line)
    map)
  "Keys in a list of files.")

(define-derived-mode agent-q-fs-find-mode agent-q-fs-ui-mode "Files"
  "Files whose paths match what was typed.
\\{agent-q-fs-find-mode-map}")


;;;; Names that are shown safely

(defun agent-q-fs-find-safe (name)
  "Return NAME as a candidate: misleading parts of it are only displayed otherwise."
  (let ((shown (agent-q-fs-ui-visible name t)))
    (if (eq shown name) name
      (propertize name 'display shown))))


;;;; Words in any order

(defun agent-q-fs-find--word-regexp (word)
  "Return a regexp for WORD: a part of a path, or with * or ? a glob of one."
  (let* ((glob (string-match-p "[*?]" word))
         (regexp (mapconcat (lambda (character)
                              (pcase character
                                (?* ".*")
                                (?? ".")
                                (_ (regexp-quote (char-to-string character)))))
                            (replace-regexp-in-string "\\*+/?" "*" word)
                            "")))
    (if glob (concat "\\(?:\\`\\|/\\)" regexp "\\'") regexp)))

(defun agent-q-fs-find--matches (string table predicate)
  "Return those of the completions in TABLE with PREDICATE that STRING means."
  (let* ((words (split-string string))
         (completion-regexp-list (append (mapcar #'agent-q-fs-find--word-regexp words)
                                         completion-regexp-list))
         (completion-ignore-case (not (let ((case-fold-search nil))
                                        (string-match-p "[[:upper:]]" string)))))
    (all-completions "" table predicate)))

(defun agent-q-fs-find--highlight (words candidate)
  "Return a copy of CANDIDATE in which the matches of WORDS, regexps, stand out."
  (let ((candidate (copy-sequence candidate))
        (case-fold-search t))
    (dolist (word words candidate)
      (when (string-match word candidate)
        (add-face-text-property (match-beginning 0) (match-end 0)
                                'completions-common-part nil candidate)))))

(defun agent-q-fs-find-all-completions (string table predicate _point)
  "List the completions in TABLE with PREDICATE that have all words of STRING."
  (let ((words (mapcar #'agent-q-fs-find--word-regexp (split-string string)))
        (found (agent-q-fs-find--matches string table predicate)))
    (when found
      ;; Thousands are not looked at.
      (if (length> found 1000) found
        (mapcar (apply-partially #'agent-q-fs-find--highlight words) found)))))

(defun agent-q-fs-find-try-completion (string table predicate _point)
  "Return the only completion of STRING in TABLE with PREDICATE, or STRING."
  (let ((found (agent-q-fs-find--matches string table predicate)))
    (cond ((null found) nil)
          ((cdr found) (cons string (length string)))
          ((equal (car found) string) t)
          (t (cons (substring-no-properties (car found)) (length (car found)))))))

(add-to-list 'completion-styles-alist
             '(agent-q-fs-words agent-q-fs-find-try-completion agent-q-fs-find-all-completions
                                "Words of a path in any order, and globs."))
(add-to-list 'completion-category-defaults '(agent-q-fs-file (styles agent-q-fs-words)))


;;;; All files of the project

(defun agent-q-fs-find-ignored (reply)
  "Return how many entries git's rules left out of REPLY, for a header."
  (let ((n (plist-get reply :ignored)))
    (if n (format ", %d ignored" n) "")))

(defun agent-q-fs-find--list (workspace directory)
  "Return the paths of all files in DIRECTORY of WORKSPACE as (PATHS . MORE).
With MORE these are not all.  Quitting ends the search."
  (let* ((ended nil)
         (chunks nil)
         (count 0)
         (report (agent-q-fs-ui-reporter "Looking for files..."))
         (job (agent-q-fs-call-async
               workspace "search_files"
               (list :pattern "**/*" :path directory
                     :limit (default-value 'agent-q-fs-find-limit))
               :on-items (lambda (paths)
                           (push paths chunks)
                           (funcall report (setq count (+ count (length paths)))))
               :on-done (lambda (reply) (setq ended reply))
               :on-error (lambda (problem) (setq ended problem)))))
    (unwind-protect
        (agent-q-fs-job-wait job)
      (agent-q-fs-job-cancel job)
      (funcall report 'done))
    (let ((problem (agent-q-fs-ui-fails-p ended)))
      (when problem (user-error "%s" problem)))
    (cons (sort (apply #'append chunks) #'string<) (plist-get ended :truncated))))

(defun agent-q-fs-find--ranks (root)
  "Return a hash table of the paths in ROOT that were visited, the latest as 1."
  (let ((ranks (make-hash-table :test #'equal))
        (rank 0))
    (dolist (file (append (delq nil (mapcar #'buffer-file-name (buffer-list)))
                          (bound-and-true-p recentf-list)))
      (when (string-prefix-p root file)
        (let ((path (string-remove-prefix root file)))
          (unless (gethash path ranks)
            (puthash path (setq rank (1+ rank)) ranks)))))
    ;; The file at hand is the last one to be wanted.
    (when (and buffer-file-name (string-prefix-p root buffer-file-name))
      (remhash (string-remove-prefix root buffer-file-name) ranks))
    ranks))

(defun agent-q-fs-find--sort (ranks paths)
  "Return PATHS, those that RANKS knows first, by rank."
  (let (known others)
    (dolist (path paths)
      (push path (if (gethash path ranks) known others)))
    (append (seq-sort-by (lambda (path) (gethash path ranks)) #'< known)
            (nreverse others))))

(defun agent-q-fs-find--note (file)
  "Return words about FILE, which are shown beside its path."
  (let* ((buffer (get-file-buffer file))
         (attributes (let ((file-name-handler-alist nil))
                       (ignore-errors (file-attributes file)))))
    (propertize
     (concat "  "
             (and attributes (file-size-human-readable (file-attribute-size attributes)))
             (and attributes
                  (format-time-string "  %F" (file-attribute-modification-time attributes)))
             (cond ((and buffer (buffer-modified-p buffer)) "  not saved")
                   (buffer "  visited")))
     'face 'completions-annotations)))

(defun agent-q-fs-find--affixes (root paths)
  "Return PATHS in ROOT with what is shown beside each, for completion."
  (let ((many (length> paths 200)))     ; *Completions* shows all
    (mapcar (lambda (path)
              (list path "" (if many "" (agent-q-fs-find--note (concat root path)))))
            paths)))

(defun agent-q-fs-find-table (root paths)
  "Return a completion table of PATHS, files in the directory ROOT."
  (let* ((candidates (mapcar #'agent-q-fs-find-safe paths))
         (ranks (agent-q-fs-find--ranks root))
         (sort (lambda (found) (agent-q-fs-find--sort ranks found))))
    (lambda (string predicate action)
      (if (eq action 'metadata)
          `(metadata (category . agent-q-fs-file)
                     (display-sort-function . ,sort)
                     (cycle-sort-function . ,sort)
                     (affixation-function
                      . ,(lambda (found) (agent-q-fs-find--affixes root found))))
        (complete-with-action action candidates string predicate)))))

(defun agent-q-fs-find--at-point (paths)
  "Return those of PATHS that the text at point may mean, for the minibuffer."
  (let ((name (or (and (derived-mode-p 'agent-q-fs-ui-mode) (agent-q-fs-ui-path-here))
                  (thing-at-point 'filename t))))
    (when (and name (not (string-empty-p name)))
      (let ((end (concat "/" (replace-regexp-in-string "\\`\\(?:\\.\\.?/\\)+" "" name))))
        (seq-take (seq-filter (lambda (path) (string-suffix-p end (concat "/" path))) paths)
                  10)))))

(defun agent-q-fs-find-keep ()
  "List the files that match in a buffer, instead of visiting one."
  (interactive)
  (let* ((found (completion-all-completions
                 (minibuffer-contents-no-properties) minibuffer-completion-table
                 minibuffer-completion-predicate
                 (- (point) (minibuffer-prompt-end))))
         (last (last found)))
    (when last (setcdr last nil))
    (throw 'agent-q-fs-find-keep
           (list 'keep (minibuffer-contents-no-properties)
                 (mapcar #'substring-no-properties found)))))

(defun agent-q-fs-find--read (root paths more)
  "Read one of PATHS in ROOT; with MORE, there are others.
Return it, or (keep TEXT PATHS) to list those that match TEXT."
  (let ((table (agent-q-fs-find-table root paths))
        (defaults (agent-q-fs-find--at-point paths))
        (map agent-q-fs-find-map))
    (catch 'agent-q-fs-find-keep
      (minibuffer-with-setup-hook
          (lambda ()
            (setq bidi-display-reordering nil)
            (use-local-map (make-composed-keymap map (current-local-map))))
        (let ((default-directory root))
          (completing-read (format "Find file in %s%s: "
                                   (agent-q-fs-show-visible (abbreviate-file-name root) t)
                                   (if more (format " (the first %d)" (length paths)) ""))
                           table nil t nil 'agent-q-fs-find--history defaults))))))

(defun agent-q-fs-find--show (workspace text paths)
  "List PATHS of WORKSPACE, which match TEXT, in a buffer."
  (let ((buffer (get-buffer-create "*agent-q-fs files*")))
    (with-current-buffer buffer
      (agent-q-fs-find-mode)
      (agent-q-fs-ui-belong workspace)
      (setq header-line-format
            (string-replace "%" "%%" (format " %s: %d file%s"
                                             (agent-q-fs-show-visible text t) (length paths)
                                             (if (length= paths 1) "" "s"))))
      (with-silent-modifications
        (erase-buffer)
        (dolist (path paths)
          (insert (propertize (agent-q-fs-ui-visible path t)
                              'face 'agent-q-fs-ui-path 'mouse-face 'highlight
                              'agent-q-fs-path path)
                  "\n")))
      (goto-char (point-min)))
    (pop-to-buffer buffer)))

;;;###autoload
(defun agent-q-fs-find (&optional directory)
  "Find a file of the project by parts of its path, in any order, and visit it.
Words with * or ? are globs.  Files that you visited lately come first, and
those that git ignores are left out, unless their directory is named.
\\<agent-q-fs-find-map>\\[agent-q-fs-find-keep] lists all that match in a buffer instead.
With a prefix argument, ask for the DIRECTORY to search."
  (interactive (list (and current-prefix-arg
                          (agent-q-fs-find-read-path "Find in directory" "."))))
  (pcase-let* ((workspace (agent-q-fs-ui-workspace))
               (root (agent-q-fs-workspace-root workspace))
               (`(,paths . ,more) (agent-q-fs-find--list workspace (or directory "."))))
    (unless paths (user-error "There are no files"))
    (pcase (agent-q-fs-find--read root paths more)
      (`(keep ,text ,found) (agent-q-fs-find--show workspace text found))
      ("" (user-error "No file was chosen"))
      (path (let ((agent-q-fs-ui--workspace workspace))
              (agent-q-fs-ui-visit (concat root path)))))))


;;;; A path, a directory at a time

(defun agent-q-fs-find--names (workspace directory)
  "Return the names in DIRECTORY of WORKSPACE, those of directories with a slash."
  (condition-case nil
      (let ((agent-q-fs--told t))       ; completion emits no events
        (mapcar (lambda (entry)
                  (agent-q-fs-find-safe
                   (concat (plist-get entry :name)
                           (if (eq :directory (plist-get entry :type)) "/" ""))))
                (plist-get (agent-q-fs-list-directory
                            workspace :path directory :limit 10000 :show_hidden t
                            :exclude_patterns [])
                           :entries)))
    (agent-q-fs-error nil)))

(defun agent-q-fs-find--path-table (workspace)
  "Return a completion table of the paths in WORKSPACE."
  (lambda (string predicate action)
    (let* ((directory (or (file-name-directory string) ""))
           (table (lambda ()
                    (agent-q-fs-find--names workspace
                                            (if (equal directory "") "." directory)))))
      (pcase action
        ('metadata '(metadata (category . file)))
        (`(boundaries . ,suffix)
         `(boundaries ,(length directory) . ,(or (string-search "/" suffix) (length suffix))))
        (_ (let ((found (complete-with-action action (funcall table)
                                              (substring string (length directory)) predicate)))
             (if (and (null action) (stringp found)) (concat directory found) found)))))))

(defvar agent-q-fs-find--paths nil
  "Paths that were read.")

(defun agent-q-fs-find-read-path (prompt &optional default initial)
  "Read a path in the workspace with PROMPT, which has no colon at its end.
DEFAULT is the value of an empty answer, INITIAL the initial text."
  (let* ((workspace (agent-q-fs-ui-workspace))
         (default-directory (agent-q-fs-workspace-root workspace))
         (completion-ignore-case nil)
         (minibuffer-completing-file-name t) ; what annotates, looks for this
         (path (minibuffer-with-setup-hook (lambda () (setq bidi-display-reordering nil))
                 (completing-read (format-prompt prompt default)
                                  (agent-q-fs-find--path-table workspace)
                                  nil nil initial 'agent-q-fs-find--paths default))))
    (when (equal path "")
      (user-error "No path was given"))
    (if (or (equal path "/") (not (string-suffix-p "/" path)))
        path
      (substring path 0 -1))))


;;;; Beside other packages

(defun agent-q-fs-ui--evil ()
  "Give the keys of a list of ours precedence over those of Evil's normal state.
The keys j, k, gg, gr and G are left to it."
  (let ((map (current-local-map)))
    (when (and map (string-prefix-p "agent-q-fs-" (symbol-name major-mode))
               (derived-mode-p 'special-mode))
      (evil-make-overriding-map map 'normal)
      (pcase-dolist (`(,key . ,command)
                     '(("j" . evil-next-line) ("k" . evil-previous-line) ("G" . evil-goto-line)
                       ("gg" . evil-goto-first-line) ("gr" . revert-buffer)))
        (evil-define-key* 'normal map (kbd key) command))
      (evil-normalize-keymaps))))

;;;###autoload
(defun agent-q-fs-evil-setup ()
  "Let the keys of all lists of agent-q-fs work in Evil's normal state."
  (interactive)
  (add-hook 'after-change-major-mode-hook #'agent-q-fs-ui--evil))

;;;###autoload
(defun agent-q-fs-context-menu (menu click)
  "Add commands for the file that CLICK is on to MENU.
Put this into `context-menu-functions'."
  (with-current-buffer (window-buffer (posn-window (event-end click)))
    (when (or buffer-file-name (derived-mode-p 'dired-mode))
      (define-key menu [agent-q-fs]
        (list 'menu-item "Agent Files"
              (agent-q-fs-ui--add-items
               (make-sparse-keymap)
               '((agent-q-fs . "All Commands...") (agent-q-fs-delete . "Delete...")
                 (agent-q-fs-move . "Move...") (agent-q-fs-grep . "Search...")
                 (agent-q-fs-tree . "Show in Tree")))))))
  menu)

(defvar agent-q-fs-embark-map
  (let ((map (make-sparse-keymap)))
    (define-key map "V" #'agent-q-fs-view)
    (define-key map "M" #'agent-q-fs-move)
    (define-key map "Y" #'agent-q-fs-copy)
    (define-key map "X" #'agent-q-fs-delete)
    map)
  "Actions of Embark on files of `agent-q-fs-find', besides those on any file.")

(defun agent-q-fs-find--whole-name (type path)
  "Return PATH of TYPE, with the whole name of the file, for Embark."
  (cons type (expand-file-name path)))

;;;###autoload
(defun agent-q-fs-embark-setup ()
  "Let Embark act on the files of `agent-q-fs-find', and export them to Dired."
  (interactive)
  (pcase-dolist (`(,variable . ,value)
                 '((embark-keymap-alist agent-q-fs-embark-map embark-file-map)
                   (embark-transformer-alist . agent-q-fs-find--whole-name)
                   (embark-exporters-alist . embark-export-dired)))
    (add-to-list variable (cons 'agent-q-fs-file value))))


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
    (set-keymap-parent map agent-q-fs-ui-mode-map)
    (define-key map "n" #'next-line)
    (define-key map "p" #'previous-line)
    (define-key map "]" #'agent-q-fs-view-next)
    (define-key map "[" #'agent-q-fs-view-previous)
    (define-key map "l" #'agent-q-fs-view-from)
    map)
  "Keys where lines of a file are shown.")

(define-derived-mode agent-q-fs-view-mode agent-q-fs-ui-mode "View"
  "Lines of a file.
\\{agent-q-fs-view-mode-map}"
  (setq-local revert-buffer-function
              (lambda (&rest _) (agent-q-fs-view--show agent-q-fs-view--place))
              agent-q-fs-ui-place-function #'agent-q-fs-view--at-point
              truncate-lines nil
              header-line-format '(:eval (agent-q-fs-view--header)))
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
                                              :start_line start :end_line end))))
    (with-silent-modifications
      (erase-buffer)
      (insert (plist-get reply :content)))
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
  (interactive (append (list (agent-q-fs-find-read-path "View file" (agent-q-fs-ui-path-here)))
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
          (agent-q-fs-ui-belong workspace)
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
  "Show the lines after these."
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

(defun agent-q-fs-view--at-point ()
  "Return the place that this line shows, (PATH LINE COLUMN)."
  (list (plist-get agent-q-fs-view--facts :path)
        (+ display-line-numbers-offset (line-number-at-pos))
        (current-column)))

(provide 'agent-q-fs-find)
;;; agent-q-fs-find.el ends here
