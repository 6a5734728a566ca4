;;; agent-q-fs-prompt-child.el --- An Emacs on a terminal that asks  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Loaded by the Emacs that agent-q-fs-prompt-tests.el starts on a terminal.
;; AQFS_PROMPT in the environment is a property list: :directory to work in,
;; :form to evaluate once there is a frame, :log to write to.  The log gets
;; the value of the form, and what the form left behind.

;;; Code:

(require 'agent-q-fs-test-help)
(require 'agent-q-fs-tools)
(require 'agent-q-fs-prompt)
(require 'agent-q-fs-show)

(defvar agent-q-fs-prompt-child--plan (read (getenv "AQFS_PROMPT"))
  "The property list of the test's orders.")

(defvar agent-q-fs-prompt-child-results nil
  "Values that the form adds to the log, latest first.")

(defvar agent-q-fs-prompt-child-later nil
  "A function that returns the form's value once there is one, if the form sets it.")

(defun agent-q-fs-prompt-child-once (predicate function)
  "Call FUNCTION once PREDICATE is true, after making the file once beside the tree.
Keys that are typed when there is that file are read after FUNCTION has begun to wait."
  (let (timer)
    (setq timer (run-with-timer 0.05 0.05
                                (lambda ()
                                  (when (funcall predicate)
                                    (cancel-timer timer)
                                    (write-region "" nil "../once" nil 'quiet)
                                    (funcall function)))))))

(defvar agent-q-fs-prompt-child--title nil
  "The title that the terminal has.")

(defun agent-q-fs-prompt-child--ready-p ()
  "Return non-nil if a key that is typed now counts: the pause before it is over."
  (pcase agent-q-fs-prompt--reading
    (`(key ,request)
     (and (agent-q-fs-prompt-get request :ready)
          (not (agent-q-fs-prompt-get request :early))
          (<= agent-q-fs-prompt-delay
              (- (float-time) (max agent-q-fs-prompt--key-time
                                   (agent-q-fs-prompt-get request :visible))))))
    (`(edit ,_) t)
    (_ (or (active-minibuffer-window)
           (buffer-local-value 'agent-q-fs-request--ready (window-buffer))))))

(defun agent-q-fs-prompt-child--say (title)
  "Give the terminal TITLE, before what is drawn from now on."
  (unless (equal title agent-q-fs-prompt-child--title)
    (setq agent-q-fs-prompt-child--title title)
    (send-string-to-terminal (format "\e]2;%s\a" title) (frame-terminal))))

(defun agent-q-fs-prompt-child--say-busy (&rest _)
  "Say that no key counts yet."
  (agent-q-fs-prompt-child--say "busy"))

(defun agent-q-fs-prompt-child--say-ready ()
  "Say whether a key counts now."
  (agent-q-fs-prompt-child--say (if (agent-q-fs-prompt-child--ready-p) "ready" "busy")))

(defun agent-q-fs-prompt-child--state ()
  "Return the state that a prompt must not change."
  (list :windows (mapcar (lambda (window)
                           (list (buffer-name (window-buffer window)) (window-edges window)))
                         (window-list nil 'no-minibuffer))
        :buffers (sort (seq-remove (lambda (name)
                                     (string-match-p agent-q-fs-test-hidden-buffers name))
                                   (mapcar #'buffer-name (buffer-list)))
                       #'string<)
        :timers (length (seq-filter (lambda (timer)
                                      (string-prefix-p "agent-q-fs-prompt"
                                                       (format "%s" (timer--function timer))))
                                    timer-list))
        :depth (recursion-depth)
        :hooks delete-frame-functions
        :minibuffer (minibuffer-depth)))

(defun agent-q-fs-prompt-child--finish (value before)
  "Write VALUE and the differences between the state now and BEFORE."
  (let ((log (plist-get agent-q-fs-prompt-child--plan :log))
        (after (agent-q-fs-prompt-child--state)))
    (with-temp-file (concat log ".new")
      (let ((print-escape-newlines t))
        (prin1 (list :value value :results agent-q-fs-prompt-child-results
                     :same (equal before after) :before before :after after)
               (current-buffer))))
    (rename-file (concat log ".new") log t)))

(defun agent-q-fs-prompt-child--run ()
  "Evaluate the form once there is a frame to ask on."
  (if (agent-q-fs-approve-unattended-p)
      (run-with-timer 0.1 nil #'agent-q-fs-prompt-child--run)
    (let* ((default-directory (plist-get agent-q-fs-prompt-child--plan :directory))
           (agent-q-fs-state-directory (expand-file-name "../state" default-directory))
           (ws (agent-q-fs-open :root default-directory))
           (before (agent-q-fs-prompt-child--state))
           (value (condition-case problem
                      (eval `(let ((ws ,ws)) ,(plist-get agent-q-fs-prompt-child--plan :form)) t)
                    ((error quit) (list 'signalled problem)))))
      ;; Calls that wait for others are done when Emacs is back at the top level.
      (run-with-timer 0.3 nil #'agent-q-fs-prompt-child--end value before))))

(defun agent-q-fs-prompt-child--end (value before)
  "Write the log, with VALUE and the state BEFORE, once there is a value."
  (let ((value (if agent-q-fs-prompt-child-later
                   (funcall agent-q-fs-prompt-child-later)
                 (or value t))))
    (if value
        (agent-q-fs-prompt-child--finish (unless (eq value t) value) before)
      (run-with-timer 0.1 nil #'agent-q-fs-prompt-child--end nil before))))

(setq inhibit-startup-screen t
      agent-q-fs-prompt-delay 0.3
      agent-q-fs-prompt-stay 0)
(run-with-timer 0.05 0.05 #'agent-q-fs-prompt-child--say-ready)
(advice-add 'agent-q-fs-prompt--display :before #'agent-q-fs-prompt-child--say-busy)
(advice-add 'agent-q-fs-prompt--read-key :before #'agent-q-fs-prompt-child--say-busy)
(advice-add 'agent-q-fs-prompt--read-key :after #'agent-q-fs-prompt-child--say-busy)
(advice-add 'agent-q-fs-request--unready :before #'agent-q-fs-prompt-child--say-busy)
(run-with-timer 0.3 nil #'agent-q-fs-prompt-child--run)

(provide 'agent-q-fs-prompt-child)
;;; agent-q-fs-prompt-child.el ends here
