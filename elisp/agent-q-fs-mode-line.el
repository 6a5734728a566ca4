;;; agent-q-fs-mode-line.el --- Calls that run, in the mode line  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; `agent-q-fs-mode-line-mode' shows in the mode line what tool runs, or waits
;; for a decision, once that has taken a moment.  A person who has a place of
;; their own for it puts `agent-q-fs-mode-line' there.

;;; Code:

(require 'agent-q-fs)
(require 'seq)

(defgroup agent-q-fs-mode-line nil
  "Calls that run, in the mode line."
  :group 'agent-q-fs-ui)

(defcustom agent-q-fs-mode-line-delay 0.2
  "Seconds that a call must have taken to be shown."
  :type 'number)

(defface agent-q-fs-mode-line '((t :inherit warning))
  "Face for a call that runs, in the mode line.")

(defvar agent-q-fs-mode-line--calls nil
  "The start events of the calls that have not ended, the latest first.")

(defvar agent-q-fs-mode-line--timer nil
  "What will look whether there is anything to be shown.")

(defvar agent-q-fs-mode-line '(:eval (agent-q-fs-mode-line-text))
  "A mode line construct that shows a running call.")
(put 'agent-q-fs-mode-line 'risky-local-variable t)

(defun agent-q-fs-mode-line--old ()
  "Return the calls that have taken long enough to be shown."
  (let ((now (float-time)))
    (seq-filter (lambda (event)
                  (<= agent-q-fs-mode-line-delay (- now (plist-get event :time))))
                agent-q-fs-mode-line--calls)))

(defun agent-q-fs-mode-line-text ()
  "Return what the mode line says: the latest tool that runs, and how many do."
  (let ((calls (agent-q-fs-mode-line--old)))
    (if (null calls)
        ""
      (propertize (format " [%s%s]"
                          (replace-regexp-in-string "[^a-z0-9_]" "?"
                                                    (plist-get (car calls) :tool))
                          (if (cdr calls) (format " +%d" (length (cdr calls))) ""))
                  'face 'agent-q-fs-mode-line
                  'help-echo "Tools that run; M-x agent-q-fs-log lists them"))))

(defun agent-q-fs-mode-line--look ()
  "Show the calls that have become old enough."
  (setq agent-q-fs-mode-line--timer nil)
  (force-mode-line-update t))

(defun agent-q-fs-mode-line--event (event)
  "Take note of EVENT, a call's start or end."
  (if (eq 'start (plist-get event :event))
      (progn
        (push event agent-q-fs-mode-line--calls)
        (unless agent-q-fs-mode-line--timer
          (setq agent-q-fs-mode-line--timer
                (run-with-timer (+ 0.01 agent-q-fs-mode-line-delay) nil
                                #'agent-q-fs-mode-line--look))))
    (let ((shown (agent-q-fs-mode-line--old)))
      (setq agent-q-fs-mode-line--calls
            (seq-remove (lambda (call) (equal (plist-get call :id) (plist-get event :id)))
                        agent-q-fs-mode-line--calls))
      (when shown (force-mode-line-update t)))))

;;;###autoload
(define-minor-mode agent-q-fs-mode-line-mode
  "Show in the mode line which tool runs."
  :global t
  (setq agent-q-fs-mode-line--calls nil)
  (when agent-q-fs-mode-line--timer
    (cancel-timer agent-q-fs-mode-line--timer)
    (setq agent-q-fs-mode-line--timer nil))
  (setq global-mode-string
        (delq 'agent-q-fs-mode-line (if (listp global-mode-string) global-mode-string
                                      (list global-mode-string))))
  (remove-hook 'agent-q-fs-event-functions #'agent-q-fs-mode-line--event)
  (when agent-q-fs-mode-line-mode
    (add-hook 'agent-q-fs-event-functions #'agent-q-fs-mode-line--event)
    (setq global-mode-string
          (append (or global-mode-string '("")) '(agent-q-fs-mode-line)))))

(provide 'agent-q-fs-mode-line)
;;; agent-q-fs-mode-line.el ends here
