;;; loaddefs.el --- Write down what other files have to offer  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; emacs --batch -l loaddefs.el -f loaddefs-write
;;
;; Writes elisp/agent-q-fs-loaddefs.el: the commands, functions and options that the
;; files of elisp/ offer, so that they can be used before those files are loaded.  A
;; function is offered by an autoload cookie, an option by being one.
;;
;; Package managers write autoloads of their own from the same cookies.  This file is
;; for everybody who has none of these: those who load agent-q-fs from its sources, and
;; the directory of sources that a package manager takes as it is.  It differs from what
;; Emacs would write in two ways: it is the same with every version of Emacs, so
;; it can be kept in the repository, and it has the options without a cookie each.

;;; Code:

(require 'seq)

(defconst loaddefs--directory
  (expand-file-name "../elisp/" (file-name-directory (or load-file-name buffer-file-name)))
  "The directory of the files that are read, and of the one that is written.")

(defconst loaddefs--file (expand-file-name "agent-q-fs-loaddefs.el" loaddefs--directory)
  "The file that is written.")

(defconst loaddefs--header "\
;;; agent-q-fs-loaddefs.el --- What the other files offer  -*- lexical-binding: t; no-update-autoloads: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Written by scripts/loaddefs.el from the autoload cookies and the options in the other
;; files, where changes belong.

;;; Code:

(defun agent-q-fs-loaddefs-value (option value)
  \"Return what somebody has saved for OPTION with Customize, or else VALUE.\"
  (let ((saved (get option 'saved-value)))
    (if saved (eval (car saved) t) value)))
"
  "How the file begins.")

(defconst loaddefs--footer "
(provide 'agent-q-fs-loaddefs)
;;; agent-q-fs-loaddefs.el ends here
"
  "How the file ends.")

(defun loaddefs--forms (file)
  "Return the top-level forms of FILE, each as (COOKIE . FORM).
COOKIE is nil, t, or the form behind the cookie."
  (with-temp-buffer
    (insert-file-contents file)
    (emacs-lisp-mode)
    (let (forms)
      (while (progn (forward-comment (buffer-size)) (not (eobp)))
        (let* ((cookie (save-excursion
                         (forward-line -1)
                         (when (looking-at ";;;###autoload\\(?: \\(.*\\)\\)?$")
                           (if (match-string 1) (read (match-string 1)) t))))
               (form (read (current-buffer))))
          (push (cons cookie form) forms)))
      (nreverse forms))))

(defun loaddefs--interactive-p (form)
  "Return non-nil if FORM defines a command."
  (or (memq (car form) '(define-minor-mode define-derived-mode))
      (seq-some (lambda (part) (eq 'interactive (car-safe part))) form)))

(defun loaddefs--function (library cookie form)
  "Return what offers FORM of LIBRARY, which has COOKIE, as a list of forms."
  (cond ((null cookie) nil)
        ((eq 'defcustom (car form)) nil) ; for package managers: here all options are offered
        ((consp cookie) (list cookie))
        ((memq (car form) '(defun cl-defun define-minor-mode define-derived-mode))
         (list `(autoload ',(nth 1 form) ,library
                  ,@(and (loaddefs--interactive-p form) '(nil t)))))
        (t (error "%s: what does the cookie of %S mean?" library (seq-take form 2)))))

(defun loaddefs--constant-p (value)
  "Return non-nil if the form VALUE is the same wherever it is evaluated."
  (or (memq (car-safe value) '(quote function))
      (memq value '(nil t))
      (and (atom value) (not (symbolp value)))))

(defun loaddefs--value (value)
  "Return the form VALUE as it can stand in a file that knows no function."
  (if (eq 'function (car-safe value)) `(quote ,@(cdr value)) value))

(defun loaddefs--groups (form)
  "Return the groups that FORM, a `defcustom' or `defgroup', says that it is in."
  (let ((group (plist-get (nthcdr 4 form) :group)))
    (and group (list (nth 1 group)))))

(defun loaddefs--option (library form)
  "Return what offers FORM of LIBRARY if it defines an option, as a list of forms.
No file may set an option, so Emacs is told that each of them is risky.  With a value that can be said here, the option is a variable from now on:
help shows it, and it can be bound."
  (pcase form
    (`(defcustom ,name ,value ,doc . ,rest)
     (append (when (loaddefs--constant-p value)
               `((defvar ,name
                   (agent-q-fs-loaddefs-value ',name ,(loaddefs--value value))
                   ,(car (split-string doc "\n")))))
             `((custom-autoload ',name ,library ,@(and (not (plist-get rest :set)) '(t)))
               (put ',name 'risky-local-variable t))))))

(defun loaddefs--line (form)
  "Return FORM as text, on a line; strings of one that is too long have a line each.
Debian counts a line of more than 512 characters as one that nobody wrote."
  (let* ((print-quoted t) (print-escape-newlines t) (print-length nil) (print-level nil)
         (text (format "%S\n" form)))
    (if (< (length text) 500) text
      (string-replace "\" \"" "\"\n  \"" text))))

(defun loaddefs--section (file)
  "Return the text about FILE."
  (let* ((library (file-name-base file))
         (forms (loaddefs--forms file))
         (bare (mapcar #'cdr forms))
         (customs (seq-filter (lambda (form) (eq 'defcustom (car-safe form))) bare))
         (groups (seq-filter (lambda (form) (eq 'defgroup (car-safe form))) bare)))
    (mapconcat
     #'loaddefs--line
     (append
      (seq-mapcat (lambda (row) (loaddefs--function library (car row) (cdr row))) forms)
      (seq-mapcat (lambda (form) (loaddefs--option library form)) customs)
      (mapcar (lambda (group) `(custom-add-load ',group ,library))
              (and customs
                   (seq-uniq (append (mapcar #'cadr groups)
                                     (seq-mapcat #'loaddefs--groups (append groups customs))))))
      ;; Help loads the files with what somebody asks for, to show all that is said of it.
      `((register-definition-prefixes ,library '("agent-q-fs"))))
     "")))

(defun loaddefs-text ()
  "Return what the file must hold."
  (concat
   loaddefs--header
   (mapconcat (lambda (file)
                (format "\n\n;;;; %s\n\n%s" (file-name-nondirectory file)
                        (loaddefs--section file)))
              (delete loaddefs--file
                      (directory-files loaddefs--directory t "\\`agent-q-fs[a-z-]*\\.el\\'"))
              "")
   loaddefs--footer))

(defun loaddefs-write ()
  "Write the file, unless it holds that already."
  (let ((coding-system-for-write 'utf-8-unix)
        (text (loaddefs-text)))
    (unless (and (file-exists-p loaddefs--file)
                 (with-temp-buffer
                   (insert-file-contents loaddefs--file)
                   (equal text (buffer-string))))
      (write-region text nil loaddefs--file))))

(provide 'loaddefs)
;;; loaddefs.el ends here
