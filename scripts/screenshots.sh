#!/bin/sh
# SPDX-License-Identifier: MIT
# screenshots.sh -- makes doc/images/*.png: what the code shows today, in an
# Emacs on a display of its own.  Says so and does nothing where that cannot be.
set -eu
skip() {
    echo "screenshots: skipped, because there is no $1" >&2
    exit 0
}

for program in Xvfb xvfb-run import convert; do
    command -v "$program" >/dev/null || skip "$program"
done
emacs=$(sh scripts/graphical-emacs.sh) || skip "Emacs that opens windows"

base=${TMPDIR:-/tmp}/greet
mkdir "$base" # not -p: it is ours, or nobody's
trap 'rm -rf "$base"' EXIT
mkdir -p doc/images
# shellcheck disable=SC2086 # a command and its options
HOME=$base/home timeout 120 xvfb-run -a -s "-screen 0 1280x1024x24" $emacs -Q -L elisp \
    --eval '(setq native-comp-deferred-compilation nil comp-enable-subr-trampolines nil
                  native-comp-enable-subr-trampolines nil native-comp-jit-compilation nil)' \
    --eval "(defconst screenshots-base \"$base/\")" -l scripts/screenshots.el
# The moving picture: each part is shown for two and a half seconds.
convert -delay 250 -loop 0 doc/images/request-[1-5].png -layers optimize doc/images/request.gif
rm doc/images/request-[1-5].png
ls -l doc/images
