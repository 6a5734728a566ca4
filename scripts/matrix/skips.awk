# SPDX-License-Identifier: MIT
# skips.awk -- how many tests were skipped for which reason, of the logs of `make test`.
#
# A log says so in lines `FILE:LINE:TEST:IGNORE: REASON` (Unity), `SKIPPED WHAT: REASON`,
# `SKIPPED N REASON` where there were several, and `skipped: REASON`.

/:IGNORE: / {
    sub(/.*:IGNORE: /, "")
    skipped[$0]++
    next
}
/^SKIPPED [0-9]+ / {
    n = $2
    sub(/^SKIPPED [0-9]+ /, "")
    skipped[$0] += n
    next
}
/^SKIPPED [^:]+: / {
    sub(/^SKIPPED [^:]+: /, "")
    skipped[$0]++
    next
}
/^skipped: / {
    sub(/^skipped: /, "")
    skipped[$0]++
}

END {
    for (reason in skipped)
        printf "%6d  %s\n", skipped[reason], reason | "sort -k1,1nr -k2"
}
