#!/bin/sh
# test-elisp.sh -- runs test/elisp/*-tests.el; T is a regexp of test names.
#
# Without T, tests that mostly wait run beside the others, in Emacsen of their own: see
# ert-run.el.  As nobody, only those run that permissions can make a difference to.
#
# SPDX-License-Identifier: MIT
set -eu

run() { # SET
    # Compiling to machine code would run beside the tests, which time some of what they see.
    # If it happens all the same, two Emacsen must not put a file into the same place at once.
    # A test that waits gives up after 300 s by itself: see agent-q-fs-test-patience.
    ERT_SET=$1 sh scripts/watch-tests.sh 400 "${EMACS:-emacs}" -Q --batch -module-assertions \
        --eval '(setq native-comp-deferred-compilation nil native-comp-jit-compilation nil)' \
        --eval "(when (boundp 'native-comp-eln-load-path)
                  (setq native-comp-eln-load-path
                        (cons (expand-file-name \"eln-$1/\" user-emacs-directory)
                              (cdr native-comp-eln-load-path))))" \
        -L elisp -L test/elisp \
        -l scripts/ert-run.el test/elisp/*-tests.el
}

[ -z "${T:-}" ] || { run all; exit; }
[ "$(id -u)" -ne 65534 ] || { run nobody; exit; }

log=$(mktemp -d)
trap 'rm -rf "$log"' EXIT
trap 'exit 1' HUP INT TERM

beside="commands terminals" jobs=
for set in $beside; do
    run "$set" >"$log/$set" 2>&1 &
    jobs="$jobs $!"
done
status=0
run others >"$log/others" 2>&1 || status=1
for job in $jobs; do wait "$job" || status=1; done

for set in $beside others; do
    cat "$log/$set"
    # The hooks of a package may print something at the end.
    count=$(grep -aE '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$log/$set" | tail -n 1)
    echo "${count:-no count}" >>"$log/counts"
done
# A log without a count is one more failure.
awk '/^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$/ {
         passed += $1; failed += $3; skipped += $5; next
     }
     { failed++ }
     END { printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped }' "$log/counts"
exit $status
