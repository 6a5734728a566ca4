#!/bin/sh
# SPDX-License-Identifier: MIT
# matrix.sh -- do the commands of the README hold where people are?  In a minimal system of each
# Debian, as root and as an ordinary user.
#
# SYSTEMS, USERS and STEPS choose among them (make matrix SYSTEMS=13 USERS=root STEPS='run test').
# A step that fails hides no other.  Logs are in build/matrix/log; KEEP=yes keeps the systems, too.
# Ends with a table, the reasons of what was skipped, and the sum `N passed, N failed, N skipped`.
# The exit status is 0 if all passed, 1 if something failed, and 3 if nothing did but a system could
# not be had, or packages could not be downloaded.
set -u

SYSTEMS=${SYSTEMS:-12 13 testing}
USERS=${USERS:-root user}
STEPS=${STEPS:-run test install}
export WORK="$PWD/${BUILD:-build}/matrix"
export CACHE="${XDG_CACHE_HOME:-$HOME/.cache}/agent-q-fs/matrix"
here=scripts/matrix

rm -rf "$WORK/log" "$WORK/results"
mkdir -p "$WORK/log" "$CACHE"
: >"$WORK/results"
[ -z "$(git status --porcelain --untracked-files=no)" ] || echo "matrix: what is not committed is not tested"
for system in $SYSTEMS; do
    for user in $USERS; do
        # shellcheck disable=SC2086 # words
        sh $here/steps.sh "$system" "$user" $STEPS
    done
done

while read -r system user step _ _ skipped _ word; do
    log=$WORK/log/$system-$user-$step.log
    if [ "$word" != ok ]; then
        printf '\n%s:\n' "$log"
        grep -aE '^(failed: |FAILED |[^ ]+: FAILED)|:FAIL|\*\*\* ' "$log" | head -n 20
    fi
    if [ "$skipped" -gt 0 ]; then
        printf '\nDebian %s, %s, %s: skipped, and why\n' "$system" "$user" "$step"
        awk -f $here/skips.awk "$log"
    fi
done <"$WORK/results"
SYSTEMS=$SYSTEMS USERS=$USERS STEPS=$STEPS awk -f $here/table.awk "$WORK/results"
