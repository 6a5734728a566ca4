/* ops.c -- the table of operations, and its description as data.
 *
 * SPDX-License-Identifier: MIT
 */
#include "ops.h"

#include "reply.h"

#include <string.h>

#define MANY 1000000000000 /* more than any count of lines, bytes or entries here */

#define PATH(word)                                                                                 \
    { .name = "path", .type = PARAM_PATH, .required = true, .doc = word " to look at." }
#define BASE(word)                                                                                 \
    {                                                                                              \
        .name = "path", .type = PARAM_PATH, .standard = "\".\"",                                   \
        .doc = word ", relative to the project root."                                              \
    }
#define OFFSET(what)                                                                               \
    {                                                                                              \
        .name = "offset", .type = PARAM_INTEGER, .standard = "0", .least = 0, .most = MANY,        \
        .doc = what " to skip before the first one shown."                                         \
    }
#define LIMIT(n, from, what)                                                                       \
    {                                                                                              \
        .name = "limit", .type = PARAM_INTEGER, .standard = n, .least = from, .most = MANY,        \
        .doc = what                                                                                \
    }
#define EXCLUDE                                                                                    \
    {                                                                                              \
        .name = "exclude_patterns", .type = PARAM_STRINGS, .standard = "[\".git\"]",               \
        .doc = "Globs of basenames to leave out; [] leaves out nothing."                           \
    }
#define FLAG(word, text)                                                                           \
    { .name = word, .type = PARAM_BOOLEAN, .standard = "false", .doc = text }

static const struct param list_directory_params[] = {
    BASE("The directory"),
    {.name = "depth",
     .type = PARAM_INTEGER,
     .standard = "1",
     .least = 1,
     .most = 256,
     .doc = "Levels to list: 1 is the directory itself."},
    OFFSET("Entries"),
    LIMIT("200", 1, "The most entries to show."),
    FLAG("show_hidden", "Show names that begin with a dot."),
    {.name = "sort_by",
     .type = PARAM_CHOICE,
     .standard = "\"name\"",
     .choices = "name|size|modified",
     .doc = "By name, largest first, or newest first."},
    EXCLUDE,
};

static const struct param list_dir_params[] = {
    BASE("The directory"),
    {.name = "depth",
     .type = PARAM_INTEGER,
     .standard = "2",
     .least = 1,
     .most = 256,
     .doc = "Levels to list: 1 is the directory itself."},
    OFFSET("Entries"),
    LIMIT("200", 1, "The most entries to show."),
};

static const struct param directory_tree_params[] = {
    BASE("The directory"),
    EXCLUDE,
    {.name = "max_depth",
     .type = PARAM_INTEGER,
     .standard = "0",
     .least = 0,
     .most = 256,
     .doc = "Levels to show; 0 shows all."},
    LIMIT("2000", 0, "The most entries to show; 0 shows all."),
};

static const struct param path_params[] = {PATH("The file or directory")};

static const struct param read_file_params[] = {
    PATH("The text file"),
    {.name = "start_line",
     .type = PARAM_INTEGER,
     .least = INT64_MIN,
     .most = INT64_MAX,
     .doc = "The first line to show, counted from 1."},
    {.name = "end_line",
     .type = PARAM_INTEGER,
     .least = INT64_MIN,
     .most = INT64_MAX,
     .doc = "The last line to show; -1 is the end of the file."},
    {.name = "offset",
     .type = PARAM_INTEGER,
     .least = 0,
     .most = MANY,
     .doc = "Lines to skip, instead of start_line."},
    {.name = "limit",
     .type = PARAM_INTEGER,
     .least = 1,
     .most = MANY,
     .doc = "The most lines to show, instead of end_line."},
    {.name = "mode",
     .type = PARAM_CHOICE,
     .standard = "\"slice\"",
     .choices = "slice|indentation",
     .doc = "indentation shows each line's indentation in columns before it."},
    FLAG("line_numbers", "Show line numbers in the text."),
    {.name = "encoding",
     .type = PARAM_STRING,
     .doc = "The charset to decode from, where detection would err."},
};

static const struct param read_bytes_params[] = {
    PATH("The file"),
    {.name = "offset",
     .type = PARAM_INTEGER,
     .standard = "0",
     .least = 0,
     .most = INT64_MAX,
     .doc = "Bytes to skip before the first one read."},
    {.name = "limit",
     .type = PARAM_INTEGER,
     .least = 1,
     .most = MANY,
     .doc = "The most bytes to read."},
};

static const struct param search_files_params[] = {
    {.name = "pattern",
     .type = PARAM_STRING,
     .required = true,
     .doc = "A glob: * within a name, ** across directories, ? one character."},
    BASE("The directory to search"),
    EXCLUDE,
    LIMIT("1000", 1, "The most paths to show."),
};

