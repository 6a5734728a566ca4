/* utf8.h -- judging bytes as UTF-8.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_UTF8_H
#define AQFS_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Is it a byte of a sequence other than the first? */
static inline bool utf8_is_continuation(unsigned char byte) {
    return (byte & 0xC0) == 0x80;
}

/* The length of the longest valid prefix of BYTES: N when all is valid.  Surrogates, overlong
 * forms and what lies past U+10FFFF are invalid; NUL is valid. */
size_t utf8_valid_prefix(const char *bytes, size_t n);

static inline bool utf8_is_valid(const char *bytes, size_t n) {
    return utf8_valid_prefix(bytes, n) == n;
}

bool utf8_is_ascii(const char *bytes, size_t n);

/* Bytes of the sequence at BYTES (N >= 1) and its code point; 1 and -1 where it is invalid. */
size_t utf8_decode(const char *bytes, size_t n, int32_t *code_point);

/* Code points in valid UTF-8. */
size_t utf8_count(const char *bytes, size_t n);

/* The largest cut <= AT that splits no code point. */
size_t utf8_cut(const char *bytes, size_t n, size_t at);

#endif
