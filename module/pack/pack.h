/* pack.h -- many git objects written as one file, with its index.
 *
 * Sixty thousand files are one file to make, and one to put on disk.  What is
 * written is what git itself reads: objects without deltas, and version 2 of
 * the index.  Nothing of it counts until pack_finish has named it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_PACK_H
#define AQFS_PACK_H

#include "buf.h"
#include "error.h"
#include "hash_table.h"

#include <pthread.h>

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
    pthread_mutex_t lock; /* guards all below */
    int dir;              /* objects/pack, the caller's */
    int fd;               /* or -1: nothing was added yet */
    char temp[64];
    char name[OID_HEX + 8]; /* "pack-" and its checksum, when it is finished */
    uint64_t size;
    struct buf pending; /* not yet in the file */
    struct pack_entry *entries;
    size_t n, room;
    struct hash_table table; /* of entries, by their names */
};

/* DIR stays open until pack_end.  Call pack_end in either case. */
int pack_start(struct pack *p, int dir, struct error *e);
void pack_end(struct pack *p);

/* Is there an object of this name in it already? */
bool pack_has(struct pack *p, const struct oid *oid);

/* Adds an object of SIZE bytes, of which ZIPPED is the zlib stream; one that is there already is
 * not added again.  From several threads at once. */
int pack_add(struct pack *p, const struct oid *oid, enum object_type type, size_t size,
             const struct buf *zipped, struct error *e);

/* Puts it on disk under its name.  A pack without objects makes no file. */
int pack_finish(struct pack *p, struct error *e);

/* Removes what packs that were never finished left in DIR.  Nobody may be writing one. */
void pack_sweep(int dir);

void oid_hex(const struct oid *oid, char out[OID_HEX]);
bool oid_read_hex(const char *hex, struct oid *out);

static inline bool oid_equal(const struct oid *a, const struct oid *b) {
    return memcmp(a->bytes, b->bytes, OID_BYTES) == 0;
}

/* For tables: the first bytes of a name are as good as random. */
static inline uint64_t oid_hash(const struct oid *oid) {
    uint64_t hash;
    memcpy(&hash, oid->bytes, sizeof hash);
    return hash;
}

#endif
