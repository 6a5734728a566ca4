;;; manual-reference.el --- Write doc/reference.org  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;;     $EMACS -Q --batch -L elisp -l scripts/manual-reference.el -f manual-reference-write
;;
;; The manual's reference says what the code says:
;;
;;   operations      the core's table
;;   their replies   what they answered just now: each is called in a tree that is
;;                   made for it, and what every reply had is told apart from
;;                   what only some had
;;   options         module/wire/options.c, limits  module/wire/limit.h
;;   errors          module/base/error.h, in the words of lisp/base/conditions.lisp
;;   commands        what is `interactive' in elisp/, with its keys
;;   user options    each `defcustom' in elisp/
;;
;; Only what a member of a reply means is written here.  An operation that is
;; not called below, or a member without its words, is an error.

;;; Code:

(require 'agent-q-fs)
(require 'cl-lib)
(require 'seq)
(require 'subr-x)

(defconst manual-reference--directory
  (file-name-directory
   (directory-file-name (file-name-directory (or load-file-name buffer-file-name))))
  "The source tree.")


;;;; Replies

(defconst manual-reference--words
  '((:absolute . "the absolute name")
    (:changing . "files that were written to all the time they were read")
    (:commit-ref . "the commit that holds it; of a workspace in memory =mem-1= and so on")
    (:created-at . "when it was taken, ISO 8601 in UTC")
    (:damaged . "how many more cannot be read")
    (:forgotten . "how many were forgotten")
    (:git-dir . "the repository of our own that it is kept in; nil in memory")
    (:id . "what it is called")
    (:ignored . "how many names were left out because git ignores them")
    (:left-out . "what cannot be kept, a hundred at most, each with")
    (:left-out-total . "how many there are of those")
    (:other . "what it is compared with; nil is what is there now")
    (:root-path . "the root of the workspace it is of")
    (:safety . "the snapshot of what was there before; nil where nothing was to be done")
    (:snapshots . "the snapshots, the latest first, each with")
    (:tag . "the word it was given, or nil")
    (:why . "=:special=, =:unreadable=, =:too-large= or =:mount=")
    (:accessed . "when it was last read, ISO 8601 in UTC")
    (:action . "=:added=, =:modified=, =:deleted=, =:moved= or =:copied=")
    (:added . "lines added")
    (:after . "lines behind the match, as many as =context= asks for")
    (:backend . "=:host=: a directory of this machine")
    (:before . "lines before the match")
    (:binary . "files left out because they are no text")
    (:bom . "whether the file begins with a byte order mark, which is no part of the content")
    (:bytes-written . "bytes written, in the file's encoding")
    (:children . "what is in the directory, each like this one; a file has =:size= as well")
    (:content . "what was read")
    (:count . "matching lines of the file")
    (:counts . "with =output= =count=: the files, each with")
    (:created . "when it was made, ISO 8601 in UTC; nil where the file system does not tell")
    (:destination . "the canonical path where it is now")
    (:diff . "a unified diff of the text")
    (:directories . "how many directories")
    (:encoding . "the charset, such as =utf-8= or =iso-8859-1=")
    (:end . "where the first match in the line ends, in characters from 0")
    (:end-line . "the last line shown")
    (:entries . "the entries, each with")
    (:exists . "whether there is something of that name")
    (:files . "how many files")
    (:from . "where a file was before it was moved or copied")
    (:given . "the path as it was written in the call")
    (:hint . "what the pattern may have been meant to be, where nothing matched")
    (:limit . "the most lines, bytes or entries that were shown")
    (:line . "the number of the line, from 1")
    (:line-endings . "=lf=, =crlf=, =mixed= or =none=")
    (:links . "how many names the file has")
    (:matches . "with =output= =content=: the matching lines, each with")
    (:method . "how the root was found: =:explicit=, =:git=, =:asdf=, =:sly=, =:cwd=; or =:memory=, =:session=")
    (:mounts . "what was copied in at opening: =:path=, =:files=, =:bytes= and =:skipped= of each")
    (:revision . "how often it was written, in memory or a session")
    (:mime-type . "the MIME type, by libmagic")
    (:mode . "the permissions in octal")
    (:modified . "when it was last changed, ISO 8601 in UTC")
    (:more . "of a directory that was cut: entries not shown")
    (:moved . "whether the directory has been moved or replaced since the workspace was opened")
    (:name . "the name without directories")
    (:offset . "lines, bytes or entries skipped before the first one shown")
    (:path . "the canonical path, relative to the root")
    (:paths . "the paths, sorted")
    (:permissions . "the permissions as =ls= shows them")
    (:read-only . "whether the workspace refuses everything that writes")
    (:readable . "whether it can be read")
    (:removed . "lines removed")
    (:replaced . "whether a file was replaced there")
    (:root . "the directory, canonical, with a slash at its end")
    (:searched . "files searched")
    (:size . "bytes; nil for what is no file")
    (:snippet . "the changed lines and some around them, numbered")
    (:source . "the canonical path where it was")
    (:start . "where the first match in the line begins, in characters from 0")
    (:start-line . "the first line shown")
    (:target . "where a symbolic link points")
    (:text . "the words for a model")
    (:total . "how many there are in all")
    (:total-lines . "how many lines the file has")
    (:tree . "the directory itself, with")
    (:truncated . "whether there is more than is shown")
    (:type . "=:file=, =:directory=, =:symlink= or =:other=")
    (:unreadable . "files and directories that could not be read")
    (:version . "a hash of the contents: give it to a later edit")
    (:writable . "whether it can be written"))
  "What the members of replies mean.")

(defconst manual-reference--words-of
  '((("read_bytes" . :content) . "the bytes: base64; decoded by the function of Emacs Lisp")
    (("read_bytes" . :size) . "bytes of the whole file")
    (("read_file" . :content) . "the lines, exactly")
    (("read_file" . :links) . "how many names the file has, where it has more than one")
    (("grep_files" . :paths) . "with =output= =files=: the paths")
    (("grep_files/:matches" . :text) . "the line")
    (("grep_files" . :files) . "how many files they are in")
    (("grep_files" . :total) . "how many lines (or files) were found, as far as was searched")
    (("get_project_root" . :mode) . "=:restricted= or =:unrestricted=")
    (("get_file_info" . :target) . "of a symbolic link that was followed: where it points")
    (("get_file_info" . :links) . "how many names it has")
    (("edit_file" . :start-line) . "the first line that is new")
    (("edit_file" . :end-line) . "the last line that is new")
    (("edit_file" . :version) . "the version from now on")
    (("insert_at_line" . :start-line) . "the first line that is new")
    (("insert_at_line" . :end-line) . "the last line that is new")
    (("insert_at_line" . :version) . "the version from now on")
    (("create_file" . :mode) . "=create= or =overwrite=")
    (("create_file" . :created) . "whether there was no such file before")
    (("create_file" . :version) . "the version from now on")
    (("write_file" . :mode) . "=create=, =overwrite= or =append=, as asked")
    (("write_file" . :created) . "whether there was no such file before")
    (("write_file" . :version) . "the version from now on")
    (("write_bytes" . :mode) . "=create=, =overwrite= or =append=, as asked")
    (("write_bytes" . :created) . "whether there was no such file before")
    (("write_bytes" . :version) . "the version from now on")
    (("make_directory" . :created) . "whether it was made, and not there before")
    (("make_directory" . :directories) . "how many directories were made")
    (("delete_file" . :entries) . "of a directory: how many entries were below it")
    (("snapshot_create" . :files) . "how many files it holds")
    (("snapshot_diff" . :files) . "what differs, each with")
    (("snapshot_diff" . :id) . "the snapshot that was compared")
    (("snapshot_restore" . :files) . "what was put back, each with")
    (("snapshot_restore" . :id) . "the snapshot")
    (("snapshot_restore" . :other) . "the other one of a range")
    (("snapshot_list" . :total) . "how many there are")
    (("apply_patch" . :files) . "the files, each with")
    (("apply_patch_json" . :files) . "the files, each with")
    (("apply_patch_freeform" . :files) . "the files, each with"))
  "What they mean in a reply of one operation, where that is something else.")

(defconst manual-reference--unified "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+1\n"
  "A patch that fits.")

(defconst manual-reference--envelope "*** Begin Patch
*** Update File: a.txt
*** Move to: c.txt
-one
+1
*** Delete File: b.txt
*** Add File: d.txt
+d
*** End Patch"
  "Another.")

(defconst manual-reference--calls
  `(("get_project_root")
    ("list_directory") ("list_directory" :limit 1)
    ("list_dir") ("list_dir" :limit 1)
    ("directory_tree") ("directory_tree" :limit 2)
    ("get_file_info" :path "a.txt") ("get_file_info" :path "link") ("get_file_info" :path "sub")
    ("file_exists" :path "a.txt") ("file_exists" :path "nothing")
    ("read_file" :path "a.txt") ("read_file" :path "b.txt" :limit 1)
    ("read_bytes" :path "a.txt")
    ("search_files" :pattern "*.txt") ("search_files" :pattern "*.el")
    ("grep_files" :pattern "one" :path "a.txt") ("grep_files" :pattern "one" :context 1)
    ("grep_files" :pattern "one" :include "*.txt" :output "files")
    ("grep_files" :pattern "one" :include "*.txt" :output "count")
    ("grep_files" :pattern "one" :limit 1) ("grep_files" :pattern "a\\nb")
    ("edit_file" :path "a.txt" :old_str "one" :new_str "1")
    ("insert_at_line" :path "a.txt" :line 0 :content "zero\n")
    ("apply_patch" :patch ,manual-reference--unified)
    ("apply_patch" :patch ,manual-reference--envelope)
    ("apply_patch_json" :patch ,manual-reference--unified)
    ("apply_patch_freeform" :patch ,manual-reference--envelope)
    ("create_file" :path "new.txt" :content "x")
    ("create_file" :path "a.txt" :content "x" :allow_overwrite t)
    ("write_file" :path "a.txt" :content "x") ("write_bytes" :path "a.txt" :content "AAEC")
    ("make_directory" :path "x/y") ("make_directory" :path "sub")
    ("move_file" :source "a.txt" :destination "c.txt")
    ("copy_file" :source "a.txt" :destination "c.txt")
    ("delete_file" :path "a.txt") ("delete_file" :path "sub" :recursive t)
    ("snapshot_create" :tag "first") ("snapshot_list")
    ("snapshot_diff" :id snapshot) ("snapshot_diff" :id snapshot :other snapshot)
    ("snapshot_restore" :id snapshot) ("snapshot_prune"))
  "Calls that show all that replies have: (OPERATION . ARGUMENTS).")

(defun manual-reference--put (name content)
  "Make the file NAME hold CONTENT."
  (let ((coding-system-for-write 'no-conversion))
    (make-directory (or (file-name-directory name) ".") t)
    (write-region content nil name nil 'quiet)))

(defun manual-reference--with-snapshot (workspace call)
  "Return CALL with the id of a snapshot of WORKSPACE, which has changed since."
  (let ((id (plist-get (agent-q-fs-snapshot-create workspace) :id)))
    (manual-reference--put "a.txt" "1\n")
    ;; A socket is in no snapshot.
    (delete-process (make-network-process :name "socket" :server t :family 'local
                                          :service (expand-file-name "socket")))
    (mapcar (lambda (argument) (if (eq argument 'snapshot) id argument)) call)))

(defun manual-reference--reply (call)
  "Return what CALL answers in a new tree."
  (let* ((directory (file-name-as-directory (file-truename (make-temp-file "aqfs-" t))))
         (default-directory (expand-file-name "root/" directory))
         (agent-q-fs-state-directory (expand-file-name "state/" directory))
         (agent-q-fs-event-functions nil)
         (agent-q-fs-open-options nil)
         (agent-q-fs-authority 'dangerous)
         workspace)
    (unwind-protect
        (progn
          (manual-reference--put "a.txt" "one\n")
          (manual-reference--put "b.txt" "two\none\nthree\n")
          (manual-reference--put "sub/x.el" "")
          (manual-reference--put "sub/y.el" "")
          (manual-reference--put "odd" "\377\376x") ; not whole in UTF-16
          (make-symbolic-link "a.txt" "link")
          (add-name-to-file "b.txt" "b2.txt")
          (setq workspace (agent-q-fs-open :root default-directory))
          (when (string-prefix-p "snapshot_" (car call))
            (setq call (manual-reference--with-snapshot workspace call)))
          (apply #'agent-q-fs-call workspace call))
      (when workspace (agent-q-fs-close workspace))
      (delete-directory directory t))))

(defun manual-reference--plist-p (value)
  "Return non-nil if VALUE is a property list."
  (and (consp value) (keywordp (car value))))

(defun manual-reference--union (shapes)
  "Return the members of all SHAPES, as `manual-reference--shape' makes them."
  (let (names)
    (dolist (shape shapes)
      (let ((behind nil))               ; where a new member goes
        (dolist (member shape)
          (unless (memq (car member) names)
            (let ((place (and behind (memq behind names))))
              (if place
                  (setcdr place (cons (car member) (cdr place)))
                (setq names (append names (list (car member)))))))
          (setq behind (car member)))))
    (mapcar (lambda (name)
              (let ((found (delq nil (mapcar (lambda (shape) (assq name shape)) shapes))))
                (list name
                      (and (= (length found) (length shapes))
                           (seq-every-p #'cadr found))
                      (manual-reference--union (delq nil (mapcar #'caddr found))))))
            names)))

(defun manual-reference--shape (plist)
  "Return the members of PLIST, each (NAME ALWAYS MEMBERS)."
  (cl-loop for (name value) on plist by #'cddr
           collect
           (list name t
                 (cond ((eq name :children) nil)
                       ((manual-reference--plist-p value) (manual-reference--shape value))
                       ((manual-reference--plist-p (car-safe value))
                        (manual-reference--union (mapcar #'manual-reference--shape value)))))))

(defun manual-reference--member (operation member indent)
  "Return the lines on MEMBER of a reply of OPERATION, behind INDENT."
  (pcase-let* ((`(,name ,always ,members) member)
               (words (or (cdr (assoc (cons operation name) manual-reference--words-of))
                          (cdr (assq name manual-reference--words))
                          (error "%s: nothing is said about %s" operation name))))
    (concat (format "%s- =%s=%s :: %s\n" indent name (if always "" " (where it applies)") words)
            (mapconcat (lambda (member)
                         (manual-reference--member (format "%s/%s" operation name)
                                                   member (concat indent "  ")))
                       members ""))))

(defun manual-reference--members (operation)
  "Return the lines on the replies of OPERATION, a string."
  (let ((calls (seq-filter (lambda (call) (equal operation (car call)))
                           manual-reference--calls)))
    (unless calls
      (error "%s is called nowhere in scripts/manual-reference.el" operation))
    (mapconcat (lambda (member) (manual-reference--member operation member ""))
               (manual-reference--union
                (mapcar (lambda (call) (manual-reference--shape (manual-reference--reply call)))
                        calls))
               "")))


;;;; Operations

(defun manual-reference--sign (text)
  "Return TEXT verbatim, for Org."
  (format "=%s=" text))

(defun manual-reference--plain (text)
  "Return TEXT as it must stand in Org to be read as it is."
  (replace-regexp-in-string
   "\\*\\*\\* Begin Patch" "=*** Begin Patch="
   (replace-regexp-in-string "\\(\\`\\|[ :]\\)\\(\\*\\*\\|[*?/@]\\)\\( \\)" "\\1=\\2=\\3"
                             (replace-regexp-in-string "\\[\\]" "=[]=" text t t))
   t t))

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
          (cond ((plist-get param :required) "; required")
                ((plist-get param :default)
                 (format "; default %s" (manual-reference--sign (plist-get param :default))))
                (t ""))
          (manual-reference--plain (plist-get param :doc))))

(defun manual-reference--operation (operation)
  "Return the entry of OPERATION, a row of the table."
  (let* ((name (plist-get operation :name))
         (lisp (string-replace "_" "-" name))
         (params (plist-get operation :params)))
    (concat
     (format "\n*** =%s=\n#+cindex: %s (operation)\n#+findex: agent-q-fs-%s\n\n" name name lisp)
     (manual-reference--plain (plist-get operation :doc))
     (format "  Its tier is /%s/%s.\n\n" (substring (symbol-name (plist-get operation :tier)) 1)
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
     (manual-reference--members name))))


;;;; What is read in the sources

(defun manual-reference--source (name)
  "Return what the file NAME of the source tree holds."
  (with-temp-buffer
    (insert-file-contents (expand-file-name name manual-reference--directory))
    (buffer-string)))

(defun manual-reference--matches (regexp text)
  "Return the groups of every match of REGEXP in TEXT, as lists of strings."
  (let ((start 0) (case-fold-search nil) found)
    (while (string-match regexp text start)
      (setq start (match-end 0))
      (push (mapcar (lambda (n) (match-string n text)) '(1 2 3 4 5)) found))
    (nreverse found)))

(defun manual-reference--options ()
  "Return the lines on the options of a workspace."
  (let ((text (manual-reference--source "module/wire/options.c")))
    (mapconcat
     (pcase-lambda (`(,place ,line))
       (ignore place)
       line)
     (sort
      (append
       (cl-loop for (kind name doc) in
                (manual-reference--matches
                 "\\(TEXT\\|FLAG\\)(OPT_[A-Z_]+, \"\\([a-z_]+\\)\",[ \n]*\"\\([^\"]*\\)\")" text)
                collect (list (string-search (format "\"%s\"" name) text)
                              (format "- =%s= (%s) :: %s\n" name
                                      (if (equal kind "TEXT") "string"
                                        "boolean; default =false=")
                                      doc)))
       (cl-loop for (name type _ standard doc) in
                (manual-reference--matches
                 (concat "= {\\.name = \"\\([a-z_]+\\)\",[ \n]*\\.type = PARAM_\\([A-Z]+\\),[ \n]*"
                         "\\(\\.standard = \\(\"[^,]*\"\\),[ \n]*\\)"
                         "\\(?:\\.choices = \"[^\"]*\",[ \n]*\\)?\\.doc = \"\\([^\"]*\\)\"")
                 text)
                collect (list (string-search (format "\"%s\"" name) text)
                              (format "- =%s= (%s; default =%s=) :: %s\n" name (downcase type)
                                      (string-replace "\\\"" "\"" (substring standard 1 -1))
                                      doc))))
      (lambda (a b) (< (car a) (car b))))
     "")))

(defun manual-reference--limits ()
  "Return the table of limits."
  (concat
   "| limit | default | least | most | of what |\n|-\n"
   (mapconcat
    (pcase-lambda (`(,name ,standard ,least ,most ,words))
      (format "| =%s= | %s | %s | %s | %s |\n" name standard least most
              (string-trim (replace-regexp-in-string "[ .]*\\'" "" words))))
    (manual-reference--matches
     (concat "X(\\([a-z_]+\\), \\([0-9]+\\), \\([0-9]+\\), \\([0-9]+\\))[ ]*"
             "/\\* \\([^\n]*?\\) \\*/")
     (manual-reference--source "module/wire/limit.h"))
    "")))

(defun manual-reference--errors ()
  "Return the table of errors."
  (let ((words (manual-reference--matches "(\"\\([a-z-]+\\)\" \"\\([^\"]*\\)\")"
                                          (manual-reference--source "lisp/base/conditions.lisp"))))
    (concat
     "| code | what it says |\n|-\n"
     (mapconcat
      (pcase-lambda (`(,code))
        (format "| =%s= | %s |\n" code
                (or (cadr (assoc code words)) (error "Nothing is said about %s" code))))
      (manual-reference--matches "X([A-Z_]+, \"\\([a-z-]+\\)\")"
                                 (manual-reference--source "module/base/error.h"))
      "")
     "\n"
     (mapconcat (pcase-lambda (`(,code)) (format "#+vindex: agent-q-fs-%s\n" code))
                (manual-reference--matches "X([A-Z_]+, \"\\([a-z-]+\\)\")"
                                           (manual-reference--source "module/base/error.h"))
                ""))))

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

(defun manual-reference--keys (command maps)
  "Return the line on the keys that COMMAND has in MAPS, or the empty string."
  (let ((keys (cl-loop for (mode . map) in maps
                       for found = (where-is-internal command (list map))
                       when found
                       collect (format "%s in =%s="
                                       (mapconcat (lambda (key) (format "=%s=" (key-description key)))
                                                  found ", ")
                                       mode))))
    (if keys (concat "Keys: " (string-join keys "; ") ".\n\n") "")))

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
       (format "*** =%s=\n#+findex: %s\n\n%s\n\n%s" name name
               (manual-reference--docstring (manual-reference--with-keys doc maps))
               (manual-reference--keys name maps)))
     (sort (delq nil (mapcar #'manual-reference--command
                             (mapcan #'manual-reference--forms files)))
           (lambda (a b) (string< (car a) (car b))))
     "")))


;;;; All of it

(defun manual-reference-text ()
  "Return what doc/reference.org must hold."
  (concat
   "# Written by scripts/manual-reference.el (make reference); changes belong into the code.\n\n"
   "** Operations\n#+cindex: operations\n"
   (mapconcat #'manual-reference--operation (agent-q-fs-operations) "")
   "\n** Options of a workspace\n#+cindex: options of a workspace\n\n"
   "To =agent-q-fs-open= and =open-workspace= they are keywords, to =aqfs_open= members of a JSON\n"
   "object; =limits= is one more, with the members of the next section, and =mounts=\n"
   "another: [[*Mounts]].\n\n"
   (manual-reference--options)
   "\n** Limits\n#+cindex: limits, table of\n\n"
   (manual-reference--limits)
   "\n** Error codes\n#+cindex: error codes\n\n"
   (manual-reference--errors)
   "\n** Commands\n#+cindex: commands, all\n\n"
   "=M-x agent-q-fs= is a menu of those that one begins with.\n\n"
   (string-trim-right (manual-reference--commands)) "\n"
   "\n** User options\n#+cindex: customisation\n#+cindex: user options\n\n"
   "=M-x customize-group RET agent-q-fs= shows them.\n\n"
   (string-trim-right (manual-reference--user-options)) "\n"))

(defun manual-reference-file ()
  "Return the name of doc/reference.org."
  (expand-file-name "doc/reference.org" manual-reference--directory))

(defun manual-reference-write ()
  "Write doc/reference.org, unless it is already as it must be."
  (let ((text (manual-reference-text))
        (file (manual-reference-file))
        (coding-system-for-write 'utf-8-unix))
    (unless (and (file-exists-p file)
                 (equal text (manual-reference--source "doc/reference.org")))
      (write-region text nil file))))

(provide 'manual-reference)
;;; manual-reference.el ends here
