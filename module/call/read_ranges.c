/* read_ranges.c -- which lines read_file is asked for: see read_lines.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "read_lines.h"

#include <inttypes.h>
#include <string.h>

static int64_t add_saturating(int64_t a, int64_t b) {
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

static void range_by_offset(struct call *c, struct read_range *r) {
    const struct value *offset = call_arg(c, "offset"), *limit = call_arg(c, "limit");
    r->by_offset = r->explicit = true;
    r->first = add_saturating(offset->known ? offset->integer : 0, 1);
    r->last = add_saturating(r->first,
                             (limit->known ? limit->integer : c->work.ws->limits.read_lines) - 1);
}

/* The last lines of the file: START is negative. */
static int range_from_end(struct call *c, int64_t start, int64_t last, struct read_range *r) {
    if (last != -1)
        return fail(&c->work.error, AQFS_INVALID_ARGUMENT,
                    "end_line: expected -1 or none behind the start_line %" PRId64
                    ", which means the last lines; not %" PRId64,
                    start, last);
    r->back = start == INT64_MIN ? INT64_MAX : -start;
    r->explicit = true;
    return AQFS_OK;
}

static int range_by_lines(struct call *c, struct read_range *r) {
    const struct value *start = call_arg(c, "start_line"), *end = call_arg(c, "end_line");
    int64_t first = start->known ? start->integer : 1, last = end->known ? end->integer : -1;
    if (last < 1 && last != -1)
        return fail(&c->work.error, AQFS_INVALID_ARGUMENT,
                    "end_line: expected a line, or -1 for the end, not %" PRId64, last);
    if (first < 0)
        return range_from_end(c, first, last, r);
    if (first < 1)
        return fail(&c->work.error, AQFS_INVALID_ARGUMENT,
                    "start_line: expected at least 1, the first line, or -20 for the last 20; "
                    "not %" PRId64,
                    first);
    if (last != -1 && last < first)
        return fail(&c->work.error, AQFS_INVALID_ARGUMENT,
                    "end_line: expected at least start_line (%" PRId64 "), not %" PRId64, first,
                    last);
    r->named_end = last != -1;
    r->explicit = first > 1 || r->named_end;
    r->first = first;
    r->last = r->named_end ? last : add_saturating(first, c->work.ws->limits.read_lines - 1);
    return AQFS_OK;
}

/* -- the argument `ranges` ----------------------------------------------------------------------
 */

/* Takes a number off *TEXT; 0 where there is none or it is too long. */
static int64_t take_line_number(struct text_ref *text) {
    int64_t number = 0;
    size_t digits = 0;
    for (; text->len > 0 && text->data[0] >= '0' && text->data[0] <= '9'; digits++) {
        number = digits < 15 ? number * 10 + (text->data[0] - '0') : 0;
        text->data++, text->len--;
    }
    return digits <= 15 ? number : 0;
}

static bool take_dash(struct text_ref *text) {
    bool has = text->len > 0 && text->data[0] == '-';
    text->data += has, text->len -= has;
    return has;
}

/* "10-20", "10-" to the end, "-20" the last 20, or "10". */
static bool spell_range(struct call *c, struct text_ref text, struct read_range *r) {
    *r = (struct read_range){.explicit = true, .named_end = true};
    if (take_dash(&text)) {
        r->back = take_line_number(&text);
        return r->back > 0 && text.len == 0;
    }
    r->first = r->last = take_line_number(&text);
    if (take_dash(&text)) {
        r->named_end = text.len > 0;
        r->last = r->named_end ? take_line_number(&text)
                               : add_saturating(r->first, c->work.ws->limits.read_lines - 1);
    }
    return text.len == 0 && r->first > 0 && r->last >= r->first;
}

static int take_ranges(struct call *c, const struct value *list, struct read_ranges *out) {
    if (list->count == 0 || list->count > READ_RANGES_MOST)
        return fail(&c->work.error, AQFS_INVALID_ARGUMENT,
                    "ranges: expected from 1 to %d ranges, got %zu", READ_RANGES_MOST, list->count);
    out->listed = true;
    for (size_t i = 0; i < list->count; i++) {
        char label[PATH_LABEL];
        if (!spell_range(c, list->list[i], &out->all[i]))
            return fail(&c->work.error, AQFS_INVALID_ARGUMENT,
                        "ranges: expected lines such as \"10-20\", \"10-\" or \"-20\" for the last "
                        "20, not \"%s\"",
                        path_label(list->list[i].data, list->list[i].len, label));
        out->n++;
    }
    return AQFS_OK;
}

int read_ranges_of(struct call *c, struct read_ranges *out) {
    const struct value *ranges = call_arg(c, "ranges"), *since = call_arg(c, "since");
    bool lines = call_arg(c, "start_line")->known || call_arg(c, "end_line")->known;
    bool offset = call_arg(c, "offset")->known || call_arg(c, "limit")->known;
    *out = (struct read_ranges){0};
    if (call_arg(c, "paths")->known && (lines || offset || ranges->known || since->known))
        return fail(&c->work.error, AQFS_INVALID_ARGUMENT,
                    "paths: expected no lines and no since beside it: with them, read one file, by "
                    "path");
    if (lines && offset)
        return fail(&c->work.error, AQFS_INVALID_ARGUMENT,
                    "Give either start_line and end_line, or offset and limit, not both");
    if (ranges->known && (lines || offset))
        return fail(&c->work.error, AQFS_INVALID_ARGUMENT,
                    "Give either ranges, or the lines of one range, not both");
    if (since->known && (lines || offset || ranges->known))
        return fail(&c->work.error, AQFS_INVALID_ARGUMENT,
                    "since: expected no lines beside it, because it tells what has changed in the "
                    "whole file");
    if (ranges->known)
        return take_ranges(c, ranges, out);
    out->n = 1;
    if (!offset)
        return range_by_lines(c, &out->all[0]);
    range_by_offset(c, &out->all[0]);
    return AQFS_OK;
}
