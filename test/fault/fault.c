/* fault.c -- every mutating operation, while the calls it makes fail.
 *
 *     fault short|full [PART-OF-A-NAME]
 *
 * Each operation is run again and again on the same small project, each time
 * with one fault: its n-th system call fails with an error, once or from then
 * on, or transfers half; its n-th allocation fails; its process is killed.
 * What it leaves must be what was there before or what it leaves when nothing
 * fails, according to what it answered; nothing temporary after the workspace
 * is next opened; no descriptor; nothing changed outside; and a workspace in
 * which the operation then works.
 */
#include "shim.h"
#include "world.h"

#include <git2.h>
#include <sys/wait.h>

static int passed, failed;
static bool full;

/* -- the project ------------------------------------------------------------------------------ */

#define LINES "one\ntwo\nthree\nfour\nfive\n"

/* user::rw- user:1:r-- group::r-- mask::r-- other::--- */
static const unsigned char acl[] = {2,  0, 0, 0,                         //
                                    1,  0, 6, 0, 0xFF, 0xFF, 0xFF, 0xFF, //
                                    2,  0, 4, 0, 1,    0,    0,    0,    //
                                    4,  0, 4, 0, 0xFF, 0xFF, 0xFF, 0xFF, //
                                    16, 0, 4, 0, 0xFF, 0xFF, 0xFF, 0xFF, //
                                    32, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF};

static void make_directory(const char *path) {
    must(mkdir(path, 0755) == 0, path);
}

static void make_outside(void) {
    make_directory("outside");
    put_file("outside/secret", "outside\n", 0600);
    put_file("outside/twin", LINES, 0644);
}

static void make_project(void) {
    make_directory("root");
    put_file("root/a.txt", LINES, 0640);
    /* Where the file system or the user may not, there is that much less to keep. */
    (void)setxattr("root/a.txt", "user.k", "value", 5, 0);
    (void)setxattr("root/a.txt", "system.posix_acl_access", acl, sizeof acl, 0);
    put_file("root/b.txt", "b\n" LINES, 0755);
    (void)!chown("root/b.txt", 1234, 1235);
    put_file("root/c.txt", "c\n" LINES, 0644);
    put_file("root/bin", "\1\2\3", 0600);
    make_directory("root/d");
    put_file("root/d/x", "x\n", 0644);
    make_directory("root/d/sub");
    put_file("root/d/sub/y", "y\n", 0644);
    make_directory("root/d/sub/empty");
    must(symlink("../a.txt", "root/d/up") == 0, "symlink");
    must(symlink("a.txt", "root/link") == 0, "symlink");
    must(symlink("../outside", "root/out") == 0, "symlink");
    must(link("outside/twin", "root/twin") == 0, "link");
}

static void reset(void) {
    world_remove("root");
    world_remove("state");
    make_project();
}

/* -- the operations --------------------------------------------------------------------------- */

struct subject {
    const char *name;
    const char *op;
    const char *args;
    const char *again; /* arguments with which it works once more after it has worked, or NULL */
    bool plain;        /* in the short form also where a rename knows no flags */
};

#define UNIFIED                                                                                    \
    "--- a/a.txt\\n+++ b/a.txt\\n@@ -1,3 +1,3 @@\\n one\\n-two\\n+2\\n three\\n"                   \
    "--- /dev/null\\n+++ b/new/dir/n.txt\\n@@ -0,0 +1 @@\\n+new\\n"                                \
    "diff --git a/b.txt b/b.txt\\ndeleted file mode 100755\\n--- a/b.txt\\n+++ /dev/null\\n"       \
    "@@ -1,6 +0,0 @@\\n-b\\n-one\\n-two\\n-three\\n-four\\n-five\\n"                               \
    "diff --git a/c.txt b/ren/c2.txt\\nrename from c.txt\\nrename to ren/c2.txt\\n"                \
    "--- a/c.txt\\n+++ b/ren/c2.txt\\n@@ -1,2 +1,2 @@\\n-c\\n+C\\n one\\n"

#define ENVELOPE                                                                                   \
    "*** Begin Patch\\n*** Update File: d/sub/y\\n@@\\n-y\\n+Y\\n*** Add File: d/n\\n+n\\n"        \
    "*** Delete File: d/x\\n*** Update File: c.txt\\n*** Move to: d/c\\n@@\\n-c\\n+C\\n"           \
    "*** End Patch\\n"

/* Patches that add so many files and change one: on disk as a whole; and in more than one window,
 * by several threads. */
#define MANY 18
#define WINDOWS 40
static char many[4096], windows[8192];

static void make_patch(char *out, size_t room, int files) {
    int n =
        snprintf(out, room, "{\"patch\":\"--- a/c.txt\\n+++ b/c.txt\\n@@ -1 +1 @@\\n-c\\n+C\\n");
    for (int i = 0; i < files; i++)
        n += snprintf(out + n, room - (size_t)n,
                      "--- /dev/null\\n+++ b/d/n%d/%d\\n@@ -0,0 +1 @@\\n+new\\n", i % 3, i);
    n += snprintf(out + n, room - (size_t)n, "\"}");
    must((size_t)n < room, "patch");
}

