/* SPDX-License-Identifier: MIT */
/* replies.h -- how many bytes a model reads as an answer, beside the MCP filesystem server. */
#ifndef BENCH_REPLIES_H
#define BENCH_REPLIES_H

/* replies/median: of twenty questions about DIRECTORY, the sources of this project, the median of
 * the bytes of our words as a part of the server's.  The two numbers are the bytes of all. */
void reply_rows(const char *directory);

#endif
