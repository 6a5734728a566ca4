/* SPDX-License-Identifier: MIT */
/* mutants.h -- three readers with a hole, which the race test must find.
 *
 * Each is how such a reader is commonly written.  They show that the test has
 * the power to catch what it claims the core is free of.
 */
#ifndef RACE_MUTANTS_H
#define RACE_MUTANTS_H

#include <stddef.h>

/* Check the name, then open the name. */
void realpath_then_open(const char *root, const char *path, char *reply, size_t room);

/* The kernel keeps it inside, but what was judged is not what is opened. */
void beneath_on_original(const char *root, const char *path, char *reply, size_t room);

/* One component at a time, but following links between them. */
void steps_without_nofollow(const char *root, const char *path, char *reply, size_t room);

#endif
