/* session.h -- the backend whose bytes are files in a directory of the session's own.
 *
 * The first call makes the directory in the temporary directory, with a name
 * that nobody can guess, with permissions for its owner only, and with the
 * mounts' files in it.  It is made anew after a reset, or when it is gone.  It is
 * locked while it is in use, and removed when the workspace is closed.  The
 * directory of a process that was killed is removed when the next session is
 * opened.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_SESSION_H
#define AQFS_SESSION_H

#include "workspace.h"

struct memory_object;

extern const struct backend session_backend;

/* -- parts of session_backend */

struct session_state {
    int temp;   /* the temporary directory */
    int fd;     /* the session's own directory, locked; -1 while there is none */
    char *name; /* the own directory's name in the temporary one */
    struct revisions *revisions;
};

/* These have the contracts of backend.h. */
int session_open_roots(struct aqfs_workspace *ws, const struct options *o, struct error *e);
int session_begin(struct aqfs_workspace *ws, struct error *e);
int session_reset(struct aqfs_workspace *ws, struct error *e);
void session_end(struct aqfs_workspace *ws);

/* Copies DIRECTORY, which the mounts brought, into the directory FD. */
int session_fill(int fd, const struct memory_object *directory, struct error *e);

/* Removes the directory NAME of the directory AT with everything below it, except on other mounts.
 * Entries that cannot be removed stay. */
void session_remove(int at, const char *name);

/* Removes the directories of sessions in TEMP that no process has locked: they were abandoned. */
void session_sweep(int temp);

/* Is NAME of the form that a session's directory has? */
bool is_session_name(const char *name);

/* -- revisions.c: counting the writes to each file.
 *
 * A file that a call writes continues the history of the one that it replaces: it
 * has the same time of creation, and one write more.  A file that another program
 * has changed since it was last looked at has one write more, too. */

/* NULL without memory. */
struct revisions *revisions_new(void);
void revisions_free(struct revisions *r);

/* Fills in the revision and time of creation of the file of INFO; its count starts here if it has
 * none. */
void revisions_look(struct revisions *r, struct info *info);

/* MADE, a new file, continues the history of LIKE, which may be NULL.  False without memory. */
bool revisions_follow(struct revisions *r, const struct info *made, const struct info *like);

#endif
