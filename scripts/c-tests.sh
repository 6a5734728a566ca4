#!/bin/sh
# SPDX-License-Identifier: MIT
# c-tests.sh NAME FILE... -- prints those Unity programs among FILE... that have a test with NAME
# in its name.
set -u
name=$1
shift
for file; do
    sed -n 's/^void \(test_[A-Za-z0-9_]*\)(void).*/\1/p' "$file" | grep -qF -- "$name" && echo "$file"
done
exit 0
