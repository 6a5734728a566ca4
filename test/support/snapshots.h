/* snapshots.h -- asking for snapshots in a test, of the project that support.h opens.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SNAPSHOTS_H
#define SNAPSHOTS_H

#include "changes.h"

/* For open_project: where snapshots are kept. */
#define STATE "\"state_dir\":\"%s/state\""

/* The id of a new snapshot; valid as long as its reply. */
const char *snapshot(aqfs_workspace *ws);
/* The reply to OP on a snapshot. */
json_t *on_snapshot(aqfs_workspace *ws, const char *op, const char *id);
/* Goes back to ID, and fails the test unless nothing differs then. */
json_t *go_back(aqfs_workspace *ws, const char *id);
/* Fails the test unless going back is the error CODE. */
void check_stays(aqfs_workspace *ws, const char *id, const char *code);

/* The permission bits, as written in octal; -1 where there is nothing. */
int mode_of(const char *path);
/* 'f', 'd', 'l', 'p', '-' where there is nothing. */
char type_of(const char *path);

#endif
