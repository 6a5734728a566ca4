/* reduced.c -- a text as layout leaves it: see reduced.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "reduced.h"

#include "indentation.h"

#include <stdlib.h>
#include <string.h>

/* The bytes of a quote of print at the beginning of LINE, or 0; *AS is the keyboard's. */
static size_t printed_quote(const char *line, size_t n, char *as) {
    if (n < 3 || memcmp(line, "\xE2\x80", 2) != 0)
        return 0;
    const unsigned char last = (unsigned char)line[2];
    if (last != 0x98 && last != 0x99 && last != 0x9C && last != 0x9D)
        return 0;
    *as = last < 0x9C ? '\'' : '"';
    return 3;
}

void free_reduced(struct reduced *r) {
    buf_free(&r->bytes);
    free(r->lines);
}

static bool is_layout(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

/* The bytes of the white space at the beginning of TEXT, no-break spaces among it. */
static size_t blanks_length(const char *text, size_t n) {
    size_t at = 0;
    for (;;) {
        if (at < n && (text[at] == ' ' || text[at] == '\t'))
            at++;
        else if (n - at >= 2 && memcmp(text + at, "\xC2\xA0", 2) == 0)
            at += 2;
        else
            return at;
    }
}

/* The bytes of R's text from AT on that are one byte when it is reduced, *AS. */
static size_t unit_length(const struct reduced *r, size_t at, size_t end, char *as) {
    const char *text = r->text.data + at;
    const size_t blanks = r->loose ? blanks_length(text, end - at) : 0;
    *as = blanks ? ' ' : *text;
    if (blanks)
        return blanks;
    const size_t quote = printed_quote(text, end - at, as);
    return quote ? quote : 1;
}

/* The budget is looked at whenever so many bytes more are reduced. */
#define LOOKED_BYTES 65536

static bool may_reduce_on(struct reduced *r, struct budget *budget) {
    if (budget && r->bytes.len - r->looked_at >= LOOKED_BYTES) {
        r->looked_at = r->bytes.len;
        r->ended = r->ended || budget_check(budget) != AQFS_OK;
    }
    return !r->ended;
}

static void reduce_line(struct reduced *r, struct budget *budget, struct bare_line *line) {
    const char *text = r->text.data;
    size_t at = line->at, end = line->end;
    end -= end > at && text[end - 1] == '\n';
    at += indentation_length(text + at, end - at);
    while (end > at && is_layout(text[end - 1]))
        end--;
    line->inner = (struct span){at, end - at};
    line->reduced_at = r->bytes.len;
    while (at < end && may_reduce_on(r, budget)) {
        char as;
        at += unit_length(r, at, end, &as);
        buf_char(&r->bytes, as);
    }
    buf_char(&r->bytes, '\n');
}

bool reduce_text(struct text_ref text, bool loose, struct budget *budget, struct reduced *out) {
    *out = (struct reduced){.text = text, .loose = loose, .n = linewise_count(text.data, text.len)};
    out->lines = calloc(out->n + 1, sizeof *out->lines);
    if (!out->lines || !buf_reserve(&out->bytes, text.len + 1))
        return false;
    const char *end = text.data + text.len;
    const char *line = text.data;
    for (size_t i = 0; i < out->n && may_reduce_on(out, budget); i++) {
        const char *next = text_next_line(line, end);
        out->lines[i].at = (size_t)(line - text.data);
        out->lines[i].end = (size_t)(next - text.data);
        reduce_line(out, budget, &out->lines[i]);
        line = next;
    }
    return !out->bytes.failed && !out->ended;
}

size_t line_of_reduced(const struct reduced *r, size_t at) {
    size_t low = 0, high = r->n;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        *(r->lines[middle].reduced_at <= at ? &low : &high) = middle;
    }
    return low;
}

size_t place_in_line(const struct reduced *r, const struct bare_line *line, size_t skip) {
    size_t at = line->inner.at;
    const size_t end = at + line->inner.len;
    while (skip-- > 0 && at < end) {
        char as;
        at += unit_length(r, at, end, &as);
    }
    return at;
}
