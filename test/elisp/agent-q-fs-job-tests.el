;;; agent-q-fs-job-tests.el --- Tests of calls that run beside Emacs  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'agent-q-fs-test-help)
(require 'agent-q-fs-job)

(declare-function agent-q-fs--mod-start "ext:agent-q-fs-module.so" (workspace op arguments how pipe stream))

(defvar agent-q-fs-job-tests--log nil
  "The calls of the functions of the test's job, latest first.")

(defun agent-q-fs-job-tests--start (ws operation &rest arguments)
  "Call OPERATION in WS with ARGUMENTS, logging calls of the job's functions."
  (setq agent-q-fs-job-tests--log nil)
  (cl-flet ((logger (kind) (lambda (value) (push (cons kind value) agent-q-fs-job-tests--log))))
    (agent-q-fs-call-async ws operation arguments
                           :on-items (logger :items) :on-progress (logger :progress)
                           :on-done (logger :done) :on-error (logger :error))))

(defun agent-q-fs-job-tests--told (kind)
  "Return the values of KIND that callbacks were told, first to last."
  (nreverse (delq nil (mapcar (lambda (entry) (and (eq (car entry) kind) (cdr entry)))
                              agent-q-fs-job-tests--log))))

(defun agent-q-fs-job-tests--ends ()
  "Return the kinds of ends that callbacks were told."
  (cl-loop for (kind . _) in agent-q-fs-job-tests--log
           when (memq kind '(:done :error)) collect kind))

(ert-deftest agent-q-fs-job/streams-and-ends ()
  (agent-q-fs-test-with-tree (ws '("a" "needle\nhay\n") '("b/c" "x needle\nneedle\n"))
    (let ((job (agent-q-fs-job-tests--start ws 'grep_files :pattern "needle")))
      (should (eq 'done (agent-q-fs-job-wait job agent-q-fs-test-patience)))
      (should (equal '(:done) (agent-q-fs-job-tests--ends)))
      (should (= 3 (plist-get (car (agent-q-fs-job-tests--told :done)) :total)))
      (should (equal '("a" "b/c" "b/c")
                     (sort (mapcar (lambda (match) (plist-get match :path))
                                   (apply #'append (agent-q-fs-job-tests--told :items)))
                           #'string<)))
      (should-not (process-live-p (agent-q-fs-job-process job))))))

(ert-deftest agent-q-fs-job/watching-says-how-far ()
  "Somebody who waits for more than a second reads how far it is, and nothing afterwards."
  (let ((now 0.0) (rounds 0) (said nil) (noninteractive nil))
    (cl-letf (((symbol-function 'float-time) (lambda (&rest _) (setq now (+ now 0.7))))
              ((symbol-function 'accept-process-output) #'ignore)
              ((symbol-function 'message)
               (lambda (words &rest arguments)
                 (push (and words (apply #'format words arguments)) said))))
      (agent-q-fs-job-watch "Working..." (lambda () (< (cl-incf rounds) 5))
                            (lambda () (and (> rounds 2) (* 10 rounds)))))
    (should (equal '("Working... 1 s; C-g ends it" "Working... 30 files, 2 s; C-g ends it" nil)
                   (reverse said)))))

(ert-deftest agent-q-fs-job/answers-like-the-call ()
  "Where nothing is streamed the reply is that of the call."
  (agent-q-fs-test-with-tree (ws '("a" "x\n") '("b/é" "y"))
    (dolist (row '((read_file :path "a") (read_bytes :path "a") (get_project_root)
                   (list_directory :depth 2) (list_dir) (directory_tree)
                   (file_exists :path "b/é") (search_files :pattern "**")
                   (grep_files :pattern "x")))
      (let* (reply
             (job (agent-q-fs-call-async ws (car row) (cdr row)
                                         :on-done (lambda (it) (setq reply it)))))
        (should (eq 'done (agent-q-fs-job-wait job agent-q-fs-test-patience)))
        (should (equal (apply #'agent-q-fs-call ws row) reply))))))

(ert-deftest agent-q-fs-job/file-modes-of-its-own ()
  "A call's files are not private because Emacs makes private ones at the same time."
  (agent-q-fs-test-with-tree (ws '("a" "x\n"))
    (with-file-modes #o755
      (let ((agent-q-fs-authority 'dangerous) jobs)
        (dotimes (i 20)
          (push (agent-q-fs-call-async ws 'create_file
                                       (list :path (format "d%d/e/f" i) :content "x"))
                jobs)
          (while (eq 'running (agent-q-fs-job-state (car jobs)))
            (with-file-modes #o600
              (let ((end (+ 0.003 (float-time))))
                (while (< (float-time) end))))
            (accept-process-output nil 0.001)))
        (should (equal (make-list 20 'done) (mapcar #'agent-q-fs-job-state jobs)))))
    (dotimes (i 20)
      (let ((directory (format "%sd%d/" default-directory i)))
        (should (= #o755 (file-modes directory)))
        (should (= #o755 (file-modes (concat directory "e"))))
        (should (= #o644 (file-modes (concat directory "e/f"))))))))

(ert-deftest agent-q-fs-job/streams-what-the-call-has ()
  (agent-q-fs-test-with-tree (ws '("a" "x\n") '("b/é" "y"))
    (let ((job (agent-q-fs-job-tests--start ws 'search_files :pattern "**")))
      (should (eq 'done (agent-q-fs-job-wait job agent-q-fs-test-patience)))
      (should (equal (plist-get (agent-q-fs-search-files ws "**") :paths)
                     (sort (apply #'append (agent-q-fs-job-tests--told :items)) #'string<))))))

(ert-deftest agent-q-fs-job/fails-with-the-error ()
  (agent-q-fs-test-with-tree (ws)
    (let ((job (agent-q-fs-job-tests--start ws 'read_file :path "nope")))
      (should (eq 'failed (agent-q-fs-job-wait job agent-q-fs-test-patience)))
      (should (equal '(:error) (agent-q-fs-job-tests--ends)))
      (pcase-let ((`(,symbol . ,data) (car (agent-q-fs-job-tests--told :error))))
        (should (eq symbol 'agent-q-fs-not-found))
        (should (eq (plist-get data :error) :not-found))))))

(ert-deftest agent-q-fs-job/mistakes-are-signalled-at-once ()
  (agent-q-fs-test-with-tree (ws)
    (let ((before (length (process-list))))
      (should-error (agent-q-fs-call-async ws 'read_file '(:path symbol))
                    :type 'agent-q-fs-invalid-argument)
      (should-error (agent-q-fs-call-async 5 'read_file nil)
                    :type 'agent-q-fs-invalid-argument)
      (should-error (agent-q-fs-call-async ws 'read_file nil :on-nothing #'ignore))
      (should (= before (length (process-list)))))))

(ert-deftest agent-q-fs-job/cancelled-too-late ()
  "A job that has written already ends as done, and the hook after the change runs."
  (agent-q-fs-test-with-tree (ws '("a" "old\n"))
    (let* ((changed nil)
           (agent-q-fs-after-change-functions
            (list (lambda (&rest _) (setq changed t))))
           (cancel (lambda (job _operation _arguments how &rest _)
                     (when (eq 'commit (plist-get how :verb))
                       ;; It is written when its thread has ended; its reply is not read meanwhile.
                       (while (< agent-q-fs-test--threads (cdr (agent-q-fs-test--held)))
                         (call-process "sleep" nil nil nil "0.005"))
                       (agent-q-fs-job-cancel job)))))
      (advice-add 'agent-q-fs-job--launch :after cancel)
      (unwind-protect
          (let ((job (agent-q-fs-job-tests--start ws 'edit_file :path "a"
                                                  :old_str "old" :new_str "new")))
            (should (eq 'done (agent-q-fs-job-wait job agent-q-fs-test-patience)))
            (should (equal '(:done) (agent-q-fs-job-tests--ends)))
            (should changed)
            (should (equal "new\n" (with-temp-buffer
                                     (insert-file-contents "a")
                                     (buffer-string)))))
        (advice-remove 'agent-q-fs-job--launch cancel)))))

(ert-deftest agent-q-fs-job/cancel ()
  (agent-q-fs-test-with-tree (ws)
    (agent-q-fs-test-long-grep 10000)
    (let* ((before (agent-q-fs-test-held))
           (job (agent-q-fs-job-tests--start ws 'grep_files :pattern "absent")))
      (accept-process-output nil 0.05)
      (should (eq 'running (agent-q-fs-job-state job)))
      (agent-q-fs-job-cancel job)
      (agent-q-fs-job-cancel job)
      (should (eq 'cancelled (agent-q-fs-job-state job)))
      (should (equal '(:error) (agent-q-fs-job-tests--ends)))
      (should (eq 'agent-q-fs-cancelled (caar (agent-q-fs-job-tests--told :error))))
      (should (equal before (agent-q-fs-test-held-again before)))
      (should (= 1 (length (agent-q-fs-job-tests--ends)))))))

(ert-deftest agent-q-fs-job/ends-with-its-process ()
  (agent-q-fs-test-with-tree (ws)
    (agent-q-fs-test-long-grep 10000)
    (let* ((before (agent-q-fs-test-held))
           (job (agent-q-fs-job-tests--start ws 'grep_files :pattern "absent")))
      (delete-process (agent-q-fs-job-process job))
      (accept-process-output nil 0.05)
      (should (eq 'cancelled (agent-q-fs-job-state job)))
      (should (equal '(:error) (agent-q-fs-job-tests--ends)))
      (should (equal before (agent-q-fs-test-held-again before))))))

(ert-deftest agent-q-fs-job/ends-with-its-workspace ()
  (agent-q-fs-test-with-tree (_ws)
    (agent-q-fs-test-long-grep 10000)
    (let* ((before (agent-q-fs-test-held))
           (ws (agent-q-fs-open :root default-directory))
           (jobs (list (agent-q-fs-job-tests--start ws 'grep_files :pattern "absent")
                       (agent-q-fs-job-tests--start ws 'grep_files :pattern "absent")
                       (agent-q-fs-job-tests--start ws 'grep_files :pattern "absent"))))
      (accept-process-output nil 0.05)
      (agent-q-fs-close ws)
      (dolist (job jobs)
        (should (eq 'cancelled (agent-q-fs-job-wait job agent-q-fs-test-patience))))
      (should (= 3 (length (agent-q-fs-job-tests--ends))))
      (should (equal before (agent-q-fs-test-held-again before))))))

(defun agent-q-fs-job-tests--drop (root)
  "Start a job over ROOT below the functions that people call; keep only its pipe."
  (let ((ws (agent-q-fs-open :root root))
        (pipe (agent-q-fs-job--make-pipe)))
    ;; Not `should', which would keep what it sees.
    (unless (user-ptrp (agent-q-fs--mod-start (agent-q-fs-workspace-handle ws)
                                              'grep_files '(:pattern "absent") nil pipe t))
      (error "The job did not start"))
    pipe))

(ert-deftest agent-q-fs-job/garbage ()
  "A job that nobody holds any more ends, and its workspace after it."
  (agent-q-fs-test-with-tree (_ws)
    (agent-q-fs-test-long-grep 10000)
    (let* ((before (agent-q-fs-test-held))
           (pipes (cl-loop repeat 5 collect (agent-q-fs-job-tests--drop default-directory))))
      ;; Stale values on the stack may look like references.
      (dotimes (_ 50) (agent-q-fs-test-held))
      (garbage-collect)
      (garbage-collect)
      (should (<= (cdr (agent-q-fs-test-held-again
                        (cons (+ (car before) 20) (cdr before))))
                  (1+ (cdr before))))
      (mapc #'delete-process pipes))))

(ert-deftest agent-q-fs-job/live-jobs-survive-garbage-collection ()
  "A caller that keeps no job still gets its results."
  (agent-q-fs-test-with-tree (_ws '("a" "needle\n"))
    (let (done)
      (agent-q-fs-call-async (agent-q-fs-open :root default-directory)
                             'grep_files '(:pattern "needle")
                             :on-done (lambda (reply) (setq done reply)))
      (garbage-collect)
      (agent-q-fs-test-until (progn (garbage-collect) done))
      (should (= 1 (plist-get done :total))))))

(ert-deftest agent-q-fs-job/callbacks-that-fail ()
  "An error in a callback ends neither the job nor the other callbacks."
  (agent-q-fs-test-with-tree (ws '("a" "needle\n") '("b" "needle\n"))
    (let* ((inhibit-message t)
           done
           (job (agent-q-fs-call-async ws 'grep_files '(:pattern "needle")
                                       :on-items (lambda (_) (error "No"))
                                       :on-done (lambda (reply) (setq done reply) (error "No")))))
      (let ((debug-on-error nil)) ; which ERT sets
        (agent-q-fs-job-wait job agent-q-fs-test-patience))
      (should (= 2 (plist-get done :total))))))

(ert-deftest agent-q-fs-job/waits-for-a-slow-reader ()
  "While Emacs is busy the thread waits, and nothing is lost."
  (agent-q-fs-test-with-tree (ws)
    (agent-q-fs-test-long-grep 4)
    (let ((job (agent-q-fs-job-tests--start ws 'grep_files :pattern "needle" :limit 50000)))
      (let ((end (+ (float-time) 0.3)))
        (while (< (float-time) end)))
      (should (eq 'done (agent-q-fs-job-wait job agent-q-fs-test-patience)))
      (should (= 50000 (apply #'+ (mapcar #'length (agent-q-fs-job-tests--told :items))))))))

(ert-deftest agent-q-fs-job/other-processes-meanwhile ()
  "Threat 132: other programs start while jobs run, and inherit nothing of them."
  (agent-q-fs-test-with-tree (ws)
    (agent-q-fs-test-long-grep 10000)
    (cl-flet ((child-descriptors ()
                (with-temp-buffer
                  (call-process "ls" nil t nil "/proc/self/fd")
                  (count-lines (point-min) (point-max)))))
      (let* ((usual (child-descriptors))
             (job (agent-q-fs-job-tests--start ws 'grep_files :pattern "absent")))
        (dotimes (_ 50)
          (should (= usual (child-descriptors))))
        (agent-q-fs-job-cancel job)))))

(ert-deftest agent-q-fs-job/thousand-jobs ()
  (agent-q-fs-test-with-tree (ws '("a" "needle\n"))
    ;; Emacs keeps a buffer to decode in.
    (agent-q-fs-job-wait (agent-q-fs-job-tests--start ws 'grep_files :pattern "needle") agent-q-fs-test-patience)
    (let ((before (agent-q-fs-test-held))
          (processes (length (process-list)))
          (buffers (length (buffer-list)))
          (timers (mapcar #'timer--function timer-list)))
      (dotimes (i 1000)
        (let ((job (agent-q-fs-job-tests--start ws 'grep_files :pattern "needle")))
          (if (zerop (% i 3))
              (agent-q-fs-job-cancel job)
            (should (eq 'done (agent-q-fs-job-wait job agent-q-fs-test-patience))))))
      (should (= processes (length (process-list))))
      (should (= buffers (length (buffer-list))))
      ;; On a busy machine, timers of others fire meanwhile.
      (should (<= (length timer-list) (length timers)))
      (should-not (seq-difference (mapcar #'timer--function timer-list) timers))
      (should (equal before (agent-q-fs-test-held-again before))))))


;;;; Frames

(defun agent-q-fs-job-tests--fake ()
  "Return a job without a thread, logging calls of its functions."
  (setq agent-q-fs-job-tests--log nil)
  (cl-flet ((logger (kind) (lambda (value) (push (cons kind value) agent-q-fs-job-tests--log))))
    (let ((job (agent-q-fs-job--make :process (agent-q-fs-job--make-pipe)
                                     :on-items (logger :items) :on-progress (logger :progress)
                                     :on-done (logger :done) :on-error (logger :error))))
      (process-put (agent-q-fs-job-process job) 'agent-q-fs-job job)
      (agent-q-fs-job--started)
      job)))

(defun agent-q-fs-job-tests--frame (kind text)
  "Return the bytes of a frame of KIND with TEXT."
  (let ((bytes (encode-coding-string text 'utf-8)))
    (concat kind (number-to-string (length bytes)) "\n" bytes)))

(ert-deftest agent-q-fs-job/frames-cut-anywhere ()
  (let ((stream (concat (agent-q-fs-job-tests--frame "+" "(:items ((:a \"+1\n(\") (:b \"é\")))")
                        (agent-q-fs-job-tests--frame "+" "(:progress 7)")
                        (agent-q-fs-job-tests--frame "+" "(:items ())")
                        (agent-q-fs-job-tests--frame "." "(:total 2 :text \"漢\n\")"))))
    (dolist (size (append (number-sequence 1 40) (list 1000)))
      (let ((job (agent-q-fs-job-tests--fake)))
        (cl-loop for from from 0 below (length stream) by size
                 do (agent-q-fs-job--filter
                     (agent-q-fs-job-process job)
                     (substring stream from (min (length stream) (+ from size)))))
        (should (eq 'done (agent-q-fs-job-state job)))
        (should (equal '((:items (:a "+1\n(") (:b "é")) (:progress . 7) (:items)
                         (:done :total 2 :text "漢\n"))
                       (reverse agent-q-fs-job-tests--log)))))))

(ert-deftest agent-q-fs-job/frames-that-make-no-sense ()
  "Threat 134: a stream that breaks the protocol ends the job with an error."
  (dolist (stream (list "x\n" ".\n" ".3\n(:a" ".0\n" ".1\n)" "\n" ".-5\n....." "+4\n(:a "
                        (make-string 30 ?1) "+12345678901234567890\n"
                        (agent-q-fs-job-tests--frame "." "(:error :unheard-of :message \"x\")")))
    (let ((job (agent-q-fs-job-tests--fake)))
      (agent-q-fs-job--filter (agent-q-fs-job-process job) stream)
      (agent-q-fs-job--filter (agent-q-fs-job-process job) ".3\n(:)")
      (should (eq 'failed (agent-q-fs-job-state job)))
      (should (equal '(:error) (agent-q-fs-job-tests--ends))))))

(ert-deftest agent-q-fs-job/garbage-collection-is-put-off ()
  "Only while jobs run; a threshold that other code sets in that time is kept."
  (let ((usual (default-toplevel-value 'gc-cons-threshold))
        (jobs (list (agent-q-fs-job-tests--fake) (agent-q-fs-job-tests--fake)))
        (reply (agent-q-fs-job-tests--frame "." "(:a 1)")))
    (should (= agent-q-fs-job--garbage (default-toplevel-value 'gc-cons-threshold)))
    (agent-q-fs-job--filter (agent-q-fs-job-process (pop jobs)) reply)
    (should (= agent-q-fs-job--garbage (default-toplevel-value 'gc-cons-threshold)))
    (let ((gc-cons-threshold 1000000))
      (agent-q-fs-job--filter (agent-q-fs-job-process (pop jobs)) reply))
    (should (= usual (default-toplevel-value 'gc-cons-threshold)))
    (push (agent-q-fs-job-tests--fake) jobs)
    (set-default-toplevel-value 'gc-cons-threshold 5000000)
    (agent-q-fs-job--filter (agent-q-fs-job-process (pop jobs)) reply)
    (should (= 5000000 (default-toplevel-value 'gc-cons-threshold)))
    (set-default-toplevel-value 'gc-cons-threshold usual)))

(ert-deftest agent-q-fs-job/garbage-waits-for-the-reply ()
  "Garbage is collected when the last job's reply was told, not between its end and that."
  (let* ((usual (default-toplevel-value 'gc-cons-threshold))
         (told nil)
         (job (agent-q-fs-job-tests--fake)))
    (setf (agent-q-fs-job-on-done job)
          (lambda (_reply)
            (setq told (default-toplevel-value 'gc-cons-threshold))
            (signal 'quit nil)))        ; even so, the threshold is given back
    (ignore-error quit
      (agent-q-fs-job--filter (agent-q-fs-job-process job)
                              (agent-q-fs-job-tests--frame "." "(:a 1)")))
    (should (= agent-q-fs-job--garbage told))
    (should (= usual (default-toplevel-value 'gc-cons-threshold)))))

(ert-deftest agent-q-fs-job/backlog-is-worked-off-in-slices ()
  "Many frames at once are read a little at a time, the pipe being left alone meanwhile."
  (let* ((job (agent-q-fs-job-tests--fake))
         (frame (agent-q-fs-job-tests--frame
                 "+" (format "(:items %S)" (make-list 500 '(:path "some/path" :line 5)))))
         (stream (concat (apply #'concat (make-list 300 frame))
                         (agent-q-fs-job-tests--frame "." "(:total 150000)"))))
    (agent-q-fs-job--filter (agent-q-fs-job-process job) stream)
    (should (eq 'running (agent-q-fs-job-state job)))
    (should (eq t (process-filter (agent-q-fs-job-process job))))
    (should (eq 'done (agent-q-fs-job-wait job agent-q-fs-test-patience)))
    (should (= 150000 (apply #'+ (mapcar #'length (agent-q-fs-job-tests--told :items)))))))


;;;; Emacs goes on

(ert-deftest agent-q-fs-job/timers-fire-between-the-chunks ()
  "While a grep streams 44,000 matches, no chunk keeps a timer that is due waiting.
Each chunk takes its reader longer than `agent-q-fs-job--slice', and by then
the timer is due.  `make bench' measures how late timers are."
  (agent-q-fs-test-with-tree (ws)
    (agent-q-fs-test-long-grep 400 500)
    (let* ((read-process-output-max 65536) ; several chunks are read at once
           (log nil)
           (count 0)
           (timer (run-with-timer 0.001 0.001 (lambda () (push 'timer log))))
           (job (agent-q-fs-call-async
                 ws 'grep_files '(:pattern "needle" :limit 100000)
                 :on-items (lambda (items)
                             (push 'chunk log)
                             (cl-incf count (length items))
                             (let ((end (+ (float-time) 0.002 agent-q-fs-job--slice)))
                               (while (< (float-time) end))))
                 :on-done (lambda (_) (push 'done log)))))
      (unwind-protect
          (should (eq 'done (agent-q-fs-job-wait job)))
        (cancel-timer timer))
      (should (= 44000 count))
      (setq log (nreverse log))
      (should (< 20 (seq-count (lambda (event) (eq event 'chunk)) log)))
      (cl-loop for (event next) on log
               when (eq event 'chunk)
               do (should-not (eq next 'chunk))))))

(provide 'agent-q-fs-job-tests)
;;; agent-q-fs-job-tests.el ends here
