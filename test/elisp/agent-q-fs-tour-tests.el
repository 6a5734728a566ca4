;;; agent-q-fs-tour-tests.el --- The tour, with real keys on a terminal  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'agent-q-fs-test-help)
(require 'agent-q-fs-ui-terminal-tests)

(defvar agent-q-fs-tour-tests--temporary nil
  "The temporary directory of the Emacs on the terminal.")

(defun agent-q-fs-tour-tests--made ()
  "Return the directories that tours have made, and not removed."
  (directory-files agent-q-fs-tour-tests--temporary t "\\`agent-q-fs-tour-"))

(defun agent-q-fs-tour-tests--file (name)
  "Return the text of the file NAME in the tour's project, or nil if there is none."
  (let ((file (expand-file-name (concat "greeter/" name) (car (agent-q-fs-tour-tests--made)))))
    (and (file-exists-p file) (agent-q-fs-ui-terminal-tests--text file))))

(defun agent-q-fs-tour-tests--gone-p ()
  "Wait until no tour has a directory any more."
  (agent-q-fs-test-until (null (agent-q-fs-tour-tests--made))))

(defmacro agent-q-fs-tour-tests--with (&rest body)
  "Run BODY with an Emacs on a terminal, in a project that holds mine.txt."
  (declare (indent 0) (debug t))
  `(let* ((agent-q-fs-tour-tests--temporary (file-truename (make-temp-file "aqfs-tour-" t)))
          (process-environment (cons (concat "TMPDIR=" agent-q-fs-tour-tests--temporary)
                                     process-environment)))
     (unwind-protect
         (agent-q-fs-ui-terminal-tests--with ('("mine.txt" "mine\n"))
           ,@body)
       (agent-q-fs-test-remove agent-q-fs-tour-tests--temporary))))

(defun agent-q-fs-tour-tests--steps (&rest steps)
  "Do STEPS, strings to be seen and lists of keys, one page after the other."
  (apply #'agent-q-fs-ui-terminal-tests--steps steps))

(defconst agent-q-fs-tour-tests--begin
  '(("M-x" "agent-q-fs-tour" "Enter") "page 1 of 10" ("Space")
    "page 2 of 10" ("Space") "Helo, .*\n[^$]*This is what the agent was given" ("Space")
    "page 3 of 10" ("Space") "outside project root" ("Space")
    "page 4 of 10[^$]*Helo, " ("Space") "your changes\\|its buffer shows the new text")
  "The way to the end of the fourth page.")

(ert-deftest agent-q-fs-tour/manual ()
  "The manual is shown also where Info does not know it; without one, the error says what to do."
  (require 'info)
  (let ((Info-directory-list (list temporary-file-directory)) (Info-additional-directory-list nil))
    (save-window-excursion
      (agent-q-fs-manual)
      (let ((file (if (derived-mode-p 'Info-mode) Info-current-file buffer-file-name)))
        (should (member (file-name-nondirectory file) '("agent-q-fs.info" "manual.org"))))
      (kill-buffer))
    (cl-letf (((symbol-function 'agent-q-fs-module--source) #'ignore))
      (should-error (agent-q-fs-manual) :type 'user-error))))

(ert-deftest agent-q-fs-tour/from-end-to-end ()
  "Every page does what it says, and nothing is left when the tour is over."
  (agent-q-fs-tour-tests--with
    (let ((before (agent-q-fs-ui-terminal-tests--told)))
      (apply #'agent-q-fs-tour-tests--steps agent-q-fs-tour-tests--begin)
      (should (equal "#!/bin/sh\n# Greets somebody.\necho \"Hello, ${1:-you}!\"\n"
                     (agent-q-fs-tour-tests--file "greet.sh")))
      ;; The file's buffer, in the window below, shows the new text.
      (agent-q-fs-tour-tests--steps "^echo \"Hello, " '("Space") "page 5 of 10")
      (should-not (agent-q-fs-tour-tests--file "test.sh"))
      ;; A key that would answer the request answers nothing here, and says where it does.
      (agent-q-fs-tour-tests--steps '("Space") "SPC opens its request" '("y") "y counts only in the request"
                                    '("Space") "^Create test.sh")
      (should-not (agent-q-fs-tour-tests--file "test.sh"))
      (agent-q-fs-tour-tests--steps '("y") "was shown is what was written")
      (should (string-search "Fails unless" (agent-q-fs-tour-tests--file "test.sh")))
      (agent-q-fs-tour-tests--steps
       '("Space") "page 6 of 10" '("Space") "SPC opens its request" '("Space") "^Delete ideas.txt" '("n")
       "Why not" '("I need them" "Enter") "denied delete_file: I need them")
      (should (agent-q-fs-tour-tests--file "ideas.txt"))
      (agent-q-fs-tour-tests--steps
       '("Space") "page 7 of 10" '("Space") "SPC opens its request" '("Space") "^Run: sh greet.sh")
      (agent-q-fs-tour-tests--steps
       '("y") "Hello, Ada!" '("Space")
       "page 8 of 10[^$]*delete_file +dangerous +denied" '("Space")
       ;; Painting what is shown starts the mode of shell scripts, which sends a message.
       "page 9 of 10" '("Space") "^Delete test.sh (3 lines)\\? (y, n" '("y") "as it was before that call")
      (should-not (agent-q-fs-tour-tests--file "test.sh"))
      (should (string-search "Hello" (agent-q-fs-tour-tests--file "greet.sh")))
      (agent-q-fs-tour-tests--steps '("Space") "page 10 of 10" '("Space") "C-x C-c ends Emacs")
      (should (agent-q-fs-tour-tests--gone-p))
      (let ((after (agent-q-fs-ui-terminal-tests--told)))
        (should (equal (plist-get before :windows) (plist-get after :windows)))
        (should (equal (plist-get before :buffer) (plist-get after :buffer)))
        (should-not (seq-intersection '("greet.sh" "*agent-q-fs tour*")
                                      (plist-get after :buffers))))
      (should (equal '("." ".." ".git" "mine.txt") (directory-files default-directory))))))

(ert-deftest agent-q-fs-tour/deleted-and-brought-back ()
  "A person who says yes to everything gets the deleted file back."
  (agent-q-fs-tour-tests--with
    (apply #'agent-q-fs-tour-tests--steps agent-q-fs-tour-tests--begin)
    (agent-q-fs-tour-tests--steps
     '("Space") "page 5 of 10" '("Space") "SPC opens its request" '("Space") "^Create test.sh" '("n") "Why not" '("Enter") "Nothing was written"
     '("Space") "page 6 of 10" '("Space") "SPC opens its request" '("Space") "^Delete ideas.txt")
    (agent-q-fs-tour-tests--steps '("y") "The file is gone")
    (should-not (agent-q-fs-tour-tests--file "ideas.txt"))
    (agent-q-fs-tour-tests--steps
     '("Space") "page 7 of 10" '("Space") "SPC opens its request" '("Space") "^Run: sh greet.sh" '("n") "Why not" '("Enter") "The command was not run"
     '("Space") "page 8 of 10" '("Space") "page 9 of 10" '("Space") "ideas.txt" '("y")
     "as it was before that call")
    (should (agent-q-fs-tour-tests--file "ideas.txt"))))

(ert-deftest agent-q-fs-tour/left-in-the-middle ()
  "A person who leaves, kills the buffer or ends Emacs leaves no directory behind."
  (dolist (keys '(("q") ("C-x" "k" "Enter") ("C-x" "C-c")))
    (agent-q-fs-tour-tests--with
      (apply #'agent-q-fs-tour-tests--steps agent-q-fs-tour-tests--begin)
      (should (= 1 (length (agent-q-fs-tour-tests--made))))
      (agent-q-fs-tour-tests--steps keys)
      (should (equal (cons keys t) (cons keys (agent-q-fs-tour-tests--gone-p)))))))

(ert-deftest agent-q-fs-tour/under-other-options ()
  "The tour's words hold whatever a person's own options are, which stay as they are."
  (agent-q-fs-tour-tests--with
    (let ((options "(list agent-q-fs-policy agent-q-fs-denied agent-q-fs-open-options \
agent-q-fs-before-change-functions)"))
      (agent-q-fs-tour-tests--steps
       '("M-:" "(progn (require 'agent-q-fs-change) (setq agent-q-fs-policy 'read-only \
agent-q-fs-denied '((t)) agent-q-fs-open-options '(:read_only t)) 'set)" "Enter")
       "^set" (list "M-:" (concat "(defvar before " options ")") "Enter") "^before")
      (apply #'agent-q-fs-tour-tests--steps agent-q-fs-tour-tests--begin)
      (should (string-search "Hello" (agent-q-fs-tour-tests--file "greet.sh")))
      (agent-q-fs-tour-tests--steps '("Space") "page 5 of 10" '("Space") "SPC opens its request" '("Space") "^Create test.sh")
      (agent-q-fs-tour-tests--steps '("y") "was shown is what was written"
                                    '("q") "project is removed"
                                    (list "M-:" (format "(if (equal before %s) 'unchanged)" options)
                                          "Enter")
                                    "^unchanged"))))

(ert-deftest agent-q-fs-tour/make-run ()
  "On a terminal, `make run' is the tour; the directory of the sources is behind it."
  (let ((tree (locate-dominating-file default-directory "module/include/aqfs.h")))
    (unless tree (ert-skip "The sources are not here"))
    (agent-q-fs-tour-tests--with
      (agent-q-fs-ui-terminal-tests--tmux
       "respawn-pane" "-k" "-c" (expand-file-name tree)
       "env" "-u" "MAKEFLAGS" "-u" "MAKELEVEL" "sh" "scripts/run.sh")
      (agent-q-fs-tour-tests--steps "page 1 of 10" '("Space") "page 2 of 10" '("q")
                                    "C-x C-c ends Emacs" "README\\.org")
      (should (agent-q-fs-tour-tests--gone-p)))))

(provide 'agent-q-fs-tour-tests)
;;; agent-q-fs-tour-tests.el ends here
