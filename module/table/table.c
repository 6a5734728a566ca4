/* table.c -- the table of operations, whose rows are in table_*.c.
 *
 * SPDX-License-Identifier: MIT
 */
#include "table.h"

#include "table_rows.h"

#include <string.h>

static const struct op_rows *const groups[] = {&look_rows, &read_rows, &edit_rows, &write_rows,
                                               &snapshot_rows};

size_t op_count(void) {
    size_t n = 0;
    for (size_t i = 0; i < COUNT(groups); i++)
        n += groups[i]->n;
    return n;
}

const struct op *op_at(size_t at) {
    for (size_t i = 0; i < COUNT(groups); i++) {
        if (at < groups[i]->n)
            return &groups[i]->rows[at];
        at -= groups[i]->n;
    }
    return NULL;
}

const struct op *op_find(const char *name) {
    for (size_t i = 0; i < COUNT(groups); i++)
        for (size_t k = 0; k < groups[i]->n; k++)
            if (strcmp(groups[i]->rows[k].name, name) == 0)
                return &groups[i]->rows[k];
    return NULL;
}

#define X(constant, name, doc) {name, doc},
const struct tool_set tool_sets[TOOL_SET_COUNT] = {TOOL_SETS(X)};
#undef X

unsigned op_sets(const struct op *op) {
    unsigned own = op->sets | SET_ALL;
    return op->tier == TIER_SAFE ? own | SET_READ_ONLY : own;
}
