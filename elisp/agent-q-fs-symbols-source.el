;;; agent-q-fs-symbols-source.el --- What knows about names here  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A source is a function that is called with a function, and calls that one, at once or
;; later, with findings: property lists of :file, in full, :kind, words or nil, and one of
;; :line, :position, from 1, and :pattern, a regular expression; with :snippet, a line near it.
;; agent-q-fs-symbols.el judges them.  Asked to describe a name, its findings are strings.
;;
;; Sources are a language server that Eglot has running, a Lisp connected by SLY or SLIME, Emacs
;; for Emacs Lisp, a TAGS file in the root, and other backends of xref.  None opens a file in
;; Emacs: a language server is given the text, and files are read through the boundary.

;;; Code:

(require 'agent-q-fs)
(require 'agent-q-fs-coedit)
(require 'agent-q-fs-job)
(require 'agent-q-fs-show)
(require 'agent-q-fs-sly)
(require 'agent-q-fs-symbols)
(require 'cl-lib)
(require 'find-func)
(require 'imenu)
(require 'url-util)
(require 'xref)

(declare-function eglot-current-server "ext:eglot" ())
(declare-function eglot--signal-textDocument/didChange "ext:eglot" ())
(declare-function jsonrpc-async-request "jsonrpc" (connection method params &rest args) t)
(declare-function jsonrpc-notify "jsonrpc" (connection method params))
(declare-function xref-elisp-location-file "elisp-mode" (location) t)
(declare-function xref-elisp-location-symbol "elisp-mode" (location) t)
(declare-function xref-elisp-location-type "elisp-mode" (location) t)
(declare-function xref-elisp-location-p "elisp-mode" (location) t)
(defvar find-function-regexp-alist)

(defun agent-q-fs-symbols-source--whole (name)
  "Return a regexp for NAME where it is no part of a longer name."
  (concat "\\(?:^\\|[^[:alnum:]_]\\)\\(" (regexp-quote name) "\\)\\(?:[^[:alnum:]_]\\|$\\)"))

(defun agent-q-fs-symbols-source--occurrence (query text)
  "Return where the name of QUERY is in TEXT, as (LINE . COLUMN) from 0; or nil.
That is in its line if it has one."
  (with-temp-buffer
    (insert text)
    (goto-char (point-min))
    (let ((line (agent-q-fs-symbols-query-line query))
          (case-fold-search nil))
      (when line (forward-line (1- line)))
      (when (re-search-forward
             (agent-q-fs-symbols-source--whole (agent-q-fs-symbols-query-name query))
             (and line (line-end-position)) t)
        (goto-char (match-beginning 1))
        (cons (1- (line-number-at-pos))
              (/ (length (encode-coding-string
                          (buffer-substring (line-beginning-position) (point)) 'utf-16le))
                 2))))))


;;;; Buffers of the project

(defun agent-q-fs-symbols-source--buffers (workspace)
  "Return the buffers that visit files of WORKSPACE."
  (let ((root (file-name-as-directory (agent-q-fs-path-name workspace "."))))
    (and (eq :host (plist-get (agent-q-fs-workspace-facts workspace) :backend))
         (cl-remove-if-not
          (lambda (buffer)
            (let ((name (buffer-local-value 'buffer-file-truename buffer)))
              (and name (string-prefix-p root (expand-file-name name)))))
          (buffer-list)))))

(defun agent-q-fs-symbols-source-visiting (workspace file)
  "Return the buffer that visits FILE of WORKSPACE, or nil."
  (seq-find (lambda (buffer)
              (equal file (expand-file-name (buffer-local-value 'buffer-file-truename buffer))))
            (agent-q-fs-symbols-source--buffers workspace)))

(defun agent-q-fs-symbols-source--fits-p (query buffer)
  "Return non-nil if BUFFER is in the language of QUERY, if that has one."
  (let ((mode (agent-q-fs-symbols-query-mode query)))
    (or (null mode) (eq mode (buffer-local-value 'major-mode buffer)))))


;;;; Language servers

(defun agent-q-fs-symbols-source--eglot-servers (query)
  "Return the language servers that may know about QUERY: (SERVER . BUFFER)."
  (let (found)
    (dolist (buffer (agent-q-fs-symbols-source--buffers (agent-q-fs-symbols-query-workspace query))
                    (nreverse found))
      (when (and (buffer-local-value 'major-mode buffer)
                 (local-variable-p 'eglot--managed-mode buffer)
                 (buffer-local-value 'eglot--managed-mode buffer)
                 (agent-q-fs-symbols-source--fits-p query buffer))
        (let ((server (with-current-buffer buffer (eglot-current-server))))
          (when (and server (not (assq server found)))
            (push (cons server buffer) found)))))))

(defun agent-q-fs-symbols-source--uri (file)
  "Return the URI of FILE."
  (concat "file://" (url-hexify-string (encode-coding-string file 'utf-8) url-path-allowed-chars)))

(defun agent-q-fs-symbols-source--uri-file (uri)
  "Return the name of the file that URI is of, or nil."
  (and (stringp uri) (string-prefix-p "file://" uri)
       (decode-coding-string (url-unhex-string (substring uri 7)) 'utf-8)))

(defun agent-q-fs-symbols-source--lsp-findings (answer)
  "Return the findings in ANSWER, a server's locations, links or symbols."
  (cl-loop for place in (append (if (vectorp answer) answer (and answer (list answer))) nil)
           for location = (or (plist-get place :location) place)
           for file = (agent-q-fs-symbols-source--uri-file (or (plist-get location :uri)
                                                        (plist-get location :targetUri)))
           for range = (or (plist-get location :range) (plist-get location :targetSelectionRange))
           for line = (plist-get (plist-get range :start) :line)
           when (and file (integerp line))
           collect (list :file file :line (1+ line))))

(defun agent-q-fs-symbols-source--lsp-ask (server method params done)
  "Ask SERVER for METHOD with PARAMS; call DONE with its answer, or nil."
  (jsonrpc-async-request server method params :success-fn done
                         :error-fn (lambda (&rest _) (funcall done nil))
                         :timeout agent-q-fs-symbols-seconds
                         :timeout-fn (lambda () (funcall done nil))
                         :deferred nil))

(defun agent-q-fs-symbols-source--lsp-at (query server mode method done)
  "Ask SERVER for METHOD at the name of QUERY, a file in MODE.
Call DONE with findings.  Files in no buffer are opened there meanwhile."
  (let* ((file (agent-q-fs-symbols-query-file query))
         (uri (agent-q-fs-symbols-source--uri file))
         (buffer (agent-q-fs-symbols-source-visiting
                  (agent-q-fs-symbols-query-workspace query) file))
         (open (and buffer (with-current-buffer buffer (eq server (eglot-current-server)))))
         (text (if (not open)
                   (agent-q-fs-symbols-query-text query)
                 (with-current-buffer buffer
                   (ignore-errors (eglot--signal-textDocument/didChange))
                   (save-restriction (widen) (buffer-substring-no-properties 1 (point-max))))))
         (at (agent-q-fs-symbols-source--occurrence query text)))
    (if (not at)
        (funcall done nil)
      (unless open
        (jsonrpc-notify server :textDocument/didOpen
                        (list :textDocument
                              (list :uri uri :version 0 :text text
                                    :languageId (string-remove-suffix
                                                 "-mode" (symbol-name mode))))))
      (agent-q-fs-symbols-source--lsp-ask
       server method
       (list :textDocument (list :uri uri)
             :position (list :line (car at) :character (cdr at))
             :context '(:includeDeclaration :json-false))
       (lambda (answer)
         (unless open
           (jsonrpc-notify server :textDocument/didClose
                           (list :textDocument (list :uri uri))))
         (funcall done (agent-q-fs-symbols-source--lsp-findings answer)))))))

(defun agent-q-fs-symbols-source--lsp-named (query server done)
  "Ask SERVER where the name of QUERY is defined: call DONE with findings."
  (let ((name (agent-q-fs-symbols-query-name query)))
    (agent-q-fs-symbols-source--lsp-ask
     server :workspace/symbol (list :query name)
     (lambda (answer)
       (funcall done (agent-q-fs-symbols-source--lsp-findings
                      (vconcat (seq-filter (lambda (symbol) (equal name (plist-get symbol :name)))
                                           answer))))))))

(defun agent-q-fs-symbols-source--lsp (query server buffer done)
  "Have SERVER, of BUFFER, answer QUERY: call DONE with findings."
  (let* ((references (eq 'references (agent-q-fs-symbols-query-what query)))
         (method (if references :textDocument/references :textDocument/definition))
         (mode (buffer-local-value 'major-mode buffer)))
    (cond
     ((agent-q-fs-symbols-query-file query)
      (agent-q-fs-symbols-source--lsp-at query server mode method done))
     ((not references) (agent-q-fs-symbols-source--lsp-named query server done))
     (t (agent-q-fs-symbols-source--lsp-named
         query server
         (lambda (findings)
           (let ((there (and findings
                             (agent-q-fs-symbols-source--at-finding query (car findings)))))
             (if there
                 (agent-q-fs-symbols-source--lsp-at there server mode method done)
               (funcall done nil)))))))))

(defun agent-q-fs-symbols-source--at-finding (query finding)
  "Return QUERY for the name at FINDING, or nil if that may not be read."
  (let* ((workspace (agent-q-fs-symbols-query-workspace query))
         (text (plist-get (agent-q-fs-symbols-read workspace (plist-get finding :file))
                          :content)))
    (and text (agent-q-fs-symbols-make-query
               :workspace workspace :what (agent-q-fs-symbols-query-what query)
               :name (agent-q-fs-symbols-query-name query)
               :file (plist-get finding :file) :text text :line (plist-get finding :line)))))


;;;; A connected Lisp

(defun agent-q-fs-symbols-source--lisp-symbols (server name)
  "Return the form whose value is the symbols called NAME, in a Lisp with SERVER.
NAME is a string in it, and never code.  It may begin with a package."
  (let* ((var (agent-q-fs-sly--own (concat server "-io-package") "s"))
         (parts (split-string name "::?"))
         (name (car (last parts)))
         (home (and (cdr parts) (car parts))))
    `(cl:remove-if-not
      (cl:lambda (,var)
        ,(if (equal "" home)
             `(cl:keywordp ,var)
           (if home
               `(cl:eq (cl:symbol-package ,var) (cl:find-package (cl:string-upcase ,home)))
             `(cl:symbol-package ,var))))
      (cl:remove-duplicates (cl:append (cl:find-all-symbols (cl:string-upcase ,name))
                                       (cl:find-all-symbols ,name))))))

(defun agent-q-fs-symbols-source--lisp-places (query server)
  "Return the form that answers QUERY in a Lisp with SERVER: ((SPEC LOCATION)...)."
  (let ((own (apply-partially #'agent-q-fs-sly--own server))
        (var (agent-q-fs-sly--own (concat server "-io-package") "s")))
    `(cl:ignore-errors
      (cl:mapcan
       (cl:lambda (,var)
         (cl:let ((,var (cl:prin1-to-string ,var)))
           ,(if (eq 'definition (agent-q-fs-symbols-query-what query))
                `(cl:copy-list (,(funcall own "find-definitions-for-emacs") ,var))
              `(cl:mapcan (cl:function cl:copy-list)
                          (cl:mapcar (cl:function cl:cdr)
                                     (,(funcall own "xrefs")
                                      '(:calls :macroexpands :binds :references :sets
                                        :specializes)
                                      ,var))))))
       ,(agent-q-fs-symbols-source--lisp-symbols server (agent-q-fs-symbols-query-name query))))))

(defun agent-q-fs-symbols-source--lisp-descriptions (query server)
  "Return the form that describes the name of QUERY in a Lisp with SERVER.
It answers ((NAME KINDS TEXT...)...).  It describes functions and classes,
never the value of a variable: that may be a password."
  (let ((s (agent-q-fs-sly--own (concat server "-io-package") "s"))
        (out (agent-q-fs-sly--own (concat server "-io-package") "out")))
    `(cl:mapcar
      (cl:lambda (,s)
        (cl:list*
         (cl:let ((cl:*package* (cl:find-package "KEYWORD"))) (cl:prin1-to-string ,s))
         (cl:ignore-errors (,(agent-q-fs-sly--own server "describe-symbol-for-emacs") ,s))
         (cl:mapcar (cl:lambda (,s)
                      (cl:or (cl:ignore-errors
                              (cl:let ((cl:*print-length* 30) (cl:*print-level* 5))
                                (cl:with-output-to-string (,out) (cl:describe ,s ,out))))
                             ""))
                    (cl:remove nil
                               (cl:list (cl:and (cl:fboundp ,s) (cl:not (cl:special-operator-p ,s))
                                                (cl:or (cl:macro-function ,s) (cl:fdefinition ,s)))
                                        (cl:find-class ,s nil))))))
      ,(agent-q-fs-symbols-source--lisp-symbols server (agent-q-fs-symbols-query-name query)))))

(defun agent-q-fs-symbols-source--lisp-described (entry)
  "Return the words about ENTRY, a Lisp's (NAME KINDS TEXT...)."
  (pcase-let ((`(,name ,kinds . ,texts) entry))
    (concat name ": "
            (mapconcat (lambda (kind) (substring (symbol-name kind) 1))
                       (cl-loop for (kind) on kinds by #'cddr collect kind) ", ")
            (if (plist-member kinds :variable) "; its value is not shown" "")
            "\n"
            (cl-loop for (kind doc) on kinds by #'cddr
                     when (and (stringp doc) (or (null texts) (eq :variable kind)))
                     concat (concat doc "\n"))
            (mapconcat (lambda (text) (concat (string-trim text "\n+") "\n")) texts ""))))

(defun agent-q-fs-symbols-source--lisp-finding (entry)
  "Return the finding of ENTRY, a Lisp's (SPEC LOCATION); nil without a file."
  (pcase entry
    (`(,spec (:location ,where ,position . ,more))
     (let ((file (pcase where
                   (`(:file ,name) name)
                   (`(:buffer-and-file ,_ ,name) name)))
           (hints (car more)))
       (and (stringp file)
            (list :file (expand-file-name file)
                  :kind (and (stringp spec) spec)
                  :snippet (cadr (if (keywordp (car-safe hints))
                                     (memq :snippet hints)
                                   (assq :snippet hints)))
                  (if (eq :line (car-safe position)) :line :position)
                  (pcase position
                    (`(:offset ,start ,offset) (+ start offset))
                    (`(,_ ,(and (pred integerp) number) . ,_) number)
                    (_ 1))))))))

(defun agent-q-fs-symbols-source--lisp (query server evaluate done)
  "Have a Lisp with SERVER answer QUERY: call DONE with findings.
EVALUATE is a function that sends it a form and has its value."
  (if (eq 'description (agent-q-fs-symbols-query-what query))
      (funcall evaluate
               (agent-q-fs-sly-bounded
                server agent-q-fs-symbols-seconds
                (agent-q-fs-symbols-source--lisp-descriptions query server))
               (lambda (entries)
                 (funcall done (and (consp entries) (not (keywordp (car entries)))
                                    (mapcar #'agent-q-fs-symbols-source--lisp-described
                                            entries)))))
    (funcall evaluate (agent-q-fs-symbols-source--lisp-places query server)
             (lambda (entries)
               (funcall done (delq nil (mapcar #'agent-q-fs-symbols-source--lisp-finding
                                               entries)))))))

(defun agent-q-fs-symbols-source--lisp-p (query)
  "Return non-nil if a connected Lisp may know about QUERY."
  (let ((mode (agent-q-fs-symbols-query-mode query)))
    (or (null mode) (provided-mode-derived-p mode 'lisp-mode))))


;;;; Emacs Lisp, TAGS, other backends

(defun agent-q-fs-symbols-source--elisp-p (query)
  "Return non-nil if Emacs itself may know about QUERY."
  (let ((mode (agent-q-fs-symbols-query-mode query)))
    (or (null mode) (provided-mode-derived-p mode 'emacs-lisp-mode))))

(defun agent-q-fs-symbols-source--elisp-finding (item)
  "Return the finding of ITEM of xref, a definition in Emacs Lisp; or nil."
  (let ((location (xref-item-location item)))
    (when (xref-elisp-location-p location)
      (let* ((name (symbol-name (let ((symbol (xref-elisp-location-symbol location)))
                                  (if (consp symbol) (car symbol) symbol))))
             (how (cdr (assq (xref-elisp-location-type location) find-function-regexp-alist)))
             (how (if (symbolp how) (and (boundp how) (symbol-value how)) how))
             (file (replace-regexp-in-string "\\.elc\\'" ".el"
                                             (xref-elisp-location-file location))))
        (list :file (expand-file-name file)
              :pattern (if (stringp how)
                           (format how (concat "\\\\?" (regexp-quote name)))
                         (concat "^\\s-*(\\S-+ +'?" (regexp-quote name) "\\_>")))))))

(defun agent-q-fs-symbols-source--elisp (query done)
  "Have Emacs say where the name of QUERY is defined in Emacs Lisp: call DONE."
  (funcall done (and (eq 'definition (agent-q-fs-symbols-query-what query))
                     (intern-soft (agent-q-fs-symbols-query-name query))
                     (delq nil (mapcar #'agent-q-fs-symbols-source--elisp-finding
                                       (ignore-errors
                                         (xref-backend-definitions
                                          'elisp (agent-q-fs-symbols-query-name query))))))))

(defconst agent-q-fs-symbols-source--tag
  (concat "\f\n\\(.*\\),[0-9]*$"
          "\\|^\\(.*\\)\x7f\\(?:\\(.*\\)\x01\\)?\\([0-9]+\\),")
  "A line of a TAGS file: of a file, or of a tag with its text, name and line.")

(defun agent-q-fs-symbols-source--tags (query done)
  "Look in the root's TAGS for the name of QUERY: call DONE with findings."
  (let* ((workspace (agent-q-fs-symbols-query-workspace query))
         (text (plist-get (agent-q-fs-symbols-read workspace "TAGS") :content))
         (name (agent-q-fs-symbols-query-name query))
         file findings)
    (when (and text (eq 'definition (agent-q-fs-symbols-query-what query)))
      (with-temp-buffer
        (insert text)
        (goto-char (point-min))
        (while (re-search-forward agent-q-fs-symbols-source--tag nil t)
          (if (match-string 1)
              (setq file (agent-q-fs-path-name workspace (match-string 1)))
            (let ((of (match-string 2)) (tag (match-string 3))
                  (line (string-to-number (match-string 4)))
                  (case-fold-search nil))
              (when (if tag (equal name tag)
                      (string-match-p (concat (agent-q-fs-symbols-source--whole name)
                                              "\\W*\\'")
                                      of))
                (push (list :file file :line line :snippet of) findings)))))))
    (funcall done (nreverse findings))))

(defun agent-q-fs-symbols-source--other-backends (query)
  "Return other backends of xref that may know QUERY: (BACKEND . BUFFER)."
  (let (seen found)
    (dolist (buffer (agent-q-fs-symbols-source--buffers (agent-q-fs-symbols-query-workspace query))
                    found)
      (when (agent-q-fs-symbols-source--fits-p query buffer)
        (let ((backend (with-current-buffer buffer (ignore-errors (xref-find-backend)))))
          (unless (memq backend (append seen '(nil eglot elisp etags)
                                        '(sly slime xref-sly xref-slime)))
            (push backend seen)
            (push (cons backend buffer) found)))))))

(defun agent-q-fs-symbols-source--xref (query backend buffer done)
  "Have BACKEND of xref, of BUFFER, answer QUERY: call DONE with findings."
  (funcall
   done
   (with-current-buffer buffer
     (cl-loop for item in (ignore-errors
                            (funcall (if (eq 'definition (agent-q-fs-symbols-query-what query))
                                         #'xref-backend-definitions
                                       #'xref-backend-references)
                                     backend (agent-q-fs-symbols-query-name query)))
              for location = (xref-item-location item)
              for line = (ignore-errors (xref-location-line location))
              when (integerp line)
              collect (list :file (expand-file-name (xref-location-group location))
                            :line line)))))


(defun agent-q-fs-symbols-source-index (text mode)
  "Return (LINE NAME GROUP) for the symbols that Imenu finds in TEXT, in MODE."
  (with-current-buffer (let ((inhibit-message t)) (agent-q-fs-show--text-buffer mode))
    (let ((inhibit-modification-hooks t) (inhibit-read-only t) (inhibit-message t)
          (imenu-auto-rescan-maxout (1+ (* 2 (length text)))) found)
      (unwind-protect
          (progn
            (erase-buffer)
            (insert text)
            (cl-labels
                ((walk (entries group)
                   (dolist (entry entries)
                     (let ((at (cdr-safe entry)))
                       (cond ((imenu--subalist-p entry)
                              (walk at (if group (concat group "/" (car entry)) (car entry))))
                             ((consp entry)
                              (let ((place (cond ((overlayp at) (overlay-start at))
                                                 ((consp at) (car at))
                                                 (t at))))
                                (when (integer-or-marker-p place)
                                  (push (list (line-number-at-pos place t)
                                              (substring-no-properties (car entry)) group)
                                        found)))))))))
              (walk (ignore-errors (funcall imenu-create-index-function)) nil)))
        (erase-buffer))
      (sort found (lambda (a b) (< (car a) (car b)))))))

;;;; All of them

(defun agent-q-fs-symbols-source-all (query)
  "Return what may answer QUERY, as (LABEL . SOURCE)."
  (let ((workspace (agent-q-fs-symbols-query-workspace query)))
    (when (eq :host (plist-get (agent-q-fs-workspace-facts workspace) :backend))
      (append
       (mapcar (lambda (server)
                 (cons "Eglot's server" (lambda (done) (agent-q-fs-symbols-source--lsp
                                                        query (car server) (cdr server) done))))
               (agent-q-fs-symbols-source--eglot-servers query))
       (when (agent-q-fs-symbols-source--lisp-p query)
         (mapcar (pcase-lambda (`(,label ,server ,evaluate))
                   (cons label (apply-partially #'agent-q-fs-symbols-source--lisp query server
                                                evaluate)))
                 (agent-q-fs-sly-lisps workspace)))
       (when (agent-q-fs-symbols-source--elisp-p query)
         `(("Emacs" . ,(apply-partially #'agent-q-fs-symbols-source--elisp query))))
       (mapcar (lambda (other)
                 (cons (format "xref (%s)" (car other))
                       (lambda (done)
                         (agent-q-fs-symbols-source--xref query (car other) (cdr other) done))))
               (agent-q-fs-symbols-source--other-backends query))
       (when (agent-q-fs-coedit-visible-p workspace (agent-q-fs-path-name workspace "TAGS"))
         `(("TAGS" . ,(apply-partially #'agent-q-fs-symbols-source--tags query))))))))

;;;; Uses as text

(defun agent-q-fs-symbols-source-as-text (query done)
  "Search the project for the name of QUERY as a whole word, and call DONE.
It gets the core's reply, or an error (SYMBOL . DATA)."
  (let* ((name (agent-q-fs-symbols-query-name query))
         (file (agent-q-fs-symbols-query-file query))
         (extension (and file (file-name-extension file)))
         (part (if (agent-q-fs-symbols-source--dashed-p query) "[\\w*+!?<>=/%&$-]" "\\w"))
         (job (agent-q-fs-call-async
               (agent-q-fs-symbols-query-workspace query) 'grep_files
               (append (list :pattern (format "(?<!%s)\\Q%s\\E(?!%s)" part
                                              (string-replace "\\E" "" name) part)
                             :limit (agent-q-fs-symbols-query-limit query))
                       (and extension (list :include (concat "*." extension))))
               :authority 'safe :origin 'model :on-done done :on-error done)))
    (lambda () (agent-q-fs-job-cancel job))))

(defun agent-q-fs-symbols-source--dashed-p (query)
  "Return non-nil if names in the language of QUERY may have hyphens."
  (let ((mode (agent-q-fs-symbols-query-mode query)))
    (or (string-search "-" (agent-q-fs-symbols-query-name query))
        (and mode (or (agent-q-fs-symbols-source--lisp-p query)
                      (agent-q-fs-symbols-source--elisp-p query))))))


(defun agent-q-fs-symbols-source-absent (query)
  "Return what to do where nothing knows about names like that of QUERY."
  (let ((mode (agent-q-fs-symbols-query-mode query))
        (ask "grep_files finds it as text"))
    (cond
     ((not (eq :host (plist-get (agent-q-fs-workspace-facts
                                 (agent-q-fs-symbols-query-workspace query))
                                :backend)))
      (format "Nothing knows symbols of files that are not on this machine's disk; %s." ask))
     ((and mode (provided-mode-derived-p mode 'lisp-mode))
      (format "No Lisp is connected to this Emacs: ask the user for M-x sly or M-x slime with \
the project loaded, or for a TAGS file in the root.  Else %s." ask))
     (t (format "Nothing here knows symbols%s: ask the user for M-x eglot in one of these files, \
or for a TAGS file in the root (etags).  Else %s."
                (if mode (format " of %s" (string-remove-suffix "-mode" (symbol-name mode))) "")
                ask)))))

(provide 'agent-q-fs-symbols-source)
;;; agent-q-fs-symbols-source.el ends here
