;;;; json-tests.lisp
;;;;
;;;; SPDX-License-Identifier: MIT

(in-package #:agent-q-fs/test)
(in-suite agent-q-fs)

(defun printed (value)
  "Returns VALUE as JSON."
  (let ((output (make-output)))
    (write-json value output "x")
    (decode-utf8 (output-result output))))

(test json.strings
  (is (equal "\"\"" (printed "")))
  (is (equal "\"a\\\"b\\\\c/d\"" (printed "a\"b\\c/d")))
  (is (equal "\"\\u0000\\u0009\\u000a\\u001f \"" (printed (map 'string #'code-char '(0 9 10 31 32)))))
  (is (equal (format nil "\"~C~C~C\"" (code-char 127) (code-char #xE9) (code-char #x1F600))
             (printed (map 'string #'code-char '(127 #xE9 #x1F600))))))

(test json.strings-of-every-kind
  (dolist (string (list (coerce "abc" 'simple-base-string)
                        (make-array 3 :element-type 'character :initial-contents "abc"
                                      :fill-pointer 3 :adjustable t)
                        (make-array 3 :element-type 'character :displaced-index-offset 1
                                      :displaced-to (copy-seq "xabcx"))
                        (make-array 5 :element-type 'character :initial-contents "abcde"
                                      :fill-pointer 3)))
    (is (equal "\"abc\"" (printed string)))))

(test json.integers
  (is (equal "0" (printed 0)))
  (is (equal "-17" (printed -17)))
  (is (equal "9223372036854775807" (printed (1- (expt 2 63)))))
  (is (equal "-9223372036854775808" (printed (- (expt 2 63)))))
  (is (equal "9223372036854775808.0" (printed (expt 2 63)))))

(test json.floats
  (is (equal "1.0" (printed 1.0)))
  (is (equal "1.0" (printed 1d0)))
  (is (equal "0.0" (printed -0d0)))
  (is (equal "-0.25" (printed -0.25)))
  (is (equal "1.0625" (printed 1.0625d0)))
  (is (equal "100000000000000000000.0" (printed 1d20)))
  (is (= 0.1d0 (let ((*read-default-float-format* 'double-float))
                 (read-from-string (printed 0.1d0))))))

(test json.infinity-is-refused
  #+sbcl (signals agent-q-fs-invalid-argument
           (printed sb-ext:double-float-positive-infinity))
  #+ecl (signals agent-q-fs-invalid-argument
          (printed ext:double-float-positive-infinity))
  #-(or sbcl ecl) (skip "infinity has no standard name"))

(test json.symbols
  (is (equal "true" (printed t)))
  (is (equal "null" (printed nil)))
  (is (equal "[false,true,null]" (printed '(:false :true :null))))
  (is (equal "false" (printed (make-symbol "FALSE"))))
  (signals agent-q-fs-invalid-argument (printed :something)))

(test json.arrays-and-objects
  (is (equal "[1,[\"a\"],[]]" (printed (list 1 #("a") #()))))
  (is (equal "{\"old_str\":\"a\",\"new_str\":\"b\"}" (printed '(:old-str "a" :new_str "b"))))
  (let ((table (make-hash-table :test #'equal)))
    (setf (gethash "a-b" table) 1)
    (is (equal "[{\"a-b\":1}]" (printed (list table))))))

(test json.what-is-not-data
  (dolist (value (list 1/2 #c(1 2) #'car (make-hash-table :test #'eq :size 1) #p"x" #\a
                       (make-array '(2 2) :initial-element 1) '(1 . 2) '(:a)))
    (if (hash-table-p value)
        (is (equal "{}" (printed value)))
        (signals agent-q-fs-invalid-argument (printed value)))))

(test json.endless-lists
  (let ((round (list 1 2)) (deep (list 1)))
    (setf (cddr round) round
          (first deep) deep)
    (signals agent-q-fs-invalid-argument (printed round))
    (signals agent-q-fs-invalid-argument (printed deep))))

(test json.surrogates-are-refused
  (let ((character (code-char #xDC00)))
    (if character
        (let ((condition (condition-of (printed (coerce (list #\a character) 'string)))))
          (is (typep condition 'agent-q-fs-invalid-argument))
          (is (eql 0 (search "x: " (agent-q-fs-error-message condition)))))
        (pass))))

(test json.hostile-bindings
  (let* ((value (list "a b" 255 1.5d0 -3 1.0 t (expt 2 70) (list :a-b 8)))
         (expected (printed value)))
    (is (equal "[\"a b\",255,1.5,-3,1.0,true,1180591620717411303424.0,{\"a_b\":8}]" expected))
    (is (equal expected (with-hostile-bindings (printed value))))))

(test json.five-megabytes
  (let ((text (make-string 5000000 :initial-element (code-char #x20AC))))
    (is (= 5000002 (length (printed text))))))
