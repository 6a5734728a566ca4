;;;; arguments-tests.lisp
;;;;
;;;; SPDX-License-Identifier: MIT

(in-package #:agent-q-fs/test)
(in-suite agent-q-fs)

(defparameter *row*
  (parse-operation '(:name "op" :tier :safe
                     :params ((:name "path" :type :path) (:name "flag" :type :boolean)
                              (:name "limit" :type :integer) (:name "names" :type :strings)
                              (:name "mode" :type :choice) (:name "text" :type :string)))))

(defun encoded (arguments &optional (row *row*))
  "Returns the \"args\" of the request for ARGUMENTS."
  (let ((request (decode-utf8 (encode-request "op" row (argument-entries arguments))))
        (start "{\"op\":\"op\",\"args\":"))
    (assert (eql 0 (search start request)))
    (subseq request (length start) (1- (length request)))))

(test arguments.every-shape
  (let ((table (make-hash-table :test #'equal))
        (expected "{\"path\":\"a\"}"))
    (setf (gethash "path" table) "a")
    (dolist (arguments (list '(:path "a") '("path" "a") '((:path . "a")) '(("path" . "a"))
                             '(path "a") table))
      (is (equal expected (encoded arguments))))
    (is (equal "{}" (encoded '())))
    (is (equal "{}" (encoded (make-hash-table))))))

(test arguments.hyphens
  (is (equal "{\"start_line\":1,\"end_line\":2,\"as-is\":3}"
             (encoded '(:start-line 1 :end_line 2 "as-is" 3)))))

(test arguments.case-of-symbols
  (is (equal "{\"path\":\"a\"}" (encoded (list (make-symbol "path") "a"))))
  (is (equal "{\"path\":\"a\"}" (encoded (list (make-symbol "PATH") "a")))))

(test arguments.nil-by-type
  (is (equal "{\"flag\":false}" (encoded '(:flag nil))))
  (is (equal "{\"names\":[]}" (encoded '(:names nil))))
  (is (equal "{\"path\":null,\"limit\":null,\"mode\":null,\"text\":null}"
             (encoded '(:path nil :limit nil :mode nil :text nil))))
  (is (equal "{\"unknown\":null}" (encoded '(:unknown nil)))))

(test arguments.booleans
  (is (equal "{\"flag\":true}" (encoded '(:flag t))))
  (is (equal "{\"flag\":false}" (encoded '(:flag :false))))
  ;; A model may send the string "false" for false; it must not become true.
  (is (equal "{\"flag\":\"false\"}" (encoded '(:flag "false")))))

(test arguments.lists
  (is (equal "{\"names\":[\"a\",\"b\"]}" (encoded '(:names ("a" "b")))))
  (is (equal "{\"names\":[\"a\"]}" (encoded '(:names #("a")))))
  (is (equal "{\"names\":[]}" (encoded '(:names #()))))
  (is (equal "{\"names\":\"[\\\"a\\\"]\"}" (encoded '(:names "[\"a\"]")))))

(test arguments.choices
  (is (equal "{\"mode\":\"slice\"}" (encoded '(:mode :slice))))
  (is (equal "{\"mode\":\"slice\"}" (encoded '(:mode "slice"))))
  (is (equal "{\"mode\":true}" (encoded '(:mode t)))))

(test arguments.numbers
  (is (equal "{\"limit\":3.0}" (encoded '(:limit 3.0))))
  (is (equal "{\"limit\":3.5}" (encoded '(:limit 3.5d0)))))

(test arguments.pathnames
  (is (equal "{\"path\":\"a/b.lisp\"}" (encoded (list :path #p"a/b.lisp"))))
  (is (equal "{\"path\":\"/a/b/\"}" (encoded (list :path #p"/a/b/"))))
  (is (equal "{\"path\":\"a[1]*?.l\"}"
             (encoded (list :path (make-pathname :name "a[1]*?" :type "l")))))
  (is (equal "{\"path\":\"./~/x\"}"
             (encoded (list :path (make-pathname :directory '(:relative "~") :name "x")))))
  (is (equal "{\"path\":\"\"}" (encoded (list :path #p""))))
  (is (equal "{\"path\":\"x\"}" (encoded (list :path #p"x"))))
  (dolist (names (list (list #p"a" "b") (vector #p"a" "b")))
    (is (equal "{\"names\":[\"a\",\"b\"]}" (encoded (list :names names)))))
  (signals agent-q-fs-invalid-argument (encoded (list :names '("a" . "b"))))
  (signals agent-q-fs-invalid-argument (encoded (list :path #p"*.lisp")))
  (signals agent-q-fs-invalid-argument (encoded (list :text #p"a"))))

(test arguments.logical-pathnames
  (setf (logical-pathname-translations "AQFSTEST") '(("**;*.*.*" "/tmp/aqfs/**/*.*")))
  (is (equal "{\"path\":\"/tmp/aqfs/sub/file.lisp\"}"
             (encoded (list :path (pathname "AQFSTEST:SUB;FILE.LISP"))))))

(test arguments.malformed
  (let ((round (list :path "a")))
    (setf (cddr round) round)
    (dolist (arguments (list '(:path) '(:path "a" :flag) '(:path . "a") 42 "path" #(1)
                             '((:path . "a") :flag) '(1 2) '((1 . 2)) round))
      (signals agent-q-fs-invalid-argument (encoded arguments)))))

(test arguments.name-of-argument-in-errors
  (dolist (arguments '((:limit 1/2) (:names (1/2)) (:text #\a) (:limit foo)))
    (let ((condition (condition-of (encoded arguments))))
      (is (eql 0 (search (string-downcase (first arguments))
                         (agent-q-fs-error-message condition)))))))

(test arguments.hostile-bindings
  (let* ((arguments (list :path "a" :flag t :limit 1000 :names '("x" "y") :mode :slice))
         (expected (encoded arguments)))
    (is (equal expected (with-hostile-bindings (encoded arguments))))))

(test arguments.options
  (is (equal "{\"read_only\":false,\"allowed_paths\":[],\"mode\":\"unrestricted\",\"limits\":{\"read_lines\":5}}"
             (decode-utf8 (encode-options
                           (argument-entries '(:read-only nil :allowed-paths nil
                                               :mode :unrestricted
                                               :limits (:read-lines 5))))))))
