/* review.h -- what some calls have changed, and what stands there now.
 *
 * Calls are gone through in their order, and each file that they changed is an
 * item.  Its base is the text that would be there without those calls: it begins
 * as what was there before the first of them, and whatever somebody else has
 * changed between two calls, or since the last one, is done to the base as well.
 * So base and present differ in what the calls did, and in nothing else.
 *
 * Where somebody else has changed the same lines, they cannot be told apart.
 * There are two bases then: one that has the lines from before the calls, and
 * one that has the lines of somebody else.  A difference that is not the same
 * for both is `mixed`: it is shown, and is not taken back.
 *
 * An acceptance is a record among the others.  It replaces the base of a file, and
 * so an accepted change is no difference any more.  Its base is that of all models'
 * calls; a review of some calls takes from it only which places are not accepted yet.
 * An acceptance in a review of some calls is the other way about: it tells only
 * which places are accepted, so that the changes of other calls stay to be reviewed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_REVIEW_H
#define AQFS_REVIEW_H

#include "call.h"
#include "kept.h"
#include "lines.h"
#include "plan.h"

/* The operation of records that say what was accepted. */
#define ACCEPT_OPERATION "changes_accept"

/* The state of a place: now, before, or wished for. */
struct review_side {
    enum node_type type;
    uint32_t mode;       /* 0: unknown */
    char hash[HASH_HEX]; /* of the bytes, or "" if that is unknown */
    bool known;          /* bytes hold the content */
    bool secret, named;  /* as kept_side has them */
    struct buf bytes;
};

struct review_hunk {
    char id[HASH_HEX];
    bool mixed;
    struct span old, new; /* bytes of the base and of the present */
    size_t line, count;   /* lines of the present, the first is 1 */
    size_t added, removed;
    struct buf text; /* as a unified diff shows it */
};

struct review_item {
    char id[HASH_HEX];
    const struct root *root, *base_root;
    char *path;      /* where it is now, or was last */
    char *base_path; /* where it was before it was moved; else equal to path */
    struct review_side base, base_theirs, last, now;
    struct info seen; /* of now */
    bool mixed;       /* as a whole: it is not known what somebody else has done */
    bool covered;     /* something else was moved over it, which is an item of its own */
    bool carried;     /* moved, and nothing else: its base has the content that it has now */
    bool binary;
    bool partial; /* of a directory: more was in it than was kept, or than may be seen */
    bool unread;  /* it cannot be read now */
    bool secret;  /* it was one when it was kept */
    bool named;   /* it had several names when it was kept */
    size_t older; /* in its chain: the number of an item + 1, or 0 */
    struct review_hunk *hunks;
    size_t hunk_n;
    char call[KEPT_ID]; /* the latest of the calls that changed it */
};

struct review {
    struct call *call_of;
    struct review_item **items;
    size_t n, room;
    size_t *chains; /* of items by place: numbers of items + 1 */
    size_t chain_n;
    size_t calls; /* how many calls were gone through */
    size_t lost;  /* how many of those asked for have no record any more */
};

/* Fills OUT, which is zeroed, for the calls that C's arguments `calls` and `since` name; without
 * either, all calls of models.  Call review_free in either case. */
int review_run(struct call *c, struct review *out);
void review_free(struct review *r);

/* Do C's arguments name calls? */
bool review_is_of_some(struct call *c);

/* Does the item differ from its base in more than its text: it is made, deleted, moved, or has
 * other permissions? */
bool review_item_is_whole(const struct review_item *item);

/* May the file be a secret, or a restricted one, by a name that is not known any more?  Its lines
 * are not shown then to C's caller. */
bool review_item_is_veiled(const struct call *c, const struct review_item *item);

/* Finds the hunks of ITEM (review_hunks.c). */
int review_hunks(struct work *work, struct review_item *item);
void review_hunks_free(struct review_item *item);

/* Plans to take back the items and hunks whose ids are IDS; all of them if there are none
 * (review_plan.c). */
int review_plan(struct review *r, struct plan *p, const struct value *ids);

/* Adds a line about CALL: its id, when and for whom it was made, and what it did. */
void review_call_line(const struct aqfs_workspace *ws, const struct kept_call *call,
                      struct buf *out);

/* "added", "deleted", "modified", "moved". */
const char *review_action(const struct review_item *item);

/* Reads the file or link at a place, and its permissions, into SIDE. */
int review_look(struct work *work, const struct root *root, const char *path,
                struct review_side *side, struct info *seen);

/* Sets the hash of what is known. */
void review_side_hash(struct review_side *side);
struct text_ref review_text(const struct review_side *side);
/* Is it a file whose bytes are known? */
bool review_knows_file(const struct review_side *side);

#endif
