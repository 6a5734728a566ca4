;;;; stand-in.lisp -- tools, registries, approval and execution as cl-llm-provider documents
;;;; them.  Written for the tests, from that documentation alone.
;;;;
;;;; SPDX-License-Identifier: MIT

(defpackage #:cl-llm-provider
  (:use #:common-lisp)
  (:export #:define-tool #:tool-definition #:tool-name #:tool-description #:tool-parameters
           #:tool-required-params #:tool-safety-level #:tool-categories
           #:tool-requires-approval #:tool-handler #:tool-metadata
           #:tool-call #:tool-call-id #:tool-call-name #:tool-call-arguments))

(defpackage #:cl-llm-provider.tools
  (:use #:common-lisp #:cl-llm-provider)
  (:export #:make-tool-registry #:*tool-registry* #:ensure-registry #:registry-tools
           #:registry-approval-callback #:register-tool #:find-tool #:list-tools
           #:tools-for-llm #:safety-level<= #:needs-approval-p #:request-tool-approval
           #:execute-tool #:tool-approval-error #:tool-approval-required
           #:tool-safety-violation))

;;;; Tools and calls of them

(in-package #:cl-llm-provider)

(defclass tool-definition ()
  ((name :initarg :name :reader tool-name)
   (description :initarg :description :reader tool-description)
   (parameters :initarg :parameters :reader tool-parameters)
   (required :initarg :required :initform '() :reader tool-required-params)
   (safety-level :initarg :safety-level :initform :safe :reader tool-safety-level)
   (categories :initarg :categories :initform '() :reader tool-categories)
   (requires-approval :initarg :requires-approval :initform nil :reader tool-requires-approval)
   (handler :initarg :handler :initform nil :reader tool-handler)
   (metadata :initarg :metadata :initform '() :reader tool-metadata)))

(defun define-tool (name description parameters &rest options
                    &key required safety-level categories requires-approval handler metadata)
  (declare (ignore required safety-level categories requires-approval handler metadata))
  (apply #'make-instance 'tool-definition
         :name name :description description :parameters parameters options))

(defclass tool-call ()
  ((id :initarg :id :initform "call" :reader tool-call-id)
   (name :initarg :name :reader tool-call-name)
   (arguments :initarg :arguments :reader tool-call-arguments)))

;;;; Registries

(in-package #:cl-llm-provider.tools)

(defvar *tool-registry* nil)

(defclass tool-registry ()
  ((tools :initform (make-hash-table :test #'equal) :reader registry-tools)
   (name :initarg :name)
   (default-safety-level :initarg :default-safety-level)
   (approval-callback :initarg :approval-callback :accessor registry-approval-callback)))

(defun make-tool-registry (&key (name "default") (default-safety-level :safe) approval-callback)
  (make-instance 'tool-registry :name name :default-safety-level default-safety-level
                                :approval-callback approval-callback))

(defun ensure-registry ()
  (or *tool-registry* (setf *tool-registry* (make-tool-registry))))

(defgeneric register-tool (registry tool &key replace)
  (:method ((registry tool-registry) tool &key replace)
    (when (and (gethash (tool-name tool) (registry-tools registry)) (not replace))
      (error "There is a tool ~A already" (tool-name tool)))
    (setf (gethash (tool-name tool) (registry-tools registry)) tool)))

(defgeneric find-tool (registry name)
  (:method ((registry tool-registry) name)
    (gethash name (registry-tools registry))))

(defgeneric list-tools (registry &key safety-level)
  (:method ((registry tool-registry) &key safety-level)
    (loop for tool being the hash-values of (registry-tools registry)
          when (or (null safety-level) (eq safety-level (tool-safety-level tool)))
            collect tool)))

(defun safety-level<= (level other)
  (let ((levels '(:safe :moderate :dangerous)))
    (<= (position level levels) (position other levels))))

(defun tools-for-llm (&key (registry (ensure-registry)) (max-safety-level :dangerous) categories)
  (remove-if-not (lambda (tool)
                   (and (safety-level<= (tool-safety-level tool) max-safety-level)
                        (or (null categories)
                            (intersection categories (tool-categories tool)))))
                 (list-tools registry)))

;;;; Approval

(define-condition tool-approval-required (error) ())
(define-condition tool-approval-error (error) ((reason :initarg :reason :initform nil)))
(define-condition tool-safety-violation (error) ())

(defun needs-approval-p (tool)
  (case (tool-requires-approval tool)
    ((t :always) t)
    (:if-dangerous (eq :dangerous (tool-safety-level tool)))))

(defgeneric request-tool-approval (tool call arguments &key callback)
  (:method ((tool tool-definition) call arguments &key callback)
    (unless callback (error 'tool-approval-required))
    (let* ((answer (funcall callback tool call arguments))
           (decision (if (consp answer) (first answer) answer))
           (more (and (consp answer) (second answer))))
      (case decision
        ((t :approved) (values :approved (or more arguments) nil))
        (:edited (values :edited more nil))
        ((nil :rejected) (values :rejected arguments more))
        (t (error "No answer: ~S" answer))))))

;;;; Execution

(defgeneric execute-tool (tool call &key registry skip-approval approval-callback
                                      max-safety-level)
  (:method ((tool tool-definition) (call tool-call)
            &key registry skip-approval approval-callback max-safety-level)
    (when (and max-safety-level
               (not (safety-level<= (tool-safety-level tool) max-safety-level)))
      (error 'tool-safety-violation))
    (let ((arguments (tool-call-arguments call)))
      (when (and (needs-approval-p tool) (not skip-approval))
        (multiple-value-bind (decision final reason)
            (request-tool-approval tool call arguments
                                   :callback (or approval-callback
                                                 (and registry
                                                      (registry-approval-callback registry))))
          (when (eq decision :rejected)
            (error 'tool-approval-error :reason reason))
          (setf arguments final)))
      (funcall (tool-handler tool) arguments))))
