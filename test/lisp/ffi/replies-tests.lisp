;;;; replies-tests.lisp -- the replies of the core, read for the first time and again.
;;;;
;;;; SPDX-License-Identifier: MIT

(in-package #:agent-q-fs/test)
(in-suite agent-q-fs)

(defparameter *real-calls*
  '(("get_project_root")
    ("list_directory" :show-hidden t) ("list_directory" :limit 1) ("list_directory" :path "none")
    ("list_dir")
    ("directory_tree") ("directory_tree" :limit 1)
    ("get_file_info" :path "a.txt") ("get_file_info" :path "d") ("get_file_info" :path "binary")
    ("file_exists" :path "a.txt") ("file_exists" :path "none")
    ("read_file" :path "a.txt") ("read_file" :path "a.txt" :start-line 2) ("read_file" :path "none")
    ("read_file" :path "../x") ("read_file" :path "binary") ("read_file" :path "d")
    ("read_bytes" :path "binary") ("read_bytes" :path "a.txt" :limit 1)
    ("search_files" :pattern "**") ("search_files" :pattern "**" :limit 1)
    ("grep_files" :pattern "o") ("grep_files" :pattern "o" :output "files")
    ("grep_files" :pattern "o" :output "counts") ("grep_files" :pattern "o" :context 1)
    ("grep_files" :pattern "o" :limit 1) ("grep_files" :pattern "(")
    ("list_forms" :path ".") ("list_forms" :path "f.lisp" :nested t) ("list_forms" :path "a.txt")
    ("read_form" :path "f.lisp" :name "f") ("read_form" :path "f.lisp" :name "nothing")
    ("edit_form" :path "f.lisp" :name "f" :new-name "h")
    ("edit_form" :path "f.lisp" :edits ((:name "h" :content "(defun f (")))
    ("replace_in_files" :pattern "x" :replacement "y" :path "d")
    ("replace_in_files" :pattern "x" :replacement "y" :expected-replacements 100)
    ("edit_file" :path "a.txt" :old-str "two" :new-str "2")
    ("edit_file" :path "a.txt" :old-str "tow" :new-str "2")
    ("edit_file" :path "a.txt" :old-str "o" :new-str "2")
    ("edit_file" :path "a.txt" :old-str "one" :new-str "1" :version "0")
    ("insert_at_line" :path "a.txt" :line 1 :content "zero")
    ("create_file" :path "new.txt" :content "x") ("create_file" :path "a.txt" :content "x")
    ("write_file" :path "a.txt" :content "x") ("write_file" :path ".envrc" :content "x")
    ("write_bytes" :path "b" :content "AAEC")
    ("make_directory" :path "made/deep")
    ("move_file" :source "a.txt" :destination "moved.txt")
    ("move_file" :source "moved.txt" :destination "new.txt")
    ("copy_file" :source "moved.txt" :destination "copy.txt") ("copy_file" :source "d" :destination "e")
    ("delete_file" :path "copy.txt") ("delete_file" :path "e" :recursive t)
    ("snapshot_create" :message "first") ("snapshot_create" :tag "second")
    ("snapshot_list") ("snapshot_diff") ("snapshot_diff" :from "none")
    ("write_file" :path "moved.txt" :content "changed")
    ("snapshot_diff" :id "second") ("snapshot_restore" :id "second") ("snapshot_delete" :id "second")
    ("apply_patch" :patch "*** Begin Patch
*** Add File: patched.txt
+x
*** End Patch
")
    ("apply_patch" :patch "nothing")
    ("apply_patch_freeform" :input "*** Begin Patch
*** Delete File: patched.txt
*** End Patch
")
    ("apply_patch_json" :input "[]")
    ("snapshot_prune")
    ("changes_list") ("changes_list" :limit 1)
    ("changes_diff") ("changes_diff" :calls ("0000000000000001-000000000000"))
    ("changes_diff" :since "yesterday")
    ("changes_undo" :hunks ()) ("changes_undo" :hunks ("00000000000000000000000000000000"))
    ("changes_accept") ("changes_forget" :keep 2) ("changes_list")
    ("no_such_operation"))
  "Calls with many kinds of replies; the test plans each before it makes it.")

(defparameter *reading-twice*
  "(defvar *raw* '())
(let ((read #'read-reply))
  (setf (fdefinition 'read-reply)
        (lambda (reply)
          (let ((datum (funcall read reply)))
            (push (list reply (let ((*package* (find-package '#:keyword)))
                                (prin1-to-string datum)))
                  *raw*)
            datum)))
  (versions)
  (operations :ffi)
  (let ((*authority* :dangerous))
    (dolist (backend '(:host :memory))
      (with-workspace (ws :root (and (eq backend :host) ~S) :backend backend :transport :ffi
                          :state-dir ~S)
        (dolist (call '~S)
          (dolist (preview '(t nil))
            (ignore-errors (call* (first call) (rest call) :workspace ws :preview preview))))
        (ignore-errors (reset-workspace ws)))))
  (setf (fdefinition 'read-reply) read))
(defun intern-all (datum)
  (cond ((consp datum) (intern-all (car datum)) (intern-all (cdr datum)))
        ((and (stringp datum) (< (length datum) 100)) (intern (string-upcase datum) :keyword))))
(defun names (datum)
  (append (and (consp datum) (keywordp (car datum)) (evenp (length datum))
               (loop for (key) on datum by #'cddr unless (keywordp key) collect key))
          (and (consp datum) (loop for item in datum append (names item)))))
(dolist (raw *raw*) (intern-all (read-reply (first raw))))
(format t \"~~&~~D replies, ~~D of them differ; keys that are strings: ~~S; not in the catalogue: ~~S~~%\"
        (length *raw*)
        (loop for (reply printed) in *raw*
              count (not (string= printed (let ((*package* (find-package '#:keyword)))
                                            (prin1-to-string (read-reply reply))))))
        (remove-duplicates (loop for (reply) in *raw* append (names (read-reply reply)))
                           :test #'equal)
        (and (boundp '*new-keywords*)
             (loop for name being the hash-keys of (symbol-value '*new-keywords*) collect name)))
"
  "Code for a new Lisp: it makes *REAL-CALLS*, reads each reply, interns the strings of all
replies as keywords, and reads each reply again.")

(test replies.same-when-read-again
  (with-tree (root ("a.txt" (three-lines "two")) ("d/b" "x") ("binary" #(0 1 2 255))
                   ("f.lisp" "(defun f () (labels ((g () 1)) (g)))")
                   (".git/HEAD" "x"))
    (with-tree (state)
      (let ((said (fresh-lisp (with-standard-io-syntax
                                (format nil *reading-twice* root state *real-calls*)))))
        (is (search " 0 of them differ; keys that are strings: NIL; not in the catalogue: NIL"
                    said)
            "It said ~A" said)))))

(test replies.every-operation-is-called
  (dolist (operation (operations))
    (is (member (operation-name operation) *real-calls* :key #'first :test #'equal)
        "~A is not" (operation-name operation))))

(test replies.protected-at-once
  (with-tree (root)
    (let ((said (fresh-lisp
                 (format nil "(with-workspace (ws :root ~S :transport :ffi)
                   (let ((target (first (getf (preview :write-file '(:path \".envrc\" :content \"x\")
                                                       :workspace ws)
                                              :targets))))
                     (format t \"~~&PROTECTED ~~S~~%\" (getf target (intern \"PROTECTED\" :keyword)))))"
                         root))))
      (is (search "PROTECTED T" said) "It said ~A" said))))
