;;; agent-q-fs-generate.el --- Write agent-q-fs-ops.el from the core's table  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The table in module/ops/table.c is the only list of operations.  This makes of it
;; the functions of agent-q-fs-ops.el, so that they have documentation, can be
;; autoloaded and are compiled without the core being there:
;;
;;     $EMACS -Q --batch -L elisp -l agent-q-fs-generate -f agent-q-fs-generate-file

;;; Code:

(require 'agent-q-fs)
(require 'seq)
(require 'subr-x)

(defconst agent-q-fs-generate--wrappers
  '(("read_bytes" agent-q-fs--decode-content
     "The content comes decoded, as a unibyte string."))
  "Functions that a reply passes through: (OPERATION FUNCTION DOC).")

(defconst agent-q-fs-generate--header "\
;;; agent-q-fs-ops.el --- A function for each operation  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Written by agent-q-fs-generate.el from the table in module/ops/table.c, where
;; changes belong.

;;; Code:
\n\
(declare-function agent-q-fs--decode-content \"agent-q-fs\" (reply))\n\
(declare-function agent-q-fs-call \"agent-q-fs\" (workspace operation &rest arguments))
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
          (sentence-end-double-space nil))
      (insert indent text)
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
     (if (< (length doc) 76)
         doc
       (concat (format "Call the operation `%s'.\n" (plist-get op :name))
               (agent-q-fs-generate--fill doc "")))
     (if more (concat "\n" more) "")
     "\nWORKSPACE may be nil for the current one."
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

(defun agent-q-fs-generate--text ()
  "Return what agent-q-fs-ops.el must hold."
  (let ((print-escape-newlines nil))
    (concat agent-q-fs-generate--header
            (mapconcat #'agent-q-fs-generate--function (agent-q-fs-operations) "")
            agent-q-fs-generate--footer)))

(defun agent-q-fs-generate-file (&optional file)
  "Write agent-q-fs-ops.el, or FILE, unless it is already as it must be."
  (let ((file (or file (expand-file-name "agent-q-fs-ops.el" agent-q-fs-module--directory)))
        (text (agent-q-fs-generate--text))
        (coding-system-for-write 'utf-8-unix))
    (unless (and (file-exists-p file)
                 (with-temp-buffer
                   (insert-file-contents file)
                   (equal (buffer-string) text)))
      (write-region text nil file))))

(provide 'agent-q-fs-generate)
;;; agent-q-fs-generate.el ends here
