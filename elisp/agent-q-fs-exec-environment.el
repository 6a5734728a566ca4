;;; agent-q-fs-exec-environment.el --- What commands are told of the world  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A command has of Emacs' environment only what `agent-q-fs-exec-environment'
;; names, and what `agent-q-fs-exec-settings' says.  Nothing comes from a buffer or a project:
;; packages that read .envrc or .dir-locals.el set variables for buffers, so the
;; values of those variables outside of any buffer are taken.

;;; Code:

(require 'agent-q-fs)
(require 'seq)
(require 'subr-x)

(defgroup agent-q-fs-exec nil
  "Commands that models run."
  :group 'agent-q-fs)

(defcustom agent-q-fs-exec-environment
  '("PATH" "HOME" "USER" "LOGNAME" "SHELL" "LANG" "LANGUAGE" "LC_*" "TZ" "TMPDIR")
  "Names of the variables that commands have as Emacs has them.
A name may end in *, which stands for any end.  Nothing else of Emacs'
environment reaches a command: it may hold secrets."
  :type '(repeat string))

(defcustom agent-q-fs-exec-settings
  '("TERM=dumb" "PAGER=cat" "GIT_PAGER=cat" "MANPAGER=cat" "SYSTEMD_PAGER=cat"
    "NO_COLOR=1" "CLICOLOR=0" "GIT_TERMINAL_PROMPT=0")
  "What else is in the environment of commands, as NAME=VALUE.
These keep programs from paging and colouring, and git from asking."
  :type '(repeat string))

(defcustom agent-q-fs-exec-shell nil
  "The shell that commands are given to, with -c; nil for `shell-file-name'."
  :type '(choice (const :tag "Yours" nil) file))

(defun agent-q-fs-exec-environment--named-p (entry)
  "Return non-nil if ENTRY, NAME=VALUE, has a name that commands may see."
  (let ((name (car (split-string entry "="))))
    (and (string-search "=" entry)
         (seq-some (lambda (known)
                     (if (string-suffix-p "*" known)
                         (string-prefix-p (substring known 0 -1) name)
                       (equal known name)))
                   agent-q-fs-exec-environment))))

(defun agent-q-fs-exec-environment--path (entry)
  "Return ENTRY; if it is PATH, without directories that depend on where one is."
  (if (not (string-prefix-p "PATH=" entry))
      entry
    (concat "PATH="
            (string-join (seq-filter (lambda (directory) (string-prefix-p "/" directory))
                                     (split-string (substring entry 5) ":"))
                         ":"))))

(defun agent-q-fs-exec-environment ()
  "Return the environment of commands, as `process-environment' has it."
  (append agent-q-fs-exec-settings
          (mapcar #'agent-q-fs-exec-environment--path
                  (seq-filter #'agent-q-fs-exec-environment--named-p
                              ;; A name that occurs twice counts the first time, as for Emacs.
                              (seq-uniq (default-toplevel-value 'process-environment)
                                        (lambda (a b)
                                          (equal (car (split-string a "="))
                                                 (car (split-string b "=")))))))))

(defun agent-q-fs-exec-environment-words ()
  "Return what a person is told of the environment of commands."
  (format "%s; of yours only %s"
          (string-join agent-q-fs-exec-settings " ")
          (string-join agent-q-fs-exec-environment " ")))

(defun agent-q-fs-exec-file-bytes (name)
  "Return the bytes of the file NAME."
  (encode-coding-string name (or file-name-coding-system default-file-name-coding-system
                                 'utf-8-unix)))

(defun agent-q-fs-exec-program (name)
  "Return the file that a command finds as NAME, or nil."
  (let* ((file-name-handler-alist nil)
         (path (seq-some (lambda (entry)
                           (and (string-prefix-p "PATH=" entry) (substring entry 5)))
                         (agent-q-fs-exec-environment))))
    (seq-some (lambda (directory)
                (let ((file (concat (file-name-as-directory directory) name)))
                  (and (file-executable-p file) (file-regular-p file) file)))
              (split-string (or path "/usr/bin:/bin") ":" t))))

(defun agent-q-fs-exec-shell ()
  "Return the file name of the shell for commands, or signal an error."
  (let* ((shell (or agent-q-fs-exec-shell (default-toplevel-value 'shell-file-name)))
         (found (and (stringp shell)
                     (if (file-name-absolute-p shell)
                         (and (file-executable-p shell) shell)
                       (agent-q-fs-exec-program shell)))))
    (or found
        (agent-q-fs--fail :command-failed "There is no shell %s; see agent-q-fs-exec-shell"
                          shell))))

(provide 'agent-q-fs-exec-environment)
;;; agent-q-fs-exec-environment.el ends here
