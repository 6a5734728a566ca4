/* hash.h -- content hashes: BLAKE2b (RFC 7693) with a result of 16 bytes.
 *
 * Versions and digests bind an approval to bytes, so the hash must be a
 * cryptographic one.  BLAKE2b is also faster than SHA where the processor has
 * no instructions for SHA.
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
