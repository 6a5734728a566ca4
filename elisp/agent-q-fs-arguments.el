;;; agent-q-fs-arguments.el --- Arguments, of models and persons  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A model's arguments are a JSON object, and each JSON parser in Emacs represents
;; one in another way: property lists, alists, hash tables, keys that are
;; strings, symbols or keywords, or the text itself.
;; `agent-q-fs-arguments-plist' makes one form of all of these.  The core checks
;; the arguments of its operations; `agent-q-fs-arguments-check' has it check those
;; of other tools.  The options with which a program opens a workspace are looked at here, too.

;; A person changes the arguments of a call in a buffer (`agent-q-fs-edit-start').

;;; Code:

(require 'agent-q-fs)
(require 'agent-q-fs-approve)
(require 'json)
(require 'cl-lib)
(require 'seq)
(require 'subr-x)

(declare-function agent-q-fs-show-mode-of "agent-q-fs-show" (name))
(defvar agent-q-fs-show-inkless)
(declare-function agent-q-fs--mod-check "ext:agent-q-fs-module.so" (params arguments))

(defun agent-q-fs-arguments--object (text)
  "Return the object that TEXT, JSON, is."
  (let ((object (and (string-match-p "\\`[ \t\r\n]*{" text)
                     (ignore-errors (agent-q-fs--json-parse text)))))
    (if (hash-table-p object)
        object
      (agent-q-fs--fail :invalid-argument "arguments: expected an object"))))

