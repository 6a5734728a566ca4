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
;; is the text, and `agent-q-fs-guidance' returns rules for the system prompt.

;;; Code:

(require 'agent-q-fs)
(require 'agent-q-fs-approve)
(require 'agent-q-fs-tools)
(eval-when-compile (require 'cl-lib))

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
                  :items (agent-q-fs-spec--object (or (plist-get param :members)
                                                      (agent-q-fs-spec--edit-members)))))
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

(defun agent-q-fs-spec--required-p (param)
  "Return non-nil if PARAM is required, and nothing else in its place."
  (and (plist-get param :required) (not (plist-get param :unless))))

(defun agent-q-fs-spec--required (params)
  "Return the names of those of PARAMS that are required."
  (mapcar (lambda (param) (plist-get param :name))
          (seq-filter #'agent-q-fs-spec--required-p params)))

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
  "Return the schema of TOOL's replies, or nil if it is not known.
The words for a model stand beside the data, as content."
  (let* ((members (seq-remove (lambda (member) (equal "text" (plist-get member :name)))
                              (agent-q-fs-tool-reply tool)))
         (likes (agent-q-fs-spec--likes members)))
    (when members
      (append (agent-q-fs-spec--members members)
              (when likes
                (list :$defs (mapcan (lambda (name)
                                       (list (intern (concat ":" name))
                                             (agent-q-fs-spec--members
                                              (agent-q-fs-spec--named-members name))))
                                     likes)))))))


;;;; Replies as JSON

;; In a reply, nil is false, null or an empty list.  The catalogue tells which.

(defun agent-q-fs-spec--json-value (member value)
  "Return VALUE, of MEMBER as the catalogue has it, for `json-serialize'."
  (let ((type (plist-get member :type)))
    (cond ((and (null value) (plist-get member :nullable)) :null)
          ((eq type :boolean) (if value t :false))
          ((eq type :list)
           (vconcat (mapcar (lambda (element)
                              (agent-q-fs-spec--json-value (plist-get member :of) element))
                            value)))
          ((plist-get member :like)
           (agent-q-fs-spec-json-object
            (agent-q-fs-spec--named-members (plist-get member :like)) value))
          ((eq type :map) (agent-q-fs-spec-json-object (plist-get member :members) value))
          (t (agent-q-fs-spec--json-plain value)))))

(defun agent-q-fs-spec--json-plain (value)
  "Return VALUE, of which the catalogue does not say more, for `json-serialize'."
  (cond ((null value) :null)
        ((keywordp value) (substring (symbol-name value) 1))
        ((and (consp value) (keywordp (car value))) (agent-q-fs-spec-json-object nil value))
        ((consp value) (vconcat (mapcar #'agent-q-fs-spec--json-plain value)))
        (t value)))

(defun agent-q-fs-spec-json-object (members plist)
  "Return PLIST, whose MEMBERS are as in the catalogue, for `json-serialize'."
  (let ((object (make-hash-table :test #'equal)))
    (cl-loop for (key value) on plist by #'cddr
             for name = (string-replace "-" "_" (substring (symbol-name key) 1))
             for member = (seq-find (lambda (member) (equal name (plist-get member :name)))
                                    members)
             do (puthash name (if member (agent-q-fs-spec--json-value member value)
                                (agent-q-fs-spec--json-plain value))
                         object))
    object))


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


;;;; Sets of tools

(defcustom agent-q-fs-tool-sets nil
  "Sets of tools of your own: (SET . TOOLS).
TOOLS is a list of names, of tools and of other sets, t for all tools, or
`safe' for those that change nothing.  A set here hides another one of the
same name; the others stand in the core's catalogue, and tools that are
declared in Emacs Lisp say in which of them they are."
  :group 'agent-q-fs
  :type '(alist :key-type string
                :value-type (choice (const :tag "All" t)
                                    (const :tag "Those that change nothing" safe)
                                    (repeat string))))

(defcustom agent-q-fs-model-tool-sets
  '(("\\(?:\\`\\|/\\)\\(?:gpt-[5-9]\\|o[3-9]\\b\\)\\|codex" . "gpt") ("" . "coding"))
  "The sets of tools for models: (REGEXP . SET), the first that matches counts.
REGEXP is for the model's name.  Models of the GPT family write patches at
the first try, the others exact replacements."
  :group 'agent-q-fs
  :type '(alist :key-type regexp :value-type string))

(defun agent-q-fs-model-tool-set (model)
  "Return the name of the set of tools for MODEL, a string or a symbol.
`agent-q-fs-model-tool-sets' says it."
  (let ((case-fold-search t))
    (cdr (seq-find (lambda (entry) (string-match-p (car entry) (format "%s" model)))
                   (default-value 'agent-q-fs-model-tool-sets)))))

(defun agent-q-fs-spec--core-set (name)
  "Return the set called NAME as the catalogue has it, or nil."
  (seq-find (lambda (set) (equal name (plist-get set :name)))
            (plist-get (agent-q-fs-catalogue) :sets)))

(defun agent-q-fs-tool-set-names ()
  "Return the names of all sets of tools."
  (delete-dups (append (mapcar #'car (default-value 'agent-q-fs-tool-sets))
                       (mapcar (lambda (set) (plist-get set :name))
                               (plist-get (agent-q-fs-catalogue) :sets))
                       (mapcan (lambda (tool) (copy-sequence (agent-q-fs-tool-sets tool)))
                               (agent-q-fs-all-tools)))))

(defun agent-q-fs-spec--declared-in (name)
  "Return the names of the tools that say that they are in the set NAME."
  (cl-loop for tool in (agent-q-fs-all-tools)
           when (member name (agent-q-fs-tool-sets tool)) collect (agent-q-fs-tool-name tool)))

(defun agent-q-fs-spec--names-in (name)
  "Return the names of the tools in the set NAME: the core's, then the declared."
  (append (plist-get (agent-q-fs-spec--core-set name) :tools)
          (agent-q-fs-spec--declared-in name)))

(defun agent-q-fs-spec--names (set &optional inside)
  "Return the names of the tools of SET, a name or a list of names.
INSIDE has the sets of one's own that SET is in, which mean the core's there."
  (if (consp set)
      (mapcan (lambda (name)
                (if (agent-q-fs-find-tool name)
                    (list (format "%s" name))
                  (and (member (format "%s" name) (agent-q-fs-tool-set-names))
                       (agent-q-fs-spec--names name inside))))
              set)
    (let* ((name (format "%s" set))
           (own (and (not (member name inside))
                     (assoc name (default-value 'agent-q-fs-tool-sets)))))
      (unless (member name (agent-q-fs-tool-set-names))
        (error "There is no set of tools called %s; there are %s" set
               (string-join (agent-q-fs-tool-set-names) ", ")))
      (pcase (cdr own)
        ('t (agent-q-fs-spec--names-in "all"))
        ('safe (cl-loop for tool in (agent-q-fs-all-tools)
                        when (eq 'safe (agent-q-fs-tool-tier tool))
                        collect (agent-q-fs-tool-name tool)))
        ('nil (and (not own) (agent-q-fs-spec--names-in name)))
        (names (agent-q-fs-spec--names names (cons name inside)))))))

(defun agent-q-fs-tools (&optional set)
  "Return the tools of SET, in the order in which a model is told of them.
SET is one of `agent-q-fs-tool-set-names', or a list of names of tools and
sets.  Without SET, return all."
  (mapcar #'agent-q-fs-find-tool
          (delete-dups (agent-q-fs-spec--names (or set "all")))))


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
            ('gptel #'agent-q-fs-gptel-tool)
            (_ (error "There is no format of tool specifications called %s" format)))
          (agent-q-fs-tools set)))

(defun agent-q-fs-tool-specs-json (format &optional set)
  "Return what `agent-q-fs-tool-specs' says for FORMAT and SET as JSON text."
  (when (eq format 'gptel)
    (error "What gptel is told is no JSON"))
  (agent-q-fs--json-print (vconcat (agent-q-fs-tool-specs format set))))


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
           "Cuts are marked [truncated], with how to get the rest."))))

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

