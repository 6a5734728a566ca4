#!/bin/sh
# SPDX-License-Identifier: MIT
# spdx.sh [DIR] -- does every source of DIR name its licence?
#
# Prints those that do not, and fails if there is one.  Not asked: pictures, inputs that fuzzers
# have found, archives, and files whose syntax has no comments.
set -u
cd "${1:-.}" || exit 2

missing=$(find Makefile ./*.org ./*.scm ./*.el .clang-format .clang-tidy .editorconfig .ci .github debian doc module elisp \
    lisp scripts test -type f ! -path 'doc/images/*' ! -path 'test/fuzz/found/*' ! -name '*.fasl' \
    ! -name '*.tar.gz' ! -name changelog ! -name format ! -name '*.links' ! -name '*.flags' ! -name '*.dict' ! -name '*.elc' \
    -exec grep -L 'SPDX-License-Identifier: MIT' {} + 2>/dev/null | sort)
[ -n "$missing" ] || exit 0
printf '%s\n' "$missing" | sed 's/$/: no line `SPDX-License-Identifier: MIT`/; s/^/spdx: /'
exit 1
