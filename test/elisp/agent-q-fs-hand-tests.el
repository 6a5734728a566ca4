;;; agent-q-fs-hand-tests.el --- Tests of what people expect of the commands  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Completion, expressions of Emacs, lines around matches, edits of many lines,
;; marks, git, bookmarks, and texts that are written in a buffer.

;;; Code:

(require 'agent-q-fs-undo)
(require 'agent-q-fs-ui-tests)
(require 'bookmark)
(require 'dired)

(defun agent-q-fs-hand-tests--found (string paths)
  "Return those of PATHS that the default completion offers for STRING, in its order."
  (let* ((table (agent-q-fs-find-table (agent-q-fs-ui-root) paths))
         (metadata (completion-metadata string table nil))
         (found (completion-all-completions string table nil (length string) metadata))
         (last (last found)))
    (when last (setcdr last nil))
    (mapcar #'substring-no-properties
            (funcall (completion-metadata-get metadata 'display-sort-function) found))))


;;;; Finding

(ert-deftest agent-q-fs-hand/find-words ()
  "Words may stand in any order; those with * or ? are globs; capitals count if typed."
  (agent-q-fs-ui-tests--with nil
    (let ((paths '("elisp/fs-tree.el" "elisp/fs-tree.elc" "src/Tree.c" "src/elm/tree" "x*y")))
      (pcase-dolist (`(,string . ,expected)
                     '(("tree el" "elisp/fs-tree.el" "elisp/fs-tree.elc" "src/elm/tree")
                       ("el tree" "elisp/fs-tree.el" "elisp/fs-tree.elc" "src/elm/tree")
                       ("*.el" "elisp/fs-tree.el")
                       ("fs *.el?" "elisp/fs-tree.elc")
                       ("**/*.c" "src/Tree.c")
                       ("Tree" "src/Tree.c")
                       ("s.c tree")
                       ("x\\*")
                       ("" "elisp/fs-tree.el" "elisp/fs-tree.elc" "src/Tree.c" "src/elm/tree"
                        "x*y")))
        (should (equal (cons string expected)
                       (cons string (agent-q-fs-hand-tests--found string paths))))))))

(ert-deftest agent-q-fs-hand/find-only-one ()
  "TAB completes where one file is left, and not where there are more."
  (agent-q-fs-ui-tests--with nil
    (let ((table (agent-q-fs-find-table (agent-q-fs-ui-root) '("a/bc" "b/ca" "d"))))
      (should (equal '("b/ca" . 4) (completion-try-completion "ca b/" table nil 5)))
      (should (equal '("b" . 1) (completion-try-completion "b" table nil 1)))
      (should (eq t (completion-try-completion "d" table nil 1)))
      (should-not (completion-try-completion "z" table nil 1)))))

(ert-deftest agent-q-fs-hand/find-recent-first ()
  "Files that are visited come first, then those of recentf, then the others."
  (agent-q-fs-ui-tests--with ('("a" "") '("b" "") '("c" "") '("d" ""))
    (find-file (agent-q-fs-ui-file "c"))
    (defvar recentf-list)
    (let ((recentf-list (list (agent-q-fs-ui-file "b") "/elsewhere/a")))
      (with-temp-buffer
        (should (equal '("c" "b" "a" "d")
                       (agent-q-fs-hand-tests--found "" '("a" "b" "c" "d")))))
      ;; The file at hand is not what is looked for.
      (should (equal '("b" "a" "c" "d")
                     (agent-q-fs-hand-tests--found "" '("a" "b" "c" "d")))))))

(ert-deftest agent-q-fs-hand/find-metadata ()
  "Others know what the candidates are, and notes stand beside them."
  (agent-q-fs-ui-tests--with ('("a.txt" "12345"))
    (let* ((table (agent-q-fs-find-table (agent-q-fs-ui-root) '("a.txt")))
           (metadata (completion-metadata "" table nil))
           (affixes (completion-metadata-get metadata 'affixation-function)))
      (should (eq 'agent-q-fs-file (completion-metadata-get metadata 'category)))
      (should (string-match-p "\\`  5  20[0-9-]+\\'" (nth 2 (car (funcall affixes '("a.txt"))))))
      (find-file (agent-q-fs-ui-file "a.txt"))
      (insert "x")
      (with-temp-buffer
        (should (string-search "not saved"
                               (nth 2 (car (funcall affixes '("a.txt"))))))))))

(ert-deftest agent-q-fs-hand/find-hostile-names ()
  "A name that would mislead is displayed so that it does not, and is what it is."
  (agent-q-fs-ui-tests--with ('("d/evil\u202etxt.exe" "x") '("d/plain" ""))
    (let* ((names (agent-q-fs-find--names ws "d"))
           (evil (seq-find (lambda (name) (string-prefix-p "evil" name)) names)))
      (should (equal "evil\u202etxt.exe" (substring-no-properties evil)))
      (should (equal "evil<U+202E>txt.exe"
                     (substring-no-properties (get-text-property 0 'display evil)))))
    (let ((found (all-completions "" (agent-q-fs-find-table
                                    (agent-q-fs-ui-root)
                                    (car (agent-q-fs-find--list ws "."))))))
      (should (equal "d/evil<U+202E>txt.exe"
                     (substring-no-properties (get-text-property 0 'display (car found)))))
      (should-not (get-text-property 0 'display (cadr found))))))

(ert-deftest agent-q-fs-hand/find-defaults ()
  "M-n offers the files that the text at point means."
  (agent-q-fs-ui-tests--with nil
    (let ((paths '("src/find.el" "test/find.el" "find.elc" "unfind.el")))
      (insert "see ./find.el")
      (backward-char 3)
      (should (equal '("src/find.el" "test/find.el") (agent-q-fs-find--at-point paths))))))

(ert-deftest agent-q-fs-hand/find-quit ()
  "C-g while files are looked for ends the job, and leaves nothing behind."
  (agent-q-fs-ui-tests--with ('("a" "") '("b" ""))
    (agent-q-fs-find--list ws ".")
    (let ((held (agent-q-fs-test-held))
          (buffers (buffer-list))
          (job nil))
      (cl-letf* ((start (symbol-function 'agent-q-fs-call-async))
                 ((symbol-function 'agent-q-fs-call-async)
                  (lambda (&rest arguments) (setq job (apply start arguments))))
                 ((symbol-function 'agent-q-fs-job-wait) (lambda (&rest _) (signal 'quit nil))))
        (should (eq 'quit (condition-case nil (agent-q-fs-find) (quit 'quit)))))
      (should (eq 'cancelled (agent-q-fs-job-state job)))
      (should (equal held (agent-q-fs-test-held-again held)))
      (should-not (seq-difference (buffer-list) buffers)))))

(ert-deftest agent-q-fs-hand/read-path ()
  "Those who annotate names of files are told that these are some."
  (agent-q-fs-ui-tests--with ('("a" ""))
    (let (seen)
      (cl-letf (((symbol-function 'completing-read)
                 (lambda (&rest _) (setq seen (list minibuffer-completing-file-name
                                                    default-directory))
                   "a")))
        (should (equal "a" (agent-q-fs-find-read-path "Path"))))
      (should (equal (list t (agent-q-fs-ui-root)) seen)))))


;;;; Expressions

(ert-deftest agent-q-fs-hand/grep-emacs-expressions ()
  "An expression evidently of Emacs is translated, and matches as it does in Emacs."
  (let ((lines '("foo" "foo-bar" "foobar" "bar foo" "(foo)" "a|b" "f{2}" "ff" "x+y" "\\" "[foo]"
                 "foo(bar)" "a b" "aab")))
    (agent-q-fs-ui-tests--with ((list "f" (concat (string-join lines "\n") "\n")))
      (emacs-lisp-mode)
      (dolist (regexp '("\\_<foo\\_>" "\\<foo\\>" "\\(foo\\|bar\\)" "(foo)\\|x+" "f\\{2\\}"
                        "\\`foo" "bar\\'" "[]\\[]" "[[:space:]]\\|[^[:alpha:]]$" "\\(a\\)\\1"
                        "a|b\\|q" "\\(?:fo\\)+(" "a\\s-b"))
        (should (agent-q-fs-grep-emacs-p (if (member regexp '("[]\\[]" "\\(a\\)\\1")) "\\|" regexp)))
        (should
         (equal (cons regexp
                      (seq-filter (lambda (line) (let ((case-fold-search nil))
                                                   (string-match-p regexp line)))
                                  lines))
                (cons regexp
                      (mapcar (lambda (match) (plist-get match :text))
                              (plist-get (agent-q-fs-grep-files
                                          ws (agent-q-fs-grep-from-emacs regexp))
                                         :matches)))))))))

(ert-deftest agent-q-fs-hand/grep-pcre-stays ()
  "A text that PCRE means otherwise, or may mean, is left alone."
  (dolist (pattern '("foo" "a|b" "(a|b)+" "foo\\(" "\\bfoo\\b" "f{2}" "\\d+\\.\\w" "foo\\(bar\\)"
                     "<b>" "\\s+x" "(?<!a)b"))
    (should-not (agent-q-fs-grep-emacs-p pattern))))

(ert-deftest agent-q-fs-hand/grep-suggestions ()
  "What M-n offers finds the symbol at point, and the second one it alone."
  (agent-q-fs-ui-tests--with ('("f" "a foo-bar b\nfoo-bar-2\n"))
    (emacs-lisp-mode)
    (insert "(foo-bar)")
    (goto-char 4)
    (pcase-let ((`(,plain ,symbol) (agent-q-fs-grep--suggestions)))
      (should (= 2 (plist-get (agent-q-fs-grep-files ws plain) :total)))
      (should (= 1 (plist-get (agent-q-fs-grep-files ws symbol) :total))))))

(ert-deftest agent-q-fs-hand/grep-typed ()
  "The header says what was typed and what is searched for."
  (agent-q-fs-ui-tests--with ('("f" "foo\nbar\n"))
    (agent-q-fs-ui-tests--grep
     (cl-letf (((symbol-function 'read-from-minibuffer) (lambda (&rest _) "foo\\|bar")))
       (agent-q-fs-grep-read "Search for")))
    (should (string-search "foo|bar, from Emacs' foo\\|bar: 2 lines"
                           (agent-q-fs-ui-tests--header)))))


;;;; Lists of lines

(ert-deftest agent-q-fs-hand/grep-context ()
  "Lines around matches are listed once, and gaps between them are shown."
  (agent-q-fs-ui-tests--with ('("f" "1\n2 x\n3\n4 x\n5\n6\n7\n8\n9 x\n") '("g" "x\nlast\n"))
    (agent-q-fs-ui-tests--grep "x")
    (agent-q-fs-grep-widen)
    (should (equal (concat "f\n     1- 1\n     2: 2 x\n     3- 3\n     4: 4 x\n     5- 5\n    --\n"
                           "     8- 8\n     9: 9 x\ng\n     1: x\n     2- last\n")
                   (agent-q-fs-ui-tests--settle)))
    (should (string-search "1 around" (agent-q-fs-ui-tests--header)))
    ;; The keys go from match to match, and a line in between can be visited.
    (goto-char (point-min))
    (dotimes (_ 3) (agent-q-fs-grep-next))
    (should (looking-at "     9: "))
    (forward-line -1)
    (agent-q-fs-ui-open)
    (should (equal '("f" 8) (list (file-name-nondirectory buffer-file-name)
                                  (line-number-at-pos))))
    (set-buffer "*agent-q-fs grep*")
    (agent-q-fs-grep-narrow 5)
    (should (equal "f\n     2: 2 x\n     4: 4 x\n     9: 9 x\ng\n     1: x\n"
                   (agent-q-fs-ui-tests--settle)))))

(ert-deftest agent-q-fs-hand/grep-cut ()
  "Where not all lines are shown, the header says how many there are, and more can be had."
  (agent-q-fs-ui-tests--with ('("f" "x\nx\nx\n") '("g" "x\nx\n"))
    (let ((agent-q-fs-grep-limit 2))
      (agent-q-fs-ui-tests--grep "x")
      (agent-q-fs-ui-tests--settle)
      (should (string-search "2 of 5 lines in 2 files shown" (agent-q-fs-ui-tests--header)))
      (agent-q-fs-grep-more)
      (agent-q-fs-ui-tests--settle)
      (should (string-search ": 5 lines in 2 files" (agent-q-fs-ui-tests--header))))))

(ert-deftest agent-q-fs-hand/grep-several-lists ()
  "A list that was renamed stays; that of another project is not taken away."
  (agent-q-fs-ui-tests--with ('("f" "x\ny\n"))
    (agent-q-fs-ui-tests--grep "x")
    (rename-uniquely)
    (let ((first (current-buffer)))
      (agent-q-fs-ui-tests--grep "y")
      (should-not (eq first (current-buffer)))
      (should (string-search "1: x" (with-current-buffer first (buffer-string))))
      (let ((second (current-buffer))
            (other (agent-q-fs-open :root (agent-q-fs-ui-root))))
        (unwind-protect
            (let ((agent-q-fs-workspace other))
              (with-temp-buffer
                (agent-q-fs-ui-tests--grep "x")
                (should-not (eq second (current-buffer)))
                (should (string-search "2: y" (with-current-buffer second (buffer-string))))))
          (agent-q-fs-close other))))))

(ert-deftest agent-q-fs-hand/not-modified ()
  "No list looks as if it had to be saved."
  (agent-q-fs-ui-tests--with ('("f" "x\n"))
    (agent-q-fs-ui-tests--grep "x")
    (should-not (buffer-modified-p))
    (agent-q-fs-ui-tests--tree)
    (should-not (buffer-modified-p))
    (agent-q-fs-tree-mark-regexp "f")
    (should-not (buffer-modified-p))
    (agent-q-fs-view "f")
    (should-not (buffer-modified-p))))


;;;; Editing lines

(defun agent-q-fs-hand-tests--edit (line text)
  "In the list of lines, make TEXT of what is behind the number on LINE of the list."
  (goto-char (point-min))
  (forward-line (1- line))
  (forward-char 8)
  (delete-region (point) (line-end-position))
  (insert text))

(ert-deftest agent-q-fs-hand/edit ()
  "Edits of several files are done at once; lines can be added and deleted."
  (agent-q-fs-ui-tests--with ('("a" "one x\ntwo\nthree x\nfour x") '("b c" "ä x\r\nother\r\n"))
    (agent-q-fs-ui-tests--grep "x")
    (agent-q-fs-grep-edit)
    (agent-q-fs-hand-tests--edit 6 "Ä")
    (agent-q-fs-hand-tests--edit 4 "FOUR")
    (forward-line -1)
    (agent-q-fs-grep-edit-delete)
    (agent-q-fs-hand-tests--edit 2 "ONE\nand a half")
    (agent-q-fs-ui-tests--typing "y" (agent-q-fs-grep-edit-finish))
    (should (equal "ONE\nand a half\ntwo\nFOUR" (agent-q-fs-ui-tests--text "a")))
    (should (equal "Ä\r\nother\r\n"
                   (decode-coding-string (agent-q-fs-ui-tests--text "b c") 'utf-8-unix)))
    (should buffer-read-only)
    (should-not agent-q-fs-grep-edit-mode)
    (agent-q-fs-ui-tests--settle)))

(ert-deftest agent-q-fs-hand/edit-nothing ()
  "Neither n nor an abort changes a file; after an abort the list is as it was."
  (agent-q-fs-ui-tests--with ('("a" "one x\ntwo x\n"))
    (let ((list (agent-q-fs-ui-tests--grep "x")))
      (agent-q-fs-grep-edit)
      (agent-q-fs-hand-tests--edit 2 "ONE")
      (agent-q-fs-ui-tests--typing "n"
        (should-error (agent-q-fs-grep-edit-finish) :type 'user-error))
      (should agent-q-fs-grep-edit-mode)
      (agent-q-fs-grep-edit-abort)
      (should (equal list (buffer-substring-no-properties (point-min) (point-max))))
      (should (equal "one x\ntwo x\n" (agent-q-fs-ui-tests--text "a")))
      (goto-char (point-min))
      (agent-q-fs-grep-next 2)
      (agent-q-fs-ui-open)
      (should (= 2 (line-number-at-pos))))))

(ert-deftest agent-q-fs-hand/edit-only-lines ()
  "Numbers, names of files and lines that are shown otherwise cannot be edited."
  (agent-q-fs-ui-tests--with ('("a" "one x\nx \u202e hidden\n"))
    (agent-q-fs-ui-tests--grep "x")
    (agent-q-fs-grep-edit)
    (dolist (place (list 1 2 4 8 (- (point-max) 3) (point-max)))
      (goto-char place)
      (should (equal (cons place 'text-read-only)
                     (cons place (condition-case problem (insert "y") (error (car problem)))))))
    (agent-q-fs-hand-tests--edit 2 "")
    (insert "new")
    (agent-q-fs-ui-tests--typing "y" (agent-q-fs-grep-edit-finish))
    (should (equal "new\nx \u202e hidden\n"
                   (decode-coding-string (agent-q-fs-ui-tests--text "a") 'utf-8-unix)))
    (agent-q-fs-ui-tests--settle)))

(ert-deftest agent-q-fs-hand/edit-around ()
  "Lines around matches can be edited, too; those that are empty stay so, or get a text."
  (agent-q-fs-ui-tests--with ('("a" "\none x\n\n\ntwo\n"))
    (agent-q-fs-ui-tests--grep "x")
    (agent-q-fs-grep-widen 2)
    (agent-q-fs-ui-tests--settle)
    (agent-q-fs-grep-edit)
    (agent-q-fs-hand-tests--edit 3 "ONE")
    (agent-q-fs-ui-tests--typing "y" (agent-q-fs-grep-edit-finish))
    (should (equal "\nONE\n\n\ntwo\n" (agent-q-fs-ui-tests--text "a")))
    (agent-q-fs-ui-tests--settle)
    (agent-q-fs-ui-tests--grep "O")
    (agent-q-fs-grep-widen 2)
    (agent-q-fs-ui-tests--settle)
    (agent-q-fs-grep-edit)
    (agent-q-fs-hand-tests--edit 4 "new")
    (agent-q-fs-ui-tests--typing "y" (agent-q-fs-grep-edit-finish))
    (should (equal "\nONE\nnew\n\ntwo\n" (agent-q-fs-ui-tests--text "a")))
    (agent-q-fs-ui-tests--settle)))

(ert-deftest agent-q-fs-hand/edit-stale ()
  "Where a line is not any more what the list shows, nothing is done in any file."
  (agent-q-fs-ui-tests--with ('("a" "one x\n") '("b" "two x\n"))
    (agent-q-fs-ui-tests--grep "x")
    (agent-q-fs-grep-edit)
    (agent-q-fs-hand-tests--edit 2 "ONE")
    (agent-q-fs-hand-tests--edit 4 "TWO")
    (write-region "zero\ntwo x\n" nil (agent-q-fs-ui-file "b") nil 'quiet)
    (should-error (agent-q-fs-grep-edit-finish) :type 'user-error)
    (should (equal "one x\n" (agent-q-fs-ui-tests--text "a")))
    (should (equal "zero\ntwo x\n" (agent-q-fs-ui-tests--text "b")))
    (should agent-q-fs-grep-edit-mode)))


;;;; The tree

(defun agent-q-fs-hand-tests--prefixes ()
  "Return what stands before the lines of the tree below its top."
  (let (prefixes)
    (save-excursion
      (goto-char (point-min))
      (while (zerop (forward-line))
        (unless (eobp)
          (push (substring-no-properties (get-text-property (point) 'line-prefix)) prefixes))))
    (nreverse prefixes)))

(ert-deftest agent-q-fs-hand/tree-marks ()
  "Marked files are deleted by one answer; what was not marked stays."
  (agent-q-fs-ui-tests--with ('("a" "") '("b" "") '("c" "") '("d/e" ""))
    (agent-q-fs-ui-tests--tree)
    (agent-q-fs-tree-goto "a")
    (agent-q-fs-tree-flag)
    (should (looking-at "b"))
    (agent-q-fs-tree-flag)
    (agent-q-fs-tree-flag)
    (agent-q-fs-tree-goto "b")
    (agent-q-fs-tree-unmark)
    (should (equal '("D  " "   " "D  " "   ") (agent-q-fs-hand-tests--prefixes)))
    (agent-q-fs-ui-tests--typing "n"
      (should-error (agent-q-fs-tree-execute) :type 'user-error))
    (should (agent-q-fs-ui-tests--text "a"))
    (agent-q-fs-ui-tests--typing "y" (agent-q-fs-tree-execute))
    (agent-q-fs-ui-tests--settle)
    (should (equal '("    b  0" "  + d/  0") (agent-q-fs-ui-tests--lines)))
    (should-error (agent-q-fs-tree-execute) :type 'user-error)
    (agent-q-fs-tree-mark-regexp "b")
    (should (equal '("*  " "   ") (agent-q-fs-hand-tests--prefixes)))
    (should (equal '("b") (agent-q-fs-ui-marked)))
    (agent-q-fs-tree-unmark-all)
    (should (equal '("   " "   ") (agent-q-fs-hand-tests--prefixes)))
    (goto-char (point-min))
    (should-error (agent-q-fs-tree-mark) :type 'user-error)))

(ert-deftest agent-q-fs-hand/tree-copy-move-mkdir ()
  (agent-q-fs-ui-tests--with ('("a" "1") '("b" "2"))
    (agent-q-fs-ui-tests--tree)
    (agent-q-fs-tree-goto "a")
    (agent-q-fs-ui-tests--typing "y" (agent-q-fs-tree-copy "c"))
    (agent-q-fs-ui-tests--settle)
    (should (looking-at "c"))
    (agent-q-fs-ui-tests--typing "y" (agent-q-fs-tree-mkdir "d/e"))
    (agent-q-fs-ui-tests--settle)
    (should (looking-at "e/"))
    (agent-q-fs-tree-goto "a")
    (agent-q-fs-tree-mark)
    (agent-q-fs-tree-mark)
    (cl-letf (((symbol-function 'completing-read) (lambda (&rest _) "d/")))
      (agent-q-fs-ui-tests--typing "y" (call-interactively #'agent-q-fs-tree-move)))
    (agent-q-fs-ui-tests--settle)
    (should (equal '("    c  1" "  - d/  2" "      a  1" "      b  1" "    + e/  0")
                   (agent-q-fs-ui-tests--lines)))))

(ert-deftest agent-q-fs-hand/tree-new-file ()
  "The text of a new file is written in a buffer, and the tree goes to the file."
  (agent-q-fs-ui-tests--with ('("a" "1"))
    (agent-q-fs-ui-tests--tree)
    (let ((tree (current-buffer)))
      (agent-q-fs-tree-create "new.el")
      (should (derived-mode-p 'emacs-lisp-mode))
      (insert "(provide 'new)")
      (agent-q-fs-ui-tests--typing "n"
        (should-error (agent-q-fs-change-write-finish) :type 'user-error))
      (should (equal "(provide 'new)" (buffer-string)))
      (let ((buffer (current-buffer)))
        (agent-q-fs-ui-tests--typing "y" (agent-q-fs-change-write-finish))
        (should-not (buffer-live-p buffer)))
      (should (equal "(provide 'new)\n" (agent-q-fs-ui-tests--text "new.el")))
      (set-buffer tree)
      (agent-q-fs-ui-tests--settle)
      (should (looking-at "new\\.el")))))

(ert-deftest agent-q-fs-hand/tree-stays ()
  "Reading the tree again leaves the window where it was."
  (agent-q-fs-ui-tests--with nil
    (let ((default-directory (agent-q-fs-ui-root)))
      (dotimes (i 200) (write-region "" nil (format "f%03d" i) nil 'quiet)))
    (agent-q-fs-ui-tests--tree)
    (switch-to-buffer (current-buffer))
    (agent-q-fs-tree-goto "f105")
    (set-window-start nil (save-excursion (agent-q-fs-tree-goto "f100")
                                          (line-beginning-position)))
    (delete-file (agent-q-fs-ui-file "f003"))
    (revert-buffer)
    (agent-q-fs-ui-tests--settle)
    (should (looking-at "f105"))
    (should (equal "f100" (get-text-property (window-start) 'agent-q-fs-path)))))

(ert-deftest agent-q-fs-hand/tree-git ()
  "The state that git gives files stands before their lines, and in directories a point."
  (unless (executable-find "git") (ert-skip "There is no git"))
  (agent-q-fs-ui-tests--with ('("a" "1\n") '("d/b" "2\n") '("d/c" "3\n"))
    (let ((default-directory (agent-q-fs-ui-root)))
      (dolist (arguments '(("init" "-q") ("add" "-A")
                           ("-c" "user.name=n" "-c" "user.email=e" "commit" "-qm" "m")))
        (should (zerop (apply #'call-process "git" nil nil nil arguments)))))
    (write-region "x" nil (agent-q-fs-ui-file "d/b") nil 'quiet)
    (write-region "x" nil (agent-q-fs-ui-file "new") nil 'quiet)
    (agent-q-fs-ui-tests--tree)
    (agent-q-fs-tree-toggle-all)
    (agent-q-fs-test-until (not (process-live-p agent-q-fs-tree--git-process)))
    (agent-q-fs-test-until (gethash "new" agent-q-fs-tree--git))
    (should (equal '(("a" . "   ") ("b" . " M ") ("c" . "   ") ("d" . " . ") ("new" . " ? "))
                   (sort (cl-mapcar (lambda (line prefix)
                                      (cons (replace-regexp-in-string "/?  [0-9]+\\'\\|[ +-]*" ""
                                                                      line)
                                            prefix))
                                    (agent-q-fs-ui-tests--lines)
                                    (agent-q-fs-hand-tests--prefixes))
                         (lambda (a b) (string< (car a) (car b))))))
    (let ((process agent-q-fs-tree--git-process))
      (kill-buffer)
      (should-not (process-live-p process)))))

(ert-deftest agent-q-fs-hand/tree-bookmark ()
  "A bookmark goes back to the file in the tree."
  (agent-q-fs-ui-tests--with ('("d/a" "") '("d/b" ""))
    (let ((bookmark-alist nil) (bookmark-save-flag nil))
      (agent-q-fs-ui-tests--tree)
      (agent-q-fs-tree-toggle-all)
      (agent-q-fs-tree-goto "d/b")
      (bookmark-set "here")
      (kill-buffer)
      (let ((agent-q-fs-workspace nil)) (bookmark-jump "here"))
      (agent-q-fs-ui-tests--settle)
      (should (derived-mode-p 'agent-q-fs-tree-mode))
      (should (looking-at "b"))
      (agent-q-fs-close agent-q-fs-ui--workspace))))


;;;; Dired, and words

(ert-deftest agent-q-fs-hand/dired-marks ()
  "The commands take the files that are marked in Dired."
  (agent-q-fs-ui-tests--with ('("a" "") '("b" "") '("c" ""))
    (dired (agent-q-fs-ui-root))
    (dired-mark-files-regexp "\\`[ac]\\'")
    (agent-q-fs-ui-tests--typing "y" (call-interactively #'agent-q-fs-delete))
    (should (equal '(nil "" nil) (mapcar #'agent-q-fs-ui-tests--text '("a" "b" "c"))))))

(ert-deftest agent-q-fs-hand/sentences ()
  "A person is told what is done, not which tool does it."
  (agent-q-fs-ui-tests--with ('("notes.txt" "1\n2\n") '("d/x" ""))
    (let (asked)
      (cl-letf (((symbol-function 'agent-q-fs-change--read)
                 (lambda (_ question) (push question asked) nil)))
        (dolist (form '((agent-q-fs-insert "notes.txt" 1 "a\nb\nc")
                        (agent-q-fs-create "new" "x\n")
                        (agent-q-fs-str-replace "notes.txt" "1" "2")
                        (agent-q-fs-move "notes.txt" "n")
                        (agent-q-fs-copy "notes.txt" "n")
                        (agent-q-fs-mkdir "e")
                        (agent-q-fs-delete "d")
                        (agent-q-fs-delete ("notes.txt" "d"))))
          (should-error (apply form) :type 'user-error)))
      (should (equal '("Edit notes.txt (+3 -0)?" "Create new (1 line)?"
                       "Edit notes.txt (+1 -1)?" "Move notes.txt to n?" "Copy notes.txt to n?"
                       "Make the directory e/?" "Delete d/ and 1 entry in it?"
                       "Delete notes.txt (2 lines) and do 1 more?")
                     (nreverse asked))))))


;;;; Beside other packages

(defconst agent-q-fs-hand-tests--elpa
  (append (file-expand-wildcards "/usr/share/emacs/site-lisp/elpa/*" t)
          (file-expand-wildcards "/usr/share/emacs/site-lisp/elpa-src/*" t))
  "Where Debian has packages for Emacs.")

(defun agent-q-fs-hand-tests--elsewhere (features form)
  "Return the value of FORM in an Emacs with FEATURES, or skip this test."
  (unless (let ((load-path agent-q-fs-hand-tests--elpa))
            (seq-every-p (lambda (feature) (locate-library (symbol-name feature))) features))
    (ert-skip (format "Some of %s is missing" features)))
  (agent-q-fs-test-in-emacs
   `(let ((load-path (append load-path ',agent-q-fs-hand-tests--elpa)))
      (mapc #'require ',features)
      ,form)))

(ert-deftest agent-q-fs-hand/embark ()
  "Embark acts on the true file, with its own actions and ours, and exports to Dired."
  (should
   (equal '((agent-q-fs-file . "/p/a/b") t t embark-export-dired)
          (agent-q-fs-hand-tests--elsewhere
           '(embark)
           '(progn
              (require 'agent-q-fs-find)
              (agent-q-fs-embark-setup)
              (agent-q-fs-embark-setup)
              (let* ((default-directory "/p/")
                     (map (embark--action-keymap 'agent-q-fs-file nil)))
                (list (funcall (alist-get 'agent-q-fs-file embark-transformer-alist)
                               'agent-q-fs-file "a/b")
                      (eq 'agent-q-fs-view (lookup-key map "V"))
                      (eq 'find-file (lookup-key map "f"))
                      (alist-get 'agent-q-fs-file embark-exporters-alist))))))))

(ert-deftest agent-q-fs-hand/orderless ()
  "With orderless, one finds by its expressions, after our words or instead of them."
  (should
   (equal '(("src/tree.el") ("src/tree.el"))
          (agent-q-fs-hand-tests--elsewhere
           '(orderless)
           '(progn
              (require 'agent-q-fs-find)
              (setq completion-styles '(orderless))
              (let ((table (agent-q-fs-find-table "/p/" '("src/tree.el" "tree/src.c"))))
                (cl-flet ((found (string)
                            (let ((found (completion-all-completions
                                          string table nil (length string))))
                              (setcdr (last found) nil)
                              (mapcar #'substring-no-properties found))))
                  (list (found "el$ ^src")
                        (let ((completion-category-overrides
                               '((agent-q-fs-file (styles orderless)))))
                          (found "tree el"))))))))))

(ert-deftest agent-q-fs-hand/context-menu ()
  "A click with the right button offers commands for the file on that line."
  (agent-q-fs-ui-tests--with ('("a" ""))
    (agent-q-fs-ui-tests--tree)
    (agent-q-fs-tree-goto "a")
    (cl-letf (((symbol-function 'mouse-set-point) #'ignore))
      (let ((menu (agent-q-fs-ui--context-menu (make-sparse-keymap) nil)))
        (should (lookup-key menu [agent-q-fs-ui-dired]))
        (goto-char (point-max))
        (should-not (lookup-key (agent-q-fs-ui--context-menu (make-sparse-keymap) nil)
                                [agent-q-fs-ui-dired]))))))

(ert-deftest agent-q-fs-hand/quit-while-waiting ()
  "Quitting a call that takes long ends it; no descriptor, thread or file is left."
  (agent-q-fs-ui-tests--with nil
    (let ((default-directory (agent-q-fs-ui-root)))
      (agent-q-fs-test-long-grep 200 20))
    (let* ((held (agent-q-fs-test-held))
           ;; Other Emacsen use the usual one.
           (temporary-file-directory (file-name-as-directory (make-temp-file "aqfs-quit-" t)))
           (temporary (directory-files temporary-file-directory))
           (buffers (buffer-list)))
      (cl-letf (((symbol-function 'accept-process-output) (lambda (&rest _) (signal 'quit nil))))
        (dolist (call (list (lambda ()
                              (agent-q-fs-ui-call "Searching..." ws "grep_files"
                                                  '(:pattern "(x+)+needle$" :limit 1000000)))
                            (lambda () (agent-q-fs-snapshot-now "a"))
                            (lambda () (agent-q-fs-delete "f0"))))
          (should (eq 'quit (condition-case nil (funcall call) (quit 'quit))))))
      (should (equal held (agent-q-fs-test-held-again held)))
      (should (equal temporary (directory-files temporary-file-directory)))
      (should-not (seq-difference (buffer-list) buffers))
      (should (agent-q-fs-ui-tests--text "f0")))))

(ert-deftest agent-q-fs-hand/words-for-people ()
  "Errors do not speak of tools and their arguments."
  (agent-q-fs-ui-tests--with ('("bin" "a\0b") '("t" "one\ntwo\none\n"))
    (pcase-dolist
        (`(,form ,words)
         '(((agent-q-fs-view "bin") "bin is a binary file (application/octet-stream): it has no \
text to show or change")
           ((agent-q-fs-str-replace "t" "zwei" "2") "That text does not occur in the file, and \
nothing like it\nnothing was changed")
           ((agent-q-fs-str-replace "t" "one" "2") "That text occurs 2 times, on lines 1, 3\n\
Give more of what is around it, until it occurs once")
           ((agent-q-fs-str-replace "t" "one" "one") "Both texts are the same: there is nothing \
to change")
           ((agent-q-fs-insert "t" 99 "x") "There is no line 99: the file has 3 lines")
           ((agent-q-fs-insert "t" 1 "") "The text is empty: there is nothing to insert")
           ((with-temp-buffer (insert "no") (agent-q-fs-apply-patch-here 1 3))
            "There is no patch here")))
      (should (equal words (cadr (should-error (eval form t) :type 'user-error)))))))

(provide 'agent-q-fs-hand-tests)
;;; agent-q-fs-hand-tests.el ends here
