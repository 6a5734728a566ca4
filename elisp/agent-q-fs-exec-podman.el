;;; agent-q-fs-exec-podman.el --- Commands in a container of podman  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A workspace has one container.  It is started when a command first needs it, with
;; the workspace's directory at /workspace, and stays until the workspace is closed or
;; Emacs ends; each command is an exec in it.
;;
;; Ending podman's exec does not end what it executes.  The processes of a container
;; can be seen from outside, with their environment, so they are ended by their
;; mark like all others (agent-q-fs-exec-sweep.el).

;;; Code:

(require 'agent-q-fs-exec-isolate)

(defcustom agent-q-fs-exec-podman-image nil
  "The image of containers for commands, where a workspace does not name one."
  :group 'agent-q-fs-exec
  :type '(choice (const :tag "None" nil) string))

(defcustom agent-q-fs-exec-podman-rootfs nil
  "A directory that containers for commands have as their file system.
It is used where there is no image.  It needs /bin/sh and sleep, and
containers write to it."
  :group 'agent-q-fs-exec
  :type '(choice (const :tag "None" nil) directory))

(defcustom agent-q-fs-exec-podman-global-options nil
  "Options for podman itself, such as \"--runtime=runc\"."
  :group 'agent-q-fs-exec
  :type '(repeat string))

(defcustom agent-q-fs-exec-podman-run-options
  '("--cap-drop=all" "--security-opt=no-new-privileges")
  "Options for the start of a container, such as \"--memory=2g\"."
  :group 'agent-q-fs-exec
  :type '(repeat string))

(defconst agent-q-fs-exec-podman--patience 120
  "Seconds that a container may take to start.")

(defvar agent-q-fs-exec-podman--containers nil
  "The containers, as a list of (WORKSPACE . PLIST).
PLIST has :name; :state, which is `starting' or `running'; and :waiting,
the functions to call when it runs.")

(defun agent-q-fs-exec-podman--words (&rest words)
  "Return the command of podman with WORDS."
  (cons (agent-q-fs-exec-program "podman")
        (append agent-q-fs-exec-podman-global-options words)))

(defun agent-q-fs-exec-podman--inside (workspace directory)
  "Return the name in the container of DIRECTORY in WORKSPACE."
  (let ((root (directory-file-name
               (agent-q-fs--file-name (agent-q-fs-workspace-root workspace)))))
    (agent-q-fs-exec-file-bytes
     (cond ((equal directory root) "/workspace")
           ((string-prefix-p (concat root "/") directory)
            (concat "/workspace" (substring directory (length root))))
           (t directory)))))

(defun agent-q-fs-exec-podman--mounts (workspace)
  "Return the options that show and hide what WORKSPACE does."
  (let ((flag (if (plist-get (agent-q-fs-workspace-facts workspace) :read-only) ":ro" "")))
    (mapcan
     (pcase-lambda (`(,name . ,action))
       (let ((inside (agent-q-fs-exec-podman--inside workspace name))
             (name (agent-q-fs-exec-file-bytes name)))
         (when (string-search ":" (concat name inside))
           (agent-q-fs--fail :command-failed "podman cannot mount a directory with a colon: %s"
                             name))
         (cond ((memq action '(show pin)) (list "-v" (concat name ":" inside flag)))
               ((file-directory-p name)
                ;; Podman would copy into it what it is to hide.
                (list "--mount" (format "type=tmpfs,destination=%s,notmpcopyup,ro=true"
                                        inside)))
               (t (list "-v" (concat "/dev/null:" inside ":ro"))))))
     (agent-q-fs-exec-isolate-rules workspace))))

(defun agent-q-fs-exec-podman--run (workspace name)
  "Return the command that starts a container called NAME for WORKSPACE."
  (let* ((option (lambda (key default)
                   (or (agent-q-fs-exec-isolation-option workspace key) default)))
         (image (funcall option :image agent-q-fs-exec-podman-image))
         (rootfs (funcall option :rootfs agent-q-fs-exec-podman-rootfs))
         (network (agent-q-fs-exec-isolation-option workspace :network)))
    (unless (or image rootfs)
      (agent-q-fs--fail :command-failed
                        "Commands here run in podman, for which no image is chosen: \
see agent-q-fs-exec-podman-image.  Nothing was run"))
    (append (agent-q-fs-exec-podman--words
             "run" "--detach" "--rm" "--name" name "--label" "agent-q-fs"
             "--network" (if (stringp network) network (if network "host" "none"))
             "--pull=never" "--hostname" "sandbox" "--workdir" "/workspace")
            agent-q-fs-exec-podman-run-options
            (agent-q-fs-exec-podman--mounts workspace)
            (if image (list image) (list "--rootfs" (expand-file-name rootfs)))
            ;; The first process of a container has to bury the orphans.
            (list "/bin/sh" "-c" "while :; do sleep 3600 & wait; done"))))


;;;; Starting

(defun agent-q-fs-exec-podman--plist (workspace)
  "Return what is known of the container of WORKSPACE, or nil."
  (alist-get workspace agent-q-fs-exec-podman--containers))

(defun agent-q-fs-exec-podman-prepare (workspace then)
  "See to it that WORKSPACE has a container, and call THEN with nil or an error."
  (let ((container (agent-q-fs-exec-podman--plist workspace)))
    (cond
     ((not (agent-q-fs-exec-program "podman"))
      (funcall then (agent-q-fs-exec-isolate-failure 'podman "there is no program podman")))
     ((eq 'running (plist-get container :state)) (funcall then nil))
     (container
      (plist-put container :waiting (cons then (plist-get container :waiting))))
     (t (agent-q-fs-exec-podman--start workspace then)))))

(defun agent-q-fs-exec-podman--start (workspace then)
  "Start the container of WORKSPACE, and call THEN with nil or an error."
  (let* ((name (format "agent-q-fs-%d-%s" (emacs-pid)
                       (substring (agent-q-fs-exec-mark-id (agent-q-fs-exec-sweep-mark)) 0 12)))
         (buffer (generate-new-buffer " *agent-q-fs podman*" t))
         (process-environment (agent-q-fs-exec-environment))
         (default-directory "/")
         (problem nil) process)
    (condition-case caught
        (setq process (make-process
                       :name "agent-q-fs podman" :buffer buffer :noquery t
                       :connection-type 'pipe :file-handler nil
                       :command (agent-q-fs-exec-podman--run workspace name)
                       :sentinel (lambda (process _event)
                                   (unless (process-live-p process)
                                     (agent-q-fs-exec-podman--started workspace process)))))
      (error (setq problem caught)))
    (if problem
        (progn (kill-buffer buffer)
               (funcall then (if (eq (car-safe (cdr problem)) :error)
                                 (cdr problem)
                               (agent-q-fs-exec-isolate-failure
                                'podman (error-message-string problem)))))
      (setf (alist-get workspace agent-q-fs-exec-podman--containers)
            (list :name name :state 'starting :waiting (list then)))
      (run-with-timer agent-q-fs-exec-podman--patience nil
                      (lambda () (when (process-live-p process) (kill-process process)))))))

(defun agent-q-fs-exec-podman--started (workspace process)
  "Tell who waits for the container of WORKSPACE how PROCESS, its start, has ended."
  (let* ((container (agent-q-fs-exec-podman--plist workspace))
         (good (and (eq 'exit (process-status process)) (= 0 (process-exit-status process))))
         (words (with-current-buffer (process-buffer process) (buffer-string)))
         (waiting (reverse (plist-get container :waiting))))
    (kill-buffer (process-buffer process))
    (if (and good container)
        (progn (plist-put container :state 'running)
               (plist-put container :waiting nil))
      (setf (alist-get workspace agent-q-fs-exec-podman--containers nil t) nil))
    (dolist (then waiting)
      (funcall then (unless good
                      (agent-q-fs-exec-isolate-failure 'podman (string-trim words)))))))

(defun agent-q-fs-exec-podman-command (workspace directory tty environment words)
  "Return how to run WORDS in DIRECTORY of WORKSPACE, (WORDS . PRELUDE).
With TTY there is a terminal.  ENVIRONMENT is added to that of the container."
  (list (append (agent-q-fs-exec-podman--words "exec")
                (when tty (list "--interactive" "--tty"))
                (mapcan (lambda (entry) (list "--env" entry)) environment)
                (list "--workdir" (agent-q-fs-exec-podman--inside workspace directory)
                      (plist-get (agent-q-fs-exec-podman--plist workspace) :name))
                words)))


;;;; Ending

(defun agent-q-fs-exec-podman-close (workspace &optional now)
  "Remove the container of WORKSPACE, if it has one; with NOW, wait for that."
  (let ((name (plist-get (agent-q-fs-exec-podman--plist workspace) :name))
        (process-environment (agent-q-fs-exec-environment))
        (default-directory "/"))
    (setf (alist-get workspace agent-q-fs-exec-podman--containers nil t) nil)
    (when name
      (let ((words (agent-q-fs-exec-podman--words "rm" "--force" "--time" "0" name)))
        (ignore-errors
          (apply #'call-process (car words) nil (if now nil 0) nil (cdr words)))))))

(defun agent-q-fs-exec-podman--close-all ()
  "Remove all containers, because Emacs ends."
  (dolist (container agent-q-fs-exec-podman--containers)
    (agent-q-fs-exec-podman-close (car container) t)))

(add-hook 'agent-q-fs-close-functions #'agent-q-fs-exec-podman-close)
(add-hook 'kill-emacs-hook #'agent-q-fs-exec-podman--close-all)

(provide 'agent-q-fs-exec-podman)
;;; agent-q-fs-exec-podman.el ends here
