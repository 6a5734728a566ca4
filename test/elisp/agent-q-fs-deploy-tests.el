;;; agent-q-fs-deploy-tests.el --- The program gets to other machines  -*- lexical-binding: t; -*-

;; SPDX-License-Identifier: MIT

;;; Commentary:

;; The other machine is a shell on this one, which TRAMP reaches by a method of ours: with a
;; home of its own, and a PATH that has what the test says.  The copy there is of a small
;; bundle of a program that only says its version, where the test is not about the real one.

;;; Code:

(require 'agent-q-fs-deploy)
(require 'agent-q-fs-test-help)
(require 'tramp)
(require 'tramp-sh)

(defvar agent-q-fs-deploy-test--sent 0
  "How many commands TRAMP has sent.")

(defvar agent-q-fs-deploy-test--asked nil
  "The questions that the person was asked, the latest first.")

(defvar agent-q-fs-deploy-test--count 0
  "How many machines there were.")

(defvar agent-q-fs-deploy-test--script "#!/bin/sh\necho \"agent-q-fs %s\"\n"
  "The text of a program that says a version.")

(defun agent-q-fs-deploy-test--method (shell)
  "Return a method of TRAMP that logs into SHELL on this machine."
  `("aqfs" (tramp-login-program "sh")
    (tramp-login-args (("-c") (,(format "'exec %s'" shell)) ("%h")))
    (tramp-remote-shell "/bin/sh") (tramp-remote-shell-args ("-c"))
    (tramp-connection-timeout 60)))

(defun agent-q-fs-deploy-test--write (file text)
  "Write TEXT into FILE, an executable, and make its directories."
  (make-directory (file-name-directory file) t)
  (write-region text nil file nil 'quiet)
  (set-file-modes file #o755)
  file)

(defun agent-q-fs-deploy-test--shell (format &rest arguments)
  "Run the shell command of FORMAT and ARGUMENTS, which must go well."
  (let ((default-directory "/"))
    (with-temp-buffer
      (unless (eq 0 (call-process "/bin/sh" nil t nil "-c" (apply #'format format arguments)))
        (ert-fail (buffer-string))))))

(defun agent-q-fs-deploy-test--bundle (directory machine &optional version kilobytes)
  "Make a bundle in DIRECTORY for MACHINE of a program that says VERSION.
It is said to take so many KILOBYTES."
  (let ((version (or version agent-q-fs-module-version))
        (bundle (expand-file-name machine directory))
        (tree (expand-file-name "tree" directory)))
    (agent-q-fs-deploy-test--write (expand-file-name "agent-q-fs" tree)
                                   (format agent-q-fs-deploy-test--script version))
    (agent-q-fs-deploy-test--write (expand-file-name "lib/data" tree) (make-string 100000 ?x))
    (make-directory bundle t)
    (agent-q-fs-deploy-test--shell
     "cd '%s' && find . ! -type d ! -path ./SUMS | LC_ALL=C sort | xargs sha256sum >'%s/SUMS' && \
cp '%s/SUMS' . && tar -czf '%s/agent-q-fs.tar.gz' ." tree bundle bundle bundle)
    (with-temp-file (expand-file-name "facts" bundle)
      (prin1 (list :version version :machine machine :kilobytes (or kilobytes 200) :left-out "")
             (current-buffer)))
    (delete-directory tree t)))

(defun agent-q-fs-deploy-test--call (function shell)
  "Call FUNCTION with the name of a machine on which a person has SHELL.
Its files are below `default-directory', and the person says yes."
  (let* ((default-directory (file-name-as-directory
                             (file-truename (make-temp-file "aqfs-far-" t))))
         (machine (agent-q-fs-deploy--own-machine))
         (where (format "/aqfs:far%d:/tmp/" (cl-incf agent-q-fs-deploy-test--count)))
         (tramp-methods (cons (agent-q-fs-deploy-test--method shell) tramp-methods))
         (tramp-verbose 0) (tramp-persistency-file-name nil)
         (agent-q-fs-state-directory (expand-file-name "state/"))
         (agent-q-fs-deploy-directory (expand-file-name "bundles/"))
         (agent-q-fs-deploy-programs nil) (agent-q-fs-deploy-copy 'ask)
         (agent-q-fs-deploy-test--sent 0) (agent-q-fs-deploy-test--asked nil)
         (process-environment
          (append (list (concat "HOME=" (expand-file-name "home")) "XDG_CACHE_HOME"
                        (concat "XDG_CONFIG_HOME=" (expand-file-name "home/.config")))
                  process-environment))
         (count (lambda (&rest _) (cl-incf agent-q-fs-deploy-test--sent)))
         (inhibit-message t))
    (make-directory "home")
    (agent-q-fs-deploy-test--bundle "bundles" machine)
    (advice-add 'tramp-send-string :before count)
    (unwind-protect
        (cl-letf (((symbol-function 'agent-q-fs-deploy--person-p) #'always)
                  ((symbol-function 'read-multiple-choice)
                   (lambda (question choices &rest _)
                     (push question agent-q-fs-deploy-test--asked)
                     (car choices))))
          (funcall function where))
      (advice-remove 'tramp-send-string count)
      (ignore-errors (tramp-cleanup-connection (tramp-dissect-file-name where) nil t))
      (delete-directory default-directory t))))

(defmacro agent-q-fs-deploy-test-with-far (spec &rest body)
  "Run BODY beside another machine, whose name is the value of VARIABLE.
SPEC is (VARIABLE SHELL): the person there has SHELL, or sh."
  (declare (indent 1) (debug ((symbolp &optional form) body)))
  `(agent-q-fs-deploy-test--call (lambda (,(car spec)) ,@body) ,(or (cadr spec) "sh -i")))

(defun agent-q-fs-deploy-test--says (program)
  "Return what PROGRAM says of its version."
  (with-temp-buffer
    (call-process program nil t nil "--version")
    (string-trim (buffer-string))))

(defun agent-q-fs-deploy-test--kept ()
  "Return the names of what is kept on the other machine."
  (and (file-directory-p "home/.cache/agent-q-fs/bin")
       (directory-files "home/.cache/agent-q-fs/bin" nil directory-files-no-dot-files-regexp)))

(defun agent-q-fs-deploy-test--ours ()
  "Return what a program of our version says."
  (concat "agent-q-fs " agent-q-fs-module-version))

(defun agent-q-fs-deploy-test--error (where)
  "Return the error, its symbol and its message, of having the program on WHERE."
  (let ((problem (should-error (agent-q-fs-deploy-program where) :type 'agent-q-fs-error)))
    (cons (car problem) (plist-get (cdr problem) :message))))


;;;; The way there

(ert-deftest agent-q-fs-deploy-private/asks-once-and-copies-once ()
  (agent-q-fs-deploy-test-with-far (where)
    (let ((program (agent-q-fs-deploy-program where)))
      (should (equal (agent-q-fs-deploy-test--ours) (agent-q-fs-deploy-test--says program)))
      (should (string-prefix-p (expand-file-name "home/.cache/agent-q-fs/bin/") program))
      (should (= 1 (length (agent-q-fs-deploy-test--kept))))
      (dolist (directory (list "home/.cache/agent-q-fs/bin" (file-name-directory program)))
        (should (= #o700 (file-modes directory))))
      (should (string-search (file-remote-p where) (car agent-q-fs-deploy-test--asked)))
      ;; Then it is there, for other sessions, too.
      (tramp-cleanup-connection (tramp-dissect-file-name where) nil t)
      (should (equal program (agent-q-fs-deploy-program where)))
      (setq agent-q-fs-deploy-test--sent 0)
      (should (equal program (agent-q-fs-deploy-program where)))
      (should (= 1 agent-q-fs-deploy-test--sent))
      (should (= 1 (length agent-q-fs-deploy-test--asked))))))

(ert-deftest agent-q-fs-deploy/costs-the-copy-and-few-round-trips ()
  (agent-q-fs-deploy-test-with-far (where)
    (file-exists-p where)
    (let* ((copied 0) (copy (lambda (copy &rest arguments)
                              (let ((before agent-q-fs-deploy-test--sent))
                                (prog1 (apply copy arguments)
                                  (cl-incf copied (- agent-q-fs-deploy-test--sent before)))))))
      (setq agent-q-fs-deploy-test--sent 0)
      (advice-add 'copy-file :around copy)
      (unwind-protect (agent-q-fs-deploy-program where)
        (advice-remove 'copy-file copy))
      (ert-info ((format "The copy takes %d" copied))
        (should (> copied 0))
        (should (<= (- agent-q-fs-deploy-test--sent copied) 10))))))

(defmacro agent-q-fs-deploy-test--spoiled (how)
  "Check that a program which the form HOW has changed is copied again.
HOW is evaluated in its directory."
  `(agent-q-fs-deploy-test-with-far (where)
     (let ((program (agent-q-fs-deploy-program where)))
       (let ((default-directory (file-name-directory program)))
         ,how)
       (should (equal program (agent-q-fs-deploy-program where)))
       (should (equal (agent-q-fs-deploy-test--ours) (agent-q-fs-deploy-test--says program)))
       (should (= 1 (length (agent-q-fs-deploy-test--kept))))
       (should-not (file-exists-p (expand-file-name "../lib/planted" program)))
       (should (= 100000 (file-attribute-size
                          (file-attributes (expand-file-name "../lib/data" program)))))
       (should (= 1 (length agent-q-fs-deploy-test--asked))))))

(ert-deftest agent-q-fs-deploy/truncated-program ()
  (agent-q-fs-deploy-test--spoiled (write-region "x" nil "lib/data" nil 'quiet)))

(ert-deftest agent-q-fs-deploy/changed-sums ()
  (agent-q-fs-deploy-test--spoiled
   (progn (write-region "x" nil "lib/data" nil 'quiet)
          (agent-q-fs-deploy-test--shell
           "cd '%s' && sha256sum ./agent-q-fs ./lib/data >SUMS" default-directory))))

(ert-deftest agent-q-fs-deploy/planted-file ()
  (agent-q-fs-deploy-test--spoiled (write-region "x" nil "lib/planted" nil 'quiet)))

(ert-deftest agent-q-fs-deploy-private/program-that-others-may-change ()
  (agent-q-fs-deploy-test--spoiled (set-file-modes "." #o777)))

(ert-deftest agent-q-fs-deploy/removed-program ()
  (agent-q-fs-deploy-test--spoiled (delete-directory default-directory t)))

(ert-deftest agent-q-fs-deploy/installed-program-of-our-version ()
  (agent-q-fs-deploy-test-with-far (where)
    (let ((installed (agent-q-fs-deploy-test--write
                      (expand-file-name "home/.local/bin/agent-q-fs")
                      (format agent-q-fs-deploy-test--script agent-q-fs-module-version))))
      (should (equal installed (agent-q-fs-deploy-program where)))
      (should-not agent-q-fs-deploy-test--asked)
      (should-not (agent-q-fs-deploy-test--kept)))))

(ert-deftest agent-q-fs-deploy/installed-program-of-another-version ()
  (agent-q-fs-deploy-test-with-far (where)
    (agent-q-fs-deploy-test--write (expand-file-name "home/.local/bin/agent-q-fs")
                                   (format agent-q-fs-deploy-test--script "0.0.9"))
    (should (string-match-p "/home/\\.cache/" (agent-q-fs-deploy-program where)))
    (should (string-search "agent-q-fs 0.0.9" (car agent-q-fs-deploy-test--asked)))))

(ert-deftest agent-q-fs-deploy/named-program ()
  (agent-q-fs-deploy-test-with-far (where)
    (let* ((named (agent-q-fs-deploy-test--write
                   (expand-file-name "some where/it's")
                   (format agent-q-fs-deploy-test--script agent-q-fs-module-version)))
           (agent-q-fs-deploy-programs `(("other" . "/nowhere") ("^/aqfs:" . ,named))))
      (should (equal named (agent-q-fs-deploy-program where)))
      (agent-q-fs-deploy-test--write named (format agent-q-fs-deploy-test--script "0.0.9"))
      (pcase-let ((`(,code . ,message) (agent-q-fs-deploy-test--error where)))
        (should (eq code 'agent-q-fs-not-found))
        (should (string-search "says: agent-q-fs 0.0.9" message)))
      (setq agent-q-fs-deploy-programs '(("far" . "relative")))
      (should (eq 'agent-q-fs-invalid-argument (car (agent-q-fs-deploy-test--error where))))
      ;; Nothing else is tried in its place.
      (should-not (agent-q-fs-deploy-test--kept)))))

(ert-deftest agent-q-fs-deploy/person-is-not-there-or-says-no ()
  (agent-q-fs-deploy-test-with-far (where)
    (cl-letf (((symbol-function 'agent-q-fs-deploy--person-p) #'ignore))
      (should (eq 'agent-q-fs-approval-required (car (agent-q-fs-deploy-test--error where)))))
    (cl-letf (((symbol-function 'read-multiple-choice) (lambda (&rest _) '(?n "no"))))
      (should (eq 'agent-q-fs-denied (car (agent-q-fs-deploy-test--error where)))))
    (let ((agent-q-fs-deploy-copy nil))
      (should (eq 'agent-q-fs-denied (car (agent-q-fs-deploy-test--error where)))))
    (should-not (file-exists-p "home/.cache"))
    ;; A no is not remembered, and a yes is for this machine alone.
    (agent-q-fs-deploy-program where)
    (cl-letf (((symbol-function 'agent-q-fs-deploy--person-p) #'ignore))
      (delete-directory "home/.cache" t)
      (should (agent-q-fs-deploy-program where))
      (delete-directory "home/.cache" t)
      (agent-q-fs-deploy-forget where)
      (should (eq 'agent-q-fs-approval-required (car (agent-q-fs-deploy-test--error where)))))))

(ert-deftest agent-q-fs-deploy/left-while-it-connects ()
  "Where the person leaves while a process over there begins, it is ended."
  (let ((shared (make-pipe-process :name "shared" :noquery t)) started)
    (unwind-protect
        (cl-letf (((symbol-function 'agent-q-fs-shell--shared) (lambda (_) shared))
                  ((symbol-function 'agent-q-fs-shell--start-directly)
                   (lambda (_ arguments)
                     (let ((default-directory "/"))
                       (setq started (apply #'make-process arguments))))))
          (should (eq 'left (with-timeout (0.1 'left)
                              (agent-q-fs-shell-begin "/aqfs:far:" "word" '("sleep" "300")
                                                      '(:name "far")))))
          (should-not (process-live-p started))
          ;; It says nothing about whether the connection can be shared.
          (should-not (process-get shared 'agent-q-fs-shell-direct)))
      (when started (delete-process started))
      (delete-process shared))))

(ert-deftest agent-q-fs-deploy/local-directory ()
  (should (eq 'agent-q-fs-invalid-argument (car (agent-q-fs-deploy-test--error "/tmp/")))))


;;;; Shells there

(ert-deftest agent-q-fs-deploy/login-shells-that-talk ()
  (dolist (shell '("bash -i" "fish -i" "tcsh -i" "busybox sh -i"))
    (when (executable-find (car (split-string shell)))
      (ert-info (shell)
        (agent-q-fs-deploy-test-with-far (where shell)
          (let ((noise "echo Welcome; echo 0123456789abcdef ready /bin/false; echo end of it\n"))
            (agent-q-fs-deploy-test--write (expand-file-name "home/.config/fish/config.fish") noise)
            (agent-q-fs-deploy-test--write (expand-file-name "home/.cshrc") noise)
            (agent-q-fs-deploy-test--write (expand-file-name "home/.bashrc") noise))
          (let ((program (agent-q-fs-deploy-program where)))
            (should (string-match-p "/home/\\.cache/" program))
            (should (equal program (agent-q-fs-deploy-program where)))
            (should (equal (agent-q-fs-deploy-test--ours)
                           (agent-q-fs-deploy-test--says program)))))))))

(ert-deftest agent-q-fs-deploy/names-in-the-way ()
  "A home with spaces, quotes and other letters, in another locale."
  (agent-q-fs-deploy-test-with-far (where)
    (let ((home (expand-file-name "ho me/it's \"$HOME\" ünï*?/")))
      (make-directory home t)
      (setenv "HOME" home)
      ;; `setenv' would change the locale of this Emacs, too.
      (push "LC_ALL=tr_TR.UTF-8" process-environment)
      (let ((program (agent-q-fs-deploy-program where)))
        (should (string-prefix-p home program))
        (should (equal (agent-q-fs-deploy-test--ours) (agent-q-fs-deploy-test--says program)))
        (should (equal program (agent-q-fs-deploy-program where)))
        (should (= 1 (length agent-q-fs-deploy-test--asked)))))))

(ert-deftest agent-q-fs-deploy/cache-of-the-person ()
  "XDG_CACHE_HOME counts if it is absolute."
  (agent-q-fs-deploy-test-with-far (where)
    (setenv "XDG_CACHE_HOME" (expand-file-name "cache"))
    (should (string-prefix-p (expand-file-name "cache/agent-q-fs/bin/")
                             (agent-q-fs-deploy-program where))))
  (agent-q-fs-deploy-test-with-far (where)
    (setenv "XDG_CACHE_HOME" "cache")
    (should (string-prefix-p (expand-file-name "home/.cache/agent-q-fs/bin/")
                             (agent-q-fs-deploy-program where)))))


;;;; Faults over there

(defun agent-q-fs-deploy-test--without (&rest tools)
  "Have the other machine without TOOLS: return its PATH for TRAMP."
  (let ((bin (expand-file-name "tools/")))
    (make-directory bin)
    (dolist (directory '("/bin/" "/usr/bin/"))
      (dolist (file (directory-files directory nil "\\`[a-z0-9]+\\'"))
        (unless (or (member file tools) (file-symlink-p (concat bin file)))
          (make-symbolic-link (concat directory file) (concat bin file)))))
    (list bin)))

(defun agent-q-fs-deploy-test--refused (where code words)
  "Check that the program cannot be had on WHERE: an error CODE with WORDS.
Nothing is left there."
  (pcase-let ((`(,symbol . ,message) (agent-q-fs-deploy-test--error where)))
    (ert-info (message)
      (should (eq symbol code))
      (should (string-search words message))
      (should-not (agent-q-fs-deploy-test--kept)))))

(ert-deftest agent-q-fs-deploy/no-tool-that-hashes ()
  "A kept program is not trusted: it is copied again, without a question."
  (agent-q-fs-deploy-test-with-far (where)
    (let* ((tramp-remote-path (agent-q-fs-deploy-test--without "sha256sum" "shasum" "openssl"))
           (program (agent-q-fs-deploy-program where)))
      (should (equal (agent-q-fs-deploy-test--ours) (agent-q-fs-deploy-test--says program)))
      (write-region (format agent-q-fs-deploy-test--script "0.0.9") nil program nil 'quiet)
      (should (equal program (agent-q-fs-deploy-program where)))
      (should (equal (agent-q-fs-deploy-test--ours) (agent-q-fs-deploy-test--says program)))
      (should (= 1 (length agent-q-fs-deploy-test--asked)))
      (should (= 1 (length (agent-q-fs-deploy-test--kept)))))))

(ert-deftest agent-q-fs-deploy/openssl-hashes-as-well ()
  (agent-q-fs-deploy-test-with-far (where)
    (let* ((tramp-remote-path (agent-q-fs-deploy-test--without "sha256sum" "shasum"))
           (program (agent-q-fs-deploy-program where)))
      (setq agent-q-fs-deploy-test--sent 0)
      (should (equal program (agent-q-fs-deploy-program where)))
      (should (= 1 agent-q-fs-deploy-test--sent)))))

(ert-deftest agent-q-fs-deploy/no-tool-that-unpacks ()
  (agent-q-fs-deploy-test-with-far (where)
    (let ((tramp-remote-path (agent-q-fs-deploy-test--without "tar")))
      (agent-q-fs-deploy-test--refused where 'agent-q-fs-not-found "`tar' is missing there"))))

(ert-deftest agent-q-fs-deploy/other-processors-and-systems ()
  (pcase-dolist (`(,uname ,code ,words)
                 '(("Linux riscv64" agent-q-fs-not-found "has riscv64 processors, and no program")
                   ("Darwin arm64" agent-q-fs-invalid-argument "no Linux, but Darwin arm64")
                   ("" agent-q-fs-invalid-argument "no Linux")))
    (agent-q-fs-deploy-test-with-far (where)
      (let ((tramp-remote-path (agent-q-fs-deploy-test--without "uname")))
        (agent-q-fs-deploy-test--write
         (expand-file-name "tools/uname")
         (format "#!/bin/sh\nset -- '%s' $1\ncase $2 in -s) echo ${1%%%% *} ;; *) echo ${1##* } ;; esac\n"
                 uname))
        (agent-q-fs-deploy-test--refused where code words)))))

(ert-deftest agent-q-fs-deploy/processors-of-another-kind-with-a-bundle ()
  "The bundle is chosen by what the machine is, and not by what is here."
  (agent-q-fs-deploy-test-with-far (where)
    (let ((tramp-remote-path (agent-q-fs-deploy-test--without "uname")))
      (agent-q-fs-deploy-test--write
       (expand-file-name "tools/uname")
       "#!/bin/sh\ncase $1 in -s) echo Linux ;; *) echo riscv64 ;; esac\n")
      (agent-q-fs-deploy-test--bundle "bundles" "riscv64" nil 201)
      (let ((bundle (seq-find (lambda (bundle) (equal "riscv64" (plist-get bundle :machine)))
                              (agent-q-fs-deploy--bundles)))
            copied)
        (advice-add 'copy-file :before (lambda (from &rest _) (push from copied))
                    '((name . deploy-test)))
        (unwind-protect (should (agent-q-fs-deploy-program where))
          (advice-remove 'copy-file 'deploy-test))
        (should (equal (list (concat (plist-get bundle :directory) "agent-q-fs.tar.gz"))
                       copied))))))

(ert-deftest agent-q-fs-deploy/bundle-of-another-version ()
  "It is not copied, and one for another machine neither."
  (agent-q-fs-deploy-test-with-far (where)
    (let ((machine (agent-q-fs-deploy--own-machine)))
      (delete-directory "bundles" t)
      (agent-q-fs-deploy-test--bundle "bundles" machine "0.0.9")
      (agent-q-fs-deploy-test--bundle "bundles" "riscv64")
      (agent-q-fs-deploy-test--refused where 'agent-q-fs-not-found
                                       (format "has %s processors, and no program" machine)))))

(ert-deftest agent-q-fs-deploy/program-that-does-not-run ()
  "As where a bundle is of other processors than it says."
  (agent-q-fs-deploy-test-with-far (where)
    (let ((agent-q-fs-deploy-test--script "#!/no/such/loader\n%s"))
      (agent-q-fs-deploy-test--bundle "bundles" (agent-q-fs-deploy--own-machine)))
    (agent-q-fs-deploy-test--refused where 'agent-q-fs-io "does not run there")))

(ert-deftest agent-q-fs-deploy/damaged-on-the-way ()
  (agent-q-fs-deploy-test-with-far (where)
    (let ((cut (lambda (copy from to &rest more)
                 (prog1 (apply copy from to more)
                   (write-region "cut" nil (file-local-name to) nil 'quiet)))))
      (advice-add 'copy-file :around cut)
      (unwind-protect
          (agent-q-fs-deploy-test--refused where 'agent-q-fs-io "arrived damaged")
        (advice-remove 'copy-file cut)))))

(ert-deftest agent-q-fs-deploy/directories-of-others ()
  (skip-unless (eq 0 (user-uid)))
  (dolist (spoil (list "chown 65534 '%s'" "chmod 777 '%s'" "chgrp 65534 '%s' && chmod 770 '%s'"))
    (ert-info (spoil)
      (dolist (directory '("home" "home/.cache" "home/.cache/agent-q-fs"))
        (agent-q-fs-deploy-test-with-far (where)
          (make-directory directory t)
          (let ((spoiled (expand-file-name directory)))
            (agent-q-fs-deploy-test--shell "%s" (string-replace "%s" spoiled spoil))
            (agent-q-fs-deploy-test--refused where 'agent-q-fs-permission
                                             "could change what is there")))))
    (agent-q-fs-deploy-test-with-far (where)
      ;; A program that was planted where others can change it.
      (let ((program (agent-q-fs-deploy-program where)))
        (agent-q-fs-deploy-test--shell "%s" (string-replace "%s" (expand-file-name "home") spoil))
        (should (eq 'agent-q-fs-permission (car (agent-q-fs-deploy-test--error where))))
        (should (file-exists-p program))))))

(ert-deftest agent-q-fs-deploy-private/link-in-its-place ()
  (agent-q-fs-deploy-test-with-far (where)
    (make-directory "home/.cache/agent-q-fs" t)
    (make-directory "elsewhere")
    (set-file-modes "elsewhere" #o755)
    (make-symbolic-link (expand-file-name "elsewhere") "home/.cache/agent-q-fs/bin")
    (agent-q-fs-deploy-test--refused where 'agent-q-fs-permission "could change what is there")
    (should (= #o755 (file-modes "elsewhere")))))

(ert-deftest agent-q-fs-deploy-private/no-home-and-home-that-is-no-directory ()
  (agent-q-fs-deploy-test-with-far (where)
    (delete-directory "home")
    (write-region "" nil "home" nil 'quiet)
    (should (eq 'agent-q-fs-not-connected (car (agent-q-fs-deploy-test--error where))))
    (setenv "HOME" "/sys/kernel")
    (agent-q-fs-deploy-test--refused where 'agent-q-fs-permission "/sys/kernel/")))

(defun agent-q-fs-deploy-test--on-disk (options function)
  "Call FUNCTION while home is a file system of its own, mounted with OPTIONS."
  (let ((home (expand-file-name "home")))
    (unless (and (eq 0 (user-uid))
                 (eq 0 (call-process "mount" nil nil nil "-t" "tmpfs" "-o"
                                     (concat "mode=700," options) "tmpfs" home)))
      (ert-skip "A file system can be mounted by root, and not everywhere"))
    (unwind-protect (funcall function)
      (call-process "umount" nil nil nil "-l" home))))

(ert-deftest agent-q-fs-deploy/mounted-noexec ()
  (agent-q-fs-deploy-test-with-far (where)
    (agent-q-fs-deploy-test--on-disk
     "noexec" (lambda () (agent-q-fs-deploy-test--refused where 'agent-q-fs-permission
                                                          "nothing can be started there")))))

(ert-deftest agent-q-fs-deploy/mounted-noexec-later ()
  (agent-q-fs-deploy-test-with-far (where)
    (agent-q-fs-deploy-test--on-disk
     "size=9m"
     (lambda ()
       (agent-q-fs-deploy-program where)
       (agent-q-fs-deploy-test--shell "mount -o remount,noexec '%s'" (expand-file-name "home"))
       (should (eq 'agent-q-fs-io (car (agent-q-fs-deploy-test--error where))))))))

(ert-deftest agent-q-fs-deploy/no-space ()
  (agent-q-fs-deploy-test-with-far (where)
    (agent-q-fs-deploy-test--on-disk
     "size=1m" (lambda () (agent-q-fs-deploy-test--refused where 'agent-q-fs-no-space
                                                           "kilobytes are free, and ")))))

(ert-deftest agent-q-fs-deploy/disk-fills-while-copying ()
  "There is more to copy than the bundle says."
  (agent-q-fs-deploy-test-with-far (where)
    (let ((pack (expand-file-name "agent-q-fs.tar.gz"
                                  (plist-get (car (agent-q-fs-deploy--bundles)) :directory)))
          (more (make-string 5000000 ?x)))
      (agent-q-fs-deploy-test--on-disk
       "size=4m"
       (lambda ()
         (let ((file-name-handler-alist nil)) ; nothing compresses it
           (write-region more nil pack t 'quiet))
         (cl-letf (((symbol-function 'file-attribute-size) (lambda (_) 1000)))
           (agent-q-fs-deploy-test--refused where 'agent-q-fs-no-space "Make room")))))))

(ert-deftest agent-q-fs-deploy/connection-that-cannot-be-had ()
  (agent-q-fs-deploy-test-with-far (where "false")
    (should (eq 'agent-q-fs-not-connected (car (agent-q-fs-deploy-test--error where))))
    (should-not agent-q-fs-deploy-test--asked)))

(ert-deftest agent-q-fs-deploy/answers-of-a-machine-that-lies ()
  (dolist (name '("relative" "/with\nnewline" "/with\tcontrol" "" "/\0"))
    (should-error (agent-q-fs-shell-name name "/x:y:") :type 'agent-q-fs-error))
  (with-temp-buffer
    (insert "other ready /evil\nw ready /bin/x\r\nw end \nw ready\n ready /evil\n")
    (should (equal '((end . "") (ready . "/bin/x")) (agent-q-fs-shell--answers "w")))
    (erase-buffer)
    (insert "w ready /bin/x\n")
    (should-not (agent-q-fs-shell--answers "w")))
  ;; A fault that its script cannot have is told as any other.
  (pcase-dolist (`(,fault ,code) agent-q-fs-deploy--faults)
    (should-error (agent-q-fs-deploy--ready "/x:y:" (list (cons fault "%s %d") '(end . "")))
                  :type (intern (format "agent-q-fs-%s" (substring (symbol-name code) 1))))))


;;;; Cleaning up there

(defun agent-q-fs-deploy-test--age (hours file)
  "Have FILE of the other machine be HOURS old."
  (set-file-times (expand-file-name file "home/.cache/agent-q-fs/bin/")
                  (time-subtract nil (* 3600 hours))))

(ert-deftest agent-q-fs-deploy/clean-up-after-a-day ()
  (agent-q-fs-deploy-test-with-far (where)
    (let* ((program (agent-q-fs-deploy-program where))
           (own (file-name-nondirectory (directory-file-name (file-name-directory program))))
           (default-directory (file-name-as-directory default-directory)))
      (dolist (name '("old" "new.old" "recent" "used"))
        (make-directory (concat "home/.cache/agent-q-fs/bin/" name "/lib") t))
      ;; A server of an older version still runs.
      (copy-file "/bin/sleep" "home/.cache/agent-q-fs/bin/used/lib/loader")
      (let ((process (start-process "used" nil (expand-file-name
                                                "home/.cache/agent-q-fs/bin/used/lib/loader")
                                    "1000")))
        (unwind-protect
            (progn
              (dolist (name (list "old" "new.old" "used" own))
                (agent-q-fs-deploy-test--age 25 name))
              (agent-q-fs-deploy-test--age 23 "recent")
              (should (equal program (agent-q-fs-deploy-program where)))
              (should (equal (sort (list own "recent" "used") #'string<)
                             (sort (agent-q-fs-deploy-test--kept) #'string<))))
          (delete-process process)))
      ;; It was used just now, so its day begins anew.
      (should (time-less-p (time-subtract nil 3600)
                           (file-attribute-modification-time
                            (file-attributes (file-name-directory program)))))
      (agent-q-fs-test-until
       (progn (agent-q-fs-deploy-program where)
              (equal (sort (list own "recent") #'string<)
                     (sort (agent-q-fs-deploy-test--kept) #'string<)))))))

(ert-deftest agent-q-fs-deploy/interrupted-copy ()
  "Left files are gone after a day, and do not hinder before."
  (agent-q-fs-deploy-test-with-far (where)
    (let ((quit (lambda (&rest _) (signal 'quit nil))))
      (advice-add 'copy-file :before quit)
      (unwind-protect
          (should (eq 'quit (condition-case caught (agent-q-fs-deploy-program where)
                              (quit (car caught)))))
        (advice-remove 'copy-file quit)))
    (let ((left (agent-q-fs-deploy-test--kept)))
      (should (string-prefix-p "new." (car left)))
      (agent-q-fs-deploy-program where)
      (should (= 2 (length (agent-q-fs-deploy-test--kept))))
      (agent-q-fs-deploy-test--age 25 (car left))
      (agent-q-fs-deploy-program where)
      (should (= 1 (length (agent-q-fs-deploy-test--kept)))))))


;;;; Two at once, and building there

(ert-deftest agent-q-fs-deploy/two-at-once ()
  "Another Emacs puts the same program there while this one copies it."
  (agent-q-fs-deploy-test-with-far (where)
    (let* (other (beside (lambda (&rest _)
                           (unless other
                             (setq other t)
                             (setq other (agent-q-fs-deploy-program where))))))
      (advice-add 'copy-file :before beside)
      (unwind-protect
          (should (equal (agent-q-fs-deploy-program where) other))
        (advice-remove 'copy-file beside))
      (should (= 1 (length (agent-q-fs-deploy-test--kept))))
      (should (equal (agent-q-fs-deploy-test--ours) (agent-q-fs-deploy-test--says other))))))

(defun agent-q-fs-deploy-test--sources (recipe)
  "Make sources whose programs are made by RECIPE, a line of a makefile."
  (make-directory "sources/module" t)
  (with-temp-file "sources/module/build.mk"
    (insert "program:\n\tmkdir build\n" recipe))
  (expand-file-name "sources/"))

(defmacro agent-q-fs-deploy-test--building (recipe &rest body)
  "Run BODY where the person wants the program built by RECIPE."
  (declare (indent 1))
  `(let ((sources (agent-q-fs-deploy-test--sources ,recipe)))
     (delete-directory "bundles" t)
     (cl-letf (((symbol-function 'agent-q-fs-module--source) (lambda () sources))
               ((symbol-function 'read-multiple-choice)
                (lambda (question choices &rest _)
                  (push question agent-q-fs-deploy-test--asked)
                  (assq ?b choices))))
       (unwind-protect (progn ,@body)
         (dolist (buffer (buffer-list))
           (when (string-prefix-p "*agent-q-fs build /aqfs" (buffer-name buffer))
             (kill-buffer buffer)))))))

(ert-deftest agent-q-fs-deploy/built-there ()
  (agent-q-fs-deploy-test-with-far (where)
    (agent-q-fs-deploy-test--building
        (format "\tfor p in agent-q-fs agent-q-fs-run; do printf '\\043!/bin/sh\\necho agent-q-fs %s\\n' \
>build/$$p && chmod 755 build/$$p; done\n" agent-q-fs-module-version)
      (let ((program (agent-q-fs-deploy-program where)))
        (should (string-match-p "/home/\\.cache/" program))
        (should (equal (agent-q-fs-deploy-test--ours) (agent-q-fs-deploy-test--says program)))
        (should (file-executable-p (concat program "-run")))
        ;; It is known by the hash that it had then.
        (should (equal program (agent-q-fs-deploy-program where)))
        (should (= 1 (length (agent-q-fs-deploy-test--kept))))
        (write-region "#!/bin/sh\necho evil\n" nil program nil 'quiet)
        (should (equal program (agent-q-fs-deploy-program where)))
        (should (equal (agent-q-fs-deploy-test--ours) (agent-q-fs-deploy-test--says program)))
        (should (= 1 (length agent-q-fs-deploy-test--asked)))))))

(ert-deftest agent-q-fs-deploy/cannot-be-built-there ()
  (agent-q-fs-deploy-test-with-far (where)
    (agent-q-fs-deploy-test--building "\techo cc: fatal; false\n"
      (pcase-let ((`(,code . ,message) (agent-q-fs-deploy-test--error where)))
        (should (eq code 'agent-q-fs-command-failed))
        (should (string-match "the buffer \\(\\*.*?\\*\\) says why" message))
        (with-current-buffer (match-string 1 message)
          (should (string-match-p "cc: fatal" (buffer-string)))))
      (should-not (agent-q-fs-deploy-test--kept)))))

(ert-deftest agent-q-fs-deploy/no-compiler-there ()
  (agent-q-fs-deploy-test-with-far (where)
    (agent-q-fs-deploy-test--building ""
      (let ((tramp-remote-path (agent-q-fs-deploy-test--without "cc")))
        (agent-q-fs-deploy-test--refused where 'agent-q-fs-not-found "`cc' is missing there")))))

(provide 'agent-q-fs-deploy-tests)
;;; agent-q-fs-deploy-tests.el ends here
