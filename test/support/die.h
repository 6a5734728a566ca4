/* die.h -- ending a test program that cannot go on.
 *
 * A campaign ends with status 2, which its run script counts as a failure.  A
 * Unity program goes on with its next test: its main, which scripts/unity-
 * main.sh writes, sets die_instead for that.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TEST_DIE_H
#define TEST_DIE_H

#include <stdbool.h>

/* Prints the message to stderr and exits with 2, or hands it to die_instead. */
__attribute__((noreturn, format(printf, 1, 2))) void die(const char *format, ...);

/* Dies with WHAT and what errno means; and unless OK. */
__attribute__((noreturn)) void die_of(const char *what);
void must(bool ok, const char *what);

/* If set, is called with die's message.  It must not return. */
extern void (*die_instead)(const char *message);

#endif
