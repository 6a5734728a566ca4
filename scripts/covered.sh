#!/bin/sh
# SPDX-License-Identifier: MIT
# covered.sh -- fails unless each source of the core has a test of its name or a line in
# test/covered-by.  That file says what its lines mean.
#
# covered.sh ROOM/x prints the tests of module/ROOM/x.c.
set -eu
cd "$(dirname "$0")/.."
table=test/covered-by

lines() { sed '/^#/d; /^$/d' $table; }

# The tests of ROOM/x: its own, or those of the first line that fits.
tests_of() {
    own=test/c/${1%/*}/test_${1##*/}.c
    if [ -f "$own" ]; then
        echo "${own#test/}"
        return
    fi
    lines | while read -r pattern tests; do
        # shellcheck disable=SC2254 # a pattern is meant
        case $1 in $pattern) echo "$tests" && break ;; esac
    done
}

if [ $# -gt 0 ]; then
    tests_of "$1"
    exit
fi

faults=$(
    for source in module/*/*.c; do
        name=${source#module/}
        [ -n "$(tests_of "${name%.c}")" ] ||
            echo "$source: no test/c/${name%/*}/test_${name##*/}, and no line in $table"
    done
    lines | while read -r pattern tests; do
        found=
        for source in module/$pattern.c; do
            name=${source#module/}
            [ ! -f "$source" ] || [ -f "test/c/${name%/*}/test_${name##*/}" ] || found=yes
        done
        [ -n "$found" ] || echo "$table: $pattern fits no source without a test of its name"
        for test in $tests; do
            [ -f "test/$test.c" ] || [ -d "test/$test" ] || echo "$table: $pattern: there is no test/$test"
        done
    done
)
[ -z "$faults" ] || { echo "$faults"; exit 1; }
