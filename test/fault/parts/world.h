/* SPDX-License-Identifier: MIT */
/* world.h -- the directories that a fault test plays with.
 *
 *     BASE/root       the project
 *     BASE/outside    what must never change
 *     BASE/state      journals
 */
#ifndef FAULT_WORLD_H
#define FAULT_WORLD_H

#include "aqfs.h"
#include "child.h"
#include "die.h"
#include "files.h"
#include "picture.h"

#include <stdbool.h>

extern char *base;

/* Makes BASE, and makes it the current directory: names are those above. */
void world_start(void);
void world_end(void);
/* Removes the project and its journals. */
void world_clear(void);

/* MORE is further members of the options, each with a comma before it. */
aqfs_workspace *open_with(const char *resolver, const char *more);
aqfs_workspace *open_workspace(const char *resolver);

/* The path of a journal that is left, to be freed, or NULL. */
char *find_journal(void);

/* How many sweeps or cases of this program passed. */
extern struct score { int passed, failed; } score;
void count_result(bool passed);
/* Prints the counts; the program's exit status. */
int report_score(void);

#endif
