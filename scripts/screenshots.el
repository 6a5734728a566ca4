;;; screenshots.el --- Pictures of what people see  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Loaded by screenshots.sh into an Emacs on a display of its own.  A small
;; project is made, and looked at and changed as a person and a model would; the
;; frame is photographed on the way.  Keys are typed between the steps of
;; `screenshots-steps', so that Emacs obeys them as it obeys a person.

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

(defun screenshots-steps (steps)
  "Run STEPS, one after the other, a second and a half apart.
A step is a function, or text: the keys to type."
  (condition-case problem
      (when steps
        (if (stringp (car steps))
            (setq unread-command-events
                  (append unread-command-events (listify-key-sequence (car steps))))
          (funcall (car steps)))
        (run-with-timer 1.5 nil #'screenshots-steps (cdr steps)))
    (error (screenshots-fail problem))))

(defun screenshots-fail (problem)
  "End Emacs because of PROBLEM, an error."
  (write-region (format "screenshots: %S\n" problem) nil "/dev/stderr" t 'quiet)
  (kill-emacs 1))

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
  (let ((project (file-name-as-directory (expand-file-name "greet" screenshots-base))))
    (make-directory project t)
    (cd project)
    (setq agent-q-fs-state-directory (expand-file-name "state" screenshots-base))
    (screenshots-project)
    (setq agent-q-fs-workspace (agent-q-fs-open :root project))
    (screenshots-height 26)
    (find-file (agent-q-fs-ui-file "lisp/greet.el"))
    (message nil)
    (call-interactively #'agent-q-fs)
    (screenshots-take "menu")
    (screenshots-steps (append (list "\C-g" "\C-g" #'screenshots-lists)
                               (screenshots-request-steps)))))

(defun screenshots-lists ()
  "Take pictures of the tree and of a search."
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
  (screenshots-height 26))

(defun screenshots-request-steps ()
  "Return the steps of a request that comes while somebody writes, and of what follows."
  (list (lambda () (find-file (expand-file-name "greet/doc/names.txt" screenshots-base)) (goto-char (point-max)))
        "Hedy"
        (lambda () (save-buffer) (message nil) (screenshots-calls))
        (lambda () (message nil) (screenshots-take "request-1"))
        ", Radia"
        (lambda () (screenshots-take "request-2"))
        (lambda () (save-buffer) (message nil) (agent-q-fs-requests))
        (lambda () (screenshots-take "request-3"))
        "y"
        (lambda () (screenshots-take "request-4"))
        (lambda () (agent-q-fs-review))
        (lambda () (delete-other-windows) (message nil) (screenshots-take "request-5")
          (screenshots-take "review"))
        (lambda ()
          (screenshots-height 14)
          (agent-q-fs-log)
          (delete-other-windows)
          (screenshots-take "log")
          (dolist (buffer (buffer-list))
            (with-current-buffer buffer (set-buffer-modified-p nil)))
          (kill-emacs 0))))

(defun screenshots-calls ()
  "Have a model call tools; somebody is asked about the last one."
  (agent-q-fs-call-tool "read_file" '(:path "lisp/greet.el"))
  (agent-q-fs-call-tool "grep_files" '(:pattern "defun"))
  (agent-q-fs-call-tool "read_file" '(:path "../../etc/passwd"))
  (agent-q-fs-call-tool "edit_file" '(:path "README.org" :old_str "by name" :new_str "by their names"))
  (agent-q-fs-call-tool-async
   "create_file"
   '(:path "lisp/greet-all.el" :description "Greet many people at once"
     :content ";;; greet-all.el --- Greet many people\n\n(require 'greet)\n
(defun greet-all-of-file (file)\n  \"Greet everybody whose name is in FILE.\"\n  (interactive \"fFile: \")
  (mapc #'greet (split-string (with-temp-buffer\n                                (insert-file-contents file)
                                (buffer-string))\n                              \"\\n\" t)))\n\n(provide 'greet-all)\n")
   #'ignore))

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
                    (error (screenshots-fail problem)))))

(provide 'screenshots)
;;; screenshots.el ends here
