;;; agent-q-fs-exec-isolate-tests.el --- Tests of the isolation of commands  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'agent-q-fs-exec-help)
(require 'agent-q-fs-prompt-tests)

(defun agent-q-fs-exec-isolate-tests--out (ws command)
  "Return the output of COMMAND in WS, stdout and stderr."
  (let ((reply (agent-q-fs-exec-help-reply ws "shell" :command command)))
    (or (and (plist-get reply :error) (plist-get reply :text))
        (concat (plist-get reply :stdout) (plist-get reply :stderr)))))

(defvar agent-q-fs-exec-isolate-tests--commands nil
  "Commands that are run by one call.")

(agent-q-fs-exec-deftest "restricted"
    ((ws :restricted_paths '("secret" "a/b/key" "not-there")
         :allowed_paths (list (expand-file-name "secret/open")))
     '("secret/s" "HIDDEN") '("secret/d/s" "HIDDEN") '("secret/open/o" "SHOWN")
     '("a/b/key" "HIDDEN") '("a/b/c" "SHOWN"))
    (landlock bubblewrap podman)
  "A restricted path cannot be read, under any name that it is given."
  (make-symbolic-link "../secret" "a/link")
  (setq agent-q-fs-exec-isolate-tests--commands nil)
  (dolist (command '("cat secret/s" "cat secret/d/s" "cat a/b/key" "cat a/link/s" "grep -r HIDDEN ."
                     "cat $PWD/secret/s" "mv a aa; cat aa/b/key" "mv a/b bb; cat bb/key"
                     "mv secret public; cat public/s" "mv a/b/key k; cat k" "ln a/b/key k; cat k"
                     "cp -r secret a/b/key copy; cat copy/*" "rm -rf secret a; cat secret/s"
                     "cat /proc/self/root$PWD/secret/s" "cat /proc/1/cwd/secret/s"
                     "umount secret a/b/key; cat secret/s a/b/key"
                     "cd secret && cat s" "tar cf - secret a | cat"))
    (push (concat "(" command ")") agent-q-fs-exec-isolate-tests--commands))
  (let ((printed (agent-q-fs-exec-isolate-tests--out
                  ws (concat (mapconcat #'identity
                                    (reverse agent-q-fs-exec-isolate-tests--commands) "\n") "\necho OVER"))))
    (should (string-search "OVER" printed))
    (should-not (string-search "HIDDEN" printed)))
  ;; A path that is shown can be deleted.
  (agent-q-fs-test--write "a/b/c" "SHOWN")
  (should (equal "SHOWN" (agent-q-fs-exec-isolate-tests--out ws "cat a/b/c")))
  (should (equal "HIDDEN" (with-temp-buffer (insert-file-contents "secret/s") (buffer-string))))
  (should (equal "HIDDEN" (with-temp-buffer (insert-file-contents "a/b/key") (buffer-string))))
  (agent-q-fs-exec-isolate-tests--out ws "echo x >secret/new; echo x >a/b/key; rm -f a/b/key")
  (should-not (file-exists-p "secret/new"))
  (should (= 6 (file-attribute-size (file-attributes "a/b/key")))))

