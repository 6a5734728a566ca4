;;; lint.el --- checkdoc, check-declare and package-lint  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; emacs --batch -L elisp -l lint.el FILE...
;; Exits with 1 when one of them has anything to say.

;;; Code:

(require 'package)
(package-initialize)
(require 'checkdoc)
(require 'check-declare)
(require 'package-lint)

(defvar lint--count 0)

(defun lint--say (file line message)
  "Report MESSAGE at LINE of FILE."
  (setq lint--count (1+ lint--count))
  (message "%s:%s: %s" file line message))

(defun lint--checkdoc (file)
  "Run checkdoc on FILE."
  (let ((checkdoc-create-error-function
         (lambda (text start _end &optional _unfixable)
           (lint--say file (if start (line-number-at-pos start t) 1) text)
           nil))
        (checkdoc-verb-check-experimental-flag nil)
        (checkdoc-autofix-flag 'never))
    (with-current-buffer (find-file-noselect file)
      (checkdoc-current-buffer t))))

(defun lint--package (file main)
  "Run package-lint on FILE, a part of the package whose main file is MAIN."
  (with-temp-buffer
    (insert-file-contents file t)
    (emacs-lisp-mode)
    (let ((package-lint-main-file (unless (equal file main) main)))
      (pcase-dolist (`(,line ,_column ,type ,text) (package-lint-buffer))
        ;; The package-lint of Debian 12 has not heard of Emacs 28.
        (unless (string-match-p "in all released Emacs versions" text)
          (lint--say file line (format "%s: %s" type text)))))
    (set-buffer-modified-p nil)))

(let* ((files (mapcar #'expand-file-name command-line-args-left))
       (main (expand-file-name "elisp/agent-q-fs.el")))
  (setq command-line-args-left nil)
  (dolist (file files)
    (lint--checkdoc file)
    (lint--package file main))
  (when (apply #'check-declare-files files)
    (setq lint--count (1+ lint--count))
    (with-current-buffer check-declare-warning-buffer
      (message "%s" (buffer-string))))
  (kill-emacs (if (zerop lint--count) 0 1)))

;;; lint.el ends here
