;;; agent-q-fs-exec-approve-tests.el --- Tests of approvals of commands  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'agent-q-fs-exec-help)
(require 'agent-q-fs-log)
(require 'agent-q-fs-prompt)

(defvar agent-q-fs-exec-approve-tests--asked nil
  "The requests that a person was asked about.")

(defmacro agent-q-fs-exec-approve-tests--with (spec answer &rest body)
  "Run BODY with a person who ANSWERs requests, a function that is called with one.
SPEC is as for `agent-q-fs-exec-help-with'."
  (declare (indent 2))
  `(agent-q-fs-exec-help-with ,spec
     (let ((agent-q-fs-policy 'tiered)
           (agent-q-fs-exec-approve-tests--asked nil)
           (agent-q-fs-approve--rules nil)
           (agent-q-fs-approval-function
            (lambda (request callback)
              (push request agent-q-fs-exec-approve-tests--asked)
              (funcall callback (funcall ,answer request)))))
       (cl-letf (((symbol-function 'agent-q-fs-approve-unattended-p) #'ignore))
         ,@body))))

(defun agent-q-fs-exec-approve-tests--remember (name)
  "Return a person who approves, and remembers that by the like called NAME."
  (lambda (request)
    (agent-q-fs-approve-remember 'approve request nil
                                 (assq name (agent-q-fs-request-likes request)))
    (list :decision 'approved)))

(defun agent-q-fs-exec-approve-tests--likes (workspace command)
  "Return the names of the likes of COMMAND in the top of WORKSPACE."
  (mapcar #'car (funcall (plist-get (agent-q-fs-exec-approve-command
                                     workspace (list :command command :workdir "."))
                                    :likes))))

(defconst agent-q-fs-exec-approve-tests--bypasses
  '("ls; touch decoy" "ls ; touch decoy" "ls;touch decoy" "ls && touch decoy" "ls & touch decoy"
    "ls || touch decoy" "ls | tee decoy" "ls |& tee decoy" "ls\ntouch decoy" "ls\rtouch decoy"
    "ls \n touch decoy" "ls\\\n; touch decoy" "ls $(touch decoy)" "ls `touch decoy`"
    "ls \"$(touch decoy)\"" "ls <(touch decoy)" "ls >decoy" "ls > decoy" "ls >>decoy" "ls >|decoy"
    "ls 2>decoy" "ls &>decoy" "ls <decoy" "ls <<x\nx\ntouch decoy" "ls <<<x" "ls ${x:=$(touch decoy)}"
    "ls $x" "ls ${IFS}decoy" "x=1 ls" "PATH=. ls" "LD_PRELOAD=./x ls" "ls x=1" "x+=1 ls" "x[0]=1 ls"
    "ls() { touch decoy; }; ls" "function ls { touch decoy; }; ls" "{ ls; touch decoy; }"
    "(ls; touch decoy)" "((touch))" "[[ ls ]]" "! ls" "time ls" "if ls; then touch decoy; fi"
    "for x in 1; do touch decoy; done" "while ls; do touch decoy; done" "case x in *) touch decoy;; esac"
    "eval ls" "exec ls" "command ls" "builtin ls" "source ./x" ". ./x" "env X=1 ls" "env ls" "sudo ls"
    "bash -c ls" "sh -c ls" "bash ls" "python3 -c ls" "python3.11 ls" "perl -e ls" "xargs ls"
    "find . -exec touch decoy" "nohup ls" "nice ls" "timeout 1 ls" "setsid ls" "awk ls" "export PATH=."
    "export PATH" "alias ls" "trap ls" "set ls" "hash ls" "ls *" "ls ?" "ls [a]" "ls {a,b}" "ls ~"
    "ls ~root" "ls !!" "!ls" "ls #x" "ls 'x'" "ls \"x\"" "ls \\x" "'ls'" "\"ls\"" "l\\s" "l''s"
    "$'ls'" "$\"ls\"" "ls\ttouch" "ls  x" " ls" "ls " "\nls" "ls\n" "ls\0touch decoy" "./ls" "/bin/ls"
    "../bin/ls" "~/ls" "LS" "Ls" "lS" "lss" "l" "ls-x" "ls.x" "ls_" "lѕ" "l\u200bs" "ls\u00a0x"
    "ls\u2028touch decoy" "ls ；touch decoy" "ls \e[8m;touch decoy" "ls %1;touch decoy" "=ls" "ls =ls"
    "ls ^x^touch^" "-c ls" "busybox ls" "make ls" "ssh ls" "docker ls" "vim ls" "sed ls" "git" "rm ls")
  "Commands that are not one of ls alone, after ls was approved of.")

(ert-deftest agent-q-fs-exec-approve/bypasses ()
  "Threat 68: no spelling gets past an approval of the word ls, or of the command ls."
  (dolist (name '(word exact))
    (agent-q-fs-exec-approve-tests--with (ws)
        (agent-q-fs-exec-approve-tests--remember name)
      (should (string-prefix-p "Exit status 0" (agent-q-fs-exec-help-call ws "shell"
                                                                          :command "ls")))
      (should (string-prefix-p "Exit status 0" (agent-q-fs-exec-help-call ws "shell"
                                                                          :command "ls")))
      (should (= 1 (length agent-q-fs-exec-approve-tests--asked)))
      (let ((agent-q-fs-approval-function
             (lambda (request callback)
               (push request agent-q-fs-exec-approve-tests--asked)
               (funcall callback (list :decision 'denied :reason "no")))))
        (dolist (command (append agent-q-fs-exec-approve-tests--bypasses
                                 (list (mapconcat #'identity (make-list 51 "ls") " && ")
                                       (concat "ls " (make-string 200000 ?x))
                                       (concat "ls" (make-string 5000 ?\s) ";touch decoy"))))
          (let ((text (agent-q-fs-exec-help-call ws "shell" :command command)))
            (unless (string-match-p "\\`Error: \\(?:The user denied shell: no\\|command: \\)" text)
              (ert-fail (list "Not asked about" command text))))
          (should-not (file-exists-p "decoy")))))))

(ert-deftest agent-q-fs-exec-approve/how-many ()
  (should (<= 60 (length (delete-dups (copy-sequence agent-q-fs-exec-approve-tests--bypasses))))))

(ert-deftest agent-q-fs-exec-approve/words ()
  "An approval of a word is of plain commands that begin with it, in the project."
  (agent-q-fs-exec-approve-tests--with (ws '("a/" ""))
      (agent-q-fs-exec-approve-tests--remember 'word)
    (dolist (command '("ls" "ls -la" "ls a" "ls -l ./a a/../a" "ls --color"))
      (agent-q-fs-exec-help-call ws "shell" :command command))
    (agent-q-fs-exec-help-call ws "shell" :command "ls" :workdir "a")
    (should (= 1 (length agent-q-fs-exec-approve-tests--asked)))
    ;; Another tool, project or isolation is asked about.
    (agent-q-fs-exec-help-call ws "exec_command" :cmd "ls")
    (should (= 2 (length agent-q-fs-exec-approve-tests--asked)))
    (let ((other (agent-q-fs-open :root (expand-file-name "a"))))
      (agent-q-fs-exec-help-call other "shell" :command "ls")
      (agent-q-fs-close other))
    (should (= 3 (length agent-q-fs-exec-approve-tests--asked)))
    (when (executable-find "bwrap")
      (let ((other (agent-q-fs-open :root default-directory :isolation 'bubblewrap)))
        (agent-q-fs-exec-help-call other "shell" :command "ls")
        (agent-q-fs-close other))
      (should (= 4 (length agent-q-fs-exec-approve-tests--asked))))))

(agent-q-fs-exec-deftest "no-words-in-containers" (ws) (podman)
  (should (equal '(exact) (agent-q-fs-exec-approve-tests--likes ws "ls"))))

(ert-deftest agent-q-fs-exec-approve/exact ()
  "An approval of a command is of that text, in that directory."
  (agent-q-fs-exec-approve-tests--with (ws '("a/" ""))
      (agent-q-fs-exec-approve-tests--remember 'exact)
    (let ((command "echo $((1+1)) >two; cat two"))
      (agent-q-fs-exec-help-call ws "shell" :command command)
      (agent-q-fs-exec-help-call ws "shell" :command command)
      (should (= 1 (length agent-q-fs-exec-approve-tests--asked)))
      (agent-q-fs-exec-help-call ws "shell" :command (concat command " "))
      (agent-q-fs-exec-help-call ws "shell" :command command :workdir "a")
      (should (= 3 (length agent-q-fs-exec-approve-tests--asked))))))

(ert-deftest agent-q-fs-exec-approve/shadowed ()
  "Threat 68: a program that the project could replace is not approved of by its name."
  (let ((old (default-toplevel-value 'process-environment))
        (shared (make-temp-file "aqfs-shared-" t)))
    (unwind-protect
        (agent-q-fs-exec-approve-tests--with (ws '("bin/mytool" "#!/bin/sh\n"))
            (agent-q-fs-exec-approve-tests--remember 'word)
          (set-file-modes "bin/mytool" #o755)
          (copy-file "bin/mytool" (expand-file-name "theirs" shared))
          (set-file-modes shared #o777)
          (set-default-toplevel-value
           'process-environment
           (cons (format "PATH=%s:%s:%s" (expand-file-name "bin") shared (getenv "PATH")) old))
          (should-not (agent-q-fs-exec-approve-words "mytool x"))
          (should-not (agent-q-fs-exec-approve-words "theirs x"))
          (should-not (agent-q-fs-exec-approve-words "no_such_tool x"))
          (should (agent-q-fs-exec-approve-words "ls x"))
          (agent-q-fs-exec-help-call ws "shell" :command "ls")
          ;; Now ls is another program, and so it is asked about.
          (write-region "#!/bin/sh\ntouch decoy\n" nil "bin/ls" nil 'quiet)
          (set-file-modes "bin/ls" #o755)
          (let ((agent-q-fs-approval-function
                 (lambda (_request callback) (funcall callback '(:decision denied)))))
            (should (string-prefix-p "Error: The user denied"
                                     (agent-q-fs-exec-help-call ws "shell" :command "ls"))))
          (should-not (file-exists-p "decoy")))
      (set-default-toplevel-value 'process-environment old)
      (delete-directory shared t))))

(defmacro agent-q-fs-exec-approve-tests--with-programs (directory &rest body)
  "Run BODY with DIRECTORY bound to a new one, where programs are found first.
It has mytool, which notes that it ran in the file ran of its directory."
  (declare (indent 1) (debug (symbolp body)))
  `(let ((old (default-toplevel-value 'process-environment))
         (,directory (file-name-as-directory (file-truename (make-temp-file "aqfs-bin-" t)))))
     (unwind-protect
         (progn
           (set-file-modes ,directory #o755)
           (agent-q-fs-exec-approve-tests--program (concat ,directory "mytool"))
           (set-default-toplevel-value
            'process-environment
            (cons (format "PATH=%s:%s" (directory-file-name ,directory) (getenv "PATH")) old))
           ,@body)
       (set-default-toplevel-value 'process-environment old)
       (delete-directory ,directory t))))

(defun agent-q-fs-exec-approve-tests--program (name)
  "Write a program into the file NAME."
  (write-region "#!/bin/sh\ntouch ran\n" nil name nil 'quiet)
  (set-file-modes name #o755))

(defun agent-q-fs-exec-approve-tests--word (command)
  "Return the words that COMMAND may be approved of with."
  (car (agent-q-fs-exec-approve-words command)))

(ert-deftest agent-q-fs-exec-approve/runners-by-any-name ()
  "Threat 147: a program that runs its arguments is not approved of by another name."
  (agent-q-fs-exec-approve-tests--with-programs bin
    (should (equal "mytool" (agent-q-fs-exec-approve-tests--word "mytool x")))
    (make-symbolic-link (executable-find "sh") (concat bin "harmless"))
    (make-symbolic-link "harmless" (concat bin "again"))
    ;; The links on the way have names as well: what is behind them may be called anything.
    (make-symbolic-link "mytool" (concat bin "python3"))
    (make-symbolic-link "python3" (concat bin "tool"))
    (add-name-to-file (concat bin "mytool") (concat bin "twin"))
    (dolist (word '("harmless" "again" "tool" "python3"))
      (ert-info (word)
        (should-not (agent-q-fs-exec-approve-tests--word (concat word " --version")))))
    ;; Where a file has two names, both count.
    (agent-q-fs-exec-approve-tests--program (concat bin "perl"))
    (add-name-to-file (concat bin "perl") (concat bin "pearl"))
    (should-not (agent-q-fs-exec-approve-tests--word "pearl x"))
    (should (agent-q-fs-exec-approve-tests--word "twin x")))
  (dolist (word '("gmake" "perl5.36-x86_64-linux-gnu" "emacs-nox" "git" "rbash" "nodejs" "vim.basic"
                  "editor" "rvim" "x86_64" "linux64" "i386" "choom" "ssh-agent" "sg"
                  "systemd-inhibit" "msgexec" "pytest" "tar" "sort" "man" "ld.so"
                  "x86_64-linux-gnu-gcc-12" "python3.11" "pydoc3" "npx" "service" "cpan" "cpan5.36-x86_64-linux-gnu" "scriptlive"
                  "ip" "bzexe"))
    (ert-info (word)
      (should-not (agent-q-fs-exec-approve-tests--word (concat word " x"))))))

(ert-deftest agent-q-fs-exec-approve/runners-of-projects ()
  "Threat 147: neither is one that runs what a project's tests or settings say, where it is found."
  (agent-q-fs-exec-approve-tests--with-programs bin
    (dolist (word '("pytest" "pytest-3" "eslint" "sphinx-build" "pre-commit" "mypy" "pylint3" "gulp"
                    "vite" "webpack" "rails" "doxygen" "ipython3" "flask" "cpack" "bats" "direnv"
                    "memusage" "logsave" "sotruss" "systemd-cat" "xvfb-run" "scan-build-14" "rustup"
                    "pyenv" "ccache" "lli-14" "runc" "texi2pdf" "gio" "switch_root"))
      (unless (file-exists-p (concat bin word))
        (agent-q-fs-exec-approve-tests--program (concat bin word)))
      (ert-info (word)
        (should-not (agent-q-fs-exec-approve-tests--word (concat word " x")))))))

(ert-deftest agent-q-fs-exec-approve/subcommands ()
  "Of a program that does many things, a subcommand is approved of, and only at its place."
  (agent-q-fs-exec-approve-tests--with-programs bin
    (dolist (name '("git" "cargo" "npm" "docker" "guix" "apt" "systemctl"))
      (agent-q-fs-exec-approve-tests--program (concat bin name)))
    (make-symbolic-link "git" (concat bin "g"))
    (pcase-dolist (`(,command ,words)
                   '(("git status" "git status") ("git status -s a" "git status")
                     ("g status" "g status") ("git") ("git -C docs status") ("git bisect run x")
                     ("git log --output docs/x") ("git diff -p --output docs/x")
                     ("git show --outp docs/x") ("git diff --oneline" "git diff")
                     ("cargo tree --config x.toml") ("cargo metadata --config x") ("apt list -o Dir::Bin::x")
                     ("apt list -qo Dir::x") ("apt show --option x") ("apt policy -c x")
                     ("git diff --color -w" "git diff") ("cargo tree --locked" "cargo tree")
                     ("git rebase --exec x") ("git submodule foreach x") ("git log" "git log")
                     ("git difftool -x y") ("git clone -u y z") ("g bisect run x")
                     ("cargo run") ("cargo tree" "cargo tree") ("npm exec x") ("npm ls" "npm ls")
                     ("npm run x") ("docker run x") ("docker ps" "docker ps") ("docker exec x y")
                     ("guix shell x") ("guix hash x" "guix hash") ("apt install ./x.deb")
                     ("apt show x" "apt show") ("systemctl start x")
                     ("systemctl status x" "systemctl status")))
      (ert-info (command)
        (should (equal words (agent-q-fs-exec-approve-tests--word command)))))
    (agent-q-fs-exec-approve-tests--with (ws) (agent-q-fs-exec-approve-tests--remember 'word)
      (dolist (command '("git status" "git status -s"))
        (agent-q-fs-exec-help-call ws "shell" :command command))
      (should (= 1 (length agent-q-fs-exec-approve-tests--asked)))
      (delete-file "ran")
      (let ((agent-q-fs-approval-function
             (lambda (_request callback) (funcall callback '(:decision denied)))))
        (dolist (command '("git log" "git -C docs status" "git bisect run ./x"))
          (should (string-prefix-p "Error: The user denied"
                                   (agent-q-fs-exec-help-call ws "shell" :command command)))))
      (should-not (file-exists-p "ran")))))

(ert-deftest agent-q-fs-exec-approve/other-owners ()
  "Threat 147: a program that another user can change or replace is asked about."
  (agent-q-fs-exec-approve-tests--with-programs bin
    (let* ((above (concat bin "above/"))
           (inner (concat above "inner/"))
           (word (lambda () (agent-q-fs-exec-approve-tests--word "theirs x"))))
      (make-directory inner t)
      (agent-q-fs-exec-approve-tests--program (concat inner "theirs"))
      (make-symbolic-link "above/inner/theirs" (concat bin "theirs"))
      (dolist (name (list above inner (concat inner "theirs")))
        (set-file-modes name #o755))
      (should (funcall word))
      (dolist (name (list above inner (concat inner "theirs")))
        (ert-info (name)
          (dolist (modes '(#o775 #o757))
            (set-file-modes name modes)
            (should-not (funcall word)))
          (set-file-modes name #o755)
          (when (= 0 (user-uid))
            (dolist (owner '("2000" "0"))
              (call-process "chown" nil nil nil owner name)
              (should (eq (equal owner "0") (and (funcall word) t))))
            (set-file-modes name #o755))))
      ;; Where only the owner can replace a name, others may write.
      (set-file-modes above #o1777)
      (should (funcall word))
      (when (= 0 (user-uid))
        (call-process "chown" nil nil nil "-h" "2000" (concat bin "theirs"))
        (should-not (funcall word))))))

(ert-deftest agent-q-fs-exec-approve/in-reach-of-models ()
  "A program that a model may edit, in any open workspace, is asked about each time."
  (agent-q-fs-exec-approve-tests--with-programs bin
    (let* ((word (lambda () (agent-q-fs-exec-approve-tests--word "mytool x")))
           (open (lambda (&rest options)
                   (let ((workspace (apply #'agent-q-fs-open options)))
                     (prog1 (funcall word) (agent-q-fs-close workspace))))))
      (agent-q-fs-exec-approve-tests--with ((ws :allowed_paths (list bin)))
          (agent-q-fs-exec-approve-tests--remember 'word)
        (should-not (funcall word))
        (should (equal '(exact) (agent-q-fs-exec-approve-tests--likes ws "mytool"))))
      (should (funcall word))
      (agent-q-fs-exec-approve-tests--with (ws) #'ignore
        (should (funcall word))
        (make-symbolic-link bin "link")
        (should-not (funcall open :root default-directory :allowed-paths ["link"]))
        (should-not (funcall open :root bin))
        (should-not (funcall open :root (file-name-directory (directory-file-name bin))))
        (should-not (funcall open :root default-directory :mode 'unrestricted))
        (should (funcall word))))))

(ert-deftest agent-q-fs-exec-approve/another-program-of-that-name ()
  "When a program has changed, its word is asked about again."
  (agent-q-fs-exec-approve-tests--with-programs bin
    (agent-q-fs-exec-approve-tests--with (ws) (agent-q-fs-exec-approve-tests--remember 'word)
      (dolist (count '(1 1))
        (agent-q-fs-exec-help-call ws "shell" :command "mytool")
        (should (= count (length agent-q-fs-exec-approve-tests--asked))))
      (write-region "#!/bin/sh\ntouch evil\n" nil (concat bin "mytool") nil 'quiet)
      (agent-q-fs-exec-help-call ws "shell" :command "mytool")
      (should (= 2 (length agent-q-fs-exec-approve-tests--asked))))))

(ert-deftest agent-q-fs-exec-approve/kept-words ()
  "An approval of a word that is kept is for the program as it was."
  (agent-q-fs-exec-approve-tests--with-programs bin
    (agent-q-fs-exec-approve-tests--with (ws) (agent-q-fs-exec-approve-tests--remember 'word)
      (let* ((agent-q-fs-approvals-file t)
             (agent-q-fs-approve--stamp nil)
             (agent-q-fs-approve--broken nil)
             (try (lambda ()
                    (setq agent-q-fs-approve--rules nil
                          agent-q-fs-approve--stamp nil
                          agent-q-fs-exec-approve-tests--asked nil)
                    (agent-q-fs-exec-help-call ws "shell" :command "mytool \u00e9")
                    (agent-q-fs-exec-help-call ws "shell" :command "mytool x")
                    (length agent-q-fs-exec-approve-tests--asked))))
        ;; The first is not plain, and approved of by its own text.
        (setq agent-q-fs-approval-function
              (let ((remember agent-q-fs-approval-function))
                (lambda (request callback)
                  (when (= 1 (length (agent-q-fs-request-likes request)))
                    (agent-q-fs-approve-remember 'approve request nil
                                                 (car (agent-q-fs-request-likes request))))
                  (funcall remember request callback))))
        (should (= 2 (funcall try)))
        (should (= 0 (funcall try)))
        (write-region "#!/bin/sh\ntouch evil\n" nil (concat bin "mytool") nil 'quiet)
        (should (= 1 (funcall try)))))))

(ert-deftest agent-q-fs-exec-approve/word-in-the-project-only ()
  "An approval of a word counts in the project's root, not where else commands may run."
  (let ((other (file-name-as-directory (file-truename (make-temp-file "aqfs-other-" t)))))
    (unwind-protect
        (agent-q-fs-exec-approve-tests--with ((ws :allowed_paths (list other)) '("a/" ""))
            (agent-q-fs-exec-approve-tests--remember 'word)
          (agent-q-fs-exec-help-call ws "shell" :command "ls")
          (agent-q-fs-exec-help-call ws "shell" :command "ls" :workdir "a")
          (should (= 1 (length agent-q-fs-exec-approve-tests--asked)))
          (agent-q-fs-exec-help-call ws "shell" :command "ls" :workdir other)
          (should (= 2 (length agent-q-fs-exec-approve-tests--asked))))
      (delete-directory other t))))

(ert-deftest agent-q-fs-exec-approve/not-the-whole-tool ()
  "Neither rule nor key approves of all commands."
  (agent-q-fs-exec-approve-tests--with (ws)
      (lambda (request)
        (agent-q-fs-approve-remember 'approve request)
        (agent-q-fs-approve-remember 'approve request ".")
        (agent-q-fs-prompt-always-tool request)
        (agent-q-fs-prompt-always-directory request)
        (should-not (agent-q-fs-request-decision request))
        (list :decision 'denied))
    (dotimes (_ 3)
      (agent-q-fs-exec-help-call ws "shell" :command "touch decoy"))
    (should (= 3 (length agent-q-fs-exec-approve-tests--asked)))
    (should-not (file-exists-p "decoy"))))

(ert-deftest agent-q-fs-exec-approve/keys ()
  "Each key remembers the scope that its label names."
  (agent-q-fs-exec-approve-tests--with (ws)
      (lambda (request)
        (should (string-match-p "c this very command, w commands that begin with ls"
                                (agent-q-fs-prompt-always-words request)))
        (agent-q-fs-prompt-always-word request)
        (agent-q-fs-request-decision request))
    (agent-q-fs-exec-help-call ws "shell" :command "ls -a")
    (agent-q-fs-exec-help-call ws "shell" :command "ls -l")
    (should (= 1 (length agent-q-fs-exec-approve-tests--asked)))
    (should (equal "commands that begin with ls"
                   (aref (cadr (car (agent-q-fs-approvals--entries))) 3))))
  (agent-q-fs-exec-approve-tests--with (ws)
      (lambda (request)
        (agent-q-fs-prompt-always-word request)
        (should-not (agent-q-fs-request-decision request))
        (agent-q-fs-prompt-always-command request)
        (agent-q-fs-request-decision request))
    (agent-q-fs-exec-help-call ws "shell" :command "ls; ls")
    (agent-q-fs-exec-help-call ws "shell" :command "ls; ls")
    (should (= 1 (length agent-q-fs-exec-approve-tests--asked)))))

(ert-deftest agent-q-fs-exec-approve/denied ()
  "Denials win: of the tool, of a directory, and of the policy."
  (agent-q-fs-exec-approve-tests--with (ws '("a/" ""))
      (agent-q-fs-exec-approve-tests--remember 'word)
    (agent-q-fs-exec-help-call ws "shell" :command "touch yes" :workdir "a")
    (should (file-exists-p "a/yes"))
    (dolist (denied '((("shell")) ((t)) (("shell" . "a")) ((t . "A"))))
      (let ((agent-q-fs-denied denied))
        (should (string-prefix-p "Error: The user denied shell: this was ruled out before"
                                 (agent-q-fs-exec-help-call ws "shell" :command "touch no"
                                                            :workdir "a")))))
    (let ((agent-q-fs-policy 'read-only))
      (should (string-prefix-p "Error: The policy is read-only"
                               (agent-q-fs-exec-help-call ws "shell" :command "touch no"))))
    (should-not (file-exists-p "a/no"))
    (should-not (file-exists-p "no"))))

(ert-deftest agent-q-fs-exec-approve/unattended ()
  "Where there is no person, nothing is run unless the policy is never."
  (agent-q-fs-exec-help-with (ws)
    (dolist (policy '(tiered always))
      (let ((agent-q-fs-policy policy))
        (dolist (call '(("shell" :command "touch decoy") ("exec_command" :cmd "touch decoy")))
          (should (string-prefix-p "Error: Approval is required (dangerous): run touch decoy"
                                   (apply #'agent-q-fs-exec-help-call ws call))))))
    (should-not (file-exists-p "decoy"))))

(ert-deftest agent-q-fs-exec-approve/what-is-shown ()
  "The question has the whole command, where it runs and with what."
  (let ((command (concat "echo start" (make-string 3000 ?\s) "; touch decoy # \u202egnp\e[8m\nend")))
    (agent-q-fs-exec-approve-tests--with (ws '("a/b/" ""))
        (lambda (request)
          (let ((buffer (agent-q-fs-show-buffer request)))
            (with-current-buffer buffer
              (dolist (text '("Tool:    shell (some risk)" "Target:  run in directory a/b"
                              "(written as link)" "Isolated:" "no, it can do whatever you can"
                              "Environ:" "PAGER=cat" "of yours only PATH" "echo start"
                              "<3000 spaces>" "; touch decoy # " "<U+202E>" "^[[8m" "end"
                              "timeout_ms"))
                (goto-char (point-min))
                (should (search-forward text nil t)))
              ;; "access: project" above "Isolated: no" would be read as a promise.
              (should-not (string-search "access:" (buffer-string))))
            (kill-buffer buffer))
          (list :decision 'denied :reason "Not this"))
      (make-symbolic-link "a/b" "link")
      (should (equal "Error: The user denied shell: Not this"
                     (agent-q-fs-exec-help-call ws "shell" :command command :workdir "link")))
      (should-not (file-exists-p "a/b/decoy")))))

(ert-deftest agent-q-fs-exec-approve/edited ()
  "The command is run as the person has edited it."
  (agent-q-fs-exec-approve-tests--with (ws)
      (lambda (request)
        (list :decision 'edited
              :commit (funcall (agent-q-fs-request-remake request) "shell"
                               '(:command "touch mine"))))
    (should (string-prefix-p "The user changed this call before it was done.\nExit status 0"
                             (agent-q-fs-exec-help-call ws "shell" :command "touch theirs")))
    (should (file-exists-p "mine"))
    (should-not (file-exists-p "theirs"))))

(ert-deftest agent-q-fs-exec-approve/stale ()
  "Threats 25, 70: the directory that was shown is the one, or nothing is run."
  (agent-q-fs-exec-approve-tests--with (ws '("a/" "") '("b/" ""))
      (lambda (_request)
        (delete-file "link")
        (make-symbolic-link "b" "link")
        (list :decision 'approved))
    (make-symbolic-link "a" "link")
    (should (string-prefix-p "Error: What was approved is no longer what would be done"
                             (agent-q-fs-exec-help-call ws "shell" :command "touch decoy"
                                                        :workdir "link")))
    (should-not (file-exists-p "a/decoy"))
    (should-not (file-exists-p "b/decoy"))))

(ert-deftest agent-q-fs-exec-approve/asked-once-and-checked-once ()
  "The directory is looked up for the question, and once more to run the command there."
  (let ((previews 0) (calls nil))
    (agent-q-fs-exec-approve-tests--with (ws) (lambda (_request) (list :decision 'approved))
      (agent-q-fs-exec-approve-words "ls") ; the core is loaded
      (cl-letf* ((call (symbol-function 'agent-q-fs--mod-call))
                 ((symbol-function 'agent-q-fs--mod-call)
                  (lambda (workspace operation &rest more)
                    (push operation calls)
                    (apply call workspace operation more)))
                 (preview (symbol-function 'agent-q-fs-exec-approve-command))
                 ((symbol-function 'agent-q-fs-exec-approve-command)
                  (lambda (&rest arguments)
                    (cl-incf previews)
                    (apply preview arguments))))
        (should (string-prefix-p "Exit status 0"
                                 (agent-q-fs-exec-help-call ws "shell" :command "echo hi"))))
      (should (= 1 previews))
      (should (equal '(get_file_info get_file_info) calls)))))

(ert-deftest agent-q-fs-exec-approve/other-surroundings ()
  "If the surroundings that were shown have changed, the command is not run."
  (agent-q-fs-exec-approve-tests--with (ws)
      (lambda (_request)
        (setq agent-q-fs-exec-settings (cons "AQFS_OTHER=1" agent-q-fs-exec-settings))
        (list :decision 'approved))
    (let ((agent-q-fs-exec-settings agent-q-fs-exec-settings))
      (should (string-prefix-p "Error: What was approved is no longer what would be done"
                               (agent-q-fs-exec-help-call ws "shell" :command "touch decoy")))
      (should-not (file-exists-p "decoy")))))

(ert-deftest agent-q-fs-exec-approve/another-isolation ()
  "A command approved in a sandbox is asked about without it."
  (dolist (name '(exact word))
    (agent-q-fs-exec-approve-tests--with (ws)
        (agent-q-fs-exec-approve-tests--remember name)
      (dolist (times '(1 1))
        (agent-q-fs-exec-help-call ws "shell" :command "ls -a")
        (should (= times (length agent-q-fs-exec-approve-tests--asked))))
      (setq agent-q-fs-approval-function
            (lambda (request callback)
              (push request agent-q-fs-exec-approve-tests--asked)
              (funcall callback (list :decision 'denied))))
      (let ((other (agent-q-fs-open :root default-directory :isolation 'bubblewrap)))
        (unwind-protect
            (agent-q-fs-exec-help-call other "shell" :command "ls -a")
          (agent-q-fs-close other)))
      (should (= 2 (length agent-q-fs-exec-approve-tests--asked))))))

(ert-deftest agent-q-fs-exec-approve/other-commands-meanwhile ()
  "An approval is for its own command, not for one that begins while that command runs."
  (agent-q-fs-exec-approve-tests--with (ws '("d/" "")) (lambda (_request) '(:decision approved))
    (let* ((nested nil)
           (timer nil))
      (setq timer (run-with-timer
                   0.05 0.05
                   (lambda ()
                     (when (file-exists-p (expand-file-name "begun"))
                       (cancel-timer timer)
                       (setq nested (agent-q-fs-call-tool-as-person
                                     "shell" '(:command "pwd" :workdir "d") ws))
                       (agent-q-fs-test--write "free" "")))))
      (unwind-protect
          (should (string-prefix-p
                   "Exit status 0"
                   (agent-q-fs-exec-help-call
                    ws "shell" :timeout_ms 3600000
                    :command "touch begun; while ! [ -e free ]; do sleep 0.1; done")))
        (cancel-timer timer))
      (should (string-prefix-p "Exit status 0" nested)))))

(ert-deftest agent-q-fs-exec-approve/input ()
  "Typing is asked about, looking is not; an approval is of the very characters."
  (agent-q-fs-exec-approve-tests--with (ws)
      (agent-q-fs-exec-approve-tests--remember 'exact)
    (let ((session (agent-q-fs-exec-help-session ws "cat")))
      (should (= 1 (length agent-q-fs-exec-approve-tests--asked)))
      (agent-q-fs-exec-help-until ws session "hello\n" "hello\n")
      (agent-q-fs-exec-help-until ws session "hello\n" "hello\n")
      (should (= 2 (length agent-q-fs-exec-approve-tests--asked)))
      (should (equal (list 'exact)
                     (mapcar #'car (agent-q-fs-request-likes
                                    (car agent-q-fs-exec-approve-tests--asked)))))
      (agent-q-fs-exec-help-until ws session "ls" "ls -l\n")
      (should (= 3 (length agent-q-fs-exec-approve-tests--asked)))
      (agent-q-fs-exec-help-call ws "list_sessions")
      (agent-q-fs-exec-help-call ws "kill_session" :session_id session)
      (should (= 3 (length agent-q-fs-exec-approve-tests--asked))))))

(ert-deftest agent-q-fs-exec-approve/links-in-circles-lead-nowhere ()
  (agent-q-fs-exec-approve-tests--with-programs bin
    (make-symbolic-link "loop" (concat bin "loop"))
    (make-symbolic-link (concat bin "mytool") (concat bin "link0"))
    (dotimes (n 45)
      (make-symbolic-link (format "link%d" n) (format "%slink%d" bin (1+ n))))
    (should-not (agent-q-fs-exec-approve--way (concat bin "loop")))
    (should (agent-q-fs-exec-approve--way (concat bin "link30")))
    (should-not (agent-q-fs-exec-approve--way (concat bin "link45")))))

(defun agent-q-fs-exec-approve-tests--text (name)
  "Return the text of the file NAME."
  (with-temp-buffer
    (insert-file-contents-literally name)
    (buffer-string)))

(agent-q-fs-exec-deftest "denied-access-is-told" (ws '(".envrc" "x")) (landlock bubblewrap)
  "A model learns that the isolation may have denied it something, and what to do."
  (let* ((kind (format "Note: this may be the isolation (%s)" agent-q-fs-exec-help-isolation))
         (told (lambda (command &rest more)
                 (let ((text (apply #'agent-q-fs-exec-help-call ws "shell" :command command more)))
                   (and (string-search kind text) text)))))
    (dolist (command '("touch /usr/decoy" "echo y >>.envrc" "touch /etc/decoy 2>&1; exit 3"))
      (let ((text (funcall told command)))
        (should (string-search "no network" text))
        (should (string-search "\"protected\" (.git and protected files, too) or \"everything\"" text))))
    (should-not (funcall told "exit 3"))
    (should-not (funcall told "echo Permission denied"))
    (should-not (funcall told "no-such-command"))
    ;; A session tells of it when it has ended.
    (should (string-search kind (agent-q-fs-exec-help-call
                                 ws "exec_command" :cmd "touch /usr/decoy" :yield_time_ms 60000)))
    (should (equal "x" (agent-q-fs-exec-approve-tests--text ".envrc")))
    (let ((agent-q-fs-exec-help-isolation 'none))
      (agent-q-fs-exec-help-with (free)
        (should-not (string-search "Note:" (agent-q-fs-exec-help-call
                                            free "shell" :command "touch /no/such/decoy"
                                            :access "everything")))))))

(agent-q-fs-exec-deftest "asks-for-more" (unused) (landlock bubblewrap)
  "More than an isolation allows is asked about under any policy, and shown; once it is for once."
  (ignore unused)
  (let* ((outside (make-temp-file "aqfs-outside-" t))
         (write (format "echo y >%s/made; echo y >.envrc" outside))
         (answer 'denied))
    (unwind-protect
        (agent-q-fs-exec-approve-tests--with (ws '(".envrc" "x"))
            (lambda (_) (list :decision answer))
          (let* ((agent-q-fs-policy 'never)
                 (call (lambda (tool &rest arguments)
                         (setq agent-q-fs-exec-approve-tests--asked nil)
                         (apply #'agent-q-fs-exec-help-call ws tool arguments)))
                 (fact (lambda (name)
                         (cdr (assoc name (agent-q-fs-request-facts
                                           (car agent-q-fs-exec-approve-tests--asked)))))))
            (should (string-prefix-p "Error: The user denied shell"
                                     (funcall call "shell" :command write :access "everything")))
            (should (string-match-p "\\`no isolation: .*; the project has \\(landlock\\|bubblewrap\\), no network"
                                    (funcall fact "Asks for")))
            (should (equal "no, it can do whatever you can" (funcall fact "Isolated")))
            (should (equal '(exact) (mapcar #'car (agent-q-fs-request-likes
                                                   (car agent-q-fs-exec-approve-tests--asked)))))
            (should-not (directory-files outside nil "made"))
            (should (equal "x" (agent-q-fs-exec-approve-tests--text ".envrc")))
            (setq answer 'approved)
            (should (string-match-p "isolation none"
                                    (funcall call "shell" :command write :access "everything")))
            (should (equal '("made") (directory-files outside nil "made")))
            (should (equal "y\n" (agent-q-fs-exec-approve-tests--text ".envrc")))
            ;; The next command is isolated again, and nobody is asked.
            (should-not (string-match-p "isolation none"
                                        (funcall call "shell" :command "echo z >.envrc")))
            (should-not agent-q-fs-exec-approve-tests--asked)
            (should (equal "y\n" (agent-q-fs-exec-approve-tests--text ".envrc")))
            (funcall call "shell" :command (concat "rm " outside "/made; echo p >.envrc")
                     :access "protected")
            (should (string-match-p "can change .git and protected" (funcall fact "Isolated")))
            (should (equal "p\n" (agent-q-fs-exec-approve-tests--text ".envrc")))
            (should (directory-files outside nil "made"))
            ;; Typed text is shown with what the session can reach.
            (funcall call "exec_command" :cmd "cat" :access "everything" :yield_time_ms 0)
            (let ((session (plist-get (car (plist-get (agent-q-fs-exec-help-reply ws "list_sessions")
                                                      :sessions))
                                      :session-id)))
              (should (member '("Isolated" . "no, it can do whatever you can")
                              (plist-get (agent-q-fs-exec-approve-input
                                          ws (list :session_id session :chars "x"))
                                         :facts)))
              (funcall call "kill_session" :session_id session))))
      (delete-directory outside t))))

(ert-deftest agent-q-fs-exec-approve/more-than-a-policy-or-a-rule-allows ()
  "A denial that is remembered and a read-only policy count for more access, too."
  (agent-q-fs-exec-help-need 'landlock)
  (let ((agent-q-fs-exec-help-isolation 'landlock))
    (agent-q-fs-exec-approve-tests--with (ws)
        (lambda (request)
          (agent-q-fs-approve-remember 'deny request)
          (list :decision 'denied))
      (dotimes (_ 2)
        (should (string-prefix-p "Error: The user denied shell"
                                 (agent-q-fs-exec-help-call ws "shell" :command "touch decoy"
                                                            :access "everything"))))
      (should (= 1 (length agent-q-fs-exec-approve-tests--asked)))
      (let ((agent-q-fs-policy 'read-only))
        (should (string-prefix-p "Error: The policy is read-only"
                                 (agent-q-fs-exec-help-call ws "shell" :command "touch decoy"
                                                            :access "everything"))))
      (should-not (file-exists-p "decoy")))))

(ert-deftest agent-q-fs-exec-approve/typing-is-about-a-directory ()
  (agent-q-fs-exec-help-with (ws)
    (let ((session (agent-q-fs-exec-help-session ws "cat")))
      (should (equal '((:path "." :action :run-in :type :directory))
                     (plist-get (agent-q-fs-exec-approve-input
                                 ws (list :session_id session :chars "x"))
                                :targets)))
      (agent-q-fs-exec-help-call ws "kill_session" :session_id session))))

(ert-deftest agent-q-fs-exec-approve/read-only ()
  "The policy lets pass what only looks: lists, and sessions whose output is read."
  (agent-q-fs-exec-approve-tests--with (ws) (lambda (_) (list :decision 'approved))
    (let ((session (agent-q-fs-exec-help-session ws "cat"))
          (agent-q-fs-policy 'read-only))
      (pcase-dolist (`(,allowed ,tool . ,arguments)
                     `((t "list_sessions")
                       (t "write_stdin" :session_id ,session :chars "" :yield_time_ms 0)
                       (nil "write_stdin" :session_id ,session :chars "x")
                       (nil "kill_session" :session_id ,session)
                       (nil "shell" :command "true")
                       (nil "exec_command" :cmd "true")))
        (let ((reply (apply #'agent-q-fs-exec-help-reply ws tool arguments)))
          (should (equal (list tool (if allowed nil :read-only))
                         (list tool (plist-get reply :error))))))
      (setq agent-q-fs-policy 'always
            agent-q-fs-exec-approve-tests--asked nil)
      (agent-q-fs-exec-help-reply ws "list_sessions")
      (should-not agent-q-fs-exec-approve-tests--asked)
      (agent-q-fs-exec-help-reply ws "kill_session" :session_id session)
      (should (equal '(cautious) (mapcar #'agent-q-fs-request-tier
                                         agent-q-fs-exec-approve-tests--asked))))))

(provide 'agent-q-fs-exec-approve-tests)
;;; agent-q-fs-exec-approve-tests.el ends here
