;;; agent-q-fs-load.el --- Find, build and load the core of agent-q-fs  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The core of agent-q-fs is a shared object, agent-q-fs-module.so.  Nothing
;; happens when this file is loaded: `agent-q-fs-module-load' finds the shared
;; object at its first use, has it built once where it is missing, and refuses
;; one of another version.
;;
;; This file is not named like the shared object, because `require' looks for
;; shared objects before it looks for Emacs Lisp.

;;; Code:

(require 'agent-q-fs-ops)               ; the version that is wanted

(declare-function agent-q-fs--mod-version "ext:agent-q-fs-module.so" ())

(defgroup agent-q-fs-module nil
  "Where the core of agent-q-fs comes from."
  :group 'agent-q-fs)

(defcustom agent-q-fs-module-file nil
  "The shared object to load; nil means to look where it usually is.
That is beside this Emacs Lisp, and in the build directory of the sources."
  :type '(choice (const :tag "Find it" nil) file))

(defcustom agent-q-fs-module-build 'ask
  "Whether to build the shared object where it is missing.
With `ask', a session without a user builds without asking."
  :type '(choice (const :tag "Ask" ask) (const :tag "Build" t) (const :tag "Never" nil)))

(defconst agent-q-fs-module--directory
  (file-name-directory (or load-file-name buffer-file-name default-directory))
  "Where this file is.")

(defconst agent-q-fs-module--log "*agent-q-fs build*"
  "The name of the buffer that shows the compiler at work.")

(defconst agent-q-fs-module--packages
  '(("\\bmake\\b.*not found\\|Searching for program.*make" . "make")
    ("pkg-config: \\(?:.*not found\\|No such file\\)" . "pkg-config")
    ("\\b\\(?:g?cc\\|clang\\): \\(?:.*not found\\|No such file\\)" . "gcc")
    ("emacs-module\\.h" . "emacs-common")
    ("\\bpcre2\\.h\\|-lpcre2\\|Package '?libpcre2" . "libpcre2-dev")
    ("\\bjansson\\.h\\|-ljansson\\|Package '?jansson" . "libjansson-dev")
    ("\\bgit2\\.h\\|-lgit2\\|Package '?libgit2" . "libgit2-dev")
    ("\\blibdeflate\\.h\\|-ldeflate\\|Package '?libdeflate" . "libdeflate-dev")
    ("\\bopenssl/\\|-lcrypto\\|Package '?libcrypto" . "libssl-dev")
    ("\\bmagic\\.h\\|-lmagic\\b" . "libmagic-dev")
    ("stdlib\\.h: No such file" . "libc6-dev"))
  "Signs of a missing Debian package in the log of a build: (REGEXP . PACKAGE).")

(defvar agent-q-fs-module--ready nil
  "Non-nil once the shared object is loaded and was found to fit.")

(defvar agent-q-fs-module--failed nil
  "Non-nil when a build failed in this session.")

(defun agent-q-fs-module--find ()
  "Return the name of the shared object, or nil where there is none."
  (let ((name (concat "agent-q-fs-module" module-file-suffix)))
    (if agent-q-fs-module-file
        (let ((file (expand-file-name agent-q-fs-module-file)))
          (unless (file-exists-p file)
            (error "There is no %s (see `agent-q-fs-module-file')" file))
          file)
      (locate-file name (list agent-q-fs-module--directory
                              (expand-file-name "../build/" agent-q-fs-module--directory))))))

(defun agent-q-fs-module--source ()
  "Return the directory of the sources, or nil when they are not here."
  (locate-dominating-file agent-q-fs-module--directory "module/include/aqfs.h"))

