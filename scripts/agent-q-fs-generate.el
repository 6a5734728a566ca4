;;; agent-q-fs-generate.el --- Write sources from the core's catalogue  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Operations, errors and options are described once, in the tables of
;; module/.  This makes of it what must be there without the core being loaded:
;;
;;     elisp/agent-q-fs-ops.el     versions, errors, and a function for each
;;                                 operation with its documentation
;;     lisp/wire/catalogue.lisp    the same facts for Common Lisp, which often
;;                                 talks to Emacs alone
;;     the version in the header   of elisp/agent-q-fs.el, and of agent-q-fs.el
;;                                 in the first directory, where package managers
;;                                 look
;;
;;     $EMACS -Q --batch -L elisp --eval '(setq agent-q-fs-module-file "…so")' \
;;       -l scripts/agent-q-fs-generate.el -f agent-q-fs-generate-file
;;
;; Nothing else of agent-q-fs is loaded: it would refuse a core that is newer
;; than the files that are written here.

;;; Code:

(require 'seq)
(require 'subr-x)

(defvar agent-q-fs-module-file)
(declare-function agent-q-fs--mod-catalogue "ext:agent-q-fs-module.so" ())

(defconst agent-q-fs-generate--directory
  (file-name-directory
   (directory-file-name (file-name-directory (or load-file-name buffer-file-name
                                                 default-directory))))
  "The source tree.")

(defun agent-q-fs-generate-catalogue ()
  "Return all that the core says of itself."
  (unless (fboundp 'agent-q-fs--mod-catalogue)
    (module-load (expand-file-name agent-q-fs-module-file)))
  (let ((read-symbol-shorthands nil))
    (read (agent-q-fs--mod-catalogue))))

(defconst agent-q-fs-generate--wrappers
  '(("read_bytes" agent-q-fs--decode-content
     "The content comes decoded, as a unibyte string."))
  "Functions that a reply passes through: (OPERATION FUNCTION DOC).")


;;;; Emacs Lisp

(defconst agent-q-fs-generate--header "\
;;; agent-q-fs-ops.el --- What the core's catalogue says  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Written by scripts/agent-q-fs-generate.el from the tables in module/, where
;; changes belong: the versions, the errors, and a function for each operation.

;;; Code:
\
\n(declare-function agent-q-fs--decode-content \"agent-q-fs\" (reply))\
\n(declare-function agent-q-fs-call \"agent-q-fs\" (workspace operation &rest arguments))
")

(defconst agent-q-fs-generate--footer "
(provide 'agent-q-fs-ops)
;;; agent-q-fs-ops.el ends here
")

(defun agent-q-fs-generate--fill (text indent)
  "Return TEXT filled, each line but the first behind INDENT."
  (with-temp-buffer
    (let ((fill-column 76)
          (fill-prefix indent)
          (sentence-end-double-space t)
          (case-fold-search nil)
          ;; Emacs 28 takes a parenthesis in the first column for a definition.
          (fill-nobreak-predicate (list (lambda () (looking-at-p "[ \t]*(")))))
      (insert indent (replace-regexp-in-string "\\([.:]\\) \\([A-Z]\\)" "\\1  \\2" text))
      (fill-region (point-min) (point-max))
      (string-trim (buffer-string)))))

(defun agent-q-fs-generate--quote (text)
  "Return TEXT as it must stand inside a documentation string."
  (replace-regexp-in-string "['`]" "\\\\=\\&" (string-replace "\\" "\\\\" text) t))

(defun agent-q-fs-generate--lisp-name (name)
  "Return NAME, of an operation or a parameter, as Lisp spells it."
  (string-replace "_" "-" name))

(defun agent-q-fs-generate--param-doc (param)
  "Return the paragraph on PARAM, one of an operation's parameters."
  (let* ((name (plist-get param :name))
         (default (plist-get param :default))
         (kind (if (plist-get param :choices)
                   (string-join (plist-get param :choices) " | ")
                 (substring (symbol-name (plist-get param :type)) 1)))
         (head (if (plist-get param :required)
                   (format "%s (%s): " (upcase (agent-q-fs-generate--lisp-name name)) kind)
                 (format ":%s (%s%s): " name kind
                         (if default (concat ", default " default) "")))))
    (agent-q-fs-generate--fill
     (agent-q-fs-generate--quote (concat head (plist-get param :doc))) "    ")))

(defun agent-q-fs-generate--doc (op required optional)
  "Return the documentation of OP, whose parameters are REQUIRED and OPTIONAL."
  (let ((doc (agent-q-fs-generate--quote (plist-get op :doc)))
        (more (nth 2 (assoc (plist-get op :name) agent-q-fs-generate--wrappers))))
    (concat
     (agent-q-fs-generate--quote (plist-get op :title)) ".\n"
     (agent-q-fs-generate--fill doc "")
     (if more (concat "\n" more) "")
     "\n\nWORKSPACE may be nil for the current one."
     (if optional "  OPTIONS is a property list." "")
     (if (or required optional) "\n\n" "")
     (mapconcat #'agent-q-fs-generate--param-doc (append required optional) "\n"))))

(defun agent-q-fs-generate--call (name required optional)
  "Return the call of operation NAME, passing REQUIRED and OPTIONAL parameters."
  (let* ((passed (mapconcat (lambda (param)
                              (let ((word (plist-get param :name)))
                                (format " :%s %s" word (agent-q-fs-generate--lisp-name word))))
                            required ""))
         (call (if optional
                   (format "(apply #'agent-q-fs-call workspace '%s%s options)" name passed)
                 (format "(agent-q-fs-call workspace '%s%s)" name passed)))
         (wrapper (cadr (assoc name agent-q-fs-generate--wrappers))))
    (if wrapper (format "(%s\n   %s)" wrapper call) call)))

(defun agent-q-fs-generate--function (op)
  "Return the text of the function for OP, a row of the table."
  (let* ((name (plist-get op :name))
         (params (plist-get op :params))
         (required (seq-filter (lambda (p) (plist-get p :required)) params))
         (optional (seq-remove (lambda (p) (plist-get p :required)) params))
         (arguments (append '("workspace")
                            (mapcar (lambda (p)
                                      (agent-q-fs-generate--lisp-name (plist-get p :name)))
                                    required)
                            (and optional '("&rest options")))))
    (format "\n;;;###autoload\n(defun agent-q-fs-%s (%s)\n  %S\n  %s)\n"
            (agent-q-fs-generate--lisp-name name)
            (string-join arguments " ")
            (agent-q-fs-generate--doc op required optional)
            (agent-q-fs-generate--call name required optional))))

(defun agent-q-fs-generate--errors (catalogue)
  "Return the text that defines the errors of CATALOGUE."
  (concat
   "\n(define-error 'agent-q-fs-error \"File tool failed\")\n\n"
   "(dolist (code\n         '("
   (mapconcat (lambda (row) (plist-get row :name)) (plist-get catalogue :errors)
              "\n           ")
   "))\n"
   "  (define-error (intern (format \"agent-q-fs-%s\" code))\n"
   "    (format \"File tool failed (%s)\" code)\n"
   "    'agent-q-fs-error))\n"))

(defun agent-q-fs-generate--versions (catalogue)
  "Return the text that defines the versions that CATALOGUE is of."
  (concat
   (format "\n(defconst agent-q-fs-module-version %S\n" (plist-get catalogue :version))
   "  \"The version of the core that this Emacs Lisp was written for.\")\n"
   (format "\n(defconst agent-q-fs-module-abi %d\n" (plist-get catalogue :abi))
   "  \"The version of the core's interface that this Emacs Lisp was written for.\")\n"))

(defun agent-q-fs-generate--names (catalogue)
  "Return the text that defines the names of the operations of CATALOGUE."
  (concat
   "\n(defconst agent-q-fs-operation-names\n  '("
   (mapconcat (lambda (row) (format "%S" (plist-get row :name)))
              (plist-get catalogue :operations) "\n    ")
   ")\n  \"The names of the core's operations, known before the core is loaded.\")\n"))

(defun agent-q-fs-generate--ops (catalogue)
  "Return what agent-q-fs-ops.el must hold, by CATALOGUE."
  (let ((print-escape-newlines nil))
    (concat agent-q-fs-generate--header
            (agent-q-fs-generate--versions catalogue)
            (agent-q-fs-generate--errors catalogue)
            (agent-q-fs-generate--names catalogue)
            (mapconcat #'agent-q-fs-generate--function (plist-get catalogue :operations) "")
            agent-q-fs-generate--footer)))


;;;; Common Lisp

(defconst agent-q-fs-generate--lisp "\
;;;; catalogue.lisp -- the core's catalogue, as far as Common Lisp needs it.
;;;;
;;;; SPDX-License-Identifier: MIT
;;;;
;;;; Written by scripts/agent-q-fs-generate.el from the catalogue in module/, where changes belong.

(defpackage #:agent-q-fs/catalogue
  (:use #:common-lisp)
  (:export #:*version* #:*abi* #:*errors* #:*outside* #:*options* #:*limits* #:*keywords*))

(in-package #:agent-q-fs/catalogue)
"
  "How lisp/wire/catalogue.lisp begins.")

(defun agent-q-fs-generate--string (text)
  "Return TEXT as Common Lisp reads it."
  (format "\"%s\"" (replace-regexp-in-string "[\"\\\\]" "\\\\\\&" text)))

(defun agent-q-fs-generate--keywords (datum)
  "Return every keyword that a reply which DATUM, of the catalogue, tells can have."
  (pcase datum
    ((pred keywordp) (list datum))
    (`(:name ,name . ,_)
     (append (and name (list (agent-q-fs-generate--keyword name)))
             (mapcar #'agent-q-fs-generate--keyword (plist-get datum :choices))
             (mapcan #'agent-q-fs-generate--keywords (copy-sequence datum))))
    ((pred proper-list-p) (mapcan #'agent-q-fs-generate--keywords (copy-sequence datum)))))

(defun agent-q-fs-generate--keyword (name)
  "Return the keyword for NAME, of a member or a choice."
  (intern (concat ":" (string-replace "_" "-" name))))

(defun agent-q-fs-generate--rows (rows)
  "Return ROWS, strings, as the text of a quoted list, one row a line."
  (format "'(%s)" (mapconcat #'identity rows "\n    ")))

(defun agent-q-fs-generate--parameter (name doc value)
  "Return the text that defines NAME, documented by DOC, as VALUE, a text."
  (format "\n(defparameter %s\n  %s\n  %s)\n" name value (agent-q-fs-generate--string doc)))

(defun agent-q-fs-generate--lisp (catalogue)
  "Return what lisp/wire/catalogue.lisp must hold, by CATALOGUE."
  (let ((string #'agent-q-fs-generate--string)
        (errors (plist-get catalogue :errors))
        (keywords (delete-dups (agent-q-fs-generate--keywords catalogue))))
    (concat
     agent-q-fs-generate--lisp
     (agent-q-fs-generate--parameter
      "*version*" "The version of the core." (funcall string (plist-get catalogue :version)))
     (agent-q-fs-generate--parameter
      "*abi*" "The version of the core's interface." (format "%d" (plist-get catalogue :abi)))
     (agent-q-fs-generate--parameter
      "*errors*" "Each error code with what it says, in the core's order."
      (agent-q-fs-generate--rows
       (mapcar (lambda (row)
                 (format "(%s %s)" (funcall string (plist-get row :name))
                         (funcall string (plist-get row :doc))))
               errors)))
     (agent-q-fs-generate--parameter
      "*outside*" "The message of outside-root: of the path as given, and the root without a slash."
      (funcall string (plist-get (seq-find (lambda (row)
                                            (equal "outside-root" (plist-get row :name)))
                                          errors)
                                :message)))
     (agent-q-fs-generate--parameter
      "*options*" "Each option of a workspace with the type of its value, and what it is."
      (agent-q-fs-generate--rows
       (mapcar (lambda (row)
                 (format "(%s %s %s)" (funcall string (plist-get row :name))
                         (plist-get row :type) (funcall string (plist-get row :doc))))
               (plist-get catalogue :options))))
     (agent-q-fs-generate--parameter
      "*limits*" "The names that the option limits may have."
      (agent-q-fs-generate--rows
       (mapcar (lambda (row) (funcall string (plist-get row :name)))
               (plist-get catalogue :limits))))
     (agent-q-fs-generate--parameter
      "*keywords*" "Every keyword that a reply can have."
      (agent-q-fs-generate--rows
       (mapcar #'symbol-name (sort keywords #'string<)))))))


;;;; Files

(defun agent-q-fs-generate--stamp (file regexp catalogue)
  "Return what FILE holds with the version of CATALOGUE behind each REGEXP."
  (with-temp-buffer
    (insert-file-contents file)
    (let ((case-fold-search nil))
      (while (re-search-forward (format "\\(?:%s\\)\\([0-9][0-9a-z.-]*\\)" regexp) nil t)
        (replace-match (plist-get catalogue :version) t t nil 1)))
    (buffer-string)))

(defun agent-q-fs-generate-texts (&optional catalogue)
  "Return what must be in the files that are written by CATALOGUE.
That is a list of (FILE . TEXT), of the files that are there to be written."
  (let ((catalogue (or catalogue (agent-q-fs-generate-catalogue)))
        (name (lambda (file) (expand-file-name file agent-q-fs-generate--directory))))
    (append
     (list (cons (funcall name "elisp/agent-q-fs-ops.el") (agent-q-fs-generate--ops catalogue)))
     (when (file-directory-p (funcall name "lisp/wire"))
       (list (cons (funcall name "lisp/wire/catalogue.lisp")
                   (agent-q-fs-generate--lisp catalogue))))
     (mapcar (pcase-lambda (`(,file ,regexp))
               (cons file (agent-q-fs-generate--stamp file regexp catalogue)))
             (seq-filter (lambda (row) (file-exists-p (car row)))
                         (list (list (funcall name "elisp/agent-q-fs.el") "^;; Version: ")
                               (list (funcall name "agent-q-fs.el") "^;; Version: ")))))))

(defun agent-q-fs-generate-holds-p (file text)
  "Return non-nil if FILE holds TEXT."
  (and (file-exists-p file)
       (with-temp-buffer
         (insert-file-contents file)
         (equal (buffer-string) text))))

(defun agent-q-fs-generate-file ()
  "Write what the catalogue says into the sources, where it is not there already."
  (let ((coding-system-for-write 'utf-8-unix))
    (pcase-dolist (`(,file . ,text) (agent-q-fs-generate-texts))
      (unless (agent-q-fs-generate-holds-p file text)
        (write-region text nil file)))))

(provide 'agent-q-fs-generate)
;;; agent-q-fs-generate.el ends here
