/* SPDX-License-Identifier: MIT */
/* snapshot.c -- snapshots, restores and prunes, while the calls they make fail.
 *
 *     snapshot short|full
 *
 * There is a snapshot, with an older one before it, and the project has changed
 * since.  Then one is taken, or the project put back, or the older one
 * forgotten, again and again, each time with one fault: the n-th
 * system call fails, once or from then on, or transfers half; the n-th
 * allocation fails; the process is killed.  Afterwards the tree is what it was
 * or what it was to be, the snapshot that was there can be read, and going back
 * to it works and gives what it held, byte for byte and with permissions.
 */
#include "parts/shim.h"
#include "parts/world.h"

#include "request.h"
#include "select.h"

#include <errno.h>
#include <git2.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* One thread: the n-th call is the same each time. */
#define OPTIONS ",\"limits\":{\"threads\":1}"

static char first[64]; /* the id of the snapshot that is there */
static char *kept;     /* a picture of what it holds */
static char *changed;  /* and of what is there when a point begins */
static char *outside;
static int descriptors;

struct sweep {
    const char *op, *kind;
    bool restores;
    int complaints;
    long points;
    struct fault killer; /* what a child is killed by */
};

__attribute__((format(printf, 2, 3))) static void complain(struct sweep *s, const char *format,
                                                           ...) {
    va_list args;
    if (s->complaints++ >= 6)
        return;
    printf("  %s %s: call %ld (%s) %s%s: ", s->op, s->kind, fault.at, fault.name ? fault.name : "-",
           fault.errnum ? strerrorname_np(fault.errnum) : "", fault.for_ever ? " for ever" : "");
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
}

/* -- the world -----------------------------------------------------------------------------------
 */

static void make_directory_as(const char *path, mode_t mode) {
    make_directory(path);
    must(chmod(path, mode) == 0, path);
}

static void make_first(void) {
    make_directory("root");
    make_file_as("root/.gitignore", "*.o\n/build/\n", 0644);
    make_file_as("root/a.txt", "one\ntwo\n", 0640);
    make_file_as("root/same", "same\n", 0644);
    make_directory_as("root/d", 0700);
    make_file_as("root/d/x", "x\n", 0755);
    make_directory("root/d/empty");
    make_link("root/link", "a.txt");
    make_file_as("root/turns", "a file\n", 0644);
}

static void make_changes(void) {
    make_file_as("root/a.txt", "one\n2\n", 0644);
    remove_all("root/d");
    remove_all("root/link");
    make_link("root/d", "../outside");
    remove_all("root/turns");
    make_directory("root/turns");
    make_file_as("root/turns/inside", "inside\n", 0644);
    make_file_as("root/new", "new\n", 0600);
}

static aqfs_reply *ask(aqfs_workspace *ws, const char *op, const char *args) {
    return ask_as(ws, op, args, AQFS_JSON);
}

static json_t *parse(const aqfs_reply *r) {
    size_t n;
    const char *text = r ? aqfs_reply_text(r, &n) : NULL;
    return text ? __real_json_loadb(text, n, 0, NULL) : NULL;
}

static aqfs_reply *restore(aqfs_workspace *ws) {
    char args[128];
    snprintf(args, sizeof args, "{\"id\":\"%s\"}", first);
    return ask(ws, "snapshot_restore", args);
}

static aqfs_reply *run(aqfs_workspace *ws, const struct sweep *s) {
    const char *args = strcmp(s->op, "snapshot_prune") == 0 ? "{\"keep\":1,\"bytes\":1}" : "{}";
    return s->restores ? restore(ws) : ask(ws, s->op, args);
}

static void take_older(aqfs_workspace *ws) {
    make_file_as("root/older", "older\n", 0644);
    aqfs_reply *r = ask(ws, "snapshot_create", "{}");
    must(r && !aqfs_reply_error(r), "an older snapshot");
    aqfs_reply_free(r);
    remove_all("root/older");
    (void)nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL); /* the next is younger */
}

