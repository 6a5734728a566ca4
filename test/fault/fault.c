/* SPDX-License-Identifier: MIT */
/* fault.c -- every mutating operation, while the calls it makes fail.
 *
 *     fault short|full
 *
 * Each operation is run again and again on the same small project, each time
 * with one fault: its n-th system call fails with an error, once or from then
 * on, or transfers half; its n-th allocation fails; its process is killed.
 * It must leave the state before, or the state that it leaves when nothing
 * fails, according to what it answered; nothing temporary after the workspace
 * is next opened; no descriptor; nothing changed outside; and a workspace in
 * which the operation then works.
 */
#include "parts/shim.h"
#include "parts/subjects.h"
#include "parts/world.h"

#include "request.h"
#include "select.h"

#include <errno.h>
#include <git2.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool full;

static aqfs_reply *ask(aqfs_workspace *ws, const char *op, const char *args) {
    return ask_as(ws, op, args, AQFS_SEXP);
}

/* -- one point -------------------------------------------------------------------------------- */

/* A sweep: an operation and a kind of fault, with what should come of it. */
struct sweep {
    const struct subject *subject;
    const char *resolver;
    char *before, *after; /* pictures of the project */
    char *outside;
    int descriptors;
    const char *kind;
    long points;
    int complaints;
    struct fault killer; /* what a child is killed by */
};

static const char *errno_name(int errnum) {
    return errnum ? strerrorname_np(errnum) : "";
}

static void show_trees(const struct sweep *s, const char *now) {
    if (!getenv("FAULT_SHOW"))
        return;
    printf("---- before\n%s---- after\n%s---- now\n%s----\n", s->before, s->after, now);
}

__attribute__((format(printf, 3, 4))) static void complain(struct sweep *s, const char *answer,
                                                           const char *format, ...) {
    va_list args;
    if (s->complaints++ >= 6)
        return;
    printf("  %s %s: call %ld (%s) %s%s%s: ", s->subject->name, s->kind, fault.at,
           fault.name ? fault.name : "-", errno_name(fault.errnum),
           fault.for_ever ? " for ever" : "", answer ? "" : ", no answer");
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("%s%.300s\n", answer ? "; answered " : "", answer ? answer : "");
}

/* Interrupted, these are simply called again; close has closed.  A failed fsync is not repeated
 * whatever the reason, and the others are never interrupted. */
static bool hides_interruption(const char *name) {
    static const char *const hiding[] = {
        "openat", "__openat_2", "open",  "openat2", "statx",     "write",  "pread",
        "close",  "getrandom",  "flock", "fchown",  "ftruncate", "fchmod", "copy_file_range",
    };
    for (size_t i = 0; i < sizeof hiding / sizeof *hiding; i++)
        if (strcmp(name, hiding[i]) == 0)
            return true;
    return false;
}

/* Must the operation succeed all the same? */
static bool is_invisible(const struct fault *f) {
    if (f->for_ever || !f->name)
        return !f->name;
    if (f->effect == EFFECT_HALF)
        return strcmp(f->name, "getrandom") != 0;
    if (f->effect != EFFECT_FAIL)
        return false;
    bool openat2 = strcmp(f->name, "openat2") == 0;
    return (f->errnum == EINTR && hides_interruption(f->name)) ||
           (openat2 && (f->errnum == EAGAIN || f->errnum == ENOSYS)) ||
           (f->errnum == ENOSYS && strcmp(f->name, "copy_file_range") == 0);
}

enum expected { OLD, NEW, EITHER };

static enum expected expect(const char *error, bool answered) {
    if (!answered)
        return EITHER;
    return !error || strcmp(error, "durability-unknown") == 0 ? NEW : OLD;
}

static enum expected look(struct sweep *s, const char *when, enum expected expected,
                          bool temporaries, const char *answer) {
    char *now = picture_of("root", false, temporaries);
    bool is_old = strcmp(now, s->before) == 0, is_new = strcmp(now, s->after) == 0;
    if (!is_old && !is_new) {
        complain(s, answer, "%s: neither old nor new%s", when,
                 strstr(now, ".aqfs-") ? ", a temporary name" : "");
        show_trees(s, now);
    } else if ((expected == OLD && !is_old) || (expected == NEW && !is_new)) {
        complain(s, answer, "%s: %s", when, is_old ? "old" : "new");
    }
    free(now);
    return is_new ? NEW : OLD;
}

static void check_journal(struct sweep *s, const char *answer) {
    char *journal = find_journal();
    if (journal)
        complain(s, answer, "a journal is left");
    free(journal);
}

/* The operation again, without faults. */
static void check_works(struct sweep *s, aqfs_workspace *ws, enum expected state,
                        const char *answer) {
    const char *args = state == NEW && s->subject->again ? s->subject->again : s->subject->args;
    bool must_work = state == OLD || s->subject->again;
    aqfs_reply *r = ask(ws, s->subject->op, arguments(args));
    const char *error = r ? aqfs_reply_error(r) : "no answer";
    if (error && (must_work || !r))
        complain(s, answer, "then, without a fault: %s", r ? aqfs_reply_text(r, NULL) : error);
    if (state == OLD && !error)
        (void)look(s, "then, without a fault", NEW, false, answer);
    aqfs_reply_free(r);
}

