#!/bin/bash
# SPDX-License-Identifier: MIT
#
# A clone in ~/common-lisp/, where ASDF looks by itself; the shared object is built from the Lisp
# that misses it.
set -u
. "${0%/*}/parts/lisp.bash"

tree=$HOME/common-lisp/agent-q-fs
git clone --quiet . "$tree" || exit 1

lisp sbcl '(require :asdf)' '(asdf:load-system "agent-q-fs/ffi")' '(agent-q-fs:load-library)'
check "what is missing" has "was not found as $tree/"
check "what to do" has "make all"

works "SBCL, building" sbcl '(require :asdf)' '(asdf:load-system "agent-q-fs/ffi")'
check "it was asked" has "ASKED: The shared object was not found as"
check "what make prints" has "CC   module/"

works "SBCL" sbcl '(require :asdf)' '(asdf:load-system "agent-q-fs/ffi")'
check "it is not asked again" has_not "ASKED"
works "ECL" ecl '(require :asdf)' '(asdf:load-system "agent-q-fs/ffi")'
check "it is not asked again by ECL" has_not "ASKED"

# A library that is not installed is missed; nothing in the clone stands for it.
lisp sbcl '(require :asdf)' \
    '(handler-case (asdf:load-system "agent-q-fs/agent-q")
       (asdf:missing-dependency (problem) (format t "MISSED: ~A~%" problem)))'
check "without cl-llm-provider" has "MISSED: "
check "its name" has "cl-llm-provider"

finish
