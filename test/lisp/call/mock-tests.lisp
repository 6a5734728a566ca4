;;;; mock-tests.lisp
;;;;
;;;; SPDX-License-Identifier: MIT

(in-package #:agent-q-fs/test)
(in-suite agent-q-fs)

(test mock.answers-and-remembers
  (let ((mock (open-mock '(:read-file (:path "a" :content "one")))))
    (is (equal "one" (getf (call :read-file :workspace mock :path "a") :content)))
    (is (equal "one" (call-tool "read_file" '(:path "b" :start-line 2) :workspace mock)))
    (is (equal '((:path "a") (:path "b" :start-line 2)) (mock-arguments mock "read_file")))
    (is (equal '("read_file" "read_file")
               (mapcar (lambda (call) (getf call :operation)) (mock-calls mock))))
    (is (null (mock-calls (mock-forget mock))))))

(test mock.one-reply-after-another
  (let ((mock (open-mock '(:file-exists (:exists t) (:exists nil)))))
    (is (equal '(t nil nil)
               (loop repeat 3
                     collect (getf (call :file-exists :workspace mock :path "a") :exists))))))

(test mock.errors
  (let* ((mock (open-mock '(:read-file (:error :not-found :message "It is gone"))))
         (condition (condition-of (call :read-file :workspace mock :path "a"))))
    (is (typep condition 'agent-q-fs-not-found))
    (is (equal "It is gone" (agent-q-fs-error-message condition)))
    (is (equal "Error: It is gone" (call-tool :read-file '(:path "a") :workspace mock)))))

(test mock.functions
  (let ((mock (open-mock (list :read-file
                               (lambda (arguments)
                                 (list :content (string-upcase (getf arguments :path))))))))
    (is (equal "ABC" (getf (call :read-file :workspace mock :path "abc") :content)))))

(test mock.checks-what-it-is-asked
  (let ((mock (open-mock '(:read-file (:content "")))))
    (signals agent-q-fs-invalid-argument (call :read-file :workspace mock :pth "a"))
    (signals agent-q-fs-invalid-argument (call :read-file :workspace mock))
    (is (equal "" (getf (call :read-file :workspace mock :paths '("a" "b")) :content)))
    (signals agent-q-fs-unknown-operation (call :red-file :workspace mock :path "a"))
    (signals agent-q-fs-unknown-operation (call :list-dir :workspace mock))))

(test mock.authority-and-closing
  (let ((mock (open-mock '(:write-file (:path "a")))))
    (call :write-file :workspace mock :authority :dangerous :path "a" :content "x")
    (is (eq :dangerous (getf (first (mock-calls mock)) :authority)))
    (close-workspace mock)
    (signals agent-q-fs-invalid-argument
      (call :write-file :workspace mock :path "a" :content "x"))))

(test workspace.backends
  (dolist (backend '(:memory :session))
    (with-workspace (ws :backend backend :transport :ffi)
      (is (eq backend (getf (workspace-properties ws) :backend)))
      (call :write-file :authority :dangerous :path "a/b" :content "x")
      (is (equal "x" (getf (call :read-file :path "a/b") :content)))
      (is (eq ws (reset-workspace ws)))
      (is (null (getf (call :file-exists :path "a/b") :exists)))))
  (with-tree (root ("a" "x"))
    (let ((condition (condition-of (reset-workspace (current-workspace)))))
      (is (typep condition 'agent-q-fs-invalid-argument))
      (is (plusp (length (agent-q-fs-error-message condition)))))))

(test workspace.mounts
  (with-tree (root ("docs/a.md" "alpha") ("docs/b.txt" "beta"))
    (with-workspace (ws :transport :ffi :backend :memory
                        :mounts '((:host-path "docs" :mount-path "m" :include-glob ("*.md")))
                        :allowed-host-roots (list root))
      (is (equal '("m/a.md") (getf (call :search-files :pattern "**") :paths)))
      (is (equal "alpha" (getf (call :read-file :path "m/a.md") :content))))))

(test mock.approvals-have-a-digest
  "A handler's approval goes to a mock with the digest of what it was shown."
  (let ((mock (open-mock '(:create-file (:error :approval-required :tier :dangerous)
                           (:path "a")))))
    (let ((*approval-handler* (constantly :approved)))
      (is (stringp (call-tool "create_file" '(:path "a" :content "x") :workspace mock))))
    (is (equal '(nil "mock") (mapcar (lambda (call) (getf call :digest)) (mock-calls mock)))))
  (let ((mock (open-mock '(:create-file (:error :approval-required :digest "d") (:path "a")))))
    (let ((*approval-handler* (constantly :approved)))
      (call-tool "create_file" '(:path "a" :content "x") :workspace mock))
    (is (equal "d" (getf (second (mock-calls mock)) :digest)))))
