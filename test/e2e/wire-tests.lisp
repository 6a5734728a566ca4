;;;; wire-tests.lisp -- data comes through the connection unchanged.
;;;;
;;;; SPDX-License-Identifier: MIT

(in-package #:agent-q-fs/e2e)
(in-suite e2e)

;;;; Round trips
;;;
;;; A write waits for the disk, so one write takes several strings, with separators between.

(defmacro without-questions (&body body)
  "Runs BODY while neither Emacs nor Lisp asks for approval."
  `(unwind-protect (let ((*approval-handler* (constantly :approved)))
                     (emacs-value "(setq agent-q-fs-policy 'never)")
                     ,@body)
     (emacs-value "(setq agent-q-fs-policy 'tiered)")))

(defmacro by-each-transport (&body body)
  "Runs BODY with each transport."
  `(dolist (*transport* '(:emacs :ffi))
     ,@body))

(defun random-strings (count)
  "Returns COUNT random strings in one, with a separating line after each."
  (with-output-to-string (out)
    (dotimes (i count)
      (write-string (random-text (random 60 *random*)) out)
      (format out "~%<~D>~%" i))))

(defun through-tools (text)
  "Writes TEXT to a file by a tool, and returns the text that another tool reads there."
  (call-tool "write_file" (list :path "f" :content text))
  (call-tool "read_file" '(:path "f" :limit 10000000)))

(defun unseen-note-p (words)
  "Returns true if WORDS are one line about characters that are not seen."
  (and (eql 0 (search "[line " words))
       (search " invisible character" words)
       (= (position #\Newline words) (1- (length words)))
       (char= #\] (char words (- (length words) 2)))))

(defun same-text-p (text said)
  "Returns true if SAID, by a tool that reads, is TEXT, of whole lines, and at most a note behind
it of characters that are not seen; and if a program reads TEXT alone."
  (let ((end (mismatch text said)))
    (and (or (null end)
             (and (= end (length text)) (unseen-note-p (subseq said end))))
         (equal text (getf (call :read-file :path "f" :limit 10000000) :content)))))

(test wire.ten-thousand-strings
  (with-project (root)
    (without-questions
      (by-each-transport
        (loop repeat 200
              for text = (random-strings 50)
              unless (same-text-p text (through-tools text))
                do (return (fail "~A: ~S came back as another" *transport* text))
              finally (pass))))))

(test wire.strings-with-hostile-bindings
  (with-project (root)
    (without-questions
      (by-each-transport
        (is (loop repeat 100
                  for text = (random-strings 5)
                  always (same-text-p text (with-hostile-bindings (through-tools text))))
            "~A" *transport*)))))

(defparameter *base64* "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")

(defun base64 (octets)
  "Returns OCTETS, whose number is divisible by three, as base64."
  (with-output-to-string (out)
    (loop for i from 0 below (length octets) by 3
          for bits = (logior (ash (aref octets i) 16) (ash (aref octets (+ i 1)) 8)
                             (aref octets (+ i 2)))
          do (loop for shift in '(18 12 6 0)
                   do (write-char (char *base64* (ldb (byte 6 shift) bits)) out)))))

(test wire.every-byte
  (let ((octets (make-octets 768)))
    (dotimes (i 768) (setf (aref octets i) (mod (* i 5) 256)))
    (with-project (root)
      (without-questions
        (by-each-transport
          (with-hostile-bindings
            (call-tool "write_bytes" (list :path "b" :content (base64 octets))))
          (is (equal (map 'string #'code-char octets) (contents root "b")))
          (is (equal (base64 octets)
                     (string-right-trim '(#\Newline)
                                        (with-hostile-bindings
                                          (call-tool "read_bytes" '(:path "b"))))))
          (is (equalp octets (with-hostile-bindings (read-bytes "b")))))))))

(defparameter *nasty-texts*
  (list "#.(delete-file \"decoy\")" "~/cl:delete-file/ ~A ~% %s" "#1=(#1# . #1#)" "\"\\\"\\\\"
        "(agent-q-fs-rpc :close 1)" "'evil `evil ,evil ?\\C-a" (format nil "a~%b~C" #\Tab)
        "😀 é λ € ﷽" (string (code-char #x10FFFF)) "#[evil]" "#(\"x\" 0 1 (display \"y\"))"
        (format nil "esc~C[31m" (code-char 27)) "nil" "t" ":keyword" "" "\\" "\""))

(test wire.code-is-text
  (with-project (root ("decoy" "decoy"))
    (without-questions
      (by-each-transport
        (dolist (text *nasty-texts*)
          (call-tool "write_file" (list :path "f" :content text))
          (is (equal text (contents-text root "f")) "~S" text)
          (is (equal text (getf (call :read-file :path "f") :content)) "~S" text)
          (let ((said (call-tool "read_file" (list :path (concatenate 'string "no/" text)))))
            (is (eql 0 (search "Error: " said)) "~S" text))
          (is (eql 0 (search "Error: " (call-tool text (list :path "f")))) "a tool ~S" text)
          (is (eql 0 (search "Error: " (call-tool "read_file" (list text "f")))) "~S" text))
        (is (equal "decoy" (contents root "decoy")))))))

(defun contents-text (root name)
  "Returns the text of the file NAME."
  (uiop:read-file-string (concatenate 'string root name) :external-format :utf-8))

(test wire.what-is-no-text
  (with-project (root ("f" "kept"))
    (without-questions
      (by-each-transport
        (dolist (text (list (string (code-char #xD800)) (format nil "a~Cb" (code-char #xDFFF))))
          (is (eql 0 (search "Error: content: the text holds half of a UTF-16 pair"
                             (call-tool "write_file" (list :path "f" :content text))))))
        (is (search "NUL" (call-tool "read_file" (list :path (format nil "f~C" (code-char 0))))))
        (is (equal "kept" (contents root "f")))
        (is (eql 0 (search "Error: The text has a NUL character"
                           (call-tool "write_file" (list :path "nul" :content
                                                         (format nil "a~Cb" (code-char 0)))))))
        (is (null (contents root "nul")))))))

(test wire.five-megabytes
  (let ((text (make-string 1700000 :initial-element (code-char #x20AC))))
    (setf (char text 1000) #\Newline)
    (with-project (root)
      (without-questions
        (by-each-transport
          (call-tool "write_file" (list :path "big" :content text))
          (is (= 5099998 (length (contents root "big"))))
          (is (string= text (getf (call :read-file :path "big") :content))))))))

(test wire.arguments-of-every-shape
  (with-project (root ("a" (lines "one" "two")) ("b.lisp" "") ("c.el" ""))
    (flet ((table (&rest plist)
             (let ((table (make-hash-table :test #'equal)))
               (loop for (key value) on plist by #'cddr do (setf (gethash key table) value))
               table)))
      (dolist (arguments (list '(:path "a" :start-line 2) '("path" "a" "start_line" 2)
                               '(("path" . "a") ("start_line" . 2)) '((:path . "a") (:start-line . 2))
                               (table "path" "a" "start_line" 2) (list :path #p"a" :start-line 2.0)))
        (is (search (lines "two") (call-tool "read_file" arguments)) "~S" arguments))
      (dolist (patterns (list '("*.el") #("*.el")))
        (is (equal (list "a" "b.lisp")
                   (mapcar (lambda (entry) (getf entry :name))
                           (getf (call :list-directory :exclude-patterns patterns) :entries)))))
      (is (= 3 (length (getf (call :list-directory :exclude-patterns '()) :entries))))
      (call :edit-file :path "a" :edits (list (table "old_str" "one" "new_str" "1")
                                              '(:old-str "two" :new-str "2")))
      (is (equal (lines "1" "2") (contents root "a"))))))

(test wire.the-same-table
  (with-project (root)
    (let ((by-emacs (operations :emacs))
          (by-ffi (operations :ffi)))
      (is (plusp (length by-emacs)))
      (is (equalp by-emacs by-ffi)))))

(test wire.the-same-answers
  (with-project (root ("a/b" (lines "x")) ("c" "no newline"))
    (dolist (call '(("list_directory") ("directory_tree") ("read_file" :path "c")
                    ("grep_files" :pattern "x") ("search_files" :pattern "**")
                    ("read_file" :path "a") ("read_file" :path "../x") ("read_file" :path "/etc")
                    ("read_file" :file "a") ("read_file" :path "c" :start-line 7)
                    ("list_directory" :limit -1) ("edit_file" :path "c" :old-str "zz" :new-str "y")))
      (is (equal (call-tool (first call) (rest call))
                 (let ((*transport* :ffi)) (call-tool (first call) (rest call))))
          "~S" call))))

;;;; Messages

(test wire.one-message-a-call
  (with-project (root ("f" "text"))
    (call-tool "read_file" '(:path "f"))
    (is (= 1 (counting-messages (call-tool "read_file" '(:path "f")))))
    (is (= 10 (counting-messages (loop repeat 10 do (call :read-file :path "f")))))
    (is (= 1 (counting-messages (call-tool "edit_file" '(:path "f" :old-str "text" :new-str "x")))))
    (is (= 1 (counting-messages (call-tool "read_file" '(:path "nothing")))))
    (is (= 0 (counting-messages (call-tool "read_file" '(:path "../../etc/passwd")))))
    (is (= 0 (counting-messages (call-tool "move_file" '(:source "f" :destination "/tmp/f")))))
    (is (= 0 (counting-messages (condition-of (call :list-directory :path "a/../..")))))
    (is (= 1 (counting-messages (answering ("y")
                                  (call-tool "create_file" '(:path "g" :content "x"))))))))

(test wire.a-large-tree-in-one
  (with-project (root)
    (uiop:run-program
     (list "sh" "-c" (format nil "cd '~A' && for d in $(seq 60); do mkdir d$d; done && ~
                                  for d in d*; do (cd $d && seq -f 'file-%04.0f' 1000 | xargs touch); done" root)))
    (call-tool "read_file" '(:path "nothing"))
    (let ((reply nil))
      (is (= 1 (counting-messages (setf reply (call :directory-tree :limit 0)))))
      (is (= 60000 (getf reply :files)))
      (is (= 60000 (loop for directory in (getf (getf reply :tree) :children)
                         sum (length (getf directory :children))))))))

(test wire.longer-than-a-message
  (with-project (root ("quotes" (make-string 3000000 :initial-element #\")))
    ;; Each character is escaped twice, in both directions.
    (let ((said (call-tool "write_file" (list :path "f" :content
                                              (make-string 5000000 :initial-element #\")))))
      (is (eql 0 (search "Error: The arguments take" said)) "it said ~A" said)
      (is (null (contents root "f"))))
    (emacs-value "(setq agent-q-fs-rpc--longest 100000)")
    (unwind-protect
         (let ((condition (condition-of (call :read-file :path "quotes"))))
           (is (typep condition 'agent-q-fs-too-large))
           (is (search "fit" (agent-q-fs-error-message condition)))
           (is (search "Error: The answer takes" (call-tool "read_bytes" '(:path "quotes")))))
      (emacs-value "(setq agent-q-fs-rpc--longest #xffffff)"))
    (is (= 3000000 (length (getf (call :read-file :path "quotes") :content))))))

;;;; Threads

(test wire.hundred-threads-hundred-calls
  (with-project (root)
    (dotimes (i 100) (put (in-root root (format nil "f~D" i)) (format nil "contents of ~D" i)))
    (let* ((workspace (current-workspace))
           (right (make-array 100 :initial-element 0))
           (threads (loop for i below 100
                          collect (let ((i i))
                                    (start-thread
                                     (lambda ()
                                       (let ((*workspace* workspace)
                                             (path (format nil "f~D" i))
                                             (expected (format nil "contents of ~D" i)))
                                         (loop repeat 100
                                               when (equal expected
                                                           (without-note
                                                            (call-tool "read_file"
                                                                       (list :path path))))
                                                 do (incf (svref right i))))))))))
      (mapc #'join threads)
      (is (every (lambda (count) (= count 100)) right) "~S" right))))

(test wire.threads-without-a-workspace
  (with-project (root ("f" "text"))
    (let* ((project *project-root*)
           (answers (make-array 8 :initial-element nil))
           (threads (loop for i below 8
                          collect (let ((i i))
                                    (start-thread
                                     (lambda ()
                                       (let ((*transport* :emacs) (*project-root* project))
                                         (setf (svref answers i)
                                               (call-tool "read_file" '(:path "f"))))))))))
      (mapc #'join threads)
      (is (every (lambda (answer) (equal "text" (without-note answer))) answers)))))

(defvar *from-repl* nil
  "The results of the REPL's thread.")

(defun call-from-repl ()
  "Makes a call; runs in the thread of the REPL."
  (setf *from-repl* (list (sb-thread:thread-name sb-thread:*current-thread*)
                          (let ((*transport* :emacs))
                            (call-tool "read_file" '(:path "f"))))))

(defun type-in-repl (form)
  "Has FORM, a text, evaluated in the REPL, as if a person had typed it there."
  (to-emacs `(run-with-timer 0 nil
              (lambda ()
                (with-current-buffer ,(if (string= *server* "SLYNK")
                                          '(sly-mrepl--find-buffer)
                                          '(slime-output-buffer))
                  (goto-char (point-max))
                  (insert ,form)
                  ,(if (string= *server* "SLYNK") '(sly-mrepl-return) '(slime-repl-return)))))
            t))

(test wire.from-the-repl
  (with-project (root ("f" "text"))
    (let ((old *project-root*))
      (setf *from-repl* nil)
      (unwind-protect
           (progn
             (setf (sb-ext:symbol-global-value '*project-root*) root)
             (type-in-repl "(agent-q-fs/e2e::call-from-repl)")
             (wait-until (lambda () *from-repl*) :what "the REPL")
             (is (equal "text" (without-note (second *from-repl*))))
             (is (search "repl" (first *from-repl*)) "in ~A" (first *from-repl*)))
        (setf (sb-ext:symbol-global-value '*project-root*) old)))))

;;;; Held objects

(defun emacs-descriptors ()
  (emacs-value "(length (directory-files \"/proc/self/fd\" nil \"[0-9]\" t))"))

(test wire.thousand-workspaces
  (with-project (root ("f" "text"))
    (flet ((open-and-close (count)
             (loop repeat count
                   do (let ((workspace (open-workspace :root root)))
                        (call :file-exists :path "f" :workspace workspace)
                        (close-workspace workspace)
                        (assert (not (workspace-open-p workspace)))))))
      (open-and-close 10)
      (let ((before (progn (emacs-value "(garbage-collect)") (emacs-descriptors)))
            (ours (descriptors)))
        (open-and-close 1000)
        (emacs-value "(garbage-collect)")
        (is (>= before (emacs-descriptors)))
        (is (>= ours (descriptors)))))))

(defun open-and-forget (root count)
  (loop repeat count do (open-workspace :root root)))

(defun call-uncollected (function)
  "Calls FUNCTION so that no garbage is collected meanwhile unless it takes much memory."
  (let ((usual (sb-ext:bytes-consed-between-gcs)))
    (unwind-protect
         (progn (setf (sb-ext:bytes-consed-between-gcs) (* 4 usual))
                (sb-ext:gc)             ; from here on, that number counts
                (funcall function))
      (setf (sb-ext:bytes-consed-between-gcs) usual))))

(test wire.finalizers
  (with-project (root)
    (flet ((entries () (emacs-value "(length agent-q-fs-rpc--entries)")))
      (let ((before (entries)))
        (call-uncollected (lambda ()
                            (open-and-forget root 50)
                            ;; Those of earlier tests may be forgotten meanwhile.
                            (is (<= 50 (entries)))))
        (wait-until (lambda ()
                      (collect-garbage)
                      (< (entries) (+ before 10)))
                    :what "garbage to be collected")
        (pass)))))

(test wire.closed-is-closed
  (with-project (root ("f" "text"))
    (let ((workspace (open-workspace :root root)))
      (is (equal root (workspace-root workspace)))
      (close-workspace workspace)
      (close-workspace workspace)
      (is-false (workspace-open-p workspace))
      (is (equal "Error: The workspace is closed"
                 (call-tool "read_file" '(:path "f") :workspace workspace))))))