;; Sentences that are true of some sets only.

(defun agent-q-fs-guidance--names-of-files (names)
  "Return how files are found by name with the tools NAMES, if that is not plain."
  (and (member "grep_files" names) (not (member "search_files" names))
       "`grep_files` finds files by name, too: with an empty pattern, output `files` and \
include, such as `*.lisp`."))

(defun agent-q-fs-guidance--no-others (names)
  "Return a sentence if descriptions of the tools NAMES speak of other tools."
  (let ((docs (mapconcat (lambda (name) (agent-q-fs-tool-doc (agent-q-fs-find-tool name)))
                         names "\n")))
    (and (seq-some (lambda (tool)
                     (and (not (member (agent-q-fs-tool-name tool) names))
                          (string-match-p (format "\\_<%s\\_>" (agent-q-fs-tool-name tool)) docs)))
                   (agent-q-fs-all-tools))
         "  Their descriptions may name others, which you do not have.")))

(defun agent-q-fs-guidance--many (names)
  "Return how several changes are made at once with the tools NAMES, or nil."
  (let* ((patch (agent-q-fs-guidance--has-p names "apply_patch" "apply_patch_freeform"))
         (rules
          (list (and patch (not (member "edit_file" names))
                     (format "Make what belongs together one patch: %s changes, adds, moves and \
deletes any number of files, all or none." patch))
                (and (member "edit_file" names)
                     "Make several changes to a file in one call of `edit_file`, by edits.")
                (and (member "edit_form" names)
                     "Change definitions in Lisp files by their names, with `edit_form`; see \
what a file defines with `list_forms`, and read what you need with `read_form`.")
                (and (member "replace_in_files" names)
                     "Change a name or text everywhere, in one or many files, with \
`replace_in_files` and not one by one."))))
    (and (delq nil rules) (string-join (delq nil rules) "  "))))

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
           (agent-q-fs-guidance--names-of-files names)
           (and (member "find_definition" names)
                "Ask `find_definition` and `find_references` for names of the program; they know \
more than a search for text.")
           (and read edit (not read-only)
                (format "Read a file with %s before you change it, and give the version you got \
to %s: if the file has changed since, nothing is done and you are told."
                        read edit))
           (and (not read-only) (agent-q-fs-guidance--many names))
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
                    (list (concat (format "Tools: %s." (mapconcat #'identity names ", "))
                                  (agent-q-fs-guidance--no-others names)))))
      ""))))

(autoload 'agent-q-fs-gptel-tool "agent-q-fs-gptel")

(provide 'agent-q-fs-spec)
;;; agent-q-fs-spec.el ends here
