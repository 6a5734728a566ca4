#!/bin/sh
# SPDX-License-Identifier: MIT
# run-part.sh [--twice] NAME COMMAND [ARG...] -- runs one part of the tests.
#
# The part's output goes to the terminal and to $BUILD/test/NAME.log.  Its
# counts are the last line there of the form `3 passed, 0 failed, 1 skipped`
# and are left in $BUILD/test/NAME.count for test.sh to add up.  A part that
# ends badly, ends without such a line or ran nothing has failed, whatever it
# says; but where T selects tests, test.sh may find them in another part
# (SOME_PART_HAS_IT).  With --twice root runs it a second time, as nobody, if T
# selects nothing or TWICE is set.  A part `x` or `x-y` whose folder test/x has no
# files yet counts nothing.
set -u

twice=
[ "$1" = --twice ] && twice=yes && shift

own=
discard() { # also what a test made unreadable
    [ -z "$own" ] || { chmod -R u+rwX "$own"; rm -rf "$own"; }
    own=
}
trap discard EXIT
trap 'exit 1' HUP INT TERM

run() { # NAME COMMAND...
    name=$1
    shift
    log=$BUILD/test/$name.log
    started=$(date +%s)
    rm -f "$log" "$BUILD/test/$name.count"
    mkdir -p "$BUILD/test"

    # A home of its own: no test finds or leaves anything in the caller's.
    own=$(mktemp -d "${TMPDIR:-/tmp}/aqfs-test.XXXXXX") || exit 1
    mkdir "$own/home" "$own/tmp"
    chmod 711 "$own"
    {
        env -u XDG_CONFIG_HOME -u XDG_DATA_HOME -u XDG_STATE_HOME -u XDG_RUNTIME_DIR \
            HOME="$own/home" TMPDIR="$own/tmp" XDG_CACHE_HOME="$PWD/$BUILD/test/cache" LC_ALL=C.UTF-8 \
            timeout --kill-after=10 "${PART_TIMEOUT:-3600}" "$@" </dev/null
        echo $? >"$own/status"
    } 2>&1 | tee "$log"
    status=$(cat "$own/status")
    discard

    counts=$(grep -aE '^([A-Za-z-]+: )?[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$' "$log" |
        tail -n 1 | sed 's/^[A-Za-z-]*: //; s/[^0-9 ]//g')
    # shellcheck disable=SC2086 # two or three numbers
    set -- ${counts:-0 0}
    passed=$1 failed=$2 skipped=${3:-0}
    if [ -z "$counts" ]; then
        echo "$name: did not reach its counts (exit status $status)"
        failed=1
    elif [ "$failed" -eq 0 ] && [ "$status" -ne 0 ]; then
        echo "$name: all passed, but the exit status is $status"
        failed=1
    elif [ $((passed + failed + skipped)) -eq 0 ] && [ -n "${T:-}" ]; then
        echo "$name: nothing here is called \`$T'"
        [ -n "${SOME_PART_HAS_IT:-}" ] || failed=1
    elif [ $((passed + failed)) -eq 0 ] && [ -z "${T:-}" ]; then
        echo "$name: ran nothing"
        failed=1
    fi
    echo "$passed $failed $skipped" >"$BUILD/test/$name.count"
    echo "== $name: $passed passed, $failed failed, $skipped skipped ($(($(date +%s) - started)) s)"
    [ "$failed" -eq 0 ]
}

name=$1
shift
if [ -z "$(find "test/${name%%-*}" -type f 2>/dev/null | head -n 1)" ]; then
    mkdir -p "$BUILD/test"
    echo "0 0 0" >"$BUILD/test/$name.count"
    echo "== $name: no tests yet: 0 passed, 0 failed"
    exit 0
fi
ok=0
run "$name" "$@" || ok=1
[ -z "${T:-}" ] || [ -n "${TWICE:-}" ] || twice=
if [ -n "$twice" ] && [ "$(id -u)" -eq 0 ]; then
    run "$name-nobody" sh scripts/as-nobody.sh "$@" || ok=1
fi
exit $ok
