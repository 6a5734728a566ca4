;;;; lisp.lisp -- runs the tests of Common Lisp on a mutant of one form.
;;;;
;;;; SPDX-License-Identifier: MIT
;;;;
;;;;     sbcl --load lisp.lisp          loads all, and saves it as the image that CORE names
;;;;     sbcl --core CORE               does what MUTANTS says in the environment:
;;;;         reach OUTPUT FILE...               runs all tests once, and writes which functions each
;;;;                                            reaches
;;;;         judge REACH ORIGINAL MUTANT PLACE NOW  runs the tests that reach PLACE until one fails
;;;;
;;;; The form in which MUTANT differs from ORIGINAL is compiled over the ordinary code; where it is no
;;;; function, so is what follows it in the file.  NOW is a file into which the time is written at
;;;; which the present test counts as hanging.

(load (merge-pathnames "../../lisp/setup.lisp" *load-truename*))
(require :sb-cltl2)
(agent-q-fs/setup:load-systems '("agent-q-fs" "agent-q-fs/ffi" "agent-q-fs/agent-q" "agent-q-fs/test")
                               '("cffi" "fiveam" "cl-llm-provider") nil)

(defpackage #:agent-q-fs/mutants
  (:use #:common-lisp))

(in-package #:agent-q-fs/mutants)

;;;; Reading

(defun file-text (file)
  (uiop:read-file-string file :external-format :utf-8))

(defun top-level-forms (file)
  "Returns the forms of FILE as lists of text, form and package."
  (let ((text (file-text file)) (*package* *package*) (forms '()))
    (with-input-from-string (stream text)
      (loop
        (let* ((start (file-position stream))
               (form (read stream nil stream)))
          (when (eq form stream) (return (nreverse forms)))
          (push (list (subseq text start (file-position stream)) form *package*) forms)
          (when (and (consp form) (eq (first form) 'in-package)) (eval form)))))))

(defun defined-name (form)
  "Returns the name of the function that FORM defines, a symbol, or nil."
  (and (consp form) (member (first form) '(defun defmethod)) (symbolp (second form)) (second form)))

(defun functions-of (file)
  (remove-duplicates (loop for (nil form) in (top-level-forms file)
                           for name = (defined-name form)
                           when name collect name)))

;;;; The reach

(defun tests ()
  (agent-q-fs/test::wanted-tests '#:agent-q-fs/test))

(defparameter *left-out* '("MANUAL." "TEN-THOUSAND" "60000" "FOREIGN-MEMORY")
  "Parts of the names of tests that take long, and are for no single decision.")

(defun passes-p (name)
  (let* ((fiveam:*test-dribble* (make-broadcast-stream))
         (*standard-output* (make-broadcast-stream))
         (results (fiveam:run name)))
    (eq :passed (agent-q-fs/test::outcome results))))

(defun seconds-since (start)
  (/ (- (get-internal-real-time) start) (float internal-time-units-per-second)))

(defparameter *other-lisp* (find-symbol "FRESH-LISP" '#:agent-q-fs/test)
  "The function that starts another Lisp, whose calls are not seen here.")

(defun reach (output &rest files)
  (let ((reached (make-hash-table :synchronized t)))
    (dolist (name (cons *other-lisp* (mapcan #'functions-of files)))
      (when (and (fboundp name) (not (macro-function name)))
        (let ((name name))
          (sb-int:encapsulate name 'reach (lambda (function &rest arguments)
                                            (setf (gethash name reached) t)
                                            (apply function arguments))))))
    (with-open-file (stream output :direction :output :if-exists :supersede)
      (dolist (test (tests))
        (unless (some (lambda (part) (search part (symbol-name test))) *left-out*)
          (clrhash reached)
          (let* ((start (get-internal-real-time))
                 (passed (passes-p test)))
            (let ((*print-readably* nil) (*print-pretty* nil))
              (format stream "~S~%" (list (if passed :passed :failed) (seconds-since start) (symbol-name test)
                                          (loop for name being the hash-keys of reached
                                                collect (string name)))))
            (finish-output stream)))))))

;;;; Judging

(defun end (control &rest arguments)
  "Prints the verdict, and ends Lisp at once."
  (format *terminal-io* "~&=> ~?~%" control arguments)
  (finish-output *terminal-io*)
  (sb-ext:exit :code 0 :abort t))

(defun note (file seconds name)
  "Writes into FILE that the test NAME hangs if it has not ended in SECONDS."
  (with-open-file (stream file :direction :output :if-exists :supersede)
    (format stream "~D ~A~%" (+ (ceiling seconds) (- (get-universal-time) 2208988800)) name)))

(defun expansion (text package)
  "Returns the code that TEXT expands to, as text without the numbers of generated names."
  (let* ((*package* package)
         (form (sb-cltl2:macroexpand-all (read-from-string text)))
         (*print-pretty* nil) (*print-circle* nil)
         (printed (let ((*print-gensym* nil)) (prin1-to-string form))))
    (remove-if #'digit-char-p printed :start (length printed))))

(defun difference (source mutant)
  "Returns where the forms of the files SOURCE and MUTANT differ first, and those of MUTANT."
  (let ((old (top-level-forms source)) (new (top-level-forms mutant)))
    (values (loop for (a) in old for (b) in new for i from 0
                  unless (string= a b) return i)
            old new)))

(defun install (source mutant)
  "Compiles what is different in MUTANT over what is there."
  (multiple-value-bind (i old new) (handler-case (difference source mutant)
                                     (error () (end "does-not-compile")))
    (unless i (end "same-code"))
    (destructuring-bind (text form package) (nth i new)
      (handler-case
          (when (string= (expansion text package) (expansion (first (nth i old)) package))
            (end "same-code"))
        (error () (end "does-not-compile")))
      ;; Where a variable has a value, DEFVAR would leave it.
      (when (eq (first form) 'defvar) (makunbound (second form)))
      (handler-bind ((warning #'muffle-warning))
        (handler-case
            (dolist (form (if (defined-name form) (list form) (mapcar #'second (nthcdr i new))))
              (let ((*package* package) (*error-output* (make-broadcast-stream)))
                (funcall (let ((failed nil))
                           (multiple-value-bind (function warnings failure)
                               (compile nil `(lambda () ,form))
                             (declare (ignore warnings))
                             (setf failed failure)
                             (when failed (end "does-not-compile"))
                             function)))))
          (error () (end "killed loading")))))))

(defun near-p (source test)
  (uiop:string-prefix-p (string-upcase (pathname-name source)) test))

(defparameter *seconds* 30 "How long all tests of a mutant take at most, where nothing is wrong.")

(defun affordable (rows)
  "Returns the first of ROWS, as many as *SECONDS* allow."
  (loop for row in rows
        sum (second row) into sum
        while (< sum *seconds*) collect row))

(defun ordered-tests (rows source place)
  "Returns those of ROWS whose test reaches PLACE, the nearest and quickest first.  Where PLACE is
no function, these are all that reach any function of SOURCE, or all."
  (let* ((functions (mapcar #'string (functions-of source)))
         (wanted (cons (string *other-lisp*)
                       (if (member (string-upcase place) functions :test #'string=)
                           (list (string-upcase place))
                           functions)))
         (rows (remove-if-not (lambda (row)
                                (and (eq :passed (first row))
                                     (intersection wanted (fourth row) :test #'string=)))
                              rows)))
    (affordable (stable-sort (sort rows #'< :key #'second)
                 (lambda (a b) (and (near-p source (third a)) (not (near-p source (third b)))))))))

(defun judge (reach source mutant place now)
  (note now 60 "loading")
  (install source mutant)
  (let ((rows (with-open-file (stream reach)
                (loop for row = (read stream nil) while row collect row))))
    (loop for (nil seconds name) in (ordered-tests rows source place)
          do (note now (+ 20 (* 8 seconds)) name)
             (unless (passes-p (find-symbol name '#:agent-q-fs/test))
               (end "killed ~(~A~)" name))))
  (end "survived"))

(defun main ()
  (sb-ext:disable-debugger)
  (destructuring-bind (command . arguments) (uiop:split-string (uiop:getenv "MUTANTS") :separator " ")
    (apply (if (string= command "reach") #'reach #'judge) arguments))
  (sb-ext:exit :code 0 :abort t))

(sb-ext:save-lisp-and-die (uiop:getenv "CORE") :toplevel #'main)