static const struct param grep_files_params[] = {
    {.name = "pattern",
     .type = PARAM_STRING,
     .required = true,
     .doc = "A regular expression (PCRE), matched line by line."},
    BASE("The directory or file to search"),
    {.name = "include",
     .type = PARAM_STRING,
     .doc = "Search only files matching this glob; without a slash, by basename at any depth."},
    EXCLUDE,
    LIMIT("200", 1, "The most matching lines (or files) to show."),
    FLAG("ignore_case", "Let letters match in either case."),
    FLAG("literal", "Take the pattern as plain text."),
    {.name = "context",
     .type = PARAM_INTEGER,
     .standard = "0",
     .least = 0,
     .most = 100,
     .doc = "Lines to show before and after each match."},
    {.name = "output",
     .type = PARAM_CHOICE,
     .standard = "\"content\"",
     .choices = "content|files|count",
     .doc = "Matching lines, the files that have any, or their number in each file."},
};

/* -- what changes something -------------------------------------------------------------------- */

#define NAME(word, what)                                                                           \
    { .name = word, .type = PARAM_PATH, .required = true, .doc = what }
#define TEXT(word, what)                                                                           \
    { .name = word, .type = PARAM_STRING, .required = true, .doc = what }
#define YES(word, text)                                                                            \
    { .name = word, .type = PARAM_BOOLEAN, .standard = "true", .doc = text }
#define DESCRIPTION                                                                                \
    {                                                                                              \
        .name = "description", .type = PARAM_STRING,                                               \
        .doc = "What this is for, in a few words, for the person who approves it."                 \
    }
#define VERSION                                                                                    \
    {                                                                                              \
        .name = "version", .type = PARAM_STRING,                                                   \
        .doc = "The version that was read: if the file is another by now, nothing is changed."     \
    }
#define MAKE_PARENTS YES("create_parents", "Make the directories above it that are missing.")

static const struct param edit_file_params[] = {
    NAME("path", "The text file to edit."),
    {.name = "old_str",
     .type = PARAM_STRING,
     .doc = "The exact text to replace; it must occur exactly once."},
    {.name = "new_str", .type = PARAM_STRING, .doc = "What to put in its place."},
    {.name = "edits",
     .type = PARAM_EDITS,
     .doc = "Instead, several edits, each made in what the one before it left; all or none."},
    DESCRIPTION,
    VERSION,
};

static const struct param insert_at_line_params[] = {
    NAME("path", "The text file to insert into."),
    TEXT("content", "The lines to insert."),
    {.name = "line",
     .type = PARAM_INTEGER,
     .required = true,
     .least = -1,
     .most = MANY,
     .doc = "Insert behind this line; 0 is the beginning of the file, -1 its end."},
    VERSION,
};

static const struct param create_file_params[] = {
    NAME("path", "The file to create."),
    TEXT("content", "What it holds."),
    FLAG("allow_overwrite", "Replace a file that exists."),
    MAKE_PARENTS,
    DESCRIPTION,
};

#define WRITE_MODE                                                                                 \
    {                                                                                              \
        .name = "mode", .type = PARAM_CHOICE, .standard = "\"overwrite\"",                         \
        .choices = "create|overwrite|append",                                                      \
        .doc = "create refuses a file that exists; append adds to its end."                        \
    }

static const struct param write_file_params[] = {
    NAME("path", "The file to write."),
    TEXT("content", "The text, written as UTF-8."),
    WRITE_MODE,
    MAKE_PARENTS,
};

static const struct param write_bytes_params[] = {
    NAME("path", "The file to write."),
    TEXT("content", "The bytes, as base64."),
    WRITE_MODE,
    MAKE_PARENTS,
};

static const struct param make_directory_params[] = {
    NAME("path", "The directory to make."),
    YES("parents", "Make the directories above it that are missing."),
    YES("exist_ok", "Be content with a directory that exists."),
};

static const struct param move_params[] = {
    NAME("source", "What to take."),
    NAME("destination", "Its new path."),
    FLAG("allow_overwrite", "Replace a file that exists there."),
    MAKE_PARENTS,
    DESCRIPTION,
};

#define SNAPSHOT(text)                                                                             \
    { .name = "id", .type = PARAM_STRING, .required = true, .doc = text }
#define MOST(word, n, text)                                                                        \
    { .name = word, .type = PARAM_INTEGER, .standard = n, .least = 0, .most = MANY, .doc = text }

static const struct param snapshot_create_params[] = {
    {.name = "tag", .type = PARAM_STRING, .doc = "A word to know it by."},
};

static const struct param snapshot_diff_params[] = {
    SNAPSHOT("The snapshot to compare."),
    {.name = "other",
     .type = PARAM_STRING,
     .doc = "The snapshot to compare it with; without it, what is there now."},
};

