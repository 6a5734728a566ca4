;;; sample.el --- Emacs Lisp as draw.el has to read it  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

(require 'cl-lib)

(defgroup sample nil "Nothing here is a place.")

(defcustom sample-policy 'tiered ;; constant
  "A symbol of a known set, but not `always' in words."
  :type '(choice (const tiered) (const never)))

(defconst sample-table '(("a" . 2)) ;; string number number
  "Data.")

(defun sample-decide (a &optional b)
  "Return nil, or t, when A < 3."
  (declare (indent 1))
  (interactive)
  (let ((c (car a))) ;; form binding
    (setq c ?\() ;; form
    (when (< (length c) b) ;; form when condition condition condition comparison
      (message "1 of 2, %s" (not a)))))

(defun sample-choose (a b)
  "Return one of A and B."
  (if (equal a "word") ;; branches condition condition condition comparison string
      b
    (and a ;; logic condition condition
         (or b nil) ;; logic condition condition condition condition
         :safe))) ;; constant

(defun sample-clauses (a)
  "Return what A stands for."
  (pcase a ;; form
    ('plan (list :a a)) ;; clause constant
    (`(,_ ,b) (while b (pop b)))) ;; clause condition
  (cond ((null a) (unless a 0)) ;; form clause condition condition condition comparison when condition condition condition number
        (t a))) ;; clause
