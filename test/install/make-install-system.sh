#!/bin/bash
# SPDX-License-Identifier: MIT
# groups: doc
# as: root
#
# `make install` for everybody on this machine, in /usr/local: a fresh Emacs has M-x agent-q-fs
# with no line in an init file, and Common Lisp and C find theirs, too.  `make uninstall` leaves
# /usr/local as it was.
set -u
. "${0%/*}/parts/calls.bash"

tree /usr/local >"$TMPDIR/before"
check "make install" make -s install EMACS="$EMACS" || finish
check "a tool works in Emacs" call_from_emacs /usr/local/share/emacs
check "a tool works in Common Lisp" call_from_lisp
check "a tool works in C" call_from_c
in_info() { grep -q '(agent-q-fs)' /usr/local/share/info/dir; }
check "the manual is in the list of manuals" in_info
check "make uninstall" make -s uninstall
tree /usr/local >"$TMPDIR/after"
check "nothing is left" same "$TMPDIR/before" "$TMPDIR/after"
finish
