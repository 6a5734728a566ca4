;;;; call.lisp -- calling operations.
;;;;
;;;; SPDX-License-Identifier: MIT

(in-package #:agent-q-fs)

(defvar *authority* :cautious
  "How much a call may do without being refused: :safe, :cautious or :dangerous.
A refusal is an agent-q-fs-approval-required whose PLIST has what would be done.  A
program binds this to :dangerous where it has asked.")

(defun find-row (name workspace)
  "The row of the operation NAME as WORKSPACE's end has it, or nil."
  (find-operation name (workspace-transport workspace)))

(defun run-operation (designator entries workspace how)
  "The reply of an operation as data, and nil or its error's code.
ENTRIES are the arguments, and HOW is a property list, of CALL-HOW."
  (let* ((workspace (checked-workspace workspace))
         (name (operation-designator-name designator)))
    (perform workspace name (find-row name workspace) entries how)))

(defun call-how (authority &key digest preview words)
  "What a request says beside the operation and its arguments, a property list.  This is the
only place that chooses the core's verb: a plan is made and shown, or the plan with DIGEST is
committed; otherwise a change is planned, and committed as far as AUTHORITY goes.  With WORDS,
the reply may lack all but what a model is shown."
  (append (list :authority authority)
          (cond (preview '(:verb :plan))
                (digest (list :verb :commit :digest digest)))
          (and words '(:words t))))

;;;; Trying again

(defun entry-path (entry)
  "The path that ENTRY, an argument, is; nil if it is none."
  (and (member (car entry) '("path" "source" "destination") :test #'string=)
       (given-path (cdr entry))))

(defun path-entry (entries condition)
  "The one of ENTRIES whose path CONDITION is about, or nil.  Where a call has two paths, the
core names the one at fault in its message."
  (unless (typep condition 'agent-q-fs-invalid-argument)
    (let ((path (agent-q-fs-error-path condition))
          (message (agent-q-fs-error-message condition)))
      (find-if (lambda (entry)
                 (let ((given (entry-path entry)))
                   (and given
                        (or (equal given path)
                            (search (concatenate 'string "'" given "'") message)))))
               entries))))

(defun with-entry (entries name value)
  "ENTRIES with VALUE as the argument NAME; without that argument where VALUE is nil."
  (let ((others (without-entry entries name)))
    (if value (acons name value others) others)))

(defun ask-for (what)
  "Asks the person at the terminal for WHAT, for a restart."
  (format *query-io* "~&~A: " what)
  (finish-output *query-io*)
  (list (read-line *query-io*)))

(defun signal-failure (reply code entries versioned)
  "Signals the error that REPLY with CODE is.  Returns the arguments to try again with.
VERSIONED is true of an operation that takes a version."
  (let* ((condition (reply-condition reply code))
         (given (path-entry entries condition)))
    (restart-case (error condition)
      (retry ()
        :report "Call again."
        entries)
      (use-path (path)
        :test (lambda (signalled) (declare (ignore signalled)) given)
        :report "Call again with another path."
        :interactive (lambda () (ask-for "Path"))
        (with-entry entries (car given) path))
      (supply-version (version)
        :test (lambda (signalled) (declare (ignore signalled))
                (and versioned (typep condition 'agent-q-fs-stale)))
        :report "Call again with another version, or nil for any."
        :interactive (lambda () (ask-for "Version"))
        (with-entry entries "version" (and (plusp (length version)) version))))))

(defun versioned-p (designator workspace)
  "Does the operation take the version that a file is to have?"
  (let ((row (find-row (operation-designator-name designator) workspace)))
    (and row (find "version" (operation-parameters row) :key #'parameter-name
                                                        :test #'string=))))

(defun reach (function)
  "The values of FUNCTION, a call; a lost connection is an answer, to be signalled with the
restarts of one."
  (handler-case (funcall function)
    (agent-q-fs-not-connected (condition)
      (values (agent-q-fs-error-plist condition) "not-connected"))))

;;;; Calls of programs

(defun call* (operation arguments &key workspace (authority *authority*) digest preview)
  "Calls OPERATION with ARGUMENTS, a property list, association list or hash table.
Returns the reply, a property list, or signals a child of agent-q-fs-error.

OPERATION is a name as in OPERATIONS, a string or a symbol (:READ-FILE).  So are the
names of arguments.  WORKSPACE is the current one by default.

What would do more than AUTHORITY allows is refused.  With PREVIEW nothing is done: the
reply has what would be (:TIER :SUMMARY :TARGETS :DIFF :DIGEST).  With DIGEST, one of
these, exactly that is done; agent-q-fs-stale is signalled where it would now differ.

There is a restart RETRY; USE-PATH with another path, where one was at fault; and
SUPPLY-VERSION with another version (nil for any), where a file is not of the version that
was given."
  (let ((entries (argument-entries arguments))
        (how (call-how authority :digest digest :preview preview)))
    (loop
      (multiple-value-bind (reply code)
          (reach (lambda () (run-operation operation entries workspace how)))
        (unless code (return reply))
        (setf entries
              (signal-failure reply code entries
                              (and (string= code "stale") (not digest)
                                   (versioned-p operation (checked-workspace workspace)))))))))

(defparameter *call-keywords* '(:workspace :authority :digest :preview)
  "What CALL takes out of a call's arguments: no operation has parameters of these names.")

(defun split-arguments (arguments)
  "ARGUMENTS, a property list, without *CALL-KEYWORDS*; and a property list of those."
  (loop for (key . value) in (plist-entries arguments)
        if (member key *call-keywords*) append (list key value) into keywords
        else collect (cons key value) into others
        finally (return (values others keywords))))

(defun call (operation &rest arguments)
  "Calls OPERATION with ARGUMENTS, a property list that may have a :WORKSPACE as well,
and an :AUTHORITY, :DIGEST and :PREVIEW.

    (agent-q-fs:call :read-file :path \"a.lisp\" :start-line 10)

See CALL* for the rest."
  (multiple-value-bind (others keywords) (split-arguments arguments)
    (apply #'call* operation others keywords)))

(defun preview (operation arguments &key workspace)
  "What CALL* of OPERATION with ARGUMENTS would do, and does nothing.  See COMMIT."
  (call* operation arguments :workspace workspace :preview t))

(defun commit (digest operation arguments &key workspace)
  "Does what a preview with this DIGEST showed of OPERATION with ARGUMENTS.
Signals agent-q-fs-stale, and does nothing, where anything would now be done differently.
That somebody approved of it is for the caller to know: this has all authority."
  (unless (stringp digest) ; without one, nothing would be compared
    (invalid-argument "digest: expected that of a preview, got ~A" (describe-type digest)))
  (call* operation arguments :workspace workspace :authority :dangerous :digest digest))

(defun read-bytes (path &key offset limit workspace)
  "The bytes of the file PATH, at most LIMIT from OFFSET on, as a vector of octets.
The second value is the reply, which says whether there are more (:TRUNCATED)."
  (let ((reply (call* "read_bytes" (append (list :path path)
                                           (and offset (list :offset offset))
                                           (and limit (list :limit limit)))
                      :workspace workspace)))
    (values (decode-base64 (getf reply :content)) reply)))
