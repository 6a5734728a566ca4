#!/bin/sh
# run.sh -- opens Emacs on this project with the tools loaded; without a
# terminal, walks through every tool and prints each call and its answer.
set -eu
emacs=${EMACS:-emacs}

if [ -t 0 ] && [ -t 1 ]; then
    exec "$emacs" -Q -L elisp -l agent-q-fs .
elif [ -f scripts/demo.el ]; then
    exec "$emacs" -Q --batch -L elisp -l scripts/demo.el
else
    echo "run: there is no terminal, and no scripts/demo.el to run without one" >&2
    exit 1
fi
