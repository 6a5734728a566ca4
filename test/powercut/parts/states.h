/* states.h -- the states of the disks that are tried: all of them, or a sample.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef POWERCUT_STATES_H
#define POWERCUT_STATES_H

#include "model.h"

/* A state: power was lost behind the event POINT, when the effects KEPT were on the disks. */
struct state {
    size_t point;
    bool *kept;
};

struct states {
    struct state *all;
    size_t n, room;
    size_t points;    /* that have one at least */
    bool is_complete; /* there are no others */
};

/* Lists the distinct states of M behind the event FIRST and later ones: all if there are at most
 * MOST, else as many, always the same ones.  Two states in which different things were answered are
 * two. */
void states_list(const struct model *m, size_t first, size_t most, struct states *out);
void states_free(struct states *states);

/* How many answers were given up to the event POINT. */
size_t answers_at(const struct log *log, size_t point);

#endif
