/* plan.h -- what a call would do, known before it is done.
 *
 * An operation that changes something looks at the files, touches nothing, and
 * lists its changes.  The plan has a tier, a diff, and a digest over the canonical
 * targets, the bytes that they hold now and the bytes that they will hold.
 * plan_commit (commit.h) does all of it or nothing, and only while the files are
 * as they were planned for.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_PLAN_H
#define AQFS_PLAN_H

#include "hash.h"
#include "reply.h"
#include "work.h"

/* X(constant, name in replies): why a change is dangerous. */
#define RISKS(X)                                                                                   \
    X(CREATE, "create")   /* something gets a name that had none */                                \
    X(REPLACE, "replace") /* a file gets contents that were not made from its own */               \
    X(DELETE, "delete")                                                                            \
    X(MOVE, "move")                                                                                \
    X(MODE, "mode")             /* a file's permissions change */                                  \
    X(EXECUTABLE, "executable") /* a file that could not be executed, or is new, can be */         \
    X(LINK, "link")             /* a symbolic link is made */                                      \
    X(PROTECTED, "protected")   /* other programs obey it */                                       \
    X(IGNORED, "ignored")       /* git ignores it, so the change shows nowhere */                  \
    X(SECRET, "secret")         /* a model would read a secret: space/secret.h */

#define X(constant, name) RISK_BIT_##constant,
enum { RISKS(X) RISK_COUNT };
#undef X
#define X(constant, name) RISK_##constant = 1U << RISK_BIT_##constant,
enum { RISKS(X) };
#undef X

enum change_kind {
    CHANGE_WRITE,
    CHANGE_COPY,
    CHANGE_MAKE_DIRECTORY,
    CHANGE_MOVE,
    CHANGE_DELETE,
    CHANGE_READ /* no change: a secret that would be read */
};

struct change;
enum side { SIDE_OLD, SIDE_NEW };
/* Adds the bytes of one side of CHANGE to OUT. */
typedef int (*fetch_bytes)(struct work *work, const struct change *change, enum side side,
                           struct buf *out);

struct change {
    enum change_kind kind;
    struct place at;       /* what is written, made, deleted, or moved to */
    struct place from;     /* of a move or copy: its source */
    struct info seen;      /* what is at `at`: NODE_MISSING where nothing is */
    struct info seen_from; /* what is at `from` */
    enum source_mode mode; /* of a write */
    bool edits;            /* a write that changes part of a file, which has no risk */
    bool unchanged;        /* a write of the bytes that are there already: nothing is done */
    bool utf8;             /* of a write: old and new bytes are known to be UTF-8 */
    int64_t entries;       /* below a directory */
    bool is_tree;          /* a deletion or move of a directory with what is below it */
    bool protects;         /* something below it is protected */
    bool obeyed_by_git;    /* a repository leads to it: set by plan_check_repositories */
    const struct secret_group *below_secret; /* why what is below or put back is secret */
    const struct secret_group *secret;       /* why it is a secret itself: set by plan_judge */
    bool was_secret;                         /* what goes was one, by some name: for the record */
    unsigned risks;                          /* RISK_ bits: set by plan_judge (risk.h) */
    struct text_ref given;                   /* the path as the caller spelled it, or empty */
    bool was_read;                           /* old_bytes hold what is at `at` */
    struct info above;               /* the nearest directory above the target that exists */
    struct info above_from;          /* of a move: the directory that its source is in */
    struct buf old_bytes, new_bytes; /* of a write */
    struct buf old_text, new_text;   /* the same decoded, for the diff, if that differs */
    char held[HASH_HEX];             /* hash of what `at` holds, or "" if it was not read */
    char will_hold[HASH_HEX];        /* hash of what `at` will hold; of a move or copy, of `from` */
    int64_t added, removed;          /* lines */
    size_t replacements;             /* of exact texts or matches, by replace_in_files */
    bool is_half;  /* the deletion that belongs to a rename, which the write reports already */
    bool is_copy;  /* a write with `from`, which stays where it is */
    bool is_new;   /* a write of a new file; another change takes away what has its name now */
    bool clears;   /* a deletion that makes room for a directory, and so is done before others */
    uint32_t bits; /* permissions, of a write with MODE_EXACT or a directory; 0 for the usual */
    /* For changes that are too large to hold: fetches their bytes when they are wanted.  The modes
     * are git's, 0 for a side that does not exist. */
    fetch_bytes fetch;
    const void *fetched_for;
    uint32_t old_mode, new_mode;
};

/* A spelling that differs from its place, because it leads there through a link, for example.  The
 * link may change until the commit. */
struct lookup {
    char *given;
    size_t given_n;
    unsigned flags;
    const struct root *root;
    char *path;
};

