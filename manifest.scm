;; SPDX-License-Identifier: MIT
;; manifest.scm -- what building and testing need, for Guix: guix shell -m manifest.scm
;;
;; The same by the names of Debian's packages is in scripts/deps.sh.  The C tests also need the
;; sources of Unity: UNITY_DIR names the directory where they are.

(specifications->manifest
 '(;; building
   "gcc-toolchain" "make" "pkg-config" "emacs-no-x"
   "pcre2" "jansson" "file" "libgit2" "libdeflate" "openssl"
   ;; testing
   "sbcl" "ecl" "sbcl-cffi" "ecl-cffi" "sbcl-fiveam" "ecl-fiveam" "emacs-slime" "cl-slime-swank"
   "git" "tmux" "strace" "bubblewrap" "podman" "runc" "busybox" "procps" "clang-toolchain"
   ;; linting, measuring, the manual
   "cppcheck" "valgrind" "emacs-package-lint" "ripgrep" "fd" "ugrep" "gnuplot"
   "hyperfine" "texinfo"))
