;;;; workspace.lisp -- workspaces of the transport :ffi.
;;;;
;;;; SPDX-License-Identifier: MIT

(in-package #:agent-q-fs)

;;;; Handles
;;;
;;; The foreign workspace must be freed exactly once, and not while a call runs in it.  The last
;;; of CLOSE-WORKSPACE and the calls in progress frees it, or else the finalizer.  The finalizer
;;; refers to the handle and not to the workspace, which could never become garbage then.

(defvar *image* 0
  "Counts how often this image was saved: a saved image that is started has new foreign memory.")

(defstruct (handle (:constructor make-handle (pointer)) (:copier nil))
  "A foreign workspace, and the number of calls that use it."
  (pointer nil)
  (open t)
  (uses 0 :type fixnum)
  (image *image*)
  (lock (make-lock "agent-q-fs workspace")))

(defun handle-live-p (handle)
  "Returns true while the foreign workspace can be used."
  (and (handle-open handle) (eql (handle-image handle) *image*)))

(defun free-handle (handle)
  "Frees the foreign workspace.  The caller holds the lock, or is the finalizer."
  (let ((pointer (shiftf (handle-pointer handle) nil)))
    (setf (handle-open handle) nil)
    (when (and pointer (eql (handle-image handle) *image*))
      (in-foreign-code (%free pointer)))))

(defun enter-handle (handle)
  "Counts a call in, and returns the foreign workspace."
  (with-lock ((handle-lock handle))
    (unless (handle-live-p handle)
      (invalid-argument "The workspace is closed"))
    (incf (handle-uses handle))
    (handle-pointer handle)))

(defun leave-handle (handle)
  "Counts a call out, and frees the foreign workspace after the last call of a closed one."
  (with-lock ((handle-lock handle))
    (when (and (zerop (decf (handle-uses handle))) (not (handle-open handle)))
      (free-handle handle))))

(defun close-handle (handle)
  "Closes HANDLE for new calls.  Calls that run end before the foreign workspace is freed."
  (with-lock ((handle-lock handle))
    (when (handle-live-p handle)
      (setf (handle-open handle) nil)
      (in-foreign-code (%close (handle-pointer handle)))
      (when (zerop (handle-uses handle))
        (free-handle handle)))))

;;;; Workspaces

(defstruct (ffi-workspace (:include workspace) (:copier nil)
                          (:constructor make-ffi-workspace (properties handle)))
  "A workspace of the shared object in this process."
  (handle nil :type handle :read-only t))

(defun open-handle (options)
  "Opens a foreign workspace.  Returns its handle or nil, the reply's bytes, and the error's code."
  (declare (type octets options))
  (in-foreign-code
    (cffi:with-foreign-object (out :pointer)
      (setf (cffi:mem-ref out :pointer) (cffi:null-pointer))
      (multiple-value-bind (octets code)
          (with-octets-pointer (start options)
            (take-reply (%open start (length options) +sexp+ out)))
        (let ((pointer (cffi:mem-ref out :pointer)))
          (values (if (null-address-p pointer) nil (make-handle pointer))
                  octets code))))))

(defun state-directory ()
  "Returns the directory for journals and for the locks between writers of one project.  By
default Emacs uses the same directory."
  (let ((state (uiop:getenv-pathname "XDG_STATE_HOME" :ensure-directory t)))
    (merge-pathnames "agent-q-fs/"
                     (or state (merge-pathnames ".local/state/" (user-homedir-pathname))))))

(defmethod transport-options ((transport (eql :ffi)))
  ;; The core reads no environment.
  (list (cons "home" (user-homedir-pathname))
        (cons "state_dir" (state-directory))
        (cons "temp_dir" (uiop:temporary-directory))))

(defmethod open-by-transport ((transport (eql :ffi)) options)
  (load-library)
  (uninterrupted
    (multiple-value-bind (handle octets code) (open-handle (encode-options options))
      (let ((workspace nil))
        (unwind-protect
             (let ((reply (read-reply octets)))
               (unless handle
                 (error (reply-condition reply code)))
               (setf workspace (finalize (make-ffi-workspace reply handle)
                                         (lambda () (free-handle handle)))))
          (when (and handle (null workspace))
            (free-handle handle)))))))

(defmethod close-workspace ((workspace ffi-workspace))
  (uninterrupted (close-handle (ffi-workspace-handle workspace)))
  nil)

(defmethod reset-workspace ((workspace ffi-workspace))
  (let ((handle (ffi-workspace-handle workspace)))
    (multiple-value-bind (octets code)
        (uninterrupted
          (let ((pointer (enter-handle handle)))
            (unwind-protect (in-foreign-code (take-reply (%reset pointer +sexp+)))
              (leave-handle handle))))
      (let ((reply (read-reply octets)))
        (when code (error (reply-condition reply code)))
        workspace))))

(defmethod workspace-open-p ((workspace ffi-workspace))
  (handle-live-p (ffi-workspace-handle workspace)))

(defmethod workspace-transport ((workspace ffi-workspace))
  :ffi)

(defun send-request (workspace request slow)
  "Returns the reply to REQUEST, octets, and nil or the error's code.  SLOW is true for a call
that can take long."
  (let ((pointer nil))
    ;; The cleanup refers to WORKSPACE, so that it cannot become garbage during the call.
    (unwind-protect
         (multiple-value-bind (octets code)
             (progn
               (uninterrupted
                 (setf pointer (enter-handle (ffi-workspace-handle workspace))))
               (if slow
                   (exchange-interruptibly pointer request)
                   (exchange pointer request (cffi:null-pointer))))
           (values (read-reply octets) code))
      (when pointer
        (uninterrupted (leave-handle (ffi-workspace-handle workspace)))))))

(defmethod perform ((workspace ffi-workspace) name operation entries how)
  (send-request workspace
                (encode-request name operation entries how)
                (and operation (operation-slow-p operation))))

;;;; Saved images

(defun forget-foreign-memory ()
  "Forgets foreign addresses before an image is saved: they are invalid when it starts."
  (incf *image*)
  (setf *natives* nil
        *ffi-operations* nil))

#+sbcl (pushnew 'forget-foreign-memory sb-ext:*save-hooks*)
#-sbcl (uiop:register-image-dump-hook 'forget-foreign-memory)
