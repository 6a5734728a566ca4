/* decoded.c -- a text without what a model adds to what it read: see decoded.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "decoded.h"

#include "lines.h"

#include <string.h>

static size_t digits_at(const char *line, const char *end) {
    size_t n = 0;
    while (line + n < end && line[n] >= '0' && line[n] <= '9')
        n++;
    return n;
}

/* Skips the mark that tools put between a line's number and the line.  NULL when there is none. */
static const char *behind_mark(const char *at, const char *end) {
    static const char *const marks[] = {"\t", "\u2192", "| ", "|", ": ", ":"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        size_t n = strlen(marks[i]);
        if ((size_t)(end - at) >= n && memcmp(at, marks[i], n) == 0)
            return at + n;
    }
    return NULL;
}

bool text_without_numbers(struct text_ref text, struct buf *out) {
    const char *end = text.data + text.len;
    size_t last = 0;
    for (const char *line = text.data, *next; line < end; line = next) {
        next = text_next_line(line, end);
        while (line < next && *line == ' ')
            line++;
        size_t digits = digits_at(line, next), number = 0;
        for (size_t i = 0; i < digits && i < 9; i++)
            number = 10 * number + (size_t)(line[i] - '0');
        const char *rest = digits > 0 ? behind_mark(line + digits, next) : NULL;
        if (!rest || (last > 0 && number != last + 1))
            return false;
        last = number;
        buf_add(out, rest, (size_t)(next - rest));
    }
    return true;
}

struct text_escape {
    const char *escape, *character;
};

static const struct text_escape text_escapes[] = {
    {"\\n", "\n"}, {"\\t", "\t"},    {"\\\"", "\""},  {"\\'", "'"},   {"\\\\", "\\"}, {"&lt;", "<"},
    {"&gt;", ">"}, {"&quot;", "\""}, {"&apos;", "'"}, {"&#39;", "'"}, {"&amp;", "&"},
};
#define TEXT_ESCAPES (sizeof text_escapes / sizeof *text_escapes)

/* The number of the escape at the beginning of TEXT, or TEXT_ESCAPES. */
static size_t escape_at(const char *text, size_t n) {
    size_t i = 0;
    if (*text != '\\' && *text != '&')
        return TEXT_ESCAPES;
    for (; i < TEXT_ESCAPES; i++) {
        const size_t len = strlen(text_escapes[i].escape);
        if (len <= n && memcmp(text, text_escapes[i].escape, len) == 0)
            break;
    }
    return i;
}

unsigned text_without_escapes(struct text_ref text, struct buf *out) {
    size_t done = 0;
    unsigned kinds = 0;
    for (size_t at = 0; at < text.len;) {
        const size_t i = escape_at(text.data + at, text.len - at);
        if (i == TEXT_ESCAPES) {
            at++;
            continue;
        }
        buf_add(out, text.data + done, at - done);
        buf_str(out, text_escapes[i].character);
        done = at += strlen(text_escapes[i].escape);
        kinds |= 1U << i;
    }
    if (text.len > done)
        buf_add(out, text.data + done, text.len - done);
    return kinds;
}
