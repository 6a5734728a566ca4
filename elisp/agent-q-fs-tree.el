;;; agent-q-fs-tree.el --- The project as a tree  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; `agent-q-fs-tree' shows a directory as a tree whose directories fold.  The whole
;; tree is read at once, beside Emacs.  The contents of folded directories are not
;; in the buffer, so that a big project is shown as quickly as a small one.

;;; Code:

(require 'agent-q-fs-ui)
(require 'cl-lib)
(require 'seq)

(declare-function agent-q-fs-create "agent-q-fs-change" (path content))
(declare-function agent-q-fs-move "agent-q-fs-change" (source destination))
(declare-function agent-q-fs-delete "agent-q-fs-change" (path))
(declare-function agent-q-fs-grep "agent-q-fs-grep" (pattern &optional path include))
(declare-function agent-q-fs-find "agent-q-fs-find" (&optional directory))

(defcustom agent-q-fs-tree-limit 100000
  "The most entries that a tree has; 0 is all there are."
  :type 'natnum
  :group 'agent-q-fs-ui)

(defcustom agent-q-fs-tree-exclude '(".git" "node_modules" "*.elc" "*.fasl" "*.o")
  "Globs of basenames that trees leave out, until \\`x' is pressed there."
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

(defvar agent-q-fs-tree-mode-map
  (let ((map (make-sparse-keymap)))
    (set-keymap-parent map special-mode-map)
    (define-key map "\C-m" #'agent-q-fs-tree-visit)
    (define-key map "o" #'agent-q-fs-tree-visit-other-window)
    (define-key map [mouse-2] #'agent-q-fs-tree-visit-at-mouse)
    (define-key map [follow-link] 'mouse-face)
    (define-key map "\t" #'agent-q-fs-tree-toggle)
    (define-key map [backtab] #'agent-q-fs-tree-toggle-all)
    (define-key map "n" #'next-line)
    (define-key map "p" #'previous-line)
    (define-key map "^" #'agent-q-fs-tree-up)
    (define-key map "\C-c\C-k" #'agent-q-fs-tree-stop)
    (define-key map "x" #'agent-q-fs-tree-toggle-exclusions)
    (define-key map "X" #'agent-q-fs-tree-set-exclusions)
    (define-key map "s" #'agent-q-fs-tree-toggle-order)
    (define-key map "z" #'agent-q-fs-tree-toggle-sizes)
    (define-key map "w" #'agent-q-fs-tree-copy-path)
    (define-key map "S" #'agent-q-fs-tree-grep)
    (define-key map "f" #'agent-q-fs-find)
    (define-key map "+" #'agent-q-fs-tree-create)
    (define-key map "R" #'agent-q-fs-tree-move)
    (define-key map "D" #'agent-q-fs-tree-delete)
    map)
  "Keys in a tree.")

(define-derived-mode agent-q-fs-tree-mode special-mode "Tree"
  "A directory as a tree.
\\{agent-q-fs-tree-mode-map}"
  (setq-local revert-buffer-function (lambda (&rest _) (agent-q-fs-tree--read))
              imenu-create-index-function #'agent-q-fs-tree--imenu
              truncate-lines t
              bidi-paragraph-direction 'left-to-right
              bidi-display-reordering nil
              header-line-format '(:eval (agent-q-fs-tree--header))
              buffer-undo-list t
              agent-q-fs-tree--open (make-hash-table :test #'equal)
              agent-q-fs-tree--exclude (default-value 'agent-q-fs-tree-exclude)))

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
      (insert (propertize (concat "  " (file-size-human-readable size))
                          'face 'agent-q-fs-ui-note)))
    (insert "\n")
    (add-text-properties start (point)
                         (list 'agent-q-fs-node node
                               'agent-q-fs-path (agent-q-fs-tree-node-path node)))
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

(defun agent-q-fs-tree--print (&optional path)
  "Redraw the tree, and go to PATH or to the line where point was."
  (let ((inhibit-read-only t)
        (line (line-number-at-pos))
        (path (or path
                  (and (agent-q-fs-tree--here t)
                       (agent-q-fs-tree-node-path (agent-q-fs-tree--here t))))))
    (erase-buffer)
    (agent-q-fs-tree--deep (agent-q-fs-tree--insert agent-q-fs-tree--top))
    (unless (and path (agent-q-fs-tree-goto path))
      (goto-char (point-min))
      (forward-line (1- (min line (max 1 (1- (line-number-at-pos (point-max)))))))
      (agent-q-fs-tree--to-name))
    (dolist (window (get-buffer-window-list nil nil t))
      (set-window-point window (point)))))

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
            (format "%d file%s, %d director%s%s"
                    (plist-get reply :files) (if (= 1 (plist-get reply :files)) "" "s")
                    (plist-get reply :directories)
                    (if (= 1 (plist-get reply :directories)) "y" "ies")
                    (if (plist-get reply :truncated) ", not all shown" "")))
      (agent-q-fs-tree--print agent-q-fs-tree--wanted))
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
(defun agent-q-fs-tree (&optional path)
  "Show the project as a tree whose directories fold.
With a prefix argument, ask for the PATH of the directory to show."
  (interactive (list (and current-prefix-arg
                          (agent-q-fs-ui-read-path "Tree of directory" "."))))
  (let* ((workspace (agent-q-fs-ui-workspace))
         (path (or path "."))
         (here (agent-q-fs-ui-path buffer-file-name))
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
        (setq agent-q-fs-ui--workspace workspace
              agent-q-fs-tree--path path
              default-directory (agent-q-fs-workspace-root workspace)))
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
  (let ((inhibit-read-only t)
        (depth (agent-q-fs-tree-node-depth node)))
    (beginning-of-line)
    (let ((start (point)))
      (forward-line)
      (while (and (not (eobp))
                  (let ((below (agent-q-fs-tree--here t)))
                    (or (null below) (< depth (agent-q-fs-tree-node-depth below)))))
        (forward-line))
      (delete-region start (point))
      (agent-q-fs-tree--deep (agent-q-fs-tree--insert node))
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

(defun agent-q-fs-tree-visit-other-window ()
  "Visit the file at point in another window."
  (interactive nil agent-q-fs-tree-mode)
  (agent-q-fs-tree-visit t))

(defun agent-q-fs-tree-visit-at-mouse (event)
  "Visit the file, or fold the directory, that EVENT, a click, is on."
  (interactive "e" agent-q-fs-tree-mode)
  (mouse-set-point event)
  (agent-q-fs-tree-visit))

(defun agent-q-fs-tree-stop ()
  "Stop reading the tree; the old one stays."
  (interactive nil agent-q-fs-tree-mode)
  (unless (agent-q-fs-ui-stop)
    (user-error "The tree has been read")))

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

(defun agent-q-fs-tree-copy-path ()
  "Put the path of the file at point into the kill ring."
  (interactive nil agent-q-fs-tree-mode)
  (let ((path (agent-q-fs-tree-node-path (agent-q-fs-tree--here))))
    (kill-new path)
    (message "%s" (agent-q-fs-show-visible path t))))

(defun agent-q-fs-tree--directory ()
  "Return the path of the directory at point, or that the file at point is in."
  (let ((node (agent-q-fs-tree--here)))
    (if (agent-q-fs-tree--directory-p node)
        (agent-q-fs-tree-node-path node)
      (directory-file-name (or (file-name-directory (agent-q-fs-tree-node-path node)) ".")))))

(defun agent-q-fs-tree-grep (pattern)
  "Search for PATTERN in the directory at point."
  (interactive (list (read-regexp "Search here for")) agent-q-fs-tree-mode)
  (agent-q-fs-grep pattern (agent-q-fs-tree--directory)))

(defun agent-q-fs-tree--changed ()
  "Read the tree again, because a command has changed it."
  (when (derived-mode-p 'agent-q-fs-tree-mode)
    (agent-q-fs-tree--read)))

(defun agent-q-fs-tree-create (path content)
  "Create a file with PATH and CONTENT, by default in the directory at point."
  (interactive
   (list (agent-q-fs-ui-read-path
          "Create file" nil
          (let ((directory (agent-q-fs-tree--directory)))
            (if (equal directory ".") nil (file-name-as-directory directory))))
         (agent-q-fs-ui-read-text "Content"))
   agent-q-fs-tree-mode)
  (agent-q-fs-create path content)
  (setq agent-q-fs-tree--wanted path)
  (agent-q-fs-tree--unfold-to path)
  (agent-q-fs-tree--changed))

(defun agent-q-fs-tree-move (destination)
  "Move or rename the file at point to DESTINATION."
  (interactive (list (agent-q-fs-ui-read-path
                      "Move to" nil (agent-q-fs-tree-node-path (agent-q-fs-tree--here))))
               agent-q-fs-tree-mode)
  (agent-q-fs-move (agent-q-fs-tree-node-path (agent-q-fs-tree--here)) destination)
  (setq agent-q-fs-tree--wanted destination)
  (agent-q-fs-tree--unfold-to destination)
  (agent-q-fs-tree--changed))

(defun agent-q-fs-tree-delete ()
  "Delete the file or directory at point, after showing what is deleted."
  (interactive nil agent-q-fs-tree-mode)
  (agent-q-fs-delete (agent-q-fs-tree-node-path (agent-q-fs-tree--here)))
  (agent-q-fs-tree--changed))

(defun agent-q-fs-tree--imenu ()
  "Return the directories that are shown as an index for `imenu'."
  (let (index)
    (save-excursion
      (goto-char (point-min))
      (while (not (eobp))
        (let ((node (agent-q-fs-tree--here t)))
          (when (and node (agent-q-fs-tree--directory-p node))
            (push (cons (agent-q-fs-tree-node-path node) (point)) index)))
        (forward-line)))
    (nreverse index)))

(provide 'agent-q-fs-tree)
;;; agent-q-fs-tree.el ends here
