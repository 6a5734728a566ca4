;;; manual-reference.el --- Write doc/reference.org and the pages of names  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;;     $EMACS -Q --batch -L elisp -l scripts/manual-reference.el -f manual-reference-write
;;
;; The manual's reference says what the code says:
;;
;;   operations      the core's catalogue, with their replies, the options of
;;                   a workspace, limits and errors
;;   commands        what is `interactive' in elisp/, with its keys
;;   user options    each `defcustom' in elisp/
;;
;; Nothing of that is written here.

;;; Code:

(require 'agent-q-fs)
(require 'agent-q-fs-generate
         (expand-file-name "agent-q-fs-generate.el"
                           (file-name-directory (or load-file-name buffer-file-name))))
(require 'cl-lib)
(require 'seq)
(require 'subr-x)

(defconst manual-reference--directory
  (file-name-directory
   (directory-file-name (file-name-directory (or load-file-name buffer-file-name))))
  "The source tree.")


;;;; Replies

(defun manual-reference--org (text)
  "Return TEXT, of the catalogue, as Org must have it to be read as it is."
  (replace-regexp-in-string
   "\\*\\*\\* Begin Patch" "=*** Begin Patch="
   (replace-regexp-in-string
    "\\(?:\\`\\|[ :(]\\)\\(\\*\\*/\\*[.a-z]*\\|\\*[.][a-z]+\\|[^ ]+/\\*\\*/[^ ]*\\|\\*\\*\\|[*?/@]\\|\\[\\]\\)\\(?:[ .,;]\\)"
    (lambda (match)
      (string-replace (match-string 1 match) (format "=%s=" (match-string 1 match)) match))
    text t t)
   t t))

(defun manual-reference--kind (member)
  "Return words on what MEMBER's value is, or the empty string for plain text."
  (let ((choices (plist-get member :choices)))
    (cond (choices (mapconcat #'manual-reference--sign choices ", "))
          ((eq :list (plist-get member :type))
           (pcase (plist-get (plist-get member :of) :type)
             ((or :map :any) "list")
             (type (format "list of %ss" (substring (symbol-name type) 1)))))
          (t (substring (symbol-name (plist-get member :type)) 1)))))

(defun manual-reference--inner (member)
  "Return the members of what MEMBER has or holds, as the catalogue tells them here."
  (plist-get (or (plist-get member :of) member) :members))

(defun manual-reference--like (member)
  "Return the name of the reply whose members MEMBER has or holds, or nil."
  (plist-get (or (plist-get member :of) member) :like))

(defun manual-reference--member (member indent replies)
  "Return the lines on MEMBER of a reply, behind INDENT.
REPLIES are those of the catalogue that it has not been told are inside."
  (let* ((name (string-replace "_" "-" (plist-get member :name)))
         (like (seq-find (lambda (reply)
                           (equal (plist-get reply :name) (manual-reference--like member)))
                         replies)))
    (concat
     (format "%s- =:%s= (%s%s%s) :: %s\n" indent name (manual-reference--kind member)
             (if (plist-get member :nullable) ", or nil" "")
             (if (plist-get member :optional) "; where it applies" "")
             (manual-reference--org (plist-get member :doc)))
     (manual-reference--members
      (if like (plist-get like :members) (manual-reference--inner member))
      (concat indent "  ") (remq like replies)))))

(defun manual-reference--members (members indent replies)
  "Return the lines on MEMBERS of a reply behind INDENT; REPLIES as above."
  (mapconcat (lambda (member) (manual-reference--member member indent replies)) members ""))


;;;; Operations

(defun manual-reference--sign (text)
  "Return TEXT verbatim, for Org."
  (format "=%s=" text))

(defun manual-reference--range (param)
  "Return words on the bounds of PARAM, if they are any news."
  (let ((least (plist-get param :least)) (most (plist-get param :most)))
    (cond ((or (null least) (< least -1000000)) "")
          ((> most 1000000000) (format ", from %d" least))
          (t (format ", from %d to %d" least most)))))

(defun manual-reference--param (param)
  "Return the line on PARAM."
  (format "- =%s= (%s%s%s) :: %s\n"
          (plist-get param :name)
          (if (plist-get param :choices)
              (mapconcat #'manual-reference--sign (plist-get param :choices) ", ")
            (substring (symbol-name (plist-get param :type)) 1))
          (manual-reference--range param)
          (cond ((plist-get param :unless)
                 (format "; required unless =%s= is given" (plist-get param :unless)))
                ((plist-get param :required) "; required")
                ((plist-get param :default)
                 (format "; default %s" (manual-reference--sign (plist-get param :default))))
                (t ""))
          (manual-reference--org (plist-get param :doc))))

(defun manual-reference--errors-of (operation)
  "Return the sentence on what OPERATION may fail with."
  (if (plist-get operation :errors)
      (format "It may fail with %s, and with what every call may fail with.\n"
              (mapconcat #'manual-reference--sign (plist-get operation :errors) ", "))
    "It may fail with what every call may fail with.\n"))

(defun manual-reference--operation (operation replies)
  "Return the entry of OPERATION, a row of the table; REPLIES are the catalogue's."
  (let* ((name (plist-get operation :name))
         (lisp (string-replace "_" "-" name))
         (params (plist-get operation :params)))
    (concat
     (format "\n*** =%s=\n#+cindex: %s (operation)\n#+findex: agent-q-fs-%s\n\n" name name lisp)
     (manual-reference--fill (manual-reference--org (plist-get operation :doc)))
     (format "\n\nIts tier is /%s/%s.\n\n" (substring (symbol-name (plist-get operation :tier)) 1)
             (if (plist-get operation :slow)
                 "; it may take long, and can be ended" ""))
     (format "From Emacs Lisp: =(agent-q-fs-%s workspace%s%s)=.\n\n" lisp
             (mapconcat (lambda (param)
                          (if (plist-get param :required)
                              (concat " " (string-replace "_" "-" (plist-get param :name)))
                            ""))
                        params "")
             (if (seq-every-p (lambda (param) (plist-get param :required)) params)
                 "" " &rest options"))
     (if params "Arguments:\n\n" "It takes no arguments.\n\n")
     (mapconcat #'manual-reference--param params "")
     (if params "\n" "")
     "The reply has:\n\n"
     (manual-reference--members (plist-get operation :reply) "" replies)
     "\n"
     (manual-reference--fill (manual-reference--errors-of operation))
     "\n")))

(defun manual-reference--fill (text)
  "Return TEXT, a paragraph, in lines."
  (with-temp-buffer
    (let ((fill-column 90) (sentence-end-double-space nil))
      (insert text)
      (fill-region (point-min) (point-max))
      (string-trim (buffer-string)))))


;;;; Options, limits, errors

(defun manual-reference--limits (limits)
  "Return the table of LIMITS."
  (concat
   "| limit | default | least | most | of what |\n|-\n"
   (mapconcat
    (lambda (limit)
      (format "| =%s= | %s | %s | %s | %s |\n"
              (plist-get limit :name) (plist-get limit :default)
              (plist-get limit :least) (plist-get limit :most) (plist-get limit :doc)))
    limits "")))

(defun manual-reference--errors (errors)
  "Return the table of ERRORS."
  (concat
   "| code | what it says |\n|-\n"
   (mapconcat (lambda (row) (format "| =%s= | %s |\n" (plist-get row :name) (plist-get row :doc)))
              errors "")
   "\nEvery call may fail with "
   (mapconcat (lambda (row) (manual-reference--sign (plist-get row :name)))
              (seq-filter (lambda (row) (plist-get row :common)) errors) ", ")
   ".\n\n"
   (mapconcat (lambda (row) (format "#+vindex: agent-q-fs-%s\n" (plist-get row :name)))
              errors "")))


;;;; Reading the sources

(defun manual-reference--source (name)
  "Return what the file NAME of the source tree holds."
  (with-temp-buffer
    (insert-file-contents (expand-file-name name manual-reference--directory))
    (buffer-string)))

(defun manual-reference--customs (file)
  "Return the user options in FILE, as (NAME VALUE DOC); VALUE is text."
  (with-temp-buffer
    (insert-file-contents file)
    (let (options)
      (while (re-search-forward "^(defcustom +" nil t)
        (let ((name (read (current-buffer))) start)
          (forward-comment (buffer-size))
          (setq start (point))
          (read (current-buffer))
          (push (list name (buffer-substring start (point)) (read (current-buffer))) options)))
      (nreverse options))))

(defun manual-reference--docstring (text)
  "Return TEXT, a documentation string, for Org.
Lines that are laid out by hand stay as they are."
  (mapconcat
   (lambda (paragraph)
     (if (string-match-p "^[^ ]+ \\{2,\\}[^ ]" (car (split-string paragraph "\\.  ")))
         (format "#+begin_example\n%s\n#+end_example" paragraph)
       (replace-regexp-in-string
        "`\\([^' \n]+\\)'" "=\\1="
        (replace-regexp-in-string "\\([ (]\\)\\((:[^)]*)\\)" "\\1=\\2=" paragraph))))
   (split-string text "\n\n") "\n\n"))

(defun manual-reference--user-options ()
  "Return the lines on all user options."
  (mapconcat
   (pcase-lambda (`(,name ,value ,doc))
     (format "*** =%s=\n#+vindex: %s\n\n%s\n\nDefault:\n\n#+begin_example\n%s\n#+end_example\n\n"
             name name (manual-reference--docstring doc)
             value))
   (sort (mapcan #'manual-reference--customs
                 (directory-files (expand-file-name "elisp" manual-reference--directory) t
                                  "\\`agent-q-fs.*\\.el\\'"))
         (lambda (a b) (string< (car a) (car b))))
   ""))


;;;; Commands

(defun manual-reference--forms (file)
  "Return the forms in FILE."
  (with-temp-buffer
    (insert-file-contents file)
    (let (forms)
      (condition-case nil
          (while t (push (read (current-buffer)) forms))
        (end-of-file (nreverse forms))))))

(defun manual-reference--command (form)
  "Return (NAME . DOC) if FORM defines a command that people call, else nil."
  (pcase form
    (`(,(or 'define-derived-mode 'transient-define-prefix) . ,_) nil)
    (`(define-minor-mode ,name ,doc . ,_) (cons name doc))
    (`(defun ,name ,_ ,(and doc (pred stringp)) . ,body)
     (and (assq 'interactive body)
          (not (string-search "--" (symbol-name name)))
          (cons name doc)))))

(defun manual-reference--map-name (form)
  "Return the name of the keymap that FORM defines, without -map, or nil."
  (let ((name (and (memq (car-safe form) '(defvar defvar-keymap))
                   (symbol-name (cadr form)))))
    (and name
         (string-match "\\`\\(agent-q-fs-[a-z-]+\\)-map\\'" name)
         (match-string 1 name))))

(defun manual-reference--maps (files)
  "Return the keymaps that FILES make, having loaded those, as (WHERE . MAP)."
  (mapcan (lambda (file)
            (let ((names (delq nil (mapcar #'manual-reference--map-name
                                           (manual-reference--forms file)))))
              (when names
                (require (intern (file-name-base file))))
              (mapcar (lambda (name) (cons name (symbol-value (intern (concat name "-map")))))
                      names)))
          files))

(defun manual-reference--bound (command maps)
  "Return the keys that COMMAND has in MAPS, as (MODE KEY...), without those of menus."
  (cl-loop for (mode . map) in maps
           for keys = (seq-remove (lambda (key) (eq 'menu-bar (aref key 0)))
                                  (where-is-internal command (list map)))
           when keys collect (cons mode (mapcar #'key-description keys))))

(defun manual-reference--keys (command maps)
  "Return the line on the keys that COMMAND has in MAPS, or the empty string."
  (let ((bound (manual-reference--bound command maps)))
    (if (null bound)
        ""
      (format "Keys: %s.\n\n"
              (mapconcat (pcase-lambda (`(,mode . ,keys))
                           (format "%s in =%s="
                                   (mapconcat (lambda (key) (format "=%s=" key)) keys ", ")
                                   mode))
                         bound "; ")))))

(defun manual-reference--key-index (command maps)
  "Return the lines that put the keys of COMMAND in MAPS into the index of keys."
  (mapconcat (pcase-lambda (`(,mode . ,keys))
               (mapconcat (lambda (key)
                            (format "#+kindex: %s (%s)\n"
                                    (replace-regexp-in-string "[@{}]" "@\\&" key)
                                    (string-remove-prefix "agent-q-fs-" mode)))
                          keys ""))
             (manual-reference--bound command maps) ""))

(defun manual-reference--with-keys (doc maps)
  "Return DOC with the keys in MAPS of the commands that it names."
  (replace-regexp-in-string
   "\\\\\\[\\([^]]+\\)\\]"
   (lambda (match)
     (let* ((command (intern (substring match 2 -1)))
            (keys (where-is-internal command (append (mapcar #'cdr maps)
                                                     (list minibuffer-local-map))
                                     t)))
       (format "=%s=" (if keys (key-description keys) (format "M-x %s" command)))))
   (replace-regexp-in-string "\\\\<[^>]+>" "" doc) t t))

(defun manual-reference--commands ()
  "Return the lines on all commands."
  (let* ((files (directory-files (expand-file-name "elisp" manual-reference--directory) t
                                 "\\`agent-q-fs.*\\.el\\'"))
         (maps (manual-reference--maps files)))
    (mapconcat
     (pcase-lambda (`(,name . ,doc))
       (format "*** =%s=\n#+findex: %s\n%s\n%s\n\n%s" name name
               (manual-reference--key-index name maps)
               (manual-reference--docstring (manual-reference--with-keys doc maps))
               (manual-reference--keys name maps)))
     (sort (delq nil (mapcar #'manual-reference--command
                             (mapcan #'manual-reference--forms files)))
           (lambda (a b) (string< (car a) (car b))))
     "")))


;;;; All of it

(defun manual-reference-text ()
  "Return what doc/reference.org must hold."
  (let* ((catalogue (agent-q-fs-generate-catalogue))
         (replies (plist-get catalogue :replies)))
    (concat
     "# SPDX-License-Identifier: MIT\n"
     "# Written by scripts/manual-reference.el (make reference); changes belong into the code.\n\n"
     "** Operations\n#+cindex: operations\n"
     (mapconcat (lambda (operation) (manual-reference--operation operation replies))
                (plist-get catalogue :operations) "")
     "\n** Options of a workspace\n#+cindex: options of a workspace\n\n"
     "To =agent-q-fs-open= and =open-workspace= they are keywords, to =aqfs_open= members of a\n"
     "JSON object.\n\n"
     (mapconcat #'manual-reference--param (plist-get catalogue :options) "")
     "\nEach of =mounts= has ([[*Mounts]]):\n\n"
     (mapconcat #'manual-reference--param (plist-get catalogue :mounts) "")
     "\n** Limits\n#+cindex: limits, table of\n\n"
     (manual-reference--limits (plist-get catalogue :limits))
     "\n** Error codes\n#+cindex: error codes\n\n"
     (manual-reference--errors (plist-get catalogue :errors))
     "\n** Commands\n#+cindex: commands, all\n\n"
     "=M-x agent-q-fs= is a menu of those that one begins with.\n\n"
     (string-trim-right (manual-reference--commands)) "\n"
     "\n** User options\n#+cindex: customisation\n#+cindex: user options\n\n"
     "=M-x customize-group RET agent-q-fs= shows them.\n\n"
     (string-trim-right (manual-reference--user-options)) "\n")))

(defun manual-reference-protected ()
  "Return what doc/protected.org must hold."
  (concat
   "#+title: agent-q-fs: what other programs obey\n"
   "# SPDX-License-Identifier: MIT\n"
   "# Written by scripts/manual-reference.el (make reference); changes belong into\n"
   "# module/space/protected_names.c.\n\n"
   "Every change of these files is dangerous, also where they do not exist yet.  Letter case does not\n"
   "matter.  The name of a directory stands for all below it.  =above/name= counts only in a directory\n"
   "called =above=, and =/name= only at the top of a root.  The option =protected_paths= adds others.\n\n"
   "Files that are run because somebody asks for a build or a test are not among them: =Makefile=,\n"
   "=package.json=, =*.asd=, =conftest.py= and their like are a project's own text.\n"
   (manual-reference--names-groups
    (plist-get (agent-q-fs-generate-catalogue) :protected))))

(defun manual-reference--names-groups (groups)
  "Return a section for each of GROUPS of names, of the catalogue."
  (mapconcat
   (lambda (group)
     (format "\n* %s\n\n%s\n\n%s\n" (plist-get group :title) (plist-get group :doc)
             (with-temp-buffer
               (insert (mapconcat (lambda (name) (format "~%s~" name))
                                  (plist-get group :names) " "))
               (let ((fill-column 100) (sentence-end-double-space nil))
                 (fill-region (point-min) (point-max)))
               (buffer-string))))
   groups ""))

(defun manual-reference-secrets ()
  "Return what doc/secrets.org must hold."
  (concat
   "#+title: agent-q-fs: files that hold secrets\n"
   "# SPDX-License-Identifier: MIT\n"
   "# Written by scripts/manual-reference.el (make reference); changes belong into\n"
   "# module/space/secret_names.c.\n\n"
   "A model that wants to read one of these files has to be allowed to, and a model's search leaves\n"
   "them out.  Letter case does not matter, and =*= stands for any characters.  A slash at the end\n"
   "stands for a directory with all below it; any other name is that of a file.  =above/name= counts\n"
   "only in a directory called =above=, and =!name= is none of them.  (=id_*= counts without a dot.)\n"
   "The option =secret_paths= replaces the list, or adds to it.  Copies that editors and others make beside a\n"
   "file of the list, or of the option, count as well: =#x#=, =x~=, =x.~1~=, =.x.swp=, =x.bak=, =x.orig=, =x.old=.\n"
   (manual-reference--names-groups
    (plist-get (agent-q-fs-generate-catalogue) :secrets))))

(defun manual-reference-write ()
  "Write doc/reference.org and the pages of names, unless they are as they must be."
  (let ((coding-system-for-write 'utf-8-unix))
    (pcase-dolist (`(,name . ,text)
                   `(("doc/reference.org" . ,(manual-reference-text))
                     ("doc/protected.org" . ,(manual-reference-protected))
                     ("doc/secrets.org" . ,(manual-reference-secrets))))
      (let ((file (expand-file-name name manual-reference--directory)))
        (unless (and (file-exists-p file) (equal text (manual-reference--source name)))
          (write-region text nil file))))))

(provide 'manual-reference)
;;; manual-reference.el ends here
