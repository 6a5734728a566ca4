/* table_rows.h -- macros for rows of the table, and the groups of rows.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_TABLE_ROWS_H
#define AQFS_TABLE_ROWS_H

#include "op.h"
#include "ops.h"

/* The rows of one table_*.c. */
struct op_rows {
    const struct op *rows;
    size_t n;
};

/* Members that replies.c uses too. */
extern const struct member opened_reply[], tree_node_members[];
/* The reply of what edits one text. */
extern const struct member edit_reply[];

extern const struct op_rows look_rows, read_rows, forms_rows, edit_rows, write_rows, snapshot_rows,
    changes_rows;

#define COUNT(array) (sizeof array / sizeof *(array))
#define PARAMS(array) .params = array, .param_count = COUNT(array)

/* -- parameters -------------------------------------------------------------------------------- */

#define MANY 1000000000000 /* more lines, bytes or entries than there can be */

/* PARAM("tag", STRING, .doc = "A word to know it by.") */
#define PARAM(word, kind, ...)                                                                     \
    { .name = word, .type = PARAM_##kind, __VA_ARGS__ }
#define REQUIRED(word, kind, text) PARAM(word, kind, .required = true, .doc = text)
#define NUMBER(word, n, from, to, text)                                                            \
    PARAM(word, INTEGER, .standard = n, .least = from, .most = to, .doc = text)
#define FLAG(word, text) PARAM(word, BOOLEAN, .standard = "false", .doc = text)
#define YES(word, text) PARAM(word, BOOLEAN, .standard = "true", .doc = text)
#define BASE(word) PARAM("path", PATH, .standard = "\".\"", .doc = word)
#define EXCLUDE                                                                                    \
    PARAM("exclude_patterns", STRINGS, .standard = "[\".git\"]",                                   \
          .doc = "Globs of basenames to leave out; [] leaves out nothing.")
#define WITH_IGNORED FLAG("ignored", "Look also at what .gitignore or .ignore leaves out.")
#define DESCRIPTION                                                                                \
    PARAM("description", STRING,                                                                   \
          .doc = "What this is for, in a few words, for the person who approves it.")
#define KNOWN_VERSION                                                                              \
    PARAM("version", STRING,                                                                       \
          .doc = "The version that was read: if the file has changed since, nothing is written.")
#define ALLOW_UNBALANCED                                                                           \
    FLAG("allow_unbalanced", "Write a Lisp file even if its parentheses do not balance then.")
#define MAKE_PARENTS YES("create_parents", "Make the directories above it that are missing.")

/* -- members of replies ------------------------------------------------------------------------ */

#define NODE_TYPES "file|directory|symlink|other"

#define SHOWN_PATH MEMBER(PATH, PATH, .doc = "The canonical path, relative to the root.")
#define TRUNCATED MEMBER(TRUNCATED, BOOLEAN, .doc = "Whether there is more than is shown.")
#define NODE_TYPE MEMBER(TYPE, KEYWORD, .choices = NODE_TYPES, .doc = "What it is.")
#define CHANGED                                                                                    \
    MEMBER(CHANGED, BOOLEAN, .optional = true,                                                     \
           .doc = "True where the file changed while it was read: read it again.")
#define UNREADABLE                                                                                 \
    MEMBER(UNREADABLE, INTEGER, .optional = true,                                                  \
           .doc = "How many files and directories could not be read, where there are any.")
#define CUT                                                                                        \
    MEMBER(CUT, BOOLEAN, .optional = true,                                                         \
           .doc = "True where the tree is larger or deeper than one call may look at.")
#define IGNORED_COUNT                                                                              \
    MEMBER(IGNORED, INTEGER, .optional = true,                                                     \
           .doc = "How many entries ignore rules left out, without what is below them.")
#define DIFF_TEXT MEMBER(DIFF, STRING, .doc = "A unified diff of the text.")
#define LINES_ADDED MEMBER(ADDED, INTEGER, .doc = "The lines that were added.")
#define LINES_REMOVED MEMBER(REMOVED, INTEGER, .doc = "The lines that were removed.")
#define WRITTEN_BYTES                                                                              \
    MEMBER(BYTES_WRITTEN, INTEGER, .doc = "The bytes that were written, in the file's encoding.")
#define NEW_VERSION MEMBER(VERSION, DIGEST, .nullable = true, .doc = "The version from now on.")

/* -- errors ------------------------------------------------------------------------------------ */

#define ERRORS_OF_PATHS                                                                            \
    (ERROR_BIT(OUTSIDE_ROOT) | ERROR_BIT(RESTRICTED) | ERROR_BIT(NOT_FOUND) |                      \
     ERROR_BIT(NOT_A_DIRECTORY) | ERROR_BIT(PERMISSION) | ERROR_BIT(TOO_LONG) | ERROR_BIT(LOOP) |  \
     ERROR_BIT(RACED))
#define ERRORS_OF_FILES (ERRORS_OF_PATHS | ERROR_BIT(IS_DIRECTORY) | ERROR_BIT(NOT_REGULAR))
/* The errors of every operation that shows what is in a file: it may be a secret. */
#define ERRORS_OF_READS (ERRORS_OF_FILES | ERROR_BIT(APPROVAL_REQUIRED) | ERROR_BIT(STALE))
/* The errors of every operation that plans and commits. */
#define ERRORS_OF_CHANGES                                                                          \
    (ERRORS_OF_PATHS | ERROR_BIT(STALE) | ERROR_BIT(APPROVAL_REQUIRED) | ERROR_BIT(READ_ONLY) |    \
     ERROR_BIT(NO_SPACE) | ERROR_BIT(DURABILITY_UNKNOWN) | ERROR_BIT(NEWER_FORMAT))
#define ERRORS_OF_WRITES (ERRORS_OF_CHANGES | ERRORS_OF_FILES | ERROR_BIT(TOO_LARGE))

#endif
