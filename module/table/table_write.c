/* table_write.c -- rows of the table: making, moving and deleting files.
 *
 * SPDX-License-Identifier: MIT
 */
#include "table_rows.h"

#define WRITE_MODE                                                                                 \
    PARAM("mode", CHOICE, .standard = "\"overwrite\"", .choices = "create|overwrite|append",       \
          .doc = "create refuses a file that exists; append adds to its end.")

static const struct param create_file_params[] = {
    REQUIRED("path", PATH, "The file to create."),
    REQUIRED("content", STRING, "What it holds."),
    FLAG("allow_overwrite", "Replace a file that exists."),
    ALLOW_UNBALANCED,
    MAKE_PARENTS,
    DESCRIPTION,
};

static const struct param write_file_params[] = {
    REQUIRED("path", PATH, "The file to write."),
    REQUIRED("content", STRING, "The text, written as UTF-8."),
    WRITE_MODE,
    ALLOW_UNBALANCED,
    MAKE_PARENTS,
};

static const struct param write_bytes_params[] = {
    REQUIRED("path", PATH, "The file to write."),
    REQUIRED("content", STRING, "The bytes, as base64."),
    WRITE_MODE,
    MAKE_PARENTS,
};

static const struct member write_reply[] = {
    SHOWN_PATH,
    MEMBER(MODE, STRING, .choices = "create|overwrite|append", .doc = "How it was written."),
    MEMBER(BYTES_WRITTEN, INTEGER, .doc = "The bytes that were written."),
    NEW_VERSION,
    MEMBER(CREATED, BOOLEAN, .doc = "Whether there was no such file before."),
    MEMBER(LINKS, INTEGER, .optional = true,
           .doc = "How many names the file had; the others keep the old content."),
    LAST_MEMBER,
};

static const struct param make_directory_params[] = {
    REQUIRED("path", PATH, "The directory to make."),
    YES("parents", "Make the directories above it that are missing."),
    YES("exist_ok", "Be content with a directory that exists."),
};

static const struct member make_directory_reply[] = {
    SHOWN_PATH,
    MEMBER(CREATED, BOOLEAN, .doc = "Whether it was made, and not there before."),
    MEMBER(DIRECTORIES, INTEGER, .doc = "How many directories were made."),
    LAST_MEMBER,
};

static const struct param move_params[] = {
    REQUIRED("source", PATH, "What to take."),
    REQUIRED("destination", PATH, "Its new path."),
    FLAG("allow_overwrite", "Replace a file that exists there."),
    MAKE_PARENTS,
    DESCRIPTION,
};

static const struct member move_reply[] = {
    MEMBER(SOURCE, PATH, .doc = "The canonical path where it was."),
    MEMBER(DESTINATION, PATH, .doc = "The canonical path where it is now."),
    MEMBER(REPLACED, BOOLEAN, .doc = "Whether something was replaced there."),
    LAST_MEMBER,
};

static const struct param delete_file_params[] = {
    REQUIRED("path", PATH, "What to delete; of a link, the link."),
    FLAG("recursive", "Delete a directory with everything below it."),
    DESCRIPTION,
};

static const struct member delete_file_reply[] = {
    SHOWN_PATH,
    NODE_TYPE,
    MEMBER(ENTRIES, INTEGER, .doc = "How many entries were below a directory."),
    LAST_MEMBER,
};

