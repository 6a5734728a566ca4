/* fold.c -- folding text so that look-alikes are equal: see fold.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "fold.h"

#include "utf8.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* -- one character ---------------------------------------------------------------------------- */

/* The first comparisons exclude the ranges in which most writing is. */
static bool is_wide_space(int32_t c) {
    if (c < 0x2000)
        return c == 0x85 || c == 0xA0 || c == 0x1680;
    return c <= 0x3000 &&
           (c <= 0x200A || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000);
}

static bool is_invisible(int32_t c) {
    if (c < 0x2000)
        return c == 0xAD || (c >= 0x300 && c <= 0x36F) || c == 0x61C ||
               (c >= 0x180B && c <= 0x180F);
    if (c < 0xFE00)
        return c <= 0x206F &&
               ((c >= 0x200B && c <= 0x200F) || (c >= 0x202A && c <= 0x202E) || c >= 0x2060);
    return c <= 0xFE0F || c == 0xFEFF;
}

static enum unit_kind kind_of(int32_t c) {
    if (c < 0)
        return UNIT_INK;
    if (c < 0x80)
        return c <= 0x20 || c == 0x7F ? UNIT_BLANK : UNIT_INK;
    if (is_wide_space(c))
        return UNIT_SPACE;
    return is_invisible(c) ? UNIT_INVISIBLE : UNIT_INK;
}

/* The letters from U+00C0 to U+017F without their accents; `?` for a character that has none. */
static const char latin[] = "aaaaaa?ceeeeiiii?nooooo?ouuuuy??aaaaaa?ceeeeiiii?nooooo?ouuuuy?y"
                            "aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiii??jjkk?lllllll"
                            "lllnnnnnn???oooooo??rrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs";
_Static_assert(sizeof latin == 0x180 - 0xC0 + 1, "one for each code point");

int32_t fold_case(int32_t c) {
    if ((c >= 'A' && c <= 'Z') || (c >= 0xC0 && c <= 0xDE && c != 0xD7) ||
        (c >= 0x391 && c <= 0x3A9) || (c >= 0x410 && c <= 0x42F))
        return c + 0x20;
    if (c >= 0x400 && c <= 0x40F)
        return c + 0x50;
    /* Here each upper-case letter is followed by its lower-case one. */
    if ((c >= 0x100 && c <= 0x137) || (c >= 0x14A && c <= 0x177) || (c >= 0x460 && c <= 0x481) ||
        (c >= 0x48A && c <= 0x4BF) || (c >= 0x1E00 && c <= 0x1EFF))
        return c | 1;
    if ((c >= 0x139 && c <= 0x148) || (c >= 0x179 && c <= 0x17E))
        return c + (c & 1);
    return c;
}

/* The character of a keyboard that looks like C, which is in U+2000 to U+2FFF; or C itself. */
static int32_t plain_punctuation(int32_t c) {
    if ((c >= 0x2018 && c <= 0x201B) || c == 0x2032)
        return '\'';
    if ((c >= 0x201C && c <= 0x201F) || c == 0x2033)
        return '"';
    if ((c >= 0x2010 && c <= 0x2015) || c == 0x2212)
        return '-';
    return c;
}

/* The character to which C folds. */
static int32_t plain(int32_t c) {
    if (c >= 0xC0 && c < 0x180 && latin[c - 0xC0] != '?')
        return latin[c - 0xC0];
    if (c == 0xB4 || c == 0x2BC)
        return '\'';
    if (c == 0xAB || c == 0xBB)
        return '"';
    if (c >= 0x2000 && c < 0x3000)
        return plain_punctuation(c);
    if (c >= 0xFF01 && c <= 0xFF5E)
        return fold_case(c - 0xFEE0);
    return fold_case(c);
}

static size_t encode_character(int32_t c, char out[FOLD_MOST]) {
    static const unsigned char leads[] = {0, 0, 0xC0, 0xE0, 0xF0};
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    const size_t length = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = length; i-- > 1; c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3F));
    out[0] = (char)(leads[length] | c);
    return length;
}

#define ELLIPSIS 0x2026

struct unit fold_unit(const char *text, size_t n) {
    struct unit u = {0};
    u.len = utf8_decode(text, n, &u.code_point);
    u.kind = kind_of(u.code_point);
    if (u.kind != UNIT_INK)
        return u;
    if (u.code_point == ELLIPSIS) {
        u.folded_len = 3;
        memcpy(u.folded, "...", 3);
    } else if (u.code_point < 0) {
        u.folded_len = 1;
        u.folded[0] = text[0];
    } else {
        u.folded_len = encode_character(plain(u.code_point), u.folded);
    }
    return u;
}

/* -- a text ----------------------------------------------------------------------------------- */

struct two {
    uint8_t len;
    char bytes[2];
};

/* The folded forms of common characters, for lookup.  Deciding each anew would be slower. */
struct table {
    char ascii[0x80]; /* 0 for a character that is left out */
    bool has_two;
    struct two two[0x20][0x40]; /* by lead byte and continuation byte */
};

