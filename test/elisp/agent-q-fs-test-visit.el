;;; agent-q-fs-test-visit.el --- Common code of the tests of buffers  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Trees with a file to visit, in which nothing may ask, and what a buffer that
;; visits a file must be like.

;;; Code:

(require 'agent-q-fs-test-help)

(defconst agent-q-fs-test-visit-text
  (mapconcat (lambda (n) (format "line %d\n" n)) (number-sequence 1 9) "")
  "The content of the file that tests change.")

(defun agent-q-fs-test-visit-quietly (function)
  "Call FUNCTION, and fail if anything asks a question.
Buffers that it visits files with are gone afterwards."
  (let ((before (buffer-list))
        (question (lambda (&rest words) (error "Asked: %S" words)))
        (create-lockfiles nil)
        (make-backup-files nil)
        (auto-save-default nil)
        (save-silently t)
        (agent-q-fs-unsaved 'refuse)
        (agent-q-fs-authority 'dangerous))
    (unwind-protect
        (cl-letf (((symbol-function 'yes-or-no-p) question)
                  ((symbol-function 'y-or-n-p) question)
                  ((symbol-function 'read-string) question)
                  ((symbol-function 'read-from-minibuffer) question)
                  ((symbol-function 'ask-user-about-lock) question)
                  ((symbol-function 'ask-user-about-supersession-threat) question)
                  ((symbol-function 'userlock--ask-user-about-supersession-threat) question))
          (funcall function))
      ;; Changing a buffer that has undo starts it; other tests count timers.
      (when undo-auto-current-boundary-timer
        (cancel-timer undo-auto-current-boundary-timer)
        (setq undo-auto-current-boundary-timer nil))
      (dolist (buffer (buffer-list))
        (unless (or (memq buffer before) (not (buffer-live-p buffer)))
          (with-current-buffer buffer (set-buffer-modified-p nil))
          (let (kill-buffer-query-functions kill-buffer-hook) (kill-buffer buffer)))))))

(defmacro agent-q-fs-test-visit-with (spec &rest body)
  "Run BODY in a tree as `agent-q-fs-test-with-tree' with SPEC makes it.
There is a file a.txt besides those of SPEC.  Nothing may ask."
  (declare (indent 1) (debug ((symbolp &rest form) body)))
  `(agent-q-fs-test-with-tree (,(car spec) (list "a.txt" agent-q-fs-test-visit-text)
                               ,@(cdr spec))
     (agent-q-fs-test-visit-quietly (lambda () ,@body))))

(defun agent-q-fs-test-visit-bytes (name)
  "Return the content of the file NAME, or nil if there is none."
  (let ((file-name-handler-alist nil)
        (name (expand-file-name name)))
    (and (file-exists-p name)
         (with-temp-buffer
           (set-buffer-multibyte nil)
           (insert-file-contents-literally name)
           (buffer-string)))))

(defun agent-q-fs-test-visit-shown (buffer)
  "Return the whole text of BUFFER."
  (with-current-buffer buffer
    (save-restriction (widen) (buffer-substring-no-properties (point-min) (point-max)))))

(defun agent-q-fs-test-visit-undo (buffer)
  "Undo in BUFFER, once, as the command does but without saying so."
  (with-current-buffer buffer
    (widen)
    (let ((inhibit-read-only t))
      (undo-boundary)
      (undo-start)
      (undo-more 1)
      (undo-more 1))))

(defun agent-q-fs-test-visit-check-shows (buffer name)
  "Check that BUFFER shows the content of the file NAME, and has nothing to ask."
  (should (equal (agent-q-fs-test-visit-shown buffer)
                 (decode-coding-string (agent-q-fs-test-visit-bytes name) 'utf-8-unix)))
  (should-not (buffer-modified-p buffer))
  (should (verify-visited-file-modtime buffer))
  (should (equal (file-truename name)
                 (file-truename (buffer-local-value 'buffer-file-name buffer))))
  (should (eq buffer (find-buffer-visiting name))))

(provide 'agent-q-fs-test-visit)
;;; agent-q-fs-test-visit.el ends here
