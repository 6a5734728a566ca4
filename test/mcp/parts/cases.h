/* cases.h -- the cases of agent-q-fs mcp, in groups.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef MCP_CASES_H
#define MCP_CASES_H

#include "project.h"

struct mcp_case {
    const char *name; /* NULL ends a group */
    void (*run)(struct project *p);
};

extern const struct mcp_case handshake_cases[], modern_cases[], tool_cases[], frame_cases[],
    resource_cases[], subscription_cases[];

#endif
