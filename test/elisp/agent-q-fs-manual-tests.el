;;; agent-q-fs-manual-tests.el --- Tests of the examples in the manual  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Every block of Emacs Lisp in doc/manual.org and README.org is evaluated, from
;; the first to the last, and compared with what stands behind its forms:
;;
;;     ;; => VALUE                    what the form returns, as `equal' has it; it
;;     ;; goes on in further lines
;;     ;; | TEXT                      the text that it returns, line by line
;;     ;; signals SYMBOL: MESSAGE     the error that it signals; the message, which
;;     ;; goes on in further lines, may be left out
;;
;; A block with `:eval no' is left alone.  ~/tour/ and /path/to/agent-q-fs stand for
;; directories that are made for the test.  The blocks of Common Lisp are run by
;; test/lisp/manual-tests.lisp.

;;; Code:

(require 'agent-q-fs-test-help)
(require 'agent-q-fs-tools)
(require 'agent-q-fs-spec)
(require 'agent-q-fs-log)
(require 'agent-q-fs-prompt)
(require 'agent-q-fs-show)
(require 'agent-q-fs-exec-isolate)
(require 'agent-q-fs-job)
(require 'json)

(defun agent-q-fs-manual-test--sources ()
  "Return the directory of the sources, or skip the test."
  (or (locate-dominating-file default-directory "module/include/aqfs.h")
      (ert-skip "The sources are not here")))


;;;; Examples

(defun agent-q-fs-manual-test--blocks (file language)
  "Return the blocks of LANGUAGE in FILE as (LINE . TEXT), not indented."
  (with-temp-buffer
    (insert-file-contents file)
    (let (blocks)
      (while (re-search-forward (format "^\\([ \t]*\\)#\\+begin_src %s\\(.*\\)\n" language) nil t)
        (let ((eval (not (string-search ":eval no" (match-string 2))))
              (line (line-number-at-pos))
              (start (point))
              (indent (+ 2 (length (match-string 1)))))
          (re-search-forward "^[ \t]*#\\+end_src")
          (when eval
            (push (cons line
                        (replace-regexp-in-string
                         (format "^ \\{1,%d\\}" indent) ""
                         (buffer-substring start (line-beginning-position))))
                  blocks))))
      (nreverse blocks))))

(defun agent-q-fs-manual-test--comment ()
  "Return the lines of comment that begin the line at point, and go behind them."
  (let (lines)
    (while (looking-at ";; ?\\(.*\\)\n?")
      (push (match-string-no-properties 1) lines)
      (goto-char (match-end 0)))
    (nreverse lines)))

(defun agent-q-fs-manual-test--expected ()
  "Return the expectation behind the form before point: (KIND . WHAT), or nil."
  (skip-chars-forward " \t\n")
  (let ((lines (agent-q-fs-manual-test--comment)))
    (pcase (car lines)
      ((pred (equal nil)) nil)
      ((and (pred (string-prefix-p "=> ")) first)
       (cons 'value (car (read-from-string
                          (string-join (cons (substring first 3) (cdr lines)) "\n")))))
      ((pred (string-prefix-p "| "))
       (cons 'text (mapconcat (lambda (line) (string-remove-prefix "|" line)) lines "\n")))
      ((and (pred (string-prefix-p "signals ")) first)
       (let ((words (string-join (cons (substring first 8) (cdr lines)) " ")))
         (string-match "\\`\\([^ :]+\\)\\(?:: +\\)?\\(\\(?:.\\|\n\\)*\\)" words)
         (list 'signals (intern (match-string 1 words))
               (replace-regexp-in-string "[ \n]+" " " (match-string 2 words))))))))

(defun agent-q-fs-manual-test--found (form kind)
  "Return the result of FORM in the representation of KIND of expectation."
  (if (eq kind 'signals)
      (condition-case problem
          (progn (eval form t) '(signals nil ""))
        (error (list 'signals (car problem)
                     (replace-regexp-in-string "[ \n]+" " "
                                               (or (plist-get (cdr problem) :message) "")))))
    (let ((value (eval form t)))
      (pcase kind
        ('text (cons 'text (mapconcat (lambda (line) (if (equal line "") "" (concat " " line)))
                                      (split-string (string-trim-right value) "\n")
                                      "\n")))
        (_ (cons 'value value))))))

(defvar agent-q-fs-manual-test--set nil
  "Variables that examples have set.")

(defun agent-q-fs-manual-test--noted (form)
  "Return FORM, after noting the variable that it sets."
  (when (eq 'setq (car-safe form))
    (push (cadr form) agent-q-fs-manual-test--set))
  form)

(defun agent-q-fs-manual-test--check-block (file line text)
  "Evaluate TEXT, a block at LINE of FILE; return a list of failures."
  (with-temp-buffer
    (emacs-lisp-mode)
    (insert text)
    (goto-char (point-min))
    (let (problems)
      (while (progn (forward-comment (buffer-size)) (not (eobp)))
        (let* ((at (+ line (line-number-at-pos)))
               (form (agent-q-fs-manual-test--noted (read (current-buffer))))
               (expected (agent-q-fs-manual-test--expected))
               (found (condition-case problem
                          (agent-q-fs-manual-test--found form (car expected))
                        (error (list 'signals problem)))))
          (when (and (eq 'signals (car expected)) (equal "" (nth 2 expected)))
            (setq found (list 'signals (nth 1 found) "")))
          (unless (or (equal expected found)
                      (and (null expected) (eq 'value (car found))))
            (push (list (format "%s:%d" (file-name-nondirectory file) at)
                        :expected expected :found found)
                  problems))))
      (nreverse problems))))

(defun agent-q-fs-manual-test--check-file (file places)
  "Return the failures of the examples in FILE.
PLACES is an alist of names in the text and the directories they stand for."
  (cl-loop for (line . text) in (agent-q-fs-manual-test--blocks file "elisp")
           nconc (agent-q-fs-manual-test--check-block
                  file line
                  (seq-reduce (lambda (text place)
                                (string-replace (car place) (cdr place) text))
                              places text))))

(defun agent-q-fs-manual-test--examples (name places copied)
  "Fail unless the examples in the file NAME of the sources are right.
PLACES are directories by what they are called there, below one that is
made, and where the files COPIED are copied to the first of them."
  (let* ((sources (agent-q-fs-manual-test--sources))
         (base (file-name-as-directory (file-truename (make-temp-file "aqfs-" t))))
         (places (mapcar (lambda (place) (cons (car place) (concat base (cdr place)))) places))
         (default-directory base)
         (load-path load-path)
         (agent-q-fs-state-directory (concat base "state/"))
         (agent-q-fs-workspace nil)
         (agent-q-fs-open-options nil)
         (agent-q-fs-policy 'tiered)
         (agent-q-fs-denied nil)
         (agent-q-fs-unattended-function nil)
         (agent-q-fs-tools--defined agent-q-fs-tools--defined)
         (agent-q-fs-event-functions nil)
         (agent-q-fs-manual-test--set nil))
    (unwind-protect
        (progn
          (dolist (file copied)
            (let ((to (expand-file-name file (cdar places))))
              (make-directory (file-name-directory to) t)
              (copy-file (expand-file-name file sources) to)))
          (should-not (agent-q-fs-manual-test--check-file (expand-file-name name sources)
                                                          places)))
      (mapc #'makunbound agent-q-fs-manual-test--set) ; and workspaces are garbage
      (delete-directory base t))))

(ert-deftest agent-q-fs-manual/examples-of-the-manual ()
  (agent-q-fs-manual-test--examples
   "doc/manual.org" '(("~/tour" . "tour") ("/home/you/tour" . "tour")) nil))

(ert-deftest agent-q-fs-manual/examples-of-the-readme ()
  (agent-q-fs-manual-test--examples
   "README.org" '(("/path/to/agent-q-fs" . "sources")) '("LICENSE" "module/include/aqfs.h")))

(ert-deftest agent-q-fs-manual/examples-are-looked-at ()
  "A wrong example would be seen."
  (let ((check (lambda (text) (agent-q-fs-manual-test--check-block "x" 0 text))))
    (should-not (funcall check "(+ 1 1)\n;; => 2\n(+ 1 1)\n;; two\n\"a\\nb\\n\"\n;; | a\n;; | b\n"))
    (should-not (funcall check "(signal 'agent-q-fs-stale '(:message \"a b\"))\n\
;; signals agent-q-fs-stale: a\n;; b\n"))
    (should (funcall check "(+ 1 1)\n;; => 3\n"))
    (should (funcall check "(+ 1 1)\n\n;; => 3\n"))
    (should (funcall check "(list 1\n;; x\n2)\n;; => (1\n;; 3)\n"))
    (should (funcall check "\"a\"\n;; | b\n"))
    (should (funcall check "1\n;; signals error\n"))
    (should (funcall check "(error \"x\")\n"))
    (should (funcall check "(signal 'agent-q-fs-stale '(:message \"a\"))\n\
;; signals agent-q-fs-stale: b\n"))))


(ert-deftest agent-q-fs-manual/example-in-c ()
  "The program in the manual prints the output that stands below it."
  (let* ((sources (agent-q-fs-manual-test--sources))
         (module (expand-file-name "build/agent-q-fs-module.so" sources))
         (cc (or (executable-find "cc") (executable-find "gcc")))
         (blocks (agent-q-fs-manual-test--blocks (expand-file-name "doc/manual.org" sources) "c")))
    (unless (and cc (file-exists-p module))
      (ert-skip "There is no compiler, or no shared object"))
    (should (= 1 (length blocks)))
    (agent-q-fs-test-with-tree (_ws '("notes.txt" "one\n"))
      (let* ((elsewhere (file-name-as-directory (make-temp-file "aqfs-" t)))
             (source (concat elsewhere "example.c"))
             (program (concat elsewhere "example")))
        (unwind-protect
            (with-temp-buffer
              (write-region (string-replace "/home/you/tour" (directory-file-name default-directory)
                                            (cdar blocks))
                            nil source nil 'quiet)
              (unless (eql 0 (call-process cc nil t nil "-Wall" "-Wextra" "-Werror" "-I"
                                           (expand-file-name "module/include" sources)
                                           "-o" program source module
                                           (concat "-Wl,-rpath," (file-name-directory module))))
                (ert-fail (buffer-string)))
              (erase-buffer)
              (should (eql 0 (call-process program nil t)))
              (goto-char (point-min))
              (should (equal "one\n" (cdr (assq 'content (json-read))))))
          (delete-directory elsewhere t))))))


(ert-deftest agent-q-fs-manual/can-be-exported ()
  "Every link in the manual leads somewhere, and every part of it is there."
  (let* ((sources (agent-q-fs-manual-test--sources))
         (destination (make-temp-file "aqfs-" nil ".texi")))
    (unwind-protect
        (with-temp-buffer
          (unless (eql 0 (call-process (expand-file-name invocation-name invocation-directory)
                                       nil t nil "-Q" "--batch" "-l"
                                       (expand-file-name "scripts/texinfo.el" sources)
                                       (expand-file-name "doc/manual.org" sources) destination))
            (ert-fail (buffer-string)))
          (erase-buffer)
          (insert-file-contents destination)
          (dolist (words '("@node Tutorial" "@node .*edit_file" "@node User options"
                           "@printindex cp" "@printindex fn" "@printindex vr"
                           "@direntry"))
            (goto-char (point-min))
            (should (re-search-forward words nil t))))
      (delete-file destination))))


;;;; The reference

(ert-deftest agent-q-fs-manual/reference-is-what-the-code-says ()
  (let ((sources (agent-q-fs-manual-test--sources)))
    (load (expand-file-name "scripts/manual-reference.el" sources) nil t)
    (with-temp-buffer
      (insert-file-contents (expand-file-name "doc/reference.org" sources))
      (unless (equal (buffer-string) (funcall (intern "manual-reference-text")))
        (ert-fail "The code has changed: run make reference")))))

(ert-deftest agent-q-fs-manual/protected-is-what-the-code-says ()
  (let ((sources (agent-q-fs-manual-test--sources)))
    (load (expand-file-name "scripts/manual-reference.el" sources) nil t)
    (with-temp-buffer
      (insert-file-contents (expand-file-name "doc/protected.org" sources))
      (unless (equal (buffer-string) (funcall (intern "manual-reference-protected")))
        (ert-fail "The code has changed: run make reference")))))

(ert-deftest agent-q-fs-manual/secrets-are-what-the-code-says ()
  (let ((sources (agent-q-fs-manual-test--sources)))
    (load (expand-file-name "scripts/manual-reference.el" sources) nil t)
    (with-temp-buffer
      (insert-file-contents (expand-file-name "doc/secrets.org" sources))
      (unless (equal (buffer-string) (funcall (intern "manual-reference-secrets")))
        (ert-fail "The code has changed: run make reference")))))


;;;; Names

(ert-deftest agent-q-fs-manual/names-exist ()
  "Every agent-q-fs-SOMETHING in the manual and README.org exists."
  (dolist (file '("doc/manual.org" "README.org"))
    (with-temp-buffer
      (insert-file-contents (expand-file-name file (agent-q-fs-manual-test--sources)))
      ;; Names of Common Lisp are not ours.
      (flush-lines "agent-q-fs:\\|^#\\+\\(?:texinfo\\|title\\)")
      (while (re-search-forward "\\_<agent-q-fs-[a-z0-9-]+[a-z0-9]\\_>\\(\\.el\\|\\.so\\)?" nil t)
        (let ((symbol (intern (match-string 0))))
          (unless (or (fboundp symbol) (boundp symbol) (get symbol 'error-conditions)
                      (featurep symbol) (get symbol 'cl--class) (get symbol 'custom-group)
                      (locate-library (match-string 0))
                      (string-suffix-p ".so" (match-string 0)))
            (ert-fail (format "%s: there is no %s" file symbol))))))))

(ert-deftest agent-q-fs-manual/sets-are-the-catalogues ()
  "The manual's table of sets says what the catalogue says."
  (with-temp-buffer
    (insert-file-contents (expand-file-name "doc/manual.org" (agent-q-fs-manual-test--sources)))
    (dolist (set (plist-get (agent-q-fs-catalogue) :sets))
      (goto-char (point-min))
      (should (re-search-forward (format "^| =%s= *| %s *| *%d |$" (plist-get set :name)
                                         (regexp-quote (plist-get set :doc))
                                         (plist-get set :bytes))
                                 nil t)))))

(ert-deftest agent-q-fs-manual/keywords-of-options-exist ()
  "The reference has every option of a workspace and every limit."
  (with-temp-buffer
    (insert-file-contents (expand-file-name "doc/reference.org"
                                            (agent-q-fs-manual-test--sources)))
    (let ((case-fold-search nil)
          (said (lambda (words)
                  (goto-char (point-min))
                  (search-forward words nil t))))
      (dolist (options '((:nonsense t) (:limits (:nonsense 1))))
        (let ((message (agent-q-fs-test-message (apply #'agent-q-fs-open options))))
          (should (string-match "expected \\(.*\\)" message))
          (dolist (name (split-string (match-string 1 message) ", "))
            (should (or (funcall said (format "- =%s= (" name))
                        (funcall said (format "| =%s= |" name))))))))))

(provide 'agent-q-fs-manual-tests)
;;; agent-q-fs-manual-tests.el ends here
