/* SPDX-License-Identifier: MIT */
/* place.h -- the tree that is raced on, and the process that exchanges what is in it. */
#ifndef RACE_PLACE_H
#define RACE_PLACE_H

#include <stdbool.h>
#include <sys/types.h>

/* Twelve bytes each, at the start of every file of its directory, and a name there. */
#define MARK_INSIDE "INSIDE--MARK"
#define MARK_OUTSIDE "OUTSIDE-MARK"
#define MARK_RESTRICTED "RESTRICT-MRK"
#define MARK_STORE "STORE---MARK"

/* Where it is, the current directory too. */
extern char *base;

/* These take the place of `d`: links to what is outside, restricted and `.git`; a bare repository;
 * a directory of the repository that the root is meanwhile, of which `d`, with its pointer file, is
 * a working tree. */
#define SWAPS 5
extern const char *const swaps[SWAPS];
/* Readers must not follow the first ones. */
#define SWAPS_OF_READERS 2

void make_place(void);
void remove_place(void);
/* Makes of `d` what it was, whatever the last change left. */
void restore_place(void);

/* The files that must never change, wherever they are, as one text; the caller frees it. */
char *untouchable(void);

/* Is SIGN in the root, but for what is restricted: in a name or in a file? */
bool has_come_in(const char *sign);
/* Is SIGN in a record of what calls have replaced? */
bool was_kept(const char *sign);

/* Exchanges `d` with LINK, one of the swaps, and back without pause, or with up to LONGEST calls
 * between. */
pid_t start_renamer(const char *link, unsigned longest);
/* Stops it, and leaves `d` what it was. */
void stop_renamer(pid_t child, const char *link);

#endif
