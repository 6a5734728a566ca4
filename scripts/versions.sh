#!/bin/sh
# SPDX-License-Identifier: MIT
# versions.sh -- prints the version of this tree; fails, and says where, if it is not the same
# everywhere.
#
# module/include/aqfs.h defines it.  `make all` writes it into the Emacs Lisp and the Common Lisp,
# and the manual and the .asd take it from there.  NEWS.org, debian/changelog and guix.scm are
# written by hand.
set -eu
cd "$(dirname "$0")/.."

version=$(sed -n 's/^#define AQFS_VERSION "\(.*\)"$/\1/p' module/include/aqfs.h)
abi=$(sed -n 's/^#define AQFS_ABI_VERSION //p' module/include/aqfs.h)
status=0

compare() { # FILE WHAT FOUND WANTED
    [ "$3" = "$4" ] && return
    echo "versions: $1: $2 is ${3:-missing}, but module/include/aqfs.h says $4" >&2
    status=1
}

first() { sed -n "$2" "$1" | head -n 1; }

for file in agent-q-fs.el elisp/agent-q-fs.el; do
    compare "$file" "the version" "$(first "$file" 's/^;; Version: //p')" "$version"
done
compare elisp/agent-q-fs-ops.el "the version" \
    "$(first elisp/agent-q-fs-ops.el 's/^(defconst agent-q-fs-module-version "\(.*\)"$/\1/p')" "$version"
compare elisp/agent-q-fs-ops.el "the ABI" \
    "$(first elisp/agent-q-fs-ops.el 's/^(defconst agent-q-fs-module-abi \([0-9]*\).*/\1/p')" "$abi"
compare lisp/wire/catalogue.lisp "the version" \
    "$(sed -n '/^(defparameter \*version\*$/ {n; s/^ *"\(.*\)".*/\1/p;}' lisp/wire/catalogue.lisp)" "$version"
compare lisp/wire/catalogue.lisp "the ABI" \
    "$(sed -n '/^(defparameter \*abi\*$/ {n; s/^ *//p;}' lisp/wire/catalogue.lisp)" "$abi"
compare NEWS.org "the first heading" "$(first NEWS.org 's/^\* \([^ ]*\).*/\1/p')" "$version"
compare debian/changelog "the first entry" \
    "$(first debian/changelog 's/^agent-q-fs (\([^)]*\)).*/\1/p')" "$version"
compare debian/control "the number of the library" "$(first debian/control 's/^Package: libaqfs\([0-9].*\)/\1/p')" "$abi"
compare guix.scm "the version" "$(first guix.scm 's/^ *(version "\(.*\)").*/\1/p')" "$version"

echo "$version"
exit "$status"
