/* between.c -- every change, while others do something between two of its system calls.
 *
 *     between short|full [PART-OF-A-NAME]
 *
 * What the race tests leave to chance is tried here at each call: a directory on
 * the path is exchanged with a link that leads out, or to where it is forbidden,
 * and later back, or not; another editor writes, replaces, deletes or chmods the
 * file; another process recovers or edits.  What is outside never changes; a
 * change is made wholly, and was answered so, or not at all; what the others did
 * is there in the end.
 */
#include "shim.h"
#include "world.h"

#include <git2.h>
#include <limits.h>
#include <sys/wait.h>

#define FOREIGN "FOREIGN\n"
#define LINES "one\ntwo\nthree\n"
#define ATTRIBUTE "user.foreign"
#define COMPLAINTS 6
#define STRIDE 3

static int passed, failed;
static bool full;
static long total;

/* -- the project ------------------------------------------------------------------------------ */

static void fill(const char *path, const char *mark) {
    char name[PATH_MAX], content[64];
    static const char *const names[] = {"f", "sub/f", "sub/g"};
    must(mkdir(path, 0755) == 0, path);
    snprintf(name, sizeof name, "%s/sub", path);
    must(mkdir(name, 0755) == 0, name);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(name, sizeof name, "%s/%s", path, names[i]);
        snprintf(content, sizeof content, "%s\n" LINES, mark);
        put_file(name, content, 0644);
    }
}

static void reset(void) {
    world_remove("root");
    world_remove("state");
    must(mkdir("root", 0755) == 0, "root");
    fill("root/d", "INSIDE");
    put_file("root/g", "g\n" LINES, 0644);
    must(symlink("../outside", "root/out") == 0, "symlink");
    must(symlink("restricted", "root/hidden") == 0, "symlink");
    fill("root/restricted", "INSIDE");
}

static aqfs_workspace *open_restricted(const char *resolver) {
    return open_with(resolver, ",\"restricted_paths\":[\"restricted\"],\"limits\":{\"threads\":1}");
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
     KEEPS},
    {"insert_at_line", "insert_at_line", "{\"path\":\"d/sub/f\",\"content\":\"new\\n\",\"line\":1}",
     "d/sub/f", KEEPS},
    {"create_file", "create_file", "{\"path\":\"d/p/q/n\",\"content\":\"new\\n\"}", NULL, KEEPS},
    {"create_file-overwrite", "create_file",
     "{\"path\":\"d/f\",\"content\":\"new\\n\",\"allow_overwrite\":true}", "d/f", REPLACES},
    {"write_file-append", "write_file",
     "{\"path\":\"d/f\",\"content\":\"new\\n\",\"mode\":\"append\"}", "d/f", KEEPS},
    {"write_bytes", "write_bytes", "{\"path\":\"d/n\",\"content\":\"AAEC/w==\"}", NULL, KEEPS},
    {"make_directory", "make_directory", "{\"path\":\"d/p/q\"}", NULL, KEEPS},
    {"move_file-out", "move_file", MOVE("d/f", "h"), "d/f", TAKES},
    {"move_file-in", "move_file", MOVE("g", "d/p/g"), "g", TAKES},
    {"move_file-over", "move_file", MOVE("g", "d/f"), "d/f", REPLACES},
    {"move_file-tree", "move_file", MOVE("d/sub", "s"), NULL, KEEPS},
    {"copy_file-out", "copy_file", MOVE("d/f", "h"), "d/f", TAKES},
    {"copy_file-over", "copy_file", MOVE("g", "d/f"), "d/f", REPLACES},
    {"delete_file", "delete_file", "{\"path\":\"d/f\"}", "d/f", REPLACES},
    {"delete_file-recursive", "delete_file", "{\"path\":\"d/sub\",\"recursive\":true}", NULL,
     KEEPS},
    {"apply_patch", "apply_patch", "{\"patch\":\"" PATCH "\"}", "d/sub/f", KEEPS},
};

static aqfs_reply *ask(aqfs_workspace *ws, const char *op, const char *args) {
    char request[4096];
    int n = snprintf(request, sizeof request,
                     "{\"op\":\"%s\",\"args\":%s,\"authority\":\"dangerous\"}", op, args);
    return aqfs_call(ws, request, (size_t)n, NULL);
}

/* -- the others ------------------------------------------------------------------------------- */

/* One point: what is done, at which call, and at which later one again. */
struct point {
    const struct subject *subject;
    const char *resolver;
    const char *link;
    long at, until; /* 0: never */
    char path[256];
    int found; /* what another editor has found to open */
    int fd;    /* and keeps open */
    bool done; /* it did what it is there for */
    pid_t child;
};

static struct point point;

static void exchange(void) {
    char link[64];
    snprintf(link, sizeof link, "root/%s", point.link);
    must(renameat2(AT_FDCWD, "root/d", AT_FDCWD, link, RENAME_EXCHANGE) == 0, link);
}

