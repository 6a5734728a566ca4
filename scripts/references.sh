#!/bin/sh
# SPDX-License-Identifier: MIT
# references.sh [DIR] -- does everything resolve that the sources, tests and pages of DIR refer to?
#
#   threats    `(threats 17)`, `Threat 17`, `threats 72 to 74 and 126`: an entry of doc/threats.org;
#              and each entry there is named by a test, or says `Shown by` or `Not shown`
#   pages      a page of doc/ by its name, also with `, "Heading"`
#   links      of the pages: files, and headings of files
#   paths      of the pages: =module/ROOM/FILE.c=, =test/FOLDER/*.sexp=
#   targets    of the pages: =make x=
#   rooms      the table of rooms is that of module/rooms.mk, the lowest room last
#   names      of the pages: =a_function=, =an_option=
#   elisp      doc/architecture.org names each file of elisp/, and no other
#
# Prints a line for each that does not, and fails if there is one.
set -u
cd "${1:-.}" || exit 2

files=$(find Makefile README.org NEWS.org CONTRIBUTING.org SECURITY.org .ci .github doc module elisp lisp \
    scripts test -type f ! -path test/doc/run ! -path 'doc/images/*' ! -path 'test/fuzz/found/*' ! -name '*.fasl' 2>/dev/null | sort)
pages=$(printf '%s\n' "$files" | grep '\.org$')
own=$(mktemp -d) || exit 2
trap 'rm -rf "$own"' EXIT
faults=$own/faults

complain() { # LINE... -- also from a pipe's subshell, where a variable would be lost
    printf 'references: %s\n' "$*" | tee -a "$faults"
}

