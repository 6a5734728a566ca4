#!/bin/sh
# SPDX-License-Identifier: MIT
# cppcheck.sh FILE... -- cppcheck, on the core and on the test programs.
#
# missingInclude: it is not shown the system's headers, and says so.
# readdirCalled: two threads may read two streams at once, which is all we do.
# unusedFunction is not asked for: a test has no caller.  The rest is said in
# the sources, `// cppcheck-suppress id ; reason`.
exec cppcheck --quiet --error-exitcode=1 --inline-suppr -j 2 \
    --enable=warning,style,performance,portability \
    --std=c11 --library=posix,gnu -D_GNU_SOURCE $(printf -- "-I%s " module/*/ module/*/internal/) -Itest/support \
    --suppress=missingInclude --suppress=missingIncludeSystem --suppress=unmatchedSuppression \
    --suppress=readdirCalled --suppress='*:build/*' \
    "$@"
