;;; driver.el --- The conformance table through Emacs  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;;     CASES=FILE TABLES="a.sexp b.sexp" emacs --batch -L elisp -l driver.el
;;
;; FILE is what `driver setup' printed: one property list a case and resolver,
;; its texts evaluated and its tree made.  Each call is made with `agent-q-fs-call', and
;; what comes is compared here; the trees are looked at by `driver check'.
;; Speaks only of failures; the last line is `3 passed, 0 failed, 0 skipped'.

;;; Code:

(require 'agent-q-fs)
(load (expand-file-name "declared" (file-name-directory (or load-file-name buffer-file-name)))
      nil t)
(declare-function declared-faults "declared" (operation plan reply))

(defvar driver-opened nil
  "Whether the workspace of the case was opened.")

(defun driver-read-file (file)
  "Return all data in FILE."
  (with-temp-buffer
    (let ((coding-system-for-read 'utf-8-unix))
      (insert-file-contents file))
    (let (data)
      (while (progn (skip-chars-forward " \n")
                    (looking-at ";"))
        (forward-line))
      (condition-case nil
          (while t
            (push (read (current-buffer)) data))
        (end-of-file (nreverse data))))))


;;;; Arguments

(defun driver-value (value)
  "Return the table's VALUE as an argument."
  (cond ((eq value 'false) :false)
        ((eq value 'null) :null)
        ((consp value) (mapcar #'driver-value value))
        (t value)))

(defun driver-ask (workspace call how &rest members)
  "Make CALL in WORKSPACE for the origin in HOW, with further MEMBERS."
  (agent-q-fs--call workspace (car call) (cdr call)
                    (append members (list :origin (plist-get how :origin)))))

(defun driver-digest (workspace how shown)
  "Return the digest that HOW asks for, that of previewing SHOWN in WORKSPACE, or nil."
  (if (plist-get how :approved)
      (condition-case problem
          (plist-get (driver-ask workspace shown how :verb 'plan
                                 :authority agent-q-fs-authority)
                     :digest)
        (agent-q-fs-error (or (plist-get (cdr problem) :digest) "none")))
    (plist-get how :digest)))

(defun driver-call (workspace case)
  "Make the call of CASE, (OPERATION . ARGUMENTS), in WORKSPACE as it says."
  (let* ((how (plist-get case :how))
         (call (mapcar #'driver-value (plist-get case :call)))
         (shown (mapcar #'driver-value (plist-get case :shown)))
         (agent-q-fs-authority (or (plist-get how :authority) 'safe))
         (digest (driver-digest workspace how (or shown call)))
         (meanwhile (plist-get case :meanwhile)))
    (when meanwhile
      (apply #'call-process (car meanwhile) nil nil nil (cdr meanwhile)))
    (cond ((plist-get how :origin)
           (driver-ask workspace call how :digest digest
                       :verb (and (plist-get how :preview) 'plan)
                       :authority (if digest 'dangerous agent-q-fs-authority)))
          ((plist-get how :preview) (apply #'agent-q-fs-preview workspace call))
          (digest (apply #'agent-q-fs-commit workspace digest call))
          (t (apply #'agent-q-fs-call workspace call)))))

(defun driver-perform (case)
  "Return the reply of CASE's call, or the data of the error it signals."
  (let ((workspace nil))
    (setq driver-opened nil)
    (condition-case problem
        (unwind-protect
            (progn
              (setq workspace (apply #'agent-q-fs-open
                                     (mapcar #'driver-value (plist-get case :options)))
                    driver-opened t)
              (if (plist-get case :call)
                  (driver-call workspace case)
                (agent-q-fs-workspace-facts workspace)))
          (when workspace
            (agent-q-fs-close workspace)))
      (agent-q-fs-error
       ;; The condition's name and its data must agree.
       (if (eq (car problem)
               (intern (format "agent-q-fs-%s"
                               (substring (symbol-name (plist-get (cdr problem) :error)) 1))))
           (cdr problem)
         (list :error :wrong-condition :message (format "%S" problem))))
      (error (list :error :not-ours :message (format "%S" problem))))))


;;;; Comparing

(defun driver-like-p (text like)
  "Return non-nil if TEXT is LIKE, in which `?' is any character."
  (and (stringp text)
       (= (length text) (length like))
       (not (memq nil (seq-mapn (lambda (a b) (or (eq a ??) (eq a b))) like text)))))

(defun driver-has-p (text part)
  "Return non-nil if PART occurs in TEXT."
  (and (stringp text)
       (let ((case-fold-search nil))
         (string-match-p (regexp-quote part) text))))

(defun driver-some (predicate list)
  "Return non-nil if PREDICATE is true of something in LIST."
  (and (proper-list-p list) (seq-some predicate list)))

(defun driver-map-difference (want got)
  "Return where the property list GOT differs from WANT, or nil."
  (let (difference)
    (while (and want (not difference))
      (let* ((key (pop want))
             (inner (driver-difference (pop want)
                                       (and (proper-list-p got) (plist-get got key)))))
        (when inner
          (setq difference (cons key inner)))))
    difference))

(defun driver-list-difference (want got)
  "Return where the list GOT differs from WANT, or nil."
  (if (not (and (proper-list-p got) (= (length want) (length got))))
      '(here)
    (let ((index 0) difference)
      (while (and want (not difference))
        (let ((inner (driver-difference (pop want) (pop got))))
          (when inner
            (setq difference (cons index inner))))
        (setq index (1+ index)))
      difference)))

(defun driver-pattern-p (pattern got)
  "Return non-nil if GOT is as PATTERN demands."
  (let ((parts (cdr pattern)))
    (pcase (car pattern)
      ('any got)
      ('contains (seq-every-p (lambda (part) (driver-has-p got part)) parts))
      ('without (and (stringp got)
                     (not (seq-some (lambda (part) (driver-has-p got part)) parts))))
      ('like (driver-like-p got (car parts)))
      ('has (seq-every-p (lambda (want)
                           (driver-some (lambda (item) (not (driver-difference want item))) got))
                         parts))
      ('lacks (not (seq-some (lambda (want)
                               (driver-some (lambda (item) (not (driver-difference want item)))
                                            got))
                             parts)))
      (_ (error "%S is no pattern" pattern)))))

(defun driver-difference (want got)
  "Return where GOT differs from WANT, a list of keys and indices, or nil."
  (cond ((not (consp want)) (unless (equal want got) '(here)))
        ((keywordp (car want)) (driver-map-difference want got))
        ((symbolp (car want)) (unless (driver-pattern-p want got) '(here)))
        (t (driver-list-difference want got))))

(defun driver-error-difference (want got)
  "Return where the error GOT differs from WANT, or nil.
WANT is (CODE PART... :KEY VALUE...)."
  (let ((code (pop want)) difference)
    (unless (eq (plist-get got :error) (intern (format ":%s" code)))
      (setq difference '(:error)))
    (while (stringp (car want))
      (unless (driver-has-p (plist-get got :message) (pop want))
        (setq difference '(:message))))
    (or difference (driver-map-difference want got))))

(defun driver-outcome-difference (want got)
  "Return where GOT differs from the clause WANT, or nil."
  (cond ((eq (car want) 'any) nil)
        ((eq (car want) 'refused)
         (unless (memq (plist-get got :error)
                       (mapcar (lambda (code) (intern (format ":%s" code))) (cdr want)))
           '(:error)))
        ((eq (car want) 'error) (driver-error-difference (cdr want) got))
        ((plist-get got :error) '(an error))
        (t (driver-map-difference (cdr want) got))))


;;;; Running

(defun driver-tell (case)
  "Tell scripts/watch-tests.sh that CASE begins."
  (let ((file (getenv "TEST_NOW")))
    (when file
      (write-region (format "%s (emacs)\n" (plist-get case :name)) nil file nil 'quiet))))

(defun driver-run (case)
  "Return non-nil if CASE is as it should be."
  (driver-tell case)
  (let* ((want (plist-get case :want))
         (got (driver-perform case))
         (printed (let ((print-escape-newlines t)
                        (print-circle t)) ; else deep trees are taken for circles
                    (prin1-to-string got)))
         (difference (driver-outcome-difference want got))
         (told (seq-filter (lambda (text) (driver-has-p printed text))
                           (plist-get case :never)))
         (undeclared (declared-faults (and driver-opened (car (plist-get case :call)))
                                      (plist-get (plist-get case :how) :preview) got)))
    (when (or difference told undeclared)
      (message "FAILED %s (emacs, %s)\n  expected: %S\n  came:     %.3000s"
               (plist-get case :name) (plist-get (plist-get case :options) :resolver)
               want printed)
      (when difference (message "  differs at %S" difference))
      (when told (message "  the reply tells %S" told))
      (when undeclared (message "  not as declared: %S" undeclared)))
    (not (or difference told undeclared))))

(defun driver-main ()
  "Run all cases and exit."
  (let ((passed 0) (failed 0) (skipped 0))
    (dolist (table (split-string (getenv "TABLES") " " t))
      (unless (driver-read-file table)
        (error "Nothing in %s" table)))
    (dolist (case (driver-read-file (getenv "CASES")))
      (cond ((not (memq 'emacs (plist-get case :doors))) (setq skipped (1+ skipped)))
            ((driver-run case) (setq passed (1+ passed)))
            (t (setq failed (1+ failed)))))
    (message "emacs: %d passed, %d failed, %d skipped" passed failed skipped)
    (kill-emacs (if (zerop failed) 0 1))))

(driver-main)

;;; driver.el ends here
