#!/bin/sh
# SPDX-License-Identifier: MIT
# compdb.sh -- from what `make -n` prints to a compilation database, compile_commands.json.
#
# A line counts when it compiles one C file, ` -c -o OBJECT FILE.c`.  Each room's own include paths are
# in its lines, so clangd refuses what the compiler refuses.
set -eu

awk -v directory="$PWD" '
    function quoted(text) {
        gsub(/\\/, "\\\\", text)
        gsub(/"/, "\\\"", text)
        return "\"" text "\""
    }
    / -c -o [^ ]+ [^ ]+\.c$/ {
        sub(/^.*; */, "")
        sub(/^ +/, "")
        printf "%s\n  {\"directory\": %s, \"file\": %s,\n   \"command\": %s}", n++ ? "," : "[",
               quoted(directory), quoted($NF), quoted($0)
    }
    END { print n ? "\n]" : "[]"; exit !n }'
