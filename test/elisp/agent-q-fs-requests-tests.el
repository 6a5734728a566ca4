;;; agent-q-fs-requests-tests.el --- Tests of requests that wait  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The first tests call the commands of the buffers in this Emacs; the others type keys on
;; a terminal, as those of agent-q-fs-prompt-tests.el do.  AQFS_LONG in the environment
;; has a thousand requests come while somebody types, and 200 questions of programs.

;;; Code:

(require 'agent-q-fs-test-help)
(require 'agent-q-fs-prompt-tests)
(require 'agent-q-fs-log)
(require 'agent-q-fs-prompt)
(require 'agent-q-fs-tools)

(defvar agent-q-fs-requests-tests--answers nil
  "The answers to the calls of a test, the latest first.")

(defmacro agent-q-fs-requests-tests--with (ws files &rest body)
  "Run BODY with WS over FILES, where there is a person, and nothing waits at the end."
  (declare (indent 2) (debug (symbolp form body)))
  `(let ((agent-q-fs-approve--rules nil)
         (agent-q-fs-audit-file nil)
         (agent-q-fs-prompt-delay 0)
         (agent-q-fs-prompt-stay 0)
         (agent-q-fs-prompt-notice nil)
         (agent-q-fs-requests-tests--answers nil))
     (cl-letf (((symbol-function 'agent-q-fs-approve-unattended-p) #'ignore))
       (unwind-protect
           (agent-q-fs-test--call-with-tree ,files (lambda (,ws) ,@body))
         (mapc #'agent-q-fs-prompt-quit (agent-q-fs-prompt-waiting))
         (dolist (name '("*agent-q-fs request*" "*agent-q-fs requests*"))
           (when (get-buffer name) (kill-buffer name)))))))

(defun agent-q-fs-requests-tests--ask (ws tool &rest arguments)
  "Have a model call TOOL in WS with ARGUMENTS, and note what it is told."
  (agent-q-fs-call-tool-async tool arguments
                              (lambda (text) (push text agent-q-fs-requests-tests--answers)) ws))

(defun agent-q-fs-requests-tests--create (ws &rest paths)
  "Have a model ask to create the files PATHS in WS."
  (dolist (path paths)
    (agent-q-fs-requests-tests--ask ws "create_file" :path path :content "one\ntwo\n")))

(defun agent-q-fs-requests-tests--shown ()
  "Return the text of the buffer of a request."
  (with-current-buffer "*agent-q-fs request*"
    (buffer-substring-no-properties (point-min) (point-max))))

(defmacro agent-q-fs-requests-tests--in (&rest body)
  "Run BODY, commands, in the buffer of a request, with the value of the last."
  (declare (indent 0) (debug (body)))
  `(with-current-buffer "*agent-q-fs request*" ,@body))

(ert-deftest agent-q-fs-requests/sentences ()
  "The first line says what would be done, and its face how much is at stake."
  (agent-q-fs-requests-tests--with ws '(("a" "one\n") ("b" "one\n") ("c" "one\n") ("d/e/f" "x\n")
                                        (".envrc" "x\n") (".env" "A=TOPSECRET\n"))
    (pcase-dolist
        (`(,sentence ,stake . ,call)
         '(("Create lisp/greet.el (2 lines)" calm "create_file" :path "lisp/greet.el"
            :content "a\nb\n")
           ("Replace a (+1 -1)" notable "create_file" :path "a" :content "x\n" :allow_overwrite t)
           ("Edit a (+1 -1)" calm "edit_file" :path "a" :old_str "one" :new_str "two")
           ("Edit .envrc (+1 -1)" danger "edit_file" :path ".envrc" :old_str "x" :new_str "y")
           ("Delete d/ and 2 entries in it" danger "delete_file" :path "d" :recursive t)
           ("Delete a (1 line)" notable "delete_file" :path "a")
           ("Move a to z" notable "move_file" :source "a" :destination "z")
           ("Make the directory n/m/" calm "make_directory" :path "n/m")
           ("Delete 1 and edit 2 files (+2 -3)" notable "apply_patch" :patch
            "*** Begin Patch\n*** Update File: a\n@@\n-one\n+1\n*** Update File: b\n@@\n-one\n+1
*** Delete File: c\n*** End Patch")
           ("Read the secret .env" notable "read_file" :path ".env")
           ("Run: make test" notable "shell" :command "make test")))
      (let ((agent-q-fs-policy 'always))
        (apply #'agent-q-fs-requests-tests--ask ws call)
        (let ((request (car (agent-q-fs-prompt-waiting))))
          (should (equal sentence (substring-no-properties (agent-q-fs-show-sentence request))))
          (should (eq stake (agent-q-fs-show-stake request)))
          (agent-q-fs-requests)
          (should (string-prefix-p sentence (agent-q-fs-requests-tests--shown)))
          ;; The word of the tier, which stands on every creation, would say nothing.
          (should (string-search (format "\nTool:    %s (%s risk)\n" (car call)
                                         (cdr (assq stake '((calm . "low") (notable . "some")
                                                            (danger . "high")))))
                                 (agent-q-fs-requests-tests--shown)))
          (should-not (string-search "(dangerous)" (agent-q-fs-requests-tests--shown)))
          (agent-q-fs-prompt-quit request))))))

(ert-deftest agent-q-fs-requests/one-after-the-other ()
  "Each is shown and decided alone; what waits stays when the buffer is killed."
  (agent-q-fs-requests-tests--with ws nil
    (agent-q-fs-requests-tests--create ws "a" "b" "c")
    (agent-q-fs-requests)
    (should (string-prefix-p "Create a" (agent-q-fs-requests-tests--shown)))
    (agent-q-fs-requests-tests--in (agent-q-fs-request-next))
    (should (string-prefix-p "Create b" (agent-q-fs-requests-tests--shown)))
    (agent-q-fs-requests-tests--in (agent-q-fs-request-approve))
    (should (string-prefix-p "Create c" (agent-q-fs-requests-tests--shown)))
    (kill-buffer "*agent-q-fs request*")
    (should (= 2 (length (agent-q-fs-prompt-waiting))))
    (should (string-search "[2 to approve]" (agent-q-fs-requests--mode-line-text)))
    (agent-q-fs-requests)
    (agent-q-fs-requests-tests--in (agent-q-fs-request-deny "no a"))
    (agent-q-fs-requests-tests--in (agent-q-fs-request-stop ""))
    (should-not (memq agent-q-fs-requests--mode-line (default-value 'mode-line-misc-info)))
    (should (equal '(nil t nil) (mapcar #'file-exists-p '("a" "b" "c"))))
    (should (string-match-p "\\`Error: The user denied create_file\n.*stop here"
                            (car agent-q-fs-requests-tests--answers)))
    (should (member "Error: The user denied create_file: no a" agent-q-fs-requests-tests--answers))))

(ert-deftest agent-q-fs-requests/keys-in-words ()
  "`?' lists all keys of a request, its own first; a narrow window has all in its header."
  (agent-q-fs-requests-tests--with ws nil
    (agent-q-fs-requests-tests--create ws "a" "b")
    (agent-q-fs-requests)
    (agent-q-fs-requests-tests--in
      (should (eq 'agent-q-fs-show-keys (key-binding "?")))
      (agent-q-fs-show-keys))
    (should (equal "*agent-q-fs keys*" (buffer-name (window-buffer)))) ; so q leaves the list
    (with-current-buffer "*agent-q-fs keys*"
      (map-keymap (lambda (key command)
                    (unless (or (eq command 'agent-q-fs-show-keys) (keymapp command))
                      (should (string-match-p (format "^\\(?:.+ \\)?%s[ \t]"
                                                      (regexp-quote (key-description (vector key))))
                                              (buffer-string)))))
                  (let ((map (copy-keymap agent-q-fs-request-mode-map)))
                    (set-keymap-parent map nil)
                    map))
      (should-not (string-search "hooks" (buffer-string)))
      (should (string-match-p "\\`A request: .*\n\ny\tdo it\n" (buffer-string))))
    (kill-buffer "*agent-q-fs keys*")
    (agent-q-fs-requests-tests--in
      (dolist (room '(100 60 40 10))
        (let ((words (agent-q-fs-request--header-keys room)))
          (should (string-suffix-p "? more" words))
          (should (or (= room 10) (<= (length words) room)))
          (dolist (key '("y" "n" "e" "h" "!" "q"))
            (should (string-match-p (format "\\(?:\\` *\\| \\)%s " key) words))))))))

(ert-deftest agent-q-fs-requests/always-in-words ()
  "A key names the rule that it would make: the tool, and the directory where it is a smaller one."
  (agent-q-fs-requests-tests--with ws nil
    (pcase-dolist
        (`(,words . ,call)
         '(("t create_file in this project; never: T" "create_file" :path "a" :content "x")
           ("t create_file in this project, d under d/; never: T, D"
            "create_file" :path "d/a" :content "x")
           ("c this very command; never: T all of shell" "shell" :command "a; b")))
      (apply #'agent-q-fs-requests-tests--ask ws call)
      (let ((request (car (agent-q-fs-prompt-waiting))))
        (should (equal words (agent-q-fs-prompt-always-words request)))
        (agent-q-fs-prompt-quit request)))))

(ert-deftest agent-q-fs-requests/quick-keys-and-macros ()
  "The next request is not decided by a key that comes at once, nor by a macro."
  (agent-q-fs-requests-tests--with ws nil
    (agent-q-fs-requests-tests--create ws "a" "b")
    (agent-q-fs-requests)
    (let ((executing-kbd-macro "y"))
      (agent-q-fs-requests-tests--in (should-error (agent-q-fs-request-approve) :type 'user-error)))
    (let ((agent-q-fs-prompt-delay 1.0))
      (agent-q-fs-requests-tests--in
        (setq agent-q-fs-request--ready t)
        (agent-q-fs-request-approve)
        (should-error (agent-q-fs-request-approve) :type 'user-error)
        (should-error (agent-q-fs-request-deny "x") :type 'user-error)))
    (with-temp-buffer
      (should-error (agent-q-fs-request-approve) :type 'user-error))
    (should (equal '(t nil) (mapcar #'file-exists-p '("a" "b"))))))

(ert-deftest agent-q-fs-requests/quick-keys-after-another-key ()
  "The meaning of the next key must have been read, too: !, h and q change it.
Hunks before the last one may be gone through as quickly as one likes."
  (agent-q-fs-requests-tests--with ws `(("f" ,agent-q-fs-prompt-tests--lines))
    (let ((agent-q-fs-policy 'always) (agent-q-fs-prompt-delay 1.0)
          (obey (lambda (key) (cl-letf (((symbol-function 'this-command-keys-vector)
                                         (lambda () (vector key))))
                                (agent-q-fs-request-obey)))))
      (agent-q-fs-requests-tests--ask
       ws "edit_file" :path "f" :edits [(:old_str "line 3\n" :new_str "third\n")
                                        (:old_str "line 20\n" :new_str "twentieth\n")
                                        (:old_str "line 38\n" :new_str "38th\n")])
      (agent-q-fs-requests)
      (agent-q-fs-requests-tests--in
        (setq agent-q-fs-request--ready t)
        (agent-q-fs-request-always)
        (dolist (key '(?t ?d ?T ?D))
          (should-error (funcall obey key) :type 'user-error))
        (agent-q-fs-request-back)
        (should-error (agent-q-fs-request-approve) :type 'user-error)
        (setq agent-q-fs-request--ready t)
        (agent-q-fs-request-hunks)
        (should-error (funcall obey ?!) :type 'user-error)
        (funcall obey ?y)
        (funcall obey ?n)
        (should-error (funcall obey ?y) :type 'user-error)
        (should (equal '(0) (agent-q-fs-prompt-get agent-q-fs-request--request :taken))))
      (should-not agent-q-fs-approve--rules)
      (should (= 1 (length (agent-q-fs-prompt-waiting))))
      (should (equal agent-q-fs-prompt-tests--lines (agent-q-fs-prompt-tests--text "f"))))))

(ert-deftest agent-q-fs-requests/rules-settle-what-waits ()
  "A lasting approval or denial counts for requests that wait, too."
  (agent-q-fs-requests-tests--with ws '(("d/x" "one\n"))
    (agent-q-fs-requests-tests--create ws "d/a" "d/b" "c" "d/.envrc")
    (agent-q-fs-requests-tests--ask ws "delete_file" :path "d/x")
    (agent-q-fs-requests)
    (agent-q-fs-prompt-always-directory (car (agent-q-fs-prompt-waiting)))
    (should (equal '(t t nil nil) (mapcar #'file-exists-p '("d/a" "d/b" "c" "d/.envrc"))))
    (should (= 3 (length (agent-q-fs-prompt-waiting))))
    (agent-q-fs-prompt-never-tool (car (agent-q-fs-prompt-waiting)))
    (should (equal '("delete_file")
                   (mapcar #'agent-q-fs-request-tool (agent-q-fs-prompt-waiting))))
    (should (= 4 (length agent-q-fs-requests-tests--answers)))))

(ert-deftest agent-q-fs-requests/changed-meanwhile ()
  "A request for what has changed says so, and does what is shown anew, or nothing."
  (agent-q-fs-requests-tests--with ws '(("f" "one\ntwo\n"))
    (let ((agent-q-fs-policy 'always))
      (agent-q-fs-requests-tests--ask ws "edit_file" :path "f" :old_str "two" :new_str "2"))
    (agent-q-fs-requests)
    (should-not (string-search "CHANGED" (agent-q-fs-requests-tests--shown)))
    (write-region "zero\none\ntwo\n" nil "f" nil 'quiet)
    (agent-q-fs-requests)
    (should (string-search "CHANGED" (agent-q-fs-requests-tests--shown)))
    (agent-q-fs-requests-tests--in (should-error (agent-q-fs-request-approve) :type 'user-error)
                                   (agent-q-fs-request-renew))
    (should (string-search "As it would be now" (agent-q-fs-requests-tests--shown)))
    (should (string-search "\n zero\n" (agent-q-fs-requests-tests--shown)))
    (agent-q-fs-requests-tests--in (agent-q-fs-request-approve))
    (should (equal "zero\none\n2\n" (agent-q-fs-prompt-tests--text "f")))
    (should (string-prefix-p "Edited" (car agent-q-fs-requests-tests--answers)))
    ;; Between the last look and the key, the core's digest decides.
    (let ((agent-q-fs-policy 'always))
      (agent-q-fs-requests-tests--ask ws "edit_file" :path "f" :old_str "zero" :new_str "0"))
    (agent-q-fs-requests)
    (write-region "zero\n" nil "f" nil 'quiet)
    (agent-q-fs-requests-tests--in (agent-q-fs-request-approve))
    (should (equal "zero\n" (agent-q-fs-prompt-tests--text "f")))
    (should (string-prefix-p "Error: What was approved" (car agent-q-fs-requests-tests--answers)))))

(ert-deftest agent-q-fs-requests/unsaved ()
  "A request that unsaved text would have refused says so, until that is saved."
  (agent-q-fs-requests-tests--with ws '(("a" "one\n"))
    (let ((agent-q-fs-policy 'always) (agent-q-fs-unsaved 'refuse) (make-backup-files nil)
          (buffer (find-file-noselect "a")))
      (agent-q-fs-requests-tests--ask ws "edit_file" :path "a" :old_str "one" :new_str "two")
      (agent-q-fs-requests)
      (should (string-prefix-p "Edit a" (agent-q-fs-requests-tests--shown)))
      (with-current-buffer buffer
        (goto-char (point-max))
        (insert "mine\n"))
      (agent-q-fs-requests-tests--in (agent-q-fs-request-renew))
      (should (string-prefix-p "UNSAVED: The buffer a has" (agent-q-fs-requests-tests--shown)))
      (with-current-buffer buffer (save-buffer))
      (agent-q-fs-requests-tests--in (agent-q-fs-request-renew))
      (should (string-search "\nEdit a" (agent-q-fs-requests-tests--shown)))
      (should-not (string-search "UNSAVED" (agent-q-fs-requests-tests--shown)))
      (agent-q-fs-requests-tests--in (agent-q-fs-request-approve))
      (agent-q-fs-test-until agent-q-fs-requests-tests--answers)
      (should (equal "two\nmine\n" (with-current-buffer buffer (buffer-string))))
      (kill-buffer buffer))))

(ert-deftest agent-q-fs-requests/unsaved-elsewhere ()
  "Unsaved text of a file on the disk has nothing to do with a workspace in memory."
  (agent-q-fs-requests-tests--with _ws nil
    (let* ((agent-q-fs-policy 'always) (agent-q-fs-unsaved 'refuse)
           (memory (agent-q-fs-open :backend 'memory))
           (name (expand-file-name "a" (agent-q-fs-workspace-root memory)))
           (buffer (generate-new-buffer "a")))
      (unwind-protect
          (progn
            (with-current-buffer buffer
              (setq buffer-file-name name)
              (insert "mine\n"))
            (agent-q-fs-requests-tests--ask memory "create_file" :path "a" :content "one\n")
            (agent-q-fs-requests)
            (should (string-prefix-p "Create a" (agent-q-fs-requests-tests--shown)))
            (agent-q-fs-requests-tests--in (agent-q-fs-request-approve))
            (agent-q-fs-test-until agent-q-fs-requests-tests--answers)
            (should (string-prefix-p "Created" (car agent-q-fs-requests-tests--answers))))
        (with-current-buffer buffer (set-buffer-modified-p nil))
        (kill-buffer buffer)
        (agent-q-fs-close memory)))))

(ert-deftest agent-q-fs-requests/caller-gone ()
  "The request of a caller that goes is gone, and the buffer that shows it says so."
  (agent-q-fs-requests-tests--with ws nil
    (let ((caller (agent-q-fs-caller-new)))
      (agent-q-fs-call-tool-async "create_file" '(:path "a" :content "x") #'ignore ws caller)
      (agent-q-fs-requests-tests--create ws "b")
      (agent-q-fs-requests)
      (agent-q-fs-caller-leave caller)
      (should (string-prefix-p "This request is over" (agent-q-fs-requests-tests--shown)))
      (agent-q-fs-requests-tests--in
        (should (string-search "1 more waits" (agent-q-fs-request--header)))
        (should-error (agent-q-fs-request-approve) :type 'user-error)
        (agent-q-fs-request-next))
      (should (string-prefix-p "Create b" (agent-q-fs-requests-tests--shown)))
      (should-not (file-exists-p "a"))
      (should (= 1 (length (agent-q-fs-prompt-waiting)))))))

(ert-deftest agent-q-fs-requests/edited ()
  "The effect of an edited call is shown before it counts, in the mode of its file."
  (agent-q-fs-requests-tests--with ws nil
    (let ((emacs-lisp-mode-hook (list (lambda () (ert-fail "A hook of the mode ran")))))
      (agent-q-fs-requests-tests--ask ws "create_file" :path "a.el" :content
                                      "(one)\n;; Local Variables:\n;; mode: text\n;; End:\n")
      (agent-q-fs-requests)
      (agent-q-fs-requests-tests--in (agent-q-fs-request-edit))
      (with-current-buffer "*agent-q-fs edit*"
        (should (eq 'emacs-lisp-mode major-mode))
        (should-not buffer-file-name)
        (goto-char (point-min))
        (search-forward "(one)")
        (insert "(two)")
        (agent-q-fs-edit-accept))
      (should-not (file-exists-p "a.el"))
      (should (string-match-p "\\`As you changed it:\n\nCreate a.el[^$]*\n\\+(one)(two)\n"
                              (agent-q-fs-requests-tests--shown)))
      (agent-q-fs-requests-tests--in (agent-q-fs-request-approve))
      (should (string-prefix-p "(one)(two)\n" (agent-q-fs-prompt-tests--text "a.el")))
      (should (string-prefix-p "The user changed this call" (car agent-q-fs-requests-tests--answers)))
      (should-not (get-buffer "*agent-q-fs edit*")))))

(defun agent-q-fs-requests-tests--change (old new)
  "Change the text OLD into NEW in the arguments of the request that is shown."
  (agent-q-fs-requests-tests--in (agent-q-fs-request-edit))
  (with-current-buffer "*agent-q-fs edit*"
    (goto-char (point-min))
    (search-forward old)
    (replace-match new t t)
    (agent-q-fs-edit-accept)))

(ert-deftest agent-q-fs-requests/changed-for-the-same ()
  "A request that was edited, or seen anew, says for whom it is, as it did before."
  (agent-q-fs-requests-tests--with ws '(("a" "one\n"))
    (let ((says (lambda (begin)
                  (should (string-prefix-p begin (agent-q-fs-requests-tests--shown)))
                  (should (string-search "\nFor:     the Lisp\n"
                                         (agent-q-fs-requests-tests--shown))))))
      (agent-q-fs-call-tool-async "write_file" '(:path "a" :content "two\n") #'ignore ws
                                  (agent-q-fs-caller-new :name "the Lisp"))
      (agent-q-fs-requests)
      (funcall says "Replace a")
      (write-region "three\n" nil "a" nil 'quiet)
      (agent-q-fs-requests-tests--in (agent-q-fs-request-renew))
      (funcall says "As it would be now:")
      (agent-q-fs-requests-tests--change "two" "2")
      (funcall says "As you changed it:"))))

(ert-deftest agent-q-fs-requests/opening-for-one ()
  "A request for a whole project says once for whom it is."
  (agent-q-fs-requests-tests--with ws nil
    (with-temp-buffer
      (agent-q-fs-show-fill
       (agent-q-fs-approve-opening ws nil (agent-q-fs-caller-new :name "the Lisp")))
      (let ((case-fold-search t))
        (should (= 1 (count-matches "^for: " (point-min) (point-max))))))))

(ert-deftest agent-q-fs-requests/says-what-was-decided ()
  "After a decision its words are in the echo area, and above the request while that stays."
  (agent-q-fs-requests-tests--with ws nil
    (let ((agent-q-fs-prompt-stay 60)
          (said nil))
      (cl-letf (((symbol-function 'message)
                 (lambda (format &rest values) (setq said (apply #'format format values)))))
        (agent-q-fs-requests-tests--create ws "a" "b" "c" "d")
        (agent-q-fs-requests)
        (agent-q-fs-requests-tests--in (agent-q-fs-request-approve))
        (should (equal "Approved: Create a (2 lines)" said))
        (agent-q-fs-requests-tests--in (agent-q-fs-request-deny "it is mine"))
        (should (equal "Denied: Create b (2 lines)" said))
        (agent-q-fs-requests-tests--change "c" "e")
        (agent-q-fs-requests-tests--in (agent-q-fs-request-approve))
        (should (equal "Approved: Create e (2 lines)" said))
        (agent-q-fs-requests-tests--in (agent-q-fs-request-deny "so is that"))
        (should (equal "Denied: Create d (2 lines).  Nothing waits any more" said))
        (should (string-prefix-p "This request is over: it was denied, so is that.\n"
                                 (agent-q-fs-requests-tests--shown)))
        (agent-q-fs-requests-tests--create ws "f")
        (agent-q-fs-requests)
        (agent-q-fs-requests-tests--in (agent-q-fs-request-approve))
        (should (string-prefix-p "This request is over: it was approved.\n"
                                 (agent-q-fs-requests-tests--shown)))
        (should (equal '("a" "e" "f") (directory-files "." nil "\\`[a-f]\\'")))))))

(ert-deftest agent-q-fs-requests/keys-in-the-list-of-keys ()
  "A key that is typed in the list of keys leaves the list, decides nothing, and says so."
  (agent-q-fs-requests-tests--with ws nil
    (agent-q-fs-requests-tests--create ws "a")
    (save-window-excursion
      (agent-q-fs-requests)
      (dolist (key '("y" "g" "RET" "?" "q"))
        (agent-q-fs-show-keys)
        (should (equal "*agent-q-fs keys*" (buffer-name (window-buffer))))
        (let ((last-command-event (aref (kbd key) 0)))
          (with-current-buffer "*agent-q-fs keys*"
            (call-interactively (key-binding (kbd key)))))
        (should (equal "*agent-q-fs request*" (buffer-name (window-buffer))))
        (should (= 1 (length (agent-q-fs-prompt-waiting))))))))

(ert-deftest agent-q-fs-requests/waiting-in-the-log ()
  "The log tells a call that waits for the person from one that runs, and its `?' has the keys."
  (agent-q-fs-requests-tests--with ws nil
    (save-window-excursion
      (agent-q-fs-requests-tests--ask ws "shell" :command "read line <&0; sleep 60")
      (agent-q-fs-log)
      (let ((shows (lambda (outcome)
                     (agent-q-fs-test-until
                      (with-current-buffer agent-q-fs-log--buffer
                        (goto-char (point-min))
                        (looking-at (format ".* shell +dangerous %s " outcome)))))))
        (funcall shows "waits for you")
        (agent-q-fs-requests)
        (agent-q-fs-requests-tests--in (agent-q-fs-request-deny "not now"))
        (funcall shows "denied"))
      (with-current-buffer agent-q-fs-log--buffer
        (call-interactively (key-binding "?")))
      (with-current-buffer "*agent-q-fs keys*"
        (map-keymap (lambda (key command)
                      (unless (or (keymapp command) (eq command 'agent-q-fs-show-keys))
                        (should (string-match-p (format "^%s[ \t]" (regexp-quote
                                                                    (key-description (vector key))))
                                                (buffer-string)))))
                    (let ((map (copy-keymap agent-q-fs-log-mode-map)))
                      (set-keymap-parent map nil)
                      map))
        (kill-buffer))
      (kill-buffer agent-q-fs-log--buffer))))

(ert-deftest agent-q-fs-requests/no-approvals ()
  "The list of remembered decisions says how to add one, where there is none."
  (agent-q-fs-requests-tests--with _ws nil
    (save-window-excursion
      (let ((inhibit-message t))
        (should (equal "Nothing is remembered; ! in a request does that, and + here adds a rule"
                       (agent-q-fs-approvals))))
      (kill-buffer "*agent-q-fs approvals*"))))

(ert-deftest agent-q-fs-requests/edited-and-always ()
  "The call as the person has changed it is remembered, and the keys say so."
  (agent-q-fs-requests-tests--with ws nil
    (let ((shell (lambda (command)
                   (agent-q-fs-requests-tests--ask ws "shell" :command command))))
      (funcall shell "touch evil")
      (agent-q-fs-requests)
      (agent-q-fs-requests-tests--change "evil" "good")
      (let ((request (car (agent-q-fs-prompt-waiting))))
        (should (string-search "touch" (agent-q-fs-prompt-always-words request)))
        (agent-q-fs-prompt-always-command request))
      (agent-q-fs-test-until agent-q-fs-requests-tests--answers)
      (should (equal '(t nil) (mapcar #'file-exists-p '("good" "evil"))))
      (funcall shell "touch evil")
      (should (= 1 (length (agent-q-fs-prompt-waiting))))
      (agent-q-fs-prompt-quit (car (agent-q-fs-prompt-waiting)))
      (funcall shell "touch good")
      (should-not (agent-q-fs-prompt-waiting)))
    ;; The directory is that of the file that is shown.
    (agent-q-fs-requests-tests--create ws "d/a")
    (agent-q-fs-requests)
    (agent-q-fs-requests-tests--change "d/a" "e/a")
    (let ((request (car (agent-q-fs-prompt-waiting))))
      (should (string-search "d under e/" (agent-q-fs-prompt-always-words request)))
      (agent-q-fs-prompt-always-directory request))
    (agent-q-fs-requests-tests--create ws "d/b" "e/b")
    (should (equal '(nil t nil t) (mapcar #'file-exists-p '("d/a" "e/a" "d/b" "e/b"))))))

(ert-deftest agent-q-fs-requests/edited-and-settled ()
  "A call that the person has changed waits for them; no rule has the original done."
  (agent-q-fs-requests-tests--with ws nil
    (agent-q-fs-requests-tests--create ws "evil")
    (agent-q-fs-requests)
    (agent-q-fs-requests-tests--change "evil" "good")
    (let ((agent-q-fs-policy 'never))
      (agent-q-fs-prompt-reexamine)
      (should (= 1 (length (agent-q-fs-prompt-waiting)))))
    (should-not (directory-files "." nil "evil\\|good"))
    (let ((agent-q-fs-denied '(("create_file" . "evil"))))
      (agent-q-fs-prompt-reexamine)
      (should (agent-q-fs-prompt-waiting)))
    (agent-q-fs-requests-tests--in (agent-q-fs-request-approve))
    (should (equal '("good") (directory-files "." nil "evil\\|good")))
    ;; A denial of what it is by now does count.
    (agent-q-fs-requests-tests--create ws "evil")
    (agent-q-fs-requests)
    (agent-q-fs-requests-tests--change "evil" "worse")
    (let ((agent-q-fs-policy 'read-only))
      (agent-q-fs-prompt-reexamine)
      (should-not (agent-q-fs-prompt-waiting)))))

(ert-deftest agent-q-fs-requests/secret ()
  "Reading a secret can be approved of where requests wait."
  (agent-q-fs-requests-tests--with ws '((".env" "A=TOPSECRET\n"))
    (agent-q-fs-requests-tests--ask ws "read_file" :path ".env")
    (agent-q-fs-requests)
    (should-not (string-search "CHANGED" (agent-q-fs-requests-tests--shown)))
    (agent-q-fs-requests-tests--in (agent-q-fs-request-approve))
    (should (equal '("A=TOPSECRET\n") agent-q-fs-requests-tests--answers))))

(ert-deftest agent-q-fs-requests/hunks-changed-meanwhile ()
  "No hunk of what was shown is done after the file has changed, not even around it."
  (agent-q-fs-requests-tests--with ws `(("f" ,agent-q-fs-prompt-tests--lines))
    (let ((agent-q-fs-policy 'always)
          (change (lambda () (write-region "odd\n" nil "f" 'append 'quiet)
                    (agent-q-fs-prompt-tests--text "f"))))
      (agent-q-fs-requests-tests--ask
       ws "edit_file" :path "f" :edits [(:old_str "line 3\n" :new_str "third\n")
                                        (:old_str "line 20\n" :new_str "twentieth\n")])
      (agent-q-fs-requests)
      (agent-q-fs-requests-tests--in (agent-q-fs-request-hunks))
      (let ((text (funcall change)))
        (agent-q-fs-requests-tests--in
          (agent-q-fs-request--do #'agent-q-fs-prompt-take-hunk)
          (agent-q-fs-request--do #'agent-q-fs-prompt-leave-hunk))
        (should (equal text (agent-q-fs-prompt-tests--text "f"))))
      (should (= 1 (length (agent-q-fs-prompt-waiting))))
      (should (string-search "CHANGED" (agent-q-fs-requests-tests--shown)))
      (agent-q-fs-requests-tests--in (agent-q-fs-request-renew))
      (funcall change)
      (agent-q-fs-requests-tests--in (agent-q-fs-request-hunks))
      (should-not (eq 'hunks (agent-q-fs-prompt-get (car (agent-q-fs-prompt-waiting)) :mode)))
      (should (string-search "CHANGED" (agent-q-fs-requests-tests--shown)))
      (agent-q-fs-requests-tests--in
        (agent-q-fs-request-renew)
        (agent-q-fs-request-hunks)
        (agent-q-fs-request--do #'agent-q-fs-prompt-leave-hunk)
        (agent-q-fs-request--do #'agent-q-fs-prompt-take-hunk)))
    (should (string-match-p "line 3\n[^$]*twentieth\n[^$]*odd\nodd\n"
                            (agent-q-fs-prompt-tests--text "f")))))

(ert-deftest agent-q-fs-requests/hunks ()
  "Hunks are taken and left, also after going back; the model is told which."
  (agent-q-fs-requests-tests--with ws `(("f" ,agent-q-fs-prompt-tests--lines))
    (let ((agent-q-fs-policy 'always))
      (agent-q-fs-requests-tests--ask
       ws "edit_file" :path "f" :edits [(:old_str "line 3\n" :new_str "third\n")
                                        (:old_str "line 20\n" :new_str "twentieth\n")
                                        (:old_str "line 38\n" :new_str "38th\n")]))
    (agent-q-fs-requests)
    (let ((key (lambda (key) (cl-letf (((symbol-function 'this-command-keys-vector)
                                        (lambda () (vector key))))
                               (agent-q-fs-request-obey)))))
      (agent-q-fs-requests-tests--in
        (agent-q-fs-request-hunks)
        (should (eq agent-q-fs-request-hunk-map (current-local-map)))
        ;; Evil may look at another map: then nothing is done.
        (should-error (agent-q-fs-request-approve) :type 'user-error)
        (mapc key "ybnyy")))
    (should (string-prefix-p "The user took 2 of the 3 hunks of this change only: 2 (old lines 17 to 23), 3"
                             (car agent-q-fs-requests-tests--answers)))
    (should (string-match-p "line 3\n[^$]*twentieth\n[^$]*38th\n" (agent-q-fs-prompt-tests--text "f")))))

(ert-deftest agent-q-fs-requests/for-whom-also-when-looked-at-again ()
  "What is shown anew, or as the person changed it, still says for whom it is."
  (agent-q-fs-requests-tests--with ws '(("f" "one\ntwo\n"))
    (let ((agent-q-fs-policy 'always))
      (dolist (call '(("edit_file" :path "f" :old_str "two" :new_str "2")
                      ("shell" :command "true")))
        (agent-q-fs-call-tool-async (car call) (cdr call) #'ignore ws
                                    (agent-q-fs-caller-new :name "a chat")))
      (write-region "zero\none\ntwo\n" nil "f" nil 'quiet)
      (agent-q-fs-requests)
      (agent-q-fs-requests-tests--in (agent-q-fs-request-renew))
      (should (string-search "As it would be now" (agent-q-fs-requests-tests--shown)))
      (should (string-search "\nFor:     a chat\n" (agent-q-fs-requests-tests--shown)))
      (let ((command (nth 1 (agent-q-fs-prompt-waiting))))
        (should (agent-q-fs-request-caller
                 (funcall (agent-q-fs-request-remake command) "shell" '(:command "false"))))))))

(ert-deftest agent-q-fs-requests/all-that-wait ()
  "All that wait are listed with their totals, and done or denied after a whole yes."
  (agent-q-fs-requests-tests--with ws '(("d/x" "one\n"))
    (let* ((asked nil) (answer nil)
           (yes (lambda (question)
                  (setq asked (list question (with-current-buffer "*agent-q-fs requests*"
                                               (buffer-string))))
                  (agent-q-fs-requests-tests--create ws "late")
                  answer)))
      (cl-letf (((symbol-function 'yes-or-no-p) yes))
        (agent-q-fs-requests-tests--create ws "a" "b")
        (agent-q-fs-requests-tests--ask ws "delete_file" :path "d" :recursive t)
        (agent-q-fs-requests-approve-all)
        (should (equal "Do all of these (3, 1 of them DANGEROUS, +4 -0 lines)? " (car asked)))
        (dolist (line '("Create a (2 lines)" "Create b (2 lines)" "Delete d/ and 1 entry in it"))
          (should (string-search line (cadr asked))))
        (should-not (file-exists-p "a"))
        (setq answer t)
        (agent-q-fs-prompt-quit (car (last (agent-q-fs-prompt-waiting))))
        (agent-q-fs-requests)
        (agent-q-fs-requests-tests--in (agent-q-fs-requests-approve-all))
        (should (equal '(t t nil nil) (mapcar #'file-exists-p '("a" "b" "d" "late"))))
        ;; The list, which was shown for the question, does not show what is done.
        (with-current-buffer "*agent-q-fs requests*"
          (should (= 1 (count-lines (point-min) (point-max))))
          (should (string-search "Create late" (buffer-string))))
        ;; Requests that came during the question were not listed, and wait.
        (should (= 1 (length (agent-q-fs-prompt-waiting))))
        (cl-letf (((symbol-function 'read-string) (lambda (&rest _) "enough")))
          (agent-q-fs-requests-deny-all))
        (should (string-search "denied create_file: enough"
                               (car agent-q-fs-requests-tests--answers)))))))

(ert-deftest agent-q-fs-requests/all-but-what-is-cut ()
  "Commands, and what is too long for its line of the list, are not done unread."
  (agent-q-fs-requests-tests--with ws nil
    (let* ((asked nil)
           (long (concat (make-string 60 ?l) "/evil")))
      (cl-letf (((symbol-function 'yes-or-no-p) (lambda (question) (setq asked question) t)))
        (agent-q-fs-requests-tests--ask
         ws "shell" :command (concat "ls " (make-string 200 ?\s) "; touch evil"))
        (agent-q-fs-requests-tests--create ws long)
        (should-error (agent-q-fs-requests-approve-all) :type 'user-error)
        (should-not asked)
        ;; Those of several files do not name them, and those of none tell of nothing.
        (agent-q-fs-requests-tests--ask
         ws "apply_patch" :patch "*** Begin Patch\n*** Add File: b\n+x\n*** Add File: .envrc\n+x
*** End Patch")
        (agent-q-fs-requests-tests--ask ws "changes_forget")
        (should-error (agent-q-fs-requests-approve-all) :type 'user-error)
        (agent-q-fs-requests-tests--create ws "good")
        (agent-q-fs-requests-approve-all)
        (should (equal "4 to be opened one by one (commands, several files) left out.  \
Do all of these (1, +2 -0 lines)? "
                       asked))
        (should (equal '(t nil nil nil) (mapcar #'file-exists-p (list "good" "evil" long ".envrc"))))
        (should (equal '("shell" "create_file" "apply_patch" "changes_forget")
                       (mapcar #'agent-q-fs-request-tool (agent-q-fs-prompt-waiting))))
        (cl-letf (((symbol-function 'read-string) (lambda (&rest _) "")))
          (agent-q-fs-requests-deny-all))
        (should-not (agent-q-fs-prompt-waiting))))))

(ert-deftest agent-q-fs-requests/sides-of-a-file ()
  "The file as it would be is the file that is written."
  (dolist (text (list agent-q-fs-prompt-tests--lines "line 3\nline 20\nline 38"))
    (agent-q-fs-requests-tests--with ws `(("f" ,text))
      (let ((agent-q-fs-policy 'always))
        (agent-q-fs-requests-tests--ask
         ws "edit_file" :path "f" :edits [(:old_str "line 3\n" :new_str "")
                                          (:old_str "line 20\n" :new_str "a\n\nb\n")
                                          (:old_str "line 38" :new_str "-38")]))
      (agent-q-fs-requests)
      (let ((sides (agent-q-fs-hunks-sides (car (agent-q-fs-prompt-waiting)) "f")))
        (should (equal text (car sides)))
        (agent-q-fs-requests-tests--in (agent-q-fs-request-approve))
        (should (equal (cdr sides) (agent-q-fs-prompt-tests--text "f")))))))

(ert-deftest agent-q-fs-requests/colours-evaluate-nothing ()
  "Neither the text nor the name of a file decides about more than colours."
  (let ((hostile "-*- mode: agent-q-fs-requests-tests-bad; eval: (ert-fail \"Evaluated\") -*-")
        (prog-mode-hook (list (lambda () (ert-fail "A hook ran"))))
        (auto-mode-alist (append '(("\\.tar\\'" . tar-mode) ("\\.odd\\'" . dired-mode))
                                 auto-mode-alist)))
    (agent-q-fs-requests-tests--with ws nil
      (dolist (name '("x.el" "x.tar" "x.odd" "x.org" "-*- mode: bad -*-"))
        (agent-q-fs-requests-tests--ask ws "create_file" :path name :content
                                        (concat ";; " hostile "\n(defun a () \"b\")\n" hostile "\n")))
      (dolist (request (agent-q-fs-prompt-waiting))
        (let* ((list (lambda ()
                       (seq-remove (lambda (name)
                                     (string-match-p agent-q-fs-test-hidden-buffers name))
                                   (mapcar #'buffer-name (buffer-list)))))
               (before (funcall list))
               (buffer (agent-q-fs-show-buffer request)))
          (with-current-buffer buffer
            (jit-lock-fontify-now)
            (goto-char (point-min))
            (search-forward "defun")
            (should (eq (equal "x.el" (agent-q-fs-edit--file request))
                        (and (memq 'font-lock-keyword-face
                                   (ensure-list (get-text-property (1- (point)) 'face)))
                             t))))
          (kill-buffer buffer)
          (should (equal before (funcall list))))))))

(ert-deftest agent-q-fs-requests/words-that-differ ()
  "Between lines that replace each other, only what differs is highlighted."
  (agent-q-fs-requests-tests--with ws '(("f" "the quick brown fox\n"))
    (let ((agent-q-fs-policy 'always))
      (agent-q-fs-requests-tests--ask ws "edit_file" :path "f" :old_str "quick" :new_str "quiet"))
    (let ((buffer (agent-q-fs-show-buffer (car (agent-q-fs-prompt-waiting)))))
      (unwind-protect
          (with-current-buffer buffer
            (jit-lock-fontify-now)
            (dolist (case '(("-the " "quick" diff-refine-removed) ("+the " "quiet" diff-refine-added)))
              (goto-char (point-min))
              (search-forward (car case))
              (let ((faces (lambda (at) (ensure-list (get-text-property at 'face)))))
                (should-not (memq (nth 2 case) (funcall faces (1- (point)))))
                (should (memq (nth 2 case) (funcall faces (point))))
                (should (memq (nth 2 case) (funcall faces (+ 4 (point)))))
                (should-not (memq (nth 2 case) (funcall faces (+ 6 (point))))))))
        (kill-buffer buffer)))))


;;;; With real keys

(defconst agent-q-fs-requests-tests--many
  (if (getenv "AQFS_LONG") 1000 60)
  "How many requests come while somebody types.")

(defconst agent-q-fs-requests-tests--rain
  `(progn
     (require 'ielm)
     (setq agent-q-fs-requests-tests--decided 0)
     (switch-to-buffer "prose")
     (fundamental-mode)
     (let ((count 0) timer)
       (setq timer (run-with-timer
                    0.1 0.1
                    (lambda ()
                      (when (= ,agent-q-fs-requests-tests--many (setq count (1+ count)))
                        (cancel-timer timer)
                        (write-region "" nil "../fallen" nil 'quiet))
                      (agent-q-fs-call-tool-async
                       "create_file" (list :path (format "f%d" count) :content "x")
                       (lambda (_)
                         (setq agent-q-fs-requests-tests--decided
                               (1+ agent-q-fs-requests-tests--decided)))
                       ws)))))
     (setq agent-q-fs-prompt-child-later
           (lambda ()
             (when (file-exists-p "../done")
               (prog1 (list agent-q-fs-requests-tests--decided (length agent-q-fs-prompt--queue)
                            (with-current-buffer "prose" (buffer-string))
                            (with-current-buffer "*ielm*"
                              (buffer-substring-no-properties (point-min) (point-max))))
                 (mapc #'agent-q-fs-prompt-quit (agent-q-fs-prompt-waiting))
                 (set-buffer-modified-p nil))))))
  "A form that has many requests come, one every tenth of a second.")

(defvar agent-q-fs-requests-tests--decided)

(defun agent-q-fs-requests-tests--prose (text pace)
  "Type TEXT, a key every PACE seconds."
  (dolist (character (append text nil))
    (agent-q-fs-prompt-tests--type "-l" (string character))
    (sleep-for pace)))

(defun agent-q-fs-requests-tests--leave-minibuffer (regexp)
  "Type \\`C-g' until the terminal does not show REGEXP any more, as a person does.
One that comes while Emacs runs a timer only ends what runs then."
  (let ((next 0))
    (agent-q-fs-test-until
     (progn
       (when (> (float-time) next)
         (setq next (+ 1 (float-time)))
         (agent-q-fs-prompt-tests--type "C-g"))
       (not (string-match-p regexp (agent-q-fs-prompt-tests--screen)))))))

(ert-deftest agent-q-fs-requests/typing-decides-nothing ()
  "Requests that come while somebody types, searches, replaces or answers wait for them."
  (agent-q-fs-prompt-tests--with nil agent-q-fs-requests-tests--rain
    (agent-q-fs-prompt-tests--see "to approve\\]")
    (let ((prose '("hey you, yes: any new y n e h ! q! " "yyy nnn !!t !!d qqq eee hhh " "you may try my way, say y. "))
          (expected ""))
      (cl-mapc (lambda (text pace)
                 (agent-q-fs-requests-tests--prose text pace)
                 (setq expected (concat expected text)))
               prose '(0.2 0.125 0.083))
      ;; query-replace: y takes the first, n leaves the second, ! the rest.
      (agent-q-fs-prompt-tests--type "M-<" "M-%")
      (agent-q-fs-prompt-tests--see "Query replace")
      (agent-q-fs-prompt-tests--type "y" "Enter" "Z" "Enter")
      (agent-q-fs-prompt-tests--see "Query replacing y with Z")
      (agent-q-fs-requests-tests--prose "yn!" 0.5)
      (agent-q-fs-prompt-tests--see "Replaced")
      (setq expected (with-temp-buffer
                       (insert expected)
                       (goto-char (point-min))
                       (let ((case-fold-search nil) (n 0))
                         (while (search-forward "y" nil t)
                           (unless (= 2 (setq n (1+ n))) (replace-match "Z" t t))))
                       (buffer-string)))
      (agent-q-fs-prompt-tests--type "M->" "M-:")
      (agent-q-fs-requests-tests--prose "(insert (if (y-or-n-p \"Sure?\") \"[Y]\" \"[N]\"))" 0.05)
      (agent-q-fs-prompt-tests--type "Enter")
      (agent-q-fs-prompt-tests--see "Sure\\?")
      (agent-q-fs-requests-tests--prose "y" 1)
      (agent-q-fs-prompt-tests--type "C-r")
      (agent-q-fs-requests-tests--prose "hhh" 0.3)
      (agent-q-fs-prompt-tests--type "Enter" "M->" "M-x")
      (agent-q-fs-requests-tests--prose "y-n" 0.4)
      (agent-q-fs-prompt-tests--see "M-x y-n")
      (agent-q-fs-requests-tests--leave-minibuffer "M-x y-n")
      (agent-q-fs-prompt-tests--type "C-x" "(")
      (agent-q-fs-requests-tests--prose "ny! " 0.2)
      (agent-q-fs-prompt-tests--type "C-x" ")" "C-x" "e")
      (agent-q-fs-prompt-tests--see "\\[Y\\]ny! ny!")
      (setq expected (concat expected "[Y]ny! ny! "))
      (agent-q-fs-prompt-tests--type "M-x" "ielm" "Enter")
      (agent-q-fs-prompt-tests--see "ELISP>")
      (agent-q-fs-requests-tests--prose "(+ 1 2)" 0.2)
      (agent-q-fs-prompt-tests--type "Enter")
      (agent-q-fs-prompt-tests--see "^3")
      (agent-q-fs-requests-tests--prose "y" 0.5)
      (agent-q-fs-prompt-tests--type "Enter" "C-x" "b" "prose" "Enter")
      (while (not (file-exists-p "../fallen"))
        (agent-q-fs-requests-tests--prose "y n " 0.1)
        (setq expected (concat expected "y n ")))
      (write-region "" nil "../done" nil 'quiet)
      (pcase-let ((`(,decided ,waiting ,text ,_) (plist-get (agent-q-fs-prompt-tests--result) :value)))
        (should (= 0 decided))
        (should (= agent-q-fs-requests-tests--many waiting))
        (should (equal expected text))
        (should-not (directory-files "." nil "\\`f[0-9]"))))))

(ert-deftest agent-q-fs-requests/typing-and-a-program-that-waits ()
  "The question of a program comes after a pause, and prose around it decides nothing.
The letters that are typed before the question belong to the buffer."
  (dotimes (i (if (getenv "AQFS_LONG") 200 2))
    (agent-q-fs-prompt-tests--with nil
        `(progn
           (switch-to-buffer "prose")
           (setq agent-q-fs-prompt-delay 3)
           (agent-q-fs-prompt-child-once
            (lambda () (< 6 (buffer-size (get-buffer "prose"))))
            (lambda ()
              (let ((answer ,agent-q-fs-prompt-tests--create))
                (setq agent-q-fs-prompt-child-later
                      (lambda () (prog1 (list answer (with-current-buffer "prose" (buffer-string)))
                                   (with-current-buffer "prose" (set-buffer-modified-p nil))))))))
           (setq agent-q-fs-prompt-child-later #'ignore))
      (agent-q-fs-prompt-tests--see "prose")
      (let ((text "you say yes, my y: any quay! ") (pace (nth (% i 3) '(0.2 0.125 0.083))))
        (agent-q-fs-requests-tests--prose text pace)
        (agent-q-fs-prompt-tests--see agent-q-fs-prompt-tests--question)
        (agent-q-fs-requests-tests--prose "yes y y hy ! y" pace)
        (agent-q-fs-prompt-tests--see agent-q-fs-prompt-tests--question)
        (agent-q-fs-prompt-tests--type "C-g")
        (should (equal (list "Error: The user denied create_file" text)
                       (plist-get (agent-q-fs-prompt-tests--result) :value)))
        (should-not (file-exists-p "new"))))))

(ert-deftest agent-q-fs-requests/searching-and-a-program-that-waits ()
  "A search goes on to its end before the question of a program comes."
  (agent-q-fs-prompt-tests--with nil
      `(progn
         (switch-to-buffer "prose")
         (insert "alpha\nyellow\nyes no\n")
         (goto-char (point-min))
         (setq agent-q-fs-prompt-delay 1)
         (agent-q-fs-prompt-child-once
          (lambda () isearch-mode)
          (lambda ()
            (let ((answer ,agent-q-fs-prompt-tests--create))
              (setq agent-q-fs-prompt-child-later
                    (lambda () (prog1 (list answer (with-current-buffer "prose"
                                                     (list (line-number-at-pos) (buffer-size))))
                                 (with-current-buffer "prose" (set-buffer-modified-p nil))))))))
         (setq agent-q-fs-prompt-child-later #'ignore))
    (agent-q-fs-prompt-tests--see "alpha")
    (agent-q-fs-prompt-tests--type "C-s" "y")
    (agent-q-fs-test-until (file-exists-p "../once") (agent-q-fs-prompt-tests--screen))
    (agent-q-fs-requests-tests--prose "es" 1.5)
    (should-not (string-match-p agent-q-fs-prompt-tests--question
                                (agent-q-fs-prompt-tests--see "I-search: yes")))
    (agent-q-fs-prompt-tests--type "Enter")
    (agent-q-fs-prompt-tests--see agent-q-fs-prompt-tests--question)
    (sleep-for 1.5)
    (agent-q-fs-prompt-tests--type "y")
    (pcase-let ((`(,answer (,line ,size)) (plist-get (agent-q-fs-prompt-tests--result) :value)))
      (should (string-prefix-p "Created new" answer))
      (should (equal '(3 20) (list line size))))))

(ert-deftest agent-q-fs-requests/a-thousand-at-once ()
  "A thousand requests give one notice, and leave nothing when they are over."
  (agent-q-fs-requests-tests--with ws nil
    (let* ((hooks (copy-sequence delete-frame-functions))
           (told nil)
           (agent-q-fs-prompt-notice '(echo)))
      ;; A timer of Emacs' own, or of a test before this one, may say something meanwhile.
      (cl-letf (((symbol-function 'message)
                 (lambda (&optional words &rest more)
                   (let ((text (if words (apply #'format words more) "")))
                     (when (string-match-p "\\bagents?\\b" text) (push text told))))))
        (dotimes (i 1000)
          (agent-q-fs-requests-tests--create ws (format "f%d" i)))
        (agent-q-fs-test-until told)
        (should (string-search "[1000 to approve]" (agent-q-fs-requests--mode-line-text)))
        (mapc #'agent-q-fs-prompt-quit (agent-q-fs-prompt-waiting)))
      (should (= 1 (length told)))
      (should (string-prefix-p "1000 requests of agents wait for you " (car told)))
      (should (= 1000 (length agent-q-fs-requests-tests--answers)))
      (should (equal hooks delete-frame-functions))
      (should-not (memq agent-q-fs-requests--mode-line (default-value 'mode-line-misc-info)))
      (should-not (seq-intersection (mapcar #'timer--function timer-list)
                                    '(agent-q-fs-requests--notice agent-q-fs-prompt--expire)))
      (should-not (directory-files "." nil "\\`f[0-9]")))))

(ert-deftest agent-q-fs-requests/opened-with-keys ()
  "While requests are shown, all of Emacs works; y decides, once for what was seen."
  (agent-q-fs-prompt-tests--with nil
      '(let ((texts nil))
         (dolist (path '("a" "b" "c"))
           (agent-q-fs-call-tool-async "create_file" (list :path path :content "x")
                                       (lambda (text) (push text texts)) ws))
         (setq agent-q-fs-prompt-delay 2
               agent-q-fs-prompt-child-later (lambda () (and (= 3 (length texts)) texts))))
    (agent-q-fs-prompt-tests--see "3 requests of agents wait for you +(M-x agent-q-fs-requests)")
    (agent-q-fs-prompt-tests--type "M-x" "agent-q-fs-requests" "Enter")
    (agent-q-fs-prompt-tests--see "^Create a (1 line)")
    (agent-q-fs-prompt-tests--type "C-x" "2" "C-x" "o" "C-x" "b" "other" "Enter" "-l" "any y n")
    (agent-q-fs-prompt-tests--see "any y n")
    (agent-q-fs-prompt-tests--type "C-x" "k" "Enter" "C-x" "1")
    (agent-q-fs-prompt-tests--type "M-x" "agent-q-fs-requests" "Enter")
    (agent-q-fs-prompt-tests--see "^Create a (1 line)")
    (sleep-for 1)
    (agent-q-fs-prompt-tests--type "y" "y" "y")
    (agent-q-fs-prompt-tests--answer "^Create b (1 line)" "n")
    (should (equal '(t nil nil) (mapcar #'file-exists-p '("a" "b" "c"))))
    (agent-q-fs-prompt-tests--answer "Why not" "not now" "Enter")
    (agent-q-fs-prompt-tests--answer "^Create c (1 line)" "!")
    (agent-q-fs-prompt-tests--see "Always: t create_file in this project; never: T; q")
    (sleep-for 1)
    (agent-q-fs-prompt-tests--type "t")
    (let ((texts (agent-q-fs-prompt-tests--value)))
      (should (member "Error: The user denied create_file: not now" texts))
      (should (equal '(t nil t) (mapcar #'file-exists-p '("a" "b" "c")))))))

(ert-deftest agent-q-fs-requests/compared-by-ediff ()
  "A file is compared with what it would be; after ediff the request is decided as before."
  (agent-q-fs-prompt-tests--with `(("f" ,agent-q-fs-prompt-tests--lines))
      '(let ((agent-q-fs-policy 'always) texts)
         (setq make-backup-files nil
               agent-q-fs-prompt-delay 1)
         (agent-q-fs-call-tool-async "edit_file" '(:path "f" :old_str "line 30" :new_str "thirty")
                                     (lambda (text) (push text texts)) ws)
         (setq agent-q-fs-prompt-child-later (lambda ()
                                               (when texts
                                                 (kill-buffer "*Ediff Registry*") ; Emacs' own
                                                 (cons (get-buffer "*f*") texts)))))
    (agent-q-fs-prompt-tests--see "to approve\\]")
    (agent-q-fs-prompt-tests--type "M-x" "agent-q-fs-requests" "Enter")
    (agent-q-fs-prompt-tests--see "^Edit f")
    (agent-q-fs-prompt-tests--type "=")
    (agent-q-fs-prompt-tests--see "Type \\? for help")
    (agent-q-fs-prompt-tests--type "n")
    (agent-q-fs-prompt-tests--see "^line 30\n[^$]*\nthirty\n")
    (should (equal agent-q-fs-prompt-tests--lines (agent-q-fs-prompt-tests--text "f")))
    (agent-q-fs-prompt-tests--type "q")
    (agent-q-fs-prompt-tests--see "Quit this Ediff session")
    (agent-q-fs-prompt-tests--type "y")
    (agent-q-fs-prompt-tests--see "^Edit f")
    ;; One that comes too early asks to be typed again.
    (agent-q-fs-test-until (or (file-exists-p agent-q-fs-prompt-tests--log)
                               (ignore (agent-q-fs-prompt-tests--type "y")
                                       (sleep-for 1))))
    (should (equal '(nil "Edited f") (mapcar (lambda (said) (and said (substring said 0 8)))
                                             (agent-q-fs-prompt-tests--value))))
    (should (string-search "\nthirty\n" (agent-q-fs-prompt-tests--text "f")))))

(defconst agent-q-fs-requests-tests--desktop
  '(let ((name "org.freedesktop.Notifications") (path "/org/freedesktop/Notifications")
         (default-directory (file-name-as-directory (make-temp-file "aqfs-bus-" t)))
         (agent-q-fs-audit-file nil) shown bells)
     (require 'dbus)
     (require 'agent-q-fs-tools)
     (require 'agent-q-fs-prompt)
     (setq agent-q-fs-prompt-notice '(bell desktop))
     (fset 'agent-q-fs-approve-unattended-p #'ignore)
     (fset 'ding (lambda (&rest _) (setq bells (1+ (or bells 0)))))
     (dbus-register-method :session name path name "Notify"
                           (lambda (&rest arguments) (setq shown arguments) '(:uint32 7)))
     (agent-q-fs-call-tool-async "create_file" '(:path "<b>&c" :content "x\n") #'ignore
                                 (agent-q-fs-open))
     (with-timeout (60) (while (not shown) (accept-process-output nil 0.05)))
     (let ((before (get-buffer "*agent-q-fs request*")))
       (dbus-send-signal :session nil path name "ActionInvoked" :uint32 7 "default")
       (with-timeout (60) (while (not (get-buffer "*agent-q-fs request*")) (read-event nil nil 0.05)))
       (prog1 (list bells (nth 3 shown) (nth 4 shown) before
                    (with-current-buffer "*agent-q-fs request*"
                      (buffer-substring-no-properties (point-min) (line-end-position))))
         (mapc #'agent-q-fs-prompt-quit (agent-q-fs-prompt-waiting))
         (delete-directory default-directory t))))
  "A form that is the desktop, and has a request come; its value is what became of both.")

(ert-deftest agent-q-fs-requests/notice-of-the-desktop ()
  "A bell, and a notification over D-Bus: its words are no markup, and a click shows the request."
  (unless (and (executable-find "dbus-run-session") (featurep 'dbusbind))
    (ert-skip "There is no D-Bus"))
  (let ((invocation-directory (file-name-directory (executable-find "dbus-run-session")))
        (invocation-name "dbus-run-session")
        (emacs (expand-file-name invocation-name invocation-directory)))
    (cl-letf* ((plain (symbol-function 'agent-q-fs-test-emacs-command))
               ((symbol-function 'agent-q-fs-test-emacs-command)
                (lambda (&rest arguments)
                  (let ((command (apply plain arguments)))
                    `(,(car command) "--" ,emacs ,@(cdr command))))))
      (should (equal '(1 "Emacs" "An agent asks: Create &#60;b&#62;&#38;c (1 line)" nil
                         "Create <b>&c (1 line)")
                     (agent-q-fs-test-in-emacs agent-q-fs-requests-tests--desktop))))))

(ert-deftest agent-q-fs-requests/asked-again-at-once ()
  "Keys in the rhythm of an answer reach neither the next request nor the person's text."
  (agent-q-fs-prompt-tests--with nil
      '(let ((count 0) ask)
         (switch-to-buffer "prose")
         (insert "my text")
         (setq agent-q-fs-prompt-delay 1
               agent-q-fs-prompt-stay 3
               ask (lambda (&rest _)
                     (when (< count 2)
                       (setq count (1+ count))
                       (agent-q-fs-call-tool-async
                        "create_file" (list :path (format "f%d" count) :content "x")
                        (lambda (_) (run-with-timer 0.7 nil ask)) ws)))
               agent-q-fs-prompt-child-later
               (lambda ()
                 (when (file-exists-p "f2")
                   (unless (get-buffer "*agent-q-fs request*")
                     (with-current-buffer "prose"
                       (set-buffer-modified-p nil)
                       (list (eq (current-buffer) (window-buffer)) (buffer-string)))))))
         (funcall ask))
    (agent-q-fs-prompt-tests--see "to approve\\]")
    (agent-q-fs-prompt-tests--type "M-x" "agent-q-fs-requests" "Enter")
    (agent-q-fs-prompt-tests--answer "^Create f1 (1 line)" "y")
    ;; Over the time in which nothing waits, and the coming of the next one.
    (agent-q-fs-requests-tests--prose "yyny yes, hey y!t" 0.25)
    (agent-q-fs-prompt-tests--see "^Create f2 (1 line)")
    (should (equal '(t nil) (mapcar #'file-exists-p '("f1" "f2"))))
    (agent-q-fs-prompt-tests--answer "^Create f2 (1 line)" "y")
    (agent-q-fs-requests-tests--prose "yy y" 0.25)
    (agent-q-fs-prompt-tests--see "Nothing waits\\.  This goes")
    (should (equal '(t "my text") (plist-get (agent-q-fs-prompt-tests--result) :value)))
    (should (equal '("f1" "f2") (directory-files "." nil "\\`f[0-9]")))))

(ert-deftest agent-q-fs-requests/leaving-what-stays ()
  "After the last answer q leaves at once, and what is asked then does not come back."
  (agent-q-fs-prompt-tests--with nil
      '(let ((ask (lambda (path then)
                    (agent-q-fs-call-tool-async "create_file" (list :path path :content "x")
                                                then ws))))
         (switch-to-buffer "prose")
         (setq agent-q-fs-prompt-stay 1000
               agent-q-fs-prompt-child-later
               (lambda ()
                 (when (file-exists-p "../done")
                   (mapc #'agent-q-fs-prompt-quit (agent-q-fs-prompt-waiting))
                   (with-current-buffer "prose"
                     (set-buffer-modified-p nil)
                     (buffer-string)))))
         (agent-q-fs-prompt-child-once
          (lambda () (equal "mine y" (with-current-buffer "prose" (buffer-string))))
          (lambda () (funcall ask "g" #'ignore)))
         (funcall ask "f" #'ignore))
    (agent-q-fs-prompt-tests--see "to approve\\]")
    (agent-q-fs-prompt-tests--type "M-x" "agent-q-fs-requests" "Enter")
    (agent-q-fs-prompt-tests--answer "^Create f (1 line)" "y")
    (agent-q-fs-prompt-tests--see "Nothing waits\\.  This goes")
    (agent-q-fs-prompt-tests--type "q" "mine y")
    (agent-q-fs-prompt-tests--see "1 to approve\\]")
    (agent-q-fs-prompt-tests--type "es")
    (agent-q-fs-prompt-tests--see "mine yes")
    (write-region "" nil "../done" nil 'quiet)
    (should (equal "mine yes" (plist-get (agent-q-fs-prompt-tests--result) :value)))
    (should (equal '(t nil) (mapcar #'file-exists-p '("f" "g"))))))

(ert-deftest agent-q-fs-requests/unsaved-with-keys ()
  "No way of approving uses up a request that unsaved text is in the way of; s saves it."
  (agent-q-fs-prompt-tests--with `(("f" ,agent-q-fs-prompt-tests--lines))
      '(let ((agent-q-fs-policy 'always) texts)
         (setq make-backup-files nil)
         (find-file "f")
         (goto-char (point-max))
         (insert "mine\n")
         (agent-q-fs-call-tool-async
          "edit_file" (list :path "f" :edits [(:old_str "line 3\n" :new_str "third\n")
                                              (:old_str "line 35\n" :new_str "35th\n")])
          (lambda (text) (push text texts)) ws)
         (setq agent-q-fs-prompt-child-later
               (lambda ()
                 (when texts
                   (switch-to-buffer "*scratch*")
                   (when (get-buffer "f") (kill-buffer "f"))
                   texts))))
    (agent-q-fs-prompt-tests--see "to approve\\]")
    (agent-q-fs-prompt-tests--type "M-x" "agent-q-fs-requests" "Enter")
    (agent-q-fs-prompt-tests--answer "^UNSAVED: The buffer f has" "y")
    (agent-q-fs-prompt-tests--answer "^The buffer f has changes" "!")
    (agent-q-fs-prompt-tests--answer "Always: t edit_file" "t")
    (agent-q-fs-prompt-tests--answer "y do it" "h")
    (agent-q-fs-prompt-tests--answer "Hunk 1 of 2" "y")
    (agent-q-fs-prompt-tests--answer "Hunk 2 of 2" "n")
    (agent-q-fs-prompt-tests--answer "y do it" "s")
    (agent-q-fs-prompt-tests--see "^As it would be now")
    (should (equal (concat agent-q-fs-prompt-tests--lines "mine\n")
                   (agent-q-fs-prompt-tests--text "f")))
    (agent-q-fs-prompt-tests--answer "y do it" "y")
    (should (string-prefix-p "Edited f" (car (plist-get (agent-q-fs-prompt-tests--result) :value))))
    (should (string-match-p "third\n[^$]*35th\n[^$]*mine\n\\'" (agent-q-fs-prompt-tests--text "f")))))

(ert-deftest agent-q-fs-requests/unsaved-and-a-program-that-waits ()
  "The question of a program stays, too, and s saves what is in its way."
  (agent-q-fs-prompt-tests--with '(("a" "one\n"))
      '(let ((agent-q-fs-policy 'always))
         (setq make-backup-files nil)
         (find-file "a")
         (goto-char (point-max))
         (insert "mine\n")
         (prog1 (agent-q-fs-call-tool "edit_file" '(:path "a" :old_str "one" :new_str "two") ws)
           (switch-to-buffer "*scratch*")
           (kill-buffer "a")))
    (agent-q-fs-prompt-tests--answer agent-q-fs-prompt-tests--question "y")
    (agent-q-fs-prompt-tests--answer "The buffer a has changes[^$]*s saves it" "s")
    (agent-q-fs-prompt-tests--answer "^ mine\n[^$]*(y n e h" "y") ; in the diff, so it is saved
    (should (string-prefix-p "Edited a" (plist-get (agent-q-fs-prompt-tests--result) :value)))
    (should (equal "two\nmine\n" (agent-q-fs-prompt-tests--text "a")))))

(ert-deftest agent-q-fs-requests/waiting-is-not-working ()
  "The log tells the time that a call took from that for which it waited for a person."
  (agent-q-fs-prompt-tests--with nil
      '(let (texts)
         (agent-q-fs-call-tool-async "create_file" '(:path "f" :content "x")
                                     (lambda (text) (push text texts)) ws)
         (setq agent-q-fs-prompt-child-later
               (lambda ()
                 (when (and texts (get-buffer "*agent-q-fs log*") (file-exists-p "../done"))
                   (quit-windows-on "*agent-q-fs log*" t)
                   (let ((event (car (agent-q-fs-audit-calls))))
                     (list (plist-get event :waited) (plist-get event :microseconds)))))))
    (agent-q-fs-prompt-tests--see "to approve\\]")
    (agent-q-fs-prompt-tests--type "M-x" "agent-q-fs-requests" "Enter")
    (agent-q-fs-prompt-tests--see "^Create f")
    (sleep-for 3)                       ; the person reads
    (agent-q-fs-prompt-tests--answer "^Create f" "y")
    (agent-q-fs-test-until (file-exists-p "f"))
    (agent-q-fs-prompt-tests--type "M-x" "agent-q-fs-log" "Enter")
    (agent-q-fs-prompt-tests--see "create_file +dangerous +approved +[0-9.]+ +[0-9]+\\.[0-9] ")
    (write-region "" nil "../done" nil 'quiet)
    (pcase-let ((`(,waited ,took) (plist-get (agent-q-fs-prompt-tests--result) :value)))
      (should (<= 3000000 waited took))
      (should (< (- took waited) waited)))))

(ert-deftest agent-q-fs-requests/all-of-a-line-in-a-narrow-window ()
  "No end of a line is left out where Emacs would cut it, in a window beside another."
  (agent-q-fs-prompt-tests--with nil
      '(progn
         (switch-to-buffer "left")
         (split-window-right)
         (agent-q-fs-call-tool-async
          "shell" (list :command (concat "echo " (make-string 74 ?o) "; touch evil")) #'ignore ws)
         (setq agent-q-fs-prompt-child-later
               (lambda () (when (file-exists-p "../done")
                            (mapc #'agent-q-fs-prompt-quit (agent-q-fs-prompt-waiting))
                            (delete-other-windows)
                            t))))
    (agent-q-fs-prompt-tests--see "An agent asks")
    (agent-q-fs-prompt-tests--type "M-x" "agent-q-fs-requests" "Enter")
    (should (string-search "touch evil" (agent-q-fs-prompt-tests--see "timeout_ms: 60000")))
    (write-region "" nil "../done" nil 'quiet)
    (agent-q-fs-prompt-tests--result)))

(ert-deftest agent-q-fs-requests/letters-from-right-to-left ()
  "The lines of a review, or since a snapshot, stand in the order in which they are read.
Emacs shows the parts of such a line in another order otherwise."
  (let ((line "if \u05d0\u05d1 && ok || \u05d2\u05d3 then"))
    (agent-q-fs-prompt-tests--with '(("a" "one\ntwo\n"))
        `(progn
           (require 'agent-q-fs-review)
           (setq agent-q-fs-workspace ws)
           (set-locale-environment "C.UTF-8")
           (agent-q-fs--call ws 'snapshot_create nil '(:authority dangerous))
           (agent-q-fs-call-tool "edit_file" '(:path "a" :old_str "two" :new_str ,line) ws)
           (run-with-timer
            0.2 nil (lambda ()
                      (agent-q-fs-review)
                      (let ((review (current-buffer)))
                        (agent-q-fs-snapshots)
                        (agent-q-fs-snapshots-diff)
                        (delete-other-windows)
                        (set-window-buffer (split-window-below) review))))
           (setq agent-q-fs-prompt-child-later
                 (lambda () (file-exists-p "../done"))))
      (let ((screen (agent-q-fs-prompt-tests--see "Since snapshot\\(?:.\\|\n\\)*Review:")))
        (should (= 3 (length (split-string screen (regexp-quote (concat "+" line)))))))
      (write-region "" nil "../done" nil 'quiet)
      (agent-q-fs-prompt-tests--result))))

(ert-deftest agent-q-fs-requests/typed-while-busy ()
  "A key that is typed while Emacs is busy, after the request was drawn, does not count."
  (agent-q-fs-prompt-tests--with nil
      `(let ((texts nil))
         (agent-q-fs-call-tool-async "create_file" '(:path "new" :content "x")
                                     (lambda (text) (push text texts)) ws)
         (agent-q-fs-prompt-child-once (lambda () (get-buffer "*agent-q-fs request*"))
                                       ,agent-q-fs-prompt-tests--busy)
         (setq agent-q-fs-prompt-delay 1.0
               agent-q-fs-prompt-child-later (lambda () texts)))
    (agent-q-fs-prompt-tests--see "to approve\\]")
    (agent-q-fs-prompt-tests--type "M-x" "agent-q-fs-requests" "Enter")
    (agent-q-fs-prompt-tests--type-while-busy "y")
    (sleep-for 1.5)
    (agent-q-fs-prompt-tests--type "y")
    (agent-q-fs-prompt-tests--value)
    (should (file-exists-p "new"))))

(provide 'agent-q-fs-requests-tests)
;;; agent-q-fs-requests-tests.el ends here
