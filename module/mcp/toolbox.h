/* toolbox.h -- the tools that a server offers, and their list.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_TOOLBOX_H
#define AQFS_TOOLBOX_H

#include "op.h"

#include <jansson.h>

struct toolbox {
    const struct op **tools; /* in the order for a model */
    size_t n;
    struct buf list; /* printed once: the members of the result of tools/list that name them */
};

/* NAMES are those of sets and tools, with commas between, or NULL for none; an error names what
 * there is. */
int toolbox_open(struct toolbox *box, const char *names, bool structured, struct error *e);
void toolbox_close(struct toolbox *box);

/* The tool with the JSON string NAME, or NULL. */
const struct op *toolbox_find(const struct toolbox *box, const json_t *name);

/* Appends the names of the tools, with commas between. */
void toolbox_names(const struct toolbox *box, struct buf *out);

#endif
