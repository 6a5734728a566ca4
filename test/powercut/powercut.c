/* powercut.c -- what is left of every change when power is lost in the middle.
 *
 *     powercut short|full
 *
 * Each change is made once, and the calls that it makes of the disk are recorded.  From this
 * follows what the disks may hold when power is lost behind any of the calls (parts/model.h).  Each
 * such state is made, all of them or a sample; the workspace is opened on it; and then each file is
 * old or new, all of them or none; what was answered is there; nothing temporary is left; snapshots
 * can be read; and the next change works.
 *
 * The same with each sync failing, once all has been answered; and with power lost while a
 * workspace puts back what a process that was killed has left.
 *
 * SPDX-License-Identifier: MIT
 */
#include "../fault/parts/world.h"
#include "parts/recorder.h"
#include "parts/trial.h"

#include "select.h"

#include <git2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How many states of one log are tried; and of those of a sync that fails, or of a recovery. */
static struct {
    size_t states, states_of_one;
    long step; /* every so manieth sync fails, and call is one's last */
} effort = {2000, 200, 1};

#define TOLD_MOST 3

static struct { size_t logs, points, states, violations; } total;

struct result {
    size_t points, states, violations;
    bool is_sample;
};

static void tell(const struct trial *t, const struct model *m, const struct state *state,
                 const char *what) {
    const struct event *event = &t->log.events[state->point];
    printf("  %s, %s, %s: power lost behind call %zu (%s), %zu answered\n", t->deed->name, what,
           rules_names[m->rules], state->point + 1, event->call, answers_at(&t->log, state->point));
    model_tell(m, state->point, state->kept);
}

static void try_state(const struct trial *t, const struct model *m, const struct state *state,
                      const char *what, struct result *r) {
    struct disk disk;
    model_apply(m, state->kept, &disk);
    r->states++;
    if (!trial_holds(t, &disk, state->point, false) && r->violations++ < TOLD_MOST) {
        tell(t, m, state, what);
        (void)trial_holds(t, &disk, state->point, true);
        if (*t->error)
            printf("    answered: %s\n", t->error);
        if (stops_at_failure())
            die("stopped at the first violation");
    }
    disk_end_copy(&disk);
}

/* Tries at most MOST states behind the event FIRST and later ones. */
static void try_states(struct trial *t, enum rules rules, size_t first, size_t most,
                       const char *what, struct result *r) {
    struct model m;
    struct states states;
    model_make(rules, &t->before[rules], &t->log, &m);
    t->before[rules] = (struct disk){0};
    states_list(&m, first, most, &states);
    r->points += states.points;
    r->is_sample = r->is_sample || !states.is_complete;
    for (size_t i = 0; i < states.n; i++)
        try_state(t, &m, &states.all[i], what, r);
    states_free(&states);
    model_free(&m);
}

static void report(const char *name, const char *what, const char *rules, const struct result *r) {
    printf("POWERCUT %-24s %-9s %-8s %6zu points %7zu states%s %s\n", name, what, rules, r->points,
           r->states, r->is_sample ? " (sample)" : "         ", r->violations ? "FAILED" : "ok");
    if (r->violations)
        printf("  %zu violations in all\n", r->violations);
    total.points += r->points;
    total.states += r->states;
    total.violations += r->violations;
    count_result(!r->violations);
}

/* -- power is lost ------------------------------------------------------------------------------
 */

static void cut_power(const struct deed *deed) {
    struct trial t;
    (void)trial_run(deed, &(struct conditions){.slow = true}, NULL, &t);
    total.logs++;
    if (getenv("POWERCUT_SHOW"))
        log_tell(&t.log);
    for (enum rules rules = 0; rules < RULES_N; rules++) {
        struct result r = {0};
        try_states(&t, rules, 0, effort.states, "done", &r);
        report(deed->name, "done", rules_names[rules], &r);
    }
    trial_free(&t);
}

/* -- and a sync had failed ----------------------------------------------------------------------
 */

static size_t last_answer(const struct log *log) {
    size_t last = 0;
    for (size_t i = 0; i < log->n; i++)
        last = log->events[i].kind == EVENT_ANSWER ? i : last;
    return last;
}

