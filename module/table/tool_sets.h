/* tool_sets.h -- which tools a model is given together.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_TOOL_SETS_H
#define AQFS_TOOL_SETS_H

#include <stdbool.h>
#include <stddef.h>

struct tool_set {
    const char *name;
    const char *doc;          /* which models or tasks it is for */
    int bytes;                /* its specifications for a model have at most so many bytes */
    const char *const *tools; /* operations, in the order for a model; NULL for all */
};

extern const struct tool_set tool_sets[];
extern const size_t tool_set_count;

/* The name of operation number AT of SET; NULL behind the last one. */
const char *tool_set_at(const struct tool_set *set, size_t at);
bool tool_set_has(const struct tool_set *set, const char *operation);

#endif
