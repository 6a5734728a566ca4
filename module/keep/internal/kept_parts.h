/* kept_parts.h -- what storing a record and understanding it share.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_KEPT_PARTS_H
#define AQFS_KEPT_PARTS_H

#include "kept.h"

/* The format of records.  Raise it when an older version would misread one. */
#define KEPT_FORMAT 1
#define KEPT_WORDS "agent-q-fs kept "

/* Members of the header: the inode of the project's root, and when that was made.  A device's
 * number may be another one after the machine has started anew, so it is not kept. */
#define KEPT_ROOT "root_inode"
#define KEPT_ROOT_MADE "root_made"

/* The parts of an id: digits of the time, and random ones. */
#define ID_TIME 16
#define ID_REST 12

/* The digit of an id that tells the origin of its call, and the origin that an id tells.  Calls
 * that were kept before ids told it count as a model's. */
char kept_origin_digit(enum origin origin);
enum origin kept_origin_of(const char *id);

/* How many records each origin has, and their bytes. */
struct kept_shares {
    int64_t n[ORIGIN_COUNT], bytes[ORIGIN_COUNT];
};

/* Counts the record ID, which takes BYTES, and counts it no more. */
void kept_share(struct kept_shares *shares, const char *id, int64_t bytes);
void kept_unshare(struct kept_shares *shares, const char *id, int64_t bytes);

/* The origin that has the most: of the records if BY_COUNT, or of the bytes. */
enum origin kept_largest(const struct kept_shares *shares, bool by_count);

/* Adds the id NAME; without memory, IDS has failed. */
void kept_ids_add(struct kept_ids *ids, const char *name);
void kept_ids_sort(struct kept_ids *ids);

/* Finds the record ID: sets size, and either fd or copy. */
int kept_find(struct work *work, const char *id, struct kept_call *out);

/* Copies N bytes of the record from AT on: 0, or an errno, ENOENT if there are not so many. */
int kept_bytes_at(const struct kept_call *call, size_t at, size_t n, char *out);

/* The knowledge that a workspace has of its records. */
struct kept_memory {
    struct kept_record *records; /* the latest first; none where they are files */
    int64_t n, bytes;            /* of all records, as far as this workspace knows */
    bool counted;
    int64_t last_ns; /* the time of the latest id */
};

/* The workspace's, made when it is first needed; NULL without memory. */
struct kept_memory *kept_of(struct aqfs_workspace *ws);

/* Are the records files? */
bool kept_is_on_disk(const struct aqfs_workspace *ws);

/* Are N records with BYTES more than LIMITS allow, less SPARE parts of them? */
bool kept_is_too_much(const struct limits *limits, int64_t n, int64_t bytes, int64_t spare);

/* -- kept_files.c: where the records are files.  An int is 0 or an errno. */

/* Does ERROR mean that there is nothing of ours under a name?  Otherwise it is not known. */
bool kept_means_none(int error);

int kept_files_list(const struct aqfs_workspace *ws, struct kept_ids *out);
int kept_files_open(const struct aqfs_workspace *ws, const char *id, struct kept_call *out);
int kept_files_read(int fd, size_t at, size_t n, char *out);
void kept_files_forget(const struct aqfs_workspace *ws, const char *id);

/* As kept_add; HEADER begins with the first line. */
int kept_files_add(struct aqfs_workspace *ws, const char *id, const struct buf *header,
                   const struct buf *bytes, struct error *e);

/* Gives the file NAME of the directory FROM, which INFO is of, a second name as PART of the record
 * ID.  False if it cannot have one there, or is another file by now. */
bool kept_files_link(struct aqfs_workspace *ws, const char *id, size_t part,
                     const struct node *from, const char *name, const struct info *info);

/* Adds the bytes of SIDE, a part of CALL, to OUT; ENOENT if they are not there (any more). */
int kept_files_add_part(const struct kept_call *call, const struct kept_side *side,
                        struct buf *out);

#endif
