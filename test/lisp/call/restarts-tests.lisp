;;;; restarts-tests.lisp -- calls that failed are made again.
;;;;
;;;; SPDX-License-Identifier: MIT

(in-package #:agent-q-fs/test)
(in-suite agent-q-fs)

(defun restart-with (name &rest arguments)
  "Returns a handler that invokes the restart NAME once, and declines a second failure."
  (let ((done nil))
    (lambda (condition)
      (let ((restart (find-restart name condition)))
        (when (and restart (not done))
          (setf done t)
          (apply #'invoke-restart restart arguments))))))

(defmacro restarting ((name &rest arguments) &body body)
  `(handler-bind ((agent-q-fs-error (restart-with ',name ,@arguments)))
     ,@body))

(test restarts.use-path
  (with-tree (root ("right" "text") ("b" "decoy"))
    (is (equal "text" (restarting (use-path "right")
                        (getf (call :read-file :path "wrong") :content))))
    (is (equal "text" (restarting (use-path "right")
                        (getf (call :read-file :path #p"wrong") :content))))
    (is (equal "text" (restarting (use-path "right")
                        (getf (call "read_file" "path" "../out") :content))))
    (restarting (use-path "right")
      (call :move-file :source "wrong" :destination "c" :authority :dangerous))
    (is (equal "text" (contents root "c")))
    (is (null (contents root "right")))
    (restarting (use-path "moved")
      (call :move-file :source "c" :destination "../out" :authority :dangerous))
    (is (equal "text" (contents root "moved")))
    (is (equal "decoy" (contents root "b")))))

(test restarts.retry
  (with-tree (root ("a" "x"))
    (let ((tries 0))
      (is (equal "made" (handler-bind ((agent-q-fs-not-found
                                         (lambda (condition)
                                           (incf tries)
                                           (put (in-root root "b") "made")
                                           (invoke-restart (find-restart 'retry condition)))))
                          (getf (call :read-file :path "b") :content))))
      (is (= 1 tries)))))

(test restarts.supply-version
  (with-tree (root ("a" "one two"))
    (let ((old (getf (call :read-file :path "a") :version)))
      (put (in-root root "a") "one 2 two")
      (is (typep (condition-of (call :edit-file :path "a" :old-str "one" :new-str "1"
                                                :version old))
                 'agent-q-fs-stale))
      (is (equal "one 2 two" (contents root "a")))
      (restarting (supply-version (getf (call :read-file :path "a") :version))
        (call :edit-file :path "a" :old-str "one" :new-str "1" :version old))
      (is (equal "1 2 two" (contents root "a")))
      (is (typep (condition-of (restarting (supply-version "0")
                                 (call :edit-file :path "a" :old-str "1" :new-str "one"
                                                  :version old)))
                 'agent-q-fs-stale)
          "what is supplied is compared")
      (restarting (supply-version nil)
        (call :edit-file :path "a" :old-str "two" :new-str "3" :version old))
      (is (equal "1 2 3" (contents root "a"))))))

(test restarts.only-where-they-help
  (with-tree (root ("a" "x"))
    (flet ((offered (&rest call)
             (handler-bind ((agent-q-fs-error
                              (lambda (condition)
                                (return-from offered
                                  (loop for name in '(retry use-path supply-version)
                                        when (find-restart name condition) collect name)))))
               (apply #'call call))))
      (is (equal '(retry use-path) (offered :read-file :path "b")))
      (is (equal '(retry) (offered :read-file :path "a" :start-line "x")))
      (is (equal '(retry) (offered :grep-files :pattern "(")))
      (is (equal '(retry use-path supply-version)
                 (offered :edit-file :path "a" :old-str "x" :new-str "y" :version "0")))
      ;; The message spells this one otherwise than the caller did.
      (is (equal '(retry use-path) (offered :read-file :path (format nil "no~%such"))))
      ;; A change that was approved for one version is not to be made to another.
      (let ((digest (getf (preview :edit-file '(:path "a" :old-str "x" :new-str "y")) :digest)))
        (put (in-root root "a") "x, and more")
        (is (not (member 'supply-version
                         (offered :edit-file :path "a" :old-str "x" :new-str "y"
                                             :digest digest :authority :dangerous))))
        (is (equal "x, and more" (contents root "a")))))))
