;;; agent-q-fs-remote-tests.el --- Tests of projects on other machines  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The other machine is reached by a method of TRAMP that starts a shell with nothing of this
;; Emacs' environment: /aqfs:far:.  `make serve' runs these tests over a real sshd, too.

;;; Code:

(require 'agent-q-fs-test-help)
(require 'agent-q-fs-exec)
(require 'agent-q-fs-prompt)
(require 'agent-q-fs-remote)
(require 'agent-q-fs-requests)
(require 'agent-q-fs-rpc)
(require 'agent-q-fs-review)
(require 'agent-q-fs-undo)
(require 'agent-q-fs-tree)
(require 'agent-q-fs-grep)
(require 'agent-q-fs-log)
(require 'agent-q-fs-mcp)
(require 'agent-q-fs-gptel)
(require 'agent-q-fs-tools)
(require 'tramp)

(declare-function agent-q-fs-mcp-tests--answer "agent-q-fs-mcp-tests" (process id))
(declare-function agent-q-fs-mcp-tests--begin "agent-q-fs-mcp-tests" (process tool &rest arguments))
(declare-function agent-q-fs-mcp-tests--call "agent-q-fs-mcp-tests" (process tool &rest arguments))
(declare-function agent-q-fs-mcp-tests--client "agent-q-fs-mcp-tests" (&rest arguments))
(declare-function agent-q-fs-mcp-tests--decide "agent-q-fs-mcp-tests" (&rest decision))
(declare-function agent-q-fs-mcp-tests--words "agent-q-fs-mcp-tests" (result))
(declare-function gptel-tool-function "ext:gptel-request" (tool))
(declare-function gptel-tool-name "ext:gptel-request" (tool))

(defvar agent-q-fs-exec-isolate--here)
(defvar agent-q-fs-mcp-tests--asked)

(defconst agent-q-fs-remote-tests--program
  (expand-file-name (concat (or (getenv "BUILD") "build") "/agent-q-fs"))
  "The program, which is where it is on the other machine, too.")

(defvar agent-q-fs-remote-tests--prefix (or (getenv "AQFS_TEST_REMOTE") "/aqfs:far:")
  "The other machine.")

(defvar agent-q-fs-remote-tests--home nil "The home directory there.")

(defun agent-q-fs-remote-tests--method (home)
  "Return a method of TRAMP whose machines are this one, with HOME as the home directory."
  `("aqfs"
    (tramp-login-program "sh")
    (tramp-login-args (("-c") (,(shell-quote-argument
                                 (format "exec env -i HOME=%s PATH=/usr/bin:/bin TERM=dumb sh -i" home)))
                       ("%h")))
    (tramp-remote-shell "/bin/sh")
    (tramp-remote-shell-args ("-c"))))

(defun agent-q-fs-remote-tests--end (directory)
  "End all connections, and remove DIRECTORY."
  (mapc #'agent-q-fs-link-close agent-q-fs-link--all)
  (let ((inhibit-message t))
    (tramp-cleanup-all-connections))
  (agent-q-fs-test-remove directory))

(defmacro agent-q-fs-remote-tests--with (spec &rest body)
  "Run BODY with a project on another machine, reached anew.
SPEC is (WORKSPACE FILE...), FILE being (NAME CONTENT).  The directory of
this machine that has the files is `default-directory'."
  (declare (indent 1) (debug ((symbolp &rest form) body)))
  `(agent-q-fs-remote-tests--call (list ,@(cdr spec)) (lambda (,(car spec)) ,@body)))

(defun agent-q-fs-remote-tests--call (files function)
  "Call FUNCTION with a workspace on another machine that has FILES."
  (let* ((base (file-name-as-directory (file-truename (make-temp-file "aqfs-" t))))
         (default-directory (concat base "project/"))
         (agent-q-fs-remote-tests--home (concat base "home"))
         (tramp-methods (cons (agent-q-fs-remote-tests--method agent-q-fs-remote-tests--home)
                              tramp-methods))
         (tramp-verbose 1)
         (agent-q-fs-deploy-programs (list (cons "" agent-q-fs-remote-tests--program)))
         (agent-q-fs-workspace nil)
         (agent-q-fs-open-options nil)
         (agent-q-fs-prompt-delay 0)
         (agent-q-fs-prompt-notice nil)
         (agent-q-fs-audit-file nil)
         (agent-q-fs-approve--rules nil))
    (unwind-protect
        (progn
          (make-directory agent-q-fs-remote-tests--home t)
          (make-directory default-directory t)
          (pcase-dolist (`(,name ,content) files)
            (agent-q-fs-test--write name content))
          (funcall function (agent-q-fs-open :root (agent-q-fs-remote-tests--there))))
      (agent-q-fs-remote-tests--end base))))

(defun agent-q-fs-remote-tests--there (&optional name)
  "Return the remote name of the file NAME of the project, or of its directory."
  (let ((directory (file-name-as-directory (or (file-remote-p default-directory 'localname)
                                               default-directory))))
    (concat agent-q-fs-remote-tests--prefix
            (if name (expand-file-name name directory) directory))))

(defun agent-q-fs-remote-tests--content (name)
  "Return the bytes of the file NAME of the project."
  (with-temp-buffer
    (set-buffer-multibyte nil)
    (insert-file-contents-literally name)
    (buffer-string)))

(ert-deftest agent-q-fs-remote/whole ()
  "A project is opened, read, listed, changed and closed."
  (agent-q-fs-remote-tests--with (ws '("a.txt" "one\ntwo\n") '("d/é ü.txt" "x\n"))
    (should (equal (agent-q-fs-remote-tests--there) (agent-q-fs-workspace-root ws)))
    (should (equal "one\ntwo\n" (plist-get (agent-q-fs-read-file ws "a.txt") :content)))
    (should (equal '("a.txt" "d/é ü.txt")
                   (plist-get (agent-q-fs-search-files ws "**") :paths)))
    (dolist (paths (list (list (agent-q-fs-remote-tests--there "a.txt") "d/é ü.txt")
                         (vector "a.txt" (agent-q-fs-remote-tests--there "d/é ü.txt"))))
      (should (equal '("one\ntwo\n" "x\n")
                     (mapcar (lambda (file) (plist-get file :content))
                             (plist-get (agent-q-fs-call ws 'read_file :paths paths) :files)))))
    (agent-q-fs-edit-file ws "a.txt" :old_str "one" :new_str "€")
    (should (equal (encode-coding-string "€\ntwo\n" 'utf-8)
                   (agent-q-fs-remote-tests--content "a.txt")))
    (should-error (agent-q-fs-create-file ws "b" "x") :type 'agent-q-fs-approval-required)
    (should-not (file-exists-p "b"))
    (should-error (agent-q-fs-read-file ws "../home") :type 'agent-q-fs-outside-root)
    (let ((process (agent-q-fs-link-process (agent-q-fs-remote-link ws))))
      (agent-q-fs-close ws)
      (agent-q-fs-test-until (not (process-live-p process)))
      (should-error (agent-q-fs-read-file ws "a.txt") :type 'agent-q-fs-invalid-argument)
      (should-not agent-q-fs-link--all))))

(ert-deftest agent-q-fs-remote/a-request-shows-the-machine ()
  "A model's call for that machine is asked about here, and made there."
  (agent-q-fs-remote-tests--with (ws '("a.txt" "one\n"))
    (cl-letf (((symbol-function 'agent-q-fs-approve-unattended-p) #'ignore)
              (answer nil))
      (agent-q-fs-call-tool-async "create_file" '(:path "b.txt" :content "new\n")
                                  (lambda (text) (setq answer text)) ws)
      (agent-q-fs-test-until (agent-q-fs-prompt-waiting))
      (save-window-excursion
        (agent-q-fs-requests)
        (with-current-buffer "*agent-q-fs request*"
          (should (string-search agent-q-fs-remote-tests--prefix (buffer-string)))
          (should-not (file-exists-p "b.txt"))
          (agent-q-fs-request-approve)))
      (agent-q-fs-test-until answer)
      (should (equal "new\n" (agent-q-fs-remote-tests--content "b.txt"))))))

(ert-deftest agent-q-fs-remote/where-it-is ()
  "A relative root, or none, is at the machine of the directory here; ~ is the home there."
  (agent-q-fs-remote-tests--with (ws '(".git/HEAD" "ref: refs/heads/main\n") '(".git/objects/" "")
                                     '(".git/refs/" "") '("d/a" "in d\n"))
    (write-region "at home\n" nil (expand-file-name "h" (or (getenv "FAR_HOME")
                                                             agent-q-fs-remote-tests--home))
                  nil 'quiet)
    (let ((default-directory (agent-q-fs-remote-tests--there "d/")) found)
      (should (equal "in d\n" (plist-get (agent-q-fs-read-file nil "d/a") :content)))
      (setq found (agent-q-fs-current-workspace))
      (should (equal (agent-q-fs-workspace-root ws) (agent-q-fs-workspace-root found)))
      (should (eq found (agent-q-fs-current-workspace)))
      (let ((other (agent-q-fs-open :root "../d")))
        (should (equal "in d\n" (plist-get (agent-q-fs-read-file other "a") :content)))))
    (let ((home (agent-q-fs-open :root (concat agent-q-fs-remote-tests--prefix "~/"))))
      (should (equal "at home\n" (plist-get (agent-q-fs-read-file home "h") :content))))))

(ert-deftest agent-q-fs-remote/what-cannot-be-opened ()
  "The error names the machine, and says what to do; nothing is left running."
  (agent-q-fs-remote-tests--with (ws '("a" "x"))
    (let ((processes (length (process-list))))
      (dolist (wrong '("no" "a"))
        (should-error (agent-q-fs-open :root (agent-q-fs-remote-tests--there wrong))
                      :type 'agent-q-fs-error))
      (pcase-dolist (`(,words . ,options)
                     `(("expected host" :backend memory)
                       ("is not on the machine" :allowed-paths ("/ssh:other:/x"))))
        (should (string-search words
                               (agent-q-fs-test-message
                                 (apply #'agent-q-fs-open
                                        :root (agent-q-fs-remote-tests--there) options)))))
      (should (= processes (length (process-list)))))
    (let* ((tramp-methods (cons '("gone" (tramp-login-program "false") (tramp-login-args (("%h")))
                                  (tramp-remote-shell "/bin/sh") (tramp-remote-shell-args ("-c")))
                                tramp-methods))
           (problem (should-error (agent-q-fs-open :root "/gone:far:/x/")
                                  :type 'agent-q-fs-error)))
      (should (string-match-p "gone:far:? .*cannot be reached" (plist-get (cdr problem) :message))))
    (let ((agent-q-fs-deploy-programs '(("" . "/no/such/program"))))
      (agent-q-fs-close ws)
      (agent-q-fs-test-until (null agent-q-fs-link--all))
      (should (string-search "/no/such/program"
                             (agent-q-fs-test-message
                               (agent-q-fs-open :root (agent-q-fs-remote-tests--there))))))))

(defun agent-q-fs-remote-tests--shell (ws command &rest arguments)
  "Return the text of the tool shell for COMMAND in WS, with further ARGUMENTS."
  (let ((agent-q-fs-policy 'never))
    (agent-q-fs-call-tool "shell" `(:command ,command ,@arguments) ws)))

(ert-deftest agent-q-fs-remote/commands-run-there ()
  "A command has the files, the directory and the environment of that machine."
  (agent-q-fs-remote-tests--with (ws '("a" "one\n") '("d/b" "x\n"))
    (let ((process-environment (cons "AQFS_SECRET=1" process-environment))
          (text (agent-q-fs-remote-tests--shell
                 ws "pwd; cat b; echo new >c; echo \"<$AQFS_SECRET$NO_COLOR>\"; echo \"$HOME\" >&2; exit 3"
                 :workdir "d")))
      (should (string-search "Exit status 3" text))
      (should (string-search (concat default-directory "d\nx\n<1>") text))
      (should (string-search (concat "stderr:\n" (or (getenv "FAR_HOME")
                                                     agent-q-fs-remote-tests--home)) text))
      (should (equal "new\n" (agent-q-fs-remote-tests--content "d/c"))))
    (should (string-search "does not exist" (agent-q-fs-remote-tests--shell ws "true" :workdir "no")))
    (should (string-search "took too long" (agent-q-fs-remote-tests--shell
                                            ws "sleep 600" :timeout_ms 300)))
    (let ((text (agent-q-fs-remote-tests--shell ws "yes | head -c 3000000; echo end")))
      (should (string-match-p "bytes left out" text))
      (should (string-search "end\n" text)))
    (should-not agent-q-fs-exec-run--all)))

(ert-deftest agent-q-fs-remote/a-command-is-asked-about ()
  "The request shows the machine; no approval of a word is offered, as no program is known there.
Nor is an isolation that works here, and not there."
  (agent-q-fs-remote-tests--with-direct (ws '("a" "one\n"))
    (let ((agent-q-fs-exec-isolate--here '((bubblewrap) (podman) (landlock))))
      (should-not (agent-q-fs-exec-isolate-offer ws)))
    (let* ((preview (agent-q-fs-exec-approve-command ws '(:command "ls a" :workdir ".")))
           (likes (funcall (plist-get preview :likes))))
      (should (equal '(exact) (mapcar #'car likes)))
      (should (string-search "on that machine" (format "%s" (plist-get preview :facts)))))
    (let ((isolated (agent-q-fs-open :root (agent-q-fs-remote-tests--there)
                                     :isolation 'bubblewrap)))
      (should (string-match-p "not to be had on another machine"
                              (agent-q-fs-remote-tests--shell isolated "touch ran")))
      (should-not (file-exists-p "ran")))))

(defun agent-q-fs-remote-tests--gone-soon (pid)
  "Wait until there is no process PID, a string."
  (agent-q-fs-test-until (not (file-exists-p (concat "/proc/" pid)))))

(ert-deftest agent-q-fs-remote/a-session-there ()
  "It has a terminal, takes what is typed, and ends when it is killed."
  (agent-q-fs-remote-tests--with-direct (ws '("a" "one\n"))
    (let* ((agent-q-fs-policy 'never)
           (call (lambda (tool &rest arguments) (agent-q-fs-call-tool tool arguments ws)))
           (text (funcall call "exec_command" :cmd "tty; read x; echo \"got $x\"; echo pid $$.; sleep 600"
                          :yield_time_ms 2000))
           (session (car (agent-q-fs-exec-session-list ws)))
           (number (agent-q-fs-exec-session-number session)))
      (should (string-search "/dev/pts/" text))
      (setq text (funcall call "write_stdin" :session_id number :chars "word\n" :yield_time_ms 5000))
      (should (string-search "got word" text))
      (should (string-match "pid \\([0-9]+\\)\\." text))
      (let ((pid (match-string 1 text)))
        (should (file-exists-p (concat "/proc/" pid)))
        (funcall call "kill_session" :session_id number)
        (agent-q-fs-remote-tests--gone-soon pid)))))

(ert-deftest agent-q-fs-remote/a-command-ends-with-its-connection ()
  "The error says so; and it ends with its workspace."
  (agent-q-fs-remote-tests--with-direct (ws '("a" "one\n"))
    (let ((command "trap '' TERM HUP; echo $$ >pid; setsid sleep 600 & wait; sleep 600")
          (agent-q-fs-policy 'never) text pid)
      (dolist (end (list (lambda () (signal-process (agent-q-fs-remote-tests--server ws) 'KILL))
                         (lambda () (delete-process (agent-q-fs-remote-tests--server ws)))
                         (lambda () (agent-q-fs-close ws))))
        (when (file-exists-p "pid") (delete-file "pid"))
        (setq text nil)
        (agent-q-fs-call-tool-async "shell" (list :command command)
                                    (lambda (it) (setq text it)) ws)
        (agent-q-fs-test-until (and (file-exists-p "pid")
                                    (< 0 (file-attribute-size (file-attributes "pid")))))
        (setq pid (string-trim (agent-q-fs-remote-tests--content "pid")))
        (funcall end)
        (agent-q-fs-test-until text)
        (should (string-match-p "is ended there\\|workspace was closed" text))
        (agent-q-fs-remote-tests--gone-soon pid)))))

(ert-deftest agent-q-fs-remote/a-runner-that-lies ()
  "Its records are bounded, and become no symbol and no name of a terminal."
  (agent-q-fs-remote-tests--with-direct (ws '("a" "one\n"))
    (dolist (said '("out 99999999999\nxx" "end 4\nboom" "end 9\nodd 1 2 3" "lost 3\nout" "lost 5\nx 1 2"
                    "no records at all, no records at all" "zzz 1\nx"))
      (let ((run (agent-q-fs-exec-run--make :workspace ws :mark (agent-q-fs-exec-mark-new))))
        (agent-q-fs-exec-run--take-records run said)
        (should (equal (list said t) (list said (agent-q-fs-exec-run-ended run))))
        (should (agent-q-fs-exec-run-problem run))))
    (let ((run (agent-q-fs-exec-run--make :workspace ws :mark (agent-q-fs-exec-mark-new))))
      (agent-q-fs-exec-run--take-records run "started 14\n12 /etc/passwd")
      (should-not (agent-q-fs-exec-run-terminal run)))))

(ert-deftest agent-q-fs-remote/large-texts ()
  "Requests and replies of megabytes arrive as they are, in both directions."
  (agent-q-fs-remote-tests--with (ws)
    (let ((agent-q-fs-authority 'dangerous)
          (text (apply #'concat (make-list 30000 "tab\t, é, \\, \", €, nul-less line\r\n"))))
      (agent-q-fs-write-file ws "big" text)
      (should (equal (encode-coding-string text 'utf-8) (agent-q-fs-remote-tests--content "big")))
      (should (equal (encode-coding-string text 'utf-8)
                     (base64-decode-string (plist-get (agent-q-fs-call ws 'read_bytes :path "big")
                                                      :content)))))))

(ert-deftest agent-q-fs-remote/left-while-its-server-starts ()
  "Where the person leaves while a server begins, no process of it is left."
  (let (started)
    (cl-letf (((symbol-function 'agent-q-fs-deploy-serve)
               (lambda (_ &rest arguments)
                 (setq started (make-process :name "far" :noquery t :command '("sleep" "300")
                                             :buffer (plist-get arguments :buffer)))
                 (sleep-for 300))))
      (should (eq 'left (with-timeout (0.1 'left)
                          (agent-q-fs-link--make-process
                           (agent-q-fs-link--make "/aqfs:far:" "client")))))
      (should-not (process-live-p started)))))

;;; Losing it

;; The server is a process of this Emacs here, so that it can be stopped and killed.

(defvar agent-q-fs-remote-tests--before nil "The words before the command of the server.")

(defun agent-q-fs-remote-tests--direct (_link)
  "Return a new process of the server, without TRAMP."
  (let ((process-environment (list (concat "HOME=" agent-q-fs-remote-tests--home)
                                   "PATH=/usr/bin:/bin")))
    (make-process :name "serve" :command (append agent-q-fs-remote-tests--before
                                                 (list agent-q-fs-remote-tests--program "serve"))
                  :coding 'binary :connection-type 'pipe :noquery t
                  :filter #'agent-q-fs-link--filter :sentinel #'agent-q-fs-link--sentinel)))

(defmacro agent-q-fs-remote-tests--with-direct (spec &rest body)
  "Run BODY as `agent-q-fs-remote-tests--with' does with SPEC, without TRAMP.
A connection that is lost is tried again at once."
  (declare (indent 1) (debug ((symbolp &rest form) body)))
  `(let ((agent-q-fs-link--waits '(0.05 0.05 0.05)))
     (cl-letf (((symbol-function 'agent-q-fs-link--make-process)
                #'agent-q-fs-remote-tests--direct))
       (agent-q-fs-remote-tests--with ,spec ,@body))))

(defun agent-q-fs-remote-tests--server (ws)
  "Return the process that serves WS."
  (agent-q-fs-link-process (agent-q-fs-remote-link ws)))

(defun agent-q-fs-remote-tests--calls (ws)
  "Return what was changed in WS, the latest first."
  (mapcar (lambda (call) (plist-get call :operation))
          (plist-get (agent-q-fs-call ws 'changes_list) :calls)))

(defun agent-q-fs-remote-tests--losing (server &optional for-good)
  "Return a function that stops SERVER, and kills it a moment later.
FOR-GOOD says that none can be started then."
  (lambda (&rest _)
    ;; Before it stops: nothing can be sent to a process that Emacs knows to be stopped.
    (when for-good
      (fset 'agent-q-fs-link--make-process (lambda (_) (error "No route"))))
    (signal-process server 'STOP)
    (run-with-timer 0.05 nil (lambda () (signal-process server 'KILL)))))

(ert-deftest agent-q-fs-remote/a-lost-read ()
  "A read ends with `disconnected', and the next call connects again."
  (agent-q-fs-remote-tests--with-direct (ws '("a" "x"))
    (let ((server (agent-q-fs-remote-tests--server ws)) problem)
      (signal-process server 'STOP)
      (agent-q-fs-call-async ws 'read_file '(:path "a") :on-error (lambda (it) (setq problem it)))
      (signal-process server 'KILL)
      (agent-q-fs-test-until problem)
      (should (eq 'agent-q-fs-disconnected (car problem)))
      (should (string-search "far: lost" (agent-q-fs-link-mode-line-text)))
      (should (equal "x" (plist-get (agent-q-fs-read-file ws "a") :content)))
      (should-not (eq server (agent-q-fs-remote-tests--server ws)))
      (should (equal "" (agent-q-fs-link-mode-line-text))))))

(ert-deftest agent-q-fs-remote/a-lost-change-that-was-made ()
  "It is told that it was made, and is not made again."
  (agent-q-fs-remote-tests--with-direct (ws '("a" "one\n"))
    (let* ((server (agent-q-fs-remote-tests--server ws)) told
           (agent-q-fs-after-change-functions (list (lambda (&rest _) (setq told t))))
           (lose (lambda (&rest _)
                   ;; The answer to the commit comes, and is lost.
                   (set-process-filter server (lambda (&rest _) (delete-process server)))))
           (agent-q-fs-before-change-functions (list lose))
           (problem (should-error (agent-q-fs-edit-file ws "a" :old_str "one" :new_str "two")
                                  :type 'agent-q-fs-disconnected)))
      (should (eq :done (plist-get (cdr problem) :outcome)))
      (should (string-search "was made" (plist-get (cdr problem) :text)))
      (should told)
      (should (equal "two\n" (agent-q-fs-remote-tests--content "a")))
      (should (equal '("edit_file") (agent-q-fs-remote-tests--calls ws))))))

(ert-deftest agent-q-fs-remote/a-lost-change-that-was-not-made ()
  "It is told that it was not made, and can be made then."
  (agent-q-fs-remote-tests--with-direct (ws '("a" "one\n"))
    (let* ((server (agent-q-fs-remote-tests--server ws))
           (agent-q-fs-before-change-functions
            (list (agent-q-fs-remote-tests--losing server)))
           (problem (should-error (agent-q-fs-edit-file ws "a" :old_str "one" :new_str "two")
                                  :type 'agent-q-fs-disconnected)))
      (should (eq :not-done (plist-get (cdr problem) :outcome)))
      (should (equal "one\n" (agent-q-fs-remote-tests--content "a")))
      (setq agent-q-fs-before-change-functions nil)
      (agent-q-fs-edit-file ws "a" :old_str "one" :new_str "two")
      (should (equal '("edit_file") (agent-q-fs-remote-tests--calls ws))))))

(ert-deftest agent-q-fs-remote/a-lost-change-that-nobody-wrote-down ()
  "A server that is killed before it lists what it has done leaves no wrong `:not-done'."
  (agent-q-fs-remote-tests--with-direct (ws '("a" "one\n"))
    (let* ((server (agent-q-fs-remote-tests--server ws)) told
           (agent-q-fs-after-change-functions (list (lambda (&rest _) (setq told t))))
           (agent-q-fs-before-change-functions
            (list (lambda (&rest _)
                    ;; As if the server had been killed between the last name and the record.
                    (set-process-filter
                     server
                     (lambda (&rest _)
                       (when (process-live-p server)
                         (set-process-filter server t)
                         (signal-process server 'KILL)
                         (dolist (record (directory-files-recursively
                                          (plist-get (agent-q-fs-workspace-facts ws) :far-home)
                                          "\\`[0-9a-f]\\{16\\}-[0-9a-f]\\{12\\}\\'"))
                           (delete-file record))))))))
           (problem (should-error (agent-q-fs-edit-file ws "a" :old_str "one" :new_str "two")
                                  :type 'agent-q-fs-disconnected)))
      (should (equal "two\n" (agent-q-fs-remote-tests--content "a")))
      (should-not (agent-q-fs-remote-tests--calls ws))
      (should (eq :unknown (plist-get (cdr problem) :outcome)))
      (should (string-search "look at the file" (plist-get (cdr problem) :text)))
      (should told))))

(ert-deftest agent-q-fs-remote/a-lost-change-of-a-lost-machine ()
  "Where nobody can be asked, it is told that it is not known."
  (agent-q-fs-remote-tests--with-direct (ws '("a" "one\n"))
    (let* ((server (agent-q-fs-remote-tests--server ws))
           (agent-q-fs-before-change-functions
            (list (agent-q-fs-remote-tests--losing server t))))
      (let ((problem (should-error (agent-q-fs-edit-file ws "a" :old_str "one" :new_str "two")
                                   :type 'agent-q-fs-disconnected)))
        (should (eq :unknown (plist-get (cdr problem) :outcome)))
        (should (string-search "not known" (plist-get (cdr problem) :text))))
      (should (string-search "No route" (agent-q-fs-test-message (agent-q-fs-read-file ws "a"))))
      (fset 'agent-q-fs-link--make-process #'agent-q-fs-remote-tests--direct)
      (should (equal "one\n" (plist-get (agent-q-fs-read-file ws "a") :content))))))

;; Cuts at random moments.  CUTS in the environment is how many.

(defun agent-q-fs-remote-tests--kill-child (process)
  "Kill the child of PROCESS, as far as there is one."
  (dolist (pid (list-system-processes))
    (when (eql (process-id process) (alist-get 'ppid (process-attributes pid)))
      (signal-process pid 'KILL))))

(defun agent-q-fs-remote-tests--change (ws round snapshot)
  "Change a of WS, or a and b, from what ROUND wrote: by an edit, a patch or SNAPSHOT."
  (pcase (% round 3)
    (0 (agent-q-fs-edit-file ws "a" :old_str (format "old %d" round) :new_str "new"))
    (1 (agent-q-fs-apply-patch
        ws (format "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-old %d\n+new\n\
--- a/b\n+++ b/b\n@@ -1 +1 @@\n-old %d\n+new\n" round round)))
    (2 (agent-q-fs-snapshot-restore ws snapshot))))

(defun agent-q-fs-remote-tests--outcome (ws round snapshot cut)
  "Make the change of ROUND in WS, with SNAPSHOT, and call CUT at some moment of it.
Return `made', or the outcome that the error tells."
  (let ((timer (run-with-timer (/ (random (if (= 0 (% round 4)) 30000 4000)) 1e6) nil cut)))
    (unwind-protect
        (condition-case problem
            (progn (agent-q-fs-remote-tests--change ws round snapshot) 'made)
          (agent-q-fs-disconnected (plist-get (cdr problem) :outcome)))
      (cancel-timer timer))))

(defun agent-q-fs-remote-tests--state (round)
  "Return `new' if the change of ROUND was made, `old' if not; fail for anything between."
  (let ((old (format "old %d\n" round)))
    (pcase (mapcar #'agent-q-fs-remote-tests--content '("a" "b"))
      ((pred (equal (list old old))) 'old)
      ((pred (equal (list "new\n" (if (= 0 (% round 3)) old "new\n")))) 'new)
      (other (ert-fail (list round other))))))

(defun agent-q-fs-remote-tests--cut (ws round snapshot told)
  "Make the change of ROUND in WS, with SNAPSHOT, and cut its connection meanwhile.
TOLD are the changes that were listed before.  Return those that are listed
now, and whether there was time to cut."
  (agent-q-fs-test--write "a" (format "old %d\n" round))
  (agent-q-fs-test--write "b" (format "old %d\n" round))
  (let* ((server (agent-q-fs-remote-tests--server ws)) (kills (= 4 (% round 5))) cut
         (outcome (agent-q-fs-remote-tests--outcome
                   ws round snapshot
                   (lambda ()
                     (setq cut t)
                     (when kills (agent-q-fs-remote-tests--kill-child server))
                     (delete-process server))))
         (now (mapcar (lambda (call) (plist-get call :id))
                      (plist-get (agent-q-fs-call ws 'changes_list :limit 4) :calls)))
         (listed (length (seq-difference now told)))
         (state (agent-q-fs-remote-tests--state round)))
    (ert-info ((format "round %d, killed %s: %s, %s, listed %d" round kills outcome state listed))
      (should (eq state (pcase outcome ((or 'made :done) 'new) (:not-done 'old)
                               (:unknown (if kills state 'known)))))
      (should (if (eq 'old state) (= 0 listed) (<= (if kills 0 1) listed 1)))
      (should (equal '("a" "b") (directory-files default-directory nil "[^.]"))))
    (cons now cut)))

(ert-deftest agent-q-fs-remote/cuts ()
  "Wherever a connection is cut, files are old or new, and Emacs is told truly, once."
  ;; Emacs kills setsid at its end, and the server notices the end of its connection.
  (let ((agent-q-fs-remote-tests--before '("setsid" "-w")))
    (agent-q-fs-remote-tests--with-direct (ws '("a" "new\n") '("b" "new\n"))
      (let ((wanted (string-to-number (or (getenv "CUTS") "12")))
            (agent-q-fs-authority 'dangerous)
            (snapshot (plist-get (agent-q-fs-call ws 'snapshot_create) :id))
            (home (plist-get (agent-q-fs-workspace-facts ws) :far-home))
            (cuts 0) (round 0) told)
        (while (< cuts wanted)
          (let ((seen (agent-q-fs-remote-tests--cut ws round snapshot told)))
            (setq told (car seen)
                  round (1+ round)
                  cuts (+ cuts (if (cdr seen) 1 0)))))
        (agent-q-fs-link-close (agent-q-fs-remote-link ws))
        (agent-q-fs-test-until
         (null (file-expand-wildcards (concat home "/.local/state/agent-q-fs/serve/*"))))))))

(ert-deftest agent-q-fs-remote/a-root-that-is-gone-meanwhile ()
  "After connecting again, a project that cannot be opened says so; others go on."
  (agent-q-fs-remote-tests--with-direct (ws '("a" "x") '("sub/b" "y"))
    (let ((other (agent-q-fs-open :root (agent-q-fs-remote-tests--there "sub"))))
      (delete-directory "sub" t)
      (signal-process (agent-q-fs-remote-tests--server ws) 'KILL)
      (agent-q-fs-test-until (eq 'down (agent-q-fs-link-state (agent-q-fs-remote-link ws))))
      (should (equal "x" (plist-get (agent-q-fs-read-file ws "a") :content)))
      (should-error (agent-q-fs-read-file other "b") :type 'agent-q-fs-error)
      (make-directory "sub")
      (agent-q-fs-test--write "sub/b" "again")
      (let ((new (agent-q-fs-reopen other)))
        (should (equal "again" (plist-get (agent-q-fs-read-file new "b") :content)))))))

(ert-deftest agent-q-fs-remote/another-root-meanwhile ()
  "A directory that took the root's place while the connection was lost is not the project."
  (agent-q-fs-remote-tests--with-direct (ws '("a" "x"))
    (signal-process (agent-q-fs-remote-tests--server ws) 'KILL)
    (agent-q-fs-test-until (eq 'down (agent-q-fs-link-state (agent-q-fs-remote-link ws))))
    (rename-file (directory-file-name default-directory) "../before")
    (agent-q-fs-test--write "a" "another")
    (agent-q-fs-test-until (agent-q-fs-remote-trouble ws))
    (should-error (agent-q-fs-read-file ws "a") :type 'agent-q-fs-root-moved)
    (let ((new (agent-q-fs-reopen ws)))
      (should (equal "another" (plist-get (agent-q-fs-read-file new "a") :content))))))

(ert-deftest agent-q-fs-remote/lost-again-while-it-is-opened ()
  "A project whose connection is lost before it is open there is opened by the next call."
  (agent-q-fs-remote-tests--with-direct (ws '("a" "x"))
    (let ((open-again (symbol-function 'agent-q-fs-remote--open-again))
          (link (agent-q-fs-remote-link ws)) (lost nil))
      (cl-letf (((symbol-function 'agent-q-fs-remote--open-again)
                 (lambda (workspace)
                   (signal-process (agent-q-fs-remote-tests--server ws) 'STOP)
                   (funcall open-again workspace)
                   (fset 'agent-q-fs-link--make-process (lambda (_) (error "No route")))
                   (signal-process (agent-q-fs-remote-tests--server ws) 'KILL)
                   (setq lost t))))
        (signal-process (agent-q-fs-remote-tests--server ws) 'KILL)
        (agent-q-fs-test-until (and lost (eq 'down (agent-q-fs-link-state link))
                                    (null (agent-q-fs-link-again link)))))
      (fset 'agent-q-fs-link--make-process #'agent-q-fs-remote-tests--direct)
      (should (equal "x" (plist-get (agent-q-fs-read-file ws "a") :content))))))

(ert-deftest agent-q-fs-remote/a-call-while-it-is-lost ()
  "A call that cannot connect does not end the attempts for a change that is in doubt."
  (agent-q-fs-remote-tests--with-direct (ws '("a" "one\n"))
    (let* ((agent-q-fs-link--waits '(0.5 0.5)) (link (agent-q-fs-remote-link ws)) problem
           (server (agent-q-fs-remote-tests--server ws))
           (agent-q-fs-before-change-functions
            (list (agent-q-fs-remote-tests--losing server t))))
      (agent-q-fs-call-async ws 'edit_file '(:path "a" :old_str "one" :new_str "two")
                             :on-error (lambda (it) (setq problem it)))
      (agent-q-fs-test-until (agent-q-fs-link-again link))
      (should-error (agent-q-fs-read-file ws "a") :type 'agent-q-fs-disconnected)
      (with-timeout (20 (ert-fail "The change is never answered"))
        (agent-q-fs-test-until problem))
      (should (eq :unknown (plist-get (cdr problem) :outcome))))))

(ert-deftest agent-q-fs-remote/lost-again-while-it-is-greeted ()
  "A connection that is lost at our hello is begun again by its timer, not within the filter."
  (agent-q-fs-remote-tests--with-direct (ws '("a" "x"))
    (let ((greet (symbol-function 'agent-q-fs-link--greet))
          (send (symbol-function 'agent-q-fs-link--send))
          (greeting nil) (cut nil) (nested nil))
      (cl-letf (((symbol-function 'agent-q-fs-link--greet)
                 (lambda (link facts)
                   (setq greeting t)
                   (funcall greet link facts)
                   (setq greeting nil)))
                ((symbol-function 'agent-q-fs-link--send)
                 (lambda (link frame)
                   (if cut (funcall send link frame)
                     (setq cut t)
                     (agent-q-fs-link--lose link "cut"))))
                ((symbol-function 'agent-q-fs-link--make-process)
                 (lambda (link)
                   (when greeting (setq nested t))
                   (agent-q-fs-remote-tests--direct link))))
        (signal-process (agent-q-fs-remote-tests--server ws) 'KILL)
        (agent-q-fs-test-until (and cut (eq 'up (agent-q-fs-link-state (agent-q-fs-remote-link ws)))))
        (should-not nested)
        (should (equal "x" (plist-get (agent-q-fs-read-file ws "a") :content)))))))

(ert-deftest agent-q-fs-remote/quitting-a-call ()
  "A call that is left is ended there, and what comes of it later is dropped."
  (agent-q-fs-remote-tests--with-direct (ws '("a" "x"))
    (let ((server (agent-q-fs-remote-tests--server ws)))
      (set-process-filter server t)     ; its answers are not read
      (should (eq 'left (with-timeout (0.1 'left) (agent-q-fs-read-file ws "a"))))
      (set-process-filter server #'agent-q-fs-link--filter)
      (should (equal "x" (plist-get (agent-q-fs-read-file ws "a") :content)))
      (should (eq server (agent-q-fs-remote-tests--server ws))))))

(ert-deftest agent-q-fs-remote/many-at-once ()
  "Calls do not wait for each other, and each gets its own answer."
  (agent-q-fs-remote-tests--with-direct (ws)
    (dotimes (i 40) (agent-q-fs-test--write (format "f%d" i) (format "%d\n" i)))
    (let ((answers nil))
      (dotimes (i 40)
        (agent-q-fs-call-async ws 'read_file (list :path (format "f%d" i))
                               :on-done (lambda (reply)
                                          (push (cons i (plist-get reply :content)) answers))))
      (agent-q-fs-test-until (= 40 (length answers)))
      (pcase-dolist (`(,i . ,content) answers)
        (should (equal (format "%d\n" i) content))))))

(ert-deftest agent-q-fs-remote/results-as-they-are-found ()
  "A search streams what it finds, and can be cancelled."
  (agent-q-fs-remote-tests--with-direct (ws)
    (dotimes (i 200) (agent-q-fs-test--write (format "f%d" i) "needle\n"))
    (let (items done)
      (agent-q-fs-call-async ws 'grep_files '(:pattern "needle")
                             :on-items (lambda (more) (setq items (append items more)))
                             :on-done (lambda (reply) (setq done reply)))
      (agent-q-fs-test-until done)
      (should (= 200 (length items)))
      (should (seq-every-p (lambda (item) (string-prefix-p "f" (plist-get item :path))) items)))
    (let* (problem
           (job (agent-q-fs-call-async ws 'grep_files '(:pattern "needle")
                                       :on-items #'ignore
                                       :on-error (lambda (it) (setq problem it)))))
      (agent-q-fs-job-cancel job)
      (should (eq 'agent-q-fs-cancelled (car problem)))
      (should (agent-q-fs-read-file ws "f0")))))

;;; Round trips

(defun agent-q-fs-remote-tests--asked (ws function)
  "Return how many questions to the server of WS FUNCTION makes."
  (let* ((link (agent-q-fs-remote-link ws)) (before (agent-q-fs-link-last-id link)))
    (funcall function)
    (- (agent-q-fs-link-last-id link) before)))

(ert-deftest agent-q-fs-remote/an-approved-edit-takes-two-round-trips ()
  "One to plan it and one to make it, for a caller that waits and for a job."
  (agent-q-fs-remote-tests--with-direct (ws '("a" "one\n") '("b" "one\n"))
    (let ((edit '(:old_str "one" :new_str "two")) plan done)
      (should (= 1 (agent-q-fs-remote-tests--asked
                    ws (lambda ()
                         (setq plan (apply #'agent-q-fs-preview ws 'edit_file :path "a" edit))))))
      (should (= 1 (agent-q-fs-remote-tests--asked
                    ws (lambda ()
                         (apply #'agent-q-fs-commit ws (plist-get plan :digest)
                                'edit_file :path "a" edit)))))
      (should (equal "two\n" (agent-q-fs-remote-tests--content "a")))
      (setq plan (apply #'agent-q-fs-preview ws 'edit_file :path "b" edit))
      (should (= 1 (agent-q-fs-remote-tests--asked
                    ws (lambda ()
                         (agent-q-fs-call-async ws 'edit_file `(:path "b" ,@edit)
                                                :digest (plist-get plan :digest)
                                                :authority 'dangerous
                                                :on-done (lambda (reply) (setq done reply)))
                         (should-not done)
                         (agent-q-fs-test-until done)))))
      (should (equal "two\n" (agent-q-fs-remote-tests--content "b"))))))

(ert-deftest agent-q-fs-remote/an-approved-edit-that-is-stale ()
  "The server notices it in the commit: nothing is done, and no listener hears of a change."
  (agent-q-fs-remote-tests--with-direct (ws '("a" "one\n"))
    (let* ((plan (agent-q-fs-preview ws 'edit_file :path "a" :old_str "one" :new_str "two"))
           (digest (plist-get plan :digest)) told
           (agent-q-fs-after-change-functions (list (lambda (&rest _) (setq told t)))))
      (agent-q-fs-test--write "a" "one more\n")
      (should-error (agent-q-fs-commit ws digest 'edit_file :path "a" :old_str "one" :new_str "two")
                    :type 'agent-q-fs-stale)
      ;; Nor is another call done by its digest.
      (agent-q-fs-test--write "a" "one\n")
      (should-error (agent-q-fs-commit ws digest 'edit_file :path "a" :old_str "one" :new_str "six")
                    :type 'agent-q-fs-stale)
      (should (equal "one\n" (agent-q-fs-remote-tests--content "a")))
      ;; Nor with less authority than it needs.
      (let ((problem (should-error (agent-q-fs--call ws 'edit_file
                                                     '(:path "a" :old_str "one" :new_str "two")
                                                     (list :authority 'safe :digest digest))
                                   :type 'agent-q-fs-approval-required)))
        (should (equal digest (plist-get (cdr problem) :digest)))
        (should (string-search "+two" (plist-get (cdr problem) :diff))))
      (should (equal "one\n" (agent-q-fs-remote-tests--content "a")))
      (should-not told))))

(ert-deftest agent-q-fs-remote/no-listener-acts-for-a-stale-approval ()
  "One that may change something runs only after the server was asked once more."
  (agent-q-fs-remote-tests--with-direct (ws '("a" "one\n"))
    (let* ((plan (agent-q-fs-preview ws 'edit_file :path "a" :old_str "one" :new_str "two"))
           (digest (plist-get plan :digest)) acted
           (act (lambda (&rest _) (setq acted t)))
           (commit (lambda ()
                     (agent-q-fs-commit ws digest 'edit_file :path "a" :old_str "one"
                                        :new_str "two"))))
      (agent-q-fs-test--write "a" "one more\n")
      (let ((agent-q-fs-before-change-functions (list act)))
        (should-error (funcall commit) :type 'agent-q-fs-stale)
        (should-not acted))
      ;; So it is where a buffer has unsaved text, which ours would save.
      (let ((agent-q-fs-unsaved 'save))
        (with-temp-buffer
          (setq-local create-lockfiles nil)
          (setq buffer-file-name (agent-q-fs-remote-tests--there "a")
                buffer-file-truename buffer-file-name)
          (insert "typed")
          (cl-letf (((symbol-function 'save-buffer) act))
            (should-error (funcall commit) :type 'agent-q-fs-stale))
          (setq buffer-file-name nil)
          (set-buffer-modified-p nil))
        (should-not acted)))))

;;; Buffers

(defmacro agent-q-fs-remote-tests--visiting (spec &rest body)
  "Run BODY in a buffer that visits a file of the other machine by TRAMP.
SPEC is (NAME).  The buffer is gone afterwards, whatever it has."
  (declare (indent 1) (debug ((form) body)))
  `(let ((buffer (find-file-noselect (agent-q-fs-remote-tests--there ,(car spec)))))
     (unwind-protect (with-current-buffer buffer ,@body)
       (when (buffer-live-p buffer)
         (with-current-buffer buffer
           (set-buffer-modified-p nil)
           (kill-buffer))))))

(ert-deftest agent-q-fs-remote/unsaved-text-is-safe ()
  "A change of a file is refused while a buffer has unsaved changes to it."
  (agent-q-fs-remote-tests--with (ws '("a" "one\n"))
    (agent-q-fs-remote-tests--visiting ("a")
      (insert "typed ")
      (let ((problem (should-error (agent-q-fs-edit-file ws "a" :old_str "one" :new_str "two")
                                   :type 'agent-q-fs-denied)))
        (should (string-search "unsaved changes to a" (plist-get (cdr problem) :message))))
      (should (equal "one\n" (agent-q-fs-remote-tests--content "a")))
      (should (string-search "has unsaved changes that this does not show"
                             (plist-get (agent-q-fs-read-file ws "a") :text)))
      (should (equal "typed one\n" (buffer-string))))))

(ert-deftest agent-q-fs-remote/a-buffer-shows-what-was-changed ()
  "After a change the buffer has the new text, and saving it asks nothing."
  (agent-q-fs-remote-tests--with (ws '("a.txt" "one\nlatin\n"))
    (agent-q-fs-remote-tests--visiting ("a.txt")
      (goto-char (point-max))
      (agent-q-fs-edit-file ws "a.txt" :old_str "one" :new_str "€ two")
      (should (equal "€ two\nlatin\n" (buffer-string)))
      (should (= (point) (point-max)))
      (should-not (buffer-modified-p))
      (should (verify-visited-file-modtime))
      (insert "more\n")
      (save-buffer)
      (should (equal (encode-coding-string "€ two\nlatin\nmore\n" 'utf-8)
                     (agent-q-fs-remote-tests--content "a.txt")))
      ;; So it is when Emacs does not wait for the call.
      (let (done)
        (agent-q-fs-call-async ws 'edit_file '(:path "a.txt" :old_str "more" :new_str "less")
                               :on-done (lambda (_) (setq done t)))
        (agent-q-fs-test-until (and done (string-search "less" (buffer-string))))))))

(ert-deftest agent-q-fs-remote/a-buffer-follows-its-file ()
  "It visits the new name of a file that is moved, and is closed when that is deleted."
  (agent-q-fs-remote-tests--with (ws '("a" "one\n"))
    (let ((agent-q-fs-authority 'dangerous))
      (agent-q-fs-remote-tests--visiting ("a")
        (agent-q-fs-move-file ws "a" "d/b")
        (should (equal (concat (agent-q-fs-workspace-root ws) "d/b") buffer-file-name))
        (should (equal "one\n" (plist-get (agent-q-fs-read-file ws "d/b") :content)))
        (agent-q-fs-delete-file ws "d/b")
        (should-not (buffer-live-p buffer))))))

(ert-deftest agent-q-fs-remote/a-buffer-follows-a-call-that-nobody-waits-for ()
  "A question to the machine while its answer is taken is answered, too."
  (agent-q-fs-remote-tests--with (ws '("a" "one\n"))
    (agent-q-fs-remote-tests--visiting ("a")
      (let (done)
        (agent-q-fs-call-async ws 'move_file '(:source "a" :destination "b") :authority 'dangerous
                               :on-done (lambda (_) (setq done t)))
        (agent-q-fs-test-until done)
        (should (equal (concat (agent-q-fs-workspace-root ws) "b") buffer-file-name))))))

(ert-deftest agent-q-fs-remote/closed-while-lost ()
  "A project that is closed while its machine is lost leaves nothing behind."
  (agent-q-fs-remote-tests--with-direct (ws '("a" "x"))
    (cl-letf (((symbol-function 'agent-q-fs-link--make-process) (lambda (_) (error "No route"))))
      (signal-process (agent-q-fs-remote-tests--server ws) 'KILL)
      (agent-q-fs-test-until (eq 'down (agent-q-fs-link-state (agent-q-fs-remote-link ws))))
      (agent-q-fs-close ws)
      (should-not agent-q-fs-link--all)
      (should (equal "" (agent-q-fs-link-mode-line-text))))))

(ert-deftest agent-q-fs-remote/buffers-by-another-way ()
  "A file of the same machine that is visited otherwise counts, one of another machine does not."
  (agent-q-fs-remote-tests--with (ws '("a" "one\n"))
    (pcase-dolist (`(,name . ,refused)
                   `((,(concat "/scp:far:" (expand-file-name "a")) . t)
                     (,(concat "/ssh:me@far#22:" (expand-file-name "a")) . t)
                     (,(concat "/ssh:gate|sudo:far:" (expand-file-name "a")) . t)
                     (,(concat "/ssh:other:" (expand-file-name "a")) . nil)
                     (,(expand-file-name "a") . nil)))
      (with-temp-buffer
        (insert "typed")
        (setq-local create-lockfiles nil)
        (setq buffer-file-name name buffer-file-truename name)
        (unwind-protect
            (let ((ties (agent-q-fs-buffers--find ws '((:path "a" :action :write)))))
              (should (equal (list name refused)
                             (list name (and ties (agent-q-fs-buffers--tie-way (car ties)) t)))))
          (set-buffer-modified-p nil)
          (setq buffer-file-name nil))))))

;;; Parts that are built upon calls

(defun agent-q-fs-remote-tests--text (buffer)
  "Return the text of BUFFER, a regexp of its name, and kill it."
  (let ((buffer (seq-find (lambda (it) (string-match-p buffer (buffer-name it))) (buffer-list))))
    (with-current-buffer buffer
      (prog1 (buffer-substring-no-properties (point-min) (point-max))
        (kill-buffer)))))

(defun agent-q-fs-remote-tests--buffer (mode)
  "Return the buffer whose major mode is MODE."
  (seq-find (lambda (buffer) (eq mode (buffer-local-value 'major-mode buffer))) (buffer-list)))

(ert-deftest agent-q-fs-remote/review-undo-and-log ()
  "A model's change there is reviewed, taken back, and in the log with the machine."
  (agent-q-fs-remote-tests--with (ws '("a" "one\n"))
    (let* ((agent-q-fs-workspace ws) (agent-q-fs-change-confirm nil) (agent-q-fs-policy 'edits)
          (file (expand-file-name "a")) (events nil)
          (agent-q-fs-event-functions (list (lambda (event) (push event events)))))
      (agent-q-fs-call-tool "edit_file" '(:path "a" :old_str "one" :new_str "two") ws)
      (should (equal "two\n" (agent-q-fs-remote-tests--content "a")))
      (save-window-excursion
        (agent-q-fs-review)
        (unwind-protect
            (should (string-match-p "^-one\n.*\\+two" (agent-q-fs-remote-tests--text "\\`[*]Review: ")))
          (agent-q-fs-review-marks-mode -1))
        (agent-q-fs-undo)
        (should (equal "one\n" (agent-q-fs-remote-tests--content file)))
        (should (equal (list (agent-q-fs-workspace-root ws))
                       (delete-dups (delq nil (mapcar (lambda (event) (plist-get event :root))
                                                      events)))))))))

(ert-deftest agent-q-fs-remote/the-tree-and-a-search-by-hand ()
  "They list what is there, and lead to files there."
  (agent-q-fs-remote-tests--with (ws '("d/a.txt" "a needle\n") '("b" "x\n"))
    (let ((agent-q-fs-workspace ws))
      (save-window-excursion
        (agent-q-fs-tree)
        (with-current-buffer (agent-q-fs-remote-tests--buffer 'agent-q-fs-tree-mode)
          (agent-q-fs-test-until (string-search "d/" (buffer-string)))
          (should (equal (agent-q-fs-workspace-root ws) default-directory))
          (kill-buffer))
        (agent-q-fs-grep "needle")
        (let ((list (agent-q-fs-remote-tests--buffer 'agent-q-fs-grep-mode)))
          (with-current-buffer list
            (agent-q-fs-test-until (string-search "a needle" (buffer-string)))
            (goto-char (point-min))
            (search-forward "a needle")
            (agent-q-fs-ui-open))
          (let ((file (find-buffer-visiting (concat (agent-q-fs-workspace-root ws) "d/a.txt"))))
            (should file)
            (kill-buffer file))
          (kill-buffer list))
        ;; An absolute path, which only a liar would answer, is one of that machine.
        (should (equal (concat agent-q-fs-remote-tests--prefix "/etc/passwd")
                       (agent-q-fs-ui-file "/etc/passwd")))))))

(ert-deftest agent-q-fs-remote/from-common-lisp ()
  "A Lisp reads and changes the project there that the person has chosen."
  (agent-q-fs-remote-tests--with (ws '("a" "one\n"))
    (let* ((agent-q-fs-workspace ws) (agent-q-fs-policy 'edits) (agent-q-fs-rpc--entries nil)
           (agent-q-fs-sly-directories (list (agent-q-fs-workspace-root ws)))
           (lisp (make-pipe-process :name "lisp" :noquery t
                                    :buffer (generate-new-buffer " *lisp*")))
           (call (lambda (form)
                   (let (answer)
                     (agent-q-fs-rpc--serve (format "%S" (cons 'agent-q-fs-rpc form)) lisp
                                            (lambda (value) (setq answer value)))
                     (agent-q-fs-test-until answer)
                     (format "%S" answer)))))
      (unwind-protect
          (progn
            (should (string-search "one" (funcall call '("read_file" '("path" "a")))))
            (funcall call '("edit_file" '("path" "a" "old_str" "one" "new_str" "two")))
            (should (equal "two\n" (agent-q-fs-remote-tests--content "a")))
            ;; It cannot have this Emacs connect to a machine.
            (should (string-search "only a person opens"
                                   (funcall call '(:open '("root" "/ssh:other:/x/")))))
            (with-current-buffer (process-buffer lisp)
              (setq default-directory (agent-q-fs-workspace-root ws)))
            (dolist (options '(("root" ".") ("root" "../home") nil))
              (should (string-search "only a person opens"
                                     (funcall call `(:open ',options)))))
            ;; Nor by a call that names no project, unless the person has opened that one.
            (let ((agent-q-fs-workspace nil) (default-directory (agent-q-fs-workspace-root ws))
                  (read '("read_file" '("path" "a"))))
              (should (string-search "only a person opens" (funcall call read)))
              (let ((opened (agent-q-fs-current-workspace)))
                (should (string-search "two" (funcall call read)))
                (agent-q-fs-close opened))))
        (delete-process lisp)
        (kill-buffer (process-buffer lisp))))))

(ert-deftest agent-q-fs-remote/from-gptel ()
  "The tools of a chat whose directory is there work there."
  (skip-unless (or (getenv "GPTEL_DIR") (require 'gptel nil t)))
  (when (getenv "GPTEL_DIR") (add-to-list 'load-path (getenv "GPTEL_DIR")))
  (agent-q-fs-remote-tests--with (ws '("a" "one\n"))
    (let* ((agent-q-fs-workspace ws)
           (tool (seq-find (lambda (tool) (equal "read_file" (gptel-tool-name tool)))
                           (agent-q-fs-gptel-setup "agent-q")))
           answer)
      (funcall (gptel-tool-function tool) (lambda (text) (setq answer text)) "a")
      (agent-q-fs-test-until answer)
      (should (string-prefix-p "one" answer)))))

(defun agent-q-fs-remote-tests--from-mcp (ws)
  "Have an agent outside Emacs use the project of WS, which is open, and no other one."
  (agent-q-fs-test--write "hidden" "no\n")
  (let* ((client (agent-q-fs-mcp-tests--client
                  "--root" (agent-q-fs-remote-tests--there) "--restricted-path" "hidden"))
         (words (lambda (tool &rest arguments)
                  (agent-q-fs-mcp-tests--words
                   (apply #'agent-q-fs-mcp-tests--call client tool arguments))))
         (reading (agent-q-fs-mcp-tests--begin client "read_file" :path "a.txt")))
    ;; Whether it may use this project, then whether it may make a file.
    (agent-q-fs-mcp-tests--decide :decision 'approved)
    (should (equal "one\n" (agent-q-fs-mcp-tests--words
                            (agent-q-fs-mcp-tests--answer client reading))))
    (should (string-match-p "Edited\\|edited\\|\\`@@" (funcall words "edit_file" :path "a.txt"
                                                             :old_str "one" :new_str "two")))
    (should (equal "two\n" (agent-q-fs-remote-tests--content "a.txt")))
    (let ((making (agent-q-fs-mcp-tests--begin client "create_file" :path "b" :content "new\n")))
      (should (equal (agent-q-fs-workspace-root ws)
                     (agent-q-fs-workspace-root
                      (agent-q-fs-request-workspace
                       (car (agent-q-fs-test-until (car agent-q-fs-mcp-tests--asked)))))))
      (should-not (file-exists-p "b"))
      (agent-q-fs-mcp-tests--decide :decision 'approved)
      (agent-q-fs-mcp-tests--answer client making)
      (should (equal "new\n" (agent-q-fs-remote-tests--content "b"))))
    (dolist (wrong '("hidden" "../home" "/etc/passwd"))
      (should (string-match-p "restricted\\|outside\\|not found\\|does not exist"
                              (downcase (funcall words "read_file" :path wrong)))))
    (delete-process client)
    (agent-q-fs-test-until (null agent-q-fs-mcp--clients))
    ;; Its workspace is closed, and not the person's.
    (should (equal "two\n" (plist-get (agent-q-fs-read-file ws "a.txt") :content)))))

(ert-deftest agent-q-fs-remote/from-mcp ()
  "An agent outside Emacs uses a project there that a person has open."
  (agent-q-fs-mcp-tests--with nil
    (agent-q-fs-remote-tests--with-direct (ws '("a.txt" "one\n"))
      (agent-q-fs-remote-tests--from-mcp ws))))

(ert-deftest agent-q-fs-remote/from-mcp-elsewhere ()
  "It has Emacs connect to no machine, and open no other directory of one."
  (agent-q-fs-mcp-tests--with nil
    (agent-q-fs-remote-tests--with-direct (ws '("a.txt" "one\n") '("d/b" "x\n"))
      (let* ((link (agent-q-fs-remote-link ws)) (before (agent-q-fs-link-last-id link)))
        (dolist (root (list (agent-q-fs-remote-tests--there "d") "/ssh:other:/x/"))
          (let ((client (agent-q-fs-mcp-tests--client "--root" root)))
            (should (string-search
                     "only a person opens a project"
                     (format "%s" (agent-q-fs-mcp-tests--answer
                                   client (agent-q-fs-mcp-tests--begin client "read_file"
                                                                       :path "b")))))
            (delete-process client)))
        (should (equal (list link) agent-q-fs-link--all))
        (should (= before (agent-q-fs-link-last-id link)))
        (should-not agent-q-fs-mcp-tests--asked)))))

;;; agent-q-fs-remote-tests.el ends here