static void swap_directory(void) {
    if (fault.seen == point.at || fault.seen == point.until) {
        exchange();
        point.done = fault.seen == point.at;
    }
}

/* Who has to wait for a lease has found the file already: it is tried again at the next call. */
static int open_foreign(int flags) {
    char found[64];
    if (point.done || fault.seen < point.at)
        return -1;
    if (point.found < 0)
        point.found = open(point.path, O_PATH | O_CLOEXEC);
    snprintf(found, sizeof found, "/proc/self/fd/%d", point.found);
    int fd = open(found, flags | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 && errno != EAGAIN)
        point.at = LONG_MAX; /* it was not there */
    return fd;
}

static void write_foreign(int fd) {
    must(write(fd, FOREIGN, strlen(FOREIGN)) == (ssize_t)strlen(FOREIGN), "write");
    point.done = true;
}

static void append(void) {
    int fd = open_foreign(O_WRONLY | O_APPEND);
    if (fd >= 0) {
        write_foreign(fd);
        close(fd);
    }
}

/* As many bytes as before, within the same tick of the clock. */
static void overwrite(void) {
    int fd = open_foreign(O_WRONLY);
    if (fd >= 0) {
        write_foreign(fd);
        close(fd);
    }
}

/* Opens it at one call and writes to it at a later one. */
static void hold(void) {
    if (point.fd < 0) {
        point.fd = open_foreign(O_WRONLY | O_APPEND);
    } else if (!point.done && fault.seen >= point.until) {
        write_foreign(point.fd);
        close(point.fd);
    }
}

static void replace(void) {
    if (fault.seen != point.at)
        return;
    put_file("foreign", FOREIGN, 0644);
    if (access(point.path, F_OK) == 0) {
        must(rename("foreign", point.path) == 0, "rename");
        point.done = true;
    }
}

static void take_away(void) {
    if (fault.seen == point.at)
        point.done = unlink(point.path) == 0;
}

static void change_mode(void) {
    if (fault.seen == point.at)
        point.done = chmod(point.path, 0600) == 0;
}

static void change_owner(void) {
    if (fault.seen == point.at)
        point.done = chown(point.path, 4321, 4321) == 0;
}

static void change_attribute(void) {
    if (fault.seen == point.at)
        point.done = setxattr(point.path, ATTRIBUTE, "v", 1, 0) == 0;
}

/* Another process, which is not waited for. */
static bool forks(void) {
    if (fault.seen != point.at)
        return false;
    fflush(stdout);
    point.done = true;
    point.child = fork();
    must(point.child >= 0, "fork");
    if (point.child == 0)
        must(close_range(STDERR_FILENO + 1, ~0U, 0) == 0, "close_range"); /* locks among them */
    return point.child == 0;
}

static void recover(void) {
    if (!forks())
        return;
    aqfs_free(open_restricted(point.resolver));
    _exit(0);
}

static void edit_too(void) {
    if (!forks())
        return;
    char args[PATH_MAX + 64];
    aqfs_workspace *ws = open_restricted(point.resolver);
    snprintf(args, sizeof args, "{\"path\":\"%s\",\"content\":\"FOREIGN\\n\",\"line\":-1}",
             point.path + strlen("root/"));
    for (int round = 0; round < 100; round++) {
        aqfs_reply *r = ask(ws, "insert_at_line", args);
        const char *error = aqfs_reply_error(r);
        if (!error)
            _exit(1);
        if (strcmp(error, "stale") != 0 && strcmp(error, "raced") != 0)
            _exit(strcmp(error, "not-found") == 0 ? 0 : 2);
    }
    _exit(3);
}

/* -- what must be true ------------------------------------------------------------------------ */

enum kind { KIND_SWAP, KIND_WRITE, KIND_REPLACE, KIND_ABSENT, KIND_FACT, KIND_RECOVER, KIND_EDIT };

struct other {
    const char *name;
    enum kind kind;
    void (*act)(void);
    const char *link; /* of a swap */
    long steps[4];    /* how many calls later it acts again, ended by 0; -1: never */
    const char *sign; /* what is in the picture of a tree that has it */
    long lost;        /* so often it may be lost: just before the exchange, where nothing tells */
};

