/* SPDX-License-Identifier: MIT */
/* owner.h -- an owner of the program agent-q-fs-run. */
#ifndef AQFS_TEST_OWNER_H
#define AQFS_TEST_OWNER_H

#include "record.h"

enum way_to_end {
    BY_ASKING,
    BY_LEAVING,
    BY_KILLING_THE_GUARD,
    BY_KILLING_THE_LEADER,
    BY_STOPPING_BOTH, /* and killing the guard */
    WAYS
};
extern const char *const way_names[WAYS];

struct running {
    pid_t guard;
    int in, out;
    struct buf said;
};

extern int failed, passed;

void check(bool holds, const char *name, const char *what);
/* The times that 2 seconds of a machine that is not busy are. */
long slowness(void);
void pause_for(long milliseconds);

struct running start_runner(void);
void send_bytes(const struct running *r, const struct buf *b);
void add_word(struct buf *b, const char *word, const char *body);
/* Starts SCRIPT with one more record; the record `fence` stands for a whole fence. */
struct running start_script(const char *script, const char *more_word, const char *more_body);
/* Reads until TEXT has come, or all that comes where it is NULL.  Returns whether it came. */
bool read_until(struct running *r, const char *text);
void leave(struct running *r);
void finish_runner(struct running *r);
/* Runs SCRIPT to its end, and checks that the runner says WANTED. */
void expect(const char *name, const char *script, const char *more_word, const char *more_body,
            const char *wanted);
pid_t leader_of(pid_t guard);
void end_by(struct running *r, enum way_to_end way);

/* escapes.c */
void try_escapes(long tries);

/* fence.c */
void add_fence(struct buf *b);
void check_fence(void);

#endif
