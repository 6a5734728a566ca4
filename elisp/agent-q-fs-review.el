;;; agent-q-fs-review.el --- Take calls back, and snapshots  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; `agent-q-fs-undo' takes back what the last call has changed, and
;; `agent-q-fs-snapshots' lists the snapshots of a project and restores them.  Both show
;; what they would do, and ask, as changes by hand do.

;;; Code:

(require 'agent-q-fs-change)
(require 'diff-mode)
(require 'seq)
(require 'tabulated-list)

(declare-function ediff-buffers "ediff" (buffer-a buffer-b &optional startup-hooks job-name))


;;;; Undo

;; With `agent-q-fs-undo-calls' a snapshot is taken before and after each call that
;; changes something.  `agent-q-fs-undo' takes back the difference between the two:
;; the changes of the last call, and nothing else.  If somebody has changed those
;; files since, it refuses, and nothing is done.  Called again, it takes back the
;; call before that.
;;
;; A snapshot holds the project's root without the files that git ignores.  Changes
;; of other files cannot be taken back; then `agent-q-fs-undo' says so.

(defgroup agent-q-fs-undo nil
  "Taking back what calls have changed."
  :group 'agent-q-fs)

(defun agent-q-fs-undo--set (symbol value)
  "Set SYMBOL, `agent-q-fs-undo-calls', to VALUE, and listen to changes or not."
  (set-default symbol value)
  (pcase-dolist (`(,hook . ,function)
                 '((agent-q-fs-before-change-functions . agent-q-fs-undo-before-change)
                   (agent-q-fs-after-change-functions . agent-q-fs-undo-after-change)))
    (if value
        (add-hook hook function)
      (remove-hook hook function))))

;; A value that was saved has to be set, and so this file be loaded, when Emacs starts.
;;;###autoload
(defcustom agent-q-fs-undo-calls nil
  "Which calls `agent-q-fs-undo' can take back.
There is a snapshot before and behind each of them; where none can be
taken, the call is not made.

dangerous  those that make, replace, move and delete files
t          all that change something"
  :type '(choice (const :tag "None" nil) (const dangerous) (const :tag "All" t))
  :set #'agent-q-fs-undo--set
  :initialize #'custom-initialize-default)

(defcustom agent-q-fs-undo-most 50
  "How many calls are remembered to be taken back."
  :type 'natnum)

(cl-defstruct (agent-q-fs-undo-call (:constructor agent-q-fs-undo--make) (:copier nil))
  "A call that can be taken back."
  root targets summary before after)

(defvar agent-q-fs-undo--calls nil
  "The calls that can be taken back, of all projects, the latest first.")

(defvar agent-q-fs-undo--active nil
  "Non-nil while a call is taken back, which is itself not to be taken back.")

(defun agent-q-fs-undo--snapshot (workspace tag)
  "Take a snapshot of WORKSPACE under TAG, and return its id."
  ;; Not by `agent-q-fs-call': this is part of another call, with events of its own.
  (plist-get (agent-q-fs--transport-call workspace 'snapshot_create (list :tag tag)
                                         '(:authority cautious :origin undo))
             :id))

(defun agent-q-fs-undo--tag (words summary)
  "Return WORDS and SUMMARY as a tag."
  (truncate-string-to-width (replace-regexp-in-string "[[:cntrl:]]" " " (concat words summary))
                            60))

(defun agent-q-fs-undo--wanted-p (targets)
  "Return non-nil if there is to be a snapshot before TARGETS are changed."
  (and targets
       (not agent-q-fs-undo--active)
       (or (eq t (default-value 'agent-q-fs-undo-calls))
           (and (default-value 'agent-q-fs-undo-calls)
                (eq :dangerous (plist-get agent-q-fs-change-shown :tier))))))

(defun agent-q-fs-undo-before-change (workspace targets)
  "Keep WORKSPACE as it is before TARGETS are changed."
  (when (agent-q-fs-undo--wanted-p targets)
    (let ((summary (plist-get agent-q-fs-change-shown :summary)))
      (push (agent-q-fs-undo--make
             :root (agent-q-fs-workspace-root workspace) :targets targets :summary summary
             :before (agent-q-fs-undo--snapshot workspace
                                                (agent-q-fs-undo--tag "before " summary)))
            agent-q-fs-undo--calls)
      (when (nthcdr (default-value 'agent-q-fs-undo-most) agent-q-fs-undo--calls)
        (setcdr (nthcdr (1- (default-value 'agent-q-fs-undo-most)) agent-q-fs-undo--calls) nil)))))

(defun agent-q-fs-undo-after-change (workspace targets _reply)
  "Keep WORKSPACE as it is now that TARGETS were changed."
  (let ((call (seq-find (lambda (call) (eq targets (agent-q-fs-undo-call-targets call)))
                        agent-q-fs-undo--calls)))
    (when call
      (setf (agent-q-fs-undo-call-after call)
            (agent-q-fs-undo--snapshot
             workspace (agent-q-fs-undo--tag "after " (agent-q-fs-undo-call-summary call)))))))

(defun agent-q-fs-undo--last (workspace)
  "Return the last call that can be taken back in WORKSPACE.
Calls that were announced and not made are forgotten."
  (setq agent-q-fs-undo--calls
        (seq-filter #'agent-q-fs-undo-call-after agent-q-fs-undo--calls))
  (seq-find (lambda (call)
              (equal (agent-q-fs-workspace-root workspace) (agent-q-fs-undo-call-root call)))
            agent-q-fs-undo--calls))

;;;###autoload
(defun agent-q-fs-undo ()
  "Take back the changes of the last call, if nobody has changed the files since.
Show first what that would do.  Called again, take back the call before.
The option `agent-q-fs-undo-calls' says which calls can be taken back."
  (interactive)
  (let* ((workspace (agent-q-fs-ui-workspace))
         (call (or (agent-q-fs-undo--last workspace)
                   (user-error
                    (if (default-value 'agent-q-fs-undo-calls)
                        "There is no call to take back"
                      "No call can be taken back: see the option agent-q-fs-undo-calls"))))
         (range (concat (agent-q-fs-undo-call-before call) ".."
                        (agent-q-fs-undo-call-after call)))
         (agent-q-fs-undo--active t))
    (agent-q-fs-ui-with-words
      (agent-q-fs-change--decide (agent-q-fs-undo--request workspace call range)))
    (setq agent-q-fs-undo--calls (delq call agent-q-fs-undo--calls))))

(defun agent-q-fs-undo--request (workspace call range)
  "Return the request to undo CALL, which changed RANGE of WORKSPACE.
Signal an error if that is not possible."
  (let ((request (condition-case problem
                     (agent-q-fs-change--request "snapshot_restore" (list :id range) workspace)
                   (agent-q-fs-error
                    (user-error "Not taken back: %s" (agent-q-fs-ui-words (cdr problem)))))))
    (unless (agent-q-fs-request-targets request)
      (setq agent-q-fs-undo--calls (delq call agent-q-fs-undo--calls))
      (user-error "The last call changed nothing that snapshots hold: %s"
                  (agent-q-fs-show-visible (agent-q-fs-undo-call-summary call) t)))
    request))


;;;; The list of snapshots

;; A list of the snapshots.  `=' shows the changes since the one at point as a diff,
;; `e' compares a file with its earlier text in ediff, and `R' goes back to the
;; snapshot, after it has shown what that changes; the present state becomes a
;; snapshot too.

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
  "Update the list, if this buffer shows it."
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
  "Return the changes since the snapshot ID."
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
  "Put the project back to its state in the snapshot at point.
Show first what that changes.  The present state is kept as another
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
  "Return the old lines of the hunk that begins at point.
The value is (FIRST COUNT . TEXT): TEXT stood in the place of COUNT lines
from line FIRST of the present file."
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
  "Take the changes of DIFF, of one file, back in this buffer."
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
  "Return the part of DIFF for the file PATH."
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
  "Compare the file PATH, one that has changed, with its earlier text in ediff."
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

(provide 'agent-q-fs-review)
;;; agent-q-fs-review.el ends here
