/* spans.h -- places of a text that is edited.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_SPANS_H
#define AQFS_SPANS_H

#include "args.h"
#include "lines.h"

#include <stdbool.h>
#include <stddef.h>

/* Places in order, with something between them. */
struct spans {
    struct span *all;
    size_t n, room;
};

void spans_free(struct spans *spans);

/* Appends a place.  False without memory. */
bool spans_add(struct spans *spans, struct span span);

/* Records that ADDED[i * STEP] replaced place i of REMOVED.  Moves the spans after them and joins
 * those that they touch.  False without memory. */
bool spans_record(struct spans *spans, const struct spans *removed, const struct text_ref *added,
                  size_t step);

#endif
