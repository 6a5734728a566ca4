;;; texinfo.el --- Export the manual to Texinfo  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;;     $EMACS --batch -l texinfo.el FILE.org DESTINATION.texi

;;; Code:

(require 'ox-texinfo)

(let ((source (expand-file-name (pop command-line-args-left)))
      (destination (expand-file-name (pop command-line-args-left)))
      (inhibit-message (not (member (getenv "V") '(nil ""))))
      (coding-system-for-write 'utf-8-unix)
      (org-export-with-broken-links nil)
      (org-export-with-toc t))
  (with-temp-buffer
    (insert-file-contents source)
    (setq default-directory (file-name-directory source))
    (delay-mode-hooks (org-mode))
    (let ((text (org-export-as 'texinfo)))
      (write-region text nil destination nil 'quiet))))

;;; texinfo.el ends here
