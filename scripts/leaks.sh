#!/bin/sh
# SPDX-License-Identifier: MIT
# leaks.sh -- prints what `env' needs to run a program with the allocator of AddressSanitizer, or
# nothing where that cannot be had.
#
# The allocator finds memory that is lost when the program ends, that is freed twice, or that the
# C library passes over; the status is then 23.  The program need not be compiled for it.  It says
# unsetenv("LD_PRELOAD"), or those that it starts are looked at, too.
set -u

library=$("${CC:-cc}" -print-file-name=libasan.so 2>/dev/null)
[ -f "$library" ] || exit 0

# Freed memory is kept a while: little, or it is the most of what tests of memory measure.
options=detect_leaks=1:exitcode=23:quarantine_size_mb=4:thread_local_quarantine_size_kb=64:malloc_context_size=6

# It traces the process, which a container may forbid.
[ -z "$(LD_PRELOAD=$library ASAN_OPTIONS=$options sh -c : 2>&1 || echo failed)" ] || exit 0
echo "LD_PRELOAD=$library ASAN_OPTIONS=$options"
