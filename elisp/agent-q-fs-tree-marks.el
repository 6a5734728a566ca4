;;; agent-q-fs-tree-marks.el --- Marks in a tree, and what is done to marked files  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; In a tree, files are marked, and marked files are deleted, moved and copied, with
;; the keys of Dired.  Each command shows everything that it would do, and asks once.
;;
;; Git is asked, beside Emacs, which files have changed; its letters stand before
;; their lines.

;;; Code:

(require 'agent-q-fs-tree)
(require 'subr-x)

(declare-function agent-q-fs-change--destinations "agent-q-fs-change" (verb paths))
(declare-function agent-q-fs-copy "agent-q-fs-change" (source destination))
(declare-function agent-q-fs-create "agent-q-fs-change" (path &optional content then))
(declare-function agent-q-fs-delete "agent-q-fs-change" (paths))
(declare-function agent-q-fs-mkdir "agent-q-fs-change" (path))
(declare-function agent-q-fs-move "agent-q-fs-change" (source destination))

(defcustom agent-q-fs-tree-git t
  "Whether trees show what git says about files that have changed.
That is the only program that a command by hand starts."
  :type 'boolean
  :group 'agent-q-fs-ui)

(defface agent-q-fs-tree-changed '((t :inherit warning))
  "Face for the letter of a file that differs from the last commit."
  :group 'agent-q-fs-ui)

(defface agent-q-fs-tree-marked '((t :inherit error))
  "Face for marks."
  :group 'agent-q-fs-ui)

(defvar-local agent-q-fs-tree--git-process nil
  "The git that is asked about the files, while it runs.")


;;;; Marks

(defun agent-q-fs-tree--prefix (path)
  "Return what stands before the line of PATH: its mark, and what git says."
  (let ((mark (gethash path agent-q-fs-tree--marks))
        (letter (gethash path agent-q-fs-tree--git)))
    (concat (if mark (propertize (string mark) 'face 'agent-q-fs-tree-marked) " ")
            (if letter (propertize letter 'face 'agent-q-fs-tree-changed) " ")
            " ")))

(defun agent-q-fs-tree--marked (&optional mark)
  "Return the paths that have MARK, by default *, in their order."
  (let (paths)
    (maphash (lambda (path character)
               (when (eq character (or mark ?*)) (push path paths)))
             agent-q-fs-tree--marks)
    (sort paths #'string<)))

(defun agent-q-fs-tree--chosen ()
  "Return the paths that are marked, or else that of the line at point."
  (or (agent-q-fs-tree--marked)
      (list (agent-q-fs-tree-node-path (agent-q-fs-tree--here)))))

(defun agent-q-fs-tree--put-prefix ()
  "Show the mark of the line at point, and what git says about it."
  (let ((path (get-text-property (line-beginning-position) 'agent-q-fs-path)))
    (when path
      (with-silent-modifications
        (put-text-property (line-beginning-position) (line-beginning-position 2)
                           'line-prefix (agent-q-fs-tree--prefix path))))))

(defun agent-q-fs-tree--put-prefixes ()
  "Show all marks, and what git says."
  (save-excursion
    (goto-char (point-min))
    (while (not (eobp))
      (agent-q-fs-tree--put-prefix)
      (forward-line))))

(defun agent-q-fs-tree--set-mark (mark)
  "Give MARK, or nil, to the file at point, and go to the next line."
  (let ((node (agent-q-fs-tree--here)))
    (when (zerop (agent-q-fs-tree-node-depth node))
      (user-error "The whole tree cannot be marked"))
    (if mark
        (puthash (agent-q-fs-tree-node-path node) mark agent-q-fs-tree--marks)
      (remhash (agent-q-fs-tree-node-path node) agent-q-fs-tree--marks))
    (agent-q-fs-tree--put-prefix)
    (agent-q-fs-tree-next)))

(defun agent-q-fs-tree-mark ()
  "Mark the file at point."
  (interactive nil agent-q-fs-tree-mode)
  (agent-q-fs-tree--set-mark ?*))

(defun agent-q-fs-tree-flag ()
  "Flag the file at point for deletion."
  (interactive nil agent-q-fs-tree-mode)
  (agent-q-fs-tree--set-mark ?D))

(defun agent-q-fs-tree-unmark ()
  "Take the mark from the file at point."
  (interactive nil agent-q-fs-tree-mode)
  (agent-q-fs-tree--set-mark nil))

(defun agent-q-fs-tree-unmark-all ()
  "Take the marks from all files."
  (interactive nil agent-q-fs-tree-mode)
  (clrhash agent-q-fs-tree--marks)
  (agent-q-fs-tree--put-prefixes))

(defun agent-q-fs-tree-mark-regexp (regexp &optional mark)
  "Mark the files that are shown and whose names match REGEXP, one of Emacs.
MARK is the mark, by default *."
  (interactive (list (read-regexp "Mark files whose names match")) agent-q-fs-tree-mode)
  (save-excursion
    (goto-char (point-min))
    (while (not (eobp))
      (let ((node (agent-q-fs-tree--here t)))
        (when (and node (not (agent-q-fs-tree--directory-p node))
                   (string-match-p regexp (agent-q-fs-tree-node-name node)))
          (puthash (agent-q-fs-tree-node-path node) (or mark ?*) agent-q-fs-tree--marks)
          (agent-q-fs-tree--put-prefix)))
      (forward-line))))

(defun agent-q-fs-tree-flag-regexp (regexp)
  "Flag the files that are shown and whose names match REGEXP for deletion."
  (interactive (list (read-regexp "Flag files whose names match")) agent-q-fs-tree-mode)
  (agent-q-fs-tree-mark-regexp regexp ?D))


;;;; Changes

(defun agent-q-fs-tree--changed (&optional wanted)
  "Read the tree again, which a command has changed, and go to the path WANTED."
  (when (derived-mode-p 'agent-q-fs-tree-mode)
    (when wanted
      (setq agent-q-fs-tree--wanted wanted)
      (agent-q-fs-tree--unfold-to wanted))
    (agent-q-fs-tree--read)))

(defun agent-q-fs-tree--read-new (prompt)
  "Read the path of a new file with PROMPT, in the directory at point at first."
  (let ((directory (agent-q-fs-tree--directory)))
    (agent-q-fs-find-read-path
     prompt nil (unless (equal directory ".") (file-name-as-directory directory)))))

(defun agent-q-fs-tree-create (path &optional content)
  "Create a file with PATH, by default in the directory at point.
Its CONTENT, if that is nil, is written in a buffer."
  (interactive (list (agent-q-fs-tree--read-new "Create file")) agent-q-fs-tree-mode)
  (let ((tree (current-buffer)))
    (agent-q-fs-create path content
                       (lambda ()
                         (when (buffer-live-p tree)
                           (with-current-buffer tree (agent-q-fs-tree--changed path)))))))

(defun agent-q-fs-tree-mkdir (path)
  "Make a directory with PATH, by default in the directory at point."
  (interactive (list (agent-q-fs-tree--read-new "Make directory")) agent-q-fs-tree-mode)
  (agent-q-fs-mkdir path)
  (agent-q-fs-tree--changed path))

(defun agent-q-fs-tree--to (verb destination function)
  "Call FUNCTION to VERB the chosen files to DESTINATION, which is read if nil."
  (require 'agent-q-fs-change)
  (let* ((paths (agent-q-fs-tree--chosen))
         (pairs (if destination
                    (list (cons (car paths) destination))
                  (agent-q-fs-change--destinations verb paths))))
    (funcall function pairs nil)
    (clrhash agent-q-fs-tree--marks)
    (agent-q-fs-tree--changed (cdar pairs))))

(defun agent-q-fs-tree-move (&optional destination)
  "Move or rename the marked files, or that at point, to DESTINATION."
  (interactive nil agent-q-fs-tree-mode)
  (agent-q-fs-tree--to "Move" destination #'agent-q-fs-move))

(defun agent-q-fs-tree-copy (&optional destination)
  "Copy the marked files, or that at point, to DESTINATION."
  (interactive nil agent-q-fs-tree-mode)
  (agent-q-fs-tree--to "Copy" destination #'agent-q-fs-copy))

(defun agent-q-fs-tree-delete (&optional paths)
  "Delete PATHS, by default the marked files or that at point.
The files to delete are shown first."
  (interactive nil agent-q-fs-tree-mode)
  (agent-q-fs-delete (or paths (agent-q-fs-tree--chosen)))
  (clrhash agent-q-fs-tree--marks)
  (agent-q-fs-tree--changed))

(defun agent-q-fs-tree-execute ()
  "Delete the files that are flagged for that, after showing what is deleted."
  (interactive nil agent-q-fs-tree-mode)
  (agent-q-fs-tree-delete (or (agent-q-fs-tree--marked ?D)
                              (user-error "No file is flagged for deletion"))))


;;;; The letters of git

(defun agent-q-fs-tree--end-git ()
  "End the git that is asked about the files here."
  (when (process-live-p agent-q-fs-tree--git-process)
    (delete-process agent-q-fs-tree--git-process)))

(defun agent-q-fs-tree--ask-git ()
  "Ask git about the files here, and show its letters when they have come."
  (agent-q-fs-tree--end-git)
  (when (and (default-value 'agent-q-fs-tree-git)
             (executable-find "git")
             (file-exists-p (concat default-directory ".git")))
    (let ((tree (current-buffer)) (output ""))
      (setq agent-q-fs-tree--git-process
            (make-process
             ;; Git obeys the project's own configuration; what could run a program is off.
             :name "agent-q-fs-git" :noquery t :coding 'utf-8-unix :connection-type 'pipe
             :command '("git" "--no-optional-locks" "-c" "core.fsmonitor=false"
                        "-c" "core.hooksPath=/dev/null" "status" "--porcelain" "-z"
                        "--ignore-submodules=all" "--untracked-files=normal")
             :filter (lambda (_ text) (setq output (concat output text)))
             :sentinel (lambda (process _)
                         (when (and (eq 'exit (process-status process))
                                    (eq 0 (process-exit-status process))
                                    (buffer-live-p tree))
                           (with-current-buffer tree
                             (agent-q-fs-tree--show-git output)))))))))

(defun agent-q-fs-tree--show-git (output)
  "Show what OUTPUT of git says, and that of directories what is in them."
  (clrhash agent-q-fs-tree--git)
  (let ((entries (split-string output "\0" t)))
    (while entries
      (let* ((entry (pop entries))
             (letter (if (string-prefix-p "??" entry) "?"
                       (substring (string-trim-left (substring entry 0 2)) 0 1)))
             (path (directory-file-name (substring entry 3))))
        (when (string-match-p "\\`[RC]" entry) (pop entries)) ; where it was before
        (puthash path letter agent-q-fs-tree--git)
        (while (setq path (file-name-directory path))
          (setq path (directory-file-name path))
          (unless (gethash path agent-q-fs-tree--git)
            (puthash path "." agent-q-fs-tree--git))))))
  (agent-q-fs-tree--put-prefixes))

(provide 'agent-q-fs-tree-marks)
;;; agent-q-fs-tree-marks.el ends here
