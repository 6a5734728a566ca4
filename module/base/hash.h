/* hash.h -- content hashes: BLAKE2b (RFC 7693) with 16 bytes of result.
 *
 * Versions and digests bind an approval to bytes, so the hash is a
 * cryptographic one; this one is also faster than what hardware-less SHA gives.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_HASH_H
#define AQFS_HASH_H

#include <stddef.h>
#include <stdint.h>

struct hash {
    uint64_t state[8];
    uint64_t counted;
    size_t held;
    unsigned char block[128];
};

#define HASH_BYTES 16
#define HASH_HEX (2 * HASH_BYTES + 1)

void hash_start(struct hash *h);
void hash_add(struct hash *h, const void *bytes, size_t n);
void hash_end(struct hash *h, char hex[HASH_HEX]);

#endif
