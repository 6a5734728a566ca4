/* table_changes.c -- rows of the table: what calls have changed.
 *
 * SPDX-License-Identifier: MIT
 */
#include "review_ops.h"
#include "table_rows.h"

#define NAMED_CALLS PARAM("calls", STRINGS, .doc = "The ids of calls, as changes_list shows them.")
#define SINCE                                                                                      \
    PARAM("since", STRING,                                                                         \
          .doc = "Without calls: those of models from this id on; without either, all of models.")
#define HUNKS(words)                                                                               \
    PARAM("hunks", STRINGS,                                                                        \
          .doc = "The ids of hunks or files, as changes_diff shows them, to " words                \
                 "; without it, all.")

static const struct param changes_list_params[] = {
    NUMBER("limit", "100", 1, MANY, "The most calls to show."),
};

static const struct member kept_file_members[] = {
    SHOWN_PATH,
    MEMBER(ACTION, KEYWORD, .choices = "write|make|move|delete", .doc = "What was done."),
    MEMBER(FROM, PATH, .optional = true, .doc = "Where it was moved, renamed or copied from."),
    LAST_MEMBER,
};

static const struct member kept_call_members[] = {
    MEMBER(ID, STRING, .doc = "What the call is called here."),
    MEMBER(CREATED_AT, TIME, .doc = "When it was made."),
    MEMBER(OPERATION, STRING, .doc = "The operation."),
    MEMBER(ORIGIN, KEYWORD, .choices = "person|model|undo", .doc = "For whom it was made."),
    MEMBER(SUMMARY, STRING, .doc = "One line about it."),
    MEMBER(CALLER, STRING, .doc = "How the caller named itself."),
    MEMBER(CALL, STRING, .doc = "How the caller named the call."),
    MEMBER(SIZE, INTEGER, .doc = "The bytes that are kept of it."),
    MEMBER(FILES, LIST, LIST_OF_MAPS(kept_file_members), .doc = "What it changed, in order."),
    MEMBER(TOTAL, INTEGER, .doc = "How many changes those are in all."),
    LAST_MEMBER,
};

static const struct member changes_list_reply[] = {
    MEMBER(CALLS, LIST, LIST_OF_MAPS(kept_call_members), .doc = "The calls, the latest first."),
    MEMBER(TOTAL, INTEGER, .doc = "How many are kept in all."),
    MEMBER(BYTES, INTEGER, .doc = "The bytes that those shown take."),
    LAST_MEMBER,
};

static const struct param changes_diff_params[] = {NAMED_CALLS, SINCE};

static const struct member hunk_members[] = {
    MEMBER(ID, DIGEST, .doc = "What the hunk is called; other text there has another id."),
    MEMBER(LINE, INTEGER, .doc = "The line of the present file where it begins."),
    MEMBER(LINES, INTEGER, .doc = "How many lines of the present file it has."),
    LINES_ADDED,
    LINES_REMOVED,
    MEMBER(MIXED, BOOLEAN,
           .doc = "Whether somebody else has changed these lines since: it is not taken back."),
    MEMBER(DIFF, STRING, .doc = "It as a unified diff."),
    LAST_MEMBER,
};

static const struct member reviewed_members[] = {
    MEMBER(ID, DIGEST, .doc = "What the change of the file as a whole is called."),
    SHOWN_PATH,
    MEMBER(FROM, PATH, .optional = true, .doc = "Where it was before it was moved."),
    MEMBER(ACTION, KEYWORD, .choices = "added|deleted|modified|moved", .doc = "How it differs."),
    NODE_TYPE,
    MEMBER(WHOLE, BOOLEAN,
           .doc = "Whether more differs than its hunks show: name, type, permissions, bytes."),
    MEMBER(MIXED, BOOLEAN,
           .doc = "Whether somebody else has changed it, and it is not told apart."),
    MEMBER(SUMMARY, STRING, .doc = "How it differs, in words."),
    LINES_ADDED,
    LINES_REMOVED,
    MEMBER(CALL, STRING, .doc = "The id of the latest call that changed it."),
    MEMBER(HUNKS, LIST, LIST_OF_MAPS(hunk_members), .doc = "The lines that differ."),
    LAST_MEMBER,
};

static const struct member changes_diff_reply[] = {
    MEMBER(FILES, LIST, LIST_OF_MAPS(reviewed_members), .doc = "The files that differ."),
    MEMBER(TOTAL, INTEGER, .doc = "How many there are."),
    MEMBER(HUNKS_TOTAL, INTEGER, .doc = "How many hunks they have."),
    MEMBER(CALLS, INTEGER, .doc = "How many calls were looked at."),
    MEMBER(LOST, INTEGER, .doc = "Of how many of the named calls there is no record (any more)."),
    LAST_MEMBER,
};

static const struct param changes_undo_params[] = {NAMED_CALLS, SINCE, HUNKS("take back")};

