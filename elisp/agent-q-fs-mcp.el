;;; agent-q-fs-mcp.el --- Agents outside Emacs use this Emacs  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;;     M-x agent-q-fs-mcp-mode
;;
;; serves the tools to agents that speak the Model Context Protocol.  An agent starts the
;; program `agent-q-fs mcp --emacs', which speaks the protocol with it, and sends the calls
;; here by a Unix socket.  They go through the dispatcher (agent-q-fs-tools.el), so policy,
;; requests, buffers, log and review are those of all other calls.
;;
;; Nothing here waits: calls run side by side, a question is answered when the person
;; likes, and no more is written than the socket takes at once.  A client that cancels a
;; call, or goes, takes its questions and commands along.

;;; Code:

(require 'agent-q-fs)
(require 'agent-q-fs-approve)
(require 'agent-q-fs-audit)
(require 'agent-q-fs-spec)
(require 'agent-q-fs-tools)
(require 'cl-lib)
(require 'seq)

(declare-function agent-q-fs-remote-open-beside "agent-q-fs-remote" (workspace options))
(declare-function agent-q-fs-remote-opened "agent-q-fs-remote" (root))
(declare-function agent-q-fs--mod-own-peers "ext:agent-q-fs-module.so" (socket))

(defgroup agent-q-fs-mcp nil
  "Tools for agents outside Emacs."
  :group 'agent-q-fs)

(defcustom agent-q-fs-mcp-directories nil
  "Directories in which agents outside Emacs may use the tools.
An agent works on the project in which it was started.  In other
directories, a person is asked once, but for projects of which a file is
visited here."
  :type '(repeat directory))

(defconst agent-q-fs-mcp--protocol 2
  "The number of the frames' form, as in module/mcp/link.h.")

(defconst agent-q-fs-mcp--window 131072
  "How many bytes are sent before some are confirmed: a socket takes them at once.")

(defconst agent-q-fs-mcp--piece 32768
  "How many bytes are sent at once.")

(defconst agent-q-fs-mcp--longest (* 96 1024 1024)
  "Bytes of the longest frame.")

(defconst agent-q-fs-mcp--untaken (* 16 1024 1024)
  "Bytes of answers not taken by a client above which it can begin no call.")

(defconst agent-q-fs-mcp--most 256
  "The most calls of a client that are under way.")

(defconst agent-q-fs-mcp--garbage (* 32 1024 1024)
  "Bytes that may be allocated while a call is answered without collecting garbage.")

(defconst agent-q-fs-mcp--slice 0.02
  "How many seconds of calls are begun before Emacs does something else.")


;;;; Connections

(cl-defstruct (agent-q-fs-mcp--client (:constructor agent-q-fs-mcp--make-client)
                                      (:copier nil))
  "A program `agent-q-fs mcp --emacs' that is connected."
  process
  (chunks nil :documentation "The strings of the frame that has not ended, latest first.")
  (size 0 :documentation "Their bytes.")
  (frames nil :documentation "The frames that were not looked at yet.")
  (timer nil :documentation "The timer that looks at them.")
  (out nil :documentation "The buffer of bytes to send; nil if the client is gone.")
  (at 1 :documentation "The position in it of the first that was not sent.")
  (held nil :documentation "The frames of calls that wait until these are fewer.")
  (unconfirmed 0 :documentation "Bytes that were sent, and not taken yet.")
  (tools nil :documentation "The names of its tools.")
  (data nil :documentation "Whether it wants data beside words.")
  (workspace nil :documentation "Where its calls are made; nil before its first frame.")
  (allowed nil :documentation "t, nil, `asked', or the reply that denies it.")
  (waiting nil :documentation "Functions to call when that is decided, latest first.")
  (calls nil :documentation "The calls that have not ended, as (NUMBER . CALLER)."))

(defvar agent-q-fs-mcp--clients nil
  "The programs that are connected.")

(defvar agent-q-fs-mcp--decisions nil
  "A person's decisions about projects, as (ROOT . ALLOWED).")

