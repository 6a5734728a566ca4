;;; agent-q-fs-exec-load-child.el --- An Emacs in which two commands print for ever  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; This is an Emacs of its own, because collecting garbage takes very long in the one
;; that runs the tests.

;;; Code:

(require 'agent-q-fs-exec-help)

(defun agent-q-fs-exec-load-child--rss ()
  "Return the resident memory of this Emacs in KiB."
  (with-temp-buffer
    (insert-file-contents-literally "/proc/self/status")
    (re-search-forward "^VmRSS:[ \t]*\\([0-9]+\\)")
    (string-to-number (match-string 1))))

(defun agent-q-fs-exec-load-child--most (firings)
  "Wait for FIRINGS of a timer; return the most pieces of output between two of them.
Each piece takes its reader so long that the timer is due by then."
  (let* ((pieces 0) (most 0) (fired 0)
         (agent-q-fs-exec-session-functions
          (list (lambda (_session what)
                  (when (eq 'printed what)
                    (cl-incf pieces)
                    (let ((end (+ (float-time) 0.002)))
                      (while (< (float-time) end)))))))
         (timer (run-with-timer 0.001 0.001 (lambda ()
                                              (setq most (max most pieces)
                                                    pieces 0
                                                    fired (1+ fired))))))
    (agent-q-fs-test-until (< firings fired))
    (cancel-timer timer)
    most))

(defun agent-q-fs-exec-load-child--read (bytes)
  "Wait until commands have printed BYTES more, read by Emacs or dropped by a runner."
  (let* ((printed 0)
         (read (lambda (_run _output piece) (cl-incf printed (length piece))))
         (lost (lambda (_output count) (cl-incf printed count))))
    (advice-add 'agent-q-fs-exec-run--take-output :before read)
    (advice-add 'agent-q-fs-exec-output-lose :before lost)
    (agent-q-fs-test-until (< bytes printed))
    (advice-remove 'agent-q-fs-exec-output-lose lost)
    (advice-remove 'agent-q-fs-exec-run--take-output read)))

(defun agent-q-fs-exec-load-child (firings bytes)
  "Return (MOST KIB TRUNCATED) of two commands that print for ever.
MOST is how many pieces of their output came between two of FIRINGS of
a timer.  Memory grew by KIB while BYTES more were printed.  TRUNCATED is
how many of the replies said that they were."
  (agent-q-fs-exec-help-with (ws)
    (call-process "truncate" nil nil nil "-s" "100G" "big")
    (garbage-collect)
    (let* ((before (agent-q-fs-exec-load-child--rss))
           (sessions (list (agent-q-fs-exec-help-session ws "yes")
                           (agent-q-fs-exec-help-session ws "cat big big big" :tty :false
                                                         :yield_time_ms 0)))
           (most (agent-q-fs-exec-load-child--most firings))
           (grown (progn (agent-q-fs-exec-load-child--read bytes)
                         (- (agent-q-fs-exec-load-child--rss) before)))
           (truncated 0))
      (dolist (session sessions)
        (let ((reply (agent-q-fs-exec-help-reply ws "write_stdin" :session_id session)))
          (when (and (plist-get reply :running) (plist-get reply :truncated))
            (setq truncated (1+ truncated)))))
      (list most grown truncated))))

(provide 'agent-q-fs-exec-load-child)
;;; agent-q-fs-exec-load-child.el ends here
