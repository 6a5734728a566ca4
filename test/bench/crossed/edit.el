;;; edit.el --- one approved edit_file, for scripts/crossed.sh  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;;     emacs -Q --batch -L elisp -l test/bench/crossed/edit.el -f crossed-edit
;;
;; $CROSSED_MODULE is the module.  While the edit runs, and at no other time, the
;; file $CROSSED_WHILE exists.

;;; Code:

(setq agent-q-fs-module-file (getenv "CROSSED_MODULE"))
(require 'agent-q-fs)
(require 'agent-q-fs-tools)
(require 'agent-q-fs-approve)
(require 'agent-q-fs-buffers nil t)

(defun crossed-call (ws old new)
  "Have OLD replaced by NEW in the file of WS, as a model has, and be approved."
  (let ((said (agent-q-fs-call-tool "edit_file" `(:path "a.txt" :old_str ,old :new_str ,new) ws)))
    (when (string-prefix-p "Error" said)
      (error "The edit failed: %s" said))))

(defun crossed-edit ()
  "Edit a file twice: what is done once only, at the first call, is not counted."
  (let* ((root (make-temp-file "crossed-" t))
         (agent-q-fs-policy 'always)
         (agent-q-fs-unattended-function (lambda (_request) '(:decision approved)))
         (file (getenv "CROSSED_WHILE")))
    (with-temp-file (expand-file-name "a.txt" root) (insert "one\ntwo\nthree\n"))
    (let ((ws (agent-q-fs-open :root root :state_dir (expand-file-name "state" root))))
      (crossed-call ws "one" "eins")
      (with-temp-file file)
      (crossed-call ws "two" "zwei")
      (delete-file file))
    (delete-directory root t)))

;;; edit.el ends here
