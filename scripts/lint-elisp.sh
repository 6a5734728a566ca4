#!/bin/sh
# lint-elisp.sh FILE... -- what lint.el says, when it has something to say.
#
# Not -Q: package-lint is found in the site's directory.
#
# SPDX-License-Identifier: MIT
set -u
[ $# -gt 0 ] || exit 0
home=$(mktemp -d "${TMPDIR:-/tmp}/lint.XXXXXX") || exit 1
trap 'rm -rf "$home"' EXIT
HOME=$home "${EMACS:-emacs}" -q --no-site-file --batch -L elisp -l scripts/lint.el "$@" >"$home/output" 2>&1 && exit 0
cat "$home/output"
exit 1
