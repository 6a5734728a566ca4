;;; draw.el --- Draw single-point mutants of Lisp sources  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Emacs --batch -l draw.el -f draw-write SEED N FILE...      writes records as in ../named
;; Emacs --batch -l draw.el -f draw-write-all FILE            every mutant that there is
;;
;; Reads Emacs Lisp and Common Lisp by their syntax tables, so that each form has its place
;; in the text.  The mutants of a definition depend on its text and the seed alone: a
;; change elsewhere does not move it.  The share of a file grows with the places it has, and
;; there is a stock beyond it, as of C (../draw.awk).
;;
;; Docstrings, messages and quoted data that no decision looks at are left alone.

;;; Code:

(require 'cl-lib)
(require 'seq)
(require 'subr-x)

(defconst draw-weights
  '((logic . 3) (when . 2) (branches . 3) (condition . 4) (clause . 3) (form . 4)
    (comparison . 3) (number . 2) (constant . 3) (boolean . 2) (binding . 2) (string . 1))
  "How often each kind is drawn where a file has all kinds.")

(defconst draw-sets
  '((safe cautious dangerous)
    (read-only tiered always never)
    (policy remembered approved edited hunks denied)
    (approve deny)
    (denied read-only approval-required cancelled stale invalid-argument)
    (plan commit)
    (none bubblewrap podman)
    (save ask refuse)
    (shows follows replaced rewritten gone)
    (write copy make move delete)
    (file directory symlink missing)
    (host memory session)
    (true false null)
    (ffi emacs)
    (read-only moderate modifying dangerous))
  "Words that stand for one another: as symbols, keywords and strings.")

(defconst draw-left-out "\\`agent-q-fs-exec-podman"
  "Places that are not drawn: `make commands' alone runs the tests of podman.
Nor are calls of these functions.")

(defconst draw-stock 12 "How many mutants a file has beyond its share.")


;;;; Reading

(cl-defstruct (draw-node (:constructor draw-node-make (prefix beg end children)) (:copier nil))
  "A form: where its PREFIX (a quote, say) and it itself begin, and where it ends.
CHILDREN are the forms in it, or `atom' for what is no list."
  prefix beg end children)

(defun draw-text (node)
  "Return the text of NODE without its prefix."
  (buffer-substring-no-properties (draw-node-beg node) (draw-node-end node)))

(defun draw-quote (node)
  "Return what stands before NODE, such as a quote."
  (buffer-substring-no-properties (draw-node-prefix node) (draw-node-beg node)))

(defun draw-atom-p (node)
  "Non-nil when NODE is an atom."
  (eq 'atom (draw-node-children node)))

(defun draw-list (node)
  "Return the forms in NODE, a list; nil for an atom."
  (and (not (draw-atom-p node)) (draw-node-children node)))

(defun draw-head (node)
  "Return the text of the first form in NODE, or an empty string."
  (let ((first (car (draw-list node))))
    (if (and first (draw-atom-p first) (equal "" (draw-quote first))) (draw-text first) "")))

(defun draw-read ()
  "Return the node at point, and move behind it.
Return nil where a list or the buffer ends."
  (forward-comment (buffer-size))
  (let ((prefix (point)))
    (skip-chars-forward "'`,@")
    (when (looking-at "#['(]") (forward-char))
    (skip-chars-forward "'")
    (let ((beg (point)))
      (cond
       ((eq ?\( (char-after))
        (forward-char)
        (let (children child)
          (while (setq child (draw-read)) (push child children))
          (forward-char)
          (draw-node-make prefix beg (point) (draw-for-all-lisps (nreverse children)))))
       ((or (eobp) (eq ?\) (char-after))) nil)
       (t (goto-char (or (scan-sexps (point) 1) (point-max)))
          (draw-node-make prefix beg (point) 'atom))))))

(defun draw-for-all-lisps (nodes)
  "Return NODES without those that only some Lisps have, behind #+ or #-."
  (let (kept)
    (while nodes
      (let* ((node (pop nodes))
             (text (if (draw-atom-p node) (draw-text node) "")))
        (if (string-match "\\`#[-+]\\(.?\\)" text)
            (setq nodes (nthcdr (if (equal "" (match-string 1 text)) 2 1) nodes))
          (push node kept))))
    (nreverse kept)))

(defun draw-top-level ()
  "Return the nodes of this buffer."
  (goto-char (point-min))
  (let (nodes node)
    (while (setq node (draw-read)) (push node nodes))
    (nreverse nodes)))


;;;; Places

(defvar draw--sites nil "The mutants found so far: lists (KIND BEG END TEXT PLACE).")
(defvar draw--place nil "The name of the definition that is read.")

(defun draw-site (kind beg end text)
  "Note that a mutant of KIND has TEXT from BEG to END."
  (unless (or (string-match-p draw-left-out draw--place)
              (string-match-p (substring draw-left-out 2) (buffer-substring-no-properties beg end)))
    (push (list kind beg end text draw--place) draw--sites)))

(defun draw-instead (kind node text)
  "Note that a mutant of KIND has TEXT instead of NODE, prefix and all."
  (draw-site kind (draw-node-prefix node) (draw-node-end node) text))

(defun draw-rename (kind node head)
  "Note that a mutant of KIND has HEAD as the function of NODE."
  (let ((first (car (draw-list node))))
    (draw-site kind (draw-node-beg first) (draw-node-end first) head)))

(defun draw-whole (node)
  "Return the text of NODE with its prefix."
  (concat (draw-quote node) (draw-text node)))

(defun draw-drop (kind node)
  "Note that a mutant of KIND lacks NODE."
  (draw-instead kind node ""))

(defun draw-constant-p (node)
  "Non-nil when NODE is a constant: nothing can be made of it as a condition."
  (and (draw-atom-p node)
       (string-match-p "\\`\\(?:t\\|nil\\|otherwise\\|:.*\\|\".*\\)\\'" (draw-text node))))

(defun draw-condition (node)
  "Note the mutants of NODE, a condition."
  (unless (draw-constant-p node)
    (draw-instead 'condition node (format "(not %s)" (draw-whole node)))
    (draw-instead 'condition node "t")
    (draw-instead 'condition node "nil")))

(defun draw-string-p (node)
  "Non-nil when NODE is a string."
  (and (draw-atom-p node) (string-prefix-p "\"" (draw-text node))))

(defun draw-body (nodes)
  "Note the mutants of NODES, the forms of a body, and of all in them.
One goes away only where there are others."
  (when (cdr nodes)
    (dolist (node nodes)
      (unless (or (draw-atom-p node) (member (draw-head node) '("declare" "interactive")))
        (draw-drop 'form node))))
  (mapc #'draw-form nodes))

(defun draw-definition-body (nodes)
  "Note the mutants of NODES, the body of a function, without its docstring."
  (draw-body (if (and (cdr nodes) (draw-string-p (car nodes))) (cdr nodes) nodes)))

(defun draw-parameters (node)
  "Note the mutants of the defaults in NODE, a list of parameters.
What stands beside a required one is the class that a method is for."
  (let ((optional nil))
    (dolist (parameter (draw-list node))
      (cond ((draw-atom-p parameter)
             (when (string-prefix-p "&" (draw-text parameter)) (setq optional t)))
            (optional (mapc #'draw-form (cdr (draw-list parameter))))))))

(defun draw-bindings (node)
  "Note the mutants of NODE, the bindings of a let."
  (dolist (binding (draw-list node))
    (let ((value (cadr (draw-list binding))))
      (when value
        (unless (member (draw-text value) '("nil" "t")) (draw-instead 'binding value "nil"))
        (draw-form value)))))

(defun draw-functions (node)
  "Note the mutants of NODE, the functions of a flet."
  (dolist (function (draw-list node))
    (draw-parameters (nth 1 (draw-list function)))
    (draw-definition-body (nthcdr 2 (draw-list function)))))

(defun draw-clauses (nodes condition)
  "Note the mutants of NODES, clauses.
CONDITION is called with what each begins with."
  (dolist (clause nodes)
    (when (cdr nodes) (draw-drop 'clause clause))
    (when (draw-list clause)
      (funcall condition (car (draw-list clause)))
      (draw-body (cdr (draw-list clause))))))

(defun draw-if (nodes)
  "Note the mutants of NODES, what is in an if."
  (pcase nodes
    (`(,condition ,then ,else)
     (draw-site 'branches (draw-node-prefix then) (draw-node-end else)
                (concat (draw-whole else) " " (draw-whole then)))
     (draw-condition condition))
    (`(,condition . ,_) (draw-condition condition)))
  (mapc #'draw-form nodes))

(defun draw-logic (node head)
  "Note the mutants of NODE, an `and' or `or', which HEAD says."
  (when (cddr (draw-list node))
    (draw-rename 'logic node (if (equal head "and") "or" "and"))
    (dolist (part (cdr (draw-list node)))
      (unless (draw-constant-p part)
        (draw-instead 'condition part (if (equal head "and") "t" "nil"))
        (draw-instead 'condition part (format "(not %s)" (draw-whole part))))))
  (mapc #'draw-form (cdr (draw-list node))))

(defconst draw-comparisons
  '(("<" . "<=") ("<=" . "<") (">" . ">=") (">=" . ">") ("=" . "/=") ("/=" . "=")
    ("zerop" . "null") ("plusp" . "numberp") ("every" . "some") ("some" . "every")
    ("seq-every-p" . "seq-some") ("string-prefix-p" . "string-suffix-p"))
  "Functions that are exchanged.")

(defconst draw-equalities
  '("eq" "eql" "equal" "string=" "string-equal" "char=" "memq" "member" "not" "null"
    "string-match-p" "listp" "consp" "stringp" "symbolp" "keywordp")
  "Functions whose answers are turned around.")

(defconst draw-looking
  '("equal" "string=" "member" "assoc" "string-prefix-p" "string-suffix-p" "string-equal" "find"
    "gethash" "getenv")
  "Functions whose strings decide something.")

(defun draw-call (node head)
  "Note the mutants of NODE, a call of HEAD."
  (let ((other (assoc head draw-comparisons)))
    (cond (other (draw-rename 'comparison node (cdr other)))
          ((member head draw-equalities)
           (draw-instead 'comparison node (format "(not %s)" (draw-whole node))))))
  (dolist (argument (cdr (draw-list node)))
    (when (member (draw-text argument) '("t" "nil"))
      (unless (equal head "format") (draw-instead 'boolean argument
                                                  (if (equal "t" (draw-text argument)) "nil" "t"))))
    (when (and (draw-string-p argument) (member head draw-looking))
      (draw-other-string argument))
    (draw-form argument)))

(defun draw-other-string (node)
  "Note the mutant of NODE, a string, that is another one."
  (draw-instead 'string node (concat (substring (draw-text node) 0 -1) "x\"")))

(defun draw-atom (node &optional pattern)
  "Note the mutants of NODE, an atom.
With PATTERN it is quoted, or stands where a symbol is one."
  (let* ((text (draw-text node))
         (keyword (string-prefix-p ":" text))
         (string (string-match-p "\\`\"[a-z-]+\"\\'" text))
         (word (cond (keyword (substring text 1))
                     (string (substring text 1 -1))
                     (t text))))
    (cond
     ((string-match-p "\\`[0-9]+\\'" text)
      (draw-instead 'number node (number-to-string (1+ (string-to-number text))))
      (when (string-match-p "[1-9]" text)
        (draw-instead 'number node (number-to-string (1- (string-to-number text))))))
     ((or keyword string pattern (member (draw-quote node) '("'")))
      (let ((set (seq-find (lambda (set) (memq (intern word) set)) draw-sets)))
        (when set
          (let ((next (symbol-name (or (cadr (memq (intern word) set)) (car set)))))
            (draw-site 'constant (draw-node-beg node) (draw-node-end node)
                       (cond (keyword (concat ":" next))
                             (string (format "%S" next))
                             (t next))))))))))

(defun draw-data (node)
  "Note the mutants of NODE, which is quoted."
  (cond ((draw-atom-p node)
         (if (draw-string-p node) (draw-other-string node) (draw-atom node t)))
        (t
         (let ((before ""))
           (dolist (child (draw-list node))
             ;; Words for people decide nothing.
             (unless (member before '(":doc" ":title")) (draw-data child))
             (setq before (if (draw-atom-p child) (draw-text child) "")))))))

(defun draw-pattern (node)
  "Note the mutants of NODE, what a clause of a pcase or case compares with."
  (cond ((draw-string-p node) (draw-other-string node))
        ((draw-atom-p node) (draw-atom node t))
        (t (mapc #'draw-pattern (draw-list node)))))

(defun draw-skipped-p (node)
  "Non-nil when NODE decides nothing, or only which of the Lisps has a form."
  (string-match-p (concat "\\`\\(?:declare\\(?:-function\\)?\\|interactive\\|require\\|provide"
                          "\\|autoload\\|in-package\\|defgroup\\|defface\\|defpackage\\|define-condition"
                          "\\|defgeneric\\|cl-defgeneric\\|message\\|format\\|error\\|user-error"
                          "\\|defmacro\\|function-put\\|put\\|eval-when\\)\\'")
                  (draw-head node)))

(defun draw-form (node)
  "Note the mutants of NODE, a form, and of all that is in it."
  (let* ((quote (draw-quote node))
         (nodes (draw-list node))
         (head (draw-head node))
         (rest (cdr nodes)))
    (cond
     ((draw-atom-p node) (draw-atom node))
     ((member quote '("'" "#")) (draw-data node))
     ((draw-skipped-p node))
     (t (draw-list-form node head rest)))))

(defun draw-list-form (node head rest)
  "Note the mutants of NODE, a list with HEAD and the REST of forms."
  (pcase head
    ((or "defun" "cl-defun" "defsubst" "cl-defmethod" "defmethod" "define-derived-mode")
     (let ((tail (cdr rest)))
       (while (and tail (draw-atom-p (car tail))) (pop tail)) ; qualifiers
       (draw-parameters (car tail))
       (draw-definition-body (cdr tail))))
    ((or "defcustom" "defvar" "defconst" "defparameter" "defvar-local" "cl-defstruct" "defstruct")
     (if (string-match-p "struct" head)
         (dolist (slot (cdr rest))
           (when (cdr (draw-list slot)) (draw-form (nth 1 (draw-list slot)))))
       (when (cdr rest) (draw-form (nth 1 rest)))))
    ("lambda" (draw-parameters (car rest)) (draw-definition-body (cdr rest)))
    ((or "let" "let*" "if-let" "when-let" "if-let*" "when-let*")
     (draw-bindings (car rest))
     (draw-body (cdr rest)))
    ((or "flet" "labels" "cl-flet" "cl-labels")
     (draw-functions (car rest))
     (draw-body (cdr rest)))
    ("cl-letf" (draw-body (cdr rest)))
    ((or "when" "unless")
     (draw-rename 'when node (if (equal head "when") "unless" "when"))
     (draw-condition (car rest))
     (draw-form (car rest))
     (draw-body (cdr rest)))
    ("while"
     (draw-instead 'condition (car rest) "nil")
     (draw-form (car rest))
     (draw-body (cdr rest)))
    ("if" (draw-if rest))
    ("cond" (draw-clauses rest (lambda (test) (draw-condition test) (draw-form test))))
    ((or "pcase" "pcase-exhaustive" "case" "ecase" "cl-case" "cl-ecase" "typecase" "etypecase")
     (draw-form (car rest))
     (draw-clauses (cdr rest) #'draw-pattern))
    ((or "condition-case" "restart-case" "handler-bind" "restart-bind")
     (when (equal head "condition-case") (pop rest))
     (draw-form (car rest))
     (dolist (handler (cdr rest)) (draw-body (cdr (draw-list handler)))))
    ("handler-case"
     (draw-form (car rest))
     (dolist (handler (cdr rest)) (draw-body (nthcdr 2 (draw-list handler)))))
    ((or "progn" "prog1" "unwind-protect" "save-excursion" "save-restriction" "save-current-buffer"
         "uninterrupted")
     (draw-body rest))
    ((or "with-current-buffer" "dolist" "dotimes" "pcase-dolist" "with-lock" "do-request"
         "multiple-value-bind" "destructuring-bind")
     (mapc #'draw-form (cdr (draw-list (car rest))))
     (draw-body (cdr rest)))
    ((or "and" "or") (draw-logic node head))
    ((or "setq" "setf") (mapc #'draw-form rest))
    ((or "cl-loop" "loop") (draw-loop rest))
    (_ (draw-call node head))))

(defun draw-loop (nodes)
  "Note the mutants of NODES, what is in a loop."
  (while nodes
    (when (member (draw-text (car nodes)) '("when" "unless" "if"))
      (when (cdr nodes) (draw-condition (cadr nodes))))
    (draw-form (car nodes))
    (pop nodes)))

(defun draw-sites (file)
  "Return all mutants of FILE, which is in this buffer.
Each is (KIND BEG END TEXT PLACE)."
  (delay-mode-hooks
    (if (string-suffix-p ".el" file) (emacs-lisp-mode) (lisp-mode)))
  (setq-local syntax-propertize-function nil)
  (let ((draw--sites nil))
    (dolist (node (draw-top-level))
      (let ((draw--place (let ((name (cadr (draw-list node)))) (if name (draw-place name) ""))))
        (draw-form node)))
    (nreverse draw--sites)))

(defun draw-place (name)
  "Return how records call the definition whose second form is NAME."
  (let ((name (if (draw-atom-p name) name (car (draw-list name)))))
    (string-trim (draw-text name) "[\"#:]+" "\"")))


;;;; Records

(defun draw-lines (mark text)
  "Return the lines of TEXT, each behind MARK.
Without empty ones where MARK says what is new."
  (mapconcat (lambda (line)
               (let ((line (string-trim line)))
                 (if (and (equal mark "+") (equal line "")) "" (concat mark " " line "\n"))))
             (split-string text "\n") ""))

(defun draw-record (file site)
  "Return the record of SITE in FILE, which is in this buffer."
  (pcase-let ((`(,kind ,beg ,end ,text ,place) site))
    (let* ((from (progn (goto-char beg) (line-beginning-position)))
           (to (progn (goto-char end) (line-end-position)))
           (before (buffer-substring-no-properties from to))
           (after (concat (buffer-substring-no-properties from beg) text
                          (buffer-substring-no-properties end to))))
      (format "@ %s:%d %s\n: %s\n%s%s\n" file (line-number-at-pos beg) place kind
              (draw-lines "-" before) (draw-lines "+" after)))))

(defun draw-luck (seed file record kind crowd)
  "Return where RECORD of FILE stands in the order that SEED says.
The least comes first.  A KIND of twice the weight does so twice as often,
however large the CROWD of its mutants is."
  (let* ((line-less (replace-regexp-in-string "\\`@ [^\n]*:[0-9]+" file record))
         (hash (substring (secure-hash 'sha1 (format "%s %s" seed line-less)) 0 12)))
    (- (/ (log (/ (+ 1.0 (string-to-number hash 16)) (expt 16.0 12)))
          (/ (float (alist-get kind draw-weights)) crowd)))))

(defun draw-file (seed file)
  "Return the records of FILE in the order that SEED says."
  (with-temp-buffer
    (insert-file-contents file)
    (let* ((sites (draw-sites file))
           (crowds (mapcar (lambda (entry)
                             (cons (car entry) (cl-count (car entry) sites :key #'car)))
                           draw-weights)))
      (mapcar #'cdr
              (sort (mapcar (lambda (site)
                              (let ((record (draw-record file site)))
                                (cons (draw-luck seed file record (car site)
                                                 (alist-get (car site) crowds))
                                      record)))
                            sites)
                    (lambda (a b) (< (car a) (car b))))))))

(defun draw-write ()
  "Print the mutants that SEED, N and the files on the command line say."
  (let* ((seed (pop command-line-args-left))
         (n (string-to-number (pop command-line-args-left)))
         (files (mapcar (lambda (file) (cons file (draw-file seed file))) command-line-args-left))
         (total (apply #'+ (mapcar #'length files)))
         (sum 0) (given 0))
    (setq command-line-args-left nil)
    (pcase-dolist (`(,file . ,records) files)
      ;; Rounded sums give each file its share, and all of them N.
      (setq sum (+ sum (length records)))
      (let ((share (- (round (* n sum) (float total)) given)))
        (setq given (+ given share))
        (princ (format "! %d of %s\n\n" share file))
        (mapc #'princ (seq-take records (+ share draw-stock)))))))

(defun draw-write-all ()
  "Print every mutant of the file on the command line."
  (let ((file (pop command-line-args-left)))
    (with-temp-buffer
      (insert-file-contents file)
      (dolist (site (draw-sites file)) (princ (draw-record file site))))))

;;; draw.el ends here
