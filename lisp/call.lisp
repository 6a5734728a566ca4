;;;; call.lisp -- calling operations.

(in-package #:agent-q-fs)

(defun run-operation (designator arguments workspace)
  "The reply of an operation as data, and nil or its error's code."
  (let* ((workspace (checked-workspace workspace))
         (name (operation-designator-name designator))
         (operation (find-operation name (workspace-transport workspace))))
    (perform workspace
             (encode-request name operation arguments)
             (and operation (operation-slow-p operation)))))

(defun call* (operation arguments &key workspace)
  "Calls OPERATION with ARGUMENTS, a property list, association list or hash table.
Returns the reply, a property list, or signals a child of agent-q-fs-error.

OPERATION is a name as in OPERATIONS, a string or a symbol (:READ-FILE).  So are the
names of arguments.  WORKSPACE is the current one by default."
  (multiple-value-bind (reply code) (run-operation operation arguments workspace)
    (if code
        (error (reply-condition reply code))
        reply)))

(defun split-workspace (arguments)
  "ARGUMENTS, a property list, without its keyword :WORKSPACE; and the latter's value."
  (loop with workspace = nil
        for (key . value) in (plist-entries arguments)
        if (eq key :workspace) do (setf workspace value)
        else collect (cons key value) into entries
        finally (return (values entries workspace))))

(defun call (operation &rest arguments)
  "Calls OPERATION with ARGUMENTS, a property list that may have a :WORKSPACE as well.

    (agent-q-fs:call :read-file :path \"a.lisp\" :start-line 10)

See CALL* for the rest."
  (multiple-value-bind (entries workspace) (split-workspace arguments)
    (call* operation entries :workspace workspace)))

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
  (handler-case (reply-text (run-operation name arguments workspace))
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
