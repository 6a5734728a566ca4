# count.bash -- checks that are counted, for the scripts that install.
#
#     . "${0%/*}/parts/count.bash"
#
# SPDX-License-Identifier: MIT
# shellcheck shell=bash

passed=0 failed=0 skipped=0

check() { # WHAT COMMAND... -- does it succeed?
    local what=$1 output
    shift
    if output=$("$@" 2>&1); then
        passed=$((passed + 1))
        return 0
    fi
    failed=$((failed + 1))
    printf 'FAILED: %s\n%s\n' "$what" "$output" | tail -n 40
    return 1
}

skip() { # WHAT WHY
    echo "SKIPPED $1: $2"
    skipped=$((skipped + 1))
}

finish() {
    echo "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" -eq 0 ]
    exit
}
