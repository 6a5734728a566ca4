/* SPDX-License-Identifier: MIT */
/* between.c -- every change, while others do something between two of its system calls.
 *
 *     between short|full
 *
 * The chances of the race tests are tried here at each call: a directory on
 * the path is exchanged with a link that leads out, or to where it is forbidden,
 * and later back, or not; another editor writes, replaces, deletes or chmods the
 * file; another process recovers or edits.  Files outside never change; a
 * change is made wholly, and was answered so, or not at all; what the others did
 * is there in the end.
 */
#include "parts/others.h"
#include "parts/shim.h"
#include "parts/world.h"

#include "request.h"
#include "select.h"

#include <git2.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LINES "one\ntwo\nthree\n"
#define COMPLAINTS 6
#define STRIDE 3

static bool full;
static long total;

/* -- the project ------------------------------------------------------------------------------ */

static void fill(const char *path, const char *mark) {
    static const char *const names[] = {"f", "sub/f", "sub/g"};
    char *content = path_of("%s\n" LINES, mark);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *name = path_of("%s/%s", path, names[i]);
        make_file(name, content);
        free(name);
    }
    free(content);
}

static void reset(void) {
    world_clear();
    fill("root/d", "INSIDE");
    make_file("root/g", "g\n" LINES);
    make_link("root/out", "../outside");
    make_link("root/hidden", "restricted");
    fill("root/restricted", "INSIDE");
}

/* -- the changes ------------------------------------------------------------------------------ */

struct subject {
    const char *name;
    const char *op;
    const char *args;
    const char *file; /* what another editor meddles with, or NULL */
    /* Whether that is kept by what comes after it, gone or elsewhere then, or was to be replaced.
     */
    enum { KEEPS, TAKES, REPLACES } how;
    const char *result; /* the file that it becomes elsewhere, or NULL */
};

#define MOVE(from, to)                                                                             \
    "{\"source\":\"" from "\",\"destination\":\"" to "\",\"allow_overwrite\":true}"
#define PATCH                                                                                      \
    "--- a/d/f\\n+++ b/d/f\\n@@ -1,2 +1,2 @@\\n INSIDE\\n-one\\n+1\\n"                             \
    "--- a/d/sub/f\\n+++ b/d/sub/f\\n@@ -1,2 +1,2 @@\\n INSIDE\\n-one\\n+1\\n"                     \
    "--- /dev/null\\n+++ b/d/new/n\\n@@ -0,0 +1 @@\\n+new\\n"                                      \
    "--- a/d/sub/g\\n+++ /dev/null\\n@@ -1,4 +0,0 @@\\n-INSIDE\\n-one\\n-two\\n-three\\n"

static const struct subject subjects[] = {
    {"edit_file", "edit_file", "{\"path\":\"d/f\",\"old_str\":\"two\",\"new_str\":\"2\"}", "d/f",
     KEEPS, NULL},
    {"insert_at_line", "insert_at_line", "{\"path\":\"d/sub/f\",\"content\":\"new\\n\",\"line\":1}",
     "d/sub/f", KEEPS, NULL},
    {"create_file", "create_file", "{\"path\":\"d/p/q/n\",\"content\":\"new\\n\"}", NULL, KEEPS,
     NULL},
    {"create_file-overwrite", "create_file",
     "{\"path\":\"d/f\",\"content\":\"new\\n\",\"allow_overwrite\":true}", "d/f", REPLACES, NULL},
    {"write_file-append", "write_file",
     "{\"path\":\"d/f\",\"content\":\"new\\n\",\"mode\":\"append\"}", "d/f", KEEPS, NULL},
    {"write_bytes", "write_bytes", "{\"path\":\"d/n\",\"content\":\"AAEC/w==\"}", NULL, KEEPS,
     NULL},
    {"make_directory", "make_directory", "{\"path\":\"d/p/q\"}", NULL, KEEPS, NULL},
    {"move_file-out", "move_file", MOVE("d/f", "h"), "d/f", TAKES, "root/h"},
    {"move_file-in", "move_file", MOVE("g", "d/p/g"), "g", TAKES, "root/d/p/g"},
    {"move_file-over", "move_file", MOVE("g", "d/f"), "d/f", REPLACES, NULL},
    {"move_file-tree", "move_file", MOVE("d/sub", "s"), NULL, KEEPS, NULL},
    {"copy_file-out", "copy_file", MOVE("d/f", "h"), "d/f", TAKES, "root/h"},
    {"copy_file-over", "copy_file", MOVE("g", "d/f"), "d/f", REPLACES, NULL},
    {"delete_file", "delete_file", "{\"path\":\"d/f\"}", "d/f", REPLACES, NULL},
    {"delete_file-recursive", "delete_file", "{\"path\":\"d/sub\",\"recursive\":true}", NULL, KEEPS,
     NULL},
    {"apply_patch", "apply_patch", "{\"patch\":\"" PATCH "\"}", "d/sub/f", KEEPS, NULL},
};