static const struct subject subjects[] = {
    {"edit_file", "edit_file", "{\"path\":\"a.txt\",\"old_str\":\"two\",\"new_str\":\"2\"}", NULL,
     true},
    {"edit_file-edits", "edit_file",
     "{\"path\":\"link\",\"edits\":[{\"old_str\":\"two\",\"new_str\":\"2\"},"
     "{\"old_str\":\"2\\nthree\",\"new_str\":\"23\"}]}",
     NULL, false},
    {"edit_file-hard-link", "edit_file",
     "{\"path\":\"twin\",\"old_str\":\"two\",\"new_str\":\"2\"}", NULL, false},
    {"insert_at_line", "insert_at_line", "{\"path\":\"d/x\",\"content\":\"new\\n\",\"line\":1}",
     "{\"path\":\"d/x\",\"content\":\"new\\n\",\"line\":1}", false},
    {"create_file", "create_file", "{\"path\":\"p/q/r.txt\",\"content\":\"new\\n\"}", NULL, false},
    {"create_file-overwrite", "create_file",
     "{\"path\":\"b.txt\",\"content\":\"new\\n\",\"allow_overwrite\":true}",
     "{\"path\":\"b.txt\",\"content\":\"new\\n\",\"allow_overwrite\":true}", false},
    {"write_file-append", "write_file",
     "{\"path\":\"b.txt\",\"content\":\"new\\n\",\"mode\":\"append\"}",
     "{\"path\":\"b.txt\",\"content\":\"new\\n\",\"mode\":\"append\"}", false},
    {"write_bytes", "write_bytes", "{\"path\":\"bin\",\"content\":\"AAEC/w==\"}",
     "{\"path\":\"bin\",\"content\":\"AAEC/w==\"}", false},
    {"make_directory", "make_directory", "{\"path\":\"p/q/r\"}", "{\"path\":\"p/q/r\"}", false},
    {"move_file", "move_file", "{\"source\":\"b.txt\",\"destination\":\"p/b\"}", NULL, false},
    {"move_file-directory", "move_file", "{\"source\":\"d\",\"destination\":\"p/q/d\"}", NULL,
     false},
    {"move_file-overwrite", "move_file",
     "{\"source\":\"d/x\",\"destination\":\"c.txt\",\"allow_overwrite\":true}", NULL, true},
    {"copy_file", "copy_file", "{\"source\":\"a.txt\",\"destination\":\"p/a\"}", NULL, false},
    {"copy_file-overwrite", "copy_file",
     "{\"source\":\"b.txt\",\"destination\":\"a.txt\",\"allow_overwrite\":true}",
     "{\"source\":\"b.txt\",\"destination\":\"a.txt\",\"allow_overwrite\":true}", false},
    {"delete_file", "delete_file", "{\"path\":\"b.txt\"}", NULL, false},
    {"delete_file-link", "delete_file", "{\"path\":\"out\"}", NULL, false},
    {"delete_file-recursive", "delete_file", "{\"path\":\"d\",\"recursive\":true}", NULL, true},
    {"apply_patch", "apply_patch", "{\"patch\":\"" UNIFIED "\"}", NULL, true},
    {"apply_patch-envelope", "apply_patch", "{\"patch\":\"" ENVELOPE "\"}", NULL, false},
    {"apply_patch-many", "apply_patch", many, NULL, false},
    {"apply_patch-windows", "apply_patch", windows, NULL, false},
};

static aqfs_reply *ask(aqfs_workspace *ws, const char *op, const char *args) {
    static char request[16384];
    int n = snprintf(request, sizeof request, "{\"op\":\"%s\",\"args\":%s,\"authority\":\"%s\"}",
                     op, args, "dangerous");
    return aqfs_call(ws, request, (size_t)n, NULL);
}

/* -- one point -------------------------------------------------------------------------------- */

/* What is swept: an operation and a kind of fault, with what should come of it. */
struct sweep {
    const struct subject *subject;
    const char *resolver;
    char *before, *after; /* pictures of the project */
    char *outside;
    int descriptors;
    const char *kind;
    long points;
    int complaints;
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
    char *names[16];
    if (access("state/journal", F_OK) != 0)
        return;
    for (size_t n = names_in("state/journal", names, 16); n > 0; free(names[n]))
        if (!strstr(names[--n], ".lock"))
            complain(s, answer, "a journal is left");
}

