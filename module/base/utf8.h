/* utf8.h -- validating, decoding, counting and cutting UTF-8.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_UTF8_H
#define AQFS_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Is BYTE one after the first of a sequence? */
static inline bool utf8_is_continuation(unsigned char byte) {
    return (byte & 0xC0) == 0x80;
}

/* The number of bytes before the first one that is not ASCII; N when all are ASCII. */
size_t utf8_ascii_prefix(const char *bytes, size_t n);

/* The length of the longest valid prefix of BYTES; N when all bytes are valid.  Surrogates,
 * overlong forms and code points above U+10FFFF are invalid; NUL is valid. */
size_t utf8_valid_prefix(const char *bytes, size_t n);
bool utf8_is_valid(const char *bytes, size_t n);
bool utf8_is_ascii(const char *bytes, size_t n);

/* Decodes the sequence at BYTES (N >= 1) and returns its length.  For an invalid sequence it
 * returns 1 and sets the code point to -1. */
size_t utf8_decode(const char *bytes, size_t n, int32_t *code_point);

/* The number of code points in valid UTF-8. */
size_t utf8_count(const char *bytes, size_t n);

/* The largest offset <= AT at which a cut splits no code point. */
size_t utf8_cut(const char *bytes, size_t n, size_t at);

#endif
