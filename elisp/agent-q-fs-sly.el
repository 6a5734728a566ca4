;;; agent-q-fs-sly.el --- Set-up for SLY and SLIME, and the root  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; For Common Lisp that is connected by SLY or SLIME:
;;
;;     M-x agent-q-fs-sly-setup              lets Lisp call the tools, after asking
;;     M-x agent-q-fs-sly-set-project-root   says which directory they are for
;;     M-x agent-q-fs-sly-use-project        the same, by project.el
;;
;; In an init file, (agent-q-fs-sly-setup t) is the answer to the question.  The mode
;; line of Lisp buffers then shows the root that the tools have there.

;;; Code:

(require 'agent-q-fs)
(require 'agent-q-fs-rpc)
(require 'project)

(declare-function sly-current-connection "ext:sly" ())
(declare-function sly-eval "ext:sly" (sexp &optional package))
(declare-function slime-current-connection "ext:slime" ())
(declare-function slime-eval "ext:slime" (sexp &optional package))
(defvar sly-enable-evaluate-in-emacs)
(defvar slime-enable-evaluate-in-emacs)

(defgroup agent-q-fs-sly nil
  "Tools for Common Lisp that SLY or SLIME is connected to."
  :group 'agent-q-fs)

(defcustom agent-q-fs-sly-project-key ?L
  "The key of `agent-q-fs-sly-use-project' in `project-switch-commands'."
  :type 'character)


;;;; Roots of connections

(defvar agent-q-fs-sly--roots nil
  "The roots of connections, (CONNECTION . ROOT).")

(defun agent-q-fs-sly-connection ()
  "Return the connection that this buffer's Lisp has, a process, or nil."
  (or (and (featurep 'sly) (sly-current-connection))
      (and (featurep 'slime) (slime-current-connection))))

(defun agent-q-fs-sly--note-root (connection root)
  "Take note that CONNECTION has ROOT, and forget those that are closed."
  (unless (equal root (cdr (assq connection agent-q-fs-sly--roots)))
    (setq agent-q-fs-sly--roots
          (cons (cons connection root)
                (seq-filter (lambda (known)
                              (and (not (eq connection (car known)))
                                   (process-live-p (car known))))
                            agent-q-fs-sly--roots)))
    (force-mode-line-update t)))

(defun agent-q-fs-sly-root ()
  "Return the root that the tools have for this buffer's Lisp, or nil."
  (let ((connection (agent-q-fs-sly-connection)))
    (and connection (cdr (assq connection agent-q-fs-sly--roots)))))


;;;; The mode line

(defvar agent-q-fs-sly-mode-line '(:eval (agent-q-fs-sly-mode-line-text))
  "A mode line construct that shows the root of this buffer's Lisp.")
(put 'agent-q-fs-sly-mode-line 'risky-local-variable t)

(defun agent-q-fs-sly--lisp-buffer-p ()
  "Return non-nil in a buffer of SLY or SLIME."
  (or (bound-and-true-p sly-mode)
      (bound-and-true-p slime-mode)
      (derived-mode-p 'sly-mrepl-mode 'slime-repl-mode 'sly-db-mode 'sldb-mode)))

(defun agent-q-fs-sly-mode-line-text ()
  "Return the text in the mode line: the last part of the root's name."
  (let ((root (and (agent-q-fs-sly--lisp-buffer-p) (agent-q-fs-sly-root))))
    (if (null root)
        ""
      (propertize (format " files:%s"
                          (string-replace
                           "%" "%%"
                           (replace-regexp-in-string
                            "[^[:graph:]]" "?"
                            (file-name-nondirectory (directory-file-name root)))))
                  'help-echo (format "The tools for files stay in %s" root)))))


;;;; Setting up

(defun agent-q-fs-sly--switches ()
  "Return the variables that let Lisp evaluate here and are nil."
  (seq-filter (lambda (variable) (not (and (boundp variable) (symbol-value variable))))
              (if (or (featurep 'sly) (featurep 'slime))
                  (append (and (featurep 'sly) '(sly-enable-evaluate-in-emacs))
                          (and (featurep 'slime) '(slime-enable-evaluate-in-emacs)))
                '(sly-enable-evaluate-in-emacs slime-enable-evaluate-in-emacs))))

(defun agent-q-fs-sly--allowed-p (switches)
  "Return non-nil if the user wants SWITCHES, variables, to be t."
  (yes-or-no-p (format "Let the Lisp you connect to evaluate forms in Emacs (%s)? "
                       (mapconcat #'symbol-name switches ", "))))

;;;###autoload
(defun agent-q-fs-sly-setup (&optional sure)
  "Let Common Lisp that SLY or SLIME is connected to call the tools.
That needs `sly-enable-evaluate-in-emacs', or SLIME's, with which such a
Lisp can do everything that the user can: ask first, unless SURE is
non-nil.
Show the root of the tools in the mode line of Lisp buffers, and offer
`agent-q-fs-sly-use-project' when projects are switched.

Put (agent-q-fs-sly-setup t) into an init file to have this always."
  (interactive "P")
  (let ((switches (agent-q-fs-sly--switches)))
    (when switches
      (unless (or sure (agent-q-fs-sly--allowed-p switches))
        (user-error "Nothing was turned on"))
      (dolist (switch switches)
        (set switch t))))
  (add-hook 'agent-q-fs-rpc-root-functions #'agent-q-fs-sly--note-root)
  (add-to-list 'mode-line-misc-info 'agent-q-fs-sly-mode-line t)
  (agent-q-fs-sly--offer-project)
  (when (called-interactively-p 'any)
    (message "Lisp can call the tools now; in Lisp: (asdf:load-system \"agent-q-fs\")")))

(defun agent-q-fs-sly--offer-project ()
  "Add `agent-q-fs-sly-use-project' to the menu of `project-switch-project'."
  (when (and (listp project-switch-commands)
             (not (assq 'agent-q-fs-sly-use-project project-switch-commands)))
    (setq project-switch-commands
          (append project-switch-commands
                  (list (list 'agent-q-fs-sly-use-project "Lisp agent's files"
                              (default-value 'agent-q-fs-sly-project-key)))))))


;;;; The root

(defun agent-q-fs-sly--eval (form)
  "Return the value of FORM in the Lisp of this buffer."
  (cond ((and (featurep 'sly) (sly-current-connection)) (sly-eval form))
        ((and (featurep 'slime) (slime-current-connection)) (slime-eval form))
        (t (user-error "No Lisp is connected; start one with M-x sly or M-x slime"))))

(defun agent-q-fs-sly--project-root ()
  "Return the root of the project around, by project.el, or nil."
  (let ((project (project-current)))
    (and project (expand-file-name (project-root project)))))

;;;###autoload
(defun agent-q-fs-sly-set-project-root (directory)
  "Have the tools of the connected Common Lisp stay in DIRECTORY.
With an empty name, have Lisp find the root again.  Calls that begin
from now on go there."
  (interactive
   (list (let ((here (agent-q-fs-sly--project-root)))
           (read-directory-name "Root of Lisp's files (empty to find it): " here "" nil ""))))
  (let ((root (if (member directory '(nil ""))
                  ""
                (file-truename (agent-q-fs--local-directory "root" directory)))))
    (unless (or (equal root "") (file-directory-p root))
      (user-error "There is no directory %s" root))
    ;; The package may not be there: a symbol of it could not be read then.
    (unless (agent-q-fs-sly--eval
             `(cl:and (cl:find-package "AGENT-Q-FS")
                      (cl:funcall (cl:find-symbol "SET-PROJECT-ROOT" "AGENT-Q-FS") ,root)))
      (user-error "Lisp has not loaded agent-q-fs: (asdf:load-system \"agent-q-fs\")"))
    (agent-q-fs-sly--note-root (agent-q-fs-sly-connection)
                               (if (equal root "") nil (file-name-as-directory root)))
    (message (if (equal root "") "Lisp finds the root again" "Lisp's files are in %s now")
             root)))

;;;###autoload
(defun agent-q-fs-sly-use-project ()
  "Have the tools of the connected Common Lisp stay in the project of project.el."
  (interactive)
  (agent-q-fs-sly-set-project-root
   (expand-file-name (project-root (project-current t)))))

(provide 'agent-q-fs-sly)
;;; agent-q-fs-sly.el ends here