struct plan {
    const char *operation;   /* its name */
    enum tier least;         /* the lowest tier that the operation can have */
    struct change **changes; /* in the order they are made */
    size_t n, room;
    struct lookup *lookups;
    size_t lookup_n, lookup_room;
    enum tier tier;
    struct buf summary; /* one line for a person */
    struct buf diff;
    char digest[HASH_HEX];

    /* With a code: planning failed so, which tells what is in a secret.  The plan is of reading
     * that; nothing else can be done by it. */
    struct error why_failed;

    /* Results that the operation's own reply needs. */
    int64_t bytes; /* how many the caller gave */
    int64_t start_line, end_line;
    size_t replacements; /* of exact texts or matches */
    int64_t skipped; /* files that were not searched, as they are too large, no text, or secret */
    struct buf endings; /* how new lines end, where that is not plain */
    struct buf snippet;
    void *held; /* the operation's own data, which drop frees */
    void (*drop)(void *held);
};

/* Adds a change at the end of the plan, zeroed except for its kind.  NULL without memory. */
struct change *plan_add(struct plan *p, enum change_kind kind);

/* The same, of what is AT, which was SEEN there.  AQFS_LIMIT without memory, with its message. */
int plan_add_at(struct work *work, struct plan *p, enum change_kind kind, const struct place *at,
                const struct info *seen, struct change **out);

/* Removes the last change. */
void plan_drop_last(struct plan *p);
void plan_free(struct plan *p);

/* About how many bytes of memory the plan takes, without `held`. */
size_t plan_size(const struct plan *p);

/* Is everything still as it was when P was planned?  Looks at links, types, inodes, sizes and
 * times, and reads the files that the commit itself does not compare.  If it returns false, the
 * caller plans anew and compares digests. */
bool plan_holds(struct work *work, struct plan *p);

/* Whether P only replaces bytes that it has read, by paths without links: then the commit itself
 * notices all that plan_holds looks for. */
bool plan_only_replaces_what_was_read(const struct plan *p);

/* Sets the plan's summary to one that names the secrets among the places of READS, which are its
 * changes, and nothing that depends on what is in them. */
int plan_summarise_secrets(struct work *work, struct plan *p, const struct plan *reads);

/* Are A and B the same file, link or directory?  Files must also have equal sizes and times. */
bool same_file(const struct info *a, const struct info *b);

/* Looks at the nearest directory above AT that exists. */
void plan_look_above(struct work *work, const struct place *at, struct info *above);

/* Is CHANGE what the call is about?  A directory that is made on the way to something is not. */
bool plan_is_target(const struct plan *p, const struct change *change);

/* Locates PATH for a change and looks at what is there: fills at and, unless it is NULL because
 * what is there is opened next, seen.  Links are followed
 * unless LOCATE_LINK is among FLAGS.  AQFS_RESTRICTED (also inside .git) and
 * what workspace_locate answers. */
int plan_locate(struct work *work, struct plan *p, struct text_ref path, unsigned flags,
                struct place *at, struct info *seen);

/* The two halves of plan_locate.  plan_find is for threads that share a plan, as it does not touch
 * that.  plan_remember notes where PATH led, for plan_holds. */
int plan_find(struct work *work, struct text_ref path, unsigned flags, struct place *at,
              struct info *seen);
int plan_remember(struct work *work, struct plan *p, struct text_ref path, unsigned flags,
                  const struct place *at);

/* Looks at a place that was located before.  An error if something was there and is gone. */
int plan_look(struct work *work, const struct place *at, struct info *seen);

/* Adds CHANGE_MAKE_DIRECTORY for each directory above AT that does not exist; AQFS_NOT_FOUND when
 * CREATE is false and one is missing. */
int plan_parents(struct work *work, struct plan *p, const struct place *at, bool create);

/* The CHANGE_MAKE_DIRECTORY of P that makes PATH, or NULL. */
struct change *plan_made(const struct plan *p, const struct root *root, const char *path);

/* Reads the whole regular file at a change into old_bytes. */
int plan_read(struct work *work, struct change *change);

/* The hash of an open file's bytes. */
int plan_hash_file(struct work *work, const struct node *file, char hex[HASH_HEX]);

/* Sets HEX to the hash of the text of the link AT. */
int plan_hash_link(struct work *work, const struct place *at, char hex[HASH_HEX]);

/* Sets what a write will hold. */
int plan_set_bytes(struct work *work, struct change *change, struct buf *bytes);

/* The hashes of what a write replaces and of what it writes, made when first asked for. */
const char *plan_held(struct change *change);
const char *plan_will_hold(struct change *change);

/* Makes the tier, the diff and the summary, when the plan has all its changes (preview.c). */
int plan_finish(struct work *work, struct plan *p);

/* The digest of a finished plan, made when first asked for. */
const char *plan_digest(struct plan *p);

/* Adds the members that show a plan: tier, summary, targets, diff and digest.  Unless WITH_DIFF,
 * the diff is empty. */
void plan_describe(const struct work *work, struct plan *p, bool with_diff, struct reply *r);

#endif
