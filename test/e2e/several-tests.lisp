;;;; several-tests.lisp -- two Emacsen at one Lisp, and two Lisps at one Emacs, each in a project.
;;;;
;;;; SPDX-License-Identifier: MIT

(in-package #:agent-q-fs/e2e)
(in-suite e2e)

(defun call-from-emacs (link function)
  "Calls FUNCTION as code that the Emacs at LINK has had this Lisp run."
  (funcall (agent-q-fs::connection-caller (agent-q-fs::link-server link))
           (agent-q-fs::link-connection link) function))

(defmacro from-emacs ((link) &body body)
  `(call-from-emacs ,link (lambda () ,@body)))

(defun connect-second-emacs ()
  "Starts an Emacs beside the present one.  Returns it and the links of the two."
  (let ((first (agent-q-fs::find-link))
        (emacs (let ((*emacs* nil)) (start-emacs :wait nil))))
    (wait-until (lambda () (< 1 (length (agent-q-fs::open-connections *server*))))
                :what "the second Emacs to connect")
    (wait-for-client emacs)
    (values emacs first (agent-q-fs::latest-link *server*))))

(defmacro with-two-emacsen ((first second) &body body)
  "Runs BODY with FIRST and SECOND as the links of two Emacsen."
  `(multiple-value-bind (emacs ,first ,second) (connect-second-emacs)
     (unwind-protect (progn ,@body)
       (kill-emacs emacs)
       (wait-until (lambda () (not (agent-q-fs::link-open-p ,second)))
                   :what "the second connection to close"))))

(defun edit-in-turn (from to)
  "Has a model make FROM in the file f TO."
  (tool "edit_file" "path" "f" "old_str" from "new_str" to))

(defun choose-root (link root)
  "Has the person at the Emacs of LINK choose ROOT for the Lisp."
  (from-emacs (link)
    (set-root-in-emacs (in-elisp "(agent-q-fs-sly-set-project-root ~A)" root))))

(test several.each-emacs-does-its-own-calls
  "Two Emacsen in one project: each call goes to the Emacs that it came from, which heeds the
buffers of its own person."
  (with-project (root ("f" "one"))
    (with-two-emacsen (first second)
      (from-emacs (first) (is (equal "one" (said-by-read))))
      (from-emacs (second)
        (is (equal "one" (said-by-read)))
        (visit root "f")
        (emacs-value (in-elisp "(with-current-buffer (get-file-buffer ~A) (insert \"typed\") t)"
                               (concatenate 'string root "f")))
        (is (eql 0 (search "Error: " (edit-in-turn "one" "two")))))
      (from-emacs (first)
        (is (< 0 (counting-messages (is (search "Edited f" (edit-in-turn "one" "two")))))))
      (from-emacs (second)
        (is (< 0 (counting-messages (is (search "two" (said-by-read))))))
        (is (= 0 (from-emacs (first) (counting-messages (from-emacs (second) (said-by-read)))))))
      (is (equal "two" (contents root "f"))))))

(defun in-thread-of (link function)
  "Has a thread call FUNCTION as one that the Emacs at LINK has had this Lisp start."
  (start-thread (lambda ()
                  (let ((*workspace* nil) (*transport* :emacs))
                    (call-from-emacs link function)))))

(defun said-to (link)
  "Returns the text of the file f of the project that calls from the Emacs at LINK are for."
  (let ((text nil))
    (join (in-thread-of link (lambda () (setf text (said-by-read)))))
    text))

(defun count-up (times)
  "Has a model make the number 0 in the file f TIMES, in steps of one."
  (loop for n from 1 to times
        do (edit-in-turn (princ-to-string (1- n)) (princ-to-string n))))

(test several.each-emacs-has-its-project
  "The person at each of two Emacsen chooses a project; calls alternate and go on beside each other."
  (with-project (root ("p/f" "0") ("q/f" "0") ("r/f" "in r"))
    (with-global-root
      (setf (sb-ext:symbol-global-value '*project-root*) nil)
      (with-two-emacsen (first second)
        (flet ((below (name) (concatenate 'string root name)))
          (choose-root first (below "p"))
          (choose-root second (below "q"))
          (mapc #'join (list (in-thread-of first (lambda () (count-up 40)))
                             (in-thread-of second (lambda () (count-up 30)))))
          (is (equal "40" (contents root "p/f")))
          (is (equal "30" (contents root "q/f")))
          (is (equal '("40" "30" "40") (mapcar #'said-to (list first second first))))
          ;; A setting in Lisp counts for both.
          (setf (sb-ext:symbol-global-value '*project-root*) (below "r"))
          (is (equal '("in r" "in r") (mapcar #'said-to (list first second))))
          (choose-root first (below "p"))
          (is (equal "40" (said-to first)))
          (choose-root second (below "q"))
          (choose-root first "")
          (is (equal "30" (said-to second))))))))

;;;; Two Lisps

(defun start-lisp-in (directory)
  "Has Emacs start a Lisp in DIRECTORY, and load the tools there."
  (load-in-each-lisp)
  (emacs-value (in-elisp "(progn (switch-to-buffer \"*scratch*\") (cd ~A) t)" directory))
  (start-inferior-lisp))

(defun said-by-inferior ()
  (without-note (call-in-inferior-lisp nil "read_file" '("path" "f"))))

(defun person-at-inferior (control &rest arguments)
  "Has the person at Emacs do CONTROL with ARGUMENTS where the other Lisp is the current one."
  (set-root-in-emacs
   (agent-q-fs/test::replaced
    (format nil "(let ((CLIENT-dispatching-connection
                        (seq-find #'CLIENT-inferior-process CLIENT-net-processes)))
                   ~A)"
            (apply #'in-elisp control arguments))
    "CLIENT-" (format nil "~A-" (client)))))

(test several.each-lisp-has-its-project
  "An Emacs with two Lisps, each started in a project: calls go on beside each other, whatever
buffer the person looks at, and a project that is chosen for one is not the other's."
  (with-project (root ("p/f" "0") ("q/f" "a") ("r/f" "in r"))
    (let ((*project-root* (concatenate 'string root "p")))
      (unwind-protect
           (flet ((below (name) (concatenate 'string root name)))
             (is (< 10 (start-lisp-in (below "q/"))))
             (let ((counting (in-thread-of (agent-q-fs::find-link)
                                           (let ((root *project-root*))
                                             (lambda ()
                                               (let ((*project-root* root)) (count-up 30)))))))
               (loop for (from to) on '("a" "b" "c" "d") while to
                     do (is (search "Edited f"
                                    (call-in-inferior-lisp
                                     nil "edit_file" (list "path" "f" "old_str" from
                                                           "new_str" to)))))
               (join counting))
             (is (equal "30" (contents root "p/f")))
             (is (equal "d" (contents root "q/f")))
             (emacs-value (in-elisp "(progn (find-file ~A) t)" (below "r/f")))
             (is (equal "30" (said-by-read)))
             (is (equal "d" (said-by-inferior)))
             (person-at-inferior "(agent-q-fs-sly-set-project-root ~A)" (below "r"))
             (is (equal "in r" (said-by-inferior)))
             (is (equal "30" (said-by-read)))
             (person-at-inferior "(agent-q-fs-sly-set-project-root \"\")")
             (is (equal "d" (said-by-inferior)))
             (emacs-value (in-elisp "(progn (switch-to-buffer \"*scratch*\") (cd ~A) t)"
                                    (below "r/")))
             (is (equal "d" (said-by-inferior)))
             (is (equal "30" (said-by-read))))
        (fresh-emacs)))))
