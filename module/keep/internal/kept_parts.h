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

/* The parts of an id: digits of the time, and random ones. */
#define ID_TIME 16
#define ID_REST 12

/* Adds the id NAME; without memory, IDS has failed. */
void kept_ids_add(struct kept_ids *ids, const char *name);
void kept_ids_sort(struct kept_ids *ids);

/* Finds the record ID: sets size, and either fd or copy. */
int kept_find(struct work *work, const char *id, struct kept_call *out);

/* Copies N bytes of the record from AT on.  False if there are not so many. */
bool kept_bytes_at(const struct kept_call *call, size_t at, size_t n, char *out);

#endif
