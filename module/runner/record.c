/* record.c -- a stream of records: see record.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "record.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LENGTH_DIGITS 8
#define NUMBER_DIGITS 18

static bool is_decimal(char c) {
    return c >= '0' && c <= '9';
}

/* How many of the N bytes, at most MOST, are of a word; -1 when more of them are. */
static ssize_t record_word_length(const char *bytes, size_t n) {
    size_t length = 0;
    while (length < n && bytes[length] >= 'a' && bytes[length] <= 'z')
        if (++length > RECORD_WORD_MOST)
            return -1;
    return (ssize_t)length;
}

ssize_t record_read(const char *bytes, size_t n, struct record *out) {
    ssize_t word = record_word_length(bytes, n);
    size_t at = word < 0 ? 0 : (size_t)word, digits = 0, length = 0;
    if (word < 0 || (at < n && (at == 0 || bytes[at] != ' ')))
        return -1;
    memcpy(out->word, bytes, at);
    out->word[at] = '\0';
    for (at++; at < n && is_decimal(bytes[at]); at++) {
        if (++digits > LENGTH_DIGITS)
            return -1;
        length = length * 10 + (size_t)(bytes[at] - '0');
    }
    if (at < n && (digits == 0 || bytes[at] != '\n'))
        return -1;
    if (length > RECORD_BODY_MOST)
        return -1;
    if (at >= n || n - at - 1 < length)
        return 0;
    out->body = bytes + at + 1;
    out->length = length;
    return (ssize_t)(at + 1 + length);
}

bool record_is(const struct record *record, const char *word) {
    return strcmp(record->word, word) == 0;
}

bool record_numbers(const struct record *record, size_t count, uint64_t *numbers) {
    const char *at = record->body, *end = at + record->length;
    for (size_t i = 0; i < count; i++) {
        int digits = 0;
        if (i > 0 && (at == end || *at++ != ' '))
            return false;
        for (numbers[i] = 0; at < end && is_decimal(*at); at++, digits++)
            if (digits < NUMBER_DIGITS)
                numbers[i] = numbers[i] * 10 + (uint64_t)(*at - '0');
        if (digits == 0 || digits > NUMBER_DIGITS)
            return false;
    }
    return at == end;
}

void record_add(struct buf *to, const char *word, const char *body, size_t length) {
    buf_printf(to, "%s %zu\n", word, length);
    buf_add(to, body, length);
}

void record_print(struct buf *to, const char *word, const char *format, ...) {
    char body[512];
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(body, sizeof body, format, arguments);
    va_end(arguments);
    if (n < 0)
        n = 0;
    record_add(to, word, body, (size_t)n < sizeof body ? (size_t)n : sizeof body - 1);
}
