/* snapshots.h -- asking for snapshots in a test, of the project that support.h opens.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SNAPSHOTS_H
#define SNAPSHOTS_H

#include "changes.h"

/* Members for open_project: where snapshots are kept. */
#define STATE "\"state_dir\":\"%s/state\""

/* The id of a new snapshot; valid as long as its reply. */
const char *snapshot(aqfs_workspace *ws);
/* The reply to OP on a snapshot. */
json_t *on_snapshot(aqfs_workspace *ws, const char *op, const char *id);
/* Restores the snapshot ID, and fails the test unless nothing differs afterwards. */
json_t *go_back(aqfs_workspace *ws, const char *id);
/* Fails the test unless restoring is the error CODE. */
void check_stays(aqfs_workspace *ws, const char *id, const char *code);

/* The permission bits, written in octal; -1 for a missing file. */
int mode_of(const char *path);
/* 'f', 'd', 'l' or 'p' for its type; '-' for a missing file. */
char type_of(const char *path);

#endif
