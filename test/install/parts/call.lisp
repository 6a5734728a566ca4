;;;; call.lisp -- calls a tool with the system agent-q-fs/ffi, which is loaded.
;;;;
;;;; SPDX-License-Identifier: MIT
;;;;
;;;; Where there is no shared object, it does what a person would in the debugger: it chooses to
;;;; build, once.

(in-package #:cl-user)

(defun choose-to-build (condition)
  "Chooses the restart BUILD, unless building has failed."
  (format t "~&ASKED: ~A~%" (agent-q-fs:agent-q-fs-error-message condition))
  (let ((restart (find-restart 'agent-q-fs:build condition)))
    (if (and restart (search "was not found" (agent-q-fs:agent-q-fs-error-message condition)))
        (invoke-restart restart)
        (uiop:quit 1))))

(handler-bind ((agent-q-fs:agent-q-fs-library-error #'choose-to-build))
  (agent-q-fs:load-library))

(let ((agent-q-fs:*approval-handler* (constantly :approved)))
  (agent-q-fs:with-workspace (workspace :transport :ffi
                                        :root (merge-pathnames "work/" (user-homedir-pathname)))
    (format t "~&CALLED: ~A~%"
            (agent-q-fs:call-tool "create_file"
                                  (list :path "notes.txt" :content (format nil "one~%two~%"))
                                  :workspace workspace))))
