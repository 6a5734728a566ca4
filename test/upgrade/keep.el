;;; keep.el --- What test/upgrade/keep has an older agent-q-fs do  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; This must go on working with the code of old commits: it uses what 0.1.0 had.

;;; Code:

(require 'agent-q-fs)
(require 'agent-q-fs-tools)

(defconst keep-patch "--- a/a.txt
+++ b/a.txt
@@ -1,2 +1,2 @@
-one
+ONE
 two
--- a/sub/b.txt
+++ b/sub/b.txt
@@ -1 +1 @@
-bee
+BEE
" "A change of both files of a project.")

(defun keep-open ()
  "Fill the project with its files, and open it."
  (setq agent-q-fs-state-directory (getenv "STATE")
        default-directory (file-name-as-directory (getenv "PROJECT")))
  (make-directory "sub")
  (write-region "one\ntwo\n" nil "a.txt")
  (write-region "bee\n" nil "sub/b.txt")
  (setq agent-q-fs-workspace (agent-q-fs-open :root default-directory)))

(defun keep-undone ()
  "Apply a patch, and be killed."
  (keep-open)
  (agent-q-fs-call nil 'apply_patch :patch keep-patch))

(defalias 'keep-finished #'keep-undone)

(defun keep-lone ()
  "Edit one file, and be killed."
  (keep-open)
  (agent-q-fs-call nil 'edit_file :path "a.txt" :old_str "one" :new_str "ONE"))

(defun keep-kept ()
  "Take two snapshots, and be asked by a model."
  (keep-open)
  (make-symbolic-link "sub/b.txt" "link")
  (set-file-modes "a.txt" #o640)
  (agent-q-fs-call nil 'snapshot_create :tag "the first")
  (set-file-modes "a.txt" #o755)
  (agent-q-fs-call-tool "edit_file" '(:path "a.txt" :old_str "one" :new_str "1"))
  (agent-q-fs-call nil 'snapshot_create :tag "the second")
  (agent-q-fs-call-tool "read_file" '(:path "nothing"))
  (delete-file "link")
  (delete-directory "sub" t)
  (write-region "lost\n" nil "a.txt"))

;;; keep.el ends here
