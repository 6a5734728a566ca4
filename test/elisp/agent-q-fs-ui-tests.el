;;; agent-q-fs-ui-tests.el --- Tests of the commands for people  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'agent-q-fs-test-help)
(require 'agent-q-fs-ui)
(require 'agent-q-fs-change)
(require 'agent-q-fs-find)
(require 'agent-q-fs-grep)
(require 'agent-q-fs-log)
(require 'agent-q-fs-tree)
(require 'agent-q-fs-approve)
(require 'imenu)

(defun agent-q-fs-ui-tests--buffers ()
  "Return the buffers that are not internal."
  (seq-remove (lambda (buffer) (string-prefix-p " " (buffer-name buffer))) (buffer-list)))

(defmacro agent-q-fs-ui-tests--with (files &rest body)
  "Run BODY in a workspace with FILES; buffers that it makes are killed."
  (declare (indent 1) (debug (sexp body)))
  `(let ((buffers (agent-q-fs-ui-tests--buffers))
         (state (make-temp-file "aqfs-state-" t)))
     (unwind-protect
         (let ((agent-q-fs-state-directory state)
               (inhibit-message t))
           (save-window-excursion
             (agent-q-fs-test-with-tree (ws ,@files)
               (let ((agent-q-fs-workspace ws))
                 (unwind-protect (with-temp-buffer ,@body)
                   (dolist (buffer (agent-q-fs-ui-tests--buffers))
                     (unless (memq buffer buffers)
                       (with-current-buffer buffer (set-buffer-modified-p nil))
                       (kill-buffer buffer))))))))
       (delete-directory state t))))

(defun agent-q-fs-ui-tests--text (name)
  "Return the content of the file NAME of the tree, or nil."
  (let ((file (concat (agent-q-fs-ui-root) name)))
    (and (file-exists-p file)
         (with-temp-buffer
           (insert-file-contents-literally file)
           (buffer-string)))))

(defun agent-q-fs-ui-tests--settle ()
  "Wait for the job of the current buffer, and return the buffer's text."
  (agent-q-fs-test-until (not (agent-q-fs-ui-running-p)))
  (buffer-substring-no-properties (point-min) (point-max)))

(defmacro agent-q-fs-ui-tests--typing (keys &rest body)
  "Run BODY with KEYS waiting to be read; they must all be."
  (declare (indent 1) (debug (form body)))
  `(let ((unread-command-events (append ,keys nil)))
     (prog1 (progn ,@body)
       (should-not unread-command-events))))

(defun agent-q-fs-ui-tests--header ()
  "Return the words above the current buffer."
  (substring-no-properties (eval (cadr header-line-format) t)))


;;;; Changing

(ert-deftest agent-q-fs-ui/str-replace ()
  "On y the change is made as shown, and the question leaves no windows or buffers."
  (agent-q-fs-ui-tests--with ('("a.txt" "one\ntwo\n"))
    (let ((buffers (agent-q-fs-ui-tests--buffers)))
      (agent-q-fs-test-with-events events
        (agent-q-fs-ui-tests--typing "y"
          (agent-q-fs-str-replace "a.txt" "two" "2"))
        (should (equal "one\n2\n" (agent-q-fs-ui-tests--text "a.txt")))
        (should (equal '((end . person) (start))
                       (mapcar (lambda (event) (cons (plist-get event :event)
                                                     (plist-get event :decision)))
                               events))))
      (should (equal buffers (agent-q-fs-ui-tests--buffers))))))

(ert-deftest agent-q-fs-ui/nothing-without-y ()
  "Neither n nor C-g changes anything, or leaves a buffer or another window layout."
  (agent-q-fs-ui-tests--with ('("a.txt" "one\ntwo\n"))
    (let ((buffers (agent-q-fs-ui-tests--buffers))
          (windows (mapcar #'window-buffer (window-list))))
      (dolist (keys '("n" "q" "zn" " n" "\r"))
        (agent-q-fs-ui-tests--typing keys
          (should-error (agent-q-fs-str-replace "a.txt" "two" "2") :type 'user-error)))
      (should (eq 'quit (condition-case nil
                            (agent-q-fs-ui-tests--typing "\C-g"
                              (agent-q-fs-delete "a.txt"))
                          (quit 'quit))))
      (should (equal "one\ntwo\n" (agent-q-fs-ui-tests--text "a.txt")))
      (should (equal windows (mapcar #'window-buffer (window-list))))
      (should (equal buffers (agent-q-fs-ui-tests--buffers))))))

(ert-deftest agent-q-fs-ui/stale ()
  "A file that changes while the question is shown is left alone."
  (agent-q-fs-ui-tests--with ('("a.txt" "one\ntwo\n"))
    (cl-letf (((symbol-function 'agent-q-fs-change--read)
               (lambda (&rest _)
                 (write-region "theirs\n" nil (concat (agent-q-fs-ui-root) "a.txt") t 'quiet)
                 t)))
      (should-error (agent-q-fs-str-replace "a.txt" "two" "2") :type 'user-error))
    (should (equal "one\ntwo\ntheirs\n" (agent-q-fs-ui-tests--text "a.txt")))))

(ert-deftest agent-q-fs-ui/hint ()
  "A text that nearly occurs is told where, and how it differs."
  (agent-q-fs-ui-tests--with ('("a.txt" "one\n\ttwo\n"))
    (let ((words (cadr (should-error (agent-q-fs-str-replace "a.txt" "  two" "2")
                                     :type 'user-error))))
      (should (string-search "line 2" words))
      (should (string-search "tabs against spaces" words)))))

(ert-deftest agent-q-fs-ui/insert-create-move-delete ()
  (agent-q-fs-ui-tests--with ('("a.txt" "one\ntwo\n"))
    (agent-q-fs-ui-tests--typing "y" (agent-q-fs-insert "a.txt" 1 "between"))
    (should (equal "one\nbetween\ntwo\n" (agent-q-fs-ui-tests--text "a.txt")))
    (agent-q-fs-ui-tests--typing "y" (agent-q-fs-create "d/new" "text"))
    (should (equal "text\n" (agent-q-fs-ui-tests--text "d/new")))
    (agent-q-fs-ui-tests--typing "y" (agent-q-fs-move "d/new" "e"))
    (should (equal "text\n" (agent-q-fs-ui-tests--text "e")))
    (agent-q-fs-ui-tests--typing "y" (agent-q-fs-delete "e"))
    (should-not (agent-q-fs-ui-tests--text "e"))
    (agent-q-fs-ui-tests--typing "y" (agent-q-fs-delete "d"))
    (should-not (file-exists-p (concat (agent-q-fs-ui-root) "d")))
    (should-error (agent-q-fs-create "a.txt" "x") :type 'user-error)
    (should-error (agent-q-fs-delete "absent") :type 'user-error)
    (should-error (agent-q-fs-create "../out" "x") :type 'user-error)))

(ert-deftest agent-q-fs-ui/patch ()
  "The patch is the region, or else the buffer."
  (agent-q-fs-ui-tests--with ('("a.txt" "one\ntwo\n"))
    (insert "Please:\n--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n")
    (goto-char (point-max))
    (let ((transient-mark-mode t) (mark-active t))
      (set-mark (save-excursion (goto-char (point-min)) (line-beginning-position 2)))
      (agent-q-fs-ui-tests--typing "y" (call-interactively #'agent-q-fs-apply-patch-here)))
    (should (equal "one\n2\n" (agent-q-fs-ui-tests--text "a.txt")))
    (erase-buffer)
    (insert "*** Begin Patch\n*** Add File: b\n+b\n*** End Patch\n")
    (agent-q-fs-ui-tests--typing "y" (call-interactively #'agent-q-fs-apply-patch-here))
    (should (equal "b\n" (agent-q-fs-ui-tests--text "b")))
    (erase-buffer)
    (insert "no patch")
    (should-error (call-interactively #'agent-q-fs-apply-patch-here) :type 'user-error)))

(ert-deftest agent-q-fs-ui/unasked ()
  "A person who does not want to be asked is asked about losses and protected files only."
  (agent-q-fs-ui-tests--with ('("a.txt" "one\n") '(".envrc" "x\n"))
    (let ((agent-q-fs-change-confirm nil))
      (agent-q-fs-str-replace "a.txt" "one" "1")
      (agent-q-fs-create "b.txt" "b")
      (should (equal "1\n" (agent-q-fs-ui-tests--text "a.txt")))
      (should (equal "b\n" (agent-q-fs-ui-tests--text "b.txt")))
      (agent-q-fs-ui-tests--typing "n"
        (should-error (agent-q-fs-delete "a.txt") :type 'user-error))
      (agent-q-fs-ui-tests--typing "n"
        (should-error (agent-q-fs-str-replace ".envrc" "x" "y") :type 'user-error))
      (agent-q-fs-ui-tests--typing "n"
        (should-error (agent-q-fs-move ".envrc" "c.txt") :type 'user-error))
      (should (agent-q-fs-ui-tests--text ".envrc")))))

(ert-deftest agent-q-fs-ui/read-only-policy ()
  "Where nothing may be changed, a person does not either."
  (agent-q-fs-ui-tests--with ('("a.txt" "one\n"))
    (let ((agent-q-fs-policy 'read-only))
      (agent-q-fs-ui-tests--typing "y"
        (should-error (agent-q-fs-str-replace "a.txt" "one" "1") :type 'user-error))
      (should (equal "one\n" (agent-q-fs-ui-tests--text "a.txt"))))))


(ert-deftest agent-q-fs-ui/buffers ()
  "A buffer that visits the file follows; typing that is not saved is not lost."
  (agent-q-fs-ui-tests--with ('("a.txt" "one\ntwo\n"))
    (find-file (agent-q-fs-ui-file "a.txt"))
    (agent-q-fs-ui-tests--typing "y" (agent-q-fs-str-replace "a.txt" "two" "2"))
    (should (equal "one\n2\n" (buffer-string)))
    (should (verify-visited-file-modtime))
    (goto-char (point-max))
    (insert "mine\n")
    (agent-q-fs-ui-tests--typing "y"
      (should-error (agent-q-fs-str-replace "a.txt" "2" "3") :type 'user-error))
    (should (equal "one\n2\n" (agent-q-fs-ui-tests--text "a.txt")))
    (should (equal "one\n2\nmine\n" (buffer-string)))))

(ert-deftest agent-q-fs-ui/visible ()
  "The quick function returns the same as the slow one."
  (dolist (text (list "" "plain" "a b" " a" "a\tb" "a\nb" "\u202e" "ä" "аpple" (make-string 40 ?\s)
                      (make-string 41 ?\s) (concat "x" (make-string 80 ?\s)) "\x7f" "\x3fffff"))
    (should (equal (agent-q-fs-show-visible text) (agent-q-fs-ui-visible text)))
    (should (equal (agent-q-fs-show-visible text t) (agent-q-fs-ui-visible text t)))))


;;;; Grep

(defun agent-q-fs-ui-tests--grep (&rest arguments)
  "Search with ARGUMENTS, and make the list current once it is whole."
  (set-buffer (apply #'agent-q-fs-grep arguments))
  (agent-q-fs-ui-tests--settle))

(ert-deftest agent-q-fs-ui/grep ()
  (agent-q-fs-ui-tests--with ('("d/a.txt" "äöü needle\nno\nneedle needle\n")
                              '("b:12:x" "needle\n"))
    (should (equal "b:12:x\n     1: needle\nd/a.txt\n     1: äöü needle\n     3: needle needle\n"
                   (agent-q-fs-ui-tests--grep "needle")))
    (should (string-search "3 lines in 2 files" (agent-q-fs-ui-tests--header)))
    (goto-char (point-min))
    (search-forward "äöü ")
    (should (eq 'agent-q-fs-grep-match (get-text-property (point) 'face)))
    (should (equal '("b:12:x" "d/a.txt") (mapcar #'car (agent-q-fs-grep--imenu))))))

(ert-deftest agent-q-fs-ui/grep-next-error ()
  "`next-error' goes through what was found, to the very place."
  (agent-q-fs-ui-tests--with ('("d/a.txt" "äöü needle\nno\nneedle needle\n")
                              '("b:12:x" "needle\n"))
    (agent-q-fs-ui-tests--grep "needle")
    (with-temp-buffer
      (let (places)
        (dotimes (_ 3)
          (next-error)
          (with-current-buffer (window-buffer)
            (push (list (file-name-nondirectory buffer-file-name) (line-number-at-pos)
                        (current-column))
                  places)))
        (should (equal '(("b:12:x" 1 0) ("a.txt" 1 4) ("a.txt" 3 0)) (nreverse places))))
      (should-error (next-error) :type 'user-error)
      (previous-error)
      (should (= 1 (with-current-buffer (window-buffer) (line-number-at-pos))))
      (first-error)
      (should (equal "b:12:x" (file-name-nondirectory
                               (buffer-file-name (window-buffer))))))))

(ert-deftest agent-q-fs-ui/grep-toggles ()
  (agent-q-fs-ui-tests--with ('("a.txt" "n.\nNx\n") '("b.el" "nx\n") '(".git/c" "nx\n"))
    (agent-q-fs-ui-tests--grep "n.")
    (should (string-search "2 lines in 2 files" (agent-q-fs-ui-tests--header)))
    (agent-q-fs-grep-toggle-case)
    (agent-q-fs-ui-tests--settle)
    (should (string-search "3 lines in 2 files" (agent-q-fs-ui-tests--header)))
    (agent-q-fs-grep-set-include "*.txt")
    (agent-q-fs-ui-tests--settle)
    (should (string-search "2 lines in 1 file" (agent-q-fs-ui-tests--header)))
    (agent-q-fs-grep-toggle-literal)
    (agent-q-fs-ui-tests--settle)
    (should (string-search "1 line in 1 file" (agent-q-fs-ui-tests--header)))
    (agent-q-fs-grep-set-include "")
    (agent-q-fs-grep-toggle-literal)
    (agent-q-fs-grep-toggle-exclusions)
    (agent-q-fs-ui-tests--settle)
    (should (string-search "4 lines in 3 files" (agent-q-fs-ui-tests--header)))
    (should (string-search "nothing excluded" (agent-q-fs-ui-tests--header)))))

(ert-deftest agent-q-fs-ui/what-git-ignores-is-left-out-and-counted ()
  (agent-q-fs-ui-tests--with ('(".gitignore" "out\n*.log\n") '("a.txt" "n\n") '("b.log" "n\n")
                              '("out/c.txt" "n\n"))
    (agent-q-fs-ui-tests--grep "^n$")
    (should (string-search "1 line in 1 file, 2 ignored" (agent-q-fs-ui-tests--header)))
    (agent-q-fs-grep-toggle-exclusions)
    (agent-q-fs-ui-tests--settle)
    (should (string-search "3 lines in 3 files" (agent-q-fs-ui-tests--header)))
    (should-not (string-search "ignored" (agent-q-fs-ui-tests--header)))
    (set-buffer (agent-q-fs-tree))
    (agent-q-fs-ui-tests--settle)
    (should (string-search ", 2 ignored" (agent-q-fs-ui-tests--header)))
    (should-not (string-search "b.log" (buffer-string)))
    (agent-q-fs-tree-toggle-exclusions)
    (agent-q-fs-ui-tests--settle)
    (should (string-search "b.log" (buffer-string)))))

(ert-deftest agent-q-fs-ui/grep-fills-and-stops ()
  "Lines are there while the search still runs, and it can be stopped."
  (agent-q-fs-ui-tests--with nil
    (let ((default-directory (agent-q-fs-ui-root)) (agent-q-fs-grep-limit 100000000))
      (agent-q-fs-test-long-grep 100 20)
      (set-buffer (agent-q-fs-grep "needle"))
      (agent-q-fs-test-until (< (point-min) (point-max)))
      (should (agent-q-fs-ui-running-p))
      (should mode-line-process)
      (agent-q-fs-ui-end-job)
      (should-not (agent-q-fs-ui-running-p))
      (should-not mode-line-process)
      (should (string-search "stopped" (agent-q-fs-ui-tests--header)))
      (should-error (agent-q-fs-ui-end-job) :type 'user-error)
      (let ((size (buffer-size)))
        (accept-process-output nil 0.2)
        (should (= size (buffer-size))))
      ;; The buffer's end is the search's end.
      (agent-q-fs-grep--run)
      (let ((job agent-q-fs-ui--job))
        (kill-buffer)
        (should (eq 'cancelled (agent-q-fs-job-state job)))))))

(ert-deftest agent-q-fs-ui/grep-errors ()
  "A wrong pattern gives an error in words."
  (agent-q-fs-ui-tests--with ('("a" "x\n"))
    (should-error (agent-q-fs-grep "") :type 'user-error)
    (agent-q-fs-ui-tests--grep "(")
    (should (string-search "missing closing parenthesis" (agent-q-fs-ui-tests--header)))
    (should-error (agent-q-fs-ui-open) :type 'user-error)))

(ert-deftest agent-q-fs-ui/grep-hostile-text ()
  "Misleading text is made visible, also in names."
  (agent-q-fs-ui-tests--with ('("a\nb" "x needle \u202e\n"))
    (let ((text (agent-q-fs-ui-tests--grep "needle")))
      (should (string-search "<U+202E>" text))
      (should (string-prefix-p "a^Jb\n" text))
      (goto-char (point-max))
      (forward-line -1)
      (agent-q-fs-ui-open)
      (should (equal "a\nb" (file-name-nondirectory buffer-file-name)))
      (should (= 2 (current-column))))))


;;;; The tree

(defun agent-q-fs-ui-tests--tree ()
  "Show the tree, and make it current once it has been read."
  (set-buffer (agent-q-fs-tree))
  (agent-q-fs-ui-tests--settle))

(defun agent-q-fs-ui-tests--lines ()
  "Return the lines of the tree below its top."
  (cdr (split-string (buffer-substring-no-properties (point-min) (point-max)) "\n" t)))

(ert-deftest agent-q-fs-ui/tree-folds ()
  (agent-q-fs-ui-tests--with ('("d/e/a.txt" "12345") '("d/b" "12") '("z" ""))
    (agent-q-fs-ui-tests--tree)
    (should (equal '("  + d/  7" "    z  0") (agent-q-fs-ui-tests--lines)))
    (should (agent-q-fs-tree-goto "d"))
    (agent-q-fs-tree-toggle)
    (should (equal '("  - d/  7" "      b  2" "    + e/  5" "    z  0") (agent-q-fs-ui-tests--lines)))
    (should (looking-at "d/"))
    (agent-q-fs-tree-goto "d/e")
    (agent-q-fs-tree-visit)
    (should (equal "        a.txt  5" (nth 3 (agent-q-fs-ui-tests--lines))))
    (agent-q-fs-tree-goto "d/e/a.txt")
    (agent-q-fs-tree-up)
    (should (looking-at "e/"))
    (should (equal '("." "d" "d/e") (mapcar #'car (agent-q-fs-tree--imenu))))
    (agent-q-fs-tree-goto "d")
    (agent-q-fs-tree-toggle)
    (should (equal '("  + d/  7" "    z  0") (agent-q-fs-ui-tests--lines)))
    ;; Directories that were unfolded inside still are.
    (agent-q-fs-tree-toggle)
    (should (= 5 (length (agent-q-fs-ui-tests--lines))))
    (agent-q-fs-tree-toggle-all)
    (should (= 2 (length (agent-q-fs-ui-tests--lines))))
    (agent-q-fs-tree-toggle-all)
    (should (= 5 (length (agent-q-fs-ui-tests--lines))))
    (agent-q-fs-tree-toggle-sizes)
    (should (equal "    z" (car (last (agent-q-fs-ui-tests--lines)))))))

(ert-deftest agent-q-fs-ui/tree-visits ()
  (agent-q-fs-ui-tests--with ('("d/a.txt" "text") '("z" "zz"))
    (agent-q-fs-ui-tests--tree)
    (agent-q-fs-tree-toggle-all)
    (agent-q-fs-tree-goto "d/a.txt")
    (agent-q-fs-tree-visit)
    (should (equal "text" (buffer-string)))
    ;; From a file, the tree opens at that file.
    (agent-q-fs-ui-tests--tree)
    (should (looking-at "a\\.txt"))))

(ert-deftest agent-q-fs-ui/tree-definitions ()
  "One goes to the definitions of Lisp files by name, from the tree, folded or not, or by imenu."
  (agent-q-fs-ui-tests--with
      ('("d/a.el" "(require 'cl-lib)\n\n;; One.\n(defun one ()\n  1)\n(defvar two 2)\n")
       '("d/b.lisp" "(in-package :cl-user)\n(defmethod area ((s square)) 4)\n")
       '("no/c.el" "(defun left-out ())\n") '("z.txt" "(defun none ())\n"))
    (let ((agent-q-fs-tree-exclude '("no")))
      (agent-q-fs-ui-tests--tree))
    (let* ((index (cdr (assoc "Definitions" (agent-q-fs-tree--imenu))))
           (one (assoc "one" (cdr (assoc "d/a.el" index)))))
      (should (equal '("d/a.el" "d/b.lisp") (mapcar #'car index)))
      (should (equal '("one" "two") (mapcar #'car (cdr (assoc "d/a.el" index)))))
      (should (equal '("area ((s square))") (mapcar #'car (cdr (assoc "d/b.lisp" index)))))
      (imenu one)
      (should (equal "a.el" (file-name-nondirectory buffer-file-name)))
      (should (looking-at "(defun one ()")))
    (agent-q-fs-ui-tests--tree)
    (agent-q-fs-tree-goto "d")
    (let (offered)
      (cl-letf (((symbol-function 'completing-read)
                 (lambda (_prompt collection &rest _)
                   (setq offered (all-completions "" collection))
                   "area ((s square))  d/b.lisp:2")))
        (call-interactively #'agent-q-fs-tree-definition))
      (should (equal '("one  d/a.el:4" "two  d/a.el:6" "area ((s square))  d/b.lisp:2") offered)))
    (should (equal "b.lisp" (file-name-nondirectory buffer-file-name)))
    (should (looking-at "(defmethod area"))
    (agent-q-fs-ui-tests--tree)
    (agent-q-fs-tree-goto "z.txt")
    (should (string-search "not known to be a Lisp file"
                           (cadr (should-error (call-interactively #'agent-q-fs-tree-definition)
                                               :type 'user-error))))))

(ert-deftest agent-q-fs-ui/tree-exclusions-and-refresh ()
  (agent-q-fs-ui-tests--with ('("a" "1") '(".git/x" "") '("b.elc" "12"))
    (agent-q-fs-ui-tests--tree)
    (should (equal '("    a  1") (agent-q-fs-ui-tests--lines)))
    (agent-q-fs-tree-toggle-exclusions)
    (agent-q-fs-ui-tests--settle)
    (should (equal '("  + .git/  0" "    a  1" "    b.elc  2") (agent-q-fs-ui-tests--lines)))
    (agent-q-fs-tree-set-exclusions '("a" ".git"))
    (agent-q-fs-ui-tests--settle)
    (should (equal '("    b.elc  2") (agent-q-fs-ui-tests--lines)))
    (write-region "123" nil (concat (agent-q-fs-ui-root) "c") nil 'quiet)
    (agent-q-fs-tree-goto "b.elc")
    (revert-buffer)
    (agent-q-fs-ui-tests--settle)
    (should (equal '("    b.elc  2" "    c  3") (agent-q-fs-ui-tests--lines)))
    (should (looking-at "b\\.elc"))
    (agent-q-fs-tree-toggle-order)
    (should (equal '("    c  3" "    b.elc  2") (agent-q-fs-ui-tests--lines)))))

(ert-deftest agent-q-fs-ui/tree-deep ()
  "Directories may be as deep as the core reads them."
  (agent-q-fs-ui-tests--with nil
    (let ((default-directory (agent-q-fs-ui-root)))
      (make-directory (mapconcat (lambda (n) (format "d%d" n)) (number-sequence 1 200) "/") t))
    (agent-q-fs-ui-tests--tree)
    (agent-q-fs-tree-toggle-all)
    (should (= 200 (length (agent-q-fs-ui-tests--lines))))
    (agent-q-fs-tree-goto "d1")
    (agent-q-fs-tree-toggle)
    (agent-q-fs-tree-toggle)
    (should (= 200 (length (agent-q-fs-ui-tests--lines))))))

(ert-deftest agent-q-fs-ui/tree-read-anew-while-reading ()
  "A tree that is read again while it is read shows the last request's result."
  (agent-q-fs-ui-tests--with ('("a" "1") '("b/c" ""))
    (find-file (agent-q-fs-ui-file "b/c"))
    (set-buffer (agent-q-fs-tree))
    (revert-buffer)
    (agent-q-fs-tree-toggle-exclusions)
    (agent-q-fs-ui-tests--settle)
    (should (looking-at "c"))
    (should (string-search "nothing left out" (agent-q-fs-ui-tests--header)))))

(ert-deftest agent-q-fs-ui/closed-workspace ()
  "Lists of a workspace that was closed say so."
  (agent-q-fs-ui-tests--with ('("a" "x\n"))
    (let ((other (agent-q-fs-open :root (agent-q-fs-ui-root))))
      (let ((agent-q-fs-workspace other))
        (agent-q-fs-ui-tests--grep "x")
        (agent-q-fs-close other))
      (revert-buffer)
      (agent-q-fs-ui-tests--settle)
      (should (string-search "closed" (agent-q-fs-ui-tests--header)))
      (should-not mode-line-process))))

(ert-deftest agent-q-fs-ui/tree-changes ()
  "The tree shows the changes of its commands."
  (agent-q-fs-ui-tests--with ('("d/a" "1") '("z" ""))
    (agent-q-fs-ui-tests--tree)
    (agent-q-fs-tree-goto "z")
    (agent-q-fs-ui-tests--typing "y" (agent-q-fs-tree-move "d/y"))
    (agent-q-fs-ui-tests--settle)
    (should (equal '("  - d/  1" "      a  1" "      y  0") (agent-q-fs-ui-tests--lines)))
    (should (looking-at "y"))
    (agent-q-fs-ui-tests--typing "y" (agent-q-fs-tree-delete))
    (agent-q-fs-ui-tests--settle)
    (should (equal '("  - d/  1" "      a  1") (agent-q-fs-ui-tests--lines)))
    (agent-q-fs-ui-tests--typing "y" (agent-q-fs-tree-create "d/n" ""))
    (agent-q-fs-ui-tests--settle)
    (should (looking-at "n"))))

(ert-deftest agent-q-fs-ui/tree-errors ()
  (agent-q-fs-ui-tests--with ('("a" ""))
    (set-buffer (agent-q-fs-tree "absent"))
    (agent-q-fs-ui-tests--settle)
    (should (string-search "does not exist" (agent-q-fs-ui-tests--header)))
    (dolist (command '(agent-q-fs-tree-toggle agent-q-fs-tree-visit agent-q-fs-tree-up
                       agent-q-fs-tree-toggle-all agent-q-fs-tree-toggle-order
                       agent-q-fs-tree-delete agent-q-fs-ui-copy-path))
      (should-error (funcall command) :type 'user-error))))


;;;; Viewing and finding

(ert-deftest agent-q-fs-ui/view ()
  (agent-q-fs-ui-tests--with ('("a.txt" "1\n2\n3\n4\n5\n"))
    (let ((agent-q-fs-view-lines 2))
      (agent-q-fs-view "a.txt")
      (should (equal "1\n2\n" (buffer-string)))
      (agent-q-fs-view-next)
      (should (equal "3\n4\n" (buffer-string)))
      (should (string-search "lines 3 to 4 of 5" (agent-q-fs-ui-tests--header)))
      (forward-line)
      (agent-q-fs-ui-open)
      (should (equal "a.txt" (file-name-nondirectory buffer-file-name)))
      (should (= 4 (line-number-at-pos)))
      (agent-q-fs-view "a.txt" 2 4)
      (should (equal "2\n3\n4\n" (buffer-string)))
      (agent-q-fs-view-previous)
      (should (equal "1\n2\n" (buffer-string)))
      (should-error (agent-q-fs-view-previous) :type 'user-error)
      (let ((buffers (agent-q-fs-ui-tests--buffers)))
        (should-error (agent-q-fs-view "absent") :type 'user-error)
        (should (equal buffers (agent-q-fs-ui-tests--buffers)))))))

(ert-deftest agent-q-fs-ui/find ()
  "The file that is chosen is visited; without one, nothing is left."
  (agent-q-fs-ui-tests--with ('("d/foo.txt" "foo") '("d/bar.txt" "bar"))
    (let ((buffers (agent-q-fs-ui-tests--buffers)))
      (cl-letf (((symbol-function 'completing-read) (lambda (&rest _) "d/foo.txt")))
        (agent-q-fs-find))
      (should (equal "foo" (buffer-string)))
      (kill-buffer)
      (cl-letf (((symbol-function 'completing-read) (lambda (&rest _) "")))
        (should-error (agent-q-fs-find) :type 'user-error))
      (cl-letf (((symbol-function 'completing-read) (lambda (&rest _) (signal 'quit nil))))
        (should (eq 'quit (condition-case nil (agent-q-fs-find) (quit 'quit)))))
      (should (equal buffers (agent-q-fs-ui-tests--buffers))))))

(ert-deftest agent-q-fs-ui/completion ()
  (agent-q-fs-ui-tests--with ('("dir/a.txt" "") '("dir/b" "") '("dot" ""))
    (let ((table (agent-q-fs-find--path-table ws)))
      (should (equal "d" (try-completion "d" table)))
      (should (equal "dir/" (try-completion "di" table)))
      (should (equal '("dir/" "dot") (sort (all-completions "d" table) #'string<)))
      (should (equal "dir/a.txt" (try-completion "dir/a" table)))
      (should (equal '("a.txt" "b") (sort (all-completions "dir/" table) #'string<)))
      (should (test-completion "dir/b" table))
      (should-not (all-completions "../" table)))))


;;;; The project, the mode line, and lazy loading

(ert-deftest agent-q-fs-ui/root ()
  (agent-q-fs-ui-tests--with ('("sub/a" ""))
    (let ((root (agent-q-fs-ui-root)))
      (agent-q-fs-set-root (concat root "sub"))
      (should (equal (concat root "sub/") (agent-q-fs-ui-root)))
      (should (equal "a" (agent-q-fs-ui-path (concat root "sub/a"))))
      (should-not (agent-q-fs-ui-path (concat root "other")))
      (should-error (agent-q-fs-set-root (concat root "absent")) :type 'user-error)
      (should (equal (concat root "sub/") (agent-q-fs-ui-root)))
      ;; A list stays with its project; the new project is shown beside it.
      (agent-q-fs-ui-tests--tree)
      (let ((tree (current-buffer)))
        (agent-q-fs-set-root root)
        (should (equal root (agent-q-fs-ui-root)))
        (agent-q-fs-ui-tests--settle)
        (should (equal '("  + sub/  0") (agent-q-fs-ui-tests--lines)))
        (should (equal (concat root "sub/")
                       (with-current-buffer tree (agent-q-fs-ui-root))))))))

(ert-deftest agent-q-fs-ui/grep-quote ()
  (should (equal "a\\.b\\(\\|\\\\" (agent-q-fs-grep-quote "a.b(|\\"))))

(ert-deftest agent-q-fs-ui/pin ()
  "A pinned project takes all calls, is in the mode line, and is released."
  (agent-q-fs-ui-tests--with ('("A/.git/HEAD" "ref: refs/heads/m\n") '("A/.git/objects/" "")
                              '("A/.git/refs/" "") '("A/who" "A") '("who" "above"))
    (let* ((agent-q-fs-workspace nil)
           (mode-line-misc-info nil)
           ;; A batch Emacs formats no mode line.
           (line (lambda ()
                   (pcase-let ((`((,variable (:eval ,form))) mode-line-misc-info))
                     (and (symbol-value variable) (eval form t)))))
           (who (lambda () (plist-get (agent-q-fs-read-file nil "who") :content)))
           (above default-directory))
      ;; The command that is said to end it does so in every project, as this one alone does not.
      (should (string-suffix-p "/A/ now; C-u M-x agent-q-fs-pin ends that"
                               (let ((default-directory (expand-file-name "A/")))
                                 (agent-q-fs-pin))))
      (should (equal "[files: A] " (funcall line)))
      (should (string-search "C-u M-x agent-q-fs-pin"
                             (get-text-property 0 'help-echo (funcall line))))
      (should (equal "Each call goes to its own project now" (agent-q-fs-pin '(4))))
      (should-not (funcall line))
      (let ((default-directory (expand-file-name "A/"))) (agent-q-fs-pin))
      (should (equal "A" (let ((default-directory above)) (funcall who))))
      (let ((default-directory (expand-file-name "A/"))) (agent-q-fs-pin))
      (should-not (funcall line))
      (should (equal "above" (let ((default-directory above)) (funcall who)))))))

(ert-deftest agent-q-fs-ui/menu-of-a-project ()
  "The menu that is opened for another project acts there, and pins nothing."
  (agent-q-fs-ui-tests--with ('("A/.git/HEAD" "ref: refs/heads/m\n") '("A/.git/objects/" "")
                              '("A/.git/refs/" "") '("A/who" "A"))
    (let ((agent-q-fs-workspace nil) (transient-current-prefix nil) menu)
      (cl-letf (((symbol-function 'project-current) #'ignore)
                ((symbol-function 'project-root) (lambda (_) (expand-file-name "A/")))
                ((symbol-function 'agent-q-fs) (lambda (workspace) (setq menu workspace))))
        (agent-q-fs-project))
      (should (equal (expand-file-name "A/") (agent-q-fs-workspace-root menu)))
      (should-not agent-q-fs-workspace)
      (let ((transient-current-prefix (transient-prefix :command 'agent-q-fs :scope menu)))
        (should (eq menu (agent-q-fs-ui-workspace))))
      (should-not (eq menu (agent-q-fs-ui-workspace))))))

(ert-deftest agent-q-fs-ui/project ()
  "The entries for project.el are there when they were asked for, once."
  (let ((project-switch-commands (copy-sequence project-switch-commands))
        (project-prefix-map (copy-keymap project-prefix-map)))
    (should-not (assq 'agent-q-fs-project project-switch-commands))
    (agent-q-fs-project-setup)
    (agent-q-fs-project-setup)
    (should (= 1 (seq-count (lambda (entry) (eq 'agent-q-fs-project (car entry)))
                            project-switch-commands)))
    (should (eq 'agent-q-fs-project (lookup-key project-prefix-map agent-q-fs-project-key)))
    (agent-q-fs-project-setup t)
    (should-not (assq 'agent-q-fs-project project-switch-commands))
    (should-not (lookup-key project-prefix-map agent-q-fs-project-key))))

(ert-deftest agent-q-fs-ui/mode-line ()
  "A call is shown while it runs, and nothing is left of the mode afterwards."
  (agent-q-fs-ui-tests--with ('("a" "x\n"))
    (let ((agent-q-fs-mode-line-delay 0)
          (agent-q-fs-event-functions nil)
          (global-mode-string '("")))
      (agent-q-fs-mode-line-mode 1)
      (unwind-protect
          (progn
            (should (equal "" (agent-q-fs-mode-line-text)))
            (agent-q-fs-call-async ws "grep_files" '(:pattern "x")
                                   :on-done (lambda (_) nil))
            (should (string-search "[grep_files]" (agent-q-fs-mode-line-text)))
            (agent-q-fs-test-until (not agent-q-fs-mode-line--calls))
            (should (equal "" (agent-q-fs-mode-line-text))))
        (agent-q-fs-mode-line-mode -1))
      (should-not (memq #'agent-q-fs-mode-line--event agent-q-fs-event-functions))
      (should (equal '("") global-mode-string))
      (should-not agent-q-fs-mode-line--timer))))

(ert-deftest agent-q-fs-ui/nothing-loaded-early ()
  "Requiring the package loads neither the commands nor the core; the menu no core."
  (should (equal '(nil nil nil nil t t nil)
                 (agent-q-fs-test-in-emacs
                  '(list (featurep 'agent-q-fs-ui) (featurep 'transient) (featurep 'project)
                         (fboundp 'agent-q-fs--mod-call)
                         (commandp 'agent-q-fs) (progn (require 'agent-q-fs-ui) t)
                         (or (fboundp 'agent-q-fs--mod-call)
                             (assq 'agent-q-fs-project project-switch-commands)))))))

(ert-deftest agent-q-fs-ui/every-command-of-the-menu ()
  (dolist (command '(agent-q-fs agent-q-fs-tree agent-q-fs-find agent-q-fs-grep agent-q-fs-view
                     agent-q-fs-str-replace agent-q-fs-insert agent-q-fs-create agent-q-fs-move
                     agent-q-fs-delete agent-q-fs-apply-patch-here agent-q-fs-show-root
                     agent-q-fs-set-root agent-q-fs-log agent-q-fs-approvals
                     agent-q-fs-mode-line-mode))
    (should (commandp command))
    (autoload-do-load (symbol-function command) command)
    (should (documentation command))))

(ert-deftest agent-q-fs-ui/says-which-project-it-is ()
  "Where that is not the directory that a person is in."
  (agent-q-fs-test-with-tree (_ws '(".git/HEAD" "x\n") '(".git/objects/" nil) '(".git/refs/" nil)
                                  '("sub/f" "x\n"))
    (let ((root default-directory) (agent-q-fs-workspace nil) said)
      (cl-letf (((symbol-function 'message)
                 (lambda (format &rest arguments)
                   (push (apply #'format-message format arguments) said))))
        (let ((default-directory root))
          (agent-q-fs-ui-workspace)
          (should-not said)
          (agent-q-fs-close (agent-q-fs-current-workspace)))
        (let ((default-directory (expand-file-name "sub/")))
          (agent-q-fs-ui-workspace)
          (should (equal said (list (format "The project is %s (git)" root))))
          (agent-q-fs-ui-workspace)
          (should (equal 1 (length said))))))))

(provide 'agent-q-fs-ui-tests)
;;; agent-q-fs-ui-tests.el ends here
