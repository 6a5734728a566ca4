#!/bin/sh
# SPDX-License-Identifier: MIT
# soak.sh [N] -- runs the tests that deal with other programs N times (100) on a busy machine.
#
# These are the end-to-end tests, and the tests of Emacs Lisp that use terminals, commands,
# threads or timers (see ert-run.el), as `make test' runs them, beside `stress' with a load
# of 4.  Prints what failed, with the number of the repetition; the last line is the count
# of all repetitions.  $BUILD/soak/ has the logs of those that failed.
set -u

n=${1:-100}
logs=$BUILD/soak
rm -rf "$logs"
mkdir -p "$logs"

load=
finish() {
    [ -n "$load" ] || return
    kill -- -"$load" 2>/dev/null || kill "$load" 2>/dev/null
    wait "$load" 2>/dev/null
}
trap finish EXIT
trap 'exit 130' HUP INT TERM
setsid stress --quiet --cpu 4 & # a group of its own: it leaves its workers behind when it is killed
load=$!

passed=0 failed=0 skipped=0 i=0
while [ "$i" -lt "$n" ]; do
    i=$((i + 1))
    if ! kill -0 "$load" 2>/dev/null; then
        echo "soak: stress has ended, so repetition $i would prove nothing"
        failed=$((failed + 1))
        break
    fi
    log=$logs/$i.log
    T='' SOAK=1 sh scripts/test.sh elisp e2e >"$log" 2>&1
    # shellcheck disable=SC2046 # two or three numbers
    set -- $(tail -n 1 "$log" | sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed\(, \([0-9]*\) skipped\)\{0,1\}$/\1 \2 \4/p')
    if [ $# -lt 2 ]; then
        set -- 0 1
    fi
    passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + ${3:-0}))
    if [ "$2" -ne 0 ]; then
        echo "-- repetition $i: $1 passed, $2 failed"
        grep -avE '^(SKIPPED|== [a-z-]+: [0-9]+ passed, 0 failed)|^[0-9]+ passed, 0 failed' "$log"
    else
        rm -f "$log"
    fi
done

echo "soak: $i repetitions"
if [ "$skipped" -gt 0 ]; then
    echo "$passed passed, $failed failed, $skipped skipped"
else
    echo "$passed passed, $failed failed"
fi
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
