;;; agent-q-fs-mock.el --- A workspace that only pretends  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; For tests of your own tools: a workspace without files, which records the calls
;; that it gets and gives the answers that you have prepared.
;;
;;     (let ((ws (agent-q-fs-mock-open
;;                '(read_file (:path "a" :content "one\n" :text "one\n"))
;;                '(grep_files (:error :limit :message "Too much"))
;;                (list 'list_dir (lambda (arguments) (list :path (plist-get arguments :path)))))))
;;       (my-tool ws)
;;       (should (equal (agent-q-fs-mock-arguments ws 'read_file) '((:path "a")))))
;;
;; It can be given to every function that takes a workspace: `agent-q-fs-call' and its
;; like, `agent-q-fs-call-async', and the tools.  Calls are checked as the core checks
;; them, so that a test does not pass with a misspelled parameter.

;;; Code:

(require 'agent-q-fs)
(require 'cl-lib)

(declare-function agent-q-fs--mod-check "ext:agent-q-fs-module.so" (params arguments))

(cl-defstruct (agent-q-fs-mock (:include agent-q-fs-workspace)
                               (:constructor agent-q-fs-mock--make)
                               (:copier nil))
  "A workspace with prepared answers.  See `agent-q-fs-mock-open'."
  (replies nil :documentation "A list of (NAME REPLY...).")
  (asked nil :documentation "The calls that it got, latest first."))

(defconst agent-q-fs-mock--facts
  '(:root "/mock/" :method :mock :mode :restricted :backend :memory :read-only nil)
  "The facts of a mock, as `get_project_root' returns them.")

(defun agent-q-fs-mock-open (&rest replies)
  "Return a workspace that only pretends, and answers REPLIES.
Each of them is a list (OPERATION REPLY...): the first call of OPERATION
is answered with the first REPLY, and so on; the last one is repeated.
A REPLY is a property list as operations return it; one that begins with
:error and a code, such as (:error :not-found :message \"It is gone\"); or
a function, which gets the arguments and returns one of these.  An
operation that is not named here answers with an error."
  (agent-q-fs-mock--make
   :facts agent-q-fs-mock--facts
   :replies (mapcar (lambda (reply)
                      (cons (format "%s" (car reply)) (copy-sequence (cdr reply))))
                    replies)))

(cl-defmethod agent-q-fs--transport-call ((mock agent-q-fs-mock) operation arguments how)
  "Answer OPERATION with ARGUMENTS by a reply that MOCK was given; note HOW."
  (agent-q-fs--check (agent-q-fs-mock--answer mock operation arguments how)))

(cl-defmethod agent-q-fs--transport-start ((mock agent-q-fs-mock)
                                           _job operation arguments how then)
  "Answer OPERATION with ARGUMENTS by a reply that MOCK was given; note HOW.
THEN gets it a moment later."
  (run-at-time 0 nil then (agent-q-fs-mock--answer mock operation arguments how)))

(cl-defmethod agent-q-fs--transport-close ((_mock agent-q-fs-mock))
  "Do nothing: there is nothing behind a mock.")

(cl-defmethod agent-q-fs--transport-watched-p ((_mock agent-q-fs-mock))
  "Return nil: a mock changes no file that somebody may have open."
  nil)

(defun agent-q-fs-mock--arguments (arguments)
  "Return ARGUMENTS, a property list, with the names as the table has them."
  (let (plain)
    (while arguments
      (push (intern (string-replace "-" "_" (format "%s" (pop arguments)))) plain)
      (push (pop arguments) plain))
    (nreverse plain)))

(defun agent-q-fs-mock--check (name arguments)
  "Signal an error if a call of the operation NAME with ARGUMENTS is wrong."
  (let ((operation (agent-q-fs--operation name)))
    (unless operation
      (agent-q-fs--fail :unknown-operation "There is no operation %s" name))
    (agent-q-fs--read (agent-q-fs--mod-check (plist-get operation :params) arguments))))

(defun agent-q-fs-mock--answer (mock operation arguments how)
  "Note that MOCK was asked for OPERATION with ARGUMENTS as HOW says, and answer."
  (let* ((name (format "%s" operation))
         (arguments (agent-q-fs-mock--arguments arguments))
         (entry (assoc name (agent-q-fs-mock-replies mock)))
         (reply (cadr entry)))
    (agent-q-fs-mock--check name arguments)
    (push (list :operation (intern name) :arguments arguments
                :authority (plist-get how :authority) :digest (plist-get how :digest)
                :preview (eq 'plan (plist-get how :verb)))
          (agent-q-fs-mock-asked mock))
    (when (cddr entry)
      (setcdr entry (cddr entry)))
    (agent-q-fs-mock--whole
     (cond ((functionp reply) (funcall reply arguments))
           (entry reply)
           (t (agent-q-fs--error-reply :unknown-operation
                                       "This mock was told no reply for %s" name))))))

(defun agent-q-fs-mock--whole (reply)
  "Return REPLY with the members that every reply has."
  (cond ((plist-get reply :text) reply)
        ((plist-get reply :error)
         (let ((message (or (plist-get reply :message) "A mock's error")))
           (append reply (list :message message :path nil :hint nil
                               :text (concat "Error: " message)))))
        (t (append reply (list :text (or (plist-get reply :content) ""))))))

(defun agent-q-fs-mock-calls (mock)
  "Return the calls that MOCK got, in their order.
Each is a property list of :operation, a symbol, :arguments, :authority,
:digest and :preview."
  (reverse (agent-q-fs-mock-asked mock)))

(defun agent-q-fs-mock-arguments (mock operation)
  "Return the arguments of each call of OPERATION that MOCK was asked for.
They are property lists, their names spelled with underscores."
  (let ((name (format "%s" operation)))
    (cl-loop for call in (agent-q-fs-mock-calls mock)
             when (equal name (symbol-name (plist-get call :operation)))
             collect (plist-get call :arguments))))

(defun agent-q-fs-mock-forget (mock)
  "Forget the calls that MOCK got."
  (setf (agent-q-fs-mock-asked mock) nil))

(provide 'agent-q-fs-mock)

;;; agent-q-fs-mock.el ends here
