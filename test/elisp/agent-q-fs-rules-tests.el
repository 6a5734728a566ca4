;;; agent-q-fs-rules-tests.el --- Tests of rules that a person writes  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'agent-q-fs-test-help)
(require 'agent-q-fs-approve-tests)
(require 'agent-q-fs-rules)
(require 'agent-q-fs-exec)

(defmacro agent-q-fs-rules-tests--with (ws &rest body)
  "Run BODY with WS, the project of `default-directory', as in a session that keeps rules."
  (declare (indent 1) (debug (symbolp body)))
  `(agent-q-fs-approve-tests--keeping (outer file)
     (ignore outer file)
     (let* ((inhibit-message t)
            (,ws (agent-q-fs-open)))
       (agent-q-fs-found-workspace ,ws)
       (unwind-protect (progn ,@body)
         (agent-q-fs-close ,ws)))))

(defun agent-q-fs-rules-tests--asked (ws tool &rest arguments)
  "Return `asked', `denied' or `done', which a call of TOOL with ARGUMENTS in WS was."
  (setq agent-q-fs-approve-tests--asked nil)
  (let ((answer (agent-q-fs-call-tool tool arguments ws)))
    (cond (agent-q-fs-approve-tests--asked 'asked)
          ((string-search "ruled out before" answer) 'denied)
          ((string-prefix-p "Error" answer) answer)
          (t 'done))))

(defun agent-q-fs-rules-tests--create (ws path)
  "Return what became of a call in WS that creates or replaces PATH."
  (agent-q-fs-rules-tests--asked ws "create_file" :path path :content "x" :allow_overwrite t))

(ert-deftest agent-q-fs-rules/a-glob-approves ()
  "It covers what matches at its canonical place, and nothing else or protected."
  (agent-q-fs-rules-tests--with ws
    (make-directory "docs/deep" t)
    (make-symbolic-link "../d" "docs/out")
    (agent-q-fs-approvals-add 'approve "create_file" "docs/**")
    (dolist (path '("docs/new" "docs/deep/new" "docs/made/on/the/way" "./docs/deep/../new"))
      (should (equal (list path 'done) (list path (agent-q-fs-rules-tests--create ws path)))))
    (dolist (path '("new" "d/new" "docs/out/new" "docsnew" "Docs/new" "docs/.envrc"
                    "docs/\nx/../../new"))
      (should (equal (list path 'asked)
                     (list path (pcase (agent-q-fs-rules-tests--create ws path)
                                  ('done 'done) (_ 'asked))))))
    ;; It is for this tool.
    (should (eq 'asked (agent-q-fs-rules-tests--asked ws "delete_file" :path "docs/new")))
    (agent-q-fs-approvals-add 'approve "create_file" "*.txt")
    (should (eq 'done (agent-q-fs-rules-tests--create ws "top.txt")))
    (should (eq 'asked (agent-q-fs-rules-tests--create ws "d/top.txt")))
    ;; All that a call touches must match.
    (agent-q-fs-approvals-add 'approve "move_file" "docs/**")
    (should (eq 'done (agent-q-fs-rules-tests--asked
                       ws "move_file" :source "docs/new" :destination "docs/newer")))
    (should (eq 'asked (agent-q-fs-rules-tests--asked
                        ws "move_file" :source "docs/newer" :destination "top")))))

(ert-deftest agent-q-fs-rules/a-glob-denies ()
  "It denies what matches by any name, whatever the policy and the approvals are."
  (agent-q-fs-rules-tests--with ws
    (let ((agent-q-fs-policy 'never))
      (make-directory "keys/deep" t)
      (write-region "x" nil "keys/deep/a.key" nil 'quiet)
      (make-symbolic-link "keys/deep/a.key" "innocent")
      (agent-q-fs-approvals-add 'approve "create_file")
      (agent-q-fs-approvals-add 'deny t "keys/**/*.key")
      (dolist (path '("keys/deep/a.key" "keys/deep/b.KEY" "keys/c.key" "innocent"))
        (should (equal (list path 'denied) (list path (agent-q-fs-rules-tests--create ws path)))))
      (should (eq 'done (agent-q-fs-rules-tests--create ws "keys/other")))
      ;; A directory above may hold such files.
      (should (eq 'denied (agent-q-fs-rules-tests--asked
                           ws "delete_file" :path "keys" :recursive t)))
      (should (eq 'denied (agent-q-fs-rules-tests--asked
                           ws "move_file" :source "keys" :destination "d/keys")))
      (should (eq 'done (agent-q-fs-rules-tests--asked
                         ws "delete_file" :path "d" :recursive t))))))

(ert-deftest agent-q-fs-rules/words-of-a-command ()
  (agent-q-fs-rules-tests--with ws
    (skip-unless (agent-q-fs-exec-approve-words "ls -l"))
    (agent-q-fs-approvals-add 'approve "shell" "ls *")
    (agent-q-fs-approvals-add 'approve "shell" "uname -s")
    (agent-q-fs-approvals-add 'deny "shell" "ls secret *")
    (pcase-dolist (`(,command ,outcome)
                   '(("ls" done) ("ls d" done) ("ls d/e" done) ("lsblk" asked) ("ls; id" asked)
                     ("ls $(id)" asked) ("ls > f" asked) ("uname -s" done) ("uname -sr" asked)
                     ("uname -s x" asked) ("uname" asked) ("ls secret" denied)
                     ("ls secret x" denied)))
      (should (equal (list command outcome)
                     (list command (agent-q-fs-rules-tests--asked ws "shell" :command command)))))
    (should (eq 'asked (agent-q-fs-rules-tests--asked ws "exec_command" :cmd "ls")))
    ;; A program that runs other programs makes no rule, and neither do words that name none.
    (dolist (words '("env *" "sh -c *" "sudo *" "no-such-program *" "ls | cat" ""))
      (should-error (agent-q-fs-approvals-add 'approve "shell" words) :type 'user-error))))

(ert-deftest agent-q-fs-rules/written-by-hand ()
  "A person writes the short form; the first call that it covers gives it its scope."
  (agent-q-fs-rules-tests--with ws
    (let* ((file (agent-q-fs-approve-file))
           (root (directory-file-name (expand-file-name default-directory)))
           (write (lambda (&rest rules)
                    (with-temp-file file
                      (dolist (rule rules) (insert (format "%S\n" rule))))
                    (set-file-modes file #o600))))
      (funcall write `(:answer approve :tool "create_file" :glob "docs/**" :root ,root)
               `(:answer deny :tool t :glob "*.key" :root ,root))
      ;; A workspace with options of its own is not meant.
      (let ((other (agent-q-fs-open :root root :allowed_paths (list temporary-file-directory))))
        (should (eq 'asked (agent-q-fs-rules-tests--create other "docs/a")))
        (agent-q-fs-close other))
      (should (eq 'done (agent-q-fs-rules-tests--create ws "docs/a")))
      (should (eq 'denied (agent-q-fs-rules-tests--create ws "a.key")))
      (should (string-match-p ":glob \"docs/\\*\\*\".*:scope (:root"
                              (agent-q-fs-approve-tests--text-of file)))
      (agent-q-fs-approve-tests--later)
      (should (eq 'done (agent-q-fs-rules-tests--create ws "docs/a")))
      ;; A person changes the glob; it counts at once.
      (with-temp-file file
        (insert-file-contents file)
        (while (search-forward "docs/**" nil t) (replace-match "d/**" t t)))
      (set-file-modes file #o600)
      (should (eq 'asked (agent-q-fs-rules-tests--create ws "docs/a")))
      (should (eq 'done (agent-q-fs-rules-tests--create ws "d/a")))
      ;; One fault makes the whole file count for nothing.
      (dolist (wrong `((:answer approve :tool t :root ,root)
                       (:answer approve :tool "create_file" :glob "docs/[ab]" :root ,root)
                       (:answer approve :tool "create_file" :glob "/etc/**" :root ,root)
                       (:answer approve :tool "create_file" :glob ["x"] :root ,root)
                       (:answer approve :tool "create_file" :root "relative")
                       (:answer approve :tool "create_file")
                       (:answer maybe :tool "create_file" :root ,root)
                       (:answer approve :tool "create_file" :globs "**" :root ,root)
                       (:answer approve :tool "create_file" :root ,root :glob)
                       "text"))
        (funcall write `(:answer approve :tool "create_file" :root ,root) wrong)
        (ert-info ((format "%S" wrong))
          (should (eq 'asked (agent-q-fs-rules-tests--create ws "docs/a")))
          (should (string-search "line 2" agent-q-fs-approve--broken)))))))

(ert-deftest agent-q-fs-rules/why-one-does-not-count ()
  "The list says of each rule whether it counts, and why not."
  (agent-q-fs-rules-tests--with ws
    (let ((counts (lambda () (mapcar (lambda (row) (substring-no-properties
                                                    (aref (cadr row) 5)))
                                     (agent-q-fs-approvals--entries)))))
      (agent-q-fs-approvals-add 'approve "create_file" "docs/**")
      (should (equal '("yes, kept") (funcall counts)))
      (should (eq 'done (agent-q-fs-rules-tests--create ws "docs/a")))
      (should (equal '("yes, kept") (funcall counts)))
      (let ((agent-q-fs-exec-isolation 'bubblewrap))
        (should (equal '("no: the project is open with another isolation") (funcall counts))))
      (let* ((root (directory-file-name default-directory)) (away (concat root "-away")))
        (rename-file root away)
        (unwind-protect
            (progn
              (should (equal '("no: the project is gone") (funcall counts)))
              (make-directory root)
              (should (equal '("no: another directory is in its place") (funcall counts)))
              (delete-directory root))
          (rename-file away root)))
      (let ((program (concat (file-name-as-directory agent-q-fs-state-directory) "bin/mine")))
        (make-directory (file-name-directory program))
        (copy-file "/bin/true" program)
        (let ((exec-path (cons (file-name-directory program) exec-path))
              (process-environment
               (cons (concat "PATH=" (file-name-directory program) ":" (getenv "PATH"))
                     process-environment)))
          (when (agent-q-fs-exec-approve-words "mine")
            (agent-q-fs-approvals-add 'approve "shell" "mine *")
            (should (eq 'done (agent-q-fs-rules-tests--asked ws "shell" :command "mine x")))
            (write-region "\n" nil program t 'quiet)
            (should (string-prefix-p "no: mine has changed" (car (funcall counts))))
            (should (eq 'asked (agent-q-fs-rules-tests--asked
                                ws "shell" :command "mine x")))))))))

(ert-deftest agent-q-fs-rules/what-waits-is-told ()
  "Adding, revoking and saving the file run the hook."
  (agent-q-fs-rules-tests--with ws
    (ignore ws)
    (let* ((told nil)
           (agent-q-fs-rules-changed-hook (list (lambda () (setq told t))))
           (tells (lambda (function)
                    (cancel-function-timers #'run-hooks)
                    (setq told nil)
                    (funcall function)
                    (agent-q-fs-test-until told))))
      (funcall tells (lambda () (agent-q-fs-approvals-add 'approve "create_file" "docs/**")))
      (funcall tells (lambda ()
                       (save-window-excursion
                         (agent-q-fs-approvals-edit)
                         (goto-char (point-max))
                         (insert "\n")
                         (let ((make-backup-files nil)) (save-buffer))
                         (kill-buffer))))
      (should (= 1 (length (agent-q-fs-approve-rules))))
      (funcall tells (lambda () (agent-q-fs-approve-forget (car (agent-q-fs-approve-rules)))))
      (should-not (agent-q-fs-approve-rules)))))

(provide 'agent-q-fs-rules-tests)
;;; agent-q-fs-rules-tests.el ends here
