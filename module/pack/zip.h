/* zip.h -- git's compression: one zlib stream (RFC 1950) of a whole buffer.
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

#endif
