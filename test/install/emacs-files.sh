#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The directories that straight, elpaca and a recipe of MELPA make of the repository, as they
# make them: links to the files that the README's recipes name, or copies of them, with autoloads,
# and compiled; links to what they take when they are told nothing.  These programs cannot
# be fetched while this runs: they were tried by hand.  Then only a clone.
set -u
. "${0%/*}/parts/emacs.bash"
# Several builds, and none of them is used for long; by a compiler that warns of more than ours do.
export CFLAGS="-O0 -Wpadded"

files=$(readme "(straight-use-package" | grep -o ':files ([^)]*)' | sort -u | sed 's/:files (\(.*\))/\1/' | tr -d '"')
check "the README's recipes name files" test "$files" = "elisp/*.el module lisp"

package=$HOME/package
put() { # COMMAND PATTERN... -- link or copy what matches into the package
    local command=$1
    shift
    rm -rf "$package" && mkdir "$package" || return
    # shellcheck disable=SC2086,SC2068 # patterns
    for file in $@; do $command "$PWD/$file" "$package/" || return; done
    "$EMACS" -Q --batch --eval "(progn (require 'package)
      (package-generate-autoloads 'agent-q-fs \"$package/\")
      (add-to-list 'load-path \"$package\")
      (load \"$package/agent-q-fs-autoloads\" nil t)
      (byte-recompile-directory \"$package\" 0))"
}

# These Emacsen do not know the package by package.el, but by a line in their init file.
batch() {
    local arguments=() form
    for form; do arguments+=(--eval "$form"); done
    timeout 600 "$EMACS" -Q --batch -l "$HOME/init.el" "${arguments[@]}"
}
cat >"$HOME/init.el" <<L
(add-to-list 'load-path "$package")
(load "$package/agent-q-fs-autoloads" nil t)
L

check "links to files" put "ln -s" "$files"
check "the package is installed, as links" installed "$package"
check "a tool works, through links" called "$package/"
warned() { grep -rq "Wpadded" "$TMPDIR/log"; }
batch "(agent-q-fs-module-build t)" "(with-current-buffer agent-q-fs-module--log
  (write-region nil nil \"$TMPDIR/log\"))" >/dev/null 2>&1
check "a warning of the compiler does not stop the build" warned

check "copies of files" put "cp -r" "$files"
check "the package is installed, as copies" installed "$package"
check "a tool works, in copies" called "$package/"

check "links to what is in the first directory" put "ln -s" "*.el"
check "the package is installed, as a link" installed "$package"
check "a tool works, through the link" called "$PWD/elisp/"
rm -rf build

check "the README has the lines for a clone" readme "(add-to-list 'load-path"
readme "(add-to-list 'load-path" >"$HOME/init.el"
ready() { batch "(unless (commandp 'agent-q-fs) (error \"There is no M-x agent-q-fs\"))"; }
check "only a clone" ready
check "a tool works, in a clone" called "$PWD/elisp/"
rm -rf build
echo "(add-to-list 'load-path \"$PWD\")" >"$HOME/init.el"
check "a tool works, with the first directory of a clone on the path" called "$PWD/elisp/"
finish
