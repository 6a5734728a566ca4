/* kept.h -- what calls have changed: a record of each call, with the bytes that it replaced.
 *
 *     STATE/kept/HASH/ID      one file for each call; HASH is that of the project's root
 *     STATE/kept/HASH/ID.1    a large file that the call replaced, which is linked, not copied
 *
 *     agent-q-fs kept 1 N     a line; N is the length of the header
 *     {"id": ..., "steps": [...]}     the header
 *     the bytes, one after the other; the header says where each begins, and its hash
 *
 * A call's record has files of its own, so that it can be forgotten without
 * looking at any other.  It is written without waiting for the disk: if power
 * is lost, the newest records may be gone or torn, and the changes are as they
 * should be all the same.  So whatever is read is compared with its hash, and is
 * taken for missing if that differs.
 *
 * A workspace in memory and a session keep the same records in memory, and so
 * does a workspace of this machine that has no state directory.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_KEPT_H
#define AQFS_KEPT_H

#include "arena.h"
#include "hash.h"
#include "work.h"

/* The time in nanoseconds as 16 hexadecimal digits, "-", 12 more digits, and a NUL.  So the ids of
 * later calls come later in order of bytes.  The first of the 12 digits tells the origin of the
 * call, the others are random. */
#define KEPT_ID 30
bool kept_is_id(const char *text, size_t n);

/* X(constant, name): what a step did. */
#define KEPT_ACTIONS(X) X(WRITE, "write") X(MAKE, "make") X(MOVE, "move") X(DELETE, "delete")

#define X(constant, name) KEPT_##constant,
enum kept_action { KEPT_ACTIONS(X) KEPT_ACTION_COUNT };
#undef X
const char *kept_action_name(enum kept_action action);

/* The bits of a mode that are kept: nothing that lets a program act for another user. */
#define KEPT_MODES 0777

/* The state of a place, before or now. */
struct kept_side {
    enum node_type type;
    uint32_t mode;       /* permission bits, or 0 where they are unknown */
    char hash[HASH_HEX]; /* of the bytes, or of the text of a link; "" if it is unknown */
    size_t names;        /* of a file, where it had several; else 0 */
    bool secret;         /* it was one, by one of its names */
    bool has_bytes;
    /* In the bytes of the record.  Of what is there after the call, only the middle is kept: it
     * begins with the first `head` bytes of what was there before, and ends with the last `tail`.
     */
    size_t at, len;
    size_t head, tail;
    size_t part; /* the number of the file that holds the bytes instead, or 0 */
};

/* Something below a directory that was deleted. */
struct kept_entry {
    const char *path; /* relative to the directory */
    struct kept_side was;
};

struct kept_step {
    enum kept_action action;
    const struct root *root, *from_root; /* NULL: this workspace has no such root */
    const char *path;                    /* canonical, relative to the root */
    const char *from;                    /* of a move: what it had been; of a copy: the source */
    struct kept_side was, is;
    struct kept_entry *entries; /* of a directory that was deleted, each after what it is in */
    size_t entry_n;
    bool partial; /* more was below it than could be kept */
};

struct kept_call {
    char id[KEPT_ID];
    int64_t time_ms;
    const char *operation, *summary;
    const char *caller, *call; /* as the request said, or "" */
    enum origin origin;
    struct kept_step *steps;
    size_t n;
    int64_t size; /* of the record, in bytes */

    const struct aqfs_workspace *ws;
    struct arena arena; /* holds the above */
    int fd;             /* the record, or -1 if it is in memory: */
    struct buf copy;
    size_t base; /* where its bytes begin */
};

/* Reads the record ID.  AQFS_NOT_FOUND if there is none (any more), or it is damaged.  Call
 * kept_close in either case. */
int kept_open(struct work *work, const char *id, struct kept_call *out);
void kept_close(struct kept_call *call);

/* Adds the bytes of what was there before STEP, or of one of its entries, to OUT.  AQFS_NOT_FOUND
 * if they were not kept, or are not there any more. */
int kept_read(const struct kept_call *call, const struct kept_side *side, struct buf *out,
              struct error *e);

/* Adds the bytes of what was there after STEP, if they differ from those before in the middle only,
 * as they do where both are kept. */
int kept_read_new(const struct kept_call *call, const struct kept_step *step, struct buf *out,
                  struct error *e);

/* The ids of all records, in order. */
struct kept_ids {
    char (*all)[KEPT_ID];
    size_t n, room;
    bool failed;
};
int kept_list(struct work *work, struct kept_ids *out);
void kept_ids_free(struct kept_ids *ids);

/* Makes the id of a new record of a call of ORIGIN.  Call it with the lock of commits held, as
 * kept_add. */
int kept_new_id(struct aqfs_workspace *ws, enum origin origin, char out[KEPT_ID], struct error *e);

/* Is anything to be kept in WS? */
bool kept_wanted(const struct aqfs_workspace *ws);

/* Keeps a record, and forgets others if there are more than the limits allow: the oldest ones of
 * the origin that has the most, so that a model's do not push out a person's.  Call it with the
 * lock of commits held.  If it fails, there is no record. */
int kept_add(struct aqfs_workspace *ws, const char *id, const struct buf *header,
             const struct buf *bytes, struct error *e);

/* Forgets the record ID. */
void kept_forget(struct aqfs_workspace *ws, const char *id);

/* Frees what is kept in memory. */
void kept_memory_free(struct kept_memory *kept);

#endif