static aqfs_reply *ask(aqfs_workspace *ws, const char *op, const char *args) {
    return ask_as(ws, op, args, AQFS_SEXP);
}

/* -- what must be true ------------------------------------------------------------------------ */

struct sweep {
    const struct subject *subject;
    const struct other *other;
    const char *resolver;
    char *before, *after, *outside;
    char *result; /* what is in the subject's */
    long points, acted, changed, lost;
    int complaints;
};

__attribute__((format(printf, 3, 4))) static void complain(struct sweep *s, const char *answer,
                                                           const char *format, ...) {
    va_list args;
    if (s->complaints++ >= COMPLAINTS)
        return;
    printf("  %s %s %s: call %ld until %ld: ", s->subject->name, s->resolver, s->other->name,
           point.at, point.until);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("; answered %.200s\n", answer);
}

/* Everything that must be as it was before, or as it is after the change, by the answer. */
static void check_whole(struct sweep *s, bool succeeded, const char *now, const char *answer) {
    if (strcmp(now, succeeded ? s->after : s->before) != 0) {
        complain(s, answer, "%s",
                 strcmp(now, s->before) == 0  ? "old"
                 : strcmp(now, s->after) == 0 ? "new"
                                              : "neither old nor new");
        if (getenv("FAULT_SHOW"))
            printf("---- now\n%s----\n", now);
    }
}

static void check_child(struct sweep *s, bool succeeded, const char *now, const char *answer) {
    int status = end_child(point.child);
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 100;
    if (s->other->kind == KIND_RECOVER) {
        if (code)
            complain(s, answer, "the other process ended with %d", code);
        return;
    }
    if (code > 1)
        complain(s, answer, "the other edit ended with %d", code);
    (void)succeeded, (void)now;
    point.done = code == 1;
}

/* Text that is appended at once, by the name, is never lost to a deletion. */
static bool may_go(const struct sweep *s, bool succeeded) {
    return succeeded &&
           (s->subject->how == REPLACES || (s->subject->how == TAKES && !appends(s->other)));
}

/* If the other came when all was planned, what was planned for was moved or copied. */
static void check_result(struct sweep *s, bool succeeded, const char *answer) {
    bool planned = fault.locked && point.at >= fault.locked;
    if (succeeded && planned && s->result && strcmp(text_of(s->subject->result), s->result) != 0)
        complain(s, answer, "it took what the other had put there");
}

static void check(struct sweep *s, bool succeeded, const char *now, const char *answer) {
    const struct other *o = s->other;
    bool there = o->sign && strstr(now, o->sign);
    switch (o->kind) {
    case KIND_SWAP:
    case KIND_RECOVER:
        check_whole(s, succeeded, now, answer);
        return;
    case KIND_ABSENT: /* what was deleted may have been before the change or after it */
        return;
    case KIND_REPLACE:
        check_result(s, succeeded, answer);
        __attribute__((fallthrough));
    case KIND_WRITE: /* what is written to what has no name any more is lost, as ever */
    case KIND_FACT:
    case KIND_EDIT:
        if (!point.done)
            check_whole(s, succeeded, now, answer);
        else if (!there && !may_go(s, succeeded) && ++s->lost > o->lost)
            complain(s, answer, "what the other did is lost");
    }
}

static void check_state(struct sweep *s, const char *answer) {
    char *outside = picture_of("outside", true, true), *journal = find_journal();
    if (strcmp(outside, s->outside) != 0)
        complain(s, answer, "it changed what is outside");
    if (journal)
        complain(s, answer, "a journal is left");
    free(outside), free(journal);
}

