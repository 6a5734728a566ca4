#!/bin/sh
# SPDX-License-Identifier: MIT
# sizes.sh [-q] [DIRECTORY] -- how long the functions of the core are.
#
# Fails when a function has more than 60 lines, the median is over 12, or a file has
# more than 400 lines.  Prints some figures unless -q is given.  clang-format decides the layout, so a function begins with
# a line that ends in `) {` and ends with the next `}` in the first column.
set -eu

quiet=
[ "${1-}" != -q ] || { quiet=yes && shift; }

find "${1:-module}" -name '*.c' -o -name '*.h' | LC_ALL=C sort | xargs awk '
    FNR == 1 { open = 0 }
    /^[A-Za-z_].*[^;]$/ && !open { begun = FNR; name = $0 }
    /^[^#\/ \t].*\) \{$/ || /^[ \t].*\) \{$/ && !open && begun { open = open ? open : begun }
    /^}/ && open {
        n = FNR - open + 1
        print n, FILENAME ":" open
        open = begun = 0
    }
    { lines[FILENAME] = FNR }
    END {
        for (file in lines)
            if (lines[file] > 400) print "file", file, lines[file]
    }' | sort -n | awk -v quiet="$quiet" '
    $1 == "file" { print "sizes: " $2 " has " $3 " lines, more than 400"; failed = 1; next }
    { length_[++n] = $1; if ($1 > 60) { print "sizes: the function at " $2 " has " $1 " lines, more than 60"; failed = 1 } }
    END {
        median = length_[int((n + 1) / 2)]
        if (!n) print "sizes: no functions were found"
        else if (!quiet)
            printf "%d functions: median %d lines, 90 %% at most %d, the longest %d\n", n, median, length_[int(n * 0.9)], length_[n]
        if (median > 12) { print "sizes: the median is over 12"; failed = 1 }
        exit failed || !n
    }'
