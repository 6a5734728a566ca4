;;;; approval-tests.lisp -- the change that is made is the one that was approved.
;;;;
;;;; SPDX-License-Identifier: MIT

(in-package #:agent-q-fs/test)
(in-suite agent-q-fs)

(defun contents (root name)
  "Returns the bytes of the file NAME as characters, or nil without the file."
  (with-open-file (stream (uiop:parse-native-namestring
                           (map 'string #'code-char (in-root root name)))
                          :if-does-not-exist nil :element-type '(unsigned-byte 8))
    (when stream
      (let ((octets (make-array (file-length stream) :element-type '(unsigned-byte 8))))
        (read-sequence octets stream)
        (map 'string #'code-char octets)))))

(defun three-lines (second)
  (format nil "one~%~A~%three~%" second))

(defmacro with-three-lines ((root) &body body)
  `(with-tree (,root ("a.txt" (three-lines "two")))
     ,@body))

(defparameter *edit* '(:path "a.txt" :old-str "two" :new-str "2"))

(test approval.cautious-edits
  (with-three-lines (root)
    (is (equal "a.txt" (getf (call* :edit-file *edit*) :path)))
    (is (equal (three-lines "2") (contents root "a.txt")))
    (let ((refusal (condition-of (call :create-file :path "new" :content "x"))))
      (is (typep refusal 'agent-q-fs-approval-required))
      (is (eq :dangerous (getf (agent-q-fs-error-plist refusal) :tier)))
      (is (search "+x" (getf (agent-q-fs-error-plist refusal) :diff))))
    (is (null (contents root "new")))))

(test approval.safe-changes-nothing
  (with-three-lines (root)
    (let ((*authority* :safe))
      (is (typep (condition-of (call* :edit-file *edit*)) 'agent-q-fs-approval-required))
      (is (eql 0 (search "Error: Approval is required (cautious)"
                         (call-tool "edit_file" *edit*)))))
    (is (typep (condition-of (call :edit-file :path "a.txt" :old-str "two" :new-str "2"
                                              :authority nil))
               'agent-q-fs-approval-required))
    (is (equal (three-lines "two") (contents root "a.txt")))))

(test approval.preview-and-commit
  (with-three-lines (root)
    (let* ((new '(:path "d/new" :content "x"))
           (shown (preview :create-file new)))
      (is (eq :dangerous (getf shown :tier)))
      (is (search "+x" (getf shown :diff)))
      (is (null (contents root "d/new")))
      (commit (getf shown :digest) :create-file new)
      (is (equal "x" (contents root "d/new"))))))

(test approval.verbs-of-requests
  (flet ((request (&rest how)
           (decode-utf8 (encode-request "op" nil '() (apply #'agent-q-fs::call-how how)))))
    (is (equal "{\"op\":\"op\",\"args\":{},\"authority\":\"safe\"}" (request :safe)))
    (is (equal "{\"op\":\"op\",\"args\":{},\"authority\":null,\"words\":true}"
               (request nil :words t)))
    (is (equal "{\"op\":\"op\",\"args\":{},\"authority\":\"safe\",\"verb\":\"plan\"}"
               (request :safe :preview t)))
    (is (equal "{\"op\":\"op\",\"args\":{},\"authority\":\"dangerous\",\"verb\":\"commit\",\"digest\":\"d\"}"
               (request :dangerous :digest "d")))))

(test approval.a-plan-says-what-is-allowed
  (with-three-lines (root)
    (dolist (case '((:safe nil) (:cautious nil) (:dangerous t)))
      (destructuring-bind (*authority* allowed) case
        (is (eq allowed (getf (preview :create-file '(:path "new" :content "x")) :allowed)))))
    (is (eq t (getf (preview :edit-file *edit*) :allowed)))))

(test approval.refusal-can-be-approved
  (with-three-lines (root)
    (let ((refusal (condition-of (call :delete-file :path "a.txt"))))
      (call :delete-file :path "a.txt" :authority :dangerous
                         :digest (getf (agent-q-fs-error-plist refusal) :digest))
      (is (null (contents root "a.txt"))))))

(test approval.stale
  (with-three-lines (root)
    (let ((digest (getf (preview :edit-file *edit*) :digest)))
      (is (typep (condition-of (commit digest :edit-file
                                       '(:path "a.txt" :old-str "two" :new-str "3")))
                 'agent-q-fs-stale))
      (is (equal (three-lines "two") (contents root "a.txt")))
      (put (in-root root "a.txt") "two, by somebody else")
      (is (typep (condition-of (commit digest :edit-file *edit*)) 'agent-q-fs-stale))
      (is (equal "two, by somebody else" (contents root "a.txt"))))))

(test approval.no-digest-commits-nothing
  (with-three-lines (root)
    (dolist (digest '(nil "" 5 t))
      (is (typep (condition-of (commit digest :edit-file *edit*)) 'agent-q-fs-error)
          "~S" digest))
    (is (equal (three-lines "two") (contents root "a.txt")))))

(test approval.strange-authority
  (with-three-lines (root)
    (dolist (authority '(:root "all" 5 t))
      (is (typep (condition-of (call* :edit-file *edit* :authority authority))
                 'agent-q-fs-invalid-argument)))
    (is (equal (three-lines "two") (contents root "a.txt")))))

(test approval.edits
  (with-three-lines (root)
    (call :edit-file :path "a.txt" :edits '((:old-str "one" :new-str "1")
                                            (:old-str "two" :new-str "2")))
    (is (equal (format nil "1~%2~%three~%") (contents root "a.txt")))))
