/* snapshot.h -- a place as it was, to look at or to go back to.
 *
 * How snapshots are kept is the backend's: a struct of functions with these
 * contracts, like the backend itself.  The operations cannot tell one from
 * another: they ask what differs, and change the workspace by a plan.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_SNAPSHOT_H
#define AQFS_SNAPSHOT_H

#include "arena.h"
#include "pack.h"
#include "work.h"

#define SNAPSHOT_ID 37 /* a UUID, and a NUL */

/* What identifies a snapshot, also in a later session. */
struct snapshot {
    char id[SNAPSHOT_ID];
    int64_t created_ms;
    char commit_ref[OID_HEX]; /* the commit that holds it, or the version of a tree in memory */
    char *root_path;          /* of the workspace it is of */
    char *git_dir;            /* the repository of our own, or NULL */
    char *tag;                /* a person's or a model's word, or NULL */
};

void snapshot_free(struct snapshot *s);

bool snapshot_new_id(char out[SNAPSHOT_ID]);
bool snapshot_is_id(const char *text, size_t n);

struct snapshot_list {
    struct snapshot *all; /* the oldest first */
    size_t n, room;
    size_t damaged; /* there are so many more that cannot be read */
};

void snapshot_list_free(struct snapshot_list *list);

/* What pruning leaves: the newest, unless they are older than since_ms or do not fit into bytes;
 * and in any case the latest, and the one that is spared. */
struct retention {
    int64_t newest, since_ms, bytes;
    const char *spared; /* or NULL */
    bool own;           /* of other workspaces whose snapshots are in the same place, all stay */
};

/* Is the snapshot that has so many later ones as RANK tells forgotten for its number or age? */
bool snapshot_goes(const struct retention *keep, size_t rank, const struct snapshot *s);

enum item_kind { ITEM_NONE, ITEM_FILE, ITEM_LINK, ITEM_DIRECTORY };

/* What has a name, then or now. */
struct item {
    enum item_kind kind;
    uint32_t mode;           /* permission bits */
    bool hollow;             /* a directory, there now, with nothing in it but what is left out */
    struct oid oid;          /* of its bytes: equal bytes have equal ones */
    const void *object;      /* for the keeper's own use */
    const struct info *info; /* of what is there now, as it was looked at */
};

struct item_change {
    const char *path; /* relative to the root */
    size_t len;
    struct item before, after;
};

/* In bytewise order of paths; a directory before what is below it. */
struct item_changes {
    struct arena arena;
    struct item_change *all;
    size_t n, room;
    void *held; /* what the keeper's items point into */
    void (*drop)(void *held);
};

void item_changes_free(struct item_changes *changes);
/* False without memory.  PATH is copied. */
bool item_changes_add(struct item_changes *changes, const char *path, size_t n,
                      const struct item *before, const struct item *after);

/* What a snapshot does not hold although it is there, and why. */
struct left_out {
    char *path;
    const char *why; /* "special", "unreadable", "too-large", "mount" */
};

#define LEFT_OUT_SHOWN 100

struct snapshot_report {
    int64_t files, ignored;
    int64_t changing; /* files that were written to all the time they were read */
    struct left_out left_out[LEFT_OUT_SHOWN];
    size_t left_out_n; /* there may be more than are shown */
};

void snapshot_report_free(struct snapshot_report *report);

struct keeper {
    const char *name;
    bool strict; /* nothing is ignored: the place is the workspace's own */

    /* Keeps what is there now under TAG (or none): as COMPARED has found it, a comparison with what
     * is there now whose files have not changed since (AQFS_STALE); or NULL. */
    int (*take)(struct work *work, struct text_ref tag, struct item_changes *compared,
                struct snapshot *out, struct snapshot_report *report);

    int (*list)(struct work *work, struct snapshot_list *out);

    /* AQFS_SNAPSHOT where there is none of this id. */
    int (*find)(struct work *work, const char *id, struct snapshot *out);

    /* What makes TO of FROM; TO is NULL for what is there now, as far as FROM would have held it.
     */
    int (*compare)(struct work *work, const char *from, const char *to, struct item_changes *out);

    /* The bytes of an item of a snapshot: of a link, its text. */
    int (*read)(struct work *work, const struct item_changes *changes, const struct item *item,
                struct buf *out);

    /* Forgets what is not to be kept, the oldest first.  How many went. */
    int (*prune)(struct work *work, const struct retention *keep, size_t *forgotten);
};

extern const struct keeper git_keeper, strict_git_keeper, memory_keeper;

#endif
