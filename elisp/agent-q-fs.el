;;; agent-q-fs.el --- File tools that an agent can be trusted with  -*- lexical-binding: t; -*-

;; Author: The agent-q-fs authors
;; Version: 0.1.0
;; Package-Requires: ((emacs "28.2"))
;; Keywords: files, tools
;; URL: https://github.com/agent-q/agent-q-fs
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A workspace is a directory that no path leads out of.  Programs open one and
;; call operations in it:
;;
;;     (setq ws (agent-q-fs-open :root "~/project/"))
;;     (agent-q-fs-call ws 'read_file :path "README" :end_line 20)
;;          => (:path "README" :content "..." :total-lines 90 ... :text "...")
;;     (agent-q-fs-read-file ws "README" :end_line 20)      ; the same
;;     (agent-q-fs-close ws)
;;
;; Where the workspace is nil, it is the current one: `agent-q-fs-workspace',
;; opened at the project's root when first needed.
;;
;; A call that fails signals an error: `agent-q-fs-not-found',
;; `agent-q-fs-outside-root' and so on, each an `agent-q-fs-error', whose data
;; is the property list (:error CODE :message WORDS :path PATH :hint WORDS
;; :text WORDS).  C-g ends a long call at once.
;;
;; `agent-q-fs-call-async' (agent-q-fs-job.el) lets Emacs go on meanwhile.
;; `agent-q-fs-call-tool' (agent-q-fs-tools.el) is the call for models: text
;; comes back, also when it fails, and `agent-q-fs-policy' says what somebody
;; is asked before.  Every call is told of by events; `agent-q-fs-log' lists them.
;;
;; The parts, from below:
;;
;;     agent-q-fs-load.el       finds, builds and loads the core, which is in C
;;     agent-q-fs-workspace.el  workspaces and errors
;;     agent-q-fs.el            calls, and the hooks around changes
;;     agent-q-fs-ops.el        a function for each operation; generated from the
;;                              core's table by agent-q-fs-generate.el
;;     agent-q-fs-job.el        calls that run beside Emacs
;;     agent-q-fs-mock.el       a workspace with replies of your own, for tests
;;
;;     agent-q-fs-buffers.el    buffers whose files are read and changed
;;     agent-q-fs-refresh.el    a buffer shows what its file holds now
;;
;;     agent-q-fs-audit.el      events of calls, and the file of them
;;     agent-q-fs-approve.el    what is done without asking, and what is remembered
;;     agent-q-fs-show.el       what a person is shown of a call, and can change in it
;;     agent-q-fs-prompt.el     asking a person
;;     agent-q-fs-arguments.el  arguments as models send them
;;     agent-q-fs-tools.el      the tools, and calls by models
;;     agent-q-fs-spec.el       what a model is told: tools and rules
;;     agent-q-fs-exec.el       tools that run commands; its Commentary lists its parts
;;
;;     agent-q-fs-rpc.el        the function that Common Lisp calls
;;     agent-q-fs-sly.el        what users of SLY and SLIME set up
;;
;;     agent-q-fs-ui.el         M-x agent-q-fs, the tools by hand; its Commentary
;;                              lists the commands' files
;;
;; To add an operation, see doc/architecture.org: it takes nothing here.

;;; Code:

(require 'agent-q-fs-workspace)
(require 'cl-lib)

(declare-function agent-q-fs--mod-call "ext:agent-q-fs-module.so"
                  (workspace operation arguments how))
(declare-function agent-q-fs--mod-operations "ext:agent-q-fs-module.so" ())
(declare-function agent-q-fs--mod-version "ext:agent-q-fs-module.so" ())


;;;; Who waits for a call

;; A call that comes from elsewhere, as from Common Lisp, has a caller.  When that
;; has given up, or is gone, nobody is asked about the call any more, a command that
;; it runs is ended as by C-g, and what was approved of and not begun is not done:
;; the caller was told that it was not.

(cl-defstruct (agent-q-fs-caller (:constructor agent-q-fs-caller-new) (:copier nil))
  "Who waits for a call."
  (gone nil :documentation "Non-nil once it waits no more.")
  (ends nil :documentation "Functions that end what is waited for, to be called then."))

(defvar agent-q-fs-caller nil
  "Who waits for the call of a tool that is being made.
Nil stands for whoever called it here, who can quit.")

(defun agent-q-fs-caller-check (caller)
  "Quit if CALLER, which may be nil, is gone."
  (when (and caller (agent-q-fs-caller-gone caller))
    (signal 'quit nil)))

(defun agent-q-fs-caller-leave (caller)
  "Have CALLER be gone, and what it waits for ended."
  (setf (agent-q-fs-caller-gone caller) t)
  (mapc #'funcall (agent-q-fs-caller-ends caller)))

(defun agent-q-fs-caller-wait (predicate &optional end)
  "Wait until PREDICATE, a function, returns non-nil; quit if the caller is gone.
END, a function, is called when it goes, which may be long before this
can quit: other calls may be waiting further up the stack.  Emacs goes on
meanwhile."
  (let ((caller agent-q-fs-caller))
    (when (and caller end)
      (push end (agent-q-fs-caller-ends caller)))
    (unwind-protect
        (while (not (funcall predicate))
          (agent-q-fs-caller-check caller)
          (accept-process-output nil 0.02))
      (when (and caller end)
        (setf (agent-q-fs-caller-ends caller) (delq end (agent-q-fs-caller-ends caller)))))))


;;;; Changes, and who wants to know of them

(defvar agent-q-fs-before-change-functions nil
  "Functions called when something is about to be changed.
Each is called with the workspace and a list of what is changed, the
targets.  A target is a property list:

:path       what is changed, as replies show paths: nothing in it is a link
:given      how the caller spelled that, where the path was an argument
:action     :write, :copy, :make (a directory), :move or :delete
:type       what is there now: :file, :directory, :symlink, :other, :missing
:protected  non-nil when the path is among those that are always asked about
:from       where a move or copy comes from

`agent-q-fs-path-name' makes file names of the paths.  A function
prevents the change by signalling an `agent-q-fs-error'.  It may change
files itself (save a buffer, say): the call is then planned again, and
the functions are called again.")

(defvar agent-q-fs-change-shown nil
  "The preview of the change that `agent-q-fs-before-change-functions' are told of.")

(defvar agent-q-fs-after-change-functions nil
  "Functions called when something was changed.
Each is called with the workspace, the same list of targets that
`agent-q-fs-before-change-functions' were called with, and the reply.
The reply is an error's data where the change is done but the disk did
not confirm it, and nil where the call was interrupted: perhaps nothing
was changed then.  Errors of these functions are only warned of.")

(defvar agent-q-fs-after-read-functions nil
  "Functions called when something was read.
Each is called with the workspace, the operation, its arguments and the
reply, whose members it may change with `plist-put'.  Of a model's call
it has what the model is shown as :text, not again as :content.")

(defvar agent-q-fs--changing nil
  "Hash table of the names of the operations that change something.")

(defun agent-q-fs--changes-p (operation)
  "Non-nil when OPERATION changes something."
  (unless agent-q-fs--changing
    (let ((names (make-hash-table :test 'equal)))
      (dolist (op (agent-q-fs-operations))
        (unless (eq :safe (plist-get op :tier))
          (puthash (plist-get op :name) t names)))
      (setq agent-q-fs--changing names)))
  (gethash (if (symbolp operation) (symbol-name operation) operation)
           agent-q-fs--changing))

(cl-defmethod agent-q-fs--transport-call ((workspace agent-q-fs-workspace)
                                          operation arguments how)
  "Have the core do OPERATION with ARGUMENTS in WORKSPACE as HOW says."
  (agent-q-fs--read (agent-q-fs--mod-call (agent-q-fs-workspace-handle workspace)
                                          operation arguments how)))

(defun agent-q-fs--watched-p (workspace operation how)
  "Non-nil when somebody wants to know what OPERATION changes in WORKSPACE.
HOW is how it is called."
  (and (or agent-q-fs-before-change-functions agent-q-fs-after-change-functions)
       (not (plist-get how :preview))
       (agent-q-fs--changes-p operation)
       (agent-q-fs--transport-watched-p workspace)))

(defun agent-q-fs--allowed-p (tier authority)
  "Non-nil when AUTHORITY, of a call, is enough for TIER, of a preview."
  (memq tier (pcase (format "%s" authority)
               ("dangerous" '(:safe :cautious :dangerous))
               ("cautious" '(:safe :cautious))
               (_ '(:safe)))))

(defun agent-q-fs--planning (how)
  "Return how to preview what is called as HOW says."
  (list :authority (plist-get how :authority) :digest (plist-get how :digest) :preview t))

(defun agent-q-fs--admit (workspace shown how)
  "Return how to commit in WORKSPACE what was SHOWN, having told who listens.
HOW is how it was called.  What must be refused is committed in a way
that the core refuses, without telling anybody."
  (let ((digest (plist-get how :digest)))
    (cond
     ((not (agent-q-fs--allowed-p (plist-get shown :tier) (plist-get how :authority)))
      '(:authority safe))
     ((and digest (not (equal digest (plist-get shown :digest))))
      '(:authority dangerous :digest ""))
     (t
      (let ((agent-q-fs-change-shown shown))
        (run-hook-with-args 'agent-q-fs-before-change-functions
                            workspace (plist-get shown :targets)))
      (list :authority (plist-get how :authority) :digest (plist-get shown :digest))))))

(defun agent-q-fs--changed (workspace targets reply)
  "Tell who listens that TARGETS were changed in WORKSPACE, the answer being REPLY."
  (run-hook-wrapped
   'agent-q-fs-after-change-functions
   (lambda (function)
     (condition-case problem
         (funcall function workspace targets reply)
       ;; The change is done: this call did not fail.
       ((error quit)
        (display-warning 'agent-q-fs (format "%s, after a change: %s" function
                                             (error-message-string problem)))))
     nil)))

(defconst agent-q-fs--tries 3
  "How often a change is planned that is another one when it is to be done.")

(defun agent-q-fs--change (workspace operation arguments how)
  "Call OPERATION, which changes something, and tell who listens.
WORKSPACE, ARGUMENTS and HOW are as for `agent-q-fs--call'."
  (let ((tries agent-q-fs--tries)
        reply)
    (while (not reply)
      (let* ((shown (agent-q-fs--transport-call workspace operation arguments
                                                (agent-q-fs--planning how)))
             (targets (plist-get shown :targets))
             (admitted (agent-q-fs--admit workspace shown how)))
        (condition-case problem
            (progn
              (setq reply (agent-q-fs--transport-call workspace operation arguments admitted))
              (agent-q-fs--changed workspace targets reply))
          (agent-q-fs-stale
           ;; Where no approval was given, what was planned anew is as good.
           (when (or (plist-get how :digest) (zerop (setq tries (1- tries))))
             (signal (car problem) (cdr problem))))
          ((agent-q-fs-durability-unknown quit)
           (agent-q-fs--changed workspace targets (cdr problem))
           (signal (car problem) (cdr problem))))))
    reply))

(defun agent-q-fs--unquote (path)
  "Return the bytes that PATH, in double quotes as git has them, stands for."
  (let ((case-fold-search nil))
    (replace-regexp-in-string
     "\\\\\\([0-7]\\{3\\}\\|.\\)"
     (lambda (escape)
       (let ((character (aref escape 1)))
         (if (<= ?0 character ?7)
             (unibyte-string (string-to-number (substring escape 1) 8))
           (string (or (cdr (assq character '((?a . ?\a) (?b . ?\b) (?f . ?\f) (?n . ?\n)
                                              (?r . ?\r) (?t . ?\t) (?v . ?\v))))
                       character)))))
     (substring (encode-coding-string path 'utf-8-unix) 1 -1) t t)))

(defun agent-q-fs--file-name (path)
  "Return PATH, as replies show it, as Emacs has file names."
  (decode-coding-string (if (string-prefix-p "\"" path)
                            (agent-q-fs--unquote path)
                          (encode-coding-string path 'utf-8-unix))
                        (or file-name-coding-system default-file-name-coding-system
                            'utf-8-unix)))

(defun agent-q-fs-path-name (workspace path)
  "Return the absolute file name of PATH, as replies show it, in WORKSPACE.
No character of PATH is special in it: use it with `file-name-handler-alist'
bound to nil."
  (let ((name (agent-q-fs--file-name path))
        (root (agent-q-fs--file-name (agent-q-fs-workspace-root workspace))))
    (cond ((string-prefix-p "/" name) name)
          ((equal name ".") (directory-file-name root))
          (t (concat root name)))))


;;;; Calls

(defvar agent-q-fs-event-functions '(agent-q-fs-audit-record)
  "Functions called with an event when a call starts and when it ends.
An event is a property list; see the Commentary of agent-q-fs-audit.el.")

(defvar agent-q-fs--told nil
  "The HOW of the call whose events its caller emits; t for any.")

(defun agent-q-fs--tell (workspace operation arguments how call)
  "Return what the function CALL returns, emitting events around it.
It calls OPERATION with ARGUMENTS in WORKSPACE as HOW says."
  (if (or (null agent-q-fs-event-functions) (memq agent-q-fs--told (list t how)))
      (funcall call)
    (agent-q-fs-audit-around workspace operation arguments how call)))

(defun agent-q-fs--perform (workspace operation arguments how)
  "Call OPERATION, telling who listens, and return its reply.
WORKSPACE, ARGUMENTS and HOW are as for `agent-q-fs--call'."
  (if (agent-q-fs--watched-p workspace operation how)
      (agent-q-fs--change workspace operation arguments how)
    (let ((reply (agent-q-fs--transport-call workspace operation arguments how)))
      (with-demoted-errors "agent-q-fs: error after a read: %S"
        (run-hook-with-args 'agent-q-fs-after-read-functions
                            workspace operation arguments reply))
      reply)))

(defun agent-q-fs--call (workspace operation arguments how)
  "Call OPERATION with ARGUMENTS in WORKSPACE, and return its reply.
HOW is a property list of :authority, :digest and :preview."
  (let ((workspace (agent-q-fs--workspace workspace)))
    (agent-q-fs--tell workspace operation arguments how
                      (lambda () (agent-q-fs--perform workspace operation arguments how)))))

;;;###autoload
(defun agent-q-fs-call (workspace operation &rest arguments)
  "Call OPERATION in WORKSPACE with ARGUMENTS, and return its reply.
WORKSPACE may be nil for the current one.  OPERATION is a symbol or a
string, as `agent-q-fs-operations' has them.  ARGUMENTS is a property
list with the operation's parameters, spelled with underscores or
hyphens; `:false' is false, as nil is, and `:null' is as if it were not
there.  The reply is a property list too.

Signal an `agent-q-fs-error' when the call fails.  What changes something
is done as far as `agent-q-fs-authority' goes."
  (agent-q-fs--call workspace operation arguments
                    (list :authority agent-q-fs-authority)))

;;;###autoload
(defun agent-q-fs-preview (workspace operation &rest arguments)
  "Return what OPERATION with ARGUMENTS would do in WORKSPACE, and do nothing.
The reply has :tier, :summary, :targets, :diff and :digest; see
`agent-q-fs-commit'."
  (agent-q-fs--call workspace operation arguments '(:preview t)))

;;;###autoload
(defun agent-q-fs-commit (workspace digest operation &rest arguments)
  "Do in WORKSPACE what a preview with this DIGEST showed for OPERATION.
ARGUMENTS are those that were previewed.  Where anything would now be
done differently, signal `agent-q-fs-stale' and do nothing.

That somebody approved of it is for the caller to know: this has all
authority."
  (unless (stringp digest) ; without one, nothing would be compared
    (agent-q-fs--fail :invalid-argument "digest: expected that of a preview"))
  (agent-q-fs--call workspace operation arguments
                    (list :authority 'dangerous :digest digest)))

(autoload 'agent-q-fs-call-async "agent-q-fs-job")
(autoload 'agent-q-fs-job-wait "agent-q-fs-job")
(autoload 'agent-q-fs-call-tool "agent-q-fs-tools")
(autoload 'agent-q-fs-call-tool-async "agent-q-fs-tools")
(autoload 'agent-q-fs-define-tool "agent-q-fs-tools")
(autoload 'agent-q-fs-tool-specs "agent-q-fs-spec")
(autoload 'agent-q-fs-guidance "agent-q-fs-spec")
(autoload 'agent-q-fs-gptel-setup "agent-q-fs-spec" nil t)
(autoload 'agent-q-fs-approvals "agent-q-fs-approve" nil t)
(autoload 'agent-q-fs-log "agent-q-fs-log" nil t)
(autoload 'agent-q-fs-sessions "agent-q-fs-exec-session" nil t)
(autoload 'agent-q-fs "agent-q-fs-ui" nil t)
(autoload 'agent-q-fs-project "agent-q-fs-ui" nil t)
(autoload 'agent-q-fs-project-setup "agent-q-fs-ui" nil t)
(autoload 'agent-q-fs-show-root "agent-q-fs-ui" nil t)
(autoload 'agent-q-fs-set-root "agent-q-fs-ui" nil t)
(autoload 'agent-q-fs-tree "agent-q-fs-tree" nil t)
(autoload 'agent-q-fs-find "agent-q-fs-find" nil t)
(autoload 'agent-q-fs-grep "agent-q-fs-grep" nil t)
(autoload 'agent-q-fs-view "agent-q-fs-find" nil t)
(autoload 'agent-q-fs-snapshot-now "agent-q-fs-snapshots" nil t)
(autoload 'agent-q-fs-snapshots "agent-q-fs-snapshots" nil t)
(autoload 'agent-q-fs-str-replace "agent-q-fs-change" nil t)
(autoload 'agent-q-fs-undo "agent-q-fs-snapshots" nil t)
(autoload 'agent-q-fs-insert "agent-q-fs-change" nil t)
(autoload 'agent-q-fs-create "agent-q-fs-change" nil t)
(autoload 'agent-q-fs-move "agent-q-fs-change" nil t)
(autoload 'agent-q-fs-delete "agent-q-fs-change" nil t)
(autoload 'agent-q-fs-apply-patch-here "agent-q-fs-change" nil t)
(autoload 'agent-q-fs-mode-line-mode "agent-q-fs-log" nil t)
(autoload 'agent-q-fs-rpc "agent-q-fs-rpc")
(autoload 'agent-q-fs-sly-setup "agent-q-fs-sly" nil t)
(autoload 'agent-q-fs-sly-set-project-root "agent-q-fs-sly" nil t)
(autoload 'agent-q-fs-sly-use-project "agent-q-fs-sly" nil t)
(autoload 'agent-q-fs-audit-around "agent-q-fs-audit")
(autoload 'agent-q-fs-audit-callbacks "agent-q-fs-audit")
(autoload 'agent-q-fs-audit-record "agent-q-fs-audit")

(defun agent-q-fs--decode-content (reply)
  "Return REPLY with the bytes of its content as a unibyte string."
  (plist-put reply :content (base64-decode-string (plist-get reply :content))))

(defun agent-q-fs-operations ()
  "Return the table of operations.
Each is a property list (:name :tier :slow :doc :params), and so is each
of its parameters (:name :type :required :default :least :most :choices
:doc); the default is JSON text."
  (agent-q-fs-module-load)
  (agent-q-fs--read (agent-q-fs--mod-operations)))

;;;###autoload
(defun agent-q-fs-version (&optional here)
  "Return the versions of the core, its interface and the libraries below it.
Interactively, show them; HERE, the prefix argument, inserts them."
  (interactive "P")
  (agent-q-fs-module-load)
  (let* ((facts (agent-q-fs--read (agent-q-fs--mod-version)))
         (words (format "agent-q-fs %s (ABI %s) with pcre2 %s, libmagic %s, \
libgit2 %s, jansson %s; Emacs %s"
                        (plist-get facts :version) (plist-get facts :abi)
                        (plist-get facts :pcre2) (plist-get facts :libmagic)
                        (plist-get facts :libgit2) (plist-get facts :jansson)
                        emacs-version)))
    (cond (here (insert words))
          ((called-interactively-p 'any) (message "%s" words)))
    words))

(provide 'agent-q-fs)

;; After `provide', because these are made of the functions above.
(require 'agent-q-fs-ops)
(require 'agent-q-fs-buffers)
;;; agent-q-fs.el ends here
