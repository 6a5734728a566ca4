/* decoded.c -- a text without what a model adds to what it read: see decoded.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "decoded.h"

#include "cleanup.h"
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

bool text_without_marks(struct text_ref text, char mark, struct buf *out) {
    const char *end = text.data + text.len;
    bool marked = false;
    for (const char *line = text.data, *next; line < end; line = next) {
        next = text_next_line(line, end);
        if (*line != mark && *line != ' ' && *line != '\n')
            return false;
        marked = marked || *line == mark;
        const size_t skipped = *line != '\n';
        buf_add(out, line + skipped, (size_t)(next - line) - skipped);
    }
    return marked;
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

/* Of a backslash, a u and four digits. */
#define CODE_UNIT_BYTES 6

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

/* The number of four hexadecimal digits behind a backslash and a u, or 0. */
static uint32_t code_unit_at(const char *text, size_t n) {
    uint32_t unit = 0;
    if (n < CODE_UNIT_BYTES || text[0] != '\\' || text[1] != 'u')
        return 0;
    for (size_t i = 2; i < CODE_UNIT_BYTES; i++) {
        const char *digits = "0123456789abcdef", c = (char)(text[i] | 0x20);
        const char *digit = text[i] != '\0' ? strchr(digits, text[i] > '9' ? c : text[i]) : NULL;
        if (!digit)
            return 0;
        unit = 16 * unit + (uint32_t)(digit - digits);
    }
    return unit;
}

static void add_code_point(uint32_t point, struct buf *out) {
    const unsigned more = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
    static const unsigned char first[] = {0, 0xC0, 0xE0, 0xF0};
    buf_char(out, (char)(first[more] | point >> 6 * more));
    for (unsigned i = more; i-- > 0;)
        buf_char(out, (char)(0x80 | (point >> 6 * i & 0x3F)));
}

/* Appends the character that an escape by numbers at the beginning of TEXT stands for, one or two
 * as in JSON.  Returns how many bytes that escape has, 0 if there is none. */
static size_t undo_numbers(const char *text, size_t n, struct buf *out) {
    const uint32_t unit = code_unit_at(text, n);
    if (unit == 0 || (unit >= 0xDC00 && unit < 0xE000))
        return 0;
    if (unit < 0xD800 || unit >= 0xE000) {
        add_code_point(unit, out);
        return CODE_UNIT_BYTES;
    }
    const uint32_t low = code_unit_at(text + CODE_UNIT_BYTES, n - CODE_UNIT_BYTES);
    if (low < 0xDC00 || low >= 0xE000)
        return 0;
    add_code_point(0x10000 + ((unit - 0xD800) << 10 | (low - 0xDC00)), out);
    return (size_t)2 * CODE_UNIT_BYTES;
}

unsigned text_without_escapes(struct text_ref text, struct buf *out) {
    AUTO(buf_free) struct buf character = {0};
    size_t done = 0;
    unsigned kinds = 0;
    for (size_t at = 0; at < text.len;) {
        const size_t i = escape_at(text.data + at, text.len - at);
        buf_clear(&character);
        size_t n = i < TEXT_ESCAPES ? strlen(text_escapes[i].escape)
                                    : undo_numbers(text.data + at, text.len - at, &character);
        if (n == 0) {
            at++;
            continue;
        }
        buf_add(out, text.data + done, at - done);
        if (i < TEXT_ESCAPES)
            buf_str(out, text_escapes[i].character);
        else
            buf_add(out, character.data, character.len);
        done = at += n;
        kinds |= 1U << i;
    }
    if (text.len > done)
        buf_add(out, text.data + done, text.len - done);
    return kinds;
}
