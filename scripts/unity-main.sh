#!/bin/sh
# SPDX-License-Identifier: MIT
# unity-main.sh TEST.c -- writes the main of a Unity test program.
#
# Every `void test_NAME(void)` at the beginning of a line is a test.  The
# program takes one argument, a part of the names to run.  Each test has a limit
# of time (test/support/time_limit.h).  A file that has a main already gets no other.
set -eu

if grep -q '^int main(' "$1"; then
    echo "typedef int has_its_own_main;"
    exit 0
fi

tests=$(sed -n 's/^void \(test_[A-Za-z0-9_]*\)(void).*/\1/p' "$1")

cat <<END
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "die.h"
#include "leaks.h"
#include "select.h"
#include "time_limit.h"
#include "unity.h"
END
for test in $tests; do
    echo "void $test(void);"
done
cat <<END
static const char *only = "";
static void run(UnityTestFunction test, const char *name, int line) {
    if (!strstr(name, only))
        return;
    time_limit_begin("$1:%d:%s", line, name);
    UnityDefaultTestRun(test, name, line);
    time_limit_end();
    if (leaks_found())
        printf("$1:%d:%s: lost memory, as told above\n", line, name);
    if (Unity.TestFailures > 0 && stops_at_failure())
        exit(UnityEnd());
}
static void fail_test(const char *message) {
    TEST_FAIL_MESSAGE(message);
}
int main(int argc, char **argv) {
    if (argc > 1)
        only = argv[1];
    die_instead = fail_test;
    unsetenv("LD_PRELOAD"); /* the leak check is for this program, not for those that it starts */
    setvbuf(stdout, NULL, _IOLBF, 0);
    UnityBegin("$1");
END
for test in $tests; do
    line=$(grep -n "^void $test(void)" "$1" | cut -d: -f1 | tail -n 1)
    echo "    run($test, \"$test\", $line);"
done
cat <<END
    return UnityEnd();
}
END
