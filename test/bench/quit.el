;;; quit.el --- how long a call goes on after C-g  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;;     emacs -Q --batch -L build/elisp -L test/elisp -l build/test/bench/quit.elc -f bench-quit-main
;;
;; Interrupts calls in an Emacs on a terminal (agent-q-fs-quit-child.el), as `C-g' does.
;; Prints how many milliseconds after the interruption a call has ended, for 96 % of
;; them and for the slowest:
;;
;;     LATE quit/... 96%-ms most-ms bound ok|SHORT
;;
;; Their peer is a loop of Emacs Lisp, which asks for C-g all the time.

;;; Code:

(require 'agent-q-fs-quit-tests)

(defconst bench-quit-bound 100.0 "The milliseconds that 96 % of calls may go on.")

(defconst bench-quit-times 50 "How often each call is interrupted.")

(defvar bench-quit-rows (or (getenv "BENCH_ROWS") "*"))

(defun bench-quit (row form bound &optional limits)
  "Print ROW, of interrupting FORM with LIMITS, and its BOUND, which may be nil."
  (when (string-match-p (wildcard-to-regexp bench-quit-rows) row)
    (let* ((result (agent-q-fs-quit-tests--run form bench-quit-times limits))
           (late (sort (mapcar (lambda (outcome) (* 1000 (cadr outcome)))
                               (plist-get result :outcomes))
                       #'<))
           (shown (nth (floor (* 0.96 (length late))) late)))
      (princ (format "LATE %s %.1f %.1f %s\n" row shown (car (last late))
                     (cond ((not bound) "- -")
                           ((<= shown bound) (format "%.1f ok" bound))
                           (t (format "%.1f SHORT" bound))))))))

(defun bench-quit-main ()
  "Print the rows."
  (agent-q-fs-test-with-tree (_ws)
    (bench-quit "quit/elisp-loop" '(while t) nil)
    (agent-q-fs-test-long-grep 40000)
    (bench-quit "quit/grep" '(agent-q-fs-grep-files ws "absent") bench-quit-bound))
  (agent-q-fs-test-with-tree (_ws '("f" ""))
    (agent-q-fs-test--write "f" (concat (make-string 5000 ?x) "\n"))
    (bench-quit "quit/hostile-pattern"
                `(agent-q-fs-grep-files ws ,agent-q-fs-quit-tests--endless)
                bench-quit-bound '(:regex_steps 1000000000000 :time_ms 86400000)))
  (agent-q-fs-test-with-tree (_ws)
    (agent-q-fs-quit-tests--fill)
    (bench-quit "quit/walk" '(while t (agent-q-fs-search-files ws "**/*.absent"))
                bench-quit-bound)
    (bench-quit "quit/tree" '(while t (agent-q-fs-directory-tree ws)) bench-quit-bound))
  (kill-emacs 0))

(provide 'quit)
;;; quit.el ends here
