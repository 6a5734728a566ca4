/* table_snapshot.c -- rows of the table: snapshots.
 *
 * SPDX-License-Identifier: MIT
 */
#include "history_ops.h"
#include "table_rows.h"

#define SNAPSHOT_MEMBERS                                                                           \
    MEMBER(ID, STRING, .doc = "What the snapshot is called."),                                     \
        MEMBER(CREATED_AT, TIME, .doc = "When it was taken."),                                     \
        MEMBER(ORIGIN, KEYWORD, .choices = "person|model|undo", .doc = "For whom it was taken."),  \
        MEMBER(COMMIT_REF, STRING,                                                                 \
               .doc = "The commit that holds it; of a workspace in memory mem-1 and so on."),      \
        MEMBER(ROOT_PATH, PATH, .nullable = true, .doc = "The root of the workspace it is of."),   \
        MEMBER(GIT_DIR, PATH, .nullable = true,                                                    \
               .doc = "The repository of our own that it is kept in; null in memory."),            \
        MEMBER(TAG, PATH, .nullable = true, .doc = "The word it was given, or null.")

static const struct param snapshot_create_params[] = {
    PARAM("tag", STRING, .doc = "A word to know it by."),
};

static const struct member left_out_members[] = {
    SHOWN_PATH,
    MEMBER(WHY, KEYWORD, .choices = "special|unreadable|too-large|mount",
           .doc = "Why it was left out."),
    LAST_MEMBER,
};

static const struct member snapshot_create_reply[] = {
    SNAPSHOT_MEMBERS,
    MEMBER(FILES, INTEGER, .doc = "How many files it holds."),
    MEMBER(IGNORED, INTEGER, .doc = "How many names were left out because git ignores them."),
    MEMBER(CHANGING, INTEGER, .doc = "How many files were written to all the time they were read."),
    MEMBER(LEFT_OUT, LIST, LIST_OF_MAPS(left_out_members),
           .doc = "What cannot be kept, a hundred at most."),
    MEMBER(LEFT_OUT_TOTAL, INTEGER, .doc = "How many there are of those."),
    LAST_MEMBER,
};

static const struct member snapshot_members[] = {
    SNAPSHOT_MEMBERS,
    MEMBER(FILES, INTEGER, .nullable = true,
           .doc = "How many files it holds; null where its record is older and does not say."),
    LAST_MEMBER,
};

static const struct member snapshot_list_reply[] = {
    MEMBER(SNAPSHOTS, LIST, LIST_OF_MAPS(snapshot_members),
           .doc = "The snapshots, the latest first."),
    MEMBER(TOTAL, INTEGER, .doc = "How many there are."),
    MEMBER(DAMAGED, INTEGER, .doc = "How many more cannot be read."),
    LAST_MEMBER,
};

static const struct param snapshot_diff_params[] = {
    REQUIRED("id", STRING, "The snapshot to compare."),
    PARAM("other", STRING,
          .doc = "The snapshot to compare it with; without it, what is there now."),
};

static const struct member differing_members[] = {
    SHOWN_PATH,
    MEMBER(ACTION, KEYWORD, .choices = "added|modified|deleted", .doc = "How it differs."),
    MEMBER(TYPE, KEYWORD, .choices = "file|directory|symlink", .doc = "What it is."),
    LINES_ADDED,
    LINES_REMOVED,
    LAST_MEMBER,
};

static const struct member snapshot_diff_reply[] = {
    MEMBER(ID, STRING, .doc = "The snapshot that was compared."),
    MEMBER(OTHER, STRING, .nullable = true,
           .doc = "What it was compared with; null is what is there now."),
    MEMBER(FILES, LIST, LIST_OF_MAPS(differing_members), .doc = "What differs."),
    MEMBER(TOTAL, INTEGER, .doc = "How many files differ in all."),
    TRUNCATED,
    DIFF_TEXT,
    LAST_MEMBER,
};

static const struct param snapshot_restore_params[] = {
    REQUIRED("id", STRING,
             "The snapshot to go back to; or ID..OTHER, to take back only what differs between "
             "the two."),
};

static const struct member restored_members[] = {
    SHOWN_PATH,
    MEMBER(ACTION, KEYWORD, .choices = "added|modified|deleted", .doc = "What was done."),
    LAST_MEMBER,
};

static const struct member snapshot_restore_reply[] = {
    MEMBER(ID, STRING, .doc = "The snapshot that was restored."),
    MEMBER(OTHER, STRING, .nullable = true, .doc = "The other one of a range."),
    MEMBER(SAFETY, STRING, .nullable = true,
           .doc = "The snapshot of what was there before; null where nothing was to be done."),
    MEMBER(FILES, LIST, LIST_OF_MAPS(restored_members), .doc = "What was put back."),
    LAST_MEMBER,
};

