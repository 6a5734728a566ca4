;;; agent-q-fs-secret-tests.el --- Tests of what a model reads of secrets  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Which places are secret is in test/conformance/cases/secrets.sexp.  Here a model calls,
;; and a person is asked by `agent-q-fs-approval-function'.

;;; Code:

(require 'agent-q-fs-test-help)
(require 'agent-q-fs-approve)
(require 'agent-q-fs-job)
(require 'agent-q-fs-rpc)
(require 'agent-q-fs-show)
(require 'agent-q-fs-spec)
(require 'agent-q-fs-tools)

(declare-function gptel-tool-function "ext:gptel-request" (tool))
(declare-function gptel-tool-name "ext:gptel-request" (tool))

(defvar agent-q-fs-secret-tests--asked nil
  "The requests that somebody was asked about, the latest first.")

(defmacro agent-q-fs-secret-tests--with (ws answer &rest body)
  "Run BODY with WS over a tree of secrets, where a person answers ANSWER.
That is a decision or a function that returns one."
  (declare (indent 2) (debug (symbolp form body)))
  `(let* ((agent-q-fs-approve--rules nil)
          (agent-q-fs-audit-file nil)
          (agent-q-fs-secret-tests--asked nil)
          (answer ,answer))
     (let ((agent-q-fs-policy 'tiered)
           (agent-q-fs-approval-function
            (lambda (request callback)
              (push request agent-q-fs-secret-tests--asked)
              (funcall callback (if (functionp answer) (funcall answer request) answer)))))
       (cl-letf (((symbol-function 'agent-q-fs-approve-unattended-p) #'ignore))
         (agent-q-fs-test-with-tree (,ws '(".env" "A=TOPSECRET\nB=1\n") '(".env.example" "A=OPEN\n")
                                         '(".aws/credentials" "TOPSECRET\n") '("a.txt" "OPEN\n"))
           ,@body)))))

(defconst agent-q-fs-secret-tests--calls
  '(("read_file" :path ".env") ("read_file" :path ".ENV/../.env")
    ("read_bytes" :path ".env") ("read_bytes" :path ".aws/credentials")
    ("grep_files" :pattern "A=(.*)") ("grep_files" :pattern "." :path ".env")
    ("grep_files" :pattern "." :path ".aws") ("grep_files" :pattern "T" :context 3)
    ("get_file_info" :path ".env") ("search_files" :pattern "**") ("directory_tree")
    ("edit_file" :path ".env" :old_str "A=TOPSECREX" :new_str "x")
    ("edit_file" :path ".env" :old_str "B=1" :new_str "x")
    ("edit_file" :path ".env" :edits [(:old_str "=" :new_str "x")])
    ("insert_at_line" :path ".env" :line 1 :content "x")
    ("apply_patch" :patch "--- a/.env\n+++ b/.env\n@@ -1,2 +1,2 @@\n A=T\n-B=1\n+B=2\n")
    ("apply_patch" :patch "*** Begin Patch\n*** Update File: .env\n@@\n-B=1\n+B=2\n*** End Patch\n")
    ("copy_file" :source ".env" :destination "x") ("move_file" :source ".env" :destination "x")
    ("move_file" :source ".aws" :destination "x") ("delete_file" :path ".env")
    ("write_file" :path ".env" :content "x") ("write_file" :path ".env" :content "x" :mode "append"))
  "Calls that might tell what is in a secret.")

(defun agent-q-fs-secret-tests--tells-p (text)
  "Return non-nil if TEXT tells a word of a secret, in plain or as base64."
  (or (string-search "TOPSECRET" text)
      (string-search (substring (base64-encode-string "A=TOPSECRET") 0 10) text)
      (string-search (substring (base64-encode-string "TOPSECRET") 0 10) text)))

