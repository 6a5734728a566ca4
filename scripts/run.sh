#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh -- builds, and opens Emacs with the tour; without a terminal, walks through every tool
# and prints each call and its answer.
#
# Only what will run has to be there: SBCL only without a terminal.
set -eu
emacs=${EMACS:-emacs}
terminal=
if [ -t 0 ] && [ -t 1 ]; then terminal=yes; fi

sh scripts/deps.sh build ${terminal:-lisp}
${MAKE:-make} all

if [ "$terminal" ]; then
    exec "$emacs" -Q -L elisp -l agent-q-fs --eval '(dired ".")' --funcall agent-q-fs-tour
fi
"$emacs" -Q --batch -L elisp -l scripts/demo.el
echo
echo "=== The same from Common Lisp"
sh scripts/lisp.sh sbcl scripts/demo.lisp
