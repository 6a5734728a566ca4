;;; agent-q-fs-caller.el --- Who waits for a call, and may stop waiting  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A call that comes from elsewhere, as from Common Lisp, has a caller.  When that
;; has given up, or is gone, nobody is asked about the call any more, and a command
;; that it runs is ended as by C-g: nothing is to be done that nobody waits for.

;;; Code:

(require 'cl-lib)

(cl-defstruct (agent-q-fs-caller (:constructor agent-q-fs-caller-new) (:copier nil))
  "Who waits for a call."
  (gone nil :documentation "Non-nil once it waits no more."))

(defvar agent-q-fs-caller nil
  "Who waits for the call of a tool that is being made.
Nil stands for whoever called it here, who can quit.")

(defun agent-q-fs-caller-wait (predicate)
  "Wait until PREDICATE, a function, returns non-nil; quit if the caller is gone.
Emacs goes on meanwhile."
  (let ((caller agent-q-fs-caller))
    (while (not (funcall predicate))
      (when (and caller (agent-q-fs-caller-gone caller))
        (signal 'quit nil))
      (accept-process-output nil 0.02))))

(provide 'agent-q-fs-caller)
;;; agent-q-fs-caller.el ends here
