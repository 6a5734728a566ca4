;;; agent-q-fs.el --- File tools that an agent can be trusted with  -*- lexical-binding: t; -*-

;; Author: The agent-q-fs authors
;; Version: 0.2.0
;; Package-Requires: ((emacs "28.2"))
;; Keywords: files, tools
;; URL: https://github.com/agent-q/agent-q-fs
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The Emacs Lisp of agent-q-fs is in elisp/.  This file leads there those who look for
;; agent-q-fs.el in the first directory of the repository: `package-vc-install' and
;; `package-vc-install-from-checkout' with nothing but a name, straight and elpaca
;; without `:files', and a `load-path' with that directory.  A package that has the
;; files of elisp/ and the folder module/ side by side does not need it.

;;; Code:

;;;###autoload
(let* ((directory (file-name-directory load-file-name))
       ;; Some package managers make links to files of the repository.
       (here (file-truename (expand-file-name "agent-q-fs.el" directory)))
       (elisp (expand-file-name "elisp" (file-name-directory here))))
  (if (not (file-directory-p elisp))
      (display-warning 'agent-q-fs "Only agent-q-fs.el was installed, and not the folders \
beside it: install agent-q-fs as its README says")
    (setq load-path (cons elisp (delete elisp load-path)))
    (load (expand-file-name "agent-q-fs-loaddefs" elisp) nil t)))

;; A program that loads this file wants the one in elisp/, which now comes first.
(unless (featurep 'agent-q-fs)
  (load (expand-file-name "agent-q-fs" (car load-path)) nil t))

;;; agent-q-fs.el ends here
