/* SPDX-License-Identifier: MIT */
/* shim.h -- the calls that the core makes of libc, made to fail at will.
 *
 * The program is linked with --wrap for each of them (wrap.flags), so that
 * `openat` in the core is __wrap_openat in shim.c, or in shim_memory.c.  While
 * armed, the calls of one kind are counted, and the one numbered `at`, or each
 * from there on, fails, does half of what it should, or is the last of its
 * process.
 */
#ifndef FAULT_SHIM_H
#define FAULT_SHIM_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum effect {
    EFFECT_NONE,
    EFFECT_FAIL,       /* with ERRNUM */
    EFFECT_HALF,       /* writes and reads half */
    EFFECT_MEMORY,     /* an allocation fails */
    EFFECT_KILL,       /* SIGKILL instead of the call */
    EFFECT_KILL_AFTER, /* and behind it */
    EFFECT_KILL_HALF,  /* behind a transfer of half */
    EFFECT_BETWEEN,    /* fault_between is called before each, and nothing fails */
};

struct fault {
    enum effect effect;
    int errnum;
    long at; /* the first is 1 */
    bool for_ever;
    bool between; /* whatever the effect, fault_between is called before each system call */
    /* The events. */
    bool armed;
    long seen;         /* calls of the kind that the effect is about */
    const char *now;   /* the system call before which fault_between is called */
    long locked;       /* the number of the first flock: all is planned by then */
    int synced;        /* and the descriptor, of an fsync */
    const char *name;  /* of the first call that was hit, or NULL */
    bool on_directory; /* it was an fsync of one of the project's */
    bool synced_again; /* fsync was repeated on a file for which it had failed */
};

/* The fault that is armed, or what became of the last one. */
extern struct fault fault;
extern void (*fault_between)(void);

/* The machine's state, whether or not a fault is armed. */
extern struct machine {
    bool much_waits;    /* /proc/meminfo says that there is much to write */
    bool plain_renames; /* a rename knows no flags */
    bool no_statx;      /* only /proc tells which mount a file is on */
    bool same_random;   /* nothing is random: every name is taken */
    bool no_leases;     /* files have no leases */
} machine;

/* Before anything else, once. */
void shim_start(void);
void fault_arm(struct fault what);

/* For shim_memory.c: is this allocation, of the function NAME, to fail? */
bool memory_fails(const char *name);

/* For programs whose own calls are not to be counted. */
json_t *__real_json_loadb(const char *text, size_t n, size_t flags, json_error_t *problem);

#endif
