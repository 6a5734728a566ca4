# SPDX-License-Identifier: MIT
# table.awk -- the results of the matrix (steps.sh has their form) as a table, and their sum.
#
# A cell that SYSTEMS, USERS and STEPS ask for and that has no result could not be had.  The exit
# status is that of matrix.sh.

{
    result[$1, $2, $3] = sprintf("%d passed, %d failed, %d skipped, %d s%s", $4, $5, $6, $7, \
        $8 == "ok" ? "" : ": " toupper($8))
    if ($8 != "cannot") {
        passed += $4; failed += $5; skipped += $6
    } else
        cannot = 1
}

END {
    systems = split(ENVIRON["SYSTEMS"], debian, " ")
    users = split(ENVIRON["USERS"], user, " ")
    steps = split(ENVIRON["STEPS"], step, " ")
    print ""
    for (s = 1; s <= systems; s++)
        for (u = 1; u <= users; u++)
            for (k = 1; k <= steps; k++)
                print_cell(debian[s], user[u], step[k])
    print ""
    printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
    exit failed ? 1 : cannot ? 3 : 0
}

function print_cell(s, u, k) {
    if (!((s, u, k) in result)) {
        result[s, u, k] = "CANNOT"
        cannot = 1
    }
    printf "Debian %-8s %-5s make %-13s %s\n", s, u, k == "install" ? "test-install" : k, result[s, u, k]
}
