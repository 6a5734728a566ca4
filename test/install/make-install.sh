#!/bin/bash
# SPDX-License-Identifier: MIT
# groups: doc
#
# `make install PREFIX=$HOME/.local`, as somebody does it who may not write elsewhere: over the
# files of an older version, with calls from Emacs, Common Lisp and C, and `make uninstall`,
# which leaves nothing.  Then below DESTDIR, as packagers do it.
set -u
. "${0%/*}/parts/calls.bash"

prefix=$HOME/.local
# Files of the user's own in the same places.
mkdir -p "$prefix/include" "$prefix/share/emacs/site-lisp/elpa/agent-q-fs-of-mine"
echo "mine" >"$prefix/include/mine.h"
tree "$HOME" >"$TMPDIR/before"

# -- over an older version, which had its Emacs Lisp and Common Lisp in flat folders

old=0bc0a11
install_old() {
    git worktree add --quiet --detach "$TMPDIR/old" $old &&
        make -s -C "$TMPDIR/old" install PREFIX="$prefix" EMACS="$EMACS" WERROR= CFLAGS=-O0
}
if install_old >"$TMPDIR/old.log" 2>&1; then
    check "the older version is there" test -e "$prefix/share/common-lisp/source/agent-q-fs/ffi-library.lisp"
else
    tail -n 3 "$TMPDIR/old.log"
    echo "SKIPPED make install over $old: that version cannot be built here"
    skipped=$((skipped + 1))
fi

check "make install" make install PREFIX="$prefix" EMACS="$EMACS" || finish
make -s install PREFIX="$prefix" EMACS="$EMACS" >"$TMPDIR/told" 2>&1
tree "$prefix" >"$TMPDIR/over"

# -- calls.  Lisp looks below ~/.local by itself.

line=$(grep '^ *(load ' "$TMPDIR/told")
check "make install tells what to write into the init file" test -n "$line"
mkdir -p "$HOME/.emacs.d"
echo "$line" >"$HOME/.emacs.d/init.el"
check "a tool works in Emacs" call_from_emacs "$prefix/share/emacs"
check "a tool works in Common Lisp" call_from_lisp
PKG_CONFIG_PATH=$prefix/lib/pkgconfig LD_LIBRARY_PATH=$prefix/lib \
    check "a tool works in C" call_from_c

# -- uninstalling

rm -rf "$HOME/.emacs.d" "$HOME/.cache" "$HOME/.local/state"
check "make uninstall" make -s uninstall PREFIX="$prefix"
# The older version has not written down which directories it made.
[ "$skipped" -gt 0 ] || find "$HOME" -type d -empty ! -name agent-q-fs-of-mine -delete
tree "$HOME" >"$TMPDIR/after"
check "nothing is left" same "$TMPDIR/before" "$TMPDIR/after"

check "make install where there is nothing older" make -s install PREFIX="$prefix" EMACS="$EMACS"
tree "$prefix" >"$TMPDIR/fresh"
check "the same is there as over the older version" same "$TMPDIR/fresh" "$TMPDIR/over"
check "make uninstall again" make -s uninstall PREFIX="$prefix"
tree "$HOME" >"$TMPDIR/after"
check "nothing is left, directories neither" same "$TMPDIR/before" "$TMPDIR/after"

# -- as packagers do it

stage=$TMPDIR/stage
check "make install DESTDIR" make -s install DESTDIR="$stage" PREFIX=/usr EMACS="$EMACS"
not_in_files() {
    ! grep -rlF --include='*.el' --include='*.pc' --include='*.lisp' --include=directories "$stage" "$stage"
}
check "no file names the DESTDIR" not_in_files
whole_links() { ! find "$stage" -xtype l | grep .; }
check "no link leads astray" whole_links
check "make uninstall DESTDIR" make -s uninstall DESTDIR="$stage" PREFIX=/usr
no_file() { ! find "$stage" -mindepth 1 | grep .; }
check "nothing is left below DESTDIR" no_file
refused() { ! make -s uninstall PREFIX=relative; }
check "a relative PREFIX is refused" refused
finish
