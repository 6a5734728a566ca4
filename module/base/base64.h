/* base64.h -- bytes as text: RFC 4648, section 4.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_BASE64_H
#define AQFS_BASE64_H

#include "buf.h"
#include "error.h"

/* The length of N bytes in base64, and how many bytes fit in N characters. */
#define BASE64_LENGTH(n) (((n) + 2) / 3 * 4)
#define BASE64_BYTES(n) ((n) / 4 * 3)

void base64_encode(struct buf *out, const char *bytes, size_t n);

/* Appends the bytes that TEXT stands for.  Line breaks and spaces are passed over, as encoders
 * write them; anything else that no encoder writes is AQFS_INVALID_ARGUMENT: a missing padding, a
 * foreign character, left-over bits that are not zero.  OUT may have grown on failure. */
int base64_decode(struct buf *out, const char *text, size_t n, struct error *e);

#endif