(defun agent-q-fs-arguments--pairs (object)
  "Return the members of OBJECT, a JSON object, as a list of (NAME . VALUE)."
  (cond
   ((hash-table-p object)
    (let (pairs)
      (maphash (lambda (name value) (push (cons name value) pairs)) object)
      (nreverse pairs)))
   ((stringp object) (agent-q-fs-arguments--pairs (agent-q-fs-arguments--object object)))
   ((not (proper-list-p object))
    (agent-q-fs--fail :invalid-argument "arguments: expected an object"))
   ((and (consp (car object)) (seq-every-p #'consp object)) object)
   (t
    (unless (zerop (% (length object) 2))
      (agent-q-fs--fail :invalid-argument "arguments: the last name has no value"))
    (let (pairs)
      (while object
        (push (cons (pop object) (pop object)) pairs))
      (nreverse pairs)))))

(defun agent-q-fs-arguments--name (name)
  "Return NAME, that of an argument, as a string or a keyword."
  (cond ((keywordp name) name)
        ((stringp name) name)
        ((and name (symbolp name)) (symbol-name name))
        (t (agent-q-fs--fail :invalid-argument "arguments: %S is no name" name))))

(defun agent-q-fs-arguments--keyword (name)
  "Return the keyword for NAME, that of a member inside an argument."
  (let ((name (agent-q-fs-arguments--name name)))
    (cond ((keywordp name) name)
          ;; Emacs keeps symbols for ever, so names that a model makes up are not interned.
          ((string-match-p "\\`[a-z][a-z_]\\{0,30\\}\\'" name) (intern (concat ":" name)))
          (t (agent-q-fs--fail :invalid-argument "arguments: there is no %s"
                               (truncate-string-to-width name 40))))))

(defun agent-q-fs-arguments--object-p (value)
  "Non-nil when VALUE, inside an argument, is a JSON object but no property list."
  (or (hash-table-p value)
      (and (proper-list-p value)
           (consp (car value))
           (caar value)
           (not (keywordp (caar value)))
           (or (symbolp (caar value)) (stringp (caar value))))))

(defun agent-q-fs-arguments--value (value)
  "Return VALUE with every object in it as a property list."
  (cond
   ((agent-q-fs-arguments--object-p value)
    (mapcan (lambda (pair)
              (list (agent-q-fs-arguments--keyword (car pair))
                    (agent-q-fs-arguments--value (cdr pair))))
            (agent-q-fs-arguments--pairs value)))
   ((vectorp value) (vconcat (mapcar #'agent-q-fs-arguments--value value)))
   ((and (consp value) (proper-list-p value)) (mapcar #'agent-q-fs-arguments--value value))
   ;; json.el returns these if it is told to.
   ((eq value :json-false) :false)
   ((eq value :json-null) :null)
   (t value)))

(defun agent-q-fs-arguments-plist (arguments)
  "Return ARGUMENTS, a JSON object, as a property list for `agent-q-fs-call'.
Its names may be strings: names that a model makes up are not interned."
  (mapcan (lambda (pair)
            (list (agent-q-fs-arguments--name (car pair))
                  (agent-q-fs-arguments--value (cdr pair))))
          (agent-q-fs-arguments--pairs arguments)))

(defun agent-q-fs-arguments-of (params given)
  "Return the arguments GIVEN to a tool with PARAMS as a property list.
GIVEN may be the text itself, for the one parameter that the tool
requires, such as the patch of apply_patch_freeform."
  (let* ((required (seq-filter (lambda (param) (plist-get param :required)) params))
         (only (and (not (cdr required)) (car required))))
    (if (and (eq :string (plist-get only :type)) (stringp given)
             (not (string-match-p "\\`[ \t\r\n]*{" given)))
        (list (intern (concat ":" (plist-get only :name))) given)
      (agent-q-fs-arguments-plist given))))

(defun agent-q-fs-arguments-check (params plist)
  "Return the arguments in PLIST as PARAMS have them, or signal an error.
The core checks them by the function that checks its operations'.  The
names become keywords with underscores, such as :timeout_ms.  Arguments
that were not given have their defaults."
  (agent-q-fs-module-load)
  (agent-q-fs--read (agent-q-fs--mod-check params plist)))


;;;; Options of programs

(defun agent-q-fs-arguments-near-name (option name)
  "Return NAME, which a program gave as OPTION; refuse one of another machine.
To connect there runs programs and asks for passwords, so a person begins it."
  (when (and (stringp name) (file-remote-p name))
    (agent-q-fs--fail :invalid-argument
                      "%s: %s is on another machine, where only a person opens a project"
                      (string-remove-prefix ":" (format "%s" option)) name))
  name)

(defun agent-q-fs-arguments-near (options)
  "Return OPTIONS, which a program gave; refuse those that name another machine.
The directory here may be there, and say where the project is."
  (cl-loop for (name value) on options by #'cddr
           do (agent-q-fs-arguments-near-name name value))
  (agent-q-fs-arguments-near-name
   :root (agent-q-fs--remote-directory (plist-get options :root) options))
  options)

(defun agent-q-fs-arguments-workspace ()
  "Return the workspace of a program here that names none.
On another machine that is one which a person has opened."
  (unless (or agent-q-fs-workspace (agent-q-fs-found-workspace))
    (agent-q-fs-arguments-near (default-value 'agent-q-fs-open-options)))
  (agent-q-fs-current-workspace))


;;;; Arguments as a person changes them

;; In a buffer, each stands under a line with its name: a string as it is, others as JSON.
(defvar-local agent-q-fs-edit--request nil
  "The request whose arguments are in this buffer.")

(defvar-local agent-q-fs-edit--then nil
  "The function that gets the request to do instead, or nil for the one there was.")

(defvar-local agent-q-fs-edit--fields nil
  "The arguments, as a list of (KEY TEXT-P START END), the last two markers.")

(defvar agent-q-fs-edit-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map "\C-c\C-c" #'agent-q-fs-edit-accept)
    (define-key map "\C-c\C-k" #'agent-q-fs-edit-cancel)
    map)
  "Keys while the arguments of a call are edited.")

(define-minor-mode agent-q-fs-edit-mode
  "Change the arguments of a model's call.
The major mode is that of the file, without its hooks.
\\{agent-q-fs-edit-mode-map}"
  :lighter " Edit call"
  :interactive nil
  (setq-local bidi-display-reordering nil
              bidi-paragraph-direction 'left-to-right
              enable-local-variables nil
              glyphless-char-display (agent-q-fs-edit--glyphs)
              header-line-format
              (substitute-command-keys
               "\\<agent-q-fs-edit-mode-map>\\[agent-q-fs-edit-accept] shows what this \
would do, \\[agent-q-fs-edit-cancel] goes back")))

(defun agent-q-fs-edit--glyphs ()
  "Return a table that shows invisible characters as numbers in boxes."
  (let ((table (copy-sequence glyphless-char-display)))
    (pcase-dolist (`(,first . ,last) agent-q-fs-show-inkless)
      (when (< 127 last #x3fff80)       ; Emacs shows the others in its own way
        (set-char-table-range table (cons (max 128 first) last) 'hex-code)))
    table))

(defun agent-q-fs-edit--label (key)
  "Insert the line above the argument KEY."
  (insert (propertize (format "%s──── %s ────\n" (if (bobp) "" "\n")
                              (string-remove-prefix ":" (format "%s" key)))
                      'face 'bold 'read-only t 'rear-nonsticky t
                      ;; Before the first label is no argument.
                      'front-sticky (and (bobp) '(read-only)))))

(defun agent-q-fs-edit--json (value)
  "Return VALUE, an argument, as JSON."
  (let ((json-false :false) (json-null :null))
    (if (null value) "false" (json-encode value))))

(defun agent-q-fs-edit--fill (arguments)
  "Insert ARGUMENTS, a property list."
  (let (fields)
    (while arguments
      (let* ((key (pop arguments)) (value (pop arguments)) start)
        (agent-q-fs-edit--label key)
        (setq start (point))
        (insert (if (stringp value)
                    (substring-no-properties value)
                  (agent-q-fs-edit--json value)))
        (push (list key (stringp value) start (point)) fields)))
    ;; This is no text, so that what is typed at the end of the buffer is in the last argument.
    (overlay-put (make-overlay (point) (point) nil t t) 'after-string
                 (concat (propertize " " 'cursor t) ; where the cursor is shown
                         (propertize "\n──── end ────\n" 'face 'shadow)))
    ;; Markers only now: nothing is inserted before them any more but by the person.
    (setq agent-q-fs-edit--fields
          (mapcar (lambda (field)
                    (list (nth 0 field) (nth 1 field)
                          (copy-marker (nth 2 field)) (copy-marker (nth 3 field) t)))
                  (nreverse fields)))))

(defun agent-q-fs-edit--arguments ()
  "Return the arguments that the buffer says."
  (mapcan (pcase-lambda (`(,key ,text-p ,start ,end))
            (let ((text (buffer-substring-no-properties start end)))
              (list key
                    (if text-p
                        text
                      (let ((json-object-type 'plist) (json-array-type 'vector)
                            (json-false :false) (json-null :null))
                        (condition-case nil
                            (json-read-from-string text)
                          (error (user-error "%s: this is no JSON: %s" key text))))))))
          agent-q-fs-edit--fields))

(defun agent-q-fs-edit--file (request)
  "Return the name of the file that REQUEST is about, or nil."
  (plist-get (seq-find (lambda (target) (not (memq (plist-get target :action) '(:make :run-in))))
                       (agent-q-fs-request-targets request))
             :path))

(defun agent-q-fs-edit-start (request then)
  "Return a buffer in which the person changes the arguments of REQUEST.
When they are done, THEN is called with the request that they made, or with
nil if there is none.  The buffer is killed before."
  (let ((buffer (generate-new-buffer "*agent-q-fs edit*")))
    (with-current-buffer buffer
      (let ((mode (agent-q-fs-show-mode-of (agent-q-fs-edit--file request))))
        (when mode
          (delay-mode-hooks (funcall mode))
          (font-lock-mode 1)))
      (agent-q-fs-edit-mode)
      (setq agent-q-fs-edit--request request
            agent-q-fs-edit--then then)
      (agent-q-fs-edit--fill (agent-q-fs-request-arguments request))
      (set-buffer-modified-p nil)
      (setq buffer-undo-list nil)
      (goto-char (nth 2 (or (car (last agent-q-fs-edit--fields)) (list nil nil (point-min)))))
      (add-hook 'kill-buffer-hook #'agent-q-fs-edit--killed nil t))
    buffer))

(defun agent-q-fs-edit--killed ()
  "Say that the person gave up, because the buffer is being killed."
  (let ((then agent-q-fs-edit--then))
    (setq agent-q-fs-edit--then nil)
    (when then (funcall then nil))))

(defun agent-q-fs-edit-abandon (buffer)
  "Kill BUFFER, in which arguments were edited, and tell nobody."
  (when (buffer-live-p buffer)
    (with-current-buffer buffer
      (setq agent-q-fs-edit--then nil)
      (set-buffer-modified-p nil))
    (kill-buffer buffer)))

(defun agent-q-fs-edit--printed (arguments)
  "Return ARGUMENTS as text, so that equal arguments give equal text."
  (let (values)
    (while arguments
      (push (format "%s" (pop arguments)) values)
      (push (let ((value (pop arguments)))
              (if (stringp value)
                  (substring-no-properties value)
                (agent-q-fs-edit--json value)))
            values))
    values))

(defun agent-q-fs-edit--same-p (request arguments)
  "Return non-nil if ARGUMENTS are those of REQUEST."
  (apply #'equal (mapcar #'agent-q-fs-edit--printed
                         (list arguments (agent-q-fs-request-arguments request)))))

(defun agent-q-fs-edit--made ()
  "Return the request that the buffer describes, or nil if nothing was changed."
  (let ((request agent-q-fs-edit--request)
        (arguments (agent-q-fs-edit--arguments)))
    (unless (agent-q-fs-edit--same-p request arguments)
      (condition-case problem
          (funcall (agent-q-fs-request-remake request)
                   (agent-q-fs-request-tool request) arguments)
        (agent-q-fs-error
         (user-error "%s" (plist-get (cdr problem) :message)))))))

(defun agent-q-fs-edit--leave (made)
  "Leave the buffer, and go on with the request MADE, or nil."
  (let ((then agent-q-fs-edit--then))
    (agent-q-fs-edit-abandon (current-buffer))
    (funcall then made)))

(defun agent-q-fs-edit-accept ()
  "Show what the call would do as it is in the buffer by now."
  (interactive)
  (agent-q-fs-edit--leave (agent-q-fs-edit--made)))

(defun agent-q-fs-edit-cancel ()
  "Go back to the question whether to do the call as it was made."
  (interactive)
  (agent-q-fs-edit--leave nil))

(provide 'agent-q-fs-arguments)
;;; agent-q-fs-arguments.el ends here
