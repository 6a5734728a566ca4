/* workspace_open.h -- putting a workspace together, and taking it apart.
 *
 * This room alone knows every part that a workspace may have.  aqfs_close and
 * aqfs_free (aqfs.h) stand in workspace_close.c.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_WORKSPACE_OPEN_H
#define AQFS_WORKSPACE_OPEN_H

#include "workspace.h"

/* Opens a workspace from OPTIONS, a JSON object.  Commits that were interrupted are not looked at:
 * that is journal_recover. */
int workspace_make(const json_t *options, struct aqfs_workspace **out, struct error *e);

/* Puts a workspace in memory or a session back to what it was opened with. */
int workspace_reset(struct aqfs_workspace *ws, struct error *e);

/* Closes the descriptors and tables that it has to itself.  The struct stays, to answer "closed".
 */
void workspace_release(struct aqfs_workspace *ws);

/* Writes the members that tell which workspace this is: root, method, mode. */
struct reply;
void workspace_describe(const struct aqfs_workspace *ws, struct reply *r);

/* The same, and the limits: for the program that has opened it. */
void workspace_describe_opened(const struct aqfs_workspace *ws, struct reply *r);

#endif
