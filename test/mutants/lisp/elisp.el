;;; elisp.el --- Run tests on a mutant of the Emacs Lisp  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Emacs --batch -L elisp -L test/elisp -l elisp.el -f FUNCTION ARGUMENT...
;;
;;     mutants-compile FILE      compiles it; its status says whether that works
;;     mutants-reach OUTPUT      runs all tests once, and writes which functions each reaches
;;     mutants-judge REACH LIBRARY PLACE NOW
;;                               runs the tests that reach PLACE until one fails
;;
;; NOW is a file into which the time is written at which the present test counts as hanging,
;; because an endless loop runs no timers.

;;; Code:

(require 'cl-lib)
(require 'ert)
(require 'seq)
(require 'subr-x)

(defvar agent-q-fs-test-patience)
(defvar mutants-watch--seen)
(defvar native-comp-deferred-compilation)
(defvar native-comp-jit-compilation)

(setq native-comp-deferred-compilation nil
      native-comp-jit-compilation nil
      load-prefer-newer nil)

(defconst mutants-left-out
  (concat "\\`agent-q-fs-\\(?:quit/\\|exec-load/\\|exec-podman/\\|exec/hundred"
          "\\|job/thousand\\|job/garbage\\|open/thousand\\|manual/\\|upgrade/\\|load/\\)")
  "Tests that take long, or look at what is installed.
They are for no single decision.")

(defun mutants-compile ()
  "Compile the file on the command line without a word."
  (let ((byte-compile-warnings nil)
        (inhibit-message t))
    (kill-emacs (if (eq t (byte-compile-file (pop command-line-args-left))) 0 1))))

(defun mutants-run (name)
  "Try the test NAME, and return `passed', `skipped' or `failed'."
  (let ((inhibit-message t)
        (agent-q-fs-test-patience 60))
    (let* ((test (ert-get-test name))
           (result (ert-run-test test)))
      (cond ((ert-test-skipped-p result) 'skipped)
            ((ert-test-result-expected-p test result) 'passed)
            (t 'failed)))))

(defun mutants-load (file)
  "Load FILE of tests, and return the names of those that were not there before."
  (let ((before (mapcar #'ert-test-name (ert-select-tests t t))))
    (let ((inhibit-message t))
      (unless (featurep (intern (file-name-base file))) (load (expand-file-name file) nil t)))
    (seq-difference (mapcar #'ert-test-name (ert-select-tests t t)) before)))


;;;; The reach

(defun mutants-reach ()
  "Run all tests, and write a line about each.
It has the result, the file, the time, the name, and what the test reaches."
  (let ((output (pop command-line-args-left)) (reach (getenv "AQFS_REACH")))
    (write-region "" nil output nil 'quiet)
    (dolist (file (directory-files "test/elisp" nil "-tests\\.el\\'"))
      (dolist (name (mutants-load (concat "test/elisp/" file)))
        (unless (string-match-p mutants-left-out (symbol-name name))
          (write-region "" nil reach nil 'quiet)
          (clrhash mutants-watch--seen)
          (let* ((begun (float-time))
                 (result (mutants-run name))
                 (took (- (float-time) begun)))
            (unless (eq result 'skipped)
              (write-region (format "%S\n" (list result file took name (mutants-reach-read reach)))
                            nil output t 'quiet))))))))

(defun mutants-reach-read (file)
  "Return the names in FILE, once each."
  (with-temp-buffer
    (insert-file-contents file)
    (delete-dups (split-string (buffer-string) "\n" t))))


;;;; Judging

(defun mutants-near-p (library file)
  "Non-nil when FILE is the test file of LIBRARY, or of what it belongs to."
  (let ((name (string-remove-suffix "-tests.el" file)))
    (or (equal name library)
        (and (not (equal name "agent-q-fs")) (string-prefix-p name library))
        (and (not (equal library "agent-q-fs")) (string-prefix-p library name)))))

(defun mutants-tests (rows library place)
  "Return those of ROWS that reach PLACE in LIBRARY.
The nearest and quickest come first.  Where PLACE is no function, all
tests count that call any function of LIBRARY."
  (let* ((functions (mutants-functions library))
         (wanted (if (member place functions) (list place) functions)))
    (mutants-affordable
     library
     (cl-sort (cl-remove-if-not (lambda (row)
                                  (and (eq 'passed (car row))
                                       (seq-intersection wanted (nth 4 row))))
                                rows)
              #'< :key (lambda (row)
                         (+ (nth 2 row) (if (mutants-near-p library (nth 1 row)) 0 1000)))))))

(defconst mutants-seconds 20
  "How long tests that are not near take at most, where nothing is wrong.")

(defun mutants-affordable (library rows)
  "Return those of ROWS that are near LIBRARY, and as many more as time allows."
  (let ((sum 0))
    (seq-take-while (lambda (row)
                      (or (mutants-near-p library (nth 1 row))
                          (< (setq sum (+ sum (nth 2 row))) mutants-seconds)))
                    rows)))

(defun mutants-functions (library)
  "Return the names of the functions that LIBRARY defines."
  (mapcan (lambda (entry)
            (pcase entry
              (`(defun . ,name) (list (symbol-name name)))
              (`(cl-defmethod ,name . ,_) (list (symbol-name name)))))
          (cdr (assoc (locate-library library) load-history))))

(defun mutants-judge ()
  "Run tests until one fails, and print its name; see the Commentary."
  (pcase-let* ((`(,reach ,library ,place ,now) command-line-args-left)
               (rows (with-temp-buffer
                       (insert-file-contents reach)
                       (goto-char (point-min))
                       (cl-loop for row = (ignore-errors (read (current-buffer))) while row
                                collect row))))
    (setq command-line-args-left nil)
    (mutants-note now 60 'loading)
    (condition-case problem
        (progn (require 'agent-q-fs-test-help)
               (require (intern library)))
      (error (mutants-end (format "killed loading %S" problem))))
    (dolist (row (mutants-tests rows library place))
      (pcase-let ((`(,_ ,file ,took ,name) row))
        (mutants-note now (+ 15 (* 8 took)) name)
        (condition-case nil
            (mutants-load (concat "test/elisp/" file))
          (error (mutants-end (format "killed %s" file))))
        (unless (eq 'passed (mutants-run name))
          (mutants-end (format "killed %s" name)))))
    (mutants-end "survived")))

(defun mutants-note (file seconds name)
  "Write into FILE that the test NAME hangs if it has not ended in SECONDS."
  (write-region (format "%d %s\n" (+ seconds (float-time)) name) nil file nil 'quiet))

(defun mutants-end (words)
  "Print WORDS, and end Emacs at once."
  (princ (concat "\n=> " words "\n"))
  (let ((kill-emacs-hook nil)) (kill-emacs 0)))

(provide 'elisp)
;;; elisp.el ends here
