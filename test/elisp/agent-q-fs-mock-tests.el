;;; agent-q-fs-mock-tests.el --- Tests of the test double  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'agent-q-fs-test-help)
(require 'agent-q-fs-job)
(require 'agent-q-fs-tools)
(require 'agent-q-fs-job)

(ert-deftest agent-q-fs-mock/answers-and-remembers ()
  (let ((mock (agent-q-fs-mock-open '(read_file (:path "a" :content "one\n")))))
    (should (equal "one\n" (plist-get (agent-q-fs-call mock 'read_file :path "a") :content)))
    (should (equal "one\n" (agent-q-fs-call-tool "read_file" '(:path "b" :start-line 2) mock)))
    (should (equal '((:path "a") (:path "b" :start_line 2))
                   (agent-q-fs-mock-arguments mock "read_file")))
    (should (equal '(read_file read_file)
                   (mapcar (lambda (call) (plist-get call :operation))
                           (agent-q-fs-mock-calls mock))))
    (agent-q-fs-mock-forget mock)
    (should-not (agent-q-fs-mock-calls mock))))

(ert-deftest agent-q-fs-mock/one-reply-after-another ()
  (let ((mock (agent-q-fs-mock-open '(file_exists (:exists t) (:exists nil)))))
    (should (equal '(t nil nil)
                   (cl-loop repeat 3
                            collect (plist-get (agent-q-fs-call mock 'file_exists :path "a")
                                               :exists))))))

(ert-deftest agent-q-fs-mock/errors ()
  (let ((mock (agent-q-fs-mock-open '(read_file (:error :not-found :message "It is gone")))))
    (should (equal "It is gone"
                   (plist-get (cdr (should-error (agent-q-fs-call mock 'read_file :path "a")
                                                 :type 'agent-q-fs-not-found))
                              :message)))
    (should (equal "Error: It is gone"
                   (agent-q-fs-call-tool "read_file" '(:path "a") mock)))))

(ert-deftest agent-q-fs-mock/functions ()
  (let ((mock (agent-q-fs-mock-open
               (list 'read_file (lambda (arguments)
                                  (list :content (upcase (plist-get arguments :path))))))))
    (should (equal "ABC" (plist-get (agent-q-fs-call mock 'read_file :path "abc") :content)))))

;; A test of a tool must not pass with arguments that the core would refuse.
(ert-deftest agent-q-fs-mock/checks-what-it-is-asked ()
  (let ((mock (agent-q-fs-mock-open '(read_file (:content "")))))
    (should-error (agent-q-fs-call mock 'read_file :pth "a") :type 'agent-q-fs-invalid-argument)
    (should-error (agent-q-fs-call mock 'read_file) :type 'agent-q-fs-invalid-argument)
    (should-error (agent-q-fs-call mock 'red_file :path "a") :type 'agent-q-fs-unknown-operation)
    (should-error (agent-q-fs-call mock 'list_dir) :type 'agent-q-fs-unknown-operation)))

(ert-deftest agent-q-fs-mock/changes-touch-nothing ()
  (agent-q-fs-test-with-tree (_ws '("a" "one\n"))
    (let* ((told nil)
           (agent-q-fs-after-change-functions (list (lambda (&rest _) (setq told t))))
           (agent-q-fs-authority 'dangerous)
           (mock (agent-q-fs-mock-open '(write_file (:path "a" :bytes-written 3)))))
      (agent-q-fs-call mock 'write_file :path "a" :content "two")
      (should (equal "one\n" (with-temp-buffer (insert-file-contents "a") (buffer-string))))
      (should-not told)
      (should (eq 'dangerous (plist-get (car (agent-q-fs-mock-calls mock)) :authority))))))

(ert-deftest agent-q-fs-mock/jobs ()
  (let* ((mock (agent-q-fs-mock-open '(grep_files (:matches nil :total 0))))
         (reply nil)
         (job (agent-q-fs-call-async mock 'grep_files '(:pattern "x")
                                     :on-done (lambda (it) (setq reply it)))))
    (should-not reply)
    (should (eq 'done (agent-q-fs-job-wait job agent-q-fs-test-patience)))
    (should (equal 0 (plist-get reply :total)))
    (agent-q-fs-close mock)))

;;; agent-q-fs-mock-tests.el ends here
