;;; agent-q-fs-review-tests.el --- Tests of reviewing what agents changed  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'agent-q-fs-test-help)
(require 'agent-q-fs-log)
(require 'agent-q-fs-review)
(require 'imenu)

(defmacro agent-q-fs-review-tests--with (files &rest body)
  "Run BODY in a workspace with FILES, where models may do everything."
  (declare (indent 1) (debug (sexp body)))
  `(let ((state (make-temp-file "aqfs-state-" t))
         (buffers (buffer-list)))
     (unwind-protect
         (let ((agent-q-fs-state-directory state)
               (agent-q-fs-policy 'never)
               (inhibit-message t))
           (agent-q-fs-test--call-with-tree
            ,files
            (lambda (ws)
              (let ((agent-q-fs-workspace ws))
                (save-window-excursion ,@body)))))
       (agent-q-fs-review-marks-mode -1)
       (dolist (buffer (buffer-list))
         (unless (memq buffer buffers)
           (with-current-buffer buffer (set-buffer-modified-p nil))
           (kill-buffer buffer)))
       (delete-directory state t))))

(defun agent-q-fs-review-tests--text (name)
  "Return the text of the file NAME."
  (with-temp-buffer
    (insert-file-contents name)
    (buffer-string)))

(defun agent-q-fs-review-tests--in-files-p (text directory)
  "Return non-nil if TEXT is in a file below DIRECTORY."
  (seq-some (lambda (file)
              (and (file-regular-p file)
                   (string-search text (agent-q-fs-review-tests--text file))))
            (directory-files-recursively directory "" nil)))

(defconst agent-q-fs-review-tests--lines "1\n2\n3\n4\n5\n6\n7\n8\n9\n")

(defun agent-q-fs-review-tests--edit (old new)
  "Have a model replace OLD by NEW in the file a."
  (let ((answer (agent-q-fs-call-tool "edit_file" (list :path "a" :old_str old :new_str new))))
    (should-not (string-prefix-p "Error" answer))))

(defun agent-q-fs-review-tests--hunks ()
  "Return how many hunks this buffer shows."
  (plist-get agent-q-fs-review--diff :hunks-total))

(defun agent-q-fs-review-tests--at (text)
  "Go to the line with TEXT."
  (goto-char (point-min))
  (should (search-forward text nil t))
  (beginning-of-line))

(ert-deftest agent-q-fs-review/hunks-are-named-by-their-form ()
  "The review tells which form each hunk is in, and imenu leads there."
  (agent-q-fs-review-tests--with
      '(("l.el" "(defun a (x)\n  1)\n\n\n\n\n\n\n\n(defun b ()\n  \"Doc.\nText.\"\n  2)\n"))
    (dolist (edit '(("a" "1" "one") ("b" "2" "two")))
      (pcase-let ((`(,name ,old ,new) edit))
        (should (string-search
                 "Edited" (agent-q-fs-call-tool "edit_form" (list :path "l.el" :name name
                                                                  :old_str old :new_str new))))))
    (agent-q-fs-review)
    (let ((index (agent-q-fs-review--imenu)))
      (should (equal '("l.el" "(defun a (x)" "(defun b ()")
                     (cons (caar index) (mapcar #'car (cdar index)))))
      (goto-char (cdr (nth 2 (car index))))
      (should (looking-at "@@ .* @@ (defun b ()$")))))

(ert-deftest agent-q-fs-review/imenu-of-a-request ()
  "A request has an index of the forms that it shows, too."
  (with-temp-buffer
    (agent-q-fs-show-mode)
    (let ((inhibit-read-only t))
      (insert "--- a/l.el\n+++ b/l.el\n@@ -1,2 +1,2 @@ (defun a ()\n-1\n+2\n"))
    (should (equal "(defun a ()" (caar (imenu--generic-function imenu-generic-expression))))))

(ert-deftest agent-q-fs-review/keys ()
  "Accept one hunk, take one back, undo both, by the keys that the mode has."
  (agent-q-fs-review-tests--with `(("a" ,agent-q-fs-review-tests--lines) ("b" "b\n"))
    (agent-q-fs-review-tests--edit "2" "two")
    (agent-q-fs-review-tests--edit "5" "five")
    (agent-q-fs-review-tests--edit "8" "eight")
    (agent-q-fs-review)
    (should (= 3 (agent-q-fs-review-tests--hunks)))
    (should (string-search "1 file, 3 hunks" (agent-q-fs-review--header)))
    (should (equal "" (agent-q-fs-review--position)))
    (execute-kbd-macro (kbd "n n"))
    (should (looking-at "@@"))
    (should (equal " hunk 2/3" (agent-q-fs-review--position)))
    (should (equal 5 (agent-q-fs-review--line)))
    (execute-kbd-macro "k")
    (should (equal "1\ntwo\n3\n4\n5\n6\n7\neight\n9\n" (agent-q-fs-review-tests--text "a")))
    (should (= 2 (agent-q-fs-review-tests--hunks)))
    (agent-q-fs-review-tests--at "+two")
    (execute-kbd-macro "a")
    (should (= 1 (agent-q-fs-review-tests--hunks)))
    (should (equal "1\ntwo\n3\n4\n5\n6\n7\neight\n9\n" (agent-q-fs-review-tests--text "a")))
    (execute-kbd-macro "u")
    (should (= 2 (agent-q-fs-review-tests--hunks)))
    (execute-kbd-macro "u")
    (should (= 3 (agent-q-fs-review-tests--hunks)))
    (should (equal "1\ntwo\n3\n4\nfive\n6\n7\neight\n9\n" (agent-q-fs-review-tests--text "a")))
    (should-error (execute-kbd-macro "u"))
    (execute-kbd-macro "A")
    (should (= 0 (agent-q-fs-review-tests--hunks)))
    (should (string-search "Nothing is left" (buffer-string)))
    ;; It is remembered.
    (kill-buffer)
    (agent-q-fs-review)
    (should (= 0 (agent-q-fs-review-tests--hunks)))))

(ert-deftest agent-q-fs-review/says-what-it-did ()
  "Each key tells which file it was about: point may be at another one than one thinks."
  (agent-q-fs-review-tests--with `(("a" ,agent-q-fs-review-tests--lines) ("b" "b\n"))
    (agent-q-fs-review-tests--edit "2" "two")
    (agent-q-fs-review-tests--edit "8" "eight")
    (agent-q-fs-review)
    (let ((said nil))
      (cl-letf (((symbol-function 'message)
                 (lambda (words &rest values)
                   (when words (push (apply #'format words values) said)))))
        (dolist (step '(("k" . "Taken back: a hunk of a") ("u" . "Undone: what was taken back last")
                        ("a" . "Accepted: a hunk of a") ("u" . "Undone: what was accepted last")
                        ("K" . "Taken back: a")))
          (setq said nil)
          (unless (equal "u" (car step))
            (agent-q-fs-review-tests--at "+two"))
          (execute-kbd-macro (car step))
          (should (member (cdr step) said)))))))

(ert-deftest agent-q-fs-review/says-that-it-is-old ()
  "The line above the review says so when a call has changed something since."
  (agent-q-fs-review-tests--with `(("a" ,agent-q-fs-review-tests--lines))
    (agent-q-fs-review-tests--edit "2" "two")
    (agent-q-fs-review)
    (let ((old-p (lambda () (string-search "CHANGED since: g looks again"
                                           (agent-q-fs-review--header)))))
      (should-not (funcall old-p))
      (agent-q-fs-review-tests--edit "8" "eight")
      (should (funcall old-p))
      (execute-kbd-macro "g")
      (should-not (funcall old-p))
      (should (= 2 (agent-q-fs-review-tests--hunks)))
      (agent-q-fs-review-tests--at "+two")
      (execute-kbd-macro "k")
      (should-not (funcall old-p))
      (cl-letf (((symbol-function 'agent-q-fs-change--ask) (lambda (_) t)))
        (agent-q-fs-undo))
      (should (funcall old-p)))))

(ert-deftest agent-q-fs-review/undo-goes-to-what-came-back ()
  "After `u', point is at the hunk that is there again."
  (agent-q-fs-review-tests--with `(("a" ,agent-q-fs-review-tests--lines))
    (dolist (edit '(("2" . "two") ("5" . "five") ("8" . "eight")))
      (agent-q-fs-review-tests--edit (car edit) (cdr edit)))
    (agent-q-fs-review)
    (dolist (key '("k" "a"))
      (dolist (text '("+eight" "+two"))
        (agent-q-fs-review-tests--at text)
        (let ((there (agent-q-fs-review--position)))
          (execute-kbd-macro key)
          (goto-char (point-min))
          (execute-kbd-macro "u")
          (should (equal there (agent-q-fs-review--position))))))))

(ert-deftest agent-q-fs-review/undo-names-the-call ()
  "The question of `agent-q-fs-undo' names the call: it may be a key of the review."
  (agent-q-fs-review-tests--with `(("a" ,agent-q-fs-review-tests--lines))
    (agent-q-fs-review-tests--edit "2" "two")
    (agent-q-fs-review)
    (agent-q-fs-review-tests--at "+two")
    (execute-kbd-macro "k")
    (let (shown)
      (cl-letf (((symbol-function 'agent-q-fs-change--read)
                 (lambda (&rest _)
                   (setq shown (with-current-buffer "*agent-q-fs approval*" (buffer-string)))
                   nil)))
        (should-error (agent-q-fs-undo) :type 'user-error))
      (should (string-match-p "^Undoes: +[-0-9]+ [:0-9]+  person  changes_undo: a" shown)))))

(ert-deftest agent-q-fs-review/undo-passes-over-what-is-accepted ()
  "A call that was accepted, or taken back by hunks, does not bar the one before from undoing."
  (agent-q-fs-review-tests--with `(("a" ,agent-q-fs-review-tests--lines) ("b" "b\n"))
    (agent-q-fs-review-tests--edit "2" "two")
    (agent-q-fs-call-tool "edit_file" '(:path "b" :old_str "b" :new_str "bee"))
    (agent-q-fs-review)
    (agent-q-fs-review-tests--at "+bee")
    (execute-kbd-macro "a")
    (cl-letf (((symbol-function 'agent-q-fs-change--ask) (lambda (_) t)))
      (agent-q-fs-undo)
      (should (equal agent-q-fs-review-tests--lines (agent-q-fs-review-tests--text "a")))
      (should (equal "bee\n" (agent-q-fs-review-tests--text "b")))
      (should-error (agent-q-fs-undo) :type 'user-error))))

(ert-deftest agent-q-fs-review/help ()
  "`?' says what each key does, and nothing of other modes."
  (with-temp-buffer
    (agent-q-fs-review-mode)
    (save-window-excursion
      (call-interactively (key-binding "?"))
      (with-current-buffer "*agent-q-fs keys*"
        (should (string-search "k    takes the hunk back" (buffer-string)))
        (should-not (string-search "minor mode" (buffer-string)))
        (kill-buffer)))))

(ert-deftest agent-q-fs-review/a-file-of-each-kind ()
  (agent-q-fs-review-tests--with '(("a" "one\n") ("d/x" "x\n") ("bin" "\0\1") ("m" "m\n"))
    (agent-q-fs-call-tool "create_file" '(:path "p/new" :content "new\n"))
    (agent-q-fs-call-tool "delete_file" '(:path "d" :recursive t))
    (agent-q-fs-call-tool "write_bytes" '(:path "bin" :content "AAEC/w=="))
    (agent-q-fs-call-tool "move_file" '(:source "m" :destination "n"))
    (agent-q-fs-call-tool "apply_patch" '(:patch "diff --git a/a b/a\nold mode 100644\nnew mode 100755\n"))
    (agent-q-fs-review)
    (dolist (text '("p/new  added" "d/x  deleted" "bin  modified binary file" "m → n  moved"
                    "mode 644 became 755"))
      (should (string-search text (buffer-string))))
    (dolist (text '("bin  " "m → n" "p/new" "a  modified"))
      (agent-q-fs-review-tests--at text)
      (agent-q-fs-review-take-back-file))
    (should (equal "m\n" (agent-q-fs-review-tests--text "m")))
    (should-not (file-exists-p "p/new"))
    (should (= #o644 (file-modes "a")))
    (agent-q-fs-review-tests--at "d/x")
    (execute-kbd-macro "k")
    (should (equal "x\n" (agent-q-fs-review-tests--text "d/x")))))

(ert-deftest agent-q-fs-review/what-a-person-changed-is-not-taken-back ()
  (agent-q-fs-review-tests--with `(("a" ,agent-q-fs-review-tests--lines))
    (agent-q-fs-review-tests--edit "2" "two")
    (agent-q-fs-test--write "a" "1\ntwo!\n3\n4\n5\n6\n7\n8\n9\n10\n")
    (agent-q-fs-review)
    (should (= 1 (agent-q-fs-review-tests--hunks)))
    (should (string-search "you have changed these lines too" (buffer-string)))
    (agent-q-fs-review-tests--at "+two!")
    (should (string-match-p "somebody else has changed"
                            (cadr (should-error (agent-q-fs-review-take-back) :type 'user-error))))
    (should (equal "1\ntwo!\n3\n4\n5\n6\n7\n8\n9\n10\n" (agent-q-fs-review-tests--text "a")))))

(ert-deftest agent-q-fs-review/a-change-after-it-was-shown ()
  "Exactly the shown hunk is taken back, or nothing is."
  (agent-q-fs-review-tests--with `(("a" ,agent-q-fs-review-tests--lines))
    (agent-q-fs-review-tests--edit "2" "two")
    (agent-q-fs-review)
    (agent-q-fs-review-tests--edit "two" "zwei")
    (agent-q-fs-review-tests--at "+two")
    (dolist (command '(agent-q-fs-review-take-back agent-q-fs-review-accept))
      (should (string-match-p "not there any more as"
                              (cadr (should-error (funcall command) :type 'user-error)))))
    (should (equal "1\nzwei\n3\n4\n5\n6\n7\n8\n9\n" (agent-q-fs-review-tests--text "a")))))

(ert-deftest agent-q-fs-review/unsaved-changes-are-safe ()
  (agent-q-fs-review-tests--with `(("a" ,agent-q-fs-review-tests--lines))
    (agent-q-fs-review-tests--edit "2" "two")
    (let ((buffer (find-file-noselect "a")))
      (with-current-buffer buffer
        (goto-char (point-max))
        (insert "typed\n"))
      (agent-q-fs-review)
      (agent-q-fs-review-tests--at "+two")
      (should-error (agent-q-fs-review-take-back) :type 'user-error)
      (with-current-buffer buffer
        (should (string-suffix-p "typed\n" (buffer-string)))))))

(ert-deftest agent-q-fs-review/folds ()
  (agent-q-fs-review-tests--with `(("a" ,agent-q-fs-review-tests--lines))
    (agent-q-fs-review-tests--edit "2" "two")
    (agent-q-fs-review)
    (agent-q-fs-review-tests--at "@@")
    (execute-kbd-macro (kbd "TAB"))
    (should (looking-at "@@"))
    (should (invisible-p (save-excursion (search-forward "+two"))))
    (execute-kbd-macro (kbd "TAB"))
    (should-not (invisible-p (save-excursion (search-forward "+two"))))))

(ert-deftest agent-q-fs-review/hostile-names-and-texts-are-shown ()
  (agent-q-fs-review-tests--with '(("a" "one\n"))
    (agent-q-fs-call-tool "create_file" (list :path "x\u202Etxt.exe" :content "\u202Eevil\e[2J\n"))
    (agent-q-fs-review)
    (should-not (string-search "\u202E" (buffer-string)))
    (should-not (string-search "\e" (buffer-string)))))

(ert-deftest agent-q-fs-review/scopes ()
  "A session, a turn, a call and a snapshot can be reviewed alone."
  (agent-q-fs-review-tests--with `(("a" ,agent-q-fs-review-tests--lines))
    (let ((agent-q-fs-turn "chat 1")) (agent-q-fs-review-tests--edit "2" "two"))
    ;; A call in the millisecond of the snapshot would be shown as one since then.
    (let ((now (format-time-string "%s%3N")))
      (agent-q-fs-test-until (not (equal now (format-time-string "%s%3N")))))
    (agent-q-fs-call-tool-as-person "snapshot_create" '(:tag "here") agent-q-fs-workspace)
    (let ((agent-q-fs-turn "chat 2"))
      (agent-q-fs-review-tests--edit "5" "five")
      (agent-q-fs-review-tests--edit "8" "eight"))
    (let ((scopes (agent-q-fs-kept--scopes agent-q-fs-workspace)))
      (dolist (expected '(("in this session" . 3) ("turn of .* 2 calls" . 2)
                          ("turn of .* 1 calls" . 1) ("since the snapshot .*here" . 2)
                          ("since the call" . 1)))
        (let ((scope (seq-find (lambda (scope) (string-match-p (car expected) (car scope)))
                               scopes)))
          (should scope)
          (agent-q-fs-review scope)
          (should (equal expected
                         (cons (car expected) (agent-q-fs-review-tests--hunks)))))))))

(ert-deftest agent-q-fs-review/turns-of-two-chats ()
  "Chats that work in turn on one project have a turn each."
  (agent-q-fs-review-tests--with `(("a" ,agent-q-fs-review-tests--lines))
    (cl-loop for chat in '("chat 1" "chat 2" "chat 1" "chat 2" "chat 1")
             for line in '("1" "2" "3" "4" "5")
             do (let ((agent-q-fs-turn chat))
                  (agent-q-fs-review-tests--edit line (concat line "!"))))
    (should (equal '(3 2) (mapcar #'length (agent-q-fs-kept--turns
                                            (agent-q-fs-kept--agents
                                             (agent-q-fs-kept--calls agent-q-fs-workspace))))))))

(ert-deftest agent-q-fs-review/a-whole-turn-is-taken-back ()
  "All that is shown is taken back at once, or nothing is; earlier turns stay."
  (agent-q-fs-review-tests--with `(("a" ,agent-q-fs-review-tests--lines) ("gone" "x\n"))
    (let ((agent-q-fs-turn "chat 1")) (agent-q-fs-review-tests--edit "2" "two"))
    (let ((agent-q-fs-turn "chat 2"))
      (agent-q-fs-review-tests--edit "8" "eight")
      (agent-q-fs-call-tool "create_file" '(:path "d/new" :content "new\n"))
      (agent-q-fs-call-tool "delete_file" '(:path "gone")))
    (agent-q-fs-review (seq-find (lambda (scope) (string-match-p "turn of .* 3 calls" (car scope)))
                                 (agent-q-fs-kept--scopes agent-q-fs-workspace)))
    (let* ((asked nil) (answer nil)
           (files (lambda () (mapcar #'file-exists-p '("d/new" "gone")))))
      (cl-letf (((symbol-function 'y-or-n-p) (lambda (question) (push question asked) answer)))
        (execute-kbd-macro "X")
        (should (string-match-p "\\`Take back all that is shown, 4 files\\? " (car asked)))
        (should (equal '(t nil) (funcall files)))
        (setq answer t)
        ;; Text that somebody has written since is not taken away, and then nothing is.
        (agent-q-fs-test--write "d/new" "mine\n")
        (should-error (agent-q-fs-review-take-back-all) :type 'user-error)
        (should (equal '(t nil) (funcall files)))
        (agent-q-fs-test--write "d/new" "new\n")
        (agent-q-fs-review-refresh)
        (execute-kbd-macro "X")
        (should (equal '(nil t) (funcall files)))
        (should (equal "1\ntwo\n3\n4\n5\n6\n7\n8\n9\n" (agent-q-fs-review-tests--text "a")))
        (should-error (agent-q-fs-review-take-back-all) :type 'user-error)
        (execute-kbd-macro "u")
        (should (equal '(t nil) (funcall files)))))))

(ert-deftest agent-q-fs-review/marks ()
  "Buffers of files have marks, and the same keys; unsaved buffers have none."
  (agent-q-fs-review-tests--with `(("a" ,agent-q-fs-review-tests--lines))
    (agent-q-fs-review-tests--edit "2" "two")
    (agent-q-fs-review-tests--edit "6\n" "")
    (find-file "a")
    (agent-q-fs-review-marks-mode 1)
    (agent-q-fs-review-marks--update-all)
    (should agent-q-fs-review--marked-mode)
    (should (equal 2 (length (agent-q-fs-review-marks--starts))))
    (goto-char (point-min))
    (execute-kbd-macro (kbd "C-c ' n"))
    (should (looking-at "two"))
    (execute-kbd-macro (kbd "C-c ' k"))
    (should (equal "1\n2\n3\n4\n5\n7\n8\n9\n" (agent-q-fs-review-tests--text "a")))
    (should (equal "1\n2\n3\n4\n5\n7\n8\n9\n" (buffer-string)))
    (should (equal 1 (length (agent-q-fs-review-marks--starts))))
    (execute-kbd-macro (kbd "C-c ' u"))
    (should (equal "1\ntwo\n3\n4\n5\n7\n8\n9\n" (buffer-string)))
    (should (equal 2 (length (agent-q-fs-review-marks--starts))))
    (insert "typed")
    (agent-q-fs-review-marks--update-all)
    (should-not (agent-q-fs-review-marks--starts))
    (set-buffer-modified-p nil)))

(ert-deftest agent-q-fs-review/from-the-log ()
  "The log shows arguments, answer and change of a call, reviews it and takes it back."
  (agent-q-fs-review-tests--with `(("a" ,agent-q-fs-review-tests--lines))
    (let ((agent-q-fs-event-functions (list #'agent-q-fs-audit-record))
          (agent-q-fs-audit-file nil) (agent-q-fs-audit--calls nil))
      (agent-q-fs-review-tests--edit "2" "two")
      (agent-q-fs-review-tests--edit "5" "five")
      (agent-q-fs-log)
      (agent-q-fs-review-tests--at "edit_file")
      (save-window-excursion
        (agent-q-fs-log-describe)
        (with-current-buffer "*agent-q-fs call*"
          (dolist (text '("Argument old_str\n5" "Argument new_str\nfive" "Answer\nEdited a"
                          "\n-5\n+five"))
            (should (string-search text (buffer-string))))
          (should-not (string-search "+two" (buffer-string)))))
      (save-window-excursion
        (execute-kbd-macro "R")
        (should (derived-mode-p 'agent-q-fs-review-mode))
        (should (= 1 (agent-q-fs-review-tests--hunks))))
      (cl-letf (((symbol-function 'agent-q-fs-change--ask) (lambda (_) t)))
        (agent-q-fs-log-undo))
      (should (equal "1\ntwo\n3\n4\n5\n6\n7\n8\n9\n" (agent-q-fs-review-tests--text "a"))))))

(ert-deftest agent-q-fs-review/forgetting ()
  "Forgotten bytes are gone from the disk."
  (agent-q-fs-review-tests--with '(("a" "SECRET\n"))
    (agent-q-fs-review-tests--edit "SECRET" "x")
    (should (agent-q-fs-review-tests--in-files-p "SECRET" state))
    (cl-letf (((symbol-function 'agent-q-fs-change--ask) (lambda (_) t)))
      (agent-q-fs-forget-changes 0))
    (should-not (agent-q-fs-review-tests--in-files-p "SECRET" state))
    (should-error (agent-q-fs-undo) :type 'user-error)))

(provide 'agent-q-fs-review-tests)
;;; agent-q-fs-review-tests.el ends here
