/* table.h -- the table of operations.
 *
 * To add an operation: write one function in module/ops/, add one row to the
 * table_*.c that it belongs to.  Everything else -- argument checks, tiers,
 * hints, both Lisps, JSON schemas, the manual's reference -- comes from the row.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_TABLE_H
#define AQFS_TABLE_H

#include "op.h"

struct tool_set {
    const char *name, *doc;
};

extern const struct tool_set tool_sets[TOOL_SET_COUNT];

size_t op_count(void);
const struct op *op_at(size_t at); /* NULL behind the last */
const struct op *op_find(const char *name);
/* All SET_ bits of OP, those that follow from its tier too. */
unsigned op_sets(const struct op *op);

#endif
