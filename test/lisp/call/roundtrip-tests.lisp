;;;; roundtrip-tests.lisp -- data comes back from the core byte by byte.
;;;;
;;;; SPDX-License-Identifier: MIT

(in-package #:agent-q-fs/test)
(in-suite agent-q-fs)

(test roundtrip.every-byte
  (let ((octets (make-octets 256)))
    (dotimes (i 256) (setf (aref octets i) i))
    (with-tree (root ("bytes" octets))
      (is (equalp octets (read-bytes "bytes")))
      (is (equalp octets (with-hostile-bindings (read-bytes "bytes"))))
      (is (loop for i from 0 below 256
                always (equalp (vector i) (read-bytes "bytes" :offset i :limit 1)))))))

(test roundtrip.bytes-of-every-length
  (with-tree (root)
    (is (loop for length from 0 to 64
              for octets = (map 'octets (lambda (x) (random (1+ x) *random*))
                                (make-array length :initial-element 255))
              do (put (in-root root "f") octets)
              always (equalp octets (read-bytes "f"))))))

(test roundtrip.ten-thousand-strings-through-a-file
  (with-tree (root)
    (let ((path (in-root root "f")))
      (is (loop repeat 10000
                for text = (random-text (random 60 *random*))
                for octets = (encode-utf8 text)
                do (put path octets)
                always (and (equal text (getf (call :read-file :path "f") :content))
                            (equalp octets (read-bytes "f"))))))))

(test roundtrip.strings-with-hostile-bindings
  (with-tree (root)
    (let ((path (in-root root "f")))
      (is (loop repeat 500
                for text = (random-text (random 60 *random*))
                do (put path text)
                always (equal text (with-hostile-bindings
                                     (getf (call :read-file :path "f") :content))))))))

;; An error repeats the path as the caller gave it, whatever characters it has.
(test roundtrip.ten-thousand-strings-as-arguments
  (with-tree (root)
    (is (loop repeat 10000
              for text = (concatenate 'string "no/" (random-text (random 40 *random*)))
              for condition = (condition-of (call :read-file :path text))
              always (and condition (equal text (agent-q-fs-error-path condition)))))))

(test roundtrip.code-in-a-file-is-text
  (let ((text (format nil "#.(delete-file \"x\")~%#1=(#1# . #1#)~%~~/cl:quit/ %s \\ \" ~C"
                      (code-char 27))))
    (with-tree (root ("f" text))
      (is (equal text (getf (call :read-file :path "f") :content))))))

(test roundtrip.five-megabytes
  (let ((text (make-string 1700000 :initial-element (code-char #x20AC))))
    (with-tree (root ("f" text))
      (is (string= text (getf (call :read-file :path "f") :content))))))

(test roundtrip.a-reply-of-60000-entries
  (with-tree (root)
    (let ((directory (in-root root "d/")))
      (put-tree root '(("d")))
      (dotimes (i 60000)
        (put (concatenate 'octets directory (encode-utf8 (format nil "~6,'0D" i))) #()))
      (let ((reply (call :directory-tree :limit 0)))
        (is (= 60000 (getf reply :files)))
        (let ((children (getf (first (getf (getf reply :tree) :children)) :children)))
          (is (= 60000 (length children)))
          (is (equal "059999" (getf (first (last children)) :name))))))))
