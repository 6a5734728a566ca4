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

;; With `agent-q-fs-lisp-notes', the changed forms of a Lisp file are compiled as well, by the
;; connected Lisp or, for Emacs Lisp, by another Emacs.  That evaluates macros, so a person is
;; asked about it, once for a project; no reply waits for the answer.

;;; Code:

(require 'agent-q-fs)
(require 'agent-q-fs-approve)
(require 'agent-q-fs-audit)
(require 'agent-q-fs-buffers)
(require 'cl-lib)

(declare-function agent-q-fs-coedit-forms-of "agent-q-fs-coedit" (path text))
(declare-function agent-q-fs-coedit-text-of "agent-q-fs-coedit" (workspace path))
(declare-function agent-q-fs-show-mode-of "agent-q-fs-show" (name))
(declare-function agent-q-fs-sly-compile "agent-q-fs-sly"
                  (lisp text forms changed seconds done))
(declare-function agent-q-fs-sly-lisps "agent-q-fs-sly" (workspace))

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

(defcustom agent-q-fs-lisp-notes nil
  "Whether replies to a model's edits of Lisp tell what the compiler says.
The forms that were changed are compiled by the Lisp that SLY or SLIME has
connected, and those of Emacs Lisp by another Emacs.  Nothing is loaded,
and no file of the project is written.  It is waited for two seconds at
most, and Emacs goes on meanwhile.

Compiling evaluates macros, so you are asked whether a project may, once
in a session or, if you say that it be remembered, once for all."
  :group 'agent-q-fs
  :type '(choice (const :tag "Yes, where a person has allowed it" t)
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

(cl-defgeneric agent-q-fs-diagnostics--start (check)
  "Start what looks at CHECK; return non-nil if there is anything to be told.")

(cl-defmethod agent-q-fs-diagnostics--start ((check agent-q-fs-diagnostics--check))
  "Start the checkers of the buffer of CHECK; return non-nil if there are any."
  (when (buffer-live-p (agent-q-fs-diagnostics--check-buffer check))
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
         t))))))

(defun agent-q-fs-diagnostics--served-p ()
  "Return non-nil if a language server checks this buffer."
  (and (eq 'flymake (agent-q-fs-diagnostics--checker))
       (memq 'eglot-flymake-backend flymake-diagnostic-functions)))

(cl-defgeneric agent-q-fs-diagnostics--done-p (check)
  "Return non-nil if nothing more is to come for CHECK.")

(cl-defmethod agent-q-fs-diagnostics--done-p ((check agent-q-fs-diagnostics--check))
  "Return non-nil if nothing more is to come for CHECK, of a buffer."
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

(defun agent-q-fs-diagnostics--listed (path found)
  "Return the lines for FOUND, diagnostics of PATH; of many, the first ones."
  (let ((more (- (length found) agent-q-fs-diagnostics--shown)))
    (concat (mapconcat (apply-partially #'agent-q-fs-diagnostics--shown path)
                       (seq-take found agent-q-fs-diagnostics--shown) "")
            (and (< 0 more) (format "[%d more]\n" more)))))

(cl-defgeneric agent-q-fs-diagnostics--text (check)
  "Return what CHECK has brought, text for a model, or nil.")

(cl-defmethod agent-q-fs-diagnostics--text ((check agent-q-fs-diagnostics--check))
  "Return what is new since CHECK, text for a model; nil without its buffer."
  (when (buffer-live-p (agent-q-fs-diagnostics--check-buffer check))
    (with-current-buffer (agent-q-fs-diagnostics--check-buffer check)
      (let* ((path (agent-q-fs-diagnostics--check-path check))
             (late (not (agent-q-fs-diagnostics--reported-p)))
             (new (agent-q-fs-diagnostics--new (agent-q-fs-diagnostics--found) check
                                               (agent-q-fs-diagnostics--lines))))
        (concat
         (cond (late (format "[the checker of %s has not answered in %d s]\n" path
                             agent-q-fs-diagnostics--seconds))
               (new (format "New diagnostics (%s):\n" (agent-q-fs-diagnostics--checker)))
               (t (format "[%s: nothing new in %s]\n" (agent-q-fs-diagnostics--checker) path)))
         (unless late
           (agent-q-fs-diagnostics--listed path new)))))))


;;;; Changed forms of Lisp

(cl-defstruct (agent-q-fs-diagnostics--lisp (:constructor agent-q-fs-diagnostics--make-lisp)
                                            (:copier nil))
  "A Lisp file that was changed, and what a compiler says of its new forms."
  workspace path old text
  (forms nil :documentation "Its forms, as list_forms has them.")
  (changed nil :documentation "Those of its forms that are new.")
  (label nil :documentation "The compiler, in a word: SLY, SLIME or Emacs.")
  (found 'late :documentation "Notes, (LINE LEVEL WORDS); words; or `late' until they are there.")
  (stop #'ignore :documentation "The function that ends the compiler.")
  (event nil :documentation "The event that compiling has begun, or nil."))