(defun agent-q-fs-module--missing-packages (log)
  "Return the names of the Debian packages whose lack the string LOG shows."
  (let ((case-fold-search nil))
    (delq nil (mapcar (pcase-lambda (`(,sign . ,package))
                        (and (string-match-p sign log) package))
                      agent-q-fs-module--packages))))

(defun agent-q-fs-module--explain (log)
  "Signal an error that says why the build with the buffer LOG failed."
  (unless noninteractive
    (with-current-buffer log (compilation-mode))
    (display-buffer log))
  (let ((missing (agent-q-fs-module--missing-packages
                  (with-current-buffer log (buffer-string)))))
    (cond
     (missing
      (error "To build agent-q-fs, first install what is missing: \
sudo apt-get install %s" (mapconcat #'identity missing " ")))
     (noninteractive
      (error "Building agent-q-fs failed:\n%s"
             (with-current-buffer log (buffer-string))))
     (t
      (error "Building agent-q-fs failed; the buffer %s says why"
             (buffer-name log))))))

(defun agent-q-fs-module--make (source log)
  "Run make in the directory SOURCE, its words going to the buffer LOG."
  (with-current-buffer log
    (let ((inhibit-read-only t)
          (default-directory source)
          (emacs (expand-file-name invocation-name invocation-directory)))
      (erase-buffer)
      (insert (format "make all EMACS=%s    (in %s)\n" emacs source))
      (agent-q-fs-module--follow log)
      (condition-case problem
          (call-process "make" nil (list log t) t
                        "all" (format "-j%d" (agent-q-fs-module--processors))
                        (concat "EMACS=" emacs))
        (file-error (insert (error-message-string problem)))))))

(defun agent-q-fs-module--processors ()
  "Return how many processes may compile at once."
  (if (fboundp 'num-processors) (num-processors) 2))

(defun agent-q-fs-module--follow (log)
  "Show the buffer LOG, and keep its end visible, unless Emacs runs in batch."
  (with-current-buffer log
    (setq-local window-point-insertion-type t)
    (let ((window (and (not noninteractive) (display-buffer log))))
      (when window
        (set-window-point window (point-max))))))

(defun agent-q-fs-module-build ()
  "Build the shared object from its sources and return its name.
The compiler's words are in a buffer, which is shown until it is done."
  (interactive)
  (let ((source (agent-q-fs-module--source))
        (log (get-buffer-create agent-q-fs-module--log)))
    (unless source
      (error "Neither agent-q-fs-module%s nor its sources are near %s"
             module-file-suffix agent-q-fs-module--directory))
    (message "Building agent-q-fs...")
    (agent-q-fs-module--make source log)
    (let ((file (agent-q-fs-module--find)))
      (setq agent-q-fs-module--failed (not file))
      (unless file
        (agent-q-fs-module--explain log))
      (delete-windows-on log)
      (message "Building agent-q-fs...done")
      file)))

(defun agent-q-fs-module--build-if-allowed ()
  "Build the shared object unless the user forbids it."
  (when agent-q-fs-module--failed
    (error "Building agent-q-fs failed before; \
\\[agent-q-fs-module-build] tries again"))
  (if (pcase agent-q-fs-module-build
        ('ask (or noninteractive
                  (y-or-n-p "The core of agent-q-fs is not built yet.  Build it now? ")))
        (wish wish))
      (agent-q-fs-module-build)
    (error "The core of agent-q-fs is not built; M-x agent-q-fs-module-build does it")))

(defun agent-q-fs-module--check ()
  "Signal an error unless the core that is loaded fits this Emacs Lisp."
  (let* ((facts (read (agent-q-fs--mod-version)))
         (version (plist-get facts :version))
         (abi (plist-get facts :abi)))
    (unless (and (equal version agent-q-fs-module-version)
                 (equal abi agent-q-fs-module-abi))
      (error "The core of agent-q-fs is version %s (ABI %s), \
but this Emacs Lisp needs %s (ABI %s): run make, then restart Emacs"
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
      (module-load (or (agent-q-fs-module--find)
                       (agent-q-fs-module--build-if-allowed))))
    (agent-q-fs-module--check)
    (setq agent-q-fs-module--ready t)))

(provide 'agent-q-fs-load)
;;; agent-q-fs-load.el ends here
