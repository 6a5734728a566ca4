#!/bin/bash
# SPDX-License-Identifier: MIT
# groups: doc
#
# `make dist`, and M-x package-install-file of the tarball: in a terminal, as a person does it,
# who is asked once whether to build.  Then a newer version over it, and a core that
# cannot be loaded any more.
set -u
. "${0%/*}/parts/emacs.bash"

dist() { make -s dist EMACS="$EMACS" && ls build/agent-q-fs-*.tar; }
install() { # TARBALL
    batch "(package-install-file \"$PWD/$1\")"
}

version=$(sed -n 's/^;; Version: //p' elisp/agent-q-fs.el)
package=$elpa/agent-q-fs-$version
tarball=build/agent-q-fs-$version.tar

check "make dist" dist || finish
check "package-install-file" install "$tarball" || finish
check "the package is installed" installed "$package"
check "the manual is there" test -s "$package/agent-q-fs.info" -a -s "$package/dir"

# -- a person: says no, and is not asked again; says yes in another session, and sees the log

mkdir "$HOME/project"
cd "$HOME/project" || exit
says_no() {
    gives agent-q-fs-tree && shows "Build it now?" &&
        keys n && shows "M-x agent-q-fs-module-build builds it" &&
        gives agent-q-fs-tree && shows "M-x agent-q-fs-module-build builds it"
}
who=unwilling
check "Emacs starts" person
check "somebody who does not want to build is told how to, and is asked once" says_no
menu_opens() { gives agent-q-fs && shows "find a file" && keys C-g; }
check "the menu opens without the core" menu_opens
leaves
says_yes() {
    gives agent-q-fs-tree && shows "Build it now?" && keys y && shows "  CC   module/" &&
        shows "^./$\|[0-9] files"
}
who=willing
check "Emacs starts again" person
check "somebody who wants to build sees the compiler, and then the tree" says_yes
leaves
cd - >/dev/null || exit

check "a tool works" called "$package/"
so=$package/build/agent-q-fs-module.so
cp -p "$so" "$TMPDIR/first"
check "a tool works again" called "$package/"
check "nothing was built again" test "$so" -ef "$so" -a ! "$so" -nt "$TMPDIR/first"

# -- a library that is gone: the file is there, and is not loaded any more

echo "not a shared object, agent-q-fs-module $version, ABI $(sed -n 's/^#define AQFS_ABI_VERSION //p' \
    module/include/aqfs.h)" | tr '\n' '\0' >"$so"
check "a core that cannot be loaded is built anew" called "$package/"

# -- the next version

next_version 98.7.6
check "make dist of the next version" dist
upgrade() { # in a session that uses the old one: it must not go on with the new Lisp and the old core
    batch "(require 'agent-q-fs)" "(agent-q-fs-version)" \
        "(package-install-file \"$PWD/build/agent-q-fs-98.7.6.tar\")" \
        "(condition-case problem (agent-q-fs-version)
           (error (princ (concat \"\n=> \" (error-message-string problem)))))" >"$TMPDIR/said" 2>&1
    cat "$TMPDIR/said"
    grep -q "^=> .*restart Emacs" "$TMPDIR/said" && grep -q "Warning.*restart Emacs" "$TMPDIR/said"
}
check "a session that has the old version loaded is told to restart" upgrade
check "the next version is installed" installed "$elpa/agent-q-fs-98.7.6"
check "the next version answers" is_version 98.7.6
finish