/* False when the change has ended before its turn came. */
static bool try_point(struct sweep *s, long at, long later) {
    char answer[512];
    reset();
    point = (struct point){.resolver = s->resolver,
                           .link = s->other->link,
                           .at = at,
                           .until = later > 0 ? at + later : 0,
                           .found = -1,
                           .fd = -1,
                           .child = -1};
    snprintf(point.path, sizeof point.path, "root/%s", s->subject->file ? s->subject->file : "-");
    aqfs_workspace *ws = open_restricted(s->resolver);
    fault_between = s->other->act;
    fault_arm((struct fault){.effect = EFFECT_BETWEEN});
    aqfs_reply *r = ask(ws, s->subject->op, s->subject->args);
    fault.armed = false;
    bool met = fault.seen >= at;
    if (point.fd >= 0 && !point.done)
        close(point.fd);
    if (point.found >= 0)
        close(point.found);
    if (point.link && met && !(point.until && fault.seen >= point.until))
        exchange();
    must(r != NULL, "aqfs_call");
    const char *error = aqfs_reply_error(r);
    bool succeeded = !error || strcmp(error, "durability-unknown") == 0;
    snprintf(answer, sizeof answer, "%s", aqfs_reply_text(r, NULL));
    for (char *c = answer; *c; c++)
        *c = *c == '\n' ? ' ' : *c;
    aqfs_reply_free(r);
    aqfs_free(ws);
    if (point.child > 0)
        check_child(s, succeeded, "", answer);
    aqfs_free(open_restricted(s->resolver)); /* puts back what could not be put back at once */
    char *now = picture_of("root", false, true);
    if (strstr(now, ".aqfs-"))
        complain(s, answer, "a temporary name is left");
    check(s, succeeded, now, answer);
    free(now);
    check_state(s, answer);
    s->points++;
    s->acted += point.done;
    s->changed += succeeded;
    return met;
}

/* -- sweeps ----------------------------------------------------------------------------------- */

static void learn(struct sweep *s) {
    reset();
    s->before = picture_of("root", false, true);
    aqfs_workspace *ws = open_restricted(s->resolver);
    aqfs_reply *r = ask(ws, s->subject->op, s->subject->args);
    must(r != NULL && !aqfs_reply_error(r), r ? aqfs_reply_text(r, NULL) : "aqfs_call");
    aqfs_reply_free(r);
    aqfs_free(ws);
    s->after = picture_of("root", false, true);
    s->outside = picture_of("outside", true, true);
    s->result = s->subject->result ? path_of("%s", text_of(s->subject->result)) : NULL;
}

/* In the short form every third call, from one that differs from sweep to sweep, and at each of
 * them the next of the other's steps. */
static void try_all(struct sweep *s, long turn) {
    bool pairs = full && s->other->kind == KIND_SWAP;
    bool met = true;
    for (long at = full ? 1 : 1 + turn % STRIDE; met; at += full ? 1 : STRIDE) {
        for (long later = 3; pairs && later <= 60; later++)
            (void)try_point(s, at, later);
        size_t steps = 0;
        while (steps < 4 && s->other->steps[steps])
            steps++;
        for (size_t i = 0; i < steps; i++)
            if (full || i == (size_t)(at / STRIDE) % steps)
                met = try_point(s, at, s->other->steps[i]);
    }
}

static void run(const struct subject *subject, const struct other *other, const char *resolver,
                long turn) {
    struct sweep s = {.subject = subject, .other = other, .resolver = resolver};
    learn(&s);
    try_all(&s, turn);
    printf("BETWEEN %-22s %-8s %-11s %6ld points, %6ld met, %6ld changed %s\n", subject->name,
           machine.no_leases ? "unleased" : resolver, other->name, s.points, s.acted, s.changed,
           s.complaints ? "FAILED" : "ok");
    total += s.points;
    count_result(!s.complaints);
    free(s.before), free(s.after), free(s.outside), free(s.result);
}

static void run_pair(const struct subject *subject, const struct other *other, long turn) {
    machine.no_leases = is_never_leased(other);
    if (full || turn % 2 == 0)
        run(subject, other, "auto", turn);
    if (full || turn % 2 == 1)
        run(subject, other, "fallback", turn);
    /* Another program that holds it open then writes to what it was, whenever that is. */
    machine.no_leases = other->kind == KIND_WRITE && !holds(other) && !is_never_leased(other);
    if (machine.no_leases && (full || turn % 4 == 2))
        run(subject, other, "auto", turn);
    machine.no_leases = false;
}

int main(int argc, char **argv) {
    full = argc > 1 && strcmp(argv[1], "full") == 0;
    shim_start();
    must(git_libgit2_init() > 0, "libgit2"); /* once, not for each workspace */
    setvbuf(stdout, NULL, _IOLBF, 0);
    world_start();
    fill("outside", "OUTSIDE");
    long turn = 0;
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
        for (size_t j = 0; j < other_count; j++) {
            bool needs_file = others[j].kind != KIND_SWAP && others[j].kind != KIND_RECOVER;
            if (needs_file && !subjects[i].file)
                continue;
            turn++;
            if (is_selected("between/%s/%s", subjects[i].name, others[j].name))
                run_pair(&subjects[i], &others[j], turn);
        }
    }
    world_end();
    printf("points: %ld between two calls\n", total);
    return report_score();
}
