/* regex_item.c -- the items that match one character: see regex_read.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "regex_read.h"

#include "utf8.h"

#include <string.h>

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

void read_quotes(struct pattern_reader *r) {
    while (!r->literal && reader_peek(r, 0) == '\\') {
        char next = reader_peek(r, 1);
        if (next != 'E' && (next != 'Q' || r->quoting))
            return;
        r->quoting = next == 'Q';
        r->at += 2;
    }
}

/* Reads the bounds {3}, {3,} or {3,5} at `at`; returns their length, or 0. */
static size_t bounds_length(const struct pattern_reader *r, uint32_t *least, uint32_t *most) {
    uint32_t numbers[2] = {0, UINT32_MAX};
    size_t at = 1, count = 0;
    if (!is_digit(reader_peek(r, at)))
        return 0;
    for (;;) {
        uint32_t number = 0;
        for (; is_digit(reader_peek(r, at)) && number < REGEX_MANY; at++)
            number = number * 10 + (uint32_t)(reader_peek(r, at) - '0');
        numbers[count++] = number;
        if (count == 2 || reader_peek(r, at) != ',')
            break;
        at++;
        if (!is_digit(reader_peek(r, at)))
            break;
    }
    bool exact = count == 1 && reader_peek(r, at - 1) != ',';
    *least = numbers[0];
    *most = exact ? numbers[0] : numbers[1];
    return reader_peek(r, at) == '}' ? at + 1 : 0;
}

bool reader_at_repeat(struct pattern_reader *r, uint32_t *least, uint32_t *most, size_t *length) {
    read_quotes(r);
    if (r->quoting)
        return false;
    char c = reader_peek(r, 0);
    if (c == '{') {
        uint32_t low, high;
        size_t n = bounds_length(r, &low, &high);
        if (n == 0)
            return false;
        *least = low;
        *most = high;
        *length = n;
        return true;
    }
    if (c != '*' && c != '+' && c != '?')
        return false;
    *least = c == '+';
    *most = c == '?' ? 1 : UINT32_MAX;
    *length = 1;
    return true;
}

/* Writes the ASCII character C so that it stands for itself. */
static void write_ascii(struct pattern_reader *r, char c) {
    struct regex_plan *plan = r->plan;
    char text[8] = {'\\', c, 0};
    if (c < 0x20 || c == 0x7F) {
        static const char hex[] = "0123456789abcdef";
        memcpy(text, (char[]){'\\', 'x', hex[c >> 4], hex[c & 15], 0}, 5);
    }
    reader_write(r, is_ascii_word(c) ? text + 1 : text);
    if (c == '\n')
        plan->newline = plan->by_line = true;
    if (c == REGEX_SUBSTITUTE)
        reader_give_up(r);
    if (plan->ignore_case && strchr("kKsS", c)) /* they also match the Kelvin sign and the long s */
        plan->any_text = false;
}

/* Writes a character of several bytes, in a group when it is repeated.  A possessive repeat needs
 * characters: PCRE2 10.42 believes that the group of a possessive repeat must match, and makes what
 * precedes the group possessive, too. */
static void write_wide(struct pattern_reader *r, const struct pattern_item *item) {
    uint32_t least, most;
    size_t length;
    bool repeated = reader_at_repeat(r, &least, &most, &length);
    bool possessive = repeated && reader_peek(r, length) == '+';
    buf_str(&r->plan->bytes, repeated ? "(?:" : "");
    buf_add(&r->plan->bytes, item->bytes, item->len);
    buf_str(&r->plan->bytes, repeated ? ")" : "");
    buf_add(&r->plan->utf, item->bytes, item->len);
    r->plan->utf_only |= r->plan->ignore_case || possessive;
}

/* Reads the character at `at`, which stands for itself. */
static void read_character(struct pattern_reader *r, struct pattern_item *item) {
    int32_t code_point;
    size_t length = utf8_decode(r->text + r->at, r->n - r->at, &code_point);
    item->kind = ITEM_CHARACTER;
    item->len = (unsigned)length;
    memcpy(item->bytes, r->text + r->at, length);
    r->at += length;
    if (length == 1)
        write_ascii(r, item->bytes[0]);
    else
        write_wide(r, item);
}

/* Passes LENGTH bytes of an escape that stands for the ASCII character C. */
static void pass_character(struct pattern_reader *r, struct pattern_item *item, size_t length,
                           int32_t c) {
    item->kind = ITEM_CHARACTER;
    item->len = 1;
    item->bytes[0] = (char)c;
    r->at += length;
    write_ascii(r, (char)c);
}

int32_t read_hex(struct pattern_reader *r) {
    size_t at = r->at + 2;
    bool braced = at < r->n && r->text[at] == '{';
    size_t first = at += braced;
    int32_t code_point = 0;
    for (; at < r->n && at - first < (braced ? 6u : 2u); at++) {
        static const char digits[] = "0123456789abcdefABCDEF";
        const char *digit = strchr(digits, r->text[at]);
        if (!digit)
            break;
        int32_t value = (int32_t)(digit - digits);
        code_point = code_point * 16 + (value < 16 ? value : value - 6);
    }
    if (at == first || (braced && (at == r->n || r->text[at] != '}')))
        return -1;
    r->at = at + braced;
    return code_point;
}

static void read_code_point(struct pattern_reader *r, struct pattern_item *item) {
    size_t start = r->at;
    int32_t code_point = read_hex(r);
    if (code_point < 0) {
        reader_give_up(r);
    } else if (code_point < 0x80) {
        pass_character(r, item, 0, code_point);
    } else {
        item->kind = ITEM_CHARACTER;
        r->plan->utf_only = true;
        buf_add(&r->plan->utf, r->text + start, r->at - start);
    }
}

