/* zip.h -- git's compression: a zlib stream (RFC 1950) of bytes that are all there.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_ZIP_H
#define AQFS_ZIP_H

#include "buf.h"

/* The compressor of one thread.  It keeps nothing from one stream to the next. */
struct zip;

struct zip *zip_new(void);    /* NULL without memory */
void zip_free(struct zip *z); /* NULL is allowed */

/* Appends to OUT a whole zlib stream of the N bytes.  OUT->failed when there is no memory for it.
 */
void zip_add(struct zip *z, const char *bytes, size_t n, struct buf *out);

#endif
