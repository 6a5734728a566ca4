;;; agent-q-fs-approve-tests.el --- Tests of approvals  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'agent-q-fs-test-help)
(require 'agent-q-fs-log)
(require 'agent-q-fs-prompt)
(require 'agent-q-fs-prompt)
(require 'agent-q-fs-rpc)
(require 'agent-q-fs-sly)
(require 'agent-q-fs-show)
(require 'agent-q-fs-tools)

(defvar agent-q-fs-approve-tests--asked nil
  "The requests that somebody was asked about, latest first.")

(defmacro agent-q-fs-approve-tests--with (ws decision &rest body)
  "Run BODY with WS over a small tree, where a person answers DECISION."
  (declare (indent 2) (debug (symbolp form body)))
  `(let* ((agent-q-fs-approve--rules nil)
          (agent-q-fs-approve-tests--asked nil)
          (agent-q-fs-audit-file nil)
          (decision ,decision)
          (agent-q-fs-unattended-function
           (lambda (request)
             (push request agent-q-fs-approve-tests--asked)
             (if (functionp decision) (funcall decision request) decision))))
     (agent-q-fs-test-with-tree (,ws '("a" "one\n") '("d/b" "one\n") '("d/e/c" "one\n")
                                     '(".envrc" "one\n"))
       (make-symbolic-link "d/b" "link")
       ,@body)))

(defun agent-q-fs-approve-tests--edit (ws path)
  "Change a line of PATH in WS and back; return whether that was done."
  (let ((answer (agent-q-fs-call-tool "edit_file" `(:path ,path :old_str "one" :new_str "1") ws)))
    (agent-q-fs-edit-file-back ws path)
    (not (string-prefix-p "Error" answer))))

(defun agent-q-fs-edit-file-back (ws path)
  "Undo the edit of PATH in WS by `agent-q-fs-approve-tests--edit'."
  (let ((agent-q-fs-authority 'dangerous) (agent-q-fs-event-functions nil))
    (ignore-errors (agent-q-fs-edit-file ws path :old_str "1" :new_str "one"))))

(defun agent-q-fs-approve-tests--create (ws path)
  "Create PATH in WS; return whether that was done."
  (not (string-prefix-p "Error" (agent-q-fs-call-tool
                                 "create_file" `(:path ,path :content "x" :allow_overwrite t) ws))))

(ert-deftest agent-q-fs-policy/what-is-asked ()
  "Each policy asks about, makes and refuses the calls that its documentation names."
  (pcase-dolist (`(,policy ,edit ,create ,envrc)
                 '((tiered nil t t) (always t t t) (never nil nil nil) (nonsense t t t)))
    (agent-q-fs-approve-tests--with ws '(:decision approved)
      (let* ((agent-q-fs-policy policy)
             (asked (lambda (function &rest arguments)
                      (setq agent-q-fs-approve-tests--asked nil)
                      (should (apply function ws arguments))
                      (and agent-q-fs-approve-tests--asked t))))
        (should-not (string-prefix-p "Error" (agent-q-fs-call-tool "read_file" '(:path "a") ws)))
        (should (eq edit (funcall asked #'agent-q-fs-approve-tests--edit "a")))
        (should (eq create (funcall asked #'agent-q-fs-approve-tests--create "new")))
        (should (eq envrc (funcall asked #'agent-q-fs-approve-tests--edit ".envrc"))))))
  (agent-q-fs-approve-tests--with ws '(:decision approved)
    (let ((agent-q-fs-policy 'read-only))
      (should (equal "one\n" (agent-q-fs-call-tool "read_file" '(:path "a") ws)))
      (should (equal "Error: The policy is read-only: edit_file was not done"
                     (agent-q-fs-call-tool "edit_file" '(:path "a" :old_str "one" :new_str "1") ws)))
      (should-not (agent-q-fs-approve-tests--create ws "new"))
      (should-not agent-q-fs-approve-tests--asked))))

(defun agent-q-fs-approve-tests--patch (&rest lines)
  "Return a call of apply_patch with LINES."
  (list "apply_patch" :patch (concat (string-join lines "\n") "\n")))

(defun agent-q-fs-approve-tests--envelope (&rest lines)
  "Return a call of apply_patch with an envelope of LINES."
  (apply #'agent-q-fs-approve-tests--patch
         (append '("*** Begin Patch") lines '("*** End Patch"))))

(defconst agent-q-fs-approve-tests--calls
  `(("Reading is not asked about" nil nil
     ("read_file" :path "a") ("grep_files" :pattern "one"))
    ("neither is changing the bytes of a file that is there" nil nil
     ("edit_file" :path "a" :old_str "one" :new_str "1")
     ("insert_at_line" :path "link" :line 0 :content "1")
     ,(agent-q-fs-approve-tests--envelope "*** Update File: a" "@@" "-one" "+1"))
    ("creating" t nil
     ("create_file" :path "new" :content "x") ("make_directory" :path "z")
     ("copy_file" :source "a" :destination "new")
     ,(agent-q-fs-approve-tests--envelope "*** Add File: z/new" "+x")
     ,(agent-q-fs-approve-tests--patch "diff --git a/a b/new" "copy from a" "copy to new"))
    ("replacing" t t
     ("write_file" :path "a" :content "x") ("copy_file" :source "a" :destination "d/b"
                                            :allow_overwrite t))
    ("moving" t t
     ("move_file" :source "a" :destination "new")
     ,(agent-q-fs-approve-tests--patch "diff --git a/a b/new" "rename from a" "rename to new"))
    ("deleting" t t
     ("delete_file" :path "a") ,(agent-q-fs-approve-tests--envelope "*** Delete File: a"))
    ("in patches too" t t ; one part of many is enough
     ,(agent-q-fs-approve-tests--envelope "*** Update File: d/b" "@@" "-one" "+1"
                                          "*** Delete File: a"))
    ("changing a mode" t t
     ,(agent-q-fs-approve-tests--patch "diff --git a/a b/a" "old mode 100644" "new mode 100755")
     ,(agent-q-fs-approve-tests--patch "diff --git a/run b/run" "old mode 100755" "new mode 100644"))
    ("touching a file that other programs obey" t t
     ("edit_file" :path ".envrc" :old_str "one" :new_str "1")
     ("create_file" :path "z/.dir-locals.el" :content "x")
     ("copy_file" :source "a" :destination "d/.envrc")
     ,(agent-q-fs-approve-tests--envelope "*** Add File: d/e/.sbclrc" "+x"))
    ("or that git ignores" t t
     ("edit_file" :path "x.o" :old_str "one" :new_str "1")
     ("create_file" :path "d/shadow.o" :content "x")
     ("copy_file" :source "a" :destination "out/new")
     ,(agent-q-fs-approve-tests--envelope "*** Add File: out/deep/new" "+x")
     ;; A file that hides itself, and all that is made beside it.
     ("create_file" :path "d/.gitignore" :content "*")
     ("edit_file" :path ".gitignore" :old_str "*.o" :new_str ""))
    ("not executable" t t
     ("copy_file" :source "run" :destination "new")
     ,(agent-q-fs-approve-tests--patch "diff --git a/new b/new" "new file mode 100755"
                                       "--- /dev/null" "+++ b/new" "@@ -0,0 +1 @@" "+x")
     ,(agent-q-fs-approve-tests--patch "diff --git a/run b/new" "copy from run" "copy to new")))
  "What `agent-q-fs-policy' says, and calls to show it.
Each element is (WORDS TIERED EDITS CALL...): whether the calls are asked
about with those two policies.")

(ert-deftest agent-q-fs-policy/asks-what-its-documentation-says ()
  "The words of `agent-q-fs-policy' are true, one by one, of calls of many tools."
  (let ((documentation (replace-regexp-in-string
                        "[ \n]+" " " (documentation-property 'agent-q-fs-policy
                                                             'variable-documentation))))
    (pcase-dolist (`(,words ,tiered ,edits . ,calls) agent-q-fs-approve-tests--calls)
      (should (string-search words documentation))
      (pcase-dolist (`(,policy ,expected)
                     `((tiered ,tiered) (edits ,edits) (never nil)
                       (always ,(not (equal words "Reading is not asked about")))))
        (dolist (call calls)
          (agent-q-fs-approve-tests--with ws '(:decision denied)
            (agent-q-fs-test--write ".gitignore" "*.o\n/out/\n")
            (agent-q-fs-test--write "x.o" "one\n")
            (agent-q-fs-test--write "run" "one\n")
            (set-file-modes "run" #o755)
            (let* ((agent-q-fs-policy policy)
                   (answer (agent-q-fs-call-tool (car call) (cdr call) ws)))
              (ert-info ((format "%s: %S: %s" policy call answer))
                (should (eq expected (and agent-q-fs-approve-tests--asked t)))
                (should (eq expected (string-prefix-p "Error: The user denied" answer)))
                (should (eq expected (string-prefix-p "Error" answer)))))))))))

(ert-deftest agent-q-fs-policy/says-why ()
  "The person sees why it is asked: obeyed by others, hidden from git, to be executed."
  (agent-q-fs-approve-tests--with ws '(:decision denied)
    (agent-q-fs-test--write ".gitignore" "*.o\n")
    (pcase-dolist (`(,word . ,call)
                   `(("PROTECTED" "create_file" :path ".envrc" :content "x" :allow_overwrite t)
                     ("IGNORED" "create_file" :path "x.o" :content "x")
                     ("EXECUTABLE" ,@(agent-q-fs-approve-tests--patch
                                      "diff --git a/a b/a" "old mode 100644" "new mode 100755"))))
      (agent-q-fs-call-tool (car call) (cdr call) ws)
      (let ((buffer (agent-q-fs-show-buffer (car agent-q-fs-approve-tests--asked))))
        (unwind-protect
            (should (string-search word (with-current-buffer buffer (buffer-string))))
          (kill-buffer buffer))))))

(ert-deftest agent-q-fs-policy/no-compiled-file-is-planted ()
  "A file that Emacs loads in place of a source is not made unasked, though git ignores it."
  (dolist (policy '(tiered edits))
    (agent-q-fs-approve-tests--with ws '(:decision denied)
      (agent-q-fs-test--write ".gitignore" "*.elc\n")
      (agent-q-fs-test--write "agent-q-fs-shown.el" "(provide 'agent-q-fs-shown)\n")
      (let ((agent-q-fs-policy policy)
            (planted "(setq agent-q-fs-policy 'planted)"))
        (dolist (call `(("create_file" :path "agent-q-fs-shown.elc" :content ,planted)
                        ("write_bytes" :path "agent-q-fs-shown.elc" :content "AAEC")
                        ("copy_file" :source "a" :destination "agent-q-fs-shown.elc")
                        ,(agent-q-fs-approve-tests--envelope
                          "*** Add File: agent-q-fs-shown.elc" (concat "+" planted))))
          (agent-q-fs-call-tool (car call) (cdr call) ws))
        (should-not (file-exists-p "agent-q-fs-shown.elc"))
        (should (= 4 (length agent-q-fs-approve-tests--asked)))
        (load (expand-file-name "agent-q-fs-shown") nil t)
        (should (eq policy agent-q-fs-policy))))))

(ert-deftest agent-q-fs-policy/no-answer-denies ()
  "A missing or senseless decision is not an approval."
  (dolist (decision (list nil '(:decision nil) '(:decision yes) '(:decision denied) '(t)))
    (agent-q-fs-approve-tests--with ws decision
      (should-not (agent-q-fs-approve-tests--create ws "new"))
      (should-not (file-exists-p "new"))))
  (agent-q-fs-approve-tests--with ws (lambda (_) (error "Broken"))
    (should (equal "Error: Broken" (agent-q-fs-call-tool "delete_file" '(:path "a") ws)))))

(ert-deftest agent-q-fs-approve/changed-meanwhile ()
  "Threat 70: a change of the file while the person thinks makes the approval stale."
  (let ((arguments (list :path "a" :content "x\n" :allow_overwrite t)))
    (agent-q-fs-approve-tests--with ws (lambda (_)
                                         (write-region "theirs\n" nil "a" nil 'quiet)
                                         '(:decision approved))
      (should (string-prefix-p "Error: What was approved"
                               (agent-q-fs-call-tool "create_file" arguments ws)))
      (should (equal "theirs\n" (agent-q-fs-call-tool "read_file" '(:path "a") ws))))
    (agent-q-fs-approve-tests--with ws (lambda (_)
                                         (aset (plist-get arguments :content) 0 ?y)
                                         '(:decision approved))
      (agent-q-fs-call-tool "create_file" arguments ws)
      (should (equal "one\n" (agent-q-fs-call-tool "read_file" '(:path "a") ws))))))

(ert-deftest agent-q-fs-approve/remembered ()
  "An approval covers its tool, tier, project and directory, and no protected file."
  (agent-q-fs-approve-tests--with ws '(:decision denied)
    (agent-q-fs-approve-tests--create ws "d/x")
    (agent-q-fs-approve-remember 'approve (car agent-q-fs-approve-tests--asked) "d")
    (should (agent-q-fs-approve-tests--create ws "d/x"))
    (should (agent-q-fs-approve-tests--create ws "d/e/f/x"))
    (should-not (agent-q-fs-approve-tests--create ws "x"))
    (should-not (agent-q-fs-approve-tests--create ws "da"))
    (should-not (agent-q-fs-approve-tests--create ws "d/../x"))
    (should-not (agent-q-fs-approve-tests--create ws "d/.envrc"))
    (should (string-prefix-p "Error" (agent-q-fs-call-tool "delete_file" '(:path "d/b") ws)))
    (let ((agent-q-fs-policy 'always))
      (should-not (agent-q-fs-approve-tests--edit ws "a"))
      (agent-q-fs-approve-remember 'approve (car agent-q-fs-approve-tests--asked))
      (should (agent-q-fs-approve-tests--edit ws "a"))
      ;; The approval was for a cautious call, and this one is dangerous.
      (should-not (agent-q-fs-approve-tests--edit ws ".envrc")))
    (agent-q-fs-test-with-tree (other '("d/b" ""))
      (should-not (agent-q-fs-approve-tests--create other "d/x")))))

(ert-deftest agent-q-fs-approve/denials-win ()
  "Threat 69: by link, by case, by another spelling, from above: a denial counts."
  (agent-q-fs-approve-tests--with ws '(:decision approved)
    (agent-q-fs-approve-tests--create ws "q")
    (agent-q-fs-approve-remember 'approve (car agent-q-fs-approve-tests--asked))
    (let ((agent-q-fs-denied '(("create_file" . "D/") (t . "d/e") ("edit_file" . "./d"))))
      (dolist (path '("d/x" "d/./x" "q/../d/x" "d"))
        (should-not (agent-q-fs-approve-tests--create ws path)))
      (should-not (agent-q-fs-approve-tests--create
                   ws (expand-file-name "d/x")))
      (dolist (path '("link" "d/b" "d/e/../b"))
        (should-not (agent-q-fs-approve-tests--edit ws path)))
      (setq agent-q-fs-approve-tests--asked nil)
      (should (agent-q-fs-approve-tests--edit ws "a"))
      (should-not agent-q-fs-approve-tests--asked) ; the policy does not ask about it
      (dolist (policy '(tiered never always))
        (let ((agent-q-fs-policy policy))
          (should (equal "Error: The user denied move_file: this was ruled out before"
                         (agent-q-fs-call-tool "move_file" '(:source "d" :destination "z") ws))))))
    (should (agent-q-fs-approve-tests--edit ws "link"))))

(defun agent-q-fs-approve-tests--ask-and-remember (ws path &optional key)
  "Have a person asked about creating PATH in WS who presses ! and KEY, t or d."
  (agent-q-fs-approve-tests--create ws path)
  (funcall (if (eq key 'd) #'agent-q-fs-prompt-always-directory #'agent-q-fs-prompt-always-tool)
           (car agent-q-fs-approve-tests--asked))
  (setq agent-q-fs-approve-tests--asked nil))

(ert-deftest agent-q-fs-approve/project-is-not-the-disk ()
  "Threat 146: what is approved in this project is approved in its root and nowhere else."
  (dolist (options '((:mode unrestricted) (:allowed_paths)))
    (dolist (key '(t d))
      (agent-q-fs-approve-tests--with plain '(:decision denied)
        (let* ((other (file-name-as-directory (file-truename (make-temp-file "aqfs-other-" t))))
               (options (if (cadr options) options (list :allowed_paths (list other))))
               (ws (apply #'agent-q-fs-open :root default-directory options)))
          (unwind-protect
              (progn
                (agent-q-fs-approve-tests--ask-and-remember ws "new" key)
                (should (agent-q-fs-approve-tests--create ws "new"))
                (should (agent-q-fs-approve-tests--create ws "d/new"))
                (should-not agent-q-fs-approve-tests--asked)
                (should-not (agent-q-fs-approve-tests--create ws (concat other "foo")))
                (should (= 1 (length agent-q-fs-approve-tests--asked)))
                ;; By a link that leads there, and by a move that only begins in the project.
                (make-symbolic-link other "out")
                (should-not (agent-q-fs-approve-tests--create ws "out/foo"))
                (should-not (file-exists-p (concat other "foo"))))
            (agent-q-fs-close ws)
            (delete-directory other t)))))))

(ert-deftest agent-q-fs-approve/a-move-has-two-places ()
  "An approval of moves in a directory covers none that leaves it or comes into it."
  (agent-q-fs-approve-tests--with ws '(:decision denied)
    (let ((move (lambda (from to)
                  (not (string-prefix-p
                        "Error" (agent-q-fs-call-tool
                                 "move_file" (list :source from :destination to) ws))))))
      (funcall move "d/b" "d/x")
      (agent-q-fs-prompt-always-directory (car agent-q-fs-approve-tests--asked))
      (should (funcall move "d/b" "d/x"))
      (should-not (funcall move "d/x" "x"))
      (should-not (funcall move "a" "d/a")))))

(ert-deftest agent-q-fs-approve/other-rules-are-another-scope ()
  "An approval counts only in a workspace with the same rules, and in the same directory."
  (agent-q-fs-approve-tests--with ws '(:decision denied)
    (let* ((root default-directory)
           (reopened (lambda (&rest options)
                       (let ((other (apply #'agent-q-fs-open :root root options)))
                         (unwind-protect (agent-q-fs-approve-tests--create other "new")
                           (agent-q-fs-close other))))))
      (make-symbolic-link "d" "where")
      (let ((strict (agent-q-fs-open :root root :restricted_paths '("secret")
                                     :allowed-paths ["where"] :isolation 'bubblewrap)))
        (agent-q-fs-approve-tests--ask-and-remember strict "new")
        (should (agent-q-fs-approve-tests--create strict "new"))
        (agent-q-fs-close strict))
      (should (funcall reopened :isolation 'bubblewrap :allowed_paths '("where")
                       :restricted-paths '("secret")))
      (dolist (options '(() (:restricted_paths ("secret")) (:allowed_paths ("where"))
                         (:restricted_paths ("secret" "x") :allowed_paths ("where")
                                            :isolation bubblewrap)
                         (:restricted_paths ("secret") :allowed_paths ("where" "d/e")
                                            :isolation bubblewrap)
                         (:restricted_paths ("secret") :allowed_paths ("where")
                                            :isolation (bubblewrap :network t))
                         (:restricted_paths ("secret") :allowed_paths ("where"))
                         (:restricted_paths ("secret") :allowed_paths ("where")
                                            :isolation bubblewrap :mode unrestricted)))
        (ert-info ((format "%S" options))
          (should-not (apply reopened options))))
      ;; The allowed directory has the same name and is another one.
      (delete-file "where")
      (make-symbolic-link "d/e" "where")
      (should-not (funcall reopened :isolation 'bubblewrap :allowed_paths '("where")
                           :restricted_paths '("secret"))))))

(ert-deftest agent-q-fs-approve/another-directory-of-that-name ()
  "An approval is for a directory, not for whatever takes its name."
  (agent-q-fs-approve-tests--with plain '(:decision denied)
    (let* ((root (expand-file-name "d/"))
           (opened (lambda () (agent-q-fs-open :root root)))
           (ws (funcall opened)))
      (agent-q-fs-approve-tests--ask-and-remember ws "new")
      (should (agent-q-fs-approve-tests--create ws "new"))
      (agent-q-fs-close ws)
      (rename-file "d" "old")
      (make-directory "d")
      (setq ws (funcall opened))
      (should-not (agent-q-fs-approve-tests--create ws "new"))
      (agent-q-fs-close ws))))

(ert-deftest agent-q-fs-approve/memories-are-apart ()
  "An approval for files in memory is for those of one workspace."
  (agent-q-fs-approve-tests--with plain '(:decision denied)
    (let ((one (agent-q-fs-open :backend 'memory)) (two (agent-q-fs-open :backend 'memory)))
      (agent-q-fs-approve-tests--ask-and-remember one "new")
      (should (agent-q-fs-approve-tests--create one "new"))
      (should-not (agent-q-fs-approve-tests--create two "new"))
      (mapc #'agent-q-fs-close (list one two)))))

(ert-deftest agent-q-fs-approve/no-directory-above-the-project ()
  "The directory that two far places have in common is not approved of."
  (agent-q-fs-approve-tests--with plain '(:decision denied)
    (let* ((ws (agent-q-fs-open :root (expand-file-name "d/") :mode 'unrestricted)))
      (agent-q-fs-call-tool "copy_file" (list :source (expand-file-name "d/b")
                                              :destination (expand-file-name "z")) ws)
      (agent-q-fs-call-tool "move_file" (list :source (expand-file-name "d/b")
                                              :destination (expand-file-name "z")) ws)
      (let ((request (car agent-q-fs-approve-tests--asked)))
        (agent-q-fs-prompt-always-directory request)
        (should-not agent-q-fs-approve--rules)
        (should-not (agent-q-fs-request-decision request)))
      (agent-q-fs-close ws))))

(ert-deftest agent-q-fs-approve/denials-are-of-bytes ()
  "Threat 69: a name that has to be shown in quotes is denied like any other."
  (agent-q-fs-approve-tests--with ws '(:decision approved)
    (make-directory "secret")
    (let ((file-name-coding-system 'binary))
      (write-region "one\n" nil (concat default-directory "secret/evil\377.txt") nil 'quiet))
    (let ((agent-q-fs-denied '((t . "secret")))
          (calls '(("create_file" :path "secret/plain" :content "x")
                   ("create_file" :path "\"secret/\\377/x.txt\"" :content "x")
                   ("create_file" :path "\"sec\\162et/x\"" :content "x")
                   ("delete_file" :path "\"secret/evil\\377.txt\"")
                   ("edit_file" :path "\"secret/evil\\377.txt\"" :old_str "one" :new_str "1")
                   ("apply_patch"
                    :patch "--- /dev/null\n+++ \"secret/new\\377.txt\"\n@@ -0,0 +1 @@\n+x\n"))))
      (dolist (policy '(tiered never))
        (let ((agent-q-fs-policy policy))
          (dolist (call calls)
            (ert-info ((format "%s: %S" policy call))
              (should (string-search "ruled out before"
                                     (agent-q-fs-call-tool (car call) (cdr call) ws)))))))
      (should (= 1 (length (directory-files "secret" nil "[^.]"))))
      (should-not agent-q-fs-approve-tests--asked))))

(ert-deftest agent-q-fs-approve/never-in-a-directory-of-bytes ()
  "A denial is remembered of the directory, not of the words that show it."
  (agent-q-fs-approve-tests--with ws '(:decision denied)
    (agent-q-fs-call-tool "create_file" '(:path "\"keys/a\\377\"" :content "x") ws)
    (agent-q-fs-prompt-never-directory (car agent-q-fs-approve-tests--asked))
    (should (equal (concat default-directory "keys")
                   (agent-q-fs-rule-directory (car agent-q-fs-approve--rules))))
    (let ((agent-q-fs-policy 'never))
      (should-not (agent-q-fs-approve-tests--create ws "keys/b"))
      (should-not (agent-q-fs-approve-tests--create ws "KEYS/b"))
      (should (agent-q-fs-approve-tests--create ws "b")))))

(ert-deftest agent-q-fs-approve/denied-under-every-name ()
  "A denial holds by the link that was named, by a second name, by letters that are alike."
  (agent-q-fs-approve-tests--with ws '(:decision approved)
    (agent-q-fs-test--write "etc/config/f" "one\n")
    (make-symbolic-link "etc/config" "config")
    (make-symbolic-link "config" "again")
    (agent-q-fs-test--write "secret/f" "one\n")
    (add-name-to-file "secret/f" "innocent")
    (agent-q-fs-test--write "vault/deep/er/f" "one\n")
    (add-name-to-file "vault/deep/er/f" "plain")
    ;; The second link of three is in a place that is denied.
    (make-directory "links")
    (make-symbolic-link "../d/b" "links/middle")
    (make-symbolic-link "links/middle" "first")
    (agent-q-fs-test--write "\u00c9t\u00e9/f" "one\n")
    (let ((agent-q-fs-denied '((t . "links") (t . "vault") (t . "config") (t . "./secret/f") (t . "e\u0301te\u0301"))))
      (dolist (path (list "plain" "first" "config/f" "etc/config/f" "again/f" "secret/f" "innocent"
                          "\u00c9t\u00e9/f"))
        (ert-info (path)
          (should (string-search "ruled out before"
                                 (agent-q-fs-call-tool
                                  "edit_file" (list :path path :old_str "one" :new_str "1") ws)))))
      (should (agent-q-fs-approve-tests--edit ws "a")))))

(ert-deftest agent-q-fs-approve/given-in-lisp ()
  "Threat 150: what was approved of in Lisp is one plan, and nothing that is protected."
  (agent-q-fs-approve-tests--with ws '(:decision denied)
    (let* ((digest (lambda (path)
                     (plist-get (agent-q-fs-preview ws 'delete_file :path path) :digest)))
           (agent-q-fs-workspace ws)
           (agent-q-fs-rpc-trust '(approvals))
           (connection (make-pipe-process :name "lisp" :noquery t :buffer nil))
           (delete (lambda (path approved)
                     (setq agent-q-fs-approve-tests--asked nil)
                     (agent-q-fs-rpc--call connection #'ignore "delete_file"
                                           (list (list "path" path) (list :approved approved)))
                     (length agent-q-fs-approve-tests--asked)))
           (of-envrc (funcall digest ".envrc"))
           (of-b (funcall digest "d/b")))
      (dolist (approved (list nil t "" "t" 1 (list of-b) (funcall digest "a") of-envrc))
        (ert-info ((format "%S" approved))
          (should (= 1 (funcall delete "d/b" approved)))))
      (should (= 1 (funcall delete ".envrc" of-envrc)))
      (should (file-exists-p "d/b"))
      (should (file-exists-p ".envrc"))
      (let ((agent-q-fs-rpc-trust nil))
        (should (= 1 (funcall delete "d/b" of-b)))
        (should (file-exists-p "d/b")))
      (should (= 0 (funcall delete "d/b" of-b)))
      (should-not (file-exists-p "d/b"))
      ;; It was for one call, of the file as it was.
      (agent-q-fs-test--write "d/b" "another\n")
      (should (= 1 (funcall delete "d/b" of-b))))))

;;;; Every operation, every name

(defconst agent-q-fs-approve-tests--arguments
  '(:content "eA==" :line 1 :old_str "one" :new_str "x" :source "a" :destination "made"
    :allow_overwrite t :create_parents t :recursive t :parents t :exist_ok t)
  "Values of arguments that are not the path, for the operations that have them.")

(defconst agent-q-fs-approve-tests--patches
  '("*** Begin Patch\n*** Update File: %s\n@@\n-one\n+x\n*** End Patch\n"
    "*** Begin Patch\n*** Delete File: %s\n*** End Patch\n"
    "*** Begin Patch\n*** Update File: a\n*** Move to: %s\n@@\n-one\n+x\n*** End Patch\n"
    "--- a/%1$s\n+++ b/%1$s\n@@ -1 +1 @@\n-one\n+x\n")
  "Patches of the file that is put into them.")

(defun agent-q-fs-approve-tests--calls (path)
  "Return calls of all operations that change PATH, by each of their parameters."
  (let ((calls nil))
    (dolist (row (agent-q-fs-operations))
      (let* ((params (plist-get row :params))
             (keys (mapcar (lambda (param) (intern (concat ":" (plist-get param :name)))) params))
             (usual (seq-mapcat (lambda (key)
                                  (let ((value (plist-get agent-q-fs-approve-tests--arguments key)))
                                    (and value (list key value))))
                                keys)))
        (unless (eq :safe (plist-get row :tier))
          (when (memq :patch keys)
            (dolist (patch agent-q-fs-approve-tests--patches)
              (push (list (plist-get row :name) :patch (format patch path)) calls)))
          (seq-mapn (lambda (key param)
                      (when (eq :path (plist-get param :type))
                        (push (cons (plist-get row :name)
                                    (plist-put (copy-sequence usual) key path))
                              calls)))
                    keys params))))
    calls))

(ert-deftest agent-q-fs-approve/denied-by-every-operation ()
  "No operation of the table changes what is denied, by any name that leads to it.
The policy is to ask about nothing, so only the denial is in the way."
  (dolist (path '("vault/f" "l" "m/f" "p/.git/f" "h" "\"\\166ault/f\"" "./m/../vault/f"))
    (dolist (call (agent-q-fs-approve-tests--calls path))
      ;; Copying from there is reading; a last link is deleted and moved itself.
      (unless (or (and (equal "copy_file" (car call)) (equal path (plist-get (cdr call) :source)))
                  (and (equal path "l") (member (car call) '("delete_file" "move_file"))))
        (ert-info ((format "%S" call))
          (agent-q-fs-approve-tests--with ws '(:decision approved)
            (agent-q-fs-test--write "vault/f" "one\n")
            (make-symbolic-link "vault/f" "l")
            (make-symbolic-link "vault" "m")
            (agent-q-fs-test--write "p/.git" "gitdir: ../vault\n")
            (add-name-to-file "vault/f" "h")
            (let* ((agent-q-fs-policy 'never)
                   (agent-q-fs-denied '((t . "vault")))
                   (text (agent-q-fs-call-tool (car call) (cdr call) ws)))
              (should (string-prefix-p "Error" text))
              (should (equal '("f") (directory-files "vault" nil "\\`[^.]")))
              (should (equal "one\n" (agent-q-fs-approve-tests--text-of "vault/f")))
              (should (file-symlink-p "l"))
              (should (file-symlink-p "m")))))))))

;;;; Other roots for a Lisp

(defun agent-q-fs-approve-tests--lisp-opens (root answered)
  "Have a Lisp whose project is d ask for ROOT; call ANSWERED with the answer."
  (let ((project (agent-q-fs-open :root "d"))
        (lisp (make-pipe-process :name "lisp" :noquery t
                                 :buffer (generate-new-buffer " *lisp*"))))
    (let ((agent-q-fs-workspace project))
      (agent-q-fs-rpc--serve (format "%S" `(agent-q-fs-rpc :open '("root" ,root)))
                             lisp (lambda (value) (funcall answered (cadr value)))))
    (agent-q-fs-close project)
    (delete-process lisp)
    (kill-buffer (process-buffer lisp))))

(defmacro agent-q-fs-approve-tests--with-narrow-lisp (&rest body)
  "Run BODY in a small tree, where a person is there and has allowed Lisps nothing."
  (declare (indent 0) (debug (body)))
  `(agent-q-fs-approve-tests--with _ws nil
     (let ((agent-q-fs-sly--decisions nil) (agent-q-fs-sly-directories nil)
           (agent-q-fs-rpc-trust nil) (agent-q-fs-rpc--entries nil))
       (cl-letf (((symbol-function 'agent-q-fs-approve-unattended-p) #'ignore))
         ,@body))))

(ert-deftest agent-q-fs-approve/another-root-that-nobody-answered ()
  "A question that times out, or whose frame is closed, is no decision about a root."
  (dolist (end (list (lambda () (agent-q-fs-prompt--expire (car (agent-q-fs-prompt-waiting))))
                     (lambda ()
                       (cl-letf (((symbol-function 'agent-q-fs-prompt--frames) #'ignore))
                         (agent-q-fs-prompt--frame-deleted (selected-frame))))))
    (agent-q-fs-approve-tests--with-narrow-lisp
      (let ((agent-q-fs-approval-function #'agent-q-fs-prompt)
            (agent-q-fs-prompt--queue nil) (answers nil))
        (agent-q-fs-approve-tests--lisp-opens default-directory
                                              (lambda (answer) (push answer answers)))
        (should (= 1 (length (agent-q-fs-prompt-waiting))))
        (funcall end)
        (should (= 1 (length answers)))
        (should-not agent-q-fs-sly--decisions)
        ;; The next call is asked about, and a no that a person gave stays.
        (agent-q-fs-approve-tests--lisp-opens default-directory
                                              (lambda (answer) (push answer answers)))
        (agent-q-fs-prompt-refuse (car (agent-q-fs-prompt-waiting)) "")
        (should (= 2 (length answers)))
        (should (equal '(nil) (mapcar #'cdr agent-q-fs-sly--decisions)))))))

(ert-deftest agent-q-fs-approve/another-root-is-a-persons-decision ()
  "Neither a policy nor a rule that comes while it waits lets a Lisp use another root."
  (agent-q-fs-approve-tests--with-narrow-lisp
    (let ((agent-q-fs-approval-function #'agent-q-fs-prompt)
          (agent-q-fs-prompt--queue nil) (answers nil))
      (agent-q-fs-approve-tests--lisp-opens default-directory
                                            (lambda (answer) (push answer answers)))
      (let ((request (car (agent-q-fs-prompt-waiting))))
        (dolist (policy '(never edits read-only tiered))
          (let ((agent-q-fs-policy policy) (agent-q-fs-authority 'dangerous))
            (agent-q-fs-prompt-reexamine)))
        (let ((agent-q-fs-denied '((t))))
          (agent-q-fs-prompt-reexamine))
        (agent-q-fs-approve-remember 'approve request)
        (should-not answers)
        (should-not agent-q-fs-rpc--entries)
        (should (memq request (agent-q-fs-prompt-waiting)))
        (agent-q-fs-prompt-approve request)
        (should (string-search ":workspace" (car answers)))
        (should (= 1 (length agent-q-fs-rpc--entries)))
        (should (equal '(t) (mapcar #'cdr agent-q-fs-sly--decisions)))
        (agent-q-fs-rpc--forget (car agent-q-fs-rpc--entries))))))

(ert-deftest agent-q-fs-approve/another-root-by-no-policy ()
  "A decision that is no person's opens no other root, and is not kept as a no."
  (agent-q-fs-approve-tests--with-narrow-lisp
    (let ((answers nil))
      (dolist (word '(policy remembered))
        (let ((agent-q-fs-approval-function
               (lambda (_request callback) (funcall callback (list :decision word)))))
          (agent-q-fs-approve-tests--lisp-opens default-directory
                                                (lambda (answer) (push answer answers)))
          (should (string-search ":denied" (car answers)))
          (should-not agent-q-fs-rpc--entries)
          (should-not agent-q-fs-sly--decisions))))))

;;;; Decisions that are kept

(defmacro agent-q-fs-approve-tests--keeping (spec &rest body)
  "Run BODY as in a session that keeps decisions in FILE.
SPEC is (WS FILE); WS is a workspace, in which a person denies all."
  (declare (indent 1) (debug (sexp body)))
  `(let* ((agent-q-fs-state-directory (file-name-as-directory (make-temp-file "aqfs-state-" t)))
          (agent-q-fs-approvals-file t)
          (agent-q-fs-approve--stamp nil)
          (agent-q-fs-approve--broken nil)
          (warning-minimum-log-level :emergency)
          (,(cadr spec) (expand-file-name "approvals.eld" agent-q-fs-state-directory)))
     (unwind-protect
         (agent-q-fs-approve-tests--with ,(car spec) '(:decision denied) ,@body)
       (delete-directory agent-q-fs-state-directory t))))

(defun agent-q-fs-approve-tests--later ()
  "Forget what a session remembers, as in a later one."
  (setq agent-q-fs-approve--rules nil
        agent-q-fs-approve--stamp nil
        agent-q-fs-approve--broken nil
        agent-q-fs-approve-tests--asked nil))

(defun agent-q-fs-approve-tests--text-of (file)
  "Return the text of FILE."
  (with-temp-buffer
    (insert-file-contents file)
    (buffer-string)))

(ert-deftest agent-q-fs-approve/kept-for-later-sessions ()
  "With the option, decisions count in later sessions, are text, and a person's own."
  (agent-q-fs-approve-tests--keeping (ws file)
    (make-directory "d/caf\u00e9")
    (agent-q-fs-approve-tests--ask-and-remember ws "d/caf\u00e9/new" 'd)
    (agent-q-fs-call-tool "delete_file" '(:path "a") ws)
    (agent-q-fs-prompt-never-tool (car agent-q-fs-approve-tests--asked))
    (should (= #o600 (file-modes file)))
    (should (string-search (concat default-directory "d/caf\u00e9\"")
                           (agent-q-fs-approve-tests--text-of file)))
    (should (equal '("approvals.eld") (seq-filter (lambda (name) (string-match-p "approvals" name))
                                                  (directory-files agent-q-fs-state-directory))))
    (agent-q-fs-approve-tests--later)
    (should (agent-q-fs-approve-tests--create ws "d/caf\u00e9/new"))
    (should-not agent-q-fs-approve-tests--asked)
    (let ((agent-q-fs-policy 'never))
      (should (string-search "ruled out before"
                             (agent-q-fs-call-tool "delete_file" '(:path "a") ws))))
    (should-not (agent-q-fs-approve-tests--create ws "d/new"))
    (should (= 1 (length agent-q-fs-approve-tests--asked)))
    ;; Really another session, and one that keeps nothing.
    (let ((calls `(let ((agent-q-fs-audit-file nil)
                        (ws (agent-q-fs-open :root ,default-directory)))
                    (agent-q-fs-call-tool
                     "create_file"
                     '(:path "d/caf\u00e9/new" :content "theirs" :allow_overwrite t) ws))))
      (should (string-prefix-p
               "Error: Approval is required"
               (agent-q-fs-test-in-emacs
                `(let ((agent-q-fs-state-directory ,agent-q-fs-state-directory)) ,calls))))
      (should-not (string-prefix-p
                   "Error"
                   (agent-q-fs-test-in-emacs
                    `(let ((agent-q-fs-state-directory ,agent-q-fs-state-directory)
                           (agent-q-fs-approvals-file t))
                       ,calls)))))
    ;; A person edits the file: what is gone from it is asked about at once.
    (with-temp-file file
      (insert-file-contents file)
      (goto-char (point-min))
      (re-search-forward "^(:answer approve")
      (goto-char (match-beginning 0))
      (delete-region (point) (progn (forward-sexp) (point))))
    (set-file-modes file #o600)
    (setq agent-q-fs-approve-tests--asked nil)
    (should-not (agent-q-fs-approve-tests--create ws "d/caf\u00e9/new"))
    (should agent-q-fs-approve-tests--asked)
    (agent-q-fs-approve-tests--later)
    (save-window-excursion
      (agent-q-fs-approvals)
      (agent-q-fs-approvals-revoke-all)
      (kill-buffer "*agent-q-fs approvals*"))
    (should-not (string-search "(:answer" (agent-q-fs-approve-tests--text-of file)))))

(ert-deftest agent-q-fs-approve/kept-when-power-is-lost ()
  "The bytes of the file are on the disk before it gets its name."
  (agent-q-fs-approve-tests--keeping (ws file)
    (let ((write (symbol-function 'write-region)) synced)
      (cl-letf (((symbol-function 'write-region)
                 (lambda (&rest arguments)
                   (when (string-prefix-p file (nth 2 arguments))
                     (push (not write-region-inhibit-fsync) synced))
                   (apply write arguments))))
        (agent-q-fs-approve-tests--ask-and-remember ws "new"))
      (should (file-exists-p file))
      (should (equal '(t) synced)))))

(ert-deftest agent-q-fs-approve/not-kept-by-default ()
  (agent-q-fs-approve-tests--keeping (ws file)
    (should-not (eval (car (get 'agent-q-fs-approvals-file 'standard-value)) t))
    (let ((agent-q-fs-approvals-file nil))
      (agent-q-fs-approve-tests--ask-and-remember ws "new")
      (should (agent-q-fs-approve-tests--create ws "new"))
      (should-not (file-exists-p file)))
    ;; An approval that means nothing later is not kept, and counts in this session.
    (let ((memory (agent-q-fs-open :backend 'memory)))
      (agent-q-fs-approve-tests--ask-and-remember memory "new")
      (should-not (string-search "memory" (agent-q-fs-approve-tests--text-of file)))
      (should (agent-q-fs-approve-tests--create memory "new"))
      (agent-q-fs-close memory))))

(ert-deftest agent-q-fs-approve/kept-and-changed-since ()
  "A kept approval is asked about again where the project, or its rules, are others."
  (agent-q-fs-approve-tests--keeping (plain file)
    (let* ((root (expand-file-name "d/"))
           (try (lambda (&rest options)
                  (agent-q-fs-approve-tests--later)
                  (let ((ws (apply #'agent-q-fs-open :root root options)))
                    (unwind-protect (agent-q-fs-approve-tests--create ws "new")
                      (agent-q-fs-close ws)))))
           (ws (agent-q-fs-open :root root :restricted_paths '("e"))))
      (agent-q-fs-approve-tests--ask-and-remember ws "new")
      (agent-q-fs-close ws)
      (should (file-exists-p file))
      (should (funcall try :restricted_paths '("e")))
      (should-not (funcall try))
      (should-not (funcall try :restricted_paths '("e") :mode 'unrestricted))
      (rename-file "d" "old")
      (make-directory "d")
      (should-not (funcall try :restricted_paths '("e"))))))

(ert-deftest agent-q-fs-approve/kept-in-a-broken-file ()
  "Threat 151: a file that is wrong in any way is told, not obeyed, nor written over."
  (agent-q-fs-approve-tests--keeping (ws file)
    (agent-q-fs-approve-tests--ask-and-remember ws "new")
    (let ((good (agent-q-fs-approve-tests--text-of file))
          (told nil))
      (cl-letf (((symbol-function 'display-warning)
                 (lambda (_type words &rest _) (push words told))))
        (dolist (bad (list (substring good 0 -3) (concat good ")") (concat good "(:answer approve)")
                           (concat good "junk") (concat good "\"")
                           (replace-regexp-in-string "approve " "anything " good t t)
                           (replace-regexp-in-string ":tier dangerous" ":tier all" good t t)
                           (replace-regexp-in-string ":directory \"[^\"]*\"" ":directory nil" good t t)
                           (replace-regexp-in-string ":directory \"[^\"]*\"" ":directory \"x\"" good t t)
                           (replace-regexp-in-string ":scope (:root" ":scope (:boot" good t t)
                           (replace-regexp-in-string ":like nil" ":like #1=(a . #1#)" good t t)
                           (replace-regexp-in-string ":like nil" ":like #s(x)" good t t)
                           (concat good (make-string 1000000 ?\s))))
          (agent-q-fs-approve-tests--later)
          (setq told nil)
          (write-region bad nil file nil 'quiet)
          (ert-info (bad)
            (should-not (agent-q-fs-approve-tests--create ws "new"))
            (should (= 1 (length told)))
            (should (string-match-p (concat "\\`" (regexp-quote file) ": .*expected.*mend or remove")
                                    (car told)))
            (agent-q-fs-approve-tests--create ws "again")
            (should (= 1 (length told)))
            ;; It is remembered in this session, and the file left alone.
            (agent-q-fs-approve-tests--ask-and-remember ws "new")
            (should (agent-q-fs-approve-tests--create ws "new"))
            (should (equal bad (agent-q-fs-approve-tests--text-of file)))))
        (delete-file file)
        (write-region good nil file nil 'quiet)
        (dolist (wrong (list (lambda () (set-file-modes file #o644))
                             (lambda () (set-file-modes file #o620))
                             (lambda () (when (= 0 (user-uid))
                                          (call-process "chown" nil nil nil "2000" file)))
                             (lambda ()
                               (rename-file file (concat file ".other"))
                               (make-symbolic-link (concat file ".other") file))))
          (unless (and (= 0 (user-uid)) (file-symlink-p file))
            (call-process "chown" nil nil nil (number-to-string (user-uid)) file))
          (set-file-modes file #o600)
          (agent-q-fs-approve-tests--later)
          (should (agent-q-fs-approve-tests--create ws "new"))
          (funcall wrong)
          (unless (and (= #o600 (file-modes file)) (not (= 0 (user-uid)))
                       (not (file-symlink-p file)))
            (agent-q-fs-approve-tests--later)
            (should-not (agent-q-fs-approve-tests--create ws "new"))))))))

(ert-deftest agent-q-fs-approve/kept-in-a-megabyte ()
  "A file of a megabyte counts, and one of a byte more does not."
  (agent-q-fs-approve-tests--keeping (ws file)
    (agent-q-fs-approve-tests--ask-and-remember ws "new")
    (let* ((good (agent-q-fs-approve-tests--text-of file))
           (rest (- 1000000 (file-attribute-size (file-attributes file))))
           (told nil))
      (cl-letf (((symbol-function 'display-warning)
                 (lambda (_type words &rest _) (push words told))))
        (write-region (concat good (make-string rest ?\n)) nil file nil 'quiet)
        (agent-q-fs-approve-tests--later)
        (should (agent-q-fs-approve-tests--create ws "new"))
        (should-not told)
        (write-region (concat good (make-string (1+ rest) ?\n)) nil file nil 'quiet)
        (agent-q-fs-approve-tests--later)
        (should-not (agent-q-fs-approve-tests--create ws "new"))
        (should (string-search "at most a megabyte" (car told)))))))

(ert-deftest agent-q-fs-approve/kept-where-nothing-can-be-written ()
  "A decision that cannot be written is told, and counts in this session."
  (agent-q-fs-approve-tests--keeping (ws file)
    (let ((told nil) (directory (expand-file-name "sub/" agent-q-fs-state-directory)))
      (cl-letf (((symbol-function 'display-warning)
                 (lambda (_type words &rest _) (push words told))))
        ;; Its directory is a file; then its own name is a directory's that is not empty.
        (dolist (make (list (lambda () (write-region "" nil (directory-file-name directory) nil 'quiet))
                            (lambda ()
                              (delete-file (directory-file-name directory))
                              (make-directory (expand-file-name "approvals.eld/x" directory) t))))
          (funcall make)
          (let ((agent-q-fs-approvals-file (expand-file-name "approvals.eld" directory)))
            (agent-q-fs-approve-tests--later)
            (setq told nil)
            (agent-q-fs-approve-tests--ask-and-remember ws "new")
            (should told)
            (should (string-search "mend or remove it" (car told)))
            (should (cl-every (lambda (words) (string-prefix-p agent-q-fs-approvals-file words)) told))
            (should (agent-q-fs-approve-tests--create ws "new"))
            (delete-file "new"))))
      (should (equal '("approvals.eld")
                     (directory-files directory nil directory-files-no-dot-files-regexp)))
      (should-not (file-exists-p file)))))

(ert-deftest agent-q-fs-approve/kept-where-models-can-write ()
  "Threat 151: decisions in a file that a model could write count for nothing."
  (agent-q-fs-approve-tests--keeping (ws file)
    (agent-q-fs-approve-tests--ask-and-remember ws "new")
    (let ((told nil) (good (agent-q-fs-approve-tests--text-of file)))
      (cl-letf (((symbol-function 'display-warning)
                 (lambda (_type words &rest _) (push words told))))
        (dolist (options (list (list :root agent-q-fs-state-directory)
                               (list :root default-directory
                                     :allowed_paths (list agent-q-fs-state-directory))
                               (list :root default-directory :mode 'unrestricted)))
          (should (agent-q-fs-approve-tests--create ws "new"))
          (should-not told)
          (let ((other (apply #'agent-q-fs-open options)))
            (should-not (agent-q-fs-approve-tests--create ws "new"))
            (should (string-match-p "no tool of an open workspace" (car told)))
            (agent-q-fs-approve-remember 'approve (car agent-q-fs-approve-tests--asked))
            (should (equal good (agent-q-fs-approve-tests--text-of file)))
            (setq agent-q-fs-approve--rules nil)
            (agent-q-fs-close other))
          (setq told nil))
        ;; Nor is one made there.
        (let* ((agent-q-fs-approvals-file (expand-file-name "mine.eld")))
          (agent-q-fs-approve-tests--later)
          (agent-q-fs-approve-tests--ask-and-remember ws "new")
          (should told)
          (should-not (file-exists-p agent-q-fs-approvals-file)))))))


(ert-deftest agent-q-fs-approve/list-and-revoke ()
  (agent-q-fs-approve-tests--with ws '(:decision denied)
    (agent-q-fs-approve-tests--create ws "d/x")
    (agent-q-fs-approve-remember 'approve (car agent-q-fs-approve-tests--asked) "d")
    (agent-q-fs-approve-remember 'deny (car agent-q-fs-approve-tests--asked) "d/e")
    (save-window-excursion
      (agent-q-fs-approvals)
      (unwind-protect
          (progn
            (should (string-match-p "deny +create_file .* d/e " (buffer-string)))
            (goto-char (point-min))
            (search-forward "deny")
            (agent-q-fs-approvals-revoke)
            (should-not (string-search "deny" (buffer-string)))
            (should (agent-q-fs-approve-tests--create ws "d/e/x"))
            (agent-q-fs-approvals-revoke-all)
            (should-not (agent-q-fs-approve-tests--create ws "d/e/x")))
        (kill-buffer "*agent-q-fs approvals*")))))


;;;; Showing

(ert-deftest agent-q-fs-show/visible ()
  "Threat 57: characters without ink and misleading text are made visible."
  (dolist (case '(("plain\ttext\n" "plain\ttext\n") ("a\rb" "a^Mb") ("\e]52;\a" "^[]52;^G")
                  ("\u202e\u2066\u200b\ufeff\u00ad" "<U+202E><U+2066><U+200B><U+FEFF><U+00AD>")
                  ("a\u00a0b\u3000" "a<U+00A0>b<U+3000>") ("\377" "\\377")
                  ("\u0085\u009b" "<U+0085><U+009B>") ("\x1f600 é 漢" "\x1f600 é 漢")
                  ("\xe0041" "<U+E0041>") ("\u2028" "<U+2028>") ("\0" "^@") ("\x7f" "^?")))
    (should (equal (cadr case) (substring-no-properties
                                (agent-q-fs-show-visible (string-to-multibyte (car case)))))))
  (should (equal "<4000 spaces>x" (substring-no-properties
                                   (agent-q-fs-show-visible (concat (make-string 4000 ?\s) "x")))))
  (dolist (case '(("a\nb" "a^Jb") (" a" "<space>a") ("a/p\u0430ypal" "a/p\u0430ypal <letters of latin and cyrillic>")
                  ("\u0434\u043e\u043a" "\u0434\u043e\u043a") ("a    b" "a<4 spaces>b")))
    (should (equal (cadr case)
                   (substring-no-properties (agent-q-fs-show-visible (car case) t))))))

(ert-deftest agent-q-fs-show/nothing-invisible-is-left ()
  "Threat 57: what Unicode calls a format, a control or a space is shown by its number.
So is what Emacs draws as nothing where a person edits the arguments."
  (let ((glyphs (agent-q-fs-edit--glyphs)) (seen 0))
    (dotimes (character #x110000)
      (when (memq (get-char-code-property character 'general-category) '(Cf Cc Zs Zl Zp))
        (unless (memq character '(?\s ?\t ?\n))
          (setq seen (1+ seen))
          (should-not (equal (string character)
                             (substring-no-properties
                              (agent-q-fs-show-visible (string character)))))
          (when (< 127 character)
            (should (eq 'hex-code (aref glyphs character)))))))
    (should (< 200 seen))))

(ert-deftest agent-q-fs-show/hunks-by-their-counts ()
  "Removed lines that look like headers are lines."
  (let* ((diff "--- a/x\n+++ b/x\n@@ -1,3 +1,2 @@\n one\n--- a/y\n-@@ -1 +1 @@\n+++ b/y\n@@ -9 +8 @@ f\n-a\n+b\n\\ No newline at end of file\n")
         (parts (agent-q-fs-hunks-parse diff)))
    (should (equal '(other other hunk hunk) (mapcar #'car parts)))
    (should (equal diff (mapconcat #'cadr parts "")))))

(ert-deftest agent-q-fs-show/some-hunks ()
  "Every subset of an edit's hunks does just that, in files of every ending."
  (dolist (ending '("\n" "\r\n"))
    (let* ((lines (mapcar (lambda (n) (format "line %d" n)) (number-sequence 1 60)))
           (edits [(:old_str "line 2\n" :new_str "two\ntwo and a half\n")
                   (:old_str "line 30\n" :new_str "") (:old_str "line 60" :new_str "last")]))
      (dotimes (subset 8)
        (let ((taken (seq-filter (lambda (i) (/= 0 (logand subset (ash 1 i)))) '(0 1 2))))
          (agent-q-fs-approve-tests--with ws
              (lambda (request)
                (agent-q-fs-prompt-put request :hunks (agent-q-fs-hunks request) :taken taken)
                (should (= 3 (length (agent-q-fs-hunks request))))
                (agent-q-fs-prompt--do-hunks request)
                (should-not (agent-q-fs-prompt-get request :say))
                (agent-q-fs-request-decision request))
            (agent-q-fs-test--write "f" (mapconcat #'identity lines ending))
            (let ((agent-q-fs-policy 'always))
              (let ((answer (agent-q-fs-call-tool "edit_file" `(:path "f" :edits ,edits) ws)))
                (ert-info (answer) (should (equal (null taken) (string-prefix-p "Error" answer))))))
            (should (equal
                     (mapconcat #'identity
                                (mapcan (lambda (line)
                                          (pcase (list line (and (memq 0 taken) t)
                                                       (and (memq 1 taken) t) (and (memq 2 taken) t))
                                            (`("line 2" t ,_ ,_) (list "two" "two and a half"))
                                            (`("line 30" ,_ t ,_) nil)
                                            (`("line 60" ,_ ,_ t) (list "last"))
                                            (_ (list line))))
                                        lines)
                                ending)
                     (with-temp-buffer (insert-file-contents-literally "f") (buffer-string))))))))))

(ert-deftest agent-q-fs-show/what-cannot-be-taken-in-parts ()
  (agent-q-fs-approve-tests--with ws '(:decision denied)
    (dolist (call '(("delete_file" :path "a") ("move_file" :source "a" :destination "z")
                    ("write_bytes" :path "z" :content "AAEC") ("make_directory" :path "z")))
      (agent-q-fs-call-tool (car call) (cdr call) ws)
      (should-not (agent-q-fs-hunks (car agent-q-fs-approve-tests--asked))))))

(ert-deftest agent-q-fs-show/buffer ()
  "Threat 123: the canonical path, and how it was written; nothing looks at files."
  (agent-q-fs-approve-tests--with ws '(:decision denied)
    (let ((agent-q-fs-policy 'always))
      (agent-q-fs-call-tool "edit_file" '(:path "link" :old_str "one" :new_str "-*- mode: x -*-"
                                                :description "why\nnot") ws)
      (agent-q-fs-call-tool "edit_file" '(:path ".envrc" :old_str "one" :new_str "1") ws))
    (let ((buffers (buffer-list)))
      (dolist (request agent-q-fs-approve-tests--asked)
        (let ((buffer (agent-q-fs-show-buffer request)))
          (with-current-buffer buffer
            (jit-lock-fontify-now)
            (goto-char (point-max))
            (forward-line -1)
            (should (memq 'diff-added (ensure-list (get-text-property (point) 'face))))
            (if (string-match-p "envrc" (buffer-string))
                (should (string-search "PROTECTED" (buffer-string)))
              (should (string-search "write d/b   (written as link)" (buffer-string)))
              (should (string-search "why^Jnot" (buffer-string)))))
          (kill-buffer buffer)))
      (should (equal buffers (buffer-list))))))

(ert-deftest agent-q-fs-show/what-matters-comes-first ()
  "Of many targets, those that are protected or lost stand above all that are harmless."
  (agent-q-fs-approve-tests--with ws '(:decision denied)
    (let ((lines (list "*** Begin Patch")))
      (dotimes (i 60)
        (setq lines (append lines (list (format "*** Add File: f%02d" i) "+x"))))
      (agent-q-fs-call-tool
       "apply_patch"
       (list :patch (mapconcat (lambda (line) (concat line "\n"))
                               (append lines '("*** Delete File: a" "*** Add File: sub/.envrc" "+x"
                                               "*** End Patch"))
                               ""))
       ws))
    (let ((buffer (agent-q-fs-show-buffer (car agent-q-fs-approve-tests--asked))))
      (unwind-protect
          (with-current-buffer buffer
            (let ((first (lambda (words) (string-search words (buffer-string)))))
              (should (< (funcall first "sub/.envrc") (funcall first "delete a")
                         (funcall first " f00")))
              (goto-char (1+ (funcall first "PROTECTED")))
              (should (< (line-number-at-pos) 15))))
        (kill-buffer buffer)))))

;; Nothing that is typed in the buffer of the arguments is lost without a word.
(ert-deftest agent-q-fs-approve/all-that-is-typed-is-an-argument ()
  (with-temp-buffer
    (agent-q-fs-edit--fill (list :path "new.el" :content "(one)\n"))
    (goto-char (point-max))
    (insert "(two)\n")
    (should (equal '(:path "new.el" :content "(one)\n(two)\n") (agent-q-fs-edit--arguments)))
    (goto-char (point-min))
    (should-error (insert "zero") :type 'text-read-only)
    (goto-char (nth 3 (car agent-q-fs-edit--fields)))
    (insert "c")
    (should (equal "new.elc" (cadr (agent-q-fs-edit--arguments))))))

(ert-deftest agent-q-fs-edit/arguments-survive ()
  "A call that is not changed in the buffer stays the same call."
  (dolist (arguments (list '(:path "a" :content "x\n\ny" :allow_overwrite :false)
                           '(:path "" :line 5 :content "\n")
                           '(:path "a" :edits [(:old_str "x" :new_str "")] :version :null)
                           '("path" "é\u202e" "exclude_patterns" ["a" "b"] :show_hidden t)))
    (with-temp-buffer
      (agent-q-fs-edit-mode)
      (agent-q-fs-edit--fill arguments)
      (should (agent-q-fs-edit--same-p (agent-q-fs-request--make :arguments arguments)
                                       (agent-q-fs-edit--arguments)))
      ;; Also an empty field can be written into.
      (goto-char (nth 2 (car agent-q-fs-edit--fields)))
      (insert "new")
      (should (string-prefix-p "new" (cadr (agent-q-fs-edit--arguments)))))))


;;;; Calls that need an approval

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
  "Cautious calls are made without an approval, and no others."
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
  "The digest in a refusal can be committed."
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
  "A commit without a digest changes nothing."
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
  "A protected file that is moved away is reported as protected, like a deleted one."
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
  "The directory for journals is made, with the directories above it."
  (agent-q-fs-approval-tests--with _ws
    (let ((agent-q-fs-state-directory (expand-file-name "x/y/z" agent-q-fs-state-directory)))
      (let ((other (agent-q-fs-open :root default-directory)))
        (apply #'agent-q-fs-call other agent-q-fs-approval-tests--edit)
        (agent-q-fs-close other))
      (should (= #o700 (file-modes agent-q-fs-state-directory))))
    (should (equal "one\n2\nthree\n" (agent-q-fs-approval-tests--text "a.txt")))))

;;;; The queue, without a terminal

(defvar agent-q-fs-prompt--queue)
(defvar agent-q-fs-prompt--depth)
(defvar agent-q-fs-prompt--reading)

(ert-deftest agent-q-fs-approve/nobody-is-woken-who-does-not-read ()
  (require 'agent-q-fs-prompt)
  (let* ((request (agent-q-fs-request--make :tool "x"))
         (agent-q-fs-prompt--queue (list (cons request #'ignore))))
    (setf (agent-q-fs-request-decision request) '(:decision denied))
    (let ((unread-command-events '(agent-q-fs-wake ?x)) (agent-q-fs-prompt--depth 0))
      (agent-q-fs-prompt-wait request)
      (should (equal '(?x) unread-command-events)))
    (let ((unread-command-events '(?x)) (agent-q-fs-prompt--depth 1)
          (agent-q-fs-prompt--reading (list 'key (agent-q-fs-request--make :tool "y"))))
      (agent-q-fs-prompt-wait request)
      (should (equal '(agent-q-fs-wake ?x) unread-command-events)))))

(ert-deftest agent-q-fs-approve/withdrawn-behind-a-minibuffer ()
  "A person who types in a minibuffer that was opened since finishes first."
  (require 'agent-q-fs-prompt)
  (let* ((agent-q-fs-prompt--queue nil) (caller (agent-q-fs-caller-new)) (decisions nil) (depth 1)
         (request (agent-q-fs-request--make :tool "x" :caller caller))
         (other (agent-q-fs-request--make :tool "y" :caller (agent-q-fs-caller-new))))
    (cl-letf (((symbol-function 'minibuffer-depth) (lambda () depth)))
      (agent-q-fs-prompt request (lambda (decision) (push decision decisions)))
      (agent-q-fs-prompt other (lambda (_) (ert-fail "Another caller's request")))
      (agent-q-fs-prompt-put request :depth 0)
      (agent-q-fs-prompt-withdraw caller)
      (should-not decisions)
      (setq depth 0)
      (agent-q-fs-test-until decisions)
      (should (eq :cancelled (plist-get (car decisions) :code)))
      (should (equal (list other) (mapcar #'car agent-q-fs-prompt--queue))))))

(provide 'agent-q-fs-approve-tests)
(ert-deftest agent-q-fs-approve/asked-once-is-asked ()
  "A question that could not be put to anybody counts as none: it is asked the next time."
  (agent-q-fs-test-with-tree (ws '("a" "x"))
    (let* ((agent-q-fs-policy 'always) (agent-q-fs-approve--once nil) (agent-q-fs-approve--rules nil)
           (request (agent-q-fs-request--make :tool "lisp_notes" :workspace ws :tier 'dangerous
                                              :arguments '(:path "a")
                                              :targets '((:path "a"))))
           (agent-q-fs-approval-function (lambda (&rest _) (error "No frame")))
           asked)
      (cl-letf (((symbol-function 'agent-q-fs-approve-unattended-p) #'ignore))
        (should-error (agent-q-fs-approve-once request))
        (setq agent-q-fs-approval-function (lambda (_ callback) (setq asked callback)))
        (should (eq 'asked (agent-q-fs-approve-once request)))
        (should asked)
        (funcall asked '(:decision approved))
        (should (eq 'approved (agent-q-fs-approve-once request)))))))

;;; agent-q-fs-approve-tests.el ends here
