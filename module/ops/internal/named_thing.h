/* named_thing.h -- files and directories by their names: what several tools check and hash.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_NAMED_THING_H
#define AQFS_NAMED_THING_H

#include "call.h"
#include "plan.h"

/* Fails with CODE and the message "Path '...' PROBLEM". */
int fail_place(struct call *c, enum code code, struct text_ref path, const char *problem);

/* Fails for a PATH at which there is TYPE instead of a regular file: AQFS_IS_DIRECTORY or
 * AQFS_NOT_REGULAR. */
int fail_not_file(struct call *c, struct text_ref path, enum node_type type);

/* PATH without trailing slashes and `/.`: with them, the path of a link means what the link leads
 * to.  *AS_DIRECTORY says whether there were any. */
struct text_ref name_itself(struct text_ref path, bool *as_directory);

/* Locates what is to be moved or deleted: what has the name PATH itself, never what it links to.
 * AQFS_NOT_A_DIRECTORY when PATH ends in a slash and names something else, AQFS_INVALID_ARGUMENT
 * for a project root, and the errors of plan_locate. */
int locate_itself(struct call *c, struct plan *p, struct text_ref path, struct place *at,
                  struct info *seen);

/* Fails if the directory AT, which the caller called PATH, cannot be moved or deleted as a whole:
 * AQFS_RESTRICTED when a rule applies below it, AQFS_INVALID_ARGUMENT when a root lies below it. */
int check_below(struct call *c, struct text_ref path, const struct place *at);

/* Sets HEX to the hash of the file or link AT, or of the directory AT with all below it.  Leaves
 * HEX as it is for what is too large or cannot be read: its inode, size and times must do. */
int hash_target(struct call *c, struct change *change, const struct place *at,
                const struct info *info, char hex[HASH_HEX]);

#endif
