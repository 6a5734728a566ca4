;;;; trouble-tests.lisp -- an Emacs that cannot, will not, is busy, or is gone.
;;;;
;;;; SPDX-License-Identifier: MIT

(in-package #:agent-q-fs/e2e)
(in-suite e2e)

(defun switch ()
  "Returns the variable that lets Lisp evaluate in Emacs."
  (if (string= *server* "SLYNK") "sly-enable-evaluate-in-emacs" "slime-enable-evaluate-in-emacs"))

(defun without-note (text)
  "Returns TEXT, what a model is shown of a file, without the note that no newline ends it."
  (subseq text 0 (search (format nil "~%[no newline at the end]") text)))

(defun said-by-read ()
  "Returns what a model is told that reads a file, without the note about its end."
  (without-note (call-tool "read_file" '(:path "f"))))

(defmacro is-refused (words &body body)
  "Checks that BODY's text is an error with WORDS."
  `(let ((said (progn ,@body)))
     (is (and (eql 0 (search "Error: " said)) (search ,words said)) "it said ~A" said)))

;;;; Not connected yet

(defun call-while-not-served (function)
  "Calls FUNCTION, and returns its value, while a connection is listed and not served yet."
  (let ((served (sb-thread:make-semaphore))
        (serve (server-symbol "SERVE-REQUESTS")))
    (sb-int:encapsulate serve 'e2e (lambda (original connection)
                                     (sb-thread:wait-on-semaphore served)
                                     (funcall original connection)))
    (unwind-protect
         (progn (kill-emacs *emacs*)
                (wait-for-silence)
                (start-emacs :wait nil)
                (wait-until (lambda () (symbol-value (server-symbol "*CONNECTIONS*")))
                            :what "Emacs to be listed")
                (funcall function))
      (sb-int:unencapsulate serve 'e2e)
      (sb-thread:signal-semaphore served)
      (wait-until #'agent-q-fs::find-link :what "Emacs to be served"))))

(test trouble.not-served-yet
  "Nothing is sent to a connection that the server lists and does not serve yet: it would be lost."
  (with-project (root ("f" "text"))
    (is (typep (call-while-not-served
                (lambda ()
                  (let ((agent-q-fs::*emacs-timeout* 5))
                    (condition-of (call :read-file :path "f")))))
               'agent-q-fs-not-connected))
    (is (equal "text" (said-by-read)))))

;;;; Not set up

(test trouble.not-set-up
  (with-project (root ("f" "text"))
    (unwind-protect
         (progn
           ;; agent-q-fs is not loaded, where Lisp may evaluate and where it may not
           (dolist (value '(nil t))
             (fresh-emacs :elisp nil :form (format nil "(setq ~A ~(~A~))" (switch) value))
             (is-refused "Not connected to Emacs: agent-q-fs does not answer there" (said-by-read))
             (is-refused "M-x agent-q-fs-sly-setup" (said-by-read))
             (is (typep (condition-of (call :read-file :path "f")) 'agent-q-fs-not-connected)))
           ;; it is of another version
           (fresh-emacs :form "(setq agent-q-fs-module-version \"9.9.9\")")
           (is-refused "9.9.9" (said-by-read)))
      (fresh-emacs))))

(defvar *emacs-waits* nil
  "True while Emacs waits for this Lisp to answer, which it does when this is false.")

(defun answer-late ()
  "Answers Emacs when *EMACS-WAITS* is false again."
  (setf *emacs-waits* t)
  (wait-until (lambda () (not *emacs-waits*)) :what "the test to let Lisp answer")
  42)

(defun have-emacs-wait-for-us ()
  "Has Emacs call ANSWER-LATE in this Lisp, and wait for the answer."
  (emacs-value
   (format nil "(progn (setq e2e-answer nil)
                       (run-with-timer 0 nil (lambda ()
                         (setq e2e-answer (~A-eval '(agent-q-fs/e2e::answer-late)))))
                       t)"
           (if (string= *server* "SLYNK") "sly" "slime")))
  (wait-until (lambda () *emacs-waits*) :what "Emacs to wait"))

(test trouble.emacs-waits-for-lisp
  "Emacs waits in sly-eval or slime-eval when a request comes: each is answered without the other."
  (with-project (root ("f" "text"))
    (said-by-read)
    (have-emacs-wait-for-us)
    (let* ((start (screen-position))
           (thread (start-asking (current-workspace) "delete_file" '(:path "f"))))
      (wait-for-questions 1)
      (is (equal "text" (said-by-read)) "what only reads is answered meanwhile")
      (is (null (emacs-value "e2e-answer")))
      (setf *emacs-waits* nil)
      (wait-until (lambda () (eql 42 (emacs-value "e2e-answer"))) :what "Lisp to answer Emacs")
      (is (= 1 (questions-left)))
      (is (equal "text" (contents root "f")))
      (wait-for-question start)
      (type-keys "y")
      (let ((said (join thread)))
        (is (eql 0 (search "Deleted" said)) "it said ~A" said))
      (is (null (contents root "f"))))))

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
      (join thread)
      (is (eql 0 (search "Error: Not connected to Emacs" said)) "it said ~A" said)
      (is (null (contents root "new"))))
    (is-refused "Not connected to Emacs" (said-by-read))
    (start-emacs)
    (is (equal "text" (said-by-read)))))

;;;; Busy

(defun make-busy (root)
  "Has Emacs do nothing else until there is a file `free` below ROOT, or ROOT is gone."
  (emacs-value (in-elisp "(run-with-timer 0 nil (lambda ()
                            (write-region \"\" nil ~A nil 'silent)
                            (while (and (file-exists-p ~A) (not (file-exists-p ~A))))))"
                         (concatenate 'string root "busy") (concatenate 'string root "busy")
                         (concatenate 'string root "free")))
  (wait-until (lambda () (contents root "busy")) :what "Emacs to be busy"))

(defun set-free (root)
  "Ends what MAKE-BUSY began."
  (put (in-root root "free") ""))

(defun start-asking (workspace tool arguments)
  "Starts a thread that calls TOOL, whose text JOIN returns, and waits for it, unless GIVE-UP."
  (start-thread (lambda ()
                  (let ((*emacs-timeout* 3600))
                    (call-tool tool arguments :workspace workspace)))))

(defun give-up (thread)
  "Has the call of START-ASKING's THREAD, which is under way, take too long; returns its text."
  (setf (sb-thread:symbol-value-in-thread '*emacs-timeout* thread) 1)
  (join thread))

(defun wait-for-gone (&optional (left 0))
  "Waits until Emacs has heard that nobody waits for a call; LEFT others go on."
  (wait-until (lambda () (= left (emacs-value "(length agent-q-fs-rpc--calls)")))
              :what "Emacs to hear that nobody waits"))

(test trouble.busy-delays
  (with-project (root ("f" "text"))
    (said-by-read)
    (make-busy root)
    (let* ((said nil)
           (workspace (current-workspace))
           (thread (start-thread (lambda ()
                                   (setf said (call-tool "read_file" '(:path "f")
                                                         :workspace workspace))))))
      (sleep 1)
      (is (null said))
      (set-free root)
      (join thread)
      (is (equal "text" (without-note said))))))

(test trouble.timeout
  (with-project (root ("f" "text"))
    (said-by-read)
    (make-busy root)
    (let ((*emacs-timeout* 1))
      (is-refused "Emacs has not answered within 1 seconds" (said-by-read))
      (is (search "withdrawn.  A busy Emacs may still run the call" (said-by-read)))
      (is (typep (condition-of (call :read-file :path "f")) 'agent-q-fs-timeout)))
    (set-free root)
    (is (equal "text" (said-by-read)))))

(test trouble.timeouts-of-the-caller
  (with-project (root ("f" "text"))
    (said-by-read)
    (make-busy root)
    (is (typep (handler-case (sb-ext:with-timeout 1 (said-by-read))
                 (sb-ext:timeout (condition) condition))
               'sb-ext:timeout))
    (set-free root)
    (is (equal "text" (said-by-read)))))

(defun questions-left ()
  "Returns the number of open questions in Emacs."
  (emacs-value "(length agent-q-fs-prompt--queue)"))

(defun wait-for-questions (count)
  "Waits until COUNT requests are open in Emacs."
  (wait-until (lambda () (= count (questions-left))) :what (format nil "~D open requests" count)))

(defun wait-for-minibuffer ()
  (wait-until (lambda () (plusp (emacs-value "(minibuffer-depth)"))) :what "the minibuffer"))

(defun typed-in-minibuffer ()
  "Returns what the person has typed in the minibuffer so far."
  (emacs-value "(and (active-minibuffer-window)
                     (with-current-buffer (window-buffer (active-minibuffer-window))
                       (minibuffer-contents-no-properties)))"))

(defun wait-for-message (words)
  "Waits until the echo area says WORDS."
  (wait-until (lambda () (search words (emacs-value "(or (current-message) \"\")")))
              :what (format nil "the echo area to say ~A" words)))

(defun type-in-vain (keys)
  "Types KEYS at a request that is over, and waits until the person is told that it is."
  (type-keys keys)
  (wait-for-message "This request is over"))

(test trouble.nobody-waits-for-the-answer
  "A question is withdrawn when its call has timed out; a later key has no effect."
  (with-project (root ("f" "text"))
    (said-by-read)
    (let* ((start (screen-position))
           (thread (start-asking (current-workspace) "create_file"
                                 '(:path "new" :content "late"))))
      (wait-for-question start)
      (is-refused "Emacs has not answered within 1 seconds" (give-up thread)))
    (wait-for-questions 0)
    (type-in-vain "y")
    (is (equal "text" (said-by-read)))
    (is (null (contents root "new")))
    (is (search "cancelled"
                (emacs-value "(format \"%S\" agent-q-fs-audit--calls)")))))

(test trouble.others-wait-for-theirs
  "One of two questions is withdrawn; the other one stays, gets no key meant for the first, and is
answered when the person has gone on to it."
  (with-project (root ("f" "text"))
    (said-by-read)
    (let* ((start (screen-position))
           (workspace (current-workspace))
           (first (start-asking workspace "create_file" '(:path "first" :content "x"))))
      (wait-for-question start)
      (let ((second (start-asking workspace "create_file" '(:path "second" :content "x"))))
        (wait-for-questions 2)
        (is-refused "Emacs has not answered" (give-up first))
        (wait-for-questions 1)
        (type-in-vain "y")
        (is (= 1 (questions-left)))
        (is (null (contents root "second")))
        (let ((start (screen-position)))
          (type-keys (format nil "~Cn" (code-char 27)))
          (wait-for-shown start))
        (type-keys "y")
        (is-false (search "Error: " (join second))))
      (is (null (contents root "first")))
      (is (equal "x" (contents root "second"))))))

(defparameter *endless* "echo $$ >pid; touch begun; while :; do sleep 1; done"
  "A command that never ends by itself.")

(defun wait-for-begun (root)
  (wait-until (lambda () (contents root "begun")) :what "the command to begin"))

(defun wait-for-end-of-command (root)
  "Waits until the shell of *ENDLESS* has ended."
  (let ((pid (parse-integer (contents root "pid"))))
    (wait-until (lambda () (not (probe-file (format nil "/proc/~D/" pid))))
                :what "the command to end")))

(defmacro without-asking (&body body)
  "Runs BODY while Emacs asks nothing."
  `(unwind-protect (progn (emacs-value "(setq agent-q-fs-policy 'never)")
                          ,@body)
     (emacs-value "(setq agent-q-fs-policy 'tiered)")))

(test trouble.nobody-waits-for-the-command
  "A command ends when its call has timed out."
  (with-project (root ("f" "text"))
    (said-by-read)
    (without-asking
      (let ((thread (start-asking (current-workspace) "shell"
                                  (list :command *endless* :timeout_ms 3600000))))
        (wait-for-begun root)
        (is-refused "Emacs has not answered within 1 seconds" (give-up thread))))
    (wait-for-end-of-command root)
    (is (equal "text" (said-by-read)))))

(test trouble.interrupted-while-asking
  "A question also goes when the waiting thread leaves the call in another way."
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
      (wait-for-questions 0)
      (type-in-vain "y")
      (is (equal "text" (said-by-read)))
      (is (equal "text" (contents root "f"))))))

(test trouble.approved-at-once
  "An approved call is made at once, also while another question waits; what was given up is not."
  (with-project (root ("f" "text"))
    (said-by-read)
    (let* ((start (screen-position))
           (workspace (current-workspace))
           (first (start-asking workspace "create_file" '(:path "a" :content "x"))))
      (wait-for-question start)
      (let ((second (start-asking workspace "create_file" '(:path "b" :content "x"))))
        (wait-for-questions 2)
        (let ((start (screen-position)))
          (type-keys "y")
          (is-false (search "Error: " (join first)))
          (is (equal "x" (contents root "a")))
          (wait-for-shown start))       ; the second one, in the first one's place
        (give-up second)
        (wait-for-gone)
        (wait-for-questions 0)
        (type-in-vain "y"))
      (is (equal "text" (said-by-read)))
      (is (null (contents root "b"))))))

(test trouble.given-up-in-the-minibuffer
  "The person is typing the reason of a denial when the call is given up: the keys go nowhere else."
  (with-project (root ("f" "text"))
    (said-by-read)
    (emacs-value "(progn (switch-to-buffer (get-buffer-create \"mine\")) t)")
    (let* ((start (screen-position))
           (thread (start-asking (current-workspace) "delete_file" '(:path "f"))))
      (wait-for-question start)
      (type-keys "n")
      (wait-for-minibuffer)
      (type-keys "bec")
      (give-up thread)
      (wait-for-gone)
      (wait-for-questions 0)
      (type-keys "ause")
      (wait-until (lambda () (equal "because" (typed-in-minibuffer))) :what "the whole reason")
      (type-in-vain (string #\Return))
      (is (zerop (emacs-value "(minibuffer-depth)")))
      (is (equal "" (emacs-value "(with-current-buffer \"mine\" (buffer-string))")))
      (is (equal "text" (contents root "f"))))))

(test trouble.given-up-while-editing
  "The call is given up while the person, who edits the proposal, is in an M-x: they finish both in
peace, and are told that nobody waits."
  (with-project (root ("f" "text"))
    (said-by-read)
    (emacs-value "(progn (switch-to-buffer (get-buffer-create \"mine\")) t)")
    (let* ((start (screen-position))
           (thread (start-asking (current-workspace) "create_file" '(:path "a" :content "x"))))
      (wait-for-question start)
      (type-keys "eMY")
      (flet ((edited ()
               (emacs-value "(let ((edit (get-buffer \"*agent-q-fs edit*\")))
                               (and edit (with-current-buffer edit
                                           (and (string-match-p \"MY\" (buffer-string)) t))))")))
        (wait-until #'edited :what "the edit")
        (type-keys (format nil "~Cx" (code-char 27)))
        (wait-for-minibuffer)
        (give-up thread)
        (wait-for-gone)
        (wait-for-questions 0)
        (type-keys "zz")
        (wait-until (lambda () (equal "zz" (typed-in-minibuffer))) :what "the keys in M-x")
        (type-keys (string (code-char 7)))
        (wait-until (lambda () (zerop (emacs-value "(minibuffer-depth)"))) :what "M-x to end")
        (is-true (edited) "the person's text is still there")
        (type-in-vain (format nil "~C~C" (code-char 3) (code-char 3)))
        (is-false (edited)))
      (is (equal "" (emacs-value "(with-current-buffer \"mine\" (buffer-string))")))
      (is (null (contents root "a"))))))

(test trouble.command-beside-a-question
  "A command ends at once, also while the person is asked about a later call, which goes on."
  (with-project (root ("f" "text"))
    (said-by-read)
    (let ((start (screen-position))
          (workspace (current-workspace))
          (first nil))
      (without-asking
        (setf first (start-asking workspace "shell"
                                  (list :command *endless* :timeout_ms 3600000)))
        (wait-for-begun root))
      (let ((second (start-asking workspace "create_file" '(:path "b" :content "x"))))
        (wait-for-question start)
        (give-up first)
        (wait-for-end-of-command root)
        (is (= 1 (questions-left)))
        (type-keys "n")
        (wait-for-minibuffer)
        (type-keys (format nil "no need~C" #\Return))
        (is-refused "no need" (join second)))
      (is (null (contents root "b")))
      (is (equal "text" (said-by-read))))))

(test trouble.no-key-is-taken
  "While a request waits, and when it is withdrawn, all keys go where they are typed, and no window
changes; also while another call goes on."
  (with-project (root ("f" "text"))
    (said-by-read)
    (emacs-value "(progn (pop-to-buffer-same-window (get-buffer-create \"mine\"))
                         (delete-other-windows) t)")
    (unwind-protect
         (flet ((type-as-text (keys text)
                  (type-keys keys)
                  (wait-until (lambda ()
                                (equal text (emacs-value "(with-current-buffer \"mine\"
                                                            (buffer-string))")))
                              :what "the keys in the person's buffer")))
           (without-asking
             (let ((second (start-asking (current-workspace) "shell"
                                         '(:command "touch begun; while ! [ -e free ]; do sleep 0.1; done"
                                           :timeout_ms 3600000))))
               (wait-for-begun root)
               (emacs-value "(setq agent-q-fs-policy 'tiered)")
               (let ((first (start-asking (current-workspace) "create_file"
                                          '(:path "a" :content "x"))))
                 (wait-for-questions 1)
                 (type-as-text "yne!" "yne!")
                 (is (= 1 (questions-left)))
                 (give-up first))
               (wait-for-gone 1)
               (wait-for-questions 0)
               (type-as-text "y" "yne!y")
               (set-free root)
               (join second)))
           (is (equal "mine" (emacs-value "(buffer-name (window-buffer))")))
           (is-true (emacs-value "(one-window-p)"))
           (is (zerop (emacs-value "(+ (length unread-command-events)
                                       (length agent-q-fs-rpc--calls))")))
           (is (null (contents root "a"))))
      (emacs-value "(progn (kill-buffer \"mine\") t)"))))

(test trouble.unsaved-and-given-up
  "The question about a buffer is still shown, and its answer has no effect."
  (with-project (root ("f" "text"))
    (said-by-read)
    (emacs-value (in-elisp "(progn (setq agent-q-fs-unsaved 'ask) (find-file ~A)
                                   (goto-char (point-max)) (insert \"MINE\") t)"
                           (concatenate 'string root "f")))
    (unwind-protect
         (let ((thread (start-asking (current-workspace) "edit_file"
                                     '(:path "f" :old_str "text" :new_str "new"))))
           (wait-until (lambda () (plusp (emacs-value "(+ (minibuffer-depth)
                                             (if (active-minibuffer-window) 1 0))")))
                       :what "the question about the buffer")
           (give-up thread)
           ;; Emacs gets that by the socket, and the key by the terminal.
           (wait-for-gone)
           (type-keys "y")
           (wait-until (lambda () (zerop (emacs-value "(length agent-q-fs-rpc--calls)"))))
           (is (equal "text" (contents root "f"))))
      (fresh-emacs))))

(test trouble.lisp-is-gone
  "The person is not asked about a call of a Lisp that has disconnected."
  (with-project (root ("f" "text"))
    (said-by-read)
    ;; Emacs cannot be asked when the connection is closed, so it tells by a file.
    (emacs-value (in-elisp "(run-with-timer 0.1 0.1 (lambda ()
                              (write-region (format \"%s waiting, %s\"
                                                    (length agent-q-fs-prompt--queue)
                                                    (current-message))
                                            nil ~A nil 'silent)))"
                           (concatenate 'string root "state")))
    (flet ((wait-for-state (words)
             (wait-until (lambda () (search words (or (contents root "state") "")))
                         :what (format nil "Emacs to say ~A" words))))
      (let* ((start (screen-position))
             (workspace (current-workspace))
             (thread (start-thread (lambda ()
                                     (call-tool "delete_file" '(:path "f")
                                                :workspace workspace)))))
        (wait-for-question start)
        (wait-for-state "1 waiting")
        (dolist (connection (agent-q-fs::open-connections *server*))
          (funcall (server-symbol "CLOSE-CONNECTION") connection nil nil))
        (wait-for-state "0 waiting")
        (join thread)
        (type-keys "y")
        (wait-for-state "This request is over")
        (is (equal "text" (contents root "f")))))
    (fresh-emacs)))

(test trouble.minibuffer-is-open
  "A request that comes while the person types an M-x waits, takes no key from it, and is answered
when they open it: afterwards, or with the M-x still open."
  (with-project (root ("f" "text"))
    (said-by-read)
    (type-keys (format nil "~Cx" (code-char 27)))
    (wait-for-minibuffer)
    (is (equal "text" (said-by-read)))
    (let* ((start (screen-position))
           (thread (start-asking (current-workspace) "create_file"
                                 '(:path "new" :content "made"))))
      (wait-for-questions 1)
      (type-keys "y")
      (wait-until (lambda () (equal "y" (typed-in-minibuffer))) :what "the key in M-x")
      (is (= 1 (questions-left)))
      (is (null (contents root "new")))
      (wait-for-question start)
      (type-keys "y")
      (is-false (search "Error: " (join thread)))
      (is (equal "made" (contents root "new"))))
    (is (equal "y" (typed-in-minibuffer)) "what the person was doing goes on")
    (type-keys "z")
    (wait-until (lambda () (equal "yz" (typed-in-minibuffer))) :what "the keyboard to be M-x's again")
    (type-keys (string (code-char 7)))
    (wait-until (lambda () (zerop (emacs-value "(minibuffer-depth)"))) :what "M-x to end")))

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
      (open-requests)
      (loop for waiting from 3 downto 0
            for start = (screen-position)
            do (type-keys "y")
               (wait-for-questions waiting)
               (when (plusp waiting) (wait-for-shown start)))
      (mapc #'join threads)
      (is (notany (lambda (text) (search "Error: " text)) said) "they said ~S" said)
      (is (loop for i below 4
                always (equal (princ-to-string i) (contents root (format nil "new~D" i)))))
      (is (= 4 (- (questions) before))))))

(defun say-when-calls-begin (root)
  "Has Emacs make a file `begun` below ROOT when it first calls the core."
  (emacs-value (in-elisp "(letrec ((say (lambda (&rest _)
                                          (advice-remove 'agent-q-fs--mod-call say)
                                          (advice-remove 'agent-q-fs--mod-start say)
                                          (write-region \"\" nil ~A nil 'silent))))
                            (advice-add 'agent-q-fs--mod-call :before say)
                            (advice-add 'agent-q-fs--mod-start :before say)
                            t)"
                         (concatenate 'string root "begun"))))

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
                                   (run-with-timer 0 nil (lambda ()
                                     (setq e2e-done (condition-case why (progn ~A t)
                                                      (error (format \"%S\" why)))))))"
                       form))
  (is (eq t (wait-until (lambda () (emacs-value "(bound-and-true-p e2e-done)"))
                        :what "Emacs to have called Lisp"))))

(defmacro with-global-root (&body body)
  "Runs BODY with the global value of *PROJECT-ROOT*."
  `(let ((old (sb-ext:symbol-global-value '*project-root*)))
     (unwind-protect (progn ,@body)
       (setf (sb-ext:symbol-global-value '*project-root*) old))))

(test people.root-set-in-emacs
  (with-project (root ("p/f" "in p") ("q/.git/HEAD" "x") ("q/.git/objects/x" "x")
                      ("q/.git/refs/x" "x") ("q/sub/f" "x") ("q/f" "in q"))
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

(test people.setup-says-what-it-did
  "It turns nothing on, and says what it means where Lisp may evaluate anyway."
  (let ((switch (switch)))
    (flet ((setup (value)
             (emacs-value (format nil "(let ((~A ~A)) (format \"%s %s\" (agent-q-fs-sly-setup) ~A))"
                                  switch value switch))))
      (is (eql 0 (search "Lisp can call the tools for files now, by SL" (setup "nil"))))
      (is (search "and evaluating forms in Emacs stays off nil" (setup "nil")))
      (is (search (format nil "; ~A is t: a connected Lisp can also evaluate any form in Emacs" switch)
                  (setup "t"))))))
