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

(defun agent-q-fs-quit-child--try (form milliseconds stamp)
  "Evaluate FORM, to be interrupted after MILLISECONDS by way of STAMP.
Return (OUTCOME SECONDS), how long after the interruption it ended."
  (let ((outcome 'late))
    (when stamp
      (write-region "" nil stamp nil 'quiet)
      (agent-q-fs-quit-child--interrupt milliseconds stamp))
    (condition-case problem
        (progn
          (condition-case problem
              (progn (eval form t) (setq outcome 'ended))
            (quit (setq outcome 'quit))
            (error (setq outcome problem)))
          (when (and stamp (eq outcome 'ended))
            (sleep-for 2)))             ; the interruption comes later
      (quit nil))
    (list outcome
          (and stamp (- (float-time) (agent-q-fs-quit-child--time stamp))))))

(defun agent-q-fs-quit-child--main (plan)
  "Do what PLAN says and write what happened into its log."
  (let* ((default-directory (plist-get plan :directory))
         (ws (agent-q-fs-open :root default-directory :limits (plist-get plan :limits)))
         (stamp (unless (plist-get plan :typed) (concat (plist-get plan :log) ".stamp")))
         (form `(let ((ws ,ws)) ,(plist-get plan :form)))
         before outcomes)
    (agent-q-fs-quit-child--try form 50 stamp) ; with everything loaded
    (setq before (agent-q-fs-test-held))
    (dotimes (i (plist-get plan :times))
      (when (plist-get plan :typed)
        (write-region (format "ready %d\n" i) nil (concat (plist-get plan :log) ".ready")
                      nil 'quiet))
      (push (agent-q-fs-quit-child--try form (+ 20 (* 7 (% i 20))) stamp) outcomes))
    (with-temp-file (concat (plist-get plan :log) ".new")
      (prin1 (list :outcomes outcomes :before before
                   :after (agent-q-fs-test-held-again before))
             (current-buffer)))
    (rename-file (concat (plist-get plan :log) ".new") (plist-get plan :log) t)
    (kill-emacs 0)))

(agent-q-fs-quit-child--main (read (getenv "AQFS_QUIT")))

(provide 'agent-q-fs-quit-child)
;;; agent-q-fs-quit-child.el ends here
