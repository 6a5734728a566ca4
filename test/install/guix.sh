#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The package for Guix: built, and then a call from an Emacs that has it in its profile.
set -u
. "${0%/*}/parts/calls.bash"

if ! command -v guix >/dev/null; then
    skip "the package for Guix" "there is no guix here"
    finish
fi
check "guix build" guix build -f guix.scm || finish
EMACS="guix shell -f guix.scm emacs-no-x -- emacs" check "a tool works in Emacs" call_from_emacs /gnu/store
finish
