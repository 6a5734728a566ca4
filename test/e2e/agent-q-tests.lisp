;;;; agent-q-tests.lisp -- Agent-Q itself: its own tests, and our tools in its loop.
;;;;
;;;; SPDX-License-Identifier: MIT
;;;;
;;;; Agent-Q runs in a Lisp that Emacs has started, as a person has it.  AGENT_Q_DIR names its
;;;; directory.  Its part of cl-llm-provider is ours: the stand-in, and agent-q/provider.lisp.

(in-package #:agent-q-fs/e2e)
(in-suite e2e)

(defun agent-q-there-p ()
  (plusp (length (uiop:getenv "AGENT_Q_DIR"))))

(defun in-session (name &rest arguments)
  "Returns the value of the function NAME of agent-q/session.lisp, in Agent-Q's Lisp."
  (let ((value
          (with-standard-io-syntax
            (read-from-string
             (value-in-inferior-lisp
              (format nil "(cl:let ((value
                              (cl:handler-case
                                  (cl:funcall (cl:find-symbol ~S \"AGENT-Q-SESSION\")~{ '~S~})
                                (cl:error (e) (cl:list :failed (cl:princ-to-string e))))))
                             (cl:with-standard-io-syntax (cl:prin1-to-string value)))"
                      (symbol-name name) arguments))))))
    (when (eq :failed (and (consp value) (first value)))
      (error "In Agent-Q's Lisp: ~A" (second value)))
    value))

(defun start-agent-q (root)
  "Has Emacs start a Lisp in ROOT and load Agent-Q there."
  (emacs-value (in-elisp "(progn (switch-to-buffer \"*scratch*\") (cd ~A) t)" root))
  (run-inferior-lisp)
  (wait-until (lambda () (client-elisp "(= 2 (length CLIENT-net-processes))"))
              :what "Agent-Q's Lisp to connect")
  (value-in-inferior-lisp (format nil "(cl:prin1-to-string (cl:load ~S))"
                                  (source-file "../test/e2e/agent-q/session.lisp")))
  (in-session '#:load-agent-q (concatenate 'string root "home/")))

