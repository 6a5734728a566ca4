;;; agent-q-fs-remote-link.el --- Frames to a server on another machine  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A link is the process `agent-q-fs serve' on another machine, started through TRAMP, and
;; what is asked of it.  Both ends speak in frames; module/serve/serve.h has the protocol.
;;
;;     down       no process runs.  The next call starts one, or a timer does
;;     starting   it was started, and has not said hello: nothing was sent to it
;;     up         calls go there and back, many at once
;;
;; Text before the server's hello is printed by a shell, and is kept only for the words of an
;; error.  From the hello on each byte belongs to a frame.  Bytes that do not, answers
;; that nobody asked for and lengths above the bounds end the connection: the other end is no
;; server of ours then, and it is not connected again by itself.
;;
;; agent-q-fs-remote-life.el says what becomes of a link that is lost.

;;; Code:

(require 'agent-q-fs)
(require 'agent-q-fs-deploy)
(require 'agent-q-fs-remote-data)
(require 'cl-lib)
(require 'seq)
(require 'subr-x)

(declare-function agent-q-fs-link--clear-doubts "agent-q-fs-remote-life" (link))
(declare-function agent-q-fs-link--later "agent-q-fs-remote-life" (link))
(declare-function agent-q-fs-link--lose "agent-q-fs-remote-life" (link why &optional for-good))
(declare-function agent-q-fs-link--open-again "agent-q-fs-remote-life" (link))
(declare-function agent-q-fs-link--sentinel "agent-q-fs-remote-life" (process event))
(declare-function agent-q-fs-link--show-state "agent-q-fs-remote-life" ())
(declare-function agent-q-fs-link--stop-timers "agent-q-fs-remote-life" (link))
(declare-function agent-q-fs-link-trouble "agent-q-fs-remote-life" (link))
(declare-function agent-q-fs-link-tick-now "agent-q-fs-remote-life" (link))

(defcustom agent-q-fs-remote-seconds 30
  "How many seconds another machine may take for a sign of life.
A connection that is silent for that long, although it was asked, is lost."
  :group 'agent-q-fs
  :type 'natnum)

(defconst agent-q-fs-link--piece 16384
  "The most bytes of a frame from a server.")
(defconst agent-q-fs-link--read 65536
  "How many bytes are read at once: as many as a pipe holds.")
(defconst agent-q-fs-link--window (* 16 1024 1024)
  "How many bytes of an answer may be on their way.")
(defconst agent-q-fs-link--answer (* 160 1024 1024)
  "The most bytes of an answer.")
(defconst agent-q-fs-link--frame (* 64 1024 1024)
  "The most bytes of a frame to a server.")
(defconst agent-q-fs-link--noise 65536
  "The most bytes that a shell may print before the server's hello.")

(cl-defstruct (agent-q-fs-link (:constructor agent-q-fs-link--make (prefix client))
                               (:copier nil))
  "A connection to another machine."
  (prefix nil :documentation "What names of its files begin with, such as /ssh:host:.")
  (client nil :documentation "What this Emacs is called there, also when it connects again.")
  (state 'down :documentation "`down', `starting' or `up'.")
  (process nil)
  (text "" :documentation "Bytes that came, from FROM on not taken yet.")
  (from 0)
  (chunks nil :documentation "What came since TEXT, latest first.")
  (have 0 :documentation "How many bytes are not taken, in TEXT and CHUNKS.")
  (need 1 :documentation "How many the next frame needs.")
  (facts nil :documentation "The server's hello, a hash table.")
  (asked (make-hash-table) :documentation "What is not answered yet, by id.")
  (queue nil :documentation "Frames to be sent once the server has said hello, latest first.")
  (doubts nil :documentation "Changes that were on their way when the connection was lost.")
  (last-id 0)
  (workspaces (make-hash-table :weakness 'value) :documentation "By number.")
  (open nil :documentation "The numbers of workspaces that the server has.")
  (last-number 0)
  (heard nil :documentation "When bytes came last, or the process was started.")
  (ping nil :documentation "The id of a ping that is not answered, or nil.")
  (tick nil :documentation "The timer that looks whether the other end is alive.")
  (again nil :documentation "The timer that connects again.")
  (tries 0 :documentation "How many attempts have failed since it was up.")
  (why nil :documentation "Why the connection ended last, in words."))

(cl-defstruct (agent-q-fs-link-ask (:constructor agent-q-fs-link-ask--make) (:copier nil))
  "A question to a server."
  id
  (link nil)
  (workspace nil :documentation "The number of its workspace.")
  (members nil :documentation "Those of its reply, as the catalogue has them.")
  (then nil :documentation "A function of the reply.")
  (check nil :documentation "A function that signals that a reply is a lie, or nil.")
  (raw nil :documentation "Non-nil if what comes before the reply is bytes, and no data.")
  (on-item nil :documentation "A function of what comes before the reply, or nil.")
  (change nil :documentation "The (OPERATION CALL CALLER) of a call that changes something.")
  (digest nil :documentation "That of the plan which it commits.")
  (again nil :documentation "A function that returns the request to plan it again.")
  (sent nil :documentation "Non-nil if the server may have got it.")
  (pieces nil :documentation "What came of the answer, latest first.")
  (bytes 0 :documentation "How many these are.")
  (room agent-q-fs-link--window :documentation "How many more the server may send.")
  (state 'waiting :documentation "`waiting', `dropped': nobody wants the answer, or `done'."))

(declare-function agent-q-fs--mod-inflate "ext:agent-q-fs-module.so" (bytes most))

(defvar agent-q-fs-link--all nil
  "All links of this Emacs.")

(defvar agent-q-fs-link-inside nil
  "Non-nil while a link takes what came: then nothing waits for another answer.")


;;;; Words

(defun agent-q-fs-link-name (link)
  "Return what LINK is called for people: TRAMP's name of the machine."
  (agent-q-fs-show-visible (substring (agent-q-fs-link-prefix link) 1 -1) t))

(defun agent-q-fs-link--error (link format &rest arguments)
  "Return an error's reply about LINK, in the words of FORMAT and ARGUMENTS."
  (agent-q-fs--error-reply :disconnected "%s: %s" (agent-q-fs-link-name link)
                           (apply #'format format arguments)))

(defun agent-q-fs-link--said (link)
  "Return the end of what the machine of LINK printed, for an error."
  (agent-q-fs-link--join link)
  (let ((lines (split-string
                (replace-regexp-in-string
                 "\e\\[[0-9;?]*[a-zA-Z]" ""
                 (decode-coding-string (agent-q-fs-link-text link) 'utf-8-unix t))
                "[\r\n]+" t "[ \t]+")))
    (mapconcat (lambda (line) (agent-q-fs-show-visible (truncate-string-to-width line 200) t))
               (last lines 3) " / ")))


;;;; Sending

(defun agent-q-fs-link--frame (kind id argument &optional payload)
  "Return the frame KIND with ID, ARGUMENT and PAYLOAD, in bytes."
  (let ((payload (or payload "")))
    (concat (format "%s %d %d %d\n" kind id argument (length payload)) payload "\n")))

(defun agent-q-fs-link--send (link frame)
  "Send FRAME over LINK, which must not be down; what fails is a loss."
  (condition-case problem
      (process-send-string (agent-q-fs-link-process link) frame)
    (error (agent-q-fs-link--lose link (error-message-string problem)))))

(defun agent-q-fs-link--next-id (link)
  "Return an id for what is asked over LINK."
  (cl-incf (agent-q-fs-link-last-id link)))

(defun agent-q-fs-link--queue (link ask frame)
  "Send the FRAME of ASK over LINK, now or when its server has said hello."
  (puthash (agent-q-fs-link-ask-id ask) ask (agent-q-fs-link-asked link))
  (if (eq 'up (agent-q-fs-link-state link))
      (progn (setf (agent-q-fs-link-ask-sent ask) t)
             (agent-q-fs-link--send link frame))
    (push (cons ask frame) (agent-q-fs-link-queue link))))

(cl-defun agent-q-fs-link-ask (link kind workspace payload
                                    &key members check then on-item raw change digest again)
  "Ask the server of LINK for KIND of WORKSPACE, a number; return the ask.
PAYLOAD is the frame's.  THEN is called with the reply, which has MEMBERS
and passes CHECK, or is an error's; ON-ITEM with what comes before it: data,
or with RAW, bytes.
CHANGE is (OPERATION CALL CALLER) for a call that may change something; it
commits the plan with DIGEST, which the request that AGAIN returns would
make again.  A link that is down is brought up first."
  (when (> (length payload) agent-q-fs-link--frame)
    (agent-q-fs--fail :too-long "The request has %d bytes; %d can be sent to another machine"
                      (length payload) agent-q-fs-link--frame))
  (agent-q-fs-link-start link)
  (let* ((id (agent-q-fs-link--next-id link))
         (ask (agent-q-fs-link-ask--make :id id :link link :workspace workspace :members members :check check
                                         :then then :on-item on-item :raw raw :change change
                                         :digest digest :again again)))
    (agent-q-fs-link--queue link ask (agent-q-fs-link--frame kind id workspace payload))
    ask))

(defun agent-q-fs-link-input (ask argument bytes)
  "Send BYTES to the command that ASK runs, with ARGUMENT.
What that means is said in module/serve/serve.h."
  (when (eq 'waiting (agent-q-fs-link-ask-state ask))
    (let* ((link (agent-q-fs-link-ask-link ask))
           (frame (agent-q-fs-link--frame "input" (agent-q-fs-link-ask-id ask) argument bytes)))
      (if (agent-q-fs-link-ask-sent ask)
          (agent-q-fs-link--send link frame)
        (push (cons ask frame) (agent-q-fs-link-queue link))))))

(defun agent-q-fs-link-cancel (ask &optional drop)
  "Have the server end ASK soon.  With DROP nobody wants its answer any more."
  (let ((link (agent-q-fs-link-ask-link ask)))
    (when (eq 'waiting (agent-q-fs-link-ask-state ask))
      (when drop
        (setf (agent-q-fs-link-ask-state ask) 'dropped
              (agent-q-fs-link-ask-pieces ask) nil
              (agent-q-fs-link-doubts link) (delq ask (agent-q-fs-link-doubts link))))
      (cond ((and (agent-q-fs-link-ask-sent ask) (eq 'up (agent-q-fs-link-state link)))
             (agent-q-fs-link--send link (agent-q-fs-link--frame
                                          "cancel" (agent-q-fs-link-ask-id ask) 0)))
            ((not (agent-q-fs-link-ask-sent ask))
             (setf (agent-q-fs-link-queue link)
                   (assq-delete-all ask (agent-q-fs-link-queue link)))
             (agent-q-fs-link--answer ask (agent-q-fs--error-reply
                                           :cancelled "The call was cancelled")))))))

(defun agent-q-fs-link--answer (ask reply)
  "End ASK with REPLY."
  (let ((wanted (eq 'waiting (agent-q-fs-link-ask-state ask))))
    (setf (agent-q-fs-link-ask-state ask) 'done
          (agent-q-fs-link-ask-pieces ask) nil)
    (remhash (agent-q-fs-link-ask-id ask) (agent-q-fs-link-asked (agent-q-fs-link-ask-link ask)))
    (when (and wanted (agent-q-fs-link-ask-then ask))
      (let ((agent-q-fs-link-inside t))
        (with-demoted-errors "agent-q-fs: error in a remote call's callback: %S"
          (funcall (agent-q-fs-link-ask-then ask) reply))))))

(defun agent-q-fs-link-wait (ask)
  "Wait until ASK is answered.  Quitting cancels it."
  (let ((link (agent-q-fs-link-ask-link ask))
        ;; Nothing of a long answer is garbage before it is read.
        (gc-cons-threshold (max gc-cons-threshold 67108864))
        (read-process-output-max (max read-process-output-max agent-q-fs-link--read))
        ended)
    (unwind-protect
        (progn
          (while (eq 'waiting (agent-q-fs-link-ask-state ask))
            (accept-process-output (agent-q-fs-link-process link) 1)
            (agent-q-fs-link-tick-now link))
          (setq ended t))
      (unless ended
        (agent-q-fs-link-cancel ask t)))))


;;;; Answers

(defun agent-q-fs-link--filter (process chunk)
  "Take CHUNK, bytes that came from the server that PROCESS is."
  (let ((link (process-get process 'agent-q-fs-link)))
    (when (and link (eq process (agent-q-fs-link-process link)))
      (setf (agent-q-fs-link-heard link) (float-time))
      (push chunk (agent-q-fs-link-chunks link))
      (when (>= (cl-incf (agent-q-fs-link-have link) (length chunk))
                (agent-q-fs-link-need link))
        (agent-q-fs-link--take-all link process)))))

(defun agent-q-fs-link--join (link)
  "Put what came over LINK behind what of it is not taken."
  (when (agent-q-fs-link-chunks link)
    (setf (agent-q-fs-link-text link)
          (apply #'concat (substring (agent-q-fs-link-text link) (agent-q-fs-link-from link))
                 (nreverse (agent-q-fs-link-chunks link)))
          (agent-q-fs-link-from link) 0
          (agent-q-fs-link-chunks link) nil)))

(defun agent-q-fs-link--skip (link end)
  "Note that what came over LINK is taken as far as END."
  (setf (agent-q-fs-link-from link) end
        (agent-q-fs-link-have link) (- (length (agent-q-fs-link-text link)) end)
        (agent-q-fs-link-need link) 1))

(defun agent-q-fs-link--forget-text (link)
  "Forget all that came over LINK."
  (setf (agent-q-fs-link-text link) ""
        (agent-q-fs-link-chunks link) nil)
  (agent-q-fs-link--skip link 0))

(defun agent-q-fs-link--take-all (link process)
  "Take what came over LINK from PROCESS, as far as it is whole frames."
  (condition-case problem
      (let (frame)
        (agent-q-fs-link--join link)
        (when (eq 'starting (agent-q-fs-link-state link))
          (agent-q-fs-link--await-hello link))
        (while (and (eq process (agent-q-fs-link-process link))
                    (eq 'up (agent-q-fs-link-state link))
                    (setq frame (agent-q-fs-link--next-frame link)))
          (apply #'agent-q-fs-link--take link frame)))
    (agent-q-fs-remote-data-lie
     (agent-q-fs-link--lose link (format "its answers cannot be trusted (%s)" (cadr problem)) t))
    ;; In a filter the error would be a message only, and the call would wait for ever.
    (error
     (agent-q-fs-link--lose
      link (format "its answers cannot be read (%s)"
                   (agent-q-fs-show-visible (error-message-string problem) t))
      t))))

(defconst agent-q-fs-link--head
  (concat "\\([a-z]\\{1,16\\}\\) \\([0-9]\\{1,15\\}\\) \\([0-9]\\{1,15\\}\\) "
          "\\([0-9]\\{1,5\\}\\)\n")
  "A regexp for the head of a frame.")

(defun agent-q-fs-link--next-frame (link)
  "Return the next frame of LINK as (KIND ID ARGUMENT PAYLOAD), or nil."
  (agent-q-fs-link--join link)          ; a callback may have waited, and more came
  (let* ((text (agent-q-fs-link-text link)) (start (agent-q-fs-link-from link))
         (newline (string-search "\n" text start)))
    (cond
     (newline
      (unless (eq start (string-match agent-q-fs-link--head text start))
        (agent-q-fs-remote-data-lie "bytes that are no frame"))
      (agent-q-fs-link--whole-frame
       link (match-string 1 text) (string-to-number (match-string 2 text))
       (string-to-number (match-string 3 text)) (string-to-number (match-string 4 text))
       (1+ newline)))
     ((> (- (length text) start) 64)
      (agent-q-fs-remote-data-lie "bytes that are no frame")))))

(defun agent-q-fs-link--whole-frame (link kind id argument length from)
  "Return the frame of LINK, whose LENGTH bytes begin at FROM, if it is whole.
KIND, ID and ARGUMENT are what its head says."
  (let* ((text (agent-q-fs-link-text link)) (end (+ from length)))
    (when (> length agent-q-fs-link--piece)
      (agent-q-fs-remote-data-lie "a frame that is too long"))
    (cond
     ((<= (length text) end)
      (setf (agent-q-fs-link-need link) (- (1+ end) (agent-q-fs-link-from link)))
      nil)
     ((not (eq ?\n (aref text end)))
      (agent-q-fs-remote-data-lie "a frame that does not end where it should"))
     (t
      (agent-q-fs-link--skip link (1+ end))
      (list kind id argument (substring text from end))))))

(defun agent-q-fs-link--take (link kind id argument payload)
  "Take the frame KIND with ID, ARGUMENT and PAYLOAD that came over LINK."
  (pcase kind
    ((or "reply" "item")
     (unless (memq argument (if (equal kind "reply") '(0 1 2 3) '(0 1 2)))
       (agent-q-fs-remote-data-lie "a piece that is neither the last one nor another"))
     (agent-q-fs-link--take-piece (agent-q-fs-link--asked link id) kind argument payload))
    ("error" (agent-q-fs-link--take-error link id payload))
    ("pong" (if (eql id (agent-q-fs-link-ping link))
                (setf (agent-q-fs-link-ping link) nil)
              (agent-q-fs-remote-data-lie "a pong without a ping")))
    (_ (agent-q-fs-remote-data-lie "a frame of the kind %s" kind))))

(defun agent-q-fs-link--asked (link id)
  "Return what was asked over LINK with ID."
  (let ((ask (gethash id (agent-q-fs-link-asked link))))
    (if (and ask (agent-q-fs-link-ask-sent ask)) ask
      (agent-q-fs-remote-data-lie "an answer that nobody asked for"))))

(defun agent-q-fs-link--take-piece (ask kind end payload)
  "Take PAYLOAD, a piece of an answer of KIND to ASK.
END is 1 if it is the last one, 2 if what is whole then is deflated, and 3
if what came of the reply is void."
  (let ((link (agent-q-fs-link-ask-link ask)) (wanted (eq 'waiting (agent-q-fs-link-ask-state ask))))
    (when wanted
      (push payload (agent-q-fs-link-ask-pieces ask))
      (agent-q-fs-link--count ask (length payload)))
    (cond
     ((eql 0 end))
     ((eql 3 end)
      (setf (agent-q-fs-link-ask-pieces ask) nil
            (agent-q-fs-link-ask-bytes ask) 0))
     ((equal kind "item")
      (when wanted (agent-q-fs-link--take-item ask (agent-q-fs-link--whole ask (eql 2 end)))))
     ((not wanted)
      (remhash (agent-q-fs-link-ask-id ask) (agent-q-fs-link-asked link)))
     (t
      (agent-q-fs-link--answer
       ask (agent-q-fs-link--reply ask (agent-q-fs-link--whole ask (eql 2 end))))))
    ;; Last, because other frames may be taken while Emacs writes.
    (agent-q-fs-link--give-room ask)))

(defun agent-q-fs-link--reply (ask bytes)
  "Return the reply to ASK that BYTES print, or nil if it has none."
  (let ((members (agent-q-fs-link-ask-members ask)) (check (agent-q-fs-link-ask-check ask)))
    (when (or members (not (equal "" bytes)))
      (let ((reply (agent-q-fs-remote-data-reply bytes members)))
        (when (and check (not (plist-get reply :error)))
          (funcall check reply))
        reply))))

(defun agent-q-fs-link--whole (ask deflated)
  "Return the datum whose pieces came to ASK, in bytes, and begin the next one.
DEFLATED says that it came so."
  (let ((bytes (apply #'concat (nreverse (agent-q-fs-link-ask-pieces ask)))))
    (setf (agent-q-fs-link-ask-pieces ask) nil
          (agent-q-fs-link-ask-bytes ask) 0)
    (cond ((not deflated) bytes)
          ((agent-q-fs--mod-inflate bytes agent-q-fs-link--answer))
          (t (agent-q-fs-remote-data-lie "a deflated answer that is none, or too long")))))

(defun agent-q-fs-link--take-item (ask bytes)
  "Take the item BYTES that came to ASK."
  (unless (agent-q-fs-link-ask-on-item ask)
    (agent-q-fs-remote-data-lie "results that come before the reply"))
  (let ((item (if (agent-q-fs-link-ask-raw ask) bytes
                (agent-q-fs-remote-data-item bytes (agent-q-fs-link-ask-members ask))))
        (agent-q-fs-link-inside t))
    (with-demoted-errors "agent-q-fs: error in a remote call's callback: %S"
      (funcall (agent-q-fs-link-ask-on-item ask) item))))

(defun agent-q-fs-link--count (ask bytes)
  "Count BYTES that came to ASK."
  (when (> 0 (cl-decf (agent-q-fs-link-ask-room ask) bytes))
    (agent-q-fs-remote-data-lie "more than there was room for"))
  (when (> (cl-incf (agent-q-fs-link-ask-bytes ask) bytes) agent-q-fs-link--answer)
    (agent-q-fs-remote-data-lie "an answer that is too long")))

(defun agent-q-fs-link--give-room (ask)
  "Let the server send more of the answer to ASK, if somebody waits for it."
  (let ((more (- agent-q-fs-link--window (agent-q-fs-link-ask-room ask)))
        (link (agent-q-fs-link-ask-link ask)))
    (when (and (> more (/ agent-q-fs-link--window 2))
               (eq 'up (agent-q-fs-link-state link)) ; it may have been lost meanwhile
               (eq 'waiting (agent-q-fs-link-ask-state ask)))
      (cl-incf (agent-q-fs-link-ask-room ask) more)
      (agent-q-fs-link--send link (agent-q-fs-link--frame
                                   "more" (agent-q-fs-link-ask-id ask) more)))))

(defun agent-q-fs-link--json (payload)
  "Return PAYLOAD, a JSON object, as a hash table."
  (let ((value (ignore-errors
                 (agent-q-fs--json-parse (decode-coding-string payload 'utf-8-unix t)))))
    (if (hash-table-p value) value
      (agent-q-fs-remote-data-lie "text that is no JSON"))))

(defun agent-q-fs-link--take-error (link id payload)
  "Take the error PAYLOAD, about what was asked with ID or about all of LINK."
  (let* ((problem (agent-q-fs-link--json payload))
         (words (gethash "message" problem))
         (shown (if (stringp words)
                    (agent-q-fs-show-visible (truncate-string-to-width words 300) t)
                  "no reason is given")))
    (if (eql 0 id)
        (agent-q-fs-link--lose link (format "its server says: %s" shown) t)
      (agent-q-fs-link--answer (agent-q-fs-link--asked link id)
                               (append (agent-q-fs-link--error link "nothing was done: %s" shown)
                                       (list :outcome :not-done))))))


;;;; Beginning

(defun agent-q-fs-link-to (prefix)
  "Return the link to the machine whose files' names begin with PREFIX."
  (or (seq-find (lambda (link) (equal prefix (agent-q-fs-link-prefix link))) agent-q-fs-link--all)
      (let ((link (agent-q-fs-link--make
                   prefix (md5 (format "%s %s %s %s %s" (emacs-pid) (system-name) prefix
                                       (float-time) (random))))))
        (push link agent-q-fs-link--all)
        link)))

(defun agent-q-fs-link--make-process (link)
  "Return a new process of the server of LINK."
  (let ((process-adaptive-read-buffering nil)
        ;; Emacs 30 asks for it here, older ones at each read.
        (read-process-output-max (max read-process-output-max agent-q-fs-link--read))
        (prefix (agent-q-fs-link-prefix link))
        (buffer (generate-new-buffer " *agent-q-fs link*"))
        server)
    (unwind-protect
        (setq server (agent-q-fs-deploy-serve
                      prefix :name (format "agent-q-fs %s" prefix) :buffer buffer :coding 'binary
                      :filter #'agent-q-fs-link--filter :sentinel #'agent-q-fs-link--sentinel))
      (dolist (process (process-list))
        (when (eq buffer (process-buffer process))
          (if server (set-process-buffer process nil)
            (delete-process process))))
      (kill-buffer buffer))))

(defun agent-q-fs-link--connect (link)
  "Return a new process of the server of LINK, or signal why there is none.
The attempts of a timer, which rest meanwhile, go on then."
  (let ((again (agent-q-fs-link-again link)) process)
    (agent-q-fs-link--stop-timers link)
    (unwind-protect
        (condition-case problem
            (setq process (agent-q-fs-link--make-process link))
          (agent-q-fs-error (signal (car problem) (cdr problem)))
          (error
           (setf (agent-q-fs-link-why link)
                 (format "it cannot be reached (%s)"
                         (agent-q-fs-show-visible
                          (string-join (split-string (error-message-string problem)) " ") t)))
           (agent-q-fs--check (agent-q-fs-link-trouble link))))
      (when (and again (null process))
        (agent-q-fs-link--later link)))))

(defun agent-q-fs-link-start (link)
  "Start the server of LINK, unless it runs, or signal why it cannot be started."
  (when (eq 'down (agent-q-fs-link-state link))
    (let ((process (agent-q-fs-link--connect link)))
      (process-put process 'agent-q-fs-link link)
      (agent-q-fs-link--forget-text link)
      (set-process-coding-system process 'binary 'binary)
      (setf (agent-q-fs-link-process link) process
            (agent-q-fs-link-state link) 'starting
            (agent-q-fs-link-ping link) nil
            (agent-q-fs-link-heard link) (float-time)
            (agent-q-fs-link-tick link)
            (run-with-timer 5 5 #'agent-q-fs-link-tick-now link))
      (agent-q-fs-link--show-state)
      (agent-q-fs-link--filter process (or (process-get process 'agent-q-fs-shell-rest) "")))))

(defun agent-q-fs-link--await-hello (link)
  "Look for the server's hello in what came over LINK, and greet it.
A shell may have printed anything before it, also what looks like one."
  (let* ((text (agent-q-fs-link-text link)) (start 0) found)
    (while (and (not found)
                (string-match "hello 0 0 \\([0-9]\\{1,5\\}\\)\n" text start))
      (let* ((from (match-end 0))
             (end (+ from (string-to-number (match-string 1 text)))))
        (setq start (1+ (match-beginning 0)))
        (when (and (> (length text) end) (eq ?\n (aref text end)) (eq ?{ (aref text from)))
          (let ((facts (ignore-error agent-q-fs-remote-data-lie
                         (agent-q-fs-link--json (substring text from end)))))
            (when (and facts (equal "agent-q-fs" (gethash "name" facts)))
              (agent-q-fs-link--skip link (1+ end))
              (setq found facts))))))
    (cond (found (agent-q-fs-link--greet link found))
          ((> (length text) agent-q-fs-link--noise)
           (agent-q-fs-link--lose link "it prints without end, and no agent-q-fs answers" t)))))

(defun agent-q-fs-link--greet (link facts)
  "Answer the hello of LINK's server, FACTS, and send what has waited for it."
  (let ((version (gethash "version" facts)) (ours (plist-get (agent-q-fs-catalogue) :version)))
    (if (not (and (eql 1 (gethash "protocol" facts)) (equal version ours)
                  (eql (plist-get (agent-q-fs-catalogue) :abi) (gethash "abi" facts))))
        (agent-q-fs-link--lose
         link (format "agent-q-fs %s is there, and this is %s: install the same version there"
                      (if (stringp version)
                          (agent-q-fs-show-visible (truncate-string-to-width version 40) t)
                        "of no version")
                      ours)
         t)
      (setf (agent-q-fs-link-facts link) facts
            (agent-q-fs-link-state link) 'up
            (agent-q-fs-link-tries link) 0)
      (agent-q-fs-link--send
       link (agent-q-fs-link--frame
             "hello" 0 0 (format "{\"protocol\":1,\"format\":\"sexp\",\"deflate\":true,\
\"window\":%d,\"keep_alive\":%d,\"client\":\"%s\"}"
                                 agent-q-fs-link--window (* 10 (default-value 'agent-q-fs-remote-seconds))
                                 (agent-q-fs-link-client link))))
      (when (eq 'up (agent-q-fs-link-state link)) ; the hello may not have got through
        (agent-q-fs-link--open-again link)
        (agent-q-fs-link--clear-doubts link)
        (agent-q-fs-link--send-queue link))
      (agent-q-fs-link--show-state))))

(defun agent-q-fs-link--send-queue (link)
  "Send what has waited for the hello of the server of LINK."
  (let ((queue (nreverse (agent-q-fs-link-queue link))))
    (setf (agent-q-fs-link-queue link) nil)
    (pcase-dolist (`(,ask . ,frame) queue)
      (when (eq 'up (agent-q-fs-link-state link))
        (agent-q-fs-link--queue link ask frame)))))

(defun agent-q-fs-link-fact (link name type)
  "Return what the server of LINK said as NAME in its hello, a value of TYPE."
  (let ((value (and (agent-q-fs-link-facts link) (gethash name (agent-q-fs-link-facts link)))))
    (and (cl-typep value type) value)))

(provide 'agent-q-fs-remote-link)
;;; agent-q-fs-remote-link.el ends here
