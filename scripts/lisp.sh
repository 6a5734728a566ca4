#!/bin/sh
# lisp.sh sbcl|ecl|abcl FILE -- loads FILE in a fresh Lisp without anyone's init file.
#
# SPDX-License-Identifier: MIT
#
# An error ends the Lisp with a non-zero status, never in a debugger.
set -eu

quietly='(setf *load-verbose* nil *compile-verbose* nil *compile-print* nil)'
case $1 in
sbcl)
    exec ${SBCL:-sbcl} --noinform --non-interactive --no-sysinit --no-userinit \
        --eval "$quietly" --load "$2"
    ;;
ecl) # whose debugger would read the end of the input and exit with 0
    exec ${ECL:-ecl} --norc --eval '(setf ext:*invoke-debugger-hook*
            (lambda (condition hook) (declare (ignore hook))
              (format *error-output* "~&~a: ~a~%" (type-of condition) condition)
              (ext:quit 1)))' --eval "$quietly" --load "$2" --eval '(ext:quit 0)'
    ;;
abcl) # CFFI calls C by way of JNA
    CLASSPATH=/usr/share/java/abcl-contrib.jar:/usr/share/java/jna.jar \
        exec ${ABCL:-abcl} --noinform --batch --noinit --eval "$quietly" --load "$2"
    ;;
*)
    echo "lisp.sh: no Lisp $1" >&2
    exit 2
    ;;
esac
