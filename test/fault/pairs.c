/* SPDX-License-Identifier: MIT */
/* pairs.c -- changes of which one call fails while others act at another.
 *
 *     pairs short|full
 *
 * A failure makes a commit undo what it has done; what others do meanwhile is met by the undoing.
 * Each change is made again and again, each time with one system call that fails, once or from then
 * on, and one moment, before that or after it, at which another program deletes, replaces or writes
 * to what the change is about, or takes a name that is free.  The other's deed is there in the
 * end; so is everything that the change was not to remove; all else is as it was or as it was to
 * be, by the answer; and nothing has a temporary name, but for what has lost its own to the other.
 */
#include "parts/meddled.h"
#include "parts/shim.h"
#include "parts/world.h"

#include "request.h"
#include "select.h"

#include <errno.h>
#include <git2.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COMPLAINTS 6
/* How many calls the undoing of a change makes at most. */
#define UNDOING 40
/* One of so many pairs, of a change of at most MANY calls and of a longer one. */
#define OFTEN 2
#define SELDOM 9
#define MANY 80
#define FOREIGN "FOREIGN\n"

static bool full;
static long total;

/* -- the others ------------------------------------------------------------------------------- */

static struct {
    long at;
    bool done;
    char path[64];
    char had[64];       /* the file that it met there, by its first line */
    const char *before; /* the call that comes next */
    long renames;
} other;

static bool is_due(void) {
    return !other.done && fault.seen == other.at;
}

static bool is_there(mode_t type) {
    struct stat s;
    return lstat(other.path, &s) == 0 ? (s.st_mode & S_IFMT) == type : type == 0;
}

static void note_met(void) {
    const char *text = text_of(other.path);
    if (strncmp(text, "IS ", 3) == 0)
        snprintf(other.had, sizeof other.had, "%.*s", (int)strcspn(text + 3, "\n"), text + 3);
}

static void take_away(void) {
    if (!is_due() || !is_there(S_IFREG))
        return;
    note_met();
    other.done = unlink(other.path) == 0;
}

static void replace(void) {
    if (!is_due() || !is_there(S_IFREG))
        return;
    note_met();
    make_file_as("foreign", FOREIGN, 0644);
    must(rename("foreign", other.path) == 0, other.path);
    other.done = true;
    other.before = fault.now;
}

static void append(void) {
    if (!is_due() || !is_there(S_IFREG))
        return;
    note_met();
    FILE *f = fopen(other.path, "a");
    must(f != NULL, other.path);
    bool written = fputs(FOREIGN, f) >= 0;
    must(fclose(f) == 0 && written, other.path);
    other.done = true;
}

/* Takes the name while it is free. */
static void occupy(void) {
    if (!is_due() || !is_there(0))
        return;
    FILE *f = fopen(other.path, "wx");
    if (!f) /* nor is its directory there */
        return;
    bool written = fputs(FOREIGN, f) >= 0;
    must(fclose(f) == 0 && written, other.path);
    other.done = true;
}

static void occupy_by_directory(void) {
    if (!is_due() || !is_there(0) || mkdir(other.path, 0755) != 0)
        return;
    char *below = path_of("%s/foreign", other.path);
    make_file(below, FOREIGN);
    free(below);
    other.done = true;
}

static const struct {
    const char *name;
    void (*act)(void);
    bool leaves, destroys; /* FOREIGN, somewhere; what has the name */
    bool on_free;          /* it needs a free name, not a file */
} acts[] = {
    {"delete", take_away, false, true, false},
    {"replace", replace, true, true, false},
    {"append", append, true, false, false},
    {"occupy", occupy, true, false, true},
    {"occupy-directory", occupy_by_directory, true, false, true},
};
#define ACTS (sizeof acts / sizeof *acts)

/* -- one point -------------------------------------------------------------------------------- */

struct sweep {
    const struct meddled *subject;
    size_t act;
    char *before, *after; /* pictures of all but what is meddled with */
    char *outside;
    long first, renames, last; /* the calls that lock the commits, that rename, and that end it */
    long turn, points, met;
    int descriptors, complaints;
};

__attribute__((format(printf, 3, 4))) static void complain(struct sweep *s, const char *answer,
                                                           const char *format, ...) {
    va_list args;
    if (s->complaints++ >= COMPLAINTS)
        return;
    printf("  %s %s: call %ld (%s)%s, the other at %ld%s: ", s->subject->name, acts[s->act].name,
           fault.at, fault.name ? fault.name : "-", fault.for_ever ? " for ever" : "", other.at,
           other.done ? "" : " not");
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("; answered %.160s\n", answer);
    if (getenv("FAULT_SHOW")) {
        char *now = picture_of("root", false, true);
        printf("---- now\n%s----\n", now);
        free(now);
    }
}

