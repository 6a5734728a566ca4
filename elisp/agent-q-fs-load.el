;;; agent-q-fs-load.el --- Find, build and load the core of agent-q-fs  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The core of agent-q-fs is a shared object, agent-q-fs-module.so.  Nothing
;; happens when this file is loaded: `agent-q-fs-module-load' finds the shared
;; object at its first use.  Where it is missing, or is not that of this Emacs Lisp,
;; or cannot be loaded any more, it is built from its sources, which are in the package.
;;
;; Emacs cannot unload a module.  So the version is read from the file before it is
;; loaded, and once another version is loaded, only a new session helps.
;;
;; This file is not named like the shared object, because `require' looks for
;; shared objects before it looks for Emacs Lisp.

;;; Code:

(require 'agent-q-fs-ops)               ; the version that is wanted
(require 'seq)
(require 'subr-x)

(declare-function agent-q-fs--mod-version "ext:agent-q-fs-module.so" ())

(defgroup agent-q-fs-module nil
  "Where the core of agent-q-fs comes from."
  :group 'agent-q-fs)

(defcustom agent-q-fs-module-file nil
  "The shared object to load; nil means to look where it usually is.
That is beside this Emacs Lisp, and in the build directory of the sources."
  :type '(choice (const :tag "Find it" nil) file))

(defcustom agent-q-fs-module-build 'ask
  "Whether to build the shared object where it is missing or out of date.
With `ask', a session without a user builds without asking."
  :type '(choice (const :tag "Ask" ask) (const :tag "Build" t) (const :tag "Never" nil)))

(defconst agent-q-fs-module--directory
  (file-name-directory (or load-file-name buffer-file-name default-directory))
  "Where this file is.")

(defconst agent-q-fs-module--log "*agent-q-fs build*"
  "The name of the buffer that shows the compiler at work.")

(defvar agent-q-fs-module--ready nil
  "Non-nil once the shared object is loaded and was found to fit.")

(defvar agent-q-fs-module--no nil
  "Why nothing is built in this session unless somebody asks for it, a sentence.")


;;;; Finding

(defun agent-q-fs-module--name ()
  "Return the name of the shared object, without its directory."
  (concat "agent-q-fs-module" module-file-suffix))

(defun agent-q-fs-module--directories ()
  "Return the directories that this file is in.
The first is the one that it was loaded from; some package managers put
links to files into a directory of their own."
  (let ((here agent-q-fs-module--directory))
    (delete-dups
     (list here (file-name-directory
                 (file-truename (expand-file-name "agent-q-fs-load.el" here)))))))

(defun agent-q-fs-module--source ()
  "Return the directory of the sources, or nil when they are not here."
  (seq-some (lambda (directory)
              (locate-dominating-file directory "module/include/aqfs.h"))
            (agent-q-fs-module--directories)))

(defun agent-q-fs-module--find ()
  "Return the name of the shared object, or nil where there is none."
  (if (default-value 'agent-q-fs-module-file)
      (let ((file (expand-file-name (default-value 'agent-q-fs-module-file))))
        (unless (file-exists-p file)
          (error "There is no %s (see `agent-q-fs-module-file')" file))
        file)
    (let ((source (agent-q-fs-module--source)))
      (locate-file (agent-q-fs-module--name)
                   (append (agent-q-fs-module--directories)
                           (and source (list (expand-file-name "build/" source))))))))

(defun agent-q-fs-module-places ()
  "Return the directories where what belongs to the shared object may be."
  (let ((given (default-value 'agent-q-fs-module-file))
        (source (agent-q-fs-module--source)))
    (append (and given (list (file-name-directory given)))
            (agent-q-fs-module--directories)
            (and source (list (expand-file-name "build/" source))))))

(defun agent-q-fs-module-beside (program)
  "Return the file name of PROGRAM, which is installed with the shared object."
  (locate-file program (agent-q-fs-module-places) nil #'file-executable-p))

(defun agent-q-fs-module--identity ()
  "Return the bytes by which the shared object of this version is known."
  (format "agent-q-fs-module %s, ABI %s\0" agent-q-fs-module-version agent-q-fs-module-abi))

(defun agent-q-fs-module--fits-p (file)
  "Return non-nil if FILE is the shared object of this version."
  (with-temp-buffer
    (set-buffer-multibyte nil)
    (insert-file-contents-literally file)
    (let ((case-fold-search nil))
      (search-forward (agent-q-fs-module--identity) nil t))))

(defun agent-q-fs-module--newer-source (file)
  "Return the name of a source of the core that is newer than FILE, or nil."
  (let ((source (agent-q-fs-module--source)))
    (and source
         (file-in-directory-p file source)
         (seq-find (lambda (name) (file-newer-than-file-p name file))
                   (directory-files-recursively (expand-file-name "module/" source)
                                                "\\.[ch]\\'")))))


;;;; The needs of a build

(defvar agent-q-fs-module--os-release "/etc/os-release"
  "The file that says which system this is.")

(defun agent-q-fs-module--table (source)
  "Return the rows of module/packages in SOURCE, lists of cells.
The first cell of a row is a list of words."
  (with-temp-buffer
    (insert-file-contents (expand-file-name "module/packages" source))
    (flush-lines "^#\\|^[ \t]*$" (point-min) (point-max))
    (mapcar (lambda (line)
              (pcase-let ((`(,first . ,rest) (mapcar #'string-trim (split-string line "|"))))
                (cons (split-string first) rest)))
            (split-string (buffer-string) "\n" t))))

(defun agent-q-fs-module--output (program input &rest arguments)
  "Return what PROGRAM says, or nil if it fails.
It is called with ARGUMENTS and reads the text INPUT."
  (with-temp-buffer
    (insert input)
    (and (eq 0 (apply #'call-process-region nil nil program t '(t nil) nil arguments))
         (buffer-string))))

(defun agent-q-fs-module--emacs ()
  "Return the name of this Emacs."
  (expand-file-name invocation-name invocation-directory))

(defun agent-q-fs-module--compiler ()
  "Return the compiler that make would call, as a list of words."
  (split-string (or (getenv "CC") "cc")))

(defun agent-q-fs-module--include-directories ()
  "Return where headers are, as far as that is known without a compiler."
  (append '("/usr/include" "/usr/local/include")
          (file-expand-wildcards "/usr/include/*-linux-*")
          (seq-mapcat (lambda (name) (split-string (or (getenv name) "") ":" t))
                      '("CPATH" "C_INCLUDE_PATH"))))

(defun agent-q-fs-module--emacs-include-directories ()
  "Return where the header of this Emacs may be.
That is where it was installed, or where it was built."
  (let ((bin (file-name-directory (file-truename (agent-q-fs-module--emacs)))))
    (list (expand-file-name "../include" bin) bin)))

(defun agent-q-fs-module--missing-headers (headers flags)
  "Return those of HEADERS that the compiler does not find.
FLAGS are options that the libraries need."
  (let* ((own (agent-q-fs-module--emacs-include-directories))
         (compiler (agent-q-fs-module--compiler))
         (output (and (executable-find (car compiler))
                      (apply #'agent-q-fs-module--output (car compiler)
                             (mapconcat (lambda (header)
                                          (format "#if !__has_include(<%s>)\n%s\n#endif\n"
                                                  header header))
                                        headers "")
                             (append (cdr compiler) flags
                                     (mapcar (lambda (name) (concat "-I" name)) own)
                                     '("-E" "-P" "-x" "c" "-"))))))
    (if output
        (seq-intersection headers (split-string output))
      (seq-remove (lambda (header)
                    (locate-file header (append own (agent-q-fs-module--include-directories))))
                  headers))))

(defun agent-q-fs-module--unknown-libraries (names)
  "Return those of NAMES, of libraries, that pkg-config does not know."
  (and (executable-find "pkg-config")
       (seq-remove (lambda (name) (agent-q-fs-module--output "pkg-config" "" "--exists" name))
                   names)))

(defun agent-q-fs-module--missing (rows)
  "Return those of ROWS, of the table, that this machine lacks."
  (let* ((kind (lambda (word)
                 (mapcar #'cdar (seq-filter (lambda (row) (equal word (caar row))) rows))))
         (programs (mapcar #'car (funcall kind "program")))
         (libraries (funcall kind "library"))
         (unknown (agent-q-fs-module--unknown-libraries (mapcar #'car libraries)))
         (known (seq-difference (mapcar #'car libraries) unknown))
         (flags (and known (executable-find "pkg-config")
                     (apply #'agent-q-fs-module--output "pkg-config" "" "--cflags" known)))
         (lacking (append (seq-remove (lambda (name)
                                        (executable-find
                                         (if (equal name "cc")
                                             (car (agent-q-fs-module--compiler))
                                           name)))
                                      programs)
                          unknown
                          (agent-q-fs-module--missing-headers
                           (append (mapcar #'car (funcall kind "header"))
                                   (mapcar #'cadr libraries))
                           (split-string (or flags ""))))))
    (seq-filter (lambda (row) (seq-intersection (cdar row) lacking)) rows)))

(defun agent-q-fs-module--this-system ()
  "Return the words by which this system is known."
  (when (file-readable-p agent-q-fs-module--os-release)
    (with-temp-buffer
      (insert-file-contents agent-q-fs-module--os-release)
      (let (words)
        (while (re-search-forward "^ID\\(?:_LIKE\\)?=\\(.*\\)" nil t)
          (setq words (append words (split-string (match-string 1) "[ \"']+" t))))
        words))))

(defun agent-q-fs-module--commands (table missing)
  "Return (SYSTEM WORDS COMMAND) lists: what installs the rows MISSING of TABLE.
WORDS are those by which a system is known."
  (seq-map-indexed
   (lambda (row column)
     (pcase-let ((`((,_ ,system) ,words ,command) row))
       (list system (split-string words)
             (string-join
              (cons (if (eq 0 (user-uid)) (string-remove-prefix "sudo " command) command)
                    (delete-dups (mapcar (lambda (need) (nth (1+ column) need)) missing)))
              " "))))
   (seq-filter (lambda (row) (equal "system" (caar row))) table)))

(defun agent-q-fs-module--advice (source)
  "Return what is missing to build in SOURCE and what installs it, or nil.
That is (SHORT . LONG): SHORT is for this system if it is one that is
known, LONG is for all."
  (let* ((table (agent-q-fs-module--table source))
         (missing (agent-q-fs-module--missing table)))
    (when missing
      (let* ((commands (agent-q-fs-module--commands table missing))
             (own (seq-some (lambda (word)
                              (seq-find (lambda (row) (member word (nth 1 row))) commands))
                            (agent-q-fs-module--this-system)))
             (all (mapconcat (pcase-lambda (`(,system ,_ ,command))
                               (format "\n%-8s%s" (concat system ":") command))
                             commands ""))
             (start (format "To build agent-q-fs, first install what is missing (%s): "
                            (mapconcat #'cadar missing ", "))))
        (cons (concat start (if own (nth 2 own) all))
              (concat start all "\n"))))))


;;;; Building

(defun agent-q-fs-module--fail (log)
  "Signal an error that says that the build with the buffer LOG failed."
  (setq agent-q-fs-module--no "Building the core of agent-q-fs failed.")
  (unless noninteractive
    (with-current-buffer log (compilation-mode))
    (display-buffer log))
  (if noninteractive
      (error "Building agent-q-fs failed:\n%s" (with-current-buffer log (buffer-string)))
    (error "Building agent-q-fs failed; the buffer %s says why" (buffer-name log))))

(defun agent-q-fs-module--prepare (source log)
  "Signal an error if nothing can be built in SOURCE; the buffer LOG says more."
  (let ((build (expand-file-name "build" source))
        (advice (agent-q-fs-module--advice source)))
    (when advice
      (setq agent-q-fs-module--no (concat (car advice) "."))
      (with-current-buffer log
        (insert (cdr advice)))
      (unless noninteractive
        (display-buffer log))
      (error "%s" (car advice)))
    (unless (file-writable-p (if (file-directory-p build) build source))
      (error "You may not write in %s: its owner builds agent-q-fs there with \
make -f module/build.mk" (abbreviate-file-name source)))))

(defun agent-q-fs-module--processors ()
  "Return how many processes may compile at once."
  (if (fboundp 'num-processors) (num-processors) 2))

(defun agent-q-fs-module--make (source log anew &optional target)
  "Run make in the directory SOURCE, its words going to the buffer LOG.
With ANEW, everything is made.  TARGET is what is made, if not what Emacs needs.
Return non-nil if all went well."
  (with-current-buffer log
    (let* ((default-directory source)
           (emacs (agent-q-fs-module--emacs))
           (arguments (append (list "-f" "module/build.mk" (concat "EMACS=" emacs)
                                    (format "-j%d" (agent-q-fs-module--processors)))
                              (and anew '("-B"))
                              (and target (list target))))
           ;; This Emacs may run below another make, whose options are not for this one.
           (process-environment (append '("MAKEFLAGS" "MFLAGS" "MAKELEVEL" "MAKEOVERRIDES")
                                        process-environment)))
      (insert (format "make %s    (in %s)\n" (string-join arguments " ") source))
      (agent-q-fs-module--follow log source)
      (eq 0 (apply #'call-process "make" nil (list log t) t arguments)))))

(defun agent-q-fs-module--how-far (files)
  "Return how far the build is whose log is here, of at most FILES files."
  (format "Building agent-q-fs: %d of at most %d files are compiled; C-g stops it"
          (how-many "^  CC " (point-min) (point-max)) files))

(defun agent-q-fs-module--follow (log source)
  "Show the buffer LOG, and keep its end visible, unless Emacs runs in batch.
Its header line shows how far the build in SOURCE is."
  (with-current-buffer log
    (let ((files (length (directory-files-recursively (expand-file-name "module/" source)
                                                      "\\.c\\'"))))
      (setq header-line-format `(:eval (agent-q-fs-module--how-far ,files))))
    (setq-local window-point-insertion-type t)
    (let ((window (and (not noninteractive) (display-buffer log))))
      (when window
        (set-window-point window (point-max))))))

(defun agent-q-fs-module--no-source ()
  "Return the sentence that says that the sources are not here."
  (format "Its sources are not near %s: install the package as its README says"
          (abbreviate-file-name agent-q-fs-module--directory)))

(defun agent-q-fs-module-build-file (name &optional anew target)
  "Build the file NAME of the directory build from its sources and return it.
The compiler's words are in a buffer, which is shown until it is done.
With ANEW, everything is compiled again.  TARGET is for make."
  (let ((source (agent-q-fs-module--source))
        (log (get-buffer-create agent-q-fs-module--log)))
    (unless source
      (error "%s" (agent-q-fs-module--no-source)))
    (with-current-buffer log
      (setq-local inhibit-read-only t)
      (erase-buffer))
    (agent-q-fs-module--prepare source log)
    (message "Building agent-q-fs...")
    (let ((file (expand-file-name (concat "build/" name) source)))
      (unless (and (agent-q-fs-module--make source log anew target)
                   (file-exists-p file))
        (agent-q-fs-module--fail log))
      ;; Where the clock was wrong, a source would seem to be newer for ever.
      (when (agent-q-fs-module--newer-source file)
        (set-file-times file))
      (setq agent-q-fs-module--no nil)
      (unless noninteractive
        ;; It selects a window, and a caller may be in a buffer that has none.
        (save-current-buffer (quit-windows-on log)))
      file)))

;;;###autoload
(defun agent-q-fs-module-build (&optional anew)
  "Build the core of agent-q-fs from its sources and return its name.
The compiler's words are in a buffer, which is shown until it is done.
With ANEW, the prefix argument, everything is compiled again."
  (interactive "P")
  (prog1 (agent-q-fs-module-build-file (agent-q-fs-module--name) anew)
    (message "Building agent-q-fs...done%s"
             (if (fboundp 'agent-q-fs--mod-version)
                 ".  Restart Emacs to use it: a module cannot be replaced" ""))))

(defun agent-q-fs-module--may-build-p (why)
  "Return non-nil if the shared object may be built because of WHY, a sentence.
Nobody is asked twice in a session, or while they type something else:
only somebody who has just given a command waits for a question."
  (and (default-value 'agent-q-fs-module-build)
       (not agent-q-fs-module--no)
       (or noninteractive
           (not (eq 'ask (default-value 'agent-q-fs-module-build)))
           (and this-command
                (or (y-or-n-p (concat why "  Build it now?  That takes a minute. "))
                    (progn (setq agent-q-fs-module--no why)
                           nil))))))

(defun agent-q-fs-module--build-because (why &optional anew)
  "Build the shared object because of WHY, a sentence, if that is wanted.
With ANEW, everything is compiled again."
  (unless (agent-q-fs-module--source)
    (error "%s  %s" why (agent-q-fs-module--no-source)))
  (if (agent-q-fs-module--may-build-p why)
      (agent-q-fs-module-build anew)
    (error "%s  %s" (or agent-q-fs-module--no why)
           (substitute-command-keys "\\[agent-q-fs-module-build] builds it"))))


;;;; Loading

(defun agent-q-fs-module--wanted ()
  "Return the name of the shared object to load; build it where it has to be built."
  (let* ((file (agent-q-fs-module--find))
         (fits (and file (agent-q-fs-module--fits-p file))))
    (cond
     ((not file)
      (agent-q-fs-module--build-because "The core of agent-q-fs is not built yet."))
     ((default-value 'agent-q-fs-module-file)
      (unless fits
        (error "%s (see `agent-q-fs-module-file') is not the core of agent-q-fs %s (ABI %s)"
               (default-value 'agent-q-fs-module-file)
               agent-q-fs-module-version agent-q-fs-module-abi))
      file)
     ((not fits)
      (agent-q-fs-module--build-because
       "The core of agent-q-fs is of another version than its Emacs Lisp."))
     ((and (agent-q-fs-module--newer-source file)
           (agent-q-fs-module--may-build-p
            "The sources of agent-q-fs are newer than its core."))
      (agent-q-fs-module-build))
     (t file))))

(defun agent-q-fs-module-at-hand-p ()
  "Return non-nil if the core is loaded, or can be without being built."
  (or agent-q-fs-module--ready
      (fboundp 'agent-q-fs--mod-version)
      (let ((file (ignore-errors (agent-q-fs-module--find))))
        (and file (agent-q-fs-module--fits-p file)))))

(defun agent-q-fs-module--load (file)
  "Load the shared object FILE; build it anew where it cannot be loaded."
  (condition-case problem
      (module-load file)
    ;; A library has gone or changed its version, with an upgrade of the system.
    (module-open-failed
     (if (or (default-value 'agent-q-fs-module-file) (not (agent-q-fs-module--source)))
         (error "The core of agent-q-fs cannot be loaded: %s" (car (last problem)))
       (module-load (agent-q-fs-module--build-because
                     (format "The core of agent-q-fs cannot be loaded any more (%s)."
                             (car (last problem)))
                     'anew))))))

(defun agent-q-fs-module--check ()
  "Signal an error unless the core that is loaded fits this Emacs Lisp."
  (let* ((facts (read (agent-q-fs--mod-version)))
         (version (plist-get facts :version))
         (abi (plist-get facts :abi)))
    (unless (and (equal version agent-q-fs-module-version)
                 (equal abi agent-q-fs-module-abi))
      (error "The core of agent-q-fs that this Emacs has loaded is version %s (ABI %s), \
but its Emacs Lisp is %s (ABI %s) by now: restart Emacs"
             version abi agent-q-fs-module-version agent-q-fs-module-abi))))

;;;###autoload
(defun agent-q-fs-module-load ()
  "Load the core of agent-q-fs, unless it is loaded.
Build it where it is missing, and signal an error where it cannot be."
  (unless agent-q-fs-module--ready
    (unless (fboundp 'agent-q-fs--mod-version)
      (unless (and (fboundp 'module-load) module-file-suffix)
        (error "This package needs an Emacs that can load modules, \
and this one was built without (./configure --with-modules)"))
      (agent-q-fs-module--load (agent-q-fs-module--wanted)))
    (agent-q-fs-module--check)
    (setq agent-q-fs-module--ready t)))

;; An upgrade loads this file again, in a session that still has the old core.
(when agent-q-fs-module--ready
  (setq agent-q-fs-module--ready nil)
  (condition-case problem
      (agent-q-fs-module-load)
    (error (display-warning 'agent-q-fs (error-message-string problem)))))

(provide 'agent-q-fs-load)
;;; agent-q-fs-load.el ends here
