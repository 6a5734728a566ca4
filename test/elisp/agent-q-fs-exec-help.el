;;; agent-q-fs-exec-help.el --- Common code of the tests of commands  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; `agent-q-fs-exec-deftest' makes one test for each isolation: the same tools, the same
;; replies.  Where an isolation cannot be had, its tests are skipped and say why.
;;
;; Processes are counted by a variable of their environment, without the package's
;; own records.

;;; Code:

(require 'agent-q-fs-test-help)
(require 'agent-q-fs-tools)
(require 'agent-q-fs-exec-isolate)
(require 'agent-q-fs-exec-run)

(defvar agent-q-fs-exec-help-isolation 'none
  "The isolation of commands in the test that runs.")

(defvar agent-q-fs-exec-help--rootfs nil
  "A directory that containers have as their file system, once it was needed.")

(defconst agent-q-fs-exec-help--podman
  '("--runtime=runc" "--cgroup-manager=cgroupfs")
  "Options of podman for machines without much of an init.")

(defun agent-q-fs-exec-help--forget ()
  "Delete the file system of containers, because Emacs ends."
  (when agent-q-fs-exec-help--rootfs
    (delete-directory agent-q-fs-exec-help--rootfs t)))

(defun agent-q-fs-exec-help-rootfs ()
  "Return a directory with a file system made of busybox."
  (or agent-q-fs-exec-help--rootfs
      (let ((root (file-name-as-directory (make-temp-file "aqfs-rootfs-" t)))
            (busybox (executable-find "busybox")))
        (set-file-modes root #o755)
        (dolist (directory '("bin" "proc" "sys" "dev" "tmp" "etc" "workspace"))
          (make-directory (concat root directory)))
        (set-file-modes (concat root "tmp") #o1777)
        (copy-file busybox (concat root "bin/busybox"))
        (dolist (applet (process-lines busybox "--list"))
          (unless (equal applet "busybox")
            (make-symbolic-link "busybox" (concat root "bin/" applet))))
        (add-hook 'kill-emacs-hook #'agent-q-fs-exec-help--forget)
        (setq agent-q-fs-exec-help--rootfs root))))

(defvar agent-q-fs-exec-help--found nil
  "The isolations that were tried, a list of (KIND . WHY-NOT).")

(defun agent-q-fs-exec-help--why-not (kind)
  "Return why commands cannot be isolated by KIND on this machine, or nil."
  (pcase kind
    ('none nil)
    ('landlock (agent-q-fs-exec-help--try kind))
    ('podman
     (cond ((not (executable-find "podman")) "there is no podman")
           ((not (executable-find "busybox")) "there is no busybox to make a root of")
           (t (agent-q-fs-exec-help--try kind))))
    ('bubblewrap (if (executable-find "bwrap")
                     (agent-q-fs-exec-help--try kind)
                   "there is no bwrap"))))

(defun agent-q-fs-exec-help--try (kind)
  "Return the failure of a command in KIND of isolation, or nil."
  (let ((agent-q-fs-exec-help-isolation kind))
    (agent-q-fs-exec-help-with (ws)
      (let ((text (agent-q-fs-exec-help-call ws "shell" :command "echo it works")))
        (unless (string-search "it works" text)
          text)))))

(defconst agent-q-fs-exec-help-long (member (getenv "AQFS_LONG") '("1" "yes"))
  "Whether the tests may take their time, as by `make commands'.")

(defconst agent-q-fs-exec-help--podman-tests
  "/\\(?:shell\\|ends\\|workdir\\|timeouts\\|shell-in-terminal\\|restricted\\|protected\\|container\\)\\'"
  "The tests with podman that are run each time, by root.")

