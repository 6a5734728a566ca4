/* SPDX-License-Identifier: MIT */
/* rows.h -- what the programs that measure share: which rows are wanted, and how a row is
 * printed.  bench.c says how to read the lines. */
#ifndef BENCH_ROWS_H
#define BENCH_ROWS_H

#include <stdbool.h>

enum { MOST_RUNS = 99 };

/* From the environment: BENCH_ROWS, BENCH_RUNS and BENCH_MCP. */
extern struct settings {
    const char *rows; /* a wildcard */
    int runs;         /* how many a median is taken of */
    const char *mcp;  /* the MCP server's index.js, or NULL */
    bool differed;    /* an answer did, in a row that was printed */
} settings;

void read_settings(void);
bool wanted(const char *row);

double now_ms(void);
/* Sorts MS, of which the first COUNT are filled. */
double median(double *ms, int count);

void print_row(const char *row, double ours, const char *peer, double theirs, double bound,
               bool same);
void skip(const char *row, const char *why);

#endif
