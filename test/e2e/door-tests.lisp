;;;; door-tests.lisp -- what Emacs does for a connected Lisp, and what it refuses.
;;;;
;;;; SPDX-License-Identifier: MIT

(in-package #:agent-q-fs/e2e)
(in-suite e2e)

(defmacro with-switch-off (() &body body)
  "Runs BODY with an Emacs that evaluates nothing for Lisp.  Nothing can be looked up in it."
  `(unwind-protect (progn (fresh-emacs :form (format nil "(setq ~A nil)" (switch)))
                          ,@body)
     (fresh-emacs)))

(defun event-answer (text)
  "Sends TEXT to Emacs as a form to evaluate, and returns what it answers to that; nil for
nothing.  A ping is answered in any case, and in order."
  (flet ((server (name &rest arguments)
           (apply #'agent-q-fs::call-server (agent-q-fs::require-link) name arguments)))
    (let ((thread (server "CURRENT-THREAD-ID"))
          (tag (server "MAKE-TAG"))
          (ping (server "MAKE-TAG")))
      (with-standard-io-syntax
        (server "SEND-TO-EMACS" (list :eval thread tag text))
        (server "SEND-TO-EMACS" (list :ping thread ping))
        (server "WAIT-FOR-EVENT" (list :emacs-pong ping))
        (third (server "WAIT-FOR-EVENT" (list :emacs-return tag 'value) t))))))

(defun post-event (text)
  "Sends TEXT to Emacs as a form to evaluate without an answer, and waits until it was read."
  (flet ((server (name &rest arguments)
           (apply #'agent-q-fs::call-server (agent-q-fs::require-link) name arguments)))
    (let ((thread (server "CURRENT-THREAD-ID"))
          (ping (server "MAKE-TAG")))
      (with-standard-io-syntax
        (server "SEND-TO-EMACS" (list :eval-no-wait text))
        (server "SEND-TO-EMACS" (list :ping thread ping))
        (server "WAIT-FOR-EVENT" (list :emacs-pong ping))))))

;;;; The switch

(test door.works-with-the-switch-off
  (with-project (root ("f" (lines "text")) ("src/a.lisp" "()"))
    (with-switch-off ()
      (is (search (lines "text") (call-tool "read_file" '(:path "f"))))
      (is (search "Edited f" (call-tool "edit_file" '(:path "f" :old_str "text" :new_str "new"))))
      (is (equal (lines "new") (contents root "f")))
      (is (equal (lines "src/a.lisp") (call-tool "search_files" '(:pattern "**/*.lisp"))))
      (is (equal (lines "made") (progn (answering ("y")
                                         (call-tool "create_file"
                                                    (list :path "g" :content (lines "made"))))
                                       (contents root "g"))))
      (is (eql 0 (search "Error: The user denied"
                         (answering ("q") (call-tool "delete_file" '(:path "g"))))))
      (is (equal (lines "made") (contents root "g")))
      (is (eql 0 (search "Error: Path 'nothing'" (call-tool "read_file" '(:path "nothing")))))
      (is (equal (list "f" "g" "src")
                 (mapcar (lambda (entry) (getf entry :name))
                         (getf (call :list-directory) :entries))))
      (let ((workspace (open-workspace :root root)))
        (close-workspace workspace)
        (is-false (workspace-open-p workspace)))
      ;; A form that is not ours is refused, as SLY and SLIME refuse it.
      (is (null (event-answer (in-elisp "(write-region \"\" nil ~A)"
                                        (concatenate 'string root "evil")))))
      (is (null (contents root "evil"))))))

(defun hostile-forms (root)
  "Returns texts that begin as ours do, and must have no effect.  Obeyed, most would make a file
`evil` below ROOT."
  (let ((evil (in-elisp "(write-region \"\" nil ~A)" (concatenate 'string root "evil"))))
    (flet ((form (control &rest arguments)
             (concatenate 'string "(agent-q-fs-rpc " (apply #'format nil control arguments)))
           (repeated (count text)
             (with-output-to-string (out) (dotimes (i count) (write-string text out)))))
      (list (form ":hello ~A)" evil)
            (form "~A)" evil)
            (form "\"read_file\" ~A)" evil)
            (form "\"read_file\" `(,~A))" evil)
            (form ":hello #.~A)" evil)
            (form ":hello #$)")
            (form ":hello '#1=(1 . #1#))")
            (form ":hello '#s(hash-table data (1 ~A)))" evil)
            (form ":hello #[(a) \"\\300\" [~A] 1])" evil)
            (form ":hello #(\"a\" 0 1 (display ~A)))" evil)
            (form ":hello (function (lambda () ~A)))" evil)
            (form ":hello 'symbol)")
            (form ":hello '(a . b))")
            (form ":hello [~A])" evil)
            (form ":hello ?\\N{LATIN SMALL LETTER A})")
            (form ":hello \"\\C-\"\" ~A \")" evil)
            (form ":hello \"1\") ~A" evil)
            (form ":hello \"1\"")
            (form ":hello . ~A)" evil)
            (form "'~A nil)" evil)
            (form ":hello ;~%)")
            (form ":hello '~A~A)" (repeated 100000 "(") (repeated 100000 ")"))
            (form ":hello '~Anil~A)" (repeated 100000 "(1 . ") (repeated 100000 ")"))
            (form ":hello '(~A~A))" (repeated 1000000 "1 ") evil)))))

