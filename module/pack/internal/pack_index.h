/* pack_index.h -- which objects a pack has, and where: version 2 of git's index.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_PACK_INDEX_H
#define AQFS_PACK_INDEX_H

#include "pack.h"

/* Writes and syncs the index under TEMP's name with ".idx" behind; sorts ENTRIES. */
int pack_index_write(int dir, const char *temp, struct pack_entry *entries, size_t n,
                     const struct oid *pack_sum, struct error *e);

/* Gives it the name of the pack HEX, and puts the names of DIR on disk. */
int pack_index_name(int dir, const char *temp, const char *hex, struct error *e);

#endif
