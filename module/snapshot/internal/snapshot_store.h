/* snapshot_store.h -- the repository of our own that snapshots are kept in.
 *
 *     STATE/snapshots/HASH.git/     a bare repository that git can look at
 *         refs/snapshots/ID         the commit of a snapshot
 *         objects/pack/             packs, and nothing else is read
 *         format                    the number of this layout
 *         cache                     what files were when they were kept last
 *         lock                      held by the process that changes something here
 *
 * Only libgit2's object database is used.  So no configuration is read, no
 * alternate, hook or attribute has an effect, and nothing outside is looked at.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_SNAPSHOT_STORE_H
#define AQFS_SNAPSHOT_STORE_H

#include "snapshot_tree.h"
#include "zip.h"

#include <git2.h>

struct store {
    char *path;
    int dir, refs, packs; /* the directories, open */
    int lock;
    git_odb *odb;
};

enum store_use { STORE_READ, STORE_WRITE };

/* Opens the store.  A writer makes it if there is none, and waits until no other writer uses it.
 * A reader makes nothing, takes no lock and waits for nobody: AQFS_NOT_FOUND if there is no store.
 *
 * Reading without a lock is safe because of the order in which writers work.  A new snapshot's
 * objects are on disk before its ref is.  A prune removes the refs of what it forgets first, then
 * puts what is live into a new pack, and removes the old packs last.  So a reader that finds the
 * ref of a snapshot after it has read its objects has read a snapshot that was there all along.
 * Call store_close in either case. */
int store_open(struct work *work, enum store_use use, struct store *out);
void store_close(struct store *s);

/* Reads an object that must be of TYPE.  libgit2 compares its bytes with its name. */
int store_read(const struct store *s, const struct oid *oid, enum object_type type, struct buf *out,
               struct error *e);

/* Is there such an object?  Does not look for packs that are new. */
bool store_has(const struct store *s, const struct oid *oid);

/* Finds the name of an object with these bytes. */
int store_name(enum object_type type, const char *bytes, size_t n, struct oid *out,
               struct error *e);

struct object {
    enum object_type type;
    const char *bytes;
    size_t n;
    struct oid oid; /* its name, from store_name */
};

/* Adds an object to PACK, unless it is kept already. */
int store_add(const struct store *s, struct pack *pack, struct zip *zip,
              const struct object *object, struct error *e);

/* Reads a directory of a snapshot. */
int store_tree(const struct store *s, const struct oid *oid, struct arena *arena, struct tree **out,
               struct error *e);

#endif
