#!/bin/sh
# SPDX-License-Identifier: MIT
# valgrind.sh PROGRAM [ARG...] -- runs PROGRAM under valgrind; any error, leak or
# descriptor left open makes it fail (valgrind itself only lists the latter).
set -u

log=$(mktemp "${TMPDIR:-/tmp}/valgrind.XXXXXX") || exit 1
trap 'rm -f "$log"' EXIT

valgrind --quiet --log-file="$log" --error-exitcode=99 --leak-check=full --show-leak-kinds=definite,indirect,possible \
    --errors-for-leak-kinds=definite,indirect,possible --track-fds=yes \
    --suppressions=test/valgrind.supp "$@" &
pid=$!
wait "$pid"
status=$?

# The line after `Open file descriptor` tells those that were there before.  A child of a
# test is done with what it has open when it ends.
open=$(grep "^==$pid==" "$log" | grep -A 1 'Open .*\(descriptor\|socket\)' | grep -v '^--' |
    paste - - | grep -v '<inherited from parent>')
if [ -n "$open" ]; then
    echo "descriptors left open:"
    echo "$open"
    [ $status -ne 0 ] || status=98
fi
[ $status -eq 0 ] || cat "$log"
exit $status