static const struct member taken_back_members[] = {
    SHOWN_PATH,
    MEMBER(ACTION, KEYWORD, .choices = "added|modified|deleted|moved", .doc = "What was done."),
    LAST_MEMBER,
};

static const struct member changes_undo_reply[] = {
    MEMBER(FILES, LIST, LIST_OF_MAPS(taken_back_members), .doc = "What was changed back."),
    LAST_MEMBER,
};

static const struct param changes_accept_params[] = {NAMED_CALLS, SINCE, HUNKS("accept")};

static const struct member changes_accept_reply[] = {
    MEMBER(ID, STRING, .nullable = true,
           .doc = "The record of it: changes_forget takes the acceptance back."),
    MEMBER(TOTAL, INTEGER, .doc = "In how many files something was accepted."),
    LAST_MEMBER,
};

static const struct param changes_forget_params[] = {
    NAMED_CALLS,
    NUMBER("keep", "0", 0, MANY, "Without calls: forget all but this many of the latest."),
};

static const struct member changes_forget_reply[] = {
    MEMBER(FORGOTTEN, INTEGER, .doc = "How many records were forgotten."),
    LAST_MEMBER,
};

#define ERRORS_OF_REVIEWS                                                                          \
    (ERRORS_OF_FILES | ERROR_BIT(NO_SPACE) | ERROR_BIT(TOO_LARGE) | ERROR_BIT(STALE) |             \
     ERROR_BIT(APPROVAL_REQUIRED) | ERROR_BIT(READ_ONLY) | ERROR_BIT(NEWER_FORMAT))

static const struct op rows[] = {
    {.name = "changes_list",
     .title = "List what calls have changed",
     .slow = true,
     .doc = "Lists the latest calls that changed something in this project, by whomever they were "
            "made: id, time, operation and files of each. The replaced content is kept, until "
            "it is the oldest of too many or of too much. Use it to find the ids that changes_diff "
            "takes. An empty list is an answer and not an error.",
     .run = op_changes_list,
     .reply = changes_list_reply,
     .errors = ERRORS_OF_FILES,
     PARAMS(changes_list_params)},
    {.name = "changes_diff",
     .title = "Show what calls have changed",
     .slow = true,
     .doc =
         "Shows what some calls have changed and what of that is still there: each file with its "
         "hunks, as unified diffs of the present text. The changes of others in the "
         "same files are left out; lines that both have changed are marked as mixed. Use it to "
         "review your own work. It changes nothing, and refuses what is no id.",
     .run = op_changes_diff,
     .reply = changes_diff_reply,
     .errors = ERRORS_OF_FILES | ERROR_BIT(TOO_LARGE),
     PARAMS(changes_diff_params)},
    {.name = "changes_undo",
     .title = "Take changes back",
     .tier = TIER_CAUTIOUS,
     .destructive = true,
     .slow = true,
     .doc = "Takes back what calls have changed, or some hunks of that, exactly: lines, files, "
            "permissions, names. Give the ids of calls, of hunks as changes_diff shows them, or "
            "both. The changes of others in the same files stay. Where they have changed the "
            "same lines, or what was there before is not kept any more, nothing is done, and the "
            "error says why. It can itself be taken back.",
     .plan = plan_changes_undo,
     .report = report_changes_undo,
     .reply = changes_undo_reply,
     .errors = ERRORS_OF_WRITES | ERROR_BIT(EXISTS),
     PARAMS(changes_undo_params)},
    {.name = "changes_accept",
     .title = "Accept changes",
     .tier = TIER_DANGEROUS,
     .idempotent = true,
     .slow = true,
     .doc =
         "Says for a person that what calls have changed, or some hunks of that, is accepted: "
         "changes_diff shows it no more. No file of the project is changed. Use it only when the "
         "person asks for it: whoever accepts has looked. It answers the id of a record; "
         "changes_forget with that id takes the acceptance back.",
     .plan = plan_changes_accept,
     .prepare = prepare_changes_accept,
     .report = report_changes_accept,
     .reply = changes_accept_reply,
     .errors = ERRORS_OF_REVIEWS,
     PARAMS(changes_accept_params)},
    {.name = "changes_forget",
     .title = "Forget what was replaced",
     .tier = TIER_DANGEROUS,
     .destructive = true,
     .idempotent = true,
     .doc = "Forgets what calls have replaced: those that are named, or all but the latest. The "
            "bytes are gone then, and these calls can neither be reviewed nor taken back. No file "
            "of the project is changed. Use it only when somebody asks for it: the oldest are "
            "forgotten without it, too. It answers how many records were forgotten.",
     .plan = plan_changes_forget,
     .prepare = prepare_changes_forget,
     .report = report_changes_forget,
     .reply = changes_forget_reply,
     .errors = ERRORS_OF_REVIEWS,
     PARAMS(changes_forget_params)},
};

const struct op_rows changes_rows = {rows, COUNT(rows)};
