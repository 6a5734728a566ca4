/* command.h -- what is to be run, as the owner's records say it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_COMMAND_H
#define AQFS_COMMAND_H

#include "reach.h"
#include "record.h"

#include <sys/resource.h>

struct strings {
    char **at; /* ends in NULL once there is one */
    size_t n, cap;
};

struct resource_limit {
    __rlimit_resource_t resource;
    rlim_t most;
};

#define LIMITS_MOST 8

struct command {
    struct strings words, environment;
    struct strings guarded;   /* names that only reading may reach, in each tree that is written */
    struct strings masks;     /* names that are not there, and must not be for the command */
    struct reach_rules reach; /* what it may reach, where it is fenced */
    char *directory;          /* absolute and canonical */
    char *mark;               /* the variable that processes of a container are known by, or NULL */
    rlim_t mark_limit;
    struct resource_limit limits[LIMITS_MOST];
    size_t limit_count;
    size_t keep;     /* bytes of the end of an output that are kept for an owner who does not ask */
    uint64_t credit; /* bytes of an output that the owner takes at once */
    unsigned short rows, columns;
    bool terminal;
    bool filter;     /* a filter for system calls is at descriptor 9 */
    bool fenced;     /* it may reach what the rules say, and no network */
    bool deaf;       /* the first program ignores what a terminal's keys send */
    bool understood; /* the owner is of this version */
    bool ready;      /* the record `start` has come */
};

/* Takes one record of the request.  Returns NULL, or what is wrong with it. */
const char *command_take(struct command *command, const struct record *record);

/* The value of the variable NAME of the environment, or NULL. */
const char *command_variable(const struct command *command, const char *name);

/* Sets the variable NAME of the environment; false when there is no memory. */
bool command_set_variable(struct command *command, const char *name, const char *value);

void command_free(struct command *command);

#endif
