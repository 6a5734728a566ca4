#!/bin/bash
# SPDX-License-Identifier: MIT
#
# A program, and a single compiled file, made with the system and used in another place: the
# sources are gone, and the shared object lies beside the program.
set -u
. "${0%/*}/parts/lisp.bash"

made=$HOME/made
mkdir "$made" "$HOME/else" "$HOME/work"
registry="(asdf:initialize-source-registry
            '(:source-registry (:directory \"$PWD/lisp/\") :inherit-configuration))"
make -f module/build.mk >/dev/null || exit 1

lisp sbcl '(require :asdf)' "$registry" \
    "(asdf:operate 'asdf:monolithic-compile-bundle-op \"agent-q-fs/ffi\")" \
    "(uiop:copy-file (first (asdf:output-files 'asdf:monolithic-compile-bundle-op
                                               \"agent-q-fs/ffi\"))
                     \"$made/all.fasl\")"
check "a compiled file is made" test -s "$made/all.fasl"
lisp sbcl '(require :asdf)' "$registry" '(asdf:load-system "agent-q-fs/ffi")' \
    '(agent-q-fs:load-library)' \
    "(defun main ()
       (let ((agent-q-fs:*approval-handler* (constantly :approved)))
         (agent-q-fs:with-workspace (workspace :root \"$HOME/work/\" :transport :ffi)
           (format t \"CALLED: ~A\" (agent-q-fs:call-tool \"create_file\"
                                       (list :path \"new.txt\" :content \"new\")
                                       :workspace workspace))))
       (finish-output)
       (sb-ext:exit))" \
    "(sb-ext:save-lisp-and-die \"$made/program\" :executable t :toplevel #'main)"

mv build/agent-q-fs-module.so "$made"
mv lisp module build "$HOME/else"
cd / || exit 1

said=$("$made/program" 2>&1)
check "the program's call" has "CALLED: Created new.txt (3 bytes)"
check "the program's file" test "$(cat "$HOME/work/new.txt" 2>&1)" = new

mv "$made/agent-q-fs-module.so" "$HOME/else"
said=$("$made/program" 2>&1)
check "where the program looks" has "$made/agent-q-fs-module.so"

# The compiled file knows of no sources, and of no directory of its own.
lisp sbcl '(require :asdf)' "(load \"$made/all.fasl\")" '(agent-q-fs:load-library)'
check "a compiled file looks, too" has "The shared object was not found as"
works "a compiled file" sbcl '(require :asdf)' "(load \"$made/all.fasl\")" \
    "(setf agent-q-fs:*library-path* \"$HOME/else/agent-q-fs-module.so\")"

finish
