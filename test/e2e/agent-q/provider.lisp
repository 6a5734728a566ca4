;;;; provider.lisp -- a model for Agent-Q: the rest of what Agent-Q uses of cl-llm-provider.
;;;;
;;;; SPDX-License-Identifier: MIT
;;;;
;;;; Loaded after the stand-in, by the Lisp that runs Agent-Q.  The model says what *TURNS* has, and
;;;; keeps in *SEEN* what it is shown.  Its calls of tools are JSON as models send it, read by yason.

(in-package #:cl-llm-provider)

(export '(make-provider provider-type provider-name provider-default-model provider-supports-p
          provider-capabilities model-metadata complete complete-stream response-content
          response-message response-tool-calls response-usage stream-accumulated-content
          chunk-delta chunk-finish-reason chunk-usage count-tokens count-tokens-with-system
          estimate-cost format-cost make-logging-hooks add-hook *global-hooks* *default-model*
          *default-provider* load-configuration-from-file provider-api-error
          provider-authentication-error provider-rate-limit-error))

(define-condition provider-api-error (error) ())
(define-condition provider-authentication-error (provider-api-error) ())
(define-condition provider-rate-limit-error (provider-api-error) ())

(defvar *default-provider* nil)
(defvar *default-model* nil)
(defvar *global-hooks* nil)

(defvar *turns* '()
  "The model's next deeds: for each turn a list of calls (NAME JSON), or the text that ends it.")

(defvar *seen* '()
  "The lists of messages that the model was shown, the latest first.")

;;;; Providers

(defclass provider ()
  ((type :initarg :type :reader provider-type)
   (model :initarg :model :initform nil :accessor provider-default-model)))

(defun make-provider (type &key model &allow-other-keys)
  (make-instance 'provider :type type :model model))

(defun provider-name (provider) (string-capitalize (provider-type provider)))
(defun provider-capabilities (provider) (declare (ignore provider)) '(:tools :streaming))
(defun provider-supports-p (provider capability)
  (and (member capability (provider-capabilities provider)) t))
(defun model-metadata (provider model) (declare (ignore provider model)) nil)
(defun load-configuration-from-file (&rest options) (declare (ignore options)) nil)
(defun count-tokens (messages) (ceiling (length (princ-to-string messages)) 4))
(defun count-tokens-with-system (messages system) (count-tokens (list system messages)))
(defun estimate-cost (&rest options) (declare (ignore options)) (values nil nil nil))
(defun format-cost (cost stream) (format stream "$~,4F" cost))
(defun make-logging-hooks (&rest options) (declare (ignore options)) (list :hooks))
(defun add-hook (hooks event function) (nconc hooks (list event function)))

;;;; Answers

(defclass response ()
  ((content :initarg :content :initform nil :reader response-content)
   (calls :initarg :calls :initform '() :reader response-tool-calls)
   (usage :initform '(:prompt-tokens 1 :completion-tokens 1 :total-tokens 2)
          :reader response-usage)))

(defun response-message (response)
  (list :role "assistant" :content (response-content response)
        :tool-calls (response-tool-calls response)))

(defun last-offer (messages)
  "Returns the digest of the offer that the last message with one tells of, or NIL."
  (loop with mark = "\"accept\": \""
        for message in (reverse messages)
        for content = (getf message :content)
        for place = (and (stringp content) (search mark content :from-end t))
        when place
          return (let ((start (+ place (length mark))))
                   (subseq content start (position #\" content :start start)))))

(defun with-offer (arguments messages)
  "Puts the digest that MESSAGES offer in the place of OFFER, as a model does that accepts it."
  (when (equal "OFFER" (gethash "accept" arguments))
    (setf (gethash "accept" arguments) (last-offer messages)))
  arguments)

(defun parse-calls (turn messages)
  (loop for (name json) in turn
        for n from 1
        collect (make-instance 'tool-call :id (format nil "call-~D" n) :name name
                                          :arguments (with-offer (yason:parse json) messages))))

(defun complete (messages &key &allow-other-keys)
  "Returns the model's next turn as a whole."
  (push messages *seen*)
  (let ((turn (pop *turns*)))
    (if (stringp turn)
        (make-instance 'response :content turn)
        (make-instance 'response :calls (parse-calls turn messages)))))

(defclass chunk ()
  ((delta :initarg :delta :reader chunk-delta)
   (reason :initarg :reason :reader chunk-finish-reason)
   (usage :initform nil :reader chunk-usage)))

(defclass answer-stream ()
  ((content :initarg :content :reader stream-accumulated-content)))

(defun complete-stream (messages &key on-chunk on-complete &allow-other-keys)
  "Streams the text of a turn.  A turn of calls says only that it is one, and is left for COMPLETE."
  (let* ((text (and (stringp (first *turns*)) (pop *turns*)))
         (chunk (make-instance 'chunk :delta (or text "") :reason (if text :stop :tool_calls))))
    (when text (push messages *seen*))
    (funcall on-chunk chunk)
    (funcall on-complete (or text "") chunk)
    (make-instance 'answer-stream :content (or text ""))))

;;;; Calls

(in-package #:cl-llm-provider.tools)

(export '(tool-registry execute-tool-calls execution-results-to-tool-messages))

(defun execute-tool-calls (response &rest options &key registry &allow-other-keys)
  "Executes the calls of RESPONSE.  Returns pairs of a call, and its result or what it signalled."
  (loop for call in (cl-llm-provider:response-tool-calls response)
        for tool = (find-tool registry (cl-llm-provider:tool-call-name call))
        collect (cons call (handler-case (apply #'execute-tool tool call options)
                             (error (condition) condition)))))

(defun execution-results-to-tool-messages (results)
  (loop for (call . result) in results
        collect (list :role "tool" :tool-call-id (cl-llm-provider:tool-call-id call)
                      :content (princ-to-string result))))
