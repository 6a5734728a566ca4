/* snapshot_cache.h -- what files held when they were kept last, and how they looked.
 *
 * A file whose size, times and inode are what they were holds what it held: it
 * is not read again.  What was written to so shortly before that its times may
 * not tell is not remembered.  The cache is of one snapshot and of no use
 * without it, and may be lost at any time.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_SNAPSHOT_CACHE_H
#define AQFS_SNAPSHOT_CACHE_H

#include "snapshot_store.h"

struct cache {
    struct buf bytes;
    size_t at, end;       /* of what is not yet looked at */
    char id[SNAPSHOT_ID]; /* the snapshot it is of, or "" */
};

/* An empty cache where there is none that can be used. */
void cache_load(const struct work *work, const struct store *s, struct cache *out);
void cache_free(struct cache *cache);

/* Is the snapshot there that a cache was of?  "" is none, and so there. */
bool cache_holds(const struct store *s, const char *id);

/* What the file at PATH, which looks like INFO, holds: paths are asked for in bytewise order. */
bool cache_find(struct cache *cache, const char *path, const struct info *info, struct oid *out);

/* To be filled in bytewise order of paths.  SINCE_NS is when the files were begun to be looked at,
 * on the clock of file times. */
void cache_begin(struct buf *out);
void cache_add(struct buf *out, const char *path, const struct info *info, const struct oid *oid,
               int64_t since_ns);
/* A failure is none: the next snapshot takes longer. */
void cache_save(const struct work *work, const struct store *s, const char *id, struct buf *bytes);

#endif