static const struct op rows[] = {
    {.name = "create_file",
     .title = "Create a file",
     .tier = TIER_DANGEROUS,
     .destructive = true,
     .doc = "Creates a text file with the content given, written as UTF-8, and the directories "
            "above it that are missing. Use it for a new file; to change one that exists use "
            "edit_file. It answers the number of bytes and the version of the file. It refuses a "
            "path where there is something already (exists), unless allow_overwrite is true.",
     .plan = plan_create_file,
     .report = report_write,
     .reply = write_reply,
     .errors = ERRORS_OF_WRITES | ERROR_BIT(EXISTS) | ERROR_BIT(UNBALANCED),
     PARAMS(create_file_params)},
    {.name = "write_file",
     .title = "Write a file",
     .tier = TIER_DANGEROUS,
     .destructive = true,
     .doc = "Writes a whole text file as UTF-8: a new one, or in the place of one that exists, or "
            "with mode append at its end. Use it to replace a file altogether or to add to a "
            "log; for a change within a file edit_file is safer, because it checks what it "
            "replaces. It answers the number of bytes, whether the file is new, and its version. "
            "It refuses directories and devices, with mode create a file "
            "that exists, and with mode append a binary file.",
     .plan = plan_write_file,
     .report = report_write,
     .reply = write_reply,
     .errors = ERRORS_OF_WRITES | ERROR_BIT(EXISTS) | ERROR_BIT(UNBALANCED) | ERROR_BIT(BINARY) |
               ERROR_BIT(ENCODING),
     PARAMS(write_file_params)},
    {.name = "write_bytes",
     .title = "Write bytes to a file",
     .tier = TIER_DANGEROUS,
     .destructive = true,
     .doc = "Writes a whole file of bytes, given as base64: a new one, or in the place of one "
            "that exists, or with mode append at its end. Use it for images and other files that "
            "are not text. It answers the number of bytes, whether the file is new, and its "
            "version. It refuses content that is not base64, directories and devices, and with "
            "mode create a file that exists.",
     .plan = plan_write_bytes,
     .report = report_write,
     .reply = write_reply,
     .errors = ERRORS_OF_WRITES | ERROR_BIT(EXISTS),
     PARAMS(write_bytes_params)},
    {.name = "make_directory",
     .title = "Make a directory",
     .tier = TIER_DANGEROUS,
     .idempotent = true,
     .doc = "Makes a directory and the ones above it that are missing. Use it where an empty "
            "directory is wanted: create_file and the other tools that write make the "
            "directories they need. It answers how many directories it made; one that exists is "
            "fine unless exist_ok is false. It refuses a path where there is a file.",
     .plan = plan_make_directory,
     .report = report_make_directory,
     .reply = make_directory_reply,
     .errors = ERRORS_OF_CHANGES | ERROR_BIT(EXISTS),
     PARAMS(make_directory_params)},
    {.name = "move_file",
     .title = "Move or rename a file",
     .tier = TIER_DANGEROUS,
     .destructive = true,
     .doc = "Moves or renames a file, a link or a directory with all that is in it. The "
            "destination is the new path itself, not the directory to put it into. Use it "
            "instead of copying and deleting. It answers both paths and whether a file was "
            "replaced. It refuses a destination where there is something already (exists), "
            "unless allow_overwrite is true and it is a file, and a directory moved into "
            "itself.",
     .plan = plan_move_file,
     .report = report_move,
     .reply = move_reply,
     .errors = ERRORS_OF_WRITES | ERROR_BIT(EXISTS),
     PARAMS(move_params)},
    {.name = "copy_file",
     .title = "Copy a file",
     .tier = TIER_DANGEROUS,
     .destructive = true,
     .doc = "Copies a file with its permissions. The destination is the new path itself, not the "
            "directory to put it into. Use it to begin a file from one that exists. It answers "
            "both paths and whether a file was replaced. It refuses directories, and a "
            "destination where there is something already (exists), unless allow_overwrite is "
            "true and it is a file.",
     .plan = plan_copy_file,
     .report = report_move,
     .reply = move_reply,
     .errors = ERRORS_OF_WRITES | ERROR_BIT(EXISTS),
     PARAMS(move_params)},
    {.name = "delete_file",
     .title = "Delete a file",
     .tier = TIER_DANGEROUS,
     .destructive = true,
     .idempotent = true,
     .doc = "Deletes a file or a link, or with recursive a directory and everything below it. Of "
            "a link, the link is deleted and not the file it points to. Warning: use it only for "
            "files that are no longer wanted; only a person can take it back afterwards, or "
            "a snapshot that was taken before. It answers what was deleted, "
            "and how many entries were below it. It refuses a "
            "directory without recursive (is-directory), the project root, and what is not "
            "there.",
     .plan = plan_delete_file,
     .report = report_delete,
     .reply = delete_file_reply,
     .errors = ERRORS_OF_WRITES,
     PARAMS(delete_file_params)},
};

const struct op_rows write_rows = {rows, COUNT(rows)};
