;;;; workspace.lisp -- workspaces, however they are reached.

(in-package #:agent-q-fs)

(defstruct (workspace (:constructor nil) (:copier nil))
  "A directory that no path leads out of.  Each transport has its own kind."
  (properties '() :type list :read-only t))

(setf (documentation 'workspace-properties 'function)
      "What the core said when it opened the workspace, a property list.")

;;;; What a transport provides

(defgeneric open-by-transport (transport options)
  (:documentation "A new workspace.  OPTIONS are JSON, as octets."))

(defgeneric close-workspace (workspace)
  (:documentation "Ends WORKSPACE.  May be repeated, and while other threads use it: what
they have begun they finish."))

(defgeneric reset-workspace (workspace)
  (:documentation "Puts WORKSPACE, which is in memory or a session, back to what it was opened
with: empty but for its mounts, as they were copied.  Returns it."))

(defgeneric workspace-open-p (workspace)
  (:documentation "False once WORKSPACE was closed."))

(defgeneric workspace-transport (workspace)
  (:documentation "The transport by which WORKSPACE is reached, a keyword."))

(defgeneric perform (workspace request slow)
  (:documentation "Sends REQUEST, JSON as octets, and returns two values: the reply as data,
and nil or the error's code as a string.  SLOW is true of what may take long."))

(defmethod open-by-transport (transport options)
  (declare (ignore options))
  (invalid-argument "There is no transport ~A (~A); load the system agent-q-fs/ffi for :FFI"
                    (if (symbolp transport) (symbol-name transport) "of that kind")
                    (describe-type transport)))

(defmethod transport-operations (transport)
  (open-by-transport transport #()))

;;;; Opening

(defun default-directory ()
  "The directory that relative pathnames are relative to, without its last name's rest."
  (let ((here (merge-pathnames *default-pathname-defaults* (uiop:getcwd))))
    (make-pathname :name nil :type nil :version nil :defaults here)))

(defun absolute-root (root)
  "ROOT as the core takes it.  A pathname may be relative, as pathnames are."
  (if (pathnamep root)
      (merge-pathnames root (default-directory))
      root))

(defun state-directory ()
  "Where journals of writes are kept, and what keeps writers of one project apart: the
same place as Emacs has, by default."
  (let ((state (uiop:getenv-pathname "XDG_STATE_HOME" :ensure-directory t)))
    (merge-pathnames "agent-q-fs/"
                     (or state (merge-pathnames ".local/state/" (user-homedir-pathname))))))

(defun complete-options (options)
  "OPTIONS, an association list, with what the core cannot know: it reads no
environment.  START and CWD are where a root is looked for."
  (flet ((add (name value)
           (unless (find name options :key (lambda (entry) (key-name (car entry)))
                                      :test #'string=)
             (push (cons name value) options))))
    (unless (cdr (assoc "root" options :key #'key-name :test #'string=))
      (add "start" (default-directory))
      (add "cwd" (default-directory)))
    (add "home" (user-homedir-pathname))
    (add "state_dir" (state-directory))
    (add "temp_dir" (uiop:temporary-directory))
    (loop for (name . value) in options
          collect (cons name (if (string= (key-name name) "root")
                                 (absolute-root value)
                                 value)))))

(defun open-workspace (&rest options &key (transport *transport*) &allow-other-keys)
  "Opens a workspace.  OPTIONS, all of them optional:

  :BACKEND          :host (default), a directory that is there; :memory; or :session, a
                    directory of its own, which goes when the workspace is closed
  :ROOT             the project's directory, a pathname or an absolute string;
                    when absent, the Git root above *default-pathname-defaults*,
                    then :ASDF-ROOT, then :SLY-DIRECTORY, then that directory itself
  :MODE             :restricted (default) or :unrestricted
  :ALLOWED-PATHS    a list of further directories that may be used
  :RESTRICTED-PATHS a list of what may not be used or seen
  :PROTECTED-PATHS  a list of what is not written without approval, beside the usual
  :READ-ONLY        true to refuse everything that writes
  :MOUNTS           what is copied in at opening, in memory or a session: property lists
                    of :host-path, :mount-path, :include-glob, :exclude-glob, :max-bytes
                    and :follow-symlinks
  :ALLOWED-HOST-ROOTS
                    a list of the directories that mounts may come from
  :LIMITS           a property list, such as (:read-lines 100)
  :HOME             what ~ stands for
  :STATE-DIR        where journals of writes are kept
  :TEMP-DIR         where a session's directory is made
  :TRANSPORT        how it is reached, *TRANSPORT* by default

Close it with CLOSE-WORKSPACE; a forgotten one is closed when it has become garbage."
  (let ((entries (remove "transport" (argument-entries options)
                         :key (lambda (entry) (key-name (car entry))) :test #'string=)))
    (open-by-transport transport (encode-options (complete-options entries)))))

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
  "The workspace that calls use; nil for one at the detected root, opened at first use.")

(defvar *detected-workspace* nil
  "What CURRENT-WORKSPACE opened by itself.")

(defvar *detected-workspace-lock* (make-lock "agent-q-fs current workspace"))

(defun detected-workspace (&optional new)
  "What CURRENT-WORKSPACE opened before, if it is open still; else NEW, from now on."
  (with-lock (*detected-workspace-lock*)
    (if (and *detected-workspace* (workspace-open-p *detected-workspace*))
        *detected-workspace*
        (setf *detected-workspace* new))))

(defun current-workspace ()
  "*WORKSPACE*, or the one at the detected root."
  (or *workspace*
      (detected-workspace)
      ;; Opened without the lock: it may end in the debugger, and stay there.
      (let* ((new (open-workspace))
             (current (detected-workspace new)))
        (unless (eq current new) (close-workspace new))
        current)))

(defun checked-workspace (workspace)
  "WORKSPACE, or the current one for nil; anything else is an error."
  (cond ((null workspace) (current-workspace))
        ((workspace-p workspace) workspace)
        (t (invalid-argument "workspace: expected a workspace, got ~A"
                             (describe-type workspace)))))

(defun workspace-root (workspace)
  "The canonical path of WORKSPACE's root, a string."
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