/* The first snapshot, what has changed since, and copies of both to begin each point with. */
static void prepare(void) {
    make_directory("outside");
    make_file_as("outside/x", "outside\n", 0644);
    make_first();
    kept = picture_of("root", false, true);
    aqfs_workspace *ws = open_with("auto", OPTIONS);
    take_older(ws);
    aqfs_reply *r = ask(ws, "snapshot_create", "{}");
    json_t *reply = parse(r);
    const char *id = json_string_value(json_object_get(reply, "id"));
    must(id != NULL, r ? aqfs_reply_text(r, NULL) : "no reply");
    snprintf(first, sizeof first, "%s", id);
    json_decref(reply);
    aqfs_reply_free(r);
    aqfs_free(ws);
    make_changes();
    changed = picture_of("root", false, true);
    outside = picture_of("outside", true, true);
    copy_tree("root", "root0");
    copy_tree("state", "state0");
    descriptors = 0;
}

static void reset(void) {
    world_clear();
    copy_tree("root0", "root");
    copy_tree("state0", "state");
}

/* -- one point -----------------------------------------------------------------------------------
 */

/* Old, new, and nothing else; ANSWERED says which one, where it does. */
static void check_tree(struct sweep *s, const char *when, const char *error, bool answered) {
    bool temporaries = strcmp(when, "at once") != 0;
    char *now = picture_of("root", false, temporaries);
    bool is_old = strcmp(now, changed) == 0, is_new = strcmp(now, kept) == 0;
    bool unsure = !answered || (error && strcmp(error, "durability-unknown") == 0);
    if (!is_old && !(s->restores && is_new)) {
        complain(s, "%s: neither old nor new", when);
        if (getenv("FAULT_SHOW"))
            printf("---- now\n%s---- old\n%s---- new\n%s", now, changed, kept);
    } else if (!unsure && s->restores && is_old != (error != NULL)) {
        complain(s, "%s: %s after %s", when, is_old ? "old" : "new", error ? error : "success");
    }
    free(now);
}

/* The snapshot that was there is whole, and the way back to it open. */
static void check_store(struct sweep *s) {
    aqfs_workspace *ws = open_with("auto", OPTIONS);
    aqfs_reply *r = ask(ws, "snapshot_list", "{}");
    json_t *list = parse(r);
    if (json_integer_value(json_object_get(list, "total")) < 1 ||
        json_integer_value(json_object_get(list, "damaged")) != 0)
        complain(s, "snapshots are lost: %s", r ? aqfs_reply_text(r, NULL) : "no reply");
    json_decref(list);
    aqfs_reply_free(r);
    r = restore(ws);
    if (!r || aqfs_reply_error(r))
        complain(s, "going back fails: %s", r ? aqfs_reply_text(r, NULL) : "no reply");
    aqfs_reply_free(r);
    aqfs_free(ws);
    char *now = picture_of("root", false, true), *around = picture_of("outside", true, true);
    if (strcmp(now, kept) != 0)
        complain(s, "going back gives something else%s",
                 strstr(now, ".aqfs-") ? ", a temporary name" : "");
    if (strcmp(around, outside) != 0)
        complain(s, "what is outside has changed");
    if (descriptors && open_descriptors() != descriptors)
        complain(s, "%d descriptors, there were %d", open_descriptors(), descriptors);
    free(now), free(around);
}

static bool try_fault(struct sweep *s, struct fault what) {
    reset();
    aqfs_workspace *ws = open_with("auto", OPTIONS);
    fault_arm(what);
    aqfs_reply *r = run(ws, s);
    fault.armed = false;
    const char *error = r ? aqfs_reply_error(r) : NULL;
    if (!what.for_ever)
        check_tree(s, "at once", error, r != NULL);
    if (!fault.name && error)
        complain(s, "without a fault: %s", aqfs_reply_text(r, NULL));
    aqfs_free(ws);
    aqfs_free(open_with("auto", OPTIONS)); /* which puts back what is to be put back */
    check_tree(s, "opened again", error, r != NULL);
    aqfs_reply_free(r);
    check_store(s);
    s->points++;
    return fault.name != NULL;
}

static void be_killed(void *data) {
    const struct sweep *s = data;
    aqfs_workspace *ws = open_with("auto", OPTIONS);
    fault_arm(s->killer);
    (void)run(ws, s);
}

static bool try_kill(struct sweep *s, struct fault what) {
    reset();
    s->killer = what;
    int status = run_apart(be_killed, s);
    bool killed = was_killed(status);
    fault = what;
    if (!killed && status != 0)
        complain(s, "the process ended with status %d", status);
    aqfs_free(open_with("auto", OPTIONS));
    check_tree(s, "after the kill", NULL, false);
    check_store(s);
    s->points++;
    return killed;
}

