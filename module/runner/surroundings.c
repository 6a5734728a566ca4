/* surroundings.c -- what a command needs before it starts: see surroundings.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "surroundings.h"

#include "buf.h"
#include "cleanup.h"
#include "leavings.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool make_masks(const struct command *command) {
    for (size_t i = 0; i < command->masks.n; i++)
        if (!leavings_mask(command->masks.at[i]))
            return false;
    return true;
}

/* A directory that the command cannot read has no programs for it, but would hide those of the same
 * names in the directories behind it. */
static bool keep_reached_path(struct command *command) {
    AUTO(buf_free) struct buf kept = {0};
    const char *at = command_variable(command, "PATH");
    if (!at)
        return true;
    for (size_t n; *at; at += n + (at[n] == ':')) {
        n = strcspn(at, ":");
        AUTO_FREE char *directory = strndup(at, n);
        if (!directory)
            return false;
        if (reach_at(&command->reach, directory) == REACH_NOTHING)
            continue;
        buf_str(&kept, kept.len ? ":" : "");
        buf_add(&kept, at, n);
    }
    return !kept.failed && command_set_variable(command, "PATH", kept.len ? kept.data : "");
}

/* The scratch directory is the command's home, and has its temporary files. */
static bool set_scratch(struct command *command, const char *scratch) {
    static const char *const parts[][2] = {{"HOME", "home"}, {"TMPDIR", "tmp"}};
    for (size_t i = 0; i < 2; i++) {
        char name[120];
        (void)snprintf(name, sizeof name, "%s/%s", scratch, parts[i][1]);
        if (!command_set_variable(command, parts[i][0], name))
            return false;
    }
    char *path = strdup(scratch);
    return path && reach_add(&command->reach, path, REACH_WRITING);
}

static bool complete_rules(struct command *command, const char *scratch) {
    for (size_t i = 0; i < command->guarded.n; i++)
        if (!reach_guard(&command->reach, command->guarded.at[i]))
            return false;
    return set_scratch(command, scratch) && keep_reached_path(command);
}

bool surroundings_make(struct command *command, struct start_refusal *refusal) {
    const char *scratch = NULL;
    if (!make_masks(command)) {
        *refusal = (struct start_refusal){"mask", errno};
        return false;
    }
    if (command->fenced && !(scratch = leavings_scratch())) {
        *refusal = (struct start_refusal){"scratch", errno};
        return false;
    }
    if (command->fenced && !complete_rules(command, scratch)) {
        *refusal = (struct start_refusal){"fence", ENOMEM};
        return false;
    }
    return true;
}
