;;; agent-q-fs-buffers-tests.el --- Tests of buffers whose files change  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'agent-q-fs-buffers)
(require 'agent-q-fs-job)
(require 'agent-q-fs-test-visit)
(require 'tramp)

(defvar agent-q-fs-buffers-tests--asked nil
  "The questions that were asked.")


;;;; The matrix

(defconst agent-q-fs-buffers-tests--states
  '(unmodified modified read-only narrowed indirect hidden))

(defconst agent-q-fs-buffers-tests--diff "\
--- a/a.txt
+++ b/a.txt
@@ -1,3 +1,3 @@
 line 1
-line 2
+LINE 2
 line 3
")

(defun agent-q-fs-buffers-tests--line-2 (text)
  "Return TEXT as the edits of the matrix leave it."
  (let ((case-fold-search nil))
    (replace-regexp-in-string "^line 2$" "LINE 2" text t t)))

(defconst agent-q-fs-buffers-tests--operations
  `((edit_file (:path "a.txt" :old_str "line 2\n" :new_str "LINE 2\n")
               agent-q-fs-buffers-tests--line-2)
    (edit_form (:path "a.txt" :dialect "emacs-lisp" :line 2 :content "LINE")
               agent-q-fs-buffers-tests--line-2)
    (insert_at_line (:path "a.txt" :content "new\n" :line 0)
                    ,(lambda (text) (concat "new\n" text)))
    (replace_in_files (:pattern "line 2" :replacement "LINE 2" :include ["a.txt"])
                      agent-q-fs-buffers-tests--line-2)
    (apply_patch (:patch ,agent-q-fs-buffers-tests--diff) agent-q-fs-buffers-tests--line-2)
    (apply_patch_json (:patch ,agent-q-fs-buffers-tests--diff) agent-q-fs-buffers-tests--line-2)
    (apply_patch_freeform
     (:patch "*** Begin Patch\n*** Update File: a.txt\n@@\n-line 2\n+LINE 2\n*** End Patch\n")
     agent-q-fs-buffers-tests--line-2)
    (create_file (:path "a.txt" :content "created\n" :allow_overwrite t)
                 ,(lambda (_) "created\n"))
    (write_file (:path "./a.txt" :content "line 5\nwritten\n") ,(lambda (_) "line 5\nwritten\n"))
    (write_file (:path "a.txt" :content "more\n" :mode "append")
                ,(lambda (text) (concat text "more\n")))
    (write_bytes (:path "a.txt" :content ,(base64-encode-string "bytes\n"))
                 ,(lambda (_) "bytes\n"))
    (copy_file (:source "b.txt" :destination "a.txt" :allow_overwrite t) ,(lambda (_) "other\n"))
    (move_file (:source "b.txt" :destination "a.txt" :allow_overwrite t)
               ,(lambda (_) "other\n") replaced)
    (move_file (:source "a.txt" :destination "d/moved.txt") identity moved)
    (snapshot_restore agent-q-fs-buffers-tests--older ,(lambda (_) "older\n"))
    (changes_undo agent-q-fs-buffers-tests--call ,(lambda (text) (concat "undone\n" text)))
    (delete_file (:path "a.txt") ignore gone))
  "The changes of a.txt: (OPERATION ARGUMENTS FUNCTION [FATE]).
ARGUMENTS may be a function of the workspace that returns them.
FUNCTION makes of the old text the new one.")

(defun agent-q-fs-buffers-tests--older (ws)
  "Return arguments that name a snapshot of WS in which a.txt is older."
  (let ((text (agent-q-fs-test-visit-bytes "a.txt")))
    (write-region "older\n" nil "a.txt" nil 'quiet)
    (prog1 (list :id (plist-get (agent-q-fs-snapshot-create ws) :id))
      (let ((coding-system-for-write 'no-conversion))
        (write-region text nil "a.txt" nil 'quiet)))))

(defun agent-q-fs-buffers-tests--call (ws)
  "Return arguments that name a call in WS that took a line out of a.txt."
  (let ((text (agent-q-fs-test-visit-bytes "a.txt"))
        (coding-system-for-write 'no-conversion))
    (write-region (concat "undone\n" text) nil "a.txt" nil 'quiet)
    (agent-q-fs-call ws 'edit_file :path "a.txt" :old_str "undone\n" :new_str "")
    (list :calls (list (plist-get (car (plist-get (agent-q-fs-changes-list ws) :calls)) :id)))))

(defun agent-q-fs-buffers-tests--visit (state)
  "Return a buffer that visits a.txt and is in STATE."
  (let ((buffer (find-file-noselect "a.txt")))
    (with-current-buffer buffer
      (pcase state
        ('modified (save-excursion (goto-char (point-max)) (insert "typed\n")))
        ('read-only (read-only-mode 1))
        ('narrowed (search-forward "line 4") (narrow-to-region (line-beginning-position) 50))
        ('indirect (with-current-buffer (make-indirect-buffer buffer "indirect" t)
                     (narrow-to-region 22 29)))
        ('hidden (rename-buffer " hidden"))))
    buffer))

(defun agent-q-fs-buffers-tests--matrix-call (ws operation arguments setting)
  "Call OPERATION with ARGUMENTS in WS, `agent-q-fs-unsaved' being SETTING."
  (let ((agent-q-fs-unsaved (if (memq setting '(yes no)) 'ask setting)))
    (cl-letf (((symbol-function 'agent-q-fs-buffers--ask)
               (lambda (_tie)
                 (push setting agent-q-fs-buffers-tests--asked)
                 (eq setting 'yes))))
      (condition-case problem
          (apply #'agent-q-fs-call ws operation arguments)
        (agent-q-fs-error (car problem))))))

(defun agent-q-fs-buffers-tests--check-fate (buffer state fate before after)
  "Check that BUFFER, which was in STATE, has met its FATE.
BEFORE and AFTER are the old and the new text."
  (pcase fate
    ('gone (should-not (buffer-live-p buffer))
           (should-not (file-exists-p "a.txt")))
    ('moved (should (equal before (agent-q-fs-test-visit-shown buffer)))
            (should (equal (buffer-local-value 'buffer-file-name buffer)
                           (expand-file-name "d/moved.txt")))
            (with-current-buffer buffer
              (should (verify-visited-file-modtime buffer))
              (should (eq (buffer-modified-p) (eq state 'modified)))
              (should (equal (buffer-name) (if (eq state 'hidden) " hidden" "moved.txt")))))
    (_ (agent-q-fs-test-visit-check-shows buffer "a.txt")
       (should (equal after (agent-q-fs-test-visit-bytes "a.txt")))
       (agent-q-fs-test-visit-undo buffer)
       (should (equal before (agent-q-fs-test-visit-shown buffer)))
       (with-current-buffer buffer (should (buffer-modified-p)))))
  (when (buffer-live-p buffer)
    (should (eq (buffer-local-value 'buffer-read-only buffer) (eq state 'read-only)))))

(defun agent-q-fs-buffers-tests--check-restriction (buffer state)
  "Check that BUFFER, or its indirect buffer in STATE, is as narrow as it was."
  (when (buffer-live-p buffer)
    (pcase state
      ('narrowed (with-current-buffer buffer
                   (should (buffer-narrowed-p))
                   (should (<= (- (point-max) (point-min)) 28))))
      ('indirect (with-current-buffer "indirect" (should (buffer-narrowed-p)))))))

(defun agent-q-fs-buffers-tests--matrix-case (state case setting)
  "Check CASE, of the operations, with a buffer in STATE and the SETTING."
  (agent-q-fs-test-visit-with (ws '("b.txt" "other\n"))
    (pcase-let* ((agent-q-fs-buffers-tests--asked nil)
                 (`(,operation ,given ,result ,fate) case)
                 (arguments (if (functionp given) (funcall given ws) given))
                 (buffer (agent-q-fs-buffers-tests--visit state))
                 (before (agent-q-fs-test-visit-shown buffer))
                 (prevented (and (eq state 'modified)
                                 (pcase fate
                                   ('moved nil)
                                   ((or 'gone 'replaced) t)
                                   (_ (memq setting '(refuse no))))))
                 (answer (agent-q-fs-buffers-tests--matrix-call ws operation arguments setting)))
      (if prevented
          (progn
            (should (eq 'agent-q-fs-denied answer))
            (should (equal agent-q-fs-test-visit-text
                           (agent-q-fs-test-visit-bytes "a.txt")))
            (should (equal "other\n" (agent-q-fs-test-visit-bytes "b.txt")))
            (should (equal before (agent-q-fs-test-visit-shown buffer)))
            (with-current-buffer buffer (should (buffer-modified-p))))
        (should (plist-get answer :text))
        (agent-q-fs-buffers-tests--check-restriction buffer state)
        (agent-q-fs-buffers-tests--check-fate buffer state fate before (funcall result before)))
      (should (equal agent-q-fs-buffers-tests--asked
                     (and (eq state 'modified) (not fate) (memq setting '(yes no))
                          (list setting)))))))

(defun agent-q-fs-buffers-tests--matrix (state)
  "Check every operation and setting with a buffer in STATE."
  (dolist (case agent-q-fs-buffers-tests--operations)
    (dolist (setting '(refuse save yes no))
      (ert-info ((format "%s, %s, %s" state setting case))
        (agent-q-fs-buffers-tests--matrix-case state case setting)))))

(ert-deftest agent-q-fs-buffers/matrix-unmodified ()
  (agent-q-fs-buffers-tests--matrix 'unmodified))

(ert-deftest agent-q-fs-buffers/matrix-modified ()
  (agent-q-fs-buffers-tests--matrix 'modified))

(ert-deftest agent-q-fs-buffers/matrix-read-only ()
  (agent-q-fs-buffers-tests--matrix 'read-only))

(ert-deftest agent-q-fs-buffers/matrix-narrowed ()
  (agent-q-fs-buffers-tests--matrix 'narrowed))

(ert-deftest agent-q-fs-buffers/matrix-indirect ()
  (agent-q-fs-buffers-tests--matrix 'indirect))

(ert-deftest agent-q-fs-buffers/matrix-hidden ()
  (agent-q-fs-buffers-tests--matrix 'hidden))

(ert-deftest agent-q-fs-buffers/matrix-has-every-operation ()
  "Each operation that changes files is in the matrix."
  (agent-q-fs-test-with-tree (_ws)
    (should-not (cl-set-difference
                 (cl-loop for op in (agent-q-fs-operations)
                          unless (eq :safe (plist-get op :tier))
                          collect (intern (plist-get op :name)))
                 (append '(make_directory snapshot_create snapshot_prune changes_accept changes_forget)
                         (mapcar #'car agent-q-fs-buffers-tests--operations))))))


;;;; Buffers that follow changes

(defvar agent-q-fs-follow-tests--ran nil
  "Non-nil when something ran that a file chose.")

(defun agent-q-fs-follow-tests--visited (buffer)
  "Return the name that BUFFER visits, relative to this directory."
  (file-relative-name (buffer-local-value 'buffer-file-name buffer)))


;;;; The right buffers

(ert-deftest agent-q-fs-follow/other-spellings ()
  "A buffer is found through a link, a linked directory and a name outside."
  (agent-q-fs-test-visit-with (ws '("d/x" "one\n"))
    (make-symbolic-link "d" "dlink")
    (make-symbolic-link "d/x" "flink")
    (dolist (name '("flink" "dlink/x" "d/x"))
      (let* ((find-file-existing-other-name nil)
             (default-directory default-directory)
             (buffer (find-file-noselect name)))
        (agent-q-fs-edit-file ws "d/x" :old_str "one" :new_str "two")
        (should (equal "two\n" (agent-q-fs-test-visit-shown buffer)))
        (should (verify-visited-file-modtime buffer))
        (agent-q-fs-edit-file ws "dlink/../d/x" :old_str "two" :new_str "one")
        (should (equal "one\n" (agent-q-fs-test-visit-shown buffer)))
        (with-current-buffer buffer (insert "typed"))
        (should-error (agent-q-fs-edit-file ws "flink" :old_str "one" :new_str "two")
                      :type 'agent-q-fs-denied)
        (with-current-buffer buffer (set-buffer-modified-p nil))
        (kill-buffer buffer)))
    (should (file-symlink-p "flink"))))

(ert-deftest agent-q-fs-follow/a-directory-that-is-mounted-twice ()
  "A directory has the name by which it was met first, whatever it is called."
  (agent-q-fs-test-with-tree (_ws '("one/f" "x") '("two/f" "x") '("three/f" "x"))
    (let ((cache (make-hash-table :test 'equal))
          (facts (symbol-function 'file-attributes))
          (one (expand-file-name "one/")) (two (expand-file-name "two/"))
          (three (expand-file-name "three/")))
      ;; As if two/ were a mount of one/.
      (cl-letf (((symbol-function 'file-attributes)
                 (lambda (file &rest more)
                   (apply facts (if (string-prefix-p two file) one file) more))))
        (should (equal one (agent-q-fs-buffers--true-directory one cache)))
        (should (equal one (agent-q-fs-buffers--true-directory two cache)))
        (should (equal three (agent-q-fs-buffers--true-directory three cache)))
        (should (equal (expand-file-name "none/")
                       (agent-q-fs-buffers--true-directory (expand-file-name "none/") cache)))))))

(ert-deftest agent-q-fs-follow/hard-links-are-other-files ()
  (agent-q-fs-test-visit-with (ws)
    (add-name-to-file "a.txt" "twin")
    (let ((buffer (find-file-noselect "twin")))
      (with-current-buffer buffer (insert "typed"))
      (should (agent-q-fs-edit-file ws "a.txt" :old_str "line 5" :new_str "5"))
      (with-current-buffer buffer (should (buffer-modified-p)))
      (should (equal agent-q-fs-test-visit-text (agent-q-fs-test-visit-bytes "twin"))))))

(ert-deftest agent-q-fs-follow/a-new-file-that-is-visited-already ()
  (agent-q-fs-test-visit-with (ws)
    (let ((buffer (find-file-noselect "new.txt")))
      (agent-q-fs-create-file ws "new.txt" "there\n")
      (agent-q-fs-test-visit-check-shows buffer "new.txt"))))


;;;; Moves and deletions

(ert-deftest agent-q-fs-follow/directories ()
  "The buffers below a directory follow it, modified ones too."
  (agent-q-fs-test-visit-with (ws '("d/e/x" "x\n") '("d/y" "y\n") '("dd/z" "z\n"))
    (let ((x (find-file-noselect "d/e/x"))
          (y (find-file-noselect "d/y"))
          (z (find-file-noselect "dd/z")))
      (with-current-buffer y (insert "typed "))
      (agent-q-fs-move-file ws "d" "new/d2")
      (should (equal '("new/d2/e/x" "new/d2/y" "dd/z")
                     (mapcar #'agent-q-fs-follow-tests--visited (list x y z))))
      (should (equal (expand-file-name "new/d2/e/") (buffer-local-value 'default-directory x)))
      (should (verify-visited-file-modtime x))
      (should (eq x (find-buffer-visiting "new/d2/e/x")))
      (with-current-buffer y
        (should (buffer-modified-p))
        (save-buffer))
      (should (equal "typed y\n" (agent-q-fs-test-visit-bytes "new/d2/y")))
      (should-not (file-exists-p "d"))
      (with-current-buffer y (insert "more "))
      (should-error (agent-q-fs-delete-file ws "new" :recursive t) :type 'agent-q-fs-denied)
      (should (file-exists-p "new/d2/e/x"))
      (should (buffer-live-p x))
      (with-current-buffer y (save-buffer))
      (agent-q-fs-delete-file ws "new" :recursive t)
      (should-not (buffer-live-p x))
      (should-not (buffer-live-p y))
      (should (buffer-live-p z)))))

(ert-deftest agent-q-fs-follow/spelling-is-kept ()
  "A buffer that was visited through a linked directory still is."
  (agent-q-fs-test-visit-with (ws '("d/x" "x\n"))
    (make-symbolic-link "d" "dlink")
    (let ((buffer (find-file-noselect "dlink/x")))
      (agent-q-fs-move-file ws "d/x" "d/y")
      (should (equal "dlink/y" (agent-q-fs-follow-tests--visited buffer)))
      (should (equal "y" (buffer-name buffer))))))

(ert-deftest agent-q-fs-follow/names-of-ones-own-are-kept ()
  "A buffer has its file's new name if it had the old one, perhaps with more behind it."
  (dolist (names '(("a.txt" . "c.txt") ("a.txt<2>" . "c.txt") ("mine" . "mine")
                   ("a.txt mine" . "a.txt mine") ("my a.txt" . "my a.txt") ("aXtxt" . "aXtxt")))
    (agent-q-fs-test-visit-with (ws)
      (with-current-buffer (find-file-noselect "a.txt")
        (rename-buffer (car names))
        (agent-q-fs-move-file ws "a.txt" "c.txt")
        (should (equal (cdr names) (buffer-name)))))))

(ert-deftest agent-q-fs-follow/names-in-use-are-left-to-others ()
  (agent-q-fs-test-visit-with (ws '("d/c.txt" "c\n"))
    (let ((other (find-file-noselect "d/c.txt")) (buffer (find-file-noselect "a.txt")))
      (agent-q-fs-move-file ws "a.txt" "c.txt")
      (should (string-prefix-p "c.txt" (buffer-name other)))
      (should (string-match-p "\\`c\\.txt<.+>\\'" (buffer-name buffer))))))

(ert-deftest agent-q-fs-follow/windows-show-the-buffer-that-stays ()
  (agent-q-fs-test-visit-with (ws '("c.txt" "c\n"))
    (let ((buffer (find-file-noselect "a.txt")) (other (find-file-noselect "c.txt")))
      (save-window-excursion
        (set-window-buffer nil buffer)
        (agent-q-fs-call ws 'move_file :source "a.txt" :destination "c.txt" :allow_overwrite t)
        (should-not (buffer-live-p buffer))
        (should (eq other (window-buffer)))))))

(ert-deftest agent-q-fs-follow/onto-a-visited-file ()
  "Two buffers never visit one file, and a modified one stays."
  (agent-q-fs-test-visit-with (ws '("b.txt" "b\n"))
    (let ((a (find-file-noselect "a.txt")) (b (find-file-noselect "b.txt")))
      (agent-q-fs-move-file ws "b.txt" "a.txt" :allow_overwrite t)
      (should-not (buffer-live-p b))
      (agent-q-fs-test-visit-check-shows a "a.txt"))
    (agent-q-fs-test--write "b.txt" "b\n")
    (let ((a (find-file-noselect "a.txt")) (b (find-file-noselect "b.txt")))
      (with-current-buffer b (insert "typed "))
      (agent-q-fs-move-file ws "b.txt" "a.txt" :allow_overwrite t)
      (should-not (buffer-live-p a))
      (should (equal "a.txt" (agent-q-fs-follow-tests--visited b)))
      (should (equal "typed b\n" (agent-q-fs-test-visit-shown b))))))

(ert-deftest agent-q-fs-follow/patches-of-several-files ()
  (agent-q-fs-test-visit-with (ws '("b" "b\n") '("c" "c\n") '("e" "e\n"))
    (let* ((a (find-file-noselect "a.txt")) (b (find-file-noselect "b"))
           (c (find-file-noselect "c")) (e (find-file-noselect "e"))
           (patch "*** Begin Patch\n*** Update File: a.txt\n@@\n-line 2\n+two\n\
*** Update File: b\n*** Move to: d/b2\n@@\n-b\n+B\n*** Delete File: c\n*** Add File: n\n+n\n*** End Patch\n"))
      (with-current-buffer c (insert "typed "))
      (should-error (agent-q-fs-apply-patch ws patch) :type 'agent-q-fs-denied)
      (should (equal agent-q-fs-test-visit-text (agent-q-fs-test-visit-bytes "a.txt")))
      (should (equal agent-q-fs-test-visit-text (agent-q-fs-test-visit-shown a)))
      (should (equal "b" (agent-q-fs-follow-tests--visited b)))
      (with-current-buffer c (erase-buffer) (insert "c\n") (set-buffer-modified-p nil))
      (agent-q-fs-apply-patch ws patch)
      (agent-q-fs-test-visit-check-shows a "a.txt")
      (agent-q-fs-test-visit-check-shows b "d/b2")
      (should (equal "B\n" (agent-q-fs-test-visit-shown b)))
      (should-not (buffer-live-p c))
      (agent-q-fs-test-visit-check-shows e "e"))))

(ert-deftest agent-q-fs-follow/what-fails-leaves-buffers-alone ()
  "A change that is refused or stale neither saves nor touches a buffer."
  (agent-q-fs-test-visit-with (ws)
    (let* ((buffer (find-file-noselect "a.txt"))
           (agent-q-fs-unsaved 'save)
           (edit '(edit_file :path "a.txt" :old_str "line 5" :new_str "5"))
           (digest (plist-get (apply #'agent-q-fs-preview ws edit) :digest)))
      (with-current-buffer buffer (goto-char (point-max)) (insert "typed\n"))
      (let ((agent-q-fs-authority 'safe))
        (should-error (apply #'agent-q-fs-call ws edit) :type 'agent-q-fs-approval-required))
      (should-error (agent-q-fs-commit ws "no" 'delete_file :path "a.txt")
                    :type 'agent-q-fs-stale)
      (should-error (agent-q-fs-edit-file ws "a.txt" :old_str "none" :new_str "5")
                    :type 'agent-q-fs-no-match)
      (with-current-buffer buffer (should (buffer-modified-p)))
      (should (equal agent-q-fs-test-visit-text (agent-q-fs-test-visit-bytes "a.txt")))
      ;; The approval was for the file as it was: the buffer is saved, and nothing edited.
      (should-error (apply #'agent-q-fs-commit ws digest edit) :type 'agent-q-fs-stale)
      (should (equal (concat agent-q-fs-test-visit-text "typed\n")
                     (agent-q-fs-test-visit-bytes "a.txt"))))))

(ert-deftest agent-q-fs-follow/formatting-on-save-is-planned-for ()
  (agent-q-fs-test-visit-with (ws)
    (let ((agent-q-fs-unsaved 'save))
      (with-current-buffer (find-file-noselect "a.txt")
        (add-hook 'before-save-hook (lambda () (upcase-region (point-min) (point-max))) nil t)
        (insert "typed\n")
        (should-error (agent-q-fs-edit-file ws "a.txt" :old_str "line 5" :new_str "5")
                      :type 'agent-q-fs-no-match)
        (insert "again\n")
        (agent-q-fs-edit-file ws "a.txt" :old_str "LINE 5" :new_str "five")
        (agent-q-fs-test-visit-check-shows (current-buffer) "a.txt")
        (should (string-search "five\nLINE 6" (buffer-string)))))))

(ert-deftest agent-q-fs-follow/changed-by-both ()
  "A buffer is not saved over a file that somebody else has written."
  (agent-q-fs-test-visit-with (ws)
    (let ((agent-q-fs-unsaved 'save))
      (with-current-buffer (find-file-noselect "a.txt")
        (insert "typed\n")
        (agent-q-fs-test--write "a.txt" "theirs\n")
        (set-visited-file-modtime '(0 5 0 0))
        (should-error (agent-q-fs-edit-file ws "a.txt" :old_str "theirs" :new_str "ours")
                      :type 'agent-q-fs-denied)
        (should (equal "theirs\n" (agent-q-fs-test-visit-bytes "a.txt")))))))

(ert-deftest agent-q-fs-follow/nothing-was-done ()
  "After a call that was interrupted, the disk says what buffers show."
  (agent-q-fs-test-visit-with (ws '("c.txt" "other\n"))
    (dolist (target '((:path "a.txt" :action :delete :type :file)
                      (:path "c.txt" :from "a.txt" :action :move :type :file)))
      (let ((buffer (find-file-noselect "a.txt")) (targets (list target)))
        (agent-q-fs-buffers-before-change ws targets)
        (agent-q-fs-buffers-after-change ws targets nil)
        (should (buffer-live-p buffer))
        (should (equal "a.txt" (file-name-nondirectory (buffer-file-name buffer))))
        (agent-q-fs-buffers-before-change ws targets)
        (kill-buffer buffer)
        (rename-file "a.txt" "away")
        (agent-q-fs-buffers-after-change ws targets nil)
        (rename-file "away" "a.txt")
        (should-not (find-buffer-visiting "c.txt"))))))

(ert-deftest agent-q-fs-follow/typed-while-the-file-goes ()
  "A buffer that was changed meanwhile stays."
  (agent-q-fs-test-visit-with (ws)
    (with-current-buffer (find-file-noselect "a.txt")
      (let ((agent-q-fs-before-change-functions
             (append agent-q-fs-before-change-functions
                     (list (lambda (&rest _) (with-current-buffer "a.txt" (insert "typed")))))))
        (agent-q-fs-call ws 'delete_file :path "a.txt"))
      (should-not (file-exists-p "a.txt"))
      (should (buffer-live-p (get-buffer "a.txt")))
      (should (string-search "typed" (buffer-string))))))

(ert-deftest agent-q-fs-follow/version-control-is-asked-anew ()
  (agent-q-fs-test-visit-with (ws)
    (with-current-buffer (find-file-noselect "a.txt")
      (let ((old buffer-file-name))
        (vc-file-setprop old 'vc-backend 'Git)
        (setq vc-mode " Git-main")
        (agent-q-fs-call ws 'move_file :source "a.txt" :destination "c.txt")
        (should (equal "c.txt" (file-name-nondirectory buffer-file-name)))
        (should-not vc-mode)
        (should-not (vc-file-getprop old 'vc-backend))))))

(ert-deftest agent-q-fs-follow/cannot-be-saved ()
  "Nobody is asked about a file that cannot be written, or a text that cannot be encoded."
  (agent-q-fs-test-visit-with (ws)
    (let ((agent-q-fs-unsaved 'save))
      (with-current-buffer (find-file-noselect "a.txt")
        (insert "typed\n")
        (cl-letf (((symbol-function 'y-or-n-p) (lambda (_) (ert-fail "A question")))
                  ((symbol-function 'yes-or-no-p) (lambda (_) (ert-fail "A question"))))
          (cl-letf (((symbol-function 'file-writable-p) #'ignore)) ; root may write everything
            (should (string-search ", and cannot be saved: nothing was done"
                                   (agent-q-fs-test-message
                                     (agent-q-fs-edit-file ws "a.txt" :old_str "line 5" :new_str "5")))))
          (insert "\u20ac")
          (setq buffer-file-coding-system 'latin-1)
          (should (string-search "encoding cannot hold them"
                                 (agent-q-fs-test-message
                                   (agent-q-fs-edit-file ws "a.txt" :old_str "line 5" :new_str "5")))))
        (should (buffer-modified-p))
        (should (equal agent-q-fs-test-visit-text (agent-q-fs-test-visit-bytes "a.txt")))))))

(ert-deftest agent-q-fs-follow/jobs ()
  (agent-q-fs-test-visit-with (ws)
    (let ((buffer (find-file-noselect "a.txt")) (edit '(:path "a.txt" :old_str "line 5" :new_str "5")))
      (agent-q-fs-job-wait (agent-q-fs-call-async ws 'edit_file edit) agent-q-fs-test-patience)
      (agent-q-fs-test-visit-check-shows buffer "a.txt")
      (with-current-buffer buffer (insert "typed"))
      (should (eq 'failed (agent-q-fs-job-wait
                           (agent-q-fs-call-async ws 'edit_file
                                                  '(:path "a.txt" :old_str "5" :new_str "6"))
                           10))))))


;;;; Reads

(ert-deftest agent-q-fs-follow/reads-tell-of-unsaved-changes ()
  (agent-q-fs-test-visit-with (ws '("d/x" "line 5\n"))
    (let ((note "[buffer a.txt has unsaved changes that this does not show]\n")
          (buffer (find-file-noselect "a.txt")))
      (should-not (plist-member (agent-q-fs-read-file ws "a.txt") :unsaved))
      (with-current-buffer buffer (insert "typed"))
      (dolist (told (list (agent-q-fs-read-file ws "./d/../a.txt")
                          (agent-q-fs-grep-files ws "line 5")
                          (agent-q-fs-grep-files ws "nothing" :path "a.txt")
                          (agent-q-fs-grep-files ws "line" :include "*.txt")))
        (should (eq t (plist-get told :unsaved)))
        (should (string-suffix-p note (plist-get told :text))))
      (dolist (quiet (list (agent-q-fs-read-file ws "d/x")
                           (agent-q-fs-grep-files ws "line" :path "d")
                           (agent-q-fs-grep-files ws "line" :include "*.el")
                           (agent-q-fs-grep-files ws "line" :exclude_patterns '("a.*"))))
        (should-not (plist-member quiet :unsaved))
        (should-not (string-search "unsaved" (plist-get quiet :text)))))))


(ert-deftest agent-q-fs-follow/searches-tell-of-what-they-looked-at ()
  "A buffer is mentioned where the core itself finds what its file holds."
  (agent-q-fs-test-visit-with (ws '("d/x.el" "needle\n") '("d/e/y.el" "needle\n") '("z.elc" "needle\n")
                                  '("d/e/.git/w.el" "needle\n") '("D.EL" "needle\n"))
    (mapc #'find-file-noselect '("d/x.el" "d/e/y.el" "z.elc" "d/e/.git/w.el" "D.EL"))
    (dolist (file '("d/x.el" "d/e/y.el" "z.elc" "d/e/.git/w.el" "D.EL"))
      (with-current-buffer (find-file-noselect file) (insert "typed"))
      (dolist (search '((:include "*.el") (:include "d/*.el") (:include "**/*.el") (:include "d/**")
                        (:include "?.el") (:include "*.el?") (:include "**") (:include "d/**/*.el")
                        (:include "d.el") (:path "d" :include "*.el") (:path "d/e" :exclude_patterns ())
                        (:path "d" :exclude_patterns ("e")) (:exclude_patterns ["x.*" "d.el"])
                        (:exclude_patterns []) ()))
        (let ((reply (apply #'agent-q-fs-grep-files ws "needle" search)))
          (should (equal (list file search (and (seq-some (lambda (match) (equal file (plist-get match :path)))
                                                          (plist-get reply :matches))
                                                t))
                         (list file search (plist-get reply :unsaved))))))
      (with-current-buffer (find-buffer-visiting file) (set-buffer-modified-p nil)))))

(ert-deftest agent-q-fs-follow/five-are-named ()
  (agent-q-fs-test-visit-with (ws)
    (cl-loop for n from 1 to 7
             for file = (format "needle%d" n)
             do (agent-q-fs-test--write file "needle\n")
             (with-current-buffer (find-file-noselect file) (insert "typed"))
             (let ((text (plist-get (agent-q-fs-grep-files ws "needle") :text)))
               (should (= (min n 5) (cl-count-if (lambda (line) (string-prefix-p "[buffer " line))
                                                 (split-string text "\n"))))
               (should (equal (and (> n 5) (format "[so have %d more buffers]" (- n 5)))
                              (seq-find (lambda (line) (string-prefix-p "[so have" line))
                                        (split-string text "\n"))))))))

(ert-deftest agent-q-fs-follow/reads-of-several-files-tell-of-unsaved-changes ()
  (agent-q-fs-test-visit-with (ws '("one" "1\n") '("two" "2\n") '("three" "3\n"))
    (let ((note "[buffer two has unsaved changes that this does not show]\n"))
      (with-current-buffer (find-file-noselect "two") (insert "typed"))
      (should (equal (concat "==> one <==\n1\n==> two <==\n2\n" note)
                     (plist-get (agent-q-fs-read-file ws nil :paths '("one" "two")) :text)))
      (should-not (string-search "unsaved"
                                 (plist-get (agent-q-fs-read-file ws nil :paths ["one" "three"])
                                            :text))))))

(ert-deftest agent-q-fs-follow/notes-stand-in-lines-of-their-own ()
  (agent-q-fs-test-visit-with (ws '("line" "text") '("lines" "text\n"))
    (pcase-dolist (`(,file . ,text) '(("line" . "text\n[no newline at the end]\n")
                                      ("lines" . "text\n")))
      (with-current-buffer (find-file-noselect file) (insert "typed"))
      (should (equal (format "%s[buffer %s has unsaved changes that this does not show]\n" text file)
                     (plist-get (agent-q-fs-read-file ws file) :text))))))


;;;; Hostile files

(defconst agent-q-fs-follow-tests--hostile
  "# -*- mode: emacs-lisp; eval: (setq agent-q-fs-follow-tests--ran t); coding: utf-8 -*-
Content-Type: text/enriched
<x-display><param>(progn (setq agent-q-fs-follow-tests--ran t))</param>x</x-display>
# Local Variables:
# mode: emacs-lisp
# eval: (setq agent-q-fs-follow-tests--ran t)
# fill-column: 7
# End:
")

;;;; Unsaved text by other ways

(defun agent-q-fs-follow-tests--refused (regexp ws operation &rest arguments)
  "Fail unless OPERATION with ARGUMENTS in WS is refused with a message like REGEXP."
  (let ((text (apply #'agent-q-fs-test-visit-bytes '("a.txt"))))
    (ert-info ((format "%S" (cons operation arguments)))
      (should (string-match-p
               regexp (plist-get (cdr (should-error (apply #'agent-q-fs-call ws operation arguments)
                                                    :type 'agent-q-fs-denied))
                                 :message)))
      (should (equal text (agent-q-fs-test-visit-bytes "a.txt"))))))

(defun agent-q-fs-follow-tests--all-refused (regexp ws)
  "Fail unless each change of a.txt in WS is refused with a message like REGEXP."
  (agent-q-fs-follow-tests--refused regexp ws 'write_file :path "a.txt" :content "x")
  (agent-q-fs-follow-tests--refused regexp ws 'delete_file :path "a.txt")
  (agent-q-fs-follow-tests--refused regexp ws 'edit_file :path "a.txt"
                                    :old_str "line 2\n" :new_str "")
  (agent-q-fs-follow-tests--refused regexp ws 'move_file :source "b.txt" :destination "a.txt"
                                    :allow_overwrite t))

(defmacro agent-q-fs-follow-tests--visiting (name &rest body)
  "Run BODY in a buffer with unsaved changes whose file is said to be NAME."
  (declare (indent 1) (debug (form body)))
  `(with-temp-buffer
     (rename-buffer "elsewhere")
     (setq buffer-file-name ,name)
     (insert "typed")
     (unwind-protect (progn ,@body)
       (set-buffer-modified-p nil)
       (setq buffer-file-name nil))))

(ert-deftest agent-q-fs-follow/visited-as-another-user ()
  "Threat 149: text counts that is typed as another user, or in a container."
  (agent-q-fs-test-visit-with (ws '("b.txt" "other\n") '("d/a.txt" "inner\n"))
    (let ((here (expand-file-name "a.txt")) (root default-directory))
      (dolist (way (list "/sudo::%s" "/sudo:root@localhost:%s" "/su::%s" "/doas::%s"
                         "/sudoedit::%s" "/ssh:localhost:%s" "/ssh:joe@127.0.0.1:%s"
                         "/ssh:localhost|sudo:root@localhost:%s"
                         (concat "/sudo:root@" (system-name) ":%s")
                         "/docker:box:%s" "/docker:box:/workspace/a.txt" "/podman:box:/a.txt"
                         "/docker:box|sudo:root@box:/workspace/a.txt"))
        (ert-info (way)
          (dolist (agent-q-fs-unsaved '(refuse save ask))
            (agent-q-fs-follow-tests--visiting (if (string-search "%s" way) (format way here) way)
              (let ((default-directory root))
                (agent-q-fs-follow-tests--all-refused
                 "\\`Buffer elsewhere has unsaved changes to .*a.txt.* by way of" ws)
                (agent-q-fs-follow-tests--refused "by way of" ws 'move_file
                                                  :source "a.txt" :destination "c.txt")
                (should (plist-get (agent-q-fs-read-file ws "a.txt") :unsaved))
                (should-not (plist-get (agent-q-fs-read-file ws "b.txt") :unsaved)))))))
      (dolist (way (list "/ssh:other.example:%s" "/ssh:other.example|sudo:root@other.example:%s"
                         "/ssh:other.example|docker:box:/workspace/a.txt"
                         "/docker:box:/workspace/none.txt" "/docker:box:/d/x/none"))
        (ert-info (way)
          (agent-q-fs-follow-tests--visiting (format way here)
            (let ((default-directory root))
              (agent-q-fs-write-file ws "a.txt" "line 2\n")
              (should (equal "typed" (buffer-string)))))))
      ;; The longest name that is there is the one.
      (agent-q-fs-follow-tests--visiting "/docker:box:/workspace/d/a.txt"
        (let ((default-directory root))
          (agent-q-fs-write-file ws "a.txt" "line 2\n")
          (should-error (agent-q-fs-write-file ws "d/a.txt" "x") :type 'agent-q-fs-denied))))))

(ert-deftest agent-q-fs-follow/really-visited-as-another-user ()
  (skip-unless (and (eql 0 (user-uid)) (executable-find "su")))
  (agent-q-fs-test-visit-with (ws '("b.txt" "other\n"))
    (let* ((root default-directory)
           (tramp-verbose 0)
           (buffer (find-file-noselect (concat "/su::" (expand-file-name "a.txt")))))
      (should (file-remote-p (buffer-file-name buffer)))
      (agent-q-fs-write-file ws "a.txt" "line 2\nand more\n")
      (with-current-buffer buffer
        (revert-buffer t t)
        (should (equal "line 2\nand more\n" (buffer-string)))
        (insert "typed")
        (let ((default-directory root))
          (agent-q-fs-follow-tests--all-refused "by way of su" ws))
        (should (string-prefix-p "typed" (buffer-string)))
        (set-buffer-modified-p nil))
      (tramp-cleanup-all-connections))))

(ert-deftest agent-q-fs-follow/archive-members ()
  "Typed text in a member of an archive is unsaved text of the archive."
  (pcase-dolist (`(,file ,command ,extract ,needed)
                 '(("x.tar" "tar cf x.tar a.txt" tar-extract "tar")
                   ("x.zip" "zip -q x.zip a.txt" archive-extract "zip")))
    (when (and (executable-find needed) (or (equal needed "tar") (executable-find "unzip")))
      (agent-q-fs-test-visit-with (ws '("b.txt" "other\n"))
        (should (eql 0 (call-process-shell-command command)))
        (let* ((root default-directory)
               (bytes (agent-q-fs-test-visit-bytes file))
               (archive (find-file-noselect file))
               (member (with-current-buffer archive
                         (goto-char (point-min))
                         (re-search-forward "a\\.txt")
                         (save-window-excursion
                           (funcall extract)
                           (current-buffer)))))
          (should-not (eq member archive))
          (should-not (plist-get (agent-q-fs-read-bytes ws file) :unsaved))
          (with-current-buffer member
            (let ((inhibit-read-only t)) (insert "typed"))
            (should (buffer-modified-p))
            (let ((default-directory root))
              (dolist (call (list (list 'delete_file :path file)
                                  (list 'write_bytes :path file :content "AAEC")
                                  (list 'move_file :source file :destination "y")
                                  (list 'move_file :source "b.txt" :destination file
                                        :allow_overwrite t)))
                (apply #'agent-q-fs-follow-tests--refused "by way of archive" ws call)))
            (set-buffer-modified-p nil))
          (should (equal bytes (agent-q-fs-test-visit-bytes file)))
          (agent-q-fs-delete-file ws file))))))

(defun agent-q-fs-follow-tests--other-emacs (file)
  "Return an Emacs that has unsaved changes to FILE, which it has saved by itself."
  (let ((process (make-process
                  :name "other emacs" :noquery t
                  :command (agent-q-fs-test-emacs-command
                            "--batch" "--eval"
                            (format "(progn (find-file %S) (auto-save-mode 1) (insert \"typed\")
                                       (do-auto-save t) (while t (sleep-for 1)))"
                                    (expand-file-name file)))))
        (directory (file-name-directory (expand-file-name file)))
        (name (file-name-nondirectory file)))
    (agent-q-fs-test-until (and (file-symlink-p (concat directory ".#" name))
                                (file-exists-p (concat directory "#" name "#"))))
    process))

(ert-deftest agent-q-fs-follow/locked-by-another-emacs ()
  "Threat 149: a file with unsaved changes in another Emacs is left alone, with their copy."
  (agent-q-fs-test-visit-with (ws '("b.txt" "other\n") '("d/e/c.txt" "inner\n"))
    (let ((others (mapcar #'agent-q-fs-follow-tests--other-emacs '("a.txt" "d/e/c.txt"))))
      (unwind-protect
          (progn
            (should (string-search
                     "the lock .#a.txt or the copy #a.txt#"
                     (plist-get (cdr (should-error (agent-q-fs-delete-file ws "a.txt"))) :hint)))
            (agent-q-fs-follow-tests--all-refused
             (concat "\\`a.txt: an Emacs has unsaved changes to a.txt (user "
                     (regexp-quote (user-login-name)))
             ws)
            (dolist (call '((delete_file :path ".#a.txt") (delete_file :path "#a.txt#")
                            (write_file :path "#a.txt#" :content "x")
                            (move_file :source "#a.txt#" :destination "z")
                            (move_file :source ".#a.txt" :destination "z")
                            (copy_file :source "b.txt" :destination "#a.txt#" :allow_overwrite t)
                            (delete_file :path "d" :recursive t)))
              (apply #'agent-q-fs-follow-tests--refused "has unsaved changes to [ac].txt" ws call))
            (should (equal "inner\n" (agent-q-fs-test-visit-bytes "d/e/c.txt")))
            (should (string-prefix-p "typed" (agent-q-fs-test-visit-bytes "#a.txt#"))))
        (dolist (process others) (signal-process process 'KILL))
        (agent-q-fs-test-until (not (seq-some #'process-live-p others))))
      ;; That Emacs is no more.  Its own auto-save is all that is left of the text.
      (agent-q-fs-follow-tests--refused "has unsaved changes to a.txt" ws 'delete_file
                                        :path "#a.txt#")
      (agent-q-fs-write-file ws "a.txt" "x")
      (set-file-times "#a.txt#" (time-add (file-attribute-modification-time (file-attributes "a.txt")) -9))
      (agent-q-fs-delete-file ws "#a.txt#") ; older than the file: nothing is lost with it
      (agent-q-fs-delete-file ws "d" :recursive t)
      (should-not (file-exists-p "d")))))

(ert-deftest agent-q-fs-follow/hostile-visits ()
  "Threat 63: no content of a file makes a buffer run or ask anything."
  (setq agent-q-fs-follow-tests--ran nil)
  (agent-q-fs-test-visit-with (ws)
    (let ((buffer (find-file-noselect "a.txt"))
          (enable-local-variables :all)
          (enable-local-eval t)
          (find-file-hook (list (lambda () (setq agent-q-fs-follow-tests--ran t)))))
      (with-current-buffer buffer
        (let ((mode major-mode) (column fill-column))
          (agent-q-fs-write-file ws ".dir-locals.el" "((nil . ((fill-column . 7)
 (eval . (setq agent-q-fs-follow-tests--ran t)))))")
          (agent-q-fs-write-file ws "a.txt" agent-q-fs-follow-tests--hostile)
          (agent-q-fs-test-visit-check-shows buffer "a.txt")
          (agent-q-fs-move-file ws "a.txt" "sub/a.el")
          (agent-q-fs-edit-file ws "sub/a.el" :old_str "enriched" :new_str "enriched\n")
          (should (equal (buffer-string) (agent-q-fs-test-visit-bytes "a.el")))
          (should-not (buffer-modified-p))
          (should (verify-visited-file-modtime))
          (should (eq mode major-mode))
          (should (eql column fill-column)))))
    (should-not agent-q-fs-follow-tests--ran)))

(ert-deftest agent-q-fs-follow/magic-names ()
  "Names that mean something to Emacs are names, before and after a move."
  (agent-q-fs-test-visit-with (ws)
    (cl-letf (((symbol-function 'call-process) (lambda (&rest _) (error "A process")))
              ((symbol-function 'process-file) (lambda (&rest _) (error "A process")))
              ((symbol-function 'make-process) (lambda (&rest _) (error "A process"))))
      (let ((buffer (find-file-noselect "a.txt")) (from "a.txt"))
        (dolist (name '("sudo::x" "d:/ssh:host:x" "x.gz.d/y" ":" "~" "$HOME" "*" " x "
                        "ä" "n\nl"))
          (let ((name (if (equal name "~") "~x" name))
                (file-name-handler-alist file-name-handler-alist))
            (agent-q-fs-move-file ws from name)
            (agent-q-fs-write-file ws name (format "in %s\n" name))
            (should (equal (format "in %s\n" name) (agent-q-fs-test-visit-shown buffer)))
            (should (verify-visited-file-modtime buffer))
            (should-not (buffer-modified-p buffer))
            (with-current-buffer buffer
              (goto-char (point-max))
              (insert "typed\n")
              (should-error (agent-q-fs-insert-at-line ws name "x" 0) :type 'agent-q-fs-denied)
              (save-buffer))
            (let ((file-name-handler-alist nil))
              (should (equal (encode-coding-string (format "in %s\ntyped\n" name) 'utf-8)
                             (agent-q-fs-test-visit-bytes
                              (concat (agent-q-fs-workspace-root ws) name)))))
            (setq from name)))))))

(ert-deftest agent-q-fs-follow/compressed-buffers-are-left-alone ()
  "No program is run to show the new content: Emacs asks when it is needed."
  (agent-q-fs-test-visit-with (ws)
    (skip-unless (and (executable-find "gzip") (bound-and-true-p auto-compression-mode)))
    (let ((jka-compr-verbose nil)) (write-region "packed\n" nil "x.gz" nil 'quiet))
    (let ((buffer (find-file-noselect "x.gz")))
      (should (equal "packed\n" (agent-q-fs-test-visit-shown buffer)))
      (cl-letf (((symbol-function 'call-process) (lambda (&rest _) (error "A process"))))
        (agent-q-fs-write-file ws "x.gz" "plain\n"))
      (should (equal "packed\n" (agent-q-fs-test-visit-shown buffer)))
      (should-not (verify-visited-file-modtime buffer)))))


;;;; Many buffers

(defvar agent-q-fs-follow-tests--inside nil
  "Whether a true name is being found, which asks for those of its directories.")

(ert-deftest agent-q-fs-follow/many-buffers ()
  "With 300 visited files a write asks for few true names; `make bench' measures it."
  (agent-q-fs-test-visit-with (ws)
    (dotimes (i 300)
      (agent-q-fs-test--write (format "d%d/f%d" (% i 20) i) "x\n")
      (find-file-noselect (format "d%d/f%d" (% i 20) i)))
    (agent-q-fs-write-file ws "a.txt" "1\n")
    (let ((buffer (find-file-noselect "a.txt"))
          (asked 0))
      (let ((count (lambda (truename &rest arguments)
                     (unless agent-q-fs-follow-tests--inside (cl-incf asked))
                     (let ((agent-q-fs-follow-tests--inside t)) (apply truename arguments)))))
        (advice-add 'file-truename :around count)
        (unwind-protect (agent-q-fs-write-file ws "a.txt" "2\n")
          (advice-remove 'file-truename count)))
      ;; They lie in 20 directories.
      (should (< asked 60))
      (should (equal "2\n" (agent-q-fs-test-visit-shown buffer))))))
;;; agent-q-fs-buffers-tests.el ends here
