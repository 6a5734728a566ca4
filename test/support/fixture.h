/* fixture.h -- the workspace that each test of a file has.
 *
 * The file's setUp calls support_start, makes files and opens `ws`.  Its tearDown is here: it
 * closes `ws` and calls support_end.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef FIXTURE_H
#define FIXTURE_H

#include "support.h"

extern aqfs_workspace *ws;

/* Opens the project anew, with further options. */
void reopen(const char *members);

#endif
