#!/bin/sh
# SPDX-License-Identifier: MIT
# shown.sh [TREE] -- does each `make test-SUITE T=NAME` in security.org run a test that exists?
#
# A command without T= is a target, which references.sh looks for.
set -u
tree=${1:-.}

names() { # SUITE -- the names of its tests, as they stand in the sources
    case $1 in
    test-c) grep -rhoE 'void test_[a-z0-9_]+' "$tree/test/c" ;;
    test-elisp) grep -rhoE '\(ert-deftest [^ ]+' "$tree/test/elisp" ;;
    test-lisp) grep -rhoE '^\(test [^ ]+' "$tree/test/lisp" ;;
    test-mcp | test-serve) grep -rhoE '\{"[a-z-]+/[a-z-]+' "$tree/test/${1#test-}" ;;
    test-e2e) grep -rhoE '^\((test|each-connection-test) [^ ]+' "$tree/test/e2e" ;;
    test-conformance)
        grep -rhoE '\((case|glob) [^ ]+' "$tree/test/conformance/cases"
        sed -n 's/^(matrix \([^ ]*\).*/read-file-path.\1-plain/p' "$tree"/test/conformance/cases/*.sexp
        # Below an `each`, the operation is the first part of the name.
        grep -rhoE '^ +"?[a-z]+(-[a-z]+)+' "$tree/test/conformance/cases"
        ;;
    esac
}

commands() { # each "SUITE NAME" of the page, a line each
    tr '\n' ' ' <"$tree/doc/security.org" | grep -oE "make (test-[a-z0-9]+ ?)+|T=('[^']*'|[^ =]+=?[^ =]*)=" |
        awk '/^make/ { sub(/^make /, ""); suites = $0; next }
             { name = substr($0, 3, length($0) - 3)
               gsub(/\047/, "", name)
               n = split(suites, all, " ")
               for (i = 1; i <= n; i++) print all[i], name }'
}

bad=0 seen=0
list=$(commands) || exit 1
while read -r suite name; do
    seen=$((seen + 1))
    names "$suite" | grep -q -e "$name" && continue
    echo "doc/security.org: $suite has no test for T=$name"
    bad=1
done <<EOF
$list
EOF
[ "$seen" -gt 10 ] || {
    echo "doc/security.org: its commands were not found"
    bad=1
}
exit $bad
