;;; agent-q-fs-load-tests.el --- Tests of finding, building and loading the core  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Code:

(require 'agent-q-fs-test-help)

(defmacro agent-q-fs-load-tests-with (spec &rest body)
  "Run BODY as if nothing were loaded, in a new directory.
SPEC is a list of bindings of the loader's variables, evaluated with
`default-directory' being that directory."
  (declare (indent 1) (debug ((&rest (symbolp form)) body)))
  `(let ((default-directory (file-name-as-directory (make-temp-file "aqfs-load-" t)))
         (message-log-max nil))
     (unwind-protect
         (cl-letf (((symbol-function 'agent-q-fs--mod-version) nil)
                   ((symbol-function 'module-load) (lambda (file) (throw 'loaded file))))
           (let ((agent-q-fs-module--ready nil) (agent-q-fs-module--failed nil)
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

(ert-deftest agent-q-fs-load/beside-the-lisp-first ()
  (agent-q-fs-load-tests-with ()
    (let ((name (concat "agent-q-fs-module" module-file-suffix)))
      (agent-q-fs-load-tests--put (concat "build/" name) "")
      (should (file-equal-p (agent-q-fs-load-tests--load) (concat "build/" name)))
      (agent-q-fs-load-tests--put (concat "elisp/" name) "")
      (should (file-equal-p (agent-q-fs-load-tests--load) (concat "elisp/" name)))
      (agent-q-fs-load-tests--put "mine.so" "")
      (let ((agent-q-fs-module-file (expand-file-name "mine.so")))
        (should (equal (agent-q-fs-load-tests--load) agent-q-fs-module-file)))
      (let ((agent-q-fs-module-file (expand-file-name "gone.so")))
        (should (string-search "gone.so" (agent-q-fs-load-tests--error)))))))

(ert-deftest agent-q-fs-load/without-module-support ()
  (agent-q-fs-load-tests-with ((module-file-suffix nil))
    (should (string-search "--with-modules" (agent-q-fs-load-tests--error)))))

(ert-deftest agent-q-fs-load/no-sources ()
  (agent-q-fs-load-tests-with ()
    (should (string-search "sources" (agent-q-fs-load-tests--error)))))

(ert-deftest agent-q-fs-load/builds-once ()
  (unless (executable-find "make") (ert-skip "There is no make"))
  (agent-q-fs-load-tests-with ()
    (agent-q-fs-load-tests--put "module/include/aqfs.h" "")
    (agent-q-fs-load-tests--put
     "Makefile" "all:\n\techo $(EMACS)\n\tmkdir -p build\n\techo x >>build/agent-q-fs-module.so\n")
    (should (file-equal-p (agent-q-fs-load-tests--load) "build/agent-q-fs-module.so"))
    (should (file-equal-p (agent-q-fs-load-tests--load) "build/agent-q-fs-module.so"))
    (with-temp-buffer
      (insert-file-contents (expand-file-name "build/agent-q-fs-module.so"))
      (should (equal (buffer-string) "x\n")))
    (with-current-buffer agent-q-fs-module--log
      (should (string-search (expand-file-name invocation-name invocation-directory)
                             (buffer-string))))))

(ert-deftest agent-q-fs-load/names-the-missing-package ()
  (unless (executable-find "make") (ert-skip "There is no make"))
  (pcase-dolist (`(,words ,package)
                 '(("module/wire/args.h:6:10: fatal error: jansson.h: No such file or directory"
                    "libjansson-dev")
                   ("fatal error: git2.h: No such file" "libgit2-dev")
                   ("/usr/bin/ld: cannot find -lmagic: No such file or directory" "libmagic-dev")
                   ("fatal error: magic.h: No such file" "libmagic-dev")
                   ("fatal error: libdeflate.h: No such file" "libdeflate-dev")
                   ("Package 'libcrypto', required by 'virtual:world', not found" "libssl-dev")
                   ("Package libpcre2-8 was not found in the pkg-config search path."
                    "libpcre2-dev")
                   ("Package 'libgit2', required by 'virtual:world', not found" "libgit2-dev")
                   ("/bin/sh: 1: pkg-config: not found" "pkg-config")
                   ("make: gcc: No such file or directory" "gcc")
                   ("/bin/sh: 1: cc: not found" "gcc")
                   ("fatal error: emacs-module.h: No such file" "emacs-common")))
    (agent-q-fs-load-tests-with ()
      (agent-q-fs-load-tests--put "module/include/aqfs.h" "")
      (agent-q-fs-load-tests--put "words" words)
      (agent-q-fs-load-tests--put "Makefile" "all:\n\t@cat words; false\n")
      (should (string-match-p (concat "apt-get install .*" (regexp-quote package))
                              (agent-q-fs-load-tests--error))))))

(ert-deftest agent-q-fs-load/a-failed-build-is-not-repeated ()
  (unless (executable-find "make") (ert-skip "There is no make"))
  (agent-q-fs-load-tests-with ()
    (agent-q-fs-load-tests--put "module/include/aqfs.h" "")
    (agent-q-fs-load-tests--put "Makefile" "all:\n\techo x >>tries\n\techo what is wrong\n\tfalse\n")
    (should (string-search "what is wrong" (agent-q-fs-load-tests--error)))
    (should (string-search "before" (agent-q-fs-load-tests--error)))
    (should (= 2 (file-attribute-size (file-attributes "tries"))))
    (should-error (agent-q-fs-module-build))
    (should (= 4 (file-attribute-size (file-attributes "tries"))))))

(ert-deftest agent-q-fs-load/without-make ()
  (agent-q-fs-load-tests-with ((exec-path nil))
    (agent-q-fs-load-tests--put "module/include/aqfs.h" "")
    (should (string-search "install make" (agent-q-fs-load-tests--error)))))

(ert-deftest agent-q-fs-load/asks-a-user ()
  (agent-q-fs-load-tests-with ((agent-q-fs-module-build 'ask) (noninteractive nil) asked)
    (agent-q-fs-load-tests--put "module/include/aqfs.h" "")
    (agent-q-fs-load-tests--put "Makefile" "all:\n\ttouch tried\n")
    (cl-letf (((symbol-function 'y-or-n-p) (lambda (_) (setq asked t) nil)))
      (should (string-search "not built" (agent-q-fs-load-tests--error))))
    (should asked)
    (should-not (file-exists-p "tried"))
    (let ((agent-q-fs-module-build nil))
      (should (string-search "not built" (agent-q-fs-load-tests--error))))))

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
