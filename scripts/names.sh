#!/bin/sh
# names.sh [DIRECTORY] -- each function and each struct, union and enum tag of C has one home.
#
# Lists the names that two files below DIRECTORY (module) define, and fails when
# there are any: a name in a backtrace leads to one place.  The compiler allows
# it, because functions and tags of one source are invisible to the others.  A
# file may define a name twice, behind #if.  The layout that clang-format leaves
# makes this simple reading of C enough.
#
# SPDX-License-Identifier: MIT
set -eu

dir=${1:-module}
find "$dir" -name '*.[ch]' | sort | xargs awk '
# LINE without comments, preprocessor lines and what stands in literals.
function code(line,   out, c, two, i, quote) {
    if (!comment && (directive || line ~ /^[ \t]*#/)) {
        directive = line ~ /\\$/
        comment = line ~ /\/\*/ && line !~ /\/\*.*\*\//
        return ""
    }
    for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1)
        two = substr(line, i, 2)
        if (comment) {
            if (two == "*/") {
                comment = 0
                i++
            }
        } else if (two == "/*") {
            comment = 1
            i++
        } else if (two == "//") {
            break
        } else if (c == "\"" || c == "\047") {
            for (quote = c; ++i <= length(line) && (c = substr(line, i, 1)) != quote;)
                if (c == "\\")
                    i++
            out = out "0"
        } else {
            out = out c
        }
    }
    return out " "
}

# Where the parenthesis that opens at FROM in TEXT is closed, or 0.
function closing(text, from,   depth, i, c) {
    for (i = from; i <= length(text); i++) {
        c = substr(text, i, 1)
        depth += (c == "(") - (c == ")")
        if (depth == 0)
            return i
    }
    return 0
}

# The function that HEAD, all that stands before its body, defines; "" when it defines none.
function defined(head,   at, end, name) {
    while ((at = match(head, /__attribute__ *\(/)) && (end = closing(head, at + RLENGTH - 1)))
        head = substr(head, 1, at - 1) " " substr(head, end + 1)
    if (!match(head, /[A-Za-z_][A-Za-z_0-9]* *\(/) || !(end = closing(head, RSTART + RLENGTH - 1)))
        return ""
    name = substr(head, RSTART, RLENGTH - 1)
    sub(/ *$/, "", name)
    return substr(head, 1, RSTART - 1) ~ /[=\[]/ || substr(head, end + 1) !~ /^ *$/ ? "" : name
}

# The tag that HEAD, all that stands before a brace, defines; "" when it defines none.
function tagged(head,   at, end) {
    while ((at = match(head, /__attribute__ *\(/)) && (end = closing(head, at + RLENGTH - 1)))
        head = substr(head, 1, at - 1) " " substr(head, end + 1)
    if (!match(head, /(^|[^A-Za-z_0-9])(struct|union|enum) +[A-Za-z_][A-Za-z_0-9]* *$/))
        return ""
    sub(/^.*(struct|union|enum) +/, "", head)
    sub(/ *$/, "", head)
    return head
}

function define(kind, name) {
    if (name == "" || (kind, name, FILENAME) in seen)
        return
    seen[kind, name, FILENAME] = 1
    homes[kind " " name]++
    where[kind " " name] = where[kind " " name] " " FILENAME
}

FNR == 1 {
    comment = directive = depth = 0
    head = ""
}

{
    line = code($0)
    for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1)
        if (c == "{") {
            define("tag", tagged(head))
            if (depth++ == 0)
                define("function", defined(head))
        } else if (c == "}") {
            depth--
        }
        head = c ~ /[{};]/ ? "" : head c
    }
}

END {
    for (name in homes)
        count[substr(name, 1, 1)]++
    for (name in homes)
        if (homes[name] > 1 && name != "function main") { # each program has one
            print name ":" where[name] | "sort"
            twice++
        }
    close("sort")
    if (count["f"] == 0 || count["t"] == 0) {
        print "names: no functions or no tags were found below '"$dir"'"
        exit 2
    }
    exit twice > 0
}' || exit 1
