/* recorder.h -- the calls that the core makes of the disk, seen from below it.
 *
 * The program is linked with --wrap for each of them (wrap.flags): `fsync` in the core is
 * __wrap_fsync in recorder.c.  While a log is recorded, calls that change something are made one
 * after another and noted, whichever thread they come from.
 *
 * A tree that is made anew (build.h) has other inodes than the one that it stands for, and what a
 * journal says of inodes would fit nothing.  So the core is shown the numbers of the first tree.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef POWERCUT_RECORDER_H
#define POWERCUT_RECORDER_H

#include "log.h"

/* Notes the calls from now on in LOG; NULL: no more.  SLOW: it is yesterday, on a machine on
 * which all takes 1,000 times as long, as the times of files show.  Those that are there are at
 * least an hour old. */
void record_into(struct log *log, bool slow);
/* Notes nothing for a while. */
void record_pause(bool paused);
void record_answer(void);

/* The sync with the number AT, the first is 1, fails; 0: none does.  SILENT: a syncfs that fails
 * says that it did not, as before Linux 5.17, and only each later fsync says so. */
void fail_sync(long at, bool silent);
/* How many there were since then. */
long syncs_seen(void);

/* The machine's state. */
extern struct powercut_machine {
    bool much_waits;    /* /proc/meminfo says that there is much to write */
    bool plain_renames; /* a rename knows no flags */
    bool started_since; /* it has just been started */
} powercut_machine;

/* The inode REAL is shown as AS, until forget_inodes. */
void show_inode(uint64_t real, uint64_t as);
uint64_t shown_inode(uint64_t real);
void forget_inodes(void);

#endif
