;;; agent-q-fs-job.el --- Calls that run beside Emacs, or only pretend  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A job is a call on a thread of its own.  The thread writes frames to a pipe:
;;
;;     +LENGTH newline DATUM     (:items (...)) or (:progress N), on the way
;;     .LENGTH newline DATUM     the reply, last
;;
;; and the pipe's filter reads them, a few milliseconds' worth at a time, so
;; that redisplay, timers and keys are never kept waiting.  While frames wait to
;; be read the pipe is left full, and so the thread waits too.

;;; Code:

(require 'agent-q-fs)
(require 'cl-lib)

(declare-function agent-q-fs--mod-check "ext:agent-q-fs-module.so" (params arguments))
(declare-function agent-q-fs--mod-cancel "ext:agent-q-fs-module.so" (job))
(declare-function agent-q-fs--mod-start "ext:agent-q-fs-module.so"
                  (workspace operation arguments how pipe stream))

(defconst agent-q-fs-job--slice 0.008
  "How many seconds of frames are read before Emacs does something else.")

(cl-defstruct (agent-q-fs-job (:constructor agent-q-fs-job--make)
                              (:copier nil))
  "A call that runs beside Emacs.  See `agent-q-fs-call-async'."
  (workspace nil :documentation "Kept, because a workspace that is garbage is closed.")
  (handle nil :documentation "The core's pointer.")
  (process nil :documentation "The pipe that the core writes to.")
  (then nil :documentation "A function to call with the reply instead of ending, or nil.")
  (commits nil :documentation "Non-nil while the core may be writing files.")
  (state 'running :documentation "`running', `done', `failed' or `cancelled'.")
  (on-items nil) (on-progress nil) (on-done nil) (on-error nil)
  (text "" :documentation "Frames received, in bytes.")
  (start 0 :documentation "The position in TEXT of the first frame that was not read.")
  (chunks nil :documentation "Strings received since TEXT, latest first.")
  (have 0 :documentation "The number of bytes in TEXT and CHUNKS that were not read.")
  (need 1 :documentation "The number of bytes that the next frame needs to be whole.")
  (timer nil :documentation "The timer that reads on while whole frames wait."))

;;;###autoload
(cl-defun agent-q-fs-call-async (workspace operation arguments
                                           &key on-items on-done on-error on-progress
                                           (authority (default-value 'agent-q-fs-authority))
                                           origin digest preview call caller)
  "Call OPERATION in WORKSPACE with ARGUMENTS without waiting, and return a job.
WORKSPACE and OPERATION are as for `agent-q-fs-call', ARGUMENTS is one
property list.  Meanwhile Emacs goes on, and these functions are called:

ON-ITEMS     with a list of results as they are found, where OPERATION
             streams them; the reply does not have them again
ON-PROGRESS  with a number that grows, now and then
ON-DONE      with the reply, at the end
ON-ERROR     with the error, (SYMBOL . DATA), instead of ON-DONE

Exactly one of ON-DONE and ON-ERROR is called, once.  The job ends early
by `agent-q-fs-job-cancel', or when its workspace is closed.  Arguments
of a wrong kind are signalled at once, as `agent-q-fs-call' does.

AUTHORITY is how much may be done, by default `agent-q-fs-authority'.
ORIGIN is for whom it is: `person', the default, `model' or `undo'.
CALL and CALLER are names that are kept with what is changed.
With PREVIEW the reply is as that of `agent-q-fs-preview'; with DIGEST
only what a preview showed is done, as by `agent-q-fs-commit'."
  (let* ((workspace (agent-q-fs--workspace workspace))
         (how (list :authority authority :origin origin :digest digest
                    :call call :caller caller
                    :verb (and preview 'plan)))
         (job (agent-q-fs-job--make
               :workspace workspace
               :on-items on-items :on-progress on-progress
               :on-done on-done :on-error on-error)))
    (let ((tell-end (agent-q-fs-job--tell-events job operation arguments how)))
      (condition-case problem
          (progn
            (agent-q-fs--insist operation how)
            (agent-q-fs-job--begin job operation arguments how))
        (agent-q-fs-error
         (funcall tell-end problem)
         (signal (car problem) (cdr problem)))))
    (agent-q-fs-job--started)
    job))

(defun agent-q-fs-job-watch (words running far)
  "Wait while RUNNING, a function, returns non-nil.
Where that takes longer than a second, the person is told WORDS, how many
files are done, which FAR, a function, returns, and for how long it has taken."
  (let ((start (float-time)) (said nil))
    (while (funcall running)
      (accept-process-output nil 0.1)
      (let ((seconds (floor (- (float-time) start))) (files (funcall far)))
        (unless (or (< seconds 1) (eql seconds said) noninteractive)
          (message "%s %s%d s; C-g ends it" words
                   (if files (format "%d files, " files) "")
                   (setq said seconds)))))
    (when said (message nil))))

(defun agent-q-fs-job--begin (job operation arguments how)
  "Have JOB call OPERATION with ARGUMENTS as HOW says, and run the hooks for it."
  (if (agent-q-fs--watched-p (agent-q-fs-job-workspace job) operation how)
      (agent-q-fs-job--change job operation arguments how)
    (setf (agent-q-fs-job-commits job)
          (and (not (plist-get how :verb)) (agent-q-fs--changes-p operation)))
    (agent-q-fs-job--launch
     job operation arguments how
     (lambda (reply)
       (unless (agent-q-fs--error reply)
         (agent-q-fs--after-read (agent-q-fs-job-workspace job) operation arguments how reply))
       (agent-q-fs-job--finish job reply)))))

(defun agent-q-fs-job--launch (job operation arguments how then)
  "Have JOB call OPERATION with ARGUMENTS as HOW says, and THEN with the reply.
Arguments of a wrong kind are signalled."
  (agent-q-fs--transport-start (agent-q-fs-job-workspace job) job operation arguments how
                               (lambda (reply)
                                 (when (eq 'running (agent-q-fs-job-state job))
                                   (funcall then reply)))))

(cl-defmethod agent-q-fs--transport-start ((workspace agent-q-fs-workspace)
                                           job operation arguments how then)
  "Have JOB call OPERATION with ARGUMENTS in the core's WORKSPACE as HOW says.
THEN is called with the reply."
  (let* ((process (agent-q-fs-job--make-pipe))
         (answer (agent-q-fs--mod-start
                  (agent-q-fs-workspace-handle workspace) operation arguments how
                  process (cond ((and (agent-q-fs-job-on-items job) (not (plist-get how :verb))) t)
                                ((agent-q-fs-job-on-progress job) 'progress)))))
    (when (stringp answer)
      (delete-process process)
      (agent-q-fs--read answer))
    (setf (agent-q-fs-job-handle job) answer
          (agent-q-fs-job-process job) process
          (agent-q-fs-job-then job) then)
    (process-put process 'agent-q-fs-job job)
    (set-process-sentinel process #'agent-q-fs-job--sentinel)
    (set-process-filter process #'agent-q-fs-job--filter)))

(cl-defmethod agent-q-fs--transport-cancel ((_workspace agent-q-fs-workspace) job)
  "Have the core end JOB."
  (agent-q-fs--mod-cancel (agent-q-fs-job-handle job)))

(defmacro agent-q-fs-job--guard (job &rest body)
  "Run BODY, and end JOB if it signals an error, which is then that of JOB."
  (declare (indent 1) (debug t))
  `(condition-case problem
       (progn ,@body)
     (quit (agent-q-fs-job--finish
            ,job (agent-q-fs--error-reply :cancelled "The call was cancelled")))
     (error (agent-q-fs-job--end ,job problem nil))))

(defun agent-q-fs-job--change (job operation arguments how)
  "Have JOB call OPERATION, which changes something, with hooks around the change.
ARGUMENTS and HOW are the call's."
  (agent-q-fs--do-change
   (agent-q-fs-job-workspace job) how
   (lambda (how then)
     ;; A function of the hook may have ended the job: then nothing is committed.
     (when (eq 'running (agent-q-fs-job-state job))
       (setf (agent-q-fs-job-commits job) (eq 'commit (plist-get how :verb)))
       (agent-q-fs-job--launch job operation arguments how
                               (lambda (reply)
                                 (agent-q-fs-job--guard job (funcall then reply))))))
   (lambda (reply) (agent-q-fs-job--finish job reply))))

(defun agent-q-fs-job-cancel (job)
  "End JOB, unless it has ended: its ON-ERROR gets `agent-q-fs-cancelled'.
A job that is writing ends a moment later, as `done' if the change was
made."
  (when (eq (agent-q-fs-job-state job) 'running)
    (when (agent-q-fs-job-handle job)
      (agent-q-fs--transport-cancel (agent-q-fs-job-workspace job) job))
    (unless (agent-q-fs-job-commits job)
      (agent-q-fs-job--finish
       job (agent-q-fs--error-reply :cancelled "The call was cancelled")))))

;;;###autoload
(defun agent-q-fs-job-wait (job &optional seconds)
  "Wait until JOB has ended, SECONDS at most, and return its state."
  (with-timeout ((or seconds 86400))
    (while (eq (agent-q-fs-job-state job) 'running)
      (accept-process-output nil 0.05)))
  (agent-q-fs-job-state job))

(defun agent-q-fs-job--tell-events (job operation arguments how)
  "Emit the event that JOB starts, and have it emit that of its end.
It calls OPERATION with ARGUMENTS as HOW says.  Return a function that
emits the end for a job that does not start.  Emit nothing if
`agent-q-fs--told' is t: then the caller does."
  (if (or (null agent-q-fs-event-functions) (eq t agent-q-fs--told))
      #'ignore
    (let ((end (agent-q-fs-audit-job (agent-q-fs-job-workspace job) operation arguments how))
          (on-done (agent-q-fs-job-on-done job))
          (on-error (agent-q-fs-job-on-error job)))
      (setf (agent-q-fs-job-on-done job)
            (lambda (reply)
              (funcall end reply)
              (when on-done (funcall on-done reply)))
            (agent-q-fs-job-on-error job)
            (lambda (problem)
              (funcall end problem)
              (when on-error (funcall on-error problem))))
      end)))

(defun agent-q-fs-job--make-pipe ()
  "Return a new pipe process that has no buffer."
  (with-temp-buffer
    (let* ((process-adaptive-read-buffering nil)
           (pipe (make-pipe-process :name "agent-q-fs" :buffer (current-buffer)
                                    :coding 'binary :noquery t
                                    :filter #'ignore :sentinel #'ignore)))
      ;; Given no buffer, `make-pipe-process' would make one.
      (set-process-buffer pipe nil)
      pipe)))

;; Collecting garbage stops Emacs for longer than all else that a job does, and a
;; stream of results is garbage soon.  So it is put off, within bounds, until
;; there is a moment without jobs.

(defconst agent-q-fs-job--garbage 67108864
  "Bytes that may be allocated between garbage collections while jobs run.")

(defvar agent-q-fs-job--running 0
  "How many jobs there are.")

(defvar agent-q-fs-job--threshold nil
  "The value of `gc-cons-threshold' before there were jobs.")

(defun agent-q-fs-job--started ()
  "Put off collecting garbage if this is the only job."
  (when (= 1 (cl-incf agent-q-fs-job--running))
    (setq agent-q-fs-job--threshold (default-toplevel-value 'gc-cons-threshold))
    (set-default-toplevel-value 'gc-cons-threshold
                                (max agent-q-fs-job--threshold agent-q-fs-job--garbage))))

(defun agent-q-fs-job--ended ()
  "Collect garbage as before if this was the only job.
Do nothing if other code has set `gc-cons-threshold' since."
  (when (and (= 0 (cl-decf agent-q-fs-job--running))
             (= agent-q-fs-job--garbage (default-toplevel-value 'gc-cons-threshold)))
    (set-default-toplevel-value 'gc-cons-threshold agent-q-fs-job--threshold)))

(defun agent-q-fs-job--sentinel (process _event)
  "Cancel the job whose PROCESS somebody has deleted."
  (unless (process-live-p process)
    (agent-q-fs-job-cancel (process-get process 'agent-q-fs-job))))

(defun agent-q-fs-job--filter (process chunk)
  "Take CHUNK, which came through the job's PROCESS, and read whole frames."
  (let ((job (process-get process 'agent-q-fs-job)))
    (when (eq (agent-q-fs-job-state job) 'running)
      (push chunk (agent-q-fs-job-chunks job))
      (when (>= (cl-incf (agent-q-fs-job-have job) (length chunk))
                (agent-q-fs-job-need job))
        (agent-q-fs-job--work job)))))

(defun agent-q-fs-job--work (job)
  "Read the frames of JOB that have come, for a short while.
When that was not enough, read no more of the pipe until they are read."
  (agent-q-fs-job--join job)
  (let ((deadline (+ (float-time) agent-q-fs-job--slice))
        (frame nil))
    (unwind-protect
        (while (and (eq (agent-q-fs-job-state job) 'running)
                    (setq frame (agent-q-fs-job--next job))
                    (progn (agent-q-fs-job--take job (car frame) (cdr frame))
                           (< (float-time) deadline))))
      (if (and frame (eq (agent-q-fs-job-state job) 'running))
          (agent-q-fs-job--suspend job)
        (agent-q-fs-job--resume job)))))

(defun agent-q-fs-job--suspend (job)
  "Leave the pipe of JOB alone; a timer reads the frames that have come.
That comes behind all timers that have become due meanwhile."
  (let ((timer (agent-q-fs-job-timer job)))
    (cond
     (timer
      (cancel-timer timer)
      (timer-set-time timer (current-time) 0.001)
      (timer-activate timer))
     (t
      (set-process-filter (agent-q-fs-job-process job) t)
      ;; One timer that repeats, because Emacs may not notice a timer that another starts.
      (setf (agent-q-fs-job-timer job)
            (run-with-timer 0.001 0.001 #'agent-q-fs-job--work job))))))

(defun agent-q-fs-job--resume (job)
  "Read from the pipe of JOB again, unless it has ended."
  (when (agent-q-fs-job-timer job)
    (cancel-timer (agent-q-fs-job-timer job))
    (setf (agent-q-fs-job-timer job) nil)
    (when (eq (agent-q-fs-job-state job) 'running)
      (set-process-filter (agent-q-fs-job-process job) #'agent-q-fs-job--filter))))

(defun agent-q-fs-job--join (job)
  "Put the chunks that JOB received behind its text."
  (when (agent-q-fs-job-chunks job)
    (setf (agent-q-fs-job-text job)
          (apply #'concat (substring (agent-q-fs-job-text job) (agent-q-fs-job-start job))
                 (nreverse (agent-q-fs-job-chunks job)))
          (agent-q-fs-job-start job) 0
          (agent-q-fs-job-chunks job) nil)))

(defun agent-q-fs-job--next (job)
  "Return the next frame of JOB, (KIND . BYTES), or nil while it is not whole."
  (let* ((text (agent-q-fs-job-text job))
         (start (agent-q-fs-job-start job))
         (newline (string-search "\n" text start)))
    (cond
     ((and (not newline) (< (- (length text) start) 20))
      (not (setf (agent-q-fs-job-need job) (1+ (agent-q-fs-job-have job)))))
     ((not (eq start (string-match "[+.][0-9]\\{1,15\\}\n" text start)))
      '(?. . "")) ; nonsense, which ends the job
     (t
      (let ((end (+ newline 1 (string-to-number (substring text (1+ start) newline)))))
        (if (< (length text) end)
            (not (setf (agent-q-fs-job-need job) (- end start)))
          (setf (agent-q-fs-job-start job) end
                (agent-q-fs-job-have job) (- (length text) end)
                (agent-q-fs-job-need job) 1)
          (cons (aref text start) (substring text (1+ newline) end))))))))

(defun agent-q-fs-job--read (bytes)
  "Return the datum that BYTES print, or an error's reply if they print none."
  (let ((read-symbol-shorthands nil))
    (condition-case problem
        (read (decode-coding-string bytes 'utf-8-unix t))
      (error (agent-q-fs--error-reply :io "The core's reply cannot be read: %s"
                                      (error-message-string problem))))))

(defun agent-q-fs-job--take (job kind bytes)
  "Call JOB's functions for its frame of KIND with BYTES."
  (let ((datum (agent-q-fs-job--read bytes)))
    (if (or (eq kind ?.) (agent-q-fs--error datum))
        (agent-q-fs-job--answered job datum)
      (pcase datum
        (`(:items ,items) (agent-q-fs-job--tell (agent-q-fs-job-on-items job) items))
        (`(:progress ,n) (agent-q-fs-job--tell (agent-q-fs-job-on-progress job) n))))))

(defun agent-q-fs-job--answered (job reply)
  "Go on with JOB, or end it, when its call was answered with REPLY."
  (let ((process (agent-q-fs-job-process job))
        (then (agent-q-fs-job-then job)))
    (if (not then)
        (agent-q-fs-job--finish job reply)
      (set-process-sentinel process #'ignore)
      (agent-q-fs-job--resume job)
      (delete-process process)
      (setf (agent-q-fs-job-then job) nil
            (agent-q-fs-job-text job) ""
            (agent-q-fs-job-chunks job) nil
            (agent-q-fs-job-start job) 0
            (agent-q-fs-job-have job) 0
            (agent-q-fs-job-need job) 1)
      (funcall then reply))))

(defun agent-q-fs-job--finish (job reply)
  "End JOB, which answered with REPLY."
  (agent-q-fs-job--end job (agent-q-fs--error reply) reply))

(defun agent-q-fs-job--end (job problem reply)
  "End JOB with PROBLEM, an error (SYMBOL . DATA), or if that is nil with REPLY.
Do nothing if JOB has ended: a listener may have cancelled it, and failed then."
  (when (eq 'running (agent-q-fs-job-state job))
    (setf (agent-q-fs-job-state job)
          (pcase (car problem)
            ('nil 'done)
            ('agent-q-fs-cancelled 'cancelled)
            (_ 'failed))
          (agent-q-fs-job-text job) ""
          (agent-q-fs-job-chunks job) nil)
    (unwind-protect                     ; garbage is collected when the reply was told
        (progn
          (agent-q-fs-job--resume job)
          (when (agent-q-fs-job-process job)
            (delete-process (agent-q-fs-job-process job)))
          (if problem
              (agent-q-fs-job--tell (agent-q-fs-job-on-error job) problem)
            (agent-q-fs-job--tell (agent-q-fs-job-on-done job) reply)))
      (agent-q-fs-job--ended))))

(defun agent-q-fs-job--tell (function value)
  "Call FUNCTION, unless nil, with VALUE; its errors are not the job's."
  (when function
    (with-demoted-errors "agent-q-fs: error in a job's callback: %S"
      (funcall function value))))

(defun agent-q-fs-job--cancel-all ()
  "Cancel every job, because Emacs ends."
  (dolist (process (process-list))
    (let ((job (process-get process 'agent-q-fs-job)))
      (when (and job (agent-q-fs-job-handle job))
        (agent-q-fs--mod-cancel (agent-q-fs-job-handle job))))))

(add-hook 'kill-emacs-hook #'agent-q-fs-job--cancel-all)


;;;; A workspace that only pretends

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

(provide 'agent-q-fs-job)
;;; agent-q-fs-job.el ends here
