/* start.h -- a command becomes a process.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_START_H
#define AQFS_START_H

#include "command.h"

struct started {
    pid_t pid;
    int out, err;      /* where its output is read; ERR is -1 where OUT is its terminal */
    char terminal[64]; /* the name of its terminal, or "" */
};

/* Where starting failed, and why. */
struct start_refusal {
    const char *what; /* a word for the owner */
    int errnum;
};

/* Starts COMMAND in a session of its own, with nothing open but 0, 1 and 2 (and 9, the filter).
 * Returns false, with nothing started, when that fails. */
bool start_command(const struct command *command, struct started *out,
                   struct start_refusal *refusal);

#endif
