#!/bin/sh
# SPDX-License-Identifier: MIT
# as-nobody.sh COMMAND [ARG...] -- runs COMMAND as user 65534 in a copy of the tree.
#
# A copy, because root's checkout is often not readable by others.  Of what was
# built it has what tests use: the shared object, $BUILD/elisp, $BUILD/test and
# what the Lisps have compiled.
set -eu

copy=$(mktemp -d "${TMPDIR:-/tmp}/nobody.XXXXXX")
trap 'rm -rf "$copy"' EXIT
trap 'exit 1' HUP INT TERM

mkdir -p "$copy/tree/$BUILD" "$copy/home" "$copy/tmp"
tar -cf - --exclude=./.git --exclude="./${BUILD%%/*}" . | tar -xf - -C "$copy/tree"
for built in agent-q-fs agent-q-fs-run agent-q-fs-module.so elisp test fasl; do
    [ ! -e "$BUILD/$built" ] || cp -a "$BUILD/$built" "$copy/tree/$BUILD"
done
chown -R 65534:65534 "$copy"

cd "$copy/tree"
HOME=$copy/home TMPDIR=$copy/tmp XDG_CACHE_HOME=$copy/tree/$BUILD/test/cache \
    setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
