;;; agent-q-fs-spec.el --- The tools, as models are told of them  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; `agent-q-fs-tool-specs' describes the tools of a set as the interface of a
;; model, or a program between, wants it:
;;
;;     openai     the tools of the Responses API: functions, and
;;                apply_patch_freeform as a custom tool with a grammar
;;     anthropic  the tools of the Messages API
;;     mcp        what tools/list answers, with all four annotations
;;     gptel      argument lists for `gptel-make-tool'; see agent-q-fs-gptel.el
;;
;; The first three are data for `json-serialize'; `agent-q-fs-tool-specs-json'
;; is the text.

;;; Code:

(require 'agent-q-fs-tools)
(require 'json)

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

(defconst agent-q-fs-spec--hints
  '(("insert_at_line" :destructive nil)
    ("make_directory" :destructive nil :idempotent t)
    ("delete_file" :idempotent t)
    ("snapshot_create" :destructive nil))
  "What MCP is told of tools of the core, where their tier does not say it.")

(defconst agent-q-fs-spec--large 1000000000000
  "Bounds of integers from this on are not worth telling.")


;;;; JSON Schema

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
    (:edits '(:type "array"
                    :items (:type "object"
                                  :properties (:old_str (:type "string") :new_str (:type "string"))
                                  :required ["old_str" "new_str"]
                                  :additionalProperties :false)))
    (:choice `(:type "string" :enum ,(vconcat (plist-get param :choices))))
    (_ '(:type "string"))))

(defun agent-q-fs-spec--default (param)
  "Return the default of PARAM for its schema, as a property list."
  (when (plist-get param :default)
    (list :default (aref (agent-q-fs-arguments-parse (format "[%s]" (plist-get param :default)))
                         0))))

(defun agent-q-fs-spec--property (param)
  "Return the schema of PARAM."
  (append (agent-q-fs-spec--type param)
          (list :description (plist-get param :doc))
          (agent-q-fs-spec--default param)))

(defun agent-q-fs-spec--keyword (param)
  "Return the name of PARAM as a keyword."
  (intern (concat ":" (plist-get param :name))))

(defun agent-q-fs-spec--required (tool)
  "Return the names of the arguments that TOOL requires."
  (mapcar (lambda (param) (plist-get param :name))
          (seq-filter (lambda (param) (plist-get param :required)) (agent-q-fs-tool-params tool))))

(defun agent-q-fs-spec--schema (tool)
  "Return the schema of TOOL's arguments."
  (list :type "object"
        :properties (if (agent-q-fs-tool-params tool)
                        (mapcan (lambda (param)
                                  (list (agent-q-fs-spec--keyword param)
                                        (agent-q-fs-spec--property param)))
                                (agent-q-fs-tool-params tool))
                      (make-hash-table)) ; nil would be null
        :required (vconcat (agent-q-fs-spec--required tool))
        :additionalProperties :false))


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
  "Return what MCP is told of TOOL's effects."
  (let* ((safe (eq 'safe (agent-q-fs-tool-tier tool)))
         (hints (append (agent-q-fs-tool-hints tool)
                        (cdr (assoc (agent-q-fs-tool-name tool) agent-q-fs-spec--hints))))
         (hint (lambda (key default)
                 (agent-q-fs-spec--json-boolean
                  (if (plist-member hints key) (plist-get hints key) default)))))
    (list :readOnlyHint (agent-q-fs-spec--json-boolean safe)
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
  (list :name (agent-q-fs-tool-name tool)
        :title (agent-q-fs-spec--title tool)
        :description (agent-q-fs-tool-doc tool)
        :inputSchema (agent-q-fs-spec--schema tool)
        :annotations (agent-q-fs-spec--annotations tool)))

(defun agent-q-fs-spec--gptel-type (schema)
  "Return SCHEMA with its types as symbols."
  (let (made)
    (while schema
      (let ((key (pop schema)) (value (pop schema)))
        (setq made (cons (cond ((eq key :type) (intern value))
                               ((eq key :items) (agent-q-fs-spec--gptel-type value))
                               (t value))
                         (cons key made)))))
    (nreverse made)))

(defun agent-q-fs-spec--gptel-argument (param)
  "Return PARAM as `gptel-make-tool' takes it."
  (append (list :name (plist-get param :name))
          (agent-q-fs-spec--gptel-type (agent-q-fs-spec--type param))
          (list :description (plist-get param :doc))
          (unless (plist-get param :required) (list :optional t))))

(defun agent-q-fs-spec-async-p (tool)
  "Return non-nil if a call of TOOL may have to wait, for work or for a person."
  (or (agent-q-fs-tool-slow tool)
      (not (eq 'safe (agent-q-fs-tool-tier tool)))))

(defun agent-q-fs-spec--gptel-function (tool)
  "Return the function that gptel calls for TOOL."
  (let* ((name (agent-q-fs-tool-name tool))
         (keys (mapcar #'agent-q-fs-spec--keyword (agent-q-fs-tool-params tool)))
         (plist (lambda (values)
                  ;; gptel passes nil for what the model did not give.
                  (cl-loop for key in keys for value in values
                           when value append (list key value)))))
    (if (agent-q-fs-spec-async-p tool)
        (lambda (callback &rest values)
          (agent-q-fs-call-tool-async name (funcall plist values) callback))
      (lambda (&rest values)
        (agent-q-fs-call-tool name (funcall plist values))))))

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
  (let ((json-false :false) (json-null :null))
    (json-encode (vconcat (agent-q-fs-tool-specs format set)))))

(provide 'agent-q-fs-spec)
;;; agent-q-fs-spec.el ends here
