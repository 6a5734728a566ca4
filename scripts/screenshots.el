;;; screenshots.el --- Pictures of what people see  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Loaded by screenshots.sh into an Emacs on a display of its own.  A small
;; project is made, and looked at and changed as a person and a model would; the
;; frame is photographed on the way.

;;; Code:

(require 'agent-q-fs)
(require 'agent-q-fs-grep)
(require 'agent-q-fs-ui)
(require 'agent-q-fs-tools)
(require 'agent-q-fs-tree)

(defvar screenshots-base)

(defconst screenshots-directory (expand-file-name "doc/images/")
  "Where the pictures go.")

(defun screenshots-take (name)
  "Take a picture of the frame, called NAME."
  (redisplay t)
  (sleep-for 0.3)
  (redisplay t)
  (unless (eql 0 (call-process "import" nil nil nil "-window"
                               (frame-parameter nil 'outer-window-id) "-strip"
                               (expand-file-name (concat name ".png") screenshots-directory)))
    (error "There is no picture of %s" name)))

(defun screenshots-height (lines)
  "Make the frame as high as LINES."
  (set-frame-height nil lines)
  (sleep-for 0.2))

(defun screenshots-later (name &rest keys)
  "Take a picture called NAME once Emacs waits for keys, and type KEYS."
  (run-with-timer 1 nil
                  (lambda ()
                    (screenshots-take name)
                    (setq unread-command-events
                          (append unread-command-events keys)))))

(defun screenshots-file (name &rest lines)
  "Write LINES into the file NAME of the project."
  (make-directory (file-name-directory (expand-file-name name)) t)
  (write-region (mapconcat (lambda (line) (concat line "\n")) lines "") nil name nil 'quiet))

(defun screenshots-project ()
  "Make the project."
  (dolist (part '("objects" "refs"))
    (make-directory (expand-file-name part ".git") t))
  (screenshots-file ".git/HEAD" "ref: refs/heads/main")
  (screenshots-file "README.org" "#+title: greet" "" "Greets people by name." "" "* Use"
                    "M-x greet asks for a name and greets.")
  (screenshots-file "lisp/greet.el" ";;; greet.el --- Greet people" ""
                    "(defun greet (name)" "  \"Greet NAME.\""
                    "  (interactive \"sName: \")" "  (message \"Hello %s\" name))" ""
                    "(defun greet-all (names)" "  \"Greet everybody in NAMES.\""
                    "  (mapc #'greet names))" "" "(provide 'greet)")
  (screenshots-file "lisp/greet-polite.el" "(require 'greet)" ""
                    "(defun greet-politely (name)" "  (greet (concat \"dear \" name)))")
  (screenshots-file "test/greet-tests.el" "(require 'greet)" ""
                    "(ert-deftest greet/by-name ()"
                    "  (should (equal \"Hello Ada\" (greet \"Ada\"))))")
  (screenshots-file "doc/names.txt" "Ada" "Grace" "Barbara"))

(defun screenshots-wait ()
  "Wait for what fills the current buffer."
  (while (agent-q-fs-ui-running-p)
    (accept-process-output nil 0.05)))

(defun screenshots-run ()
  "Take all pictures."
  (let ((default-directory (file-name-as-directory (expand-file-name "greet" screenshots-base)))
        (agent-q-fs-state-directory (expand-file-name "state" screenshots-base)))
    (make-directory default-directory t)
    (screenshots-project)
    (setq agent-q-fs-workspace (agent-q-fs-open :root default-directory))
    (screenshots-height 26)
    (find-file (agent-q-fs-ui-file "lisp/greet.el"))
    (message nil)
    (call-interactively #'agent-q-fs)
    (screenshots-take "menu")
    (transient-quit-all)
    (delete-other-windows)
    (screenshots-height 16)
    (switch-to-buffer (agent-q-fs-tree))
    (delete-other-windows)
    (screenshots-wait)
    (agent-q-fs-tree-toggle-all)
    (agent-q-fs-tree-toggle-all)
    (agent-q-fs-tree-goto "lisp/greet.el")
    (message nil)
    (screenshots-take "tree")
    (screenshots-height 30)
    (find-file (agent-q-fs-ui-file "lisp/greet.el"))
    (with-current-buffer (agent-q-fs-grep "greet[^.]")
      (screenshots-wait))
    (next-error 3)
    (screenshots-take "grep")
    (delete-other-windows)
    (screenshots-height 48)
    (screenshots-calls)
    (screenshots-height 14)
    (agent-q-fs-log)
    (delete-other-windows)
    (screenshots-take "log")
    (set-buffer-modified-p nil)
    (kill-emacs 0)))

(defun screenshots-calls ()
  "Have a model call tools, one of which somebody is asked about."
  (agent-q-fs-call-tool "read_file" '(:path "lisp/greet.el"))
  (agent-q-fs-call-tool "grep_files" '(:pattern "defun"))
  (agent-q-fs-call-tool "read_file" '(:path "../../etc/passwd"))
  (agent-q-fs-call-tool "edit_file" '(:path "README.org" :old_str "by name" :new_str "by their names"))
  (screenshots-later "approval" ?y)
  (agent-q-fs-call-tool
   "create_file"
   `(:path "lisp/greet.el" :allow_overwrite t
     :description "Greet in more than one language"
     :content ,(with-temp-buffer
                 (insert-file-contents (agent-q-fs-ui-file "lisp/greet.el"))
                 (search-forward "(defun greet (name)")
                 (replace-match "(defvar greet-format \"Hello %s\"\n  \"How people are greeted.\")\n\n(defun greet (name)")
                 (search-forward "\"Hello %s\"")
                 (replace-match "greet-format")
                 (buffer-string))))
  (run-with-timer 1 nil (lambda () (setq unread-command-events (list ?n ?\r))))
  (agent-q-fs-call-tool "delete_file" '(:path "doc" :recursive t)))

(setq inhibit-startup-screen t
      inhibit-startup-echo-area-message (user-login-name)
      frame-title-format "agent-q-fs")
(menu-bar-mode -1)
(tool-bar-mode -1)
(scroll-bar-mode -1)
(blink-cursor-mode -1)
(set-frame-font "DejaVu Sans Mono-12" nil t)
(set-frame-size nil 96 30)

(run-with-timer 0.5 nil
                (lambda ()
                  (condition-case problem
                      (screenshots-run)
                    (error (message "screenshots: %S" problem)
                           (write-region (format "screenshots: %S\n" problem) nil "/dev/stderr" t 'quiet)
                           (kill-emacs 1)))))

(provide 'screenshots)
;;; screenshots.el ends here
