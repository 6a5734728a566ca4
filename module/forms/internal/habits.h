/* habits.h -- which words of a text stand first in lists?
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_HABITS_H
#define AQFS_HABITS_H

#include "dialect.h"

#include <stddef.h>
#include <stdint.h>

/* Words are told apart by a small hash, so now and then two count as one. */
enum { HABIT_WORDS = 8192 };

struct habits {
    uint16_t first[HABIT_WORDS], later[HABIT_WORDS];
};

/* Counts the words of a text, or of its first bytes if it is very long.  NULL without memory. */
struct habits *habits_read(enum dialect dialect, const char *text, size_t len);

/* How much likelier the N bytes of WORD stand first in a list than elsewhere, leaving out the one
 * time that they now do not (or do, if FIRST).  It is 1 if nothing is known. */
double habits_favour(const struct habits *habits, const char *word, size_t n, int first);

#endif