(defun check-hostile-forms (root)
  "Sends hostile forms, and checks that they are refused and have no effect."
  (let ((forms (hostile-forms root)))
    (is (<= 20 (length forms)))
    (loop for form in forms
          for answer = (event-answer form)
          do (is (eq :error (first answer)) "~A was answered ~S"
                 (subseq form 0 (min 80 (length form))) answer)
             (post-event form)
             (is (null (contents root "evil")))))
  (is (equal "text" (said-by-read))))

(test door.hostile-forms
  (with-project (root ("f" "text"))
    (check-hostile-forms root)
    (with-switch-off ()
      (check-hostile-forms root))))

(test door.hostile-data
  "Data of another shape than ours is an error that says so."
  (with-project (root ("f" "text"))
    (said-by-read)
    (dolist (form '("(agent-q-fs-rpc \"delete_file\" '(\"path\" \"f\") 5)"
                    "(agent-q-fs-rpc \"delete_file\" '(\"path\" \"f\") '(:workspace . 1))"
                    "(agent-q-fs-rpc \"delete_file\" '(\"path\" \"f\") '(:workspace 10000))"
                    "(agent-q-fs-rpc \"delete_file\" '(\"path\" . \"f\") '(:workspace 1))"
                    "(agent-q-fs-rpc \"delete_file\" 7 nil)"
                    "(agent-q-fs-rpc \"no_such_tool\" nil nil)"
                    "(agent-q-fs-rpc \"delete_file\" nil '(:data t :authority \"all\"))"
                    "(agent-q-fs-rpc \"delete_file\" nil nil nil)"
                    "(agent-q-fs-rpc :no-such-kind)"
                    "(agent-q-fs-rpc :open 5)"
                    "(agent-q-fs-rpc :open '(\"no_such_option\" 5))"
                    "(agent-q-fs-rpc :close)"
                    "(agent-q-fs-rpc :reset \"x\")"
                    "(agent-q-fs-rpc 5)"))
      (let ((answer (event-answer form)))
        (is (or (eq :error (first answer))
                (search "rror" (princ-to-string (second answer)))
                (search ":error" (princ-to-string (second answer))))
            "~A was answered ~S" form answer)))
    (post-event "(agent-q-fs-rpc \"delete_file\" '(\"path\" \"f\") nil)")
    (is (zerop (questions-left)))
    (is (equal "text" (said-by-read)))))

;;;; While a person thinks

