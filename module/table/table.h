/* table.h -- the table of operations.
 *
 * CONTRIBUTING.org, "Adding an operation", says how a row gets here and what
 * follows from it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_TABLE_H
#define AQFS_TABLE_H

#include "op.h"

/* The number of operations, and number AT of them; NULL behind the last one. */
size_t op_count(void);
const struct op *op_at(size_t at);
/* The operation NAME, or NULL. */
const struct op *op_find(const char *name);
#endif
