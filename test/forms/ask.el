;;; ask.el --- what Emacs' reader says of files: where forms begin and end  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Names come one a line on standard input; a line for each goes to standard output, as agree.c
;; expects it.  Files that are not UTF-8 are left out, because their offsets are of other bytes.

;;; Code:

(defun ask-places ()
  "The offsets in bytes at which the forms of the buffer begin and end."
  (let (places)
    (goto-char (point-min))
    (while (progn
             ;; For the reader, all characters up to the space separate.
             (while (progn (forward-comment (buffer-size))
                           (< 0 (skip-chars-forward "\0-\40"))))
             (not (eobp)))
      (push (1- (position-bytes (point))) places)
      (read (current-buffer))
      (push (1- (position-bytes (point))) places))
    (nreverse places)))

(defun ask-file (path)
  "Print what the reader says of the file PATH."
  (with-temp-buffer
    (let ((coding-system-for-read 'utf-8-unix))
      (insert-file-contents path))
    (unless (text-property-any (point-min) (point-max) 'charset 'eight-bit)
      (unless (save-excursion (re-search-forward "[^[:ascii:][:multibyte:]]" nil t))
        (set-syntax-table emacs-lisp-mode-syntax-table)
        (let ((places (condition-case nil (ask-places) (error 'refused))))
          (princ (if (eq places 'refused) (format "%s\trefused\n" path)
                   (format "%s\tok%s\n" path
                           (mapconcat (lambda (place) (format "\t%d" place)) places "")))))))))

(let (path)
  (while (setq path (ignore-errors (read-string "")))
    (ask-file path)))

;;; ask.el ends here
