;;; agent-q-fs-buffers.el --- Changed files and the buffers that visit them  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Nobody's typing is lost: a file is not written while a buffer has unsaved
;; changes to it (`agent-q-fs-unsaved').  And nobody is left with an old text:
;; after a change the buffers show the new one, follow a file that was moved,
;; and are closed when it was deleted.  Replies to reads mention unsaved changes
;; that they cannot show.
;;
;; Before a change the buffers are found that have to do with it, while the old
;; names still lead to the files.  Each is tied to a target:
;;
;;     shows      the file is written in place, or copied onto
;;     replaced   another file is moved onto it
;;     follows    it is moved
;;     rewritten  it is moved and written, by a patch
;;     gone       it is deleted
;;
;; Afterwards the disk is asked what really happened: a change may be done in part.
;;
;; Some buffers have text of a file and cannot be saved or follow it like that: those that
;; visit it as another user (/sudo::), over a connection to this very machine, or in a
;; container; members of an archive; and those of other Emacsen, whose locks are there to be
;; seen.  Where one of these has unsaved changes, the change is refused.

;;; Code:

(require 'agent-q-fs-refresh)
(require 'cl-lib)
(require 'seq)
(require 'subr-x)

(declare-function agent-q-fs-coedit-visible-p "agent-q-fs-coedit" (workspace file))
(declare-function agent-q-fs-caller-check "agent-q-fs" (caller))
(declare-function agent-q-fs--path-namer "agent-q-fs-workspace" (workspace))
(declare-function agent-q-fs-path-name "agent-q-fs-workspace" (workspace path))
(declare-function agent-q-fs--error-reply "agent-q-fs-workspace" (code format &rest arguments))
(declare-function agent-q-fs-workspace-facts "agent-q-fs-workspace" (workspace) t)
(defvar agent-q-fs-before-change-functions)
(defvar agent-q-fs-after-change-functions)
(defvar agent-q-fs-caller)

(defcustom agent-q-fs-unsaved 'refuse
  "How to treat a write to a file while a buffer has unsaved changes to it.
With `refuse' the call fails and says so.  With `save' the buffer is
saved first, and the change is planned for the saved text.  With `ask' you
are asked whether to save it; if nobody can be asked, that is `refuse'.

With `buffer', the file is read, searched and edited in its buffer, and is
not saved; the reply says so.  The buffer's own undo takes an edit back.

Deletions are refused in any case, because they would delete the saved
text too."
  :group 'agent-q-fs
  :type '(choice (const :tag "Refuse the call" refuse)
                 (const :tag "Save the buffer first" save)
                 (const :tag "Ask whether to save it" ask)
                 (const :tag "Edit it in the buffer, and do not save it" buffer)))


;;;; Which buffers visit which files

(cl-defstruct (agent-q-fs-buffers--visit
               (:constructor agent-q-fs-buffers--visit (buffer name true &optional way))
               (:copier nil))
  "A buffer that visits a file."
  buffer
  (way nil :documentation "Words about a way that is not by the file's own name, or nil.")
  (name nil :documentation "The file's name, no directory in it being a link.")
  (true nil :documentation "The same, nothing in it being a link."))

(defun agent-q-fs-buffers--true-name (name)
  "Return NAME without links; NAME itself where links go in circles."
  (condition-case nil
      (file-truename name)
    (error name)))

(defun agent-q-fs-buffers--true-directory (directory cache)
  "Return DIRECTORY without links, as it was spelled first in CACHE.
The same directory may have several names even so: it may be mounted twice."
  (or (gethash directory cache)
      (let* ((true (file-name-as-directory (agent-q-fs-buffers--true-name directory)))
             (facts (file-attributes true))
             (identity (and facts (cons (file-attribute-inode-number facts)
                                        (file-attribute-device-number facts)))))
        (puthash directory
                 (if identity
                     (or (gethash identity cache) (puthash identity true cache))
                   true)
                 cache))))

(defun agent-q-fs-buffers--visit-of (buffer file way cache)
  "Return a record of FILE, which BUFFER visits by WAY.
CACHE has known directories."
  (let* ((name (concat (agent-q-fs-buffers--true-directory (file-name-directory file) cache)
                       (file-name-nondirectory file)))
         (true (or (agent-q-fs-refresh-far-true-name buffer name)
                   (if (file-symlink-p name) (agent-q-fs-buffers--true-name name) name))))
    (agent-q-fs-buffers--visit buffer name true way)))

(defun agent-q-fs-buffers--visits (files &optional modified root)
  "Return the files that all buffers visit, as FILES spell their directories.
With MODIFIED, return only those of buffers with unsaved changes.  ROOT is
as for `agent-q-fs-refresh--remote'."
  (let ((cache (make-hash-table :test 'equal)))
    (dolist (file files)
      (agent-q-fs-buffers--true-directory (file-name-directory file) cache))
    (cl-loop for buffer in (buffer-list)
             for (file . way) = (and (not (buffer-base-buffer buffer))
                                     (or (not modified) (buffer-modified-p buffer))
                                     (agent-q-fs-refresh-file buffer root))
             when file
             collect (agent-q-fs-buffers--visit-of buffer file way cache))))

(defun agent-q-fs-buffers--rest (visit file)
  "Return the part of a name of VISIT behind FILE, or nil if it is not below FILE.
If VISIT is of FILE itself, this is the empty string."
  (let ((directory (file-name-as-directory file)))
    (cl-loop for name in (list (agent-q-fs-buffers--visit-name visit)
                               (agent-q-fs-buffers--visit-true visit))
             when (equal name file) return ""
             when (string-prefix-p directory name) return (substring name (length directory)))))


;;;; Buffers tied to a change

(cl-defstruct (agent-q-fs-buffers--tie
               (:constructor agent-q-fs-buffers--tie (role buffer path old &optional new way))
               (:copier nil))
  "A buffer that a change concerns."
  role buffer
  (way nil :documentation "As in the visit: such a buffer is not saved, and follows nothing.")
  (path nil :documentation "The target's path, for people.")
  (old nil :documentation "The name of the file that it visits.")
  (new nil :documentation "Its new name, where it moves."))

(defvar agent-q-fs-buffers--ties (make-hash-table :test 'eq :weakness 'key)
  "The ties that were found before a change, by the list of its targets.")

(defun agent-q-fs-buffers--renamed-to (target targets)
  "Return the path that TARGET, a deletion, is moved to by another of TARGETS."
  (cl-loop for other in targets
           when (and (eq (plist-get other :action) :write)
                     (equal (plist-get other :from) (plist-get target :path)))
           return (plist-get other :path)))

(defun agent-q-fs-buffers--below (visits file make)
  "Return ties for those of VISITS that are FILE or below it.
MAKE is called with a visit, its name, and the part of that behind FILE."
  (cl-loop for visit in visits
           for rest = (agent-q-fs-buffers--rest visit file)
           when rest
           collect (funcall make visit (if (equal rest "") file
                                         (concat (file-name-as-directory file) rest))
                            rest)))

(defun agent-q-fs-buffers--tie-target (target targets visits name)
  "Return the ties of VISITS to TARGET, one of TARGETS.
NAME is a function that returns the file name of a path."
  (let* ((path (plist-get target :path))
         (file (funcall name path))
         (tie (lambda (role from new)
                (agent-q-fs-buffers--below
                 visits from
                 (lambda (visit old rest)
                   (agent-q-fs-buffers--tie
                    role (agent-q-fs-buffers--visit-buffer visit) path old
                    (and new (if (equal rest "") new
                               (concat (file-name-as-directory new) rest)))
                    (agent-q-fs-buffers--visit-way visit)))))))
    (pcase (plist-get target :action)
      ((or :write :copy) (funcall tie 'shows file nil))
      (:move (append (funcall tie 'replaced file nil)
                     (funcall tie 'follows (funcall name (plist-get target :from)) file)))
      (:delete (let ((new (agent-q-fs-buffers--renamed-to target targets)))
                 (if new
                     (funcall tie 'rewritten file (funcall name new))
                   (funcall tie 'gone file nil)))))))

(defun agent-q-fs-buffers--in-memory-p (workspace)
  "Non-nil if WORKSPACE is in memory, so that no buffer can visit its files."
  (eq :memory (plist-get (agent-q-fs-workspace-facts workspace) :backend)))

(defun agent-q-fs-buffers--near (visits)
  "Return a hash table of the names in VISITS and of all directories above them.
A file whose name is not in it concerns no buffer."
  (let ((near (make-hash-table :test 'equal)))
    (dolist (visit visits near)
      (dolist (name (list (agent-q-fs-buffers--visit-name visit)
                          (agent-q-fs-buffers--visit-true visit)))
        (while (and name (not (gethash name near)))
          (puthash name t near)
          (let ((directory (file-name-directory name)))
            (setq name (and directory (directory-file-name directory)))))))))

(defun agent-q-fs-buffers--find (workspace targets)
  "Return the ties of all buffers to TARGETS in WORKSPACE."
  (when (and (seq-some (lambda (buffer) (buffer-local-value 'buffer-file-name buffer))
                       (buffer-list))
             (not (agent-q-fs-buffers--in-memory-p workspace)))
    (let* ((file-name-handler-alist nil)
           (name (agent-q-fs--path-namer workspace))
           (files (mapcar (lambda (target)
                            (mapcar name (delq nil (list (plist-get target :path)
                                                         (plist-get target :from)))))
                          targets))
           (visits (agent-q-fs-buffers--visits (apply #'append files) nil
                                               (file-name-as-directory (funcall name "."))))
           (near (agent-q-fs-buffers--near visits)))
      (cl-loop for target in targets
               for names in files
               when (seq-some (lambda (name) (gethash name near)) names)
               append (agent-q-fs-buffers--tie-target target targets visits name)))))


;;;; Unsaved changes

(defun agent-q-fs-buffers--visible (name)
  "Return NAME without characters that cannot be seen."
  (replace-regexp-in-string "[[:cntrl:]\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]" "?"
                            (substring-no-properties name)))

(defun agent-q-fs-buffers--label (buffer)
  "Return the name of BUFFER without characters that cannot be seen."
  (agent-q-fs-buffers--visible (buffer-name buffer)))

(defun agent-q-fs-buffers--deny (path hint words &rest arguments)
  "Signal that a change of PATH is refused, as WORDS and ARGUMENTS say, with HINT."
  (let ((data (apply #'agent-q-fs--error-reply :denied (concat words ": nothing was done")
                     arguments)))
    (plist-put data :path path)
    (plist-put data :hint hint)
    (plist-put data :text (concat (plist-get data :text) "\n" hint))
    (signal 'agent-q-fs-denied data)))

(defun agent-q-fs-buffers--refuse (tie why)
  "Signal that the change of TIE is refused; WHY is the end of the sentence."
  (agent-q-fs-buffers--deny
   (agent-q-fs-buffers--tie-path tie)
   "Ask for the buffer to be saved or its changes to be discarded, then try again"
   "Buffer %s has unsaved changes to %s%s"
   (agent-q-fs-buffers--label (agent-q-fs-buffers--tie-buffer tie))
   (agent-q-fs-buffers--tie-path tie) why))

(defun agent-q-fs-buffers--ask (tie)
  "Ask whether to save the buffer of TIE; nil where nobody can be asked."
  (and (not noninteractive)
       (prog1 (y-or-n-p
               (format "Buffer %s has unsaved changes to %s, which is to be written.  Save it? "
                       (agent-q-fs-buffers--label (agent-q-fs-buffers--tie-buffer tie))
                       (agent-q-fs-buffers--tie-path tie)))
         (agent-q-fs-caller-check agent-q-fs-caller))))

(defun agent-q-fs-buffers--may-save-p (tie)
  "Non-nil when the buffer of TIE may be saved before its file is changed."
  (pcase (default-value 'agent-q-fs-unsaved)
    ('save t)
    ('ask (agent-q-fs-buffers--ask tie))))

(defun agent-q-fs-buffers--encodable-p ()
  "Non-nil when this buffer can be saved without choosing an encoding."
  (save-restriction
    (widen)
    (or (not buffer-file-coding-system)
        (eq 'undecided (coding-system-type buffer-file-coding-system))
        (not (unencodable-char-position (point-min) (point-max) buffer-file-coding-system)))))

(defun agent-q-fs-buffers--save (tie)
  "Save the buffer of TIE as its user would, but ask nothing."
  (with-current-buffer (agent-q-fs-buffers--tie-buffer tie)
    (cond
     ((not (verify-visited-file-modtime))
      (agent-q-fs-buffers--refuse tie ", and the file was changed as well"))
     ((not (file-writable-p buffer-file-name))
      (agent-q-fs-buffers--refuse tie ", and cannot be saved"))
     ((not (agent-q-fs-buffers--encodable-p))
      (agent-q-fs-buffers--refuse tie ", and the file's encoding cannot hold them")))
    (condition-case problem
        (let ((save-silently t))
          (save-buffer))
      (error (agent-q-fs-buffers--refuse
              tie (format ", and cannot be saved (%s)" (error-message-string problem)))))
    (when (buffer-modified-p)
      (agent-q-fs-buffers--refuse tie ", also after it was saved"))))

(defun agent-q-fs-buffers--unsaved-ties (ties)
  "Return those of TIES whose unsaved text a change would endanger."
  (cl-remove-if-not
   (lambda (tie)
     (and (or (agent-q-fs-buffers--tie-way tie)
              (not (eq 'follows (agent-q-fs-buffers--tie-role tie))))
          (buffer-modified-p (agent-q-fs-buffers--tie-buffer tie))))
   ties))

(defun agent-q-fs-buffers-in-the-way (workspace targets)
  "Return the buffers whose unsaved text has a change of TARGETS refused.
That is in WORKSPACE.  Those are left out that are saved, or asked about."
  (let ((how (default-value 'agent-q-fs-unsaved)))
    (unless (eq 'buffer how)            ; then something else is done than was planned
      (delete-dups
       (cl-loop for tie in (agent-q-fs-buffers--unsaved-ties
                            (agent-q-fs-buffers--find workspace targets))
                unless (and (memq how '(ask save))
                            (null (agent-q-fs-buffers--tie-way tie))
                            (eq 'shows (agent-q-fs-buffers--tie-role tie)))
                collect (agent-q-fs-buffers--tie-buffer tie))))))

(defun agent-q-fs-buffers-save (workspace targets)
  "Save the buffers whose text a change of TARGETS in WORKSPACE would endanger."
  (let ((ties (agent-q-fs-buffers--unsaved-ties (agent-q-fs-buffers--find workspace targets))))
    (mapc #'agent-q-fs-buffers--refuse-by-way ties)
    (mapc #'agent-q-fs-buffers--save
          (cl-delete-duplicates ties :key #'agent-q-fs-buffers--tie-buffer))))

(defun agent-q-fs-buffers--refuse-by-way (tie)
  "Refuse the change of TIE if its buffer visits the file in a way of its own."
  (when (agent-q-fs-buffers--tie-way tie)
    (agent-q-fs-buffers--refuse
     tie (format ", which it visits by way of %s" (agent-q-fs-buffers--tie-way tie)))))

(defun agent-q-fs-buffers--guard (ties)
  "Make sure that the change of TIES loses no unsaved text."
  (let ((unsaved (agent-q-fs-buffers--unsaved-ties ties)))
    (dolist (tie unsaved)
      (agent-q-fs-buffers--refuse-by-way tie)
      (unless (eq 'shows (agent-q-fs-buffers--tie-role tie))
        (agent-q-fs-buffers--refuse tie "")))
    (setq unsaved (cl-delete-duplicates unsaved :key #'agent-q-fs-buffers--tie-buffer))
    (dolist (tie unsaved)
      (unless (agent-q-fs-buffers--may-save-p tie)
        (agent-q-fs-buffers--refuse tie "")))
    (mapc #'agent-q-fs-buffers--save unsaved)))

(defun agent-q-fs-buffers--editor (file)
  "Return the user who edits FILE in another Emacs, or nil; t for this Emacs.
The lock of an Emacs that is no more does not count."
  (ignore-errors (file-locked-p file)))

(defun agent-q-fs-buffers--auto-saved-p (saved file)
  "Non-nil if SAVED, where Emacs saves FILE by itself, has text that FILE has not."
  (or (agent-q-fs-buffers--editor file)
      (and (file-exists-p saved) (file-newer-than-file-p saved file))))

(defun agent-q-fs-buffers--others-file (file)
  "Return the file whose unsaved text a change of FILE would endanger, or nil.
That is FILE itself if another Emacs edits it; or the one whose lock, or
whose text that Emacs has saved by itself, FILE is."
  (let* ((name (file-name-nondirectory file))
         (of (lambda (part) (concat (file-name-directory file) part))))
    (cond
     ((stringp (agent-q-fs-buffers--editor file)) file)
     ((and (string-prefix-p ".#" name) (< 2 (length name)))
      (let ((locked (funcall of (substring name 2))))
        (and (agent-q-fs-buffers--editor locked) locked)))
     ((and (string-prefix-p "#" name) (string-suffix-p "#" name) (< 2 (length name)))
      (let ((saved (funcall of (substring name 1 -1))))
        (and (agent-q-fs-buffers--auto-saved-p file saved) saved))))))

(defun agent-q-fs-buffers--lost-files (target name)
  "Return the files that TARGET writes, replaces or deletes.
NAME is as above.  Of a directory that is deleted, those are returned
that have locks."
  (let ((file (funcall name (plist-get target :path))))
    (pcase (plist-get target :action)
      (:make nil)
      ((and :delete (guard (eq :directory (plist-get target :type))))
       (mapcar (lambda (lock)
                 (concat (file-name-directory lock) (substring (file-name-nondirectory lock) 2)))
               (directory-files-recursively file "\\`\\.#" nil t)))
      ;; A file that is moved away goes on under its new name, but for a lock and its like.
      (:move (append (list file)
                     (let ((from (funcall name (plist-get target :from))))
                       (and (string-match-p "\\`\\.?#" (file-name-nondirectory from))
                            (list from)))))
      (_ (list file)))))

(defun agent-q-fs-buffers--guard-others (workspace targets)
  "Make sure that a change of TARGETS in WORKSPACE loses no text of another Emacs."
  (let ((file-name-handler-alist nil)
        (name (agent-q-fs--path-namer workspace)))
    (dolist (target targets)
      (dolist (file (agent-q-fs-buffers--lost-files target name))
        (let ((other (agent-q-fs-buffers--others-file file)))
          (when other
            (agent-q-fs-buffers--deny
             (plist-get target :path)
             (let ((base (agent-q-fs-buffers--visible (file-name-nondirectory other))))
               (format "Ask for it to be saved there; if that Emacs is gone, for the lock .#%s or \
the copy #%s# to be recovered or removed.  Then try again" base base))
             "%s: an Emacs has unsaved changes to %s (user %s)" (plist-get target :path)
             (agent-q-fs-buffers--visible (file-name-nondirectory other))
             (let ((user (agent-q-fs-buffers--editor other)))
               (if (stringp user) (agent-q-fs-buffers--visible user) (user-login-name))))))))))

(defun agent-q-fs-buffers-before-change (workspace targets)
  "Find the buffers that a change of TARGETS in WORKSPACE concerns.
Prevent it where it would cost unsaved changes."
  (let ((ties (agent-q-fs-buffers--find workspace targets)))
    (agent-q-fs-buffers--guard ties)
    (unless (agent-q-fs-buffers--in-memory-p workspace)
      (agent-q-fs-buffers--guard-others workspace targets))
    (puthash targets (cl-remove-if #'agent-q-fs-buffers--tie-way ties)
             agent-q-fs-buffers--ties)))


;;;; Following moves and deletions

(defun agent-q-fs-buffers--spell (old new)
  "Return the file name NEW with as much of OLD's spelling as leads there."
  (let* ((file-name-handler-alist nil)
         (directory (file-name-directory old))
         result)
    (while (and directory (not result))
      (let ((true (file-name-as-directory (agent-q-fs-buffers--true-name directory)))
            (above (file-name-directory (directory-file-name directory))))
        (if (string-prefix-p true new)
            (setq result (concat directory (substring new (length true))))
          (setq directory (unless (equal above directory) above)))))
    (or result new)))

(defun agent-q-fs-buffers--rename (old new)
  "Rename this buffer, if it is named after OLD, for the file NEW."
  (let ((was (file-name-nondirectory old))
        (name (file-name-nondirectory new)))
    (when (and (not (equal was name))
               (string-match-p (concat "\\`" (regexp-quote was) "\\(?:<[^>]*>\\)?\\'")
                               (buffer-name)))
      (rename-buffer (if (string-prefix-p " " name) (concat "|" name) name) t))))

(defun agent-q-fs-buffers--visit-instead (new)
  "Let this buffer visit the file NEW, which its file was renamed to.
`set-visited-file-name' would choose modes anew, and might ask."
  (let* ((old (agent-q-fs-refresh-plain-name (current-buffer)))
         (visited (if (string-prefix-p "/:" buffer-file-name) (concat "/:" new) new))
         (file-name-handler-alist nil))
    (ignore-errors (unlock-buffer))
    (when (equal default-directory (file-name-directory buffer-file-name))
      (setq default-directory (file-name-directory visited)))
    (when vc-mode
      (vc-file-clearprops buffer-file-name)
      (setq vc-mode nil))
    (setq buffer-file-name visited
          buffer-file-truename (abbreviate-file-name (agent-q-fs-buffers--true-name new)))
    (agent-q-fs-buffers--rename old new)
    (when buffer-auto-save-file-name
      (ignore-errors (rename-auto-save-file)))
    (when (buffer-modified-p)
      (ignore-errors
        (unless (stringp (file-locked-p buffer-file-truename))
          (lock-buffer buffer-file-truename))))))

(defun agent-q-fs-buffers--close (buffer &optional instead)
  "Close BUFFER, and show the buffer INSTEAD, if given, where it was shown."
  (when instead
    (dolist (window (get-buffer-window-list buffer nil t))
      (set-window-buffer window instead)))
  (let ((kill-buffer-query-functions nil))
    (with-demoted-errors "agent-q-fs: error while a buffer is closed: %S"
      (kill-buffer buffer))))

(defun agent-q-fs-buffers--other (buffer file)
  "Return a buffer that visits FILE and is not BUFFER, or nil."
  (let ((file-name-handler-alist nil))
    (cl-loop for visit in (agent-q-fs-buffers--visits (list file))
             for other = (agent-q-fs-buffers--visit-buffer visit)
             when (and (not (eq other buffer))
                       (not (agent-q-fs-buffers--visit-way visit))
                       (equal "" (agent-q-fs-buffers--rest visit file)))
             return other)))

(defun agent-q-fs-buffers--follow (tie)
  "Let the buffer of TIE visit the file's new name.
No two buffers visit it afterwards, unless both have unsaved changes."
  (let* ((buffer (agent-q-fs-buffers--tie-buffer tie))
         (new (agent-q-fs-buffers--tie-new tie))
         (other (agent-q-fs-buffers--other buffer new)))
    (if (and other (not (buffer-modified-p buffer)))
        (agent-q-fs-buffers--close buffer other)
      (when (and other (not (buffer-modified-p other)))
        (agent-q-fs-buffers--close other buffer))
      (with-current-buffer buffer
        (agent-q-fs-buffers--visit-instead
         (agent-q-fs-buffers--spell (agent-q-fs-refresh-plain-name buffer) new))))))

(defun agent-q-fs-buffers--settle (workspace tie)
  "Make the buffer of TIE follow its file, or close it, as WORKSPACE's disk says."
  (let ((buffer (agent-q-fs-buffers--tie-buffer tie))
        (new (agent-q-fs-buffers--tie-new tie)))
    (when (and (buffer-live-p buffer)
               (not (agent-q-fs--transport-there-p workspace (agent-q-fs-buffers--tie-old tie))))
      (pcase (agent-q-fs-buffers--tie-role tie)
        ((or 'follows 'rewritten)
         (when (agent-q-fs--transport-there-p workspace new)
           (agent-q-fs-buffers--follow tie)))
        ('gone
         (unless (buffer-modified-p buffer)
           (agent-q-fs-buffers--close buffer)))))))

(defun agent-q-fs-buffers-after-change (workspace targets _reply)
  "Bring the buffers up to date that visit TARGETS, changed in WORKSPACE."
  (save-current-buffer
    (dolist (tie (gethash targets agent-q-fs-buffers--ties))
      (agent-q-fs-buffers--settle workspace tie))
    (remhash targets agent-q-fs-buffers--ties)
    ;; Search again: some buffers have followed, and some are new since the change began.
    (dolist (tie (agent-q-fs-buffers--find workspace targets))
      (when (and (memq (agent-q-fs-buffers--tie-role tie) '(shows replaced))
                 (not (agent-q-fs-buffers--tie-way tie)))
        (agent-q-fs--transport-refresh workspace (agent-q-fs-buffers--tie-buffer tie))))))


;;;; Reads

(defun agent-q-fs-buffers-glob-regexp (glob)
  "Return a regular expression for the paths that GLOB matches."
  (concat "\\`"
          (replace-regexp-in-string
           "\\*\\*/\\|\\*\\*\\|\\*\\|[?]\\|[^*?]+"
           (lambda (piece)
             (pcase piece
               ("**/" "\\(?:[^\0]*/\\)?")
               ("**" "[^\0]*")
               ("*" "[^/]*")
               ("?" "[^/]")
               (_ (regexp-quote piece))))
           glob t t)
          "\\'"))

(defun agent-q-fs-buffers--matches-p (globs path)
  "Non-nil when PATH, or the last part of it, matches one of GLOBS."
  (let ((case-fold-search nil))
    (cl-some (lambda (glob)
               (string-match-p (agent-q-fs-buffers-glob-regexp glob)
                               (if (string-search "/" glob) path (file-name-nondirectory path))))
             globs)))

(defun agent-q-fs-buffers--argument (arguments name &optional default)
  "Return the value in ARGUMENTS of NAME, a string, or else DEFAULT.
Hyphens are underscores."
  (cl-loop for (key value) on arguments by #'cddr
           when (equal name (string-replace
                             "-" "_" (string-remove-prefix ":" (format "%s" key))))
           return value
           finally return default))

(defun agent-q-fs-buffers--globs (value)
  "Return the globs in VALUE, an argument: a list, a vector or one string."
  (if (stringp value) (list value)
    (seq-filter #'stringp (and (sequencep value) value))))

(defun agent-q-fs-buffers--searched-p (arguments rest)
  "Non-nil when grep_files with ARGUMENTS looks at REST, a path below its own."
  (let ((include (agent-q-fs-buffers--globs (agent-q-fs-buffers--argument arguments "include")))
        (exclude (agent-q-fs-buffers--argument arguments "exclude_patterns" '(".git"))))
    (or (equal rest "")
        (and (or (null include)
                 (agent-q-fs-buffers--matches-p include rest))
             (not (cl-some (lambda (part)
                             (agent-q-fs-buffers--matches-p
                              (agent-q-fs-buffers--globs exclude)
                              part))
                           (split-string rest "/")))))))

(defun agent-q-fs-buffers--looked-at (reads arguments reply)
  "Return the paths that a call with ARGUMENTS looked at, as REPLY says.
READS: it read files, and did not search them."
  (let ((files (plist-get reply :files)))
    (cond ((not reads)
           (or (agent-q-fs-buffers--globs (agent-q-fs-buffers--argument arguments "paths"))
               (list (or (agent-q-fs-buffers--argument arguments "path") "."))))
          ((consp files) (cl-loop for file in files
                                  unless (plist-get file :error) collect (plist-get file :path)))
          (t (list (or (plist-get reply :path) "."))))))

(defun agent-q-fs-buffers--unseen (workspace operation arguments reply)
  "Return the buffers with changes that REPLY of OPERATION does not show.
WORKSPACE and ARGUMENTS are those of the call."
  (let ((reads (memq operation '(read_file read_form))))
    (delete-dups
     (mapcan (lambda (path) (agent-q-fs-buffers--unseen-at workspace reads arguments path))
             (agent-q-fs-buffers--looked-at reads arguments reply)))))

(defun agent-q-fs-buffers--unseen-at (workspace reads arguments path)
  "Return the buffers with changes that a look at PATH does not show.
READS: the call read it; otherwise it searched there.  WORKSPACE and
ARGUMENTS are those of the call."
  (let ((file (and (stringp path)
                    (agent-q-fs-buffers--true-name
                     (expand-file-name (if (string-prefix-p "~/" path) path
                                         (agent-q-fs-path-name workspace path)))))))
    (and file
         (cl-loop for visit in (agent-q-fs-buffers--visits
                                (list file) t
                                (file-name-as-directory (agent-q-fs-path-name workspace ".")))
                  for rest = (agent-q-fs-buffers--rest visit file)
                  when (and rest (or reads
                                     (and (agent-q-fs-buffers--searched-p arguments rest)
                                          (agent-q-fs-coedit-visible-p
                                           workspace (agent-q-fs-buffers--visit-name visit)))))
                  collect (agent-q-fs-buffers--visit-buffer visit)))))

(defun agent-q-fs-buffers--any-unsaved-p ()
  "Non-nil when there is a file with unsaved changes at all."
  (cl-some (lambda (buffer)
             (and (buffer-local-value 'buffer-file-name buffer)
                  (buffer-modified-p buffer)))
           (buffer-list)))

(add-hook 'agent-q-fs-before-change-functions #'agent-q-fs-buffers-before-change)
;; It changes something only where such a buffer has unsaved changes, which remote projects look for.
(put 'agent-q-fs-buffers-before-change 'agent-q-fs-only-looks t)
(add-hook 'agent-q-fs-after-change-functions #'agent-q-fs-buffers-after-change)

(provide 'agent-q-fs-buffers)
;;; agent-q-fs-buffers.el ends here
