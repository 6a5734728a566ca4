;;; agent-q-fs-prompt-tests.el --- Tests of the prompt, with real keys  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Each test starts an Emacs in tmux with agent-q-fs-prompt-child.el, has it call a
;; tool, types keys as a person does, and checks the screen, the files and the
;; value of the call.

;;; Code:

(require 'agent-q-fs-test-help)

(defvar agent-q-fs-prompt-tests--session nil
  "The tmux server of the running test.")

(defvar agent-q-fs-prompt-tests--log nil
  "The file that the Emacs in tmux writes at the end.")

(defun agent-q-fs-prompt-tests--tmux (&rest arguments)
  "Run tmux with ARGUMENTS and return its output."
  (with-temp-buffer
    (apply #'call-process "tmux" nil t nil "-L" agent-q-fs-prompt-tests--session arguments)
    (buffer-string)))

(defun agent-q-fs-prompt-tests--screen ()
  "Return the text on the terminal."
  (agent-q-fs-prompt-tests--tmux "capture-pane" "-p"))

(defun agent-q-fs-prompt-tests--see (regexp)
  "Wait until the terminal shows a match for REGEXP, and return all that it shows."
  (let ((case-fold-search nil) (screen ""))
    (agent-q-fs-test-until
     (string-match-p regexp (setq screen (agent-q-fs-prompt-tests--screen)))
     (list regexp screen))
    screen))

(defun agent-q-fs-prompt-tests--type (&rest keys)
  "Type KEYS, as tmux calls them."
  (apply #'agent-q-fs-prompt-tests--tmux "send-keys" keys))

(defun agent-q-fs-prompt-tests--answer (regexp &rest keys)
  "Wait until REGEXP is shown and that Emacs says that a key counts, and type KEYS."
  (agent-q-fs-prompt-tests--see regexp)
  (agent-q-fs-test-until
   (equal "ready\n" (agent-q-fs-prompt-tests--tmux "display-message" "-p" "#{pane_title}"))
   (agent-q-fs-prompt-tests--screen))
  (apply #'agent-q-fs-prompt-tests--type keys))

(defun agent-q-fs-prompt-tests--result ()
  "Wait for the end and return the datum that the Emacs wrote."
  (agent-q-fs-test-until (file-exists-p agent-q-fs-prompt-tests--log)
                         (agent-q-fs-prompt-tests--screen))
  (with-temp-buffer
    (insert-file-contents agent-q-fs-prompt-tests--log)
    (read (current-buffer))))

(defun agent-q-fs-prompt-tests--call (files form function &optional daemon)
  "With FILES, start an Emacs that evaluates FORM, and call FUNCTION.
With DAEMON that Emacs has no terminal of its own, but a client on one."
  (let* ((base (file-name-as-directory (file-truename (make-temp-file "aqfs-prompt-" t))))
         (default-directory (file-name-as-directory (expand-file-name "p" base)))
         (agent-q-fs-prompt-tests--session (format "aqfs-%d-%d" (emacs-pid) (random 100000)))
         (agent-q-fs-prompt-tests--log (expand-file-name "log" base))
         (plan (list :directory default-directory :form form
                     :log agent-q-fs-prompt-tests--log))
         (process-environment
          (append (list (let ((print-escape-newlines t)) (format "AQFS_PROMPT=%S" plan))
                        "TERM=screen" (concat "EMACS_SOCKET_NAME=" base "socket"))
                  process-environment))
         (arguments '("-L" "." "-l" "agent-q-fs-prompt-child")))
    (make-directory default-directory)
    (unwind-protect
        (progn
          (pcase-dolist (`(,name ,content) files)
            (agent-q-fs-test--write name content))
          (when daemon
            (apply #'call-process "env" nil nil nil
                   (apply #'agent-q-fs-test-emacs-command
                          (format "--daemon=%ssocket" base) arguments)))
          (apply #'agent-q-fs-prompt-tests--tmux "new-session" "-d" "-x" "90" "-y" "30"
                 (if daemon
                     (list "emacsclient" "-t" "-s" (concat base "socket"))
                   (apply #'agent-q-fs-test-emacs-command "-nw" arguments)))
          (funcall function))
      (when daemon
        (call-process "emacsclient" nil nil nil "-s" (concat base "socket")
                      "--eval" "(let ((kill-emacs-hook nil)) (kill-emacs))"))
      (agent-q-fs-prompt-tests--tmux "kill-server")
      (agent-q-fs-test-remove base))))

(defmacro agent-q-fs-prompt-tests--with (files form &rest body)
  "With FILES, have an Emacs in tmux evaluate FORM while BODY types."
  (declare (indent 2) (debug t))
  `(progn
     (unless (executable-find "tmux") (ert-skip "There is no tmux"))
     (agent-q-fs-prompt-tests--call ,files ,form (lambda () ,@body))))

(defun agent-q-fs-prompt-tests--text (name)
  "Return the content of the file NAME, nil if there is none."
  (and (file-exists-p name)
       (with-temp-buffer
         (insert-file-contents-literally name)
         (buffer-string))))

(defun agent-q-fs-prompt-tests--value ()
  "Return the value at the end; nothing else may have changed."
  (let ((result (agent-q-fs-prompt-tests--result)))
    (unless (plist-get result :same)
      (error "Left behind: %S, was %S" (plist-get result :after) (plist-get result :before)))
    (plist-get result :value)))

(defconst agent-q-fs-prompt-tests--question "(y n e h"
  "A regexp for the question of a program that waits.")

(defconst agent-q-fs-prompt-tests--changed "as you changed it\\? (y n e h"
  "A regexp for the question about a call that the person has changed.")

(defconst agent-q-fs-prompt-tests--create
  '(agent-q-fs-call-tool "create_file" '(:path "new" :content "one\ntwo\n") ws))

(defconst agent-q-fs-prompt-tests--lines
  (mapconcat (lambda (n) (format "line %d\n" n)) (number-sequence 1 40) ""))

(defconst agent-q-fs-prompt-tests--edit
  '(let ((agent-q-fs-policy 'always))
     (agent-q-fs-call-tool "edit_file"
                           '(:path "a" :edits [(:old_str "line 3\n" :new_str "third\n")
                                               (:old_str "line 35\n" :new_str "thirty-five\nmore\n")])
                           ws)))

(ert-deftest agent-q-fs-prompt/approve ()
  (agent-q-fs-prompt-tests--with nil agent-q-fs-prompt-tests--create
    (let ((screen (agent-q-fs-prompt-tests--see "Create new (2 lines)\\? (y n e h")))
      (should (string-match-p "Tool: +create_file (low risk)" screen))
      (should (string-match-p "Target: +write new" screen))
      (should (string-match-p "^Create new (2 lines)$" screen))
      (should (string-match-p "^\\+two" screen)))
    (should-not (file-exists-p "new"))
    (agent-q-fs-prompt-tests--answer agent-q-fs-prompt-tests--question "y")
    (should-not (string-prefix-p "Error" (agent-q-fs-prompt-tests--value)))
    (should (equal "one\ntwo\n" (agent-q-fs-prompt-tests--text "new")))))

(ert-deftest agent-q-fs-prompt/deny-with-reason ()
  (agent-q-fs-prompt-tests--with nil agent-q-fs-prompt-tests--create
    (agent-q-fs-prompt-tests--answer agent-q-fs-prompt-tests--question "n")
    (agent-q-fs-prompt-tests--answer "Why not" "use lib/ instead" "Enter")
    (should (equal "Error: The user denied create_file: use lib/ instead"
                   (agent-q-fs-prompt-tests--value)))
    (should-not (file-exists-p "new"))))

(ert-deftest agent-q-fs-prompt/quit ()
  "C-g, and C-g while giving a reason, deny."
  (dolist (keys '(("C-g") ("q") ("n" "C-g")))
    (agent-q-fs-prompt-tests--with nil agent-q-fs-prompt-tests--create
      (agent-q-fs-prompt-tests--answer agent-q-fs-prompt-tests--question (car keys))
      (when (cdr keys)
        (agent-q-fs-prompt-tests--answer "Why not" (cadr keys)))
      (should (equal "Error: The user denied create_file" (agent-q-fs-prompt-tests--value)))
      (should-not (file-exists-p "new")))))

(ert-deftest agent-q-fs-prompt/typed-ahead ()
  "A key that was typed before the question was there approves of nothing."
  (agent-q-fs-prompt-tests--with nil
      `(progn (setq agent-q-fs-prompt-delay 1000)
              (setq unread-command-events (list ?y ?y))
              ,agent-q-fs-prompt-tests--create)
    (agent-q-fs-prompt-tests--see agent-q-fs-prompt-tests--question)
    (agent-q-fs-prompt-tests--type "y")
    (agent-q-fs-prompt-tests--see "That was quick")
    (agent-q-fs-prompt-tests--type "C-g")
    (should (string-prefix-p "Error" (agent-q-fs-prompt-tests--value)))
    (should-not (file-exists-p "new"))))

(defconst agent-q-fs-prompt-tests--busy
  '(lambda ()
     (let ((start (float-time)))
       (while (or (< (float-time) (+ 1.5 start)) (not (file-exists-p "../typed"))))))
  "A function that lets Emacs read no key until one was typed, for longer than a pause.")

(defun agent-q-fs-prompt-tests--type-while-busy (key)
  "Type KEY while Emacs is busy, and wait until it is known that it does not count."
  (agent-q-fs-test-until (file-exists-p "../once") (agent-q-fs-prompt-tests--screen))
  (agent-q-fs-prompt-tests--type key)
  (sleep-for 0.3)                       ; until the terminal has it
  (write-region "" nil "../typed" nil 'quiet)
  (agent-q-fs-prompt-tests--see "That was quick")
  (should-not (file-exists-p "new")))

(ert-deftest agent-q-fs-prompt/typed-while-busy ()
  "A key that is typed while a timer keeps Emacs busy, after the question, does not count."
  (agent-q-fs-prompt-tests--with nil
      `(progn (setq agent-q-fs-prompt-delay 1.0)
              (agent-q-fs-prompt-child-once (lambda () agent-q-fs-prompt--reading)
                                            ,agent-q-fs-prompt-tests--busy)
              ,agent-q-fs-prompt-tests--create)
    (agent-q-fs-prompt-tests--type-while-busy "y")
    (sleep-for 1.5)
    (agent-q-fs-prompt-tests--type "y")
    (should-not (string-prefix-p "Error" (agent-q-fs-prompt-tests--value)))
    (should (file-exists-p "new"))))

(ert-deftest agent-q-fs-prompt/typing-on ()
  "A person who goes on writing when a question comes decides nothing by that.
They write for longer than the pause that a key needs before it; a busy
machine makes pauses of its own, so this one is longer than in real life."
  (pcase-dolist (`(,pace ,prose) '((0.2 "hey you, yes, a new quay! the end")
                                   (0.125 "it is good if a cat or a dog is okay with it")
                                   (0.08 "!t!d y yy hy ny e")))
    (agent-q-fs-prompt-tests--with nil
        `(progn (setq agent-q-fs-prompt-delay 5)
                ,agent-q-fs-prompt-tests--create)
      (agent-q-fs-prompt-tests--see agent-q-fs-prompt-tests--question)
      (dotimes (i (ceiling 8 pace))
        (agent-q-fs-prompt-tests--type "-l" (string (aref prose (% i (length prose)))))
        (sleep-for pace))
      (agent-q-fs-prompt-tests--see agent-q-fs-prompt-tests--question)
      (agent-q-fs-prompt-tests--type "C-g")
      (should (equal "Error: The user denied create_file" (agent-q-fs-prompt-tests--value)))
      (should-not (file-exists-p "new")))))

(ert-deftest agent-q-fs-prompt/strange-keys ()
  "Keys without a meaning, help, and scrolling decide nothing."
  (agent-q-fs-prompt-tests--with nil agent-q-fs-prompt-tests--create
    (agent-q-fs-prompt-tests--answer agent-q-fs-prompt-tests--question "x")
    (agent-q-fs-prompt-tests--answer "means nothing" "?")
    (agent-q-fs-prompt-tests--answer "go through the hunks" "Up" "Space" "BSpace" "C-x" "M-x")
    (sleep-for 0.5)
    (agent-q-fs-prompt-tests--answer agent-q-fs-prompt-tests--question "y")
    (should-not (string-prefix-p "Error" (agent-q-fs-prompt-tests--value)))))

(ert-deftest agent-q-fs-prompt/scroll ()
  "Threat 57: the prompt says that there is more below, and scrolls to it."
  (agent-q-fs-prompt-tests--with nil
      '(agent-q-fs-call-tool
        "create_file" (list :path "new" :content
                            (concat (mapconcat #'number-to-string (number-sequence 1 30) "\n")
                                    "\nlast line\n"))
        ws)
    (agent-q-fs-prompt-tests--answer "more below" "Space" "Space" "Space")
    (agent-q-fs-prompt-tests--see "^\\+last line")
    (agent-q-fs-prompt-tests--answer agent-q-fs-prompt-tests--question "q")
    (should (string-prefix-p "Error" (agent-q-fs-prompt-tests--value)))))

(ert-deftest agent-q-fs-prompt/edit ()
  "The effect of the edited call is shown before it counts."
  (agent-q-fs-prompt-tests--with nil agent-q-fs-prompt-tests--create
    (agent-q-fs-prompt-tests--answer agent-q-fs-prompt-tests--question "e")
    (agent-q-fs-prompt-tests--answer "── content ──" "zero" "Enter" "C-c" "C-c")
    (should (string-match-p "^\\+zero" (agent-q-fs-prompt-tests--see
                                       agent-q-fs-prompt-tests--changed)))
    (should-not (file-exists-p "new"))
    (agent-q-fs-prompt-tests--answer agent-q-fs-prompt-tests--changed "y")
    (should (string-prefix-p "The user changed this call" (agent-q-fs-prompt-tests--value)))
    (should (equal "zero\none\ntwo\n" (agent-q-fs-prompt-tests--text "new")))))

(ert-deftest agent-q-fs-prompt/edit-given-up ()
  "C-c C-k, C-] and killing the buffer go back to the question."
  (agent-q-fs-prompt-tests--with nil agent-q-fs-prompt-tests--create
    (dolist (keys '(("C-c" "C-k") ("C-]") ("C-x" "k" "Enter")))
      (agent-q-fs-prompt-tests--answer agent-q-fs-prompt-tests--question "e")
      (apply #'agent-q-fs-prompt-tests--answer "── content ──" "x" keys))
    (agent-q-fs-prompt-tests--answer agent-q-fs-prompt-tests--question "y")
    (should-not (string-match-p "Error\\|changed" (agent-q-fs-prompt-tests--value)))
    (should (equal "one\ntwo\n" (agent-q-fs-prompt-tests--text "new")))))

(ert-deftest agent-q-fs-prompt/edit-that-fails ()
  "Arguments that do not work are said to be so, and can be changed again."
  (agent-q-fs-prompt-tests--with nil agent-q-fs-prompt-tests--create
    (agent-q-fs-prompt-tests--answer agent-q-fs-prompt-tests--question "e")
    (agent-q-fs-prompt-tests--answer "── content ──" "C-p" "C-p" "../" "C-c" "C-c")
    (agent-q-fs-prompt-tests--answer "outside project root" "C-a" "C-k" "other" "C-c" "C-c")
    (agent-q-fs-prompt-tests--answer agent-q-fs-prompt-tests--changed "y")
    (should (string-prefix-p "The user changed" (agent-q-fs-prompt-tests--value)))
    (should (equal "one\ntwo\n" (agent-q-fs-prompt-tests--text "other")))))

(ert-deftest agent-q-fs-prompt/hunks ()
  "Exactly the hunks are done that were taken."
  (dolist (answers '(("n" "y") ("y" "n")))
    (agent-q-fs-prompt-tests--with `(("a" ,agent-q-fs-prompt-tests--lines))
        agent-q-fs-prompt-tests--edit
      (agent-q-fs-prompt-tests--answer agent-q-fs-prompt-tests--question "h")
      (agent-q-fs-prompt-tests--answer "Hunk 1 of 2" (car answers))
      (agent-q-fs-prompt-tests--answer "Hunk 2 of 2" (cadr answers))
      (should (string-prefix-p (if (equal "y" (car answers))
                                   "The user took 1 of the 2 hunks of this change only: 1 (old lines 1 to 6)"
                                 "The user took 1 of the 2 hunks of this change only: 2 (old lines 32 to 38)")
                               (agent-q-fs-prompt-tests--value)))
      (let ((text (agent-q-fs-prompt-tests--text "a")) (first (equal "y" (car answers))))
        (should (eq first (and (string-search "third\n" text) t)))
        (should (eq first (and (string-search "line 35\n" text) t)))
        (should (eq first (not (string-search "thirty-five\nmore\n" text))))))))

(ert-deftest agent-q-fs-prompt/no-hunks ()
  (agent-q-fs-prompt-tests--with `(("a" ,agent-q-fs-prompt-tests--lines))
      agent-q-fs-prompt-tests--edit
    (agent-q-fs-prompt-tests--answer agent-q-fs-prompt-tests--question "h")
    (agent-q-fs-prompt-tests--answer "Hunk 1 of 2" "n")
    (agent-q-fs-prompt-tests--answer "Hunk 2 of 2" "n")
    (should (equal "Error: The user denied edit_file: no hunk was wanted"
                   (agent-q-fs-prompt-tests--value)))
    (should (equal agent-q-fs-prompt-tests--lines (agent-q-fs-prompt-tests--text "a")))))

(ert-deftest agent-q-fs-prompt/always ()
  "An approval for a directory covers the files in it, and a revoked one nothing."
  (agent-q-fs-prompt-tests--with nil
      '(let ((create (lambda (path)
                       (agent-q-fs-call-tool "create_file" (list :path path :content "x") ws))))
         (list (funcall create "d/a")
               (funcall create "d/e/b")
               (funcall create "c")
               (progn (setq agent-q-fs-approve--rules nil)
                      (funcall create "d/f"))))
    (agent-q-fs-prompt-tests--answer agent-q-fs-prompt-tests--question "!")
    (agent-q-fs-prompt-tests--answer "d under d/" "d")
    (agent-q-fs-prompt-tests--answer "Target: +write c" "n")
    (agent-q-fs-prompt-tests--answer "Why not" "Enter")
    (agent-q-fs-prompt-tests--answer "Target: +write d/f" "q")
    (agent-q-fs-prompt-tests--value)
    (should (equal '(t t nil nil) (mapcar #'file-exists-p '("d/a" "d/e/b" "c" "d/f"))))))

(ert-deftest agent-q-fs-prompt/two-at-once ()
  "One after the other is shown, in their order, though the second waits above."
  (agent-q-fs-prompt-tests--with nil
      '(let* ((create (lambda (path)
                        (agent-q-fs-call-tool "create_file" (list :path path :content "x") ws))))
         (agent-q-fs-prompt-child-once
          (lambda () agent-q-fs-prompt--queue)
          (lambda () (push (funcall create "second") agent-q-fs-prompt-child-results)))
         (funcall create "first"))
    (agent-q-fs-prompt-tests--see "write first\\(?:.\\|\n\\)*\\[1 more waiting\\]")
    (agent-q-fs-prompt-tests--answer agent-q-fs-prompt-tests--question "y")
    (agent-q-fs-prompt-tests--answer "Target: +write second" "n")
    (agent-q-fs-prompt-tests--answer "Why not" "no" "Enter")
    (should-not (string-prefix-p "Error" (agent-q-fs-prompt-tests--value)))
    (should (equal '("Error: The user denied create_file: no")
                   (plist-get (agent-q-fs-prompt-tests--result) :results)))
    (should (equal '(t nil) (mapcar #'file-exists-p '("first" "second"))))))

(ert-deftest agent-q-fs-prompt/second-while-typing ()
  "A request that comes while the one before lets the person type is asked about, too."
  (agent-q-fs-prompt-tests--with nil
      '(let* ((agent-q-fs-prompt-delay 1.0)
              (create (lambda (path)
                        (agent-q-fs-call-tool "create_file" (list :path path :content "x") ws))))
         (agent-q-fs-prompt-child-once
          (lambda () (< 0 (recursion-depth)))
          (lambda () (push (funcall create "second") agent-q-fs-prompt-child-results)))
         (funcall create "first"))
    (agent-q-fs-prompt-tests--answer "write first\\(?:.\\|\n\\)*\\[1 more waiting\\]" "y")
    (agent-q-fs-prompt-tests--answer "Target: +write second" "y")
    (should-not (string-prefix-p "Error" (agent-q-fs-prompt-tests--value)))
    (should (equal '(t t) (mapcar #'file-exists-p '("first" "second"))))))

(ert-deftest agent-q-fs-prompt/second-while-editing ()
  "A person who edits a proposal goes on editing when another request comes."
  (agent-q-fs-prompt-tests--with nil
      '(let* ((create (lambda (path)
                        (agent-q-fs-call-tool "create_file" (list :path path :content "x") ws))))
         (agent-q-fs-prompt-child-once
          (lambda () (string-search "\nyx" (buffer-string)))
          (lambda () (push (funcall create "second") agent-q-fs-prompt-child-results)))
         (funcall create "first"))
    (agent-q-fs-prompt-tests--answer agent-q-fs-prompt-tests--question "e")
    (agent-q-fs-prompt-tests--answer "── content ──" "y")
    (agent-q-fs-test-until (file-exists-p "../once") (agent-q-fs-prompt-tests--screen))
    (agent-q-fs-prompt-tests--type "z" "C-c" "C-c")
    (agent-q-fs-prompt-tests--answer agent-q-fs-prompt-tests--changed "y")
    (agent-q-fs-prompt-tests--answer "Target: +write second" "y")
    (should (string-prefix-p "The user changed" (agent-q-fs-prompt-tests--value)))
    (should (equal "yzx" (agent-q-fs-prompt-tests--text "first")))
    (should (equal "x" (agent-q-fs-prompt-tests--text "second")))))

(ert-deftest agent-q-fs-prompt/minibuffer-active ()
  "No question is asked while a minibuffer is active: its call is refused, in words."
  (agent-q-fs-prompt-tests--with nil
      `(progn
         (agent-q-fs-prompt-child-once
          (lambda () (equal "abc" (minibuffer-contents)))
          (lambda () (push ,agent-q-fs-prompt-tests--create agent-q-fs-prompt-child-results)))
         (read-string "Something else: "))
    (agent-q-fs-prompt-tests--see "Something else:")
    (agent-q-fs-prompt-tests--type "abc")
    (agent-q-fs-test-until (file-exists-p "../once") (agent-q-fs-prompt-tests--screen))
    (agent-q-fs-prompt-tests--type "ydef" "Enter")
    (should (equal "abcydef" (agent-q-fs-prompt-tests--value)))
    (should (string-match-p "\\`Error: Approval is required (dangerous).*typing in the minibuffer"
                            (car (plist-get (agent-q-fs-prompt-tests--result) :results))))
    (should-not (file-exists-p "new"))))

(ert-deftest agent-q-fs-prompt/frame-closed ()
  "Threat 122: when the frame is closed, the request is denied."
  (dolist (editing '(nil t))
    (unless (executable-find "tmux") (ert-skip "There is no tmux"))
    (agent-q-fs-prompt-tests--call
     nil agent-q-fs-prompt-tests--create
     (lambda ()
       (when editing
         (agent-q-fs-prompt-tests--answer agent-q-fs-prompt-tests--question "e"))
       (agent-q-fs-prompt-tests--see (if editing "── content ──" agent-q-fs-prompt-tests--question))
       (agent-q-fs-prompt-tests--tmux "kill-server")
       (should (equal "Error: The user denied create_file: the frame was closed"
                      (plist-get (agent-q-fs-prompt-tests--result) :value)))
       (should-not (file-exists-p "new")))
     t)))

(ert-deftest agent-q-fs-prompt/frame-closed-with-others-waiting ()
  "When the last frame is closed, all that wait are denied."
  (unless (executable-find "tmux") (ert-skip "There is no tmux"))
  (agent-q-fs-prompt-tests--call
   nil
   '(let ((texts nil))
      (dolist (path '("a" "b" "c"))
        (agent-q-fs-call-tool-async "create_file" (list :path path :content "x")
                                    (lambda (text) (push text texts)) ws))
      (setq agent-q-fs-prompt-child-later (lambda () (and (= 3 (length texts)) texts))))
   (lambda ()
     (agent-q-fs-prompt-tests--see "\\[3 to approve\\]")
     (agent-q-fs-prompt-tests--tmux "kill-server")
     (let ((texts (plist-get (agent-q-fs-prompt-tests--result) :value)))
       (should (= 3 (length texts)))
       (dolist (text texts)
         (should (string-prefix-p "Error: The user denied create_file: " text)))))
   t))

(ert-deftest agent-q-fs-prompt/timeout ()
  (agent-q-fs-prompt-tests--with nil
      `(let ((agent-q-fs-prompt-timeout 1.5)) ,agent-q-fs-prompt-tests--create)
    (should (equal "Error: The user denied create_file: nobody answered in time"
                   (agent-q-fs-prompt-tests--value)))))

(ert-deftest agent-q-fs-prompt/hostile-text ()
  "Threats 57 and 59: misleading text is made visible on the screen."
  (agent-q-fs-prompt-tests--with nil
      '(agent-q-fs-call-tool
        "create_file"
        (list :path "d/\u202egpj.exe"
              :content (concat "a" (make-string 4000 ?\s) "rm -rf\n\u200b\e]52;c;x\a\e[8mhidden\n"
                               "end\n"))
        ws)
    (let ((screen (agent-q-fs-prompt-tests--see agent-q-fs-prompt-tests--question)))
      (dolist (seen '("write d/<U\\+202E>gpj.exe" "a<4000 spaces>rm -rf"
                      "<U\\+200B>^\\[\\]52;c;x^G^\\[\\[8mhidden"))
        (should (string-match-p (replace-regexp-in-string "\\(.\\)\\^" "\\1\\\\^" seen) screen))))
    (agent-q-fs-prompt-tests--see "^\\+end")
    (agent-q-fs-prompt-tests--answer agent-q-fs-prompt-tests--question "q")
    (agent-q-fs-prompt-tests--value)))

(provide 'agent-q-fs-prompt-tests)
;;; agent-q-fs-prompt-tests.el ends here
