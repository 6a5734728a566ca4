#!/bin/sh
# SPDX-License-Identifier: MIT
# crossed.sh -- how much of the core one approved edit_file crosses: plans, checks,
# distinct functions and the files they stand in.
#
# The module is built in a directory of its own, with every function telling when
# it is entered (test/bench/crossed/trace.c).  Functions that the compiler would
# inline count too, so the optimiser is off; files are sources, not headers.  The list
# is left beside the module, build/crossed/functions.txt.
#
# At commit 0bc0a11, before a change was planned once, this printed
# `4 plans, 1 checks; 417 functions in 54 files, 15619 calls`.
set -eu

build=build/crossed
mkdir -p $build
${MAKE:-make} -s BUILD=$build CFLAGS='-O0 -g -finstrument-functions' WERROR= $build/agent-q-fs-module.so >$build/make.log
${CC:-cc} -shared -fPIC -O2 -D_GNU_SOURCE -o $build/trace.so test/bench/crossed/trace.c

CROSSED_MODULE=$PWD/$build/agent-q-fs-module.so CROSSED_WHILE=$PWD/$build/now \
    CROSSED_OUT=$PWD/$build/counts LD_PRELOAD=$PWD/$build/trace.so \
    "${EMACS:-emacs}" -Q --batch -L elisp -l test/bench/crossed/edit.el -f crossed-edit >"$build/emacs.log" 2>&1 ||
    { cat "$build/emacs.log"; exit 1; }

# A line a function: its file, its name, how often it was called.
cut -d' ' -f2 $build/counts | addr2line -f -e $build/agent-q-fs-module.so |
    paste - - | sed "s|:[0-9?]*\( (discriminator [0-9]*)\)\{0,1\}$||; s|$PWD/||" |
    paste - $build/counts | awk '{ print $2, $1, $3 }' | sort >$build/functions.txt

awk '{ functions++; calls += $3 }
     $1 ~ /[.]c$/ { files[$1] = 1 }
     $2 == "make_plan" { plans += $3 }
     $2 == "plan_holds" { checks += $3 }
     END { printf "CROSSED one approved edit_file: %d plans, %d checks; %d functions in %d files, %d calls\n",
                  plans, checks, functions, length(files), calls }' $build/functions.txt