/* False when there are not so many syncs. */
static bool fail_one(const struct deed *deed, const struct trial *whole, long at, bool silent,
                     struct result *results) {
    struct trial t;
    bool met = trial_run(deed, &(struct conditions){at, silent, true}, whole, &t);
    for (enum rules rules = 0; met && rules < RULES_N; rules++)
        try_states(&t, rules, last_answer(&t.log), effort.states_of_one,
                   silent ? "unsynced, silently" : "unsynced", &results[rules]);
    total.logs += met;
    trial_free(&t);
    return met;
}

static bool is_of_all(const struct log *log, long at) {
    for (size_t i = 0; i < log->n; i++) {
        enum event_kind kind = log->events[i].kind;
        at -= kind == EVENT_SYNC || kind == EVENT_DATA_SYNC || kind == EVENT_SYNC_ALL;
        if (at == 0)
            return kind == EVENT_SYNC_ALL;
    }
    return false;
}

static void fail_each(const struct deed *deed) {
    struct trial whole;
    struct result results[RULES_N] = {0};
    (void)trial_run(deed, &(struct conditions){0}, NULL, &whole);
    long at = 1;
    while (fail_one(deed, &whole, at, false, results))
        at += effort.step;
    for (long last = at; last > 0; last--)
        if (is_of_all(&whole.log, last))
            (void)fail_one(deed, &whole, last, true, results);
    for (enum rules rules = 0; rules < RULES_N; rules++)
        report(deed->name, "unsynced", rules_names[rules], &results[rules]);
    trial_free(&whole);
}

/* -- and a process had been killed --------------------------------------------------------------
 */

static void recover_from(const struct trial *killed, const struct model *m, size_t point,
                         struct result *results) {
    struct trial t;
    struct disk disk;
    bool *kept = calloc(m->n + 1, sizeof *kept);
    if (!kept)
        die("no memory");
    memset(kept, 1, m->n);
    model_close(m, point, kept);
    model_apply(m, kept, &disk);
    trial_recover(killed, &disk, point, &t);
    for (enum rules rules = 0; rules < RULES_N; rules++)
        try_states(&t, rules, 0, effort.states_of_one, "recovered", &results[rules]);
    total.logs++;
    trial_free(&t);
    disk_end_copy(&disk);
    free(kept);
}

static void recover_each(const struct deed *deed) {
    struct trial killed;
    struct model m;
    struct result results[RULES_N] = {0};
    (void)trial_run(deed, &(struct conditions){0}, NULL, &killed);
    model_make(RULES_LETTERS, &killed.before[0], &killed.log, &m);
    killed.before[0] = (struct disk){0};
    for (size_t point = 0; point < killed.log.n; point += (size_t)effort.step)
        if (killed.log.events[point].kind == EVENT_NAMES)
            recover_from(&killed, &m, point, results);
    for (enum rules rules = 0; rules < RULES_N; rules++)
        report(deed->name, "recovered", rules_names[rules], &results[rules]);
    model_free(&m);
    trial_free(&killed);
}

/* -- all ----------------------------------------------------------------------------------------
 */

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "short") == 0) {
        effort.states = 60;
        effort.states_of_one = 6;
        effort.step = 3;
    }
    must(git_libgit2_init() > 0, "libgit2"); /* once, not for each workspace */
    setvbuf(stdout, NULL, _IOLBF, 0);
    world_start();
    start_deeds();
    for (size_t i = 0; i < deeds_n; i++) {
        if (is_selected("powercut/%s/done", deeds[i].name))
            cut_power(&deeds[i]);
        if (is_selected("powercut/%s/unsynced", deeds[i].name))
            fail_each(&deeds[i]);
        if (is_selected("powercut/%s/recovered", deeds[i].name))
            recover_each(&deeds[i]);
    }
    forget_snapshots();
    world_end();
    printf("%zu operations, %zu logs, %zu points, %zu states, %zu violations\n", deeds_n,
           total.logs, total.points, total.states, total.violations);
    return report_score();
}
