;;; deploy.el --- A real program gets to a real machine  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; `over ssh emacs -l deploy.el' has Emacs bring the bundle of this machine to the host far, by TRAMP
;; and sshd, and open a project there: a file is read and changed.

;;; Code:

(require 'agent-q-fs)
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
  (tramp-cleanup-all-connections)
  (make-directory (concat home "project/"))
  (write-region "one\ntwo\n" nil (concat home "project/a.txt") nil 'quiet)
  (file-exists-p "/ssh:far:/")
  (setq deploy--sent 0
        begun (float-time))
  (let ((project (agent-q-fs-open :root (concat "/ssh:far:" home "project/"))))
    (deploy--is "it is read" (equal "one\ntwo\n" (plist-get (agent-q-fs-read-file project "a.txt")
                                                          :content)))
    (message "first call in %.2f s; TRAMP's shell had %d commands" (- (float-time) begun)
             deploy--sent)
    (deploy--is "the first call costs at most 6 commands of TRAMP" (<= deploy--sent 6))
    (agent-q-fs-edit-file project "a.txt" :old_str "one" :new_str "three")
    (deploy--is "it is changed" (equal "three\ntwo\n"
                                       (with-temp-buffer
                                         (insert-file-contents (concat home "project/a.txt"))
                                         (buffer-string))))
    (setq begun (float-time))
    (let ((agent-q-fs-authority 'dangerous))
      (agent-q-fs-write-file project "b.txt" (make-string 1000000 ?x)))
    (message "1 MB written in %.2f s" (- (float-time) begun))
    ;; The script that became the server had a umask of its own.
    (deploy--is "others may read it" (= #o644 (file-modes (concat home "project/b.txt"))))
    (agent-q-fs-close project))
  (tramp-cleanup-all-connections)
  (princ "1 passed, 0 failed\n"))

;;; deploy.el ends here
