/* leading.h -- what the leader knows of its command.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_LEADING_H
#define AQFS_LEADING_H

#include "output.h"
#include "start.h"
#include "tree.h"

enum phase {
    PHASE_REQUEST, /* the request is being read */
    PHASE_GOING,
    PHASE_ASKED,   /* everything was asked to end, and has a moment for it */
    PHASE_KILLING, /* what is left is killed, until nothing is */
    PHASE_OVER     /* the owner is told the rest */
};

struct leading {
    pid_t guard;          /* the parent, as long as it lives */
    int in, out, signals; /* descriptors; IN is -1 when it has ended */
    enum phase phase;
    int64_t deadline; /* of the phase, in milliseconds of the monotonic clock */
    struct command command;
    struct started started;
    struct stream streams[2];
    struct buf received; /* bytes of a record that is not whole yet */
    struct buf records;  /* for the owner */
    struct buf typing;   /* for the terminal, from TYPED on */
    size_t typed;
    uint64_t typed_all;
    bool out_failed; /* the owner does not read any more */
    bool orphaned;   /* the guard was killed: the owner sees that, and is told no other end */
    int status;      /* as wait has it, once the command has ended */
    bool ended;
    struct pids killed;
    size_t left;           /* how many were alive when the command had ended by itself */
    long peak;             /* KiB of the largest process */
    uint64_t user, system; /* microseconds */
};

int64_t leader_now(void);

/* leader_owner.c: what the owner sends and is sent. */

/* Reads what the owner sends. */
void leader_read_owner(struct leading *l);
/* Sends the owner what there is for it, as far as it reads. */
void leader_write_owner(struct leading *l);
/* Types what the owner has sent, as far as the program reads. */
void leader_type(struct leading *l);
/* Says that nothing is run, and why. */
void leader_refuse(struct leading *l, const char *what, const char *why);

/* leader_end.c: how it ends. */

/* Takes note of children that have ended. */
void leader_reap(struct leading *l);
/* Asks everything to end. */
void leader_ask(struct leading *l);
/* Kills everything. */
void leader_kill(struct leading *l);
/* Goes on to the next phase, where it is time for it. */
void leader_step(struct leading *l);

#endif
