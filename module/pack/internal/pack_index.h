/* pack_index.h -- the index of a pack, which says where each object is: version 2 of git's format.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_PACK_INDEX_H
#define AQFS_PACK_INDEX_H

#include "pack.h"

/* Writes and syncs the index under the name TEMP with ".idx" appended.  Sorts ENTRIES. */
int pack_index_write(int dir, const char *temp, struct pack_entry *entries, size_t n,
                     const struct oid *pack_sum, struct error *e);

/* Renames the index for the pack HEX, and syncs DIR. */
int pack_index_name(int dir, const char *temp, const char *hex, struct error *e);

#endif
