;;; agent-q-fs-change-tests.el --- Tests of changes and the hooks around them  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'agent-q-fs-test-help)
(require 'agent-q-fs-job)
(require 'agent-q-fs-tools)

(defvar agent-q-fs-change-tests--told nil
  "The calls of the hooks' functions, latest first.")

(defmacro agent-q-fs-change-tests--with (ws &rest body)
  "Run BODY with WS over a tree with a file, recording how hooks are called."
  (declare (indent 1) (debug (symbolp body)))
  `(let* ((agent-q-fs-change-tests--told nil)
          (agent-q-fs-before-change-functions
           (list (lambda (&rest arguments)
                   (push (cons 'before arguments) agent-q-fs-change-tests--told))))
          (agent-q-fs-after-change-functions
           (list (lambda (&rest arguments)
                   (push (cons 'after arguments) agent-q-fs-change-tests--told))))
          (agent-q-fs-authority 'cautious))
     (agent-q-fs-test-with-tree (,ws '("a.txt" "one\ntwo\n") '("d/b" "b"))
       ,@body)))

(defun agent-q-fs-change-tests--text (name)
  "Return the content of the file NAME."
  (with-temp-buffer
    (insert-file-contents-literally (expand-file-name name))
    (buffer-string)))

(defun agent-q-fs-change-tests--words ()
  "Return `before' and `after' as they were told, first one first."
  (reverse (mapcar #'car agent-q-fs-change-tests--told)))

(defun agent-q-fs-change-tests--run (ws operation arguments &rest how)
  "Run OPERATION with ARGUMENTS in WS as a job, HOW being further arguments.
Return the reply or the error."
  (let (told)
    (agent-q-fs-job-wait
     (apply #'agent-q-fs-call-async ws operation arguments
            :on-done (lambda (reply) (push reply told))
            :on-error (lambda (problem) (push problem told)) how)
     10)
    (should (= 1 (length told)))
    (car told)))

(ert-deftest agent-q-fs-change/told-around-a-change ()
  (agent-q-fs-change-tests--with ws
    (let ((reply (agent-q-fs-edit-file ws "./d/../a.txt" :old_str "one" :new_str "1")))
      (pcase-let ((`((after ,ws-2 ,targets-2 ,told) (before ,ws-1 ,targets-1))
                   agent-q-fs-change-tests--told))
        (should (eq ws ws-1))
        (should (eq ws ws-2))
        (should (eq targets-1 targets-2))
        (should (eq reply told))
        (should (equal '(:path "a.txt" :given "./d/../a.txt" :action :write :type :file
                               :protected nil :risks nil)
                       (car targets-1)))))))

(ert-deftest agent-q-fs-change/told-before-it-is-done ()
  (agent-q-fs-change-tests--with ws
    (let* (seen
           (agent-q-fs-before-change-functions
            (list (lambda (&rest _) (push (agent-q-fs-change-tests--text "a.txt") seen))))
           (agent-q-fs-after-change-functions
            (list (lambda (&rest _) (push (agent-q-fs-change-tests--text "a.txt") seen)))))
      (agent-q-fs-edit-file ws "a.txt" :old_str "one" :new_str "1")
      (should (equal '("1\ntwo\n" "one\ntwo\n") seen)))))

(ert-deftest agent-q-fs-change/nobody-is-told-of-what-does-not-happen ()
  "Reads, previews, refusals, stale approvals and failures are no changes."
  (agent-q-fs-change-tests--with ws
    (agent-q-fs-read-file ws "a.txt")
    (agent-q-fs-preview ws 'delete_file :path "a.txt")
    (should-error (agent-q-fs-delete-file ws "a.txt") :type 'agent-q-fs-approval-required)
    (should-error (agent-q-fs-edit-file ws "a.txt" :old_str "x" :new_str "y")
                  :type 'agent-q-fs-no-match)
    (should-error (agent-q-fs-edit-file ws "a.txt" :old_str "one" :new_str "1" :version "no")
                  :type 'agent-q-fs-stale)
    (should-error (agent-q-fs-commit ws "no" 'delete_file :path "a.txt")
                  :type 'agent-q-fs-stale)
    (should-error (agent-q-fs-call ws 'no_such_thing) :type 'agent-q-fs-unknown-operation)
    (let ((agent-q-fs-authority 'safe))
      (should-error (agent-q-fs-edit-file ws "a.txt" :old_str "one" :new_str "1")
                    :type 'agent-q-fs-approval-required))
    (should-not agent-q-fs-change-tests--told)
    (should (equal "one\ntwo\n" (agent-q-fs-change-tests--text "a.txt")))))

(ert-deftest agent-q-fs-change/refusals-carry-the-preview ()
  (agent-q-fs-change-tests--with ws
    (let ((refusal (cdr (should-error (agent-q-fs-delete-file ws "a.txt")
                                      :type 'agent-q-fs-approval-required))))
      (should (eq :dangerous (plist-get refusal :tier)))
      (agent-q-fs-commit ws (plist-get refusal :digest) 'delete_file :path "a.txt")
      (should (equal '(before after) (agent-q-fs-change-tests--words))))))

(ert-deftest agent-q-fs-change/refused-in-the-same-words ()
  "Emacs refuses a plan, for its listeners, in the words of the core."
  (agent-q-fs-change-tests--with ws
    (let* ((refuse (lambda ()
                     (list (agent-q-fs-test-message (agent-q-fs-delete-file ws "a.txt"))
                           (agent-q-fs-test-message
                             (agent-q-fs-commit ws "no" 'delete_file :path "a.txt")))))
           (here (funcall refuse))
           (agent-q-fs-before-change-functions nil)
           (agent-q-fs-after-change-functions nil))
      (should (equal here (funcall refuse)))
      (should (string-prefix-p "Approval is required (dangerous): " (car here)))
      (should (string-prefix-p "What was approved is no longer" (cadr here))))))

(ert-deftest agent-q-fs-change/prevented ()
  (agent-q-fs-change-tests--with ws
    (let ((agent-q-fs-before-change-functions
           (list (lambda (&rest _) (agent-q-fs--fail :denied "Not today")))))
      (should (equal "Not today"
                     (agent-q-fs-test-message
                       (agent-q-fs-edit-file ws "a.txt" :old_str "one" :new_str "1"))))
      (let ((problem (agent-q-fs-change-tests--run
                      ws 'edit_file '(:path "a.txt" :old_str "one" :new_str "1"))))
        (should (eq 'agent-q-fs-denied (car problem)))
        (should (equal "Not today" (plist-get (cdr problem) :message)))))
    (let ((agent-q-fs-before-change-functions (list (lambda (&rest _) (error "Oops")))))
      ;; Nobody denied anything: a job fails with the listener's own error, as a call does.
      (should (equal '(error "Oops")
                     (should-error
                      (agent-q-fs-edit-file ws "a.txt" :old_str "one" :new_str "1"))))
      (should (equal '(error "Oops")
                     (agent-q-fs-change-tests--run
                      ws 'edit_file '(:path "a.txt" :old_str "one" :new_str "1")))))
    (let ((agent-q-fs-before-change-functions (list (lambda (&rest _) (signal 'quit nil)))))
      (should (eq 'agent-q-fs-cancelled
                  (car (agent-q-fs-change-tests--run
                        ws 'edit_file '(:path "a.txt" :old_str "one" :new_str "1"))))))
    (should-not agent-q-fs-change-tests--told)
    (should (equal "one\ntwo\n" (agent-q-fs-change-tests--text "a.txt")))))

(ert-deftest agent-q-fs-change/errors-afterwards-are-only-warned-of ()
  (agent-q-fs-change-tests--with ws
    (let* (warned (others 0)
           (agent-q-fs-after-change-functions
            (list (lambda (&rest _) (error "Oops"))
                  (lambda (&rest _) (signal 'quit nil))
                  (lambda (&rest _) (cl-incf others)))))
      (cl-letf (((symbol-function 'display-warning)
                 (lambda (_type message &rest _) (push message warned))))
        (should (agent-q-fs-edit-file ws "a.txt" :old_str "one" :new_str "1"))
        (should (equal 2 (length warned)))
        (should (string-search "Oops" (cadr warned)))
        (should (plist-get (agent-q-fs-change-tests--run
                            ws 'edit_file '(:path "a.txt" :old_str "two" :new_str "2"))
                           :path)))
      (should (= 2 others))
      (should (equal "1\n2\n" (agent-q-fs-change-tests--text "a.txt"))))))

(ert-deftest agent-q-fs-change/planned-again-when-a-function-changes-the-file ()
  "Without an approval the new plan is committed; an approval becomes stale."
  (agent-q-fs-change-tests--with ws
    (let* ((times 0)
           (agent-q-fs-before-change-functions
            (list (lambda (&rest _)
                    (when (= 1 (cl-incf times))
                      (agent-q-fs-test--write "a.txt" "zero\none\ntwo\n"))))))
      (agent-q-fs-edit-file ws "a.txt" :old_str "one" :new_str "1")
      (should (= 2 times))
      (should (equal "zero\n1\ntwo\n" (agent-q-fs-change-tests--text "a.txt")))
      (setq times 0)
      (agent-q-fs-change-tests--run ws 'edit_file '(:path "a.txt" :old_str "two" :new_str "2"))
      (should (= 2 times))
      (should (equal "zero\none\n2\n" (agent-q-fs-change-tests--text "a.txt")))
      (let ((shown (agent-q-fs-preview ws 'edit_file :path "a.txt" :old_str "one" :new_str "1")))
        (setq times 0)
        (should-error (agent-q-fs-commit ws (plist-get shown :digest)
                                         'edit_file :path "a.txt" :old_str "one" :new_str "1")
                      :type 'agent-q-fs-stale)))))

(ert-deftest agent-q-fs-change/not-planned-for-ever ()
  (agent-q-fs-change-tests--with ws
    (let* ((times 0)
           (agent-q-fs-before-change-functions
            (list (lambda (&rest _)
                    (agent-q-fs-test--write "a.txt" (format "%d\none\n" (cl-incf times)))))))
      (should-error (agent-q-fs-edit-file ws "a.txt" :old_str "one" :new_str "1")
                    :type 'agent-q-fs-stale)
      (should (= times agent-q-fs--tries))
      (setq times 0)
      (should (eq 'agent-q-fs-stale
                  (car (agent-q-fs-change-tests--run
                        ws 'edit_file '(:path "a.txt" :old_str "one" :new_str "1")))))
      (should (= times agent-q-fs--tries))
      (should-not agent-q-fs-change-tests--told))))

(ert-deftest agent-q-fs-change/jobs-tell-as-calls-do ()
  (agent-q-fs-change-tests--with ws
    (let ((reply (agent-q-fs-change-tests--run
                  ws 'edit_file '(:path "a.txt" :old_str "one" :new_str "1"))))
      (should (equal '(before after) (agent-q-fs-change-tests--words)))
      (should (eq reply (nth 3 (car agent-q-fs-change-tests--told)))))
    (setq agent-q-fs-change-tests--told nil)
    (agent-q-fs-change-tests--run ws 'read_file '(:path "a.txt"))
    (agent-q-fs-change-tests--run ws 'delete_file '(:path "a.txt") :preview t)
    (should (eq 'agent-q-fs-approval-required
                (car (agent-q-fs-change-tests--run ws 'delete_file '(:path "a.txt")))))
    (should (eq 'agent-q-fs-stale
                (car (agent-q-fs-change-tests--run ws 'delete_file '(:path "a.txt")
                                                   :authority 'dangerous :digest "no"))))
    (should-not agent-q-fs-change-tests--told)))


;;;; One plan, and one check

(ert-deftest agent-q-fs-change/one-call-where-nobody-listens ()
  (agent-q-fs-change-tests--with ws
    (let ((agent-q-fs-before-change-functions nil)
          (agent-q-fs-after-change-functions nil))
      (should (equal '(nil)
                     (agent-q-fs-test-verbs
                       (agent-q-fs-edit-file ws "a.txt" :old_str "one" :new_str "1"))))
      (should (equal '(nil)
                     (agent-q-fs-test-verbs
                       (agent-q-fs-change-tests--run
                        ws 'edit_file '(:path "a.txt" :old_str "1" :new_str "one"))))))))

(ert-deftest agent-q-fs-change/one-plan-and-one-commit-where-somebody-listens ()
  (agent-q-fs-change-tests--with ws
    (should (equal '(plan commit)
                   (agent-q-fs-test-verbs
                     (agent-q-fs-edit-file ws "a.txt" :old_str "one" :new_str "1"))))
    (should (equal '(plan commit)
                   (agent-q-fs-test-verbs
                     (agent-q-fs-change-tests--run
                      ws 'edit_file '(:path "a.txt" :old_str "1" :new_str "one")))))))

(ert-deftest agent-q-fs-change/a-refusal-is-one-plan ()
  "Nothing is called so that it be refused."
  (agent-q-fs-change-tests--with ws
    (should (equal '(plan)
                   (agent-q-fs-test-verbs
                     (should-error (agent-q-fs-delete-file ws "a.txt")
                                   :type 'agent-q-fs-approval-required))))
    (should (equal '(plan)
                   (agent-q-fs-test-verbs
                     (agent-q-fs-change-tests--run ws 'delete_file '(:path "a.txt")))))))

(ert-deftest agent-q-fs-change/an-approved-change-is-one-plan-and-one-commit ()
  "The core is asked before the hook whether the plan still holds."
  (agent-q-fs-change-tests--with ws
    (dolist (run (list (lambda (digest)
                         (agent-q-fs-commit ws digest 'delete_file :path "a.txt"))
                       (lambda (digest)
                         (agent-q-fs-change-tests--run ws 'delete_file '(:path "a.txt")
                                                       :authority 'dangerous :digest digest))))
      (agent-q-fs-test--write "a.txt" "one\n")
      (setq agent-q-fs-change-tests--told nil)
      (should (equal '(plan check commit)
                     (agent-q-fs-test-verbs
                       (funcall run (plist-get (agent-q-fs-preview ws 'delete_file :path "a.txt")
                                               :digest)))))
      (should-not (file-exists-p "a.txt"))
      (should (equal '(before after) (agent-q-fs-change-tests--words))))))

(ert-deftest agent-q-fs-change/a-diff-that-was-approved-is-not-made-again ()
  "The functions around a change see its diff, unless a person has seen it already."
  (agent-q-fs-change-tests--with ws
    (let* ((arguments '(:path "a.txt" :old_str "one" :new_str "1"))
           (seen nil)
           (agent-q-fs-before-change-functions
            (list (lambda (&rest _) (push (plist-get agent-q-fs-change-shown :diff) seen))))
           (digest (plist-get (apply #'agent-q-fs-preview ws 'edit_file arguments) :digest)))
      (apply #'agent-q-fs-commit ws digest 'edit_file arguments)
      (should (equal '("") seen))
      (agent-q-fs-edit-file ws "a.txt" :old_str "1" :new_str "one")
      (should (string-search "+one" (car seen))))))

(ert-deftest agent-q-fs-change/a-models-approved-call-is-one-plan-and-one-commit ()
  (agent-q-fs-change-tests--with ws
    (let ((agent-q-fs-policy 'always)
          (agent-q-fs-audit-file nil)
          (asked nil))
      (dolist (listening '(t nil))
        (let ((agent-q-fs-before-change-functions
               (and listening agent-q-fs-before-change-functions))
              (agent-q-fs-after-change-functions
               (and listening agent-q-fs-after-change-functions))
              (agent-q-fs-unattended-function
               (lambda (request)
                 (push (agent-q-fs-request-tier request) asked)
                 '(:decision approved))))
          (agent-q-fs-test--write "a.txt" "one\n")
          ;; Without a verb, a call that has a digest is a commit.
          (should (equal (if listening '(plan check commit) '(nil nil))
                         (agent-q-fs-test-verbs
                           (agent-q-fs-call-tool "edit_file" '(:path "a.txt" :old_str "one"
                                                                     :new_str "1")
                                                 ws))))
          (should (equal "1\n" (agent-q-fs-change-tests--text "a.txt")))))
      (should (equal '(cautious cautious) asked)))))

;; A listener may save a person's buffer, so it must not run for what will not be done.

(defun agent-q-fs-change-tests--commits (ws digest)
  "Return functions that delete a.txt in WS as DIGEST says, by a call and by a job.
Each returns the error's symbol, or nil."
  (list (lambda ()
          (car-safe (condition-case problem
                        (ignore (agent-q-fs-commit ws digest 'delete_file :path "a.txt"))
                      (agent-q-fs-error problem))))
        (lambda ()
          (let ((answer (agent-q-fs-change-tests--run ws 'delete_file '(:path "a.txt")
                                                      :authority 'dangerous :digest digest)))
            (and (not (keywordp (car answer))) (car answer))))))

(ert-deftest agent-q-fs-change/nobody-is-told-of-a-stale-approval ()
  "Also where the core still has the plan that was approved."
  (agent-q-fs-change-tests--with ws
    (dolist (n '(0 1))
      (agent-q-fs-test--write "a.txt" "one\n")
      (let ((digest (plist-get (agent-q-fs-preview ws 'delete_file :path "a.txt") :digest)))
        (agent-q-fs-test--write "a.txt" "one\nmine\n")
        (should (eq 'agent-q-fs-stale
                    (funcall (nth n (agent-q-fs-change-tests--commits ws digest)))))
        (should-not agent-q-fs-change-tests--told)
        (should (equal "one\nmine\n" (agent-q-fs-change-tests--text "a.txt")))))))

(ert-deftest agent-q-fs-change/nobody-is-told-of-a-second-commit ()
  (agent-q-fs-change-tests--with ws
    (let* ((digest (plist-get (agent-q-fs-preview ws 'delete_file :path "a.txt") :digest))
           (commits (agent-q-fs-change-tests--commits ws digest)))
      (should-not (funcall (car commits)))
      (should (equal '(before after) (agent-q-fs-change-tests--words)))
      (dolist (commit commits)
        (should (eq 'agent-q-fs-stale (funcall commit))))
      (should (equal '(before after) (agent-q-fs-change-tests--words))))))

(ert-deftest agent-q-fs-change/an-approved-tree-that-a-function-changes-is-stale ()
  "A file that a function of the hook saves in a tree is not deleted or moved unseen."
  (agent-q-fs-change-tests--with ws
    (pcase-dolist (`(,operation . ,arguments)
                   '((delete_file :path "d" :recursive t)
                     (move_file :source "d" :destination "e")
                     (delete_file :path "d/b")))
      (dolist (name '("d/b" "d/new"))
        (unless (equal "d/new" (and (equal "d/b" (plist-get arguments :path)) name))
          (agent-q-fs-test--write "d/b" "b")
          (ignore-errors (delete-file "d/new"))
          (let ((digest (plist-get (apply #'agent-q-fs-preview ws operation arguments) :digest))
                (agent-q-fs-before-change-functions
                 (list (lambda (&rest _) (agent-q-fs-test--write name "saved\n")))))
            (should (equal (list operation name 'agent-q-fs-stale)
                           (list operation name
                                 (car (should-error
                                       (apply #'agent-q-fs-commit ws digest operation arguments)
                                       :type 'agent-q-fs-error)))))
            (should (equal "saved\n" (agent-q-fs-change-tests--text name)))))))))

(ert-deftest agent-q-fs-change/nobody-is-told-of-other-arguments ()
  "An approval is for the arguments that were shown."
  (agent-q-fs-change-tests--with ws
    (let ((digest (plist-get (agent-q-fs-preview ws 'delete_file :path "a.txt") :digest)))
      (should-error (agent-q-fs-commit ws digest 'delete_file :path "d/b")
                    :type 'agent-q-fs-stale)
      (should-not agent-q-fs-change-tests--told)
      (should-not (funcall (car (agent-q-fs-change-tests--commits ws digest)))))))


;;;; Jobs that end while a function of the hook runs

(ert-deftest agent-q-fs-change/a-job-that-is-cancelled-in-the-hook-changes-nothing ()
  (agent-q-fs-change-tests--with ws
    (let* (job
           (agent-q-fs-before-change-functions
            (list (lambda (&rest _) (agent-q-fs-job-cancel job))))
           (running agent-q-fs-job--running)
           ends)
      (dolist (more (list #'ignore
                          (lambda (&rest _) (error "Oops"))
                          (lambda (&rest _) (agent-q-fs--fail :denied "Not today"))))
        (let ((agent-q-fs-before-change-functions
               (append agent-q-fs-before-change-functions (list more))))
          (setq ends nil
                job (agent-q-fs-call-async
                     ws 'edit_file '(:path "a.txt" :old_str "one" :new_str "1")
                     :on-done (lambda (_) (push 'done ends))
                     :on-error (lambda (problem) (push (car problem) ends))))
          (should (eq 'cancelled (agent-q-fs-job-wait job agent-q-fs-test-patience)))
          (accept-process-output nil 0.2)
          (should (equal '(agent-q-fs-cancelled) ends))
          (should (= running agent-q-fs-job--running))
          (should-not agent-q-fs-change-tests--told)
          (should (equal "one\ntwo\n" (agent-q-fs-change-tests--text "a.txt"))))))))

(ert-deftest agent-q-fs-change/paths-become-file-names ()
  (agent-q-fs-test-with-tree (ws '("a" "") '("n\377\"\\q" "x") '("t\ab\n" "x") '("b\"" ""))
    (let ((file-name-handler-alist nil))
      (dolist (path '("a" "b\"" "\"n\\377\\\"\\\\q\"" "t\ab\n" "\"t\\ab\\n\"" "\"t\\007b\\012\""))
        (should (file-exists-p (agent-q-fs-path-name ws path))))
      (should (file-directory-p (agent-q-fs-path-name ws ".")))
      (should (equal "/x/y" (agent-q-fs-path-name ws "/x/y"))))))

(provide 'agent-q-fs-change-tests)
;;; agent-q-fs-change-tests.el ends here
