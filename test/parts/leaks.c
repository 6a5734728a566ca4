/* SPDX-License-Identifier: MIT */
/* leaks.c -- a test that loses memory, as a Unity program would, so that run can see that
 * test-c.sh notices.
 */
#include "leaks.h"

#include <stdio.h>
#include <stdlib.h>

static char *volatile kept;

static void lose(size_t n) {
    kept = malloc(n);
    kept = NULL;
}

int main(void) {
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    lose(100);
    printf("leaks.c:1:test_that_leaks:PASS\n");
    if (leaks_found())
        printf("leaks.c:1:test_that_leaks: lost memory\n");
    printf("1 Tests 0 Failures 0 Ignored\nOK\n");
    return 0;
}