(ert-deftest agent-q-fs-secret/nothing-is-told-unasked ()
  "Threat 152: no reply to a model has a word of a secret that nobody gave it."
  (dolist (decision '((:decision denied) (:decision denied :reason "No")))
    (agent-q-fs-secret-tests--with ws decision
      (pcase-dolist (`(,name . ,arguments) agent-q-fs-secret-tests--calls)
        (ert-info ((format "%s %S" name arguments))
          (should-not (agent-q-fs-secret-tests--tells-p
                       (agent-q-fs-call-tool name arguments ws))))))))

(ert-deftest agent-q-fs-secret/nothing-is-told-where-nobody-is ()
  "Threat 152: without anybody to ask, right and wrong guesses are told the same."
  (agent-q-fs-secret-tests--with ws '(:decision denied)
    (cl-letf (((symbol-function 'agent-q-fs-approve-unattended-p) #'always))
      (pcase-dolist (`(,name . ,arguments) agent-q-fs-secret-tests--calls)
        (ert-info ((format "%s %S" name arguments))
          (should-not (agent-q-fs-secret-tests--tells-p
                       (agent-q-fs-call-tool name arguments ws)))))
      (let ((edit (lambda (old)
                    (agent-q-fs-call-tool
                     "edit_file" (list :path ".env" :old_str old :new_str "x") ws))))
        (should (equal (funcall edit "A=TOPSECRET") (funcall edit "A=WRONG")))
        (should (equal (funcall edit "A=TOPSECRET") (funcall edit "=")))
        (should (string-search "nobody here" (funcall edit "=")))))))

(defun agent-q-fs-secret-tests--lisp (ws name arguments &rest how)
  "Return what a connected Lisp is answered that calls NAME in WS.
ARGUMENTS and HOW are data that it sends."
  (let ((agent-q-fs-workspace ws)
        (lisp (make-pipe-process :name "lisp" :noquery t))
        answer)
    (unwind-protect
        (progn
          (agent-q-fs-rpc--serve (format "%S" `(agent-q-fs-rpc ,name ',arguments ',how))
                                 lisp (lambda (value) (setq answer (cadr value))))
          (agent-q-fs-test-until answer)
          (format "%s" answer))
      (delete-process lisp))))

(defconst agent-q-fs-secret-tests--hows
  '((:data t) (:data t :authority "dangerous") (:data t :verb "plan")
    (:data t :verb "plan" :authority "cautious") (:data t :verb "plan" :authority "dangerous"))
  "How a program in Lisp may say that a call is to be made.")

(ert-deftest agent-q-fs-secret/programs-in-lisp ()
  "Threat 152: a connected Lisp that is not trusted is told no more than a model."
  (agent-q-fs-secret-tests--with ws '(:decision denied)
    (let ((agent-q-fs-rpc-trust nil))
      (dolist (how agent-q-fs-secret-tests--hows)
        (pcase-dolist (`(,name . ,arguments) agent-q-fs-secret-tests--calls)
          (ert-info ((format "%s %S %S" name arguments how))
            (should-not (agent-q-fs-secret-tests--tells-p
                         (apply #'agent-q-fs-secret-tests--lisp ws name
                                (cl-loop for (key value) on arguments by #'cddr
                                         append (list (substring (symbol-name key) 1)
                                                       (if (vectorp value) (append value nil) value)))
                                how)))))))
    (should (string-search "OPEN" (agent-q-fs-secret-tests--lisp
                                   ws "read_file" '("path" "a.txt") :data t)))))

(ert-deftest agent-q-fs-secret/programs-in-lisp-may-be-given ()
  "A person's yes, and trust, give a secret to a program in Lisp."
  (agent-q-fs-secret-tests--with ws '(:decision approved)
    (let ((read (lambda (&rest how)
                  (apply #'agent-q-fs-secret-tests--lisp ws "read_file" '("path" ".env")
                         :data t how))))
      (should-not (agent-q-fs-secret-tests--tells-p (funcall read)))
      (should-not agent-q-fs-secret-tests--asked)
      (should (agent-q-fs-secret-tests--tells-p (funcall read :authority "dangerous")))
      (should (= 1 (length agent-q-fs-secret-tests--asked)))
      (let ((agent-q-fs-rpc-trust '(authority)))
        (should (agent-q-fs-secret-tests--tells-p (funcall read)))
        (should (= 1 (length agent-q-fs-secret-tests--asked)))))))

(ert-deftest agent-q-fs-secret/a-person-is-asked-by-name ()
  "The question names the file and why it is secret; a yes gives the file to the model."
  (agent-q-fs-secret-tests--with ws '(:decision approved)
    (should (equal "A=TOPSECRET\nB=1\n" (agent-q-fs-call-tool "read_file" '(:path ".env") ws)))
    (let ((request (car agent-q-fs-secret-tests--asked)))
      (should (equal "read_file: .env (1 secret)" (agent-q-fs-request-summary request)))
      (should (eq 'dangerous (agent-q-fs-request-tier request)))
      (should (string-search "read .env   SECRET.  Environments: "
                             (agent-q-fs-show--target
                              (car (agent-q-fs-request-targets request))))))
    (agent-q-fs-call-tool "read_file" '(:path ".env.example") ws)
    (agent-q-fs-call-tool "grep_files" '(:pattern "x") ws)
    (should (= 1 (length agent-q-fs-secret-tests--asked)))))

(ert-deftest agent-q-fs-secret/programs-are-not-asked ()
  "A program's own call, and a person's, reads what it asks for."
  (agent-q-fs-secret-tests--with ws '(:decision denied)
    (should (equal "A=TOPSECRET\nB=1\n" (plist-get (agent-q-fs-read-file ws ".env") :content)))
    (should (= 2 (plist-get (agent-q-fs-call ws 'grep_files :pattern "TOPSECRET") :total)))
    (should (equal "A=TOPSECRET\nB=1\n"
                   (agent-q-fs-call-tool-as-person "read_file" '(:path ".env") ws)))
    (should-not agent-q-fs-secret-tests--asked)))

(ert-deftest agent-q-fs-secret/policies ()
  "Under `read-only' no secret is read; under `never' nothing is asked."
  (agent-q-fs-secret-tests--with ws '(:decision approved)
    (pcase-dolist (`(,policy ,asked ,text)
                   '((read-only nil "The policy is read-only: read_file was not done, as it reads a secret")
                     (never nil "A=TOPSECRET") (always t "A=TOPSECRET") (edits t "A=TOPSECRET")))
      (let ((agent-q-fs-policy policy))
        (setq agent-q-fs-secret-tests--asked nil)
        (should (string-search text (agent-q-fs-call-tool "read_file" '(:path ".env") ws)))
        (should (eq asked (and agent-q-fs-secret-tests--asked t)))))))

(defun agent-q-fs-secret-tests--remember (request)
  "Approve of REQUEST and of those like it."
  (agent-q-fs-approve-remember 'approve request nil (car (agent-q-fs-request-likes request)))
  '(:decision approved))

(ert-deftest agent-q-fs-secret/an-approval-is-remembered-for-that-secret ()
  "Neither other secrets nor other tools are covered, nor by an approval of other files."
  (agent-q-fs-secret-tests--with ws #'agent-q-fs-secret-tests--remember
    (let ((asked (lambda (name &rest arguments)
                   (setq agent-q-fs-secret-tests--asked nil)
                   (agent-q-fs-call-tool name arguments ws)
                   (and agent-q-fs-secret-tests--asked t))))
      (make-symbolic-link ".env" "link")
      (should (funcall asked "read_file" :path ".env"))
      (should-not (funcall asked "read_file" :path ".env"))
      (should-not (funcall asked "read_file" :path "link"))
      (should (funcall asked "read_file" :path ".aws/credentials"))
      (should (funcall asked "read_bytes" :path ".env"))
      (should (funcall asked "copy_file" :source "a.txt" :destination "b.txt"))
      (should-not (funcall asked "copy_file" :source "a.txt" :destination "c.txt"))
      (should (funcall asked "copy_file" :source ".env" :destination "d.txt"))
      (should-not (funcall asked "copy_file" :source "a.txt" :destination "e.txt")))))

(ert-deftest agent-q-fs-secret/denials-cover-reading ()
  "A directory that is denied to all tools is denied to one that reads its secrets."
  (agent-q-fs-secret-tests--with ws '(:decision approved)
    (let ((agent-q-fs-denied '((t . ".aws"))))
      (should (string-prefix-p "Error: The user denied read_file"
                               (agent-q-fs-call-tool "read_file" '(:path ".aws/credentials") ws)))
      (should-not agent-q-fs-secret-tests--asked))))

(ert-deftest agent-q-fs-secret/approved-is-what-was-shown ()
  "Threat 152: another secret under the name by the time of the answer is not read."
  (agent-q-fs-secret-tests--with ws (lambda (_)
                                      (delete-file "link")
                                      (make-symbolic-link ".aws/credentials" "link")
                                      '(:decision approved))
    (make-symbolic-link ".env" "link")
    (let ((text (agent-q-fs-call-tool "read_file" '(:path "link") ws)))
      (should (string-prefix-p "Error: What was approved is no longer" text)))))

(ert-deftest agent-q-fs-secret/edited-arguments ()
  "A person may have another file read instead, secret or not."
  (dolist (other '((".env.example" . "A=OPEN") (".aws/credentials" . "TOPSECRET")))
    (agent-q-fs-secret-tests--with ws
        (lambda (request)
          (list :decision 'edited
                :commit (funcall (agent-q-fs-request-remake request) "read_file"
                                 (list :path (car other)))))
      (should (string-search (cdr other)
                             (agent-q-fs-call-tool "read_file" '(:path ".env") ws))))))

(ert-deftest agent-q-fs-secret/without-waiting ()
  "A search that does not wait leaves secrets out, and asks about a secret directory."
  (agent-q-fs-secret-tests--with ws '(:decision approved)
    (let (text)
      (agent-q-fs-call-tool-async "grep_files" '(:pattern "TOPSECRET")
                                  (lambda (answer) (setq text answer)) ws)
      (agent-q-fs-test-until text)
      (should (string-search "[2 secret files were not searched]" text))
      (should-not agent-q-fs-secret-tests--asked)
      (setq text nil)
      (agent-q-fs-call-tool-async "grep_files" '(:pattern "TOPSECRET" :path ".aws")
                                  (lambda (answer) (setq text answer)) ws)
      (agent-q-fs-test-until text)
      (should (string-search "credentials:1:TOPSECRET" text))
      (should (= 1 (length agent-q-fs-secret-tests--asked))))))

(ert-deftest agent-q-fs-secret/snapshots-keep-and-do-not-show ()
  "Threat 152: a comparison names a secret that differs, and has none of its lines."
  (agent-q-fs-secret-tests--with ws '(:decision denied)
    (add-name-to-file ".env" "twin.txt")
    (let ((id (plist-get (agent-q-fs-call ws 'snapshot_create) :id)))
      (with-temp-file ".env" (insert "A=TOPSECRET\nB=2\n"))
      (with-temp-file "a.txt" (insert "CHANGED\n"))
      (delete-file "twin.txt")
      (add-name-to-file ".env" "twin.txt")
      (let ((text (agent-q-fs-call-tool "snapshot_diff" (list :id id) ws)))
        (should (string-search "Secret file .env differs, and its lines are not shown" text))
        (should (string-search "Secret file twin.txt differs" text))
        (should (string-search "+CHANGED" text))
        (should-not (agent-q-fs-secret-tests--tells-p text)))
      (should (string-search "TOPSECRET" (plist-get (agent-q-fs-call ws 'snapshot_diff :id id)
                                                    :diff)))
      (should (string-prefix-p "Error: The user denied"
                               (agent-q-fs-call-tool "snapshot_restore" (list :id id) ws))))))

(ert-deftest agent-q-fs-secret/reviews-do-not-show ()
  "Threat 152: what calls have changed in a secret is named to a model, without its lines."
  (agent-q-fs-secret-tests--with ws '(:decision approved)
    (agent-q-fs-call-tool "edit_file" '(:path ".env" :old_str "B=1" :new_str "B=2") ws)
    (agent-q-fs-call-tool "edit_file" '(:path "a.txt" :old_str "OPEN" :new_str "CHANGED") ws)
    (let ((text (agent-q-fs-call-tool "changes_diff" nil ws)))
      (should (string-search ".env: modified; a secret, whose lines are not shown" text))
      (should (string-search "+CHANGED" text))
      (should-not (agent-q-fs-secret-tests--tells-p text)))
    (should (string-search "TOPSECRET" (plist-get (agent-q-fs-call ws 'changes_diff) :text)))))

(ert-deftest agent-q-fs-secret/gptel ()
  "Threat 152: gptel's own function of the tool asks, and does not wait for the answer."
  (unless (and (locate-library "gptel") (require 'gptel nil t))
    (ert-skip "There is no gptel"))
  (agent-q-fs-secret-tests--with ws '(:decision denied)
    (let* ((agent-q-fs-workspace ws)
           (tool (seq-find (lambda (tool) (equal "read_file" (gptel-tool-name tool)))
                           (agent-q-fs-gptel-setup "agent-q")))
           decide text)
      (let ((agent-q-fs-approval-function (lambda (_ callback) (setq decide callback))))
        (funcall (gptel-tool-function tool) (lambda (answer) (setq text answer)) ".env")
        (agent-q-fs-test-until decide)
        (should-not text)
        (funcall decide '(:decision denied))
        (agent-q-fs-test-until text)
        (should (string-prefix-p "Error: The user denied read_file" text))))))

(provide 'agent-q-fs-secret-tests)
;;; agent-q-fs-secret-tests.el ends here
