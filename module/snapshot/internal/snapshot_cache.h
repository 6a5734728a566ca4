/* snapshot_cache.h -- what files held when they were kept last, and how they looked.
 *
 * A file whose size, times and inode have not changed is not read again.  A file
 * that was written to shortly before it was read is not remembered, because its
 * times may not show a later change.  The cache belongs to one snapshot, is of no
 * use without it, and may be lost at any time.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_SNAPSHOT_CACHE_H
#define AQFS_SNAPSHOT_CACHE_H

#include "snapshot_store.h"

struct cache {
    struct buf bytes;
    size_t at, end;       /* the bytes that cache_find has not passed yet */
    char id[SNAPSHOT_ID]; /* the snapshot that it belongs to, or "" */
};

/* Reads the cache.  It is empty if there is none that can be used. */
void cache_load(const struct work *work, const struct store *s, struct cache *out);
void cache_free(struct cache *cache);

/* Is the snapshot still there that a cache belongs to?  Also true for "", no snapshot. */
bool cache_holds(const struct store *s, const char *id);

/* Finds the name of the bytes of the file at PATH, if it still looks as remembered.  Ask for paths
 * in bytewise order. */
bool cache_find(struct cache *cache, const char *path, const struct info *info, struct oid *out);

/* The three steps of writing a cache.  Add paths in bytewise order.  SINCE_NS is when the scan of
 * the files began, on the clock of file times.  If saving fails, the next snapshot takes longer. */
void cache_begin(struct buf *out);
void cache_add(struct buf *out, const char *path, const struct info *info, const struct oid *oid,
               int64_t since_ns);
void cache_save(const struct work *work, const struct store *s, const char *id, struct buf *bytes);

#endif