/* -- another in a directory that is made ---------------------------------------------------------
 */

static struct {
    long at, seen; /* the call that opens something while the directory is there */
} link_out;

/* Puts a link out in place of the directory that the restore has made. */
static void link_directory_out(void) {
    struct stat s;
    if (!strstr(fault.now, "open") || lstat("root/d", &s) != 0 || !S_ISDIR(s.st_mode) ||
        ++link_out.seen != link_out.at)
        return;
    must(rename("root/d", "was-d") == 0, "root/d");
    make_link("root/d", "../outside");
}

/* Nothing outside gets its permissions or what is in it. */
static bool try_link_out(struct sweep *s, struct fault what) {
    reset();
    link_out.at = what.at;
    link_out.seen = 0;
    fault_between = link_directory_out;
    aqfs_workspace *ws = open_with("auto", OPTIONS);
    fault_arm(what);
    aqfs_reply_free(restore(ws));
    fault.armed = false;
    aqfs_free(ws);
    aqfs_free(open_with("auto", OPTIONS));
    char *around = picture_of("outside", true, true);
    if (strcmp(around, outside) != 0)
        complain(s, "what is outside has changed");
    free(around);
    remove_all("was-d");
    s->points++;
    return link_out.seen >= link_out.at;
}

/* -- sweeps --------------------------------------------------------------------------------------
 */

static const int errors[] = {EIO, ENOSPC, EDQUOT, EINTR, EMFILE, ENOMEM, EROFS, EACCES};
#define ERRORS ((long)(sizeof errors / sizeof *errors))

static void finish(struct sweep *s) {
    printf("FAULT %-17s %-6s %6ld points %s\n", s->op, s->kind, s->points,
           s->complaints ? "FAILED" : "ok");
    count_result(!s->complaints);
    s->points = s->complaints = 0;
}

static void sweep(struct sweep *s, const char *kind, bool (*try)(struct sweep *, struct fault),
                  enum effect effect, bool for_ever, long first_at, long step) {
    s->kind = kind;
    if (!is_selected("snapshot/%s/%s", s->op, kind))
        return;
    for (long at = first_at;; at += step) {
        struct fault what = {.effect = effect, .at = at, .for_ever = for_ever};
        if (effect == EFFECT_FAIL)
            what.errnum = errors[(at / step) % ERRORS];
        if (!try(s, what))
            break;
    }
    finish(s);
}

/* The short form takes every STEP-th call, beginning elsewhere each time. */
static void run_all(const char *op, bool restores, bool full) {
    struct sweep s = {.op = op, .restores = restores};
    long step = full ? 1 : 7;
    aqfs_free(open_with("auto", OPTIONS));
    sweep(&s, "error", try_fault, EFFECT_FAIL, false, 1, step);
    sweep(&s, "lasting", try_fault, EFFECT_FAIL, true, full ? 1 : 4, full ? 1 : 2 * step);
    sweep(&s, "half", try_fault, EFFECT_HALF, false, 1, full ? 1 : 3);
    /* A leak is seen only where the failing call is one for memory: all of them are cheap. */
    sweep(&s, "memory", try_fault, EFFECT_MEMORY, false, 1, full || !restores ? 1 : 11);
    sweep(&s, "kill", try_kill, EFFECT_KILL, false, full ? 1 : 2, step);
    sweep(&s, "killed", try_kill, EFFECT_KILL_AFTER, false, full ? 1 : 5, step);
    sweep(&s, "torn", try_kill, EFFECT_KILL_HALF, false, 1, full ? 1 : 3);
    if (restores)
        sweep(&s, "linked", try_link_out, EFFECT_BETWEEN, false, 1, 1);
}

int main(int argc, char **argv) {
    bool full = argc > 1 && strcmp(argv[1], "full") == 0;
    shim_start();
    must(git_libgit2_init() > 0, "libgit2"); /* once, not for each workspace */
    setvbuf(stdout, NULL, _IOLBF, 0);
    world_start();
    prepare();
    reset();
    descriptors = open_descriptors();
    run_all("snapshot_create", false, full);
    run_all("snapshot_restore", true, full);
    run_all("snapshot_prune", false, true); /* one call of them loses all, and they are few */
    free(kept), free(changed), free(outside);
    world_end();
    return report_score();
}
