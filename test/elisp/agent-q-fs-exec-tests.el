;;; agent-q-fs-exec-tests.el --- Tests of shell  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'agent-q-fs-exec-help)


;;;; Ends

(agent-q-fs-exec-deftest "shell" (ws) t
  (let ((reply (agent-q-fs-exec-help-reply ws "shell" :command "echo out; echo err >&2; exit 3")))
    (should (equal "out\n" (plist-get reply :stdout)))
    (should (equal "err\n" (plist-get reply :stderr)))
    (should (equal 3 (plist-get reply :exit-code)))
    (should-not (plist-get reply :error))
    (should (eq (intern (format ":%s" agent-q-fs-exec-help-isolation))
                (plist-get reply :isolation)))
    (should (string-match-p (format "\\`Exit status 3 ([0-9.]+ s, isolation %s)\nstdout:\nout\n\
stderr:\nerr\n\\'" agent-q-fs-exec-help-isolation)
                            (plist-get reply :text)))))

(ert-deftest agent-q-fs-exec/either-output-may-be-cut ()
  (agent-q-fs-exec-help-with (ws)
    (pcase-dolist (`(,command . ,cut) '(("seq 3; seq 3 >&2" . nil) ("seq 5000" . t)
                                        ("seq 5000 >&2" . t) ("seq 5000; seq 5000 >&2" . t)))
      (should (eq cut (and (plist-get (agent-q-fs-exec-help-reply ws "shell" :command command)
                                      :truncated)
                           t))))))

(agent-q-fs-exec-deftest "ends" (ws '("plain" "x")) t
  "Threat 120: exit, signal, not found and not executable can be told apart."
  (pcase-dolist (`(,command ,status ,words)
                 '(("exit 0" 0 "Exit status 0 (") ("false" 1 "Exit status 1 (")
                   ("exit 255" 255 "Exit status 255 (")
                   ("no_such_program" 127 "Exit status 127 (command not found)")
                   ("./plain" 126 "Exit status 126 (found, but could not be executed)")
                   ("/" 126 "Exit status 126")
                   ("kill -9 $$" (signal "SIGKILL" 137) "SIGKILL")
                   ("kill -TERM $$" (signal "SIGTERM" 143) "SIGTERM")
                   ("kill -SEGV $$" (signal "SIGSEGV" 139) "SIGSEGV")))
    (let ((reply (agent-q-fs-exec-help-reply ws "shell" :command command)))
      (should (string-search words (plist-get reply :text)))
      (cond
       ((integerp status) (should (equal status (plist-get reply :exit-code))))
       ((memq agent-q-fs-exec-help-isolation '(none landlock))
        (should (equal (nth 1 status) (plist-get reply :signal)))
        (should-not (plist-get reply :exit-code)))
       (t (should (equal (nth 2 status) (plist-get reply :exit-code)))))))
  (should-not (directory-files default-directory nil "\\`core")))

(agent-q-fs-exec-deftest "input-is-empty" (ws) t
  (should (equal "0\n" (plist-get (agent-q-fs-exec-help-reply ws "shell" :command "cat | wc -c")
                                  :stdout))))

(agent-q-fs-exec-deftest "no-terminal" (ws) t
  "A command without a terminal cannot read from the person's."
  (let ((reply (agent-q-fs-exec-help-reply
                ws "shell" :command "read x </dev/tty; echo \"got <$x> $?\"")))
    (should (string-match-p "got <> [1-9]" (plist-get reply :stdout)))))

(agent-q-fs-exec-deftest "descriptors" (ws) t
  "Threat 67: a command inherits nothing that is open."
  (let ((reply (agent-q-fs-exec-help-reply ws "shell" :command "ls /proc/self/fd")))
    (should (member (plist-get reply :stdout) '("0\n1\n2\n3\n")))))

(ert-deftest agent-q-fs-exec/descriptors-of-emacs ()
  "Nor does it inherit descriptors that Emacs has from its parent."
  (let* ((form '(progn
                  (require 'agent-q-fs-exec-run)
                  (let* ((done nil)
                         (ws (agent-q-fs-open :root "/usr")))
                    (agent-q-fs-exec-run-start
                     ws "ls /proc/self/fd" (agent-q-fs-exec-run-place ws ".")
                     :on-end (lambda (run) (setq done run)))
                    (agent-q-fs-exec-run-wait (lambda () done))
                    (princ (car (agent-q-fs-exec-output-take
                                 (agent-q-fs-exec-run-stdout done) 999 99 t))))))
         (command (agent-q-fs-test-emacs-command "--batch" "-l" "agent-q-fs" "--eval"
                                                 (prin1-to-string form))))
    (should (equal "0\n1\n2\n3\n"
                   (with-temp-buffer
                     (apply #'call-process "sh" nil '(t nil) nil "-c"
                            "exec 5</etc/passwd 7>/dev/null; exec \"$@\"" "sh" command)
                     (buffer-string))))))


;;;; Arguments

(agent-q-fs-exec-deftest "hostile-commands" (ws) (none landlock bubblewrap)
  "Threat 116: a command is text for a shell, also if it begins with a hyphen."
  (dolist (command (list "" " \n\t" "a\0b" "echo x\0; touch decoy"
                         (concat "echo " (make-string 130000 ?x))
                         (concat "echo " (make-string 3000000 ?x))
                         (make-string 40001 ?€)))
    (let ((text (agent-q-fs-exec-help-call ws "shell" :command command)))
      (should (string-prefix-p "Error: command: " text))
      (should (< (length text) 200))))
  (pcase-dolist (`(,command ,stdout)
                 `(("echo \"a  b\" 'c;d' $((1+1))" "a  b c;d 2\n")
                   ("echo é€𝄞" "é€𝄞\n") ("printf '%s' \"-n\"" "-n")
                   ("echo a\necho b" "a\nb\n")
                   (,(concat "echo " (make-string 100000 ?x) " | wc -c") "100001\n")))
    (should (equal stdout (plist-get (agent-q-fs-exec-help-reply ws "shell" :command command)
                                     :stdout))))
  (dolist (command '("-c" "--help" "-x 1" "+x"))
    (should (eql 127 (plist-get (agent-q-fs-exec-help-reply ws "shell" :command command)
                                :exit-code))))
  (dolist (arguments '((:command 5) (:command "x" :timeout_ms 0) (:command "x" :timeout_ms -1)
                       (:command "x" :timeout_ms 99999999) (:command "x" :workdir 5) ()
                       (:command "x" :bogus 1)))
    (should (string-prefix-p "Error: " (apply #'agent-q-fs-exec-help-call ws "shell" arguments))))
  (should-not (file-exists-p "decoy")))


;;;; Working directories

(agent-q-fs-exec-deftest "workdir"
    ((ws :restricted_paths '("secret")) '("a/b/" "") '("file" "x") '("secret/s" "x")) t
  (make-symbolic-link "a/b" "inside")
  (make-symbolic-link "/" "outside")
  (make-symbolic-link "nowhere" "dangling")
  (make-symbolic-link "secret" "to-secret")
  (let ((root (if (eq 'podman agent-q-fs-exec-help-isolation)
                  "/workspace/"
                default-directory)))
    (pcase-dolist (`(,given ,where) `(("a" "a") ("a/b" "a/b") ("inside" "a/b")
                                      ("a/../a/./b/" "a/b")
                                      (,(concat default-directory "a") "a")))
      (let ((reply (agent-q-fs-exec-help-reply ws "shell" :command "pwd -P" :workdir given)))
        (should (equal (concat root where "\n") (plist-get reply :stdout)))
        (should (equal where (plist-get reply :path))))))
  (dolist (tool '(("shell" :command) ("exec_command" :cmd)))
    (dolist (given (list ".." "/" "/tmp" "outside" "outside/usr" "dangling" "nowhere" "file"
                         "secret" "to-secret" "a/../secret" "" "a\0b" (make-string 5000 ?x)
                         "~root" "a/b/../../.."))
      (let ((text (agent-q-fs-exec-help-call ws (car tool) (cadr tool) "echo ran; touch decoy"
                                             :workdir given)))
        (should (string-prefix-p "Error: " text))
        (should-not (string-search "ran\n" text)))))
  (should-not (file-exists-p "decoy"))
  (should-not (file-exists-p "/tmp/decoy")))

(agent-q-fs-exec-deftest "workdir-vanishes" (ws '("a/" "")) (none landlock bubblewrap)
  "Threat 118: the directory may go, or become a link out, at the last moment."
  (let* ((outside (make-temp-file "aqfs-outside-" t))
         (a (expand-file-name "a"))
         (send (symbol-function 'process-send-string))
         (swap nil))
    (unwind-protect
        (cl-letf (((symbol-function 'process-send-string)
                   (lambda (process string)
                     (when swap (funcall swap))
                     (funcall send process string))))
          (should (equal "" (plist-get (agent-q-fs-exec-help-reply
                                        ws "shell" :command "ls" :workdir "a")
                                       :stdout)))
          (setq swap (lambda ()
                       (setq swap nil)
                       (delete-directory a t)
                       (make-symbolic-link outside a)))
          (should (string-match-p "\\`Error: The working directory was moved or replaced"
                                  (agent-q-fs-exec-help-call ws "shell" :command "touch decoy; ls"
                                                             :workdir "a")))
          (should-not (directory-files outside nil "decoy"))
          (delete-file "a")
          (make-directory "a")
          (setq swap (lambda () (setq swap nil) (delete-directory a t)))
          (should (string-prefix-p "Error: " (agent-q-fs-exec-help-call
                                              ws "shell" :command "echo ran >ran" :workdir "a")))
          (should-not (file-exists-p "ran")))
      (delete-directory outside t))))

(agent-q-fs-exec-deftest "strange-names" (ws) (none landlock bubblewrap)
  (dolist (name '("with space" "new\nline" "ends\n" "-n" "$(touch decoy)" "é" "/ssh:x:y" "*"))
    (let ((name (string-remove-prefix "/" name))
          (file-name-handler-alist nil))
      (make-directory (concat default-directory name) t)
      (should (equal (concat default-directory name "\n")
                     (plist-get (agent-q-fs-exec-help-reply
                                 ws "shell" :command "pwd -P" :workdir (concat "./" name))
                                :stdout)))))
  (should-not (file-exists-p "decoy")))


(ert-deftest agent-q-fs-exec/other-backends ()
  "A session's own directory is as good as any; memory is none."
  (agent-q-fs-exec-help-with (ws)
    (ignore ws)
    (let ((memory (agent-q-fs-open :backend 'memory))
          (own (agent-q-fs-open :backend 'session)))
      (unwind-protect
          (progn
            (dolist (call '(("shell" :command "pwd") ("exec_command" :cmd "pwd")))
              (should (string-prefix-p "Error: No command can be run in a workspace in memory"
                                       (apply #'agent-q-fs-exec-help-call memory call))))
            (should (equal (agent-q-fs-workspace-root own)
                           (file-name-as-directory
                            (string-trim (plist-get (agent-q-fs-exec-help-reply
                                                     own "shell" :command "echo x >f; pwd -P")
                                                    :stdout)))))
            (should (equal "x\n" (agent-q-fs-call-tool "read_file" '(:path "f") own)))
            (agent-q-fs-exec-help-session own (agent-q-fs-exec-help-own "sleep 77.1")))
        (agent-q-fs-close memory)
        (agent-q-fs-close own)))
    (should-not (agent-q-fs-exec-help-gone "sleep 77"))))


;;;; Environment

(agent-q-fs-exec-deftest "environment" (ws '(".envrc" "export EVIL=1\n") '(".env" "EVIL=1\n")
                                           '("evil" "echo EVIL >evil-ran\n"))
    t
  "Threats 67, 119: only variables that are named reach a command, and none of a project."
  (let* ((secrets '("SECRET_TOKEN=1" "LD_PRELOAD=/nowhere.so" "BASH_ENV=evil" "ENV=evil"
                    "GIT_DIR=/x" "GIT_EXTERNAL_DIFF=evil" "PAGER=evil" "GIT_PAGER=evil"
                    "EDITOR=evil" "PROMPT_COMMAND=evil" "PS4=$(./evil)" "SHELLOPTS=xtrace"
                    "BASH_FUNC_ls%%=() { touch evil-ran; }" "PERL5OPT=-e0" "IFS=x"
                    "DISPLAY=:7" "SSH_AUTH_SOCK=/x" "PYTHONSTARTUP=evil" "CDPATH=/"))
         (old (default-toplevel-value 'process-environment)))
    (unwind-protect
        (progn
          (set-default-toplevel-value 'process-environment (append secrets old))
          (with-temp-buffer
            (setq-local process-environment (append '("TERM=evil" "LANG=evil") secrets))
            (setq-local shell-file-name (expand-file-name "evil"))
            (setq-local exec-path (list default-directory))
            (let ((stdout (plist-get (agent-q-fs-exec-help-reply ws "shell" :command "env; ls")
                                     :stdout)))
              (dolist (secret secrets)
                (should-not (string-match-p (concat "^" (regexp-quote secret)) stdout)))
              (should-not (string-search "=evil" stdout))
              (dolist (setting '("TERM=dumb" "PAGER=cat" "GIT_PAGER=cat" "NO_COLOR=1"))
                (should (string-match-p (concat "^" setting "$") stdout)))))
          (should-not (file-exists-p "evil-ran")))
      (set-default-toplevel-value 'process-environment old))))

(ert-deftest agent-q-fs-exec/variables ()
  "Names are whole, their case counts, the first of two counts, and one without = is unset."
  (let ((old (default-toplevel-value 'process-environment)))
    (unwind-protect
        (pcase-dolist (`(,names ,environment ,wanted)
                       '((("A" "B_*") ("A=1" "AA=2" "B_C=3" "B_=4" "BC=5" "a=6" "A=7")
                          ("A=1" "B_C=3" "B_=4"))
                         (("A") ("A" "A=1") nil)
                         (("A.") ("AB=1" "A.=2=3" "X=A.=1") ("A.=2=3"))
                         (("*") ("A=1" "" "B") ("A=1"))
                         (nil ("A=1" "=2") nil)))
          (set-default-toplevel-value 'process-environment environment)
          (let ((agent-q-fs-exec-environment names) (agent-q-fs-exec-settings nil))
            (should (equal wanted (agent-q-fs-exec-environment)))))
      (set-default-toplevel-value 'process-environment old))))

(ert-deftest agent-q-fs-exec/path-has-no-place-of-the-project ()
  "A relative or empty directory in PATH is not searched."
  (let ((old (default-toplevel-value 'process-environment)))
    (unwind-protect
        (agent-q-fs-exec-help-with (ws '("ls" "#!/bin/sh\ntouch evil-ran\n"))
          (set-file-modes "ls" #o755)
          (set-default-toplevel-value 'process-environment
                                      (cons (concat "PATH=.::bin:" (getenv "PATH")) old))
          (should (equal "ls\n" (plist-get (agent-q-fs-exec-help-reply ws "shell" :command "ls")
                                           :stdout)))
          (should-not (file-exists-p "evil-ran")))
      (set-default-toplevel-value 'process-environment old))))

(ert-deftest agent-q-fs-exec/no-shell ()
  (agent-q-fs-exec-help-with (ws)
    (let ((agent-q-fs-exec-shell "/no/such/shell"))
      (should (equal "Error: There is no shell /no/such/shell; see agent-q-fs-exec-shell"
                     (agent-q-fs-exec-help-call ws "shell" :command "echo x"))))))


;;;; Output

(agent-q-fs-exec-deftest "strange-output" (ws) t
  "Threats 59, 114: bytes that are no text, and text that terminals obey."
  (let ((reply (agent-q-fs-exec-help-reply
                ws "shell" :command
                "printf 'a\\377\\376b \\303\\251 \\033[31mred\\033[0m \\033]0;t\\007x\\n\\000\\n'")))
    (should (equal "a\\377\\376b é red x\n^@\n" (plist-get reply :stdout)))
    (should-not (text-properties-at 0 (plist-get reply :text)))))

(agent-q-fs-exec-deftest "caps" (ws) t
  "stdout and stderr are cut apart; the beginning and the end are kept."
  (let* ((reply (agent-q-fs-exec-help-reply ws "shell" :command "seq 1 5000; seq 1 300 >&2"))
         (stdout (plist-get reply :stdout)) (stderr (plist-get reply :stderr)))
    (should (plist-get reply :truncated))
    (dolist (text (list stdout stderr))
      (should (<= (string-bytes text) 8192))
      (should (<= (length (split-string text "\n" t)) 200))
      (should (string-prefix-p "1\n2\n" text))
      (should (string-match "^\\[truncated\\] [0-9,]+ bytes left out$" text)))
    (should (string-suffix-p "4999\n5000\n" stdout))
    (should (string-suffix-p "299\n300\n" stderr)))
  (should-not (plist-get (agent-q-fs-exec-help-reply ws "shell" :command "seq 1 200")
                         :truncated)))

(agent-q-fs-exec-deftest "hundred-megabytes" (ws) (none)
  "Threat 66: of 100 MB without a newline the first and last bytes come, soon."
  (let* ((megabytes (if agent-q-fs-exec-help-long 100 6))
         (reply (agent-q-fs-exec-help-reply
                 ws "shell" :command
                 (format "printf first; head -c %d000000 /dev/zero | tr '\\0' x; printf last"
                         megabytes))))
    (should (equal 0 (plist-get reply :exit-code)))
    (should (string-prefix-p "firstxxx" (plist-get reply :stdout)))
    (should (string-suffix-p "xxxlast" (plist-get reply :stdout)))
    (should (string-search (format "[truncated] %d,99" (1- megabytes)) ; all but 8 KB
                           (plist-get reply :stdout)))))

(agent-q-fs-exec-deftest "last-words" (ws) t
  "The last output of a command arrives, even after very much output."
  ;; More than is read at once.
  (dolist (command '("head -c 1500000 /dev/zero; echo; echo LAST"
                     "(head -c 1500000 /dev/zero; echo; echo LAST) >&2"))
    (let ((reply (agent-q-fs-exec-help-reply ws "shell" :command command)))
      (should (equal 0 (plist-get reply :exit-code)))
      (should (string-match-p "LAST\n\\'" (concat (plist-get reply :stdout)
                                                  (plist-get reply :stderr)))))))


;;;; Ending what goes on

(defconst agent-q-fs-exec-tests--tricks
  '("sleep 71.1"
    "sleep 71.2 & sleep 71.3 & wait"
    "setsid sleep 71.4 & sleep 71.5"
    "trap '' TERM HUP INT; sleep 71.6; sleep 71.7"
    "(trap '' TERM HUP; (setsid sh -c 'trap \"\" TERM HUP; sleep 71.8 & sleep 71.9' &) ); sleep 72"
    "nohup sleep 72.1 >/dev/null 2>&1 & sleep 72.2"
    "kill -STOP $$"
    "sleep 72.3 </dev/null >/dev/null 2>&1 & exec sleep 72.4"
    "while :; do sleep 0.01; done"
    "yes >/dev/null"
    "env -i /bin/sh -c 'sleep 72.5 & setsid sleep 72.6 & sleep 72.7'")
  "Commands that try to outlive their time.")

(agent-q-fs-exec-deftest "timeouts" (ws) t
  "Threats 65, 117: a timeout ends all that was started.
The time is over when the command has begun and its output has come,
however long that takes."
  (dolist (command (if (or agent-q-fs-exec-help-long (eq 'none agent-q-fs-exec-help-isolation))
                       agent-q-fs-exec-tests--tricks
                     (mapcar (lambda (n) (nth n agent-q-fs-exec-tests--tricks)) '(1 4 10))))
    (let ((reply nil))
      (agent-q-fs-tools--begin
       "shell" (list :command (concat "echo begun; " (agent-q-fs-exec-help-own command))
                     :timeout_ms 3600000)
       ws (lambda (answer) (setq reply answer)))
      (agent-q-fs-test-until (seq-some #'agent-q-fs-exec-help-has-printed
                                       agent-q-fs-exec-run--all)
                             reply)
      (should-not reply)
      (agent-q-fs-exec-help-time-is-over)
      (agent-q-fs-test-until reply)
      (should (eq :timeout (plist-get reply :error)))
      (should (string-match-p "\\`Error: The command took too long" (plist-get reply :text)))
      (should (equal "begun\n" (plist-get reply :stdout)))
      (should-not (plist-get reply :hint))
      (should-not (agent-q-fs-exec-help-gone))
      (should-not (agent-q-fs-exec-help-gone "sleep 7")))))

(agent-q-fs-exec-deftest "left-behind" (ws) t
  "Threat 117: nobody waits for a process that keeps the output open after the end."
  (dolist (command '("sleep 73.1 & echo over" "setsid sleep 73.2 & echo over"
                     "(sleep 73.3 >/dev/null 2>&1 &); echo over"
                     "sleep 73.4 >&2 & echo over" "env -i setsid sleep 73.5 & echo over"))
    (let ((reply (agent-q-fs-exec-help-reply
                  ws "shell" :command (agent-q-fs-exec-help-own command))))
      (should (equal "over\n" (plist-get reply :stdout)))
      (should (equal 0 (plist-get reply :exit-code)))
      (should-not (agent-q-fs-exec-help-gone))
      (should-not (agent-q-fs-exec-help-gone "sleep 73")))))

(ert-deftest agent-q-fs-exec/hundred-timeouts ()
  "After 100 timeouts nothing is left."
  (agent-q-fs-exec-help-with (ws)
    (let ((tricks agent-q-fs-exec-tests--tricks)
          (ended 0) (begun 0))
      (while (< begun 100)
        (dotimes (_ 25)
          (cl-incf begun)
          (agent-q-fs-call-tool-async
           "shell" (list :command (agent-q-fs-exec-help-own (nth (% begun (length tricks)) tricks))
                         :timeout_ms 300)
           (lambda (text)
             (should (string-prefix-p "Error: The command took too long" text))
             (cl-incf ended))
           ws))
        (agent-q-fs-test-until (= ended begun))
        (should-not (agent-q-fs-exec-help-gone))
        (should-not (agent-q-fs-exec-help-gone "sleep 7"))))))

(ert-deftest agent-q-fs-exec/quit-ends-it ()
  (agent-q-fs-exec-help-with (ws)
    (agent-q-fs-exec-help-quit-when "sleep 74")
    (should (eq 'quit (condition-case nil
                          (let ((inhibit-quit nil))
                            (agent-q-fs-exec-help-call
                             ws "shell" :command (agent-q-fs-exec-help-own "sleep 74.1")
                             :timeout_ms 3600000))
                        (quit 'quit))))
    (should-not (agent-q-fs-exec-help-gone "sleep 74"))))

(ert-deftest agent-q-fs-exec/names-of-signals ()
  "The shell knows them as well."
  (pcase-dolist (`(,number . ,name) agent-q-fs-exec-run--signals)
    (should (equal (list number name)
                   (list number (concat "SIG" (car (process-lines "bash" "-c"
                                                                  (format "kill -l %d" number)))))))
    (should (equal name (agent-q-fs-exec-run-signal number)))))

(agent-q-fs-exec-deftest "signals-of-what-it-ran" (ws) t
  "A sandbox reports a signal as a status; without one, a status is only that."
  (should (equal (if (eq 'none agent-q-fs-exec-help-isolation)
                     "Exit status 143"
                   "Exit status 143 (as of SIGTERM)")
                 (substring (agent-q-fs-exec-help-call ws "shell" :command "exit 143")
                            0 (if (eq 'none agent-q-fs-exec-help-isolation) 15 31))))
  (should-not (string-search "as of" (agent-q-fs-exec-help-call ws "shell" :command "exit 100"))))

(agent-q-fs-exec-deftest "closing-ends-it" (ws) t
  (let ((texts nil) (reply nil))
    (agent-q-fs-tools--begin
     "shell" (list :command (agent-q-fs-exec-help-own "sleep 75.4") :timeout_ms 3600000)
     ws (lambda (answer) (setq reply answer)))
    (agent-q-fs-call-tool-async
     "shell" (list :command (agent-q-fs-exec-help-own "setsid sleep 75.1 & sleep 75.2")
                   :timeout_ms 3600000)
     (lambda (text) (push text texts)) ws)
    (agent-q-fs-call-tool-async
     "exec_command" (list :cmd (agent-q-fs-exec-help-own "sleep 75.3") :yield_time_ms 300000)
     (lambda (text) (push text texts)) ws)
    (agent-q-fs-exec-help-sleeping "sleep 75" 4)
    (agent-q-fs-close ws)
    (should (eq :cancelled (plist-get reply :error)))
    (should (equal 2 (length texts)))
    (dolist (text texts)
      (should (string-prefix-p "Error: The workspace was closed" text)))
    (should-not (agent-q-fs-exec-help-gone "sleep 75"))
    (should-not (agent-q-fs-exec-session-list ws))))

(ert-deftest agent-q-fs-exec/end-of-emacs-ends-it ()
  (agent-q-fs-test-in-emacs
   `(let ((ws (agent-q-fs-open :root "/usr")))
      (require 'agent-q-fs-exec-help)
      (setq agent-q-fs-policy 'never agent-q-fs-audit-file nil
            agent-q-fs-exec-help-pid ,(emacs-pid))
      (agent-q-fs-call-tool "exec_command" (list :cmd (agent-q-fs-exec-help-own
                                                       "setsid sleep 76.1 & sleep 76.2"))
                            ws)
      (agent-q-fs-call-tool-async "shell" (list :command (agent-q-fs-exec-help-own
                                                          "trap '' TERM; sleep 76.3"))
                                  #'ignore ws)
      (agent-q-fs-exec-help-sleeping "sleep 76." 3)
      t))
  (should-not (agent-q-fs-exec-help-gone "sleep 76")))


;;;; The door

(ert-deftest agent-q-fs-exec/events ()
  "The events of a command say why it was allowed, and how much came back."
  (agent-q-fs-exec-help-with (ws '("a/" ""))
    (agent-q-fs-test-with-events events
      (agent-q-fs-call-tool "shell" '(:command "seq 1 900; false" :workdir "a") ws)
      (should (= 2 (length events)))
      (let ((end (car events)))
        (should (equal "shell" (plist-get end :tool)))
        (should (eq 'dangerous (plist-get end :tier)))
        (should (eq 'policy (plist-get end :decision)))
        (should (equal '("a") (plist-get end :paths)))
        (should (equal "seq 1 900; false" (plist-get end :command)))
        (should (string-search "\"command\":\"seq 1 900; false\"" (agent-q-fs-audit--json end)))
        (should (plist-get end :truncated))
        (should-not (plist-get end :error))))
    (agent-q-fs-test-with-events events
      (agent-q-fs-call-tool "shell" '(:command "sleep 9" :timeout_ms 50) ws)
      (should (eq 'timeout (plist-get (car events) :error))))))

(ert-deftest agent-q-fs-exec/replies-are-plain ()
  "A reply has nothing that only Emacs could read."
  (agent-q-fs-exec-help-with (ws)
    (dolist (reply (list (agent-q-fs-exec-help-reply ws "shell" :command "echo é")
                         (agent-q-fs-exec-help-reply ws "exec_command" :cmd "cat")
                         (agent-q-fs-exec-help-reply ws "list_sessions")
                         (agent-q-fs-exec-help-reply ws "shell" :command "")))
      (let ((printed (let ((print-circle t)) (prin1-to-string reply))))
        (should-not (string-match-p "#[<s(&@]" printed))
        (should (equal reply (read printed)))))))

(ert-deftest agent-q-fs-exec/specs ()
  (require 'agent-q-fs-spec)
  (let ((specs (agent-q-fs-tool-specs 'mcp "commands")))
    (should (equal '("list_sessions" "shell" "exec_command" "write_stdin" "kill_session")
                   (sort (mapcar (lambda (spec) (plist-get spec :name)) specs)
                         (lambda (a b)
                           (< (seq-position '("list_sessions" "shell" "exec_command"
                                              "write_stdin" "kill_session")
                                            a)
                              (seq-position '("list_sessions" "shell" "exec_command"
                                              "write_stdin" "kill_session")
                                            b))))))
    (dolist (spec specs)
      (should (eq (if (equal "list_sessions" (plist-get spec :name)) t :false)
                  (plist-get (plist-get spec :annotations) :readOnlyHint)))))
  (dolist (format '(openai anthropic mcp))
    (should (string-search "timeout_ms" (agent-q-fs-tool-specs-json format "commands"))))
  (should-not (member "shell" (mapcar #'agent-q-fs-tool-name (agent-q-fs-tools "read-only"))))
  (should-not (member "shell" (mapcar #'agent-q-fs-tool-name (agent-q-fs-tools "agent-q")))))

(provide 'agent-q-fs-exec-tests)
;;; agent-q-fs-exec-tests.el ends here
