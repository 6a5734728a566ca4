/* regex_class.c -- [classes] of a regular expression: see regex_read.h.
 *
 * A class is rewritten element by element, with every character escaped.  So an
 * insertion between two elements cannot change their meaning.
 *
 * SPDX-License-Identifier: MIT
 */
#include "regex_read.h"

#include "utf8.h"

#include <string.h>

struct class {
    bool negated;
    bool newline;          /* some element matches a newline */
    bool saw_s, saw_not_s; /* [\s\S], which people write for any character including newlines */
};

static void write_code_point(struct pattern_reader *r, int32_t c) {
    char text[24];
    size_t n = 0;
    static const char hex[] = "0123456789abcdef";
    text[n++] = '\\';
    text[n++] = 'x';
    text[n++] = '{';
    for (int shift = 20; shift >= 0; shift -= 4)
        text[n++] = hex[(c >> shift) & 15];
    text[n++] = '}';
    text[n] = '\0';
    reader_write(r, text);
}

struct posix_class {
    const char *name;
    bool newline, cased;
};

static const struct posix_class posix_classes[] = {
    {"alnum", false, false}, {"alpha", false, false},  {"ascii", true, false},
    {"blank", false, false}, {"cntrl", true, false},   {"digit", false, false},
    {"graph", false, false}, {"lower", false, true},   {"print", false, false},
    {"punct", false, false}, {"space", true, false},   {"upper", false, true},
    {"word", false, false},  {"xdigit", false, false},
};

static const struct posix_class *find_posix(const char *name, size_t n) {
    for (size_t i = 0; i < sizeof posix_classes / sizeof *posix_classes; i++)
        if (strlen(posix_classes[i].name) == n && memcmp(posix_classes[i].name, name, n) == 0)
            return &posix_classes[i];
    return NULL;
}

/* Reads [:alpha:] or [:^alpha:] at `at`; false when that is only a `[`.  Where case is ignored,
 * [:lower:] and [:upper:] match both cases of bytes, and one case of characters. */
static bool read_posix(struct pattern_reader *r, struct class *c) {
    char kind = reader_peek(r, 1);
    if (kind != ':' && kind != '.' && kind != '=')
        return false;
    bool inverted = reader_peek(r, 2) == '^';
    size_t name = r->at + 2 + inverted, end = name;
    while (end < r->n && r->text[end] >= 'a' && r->text[end] <= 'z')
        end++;
    const struct posix_class *known = find_posix(r->text + name, end - name);
    if (kind != ':' || !known || r->n - end < 2 || memcmp(r->text + end, ":]", 2) != 0) {
        reader_give_up(r);
        return true;
    }
    c->newline |= known->newline != inverted;
    r->plan->utf_only |= known->cased && r->plan->ignore_case;
    r->plan->any_text = false;
    buf_add(&r->plan->bytes, r->text + r->at, end + 2 - r->at);
    buf_add(&r->plan->utf, r->text + r->at, end + 2 - r->at);
    r->at = end + 2;
    return true;
}

/* Writes \s without the newline; in UTF-8, with all of Unicode's spaces. */
static void write_spaces(struct pattern_reader *r) {
    buf_str(&r->plan->bytes, "\\x0b\\f\\r\\h");
    buf_str(&r->plan->utf, "\\x0b\\f\\r\\x{85}\\x{2028}\\x{2029}\\h");
}

/* Reads \d or another set at `at`; false when it is another escape. */
static bool read_set(struct pattern_reader *r, struct class *c) {
    char letter = reader_peek(r, 1);
    const char text[] = {'\\', letter, 0};
    if (letter == 'p' || letter == 'P') {
        c->newline |= read_property(r);
        r->plan->utf_only = true; /* PCRE2 10.45 to 10.47 err about [\\p{Any}\\p{L}] on bytes */
    } else if (letter && strchr("dwhsSVDWHv", letter)) {
        c->newline |= strchr("DWHv", letter) != NULL;
        c->saw_s |= letter == 's';
        c->saw_not_s |= letter == 'S';
        if (letter == 's' && !c->negated)
            write_spaces(r);
        else
            reader_write(r, text);
        r->at += 2;
    } else {
        return false;
    }
    r->plan->any_text = false;
    return true;
}

/* The character that an escape stands for, or -1. */
static int32_t read_escaped(struct pattern_reader *r) {
    static const char letters[] = "aeftrnb", codes[] = "\a\033\f\t\r\n\b";
    char letter = reader_peek(r, 1);
    const char *found = letter ? strchr(letters, letter) : NULL;
    int32_t c = -1;
    if (found) {
        r->at += 2;
        return codes[found - letters];
    }
    if (letter == 'x')
        return read_hex(r);
    bool alphanumeric = (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z') ||
                        (letter >= 'A' && letter <= 'Z');
    if (letter && !alphanumeric) {
        r->at++;
        r->at += utf8_decode(r->text + r->at, r->n - r->at, &c);
    }
    return c;
}

/* Reads one character, escaped or not.  When there is something else, gives up and returns -1. */
static int32_t read_member(struct pattern_reader *r) {
    int32_t c = -1;
    if (reader_peek(r, 0) == '\\')
        c = read_escaped(r);
    else if (reader_more(r))
        r->at += utf8_decode(r->text + r->at, r->n - r->at, &c);
    if (c < 0)
        reader_give_up(r);
    return c;
}

/* Reads a character or a range.  Bytes cannot express a range beyond ASCII.  A range that contains
 * REGEX_SUBSTITUTE would match a replaced byte, which a pattern for bytes does not. */
static void read_members(struct pattern_reader *r, struct class *c) {
    int32_t low = read_member(r), high = low;
    bool range = !r->lost && reader_peek(r, 0) == '-' && reader_peek(r, 1) != ']';
    if (range) {
        r->at++;
        if (reader_peek(r, 0) == '[' && reader_peek(r, 1) == ':')
            reader_give_up(r);
        high = read_member(r);
    }
    if (r->lost)
        return;
    if (high >= 0x80)
        r->plan->utf_only = true;
    if (low <= REGEX_SUBSTITUTE && high >= REGEX_SUBSTITUTE)
        r->plan->any_text = false;
    c->newline |= low <= '\n' && high >= '\n';
    write_code_point(r, low);
    if (range) {
        reader_write(r, "-");
        write_code_point(r, high);
    }
}

void read_class(struct pattern_reader *r, struct pattern_item *item) {
    struct class c = {.negated = reader_peek(r, 1) == '^'};
    r->at += c.negated ? 2 : 1;
    reader_write(r, c.negated ? "[^\\n" : "[");
    for (bool first = true; reader_more(r) && (first || reader_peek(r, 0) != ']'); first = false) {
        char next = reader_peek(r, 0);
        if (!(next == '[' && read_posix(r, &c)) && !(next == '\\' && read_set(r, &c)))
            read_members(r, &c);
    }
    if (!reader_more(r)) {
        reader_give_up(r);
        return;
    }
    reader_write(r, "]");
    r->at++;
    item->kind = c.negated ? ITEM_WIDE : ITEM_SET;
    r->plan->by_line |= c.newline && !c.negated;
    r->plan->newline |= c.saw_s && c.saw_not_s;
    r->plan->any_text &= !r->plan->ignore_case;
}
