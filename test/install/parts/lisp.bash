# lisp.bash -- what the ways of installing in Common Lisp share.
#
#     . "${0%/*}/parts/lisp.bash"
#
# SPDX-License-Identifier: MIT
# shellcheck shell=bash

here=${0%/*}
. "$here/parts/count.bash"
export CFLAGS=-O0 # several builds, and none of them is used for long

said= # what the latest Lisp has printed

has() { # TEXT -- was it printed?
    [[ $said = *"$1"* ]] && return
    printf 'expected: %s\ngot:\n%s\n' "$1" "$said"
    return 1
}

has_not() { # TEXT
    [[ $said = *"$1"* ]] || return 0
    printf 'expected: no %s\ngot:\n%s\n' "$1" "$said"
    return 1
}

# lisp sbcl|ecl FORM... -- what a Lisp says to FORMs, which reads the person's init file.
lisp() {
    local kind=$1 form forms=()
    shift
    for form in "$@"; do
        forms+=(--eval "$form")
    done
    case $kind in
    sbcl) said=$("$SBCL" --noinform --disable-debugger "${forms[@]}" --eval '(sb-ext:exit)' 2>&1) ;;
    ecl) said=$("$ECL" "${forms[@]}" --eval '(ext:quit 0)' 2>&1) ;;
    esac
}

# works WHAT sbcl|ecl FORM... -- a tool's call, made behind FORMs, is seen on the disk.
works() {
    local what=$1
    shift
    rm -rf "$HOME/work"
    mkdir -p "$HOME/work"
    lisp "$@" "(load \"$here/parts/call.lisp\")"
    check "$what: the call" has "CALLED: Created notes.txt (8 bytes)"
    check "$what: the file on the disk" test "$(cat "$HOME/work/notes.txt" 2>&1)" = $'one\ntwo'
}
