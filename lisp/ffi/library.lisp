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

(defvar *source-directory* (asdf:system-source-directory "agent-q-fs")
  "The directory of this system's definition.")

(defun library-candidates ()
  "Returns the names that the shared object may have, the likeliest first.  All are absolute:
the choice must depend neither on the environment nor on the current directory."
  (if *library-path*
      (list (uiop:ensure-pathname *library-path* :namestring :native))
      (loop for directory in (list* (merge-pathnames "../build/" *source-directory*)
                                    *source-directory*
                                    '(#p"/usr/local/share/common-lisp/source/agent-q-fs/"
                                      #p"/usr/share/common-lisp/source/agent-q-fs/"
                                      #p"/usr/local/lib/agent-q-fs/"
                                      #p"/usr/lib/agent-q-fs/"))
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

(defun check-abi (path)
  "Signals unless the shared object that was loaded from PATH has our ABI."
  (let* ((function (cffi:foreign-symbol-pointer "aqfs_abi_version"))
         (found (and function (cffi:foreign-funcall-pointer function () :int32))))
    (cond ((null found)
           (library-error "Set agent-q-fs:*library-path* to agent-q-fs-module.so"
                          "~A is not the shared object of agent-q-fs"
                          (native-namestring path)))
          ((/= found agent-q-fs/catalogue:*abi*)
           (library-error "Run `make all`, so that both are of one version, and restart Lisp"
                          "~A has ABI version ~D, but this code needs ~D"
                          (native-namestring path) found agent-q-fs/catalogue:*abi*)))))

(defconstant +rtld-lazy+ 1)
(defconstant +rtld-nodelete+ #x1000 "As glibc and musl have it.")

(defun pin-library (path)
  "Keeps the shared object at PATH in memory until the process ends.  When any code loads a
shared object a second time, SBCL closes and reopens it; the addresses that open workspaces
and calls in other threads hold would then be invalid."
  (declare (ignorable path))
  #+linux (cffi:foreign-funcall "dlopen" :string (native-namestring path)
                                         :int (logior +rtld-lazy+ +rtld-nodelete+)
                                         :pointer))

(defun open-library (path)
  "Loads the shared object at PATH and checks its version.  If the version is wrong, the shared
object is unloaded again: its symbols would hide those of the right one."
  (let ((library (handler-case (cffi:load-foreign-library path)
                   (cffi:load-foreign-library-error (condition)
                     (library-error "Is it built for this machine, with its libraries present?"
                                    "~A cannot be loaded: ~A"
                                    (native-namestring path)
                                    (remove #\Newline (princ-to-string condition))))))
        (accepted nil))
    (unwind-protect (progn (check-abi path)
                           (pin-library path)
                           (setf accepted t))
      (unless accepted
        (cffi:close-foreign-library library)))))

(defun read-library-path ()
  "Asks the person at the terminal."
  (format *query-io* "~&Path of ~A: " *library-name*)
  (finish-output *query-io*)
  (list (read-line *query-io*)))
