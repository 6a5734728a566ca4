;;;; trouble-tests.lisp -- an Emacs that cannot, will not, is busy, or is gone.
;;;;
;;;; SPDX-License-Identifier: MIT

(in-package #:agent-q-fs/e2e)
(in-suite e2e)

(defun switch ()
  "Returns the variable that lets Lisp evaluate in Emacs."
  (if (string= *server* "SLYNK") "sly-enable-evaluate-in-emacs" "slime-enable-evaluate-in-emacs"))

(defun seconds-of (function)
  "Returns the seconds that FUNCTION takes."
  (let ((start (get-internal-real-time)))
    (funcall function)
    (/ (- (get-internal-real-time) start) internal-time-units-per-second)))

(defun said-by-read ()
  "Returns the text for a model that reads a file."
  (call-tool "read_file" '(:path "f")))

(defmacro is-refused (words &body body)
  "Checks that BODY's text is an error with WORDS, and comes soon."
  `(let ((said nil))
     (is (> 20 (seconds-of (lambda () (setf said (progn ,@body))))))
     (is (and (eql 0 (search "Error: " said)) (search ,words said)) "it said ~A" said)))

;;;; Not set up

(test trouble.not-set-up
  (with-project (root ("f" "text"))
    (unwind-protect
         (progn
           (fresh-emacs :form (format nil "(setq ~A nil)" (switch)))
           (is-refused (format nil "Not connected to Emacs: ~A is nil there" (switch))
             (said-by-read))
           (is-refused "agent-q-fs-sly-setup" (said-by-read))
           (is (typep (condition-of (call :read-file :path "f")) 'agent-q-fs-not-connected))
           ;; agent-q-fs is not loaded
           (fresh-emacs :elisp nil :form (format nil "(setq ~A t)" (switch)))
           (is-refused "(require 'agent-q-fs-rpc)" (said-by-read))
           ;; it is of another version
           (fresh-emacs :form "(setq agent-q-fs-module-version \"9.9.9\")")
           (is-refused "9.9.9" (said-by-read)))
      (fresh-emacs))))

(test trouble.evaluation-is-turned-off
  (with-project (root ("f" "text"))
    (is (equal "text" (said-by-read)))
    (emacs-value (format nil "(progn (run-with-timer 1 nil (lambda () (setq ~A t)))
                                     (setq ~A nil))" (switch) (switch)))
    (is-refused (switch) (said-by-read))
    (wait-until (lambda () (equal "text" (said-by-read))))
    (pass)))

(defun have-emacs-wait-for-us (seconds)
  "Has Emacs ask this Lisp to sleep for SECONDS, and wait for the answer."
  (emacs-value
   (format nil "(progn (setq e2e-answer nil)
                       (run-with-timer 0 nil (lambda ()
                         (setq e2e-answer (~A-eval '(cl:progn (cl:sleep ~F) 42)))))
                       t)"
           (if (string= *server* "SLYNK") "sly" "slime") seconds)))

(test trouble.emacs-waits-for-lisp
  "Emacs waits for an answer of Lisp while it asks the person: both are answered."
  (with-project (root ("f" "text"))
    (said-by-read)
    (have-emacs-wait-for-us 1.5)
    (sleep 0.5)
    (let* ((start (screen-position))
           (said nil)
           (workspace (current-workspace))
           (thread (start-thread (lambda ()
                                   (setf said (call-tool "delete_file" '(:path "f")
                                                         :workspace workspace))))))
      (wait-for-question start)
      (sleep 2)
      (is (equal "text" (contents root "f")))
      (type-keys "y")
      (join thread)
      (is (eql 0 (search "Deleted" said)) "it said ~A" said)
      (wait-until (lambda () (eql 42 (emacs-value "e2e-answer"))))
      (pass))))

(test trouble.another-emacs-afterwards
  (with-project (root ("f" "text"))
    (is (equal "text" (said-by-read)))
    (let ((old (open-workspace :root root)))
      (fresh-emacs)
      (is-false (workspace-open-p old))
      (is-refused "Not connected to Emacs" (call-tool "read_file" '(:path "f") :workspace old))
      (close-workspace old))
    (is (equal "text" (said-by-read)))))

;;;; Gone

(test trouble.killed-in-mid-call
  (with-project (root ("f" "text"))
    (let* ((workspace (current-workspace))
           (said nil)
           (start (screen-position))
           (thread (start-thread
                    (lambda ()
                      (setf said (call-tool "create_file" '(:path "new" :content "x")
                                            :workspace workspace))))))
      (wait-for-question start)
      (kill-emacs *emacs*)
      (is (> 20 (seconds-of (lambda () (join thread)))))
      (is (eql 0 (search "Error: Not connected to Emacs" said)) "it said ~A" said)
      (is (null (contents root "new"))))
    (is-refused "Not connected to Emacs" (said-by-read))
    (start-emacs)
    (is (equal "text" (said-by-read)))))

;;;; Busy

(defun keep-busy (seconds)
  "Has Emacs sleep for SECONDS, soon."
  (emacs-value (format nil "(run-with-timer 0 nil (lambda ()
                                                     (let ((end (+ (float-time) ~D)))
                                                       (while (< (float-time) end)))))"
                       seconds))
  (sleep 0.2))

(test trouble.busy-delays
  (with-project (root ("f" "text"))
    (said-by-read)
    (keep-busy 2)
    (let ((said nil))
      (is (< 1 (seconds-of (lambda () (setf said (said-by-read))))))
      (is (equal "text" said)))))

(test trouble.timeout
  (with-project (root ("f" "text"))
    (said-by-read)
    (keep-busy 5)
    (let ((*emacs-timeout* 1))
      (is-refused "Emacs has not answered within 1 seconds" (said-by-read))
      (is (search "withdrawn.  A busy Emacs may still run the call" (said-by-read)))
      (is (typep (condition-of (call :read-file :path "f")) 'agent-q-fs-timeout)))
    (is (equal "text" (said-by-read)))))

(test trouble.timeouts-of-the-caller
  (with-project (root ("f" "text"))
    (said-by-read)
    (keep-busy 3)
    (is (typep (handler-case (sb-ext:with-timeout 1 (said-by-read))
                 (sb-ext:timeout (condition) condition))
               'sb-ext:timeout))
    (is (equal "text" (said-by-read)))))

(defun questions-left ()
  "Returns the number of open questions in Emacs."
  (emacs-value "(length agent-q-fs-prompt--queue)"))

(test trouble.nobody-waits-for-the-answer
  "A question is withdrawn when its call has timed out; a later key has no effect."
  (with-project (root ("f" "text"))
    (said-by-read)
    (let ((start (screen-position))
          (*emacs-timeout* 5))
      (is-refused "Emacs has not answered within 5 seconds"
        (call-tool "create_file" '(:path "new" :content "late")))
      (is (shown-p "? helps)" start)))
    (wait-until (lambda () (zerop (questions-left))) :what "the question to go")
    (type-keys "y")
    (is (equal "text" (said-by-read)))
    (is (null (contents root "new")))
    (is (search "cancelled"
                (emacs-value "(format \"%S\" agent-q-fs-audit--calls)")))))

(test trouble.others-wait-for-theirs
  "One of two questions is withdrawn; the other one stays and is answered."
  (with-project (root ("f" "text"))
    (said-by-read)
    (let* ((start (screen-position))
           (workspace (current-workspace))
           (said '())
           (ask (lambda (path seconds)
                  (start-thread
                   (lambda ()
                     (let ((*emacs-timeout* seconds))
                       (push (call-tool "create_file" (list :path path :content "x")
                                        :workspace workspace)
                             said))))))
           (first (funcall ask "first" 6)))
      (wait-for-question start)
      (let ((second (funcall ask "second" 60)))
        (wait-until (lambda () (= 2 (questions-left))) :what "both questions")
        (join first)
        (wait-until (lambda () (= 1 (questions-left))) :what "the first question to go")
        (sleep 0.3)
        (type-keys "y")
        (join second))
      (is (null (contents root "first")))
      (is (equal "x" (contents root "second")))
      (is (= 1 (count-if (lambda (text) (search "Error: " text)) said))))))

(test trouble.nobody-waits-for-the-command
  "A command ends when its call has timed out."
  (with-project (root ("f" "text"))
    (said-by-read)
    (emacs-value "(setq agent-q-fs-policy 'never)")
    (unwind-protect
         (let ((*emacs-timeout* 5))
           (is-refused "Emacs has not answered within 5 seconds"
             (call-tool "shell" '(:command "touch begun; sleep 8; touch late"))))
      (emacs-value "(setq agent-q-fs-policy 'tiered)"))
    (wait-until (lambda () (contents root "begun")))
    (sleep 5)
    (is (null (contents root "late")))
    (is (equal "text" (said-by-read)))))

(test trouble.interrupted-while-asking
  "A command also ends when the waiting thread leaves the call in another way."
  (with-project (root ("f" "text"))
    (said-by-read)
    (let* ((start (screen-position))
           (workspace (current-workspace))
           (thread (start-thread
                    (lambda ()
                      (catch 'stop
                        (call-tool "delete_file" '(:path "f") :workspace workspace))))))
      (wait-for-question start)
      (sb-thread:interrupt-thread thread (lambda () (throw 'stop nil)))
      (join thread)
      (wait-until (lambda () (zerop (questions-left))) :what "the question to go")
      (type-keys "y")
      (is (equal "text" (said-by-read)))
      (is (equal "text" (contents root "f"))))))

(defun start-asking (workspace seconds tool arguments)
  "Starts a thread that calls TOOL, and gives up after SECONDS."
  (start-thread (lambda ()
                  (let ((*emacs-timeout* seconds))
                    (call-tool tool arguments :workspace workspace)))))

(test trouble.approved-too-late
  "An approved call that could not begin before its caller gave up is not made."
  (with-project (root ("f" "text"))
    (said-by-read)
    (let* ((start (screen-position))
           (workspace (current-workspace))
           (first (start-asking workspace 8 "create_file" '(:path "a" :content "x"))))
      (wait-for-question start)
      (let ((second (start-asking workspace 60 "create_file" '(:path "b" :content "x"))))
        (wait-until (lambda () (= 2 (questions-left))) :what "both questions")
        (sleep 0.5)
        (type-keys "y")
        (wait-until (lambda () (= 1 (questions-left))) :what "the second question alone")
        (join first)
        (sleep 0.5)
        (type-keys "y")
        (join second))
      (is (equal "text" (said-by-read)))
      (is (null (contents root "a")))
      (is (equal "x" (contents root "b"))))))

(test trouble.given-up-in-the-minibuffer
  "The person is typing the reason of a denial when the call is given up: the keys go nowhere else."
  (with-project (root ("f" "text"))
    (said-by-read)
    (emacs-value "(progn (switch-to-buffer (get-buffer-create \"mine\")) t)")
    (let* ((start (screen-position))
           (thread (start-asking (current-workspace) 6 "delete_file" '(:path "f"))))
      (wait-for-question start)
      (type-keys "n")
      (wait-until (lambda () (plusp (emacs-value "(minibuffer-depth)"))) :what "the minibuffer")
      (type-keys "bec")
      (join thread)
      (sleep 0.5)
      (type-keys "ause")
      (is (equal "because" (wait-until (lambda ()
                                         (let ((typed (emacs-value "(with-current-buffer
                                                (window-buffer (active-minibuffer-window))
                                                (minibuffer-contents-no-properties))")))
                                           (and (equal typed "because") typed))))))
      (type-keys (string #\Return))
      (wait-until (lambda () (zerop (emacs-value "(+ (minibuffer-depth) (length agent-q-fs-rpc--calls))")))
                  :what "the call to end")
      (is (equal "" (emacs-value "(with-current-buffer \"mine\" (buffer-string))")))
      (is (equal "text" (contents root "f"))))))

(test trouble.given-up-while-editing
  "The person ends an M-x in the edit of a proposal; then the edit ends."
  (with-project (root ("f" "text"))
    (said-by-read)
    (emacs-value "(progn (switch-to-buffer (get-buffer-create \"mine\")) t)")
    (let* ((start (screen-position))
           (thread (start-asking (current-workspace) 8 "create_file" '(:path "a" :content "x"))))
      (wait-for-question start)
      (type-keys "e")
      (wait-until (lambda () (plusp (emacs-value "(recursion-depth)"))) :what "the edit")
      (type-keys (format nil "~Cx" (code-char 27)))
      (wait-until (lambda () (plusp (emacs-value "(minibuffer-depth)"))) :what "M-x")
      (join thread)
      (sleep 0.5)
      (type-keys "zz")
      (type-keys (string (code-char 7)))
      (wait-until (lambda () (zerop (emacs-value "(+ (recursion-depth)
                                                    (length agent-q-fs-rpc--calls))")))
                  :what "the edit to end")
      (is (equal "" (emacs-value "(with-current-buffer \"mine\" (buffer-string))")))
      (is (null (contents root "a"))))))

(test trouble.command-below-a-question
  "A command ends at once, also while the person is asked about a later call; no event is left."
  (with-project (root ("f" "text"))
    (said-by-read)
    (emacs-value "(setq agent-q-fs-policy 'never)")
    (let* ((start (screen-position))
           (workspace (current-workspace))
           (first (start-asking workspace 6 "shell"
                                '(:command "touch begun; sleep 9; touch late"))))
      (wait-until (lambda () (contents root "begun")))
      (emacs-value "(setq agent-q-fs-policy 'tiered)")
      (let ((second (start-asking workspace 60 "create_file" '(:path "b" :content "x"))))
        (wait-for-question start)
        (join first)
        (sleep 5)
        (is (null (contents root "late")))
        (type-keys "n")
        (type-keys (string #\Return))
        (join second))
      (is (equal "text" (said-by-read))))))

(test trouble.no-key-is-left-over
  "A read of keys below another call is woken once."
  (with-project (root ("f" "text"))
    (said-by-read)
    (let* ((start (screen-position))
           (workspace (current-workspace))
           (first (start-asking workspace 6 "create_file" '(:path "a" :content "x"))))
      (wait-for-question start)
      (emacs-value "(setq agent-q-fs-policy 'never)")
      (unwind-protect
           (let ((second (start-asking workspace 60 "shell" '(:command "sleep 8"))))
             (join first)
             (sleep 1)
             (is (>= 1 (emacs-value "(length unread-command-events)")))
             (join second))
        (emacs-value "(setq agent-q-fs-policy 'tiered)"))
      (wait-until (lambda () (zerop (emacs-value "(+ (length unread-command-events)
                                                    (length agent-q-fs-rpc--calls))"))))
      (is (zerop (emacs-value "(with-current-buffer (messages-buffer)
                                 (save-excursion (goto-char (point-min))
                                   (how-many \"agent-q-fs-wake\")))"))))))

(test trouble.unsaved-and-given-up
  "The question about a buffer is still shown, and its answer has no effect."
  (with-project (root ("f" "text"))
    (said-by-read)
    (emacs-value (in-elisp "(progn (setq agent-q-fs-unsaved 'ask) (find-file ~A)
                                   (goto-char (point-max)) (insert \"MINE\") t)"
                           (concatenate 'string root "f")))
    (unwind-protect
         (progn
           (join (start-asking (current-workspace) 5 "edit_file"
                               '(:path "f" :old_str "text" :new_str "new")))
           ;; Emacs gets that by the socket, and the key by the terminal.
           (wait-until (lambda ()
                         (emacs-value "(seq-every-p (lambda (call)
                                                      (agent-q-fs-caller-gone (nth 2 call)))
                                                    agent-q-fs-rpc--calls)"))
                       :what "Emacs to hear that nobody waits")
           (type-keys "y")
           (wait-until (lambda () (zerop (emacs-value "(length agent-q-fs-rpc--calls)"))))
           (is (equal "text" (contents root "f"))))
      (fresh-emacs))))

(test trouble.refusals-are-quiet
  "With evaluation turned off, no message after a refused call is an error in Emacs."
  (with-project (root ("f" "text"))
    (said-by-read)
    (emacs-value (format nil "(progn (run-with-timer 1 nil (lambda () (setq ~A t)))
                                     (setq ~A nil))" (switch) (switch)))
    (is-refused (switch) (said-by-read))
    (wait-until (lambda () (equal "text" (said-by-read))))
    (is (zerop (emacs-value "(with-current-buffer (messages-buffer)
                               (save-excursion (goto-char (point-min))
                                 (how-many \"error in process filter\")))")))))

(test trouble.lisp-is-gone
  "The person is not asked about a call of a Lisp that has disconnected."
  (with-project (root ("f" "text"))
    (said-by-read)
    (emacs-value (in-elisp "(run-with-timer 0.1 0.1 (lambda ()
                              (write-region (format \"%s\" (length agent-q-fs-prompt--queue))
                                            nil ~A nil 'silent)))"
                           (concatenate 'string root "left")))
    (let* ((start (screen-position))
           (workspace (current-workspace))
           (thread (start-thread (lambda ()
                                   (call-tool "delete_file" '(:path "f")
                                              :workspace workspace)))))
      (wait-for-question start)
      (wait-until (lambda () (equal "1" (contents root "left"))) :what "the question")
      (dolist (connection (agent-q-fs::open-connections *server*))
        (funcall (server-symbol "CLOSE-CONNECTION") connection nil nil))
      (wait-until (lambda () (equal "0" (contents root "left"))) :what "the question to go")
      (join thread)
      (type-keys "y")
      (sleep 0.5)
      (is (equal "text" (contents root "f"))))
    (fresh-emacs)))

(test trouble.minibuffer-is-open
  (with-project (root ("f" "text"))
    (said-by-read)
    (type-keys (format nil "~Cx" (code-char 27)))
    (wait-until (lambda () (plusp (emacs-value "(minibuffer-depth)"))))
    (is (equal "text" (said-by-read)))
    (is (equal "made" (progn (answering ("y") (call-tool "create_file"
                                                         '(:path "new" :content "made")))
                             (contents root "new"))))
    (is (plusp (emacs-value "(minibuffer-depth)")) "what the person was doing goes on")
    (type-keys (string (code-char 7)))
    (wait-until (lambda () (zerop (emacs-value "(minibuffer-depth)"))))))

(test trouble.questions-at-once
  (with-project (root ("f" "text"))
    (let* ((workspace (current-workspace))
           (before (questions))
           (said (make-array 4 :initial-element nil))
           (threads (loop for i below 4
                          collect (let ((i i))
                                    (start-thread
                                     (lambda ()
                                       (setf (svref said i)
                                             (call-tool "create_file"
                                                        (list :path (format nil "new~D" i)
                                                              :content (format nil "~D" i))
                                                        :workspace workspace))))))))
      (wait-until (lambda () (= 4 (- (questions) before))) :what "all to ask")
      (is (equal "text" (said-by-read)) "what only reads does not wait")
      ;; When a question looks like the one before, the screen does not change.
      (loop for waiting from 4 downto 1
            do (wait-until (lambda ()
                             (= waiting (emacs-value "(length agent-q-fs-prompt--queue)")))
                           :what "the next question")
               (sleep 0.2)
               (type-keys "y"))
      (mapc #'join threads)
      (is (notany (lambda (text) (search "Error: " text)) said) "they said ~S" said)
      (is (loop for i below 4
                always (equal (princ-to-string i) (contents root (format nil "new~D" i)))))
      (is (= 4 (- (questions) before))))))

(test trouble.quit-in-emacs
  (with-project (root ("slow" (format nil "~{~A~%~}"
                                      (loop repeat 20000
                                            collect "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"))))
    (let* ((workspace (open-workspace :root root :limits '(:regex-steps 1000000000000)))
           (said nil)
           (thread (start-thread
                    (lambda ()
                      (setf said (call-tool "grep_files" '(:pattern "^(a+)+$")
                                            :workspace workspace))))))
      (sleep 1)
      (type-keys (string (code-char 7)))
      (is (> 10 (seconds-of (lambda () (join thread)))))
      (is (eql 0 (search "Error: " said)) "it said ~A" said)
      (is (search "slow" (call-tool "list_directory" '() :workspace workspace))))))

;;;; The project's root

(test people.root-in-the-mode-line
  (with-project (root ("p%q/f" "text"))
    (setf *project-root* (concatenate 'string root "p%q/"))
    (said-by-read)
    (flet ((mode-line (buffer)
             (emacs-value (format nil "(with-current-buffer ~A
                                         (substring-no-properties
                                          (format-mode-line agent-q-fs-sly-mode-line nil nil
                                                            (current-buffer))))"
                                  buffer))))
      (is (equal " files:p%q" (mode-line (if (string= *server* "SLYNK")
                                             "(sly-mrepl--find-buffer)"
                                             "(slime-output-buffer)"))))
      (is (equal "" (mode-line "\"*scratch*\""))))))

(defun set-root-in-emacs (form)
  "Has Emacs evaluate FORM, which calls Lisp."
  (emacs-value (format nil "(progn (setq e2e-done nil)
                                   (run-with-timer 0 nil (lambda () ~A (setq e2e-done t))))"
                       form))
  (wait-until (lambda () (emacs-value "(bound-and-true-p e2e-done)"))))

(defmacro with-global-root (&body body)
  "Runs BODY with the global value of *PROJECT-ROOT*."
  `(let ((old (sb-ext:symbol-global-value '*project-root*)))
     (unwind-protect (progn ,@body)
       (setf (sb-ext:symbol-global-value '*project-root*) old))))

(test people.root-set-in-emacs
  (with-project (root ("p/f" "in p") ("q/.git/HEAD" "x") ("q/sub/f" "x") ("q/f" "in q"))
    (with-global-root
      (flet ((said ()
               (setf *project-root* (sb-ext:symbol-global-value '*project-root*))
               (said-by-read)))
        (set-root-in-emacs (in-elisp "(agent-q-fs-sly-set-project-root ~A)"
                                     (concatenate 'string root "p")))
        (is (equal "in p" (said)))
        (set-root-in-emacs (in-elisp "(let ((default-directory ~A)) (agent-q-fs-sly-use-project))"
                                     (concatenate 'string root "q/sub/")))
        (is (equal "in q" (said)))
        (set-root-in-emacs (in-elisp "(condition-case nil
                                         (agent-q-fs-sly-set-project-root ~A)
                                       (user-error nil))"
                                     (concatenate 'string root "nothing")))
        (is (equal "in q" (said)))
        (set-root-in-emacs "(agent-q-fs-sly-set-project-root \"\")")
        (is (null (sb-ext:symbol-global-value '*project-root*)))))))

(test people.setup-asks
  (let ((switch (switch)))
    (flet ((setup (answer)
             (emacs-value
              (format nil "(let ((asked 0) on)
                             (cl-letf (((symbol-function 'yes-or-no-p)
                                        (lambda (&rest _) (setq asked (1+ asked)) ~A)))
                               (unwind-protect
                                   (progn (setq ~A nil)
                                          (condition-case nil (agent-q-fs-sly-setup)
                                            (user-error nil))
                                          (setq on ~A))
                                 (setq ~A t)))
                             (format \"%s %s\" asked on))"
                      answer switch switch switch))))
      (is (equal "1 nil" (setup "nil")))
      (is (equal "1 t" (setup "t"))))))
