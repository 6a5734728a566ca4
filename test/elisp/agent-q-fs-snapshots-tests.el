;;; agent-q-fs-snapshots-tests.el --- Tests of snapshots and undo  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'agent-q-fs-test-help)
(require 'agent-q-fs-undo)
(require 'agent-q-fs-tools)

(defvar agent-q-fs-snapshots-tests--asked nil "The requests that were asked about.")

(defmacro agent-q-fs-snapshots-tests--with (files &rest body)
  "Run BODY in a workspace with FILES where every question is answered with yes."
  (declare (indent 1) (debug (sexp body)))
  `(let ((state (make-temp-file "aqfs-state-" t))
         (agent-q-fs-snapshots-tests--asked nil)
         (buffers (buffer-list)))
     (unwind-protect
         (let ((agent-q-fs-state-directory state)
               (agent-q-fs-policy 'never)
               (inhibit-message t))
           (agent-q-fs-test--call-with-tree
            ,files
            (lambda (ws)
              (let ((agent-q-fs-workspace ws))
                (cl-letf (((symbol-function 'agent-q-fs-change--ask)
                           (lambda (request) (push request agent-q-fs-snapshots-tests--asked) t)))
                  (save-window-excursion ,@body))))))
       (dolist (buffer (buffer-list))
         (unless (memq buffer buffers)
           (with-current-buffer buffer (set-buffer-modified-p nil))
           (kill-buffer buffer)))
       (delete-directory state t))))

(defun agent-q-fs-snapshots-tests--picture ()
  "Return all of the tree: names, types, modes and bytes."
  (mapcar (lambda (file)
            (list (file-relative-name file) (file-modes file 'nofollow) (file-symlink-p file)
                  (and (file-regular-p file) (not (file-symlink-p file))
                       (with-temp-buffer
                         (set-buffer-multibyte nil)
                         (insert-file-contents-literally file)
                         (buffer-string)))))
          (directory-files-recursively default-directory "" t)))

(defconst agent-q-fs-snapshots-tests--files
  '(("a.txt" "one\ntwo\nthree\n") ("src/b.txt" "bee\n") ("src/deep/c" "c\0\xff\n")
    ("empty/" nil)))

(defconst agent-q-fs-snapshots-tests--calls
  '(("edit_file" :path "a.txt" :old_str "two" :new_str "2")
    ("insert_at_line" :path "a.txt" :line 0 :content "zero\n")
    ("apply_patch" :patch "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n--- a/src/b.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-bee\n--- /dev/null\n+++ b/new/n.txt\n@@ -0,0 +1 @@\n+new\n")
    ("apply_patch_freeform" :patch "*** Begin Patch\n*** Update File: a.txt\n*** Move to: moved/a.txt\n@@\n-two\n+2\n*** End Patch\n")
    ("create_file" :path "new/dir/x.txt" :content "x\n")
    ("create_file" :path "a.txt" :content "x\n" :allow_overwrite t)
    ("write_file" :path "a.txt" :content "more\n" :mode "append")
    ("write_bytes" :path "src/deep/c" :content "AAEC/w==")
    ("make_directory" :path "p/q/r")
    ("move_file" :source "src" :destination "elsewhere/src")
    ("move_file" :source "src/b.txt" :destination "a.txt" :allow_overwrite t)
    ("copy_file" :source "a.txt" :destination "copies/a.txt")
    ("delete_file" :path "a.txt")
    ("delete_file" :path "src" :recursive t)
    ("delete_file" :path "empty" :recursive t)
    ("delete_file" :path "link"))
  "A call of each tool that changes something.")

(ert-deftest agent-q-fs-undo/every-tool-byte-for-byte ()
  (dolist (call agent-q-fs-snapshots-tests--calls)
    (agent-q-fs-snapshots-tests--with agent-q-fs-snapshots-tests--files
      (set-file-modes "a.txt" #o640)
      (set-file-modes "src/b.txt" #o755)
      (set-file-modes "src/deep" #o700)
      (make-symbolic-link "src/b.txt" "link")
      (let ((before (agent-q-fs-snapshots-tests--picture))
            (answer (agent-q-fs-call-tool (car call) (cdr call))))
        (should-not (string-prefix-p "Error" answer))
        (should-not (equal before (agent-q-fs-snapshots-tests--picture)))
        (agent-q-fs-undo)
        (should (equal (cons call before)
                       (cons call (agent-q-fs-snapshots-tests--picture))))
        (should agent-q-fs-snapshots-tests--asked)
        (should-error (agent-q-fs-undo) :type 'user-error)))))

(ert-deftest agent-q-fs-undo/planned-once ()
  "The plan that the person sees is the one that is committed."
  (agent-q-fs-snapshots-tests--with agent-q-fs-snapshots-tests--files
    (agent-q-fs-call-tool "edit_file" '(:path "a.txt" :old_str "one" :new_str "1"))
    ;; The first one lists the calls.
    (should (equal '(nil plan check commit) (agent-q-fs-test-verbs (agent-q-fs-undo))))))

(ert-deftest agent-q-fs-undo/one-call-after-the-other ()
  (agent-q-fs-snapshots-tests--with agent-q-fs-snapshots-tests--files
    (let ((first (agent-q-fs-snapshots-tests--picture)) second)
      (agent-q-fs-call-tool "edit_file" '(:path "a.txt" :old_str "one" :new_str "1"))
      (setq second (agent-q-fs-snapshots-tests--picture))
      (agent-q-fs-call-tool "edit_file" '(:path "a.txt" :old_str "two" :new_str "2"))
      (agent-q-fs-undo)
      (should (equal second (agent-q-fs-snapshots-tests--picture)))
      (agent-q-fs-undo)
      (should (equal first (agent-q-fs-snapshots-tests--picture))))))

(ert-deftest agent-q-fs-undo/what-the-person-typed-stays ()
  (agent-q-fs-snapshots-tests--with agent-q-fs-snapshots-tests--files
    (agent-q-fs-call-tool "edit_file" '(:path "a.txt" :old_str "two" :new_str "2"))
    (agent-q-fs-test--write "a.txt" "typed\n")
    (should (string-match-p "somebody else has changed since"
                            (cadr (should-error (agent-q-fs-undo) :type 'user-error))))
    (should (equal "typed\n" (plist-get (agent-q-fs-read-file nil "a.txt") :content)))
    (should-not agent-q-fs-snapshots-tests--asked)))

(ert-deftest agent-q-fs-undo/other-files-stay ()
  (agent-q-fs-snapshots-tests--with agent-q-fs-snapshots-tests--files
    (agent-q-fs-call-tool "delete_file" '(:path "a.txt"))
    (agent-q-fs-test--write "src/b.txt" "typed\n")
    (agent-q-fs-undo)
    (should (equal "one\ntwo\nthree\n" (plist-get (agent-q-fs-read-file nil "a.txt") :content)))
    (should (equal "typed\n" (plist-get (agent-q-fs-read-file nil "src/b.txt") :content)))))

(ert-deftest agent-q-fs-undo/ignored-files-too ()
  (agent-q-fs-snapshots-tests--with '((".gitignore" "*.o\n") ("x.o" "old\n"))
    (agent-q-fs-call-tool "edit_file" '(:path "x.o" :old_str "old" :new_str "new"))
    (agent-q-fs-undo)
    (should (equal "old\n" (plist-get (agent-q-fs-read-file nil "x.o") :content)))))

(ert-deftest agent-q-fs-undo/other-lines-that-were-typed-stay ()
  (agent-q-fs-snapshots-tests--with agent-q-fs-snapshots-tests--files
    (agent-q-fs-call-tool "edit_file" '(:path "a.txt" :old_str "one" :new_str "1"))
    (agent-q-fs-test--write "a.txt" "1\ntwo\ntyped\n")
    (agent-q-fs-undo)
    (should (equal "one\ntwo\ntyped\n" (plist-get (agent-q-fs-read-file nil "a.txt") :content)))))

(ert-deftest agent-q-fs-undo/another-session ()
  "A workspace that is opened later knows of changes that were taken back."
  (agent-q-fs-snapshots-tests--with agent-q-fs-snapshots-tests--files
    (agent-q-fs-call-tool "edit_file" '(:path "a.txt" :old_str "one" :new_str "1"))
    (agent-q-fs-call-tool "edit_file" '(:path "a.txt" :old_str "two" :new_str "2"))
    (agent-q-fs-undo)
    (let ((agent-q-fs-workspace (agent-q-fs-open :root default-directory)))
      (unwind-protect
          (progn
            (agent-q-fs-undo)
            (should (equal "one\ntwo\nthree\n"
                           (plist-get (agent-q-fs-read-file nil "a.txt") :content)))
            (should-error (agent-q-fs-undo) :type 'user-error))
        (agent-q-fs-close agent-q-fs-workspace)))))

(ert-deftest agent-q-fs-undo/a-call-that-is-chosen ()
  "One in the middle; and an undo, after which the call can be taken back again."
  (agent-q-fs-snapshots-tests--with agent-q-fs-snapshots-tests--files
    (cl-letf* ((wanted nil)
               ((symbol-function 'completing-read)
                (lambda (_ rows &rest _)
                  (car (seq-find (lambda (row) (string-search wanted (car row))) rows)))))
      (agent-q-fs-call-tool "edit_file" '(:path "a.txt" :old_str "one" :new_str "1"))
      (agent-q-fs-call-tool "write_file" '(:path "src/b.txt" :content "x\n"))
      (agent-q-fs-call-tool "edit_file" '(:path "a.txt" :old_str "three" :new_str "3"))
      (setq wanted "write_file")
      (agent-q-fs-undo t)
      (should (equal "bee\n" (plist-get (agent-q-fs-read-file nil "src/b.txt") :content)))
      (should (equal "1\ntwo\n3\n" (plist-get (agent-q-fs-read-file nil "a.txt") :content)))
      (setq wanted "changes_undo")
      (agent-q-fs-undo t)
      (should (equal "x\n" (plist-get (agent-q-fs-read-file nil "src/b.txt") :content)))
      (agent-q-fs-undo)
      (agent-q-fs-undo)
      (should (equal "bee\n" (plist-get (agent-q-fs-read-file nil "src/b.txt") :content))))))

(ert-deftest agent-q-fs-undo/unsaved-changes-are-safe ()
  (agent-q-fs-snapshots-tests--with agent-q-fs-snapshots-tests--files
    (agent-q-fs-call-tool "edit_file" '(:path "a.txt" :old_str "one" :new_str "1"))
    (with-current-buffer (find-file-noselect "a.txt")
      (goto-char (point-max))
      (insert "typed\n")
      (should-error (agent-q-fs-undo) :type 'user-error)
      (should (equal "1\ntwo\nthree\ntyped\n" (buffer-string)))
      (should (buffer-modified-p)))))

(ert-deftest agent-q-fs-undo/works-at-once ()
  "No option has to be set, and no file to be loaded, before the call."
  (should (equal "one\n"
                 (agent-q-fs-test-in-emacs
                  '(let* ((root (make-temp-file "aqfs-" t))
                          (agent-q-fs-state-directory (expand-file-name "state" root))
                          (default-directory (file-name-as-directory root)))
                     (unwind-protect
                         (progn
                           (write-region "one\n" nil "a" nil 'quiet)
                           (setq agent-q-fs-workspace (agent-q-fs-open :root root)
                                 agent-q-fs-policy 'tiered)
                           (agent-q-fs-call-tool "edit_file" '(:path "a" :old_str "one"
                                                                     :new_str "1"))
                           (setq agent-q-fs-change-confirm nil)
                           (agent-q-fs-undo)
                           (with-temp-buffer (insert-file-contents "a") (buffer-string)))
                       (delete-directory root t)))))))

(defun agent-q-fs-snapshots-tests--tags (ws)
  "Return the tags of the snapshots of WS, nil for those without."
  (mapcar (lambda (snapshot) (plist-get snapshot :tag))
          (plist-get (agent-q-fs-snapshot-list ws) :snapshots)))

(ert-deftest agent-q-fs-snapshots/no-model-pushes-out-a-persons ()
  "Neither by taking many, by every door, nor by edits that can be taken back."
  (agent-q-fs-snapshots-tests--with '(("a" "one\n"))
    (let ((ws (agent-q-fs-open :root default-directory :limits '(:snapshots 4)
                               :state_dir state)))
      (unwind-protect
          (progn
            (agent-q-fs-snapshot-create ws :tag "before-vacation")
            (agent-q-fs-call-tool-as-person "snapshot_create" '(:tag "release-1.0") ws)
            (dotimes (i 6)
              (agent-q-fs-call-tool "snapshot_create" (list :tag (format "mine %d" i)) ws)
              (let (answer)
                (agent-q-fs-call-tool-async "snapshot_create" '(:tag "release-1.0")
                                            (lambda (text) (setq answer text)) ws)
                (agent-q-fs-test-until answer))
              (agent-q-fs-call-tool "edit_file" (list :path "a" :old_str (if (cl-evenp i) "one" "1")
                                                      :new_str (if (cl-evenp i) "1" "one"))
                                    ws))
            (let ((tags (agent-q-fs-snapshots-tests--tags ws)))
              (should (member "before-vacation" tags))
              (should (member "release-1.0" tags))
              (should-not (member "mine 0" tags))
              (should (= (+ 2 4) (length tags)))))
        (agent-q-fs-close ws)))))

(ert-deftest agent-q-fs-snapshots/list-diff-restore ()
  (agent-q-fs-snapshots-tests--with agent-q-fs-snapshots-tests--files
    (agent-q-fs-snapshot-now "first")
    (agent-q-fs-test--write "a.txt" "one\n2\nthree\n")
    (agent-q-fs-snapshots)
    (should (string-match-p "[0-9] +person +3 +first$" (buffer-string)))
    (goto-char (point-min))
    (save-window-excursion
      (agent-q-fs-snapshots-diff)
      (should (derived-mode-p 'diff-mode))
      (should (string-match-p "^-two\n\\+2$" (buffer-string))))
    (agent-q-fs-snapshots-restore)
    (should (equal "one\ntwo\nthree\n" (plist-get (agent-q-fs-read-file nil "a.txt") :content)))
    (should (string-match-p "before restoring" (buffer-string)))
    (agent-q-fs--call (agent-q-fs-ui-workspace) 'snapshot_create '(:tag "theirs") '(:origin model :authority cautious))
    (tabulated-list-print)
    (should (string-match-p "[0-9] +model +3 +theirs$" (buffer-string)))
    (agent-q-fs-snapshots-prune 2)
    (should (equal 2 (length (agent-q-fs-snapshots--entries))))
    (agent-q-fs-snapshots-prune 1)
    (should (equal 1 (length (agent-q-fs-snapshots--entries))))))

(ert-deftest agent-q-fs-snapshots/how-far-it-is ()
  "Taking a snapshot, looking at what a restore changes and restoring tell how far they are."
  (agent-q-fs-snapshots-tests--with agent-q-fs-snapshots-tests--files
    (let ((root (agent-q-fs-workspace-root agent-q-fs-workspace)) (watched nil))
      (dotimes (i 200)
        (write-region "old\n" nil (expand-file-name (format "n%d" i) root) nil 'quiet))
      (advice-add 'agent-q-fs-job-watch :before
                  (lambda (words _running far) (push (cons words far) watched))
                  '((name . watched)))
      (unwind-protect
          (progn
            (agent-q-fs-snapshot-now "first")
            (dotimes (i 200)
              (write-region "new\n" nil (expand-file-name (format "n%d" i) root) nil 'quiet))
            (agent-q-fs-snapshots)
            (goto-char (point-min))
            (agent-q-fs-snapshots-restore))
        (advice-remove 'agent-q-fs-job-watch 'watched))
      (should (equal '("Taking a snapshot..." "Looking at what that changes..."
                       "Making that change...")
                     (mapcar #'car (reverse watched))))
      (dolist (entry watched)
        (should (natnump (funcall (cdr entry)))))
      (should (equal "old\n" (plist-get (agent-q-fs-read-file nil "n7") :content))))))

(ert-deftest agent-q-fs-snapshots/a-file-as-it-was ()
  (pcase-dolist (`(,old ,new) '(("one\ntwo\nthree\n" "one\n2\nthree\nfour\n")
                                ("a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\n"
                                 "A\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nL\nmore")
                                ("no newline" "no newline\n")
                                ("x\n" "y") ("" "new\n") ("gone\n" "") ("ä\n" "ö\nü\n")))
    (agent-q-fs-snapshots-tests--with (list (list "f" old))
      (let ((id (plist-get (let ((agent-q-fs-authority 'cautious))
                             (agent-q-fs-snapshot-create nil))
                           :id)))
        (agent-q-fs-test--write "f" new)
        (should (equal old (with-current-buffer (agent-q-fs-snapshots--file-then id "f")
                             (buffer-string))))))))

(provide 'agent-q-fs-snapshots-tests)
;;; agent-q-fs-snapshots-tests.el ends here
