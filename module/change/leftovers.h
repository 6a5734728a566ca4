/* leftovers.h -- the directories in which a workspace may have left temporary names.
 *
 * A file under a temporary name is removed without waiting for the disk, so a loss
 * of power can bring it back, long after the change was answered.  All such
 * names of a workspace begin alike, and its journal says in which directories
 * they are, before the first one is made there.  Recovery then finds them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_LEFTOVERS_H
#define AQFS_LEFTOVERS_H

#include "journal.h"

struct leftovers {
    struct directory {
        size_t root; /* its index */
        char *path;
    } * all;
    size_t n, room;
};

/* Is the directory of the step's target among them? */
bool leftovers_know(const struct leftovers *l, const struct journal_step *step);
/* Adds it, unless there is no memory. */
void leftovers_add(struct leftovers *l, const struct journal_step *step);
void leftovers_free(struct leftovers *l);

/* Has the disk take the names in all of them.  False when it may not have all. */
bool leftovers_sync(struct aqfs_workspace *ws, const struct leftovers *l);

/* Removes what has a temporary name in one of them that is shared with OWNER (own_file.h), and has
 * the disk take that.  False if something failed that may succeed later. */
bool leftovers_remove(struct aqfs_workspace *ws, const struct leftovers *l, const char *owner);

#endif
