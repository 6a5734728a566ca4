;;; timers.el --- how late timers are while results come in  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;;     emacs -Q --batch -L build/elisp -l build/test/bench/timers.elc -f bench-timers-main DIR
;;
;; Fills DIR with 400 names of one file of 4 MB and has 44,000 matches in it streamed to
;; this Emacs, while a timer is due every 10 ms.  Prints how many milliseconds late a
;; timer is that 99 % of them are not later than, and how late the latest is:
;;
;;     LATE timers/grep 99%-ms most-ms bound ok|SHORT
;;
;; and the same of what it is to be compared with: an Emacs that does nothing, a filter
;; that reads what rg prints, and `call-process', which reads it all at once.  Exits
;; with 1 when the answers differed.  Another row is of two commands that print for
;; ever; its peer is a filter that throws away what yes prints.  One more is of 100
;; requests that come while the person does something else.  On a busy machine a timer is
;; late because others are served, so its second row, timers/requests-processor, has the
;; processor time of this Emacs between two timers in place of lateness.
;; timers/request-visible is how long a call takes until the mode line shows its request,
;; and timers/queue-of-100, how long the list of 100 requests takes to open.

;;; Code:

(require 'agent-q-fs)
(require 'agent-q-fs-job)
(require 'agent-q-fs-prompt)
(require 'agent-q-fs-requests-list)
(require 'agent-q-fs-tools)

(defvar agent-q-fs-policy)
(defvar agent-q-fs-audit-file)

(defconst bench-timers-bound 30.0 "The milliseconds that 99 % of our timers may be late.")
(defconst bench-timers-commands-bound 50.0 "The same while commands print.")
(defconst bench-timers-visible-bound 50.0 "The milliseconds until a request is shown.")
(defconst bench-timers-queue-bound 100.0 "The milliseconds to open a queue of 100 requests.")
(defvar bench-timers-count 400 "How many timers each side is measured with, at least.")
(defconst bench-timers-matches 44000 "How many matches there are.")

(defun bench-timers-fill (directory)
  "Fill DIRECTORY with files in which one line of 500 matches."
  (make-directory directory t)
  (let ((first (expand-file-name "f0" directory)))
    (with-temp-file first
      (dotimes (i 55000)
        (insert (make-string 70 ?x) (if (zerop (% i 500)) "needle\n" "xxxxxx\n"))))
    (cl-loop for i from 1 below 400
             do (add-name-to-file first (expand-file-name (format "f%d" i) directory)))))

(defun bench-timers-now (&optional processor)
  "Return the time in seconds; with PROCESSOR, the time that this Emacs has worked."
  (float-time (and processor (get-internal-run-time))))

(defun bench-timers-lateness (function &optional processor)
  "Return how late each 10 ms timer is that fires during FUNCTION, in ms.
With PROCESSOR, return how long Emacs has worked since the one before."
  (let* ((due (+ (bench-timers-now processor) (if processor 0 0.01)))
         (late nil)
         (timer (run-with-timer 0.01 0.01 #'ignore)))
    (timer-set-function timer (lambda ()
                                (push (* 1000 (- (bench-timers-now processor) due)) late)
                                (setq due (if processor (bench-timers-now t)
                                            (float-time (timer--time timer))))))
    (funcall function)
    (accept-process-output nil 0.001)   ; a timer that FUNCTION kept waiting is late
    (cancel-timer timer)
    late))

(defun bench-timers-measure (function &optional processor)
  "Call FUNCTION until there were enough timers; return their lateness, sorted.
PROCESSOR is as for `bench-timers-lateness'."
  (let ((late nil))
    (while (< (length late) bench-timers-count)
      (garbage-collect)
      (setq late (nconc (bench-timers-lateness function processor) late)))
    (sort late #'<)))

(defun bench-timers-check (side count)
  "Fail unless SIDE has read COUNT matches, as many as there are."
  (unless (= count bench-timers-matches)
    (message "  timers/grep: %s read %d matches of %d" side count bench-timers-matches)
    (kill-emacs 1)))

(defun bench-timers-ours (ws)
  "Have a job stream the matches in WS."
  (let* ((count 0)
         (job (agent-q-fs-call-async ws 'grep_files '(:pattern "needle" :limit 100000)
                                     :on-items (lambda (items) (cl-incf count (length items))))))
    (agent-q-fs-job-wait job)
    (bench-timers-check "ours" count)))

(defun bench-timers-parse (start)
  "Return how many matches there are in whole lines of this buffer from START on."
  (goto-char start)
  (let ((items nil))
    (while (re-search-forward "^\\([^:\n]+\\):\\([0-9]+\\):\\(.*\\)\n" nil t)
      (push (list :path (match-string 1)
                  :line (string-to-number (match-string 2))
                  :text (match-string 3))
            items))
    (length items)))

(defun bench-timers-rg-command (directory)
  "Return a command that prints the matches in DIRECTORY."
  (list "rg" "-uuu" "--no-heading" "--line-number" "--color=never" "needle" directory))

(defun bench-timers-process (directory)
  "Have a filter read the matches in DIRECTORY from rg."
  (let ((count 0))
    (with-temp-buffer
      (let ((process (make-process :name "rg" :buffer (current-buffer) :connection-type 'pipe
                                   :command (bench-timers-rg-command directory)
                                   :noquery t :sentinel #'ignore)))
        (set-process-filter process (lambda (process chunk)
                                      (with-current-buffer (process-buffer process)
                                        (goto-char (point-max))
                                        (insert chunk)
                                        (cl-incf count (bench-timers-parse (point-min)))
                                        (delete-region (point-min) (point)))))
        (while (accept-process-output process))))
    (bench-timers-check "rg's filter" count)))

(defun bench-timers-call (directory)
  "Read the matches in DIRECTORY from rg, waiting for it."
  (with-temp-buffer
    (apply #'call-process (car (bench-timers-rg-command directory)) nil t nil
           (cdr (bench-timers-rg-command directory)))
    (bench-timers-check "call-process" (bench-timers-parse (point-min)))))

(defun bench-timers-commands (directory)
  "Return the lateness of timers while two commands print in DIRECTORY."
  (call-process "truncate" nil nil nil "-s" "100G" (expand-file-name "big" directory))
  (let ((agent-q-fs-policy 'never)
        (agent-q-fs-audit-file nil)
        (ws (agent-q-fs-open :root directory)))
    (unwind-protect
        (progn
          (agent-q-fs-call-tool "exec_command" '(:cmd "yes" :yield_time_ms 0) ws)
          (agent-q-fs-call-tool "exec_command"
                                '(:cmd "cat big" :tty :false :yield_time_ms 0) ws)
          (bench-timers-measure (lambda () (sleep-for 1))))
      (agent-q-fs-close ws)
      (delete-file (expand-file-name "big" directory)))))

(defun bench-timers-yes ()
  "Return the lateness of timers while a filter throws away what yes prints."
  (let ((process (make-process :name "yes" :command '("yes") :connection-type 'pipe
                               :noquery t :filter #'ignore)))
    (unwind-protect (bench-timers-measure (lambda () (sleep-for 1)))
      (delete-process process))))

(defun bench-timers-attended (function)
  "Call FUNCTION as where a person is, then withdraw the requests that wait."
  (cl-letf (((symbol-function 'agent-q-fs-approve-unattended-p) #'ignore))
    (let ((agent-q-fs-audit-file nil) (inhibit-message t))
      (prog1 (funcall function)
        (dolist (request (agent-q-fs-prompt-waiting))
          (agent-q-fs-prompt-quit request)
          (sleep-for 0.001))))))

(defun bench-timers-request (ws number)
  "Have a call for the file NUMBER of WS wait in the queue."
  (agent-q-fs-call-tool-async "create_file"
                              (list :path (format "new%d" number) :content "one\ntwo\n")
                              #'ignore ws))

(defun bench-timers-await (count)
  "Wait until COUNT requests wait and the mode line says so."
  (let ((end (+ (float-time) 10)))
    (while (not (and (= count (length (agent-q-fs-prompt-waiting)))
                     (agent-q-fs-requests--mode-line-text)))
      (when (< end (float-time))
        (message "  timers: %d wait of %d" (length (agent-q-fs-prompt-waiting)) count)
        (kill-emacs 1))
      (accept-process-output nil 0.001))))

(defun bench-timers-requests (ws)
  "Have 100 requests for files in WS come, one every 10 ms, and wait in the queue."
  (bench-timers-attended
   (lambda ()
     (let ((count 0) timer)
       (setq timer (run-with-timer
                    0.01 0.01
                    (lambda ()
                      (when (= 100 (cl-incf count)) (cancel-timer timer))
                      (bench-timers-request ws count)
                      (agent-q-fs-requests--mode-line-text))))
       (while (< count 100)
         (sleep-for 0.1))
       (bench-timers-await 100)))))

(defun bench-timers-ms (times function)
  "Call FUNCTION TIMES times; return the milliseconds of each call, sorted."
  (sort (cl-loop repeat times
                 do (garbage-collect)
                 collect (let ((begun (float-time)))
                           (funcall function)
                           (* 1000 (- (float-time) begun))))
        #'<))

(defun bench-timers-visible (ws)
  "Return how long calls in WS take until their request is shown."
  (let ((count 0))
    (bench-timers-attended
     (lambda ()
       (bench-timers-ms 50 (lambda ()
                             (bench-timers-request ws (cl-incf count))
                             (bench-timers-await count)))))))

(defun bench-timers-queue (ws)
  "Return how long the list of 100 requests of WS takes to open."
  (bench-timers-attended
   (lambda ()
     (dotimes (i 100) (bench-timers-request ws i))
     (bench-timers-await 100)
     (bench-timers-ms 20 (lambda ()
                           (agent-q-fs-requests-list)
                           (kill-buffer))))))

(defun bench-timers-print (row late &optional bound)
  "Print the line of ROW, whose timers were LATE, with its BOUND."
  (let* ((n (length late))
         (most-but-1% (nth (floor (* 0.99 n)) late)))
    (princ (format "LATE %s %.1f %.1f %s\n" row most-but-1% (car (last late))
                   (cond ((not bound) "- -")
                         ((<= most-but-1% bound) (format "%.1f ok" bound))
                         (t (format "%.1f SHORT" bound)))))))

(defun bench-timers-main ()
  "Print the rows for the command line DIR."
  (pcase-let* ((`(,directory) command-line-args-left)
               (_ (bench-timers-fill directory))
               (directory (file-truename directory))
               (ws (agent-q-fs-open :root directory)))
    (setq command-line-args-left nil)
    (bench-timers-print "timers/grep"
                        (bench-timers-measure (lambda () (bench-timers-ours ws)))
                        bench-timers-bound)
    (bench-timers-print "timers/idle" (bench-timers-measure (lambda () (sleep-for 1))))
    (if (not (executable-find "rg"))
        (princ "SKIP timers/rg rg is not installed\n")
      (bench-timers-print "timers/rg-filter"
                          (bench-timers-measure (lambda () (bench-timers-process directory))))
      (let ((bench-timers-count 5))
        (bench-timers-print "timers/rg-call-process"
                            (bench-timers-measure (lambda () (bench-timers-call directory))))))
    (bench-timers-print "timers/requests"
                        (bench-timers-measure (lambda () (bench-timers-requests ws)))
                        bench-timers-bound)
    (bench-timers-print "timers/requests-processor"
                        (bench-timers-measure (lambda () (bench-timers-requests ws)) t)
                        bench-timers-bound)
    (bench-timers-print "timers/request-visible" (bench-timers-visible ws)
                        bench-timers-visible-bound)
    (bench-timers-print "timers/queue-of-100" (bench-timers-queue ws) bench-timers-queue-bound)
    (bench-timers-print "timers/commands" (bench-timers-commands directory)
                        bench-timers-commands-bound)
    (bench-timers-print "timers/yes-filter" (bench-timers-yes))
    (kill-emacs 0)))

(provide 'timers)
;;; timers.el ends here
