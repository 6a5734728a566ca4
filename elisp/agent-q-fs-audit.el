;;; agent-q-fs-audit.el --- Events of calls, and their log file  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Every call, through every door, yields two events.  The functions of
;; `agent-q-fs-event-functions' are called with each.  An event is a property list:
;;
;;     :event         start or end
;;     :id            the same for both events of a call, and for no other call
;;     :time          seconds, as `float-time' has them
;;     :door          call (a program), job (a program that does not wait),
;;                    tool (a model) or person (somebody at a menu or key)
;;     :tool :tier    what was called, and how much it may do
;;     :root          the workspace
;;
;; and at the end also:
;;
;;     :paths         the files that it concerned, as the workspace names them
;;     :bytes :lines  the size of the text that came back
;;     :written       bytes written to files
;;     :command       the command, of a tool that runs one
;;     :truncated     whether that text is not all there is
;;     :microseconds  how long it took, somebody's thinking included
;;     :waited        microseconds of these in which a person was asked, or nil
;;     :decision      why it was done or not: for a tool see `agent-q-fs-call-tool';
;;                    for a program preview, commit (of what was previewed) or
;;                    authority (its own, `agent-q-fs-authority')
;;     :error         the code of an error, or nil
;;
;; Events never carry the contents of files, nor messages, which may quote them.
;;
;; A call that may change something is made only when its start is in the file of
;; events; one that was asked about, only when a third line says why it is made:
;; decided, with the :decision.  `agent-q-fs-audit-insist' refuses other calls.
;;
;; `agent-q-fs-audit-record', one of those functions, remembers the latest calls
;; for `agent-q-fs-log' and appends all events to `agent-q-fs-audit-file'.  To
;; emit events for calls of your own, see `agent-q-fs-audit-start'.

;;; Code:

(require 'agent-q-fs)
(require 'seq)
(require 'subr-x)

(defgroup agent-q-fs-audit nil
  "The log of calls."
  :group 'agent-q-fs)

(defcustom agent-q-fs-audit-file t
  "The file that events are appended to, one JSON object a line.
With t, audit.jsonl in `agent-q-fs-state-directory'; with nil, none."
  :type '(choice (const :tag "In the state directory" t) file
                 (const :tag "None" nil)))

