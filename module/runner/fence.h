/* fence.h -- a fence around a command: Landlock, a filter, no capabilities.
 *
 * Landlock is the kernel's: a process gives up what its rules do not allow, and so do all that it
 * starts.  Rules only allow, and what they allow of a directory they allow of all below it.  So a
 * directory with something below it that must not be written is not allowed to be written itself,
 * but each of its entries is, that is there when the command begins; and no name can be
 * made, deleted or changed in that directory.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_FENCE_H
#define AQFS_FENCE_H

#include "reach.h"

/* How far the kernel's Landlock goes: its ABI, or 0 and errno where there is none. */
int fence_level(void);

/* A descriptor of the rules for a command with the terminal TERMINAL ("" for none), or -1 and
 * errno. */
int fence_build(const struct reach_rules *rules, const char *terminal);

/* Puts this process behind the fence of the descriptor, for ever; false and errno if it is not. */
bool fence_enter(int fd);

#endif
