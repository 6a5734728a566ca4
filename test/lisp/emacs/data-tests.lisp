;;;; data-tests.lisp -- Emacs is sent data, and never code.
;;;;
;;;; SPDX-License-Identifier: MIT

(in-package #:agent-q-fs/test)
(in-suite agent-q-fs)

(defun for-emacs (arguments &optional (row *row*))
  (agent-q-fs::emacs-arguments (argument-entries arguments)
                               (operation-parameters row)))

(test emacs-data.every-shape
  (let ((table (make-hash-table :test #'equal)))
    (setf (gethash "path" table) "a")
    (dolist (arguments (list '(:path "a") '("path" "a") '((:path . "a")) '(("path" . "a")) table
                             (list :path #p"a")))
      (is (equal '("path" "a") (for-emacs arguments))))))

(test emacs-data.false-and-nothing
  (is (equal '("flag" :false) (for-emacs '(:flag nil))))
  (is (equal '("flag" :false) (for-emacs '(:flag :false))))
  (is (equal '("flag" t) (for-emacs '(:flag t))))
  (is (equal '("names" ()) (for-emacs '(:names nil))))
  (is (equal '("names" ()) (for-emacs '(:names #()))))
  (is (equal '("limit" :null) (for-emacs '(:limit nil))))
  (is (equal '("mode" "slice") (for-emacs '(:mode :slice))))
  (is (equal '("limit" 3) (for-emacs '(:limit 3.0d0))))
  (is (equal '("limit" 0.5) (for-emacs '(:limit 2.25d0)))))

(test emacs-data.objects
  (is (equal '("edits" ((("old_str" . "a") ("new_str" . "b"))))
             (for-emacs '(:edits ((:old-str "a" :new-str "b")))))))

(defun data-p (datum)
  "Returns true if the server prints DATUM so that Emacs reads the same datum."
  (or (stringp datum) (integerp datum) (floatp datum) (null datum)
      (member datum '(t :false :null))
      (and (consp datum) (data-p (car datum)) (data-p (cdr datum)))))

(test emacs-data.no-symbol-of-the-callers
  (dolist (arguments (list (list (make-symbol "path\") (evil") "x")
                           (list :path (make-symbol "(evil)"))
                           (list :path 'cl:delete-file)
                           (list :path (intern "#.(EVIL)" :keyword))
                           '(:path #\a) '(:path 1/2) '(:path #c(1 2)) '(:path (a . b))
                           (list :path (list 'quote '(evil)))
                           (list :path (string (code-char #xD800)))))
    (handler-case (is-true (data-p (for-emacs arguments)) "~S" arguments)
      (agent-q-fs-invalid-argument () (pass)))))

(test emacs-data.circles
  (let ((circle (list 1 2)))
    (setf (cddr circle) circle)
    (is (typep (condition-of (for-emacs (list :names circle))) 'agent-q-fs-invalid-argument)))
  (let ((deep '()))
    (dotimes (i 100000) (setf deep (list deep)))
    (is (typep (condition-of (for-emacs (list :names deep))) 'agent-q-fs-invalid-argument))))