(defun agent-q-fs-diagnostics--note-lisp (workspace target)
  "Return a check of the Lisp file TARGET in WORKSPACE, or nil."
  (let ((path (plist-get target :path)))
    (when (and (memq (plist-get target :action) '(:write :copy))
               ;; Emacs 30 takes a list of modes, and Emacs 28 several arguments.
               (seq-some (apply-partially #'provided-mode-derived-p (agent-q-fs-show-mode-of path))
                         '(emacs-lisp-mode lisp-mode)))
      (agent-q-fs-diagnostics--make-lisp
       :workspace workspace :path path
       :old (agent-q-fs-coedit-text-of workspace path)))))

(defun agent-q-fs-diagnostics--changed-forms (forms old new)
  "Return those of FORMS, of the text NEW, that the text OLD has in another way."
  (let* ((new (vconcat (split-string new "\n")))
         (common (agent-q-fs-diagnostics--common (vconcat (split-string old "\n")) new))
         (first (1+ (car common)))
         (last (- (length new) (cdr common))))
    (seq-filter (lambda (form)
                  (let ((start (plist-get form :start-line)) (end (plist-get form :end-line)))
                    (if (<= first last)
                        (and (<= first end) (<= start last))
                      (and (< start first) (< last end))))) ; lines of it are gone
                forms)))

(defun agent-q-fs-diagnostics--ours-p (words defined)
  "Return non-nil if WORDS say that one of DEFINED, names here, is unknown.
Names that a file defines need not be loaded; a structure brings other names."
  (let ((case-fold-search t))
    (when (string-match
           (concat "\\(?:undefined [a-z]+:\\|type for specializer\\|the function\\)"
                   "[ \n]+[‘'`]?\\([^ \n’']+\\)")
           words)
      (let ((name (downcase (replace-regexp-in-string "\\`.*:" "" (match-string 1 words)))))
        (seq-some (lambda (one)
                    (string-match-p (concat "\\`\\(?:make-\\|copy-\\)?"
                                            (regexp-quote (downcase one)) "\\(?:-.*\\)?\\'")
                                    name))
                  defined)))))

(defun agent-q-fs-diagnostics--told (check notes)
  "Return those of NOTES, (LINE SEVERITY WORDS), to be told about CHECK."
  (let ((defined (cl-loop for form in (agent-q-fs-diagnostics--lisp-forms check)
                          when (plist-get form :name) collect it)))
    (delete-dups
     (cl-loop for (line severity words) in notes
              when (and (not (memq severity '(:note :redefinition)))
                        (seq-some (lambda (form) (<= (plist-get form :start-line) line
                                                     (plist-get form :end-line)))
                                  (agent-q-fs-diagnostics--lisp-changed check))
                        (not (agent-q-fs-diagnostics--ours-p words defined)))
              collect (list line (if (memq severity '(:error :read-error)) "error" "warning")
                            words)))))

(defconst agent-q-fs-diagnostics--batch
  '(let ((byte-compile-dest-file-function #'ignore)
         (byte-compile-log-warning-function
          (lambda (words &optional position _fill level)
            (princ (format "%S\n" (list position level words))))))
     (byte-compile-file (car command-line-args-left)))
  "The form with which another Emacs tells what the byte compiler says.")

(defun agent-q-fs-diagnostics--batch-notes (text output)
  "Return the notes about TEXT in OUTPUT of that Emacs, (LINE SEVERITY WORDS)."
  (cl-loop for said in (split-string output "\n" t)
           for (at level words) = (ignore-errors (car (read-from-string said)))
           when (stringp words)
           collect (list (1+ (cl-count ?\n text :end (max 0 (min (length text) (1- (or at 1))))))
                         (if (eq level :error) :error :warning)
                         words)))

(defun agent-q-fs-diagnostics--compile-apart (path text done)
  "Have another Emacs compile TEXT, of PATH, into nothing; call DONE with notes."
  (let* ((directory (file-name-as-directory (make-temp-file "agent-q-fs-" t)))
         (file (concat directory (file-name-nondirectory path)))
         (buffer (generate-new-buffer " *agent-q-fs notes*"))
         (default-directory directory)
         (coding-system-for-write 'utf-8-unix))
    (write-region text nil file nil 'quiet)
    (let ((process
           (make-process
            :name "agent-q-fs notes" :buffer buffer :noquery t :connection-type 'pipe
            :coding 'utf-8-unix
            :command (list "sh" "-c" "exec \"$@\" 2>/dev/null" "sh"
                           (expand-file-name invocation-name invocation-directory) "-Q" "--batch"
                           "--eval" (format "(setq load-path '%S)" load-path)
                           "-l" "bytecomp" "--eval" (format "%S" agent-q-fs-diagnostics--batch)
                           file)
            :sentinel
            (lambda (process _)
              (when (and (eq 'exit (process-status process)) (buffer-live-p buffer))
                (funcall done (agent-q-fs-diagnostics--batch-notes
                               text (with-current-buffer buffer (buffer-string)))))))))
      (lambda ()
        (delete-process process)
        (kill-buffer buffer)
        (delete-directory directory t)))))

(defun agent-q-fs-diagnostics--compile (check lisp)
  "Have LISP, connected, compile the changed forms of CHECK; nil stands for Emacs."
  (let ((text (agent-q-fs-diagnostics--lisp-text check))
        (done (lambda (found)
                (setf (agent-q-fs-diagnostics--lisp-found check)
                      (if (listp found) (agent-q-fs-diagnostics--told check found) found)))))
    (setf (agent-q-fs-diagnostics--lisp-stop check)
          (if lisp
              (agent-q-fs-sly-compile lisp text (agent-q-fs-diagnostics--lisp-forms check)
                                      (agent-q-fs-diagnostics--lisp-changed check)
                                      agent-q-fs-diagnostics--seconds done)
            (agent-q-fs-diagnostics--compile-apart
             (agent-q-fs-diagnostics--lisp-path check) text done)))))


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
  (unless (agent-q-fs--memory-p workspace)
    (let ((notes (append (and (default-value 'agent-q-fs-diagnostics)
                              '(agent-q-fs-diagnostics--note))
                         (and (default-value 'agent-q-fs-lisp-notes)
                              '(agent-q-fs-diagnostics--note-lisp)))))
      (when notes
        (puthash targets
                 (with-demoted-errors "agent-q-fs: before a check: %S"
                   (cl-loop for note in notes
                            append (delq nil (mapcar (apply-partially note workspace) targets))))
                 agent-q-fs-diagnostics--before)))))

(defun agent-q-fs-diagnostics-after-change (_workspace targets reply)
  "Keep what was noted of TARGETS for those who show REPLY to a model."
  (let ((checks (gethash targets agent-q-fs-diagnostics--before)))
    (remhash targets agent-q-fs-diagnostics--before)
    (when (and checks reply)
      (puthash reply checks agent-q-fs-diagnostics--after))))

(add-hook 'agent-q-fs-before-change-functions #'agent-q-fs-diagnostics-before-change)
(put 'agent-q-fs-diagnostics-before-change 'agent-q-fs-only-looks t)
;; The buffers must show the new text by then.
(add-hook 'agent-q-fs-after-change-functions #'agent-q-fs-diagnostics-after-change 50)


;;;; May it be compiled?

(defun agent-q-fs-diagnostics--request (check)
  "Return the request to compile what CHECK is of, and what comes after it."
  (agent-q-fs-request--make
   :tool "lisp_notes" :workspace (agent-q-fs-diagnostics--lisp-workspace check) :tier 'dangerous
   :arguments (list :path (agent-q-fs-diagnostics--lisp-path check))
   :targets (list (list :path (agent-q-fs-diagnostics--lisp-path check)))
   :summary (format "let %s compile the Lisp that models change in this project"
                    (agent-q-fs-diagnostics--lisp-label check))
   :facts '(("Runs" . "macros, as you: those that are there, and what a model writes into one"))
   :remake (lambda (&rest _)
             (agent-q-fs--fail :invalid-argument "This can be allowed or denied, not changed"))))

(defun agent-q-fs-diagnostics--forbidden (check)
  "Return why CHECK's file must not be compiled, words for a model; nil if it may."
  (pcase (agent-q-fs-approve-once (agent-q-fs-diagnostics--request check))
    ('denied "the user does not let it be compiled")
    ('asked "the user is asked whether it may be compiled, which runs macros")))

(cl-defmethod agent-q-fs-diagnostics--start ((check agent-q-fs-diagnostics--lisp))
  "Have the changed forms of CHECK compiled; return nil if there are none."
  (require 'agent-q-fs-sly)
  (let* ((workspace (agent-q-fs-diagnostics--lisp-workspace check))
         (path (agent-q-fs-diagnostics--lisp-path check))
         (text (agent-q-fs-coedit-text-of workspace path))
         (forms (agent-q-fs-coedit-forms-of path text))
         (changed (agent-q-fs-diagnostics--changed-forms
                   forms (agent-q-fs-diagnostics--lisp-old check) text))
         (emacs (provided-mode-derived-p (agent-q-fs-show-mode-of path) 'emacs-lisp-mode))
         (lisp (unless emacs (car (agent-q-fs-sly-lisps workspace)))))
    (when changed
      (setf (agent-q-fs-diagnostics--lisp-text check) text
            (agent-q-fs-diagnostics--lisp-forms check) forms
            (agent-q-fs-diagnostics--lisp-changed check) changed
            (agent-q-fs-diagnostics--lisp-label check) (if emacs "Emacs" (car lisp))
            (agent-q-fs-diagnostics--lisp-found check)
            (if (or emacs lisp)
                (or (agent-q-fs-diagnostics--forbidden check) 'late)
              "no Lisp is connected that could compile it"))
      (when (eq 'late (agent-q-fs-diagnostics--lisp-found check))
        (setf (agent-q-fs-diagnostics--lisp-event check)
              (agent-q-fs-audit-start 'tool "lisp_notes" workspace 'dangerous))
        (agent-q-fs-audit-insist)
        (agent-q-fs-diagnostics--compile check lisp))
      t)))

(cl-defmethod agent-q-fs-diagnostics--done-p ((check agent-q-fs-diagnostics--lisp))
  "Return non-nil if the compiler has answered about CHECK."
  (not (eq 'late (agent-q-fs-diagnostics--lisp-found check))))

(cl-defmethod agent-q-fs-diagnostics--text ((check agent-q-fs-diagnostics--lisp))
  "Return what the compiler says of CHECK, and end it."
  (let* ((found (agent-q-fs-diagnostics--lisp-found check))
         (path (agent-q-fs-diagnostics--lisp-path check))
         (label (agent-q-fs-diagnostics--lisp-label check))
         (event (agent-q-fs-diagnostics--lisp-event check))
         (text
          (cond ((stringp found)
                 (format "[%s: not compiled: %s]\n" path
                         (truncate-string-to-width (agent-q-fs-buffers--visible found) 200)))
                ((eq 'late found) (format "[%s has not compiled %s in %d s]\n" label path
                                          agent-q-fs-diagnostics--seconds))
                (found (concat (format "Notes of the compiler (%s):\n" label)
                               (agent-q-fs-diagnostics--listed path found)))
                (t (format "[%s compiles what is new in %s without a warning]\n" label path)))))
    (funcall (agent-q-fs-diagnostics--lisp-stop check))
    (when event (agent-q-fs-audit-end event (list :text text) (list :path path)))
    text))


;;;; The reply

(defun agent-q-fs-diagnostics--started (checks)
  "Start the checkers of CHECKS, and return those that were started."
  (seq-filter (lambda (check)
                (with-demoted-errors "agent-q-fs: a checker cannot start: %S"
                  (agent-q-fs-diagnostics--start check)))
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