;; Threat 160.
(agent-q-fs-exec-deftest "our-own-state"
    ((ws :state_dir (expand-file-name "var/state"))
     '("var/state/kept/x" "HIDDEN") '("var/c" "SHOWN"))
    (landlock bubblewrap podman)
  "Our state directory cannot be read by a command, nor be changed."
  (let ((printed (agent-q-fs-exec-isolate-tests--out
                  ws "cat var/c var/state/kept/x; grep -r HIDDEN .; mv var v; cat v/state/kept/x
echo EVIL >var/state/new; rm -rf var/state")))
    (should (string-search "SHOWN" printed))
    (should-not (string-search "HIDDEN" printed)))
  (should (equal "HIDDEN" (with-temp-buffer
                            (insert-file-contents "var/state/kept/x") (buffer-string))))
  (should-not (file-exists-p "var/state/new")))

(defconst agent-q-fs-exec-isolate-tests--planted
  '("echo EVIL >>.git/config" "echo EVIL >.git/hooks/pre-commit" "echo EVIL >>.envrc"
    "echo EVIL >>.config/direnv/direnvrc" "rm -rf .git .envrc .config" "mv .git moved; echo EVIL >>moved/config"
    "mv .envrc moved; echo EVIL >.envrc" "mv .config moved; echo EVIL >>moved/direnv/direnvrc"
    "ln .envrc other; echo EVIL >>other" "echo EVIL >new; mv -f new .envrc" "chmod 777 .git/hooks"
    "mount -o remount,rw .git; umount .git; echo EVIL >>.git/config" "echo EVIL >>/proc/self/cwd/.envrc"
    "echo EVIL >>to-git/config")
  "Commands that write what programs outside the isolation obey.")

(agent-q-fs-exec-deftest "protected"
    (ws '(".git/config" "GOOD") '(".git/hooks/x" "GOOD") '(".envrc" "GOOD") '("a/f" "x")
        '(".config/direnv/direnvrc" "GOOD") '(".config/own" "x"))
    (landlock bubblewrap podman)
  "Files that programs outside obey cannot be changed by a command, and the rest can."
  (make-symbolic-link ".git" "to-git")
  (let ((files '(".git/config" ".git/hooks/x" ".envrc" ".config/direnv/direnvrc"))
        (content (lambda (file) (with-temp-buffer (insert-file-contents file) (buffer-string)))))
    (agent-q-fs-exec-isolate-tests--out
     ws (mapconcat (lambda (command) (concat "(" command ")"))
                   agent-q-fs-exec-isolate-tests--planted "\n"))
    (dolist (file files)
      (should (equal (list file "GOOD") (list file (funcall content file)))))
    (should-not (file-exists-p ".git/hooks/pre-commit"))
    (should (equal "GOOD" (agent-q-fs-exec-isolate-tests--out ws "cat .git/config")))
    (agent-q-fs-exec-isolate-tests--out
     ws "echo made >made; echo made >a/made; echo y >a/f; mkdir -p .config; echo y >.config/own")
    (should (equal "y\n" (funcall content "a/f")))
    (should (equal "y\n" (funcall content ".config/own")))
    (should (file-exists-p "a/made"))
    (should (eq (eq 'landlock agent-q-fs-exec-help-isolation) (not (file-exists-p "made"))))
    (let ((open (agent-q-fs-open :root default-directory
                                 :isolation (list agent-q-fs-exec-help-isolation :writable t))))
      (unwind-protect
          (progn
            (agent-q-fs-exec-isolate-tests--out open "echo CHANGED >.git/config")
            (should (equal "CHANGED\n" (funcall content ".git/config")))
            (should (string-suffix-p ", no network, can change .git and protected files"
                                     (agent-q-fs-exec-isolation-words open))))
        (agent-q-fs-close open)))))

(agent-q-fs-exec-deftest "protected-as-in-the-core"
    ((ws :protected_paths '("deploy.txt" "a/keys"))
     '("Jenkinsfile" "GOOD") '(".Rprofile" "GOOD") '("init.el" "GOOD") '("my-autoloads.el" "GOOD")
     '("emacs/early-init.el" "GOOD") '(".GitHub/Workflows/x" "GOOD") '("deploy.txt" "GOOD")
     '("a/keys/one" "GOOD") '("a/f" "x") '("a.elc" "x"))
    (landlock bubblewrap podman)
  "Files that the core protects cannot be changed by a command, in letters of any case.
So are names that are patterns, those that count at the top alone, and the
workspace's own protected paths.  Compiled code can be written."
  (let ((content (lambda (file) (with-temp-buffer (insert-file-contents file) (buffer-string)))))
    (dolist (file '("Jenkinsfile" ".Rprofile" "init.el" "my-autoloads.el" "emacs/early-init.el"
                    ".GitHub/Workflows/x" "deploy.txt" "a/keys/one"))
      (should (equal (list file '(:protected))
                     (list file (plist-get
                                 (car (plist-get (agent-q-fs-preview ws 'insert_at_line :path file
                                                                     :line 0 :content "EVIL\n")
                                                 :targets))
                                 :risks))))
      (agent-q-fs-exec-isolate-tests--out
       ws (format "(echo EVIL >%s); mv %s moved; rm -rf %s; (echo EVIL >%s)" file file file file))
      (should (equal (list file "GOOD") (list file (funcall content file)))))
    (agent-q-fs-exec-isolate-tests--out ws "echo y >a/f; echo y >a.elc")
    (should (equal '("y\n" "y\n") (mapcar content '("a/f" "a.elc"))))))

(agent-q-fs-exec-deftest "not-yet-there" (ws '("a/f" "x") '(".vscode" "GOOD")) (landlock bubblewrap)
  "Names that programs outside obey cannot be made by a command, and no trace is left of that."
  (let* ((names (remove ".vscode" agent-q-fs-exec-masked))
         (all (lambda () (sort (directory-files default-directory nil nil t) #'string<)))
         (before (funcall all))
         (try (lambda (name)
                (format "(mkdir %1$s; echo EVIL >%1$s; echo EVIL >%1$s/x; ln -s a %1$s; mv a/f %1$s; \
mv a/g %1$s/g; rmdir %1$s && cp -r a %1$s; umount %1$s; rm -rf %1$s; mkdir -p %1$s/hooks) 2>/dev/null" name))))
    (agent-q-fs-test--write "a/g" "EVIL")
    (let ((reply (agent-q-fs-exec-help-reply
                  ws "shell" :command (concat (mapconcat try names "\n") "\necho OVER; ls -A a"))))
      (should (equal "OVER\nf\ng\n" (plist-get reply :stdout))))
    (should (equal (cons "a" (remove "a" before)) (cons "a" (remove "a" (funcall all)))))
    (should (equal "x" (with-temp-buffer (insert-file-contents "a/f") (buffer-string))))
    ;; Two at once have the same places, and the last one removes them.
    (unless (eq 'landlock agent-q-fs-exec-help-isolation)
      (let ((first (agent-q-fs-exec-help-begun ws "cat"))
            (second (agent-q-fs-exec-help-begun ws "cat")))
        (should (file-directory-p ".git"))
        (agent-q-fs-exec-help-call ws "kill_session" :session_id first)
        (should (file-directory-p ".git"))
        (agent-q-fs-exec-help-call ws "kill_session" :session_id second)
        (should (equal before (funcall all)))))))

(agent-q-fs-exec-deftest "protected-by-pointer"
    (ws '(".git" "gitdir: elsewhere/git\n") '("elsewhere/git/config" "GOOD") '("elsewhere/f" "x"))
    (landlock bubblewrap podman)
  "A repository that a file points to is one, too."
  (agent-q-fs-exec-isolate-tests--out
   ws "echo EVIL >>elsewhere/git/config; echo EVIL >.git; mv elsewhere e; echo y >>elsewhere/f")
  (let ((content (lambda (file) (with-temp-buffer (insert-file-contents file) (buffer-string)))))
    (should (equal "GOOD" (funcall content "elsewhere/git/config")))
    (should (equal "gitdir: elsewhere/git\n" (funcall content ".git")))
    (should (equal "xy\n" (funcall content "elsewhere/f")))))

(agent-q-fs-exec-deftest "protected-and-restricted"
    ((ws :restricted_paths '("secret" ".git"))
     '(".git/config" "HIDDEN") '("secret/.envrc" "HIDDEN") '(".envrc" "SHOWN"))
    (landlock bubblewrap podman)
  "A restricted path is not shown because it is protected."
  (should-not (string-search "HIDDEN" (agent-q-fs-exec-isolate-tests--out
                                       ws "cat .git/config secret/.envrc")))
  (should (equal "SHOWN" (agent-q-fs-exec-isolate-tests--out ws "cat .envrc"))))

(agent-q-fs-exec-deftest "restricted-and-allowed"
    ((ws :restricted_paths '("secret") :allowed_paths (list (expand-file-name "secret/open")))
     '("secret/s" "HIDDEN") '("secret/open/o" "SHOWN"))
    (landlock bubblewrap podman)
  (should (equal "SHOWN" (agent-q-fs-exec-isolate-tests--out ws "cat secret/open/o")))
  ;; A fence cannot show one name of a directory and not the others.
  (should (string-prefix-p (if (eq 'landlock agent-q-fs-exec-help-isolation)
                               "ls: cannot open directory 'secret': Permission denied"
                             "open\n")
                           (agent-q-fs-exec-isolate-tests--out ws "ls secret"))))

(agent-q-fs-exec-deftest "outside" (ws '("in" "x") '("d/in" "x")) (landlock bubblewrap podman)
  "Writes inside the workspace take effect, and writes outside do not."
  (let* ((outside (make-temp-file "aqfs-outside-" t))
         (decoy (expand-file-name "decoy" outside))
         (home (expand-file-name "~")))
    (unwind-protect
        (progn
          (write-region "HIDDEN" nil decoy nil 'quiet)
          (should-not (string-search "HIDDEN" (agent-q-fs-exec-isolate-tests--out
                                               ws (concat "cat " decoy))))
          (dolist (place (list outside home "/tmp" "/usr" "/etc" "/var/tmp" "/"))
            (let ((file (expand-file-name "aqfs-decoy" place)))
              (agent-q-fs-exec-isolate-tests--out
               ws (format "mkdir -p %s; echo x >%s; echo x >>%s; rm -f %s" place file decoy decoy))
              (should-not (file-exists-p file))))
          (should (equal "HIDDEN" (with-temp-buffer (insert-file-contents decoy) (buffer-string))))
          (agent-q-fs-exec-isolate-tests--out ws "echo made >d/made; rm d/in; echo made >made; rm in")
          (should (file-exists-p "d/made"))
          (should-not (file-exists-p "d/in"))
          ;; A fence allows a directory only with all below it, and .git would be there.
          (should (eq (eq 'landlock agent-q-fs-exec-help-isolation) (not (file-exists-p "made"))))
          (should (eq (eq 'landlock agent-q-fs-exec-help-isolation) (file-exists-p "in"))))
      (delete-directory outside t))))

(agent-q-fs-exec-deftest "processes" (ws) (landlock bubblewrap podman)
  "No process of the machine can be seen or ended."
  (let ((other (start-process "other" nil "sleep" "8610.1")))
    (unwind-protect
        (progn
          (let ((seen (agent-q-fs-exec-isolate-tests--out
                       ws "cat /proc/[0-9]*/cmdline | tr '\\0' ' '")))
            ;; A fence has the machine's /proc: names and arguments are seen, and nothing else.
            (unless (eq 'landlock agent-q-fs-exec-help-isolation)
              (should (string-search "cmdline" seen))
              (should-not (string-search "8610.1" seen))
              (should-not (string-search "emacs" seen))))
          (should-not (string-search
                       "READ" (agent-q-fs-exec-isolate-tests--out
                               ws (format "cd /proc/%d && for f in environ maps mem cwd/. root/etc fd/0 \\
io auxv stack; do head -c 1 $f >/dev/null 2>&1 && echo READ $f; done" (process-id other)))))
          (agent-q-fs-exec-isolate-tests--out ws (format "kill -9 %d" (process-id other)))
          (accept-process-output nil 0.2)
          (should (process-live-p other)))
      (delete-process other))))

(agent-q-fs-exec-deftest "network" (ws '("d/f" "x")) (landlock bubblewrap podman)
  "A server for this machine's own programs, as SWANK is, cannot be reached."
  (let* ((server (make-network-process :name "server" :server t :service t :host 'local
                                       :noquery t :filter #'ignore
                                       :log (lambda (_server client _message)
                                              (process-send-string client "REACHED\n")
                                              (delete-process client))))
         (port (process-contact server :service))
         (command (if (eq 'podman agent-q-fs-exec-help-isolation)
                      (format "nc -w 60 127.0.0.1 %d </dev/null" port)
                    (format "bash -c 'cat </dev/tcp/127.0.0.1/%d'" port)))
         (reached "REACHED"))
    (unwind-protect
        (progn
          ;; Else the test would prove nothing.
          (unless (eq 'podman agent-q-fs-exec-help-isolation)
            (let ((open (agent-q-fs-open :root default-directory :isolation 'none)))
              (should (string-search reached (agent-q-fs-exec-isolate-tests--out open command)))
              (agent-q-fs-close open)))
          (should-not (string-search reached (agent-q-fs-exec-isolate-tests--out ws command)))
          (dolist (network '(t "host" "ns:/proc/1/ns/net"))
            (let ((open (agent-q-fs-open :root default-directory
                                         :isolation (list agent-q-fs-exec-help-isolation
                                                          :network network))))
              (should (string-match-p
                       "\\`Error: Commands here run in [a-z]+, which does not work: its network would be"
                       (agent-q-fs-exec-isolate-tests--out open (concat command " >d/f"))))
              (agent-q-fs-close open)))
          (should (equal "x" (with-temp-buffer (insert-file-contents "d/f") (buffer-string)))))
      (delete-process server))))

(agent-q-fs-exec-deftest "sockets" (ws) (landlock bubblewrap)
  "A socket of this machine cannot be reached, neither by its file nor by an abstract name."
  (unless (file-executable-p "/usr/bin/perl") (ert-skip "There is no perl"))
  (let* ((directory (make-temp-file "aqfs-socket-" t))
         (file (expand-file-name "s" directory))
         (server (make-network-process :name "server" :server t :family 'local :service file
                                       :noquery t :filter #'ignore
                                       :log (lambda (_server client _message)
                                              (process-send-string client "REACHED\n")
                                              (delete-process client))))
         (command (format "perl -MSocket -e 'socket(S,PF_UNIX,SOCK_STREAM,0) or die \"refused: $!\"; \
connect(S,pack_sockaddr_un(\"%s\")) or die \"refused: $!\"; print <S>'" file))
         (open (agent-q-fs-open :root default-directory :isolation 'none)))
    (unwind-protect
        (progn
          (should (equal "REACHED\n" (agent-q-fs-exec-isolate-tests--out open command)))
          (should (string-match-p "\\`refused: " (agent-q-fs-exec-isolate-tests--out ws command)))
          ;; As abstract sockets are tried: no name of that kind can even be asked for.
          (should-not (string-search
                       "REACHED" (agent-q-fs-exec-isolate-tests--out
                                  ws (string-replace (format "\"%s\"" file) "\"\\0aqfs\"" command)))))
      (delete-process server)
      (agent-q-fs-close open)
      (delete-directory directory t))))

(agent-q-fs-exec-deftest "kernel" (ws) (none landlock bubblewrap)
  "No other process is traced, no key of the kernel's kept, no user namespace made."
  (unless (and (file-executable-p "/usr/bin/perl")
               (string-prefix-p "x86_64" system-configuration))
    (ert-skip "There is no perl, or the numbers of calls are others"))
  (let ((isolated (not (eq 'none agent-q-fs-exec-help-isolation))))
    (pcase-dolist (`(,what . ,call)
                   '(("ptrace" . "101,0,0,0,0") ("add_key" . "248,$a=\"user\",$b=\"aqfs\",$c=\"x\",1,-3")
                     ("keyctl" . "250,0,-3,0") ("unshare" . "272,0x10000000")
                     ("process_vm_readv" . "310,$$,0,0,0,0,0") ("io_uring_setup" . "425,0,0")
                     ("clone3" . "435,0,0")))
      (let ((printed (agent-q-fs-exec-isolate-tests--out
                      ws (format "perl -e '$r = syscall(%s); print $r == -1 ? \"refused: $!\" : \"done\"'"
                                 call))))
        (ert-info (what)
          (if isolated
              (should (member printed '("refused: Operation not permitted"
                                        "refused: Function not implemented")))
            ;; Else the filter would not be what refuses.
            (unless (member what '("add_key" "keyctl" "unshare" "io_uring_setup"))
              (should-not (equal printed "refused: Function not implemented")))))))))

(agent-q-fs-exec-deftest "typing" (ws) (none landlock bubblewrap)
  "Threat 67: a command in a sandbox cannot type (TIOCSTI); its terminal is its own anyway."
  (unless (file-executable-p "/usr/bin/perl") (ert-skip "There is no perl"))
  (let* ((perl "perl -e 'for (my @k = (\"I\",\"\\n\")) { ioctl(STDIN, 0x5412, $_) or die \"refused: $!\\n\" } \
print \"typed: \", scalar <STDIN>'")
         (reply (agent-q-fs-exec-help-reply ws "exec_command" :cmd perl :yield_time_ms 300000)))
    (if (memq agent-q-fs-exec-help-isolation '(landlock bubblewrap))
        (should (string-search "refused: Operation not permitted" (plist-get reply :stdout)))
      ;; Else the test would prove nothing; some kernels refuse it to all.
      (should (string-match-p "typed: I\\|refused: Input/output error"
                              (plist-get reply :stdout))))))

(agent-q-fs-exec-deftest "privileges" (ws) (landlock bubblewrap podman)
  (should (string-match-p "CapEff:\t0000000000000000"
                          (agent-q-fs-exec-isolate-tests--out ws "cat /proc/self/status")))
  (should-not (string-match-p "^MOUNTED" (agent-q-fs-exec-isolate-tests--out
                                          ws "mount -t tmpfs x /tmp && echo MOUNTED"))))

(agent-q-fs-exec-deftest "read-only" ((ws :read_only t) '("in" "x")) (landlock bubblewrap podman)
  (agent-q-fs-exec-isolate-tests--out ws "echo y >in; echo y >new")
  (should-not (file-exists-p "new"))
  (should (equal "x" (with-temp-buffer (insert-file-contents "in") (buffer-string)))))


;;;; Missing isolations

(defmacro agent-q-fs-exec-isolate-tests--with-path (path &rest body)
  "Run BODY with PATH for commands."
  (declare (indent 1))
  `(let ((old (default-toplevel-value 'process-environment)))
     (unwind-protect
         (progn (set-default-toplevel-value 'process-environment
                                            (cons (concat "PATH=" ,path) old))
                ,@body)
       (set-default-toplevel-value 'process-environment old))))

(ert-deftest agent-q-fs-exec-isolate/missing-program ()
  "Where an isolation is not to be had, nothing is run, and nobody falls back to none."
  (dolist (kind '(bubblewrap podman))
    (let ((agent-q-fs-exec-help-isolation kind))
      (cl-letf (((symbol-function 'agent-q-fs-exec-help-rootfs) (lambda () "/nowhere")))
        (agent-q-fs-exec-help-with (ws '("bin/bwrap" "#!/bin/sh\necho it is broken >&2; exit 1\n")
                                       '("bin/podman" "#!/bin/sh\necho it is broken >&2; exit 1\n"))
          (set-file-modes "bin/bwrap" #o755)
          (set-file-modes "bin/podman" #o755)
          (pcase-dolist (`(,path . ,words) `(("/nowhere" . "there is no program")
                                             (,(expand-file-name "bin") . "it is broken")))
            (agent-q-fs-exec-isolate-tests--with-path path
              (dolist (call '(("shell" :command "touch decoy")
                              ("exec_command" :cmd "touch decoy" :yield_time_ms 300000)))
                (let ((text (apply #'agent-q-fs-exec-help-call ws call)))
                  (should (string-prefix-p (format "Error: Commands here run in %s, which does \
not work: " kind)
                                           text))
                  (should (string-search words text))
                  (should (string-suffix-p "Nothing was run" text))))))
          (should-not (file-exists-p "decoy")))))))

(ert-deftest agent-q-fs-exec-isolate/slow-container ()
  "A container that is long in starting says for how long, and what came of it."
  (agent-q-fs-prompt-tests--with
      '(("bin/podman" "#!/bin/sh
until [ -e \"${0%/*}/../../come\" ]; do sleep 0.1; done
echo no luck >&2
exit 1\n"))
      '(let ((agent-q-fs-policy 'never) said)
         (require 'agent-q-fs-exec)
         (set-file-modes "bin/podman" #o755)
         (set-default-toplevel-value 'process-environment
                                     (cons (format "PATH=%s:%s" (expand-file-name "bin")
                                                   (getenv "PATH"))
                                           process-environment))
         (agent-q-fs-call-tool-async
          "shell" '(:command "true") (lambda (text) (setq said text))
          (agent-q-fs-open :root default-directory :isolation '(podman :rootfs "/nowhere")))
         (setq agent-q-fs-prompt-child-later (lambda () said)))
    (agent-q-fs-prompt-tests--see "Starting a container for p (seconds)\\.\\.\\. . 2")
    (agent-q-fs-prompt-tests--see "Starting a container for p (seconds)\\.\\.\\. . 3")
    (write-region "" nil "../come" nil 'quiet)
    (agent-q-fs-prompt-tests--see "Starting a container for p (seconds)\\.\\.\\.done")
    (should (string-search "no luck" (plist-get (agent-q-fs-prompt-tests--result) :value)))))

(ert-deftest agent-q-fs-exec-isolate/strange-options ()
  (agent-q-fs-test-with-tree (ws)
    (ignore ws)
    (dolist (isolation '("chroot" docker 5 (bubblewrap . 5) ("none" . t) (nil) [none]))
      (should-error (agent-q-fs-open :root default-directory :isolation isolation)
                    :type 'agent-q-fs-invalid-argument))
    (pcase-dolist (`(,given . ,kind) '((none . none) ("bubblewrap" . bubblewrap) (:podman . podman)
                                       ((podman :image "x") . podman) (nil . none)))
      (let ((opened (agent-q-fs-open :root default-directory :isolation given)))
        (should (eq kind (agent-q-fs-exec-isolation-kind opened)))
        (agent-q-fs-close opened)))))

(ert-deftest agent-q-fs-exec-isolate/no-image ()
  (agent-q-fs-exec-help-need 'podman)
  (agent-q-fs-test-with-tree (ws)
    (ignore ws)
    (let ((agent-q-fs-policy 'never) (agent-q-fs-audit-file nil))
      (pcase-dolist (`(,isolation ,words)
                     '((podman "no image is chosen")
                       ((podman :image "localhost/no-such-image") "which does not work")
                       ((podman :rootfs "/no/such/directory") "which does not work")))
        (let ((ws (agent-q-fs-open :root default-directory :isolation isolation))
              (agent-q-fs-exec-podman-global-options agent-q-fs-exec-help--podman))
          (unwind-protect
              (should (string-match-p (concat "\\`Error: Commands here run in podman.*" words)
                                      (agent-q-fs-exec-help-call ws "shell"
                                                                 :command "touch decoy")))
            (agent-q-fs-close ws))))
      (should-not (file-exists-p "decoy")))))


(ert-deftest agent-q-fs-exec-isolate/kernel-without-landlock ()
  "Where the kernel has no Landlock nothing is run, and it is said what else there is."
  (let ((agent-q-fs-exec-help-isolation 'landlock)
        (agent-q-fs-exec-landlock--level 0))
    (agent-q-fs-exec-help-with (ws)
      (should (string-match-p
               (concat "\\`Error: Commands here run in landlock, which does not work: this kernel has none[,;] "
                       (if (executable-find "bwrap") "but bubblewrap is here: " "the package bubblewrap"))
               (agent-q-fs-exec-help-call ws "shell" :command "touch decoy")))
      (should-not (file-exists-p "decoy"))))
  ;; Without a runner nobody knows what the kernel has, and it is asked again when there is one.
  (let ((agent-q-fs-exec-help-isolation 'landlock) (agent-q-fs-exec-landlock--level nil))
    (agent-q-fs-exec-help-with (ws)
      (cl-letf ((agent-q-fs-exec--runner nil)
                ((symbol-function 'agent-q-fs-module-beside) #'ignore))
        (should (string-match-p "landlock, which does not work: there is no program agent-q-fs-run "
                                (agent-q-fs-exec-help-call ws "shell" :command "touch decoy"))))
      (agent-q-fs-test--write "broken" "#!/bin/sh\necho no memory; exit 127")
      (set-file-modes "broken" #o755)
      (let ((broken (expand-file-name "broken")))
        (cl-letf ((agent-q-fs-exec--runner nil)
                  ((symbol-function 'agent-q-fs-module-beside) (lambda (_) broken)))
          (should (string-match-p "landlock, which does not work: .* no memory\\."
                                  (agent-q-fs-exec-help-call ws "shell" :command "touch decoy")))))
      (should-not agent-q-fs-exec-landlock--level)
      (should-not (file-exists-p "decoy"))))
  ;; The kernel may be another one when the command begins.
  (agent-q-fs-exec-help-need 'landlock)
  (let ((agent-q-fs-exec-help-isolation 'landlock)
        (agent-q-fs-exec-landlock--level 7))
    (agent-q-fs-exec-help-with (ws)
      (agent-q-fs-test--write "runner" "#!/bin/sh
printf 'refused 35\\nfence Operation not supported today'; exec cat >/dev/null")
      (set-file-modes "runner" #o755)
      (cl-letf* ((runner (expand-file-name "runner"))
                 ((symbol-function 'agent-q-fs-exec-runner) (lambda () runner)))
        (should (string-match-p "\\`Error: The command could not be started: fence: Operation not"
                                (agent-q-fs-exec-help-call ws "shell" :command "touch decoy"))))
      (should-not (file-exists-p "decoy")))))


;;;; The list of isolations

(defun agent-q-fs-exec-isolate-tests--offer (options)
  "Return what a person is offered about a command in a project opened with OPTIONS."
  (agent-q-fs-test-with-tree (plain)
    (ignore plain)
    (let* ((agent-q-fs-policy 'tiered) (agent-q-fs-audit-file nil) (asked nil)
           (ws (apply #'agent-q-fs-open :root default-directory options))
           (agent-q-fs-approval-function (lambda (request callback)
                                           (setq asked request)
                                           (funcall callback '(:decision approved)))))
      (cl-letf (((symbol-function 'agent-q-fs-approve-unattended-p) #'ignore))
        (should (string-search "\nhi\n" (agent-q-fs-call-tool "shell" '(:command "echo; echo hi") ws))))
      (agent-q-fs-close ws)
      (cdr (assoc "Offered" (agent-q-fs-request-facts asked))))))

(ert-deftest agent-q-fs-exec-isolate/strongest-is-offered ()
  "A person who has chosen no isolation is offered the strongest one that works."
  (pcase-dolist (`(,here . ,offered)
                 '((((bubblewrap) (podman) (landlock)) . "bubblewrap works here: M-x agent-q-fs-isolations")
                   (((bubblewrap . "no") (podman . "no") (landlock)) . "landlock works here: M-x agent-q-fs-isolations")
                   (((bubblewrap . "no") (podman . "no") (landlock . "no")) . nil)))
    (let ((agent-q-fs-exec-isolate--here here))
      (should (equal offered (agent-q-fs-exec-isolate-tests--offer nil)))))
  (let ((agent-q-fs-exec-isolate--here '((bubblewrap) (podman) (landlock))))
    (should-not (agent-q-fs-exec-isolate-tests--offer '(:isolation none)))
    (unwind-protect
        (progn (put 'agent-q-fs-exec-isolation 'customized-value '('none))
               (should-not (agent-q-fs-exec-isolate-tests--offer nil)))
      (put 'agent-q-fs-exec-isolation 'customized-value nil))))

(ert-deftest agent-q-fs-exec-isolate/listed-and-chosen ()
  "The command lists what each isolation does here; what is chosen holds for the next command."
  (let ((agent-q-fs-exec-isolate--here nil)
        (bwrap (agent-q-fs-exec-help--why-not 'bubblewrap))
        (landlock (agent-q-fs-exec-help--why-not 'landlock))
        (given nil) (said nil))
    (cl-letf (((symbol-function 'completing-read)
               (lambda (_prompt choices _p _m _i _h default)
                 (setq given (cons default choices))
                 (car (last choices 2)))))
      (unwind-protect
          (agent-q-fs-test-with-tree (plain '("d/" ""))
            (ignore plain)
            (save-window-excursion (call-interactively #'agent-q-fs-isolations))
            (setq said (with-current-buffer "*agent-q-fs isolations*" (buffer-string)))
            (should (string-match-p (if bwrap "^bubblewrap  does not work here (" "^bubblewrap  the strongest here: ")
                                    said))
            (should (string-match-p "^podman +does not work here (" said))
            (should (string-match-p "^none +\\(works\\|the strongest\\) " said))
            (should (equal (delq nil (list (unless bwrap "bubblewrap") (unless landlock "landlock") "none"))
                           (cdr given)))
            (should (equal (car given) (cadr given)))
            (unless landlock
              (should (eq 'landlock agent-q-fs-exec-isolation))
              (let* ((agent-q-fs-policy 'never) (agent-q-fs-audit-file nil)
                     (ws (agent-q-fs-open :root default-directory)))
                (should (string-search "isolation landlock"
                                       (agent-q-fs-call-tool "shell" '(:command "true") ws)))
                (agent-q-fs-close ws)))
            (should-error (agent-q-fs-isolations 'podman) :type 'user-error))
        (when (get-buffer "*agent-q-fs isolations*") (kill-buffer "*agent-q-fs isolations*"))
        (customize-set-variable 'agent-q-fs-exec-isolation 'none)
        (put 'agent-q-fs-exec-isolation 'customized-value nil)))))


;;;; Containers

(defun agent-q-fs-exec-isolate-tests--containers ()
  "Return the names of this Emacs' containers."
  (split-string (with-temp-buffer
                  (apply #'call-process "podman" nil '(t nil) nil
                         (append agent-q-fs-exec-help--podman
                                 (list "ps" "--all" "--format" "{{.Names}}" "--filter"
                                       (format "name=agent-q-fs-%d-" (emacs-pid)))))
                  (buffer-string))
                "\n" t))

(agent-q-fs-exec-deftest "container" (ws '("a/f" "x")) (podman)
  "There is one container, from the first command until the workspace is closed."
  (should-not (seq-intersection (agent-q-fs-exec-isolate-tests--containers)
                                (mapcar (lambda (entry) (plist-get (cdr entry) :name))
                                        agent-q-fs-exec-podman--containers)))
  (let ((answers nil))
    ;; Two at once, before there is one.
    (dotimes (_ 2)
      (agent-q-fs-call-tool-async "shell" '(:command "echo x >>/tmp/kept; cat a/f")
                                  (lambda (text) (push text answers)) ws))
    (agent-q-fs-test-until (= 2 (length answers)))
    (dolist (text answers)
      (should (string-match-p "\\`Exit status 0" text))))
  (should (equal "x\nx\n" (agent-q-fs-exec-isolate-tests--out ws "cat /tmp/kept")))
  (should (= 1 (length agent-q-fs-exec-podman--containers)))
  (let ((name (plist-get (cdar agent-q-fs-exec-podman--containers) :name)))
    (should (member name (agent-q-fs-exec-isolate-tests--containers)))
    (agent-q-fs-close ws)
    (should-not agent-q-fs-exec-podman--containers)
    (agent-q-fs-test-until (not (member name (agent-q-fs-exec-isolate-tests--containers))))))

(ert-deftest agent-q-fs-exec-isolate/signals-of-a-terminal ()
  "Only where there is a terminal, signals are kept from bubblewrap and given to the command."
  (agent-q-fs-exec-help-with (ws)
    (dolist (tty '(nil t))
      (pcase-let ((`(,words . ,options)
                   (agent-q-fs-exec-bubblewrap-command default-directory tty '("true"))))
        (should (eq tty (and (member "--default-signal=INT,QUIT,TSTP" words) t)))
        (should (eq tty (and (memq 'deaf options) t)))
        (should (memq 'filter options))
        (should (equal '("true") (last words)))))))

(provide 'agent-q-fs-exec-isolate-tests)
;;; agent-q-fs-exec-isolate-tests.el ends here
