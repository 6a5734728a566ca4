#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh -- builds, and opens Emacs with the tour; without a terminal, walks through every tool
# and prints each call and its answer.
#
# Only what will run has to be there: SBCL only without a terminal.
set -eu
emacs=${EMACS:-emacs}
groups="build lisp"
if [ -t 0 ] && [ -t 1 ]; then groups=build; fi

# shellcheck disable=SC2086 # words
sh scripts/deps.sh $groups
${MAKE:-make} all

if [ "$groups" = build ]; then
    exec "$emacs" -Q -L elisp -l agent-q-fs --eval '(dired ".")' --funcall agent-q-fs-tour
fi
"$emacs" -Q --batch -L elisp -l scripts/demo.el
echo
echo "=== The same from Common Lisp"
sh scripts/lisp.sh sbcl scripts/demo.lisp
