#!/bin/sh
# lint-lisp.sh -- runs lint.lisp, and shows its output only if it finds a fault.
#
# SPDX-License-Identifier: MIT
set -u
ls lisp/*.asd >/dev/null 2>&1 || exit 0
mkdir -p "$BUILD/lint"
output=$(XDG_CACHE_HOME="$PWD/$BUILD/lint/cache" sh scripts/lisp.sh sbcl scripts/lint.lisp 2>&1 </dev/null) && exit 0
echo "$output"
exit 1
