/* SPDX-License-Identifier: MIT */
/* hangs.c -- hangs, so that run can see that a limit of time ends it.
 *
 *     hangs computes|waits|child|not
 *
 * With `child` it prints the number of a child that would go on for ever; with `not` it waits
 * longer than its limit, which has ended.
 */
#include "child.h"
#include "time_limit.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void wait_for_ever(void) {
    for (;;)
        (void)pause();
}

static void wait_for_child(void) {
    pid_t child = start_child();
    if (child == 0)
        wait_for_ever();
    printf("%d\n", child);
    (void)fflush(stdout);
    (void)end_child(child);
}

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "";
    time_limit_begin("hangs.c:1:the one before");
    time_limit_begin("hangs.c:2:%s", how);
    volatile bool computes = strcmp(how, "computes") == 0;
    while (computes)
        ;
    if (strcmp(how, "waits") == 0)
        wait_for_ever();
    if (strcmp(how, "child") == 0)
        wait_for_child();
    time_limit_end();
    (void)sleep(1);
    return 0;
}
