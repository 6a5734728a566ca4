/* SPDX-License-Identifier: MIT */
/* mcp_door.h -- the conformance table through the program agent-q-fs, by the Model Context
 * Protocol. */
#ifndef CONFORMANCE_MCP_DOOR_H
#define CONFORMANCE_MCP_DOOR_H

#include "table.h"

/* Runs the cases that it can be asked, prints the counts, and returns the status for exit. */
int mcp_run_all(const struct table *t);

#endif