(defcustom agent-q-fs-audit-required t
  "Whether calls that may change something need `agent-q-fs-audit-file'.
With t they are refused while it cannot be written; with nil they are
made, after one warning, and what cannot be written is lost."
  :type 'boolean)

(defcustom agent-q-fs-audit-size 10000000
  "Bytes that the file of events may have before a new one is begun."
  :type 'natnum)

(defcustom agent-q-fs-audit-keep 5
  "How many earlier files of events are kept, with .1, .2, ... at their ends."
  :type 'natnum)

(defcustom agent-q-fs-audit-remember 1000
  "How many calls `agent-q-fs-log' can show."
  :type 'natnum)

(defconst agent-q-fs-audit--delay 1
  "Seconds that events of calls which only read may wait to be written.")

(defconst agent-q-fs-audit--most 500
  "Events that may wait to be written.")


;;;; Events

(defvar agent-q-fs-audit--session
  (format "%x-%x" (truncate (float-time)) (emacs-pid))
  "The prefix of this Emacs' event ids.")

(defvar agent-q-fs-audit--count 0
  "How many calls there were.")

(defun agent-q-fs-audit-plain (text)
  "Return TEXT without properties, its raw bytes in octal."
  (let ((text (string-to-multibyte (substring-no-properties text))))
    (if (and (/= (string-bytes text) (length text)) ; not ASCII, which is told at once
             (string-match-p "[\x3fff80-\x3fffff]" text))
        (mapconcat (lambda (character)
                     (if (eq (char-charset character) 'eight-bit)
                         (format "\\%03o" (multibyte-char-to-unibyte character))
                       (char-to-string character)))
                   text "")
      text)))

(defun agent-q-fs-audit--short (value)
  "Return VALUE, a name that may be anything, as a string of decent length."
  (let ((text (cond ((stringp value) value)
                    ((and value (symbolp value)) (symbol-name value))
                    (t "?"))))
    (agent-q-fs-audit-plain (if (> (length text) 1000)
                                (concat (substring text 0 1000) "…")
                              text))))

(defun agent-q-fs-audit--emit (event)
  "Call the functions of `agent-q-fs-event-functions' with EVENT.
Their errors are not the call's."
  (run-hook-wrapped 'agent-q-fs-event-functions
                    (lambda (function)
                      (condition-case problem
                          (funcall function event)
                        (error (message "agent-q-fs: error about an event: %S" problem)))
                      nil)))

(defun agent-q-fs-audit-start (door tool workspace &optional tier)
  "Emit the event that a call of TOOL in WORKSPACE starts, and return it.
The call came through DOOR.  TIER is by default that of the catalogue.
The call must end with `agent-q-fs-audit-end'."
  (let* ((tool (agent-q-fs-audit--short tool))
         (event (list :event 'start
                      :id (format "%s-%d" agent-q-fs-audit--session
                                  (setq agent-q-fs-audit--count (1+ agent-q-fs-audit--count)))
                      :time (float-time) :door door :tool tool
                      :tier (or tier (agent-q-fs--tier tool))
                      :root (and (agent-q-fs-workspace-p workspace)
                                 (agent-q-fs-workspace-root workspace)))))
    (agent-q-fs-audit--emit event)
    event))

(defun agent-q-fs-audit--lines (text)
  "Return how many lines TEXT has."
  (let ((lines 0) (start 0) (length (length text)) newline)
    (while (setq newline (string-search "\n" text start))
      (setq lines (1+ lines)
            start (1+ newline)))
    (if (< start length) (1+ lines) lines)))

;; Paths are taken from the reply if it has any, because those are canonical.

(defun agent-q-fs-audit--listed (reply)
  "Return the paths of the files that REPLY, or a refusal, lists."
  (let ((files (or (plist-get reply :targets) (plist-get reply :files)))
        paths)
    (when (consp files)
      (dolist (file (seq-take files 100))
        (dolist (key '(:from :path))
          (when (plist-get file key) (push (plist-get file key) paths)))))
    (nreverse paths)))

(defun agent-q-fs-audit--named (plist)
  "Return the paths that PLIST, a reply or a call's arguments, names."
  (let ((paths nil) (most 50))          ; it may be circular
    (while (and (consp plist) (<= 0 (setq most (1- most))))
      (when (and (member (car plist) '(:path :source :destination
                                             "path" "source" "destination"))
                 (stringp (cadr plist)))
        (push (cadr plist) paths))
      (when (and (member (car plist) '(:paths "paths")) (proper-list-p (cadr plist)))
        (setq paths (nconc (nreverse (seq-take (seq-filter #'stringp (cadr plist)) 100)) paths)))
      (setq plist (cdr-safe (cdr plist))))
    (nreverse paths)))

(defun agent-q-fs-audit--paths (reply arguments)
  "Return the paths that REPLY names, or else those that ARGUMENTS name."
  (mapcar #'agent-q-fs-audit--short
          (or (agent-q-fs-audit--listed reply)
              (agent-q-fs-audit--named reply)
              (agent-q-fs-audit--named arguments))))

(defun agent-q-fs-audit--written (reply)
  "Return how many bytes were written according to REPLY, or nil."
  (or (plist-get reply :bytes-written)
      (let ((files (plist-get reply :files)))
        (when (and (consp files) (plist-member (car files) :bytes-written))
          (apply #'+ (mapcar (lambda (file) (or (plist-get file :bytes-written) 0))
                             files))))))

(defun agent-q-fs-audit--command (tool arguments)
  "Return the command that TOOL runs by ARGUMENTS, or nil."
  (let ((command (pcase tool
                   ("shell" (plist-get arguments :command))
                   ("exec_command" (plist-get arguments :cmd)))))
    (and (stringp command) (agent-q-fs-audit--short command))))

;; The log shows the arguments and the answer of a call.  They are remembered in memory
;; alone, because they may hold contents of files.

(defconst agent-q-fs-audit--detailed 200
  "Of how many of the latest calls arguments and answers are remembered.")

(defconst agent-q-fs-audit--detail-most 4000
  "The most characters that are remembered of an argument or an answer.")

(defvar agent-q-fs-audit--details nil
  "The arguments and answers of the latest calls: a list of (ID ARGUMENTS TEXT).")

(defun agent-q-fs-audit--cut (value)
  "Return VALUE, printed unless it is a string, and cut if it is long."
  (let ((text (if (stringp value) value
                (let ((print-length 100) (print-level 8) (print-circle t))
                  (prin1-to-string value)))))
    (if (<= (length text) agent-q-fs-audit--detail-most) text
      (concat (substring text 0 agent-q-fs-audit--detail-most) "…"))))

(defun agent-q-fs-audit--remember-details (id arguments text)
  "Remember that the call ID with ARGUMENTS was answered with TEXT."
  (let ((most 50) pairs)                ; ARGUMENTS may be circular
    (while (and (consp arguments) (consp (cdr arguments)) (<= 0 (setq most (1- most))))
      (push (cons (format "%s" (pop arguments)) (agent-q-fs-audit--cut (pop arguments))) pairs))
    (push (list id (nreverse pairs) (agent-q-fs-audit--cut text)) agent-q-fs-audit--details)
    (let ((rest (nthcdr (1- agent-q-fs-audit--detailed) agent-q-fs-audit--details)))
      (when rest (setcdr rest nil)))))

(defun agent-q-fs-audit-details (id)
  "Return (ARGUMENTS TEXT) of the call ID, or nil; ARGUMENTS are pairs of strings."
  (cdr (assoc id agent-q-fs-audit--details)))

(defvar agent-q-fs-audit--asked (make-hash-table :test 'eq :weakness 'key)
  "When somebody was asked about a call, and answered: (TIME . TIME) by its start.")

(defun agent-q-fs-audit-asked (start)
  "Take note that it is asked now whether the call that began with START is made."
  (when start (puthash start (list (float-time)) agent-q-fs-audit--asked)))

(defun agent-q-fs-audit-answered (start)
  "Take note that it is decided now whether the call that began with START is made."
  (let ((asked (gethash start agent-q-fs-audit--asked)))
    (when asked (setcdr asked (float-time)))))

(defun agent-q-fs-audit-asking-p (start)
  "Return non-nil if the call that began with START waits for a person now."
  (let ((asked (gethash start agent-q-fs-audit--asked)))
    (and asked (null (cdr asked)))))

(defun agent-q-fs-audit--waited (start)
  "Return how many microseconds the call that began with START waited for a person.
That is nil if nobody was asked: a rule or a policy decides in no time."
  (pcase-let* ((`(,asked . ,answered) (gethash start agent-q-fs-audit--asked))
               (waited (and asked (round (* 1e6 (- (or answered (float-time)) asked))))))
    (and waited (< 50000 waited) waited)))

(defun agent-q-fs-audit-worked (event)
  "Return how many microseconds the call of EVENT took without a person, or nil."
  (let ((took (plist-get event :microseconds)))
    (and took (- took (or (plist-get event :waited) 0)))))

(defun agent-q-fs-audit-end (start reply arguments &rest more)
  "Emit the event that the call which began with START ended with REPLY.
REPLY is a property list, also for an error.  ARGUMENTS are the call's.
MORE are members that hide those of START, such as :tier and :decision."
  (let* ((text (plist-get reply :text))
         (text (if (stringp text) text ""))
         (error (plist-get reply :error))
         (now (float-time)))
    (agent-q-fs-audit--remember-details (plist-get start :id) arguments text)
    (agent-q-fs-audit--emit
     (list :event 'end
           :id (plist-get start :id)
           :time now
           :door (plist-get start :door)
           :tool (plist-get start :tool)
           :tier (or (plist-get more :tier) (plist-get start :tier))
           :root (plist-get start :root)
           :paths (agent-q-fs-audit--paths reply arguments)
           :bytes (string-bytes text)
           :lines (agent-q-fs-audit--lines text)
           :written (and (not error) (agent-q-fs-audit--written reply))
           :command (agent-q-fs-audit--command (plist-get start :tool) arguments)
           :truncated (and (plist-get reply :truncated) t)
           :microseconds (round (* 1e6 (- now (plist-get start :time))))
           :waited (agent-q-fs-audit--waited start)
           :decision (plist-get more :decision)
           :error (and error (intern (string-remove-prefix ":" (format "%s" error))))))))


;;;; The doors of programs

(defun agent-q-fs-audit--decision (how)
  "Return why a program's call that is made as HOW says is allowed."
  (cond ((eq 'plan (plist-get how :verb)) 'preview)
        ((plist-get how :digest) 'commit)
        (t 'authority)))

(defun agent-q-fs-audit--problem (problem)
  "Convert PROBLEM, a caught error (SYMBOL . DATA), into a reply."
  (if (eq (car-safe (cdr problem)) :error)
      (cdr problem)
    (list :error (if (eq (car problem) 'quit) :cancelled :internal))))

;;;###autoload
(defun agent-q-fs-audit-around (workspace operation arguments how call)
  "Return what the function CALL returns, and emit events around it.
It calls OPERATION in WORKSPACE with ARGUMENTS as HOW says."
  (let ((start (agent-q-fs-audit-start 'call operation
                                       (or workspace agent-q-fs-workspace)))
        (decision (agent-q-fs-audit--decision how))
        (reply '(:error :cancelled)))   ; in case a `throw' passes through the call
    (unwind-protect
        (condition-case problem
            (setq reply (funcall call))
          (error (setq reply (agent-q-fs-audit--problem problem))
                 (signal (car problem) (cdr problem))))
      (agent-q-fs-audit-end start reply arguments :decision decision
                            :tier (agent-q-fs-audit--reply-tier reply)))))

(defun agent-q-fs-audit--reply-tier (reply)
  "Return the tier in REPLY, a preview or a refusal, or nil."
  (let ((tier (plist-get reply :tier)))
    (and (keywordp tier) (intern (substring (symbol-name tier) 1)))))

;;;###autoload
(defun agent-q-fs-audit-job (workspace operation arguments how)
  "Emit the event that a job starts.
Return the function that emits that of its end; it takes the reply, or an
error (SYMBOL . DATA).  The job calls OPERATION in WORKSPACE with
ARGUMENTS as HOW says."
  (let* ((start (agent-q-fs-audit-start 'job operation (or workspace agent-q-fs-workspace)))
         (decision (agent-q-fs-audit--decision how)))
    (lambda (outcome)
      (let ((reply (if (keywordp (car outcome)) outcome (agent-q-fs-audit--problem outcome))))
        (agent-q-fs-audit-end start reply arguments :decision decision
                              :tier (agent-q-fs-audit--reply-tier reply))))))


;;;; The latest calls

(defvar agent-q-fs-audit--calls nil
  "The latest calls, each as (EVENT), the latest first.")

(defvar agent-q-fs-audit--length 0
  "How many calls are remembered.")

(defun agent-q-fs-audit-calls ()
  "Return the latest calls as a list of events, the latest first.
A call that has ended is represented by its end event, others by their
start event."
  (mapcar #'car agent-q-fs-audit--calls))

(defun agent-q-fs-audit--remember (event)
  "Remember EVENT; that of an end takes the place of that of its start."
  (let ((cell (and (eq 'end (plist-get event :event))
                   (seq-find (lambda (cell)
                               (equal (plist-get (car cell) :id) (plist-get event :id)))
                             agent-q-fs-audit--calls))))
    (cond
     (cell (setcar cell event))
     (t
      (push (list event) agent-q-fs-audit--calls)
      (when (> (setq agent-q-fs-audit--length (1+ agent-q-fs-audit--length))
               (+ (default-value 'agent-q-fs-audit-remember) 100)) ; not one by one
        (setq agent-q-fs-audit--calls
              (seq-take agent-q-fs-audit--calls (default-value 'agent-q-fs-audit-remember))
              agent-q-fs-audit--length (length agent-q-fs-audit--calls)))))))


;;;; The file

(defvar agent-q-fs-audit--waiting nil
  "Events that are not written yet, the latest first.")

(defvar agent-q-fs-audit--timer nil
  "The timer that will write them.")

(defvar agent-q-fs-audit--broken nil
  "The file that could not be written, and why, (FILE . WORDS); or nil.")

(defun agent-q-fs-audit-file-name ()
  "Return the name of the file that events are appended to, or nil."
  (if (eq (default-value 'agent-q-fs-audit-file) t)
      (expand-file-name "audit.jsonl" (default-value 'agent-q-fs-state-directory))
    (default-value 'agent-q-fs-audit-file)))

;;;###autoload
(defun agent-q-fs-audit-record (event)
  "Remember EVENT for `agent-q-fs-log', and write it to the file of events.
An event of a call that only reads may be written a moment later, and the
start of such a call is not written at all."
  (agent-q-fs-audit--remember event)
  (when (and (default-value 'agent-q-fs-audit-file)
             (not (and (eq 'start (plist-get event :event)) (eq 'safe (plist-get event :tier)))))
    (push event agent-q-fs-audit--waiting)
    (cond
     ((or (not (eq 'safe (plist-get event :tier)))
          (> (length agent-q-fs-audit--waiting) agent-q-fs-audit--most))
      (agent-q-fs-audit-flush))
     ((not agent-q-fs-audit--timer)
      (setq agent-q-fs-audit--timer
            (run-with-timer agent-q-fs-audit--delay nil #'agent-q-fs-audit-flush))))))

(defun agent-q-fs-audit--end-members (event)
  "Return the members of EVENT that only the end of a call has."
  `( :paths ,(vconcat (plist-get event :paths))
     :bytes ,(plist-get event :bytes)
     :lines ,(plist-get event :lines)
     :truncated ,(if (plist-get event :truncated) t :false)
     :microseconds ,(plist-get event :microseconds)
     ,@(agent-q-fs-audit--some event :waited :written :command :decision :error)))

(defun agent-q-fs-audit--some (event &rest keys)
  "Return those members of EVENT with KEYS that are not nil, symbols as strings."
  (mapcan (lambda (key)
            (let ((value (plist-get event key)))
              (when value
                (list key (if (symbolp value) (symbol-name value) value)))))
          keys))

(defun agent-q-fs-audit--json (event)
  "Return EVENT as a line of JSON."
  (let ((members `( ,@(agent-q-fs-audit--some event :event :id)
                    :time ,(format-time-string "%FT%T.%6NZ" (plist-get event :time) t)
                    ,@(agent-q-fs-audit--some event :door :tool :tier :root)
                    ,@(pcase (plist-get event :event)
                        ('end (agent-q-fs-audit--end-members event))
                        ('decided (agent-q-fs-audit--some event :decision))))))
    (concat (agent-q-fs--json-print members) "\n")))

(defun agent-q-fs-audit--rotate (file)
  "Begin a new FILE if it is as large as it may be."
  (when (> (or (file-attribute-size (file-attributes file)) 0)
           (default-value 'agent-q-fs-audit-size))
    (let ((n (default-value 'agent-q-fs-audit-keep)))
      (while (> n 1)
        (let ((older (format "%s.%d" file (1- n))))
          (when (file-exists-p older)
            (rename-file older (format "%s.%d" file n) t)))
        (setq n (1- n))))
    (if (> (default-value 'agent-q-fs-audit-keep) 0)
        (rename-file file (concat file ".1") t)
      (delete-file file))))

(defun agent-q-fs-audit--make (file)
  "Make FILE and its directory, private, where they do not exist.
Elsewhere the modes of files are left alone: they are those of the whole
process, and a call may be making files in another thread."
  (unless (file-directory-p (file-name-directory file))
    (with-file-modes #o700
      (make-directory (file-name-directory file) t)))
  (unless (file-exists-p file)
    (with-file-modes #o600
      (write-region "" nil file t 'quiet))))

(defun agent-q-fs-audit--check-kind (file)
  "Signal an error if FILE is something that cannot be appended to.
To open a pipe could take for ever."
  (let ((modes (file-attribute-modes (file-attributes (file-truename file)))))
    (unless (member (and modes (aref modes 0)) '(nil ?-))
      (signal 'file-error (list "It is no regular file" file)))))

(defun agent-q-fs-audit--write (file lines)
  "Append LINES to FILE."
  (let ((file-name-handler-alist nil)
        (coding-system-for-write 'utf-8-unix)
        (write-region-inhibit-fsync t)
        (write-region-annotate-functions nil)
        (write-region-post-annotation-function nil)
        (create-lockfiles nil)
        (inhibit-quit t))
    (agent-q-fs-audit--check-kind file)
    (agent-q-fs-audit--rotate file)
    (agent-q-fs-audit--make file)
    (write-region (string-join lines) nil file t 'quiet)))

(defun agent-q-fs-audit--tail (file)
  "Return the end of FILE, or nil if there is none."
  (let ((file-name-handler-alist nil)
        (coding-system-for-read 'utf-8-unix))
    (ignore-errors
      (agent-q-fs-audit--check-kind file)
      (with-temp-buffer
        (let ((size (file-attribute-size (file-attributes (file-truename file)))))
          (insert-file-contents file nil (max 0 (- size 65536)) size))
        (buffer-string)))))

(defun agent-q-fs-audit--missing (file lines)
  "Return those of LINES that FILE lacks, after an attempt to write them failed.
It may have written some, and a part of another one, which then is ended."
  (let* ((tail (or (agent-q-fs-audit--tail file) ""))
         (missing (seq-remove (lambda (line) (string-search line tail)) lines)))
    (if (or (string-empty-p tail) (string-suffix-p "\n" tail))
        missing
      (cons "\n" missing))))

(defun agent-q-fs-audit--failed (file events words)
  "Note that EVENTS could not be written to FILE, as WORDS say; warn once.
They are kept for the next time, up to a number."
  (setq agent-q-fs-audit--waiting
        (seq-take (append agent-q-fs-audit--waiting (reverse events)) agent-q-fs-audit--most))
  (unless (equal file (car agent-q-fs-audit--broken))
    (display-warning 'agent-q-fs (format "Calls cannot be written down: %s" words)))
  (setq agent-q-fs-audit--broken (cons file words)))

(defun agent-q-fs-audit-flush ()
  "Write the events that are not written yet, and return nil if that fails."
  (when agent-q-fs-audit--timer
    (cancel-timer agent-q-fs-audit--timer)
    (setq agent-q-fs-audit--timer nil))
  (let* ((name (agent-q-fs-audit-file-name))
         (file (and name (expand-file-name name)))
         (events (reverse agent-q-fs-audit--waiting)))
    (setq agent-q-fs-audit--waiting nil)
    (condition-case problem
        (let ((lines (and file (mapcar #'agent-q-fs-audit--json events))))
          (when (equal file (car agent-q-fs-audit--broken))
            (setq lines (agent-q-fs-audit--missing file lines)))
          (when lines
            (agent-q-fs-audit--write file lines))
          (setq agent-q-fs-audit--broken nil)
          t)
      (error (agent-q-fs-audit--failed file events (error-message-string problem))
             nil))))

(defun agent-q-fs-audit-decided (start decision)
  "Write to the file of events that the call which began with START is made.
DECISION, of somebody who was asked, is why."
  (when (and start (agent-q-fs-audit--recorded-p))
    (push (append (list :event 'decided :time (float-time) :decision decision) start)
          agent-q-fs-audit--waiting)
    (agent-q-fs-audit-flush)))

(defun agent-q-fs-audit--recorded-p ()
  "Return non-nil if events are to be in a file."
  (and (agent-q-fs-audit-file-name)
       (memq #'agent-q-fs-audit-record agent-q-fs-event-functions)))

;;;###autoload
(defun agent-q-fs-audit-insist ()
  "Signal an error unless the events so far are in their file.
This is called just before something may be changed."
  (when (and (default-value 'agent-q-fs-audit-required)
             (agent-q-fs-audit--recorded-p)
             (or agent-q-fs-audit--broken agent-q-fs-audit--waiting)
             (not (agent-q-fs-audit-flush)))
    (agent-q-fs--fail
     :not-logged "Nothing was done, because it cannot be written down in %s (%s).  Let that file \
be written, or set the option agent-q-fs-audit-required to nil"
     (abbreviate-file-name (car agent-q-fs-audit--broken))
     (agent-q-fs-audit-plain (cdr agent-q-fs-audit--broken)))))

(defun agent-q-fs-audit--log-p (place log)
  "Return non-nil if PLACE, bytes, is LOG, an earlier file of it, or above them."
  (or (agent-q-fs--place-in-p log place)
      (string-match-p (concat "\\`" (regexp-quote log) "\\.[0-9]+\\'") place)))

(defun agent-q-fs-audit-before-change (workspace targets)
  "Refuse a change of TARGETS in WORKSPACE that touches the file of events.
It may lie in a project, and no call changes what was written of calls."
  (let* ((name (agent-q-fs-audit-file-name))
         (log (and name (not (agent-q-fs--memory-p workspace))
                   (agent-q-fs--true-place (agent-q-fs--file-bytes (expand-file-name name))))))
    (dolist (target (and log targets))
      (dolist (path (list (plist-get target :path) (plist-get target :from)))
        (when (and path
                   (not (eq :make (plist-get target :action)))
                   (agent-q-fs-audit--log-p (agent-q-fs--place workspace path) log))
          (agent-q-fs--fail :restricted "'%s' has the log of calls, which no call changes" path))))))

(add-hook 'agent-q-fs-before-change-functions #'agent-q-fs-audit-before-change)
(put 'agent-q-fs-audit-before-change 'agent-q-fs-only-looks t)
(add-hook 'kill-emacs-hook #'agent-q-fs-audit-flush)

(provide 'agent-q-fs-audit)
;;; agent-q-fs-audit.el ends here
