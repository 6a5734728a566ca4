;;; agent-q-fs-coedit-tests.el --- Tests of edits in buffers  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'agent-q-fs-test-help)
(require 'agent-q-fs-test-visit)
(require 'agent-q-fs-coedit)
(require 'agent-q-fs-tools)

(defmacro agent-q-fs-coedit-tests--with (spec &rest body)
  "Run BODY in a tree as `agent-q-fs-test-visit-with' with SPEC makes it.
SPEC is (WS BUFFER FILE...): BUFFER visits a.txt, and has \"mine\" typed before
line 5.  Unsaved text stands for files."
  (declare (indent 1) (debug ((symbolp symbolp &rest form) body)))
  `(agent-q-fs-test-visit-with (,(car spec) ,@(cddr spec))
     (let ((agent-q-fs-unsaved 'buffer)
           (agent-q-fs-audit-file nil)
           (,(cadr spec) (find-file-noselect "a.txt")))
       (with-current-buffer ,(cadr spec)
         (buffer-enable-undo)
         (goto-char (point-min))
         (search-forward "line 5")
         (goto-char (line-beginning-position))
         (insert "mine ")
         (undo-boundary))
       ,@body)))

(defun agent-q-fs-coedit-tests--call (ws tool &rest arguments)
  "Return the text of TOOL with ARGUMENTS in WS."
  (agent-q-fs-call-tool tool arguments ws))

(defun agent-q-fs-coedit-tests--disk-p ()
  "Return non-nil if a.txt on the disk is as it was."
  (equal agent-q-fs-test-visit-text (agent-q-fs-test-visit-bytes "a.txt")))

(ert-deftest agent-q-fs-coedit/reads-the-buffer ()
  (agent-q-fs-coedit-tests--with (ws buffer)
    (ignore buffer)
    (let ((text (agent-q-fs-coedit-tests--call ws "read_file" :path "a.txt" :start_line 4
                                               :end_line 6)))
      (should (string-prefix-p "line 4\nmine line 5\nline 6\n" text))
      (should (string-search "[this is the text of the buffer a.txt, whose changes are not saved]"
                             text)))
    (let ((reply (agent-q-fs-read-file ws "./a.txt")))
      (should (string-search "mine line 5" (plist-get reply :content)))
      (should (plist-get reply :unsaved))
      (should-not (equal (plist-get reply :version)
                         (plist-get (let ((agent-q-fs-unsaved 'refuse))
                                      (agent-q-fs-read-file ws "a.txt"))
                                    :version))))
    ;; More lines than the file on disk has.
    (with-current-buffer buffer (goto-char (point-max)) (insert "line 10\nline 11\n"))
    (should (string-prefix-p "line 11\n" (agent-q-fs-coedit-tests--call
                                          ws "read_file" :path "a.txt" :start_line 11)))
    ;; By default, the file is read.
    (let ((agent-q-fs-unsaved 'refuse))
      (should (string-search "\nline 5\n" (agent-q-fs-coedit-tests--call
                                           ws "read_file" :path "a.txt"))))))

(ert-deftest agent-q-fs-coedit/edits-the-buffer ()
  "Point, markers, narrowing and the file stay, and one undo takes it back."
  (agent-q-fs-coedit-tests--with (ws buffer)
    (let ((before (agent-q-fs-test-visit-shown buffer)) marker text)
      (with-current-buffer buffer
        (goto-char (point-min))
        (search-forward "line 7")
        (setq marker (copy-marker (match-beginning 0)))
        (goto-char (point-min))
        (forward-line 2)
        (narrow-to-region (point) (line-end-position 2))
        (forward-char 2))
      (setq text (agent-q-fs-coedit-tests--call
                  ws "edit_file" :path "a.txt" :edits
                  [(:old_str "line 1\n" :new_str "first\nsecond\n")
                   (:old_str "mine line 5" :new_str "ours 5")]))
      (should (string-prefix-p "Edited a.txt" text))
      (should (string-search "this was done in the buffer a.txt, and is not saved" text))
      (should (string-prefix-p "first\nsecond\nline 2\nline 3\nline 4\nours 5\nline 6\n"
                               (agent-q-fs-test-visit-shown buffer)))
      (should (agent-q-fs-coedit-tests--disk-p))
      (with-current-buffer buffer
        (should (buffer-modified-p))
        (should (buffer-narrowed-p))
        (should (equal "line 3\nline 4" (buffer-string)))
        (should (= (+ 2 (point-min)) (point)))
        (widen)
        (goto-char marker)
        (should (looking-at-p "line 7")))
      (agent-q-fs-test-visit-undo buffer)
      (should (equal before (agent-q-fs-test-visit-shown buffer))))))

(ert-deftest agent-q-fs-coedit/an-offer-is-accepted-in-the-buffer ()
  (agent-q-fs-coedit-tests--with (ws buffer)
    (let* ((offer (lambda (old new)
                    (let ((text (agent-q-fs-coedit-tests--call ws "edit_file" :path "a.txt"
                                                               :old_str old :new_str new)))
                      (should (string-match "\"accept\": \"\\([0-9a-f]+\\)\" alone" text))
                      (match-string 1 text))))
           (first (funcall offer "\tmine line 5\n" "\tours\n"))
           (second (funcall offer "  line 3  \n" "  third\n")))
      (should (string-search "this was done in the buffer a.txt"
                             (agent-q-fs-coedit-tests--call ws "edit_file" :path "a.txt"
                                                            :accept first)))
      (should (string-search "\nline 4\nours\nline 6\n" (agent-q-fs-test-visit-shown buffer)))
      (should (agent-q-fs-coedit-tests--disk-p))
      ;; The text is another one by now, and so is every offer that was made of it.
      (should (string-prefix-p "Error: accept"
                               (agent-q-fs-coedit-tests--call ws "edit_file" :path "a.txt"
                                                              :accept second)))
      (should-not (string-search "third" (agent-q-fs-test-visit-shown buffer))))))

(ert-deftest agent-q-fs-coedit/an-offer-of-a-patch-is-accepted-in-its-buffers ()
  (agent-q-fs-coedit-tests--with (ws buffer '("b.el" "(defun b ()\n  (x))\n")
                                     '("c.el" "(defun c ()\n  (x))\n"))
    (ignore buffer)
    (dolist (name '("b.el" "c.el"))
      (with-current-buffer (find-file-noselect name)
        (goto-char (point-max))
        (insert ";; mine\n")))
    (let ((text (agent-q-fs-coedit-tests--call
                 ws "apply_patch" :patch "*** Begin Patch\n*** Update File: b.el\n@@\n (defun b ()\n\
-  (x))\n+  (y))\n*** Update File: c.el\n@@\n (defun c ()\n-  (x))\n+  (z)\n*** End Patch\n")))
      (should (string-match "apply_patch with \"accept\": \"\\([0-9a-f]+\\)\" alone" text))
      (should (string-search "this was done in the buffers b.el, c.el"
                             (agent-q-fs-coedit-tests--call ws "apply_patch"
                                                            :accept (match-string 1 text))))
      (should (equal "(defun b ()\n  (y))\n;; mine\n"
                     (agent-q-fs-test-visit-shown (get-file-buffer "b.el"))))
      (should (equal "(defun c ()\n  (z))\n;; mine\n"
                     (agent-q-fs-test-visit-shown (get-file-buffer "c.el"))))
      (should (equal "(defun c ()\n  (x))\n" (agent-q-fs-test-visit-bytes "c.el"))))))

(ert-deftest agent-q-fs-coedit/all-ways-of-editing ()
  (agent-q-fs-coedit-tests--with (ws buffer '("b.txt" "two\n"))
    (make-symbolic-link "a.txt" "link")
    (let ((shown (lambda () (agent-q-fs-test-visit-shown buffer)))
          (call (lambda (&rest arguments)
                  (let ((text (apply #'agent-q-fs-coedit-tests--call ws arguments)))
                    (ert-info (text)
                      (should (string-search "done in the buffer" text)))))))
      (funcall call "insert_at_line" :path "a.txt" :line 0 :content "top\n")
      (should (string-prefix-p "top\nline 1\n" (funcall shown)))
      (funcall call "edit_file" :path "link" :old_str "top" :new_str "Top")
      (should (string-prefix-p "Top\nline 1\n" (funcall shown)))
      (funcall call "apply_patch" :patch "*** Begin Patch\n*** Update File: a.txt\n@@\n line 4\n\
-mine line 5\n+our line 5\n*** End Patch\n")
      (should (string-search "line 4\nour line 5\n" (funcall shown)))
      (funcall call "apply_patch" :patch "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n-Top\n+TOP\n\
 line 1\n")
      (should (string-prefix-p "TOP\nline 1\n" (funcall shown)))
      (let ((agent-q-fs-policy 'never))
        (funcall call "write_file" :path "a.txt" :content "all new\n"))
      (should (equal "all new\n" (funcall shown)))
      (should (agent-q-fs-coedit-tests--disk-p)))))

(ert-deftest agent-q-fs-coedit/several-buffers ()
  "A patch of several buffers is made in all or none; one of files as well is refused."
  (agent-q-fs-coedit-tests--with (ws buffer '("b.txt" "two\n") '("c.txt" "three\n"))
    (let* ((other (find-file-noselect "b.txt"))
           (patch (lambda (&rest files)
                    (agent-q-fs-coedit-tests--call
                     ws "apply_patch"
                     :patch (concat "*** Begin Patch\n"
                                    (mapconcat (lambda (file)
                                                 (format "*** Update File: %s\n@@\n-%s\n+%s\n"
                                                         (nth 0 file) (nth 1 file) (nth 2 file)))
                                               files "")
                                    "*** End Patch\n"))))
           (before (agent-q-fs-test-visit-shown buffer)))
      (with-current-buffer other (buffer-enable-undo) (insert "mine "))
      (should (string-search "unsaved changes" (funcall patch '("a.txt" "line 1" "1")
                                                        '("c.txt" "three" "3"))))
      (should (equal before (agent-q-fs-test-visit-shown buffer)))
      (should (equal "three\n" (agent-q-fs-test-visit-bytes "c.txt")))
      (with-current-buffer other
        (put-text-property (point-min) (point-max) 'read-only t))
      (should (string-prefix-p "Error" (funcall patch '("a.txt" "line 1" "1")
                                                '("b.txt" "mine two" "2"))))
      (should (equal before (agent-q-fs-test-visit-shown buffer)))
      (with-current-buffer other
        (let ((inhibit-read-only t)) (set-text-properties (point-min) (point-max) nil)))
      (should (string-search "in the buffers a.txt, b.txt"
                             (funcall patch '("a.txt" "line 1" "1") '("b.txt" "mine two" "2"))))
      (should (equal "2\n" (agent-q-fs-test-visit-shown other)))
      (should (string-prefix-p "1\nline 2\n" (agent-q-fs-test-visit-shown buffer)))
      (should (equal "two\n" (agent-q-fs-test-visit-bytes "b.txt"))))))

(ert-deftest agent-q-fs-coedit/asked-and-stale ()
  "An approval is of what was shown: when the person types meanwhile, nothing is done."
  (agent-q-fs-coedit-tests--with (ws buffer)
    (let* ((agent-q-fs-policy 'always)
           (seen nil) (meanwhile #'ignore)
           (agent-q-fs-unattended-function
            (lambda (request)
              (push request seen)
              (funcall meanwhile)
              '(:decision approved)))
           (edit (lambda (old new)
                   (agent-q-fs-coedit-tests--call ws "edit_file" :path "a.txt"
                                                  :old_str old :new_str new))))
      (should (string-search "done in the buffer" (funcall edit "mine" "ours")))
      (should (string-search "in the buffer a.txt, not saved"
                             (agent-q-fs-request-summary (car seen))))
      (should (string-search "-mine line 5\n+ours line 5" (agent-q-fs-request-diff (car seen))))
      (setq meanwhile (lambda () (with-current-buffer buffer
                                   (goto-char (point-max)) (insert "more\n"))))
      (let ((text (funcall edit "ours" "yours")))
        (should (string-prefix-p "Error" text))
        (should (string-search "no longer what would be done" text)))
      (should (string-search "ours line 5" (agent-q-fs-test-visit-shown buffer)))
      (should-not (string-search "yours" (agent-q-fs-test-visit-shown buffer)))
      ;; A version that was read before the person typed is stale, too.
      (setq meanwhile #'ignore)
      (let ((version (plist-get (agent-q-fs-read-file ws "a.txt") :version)))
        (with-current-buffer buffer (insert "and more\n"))
        (should (string-search "has changed since"
                               (agent-q-fs-coedit-tests--call
                                ws "edit_file" :path "a.txt" :old_str "ours" :new_str "x"
                                :version version)))))))

(ert-deftest agent-q-fs-coedit/judged-where-the-file-is ()
  "Protection, rules and replacing count as on disk."
  (agent-q-fs-coedit-tests--with (ws buffer '(".envrc" "one\n") '("secret/x" "one\n"))
    (ignore buffer)
    (let ((call (lambda (ws tool path &rest arguments)
                  (apply #'agent-q-fs-coedit-tests--call ws tool :path path arguments))))
      (dolist (name '(".envrc" "secret/x"))
        (with-current-buffer (find-file-noselect name) (insert "mine ")))
      (should (string-prefix-p "Error: Approval is required"
                               (funcall call ws "edit_file" ".envrc" :old_str "one" :new_str "1")))
      (should (string-prefix-p "Error: Approval is required"
                               (funcall call ws "create_file" "a.txt" :content "x"
                                        :allow_overwrite t)))
      (let ((other (agent-q-fs-open :root default-directory :restricted_paths '("secret")))
            (safe (agent-q-fs-open :root default-directory :read_only t)))
        (unwind-protect
            (progn
              (dolist (tool '(("read_file") ("edit_file" :old_str "one" :new_str "1")))
                (should-not (string-search "mine" (apply #'funcall call other (car tool) "secret/x"
                                                         (cdr tool))))
                (should (string-prefix-p "Error" (apply #'funcall call other (car tool) "secret/x"
                                                        (cdr tool)))))
              (should (string-search "read-only" (funcall call safe "edit_file" "a.txt"
                                                          :old_str "mine" :new_str "x"))))
          (agent-q-fs-close other)
          (agent-q-fs-close safe)))
      (let ((agent-q-fs-denied '((t . "secret"))) (agent-q-fs-policy 'never))
        (should (string-search "ruled out before"
                               (funcall call ws "edit_file" "secret/x" :old_str "one"
                                        :new_str "1"))))
      (with-current-buffer "x" (should (equal "mine one\n" (buffer-string)))))))

(ert-deftest agent-q-fs-coedit/encodings ()
  "The text goes back as it would be saved; what the encoding has not is refused."
  (agent-q-fs-coedit-tests--with
      (ws buffer '("l1.txt" "caf\351 one\n") '("crlf.txt" "one\r\ntwo\r\n")
          '("bom.txt" "\357\273\277one\n"))
    (ignore buffer)
    (let ((edit (lambda (name old new)
                  (agent-q-fs-coedit-tests--call ws "edit_file" :path name
                                                 :old_str old :new_str new)))
          (latin (let ((coding-system-for-read 'latin-1)) (find-file-noselect "l1.txt")))
          (crlf (find-file-noselect "crlf.txt"))
          (bom (find-file-noselect "bom.txt")))
      (dolist (one (list latin crlf bom))
        (with-current-buffer one (goto-char (point-max)) (insert "mine\n")))
      (should (string-search "done in the buffer" (funcall edit "l1.txt" "one" "\u00fcber")))
      (should (equal "caf\u00e9 \u00fcber\nmine\n" (agent-q-fs-test-visit-shown latin)))
      (should (string-prefix-p "Error" (funcall edit "l1.txt" "mine" "\u4e2d")))
      (should (equal "caf\u00e9 \u00fcber\nmine\n" (agent-q-fs-test-visit-shown latin)))
      (should (string-search "done in the buffer" (funcall edit "crlf.txt" "one\ntwo" "1\n2\n3")))
      (should (equal "1\n2\n3\nmine\n" (agent-q-fs-test-visit-shown crlf)))
      (with-current-buffer crlf (save-buffer))
      (should (equal "1\r\n2\r\n3\r\nmine\r\n" (agent-q-fs-test-visit-bytes "crlf.txt")))
      (should (string-search "done in the buffer" (funcall edit "bom.txt" "one" "two")))
      (with-current-buffer bom (save-buffer))
      (should (equal "\357\273\277two\nmine\n" (agent-q-fs-test-visit-bytes "bom.txt")))
      ;; The encoding cannot hold the text that the person typed.
      (with-current-buffer latin (goto-char (point-max)) (insert "\u4e2d"))
      (should (string-search "encoding cannot hold them" (funcall edit "l1.txt" "mine" "x"))))))

(ert-deftest agent-q-fs-coedit/buffers-that-cannot ()
  "A file that changed as well, or is gone, two buffers, a read-only one: refused in words."
  (agent-q-fs-coedit-tests--with (ws buffer)
    (let ((edit (lambda () (agent-q-fs-coedit-tests--call
                            ws "edit_file" :path "a.txt" :old_str "mine" :new_str "x")))
          (before (agent-q-fs-test-visit-shown buffer)))
      (with-current-buffer buffer (setq buffer-read-only t))
      (should (string-search "and is read-only" (funcall edit)))
      (with-current-buffer buffer (setq buffer-read-only nil))
      ;; An indirect buffer is its base.
      (let ((indirect (make-indirect-buffer buffer "indirect")))
        (should (string-search "done in the buffer a.txt" (funcall edit)))
        (should (string-search "x line 5" (with-current-buffer indirect (buffer-string))))
        (agent-q-fs-test-visit-undo buffer)
        (kill-buffer indirect))
      (should (equal before (agent-q-fs-test-visit-shown buffer)))
      ;; Two buffers of the file.
      (make-symbolic-link "a.txt" "link")
      (let* ((find-file-existing-other-name nil)
             (other (let ((inhibit-message t)) (find-file-noselect "link"))))
        (should-not (eq other buffer))
        (with-current-buffer other (insert "theirs "))
        (should (string-match-p "unsaved changes to a.txt, and so has buffer" (funcall edit)))
        (with-current-buffer other (set-buffer-modified-p nil))
        (kill-buffer other))
      ;; By way of another program.
      (with-current-buffer buffer
        (let ((name buffer-file-name))
          (setq buffer-file-name (concat "/sudo::" name))
          (should (string-search "by way of" (funcall edit)))
          (setq buffer-file-name name)))
      ;; The file changes on disk.
      (let ((time (current-time)))
        (write-region "theirs\n" nil "a.txt" nil 'quiet)
        (set-file-times "a.txt" (time-add time 5)))
      (should (string-search "and the file was changed as well" (funcall edit)))
      (should (string-prefix-p "theirs\n[buffer a.txt has unsaved changes"
                               (agent-q-fs-coedit-tests--call ws "read_file" :path "a.txt")))
      (delete-file "a.txt")
      (should (string-search "does not exist" (funcall edit)))
      (should (equal before (agent-q-fs-test-visit-shown buffer))))))

(ert-deftest agent-q-fs-coedit/more-than-edits-is-refused ()
  (agent-q-fs-coedit-tests--with (ws buffer)
    (let ((agent-q-fs-policy 'never) (before (agent-q-fs-test-visit-shown buffer)))
      (pcase-dolist (`(,tool . ,arguments)
                     '(("delete_file" :path "a.txt")
                       ("apply_patch" :patch "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch\n")
                       ("apply_patch" :patch "*** Begin Patch\n*** Update File: a.txt\n\
*** Move to: b.txt\n@@\n-line 1\n+1\n*** End Patch\n")))
        (should (string-search "unsaved changes"
                               (apply #'agent-q-fs-coedit-tests--call ws tool arguments))))
      (should (equal before (agent-q-fs-test-visit-shown buffer)))
      (should (agent-q-fs-coedit-tests--disk-p)))))

(ert-deftest agent-q-fs-coedit/searches-the-buffer ()
  (agent-q-fs-coedit-tests--with (ws buffer '("d/b.txt" "line 5\n"))
    (ignore buffer)
    (dolist (path '(nil "." "a.txt"))
      (let ((text (apply #'agent-q-fs-coedit-tests--call ws "grep_files" :pattern "line 5"
                         (and path (list :path path)))))
        (should (string-match-p "\\[so far the files on disk; the buffer a.txt, not saved, \
instead.*\\]\na.txt:5:mine line 5" text))))
    (should-not (string-search "mine" (agent-q-fs-coedit-tests--call
                                       ws "grep_files" :pattern "line 5" :path "d")))))

(ert-deftest agent-q-fs-coedit/without-waiting ()
  "A call that does not wait, and a preview, find the buffer, too."
  (agent-q-fs-coedit-tests--with (ws buffer)
    (let (answer)
      (agent-q-fs-call-tool-async
       "apply_patch" '(:patch "--- a/a.txt\n+++ b/a.txt\n@@ -5 +5 @@\n-mine line 5\n+5\n")
       (lambda (text) (setq answer text)) ws)
      (agent-q-fs-test-until answer)
      (should (string-search "done in the buffer" answer))
      (should (string-search "line 4\n5\nline 6" (agent-q-fs-test-visit-shown buffer)))
      (let ((plan (agent-q-fs-preview ws 'edit_file :path "a.txt" :old_str "line 6" :new_str "6")))
        (should (eq :cautious (plist-get plan :tier)))
        (should (string-search "line 6" (agent-q-fs-test-visit-shown buffer)))
        (agent-q-fs-commit ws (plist-get plan :digest) 'edit_file
                           :path "a.txt" :old_str "line 6" :new_str "6")
        (should (string-search "\n5\n6\nline 7" (agent-q-fs-test-visit-shown buffer)))))))

;;;; Texts that the caller is not shown

(defmacro agent-q-fs-coedit-tests--hidden (spec &rest body)
  "Run BODY with a restricted file, a secret and a compressed file in buffers.
SPEC is (WS): the workspace, in which nobody approves of anything.  In each
buffer a line with the word TYPED is not saved."
  (declare (indent 1) (debug ((symbolp) body)))
  `(agent-q-fs-test-visit-with (plain '(".env" "A=TOPSECRET\nB=1\n") '("private/pay.txt" "one\n"))
     (ignore plain)
     (let ((agent-q-fs-unsaved 'buffer)
           (agent-q-fs-audit-file nil)
           (agent-q-fs-unattended-function (lambda (_) '(:decision denied)))
           (,(car spec) (agent-q-fs-open :root default-directory
                                         :restricted-paths '("private"))))
       (unwind-protect
           (progn
             (with-temp-buffer
               (insert "unpacked\n")
               (write-region nil nil "notes.gz" nil 'quiet))
             (dolist (name '(".env" "private/pay.txt" "notes.gz" "a.txt"))
               (with-current-buffer (find-file-noselect name)
                 (goto-char (point-max))
                 (insert "TYPED=1\n")))
             ,@body)
         (agent-q-fs-close ,(car spec))))))

(ert-deftest agent-q-fs-coedit/searches-only-what-is-shown ()
  "A buffer of a restricted file, a secret or what a program unpacked is not searched."
  (agent-q-fs-coedit-tests--hidden (ws)
    (let (answer)
      (agent-q-fs-call-tool-async "grep_files" '(:pattern "TYPED|TOPSECRET|unpacked")
                                  (lambda (text) (setq answer text)) ws)
      (agent-q-fs-test-until answer)
      (dolist (text (list answer (agent-q-fs-coedit-tests--call
                                  ws "grep_files" :pattern "TYPED|TOPSECRET|unpacked")))
        (ert-info (text)
          (should (string-search "\na.txt:10:TYPED=1" text))
          (should (string-search "[buffer .env has unsaved changes that this does not show]" text))
          (should (string-search "[buffer notes.gz has unsaved" text))
          (should-not (string-match-p "A=TOP\\|pay\\|env:\\|gz:" text)))))
    (should-not (string-match-p "TYPED\\|pay.txt"
                                (agent-q-fs-coedit-tests--call ws "grep_files" :pattern "."
                                                               :path "private")))
    ;; A person is shown what is theirs.
    (should (string-search ".env:1:A=TOPSECRET"
                           (plist-get (agent-q-fs-grep-files ws "TOPS") :text)))))

(ert-deftest agent-q-fs-coedit/restricted-names-are-not-told ()
  "Nor does the note about unsaved changes tell of a file that is not shown."
  (agent-q-fs-coedit-tests--hidden (ws)
    (let* ((agent-q-fs-unsaved 'refuse)
           (text (agent-q-fs-coedit-tests--call ws "grep_files" :pattern "zzz")))
      (should (string-search "[buffer a.txt has unsaved changes" text))
      (should-not (string-search "pay.txt" text)))))

(ert-deftest agent-q-fs-coedit/edits-of-a-secret-tell-nothing ()
  "No guess at the text of a secret is answered, and none is edited in its buffer."
  (agent-q-fs-coedit-tests--hidden (ws)
    (make-symbolic-link ".env" "link")
    (let ((before (agent-q-fs-test-visit-shown (get-buffer ".env"))))
      (pcase-dolist (`(,tool . ,arguments)
                     '(("edit_file" :path ".env" :old_str "A=TOPSECREX" :new_str "x")
                       ("edit_file" :path "link" :old_str "=" :new_str "x")
                       ("insert_at_line" :path ".env" :line 500 :content "x")
                       ("write_file" :path ".env" :content "x\n" :mode "append")
                       ("apply_patch" :patch "--- a/.env\n+++ b/.env\n@@ -1,2 +1,2 @@\n A=T\n-B=1\n+B=2\n")
                       ("apply_patch" :patch "*** Begin Patch\n*** Update File: .env\n@@\n\
-A=TOPX\n+B=2\n*** End Patch\n")))
        (ert-info ((format "%s %S" tool arguments))
          (let ((text (apply #'agent-q-fs-coedit-tests--call ws tool arguments)))
            (should (equal (format "Error: The user denied %s" tool) (string-trim text))))))
      (let ((agent-q-fs-unattended-function (lambda (_) '(:decision approved))))
        (should (string-search "Buffer .env has unsaved changes to .env"
                               (agent-q-fs-coedit-tests--call
                                ws "edit_file" :path ".env" :old_str "A=TOP" :new_str "x"))))
      (should (equal before (agent-q-fs-test-visit-shown (get-buffer ".env")))))))

(ert-deftest agent-q-fs-coedit/unpacked-text-stays ()
  "Text that a program unpacked is neither read nor edited."
  (agent-q-fs-coedit-tests--hidden (ws)
    (should-not (string-search "unpacked" (agent-q-fs-coedit-tests--call
                                           ws "read_file" :path "notes.gz")))
    (let ((text (agent-q-fs-coedit-tests--call ws "edit_file" :path "notes.gz"
                                               :old_str "unpackex" :new_str "z")))
      (should (string-search "Buffer notes.gz has unsaved changes" text))
      (should-not (string-search "unpacked\n" text)))))

(ert-deftest agent-q-fs-coedit/reads-are-judged ()
  "Arguments that the core refuses are no way around its judgment."
  (agent-q-fs-coedit-tests--hidden (ws)
    (dolist (arguments '((:path ".env" :path "a.txt") (:path "a.txt" :path ".env")
                         ((path . ".env") (path . "a.txt"))
                         (:path ".env" :start_line 3) (:path ".env" :start_line 999)
                         (:path ".env" :encoding "nonesuch") (:path ".env" :offset -1)))
      (let ((text (agent-q-fs-call-tool "read_file" arguments ws)))
        (ert-info ((format "%S: %s" arguments text))
          (should (string-prefix-p "Error" text))
          (should-not (string-match-p "TOPSECRET\\|TYPED" text)))))
    (let ((agent-q-fs-unattended-function (lambda (_) '(:decision approved))))
      (should (string-prefix-p "TYPED=1\n" (agent-q-fs-coedit-tests--call
                                            ws "read_file" :path ".env" :start_line 3))))))

(ert-deftest agent-q-fs-coedit/given-names-count ()
  "A protected name counts as well where it is that of a link."
  (agent-q-fs-coedit-tests--with (ws buffer)
    (make-symbolic-link "a.txt" ".bashrc")
    (let ((before (agent-q-fs-test-visit-shown buffer)))
      (should (string-prefix-p "Error: Approval is required"
                               (agent-q-fs-coedit-tests--call
                                ws "edit_file" :path ".bashrc" :old_str "mine" :new_str "x")))
      (should (equal before (agent-q-fs-test-visit-shown buffer))))))

(provide 'agent-q-fs-coedit-tests)
;;; agent-q-fs-coedit-tests.el ends here
