#!/bin/bash
# SPDX-License-Identifier: MIT
#
# M-x package-vc-install of a repository, with nothing but its name; the same with :lisp-dir,
# by package-vc-install and by use-package; package-vc-install-from-checkout.  Then
# package-vc-upgrade to a newer version.
set -u
. "${0%/*}/parts/emacs.bash"
export CFLAGS=-O0 # several builds, and none of them is used for long

has package-vc-install || { skip "package-vc-install" "this Emacs has none" && finish; }
url=file://$PWD
package=$elpa/agent-q-fs

again() { rm -rf "$HOME/.emacs.d"; }
unchanged() { ! git -C "$package" status --porcelain | grep .; }

install() { batch "(package-vc-install \"$url\" nil 'Git 'agent-q-fs)"; }
check "package-vc-install with a name alone" install || finish
check "the package is installed" installed "$package/elisp"
check "a tool works" called "$package/elisp/"
check "the clone is as git knows it" unchanged

next_version 98.7.6
upgrade() { # in a session that uses the old version
    batch "(require 'agent-q-fs)" "(agent-q-fs-version)" \
        "(progn (require 'package-vc) (package-vc-upgrade (cadr (assq 'agent-q-fs package-alist))))" \
        "(let ((file (expand-file-name \"agent-q-fs/agent-q-fs-pkg.el\" package-user-dir)))
           (while (not (with-temp-buffer (insert-file-contents file) (search-forward \"98.7.6\" nil t)))
             (accept-process-output nil 0.1)))" \
        "(condition-case problem (agent-q-fs-version)
           (error (princ (concat \"\\n=> \" (error-message-string problem)))))" >"$TMPDIR/said" 2>&1
    cat "$TMPDIR/said"
    grep -q "^=> .*restart Emacs" "$TMPDIR/said"
}
check "package-vc-upgrade, and the session is told to restart" upgrade
check "the next version is built and answers" is_version 98.7.6
check "a tool of the next version works" called "$package/elisp/"

again
install_from_lisp_dir() { batch "(package-vc-install '(agent-q-fs :url \"$url\" :vc-backend Git :lisp-dir \"elisp\"))"; }
check "package-vc-install with :lisp-dir" install_from_lisp_dir
check "the package is installed, with :lisp-dir" installed "$package/elisp"
check "a tool works, with :lisp-dir" called "$package/elisp/"

again
install_from_checkout() { batch "(package-vc-install-from-checkout \"$PWD\" \"agent-q-fs\")"; }
check "package-vc-install-from-checkout" install_from_checkout
check "the package is installed, from the checkout" installed "$package/elisp"
check "a tool works, from the checkout" called "elisp/agent-q-fs-load"

# use-package has :vc since Emacs 30.
again
git clean --quiet --force -x -d
if batch "(kill-emacs (if (progn (require 'use-package-core nil t)
                                 (memq :vc (bound-and-true-p use-package-keywords))) 0 1))" >/dev/null 2>&1; then
    mkdir -p "$HOME/.emacs.d"
    check "the README has the form" readme "(use-package agent-q-fs"
    readme "(use-package agent-q-fs" >"$HOME/.emacs.d/init.el"
    init="(setq user-init-file (expand-file-name \"init.el\" user-emacs-directory))"
    use_package() { batch "$init" "(load user-init-file)"; }
    check "use-package with :vc" use_package
    check "the package is installed, by use-package" installed "$package/elisp"
    check "a tool works, by use-package" called "$package/elisp/"
else
    skip "use-package with :vc" "this Emacs has none"
fi
finish
