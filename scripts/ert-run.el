;;; ert-run.el --- Run ERT tests, print their counts  -*- lexical-binding: t; -*-

;;; Commentary:

;; emacs --batch -l ert-run.el FILE...
;;
;; Loads the files and runs the tests whose names match the environment
;; variable T (all of them without it).  Speaks only of failures, unless V is
;; set; the last line is `3 passed, 0 failed, 0 skipped'.

;;; Code:

(require 'ert)

(defun ert-run--listener (event &rest args)
  "Print the failure among ERT's EVENT and its ARGS, in ERT's own words."
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

(defconst ert-run-keys
  "\\`agent-q-fs-\\(?:quit\\|prompt\\|ui-terminal\\|exec-\\(?:none\\|podman\\|session\\|ui\\)\\)/"
  "Names of tests that type keys in a terminal or wait for commands, which takes minutes.
Sandboxes are tested by both users.")

(defun ert-run-nobody-p ()
  "Non-nil for the second run, as nobody: permissions do not change what these do."
  (eql (user-uid) 65534))

(let* ((only (getenv "T"))
       (selector (cond ((not (member only '(nil ""))) only)
                       ((ert-run-nobody-p) `(not ,ert-run-keys))
                       (t t)))
       ;; Long values are cut where they are printed, not where they are compared.
       (stats (progn
                (dolist (file command-line-args-left)
                  (load (expand-file-name file) nil t t))
                (setq command-line-args-left nil)
                (ert-run-tests selector #'ert-run--listener)))
       (unheard (if (equal selector `(not ,ert-run-keys))
                    (length (ert-select-tests ert-run-keys t))
                  0))
       (skipped (ert-stats-skipped stats))
       (passed (ert-stats-completed-expected stats))
       (failed (- (ert-stats-total stats) passed skipped)))
  (when (> unheard 0)
    (message "SKIPPED %d tests that type keys or wait: they ran as another user" unheard))
  (message "%d passed, %d failed, %d skipped" passed failed (+ skipped unheard))
  (kill-emacs (if (zerop failed) 0 1)))

;;; ert-run.el ends here
