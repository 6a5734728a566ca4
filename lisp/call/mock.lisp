;;;; mock.lisp -- a workspace with prepared replies, for tests of your own tools.
;;;;
;;;; SPDX-License-Identifier: MIT
;;;;
;;;;     (let ((ws (open-mock '(:read-file (:path "a" :content "one"))
;;;;                          '(:grep-files (:error :limit :message "Too much"))
;;;;                          (list :list-dir (lambda (arguments) ...)))))
;;;;       (my-tool ws)
;;;;       (assert (equal (mock-arguments ws :read-file) '((:path "a")))))
;;;;
;;;; If agent-q-fs/ffi is loaded, calls are checked against the core's table, so that a test with
;;;; a misspelled parameter fails.

(in-package #:agent-q-fs)

(defstruct (mock-workspace (:include workspace) (:copier nil)
                           (:constructor make-mock-workspace (properties replies)))
  "A workspace with prepared replies."
  (replies '() :type list)              ; a list of (NAME REPLY...)
  (asked '() :type list)                ; latest first
  (open t)
  (lock (make-lock "agent-q-fs mock") :read-only t))

(defun open-mock (&rest replies)
  "Returns a workspace without files that answers with REPLIES.

Each of them is a list (OPERATION REPLY...): the first call of OPERATION is answered with
the first REPLY, and so on; the last REPLY is repeated.  A REPLY is a property list as
operations return it; a property list that begins with :ERROR and a code; or a function that
is called with the arguments and returns one of these.  Any other operation answers with an
error."
  (make-mock-workspace '(:root "/mock/" :method :mock :mode :restricted :backend :memory)
                       (loop for (operation . rest) in replies
                             collect (cons (operation-designator-name operation)
                                           (copy-list rest)))))

(defmethod close-workspace ((workspace mock-workspace))
  (setf (mock-workspace-open workspace) nil))

(defmethod workspace-open-p ((workspace mock-workspace))
  (mock-workspace-open workspace))

(defmethod workspace-transport ((workspace mock-workspace))
  :mock)

(defun table-of-mocks ()
  "Returns the core's table of operations, or nil if the shared object is not at hand."
  (handler-case (transport-operations :ffi)
    (agent-q-fs-error () '())))

(defmethod transport-operations ((transport (eql :mock)))
  (table-of-mocks))

(defun mock-plist (entries)
  "Returns ENTRIES as a property list, whose keywords are spelled with hyphens."
  (loop for (key . value) in entries
        collect (intern (string-upcase (substitute #\- #\_ key)) '#:keyword)
        collect value))

(defun check-mock-call (name operation entries)
  "Signals an error if the table has no operation NAME, or none with such ENTRIES."
  (let ((given (mapcar #'car entries)))
    (when (and (null operation) (table-of-mocks))
      (fail 'agent-q-fs-unknown-operation :unknown-operation
            (format-message "There is no operation ~A" (list name))))
    (when operation
      (let ((parameters (operation-parameters operation)))
        (dolist (key given)
          (unless (find key parameters :key #'parameter-name :test #'string=)
            (invalid-argument "~A: ~A has no such parameter" key name)))
        (dolist (parameter parameters)
          (when (and (parameter-required-p parameter)
                     (not (member (parameter-name parameter) given :test #'string=))
                     (not (member (parameter-unless parameter) given :test #'equal)))
            (invalid-argument "~A: ~A needs it" (parameter-name parameter) name)))))))

(defun next-mock-reply (workspace name)
  "Returns the next reply for NAME, or a function; or an error reply if none is prepared."
  (let ((entry (assoc name (mock-workspace-replies workspace) :test #'string=)))
    (cond ((null entry)
           (make-error-plist :unknown-operation
                             (format-message "This mock was told no reply for ~A" (list name))
                             nil nil))
          ((cddr entry) (pop (cdr entry)))
          (t (second entry)))))

(defun whole-mock-reply (reply)
  "Returns REPLY with the members that every reply has."
  (cond ((getf reply :text) reply)
        ((eq :approval-required (getf reply :error))
         ;; A person approves of a plan, and a plan has a digest.
         (append (make-error-plist :approval-required (getf reply :message "A mock's error")
                                   (getf reply :path) (getf reply :hint))
                 (list :digest (getf reply :digest "mock"))
                 reply))
        ((getf reply :error)
         (make-error-plist (getf reply :error) (getf reply :message "A mock's error")
                           (getf reply :path) (getf reply :hint)))
        (t (append reply (list :text (getf reply :content ""))))))

(defmethod perform ((workspace mock-workspace) name operation entries how)
  (unless (mock-workspace-open workspace)
    (invalid-argument "The workspace is closed"))
  (check-mock-call name operation entries)
  (let* ((plist (mock-plist entries))
         (reply (with-lock ((mock-workspace-lock workspace))
                  (push (list :operation name :arguments plist
                              :authority (getf how :authority) :digest (getf how :digest)
                              :preview (eq :plan (getf how :verb)))
                        (mock-workspace-asked workspace))
                  (next-mock-reply workspace name)))
         (whole (whole-mock-reply (if (functionp reply) (funcall reply plist) reply)))
         (code (getf whole :error)))
    (values whole (and code (string-downcase (symbol-name code))))))

(defun mock-calls (workspace)
  "Returns the calls of WORKSPACE, of OPEN-MOCK, the first one first: property lists of
:OPERATION, a string, :ARGUMENTS, :AUTHORITY, :DIGEST and :PREVIEW."
  (reverse (mock-workspace-asked workspace)))

(defun mock-arguments (workspace operation)
  "Returns the arguments of each call of OPERATION in WORKSPACE, property lists."
  (loop with name = (operation-designator-name operation)
        for call in (mock-calls workspace)
        when (string= name (getf call :operation))
          collect (getf call :arguments)))

(defun mock-forget (workspace)
  "Forgets the calls of WORKSPACE."
  (setf (mock-workspace-asked workspace) '())
  workspace)
