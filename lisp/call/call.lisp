;;;; call.lisp -- calling operations.
;;;;
;;;; SPDX-License-Identifier: MIT

(in-package #:agent-q-fs)

(defvar *authority* :cautious
  "The highest tier of a change that a call may make: :safe, :cautious or :dangerous.
A change of a higher tier is refused with agent-q-fs-approval-required, whose PLIST shows the
change.  A program that has asked for approval binds this to :dangerous.")

(defun find-row (name workspace)
  "Returns the row of the operation NAME in the table of WORKSPACE's transport, or nil."
  (find-operation name (workspace-transport workspace)))

(defun run-operation (designator entries workspace how)
  "Returns the reply of an operation as data, and nil or its error's code.
ENTRIES are the arguments, and HOW is a property list, of CALL-HOW."
  (let ((name (operation-designator-name designator))
        (reached (checked-workspace workspace)))
    (multiple-value-bind (reply code) (perform reached name (find-row name reached) entries how)
      (if (and (equal code "root-moved") (null workspace) (forget-moved-p reached))
          (run-operation designator entries nil how)
          (values reply code)))))

(defun call-how (authority &key digest preview words origin)
  "Returns the members of a request beside the operation and its arguments, a property list.
Only this function chooses the core's verb: a plan is made and shown, or the plan with DIGEST
is committed; otherwise a change is planned, and committed if AUTHORITY allows it.  With WORDS,
the reply may have only the text for a model.  ORIGIN is for whom it is, if not for a person."
  (append (list :authority authority)
          (cond (preview '(:verb :plan))
                (digest (list :verb :commit :digest digest)))
          (and words '(:words t))
          (and origin (list :origin origin))))

;;;; Trying again

(defun entry-path (entry)
  "Returns the path in ENTRY, an argument, or nil."
  (and (member (car entry) '("path" "source" "destination") :test #'string=)
       (given-path (cdr entry))))

(defun path-entry (entries condition)
  "Returns the one of ENTRIES whose path CONDITION is about, or nil.  Where a call has two
paths, the core names the one at fault in its message."
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
  "Returns ENTRIES with VALUE as the argument NAME; without that argument if VALUE is nil."
  (let ((others (without-entry entries name)))
    (if value (acons name value others) others)))

(defun ask-for (what)
  "Asks the person at the terminal for WHAT, for a restart."
  (format *query-io* "~&~A: " what)
  (finish-output *query-io*)
  (list (read-line *query-io*)))

(defun signal-failure (reply code entries versioned)
  "Signals the error in REPLY, whose code is CODE.  Returns the arguments for another try.
VERSIONED is true for an operation that takes a version."
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
  "Returns true if the operation takes the version that a file must have."
  (let ((row (find-row (operation-designator-name designator) workspace)))
    (and row (find "version" (operation-parameters row) :key #'parameter-name
                                                        :test #'string=))))

(defun reach (function)
  "Returns the values of FUNCTION, a call.  A lost connection becomes an error reply, so that it
is signalled with the restarts of other errors."
  (handler-case (funcall function)
    (agent-q-fs-not-connected (condition)
      (values (agent-q-fs-error-plist condition) "not-connected"))))

;;;; Calls of programs

(defun call* (operation arguments &key workspace (authority *authority*) digest preview)
  "Calls OPERATION with ARGUMENTS, a property list, association list or hash table.
Returns the reply, a property list, or signals a child of agent-q-fs-error.

OPERATION is a name as in OPERATIONS, a string or a symbol (:READ-FILE).  So are the
names of arguments.  WORKSPACE is the current one by default.

A change of a higher tier than AUTHORITY is refused.  With PREVIEW the change is planned and
not made: the reply shows it (:TIER :SUMMARY :TARGETS :DIFF :DIGEST :ALLOWED).  With the DIGEST
of a preview, exactly that change is made; agent-q-fs-stale is signalled if the change would
now be another one.

Errors have the restarts RETRY; USE-PATH, which takes another path, if a path is at fault; and
SUPPLY-VERSION, which takes another version (nil for any), if a file has another version than
the caller gave."
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
  "The keywords that CALL takes out of a call's arguments: no operation has such parameters.")

(defun split-arguments (arguments)
  "Returns ARGUMENTS, a property list, without *CALL-KEYWORDS*; and a property list of those."
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
  "Returns what CALL* of OPERATION with ARGUMENTS would change, and changes nothing.  See COMMIT."
  (call* operation arguments :workspace workspace :preview t))

(defun commit (digest operation arguments &key workspace)
  "Makes the change that a preview of OPERATION with ARGUMENTS showed, whose digest was DIGEST.
Signals agent-q-fs-stale, and changes nothing, if the change would now be another one.
The caller must know that the change is approved: this function has all authority."
  (unless (stringp digest) ; without a digest the core would compare nothing
    (invalid-argument "digest: expected that of a preview, got ~A" (describe-type digest)))
  (call* operation arguments :workspace workspace :authority :dangerous :digest digest))

(defun read-bytes (path &key offset limit workspace)
  "Returns the bytes of the file PATH, at most LIMIT from OFFSET on, as a vector of octets.
The second value is the reply, which says whether there are more bytes (:TRUNCATED)."
  (let ((reply (call* "read_bytes" (append (list :path path)
                                           (and offset (list :offset offset))
                                           (and limit (list :limit limit)))
                      :workspace workspace)))
    (values (decode-base64 (getf reply :content)) reply)))
