;;; agent-q-fs-gptel.el --- The tools in gptel  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;;     (agent-q-fs-gptel-setup "coding")
;;
;; makes the tools of a set known to gptel, and a preset, agent-q-fs, that chooses them and
;; has `agent-q-fs-guidance' as its system prompt.  A tool that may take long, or has to
;; be approved of, does not keep Emacs waiting.
;;
;; gptel has a machine for each request.  It knows nothing of tools that are under way, so
;; three of its functions are advised: a request acts on the project that its chat was in
;; when it began; `gptel-abort', and killing the chat, drop its calls; and nobody is asked
;; twice.  A request is also shown in its chat, where the answer will be, as gptel shows
;; those that it asks about itself.  Nothing is inserted for that, and no key decides there:
;; one opens the request.  With `gptel-confirm-tool-calls' t, gptel asks about tools that
;; change nothing, and this package about every change, whatever `agent-q-fs-policy' says.

;;; Code:

(require 'agent-q-fs)
(require 'agent-q-fs-approve)
(require 'agent-q-fs-load)
(require 'agent-q-fs-prompt)
(require 'agent-q-fs-requests)
(require 'agent-q-fs-show)
(require 'agent-q-fs-spec)
(require 'agent-q-fs-tools)
(require 'cl-lib)

(declare-function gptel--fsm-transition "ext:gptel-request" (machine &optional new-state))
(declare-function gptel--make-tool-internal "ext:gptel-request" (&rest slots) t)
(declare-function gptel-abort "ext:gptel-request" (buf))
(declare-function gptel-fsm-info "ext:gptel-request" (machine) t)
(declare-function gptel-get-preset "ext:gptel" (name))
(declare-function gptel-get-tool "ext:gptel-request" (path))
(declare-function gptel-make-preset "ext:gptel" (name &rest keys))
(declare-function gptel-make-tool "ext:gptel-request" (&rest slots))
(declare-function gptel-tool-category "ext:gptel-request" (tool) t)
(declare-function gptel-tool-name "ext:gptel-request" (tool) t)
(defvar gptel-confirm-tool-calls)

(defvar-local agent-q-fs-gptel--machine nil
  "The machine of the request whose tools are called in this chat.")
(put 'agent-q-fs-gptel--machine 'permanent-local t)

(defvar agent-q-fs-gptel--calls nil
  "The calls that have not ended, as (CALLER MACHINE CHAT).")

(defvar agent-q-fs-gptel--turns 0
  "How many requests of chats have begun in this session.")

(defun agent-q-fs-gptel--of-request (key)
  "Return what was noted as KEY of the request of this chat, when it began."
  (and agent-q-fs-gptel--machine
       (plist-get (gptel-fsm-info agent-q-fs-gptel--machine) key)))

(defun agent-q-fs-gptel--directory ()
  "Return the directory that the chat here was in when its request began."
  (or (agent-q-fs-gptel--of-request :agent-q-fs-directory) default-directory))

(defun agent-q-fs-gptel--call (name arguments callback)
  "Call the tool NAME with ARGUMENTS for the chat here.
Call CALLBACK with the text for the model, unless the call is dropped."
  (let* ((default-directory (agent-q-fs-gptel--directory))
         (agent-q-fs-turn (or (agent-q-fs-gptel--of-request :agent-q-fs-turn) agent-q-fs-turn))
         (chat (current-buffer))
         (caller (agent-q-fs-caller-new
                  :name (format "gptel in %s" (buffer-name))
                  :ask (eq t gptel-confirm-tool-calls)
                  :stop (lambda () (gptel-abort chat))))
         (entry (list caller agent-q-fs-gptel--machine chat)))
    (push entry agent-q-fs-gptel--calls)
    (agent-q-fs-call-tool-async
     name arguments
     (lambda (text)
       (setq agent-q-fs-gptel--calls (delq entry agent-q-fs-gptel--calls))
       (funcall callback text))
     nil caller)))

(defun agent-q-fs-gptel--drop (chat)
  "Drop the calls from CHAT, a buffer, and return the machines that wait for them."
  (let ((dropped (seq-filter (lambda (entry) (eq chat (nth 2 entry)))
                             agent-q-fs-gptel--calls)))
    (setq agent-q-fs-gptel--calls (seq-difference agent-q-fs-gptel--calls dropped #'eq))
    (dolist (entry dropped)
      (agent-q-fs-caller-leave (car entry)))
    (delete-dups (delq nil (mapcar #'cadr dropped)))))

(defun agent-q-fs-gptel--killed ()
  "Drop the calls from this buffer, which is being killed."
  (agent-q-fs-gptel--drop (current-buffer)))

(defun agent-q-fs-gptel--abort (chat)
  "Drop the calls from CHAT, and end its requests that wait for them.
`gptel-abort' itself knows those only that wait for a model."
  (dolist (machine (agent-q-fs-gptel--drop chat))
    (let* ((info (gptel-fsm-info machine))
           (callback (plist-get info :callback)))
      (with-demoted-errors "agent-q-fs: error in gptel's callback: %S"
        (when (functionp callback) (funcall callback 'abort info)))
      (gptel--fsm-transition machine 'ABRT)
      (message "Stopped gptel request in buffer %S" (buffer-name chat)))))

(defun agent-q-fs-gptel--begun (machine)
  "Note the directory of the chat whose request MACHINE begins, and give it a turn."
  (let ((info (gptel-fsm-info machine)))
    (unless (plist-get info :agent-q-fs-directory)
      (plist-put info :agent-q-fs-directory
                 (buffer-local-value 'default-directory (plist-get info :buffer)))
      (plist-put info :agent-q-fs-turn
                 (format "gptel %d" (cl-incf agent-q-fs-gptel--turns))))))

(defun agent-q-fs-gptel--asks-p (call tools)
  "Return non-nil if CALL, of one of TOOLS in gptel, is a change that we ask about."
  (let* ((name (plist-get call :name))
         (of (seq-find (lambda (tool) (equal name (gptel-tool-name tool))) tools))
         (tool (and of (equal "agent-q-fs" (gptel-tool-category of)) (agent-q-fs-find-tool name))))
    (and tool
         (not (eq 'safe (ignore-errors
                          (agent-q-fs-tool-tier-of
                           tool (agent-q-fs-tools--checked tool (plist-get call :args)))))))))

(defun agent-q-fs-gptel--answer-unknown (call info)
  "Have CALL be answered if the request of INFO has no such tool, but ours.
gptel 0.9.9 tells the model so itself, and then fails to show that: the
chat waits for ever.  So this request gets a tool that answers; the model
is not offered it."
  (let* ((name (plist-get call :name)) (tools (plist-get info :tools))
         (given (seq-remove (lambda (tool) (eq 'none (gptel-tool-category tool))) tools))
         (names (mapcar #'gptel-tool-name given)))
    (when (and (fboundp 'gptel--make-tool-internal)
               (seq-some (lambda (tool) (equal "agent-q-fs" (gptel-tool-category tool))) given)
               (not (member name (cons (bound-and-true-p gptel--ersatz-json-tool) names))))
      (plist-put call :confirm nil)
      (let ((words (format "Error: There is no tool %s here; there are %s"
                           name (string-join names ", "))))
        (plist-put info :tools
                   (append tools (list (gptel--make-tool-internal
                                        :name name :category 'none
                                        :function (lambda (&rest _) words)))))))))

(defun agent-q-fs-gptel--before-tools (machine)
  "Prepare the tool calls of MACHINE: gptel does not ask about what we ask about."
  (let ((info (gptel-fsm-info machine)))
    (with-current-buffer (plist-get info :buffer)
      (setq agent-q-fs-gptel--machine machine))
    (dolist (call (plist-get info :tool-use))
      (agent-q-fs-gptel--answer-unknown call info)
      (when (and (not (plist-member call :confirm))
                 (agent-q-fs-gptel--asks-p call (plist-get info :tools)))
        (plist-put call :confirm nil)))))

(defvar agent-q-fs-gptel--names nil
  "The names of the tools that the preset chooses.")

(defun agent-q-fs-gptel-system ()
  "Return the system prompt of the preset, for the project of the chat here."
  (condition-case problem
      (concat "You work on the user's files with the tools that you have, and answer briefly.\n\n"
              (agent-q-fs-guidance nil agent-q-fs-gptel--names))
    (agent-q-fs-error
     (format "There are no files that you can work on: %s" (plist-get (cdr problem) :message)))))

(defun agent-q-fs-gptel--load ()
  "Load what defines tools in gptel, and connect with it."
  (or (require 'gptel nil t) (require 'gptel-request nil t))
  (unless (fboundp 'gptel-make-tool)
    (user-error "There is no gptel that knows tools"))
  (add-hook 'kill-buffer-hook #'agent-q-fs-gptel--killed)
  (pcase-dolist (`(,function . ,advice) '((gptel--handle-wait . agent-q-fs-gptel--begun)
                                          (gptel--handle-tool-use . agent-q-fs-gptel--before-tools)
                                          (gptel-abort . agent-q-fs-gptel--abort)))
    (advice-add function :before advice)))

(defun agent-q-fs-gptel--make-tools (set)
  "Make the tools of SET known to gptel, and return them."
  (let ((tools (mapcar (lambda (spec)
                         (apply #'gptel-make-tool spec)
                         (gptel-get-tool (list "agent-q-fs" (plist-get spec :name))))
                       (agent-q-fs-tool-specs 'gptel set))))
    (setq agent-q-fs-gptel--names (mapcar #'gptel-tool-name tools))
    tools))

(defun agent-q-fs-gptel--make-preset (tools &rest keys)
  "Make the preset that chooses TOOLS; KEYS are more of its settings."
  (when (fboundp 'gptel-make-preset)
    (apply #'gptel-make-preset 'agent-q-fs
           :description "The files of this project, by agent-q-fs"
           :system #'agent-q-fs-gptel-system :use-tools t :tools tools keys)))

(defun agent-q-fs-gptel--make-late (set)
  "Make a preset that makes the tools of SET when it is first chosen.
So an init file asks nothing and fails nowhere where the core is not built
yet: the person who sends the first prompt is asked, and that prompt is
sent with the tools."
  (agent-q-fs-gptel--make-preset
   nil :pre (lambda ()
              (let ((tools (agent-q-fs-gptel--make-tools set)))
                ;; gptel goes through this very list next.
                (plist-put (gptel-get-preset 'agent-q-fs) :tools tools)))))

;;;###autoload
(defun agent-q-fs-gptel-setup (&optional set)
  "Make the tools of SET known to gptel, and return them.
SET is as for `agent-q-fs-tools'; interactively, one or more sets are
asked for, such as coding,commands.  The preset agent-q-fs chooses them,
and tells the model the rules for files.
In an init file, where the core is not built yet, they are made when the
preset is first chosen."
  (interactive
   (let ((default (agent-q-fs-model-tool-set (bound-and-true-p gptel-model))))
     (list (completing-read-multiple (format-prompt "Sets of tools, with commas" default)
                                     (agent-q-fs-tool-set-names) nil t nil nil default))))
  (agent-q-fs-gptel--load)
  (let* ((late (not (or this-command noninteractive (agent-q-fs-module-at-hand-p))))
         (tools (and (not late) (agent-q-fs-gptel--make-tools set))))
    (if late
        (agent-q-fs-gptel--make-late set)
      (agent-q-fs-gptel--make-preset tools))
    (when (called-interactively-p 'any)
      (message "gptel has the %d tools of %s: choose the preset agent-q-fs, or begin a prompt \
with @agent-q-fs" (length tools) (string-join (ensure-list set) " and ")))
    tools))


;;;; A request in its chat

(defcustom agent-q-fs-gptel-preview t
  "Whether a request of a chat is also shown in the chat, with a key to open it."
  :type 'boolean
  :group 'agent-q-fs-approve)

(defconst agent-q-fs-gptel--preview-lines 30
  "How many lines of a request are shown in its chat at most.")

(defconst agent-q-fs-gptel--preview-diff 20000
  "How many characters the diff has at most of a request that is shown in its chat.")

(defvar-local agent-q-fs-gptel--preview nil
  "The request shown in this chat: (REQUEST OVERLAY TEXT MORE), or nil.
MORE is how many others wait.")

(defvar agent-q-fs-gptel--previewing nil
  "The chats in which a request is shown.")

(defun agent-q-fs-gptel--marker-of (request key)
  "Return where gptel has its marker KEY for REQUEST in this chat, or nil."
  (let* ((machine (nth 1 (assq (agent-q-fs-request-caller request) agent-q-fs-gptel--calls)))
         (marker (and machine (plist-get (gptel-fsm-info machine) key))))
    (and (markerp marker) (eq (current-buffer) (marker-buffer marker))
         (marker-position marker))))

(defun agent-q-fs-gptel--here-p ()
  "Return non-nil if point is at the request of this chat, or behind its prompt.
gptel leaves point at the end of the prompt; what the model has said by
then is in between."
  (pcase-let* ((`(,request ,overlay) agent-q-fs-gptel--preview)
               (shown (and overlay (overlay-buffer overlay) (overlay-start overlay)))
               (answer (and shown (agent-q-fs-gptel--marker-of request :position))))
    (and shown
         (<= (save-excursion
               (goto-char (min shown (or answer shown)))
               (skip-chars-backward " \t\n")
               (point))
             (line-end-position)))))

(defvar agent-q-fs-gptel-preview-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map "\C-c\C-c"
                `(menu-item "" agent-q-fs-gptel-open
                            :filter ,(lambda (command) (and (agent-q-fs-gptel--here-p) command))))
    map)
  "Keys at a request that is shown in its chat.")

(define-minor-mode agent-q-fs-gptel-preview-mode
  "A request of the chat waits, and is shown where the answer will be.
\\{agent-q-fs-gptel-preview-mode-map}"
  :interactive nil)

(defun agent-q-fs-gptel--requests (chat)
  "Return the requests of CHAT that wait, the oldest first."
  (let ((callers (make-hash-table :test 'eq)))
    (pcase-dolist (`(,caller ,_ ,of) agent-q-fs-gptel--calls)
      (when (eq chat of) (puthash caller t callers)))
    (unless (= 0 (hash-table-count callers))
      (seq-filter (lambda (request) (gethash (agent-q-fs-request-caller request) callers))
                  (agent-q-fs-prompt-waiting)))))

(defun agent-q-fs-gptel--painted (request)
  "Return the text of REQUEST as it is shown, at most some lines of it."
  (let ((buffer (agent-q-fs-show-buffer request)))
    (unwind-protect
        (with-current-buffer buffer
          (let ((end (progn (goto-char (point-min))
                            (forward-line agent-q-fs-gptel--preview-lines)
                            (point))))
            (agent-q-fs-show--paint (point-min) end)
            (concat (buffer-substring (point-min) end) (if (< end (point-max)) "…\n" ""))))
      (kill-buffer buffer))))

(defun agent-q-fs-gptel--preview-of (request)
  "Return what is shown of REQUEST in its chat."
  (if (< agent-q-fs-gptel--preview-diff (length (agent-q-fs-request-diff request)))
      (concat (agent-q-fs-show-sentence request) "\n")
    (agent-q-fs-gptel--painted request)))

(defun agent-q-fs-gptel--preview-text (text more)
  "Return TEXT as it is shown in a chat where MORE requests wait."
  (let ((line (propertize "\n" 'face '(:underline t :extend t))))
    (concat line
            (propertize
             (concat "C-c C-c opens this request" (if (< 0 more) (format "   [%d more]" more) "")
                     "\n\n")
             'face 'shadow)
            text
            (if (string-suffix-p "\n" text) "" "\n")
            line)))

(defun agent-q-fs-gptel--show-request (request more)
  "Show REQUEST in this chat, where MORE requests wait."
  (let* ((text (agent-q-fs-gptel--preview-of request))
         (place (or (agent-q-fs-gptel--marker-of request :tracking-marker)
                    (agent-q-fs-gptel--marker-of request :position)
                    (point-max)))
         (overlay (make-overlay place place)))
    (overlay-put overlay 'after-string (agent-q-fs-gptel--preview-text text more))
    (setq agent-q-fs-gptel--preview (list request overlay text more))
    (cl-pushnew (current-buffer) agent-q-fs-gptel--previewing)
    (agent-q-fs-gptel-preview-mode 1)))

(defun agent-q-fs-gptel--hide-request ()
  "Show no request in this chat."
  (when agent-q-fs-gptel--preview
    (delete-overlay (nth 1 agent-q-fs-gptel--preview))
    (setq agent-q-fs-gptel--preview nil
          agent-q-fs-gptel--previewing (delq (current-buffer) agent-q-fs-gptel--previewing))
    (agent-q-fs-gptel-preview-mode -1)))

(defun agent-q-fs-gptel--refresh-chat (chat)
  "Show in CHAT the request of it that has waited longest, if any does."
  (with-current-buffer chat
    (pcase-let* ((requests (and (default-value 'agent-q-fs-gptel-preview)
                                (agent-q-fs-gptel--requests chat)))
                 (more (length (cdr requests)))
                 (`(,request ,overlay ,text ,known) agent-q-fs-gptel--preview))
      (cond
       ((not (eq request (car requests)))
        (agent-q-fs-gptel--hide-request)
        (when requests (agent-q-fs-gptel--show-request (car requests) more)))
       ((and request (/= known more))
        (overlay-put overlay 'after-string (agent-q-fs-gptel--preview-text text more))
        (setf (nth 3 agent-q-fs-gptel--preview) more))))))

(defun agent-q-fs-gptel--refresh ()
  "Have each chat show its request by now."
  (setq agent-q-fs-gptel--previewing (seq-filter #'buffer-live-p agent-q-fs-gptel--previewing))
  (dolist (chat (seq-uniq (append (mapcar (lambda (entry) (nth 2 entry)) agent-q-fs-gptel--calls)
                                  agent-q-fs-gptel--previewing)
                          #'eq))
    (when (buffer-live-p chat)
      (with-demoted-errors "agent-q-fs: error in a chat: %S"
        (agent-q-fs-gptel--refresh-chat chat)))))

(add-hook 'agent-q-fs-prompt-changed-hook #'agent-q-fs-gptel--refresh)

(defun agent-q-fs-gptel-open ()
  "Show the request of this chat in a buffer of its own, where keys decide."
  (interactive)
  (agent-q-fs-request--show (or (car agent-q-fs-gptel--preview)
                                (user-error "No request of this chat waits"))))


;;;; Tools as gptel takes them

(defun agent-q-fs-gptel--type (schema)
  "Return SCHEMA as gptel takes it, for models of all kinds.
Types are symbols there.  Gemini refuses :additionalProperties, and the
core refuses additional members anyway.  gptel knows another false than
:default has, and tells models of no defaults."
  (cl-loop for (key value) on schema by #'cddr
           unless (memq key '(:additionalProperties :default))
           append (list key (pcase key
                              (:type (intern value))
                              (:items (agent-q-fs-gptel--type value))
                              (:properties (agent-q-fs-gptel--members value))
                              (_ value)))))

(defun agent-q-fs-gptel--members (properties)
  "Return PROPERTIES, the schemas of members, as gptel takes them.
Their types are strings: gptel leaves them as they are."
  (cl-loop for (name schema) on properties by #'cddr
           append (list name (cl-loop for (key value) on schema by #'cddr
                                      unless (eq key :default) append (list key value)))))

(defun agent-q-fs-gptel--argument (param)
  "Return PARAM as `gptel-make-tool' takes it."
  (append (list :name (plist-get param :name))
          (agent-q-fs-gptel--type (agent-q-fs-spec--type param))
          (list :description (plist-get param :doc))
          (unless (agent-q-fs-spec--required-p param) (list :optional t))))

(defun agent-q-fs-spec-async-p (tool)
  "Return non-nil if a call of TOOL may have to wait, for work or for a person."
  (or (agent-q-fs-tool-slow tool) (not (eq 'safe (agent-q-fs-tool-tier tool)))
      (agent-q-fs-approve-may-ask-p (agent-q-fs-tool-name tool))))

(defun agent-q-fs-gptel--function (tool)
  "Return the function that gptel calls for TOOL."
  (let* ((name (agent-q-fs-tool-name tool))
         (keys (mapcar #'agent-q-fs-spec--keyword (agent-q-fs-tool-params tool)))
         (plist (lambda (values)
                  ;; gptel passes nil for arguments that the model did not give.
                  (cl-loop for key in keys for value in values
                           when value append (list key value)))))
    (if (agent-q-fs-spec-async-p tool)
        (lambda (callback &rest values)
          (agent-q-fs-gptel--call name (funcall plist values) callback))
      (lambda (&rest values)
        (let ((default-directory (agent-q-fs-gptel--directory)))
          (agent-q-fs-call-tool name (funcall plist values)))))))

(defun agent-q-fs-gptel-tool (tool)
  "Return the arguments of `gptel-make-tool' for TOOL."
  (list :name (agent-q-fs-tool-name tool)
        :function (agent-q-fs-gptel--function tool)
        :description (agent-q-fs-tool-doc tool)
        :args (mapcar #'agent-q-fs-gptel--argument (agent-q-fs-tool-params tool))
        :async (and (agent-q-fs-spec-async-p tool) t)
        :category "agent-q-fs"))

(provide 'agent-q-fs-gptel)
;;; agent-q-fs-gptel.el ends here
