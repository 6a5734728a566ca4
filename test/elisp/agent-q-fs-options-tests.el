;;; agent-q-fs-options-tests.el --- Tests of who sets options  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; A project's files must not set options.  All definitions of the package are walked, so
;; that an option that comes later is tested, too.

;;; Code:

(require 'agent-q-fs-test-help)
(require 'agent-q-fs-tools)
(require 'dired)

(defun agent-q-fs-options-tests--files ()
  "Return the sources of the package."
  (directory-files (file-name-directory (locate-library "agent-q-fs.el")) t
                   "\\`agent-q-fs[a-z-]*\\.el\\'"))

(defun agent-q-fs-options-tests--forms (file)
  "Return the forms in FILE."
  (with-temp-buffer
    (insert-file-contents file)
    (let (forms)
      (ignore-error end-of-file
        (while t (push (read (current-buffer)) forms)))
      (nreverse forms))))

(defun agent-q-fs-options-tests--defined (&rest kinds)
  "Return the variables that forms of KINDS define, such as `defcustom'."
  (delete-dups
   (mapcan (lambda (file)
             (mapcan (lambda (form)
                       (and (memq (car-safe form) kinds) (symbolp (nth 1 form))
                            (string-prefix-p "agent-q-fs-" (symbol-name (nth 1 form)))
                            (list (nth 1 form))))
                     (agent-q-fs-options-tests--forms file)))
           (agent-q-fs-options-tests--files))))

(defconst agent-q-fs-options-tests--variables
  (agent-q-fs-options-tests--defined 'defcustom 'defvar 'defvar-local 'defconst)
  "All variables of the package.")

(defun agent-q-fs-options-tests--set-all ()
  "Have the directory, and the file a.txt in it, set all variables of the package."
  (with-temp-file ".dir-locals.el"
    (prin1 `((nil . ,(mapcar (lambda (variable) (cons variable 'never))
                             agent-q-fs-options-tests--variables)))
           (current-buffer)))
  (with-temp-file "a.txt"
    (insert "one\n\nLocal Variables:\n"
            (mapconcat (lambda (variable) (format "%s: never\n" variable))
                       agent-q-fs-options-tests--variables "")
            "End:\n")))

(defun agent-q-fs-options-tests--local (buffer)
  "Return the variables of the package that have a value of their own in BUFFER."
  (with-current-buffer buffer
    (seq-filter #'local-variable-p agent-q-fs-options-tests--variables)))

(defmacro agent-q-fs-options-tests--with (spec &rest body)
  "Run BODY in a tree as SPEC says, whose files set what they like."
  (declare (indent 1) (debug (sexp body)))
  `(agent-q-fs-test-with-tree ,spec
     (let ((enable-local-variables :all)
           (enable-dir-local-variables t)
           (inhibit-message t)
           (before (buffer-list)))
       (unwind-protect (progn ,@body)
         (dolist (buffer (buffer-list))
           (unless (memq buffer before)
             (with-current-buffer buffer (set-buffer-modified-p nil))
             (kill-buffer buffer)))))))

(ert-deftest agent-q-fs-options/no-file-sets-a-variable ()
  "Threat 148: no line in a file and no .dir-locals.el sets one of our variables."
  (should (< 150 (length agent-q-fs-options-tests--variables)))
  (agent-q-fs-options-tests--with (ws)
    (ignore ws)
    (agent-q-fs-options-tests--set-all)
    (with-temp-file "other.txt" (insert "-*- agent-q-fs-policy: never; fill-column: 33 -*-\n"))
    (let ((buffers (list (find-file-noselect "a.txt") (find-file-noselect "other.txt")
                         (dired-noselect default-directory))))
      (dolist (buffer buffers)
        (ert-info ((buffer-name buffer))
          (should-not (agent-q-fs-options-tests--local buffer))))
      ;; Those of others are not our business.
      (should (= 33 (buffer-local-value 'fill-column (nth 1 buffers)))))))

(ert-deftest agent-q-fs-options/nor-before-the-package-is-loaded ()
  "The settings of a file from before the package was loaded are forgotten then."
  (agent-q-fs-options-tests--with (ws)
    (ignore ws)
    (agent-q-fs-options-tests--set-all)
    (with-temp-buffer
      (let* ((form `(let ((enable-local-variables :all) (inhibit-message t) found)
                      (find-file "a.txt")
                      (push (local-variable-p 'agent-q-fs-policy) found)
                      (require 'agent-q-fs)
                      (dolist (variable ',agent-q-fs-options-tests--variables)
                        (when (local-variable-p variable) (push variable found)))
                      (princ (format "=>%S" found))))
             (command (agent-q-fs-test-emacs-command "--batch" "--eval" (format "%S" form))))
        (apply #'call-process (car command) nil '(t nil) nil (cdr command))
        (goto-char (point-min))
        (should (search-forward "=>" nil t))
        (should (equal '(t) (read (current-buffer))))))))

(ert-deftest agent-q-fs-options/ours-are-forgotten-and-no-others ()
  "Of what files and directories have set in a buffer, only our variables are forgotten."
  (with-temp-buffer
    (setq-local file-local-variables-alist '((agent-q-fs-policy . never) (fill-column . 33))
                dir-local-variables-alist '((agent-q-fs-denied) (tab-width . 3)))
    (dolist (variable '(agent-q-fs-policy agent-q-fs-denied fill-column tab-width))
      (set (make-local-variable variable) 3))
    (agent-q-fs--forget-local-values)
    (should (equal '(fill-column tab-width)
                   (seq-filter #'local-variable-p
                               '(agent-q-fs-policy agent-q-fs-denied fill-column tab-width))))))

(defun agent-q-fs-options-tests--global-modes ()
  "Return the global modes of all sources."
  (mapcar #'cadr
          (seq-filter (lambda (form)
                        (and (eq 'define-minor-mode (car-safe form)) (plist-get (cdddr form) :global)))
                      (mapcan #'agent-q-fs-options-tests--forms
                              (agent-q-fs-options-tests--files)))))

(defconst agent-q-fs-options-tests--turned-on
  '(let ((enable-local-variables :all) (inhibit-message t))
     (make-directory "d")
     (seq-filter
      (lambda (mode)
        (let ((name (string-remove-suffix "-mode" (symbol-name mode))))
          (write-region (format "-*- mode: %s -*-\n" name) nil "a.txt" nil 'quiet)
          (write-region (format "-*- mode: text; mode: %s -*-\n" name) nil "b.txt" nil 'quiet)
          (write-region (format "x\n\nLocal Variables:\nmode: %s\nEnd:\n" name) nil "c.txt" nil 'quiet)
          (write-region (format "((nil . ((mode . %s))))" name) nil "d/.dir-locals.el" nil 'quiet)
          (write-region "x\n" nil "d/e.txt" nil 'quiet)
          (dolist (file '("a.txt" "b.txt" "c.txt" "d/e.txt"))
            (kill-buffer (find-file-noselect file)))
          (and (boundp mode) (symbol-value mode))))
      modes))
  "A form that visits files which name MODES, and returns those that are on then.")

(ert-deftest agent-q-fs-options/no-file-turns-on-a-mode ()
  "Threat 148: no line in a file and no .dir-locals.el turns on one of our global modes.
So it is where only the autoloads are there, and where a person has turned it on."
  (let ((modes (agent-q-fs-options-tests--global-modes))
        (process-environment (cons (concat "XDG_RUNTIME_DIR=" temporary-file-directory)
                                   process-environment)))
    (should (memq 'agent-q-fs-mcp-mode modes))
    (dolist (loaded '(nil t))
      (agent-q-fs-test-with-tree (ws)
        (ignore ws)
        (should (equal '(nil . t)
                       (agent-q-fs-test-in-emacs
                        `(let ((modes ',modes) on)
                           (when ,loaded (require 'agent-q-fs-mcp))
                           (setq default-directory ,default-directory
                                 on ,agent-q-fs-options-tests--turned-on)
                           (mapc #'funcall modes)
                           (cons on (and (seq-every-p #'symbol-value modes) t))))))))))

(ert-deftest agent-q-fs-options/are-risky ()
  "Each option is risky as soon as the package is loaded, before its own file is."
  (let ((options (agent-q-fs-options-tests--defined 'defcustom)))
    (should (< 30 (length options)))
    (should-not (agent-q-fs-test-in-emacs
                 `(seq-remove #'risky-local-variable-p ',options)))
    (dolist (variable '(agent-q-fs-authority agent-q-fs-workspace agent-q-fs-event-functions
                        agent-q-fs-before-change-functions agent-q-fs-close-functions))
      (should (risky-local-variable-p variable)))))

(defun agent-q-fs-options-tests--reads (form options)
  "Return those of OPTIONS that FORM reads by their names, and not by `default-value'."
  (cond
   ((not (proper-list-p form)) nil)
   ((memq (car form) '(quote function defcustom defvar declare-function autoload \`)) nil)
   ;; Some functions have the name of an option.
   ((memq (car form) '(defun cl-defun))
    (agent-q-fs-options-tests--reads (cdr (cdr form)) options))
   (t (append
       (seq-filter (lambda (part) (and (symbolp part) (memq part options))) (cdr form))
       (when (eq 'cond (car form))
         (seq-filter (lambda (part) (memq part options)) (mapcar #'car-safe (cdr form))))
       (mapcan (lambda (part) (agent-q-fs-options-tests--reads part options)) form)))))

(ert-deftest agent-q-fs-options/are-read-by-their-defaults ()
  "No option is read so that a buffer's own value would count."
  (let ((options (cons 'agent-q-fs-authority (agent-q-fs-options-tests--defined 'defcustom))))
    (should (equal '(agent-q-fs-policy)
                   (agent-q-fs-options-tests--reads
                    '(let ((a (car-safe agent-q-fs-policy))) a) options)))
    (dolist (file (agent-q-fs-options-tests--files))
      (ert-info (file)
        (should-not (mapcan (lambda (form) (agent-q-fs-options-tests--reads form options))
                            (agent-q-fs-options-tests--forms file)))))))

(ert-deftest agent-q-fs-options/a-buffers-policy-is-none ()
  "In a buffer with values of its own, calls are decided as everywhere else."
  (agent-q-fs-options-tests--with (ws '("a.txt" "one\n") '("secret/b" "one\n"))
    (with-temp-file ".dir-locals.el"
      (prin1 '((nil . ((agent-q-fs-policy . never)))) (current-buffer)))
    (let ((agent-q-fs-audit-file nil)
          (agent-q-fs-denied '((t . "secret")))
          (agent-q-fs-unattended-function nil))
      (dolist (buffer (list (find-file-noselect "a.txt") (generate-new-buffer "own")))
        (with-current-buffer buffer
          (set (make-local-variable 'agent-q-fs-policy) 'never)
          (set (make-local-variable 'agent-q-fs-denied) nil)
          (set (make-local-variable 'agent-q-fs-authority) 'dangerous)
          (set (make-local-variable 'agent-q-fs-unattended-function)
               (lambda (_request) '(:decision approved)))
          (set (make-local-variable 'agent-q-fs-unsaved) 'save)
          (set (make-local-variable 'agent-q-fs-exec-isolation) '(bubblewrap :network t))
          (set (make-local-variable 'agent-q-fs-open-options) '(:mode unrestricted))
          (should (string-prefix-p "Error: Approval is required"
                                   (agent-q-fs-call-tool "delete_file" '(:path "a.txt") ws)))
          (should (string-prefix-p "Error: The user denied"
                                   (agent-q-fs-call-tool
                                    "edit_file" '(:path "secret/b" :old_str "one" :new_str "1")
                                    ws)))
          (should-error (agent-q-fs-delete-file ws "a.txt") :type 'agent-q-fs-approval-required)
          (should (equal '(none) (agent-q-fs--isolation-of ws)))
          (let ((other (agent-q-fs-open :root default-directory)))
            (should (eq :restricted (plist-get (agent-q-fs-workspace-facts other) :mode)))
            (agent-q-fs-close other))))
      (should (file-exists-p "a.txt")))))

(provide 'agent-q-fs-options-tests)
;;; agent-q-fs-options-tests.el ends here
