;;;; driver.lisp -- the conformance table through Common Lisp and CFFI.
;;;;
;;;; SPDX-License-Identifier: MIT
;;;;
;;;;     CASES=FILE TABLES="a.sexp b.sexp" sbcl ... --load driver.lisp
;;;;
;;;; FILE is what `driver setup` printed: one property list a case and resolver, its
;;;; texts evaluated and its tree made.  Each call is made with agent-q-fs:call, and what
;;;; comes is compared here; the trees are looked at by `driver check`.  Speaks only
;;;; of failures; the last line is `3 passed, 0 failed, 0 skipped`.

(load (merge-pathnames "../lisp/setup.lisp" *load-truename*))
(agent-q-fs/setup:load-systems '("agent-q-fs" "agent-q-fs/ffi") '("cffi") nil)

(defpackage #:agent-q-fs/conformance
  (:use #:common-lisp))

(in-package #:agent-q-fs/conformance)

(load (merge-pathnames "declared.lisp" *load-truename*))

(defvar *opened* nil
  "Was the workspace of the case opened?")

(defvar *door* (string-downcase (lisp-implementation-type)))

(defun read-data (path)
  "All data in the file PATH."
  (with-open-file (stream path :external-format :utf-8)
    (with-standard-io-syntax
      (let ((*read-eval* nil)
            (*package* (find-package '#:agent-q-fs/conformance)))
        (loop for datum = (read stream nil stream)
              until (eq datum stream)
              collect datum)))))

;;;; Calling

(defun condition-data (condition)
  "The error's property list, if the condition is of the class its code names."
  (let* ((data (agent-q-fs:agent-q-fs-error-plist condition))
         (code (agent-q-fs:agent-q-fs-error-code condition))
         (class (find-symbol (format nil "AGENT-Q-FS-~A" code) '#:agent-q-fs)))
    (if (and (eq code (getf data :error)) (eq class (type-of condition)))
        data
        (list :error :wrong-condition :message (princ-to-string condition)))))

(defun operation-of (call)
  (string-downcase (first call)))

(defun digest-of (workspace call)
  "The digest of the preview of a call; where it gets none, what is none."
  (handler-case (getf (agent-q-fs:preview (operation-of call) (rest call) :workspace workspace)
                      :digest)
    (agent-q-fs:agent-q-fs-error () "none")))

(defun ask-for-model (workspace call authority &rest members)
  "The reply of a call that is made for a model, with the MEMBERS of CALL-HOW; signals errors."
  (let ((entries (agent-q-fs::argument-entries (rest call))))
    (multiple-value-bind (reply code)
        (agent-q-fs::run-operation (operation-of call) entries workspace
                                   (apply #'agent-q-fs::call-how authority :origin :model members))
      (if code (error (agent-q-fs::reply-condition reply code)) reply))))

(defun digest-for-model (workspace call)
  "The digest of the preview of a model's call, or of its refusal; where it gets none, what is none."
  (handler-case (getf (ask-for-model workspace call :safe :preview t) :digest)
    (agent-q-fs:agent-q-fs-error (condition)
      (getf (agent-q-fs::agent-q-fs-error-plist condition) :digest "none"))))

(defun call-for-model (workspace call how digest)
  "The reply of a call that is made for a model, as HOW says, and with DIGEST if that is not nil."
  (cond ((getf how :preview)
         (ask-for-model workspace call (getf how :authority :safe) :preview t))
        (digest (ask-for-model workspace call :dangerous :digest digest))
        (t (ask-for-model workspace call (getf how :authority :safe)))))

(defun make-call (workspace case)
  "The reply of the case's call, made as it says."
  (let* ((how (getf case :how))
         (call (getf case :call))
         (operation (operation-of call))
         (digest (if (getf how :approved)
                     (funcall (if (getf how :origin) #'digest-for-model #'digest-of)
                              workspace (or (getf case :shown) call))
                     (getf how :digest))))
    (when (getf case :meanwhile)
      (uiop:run-program (getf case :meanwhile)))
    (cond ((getf how :origin) (call-for-model workspace call how digest))
          ((getf how :preview)
           (agent-q-fs:preview operation (rest call) :workspace workspace))
          (digest
           (agent-q-fs:commit digest operation (rest call) :workspace workspace))
          (t (agent-q-fs:call* operation (rest call)
                               :workspace workspace
                               :authority (getf how :authority :safe))))))

(defun call-in (workspace case)
  "The reply of the case's call, or what the workspace is when there is no call."
  (if (getf case :call)
      (make-call workspace case)
      (agent-q-fs:workspace-properties workspace)))

(defun perform (case)
  "The reply of CASE's call, or the data of the condition it signals."
  (setf *opened* nil)
  (handler-case
      (let ((workspace (apply #'agent-q-fs:open-workspace
                              :transport :ffi (getf case :options))))
        (setf *opened* t)
        (unwind-protect (call-in workspace case)
          (agent-q-fs:close-workspace workspace)))
    (agent-q-fs:agent-q-fs-error (condition) (condition-data condition))
    (error (condition)
      (list :error :not-ours :message (format nil "~A: ~A" (type-of condition) condition)))))

;;;; Comparing

(declaim (ftype function difference)) ; which the parts below call for their parts

(defun value-of (got key)
  "The value of KEY in GOT, if that is a property list."
  (and (listp got) (evenp (length got)) (getf got key)))

(defun has-p (text part)
  (and (stringp text) (search part text)))

(defun like-p (text like)
  "Is TEXT like LIKE, in which ? is any character?"
  (and (stringp text)
       (= (length text) (length like))
       (every (lambda (a b) (or (char= b #\?) (char= a b))) text like)))

(defun map-difference (want got)
  "Where the property list GOT differs from WANT, or nil."
  (loop for (key value) on want by #'cddr
        for inner = (difference value (value-of got key))
        when inner
          do (return (cons key inner))))

(defun list-difference (want got)
  "Where the list GOT differs from WANT, or nil."
  (if (and (listp got) (= (length want) (length got)))
      (loop for a in want
            for b in got
            for index from 0
            for inner = (difference a b)
            when inner
              do (return (cons index inner)))
      '(:here)))

(defun some-item-p (want got)
  (and (listp got) (some (lambda (item) (not (difference want item))) got)))

(defun pattern-p (pattern got)
  "Is GOT as PATTERN says?"
  (let ((parts (rest pattern)))
    (ecase (first pattern)
      (any got)
      (contains (every (lambda (part) (has-p got part)) parts))
      (without (and (stringp got) (notany (lambda (part) (has-p got part)) parts)))
      (like (like-p got (first parts)))
      (has (every (lambda (want) (some-item-p want got)) parts))
      (lacks (notany (lambda (want) (some-item-p want got)) parts)))))

(defun difference (want got)
  "Where GOT differs from WANT, a list of keys and indices, or nil."
  (cond ((atom want) (if (equal want got) nil '(:here)))
        ((keywordp (first want)) (map-difference want got))
        ((symbolp (first want)) (if (pattern-p want got) nil '(:here)))
        (t (list-difference want got))))

(defun error-difference (want got)
  "Where the error GOT differs from WANT, (CODE PART... :KEY VALUE...), or nil."
  (destructuring-bind (code &rest rest) want
    (cond ((not (string= code (or (value-of got :error) ""))) '(:error))
          ((loop while (stringp (first rest))
                 thereis (not (has-p (value-of got :message) (pop rest))))
           '(:message))
          (t (map-difference rest got)))))

(defun outcome-difference (want got)
  (cond ((eq (first want) 'any) nil)
        ((eq (first want) 'refused)
         (if (member (or (value-of got :error) "") (rest want) :test #'string=) nil '(:error)))
        ((eq (first want) 'error) (error-difference (rest want) got))
        ((value-of got :error) '(:an-error))
        (t (map-difference (rest want) got))))

;;;; Running

(defun cut (text)
  (subseq text 0 (min 3000 (length text))))

(defun tell-case (case)
  "Tells scripts/watch-tests.sh that CASE begins."
  (let ((file (uiop:getenv "TEST_NOW")))
    (when (plusp (length file))
      (with-open-file (stream file :direction :output :if-exists :overwrite)
        (format stream "~A (~A)~%" (getf case :name) *door*)))))

(defun run-case (case)
  "True when CASE is as it should be."
  (tell-case case)
  (let* ((want (getf case :want))
         (got (perform case))
         (printed (with-standard-io-syntax (prin1-to-string got)))
         (difference (outcome-difference want got))
         (told (remove-if-not (lambda (text) (has-p printed text)) (getf case :never)))
         (undeclared (declared-faults (and *opened* (getf case :call)
                                           (operation-of (getf case :call)))
                                      (getf (getf case :how) :preview) got)))
    (when (or difference told undeclared)
      (format t "FAILED ~A (~A, ~A)~%  expected: ~S~%  came:     ~A~%"
              (getf case :name) *door* (getf (getf case :options) :resolver)
              want (cut printed))
      (format t "~@[  differs at ~S~%~]~@[  the reply tells ~S~%~]~@[  not as declared: ~S~%~]"
              difference told undeclared))
    (not (or difference told undeclared))))

(defun stray-keywords ()
  "The keywords of replies that the core's catalogue has not, strings."
  (loop for name being the hash-keys of agent-q-fs::*new-keywords* collect name))

(defun sayable-p (case)
  "Returns false if CASE has characters that this Lisp has not, and read as replacements."
  (or (= char-code-limit #x110000)
      (not (find (code-char #xFFFD) (prin1-to-string case)))))

(defun main ()
  (dolist (table (uiop:split-string (uiop:getenv "TABLES")))
    (when (plusp (length table))
      (assert (read-data table))))
  (loop for case in (read-data (uiop:getenv "CASES"))
        for wanted = (and (member 'lisp (getf case :doors)) (sayable-p case))
        for good = (and wanted (run-case case))
        count (not wanted) into skipped
        count good into passed
        count (and wanted (not good)) into failed
        finally (agent-q-fs/setup:finish)
                (when (stray-keywords)
                  (format t "FAILED ~A: the catalogue has not ~{:~A~^, ~}~%" *door*
                          (stray-keywords))
                  (incf failed))
                (format t "~&~A: ~D passed, ~D failed, ~D skipped~%"
                        *door* passed failed skipped)
                (finish-output)
                (uiop:quit (if (zerop failed) 0 1))))

(main)
