# apply.awk -- prints SOURCE as a mutant has it.
#
#     awk -v record=FILE -f apply.awk SOURCE
#
# FILE holds one record in the form that `named' explains.  It fails, and says why, unless the
# lines occur exactly once: at the line that the record gives, or else in the definitions that it
# names, or else in the whole file.
#
# SPDX-License-Identifier: MIT

function trimmed(s) {
    sub(/^[ \t]+/, "", s)
    sub(/[ \t]+$/, "", s)
    return s
}

# Does a definition's first line, HEAD, have NAME as a word?
function names(head, name,   at, rest, before) {
    for (rest = head; (at = index(rest, name)) > 0; rest = substr(rest, at + 1)) {
        before = substr(head, length(head) - length(rest) + at - 1, 1)
        if (before !~ /[A-Za-z0-9_*%-]/ && substr(rest, at + length(name), 1) !~ /[A-Za-z0-9_*%-]/)
            return 1
    }
    return 0
}

function read_record(   s, field) {
    while ((getline s <record) > 0) {
        if (s ~ /^@ /) {
            split(s, field, " ")
            place = field[3]
            if (match(field[2], /:[0-9]+$/)) at_line = substr(field[2], RSTART + 1) + 0
        } else if (s ~ /^- /)
            minus[++nminus] = trimmed(substr(s, 3))
        else if (s ~ /^\+/)
            plus[++nplus] = trimmed(substr(s, 3))
    }
}

BEGIN { read_record() }

# A definition reaches to the next line that begins in the first column.
FILENAME ~ /\.[ch]$/ ? /^[A-Za-z_]/ : /^\(/ { head = $0 }
{
    line[FNR] = $0
    text[FNR] = trimmed($0)
    # The names of C that a multiplication touches are words for themselves.
    here[FNR] = !place || names(head, place) || (FILENAME ~ /\.[ch]$/ && head ~ ("\\*" place "[^A-Za-z0-9_]"))
}

function fits(i,   k) {
    if (at_line ? i != at_line : !here[i]) return 0
    for (k = 1; k <= nminus; k++) if (text[i + k - 1] != minus[k]) return 0
    return 1
}

END {
    for (i = 1; i <= FNR; i++) if (fits(i)) { found++; first = i }
    if (!nminus || found != 1) {
        print FILENAME (place ? ", " place : "") ": `" minus[1] "' occurs " found + 0 " times, not once" >"/dev/stderr"
        exit 1
    }
    match(line[first], /^[ \t]*/)
    indentation = substr(line[first], 1, RLENGTH)
    for (i = 1; i < first; i++) print line[i]
    for (i = 1; i <= nplus; i++) print indentation plus[i]
    for (i = first + nminus; i <= FNR; i++) print line[i]
}
