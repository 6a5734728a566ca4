/* tool_sets.c -- which tools a model is given together.
 *
 * Every door reads the sets from here, by the catalogue.  Tools that a front end declares, such as
 * `shell`, name their sets where they are declared, and follow those that stand here.  But for
 * "all" and "agent-q", no set has two tools for one thing.
 *
 * SPDX-License-Identifier: MIT
 */
#include "tool_sets.h"

#include "table.h"
#include "table_rows.h"

#include <string.h>

static const char *const coding[] = {
    "read_file", "list_directory", "grep_files",       "edit_file", "create_file",
    "move_file", "delete_file",    "replace_in_files", NULL,
};

/* GPT-5 and its like were trained to write envelopes, which also create, move and delete. */
static const char *const gpt[] = {
    "apply_patch", "read_file", "list_directory", "grep_files", "replace_in_files", NULL,
};

static const char *const lisp[] = {
    "list_forms", "read_form",   "edit_form", "read_file",   "list_directory",   "grep_files",
    "edit_file",  "create_file", "move_file", "delete_file", "replace_in_files", NULL,
};

static const char *const read_only[] = {
    "get_project_root", "list_directory", "get_file_info", "read_file", "read_bytes",
    "search_files",     "grep_files",     "list_forms",    "read_form", "snapshot_list",
    "snapshot_diff",    "changes_list",   "changes_diff",  NULL,
};

/* The names that Agent-Q's users know. */
static const char *const agent_q[] = {
    "get_project_root", "list_directory",
    "directory_tree",   "get_file_info",
    "file_exists",      "read_file",
    "search_files",     "grep_files",
    "edit_file",        "insert_at_line",
    "create_file",      "move_file",
    "delete_file",      NULL,
};

const struct tool_set tool_sets[] = {
    {"coding", "For a model that changes a project.", 14000, coding},
    {"gpt", "For a model of the GPT family that changes a project: patches first.", 10000, gpt},
    {"lisp", "For a model that changes a project in Lisp.", 24000, lisp},
    {"read-only", "For a model that changes nothing.", 20000, read_only},
    {"agent-q", "For Agent-Q, with the names that its users know.", 20000, agent_q},
    {"all", "Every tool.", 60000, NULL},
};
const size_t tool_set_count = COUNT(tool_sets);

const char *tool_set_at(const struct tool_set *set, size_t at) {
    if (set->tools)
        return set->tools[at];
    return op_at(at) ? op_at(at)->name : NULL;
}

bool tool_set_has(const struct tool_set *set, const char *operation) {
    for (size_t at = 0; tool_set_at(set, at); at++)
        if (strcmp(tool_set_at(set, at), operation) == 0)
            return true;
    return false;
}
