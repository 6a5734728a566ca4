/* SPDX-License-Identifier: MIT */
/* refused.c -- calls that must not change anything, while the calls that they make fail.
 *
 *     refused short|full
 *
 * Operations above their caller's authority, asked for in each way, and operations that cannot be
 * done, are asked for again and again, each time with one fault: the n-th system call fails, once
 * or from then on, or reads half; the n-th allocation fails.  None is ever granted, shown as
 * allowed, or answered with success; nothing in the project or outside changes; what fails for want
 * of memory says so, or the same as with memory; and the workspace goes on working.
 */
#include "parts/shim.h"
#include "parts/subjects.h"
#include "parts/world.h"

#include "request.h"
#include "select.h"

#include <errno.h>
#include <git2.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMPLAINTS 6

static bool full;

/* -- what cannot be done ---------------------------------------------------------------------- */

#define HUNK(lines) "{\"patch\":\"--- a/c.txt\\n+++ b/c.txt\\n@@ -1,2 +1,2 @@\\n" lines "\"}"

static const struct {
    const char *name, *op, *args;
} impossible[] = {
    {"no-match", "edit_file",
     "{\"path\":\"a.txt\",\"old_str\":\"two\\n three\",\"new_str\":\"2\"}"},
    {"several-matches", "edit_file", "{\"path\":\"b.txt\",\"old_str\":\"o\",\"new_str\":\"0\"}"},
    {"second-edit", "edit_file",
     "{\"path\":\"a.txt\",\"edits\":[{\"old_str\":\"two\",\"new_str\":\"2\"},"
     "{\"old_str\":\"two\",\"new_str\":\"2\"}]}"},
    {"line-too-far", "insert_at_line", "{\"path\":\"a.txt\",\"content\":\"x\\n\",\"line\":99}"},
    {"binary", "edit_file", "{\"path\":\"zero\",\"old_str\":\"a\",\"new_str\":\"b\"}"},
    {"exists", "create_file", "{\"path\":\"a.txt\",\"content\":\"x\"}"},
    {"directory", "write_file", "{\"path\":\"d\",\"content\":\"x\"}"},
    {"base64", "write_bytes", "{\"path\":\"bin\",\"content\":\"AAEC/w=\"}"},
    {"move-exists", "move_file", "{\"source\":\"b.txt\",\"destination\":\"c.txt\"}"},
    {"move-into-itself", "move_file", "{\"source\":\"d\",\"destination\":\"d/sub/d\"}"},
    {"copy-missing", "copy_file", "{\"source\":\"none\",\"destination\":\"x\"}"},
    {"not-empty", "delete_file", "{\"path\":\"d\"}"},
    {"file", "make_directory", "{\"path\":\"a.txt/x\"}"},
    {"outside", "create_file", "{\"path\":\"out/new\",\"content\":\"x\"}"},
    {"other-text", "apply_patch", HUNK("-b\\n+B\\n one\\n")},
    {"no-patch", "apply_patch", HUNK("-c\\n+C\\n")},
    {"second-file", "apply_patch",
     "{\"patch\":\"*** Begin Patch\\n*** Update File: c.txt\\n@@\\n-c\\n+C\\n"
     "*** Add File: d/x\\n+x\\n*** Delete File: none\\n*** End Patch\\n\"}"},
};

/* -- one point -------------------------------------------------------------------------------- */

/* A request that is made again and again, and its answer when nothing fails. */
struct sweep {
    const char *name, *op, *args;
    const char *authority;
    const char *verb;
    char digest[64]; /* of what is committed */
    char error[64];
    char *answer;
    aqfs_workspace *ws;
    char *root, *outside; /* pictures, with times */
    int descriptors;
    long points;
    int complaints;
};

__attribute__((format(printf, 3, 4))) static void complain(struct sweep *s, const char *answer,
                                                           const char *format, ...) {
    va_list args;
    if (s->complaints++ >= COMPLAINTS)
        return;
    printf("  %s %s %s: call %ld (%s) %s: ", s->name, s->authority, s->verb, fault.at,
           fault.name ? fault.name : "-", fault.errnum ? strerrorname_np(fault.errnum) : "");
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("; answered %.200s\n", answer);
}