(test door.other-work-goes-on
  "While somebody is asked, Lisp asks Emacs, Emacs asks Lisp, and the REPL works."
  (with-project (root ("f" "text"))
    (said-by-read)
    (let* ((start (screen-position))
           (thread (start-asking (current-workspace) "create_file" '(:path "new" :content "x"))))
      (wait-for-question start)
      (is (equal "text" (said-by-read)))
      (is (search "f" (call-tool "grep_files" '(:pattern "ex"))))
      (emacs-value (format nil "(progn (setq e2e-answer nil)
                                       (run-with-timer 0 nil (lambda ()
                                         (setq e2e-answer (~A-eval '(cl:+ 1 2)))))
                                       t)"
                           (if (string= *server* "SLYNK") "sly" "slime")))
      (wait-until (lambda () (eql 3 (emacs-value "e2e-answer"))) :what "Lisp to answer Emacs")
      (is (equal "text" (said-by-read)))
      (type-keys "y")
      (is-false (search "Error: " (join thread)))
      (is (equal "x" (contents root "new"))))))

(test door.a-search-holds-nothing-up
  "A long search runs beside Emacs, and ends with the thread that waits for it."
  (with-project (root ("slow" (format nil "~{~A~%~}"
                                      (loop repeat 20000
                                            collect "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"))))
    (let* ((workspace (open-workspace :root root :limits '(:regex-steps 1000000000000)))
           (thread (progn
                     (say-when-calls-begin root)
                     (start-thread
                      (lambda ()
                        (catch 'stop
                          (call-tool "grep_files" '(:pattern "^(a+)+$") :workspace workspace)))))))
      (wait-for-begun root)
      (is (search "slow" (call-tool "list_directory" '() :workspace workspace)))
      (is (= 1 (emacs-value "agent-q-fs-job--running")))
      (sb-thread:interrupt-thread thread (lambda () (throw 'stop nil)))
      (join thread)
      (wait-until (lambda () (zerop (emacs-value "agent-q-fs-job--running")))
                  :what "the search to end")
      (pass))))

;;;; The boundary

(defmacro with-narrow-boundary (() &body body)
  "Runs BODY while this Lisp may choose its project nowhere by itself."
  `(unwind-protect
        (progn (emacs-value "(setq agent-q-fs-sly-directories nil agent-q-fs-sly--decisions nil)")
               ,@body)
     (emacs-value "(setq agent-q-fs-sly-directories (list temporary-file-directory)
                         agent-q-fs-sly--decisions nil)")))

(test door.another-project-is-asked-about
  (with-project (root ("f" "text") ("sub/f" "below"))
    (said-by-read)                      ; so the current workspace is open
    (with-narrow-boundary ()
      (flet ((open-here (&rest options)
               (apply #'open-workspace :transport :emacs :root root options)))
        (is (= 1 (counting-questions
                   (is (typep (answering ("q") (condition-of (open-here)))
                              'agent-q-fs-denied)))))
        ;; The person is not asked again and again.
        (is (= 0 (counting-questions
                   (is (typep (condition-of (open-here)) 'agent-q-fs-denied)))))
        (emacs-value "(setq agent-q-fs-sly--decisions nil)")
        (is (= 1 (counting-questions
                   (let ((workspace (answering ("y") (open-here))))
                     (is (search "text" (call-tool "read_file" '(:path "f")
                                                  :workspace workspace)))))))
        (is (= 0 (counting-questions
                   (is (workspace-p (open-here)))
                   (is (workspace-p (open-workspace :transport :emacs
                                              :root (concatenate 'string root "sub/")))))))
        (is (= 1 (counting-questions
                   (is (typep (answering ("q") (condition-of (open-here :allowed-paths '("/etc"))))
                              'agent-q-fs-denied)))))
        (is (= 1 (counting-questions
                   (is (typep (answering ("q") (condition-of (open-here :mode :unrestricted)))
                              'agent-q-fs-denied)))))
        (trusting (options)
          (is (= 0 (counting-questions
                     (is (workspace-p (open-here :allowed-paths '("/etc"))))))))))))

(test door.what-a-person-chose-is-not-asked-about
  (with-project (root ("f" "text"))
    (with-narrow-boundary ()
      (with-global-root
        (said-nothing-yet root)
        (set-root-in-emacs (in-elisp "(agent-q-fs-sly-set-project-root ~A)" root))
        (setf *project-root* (sb-ext:symbol-global-value '*project-root*))
        (is (= 0 (counting-questions (is (equal "text" (said-by-read))))))))))

(defun said-nothing-yet (root)
  "Checks that no workspace of ROOT is open."
  (is (null (agent-q-fs::opened-for (agent-q-fs::current-place root)))))

(test door.of-another-connection
  "A connection cannot use, reset or close the workspace of another one."
  (with-project (root ("f" "text"))
    (said-by-read)
    (let ((number (agent-q-fs::emacs-workspace-number (current-workspace))))
      (emacs-value (format nil "(setf (agent-q-fs-rpc--entry-connection (car agent-q-fs-rpc--entries))
                                      'another)"))
      (is (eql 0 (search "Error: The workspace is closed" (said-by-read))))
      (event-answer (format nil "(agent-q-fs-rpc :close ~D)" number))
      (is (= number (emacs-value "(agent-q-fs-rpc--entry-number (car agent-q-fs-rpc--entries))"))))
    (setf agent-q-fs::*opened* nil)))