# The text of each file as one line behind `FILE:`, so that a reference may be broken by a line's end
# and by what begins the next line of a comment.
# shellcheck disable=SC2086 # names of files
awk 'FNR == 1 { printf "%s%s:", (NR > 1 ? "\n" : ""), FILENAME }
     { sub(/^[ \t]*(\*|;+|#)* */, ""); printf "%s ", $0 }
     END { print "" }' $files >"$own/joined"

# -- threats: from `FILE: ... threats 3, 5 and 72 to 74` to lines `FILE NUMBER`

numbers() {
    grep -aE '[Tt]hreats? +[0-9]' "$own/joined" | awk '
        {
            file = $0; sub(/:.*/, "", file)
            text = substr($0, length(file) + 2)
            while (match(text, /[Tt]hreats? +[0-9]+(( *, *| +)(and +|to +)?[0-9]+)*/)) {
                n = split(substr(text, RSTART, RLENGTH), word, /[ ,]+/)
                text = substr(text, RSTART + RLENGTH)
                last = 0; range = 0
                for (i = 2; i <= n; i++) {
                    if (word[i] == "to") { range = 1; continue }
                    if (word[i] == "and") continue
                    for (k = range ? last + 1 : word[i] + 0; k <= word[i] + 0; k++) print file, k
                    last = word[i] + 0; range = 0
                }
            }
        }' | sort -u
}

catalogue=doc/threats.org
named=$(numbers)
known=$(sed -n 's/^- \([0-9][0-9]*\) :: .*/\1/p' "$catalogue")
printf '%s\n' "$known" "$named" | awk '
    NF == 1 { known[$1] = 1 }
    NF == 2 && !($2 in known) { print }' | while read -r file number; do
    complain "$file: threat $number is not in $catalogue"
done
printf '%s\n' "$known" | sort | uniq -d | while read -r number; do
    complain "$catalogue: $number stands there twice"
done
printf '%s\n' "$named" | awk '
    FILENAME == "-" { if ($1 ~ /^test\//) tested[$2] = 1; next }
    function judge() {
        if (entry && !(number in tested) && entry !~ /Shown +by|Not +shown/) print number
        entry = ""
    }
    /^- [0-9]+ :: / { judge(); number = $2; entry = $0; next }
    /^  / && entry  { entry = entry " " $0; next }
    { judge() }
    END { judge() }' - "$catalogue" | while read -r number; do
    complain "$catalogue: no test names threat $number, and the entry does not say why"
done

# -- pages

is_heading() { # PAGE HEADING
    grep -qE '^\*+ ' "$1" && sed -n 's/^\*\** *//p' "$1" | grep -qxF "$2"
}

grep -oaE '^[^:]*:|\b(doc/)?[a-z-]+\.(org|md)(, "[^"]{1,60}")?' "$own/joined" |
    awk '/:$/ { file = substr($0, 1, length($0) - 1); next } { print file "|" $0 }' | sort -u |
    while IFS='|' read -r file reference; do
        page=${reference%%,*}
        heading=$(printf '%s' "$reference" | sed -n 's/.*, "\(.*\)"$/\1/p')
        case $page in
        doc/*.org) [ -f "$page" ] || complain "$file: there is no $page" ;;
        doc/*) complain "$file: there is no $page" ;;
        *.md) # a page of the drafts: those that became pages here have another name
            [ ! -f "doc/${page%.md}.org" ] || complain "$file: $page is doc/${page%.md}.org" ;;
        *) page=doc/$page ;;
        esac
        [ -z "$heading" ] || [ ! -f "$page" ] || is_heading "$page" "$heading" ||
            complain "$file: $page has no heading \"$heading\""
    done

# -- links, paths and targets of the pages

included() { # PAGE -- and the pages that it includes
    echo "$1"
    sed -n 's/^#+include: "\(.*\)".*/\1/p' "$1" | sed "s|^|$(dirname "$1")/|"
}

for page in $pages; do
    directory=$(dirname "$page")
    # In an example a link would be one only by accident.
    text=$(awk '/^ *#\+begin_/ { hidden = 1 } !hidden; /^ *#\+end_/ { hidden = 0 }' "$page")

    printf '%s\n' "$text" | grep -oE '\[\[[^]]+\]' | sed 's/^\[\[//; s/\]$//' | sort -u |
        while read -r link; do
            heading=
            case $link in
            http*:* | info:*) continue ;;
            \**) target=$page heading=${link#\*}
                # The reference is a chapter of the manual.
                [ "$page" != doc/reference.org ] || target=doc/manual.org ;;
            file:*::\**) target=$directory/$(printf '%s' "${link#file:}" | sed 's/::.*//') heading=${link#*::\*} ;;
            file:*) target=$directory/${link#file:} ;;
            *) complain "$page: what is the link [[$link]]?" && continue ;;
            esac
            [ -e "$target" ] || { complain "$page: there is no ${target#./}" && continue; }
            [ -n "$heading" ] || continue
            found=
            for part in $(included "$target"); do ! is_heading "$part" "$heading" || found=yes; done
            [ -n "$found" ] || complain "$page: ${target#./} has no heading \"$heading\""
        done

    printf '%s\n' "$text" | grep -oE '=(module|elisp|lisp|test|scripts|doc|\.ci|\.github)/[^= ]*=' | tr -d '=' |
        grep -v '/ROOM/' | sort -u | while read -r path; do
        # shellcheck disable=SC2086 # a pattern
        ls -d $path >/dev/null 2>&1 || complain "$page: there is no $path"
    done

    printf '%s\n' "$text" | grep -oE '=make [^=]*' | sed 's/^=make //' | tr ' ' '\n' |
        grep -xE '[a-z][a-z-]*' | sort -u | while read -r target; do
        grep -qE "^([a-z-]+ )*$target( [a-z-]+)*:" Makefile module/build.mk || complain "$page: make has no target $target"
    done
done

# -- the rooms, which the makefile and a page list, and the files of elisp/, which have no folders

listed=$(awk '/^\* / { here = /^\* Rooms/ } here && /^\| [a-z]+ / && $2 != "room" { rooms = $2 " " rooms } END { printf "%s", rooms }' \
    doc/architecture.org)
rooms=$(sed -n 's/^ROOMS = //p' module/rooms.mk)
[ "$listed" = "$rooms " ] || complain "doc/architecture.org: lists the rooms $listed, module/rooms.mk $rooms"

for page in $pages; do
    grep -oE '=agent-q-fs(-[a-z]+)*\.el=' "$page" | tr -d '=' | sort -u | while read -r file; do
        [ -f "elisp/$file" ] || complain "$page: there is no elisp/$file"
    done
done
for file in elisp/*.el; do
    grep -qF "=${file#elisp/}=" doc/architecture.org || complain "doc/architecture.org: says nothing of $file"
done

# -- names with underscores, which are those of C, of operations and of options

# shellcheck disable=SC2046 # names of files
grep -ohE '[a-z][a-z0-9]*(_[a-z0-9]+)+' Makefile $(find module elisp lisp test -name '*.[ch]' -o -name '*.el' \
    -o -name '*.lisp' -o -name '*.mk') | sort -u >"$own/names"
for page in $pages; do
    awk '/^ *#\+begin_/ { hidden = 1 } !hidden; /^ *#\+end_/ { hidden = 0 }' "$page" |
        grep -oE '(^|[ (/|])=[a-z][a-z0-9]*(_[a-z0-9]+)+=' | tr -dc 'a-z0-9_\n' | sort -u | comm -23 - "$own/names" |
        while read -r name; do
            complain "$page: no source has the name $name"
        done
done

[ ! -s "$faults" ]
