;; SPDX-License-Identifier: MIT
;; guix.scm -- the package of this checkout, for Guix: guix build -f guix.scm, or
;; guix package -f guix.scm.  manifest.scm is for those who change the code.

(use-modules (guix build-system gnu)
             (guix gexp)
             (guix git-download)
             ((guix licenses) #:prefix license:)
             (guix packages)
             (guix utils)
             (gnu packages compression)
             (gnu packages emacs)
             (gnu packages file)
             (gnu packages pcre)
             (gnu packages pkg-config)
             (gnu packages texinfo)
             (gnu packages tls)
             (gnu packages version-control)
             (gnu packages web))

(package
  (name "agent-q-fs")
  (version "0.2.0")
  (source (local-file "." "agent-q-fs-checkout"
                      #:recursive? #t
                      #:select? (or (git-predicate (current-source-directory))
                                    (const #t))))
  (build-system gnu-build-system)
  (arguments
   (list #:make-flags
         #~(list (string-append "CC=" #$(cc-for-target))
                 (string-append "PREFIX=" #$output)
                 "WERROR=")
         #:phases
         #~(modify-phases %standard-phases
             (delete 'configure)
             (replace 'build
               (lambda* (#:key make-flags #:allow-other-keys)
                 (apply invoke "make" "all" "info" make-flags)))
             ;; What older versions have stored: the other tests want more than is here.
             (replace 'check
               (lambda* (#:key tests? #:allow-other-keys)
                 (when tests?
                   (setenv "HOME" (getcwd))
                   (setenv "ERT_SET" "all")
                   (setenv "T" "upgrade")
                   (invoke "emacs" "-Q" "--batch" "-L" "elisp" "-L" "test/elisp"
                           "-l" "scripts/ert-run.el"
                           "test/elisp/agent-q-fs-upgrade-tests.el")))))))
  (native-inputs (list emacs-no-x pkg-config texinfo))
  (inputs (list file jansson libdeflate libgit2 openssl pcre2))
  (home-page "https://github.com/agent-q/agent-q-fs")
  (synopsis "File tools that an AI agent can be trusted with")
  (description
   "agent-q-fs gives AI agents tools to read, search and change the files of a project,
in Emacs, in Common Lisp and through a C library.  No path leads out of the project, a change is
shown as a diff before it is made, and what was approved is what is written, or nothing is.")
  (license license:expat))
