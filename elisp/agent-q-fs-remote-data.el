;;; agent-q-fs-remote-data.el --- Replies from another machine, read as if it lied  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A reply from another machine is text that could be anything.  It becomes data here, or an
;; error, in three steps:
;;
;;     1. The module's scanner looks at the text.  It may hold lists, strings,
;;        whole numbers and words of small letters, nested to a bound; nothing that the Lisp
;;        reader would treat in any other way, such as #, ?, a dot or a quote.
;;     2. The Lisp reader reads it, with an obarray of ours.  So no symbol of Emacs is made.
;;     3. Each member is compared with the catalogue of this Emacs: whether the operation's
;;        reply has it, and whether its value is of that type.  Only here a name becomes a
;;        keyword of Emacs, one that the catalogue has.
;;
;; A sender of anything else lies, or is no agent-q-fs: `agent-q-fs-remote-data-lie'.

;;; Code:

(require 'agent-q-fs)
(require 'agent-q-fs-show)
(require 'cl-lib)
(require 'seq)
(require 'subr-x)

(declare-function agent-q-fs--mod-scan-reply "ext:agent-q-fs-module.so" (text))

(define-error 'agent-q-fs-remote-data-lie "The other machine sent what no agent-q-fs sends")

(defun agent-q-fs-remote-data-lie (format &rest arguments)
  "Signal that the other machine sent no reply, as FORMAT and ARGUMENTS say."
  (signal 'agent-q-fs-remote-data-lie (list (apply #'format format arguments))))


;;;; Text

(defvar agent-q-fs-remote-data--plain nil
  "Non-nil if all strings of the text that is being read have the form of paths.")

(defvar agent-q-fs-remote-data--names nil
  "An obarray of all words that replies have; the value of each is its keyword.")

(defun agent-q-fs-remote-data--add-names (members names)
  "Put the words of MEMBERS, of the catalogue, into the obarray NAMES."
  (dolist (member members)
    (dolist (name (cons (plist-get member :name) (plist-get member :choices)))
      (when name
        (let ((word (concat ":" (string-replace "_" "-" name))))
          (set (intern word names) (intern word)))))
    (agent-q-fs-remote-data--add-names (plist-get member :members) names)
    (when (plist-get member :of)
      (agent-q-fs-remote-data--add-names (list (plist-get member :of)) names))))

(defun agent-q-fs-remote-data--new-names ()
  "Return an obarray as `agent-q-fs-remote-data--names' is one."
  (let ((names (obarray-make 1511)))
    (set (intern "nil" names) nil)
    (set (intern "t" names) t)
    (dolist (word '(:items :progress))
      (set (intern (symbol-name word) names) word))
    (dolist (reply (append (agent-q-fs-operations) (plist-get (agent-q-fs-catalogue) :replies)))
      (agent-q-fs-remote-data--add-names
       (or (plist-get reply :reply) (plist-get reply :members)) names))
    names))

