;;; agent-q-fs-ui-terminal-tests.el --- The commands on a terminal, with real keys  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Each test starts an Emacs in tmux, types keys as a person does, and checks the
;; screen and the files.  C-c z makes that Emacs write its state into a file.

;;; Code:

(require 'agent-q-fs-test-help)

(defvar agent-q-fs-ui-terminal-tests--session nil
  "The tmux server of the running test.")

(defconst agent-q-fs-ui-terminal-tests--setup
  `(progn
     (setq inhibit-startup-screen t
           agent-q-fs-prompt-delay 0    ; these tests look before they type
           agent-q-fs-state-directory (expand-file-name "../state"))
     (defun tell ()
       (interactive)
       (with-temp-file "../told.new"
         (prin1 (with-current-buffer (window-buffer (or (minibuffer-selected-window)
                                                        (selected-window)))
                  (list :buffer (buffer-name) :line (line-number-at-pos)
                        :column (current-column)
                        :depth (recursion-depth)
                        :buffers (seq-remove (lambda (name)
                                               (string-match-p ,agent-q-fs-test-hidden-buffers
                                                               name))
                                             (mapcar #'buffer-name (buffer-list)))
                        :windows (mapcar (lambda (w) (buffer-name (window-buffer w)))
                                         (window-list nil 'no-minibuffer))))
                (current-buffer)))
       (rename-file "../told.new" "../told" t))
     (let ((directory default-directory))
       (global-set-key (kbd "C-c z") (lambda () (interactive)
                                       (let ((default-directory directory)) (tell)))))
     (switch-to-buffer "start")
     (insert "READY"))
  "The form that the Emacs on the terminal evaluates first.")

(defun agent-q-fs-ui-terminal-tests--tmux (&rest arguments)
  "Run tmux with ARGUMENTS and return its output."
  (with-temp-buffer
    (apply #'call-process "tmux" nil t nil "-L" agent-q-fs-ui-terminal-tests--session arguments)
    (buffer-string)))

(defun agent-q-fs-ui-terminal-tests--see (regexp)
  "Wait until the terminal shows a match for REGEXP."
  (let ((case-fold-search nil) (screen ""))
    (agent-q-fs-test-until (string-match-p regexp (setq screen (agent-q-fs-ui-terminal-tests--tmux
                                                                "capture-pane" "-p")))
                           (list regexp screen))
    screen))

(defun agent-q-fs-ui-terminal-tests--quit (regexp)
  "Type \\`C-g', and wait until the terminal does not show REGEXP any more.
A key that comes while Emacs quits is lost."
  (agent-q-fs-ui-terminal-tests--type "C-g")
  (agent-q-fs-test-until (not (string-match-p regexp (agent-q-fs-ui-terminal-tests--tmux
                                                      "capture-pane" "-p")))))

(defun agent-q-fs-ui-terminal-tests--type (&rest keys)
  "Type KEYS, as tmux calls them."
  (apply #'agent-q-fs-ui-terminal-tests--tmux "send-keys" keys))

(defun agent-q-fs-ui-terminal-tests--told ()
  "Return the state that the Emacs on the terminal writes."
  (when (file-exists-p "../told") (delete-file "../told"))
  (agent-q-fs-ui-terminal-tests--type "C-c" "z")
  (agent-q-fs-test-until (file-exists-p "../told")
                         (agent-q-fs-ui-terminal-tests--tmux "capture-pane" "-p"))
  (with-temp-buffer
    (insert-file-contents "../told")
    (read (current-buffer))))

(defun agent-q-fs-ui-terminal-tests--call (files function)
  "Call FUNCTION while an Emacs is on a terminal, in a directory with FILES."
  (unless (executable-find "tmux") (ert-skip "There is no tmux"))
  (let* ((base (file-name-as-directory (file-truename (make-temp-file "aqfs-ui-" t))))
         (default-directory (file-name-as-directory (expand-file-name "p" base)))
         (agent-q-fs-ui-terminal-tests--session
          (format "aqfs-ui-%d-%d" (emacs-pid) (random 100000)))
         (process-environment (cons "TERM=screen" process-environment)))
    (dolist (part '("objects" "refs"))
      (make-directory (expand-file-name part ".git") t))
    (write-region "ref: refs/heads/main\n" nil ".git/HEAD" nil 'quiet)
    (unwind-protect
        (progn
          (pcase-dolist (`(,name ,content) files)
            (agent-q-fs-test--write name content))
          (apply #'agent-q-fs-ui-terminal-tests--tmux "new-session" "-d" "-x" "100" "-y" "40"
                 (agent-q-fs-test-emacs-command
                  "-nw" "-l" "agent-q-fs" "--eval"
                  (format "%S" agent-q-fs-ui-terminal-tests--setup)))
          (agent-q-fs-ui-terminal-tests--see "READY")
          (funcall function))
      (agent-q-fs-ui-terminal-tests--tmux "kill-server")
      (agent-q-fs-test-remove base))))

(defmacro agent-q-fs-ui-terminal-tests--with (files &rest body)
  "With FILES and an Emacs on a terminal, run BODY."
  (declare (indent 1) (debug t))
  `(agent-q-fs-ui-terminal-tests--call (list ,@files) (lambda () ,@body)))

(defun agent-q-fs-ui-terminal-tests--steps (&rest steps)
  "Do STEPS: a string is waited for as a regexp, a list of keys is typed."
  (dolist (step steps)
    (if (stringp step)
        (agent-q-fs-ui-terminal-tests--see step)
      (apply #'agent-q-fs-ui-terminal-tests--type step))))

(defun agent-q-fs-ui-terminal-tests--text (name)
  "Return what the file NAME holds."
  (with-temp-buffer
    (insert-file-contents-literally name)
    (buffer-string)))

(defconst agent-q-fs-ui-terminal-tests--menu '("M-x" "agent-q-fs" "Enter")
  "The keys that open the menu.")

(ert-deftest agent-q-fs-ui-terminal/menu-and-tree ()
  "The menu opens the tree; it folds, and RET visits."
  (agent-q-fs-ui-terminal-tests--with ('("dir/inner.txt" "what is inside\n") '("z" ""))
    (agent-q-fs-ui-terminal-tests--steps
     agent-q-fs-ui-terminal-tests--menu "apply the patch here" '("t")
     "\\+ dir/" '("n" "Tab") "- dir/.*\n.* inner\\.txt")
    (let ((screen (agent-q-fs-ui-terminal-tests--see "inner\\.txt")))
      (should-not (string-search "apply the patch here" screen)))
    (agent-q-fs-ui-terminal-tests--steps '("Tab") "\\+ dir/.*\n.* z" '("Tab" "n" "Enter")
                                         "what is inside")
    (should (equal "inner.txt" (plist-get (agent-q-fs-ui-terminal-tests--told) :buffer)))))

(ert-deftest agent-q-fs-ui-terminal/menu-quit ()
  "C-g leaves the menu, the questions and the search, and nothing else behind."
  (agent-q-fs-ui-terminal-tests--with ('("a.txt" "one\n"))
    (let ((before (agent-q-fs-ui-terminal-tests--told)))
      (agent-q-fs-ui-terminal-tests--steps
       agent-q-fs-ui-terminal-tests--menu "apply the patch here")
      (agent-q-fs-ui-terminal-tests--quit "apply the patch here")
      (should (equal before (agent-q-fs-ui-terminal-tests--told)))
      (agent-q-fs-ui-terminal-tests--steps
       agent-q-fs-ui-terminal-tests--menu "apply the patch here" '("f")
       "Find file" '("a" "Tab") "Find file in .*: a\\.txt")
      (agent-q-fs-ui-terminal-tests--quit "Find file")
      (should (equal before (agent-q-fs-ui-terminal-tests--told)))
      (agent-q-fs-ui-terminal-tests--steps
       agent-q-fs-ui-terminal-tests--menu "apply the patch here" '("d")
       "Delete:" '("a." "Tab" "Enter") "Delete a\\.txt.*\\? (y, n, SPC")
      (agent-q-fs-ui-terminal-tests--quit "y, n, SPC")
      (should (equal before (agent-q-fs-ui-terminal-tests--told)))
      (should (equal "one\n" (agent-q-fs-ui-terminal-tests--text "a.txt"))))))

(ert-deftest agent-q-fs-ui-terminal/grep ()
  "The list fills, and `next-error' visits."
  (agent-q-fs-ui-terminal-tests--with ('("a.txt" "no\nyes needle\n") '("b.txt" "needle\n"))
    (agent-q-fs-ui-terminal-tests--steps
     agent-q-fs-ui-terminal-tests--menu "apply the patch here" '("g")
     "Search for" '("needle" "Enter") "2 lines in 2 files" '("M-g" "n") "^no\nyes")
    (let ((told (agent-q-fs-ui-terminal-tests--told)))
      (should (equal "a.txt" (plist-get told :buffer)))
      (should (equal '(2 4) (list (plist-get told :line) (plist-get told :column)))))
    (agent-q-fs-ui-terminal-tests--steps '("M-g" "n") "b\\.txt  ")
    (should (equal "b.txt" (plist-get (agent-q-fs-ui-terminal-tests--told) :buffer)))))

(ert-deftest agent-q-fs-ui-terminal/find ()
  "Words in any order find a file, also with the completion that Emacs has by itself."
  (agent-q-fs-ui-terminal-tests--with ('("d/foo.el" "the first\n") '("d/foo.txt" "the second\n")
                                       '("bar" ""))
    (agent-q-fs-ui-terminal-tests--steps
     agent-q-fs-ui-terminal-tests--menu "apply the patch here" '("f")
     "Find file in" '("fo" "Space" "d/" "?") "d/foo\\.el .*\n*.*d/foo\\.txt"
     '("Space" "tx" "Enter") "the second")
    (let ((told (agent-q-fs-ui-terminal-tests--told)))
      (should (equal "foo.txt" (plist-get told :buffer)))
      (should (equal '("foo.txt") (plist-get told :windows))))))

(ert-deftest agent-q-fs-ui-terminal/find-keep ()
  "The files that match can be kept as a list, and visited; no recursive edit is left."
  (agent-q-fs-ui-terminal-tests--with ('("a.el" "the text\n") '("b.c" ""))
    (agent-q-fs-ui-terminal-tests--steps
     agent-q-fs-ui-terminal-tests--menu "apply the patch here" '("f")
     "Find file" '("*.el" "C-c" "C-o") "\\*\\.el: 1 file")
    (let ((told (agent-q-fs-ui-terminal-tests--told)))
      (should (equal "*agent-q-fs files*" (plist-get told :buffer)))
      (should (equal 0 (plist-get told :depth))))
    (agent-q-fs-ui-terminal-tests--steps '("Enter") "the text")))

(ert-deftest agent-q-fs-ui-terminal/set-root ()
  "The root is set to a directory, and found again by an empty name."
  (agent-q-fs-ui-terminal-tests--with ('("sub/a" ""))
    (agent-q-fs-ui-terminal-tests--steps
     agent-q-fs-ui-terminal-tests--menu "apply the patch here" '("s")
     "Root for all calls" (list (concat default-directory "sub") "Enter") "Paths are in .*/p/sub/, as it was set"
     agent-q-fs-ui-terminal-tests--menu "Files of .*/p/sub/" '("s")
     "Root for all calls" '("Enter") "/p/, which was found by git")))

(ert-deftest agent-q-fs-ui-terminal/no-root ()
  "Where there is no project, the command asks for one and goes on."
  (agent-q-fs-ui-terminal-tests--with ('("only.txt" ""))
    (agent-q-fs-ui-terminal-tests--steps
     '("M-:" "(cd \"/\")" "Enter") agent-q-fs-ui-terminal-tests--menu "apply the patch here" '("t")
     "No project is around here" (list (concat "/" default-directory) "Enter") "only\\.txt")))

(ert-deftest agent-q-fs-ui-terminal/replace ()
  "The new text is written in a buffer; the change is shown, and done on y."
  (agent-q-fs-ui-terminal-tests--with ('("a.txt" "one\ntwo\n"))
    (let ((before (agent-q-fs-ui-terminal-tests--told)))
      (agent-q-fs-ui-terminal-tests--steps
       agent-q-fs-ui-terminal-tests--menu "apply the patch here" '("r")
       "Replace in file" '("a.txt" "Enter") "Text to replace" '("two" "Enter")
       "What replaces this in a\\.txt" '("C-k" "second" "Enter" "third" "C-c" "C-c")
       "^\\+second\n\\+third" "Edit a\\.txt (\\+2 -1)\\?" '("n") "Nothing was changed")
      (should (equal "one\ntwo\n" (agent-q-fs-ui-terminal-tests--text "a.txt")))
      ;; The text that was written is still there.
      (agent-q-fs-ui-terminal-tests--steps '("C-c" "C-c") "\\?.*, \\? helps" '("?")
                                           "y does what is shown" '("y") "Done: Edit a\\.txt")
      (should (equal "one\nsecond\nthird\n" (agent-q-fs-ui-terminal-tests--text "a.txt")))
      (should (equal before (agent-q-fs-ui-terminal-tests--told))))))

(ert-deftest agent-q-fs-ui-terminal/file-since-a-snapshot ()
  "A file is compared with its text in a snapshot by ediff, which leaves the list as it was."
  (agent-q-fs-ui-terminal-tests--with ('("a.txt" "one\ntwo\n"))
    (agent-q-fs-ui-terminal-tests--steps
     agent-q-fs-ui-terminal-tests--menu "apply the patch here" '("S")
     "Snapshots: " '("+") "Tag (or none):" '("then" "Enter") "Snapshot taken[^$]*\\|then\n")
    (agent-q-fs-test--write "a.txt" "one\nsecond\n")
    (let ((before (progn (agent-q-fs-ui-terminal-tests--see " then$")
                         (agent-q-fs-ui-terminal-tests--told))))
      (agent-q-fs-ui-terminal-tests--steps
       '("e") "Compare file:" '("a.txt" "Enter") "Type \\? for help" '("n")
       "^two\n[^$]*\nsecond\n" '("q") "Quit this Ediff session" '("y") " then$")
      (let ((after (agent-q-fs-ui-terminal-tests--told)))
        (should (equal (plist-get before :windows) (plist-get after :windows)))
        (should (equal '("*Ediff Registry*" "a.txt")
                       (sort (seq-difference (plist-get after :buffers) (plist-get before :buffers))
                             #'string<)))))))

(ert-deftest agent-q-fs-ui-terminal/create-and-abort ()
  "A text that was written is not thrown away unasked; nothing is made without y."
  (agent-q-fs-ui-terminal-tests--with nil
    (let ((before (agent-q-fs-ui-terminal-tests--told)))
      (agent-q-fs-ui-terminal-tests--steps
       agent-q-fs-ui-terminal-tests--menu "apply the patch here" '("c")
       "Create file" '("new.txt" "Enter") "The text of new\\.txt" '("hello" "C-c" "C-k")
       "Forget what is written here" '("yes" "Enter") "Nothing was changed")
      (should (equal before (agent-q-fs-ui-terminal-tests--told)))
      (should-not (file-exists-p "new.txt")))))

(ert-deftest agent-q-fs-ui-terminal/edit-lines ()
  "With the keys of wgrep, lines of two files are edited and changed at once."
  (agent-q-fs-ui-terminal-tests--with ('("a.txt" "needle 1\n") '("b.txt" "x\nneedle 2\n"))
    (agent-q-fs-ui-terminal-tests--steps
     '("M-x" "agent-q-fs-grep" "Enter") "Search for (PCRE)" '("needle" "Enter")
     "2 lines in 2 files" '("C-x" "o" "C-c" "C-p") "C-c C-c changes the files"
     '("M-<" "M-%" "needle" "Enter" "pin" "Enter" "!") "1: pin 1"
     '("C-c" "C-c") "Edit 2 files .*\\?" '("y") "Done: Edit 2 files")
    (should (equal "pin 1\n" (agent-q-fs-ui-terminal-tests--text "a.txt")))
    (should (equal "x\npin 2\n" (agent-q-fs-ui-terminal-tests--text "b.txt")))))

(ert-deftest agent-q-fs-ui-terminal/marks ()
  "Files are flagged in the tree, and deleted by x and y."
  (agent-q-fs-ui-terminal-tests--with ('("a.txt" "") '("b.txt" "") '("c.txt" ""))
    (agent-q-fs-ui-terminal-tests--steps
     agent-q-fs-ui-terminal-tests--menu "apply the patch here" '("t") "c\\.txt"
     '("n" "d" "d") "^D.* b\\.txt" '("x") "Delete a\\.txt and do 1 more\\?" '("y")
     "1 file, ")
    (should (equal '(nil nil t) (mapcar (lambda (name) (file-exists-p name))
                                        '("a.txt" "b.txt" "c.txt"))))))

(defun agent-q-fs-ui-terminal-tests--load (feature form)
  "Have the Emacs on the terminal load FEATURE, a package of others, and do FORM.
Skip this test where that is missing."
  (let ((directories (append (file-expand-wildcards "/usr/share/emacs/site-lisp/elpa/*" t)
                             (file-expand-wildcards "/usr/share/emacs/site-lisp/elpa-src/*" t))))
    (unless (locate-file (concat feature ".el") directories)
      (ert-skip (format "There is no %s" feature)))
    (with-temp-file "../more.el"
      (prin1 `(progn (setq load-path (append load-path ',directories))
                     (require ',(intern feature))
                     ,form)
             (current-buffer)))
    (agent-q-fs-ui-terminal-tests--steps '("M-x" "load-file" "Enter") "Load file"
                                         '("../more.el" "Enter") "more.el (source)...done")))

(ert-deftest agent-q-fs-ui-terminal/evil ()
  "In Evil's normal state, our keys work in a tree and a search, and j and k do."
  (agent-q-fs-ui-terminal-tests--with ('("a.txt" "needle\n") '("d/b.txt" "b\n"))
    (agent-q-fs-ui-terminal-tests--load "evil" '(progn (evil-mode) (agent-q-fs-evil-setup)))
    (agent-q-fs-ui-terminal-tests--steps
     '("M-x" "agent-q-fs-tree" "Enter") "\\+ d/.*\n*" '("gg" "j" "j" "Tab") "- d/"
     '("k" "d") "^D.* a\\.txt" '("gg" "j" "u" "k" "Enter") "^needle"
     '("M-x" "agent-q-fs-grep" "Enter") "Search for" '("needle" "Enter") "1 line in 1 file"
     '("C-x" "o" "gg" "n" "+") "1 around")
    (should (equal "*agent-q-fs grep*"
                   (plist-get (agent-q-fs-ui-terminal-tests--told) :buffer)))))

(ert-deftest agent-q-fs-ui-terminal/vertico ()
  "With vertico, a hostile name is shown so that it does not mislead, and is visited."
  (agent-q-fs-ui-terminal-tests--with ('("evil\u202etxt.exe" "the true one\n") '("z" ""))
    (agent-q-fs-ui-terminal-tests--load "vertico" '(vertico-mode))
    (agent-q-fs-ui-terminal-tests--steps
     '("M-x" "agent-q-fs-find" "Enter") "Find file in" "evil<U\\+202E>txt\\.exe"
     '("exe" "Space" "evil" "Enter") "the true one")))

(ert-deftest agent-q-fs-ui-terminal/consult ()
  "With consult, completing in the buffer and the index of a tree work as elsewhere."
  (agent-q-fs-ui-terminal-tests--with ('("d/a.txt" "") '("e/b.txt" ""))
    (agent-q-fs-ui-terminal-tests--load "consult-imenu" nil)
    (agent-q-fs-ui-terminal-tests--steps
     '("M-x" "agent-q-fs-tree" "Enter") "\\+ e/" '("M-x" "consult-imenu" "Enter") "Go to item"
     '("e" "Enter" "Tab") "- e/.*\n.* b\\.txt")))

(ert-deftest agent-q-fs-ui-terminal/marginalia ()
  "With marginalia, paths below a directory are annotated, too."
  (agent-q-fs-ui-terminal-tests--with ('("d/a.txt" "12345") '("d/b.txt" ""))
    (agent-q-fs-ui-terminal-tests--load "marginalia" '(marginalia-mode))
    (agent-q-fs-ui-terminal-tests--steps
     '("M-x" "agent-q-fs-view" "Enter") "View file" '("d/" "?") "a\\.txt +-rw")))

(provide 'agent-q-fs-ui-terminal-tests)
;;; agent-q-fs-ui-terminal-tests.el ends here
