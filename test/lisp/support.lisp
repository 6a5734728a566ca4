;;;; support.lisp -- file trees, hostile bindings, threads: what the tests share.
;;;;
;;;; SPDX-License-Identifier: MIT

(in-package #:agent-q-fs/test)

;;;; Running

;;; Here there is no Emacs; test/e2e/ has one.
(setf *transport* :ffi)

(defun outcome (results)
  "What the checks of one test amount to."
  (cond ((some (lambda (result) (typep result 'fiveam::test-failure)) results) :failed)
        ((every (lambda (result) (typep result 'fiveam::test-skipped)) results) :skipped)
        (t :passed)))

(defun wanted-part ()
  "T of the environment, as the names of our tests are spelled: glob_double is GLOB-DOUBLE."
  (substitute #\- #\_ (string-upcase (or (uiop:getenv "T") ""))))

(defun wanted-tests (package)
  "The names of the tests of PACKAGE that have T of the environment in them."
  (let ((part (wanted-part)))
    (sort (loop for name in (fiveam:test-names)
                when (and (eq (symbol-package name) (find-package package))
                          (not (typep (fiveam:get-test name) 'fiveam::test-suite))
                          (search part (symbol-name name)))
                  collect name)
          #'string<)))

(defun run-each (names)
  "The results of the tests NAMES.  With V in the environment, says how long each takes."
  (loop for name in names
        for start = (get-internal-real-time)
        append (fiveam:run name)
        when (plusp (length (uiop:getenv "V")))
          do (format t "~&~(~A~): ~,2F s~%" name (/ (- (get-internal-real-time) start)
                                                  internal-time-units-per-second))))

(defun run-package (package)
  "Runs the tests of PACKAGE, says which fail and why, and returns how many passed, failed
and were skipped."
  (let* ((results (let ((fiveam:*test-dribble* (make-broadcast-stream)))
                    (run-each (wanted-tests package))))
         (cases (remove-duplicates (mapcar #'fiveam::test-case results)))
         (outcomes (loop for case in cases
                         collect (outcome (remove case results :key #'fiveam::test-case
                                                               :test-not #'eq)))))
    (unless (every (lambda (outcome) (eq outcome :passed)) outcomes)
      (fiveam:explain! results))
    (values (count :passed outcomes) (count :failed outcomes) (count :skipped outcomes))))

(defun run-tests ()
  (run-package '#:agent-q-fs/test))

;;;; Files
;;;
;;; Through libc, because Lisp's own pathnames cannot name every file.

(defun encode-utf8 (string)
  "STRING as UTF-8, by other code than ours."
  (coerce (babel:string-to-octets string :encoding :utf-8) 'octets))

(defun to-octets (value)
  "VALUE, a string or a vector, as octets."
  (if (stringp value) (encode-utf8 value) (coerce value 'octets)))

(defun c-string (value)
  "VALUE as octets with a NUL behind them."
  (concatenate 'octets (to-octets value) #(0)))

(defun libc-directory (path)
  "Makes the directory PATH and those above it, if they are missing."
  (let ((octets (to-octets path)))
    (loop for end = (position 47 octets :start 1)
            then (and end (position 47 octets :start (1+ end)))
          do (let ((name (c-string (subseq octets 0 end))))
               (cffi:with-pointer-to-vector-data (pointer name)
                 (cffi:foreign-funcall "mkdir" :pointer pointer :unsigned-int #o755 :int)))
          while end)))

(defun libc-write (descriptor octets)
  "Writes OCTETS to the file DESCRIPTOR and closes it."
  (unless (zerop (length octets))
    (cffi:with-pointer-to-vector-data (pointer octets)
      (assert (= (length octets)
                 (cffi:foreign-funcall "write" :int descriptor :pointer pointer
                                               :size (length octets) :ssize)))))
  (cffi:foreign-funcall "close" :int descriptor :int))

(defun put (path contents)
  "Makes the file PATH hold CONTENTS.  Anew: ext4 waits for the disk when a file that
was cut to nothing is closed."
  (cffi:with-pointer-to-vector-data (pointer (c-string path))
    (cffi:foreign-funcall "unlink" :pointer pointer :int)
    (let ((descriptor (cffi:foreign-funcall "creat" :pointer pointer
                                                    :unsigned-int #o644 :int)))
      (assert (>= descriptor 0) () "cannot write ~S" path)
      (libc-write descriptor (to-octets contents)))))

(defun libc-symlink (target path)
  "Makes PATH a link to TARGET."
  (let ((from (c-string target)) (to (c-string path)))
    (cffi:with-pointer-to-vector-data (source from)
      (cffi:with-pointer-to-vector-data (link to)
        (assert (zerop (cffi:foreign-funcall "symlink" :pointer source :pointer link
                                                       :int)))))))

(defvar *random* (make-random-state t))

(defun new-directory ()
  "A new directory; its canonical name, with a slash at the end."
  (let ((path (format nil "~Aaqfs-lisp-~36R/" (uiop:native-namestring (uiop:temporary-directory))
                      (random (expt 36 12) *random*))))
    (libc-directory (string-right-trim "/" path))
    (uiop:native-namestring (truename path))))

(defun in-root (root name)
  "The name of the file NAME, string or octets, below ROOT."
  (concatenate 'octets (to-octets root) (to-octets name)))

(defun put-tree (root files)
  "Makes FILES below ROOT: (NAME CONTENTS), or (NAME) for a directory."
  (loop for (name . contents) in files
        do (let* ((path (in-root root name))
                  (slash (position 47 path :from-end t)))
             (libc-directory (if contents (subseq path 0 slash) path))
             (when contents (put path (first contents))))))

(defun call-with-tree (function files)
  (let ((root (new-directory)))
    (unwind-protect (progn (put-tree root files)
                           (with-workspace (:root root) (funcall function root)))
      (uiop:run-program (list "rm" "-rf" root)))))

(defmacro with-tree ((root &rest files) &body body)
  "Runs BODY with a new directory ROOT of FILES as *WORKSPACE*, and removes it."
  `(call-with-tree (lambda (,root) (declare (ignorable ,root)) ,@body)
                   (list ,@(loop for file in files collect `(list ,@file)))))

;;;; Hostile bindings

(defpackage #:agent-q-fs/test/empty (:use))

(defun hostile-readtable ()
  "A readtable in which nothing reads as it should."
  (let ((readtable (copy-readtable nil)))
    (setf (readtable-case readtable) :invert)
    (dolist (character '(#\: #\" #\( #\) #\t #\n #\1) readtable)
      (set-macro-character character (lambda (stream character)
                                       (declare (ignore stream))
                                       (error "The reader was used: ~C" character))
                           nil readtable))))

(defmacro with-hostile-bindings (&body body)
  "Runs BODY with the reader's and printer's variables bound to what hurts most."
  `(let ((*print-base* 2) (*print-radix* t) (*print-length* 1) (*print-level* 1)
         (*print-circle* t) (*print-case* :capitalize) (*print-escape* t)
         (*print-readably* nil) (*print-pretty* t) (*print-right-margin* 1)
         (*print-lines* 1) (*print-array* nil) (*print-gensym* nil)
         (*read-base* 36) (*read-eval* t) (*read-suppress* t)
         (*read-default-float-format* 'double-float)
         (*readtable* (hostile-readtable))
         (*package* (find-package '#:agent-q-fs/test/empty))
         #+sbcl (sb-impl::*default-external-format* :latin-1)
         #+ecl (ext:*default-external-format* :latin-1))
     ,@body))

;;;; Random text

(defun random-code ()
  "A code point of any size but a surrogate, NUL, carriage return or byte order mark.
At the start of a file the last is no part of its text."
  (let ((code (random (aref #(128 128 128 256 2048 65536 #x110000) (random 7 *random*))
                      *random*)))
    (if (or (<= #xD800 code #xDFFF) (member code '(0 13 #xFEFF)))
        (random-code)
        code)))

(defun random-text (length)
  "LENGTH random characters, with more quotes and backslashes than chance has."
  (let ((text (make-string length)))
    (dotimes (i length text)
      (setf (char text i)
            (if (zerop (random 6 *random*))
                (char (coerce '(#\" #\\ #\Newline #\( #\# #\~ #\% #\: #\;) 'string)
                      (random 9 *random*))
                (code-char (random-code)))))))

;;;; Threads

(defun start-thread (function)
  "Calls FUNCTION in a thread, for JOIN to wait for.  An error ends that thread only."
  (flet ((run () (handler-case (funcall function)
                   (error (condition) (format t "~&In a thread: ~A~%" condition)))))
    #+sbcl (sb-thread:make-thread #'run)
    #+ecl (mp:process-run-function "test" #'run)))

(defun join (thread)
  #+sbcl (sb-thread:join-thread thread)
  #+ecl (mp:process-join thread))

(defun collect-garbage ()
  #+sbcl (sb-ext:gc :full t)
  #+ecl (ext:gc t))

(defun descriptors ()
  "How many file descriptors are open."
  (length (directory "/proc/self/fd/*" :resolve-symlinks nil)))

(defmacro condition-of (&body body)
  "The agent-q-fs-error that BODY signals, or nil."
  `(handler-case (progn ,@body nil)
     (agent-q-fs-error (condition) condition)))
