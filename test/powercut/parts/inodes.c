/* inodes.c -- the inodes that the core is shown instead of the real ones: see recorder.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "recorder.h"

#include "die.h"

#define SHOWN_MOST 1024

/* An inode that stands for none must not look like one that does. */
#define ELSEWHERE (UINT64_C(1) << 40)

static struct { uint64_t real, shown; } shown[SHOWN_MOST];
static size_t shown_n;

void show_inode(uint64_t real, uint64_t as) {
    if (shown_n == SHOWN_MOST)
        die("more than %d inodes", SHOWN_MOST);
    shown[shown_n].real = real;
    shown[shown_n++].shown = as;
}

uint64_t shown_inode(uint64_t real) {
    for (size_t i = 0; i < shown_n; i++)
        if (shown[i].real == real)
            return shown[i].shown;
    return shown_n > 0 ? real | ELSEWHERE : real;
}

void forget_inodes(void) {
    shown_n = 0;
}
