#!/bin/sh
# SPDX-License-Identifier: MIT
# watch-tests.sh SECONDS COMMAND [ARG...] -- runs tests, and ends them when one of them hangs.
#
# COMMAND writes the name of each test that it begins into the file that TEST_NOW names.  When no
# other name comes for SECONDS, times $AQFS_TEST_SLOWNESS, the last one is told as a failure,
# and COMMAND is killed with what it has started.  Before the first name there is no limit, because
# it may be compiling.  The C tests have test/support/time_limit.h.
set -u

limit=$(awk -v s="$1" -v times="${AQFS_TEST_SLOWNESS:-1}" 'BEGIN { printf "%d", s * times }')
shift
TEST_NOW=$(mktemp "${TMPDIR:-/tmp}/watch.XXXXXX") || exit 1
export TEST_NOW

# timeout gives the command a process group of its own.
timeout 1d "$@" &
pid=$!

end() { # SIGNAL
    kill "-$1" "-$pid" 2>/dev/null
}

watch() {
    while sleep 1; do
        [ -s "$TEST_NOW" ] || continue
        began=$(stat -c %Y "$TEST_NOW" 2>/dev/null) || return
        [ $(($(date +%s) - began)) -gt "$limit" ] || continue
        echo "FAILED $(head -n 1 "$TEST_NOW"): hangs: it took more than $limit s"
        end TERM
        sleep 5 # Emacs takes its own children with it
        end KILL
        return
    done
}
watch &
watcher=$!

trap 'kill "$watcher" 2>/dev/null; rm -f "$TEST_NOW"' EXIT
trap 'end TERM; exit 1' HUP INT TERM
wait "$pid"
