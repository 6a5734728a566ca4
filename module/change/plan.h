/* plan.h -- what a call would do, known before it is done.
 *
 * A mutating operation plans: it looks, touches nothing, and lists its changes.
 * The plan has a tier, a diff and a digest over the canonical targets, the
 * bytes they hold now and the bytes they will hold.  commit.h does what the
 * plan says, all of it or nothing, and only while that is still true.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_PLAN_H
#define AQFS_PLAN_H

#include "hash.h"
#include "reply.h"
#include "work.h"

enum change_kind { CHANGE_WRITE, CHANGE_COPY, CHANGE_MAKE_DIRECTORY, CHANGE_MOVE, CHANGE_DELETE };

struct change;
enum side { SIDE_OLD, SIDE_NEW };
typedef int (*fetch_bytes)(struct work *work, const struct change *change, enum side side,
                           struct buf *out);

struct change {
    enum change_kind kind;
    struct place at;       /* what is written, made, deleted, or moved to */
    struct place from;     /* of a move or copy */
    struct info seen;      /* what is at `at`: NODE_MISSING where nothing is */
    struct info seen_from; /* what is at `from` */
    enum source_mode mode; /* of a write */
    bool edits;            /* a write that changes some of what is there: no new tier */
    bool unchanged;        /* a write of what is there already: nothing is done */
    bool utf8;             /* of a write: old and new bytes are known to be UTF-8 */
    int64_t entries;       /* below a directory */
    bool is_tree;          /* a deletion or move of a directory with what is below it */
    bool protects;         /* something below it is protected */
    struct text_ref given; /* the path as the caller spelled it, or empty */
    bool was_read;         /* old_bytes hold what is at `at` */
    struct info above;     /* the directory that the target is in, or the nearest that exists */
    struct buf old_bytes, new_bytes; /* of a write */
    struct buf old_text, new_text;   /* the same decoded, where that differs: for the diff */
    char held[HASH_HEX];             /* hash of what `at` holds, "" if no bytes: see plan_held */
    char will_hold[HASH_HEX];        /* and of what it will hold; of a move, what `from` holds */
    int64_t added, removed;          /* lines */
    bool is_half;                    /* the deletion of a rename that a write has told of already */
    bool is_copy;                    /* a write with `from`: that stays where it is */
    bool is_new;   /* a write of a new file; what has its name is taken away by another change */
    bool clears;   /* a deletion that makes room for a directory: before that is made */
    uint32_t bits; /* permissions: of a write with MODE_EXACT, of a directory, or 0 for the usual */
    /* Where bytes are fetched when they are wanted, because there are too many to hold.  Both modes
     * are git's, 0 where there is nothing. */
    fetch_bytes fetch;
    const void *fetched_for;
    uint32_t old_mode, new_mode;
};

/* A spelling that led to a place of another name: through a link, say, which may change. */
struct lookup {
    char *given;
    size_t given_n;
    unsigned flags;
    const struct root *root;
    char *path;
};

struct plan {
    const char *operation;   /* its name */
    enum tier least;         /* what the operation is at the least */
    struct change **changes; /* in the order they are made */
    size_t n, room;
    struct lookup *lookups;
    size_t lookup_n, lookup_room;
    enum tier tier;
    struct buf summary; /* one line for a person */
    struct buf diff;
    char digest[HASH_HEX];

    /* Results that the operation's own reply needs. */
    int64_t bytes; /* given by the caller */
    int64_t start_line, end_line;
    struct buf snippet;
    void *held; /* what the operation keeps for it, and how that ends */
    void (*drop)(void *held);
};

/* A new change at the end of the plan, zeroed but for its kind; NULL when there is no memory. */
struct change *plan_add(struct plan *p, enum change_kind kind);
/* Takes the last one off again. */
void plan_drop_last(struct plan *p);
void plan_free(struct plan *p);

/* How much memory the plan takes, about. */
size_t plan_size(const struct plan *p);

/* Is everything still as it was when P was planned?  Looks at links, types, inodes, sizes and
 * times, and reads the files that the commit itself does not compare.  If it returns false, the
 * caller plans anew and compares digests. */
bool plan_holds(struct work *work, struct plan *p);

/* Is it still the file, link or directory that was seen?  Times count for files. */
bool same_file(const struct info *a, const struct info *b);

/* The directory that AT is in, or the nearest above it that exists. */
void plan_look_above(struct work *work, const struct place *at, struct info *above);

/* Directories that are made on the way to something are not what the call is about. */
bool plan_is_target(const struct plan *p, const struct change *change);

/* Locates PATH for a change and looks at what is there: fills at and, unless it is NULL because
 * what is there is opened next, seen.  Links are followed
 * unless LOCATE_LINK is among FLAGS.  AQFS_RESTRICTED (also inside .git) and
 * what workspace_locate answers. */
int plan_locate(struct work *work, struct plan *p, struct text_ref path, unsigned flags,
                struct place *at, struct info *seen);

/* The first half, for threads that share a plan, and the second, which remembers where PATH led. */
int plan_find(struct work *work, struct text_ref path, unsigned flags, struct place *at,
              struct info *seen);
int plan_remember(struct work *work, struct plan *p, struct text_ref path, unsigned flags,
                  const struct place *at);

/* What is at a place that has been judged; an error where that exists no more. */
int plan_look(struct work *work, const struct place *at, struct info *seen);

/* Adds CHANGE_MAKE_DIRECTORY for each directory above AT that does not exist; AQFS_NOT_FOUND when
 * CREATE is false and one is missing. */
int plan_parents(struct work *work, struct plan *p, const struct place *at, bool create);

/* Reads the whole regular file at a change into old_bytes. */
int plan_read(struct work *work, struct change *change);

/* The hash of an open file's bytes. */
int plan_hash_file(struct work *work, const struct node *file, char hex[HASH_HEX]);

/* Sets what a write will hold. */
int plan_set_bytes(struct work *work, struct change *change, struct buf *bytes);

/* The versions of what a write replaces and of what it writes, made when first asked for. */
const char *plan_held(struct change *change);
const char *plan_will_hold(struct change *change);

/* When all changes are there: tier, diff, summary (preview.c). */
int plan_finish(struct work *work, struct plan *p);

/* The digest of a finished plan, made when first asked for. */
const char *plan_digest(struct plan *p);

/* :tier :summary :targets :diff :digest.  Unless WITH_DIFF, the diff is empty. */
void plan_describe(const struct work *work, struct plan *p, bool with_diff, struct reply *r);

#endif
