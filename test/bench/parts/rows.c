/* SPDX-License-Identifier: MIT */
/* rows.c -- what the programs that measure share: see rows.h. */
#include "rows.h"

#include "die.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct settings settings;

void read_settings(void) {
    const char *rows = getenv("BENCH_ROWS"), *runs = getenv("BENCH_RUNS");
    settings.rows = rows ? rows : "*";
    settings.mcp = getenv("BENCH_MCP");
    settings.runs = runs ? (int)strtol(runs, NULL, 10) : 9;
    if (settings.runs < 1 || settings.runs >= MOST_RUNS)
        die("BENCH_RUNS: from 1 to %d", MOST_RUNS - 1);
}

bool wanted(const char *row) {
    return fnmatch(settings.rows, row, 0) == 0;
}

double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double median(double *ms, int count) {
    qsort(ms, (size_t)count, sizeof *ms, by_size);
    return count % 2 ? ms[count / 2] : (ms[count / 2 - 1] + ms[count / 2]) / 2;
}

void print_row(const char *row, double ours, const char *peer, double theirs, double bound,
               bool same) {
    printf("BENCH %s %.2f %s %.2f %.3f %.2f %s\n", row, ours, peer, theirs, ours / theirs, bound,
           !same                    ? "DIFFERS"
           : ours <= bound * theirs ? "ok"
                                    : "SHORT");
    (void)fflush(stdout);
    settings.differed = settings.differed || !same;
}

void skip(const char *row, const char *why) {
    printf("SKIP %s %s\n", row, why);
    (void)fflush(stdout);
}
