;;;; declared.lisp -- is a reply what the catalogue declares?
;;;;
;;;; SPDX-License-Identifier: MIT
;;;;
;;;; This asks of a property list what test/support/declared.c asks of JSON.  FORGET
;;;; in the environment is a member that is taken for undeclared: a driver that does
;;;; not fail then has looked at nothing.

(in-package #:agent-q-fs/conformance)

(defvar *catalogue* nil
  "The core's words about itself, once it was asked.")

(defun take-catalogue ()
  (agent-q-fs:load-library)
  (agent-q-fs::read-reply
   (agent-q-fs::take-reply
    (agent-q-fs::%catalogue 0))))

(defun catalogue (key)
  (getf (or *catalogue* (setf *catalogue* (take-catalogue))) key))

(defun named (name rows)
  (find name rows :key (lambda (row) (getf row :name)) :test #'equal))

(defun known-reply (name)
  "The members of the reply called NAME that is no one operation's."
  (getf (or (named name (catalogue :replies)) (error "No reply is called ~A" name)) :members))

(defun member-key (member)
  (intern (string-upcase (substitute #\- #\_ (getf member :name))) '#:keyword))

(defun spelled-p (text pattern)
  "Is TEXT like PATTERN, in which 0 is any digit?"
  (and (stringp text)
       (= (length text) (length pattern))
       (every (lambda (a b) (if (char= b #\0) (digit-char-p a) (char= a b))) text pattern)))

(defun type-p (member value)
  (let ((choices (getf member :choices)))
    (ecase (getf member :type)
      (:integer (integerp value))
      (:boolean (eq value t))
      (:keyword (and (keywordp value)
                     (find (string-downcase value) choices :test #'string=)))
      (:time (spelled-p value "0000-00-00T00:00:00.000Z"))
      (:digest (and (stringp value) (<= 32 (length value))
                    (every (lambda (c) (digit-char-p c 16)) value)))
      ((:list :map) (consp value))
      ((:string :path) (and (stringp value)
                            (or (null choices) (find value choices :test #'string=))))
      (:any t))))

(declaim (ftype function map-faults))

(defun value-faults (member value where)
  "What VALUE has otherwise than MEMBER declares; WHERE is a list of keys."
  (let ((type (getf member :type)))
    (cond
      ;; False, null and what is empty are all nil.
      ((null value)
       (unless (or (getf member :nullable) (member type '(:boolean :list :any)))
         (list (list where :null))))
      ((not (type-p member value)) (list (list where :type)))
      ((eq type :list)
       (loop for item in value append (value-faults (getf member :of) item where)))
      ((eq type :map)
       (map-faults (if (getf member :like)
                       (known-reply (getf member :like))
                       (getf member :members))
                   value where)))))

(defun map-faults (members map where)
  "The differences of the property list MAP from what MEMBERS declare, at WHERE."
  (let ((forgotten (uiop:getenv "FORGET")))
    (append
     (loop for (key value) on map by #'cddr
           for member = (find key members :key #'member-key)
           append (if (and member (not (equal forgotten (getf member :name))))
                      (value-faults member value (cons key where))
                      (list (list (cons key where) :unknown))))
     (loop for member in members
           unless (or (getf member :optional)
                      (loop for (key) on map by #'cddr
                              thereis (eq key (member-key member))))
             collect (list (cons (member-key member) where) :missing)))))

(defun error-faults (row reply)
  "The differences of the error REPLY from what is declared for ROW, an operation or nil."
  (let ((code (named (string-downcase (getf reply :error)) (catalogue :errors))))
    (append (map-faults (known-reply "error") reply nil)
            (unless (or (null row) (getf code :common)
                        (find (getf code :name) (getf row :errors) :test #'equal))
              (list (list (getf row :name) (getf code :name) :undeclared))))))

(defun declared-faults (operation plan reply)
  "What REPLY of OPERATION has otherwise than the catalogue declares.  With PLAN, it
tells what would be done.  OPERATION is a name, or nil where a workspace was opened."
  (let ((row (named operation (catalogue :operations))))
    (cond ((getf reply :error) (error-faults row reply))
          ((null operation) (map-faults (known-reply "open") reply nil))
          ((and plan (not (eq :safe (getf row :tier))))
           (map-faults (known-reply "plan") reply nil))
          (t (map-faults (getf row :reply) reply nil)))))
