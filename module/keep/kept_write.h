/* kept_write.h -- writing the record of a call.
 *
 *     struct kept_writer w;
 *     kept_write_start(&w, work, "edit_file", summary);
 *     ... a map in the list of steps for each step ...
 *     kept_write_end(&w, work->ws, id, e);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_KEPT_WRITE_H
#define AQFS_KEPT_WRITE_H

#include "kept.h"
#include "reply.h"

struct kept_writer {
    struct reply header; /* the map and the list of steps are open */
    struct buf bytes;
    enum origin origin;
    size_t most;          /* bytes; what has no room is not kept */
    char id[KEPT_ID];     /* "" until it is needed */
    size_t parts, linked; /* files that are linked, and their bytes */
};

void kept_write_start(struct kept_writer *w, const struct work *work, const char *operation,
                      struct text_ref summary);

/* Gives the record an id, and keeps it.  Call it with the lock of commits held, and once: it frees
 * the writer. */
int kept_write_end(struct kept_writer *w, struct aqfs_workspace *ws, char id[KEPT_ID],
                   struct error *e);

/* The members root_key and key of the open map: a place. */
void kept_write_place(struct kept_writer *w, const char *root_key, const char *key,
                      const struct root *root, const char *path);

/* The members that tell later whether a file may be shown, where it is not there any more. */
void kept_write_names(struct kept_writer *w, const struct info *info, bool secret);

/* Members of the open map of one side.  `known` is for a file or link whose bytes are at hand; HEX
 * is their hash, or NULL. */
void kept_write_type(struct kept_writer *w, enum node_type type, uint32_t mode);
void kept_write_known(struct kept_writer *w, enum node_type type, uint32_t mode,
                      struct text_ref bytes, const char *hex);

/* Is the file that INFO is of to be linked rather than copied? */
bool kept_links(const struct kept_writer *w, const struct aqfs_workspace *ws,
                const struct info *info);

/* The same for the file NAME of DIR, which is about to lose that name, and which nobody can write
 * to any more: it is linked instead of copied.  False, and nothing is written, if that cannot be
 * done, or is not worth it. */
bool kept_write_linked(struct kept_writer *w, struct aqfs_workspace *ws, const struct node *dir,
                       const char *name, const struct info *info, const char *hex);

/* Is there room for N more bytes? */
bool kept_has_room(const struct kept_writer *w, size_t n);

/* The members at and len of the open map, and the bytes. */
void kept_write_bytes(struct kept_writer *w, const char *bytes, size_t n);

#endif