(defun agent-q-fs-mcp--gone (client)
  "Forget CLIENT: its calls end."
  (setq agent-q-fs-mcp--clients (delq client agent-q-fs-mcp--clients))
  (when (agent-q-fs-mcp--client-timer client)
    (cancel-timer (agent-q-fs-mcp--client-timer client)))
  (setf (agent-q-fs-mcp--client-frames client) nil
        (agent-q-fs-mcp--client-held client) nil)
  (delete-process (agent-q-fs-mcp--client-process client))
  (when (agent-q-fs-mcp--client-out client)
    (kill-buffer (agent-q-fs-mcp--client-out client))
    (setf (agent-q-fs-mcp--client-out client) nil))
  (while (agent-q-fs-mcp--client-calls client)
    (agent-q-fs-caller-leave (cdr (pop (agent-q-fs-mcp--client-calls client)))))
  (when (agent-q-fs-mcp--client-workspace client)
    (agent-q-fs-close (agent-q-fs-mcp--client-workspace client))
    (setf (agent-q-fs-mcp--client-workspace client) nil)))

(defun agent-q-fs-mcp--refuse (client words)
  "Tell CLIENT in WORDS that it is not served, and end the connection."
  (agent-q-fs-mcp--send client (list :refused words))
  (agent-q-fs-mcp--gone client))


;;;; Sending

;; `process-send-region' waits until all is written.  So no more is written than the other
;; end has confirmed, and the window fits into the socket.  Words are not made JSON, and are
;; sent from a buffer: otherwise Emacs would collect garbage at every other file that is read.

(defun agent-q-fs-mcp--unsent (client)
  "Return how many bytes for CLIENT were not sent yet."
  (let ((out (agent-q-fs-mcp--client-out client)))
    (if out (- (1+ (buffer-size out)) (agent-q-fs-mcp--client-at client)) 0)))

(defun agent-q-fs-mcp--flush (client)
  "Send CLIENT as much as it takes."
  (let (piece)
    (while (and (< 0 (setq piece (min (agent-q-fs-mcp--unsent client) agent-q-fs-mcp--piece)))
                (< (agent-q-fs-mcp--client-unconfirmed client) agent-q-fs-mcp--window))
      (let ((start (agent-q-fs-mcp--client-at client)))
        (cl-incf (agent-q-fs-mcp--client-unconfirmed client) piece)
        (cl-incf (agent-q-fs-mcp--client-at client) piece)
        ;; Last, because other frames may be read meanwhile.
        (with-current-buffer (agent-q-fs-mcp--client-out client)
          (ignore-error file-error      ; the sentinel hears that the client is gone
            (process-send-region (agent-q-fs-mcp--client-process client)
                                 start (+ start piece))))))))

(defun agent-q-fs-mcp--send (client value &optional words)
  "Send CLIENT the frame VALUE, a property list, with WORDS, unless it is gone."
  (when (process-live-p (agent-q-fs-mcp--client-process client))
    (let ((words (and words (encode-coding-string words 'utf-8-unix t)))
          (inhibit-modification-hooks t))
      (with-current-buffer (agent-q-fs-mcp--client-out client)
        (delete-region 1 (agent-q-fs-mcp--client-at client))
        (setf (agent-q-fs-mcp--client-at client) 1)
        (goto-char (point-max))
        (insert (encode-coding-string
                 (agent-q-fs--json-print
                  (append value (and words (list :words (length words)))))
                 'utf-8-unix)
                "\n" (or words ""))))
    (agent-q-fs-mcp--flush client)))

(defun agent-q-fs-mcp--takes-p (client)
  "Return non-nil if CLIENT takes what it is sent, so that calls may be begun."
  (< (agent-q-fs-mcp--unsent client) agent-q-fs-mcp--untaken))

(defun agent-q-fs-mcp--confirmed (client bytes)
  "Take note that CLIENT has taken BYTES, a number."
  (setf (agent-q-fs-mcp--client-unconfirmed client)
        (max 0 (- (agent-q-fs-mcp--client-unconfirmed client) bytes)))
  (agent-q-fs-mcp--flush client)
  (while (and (agent-q-fs-mcp--client-held client) (agent-q-fs-mcp--takes-p client))
    (agent-q-fs-mcp--call client (pop (agent-q-fs-mcp--client-held client)))))


;;;; The project of a client

(defconst agent-q-fs-mcp--options '("root" "read_only" "restricted_paths" "protected_paths")
  "The options that a client may give: they let no path lead out of its root.")

(defun agent-q-fs-mcp--option (name value owns)
  "Return a client's option NAME with its VALUE as `agent-q-fs-open' takes it.
