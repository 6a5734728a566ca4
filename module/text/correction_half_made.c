/* correction_half_made.c -- the edit of a text in which a part of it was made before: see
 * correction_kinds.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "correction_kinds.h"

#include "cleanup.h"
#include "edit_lines.h"

#include <string.h>

/* Each choice of hunks that were made is looked for. */
#define HUNKS_MOST 4

/* Where a line of TEXT begins, its newline included: 0 for the first, and the length behind all. */
static size_t line_offset(struct text_ref text, const struct line_list *lines, size_t i) {
    return i < lines->n ? (size_t)(lines->all[i].data - text.data) : text.len;
}

static void add_lines(struct text_ref text, const struct line_list *lines, size_t at, size_t n,
                      struct buf *out) {
    const size_t from = line_offset(text, lines, at), to = line_offset(text, lines, at + n);
    if (to > from)
        buf_add(out, text.data + from, to - from);
}

/* Writes old_str to OUT as it is after the hunks in MADE, which is a bit for each. */
static void write_half_made(const struct edit *edit, const struct edit_lines *lines, unsigned made,
                            struct buf *out) {
    size_t at = 0;
    buf_clear(out);
    for (size_t i = 0; i < lines->n; i++) {
        const struct edit_hunk *h = &lines->hunks[i];
        add_lines(edit->old_str, &lines->old, at, h->old_at - at, out);
        if (made >> i & 1)
            add_lines(edit->new_str, &lines->new, h->new_at, h->new_n, out);
        else
            add_lines(edit->old_str, &lines->old, h->old_at, h->old_n, out);
        at = h->old_at + h->old_n;
    }
    add_lines(edit->old_str, &lines->old, at, lines->old.n - at, out);
}

static bool is_line_start(struct text_ref text, size_t at) {
    return at == 0 || text.data[at - 1] == '\n';
}

/* Is it seen in the text that the hunks in MADE were made?  A deletion shows only between lines
 * that the edit repeats. */
static bool is_seen(const struct edit_lines *lines, unsigned made) {
    for (size_t i = 0; i < lines->n; i++) {
        const struct edit_hunk *h = &lines->hunks[i];
        const bool inside = h->old_at > 0 && h->old_at + h->old_n < lines->old.n;
        if (made >> i & 1 && h->new_n == 0 && !inside)
            return false;
    }
    return true;
}

int correction_half_made(struct text_ref text, const struct edit *edit, struct correction *out) {
    AUTO(edit_lines_free) struct edit_lines lines = {0};
    AUTO(buf_free) struct buf half = {0};
    size_t at, places = 0;
    if (!edit_lines_find(edit->old_str, edit->new_str, &lines))
        return AQFS_LIMIT;
    if (lines.n < 2 || lines.n > HUNKS_MOST || edit->new_str.len == 0 ||
        memmem(text.data, text.len, edit->new_str.data, edit->new_str.len))
        return AQFS_NO_MATCH;
    for (unsigned made = 1; made + 1 < 1U << lines.n; made++) {
        if (edit->budget && budget_check(edit->budget))
            return AQFS_LIMIT;
        if (!is_seen(&lines, made))
            continue;
        write_half_made(edit, &lines, made, &half);
        const struct text_ref needle = {half.data, half.len};
        const size_t found = correction_places(text, needle, &at);
        if (half.failed)
            return AQFS_LIMIT;
        places += found;
        if (found == 1 && is_line_start(text, at))
            out->place = (struct span){at, half.len};
    }
    if (places != 1 || out->place.len == 0)
        return AQFS_NO_MATCH;
    buf_add(&out->text, edit->new_str.data, edit->new_str.len);
    return out->text.failed ? AQFS_LIMIT : AQFS_OK;
}
