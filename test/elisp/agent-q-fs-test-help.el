;;; agent-q-fs-test-help.el --- Common code of the tests  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Trees of files that stand in the test and are removed after it, and counts of the
;; descriptors and threads of this process.

;;; Code:

(require 'ert)
(require 'cl-lib)
(require 'agent-q-fs)

(defmacro agent-q-fs-test-with-tree (spec &rest body)
  "Run BODY with a workspace over a new directory; both are gone afterwards.
SPEC is (VARIABLE FILE...): VARIABLE is bound to the workspace, and FILE
is (NAME CONTENT), a NAME ending in a slash being a directory.  The
directory is `default-directory' during BODY."
  (declare (indent 1) (debug ((symbolp &rest form) body)))
  `(agent-q-fs-test--call-with-tree (list ,@(cdr spec)) (lambda (,(car spec)) ,@body)))

(defun agent-q-fs-test--write (name content)
  "Write CONTENT into the file NAME below `default-directory'.
Both are text or unibyte strings; a unibyte string's bytes are taken as
they are."
  (let* ((file-name-handler-alist nil)
         (coding-system-for-write 'no-conversion)
         (file (concat default-directory (encode-coding-string name 'utf-8))))
    (make-directory (file-name-directory file) t)
    (unless (directory-name-p file)
      (write-region (encode-coding-string content 'utf-8) nil file nil 'quiet))))

(defun agent-q-fs-test--call-with-tree (files function)
  "Make FILES in a new directory and call FUNCTION with a workspace over it."
  (let* ((directory (file-name-as-directory (file-truename (make-temp-file "aqfs-" t))))
         (default-directory directory)
         (agent-q-fs-workspace nil)
         (agent-q-fs-open-options nil)
         workspace)
    (unwind-protect
        (progn
          (pcase-dolist (`(,name ,content) files)
            (agent-q-fs-test--write name content))
          (setq workspace (agent-q-fs-open :root directory))
          (funcall function workspace))
      (when workspace (agent-q-fs-close workspace))
      (delete-directory directory t))))

(defmacro agent-q-fs-test-message (&rest body)
  "Return the message of the `agent-q-fs-error' that BODY signals."
  (declare (indent 0) (debug (body)))
  `(plist-get (cdr (should-error (progn ,@body) :type 'agent-q-fs-error)) :message))

;;; Nothing here is measured by the clock, because other programs may have the processors: a test
;;; waits for what is to happen, however long that takes.

(defconst agent-q-fs-test-patience 300
  "Seconds after which a test fails because what it waits for does not happen.")

(defmacro agent-q-fs-test-until (form &optional fault)
  "Wait until FORM is non-nil, and return its value.
Timers run and processes are read meanwhile.  Fail with the value of
FAULT when that does not happen."
  (declare (debug t))
  `(let ((deadline (+ (float-time) agent-q-fs-test-patience)) value)
     (while (not (setq value ,form))
       (when (> (float-time) deadline)
         (ert-fail (list "This does not happen" ',form ,fault)))
       (accept-process-output nil 0.01))
     value))

(defconst agent-q-fs-test-hidden-buffers
  "\\` \\|\\`\\*\\(?:Async-native\\|Native\\)-compile-[lL]og\\*\\'"
  "The names of buffers that come and go by themselves.
An Emacs compiles the file of its terminal while it starts, before any
option can forbid that.")

;; Emacs takes some descriptors with its first process, for good.
(delete-process (make-process :name "first" :command '("true") :noquery t))

(defun agent-q-fs-test--held ()
  "Return how many descriptors and threads this process has, (FDS . THREADS)."
  ;; Threads first: one that is gone has closed what it had.
  (let ((threads (length (directory-files "/proc/self/task" nil "[0-9]" t))))
    (cons (length (directory-files "/proc/self/fd" nil "[0-9]" t)) threads)))

(defconst agent-q-fs-test--threads (cdr (agent-q-fs-test--held))
  "How many threads this process has before there are jobs.")

(defun agent-q-fs-test--wait-until (predicate)
  "Wait until PREDICATE accepts what `agent-q-fs-test--held' returns; return that.
A thread that ends is in /proc for a moment.  A process that still refuses after
`agent-q-fs-test-patience' is returned, too, for the test to fail with."
  (let ((deadline (+ (float-time) agent-q-fs-test-patience)) held)
    (while (progn
             (setq held (agent-q-fs-test--held))
             (and (not (funcall predicate held)) (< (float-time) deadline)))
      (sleep-for 0.005))
    held))

(defun agent-q-fs-test-held ()
  "Return how many descriptors and threads this process has without jobs."
  (garbage-collect)                     ; closes what earlier tests dropped
  (agent-q-fs-test--wait-until (lambda (held) (= agent-q-fs-test--threads (cdr held)))))

(defun agent-q-fs-test-held-again (before)
  "Return the descriptors and threads of this process, once they are those BEFORE."
  (agent-q-fs-test--wait-until (lambda (held) (equal held before))))

(defun agent-q-fs-test-remove (directory)
  "Remove DIRECTORY, into which another Emacs that ends may still write."
  (agent-q-fs-test-until (or (not (file-exists-p directory))
                             (ignore-error file-error (delete-directory directory t) t))))

(defmacro agent-q-fs-test-with-events (variable &rest body)
  "Run BODY with VARIABLE bound to the list of events so far, latest first."
  (declare (indent 1) (debug (symbolp body)))
  `(let* ((,variable nil)
          (agent-q-fs-event-functions (list (lambda (event) (push event ,variable)))))
     ,@body))

(defmacro agent-q-fs-test-verbs (&rest body)
  "Return how BODY has called the core, in this order.
Each is the verb `plan' or `commit', or nil for a call without one; a plan
whose digest the caller has is a `check'."
  (declare (indent 0) (debug (body)))
  `(let ((verbs nil))
     (cl-flet ((noting (function)
                 (lambda (workspace operation arguments how &rest more)
                   (push (if (and (eq 'plan (plist-get how :verb)) (plist-get how :digest))
                             'check
                           (plist-get how :verb))
                         verbs)
                   (apply function workspace operation arguments how more))))
       (cl-letf (((symbol-function 'agent-q-fs--mod-call)
                  (noting (symbol-function 'agent-q-fs--mod-call)))
                 ((symbol-function 'agent-q-fs--mod-start)
                  (noting (symbol-function 'agent-q-fs--mod-start))))
         ,@body))
     (nreverse verbs)))

(defun agent-q-fs-test-long-grep (copies &optional every)
  "Fill `default-directory' with COPIES names of one file of 4 MB.
Each line of it matches needle, or one in EVERY lines."
  (let ((first (expand-file-name "f0"))
        (line (concat (make-string 70 ?x) "needle\n"))
        (other (concat (make-string 76 ?x) "\n")))
    (with-temp-file first
      (dotimes (i 55000)
        (insert (if (zerop (% i (or every 1))) line other))))
    (cl-loop for i from 1 below copies
             do (add-name-to-file first (expand-file-name (format "f%d" i))))))

(defun agent-q-fs-test-emacs-command (&rest arguments)
  "Return the command of another Emacs that finds what this one finds.
ARGUMENTS are its own, behind those."
  (append (list (expand-file-name invocation-name invocation-directory) "-Q" "--eval"
                "(setq native-comp-deferred-compilation nil native-comp-jit-compilation nil)")
          (mapcan (lambda (directory)
                    (and directory (list "-L" directory)))
                  (mapcar (lambda (file) (let ((found (locate-library file)))
                                           (and found (file-name-directory found))))
                          '("agent-q-fs" "agent-q-fs-test-help")))
          arguments))

(defun agent-q-fs-test-in-emacs (form)
  "Return the value of FORM in a batch Emacs of its own, without assertions."
  (with-temp-buffer
    (let* ((command (agent-q-fs-test-emacs-command
                     "--batch" "-l" "agent-q-fs" "--eval"
                     (format "(progn (princ \"\\n=>\") (prin1 %S))" form)))
           (status (apply #'call-process (car command) nil t nil (cdr command))))
      (goto-char (point-min))
      (unless (and (eql status 0) (search-forward "\n=>" nil t))
        (error "That Emacs ended with %s and said: %s" status (buffer-string)))
      (read (current-buffer)))))

(provide 'agent-q-fs-test-help)
;;; agent-q-fs-test-help.el ends here
