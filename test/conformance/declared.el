;;; declared.el --- Is a reply what the catalogue declares?  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; This asks of a property list what test/support/declared.c asks of JSON.  FORGET
;; in the environment is a member that is taken for undeclared: a driver that
;; does not fail then has looked at nothing.

;;; Code:

(require 'agent-q-fs)

(declare-function agent-q-fs--mod-catalogue "ext:agent-q-fs-module.so" ())

(defvar declared-catalogue nil
  "The core's words about itself, once it was asked.")

(defun declared-get (key)
  "Return what the catalogue has under KEY."
  (unless declared-catalogue
    (setq declared-catalogue (agent-q-fs--read (agent-q-fs--mod-catalogue))))
  (plist-get declared-catalogue key))

(defun declared-named (name rows)
  "Return the one of ROWS that is called NAME."
  (seq-find (lambda (row) (equal name (plist-get row :name))) rows))

(defun declared-reply (name)
  "Return the members of the reply called NAME that is no one operation's."
  (plist-get (or (declared-named name (declared-get :replies))
                 (error "No reply is called %s" name))
             :members))

(defun declared-key (member)
  "Return the keyword of MEMBER."
  (intern (concat ":" (string-replace "_" "-" (plist-get member :name)))))

(defun declared-type-p (member value)
  "Return non-nil if VALUE has the type of MEMBER."
  (let ((choices (plist-get member :choices)))
    (pcase (plist-get member :type)
      (:integer (integerp value))
      (:boolean (eq value t))
      (:keyword (and (keywordp value) (member (substring (symbol-name value) 1) choices)))
      (:time (and (stringp value)
                  (string-match-p "\\`[0-9-]\\{10\\}T[0-9:]\\{8\\}\\.[0-9]\\{3\\}Z\\'" value)))
      (:digest (and (stringp value) (string-match-p "\\`[0-9a-f]\\{32,\\}\\'" value)))
      ((or :list :map) (consp value))
      (:any t)
      (_ (and (stringp value) (or (null choices) (member value choices)))))))

(defun declared-value-faults (member value where)
  "Return what VALUE has otherwise than MEMBER declares; WHERE is a list of keys."
  (let ((type (plist-get member :type)))
    (cond
     ;; False, null and what is empty are all nil.
     ((null value)
      (unless (or (plist-get member :nullable) (memq type '(:boolean :list :any)))
        (list (list where 'null))))
     ((not (declared-type-p member value)) (list (list where 'type)))
     ((eq type :list)
      (mapcan (lambda (item) (declared-value-faults (plist-get member :of) item where)) value))
     ((eq type :map)
      (declared-map-faults (if (plist-get member :like)
                               (declared-reply (plist-get member :like))
                             (plist-get member :members))
                           value where)))))

(defun declared-map-faults (members map where)
  "Return what the property list MAP has otherwise than MEMBERS declare, at WHERE."
  (let ((forgotten (getenv "FORGET")) (rest map) faults)
    (while rest
      (let* ((key (pop rest)) (value (pop rest))
             (member (seq-find (lambda (member) (eq key (declared-key member))) members))
             (here (cons key where)))
        (setq faults
              (nconc (if (and member (not (equal forgotten (plist-get member :name))))
                         (declared-value-faults member value here)
                       (list (list here 'unknown)))
                     faults))))
    (dolist (member members)
      (unless (or (plist-get member :optional) (plist-member map (declared-key member)))
        (push (list (cons (declared-key member) where) 'missing) faults)))
    faults))

(defun declared-error-faults (row reply)
  "Return what the error REPLY has otherwise than is declared for ROW, an operation or nil."
  (let ((code (declared-named (substring (symbol-name (plist-get reply :error)) 1)
                              (declared-get :errors))))
    (append (declared-map-faults (declared-reply "error") reply nil)
            (unless (or (null row) (plist-get code :common)
                        (member (plist-get code :name) (plist-get row :errors)))
              (list (list (plist-get row :name) (plist-get code :name) 'undeclared))))))

(defun declared-faults (operation plan reply)
  "Return what REPLY of OPERATION has otherwise than the catalogue declares.
With PLAN, it tells what would be done, if anything.  OPERATION is a symbol, or nil where
a workspace was opened."
  (let ((row (declared-named (symbol-name operation) (declared-get :operations)))
        (max-lisp-eval-depth 5000))    ; trees may be deep
    (cond ((plist-get reply :error) (declared-error-faults row reply))
          ((null operation) (declared-map-faults (declared-reply "open") reply nil))
          ((and plan (not (eq :safe (plist-get row :tier))))
           (declared-map-faults (declared-reply "plan") reply nil))
          (t (declared-map-faults (plist-get row :reply) reply nil)))))

;; Interpreted, a tree of the greatest depth would overflow the stack.
(mapc #'byte-compile '(declared-type-p declared-value-faults declared-map-faults))

(provide 'declared)
;;; declared.el ends here
