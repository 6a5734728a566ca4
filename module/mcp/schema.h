/* schema.h -- tools as tools/list shows them: JSON Schemas from the table of operations.
 *
 * Emacs makes the same of the same table (agent-q-fs-spec.el); a test compares them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_SCHEMA_H
#define AQFS_SCHEMA_H

#include "op.h"

/* Writes OP: name, title, description, schemas and annotations.  Without STRUCTURED, no schema of
 * the reply. */
void schema_tool(struct reply *r, const struct op *op, bool structured);

#endif