static aqfs_reply *ask(const struct sweep *s, const char *verb) {
    char *digest = s->digest[0] ? path_of(",\"digest\":\"%s\"", s->digest) : path_of("%s", "");
    char *request = path_of("{\"op\":\"%s\",\"args\":%s,\"authority\":\"%s\",\"verb\":\"%s\"%s}",
                            s->op, s->args, s->authority, verb, digest);
    const aqfs_context context = {.format = AQFS_JSON};
    free(digest);
    fault.armed = fault.at > 0;
    aqfs_reply *r = aqfs_call(s->ws, request, strlen(request), &context);
    fault.armed = false;
    free(request);
    return r;
}

static aqfs_reply *ask_without_fault(const struct sweep *s, const char *verb) {
    fault_arm((struct fault){.effect = EFFECT_NONE});
    aqfs_reply *r = ask(s, verb);
    must(r != NULL, "aqfs_call");
    return r;
}

/* Only what was asked for as a plan is answered, and says that it is not allowed. */
static bool is_granted(const struct sweep *s, const char *answer) {
    return strcmp(s->verb, "plan") != 0 || !strstr(answer, "\"allowed\": false");
}

/* A place that could not be looked at counts as protected. */
static const char *skip_doubt(const char *text) {
    const char *key = "\"protected\": ";
    size_t n = strlen(key);
    if (strncmp(text, key, n) != 0)
        return text;
    return text + n + strcspn(text + n, ",}");
}

/* Is the plan in the answer, if there is one, that which is shown when nothing fails? */
static bool is_shown_whole(const struct sweep *s, const char *answer) {
    const char *plan = strstr(answer, "\"tier\""), *whole = strstr(s->answer, "\"tier\"");
    while (plan && whole && *plan && *plan == *whole) {
        plan = skip_doubt(plan + 1);
        whole = skip_doubt(whole + 1);
    }
    return !plan || (whole && *plan == *whole);
}

static void check_trees(struct sweep *s, const char *answer) {
    char *root = picture_of("root", true, true), *outside = picture_of("outside", true, true);
    if (strcmp(root, s->root) != 0)
        complain(s, answer, "the project has changed");
    if (strcmp(outside, s->outside) != 0)
        complain(s, answer, "it changed what is outside");
    if (open_descriptors() != s->descriptors)
        complain(s, answer, "%d descriptors, there were %d", open_descriptors(), s->descriptors);
    free(root), free(outside);
}

/* Whether the fault was there to be met: otherwise all of them have been. */
static bool try_point(struct sweep *s, struct fault what) {
    fault_arm(what);
    aqfs_reply *r = ask(s, s->verb);
    const char *error = r ? aqfs_reply_error(r) : "limit";
    const char *answer = r ? aqfs_reply_text(r, NULL) : "nothing";
    bool by_memory = what.effect == EFFECT_MEMORY;
    if (!error && is_granted(s, answer))
        complain(s, answer, "it was granted");
    if (error && by_memory && strcmp(error, "limit") != 0 && strcmp(error, s->error) != 0)
        complain(s, answer, "that is not the reason");
    if (by_memory && !is_shown_whole(s, answer))
        complain(s, answer, "something is missing in the plan that is shown");
    if (!r && !by_memory)
        complain(s, answer, "no answer");
    check_trees(s, answer);
    aqfs_reply_free(r);
    s->points++;
    return fault.name != NULL;
}

/* -- sweeps ----------------------------------------------------------------------------------- */

static const int errors[] = {EIO, EINTR, EMFILE, ENOMEM, EACCES, ENOENT, ENOSYS, ELOOP};
#define ERRORS ((long)(sizeof errors / sizeof *errors))

static void sweep(struct sweep *s, enum effect effect, bool for_ever, long first, long step) {
    struct fault what = {.effect = effect, .for_ever = for_ever};
    for (what.at = first;; what.at += step) {
        what.errnum = effect == EFFECT_FAIL ? errors[(what.at / step) % ERRORS] : 0;
        if (!try_point(s, what))
            return;
    }
}

static void learn(struct sweep *s) {
    s->root = picture_of("root", true, true);
    s->outside = picture_of("outside", true, true);
    aqfs_reply *r = ask_without_fault(s, s->verb);
    snprintf(s->error, sizeof s->error, "%s", aqfs_reply_error(r) ? aqfs_reply_error(r) : "");
    s->answer = path_of("%s", aqfs_reply_text(r, NULL));
    s->descriptors = open_descriptors();
    check_trees(s, s->answer);
    aqfs_reply_free(r);
}

