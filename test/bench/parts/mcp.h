/* SPDX-License-Identifier: MIT */
/* mcp.h -- the rows whose peer is the MCP filesystem server. */
#ifndef BENCH_MCP_H
#define BENCH_MCP_H

#include "side.h"

/* A server whose files are in DIRECTORY, ready to be asked. */
server start_mcp(const char *directory);

void mcp_rows(const char *label, const char *directory);

/* How many bytes the words have with which TOOL answers ARGUMENTS, which it takes over. */
double mcp_answer_bytes(server *s, const char *tool, json_t *arguments);

#endif