static const struct param snapshot_prune_params[] = {
    NUMBER("keep", "100", 0, MANY, "Forget all but this many of the latest snapshots."),
    NUMBER("days", "36500", 0, MANY, "Forget those that are older."),
    NUMBER("bytes", "1000000000000", 0, MANY,
           "Forget the oldest while all take more room than this."),
};

static const struct member snapshot_prune_reply[] = {
    MEMBER(FORGOTTEN, INTEGER, .doc = "How many were forgotten."),
    LAST_MEMBER,
};

#define ERRORS_OF_SNAPSHOTS                                                                        \
    (ERROR_BIT(SNAPSHOT) | ERROR_BIT(PERMISSION) | ERROR_BIT(NO_SPACE) | ERROR_BIT(RACED) |        \
     ERROR_BIT(NOT_A_DIRECTORY) | ERROR_BIT(NEWER_FORMAT))
#define ERRORS_OF_PLANS (ERROR_BIT(STALE) | ERROR_BIT(APPROVAL_REQUIRED) | ERROR_BIT(READ_ONLY))

static const struct op rows[] = {
    {.name = "snapshot_create",
     .title = "Take a snapshot",
     .tier = TIER_CAUTIOUS,
     .slow = true,
     .doc = "Keeps the project as it is now, to compare with or to go back to. Use it before a "
            "change of many files. Files that git ignores are left out and counted, and so is "
            "what cannot be kept. No file of the project is changed: snapshots are kept in a "
            "place of their own, apart from the repository of the project. It answers the id "
            "that snapshot_diff and snapshot_restore take.",
     .plan = plan_snapshot_create,
     .prepare = prepare_snapshot_create,
     .report = report_snapshot_create,
     .reply = snapshot_create_reply,
     .errors = ERRORS_OF_SNAPSHOTS | ERRORS_OF_PLANS,
     PARAMS(snapshot_create_params)},
    {.name = "snapshot_list",
     .title = "List the snapshots",
     .doc = "Lists the snapshots of the project, the latest first, with id, time and tag of "
            "each. Use it to find the id of one to compare with or to go back to. It takes no "
            "arguments; an empty list is an answer and not an error.",
     .run = op_snapshot_list,
     .reply = snapshot_list_reply,
     .errors = ERRORS_OF_SNAPSHOTS},
    {.name = "snapshot_diff",
     .title = "Compare with a snapshot",
     .slow = true,
     .doc = "Shows what has changed since a snapshot was taken, or between two snapshots: the "
            "files that differ, and a unified diff of the texts. Use it to review your own work, "
            "or to see what a restore would take back. It changes nothing. It refuses an id that "
            "names no snapshot of this project.",
     .run = op_snapshot_diff,
     .reply = snapshot_diff_reply,
     .errors = ERRORS_OF_SNAPSHOTS | ERRORS_OF_FILES,
     PARAMS(snapshot_diff_params)},
    {.name = "snapshot_restore",
     .title = "Go back to a snapshot",
     .tier = TIER_DANGEROUS,
     .destructive = true,
     .slow = true,
     .doc = "Puts the files of the project back as they were in a snapshot, or with ID..OTHER "
            "takes back only what differs between two. Use it to undo a change that went wrong; "
            "look at snapshot_diff first. The state before is kept as a snapshot too, whose "
            "id it answers, so that a restore can be taken back. Files that git ignores stay as "
            "they are. It refuses an id that names no snapshot of this project.",
     .plan = plan_snapshot_restore,
     .prepare = prepare_snapshot_restore,
     .report = report_snapshot_restore,
     .reply = snapshot_restore_reply,
     .errors =
         ERRORS_OF_SNAPSHOTS | ERRORS_OF_WRITES | ERROR_BIT(EXISTS) | ERROR_BIT(SNAPSHOT_RESTORE),
     PARAMS(snapshot_restore_params)},
    {.name = "snapshot_prune",
     .title = "Forget old snapshots",
     .tier = TIER_DANGEROUS,
     .destructive = true,
     .slow = true,
     .doc = "Forgets old snapshots and gives back the room that they took: those beyond keep in "
            "number, beyond days in age, and the oldest while all take more than bytes. Use it "
            "only when somebody asks for it: old snapshots are forgotten without it, too, and a "
            "forgotten one cannot be had back. The latest snapshot stays unless keep is 0. It "
            "answers how "
            "many were forgotten.",
     .plan = plan_snapshot_prune,
     .prepare = prepare_snapshot_prune,
     .report = report_snapshot_prune,
     .reply = snapshot_prune_reply,
     .errors = ERRORS_OF_SNAPSHOTS | ERRORS_OF_PLANS,
     PARAMS(snapshot_prune_params)},
};

const struct op_rows snapshot_rows = {rows, COUNT(rows)};
