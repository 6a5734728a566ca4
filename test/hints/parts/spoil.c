/* SPDX-License-Identifier: MIT */
/* spoil.c -- ways in which models and people spoil a string that they mean to repeat: see spoil.h.
 */
#include "spoil.h"

#include "args.h"
#include "lines.h"
#include "sample.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

uint64_t spoil_state;

size_t below(size_t limit) {
    return sample_below(&spoil_state, (uint32_t)limit);
}

size_t ink(struct text_ref text) {
    size_t n = 0;
    for (size_t i = 0; i < text.len; i++)
        n += (unsigned char)text.data[i] > ' ';
    return n;
}

/* A random one of the places in TEXT for which IS says yes. */
static size_t place(struct text_ref text, bool (*is)(struct text_ref text, size_t at)) {
    size_t found = CANNOT, count = 0;
    for (size_t at = 0; at < text.len; at++)
        if (is(text, at) && below(++count) == 0)
            found = at;
    return found;
}

/* TEXT with WITH in the place of LEN bytes at AT. */
static size_t with(struct buf *out, struct text_ref text, size_t at, size_t len, const char *with) {
    if (at == CANNOT)
        return CANNOT;
    buf_add(out, text.data, at);
    buf_str(out, with);
    buf_add(out, text.data + at + len, text.len - at - len);
    return at;
}

static bool is_letter(char c) {
    return isalpha((unsigned char)c) || c == '_';
}

static bool is_tab(struct text_ref text, size_t at) {
    return text.data[at] == '\t';
}

static bool is_indentation(struct text_ref text, size_t at) {
    return (at == 0 || text.data[at - 1] == '\n') && at + 4 < text.len &&
           memcmp(text.data + at, "    ", 4) == 0;
}

static bool is_inner_space(struct text_ref text, size_t at) {
    return text.data[at] == ' ' && at > 0 && (unsigned char)text.data[at - 1] > ' ' &&
           at + 1 < text.len && (unsigned char)text.data[at + 1] > ' ';
}

static bool is_word(struct text_ref text, size_t at) {
    return is_letter(text.data[at]) && (at == 0 || !isalnum((unsigned char)text.data[at - 1])) &&
           (at == 0 || text.data[at - 1] != '_') && at + 1 < text.len &&
           is_letter(text.data[at + 1]);
}

static bool is_newline(struct text_ref text, size_t at) {
    return text.data[at] == '\n';
}

static bool is_quote_or_dash(struct text_ref text, size_t at) {
    return strchr("'\"-", text.data[at]) && text.data[at];
}

/* The beginning of a line with ink that is neither the first nor the last. */
static bool is_inner_line(struct text_ref text, size_t at) {
    if (at == 0 || text.data[at - 1] != '\n')
        return false;
    size_t end = linewise_below(text.data, text.len, at, 1);
    return end < text.len && ink((struct text_ref){text.data + at, end - at}) > 2;
}

static size_t word_length(struct text_ref text, size_t at) {
    size_t n = 0;
    while (at + n < text.len &&
           (isalnum((unsigned char)text.data[at + n]) || text.data[at + n] == '_'))
        n++;
    return n;
}

static size_t spaces_for_tabs(struct text_ref text, struct buf *out) {
    const char *spaces = below(2) ? "    " : "        ";
    size_t first = CANNOT;
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '\t')
            buf_str(out, spaces);
        else
            buf_char(out, text.data[i]);
        first = text.data[i] == '\t' && first == CANNOT ? i : first;
    }
    return first;
}

static size_t tabs_for_spaces(struct text_ref text, struct buf *out) {
    size_t first = CANNOT;
    for (size_t i = 0; i < text.len; i++) {
        if (is_indentation(text, i)) {
            first = first == CANNOT ? i : first;
            for (; i + 4 <= text.len && memcmp(text.data + i, "    ", 4) == 0; i += 4)
                buf_char(out, '\t');
        }
        if (i < text.len)
            buf_char(out, text.data[i]);
    }
    return first;
}

size_t tabs(struct text_ref text, struct buf *out) {
    return place(text, is_tab) != CANNOT ? spaces_for_tabs(text, out) : tabs_for_spaces(text, out);
}

size_t indentation(struct text_ref text, struct buf *out) {
    size_t at = place(text, is_indentation);
    return below(2) ? with(out, text, at, 0, "  ") : with(out, text, at, 2, "");
}

