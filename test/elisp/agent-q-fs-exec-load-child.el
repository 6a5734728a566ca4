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

(defun agent-q-fs-exec-load-child--lateness (seconds)
  "Return how late a timer of 10 ms fires during SECONDS, a list of seconds."
  (let* ((late nil) (last (float-time))
         (timer (run-with-timer 0.01 0.01
                                (lambda ()
                                  (let ((now (float-time)))
                                    (push (max 0 (- now last 0.01)) late)
                                    (setq last now)))))
         (end (+ (float-time) seconds)))
    (while (< (float-time) end)
      (accept-process-output nil 0.05))
    (cancel-timer timer)
    late))

(defun agent-q-fs-exec-load-child (seconds)
  "Return (FIRINGS MILLISECONDS KIB TRUNCATED) of SECONDS with two commands.
99 of 100 firings of a timer were at most MILLISECONDS late, and memory
grew by KIB.  TRUNCATED is how many of the replies said that they were."
  (agent-q-fs-exec-help-with (ws)
    (call-process "truncate" nil nil nil "-s" "1G" "big")
    (garbage-collect)
    (let* ((before (agent-q-fs-exec-load-child--rss))
           (sessions (list (agent-q-fs-exec-help-session ws "yes")
                           (agent-q-fs-exec-help-session ws "cat big big big" :tty :false
                                                         :yield_time_ms 0)))
           (late (sort (agent-q-fs-exec-load-child--lateness seconds) #'<))
           (grown (- (agent-q-fs-exec-load-child--rss) before))
           (truncated 0))
      (dolist (session sessions)
        (let ((reply (agent-q-fs-exec-help-reply ws "write_stdin" :session_id session)))
          (when (and (plist-get reply :running) (plist-get reply :truncated))
            (setq truncated (1+ truncated)))))
      (list (length late) (* 1000 (nth (floor (* 0.99 (length late))) late)) grown truncated))))

(provide 'agent-q-fs-exec-load-child)
;;; agent-q-fs-exec-load-child.el ends here
