;;; agent-q-fs-buffers-tests.el --- Changed files and their buffers  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'agent-q-fs-test-visit)
(require 'agent-q-fs-buffers)

(defvar agent-q-fs-buffers-tests--asked nil
  "What was asked.")


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
    (insert_at_line (:path "a.txt" :content "new\n" :line 0)
                    ,(lambda (text) (concat "new\n" text)))
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
    (delete_file (:path "a.txt") ignore gone))
  "What is done to a.txt: (OPERATION ARGUMENTS FUNCTION [FATE]).
ARGUMENTS may be a function of the workspace that returns them.
FUNCTION makes of the old text the new one.")

(defun agent-q-fs-buffers-tests--older (ws)
  "Return arguments that name a snapshot of WS in which a.txt is older."
  (let ((text (agent-q-fs-test-visit-bytes "a.txt")))
    (write-region "older\n" nil "a.txt" nil 'quiet)
    (prog1 (list :id (plist-get (agent-q-fs-snapshot-create ws) :id))
      (let ((coding-system-for-write 'no-conversion))
        (write-region text nil "a.txt" nil 'quiet)))))

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
  "Check what became of BUFFER, which was in STATE, and its FATE.
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
                 (append '(make_directory snapshot_create snapshot_prune)
                         (mapcar #'car agent-q-fs-buffers-tests--operations))))))

(provide 'agent-q-fs-buffers-tests)
;;; agent-q-fs-buffers-tests.el ends here
