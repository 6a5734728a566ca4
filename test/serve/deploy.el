;;; deploy.el --- A real program gets to a real machine  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; `over ssh emacs -l deploy.el' has Emacs bring the bundle of this machine to the host far, by TRAMP
;; and sshd, start the program there, and hear its first frame.

;;; Code:

(require 'agent-q-fs-deploy)
(require 'cl-lib)
(require 'tramp)

(defvar deploy--sent 0 "How many commands TRAMP has sent.")

(defun deploy--is (what truth)
  "Say that the case WHAT has passed if TRUTH; end otherwise."
  (unless truth
    (message "FAILED serve/deploy: %s" what)
    (princ "0 passed, 1 failed\n")
    (kill-emacs 1)))

(defun deploy--hello (program)
  "Return what PROGRAM on the host far says first, as a server."
  (let* ((default-directory "/ssh:far:/")
         (process-environment (cons "LC_ALL=C" process-environment))
         (buffer (generate-new-buffer "served"))
         (process (make-process :name "served" :buffer buffer :file-handler t :noquery t
                                :connection-type 'pipe :coding 'binary
                                :command (list program "serve")))
         (deadline (+ 120 (float-time))))
    (with-current-buffer buffer
      (while (and (< (float-time) deadline)
                  (not (string-match-p "^hello 0 0 [0-9]+\n{.*\"protocol\".*}" (buffer-string))))
        (accept-process-output process 0.1))
      (delete-process process)
      (buffer-string))))

(let* ((home (file-name-as-directory (getenv "FAR_HOME")))
       (agent-q-fs-state-directory (expand-file-name "near/" home))
       (agent-q-fs-deploy-copy t)
       (tramp-verbose 1)
       (copied 0) begun program)
  (advice-add 'tramp-send-string :before (lambda (&rest _) (cl-incf deploy--sent)))
  (advice-add 'copy-file :around
              (lambda (copy &rest arguments)
                (let ((before deploy--sent))
                  (prog1 (apply copy arguments)
                    (cl-incf copied (- deploy--sent before))))))
  (deploy--is "a bundle is here" (agent-q-fs-deploy--bundles))
  (file-exists-p "/ssh:far:/")
  (setq deploy--sent 0
        begun (float-time)
        program (agent-q-fs-deploy-program "/ssh:far:/tmp/"))
  (message "deployed in %.1f s, in %d round trips, of which the copy had %d"
           (- (float-time) begun) deploy--sent copied)
  (deploy--is "it costs the copy and at most 10 round trips" (<= (- deploy--sent copied) 10))
  (deploy--is program (string-prefix-p (concat home ".cache/agent-q-fs/bin/") program))
  (setq deploy--sent 0
        begun (float-time))
  (deploy--is "it is there" (equal program (agent-q-fs-deploy-program "/ssh:far:/tmp/")))
  (message "looked at in %.2f s, in %d round trips" (- (float-time) begun) deploy--sent)
  (deploy--is "a start costs a round trip" (= 1 deploy--sent))
  (let ((said (deploy--hello program)))
    (deploy--is said (string-match-p "^hello 0 0 [0-9]+\n{.*\"protocol\": 1" said)))
  (tramp-cleanup-all-connections)
  (princ "1 passed, 0 failed\n"))

;;; deploy.el ends here
