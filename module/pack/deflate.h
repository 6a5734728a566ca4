/* deflate.h -- bytes made smaller, quickly: RFC 1950 and 1951.
 *
 * What git keeps is compressed this way.  A snapshot of a large tree spends
 * most of its time here, so this looks for what is quick to find: one earlier
 * place a match, and the code tables that need not be told.
 */
#ifndef AQFS_DEFLATE_H
#define AQFS_DEFLATE_H

#include "buf.h"

/* What one thread compresses with; it has no state from one input to the next. */
struct deflate;

struct deflate *deflate_new(void); /* NULL without memory */
void deflate_free(struct deflate *d);

/* Appends to OUT a whole zlib stream of the N bytes; OUT->failed without memory. */
void deflate_zlib(struct deflate *d, const char *bytes, size_t n, struct buf *out);

#endif
