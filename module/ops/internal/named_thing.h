/* named_thing.h -- what delete_file, move_file and copy_file ask of what has a name.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_NAMED_THING_H
#define AQFS_NAMED_THING_H

#include "call.h"
#include "plan.h"

/* "Path '...' PROBLEM". */
int fail_place(struct call *c, enum code code, struct text_ref path, const char *problem);

/* The path without trailing slashes, which would make a link mean what it leads to. */
struct text_ref name_itself(struct text_ref path, bool *as_directory);

/* Locates what is to be moved or deleted: the thing that has this name, never what it links to. */
int locate_itself(struct call *c, struct plan *p, struct text_ref path, struct place *at,
                  struct info *seen);

/* AQFS_RESTRICTED, AQFS_INVALID_ARGUMENT where a rule or a root lies below the directory AT. */
int check_below(struct call *c, struct text_ref path, const struct place *at);

/* HEX becomes the hash of what is AT a place, of a directory with all below it. */
int hash_target(struct call *c, struct change *change, const struct place *at,
                const struct info *info, char hex[HASH_HEX]);

#endif
