/* base64.h -- base64, as in RFC 4648, section 4.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_BASE64_H
#define AQFS_BASE64_H

#include "buf.h"
#include "error.h"

/* The base64 of N bytes has BASE64_LENGTH(n) characters; N characters hold BASE64_BYTES(n) bytes.
 */
#define BASE64_LENGTH(n) (((n) + 2) / 3 * 4)
#define BASE64_BYTES(n) ((n) / 4 * 3)

void base64_encode(struct buf *out, const char *bytes, size_t n);

/* Decodes TEXT and appends the bytes to OUT.  Skips line breaks and spaces, because encoders insert
 * them.  Anything else that an encoder does not write is AQFS_INVALID_ARGUMENT: missing padding, a
 * foreign character, unused bits that are not zero.  OUT may have grown when it fails. */
int base64_decode(struct buf *out, const char *text, size_t n, struct error *e);

#endif
