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
     "\\+ dir/" '("n" "Tab") "- dir/.*\n +inner\\.txt")
    (let ((screen (agent-q-fs-ui-terminal-tests--see "inner\\.txt")))
      (should-not (string-search "apply the patch here" screen)))
    (agent-q-fs-ui-terminal-tests--steps '("Tab") "\\+ dir/.*\n +z" '("Tab" "n" "Enter")
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
       "Find file" '("a") "^a\\.txt")
      (agent-q-fs-ui-terminal-tests--quit "Find file")
      (should (equal before (agent-q-fs-ui-terminal-tests--told)))
      (agent-q-fs-ui-terminal-tests--steps
       agent-q-fs-ui-terminal-tests--menu "apply the patch here" '("d")
       "Delete:" '("a." "Tab" "Enter") "y, n, SPC")
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
  "Files are listed while a glob is typed; the one that was chosen is visited."
  (agent-q-fs-ui-terminal-tests--with ('("d/foo.el" "the first\n") '("d/foo.txt" "the second\n")
                                       '("bar" ""))
    (agent-q-fs-ui-terminal-tests--steps
     agent-q-fs-ui-terminal-tests--menu "apply the patch here" '("f")
     "Find file" "3 files" '("fo") "2 files" '("Down" "Enter") "the second")
    (let ((told (agent-q-fs-ui-terminal-tests--told)))
      (should (equal "foo.txt" (plist-get told :buffer)))
      (should (equal '("foo.txt") (plist-get told :windows)))
      (should-not (member "*agent-q-fs files*" (plist-get told :buffers))))))

(ert-deftest agent-q-fs-ui-terminal/find-keep ()
  "The list can be kept, and its files visited; no recursive edit is left."
  (agent-q-fs-ui-terminal-tests--with ('("a.el" "the text\n"))
    (agent-q-fs-ui-terminal-tests--steps
     agent-q-fs-ui-terminal-tests--menu "apply the patch here" '("f")
     "Find file" '("*.el") "1 file" '("C-c" "C-o"))
    (agent-q-fs-test-until (not (string-search "Find file" (agent-q-fs-ui-terminal-tests--tmux
                                                            "capture-pane" "-p"))))
    (let ((told (agent-q-fs-ui-terminal-tests--told)))
      (should (equal "*agent-q-fs files*" (plist-get told :buffer)))
      (should (equal 0 (plist-get told :depth))))
    (agent-q-fs-ui-terminal-tests--steps '("Enter") "the text")))

(ert-deftest agent-q-fs-ui-terminal/set-root ()
  "The root is set to a directory, and found again by an empty name."
  (agent-q-fs-ui-terminal-tests--with ('("sub/a" ""))
    (agent-q-fs-ui-terminal-tests--steps
     agent-q-fs-ui-terminal-tests--menu "apply the patch here" '("s")
     "Root for all calls" (list (concat default-directory "sub") "Enter") "/p/sub/ (explicit)"
     agent-q-fs-ui-terminal-tests--menu "Files of .*/p/sub/" '("s")
     "Root for all calls" '("Enter") "/p/ (git)")))

(ert-deftest agent-q-fs-ui-terminal/no-root ()
  "Where there is no project, the command asks for one and goes on."
  (agent-q-fs-ui-terminal-tests--with ('("only.txt" ""))
    (agent-q-fs-ui-terminal-tests--steps
     '("M-:" "(cd \"/\")" "Enter") agent-q-fs-ui-terminal-tests--menu "apply the patch here" '("t")
     "No project is around here" (list (concat "/" default-directory) "Enter") "only\\.txt")))

(ert-deftest agent-q-fs-ui-terminal/replace ()
  "The change is shown, and done on y; n does nothing."
  (agent-q-fs-ui-terminal-tests--with ('("a.txt" "one\ntwo\n"))
    (let ((before (agent-q-fs-ui-terminal-tests--told))
          (keys (list agent-q-fs-ui-terminal-tests--menu "apply the patch here" '("r")
                      "Replace in file" '("a.txt" "Enter") "Replace (C-j" '("two" "Enter")
                      "Replace with" '("C-a" "C-k" "second" "C-j" "third" "Enter")
                      "^\\+second\n\\+third")))
      (apply #'agent-q-fs-ui-terminal-tests--steps keys)
      (agent-q-fs-ui-terminal-tests--steps '("n") "Nothing was changed")
      (should (equal "one\ntwo\n" (agent-q-fs-ui-terminal-tests--text "a.txt")))
      (should (equal before (agent-q-fs-ui-terminal-tests--told)))
      (apply #'agent-q-fs-ui-terminal-tests--steps keys)
      (agent-q-fs-ui-terminal-tests--steps '("y") "Done: edit_file")
      (should (equal "one\nsecond\nthird\n" (agent-q-fs-ui-terminal-tests--text "a.txt")))
      (should (equal before (agent-q-fs-ui-terminal-tests--told))))))

(provide 'agent-q-fs-ui-terminal-tests)
;;; agent-q-fs-ui-terminal-tests.el ends here
