/* sha1.h -- the checksum that git's packs end in.
 *
 * It finds broken files, and nothing here trusts it for more: what an object is
 * called is asked of libgit2, which refuses known collisions.
 */
#ifndef AQFS_SHA1_H
#define AQFS_SHA1_H

#include <stddef.h>
#include <stdint.h>

#define SHA1_BYTES 20

struct sha1 {
    uint32_t state[5];
    uint64_t counted;
    size_t held;
    unsigned char block[64];
};

void sha1_start(struct sha1 *h);
void sha1_add(struct sha1 *h, const void *bytes, size_t n);
void sha1_end(struct sha1 *h, unsigned char out[SHA1_BYTES]);

#endif