static aqfs_reply *ask(aqfs_workspace *ws, const char *op, const char *args) {
    return ask_as(ws, op, args, AQFS_SEXP);
}

/* The other has destroyed it, or has destroyed or written to what was to come in its place. */
static bool may_be_gone(const struct sweep *s, const char *file, bool succeeded) {
    if (other.done && acts[s->act].destroys && strcmp(other.had, file) == 0)
        return true;
    bool is_to_go = false;
    for (size_t i = 0; i < 2 && s->subject->gone[i]; i++)
        is_to_go = is_to_go || strcmp(s->subject->gone[i], file) == 0;
    bool met = other.done && strcmp(s->subject->path, file) == 0;
    bool in_its_place = acts[s->act].destroys || (is_to_go && acts[s->act].act == append);
    return (succeeded && is_to_go) || (met && in_its_place);
}

/* The subject removes whatever is there, if it was there in time. */
static bool takes_foreign(const struct sweep *s, bool succeeded) {
    return succeeded && s->subject->gone[0] && acts[s->act].act != append;
}

/* Where a rename knows no flags, each name is compared just before it is replaced or removed, and
 * what the other puts there between these two calls is lost (doc/threats.org, What a kernel may
 * lack). */
static bool is_met_unseen(void) {
    return machine.plain_renames && other.before &&
           (strcmp(other.before, "renameat") == 0 || strcmp(other.before, "unlinkat") == 0);
}

/* A file that lost its name to another keeps the one that it was given; the caller is told. */
static bool is_told(const char *answer) {
    return other.done && (strstr(answer, "Another program has taken the name") ||
                          strstr(answer, "could not be seen whether") ||
                          strstr(answer, "Not all could be put back"));
}

/* Did the other meet something else than what has the name in the project? */
static bool met_what_was_moved(const struct sweep *s) {
    return other.had[0] && strcmp(other.had, s->subject->path) != 0;
}

static void check_nothing_is_lost(struct sweep *s, const char *now, bool succeeded,
                                  const char *answer) {
    for (size_t i = 0; i < MEDDLED_FILES; i++) {
        char *line = path_of("IS %s\n", meddled_files[i]);
        if (!strstr(now, line) && !may_be_gone(s, meddled_files[i], succeeded))
            complain(s, answer, "%s is lost", meddled_files[i]);
        free(line);
    }
    if (other.done && acts[s->act].leaves && !strstr(now, FOREIGN) &&
        !takes_foreign(s, succeeded) && !is_met_unseen())
        complain(s, answer, "what the other did is lost");
    if (strstr(now, ".aqfs-") && !is_told(answer))
        complain(s, answer, "a temporary name is left");
    if (strstr(now, ".aqfs-") && is_there(0))
        complain(s, answer, "a temporary name is left, and the name is free");
}

/* A picture of all but what is meddled with, and what has a temporary name. */
static char *rest_of(const struct meddled *subject) {
    char *path = path_of("root/%s", subject->path);
    remove_all(path);
    *strrchr(path, '/') = '\0';
    (void)rmdir(path); /* which had to stay if the other has put something there */
    free(path);
    return picture_of("root", false, false);
}

static void check_rest(struct sweep *s, bool succeeded, const char *answer) {
    char *now = rest_of(s->subject), *outside = picture_of("outside", true, true);
    bool is_new = strcmp(now, s->after) == 0;
    if (!is_told(answer) && !met_what_was_moved(s) &&
        strcmp(now, succeeded ? s->after : s->before) != 0)
        complain(s, answer, "the rest is %s",
                 strcmp(now, s->before) == 0 ? "old"
                 : is_new                    ? "new"
                                             : "neither old nor new");
    if (strcmp(outside, s->outside) != 0)
        complain(s, answer, "it changed what is outside");
    free(now), free(outside);
}

static void check_state(struct sweep *s, const char *answer) {
    char *journal = find_journal();
    if (journal)
        complain(s, answer, "a journal is left");
    if (open_descriptors() != s->descriptors)
        complain(s, answer, "%d descriptors, there were %d", open_descriptors(), s->descriptors);
    free(journal);
}

static void start_other(const struct sweep *s, long at) {
    memset(&other, 0, sizeof other);
    other.at = at;
    snprintf(other.path, sizeof other.path, "root/%s", s->subject->path);
    fault_between = acts[s->act].act;
    machine.no_leases = acts[s->act].act == append; /* otherwise it would wait */
}

