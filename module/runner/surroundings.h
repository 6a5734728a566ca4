/* surroundings.h -- what a command needs before it starts: a place of its own, masks, a fence's
 * rules.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_SURROUNDINGS_H
#define AQFS_SURROUNDINGS_H

#include "start.h"

/* Makes what COMMAND needs on the disk, and completes its rules and its environment.  Returns false
 * when that fails. */
bool surroundings_make(struct command *command, struct start_refusal *refusal);

#endif
