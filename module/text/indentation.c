/* indentation.c -- how the indentation of lines differs from that of other lines, everywhere alike:
 * see indentation.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "indentation.h"

#include <string.h>

size_t indentation_length(const char *line, size_t n) {
    size_t i = 0;
    while (i < n && (line[i] == ' ' || line[i] == '\t'))
        i++;
    return i;
}

/* Widths of a tab, as bits: 2, 3, 4 and 8. */
#define ALL_UNITS (1U << 2 | 1U << 3 | 1U << 4 | 1U << 8)

void reindent_start(struct reindent *r) {
    *r = (struct reindent){
        .adds = true, .removes = true, .to_tabs = ALL_UNITS, .to_spaces = ALL_UNITS};
}

/* Is LONGER the same as SHORTER behind some white space, *FRONT? */
static bool is_behind(struct text_ref longer, struct text_ref shorter, struct text_ref *front) {
    if (longer.len < shorter.len)
        return false;
    const size_t more = longer.len - shorter.len;
    *front = (struct text_ref){longer.data, more};
    return shorter.len == 0 || memcmp(longer.data + more, shorter.data, shorter.len) == 0;
}

static size_t count_tabs(struct text_ref indent) {
    size_t n = 0;
    for (size_t i = 0; i < indent.len; i++)
        n += indent.data[i] == '\t';
    return n;
}

/* The tab widths by which TABBED, tabs and then at most a few spaces, is as wide as SPACES. */
static unsigned units_between(struct text_ref tabbed, struct text_ref spaces) {
    const size_t tabs = count_tabs(tabbed), rest = tabbed.len - tabs;
    unsigned units = 0;
    if (count_tabs(spaces) > 0 || (rest > 0 && tabbed.data[tabs] == '\t') ||
        (tabs > 0 && tabbed.data[tabs - 1] != '\t'))
        return 0;
    for (unsigned unit = 2; unit <= INDENT_UNITS_MOST; unit++)
        if (ALL_UNITS >> unit & 1 && rest < unit && tabs * unit + rest == spaces.len)
            units |= 1U << unit;
    return units;
}

void reindent_see(struct reindent *r, struct text_ref was, struct text_ref is) {
    struct text_ref front = {0};
    bool adds = is_behind(is, was, &front);
    r->adds = r->adds && adds && (!r->any || text_ref_equal(front, r->front));
    struct text_ref cut = {0};
    bool removes = !adds && is_behind(was, is, &cut);
    if (adds && front.len == 0)
        removes = true; /* equal: neither adds nor removes */
    r->removes = r->removes && removes && (!r->any || text_ref_equal(cut, r->front));
    if (!r->any)
        r->front = adds ? front : cut;
    r->to_tabs &= units_between(is, was);
    r->to_spaces &= units_between(was, is);
    r->told = r->told || count_tabs(was) > 0 || count_tabs(is) > 0;
    r->any = true;
}

static bool is_one_unit(unsigned units) {
    return units != 0 && (units & (units - 1)) == 0;
}

bool reindent_is_known(const struct reindent *r) {
    if (!r->any || r->adds || r->removes)
        return true;
    return r->told && (is_one_unit(r->to_tabs) || is_one_unit(r->to_spaces));
}

static unsigned unit_of(unsigned units) {
    unsigned unit = 2;
    while (unit < INDENT_UNITS_MOST && units != 1U << unit)
        unit++;
    return unit;
}

static bool add_tabs(struct text_ref was, unsigned unit, struct buf *out) {
    if (count_tabs(was) > 0)
        return false;
    for (size_t i = 0; i < was.len / unit; i++)
        buf_char(out, '\t');
    for (size_t i = 0; i < was.len % unit; i++)
        buf_char(out, ' ');
    return true;
}

static bool add_spaces(struct text_ref was, unsigned unit, struct buf *out) {
    const size_t tabs = count_tabs(was);
    if (tabs > 0 && was.data[tabs - 1] != '\t')
        return false;
    for (size_t i = 0; i < tabs * unit + was.len - tabs; i++)
        buf_char(out, ' ');
    return true;
}

bool reindent_add(const struct reindent *r, struct text_ref was, struct buf *out) {
    if (!r->any || (r->adds && r->front.len == 0)) {
        buf_add(out, was.data, was.len);
        return true;
    }
    if (r->adds) {
        buf_add(out, r->front.data, r->front.len);
        buf_add(out, was.data, was.len);
        return true;
    }
    if (r->removes) {
        struct text_ref left = {was.data + r->front.len, was.len - r->front.len};
        if (was.len < r->front.len || memcmp(was.data, r->front.data, r->front.len) != 0)
            return false;
        buf_add(out, left.data, left.len);
        return true;
    }
    return is_one_unit(r->to_tabs) ? add_tabs(was, unit_of(r->to_tabs), out)
                                   : add_spaces(was, unit_of(r->to_spaces), out);
}
