/* heading.c -- the line that tells what a place of a text is in: see heading.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "heading.h"

#include "dialect.h"
#include "utf8.h"

/* isalpha and isspace would ask the locale. */
static bool begins_heading(const struct headings *h, char c) {
    char lower = (char)(c | 0x20);
    if (h->lisp)
        return c == '(';
    return (lower >= 'a' && lower <= 'z') || c == '_' || c == '$';
}

static bool is_blank(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

bool heading_is_lisp(struct text_ref path) {
    return path.data && dialect_of(path.data, path.len, "", 0);
}

/* Finds the last line above offset AT that git would take for the beginning of a function or
 * section, or in Lisp the first line of a form: words in the first column are documentation
 * there. */
static void look_above(struct headings *h, size_t at) {
    const char *text = h->text.data;
    const size_t looked = h->looked;
    h->looked = at > looked ? at : looked;
    while (at > looked) {
        size_t start = linewise_start(text, at - 1);
        if (begins_heading(h, text[start])) {
            size_t len = utf8_cut(text + start, at - start, HEADING_BYTES);
            while (is_blank(text[start + len - 1]))
                len--;
            h->last = (struct span){start, len};
            return;
        }
        at = start;
    }
}

struct span heading_find(struct headings *h, size_t at, size_t count, size_t shown) {
    /* In Lisp, a form that begins in the lines that are shown is the one that is changed. */
    if (h->lisp)
        look_above(h, linewise_below(h->text.data, h->text.len, at, count > 0));
    else
        look_above(h, linewise_above(h->text.data, at, shown));
    return h->last;
}
