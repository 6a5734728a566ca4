#!/bin/sh
# SPDX-License-Identifier: MIT
# test-c.sh PROGRAM... -- runs Unity programs, and adds up what Unity counts.
#
# A program that reaches files runs twice, with the kernel's resolver and with the fallback.
# As nobody, a program that makes no files does not run: permissions make no difference to it.
# The last run of each program looks for lost memory (leaks.sh), if that is possible here.
#
# T is a part of the names of the tests to run; a program that has no such test is not given.
# AQFS_TEST_STOP ends each program at its first failure, and what runs twice with the first run.
# WRAP is a command to run each program under.  RESOLVERS is `kernel' for the first of the two alone.
set -u

passed=0 failed=0 skipped=0
output=$(mktemp "${TMPDIR:-/tmp}/test-c.XXXXXX") || exit 1
trap 'rm -f "$output"' EXIT

leaks='' unchecked=''
if [ -z "${WRAP:-}${RESOLVERS:-}" ]; then
    leaks=$(sh scripts/leaks.sh)
    [ -n "$leaks" ] || unchecked="AddressSanitizer does not run here"
fi

has() { # PROGRAM NAME... -- is one of these names linked into it?
    program=$1
    shift
    LC_ALL=C grep -qF "$(printf '%s\n' "$@")" "$program"
}

# Sets STATUS.
start() { # PROGRAM ENVIRONMENT
    # shellcheck disable=SC2086 # ENVIRONMENT is words; WRAP is a command with arguments
    timeout --kill-after=10 "${TEST_TIMEOUT:-600}" env $2 ${WRAP:-} "$1" ${T:+"$T"} >"$output" 2>&1
    status=$?
}

run() { # PROGRAM RESOLVER ENVIRONMENT
    if [ "$2" = fallback ]; then
        export AQFS_TEST_RESOLVER=fallback
    else
        unset AQFS_TEST_RESOLVER
    fi
    start "$1" "$3"
    # Once more, to know which test it was.
    if [ "$status" -eq 23 ] && grep -q LeakSanitizer "$output"; then
        export AQFS_TEST_LEAKS=each
        start "$1" "$3"
        unset AQFS_TEST_LEAKS
        status=23
    fi
    sum=$(grep -aE '^[0-9]+ Tests [0-9]+ Failures [0-9]+ Ignored' "$output" | tail -n 1)
    # shellcheck disable=SC2086 # the words of the line above
    set -- "$1" "$2" ${sum:-0 Tests 0 Failures 0 Ignored}
    tests=$3 failures=$5 ignored=$7
    if [ "$failures" -eq 0 ] && { [ -z "$sum" ] || [ "$status" -ne 0 ]; }; then
        echo "$1: FAIL: exit status $status" >>"$output"
        failures=1 tests=$((tests + 1))
    elif [ "$tests" -eq 0 ] && [ -z "${T:-}" ]; then
        echo "$1: FAIL: has no tests" >>"$output"
        failures=1 tests=1
    fi
    if [ "$failures" -gt 0 ]; then
        echo "-- ${1##*/}, resolver $2:"
        # Of a program that crashed, the last test that passed is worth knowing.
        if [ -n "${V:-}" ] || [ -z "$sum" ]; then
            tail -n 200 "$output"
        else
            grep -av ':PASS$' "$output"
        fi
    else
        grep -a ':IGNORE' "$output"
        [ -z "${V:-}" ] || cat "$output"
    fi
    failed=$((failed + failures)) skipped=$((skipped + ignored))
    passed=$((passed + tests - failures - ignored))
}

unheard=0
for program; do
    resolvers=${RESOLVERS:-kernel fallback}
    has "$program" host_locate || resolvers=kernel
    if [ "$(id -u)" -eq 65534 ] && ! has "$program" host_locate mkdtemp; then
        unheard=$((unheard + 1))
        continue
    fi
    looks=$leaks
    has "$program" __asan_init __tsan_init && looks=''
    for resolver in $resolvers; do
        [ -z "${AQFS_TEST_STOP:-}" ] || [ "$failed" -eq 0 ] || break
        if [ "$resolver" = "${resolvers##* }" ]; then
            run "$program" "$resolver" "$looks"
        else
            run "$program" "$resolver" ''
        fi
    done
done

if [ "$unheard" -gt 0 ]; then
    echo "SKIPPED C tests that make no files, in $unheard programs: they ran as another user"
    skipped=$((skipped + unheard))
fi
if [ -n "$unchecked" ]; then
    echo "SKIPPED the look for lost memory: $unchecked"
    skipped=$((skipped + 1))
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
