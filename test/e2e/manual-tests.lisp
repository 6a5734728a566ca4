;;;; manual-tests.lisp -- the examples in the manual that need SLY, SLIME or Agent-Q.
;;;;
;;;; SPDX-License-Identifier: MIT

(in-package #:agent-q-fs/e2e)
(in-suite e2e)

(defun shown (language)
  "Returns the blocks of LANGUAGE that need a connection."
  (agent-q-fs/test::blocks (source-file "../doc/manual.org")
                           (format nil "#+begin_src ~A :e2e yes" language)))

(defun as-here (block root)
  "Returns BLOCK, lines, as text in which the directories are those of this test."
  (reduce (lambda (text replacement)
            (agent-q-fs/test::replaced text (car replacement) (cdr replacement)))
          (list (cons "~/tour" (string-right-trim "/" root))
                (cons "/home/you/tour" (string-right-trim "/" root))
                (cons "/path/to/agent-q-fs/elisp" (string-right-trim "/" (built-elisp)))
                (cons "/path/to/agent-q-fs" (string-right-trim "/" (source-file "../"))))
          :initial-value (agent-q-fs/test::join-lines block)))

(defmacro with-agent-q-variable (&body body)
  "Runs BODY where there is a variable agent-q:*project-root*."
  `(let ((package (make-package "AGENT-Q" :use '())))
     (unwind-protect (progn (export (intern "*PROJECT-ROOT*" package) package)
                            (proclaim (list 'special (intern "*PROJECT-ROOT*" package)))
                            (set (intern "*PROJECT-ROOT*" package) nil)
                            ,@body)
       (delete-package package))))

(test manual.from-nothing
  (let ((registered asdf:*central-registry*))
    (with-agent-q-variable
      (with-project (root ("notes.txt" (lines "one" "two" "3" "two")) ("src/greet.el" "()"))
        (setf *project-root* nil)
        (unwind-protect
             (progn
               (fresh-emacs :elisp nil)
               (let ((blocks (shown "elisp :eval no")))
                 (is (= 1 (length blocks)))
                 (set-in-emacs (as-here (first blocks) root)))
               ;; Otherwise the person is asked about the project of the example.
               (emacs-value "(setq agent-q-fs-sly-directories (list temporary-file-directory))")
               (let ((blocks (shown "lisp")))
                 (is (= 3 (length blocks)))
                 (dolist (block blocks)
                   (agent-q-fs/test::check-block (as-here block root)))))
          (setf asdf:*central-registry* registered)
          (fresh-emacs))))))

(defun set-in-emacs (text)
  "Evaluates TEXT in an Emacs that does not evaluate for Lisp yet, by typing a command.
No message may be sent to this Emacs before the command has ended: each would be an error in
SLIME's filter, for which Emacs pauses two seconds, and messages that come meanwhile would nest."
  (uiop:with-temporary-file (:stream stream :pathname file :type "el")
    (let ((done (format nil "~A.done" (uiop:native-namestring file))))
      (format stream "~A~%(write-region \"\" nil ~S nil 'quiet)~%" text done)
      (finish-output stream)
      (type-keys (format nil "~Cxload-file~C~A~C" (code-char 27) (code-char 13)
                         (uiop:native-namestring file) (code-char 13)))
      (unwind-protect
           (wait-until (lambda () (probe-file done)) :what "Emacs to load the manual's lines")
        (uiop:delete-file-if-exists done)))))
