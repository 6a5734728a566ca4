#!/bin/sh
# rooms.sh [-q] OBJECTS -- checks the walls between the rooms of the core.
#
# SPDX-License-Identifier: MIT
#
# OBJECTS is the directory that holds ROOM/SOURCE.o.  `nm` tells the symbols that
# each object defines and needs; module/rooms.mk says which room may use which.
# Prints some figures unless -q is given.  Fails on
#
#   - a call into a room that the caller's room does not use, or into the insides
#     of an outside library that belongs to another room,
#   - a cycle of objects that spans rooms (it cannot, while rooms use lower rooms),
#   - a cycle of more than 6 objects inside a room,
#   - a room that uses a room above itself, and a folder of more than 40 files,
#   - a source without an object: what was not read was not checked.
set -eu

quiet=
[ "$1" != -q ] || { quiet=yes && shift; }
objects=$1
rules=module/rooms.mk

# object <TAB> D|U <TAB> symbol
symbols() {
    for object in "$objects"/*/*.o; do
        room=${object%/*}
        room=${room##*/}
        name=${object##*/}
        [ -f "module/$room/${name%.o}.c" ] || continue # its source has gone
        nm "$object" | awk -v object="$room/${name%.o}" '
            NF > 1 && $(NF-1) == "U" { print object "\tU\t" $NF }
            NF > 2 && $(NF-1) ~ /^[A-TV-Z]$/ { print object "\tD\t" $NF }'
    done
}

for folder in module/*/; do
    count=$(find "$folder" -maxdepth 1 -type f | wc -l)
    [ "$count" -le 40 ] || { echo "rooms: $folder has $count files, more than 40" && exit 1; }
done

missing=0 sources=0
for source in module/*/*.c; do
    [ -f "$source" ] || continue
    sources=$((sources + 1))
    object=${source#module/}
    [ -f "$objects/${object%.c}.o" ] || missing=$((missing + 1))
done
[ "$sources" -gt 0 ] || { echo "rooms: there are no sources in module/" && exit 1; }
[ "$missing" -eq 0 ] || { echo "rooms: $missing of $sources sources have no object in $objects" && exit 1; }

symbols | awk -F'\t' -v quiet="$quiet" -v rules="$rules" '
    function room(object) { return substr(object, 1, index(object, "/") - 1) }

    # Tarjan: the strongly connected objects that hold OBJECT.
    function visit(object,    n, i, to, next_, size, members) {
        index_[object] = low[object] = ++clock
        stack[++depth] = object
        on_stack[object] = 1
        n = split(edges[object], next_, " ")
        for (i = 1; i <= n; i++) {
            to = next_[i]
            if (!(to in index_)) {
                visit(to)
                if (low[to] < low[object]) low[object] = low[to]
            } else if (on_stack[to] && index_[to] < low[object]) {
                low[object] = index_[to]
            }
        }
        if (low[object] != index_[object]) return
        size = 0
        members = ""
        do {
            to = stack[depth--]
            on_stack[to] = 0
            size++
            members = members " " to
        } while (to != object)
        if (size > largest) largest = size
        if (size > 6) complain("a cycle of " size " objects:" members)
    }

    function complain(text) { print "rooms: " text; failed = 1 }

    BEGIN {
        while ((getline line < rules) > 0) {
            n = split(line, word, /[ =]+/)
            if (word[1] == "ROOMS")
                for (i = 2; i <= n; i++) rank[word[i]] = i
            else if (word[1] ~ /^USES_/)
                for (i = 2; i <= n; i++) uses[substr(word[1], 6), word[i]] = 1
            else if (word[1] ~ /^LIBRARIES_/)
                for (i = 2; i <= n; i++) owner[++owners] = substr(word[1], 11) SUBSEP word[i]
        }
        for (pair in uses) {
            split(pair, word, SUBSEP)
            if (word[2] != "" && rank[word[2]] >= rank[word[1]])
                complain(word[1] " uses " word[2] ", which is not below it")
        }
    }

    $2 == "D" { home[$3] = $1; objects[$1] = 1 }
    $2 == "U" { need[++needs] = $1 SUBSEP $3; objects[$1] = 1 }

    END {
        for (i = 1; i <= needs; i++) {
            split(need[i], word, SUBSEP)
            from = word[1]; symbol = word[2]
            if (!(symbol in home)) {
                for (k = 1; k <= owners; k++) {
                    split(owner[k], own, SUBSEP)
                    if (index(symbol, own[2]) != 1) continue
                    outside[i] = own[2]
                    if (own[1] == room(from)) fine[i] = 1
                }
                if (outside[i] && !fine[i])
                    complain(from " calls " symbol ", but " room(from) " may not use " outside[i])
                continue
            }
            to = home[symbol]
            if (to == from || ((from, to) in known)) continue
            known[from, to] = 1
            count++
            edges[from] = edges[from] " " to
            if (room(to) != room(from) && !((room(from), room(to)) in uses))
                complain("upward edge: " from " calls " symbol " of " to)
        }
        for (object in objects) {
            total++
            if (!(object in index_)) visit(object)
        }
        if (!total) complain("nm names no symbols")
        if (!quiet) printf "%d objects, %d edges, largest cycle %d\n", total, count, largest
        exit failed
    }'
