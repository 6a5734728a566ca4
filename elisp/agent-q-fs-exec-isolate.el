;;; agent-q-fs-exec-isolate.el --- What a command can reach  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The isolation of a workspace is what it was opened with, or else
;; `agent-q-fs-exec-isolation':
;;
;;     none        a command can do what the person can do
;;     bubblewrap  see agent-q-fs-exec-bubblewrap.el
;;     podman      see agent-q-fs-exec-podman.el
;;
;; or a list of one of these and options: (bubblewrap :network t).  An isolation that
;; cannot be had is an error; there is no way from it to another one.
;;
;; An isolation has two functions: one sees to it that it is there, and calls
;; another one back; one returns the words that run a command in it.

;;; Code:

(require 'agent-q-fs)
(require 'agent-q-fs-audit)
(require 'agent-q-fs-exec-environment)
(require 'agent-q-fs-exec-sweep)
(require 'cl-lib)
(require 'seq)
(require 'subr-x)

(declare-function agent-q-fs-exec-bubblewrap-command "agent-q-fs-exec-bubblewrap"
                  (workspace directory tty words))
(declare-function agent-q-fs-exec-bubblewrap-prepare "agent-q-fs-exec-bubblewrap"
                  (workspace then))
(declare-function agent-q-fs-exec-podman-command "agent-q-fs-exec-podman"
                  (workspace directory tty environment words))
(declare-function agent-q-fs-exec-podman-prepare "agent-q-fs-exec-podman" (workspace then))

(defcustom agent-q-fs-exec-isolation 'none
  "What keeps commands from the machine, where a workspace does not say.
The option :isolation of `agent-q-fs-open' says it for one workspace.  It
is one of these, or a list of one and options, (bubblewrap :network t):

none        nothing: a command can do what you can do
bubblewrap  a command can change the workspace, read the system's
            programs, and reach nothing else, no network, no process;
            with :network t it has the network
podman      a container for the workspace; :image NAME or :rootfs
            DIRECTORY says of what, and :network a network of podman's"
  :group 'agent-q-fs-exec
  :type '(choice (const none) (const bubblewrap) (const podman)
                 (cons (choice (const bubblewrap) (const podman)) plist)))

