;;; agent-q-fs-diagnostics.el --- What checkers say of a model's edit  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Where a model has changed a file that you visit with Flymake or Flycheck, the checker looks
;; at the new text, and the reply tells what it finds that it did not find before.
;;
;;   - Before the change, the buffer's text and its diagnostics are noted.
;;   - After it, when the buffer shows the new text, the checkers are started.
;;   - A timer looks until all have reported, for two seconds at most.  Emacs never waits, so
;;     `agent-q-fs-call-tool', which returns its answer, has no diagnostics.
;;
;; A diagnostic is old if one with the same words was on the same line before.  Lines above and
;; below all that was changed keep their numbers, counted from the beginning or the end; between,
;; a line is known by its text.  If the checker had not looked at the old text, only the lines
;; between count.
;;
;; Some checkers run what is in the file: the byte compiler expands its macros.  An edit that
;; nobody was asked about would run a program, so these are left out unless
;; `agent-q-fs-diagnostics' is `all'.

;;; Code:

(require 'agent-q-fs)
(require 'agent-q-fs-buffers)
(require 'cl-lib)

(declare-function flycheck-buffer "ext:flycheck" ())
(declare-function flycheck-error-level "ext:flycheck" (err) t)
(declare-function flycheck-error-line "ext:flycheck" (err) t)
(declare-function flycheck-error-message "ext:flycheck" (err) t)
(declare-function flycheck-get-checker-for-buffer "ext:flycheck" ())
(declare-function flymake-diagnostic-beg "flymake" (diag) t)
(declare-function flymake-diagnostic-text "flymake" (diag) t)
(declare-function flymake-diagnostic-type "flymake" (diag) t)
(declare-function flymake-diagnostics "flymake" (&optional beg end))
(declare-function flymake-reporting-backends "flymake" ())
(declare-function flymake-running-backends "flymake" ())
(declare-function flymake-start "flymake" (&optional deferred force))
(defvar eglot--diagnostics)
(defvar flycheck-current-errors)
(defvar flycheck-last-status-change)
(defvar flycheck-mode)
(defvar flymake-diagnostic-functions)
(defvar flymake-mode)

(defcustom agent-q-fs-diagnostics t
  "Whether replies to a model's edits tell what checkers find that is new.
These are Flymake and Flycheck, in buffers that visit the changed file
where you have turned them on.  With t, checkers that run code of the file
are left out; `all' has those as well.  A new diagnostic is waited for two
seconds at most, and Emacs goes on meanwhile."
  :group 'agent-q-fs
  :type '(choice (const :tag "Yes" t)
                 (const :tag "Also of checkers that run code of the file" all)
                 (const :tag "No" nil)))

(defconst agent-q-fs-diagnostics--running
  '(elisp-flymake-byte-compile perl-flymake emacs-lisp perl)
  "Checkers of Flymake and Flycheck that run code of the file.")

(defvar agent-q-fs-diagnostics--seconds 2
  "For how many seconds diagnostics are waited for.")

(defconst agent-q-fs-diagnostics--quiet 0.4
  "After how many seconds without news a language server has said all.")

(defconst agent-q-fs-diagnostics--most-text 2000000
  "A buffer with more characters is not checked.")

(defconst agent-q-fs-diagnostics--shown 10
  "How many diagnostics are shown.")

(cl-defstruct (agent-q-fs-diagnostics--check (:constructor agent-q-fs-diagnostics--make)
                                             (:copier nil))
  "A buffer that was changed, and what its checkers said before."
  buffer path old-lines old-found
  (known nil :documentation "Whether the checkers had looked at the old text.")
  (server nil :documentation "What a language server had said when the checkers were started.")
  (heard nil :documentation "When it has said something else."))


;;;; Checkers

(defun agent-q-fs-diagnostics--allowed-p (checker)
  "Return non-nil if CHECKER, a symbol, may be started."
  (or (eq 'all (default-value 'agent-q-fs-diagnostics))
      (not (memq checker agent-q-fs-diagnostics--running))))

(defun agent-q-fs-diagnostics--checker ()
  "Return which checker is on here: `flymake', `flycheck' or nil."
  (cond ((bound-and-true-p flymake-mode) 'flymake)
        ((and (bound-and-true-p flycheck-mode)
              (ignore-errors (flycheck-get-checker-for-buffer)))
         'flycheck)))

(defun agent-q-fs-diagnostics--found ()
  "Return the errors and warnings here, as (LINE LEVEL WORDS)."
  (save-restriction
    (widen)
    (cl-remove
     "note"
     (if (eq 'flymake (agent-q-fs-diagnostics--checker))
         (mapcar (lambda (one)
                   (list (line-number-at-pos (flymake-diagnostic-beg one))
                         (agent-q-fs-diagnostics--level (flymake-diagnostic-type one))
                         (flymake-diagnostic-text one)))
                 (flymake-diagnostics))
       (mapcar (lambda (one)
                 (list (or (flycheck-error-line one) 1)
                       (agent-q-fs-diagnostics--level (flycheck-error-level one))
                       (or (flycheck-error-message one) "")))
               flycheck-current-errors))
     :key #'cadr :test #'equal)))

(defun agent-q-fs-diagnostics--level (type)
  "Return the word for TYPE, as a checker calls it."
  (let ((case-fold-search t)
        (name (format "%s" type)))
    (cond ((string-match-p "error" name) "error")
          ((string-match-p "warn" name) "warning")
          (t "note"))))

(defun agent-q-fs-diagnostics--backends ()
  "Return the backends of Flymake that run here and may be started."
  (seq-filter #'agent-q-fs-diagnostics--allowed-p (flymake-running-backends)))

(defun agent-q-fs-diagnostics--reported-p ()
  "Return non-nil if no checker that was started here has still to report."
  (if (eq 'flymake (agent-q-fs-diagnostics--checker))
      (not (seq-difference (agent-q-fs-diagnostics--backends) (flymake-reporting-backends)))
    (not (eq 'running flycheck-last-status-change))))

(defun agent-q-fs-diagnostics--known-p ()
  "Return non-nil if a checker has looked at the text that is here."
  (and (agent-q-fs-diagnostics--reported-p)
       (if (eq 'flymake (agent-q-fs-diagnostics--checker))
           (flymake-running-backends)
         (eq 'finished flycheck-last-status-change))
       t))

(defun agent-q-fs-diagnostics--server-said ()
  "Return what a language server has said here; another object is news."
  (bound-and-true-p eglot--diagnostics))

(defun agent-q-fs-diagnostics--start (check)
  "Start the checkers of the buffer of CHECK; return non-nil if there are any."
  (with-current-buffer (agent-q-fs-diagnostics--check-buffer check)
    (setf (agent-q-fs-diagnostics--check-server check) (agent-q-fs-diagnostics--server-said))
    (pcase (agent-q-fs-diagnostics--checker)
      ('flymake
       (let ((flymake-diagnostic-functions
              (seq-filter #'agent-q-fs-diagnostics--allowed-p
                          (append (remq t flymake-diagnostic-functions)
                                  (and (memq t flymake-diagnostic-functions)
                                       (default-value 'flymake-diagnostic-functions))))))
         (when flymake-diagnostic-functions
           (flymake-start)
           t)))
      ('flycheck
       (when (agent-q-fs-diagnostics--allowed-p (flycheck-get-checker-for-buffer))
         (flycheck-buffer)
         t)))))

(defun agent-q-fs-diagnostics--served-p ()
  "Return non-nil if a language server checks this buffer."
  (and (eq 'flymake (agent-q-fs-diagnostics--checker))
       (memq 'eglot-flymake-backend flymake-diagnostic-functions)))

(defun agent-q-fs-diagnostics--done-p (check)
  "Return non-nil if nothing more is to come for CHECK."
  (let ((buffer (agent-q-fs-diagnostics--check-buffer check)))
    (or (not (buffer-live-p buffer))
        (with-current-buffer buffer
          (let ((said (agent-q-fs-diagnostics--server-said)))
            (unless (eq said (agent-q-fs-diagnostics--check-server check))
              (setf (agent-q-fs-diagnostics--check-server check) said
                    (agent-q-fs-diagnostics--check-heard check) (float-time))))
          (and (agent-q-fs-diagnostics--reported-p)
               (or (not (agent-q-fs-diagnostics--served-p))
                   (let ((heard (agent-q-fs-diagnostics--check-heard check)))
                     (and heard
                          (< agent-q-fs-diagnostics--quiet (- (float-time) heard))))))))))


;;;; New findings

(defun agent-q-fs-diagnostics--lines ()
  "Return the lines of this buffer, a vector."
  (save-restriction
    (widen)
    (vconcat (split-string (buffer-substring-no-properties (point-min) (point-max)) "\n"))))

(defun agent-q-fs-diagnostics--common (old new)
  "Return how many lines OLD and NEW, vectors, have in common: (ABOVE . BELOW)."
  (let* ((most (min (length old) (length new))) (above 0) (below 0))
    (while (and (< above most) (equal (aref old above) (aref new above)))
      (setq above (1+ above)))
    (while (and (< below (- most above))
                (equal (aref old (- (length old) below 1)) (aref new (- (length new) below 1))))
      (setq below (1+ below)))
    (cons above below)))

(defun agent-q-fs-diagnostics--same-place-p (was is old new common)
  "Return non-nil if line number WAS of OLD became line IS of NEW, vectors.
COMMON is what `agent-q-fs-diagnostics--common' returns for them."
  (cond ((<= is (car common)) (= was is))
        ((< (- (length new) is) (cdr common)) (= (- (length old) was) (- (length new) is)))
        (t (and (<= 1 was (length old)) (<= 1 is (length new))
                (equal (string-trim (aref old (1- was))) (string-trim (aref new (1- is))))))))

(defun agent-q-fs-diagnostics--words (one)
  "Return the words of ONE, a diagnostic, without numbers, such as of lines."
  (replace-regexp-in-string "[0-9]+" "0" (nth 2 one)))

(defun agent-q-fs-diagnostics--new (found check new)
  "Return those of FOUND, about the lines NEW, that are new since CHECK."
  (let* ((old (agent-q-fs-diagnostics--check-old-lines check))
         (common (agent-q-fs-diagnostics--common old new))
         (left (copy-sequence (agent-q-fs-diagnostics--check-old-found check))))
    (cl-remove-if
     (lambda (one)
       (if (agent-q-fs-diagnostics--check-known check)
           (let ((was (seq-find (lambda (was)
                                  (and (equal (agent-q-fs-diagnostics--words was)
                                              (agent-q-fs-diagnostics--words one))
                                       (agent-q-fs-diagnostics--same-place-p
                                        (car was) (car one) old new common)))
                                left)))
             (when was (setq left (remq was left)))
             was)
         (or (<= (car one) (car common))
             (< (- (length new) (car one)) (cdr common)))))
     (sort (copy-sequence found)
           (lambda (a b)
             (if (= (car a) (car b))
                 (string< (nth 1 a) (nth 1 b)) ; "error", "warning"
               (< (car a) (car b))))))))

(defun agent-q-fs-diagnostics--shown (path one)
  "Return the line for ONE, a diagnostic of PATH."
  (format "%s:%d: %s: %s\n" path (car one) (nth 1 one)
          (truncate-string-to-width
           (agent-q-fs-buffers--visible
            (replace-regexp-in-string "[ \t]*\n[ \t\n]*" " " (nth 2 one)))
           200 nil nil t)))

(defun agent-q-fs-diagnostics--text (check)
  "Return what is new since CHECK, text for a model; nil without its buffer."
  (when (buffer-live-p (agent-q-fs-diagnostics--check-buffer check))
    (with-current-buffer (agent-q-fs-diagnostics--check-buffer check)
      (let* ((path (agent-q-fs-diagnostics--check-path check))
             (late (not (agent-q-fs-diagnostics--reported-p)))
             (new (agent-q-fs-diagnostics--new (agent-q-fs-diagnostics--found) check
                                               (agent-q-fs-diagnostics--lines)))
             (more (- (length new) agent-q-fs-diagnostics--shown)))
        (concat
         (cond (late (format "[the checker of %s has not answered in %d s]\n" path
                             agent-q-fs-diagnostics--seconds))
               (new (format "New diagnostics (%s):\n" (agent-q-fs-diagnostics--checker)))
               (t (format "[%s: nothing new in %s]\n" (agent-q-fs-diagnostics--checker) path)))
         (unless late
           (concat
            (mapconcat (apply-partially #'agent-q-fs-diagnostics--shown path)
                       (seq-take new agent-q-fs-diagnostics--shown) "")
            (and (< 0 more) (format "[%d more]\n" more)))))))))


;;;; Around a change

(defvar agent-q-fs-diagnostics--before (make-hash-table :test #'eq :weakness 'key)
  "The notes before a change, by its targets.")

(defvar agent-q-fs-diagnostics--after (make-hash-table :test #'eq :weakness 'key)
  "The checks to make after a change, by its reply.")

(defun agent-q-fs-diagnostics--note (workspace target)
  "Return a check of the buffer that visits TARGET in WORKSPACE, or nil."
  (let* ((file-name-handler-alist nil)
         (path (plist-get target :path))
         (buffer (and (memq (plist-get target :action) '(:write :copy))
                      (find-buffer-visiting (agent-q-fs-path-name workspace path)))))
    (when (and buffer (< (buffer-size buffer) agent-q-fs-diagnostics--most-text))
      (with-current-buffer buffer
        (when (agent-q-fs-diagnostics--checker)
          (agent-q-fs-diagnostics--make
           :buffer buffer :path path :old-lines (agent-q-fs-diagnostics--lines)
           :old-found (agent-q-fs-diagnostics--found)
           :known (agent-q-fs-diagnostics--known-p)))))))

(defun agent-q-fs-diagnostics-before-change (workspace targets)
  "Note what checkers say of TARGETS before they are changed in WORKSPACE."
  (when (and (default-value 'agent-q-fs-diagnostics)
             (not (agent-q-fs--memory-p workspace)))
    (puthash targets
             (with-demoted-errors "agent-q-fs: before a check: %S"
               (delq nil (mapcar (apply-partially #'agent-q-fs-diagnostics--note workspace)
                                 targets)))
             agent-q-fs-diagnostics--before)))

(defun agent-q-fs-diagnostics-after-change (_workspace targets reply)
  "Keep what was noted of TARGETS for those who show REPLY to a model."
  (let ((checks (gethash targets agent-q-fs-diagnostics--before)))
    (remhash targets agent-q-fs-diagnostics--before)
    (when (and checks reply)
      (puthash reply checks agent-q-fs-diagnostics--after))))

(add-hook 'agent-q-fs-before-change-functions #'agent-q-fs-diagnostics-before-change)
;; The buffers must show the new text by then.
(add-hook 'agent-q-fs-after-change-functions #'agent-q-fs-diagnostics-after-change 50)


;;;; The reply

(defun agent-q-fs-diagnostics--started (checks)
  "Start the checkers of CHECKS, and return those that were started."
  (seq-filter (lambda (check)
                (and (buffer-live-p (agent-q-fs-diagnostics--check-buffer check))
                     (with-demoted-errors "agent-q-fs: a checker cannot start: %S"
                       (agent-q-fs-diagnostics--start check))))
              checks))

(defun agent-q-fs-diagnostics--wait (checks done)
  "Call DONE when CHECKS, which were started, have ended or are late."
  (let ((deadline (+ (float-time) agent-q-fs-diagnostics--seconds))
        (timer nil))
    (setq timer
          (run-with-timer
           0.05 0.05
           (lambda ()
             (when (or (< deadline (float-time))
                       (seq-every-p (lambda (check)
                                      (condition-case nil
                                          (agent-q-fs-diagnostics--done-p check)
                                        (error t)))
                                    checks))
               (cancel-timer timer)
               (funcall done)))))))

(defun agent-q-fs-diagnostics-then (reply shown done)
  "Call DONE with SHOWN, a reply to a model, and what REPLY brought.
REPLY is what the change was answered with.  DONE is called at once if
there is nothing to wait for."
  (let* ((checks (gethash reply agent-q-fs-diagnostics--after))
         (started (and checks (agent-q-fs-diagnostics--started checks))))
    (remhash reply agent-q-fs-diagnostics--after)
    (if (not started)
        (funcall done shown)
      (agent-q-fs-diagnostics--wait
       started
       (lambda ()
         (let ((text (plist-get shown :text)))
           (funcall done
                    (plist-put (copy-sequence shown) :text
                               (concat text (unless (string-suffix-p "\n" text) "\n")
                                       (with-demoted-errors "agent-q-fs: after a check: %S"
                                         (mapconcat #'agent-q-fs-diagnostics--text started
                                                    "")))))))))))

(provide 'agent-q-fs-diagnostics)
;;; agent-q-fs-diagnostics.el ends here