(defmacro with-agent-q ((root &rest files) &body body)
  "Runs BODY with an Agent-Q in a project ROOT of FILES, without our tools; skips it without one."
  `(if (not (agent-q-there-p))
       (skip "AGENT_Q_DIR does not name the directory of Agent-Q")
       (with-project (,root (".git/HEAD" "x") (".git/objects/x" "x") (".git/refs/x" "x")
                            ("home/x" "x") ,@files)
         (unwind-protect (progn (start-agent-q ,root) ,@body)
           (fresh-emacs)))))

;;;; Its own tests

(defun words-of-manual (heading)
  "Returns the words in the first column of the manual's table below HEADING."
  (with-open-file (stream (source-file "../doc/manual.org") :external-format :utf-8)
    (loop with inside = nil
          for line = (read-line stream nil)
          while line
          do (when (and (plusp (length line)) (char= #\* (char line 0)))
               (setf inside (search heading line)))
          when (and inside (< 3 (length line)) (string= "| =" line :end2 3))
            collect (subseq line 3 (position #\= line :start 3)))))

(defun failing-tests ()
  (remove "" (uiop:split-string (in-session '#:run-own-tests) :separator '(#\Newline))
          :test #'string=))

(test agent-q.its-own-tests
  "No test of Agent-Q's fails with our tools that passes without, but those that the manual names."
  (with-agent-q (root)
    (let ((before (failing-tests)))
      (is (< 10 (in-session '#:load-ours)))
      (let ((new (set-difference (failing-tests) before :test #'string=)))
        (is (equal (sort (words-of-manual "Agent-Q's own tests") #'string<)
                   (sort new #'string<))
            "These fail with our tools: ~{~A~^ ~}" new)))))

;;;; Its loop

(defparameter *ten-calls*
  '(("get_project_root" "{}")
    ("list_directory" "{\"path\": \"src\"}")
    ("directory_tree" "{\"path\": \".\"}")
    ("get_file_info" "{\"path\": \"src/a\"}")
    ("search_files" "{\"pattern\": \"**/a\"}")
    ("edit_file" "{\"path\": \"src/a\", \"old_str\": \"one\", \"new_str\": \"two\"}")
    ("insert_at_line" "{\"path\": \"src/a\", \"line\": 0, \"content\": \"zero\\n\"}")
    ("create_file" "{\"path\": \"src/b\", \"content\": \"b\"}")
    ("move_file" "{\"source\": \"src/b\", \"destination\": \"src/c\"}")
    ("delete_file" "{\"path\": \"src/c\"}"))
  "A call of each of the ten tools, as a model sends it.")

(defun with-nulls (call)
  "Returns CALL with null for each parameter that it does not give."
  (destructuring-bind (name json) call
    (destructuring-bind (required all) (in-session '#:schema name)
      (declare (ignore required))
      (let ((nulls (loop for parameter in all
                         unless (search (format nil "\"~A\":" parameter) json)
                           collect (format nil "\"~A\": null" parameter))))
        (list name (if (string= json "{}")
                       (format nil "{~{~A~^, ~}}" nulls)
                       (format nil "~A~{, ~A~}}" (subseq json 0 (1- (length json))) nulls)))))))

(defun check-ten-calls (root calls)
  "Has Agent-Q's model make CALLS, of the ten tools, two turns of five; a person approves three."
  (let ((told (call-answering '("y" "y" "y")
                              (lambda ()
                                (in-session '#:talk (list (subseq calls 0 5)
                                                          (subseq calls 5)))))))
    (is (= 10 (length told)) "~S" told)
    (loop for text in told
          for words in (list root "a" "src/" "size: 5" "src/a" "Edited src/a" "src/a"
                             "Created src/b" "src/c" "Deleted file src/c")
          for (name) in calls
          do (is-true (search words text) "~A said ~A" name text)
             (is-false (search ".git/" text) "~A said ~A" name text))
    (is (equal (format nil "zero~%two~%~%") (contents root "src/a")))
    (is (null (contents root "src/b")))
    (is (null (contents root "src/c")))))

(test agent-q.ten-tools-in-its-loop
  "A model calls the ten tools through Agent-Q's loop; files are there, and it is told so.  The
second time it sends null for all that it does not give, as models with strict schemas do."
  (with-agent-q (root ("src/a" (format nil "one~%~%")))
    (in-session '#:load-ours)
    (check-ten-calls root *ten-calls*)
    (put (in-root root "src/a") (format nil "one~%~%"))
    (check-ten-calls root (mapcar #'with-nulls *ten-calls*))))

;;;; Lisp by form

(defun json-arguments (&rest arguments)
  "Returns the JSON of ARGUMENTS, names and strings by turns."
  (format nil "{~{~S: ~A~^, ~}}"
          (loop for (name value) on arguments by #'cddr
                collect name
                collect (format nil "\"~{~A~}\""
                                (loop for c across value
                                      collect (case c
                                                (#\Newline "\\n")
                                                (#\" "\\\"")
                                                (t c)))))))

(defun edit-shapes (name &rest arguments)
  "Returns a turn with a call of the tool NAME, for src/shapes.lisp, with ARGUMENTS."
  (list (list name (apply #'json-arguments "path" "src/shapes.lisp" arguments))))

(defun allow-notes ()
  "Has the person allow that Lisp is compiled, which was asked about, and waits until that counts."
  (open-requests)
  (type-keys "y")
  (wait-until (lambda () (emacs-value "(eq 'approved (cdr (car agent-q-fs-approve--once)))"))
              :what "the permission to compile"))

(test agent-q.changes-a-function-by-its-name
  "A model finds a function by its name, changes it, loses a parenthesis, is told where, accepts
the correction, and sees what the compiler says of it, in Agent-Q's loop.  A person has allowed
that; nothing was loaded."
  (with-agent-q (root ("src/shapes.lisp"
                       (format nil "(in-package :cl-user)~2%;; The area.~%(defun area (side)~%  ~
                                    (* side side))~2%(defun twice (x)~%  (* 2 x))~%")))
    (is (< 5 (in-session '#:load-ours "lisp")))
    (emacs-value "(progn (setq agent-q-fs-lisp-notes t) t)")
    (let ((told (in-session '#:talk
                            (list (edit-shapes "list_forms")
                                  (edit-shapes "edit_form" "name" "twice" "content"
                                               (format nil "(defun twice (x)~%  (+ x x))"))))))
      (is-true (search "the user is asked whether it may be compiled" (second told))
               "~S" told))
    (allow-notes)
    (let ((told (in-session '#:talk
                            (list (edit-shapes "read_form" "name" "area")
                                  (edit-shapes "edit_form" "name" "area" "content"
                                               (format nil "(defun area (side)~%  ~
                                                            (let ((n side))~%    (* n sied))"))
                                  (edit-shapes "edit_form" "accept" "OFFER")
                                  (edit-shapes "edit_form" "name" "area" "old_str" "sied"
                                               "new_str" "n")))))
      (is (= 4 (length told)) "~S" told)
      (loop for text in told
            for words in '(";; The area." "defun area (lines 4-6) is not closed"
                           "Edited src/shapes.lisp" "compiles what is new in src/shapes.lisp")
            do (is-true (search words text) "~S is not in ~A" words text))
      (is-true (search "src/shapes.lisp:6: warning: undefined variable: " (third told))
               "~A" (third told))
      (is (equal (format nil "(in-package :cl-user)~2%;; The area.~%(defun area (side)~%  ~
                              (let ((n side))~%    (* n n)))~2%(defun twice (x)~%  (+ x x))~%")
                 (contents root "src/shapes.lisp")))
      (is (equal "NIL" (value-in-inferior-lisp
                        "(cl:prin1-to-string (cl:fboundp (cl:intern \"AREA\" \"CL-USER\")))"))))))