static void check_reads(struct sweep *s, aqfs_workspace *ws, const char *answer) {
    aqfs_reply *r = ask(ws, "list_directory", "{}");
    if (!r || aqfs_reply_error(r))
        complain(s, answer, "the workspace is of no use any more");
    aqfs_reply_free(r);
}

/* The checks after every point.  A new workspace puts back what is to be put back. */
static void check_end(struct sweep *s, const char *answer) {
    if (open_descriptors() != s->descriptors)
        complain(s, answer, "%d descriptors, there were %d", open_descriptors(), s->descriptors);
    check_journal(s, answer);
    char *outside = picture_of("outside", true, true);
    if (strcmp(outside, s->outside) != 0)
        complain(s, answer, "it changed what is outside");
    free(outside);
}

static enum expected reopen(struct sweep *s, enum expected expected, bool work,
                            const char *answer) {
    aqfs_workspace *ws = open_workspace(s->resolver);
    enum expected state = look(s, "opened again", expected, true, answer);
    if (work)
        check_works(s, ws, state, answer);
    aqfs_free(ws);
    return state;
}

static void check_answer(struct sweep *s, const char *error, const char *answer, bool answered) {
    if (!answered && fault.effect != EFFECT_MEMORY)
        complain(s, answer, "no answer");
    if (is_invisible(&fault) && error)
        complain(s, answer, "it should not have mattered");
    if (fault.synced_again)
        complain(s, answer, "fsync was repeated");
    if (fault.on_directory && !fault.for_ever && answered && !error)
        complain(s, answer, "the directory was not synced");
}

/* Whether the fault was there to be met: otherwise all of them have been. */
static bool try_fault(struct sweep *s, struct fault what) {
    char answer[512];
    reset_for(s->subject->name);
    const char *args = arguments(s->subject->args);
    aqfs_workspace *ws = open_workspace(s->resolver);
    fault_arm(what);
    aqfs_reply *r = ask(ws, s->subject->op, args);
    fault.armed = false;
    const char *error = r ? aqfs_reply_error(r) : NULL;
    snprintf(answer, sizeof answer, "%s", r ? aqfs_reply_text(r, NULL) : "nothing");
    for (char *c = answer; *c; c++)
        *c = *c == '\n' ? ' ' : *c;
    enum expected expected = expect(error, r != NULL);
    check_answer(s, error, answer, r != NULL);
    aqfs_reply_free(r);
    check_reads(s, ws, answer);
    /* A call that fails for ever cannot be undone before the next open. */
    bool same = !what.for_ever && (what.at % 2 == 0 || !fault.name);
    enum expected state = EITHER;
    if (!what.for_ever)
        state = look(s, "at once", expected, false, answer);
    if (same)
        check_works(s, ws, state, answer);
    aqfs_free(ws);
    if (same) {
        aqfs_free(open_workspace(s->resolver));
        char *now = picture_of("root", false, true);
        if (strstr(now, ".aqfs-"))
            complain(s, answer, "a temporary name is left");
        free(now);
    } else {
        (void)reopen(s, expected, true, answer);
    }
    check_end(s, answer);
    s->points++;
    return fault.name != NULL;
}

/* -- killing ---------------------------------------------------------------------------------- */

static void be_killed(void *data) {
    const struct sweep *s = data;
    const char *args = arguments(s->subject->args);
    aqfs_workspace *ws = open_workspace(s->resolver);
    fault_arm(s->killer);
    (void)ask(ws, s->subject->op, args);
}

static bool try_kill(struct sweep *s, struct fault what) {
    reset_for(s->subject->name);
    s->killer = what;
    int status = run_apart(be_killed, s);
    bool killed = was_killed(status);
    fault = what;
    if (!killed && status != 0)
        complain(s, NULL, "the process ended with status %d", status);
    (void)reopen(s, killed ? EITHER : NEW, what.at % 4 == 0, NULL);
    check_end(s, NULL);
    s->points++;
    return killed;
}

/* -- sweeps ----------------------------------------------------------------------------------- */

static const int errors[] = {EIO,    ENOSPC, EDQUOT, EINTR,  EAGAIN,
                             EMFILE, ENOMEM, EROFS,  EACCES, ENOSYS};
#define ERRORS ((long)(sizeof errors / sizeof *errors))

static void sweep_errno(struct sweep *s, int errnum, bool for_ever) {
    for (long at = 1; try_fault(
             s, (struct fault){
                    .effect = EFFECT_FAIL, .errnum = errnum, .at = at, .for_ever = for_ever});)
        at += step_of(s->subject);
}

/* A different error at each call. */
static void sweep_mixed(struct sweep *s, long turn, bool for_ever) {
    for (long at = 1; try_fault(s, (struct fault){.effect = EFFECT_FAIL,
                                           .errnum = errors[(at + turn) % ERRORS],
                                           .at = at,
                                           .for_ever = for_ever});)
        at += step_of(s->subject);
}

