/* SPDX-License-Identifier: MIT */
/* patches.h -- the rows of patches: against plain C and git apply. */
#ifndef BENCH_PATCHES_H
#define BENCH_PATCHES_H

#include "turns.h"

enum { PATCHED = 1000, PATCHED_SIZE = 4096 };

void patch_rows(void);

#endif
