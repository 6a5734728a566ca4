;;; agent-q-fs-review.el --- Review and undo what agents changed  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The core keeps what each call replaces.  `M-x agent-q-fs-review' shows what agents
;; have changed since it was last accepted, or since a call, a turn, a session or a
;; snapshot, as one diff.  There
;;
;;     n p      go to the next hunk and the previous one
;;     TAB      folds the hunk or the file at point
;;     RET      visits the place
;;     a A      accept the hunk or file at point, or all: they leave the list
;;     k K      take the hunk, or the file, back exactly
;;     u        undoes the last of these
;;     s        chooses what is shown, g looks again
;;
;; Buffers that visit such files have marks in the fringe (`agent-q-fs-review-marks-mode'),
;; with the same keys behind C-c '.

;;; Code:

(require 'agent-q-fs-undo)
(require 'cl-lib)
(require 'diff-mode)
(require 'seq)
(require 'text-property-search)

(defgroup agent-q-fs-review nil
  "Reviewing what agents have changed."
  :group 'agent-q-fs)

(defface agent-q-fs-review-file '((t :inherit diff-file-header :extend t))
  "Face for the line of a file."
  :group 'agent-q-fs-review)

(defface agent-q-fs-review-mixed '((t :inherit warning))
  "Face for what cannot be taken back, because somebody else has changed it too."
  :group 'agent-q-fs-review)

(defface agent-q-fs-review-mark '((t :inherit success))
  "Face of the marks beside lines that an agent has changed."
  :group 'agent-q-fs-review)

(defun agent-q-fs-review--arguments (scope)
  "Return the arguments that name the calls of SCOPE."
  (and (cdr scope) (list :calls (cdr scope))))


;;;; The buffer

(defvar-local agent-q-fs-review--of nil "The scope that this buffer shows.")
(defvar-local agent-q-fs-review--diff nil "The reply that this buffer shows.")
(defvar-local agent-q-fs-review--inserted 0 "How many hunks are in this buffer.")
(defvar-local agent-q-fs-review--old nil
  "Non-nil if something has been changed in the project since this was shown.")
(defvar-local agent-q-fs-review--done nil
  "What the person did here, latest first: (accept ID PLACE) or (undo NAME PLACE).")
(defvar-local agent-q-fs-review--folded nil "The ids of what is folded.")

(defun agent-q-fs-review--count (n one)
  "Return N and the noun ONE, in the plural if need be."
  (format "%d %s%s" n one (if (= n 1) "" "s")))

(defun agent-q-fs-review--insert-lines (text)
  "Insert TEXT, a hunk, with faces and so that all of it can be seen."
  (dolist (line (split-string (string-remove-suffix "\n" text) "\n"))
    (insert (propertize (concat (agent-q-fs-show-visible line) "\n")
                        'font-lock-face
                        (pcase (and (> (length line) 0) (aref line 0))
                          (?@ 'diff-hunk-header)
                          (?+ 'diff-added)
                          (?- 'diff-removed)
                          (_ 'diff-context))))))

(defun agent-q-fs-review--insert-hunk (hunk file)
  "Insert HUNK of FILE."
  (let ((start (point)))
    (agent-q-fs-review--insert-lines (plist-get hunk :diff))
    (when (plist-get hunk :mixed)
      (save-excursion
        (goto-char start)
        (end-of-line)
        (insert (propertize "  you have changed these lines too"
                            'font-lock-face 'agent-q-fs-review-mixed))))
    (setq agent-q-fs-review--inserted (1+ agent-q-fs-review--inserted))
    (add-text-properties start (point) (list 'agent-q-fs-hunk hunk 'agent-q-fs-file file
                                             'agent-q-fs-number agent-q-fs-review--inserted))
    (agent-q-fs-review--fold-if-wanted (plist-get hunk :id) start (point))))

(defun agent-q-fs-review--heading (file)
  "Return the line about FILE."
  (concat (and (plist-get file :from)
               (concat (agent-q-fs-show-visible (plist-get file :from) t) " → "))
          (agent-q-fs-show-visible (plist-get file :path) t)
          "  " (agent-q-fs-show-visible (plist-get file :summary) t)
          (format "  +%d -%d" (plist-get file :added) (plist-get file :removed))
          (if (plist-get file :hunks)
              (concat "  " (agent-q-fs-review--count (length (plist-get file :hunks)) "hunk"))
            "")))

(defun agent-q-fs-review--insert-file (file)
  "Insert FILE with its hunks."
  (let ((start (point)))
    (insert (propertize (concat (agent-q-fs-review--heading file) "\n")
                        'font-lock-face (if (plist-get file :mixed)
                                            '(agent-q-fs-review-mixed agent-q-fs-review-file)
                                          'agent-q-fs-review-file)
                        'agent-q-fs-file file))
    (dolist (hunk (plist-get file :hunks))
      (agent-q-fs-review--insert-hunk hunk file))
    (agent-q-fs-review--fold-if-wanted (plist-get file :id) start (point))))

(defun agent-q-fs-review--fold-if-wanted (id start end)
  "Hide all but the first line between START and END, if ID is folded."
  (when (member id agent-q-fs-review--folded)
    (let ((overlay (make-overlay (save-excursion (goto-char start) (line-end-position))
                                 (1- end))))
      (overlay-put overlay 'invisible 'agent-q-fs-review)
      (overlay-put overlay 'evaporate t))))

(defun agent-q-fs-review--header ()
  "Return the line above the buffer."
  (let ((files (plist-get agent-q-fs-review--diff :total))
        (hunks (plist-get agent-q-fs-review--diff :hunks-total))
        (lost (plist-get agent-q-fs-review--diff :lost)))
    (concat " " (if agent-q-fs-review--old "CHANGED since: g looks again   " "")
            (agent-q-fs-review--count files "file") ", "
            (agent-q-fs-review--count hunks "hunk") ": "
            (agent-q-fs-show-visible (car agent-q-fs-review--of) t)
            (and (> lost 0) (format "; %d calls are not kept any more" lost))
            "   a accept  k take back  u undo  RET visit  s scope")))

(defun agent-q-fs-review--print ()
  "Show the reply of this buffer."
  (let ((inhibit-read-only t))
    (remove-overlays)
    (erase-buffer)
    (setq agent-q-fs-review--inserted 0)
    (mapc #'agent-q-fs-review--insert-file (plist-get agent-q-fs-review--diff :files))
    (when (zerop (buffer-size))
      (insert "Nothing is left to review.\n")))
  (force-mode-line-update))

(defun agent-q-fs-review--position ()
  "Return which hunk point is in, for the mode line; outside of hunks, nothing."
  (let ((number (get-text-property (point) 'agent-q-fs-number)))
    (if number
        (format " hunk %d/%d" number (plist-get agent-q-fs-review--diff :hunks-total))
      "")))

(defun agent-q-fs-review--place ()
  "Return what point is at, to find it or its neighbour again."
  (list (plist-get (get-text-property (point) 'agent-q-fs-hunk) :id)
        (line-number-at-pos)))

(defun agent-q-fs-review--go-back (place)
  "Go to PLACE, or to the hunk that stands there now."
  (let ((match (and (car place)
                    (save-excursion
                      (goto-char (point-min))
                      (text-property-search-forward
                       'agent-q-fs-hunk (car place)
                       (lambda (id hunk) (equal id (plist-get hunk :id))))))))
    (if match
        (goto-char (prop-match-beginning match))
      (goto-char (point-min))
      (forward-line (1- (cadr place)))
      (unless (get-text-property (point) 'agent-q-fs-hunk)
        (or (agent-q-fs-review--move 1 'agent-q-fs-hunk)
            (agent-q-fs-review--move -1 'agent-q-fs-hunk))))))

(defun agent-q-fs-review-refresh (&rest _)
  "Look again at what agents have changed."
  (interactive nil agent-q-fs-review-mode)
  (let ((place (agent-q-fs-review--place)))
    (setq agent-q-fs-review--diff
          (apply #'agent-q-fs-kept--ask agent-q-fs-ui--workspace 'changes_diff
                 (agent-q-fs-review--arguments agent-q-fs-review--of))
          agent-q-fs-review--old nil)
    (agent-q-fs-review--print)
    (agent-q-fs-review--go-back place)
    (agent-q-fs-review-marks--update-all)))

(defun agent-q-fs-review--changed (workspace &rest _)
  "Have the review of WORKSPACE say that it is old, as something was changed.
To show it anew at once would put another hunk below a key that is coming."
  (let ((buffer (get-buffer (agent-q-fs-review--buffer workspace))))
    (when buffer
      (with-current-buffer buffer
        (setq agent-q-fs-review--old t)
        (force-mode-line-update)))))

(add-hook 'agent-q-fs-after-change-functions #'agent-q-fs-review--changed)

(defvar agent-q-fs-review-mode-map
  (let ((map (make-sparse-keymap)))
    (set-keymap-parent map special-mode-map)
    (pcase-dolist (`(,key . ,command)
                   '(("n" . agent-q-fs-review-next) ("p" . agent-q-fs-review-previous)
                     ("N" . agent-q-fs-review-next-file) ("P" . agent-q-fs-review-previous-file)
                     ("TAB" . agent-q-fs-review-fold) ("RET" . agent-q-fs-review-visit)
                     ("a" . agent-q-fs-review-accept) ("A" . agent-q-fs-review-accept-all)
                     ("k" . agent-q-fs-review-take-back)
                     ("K" . agent-q-fs-review-take-back-file)
                     ("X" . agent-q-fs-review-take-back-all)
                     ("u" . agent-q-fs-review-undo) ("s" . agent-q-fs-review-choose)
                     ("?" . agent-q-fs-show-keys)))
      (define-key map (kbd key) command))
    map)
  "Keys in the review.")

(define-derived-mode agent-q-fs-review-mode special-mode "Review"
  "The changes of agents, to be accepted or taken back by hunk.
\\<agent-q-fs-review-mode-map>
\\[agent-q-fs-review-next]    goes to the next hunk, \
\\[agent-q-fs-review-previous] to the previous one
\\[agent-q-fs-review-next-file]    goes to the next file, \
\\[agent-q-fs-review-previous-file] to the previous one
\\[agent-q-fs-review-fold]  folds the hunk, or the file
\\[agent-q-fs-review-visit]  visits the place
\\[agent-q-fs-review-accept]    accepts the hunk, or the file: it leaves the list
\\[agent-q-fs-review-accept-all]    accepts all that is shown
\\[agent-q-fs-review-take-back]    takes the hunk back, or the file
\\[agent-q-fs-review-take-back-file]    takes back all that was changed in the file
\\[agent-q-fs-review-take-back-all]    takes back all that is shown
\\[agent-q-fs-review-undo]    undoes what was accepted or taken back last
\\[agent-q-fs-review-choose]    chooses what is shown
\\[revert-buffer]    looks again
\\[quit-window]    leaves the review"
  (setq-local revert-buffer-function #'agent-q-fs-review-refresh)
  (setq-local header-line-format '(:eval (agent-q-fs-review--header)))
  (setq mode-line-process '(:eval (agent-q-fs-review--position)))
  (setq-local truncate-lines t
              bidi-display-reordering nil
              bidi-paragraph-direction 'left-to-right)
  (setq-local imenu-create-index-function #'agent-q-fs-review--imenu)
  (buffer-disable-undo)
  (add-to-invisibility-spec '(agent-q-fs-review . t)))

(defun agent-q-fs-review--imenu ()
  "Return the hunks as an index for `imenu': by file, and by what they are in."
  (let (index)
    (save-excursion
      (goto-char (point-min))
      (while (re-search-forward "^@@ [-+0-9, ]+ @@\\(?: \\(.+\\)\\)?$" nil t)
        (let* ((file (get-text-property (match-beginning 0) 'agent-q-fs-file))
               (path (agent-q-fs-show-visible (plist-get file :path) t))
               (name (or (match-string-no-properties 1) (match-string-no-properties 0))))
          (unless (equal path (caar index))
            (push (list path) index))
          (push (cons name (match-beginning 0)) (cdar index)))))
    (nreverse (mapcar (lambda (file) (cons (car file) (nreverse (cdr file)))) index))))

(defun agent-q-fs-review--buffer (workspace)
  "Return the name of the buffer that reviews WORKSPACE."
  (format "*Review: %s*" (agent-q-fs-workspace-root workspace)))

;;;###autoload
(defun agent-q-fs-review (&optional scope)
  "Review what agents have changed in this project, hunk by hunk.
SCOPE says which calls that is about; with a prefix argument, it is asked
for: a call, a turn, a session, a snapshot.  By default it is all that was
not accepted yet."
  (interactive (list (and current-prefix-arg
                          (agent-q-fs-kept--read-scope (agent-q-fs-ui-workspace)))))
  (let* ((workspace (agent-q-fs-ui-workspace))
         (buffer (get-buffer-create (agent-q-fs-review--buffer workspace))))
    (with-current-buffer buffer
      (unless (derived-mode-p 'agent-q-fs-review-mode)
        (agent-q-fs-review-mode))
      (setq agent-q-fs-ui--workspace workspace
            default-directory (agent-q-fs-workspace-root workspace)
            agent-q-fs-review--of (or scope agent-q-fs-kept--all))
      (agent-q-fs-review-refresh)
      (goto-char (point-min)))
    (agent-q-fs-review-marks-mode 1)
    (pop-to-buffer buffer)))

(defun agent-q-fs-review-choose ()
  "Choose what is reviewed in this buffer."
  (interactive nil agent-q-fs-review-mode)
  (setq agent-q-fs-review--of (agent-q-fs-kept--read-scope agent-q-fs-ui--workspace))
  (agent-q-fs-review-refresh))


;;;; Moving

(defun agent-q-fs-review--move (direction property)
  "Go to the beginning of the next stretch with PROPERTY, or the previous one.
DIRECTION is 1 or -1.  Return nil and stay if there is none."
  (let* ((here (get-text-property (point) property))
         (differs (lambda (_ value) (and value (not (eq value here)))))
         (match (save-excursion
                  (if (= direction 1)
                      (text-property-search-forward property nil differs)
                    (text-property-search-backward property nil differs)))))
    (when match
      (goto-char (prop-match-beginning match)))))

(defun agent-q-fs-review-next ()
  "Go to the next hunk."
  (interactive nil agent-q-fs-review-mode)
  (unless (agent-q-fs-review--move 1 'agent-q-fs-hunk)
    (user-error "There is no further hunk")))

(defun agent-q-fs-review-previous ()
  "Go to the previous hunk."
  (interactive nil agent-q-fs-review-mode)
  (unless (agent-q-fs-review--move -1 'agent-q-fs-hunk)
    (user-error "There is no hunk before this one")))

(defun agent-q-fs-review-next-file ()
  "Go to the next file."
  (interactive nil agent-q-fs-review-mode)
  (unless (agent-q-fs-review--move 1 'agent-q-fs-file)
    (user-error "There is no further file")))

(defun agent-q-fs-review-previous-file ()
  "Go to the previous file."
  (interactive nil agent-q-fs-review-mode)
  (unless (agent-q-fs-review--move -1 'agent-q-fs-file)
    (user-error "There is no file before this one")))

(defun agent-q-fs-review--file ()
  "Return the file at point."
  (or (get-text-property (point) 'agent-q-fs-file) (user-error "There is no file here")))

(defun agent-q-fs-review--id ()
  "Return the id of the hunk at point, or of the file on whose line point is."
  (plist-get (or (get-text-property (point) 'agent-q-fs-hunk) (agent-q-fs-review--file)) :id))

(defun agent-q-fs-review-fold ()
  "Fold the hunk or file at point, or show all of it again."
  (interactive nil agent-q-fs-review-mode)
  (let ((id (agent-q-fs-review--id)) (place (agent-q-fs-review--place)))
    (setq agent-q-fs-review--folded
          (if (member id agent-q-fs-review--folded)
              (delete id agent-q-fs-review--folded)
            (cons id agent-q-fs-review--folded)))
    (agent-q-fs-review--print)
    (agent-q-fs-review--go-back place)))

(defun agent-q-fs-review--line ()
  "Return the line of the file that the line at point is about."
  (let ((hunk (get-text-property (point) 'agent-q-fs-hunk)) (line 0))
    (when hunk
      (save-excursion
        (let ((here (line-beginning-position)))
          (setq line (plist-get hunk :line)) ; on the first line of the hunk
          (while (and (not (bobp)) (eq hunk (get-text-property (1- (point)) 'agent-q-fs-hunk)))
            (forward-line -1))
          (when (and (< (point) here) (looking-at "@@ [^+]*\\+\\([0-9]+\\)"))
            (setq line (string-to-number (match-string 1)))
            (forward-line 1)
            (while (< (point) here)
              (unless (memq (char-after) '(?- ?\\)) (setq line (1+ line)))
              (forward-line 1))))))
    (max 1 line)))

(defun agent-q-fs-review-visit ()
  "Visit the place at point."
  (interactive nil agent-q-fs-review-mode)
  (let ((name (expand-file-name (agent-q-fs-ui-file (plist-get (agent-q-fs-review--file) :path))))
        (line (agent-q-fs-review--line)))
    (unless (file-exists-p name)
      (user-error "It is not there any more"))
    (find-file-other-window name)
    (goto-char (point-min))
    (forward-line (1- line))
    (agent-q-fs-review-marks--update)))


;;;; Deciding

(defun agent-q-fs-review--accept (ids)
  "Accept the hunks and files IDS."
  (let ((reply (apply #'agent-q-fs-kept--do agent-q-fs-ui--workspace "changes_accept" nil
                      :hunks ids (agent-q-fs-review--arguments agent-q-fs-review--of))))
    (push (list 'accept (plist-get reply :id) (agent-q-fs-review--place)) agent-q-fs-review--done)
    (message "Accepted: %s" (agent-q-fs-kept--names agent-q-fs-review--diff ids))
    (agent-q-fs-review-refresh)))

(defun agent-q-fs-review--take-back (ids)
  "Take back the hunks and files IDS."
  (let ((name (format "review %s %d" agent-q-fs-audit--session
                      (cl-incf agent-q-fs-audit--count))))
    (apply #'agent-q-fs-kept--do agent-q-fs-ui--workspace "changes_undo" name
           :hunks ids (agent-q-fs-review--arguments agent-q-fs-review--of))
    (push (list 'undo name (agent-q-fs-review--place)) agent-q-fs-review--done)
    (message "Taken back: %s" (agent-q-fs-kept--names agent-q-fs-review--diff ids))
    (agent-q-fs-review-refresh)))

(defun agent-q-fs-review--all ()
  "Return the ids of all files that are shown."
  (mapcar (lambda (file) (plist-get file :id)) (plist-get agent-q-fs-review--diff :files)))

(defun agent-q-fs-review-accept ()
  "Accept the hunk at point, or the file on whose line point is."
  (interactive nil agent-q-fs-review-mode)
  (agent-q-fs-review--accept (list (agent-q-fs-review--id))))

(defun agent-q-fs-review-accept-all ()
  "Accept all that is shown."
  (interactive nil agent-q-fs-review-mode)
  (agent-q-fs-review--accept (agent-q-fs-review--all)))

(defun agent-q-fs-review-take-back ()
  "Take back the hunk at point, or the file on whose line point is, exactly.
If you have changed those lines since, nothing is done."
  (interactive nil agent-q-fs-review-mode)
  (agent-q-fs-review--take-back (list (agent-q-fs-review--id))))

(defun agent-q-fs-review-take-back-file ()
  "Take back all that was changed in the file at point."
  (interactive nil agent-q-fs-review-mode)
  (agent-q-fs-review--take-back (list (plist-get (agent-q-fs-review--file) :id))))

(defun agent-q-fs-review-take-back-all ()
  "Take back all that is shown, such as a turn of an agent, or nothing of it."
  (interactive nil agent-q-fs-review-mode)
  (let ((ids (or (agent-q-fs-review--all) (user-error "Nothing is shown"))))
    (when (y-or-n-p (format "Take back all that is shown, %s? "
                            (agent-q-fs-review--count (length ids) "file")))
      (agent-q-fs-review--take-back ids))))

(defun agent-q-fs-review-undo ()
  "Undo what was accepted or taken back last in this buffer, and go there."
  (interactive nil agent-q-fs-review-mode)
  (pcase (or (car agent-q-fs-review--done) (user-error "Nothing was done here"))
    (`(accept ,id ,_)
     (agent-q-fs-kept--do agent-q-fs-ui--workspace "changes_forget" nil :calls (list id)))
    (`(undo ,name ,_)
     (let ((call (or (seq-find (lambda (call) (equal name (plist-get call :call)))
                               (agent-q-fs-kept--calls agent-q-fs-ui--workspace))
                     (user-error "That is not kept any more"))))
       (agent-q-fs-kept--do agent-q-fs-ui--workspace "changes_undo"
                              (concat agent-q-fs-undo--name (plist-get call :id))
                              :calls (list (plist-get call :id))))))
  (pcase-let ((`(,deed ,_ ,place) (pop agent-q-fs-review--done)))
    (message "Undone: what was %s last" (if (eq 'accept deed) "accepted" "taken back"))
    (agent-q-fs-review-refresh)
    (agent-q-fs-review--go-back place)))


;;;; Marks in the buffers of files

;; The numbers of lines are those of the file, so a buffer with unsaved changes has
;; no marks until it is saved.

(defvar agent-q-fs-review-marks-map
  (let ((map (make-sparse-keymap)))
    (define-key map "n" #'agent-q-fs-review-marks-next)
    (define-key map "p" #'agent-q-fs-review-marks-previous)
    (define-key map "a" #'agent-q-fs-review-marks-accept)
    (define-key map "k" #'agent-q-fs-review-marks-take-back)
    (define-key map "u" #'agent-q-fs-review-marks-undo)
    (define-key map "r" #'agent-q-fs-review)
    map)
  "Keys on the marks of a review, behind a prefix.")

(dolist (command '(agent-q-fs-review-marks-next agent-q-fs-review-marks-previous
                   agent-q-fs-review-marks-accept agent-q-fs-review-marks-take-back
                   agent-q-fs-review-marks-undo))
  (put command 'repeat-map 'agent-q-fs-review-marks-map))

(defvar agent-q-fs-review--marked-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "C-c '") agent-q-fs-review-marks-map)
    map)
  "Keys in a buffer with marks.")

(define-minor-mode agent-q-fs-review--marked-mode
  "The lines that an agent has changed, and nobody has accepted, are marked."
  :lighter " Rev")

(defvar agent-q-fs-review-marks--timer nil "The timer that will bring the marks up to date.")

;;;###autoload
(define-minor-mode agent-q-fs-review-marks-mode
  "Mark, in buffers of files, the lines that agents have changed.
They are marked until they are accepted or taken back.  In such a buffer
\\<agent-q-fs-review--marked-mode-map>\
\\[agent-q-fs-review-marks-next] and \\[agent-q-fs-review-marks-previous] \
go from mark to mark,
\\[agent-q-fs-review-marks-accept] accepts the one at point,
\\[agent-q-fs-review-marks-take-back] takes it back,
\\[agent-q-fs-review-marks-undo] undoes that,
and \\[agent-q-fs-review] opens the review."
  :global t
  (if agent-q-fs-review-marks-mode
      (progn (add-hook 'agent-q-fs-after-change-functions #'agent-q-fs-review-marks--soon)
             (add-hook 'after-save-hook #'agent-q-fs-review-marks--soon)
             (add-hook 'find-file-hook #'agent-q-fs-review-marks--soon)
             (agent-q-fs-review-marks--soon))
    (remove-hook 'agent-q-fs-after-change-functions #'agent-q-fs-review-marks--soon)
    (remove-hook 'after-save-hook #'agent-q-fs-review-marks--soon)
    (remove-hook 'find-file-hook #'agent-q-fs-review-marks--soon)
    (agent-q-fs-review-marks--each-buffer #'agent-q-fs-review-marks--remove)))

(agent-q-fs--refuse-files 'agent-q-fs-review-marks-mode)

(defun agent-q-fs-review-marks--each-buffer (function)
  "Call FUNCTION in each buffer that visits a file."
  (dolist (buffer (buffer-list))
    (when (buffer-local-value 'buffer-file-name buffer)
      (with-current-buffer buffer
        (funcall function)))))

(defun agent-q-fs-review-marks--soon (&rest _)
  "Have the marks brought up to date when Emacs has nothing else to do."
  (unless agent-q-fs-review-marks--timer
    (setq agent-q-fs-review-marks--timer
          (run-with-idle-timer 0.3 nil #'agent-q-fs-review-marks--update-all))))

(defun agent-q-fs-review-marks--remove ()
  "Remove the marks of this buffer."
  (remove-overlays nil nil 'agent-q-fs-review-mark t)
  (when agent-q-fs-review--marked-mode
    (agent-q-fs-review--marked-mode -1)))

(defun agent-q-fs-review-marks--put (hunk)
  "Mark the lines of HUNK in this buffer."
  (save-excursion
    (save-restriction
      (widen)
      (goto-char (point-min))
      (forward-line (1- (plist-get hunk :line)))
      (let* ((start (min (point) (point-max)))
             (end (progn (forward-line (plist-get hunk :lines)) (point)))
             (overlay (make-overlay start (max start end)))
             (removed (zerop (plist-get hunk :lines))))
        (overlay-put overlay 'agent-q-fs-review-mark t)
        (overlay-put overlay 'agent-q-fs-hunk hunk)
        (overlay-put overlay 'help-echo "An agent changed this")
        (overlay-put overlay (if removed 'before-string 'line-prefix)
                     (if (display-graphic-p)
                         (propertize "!" 'display
                                     (list 'left-fringe
                                           (if removed 'right-triangle 'filled-rectangle)
                                           'agent-q-fs-review-mark))
                       (propertize (if removed "▸" "▎") 'face 'agent-q-fs-review-mark)))))))

(defun agent-q-fs-review-marks--show (diff workspace)
  "Mark what DIFF, of WORKSPACE, has for this buffer."
  (agent-q-fs-review-marks--remove)
  (let* ((name (file-relative-name (file-truename buffer-file-name)
                                   (agent-q-fs-workspace-root workspace)))
         (file (seq-find (lambda (file) (equal name (plist-get file :path)))
                         (plist-get diff :files)))
         (hunks (plist-get file :hunks)))
    (when (and hunks (not (buffer-modified-p)) (verify-visited-file-modtime))
      (mapc #'agent-q-fs-review-marks--put hunks)
      (agent-q-fs-review--marked-mode 1))))

(defun agent-q-fs-review-marks--workspace ()
  "Return the workspace that this buffer's file is in, if one is open."
  (let ((agent-q-fs-ui--workspace nil))
    (or agent-q-fs-workspace (agent-q-fs-found-workspace))))

(defun agent-q-fs-review-marks--update ()
  "Bring the marks of this buffer up to date."
  (when (and agent-q-fs-review-marks-mode buffer-file-name)
    (let ((workspace (agent-q-fs-review-marks--workspace)))
      (when workspace
        (ignore-errors
          (agent-q-fs-review-marks--show (agent-q-fs-kept--ask workspace 'changes_diff)
                                         workspace))))))

(defun agent-q-fs-review-marks--update-all ()
  "Bring the marks of all buffers up to date, asking once for each project."
  (setq agent-q-fs-review-marks--timer nil)
  (when agent-q-fs-review-marks-mode
    (let (known)
      (agent-q-fs-review-marks--each-buffer
       (lambda ()
         (let ((workspace (ignore-errors (agent-q-fs-review-marks--workspace))))
           (when workspace
             (unless (assq workspace known)
               (push (cons workspace
                           (ignore-errors (agent-q-fs-kept--ask workspace 'changes_diff)))
                     known))
             (agent-q-fs-review-marks--show (cdr (assq workspace known)) workspace))))))))

(defun agent-q-fs-review-marks--hunk ()
  "Return the hunk at point."
  (or (seq-some (lambda (overlay) (overlay-get overlay 'agent-q-fs-hunk))
                (append (overlays-at (point))
                        (overlays-in (line-beginning-position) (1+ (line-end-position)))))
      (user-error "There is no mark here")))

(defun agent-q-fs-review-marks--starts ()
  "Return where the marks of this buffer begin, in order."
  (sort (delete-dups
         (cl-loop for overlay in (overlays-in (point-min) (point-max))
                  when (overlay-get overlay 'agent-q-fs-hunk)
                  collect (overlay-start overlay)))
        #'<))

(defun agent-q-fs-review-marks-next ()
  "Go to the next mark."
  (interactive)
  (goto-char (or (seq-find (lambda (start) (> start (point)))
                           (agent-q-fs-review-marks--starts))
                 (user-error "There is no further mark"))))

(defun agent-q-fs-review-marks-previous ()
  "Go to the previous mark."
  (interactive)
  (goto-char (or (seq-find (lambda (start) (< start (point)))
                           (reverse (agent-q-fs-review-marks--starts)))
                 (user-error "There is no mark before this one"))))

(defun agent-q-fs-review-marks--in-review (function &rest arguments)
  "Call FUNCTION with ARGUMENTS in the review of this buffer's project."
  (let* ((workspace (agent-q-fs-review-marks--workspace))
         (buffer (get-buffer-create (agent-q-fs-review--buffer workspace))))
    (with-current-buffer buffer
      (unless (derived-mode-p 'agent-q-fs-review-mode)
        (agent-q-fs-review-mode)
        (setq agent-q-fs-ui--workspace workspace
              default-directory (agent-q-fs-workspace-root workspace)
              agent-q-fs-review--of agent-q-fs-kept--all)
        (agent-q-fs-review-refresh))
      (apply function arguments))))

(defun agent-q-fs-review-marks-accept ()
  "Accept the change at point."
  (interactive)
  (agent-q-fs-review-marks--in-review
   #'agent-q-fs-review--accept (list (plist-get (agent-q-fs-review-marks--hunk) :id))))

(defun agent-q-fs-review-marks-take-back ()
  "Take back the change at point."
  (interactive)
  (agent-q-fs-review-marks--in-review
   #'agent-q-fs-review--take-back (list (plist-get (agent-q-fs-review-marks--hunk) :id))))

(defun agent-q-fs-review-marks-undo ()
  "Undo what was accepted or taken back last."
  (interactive)
  (agent-q-fs-review-marks--in-review #'agent-q-fs-review-undo))

(provide 'agent-q-fs-review)
;;; agent-q-fs-review.el ends here
