#!/bin/sh
# SPDX-License-Identifier: MIT
# test.sh PART... -- PART... -- makes every test-PART, also after one has failed,
# and prints the sum of their counts as its last line.  Parts run beside each other;
# what is behind -- starts when those before it have ended.
set -u

total() {
    cat "$BUILD"/test/*.count 2>/dev/null | awk '
        { passed += $1; failed += $2; skipped += $3 }
        END {
            printf "%d passed, %d failed", passed, failed
            if (skipped) printf ", %d skipped", skipped
            print ""
            exit failed || !passed
        }'
}

# A part that could not even be built left no count of its failure.
check() { # STATUS PART...
    status=$1
    shift
    for part; do
        cat "$BUILD/test/$part.count" "$BUILD/test/$part"-*.count 2>/dev/null | grep -q . ||
            echo "0 1 0" >"$BUILD/test/$part-unfinished.count"
    done
    [ "$status" -eq 0 ] || cat "$BUILD"/test/*.count | grep -q '^[0-9]* [1-9]' ||
        echo "0 1 0" >"$BUILD/test/make.count"
}

targets() { printf 'test-%s\n' "$@"; }

together() { # PART...
    # shellcheck disable=SC2046 # words
    $MAKE -k -O -j"$(nproc)" $(targets "$@")
    check $? "$@"
}

# With T, most parts have no test of that name; the sum of none at all is a failure.
[ -z "${T:-}" ] || export SOME_PART_HAS_IT=1

rm -f "$BUILD"/test/*.count
mkdir -p "$BUILD/test"

if $MAKE deps; then
    parts=
    for word in "$@" --; do
        if [ "$word" = -- ]; then
            # shellcheck disable=SC2086 # words
            together $parts
            parts=
        else
            parts="$parts $word"
        fi
    done
else
    echo "0 1 0" >"$BUILD/test/deps.count"
fi

if grep -l '^[0-9]* [1-9]' "$BUILD"/test/*.count >"$BUILD/test/failed"; then
    sed 's|.*/|failed: |; s|\.count$||' "$BUILD/test/failed"
fi
total
