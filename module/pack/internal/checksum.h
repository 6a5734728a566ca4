/* checksum.h -- the SHA-1 at the end of a pack and of its index.
 *
 * It serves to find broken files, and nothing trusts it for more.  The names of
 * objects come from libgit2, which refuses known collisions.  libgit2 cannot
 * hash a pack, because it puts an object's header in front of what it hashes.
 *
 * These are OpenSSL's functions from before its EVP interface, on purpose.  EVP
 * reads OpenSSL's configuration (a file, or one that the environment names) and
 * loads the code that it lists.  The older functions allocate nothing and
 * cannot fail.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_CHECKSUM_H
#define AQFS_CHECKSUM_H

#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

#endif
