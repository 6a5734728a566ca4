;;; agent-q-fs-remote-shell.el --- Scripts and processes on other machines  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; TRAMP has the connection to another machine, and costs a round trip for each command.  So
;; whatever is to be found out or done there is a shell script for one round trip,
;; `agent-q-fs-shell-run'.  A script answers in lines that begin with a word made for this one run,
;; so nothing else that a machine prints is taken for an answer:
;;
;;     WORD KEY VALUE
;;     WORD end
;;
;; A terminal, as that of TRAMP's shell, takes 4 KB at a time, and each process that TRAMP starts has
;; a shell of its own to set up.  An ssh that shares TRAMP's connection has neither.  The first
;; script on a connection finds out whether that is to be had, and then `agent-q-fs-shell-start'
;; starts processes that way.

;;; Code:

(require 'agent-q-fs-workspace)
(require 'subr-x)
(require 'tramp)

(defvar tramp-direct-async-process)     ; of newer Emacsen

(declare-function agent-q-fs-show-visible "agent-q-fs-show" (text &optional name))


;;;; Processes

(defun agent-q-fs-shell--shared (where)
  "Return TRAMP's process for WHERE if other processes may share its connection."
  (let ((host (tramp-dissect-file-name (concat where "/"))))
    (and (equal "ssh" (tramp-get-method-parameter host 'tramp-login-program))
         (eq t (symbol-value (if (boundp 'tramp-use-connection-share) 'tramp-use-connection-share
                               'tramp-use-ssh-controlmaster-options)))
         (tramp-get-connection-process host))))

(defun agent-q-fs-shell--direct-p (where)
  "Return non-nil if processes on WHERE can share the connection.
A script has shown it."
  (let ((shared (agent-q-fs-shell--shared where)))
    (and shared (eq 'yes (process-get shared 'agent-q-fs-shell-direct)))))

(defun agent-q-fs-shell--start-directly (where arguments)
  "Start a process on WHERE by an ssh of its own, with ARGUMENTS of `make-process'."
  (let* ((host (tramp-dissect-file-name (concat where "/")))
         (before (tramp-get-connection-property host "direct-async-process" nil))
         (tramp-direct-async-process t)
         (process-environment (append '("SSH_ASKPASS_REQUIRE=never") process-environment)))
    (tramp-set-connection-property host "direct-async-process" t)
    (unwind-protect (apply #'make-process arguments)
      (tramp-set-connection-property host "direct-async-process" before))))

(defun agent-q-fs-shell-start (where &rest arguments)
  "Start a process on WHERE, as `make-process' with ARGUMENTS does, and return it.
Where a script has shown that it can share TRAMP's connection, it does."
  (let* ((default-directory (concat where "/"))
         (arguments (append '(:file-handler t :connection-type pipe :noquery t) arguments)))
    (if (agent-q-fs-shell--direct-p where)
        (agent-q-fs-shell--start-directly where arguments)
      (apply #'make-process arguments))))


;;;; Scripts

(defun agent-q-fs-shell-word ()
  "Return a word that nothing else prints."
  (substring (md5 (format "%s %s %s" (random) (float-time) (emacs-pid))) 0 16))

(defun agent-q-fs-shell-shown (words)
  "Return WORDS of another machine for a person."
  (require 'agent-q-fs-show)
  (agent-q-fs-show-visible (truncate-string-to-width (string-trim words) 300 nil nil "...") t))

(defun agent-q-fs-shell--answers (word)
  "Return the answers that begin with WORD in this buffer, an alist of strings.
It is nil if they have no end."
  (let (answers)
    (goto-char (point-min))
    (while (re-search-forward (format "^%s \\([a-z-]+\\) \\(.*?\\)\r?$" word) nil t)
      (push (cons (intern-soft (match-string 1)) (match-string 2)) answers))
    (and (assq 'end answers) answers)))

(defun agent-q-fs-shell-connect (where)
  "Connect to the machine WHERE: `process-file' does not tell why it cannot."
  (condition-case problem
      (or (file-remote-p (concat where "/") nil t)
          (file-exists-p (concat where "/")))
    (error
     (agent-q-fs--fail :not-connected "%s cannot be reached: %s.  See that C-x d shows %s/"
                       where (agent-q-fs-shell-shown (error-message-string problem)) where))))

(defun agent-q-fs-shell-command (word script &rest arguments)
  "Return the command of SCRIPT with WORD and ARGUMENTS, a list."
  (append (list "/bin/sh" "-c" script "agent-q-fs" word) arguments))

(defun agent-q-fs-shell--collector (buffer)
  "Return a filter of processes that adds what they say to BUFFER."
  (lambda (_ text)
    (with-current-buffer buffer
      (goto-char (point-max))
      (insert text))))

(defun agent-q-fs-shell--await (process word)
  "Return the answers of PROCESS, which begin with WORD, or nil.
Wait for them in this buffer.  The bytes behind them become the property
`agent-q-fs-shell-rest' of PROCESS."
  (let ((at-end (lambda ()
                  (goto-char (point-min))
                  (re-search-forward (format "^%s end .*\n" word) nil t))))
    (with-timeout (60)
      (while (and (not (funcall at-end)) (accept-process-output process))))
    (when (funcall at-end)
      (process-put process 'agent-q-fs-shell-rest (buffer-substring (point) (point-max)))
      (let ((text (decode-coding-string (buffer-substring (point-min) (point)) 'utf-8-unix)))
        (with-temp-buffer
          (insert text)
          (agent-q-fs-shell--answers word))))))

(defun agent-q-fs-shell-begin (where word command arguments)
  "Run COMMAND on WHERE by a process that shares the connection.
Return the process and its answers, which begin with WORD, or nil if that
cannot be had.  It may live on: then ARGUMENTS, of `make-process', count, and
what it has said behind the answers is its property `agent-q-fs-shell-rest'."
  (let ((shared (agent-q-fs-shell--shared where))
        process answers)
    (when (and shared (not (eq 'no (process-get shared 'agent-q-fs-shell-direct))))
      (with-temp-buffer
        (set-buffer-multibyte nil)
        (unwind-protect
            (let ((collect (agent-q-fs-shell--collector (current-buffer))))
              (setq process (let ((default-directory (concat where "/")))
                              (agent-q-fs-shell--start-directly
                               where (append (list :command command :coding 'binary
                                                   :sentinel #'ignore :filter collect :file-handler t
                                                   :connection-type 'pipe :noquery t)
                                             arguments)))
                    answers (agent-q-fs-shell--await process word))
              (process-put shared 'agent-q-fs-shell-direct (if answers 'yes 'no)))
          (when process
            (set-process-filter process (plist-get arguments :filter))
            (set-process-sentinel process (or (plist-get arguments :sentinel) #'ignore))
            ;; The person may have quit.
            (unless answers (delete-process process))))
        (and answers (cons process answers))))))

(defun agent-q-fs-shell--run-directly (where word command)
  "Return the answers to COMMAND, which begin with WORD, of a process on WHERE.
It is the first one on this connection that shares it: nil if it cannot."
  (unless (agent-q-fs-shell--direct-p where)
    (with-temp-buffer
      (let ((begun (agent-q-fs-shell-begin where word command
                                           (list :name "agent-q-fs-script"
                                                 :buffer (current-buffer)))))
        (when begun (delete-process (car begun)))
        (cdr begun)))))

(defun agent-q-fs-shell-run (where word script &rest arguments)
  "Return what SCRIPT answers on the machine WHERE, in one round trip.
WORD, its first argument, begins its answers; ARGUMENTS are strings, the others."
  (with-temp-buffer
    (setq default-directory (concat where "/"))
    (agent-q-fs-shell-connect where)
    (let* ((process-environment (default-toplevel-value 'process-environment))
           (coding-system-for-read 'utf-8-unix)
           (process-file-side-effects nil)
           (command (apply #'agent-q-fs-shell-command word script arguments))
           status)
      (or (ignore-errors (agent-q-fs-shell--run-directly where word command))
          (progn (erase-buffer)
                 (setq status (apply #'process-file (car command) nil t nil (cdr command)))
                 (agent-q-fs-shell--answers word))
          (agent-q-fs--fail
           :not-connected "The shell of %s did not answer as expected (%s): %s.  See that \
`/bin/sh -c true' works there" where status (agent-q-fs-shell-shown (buffer-string)))))))

(defun agent-q-fs-shell-name (name where)
  "Return NAME, of a file on the machine WHERE, or signal an error if it is none."
  (if (string-match-p "\\`/[^\0-\37\177]+\\'" name)
      name
    (agent-q-fs--fail :io "%s names a file as %s: expected an absolute name without \
control characters" where (agent-q-fs-shell-shown name))))

(defun agent-q-fs-shell-watch (where log command)
  "Run COMMAND of a shell on WHERE; return non-nil if all went well.
Its words are shown in the buffer that is named LOG."
  (let ((log (get-buffer-create log))
        process)
    (with-current-buffer log
      (erase-buffer)
      (insert (format "%s    (on %s)\n" command where)))
    (unless noninteractive (display-buffer log))
    (setq process (agent-q-fs-shell-start where :name "agent-q-fs-watched" :buffer log
                                          :command (list "/bin/sh" "-c" command)))
    (unwind-protect
        (while (accept-process-output process))
      (when (process-live-p process) (delete-process process)))
    (and (eq 'exit (process-status process))
         (eq 0 (process-exit-status process)))))


;;;; Files

(defun agent-q-fs-shell-send (where file to)
  "Send FILE to the file TO on WHERE by a process that shares the connection.
Return non-nil if all of it was taken."
  (when (agent-q-fs-shell--direct-p where)
    (with-temp-buffer
      (let* ((text (with-temp-buffer
                     (set-buffer-multibyte nil)
                     (insert-file-contents-literally file)
                     (base64-encode-region (point-min) (point-max))
                     (buffer-string)))
             (script (format "stty -echo 2>/dev/null; head -c %d | base64 -d >\"$1\" && echo taken"
                             (length text)))
             (process (agent-q-fs-shell-start
                       where :name "agent-q-fs-copy" :buffer (current-buffer) :sentinel #'ignore
                       :coding 'utf-8-unix :command (list "/bin/sh" "-c" script "sh" to))))
        (unwind-protect
            (progn (process-send-string process text)
                   (while (accept-process-output process))
                   (goto-char (point-min))
                   (search-forward "taken" nil t))
          (delete-process process))))))

(provide 'agent-q-fs-remote-shell)
;;; agent-q-fs-remote-shell.el ends here