static const struct param snapshot_restore_params[] = {
    SNAPSHOT("The snapshot to go back to; or ID..OTHER, to take back only what differs between "
             "the two."),
};

static const struct param snapshot_prune_params[] = {
    MOST("keep", "100", "Forget all but so many of the latest snapshots."),
    MOST("days", "36500", "Forget those that are older."),
    MOST("bytes", "1000000000000", "Forget the oldest while all take more room than this."),
};

static const struct param delete_file_params[] = {
    NAME("path", "What to delete; of a link, the link."),
    FLAG("recursive", "Delete a directory with everything below it."),
    DESCRIPTION,
};

#define PATCH_TEXT TEXT("patch", "The text of the patch.")

static const struct param apply_patch_params[] = {
    PATCH_TEXT,
    {.name = "format",
     .type = PARAM_CHOICE,
     .standard = "\"auto\"",
     .choices = "auto|unified|envelope",
     .doc = "A unified diff, or an envelope that begins with *** Begin Patch."},
};

static const struct param patch_params[] = {PATCH_TEXT};

#define PARAMS(array) .params = array, .param_count = sizeof array / sizeof *array

const struct op ops[] = {
    {.name = "get_project_root",
     .doc = "Names the directory that all paths stay in, and how it was found.",
     .run = op_get_project_root},
    {.name = "list_directory",
     .slow = true,
     .doc = "Lists a directory with type, size and time of each entry.",
     .run = op_list_directory,
     PARAMS(list_directory_params)},
    {.name = "list_dir",
     .slow = true,
     .doc = "Lists a directory breadth first, one name a line, marked / directory, @ link, * "
            "executable.",
     .run = op_list_dir,
     PARAMS(list_dir_params)},
    {.name = "directory_tree",
     .slow = true,
     .doc = "Shows a directory and everything below it as a tree.",
     .run = op_directory_tree,
     PARAMS(directory_tree_params)},
    {.name = "get_file_info",
     .doc = "Tells a file's type, size, times, permissions, MIME type and encoding.",
     .run = op_get_file_info,
     PARAMS(path_params)},
    {.name = "file_exists",
     .doc = "Tells whether a path exists, and what it is.",
     .run = op_file_exists,
     PARAMS(path_params)},
    {.name = "read_file",
     .doc = "Reads lines of a text file.",
     .run = op_read_file,
     PARAMS(read_file_params)},
    {.name = "read_bytes",
     .doc = "Reads bytes of any file, as base64.",
     .run = op_read_bytes,
     PARAMS(read_bytes_params)},
    {.name = "search_files",
     .slow = true,
     .doc = "Finds files whose path matches a glob.",
     .run = op_search_files,
     PARAMS(search_files_params)},
    {.name = "grep_files",
     .slow = true,
     .doc = "Searches the contents of files for a regular expression.",
     .run = op_grep_files,
     PARAMS(grep_files_params)},
    {.name = "edit_file",
     .tier = TIER_CAUTIOUS,
     .doc = "Replaces an exact text, which must occur once, in a file.",
     .plan = plan_edit_file,
     .report = report_edit,
     PARAMS(edit_file_params)},
    {.name = "insert_at_line",
     .tier = TIER_CAUTIOUS,
     .doc = "Inserts lines into a text file.",
     .plan = plan_insert_at_line,
     .report = report_edit,
     PARAMS(insert_at_line_params)},
    {.name = "apply_patch",
     .tier = TIER_CAUTIOUS,
     .doc = "Applies a patch to several files, exactly and all or none.",
     .plan = plan_apply_patch,
     .report = report_patch,
     PARAMS(apply_patch_params)},
    {.name = "apply_patch_json",
     .tier = TIER_CAUTIOUS,
     .doc = "Applies a unified diff to several files, exactly and all or none.",
     .plan = plan_apply_patch_json,
     .report = report_patch,
     PARAMS(patch_params)},
    {.name = "apply_patch_freeform",
     .tier = TIER_CAUTIOUS,
     .doc = "Applies a *** Begin Patch envelope to several files, exactly and all or none.",
     .plan = plan_apply_patch_freeform,
     .report = report_patch,
     PARAMS(patch_params)},
    {.name = "create_file",
     .tier = TIER_DANGEROUS,
     .doc = "Creates a text file.",
     .plan = plan_create_file,
     .report = report_write,
     PARAMS(create_file_params)},
    {.name = "write_file",
     .tier = TIER_DANGEROUS,
     .doc = "Writes a whole text file, or adds to its end.",
     .plan = plan_write_file,
     .report = report_write,
     PARAMS(write_file_params)},
    {.name = "write_bytes",
     .tier = TIER_DANGEROUS,
     .doc = "Writes a whole file of bytes, or adds to its end.",
     .plan = plan_write_bytes,
     .report = report_write,
     PARAMS(write_bytes_params)},
    {.name = "make_directory",
     .tier = TIER_DANGEROUS,
     .doc = "Makes a directory.",
     .plan = plan_make_directory,
     .report = report_make_directory,
     PARAMS(make_directory_params)},
    {.name = "move_file",
     .tier = TIER_DANGEROUS,
     .doc = "Moves or renames a file or directory.",
     .plan = plan_move_file,
     .report = report_move,
     PARAMS(move_params)},
    {.name = "copy_file",
     .tier = TIER_DANGEROUS,
     .doc = "Copies a file, with its permissions.",
     .plan = plan_copy_file,
     .report = report_move,
     PARAMS(move_params)},
    {.name = "delete_file",
     .tier = TIER_DANGEROUS,
     .doc = "Deletes a file, a link, or with recursive a directory.",
     .plan = plan_delete_file,
     .report = report_delete,
     PARAMS(delete_file_params)},
    {.name = "snapshot_create",
     .tier = TIER_CAUTIOUS,
     .slow = true,
     .doc = "Keeps the project as it is now, to look at or to go back to.",
     .plan = plan_snapshot_create,
     .prepare = prepare_snapshot_create,
     .report = report_snapshot_create,
     PARAMS(snapshot_create_params)},
    {.name = "snapshot_list",
     .doc = "Lists the snapshots of the project, the latest first.",
     .run = op_snapshot_list},
    {.name = "snapshot_diff",
     .slow = true,
     .doc = "Shows what has changed since a snapshot, or between two.",
     .run = op_snapshot_diff,
     PARAMS(snapshot_diff_params)},
    {.name = "snapshot_restore",
     .tier = TIER_DANGEROUS,
     .slow = true,
     .doc = "Puts the project back as it was; what was there before is a snapshot, too.",
     .plan = plan_snapshot_restore,
     .prepare = prepare_snapshot_restore,
     .report = report_snapshot_restore,
     PARAMS(snapshot_restore_params)},
    {.name = "snapshot_prune",
     .tier = TIER_DANGEROUS,
     .slow = true,
     .doc = "Forgets old snapshots, and gives back the room that they took.",
     .plan = plan_snapshot_prune,
     .prepare = prepare_snapshot_prune,
     .report = report_snapshot_prune,
     PARAMS(snapshot_prune_params)},
};

