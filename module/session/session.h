/* session.h -- the backend whose bytes are files in a directory of the session's own.
 *
 * The directory is made in the temporary directory when the first call is made,
 * and again when it has gone or after a reset: with a name that nobody can
 * guess, for its owner only, and with what the mounts brought.  It is locked as
 * long as it is in use, and removed when the workspace is closed; what a
 * process left that was killed is removed when the next session is opened.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_SESSION_H
#define AQFS_SESSION_H

#include "workspace.h"

extern const struct backend session_backend;

/* -- parts of session_backend.  Contracts are in backend.h. */

struct session_state {
    int temp;   /* the temporary directory */
    int fd;     /* the session's own in it, locked; -1 while there is none */
    char *name; /* there */
    struct revisions *revisions;
};

int session_open_roots(struct aqfs_workspace *ws, const struct options *o, struct error *e);
int session_begin(struct aqfs_workspace *ws, struct error *e);
int session_reset(struct aqfs_workspace *ws, struct error *e);
void session_end(struct aqfs_workspace *ws);

/* Writes what the mounts brought into the directory FD: session_fill.c. */
struct memory_object;
int session_fill(int fd, const struct memory_object *directory, struct error *e);

/* Removes the directory NAME of the directory AT with all below it, but what is on other mounts:
 * session_remove.c.  What cannot be removed stays. */
void session_remove(int at, const char *name);

/* Removes those directories of sessions in TEMP that nobody holds any more. */
void session_sweep(int temp);
bool is_session_name(const char *name);

/* -- revisions.c: how often files were written.
 *
 * A file that a call writes follows the one that it replaces: created when that
 * was, and written once more.  One that another program has written to since it
 * was looked at counts once more, too. */

struct revisions *revisions_new(void);
void revisions_free(struct revisions *r);
/* Fills in what is known of a file, or begins to count. */
void revisions_look(struct revisions *r, struct info *info);
/* MADE follows LIKE, which may be NULL. */
bool revisions_follow(struct revisions *r, const struct info *made, const struct info *like);

#endif
