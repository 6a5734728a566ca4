/* SPDX-License-Identifier: MIT */
/* convert.c -- the same text in the many ways that files have it, and which of them a file has: see
 * convert.h. */
#include "convert.h"

#include "sample.h"
#include "utf8.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

uint64_t state = 1;

size_t below(size_t limit) {
    return limit ? sample_below(&state, (uint32_t)limit) : 0;
}

/* -- endings, feeds, tabs --------------------------------------------------------------------- */

/* Every newline becomes CRLF, or in about one of two cases; what is CRLF already stays. */
static void add_crlf(const struct buf *in, bool all, struct buf *out) {
    for (size_t i = 0; i < in->len; i++) {
        bool bare = in->data[i] == '\n' && (i == 0 || in->data[i - 1] != '\r');
        if (bare && (all || below(2)))
            buf_char(out, '\r');
        buf_char(out, in->data[i]);
    }
}

static void add_form_feeds(const struct buf *in, struct buf *out) {
    for (size_t i = 0; i < in->len; i++) {
        buf_char(out, in->data[i]);
        if (in->data[i] == '\n' && below(10) == 0)
            buf_str(out, "\f\n");
    }
}

static void add_tabs(const struct buf *in, struct buf *out) {
    for (size_t i = 0; i < in->len; i++) {
        bool run = in->data[i] == ' ' && i + 1 < in->len && in->data[i + 1] == ' ';
        buf_char(out, run ? '\t' : in->data[i]);
        i += run;
    }
}

static void drop_last_newline(const struct buf *in, struct buf *out) {
    size_t n = in->len;
    while (n > 0 && (in->data[n - 1] == '\n' || in->data[n - 1] == '\r'))
        n--;
    buf_add(out, in->data, n);
}

/* -- encodings: written here by hand, so as not to trust what is tested -------------------------
 */

static void add_unit(struct buf *out, uint32_t unit, bool big) {
    buf_char(out, (char)(big ? unit >> 8 : unit & 0xFF));
    buf_char(out, (char)(big ? unit & 0xFF : unit >> 8));
}

static void write_utf16(const struct buf *in, bool big, struct buf *out) {
    add_unit(out, 0xFEFF, big);
    for (size_t i = 0; i < in->len;) {
        int32_t point = 0;
        i += utf8_decode(in->data + i, in->len - i, &point);
        uint32_t c = (uint32_t)point;
        if (c >= 0x10000) {
            add_unit(out, 0xD800 + ((c - 0x10000) >> 10), big);
            c = 0xDC00 + ((c - 0x10000) & 0x3FF);
        }
        add_unit(out, c, big);
    }
}

/* Accents are put on some letters, or most files would be ASCII; other characters are left out. */
static void write_latin_1(const struct buf *in, struct buf *out) {
    for (size_t i = 0; i < in->len;) {
        int32_t point = 0;
        i += utf8_decode(in->data + i, in->len - i, &point);
        if (point == 'e' && below(6) == 0)
            buf_char(out, '\xE9');
        else if (point < 0x80 || (point >= 0xA0 && point < 0x100))
            buf_char(out, (char)point);
    }
}

void convert(const struct buf *in, enum form form, struct buf *out) {
    switch (form) {
    case WITH_CRLF:
        add_crlf(in, true, out);
        break;
    case WITH_BOM:
        buf_str(out, "\xEF\xBB\xBF");
        buf_add(out, in->data, in->len);
        break;
    case IN_LATIN_1:
        write_latin_1(in, out);
        break;
    case IN_UTF_16LE:
    case IN_UTF_16BE:
        write_utf16(in, form == IN_UTF_16BE, out);
        break;
    case WITHOUT_LAST_NEWLINE:
        drop_last_newline(in, out);
        break;
    case WITH_FORM_FEEDS:
        add_form_feeds(in, out);
        break;
    case WITH_MIXED_ENDINGS:
        add_crlf(in, false, out);
        break;
    case WITH_TABS:
        add_tabs(in, out);
        break;
    default:
        buf_add(out, in->data, in->len);
    }
}

/* -- what a file has, by its bytes --------------------------------------------------------------
 */

const char *const trait_names[TRAITS] = {
    "CRLF",     "mixed endings",    "BOM",       "Latin-1", "UTF-16LE",
    "UTF-16BE", "no final newline", "form feed", "tab",     "UTF-8 beyond ASCII",
};

static unsigned endings_of(const struct buf *b) {
    size_t crlf = 0, lf = 0;
    for (size_t i = 0; i < b->len; i++) {
        bool newline = b->data[i] == '\n', pair = i > 0 && b->data[i - 1] == '\r';
        crlf += newline && pair;
        lf += newline && !pair;
    }
    return crlf == 0 ? 0 : lf == 0 ? 1U << HAS_CRLF : 1U << HAS_MIXED;
}

unsigned traits_of(const struct buf *b) {
    if (b->len >= 2 && (memcmp(b->data, "\xFF\xFE", 2) == 0 || memcmp(b->data, "\xFE\xFF", 2) == 0))
        return b->data[0] == '\xFF' ? 1U << IS_UTF_16LE : 1U << IS_UTF_16BE;
    unsigned traits = endings_of(b);
    bool utf8 = utf8_is_valid(b->data, b->len);
    if (b->len >= 3 && memcmp(b->data, "\xEF\xBB\xBF", 3) == 0)
        traits |= 1U << HAS_BOM;
    if (!utf8)
        traits |= 1U << IS_LATIN_1;
    else if (utf8_count(b->data, b->len) != b->len)
        traits |= 1U << HAS_WIDE;
    if (b->len > 0 && b->data[b->len - 1] != '\n')
        traits |= 1U << NO_LAST_NEWLINE;
    if (memchr(b->data, '\f', b->len))
        traits |= 1U << HAS_FORM_FEED;
    if (memchr(b->data, '\t', b->len))
        traits |= 1U << HAS_TAB;
    return traits;
}