(defun agent-q-fs-exec-isolate--spec (workspace)
  "Return the isolation of WORKSPACE as a list."
  (or (agent-q-fs-workspace-isolation workspace)
      (agent-q-fs--isolation (or agent-q-fs-exec-isolation 'none))))

(defun agent-q-fs-exec-isolation-kind (workspace)
  "Return what isolates commands in WORKSPACE: `none', `bubblewrap' or `podman'."
  (car (agent-q-fs-exec-isolate--spec workspace)))

(defun agent-q-fs-exec-isolation-option (workspace option)
  "Return the OPTION of the isolation of WORKSPACE, such as :network."
  (plist-get (cdr (agent-q-fs-exec-isolate--spec workspace)) option))

(defun agent-q-fs-exec-isolation-words (workspace)
  "Return what a person is told of the isolation of WORKSPACE."
  (pcase (agent-q-fs-exec-isolate--spec workspace)
    ('(none) "none: it can do whatever you can")
    (`(,kind . ,options)
     (format "%s, %s" kind (if (plist-get options :network) "with network" "no network")))))


;;;; Rules of the workspace

(defun agent-q-fs-exec-isolate--names (workspace option)
  "Return the true names of the paths in OPTION of WORKSPACE that exist."
  (let* ((file-name-handler-alist nil)
         (options (agent-q-fs-workspace-options workspace))
         (given (or (plist-get options (intern (concat ":" option)))
                    (plist-get options (intern (concat ":" (string-replace "_" "-" option)))))))
    (delq nil
          (mapcar (lambda (path)
                    (let ((name (expand-file-name path (agent-q-fs-workspace-root workspace))))
                      (and (file-exists-p name) (directory-file-name (file-truename name)))))
                  (append given nil)))))

(defun agent-q-fs-exec-isolate-rules (workspace)
  "Return what of WORKSPACE is to be shown and hidden, what is above first.
Each is (NAME . ACTION) with the action `show', `hide', or `pin' for what
is above something hidden and must keep its name: what is hidden is so
by where it is."
  (let* ((root (directory-file-name (agent-q-fs--file-name (agent-q-fs-workspace-root workspace))))
         (hidden (agent-q-fs-exec-isolate--names workspace "restricted_paths"))
         (shown (cl-set-difference (agent-q-fs-exec-isolate--names workspace "allowed_paths")
                                   hidden :test #'equal))
         (above nil))
    (dolist (name hidden)
      (let ((directory (directory-file-name (file-name-directory name))))
        (while (string-prefix-p (concat root "/") directory)
          (push directory above)
          (setq directory (directory-file-name (file-name-directory directory))))))
    (sort (append (list (cons root 'show))
                  (mapcar (lambda (name) (cons name 'pin))
                          (cl-set-difference (seq-uniq above) (append hidden shown)
                                             :test #'equal))
                  (mapcar (lambda (name) (cons name 'show)) (remove root shown))
                  (mapcar (lambda (name) (cons name 'hide)) hidden))
          (lambda (a b) (< (length (car a)) (length (car b)))))))


;;;; Preparing, and the words

(defun agent-q-fs-exec-isolate-prepare (workspace then)
  "See to it that commands can be isolated in WORKSPACE, and call THEN.
It is called with nil, or with an error's reply, now or later."
  (pcase (agent-q-fs-exec-isolation-kind workspace)
    ('none (funcall then nil))
    ('bubblewrap (require 'agent-q-fs-exec-bubblewrap)
                 (agent-q-fs-exec-bubblewrap-prepare workspace then))
    ('podman (require 'agent-q-fs-exec-podman)
             (agent-q-fs-exec-podman-prepare workspace then))))

(defun agent-q-fs-exec-isolate-command (workspace directory tty mark command)
  "Return how to run COMMAND in DIRECTORY of WORKSPACE: (WORDS . PRELUDE).
PRELUDE is what a shell does before it becomes what WORDS say.  TTY says
that there is a terminal.  All that it starts has MARK."
  (let ((words (lambda (shell)
                 ;; What begins with a hyphen is no option.
                 (list shell "-c" (if (string-match-p "\\`[-+]" command)
                                      (concat " " command)
                                    command)))))
    (pcase (agent-q-fs-exec-isolation-kind workspace)
      ('none (list (funcall words (agent-q-fs-exec-shell))))
      ('bubblewrap (agent-q-fs-exec-bubblewrap-command
                    workspace directory tty (funcall words (agent-q-fs-exec-shell))))
      ('podman (agent-q-fs-exec-podman-command
                workspace directory tty
                (append agent-q-fs-exec-settings
                        (list (concat agent-q-fs-exec-sweep-variable "="
                                      (agent-q-fs-exec-mark-id mark))))
                (append (list "/bin/sh" "-c"
                              (concat (agent-q-fs-exec-sweep-shell mark) "; "
                                      ;; The terminal inside is another one.
                                      (when tty "stty sane -echo -onlcr; ")
                                      "exec \"$@\"")
                              "sh")
                        (funcall words "/bin/sh")))))))

(defun agent-q-fs-exec-isolate-try (words)
  "Run WORDS, a command, to its end; return (STATUS . OUTPUT)."
  (with-temp-buffer
    (let ((default-directory "/")
          (file-name-handler-alist nil)
          (process-environment (agent-q-fs-exec-environment)))
      (condition-case problem
          (let ((status (apply #'call-process (car words) nil t nil (cdr words))))
            (cons status (string-trim (buffer-string))))
        (error (cons nil (error-message-string problem)))))))

(defun agent-q-fs-exec-isolate-failure (kind words)
  "Return the reply that says that KIND of isolation is not to be had: WORDS."
  (agent-q-fs--error-reply
   :command-failed "Commands here run in %s, which does not work: %s.  Nothing was run"
   kind (agent-q-fs-audit-plain
         (truncate-string-to-width (replace-regexp-in-string "[\0- \177]+" " " words) 500))))

(provide 'agent-q-fs-exec-isolate)
;;; agent-q-fs-exec-isolate.el ends here
