/* deeds.h -- what is done until power is lost: one call or a few, in one workspace.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef POWERCUT_DEEDS_H
#define POWERCUT_DEEDS_H

#include <stdbool.h>
#include <stddef.h>

#define REQUESTS_MOST 3
#define SNAPSHOTS_MOST 4

/* $0 in the arguments is the first snapshot of the deed, $1 the second; see with_records, too. */
struct request {
    const char *op, *args;
};

struct deed {
    char name[48];
    const char *subject; /* as reset_for takes it, or NULL: the name */
    struct request requests[REQUESTS_MOST];
    size_t requests_n;
    int several;      /* so many files are made for it */
    bool apart;       /* each in a directory of its own */
    int snapshots;    /* so many are taken first, with changes between them */
    size_t forgotten; /* so many of these it forgets */
    bool busy;        /* other programs' data waits for the disk: it is not synced as a whole */
    bool plain;       /* a rename knows no flags */
};

extern struct deed deeds[];
extern size_t deeds_n;

/* Makes what is outside, and lists the deeds. */
void start_deeds(void);

/* The snapshots that were reported, in order, and a picture of what each holds. */
extern struct snapshots {
    char ids[SNAPSHOTS_MOST][40];
    char *held[SNAPSHOTS_MOST];
    size_t n;
} snapshots;
/* Notes the snapshot in a reply, if it tells of one; HELD is taken. */
void note_snapshot(const char *reply, const char *key, const char *held);
void forget_snapshots(void);

/* Makes the project anew, and takes the deed's snapshots. */
void begin_deed(const struct deed *deed);

/* The arguments of a request, freed by the caller. */
char *arguments_of(const struct request *request);

#endif
