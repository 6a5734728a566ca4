/* SPDX-License-Identifier: MIT */
/* place.h -- the tree that is raced on, and the process that exchanges what is in it. */
#ifndef RACE_PLACE_H
#define RACE_PLACE_H

#include <sys/types.h>

/* Twelve bytes each, at the start of every file of its directory, and a name there. */
#define MARK_INSIDE "INSIDE--MARK"
#define MARK_OUTSIDE "OUTSIDE-MARK"
#define MARK_RESTRICTED "RESTRICT-MRK"
#define MARK_STORE "STORE---MARK"

/* Where it is, the current directory too. */
extern char *base;

void make_place(void);
void remove_place(void);
/* Makes of `d` what it was, whatever the last change left. */
void restore_place(void);

/* Exchanges `d` with LINK and back without pause, or with up to LONGEST calls between. */
pid_t start_renamer(const char *link, unsigned longest);
/* Stops it, and leaves `d` a directory again. */
void stop_renamer(pid_t child, const char *link);

#endif