size_t trailing(struct text_ref text, struct buf *out) {
    return with(out, text, place(text, is_newline), 0, below(2) ? " " : "  ");
}

size_t inner_spaces(struct text_ref text, struct buf *out) {
    return with(out, text, place(text, is_inner_space), 1, below(2) ? "  " : "");
}

size_t nbsp(struct text_ref text, struct buf *out) {
    return with(out, text, place(text, is_inner_space), 1, "\u00A0");
}

size_t crlf(struct text_ref text, struct buf *out) {
    size_t first = CANNOT;
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '\n') {
            first = first == CANNOT ? i : first;
            buf_char(out, '\r');
        }
        buf_char(out, text.data[i]);
    }
    return first;
}

size_t look_alike(struct text_ref text, struct buf *out) {
    size_t at = place(text, is_quote_or_dash);
    if (at == CANNOT)
        return CANNOT;
    const char c = text.data[at];
    return with(out, text, at, 1, c == '\'' ? "\u2019" : c == '"' ? "\u201C" : "\u2013");
}

size_t letter_case(struct text_ref text, struct buf *out) {
    size_t at = place(text, is_word);
    if (at == CANNOT)
        return CANNOT;
    buf_add(out, text.data, text.len);
    const size_t n = below(2) ? 1 : word_length(text, at);
    for (size_t i = at; i < at + n; i++)
        out->data[i] = (char)(out->data[i] ^ (is_letter(out->data[i]) && out->data[i] != '_') << 5);
    return at;
}

static const char *other_word(void) {
    static const char *const words[] = {"value",  "count", "result", "buffer", "index_of", "node",
                                        "string", "the",   "option", "update", "is",       "x"};
    return words[below(sizeof words / sizeof *words)];
}

size_t word(struct text_ref text, struct buf *out) {
    size_t at = place(text, is_word);
    return with(out, text, at, at == CANNOT ? 0 : word_length(text, at), other_word());
}

size_t dropped_line(struct text_ref text, struct buf *out) {
    size_t at = place(text, is_inner_line);
    size_t end = at == CANNOT ? 0 : linewise_below(text.data, text.len, at, 1);
    return with(out, text, at, end - at, "");
}

size_t added_line(struct text_ref text, struct buf *out) {
    static const char *const lines[] = {"    # a line that somebody made up\n", "\treturn 0;\n",
                                        "  (setq x nil)\n", "Some words more.\n"};
    return with(out, text, place(text, is_inner_line), 0, lines[below(4)]);
}

size_t old_version(struct text_ref text, struct buf *out) {
    size_t chosen = place(text, is_word);
    if (chosen == CANNOT)
        return CANNOT;
    const size_t start = linewise_start(text.data, chosen);
    const size_t end = linewise_below(text.data, text.len, start, 1);
    size_t first = CANNOT, count = below(3);
    buf_add(out, text.data, start);
    for (size_t at = start; at < end; at++) {
        if (is_word(text, at) && ++count % 3 == 0) {
            const size_t change = below(3);
            first = first == CANNOT ? at : first;
            buf_str(out, change > 0 ? other_word() : "");
            buf_str(out, change > 1 ? " " : "");
            at += change > 1 ? 0 : word_length(text, at) - 1;
            if (change < 2)
                continue;
        }
        buf_char(out, text.data[at]);
    }
    buf_add(out, text.data + end, text.len - end);
    return first;
}

size_t numbers(struct text_ref text, struct buf *out) {
    size_t number = 1 + below(2000);
    for (size_t at = 0; at < text.len;) {
        size_t end = linewise_below(text.data, text.len, at, 1);
        buf_printf(out, "%6zu\t", number++);
        buf_add(out, text.data + at, end - at);
        at = end;
    }
    return 0;
}

size_t escapes(struct text_ref text, struct buf *out) {
    size_t first = CANNOT;
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.data[i];
        const char *letter = memchr("\n\t\"", c, 3);
        if (c == '\\')
            return CANNOT; /* would have been escaped as well: another string */
        if (letter)
            first = first == CANNOT ? i : first;
        buf_str(out, !letter ? "" : c == '\n' ? "\\n" : c == '\t' ? "\\t" : "\\\"");
        if (!letter)
            buf_char(out, c);
    }
    return first;
}
