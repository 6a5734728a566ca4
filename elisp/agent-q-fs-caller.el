;;; agent-q-fs-caller.el --- Who waits for a call, and may stop waiting  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A call that comes from elsewhere, as from Common Lisp, has a caller.  When that
;; has given up, or is gone, nobody is asked about the call any more, a command that
;; it runs is ended as by C-g, and what was approved of and not begun is not done:
;; the caller was told that it was not.

;;; Code:

(require 'cl-lib)

(cl-defstruct (agent-q-fs-caller (:constructor agent-q-fs-caller-new) (:copier nil))
  "Who waits for a call."
  (gone nil :documentation "Non-nil once it waits no more.")
  (ends nil :documentation "Functions that end what is waited for, to be called then."))

(defvar agent-q-fs-caller nil
  "Who waits for the call of a tool that is being made.
Nil stands for whoever called it here, who can quit.")

(defun agent-q-fs-caller-check (caller)
  "Quit if CALLER, which may be nil, is gone."
  (when (and caller (agent-q-fs-caller-gone caller))
    (signal 'quit nil)))

(defun agent-q-fs-caller-leave (caller)
  "Have CALLER be gone, and what it waits for ended."
  (setf (agent-q-fs-caller-gone caller) t)
  (mapc #'funcall (agent-q-fs-caller-ends caller)))

(defun agent-q-fs-caller-wait (predicate &optional end)
  "Wait until PREDICATE, a function, returns non-nil; quit if the caller is gone.
END, a function, is called when it goes, which may be long before this
can quit: other calls may be waiting further up the stack.  Emacs goes on
meanwhile."
  (let ((caller agent-q-fs-caller))
    (when (and caller end)
      (push end (agent-q-fs-caller-ends caller)))
    (unwind-protect
        (while (not (funcall predicate))
          (agent-q-fs-caller-check caller)
          (accept-process-output nil 0.02))
      (when (and caller end)
        (setf (agent-q-fs-caller-ends caller) (delq end (agent-q-fs-caller-ends caller)))))))

(provide 'agent-q-fs-caller)
;;; agent-q-fs-caller.el ends here
