#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh -- opens Emacs on this project with the tools loaded; without a
# terminal, walks through every tool and prints each call and its answer.
set -eu
emacs=${EMACS:-emacs}

if [ -t 0 ] && [ -t 1 ]; then
    exec "$emacs" -Q -L elisp -l agent-q-fs .
fi
"$emacs" -Q --batch -L elisp -l scripts/demo.el
echo
echo "=== The same from Common Lisp"
sh scripts/lisp.sh sbcl scripts/demo.lisp
