;;;; server-tests.lisp -- calls without a connection, and with empty packages for servers.
;;;;
;;;; SPDX-License-Identifier: MIT

(in-package #:agent-q-fs/test)
(in-suite agent-q-fs)

(defmacro with-packages ((&rest names) &body body)
  "Runs BODY with packages of these NAMES; makes the missing ones, and deletes them afterwards."
  `(let ((made (loop for name in ',names
                     unless (find-package name) collect (make-package name :use '()))))
     (unwind-protect (progn ,@body)
       (mapc #'delete-package made))))

(test server.not-connected
  (without-current-workspace
    (let ((*transport* :emacs))
      (flet ((check ()
               (is (eql 0 (search "Error: Not connected to Emacs"
                                  (call-tool "read_file" '(:path "a")))))
               (is (typep (condition-of (call :read-file :path "a")) 'agent-q-fs-not-connected))
               (is (typep (condition-of (operations)) 'agent-q-fs-not-connected))
               (is (typep (condition-of (open-workspace :root "/")) 'agent-q-fs-not-connected))))
        (check)
        (with-packages ("SLYNK" "SWANK") (check))))))

(test server.never-falls-back
  (with-tree (root ("a" "text"))
    (without-current-workspace
      (let ((*transport* :emacs)
            (*project-root* root))
        (is (eql 0 (search "Error: Not connected to Emacs"
                           (call-tool "read_file" '(:path "a")))))
        (let ((*transport* :ffi))
          (is (search "text" (call-tool "read_file" '(:path "a")))))
        (is (eql 0 (search "Error: Not connected to Emacs"
                           (call-tool "read_file" '(:path "a")))))))))

(test server.retry-once-connected
  (let ((*transport* :emacs) (tries 0))
    (without-current-workspace
      (condition-of
        (handler-bind ((agent-q-fs-not-connected
                         (lambda (condition)
                           (when (= 1 (incf tries))
                             (invoke-restart (find-restart 'retry condition))))))
          (call :read-file :path "a")))
      (is (= 2 tries)))))

(test server.size-of-a-form
  ;; SWANK prints the form to a string, and then prints that string in a list.
  (flet ((printed (form)
           (length (encode-utf8 (with-standard-io-syntax
                                  (prin1-to-string (prin1-to-string form)))))))
    (dolist (form '(("f" "abc") ("\"\\\"\\" 12 (:a ("x" . "é€😀"))) ("f" (quote nil))))
      (is (>= (agent-q-fs::form-size form) (printed form)) "~S" form)))
  (let ((condition (condition-of (agent-q-fs::check-form-size
                                  (list "f" (make-string #xFFFFFF :initial-element #\a))))))
    (is (typep condition 'agent-q-fs-too-large))))
