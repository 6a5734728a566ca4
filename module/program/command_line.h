/* command_line.h -- the options of `agent-q-fs mcp`.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_COMMAND_LINE_H
#define AQFS_COMMAND_LINE_H

#include "settings.h"

#include <stdio.h>

struct parsed {
    struct settings settings;
    const char *not_for_emacs; /* an option that was given and is Emacs' to decide, or NULL */
    char *audit;               /* what the settings point to, where it was made here */
    bool help;
};

/* Reads the N words behind the command.  Returns 0, or 2 after saying on stderr what is wrong. Call
 * command_line_free in either case. */
int command_line_read(int n, char **words, struct parsed *out);
void command_line_free(struct parsed *parsed);

/* Where state is kept if nobody says so, for the caller to free; NULL if nothing tells. */
char *command_line_state_directory(void);

/* Prints the meaning of each option. */
void command_line_help(FILE *to);

#endif
