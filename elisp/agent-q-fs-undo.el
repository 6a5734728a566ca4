;;; agent-q-fs-undo.el --- Take calls back, and snapshots  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; `agent-q-fs-undo' takes back what the last call has changed, or another one, and
;; `agent-q-fs-snapshots' lists the snapshots of a project and restores them.  Both show
;; what they would do, and ask, as changes by hand do.

;;; Code:

(require 'agent-q-fs-answer)
(require 'agent-q-fs-change)
(require 'cl-lib)
(require 'diff-mode)
(require 'seq)
(require 'tabulated-list)


;;;; The records of calls

;; The core keeps what each call replaces.  A scope is (WORDS . IDS): words about some
;; calls, and their ids; nil stands for all calls of agents.

(defun agent-q-fs-kept--do (workspace tool name &rest arguments)
  "Call TOOL with ARGUMENTS in WORKSPACE, for a person, and return its reply.
The call is kept under NAME, or that of its events."
  (let ((agent-q-fs-call-name name) reply)
    (agent-q-fs-tools--begin tool arguments workspace
                             (lambda (answer) (setq reply answer))
                             :wait t :person t)
    (when (plist-get reply :error)
      (user-error "%s" (agent-q-fs-ui-words reply)))
    reply))

(defun agent-q-fs-kept--ask (workspace operation &rest arguments)
  "Return the reply to OPERATION, which only reads, with ARGUMENTS in WORKSPACE."
  (agent-q-fs-ui-with-words
    (let ((agent-q-fs--told t))
      (apply #'agent-q-fs-call workspace operation arguments))))

(defun agent-q-fs-kept--calls (workspace)
  "Return the calls that are kept for WORKSPACE, the latest first."
  (plist-get (agent-q-fs-kept--ask workspace 'changes_list :limit 1000000) :calls))

(defconst agent-q-fs-kept--all '("all that was not accepted yet")
  "The scope of all that agents have changed.")

(defconst agent-q-fs-kept--pause 300
  "Seconds without a call after which an agent's next call begins another turn.")

(defun agent-q-fs-kept--agents (calls)
  "Return those of CALLS that agents made."
  (seq-filter (lambda (call) (eq :model (plist-get call :origin))) calls))

(defun agent-q-fs-kept--seconds (call)
  "Return when CALL was made."
  (float-time (date-to-time (plist-get call :created-at))))

(defun agent-q-fs-kept--turn-of (call turns)
  "Return the one of TURNS, of later calls, that CALL belongs to, or nil."
  (let ((caller (plist-get call :caller)))
    (if (string-search " " caller)      ; it names its turn
        (seq-find (lambda (turn) (equal caller (plist-get (car turn) :caller))) turns)
      (let ((next (caar turns)))
        (and next
             (equal caller (plist-get next :caller))
             (< (- (agent-q-fs-kept--seconds next) (agent-q-fs-kept--seconds call))
                agent-q-fs-kept--pause)
             (car turns))))))

(defun agent-q-fs-kept--turns (calls)
  "Return CALLS, of agents and the latest first, as a list of turns.
A turn has one caller; one that does not name its turns has them by its pauses."
  (let (turns)
    (dolist (call calls)
      (let ((turn (agent-q-fs-kept--turn-of call turns)))
        (if turn (setcar (memq turn turns) (cons call turn))
          (push (list call) turns))))
    (nreverse (mapcar #'nreverse turns))))

(defun agent-q-fs-kept--scope (words calls)
  "Return the scope of CALLS, described by WORDS."
  (cons words (mapcar (lambda (call) (plist-get call :id)) calls)))

(defun agent-q-fs-kept--since-snapshots (workspace agents)
  "Return scopes for the snapshots of WORKSPACE after which AGENTS has calls."
  (cl-loop for snapshot in (plist-get (agent-q-fs-kept--ask workspace 'snapshot_list) :snapshots)
           for taken = (plist-get snapshot :created-at)
           ;; Such times can be compared as texts, and have milliseconds.
           for since = (seq-remove (lambda (call) (string< (plist-get call :created-at) taken))
                                   agents)
           when since
           collect (agent-q-fs-kept--scope
                    (format "since the snapshot %s %s"
                            (format-time-string "%F %T" (date-to-time taken))
                            (agent-q-fs-show-visible (or (plist-get snapshot :tag) "") t))
                    since)))

(defun agent-q-fs-kept--scopes (workspace)
  "Return the scopes that can be reviewed in WORKSPACE."
  (let* ((agents (agent-q-fs-kept--agents (agent-q-fs-kept--calls workspace)))
         (session (seq-filter (lambda (call)
                                (string-prefix-p agent-q-fs-audit--session
                                                 (plist-get call :caller)))
                              agents)))
    (append
     (list agent-q-fs-kept--all)
     (and session (list (agent-q-fs-kept--scope "in this session of Emacs" session)))
     (mapcar (lambda (turn)
               (agent-q-fs-kept--scope
                (format "the turn of %s, %d calls"
                        (format-time-string "%F %T"
                                            (date-to-time (plist-get (car (last turn))
                                                                     :created-at)))
                        (length turn))
                turn))
             (agent-q-fs-kept--turns agents))
     (agent-q-fs-kept--since-snapshots workspace agents)
     (cl-loop for (call . _) on agents
              for n from 1
              collect (agent-q-fs-kept--scope
                       (concat "since the call " (agent-q-fs-kept--words call))
                       (seq-take agents n))))))

(defun agent-q-fs-kept--read-scope (workspace)
  "Have the person choose what to review in WORKSPACE."
  (let* ((rows (agent-q-fs-kept--scopes workspace))
         (completion-extra-properties '(:display-sort-function identity)))
    (assoc (completing-read (format-prompt "Review" (caar rows)) rows nil t nil nil
                            (caar rows)) rows)))


;;;; Undo

;; The record of an undo names the call that it took back.  So it is known in another
;; session, too, which calls are taken back, and which of these undos are.

(defconst agent-q-fs-undo--name "undo "
  "The beginning of the name of a call that takes back another one.")

(defun agent-q-fs-undo--candidates (calls)
  "Return those of CALLS, the latest first, that are not taken back."
  (let (undone left)
    (dolist (call calls)
      (let ((id (plist-get call :id)) (name (plist-get call :call)))
        (cond ((member id undone))
              ((equal "changes_accept" (plist-get call :operation)))
              ((string-prefix-p agent-q-fs-undo--name name)
               (push (substring name (length agent-q-fs-undo--name)) undone))
              (t (push call left)))))
    (nreverse left)))

(defun agent-q-fs-kept--origin (kept)
  "Return the word for whom KEPT, a call or a snapshot, was made."
  (substring (symbol-name (plist-get kept :origin)) 1))

(defun agent-q-fs-kept--words (call)
  "Return a line about CALL."
  (format "%s  %s  %s"
          (format-time-string "%F %T" (date-to-time (plist-get call :created-at)))
          (agent-q-fs-kept--origin call)
          (agent-q-fs-show-visible (plist-get call :summary) t)))

(defun agent-q-fs-kept--names (diff ids)
  "Return words for IDS, hunks and files of DIFF, a reply of changes_diff."
  (let* ((ids-of (lambda (file)
                   (cons (plist-get file :id)
                         (mapcar (lambda (hunk) (plist-get hunk :id)) (plist-get file :hunks)))))
         (files (seq-filter (lambda (file) (seq-intersection ids (funcall ids-of file)))
                            (plist-get diff :files)))
         (whole (member (plist-get (car files) :id) ids)))
    (cond ((cdr files) (format "%d files" (length files)))
          (files (concat (if (or whole (not (cdr (plist-get (car files) :hunks)))) "" "a hunk of ")
                         (agent-q-fs-show-visible (plist-get (car files) :path) t)))
          (t "nothing"))))

(defun agent-q-fs-undo--read (calls)
  "Have the person choose one of CALLS, and return it."
  (let* ((rows (mapcar (lambda (call) (cons (agent-q-fs-kept--words call) call)) calls))
         (completion-extra-properties '(:display-sort-function identity)))
    (cdr (assoc (completing-read "Take back: " rows nil t) rows))))

(defun agent-q-fs-undo--request (workspace call)
  "Return the request to take back CALL in WORKSPACE, or signal an error."
  (condition-case problem
      (agent-q-fs-change--request "changes_undo" (list :calls (list (plist-get call :id)))
                                  workspace)
    (agent-q-fs-error (user-error "Not taken back: %s" (agent-q-fs-ui-words (cdr problem))))))

;;;###autoload
(defun agent-q-fs-undo (&optional choose)
  "Take back the changes of the last call, and leave what others did since.
Show first what that would do.  Called again, take back the call before.
A call that was wholly accepted, or taken back by hunks, is passed over.
With CHOOSE, a prefix argument, ask which call: it may be in the middle,
and one that took back another.  Where the same lines were changed since,
nothing is done, and the error says so."
  (interactive "P")
  (let* ((workspace (agent-q-fs-ui-workspace))
         (calls (agent-q-fs-kept--calls workspace)))
    (if choose
        (agent-q-fs-undo-call workspace (if calls (agent-q-fs-undo--read calls)
                                          (user-error "There is no call to take back")))
      (cl-loop for call in (agent-q-fs-undo--candidates calls)
               for request = (agent-q-fs-undo--request workspace call)
               when (agent-q-fs-request-targets request)
               return (agent-q-fs-undo--decide call request)
               finally (user-error "There is no call to take back")))))

(defun agent-q-fs-undo-call (workspace call)
  "Take back CALL in WORKSPACE, once the person, who is shown it, agrees."
  (let ((request (agent-q-fs-undo--request workspace call)))
    (unless (agent-q-fs-request-targets request)
      (user-error "All of that call is accepted or taken back already: %s"
                  (agent-q-fs-show-visible (plist-get call :summary) t)))
    (agent-q-fs-undo--decide call request)))

(defun agent-q-fs-undo--decide (call request)
  "Do REQUEST, which takes back CALL, once the person, who is shown it, agrees."
  (let ((agent-q-fs-call-name (concat agent-q-fs-undo--name (plist-get call :id))))
    ;; The call may be one that took something back, which the change alone does not tell.
    (push (cons "Undoes" (agent-q-fs-kept--words call)) (agent-q-fs-request-facts request))
    (agent-q-fs-ui-with-words (agent-q-fs-change--decide request))))

;;;###autoload
(defun agent-q-fs-forget-changes (keep)
  "Forget what calls in this project have replaced, but for the KEEP latest ones.
The bytes are removed from the disk.  Those calls can neither be reviewed
nor taken back any more."
  (interactive (list (read-number "Forget what was replaced by all calls but the latest: " 0)))
  (agent-q-fs-change "changes_forget" :keep keep))


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
  (setq tabulated-list-format [("Taken" 20 t) ("For" 7 t)
                               ("Files" 8 agent-q-fs-snapshots--fewer-p :right-align t)
                               ("Tag" 0 t)]
        tabulated-list-padding 1
        tabulated-list-entries #'agent-q-fs-snapshots--entries)
  (tabulated-list-init-header))

(defun agent-q-fs-snapshots--fewer-p (a b)
  "Return non-nil if the row A of the list has fewer files than B."
  (apply #'< (mapcar (lambda (row) (string-to-number (aref (cadr row) 2))) (list a b))))

(defun agent-q-fs-snapshots--entries ()
  "Return the rows of the list, the latest first."
  (mapcar (lambda (snapshot)
            (list (plist-get snapshot :id)
                  (vector (format-time-string "%F %T"
                                              (date-to-time (plist-get snapshot :created-at)))
                          (agent-q-fs-kept--origin snapshot)
                          (format "%s" (or (plist-get snapshot :files) "?"))
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
  (agent-q-fs-ui-with-words
    (agent-q-fs-ui-call "Taking a snapshot..." (agent-q-fs-ui-workspace) "snapshot_create"
                        (unless (string-empty-p tag) (list :tag tag))
                        :authority 'cautious))
  (agent-q-fs-snapshots--refresh)
  (message "Snapshot taken"))

(defun agent-q-fs-snapshots--difference (id)
  "Return the changes since the snapshot ID."
  (agent-q-fs-ui-with-words
    (agent-q-fs-ui-call "Comparing with the snapshot..." (agent-q-fs-ui-workspace)
                        "snapshot_diff" (list :id id))))

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
      (setq-local bidi-display-reordering nil
                  bidi-paragraph-direction 'left-to-right
                  glyphless-char-display (agent-q-fs-edit--glyphs))
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
    (agent-q-fs-hunks-ediff then (find-file-noselect (agent-q-fs-ui-file path)))))

(provide 'agent-q-fs-undo)
;;; agent-q-fs-undo.el ends here
