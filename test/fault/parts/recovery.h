/* SPDX-License-Identifier: MIT */
/* recovery.h -- a project in which a process is killed, for the tests of what comes then. */
#ifndef FAULT_RECOVERY_H
#define FAULT_RECOVERY_H

#include "shim.h"
#include "world.h"

#define TEMP ".aqfs-11111111111111111111111111111111.tmp"
#define EDIT "{\"path\":\"a\",\"old_str\":\"two\",\"new_str\":\"2\"}"

void start_recovery(void);
/* Prints the counts; the program's exit status. */
int end_recovery(void);

/* Makes the project anew. */
void start_over(void);
aqfs_workspace *open_again(void);
/* The error of one request, "" for none; valid until the next. */
const char *error_of(aqfs_workspace *ws, const char *op, const char *args);
/* Does EDIT, the edit of the file `a`, work? */
bool edits(aqfs_workspace *ws);
/* The case NAME is as it should be, or is not. */
void count_case(const char *name, bool ok);

/* Runs ACT in a process that is killed when it makes its AT-th system call. */
void die_in(void (*act)(aqfs_workspace *), long at);
/* Has an edit be killed when it has just begun its journal, whose path is to be freed. */
char *die_with_journal(void);

#endif
