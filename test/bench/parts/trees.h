/* SPDX-License-Identifier: MIT */
/* trees.h -- the rows that walk and search a tree, against fd, rg, ugrep and git grep. */
#ifndef BENCH_TREES_H
#define BENCH_TREES_H

/* LABEL/walk, and LABEL/find-SUFFIX: files whose names end in .SUFFIX. */
void fd_rows(const char *label, const char *directory, const char *suffix);
/* LABEL/find-d.ts and LABEL/grep-word, which leave out what git ignores. */
void ignoring_rows(const char *label, const char *directory);
/* A row for each pattern and peer. */
void grep_rows(const char *label, const char *directory, double bound);
/* LABEL/walk and LABEL/grep-word, each run with nothing in the page cache; ours is to take at most
 * BOUND times what the peer takes. */
void cold_rows(const char *label, const char *directory, double bound);

#endif
