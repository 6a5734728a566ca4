#!/bin/sh
# test-elisp.sh -- runs test/elisp/*-tests.el; T is a regexp of test names.
set -eu
exec "${EMACS:-emacs}" -Q --batch -module-assertions -L elisp -L test/elisp \
    -l scripts/ert-run.el test/elisp/*-tests.el