static void sweep_effect(struct sweep *s, enum effect effect, long step) {
    for (int for_ever = 0; for_ever < 2; for_ever++)
        for (long at = 1;
             try_fault(s, (struct fault){.effect = effect, .at = at, .for_ever = for_ever == 1});)
            at += step * step_of(s->subject);
}

static void sweep_kill(struct sweep *s, long first, long step) {
    for (long at = 1; try_kill(s, (struct fault){.effect = EFFECT_KILL_HALF, .at = at});)
        at += step_of(s->subject);
    for (enum effect effect = EFFECT_KILL; effect <= EFFECT_KILL_AFTER; effect++)
        for (long at = first; try_kill(s, (struct fault){.effect = effect, .at = at});)
            at += step * step_of(s->subject);
}

static void sweep_errors(struct sweep *s, long turn) {
    if (!full) {
        sweep_mixed(s, turn, false);
        sweep_mixed(s, turn + 3, true);
        return;
    }
    for (long i = 0; i < ERRORS; i++) {
        sweep_errno(s, errors[i], false);
        sweep_errno(s, errors[i], true);
    }
}

enum kind { KIND_ERROR, KIND_SHORT, KIND_MEMORY, KIND_KILL, KINDS };
static const char *const kind_names[] = {"error", "short", "memory", "kill"};
static long totals[KINDS];

static void run_kind(struct sweep *s, enum kind kind, long turn) {
    s->points = 0;
    s->complaints = 0;
    s->kind = kind_names[kind];
    switch (kind) {
    case KIND_ERROR:
        sweep_errors(s, turn);
        break;
    case KIND_SHORT:
        sweep_effect(s, EFFECT_HALF, 1);
        break;
    case KIND_MEMORY:
        sweep_effect(s, EFFECT_MEMORY, full ? 1 : 3);
        break;
    case KIND_KILL:
        sweep_kill(s, full ? 1 : 1 + turn % 3, full ? 1 : 3);
        break;
    case KINDS:
        break;
    }
    totals[kind] += s->points;
    printf("FAULT %-22s %-8s %-6s %6ld points %s\n", s->subject->name,
           machine.plain_renames ? "plain"
           : machine.much_waits  ? "busy"
                                 : s->resolver,
           s->kind, s->points, s->complaints ? "FAILED" : "ok");
    if (s->complaints > 6)
        printf("  ... %d complaints in all\n", s->complaints);
    count_result(!s->complaints);
}

static void learn(struct sweep *s) {
    reset_for(s->subject->name);
    s->before = picture_of("root", false, true);
    aqfs_workspace *ws = open_workspace(s->resolver);
    aqfs_reply *r = ask(ws, s->subject->op, arguments(s->subject->args));
    must(r != NULL, "aqfs_call");
    if (aqfs_reply_error(r)) {
        printf("%s: %s\n", s->subject->name, aqfs_reply_text(r, NULL));
        exit(2);
    }
    aqfs_reply_free(r);
    s->after = picture_of("root", false, true);
    aqfs_free(ws);
    s->outside = picture_of("outside", true, true);
    s->descriptors = open_descriptors();
    check_journal(s, NULL);
}

static void run_subject(const struct subject *subject, const char *resolver, long turn) {
    struct sweep s = {.subject = subject, .resolver = resolver};
    learn(&s);
    for (enum kind kind = 0; kind < KINDS; kind++)
        if (full || !machine.plain_renames || kind == KIND_ERROR || kind == KIND_KILL)
            run_kind(&s, kind, turn); /* memory and transfers are the same in both */
    free(s.before), free(s.after), free(s.outside);
}

/* Where a rename knows no flags and nothing but /proc tells mounts apart, and where the machine has
 * much to write, less is tried. */
static void run_everywhere(const struct subject *subject, long turn) {
    run_subject(subject, "auto", turn);
    if (full)
        run_subject(subject, "fallback", turn);
    machine.plain_renames = machine.no_statx = true;
    if (full || subject->plain)
        run_subject(subject, "auto", turn);
    machine.plain_renames = machine.no_statx = false;
    machine.much_waits = true;
    if (step_of(subject) > 1)
        run_subject(subject, "auto", turn);
    machine.much_waits = false;
}

int main(int argc, char **argv) {
    full = argc > 1 && strcmp(argv[1], "full") == 0;
    shim_start();
    must(git_libgit2_init() > 0, "libgit2"); /* once, not for each workspace */
    setvbuf(stdout, NULL, _IOLBF, 0);
    signal(SIGXFSZ, SIG_IGN);
    world_start();
    start_subjects();
    for (size_t i = 0; i < subject_count; i++)
        if (is_selected("fault/%s", subjects[i].name))
            run_everywhere(&subjects[i], (long)i);
    world_end();
    printf("points:");
    for (enum kind kind = 0; kind < KINDS; kind++)
        printf(" %ld %s", totals[kind], kind_names[kind]);
    printf("\n");
    return report_score();
}
