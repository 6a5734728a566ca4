;;; agent-q-fs-undo.el --- Take back what a call has changed  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; With `agent-q-fs-undo-calls' there is a snapshot before each call that changes
;; something and one behind it, and `agent-q-fs-undo' takes back what differs
;; between the two: what the last call did, and nothing else.  Where somebody has
;; changed those files since, it refuses, and nothing is done.  Called again, it
;; takes back the call before that.
;;
;; A snapshot holds the project's root, without what git ignores: of a call that
;; changed other files there is nothing to take back, which is said.

;;; Code:

(require 'agent-q-fs)
(require 'agent-q-fs-show)
(require 'seq)

(declare-function agent-q-fs--mod-call "ext:agent-q-fs-module.so"
                  (workspace operation arguments how))
(declare-function agent-q-fs-change "agent-q-fs-change" (tool &rest arguments))
(declare-function agent-q-fs-change--request "agent-q-fs-change" (tool arguments workspace))
(declare-function agent-q-fs-request-targets "agent-q-fs-approve" (request) t)
(declare-function agent-q-fs-ui-workspace "agent-q-fs-ui" ())
(declare-function agent-q-fs-ui-words "agent-q-fs-ui" (problem))

(defgroup agent-q-fs-undo nil
  "Taking back what calls have changed."
  :group 'agent-q-fs)

(defun agent-q-fs-undo--set (symbol value)
  "Set SYMBOL, `agent-q-fs-undo-calls', to VALUE, and listen to changes or not."
  (set-default symbol value)
  (pcase-dolist (`(,hook . ,function)
                 '((agent-q-fs-before-change-functions . agent-q-fs-undo-before-change)
                   (agent-q-fs-after-change-functions . agent-q-fs-undo-after-change)))
    (if value
        (add-hook hook function)
      (remove-hook hook function))))

(defcustom agent-q-fs-undo-calls nil
  "Which calls `agent-q-fs-undo' can take back.
There is a snapshot before and behind each of them; where none can be
taken, the call is not made.

dangerous  those that make, replace, move and delete files
t          all that change something"
  :type '(choice (const :tag "None" nil) (const dangerous) (const :tag "All" t))
  :set #'agent-q-fs-undo--set
  :initialize #'custom-initialize-default)

(defcustom agent-q-fs-undo-most 50
  "How many calls are remembered to be taken back."
  :type 'natnum)

(cl-defstruct (agent-q-fs-undo-call (:constructor agent-q-fs-undo--make) (:copier nil))
  "A call that can be taken back."
  root targets summary before after)

(defvar agent-q-fs-undo--calls nil
  "The calls that can be taken back, of all projects, the latest first.")

(defvar agent-q-fs-undo--active nil
  "Non-nil while a call is taken back: that is none to be taken back.")

(defun agent-q-fs-undo--snapshot (workspace tag)
  "Take a snapshot of WORKSPACE under TAG, and return its id."
  ;; Not by `agent-q-fs-call': nobody is to be told of what is part of another call.
  (plist-get (agent-q-fs--read
              (agent-q-fs--mod-call (agent-q-fs--handle workspace) 'snapshot_create
                                    (list :tag tag) '(:authority cautious)))
             :id))

(defun agent-q-fs-undo--tag (words summary)
  "Return WORDS and SUMMARY as a tag."
  (truncate-string-to-width (replace-regexp-in-string "[[:cntrl:]]" " " (concat words summary))
                            60))

(defun agent-q-fs-undo--wanted-p (targets)
  "Return non-nil if there is to be a snapshot before TARGETS are changed."
  (and targets
       (not agent-q-fs-undo--active)
       (or (eq t agent-q-fs-undo-calls)
           (and agent-q-fs-undo-calls
                (eq :dangerous (plist-get agent-q-fs-change-shown :tier))))))

(defun agent-q-fs-undo-before-change (workspace targets)
  "Keep WORKSPACE as it is before TARGETS are changed."
  (when (agent-q-fs-undo--wanted-p targets)
    (let ((summary (plist-get agent-q-fs-change-shown :summary)))
      (push (agent-q-fs-undo--make
             :root (agent-q-fs-workspace-root workspace) :targets targets :summary summary
             :before (agent-q-fs-undo--snapshot workspace
                                                (agent-q-fs-undo--tag "before " summary)))
            agent-q-fs-undo--calls)
      (when (nthcdr agent-q-fs-undo-most agent-q-fs-undo--calls)
        (setcdr (nthcdr (1- agent-q-fs-undo-most) agent-q-fs-undo--calls) nil)))))

(defun agent-q-fs-undo-after-change (workspace targets _reply)
  "Keep WORKSPACE as it is now that TARGETS were changed."
  (let ((call (seq-find (lambda (call) (eq targets (agent-q-fs-undo-call-targets call)))
                        agent-q-fs-undo--calls)))
    (when call
      (setf (agent-q-fs-undo-call-after call)
            (agent-q-fs-undo--snapshot
             workspace (agent-q-fs-undo--tag "after " (agent-q-fs-undo-call-summary call)))))))

(defun agent-q-fs-undo--last (workspace)
  "Return the last call that can be taken back in WORKSPACE.
Calls that were announced and not made are forgotten."
  (setq agent-q-fs-undo--calls
        (seq-filter #'agent-q-fs-undo-call-after agent-q-fs-undo--calls))
  (seq-find (lambda (call)
              (equal (agent-q-fs-workspace-root workspace) (agent-q-fs-undo-call-root call)))
            agent-q-fs-undo--calls))

;;;###autoload
(defun agent-q-fs-undo ()
  "Take back what the last call changed, if nobody has changed it since.
What that would do is shown first.  Called again, this takes back the
call before.  Which calls can be taken back, `agent-q-fs-undo-calls'
says."
  (interactive)
  (require 'agent-q-fs-change)
  (require 'agent-q-fs-ui)
  (let* ((workspace (agent-q-fs-ui-workspace))
         (call (or (agent-q-fs-undo--last workspace)
                   (user-error
                    (if agent-q-fs-undo-calls
                        "There is no call to take back"
                      "No call can be taken back: see the option agent-q-fs-undo-calls"))))
         (range (concat (agent-q-fs-undo-call-before call) ".."
                        (agent-q-fs-undo-call-after call)))
         (agent-q-fs-undo--active t))
    (agent-q-fs-undo--check workspace call range)
    (agent-q-fs-change "snapshot_restore" :id range)
    (setq agent-q-fs-undo--calls (delq call agent-q-fs-undo--calls))))

(defun agent-q-fs-undo--check (workspace call range)
  "Signal an error unless RANGE of WORKSPACE, what CALL did, can be taken back."
  (condition-case problem
      (unless (agent-q-fs-request-targets
               (agent-q-fs-change--request "snapshot_restore" (list :id range) workspace))
        (setq agent-q-fs-undo--calls (delq call agent-q-fs-undo--calls))
        (user-error "The last call changed nothing that snapshots hold: %s"
                    (agent-q-fs-show-visible (agent-q-fs-undo-call-summary call) t)))
    (agent-q-fs-error
     (user-error "Not taken back: %s" (agent-q-fs-ui-words (cdr problem))))))

(provide 'agent-q-fs-undo)
;;; agent-q-fs-undo.el ends here
