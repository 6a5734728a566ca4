;;;; library.lisp -- finding and loading the shared object.
;;;;
;;;; SPDX-License-Identifier: MIT
;;;;
;;;; The shared object is loaded at its first use, not with the system.  So the system can be
;;;; loaded before anything is built, and a saved image starts where nothing is installed.

(in-package #:agent-q-fs)

(defvar *library-path* nil
  "The shared object to load, a pathname or a native name; nil to look for it.")

(defparameter *library-name* "agent-q-fs-module.so")

(defun source-directory ()
  "Returns the directory of this system's definition; nil where ASDF does not know it, as in a
program that was made of compiled files."
  (let ((system (asdf:find-system "agent-q-fs" nil)))
    (and system (asdf:system-source-directory system))))

(defvar *source-directory* (source-directory)
  "The directory of this system's definition when this file was loaded, or nil.")

(defun image-directories ()
  "Returns the directories of this program and, if that is another file, of its saved image."
  (loop for file in (list #+sbcl sb-ext:*core-pathname* #p"/proc/self/exe")
        for found = (ignore-errors (probe-file file))
        when found
          collect (uiop:pathname-directory-pathname found)))

(defun library-directories ()
  "Returns the directories where the shared object may be, the likeliest first.  All are
absolute: the choice must depend neither on the environment nor on the current directory."
  (append (and *source-directory*
               (list (merge-pathnames "../build/" *source-directory*) *source-directory*))
          (image-directories)
          '(#p"/usr/local/share/common-lisp/source/agent-q-fs/"
            #p"/usr/share/common-lisp/source/agent-q-fs/"
            #p"/usr/local/lib/agent-q-fs/"
            #p"/usr/lib/agent-q-fs/")))

(defun library-candidates ()
  "Returns the names that the shared object may have, the likeliest first."
  (if *library-path*
      (list (uiop:ensure-pathname *library-path* :namestring :native))
      (loop for directory in (remove-duplicates (library-directories) :test #'equal :from-end t)
            collect (merge-pathnames *library-name* directory))))

(defun library-error (hint control &rest arguments)
  "Signals agent-q-fs-library-error."
  (fail 'agent-q-fs-library-error :library (format-message control arguments) :hint hint))

(defun find-library ()
  "Returns the truename of the shared object."
  (let ((candidates (library-candidates)))
    (or (some #'probe-file candidates)
        (library-error "Run `make all` in the source tree, or set agent-q-fs:*library-path*"
                       "The shared object was not found as ~{~A~^, ~}"
                       (mapcar #'native-namestring candidates)))))

;;;; Loading
;;;
;;; The shared object is opened by dlopen, and not by CFFI or Lisp.  So its symbols are those of our
;;; handle: another version that was refused, or is part of another library, cannot hide them.
;;; And Lisp, which opens again whatever it has opened, does not do so when a second library is
;;; loaded, when addresses are in use, nor when a saved image starts, where there may be no such
;;; file.

(defconstant +rtld-now+ 2 "As glibc and musl have it.")
(defconstant +rtld-nodelete+ #x1000 "Likewise.")

(defun null-address-p (address)
  "Is ADDRESS NULL?  CFFI has nil for that on CLISP, which its own function does not take."
  (or (null address) (cffi:null-pointer-p address)))

(defun dlopen (path)
  "Loads the shared object at PATH until the process ends, and returns its handle."
  (let ((handle (cffi:foreign-funcall "dlopen" :string (native-namestring path)
                                               :int (logior +rtld-now+ +rtld-nodelete+)
                                               :pointer)))
    (when (null-address-p handle)
      ;; Where Lisp itself calls dlsym, to find dlerror, the reason is lost.
      (library-error "Is it built for this machine, with its libraries present?"
                     "~A cannot be loaded~@[: ~A~]"
                     (native-namestring path)
                     (cffi:foreign-funcall "dlerror" :string)))
    handle))

(defun dlsym (handle name)
  "Returns the address of NAME in the shared object of HANDLE, or nil."
  (let ((address (cffi:foreign-funcall "dlsym" :pointer handle :string name :pointer)))
    (unless (null-address-p address)
      address)))

(defun check-abi (handle path)
  "Signals unless the shared object of HANDLE, which was loaded from PATH, has our ABI."
  (let* ((function (dlsym handle "aqfs_abi_version"))
         (found (and function (cffi:foreign-funcall-pointer function () :int32))))
    (cond ((null found)
           (library-error "Set agent-q-fs:*library-path* to agent-q-fs-module.so"
                          "~A is not the shared object of agent-q-fs"
                          (native-namestring path)))
          ((/= found agent-q-fs/catalogue:*abi*)
           (library-error "Run `make all`, so that both are of one version"
                          "~A has ABI version ~D, but this code needs ~D"
                          (native-namestring path) found agent-q-fs/catalogue:*abi*)))))

(defun open-library (path)
  "Loads the shared object at PATH, checks its version, and returns its handle."
  (let ((handle (dlopen path)))
    (check-abi handle path)
    handle))

(defun read-library-path ()
  "Asks the person at the terminal."
  (format *query-io* "~&Path of ~A: " *library-name*)
  (finish-output *query-io*)
  (list (read-line *query-io*)))

;;;; Building

(defvar *build-lock* (make-lock "agent-q-fs build"))

(defun source-tree ()
  "Returns the directory that the shared object can be built in; nil where the sources are not."
  (let ((tree (and *source-directory* (merge-pathnames "../" *source-directory*))))
    (and tree
         (probe-file (merge-pathnames "module/build.mk" tree))
         (probe-file tree))))

(defun copy-lines (input)
  "Copies the lines of the stream INPUT to the standard output as they come."
  (loop for line = (read-line input nil)
        while line
        do (write-line line)
           (finish-output)))

(defun run-make (tree)
  "Builds the shared object in TREE, and returns the exit status."
  (with-lock (*build-lock*)
    (nth-value 2 (uiop:run-program (list "make" "-C" (native-namestring tree)
                                         "-f" "module/build.mk" "module")
                                   :output #'copy-lines :error-output :output
                                   :ignore-error-status t))))

(defun build-library ()
  "Builds the shared object from the sources beside this system, and shows what make prints.
Signals agent-q-fs-library-error where there are no sources, or where building fails."
  (let ((tree (source-tree)))
    (unless tree
      (library-error "Get the sources, with the folder lisp/ inside, and load the system from there"
                     "The sources of the shared object are not beside ~A"
                     (if *source-directory*
                         (native-namestring *source-directory*)
                         "the compiled files")))
    (format t "~&Building agent-q-fs in ~A~%" (native-namestring tree))
    (let ((status (run-make tree)))
      (unless (eql status 0)
        (library-error (format-message "~Amodule/packages names the packages that building needs"
                                       (list (native-namestring tree)))
                       "Building failed, as make has said above (exit status ~D)"
                       status)))))
