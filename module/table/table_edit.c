/* table_edit.c -- rows of the table: changing a text.
 *
 * SPDX-License-Identifier: MIT
 */
#include "table_rows.h"

static const struct param edit_file_params[] = {
    REQUIRED("path", PATH, "The text file to edit."),
    PARAM("old_str", STRING, .doc = EDIT_OLD_STR_WORDS),
    PARAM("new_str", STRING, .doc = EDIT_NEW_STR_WORDS),
    PARAM("replace_all", BOOLEAN, .standard = "false", .doc = EDIT_REPLACE_ALL_WORDS),
    PARAM("expected_replacements", INTEGER, .least = 1, .most = EDIT_EXPECTED_MOST,
          .doc = EDIT_EXPECTED_WORDS),
    PARAM("edits", EDITS, .members = edit_params, .member_n = EDIT_MEMBER_COUNT,
          .doc = "Instead, several edits, each made in what the one before it left; all or none."),
    PARAM("accept", STRING,
          .doc = "Alone beside path: does what a refusal has offered under this digest."),
    ALLOW_UNBALANCED,
    DESCRIPTION,
    KNOWN_VERSION,
};

static const struct param insert_at_line_params[] = {
    REQUIRED("path", PATH, "The text file to insert into."),
    REQUIRED("content", STRING, "The lines to insert."),
    PARAM("line", INTEGER, .required = true, .least = -1, .most = MANY,
          .doc = "Insert behind this line; 0 is the beginning of the file, -1 its end."),
    ALLOW_UNBALANCED,
    KNOWN_VERSION,
};

const struct member edit_reply[] = {
    SHOWN_PATH,
    MEMBER(START_LINE, INTEGER, .doc = "The first line that is new."),
    MEMBER(END_LINE, INTEGER, .doc = "The last line that is new."),
    MEMBER(REPLACEMENTS, INTEGER, .optional = true,
           .doc = "How many times an exact text was replaced."),
    MEMBER(SNIPPET, STRING, .doc = "The changed lines and some around them, numbered."),
    DIFF_TEXT,
    NEW_VERSION,
    WRITTEN_BYTES,
    MEMBER(LINE_ENDINGS, STRING, .optional = true,
           .doc = "How the new lines end, where not all lines of the file end in LF."),
    MEMBER(LINKS, INTEGER, .optional = true,
           .doc = "How many names the file had; the others keep the old content."),
    LAST_MEMBER,
};

static const struct param replace_in_files_params[] = {
    REQUIRED("pattern", STRING, "The exact text to replace, or with regex an expression (PCRE)."),
    REQUIRED("replacement", STRING,
             "The text to put in its place; with regex, $1 is the first group and $$ a dollar."),
    FLAG("regex", "Take the pattern as an expression, matched against each line alone."),
    BASE("The directory or file to change, relative to the project root."),
    PARAM("include", STRINGS, .standard = "[]",
          .doc = "Only files that match one of these globs; without a slash, by basename."),
    EXCLUDE,
    WITH_IGNORED,
    PARAM("expected_replacements", INTEGER, .least = 1, .most = EDIT_EXPECTED_MOST,
          .doc = "Replace only if there are this many places in all."),
    ALLOW_UNBALANCED,
    DESCRIPTION,
};

static const struct member replaced_members[] = {
    SHOWN_PATH,  MEMBER(REPLACEMENTS, INTEGER, .doc = "How many places were replaced."),
    LINES_ADDED, LINES_REMOVED,
    NEW_VERSION, WRITTEN_BYTES,
    LAST_MEMBER,
};

static const struct member replaced_reply[] = {
    MEMBER(FILES, LIST, LIST_OF_MAPS(replaced_members), .doc = "The files that were changed."),
    MEMBER(REPLACEMENTS, INTEGER, .doc = "How many places were replaced in all of them."),
    MEMBER(SKIPPED, INTEGER,
           .doc = "How many files were not searched, because they are too large, in no encoding, "
                  "or secret."),
    DIFF_TEXT,
    LAST_MEMBER,
};

#define PATCHED_VERSION                                                                            \
    PARAM("version", STRING,                                                                       \
          .doc = "Of the one file that it changes, as read: else nothing is written, and a hunk "  \
                 "that only adds goes where its header says.")

#define PATCH_TEXT                                                                                 \
    PARAM("patch", STRING, .required = true, .unless = "accept", .doc = "The text of the patch.")
#define ACCEPTED_PATCH                                                                             \
    PARAM("accept", STRING, .doc = "Alone: does what a refusal has offered under this digest.")

static const struct param apply_patch_params[] = {
    PATCH_TEXT,
    PARAM("format", CHOICE, .standard = "\"auto\"", .choices = "auto|unified|envelope",
          .doc = "A unified diff, or an envelope that begins with *** Begin Patch."),
    ACCEPTED_PATCH,
    ALLOW_UNBALANCED,
    PATCHED_VERSION,
};

static const struct param patch_params[] = {
    PATCH_TEXT,
    ACCEPTED_PATCH,
    ALLOW_UNBALANCED,
    PATCHED_VERSION,
};

static const struct member patched_members[] = {
    SHOWN_PATH,
    MEMBER(ACTION, KEYWORD, .choices = "added|modified|deleted|moved|copied",
           .doc = "What was done."),
    MEMBER(FROM, PATH, .optional = true,
           .doc = "Where the file was before it was moved or copied."),
    LINES_ADDED,
    LINES_REMOVED,
    NEW_VERSION,
    WRITTEN_BYTES,
    LAST_MEMBER,
};

