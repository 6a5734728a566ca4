;;; compile.el --- Byte-compile one file, out of tree  -*- lexical-binding: t; -*-

;;; Commentary:

;; emacs --batch -L elisp -l compile.el FILE.el DESTINATION.elc
;; A warning is an error.

;;; Code:

(require 'bytecomp)

(let ((source (pop command-line-args-left))
      (byte-compile-error-on-warn t)
      (byte-compile-dest-file-function
       (let ((destination (expand-file-name (pop command-line-args-left))))
         (lambda (_source) destination)))
      (inhibit-message (not (member (getenv "V") '(nil ""))))
      (load-prefer-newer t))
  (make-directory (file-name-directory (funcall byte-compile-dest-file-function source)) t)
  (unless (eq t (byte-compile-file source))
    (kill-emacs 1)))

;;; compile.el ends here
