/* nearmiss_fail.c -- the error of an edit whose text does not occur: see nearmiss.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cleanup.h"
#include "lines.h"
#include "nearmiss.h"

#include <string.h>

/* Is OLD, without the line break at its end, the end of a text that does not end in one? */
static bool misses_last_break(struct text_ref text, struct text_ref old) {
    size_t n = old.len > 0 && old.data[old.len - 1] == '\n' ? old.len - 1 : 0;
    return n > 0 && n <= text.len && memcmp(text.data + text.len - n, old.data, n) == 0;
}

/* Adds the lines from FIRST to LAST. */
static void add_nearest(struct text_ref text, const struct nearmiss *near, struct buf *out) {
    const size_t from = linewise_below(text.data, text.len, 0, near->first - 1);
    const size_t to = linewise_below(text.data, text.len, from, near->last - near->first + 1);
    if (to - from <= NEAREST_BYTES)
        buf_add(out, text.data + from, to - from);
}

int nearmiss_fail(struct text_ref text, struct text_ref old_str, struct text_ref new_str,
                  const char *label, struct buf *nearest, struct error *e) {
    AUTO(nearmiss_free) struct nearmiss near;
    if (!nearmiss_find(text, old_str, new_str, &near))
        return fail_memory(e);
    if (nearest && near.first > 0)
        add_nearest(text, &near, nearest);
    (void)fail(e, AQFS_NO_MATCH, "%s%s", label, near.words.data);
    if (misses_last_break(text, old_str))
        error_hint(e, "the file does not end in a line break: leave out the one at the end of "
                      "old_str");
    else if (near.kinds & NEAR_NUMBERS)
        error_hint(e, "leave out the numbers: they are not in the file");
    else if (near.applied > 0)
        error_hint(e, "this edit may have been made already: read the file again");
    else if (near.first == 0)
        error_hint(e, "nothing was changed; read the file again: it may not be the expected one");
    else if (near.first == near.last)
        error_hint(e, "nothing was changed; copy old_str exactly from line %zu", near.first);
    else
        error_hint(e, "nothing was changed; copy old_str exactly from lines %zu-%zu", near.first,
                   near.last);
    return AQFS_NO_MATCH;
}