(defun agent-q-fs-remote-data--read (bytes)
  "Return what BYTES print.  Its symbols are those of our own obarray."
  (let ((obarray (or agent-q-fs-remote-data--names
                     (setq agent-q-fs-remote-data--names (agent-q-fs-remote-data--new-names))))
        (read-symbol-shorthands nil)
        (gc-cons-threshold (max gc-cons-threshold 268435456))
        (text (decode-coding-string bytes 'utf-8-unix t)))
    (setq agent-q-fs-remote-data--plain
          (pcase (agent-q-fs--mod-scan-reply text)
            ('plain t)
            ('t nil)
            ('escape (agent-q-fs-remote-data-lie "an escape in a string"))
            ('several (agent-q-fs-remote-data-lie "more than one list"))
            (_ (agent-q-fs-remote-data-lie "text that is no list"))))
    (condition-case nil
        (read text)
      ((invalid-read-syntax end-of-file overflow-error args-out-of-range)
       (agent-q-fs-remote-data-lie "text that is no data")))))


;;;; Data

(defun agent-q-fs-remote-data--word (symbol)
  "Return the keyword, or nil or t, that SYMBOL of our own obarray stands for."
  (cond ((memq symbol '(nil t)) symbol)
        ((and (symbolp symbol) (boundp symbol)) (symbol-value symbol))
        (t
         ;; It stands in the obarray now, and so might many more.
         (setq agent-q-fs-remote-data--names nil)
         (agent-q-fs-remote-data-lie "a word that no reply has"))))

(defvar agent-q-fs-remote-data--members (make-hash-table :test #'eq)
  "For lists of members, of the catalogue, an alist of them by their keywords.")

(defun agent-q-fs-remote-data--by-key (members)
  "Return MEMBERS, of the catalogue, as a list of (KEY . MEMBER)."
  (or (gethash members agent-q-fs-remote-data--members)
      (puthash members
               (mapcar (lambda (member)
                         (cons (intern (concat ":" (string-replace
                                                    "_" "-" (plist-get member :name))))
                               member))
                       members)
               agent-q-fs-remote-data--members)))

(defun agent-q-fs-remote-data-known (name)
  "Return the members of the reply NAME that belongs to no single operation."
  (plist-get (seq-find (lambda (reply) (equal name (plist-get reply :name)))
                       (plist-get (agent-q-fs-catalogue) :replies))
             :members))

(defun agent-q-fs-remote-data--map (value members)
  "Check that VALUE is a map with MEMBERS, and return it."
  (let ((known (agent-q-fs-remote-data--by-key members)) (rest value))
    (while rest
      (let* ((key (agent-q-fs-remote-data--word (car rest))) (member (cdr (assq key known))))
        (unless (and member (consp (cdr rest)))
          (agent-q-fs-remote-data-lie "a member that this reply does not have"))
        (setcar rest key)
        (setcar (cdr rest) (agent-q-fs-remote-data--value (cadr rest) member))
        (setq rest (cddr rest))))
    (dolist (entry known)
      (unless (or (plist-get (cdr entry) :optional) (plist-member value (car entry)))
        (agent-q-fs-remote-data-lie "a reply without %s" (plist-get (cdr entry) :name))))
    value))

(defun agent-q-fs-remote-data--list (value element)
  "Check that VALUE is a list of what ELEMENT, of the catalogue, says; return it."
  (unless (and agent-q-fs-remote-data--plain (eq :path (plist-get element :type))
               (agent-q-fs-remote-data--strings-p value))
    (let ((rest value))
      (while rest
        (setcar rest (agent-q-fs-remote-data--value (car rest) element))
        (setq rest (cdr rest)))))
  value)

(defun agent-q-fs-remote-data--strings-p (list)
  "Return non-nil if LIST has nothing but strings."
  (while (stringp (car list))
    (setq list (cdr list)))
  (null list))

(defun agent-q-fs-remote-data--path (value)
  "Check that VALUE is a path as replies show it, and return it."
  (if (and (stringp value) (< (length value) 65536) (not (equal "" value))
           (not (string-match-p "[\0-\x1f\x7f-\x9f]\\|\\`~\\|\\(?:\\`\"?\\|/\\)\\.\\.\\(?:/\\|\"?\\'\\)"
                                value)))
      value
    (agent-q-fs-remote-data-lie "a path that is none")))

(defun agent-q-fs-remote-data--line (value)
  "Return VALUE, words for a person, with all that cannot be seen made visible."
  (if (string-match-p "[^\n[:print:]]" value)
      (mapconcat (lambda (line) (agent-q-fs-show-visible line t)) (split-string value "\n") "\n")
    value))

(defconst agent-q-fs-remote-data--words '("message" "hint" "summary" "secret")
  "Members that are shown to a person as they are.")

(defun agent-q-fs-remote-data--string (value member)
  "Check that VALUE is a string for MEMBER, and return it."
  (let ((choices (plist-get member :choices)))
    (unless (and (stringp value) (or (null choices) (member value choices)))
      (agent-q-fs-remote-data-lie "no string for %s" (plist-get member :name)))
    (if (member (plist-get member :name) agent-q-fs-remote-data--words)
        (agent-q-fs-remote-data--line value)
      value)))

(defun agent-q-fs-remote-data--matches (value regexp)
  "Check that VALUE is a string that REGEXP matches, and return it."
  (if (and (stringp value) (string-match-p regexp value)) value
    (agent-q-fs-remote-data-lie "a string of another form")))

(defun agent-q-fs-remote-data--any (value)
  "Check that VALUE is data, whatever it means, and return it."
  (cond ((consp value)
         (let ((rest value))
           (while rest
             (setcar rest (agent-q-fs-remote-data--any (car rest)))
             (setq rest (cdr rest)))
           value))
        ((symbolp value) (agent-q-fs-remote-data--word value))
        (t value)))

(defun agent-q-fs-remote-data--value (value member)
  "Check that VALUE is what MEMBER, of the catalogue, says; return it."
  (let ((value (if (and value (symbolp value)) (agent-q-fs-remote-data--word value) value)))
    (if (and (null value) (plist-get member :nullable)) nil
      (pcase (plist-get member :type)
        (:path (agent-q-fs-remote-data--path value))
        (:string (agent-q-fs-remote-data--string value member))
        (:integer (if (fixnump value) value (agent-q-fs-remote-data-lie "no number")))
        (:boolean (if (memq value '(nil t)) value (agent-q-fs-remote-data-lie "no truth value")))
        (:keyword (if (and (keywordp value)
                           (member (substring (symbol-name value) 1) (plist-get member :choices)))
                      value
                    (agent-q-fs-remote-data-lie "another word for %s" (plist-get member :name))))
        (:time (agent-q-fs-remote-data--matches value "\\`[-0-9T:.]\\{1,40\\}Z\\'"))
        (:digest (agent-q-fs-remote-data--matches value "\\`[0-9a-z:-]\\{1,200\\}\\'"))
        (:list (if (listp value) (agent-q-fs-remote-data--list value (plist-get member :of))
                 (agent-q-fs-remote-data-lie "no list")))
        (:map (if (listp value)
                  (agent-q-fs-remote-data--map
                   value (if (plist-get member :like)
                             (agent-q-fs-remote-data-known (plist-get member :like))
                           (plist-get member :members)))
                (agent-q-fs-remote-data-lie "no map")))
        (_ (agent-q-fs-remote-data--any value))))))


;;;; Replies

(defun agent-q-fs-remote-data-members (operation &optional verb)
  "Return the members of the reply to OPERATION, called with VERB."
  (if (eq verb 'plan)
      (agent-q-fs-remote-data-known "plan")
    (plist-get (agent-q-fs--operation operation) :reply)))

(defun agent-q-fs-remote-data-reply (bytes members)
  "Return the reply that BYTES print, which has MEMBERS or is that of an error."
  (let ((max-lisp-eval-depth (max max-lisp-eval-depth 10000))
        (reply (agent-q-fs-remote-data--read bytes)))
    (with-suppressed-warnings ((obsolete max-specpdl-size))
      (let ((max-specpdl-size (max max-specpdl-size 20000))) ; before Emacs 29, calls count
        (agent-q-fs-remote-data--map
         reply (if (eq :error (agent-q-fs-remote-data--word (car reply)))
                   (agent-q-fs-remote-data-known "error")
                 members))))))

(defun agent-q-fs-remote-data-item (bytes members)
  "Return what BYTES print, (:items LIST) or (:progress NUMBER).
The items are those of the list that MEMBERS, of the reply, have."
  (let* ((item (agent-q-fs-remote-data--read bytes))
         (kind (agent-q-fs-remote-data--word (car item)))
         (list (seq-find (lambda (member) (eq :list (plist-get member :type))) members)))
    (cond ((not (= 2 (length item))) (agent-q-fs-remote-data-lie "no item"))
          ((and (eq :progress kind) (fixnump (cadr item))) (list :progress (cadr item)))
          ((and (eq :items kind) list (listp (cadr item)))
           (list :items (agent-q-fs-remote-data--list (cadr item) (plist-get list :of))))
          (t (agent-q-fs-remote-data-lie "no item")))))

(provide 'agent-q-fs-remote-data)
;;; agent-q-fs-remote-data.el ends here