/* How many calls the change has made. */
static long try_pair(struct sweep *s, long at, bool for_ever, long other_at) {
    char answer[1024];
    start_meddled();
    start_other(s, other_at);
    aqfs_workspace *ws = open_workspace("auto");
    fault_arm((struct fault){.effect = EFFECT_FAIL,
                             .errnum = at % 2 ? EIO : EACCES,
                             .at = at,
                             .for_ever = for_ever,
                             .between = true});
    aqfs_reply *r = ask(ws, s->subject->op, s->subject->args);
    fault.armed = false;
    machine.no_leases = false;
    long seen = fault.seen;
    must(r != NULL, "aqfs_call");
    const char *error = aqfs_reply_error(r);
    bool succeeded = !error || strcmp(error, "durability-unknown") == 0;
    snprintf(answer, sizeof answer, "%s", aqfs_reply_text(r, NULL));
    for (char *c = answer; *c; c++)
        *c = *c == '\n' ? ' ' : *c;
    aqfs_reply_free(r);
    aqfs_free(ws);
    aqfs_free(open_workspace("auto")); /* puts back what could not be put back at once */
    char *now = picture_of("root", false, true);
    check_nothing_is_lost(s, now, succeeded, answer);
    free(now);
    check_state(s, answer);
    check_rest(s, succeeded, answer);
    s->points++;
    s->met += other.done && fault.name;
    return seen;
}

/* -- sweeps ----------------------------------------------------------------------------------- */

static void find_calls(void) {
    if (!other.renames && strcmp(fault.now, "renameat2") == 0)
        other.renames = fault.seen;
}

static void learn(struct sweep *s) {
    start_meddled();
    s->before = rest_of(s->subject);
    start_meddled();
    memset(&other, 0, sizeof other);
    fault_between = find_calls;
    aqfs_workspace *ws = open_workspace("auto");
    fault_arm((struct fault){.effect = EFFECT_BETWEEN});
    aqfs_reply *r = ask(ws, s->subject->op, s->subject->args);
    fault.armed = false;
    must(r && !aqfs_reply_error(r), r ? aqfs_reply_text(r, NULL) : "aqfs_call");
    aqfs_reply_free(r);
    aqfs_free(ws);
    s->after = rest_of(s->subject);
    s->outside = picture_of("outside", true, true);
    s->descriptors = open_descriptors();
    s->first = fault.locked;
    s->renames = other.renames;
    s->last = fault.seen;
    must(s->first > 0 && s->renames > 0, "a commit");
}

/* In the short form, some of those behind the first rename, when there is something to be undone,
 * in which the two are close. */
static bool is_tried(const struct sweep *s, long at, long other_at, bool for_ever) {
    long apart = other_at - at;
    if (full)
        return true;
    if (at < s->renames || at > s->last + 4 || apart < -2 || apart > 5)
        return false;
    long of = (for_ever ? 4 : 1) * (s->last > MANY ? SELDOM : OFTEN);
    of *= machine.plain_renames ? 2 : 1;
    return (at * 31 + other_at * 17 + s->turn * 7) % of == 0;
}

/* The undoing that the other causes can also fail, behind all calls of the undisturbed change. */
static void try_all(struct sweep *s, bool for_ever) {
    for (long at = s->first; at <= s->last + UNDOING; at++) {
        long seen = LONG_MAX;
        for (long other_at = s->first; other_at <= seen; other_at++) {
            if (!is_tried(s, at, other_at, for_ever)) {
                if (other_at > at + UNDOING)
                    break;
                continue;
            }
            long n = try_pair(s, at, for_ever, other_at);
            seen = other_at > at ? n : seen;
        }
    }
}

static void run(const struct meddled *subject, size_t act, long turn) {
    struct sweep s = {.subject = subject, .act = act, .turn = turn};
    learn(&s);
    try_all(&s, false);
    try_all(&s, true);
    printf("PAIRS %-22s %-16s %-5s %6ld points, %6ld met %s\n", subject->name, acts[act].name,
           machine.plain_renames ? "plain" : "", s.points, s.met, s.complaints ? "FAILED" : "ok");
    total += s.points;
    count_result(!s.complaints);
    free(s.before), free(s.after), free(s.outside);
}

static void run_everywhere(const struct meddled *subject, size_t act, long turn) {
    if (!is_selected("pairs/%s/%s", subject->name, acts[act].name))
        return;
    run(subject, act, turn);
    machine.plain_renames = true; /* as on NFS */
    run(subject, act, turn);
    machine.plain_renames = false;
}

int main(int argc, char **argv) {
    full = argc > 1 && strcmp(argv[1], "full") == 0;
    shim_start();
    must(git_libgit2_init() > 0, "libgit2"); /* once, not for each workspace */
    setvbuf(stdout, NULL, _IOLBF, 0);
    world_start();
    make_file("outside/x", "outside\n");
    for (size_t i = 0; i < meddled_count; i++)
        for (size_t j = 0; j < ACTS; j++)
            if (acts[j].on_free ? meddled[i].is_free : meddled[i].is_file)
                run_everywhere(&meddled[i], j, (long)(i + j));
    world_end();
    printf("points: %ld pairs\n", total);
    return report_score();
}
