/* workspace_open.h -- making, resetting, describing and closing a workspace.
 *
 * This room alone knows every part that a workspace may have.  aqfs_close and
 * aqfs_free (aqfs.h) are in workspace_close.c.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_WORKSPACE_OPEN_H
#define AQFS_WORKSPACE_OPEN_H

#include "workspace.h"

/* Opens a workspace from OPTIONS, a JSON object.  It does not look for interrupted commits:
 * journal_recover does. */
int workspace_make(const json_t *options, struct aqfs_workspace **out, struct error *e);

/* Puts a workspace in memory or a session back to the files it was opened with.  AQFS_RACED while a
 * call is running; AQFS_INVALID_ARGUMENT for other workspaces and closed ones. */
int workspace_reset(struct aqfs_workspace *ws, struct error *e);

/* Closes the descriptors and tables of WS.  The struct itself stays, so that calls can be told that
 * the workspace is closed. */
void workspace_release(struct aqfs_workspace *ws);

/* Writes the members that identify a workspace: its root, method, mode, backend and mounts. */
struct reply;
void workspace_describe(const struct aqfs_workspace *ws, struct reply *r);

/* The same and the limits, for the program that has opened it. */
void workspace_describe_opened(const struct aqfs_workspace *ws, struct reply *r);

#endif
