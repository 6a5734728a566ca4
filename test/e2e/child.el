;;; child.el --- The Emacs of the end-to-end tests  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Loaded by the Emacs that emacs.lisp starts on a terminal.  In the environment,
;; E2E_SERVER is swank or slynk, E2E_CLIENT the directory of SLIME or SLY, E2E_PORT
;; where Lisp listens, and E2E_FORM what to evaluate before connecting.

;;; Code:

(setq inhibit-startup-screen t
      native-comp-deferred-compilation nil
      ring-bell-function #'ignore
      create-lockfiles nil
      load-prefer-newer t
      ;; Logging the messages takes longer than the tested code.
      slime-log-events nil
      sly-log-events nil)

(defvar e2e-server (getenv "E2E_SERVER"))
(defvar agent-q-fs-prompt-delay)
(defvar agent-q-fs-sly-directories)
(defvar slime-enable-evaluate-in-emacs)
(defvar sly-enable-evaluate-in-emacs)
(defvar slime-event-hooks)
(defvar sly-event-hooks)
(defvar slime-log-events)
(defvar sly-log-events)
(add-to-list 'load-path (getenv "E2E_CLIENT"))

(defvar e2e-messages 0
  "How many messages from Lisp asked for a value.")

(defun e2e-count (event)
  "Count EVENT, a message from Lisp."
  (when (eq (car event) :eval)
    (setq e2e-messages (1+ e2e-messages)))
  nil)

(defvar e2e-questions 0
  "The number of questions that were asked.")

(defvar e2e-answer nil
  "The answers of Lisp to Emacs.")

(defun e2e-say-shown (&rest _)
  "Draw the screen, and tell the terminal, as its title, that a request is on it."
  (redisplay t)
  (send-string-to-terminal "\e]2;request shown\a"))

(defun e2e-load ()
  "Load SLIME or SLY, and agent-q-fs unless the test wants it missing."
  (if (equal e2e-server "slynk")
      (progn
        (require 'sly)
        ;; For the tests themselves, which look into this Emacs.
        (setq sly-enable-evaluate-in-emacs t)
        (add-hook 'sly-event-hooks #'e2e-count -90))
    (add-to-list 'load-path (expand-file-name "contrib" (getenv "E2E_CLIENT")))
    (require 'slime)
    (setq slime-enable-evaluate-in-emacs t)
    (slime-setup '(slime-repl))
    (add-hook 'slime-event-hooks #'e2e-count -90))
  (unless (equal "" (or (getenv "E2E_ELISP") ""))
    (add-to-list 'load-path (getenv "E2E_ELISP"))
    (require 'agent-q-fs-rpc)
    (require 'agent-q-fs-sly)
    (require 'agent-q-fs-log)
    (require 'agent-q-fs-prompt)
    (setq agent-q-fs-prompt-delay 0
          agent-q-fs-prompt-stay 0
          agent-q-fs-sly-directories (list temporary-file-directory))
    (advice-add 'agent-q-fs-prompt :before
                (lambda (&rest _) (setq e2e-questions (1+ e2e-questions))))
    (advice-add 'agent-q-fs-request--show :after #'e2e-say-shown)
    (global-set-key (kbd "C-c r") #'agent-q-fs-requests)
    (agent-q-fs-sly-setup)))

(defun e2e-say-connected ()
  "Tell the terminal, as its title, that the client's first talk with Lisp is over.
In that talk SLIME waits for answers; what asks Lisp meanwhile is abandoned
when they come."
  (run-with-timer 0 nil #'send-string-to-terminal "\e]2;Lisp connected\a"))

(defun e2e-connect ()
  "Connect to the Lisp that waits."
  (add-hook (if (equal e2e-server "slynk") 'sly-connected-hook 'slime-connected-hook)
            #'e2e-say-connected 90)
  (let ((port (string-to-number (getenv "E2E_PORT"))))
    (if (equal e2e-server "slynk")
        (sly-connect "127.0.0.1" port)
      (slime-connect "127.0.0.1" port))))

(e2e-load)
(eval (car (read-from-string (or (getenv "E2E_FORM") "nil"))) t)
(run-with-timer 0.1 nil #'e2e-connect)

(provide 'child)
;;; child.el ends here
