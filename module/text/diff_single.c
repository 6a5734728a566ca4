/* diff_single.c -- texts that differ in one place: see diff_single.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "diff_single.h"

#include "linewise.h"

#include <string.h>

/* Up to this many pairs, comparing every line with every other is cheaper than a differ. */
#define PAIRS_MAX 1024

static bool is_line_start(struct text_ref text, size_t at) {
    return at == 0 || text.data[at - 1] == '\n';
}

/* The length of the lines that both texts share at the beginning. */
static size_t common_lines(struct text_ref old, struct text_ref new) {
    return linewise_start(old.data, common_head(old.data, new.data, smaller(old.len, new.len)));
}

/* The length of the lines that both texts share at the end, after the first HEAD bytes. */
static size_t tail_of(struct text_ref old, struct text_ref new, size_t head) {
    size_t n = smaller(old.len, new.len) - head;
    n = common_tail(old.data + old.len, new.data + new.len, n);
    if (is_line_start(old, old.len - n) && is_line_start(new, new.len - n))
        return n;
    return old.len - linewise_below(old.data, old.len, old.len - n, 1);
}

static struct text_ref line_starting_at(struct text_ref text, size_t at) {
    return (struct text_ref){text.data + at, linewise_below(text.data, text.len, at, 1) - at};
}

static struct text_ref line_above(struct text_ref text, size_t at) {
    size_t start = linewise_above(text.data, at, 1);
    return (struct text_ref){text.data + start, at - start};
}

/* Added or removed lines could as well stand one line higher, if the line above them equals their
 * last one.  They cannot stand lower: the texts differ directly after the shared beginning. */
static bool can_slide(struct text_ref text, const struct line_span *lines) {
    return lines->at > 0 &&
           text_ref_equal(line_above(text, lines->at), line_above(text, lines->at + lines->len));
}

static bool share_a_line(struct text_ref old, const struct line_span *a, struct text_ref new,
                         const struct line_span *b) {
    for (size_t i = a->at; i < a->at + a->len;) {
        struct text_ref line = line_starting_at(old, i);
        for (size_t j = b->at; j < b->at + b->len;) {
            struct text_ref other = line_starting_at(new, j);
            if (text_ref_equal(line, other))
                return true;
            j += other.len;
        }
        i += line.len;
    }
    return false;
}

bool diff_single(struct text_ref old, struct text_ref new, struct line_change *out) {
    size_t head = common_lines(old, new), tail = tail_of(old, new, head);
    size_t lines = linewise_count(old.data, head);
    struct line_span a = {.at = head, .len = old.len - head - tail, .line = lines};
    struct line_span b = {.at = head, .len = new.len - head - tail, .line = lines};
    a.count = linewise_count(old.data + a.at, a.len);
    b.count = linewise_count(new.data + b.at, b.len);
    *out = (struct line_change){a, b};
    if (a.count == 0 || b.count == 0)
        return a.count != b.count && !(a.count > 0 ? can_slide(old, &a) : can_slide(new, &b));
    return a.count <= PAIRS_MAX / b.count && !share_a_line(old, &a, new, &b);
}
