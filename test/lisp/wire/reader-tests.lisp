;;;; reader-tests.lisp
;;;;
;;;; SPDX-License-Identifier: MIT

(in-package #:agent-q-fs/test)
(in-suite agent-q-fs)

(defun reading (text)
  "Returns the datum that READ-REPLY reads from TEXT, which it is given as text and as octets."
  (let ((outcomes (loop for reply in (list (coerce text 'string) (to-octets text))
                        collect (handler-case (read-reply reply)
                                  (agent-q-fs-malformed-reply (condition) condition)))))
    (destructuring-bind (as-text as-octets) outcomes
      (cond ((typep as-octets 'condition)
             (assert (typep as-text 'condition))
             (error as-octets))
            (t (assert (equal as-text as-octets))
               as-octets)))))

(test reader.atoms
  (is (equal 0 (reading "0")))
  (is (equal -42 (reading " -42
")))
  (is (equal (1- (expt 2 63)) (reading "9223372036854775807")))
  (is (equal (- (expt 2 63)) (reading "-9223372036854775808")))
  (is (eq t (reading "t")))
  (is (eq nil (reading "nil")))
  (is (eq :not-found (reading ":not-found"))))

(test reader.lists
  (is (equal '() (reading "()")))
  (is (equal '(1 (2 ()) t nil "x" :path) (reading "(1 (2 ()) t nil \"x\" :path)")))
  (is (equal '("a" "b") (reading "(\"a\"\"b\")"))))

(test reader.strings
  (is (equal "" (reading "\"\"")))
  (is (equal "a\"b\\c" (reading "\"a\\\"b\\\\c\"")))
  (is (equal (format nil "a~%b~Cc" (code-char 0)) (reading (format nil "\"a~%b~Cc\"" (code-char 0)))))
  (is (equal "λ€😀\\" (reading "\"λ€😀\\\\\"")))
  (is (typep (reading "\"ascii\"") '(simple-array character (*)))))

(test reader.code-arrives-as-text
  (let ((text "#.(delete-file \"x\") #[1] #1=(#1# . #1#) ~/cl:delete-file/ %s"))
    (is (equal (list :text text)
               (reading (format nil "(:text ~S)" text))))))

(test reader.malformed
  (dolist (text '("" " " "(" ")" "(1" "1)" "(1))" "1 2" "\"" "\"a" "\"\\" "\"\\\"" "\"\\n\""
                  ":" ":A" ":a:b" ":a_b" ": a" "foo" "T" "NIL" "tt" "nill" "-" "1a" "1.5" "+1"
                  "1/2" "#.(quit)" "#()" "'a" "`a" ",a" "(a . b)" "(1 . 2)" "; x" "|a|" "a::b"
                  "[1]" "{}" "é" ":é" ":aé" "12345678901234567890123456789012345678901"))
    (signals agent-q-fs-malformed-reply (reading text))))

(test reader.invalid-utf8-in-a-string
  (signals agent-q-fs-malformed-reply (read-reply (to-octets #(34 #xFF 34))))
  (signals agent-q-fs-malformed-reply (read-reply (to-octets #(34 #xC3 34))))
  (signals agent-q-fs-malformed-reply (read-reply (to-octets #(34 92 92 #xC3 34)))))

(defun random-name (length)
  "Returns a random name of LENGTH characters."
  (format nil "~(~V,,,'x@A~)" length (format nil "~36R" (random (expt 36 20) *random*))))

(defmacro without-new-keywords (&body body)
  "Runs BODY as if no reply had added a keyword to those of the catalogue yet."
  `(let ((agent-q-fs::*new-keywords* (make-hash-table :test #'equal)))
     ,@body))

(test reader.keywords-of-the-catalogue
  (dolist (keyword agent-q-fs/catalogue:*keywords*)
    (is (eq keyword (reading (format nil ":~(~A~)" keyword))))))

(test reader.keywords-of-a-newer-core
  (without-new-keywords
    (let* ((name (random-name 30))
           (keyword (reading (format nil ":~A" name))))
      (is (keywordp keyword))
      (is (string-equal name keyword))
      (is (eq keyword (reading (format nil ":~A" name)))))))

(test reader.interns-no-more-than-its-bound
  (without-new-keywords
    (let* ((names (loop repeat (+ agent-q-fs::+most-new-keywords+ 100)
                        collect (random-name 30)))
           (text (format nil "(~{:~A ~})" names))
           (first (reading text)))
      (is (= agent-q-fs::+most-new-keywords+ (count-if #'keywordp first)))
      (is (= 100 (count-if #'stringp first)))
      (is (every #'string-equal names first))
      (dolist (name (remove-if #'keywordp first))
        (is (null (find-symbol (string-upcase name) '#:keyword)))
        ;; A symbol that other code interns meanwhile changes nothing.
        (intern (string-upcase name) '#:keyword))
      (is (equal first (reading text)))
      (is (eq :protected (reading ":protected"))))))

(test reader.interns-nothing-long
  (without-new-keywords
    (let ((name (random-name 1000)))
      (is (equal name (reading (format nil ":~A" name))))
      (is (null (find-symbol (string-upcase name) '#:keyword)))
      (intern (string-upcase name) '#:keyword)
      (is (equal name (reading (format nil ":~A" name)))))))

(test reader.keywords-in-many-threads
  (without-new-keywords
    (let* ((table agent-q-fs::*new-keywords*)
           (names (loop repeat 300 collect (random-name 30)))
           (text (format nil "(~{:~A ~})" names))
           (answers (make-array 4 :initial-element nil)))
      (mapc #'join (loop for i below 4
                         collect (let ((i i))
                                   (start-thread
                                    (lambda ()
                                      (let ((agent-q-fs::*new-keywords* table))
                                        (setf (svref answers i) (reading text))))))))
      (is (every #'keywordp (svref answers 0)))
      (is (every (lambda (answer) (equal answer (svref answers 0))) answers)))))

(test reader.depth-is-bounded
  (flet ((nested (depth)
           (concatenate 'string (make-string depth :initial-element #\()
                        (make-string depth :initial-element #\)))))
    (is (listp (reading (nested 2000))))
    (signals agent-q-fs-malformed-reply (reading (nested 2001)))
    (signals agent-q-fs-malformed-reply (reading (nested 100000)))
    (signals agent-q-fs-malformed-reply (reading (make-string 100000 :initial-element #\()))))

(test reader.long-lists
  (let ((list (reading (format nil "(~{~D ~})" (loop for i below 100000 collect i)))))
    (is (= 100000 (length list)))
    (is (= 99999 (first (last list))))))

(test reader.long-string
  (let ((text (make-string 5000000 :initial-element #\x)))
    (is (string= text (reading (concatenate 'string "\"" text "\""))))))

(defparameter *sample*
  "(:path \"a \\\"q\\\" λ\" :entries ((:name \"b\\\\\" :size -12 :type :file) ()) :truncated t)")

(test reader.every-prefix-is-malformed
  (let ((octets (to-octets *sample*)))
    (is (equal (reading *sample*) (read-reply octets)))
    (is (loop for end from 0 below (length octets)
              always (typep (condition-of (read-reply (subseq octets 0 end)))
                            'agent-q-fs-malformed-reply)))))

(test reader.damage-is-no-other-error
  (let ((octets (to-octets *sample*)))
    (is (loop repeat 5000
              for damaged = (copy-seq octets)
              do (loop repeat (1+ (random 3 *random*))
                       do (setf (aref damaged (random (length damaged) *random*))
                                (random 256 *random*)))
              always (let ((condition (nth-value 1 (ignore-errors (read-reply damaged)))))
                       (typep condition '(or null agent-q-fs-malformed-reply)))))))

(test reader.hostile-bindings
  (let ((expected (reading *sample*)))
    (is (equal expected (with-hostile-bindings (reading *sample*))))))

(test reader.random-strings
  (is (loop repeat 10000
            for text = (random-text (random 40 *random*))
            for printed = (with-standard-io-syntax (prin1-to-string (coerce text 'simple-string)))
            always (equal text (reading printed)))))
