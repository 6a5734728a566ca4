;;; agent-q-fs-load-tests.el --- Tests of finding, building and loading the core  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'agent-q-fs-test-help)

(defmacro agent-q-fs-load-tests-with (spec &rest body)
  "Run BODY as if nothing were loaded, in a new directory with an empty elisp/.
SPEC is a list of bindings of the loader's variables, evaluated with
`default-directory' being that directory."
  (declare (indent 1) (debug ((&rest (symbolp form)) body)))
  `(let ((default-directory (file-name-as-directory (file-truename (make-temp-file "aqfs-load-" t))))
         (message-log-max nil))
     (unwind-protect
         (cl-letf (((symbol-function 'agent-q-fs--mod-version) nil)
                   ((symbol-function 'module-load) (lambda (file) (throw 'loaded file))))
           (let ((agent-q-fs-module--ready nil) (agent-q-fs-module--no nil)
                 (agent-q-fs-module-file nil) (agent-q-fs-module-build t)
                 (agent-q-fs-module--directory (expand-file-name "elisp/"))
                 (agent-q-fs-module--log " *agent-q-fs test build*")
                 (inhibit-message t))
             (make-directory agent-q-fs-module--directory)
             (let ,spec
               ,@body)))
       (when (get-buffer " *agent-q-fs test build*")
         (kill-buffer " *agent-q-fs test build*"))
       (delete-directory default-directory t))))

(defun agent-q-fs-load-tests--put (name content)
  "Write CONTENT into NAME, with its directories."
  (make-directory (file-name-directory (expand-file-name name)) t)
  (write-region content nil (expand-file-name name) nil 'quiet))

(defun agent-q-fs-load-tests--content (name)
  "Return what the file NAME holds."
  (with-temp-buffer
    (insert-file-contents (expand-file-name name))
    (buffer-string)))

(defconst agent-q-fs-load-tests--build "\
all:
	@echo try >>tries
	@echo '$(MAKEFLAGS)' >flags
	@mkdir -p build && cp fits build/agent-q-fs-module.so
"
  "A makefile that builds what fits.")

(defun agent-q-fs-load-tests--sources (&optional makefile needs)
  "Put sources here, which MAKEFILE builds, and which need NEEDS, a table."
  (unless (executable-find "make") (ert-skip "There is no make"))
  (agent-q-fs-load-tests--put "module/include/aqfs.h" "")
  (agent-q-fs-load-tests--put "module/packages" (or needs ""))
  (agent-q-fs-load-tests--put "module/build.mk" (or makefile agent-q-fs-load-tests--build))
  (agent-q-fs-load-tests--put "fits" (agent-q-fs-module--identity)))

(defun agent-q-fs-load-tests--tries ()
  "Return how often something was built."
  (if (file-exists-p "tries")
      (length (split-string (agent-q-fs-load-tests--content "tries") "\n" t))
    0))

(defun agent-q-fs-load-tests--load ()
  "Return the file that would be loaded."
  (catch 'loaded (agent-q-fs-module-load) nil))

(defun agent-q-fs-load-tests--error ()
  "Return the words of the error that loading ends with."
  (error-message-string (should-error (agent-q-fs-load-tests--load))))

(ert-deftest agent-q-fs-load/requiring-loads-no-module ()
  "Requiring the package loads no shared object and builds nothing."
  (pcase-let ((`(,loaded ,ready)
               (agent-q-fs-test-in-emacs
                '(progn
                   (dolist (feature '(agent-q-fs agent-q-fs-ops agent-q-fs-load))
                     (setq features (delq feature features)))
                   (require 'agent-q-fs)
                   (list (fboundp 'agent-q-fs--mod-call) agent-q-fs-module--ready)))))
    (should-not loaded)
    (should-not ready)))

(ert-deftest agent-q-fs-load/files-need-no-core ()
  "Each file of the package can be loaded, and so compiled, before the core is built."
  (should-not
   (agent-q-fs-test-in-emacs
    `(let ((agent-q-fs-module-file "/nowhere/agent-q-fs-module.so")
           problems)
       (dolist (file (directory-files ,(file-name-directory (locate-library "agent-q-fs"))
                                      t "\\`agent-q-fs.*\\.el\\'"))
         (condition-case problem
             (load file nil t t)
           (error (push (cons file problem) problems))))
       problems))))

(ert-deftest agent-q-fs-load/options-are-found ()
  "After `require', help has every option, and Customize every group of them."
  (let (names)
    (dolist (file (directory-files (file-name-directory (locate-library "agent-q-fs"))
                                   t "\\`agent-q-fs.*\\.el\\'"))
      (with-temp-buffer
        (insert-file-contents file)
        (while (re-search-forward "^(defcustom \\([^ \n]+\\)" nil t)
          (push (intern (match-string 1)) names))))
    (should (memq 'agent-q-fs-policy names))
    (pcase-let
        ((`(,unknown ,unseen ,policy ,lost)
          (agent-q-fs-test-in-emacs
           `(let ((names ',names) seen)
              (require 'help-fns)
              (require 'cus-edit)
              (list (seq-remove #'custom-variable-p names)
                    (seq-difference
                     (mapcar #'symbol-name names)
                     (all-completions "agent-q-fs-" #'help--symbol-completion-table
                                      (lambda (name) (get name 'variable-documentation))))
                    (documentation-property 'agent-q-fs-policy 'variable-documentation)
                    (cl-labels ((look (group)
                                  (custom-load-symbol group)
                                  (dolist (member (get group 'custom-group))
                                    (if (eq 'custom-group (nth 1 member))
                                        (look (car member))
                                      (push (car member) seen)))))
                      (look 'agent-q-fs)
                      (seq-difference names seen)))))))
      (should-not unknown)
      (should-not unseen)
      (should (string-search "read-only" policy))
      (should-not lost))))

(ert-deftest agent-q-fs-load/an-option-that-was-saved-counts ()
  "A value that Customize has saved counts although it was there before the option."
  (let ((command (agent-q-fs-test-emacs-command
                  "--batch" "--eval"
                  "(progn (custom-set-variables '(agent-q-fs-policy 'always))
                          (setq agent-q-fs-denied '((\"shell\" . \"/\"))))"
                  "-l" "agent-q-fs" "--eval"
                  "(progn (princ (list agent-q-fs-policy agent-q-fs-denied))
                          (require 'agent-q-fs-approve)
                          (princ (list agent-q-fs-policy agent-q-fs-denied)))")))
    (with-temp-buffer
      (apply #'call-process (car command) nil '(t nil) nil (cdr command))
      (should (equal (buffer-string) "(always ((shell . /)))(always ((shell . /)))")))))

(ert-deftest agent-q-fs-load/beside-the-lisp-first ()
  (agent-q-fs-load-tests-with ()
    (let ((name (concat "agent-q-fs-module" module-file-suffix))
          (fits (agent-q-fs-module--identity)))
      (agent-q-fs-load-tests--put "module/include/aqfs.h" "")
      (agent-q-fs-load-tests--put (concat "build/" name) fits)
      (should (file-equal-p (agent-q-fs-load-tests--load) (concat "build/" name)))
      (agent-q-fs-load-tests--put (concat "elisp/" name) fits)
      (should (file-equal-p (agent-q-fs-load-tests--load) (concat "elisp/" name)))
      (agent-q-fs-load-tests--put "mine.so" fits)
      (let ((agent-q-fs-module-file (expand-file-name "mine.so")))
        (should (equal (agent-q-fs-load-tests--load) agent-q-fs-module-file)))
      (let ((agent-q-fs-module-file (expand-file-name "gone.so")))
        (should (string-search "gone.so" (agent-q-fs-load-tests--error)))))))

(ert-deftest agent-q-fs-load/sources-behind-links ()
  "Where a package manager made links to the Lisp, the sources are found behind them."
  (agent-q-fs-load-tests-with ((agent-q-fs-module--directory (expand-file-name "links/")))
    (agent-q-fs-load-tests--sources)
    (agent-q-fs-load-tests--put "elisp/agent-q-fs-load.el" "")
    (let ((links (file-name-as-directory (make-temp-file "aqfs-links-" t))))
      (unwind-protect
          (let ((agent-q-fs-module--directory links))
            (make-symbolic-link (expand-file-name "elisp/agent-q-fs-load.el") links)
            (should (file-equal-p (agent-q-fs-load-tests--load) "build/agent-q-fs-module.so")))
        (delete-directory links t)))))

(ert-deftest agent-q-fs-load/without-module-support ()
  (agent-q-fs-load-tests-with ((module-file-suffix nil))
    (should (string-search "--with-modules" (agent-q-fs-load-tests--error)))))

(ert-deftest agent-q-fs-load/no-sources ()
  (agent-q-fs-load-tests-with ()
    (should (string-search "sources are not near" (agent-q-fs-load-tests--error)))
    (should-error (agent-q-fs-module-build))))

(ert-deftest agent-q-fs-load/builds-once ()
  (agent-q-fs-load-tests-with ()
    (agent-q-fs-load-tests--sources)
    (should (file-equal-p (agent-q-fs-load-tests--load) "build/agent-q-fs-module.so"))
    (should (file-equal-p (agent-q-fs-load-tests--load) "build/agent-q-fs-module.so"))
    (should (= 1 (agent-q-fs-load-tests--tries)))
    (with-current-buffer agent-q-fs-module--log
      (should (string-search (expand-file-name invocation-name invocation-directory)
                             (buffer-string))))))

(ert-deftest agent-q-fs-load/below-another-make ()
  "A build by an Emacs that make has started does not take part in that make's work."
  (agent-q-fs-load-tests-with ((process-environment
                                (append '("MAKEFLAGS= -Otarget -j2 --jobserver-auth=7,8"
                                          "MFLAGS=-j2" "MAKELEVEL=2")
                                        process-environment)))
    (agent-q-fs-load-tests--sources)
    (should (agent-q-fs-load-tests--load))
    (should-not (string-match-p "7,8\\|-O" (agent-q-fs-load-tests--content "flags")))))

(ert-deftest agent-q-fs-load/a-failed-build-is-not-repeated ()
  "After a failure nothing is built until somebody asks for it, and then it works."
  (agent-q-fs-load-tests-with ()
    (agent-q-fs-load-tests--sources "all:\n\t@echo try >>tries\n\t@echo what is wrong\n\t@false\n")
    (should (string-search "what is wrong" (agent-q-fs-load-tests--error)))
    (let ((words (agent-q-fs-load-tests--error)))
      (should (string-search "failed" words))
      (should (string-search "M-x agent-q-fs-module-build" words))
      (should-not (string-search "\\[" words)))
    (should (= 1 (agent-q-fs-load-tests--tries)))
    (should-error (agent-q-fs-module-build))
    (should (= 2 (agent-q-fs-load-tests--tries)))
    (agent-q-fs-load-tests--put "module/build.mk" agent-q-fs-load-tests--build)
    (call-interactively #'agent-q-fs-module-build)
    (should (= 3 (agent-q-fs-load-tests--tries)))
    (should (file-equal-p (agent-q-fs-load-tests--load) "build/agent-q-fs-module.so"))
    (should (= 3 (agent-q-fs-load-tests--tries)))))

(ert-deftest agent-q-fs-load/asks-a-user-once ()
  (agent-q-fs-load-tests-with ((agent-q-fs-module-build 'ask) (noninteractive nil) (asked 0)
                               (this-command 'agent-q-fs-tree))
    (agent-q-fs-load-tests--sources)
    (cl-letf (((symbol-function 'y-or-n-p) (lambda (_) (setq asked (1+ asked)) nil)))
      ;; Help looks without asking anybody.
      (let ((agent-q-fs-module-build nil))
        (should (string-search "not built" (agent-q-fs-load-tests--error))))
      (dotimes (_ 2)
        (let ((words (agent-q-fs-load-tests--error)))
          (should (string-search "not built" words))
          (should (string-search "M-x agent-q-fs-module-build" words)))))
    (should (= asked 1))
    (should (= 0 (agent-q-fs-load-tests--tries)))))

(ert-deftest agent-q-fs-load/asks-nobody-who-types ()
  "Outside of a command, as in an init file, a timer or a call of Lisp, nobody is asked.
The next command asks all the same."
  (agent-q-fs-load-tests-with ((agent-q-fs-module-build 'ask) (noninteractive nil) (asked 0)
                               (this-command nil))
    (agent-q-fs-load-tests--sources)
    (cl-letf (((symbol-function 'y-or-n-p) (lambda (_) (setq asked (1+ asked)) t)))
      (let ((words (agent-q-fs-load-tests--error)))
        (should (string-search "M-x agent-q-fs-module-build builds it" words)))
      (should (= 0 asked (agent-q-fs-load-tests--tries)))
      (should-not (agent-q-fs-module-at-hand-p))
      (let ((this-command 'agent-q-fs-tree) (noninteractive nil))
        (cl-letf (((symbol-function 'display-buffer) #'ignore))
          (should (agent-q-fs-load-tests--load))))
      (should (= 1 asked (agent-q-fs-load-tests--tries)))
      (should (agent-q-fs-module-at-hand-p)))))

(ert-deftest agent-q-fs-load/a-build-says-how-far-it-is ()
  (agent-q-fs-load-tests-with ()
    (agent-q-fs-load-tests--sources "\
all:
	@echo '  CC   module/a.c' && echo '  CC   module/b/c.c' && echo '  LINK all'
	@mkdir -p build && cp fits build/agent-q-fs-module.so
")
    (dolist (name '("module/a.c" "module/b/c.c" "module/d.c"))
      (agent-q-fs-load-tests--put name ""))
    (agent-q-fs-load-tests--load)
    (with-current-buffer agent-q-fs-module--log
      (should (equal "Building agent-q-fs: 2 of at most 3 files are compiled; C-g stops it"
                     (eval (cadr header-line-format) t))))))

(ert-deftest agent-q-fs-load/a-build-leaves-the-current-buffer ()
  "Its log is shown and taken away, and the caller goes on in the buffer that it was in.
gptel builds the core while it prepares a prompt in a buffer that is not shown."
  (agent-q-fs-load-tests-with ((noninteractive nil))
    (agent-q-fs-load-tests--sources)
    (let ((root default-directory))
      (with-temp-buffer
        (let ((here (current-buffer)) (default-directory root))
          (agent-q-fs-module-build-file (agent-q-fs-module--name))
          (should (file-exists-p (expand-file-name "tries" root)))
          (should (eq here (current-buffer))))))))

(ert-deftest agent-q-fs-load/a-newer-source-is-built ()
  "After an upgrade in place, the core is built anew; without leave, the old one serves."
  (agent-q-fs-load-tests-with ()
    (agent-q-fs-load-tests--sources)
    (agent-q-fs-load-tests--load)
    (agent-q-fs-load-tests--put "module/ops/new.c" "")
    ;; Even with a clock that goes wrong, this ends.
    (set-file-times "module/ops/new.c" (time-add nil 3600))
    (let ((agent-q-fs-module-build nil))
      (should (agent-q-fs-load-tests--load)))
    (should (= 1 (agent-q-fs-load-tests--tries)))
    (should (agent-q-fs-load-tests--load))
    (should (= 2 (agent-q-fs-load-tests--tries)))))

(ert-deftest agent-q-fs-load/a-core-of-another-version-is-built-anew ()
  "A core of another version is not loaded: it could not be unloaded."
  (dolist (content '("" "agent-q-fs-module 0.0.9, ABI 1\0"))
    (agent-q-fs-load-tests-with ()
      (agent-q-fs-load-tests--sources)
      (agent-q-fs-load-tests--put "build/agent-q-fs-module.so" content)
      (let ((agent-q-fs-module-build nil))
        (should (string-search "another version" (agent-q-fs-load-tests--error))))
      (let ((agent-q-fs-module-file (expand-file-name "build/agent-q-fs-module.so")))
        (should (string-search "is not the core" (agent-q-fs-load-tests--error))))
      (should (agent-q-fs-load-tests--load))
      (should (= 1 (agent-q-fs-load-tests--tries))))))

(ert-deftest agent-q-fs-load/a-core-that-cannot-be-loaded-is-built-anew ()
  "After an upgrade of the system, a library may be gone."
  (agent-q-fs-load-tests-with ()
    (agent-q-fs-load-tests--sources)
    (agent-q-fs-module-build)
    (let (tried)
      (cl-letf (((symbol-function 'module-load)
                 (lambda (file)
                   (if tried
                       (throw 'loaded file)
                     (setq tried t)
                     (signal 'module-open-failed (list file "libx.so.1: no such file"))))))
        (let ((agent-q-fs-module-build nil))
          (should (string-search "libx.so.1" (agent-q-fs-load-tests--error))))
        (setq tried nil)
        (should (agent-q-fs-load-tests--load))
        (should (= 2 (agent-q-fs-load-tests--tries)))
        (should (string-prefix-p "B" (agent-q-fs-load-tests--content "flags")))))))

(ert-deftest agent-q-fs-load/a-directory-of-somebody-else ()
  (when (zerop (user-uid)) (ert-skip "Root may write everywhere"))
  (agent-q-fs-load-tests-with ()
    (agent-q-fs-load-tests--sources)
    (set-file-modes default-directory #o555)
    (unwind-protect
        (should (string-search "may not write" (agent-q-fs-load-tests--error)))
      (set-file-modes default-directory #o755))))


;;;; Missing packages

(defconst agent-q-fs-load-tests--table "\
# A comment
system Debian | debian ubuntu | sudo apt-get install
system Other  | other         | sudo get

program make      | make     | gnu-make
program cc        | gcc      | toolchain
program pkg-config | pkgconf | pkgconf
header stdio.h    | libc-dev | toolchain
library one one.h | libone-dev | one
library two two.h | libtwo-dev | two
"
  "A table of what building needs.")

(defun agent-q-fs-load-tests--program (name script)
  "Make the program NAME, a shell SCRIPT, in bin/."
  (agent-q-fs-load-tests--put (concat "bin/" name) (concat "#!/bin/sh\n" script "\n"))
  (set-file-modes (concat "bin/" name) #o755))

(defmacro agent-q-fs-load-tests-on (system programs &rest body)
  "Run BODY on SYSTEM, the text of os-release, which has only PROGRAMS.
These are (NAME SCRIPT).  No header is there unless they say so."
  (declare (indent 2) (debug t))
  `(agent-q-fs-load-tests-with ()
     (agent-q-fs-load-tests--sources nil agent-q-fs-load-tests--table)
     (agent-q-fs-load-tests--put "os-release" ,system)
     (pcase-dolist (`(,name ,script) ,programs)
       (agent-q-fs-load-tests--program name script))
     (cl-letf (((symbol-function 'agent-q-fs-module--include-directories) #'ignore)
               ((symbol-function 'agent-q-fs-module--emacs-include-directories) #'ignore)
               ((symbol-function 'user-uid) (lambda () 1000)))
       (let ((agent-q-fs-module--os-release (expand-file-name "os-release"))
             (exec-path (list (expand-file-name "bin/")))
             (process-environment (cons "CC" process-environment)))
         ,@body))))

(ert-deftest agent-q-fs-load/all-that-is-missing-at-once ()
  "Programs and libraries are named in one message, in the words of the system."
  (pcase-dolist (`(,system ,words)
                 '(("ID=debian\n" "sudo apt-get install make gcc pkgconf libc-dev libone-dev libtwo-dev")
                   ("ID=mint\nID_LIKE=\"ubuntu debian\"\n"
                    "sudo apt-get install make gcc pkgconf libc-dev libone-dev libtwo-dev")
                   ("ID='other'\n" "sudo get gnu-make toolchain pkgconf one two")))
    (agent-q-fs-load-tests-on system nil
      (let ((message (agent-q-fs-load-tests--error)))
        (should (string-suffix-p words message))
        (should (string-search "(make, cc, pkg-config, stdio.h, one, two)" message))
        (should (string-search "M-x agent-q-fs-module-build" (agent-q-fs-load-tests--error))))
      (with-current-buffer agent-q-fs-module--log
        (should (string-search "\nDebian: sudo apt-get install make" (buffer-string)))
        (should (string-search "\nOther:  sudo get gnu-make" (buffer-string)))))))

(ert-deftest agent-q-fs-load/an-unknown-system ()
  (agent-q-fs-load-tests-on "ID=strange\n" nil
    (let ((message (agent-q-fs-load-tests--error)))
      (should (string-search "\nDebian: sudo apt-get install make" message))
      (should (string-search "\nOther:  sudo get gnu-make" message)))))

(ert-deftest agent-q-fs-load/a-missing-library ()
  "A library is missing when pkg-config does not know it, or a header is not there."
  (pcase-dolist (`(,pkg-config ,cc ,words)
                 '(("test \"$2\" != two" "true" "sudo get two")
                   ("test \"$2\" != two" "echo two.h" "sudo get two")
                   ("true" "echo one.h" "sudo get one")
                   ("true" "echo one.h stdio.h" "sudo get toolchain one")
                   ("test \"$1\" = --cflags && echo -DX || true"
                    "case \"$*\" in *-DX*) true ;; *) echo one.h ;; esac" nil)))
    (agent-q-fs-load-tests-on "ID=other\n" (list (list "make" "cp fits build.so; exit 1")
                                                 (list "pkg-config" pkg-config)
                                                 (list "cc" cc))
      (let ((message (agent-q-fs-load-tests--error)))
        (if words
            (should (string-suffix-p words message))
          (should (string-search "failed" message)))))))

(ert-deftest agent-q-fs-load/this-machine-has-what-is-needed ()
  "The real table finds nothing missing where the core was built."
  (let ((source (locate-dominating-file default-directory "module/packages")))
    (unless source (ert-skip "The sources are not here"))
    (let ((table (agent-q-fs-module--table source)))
      (should (equal (agent-q-fs-module--missing table) nil))
      (should (equal (mapcar #'cadar (seq-filter (lambda (row) (equal "system" (caar row))) table))
                     '("Debian" "Fedora" "Arch" "Guix" "Nix")))
      (dolist (row table)
        (should (= (length row) (if (equal "system" (caar row)) 3 6)))
        (should-not (member "" row))))))

(ert-deftest agent-q-fs-load/another-version-is-refused ()
  "A core of another version is refused at every try, although it is loaded."
  (agent-q-fs-load-tests-with ()
    (dolist (facts (list "(:version \"0.0.9\" :abi 1)"
                         (format "(:version %S :abi 99)" agent-q-fs-module-version)
                         "nil"))
      (cl-letf (((symbol-function 'agent-q-fs--mod-version) (lambda () facts)))
        (dotimes (_ 2)
          (should (string-search "restart Emacs" (agent-q-fs-load-tests--error))))))))

(ert-deftest agent-q-fs-load/twice ()
  "Threat 132: loading the shared object again does not affect open workspaces."
  (agent-q-fs-test-with-tree (ws '("a" "x"))
    (module-load (agent-q-fs-module--find))
    (should (equal "x" (plist-get (agent-q-fs-read-file ws "a") :content)))
    (let ((again (agent-q-fs-open :root default-directory)))
      (should (equal "x" (plist-get (agent-q-fs-read-file again "a") :content)))
      (agent-q-fs-close again))))

(ert-deftest agent-q-fs-load/versions-agree ()
  "The version is the same in the package's header, the loader and the C header."
  (let ((sources (locate-dominating-file default-directory "module/include/aqfs.h")))
    (unless sources (ert-skip "The sources are not here"))
    (with-temp-buffer
      (insert-file-contents (expand-file-name "module/include/aqfs.h" sources))
      (should (search-forward (format "#define AQFS_VERSION \"%s\"" agent-q-fs-module-version)))
      (goto-char (point-min))
      (should (search-forward (format "#define AQFS_ABI_VERSION %d\n" agent-q-fs-module-abi))))
    (with-temp-buffer
      (insert-file-contents (expand-file-name "elisp/agent-q-fs.el" sources))
      (should (search-forward (format "\n;; Version: %s\n" agent-q-fs-module-version))))))

(provide 'agent-q-fs-load-tests)
;;; agent-q-fs-load-tests.el ends here
