;;; agent-q-fs-tree.el --- The project as a tree  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; `agent-q-fs-tree' shows a directory as a tree whose directories fold.  The whole
;; tree is read at once, beside Emacs.  The contents of folded directories are not
;; in the buffer, so that a big project is shown as quickly as a small one.
;;
;; Marks and what git says about a file are prefixes of lines, not text; they are in
;; agent-q-fs-tree-marks.el.

;;; Code:

(require 'agent-q-fs-find)
(require 'cl-lib)
(require 'seq)

(declare-function agent-q-fs-grep "agent-q-fs-grep" (pattern &optional path include))
(declare-function agent-q-fs-grep-read "agent-q-fs-grep" (prompt))
(declare-function agent-q-fs-tree--ask-git "agent-q-fs-tree-marks" ())
(declare-function agent-q-fs-tree--end-git "agent-q-fs-tree-marks" ())
(declare-function agent-q-fs-tree--marked "agent-q-fs-tree-marks" (&optional mark))
(declare-function agent-q-fs-tree--prefix "agent-q-fs-tree-marks" (path))
(declare-function bookmark-prop-get "bookmark" (bookmark prop))

(defcustom agent-q-fs-tree-limit 100000
  "The most entries that a tree has; 0 is all there are."
  :type 'natnum
  :group 'agent-q-fs-ui)

(defcustom agent-q-fs-tree-exclude '(".git" "node_modules" "*.elc" "*.fasl" "*.o")
  "Globs of basenames that trees leave out, until the key `a' is typed there."
  :type '(repeat string)
  :group 'agent-q-fs-ui)

(cl-defstruct (agent-q-fs-tree-node (:constructor agent-q-fs-tree--make-node)
                                    (:copier nil))
  "An entry of a tree."
  name path type size depth children more)

(defvar-local agent-q-fs-tree--top nil
  "The node of the directory that this buffer shows, once it was read.")

(defvar-local agent-q-fs-tree--path "."
  "The path of that directory.")

(defvar-local agent-q-fs-tree--open nil
  "A hash table of the paths of the directories that are unfolded.")

(defvar-local agent-q-fs-tree--exclude nil
  "The globs that are left out, or would be if anything were.")

(defvar-local agent-q-fs-tree--excluding t
  "Whether anything is left out.")

(defvar-local agent-q-fs-tree--sizes t
  "Whether sizes are shown.")

(defvar-local agent-q-fs-tree--by-size nil
  "Whether the largest entries come first.")

(defvar-local agent-q-fs-tree--state ""
  "The state of the tree in words.")

(defvar-local agent-q-fs-tree--wanted nil
  "The path to go to when the tree has come.")

(defvar-local agent-q-fs-tree--marks nil
  "A hash table from the paths that are marked to their marks, characters.")

(defvar-local agent-q-fs-tree--git nil
  "A hash table from paths to the letters that git has for them.")

