/* deflated.h -- text that was made smaller for a connection: streams of raw deflate (zip.h), one
 * behind the other.  Each holds a block of the text, so the first can be sent before the last is
 * made.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_DEFLATED_H
#define AQFS_DEFLATED_H

#include "buf.h"

#define DEFLATED_BLOCK ((size_t)64 << 10) /* the most bytes that a stream holds */

/* Appends what the streams in the N BYTES hold to OUT.  False if they are no such streams, hold
 * more than MOST bytes, or there is no memory: then OUT has some of it. */
bool inflate_all(const char *bytes, size_t n, size_t most, struct buf *out);

#endif
