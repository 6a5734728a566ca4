;;; agent-q-fs-approval-tests.el --- What is approved is what is written  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'agent-q-fs-test-help)
(require 'agent-q-fs-tools)

(defconst agent-q-fs-approval-tests--edit '(edit_file :path "a.txt" :old_str "two" :new_str "2")
  "A call that is cautious.")

(defun agent-q-fs-approval-tests--text (name)
  "Return what the file NAME holds."
  (with-temp-buffer
    (insert-file-contents-literally (expand-file-name name))
    (buffer-string)))

(defmacro agent-q-fs-approval-tests--with (ws &rest body)
  "Run BODY with WS over a tree with a file of three lines."
  (declare (indent 1) (debug (symbolp body)))
  `(let ((agent-q-fs-authority 'cautious)
         (agent-q-fs-state-directory (make-temp-file "aqfs-state-" t)))
     (unwind-protect
         (agent-q-fs-test-with-tree (,ws '("a.txt" "one\ntwo\nthree\n"))
           ,@body)
       (delete-directory agent-q-fs-state-directory t))))

(ert-deftest agent-q-fs-approval/cautious-edits ()
  "What is cautious is done without being approved, and no more than that."
  (agent-q-fs-approval-tests--with ws
    (should (equal "a.txt" (plist-get (apply #'agent-q-fs-call ws agent-q-fs-approval-tests--edit)
                                      :path)))
    (should (equal "one\n2\nthree\n" (agent-q-fs-approval-tests--text "a.txt")))
    (let ((refusal (should-error (agent-q-fs-create-file ws "new" "x")
                                 :type 'agent-q-fs-approval-required)))
      (should (eq :dangerous (plist-get (cdr refusal) :tier)))
      (should (string-search "+x" (plist-get (cdr refusal) :diff))))
    (should-not (file-exists-p "new"))))

(ert-deftest agent-q-fs-approval/safe-changes-nothing ()
  (agent-q-fs-approval-tests--with ws
    (let ((agent-q-fs-authority 'safe))
      (should-error (apply #'agent-q-fs-call ws agent-q-fs-approval-tests--edit)
                    :type 'agent-q-fs-approval-required)
      (should (string-prefix-p "Error: Approval is required (cautious)"
                               (agent-q-fs-call-tool "edit_file"
                                                     (cdr agent-q-fs-approval-tests--edit) ws))))
    (should (equal "one\ntwo\nthree\n" (agent-q-fs-approval-tests--text "a.txt")))))

(ert-deftest agent-q-fs-approval/preview-and-commit ()
  (agent-q-fs-approval-tests--with ws
    (let ((shown (agent-q-fs-preview ws 'create_file :path "d/new" :content "x\n")))
      (should (eq :dangerous (plist-get shown :tier)))
      (should (string-search "+x" (plist-get shown :diff)))
      (should-not (file-exists-p "d"))
      (agent-q-fs-commit ws (plist-get shown :digest) 'create_file :path "d/new" :content "x\n")
      (should (equal "x\n" (agent-q-fs-approval-tests--text "d/new"))))))

(ert-deftest agent-q-fs-approval/refusal-can-be-approved ()
  "The digest that comes with a refusal is what is committed."
  (agent-q-fs-approval-tests--with ws
    (let ((refusal (should-error (agent-q-fs-delete-file ws "a.txt")
                                 :type 'agent-q-fs-approval-required)))
      (agent-q-fs-commit ws (plist-get (cdr refusal) :digest) 'delete_file :path "a.txt")
      (should-not (file-exists-p "a.txt")))))

(ert-deftest agent-q-fs-approval/stale ()
  "Threats 23, 70: neither a file nor an argument may change after the approval."
  (agent-q-fs-approval-tests--with ws
    (let ((digest (plist-get (apply #'agent-q-fs-preview ws agent-q-fs-approval-tests--edit)
                             :digest)))
      (should-error (agent-q-fs-commit ws digest 'edit_file :path "a.txt"
                                       :old_str "two" :new_str "3")
                    :type 'agent-q-fs-stale)
      (should (equal "one\ntwo\nthree\n" (agent-q-fs-approval-tests--text "a.txt")))
      (write-region "theirs\n" nil "a.txt" t 'quiet)
      (should-error (apply #'agent-q-fs-commit ws digest agent-q-fs-approval-tests--edit)
                    :type 'agent-q-fs-stale)
      (should (equal "one\ntwo\nthree\ntheirs\n" (agent-q-fs-approval-tests--text "a.txt"))))))

(ert-deftest agent-q-fs-approval/no-digest-commits-nothing ()
  "Who asks to commit without saying what, commits nothing."
  (agent-q-fs-approval-tests--with ws
    (dolist (digest (list nil "" 5 t :null))
      (should-error (apply #'agent-q-fs-commit ws digest agent-q-fs-approval-tests--edit)
                    :type 'agent-q-fs-error))
    (should (equal "one\ntwo\nthree\n" (agent-q-fs-approval-tests--text "a.txt")))))

(ert-deftest agent-q-fs-approval/strange-authority ()
  (agent-q-fs-approval-tests--with ws
    (dolist (authority (list "root" 'all 5 t '(dangerous)))
      (let ((agent-q-fs-authority authority))
        (should-error (apply #'agent-q-fs-call ws agent-q-fs-approval-tests--edit)
                      :type 'agent-q-fs-invalid-argument)))
    (let ((agent-q-fs-authority nil))
      (should-error (apply #'agent-q-fs-call ws agent-q-fs-approval-tests--edit)
                    :type 'agent-q-fs-approval-required))
    (should (equal "one\ntwo\nthree\n" (agent-q-fs-approval-tests--text "a.txt")))))

(ert-deftest agent-q-fs-approval/edits-in-every-shape ()
  "Lists of edits come as vectors of alists, hash tables or property lists."
  (agent-q-fs-approval-tests--with ws
    (agent-q-fs-call-tool "edit_file" '((path . "a.txt")
                                        (edits . [((old_str . "one") (new_str . "1"))
                                                  ((old_str . "two") (new_str . "2"))]))
                          ws)
    (agent-q-fs-edit-file ws "a.txt" :edits '((:old-str "three" :new-str "3")))
    (should (equal "1\n2\n3\n" (agent-q-fs-approval-tests--text "a.txt")))
    (agent-q-fs-call-tool "edit_file"
                          '(:path "a.txt" :edits "[{\"old_str\":\"3\",\"new_str\":\"III\"}]") ws)
    (should (equal "1\n2\nIII\n" (agent-q-fs-approval-tests--text "a.txt")))))

(ert-deftest agent-q-fs-approval/asynchronous ()
  "Jobs have the same authority, and the same preview and commit."
  (agent-q-fs-approval-tests--with ws
    (let* ((edit agent-q-fs-approval-tests--edit)
           (told nil)
           (run (lambda (&rest how)
                  (setq told nil)
                  (agent-q-fs-job-wait
                   (apply #'agent-q-fs-call-async ws (car edit) (cdr edit)
                          :on-done (lambda (reply) (setq told reply))
                          :on-error (lambda (problem) (setq told problem)) how)
                   10))))
      (should (eq 'failed (funcall run :authority 'safe)))
      (should (eq 'agent-q-fs-approval-required (car told)))
      (should (eq 'done (funcall run :preview t)))
      (let ((digest (plist-get told :digest)))
        (should (equal "one\ntwo\nthree\n" (agent-q-fs-approval-tests--text "a.txt")))
        (should (eq 'failed (funcall run :digest (make-string 32 ?0))))
        (should (eq 'agent-q-fs-stale (car told)))
        (should (eq 'done (funcall run :digest digest))))
      (should (equal "one\n2\nthree\n" (agent-q-fs-approval-tests--text "a.txt"))))))

(ert-deftest agent-q-fs-approval/moving-away-is-protected ()
  "A protected file that is moved away is told as protected, as one that is deleted."
  (agent-q-fs-approval-tests--with ws
    (agent-q-fs-test--write ".envrc" "x\n")
    (let ((protected (lambda (&rest call)
                       (plist-get (car (plist-get (apply #'agent-q-fs-preview ws call) :targets))
                                  :protected))))
      (should (funcall protected 'move_file :source ".envrc" :destination "x"))
      (should (funcall protected 'delete_file :path ".envrc"))
      (should-not (funcall protected 'copy_file :source ".envrc" :destination "x"))
      (should-not (funcall protected 'move_file :source "a.txt" :destination "x")))))

(ert-deftest agent-q-fs-approval/plans-that-walk ()
  "Plans that look at whole trees call Emacs from its own thread only."
  ;; Any other call is the end of an Emacs with -module-assertions.
  (agent-q-fs-approval-tests--with ws
    (dotimes (i 200)
      (make-directory (format "tree/%d/x" i) t))
    (dotimes (_ 20)
      (should (plist-get (agent-q-fs-preview ws 'delete_file :path "tree" :recursive t) :digest))
      (should (plist-get (agent-q-fs-preview ws 'move_file :source "tree" :destination "t") :digest)))
    (let ((agent-q-fs-authority 'dangerous))
      (agent-q-fs-delete-file ws "tree" :recursive t))
    (should-not (file-exists-p "tree"))))

(ert-deftest agent-q-fs-approval/state-directory-is-made ()
  "Where journals are kept need not exist, nor what it is in."
  (agent-q-fs-approval-tests--with _ws
    (let ((agent-q-fs-state-directory (expand-file-name "x/y/z" agent-q-fs-state-directory)))
      (let ((other (agent-q-fs-open :root default-directory)))
        (apply #'agent-q-fs-call other agent-q-fs-approval-tests--edit)
        (agent-q-fs-close other))
      (should (= #o700 (file-modes agent-q-fs-state-directory))))
    (should (equal "one\n2\nthree\n" (agent-q-fs-approval-tests--text "a.txt")))))

(provide 'agent-q-fs-approval-tests)
;;; agent-q-fs-approval-tests.el ends here
