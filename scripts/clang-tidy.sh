#!/bin/sh
# SPDX-License-Identifier: MIT
# clang-tidy.sh FILE -- FLAGS...: silent when there is nothing to say, which
# clang-tidy is not ("1234 warnings generated", of other people's headers).
output=$(clang-tidy --quiet "$@" 2>&1) || {
    echo "$output" | grep -av 'warnings\? generated\.$'
    exit 1
}
