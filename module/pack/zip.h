/* zip.h -- compression: one stream of a whole buffer, of zlib (RFC 1950) as git has it, or of raw
 * deflate (RFC 1951).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_ZIP_H
#define AQFS_ZIP_H

#include "buf.h"

/* The compressor of one thread.  No stream depends on an earlier one. */
struct zip;

struct zip *zip_new(void);    /* NULL without memory */
void zip_free(struct zip *z); /* NULL is allowed */

/* Appends a zlib stream of the N bytes to OUT; sets OUT->failed without memory. */
void zip_add(struct zip *z, const char *bytes, size_t n, struct buf *out);
/* The same of raw deflate. */
void zip_add_raw(struct zip *z, const char *bytes, size_t n, struct buf *out);

#endif
