;;; ert-run.el --- Run ERT tests, print their counts  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; emacs --batch -l ert-run.el FILE...
;;
;; Loads the files and runs the tests of the set that the environment variable ERT_SET
;; names, or those whose names match T (all of them without it).  With SOAK, only those
;; are run that deal with terminals, other programs, threads and timers.  Speaks only of failures, unless V is
;; set; the last line is `3 passed, 0 failed, 0 skipped'.

;;; Code:

(require 'ert)
(require 'subr-x)

(defun ert-run--tell (test)
  "Tell scripts/watch-tests.sh that TEST begins."
  (when-let ((file (getenv "TEST_NOW")))
    (with-temp-buffer
      (insert (symbol-name (ert-test-name test)) "\n")
      (let ((coding-system-for-write 'utf-8)
            (write-region-annotate-functions nil))
        (write-region nil nil file nil 'quiet)))))

(defun ert-run--listener (event &rest args)
  "Print the failure among ERT's EVENT and its ARGS, in ERT's own words."
  (when (eq event 'test-started)
    (ert-run--tell (cadr args)))
  (when (eq event 'test-ended)
    (pcase-let ((`(,_stats ,test ,result) args))
      (cond
       ((ert-test-skipped-p result)
        (message "SKIPPED %s: %s" (ert-test-name test)
                 (cadr (ert-test-result-with-condition-condition result))))
       ((and (ert-test-result-with-condition-p result)
             (not (ert-test-result-expected-p test result)))
        (message "FAILED %s" (ert-test-name test))
        (let ((print-escape-newlines t)
              (print-level 8)
              (print-length 50))
          (dolist (info (ert-test-result-with-condition-infos result))
            (message "  %s%s" (car info) (cdr info)))
          (message "  %S" (ert-test-result-with-condition-condition result)))
        (let ((lines (split-string (ert-test-result-messages result) "\n" t)))
          (dolist (line (last lines 20))
            (message "  | %s" line))))
       ((not (ert-test-result-expected-p test result))
        (message "FAILED %s: %s" (ert-test-name test) (type-of result)))
       ((getenv "V")
        (unless (equal (getenv "V") "")
          (message "passed %s in %.1f s" (ert-test-name test)
                   (ert-test-result-duration result))))))))

(defun ert-run--about (&rest subjects)
  "Return a regexp for the names of tests of SUBJECTS, regexps."
  (format "\\`agent-q-fs-\\(?:%s\\)/" (string-join subjects "\\|")))

(defconst ert-run-commands (ert-run--about "exec\\(?:-[a-z-]+\\)?")
  "Tests that run commands, and look whether any process of one is left.")

(defconst ert-run-terminals (ert-run--about "deploy\\(?:-private\\)?" "prompt" "requests" "tour"
                                            "ui-terminal")
  "Tests that type keys in a terminal, or wait for logins.")

(defconst ert-run-once
  (ert-run--about "buffers" "deploy" "job" "manual" "prompt" "quit" "reply" "requests" "symbols"
                  "tour" "ui-terminal" "exec-\\(?:none\\|podman\\|session\\|ui\\)")
  "Tests that take long, and that permissions make no difference to.")

(defconst ert-run-soaked
  (ert-run--about "audit" "caller" "demo" "exec\\(?:-[a-z-]+\\)?" "job" "load" "log" "mock"
                  "prompt" "quit" "requests" "spec" "tools" "tour" "ui\\(?:-[a-z-]+\\)?")
  "Tests that what else the machine does could spoil.")

(defun ert-run-selector (set)
  "Return ERT's selector for the tests of SET, a word, or nil for those that T names."
  `(and ,(if (getenv "SOAK") ert-run-soaked t)
        ,(pcase set
           ("commands" ert-run-commands)
           ("terminals" ert-run-terminals)
           ("others" `(not (or ,ert-run-commands ,ert-run-terminals)))
           ("nobody" `(not ,ert-run-once))
           (_ (or (getenv "T") t)))))

(let* ((set (getenv "ERT_SET"))
       ;; Long values are cut where they are printed, not where they are compared.
       (stats (progn
                (dolist (file command-line-args-left)
                  ;; Another file may have required it, and since Emacs 29 it is an error to
                 ;; define a test twice.
                 (unless (featurep (intern (file-name-base file)))
                   (load (expand-file-name file) nil t t)))
                (setq command-line-args-left nil)
                (ert-run-tests (ert-run-selector set) #'ert-run--listener)))
       (unheard (if (equal set "nobody") (length (ert-select-tests ert-run-once t)) 0))
       (skipped (ert-stats-skipped stats))
       (passed (ert-stats-completed-expected stats))
       (failed (- (ert-stats-total stats) passed skipped)))
  (when (> unheard 0)
    (message "SKIPPED %d tests that permissions make no difference to: they ran as another user"
             unheard))
  (message "%d passed, %d failed, %d skipped" passed failed (+ skipped unheard))
  (kill-emacs (if (zerop failed) 0 1)))

;;; ert-run.el ends here
