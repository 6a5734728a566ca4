;;; watch.el --- Which tests reach which functions  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A line that loads this is appended to the compiled files while the reach of the tests is
;; measured: so an Emacs that a test starts takes note, too.  The name of each function goes
;; into the file that AQFS_REACH names when it is first called.

;;; Code:

(require 'nadvice)

(defvar mutants-watch--seen (make-hash-table :test #'eq)
  "The functions that were called since this table was emptied.")

(defun mutants-watch--note (function)
  "Write down that FUNCTION was called."
  (unless (gethash function mutants-watch--seen)
    (puthash function t mutants-watch--seen)
    (let ((file (getenv "AQFS_REACH")) (file-name-handler-alist nil)
          (inhibit-quit t) (write-region-inhibit-fsync t) (deactivate-mark nil)
          (write-region-annotate-functions nil) (write-region-post-annotation-function nil)
          (coding-system-for-write 'no-conversion))
      (when file
        (ignore-errors (write-region (format "%s\n" function) nil file t 'quiet))))))

(defun mutants-watch (library)
  "Have all functions of LIBRARY take note when they are called.
It has just been loaded."
  (mutants-watch--note (intern (format "(%s)" library)))
  (dolist (entry current-load-list)
    (let ((name (pcase entry
                  (`(,(or 'defun 'autoload) . ,(and name (pred symbolp))) name)
                  (`(cl-defmethod ,(and name (pred symbolp)) . ,_) name))))
      (when (and name (fboundp name) (not (macrop name))
                 (not (advice-member-p 'mutants-watch name)))
        (advice-add name :before (lambda (&rest _) (mutants-watch--note name))
                    '((name . mutants-watch)))))))

(provide 'watch)
;;; watch.el ends here
