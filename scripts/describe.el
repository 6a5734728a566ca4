;;; describe.el --- Make an Emacs package of an installed directory  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; emacs --batch -l describe.el -f describe-package-directory DIRECTORY
;;
;; Writes into DIRECTORY, which holds the Emacs Lisp, the two files by which package.el
;; knows a package and offers its commands: agent-q-fs-pkg.el and
;; agent-q-fs-autoloads.el.  The first comes from the header of agent-q-fs.el, and the
;; second leads to agent-q-fs-loaddefs.el.
;;
;; With -f describe-package-alone, writes the first alone: package.el writes the second itself
;; when it installs a package.

;;; Code:

(require 'package)

(defconst describe--autoloads "\
;;; agent-q-fs-autoloads.el --- What agent-q-fs offers  -*- lexical-binding: t; no-byte-compile: t; no-update-autoloads: t; -*-

;; Written by scripts/describe.el of agent-q-fs.
;; SPDX-License-Identifier: MIT

;;; Code:

(add-to-list 'load-path (directory-file-name (file-name-directory load-file-name)))
(require 'agent-q-fs-loaddefs)

;;; agent-q-fs-autoloads.el ends here
"
  "The text of the file that package.el loads when Emacs starts.")

(defun describe--package (directory)
  "Describe the package in DIRECTORY."
  (let ((description (with-temp-buffer
                       (insert-file-contents (expand-file-name "agent-q-fs.el" directory))
                       (package-buffer-info))))
    (package-generate-description-file
     description (expand-file-name "agent-q-fs-pkg.el" directory))))

(defun describe-package-alone ()
  "Describe the package in the directory that the command line names."
  (describe--package (pop command-line-args-left)))

(defun describe-package-directory ()
  "Describe the package in the directory that the command line names, with autoloads."
  (let ((directory (pop command-line-args-left))
        (coding-system-for-write 'utf-8-unix))
    (describe--package directory)
    (write-region describe--autoloads nil (expand-file-name "agent-q-fs-autoloads.el" directory))))

(provide 'describe)
;;; describe.el ends here
