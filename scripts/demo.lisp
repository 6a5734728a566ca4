;;;; demo.lisp -- the same tools for a program in Common Lisp, without Emacs.
;;;;
;;;; SPDX-License-Identifier: MIT
;;;;
;;;; `make run' without a terminal.  Calls that read are made on this project; those that write, on
;;;; one that is in memory only.

(load (merge-pathnames "../test/lisp/setup.lisp" *load-truename*))

(in-package #:agent-q-fs/setup)

(load-systems '("agent-q-fs/ffi") '("cffi") nil)

(defpackage #:agent-q-fs/demo
  (:use #:common-lisp #:agent-q-fs))

(in-package #:agent-q-fs/demo)

(defun show (workspace tool &rest arguments)
  "Calls TOOL and prints what a model would be shown."
  (format t "~&~%>>> (call-tool ~S '~:S)~%" tool arguments)
  (format t "~A~%" (string-right-trim '(#\Newline)
                                      (call-tool tool arguments :workspace workspace))))

(defun approve (tool arguments)
  "Shows what TOOL with ARGUMENTS would do, as a person would see it, and approves of it."
  (declare (ignore tool arguments))
  (format t "~A~%~A--- approved:~%" (getf *approval-preview* :summary)
          (getf *approval-preview* :diff))
  :approved)

(defun demo ()
  (with-workspace (ws :root agent-q-fs/setup:*root* :transport :ffi)
    (show ws "get_project_root")
    (show ws "grep_files" :pattern "^\\(defun call-tool" :path "lisp")
    (show ws "read_file" :path "../outside"))
  (with-workspace (ws :backend :memory :transport :ffi)
    (show ws "create_file" :path "notes.txt" :content (format nil "one~%two~%"))
    (let ((*approval-handler* #'approve))
      (show ws "create_file" :path "notes.txt" :content (format nil "one~%two~%")))
    (show ws "edit_file" :path "notes.txt" :old-str "two" :new-str "2")
    (handler-case (call :edit-file :workspace ws :path "notes.txt" :old-str "two" :new-str "2")
      (agent-q-fs-no-match (condition)
        (format t "~&~%>>> (call :edit-file …) signals ~A:~%~A~%" (type-of condition) condition)))))

(demo)
(agent-q-fs/setup:finish)
