#!/bin/sh
# test-elisp.sh -- runs test/elisp/*-tests.el; T is a regexp of test names.
set -eu
# Compiling to machine code would run beside the tests, which time some of what they see.
exec "${EMACS:-emacs}" -Q --batch -module-assertions \
    --eval '(setq native-comp-deferred-compilation nil native-comp-jit-compilation nil)' \
    -L elisp -L test/elisp \
    -l scripts/ert-run.el test/elisp/*-tests.el
