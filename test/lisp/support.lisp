;;;; support.lisp -- functions for all tests: running, file trees, hostile bindings, threads.
;;;;
;;;; SPDX-License-Identifier: MIT

(in-package #:agent-q-fs/test)

;;;; Running

;;; These tests run without Emacs; those in test/e2e/ have one.
(setf *transport* :ffi)

(defun outcome (results)
  "Returns the outcome of one test by the RESULTS of its checks."
  (cond ((some (lambda (result) (typep result 'fiveam::test-failure)) results) :failed)
        ((every (lambda (result) (typep result 'fiveam::test-skipped)) results) :skipped)
        (t :passed)))

(defun wanted-part ()
  "Returns T of the environment, spelled like names of tests: glob_double becomes GLOB-DOUBLE."
  (substitute #\- #\_ (string-upcase (or (uiop:getenv "T") ""))))

(defun wanted-tests (package)
  "Returns the names of the tests of PACKAGE that contain T of the environment."
  (let ((part (wanted-part)))
    (sort (loop for name in (fiveam:test-names)
                when (and (eq (symbol-package name) (find-package package))
                          (not (typep (fiveam:get-test name) 'fiveam::test-suite))
                          (search part (symbol-name name)))
                  collect name)
          #'string<)))

(defun tell-test (name)
  "Tells scripts/watch-tests.sh that the test NAME begins."
  (let ((file (uiop:getenv "TEST_NOW")))
    (when (plusp (length file))
      (with-open-file (stream file :direction :output :if-exists :overwrite)
        (format stream "~(~A~)~%" name)))))

(defun run-each (names)
  "Runs the tests NAMES, and returns their results.  With V in the environment, prints times."
  (loop for name in names
        for start = (get-internal-real-time)
        do (tell-test name)
        append (fiveam:run name)
        when (plusp (length (uiop:getenv "V")))
          do (format t "~&~(~A~): ~,2F s~%" name (/ (- (get-internal-real-time) start)
                                                  internal-time-units-per-second))))

(defun say-skipped (results)
  "Prints which tests were skipped, and why."
  (dolist (result results)
    (when (typep result 'fiveam::test-skipped)
      (format t "~&SKIPPED ~(~A~): ~A~%" (fiveam::name (fiveam::test-case result))
              (fiveam::reason result)))))

(defun run-package (package)
  "Runs the tests of PACKAGE, says which fail and why, and returns how many passed, failed
and were skipped."
  (let* ((results (let ((fiveam:*test-dribble* (make-broadcast-stream)))
                    (run-each (wanted-tests package))))
         (cases (remove-duplicates (mapcar #'fiveam::test-case results)))
         (outcomes (loop for case in cases
                         collect (outcome (remove case results :key #'fiveam::test-case
                                                               :test-not #'eq)))))
    (say-skipped results)
    (when (find :failed outcomes)
      (fiveam:explain! results))
    (values (count :passed outcomes) (count :failed outcomes) (count :skipped outcomes))))

(defun run-tests ()
  (run-package '#:agent-q-fs/test))

;;;; Files
;;;
;;; These functions call libc, because pathnames of Lisp cannot name every file.

(defun encode-utf8 (string)
  "Returns STRING as UTF-8, by other code than that under test."
  (coerce (babel:string-to-octets string :encoding :utf-8) 'octets))

(defun to-octets (value)
  "Returns VALUE, a string or a vector, as octets."
  (if (stringp value) (encode-utf8 value) (coerce value 'octets)))

(defun c-string (value)
  "Returns VALUE as octets with a NUL at the end."
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

(defun libc-unlink (path)
  "Removes the file or link PATH, if there is one."
  (cffi:with-pointer-to-vector-data (pointer (c-string path))
    (cffi:foreign-funcall "unlink" :pointer pointer :int)))

(defun put (path contents)
  "Makes the file PATH hold CONTENTS.  The file is a new one: ext4 waits for the disk when a file
that was truncated is closed."
  (libc-unlink path)
  (cffi:with-pointer-to-vector-data (pointer (c-string path))
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
  "Makes a directory, and returns its canonical name with a slash at the end."
  (let ((path (format nil "~Aaqfs-lisp-~36R/" (uiop:native-namestring (uiop:temporary-directory))
                      (random (expt 36 12) *random*))))
    (libc-directory (string-right-trim "/" path))
    (uiop:native-namestring (truename path))))

(defun in-root (root name)
  "Returns the full name of the file NAME, a string or octets, below ROOT, as octets."
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
  "Returns a readtable with which the reader fails at most characters."
  (let ((readtable (copy-readtable nil)))
    (setf (readtable-case readtable) :invert)
    (dolist (character '(#\: #\" #\( #\) #\t #\n #\1) readtable)
      (set-macro-character character (lambda (stream character)
                                       (declare (ignore stream))
                                       (error "The reader was used: ~C" character))
                           nil readtable))))

(defmacro with-hostile-bindings (&body body)
  "Runs BODY with the reader's and the printer's variables bound to the most harmful values."
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
  "Returns a code point that is no surrogate, NUL, carriage return or byte order mark.
A byte order mark at the start of a file does not belong to its text."
  (let ((code (random (aref #(128 128 128 256 2048 65536 #x110000) (random 7 *random*))
                      *random*)))
    (if (or (<= #xD800 code #xDFFF) (member code '(0 13 #xFEFF)))
        (random-code)
        code)))

(defun random-text (length)
  "Returns LENGTH random characters, one in six of them special to a reader or a printer."
  (let ((text (make-string length)))
    (dotimes (i length text)
      (setf (char text i)
            (if (zerop (random 6 *random*))
                (char (coerce '(#\" #\\ #\Newline #\( #\# #\~ #\% #\: #\;) 'string)
                      (random 9 *random*))
                (code-char (random-code)))))))

;;;; Threads

(defun start-thread (function)
  "Starts a thread that calls FUNCTION, for JOIN.  An error ends only that thread."
  (flet ((run () (handler-case (funcall function)
                   (error (condition) (format t "~&In a thread: ~A~%" condition)))))
    #+sbcl (sb-thread:make-thread #'run)
    #+ecl (mp:process-run-function "test" #'run)
    #-(or sbcl ecl) (uiop:symbol-call '#:bordeaux-threads '#:make-thread #'run)))

(defun join (thread)
  #+sbcl (sb-thread:join-thread thread)
  #+ecl (mp:process-join thread)
  #-(or sbcl ecl) (uiop:symbol-call '#:bordeaux-threads '#:join-thread thread))

(defun collect-garbage ()
  #+sbcl (sb-ext:gc :full t)
  #+ecl (ext:gc t)
  #-(or sbcl ecl) (uiop:symbol-call '#:trivial-garbage '#:gc :full t))

(defun descriptors ()
  "Returns the number of open file descriptors.  ECL minds one that is closed meanwhile."
  (loop
    (handler-case (return (length (directory "/proc/self/fd/*" :resolve-symlinks nil)))
      (file-error ()))))

(defmacro condition-of (&body body)
  "Returns the agent-q-fs-error that BODY signals, or nil."
  `(handler-case (progn ,@body nil)
     (agent-q-fs-error (condition) condition)))
