;;;; workspace.lisp -- workspaces of every transport.
;;;;
;;;; SPDX-License-Identifier: MIT

(in-package #:agent-q-fs)

(defstruct (workspace (:constructor nil) (:copier nil))
  "A directory that calls stay inside of.  Each transport has its own kind."
  (properties '() :type list :read-only t))

(setf (documentation 'workspace-properties 'function)
      "Returns the core's description of the workspace when it was opened, a property list.")

;;;; The functions of a transport

(defgeneric open-by-transport (transport options)
  (:documentation "Returns a new workspace.  OPTIONS are entries, of ARGUMENT-ENTRIES."))

(defgeneric close-workspace (workspace)
  (:documentation "Closes WORKSPACE.  It may be closed again, and while other threads use it:
the calls that they have begun are finished."))

(defgeneric reset-workspace (workspace)
  (:documentation "Restores WORKSPACE, which is in memory or a session, to its state at opening:
empty but for its mounts, as they were copied.  Returns WORKSPACE."))

(defgeneric workspace-open-p (workspace)
  (:documentation "Returns false once WORKSPACE was closed."))

(defgeneric workspace-transport (workspace)
  (:documentation "Returns the transport of WORKSPACE, a keyword."))

(defgeneric perform (workspace name operation entries how)
  (:documentation "Calls the operation NAME, whose row is OPERATION or nil, with ENTRIES.  HOW
is a property list of CALL-HOW.  Returns the reply as data, and nil or the error's code as a
string."))

(defgeneric perform-tool (workspace name operation entries approved)
  (:documentation "Calls the tool NAME, whose row is OPERATION or nil, for a model.  If the call
needs approval, and APPROVED is not the digest of what it would do, a person or *APPROVAL-HANDLER*
is asked.  Returns the reply's text, and true as a second value if the call has failed."))

(defgeneric transport-options (transport)
  (:documentation "Returns options, entries, that the other end of TRANSPORT cannot know.")
  (:method (transport) (declare (ignore transport)) '()))

(defmethod open-by-transport (transport options)
  (declare (ignore options))
  (invalid-argument "There is no transport ~A (~A); :EMACS is always there, and :FFI with ~
                     the system agent-q-fs/ffi"
                    (if (symbolp transport) (symbol-name transport) "of that kind")
                    (describe-type transport)))

(defmethod transport-operations (transport)
  (open-by-transport transport '()))

;;;; Opening

(defun absolute-root (root)
  "Returns ROOT as the core takes it: a relative pathname is made absolute."
  (if (pathnamep root)
      (merge-pathnames root (default-directory))
      root))

(defun root-sources ()
  "Returns the options that say where the core may look for a root, entries."
  (let ((asdf (asdf-root))
        (sly (sly-directory)))
    (append (list (cons "start" (default-directory)) (cons "cwd" (default-directory)))
            (and asdf (list (cons "asdf_root" asdf)))
            (and sly (list (cons "sly_directory" sly))))))

(defun complete-options (options transport)
  "Returns OPTIONS, entries, with those that only Lisp knows."
  (flet ((add (entry)
           (unless (assoc (car entry) options :test #'string=)
             (push entry options))))
    (unless (entry-value options "root")
      (mapc #'add (root-sources)))
    (mapc #'add (transport-options transport))
    (loop for (name . value) in options
          collect (cons name (if (string= name "root") (absolute-root value) value)))))

(defun open-workspace (&rest options &key (transport *transport*) &allow-other-keys)
  (let ((entries (without-entry (argument-entries options) "transport")))
    (open-by-transport transport (complete-options entries transport))))

(defun describe-options ()
  "Returns a text with a line for each option of the catalogue."
  (format-message "~:{  :~:@(~A~) (~(~A~)) ~A~%~}"
                  (list (loop for (name type doc) in agent-q-fs/catalogue:*options*
                              collect (list (substitute #\- #\_ name) type doc)))))

(setf (documentation 'open-workspace 'function)
      (concatenate 'string
                   "Opens a workspace.  OPTIONS, all of them optional, are :TRANSPORT, which says how the
workspace is reached (*TRANSPORT* by default), and those of the core:

"
                   (describe-options)
                   "
Without a :ROOT the project is the Git root above *DEFAULT-PATHNAME-DEFAULTS*, then :ASDF-ROOT,
then :SLY-DIRECTORY, then that directory itself; see *PROJECT-SYSTEM*.  A path may be a pathname.
:LIMITS is a property list, such as (:read-lines 100).  :MOUNTS is a list of property lists of
:host-path, :mount-path, :include-glob, :exclude-glob, :max-bytes and :follow-symlinks.

Close the workspace with CLOSE-WORKSPACE; a forgotten one is closed when it has become garbage."))

(defmacro with-workspace ((&rest options) &body body)
  "Runs BODY with *WORKSPACE* bound to a new workspace, and closes that in the end.
OPTIONS are those of OPEN-WORKSPACE; a variable before them is bound to it as well:

    (with-workspace (ws :root #p\"/my/project/\")
      (call :read-file :workspace ws :path \"a.lisp\"))"
  (let* ((named (and (first options) (symbolp (first options))
                     (not (keywordp (first options)))))
         (variable (if named (first options) (gensym "WORKSPACE"))))
    `(let* ((,variable (open-workspace ,@(if named (rest options) options)))
            (*workspace* ,variable))
       (unwind-protect (progn ,@body)
         (close-workspace ,variable)))))

;;;; The current one

(defvar *workspace* nil
  "The workspace that calls use; nil for one at *PROJECT-ROOT* or at the detected root,
opened at first use.")

;;; Calls in one image may be for several projects at once: threads have their own directories,
;;; and each Emacs that is connected has its person, buffers and policy.

(defstruct (opened (:constructor make-opened (place workspace)) (:copier nil))
  "A workspace that CURRENT-WORKSPACE has opened, and its PLACE: what it was opened for."
  place workspace)

(defconstant +most-opened+ 16
  "The number of workspaces that CURRENT-WORKSPACE remembers.")

(defvar *opened* '()
  "The latest of these that are open, the latest first.  One that is forgotten is not closed
before it is garbage: another thread may be about to use it.")

(defun current-place (root)
  "Returns what the workspace at ROOT, which is set or nil, is opened for, to be compared by
EQUAL: the directory, the transport, and the connection of this thread.  If the root has to be
found, the directory is where that begins."
  (list (or root (list (native-namestring (default-directory)) *project-system*))
        *transport*
        (transport-connection *transport*)))

(defun opened-for (place)
  "Returns the open workspace for PLACE, or nil."
  (let ((opened (find place *opened* :key #'opened-place :test #'equal)))
    (and opened
         (workspace-open-p (opened-workspace opened))
         (opened-workspace opened))))

(defun remember-opened (place workspace)
  "Remembers WORKSPACE for PLACE, and forgets those that are closed or were not the latest."
  (let ((others (remove-if-not (lambda (opened)
                                 (and (not (equal place (opened-place opened)))
                                      (workspace-open-p (opened-workspace opened))))
                               *opened*)))
    (setf *opened* (cons (make-opened place workspace)
                         (subseq others 0 (min (length others) (1- +most-opened+)))))))

(defun open-current (root place)
  "Opens the workspace for ROOT, or for the detected root.  Two threads may do this at the same
time: each gets a workspace, and the later one stays the current one."
  (let ((workspace (if root (open-workspace :root root) (open-workspace))))
    (remember-opened place workspace)
    workspace))

(defun current-workspace ()
  "Returns *WORKSPACE*, or the workspace at *PROJECT-ROOT*, or the one at the detected root.
That is another one in a thread with another current directory, or of another connection."
  (or *workspace*
      (let* ((root (explicit-root))
             (place (current-place root)))
        (or (opened-for place) (open-current root place)))))

(defun forget-moved-p (workspace)
  "Forgets WORKSPACE, whose root was moved or replaced, if CURRENT-WORKSPACE has found it: the
next call opens the project again.  Returns true if it was forgotten."
  (let ((opened (find workspace *opened* :key #'opened-workspace)))
    (when (and (null *workspace*) opened)
      (setf *opened* (remove opened *opened*))
      t)))

(defun checked-workspace (workspace)
  "Returns WORKSPACE, or the current one for nil; signals for any other value."
  (cond ((null workspace) (current-workspace))
        ((workspace-p workspace) workspace)
        (t (invalid-argument "workspace: expected a workspace, got ~A"
                             (describe-type workspace)))))

(defun workspace-root (workspace)
  "Returns the canonical path of WORKSPACE's root, a string."
  (getf (workspace-properties (checked-workspace workspace)) :root))

(defmethod close-workspace (workspace)
  (invalid-argument "workspace: expected a workspace, got ~A" (describe-type workspace)))

(defmethod reset-workspace (workspace)
  (invalid-argument "workspace: expected a workspace, got ~A" (describe-type workspace)))

(defmethod print-object ((workspace workspace) stream)
  (print-unreadable-object (workspace stream :type t)
    (format stream "~A~:[ (closed)~;~]"
            (getf (workspace-properties workspace) :root)
            (workspace-open-p workspace))))
