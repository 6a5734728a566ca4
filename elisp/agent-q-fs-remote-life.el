;;; agent-q-fs-remote-life.el --- Losing another machine, and finding it again  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; When a link is lost, what was asked is answered with the error `disconnected'.  A change
;; that was on its way is in doubt.  Its call has a name, so when the link is up again, its
;; server, which has waited for the end of the one before, is asked whether a call of
;; that name was made; only then the change is answered.  Where none was, what it would do
;; now is compared with what was to be done.  Nothing is sent a second time.
;;
;; A link is tried again after 1, 2, 4 seconds and so on, a few times, and by the next call.
;; A server that cannot be trusted is tried again only by a call.

;;; Code:

(require 'agent-q-fs-remote-link)
(require 'cl-lib)
(require 'seq)

(declare-function agent-q-fs-remote--open-again "agent-q-fs-remote" (workspace))
(defvar tramp-connection-timeout)

(defconst agent-q-fs-link--waits '(1 2 4 8 16 30)
  "The seconds before each attempt to connect again.\nAfter the last one, a call begins it.")


;;;; Ending

(defun agent-q-fs-link--sentinel (process _event)
  "Note that the server that PROCESS is has ended."
  (let ((link (process-get process 'agent-q-fs-link)))
    (when (and link (eq process (agent-q-fs-link-process link)) (not (process-live-p process)))
      (agent-q-fs-link--lose
       link (if (eq 'starting (agent-q-fs-link-state link))
                (let ((said (agent-q-fs-link--said link)))
                  (concat "agent-q-fs did not start there"
                          (if (equal "" said) "" (concat ": " said))))
              "the connection was lost")))))

(defun agent-q-fs-link--stop-timers (link)
  "Stop the timers of LINK."
  (dolist (timer (list (agent-q-fs-link-tick link) (agent-q-fs-link-again link)))
    (when timer (cancel-timer timer)))
  (setf (agent-q-fs-link-tick link) nil
        (agent-q-fs-link-again link) nil))

(defun agent-q-fs-link--end-process (link)
  "End the process of LINK, and forget what it had of its server."
  (let ((process (agent-q-fs-link-process link)))
    (agent-q-fs-link--stop-timers link)
    (setf (agent-q-fs-link-process link) nil
          (agent-q-fs-link-state link) 'down
          (agent-q-fs-link-open link) nil)
    (agent-q-fs-link--forget-text link)
    (when (processp process)
      (set-process-sentinel process #'ignore)
      (set-process-filter process #'ignore)
      (delete-process process))))

(defun agent-q-fs-link--lose (link why &optional for-good)
  "Take the connection of LINK as lost; WHY says why.
Unless FOR-GOOD, it is tried again after a while."
  (unless (eq 'down (agent-q-fs-link-state link))
    (let ((asked (hash-table-values (agent-q-fs-link-asked link))))
      (agent-q-fs-link--end-process link)
      (setf (agent-q-fs-link-why link) why
            (agent-q-fs-link-queue link) nil)
      (clrhash (agent-q-fs-link-asked link))
      (dolist (ask asked)
        (if (and (agent-q-fs-link-ask-sent ask) (agent-q-fs-link-ask-change ask)
                 (eq 'waiting (agent-q-fs-link-ask-state ask)) (not for-good))
            (push ask (agent-q-fs-link-doubts link))
          (agent-q-fs-link--answer-lost ask why)))
      (if for-good
          (agent-q-fs-link--give-up link)
        (agent-q-fs-link--later link))
      (agent-q-fs-link--show-state))))

(defun agent-q-fs-link-trouble (link)
  "Return an error's reply that says why LINK is down."
  (agent-q-fs-link--error link "%s" (or (agent-q-fs-link-why link) "there is no connection")))

(defun agent-q-fs-link--answer-lost (ask why)
  "Answer ASK, whose connection ended, WHY saying why."
  (let ((change (and (agent-q-fs-link-ask-change ask) (agent-q-fs-link-ask-sent ask)))
        (command (and (agent-q-fs-link-ask-raw ask) (agent-q-fs-link-ask-sent ask))))
    (agent-q-fs-link--answer
     ask (append (agent-q-fs-link--error
                  (agent-q-fs-link-ask-link ask)
                  (cond (change "%s.  It is not known whether the change was made: look at the file")
                        ((agent-q-fs-link-ask-change ask) "%s.  Nothing was changed")
                        (t "%s"))
                  why)
                 (list :outcome (if (or change command) :unknown :not-done))))))


;;;; Beginning again

(defun agent-q-fs-link--later (link)
  "Have a timer connect LINK again, or give up."
  (let ((wait (nth (agent-q-fs-link-tries link) agent-q-fs-link--waits)))
    (if wait
        (setf (agent-q-fs-link-again link)
              (run-with-timer wait nil #'agent-q-fs-link--try-again link))
      (agent-q-fs-link--give-up link))))

(defun agent-q-fs-link--give-up (link)
  "Answer what is in doubt on LINK: nobody can be asked."
  (let ((doubts (agent-q-fs-link-doubts link)))
    (setf (agent-q-fs-link-doubts link) nil)
    (dolist (ask doubts)
      (agent-q-fs-link--answer-lost ask (agent-q-fs-link-why link)))))

(defun agent-q-fs-link--wanted-p (link)
  "Return non-nil if anything needs LINK."
  (or (agent-q-fs-link-doubts link)
      (< 0 (hash-table-count (agent-q-fs-link-asked link)))
      (seq-some #'identity (hash-table-values (agent-q-fs-link-workspaces link)))))

(defun agent-q-fs-link--try-again (link)
  "Connect LINK again, from a timer: nobody is asked for anything."
  (setf (agent-q-fs-link-again link) nil)
  (when (and (eq 'down (agent-q-fs-link-state link)) (agent-q-fs-link--wanted-p link))
    (cl-incf (agent-q-fs-link-tries link))
    (let ((inhibit-interaction t) (tramp-connection-timeout 10))
      (condition-case problem
          (progn
            (with-local-quit (agent-q-fs-link-start link))
            (when (eq 'down (agent-q-fs-link-state link)) ; the person has quit
              (agent-q-fs-link--later link)))
        (error
         (setf (agent-q-fs-link-why link) (agent-q-fs-show-visible (error-message-string problem) t))
         (agent-q-fs-link--later link))))))

(defun agent-q-fs-link--open-again (link)
  "Open the workspaces of LINK that its new server does not have."
  (maphash (lambda (number workspace)
             (unless (memq number (agent-q-fs-link-open link))
               (agent-q-fs-remote--open-again workspace)))
           (agent-q-fs-link-workspaces link)))

(defun agent-q-fs-link--clear-doubts (link)
  "Ask the new server of LINK what became of the changes that are in doubt."
  (let ((doubts (agent-q-fs-link-doubts link)))
    (setf (agent-q-fs-link-doubts link) nil)
    (dolist (ask doubts)
      (if (not (gethash (agent-q-fs-link-ask-workspace ask) (agent-q-fs-link-workspaces link)))
          (agent-q-fs-link--answer-lost ask "its workspace was closed")
        (agent-q-fs-link-ask link "call" (agent-q-fs-link-ask-workspace ask)
                             "{\"op\":\"changes_list\",\"args\":{\"limit\":1000}}"
                             :members (agent-q-fs-remote-data-members 'changes_list)
                             :then (lambda (reply) (agent-q-fs-link--clear-doubt ask reply)))))))

(defmacro agent-q-fs-link--unless-lost (ask reply &rest body)
  "Evaluate BODY if ASK waits still; keep it in doubt if REPLY was lost, too."
  (declare (indent 2) (debug t))
  `(cond ((not (eq 'waiting (agent-q-fs-link-ask-state ,ask))))
         ((and (eq :disconnected (plist-get ,reply :error))
               (agent-q-fs-link-again (agent-q-fs-link-ask-link ,ask)))
          (push ,ask (agent-q-fs-link-doubts (agent-q-fs-link-ask-link ,ask))))
         (t ,@body)))

(defun agent-q-fs-link--clear-doubt (ask reply)
  "Answer ASK by REPLY, the list of the changes that were made, if it can tell."
  (let ((link (agent-q-fs-link-ask-link ask)) (change (agent-q-fs-link-ask-change ask)))
    (agent-q-fs-link--unless-lost ask reply
      (cond
       ((plist-get reply :error)
        (agent-q-fs-link--answer-lost
         ask "the connection was lost, and what was done there is not told"))
       ((seq-some (lambda (call)
                    (equal change (list (plist-get call :operation) (plist-get call :call)
                                        (plist-get call :caller))))
                  (plist-get reply :calls))
        (agent-q-fs-link--answer-doubt ask :done "The change was made before that: do not make it \
again"))
       ;; A server that was killed may have had no time to list what it had done.
       ((agent-q-fs-link-ask-digest ask)
        (agent-q-fs-link-ask link "call" (agent-q-fs-link-ask-workspace ask)
                             (funcall (agent-q-fs-link-ask-again ask))
                             :members (agent-q-fs-remote-data-known "plan")
                             :then (lambda (plan) (agent-q-fs-link--compare-plan ask plan))))
       (t (agent-q-fs-link--answer-lost ask "the connection was lost"))))))

(defun agent-q-fs-link--compare-plan (ask plan)
  "Answer ASK, whose change is not listed, by PLAN, what it would do now.
If that is what it would have done, down to the identity of each file, it
was not done."
  (agent-q-fs-link--unless-lost ask plan
    (if (equal (agent-q-fs-link-ask-digest ask) (plist-get plan :digest))
        (agent-q-fs-link--answer-doubt ask :not-done "The change was not made, and the files are as \
they were: it can be made again")
      (agent-q-fs-link--answer-lost ask "the connection was lost, and the files are not as they \
were before"))))

(defun agent-q-fs-link--answer-doubt (ask outcome words)
  "Answer ASK, whose connection was lost, with OUTCOME, which WORDS tell."
  (agent-q-fs-link--answer
   ask (append (agent-q-fs-link--error (agent-q-fs-link-ask-link ask)
                                       "the connection was lost.  %s" words)
               (list :outcome outcome))))


;;;; Being alive

(defun agent-q-fs-link-tick-now (link)
  "Look whether the server of LINK is alive, and close what nobody has any more."
  (let* ((process (agent-q-fs-link-process link))
         (silence (- (float-time) (or (agent-q-fs-link-heard link) 0)))
         (patience (default-value 'agent-q-fs-remote-seconds)))
    (cond
     ((eq 'down (agent-q-fs-link-state link))
      (unless (agent-q-fs-link-again link)
        (agent-q-fs-link--give-up link)))
     ((not (process-live-p process))
      (agent-q-fs-link--sentinel process nil))
     ((eq 'starting (agent-q-fs-link-state link))
      (when (> silence patience)
        (agent-q-fs-link--lose
         link (format "agent-q-fs did not answer in %d seconds%s" patience
                      (let ((said (agent-q-fs-link--said link)))
                        (if (equal "" said) "" (concat ": " said)))))))
     ((< silence patience)
      (agent-q-fs-link--close-dropped link))
     ((not (agent-q-fs-link--wanted-p link)) (agent-q-fs-link-close link))
     ((not (agent-q-fs-link-ping link))
      ;; The time since then counts: this machine may have slept.
      (setf (agent-q-fs-link-ping link) (agent-q-fs-link--next-id link)
            (agent-q-fs-link-heard link) (float-time))
      (agent-q-fs-link--send link (agent-q-fs-link--frame "ping" (agent-q-fs-link-ping link) 0)))
     (t (agent-q-fs-link--lose link (format "no sign of life for %d seconds" patience))))))

(defun agent-q-fs-link--close-dropped (link)
  "Close the workspaces of LINK that are garbage."
  (dolist (number (agent-q-fs-link-open link))
    (unless (gethash number (agent-q-fs-link-workspaces link))
      (agent-q-fs-link-forget link number))))

(defun agent-q-fs-link-forget (link number)
  "Have the server of LINK close its workspace NUMBER."
  (remhash number (agent-q-fs-link-workspaces link))
  (when (memq number (agent-q-fs-link-open link))
    (setf (agent-q-fs-link-open link) (delq number (agent-q-fs-link-open link)))
    (when (eq 'up (agent-q-fs-link-state link))
      (agent-q-fs-link-ask link "close" number ""
                           :then (lambda (_) (agent-q-fs-link-close-idle link)))))
  (when (eq 'down (agent-q-fs-link-state link))
    (agent-q-fs-link-close-idle link)))

(defun agent-q-fs-link-close-idle (link)
  "End the connection of LINK if nothing needs it."
  (unless (agent-q-fs-link--wanted-p link)
    (agent-q-fs-link-close link)))

(defun agent-q-fs-link-close (link)
  "End the connection of LINK; the next call would begin it again."
  (agent-q-fs-link--lose link "it was closed" t)
  (agent-q-fs-link--stop-timers link)
  (setq agent-q-fs-link--all (delq link agent-q-fs-link--all))
  (agent-q-fs-link--show-state))


;;;; In the mode line

(defvar agent-q-fs-link--mode-line '(:eval (agent-q-fs-link-mode-line-text))
  "The part of the mode line that is shown while a link is not up.")

(defun agent-q-fs-link--state-words (link)
  "Return words about LINK, or nil if it is up."
  (unless (eq 'up (agent-q-fs-link-state link))
    (concat (agent-q-fs-link-name link)
            (cond ((eq 'starting (agent-q-fs-link-state link)) ": connecting")
                  ((agent-q-fs-link-again link) ": lost, is tried again")
                  (t ": lost")))))

(defun agent-q-fs-link-mode-line-text ()
  "Return what the mode line says of links that are not up."
  (let ((links (seq-filter (lambda (link)
                             (and (agent-q-fs-link--wanted-p link)
                                  (agent-q-fs-link--state-words link)))
                           agent-q-fs-link--all)))
    (if (null links) ""
      (propertize (string-replace "%" "%%" (format "[%s] " (mapconcat #'agent-q-fs-link--state-words
                                                                      links ", ")))
                  'face 'warning
                  'help-echo (mapconcat (lambda (link) (or (agent-q-fs-link-why link) ""))
                                        links "\n")))))

(defun agent-q-fs-link--show-state ()
  "Have the mode line tell of links that are not up."
  (let ((others (remq agent-q-fs-link--mode-line (default-value 'mode-line-misc-info))))
    (setq-default mode-line-misc-info
                  (if (seq-some #'agent-q-fs-link--state-words agent-q-fs-link--all)
                      (cons agent-q-fs-link--mode-line others)
                    others))
    (force-mode-line-update t)))

(put 'agent-q-fs-link--mode-line 'risky-local-variable t)

(provide 'agent-q-fs-remote-life)
;;; agent-q-fs-remote-life.el ends here
