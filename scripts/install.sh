#!/bin/sh
# SPDX-License-Identifier: MIT
# install.sh -- puts what is built below $DESTDIR$PREFIX; `install.sh remove` takes it away again.
# `make install` and `make uninstall` call it, with the variables that it needs.
#
#     share/emacs/site-lisp/elpa/agent-q-fs-VERSION/   Emacs Lisp, where package.el looks by itself
#     share/common-lisp/source/agent-q-fs/             Common Lisp, where ASDF looks by itself
#     share/info/agent-q-fs.info                       the manual
#     share/man/man1/agent-q-fs.1                      what the program takes
#     lib/agent-q-fs/agent-q-fs-module.so              the core, which both load by links
#     lib/agent-q-fs/agent-q-fs-run                    the program that runs commands for Emacs
#     lib/agent-q-fs/directories                       the directories that were not there before
#     bin/agent-q-fs                                   the program, a server for agents
#     lib/libaqfs.so.ABI, lib/libaqfs.so               the core for C, include/aqfs.h, and
#     lib/pkgconfig/aqfs.pc                            what pkg-config says of it
set -eu

for path in "$PREFIX" "$LIBDIR"; do
    case $path in
    /*) ;;
    *) echo "install: PREFIX and LIBDIR: expected absolute paths, not $path" >&2 && exit 2 ;;
    esac
done
prefix=${DESTDIR:-}$PREFIX
libdir=${DESTDIR:-}$LIBDIR
elpa=$prefix/share/emacs/site-lisp/elpa
site_lisp=$elpa/agent-q-fs-$VERSION
common_lisp=$prefix/share/common-lisp/source/agent-q-fs
info_dir=$prefix/share/info
man_dir=$prefix/share/man/man1
own=$libdir/agent-q-fs
made=$own/directories

# Everything that any version has installed, but for the directories around it.  Version 0.1.0 had
# its Emacs Lisp in site-lisp/agent-q-fs.
remove_files() {
    if [ -e "$info_dir/agent-q-fs.info" ]; then
        install-info --delete --quiet --info-dir="$info_dir" "$info_dir/agent-q-fs.info" || true
        # It is made for the first manual, and the last one takes it away.
        [ ! -f "$info_dir/dir" ] || grep '^\* ' "$info_dir/dir" | grep -qv '^\* Menu:' ||
            rm -f "$info_dir/dir"
    fi
    rm -rf "$prefix/bin/agent-q-fs" "$elpa"/agent-q-fs-[0-9]* "$prefix/share/emacs/site-lisp/agent-q-fs" "$common_lisp" \
        "$own/agent-q-fs-module.so" "$own/agent-q-fs-run" "$info_dir/agent-q-fs.info" "$man_dir/agent-q-fs.1" "$prefix/include/aqfs.h" \
        "$libdir/pkgconfig/aqfs.pc" "$libdir"/libaqfs.so "$libdir"/libaqfs.so.[0-9]*
}

# Those that are empty, the deepest first.
remove_directories() {
    list=$(sort -r "$made" 2>/dev/null) || return 0
    rm -f "$made"
    printf '%s\n' "$list" | while read -r directory; do
        rmdir "${DESTDIR:-}$directory" 2>/dev/null || true
    done
}

# Makes the directories, and writes down which of them, and of those around them, were not there.
make_directories() {
    new=$(for directory in "$@"; do
        while [ ! -d "$directory" ]; do
            echo "${directory#"${DESTDIR:-}"}"
            directory=$(dirname "$directory")
        done
    done)
    install -d "$@"
    printf '%s\n' "$new" | cat - "$made" 2>/dev/null | sed '/^$/d' | sort -u >"$made.new"
    mv "$made.new" "$made"
}

install_emacs_lisp() {
    install -m 644 elisp/*.el "$BUILD"/elisp/*.elc "$site_lisp"
    for beside in agent-q-fs-module.so agent-q-fs-run; do
        ln -s "$(realpath -m --relative-to="$site_lisp" "$own")/$beside" "$site_lisp"
    done
    "$EMACS" -Q --batch -l scripts/describe.el -f describe-package-directory "$site_lisp"
}

install_common_lisp() {
    (cd lisp && find . -name '*.asd' -o -name '*.lisp') | while read -r file; do
        install -D -m 644 "lisp/$file" "$common_lisp/$file"
    done
    ln -s "$(realpath -m --relative-to="$common_lisp" "$own")/agent-q-fs-module.so" "$common_lisp"
}

install_c() {
    install -m 644 module/include/aqfs.h "$prefix/include"
    install -m 644 "$BUILD/libaqfs.so" "$libdir/libaqfs.so.$ABI"
    ln -s "libaqfs.so.$ABI" "$libdir/libaqfs.so"
    sed "s|@PREFIX@|$PREFIX|; s|@LIBDIR@|$LIBDIR|; s|@VERSION@|$VERSION|" scripts/aqfs.pc.in \
        >"$libdir/pkgconfig/aqfs.pc"
    chmod 644 "$libdir/pkgconfig/aqfs.pc"
}

install_info() {
    install -m 644 "$BUILD/agent-q-fs.info" "$info_dir"
    # A package's own scripts, or a trigger, know of the other manuals there.
    [ -n "${DESTDIR:-}" ] || install-info --quiet --info-dir="$info_dir" "$info_dir/agent-q-fs.info"
}

# The linker's cache is the system's, and only root's to change.
refresh_cache() {
    [ -n "${DESTDIR:-}" ] || [ "$(id -u)" -ne 0 ] || ldconfig 2>/dev/null || true
}

# Tells those whose Emacs does not look there what to write into their init file.
tell() {
    [ -z "${DESTDIR:-}" ] || return 0
    "$EMACS" --batch --eval "(progn (require 'package)
        (unless (member \"$elpa\" (mapcar #'directory-file-name package-directory-list))
          (princ (format \"This Emacs does not look into %s by itself; write into your init file:

    (load %S)

\" \"$elpa\" \"$site_lisp/agent-q-fs-autoloads\"))))" 2>/dev/null
}

case ${1:-install} in
install)
    remove_files
    make_directories "$own" "$libdir/pkgconfig" "$site_lisp" "$common_lisp" "$info_dir" "$man_dir" "$prefix/include" \
        "$prefix/bin"
    install -m 644 "$BUILD/agent-q-fs-module.so" "$own"
    install -m 755 "$BUILD/agent-q-fs-run" "$own"
    install -m 755 "$BUILD/agent-q-fs" "$prefix/bin"
    install -m 644 "$BUILD/agent-q-fs.1" "$man_dir"
    install_emacs_lisp
    install_common_lisp
    install_c
    install_info
    refresh_cache
    tell
    ;;
remove)
    remove_files
    remove_directories
    refresh_cache
    ;;
*)
    echo "usage: install.sh [remove]" >&2
    exit 2
    ;;
esac
