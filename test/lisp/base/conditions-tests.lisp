;;;; conditions-tests.lisp
;;;;
;;;; SPDX-License-Identifier: MIT

(in-package #:agent-q-fs/test)
(in-suite agent-q-fs)

(test conditions.each-is-a-child-and-exported
  (loop for (code keyword class) in agent-q-fs::*error-codes*
        do (is (subtypep class 'agent-q-fs-error))
           (is (string-equal code keyword))
           (is (eq :external (nth-value 1 (find-symbol (symbol-name class) '#:agent-q-fs))))
           (is-true (documentation class 'type))))

(test conditions.readers
  (let ((condition (agent-q-fs::reply-condition
                    '(:error :not-found :message "m" :path "p" :hint "h" :text "Error: m")
                    "not-found")))
    (is (typep condition 'agent-q-fs-not-found))
    (is (eq :not-found (agent-q-fs-error-code condition)))
    (is (equal "m" (agent-q-fs-error-message condition)))
    (is (equal "p" (agent-q-fs-error-path condition)))
    (is (equal "h" (agent-q-fs-error-hint condition)))
    (is (equal "Error: m" (getf (agent-q-fs-error-plist condition) :text)))
    (is (equal (format nil "m~%h") (princ-to-string condition)))))

(test conditions.code-of-a-newer-core
  (let ((condition (agent-q-fs::reply-condition '(:error "new-code" :message "m") "new-code")))
    (is (eq 'agent-q-fs-error (type-of condition)))
    (is (equal "new-code" (agent-q-fs-error-code condition)))
    (is (equal "m" (princ-to-string condition)))))

(test conditions.found-on-this-side
  (let ((condition (condition-of (agent-q-fs::invalid-argument "~D and ~A" 10 "x"))))
    (is (typep condition 'agent-q-fs-invalid-argument))
    (is (eq :invalid-argument (agent-q-fs-error-code condition)))
    (is (equal "Error: 10 and x" (getf (agent-q-fs-error-plist condition) :text)))))

(test conditions.report-under-hostile-bindings
  (let ((report (with-hostile-bindings
                  (princ-to-string (condition-of (agent-q-fs::invalid-argument
                                                  "~D files in a b c" 10))))))
    (is (equal "10 files in a b c" report))))
