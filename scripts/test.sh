#!/bin/sh
# test.sh PART... -- makes every test-PART, also after one has failed, and
# prints the sum of their counts as its last line.
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

rm -f "$BUILD"/test/*.count
mkdir -p "$BUILD/test"

if $MAKE deps; then
    for part in "$@"; do
        $MAKE "test-$part"
        status=$?
        # A part that could not even be built left no count of its failure.
        cat "$BUILD/test/$part.count" "$BUILD/test/$part"-*.count 2>/dev/null |
            awk -v status=$status '{ failed += $2 } END { exit NR == 0 || (status && !failed) }' ||
            echo "0 1 0" >"$BUILD/test/$part-unfinished.count"
    done
else
    echo "0 1 0" >"$BUILD/test/deps.count"
fi

if grep -l '^[0-9]* [1-9]' "$BUILD"/test/*.count >"$BUILD/test/failed"; then
    sed 's|.*/|failed: |; s|\.count$||' "$BUILD/test/failed"
fi
total
