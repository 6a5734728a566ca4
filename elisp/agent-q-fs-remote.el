;;; agent-q-fs-remote.el --- Projects on other machines  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A workspace on another machine is an `agent-q-fs-workspace' whose calls go over a link
;; (agent-q-fs-remote-link.el) to `agent-q-fs serve' there.  The requests and replies are the same, so
;; all that is built upon calls needs to know nothing of it: hooks, requests, tools, undo.
;;
;; Its root is a name of TRAMP's, as /ssh:host:/project/, and the name of a file in it is one, too.
;; So nothing that the other machine answers becomes the name of a file of this one.  TRAMP starts
;; the program there and shows files to the person; no operation is done by TRAMP.

;;; Code:

(require 'agent-q-fs-exec-run)
(require 'agent-q-fs-job)
(require 'agent-q-fs-remote-life)
(require 'agent-q-fs-remote-link)
(require 'iso8601)

(declare-function agent-q-fs--mod-options "ext:agent-q-fs-module.so" (options))
(declare-function tramp-dissect-file-name "tramp" (name &optional nodefault))
(declare-function tramp-file-name-localname "tramp" (vec) t)
(declare-function tramp-flush-file-properties "tramp-cache" (key file))
(declare-function agent-q-fs--mod-request "ext:agent-q-fs-module.so" (operation arguments how))

(cl-defstruct (agent-q-fs-remote (:include agent-q-fs-workspace)
                                 (:constructor agent-q-fs-remote--make)
                                 (:copier nil))
  "A workspace on another machine.  See `agent-q-fs-open'."
  (link nil :read-only t :documentation "The connection to that machine.")
  (number nil :read-only t :documentation "What it is called there.")
  (request nil :read-only t :documentation "The options with which it is opened there, as JSON.")
  (plans nil :documentation "Plans that were answered, by digest, the latest first.")
  (trouble nil :documentation "An error's reply, when it could not be opened again."))


;;;; Opening

(defun agent-q-fs-remote--json (text)
  "Return TEXT, JSON of the module, in bytes; signal the error that it is."
  (if (string-prefix-p "{" text) (encode-coding-string text 'utf-8-unix)
    (agent-q-fs--read text)))

(defun agent-q-fs-remote--local (prefix value)
  "Return VALUE, of an option, with names below PREFIX as they are there.
A name of a third machine is an error."
  (cond ((stringp value)
         (cond ((string-prefix-p prefix value) (substring value (length prefix)))
               ((file-remote-p value)
                (agent-q-fs--fail :invalid-argument "%s is not on the machine %s" value prefix))
               (t value)))
        ((keywordp (car-safe value))
         (cl-loop for (name part) on value by #'cddr
                  append (list name (agent-q-fs-remote--local prefix part))))
        ((consp value) (mapcar (lambda (part) (agent-q-fs-remote--local prefix part)) value))
        (t value)))

(defun agent-q-fs-remote--options (prefix asked)
  "Return those options of ASKED that have a meaning on the machine with PREFIX."
  (cl-loop for (key value) on asked by #'cddr
           for name = (string-replace "-" "_" (string-remove-prefix ":" (format "%s" key)))
           when (and (equal name "backend") (not (member value '(nil host :host "host"))))
           do (agent-q-fs--fail :invalid-argument "backend: a project on another machine is a \
directory there: expected host")
           unless (member name agent-q-fs--scope-elsewhere)
           append (list key (agent-q-fs-remote--local prefix value))))

(defun agent-q-fs-remote--await-up (link)
  "Wait until the server of LINK has said hello, or signal why it has not."
  (unwind-protect
      (progn
        (agent-q-fs-link-start link)
        (while (eq 'starting (agent-q-fs-link-state link))
          (accept-process-output (agent-q-fs-link-process link) 1)
          (agent-q-fs-link-tick-now link))
        (when (eq 'down (agent-q-fs-link-state link))
          (agent-q-fs--check (agent-q-fs-link-trouble link))))
    (unless (eq 'up (agent-q-fs-link-state link))
      (agent-q-fs-link-close-idle link))))

(defun agent-q-fs-remote--directory (link local)
  "Return LOCAL, the name of a directory on the machine of LINK, in full."
  (let ((home (agent-q-fs-remote--there link "home"))
        (local (file-name-unquote local)))
    (cond
     ((string-prefix-p "/" local) local)
     ((string-match "\\`\\(?:~?\\'\\|~/\\)" local)
      (concat (file-name-as-directory
               (or home (agent-q-fs--fail :invalid-argument "root: the home directory there is \
not known: give the name in full")))
              (substring local (match-end 0))))
     (t (agent-q-fs--fail :invalid-argument "root: expected a name in full, got %s" local)))))

(defun agent-q-fs-remote--there (link name)
  "Return the directory NAME, such as home, on the machine of LINK, or nil."
  (let ((value (agent-q-fs-link-fact link name 'string)))
    (and value (string-match-p "\\`/[^\0-\x1f\x7f-\x9f]*\\'" value) value)))

(defun agent-q-fs-remote--facts (link reply)
  "Return the facts of a workspace of LINK, which REPLY to open tells.
Its root becomes a name of TRAMP's."
  (let ((root (plist-get reply :root)))
    (unless (and (string-prefix-p "/" root) (string-suffix-p "/" root))
      (agent-q-fs--fail :invalid-argument "root: %s has characters that no remote name can have"
                        (agent-q-fs-show-visible root t)))
    (append (list :root (concat (agent-q-fs-link-prefix link) root)
                  :prefix (agent-q-fs-link-prefix link)
                  :far-home (agent-q-fs-remote--there link "home"))
            reply)))

;;;###autoload
(defun agent-q-fs-remote-open (directory given asked isolation)
  "Open the project DIRECTORY, a remote name, and return its workspace.
GIVEN: it is the root itself, and not a directory in the project.
It was ASKED for with these options, and ISOLATION of its commands."
  (let* ((prefix (file-remote-p directory))
         (options (agent-q-fs-remote--options prefix asked))
         (link (agent-q-fs-link-to prefix)))
    (agent-q-fs-remote--await-up link)
    (let* ((local (agent-q-fs-remote--directory link (substring directory (length prefix))))
           (number (cl-incf (agent-q-fs-link-last-number link)))
           (request (agent-q-fs-remote--json
                     (agent-q-fs--mod-options
                      (append (if given (list :root local) (list :start local :cwd local))
                              options
                              (list :home (agent-q-fs-remote--there link "home")
                                    :state_dir (agent-q-fs-remote--there link "state_dir"))))))
           (reply (agent-q-fs-remote--open-there link number request))
           (workspace (agent-q-fs-remote--make
                       :facts (agent-q-fs-remote--facts link reply) :options asked
                       :isolation isolation :link link :number number :request request)))
      (agent-q-fs--workspace-number workspace)
      (puthash number workspace (agent-q-fs-link-workspaces link))
      (push number (agent-q-fs-link-open link))
      workspace)))

(defun agent-q-fs-remote-opened (root)
  "Return the workspace with ROOT, a remote name, that is open, or nil.
Its machine is connected, so that another one there connects to nothing."
  (seq-find (lambda (workspace)
              (and (agent-q-fs-remote-p workspace)
                   (equal (file-name-as-directory root) (agent-q-fs-workspace-root workspace))
                   (eq 'up (agent-q-fs-link-state (agent-q-fs-remote-link workspace)))))
            (hash-table-keys agent-q-fs--workspaces)))

(defun agent-q-fs-remote-open-beside (workspace options)
  "Open the root of WORKSPACE once more, with OPTIONS and what it was opened with.
Where both have an option, that of OPTIONS counts."
  (apply #'agent-q-fs-open
         (agent-q-fs--merge-options (list :root (agent-q-fs-workspace-root workspace))
                                    options (agent-q-fs-workspace-options workspace))))

(defun agent-q-fs-remote--ask-open (link number request then)
  "Have the server of LINK open its workspace NUMBER by REQUEST; return the asks.
THEN is called with the reply.  Beside what it says, it has the :identity
of the root: what another directory in its place would not have."
  (let* (reply root
         (take (lambda ()
                 (when (and reply root)
                   (funcall then (cond ((plist-get reply :error) reply)
                                       ((eq :disconnected (plist-get root :error)) root)
                                       (t (append reply (list :identity
                                                              (list (plist-get root :created)))))))))))
    (list (agent-q-fs-link-ask link "open" number request
                               :members (agent-q-fs-remote-data-known "open")
                               :then (lambda (answer) (setq reply answer) (funcall take)))
          ;; It waits there until the workspace is open: both take one round trip.
          (agent-q-fs-link-ask link "call" number
                               "{\"op\":\"get_file_info\",\"args\":{\"path\":\".\"}}"
                               :members (agent-q-fs-remote-data-members 'get_file_info)
                               :then (lambda (answer) (setq root answer) (funcall take))))))

(defun agent-q-fs-remote--open-there (link number request)
  "Open the workspace NUMBER by REQUEST on the machine of LINK; return the reply."
  (let (reply)
    (mapc #'agent-q-fs-link-wait
          (agent-q-fs-remote--ask-open link number request (lambda (answer) (setq reply answer))))
    (agent-q-fs--check reply)))

(defun agent-q-fs-remote--open-again (workspace)
  "Have the new server of the link of WORKSPACE open it."
  (let ((link (agent-q-fs-remote-link workspace)) (number (agent-q-fs-remote-number workspace)))
    (push number (agent-q-fs-link-open link))
    (agent-q-fs-remote--ask-open
     link number (agent-q-fs-remote-request workspace)
     (lambda (reply) (agent-q-fs-remote--opened-again workspace reply)))))

(defun agent-q-fs-remote--same-root-p (workspace reply)
  "Return non-nil if REPLY to open is of the directory that WORKSPACE is in."
  (let ((was (plist-get (agent-q-fs-workspace-facts workspace) :identity))
        (is (plist-get reply :identity)))
    (and (equal (agent-q-fs-workspace-root workspace)
                (concat (agent-q-fs-workspace-prefix workspace) (plist-get reply :root)))
         ;; Some file systems do not tell.
         (or (member '(nil) (list was is)) (equal was is)))))

(defun agent-q-fs-remote--opened-again (workspace reply)
  "Note that WORKSPACE was opened again with REPLY."
  (let ((link (agent-q-fs-remote-link workspace)))
    (setf (agent-q-fs-remote-trouble workspace)
          ;; Where the connection was lost again, it is opened when there is another one.
          (cond ((eq :disconnected (plist-get reply :error)) nil)
                ((plist-get reply :error) reply)
                ((not (agent-q-fs-remote--same-root-p workspace reply))
                 (agent-q-fs--error-reply :root-moved "After connecting again, %s is another \
project: open it anew" (agent-q-fs-workspace-root workspace)))))
    (when (agent-q-fs-remote-trouble workspace)
      (setf (agent-q-fs-link-open link)
            (delq (agent-q-fs-remote-number workspace) (agent-q-fs-link-open link))))))

(cl-defmethod agent-q-fs--transport-close ((workspace agent-q-fs-remote))
  "Close WORKSPACE on its machine, and the connection if it was the last one."
  (agent-q-fs-link-forget (agent-q-fs-remote-link workspace) (agent-q-fs-remote-number workspace)))

(cl-defmethod agent-q-fs--transport-reset ((workspace agent-q-fs-remote))
  "Signal that WORKSPACE cannot be reset: it is a directory."
  (agent-q-fs--fail :invalid-argument "%s is a directory, which is not reset"
                    (agent-q-fs-workspace-root workspace)))


;;;; Plans

;; A plan that was approved is asked for once more before its commit, because a listener may
;; save a buffer, and must not do that for an approval that is stale.  That would be a third round
;; trip.  Where no listener changes anything, it makes no difference when the server looks whether the
;; plan holds, and it looks in the commit: by digest, identity and hash.  So what was shown here is
;; taken for the plan, and the server gets the digest alone.

(defconst agent-q-fs-remote--plans 32
  "How many plans are known in a workspace, as many as its server keeps.")

(defconst agent-q-fs-remote--targets 1000
  "The most targets of a plan that is known.")

(defun agent-q-fs-remote--keep-plan (workspace plan)
  "Know PLAN, an answer of the server of WORKSPACE, by its digest."
  (when (and (plist-get plan :digest)
             (length< (plist-get plan :targets) agent-q-fs-remote--targets))
    (let ((digest (plist-get plan :digest)))
      (setf (agent-q-fs-remote-plans workspace)
            (seq-take (cons (cl-loop for key in '(:digest :tier :summary :targets)
                                     append (list key (plist-get plan key)))
                            (seq-remove (lambda (other) (equal digest (plist-get other :digest)))
                                        (agent-q-fs-remote-plans workspace)))
                      agent-q-fs-remote--plans)))))

(defun agent-q-fs-remote--listeners-only-look-p (workspace targets)
  "Return non-nil if no listener to changes changes anything itself.
The change is of TARGETS in WORKSPACE."
  (and (seq-every-p (lambda (listener)
                      (and (symbolp listener)
                           (or (eq t listener) (get listener 'agent-q-fs-only-looks))))
                    (append agent-q-fs-before-change-functions
                            (default-value 'agent-q-fs-before-change-functions)))
       (not (seq-some (lambda (tie) (buffer-modified-p (agent-q-fs-buffers--tie-buffer tie)))
                      (agent-q-fs-buffers--find workspace targets)))))

(defun agent-q-fs-remote--known-plan (workspace how)
  "Return the plan that HOW asks WORKSPACE for, if it need not be asked for."
  (when (and (eq how agent-q-fs--before-commit) (plist-get how :digest))
    (let ((plan (seq-find (lambda (plan) (equal (plist-get how :digest) (plist-get plan :digest)))
                          (agent-q-fs-remote-plans workspace))))
      (and plan
           (agent-q-fs-remote--within-p (plist-get plan :tier) (plist-get how :authority))
           (agent-q-fs-remote--listeners-only-look-p workspace (plist-get plan :targets))
           (append '(:allowed t) plan)))))


;;;; Calls

(defun agent-q-fs-remote--within-p (tier authority)
  "Return non-nil if AUTHORITY is enough for TIER.
Either may be a symbol, a keyword or a string."
  (let ((place (lambda (word)
                 (seq-position '("safe" "cautious" "dangerous")
                               (string-remove-prefix ":" (format "%s" (or word 'safe)))))))
    (<= (funcall place tier) (or (funcall place authority) 0))))

(defun agent-q-fs-remote--named (workspace operation how)
  "Return HOW with names for a call of OPERATION in WORKSPACE, if it changes it.
By them the call is found among what was done, when the connection was lost."
  (if (or (eq 'plan (plist-get how :verb)) (not (agent-q-fs--changes-p operation))) how
    (let* ((link (agent-q-fs-remote-link workspace))
           (own (format "%s %d" (agent-q-fs-link-client link) (agent-q-fs-link-last-id link))))
      (append (list :call (or (plist-get how :call) own)
                    :caller (or (plist-get how :caller) "emacs"))
              how))))

(defun agent-q-fs-remote--plain-how (how)
  "Return HOW, each key once, the first one counting."
  (let (plain)
    (cl-loop for (key value) on how by #'cddr
             unless (plist-member plain key) do (setq plain (append plain (list key value))))
    plain))

(defun agent-q-fs-remote--without (prefix value)
  "Return VALUE, a path or several, without PREFIX."
  (cond ((stringp value) (string-remove-prefix prefix value))
        ((vectorp value) (vconcat (agent-q-fs-remote--without prefix (append value nil))))
        ((proper-list-p value)
         (mapcar (lambda (one) (agent-q-fs-remote--without prefix one)) value))
        (t value)))

(defun agent-q-fs-remote--arguments (workspace operation arguments)
  "Return ARGUMENTS of OPERATION, its paths as WORKSPACE's machine has them."
  (let ((prefix (agent-q-fs-workspace-prefix workspace))
        (paths (cl-loop for param in (plist-get (agent-q-fs--operation operation) :params)
                        for name = (plist-get param :name)
                        when (or (eq :path (plist-get param :type)) (equal "paths" name))
                        collect name)))
    (if (not (proper-list-p arguments)) arguments
      (cl-loop for (key value) on arguments by #'cddr
               for name = (string-replace "-" "_" (string-remove-prefix ":" (format "%s" key)))
               append (list key (if (member name paths) (agent-q-fs-remote--without prefix value)
                                  value))))))

(defun agent-q-fs-remote--check-plan (operation)
  "Return a function that signals that a plan of OPERATION is a lie.
It is one if its tier is below the least one that the operation has here."
  (lambda (plan)
    (unless (agent-q-fs-remote--within-p (plist-get (agent-q-fs--operation operation) :tier)
                                         (plist-get plan :tier))
      (agent-q-fs-remote-data-lie "a plan whose tier is too low"))))

(defun agent-q-fs-remote--ask (workspace operation arguments how then &optional on-item)
  "Have OPERATION with ARGUMENTS called in WORKSPACE as HOW says; return the ask.
THEN is called with the reply, and ON-ITEM with what comes before it."
  (let* ((trouble (agent-q-fs-remote-trouble workspace))
         (link (agent-q-fs-remote-link workspace))
         (how (agent-q-fs-remote--plain-how (agent-q-fs-remote--named workspace operation how)))
         (plans (eq 'plan (plist-get how :verb)))
         (request (lambda (how)
                    (agent-q-fs-remote--json
                     (agent-q-fs--mod-request
                      operation (agent-q-fs-remote--arguments workspace operation arguments) how))))
         (payload (funcall request how)))
    (unless (gethash workspace agent-q-fs--workspaces)
      (agent-q-fs--fail :invalid-argument "The workspace is closed"))
    (when trouble
      (agent-q-fs--check trouble))
    (agent-q-fs-link-ask link (if on-item "stream" "call") (agent-q-fs-remote-number workspace)
                         payload
                         :members (agent-q-fs-remote-data-members operation (plist-get how :verb))
                         :check (and plans (agent-q-fs-remote--check-plan operation))
                         :then (if (not plans) then
                                 (lambda (reply)
                                   (agent-q-fs-remote--keep-plan workspace reply)
                                   (funcall then reply)))
                         :on-item on-item
                         :change (and (plist-get how :call) (not plans)
                                      (agent-q-fs--changes-p operation)
                                      (list (format "%s" operation) (plist-get how :call)
                                            (plist-get how :caller)))
                         :digest (plist-get how :digest)
                         :again (lambda ()
                                  (funcall request (list :verb 'plan :words t :authority 'safe
                                                         :origin (plist-get how :origin)))))))

(cl-defmethod agent-q-fs--transport-call ((workspace agent-q-fs-remote) operation arguments how)
  "Have OPERATION with ARGUMENTS done in WORKSPACE as HOW says, and wait for it."
  (or (agent-q-fs-remote--known-plan workspace how)
      (let (reply)
        (agent-q-fs-link-wait
         (agent-q-fs-remote--ask workspace operation arguments how
                                 (lambda (answer) (setq reply answer))))
        (agent-q-fs--check reply))))

(cl-defmethod agent-q-fs--transport-start ((workspace agent-q-fs-remote)
                                           job operation arguments how then)
  "Have JOB call OPERATION with ARGUMENTS in WORKSPACE as HOW says.
THEN is called with the reply."
  (let ((changes (and (agent-q-fs-job-on-progress job) (agent-q-fs--changes-p operation)))
        (plan (agent-q-fs-remote--known-plan workspace how)))
    (if plan
        (run-with-timer 0 nil then plan) ; a caller does not expect the end of a job at its start
      (setf (agent-q-fs-job-handle job)
            (agent-q-fs-remote--ask
             workspace operation arguments how then
             (and (if (plist-get how :verb) changes (or changes (agent-q-fs-job-on-items job)))
                  (lambda (item) (agent-q-fs-remote--take-item job item))))))))

(defun agent-q-fs-remote--take-item (job item)
  "Tell the listeners of JOB of ITEM, which came before its reply."
  (when (eq 'running (agent-q-fs-job-state job))
    (pcase item
      (`(:items ,items) (agent-q-fs-job--tell (agent-q-fs-job-on-items job) items))
      (`(:progress ,n) (agent-q-fs-job--tell (agent-q-fs-job-on-progress job) n)))))

(cl-defmethod agent-q-fs--transport-cancel ((_workspace agent-q-fs-remote) job)
  "Have the other machine end what JOB asked."
  (agent-q-fs-link-cancel (agent-q-fs-job-handle job) (not (agent-q-fs-job-commits job))))



;;;; Commands

;; The server there starts agent-q-fs-run and hands its records on.  The runner kills the command when
;; the server or the connection ends, as it does here when Emacs ends.

(cl-defmethod agent-q-fs-exec-run--begin-runner ((workspace agent-q-fs-remote) run name)
  "Have the server of WORKSPACE start the runner of RUN in the directory NAME."
  (let* ((local (substring name (length (agent-q-fs-workspace-prefix workspace))))
         (names (encode-coding-string
                 (mapconcat (lambda (name) (concat name "\n"))
                            (default-value 'agent-q-fs-exec-environment) "")
                 'utf-8-unix)))
    (setf (agent-q-fs-exec-run-process run)
          (agent-q-fs-link-ask
           (agent-q-fs-remote-link workspace) "run" (length names)
           (concat names (agent-q-fs-exec-run--request run local t))
           :raw t
           :on-item (lambda (bytes)
                      (unless (agent-q-fs-exec-run-ended run)
                        (agent-q-fs-exec-run--take-records run bytes)))
           :then (lambda (reply) (agent-q-fs-remote--runner-ended run reply))))))

(defun agent-q-fs-remote--runner-ended (run reply)
  "Take note that the runner of RUN is no more; REPLY is nil or an error's."
  (unless (agent-q-fs-exec-run-ended run)
    (agent-q-fs-exec-run--fail
     run
     (cond
      ((null reply)
       (agent-q-fs--error-reply :command-failed "The program that runs commands was ended there, \
and with it the command and all that it had started"))
      ((eq :unknown (plist-get reply :outcome))
       (agent-q-fs--error-reply (plist-get reply :error) "%s.  The command is ended there, with \
all that it had started; what it has done stays" (plist-get reply :message)))
      (t reply)))))

(cl-defmethod agent-q-fs-exec-run--awaited ((ask agent-q-fs-link-ask))
  "Return the process of the link of ASK, unless ASK is answered."
  (and (eq 'waiting (agent-q-fs-link-ask-state ask))
       (agent-q-fs-link-process (agent-q-fs-link-ask-link ask))))

(cl-defmethod agent-q-fs-exec-run--write ((ask agent-q-fs-link-ask) bytes)
  "Send BYTES, records, to the runner that ASK is of."
  (agent-q-fs-link-input ask 0 bytes))

(cl-defmethod agent-q-fs-exec-run--ask-to-end ((ask agent-q-fs-link-ask))
  "Have the command of ASK asked to end."
  (agent-q-fs-link-input ask 1 ""))

(cl-defmethod agent-q-fs-exec-run--kill ((ask agent-q-fs-link-ask))
  "Have the command of ASK killed."
  (agent-q-fs-link-input ask 0 ""))

(cl-defmethod agent-q-fs-exec-run--drop ((ask agent-q-fs-link-ask))
  "Want nothing of ASK any more: its command is killed."
  (agent-q-fs-link-cancel ask t))


;;;; Buffers that visit its files

(defun agent-q-fs-remote--file-argument (workspace file)
  "Return FILE, a remote name on the machine of WORKSPACE, as arguments of a call."
  (list :path (substring file (length (agent-q-fs-workspace-prefix workspace)))))

(cl-defmethod agent-q-fs--transport-there-p ((workspace agent-q-fs-remote) file)
  "Return non-nil if FILE is there, on the machine of WORKSPACE.
Where that cannot be asked, it is taken to be there: then no buffer is closed."
  (condition-case nil
      (plist-get (agent-q-fs--transport-call
                  workspace 'file_exists (agent-q-fs-remote--file-argument workspace file)
                  '(:authority safe))
                 :exists)
    (agent-q-fs-error t)))

(cl-defmethod agent-q-fs--transport-refresh ((workspace agent-q-fs-remote) buffer)
  "Have BUFFER show what its file, on the machine of WORKSPACE, has now.
That is a moment later where Emacs is just taking what came from there."
  (let* ((argument (agent-q-fs-remote--file-argument workspace
                                                     (agent-q-fs-refresh-plain-name buffer)))
         (safe '(:authority safe))
         second
         (first
          ;; The time first: a text that is newer than its time is only compared once more.
          (agent-q-fs-remote--ask
           workspace 'get_file_info argument safe
           (lambda (info)
             (setq second (agent-q-fs-remote--ask
                           workspace 'read_bytes argument safe
                           (lambda (reply) (agent-q-fs-remote--show buffer info reply))))))))
    (unless agent-q-fs-link-inside
      (agent-q-fs-link-wait first)
      (when second (agent-q-fs-link-wait second)))))

(defun agent-q-fs-remote--show (buffer info reply)
  "Have BUFFER show the bytes of REPLY, of its file that INFO is about."
  (unless (or (plist-get info :error) (plist-get reply :error)
              (plist-get reply :truncated) (not (buffer-live-p buffer)))
    (agent-q-fs-remote--forget-cached (buffer-file-name buffer))
    (agent-q-fs-refresh buffer (base64-decode-string (plist-get reply :content))
                        (time-convert (encode-time (iso8601-parse (plist-get info :modified) t)) 'list))))

(defun agent-q-fs-remote--forget-cached (file)
  "Have TRAMP forget what it knows about FILE, a remote name."
  (when (featurep 'tramp)
    (ignore-errors
      (let ((name (tramp-dissect-file-name file)))
        (tramp-flush-file-properties name (tramp-file-name-localname name))))))

(defun agent-q-fs-remote--after-change (workspace targets _reply)
  "Have TRAMP forget what it knows about TARGETS, changed in WORKSPACE."
  (when (agent-q-fs-remote-p workspace)
    (dolist (target targets)
      (dolist (path (delq nil (list (plist-get target :path) (plist-get target :from))))
        (agent-q-fs-remote--forget-cached (agent-q-fs-path-name workspace path))))))

(add-hook 'agent-q-fs-after-change-functions #'agent-q-fs-remote--after-change)

(provide 'agent-q-fs-remote)
;;; agent-q-fs-remote.el ends here
