/* pack.h -- many git objects written as one file, with its index.
 *
 * So a snapshot of sixty thousand files makes and syncs one file instead of
 * sixty thousand.  The format is git's own: objects without deltas, and version
 * 2 of the index.  Git does not see a pack before pack_finish has named it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_PACK_H
#define AQFS_PACK_H

#include "buf.h"
#include "error.h"
#include "hash_table.h"

#include <pthread.h>
#include <string.h>

#define OID_BYTES 20
#define OID_HEX (2 * OID_BYTES + 1)

struct oid {
    unsigned char bytes[OID_BYTES];
};

enum object_type { OBJECT_COMMIT = 1, OBJECT_TREE = 2, OBJECT_BLOB = 3 }; /* git's numbers */

struct pack_entry {
    struct oid oid;
    uint32_t crc;
    uint64_t offset;
};

struct pack {
    pthread_mutex_t lock; /* guards all members below */
    int dir;              /* objects/pack; the caller closes it */
    int fd;               /* -1 until an object is added */
    char temp[64];
    char name[OID_HEX + 8]; /* "pack-" and its checksum; set when it is finished */
    uint64_t size;
    struct buf pending; /* bytes that are not in the file yet */
    struct pack_entry *entries;
    size_t n, room;
    struct hash_table table; /* of entries, by their names */
};

/* DIR must stay open until pack_end.  Call pack_end in either case. */
int pack_start(struct pack *p, int dir, struct error *e);
void pack_end(struct pack *p);

/* Is an object of this name in the pack? */
bool pack_has(struct pack *p, const struct oid *oid);

/* Adds an object of SIZE bytes, whose zlib stream is ZIPPED, unless the pack has it.  Several
 * threads may call this at once. */
int pack_add(struct pack *p, const struct oid *oid, enum object_type type, size_t size,
             const struct buf *zipped, struct error *e);

/* Syncs the pack and gives it its name.  A pack without objects makes no file. */
int pack_finish(struct pack *p, struct error *e);

/* Removes the files of unfinished packs from DIR.  No pack may be in progress there. */
void pack_sweep(int dir);

void oid_hex(const struct oid *oid, char out[OID_HEX]);
bool oid_read_hex(const char *hex, struct oid *out);

static inline bool oid_equal(const struct oid *a, const struct oid *b) {
    return memcmp(a->bytes, b->bytes, OID_BYTES) == 0;
}

/* For hash tables: the first bytes of a name are as good as random. */
static inline uint64_t oid_hash(const struct oid *oid) {
    uint64_t hash;
    memcpy(&hash, oid->bytes, sizeof hash);
    return hash;
}

#endif