/* Every STEP-th call, beginning elsewhere each time. */
static void sweep_all(struct sweep *s, long turn, long step) {
    long first = 1 + turn % step;
    learn(s);
    sweep(s, EFFECT_MEMORY, false, first, step);
    sweep(s, EFFECT_MEMORY, true, first, step * 5);
    sweep(s, EFFECT_FAIL, false, first, step);
    sweep(s, EFFECT_FAIL, true, first, step);
    sweep(s, EFFECT_HALF, false, 1, 1);
}

static void start(struct sweep *s, const struct subject *subject) {
    if (subject) {
        reset_for(subject->name);
        s->args = arguments(subject->args);
    } else {
        reset();
    }
    make_bytes("root/zero", "a\0b", 3);
    make_file("root/.envrc", "one\n");
    s->ws = open_workspace("auto");
}

static void finish(struct sweep *s) {
    if (s->points > 0) {
        printf("REFUSED %-22s %-9s %-6s %6ld points %s\n", s->name, s->authority, s->verb,
               s->points, s->complaints ? "FAILED" : "ok");
        count_result(!s->complaints);
    }
    aqfs_free(s->ws);
    free(s->root), free(s->outside), free(s->answer);
}

/* -- above the caller's authority ------------------------------------------------------------- */

/* The digest with which it could be committed by somebody who may. */
static void learn_digest(struct sweep *s) {
    const char *key = "\"digest\": \"";
    aqfs_reply *r = ask_without_fault(s, "plan");
    must(!aqfs_reply_error(r), aqfs_reply_text(r, NULL));
    const char *at = strstr(aqfs_reply_text(r, NULL), key);
    if (!at)
        die("%s: no digest", s->name);
    at += strlen(key);
    snprintf(s->digest, sizeof s->digest, "%.*s", (int)strcspn(at, "\""), at);
    aqfs_reply_free(r);
}

/* Is it above the authority?  The commit of an unapproved plan is refused by its tier, too. */
static bool is_above(const struct sweep *s) {
    aqfs_reply *r = ask_without_fault(s, "call");
    const char *error = aqfs_reply_error(r);
    bool above = error && strcmp(error, "approval-required") == 0;
    aqfs_reply_free(r);
    return above;
}

static const struct subject further[] = {
    {.name = "edit_file-protected",
     .op = "edit_file",
     .args = "{\"path\":\".envrc\",\"old_str\":\"one\",\"new_str\":\"1\"}"},
    {.name = "snapshot_create", .op = "snapshot_create", .args = "{}"},
    {.name = "changes_accept", .op = "changes_accept", .args = "{\"calls\":[$all]}"},
    {.name = "changes_forget", .op = "changes_forget", .args = "{\"calls\":[$all]}"},
};

static void ask_above(const struct subject *subject, long turn) {
    static const char *const authorities[] = {"safe", "cautious"};
    static const char *const verbs[] = {"call", "plan", "commit"};
    for (size_t i = 0; i < 6; i++) {
        struct sweep s = {.name = subject->name,
                          .op = subject->op,
                          .authority = authorities[i / 3],
                          .verb = verbs[i % 3]};
        if (!is_selected("refused/%s/%s/%s", s.name, s.authority, s.verb))
            continue;
        start(&s, subject);
        bool above = is_above(&s);
        must(above || i >= 3, "every change is above the authority `safe'");
        if (above && strcmp(s.verb, "commit") == 0)
            learn_digest(&s);
        if (above)
            sweep_all(&s, turn + (long)i, (full ? 1 : 4) * step_of(subject));
        finish(&s);
    }
}

static void ask_for_the_impossible(size_t i) {
    struct sweep s = {.name = impossible[i].name,
                      .op = impossible[i].op,
                      .args = impossible[i].args,
                      .authority = "dangerous",
                      .verb = "call"};
    if (!is_selected("refused/%s", s.name))
        return;
    start(&s, NULL);
    sweep_all(&s, (long)i, 1);
    finish(&s);
}

int main(int argc, char **argv) {
    full = argc > 1 && strcmp(argv[1], "full") == 0;
    shim_start();
    must(git_libgit2_init() > 0, "libgit2"); /* once, not for each workspace */
    setvbuf(stdout, NULL, _IOLBF, 0);
    world_start();
    start_subjects();
    for (size_t i = 0; i < subject_count; i++)
        ask_above(&subjects[i], (long)i);
    for (size_t i = 0; i < sizeof further / sizeof *further; i++)
        ask_above(&further[i], 0);
    for (size_t i = 0; i < sizeof impossible / sizeof *impossible; i++)
        ask_for_the_impossible(i);
    world_end();
    return report_score();
}
