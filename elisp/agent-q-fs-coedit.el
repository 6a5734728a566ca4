;;; agent-q-fs-coedit.el --- Files are read and edited in their buffers  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; With `agent-q-fs-unsaved' = `buffer', the unsaved text of a buffer stands for its file:
;; it is read, searched and edited, and the file on disk is left alone.
;;
;; The core defines edits, exact texts, diffs and versions.  So the buffer's text becomes
;; a file in a workspace in memory, encoded as it
;; would be saved, the core does the call there, and the result goes back into the buffer
;; as one step of undo.  Whether the call may be made is judged where the file really is:
;; the core plans an insertion there, which is never done, and its tier, risks and
;; rules count.  A buffer is searched and edited only where the core would show its file to
;; this very caller unasked; the text of a secret leaves it only by a read that was approved.
;;
;; Deleting, moving and what also touches other files is refused as ever.

;;; Code:

(require 'agent-q-fs-buffers)
(require 'cl-lib)
(require 'seq)

(declare-function agent-q-fs--check "agent-q-fs-workspace" (reply))
(declare-function agent-q-fs--refusal "agent-q-fs" (plan how))
(declare-function agent-q-fs--transport-call "agent-q-fs-workspace"
                  (workspace operation arguments how))
(declare-function agent-q-fs-close "agent-q-fs-workspace" (workspace))
(declare-function agent-q-fs-open "agent-q-fs-workspace" (&rest options))
(declare-function agent-q-fs-path-name "agent-q-fs-workspace" (workspace path))
(declare-function agent-q-fs-workspace-facts "agent-q-fs-workspace" (workspace) t)

(defvar agent-q-fs-after-read-functions)
(defvar agent-q-fs-read-origin)

(defconst agent-q-fs-coedit--of-a-path
  '("edit_file" "edit_form" "insert_at_line" "create_file" "write_file")
  "Operations that change the text of the file that their argument path names.")

(defconst agent-q-fs-coedit--of-a-patch '("apply_patch" "apply_patch_freeform")
  "Operations that change the texts of files that a patch names.")

;;;; Buffers that a caller may see

(defun agent-q-fs-coedit--unbarred-p (workspace path origin)
  "Non-nil if WORKSPACE shows ORIGIN the bytes of PATH, and nobody is asked for it."
  (ignore-errors
    (agent-q-fs--transport-call workspace 'read_bytes (list :path path :limit 1)
                                (list :authority 'safe :origin origin))))

(defun agent-q-fs-coedit-visible-p (workspace file)
  "Non-nil if WORKSPACE shows that there is FILE, a name in full."
  (let* ((root (file-name-as-directory (agent-q-fs-path-name workspace ".")))
         (reply (ignore-errors
                  (agent-q-fs--transport-call workspace 'file_exists
                                              (list :path (string-remove-prefix root file))
                                              (list :authority 'safe
                                                    :origin agent-q-fs-read-origin)))))
    (plist-get reply :exists)))

(defun agent-q-fs-coedit--plain-p (buffer)
  "Non-nil if the text of BUFFER is that of its file, which no program unpacks."
  (let ((file-name-handler-alist (default-toplevel-value 'file-name-handler-alist)))
    (and (not (agent-q-fs-refresh--archive buffer))
         (agent-q-fs-refresh-possible-p buffer))))


;;;; Which buffers a call is about

(defun agent-q-fs-coedit--canonical (workspace path)
  "Return PATH, an argument, as WORKSPACE shows it; nil if it is no file in it."
  (let ((facts (ignore-error agent-q-fs-error
                 (agent-q-fs--transport-call workspace 'get_file_info (list :path path)
                                             '(:authority safe)))))
    (and (eq :file (plist-get facts :type))
         (not (string-prefix-p "/" (plist-get facts :path)))
         (plist-get facts :path))))

(defun agent-q-fs-coedit--refuse (path buffer why &optional hint)
  "Signal that PATH cannot be used in BUFFER, with HINT.
WHY is the end of the sentence."
  (agent-q-fs-buffers--deny
   path (or hint "Ask for the buffer to be saved or its changes to be discarded, then try again")
   "Buffer %s has unsaved changes to %s%s" (agent-q-fs-buffers--label buffer) path why))

(defun agent-q-fs-coedit--buffer (workspace path change)
  "Return the buffer with unsaved changes to PATH of WORKSPACE, or nil.
A buffer that is not simply of this file, as one by way of sudo or one with
what a program unpacked, is none, and neither is one of several; a CHANGE is
refused then."
  (let* ((file-name-handler-alist nil)
         (file (agent-q-fs-path-name workspace path))
         (visits (seq-filter
                  (lambda (visit) (equal "" (agent-q-fs-buffers--rest visit file)))
                  (agent-q-fs-buffers--visits
                   (list file) t (file-name-as-directory (agent-q-fs-path-name workspace ".")))))
         (buffers (mapcar #'agent-q-fs-buffers--visit-buffer visits))
         (way (seq-some #'agent-q-fs-buffers--visit-way visits))
         (plain (seq-every-p #'agent-q-fs-coedit--plain-p buffers)))
    (cond ((and plain (not way) (not (cdr buffers))) (car buffers))
          (change
           (agent-q-fs-coedit--refuse
            path (car buffers)
            (cond (way (format ", which it visits by way of %s" way))
                  ((cdr buffers)
                   (format ", and so has buffer %s" (agent-q-fs-buffers--label (cadr buffers))))
                  (t ", and shows what a program unpacked")))))))

(defun agent-q-fs-coedit--patched (arguments)
  "Return the paths that the patch in ARGUMENTS edits, or nil if it does more."
  (let ((case-fold-search nil) (start 0) paths
        (text (or (agent-q-fs-buffers--argument arguments "patch")
                  (agent-q-fs-coedit--kept-patch arguments))))
    (when (and (stringp text)
               (not (string-match-p "^\\*\\*\\* \\(?:Add\\|Delete\\) File: \\|\
^\\*\\*\\* Move to: \\|^\\(?:---\\|\\+\\+\\+\\) /dev/null\\|^rename \\|^copy \\|^deleted \\|^new file "
                                         text)))
      (while (string-match "^\\(?:\\*\\*\\* Update File: \\|\\+\\+\\+ \\(?:b/\\)?\\)\\([^\t\r\n]+\\)"
                           text start)
        (push (match-string 1 text) paths)
        (setq start (match-end 0)))
      (delete-dups (nreverse paths)))))

(defun agent-q-fs-coedit--paths (workspace operation arguments)
  "Return the paths that OPERATION with ARGUMENTS in WORKSPACE is about.
They are canonical.  Nil where texts of buffers can have no part in it."
  (let ((path (agent-q-fs-buffers--argument arguments "path")))
    (cond
     ((member operation agent-q-fs-coedit--of-a-patch)
      (let ((paths (agent-q-fs-coedit--patched arguments)))
        ;; In memory there are no links by which another name would lead there.
        (and (seq-every-p (lambda (path)
                            (equal path (agent-q-fs-coedit--canonical workspace path)))
                          paths)
             paths)))
     ((and (stringp path)
           (or (equal operation "read_file") (member operation agent-q-fs-coedit--of-a-path)))
      (let ((canonical (agent-q-fs-coedit--canonical workspace path)))
        (and canonical (list canonical)))))))

(defun agent-q-fs-coedit-buffers (workspace operation arguments)
  "Return the buffers in which OPERATION with ARGUMENTS in WORKSPACE is done.
The value is a list of (PATH . BUFFER); nil if it is done with the files."
  (when (and (eq 'buffer (default-value 'agent-q-fs-unsaved))
             (eq :host (plist-get (agent-q-fs-workspace-facts workspace) :backend))
             (agent-q-fs-buffers--any-unsaved-p))
    (let* ((operation (format "%s" operation))
           (found (mapcar (lambda (path)
                            (cons path (agent-q-fs-coedit--buffer
                                        workspace path (not (equal "read_file" operation)))))
                          (agent-q-fs-coedit--paths workspace operation arguments))))
      (and (seq-every-p #'cdr found) found))))


;;;; The text of a buffer as the bytes of a file

(defun agent-q-fs-coedit--coding ()
  "Return the encoding in which this buffer would be saved."
  (let ((coding (or buffer-file-coding-system 'utf-8-unix)))
    (if (eq 'undecided (coding-system-type coding))
        (coding-system-change-eol-conversion 'utf-8-unix (coding-system-eol-type coding))
      coding)))

(defun agent-q-fs-coedit--bytes (path buffer)
  "Return the bytes that PATH would have if BUFFER were saved now."
  (with-current-buffer buffer
    (unless (agent-q-fs-buffers--encodable-p)
      (agent-q-fs-coedit--refuse path buffer ", and the file's encoding cannot hold them"))
    (save-restriction
      (widen)
      (encode-coding-string (buffer-substring-no-properties (point-min) (point-max))
                            (agent-q-fs-coedit--coding)))))

(defun agent-q-fs-coedit--text (path buffer bytes)
  "Return the text that BYTES of PATH are in BUFFER; refuse what it cannot save."
  (with-current-buffer buffer
    (let ((text (decode-coding-string bytes (agent-q-fs-coedit--coding))))
      (unless (equal bytes (encode-coding-string text (agent-q-fs-coedit--coding)))
        (agent-q-fs-coedit--refuse
         path buffer (format ", and its encoding, %s, cannot hold the new text"
                             (agent-q-fs-coedit--coding))
         "Use characters that the encoding has"))
      text)))

(defmacro agent-q-fs-coedit--in-memory (spec &rest body)
  "Run BODY with a workspace in memory that has the texts of buffers as its files.
SPEC is (VARIABLE BUFFERS): BUFFERS is a list of (PATH . BUFFER)."
  (declare (indent 1) (debug (sexp body)))
  `(let ((,(car spec) (agent-q-fs-open :backend 'memory)))
     (unwind-protect
         (progn
           (pcase-dolist (`(,path . ,buffer) ,(cadr spec))
             (agent-q-fs--transport-call
              ,(car spec) 'write_bytes
              (list :path path
                    :content (base64-encode-string (agent-q-fs-coedit--bytes path buffer) t))
              '(:authority dangerous)))
           ,@body)
       (agent-q-fs-close ,(car spec)))))

(defun agent-q-fs-coedit--without-path (arguments)
  "Return ARGUMENTS without their path or paths."
  (cl-loop for (key value) on arguments by #'cddr
           unless (member (string-remove-prefix ":" (format "%s" key)) '("path" "paths"))
           append (list key value)))

(defun agent-q-fs-coedit--with-path (arguments path)
  "Return ARGUMENTS with PATH in place of their own path, as often as they have it."
  (cl-loop for (key value) on arguments by #'cddr
           append (if (equal "path" (string-remove-prefix ":" (format "%s" key)))
                      (list :path path)
                    (list key value))))

(defun agent-q-fs-coedit--given (arguments entry)
  "Return the path in ARGUMENTS as it was given, or else that of ENTRY.
ENTRY is (PATH . BUFFER): PATH has no link in it, and a link's name counts too."
  (or (agent-q-fs-buffers--argument arguments "path") (car entry)))

(defun agent-q-fs-coedit--note (reply words)
  "Return REPLY with a line of WORDS at the end of its text."
  (let ((text (plist-get reply :text)))
    (plist-put (plist-put reply :unsaved t)
               :text (concat text (if (string-suffix-p "\n" text) "" "\n") "[" words "]\n"))))

(defun agent-q-fs-coedit--labels (buffers)
  "Return the names of BUFFERS, a list of (PATH . BUFFER), as words."
  (concat (if (cdr buffers) "the buffers " "the buffer ")
          (mapconcat (lambda (entry) (agent-q-fs-buffers--label (cdr entry))) buffers ", ")))


;;;; Reading

(defun agent-q-fs-coedit--read (workspace arguments how buffers)
  "Return the reply to read_file with ARGUMENTS in WORKSPACE, from one of BUFFERS.
HOW is as for `agent-q-fs--call'.  Nil where the file must be read."
  (pcase-let ((`(,path . ,buffer) (car buffers)))
    (when (verify-visited-file-modtime buffer)
      ;; Whether it may be read is judged where it is; the lines are other ones there.
      (condition-case nil
          (agent-q-fs--transport-call workspace 'read_file arguments how)
        (agent-q-fs-invalid-argument
         (agent-q-fs--transport-call
          workspace 'read_file
          (list :path (agent-q-fs-coedit--given arguments (car buffers))) how)))
      (agent-q-fs-coedit--in-memory (memory buffers)
        (agent-q-fs-coedit--note
         (agent-q-fs--transport-call memory 'read_file
                                     (agent-q-fs-coedit--with-path arguments path)
                                     (list :authority 'safe :words (plist-get how :words)))
         (format "this is the text of %s, whose changes are not saved"
                 (agent-q-fs-coedit--labels buffers)))))))

(defun agent-q-fs-coedit--searchable (workspace buffers)
  "Return those of BUFFERS whose text may be searched, as (PATH . BUFFER).
They are plain, and WORKSPACE shows their files to the caller unasked."
  (let ((root (file-name-as-directory (agent-q-fs-path-name workspace "."))))
    (cl-loop for buffer in buffers
             for path = (string-remove-prefix
                         root (agent-q-fs-buffers--true-name
                               (agent-q-fs-refresh-plain-name buffer)))
             when (and (not (string-prefix-p "/" path))
                       (agent-q-fs-coedit--plain-p buffer)
                       (agent-q-fs-coedit--unbarred-p workspace path agent-q-fs-read-origin))
             collect (cons path buffer))))

(defun agent-q-fs-coedit-grep (workspace arguments reply buffers)
  "Add to REPLY of grep_files with ARGUMENTS in WORKSPACE what BUFFERS have.
BUFFERS are those with unsaved changes to files that were searched; those
whose text the caller is not shown are only mentioned."
  (let* ((found (agent-q-fs-coedit--searchable workspace buffers))
         (others (seq-difference buffers (mapcar #'cdr found) #'eq)))
    (when others
      (plist-put reply :text (agent-q-fs-coedit-noted (plist-get reply :text) others)))
    (when found
      (agent-q-fs-coedit--note reply (format "so far the files on disk; %s, not saved, instead \
of the lines above"
                                             (agent-q-fs-coedit--labels found)))
      (agent-q-fs-coedit--in-memory (memory found)
        (dolist (entry found)
          (let ((lines (agent-q-fs--transport-call
                        memory 'grep_files
                        (append (list :path (car entry))
                                (agent-q-fs-coedit--without-path arguments))
                        '(:authority safe))))
            (plist-put reply :text (concat (plist-get reply :text)
                                           (plist-get lines :text)))))))))


;;;; Changing

(defun agent-q-fs-coedit--judged (workspace path how)
  "Return the plan of an insertion into PATH in WORKSPACE, which is not done.
HOW says how the call is made in whose place that is planned."
  (agent-q-fs--transport-call workspace 'insert_at_line (list :path path :line 0 :content "\n")
                              (list :verb 'plan :authority 'dangerous
                                    :origin (plist-get how :origin))))

(defun agent-q-fs-coedit--targets (plan judged buffers)
  "Return the targets of PLAN, in memory, as the plans JUDGED have them.
Each is of one of BUFFERS, a list of (PATH . BUFFER)."
  (mapcar (lambda (target)
            (let* ((path (plist-get target :path))
                   (place (seq-some (lambda (plan)
                                      (seq-find (lambda (other)
                                                  (equal path (plist-get other :path)))
                                                (plist-get plan :targets)))
                                    judged)))
              (unless (and place (eq :write (plist-get target :action)))
                (agent-q-fs-coedit--refuse path (cdar buffers)
                                           ", and only edits can be made in a buffer"))
              (plist-put (copy-sequence place) :risks
                         (delete-dups (append (plist-get place :risks)
                                              (plist-get target :risks) nil)))))
          (plist-get plan :targets)))

(defun agent-q-fs-coedit--file-bytes (memory path)
  "Return all bytes of PATH in the workspace MEMORY."
  (let ((offset 0) (more t) parts)
    (while more
      (let ((reply (agent-q-fs--transport-call memory 'read_bytes
                                               (list :path path :offset offset)
                                               '(:authority safe))))
        (push (base64-decode-string (plist-get reply :content)) parts)
        (setq offset (+ offset (length (car parts)))
              more (and (plist-get reply :truncated) (not (equal "" (car parts)))))))
    (apply #'concat (nreverse parts))))

;; A workspace keeps what it has offered, and one in memory ends with its call.  So the
;; arguments that were refused are kept with the buffer, and given again beside `accept'.

(defconst agent-q-fs-coedit--offers-most 32
  "As many edits as a workspace keeps that it has offered.")

(defvar-local agent-q-fs-coedit--offers nil
  "Edits that were offered in this buffer, a list of (DIGEST . ARGUMENTS).
ARGUMENTS are those of the refused call, without its path.")

(defun agent-q-fs-coedit--keep-offer (buffer digest arguments)
  "Remember for BUFFER that DIGEST was offered when ARGUMENTS were refused."
  (with-current-buffer buffer
    (setq agent-q-fs-coedit--offers
          (seq-take (cons (cons digest (agent-q-fs-coedit--without-path arguments))
                          agent-q-fs-coedit--offers)
                    agent-q-fs-coedit--offers-most))))

(defun agent-q-fs-coedit--kept-patch (arguments)
  "Return the patch whose offer ARGUMENTS accept, if a buffer has kept it."
  (when-let* ((digest (agent-q-fs-buffers--argument arguments "accept")))
    (seq-some (lambda (buffer)
                (agent-q-fs-buffers--argument
                 (cdr (assoc digest (buffer-local-value 'agent-q-fs-coedit--offers buffer)))
                 "patch"))
              (buffer-list))))

(defun agent-q-fs-coedit--with-offer (arguments buffer)
  "Return ARGUMENTS of a call.
If they only accept an offer of BUFFER, those that were refused follow."
  (let ((digest (agent-q-fs-buffers--argument arguments "accept")))
    (append arguments
            (and digest
                 (seq-every-p (lambda (name) (not (agent-q-fs-buffers--argument arguments name)))
                              '("old_str" "new_str" "edits" "content" "patch"))
                 (cdr (assoc digest (buffer-local-value 'agent-q-fs-coedit--offers buffer)))))))

(defun agent-q-fs-coedit--plan-in (memory operation arguments buffer)
  "Plan OPERATION with ARGUMENTS in the workspace MEMORY, which has BUFFER's text.
Remember what is offered if it is refused."
  (condition-case problem
      (agent-q-fs--transport-call memory operation arguments '(:verb plan :authority dangerous))
    (agent-q-fs-error
     (when-let* ((digest (plist-get (cdr problem) :accept)))
       (agent-q-fs-coedit--keep-offer buffer digest arguments))
     (signal (car problem) (cdr problem)))))

(defun agent-q-fs-coedit--plan (workspace operation arguments how buffers)
  "Plan OPERATION with ARGUMENTS in BUFFERS, for WORKSPACE as HOW says.
Return (PLAN REPLY . TEXTS), as it will be: TEXTS is a list of (BUFFER . TEXT)."
  (let ((judged (mapcar (lambda (entry)
                          (agent-q-fs-coedit--judged
                           workspace (agent-q-fs-coedit--given arguments entry) how))
                        buffers))
        (arguments (agent-q-fs-coedit--with-offer
                    (agent-q-fs-coedit--with-path arguments (caar buffers)) (cdar buffers))))
    (agent-q-fs-coedit--in-memory (memory buffers)
      (let* ((plan (agent-q-fs-coedit--plan-in memory operation arguments (cdar buffers)))
             (targets (agent-q-fs-coedit--targets plan judged buffers))
             (tier (if (memq :dangerous (mapcar (lambda (plan) (plist-get plan :tier))
                                                (cons plan judged)))
                       :dangerous
                     :cautious))
             (reply (agent-q-fs--transport-call memory operation arguments
                                                '(:authority dangerous)))
             (bytes (mapcar (lambda (entry) (agent-q-fs-coedit--file-bytes memory (car entry)))
                            buffers)))
        (cons
         (list :tier tier :targets targets :diff (plist-get plan :diff)
               :summary (format "%s, in %s, not saved" (plist-get plan :summary)
                                (agent-q-fs-coedit--labels buffers))
               :allowed (member (format "%s" (plist-get how :authority))
                                (if (eq tier :dangerous) '("dangerous") '("cautious" "dangerous")))
               :digest (secure-hash
                        'sha256
                        (encode-coding-string
                         (prin1-to-string
                          (list (format "%s" operation) targets (plist-get plan :digest) bytes
                                (mapcar (lambda (plan) (plist-get plan :digest)) judged)
                                (mapcar (lambda (entry) (buffer-name (cdr entry))) buffers)))
                         'utf-8-unix))
               :text (plist-get plan :text))
         (cons reply
               (cl-mapcar (lambda (entry bytes)
                            (cons (cdr entry)
                                  (agent-q-fs-coedit--text (car entry) (cdr entry) bytes)))
                          buffers bytes)))))))

(defun agent-q-fs-coedit--check (buffers)
  "Refuse a change in BUFFERS, a list of (PATH . BUFFER), that cannot be made."
  (pcase-dolist (`(,path . ,buffer) buffers)
    (unless (verify-visited-file-modtime buffer)
      (agent-q-fs-coedit--refuse path buffer ", and the file was changed as well"))
    (when (buffer-local-value 'buffer-read-only buffer)
      (agent-q-fs-coedit--refuse path buffer ", and is read-only"
                                 "Ask for the buffer to be made writable"))))

(defun agent-q-fs-coedit--apply (texts)
  "Put TEXTS, a list of (BUFFER . TEXT), into their buffers: all of them, or none.
In each it is one step of undo."
  (dolist (entry texts)
    (with-current-buffer (car entry) (undo-boundary)))
  (let ((handle (mapcan (lambda (entry) (prepare-change-group (car entry))) texts))
        (done nil))
    (unwind-protect
        (progn
          (activate-change-group handle)
          (pcase-dolist (`(,buffer . ,text) texts)
            (let ((source (generate-new-buffer " *agent-q-fs new text*" t)))
              (unwind-protect
                  (progn
                    (with-current-buffer source
                      (unless (multibyte-string-p text) (set-buffer-multibyte nil))
                      (insert text))
                    (with-current-buffer buffer
                      (save-restriction
                        (widen)
                        (replace-buffer-contents source 1.0))))
                (kill-buffer source))))
          (setq done t))
      (if (not done)
          (cancel-change-group handle)
        (accept-change-group handle)
        (undo-amalgamate-change-group handle)
        (pcase-dolist (`(,buffer . ,_) texts)
          (with-current-buffer buffer (undo-boundary)))))))

(defun agent-q-fs-coedit--change (workspace operation arguments how buffers)
  "Do OPERATION with ARGUMENTS in BUFFERS, for WORKSPACE as HOW says.
Return the reply, or the plan if HOW asks for no more."
  (agent-q-fs-coedit--check buffers)
  (pcase-let* ((`(,plan ,reply . ,texts)
                (agent-q-fs-coedit--plan workspace operation arguments how buffers))
               (refusal (and (not (eq 'plan (plist-get how :verb)))
                             (agent-q-fs--refusal plan how))))
    (agent-q-fs--check refusal)
    (if (eq 'plan (plist-get how :verb))
        plan
      (let ((targets (mapcar (lambda (entry) (list :path (car entry) :action :write)) buffers)))
        (agent-q-fs-diagnostics-before-change workspace targets)
        (agent-q-fs-coedit--apply texts)
        (setq reply (agent-q-fs-coedit--note
                     reply
                     (format "this was done in %s, and is not saved: the file on disk is as it was"
                             (agent-q-fs-coedit--labels buffers))))
        (agent-q-fs-diagnostics-after-change workspace targets reply)
        reply))))

(defun agent-q-fs-coedit--open-p (workspace arguments how buffers)
  "Non-nil if the caller in HOW is shown the files of BUFFERS in WORKSPACE.
ARGUMENTS are the call's."
  (seq-every-p (lambda (path)
                 (agent-q-fs-coedit--unbarred-p workspace path
                                                (or (plist-get how :origin) 'person)))
               (cons (agent-q-fs-coedit--given arguments (car buffers))
                     (mapcar #'car buffers))))

(defun agent-q-fs-coedit-perform (workspace operation arguments how)
  "Do OPERATION with ARGUMENTS in buffers with unsaved changes, for WORKSPACE.
HOW is as for `agent-q-fs--call'.  Return the reply; nil if there is no such
buffer."
  (let ((buffers (agent-q-fs-coedit-buffers workspace operation arguments)))
    (cond
     ((null buffers) nil)
     ((equal "read_file" (format "%s" operation))
      (agent-q-fs-coedit--read workspace arguments how buffers))
     ;; Otherwise it is an edit of the file, which the core judges, and which is refused
     ;; before it is made: what fails in an edit of a secret tells of its text.
     ((agent-q-fs-coedit--open-p workspace arguments how buffers)
      (agent-q-fs-coedit--change workspace operation arguments how buffers)))))

(autoload 'agent-q-fs-diagnostics-before-change "agent-q-fs-diagnostics")
(autoload 'agent-q-fs-diagnostics-after-change "agent-q-fs-diagnostics")


;;;; Texts, saved or not

(defun agent-q-fs-coedit-text-of (workspace path)
  "Return the text of PATH in WORKSPACE, in its buffer if that is not saved."
  (let* ((file-name-handler-alist nil)
         (buffer (find-buffer-visiting (agent-q-fs-path-name workspace path))))
    (if (and buffer (buffer-modified-p buffer))
        (with-current-buffer buffer
          (save-restriction
            (widen)
            (buffer-substring-no-properties (point-min) (point-max))))
      (or (plist-get (ignore-error agent-q-fs-error
                       (agent-q-fs--transport-call workspace 'read_file
                                                   (list :path path :limit 1000000)
                                                   '(:authority safe :origin model))) :content) ""))))

(defun agent-q-fs-coedit-forms-of (path text)
  "Return the forms of TEXT, of PATH, as list_forms has them; nil if it is no Lisp."
  (let ((memory (agent-q-fs-open :backend 'memory))
        (name (file-name-nondirectory path)))
    (unwind-protect
        (ignore-error agent-q-fs-error
          (agent-q-fs--transport-call memory 'write_file
                                      (list :path name :content text :allow_unbalanced t)
                                      '(:authority dangerous))
          (plist-get (agent-q-fs--transport-call memory 'list_forms
                                                 (list :path name :limit 10000) nil)
                     :forms))
      (agent-q-fs-close memory))))


;;;; Words of reads about unsaved text

(defun agent-q-fs-coedit-after-read (workspace operation arguments reply)
  "Mention in REPLY to OPERATION in WORKSPACE unsaved changes to its files.
ARGUMENTS are those of the call."
  (let ((operation (car (member (format "%s" operation) '("read_file" "read_form" "grep_files")))))
    (when (and operation
               (agent-q-fs-buffers--any-unsaved-p)
               (not (eq :memory (plist-get (agent-q-fs-workspace-facts workspace) :backend))))
      (let* ((file-name-handler-alist nil)
             (buffers (agent-q-fs-buffers--unseen workspace (intern operation) arguments reply)))
        (when buffers
          (plist-put reply :unsaved t)
          (if (and (eq 'buffer (default-value 'agent-q-fs-unsaved)) (equal operation "grep_files"))
              (agent-q-fs-coedit-grep workspace arguments reply buffers)
            (plist-put reply :text
                       (agent-q-fs-coedit-noted (plist-get reply :text) buffers))))))))

(defun agent-q-fs-coedit-noted (text buffers)
  "Return TEXT with a line for each of BUFFERS, which have unsaved changes."
  (concat text
          (if (string-suffix-p "\n" text) "" "\n")
          (mapconcat (lambda (buffer)
                       (format "[buffer %s has unsaved changes that this does not show]\n"
                               (agent-q-fs-buffers--label buffer)))
                     (seq-take buffers 5) "")
          (if (nthcdr 5 buffers)
              (format "[so have %d more buffers]\n" (- (length buffers) 5))
            "")))

(add-hook 'agent-q-fs-after-read-functions #'agent-q-fs-coedit-after-read)

(provide 'agent-q-fs-coedit)
;;; agent-q-fs-coedit.el ends here