/* The operation again, without faults. */
static void check_works(struct sweep *s, aqfs_workspace *ws, enum expected state,
                        const char *answer) {
    const char *args = state == NEW && s->subject->again ? s->subject->again : s->subject->args;
    bool must_work = state == OLD || s->subject->again;
    aqfs_reply *r = ask(ws, s->subject->op, args);
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

static int open_descriptors(void) {
    int n = 0;
    DIR *dir = opendir("/proc/self/fd");
    must(dir != NULL, "/proc/self/fd");
    while (readdir(dir))
        n++;
    closedir(dir);
    return n;
}

/* What is the same after every point.  A new workspace puts back what is to be put back. */
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
    reset();
    aqfs_workspace *ws = open_workspace(s->resolver);
    fault_arm(what);
    aqfs_reply *r = ask(ws, s->subject->op, s->subject->args);
    fault.armed = false;
    const char *error = r ? aqfs_reply_error(r) : NULL;
    snprintf(answer, sizeof answer, "%s", r ? aqfs_reply_text(r, NULL) : "nothing");
    for (char *c = answer; *c; c++)
        *c = *c == '\n' ? ' ' : *c;
    enum expected expected = expect(error, r != NULL);
    check_answer(s, error, answer, r != NULL);
    aqfs_reply_free(r);
    check_reads(s, ws, answer);
    /* What fails for ever cannot be undone before the next open. */
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

static bool try_kill(struct sweep *s, struct fault what) {
    int status;
    reset();
    fflush(stdout);
    pid_t child = fork();
    must(child >= 0, "fork");
    if (child == 0) {
        aqfs_workspace *ws = open_workspace(s->resolver);
        fault_arm(what);
        (void)ask(ws, s->subject->op, s->subject->args);
        _exit(0);
    }
    must(waitpid(child, &status, 0) == child, "waitpid");
    bool killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
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

/* Of the many calls that many files take not all are tried: they do the same again and again. */
static long step_of(const struct sweep *s) {
    return s->subject->args == many ? 7 : s->subject->args == windows ? 31 : 1;
}

static void sweep_errno(struct sweep *s, int errnum, bool for_ever) {
    for (long at = 1; try_fault(
             s, (struct fault){
                    .effect = EFFECT_FAIL, .errnum = errnum, .at = at, .for_ever = for_ever});)
        at += step_of(s);
}

/* A different error at each call. */
static void sweep_mixed(struct sweep *s, long turn, bool for_ever) {
    for (long at = 1; try_fault(s, (struct fault){.effect = EFFECT_FAIL,
                                           .errnum = errors[(at + turn) % ERRORS],
                                           .at = at,
                                           .for_ever = for_ever});)
        at += step_of(s);
}

static void sweep_effect(struct sweep *s, enum effect effect, long step) {
    for (int for_ever = 0; for_ever < 2; for_ever++)
        for (long at = 1;
             try_fault(s, (struct fault){.effect = effect, .at = at, .for_ever = for_ever == 1});)
            at += step * step_of(s);
}

static void sweep_kill(struct sweep *s, long first, long step) {
    for (long at = 1; try_kill(s, (struct fault){.effect = EFFECT_KILL_HALF, .at = at});)
        at += step_of(s);
    for (enum effect effect = EFFECT_KILL; effect <= EFFECT_KILL_AFTER; effect++)
        for (long at = first; try_kill(s, (struct fault){.effect = effect, .at = at});)
            at += step * step_of(s);
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
           plain_renames ? "plain"
           : much_waits  ? "busy"
                         : s->resolver,
           s->kind, s->points, s->complaints ? "FAILED" : "ok");
    if (s->complaints > 6)
        printf("  ... %d complaints in all\n", s->complaints);
    if (s->complaints)
        failed++;
    else
        passed++;
}

static void learn(struct sweep *s) {
    reset();
    s->before = picture_of("root", false, true);
    aqfs_workspace *ws = open_workspace(s->resolver);
    aqfs_reply *r = ask(ws, s->subject->op, s->subject->args);
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
        run_kind(&s, kind, turn);
    free(s.before), free(s.after), free(s.outside);
}

int main(int argc, char **argv) {
    const char *part = argc > 2 ? argv[2] : "";
    full = argc > 1 && strcmp(argv[1], "full") == 0;
    shim_start();
    must(git_libgit2_init() > 0, "libgit2"); /* once, not for each workspace */
    setvbuf(stdout, NULL, _IOLBF, 0);
    signal(SIGXFSZ, SIG_IGN);
    world_start();
    make_outside();
    make_project();
    make_patch(many, sizeof many, MANY);
    make_patch(windows, sizeof windows, WINDOWS);
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
        if (!strstr(subjects[i].name, part))
            continue;
        run_subject(&subjects[i], "auto", (long)i);
        if (full)
            run_subject(&subjects[i], "fallback", (long)i);
        plain_renames = true;
        if (full || subjects[i].plain)
            run_subject(&subjects[i], "auto", (long)i);
        plain_renames = false;
        much_waits = true;
        if (subjects[i].args == many || subjects[i].args == windows)
            run_subject(&subjects[i], "auto", (long)i);
        much_waits = false;
    }
    world_end();
    printf("points:");
    for (enum kind kind = 0; kind < KINDS; kind++)
        printf(" %ld %s", totals[kind], kind_names[kind]);
    printf("\n%d passed, %d failed\n", passed, failed);
    return failed > 0;
}
