;;; agent-q-fs-snapshots.el --- The snapshots of a project  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A list of the snapshots.  `=' shows what has changed since the one at point as
;; a diff, `e' compares a file with what it was in ediff, `R' goes back to it,
;; after it has shown what that does; what was there before is a snapshot, too.

;;; Code:

(require 'agent-q-fs-change)
(require 'agent-q-fs-ui)
(require 'diff-mode)
(require 'tabulated-list)

(declare-function ediff-buffers "ediff" (buffer-a buffer-b &optional startup-hooks job-name))

(defvar agent-q-fs-snapshots-mode-map
  (let ((map (make-sparse-keymap)))
    (set-keymap-parent map tabulated-list-mode-map)
    (define-key map "=" #'agent-q-fs-snapshots-diff)
    (define-key map (kbd "RET") #'agent-q-fs-snapshots-diff)
    (define-key map "e" #'agent-q-fs-snapshots-ediff)
    (define-key map "R" #'agent-q-fs-snapshots-restore)
    (define-key map "+" #'agent-q-fs-snapshot-now)
    (define-key map "x" #'agent-q-fs-snapshots-prune)
    map)
  "Keys in the list of snapshots.")

(define-derived-mode agent-q-fs-snapshots-mode tabulated-list-mode "Snapshots"
  "The snapshots of a project.
\\<agent-q-fs-snapshots-mode-map>\\[agent-q-fs-snapshots-diff] \
shows what has changed since the one at point, \
\\[agent-q-fs-snapshots-ediff] compares
one file, \\[agent-q-fs-snapshots-restore] goes back to it, \
\\[agent-q-fs-snapshot-now] takes another one, \
\\[agent-q-fs-snapshots-prune] forgets old ones."
  (setq tabulated-list-format [("Taken" 20 t) ("Tag" 0 t)]
        tabulated-list-padding 1
        tabulated-list-entries #'agent-q-fs-snapshots--entries)
  (tabulated-list-init-header))

(defun agent-q-fs-snapshots--entries ()
  "Return the rows of the list, the latest first."
  (mapcar (lambda (snapshot)
            (list (plist-get snapshot :id)
                  (vector (format-time-string "%F %T"
                                              (date-to-time (plist-get snapshot :created-at)))
                          (agent-q-fs-show-visible (or (plist-get snapshot :tag) "") t))))
          (plist-get (agent-q-fs-ui-with-words
                       (agent-q-fs-snapshot-list (agent-q-fs-ui-workspace)))
                     :snapshots)))

;;;###autoload
(defun agent-q-fs-snapshots ()
  "List the snapshots of the project."
  (interactive)
  (let* ((workspace (agent-q-fs-ui-workspace))
         (root (agent-q-fs-workspace-root workspace))
         (buffer (get-buffer-create (format "*Snapshots: %s*" root))))
    (with-current-buffer buffer
      (agent-q-fs-snapshots-mode)
      (setq agent-q-fs-ui--workspace workspace
            default-directory root)
      (tabulated-list-print))
    (pop-to-buffer buffer)))

(defun agent-q-fs-snapshots--refresh ()
  "Show the list anew, where this is it."
  (when (derived-mode-p 'agent-q-fs-snapshots-mode)
    (tabulated-list-print t)))

(defun agent-q-fs-snapshots--here ()
  "Return the id of the snapshot at point."
  (or (tabulated-list-get-id) (user-error "There is no snapshot here")))

;;;###autoload
(defun agent-q-fs-snapshot-now (tag)
  "Take a snapshot of the project under TAG, a word to know it by."
  (interactive (list (read-string "Tag (or none): ")))
  (let ((agent-q-fs-authority 'cautious))
    (agent-q-fs-ui-with-words
      (apply #'agent-q-fs-snapshot-create (agent-q-fs-ui-workspace)
             (unless (string-empty-p tag) (list :tag tag)))))
  (agent-q-fs-snapshots--refresh)
  (message "Snapshot taken"))

(defun agent-q-fs-snapshots--difference (id)
  "Return what has changed since the snapshot ID."
  (agent-q-fs-ui-with-words
    (agent-q-fs-snapshot-diff (agent-q-fs-ui-workspace) id)))

(defun agent-q-fs-snapshots-diff ()
  "Show what has changed since the snapshot at point."
  (interactive nil agent-q-fs-snapshots-mode)
  (let* ((id (agent-q-fs-snapshots--here))
         (diff (plist-get (agent-q-fs-snapshots--difference id) :diff))
         (root default-directory)
         (buffer (get-buffer-create (format "*Since snapshot %s*" (substring id 0 8)))))
    (when (string-empty-p diff)
      (user-error "Nothing has changed since"))
    (with-current-buffer buffer
      (let ((inhibit-read-only t))
        (erase-buffer)
        (insert diff))
      (setq default-directory root)
      (diff-mode)
      (setq buffer-read-only t)
      (goto-char (point-min)))
    (pop-to-buffer buffer)))

(defun agent-q-fs-snapshots-restore ()
  "Make the project what it was when the snapshot at point was taken.
What that does is shown first.  What is there now is kept as another
snapshot."
  (interactive nil agent-q-fs-snapshots-mode)
  (agent-q-fs-change "snapshot_restore" :id (agent-q-fs-snapshots--here))
  (agent-q-fs-snapshots--refresh))

(defun agent-q-fs-snapshots-prune (keep)
  "Forget all snapshots but the KEEP latest ones."
  (interactive (list (read-number "Forget all but the latest: " 20)))
  (agent-q-fs-change "snapshot_prune" :keep keep)
  (agent-q-fs-snapshots--refresh))


;;;; One file, as it was

(defun agent-q-fs-snapshots--old-lines ()
  "Return the lines of the hunk that begins at point as they were.
The value is (FIRST COUNT . TEXT): what TEXT stands for are COUNT lines
from line FIRST of the file as it is."
  (unless (looking-at "^@@ -[0-9]+\\(?:,[0-9]+\\)? \\+\\([0-9]+\\)\\(?:,\\([0-9]+\\)\\)? @@")
    (error "No hunk"))
  (let* ((first (string-to-number (match-string 1)))
         (count (if (match-string 2) (string-to-number (match-string 2)) 1))
         lines)
    (forward-line 1)
    (while (looking-at "[-+ \\]\\(.*\n\\)")
      (pcase (char-after)
        ((or ?- ?\s) (push (match-string 1) lines))
        ((and ?\\ (guard (and lines (memq (char-after (line-beginning-position 0)) '(?- ?\s)))))
         (setcar lines (string-remove-suffix "\n" (car lines)))))
      (forward-line 1))
    ;; Of nothing, the line is the one before.
    (cons (if (zerop count) (1+ first) first)
          (cons count (apply #'concat (nreverse lines))))))

(defun agent-q-fs-snapshots--turn-back (diff)
  "Make the text of this buffer what it was before DIFF, of one file."
  (let (hunks)
    (with-temp-buffer
      (insert diff)
      (goto-char (point-min))
      (while (re-search-forward "^@@ " nil t)
        (beginning-of-line)
        (push (agent-q-fs-snapshots--old-lines) hunks)))
    ;; From the last one up, so that the numbers of lines stay true.
    (pcase-dolist (`(,first ,count . ,text) hunks)
      (goto-char (point-min))
      (forward-line (1- first))
      (delete-region (point) (progn (forward-line count) (point)))
      (insert text))))

(defun agent-q-fs-snapshots--section (diff path)
  "Return the part of DIFF that is about PATH."
  (with-temp-buffer
    (insert diff)
    (goto-char (point-min))
    (unless (search-forward (format "\n+++ b/%s" path) nil t)
      (user-error "There is no text of %s to compare" path))
    (let ((start (progn (re-search-backward "^diff --git " nil 'move) (point))))
      (forward-line 1)
      (buffer-substring start (if (re-search-forward "^diff --git " nil t)
                                  (line-beginning-position)
                                (point-max))))))

(defun agent-q-fs-snapshots--file-then (id path)
  "Return a buffer with the text that the file PATH had in the snapshot ID."
  (let* ((reply (agent-q-fs-snapshots--difference id))
         (section (agent-q-fs-snapshots--section (plist-get reply :diff) path))
         (content (plist-get (agent-q-fs-ui-with-words
                               (agent-q-fs-read-file (agent-q-fs-ui-workspace) path))
                             :content))
         (buffer (get-buffer-create (format "%s (snapshot %s)" path (substring id 0 8)))))
    (when (string-match-p "^\\[" section)
      (user-error "So much has changed in %s that not all of it is shown" path))
    (with-current-buffer buffer
      (let ((inhibit-read-only t))
        (erase-buffer)
        (insert content)
        (agent-q-fs-snapshots--turn-back section))
      (set-buffer-modified-p nil)
      (setq buffer-read-only t))
    buffer))

(defun agent-q-fs-snapshots-ediff (path)
  "Compare the file PATH, one that has changed, with what it was, in ediff."
  (interactive
   (list (completing-read
          "Compare file: "
          (or (mapcar (lambda (file) (plist-get file :path))
                      (seq-filter (lambda (file) (eq :modified (plist-get file :action)))
                                  (plist-get (agent-q-fs-snapshots--difference
                                              (agent-q-fs-snapshots--here))
                                             :files)))
              (user-error "No file was modified since"))
          nil t))
   agent-q-fs-snapshots-mode)
  (let ((then (agent-q-fs-snapshots--file-then (agent-q-fs-snapshots--here) path)))
    (ediff-buffers then (find-file-noselect (agent-q-fs-ui-file path)))))

(provide 'agent-q-fs-snapshots)
;;; agent-q-fs-snapshots.el ends here
