;;;; threads-tests.lisp -- several threads, interruptions, memory.
;;;;
;;;; SPDX-License-Identifier: MIT

(in-package #:agent-q-fs/test)
(in-suite agent-q-fs)

(defun own-file-calls (number count)
  "Returns true if COUNT calls all answer with the contents of file NUMBER."
  (let ((path (format nil "f~D" number))
        (contents (format nil "contents of ~D" number)))
    (loop repeat count
          always (equal contents (getf (call :read-file :path path) :content)))))

(test threads.eight-times-a-thousand-calls
  (with-tree (root ("f0" "contents of 0") ("f1" "contents of 1") ("f2" "contents of 2")
                   ("f3" "contents of 3") ("f4" "contents of 4") ("f5" "contents of 5")
                   ("f6" "contents of 6") ("f7" "contents of 7"))
    (let* ((workspace *workspace*)
           (answers (make-array 8 :initial-element nil))
           (threads (loop for i below 8
                          collect (let ((i i))
                                    (start-thread
                                     (lambda ()
                                       (let ((*workspace* workspace))
                                         (setf (svref answers i)
                                               (own-file-calls i 1000)))))))))
      (mapc #'join threads)
      (is (every #'identity answers)))))

(test threads.slow-operations-at-once
  (with-tree (root ("a/f" "needle") ("b/f" "needle") ("c/f" "hay"))
    (let* ((workspace *workspace*)
           (answers (make-array 4 :initial-element nil))
           (threads (loop for i below 4
                          collect (let ((i i))
                                    (start-thread
                                     (lambda ()
                                       (setf (svref answers i)
                                             (loop repeat 100
                                                   always (= 2 (getf (call :grep-files
                                                                           :pattern "needle"
                                                                           :workspace workspace)
                                                                     :total))))))))))
      (mapc #'join threads)
      (is (every #'identity answers)))))

(defun call-until-closed (workspace)
  "Calls until WORKSPACE is closed; returns the last condition."
  (loop
    (let ((condition (condition-of (call :read-file :path "a" :workspace workspace)
                                   (call :search-files :pattern "*" :workspace workspace))))
      (when condition (return condition)))))

(test threads.close-while-others-call
  (with-tree (root ("a" "x"))
    (call :search-files :pattern "*")
    (let ((before (descriptors)))
      (loop repeat 20
            do (let* ((workspace (open-workspace :root root))
                      (ends (make-array 4 :initial-element nil))
                      (threads (loop for i below 4
                                     collect (let ((i i))
                                               (start-thread
                                                (lambda ()
                                                  (setf (svref ends i)
                                                        (call-until-closed workspace))))))))
                 (sleep 0.01)
                 (close-workspace workspace)
                 (mapc #'join threads)
                 (is (every (lambda (end)
                              (equal "The workspace is closed" (agent-q-fs-error-message end)))
                            ends))))
      (is (>= before (descriptors))))))

(defun slow-tree-file ()
  "Lines that (a+)+$ does not match, but only after a day."
  (format nil "~{~A~%~}" (loop repeat 2000 collect "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab")))

(test threads.interruption-cancels
  #-sbcl (skip "only SBCL can interrupt a call")
  #+sbcl
  (with-tree (root ("slow" (slow-tree-file)) ("a" "x"))
    (let ((before (descriptors)))
      (loop repeat 5
            do (with-workspace (:root root :limits '(:regex-steps 1000000000000
                                                     :time-ms 86400000))
                 (signals sb-ext:timeout
                   (sb-ext:with-timeout 0.1 (call :grep-files :pattern "^(a+)+$")))
                 (is (equal "x" (getf (call :read-file :path "a") :content)))))
      (is (>= before (descriptors))))))

(test threads.interruption-of-a-quick-call
  #-sbcl (skip "SBCL's timeouts")
  #+sbcl
  (with-tree (root ("a" "x"))
    (let ((before (descriptors)))
      (dotimes (i 200)
        (handler-case (sb-ext:with-timeout (/ (1+ (random 20 *random*)) 10000)
                        (loop (call :read-file :path "a")))
          (sb-ext:timeout () t)))
      (is (equal "x" (getf (call :read-file :path "a") :content)))
      (is (>= before (descriptors))))))

(defun resident-kilobytes ()
  (with-open-file (stream "/proc/self/status")
    (loop for line = (read-line stream)
          when (eql 0 (search "VmRSS:" line))
            return (parse-integer line :start 6 :junk-allowed t))))

(test threads.foreign-memory-stays-flat
  (with-tree (root ("f" (make-string 250000 :initial-element #\x)))
    (flet ((run (count)
             (dotimes (i count)
               (read-bytes "f")
               (condition-of (call :read-file :path (make-string 4000 :initial-element #\/))))
             (collect-garbage)
             (resident-kilobytes)))
      (run 30)
      (let ((before (run 30)))
        ;; A leak of each reply would be 100 MB.
        (is (< (- (run 300) before) 50000))))))
