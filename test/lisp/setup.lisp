;;;; setup.lisp -- makes the systems of this tree loadable, independently of the user's
;;;; configuration of ASDF.  Loaded by run.lisp, and by the Lisps that some tests start.
;;;;
;;;; SPDX-License-Identifier: MIT
;;;;
;;;; Compiled files go to build/fasl, or to a new directory if that one cannot be written, as in
;;;; another user's tree.

(require :asdf)

(defpackage #:agent-q-fs/setup
  (:use #:common-lisp)
  (:export #:*root* #:*fasls* #:load-systems #:finish))

(in-package #:agent-q-fs/setup)

(setf *compile-verbose* nil
      *compile-print* nil
      *load-verbose* nil)

(defvar *root* (uiop:pathname-parent-directory-pathname
                (uiop:pathname-parent-directory-pathname *load-truename*))
  "The source tree.")

(defvar cl-user::*agent-q-fs-fasls* nil
  "The directory of the compiled files of the Lisp that started this one, or nil.")

(defvar *own-fasls* nil
  "The directory that FINISH has to delete, or nil.")

(defun writable-directory (directory)
  "Returns DIRECTORY, after making it if necessary, or nil if it cannot be written."
  (let ((probe (merge-pathnames (format nil "probe-~36R" (random (expt 36 10)
                                                                 (make-random-state t)))
                                directory)))
    (handler-case
        (progn
          (ensure-directories-exist probe)
          (with-open-file (stream probe :direction :output) (write-line "" stream))
          (delete-file probe)
          directory)
      (error () nil))))

(defun own-directory ()
  "Makes a directory for this process alone, and returns it."
  (setf *own-fasls*
        (uiop:ensure-directory-pathname
         (merge-pathnames (format nil "aqfs-fasl-~36R" (random (expt 36 10)
                                                               (make-random-state t)))
                          (uiop:temporary-directory))))
  (ensure-directories-exist *own-fasls*))

(defvar *fasls* (or cl-user::*agent-q-fs-fasls*
                    (writable-directory (merge-pathnames "build/fasl/" *root*))
                    (own-directory))
  "The directory for compiled files.")

(defun configure ()
  "Tells ASDF where sources are and where compiled files go, and nothing else.  Where there is no
cl-llm-provider, a stand-in is defined."
  (asdf:initialize-source-registry
   `(:source-registry (:directory ,(merge-pathnames "lisp/" *root*))
                      (:tree "/usr/share/common-lisp/source/")
                      :ignore-inherited-configuration))
  ;; Those of this tree by their names in it, so that they also serve a copy of the tree.
  (asdf:initialize-output-translations
   `(:output-translations ((,*root* :**/ :*.*.*) (,*fasls* :implementation "tree"))
                          (t (,*fasls* :implementation))
                          :ignore-inherited-configuration))
  (unless (asdf:find-system "cl-llm-provider" nil)
    (load (merge-pathnames "test/lisp/stand-in/system.lisp" *root*))))

(defun finish ()
  "Removes the directory that only this process used."
  (when *own-fasls*
    (uiop:delete-directory-tree *own-fasls* :validate t :if-does-not-exist :ignore)))

(defun interesting-p (warning)
  "Returns false for a warning that SBCL itself would not show."
  #+sbcl (not (typep warning sb-ext:*muffled-warnings*))
  #-sbcl (progn warning t))

(defun load-systems (own others force)
  "Loads the systems OTHERS, then OWN; with FORCE compiles OWN anew.  Returns the warnings about
OWN as text."
  (let ((*standard-output* (make-broadcast-stream))
        (*error-output* (make-broadcast-stream))
        (warnings '()))
    (mapc #'asdf:load-system others)
    (handler-bind ((warning (lambda (warning)
                              (when (interesting-p warning)
                                (push (format nil "~A: ~A" (type-of warning) warning)
                                      warnings)))))
      (asdf:load-system (first (last own)) :force (and force own)))
    (reverse warnings)))

(configure)