static const struct member patch_reply[] = {
    MEMBER(FILES, LIST, LIST_OF_MAPS(patched_members), .doc = "The files of the patch."),
    DIFF_TEXT,
    LAST_MEMBER,
};

#define ERRORS_OF_TEXTS                                                                            \
    (ERRORS_OF_WRITES | ERROR_BIT(BINARY) | ERROR_BIT(ENCODING) | ERROR_BIT(UNBALANCED))
#define ERRORS_OF_PATCHES                                                                          \
    (ERRORS_OF_TEXTS | ERROR_BIT(EXISTS) | ERROR_BIT(PATCH_PARSE) | ERROR_BIT(PATCH_APPLY))

static const struct op rows[] = {
    {.name = "edit_file",
     .title = "Edit a file",
     .tier = TIER_CAUTIOUS,
     .destructive = true,
     .doc =
         "Exact replacement of a text, which must occur once, in a text file. Use it for changes "
         "to a file that you have read: copy old_str from there with all its white space and "
         "without line numbers, with lines around it until it is the only place. For "
         "every occurrence give replace_all (in many files use replace_in_files), for several "
         "changes to one file edits, a list that is "
         "done as a whole or not at "
         "all. It answers the changed lines with their numbers, and the new version; "
         "encoding and line endings stay as they are. It refuses a text that does not occur "
         "(no-match, with the text of the nearest place and, where that differs in "
         "little, an edit to accept) or occurs several times "
         "(multiple-matches), binary files, and a file that is no longer of the version "
         "given (stale).",
     .plan = plan_edit_file,
     .report = report_edit,
     .reply = edit_reply,
     .errors = ERRORS_OF_TEXTS | ERROR_BIT(NO_MATCH) | ERROR_BIT(MULTIPLE_MATCHES),
     PARAMS(edit_file_params)},
    {.name = "insert_at_line",
     .title = "Insert lines into a file",
     .tier = TIER_CAUTIOUS,
     .doc = "Inserts lines into a text file behind the line of that number; 0 is the beginning, "
            "-1 the end. Use it to add text where nothing is to be replaced. Line numbers move "
            "with each insertion: give the version you have read, so that it is refused (stale) "
            "where the file has changed since. It answers the new lines with their numbers, a "
            "diff and the new version. It refuses binary files and a line behind the end of the "
            "file.",
     .plan = plan_insert_at_line,
     .report = report_edit,
     .reply = edit_reply,
     .errors = ERRORS_OF_TEXTS,
     PARAMS(insert_at_line_params)},
    {.name = "replace_in_files",
     .title = "Replace in many files",
     .tier = TIER_CAUTIOUS,
     .slow = true,
     .destructive = true,
     .doc = "Replaces every occurrence of a text in all files below a directory, in all of them or "
            "in none. Use it to rename something throughout a project: look with grep_files what "
            "is there, and give the count of occurrences, not lines, as expected_replacements; "
            "another count changes nothing and is told by file. For one place edit that "
            "file. It answers a line for each file with its count. Files that git ignores, binary "
            "files, links and secrets are left alone. It refuses a text that does not occur "
            "(no-match) and another count (multiple-matches).",
     .plan = plan_replace_in_files,
     .report = report_replaced,
     .reply = replaced_reply,
     .errors = ERRORS_OF_TEXTS | ERROR_BIT(NO_MATCH) | ERROR_BIT(MULTIPLE_MATCHES),
     PARAMS(replace_in_files_params)},
    {.name = "apply_patch",
     .title = "Apply a patch",
     .tier = TIER_CAUTIOUS,
     .destructive = true,
     .doc = "Applies a patch to one or many files, exactly, and all or none: a unified diff, or "
            "an envelope that begins with *** Begin Patch. Use it for a change of several files, "
            "or where you have a diff. Files may be added, deleted, moved and copied. Lines that "
            "the patch only shows and those that it removes must be in the file as they are in "
            "the patch; only the counts in a hunk's header may be wrong. It answers what was done "
            "to each file. It refuses a text that is not a patch (patch-parse) and one that does "
            "not fit "
            "(patch-apply), with the place and what stands there.",
     .plan = plan_apply_patch,
     .report = report_patch,
     .reply = patch_reply,
     .errors = ERRORS_OF_PATCHES,
     PARAMS(apply_patch_params)},
    {.name = "apply_patch_json",
     .title = "Apply a unified diff",
     .tier = TIER_CAUTIOUS,
     .destructive = true,
     .doc = "Applies a unified diff, as diff -u and git diff print it, to one or many files, "
            "exactly, and all or none. Use it where you have a diff; for one small change "
            "edit_file is simpler. It answers what was done to each file. It refuses "
            "a text that is not a unified diff (patch-parse) and one that does not fit the files "
            "(patch-apply), with the place and what stands there.",
     .plan = plan_apply_patch_json,
     .report = report_patch,
     .reply = patch_reply,
     .errors = ERRORS_OF_PATCHES,
     PARAMS(patch_params)},
    {.name = "apply_patch_freeform",
     .title = "Apply a patch envelope",
     .tier = TIER_CAUTIOUS,
     .destructive = true,
     .doc = "Applies a *** Begin Patch envelope to one or many files, exactly, and all or none. "
            "Use it to change, add, delete and move files in one call, without line numbers: the "
            "lines around a change say where it belongs. It answers what was done to each file. "
            "It refuses a text that is not an envelope (patch-parse) and one that does "
            "not fit the files (patch-apply), with the place and what stands there.",
     .plan = plan_apply_patch_freeform,
     .report = report_patch,
     .reply = patch_reply,
     .errors = ERRORS_OF_PATCHES,
     PARAMS(patch_params)},
};

const struct op_rows edit_rows = {rows, COUNT(rows)};
