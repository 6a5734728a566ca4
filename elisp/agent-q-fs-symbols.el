;;; agent-q-fs-symbols.el --- Definitions and uses of names, for models  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The tools find_definition, find_references and list_symbols.  They ask whatever knows about
;; names here; agent-q-fs-symbols-source.el has those sources.  A source answers places, and
;; nothing that it says about one is shown as it is: `agent-q-fs-symbols--judged' reads the
;; line through the boundary, for a model.  A place outside of the root is named only, and
;; one that may not be read is left out.
;;
;; describe_symbol and macroexpand_form ask a Lisp that runs: one connected by SLY or SLIME,
;; or Emacs.  Describing is safe, because a name is looked up and never read or evaluated, and
;; no value is told.  Expanding is dangerous: it runs macros on what a model has written.
;;
;; The sources are asked side by side, and what has not answered in time is named.

;;; Code:

(require 'agent-q-fs)
(require 'agent-q-fs-tools)
(require 'cl-lib)

(declare-function agent-q-fs-coedit-noted "agent-q-fs-coedit" (text buffers))
(declare-function agent-q-fs-show-mode-of "agent-q-fs-show" (name))
(declare-function agent-q-fs-symbols-source-absent "agent-q-fs-symbols-source" (query))
(declare-function agent-q-fs-symbols-source-all "agent-q-fs-symbols-source" (query))
(declare-function agent-q-fs-symbols-source-as-text "agent-q-fs-symbols-source" (query done))
(declare-function agent-q-fs-symbols-source--elisp-p "agent-q-fs-symbols-source" (query))
(declare-function agent-q-fs-symbols-source--lisp "agent-q-fs-symbols-source"
                  (query server evaluate done))
(declare-function agent-q-fs-symbols-source--lisp-p "agent-q-fs-symbols-source" (query))
(declare-function agent-q-fs-sly--own "agent-q-fs-sly" (server name))
(declare-function agent-q-fs-symbols-source-index "agent-q-fs-symbols-source" (text mode))
(declare-function agent-q-fs-sly-bounded "agent-q-fs-sly" (server seconds form))
(declare-function agent-q-fs-sly-lisps "agent-q-fs-sly" (workspace))
(declare-function agent-q-fs-symbols-source-visiting "agent-q-fs-symbols-source"
                  (workspace file))

(defconst agent-q-fs-symbols-seconds 10
  "After how many seconds a source that has not answered is given up.")

(defconst agent-q-fs-symbols--most-lines 1000000
  "How many lines of a file are read to look for symbols.")

(cl-defstruct (agent-q-fs-symbols-query (:constructor agent-q-fs-symbols-make-query)
                                         (:copier nil))
  "A model's question about a name."
  workspace
  (what nil :documentation "`definition', `references' or `description'.")
  (name nil :documentation "A string.")
  (file nil :documentation "Where the name is used, in full, or nil; the next four are of it.")
  text mode line
  (limit 100))


;;;; Texts, through the boundary

(defun agent-q-fs-symbols--read (workspace file)
  "Return the reply of reading FILE in WORKSPACE; nobody is asked about it."
  (agent-q-fs--transport-call workspace 'read_file
                              (list :path file :limit agent-q-fs-symbols--most-lines)
                              '(:authority safe :origin model)))

(defun agent-q-fs-symbols-read (workspace file)
  "Return the reply of reading FILE in WORKSPACE, or that of the failure."
  (condition-case problem
      (agent-q-fs-symbols--read workspace file)
    (agent-q-fs-error (cdr problem))))

(cl-defstruct (agent-q-fs-symbols--text (:constructor agent-q-fs-symbols--make-text)
                                        (:copier nil))
  "The answer of reading a file, ready for many findings in it."
  reply
  (lines nil :documentation "A vector of its lines, or nil.")
  (ends nil :documentation "A vector of the positions of their ends, from 0."))

(defun agent-q-fs-symbols--text-of (workspace file)
  "Return what reading FILE in WORKSPACE answers, as lines."
  (let* ((reply (agent-q-fs-symbols-read workspace file))
         (content (plist-get reply :content))
         (lines (and content (vconcat (split-string content "\n"))))
         (at -1))
    (agent-q-fs-symbols--make-text
     :reply reply :lines lines
     :ends (vconcat (mapcar (lambda (line) (setq at (+ at 1 (length line)))) lines)))))

(defun agent-q-fs-symbols--line-at (text position)
  "Return the number of the line of TEXT that has the character POSITION, from 0."
  (let* ((ends (agent-q-fs-symbols--text-ends text))
         (low 0) (high (1- (length ends))))
    (while (< low high)
      (let ((middle (/ (+ low high) 2)))
        (if (< (aref ends middle) position)
            (setq low (1+ middle))
          (setq high middle))))
    (1+ low)))

(defconst agent-q-fs-symbols--near 200
  "How many lines around the place that a source names are looked at for its text.")

(defun agent-q-fs-symbols--nearest (text line wanted)
  "Return the number of the line of TEXT next to LINE that has WANTED; or LINE."
  (let ((lines (agent-q-fs-symbols--text-lines text)))
    (or (and wanted (not (string-empty-p wanted))
             (cl-loop for far from 0 to agent-q-fs-symbols--near
                      thereis (seq-find (lambda (number)
                                          (and (<= 1 number (length lines))
                                               (string-search wanted (aref lines (1- number)))))
                                        (list (- line far) (+ line far)))))
        line)))


;;;; Judging places

(defconst agent-q-fs-symbols--most 10000
  "How many findings are judged.")

(defun agent-q-fs-symbols--finding-line (finding text)
  "Return the number of the line of TEXT that FINDING is about, or nil."
  (let* ((pattern (plist-get finding :pattern))
         (content (plist-get (agent-q-fs-symbols--text-reply text) :content))
         (case-fold-search nil)
         (line (cond ((plist-get finding :line))
                     ((plist-get finding :position)
                      (agent-q-fs-symbols--line-at text (1- (plist-get finding :position))))
                     ;; The pattern may begin before the line, but ends in it.
                     ((and pattern (string-match pattern content))
                      (agent-q-fs-symbols--line-at text (1- (match-end 0))))))
         (line (and line (agent-q-fs-symbols--nearest
                          text line
                          (car (split-string (or (plist-get finding :snippet) "") "\n"))))))
    (and line (<= 1 line (length (agent-q-fs-symbols--text-lines text))) line)))

(defun agent-q-fs-symbols--judged (workspace finding texts)
  "Return FINDING as a model may see it in WORKSPACE, or nil.
TEXTS is a hash table of the files that were read."
  (let* ((file (plist-get finding :file))
         (text (or (gethash file texts)
                   (puthash file (agent-q-fs-symbols--text-of workspace file) texts)))
         (reply (agent-q-fs-symbols--text-reply text))
         (line (and (plist-get reply :content)
                    (agent-q-fs-symbols--finding-line finding text))))
    (cond ((eq :outside-root (plist-get reply :error))
           (list :path file :outside t :kind (plist-get finding :kind)))
          (line
           (list :path (plist-get reply :path) :line line :kind (plist-get finding :kind)
                 :text (string-trim (aref (agent-q-fs-symbols--text-lines text) (1- line))))))))

(defun agent-q-fs-symbols--before-p (a b)
  "Return non-nil if the place A comes before B."
  (if (equal (plist-get a :path) (plist-get b :path))
      (< (or (plist-get a :line) 0) (or (plist-get b :line) 0))
    (string< (plist-get a :path) (plist-get b :path))))

(defun agent-q-fs-symbols--all-judged (workspace findings)
  "Return the places of FINDINGS that a model may see in WORKSPACE, in order."
  (let ((texts (make-hash-table :test #'equal))
        (seen (make-hash-table :test #'equal))
        places)
    (dolist (finding (seq-take findings agent-q-fs-symbols--most))
      (let* ((place (agent-q-fs-symbols--judged workspace finding texts))
             (key (list (plist-get place :path) (plist-get place :line))))
        (when (and place (not (gethash key seen)))
          (puthash key t seen)
          (push place places))))
    (sort places #'agent-q-fs-symbols--before-p)))

(defun agent-q-fs-symbols--shown (place)
  "Return the line of text for PLACE, which was judged."
  (if (plist-get place :outside)
      (format "%s: outside of the project root, not shown\n" (plist-get place :path))
    (format "%s:%d: %s\n" (plist-get place :path) (plist-get place :line)
            (truncate-string-to-width (or (plist-get place :text) "") 200 nil nil t))))


;;;; Asking them all

(defun agent-q-fs-symbols--gather (sources done)
  "Ask SOURCES, (LABEL . FUNCTION), side by side.
Call DONE once, with the findings and with those of SOURCES that are late.
Return a function that gives up."
  (let* ((waiting sources) (findings nil) (over nil) (timer nil)
         (end (lambda ()
                (unless over
                  (setq over t)
                  (cancel-timer timer)
                  (funcall done findings waiting)))))
    (setq timer (run-at-time agent-q-fs-symbols-seconds nil end))
    (dolist (source sources)
      (let ((take (lambda (found)
                    (when (and (not over) (memq source waiting))
                      (setq findings (append findings found)
                            waiting (remq source waiting))
                      (unless waiting (funcall end))))))
        (condition-case nil
            (funcall (cdr source) take)
          (error (funcall take nil)))))
    (unless sources (funcall end))
    (lambda ()
      (setq over t)
      (cancel-timer timer))))


;;;; The tools

(defun agent-q-fs-symbols--query-of (workspace what arguments)
  "Return the query for WHAT with ARGUMENTS in WORKSPACE."
  (require 'agent-q-fs-symbols-source)
  (let* ((path (plist-get arguments :path))
         (reply (and path (agent-q-fs-symbols--read workspace path)))
         (file (and reply (agent-q-fs-path-name workspace (plist-get reply :path))))
         (name (plist-get arguments :name)))
    (when (or (string-empty-p name) (string-match-p "[\n\0 ]" name) (< 500 (length name)))
      (agent-q-fs--fail :invalid-argument
                        "name: expected one name as the program has it, such as parse-line"))
    (agent-q-fs-symbols-make-query
     :workspace workspace :what what :name name
     :file file :text (plist-get reply :content) :line (plist-get arguments :line)
     :mode (and file (agent-q-fs-show-mode-of file))
     :limit (or (plist-get arguments :limit) 100))))

(defun agent-q-fs-symbols--unsaved-note (query places text)
  "Return TEXT, noting unsaved changes to the files of PLACES, for QUERY."
  (let* ((workspace (agent-q-fs-symbols-query-workspace query))
         (buffers (cl-loop for place in places
                           for path = (plist-get place :path)
                           for buffer = (and (not (plist-get place :outside))
                                             (agent-q-fs-symbols-source-visiting
                                              workspace (agent-q-fs-path-name workspace path)))
                           when (and buffer (buffer-modified-p buffer)) collect buffer)))
    (if buffers (agent-q-fs-coedit-noted text (delete-dups buffers)) text)))

(defun agent-q-fs-symbols--reply (query labels findings late)
  "Return the reply to QUERY, with FINDINGS of sources with LABELS.
LATE are those that have not answered."
  (let* ((all (agent-q-fs-symbols--all-judged (agent-q-fs-symbols-query-workspace query)
                                              findings))
         (limit (agent-q-fs-symbols-query-limit query))
         (places (seq-take all limit))
         (what (if (eq 'definition (agent-q-fs-symbols-query-what query))
                   "definition" "reference"))
         (name (agent-q-fs-symbols-query-name query)))
    (list
     :places places :total (length all)
     :text
     (agent-q-fs-symbols--unsaved-note
      query places
      (concat
       (mapconcat #'agent-q-fs-symbols--shown places "")
       (cond ((nthcdr limit all)
              (format "[truncated: %d of %d; narrow it by path, or raise limit]\n"
                      limit (length all)))
             (places (format "%d %s%s of %s, by %s\n" (length all) what
                             (if (cdr all) "s" "") name (string-join labels ", ")))
             (labels (format "No %s of %s is known to %s; grep_files finds text.\n" what name
                             (string-join labels ", ")))
             (t (concat (agent-q-fs-symbols-source-absent query) "\n")))
       (and late (format "[no answer in %d s from %s]\n" agent-q-fs-symbols-seconds
                         (mapconcat #'car late ", "))))))))

(defun agent-q-fs-symbols--definition (workspace arguments done)
  "Find the definition that ARGUMENTS ask for in WORKSPACE: call DONE."
  (let* ((query (agent-q-fs-symbols--query-of workspace 'definition arguments))
         (sources (agent-q-fs-symbols-source-all query)))
    (agent-q-fs-symbols--gather
     sources
     (lambda (findings late)
       (funcall done (agent-q-fs-symbols--reply query (delete-dups (mapcar #'car sources))
                                                findings late))))))

(defun agent-q-fs-symbols--references (workspace arguments done)
  "Find the uses that ARGUMENTS ask for in WORKSPACE: call DONE.
A name whose uses no source knows is searched for as text."
  (let* ((query (agent-q-fs-symbols--query-of workspace 'references arguments))
         (sources (agent-q-fs-symbols-source-all query))
         (cancel nil))
    (setq cancel
          (agent-q-fs-symbols--gather
           sources
           (lambda (findings late)
             (if findings
                 (funcall done (agent-q-fs-symbols--reply
                                query (delete-dups (mapcar #'car sources)) findings late))
               (setq cancel
                     (agent-q-fs-symbols-source-as-text
                      query
                      (lambda (reply)
                        (funcall done
                                 (if (keywordp (car reply))
                                     (plist-put
                                      reply :text
                                      (concat (plist-get reply :text)
                                              "[found as text: no source here knows its uses]\n"))
                                   reply)))))))))
    (lambda () (funcall cancel))))

(defun agent-q-fs-symbols--list (workspace arguments)
  "Return the reply of list_symbols with ARGUMENTS in WORKSPACE."
  (require 'agent-q-fs-symbols-source)
  (let* ((reply (agent-q-fs-symbols--read workspace (plist-get arguments :path)))
         (path (plist-get reply :path))
         (text (plist-get reply :content))
         (mode (agent-q-fs-show-mode-of path))
         (pattern (plist-get arguments :pattern))
         (case-fold-search t)
         (symbols (and mode
                       (seq-filter (lambda (symbol)
                                     (or (null pattern) (string-search (downcase pattern)
                                                                       (downcase (nth 1 symbol)))))
                                   (agent-q-fs-symbols-source-index text mode)))))
    (list :symbols (mapcar (lambda (symbol)
                             (list :line (nth 0 symbol) :name (nth 1 symbol)
                                   :kind (nth 2 symbol)))
                           symbols)
          :total (length symbols)
          :text (cond
                 (symbols (mapconcat (lambda (symbol)
                                       (format "%d: %s%s\n" (nth 0 symbol) (nth 1 symbol)
                                               (if (nth 2 symbol) (format "  [%s]" (nth 2 symbol))
                                                 "")))
                                     symbols ""))
                 (mode (format "Imenu finds no symbols%s in %s; grep_files finds text.\n"
                               (if pattern (format " like %s" pattern) "") path))
                 (t (format "Emacs has no mode that knows symbols of %s; grep_files finds text.\n"
                            path))))))

;;;; A Lisp that runs

(defconst agent-q-fs-symbols--most-words 8000
  "How many characters of a description or an expansion are shown.")

(defun agent-q-fs-symbols--cut (text)
  "Return TEXT, or its beginning, and that it was cut."
  (if (< (length text) agent-q-fs-symbols--most-words)
      text
    (concat (substring text 0 agent-q-fs-symbols--most-words) "\n[truncated]\n")))

(defun agent-q-fs-symbols--emacs-function (symbol)
  "Return a description of the function SYMBOL, which is not loaded for that."
  (let* ((definition (indirect-function symbol))
         (arguments (help-function-arglist symbol t))
         (doc (documentation symbol t))
         (doc (or (cdr (help-split-fundoc doc symbol)) doc "It has no documentation.")))
    (format "%s: %s\n%s\n%s\n" symbol
            (cond ((autoloadp definition) (format "autoloaded from %s" (nth 1 definition)))
                  ((macrop symbol) "macro")
                  ((special-form-p symbol) "special form")
                  ((commandp symbol) "command")
                  (t "function"))
            (if (listp arguments) (format "%S" (cons symbol arguments)) (format "(%s ...)" symbol))
            doc)))

(defun agent-q-fs-symbols--emacs-description (query)
  "Return what Emacs has loaded under the name of QUERY, texts in a list."
  (let ((symbol (intern-soft (agent-q-fs-symbols-query-name query))))
    (when symbol
      (delq nil
            (list (and (fboundp symbol) (agent-q-fs-symbols--emacs-function symbol))
                  (and (or (boundp symbol) (get symbol 'variable-documentation))
                       (format "%s: %s; its value is not shown\n%s\n" symbol
                               (if (custom-variable-p symbol) "option" "variable")
                               (or (documentation-property symbol 'variable-documentation t)
                                   "It has no documentation."))))))))

(defun agent-q-fs-symbols--describers (query)
  "Return what may describe the name of QUERY, as (LABEL . SOURCE)."
  (append
   (when (agent-q-fs-symbols-source--lisp-p query)
     (mapcar (pcase-lambda (`(,label ,server ,evaluate))
               (cons label (apply-partially #'agent-q-fs-symbols-source--lisp query server
                                            evaluate)))
             (agent-q-fs-sly-lisps (agent-q-fs-symbols-query-workspace query))))
   (when (agent-q-fs-symbols-source--elisp-p query)
     `(("Emacs" . ,(lambda (done)
                     (funcall done (agent-q-fs-symbols--emacs-description query))))))))

(defun agent-q-fs-symbols--describe (workspace arguments done)
  "Describe the name that ARGUMENTS have, in WORKSPACE: call DONE."
  (let* ((query (agent-q-fs-symbols--query-of workspace 'description arguments))
         (name (agent-q-fs-symbols-query-name query))
         (sources (agent-q-fs-symbols--describers query))
         (labels (string-join (mapcar #'car sources) ", ")))
    (agent-q-fs-symbols--gather
     sources
     (lambda (texts late)
       (funcall
        done
        (concat
         (cond (texts (agent-q-fs-symbols--cut (string-join texts "\n")))
               (sources (format "%s is not known to %s: its file may not be loaded there.\n" name
                                labels))
               (t (concat (agent-q-fs-symbols-source-absent query) "\n")))
         (and texts (format "[by %s]\n" labels))
         (and late (format "[no answer in %d s from %s]\n" agent-q-fs-symbols-seconds
                           (mapconcat #'car late ", ")))))))))

(defun agent-q-fs-symbols--package (text)
  "Return the name of the package that TEXT, of Common Lisp, is in."
  (let ((case-fold-search t))
    (if (string-match
         "^[ \t]*(\\(?:[a-z-]+:\\)?in-package[ \t\n]+\\(\"?\\)[#:']*\\([^][ \t\n\"()]+\\)" text)
        (if (equal "" (match-string 1 text)) (upcase (match-string 2 text)) (match-string 2 text))
      "COMMON-LISP-USER")))

(defun agent-q-fs-symbols--expander (workspace arguments)
  "Return what expands the form of ARGUMENTS in WORKSPACE: (LABEL PACKAGE . LISP).
LISP is as `agent-q-fs-sly-lisps' has it, or nil for Emacs."
  (let* ((query (agent-q-fs-symbols--query-of workspace 'description
                                              (append '(:name "form") arguments)))
         (mode (agent-q-fs-symbols-query-mode query))
         (form (plist-get arguments :form)))
    (when (or (string-match-p "\\`[ \t\n]*\\'" form) (string-search "\0" form) (< 20000 (length form)))
      (agent-q-fs--fail :invalid-argument
                        "form: expected one form as text, of at most 20000 characters"))
    (cond
     ((provided-mode-derived-p mode 'emacs-lisp-mode) (list "Emacs" nil))
     ((not (provided-mode-derived-p mode 'lisp-mode))
      (agent-q-fs--fail :invalid-argument
                        "path: expected a file of Common Lisp or Emacs Lisp, whose forms can be expanded"))
     (t (let ((lisp (car (agent-q-fs-sly-lisps workspace))))
          (unless lisp
            (agent-q-fs--fail :not-found "%s" (agent-q-fs-symbols-source-absent query)))
          (cl-list* (car lisp) (agent-q-fs-symbols--package (agent-q-fs-symbols-query-text query))
                    (cdr lisp)))))))

(defun agent-q-fs-symbols--expand-preview (workspace arguments)
  "Return the preview of expanding the form of ARGUMENTS in WORKSPACE."
  (pcase-let ((`(,label ,package) (agent-q-fs-symbols--expander workspace arguments))
              (form (plist-get arguments :form))
              (path (plist-get arguments :path)))
    (list :summary (format "expand the macros of %s, which runs them"
                           (truncate-string-to-width form 200 nil nil "…"))
          :targets (list (list :path path))
          :facts (list (cons "By" (concat label (and package (format ", in package %s" package)))))
          :likes (list (list 'exact "this very form"
                             (list 'form form (and (plist-get arguments :all) t) label package
                                   (agent-q-fs--place workspace path)))))))

(defun agent-q-fs-symbols--emacs-expanded (form all)
  "Return the expansion of FORM as `agent-q-fs-symbols--emacs-expand', in a list.
If that fails, return (:failed WORDS), as a Lisp does.  ALL is as there."
  (condition-case problem
      (list (agent-q-fs-symbols--emacs-expand form all))
    (agent-q-fs-error (list :failed (plist-get (cdr problem) :message)))
    (error (list :failed (error-message-string problem)))))

(defun agent-q-fs-symbols--emacs-expand (form all)
  "Return the expansion of FORM, a text, in Emacs Lisp; ALL of it with ALL."
  (pcase-let* ((`(,read . ,end) (read-from-string form))
               (print-length nil) (print-level nil) (print-circle nil) (print-quoted t))
    (unless (string-match-p "\\`[ \t\n]*\\'" (substring form end))
      (agent-q-fs--fail :invalid-argument "form: expected one form, and text follows it"))
    (with-local-quit
      (pp-to-string (if all (macroexpand-all read) (macroexpand-1 read))))))

(defun agent-q-fs-symbols--lisp-expand (server package form all)
  "Return the form that expands FORM, a text, in PACKAGE of a Lisp with SERVER.
ALL says whether all of it is expanded.  `#.' in FORM is refused."
  `(cl:let ((cl:*read-eval* nil)
            (,(agent-q-fs-sly--own server "*buffer-package*")
             (cl:or (cl:find-package ,package)
                    (cl:error "There is no package ~A here: load the project" ,package))))
     (cl:list (,(agent-q-fs-sly--own
                 server (format "%s-macroexpand-%s" server (if all "all" "1")))
               ,form))))

(defun agent-q-fs-symbols--expand (workspace arguments done)
  "Expand the form of ARGUMENTS in WORKSPACE: call DONE."
  (pcase-let ((`(,label ,package ,server ,evaluate)
               (agent-q-fs-symbols--expander workspace arguments))
              (form (plist-get arguments :form))
              (all (plist-get arguments :all)))
    (agent-q-fs-symbols--gather
     (list (cons label
                 (if (null server)
                     (lambda (done)
                       (funcall done (agent-q-fs-symbols--emacs-expanded form all)))
                   (lambda (done)
                     (funcall evaluate
                              (agent-q-fs-sly-bounded
                               server agent-q-fs-symbols-seconds
                               (agent-q-fs-symbols--lisp-expand server package form all))
                              (lambda (value)
                                (funcall done (if (listp value) value (list value)))))))))
     (lambda (value late)
       (funcall done
                (pcase value
                  (`(:failed ,words)
                   (agent-q-fs--error-reply :invalid-argument "%s cannot expand it: %s" label words))
                  ((guard late)
                   (agent-q-fs--error-reply :timeout "%s has not expanded it in %d s" label
                                            agent-q-fs-symbols-seconds))
                  (`(:late)
                   (agent-q-fs--error-reply :timeout "%s was stopped after %d s: a macro did not end"
                                            label agent-q-fs-symbols-seconds))
                  (`(,(and (pred stringp) text))
                   (concat (agent-q-fs-symbols--cut (string-trim-right text)) "\n"))
                  (_ (agent-q-fs--error-reply :invalid-argument "%s cannot expand it" label))))))))

(defconst agent-q-fs-symbols--use
  '((:name "name" :type :string :required t
           :doc "As the program has it; in Lisp maybe with its package.")
    (:name "path" :type :path
           :doc "A file that uses it. Tells the language, and which is meant.")
    (:name "line" :type :integer :least 1 :doc "The line of that use."))
  "The parameters of tools that are asked about a name.")

(agent-q-fs-define-tool "find_definition"
  :doc "Finds where a name of the program is defined, by what knows the language here: a language \
server, a connected Lisp, Emacs, a TAGS file. Prefer it to grep_files for names. It answers \
path:line: text, a line each; what lies outside of the project root is named only."
  :tier 'safe :params agent-q-fs-symbols--use :start #'agent-q-fs-symbols--definition
  :hints '(:title "Find a definition") :sets '("lisp" "symbols"))

(agent-q-fs-define-tool "find_references"
  :doc "Finds the uses of a name of the program, by a language server or a connected Lisp; \
otherwise as a whole word in the text, which it says. Use it before you rename or change \
something. It answers path:line: text."
  :tier 'safe :start #'agent-q-fs-symbols--references
  :params (append agent-q-fs-symbols--use
                  '((:name "limit" :type :integer :default "100" :least 1 :most 10000
                           :doc "The most uses to show.")))
  :hints '(:title "Find references") :sets '("lisp" "symbols"))

(agent-q-fs-define-tool "list_symbols"
  :doc "Lists what one file defines, with line numbers: functions, variables, types. Use it for \
an overview of a long file, before you read a part of it."
  :tier 'safe :slow t
  :params '((:name "path" :type :path :required t :doc "The file.")
            (:name "pattern" :type :string :doc "Only names that have this in them."))
  :handler #'agent-q-fs-symbols--list
  ;; In the set "lisp", list_forms does that.
  :hints '(:title "List symbols") :sets '("symbols"))

(agent-q-fs-define-tool "describe_symbol"
  :doc "Tells what the running Lisp (SLY, SLIME, or Emacs for its own) knows of a name: \
parameters, types, documentation, never a value. Use it before you call what you have not read."
  :tier 'safe :params (seq-take agent-q-fs-symbols--use 2) :start #'agent-q-fs-symbols--describe
  :hints '(:title "Describe a symbol") :sets '("lisp" "symbols"))

(agent-q-fs-define-tool "macroexpand_form"
  :doc "Expands a macro call in the running Lisp (SLY, SLIME, or Emacs for its own). Use \
it to see what a macro makes. It runs macros, so the user is asked first."
  :tier 'dangerous
  :params '((:name "form" :type :string :required t :doc "Such as (with-foo (x) y).")
            (:name "path" :type :path :required t
                   :doc "Its file, which tells the package.")
            (:name "all" :type :boolean :doc "Expand also what is inside."))
  :preview #'agent-q-fs-symbols--expand-preview :start #'agent-q-fs-symbols--expand
  :hints '(:title "Expand a macro") :sets '("lisp" "symbols"))

(provide 'agent-q-fs-symbols)
;;; agent-q-fs-symbols.el ends here
