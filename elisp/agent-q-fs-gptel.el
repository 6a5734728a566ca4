;;; agent-q-fs-gptel.el --- The tools in gptel  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;;     (require 'agent-q-fs-gptel)
;;     (agent-q-fs-gptel-setup "agent-q")
;;
;; makes the tools of a set known to gptel, in the category agent-q-fs; choose
;; them in gptel's menu.  gptel need not confirm anything: the calls go through
;; `agent-q-fs-policy'.  A tool that may take long, or has to be approved of,
;; does not keep Emacs waiting.

;;; Code:

(require 'agent-q-fs-spec)

(declare-function gptel-make-tool "ext:gptel-request" (&rest slots))
(declare-function gptel-get-tool "ext:gptel-request" (path))

(defun agent-q-fs-gptel--load ()
  "Load what defines tools in gptel."
  (unless (fboundp 'gptel-make-tool)
    (or (require 'gptel-request nil t)
        (require 'gptel nil t)))
  (unless (fboundp 'gptel-make-tool)
    (user-error "There is no gptel that knows tools")))

;;;###autoload
(defun agent-q-fs-gptel-setup (&optional set)
  "Make the tools of SET known to gptel, and return them.
SET is as for `agent-q-fs-tools'; interactively, it is asked for."
  (interactive
   (list (completing-read "Set of tools: " (mapcar #'car agent-q-fs-tool-sets) nil t
                          nil nil "agent-q")))
  (agent-q-fs-gptel--load)
  (mapcar (lambda (spec)
            (apply #'gptel-make-tool spec)
            (gptel-get-tool (list "agent-q-fs" (plist-get spec :name))))
          (agent-q-fs-tool-specs 'gptel set)))

(provide 'agent-q-fs-gptel)
;;; agent-q-fs-gptel.el ends here