bool read_property(struct pattern_reader *r) {
    size_t start = r->at;
    const char *name = r->text + start + 2;
    size_t length = 1;
    bool braced = reader_peek(r, 2) == '{';
    if (braced) {
        const char *end = memchr(name, '}', r->n - start - 2);
        length = end ? (size_t)(end - name) - 1 : 0;
        name++;
    }
    if (start + 2 + braced + length + braced > r->n || length == 0) {
        reader_give_up(r);
        return true;
    }
    r->at = start + 2 + braced + length + braced;
    buf_add(&r->plan->bytes, r->text + start, r->at - start);
    buf_add(&r->plan->utf, r->text + start, r->at - start);
    /* A newline is in none of these: letters, marks, numbers, punctuation, symbols, separators. */
    bool category =
        strchr("LMNPSZ", name[0]) && length <= 2 && (length == 1 || is_ascii_word(name[1]));
    return r->text[start + 1] == 'P' || !category;
}

/* Escapes that are copied or rewritten.  With any_text they are also correct for text taken as
 * bytes. */
struct pattern_escape {
    char letter;
    const char *written;
    enum pattern_item_kind kind;
    bool any_text;
};

/* \w, \d, \s and \b know all of Unicode, so on bytes they are correct for ASCII only.  After `.*`,
 * \K on bytes could set the start of a match inside a character. */
static const struct pattern_escape escapes[] = {
    {'d', "\\d", ITEM_SET, false},       {'w', "\\w", ITEM_SET, false},
    {'h', "\\h", ITEM_SET, false},       {'S', "\\S", ITEM_SET, false},
    {'V', "\\V", ITEM_SET, false},       {'s', "[^\\S\\n]", ITEM_SET, false},
    {'D', "[^\\d\\n]", ITEM_SET, false}, {'W', "[^\\w\\n]", ITEM_SET, false},
    {'H', "[^\\h\\n]", ITEM_SET, false}, {'v', "[^\\V\\n]", ITEM_SET, false},
    {'N', "\\N", ITEM_WIDE, true},       {'b', "\\b", ITEM_EMPTY, false},
    {'B', "\\B", ITEM_EMPTY, false},     {'A', "^", ITEM_EMPTY, true},
    {'Z', "$", ITEM_EMPTY, true},        {'z', "$", ITEM_EMPTY, true},
    {'K', "\\K", ITEM_EMPTY, false},
};

static const struct pattern_escape *find_escape(char letter) {
    for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++)
        if (escapes[i].letter == letter)
            return &escapes[i];
    return NULL;
}

/* Reads \1.  Comparing may take as long as the captured text, so it counts as a repeat. */
static void read_reference(struct pattern_reader *r, struct pattern_item *item) {
    if (is_digit(reader_peek(r, 2))) {
        reader_give_up(r);
        return;
    }
    char text[] = {'\\', 'g', '{', reader_peek(r, 1), '}', 0};
    reader_write(r, text);
    r->at += 2;
    r->plan->any_text = false;
    item->kind = ITEM_GROUP;
    item->facts.repeats = 1;
}

static void read_letter_escape(struct pattern_reader *r, struct pattern_item *item, char letter) {
    static const char controls[] = "aeftrn", codes[] = "\a\033\f\t\r\n";
    const char *control = strchr(controls, letter);
    const struct pattern_escape *escape = find_escape(letter);
    if (control) {
        pass_character(r, item, 2, codes[control - controls]);
    } else if (letter == 'x') {
        read_code_point(r, item);
    } else if (letter == 'p' || letter == 'P') {
        r->plan->by_line |= read_property(r);
        r->plan->any_text = false;
    } else if (letter >= '1' && letter <= '9') {
        read_reference(r, item);
    } else if (!escape || (letter == 'N' && reader_peek(r, 2) == '{')) {
        reader_give_up(r);
    } else {
        reader_write(r, escape->written);
        item->kind = escape->kind;
        r->plan->any_text &= escape->any_text;
        r->at += 2;
    }
}

/* Is it a `{` that some version of PCRE2 takes for a repeat and another one does not, such as {,3}
 * or { 2 }? */
static bool is_unclear_brace(const struct pattern_reader *r) {
    size_t ahead = 1;
    bool bound = false;
    for (; reader_peek(r, ahead) && strchr(" \t,0123456789", reader_peek(r, ahead)); ahead++)
        bound |= !strchr(" \t", reader_peek(r, ahead));
    return bound && reader_peek(r, ahead) == '}';
}

static void read_plain(struct pattern_reader *r, struct pattern_item *item, char c) {
    if (c == '.') {
        item->kind = ITEM_WIDE;
        reader_write(r, "\\N"); /* also under (?s) */
        r->at++;
    } else if (c == '^' || c == '$') {
        item->kind = ITEM_EMPTY;
        reader_write(r, c == '^' ? "^" : "$");
        r->at++;
    } else if (c == '*' || c == '+' || c == '?' || (c == '{' && is_unclear_brace(r))) {
        reader_give_up(r);
    } else {
        read_character(r, item);
    }
}

void read_item(struct pattern_reader *r, struct pattern_item *item) {
    char c = reader_peek(r, 0);
    *item = (struct pattern_item){.kind = ITEM_SET, .facts = {.ways = 1}};
    if (r->quoting) {
        read_character(r, item);
    } else if (c == '[') {
        read_class(r, item);
    } else if (c != '\\') {
        read_plain(r, item, c);
    } else if (is_ascii_word(reader_peek(r, 1))) {
        read_letter_escape(r, item, reader_peek(r, 1));
    } else {
        r->at++;
        read_character(r, item);
    }
}