(defun agent-q-fs-exec-help-need (kind)
  "Skip the test unless commands can be isolated by KIND."
  (when (and (eq 'podman kind)
             (not agent-q-fs-exec-help-long)
             (or (eql 65534 (user-uid))
                 (not (string-match-p agent-q-fs-exec-help--podman-tests
                                      (symbol-name (ert-test-name (ert-running-test)))))))
    (ert-skip "Podman takes long: `make commands' runs this"))
  (unless (assq kind agent-q-fs-exec-help--found)
    (push (cons kind (agent-q-fs-exec-help--why-not kind)) agent-q-fs-exec-help--found))
  (let ((why (cdr (assq kind agent-q-fs-exec-help--found))))
    (when why
      (ert-skip (format "no %s here: %s" kind why)))))

(defmacro agent-q-fs-exec-help-with (spec &rest body)
  "Run BODY with a workspace whose commands are isolated; everything is allowed.
SPEC is (VARIABLE FILE...) as for `agent-q-fs-test-with-tree', or
\((VARIABLE OPTION VALUE...) FILE...) with options of `agent-q-fs-open'."
  (declare (indent 1) (debug (sexp body)))
  (let* ((head (car spec))
         (variable (if (consp head) (car head) head)))
    `(let ((agent-q-fs-policy 'never)
           (agent-q-fs-audit-file nil)
           (agent-q-fs-exec-podman-rootfs (and (eq 'podman agent-q-fs-exec-help-isolation)
                                               (agent-q-fs-exec-help-rootfs)))
           (agent-q-fs-exec-podman-global-options agent-q-fs-exec-help--podman)
           (agent-q-fs-exec-podman-run-options
            (append '("--ulimit=nofile=1024:1024" "--ulimit=nproc=4096:4096")
                    (default-value 'agent-q-fs-exec-podman-run-options)))
           (agent-q-fs-state-directory (make-temp-file "aqfs-state-" t)))
       (unwind-protect
           (agent-q-fs-test-with-tree (plain ,@(cdr spec))
             (ignore plain)
             (let ((,variable (agent-q-fs-open :root default-directory
                                               :isolation agent-q-fs-exec-help-isolation
                                               ,@(cdr-safe head))))
               (unwind-protect (progn ,@body)
                 (agent-q-fs-close ,variable))))
         (delete-directory agent-q-fs-state-directory t)))))

(defmacro agent-q-fs-exec-deftest (name spec kinds &rest body)
  "Define a test NAME of commands for each isolation in KINDS; t stands for all.
SPEC is as for `agent-q-fs-exec-help-with'."
  (declare (indent 3))
  `(progn
     ,@(mapcar
        (lambda (kind)
          `(ert-deftest ,(intern (format "agent-q-fs-exec-%s/%s" kind name)) ()
             (agent-q-fs-exec-help-need ',kind)
             (let ((agent-q-fs-exec-help-isolation ',kind))
               (agent-q-fs-exec-help-with ,spec ,@body))))
        (if (eq kinds t) '(none landlock bubblewrap podman) kinds))))

(defun agent-q-fs-exec-help-call (workspace tool &rest arguments)
  "Return the text of calling TOOL with ARGUMENTS in WORKSPACE."
  (agent-q-fs-call-tool tool arguments workspace))

(defun agent-q-fs-exec-help-reply (workspace tool &rest arguments)
  "Return the reply of calling TOOL with ARGUMENTS in WORKSPACE."
  (let (reply)
    (agent-q-fs-tools--begin tool arguments workspace
                             (lambda (answer) (setq reply answer)) :wait t)
    reply))

(defun agent-q-fs-exec-help-until (workspace session pattern &optional chars)
  "Type CHARS into SESSION of WORKSPACE; return its output when it has PATTERN."
  (let ((output ""))
    (agent-q-fs-test-until
     (let ((reply (agent-q-fs-exec-help-reply workspace "write_stdin" :session_id session
                                              :chars (or chars "") :yield_time_ms 50)))
       (setq chars nil
             output (concat output (plist-get reply :stdout)
                            (and (plist-get reply :error) (plist-get reply :text))
                            (and (not (plist-get reply :running)) "\n[over]")))
       (string-match-p pattern output))
     (list pattern output))
    output))

(defun agent-q-fs-exec-help-session (workspace command &rest arguments)
  "Start COMMAND with ARGUMENTS in WORKSPACE and return the number of its session."
  (let ((reply (apply #'agent-q-fs-exec-help-reply workspace "exec_command" :cmd command
                      (or arguments '(:yield_time_ms 0)))))
    (or (plist-get reply :session-id)
        (ert-fail (list "This is no session" reply)))))

(defun agent-q-fs-exec-help-begun (workspace command &optional pattern)
  "Start COMMAND in WORKSPACE; return its session once its output has PATTERN.
Without PATTERN, COMMAND has just begun then."
  (let ((session (agent-q-fs-exec-help-session
                  workspace (if pattern command (concat "echo begun; " command)))))
    (agent-q-fs-exec-help-until workspace session (or pattern "begun\n"))
    session))

(defun agent-q-fs-exec-help-quit-when (text)
  "Quit, as \\`C-g' does, once there is a process whose command line begins with TEXT."
  (let (timer)
    (setq timer (run-with-timer 0.05 0.05
                                (lambda ()
                                  (when (agent-q-fs-exec-help-marked text t)
                                    (cancel-timer timer)
                                    (signal 'quit nil)))))))

(defun agent-q-fs-exec-help-fire (timer)
  "Let TIMER be due now.
Emacs only looks at the first of `timer-list', so TIMER must go there."
  (cancel-timer timer)
  (timer-set-time timer (current-time) (timer--repeat-delay timer))
  (timer-activate timer))

(defun agent-q-fs-exec-help-has-printed (run)
  "Return non-nil if bytes that RUN has printed to stdout have come."
  (not (agent-q-fs-exec-output-empty-p (agent-q-fs-exec-run-stdout run))))

(defun agent-q-fs-exec-help-time-is-over ()
  "Let the time of the only command that may take an hour be over."
  (let ((timers (seq-filter (lambda (timer) (equal 3600.0 (timer--repeat-delay timer)))
                            timer-list)))
    (should (= 1 (length timers)))
    (agent-q-fs-exec-help-fire (car timers))))

(defvar agent-q-fs-exec-help--marks nil
  "The marks in the environments of this Emacs' commands.
Other Emacsen run commands at the same time, those of the end-to-end tests
for instance.")

(defun agent-q-fs-exec-help--note (mark)
  "Note MARK, and return it."
  (push (agent-q-fs-exec-mark-entry mark) agent-q-fs-exec-help--marks)
  mark)

(advice-add 'agent-q-fs-exec-mark-new :filter-return #'agent-q-fs-exec-help--note)

(defun agent-q-fs-exec-help-marked (&optional text start)
  "Return the pids of processes of commands that live, by /proc alone.
With TEXT, those whose command line has `agent-q-fs-exec-help-own' of it,
with START at the start."
  (let ((text (and text (agent-q-fs-exec-help-own text)))
        (pids nil))
    (dolist (pid (directory-files "/proc" nil "\\`[0-9]+\\'" t))
      (let ((read (lambda (file)
                    (with-temp-buffer
                      (set-buffer-multibyte nil)
                      (ignore-errors
                        (insert-file-contents-literally (format "/proc/%s/%s" pid file)))
                      (buffer-string)))))
        (when (and (if text
                       (let ((at (string-search
                                  text (string-replace "\0" " " (funcall read "cmdline")))))
                         (if start (eql 0 at) at))
                     (let ((environment (funcall read "environ")))
                       (seq-some (lambda (mark) (string-search mark environment))
                                 agent-q-fs-exec-help--marks)))
                   (not (string-match-p ") [ZX] " (funcall read "stat"))))
          (push (string-to-number pid) pids))))
    (delq (emacs-pid) pids)))

(defvar agent-q-fs-exec-help-pid (emacs-pid)
  "The Emacs whose commands `agent-q-fs-exec-help-own' makes.")

(defun agent-q-fs-exec-help-own (text)
  "Return TEXT with the sleeps of this Emacs alone: they last for days.
So none ends by itself while a test waits for its end, and none is taken
for one of another Emacs that runs the same test."
  (replace-regexp-in-string "\\bsleep " (format "sleep %d" agent-q-fs-exec-help-pid) text t t))

(defun agent-q-fs-exec-help-sleeping (text count)
  "Wait until COUNT processes sleep, TEXT being the start of their command lines."
  (agent-q-fs-test-until (= count (length (agent-q-fs-exec-help-marked text t)))
                         (agent-q-fs-exec-help-marked text t)))

(defun agent-q-fs-exec-help-gone (&optional text)
  "Wait until no process of a command lives; return those that do not end.
TEXT is as for `agent-q-fs-exec-help-marked'."
  (let ((deadline (+ (float-time) agent-q-fs-test-patience)) left)
    (while (and (setq left (agent-q-fs-exec-help-marked text))
                (< (float-time) deadline))
      (accept-process-output nil 0.02))
    ;; They fail the test, and would stay.
    (dolist (pid left) (signal-process pid 'SIGKILL))
    left))

(provide 'agent-q-fs-exec-help)
;;; agent-q-fs-exec-help.el ends here