const size_t op_count = sizeof ops / sizeof *ops;

const struct op *op_find(const char *name) {
    for (size_t i = 0; i < op_count; i++)
        if (strcmp(ops[i].name, name) == 0)
            return &ops[i];
    return NULL;
}

static const char *type_name(enum param_type type) {
    static const char *const names[] = {
        [PARAM_STRING] = "string",   [PARAM_PATH] = "path",   [PARAM_INTEGER] = "integer",
        [PARAM_BOOLEAN] = "boolean", [PARAM_EDITS] = "edits", [PARAM_STRINGS] = "strings",
        [PARAM_CHOICE] = "choice",
    };
    return names[type];
}

static void describe_choices(struct reply *r, const char *choices) {
    reply_key(r, "choices");
    reply_list(r);
    while (choices) {
        size_t n = strcspn(choices, "|");
        reply_string(r, choices, n);
        choices = choices[n] ? choices + n + 1 : NULL;
    }
    reply_end_list(r);
}

/* The default travels as JSON text: `false`, `[]` and "absent" must not all be nil. */
static void describe_param(struct reply *r, const struct param *p) {
    reply_map(r);
    reply_kv_cstring(r, "name", p->name);
    reply_kv_keyword(r, "type", type_name(p->type));
    reply_kv_bool(r, "required", p->required);
    reply_kv_cstring(r, "default", p->standard);
    if (p->type == PARAM_INTEGER) {
        reply_kv_int(r, "least", p->least);
        reply_kv_int(r, "most", p->most);
    }
    describe_choices(r, p->choices);
    reply_kv_cstring(r, "doc", p->doc);
    reply_end_map(r);
}

static void describe_op(struct reply *r, const struct op *op) {
    reply_map(r);
    reply_kv_cstring(r, "name", op->name);
    reply_kv_keyword(r, "tier", tier_name(op->tier));
    reply_kv_bool(r, "slow", op->slow);
    reply_kv_cstring(r, "doc", op->doc);
    reply_key(r, "params");
    reply_list(r);
    for (size_t i = 0; i < op->param_count; i++)
        describe_param(r, &op->params[i]);
    reply_end_list(r);
    reply_end_map(r);
}

void ops_describe(struct reply *r) {
    reply_list(r);
    for (size_t i = 0; i < op_count; i++)
        describe_op(r, &ops[i]);
    reply_end_list(r);
}
