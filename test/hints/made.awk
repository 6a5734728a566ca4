# SPDX-License-Identifier: MIT
# made.awk -- prints FILES texts into DIRECTORY, the same ones on every machine: programs in a
# language of its own, whose lines are much alike.  run compares the hints for them with a baseline.

# awks differ in their rand.
function below(n) {
    state = state * 16807 % 2147483647
    return state % n
}

function word() { return words[1 + below(count)] }

function name() { return below(3) ? word() "_" word() : word() }

function expression(depth) {
    if (depth == 0 || below(3) == 0)
        return below(4) ? name() : below(1000) ""
    if (below(3) == 0)
        return name() "(" expression(depth - 1) ", " expression(depth - 1) ")"
    return expression(depth - 1) " " signs[1 + below(6)] " " expression(depth - 1)
}

function put(text) { print substr("                    ", 1, 4 * level) text >file }

function block(lines,    kind) {
    while (lines-- > 0) {
        kind = below(12)
        if (kind < 5)
            put(name() " = " expression(2) ";")
        else if (kind < 7)
            put("call " name() "(" expression(1) ");")
        else if (kind == 7)
            put("// the " word() " of the " word() " " verbs[1 + below(4)] " a " word())
        else if (kind == 8)
            print "" >file
        else if (kind == 9)
            put("return " expression(1) ";")
        else if (level < 4) {
            put((below(2) ? "if " : "while ") "(" expression(1) ") {")
            level++
            block(1 + below(4))
            level--
            put("}")
        }
    }
}

BEGIN {
    count = split("node path index count text left right table entry key", words)
    split("+ - * / == <", signs)
    split("has needs follows replaces", verbs)
    state = 20261119
    for (i = 0; i < FILES; i++) {
        file = sprintf("%s/%03d", DIRECTORY, i)
        print "// " name() ": " word() " and " word() >file
        # Every sixth is large: there, places are found by votes.
        for (functions = i % 6 ? 3 + below(12) : 300; functions > 0; functions--) {
            print "" >file
            put("function " name() "_" functions "(" word() ", " word() ") {")
            level = 1
            block(3 + below(9))
            level = 0
            put("}")
        }
        close(file)
    }
}
