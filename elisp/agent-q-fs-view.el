;;; agent-q-fs-view.el --- Lines of one file  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; `agent-q-fs-view' shows some lines of a file, of whatever size and encoding,
;; as models see them, without visiting it: no mode of its choosing, no local
;; variables, nothing to save.

;;; Code:

(require 'agent-q-fs-ui)

(defcustom agent-q-fs-view-lines 500
  "How many lines are shown at a time."
  :type 'natnum
  :group 'agent-q-fs-ui)

(defvar-local agent-q-fs-view--facts nil
  "The reply that this buffer shows, without the content.")

(defvar-local agent-q-fs-view--place nil
  "What this buffer shows, as (PATH START END).")

(defvar agent-q-fs-view-mode-map
  (let ((map (make-sparse-keymap)))
    (set-keymap-parent map special-mode-map)
    (define-key map "n" #'agent-q-fs-view-next)
    (define-key map "p" #'agent-q-fs-view-previous)
    (define-key map "\C-m" #'agent-q-fs-view-visit)
    (define-key map "l" #'agent-q-fs-view-from)
    map)
  "Keys where lines of a file are shown.")

(define-derived-mode agent-q-fs-view-mode special-mode "View"
  "Lines of a file.
\\{agent-q-fs-view-mode-map}"
  (setq-local revert-buffer-function
              (lambda (&rest _) (agent-q-fs-view--show agent-q-fs-view--place))
              bidi-paragraph-direction 'left-to-right
              header-line-format '(:eval (agent-q-fs-view--header))
              buffer-undo-list t)
  (display-line-numbers-mode 1))

(defun agent-q-fs-view--header ()
  "Return what is said above the lines."
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
                                              :start_line start :end_line end)))
               (inhibit-read-only t))
    (erase-buffer)
    (insert (plist-get reply :content))
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
  (interactive (append (list (agent-q-fs-ui-read-path "View file" (agent-q-fs-ui-path-here)))
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
          (setq agent-q-fs-ui--workspace workspace
                default-directory (agent-q-fs-workspace-root workspace))
          (agent-q-fs-view--show
           (list path start (or end (+ start agent-q-fs-view-lines -1))))
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
                               (+ (max 1 line) agent-q-fs-view-lines -1))))

(defun agent-q-fs-view-next ()
  "Show the lines behind these."
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
    (agent-q-fs-view-from (- start agent-q-fs-view-lines))))

(defun agent-q-fs-view-visit ()
  "Visit the file at the line that point is on."
  (interactive nil agent-q-fs-view-mode)
  (agent-q-fs-ui-visit (agent-q-fs-ui-file (plist-get agent-q-fs-view--facts :path))
                       (+ display-line-numbers-offset (line-number-at-pos))
                       (current-column)))

(provide 'agent-q-fs-view)
;;; agent-q-fs-view.el ends here