static const struct other others[] = {
    {"swap-out", KIND_SWAP, swap_directory, "out", {1, 2, -1}, NULL, 0},
    {"swap-hidden", KIND_SWAP, swap_directory, "hidden", {1, 2, -1}, NULL, 0},
    {"append", KIND_WRITE, append, NULL, {-1}, "FOREIGN", 0},
    {"overwrite", KIND_WRITE, overwrite, NULL, {-1}, "FOREIGN", 0},
    {"hold", KIND_WRITE, hold, NULL, {1, 4, 12}, "FOREIGN", 0},
    {"replace", KIND_REPLACE, replace, NULL, {-1}, "FOREIGN", 0},
    {"delete", KIND_ABSENT, take_away, NULL, {-1}, NULL, 0},
    {"chmod", KIND_FACT, change_mode, NULL, {-1}, " 100600 ", 0},
    {"chown", KIND_FACT, change_owner, NULL, {-1}, " 4321:4321", 0},
    {"setxattr", KIND_FACT, change_attribute, NULL, {-1}, ATTRIBUTE, 1},
    {"recover", KIND_RECOVER, recover, NULL, {-1}, NULL, 0},
    {"edit", KIND_EDIT, edit_too, NULL, {-1}, "FOREIGN", 0},
};

struct sweep {
    const struct subject *subject;
    const struct other *other;
    const char *resolver;
    char *before, *after, *outside;
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
    int status = 0;
    must(waitpid(point.child, &status, 0) == point.child, "waitpid");
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

/* What is appended at once, by its name, is never lost to a deletion. */
static bool may_go(const struct sweep *s, bool succeeded) {
    return succeeded &&
           (s->subject->how == REPLACES || (s->subject->how == TAKES && s->other->act != append));
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
    case KIND_WRITE: /* what is written to what has no name any more is lost, as ever */
    case KIND_REPLACE:
    case KIND_FACT:
    case KIND_EDIT:
        if (!point.done)
            check_whole(s, succeeded, now, answer);
        else if (!there && !may_go(s, succeeded) && ++s->lost > o->lost)
            complain(s, answer, "what the other did is lost");
    }
}

static void check_state(struct sweep *s, const char *answer) {
    char *names[16], *outside = picture_of("outside", true, true);
    if (strcmp(outside, s->outside) != 0)
        complain(s, answer, "it changed what is outside");
    free(outside);
    if (access("state/journal", F_OK) != 0)
        return;
    for (size_t n = names_in("state/journal", names, 16); n > 0; free(names[n]))
        if (!strstr(names[--n], ".lock"))
            complain(s, answer, "a journal is left");
}

/* False when the change has ended before its turn came. */
static bool try_point(struct sweep *s, long at, long later) {
    char answer[512];
    reset();
    point = (struct point){.subject = s->subject,
                           .resolver = s->resolver,
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
}

/* In the short form every third call, from one that differs from sweep to sweep. */
static void try_all(struct sweep *s, long turn) {
    bool pairs = full && s->other->kind == KIND_SWAP;
    bool met = true;
    for (long at = full ? 1 : 1 + turn % STRIDE; met; at += full ? 1 : STRIDE) {
        for (long later = 3; pairs && later <= 60; later++)
            (void)try_point(s, at, later);
        for (size_t i = 0; i < 4 && s->other->steps[i]; i++)
            met = try_point(s, at, s->other->steps[i]);
    }
}

static void run(const struct subject *subject, const struct other *other, const char *resolver,
                long turn) {
    struct sweep s = {.subject = subject, .other = other, .resolver = resolver};
    learn(&s);
    try_all(&s, turn);
    printf("BETWEEN %-22s %-8s %-11s %6ld points, %6ld met, %6ld changed %s\n", subject->name,
           no_leases ? "unleased" : resolver, other->name, s.points, s.acted, s.changed,
           s.complaints ? "FAILED" : "ok");
    total += s.points;
    if (s.complaints)
        failed++;
    else
        passed++;
    free(s.before), free(s.after), free(s.outside);
}

int main(int argc, char **argv) {
    const char *part = argc > 2 ? argv[2] : "";
    full = argc > 1 && strcmp(argv[1], "full") == 0;
    shim_start();
    must(git_libgit2_init() > 0, "libgit2"); /* once, not for each workspace */
    setvbuf(stdout, NULL, _IOLBF, 0);
    world_start();
    fill("outside", "OUTSIDE");
    long turn = 0;
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
        for (size_t j = 0; j < sizeof others / sizeof *others; j++) {
            no_leases = false;
            bool needs_file = others[j].kind != KIND_SWAP && others[j].kind != KIND_RECOVER;
            if (!strstr(subjects[i].name, part) || (needs_file && !subjects[i].file))
                continue;
            turn++;
            if (full || turn % 2 == 0)
                run(&subjects[i], &others[j], "auto", turn);
            if (full || turn % 2 == 1)
                run(&subjects[i], &others[j], "fallback", turn);
            /* Who holds it open then writes to what it was, whenever that is. */
            no_leases = others[j].kind == KIND_WRITE && others[j].act != hold;
            if (no_leases && (full || turn % 4 == 2))
                run(&subjects[i], &others[j], "auto", turn);
        }
    }
    world_end();
    printf("points: %ld between two calls\n%d passed, %d failed\n", total, passed, failed);
    return failed > 0;
}
