/* trial.c -- doing a deed once, and recording it: see trial.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trial.h"

#include "../../fault/parts/world.h"
#include "build.h"
#include "recorder.h"

#include "request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void scan_before(struct trial *t) {
    for (int rules = 0; rules < RULES_N; rules++)
        disk_scan(&t->before[rules]);
}

/* Nothing of this is recorded. */
static void note_answer(struct trial *t, size_t i, const aqfs_reply *reply) {
    const char *text = reply ? aqfs_reply_text(reply, NULL) : NULL;
    const char *error = reply ? aqfs_reply_error(reply) : "none";
    char *held = t->pictures[i];
    snprintf(t->error, sizeof t->error, "%s", error ? error : "");
    if (!error) {
        note_snapshot(
            text, strcmp(t->deed->requests[i].op, "snapshot_create") == 0 ? "id" : "safety", held);
    }
    t->snapshots[i + 1] = snapshots.n;
}

/* After an error nothing has changed; but when it is only not known whether the disk has it. */
static void note_end(struct trial *t, const struct trial *whole, size_t i) {
    t->unsure = strcmp(t->error, "durability-unknown") == 0;
    const char *const *pictures = (const char *const *)(whole ? whole : t)->pictures;
    t->ends_n = 0;
    if (*t->error)
        t->ends[t->ends_n++] = pictures[i];
    if (!*t->error || t->unsure)
        t->ends[t->ends_n++] = pictures[i + 1];
}

bool trial_run(const struct deed *deed, const struct conditions *conditions,
               const struct trial *whole, struct trial *out) {
    *out = (struct trial){.deed = deed};
    begin_deed(deed);
    scan_before(out);
    out->pictures[0] = picture_of("root", false, true);
    out->snapshots[0] = snapshots.n;
    fail_sync(conditions->fails, conditions->silently);
    record_into(&out->log, conditions->slow);
    aqfs_workspace *ws = open_workspace("auto");
    for (size_t i = 0; i < deed->requests_n && !*out->error; i++) {
        char *args = arguments_of(&deed->requests[i]);
        aqfs_reply *reply = ask_as(ws, deed->requests[i].op, args, AQFS_JSON);
        record_answer();
        record_pause(true);
        note_answer(out, i, reply);
        out->pictures[i + 1] = picture_of("root", false, true);
        note_end(out, whole, i);
        record_pause(false);
        if (*out->error && !conditions->fails)
            die("%s: %s", deed->name, aqfs_reply_text(reply, NULL));
        aqfs_reply_free(reply);
        free(args);
    }
    aqfs_free(ws);
    record_into(NULL, false);
    bool met = syncs_seen() >= conditions->fails;
    fail_sync(0, false);
    return met;
}

void trial_recover(const struct trial *killed, const struct disk *before, size_t point,
                   struct trial *out) {
    *out = (struct trial){.deed = killed->deed};
    size_t answered = answers_at(&killed->log, point);
    powercut_machine.plain_renames = killed->deed->plain;
    build(before);
    scan_before(out);
    for (size_t i = 0; i < 2 && answered + i <= killed->deed->requests_n; i++) {
        out->pictures[i] = path_of("%s", killed->pictures[answered + i]);
        out->snapshots[i] = killed->snapshots[answered];
    }
    record_into(&out->log, false);
    aqfs_workspace *ws = open_workspace("auto");
    record_answer();
    record_pause(true);
    out->pictures[2] = picture_of("root", false, true);
    out->ends[out->ends_n++] = out->pictures[2];
    record_pause(false);
    aqfs_free(ws);
    record_into(NULL, false);
}

void trial_free(struct trial *t) {
    log_free(&t->log);
    for (size_t i = 0; i <= REQUESTS_MOST; i++)
        free(t->pictures[i]);
    for (int rules = 0; rules < RULES_N; rules++)
        disk_free(&t->before[rules]);
    *t = (struct trial){0};
}
