/* checksum.h -- the SHA-1 that a pack and its index end in.
 *
 * It finds broken files, and nothing here trusts it for more: the names of
 * objects come from libgit2, which refuses known collisions but cannot hash a
 * pack, because it puts an object's header in front of what it hashes.
 *
 * These are OpenSSL's functions from before its EVP interface, on purpose: EVP
 * reads OpenSSL's configuration, a file or what the environment names, and
 * loads the code that stands there.  These allocate nothing and cannot fail.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_CHECKSUM_H
#define AQFS_CHECKSUM_H

#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

#endif