Places that a person restricts or protects by the options OWNS stay so."
  (unless (member name agent-q-fs-mcp--options)
    (agent-q-fs--fail :invalid-argument "%s: this is an option of Emacs"
                      (truncate-string-to-width (agent-q-fs-audit-plain name) 40)))
  (let ((own (cl-loop for (own theirs) on owns by #'cddr
                      when (equal name (string-replace "-" "_" (substring (symbol-name own) 1)))
                      return theirs)))
    (list (intern (concat ":" name))
          (cond ((vectorp value) (append value own nil))
                ((equal name "read_only") (if (memq own '(nil :false)) value own))
                (t value)))))

(defun agent-q-fs-mcp--open (directory options)
  "Open the workspace of a client that was started in DIRECTORY, with OPTIONS.
On another machine it must be the root of a project that a person opened."
  (unless (and (stringp directory) (string-prefix-p "/" directory) (hash-table-p options))
    (agent-q-fs--fail :invalid-argument "hello: expected a directory and options"))
  (let* ((there (and (featurep 'agent-q-fs-remote) (agent-q-fs-remote-opened directory)))
         (owns (if there (agent-q-fs-workspace-options there)
                 (default-value 'agent-q-fs-open-options)))
         (default-directory (if there default-directory
                              (agent-q-fs--local-directory
                               "directory" (agent-q-fs-arguments-near-name "directory" directory))))
         given)
    (maphash (lambda (name value)
               (setq given (append (agent-q-fs-mcp--option name value owns) given)))
             options)
    (if there (agent-q-fs-remote-open-beside there given)
      (apply #'agent-q-fs-open
             (agent-q-fs-arguments-near (append given '(:sly_directory nil)))))))

(defun agent-q-fs-mcp--visited-p (place)
  "Return non-nil if a file in the directory PLACE, bytes, is visited here.
A directory that holds the home directory is no project of such a file."
  (unless (agent-q-fs--place-in-p
           (agent-q-fs--true-place (agent-q-fs--file-bytes (expand-file-name "~"))) place)
    (seq-some (lambda (buffer)
                (let ((file (buffer-local-value 'buffer-file-truename buffer)))
                  (and file
                       (agent-q-fs--place-in-p
                        (agent-q-fs--file-bytes (let ((file-name-handler-alist nil))
                                                  (expand-file-name file)))
                        place))))
              (buffer-list))))

(defun agent-q-fs-mcp--home-p (place)
  "Return non-nil if clients may use the tools in PLACE, bytes, without a question."
  (or (alist-get place agent-q-fs-mcp--decisions nil nil #'equal)
      (seq-some (lambda (directory)
                  (agent-q-fs--place-in-p
                   place (agent-q-fs--true-place
                          (agent-q-fs--file-bytes
                           (directory-file-name (expand-file-name directory))))))
                (default-value 'agent-q-fs-mcp-directories))
      (agent-q-fs-mcp--visited-p place)))

(defun agent-q-fs-mcp--decided (client place decision)
  "Go on with what waits for DECISION about CLIENT's project at PLACE."
  (let ((reason (plist-get decision :reason))
        (approved (eq 'approved (plist-get decision :decision))))
    (when approved
      (setf (alist-get place agent-q-fs-mcp--decisions nil nil #'equal) t))
    (setf (agent-q-fs-mcp--client-allowed client)
          (or approved
              (agent-q-fs--error-reply
               :denied "The user denied the tools in %s%s; `agent-q-fs-mcp-directories' in Emacs \
allows it"
               (agent-q-fs-workspace-root (agent-q-fs-mcp--client-workspace client))
               (if (stringp reason) (concat ": " (agent-q-fs-audit-plain reason)) ""))))
    (mapc #'funcall (nreverse (agent-q-fs-mcp--client-waiting client)))
    (setf (agent-q-fs-mcp--client-waiting client) nil)
    ;; Without a person's decision, the question is asked again.
    (when (and (not approved) (plist-get decision :code))
      (setf (agent-q-fs-mcp--client-allowed client) nil))))

(defun agent-q-fs-mcp--ask (client caller place)
  "Ask whether CLIENT, of which CALLER waits, may use its project at PLACE."
  (let ((asking (agent-q-fs-caller-new :name (agent-q-fs-caller-name caller))))
    (setf (agent-q-fs-mcp--client-allowed client) 'asked)
    (push (cons 'open asking) (agent-q-fs-mcp--client-calls client))
    (agent-q-fs-approve-async
     (agent-q-fs-approve-opening (agent-q-fs-mcp--client-workspace client) nil asking)
     (lambda (decision)
       (setf (agent-q-fs-mcp--client-calls client)
             (assq-delete-all 'open (agent-q-fs-mcp--client-calls client)))
       (when (agent-q-fs-mcp--client-workspace client)
         (agent-q-fs-mcp--decided client place decision))))))

(defun agent-q-fs-mcp--when-allowed (client caller quiet function)
  "Call FUNCTION when it is known whether CLIENT may use its project.
Its argument is nil, or the reply for CALLER that says no.  With QUIET,
nobody is asked."
  (let* ((workspace (agent-q-fs-mcp--client-workspace client))
         (place (agent-q-fs--true-place (agent-q-fs--root-place workspace)))
         (allowed (agent-q-fs-mcp--client-allowed client)))
    (cond
     ((or (eq allowed t) (agent-q-fs-mcp--home-p place))
      (setf (agent-q-fs-mcp--client-allowed client) t)
      (funcall function nil))
     ((and (consp allowed)) (funcall function allowed))
     (quiet
      (funcall function (agent-q-fs--error-reply
                         :approval-required
                         "The user was not asked yet about the tools in %s: call one of them first"
                         (agent-q-fs-workspace-root workspace))))
     (t
      (push (lambda ()
              (unless (agent-q-fs-caller-gone caller)
                (let ((allowed (agent-q-fs-mcp--client-allowed client)))
                  (funcall function (unless (eq t allowed) allowed)))))
            (agent-q-fs-mcp--client-waiting client))
      (unless (eq allowed 'asked)
        (agent-q-fs-mcp--ask client caller place))))))


;;;; Calls

(defun agent-q-fs-mcp--data (caller name reply)
  "Return the members of a frame with the data of REPLY to tool NAME for CALLER.
The words for a model stand beside them, and are not sent again as content."
  (when (and (agent-q-fs-caller-data caller) (not (plist-get reply :error)))
    (let ((members (agent-q-fs-tool-reply (agent-q-fs-find-tool name))))
      (when members
        (let ((object (agent-q-fs-spec-json-object members reply)))
          (remhash "text" object)
          (if (not (equal (gethash "content" object) (plist-get reply :text)))
              (list :data object)
            (remhash "content" object)
            (list :data object :same "content")))))))

(defun agent-q-fs-mcp--end (client number name reply)
  "Tell CLIENT that its call NUMBER, of the tool NAME, has ended with REPLY."
  (when (assq number (agent-q-fs-mcp--client-calls client))
    (let* ((caller (alist-get number (agent-q-fs-mcp--client-calls client)))
           (code (plist-get reply :error))
           (error (and code (list :error (substring (symbol-name code) 1)))))
      (setf (agent-q-fs-mcp--client-calls client)
            (assq-delete-all number (agent-q-fs-mcp--client-calls client)))
      (condition-case problem
          (agent-q-fs-mcp--send client (append (list :end number)
                                               (agent-q-fs-mcp--data caller name reply) error)
                                (plist-get reply :text))
        (error (agent-q-fs-mcp--send
                client (list :end number :error "internal")
                (concat "Error: " (agent-q-fs-audit-plain (error-message-string problem)))))))))

(defun agent-q-fs-mcp--stop (client number)
  "End all calls of CLIENT but NUMBER: the person wants it to stop."
  (pcase-dolist (`(,other . ,caller) (copy-sequence (agent-q-fs-mcp--client-calls client)))
    (unless (memq other (list number 'open))
      (agent-q-fs-mcp--end client other nil
                           (agent-q-fs--error-reply :cancelled "The user wants you to stop here"))
      (agent-q-fs-caller-leave caller))))

(defun agent-q-fs-mcp--begin (client number name arguments quiet caller)
  "Make call NUMBER of CLIENT, of the tool NAME with ARGUMENTS, for CALLER.
With QUIET, nobody is asked."
  (agent-q-fs-mcp--when-allowed
   client caller quiet
   (lambda (denial)
     (let ((end (lambda (reply) (agent-q-fs-mcp--end client number name reply))))
       (if denial
           (funcall end denial)
         (let ((agent-q-fs-workspace nil))
           (agent-q-fs-tools--begin name arguments (agent-q-fs-mcp--client-workspace client) end
                                    :caller caller :program (and quiet 'cautious))))))))

(defun agent-q-fs-mcp--unknown (client name)
  "Return the words about NAME, which is no tool of CLIENT."
  (format "Unknown tool: %s.  There are %s"
          (truncate-string-to-width (agent-q-fs-audit-plain name) 60)
          (string-join (agent-q-fs-mcp--client-tools client) ", ")))

(defun agent-q-fs-mcp--call (client frame)
  "Begin the call of CLIENT that FRAME is."
  (let ((number (gethash "call" frame))
        (name (gethash "tool" frame))
        (arguments (gethash "arguments" frame (make-hash-table)))
        (quiet (eq t (gethash "quiet" frame)))
        (calls (agent-q-fs-mcp--client-calls client))
        (who (gethash "client" frame)))
    (cond
     ((not (and (natnump number) (stringp name) (hash-table-p arguments) (stringp who)
                (not (assq number calls))))
      (agent-q-fs-mcp--refuse client "call: expected a new number, a tool, arguments, a client"))
     ((not (or quiet (member name (agent-q-fs-mcp--client-tools client))))
      (agent-q-fs-mcp--send client (list :end number
                                         :unknown (agent-q-fs-mcp--unknown client name))))
     (t
      (let ((caller (agent-q-fs-caller-new
                     :name (format "%s (MCP)" (if (equal who "") "an agent"
                                                (truncate-string-to-width
                                                 (agent-q-fs-audit-plain who) 60)))
                     :data (or quiet (agent-q-fs-mcp--client-data client))
                     :listener (and (eq t (gethash "progress" frame))
                                    (lambda (done) ; dropped while the client takes nothing
                                      (when (= 0 (agent-q-fs-mcp--unsent client))
                                        (agent-q-fs-mcp--send
                                         client (list :progress number :done done)))))
                     :stop (lambda () (agent-q-fs-mcp--stop client number)))))
        (push (cons number caller) (agent-q-fs-mcp--client-calls client))
        (if (< (length calls) agent-q-fs-mcp--most)
            (agent-q-fs-mcp--begin client number name arguments quiet caller)
          (agent-q-fs-mcp--end client number name
                               (agent-q-fs--error-reply
                                :limit "%d calls are under way: wait until one of them has ended"
                                agent-q-fs-mcp--most))))))))

(defun agent-q-fs-mcp--cancel (client number)
  "End call NUMBER of CLIENT, if it is not over: nobody waits for it."
  (let ((call (assq number (agent-q-fs-mcp--client-calls client))))
    (when (and call (natnump number))
      (setf (agent-q-fs-mcp--client-calls client)
            (delq call (agent-q-fs-mcp--client-calls client)))
      (agent-q-fs-caller-leave (cdr call)))
    (setf (agent-q-fs-mcp--client-held client)
          (seq-remove (lambda (frame) (equal number (gethash "call" frame)))
                      (agent-q-fs-mcp--client-held client)))))


;;;; Frames

(defun agent-q-fs-mcp--tools (names)
  "Return the names of the tools that NAMES, with commas between, stand for."
  (unless (stringp names)
    (agent-q-fs--fail :invalid-argument "hello: expected tools"))
  (mapcar #'agent-q-fs-tool-name
          (delq nil (apply #'append (mapcar (lambda (name)
                                              (let ((tool (agent-q-fs-find-tool name)))
                                                (if tool (list tool) (agent-q-fs-tools name))))
                                            (split-string names "," t))))))

(defun agent-q-fs-mcp--list (client)
  "Return the tools of CLIENT for tools/list, a vector."
  (vconcat (mapcar (lambda (spec)
                     (if (agent-q-fs-mcp--client-data client)
                         spec
                       (cl-loop for (key value) on spec by #'cddr
                                unless (eq key :outputSchema) append (list key value))))
                   (agent-q-fs-tool-specs 'mcp (agent-q-fs-mcp--client-tools client)))))

(defun agent-q-fs-mcp--hello (client frame)
  "Greet CLIENT, whose first frame is FRAME."
  (unless (equal (gethash "hello" frame) agent-q-fs-mcp--protocol)
    (agent-q-fs--fail :invalid-argument "Emacs has agent-q-fs %s: restart it, or this server"
                      agent-q-fs-module-version))
  (setf (agent-q-fs-mcp--client-data client) (eq t (gethash "data" frame))
        (agent-q-fs-mcp--client-tools client)
        (delete-dups (agent-q-fs-mcp--tools (gethash "tools" frame)))
        (agent-q-fs-mcp--client-workspace client)
        (agent-q-fs-mcp--open (gethash "directory" frame) (gethash "options" frame)))
  (agent-q-fs-mcp--send
   client (list :hello agent-q-fs-mcp--protocol
                :root (directory-file-name
                       (agent-q-fs-workspace-root (agent-q-fs-mcp--client-workspace client)))
                :tools (agent-q-fs-mcp--list client))))

(defun agent-q-fs-mcp--take (client text)
  "Do what TEXT, a frame from CLIENT in bytes, asks for."
  (let ((frame (ignore-errors (agent-q-fs--json-parse (decode-coding-string text 'utf-8-unix)))))
    (cond ((not (hash-table-p frame)) (agent-q-fs-mcp--refuse client "This is no frame"))
          ((null (agent-q-fs-mcp--client-workspace client)) (agent-q-fs-mcp--hello client frame))
          ((and (gethash "call" frame) (agent-q-fs-mcp--takes-p client))
           (agent-q-fs-mcp--call client frame))
          ((gethash "call" frame)
           (setf (agent-q-fs-mcp--client-held client)
                 (nconc (agent-q-fs-mcp--client-held client) (list frame))))
          ((gethash "cancel" frame) (agent-q-fs-mcp--cancel client (gethash "cancel" frame)))
          ((natnump (gethash "got" frame)) (agent-q-fs-mcp--confirmed client (gethash "got" frame)))
          (t (agent-q-fs-mcp--refuse client "This frame is not known")))))

(defun agent-q-fs-mcp--serve (client)
  "Look at the frames that CLIENT has sent, for a while."
  (setf (agent-q-fs-mcp--client-timer client) nil)
  (let ((inhibit-quit nil)              ; filters and timers are not interrupted otherwise
        ;; Garbage is collected when the answer was sent.
        (gc-cons-threshold (max gc-cons-threshold agent-q-fs-mcp--garbage))
        (until (+ (float-time) agent-q-fs-mcp--slice)))
    (while (and (agent-q-fs-mcp--client-frames client) (< (float-time) until))
      (condition-case problem
          (agent-q-fs-mcp--take client (pop (agent-q-fs-mcp--client-frames client)))
        ((error quit)
         (agent-q-fs-mcp--refuse
          client (plist-get (agent-q-fs-tools--problem problem) :message)))))
    (when (agent-q-fs-mcp--client-frames client)
      (setf (agent-q-fs-mcp--client-timer client)
            (run-with-timer 0 nil #'agent-q-fs-mcp--serve client)))))

(defun agent-q-fs-mcp--filter (process text)
  "Take TEXT, bytes that have come from PROCESS."
  (let ((client (process-get process 'agent-q-fs-mcp)) (start 0) end)
    (when client
      (while (setq end (string-search "\n" text start))
        (push (substring text start end) (agent-q-fs-mcp--client-chunks client))
        (setf (agent-q-fs-mcp--client-frames client)
              (nconc (agent-q-fs-mcp--client-frames client)
                     (list (apply #'concat
                                  (nreverse (agent-q-fs-mcp--client-chunks client)))))
              (agent-q-fs-mcp--client-chunks client) nil
              (agent-q-fs-mcp--client-size client) 0
              start (1+ end)))
      (push (substring text start) (agent-q-fs-mcp--client-chunks client))
      (cl-incf (agent-q-fs-mcp--client-size client) (- (length text) start))
      (if (< agent-q-fs-mcp--longest (agent-q-fs-mcp--client-size client))
          (agent-q-fs-mcp--refuse client "The frame is too long")
        (unless (agent-q-fs-mcp--client-timer client)
          (agent-q-fs-mcp--serve client))))))

(defun agent-q-fs-mcp--sentinel (process _event)
  "Forget the client behind PROCESS if it is gone."
  (let ((client (process-get process 'agent-q-fs-mcp)))
    (when (and client (not (process-live-p process)))
      (agent-q-fs-mcp--gone client))))

(defun agent-q-fs-mcp--accept (server process _message)
  "Take the connection PROCESS of SERVER, if it is of the same user."
  (if (not (eq t (agent-q-fs--mod-own-peers (process-contact server :service))))
      (delete-process process)
    (let ((client (agent-q-fs-mcp--make-client
                   :process process :out (generate-new-buffer " *agent-q-fs-mcp*" t))))
      (with-current-buffer (agent-q-fs-mcp--client-out client)
        (set-buffer-multibyte nil))
      (set-process-plist process (list 'agent-q-fs-mcp client))
      (push client agent-q-fs-mcp--clients))))


;;;; The socket

(defvar agent-q-fs-mcp--server nil
  "The process that listens, or nil.")

(defun agent-q-fs-mcp--directory ()
  "Return the directory of the socket; make it where there is none.
Nobody but the user may look into it."
  (let* ((runtime (getenv "XDG_RUNTIME_DIR"))
         (directory (if (and runtime (file-name-absolute-p runtime)
                             (file-accessible-directory-p runtime))
                        (expand-file-name "agent-q-fs" runtime)
                      (format "/tmp/agent-q-fs-%d" (user-uid)))))
    (ignore-error file-already-exists
      (with-file-modes #o700 (make-directory directory)))
    (let ((attributes (file-attributes directory)))
      (unless (and (eq t (file-attribute-type attributes))
                   (equal (user-uid) (file-attribute-user-id attributes))
                   (string-match-p "\\`d...------" (file-attribute-modes attributes)))
        (user-error "%s is not a directory of yours that others cannot read" directory)))
    directory))

(defun agent-q-fs-mcp--answers-p (socket)
  "Return non-nil if somebody listens on SOCKET."
  (let ((process (ignore-errors (make-network-process :name "agent-q-fs-mcp-probe" :family 'local
                                                      :service socket :noquery t))))
    (when process (delete-process process) t)))

(defun agent-q-fs-mcp--free-socket ()
  "Return the name of a socket for this Emacs: \"emacs\", unless another one has it."
  (let* ((directory (agent-q-fs-mcp--directory))
         (first (expand-file-name "emacs" directory))
         (socket (if (agent-q-fs-mcp--answers-p first)
                     (expand-file-name (format "emacs-%d" (emacs-pid)) directory)
                   first)))
    (ignore-error file-missing (delete-file socket)) ; of one that has died
    socket))

(defun agent-q-fs-mcp-socket ()
  "Return the name of the socket on which agents reach this Emacs, or nil."
  (and agent-q-fs-mcp--server (process-contact agent-q-fs-mcp--server :service)))

(defun agent-q-fs-mcp--start ()
  "Listen."
  (agent-q-fs-module-load)
  (let ((socket (agent-q-fs-mcp--free-socket)))
    (setq agent-q-fs-mcp--server
          (with-file-modes #o600
            (make-network-process :name "agent-q-fs-mcp" :family 'local :server t
                                  :service socket :noquery t :coding 'no-conversion
                                  :filter #'agent-q-fs-mcp--filter
                                  :sentinel #'agent-q-fs-mcp--sentinel
                                  :log #'agent-q-fs-mcp--accept)))
    (add-hook 'kill-emacs-hook #'agent-q-fs-mcp--end-all)
    (unless noninteractive
      (message "Agents reach this Emacs by agent-q-fs mcp --emacs%s"
               (if (equal "emacs" (file-name-nondirectory socket)) "" (concat " " socket))))))

(defun agent-q-fs-mcp--end-all ()
  "Listen no more, and end all connections."
  (remove-hook 'kill-emacs-hook #'agent-q-fs-mcp--end-all)
  (when agent-q-fs-mcp--server
    (let ((socket (agent-q-fs-mcp-socket)))
      (delete-process agent-q-fs-mcp--server)
      (setq agent-q-fs-mcp--server nil)
      (ignore-error file-missing (delete-file socket))))
  (mapc #'agent-q-fs-mcp--gone (copy-sequence agent-q-fs-mcp--clients)))

;;;###autoload
(define-minor-mode agent-q-fs-mcp-mode
  "Serve the tools to agents outside Emacs that speak MCP.
They start the program `agent-q-fs mcp --emacs'.  Their calls are made
here as all others are: by `agent-q-fs-policy', with requests, the log and
the review."
  :global t :group 'agent-q-fs-mcp
  (agent-q-fs-mcp--end-all)
  (when agent-q-fs-mcp-mode
    (condition-case problem
        (agent-q-fs-mcp--start)
      (error (setq agent-q-fs-mcp-mode nil)
             (signal (car problem) (cdr problem))))))

(agent-q-fs--refuse-files 'agent-q-fs-mcp-mode)

(provide 'agent-q-fs-mcp)
;;; agent-q-fs-mcp.el ends here
