#!/bin/sh
# lisp.sh sbcl|ecl FILE -- loads FILE in a fresh Lisp without anyone's init file.
#
# The libraries of others are compiled beforehand and quietly: what they print
# would hide what matters.  An error ends the Lisp with a non-zero status, never
# in a debugger.
set -eu

lisp() {
    case $lisp in
    sbcl) ${SBCL:-sbcl} --noinform --non-interactive --no-sysinit --no-userinit "$@" ;;
    # Its debugger would read the end of the input and exit with 0.
    ecl) ${ECL:-ecl} --norc --eval '(setf ext:*invoke-debugger-hook*
            (lambda (condition hook) (declare (ignore hook))
              (format *error-output* "~&~a: ~a~%" (type-of condition) condition)
              (ext:quit 1)))' "$@" --eval '(ext:quit 0)' ;;
    *) echo "lisp.sh: no Lisp $lisp" >&2 && exit 2 ;;
    esac
}

lisp=$1
lisp --eval '(require :asdf)' \
    --eval '(dolist (system (list "cffi" "fiveam")) (asdf:load-system system))' >/dev/null 2>&1 ||
    echo "lisp.sh: $lisp cannot load cffi and fiveam" >&2
lisp --eval '(setf *load-verbose* nil *compile-verbose* nil *compile-print* nil)' --load "$2"
