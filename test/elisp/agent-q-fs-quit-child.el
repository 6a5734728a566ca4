;;; agent-q-fs-quit-child.el --- An Emacs on a terminal that is interrupted  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Loaded by the Emacs that agent-q-fs-quit-tests.el starts on a terminal.
;; AQFS_QUIT in the environment is a property list: :directory to work in, :form
;; to interrupt, :limits of the workspace, how many times, :log to write to,
;; :typed when somebody outside types C-g.

;;; Code:

(require 'agent-q-fs-test-help)

(defun agent-q-fs-quit-child--interrupt (milliseconds stamp)
  "Send this Emacs SIGINT in MILLISECONDS; write the time it was sent into STAMP."
  (call-process "sh" nil 0 nil "-c"
                (format "sleep %.3f; date +%%s%%N >%s; kill -INT %d"
                        (/ milliseconds 1000.0) stamp (emacs-pid))))

(defun agent-q-fs-quit-child--time (stamp)
  "Return the time that the file STAMP tells, in seconds."
  (with-temp-buffer
    (insert-file-contents stamp)
    (/ (string-to-number (buffer-string)) 1e9)))

(defun agent-q-fs-quit-child--say-ready (log i)
  "Make the test that watches LOG type the C-g number I."
  (write-region (format "ready %d\n" i) nil (concat log ".new") nil 'quiet)
  (rename-file (concat log ".new") (concat log ".ready") t))

(defun agent-q-fs-quit-child--try (form interrupt stamp)
  "Evaluate FORM once INTERRUPT has been called, which sees to an interruption.
Return (OUTCOME SECONDS), how long after the time in STAMP, if any, it ended."
  (let ((outcome 'late))
    (when stamp (write-region "" nil stamp nil 'quiet))
    (condition-case nil
        (progn
          (condition-case problem
              (progn (funcall interrupt) (eval form t) (setq outcome 'ended))
            (quit (setq outcome 'quit))
            (error (setq outcome problem)))
          (when (and stamp (eq outcome 'ended))
            (sleep-for 2)))             ; if FORM has not taken it, the interruption comes later
      (quit nil))
    (list outcome
          (and stamp (- (float-time) (agent-q-fs-quit-child--time stamp))))))

(defun agent-q-fs-quit-child--load (ws)
  "Load what calls in WS load, uninterrupted.
An Emacs with native compilation never closes the file it loads when
C-g comes while it warns that the file has no source."
  (agent-q-fs-list-directory ws :limit 1))

(defun agent-q-fs-quit-child--main (plan)
  "Follow PLAN, and write the result into its log."
  (let* ((default-directory (plist-get plan :directory))
         (ws (agent-q-fs-open :root default-directory :limits (plist-get plan :limits)))
         (log (plist-get plan :log))
         (stamp (unless (plist-get plan :typed) (concat log ".stamp")))
         (form `(let ((ws ,ws)) ,(plist-get plan :form)))
         before outcomes)
    (agent-q-fs-quit-child--load ws)
    (dotimes (i (1+ (plist-get plan :times)))
      (push (agent-q-fs-quit-child--try
             form
             (if stamp
                 (lambda () (agent-q-fs-quit-child--interrupt (+ 20 (* 7 (% i 20))) stamp))
               (lambda () (agent-q-fs-quit-child--say-ready log i)))
             stamp)
            outcomes)
      (when (zerop i)                   ; that one was only to begin
        (setq outcomes nil
              before (agent-q-fs-test-held))))
    (with-temp-file (concat log ".new")
      (prin1 (list :outcomes outcomes :before before
                   :after (agent-q-fs-test-held-again before))
             (current-buffer)))
    (rename-file (concat log ".new") log t)
    (kill-emacs 0)))

(agent-q-fs-quit-child--main (read (getenv "AQFS_QUIT")))

(provide 'agent-q-fs-quit-child)
;;; agent-q-fs-quit-child.el ends here
