;;;; call.lisp -- calling operations.

(in-package #:agent-q-fs)

(defvar *authority* :cautious
  "How much a call may do without being refused: :safe, :cautious or :dangerous.
A refusal is an agent-q-fs-approval-required whose PLIST has what would be done.  A
program binds this to :dangerous where it has asked.")

(defgeneric perform-call (workspace name arguments how)
  (:documentation "The reply of the operation NAME as data, and nil or its error's code.
HOW is an association list of the request's members beside NAME and ARGUMENTS."))

(defmethod perform-call (workspace name arguments how)
  (let ((operation (find-operation name (workspace-transport workspace))))
    (perform workspace
             (encode-request name operation arguments how)
             (and operation (operation-slow-p operation)))))

(defun run-operation (designator arguments workspace how)
  "What PERFORM-CALL answers for the operation that DESIGNATOR names."
  (perform-call (checked-workspace workspace)
                (operation-designator-name designator)
                arguments how))

(defun request-members (authority digest preview)
  "What a request says beside the operation and its arguments, an association list."
  (list* (cons "authority" authority)
         (cons "preview" (and preview t))
         (and digest (list (cons "digest" digest)))))

(defun call* (operation arguments &key workspace (authority *authority*) digest preview)
  "Calls OPERATION with ARGUMENTS, a property list, association list or hash table.
Returns the reply, a property list, or signals a child of agent-q-fs-error.

OPERATION is a name as in OPERATIONS, a string or a symbol (:READ-FILE).  So are the
names of arguments.  WORKSPACE is the current one by default.

What would do more than AUTHORITY allows is refused.  With PREVIEW nothing is done: the
reply has what would be (:TIER :SUMMARY :TARGETS :DIFF :DIGEST).  With DIGEST, one of
these, exactly that is done; agent-q-fs-stale is signalled where it would now differ."
  (multiple-value-bind (reply code)
      (run-operation operation arguments workspace
                     (request-members authority digest preview))
    (if code
        (error (reply-condition reply code))
        reply)))

(defparameter *call-keywords* '(:workspace :authority :digest :preview)
  "What CALL takes out of a call's arguments: no operation has parameters of these names.")

(defun split-arguments (arguments)
  "ARGUMENTS, a property list, without *CALL-KEYWORDS*; and a property list of those."
  (loop for (key . value) in (plist-entries arguments)
        if (member key *call-keywords*) append (list key value) into keywords
        else collect (cons key value) into entries
        finally (return (values entries keywords))))

(defun call (operation &rest arguments)
  "Calls OPERATION with ARGUMENTS, a property list that may have a :WORKSPACE as well,
and an :AUTHORITY, :DIGEST and :PREVIEW.

    (agent-q-fs:call :read-file :path \"a.lisp\" :start-line 10)

See CALL* for the rest."
  (multiple-value-bind (entries keywords) (split-arguments arguments)
    (apply #'call* operation entries keywords)))

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

(defun reply-text (reply)
  "The words for a model in REPLY."
  (let ((text (getf reply :text)))
    (if (stringp text)
        text
        (malformed "it has no text"))))

(defun call-tool (name arguments &key workspace)
  "Calls the tool NAME as a model asked for, and returns the text to show it.

ARGUMENTS are a hash table, association list or property list.  A tool's failure is
text as well, which begins with \"Error: \"; only a missing or wrong shared object,
which no model can do anything about, is signalled."
  (handler-case (reply-text (run-operation name arguments workspace
                                 (request-members *authority* nil nil)))
    (agent-q-fs-library-error (condition) (error condition))
    (agent-q-fs-error (condition) (reply-text (agent-q-fs-error-plist condition)))))

(defun read-bytes (path &key offset limit workspace)
  "The bytes of the file PATH, at most LIMIT from OFFSET on, as a vector of octets.
The second value is the reply, which says whether there are more (:TRUNCATED)."
  (let ((reply (call* "read_bytes" (append (list :path path)
                                           (and offset (list :offset offset))
                                           (and limit (list :limit limit)))
                      :workspace workspace)))
    (values (decode-base64 (getf reply :content)) reply)))
