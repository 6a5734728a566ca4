;;; compile.el --- Byte-compile one file, out of tree  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; emacs --batch -L elisp -l compile.el FILE.el DIRECTORY/FILE.elc
;;
;; A warning is an error.  Writes DIRECTORY/FILE.d too, a rule for make: FILE.elc
;; depends on the interfaces of the files that were loaded to compile it.

;;; Code:

(require 'bytecomp)
(require 'seq)

(defun compile-write-rule (destination)
  "Write the rule for DESTINATION, the compiled file as make names it."
  (let* ((directory (file-name-directory destination))
         (own (file-name-base destination))
         (needed (seq-filter (lambda (name)
                               (and (string-prefix-p "agent-q-fs" name)
                                    (not (equal name own))))
                             (mapcar #'symbol-name features)))
         (interfaces (mapconcat (lambda (name) (concat directory name ".interface"))
                                (sort needed #'string<) " ")))
    (with-temp-file (concat (file-name-sans-extension destination) ".d")
      ;; The rule without a recipe lets make go on where a file is no more.
      (insert destination ": " interfaces "\n"
              (if needed (concat interfaces ":\n") "")))))

(let* ((source (pop command-line-args-left))
       (destination (pop command-line-args-left))
       (byte-compile-error-on-warn t)
       (byte-compile-dest-file-function
        (let ((file (expand-file-name destination)))
          (lambda (_source) file)))
       (inhibit-message (not (member (getenv "V") '(nil ""))))
       (load-prefer-newer t))
  (make-directory (file-name-directory destination) t)
  (unless (eq t (byte-compile-file source))
    (kill-emacs 1))
  (compile-write-rule destination))

;;; compile.el ends here
