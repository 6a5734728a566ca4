/* leaks.c -- looking for lost memory: see leaks.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "leaks.h"

#include <stdlib.h>

// NOLINTNEXTLINE(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): the sanitizer's name
extern int __lsan_do_recoverable_leak_check(void) __attribute__((weak));

bool leaks_found(void) {
    static bool found; /* what was lost once is told of at every look */
    if (found || !getenv("AQFS_TEST_LEAKS") || !__lsan_do_recoverable_leak_check)
        return false;
    found = __lsan_do_recoverable_leak_check() != 0;
    return found;
}
