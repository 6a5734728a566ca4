/* deflated.h -- text made smaller for a connection, and back: streams of raw deflate (RFC 1951),
 * one behind the other.  Each holds a block of the text, so the first can be sent before the last
 * is made.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_DEFLATED_H
#define AQFS_DEFLATED_H

#include "buf.h"

#define DEFLATED_BLOCK ((size_t)64 << 10) /* the most bytes that a stream holds */

/* The compressor of one thread. */
struct deflater;

struct deflater *deflater_new(void);    /* NULL without memory */
void deflater_free(struct deflater *d); /* NULL is allowed */

/* Appends a stream of the N bytes, DEFLATED_BLOCK at most, to OUT; sets OUT->failed without memory.
 */
void deflater_add(struct deflater *d, const char *bytes, size_t n, struct buf *out);

/* Appends what the streams in the N BYTES hold to OUT.  False if they are no such streams, hold
 * more than MOST bytes, or there is no memory: then OUT has some of it. */
bool inflate_all(const char *bytes, size_t n, size_t most, struct buf *out);

#endif
