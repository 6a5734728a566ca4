;;; agent-q-fs-sly.el --- Set-up for SLY and SLIME, and the root  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; For Common Lisp that is connected by SLY or SLIME:
;;
;;     M-x agent-q-fs-sly-setup              lets Lisp call the tools
;;     M-x agent-q-fs-sly-load               has the connected Lisp load its side of them
;;     M-x agent-q-fs-sly-set-project-root   says which directory they are for
;;     M-x agent-q-fs-sly-use-project        the same, by project.el
;;
;; `agent-q-fs-sly-lisps' are the connected Lisps, for what asks them in turn.
;;
;; In an init file, (agent-q-fs-sly-setup) does it for all connections, and
;; `agent-q-fs-sly-load' in `sly-connected-hook' for each Lisp, also a restarted one.  The
;; mode line of Lisp buffers shows the root that the tools have there.

;;; Code:

(require 'agent-q-fs)
(require 'agent-q-fs-arguments)
(require 'agent-q-fs-load)
(require 'agent-q-fs-rpc)
(require 'cl-lib)
(require 'project)

(declare-function sly-connected-p "ext:sly" ())
(declare-function sly-current-connection "ext:sly" ())
(declare-function sly-eval "ext:sly" (sexp &optional package))
(declare-function sly-eval-async "ext:sly" (sexp &optional cont package env))
;; A buffer of the debugger has the thread of its Lisp here, which another Lisp does not know;
;; t is a thread of its own.
(defvar sly-current-thread)
(defvar slime-current-thread)
(defvar slime-dispatching-connection)
(defvar sly-dispatching-connection)
(declare-function slime-connected-p "ext:slime" ())
(declare-function slime-current-connection "ext:slime" ())
(declare-function slime-eval "ext:slime" (sexp &optional package))
(declare-function slime-eval-async "ext:slime" (sexp &optional cont package))

(defgroup agent-q-fs-sly nil
  "Tools for Common Lisp that SLY or SLIME is connected to."
  :group 'agent-q-fs)

(defcustom agent-q-fs-sly-project-key ?L
  "The key of `agent-q-fs-sly-use-project' in `project-switch-commands'."
  :type 'character)

(defcustom agent-q-fs-sly-directories nil
  "Directories in which a connected Common Lisp may choose its project.
Elsewhere, a person is asked, but for the project in which Lisp was
started, and for those that were chosen here for it, by
`agent-q-fs-sly-set-project-root' and the like."
  :type '(repeat directory))


;;;; Roots of connections

(defvar agent-q-fs-sly--roots nil
  "The roots of connections, (CONNECTION . ROOT).")

(defun agent-q-fs-sly--client ()
  "Return `sly' or `slime', whichever this buffer's Lisp is connected by, or nil.
In a buffer that belongs to neither, that is SLY if both are connected."
  (let ((sly (and (featurep 'sly) (sly-current-connection)))
        (slime (and (featurep 'slime) (slime-current-connection))))
    (cond ((and slime (or (not sly) (bound-and-true-p slime-mode)
                          (derived-mode-p 'slime-repl-mode 'sldb-mode)))
           'slime)
          (sly 'sly))))

(defun agent-q-fs-sly-connection ()
  "Return the connection that this buffer's Lisp has, a process, or nil."
  (pcase (agent-q-fs-sly--client)
    ('sly (sly-current-connection))
    ('slime (slime-current-connection))))

(defun agent-q-fs-sly--note-root (connection root)
  "Take note that CONNECTION has ROOT, and forget those that are closed."
  (unless (equal root (cdr (assq connection agent-q-fs-sly--roots)))
    (setq agent-q-fs-sly--roots
          (cons (cons connection root)
                (seq-filter (lambda (known)
                              (and (not (eq connection (car known)))
                                   (process-live-p (car known))))
                            agent-q-fs-sly--roots)))
    (force-mode-line-update t)))

(defun agent-q-fs-sly-root ()
  "Return the root that the tools have for this buffer's Lisp, or nil."
  (let ((connection (agent-q-fs-sly-connection)))
    (and connection (cdr (assq connection agent-q-fs-sly--roots)))))


;;;; Asking the Lisp

(defun agent-q-fs-sly--own (server name)
  "Return the symbol NAME of a Lisp's SERVER, `slynk' or `swank'."
  (intern (concat server "::" name)))

(defun agent-q-fs-sly-bounded (server seconds form)
  "Return a form whose value is that of FORM, in a Lisp with SERVER.
After SECONDS, FORM is ended, and the value is :late.  If it fails, or
wants the debugger, that is (:failed WORDS).  It prints nothing."
  (let* ((own (apply-partially #'agent-q-fs-sly--own server))
         (var (apply-partially #'agent-q-fs-sly--own (concat server "-io-package")))
         (done (funcall var "done")) (self (funcall var "self"))
         (condition (funcall var "condition")) (hook (funcall var "hook")))
    `(cl:let ((,done nil) (,self (,(funcall own "current-thread"))))
       (cl:block nil
         (cl:ignore-errors              ; a Lisp without threads has no such limit
          (,(funcall own "spawn")
           (cl:lambda ()
             (cl:sleep ,seconds)
             (cl:unless ,done
               (,(funcall own "interrupt-thread")
                ,self (cl:lambda () (cl:unless ,done (cl:return :late))))))
           :name "agent-q-fs, a time limit"))
         (,(funcall own "call-with-debugger-hook")
          (cl:lambda (,condition ,hook)
            (cl:declare (cl:ignore ,hook))
            (cl:setf ,done t)
            (cl:return (cl:list :failed (cl:princ-to-string ,condition))))
          (cl:lambda ()
            (cl:handler-case
                (cl:let* ((cl:*standard-output* (cl:make-broadcast-stream))
                          (cl:*error-output* cl:*standard-output*)
                          (cl:*trace-output* cl:*standard-output*))
                  (cl:prog1 ,form (cl:setf ,done t)))
              (cl:error (,condition)
                        (cl:setf ,done t)
                        (cl:list :failed (cl:princ-to-string ,condition))))))))))

(defun agent-q-fs-sly-lisps (workspace)
  "Return the connected Lisps for WORKSPACE, as (LABEL SERVER EVALUATE).
EVALUATE is a function that sends it a form, and calls a function with the
value.  Of several connections, that is the one with the root of WORKSPACE."
  (let ((connection (car (rassoc (agent-q-fs-workspace-root workspace) agent-q-fs-sly--roots))))
    (delq nil
          (list
           (and (fboundp 'sly-connected-p) (sly-connected-p)
                (list "SLY" "slynk"
                      (lambda (form done)
                        (let ((sly-current-thread t)
                              (sly-dispatching-connection
                               (agent-q-fs-sly--among connection 'sly)))
                          (sly-eval-async form done)))))
           (and (fboundp 'slime-connected-p) (slime-connected-p)
                (list "SLIME" "swank"
                      (lambda (form done)
                        (let ((slime-current-thread t)
                              (slime-dispatching-connection
                               (agent-q-fs-sly--among connection 'slime)))
                          (slime-eval-async form done)))))))))

(defun agent-q-fs-sly--among (connection client)
  "Return CONNECTION if it is live and one of CLIENT, `sly' or `slime'; or nil."
  (and (process-live-p connection)
       (memq connection (symbol-value (intern (format "%s-net-processes" client))))
       connection))

(defconst agent-q-fs-sly--reader-forms
  "\\(?:\\`\\|:\\)in-\\(?:package\\|readtable\\)\\'"
  "The kinds of forms that say how those behind them are read.")

(defun agent-q-fs-sly--source (text forms changed)
  "Return TEXT with those CHANGED of its FORMS alone, in the same lines.
None of these is at top level, so that compiling it defines no macro."
  (let* ((lines (vconcat (split-string text "\n")))
         (out (make-vector (1+ (length lines)) ""))
         (covered 0))
    (dolist (form forms)
      (let* ((start (plist-get form :start-line))
             (reader (string-match-p agent-q-fs-sly--reader-forms
                                     (downcase (or (plist-get form :kind) "")))))
        ;; Forms that share a line are compiled together.
        (when (and (< covered start) (or reader (memq form changed)))
          (setq covered (plist-get form :end-line))
          (unless reader
            (aset out (1- start) (concat (aref out (1- start)) "(cl:let () ")))
          (cl-loop for line from (1- start) below covered
                   do (aset out line (concat (aref out line) (aref lines line))))
          (unless reader
            (aset out covered ")")))))
    (string-join out "\n")))

(defun agent-q-fs-sly-compile (lisp text forms changed seconds done)
  "Have LISP, of `agent-q-fs-sly-lisps', compile what is CHANGED of TEXT's FORMS.
FORMS are as list_forms has them.  The connection's compiler reads a file
of ours, writes another, and loads nothing; after SECONDS it is stopped.
Call DONE with its notes, (LINE SEVERITY WORDS), with words about what
failed, or with `late'.  Return a function that removes the files."
  (pcase-let* ((`(,_ ,server ,evaluate) lisp)
               (source (agent-q-fs-sly--source text forms changed))
               (directory (file-name-as-directory (make-temp-file "agent-q-fs-" t)))
               (file (concat directory "notes.lisp")))
    (let ((coding-system-for-write 'utf-8-unix))
      (write-region source nil file nil 'quiet))
    (condition-case problem
        (funcall evaluate
                 (agent-q-fs-sly-bounded
                  server seconds
                  `(,(agent-q-fs-sly--own server "compile-file-for-emacs")
                    ,file nil :fasl-directory ,directory))
                 (lambda (value)
                   (funcall done
                            (pcase value
                              (`(:compilation-result ,notes . ,_)
                               (mapcar (apply-partially #'agent-q-fs-sly--note source) notes))
                              (`(:failed ,words) words)
                              (_ 'late)))))
      (error (funcall done (error-message-string problem))))
    (lambda () (delete-directory directory t))))

(defun agent-q-fs-sly--note (source note)
  "Return NOTE, of a compiler that was given SOURCE, as (LINE SEVERITY WORDS)."
  (let ((at (nth 1 (assq :position (cdr (plist-get note :location))))))
    (list (1+ (cl-count ?\n source :end (min (length source) (max 0 (1- (or at 1))))))
          (plist-get note :severity)
          (or (plist-get note :message) ""))))


;;;; The mode line

(defvar agent-q-fs-sly-mode-line '(:eval (agent-q-fs-sly-mode-line-text))
  "A mode line construct that shows the root of this buffer's Lisp.")
(put 'agent-q-fs-sly-mode-line 'risky-local-variable t)

(defun agent-q-fs-sly--lisp-buffer-p ()
  "Return non-nil in a buffer of SLY or SLIME."
  (or (bound-and-true-p sly-mode)
      (bound-and-true-p slime-mode)
      (derived-mode-p 'sly-mrepl-mode 'slime-repl-mode 'sly-db-mode 'sldb-mode)))

(defun agent-q-fs-sly-mode-line-text ()
  "Return the text in the mode line: the last part of the root's name."
  (let ((root (and (agent-q-fs-sly--lisp-buffer-p) (agent-q-fs-sly-root))))
    (if (null root)
        ""
      (propertize (format " files:%s"
                          (string-replace
                           "%" "%%"
                           (replace-regexp-in-string
                            "[^[:graph:]]" "?"
                            (file-name-nondirectory (directory-file-name root)))))
                  'help-echo (format "The tools for files stay in %s" root)))))


;;;; Setting up

(defun agent-q-fs-sly--done ()
  "Return the sentence that says what `agent-q-fs-sly-setup' has done."
  (let ((clients (seq-filter #'featurep '(sly slime))))
    (concat "Lisp can call the tools for files now, by "
            (cond ((null clients) "SLY and SLIME once they are loaded")
                  ((cdr clients) "SLY and SLIME")
                  (t (upcase (symbol-name (car clients)))))
            (let ((words (agent-q-fs-rpc-switch-words)))
              (if words
                  (concat "; " words)
                ", and evaluating forms in Emacs stays off")))))

;;;###autoload
(defun agent-q-fs-sly-setup (&optional _sure)
  "Let Common Lisp that SLY or SLIME is connected to call the tools.
It can do with them what a model can, see `agent-q-fs-rpc-trust', and
needs neither `sly-enable-evaluate-in-emacs' nor SLIME's: these stay as
they are.  Where one is on, Lisp can do everything that you can.

Show the root of the tools in the mode line of Lisp buffers, and offer
`agent-q-fs-sly-use-project' when projects are switched.  Return a sentence
about what was done.

Put (agent-q-fs-sly-setup) into an init file to have this always."
  (interactive)
  (agent-q-fs-rpc-answer)
  (add-hook 'agent-q-fs-rpc-root-functions #'agent-q-fs-sly--note-root)
  (add-to-list 'mode-line-misc-info 'agent-q-fs-sly-mode-line t)
  (agent-q-fs-sly--offer-project)
  (let ((done (agent-q-fs-sly--done)))
    (when (called-interactively-p 'any)
      (message "%s" done))
    done))

(defun agent-q-fs-sly--offer-project ()
  "Add `agent-q-fs-sly-use-project' to the menu of `project-switch-project'."
  (when (and (listp project-switch-commands)
             (not (assq 'agent-q-fs-sly-use-project project-switch-commands)))
    (setq project-switch-commands
          (append project-switch-commands
                  (list (list 'agent-q-fs-sly-use-project "Lisp agent's files"
                              (default-value 'agent-q-fs-sly-project-key)))))))


;;;; Opening a project

;; A workspace that goes no further than the connection may is opened at once.  Else it is
;; opened, for the core to say where its root is, and closed again if the person says no.

(defconst agent-q-fs-sly--narrow
  '("root" "start" "cwd" "asdf_root" "sly_directory" "backend" "read_only" "restricted_paths"
    "protected_paths" "limits")
  "The options that let no path lead out of the root that is found with them.")

(defvar agent-q-fs-sly--decisions nil
  "The decisions about projects of Lisps, as ((HOST ROOT . OPTIONS) . ALLOWED).")

(defun agent-q-fs-sly--allow (connection root)
  "Have the Lisp behind CONNECTION use the project at ROOT, as the person wishes."
  (let ((place (agent-q-fs--true-place (agent-q-fs--file-bytes (directory-file-name root)))))
    (setf (alist-get (list (agent-q-fs-rpc--host connection) place)
                     agent-q-fs-sly--decisions nil nil #'equal)
          t)))

(defun agent-q-fs-sly--option (workspace name value)
  "Return the option NAME with its VALUE as words if it may lead out, or nil.
A mode is judged by the one that WORKSPACE has: words are spelled in many ways."
  (let ((theirs (cl-loop for (key val) on (default-value 'agent-q-fs-open-options) by #'cddr
                         when (equal name (agent-q-fs-sly--option-name key)) return (list val)))
        (mode (plist-get (agent-q-fs-workspace-facts workspace) :mode)))
    (unless (or (and (member name agent-q-fs-sly--narrow)
                     (or (null theirs) (equal name "root")))
                (equal theirs (list value))
                (and (equal name "mode") (eq :restricted mode)))
      (cons name (format "%S" value)))))

(defun agent-q-fs-sly--option-name (key)
  "Return the name of the option KEY, a keyword, as the core spells it."
  (string-replace "-" "_" (string-remove-prefix ":" (symbol-name key))))

(defun agent-q-fs-sly--home-p (place connection)
  "Return non-nil if PLACE, a root, is where CONNECTION may go without a question."
  (let ((host (agent-q-fs-rpc--host connection)))
    (seq-some
     (lambda (directory) (and directory (agent-q-fs--place-in-p place directory)))
     (append
      (list (ignore-errors (agent-q-fs--true-place
                            (agent-q-fs--root-place (agent-q-fs-arguments-workspace)))))
      (mapcar (lambda (directory)
                (agent-q-fs--true-place
                 (agent-q-fs--file-bytes (directory-file-name (expand-file-name directory)))))
              (default-value 'agent-q-fs-sly-directories))
      (cl-loop for ((its-host directory . options) . allowed)
               in agent-q-fs-sly--decisions
               when (and allowed (equal host its-host) (null options)) collect directory)))))

(defun agent-q-fs-sly--beyond (workspace options connection)
  "Return what CONNECTION may not have of WORKSPACE without a question, or nil.
That is a list of its root, or nil, and those of OPTIONS that lead out."
  (unless (memq 'options (default-value 'agent-q-fs-rpc-trust))
    (let ((root (and (eq :host (plist-get (agent-q-fs-workspace-facts workspace) :backend))
                     (agent-q-fs--true-place (agent-q-fs--root-place workspace))))
          (wide (cl-loop for (key value) on options by #'cddr
                         for wide = (agent-q-fs-sly--option
                                     workspace (agent-q-fs-sly--option-name key) value)
                         when wide collect wide)))
      (when (or wide (and root (not (agent-q-fs-sly--home-p root connection))))
        (cons root wide)))))

(defun agent-q-fs-sly--denial (workspace decision)
  "Return the reply that WORKSPACE is not opened, for DECISION."
  (let ((reason (plist-get decision :reason)))
    (agent-q-fs--error-reply
     :denied "The user denied the tools in %s%s; M-x agent-q-fs-sly-set-project-root in Emacs allows it"
     (agent-q-fs-workspace-root workspace)
     (if (stringp reason) (concat ": " (agent-q-fs-audit-plain reason)) ""))))

(defun agent-q-fs-sly-open (workspace options connection caller done)
  "Call DONE with facts about WORKSPACE, opened with OPTIONS, or a denial.
CALLER is behind CONNECTION."
  (let* ((beyond (agent-q-fs-sly--beyond workspace options connection))
         (key (cons (agent-q-fs-rpc--host connection) beyond))
         (known (assoc key agent-q-fs-sly--decisions))
         (open (lambda ()
                 (funcall done (agent-q-fs-rpc--opened workspace options connection))))
         (deny (lambda (decision)
                 (let ((denial (agent-q-fs-sly--denial workspace decision)))
                   (agent-q-fs-close workspace)
                   (funcall done denial)))))
    (cond
     ((or (null beyond) (cdr known)) (funcall open))
     (known (funcall deny nil))
     (t
      (agent-q-fs-caller-at-end caller (lambda () (agent-q-fs-close workspace)))
      (agent-q-fs-approve-async
       (agent-q-fs-approve-opening workspace (cdr beyond) caller)
       (lambda (decision)
         (unless (agent-q-fs-caller-gone caller)
           (agent-q-fs-sly--remember key decision)
           (if (eq 'approved (plist-get decision :decision))
               (funcall open)
             (funcall deny decision)))))))))

(defun agent-q-fs-sly--remember (key decision)
  "Take note of DECISION about KEY, if it is a yes or a no of a person."
  (when (and (memq (plist-get decision :decision) '(approved denied))
             (not (plist-get decision :code))
             (not (plist-get decision :unanswered)))
    (push (cons key (eq 'approved (plist-get decision :decision)))
          agent-q-fs-sly--decisions)))


;;;; Loading the other side

(defun agent-q-fs-sly--find-source (directory)
  "Return the definition of the systems in Common Lisp, or nil where there is none.
DIRECTORY is that of these files: a package, the sources, or what was
compiled of them."
  (seq-find #'file-exists-p
            (mapcar (lambda (name) (expand-file-name name directory))
                    '("lisp/agent-q-fs.asd" "../lisp/agent-q-fs.asd" "../../lisp/agent-q-fs.asd"))))

(defconst agent-q-fs-sly--source
  (agent-q-fs-sly--find-source (file-name-directory (or load-file-name "")))
  "The definition of the systems in Common Lisp, where these files have it, or nil.")

(defun agent-q-fs-sly--loading ()
  "Return the form that loads agent-q-fs in a Lisp.
Its value is a list of the number of registered tools, or of words about
what is wrong, or nil where Lisp does not find agent-q-fs.
Symbols of packages that may be absent are looked up.
It fills no REPL with the names of the files that are compiled."
  (let ((source agent-q-fs-sly--source))
    `(cl:handler-case
      (cl:let ((cl:*compile-verbose* nil) (cl:*load-verbose* nil))
       (cl:require "ASDF")
       (cl:flet ((asdf (name cl:&rest arguments)
                  (cl:apply (cl:intern name "ASDF") arguments)))
        (cl:when (cl:and ,(and source t) (cl:not (asdf "FIND-SYSTEM" "agent-q-fs" nil))
                         (cl:probe-file ,(or source "")))
         (asdf "LOAD-ASD" (cl:pathname ,(or source ""))))
        (cl:cond ((cl:not (asdf "FIND-SYSTEM" "agent-q-fs" nil)) nil)
                 ((asdf "FIND-SYSTEM" "cl-llm-provider" nil)
                  (asdf "LOAD-SYSTEM" "agent-q-fs/agent-q")
                  (cl:list (cl:length (cl:funcall (cl:intern "REGISTER-TOOLS"
                                                             "AGENT-Q-FS/AGENT-Q")))))
                 (cl:t (asdf "LOAD-SYSTEM" "agent-q-fs") (cl:list 0)))))
      (cl:error (condition) (cl:list (cl:princ-to-string condition))))))

(defun agent-q-fs-sly--loaded (result)
  "Tell the person about RESULT, the value of that form."
  (pcase result
    ('nil (message "Lisp could not find agent-q-fs: put a clone of it into ~/common-lisp/, or see \
the README, Common Lisp"))
    ('(0) (message "Lisp has loaded agent-q-fs; \
try (format t \"~a\" (agent-q-fs:call-tool \"list_directory\" nil))"))
    (`(,(and count (pred integerp))) (message "Lisp has %d tools of agent-q-fs" count))
    (`(,words) (message "Lisp could not load agent-q-fs: %s" words))))

(defun agent-q-fs-sly--core-p ()
  "Return non-nil if the core is there for Lisp to call.
Where it has to be built, somebody who has given a command is asked; in a
hook, while they may be typing, they are told."
  (if (or this-command noninteractive (agent-q-fs-module-at-hand-p))
      (progn (agent-q-fs-module-load)
             t)
    ;; SLY and SLIME greet after this hook, and a message would be gone unseen.
    (run-with-timer 1 nil #'display-warning 'agent-q-fs "Lisp has no tools for files yet, because \
their core is not built.
M-x agent-q-fs-module-build builds it, and M-x agent-q-fs-sly-load then loads the tools.")
    nil))

;;;###autoload
(defun agent-q-fs-sly-load ()
  "Have the connected Common Lisp load agent-q-fs, and register its tools.
That goes on beside Emacs, and a message says how it ended.  In
`sly-connected-hook', or SLIME's, this is done for each Lisp, also for one
that was restarted."
  (interactive)
  (agent-q-fs-rpc-answer)
  (let ((client (or (agent-q-fs-sly--client)
                    (user-error "No Lisp is connected; start one with M-x sly or M-x slime"))))
    (when (agent-q-fs-sly--core-p)
      (message "Lisp is loading agent-q-fs; the first time, it is compiled for some seconds")
      (if (eq client 'sly)
          (let ((sly-current-thread t))
            (sly-eval-async (agent-q-fs-sly--loading) #'agent-q-fs-sly--loaded))
        (let ((slime-current-thread t))
          (slime-eval-async (agent-q-fs-sly--loading) #'agent-q-fs-sly--loaded))))))


;;;; The root

(defun agent-q-fs-sly--eval (form)
  "Return the value of FORM in the Lisp of this buffer."
  (pcase (agent-q-fs-sly--client)
    ('sly (let ((sly-current-thread t)) (sly-eval form)))
    ('slime (let ((slime-current-thread t)) (slime-eval form)))
    (_ (user-error "No Lisp is connected; start one with M-x sly or M-x slime"))))

(defun agent-q-fs-sly--project-root ()
  "Return the root of the project around, by project.el, or nil."
  (let ((project (project-current)))
    (and project (expand-file-name (project-root project)))))

;;;###autoload
(defun agent-q-fs-sly-set-project-root (directory)
  "Have the tools of the connected Common Lisp stay in DIRECTORY.
With an empty name, have Lisp find the root again.  Calls that begin
from now on go there."
  (interactive
   (list (let ((here (agent-q-fs-sly--project-root)))
           (read-directory-name "Root of Lisp's files (empty to find it): " here "" nil ""))))
  (let ((root (if (member directory '(nil ""))
                  ""
                (file-truename (agent-q-fs--local-directory "root" directory)))))
    (unless (or (equal root "") (file-directory-p root))
      (user-error "There is no directory %s" root))
    ;; The package may not be there: a symbol of it could not be read then.
    (unless (agent-q-fs-sly--eval
             `(cl:and (cl:find-package "AGENT-Q-FS")
                      (cl:funcall (cl:find-symbol "SET-PROJECT-ROOT" "AGENT-Q-FS") ,root)))
      (user-error "Lisp has not loaded agent-q-fs: M-x agent-q-fs-sly-load"))
    (unless (equal root "")
      (agent-q-fs-sly--allow (agent-q-fs-sly-connection) root))
    (agent-q-fs-sly--note-root (agent-q-fs-sly-connection)
                               (if (equal root "") nil (file-name-as-directory root)))
    (message (if (equal root "") "Lisp finds the root again" "Lisp's files are in %s now")
             root)))

;;;###autoload
(defun agent-q-fs-sly-use-project ()
  "Have the tools of the connected Common Lisp stay in the project of project.el."
  (interactive)
  (agent-q-fs-sly-set-project-root
   (expand-file-name (project-root (project-current t)))))

(provide 'agent-q-fs-sly)
;;; agent-q-fs-sly.el ends here
