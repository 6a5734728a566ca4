#!/bin/sh
# SPDX-License-Identifier: MIT
# graphical-emacs.sh -- prints the command of an Emacs that can open windows, or fails.
#
# EMACS where it can; else one that is installed; else, on Debian, emacs-lucid,
# unpacked into build/ because it cannot be installed beside emacs-nox.
set -eu
graphical() {
    # shellcheck disable=SC2086 # a command and its options
    $1 -Q --batch --eval '(kill-emacs (if (fboundp (quote x-create-frame)) 0 1))' >/dev/null 2>&1
}

there=build/emacs-lucid
unpacked() {
    dump=$(echo "$there"/usr/libexec/emacs/*/*/emacs.pdmp)
    echo "$there/usr/bin/emacs-lucid --dump-file=$dump"
}

for emacs in "${EMACS:-emacs}" emacs-gtk emacs-lucid emacs "$(unpacked)"; do
    graphical "$emacs" && echo "$emacs" && exit 0
done

command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || exit 1
mkdir -p "$there"
(cd "$there" && apt-get -qq download emacs-lucid >/dev/null 2>&1) || exit 1
dpkg-deb -x "$there"/emacs-lucid_*.deb "$there"
graphical "$(unpacked)" || {
    lacks=$(ldd "$there/usr/bin/emacs-lucid" | sed -n 's/^[[:space:]]*\(.*\) => not found$/\1/p' | tr '\n' ' ')
    echo "$there/usr/bin/emacs-lucid does not start${lacks:+; these libraries are missing: $lacks}" >&2
    exit 1
}
unpacked
