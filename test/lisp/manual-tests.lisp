;;;; manual-tests.lisp -- the examples of doc/manual.org and README.org.
;;;;
;;;; SPDX-License-Identifier: MIT
;;;;
;;;; The comment after a form in a block of Lisp is compared with the value of the form, as
;;;; test/elisp/agent-q-fs-manual-tests.el does for Emacs Lisp:
;;;;
;;;;     ;; => VALUE      ;; | TEXT      ;; signals CONDITION: MESSAGE

(in-package #:agent-q-fs/test)
(in-suite agent-q-fs)

(defun begins-p (prefix line)
  (let ((end (mismatch prefix line)))
    (or (null end) (= end (length prefix)))))

(defun trim (text)
  (string-trim '(#\Space #\Tab #\Newline) text))

(defun lines (text)
  (with-input-from-string (stream text)
    (loop for line = (read-line stream nil) while line collect line)))

(defun join-lines (lines)
  (format nil "~{~A~^~%~}" lines))

(defun squeezed (text)
  "Returns TEXT with one space for each run of white space."
  (format nil "~{~A~^ ~}"
          (remove "" (uiop:split-string text :separator '(#\Space #\Tab #\Newline))
                  :test #'equal)))

(defun replaced (text old new)
  "Returns TEXT with NEW in place of OLD."
  (with-output-to-string (out)
    (loop with start = 0
          for at = (search old text :start2 start)
          do (write-string text out :start start :end at)
          while at
          do (write-string new out)
             (setf start (+ at (length old))))))

;;;; Blocks

(defun blocks (file &optional (header "#+begin_src lisp"))
  "Returns the blocks in FILE that begin with HEADER, each a list of lines without indentation."
  (let ((inside nil) (block '()) (blocks '()))
    (dolist (line (lines (uiop:read-file-string file :external-format :utf-8)) (nreverse blocks))
      (cond ((equal header (trim line)) (setf inside t))
            ((begins-p "#+end_src" (trim line))
             (when inside (push (nreverse block) blocks))
             (setf inside nil block '()))
            (inside (push (if (begins-p "  " line) (subseq line 2) line) block))))))

(defun comment-lines (text start)
  "Returns the lines of comment in TEXT that begin on the line after START, without semicolons."
  (let ((newline (position #\Newline text :start start)))
    (when newline
      (loop for line in (lines (subseq text (1+ newline)))
            while (begins-p ";;" line)
            collect (subseq line (min (length line) (if (begins-p ";; " line) 3 2)))))))

(defun read-in-user (text &optional (start 0))
  (let ((*package* (find-package '#:common-lisp-user)))
    (read-from-string text nil :end :start start)))

(defun expectation (lines)
  "Returns the expectation in LINES of comment about the form before them: a kind and a value."
  (let ((first (first lines)))
    (cond ((null first) nil)
          ((begins-p "=> " first)
           (list :value (read-in-user (join-lines (cons (subseq first 3) (rest lines))))))
          ((begins-p "| " first)
           (list :text (join-lines (mapcar (lambda (line) (trim (subseq line 1))) lines))))
          ((begins-p "signals " first)
           (let* ((words (format nil "~{~A~^ ~}" (cons (subseq first 8) (rest lines))))
                  (end (search ": " words)))
             (list :signals (read-in-user (subseq words 0 end))
                   (and end (squeezed (subseq words end)))))))))

(defun outcome-of (form kind)
  "Evaluates FORM, and returns its outcome in the form of an expectation of KIND."
  (handler-case
      (let ((value (eval form)))
        (case kind
          (:text (list :text (join-lines (mapcar #'trim (lines (string-right-trim
                                                                '(#\Newline) value))))))
          (t (list :value value))))
    (agent-q-fs-error (condition)
      (list :signals (type-of condition)
            (squeezed (format nil ": ~A" (agent-q-fs-error-message condition)))))))

(defun check-example (form expected)
  (let ((found (outcome-of form (first expected))))
    (if expected
        (is (equalp expected found) "~S~%gave ~S~%and not ~S" form found expected)
        (is (eq :value (first found)) "~S~%gave ~S" form found))))

(defun check-block (text)
  (loop with start = 0
        for (form end) = (multiple-value-list (read-in-user text start))
        until (eq form :end)
        do (check-example form (expectation (comment-lines text (1- end))))
           (setf start end)))

(defun check-examples (name root &rest spellings)
  "Checks the examples of the file NAME, where SPELLINGS stand for the directory ROOT."
  (let ((blocks (blocks (merge-pathnames name (asdf:system-relative-pathname
                                               "agent-q-fs" "../")))))
    (is-true blocks)
    (let ((*package* *package*) (*transport* *transport*))
      (dolist (block blocks)
        (check-block (reduce (lambda (text spelling) (replaced text spelling root))
                             spellings :initial-value (join-lines block)))))))

(test manual.examples
  (with-tree (root)
    (check-examples "doc/manual.org" (string-right-trim "/" root) "~/tour" "/home/you/tour")))

(test manual.examples-of-the-readme
  (with-tree (root ("LICENSE" (format nil "MIT License~%more~%")))
    (check-examples "README.org" (string-right-trim "/" root) "/path/to/agent-q-fs")))

(test manual.examples-are-looked-at
  (flet ((right-p (text)
           (multiple-value-bind (form end) (read-in-user text)
             (let ((expected (expectation (comment-lines text (1- end)))))
               (equalp expected (outcome-of form (first expected)))))))
    (is-true (right-p (format nil "(+ 1 1)~%;; => 2~%")))
    (is-false (right-p (format nil "(+ 1 1)~%;; => 3~%")))
    (is-true (right-p (format nil "(format nil \"a~~%b\")~%;; | a~%;; | b~%")))
    (is-false (right-p (format nil "\"a\"~%;; | b~%")))
    (is-false (right-p (format nil "1~%;; signals agent-q-fs:agent-q-fs-stale: x~%")))))
