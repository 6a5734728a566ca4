/* mcp.c -- agent-q-fs mcp, the built program, through pipes: bytes sent, bytes that came, and the
 * files on the disk afterwards.
 *
 *     mcp          T is a part of the names of the cases to run
 *
 * SPDX-License-Identifier: MIT
 */
#include "parts/cases.h"

#include "select.h"
#include "time_limit.h"

#include <signal.h>
#include <stdio.h>

static const struct mcp_case *const groups[] = {handshake_cases, modern_cases,       tool_cases,
                                                resource_cases,  subscription_cases, frame_cases};

static int passed, failed;

static void run_case(const struct mcp_case *c) {
    struct project p;
    if (!is_selected("mcp/%s", c->name))
        return;
    time_limit_begin("mcp/%s", c->name);
    project_make(&p);
    c->run(&p);
    project_remove(&p);
    if (p.faults)
        printf("FAILED mcp/%s\n", c->name);
    failed += p.faults > 0;
    passed += p.faults == 0;
}

int main(void) {
    (void)signal(SIGPIPE, SIG_IGN);
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        for (const struct mcp_case *c = groups[i]; c->name; c++)
            run_case(c);
    time_limit_end();
    printf("%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
