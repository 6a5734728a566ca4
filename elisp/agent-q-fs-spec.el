;;; agent-q-fs-spec.el --- What a model is told: tools and rules  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; `agent-q-fs-tool-specs' describes the tools of a set as the interface of a
;; model, or a program between, wants it:
;;
;;     openai     the tools of the Responses API: functions, and
;;                apply_patch_freeform as a custom tool with a grammar
;;     anthropic  the tools of the Messages API
;;     mcp        the answer of tools/list, with schemas of replies and all four annotations
;;     gptel      argument lists for `gptel-make-tool'
;;
;; The first three are data for `json-serialize'; `agent-q-fs-tool-specs-json'
;; is the text.  `agent-q-fs-gptel-setup' makes the tools known to gptel, and
;; `agent-q-fs-guidance' returns rules for the system prompt.

;;; Code:

(require 'agent-q-fs)
(require 'agent-q-fs-approve)
(require 'agent-q-fs-tools)
(eval-when-compile (require 'cl-lib))

(declare-function gptel--fsm-transition "ext:gptel-request" (machine &optional new-state))
(declare-function gptel-abort "ext:gptel-request" (buf))
(declare-function gptel-fsm-info "ext:gptel-request" (machine) t)
(declare-function gptel-get-tool "ext:gptel-request" (path))
(declare-function gptel-make-preset "ext:gptel" (name &rest keys))
(declare-function gptel-make-tool "ext:gptel-request" (&rest slots))
(declare-function gptel-tool-category "ext:gptel-request" (tool) t)
(declare-function gptel-tool-name "ext:gptel-request" (tool) t)
(defvar gptel-confirm-tool-calls)

(defconst agent-q-fs-spec--freeform
  '(("apply_patch_freeform" . "\
start: \"*** Begin Patch\" NEWLINE file+ \"*** End Patch\" NEWLINE?
file: added | deleted | updated
added: \"*** Add File: \" NAME NEWLINE (\"+\" REST NEWLINE)*
deleted: \"*** Delete File: \" NAME NEWLINE
updated: \"*** Update File: \" NAME NEWLINE moved? chunk+
moved: \"*** Move to: \" NAME NEWLINE
chunk: anchor* line+ at_end?
anchor: (\"@@ \" REST | \"@@\") NEWLINE
line: (\" \" | \"+\" | \"-\") REST NEWLINE
at_end: \"*** End of File\" NEWLINE
NAME: /[^\\n]+/
REST: /[^\\n]*/
NEWLINE: /\\n/
"))
  "Tools whose argument is text and no JSON, with its grammar in Lark's syntax.")

(defconst agent-q-fs-spec--large 1000000000000
  "Bounds of integers that are at least this large are left out.")


;;;; JSON Schema

(defun agent-q-fs-spec--edit-members ()
  "Return the members of an edit, as the core's table has them."
  (seq-some (lambda (operation)
              (seq-some (lambda (param) (plist-get param :members)) (plist-get operation :params)))
            (agent-q-fs-operations)))

(defun agent-q-fs-spec--type (param)
  "Return the schema of PARAM's type."
  (pcase (plist-get param :type)
    (:integer
     (let ((least (plist-get param :least)) (most (plist-get param :most)))
       `(:type "integer"
               ,@(and least (> least (- agent-q-fs-spec--large)) (list :minimum least))
               ,@(and most (< most agent-q-fs-spec--large) (list :maximum most)))))
    (:boolean '(:type "boolean"))
    (:strings '(:type "array" :items (:type "string")))
    (:edits (list :type "array"
                  :items (agent-q-fs-spec--object (agent-q-fs-spec--edit-members))))
    (:choice `(:type "string" :enum ,(vconcat (plist-get param :choices))))
    (_ '(:type "string"))))

(defun agent-q-fs-spec--default (param)
  "Return the default of PARAM for its schema, as a property list."
  (when (plist-get param :default)
    (list :default (aref (agent-q-fs--json-parse (format "[%s]" (plist-get param :default)))
                         0))))

(defun agent-q-fs-spec--property (param)
  "Return the schema of PARAM."
  (append (agent-q-fs-spec--type param)
          (list :description (plist-get param :doc))
          (agent-q-fs-spec--default param)))

(defun agent-q-fs-spec--keyword (param)
  "Return the name of PARAM as a keyword."
  (intern (concat ":" (plist-get param :name))))

(defun agent-q-fs-spec--required (params)
  "Return the names of those of PARAMS that are required."
  (mapcar (lambda (param) (plist-get param :name))
          (seq-filter (lambda (param) (plist-get param :required)) params)))

(defun agent-q-fs-spec--object (params)
  "Return the schema of an object whose members are PARAMS."
  (list :type "object"
        :properties (if params
                        (mapcan (lambda (param)
                                  (list (agent-q-fs-spec--keyword param)
                                        (agent-q-fs-spec--property param)))
                                params)
                      (make-hash-table)) ; nil would be null
        :required (vconcat (agent-q-fs-spec--required params))
        :additionalProperties :false))

(defun agent-q-fs-spec--schema (tool)
  "Return the schema of TOOL's arguments."
  (agent-q-fs-spec--object (agent-q-fs-tool-params tool)))


;;;; JSON Schema of replies

(defun agent-q-fs-spec--nullable (schema)
  "Return SCHEMA, of a member's type, so that null is valid too."
  (cond ((plist-get schema :$ref) (list :anyOf (vector schema '(:type "null"))))
        ((null (plist-get schema :type)) schema)
        (t (setq schema (plist-put schema :type (vector (plist-get schema :type) "null")))
           (if (plist-get schema :enum)
               (plist-put schema :enum (vconcat (plist-get schema :enum) [:null]))
             schema))))

(defun agent-q-fs-spec--member-type (member)
  "Return the schema of the type of MEMBER, as in the catalogue."
  (let ((type (plist-get member :type))
        (choices (plist-get member :choices)))
    (cond ((plist-get member :like)
           (list :$ref (concat "#/$defs/" (plist-get member :like))))
          ((eq type :any) nil)
          ((eq type :integer) (list :type "integer"))
          ((eq type :boolean) (list :type "boolean"))
          ((eq type :list) (list :type "array"
                                 :items (agent-q-fs-spec--member (plist-get member :of))))
          ((eq type :map) (agent-q-fs-spec--members (plist-get member :members)))
          (choices (list :type "string" :enum (vconcat choices)))
          (t (list :type "string")))))

(defun agent-q-fs-spec--member (member)
  "Return the schema of MEMBER, as in the catalogue."
  (let ((schema (agent-q-fs-spec--member-type member))
        (doc (plist-get member :doc)))
    (or (append (if (plist-get member :nullable)
                    (agent-q-fs-spec--nullable schema)
                  schema)
                (and doc (list :description doc)))
        (make-hash-table))))            ; nil would be null

(defun agent-q-fs-spec--members (members)
  "Return the schema of an object with MEMBERS; without any, of every object."
  (append '(:type "object")
          (when members
            (list :properties (mapcan (lambda (member)
                                        (list (agent-q-fs-spec--keyword member)
                                              (agent-q-fs-spec--member member)))
                                      members)
                  :required (vconcat (cl-loop for member in members
                                              unless (plist-get member :optional)
                                              collect (plist-get member :name)))))))

(defun agent-q-fs-spec--named-members (name)
  "Return the members of the catalogue's reply that is called NAME."
  (plist-get (seq-find (lambda (reply) (equal name (plist-get reply :name)))
                       (plist-get (agent-q-fs-catalogue) :replies))
             :members))

(defun agent-q-fs-spec--likes (members &optional known)
  "Return the names of replies that MEMBERS are like, at any depth, before KNOWN."
  (dolist (member members known)
    (let ((like (plist-get member :like)))
      (when (and like (not (member like known)))
        (setq known (agent-q-fs-spec--likes (agent-q-fs-spec--named-members like)
                                            (cons like known))))
      (setq known (agent-q-fs-spec--likes
                   (append (plist-get member :members)
                           (and (plist-get member :of) (list (plist-get member :of))))
                   known)))))

(defun agent-q-fs-spec--reply-schema (tool)
  "Return the schema of TOOL's replies, or nil if it is not known."
  (let* ((members (agent-q-fs-tool-reply tool))
         (likes (agent-q-fs-spec--likes members)))
    (when members
      (append (agent-q-fs-spec--members members)
              (when likes
                (list :$defs (mapcan (lambda (name)
                                       (list (intern (concat ":" name))
                                             (agent-q-fs-spec--members
                                              (agent-q-fs-spec--named-members name))))
                                     likes)))))))


;;;; Formats

(defun agent-q-fs-spec--openai (tool)
  "Return TOOL as the Responses API has it."
  (let ((grammar (cdr (assoc (agent-q-fs-tool-name tool) agent-q-fs-spec--freeform))))
    (if grammar
        (list :type "custom"
              :name (agent-q-fs-tool-name tool)
              :description (agent-q-fs-tool-doc tool)
              :format (list :type "grammar" :syntax "lark" :definition grammar))
      (list :type "function"
            :name (agent-q-fs-tool-name tool)
            :description (agent-q-fs-tool-doc tool)
            :parameters (agent-q-fs-spec--schema tool)
            :strict :false))))          ; strict would require the optional ones

(defun agent-q-fs-spec--anthropic (tool)
  "Return TOOL as the Messages API has it."
  (list :name (agent-q-fs-tool-name tool)
        :description (agent-q-fs-tool-doc tool)
        :input_schema (agent-q-fs-spec--schema tool)))

(defun agent-q-fs-spec--json-boolean (value)
  "Return VALUE as t or :false."
  (if value t :false))

(defun agent-q-fs-spec--annotations (tool)
  "Return TOOL's annotations for MCP."
  (let* ((safe (eq 'safe (agent-q-fs-tool-tier tool)))
         (hints (agent-q-fs-tool-hints tool))
         (hint (lambda (key default)
                 (agent-q-fs-spec--json-boolean
                  (if (plist-member hints key) (plist-get hints key) default)))))
    (list :readOnlyHint (funcall hint :read-only safe)
          :destructiveHint (funcall hint :destructive (not safe))
          :idempotentHint (funcall hint :idempotent safe)
          :openWorldHint (funcall hint :open-world nil))))

(defun agent-q-fs-spec--title (tool)
  "Return a name of TOOL for people."
  (or (plist-get (agent-q-fs-tool-hints tool) :title)
      (let ((words (string-replace "_" " " (agent-q-fs-tool-name tool))))
        (concat (upcase (substring words 0 1)) (substring words 1)))))

(defun agent-q-fs-spec--mcp (tool)
  "Return TOOL as MCP's tools/list has it."
  (let ((reply (agent-q-fs-spec--reply-schema tool)))
    `( :name ,(agent-q-fs-tool-name tool)
       :title ,(agent-q-fs-spec--title tool)
       :description ,(agent-q-fs-tool-doc tool)
       :inputSchema ,(agent-q-fs-spec--schema tool)
       ,@(and reply (list :outputSchema reply))
       :annotations ,(agent-q-fs-spec--annotations tool))))

(defun agent-q-fs-spec--gptel-type (schema)
  "Return SCHEMA as gptel takes it, for models of all kinds.
Types are symbols there.  Gemini refuses :additionalProperties, and the
core refuses additional members anyway."
  (cl-loop for (key value) on schema by #'cddr
           unless (eq key :additionalProperties)
           append (list key (pcase key
                              (:type (intern value))
                              (:items (agent-q-fs-spec--gptel-type value))
                              (_ value)))))

(defun agent-q-fs-spec--gptel-argument (param)
  "Return PARAM as `gptel-make-tool' takes it."
  (append (list :name (plist-get param :name))
          (agent-q-fs-spec--gptel-type (agent-q-fs-spec--type param))
          (list :description (plist-get param :doc))
          (unless (plist-get param :required) (list :optional t))))

(defun agent-q-fs-spec-async-p (tool)
  "Return non-nil if a call of TOOL may have to wait, for work or for a person."
  (or (agent-q-fs-tool-slow tool) (not (eq 'safe (agent-q-fs-tool-tier tool)))
      (agent-q-fs-approve-may-ask-p (agent-q-fs-tool-name tool))))

(defun agent-q-fs-spec--gptel-function (tool)
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

(defun agent-q-fs-spec--gptel (tool)
  "Return the arguments of `gptel-make-tool' for TOOL."
  (list :name (agent-q-fs-tool-name tool)
        :function (agent-q-fs-spec--gptel-function tool)
        :description (agent-q-fs-tool-doc tool)
        :args (mapcar #'agent-q-fs-spec--gptel-argument (agent-q-fs-tool-params tool))
        :async (and (agent-q-fs-spec-async-p tool) t)
        :category "agent-q-fs"))


;;;; All of a set

;;;###autoload
(defun agent-q-fs-tool-specs (format &optional set)
  "Return specifications of the tools of SET, a list, in FORMAT.
FORMAT is `openai', `anthropic', `mcp' or `gptel'.  SET is as for
`agent-q-fs-tools'.  See the Commentary of agent-q-fs-spec.el."
  (mapcar (pcase format
            ('openai #'agent-q-fs-spec--openai)
            ('anthropic #'agent-q-fs-spec--anthropic)
            ('mcp #'agent-q-fs-spec--mcp)
            ('gptel #'agent-q-fs-spec--gptel)
            (_ (error "There is no format of tool specifications called %s" format)))
          (agent-q-fs-tools set)))

(defun agent-q-fs-tool-specs-json (format &optional set)
  "Return what `agent-q-fs-tool-specs' says for FORMAT and SET as JSON text."
  (when (eq format 'gptel)
    (error "What gptel is told is no JSON"))
  (agent-q-fs--json-print (vconcat (agent-q-fs-tool-specs format set))))


;;;; gptel

;;     (agent-q-fs-gptel-setup "agent-q")
;;
;; makes the tools of a set known to gptel, and a preset, agent-q-fs, that chooses them and
;; has `agent-q-fs-guidance' as its system prompt.  A tool that may take long, or has to
;; be approved of, does not keep Emacs waiting.
;;
;; gptel has a machine for each request.  It knows nothing of tools that are under way, so
;; three of its functions are advised: a request acts on the project that its chat was in
;; when it began; `gptel-abort', and killing the chat, drop its calls; and nobody is asked
;; twice.  With `gptel-confirm-tool-calls' t, gptel asks about tools that change nothing,
;; and this package about every change, whatever `agent-q-fs-policy' says.

(defvar-local agent-q-fs-gptel--machine nil
  "The machine of the request whose tools are called in this chat.")
(put 'agent-q-fs-gptel--machine 'permanent-local t)

(defvar agent-q-fs-gptel--calls nil
  "The calls that have not ended, as (CALLER MACHINE CHAT).")

(defun agent-q-fs-gptel--directory ()
  "Return the directory that the chat here was in when its request began."
  (or (and agent-q-fs-gptel--machine
           (plist-get (gptel-fsm-info agent-q-fs-gptel--machine) :agent-q-fs-directory))
      default-directory))

(defun agent-q-fs-gptel--call (name arguments callback)
  "Call the tool NAME with ARGUMENTS for the chat here.
Call CALLBACK with the text for the model, unless the call is dropped."
  (let* ((default-directory (agent-q-fs-gptel--directory))
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
  "Note the directory of the chat whose request MACHINE is, when it begins."
  (let ((info (gptel-fsm-info machine)))
    (unless (plist-get info :agent-q-fs-directory)
      (plist-put info :agent-q-fs-directory
                 (buffer-local-value 'default-directory (plist-get info :buffer))))))

(defun agent-q-fs-gptel--asks-p (call tools)
  "Return non-nil if CALL, of one of TOOLS in gptel, is a change that we ask about."
  (let* ((name (plist-get call :name))
         (of (seq-find (lambda (tool) (equal name (gptel-tool-name tool))) tools))
         (tool (and of (equal "agent-q-fs" (gptel-tool-category of)) (agent-q-fs-find-tool name))))
    (and tool
         (not (eq 'safe (ignore-errors
                          (agent-q-fs-tool-tier-of
                           tool (agent-q-fs-tools--checked tool (plist-get call :args)))))))))

(defun agent-q-fs-gptel--before-tools (machine)
  "Prepare the tool calls of MACHINE: gptel does not ask about what we ask about."
  (let ((info (gptel-fsm-info machine)))
    (with-current-buffer (plist-get info :buffer)
      (setq agent-q-fs-gptel--machine machine))
    (dolist (call (plist-get info :tool-use))
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

;;;###autoload
(defun agent-q-fs-gptel-setup (&optional set)
  "Make the tools of SET known to gptel, and return them.
SET is as for `agent-q-fs-tools'; interactively, it is asked for.  The
preset agent-q-fs chooses them, and tells the model the rules for files."
  (interactive
   (list (completing-read "Set of tools: " (agent-q-fs-tool-set-names) nil t
                          nil nil "agent-q")))
  (agent-q-fs-gptel--load)
  (let ((tools (mapcar (lambda (spec)
                         (apply #'gptel-make-tool spec)
                         (gptel-get-tool (list "agent-q-fs" (plist-get spec :name))))
                       (agent-q-fs-tool-specs 'gptel set))))
    (setq agent-q-fs-gptel--names (mapcar #'gptel-tool-name tools))
    (when (fboundp 'gptel-make-preset)
      (gptel-make-preset 'agent-q-fs
        :description "The files of this project, by agent-q-fs"
        :system #'agent-q-fs-gptel-system :use-tools t :tools tools))
    (when (called-interactively-p 'any)
      (message "%d tools; choose the preset agent-q-fs, or begin a prompt with @agent-q-fs"
               (length tools)))
    tools))


;;;; Rules for the system prompt

;; `agent-q-fs-guidance' returns a text for the system prompt: the few rules for the
;; workspace at hand.  It is made from the workspace's facts, the policy and the
;; tools that the model is given, so that it never mentions anything else.

(defun agent-q-fs-guidance--has-p (names &rest wanted)
  "Return the first of WANTED that is among NAMES, in quotes, or nil."
  (let ((found (cl-find-if (lambda (name) (member name names)) wanted)))
    (and found (format "`%s`" found))))

(defun agent-q-fs-guidance--place (facts)
  "Return sentences about where the files of a workspace with FACTS are."
  (pcase (plist-get facts :backend)
    (:memory
     "The files are in memory, apart from the user's own: nothing you do here changes anything \
on the user's machine.  They are gone when the session ends.  There are no links and no \
permissions.")
    (:session
     (format "The files are in a directory of this session's own, %s, apart from the user's own \
files.  It is removed when the session ends."
             (plist-get facts :root)))
    (_ (format "The files are the user's own project, in %s.%s"
               (plist-get facts :root)
               (if (eq :unrestricted (plist-get facts :mode))
                   "  Absolute paths outside of it can be used as well."
                 "")))))

(defun agent-q-fs-guidance--mounts (facts names)
  "Return sentences about the files copied into a workspace with FACTS, or nil.
NAMES are those of the tools."
  (unless (eq :host (plist-get facts :backend))
    (let ((mounts (plist-get facts :mounts))
          (write (agent-q-fs-guidance--has-p names "create_file" "write_file")))
      (if (not mounts)
          (if (and write (not (plist-get facts :read-only)))
              (format "It starts empty: write the files that you need with %s." write)
            "It starts empty.")
        (format "It starts with copies of files, in %s.  No more can be brought in during the \
session."
                (mapconcat (lambda (mount)
                             (let ((files (plist-get mount :files)))
                               (format "`%s` (%d file%s)" (plist-get mount :path)
                                       files (if (= files 1) "" "s"))))
                           mounts ", "))))))

(defun agent-q-fs-guidance--paths (facts)
  "Return sentences about paths in a workspace with FACTS."
  (let ((limits (plist-get facts :limits)))
    (pcase (plist-get facts :backend)
      (:session
       (format "Paths are relative to that directory, ASCII, without `.`, `..` and empty \
segments; %d segments of %d characters at most."
               (plist-get limits :session-depth) (plist-get limits :session-segment)))
      (_ "Paths are relative to the root, such as `src/main.lisp`."))))

(defun agent-q-fs-guidance--limits (facts names)
  "Return sentences about the limits of a workspace with FACTS.
NAMES are those of the tools."
  (let ((limits (plist-get facts :limits))
        (session (eq :session (plist-get facts :backend)))
        (read (agent-q-fs-guidance--has-p names "read_file")))
    (delq nil
          (list
           (and read
                (format "%s shows %d lines at most; ask for others by start_line and end_line."
                        read (plist-get limits :read-lines)))
           (and session
                (not (plist-get facts :read-only))
                (format "One write has %d characters at most."
                        (plist-get limits :session-chars)))
           "What was cut is marked [truncated], with how to get the rest."))))

(defun agent-q-fs-guidance--policy (names read-only)
  "Return sentences about which calls of the tools NAMES are made or asked about.
READ-ONLY is non-nil where nothing may be written."
  (let ((tiers (cl-loop for tool in (agent-q-fs-all-tools)
                        when (member (agent-q-fs-tool-name tool) names)
                        collect (agent-q-fs-tool-tier tool))))
    (cond
     ((or read-only (agent-q-fs-approve-refusal 'dangerous)) "Nothing can be changed here: only read.")
     ((cl-every (lambda (tier) (eq tier 'safe)) tiers) nil)
     (t (pcase (default-value 'agent-q-fs-policy)
          ('never "Changes are done at once, without anybody being asked, and are logged.")
          ('always "The user is asked before each change.  If one is denied, do not try it in \
another way: ask what is wanted.")
          (policy
           (format "Edits%s are done at once.  Before a file is replaced, deleted, moved%s, \
and before one is touched that other programs obey or git ignores, the user is asked.  If that \
is denied, do not try it in another way: ask what is wanted."
                   (if (eq policy 'edits) " and new plain files" "")
                   (if (eq policy 'edits) "" " or newly created"))))))))

(defun agent-q-fs-guidance--habits (names read-only)
  "Return sentences about how to use the tools NAMES.
READ-ONLY is non-nil where nothing may be written."
  (let ((look (agent-q-fs-guidance--has-p names "list_directory" "list_dir" "directory_tree"))
        (find (agent-q-fs-guidance--has-p names "grep_files" "search_files"))
        (read (agent-q-fs-guidance--has-p names "read_file"))
        (edit (agent-q-fs-guidance--has-p names "edit_file" "apply_patch"
                                          "apply_patch_freeform"))
        (write (agent-q-fs-guidance--has-p names "write_file" "create_file"))
        (delete (agent-q-fs-guidance--has-p names "delete_file")))
    (delq nil
          (list
           (and look (format "Look with %s%s before you read or write, and keep it narrow."
                             look (if find (format ", and search with %s," find) "")))
           (and read edit (not read-only)
                (format "Read a file with %s before you change it, and give the version you got \
to %s: if the file has changed since, nothing is done and you are told."
                        read edit))
           (and edit write (not read-only)
                (format "Change what is there with %s; use %s for new files and whole contents."
                        edit write))
           (and delete (not read-only)
                (format "Remove what is no longer needed with %s." delete))))))

;;;###autoload
(defun agent-q-fs-guidance (&optional workspace set)
  "Return the rules for WORKSPACE, a text for a model's prompt.
WORKSPACE is the current one by default.  SET is the tools that the model
is given, as `agent-q-fs-tool-specs' takes it; by default all."
  (let* ((workspace (or workspace (agent-q-fs-current-workspace)))
         (facts (agent-q-fs-workspace-facts workspace))
         (names (mapcar #'agent-q-fs-tool-name (agent-q-fs-tools set)))
         (read-only (plist-get facts :read-only)))
    (concat
     "# Files\n\n"
     (mapconcat
      (lambda (rule) (concat "- " rule "\n"))
      (delq nil
            (append (list (agent-q-fs-guidance--place facts)
                          (agent-q-fs-guidance--mounts facts names)
                          (agent-q-fs-guidance--paths facts))
                    (agent-q-fs-guidance--habits names read-only)
                    (list (agent-q-fs-guidance--policy names read-only))
                    (agent-q-fs-guidance--limits facts names)
                    (list (format "Tools: %s." (mapconcat #'identity names ", ")))))
      ""))))

(provide 'agent-q-fs-spec)
;;; agent-q-fs-spec.el ends here
