;;;; call-tests.lisp
;;;;
;;;; SPDX-License-Identifier: MIT

(in-package #:agent-q-fs/test)
(in-suite agent-q-fs)

(test call.plist-reply
  (with-tree (root ("a.lisp" "text"))
    (let ((reply (call :read-file :path "a.lisp")))
      (is (equal "text" (getf reply :content)))
      (is (equal "a.lisp" (getf reply :path))))
    (is (equal "text" (getf (call "read_file" "path" "a.lisp") :content)))))

(test call.error-has-everything
  (with-tree (root ("a" "x"))
    (let ((condition (condition-of (call :read-file :path "b"))))
      (is (typep condition 'agent-q-fs-not-found))
      (is (eq :not-found (agent-q-fs-error-code condition)))
      (is (equal "b" (agent-q-fs-error-path condition)))
      (is (search "'b'" (agent-q-fs-error-message condition)))
      (is (eq :not-found (getf (agent-q-fs-error-plist condition) :error))))))

(test call.one-condition-for-each-code
  (with-tree (root ("d/a" "x") ("binary" #(0 1 2 3)))
    (libc-symlink "/etc/passwd" (in-root root "out"))
    (libc-symlink "l2" (in-root root "l1"))
    (libc-symlink "l1" (in-root root "l2"))
    (loop for (condition . path) in '((agent-q-fs-not-found . "b")
                                      (agent-q-fs-is-directory . "d")
                                      (agent-q-fs-not-a-directory . "d/a/b")
                                      (agent-q-fs-binary . "binary")
                                      (agent-q-fs-outside-root . "out")
                                      (agent-q-fs-loop . "l1")
                                      (agent-q-fs-invalid-argument . ""))
          do (let ((signalled (condition-of (call :read-file :path path))))
               (is (eq condition (type-of signalled))
                   "~S gave ~S, not ~S" path (type-of signalled) condition)))))

(test call-tool.text
  (with-tree (root ("a" "some text"))
    (let ((table (make-hash-table :test #'equal)))
      (setf (gethash "path" table) "a")
      (dolist (arguments (list table '(("path" . "a")) '(:path "a")))
        (is (search "some text" (call-tool "read_file" arguments)))))))

(test call-tool.failures-are-text
  (with-tree (root ("a" "x"))
    (loop for (name arguments) in `(("read_file" (:path "b")) ("read_file" ())
                                    ("no_such" ()) (42 ()) ("read_file" 42)
                                    ("read_file" (:path)) ("read_file" (:path #\a))
                                    ("read_file" (:path ,(make-string 5000 :initial-element #\x)))
                                    ("read_file" (:path "a" :workspace "b")))
          do (let ((text (call-tool name arguments)))
               (is (eql 0 (search "Error: " text)) "~S ~S gave ~S" name arguments text)))))

(test call.hostile-bindings
  (with-tree (root ("a" (format nil "1~%2~%3~%")))
    (let ((expected (call :read-file :path "a" :start-line 2 :limit nil :line-numbers t)))
      (is (equal expected
                 (with-hostile-bindings
                   (call :read-file :path "a" :start-line 2 :limit nil :line-numbers t))))
      (is (equal (call-tool "list_directory" '(:limit 10))
                 (with-hostile-bindings (call-tool "list_directory" '(:limit 10)))))
      (is (equal (call-tool "read_file" '(:path "../x" :limit 1000))
                 (with-hostile-bindings
                   (call-tool "read_file" '(:path "../x" :limit 1000))))))))

(test call.embedded-nul-is-refused
  (with-tree (root ("ok.txt" "x"))
    (let ((path (format nil "ok.txt~C/../../etc/passwd" (code-char 0))))
      (dolist (operation '(:read-file :list-directory :file-exists :get-file-info :read-bytes
                           :directory-tree :list-dir))
        (let ((condition (condition-of (call operation :path path))))
          (is (typep condition 'agent-q-fs-invalid-argument) "~S took a NUL" operation)
          (is (equal path (agent-q-fs-error-path condition)))))
      (dolist (operation '(:search-files :grep-files))
        (is (typep (condition-of (call operation :pattern path)) '(or null agent-q-fs-error)))
        (signals agent-q-fs-invalid-argument (call operation :pattern "x" :path path))))))

(test call.huge-arguments
  (with-tree (root ("a" "x"))
    (let ((huge (make-string 5000000 :initial-element #\x)))
      (is (typep (condition-of (call :read-file :path huge))
                 '(or agent-q-fs-too-long agent-q-fs-invalid-argument)))
      (is (typep (condition-of (call :search-files :pattern huge)) 'agent-q-fs-error))
      (is (typep (condition-of (call :grep-files :pattern huge)) '(or null agent-q-fs-error)))
      (is (eql 0 (search "Error: " (call-tool huge '())))))))

(test call.surrogate-is-refused
  (with-tree (root ("a" "x"))
    (let ((character (code-char #xD801)))
      (if character
          (let ((condition (condition-of (call :read-file :path (string character)))))
            (is (typep condition 'agent-q-fs-invalid-argument))
            (is (eql 0 (search "path: " (agent-q-fs-error-message condition)))))
          (pass)))))

(declaim (notinline product))
(defun product (a b)
  (* a b))

(test call.floating-point-traps-stay-out
  ;; strtod overflows on 1e999; that must not become an arithmetic error of Lisp.
  (with-tree (root ("a" "x"))
    (signals agent-q-fs-invalid-argument (call :list-directory :exclude-patterns "[1e999]"))
    (signals floating-point-overflow (is (product most-positive-double-float 10d0)))))

(test base64.decode
  (loop for (text . octets) in '(("" . #()) ("AA==" . #(0)) ("AAE=" . #(0 1)) ("AAEC" . #(0 1 2))
                                 ("/+8=" . #(255 239)))
        do (is (equalp octets (decode-base64 (coerce text '(simple-array character (*)))))))
  (dolist (text '("A" "AA" "AAA" "A===" "AA=A" "A A=" "====" "é==="))
    (signals agent-q-fs-malformed-reply
      (decode-base64 (coerce text '(simple-array character (*)))))))
