;;; agent-q-fs-refresh-tests.el --- Tests of bringing buffers up to date  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'agent-q-fs-test-visit)
(require 'agent-q-fs-refresh)

(defmacro agent-q-fs-refresh-tests--with (ws &rest body)
  "Run BODY in a buffer that visits a.txt of a tree with the workspace WS."
  (declare (indent 1) (debug (symbolp body)))
  `(agent-q-fs-test-visit-with (,ws)
     (with-current-buffer (find-file-noselect "a.txt")
       ,@body)))

(defun agent-q-fs-refresh-tests--line (n)
  "Return where line N starts."
  (save-excursion
    (save-restriction
      (widen)
      (goto-char (point-min))
      (forward-line (1- n))
      (point))))

(defun agent-q-fs-refresh-tests--at (position)
  "Return the line that POSITION is in."
  (save-excursion
    (goto-char position)
    (buffer-substring-no-properties (line-beginning-position) (line-end-position))))

(ert-deftest agent-q-fs-refresh/point-mark-and-markers ()
  "They stay with their text, above and below the change."
  (agent-q-fs-refresh-tests--with ws
    (let ((markers (mapcar (lambda (n) (copy-marker (+ 2 (agent-q-fs-refresh-tests--line n))))
                           '(1 2 4 5 6 9))))
      (goto-char (nth 3 markers))
      (push-mark (nth 4 markers) t t)
      (setq deactivate-mark nil)
      (agent-q-fs-edit-file ws "a.txt" :edits '((:old_str "line 1\n" :new_str "new\nline 1\n")
                                                (:old_str "line 3\n" :new_str "")
                                                (:old_str "line 7\n" :new_str "line seven\n")))
      (should (equal '("line 1" "line 2" "line 4" "line 5" "line 6" "line 9")
                     (mapcar #'agent-q-fs-refresh-tests--at markers)))
      (should (= (point) (nth 3 markers)))
      (should (= (mark) (nth 4 markers)))
      (should mark-active)
      (should-not deactivate-mark)
      (agent-q-fs-test-visit-check-shows (current-buffer) "a.txt"))))

(ert-deftest agent-q-fs-refresh/overlays-and-properties ()
  "Folded text stays folded, and unchanged text keeps its properties."
  (agent-q-fs-refresh-tests--with ws
    (let ((fold (make-overlay (agent-q-fs-refresh-tests--line 4)
                              (agent-q-fs-refresh-tests--line 7))))
      (overlay-put fold 'invisible t)
      (with-silent-modifications
        (put-text-property (agent-q-fs-refresh-tests--line 8) (point-max) 'mine t))
      (agent-q-fs-edit-file ws "a.txt" :old_str "line 5\n" :new_str "line five\nand more\n")
      (agent-q-fs-insert-at-line ws "a.txt" "top\n" 0)
      (should (equal "line 4\nline five\nand more\nline 6\n"
                     (buffer-substring-no-properties (overlay-start fold) (overlay-end fold))))
      (should (eq t (get-text-property (agent-q-fs-refresh-tests--line 10) 'mine)))
      (should-not (get-text-property (agent-q-fs-refresh-tests--line 1) 'mine)))))

(ert-deftest agent-q-fs-refresh/narrowing ()
  (agent-q-fs-refresh-tests--with ws
    (narrow-to-region (agent-q-fs-refresh-tests--line 3) (agent-q-fs-refresh-tests--line 6))
    (agent-q-fs-edit-file ws "a.txt" :edits '((:old_str "line 1" :new_str "line one")
                                              (:old_str "line 4" :new_str "line four")
                                              (:old_str "line 8" :new_str "line eight")))
    (should (equal "line 3\nline four\nline 5\n" (buffer-string)))))

(ert-deftest agent-q-fs-refresh/indirect-buffers ()
  (agent-q-fs-refresh-tests--with ws
    (let ((other (make-indirect-buffer (current-buffer) "other" t)))
      (with-current-buffer other
        (narrow-to-region (agent-q-fs-refresh-tests--line 3) (agent-q-fs-refresh-tests--line 6))
        (goto-char (agent-q-fs-refresh-tests--line 5)))
      (agent-q-fs-edit-file ws "a.txt" :old_str "line 1" :new_str "first\nline 1")
      (with-current-buffer other
        (should (equal "line 3\nline 4\nline 5\n" (buffer-string)))
        (should (equal "line 5" (agent-q-fs-refresh-tests--at (point)))))
      ;; Text that is typed in an indirect buffer is unsaved in the base buffer too.
      (with-current-buffer other (insert "typed"))
      (should-error (agent-q-fs-edit-file ws "a.txt" :old_str "line 1" :new_str "x")
                    :type 'agent-q-fs-denied))))

(ert-deftest agent-q-fs-refresh/windows ()
  "Each window keeps its own point and start."
  (agent-q-fs-refresh-tests--with ws
    (save-window-excursion
      (delete-other-windows)
      (let ((one (selected-window)) (two (split-window)) (buffer (current-buffer)))
        (set-window-buffer one buffer)
        (set-window-buffer two buffer)
        (set-window-start one (agent-q-fs-refresh-tests--line 2) t)
        (set-window-point one (agent-q-fs-refresh-tests--line 3))
        (set-window-start two (agent-q-fs-refresh-tests--line 6) t)
        (set-window-point two (agent-q-fs-refresh-tests--line 8))
        (agent-q-fs-edit-file ws "a.txt" :edits '((:old_str "line 1" :new_str "zero\nline 1")
                                                  (:old_str "line 7" :new_str "7")))
        (should (equal '("line 2" "line 3" "line 6" "line 8")
                       (mapcar #'agent-q-fs-refresh-tests--at
                               (list (window-start one) (window-point one)
                                     (window-start two) (window-point two)))))))))

(ert-deftest agent-q-fs-refresh/undo-is-one-step-and-goes-on ()
  "One undo gives the old text back, and earlier typing can still be undone."
  (agent-q-fs-refresh-tests--with ws
    (goto-char (point-max))
    (insert "typed\n")
    (undo-boundary)
    (save-buffer)
    (let ((typed (buffer-string)))
      (agent-q-fs-edit-file ws "a.txt" :edits '((:old_str "line 1" :new_str "1")
                                                (:old_str "line 5" :new_str "5")
                                                (:old_str "line 9" :new_str "9")))
      (agent-q-fs-test-visit-undo (current-buffer))
      (should (equal typed (buffer-string)))
      (undo-more 1)
      (should (equal agent-q-fs-test-visit-text (buffer-string)))
      (should (buffer-modified-p)))))

(ert-deftest agent-q-fs-refresh/undo-switched-off ()
  (agent-q-fs-refresh-tests--with ws
    (buffer-disable-undo)
    (agent-q-fs-edit-file ws "a.txt" :old_str "line 5" :new_str "5")
    (should (eq t buffer-undo-list))
    (agent-q-fs-test-visit-check-shows (current-buffer) "a.txt")))

(ert-deftest agent-q-fs-refresh/a-text-all-new ()
  "Where nothing is kept, point is at least in the same line."
  (agent-q-fs-refresh-tests--with ws
    (goto-char (agent-q-fs-refresh-tests--line 6))
    (let ((agent-q-fs-refresh--characters 10))
      (agent-q-fs-write-file ws "a.txt" (mapconcat (lambda (n) (format "%d neu\n" n))
                                                   (number-sequence 1 9) "")))
    (should (equal "6 neu" (agent-q-fs-refresh-tests--at (point))))
    (agent-q-fs-write-file ws "a.txt" "")
    (agent-q-fs-test-visit-check-shows (current-buffer) "a.txt")
    (agent-q-fs-write-file ws "a.txt" "again\n")
    (agent-q-fs-test-visit-check-shows (current-buffer) "a.txt")))

(ert-deftest agent-q-fs-refresh/saving-afterwards-asks-nothing ()
  "A person types on, and saves: nothing is asked, nothing is lost."
  (agent-q-fs-refresh-tests--with ws
    (agent-q-fs-edit-file ws "a.txt" :old_str "line 5" :new_str "5")
    (goto-char (point-max))
    (insert "typed\n")
    (save-buffer)
    (should (equal (buffer-string) (agent-q-fs-test-visit-bytes "a.txt")))
    (should (string-search "\n5\n" (buffer-string)))))

(ert-deftest agent-q-fs-refresh/locks ()
  "A buffer that is not modified takes no lock, and leaves none."
  (agent-q-fs-refresh-tests--with ws
    (let ((create-lockfiles t))
      (agent-q-fs-edit-file ws "a.txt" :old_str "line 5" :new_str "5")
      (should-not (file-attributes ".#a.txt"))
      (should-not (file-locked-p buffer-file-name)))))

(ert-deftest agent-q-fs-refresh/change-hooks-touch-nothing ()
  "Change hooks, which may indent, format or complete, do not run on the new text."
  (agent-q-fs-refresh-tests--with ws
    (let ((meddle (lambda (&rest _) (goto-char (point-min)) (insert "meddled\n")))
          (require-final-newline t)
          (ran nil))
      (dolist (hook '(after-change-functions first-change-hook before-change-functions
                      before-save-hook after-save-hook write-contents-functions
                      write-file-functions))
        (add-hook hook meddle nil t))
      (dolist (hook '(find-file-hook change-major-mode-hook after-change-major-mode-hook))
        (add-hook hook (lambda () (push hook ran)) nil t))
      (agent-q-fs-edit-file ws "a.txt" :old_str "line 9\n" :new_str "no newline")
      (agent-q-fs-test-visit-check-shows (current-buffer) "a.txt")
      (should-not ran)
      (should (string-suffix-p "no newline" (buffer-string))))))

(ert-deftest agent-q-fs-refresh/revert-hooks-are-told-and-change-nothing ()
  "The hooks around reverting run, and their changes of the text are taken back."
  (agent-q-fs-refresh-tests--with ws
    (let (told)
      (add-hook 'before-revert-hook (lambda () (push (buffer-string) told)) nil t)
      (add-hook 'after-revert-hook
                (lambda () (push (buffer-string) told) (goto-char (point-min)) (insert "meddled"))
                nil t)
      (agent-q-fs-edit-file ws "a.txt" :old_str "line 5" :new_str "5")
      (should (equal (list (agent-q-fs-test-visit-bytes "a.txt") agent-q-fs-test-visit-text)
                     told))
      (agent-q-fs-test-visit-check-shows (current-buffer) "a.txt"))))

(ert-deftest agent-q-fs-refresh/fontified-anew ()
  (agent-q-fs-test-visit-with (ws '("b.el" "(car x)\n"))
    (with-current-buffer (find-file-noselect "b.el")
      (font-lock-mode 1)
      (font-lock-ensure)
      (agent-q-fs-write-file ws "b.el" "(setq x \"string\")\n")
      (font-lock-ensure)
      (goto-char (point-min))
      (search-forward "str")
      (should (eq 'font-lock-string-face (get-text-property (point) 'face)))
      (should (nth 3 (syntax-ppss))))))


;;;; Bytes and characters

(defun agent-q-fs-refresh-tests--coding (bytes old new)
  "Visit a file of BYTES, replace OLD by NEW in it, and save it from its buffer.
Return the bytes after the edit, which saving must keep."
  (agent-q-fs-test-visit-with (ws (list "c.txt" bytes))
    (with-current-buffer (find-file-noselect "c.txt")
      (let ((coding buffer-file-coding-system))
        (agent-q-fs-edit-file ws "c.txt" :old_str old :new_str new)
        (let ((edited (agent-q-fs-test-visit-bytes "c.txt")))
          (should (eq coding buffer-file-coding-system))
          (should-not (buffer-modified-p))
          (should (verify-visited-file-modtime))
          (set-buffer-modified-p t)
          (save-buffer)
          (should (equal edited (agent-q-fs-test-visit-bytes "c.txt")))
          (cons (buffer-string) edited))))))

(ert-deftest agent-q-fs-refresh/encodings ()
  "The buffer shows characters, and saving it gives the very bytes of the edit."
  (should (equal '("ä 2\n" . "\303\244 2\n")
                 (agent-q-fs-refresh-tests--coding (unibyte-string #xc3 #xa4 32 ?1 10) "1" "2")))
  (should (equal '("ä 2\nx\n" . "\303\244 2\r\nx\r\n")
                 (agent-q-fs-refresh-tests--coding "ä 1\r\nx\r\n" "1" "2")))
  (should (equal '("ä 2\n" . "\357\273\277\303\244 2\n")
                 (agent-q-fs-refresh-tests--coding "\ufeffä 1\n" "1" "2")))
  (should (equal "mixed 2\r\nx\n" (cdr (agent-q-fs-refresh-tests--coding "mixed 1\r\nx\n" "1" "2"))))
  (should (equal '("Gr\u00fc\u00dfe aus M\u00fcnchen, 2\n" . "Gr\374\337e aus M\374nchen, 2\n")
                 (agent-q-fs-refresh-tests--coding
                  (encode-coding-string "Gr\u00fc\u00dfe aus M\u00fcnchen, 1\n" 'latin-1)
                  "1" "2"))))

(ert-deftest agent-q-fs-refresh/another-encoding-than-before ()
  "A file that is overwritten in UTF-8 is shown in UTF-8."
  (agent-q-fs-test-visit-with (ws (list "c.txt" (encode-coding-string "Gr\u00fc\u00dfe\n" 'latin-1)))
    (with-current-buffer (find-file-noselect "c.txt")
      (should (eq 'iso-latin-1-unix buffer-file-coding-system))
      (agent-q-fs-write-file ws "c.txt" "G\u00fc\u03b1\r\n")
      (should (equal "G\u00fc\u03b1\n" (buffer-string)))
      (should (eq 'utf-8-dos buffer-file-coding-system))
      ;; Plain ASCII says nothing about what comes next.
      (agent-q-fs-write-file ws "c.txt" "plain\n")
      (should (eq 'utf-8-unix buffer-file-coding-system)))))

(ert-deftest agent-q-fs-refresh/bytes-as-they-are ()
  "A buffer that shows bytes shows the new bytes."
  (agent-q-fs-test-visit-with (ws (list "c.bin" "a\r\n\303\244\n"))
    (let ((bytes (unibyte-string 0 255 13 10 #xc3 #xa4)))
      (with-current-buffer (find-file-noselect "c.bin" nil t)
        (agent-q-fs-write-bytes ws "c.bin" (base64-encode-string bytes))
        (should (equal bytes (buffer-string)))
        (should-not enable-multibyte-characters)
        (should-not (buffer-modified-p))
        (should (verify-visited-file-modtime))))))

(ert-deftest agent-q-fs-refresh/what-programs-make-of-files-is-left-alone ()
  "Buffers that show something else than their file's text are not touched."
  (agent-q-fs-test-visit-with (ws)
    (with-current-buffer (find-file-noselect "a.txt")
      (setq-local revert-buffer-function (lambda (&rest _) (error "Reverted")))
      (agent-q-fs-edit-file ws "a.txt" :old_str "line 5" :new_str "5")
      (should (equal agent-q-fs-test-visit-text (buffer-string)))
      (should-not (verify-visited-file-modtime)) ; so that Emacs asks before it overwrites
      (kill-local-variable 'revert-buffer-function)
      (setq buffer-file-format '(text/enriched))
      (agent-q-fs-edit-file ws "a.txt" :old_str "line 6" :new_str "6")
      (should (equal agent-q-fs-test-visit-text (buffer-string))))))

(ert-deftest agent-q-fs-refresh/no-file-is-opened-that-blocks ()
  (agent-q-fs-test-visit-with (_ws)
    (let ((buffer (find-file-noselect "a.txt")))
      (delete-file "a.txt")
      (should-not (agent-q-fs-refresh buffer))
      (should (zerop (call-process "mkfifo" nil nil nil "a.txt")))
      (should-not (agent-q-fs-refresh buffer))
      (delete-file "a.txt")
      (make-directory "a.txt")
      (should-not (agent-q-fs-refresh buffer)))))

(ert-deftest agent-q-fs-refresh/any-text-into-any-other ()
  "However two texts differ, one becomes the other, and undo gives it back."
  (random "agent-q-fs")
  (agent-q-fs-refresh-tests--with _ws
    (let ((source (generate-new-buffer " *source*"))
          (text (lambda () (mapconcat (lambda (_) (aref ["a\n" "b\n" "ab" "\n" "c\n" "d\n" "e\n"]
                                                        (random 7)))
                                      (make-list (random 12) nil) ""))))
      (dotimes (_ 300)
        (let ((old (buffer-string))
              (new (funcall text)))
          (with-current-buffer source (erase-buffer) (insert new))
          (unless (equal old new)
            (agent-q-fs-refresh--replace source)
            (should (equal new (buffer-string)))
            (agent-q-fs-test-visit-undo (current-buffer))
            (should (equal old (buffer-string)))
            (set-buffer-modified-p nil)
            (agent-q-fs-refresh--replace source)
            (should (equal new (buffer-string)))))))))


;;;; Large buffers

(ert-deftest agent-q-fs-refresh/edits-far-apart ()
  "Two edits far apart leave what is between them alone; `make bench' measures them."
  (agent-q-fs-test-visit-with (ws (list "big" (apply #'concat (make-list 30000 "some line, with words\n"))))
    (with-current-buffer (find-file-noselect "big")
      (let ((marker (copy-marker 300000)))
        (agent-q-fs-insert-at-line ws "big" "top 1\n" 5)
        (let ((buffer-file-name nil) (inhibit-modification-hooks t))
          (goto-char (point-max))
          (insert "stale\n"))
        (restore-buffer-modified-p nil)
        (agent-q-fs-refresh (current-buffer))
        (should (equal (with-temp-buffer (insert-file-contents "big") (buffer-string))
                       (buffer-string)))
        (should (= (marker-position marker) (+ 300000 6)))))))

(provide 'agent-q-fs-refresh-tests)
;;; agent-q-fs-refresh-tests.el ends here
