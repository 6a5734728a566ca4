/* tree_remove.h -- removing a directory and all below it. */
#ifndef AQFS_TREE_REMOVE_H
#define AQFS_TREE_REMOVE_H

#include "call.h"

/* Removes NAME of DIR and what is below it; links are removed, never followed, and nothing on
 * another mount is entered. */
int tree_remove(struct call *c, const struct node *dir, const char *name);

#endif