(defvar agent-q-fs-tree-mode-map
  (let ((map (make-sparse-keymap)))
    (set-keymap-parent map agent-q-fs-ui-mode-map)
    (define-key map [remap agent-q-fs-ui-open] #'agent-q-fs-tree-visit)
    (define-key map "\t" #'agent-q-fs-tree-toggle)
    (define-key map [backtab] #'agent-q-fs-tree-toggle-all)
    (define-key map "n" #'agent-q-fs-tree-next)
    (define-key map "p" #'agent-q-fs-tree-previous)
    (define-key map "^" #'agent-q-fs-tree-up)
    (define-key map "a" #'agent-q-fs-tree-toggle-exclusions)
    (define-key map "X" #'agent-q-fs-tree-set-exclusions)
    (define-key map "s" #'agent-q-fs-tree-toggle-order)
    (define-key map "z" #'agent-q-fs-tree-toggle-sizes)
    (define-key map "S" #'agent-q-fs-tree-grep)
    (define-key map "f" #'agent-q-fs-find)
    (define-key map "i" #'agent-q-fs-tree-definition)
    (define-key map "m" #'agent-q-fs-tree-mark)
    (define-key map "d" #'agent-q-fs-tree-flag)
    (define-key map "u" #'agent-q-fs-tree-unmark)
    (define-key map "U" #'agent-q-fs-tree-unmark-all)
    (define-key map "%m" #'agent-q-fs-tree-mark-regexp)
    (define-key map "%d" #'agent-q-fs-tree-flag-regexp)
    (define-key map "x" #'agent-q-fs-tree-execute)
    (define-key map "N" #'agent-q-fs-tree-create)
    (define-key map "+" #'agent-q-fs-tree-mkdir)
    (define-key map "R" #'agent-q-fs-tree-move)
    (define-key map "C" #'agent-q-fs-tree-copy)
    (define-key map "D" #'agent-q-fs-tree-delete)
    map)
  "Keys in a tree.")

(easy-menu-define agent-q-fs-tree-menu agent-q-fs-tree-mode-map
  "Menu of a tree."
  '("Tree"
    ["Visit or Fold" agent-q-fs-ui-open]
    ["Fold or Unfold All" agent-q-fs-tree-toggle-all]
    ["Show in Dired" agent-q-fs-ui-dired]
    ["Search Here..." agent-q-fs-tree-grep]
    ["Find a File..." agent-q-fs-find]
    "--"
    ["Mark" agent-q-fs-tree-mark]
    ["Flag for Deletion" agent-q-fs-tree-flag]
    ["Delete What Is Flagged" agent-q-fs-tree-execute]
    ["Unmark All" agent-q-fs-tree-unmark-all]
    "--"
    ["New File..." agent-q-fs-tree-create]
    ["New Directory..." agent-q-fs-tree-mkdir]
    ["Move or Rename..." agent-q-fs-tree-move]
    ["Copy..." agent-q-fs-tree-copy]
    ["Delete" agent-q-fs-tree-delete]
    "--"
    ["Leave Files Out" agent-q-fs-tree-toggle-exclusions
     :style toggle :selected agent-q-fs-tree--excluding]
    ["Largest First" agent-q-fs-tree-toggle-order
     :style toggle :selected agent-q-fs-tree--by-size]
    ["Sizes" agent-q-fs-tree-toggle-sizes
     :style toggle :selected agent-q-fs-tree--sizes]
    ["Read Again" revert-buffer]))

(define-derived-mode agent-q-fs-tree-mode agent-q-fs-ui-mode "Tree"
  "A directory as a tree.
\\{agent-q-fs-tree-mode-map}"
  (setq-local revert-buffer-function (lambda (&rest _) (agent-q-fs-tree--read))
              imenu-create-index-function #'agent-q-fs-tree--imenu
              bookmark-make-record-function #'agent-q-fs-tree--bookmark
              agent-q-fs-ui-marked-function #'agent-q-fs-tree--marked
              header-line-format '(:eval (agent-q-fs-tree--header))
              agent-q-fs-tree--open (make-hash-table :test #'equal)
              agent-q-fs-tree--marks (make-hash-table :test #'equal)
              agent-q-fs-tree--git (make-hash-table :test #'equal)
              agent-q-fs-tree--exclude (default-value 'agent-q-fs-tree-exclude))
  (add-hook 'kill-buffer-hook #'agent-q-fs-tree--end-git nil t))

(defun agent-q-fs-tree--header ()
  "Return the header above the tree."
  (string-replace
   "%" "%%"
   (concat " " (agent-q-fs-show-visible (agent-q-fs-ui-file agent-q-fs-tree--path) t)
           "  " agent-q-fs-tree--state
           (if agent-q-fs-tree--excluding
               (concat ", without " (string-join agent-q-fs-tree--exclude " "))
             ", nothing left out"))))


;;;; The nodes

(defmacro agent-q-fs-tree--deep (&rest body)
  "Run BODY, which recurs as deep as directories do, and for each of their files.
Put off collecting garbage meanwhile: all that BODY makes is still needed."
  (declare (indent 0) (debug (body)))
  `(let ((max-lisp-eval-depth (max max-lisp-eval-depth 20000))
         (gc-cons-threshold (max gc-cons-threshold 268435456)))
     (with-suppressed-warnings ((obsolete max-specpdl-size))
       (let ((max-specpdl-size (max max-specpdl-size 40000)))
         ,@body))))

(defun agent-q-fs-tree--node (entry path depth)
  "Return the node for ENTRY of a reply, which is at PATH and DEPTH."
  (let ((node (agent-q-fs-tree--make-node
               :name (plist-get entry :name) :path path :depth depth
               :type (plist-get entry :type) :size (plist-get entry :size)
               :more (plist-get entry :more))))
    (when (eq :directory (plist-get entry :type))
      (let ((size 0) children)
        (dolist (child (plist-get entry :children))
          (push (agent-q-fs-tree--node
                 child (if (equal path ".") (plist-get child :name)
                         (concat path "/" (plist-get child :name)))
                 (1+ depth))
                children)
          (setq size (+ size (or (agent-q-fs-tree-node-size (car children)) 0))))
        (setf (agent-q-fs-tree-node-children node) (nreverse children)
              (agent-q-fs-tree-node-size node) size)))
    node))

(defun agent-q-fs-tree--children (node)
  "Return the children of NODE in the order that the person chose."
  (let ((children (agent-q-fs-tree-node-children node)))
    (if agent-q-fs-tree--by-size
        (seq-sort-by (lambda (child) (or (agent-q-fs-tree-node-size child) -1)) #'> children)
      children)))

(defun agent-q-fs-tree--directory-p (node)
  "Return non-nil if NODE is a directory."
  (eq :directory (agent-q-fs-tree-node-type node)))

(defun agent-q-fs-tree--open-p (node)
  "Return non-nil if NODE is unfolded."
  (and (agent-q-fs-tree--directory-p node)
       (or (zerop (agent-q-fs-tree-node-depth node))
           (gethash (agent-q-fs-tree-node-path node) agent-q-fs-tree--open))))


;;;; The buffer

(defun agent-q-fs-tree--size-text (size)
  "Return SIZE as it stands after a name: at the right, where there is room."
  (let ((text (propertize (concat "  " size) 'face 'agent-q-fs-ui-note)))
    (put-text-property 0 1 'display `(space :align-to (- right ,(+ 2 (length size)))) text)
    text))

(defun agent-q-fs-tree--insert (node)
  "Insert the line of NODE, and the lines below it if it is unfolded."
  (let* ((directory (agent-q-fs-tree--directory-p node))
         (size (agent-q-fs-tree-node-size node))
         (start (point)))
    (insert (make-string (* 2 (agent-q-fs-tree-node-depth node)) ?\s)
            (cond ((not directory) "  ")
                  ((agent-q-fs-tree--open-p node) "- ")
                  (t "+ "))
            (propertize (concat (agent-q-fs-ui-visible (agent-q-fs-tree-node-name node) t)
                                (pcase (agent-q-fs-tree-node-type node)
                                  (:directory "/") (:symlink "@") (:other "=") (_ "")))
                        'face (if directory 'agent-q-fs-ui-directory 'agent-q-fs-ui-path)
                        'mouse-face 'highlight
                        'help-echo "mouse-2: visit, or fold"))
    (when (and size agent-q-fs-tree--sizes)
      (insert (agent-q-fs-tree--size-text (file-size-human-readable size))))
    (insert "\n")
    (add-text-properties start (point)
                         (list 'agent-q-fs-node node
                               'agent-q-fs-path (agent-q-fs-tree-node-path node)
                               'line-prefix (agent-q-fs-tree--prefix
                                             (agent-q-fs-tree-node-path node))))
    (when (agent-q-fs-tree--open-p node)
      (mapc #'agent-q-fs-tree--insert (agent-q-fs-tree--children node))
      (when (agent-q-fs-tree-node-more node)
        (insert (make-string (+ 4 (* 2 (agent-q-fs-tree-node-depth node))) ?\s)
                (propertize (format "[%d more]" (agent-q-fs-tree-node-more node))
                            'face 'agent-q-fs-ui-note)
                "\n")))))

(defun agent-q-fs-tree--here (&optional no-error)
  "Return the node at point; where there is none, fail unless NO-ERROR."
  (or (get-text-property (line-beginning-position) 'agent-q-fs-node)
      (if no-error nil (user-error "There is no file here"))))

(defun agent-q-fs-tree--to-name ()
  "Go to the name on this line."
  (beginning-of-line)
  (let ((node (agent-q-fs-tree--here t)))
    (when node
      (forward-char (+ 2 (* 2 (agent-q-fs-tree-node-depth node)))))))

(defun agent-q-fs-tree-goto (path)
  "Go to the line of PATH, if it is shown; return non-nil if it is."
  (let ((place nil))
    (save-excursion
      (goto-char (point-min))
      (while (not (or place (eobp)))
        (when (equal path (get-text-property (point) 'agent-q-fs-path))
          (setq place (point)))
        (forward-line)))
    (when place
      (goto-char place)
      (agent-q-fs-tree--to-name)
      t)))

(defun agent-q-fs-tree--windows ()
  "Return where the windows of this buffer are, each as (WINDOW TOP POINT LINE).
TOP and POINT are paths, LINE the number of the line of TOP."
  (mapcar (lambda (window)
            (let ((top (window-start window)))
              (list window (get-text-property top 'agent-q-fs-path)
                    (get-text-property (window-point window) 'agent-q-fs-path)
                    (line-number-at-pos top))))
          (get-buffer-window-list nil nil t)))

(defun agent-q-fs-tree--restore (windows path)
  "Show in WINDOWS what they showed, with point on PATH, if that is not nil."
  (pcase-dolist (`(,window ,top ,point ,line) windows)
    (save-excursion
      (unless (agent-q-fs-tree-goto (or path point ""))
        (goto-char (point-min)))
      (set-window-point window (point))
      (unless (and top (agent-q-fs-tree-goto top))
        (goto-char (point-min))
        (forward-line (1- line)))
      (set-window-start window (line-beginning-position) t))))

(defun agent-q-fs-tree--print (&optional wanted)
  "Redraw the tree, and go to the path WANTED or to the line where point was."
  (let* ((line (line-number-at-pos))
         (here (agent-q-fs-tree--here t))
         (windows (agent-q-fs-tree--windows))
         (path (or wanted (and here (agent-q-fs-tree-node-path here)))))
    (with-silent-modifications
      (erase-buffer)
      (agent-q-fs-tree--deep (agent-q-fs-tree--insert agent-q-fs-tree--top)))
    (unless (and path (agent-q-fs-tree-goto path))
      (goto-char (point-min))
      (forward-line (1- (min line (max 1 (1- (line-number-at-pos (point-max)))))))
      (agent-q-fs-tree--to-name)
      (setq wanted (get-text-property (point) 'agent-q-fs-path)))
    (agent-q-fs-tree--restore windows wanted)))

(defun agent-q-fs-tree--show (reply)
  "Show the tree that REPLY has, or tell why it has none."
  (let ((problem (agent-q-fs-ui-fails-p reply)))
    (if problem
        (progn
          (setq agent-q-fs-tree--state (car (split-string problem "\n")))
          (message "%s" problem))
      (setq agent-q-fs-tree--top
            (agent-q-fs-tree--deep
              (agent-q-fs-tree--node (plist-get reply :tree) (plist-get reply :path) 0))
            agent-q-fs-tree--state
            (format "%d file%s, %d director%s%s%s"
                    (plist-get reply :files) (if (= 1 (plist-get reply :files)) "" "s")
                    (plist-get reply :directories)
                    (if (= 1 (plist-get reply :directories)) "y" "ies")
                    (if (plist-get reply :truncated) ", not all shown" "")
                    (agent-q-fs-find-ignored reply)))
      (agent-q-fs-tree--print agent-q-fs-tree--wanted)
      (agent-q-fs-tree--ask-git))
    (setq agent-q-fs-tree--wanted nil)
    (force-mode-line-update)))

(defun agent-q-fs-tree--read ()
  "Read the tree; the old one stays until the new one has come."
  (setq agent-q-fs-tree--state "reading")
  (agent-q-fs-ui-start "directory_tree"
                       (list :path agent-q-fs-tree--path
                             :limit (default-value 'agent-q-fs-tree-limit)
                             :exclude_patterns
                             (if agent-q-fs-tree--excluding
                                 (vconcat agent-q-fs-tree--exclude)
                               []))
                       "Reading the tree..." nil #'agent-q-fs-tree--show))

;;;###autoload
(defun agent-q-fs-tree (&optional path here)
  "Show the project as a tree whose directories fold.
With a prefix argument, ask for the PATH of the directory to show.  Go to
the path HERE, by default that of the file at hand."
  (interactive (list (and current-prefix-arg
                          (agent-q-fs-find-read-path "Tree of directory" "."))))
  (let* ((workspace (agent-q-fs-ui-workspace))
         (path (or path "."))
         (here (or here (agent-q-fs-ui-path-here)))
         (buffer (get-buffer-create
                  (format "*agent-q-fs tree: %s*"
                          (file-name-nondirectory
                           (directory-file-name
                            (if (equal path ".") (agent-q-fs-workspace-root workspace)
                              path)))))))
    (with-current-buffer buffer
      (unless (and (derived-mode-p 'agent-q-fs-tree-mode)
                   (eq workspace agent-q-fs-ui--workspace)
                   (equal path agent-q-fs-tree--path))
        (agent-q-fs-ui-stop)
        (agent-q-fs-tree-mode)
        (agent-q-fs-ui-belong workspace)
        (setq agent-q-fs-tree--path path))
      (when here
        (agent-q-fs-tree--unfold-to here)
        (setq agent-q-fs-tree--wanted here))
      (agent-q-fs-tree--read))
    (pop-to-buffer buffer)))

(defun agent-q-fs-tree--unfold-to (path)
  "Unfold all directories above PATH."
  (let ((directory path))
    (while (setq directory (file-name-directory directory))
      (setq directory (directory-file-name directory))
      (puthash directory t agent-q-fs-tree--open)
      (when (equal directory "/") (setq directory "")))))


;;;; Commands

(defun agent-q-fs-tree-toggle ()
  "Fold or unfold the directory at point, or the one that point is in."
  (interactive nil agent-q-fs-tree-mode)
  (let ((node (agent-q-fs-tree--here)))
    (unless (agent-q-fs-tree--directory-p node)
      (agent-q-fs-tree-up)
      (setq node (agent-q-fs-tree--here)))
    (when (zerop (agent-q-fs-tree-node-depth node))
      (user-error "The whole tree does not fold"))
    (puthash (agent-q-fs-tree-node-path node) (not (agent-q-fs-tree--open-p node))
             agent-q-fs-tree--open)
    (agent-q-fs-tree--redraw node)))

(defun agent-q-fs-tree--redraw (node)
  "Redraw NODE, whose line point is on, and the lines below it."
  (let ((depth (agent-q-fs-tree-node-depth node)))
    (beginning-of-line)
    (let ((start (point)))
      (forward-line)
      (while (and (not (eobp))
                  (let ((below (agent-q-fs-tree--here t)))
                    (or (null below) (< depth (agent-q-fs-tree-node-depth below)))))
        (forward-line))
      (with-silent-modifications
        (delete-region start (point))
        (agent-q-fs-tree--deep (agent-q-fs-tree--insert node)))
      (goto-char start)
      (agent-q-fs-tree--to-name))))

(defun agent-q-fs-tree-toggle-all ()
  "Fold all directories, or unfold all if none is unfolded."
  (interactive nil agent-q-fs-tree-mode)
  (unless agent-q-fs-tree--top (user-error "The tree is still being read"))
  (if (seq-some #'agent-q-fs-tree--open-p
                (agent-q-fs-tree-node-children agent-q-fs-tree--top))
      (clrhash agent-q-fs-tree--open)
    (agent-q-fs-tree--deep (agent-q-fs-tree--unfold-all agent-q-fs-tree--top)))
  (agent-q-fs-tree--print))

(defun agent-q-fs-tree--unfold-all (node)
  "Unfold the directory NODE and all in it."
  (when (agent-q-fs-tree--directory-p node)
    (puthash (agent-q-fs-tree-node-path node) t agent-q-fs-tree--open)
    (mapc #'agent-q-fs-tree--unfold-all (agent-q-fs-tree-node-children node))))

(defun agent-q-fs-tree-up ()
  "Go to the directory that the file at point is in."
  (interactive nil agent-q-fs-tree-mode)
  (let ((depth (agent-q-fs-tree-node-depth (agent-q-fs-tree--here))))
    (when (zerop depth)
      (user-error "This is the top"))
    (while (<= depth (agent-q-fs-tree-node-depth (agent-q-fs-tree--here)))
      (forward-line -1)
      (while (null (agent-q-fs-tree--here t)) (forward-line -1)))
    (agent-q-fs-tree--to-name)))

(defun agent-q-fs-tree-visit (&optional other)
  "Visit the file at point, with OTHER in another window; fold a directory."
  (interactive nil agent-q-fs-tree-mode)
  (let ((node (agent-q-fs-tree--here)))
    (if (agent-q-fs-tree--directory-p node)
        (agent-q-fs-tree-toggle)
      (agent-q-fs-ui-visit (agent-q-fs-ui-file (agent-q-fs-tree-node-path node)) nil nil other))))

(defun agent-q-fs-tree-next (&optional n)
  "Go to the next line, or the Nth, and there to the name."
  (interactive "p" agent-q-fs-tree-mode)
  (forward-line (or n 1))
  (agent-q-fs-tree--to-name))

(defun agent-q-fs-tree-previous (&optional n)
  "Go to the previous line, or the Nth, and there to the name."
  (interactive "p" agent-q-fs-tree-mode)
  (agent-q-fs-tree-next (- (or n 1))))

(defun agent-q-fs-tree-toggle-exclusions ()
  "Leave out the files that `agent-q-fs-tree-exclude' names, or none."
  (interactive nil agent-q-fs-tree-mode)
  (setq agent-q-fs-tree--excluding (not agent-q-fs-tree--excluding))
  (agent-q-fs-tree--read))

(defun agent-q-fs-tree-set-exclusions (globs)
  "Leave out the basenames that match one of GLOBS, a list."
  (interactive (list (split-string
                      (read-string "Leave out (globs, with blanks between): "
                                   (string-join agent-q-fs-tree--exclude " "))))
               agent-q-fs-tree-mode)
  (setq agent-q-fs-tree--exclude globs
        agent-q-fs-tree--excluding (and globs t))
  (agent-q-fs-tree--read))

(defun agent-q-fs-tree-toggle-order ()
  "Put the largest entries first, or sort by name."
  (interactive nil agent-q-fs-tree-mode)
  (unless agent-q-fs-tree--top (user-error "The tree is still being read"))
  (setq agent-q-fs-tree--by-size (not agent-q-fs-tree--by-size))
  (agent-q-fs-tree--print))

(defun agent-q-fs-tree-toggle-sizes ()
  "Show sizes, or do not."
  (interactive nil agent-q-fs-tree-mode)
  (unless agent-q-fs-tree--top (user-error "The tree is still being read"))
  (setq agent-q-fs-tree--sizes (not agent-q-fs-tree--sizes))
  (agent-q-fs-tree--print))

(defun agent-q-fs-tree--directory ()
  "Return the path of the directory at point, or that the file at point is in."
  (let ((node (agent-q-fs-tree--here)))
    (if (agent-q-fs-tree--directory-p node)
        (agent-q-fs-tree-node-path node)
      (directory-file-name (or (file-name-directory (agent-q-fs-tree-node-path node)) ".")))))

(defun agent-q-fs-tree-grep (pattern)
  "Search for PATTERN in the directory at point."
  (interactive (list (agent-q-fs-grep-read "Search here for")) agent-q-fs-tree-mode)
  (agent-q-fs-grep pattern (agent-q-fs-tree--directory)))


;;;; Bookmarks and the index

(defun agent-q-fs-tree--bookmark ()
  "Return a bookmark of the file at point in this tree."
  (let ((here (agent-q-fs-tree--here t)))
    `(,(format "tree: %s" (abbreviate-file-name (agent-q-fs-ui-file agent-q-fs-tree--path)))
      (root . ,(agent-q-fs-ui-root))
      (path . ,agent-q-fs-tree--path)
      (here . ,(and here (agent-q-fs-tree-node-path here)))
      (handler . agent-q-fs-tree-bookmark-jump))))

;;;###autoload
(defun agent-q-fs-tree-bookmark-jump (bookmark)
  "Show the tree that BOOKMARK is about."
  (require 'bookmark)
  (let ((default-directory (bookmark-prop-get bookmark 'root)))
    (let ((agent-q-fs-ui--workspace nil) (agent-q-fs-workspace nil))
      (agent-q-fs-tree (bookmark-prop-get bookmark 'path)
                       (bookmark-prop-get bookmark 'here)))))


;;;; What Lisp files define

(defconst agent-q-fs-tree--most-forms 20000
  "How many forms of Lisp are listed, at most.")

(defun agent-q-fs-tree--definitions (path)
  "Return what Lisp files define at PATH, a file or directory: (NAME FILE LINE)."
  (let ((reply (agent-q-fs-ui-call "Looking for definitions" (agent-q-fs-ui-workspace) 'list_forms
                                   (list :path path :limit agent-q-fs-tree--most-forms
                                         :exclude_patterns
                                         (and agent-q-fs-tree--excluding
                                              agent-q-fs-tree--exclude)))))
    (cl-loop for form in (plist-get reply :forms)
             for name = (plist-get form :name)
             when (and name (string-match-p "def" (or (plist-get form :kind) "")))
             collect (list (concat name
                                   (and (plist-get form :specializers)
                                        (concat " " (plist-get form :specializers))))
                           (or (plist-get form :path) path)
                           (plist-get form :start-line)))))

(defun agent-q-fs-tree-definition (file line)
  "Visit FILE at LINE, where the Lisp file or directory at point defines something.
Read what, by its name."
  (interactive
   (let* ((found (agent-q-fs-ui-with-words
                   (agent-q-fs-tree--definitions
                    (agent-q-fs-tree-node-path (agent-q-fs-tree--here)))))
          (table (mapcar (lambda (one) (cons (apply #'format "%s  %s:%d" one) (cdr one)))
                         found)))
     (unless table (user-error "Nothing is defined here, in a Lisp that is known"))
     (cdr (assoc (completing-read "Definition: " table nil t) table)))
   agent-q-fs-tree-mode)
  (agent-q-fs-ui-visit (agent-q-fs-ui-file file) line))

(defun agent-q-fs-tree--goto-definition (_name _position file line)
  "Visit FILE at LINE; this is for `imenu'."
  (agent-q-fs-ui-visit (agent-q-fs-ui-file file) line))

(defun agent-q-fs-tree--definitions-index ()
  "Return what Lisp files of the tree define, as a part of an index for `imenu'."
  (let ((found (ignore-error agent-q-fs-error
                 (agent-q-fs-tree--definitions agent-q-fs-tree--path))))
    (when found
      (list (cons "Definitions"
                  (mapcar (pcase-lambda (`(,file . ,there))
                            (cons file
                                  (mapcar (pcase-lambda (`(,name . ,place))
                                            `(,name 1 agent-q-fs-tree--goto-definition ,@place))
                                          there)))
                          (seq-group-by #'cadr found)))))))

(defun agent-q-fs-tree--imenu ()
  "Return an index for `imenu': directories that are shown, and what Lisp defines."
  (let (index)
    (save-excursion
      (goto-char (point-min))
      (while (not (eobp))
        (let ((node (agent-q-fs-tree--here t)))
          (when (and node (agent-q-fs-tree--directory-p node))
            (push (cons (agent-q-fs-tree-node-path node) (point)) index)))
        (forward-line)))
    (append (nreverse index) (agent-q-fs-tree--definitions-index))))

(provide 'agent-q-fs-tree)
;; After `provide', because it uses the functions above.
(require 'agent-q-fs-tree-marks)
;;; agent-q-fs-tree.el ends here
