/* snapshot.h -- the files of a workspace as they were, to look at or to go back to.
 *
 * Each kind of workspace keeps its snapshots in its own way: by a `struct keeper`,
 * a table of functions like the backend.  The operations do not know which one
 * they use.  They ask what differs, and change the workspace by a plan.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_SNAPSHOT_H
#define AQFS_SNAPSHOT_H

#include "arena.h"
#include "pack.h"
#include "work.h"

#define SNAPSHOT_ID 37 /* a UUID, and a NUL */

/* The facts by which a snapshot is known, also in a later session. */
struct snapshot {
    char id[SNAPSHOT_ID];
    int64_t created_ms;
    char commit_ref[OID_HEX]; /* the commit that holds it, or the version of a tree in memory */
    char *root_path;          /* the root of the workspace that it was taken of */
    char *git_dir;            /* our own repository that it is in, or NULL */
    char *tag;                /* a word that the caller gave it, or NULL */
    enum origin origin;       /* for whom it was taken */
    int64_t files;            /* how many it holds; -1 where an older record does not say */
    /* The paths of its files that were secret by another name alone, as the keys of an object; or
     * true for all its files; or NULL for none. */
    json_t *secrets;
};

void snapshot_free(struct snapshot *s);

bool snapshot_new_id(char out[SNAPSHOT_ID]);
bool snapshot_is_id(const char *text, size_t n);

struct snapshot_list {
    struct snapshot *all; /* the oldest first */
    size_t n, room;
    size_t damaged; /* how many more there are that cannot be read */
};

void snapshot_list_free(struct snapshot_list *list);

/* Which snapshots a prune keeps: the `newest` of them that are not older than since_ms and fit into
 * `bytes`.  It keeps the one that is spared, and the latest one unless it was asked for to keep
 * none. */
struct retention {
    int64_t newest, since_ms, bytes;
    const char *spared; /* or NULL */
    bool asked;         /* somebody wants to forget: not to make room for a new snapshot */
    enum origin origin; /* unless asked, only snapshots of this one are counted, and forgotten */
};

/* May a prune forget S at all?  Unless it was asked for, it spares the snapshots of other origins,
 * and those of a person that have a tag. */
bool snapshot_may_go(const struct retention *keep, const struct snapshot *s);

/* Does a prune forget S, which may go and has RANK later ones that may, for its number or age? */
bool snapshot_goes(const struct retention *keep, size_t rank, const struct snapshot *s);

enum item_kind { ITEM_NONE, ITEM_FILE, ITEM_LINK, ITEM_DIRECTORY };

/* The thing that has a name, in a snapshot or now. */
struct item {
    enum item_kind kind;
    uint32_t mode;           /* permission bits */
    bool secret;             /* of a snapshot: it was secret then, by another name alone */
    bool hollow;             /* a directory of now with nothing in it that a snapshot would hold */
    struct oid oid;          /* the name of its bytes, equal if the bytes are */
    const void *object;      /* for the keeper's own use */
    const struct info *info; /* of a thing of now: how it looked when it was compared */
};

struct item_change {
    const char *path; /* relative to the root */
    size_t len;
    struct item before, after;
};

/* A list in bytewise order of paths, so that a directory comes before what is below it. */
struct item_changes {
    struct arena arena;
    struct item_change *all;
    size_t n, room;
    void *held; /* the keeper's data that the items point into */
    void (*drop)(void *held);
};

void item_changes_free(struct item_changes *changes);
/* Adds a change with a copy of PATH.  False without memory. */
bool item_changes_add(struct item_changes *changes, const char *path, size_t n,
                      const struct item *before, const struct item *after);

/* Something that is there but is not in the snapshot, and why. */
struct left_out {
    char *path;
    const char *why; /* "special", "unreadable", "too-large", "mount" */
};

#define LEFT_OUT_SHOWN 100

struct snapshot_report {
    int64_t files, ignored;
    int64_t changing; /* files that were written to all the time they were read */
    struct left_out left_out[LEFT_OUT_SHOWN];
    size_t left_out_n; /* may be more than LEFT_OUT_SHOWN */
};

void snapshot_report_free(struct snapshot_report *report);

struct keeper {
    const char *name;
    bool strict; /* ignores no file, because the directory is the workspace's own */

    /* Takes a snapshot with TAG, or without if that is empty.  COMPARED is NULL, or a comparison
     * with what is there now: the snapshot then holds what that found, and the error is AQFS_STALE
     * if files have changed since. */
    int (*take)(struct work *work, struct text_ref tag, struct item_changes *compared,
                struct snapshot *out, struct snapshot_report *report);

    /* Lists the snapshots.  This and the next four take no lock and change nothing. */
    int (*list)(struct work *work, struct snapshot_list *out);

    /* How much room the snapshots take, with what none of them holds any more. */
    int (*measure)(struct work *work, int64_t *bytes);

    /* Finds a snapshot.  AQFS_SNAPSHOT if none has this id. */
    int (*find)(struct work *work, const char *id, struct snapshot *out);

    /* Lists the changes from the snapshot FROM to the snapshot TO.  With TO NULL, to the files that
     * are there now, without those that FROM would have left out. */
    int (*compare)(struct work *work, const char *from, const char *to, struct item_changes *out);

    /* Reads the bytes of an item of a snapshot; of a link, its text. */
    int (*read)(struct work *work, const struct item_changes *changes, const struct item *item,
                struct buf *out);

    /* Forgets the snapshots that KEEP does not keep, the oldest first, and counts them. */
    int (*prune)(struct work *work, const struct retention *keep, size_t *forgotten);
};

extern const struct keeper git_keeper, strict_git_keeper, memory_keeper;

#endif
