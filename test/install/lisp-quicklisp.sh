#!/bin/bash
# SPDX-License-Identifier: MIT
#
# A clone in Quicklisp's local-projects, and ql:quickload.
#
# QUICKLISP_CLIENT is a directory with the sources of Quicklisp's client, as
# github.com/quicklisp/quicklisp-client has them: its own host cannot be reached while this runs.
# The dependencies come from Debian's packages, and no distribution is installed.
set -u
. "${0%/*}/parts/lisp.bash"

if [ ! -f "${QUICKLISP_CLIENT:-}/setup.lisp" ]; then
    skip Quicklisp "QUICKLISP_CLIENT does not name the sources of its client"
    finish
fi

quicklisp=$HOME/quicklisp
mkdir -p "$quicklisp/local-projects" "$quicklisp/dists/quicklisp"
: >"$quicklisp/dists/quicklisp/distinfo.txt" # where there is none, the client fetches one
cp -R "$QUICKLISP_CLIENT"/{setup.lisp,asdf.lisp,quicklisp} "$quicklisp"
git clone --quiet . "$quicklisp/local-projects/agent-q-fs" || exit 1
echo '(load (merge-pathnames "quicklisp/setup.lisp" (user-homedir-pathname)))' >"$HOME/.sbclrc"

works "ql:quickload, building" sbcl '(ql:quickload "agent-q-fs/ffi")'
check "it was asked" has "ASKED: The shared object was not found as $quicklisp/local-projects/"

lisp sbcl '(format t "IN ~A~%" (ql:where-is-system "agent-q-fs"))' \
    '(format t "TESTS: ~S~%" (ql:where-is-system "cl-llm-provider"))'
check "where it is" has "IN $quicklisp/local-projects/agent-q-fs/lisp/"
check "nothing stands for cl-llm-provider" has "TESTS: NIL"

finish
