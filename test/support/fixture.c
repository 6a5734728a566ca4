/* fixture.c -- the workspace that each test of a file has: see fixture.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "fixture.h"

#include "unity.h"

aqfs_workspace *ws;

void tearDown(void) {
    aqfs_free(ws);
    ws = NULL;
    support_end();
}

void reopen(const char *members) {
    aqfs_free(ws);
    ws = open_project(members);
}