static void fill_table(struct table *table, bool has_two) {
    for (int c = 0; c < 0x80; c++)
        table->ascii[c] = (char)(kind_of(c) == UNIT_INK ? fold_case(c) : 0);
    table->has_two = has_two;
    if (!has_two)
        return;
    for (unsigned lead = 2; lead < 0x20; lead++) {
        for (unsigned next = 0; next < 0x40; next++) {
            const char bytes[] = {(char)(0xC0 | lead), (char)(0x80 | next)};
            const struct unit u = fold_unit(bytes, sizeof bytes);
            struct two *two = &table->two[lead][next];
            two->len = (uint8_t)u.folded_len;
            memcpy(two->bytes, u.folded, sizeof bytes);
        }
    }
}

/* Does TEXT begin with three bytes of a script without letter case, which fold to themselves:
 * U+0800 to U+0FFF and U+3040 to U+CFFF? */
static bool is_plain_three(const char *text, size_t n) {
    const unsigned char lead = (unsigned char)text[0];
    if (n < 3 || !utf8_is_continuation((unsigned char)text[1]) ||
        !utf8_is_continuation((unsigned char)text[2]))
        return false;
    return (lead >= 0xE4 && lead <= 0xEC) || (lead == 0xE3 && (unsigned char)text[1] > 0x80) ||
           (lead == 0xE0 && (unsigned char)text[1] >= 0xA0);
}

/* Folds the character at TEXT, which is not ASCII, to OUT and returns the length of the folded
 * form.  CONSUMED is the length of the character. */
static size_t fold_long(const char *text, size_t n, const struct table *table, char *out,
                        size_t *consumed) {
    const unsigned char lead = (unsigned char)text[0];
    if (table->has_two && lead >= 0xC2 && lead < 0xE0 && n >= 2 &&
        utf8_is_continuation((unsigned char)text[1])) {
        const struct two *two = &table->two[lead & 0x1F][(unsigned char)text[1] & 0x3F];
        *consumed = 2;
        memcpy(out, two->bytes, 2);
        return two->len;
    }
    if (is_plain_three(text, n)) {
        memcpy(out, text, 3);
        return *consumed = 3;
    }
    struct unit u = fold_unit(text, n);
    memcpy(out, u.folded, u.folded_len);
    *consumed = u.len;
    return u.folded_len;
}

/* Folds the characters that begin before END, and moves AT behind them.  A folded form is never
 * longer than its character, so OUT needs no more room than they have. */
static size_t fold_piece(struct text_ref text, size_t *at, size_t end, const struct table *table,
                         char *out) {
    size_t len = 0, i = *at;
    while (i < end) {
        const unsigned char c = (unsigned char)text.data[i];
        if (c < 0x80) {
            /* Writes always, then keeps the byte or not: a branch for every space would be slower.
             */
            out[len] = table->ascii[c];
            len += out[len] != 0;
            i++;
        } else {
            size_t consumed;
            len += fold_long(text.data + i, text.len - i, table, out + len, &consumed);
            i += consumed;
        }
    }
    *at = i;
    return len;
}

#define MARK_BYTES 4096

/* The character at `text` is the first one that folds to the bytes at `folded`. */
struct fold_mark {
    size_t text, folded;
};

bool fold_text(struct text_ref text, struct folded *out) {
    struct table table;
    fill_table(&table, text.len >= MARK_BYTES); /* too dear for a short text */
    *out = (struct folded){.text = text};
    out->data = malloc(text.len + 1);
    out->marks = malloc((text.len / MARK_BYTES + 1) * sizeof *out->marks);
    if (!out->data || !out->marks)
        return false;
    for (size_t at = 0; at < text.len || out->mark_count == 0;) {
        out->marks[out->mark_count++] = (struct fold_mark){at, out->len};
        size_t end = text.len - at < MARK_BYTES ? text.len : at + MARK_BYTES;
        out->len += fold_piece(text, &at, end, &table, out->data + out->len);
    }
    return true;
}

void folded_free(struct folded *f) {
    free(f->data);
    free(f->marks);
    *f = (struct folded){0};
}

size_t folded_origin(const struct folded *f, size_t at) {
    size_t low = 0, high = f->mark_count; /* the last mark at or before AT is among them */
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (f->marks[middle].folded <= at)
            low = middle;
        else
            high = middle;
    }
    size_t text = f->marks[low].text, folded = f->marks[low].folded;
    while (text < f->text.len) {
        struct unit u = fold_unit(f->text.data + text, f->text.len - text);
        folded += u.folded_len;
        if (folded > at)
            break;
        text += u.len;
    }
    return text;
}

size_t fold_into(struct text_ref text, char *out, size_t most) {
    size_t len = 0;
    for (size_t i = 0; i < text.len;) {
        struct unit u = fold_unit(text.data + i, text.len - i);
        if (u.folded_len > most - len)
            break;
        memcpy(out + len, u.folded, u.folded_len);
        len += u.folded_len;
        i += u.len;
    }
    return len;
}
