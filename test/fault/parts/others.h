/* SPDX-License-Identifier: MIT */
/* others.h -- what others do between two system calls of a change. */
#ifndef FAULT_OTHERS_H
#define FAULT_OTHERS_H

#include "aqfs.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* One point: what is done, at which call, and at which later one again. */
struct point {
    const char *resolver;
    const char *link; /* of a swap */
    long at, until;   /* 0: never */
    char path[256];
    int found; /* what another editor has found to open */
    int fd;    /* and keeps open */
    bool done; /* it did what it is there for */
    pid_t child;
};

extern struct point point;

enum kind { KIND_SWAP, KIND_WRITE, KIND_REPLACE, KIND_ABSENT, KIND_FACT, KIND_RECOVER, KIND_EDIT };

struct other {
    const char *name;
    enum kind kind;
    void (*act)(void);
    const char *link; /* of a swap */
    long steps[4];    /* how many calls later it acts again, ended by 0; -1: never */
    const char *sign; /* what is in the picture of a tree that has it */
    long lost;        /* how often it may be lost: just before the exchange, where nothing shows */
};

extern const struct other others[];
extern const size_t other_count;

/* Exchanges the directory with the link of a swap, or back. */
void exchange(void);
/* It writes at once, by the file's name. */
bool appends(const struct other *other);
/* It has the file open and writes to it later. */
bool holds(const struct other *other);
/* It is only to be met where there are no leases: a lease would have kept it away. */
bool is_never_leased(const struct other *other);

aqfs_workspace *open_restricted(const char *resolver);

#endif
