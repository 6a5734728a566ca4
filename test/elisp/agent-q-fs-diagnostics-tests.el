;;; agent-q-fs-diagnostics-tests.el --- Tests of what checkers say of an edit  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Flymake is Emacs' own, with gcc and the byte compiler; Flycheck is taken from FLYCHECK_DIR
;; and Eglot from EGLOT_DIR, with clangd.  Absent ones are skipped.

;;; Code:

(require 'agent-q-fs-test-help)
(require 'agent-q-fs-tools)
(require 'agent-q-fs-diagnostics)
(require 'cl-lib)
(require 'flymake)

(declare-function eglot--guess-contact "ext:eglot" (&optional interactive))
(declare-function eglot-current-server "ext:eglot" ())
(declare-function eglot-shutdown "ext:eglot" (server &rest more))
(declare-function flycheck-mode "ext:flycheck" (&optional arg))
(defvar flycheck-checkers)
(defvar flycheck-current-errors)
(defvar flycheck-check-syntax-automatically)
(defvar flycheck-last-status-change)
(defvar flymake-cc-command)
(defvar eglot-server-programs)
(defvar eglot-sync-connect)

(defun agent-q-fs-diagnostics-tests--edit (ws &rest arguments)
  "Return the text of edit_file with ARGUMENTS in WS, called without waiting."
  (let ((agent-q-fs-policy 'never) answer)
    (agent-q-fs-call-tool-async "edit_file" arguments (lambda (text) (setq answer text)) ws)
    (agent-q-fs-test-until answer)))

(defun agent-q-fs-diagnostics-tests--call-visiting (file function)
  "Call FUNCTION in a buffer that visits FILE."
  (let* ((enable-local-variables nil)
         (buffer (find-file-noselect file)))
    (unwind-protect (with-current-buffer buffer (funcall function))
      (with-current-buffer buffer
        (set-buffer-modified-p nil)
        (kill-buffer buffer)))))

(defmacro agent-q-fs-diagnostics-tests--visiting (file &rest body)
  "Run BODY in a buffer that visits FILE."
  (declare (indent 1))
  `(agent-q-fs-diagnostics-tests--call-visiting ,file (lambda () ,@body)))

(defun agent-q-fs-diagnostics-tests--flymake (backends)
  "Turn on Flymake with BACKENDS alone, and wait until they have reported."
  (setq-local flymake-diagnostic-functions backends
              flymake-no-changes-timeout nil
              flymake-start-on-flymake-mode nil)
  (flymake-mode)
  (flymake-start)
  (agent-q-fs-test-until
   (and (flymake-running-backends)
        (not (seq-difference (flymake-running-backends) (flymake-reporting-backends))))))


;;;; Flymake, with gcc

(defconst agent-q-fs-diagnostics-tests--c "\
int one(void)
{
    return 1 +;
}

int two(void)
{
    return 2;
}

int three(void)
{
    return nothing;
}
"
  "A program with two errors, in its lines 3 and 13.")

(defmacro agent-q-fs-diagnostics-tests--with-c (&rest body)
  "Run BODY in a buffer of a C file with two errors, checked by gcc; ws is the workspace."
  (declare (indent 0))
  `(progn
     (unless (executable-find "gcc")
       (ert-skip "There is no gcc"))
     (agent-q-fs-test-with-tree (ws (list "a.c" agent-q-fs-diagnostics-tests--c))
       (agent-q-fs-diagnostics-tests--visiting "a.c"
         (setq-local flymake-cc-command '("gcc" "-fsyntax-only" "-x" "c" "-"))
         (agent-q-fs-diagnostics-tests--flymake '(flymake-cc))
         (let ((agent-q-fs-diagnostics--seconds 60))
           ,@body)))))

(ert-deftest agent-q-fs-diagnostics/flymake-tells-what-is-new ()
  (agent-q-fs-diagnostics-tests--with-c
    (should (equal '("error" "error") (mapcar #'cadr (agent-q-fs-diagnostics--found))))
    ;; The lines below move, and what is wrong there is not new.
    (let ((text (agent-q-fs-diagnostics-tests--edit
                 ws :path "a.c" :old_str "    return 2;" :new_str "    int x;\n    x = y;\n    return x;")))
      (should (string-match-p "^New diagnostics (flymake):\na\\.c:9: error: .*y" text))
      (should-not (string-search "nothing" text))
      (should-not (string-search "expected expression" text))
      (should (string-search "x = y" (buffer-string))))
    ;; Mending it brings nothing.
    (should (string-search "[flymake: nothing new in a.c]\n"
                           (agent-q-fs-diagnostics-tests--edit
                            ws :path "a.c" :old_str "x = y" :new_str "x = 3")))
    ;; The same fault a second time is new.
    (let ((text (agent-q-fs-diagnostics-tests--edit
                 ws :path "a.c" :old_str "return x;" :new_str "return 1 +;")))
      (should (string-match-p "^a\\.c:10: error: expected expression" text))
      (should-not (string-search "a.c:3:" text)))))

(ert-deftest agent-q-fs-diagnostics/several-edits-apart ()
  "Between two edits, lines are known by their text."
  (agent-q-fs-diagnostics-tests--with-c
    (let ((text (agent-q-fs-diagnostics-tests--edit
                 ws :path "a.c"
                 :edits [(:old_str "int one(void)" :new_str "/* 1 */\nint one(void)")
                         (:old_str "    return nothing;" :new_str "    return nothing;\n    bad;")])))
      (should (string-match-p "^a\\.c:15: error: .*bad" text))
      (should-not (string-search "expected expression" text)))))

(ert-deftest agent-q-fs-diagnostics/not-asked-for ()
  "Nothing is said where the option is nil, nor to a call that waits in Emacs."
  (agent-q-fs-diagnostics-tests--with-c
    (let ((agent-q-fs-diagnostics nil))
      (should-not (string-search "flymake" (agent-q-fs-diagnostics-tests--edit
                                            ws :path "a.c" :old_str "return 2" :new_str "return u"))))
    (let ((agent-q-fs-policy 'never) (began (float-time)))
      (cl-letf (((symbol-function 'agent-q-fs-diagnostics--start)
                 (lambda (_) (ert-fail "A checker was started"))))
        (should (string-prefix-p "Edited" (agent-q-fs-call-tool
                                           "edit_file" '(:path "a.c" :old_str "return u"
                                                               :new_str "return v")
                                           ws))))
      (should began))))

(ert-deftest agent-q-fs-diagnostics/old-text-was-not-checked ()
  "Earlier faults are not known then: the edited lines alone count."
  (agent-q-fs-diagnostics-tests--with-c
    (cl-letf (((symbol-function 'flymake-reporting-backends)
               (let ((real (symbol-function 'flymake-reporting-backends)) (first t))
                 (lambda () (if first (setq first nil) (funcall real))))))
      (let ((text (agent-q-fs-diagnostics-tests--edit
                   ws :path "a.c" :old_str "    return 2;" :new_str "    return z;")))
        (should (string-match-p "^a\\.c:8: error: .*z" text))
        (should-not (string-match-p "a\\.c:\\(3\\|13\\):" text))))))

(ert-deftest agent-q-fs-diagnostics/late ()
  "A checker that does not answer is not waited for longer than is said, and Emacs goes on."
  (agent-q-fs-test-with-tree (ws '("a.txt" "one\n"))
    (agent-q-fs-diagnostics-tests--visiting "a.txt"
      (let ((agent-q-fs-diagnostics--seconds 0.3) (answering t) (ticks 0) timer)
        (agent-q-fs-diagnostics-tests--flymake
         (list (lambda (report &rest _) (when answering (funcall report nil)))))
        (setq answering nil
              timer (run-with-timer 0.01 0.01 (lambda () (setq ticks (1+ ticks)))))
        (unwind-protect
            (progn
              (should (string-search "[the checker of a.txt has not answered in"
                                     (agent-q-fs-diagnostics-tests--edit
                                      ws :path "a.txt" :old_str "one" :new_str "two")))
              (should (< 3 ticks)))
          (cancel-timer timer))))))

(ert-deftest agent-q-fs-diagnostics/words-cannot-lie ()
  "The words of a checker are one line, without control characters, and not too long."
  (agent-q-fs-test-with-tree (ws '("a.txt" "one\n"))
    (agent-q-fs-diagnostics-tests--visiting "a.txt"
      (agent-q-fs-diagnostics-tests--flymake
       (list (lambda (report &rest _)
               (funcall report
                        (and (string-search "two" (buffer-string))
                             (cl-loop for i below 14 collect
                                      (flymake-make-diagnostic
                                       (current-buffer) 1 3 :error
                                       (format "bad\nb.txt:1: \e[31m%s %d" (make-string 500 ?x) i))))))))
      (let ((text (agent-q-fs-diagnostics-tests--edit ws :path "a.txt" :old_str "one"
                                                      :new_str "two")))
        (should (= 10 (agent-q-fs-diagnostics-tests--count text "^a\\.txt:1: error: bad b\\.txt:1: ")))
        (should (string-search "[4 more]\n" text))
        (should-not (string-search "\e" text))
        (should (< (length text) 3500))))))

(defun agent-q-fs-diagnostics-tests--count (text regexp)
  "Return how often REGEXP matches in TEXT."
  (with-temp-buffer (insert text) (how-many regexp (point-min) (point-max))))


(ert-deftest agent-q-fs-diagnostics/in-a-buffer-that-is-not-saved ()
  (agent-q-fs-diagnostics-tests--with-c
    (insert "/* mine */\n")
    (let* ((agent-q-fs-unsaved 'buffer)
           (text (agent-q-fs-diagnostics-tests--edit
                  ws :path "a.c" :old_str "    return 2;" :new_str "    return z;")))
      (should (string-search "is not saved" text))
      (should (string-match-p "^a\\.c:9: error: .*z" text))
      (should-not (string-match-p "a\\.c:\\(4\\|14\\):" text)))))


;;;; The byte compiler, which runs macros

(ert-deftest agent-q-fs-diagnostics/byte-compiler ()
  "It is started where that is wanted, and not else, as it runs what is in the file."
  (agent-q-fs-test-with-tree (ws '("a.el" ";;; -*- lexical-binding: t; -*-\n(defun a ()\n  1)\n"))
    (agent-q-fs-diagnostics-tests--visiting "a.el"
      (setq-local trusted-content :all)
      (agent-q-fs-diagnostics-tests--flymake '(elisp-flymake-byte-compile))
      (let* ((trace (expand-file-name "trace"))
             (form (format "  (eval-when-compile (write-region \"\" nil %S))\n  nope)\n" trace)))
        (should-not (string-search "flymake" (agent-q-fs-diagnostics-tests--edit
                                              ws :path "a.el" :old_str "  1)\n" :new_str form)))
        (should-not (file-exists-p trace))
        (let* ((agent-q-fs-diagnostics 'all)
               (agent-q-fs-diagnostics--seconds 60)
               (text (agent-q-fs-diagnostics-tests--edit
                      ws :path "a.el" :old_str "  nope)\n" :new_str "  nope-2)\n")))
          (should (string-match-p "^a\\.el:4: warning: .*nope-2" text))
          (should (file-exists-p trace)))))))


;;;; Changed forms of Lisp

(ert-deftest agent-q-fs-diagnostics/lisp-notes ()
  "Another Emacs compiles Emacs Lisp, only where a person lets it; the changed forms count."
  (agent-q-fs-test-with-tree
      (ws '("a.el" ";;; -*- lexical-binding: t; -*-\n
(defmacro aqfs-noted (x)\n  (setq aqfs-noted-here t)\n  `(list ,x))\n
(defun aqfs-old ()\n  (aqfs-nowhere aqfs-free))\n
(defun aqfs-new (x)\n  (aqfs-noted x))\n")
          '("b.txt" "one\n"))
    (let* ((agent-q-fs-lisp-notes t) (agent-q-fs-approve--once nil)
           (agent-q-fs-diagnostics--seconds 60)
           (temporary-file-directory (file-name-as-directory (make-temp-file "aqfs-notes-" t)))
           (asked 0) request
           (edit (lambda (old new &optional path)
                   (let (answer)
                     (agent-q-fs-call-tool-async
                      "edit_file" (list :path (or path "a.el") :old_str old :new_str new)
                      (lambda (text) (setq answer text)) ws)
                     (agent-q-fs-test-until answer))))
           (agent-q-fs-unattended-function
            (lambda (request)
              (setq asked (1+ asked))
              (should (equal "lisp_notes" (agent-q-fs-request-tool request)))
              '(:decision denied))))
      (should (string-search "[a.el: not compiled: the user does not let it be compiled]\n"
                             (funcall edit "(aqfs-noted x)" "(aqfs-noted (+ x y))")))
      (should (= 1 asked))
      (setq agent-q-fs-unattended-function (lambda (_) '(:decision approved)))
      (let ((text (funcall edit "(+ x y)" "(+ x z)")))
        (should (string-match-p "^Notes of the compiler (Emacs):\n\
a\\.el:11: warning: reference to free variable .z.\n\\'" text)))
      (should (string-search "[Emacs compiles what is new in a.el without a warning]\n"
                             (funcall edit "(+ x z)" "(+ x 1)")))
      (should-not (boundp 'aqfs-noted-here)) ; the macro was run elsewhere
      ;; A remembered decision counts, whatever would be answered.
      (setq agent-q-fs-unattended-function (lambda (it) (setq request it) '(:decision denied)))
      (should (string-search "not compiled" (funcall edit "(+ x 1)" "(+ x 2)")))
      (let ((agent-q-fs-approve--rules nil))
        (agent-q-fs-approve-remember 'approve request)
        (should (string-search "without a warning" (funcall edit "(+ x 2)" "(+ x 3)"))))
      (cl-letf (((symbol-function 'completing-read)
                 (lambda (_prompt names &rest _) (car (member "lisp_notes" names)))))
        (should (equal "lisp_notes" (agent-q-fs-approvals--read-tool 'approve))))
      (setq agent-q-fs-unattended-function (lambda (_) '(:decision approved)))
      (should (equal '("a.el" "b.txt") (directory-files "." nil "\\`[^.]")))
      (should-not (string-search "ompile" (funcall edit "one" "two" "b.txt")))
      ;; In a buffer that is not saved, its text counts.
      (agent-q-fs-diagnostics-tests--visiting "a.el"
        (goto-char (point-max))
        (insert "\n(defun aqfs-last ()\n  nil)\n")
        (let ((agent-q-fs-unsaved 'buffer))
          (should (string-match-p "^a\\.el:14: warning: reference to free variable .u."
                                  (funcall edit "  nil)" "  u)")))))
      (let ((agent-q-fs-diagnostics--seconds 0.3))
        (should (string-search "[Emacs has not compiled a.el in 0 s]\n"
                               (funcall edit "(setq aqfs-noted-here t)" "(while t (sleep-for 1))"))))
      (let ((agent-q-fs-lisp-notes nil))
        (should-not (string-search "ompile" (funcall edit "(aqfs-nowhere" "(aqfs-nowhere-else"))))
      (should (directory-empty-p temporary-file-directory))
      (delete-directory temporary-file-directory))))


;;;; Flycheck, Eglot

(ert-deftest agent-q-fs-diagnostics/flycheck ()
  (dolist (directory (split-string (or (getenv "FLYCHECK_DIR") "") path-separator t))
    (add-to-list 'load-path directory))
  (unless (and (executable-find "gcc") (require 'flycheck nil t))
    (ert-skip "There is no Flycheck (FLYCHECK_DIR), or no gcc"))
  (agent-q-fs-test-with-tree (ws (list "a.c" agent-q-fs-diagnostics-tests--c))
    (agent-q-fs-diagnostics-tests--visiting "a.c"
      (setq-local flycheck-checkers '(c/c++-gcc)
                  flycheck-check-syntax-automatically nil)
      (flycheck-mode)
      (flycheck-buffer)
      (agent-q-fs-test-until flycheck-current-errors)
      (agent-q-fs-test-until (eq 'finished flycheck-last-status-change))
      (let* ((agent-q-fs-diagnostics--seconds 60)
             (text (agent-q-fs-diagnostics-tests--edit
                    ws :path "a.c" :old_str "    return 2;" :new_str "\n    return y;")))
        (should (string-match-p "^New diagnostics (flycheck):\na\\.c:9: error: .*y" text))
        (should-not (string-match-p "a\\.c:\\(3\\|13\\|14\\):" text))))))

(ert-deftest agent-q-fs-diagnostics/eglot ()
  (dolist (directory (split-string (or (getenv "EGLOT_DIR") "") path-separator t))
    (add-to-list 'load-path directory))
  (unless (and (executable-find "clangd") (require 'eglot nil t))
    (ert-skip "There is no Eglot (EGLOT_DIR), or no clangd"))
  (agent-q-fs-test-with-tree (ws (list "a.c" agent-q-fs-diagnostics-tests--c))
    (call-process "git" nil nil nil "init" "-q")
    (agent-q-fs-diagnostics-tests--visiting "a.c"
      (let ((eglot-sync-connect 10)
            (eglot-server-programs '((c-mode . ("clangd" "--background-index=false")))))
        (unwind-protect
            (progn
              (apply 'eglot (eglot--guess-contact))
              (flymake-start)
              (agent-q-fs-test-until (flymake-diagnostics))
              (let* ((agent-q-fs-diagnostics--seconds 60)
                     (text (agent-q-fs-diagnostics-tests--edit
                            ws :path "a.c" :old_str "    return 2;" :new_str "\n    return y;")))
                (should (string-match-p "^a\\.c:9: error: .*y" text))
                (should-not (string-match-p "a\\.c:\\(3\\|13\\|14\\):" text))))
          (when (eglot-current-server)
            (ignore-errors (eglot-shutdown (eglot-current-server)))))))))

;;; agent-q-fs-diagnostics-tests.el ends here
