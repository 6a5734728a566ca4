/* SPDX-License-Identifier: MIT */
/* patches.c -- the rows of patches: against plain C and git apply: see patches.h. */
#include "patches.h"

#include "die.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* -- patches --------------------------------------------------------------------------------------
 */

/* One run: both sides have a directory of this name, with so many files in ten more. */
struct trees {
    const char *name;
    int files;
};

static void patched_name(char out[48], const struct trees *t, int i) {
    (void)snprintf(out, 48, "%s/d%d/f%d.c", t->name, i / 100, i);
}

static void make_tree(const char *side, const struct trees *t) {
    char name[48];
    if (mkdir(in(side, t->name), 0755) != 0)
        die_of(t->name);
    for (int i = 0; i < t->files; i++) {
        patched_name(name, t, i);
        if (i % 100 == 0) {
            *strrchr(name, '/') = '\0';
            if (mkdir(in(side, name), 0755) != 0)
                die_of(name);
            patched_name(name, t, i);
        }
        make_source(side, name, PATCHED_SIZE);
    }
}

static void sync_directory_of(const char *name) {
    char above[48];
    (void)snprintf(above, sizeof above, "%.*s", (int)(strrchr(name, '/') - name), name);
    sync_path(in(sides.theirs, above));
}

static void theirs_plain_files(const struct trees *t) {
    char name[48], directory[NAME + 48];
    for (int i = 0; i < t->files; i++) {
        patched_name(name, t, i);
        const char *base = strrchr(name, '/') + 1;
        (void)snprintf(directory, sizeof directory, "%s/%.*s", sides.theirs, (int)(base - 1 - name),
                       name);
        plain_edit(directory, base, false);
    }
}

static void theirs_git(const struct trees *t) {
    char patch[64];
    (void)snprintf(patch, sizeof patch, "../%s.patch", t->name);
    const char *argv[] = {"git", "apply", "--whitespace=nowarn", patch, NULL};
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int status;
    (void)posix_spawn_file_actions_init(&actions);
    (void)posix_spawn_file_actions_addchdir_np(&actions, sides.theirs);
    if (posix_spawnp(&pid, argv[0], &actions, NULL, (char *const *)argv, environ) != 0 ||
        waitpid(pid, &status, 0) < 0 || status != 0)
        die_of("git apply");
    (void)posix_spawn_file_actions_destroy(&actions);
}

static void theirs_git_durable(const struct trees *t) {
    char name[48];
    theirs_git(t);
    for (int i = 0; i < t->files; i++) {
        patched_name(name, t, i);
        sync_path(in(sides.theirs, name));
        if (i % 100 == 99 || i == t->files - 1)
            sync_directory_of(name);
    }
}

/* A section a file: the marker's line, with one line around it. */
static void add_section(FILE *out, const char *name) {
    struct bytes b = load(in(sides.ours, name));
    const char *at = memmem(b.data, b.n, marker, strlen(marker)), *before = at - 1;
    size_t line = 1, next = 0;
    while (before > b.data && before[-1] != '\n')
        before--;
    for (const char *c = b.data; c < before; c++)
        line += *c == '\n';
    const char *behind = at + strlen(marker);
    while (behind[next] != '\n')
        next++;
    fprintf(out, "diff --git a/%s b/%s\n--- a/%s\n+++ b/%s\n@@ -%zu,3 +%zu,3 @@\n", name, name,
            name, name, line, line);
    fprintf(out, " %.*s-%s+%s %.*s", (int)(at - before), before, marker, changed, (int)next + 1,
            behind);
    free(b.data);
}

/* Also leaves the patch where git is to find it. */
static char *patch_request(const struct trees *t) {
    char name[48], *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    for (int i = 0; i < t->files; i++) {
        patched_name(name, t, i);
        add_section(out, name);
    }
    if (fclose(out) != 0)
        die_of("patch");
    (void)snprintf(name, sizeof name, "../%s.patch", t->name);
    int fd = open(in(sides.ours, name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0)
        die_of(name);
    write_all(fd, text, n);
    (void)close(fd);
    char *request = request_of("apply_patch", json_pack("{s:s%}", "patch", text, n));
    free(text);
    return request;
}

static bool same_tree(const struct trees *t) {
    bool same = true;
    char name[48];
    for (int i = 0; i < t->files; i++) {
        patched_name(name, t, i);
        same = same_on_both(name) && same;
    }
    return same;
}

/* One side does not wait for writes that the other leaves behind; and files are not just made:
 * those must be read twice to know that nobody writes to them. */
static double timed_patch(void (*apply)(const struct trees *t), const struct trees *t,
                          const char *request) {
    sync();
    (void)nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
    double start = now_ms();
    if (apply)
        apply(t);
    else
        call(request, NULL);
    return now_ms() - start;
}

static bool patch_run(const struct trees *t, void (*theirs)(const struct trees *t), double ms[2]) {
    make_tree(sides.ours, t);
    make_tree(sides.theirs, t);
    char *request = patch_request(t);
    ms[0] = timed_patch(NULL, t, request);
    ms[1] = timed_patch(theirs, t, NULL);
    free(request);
    return same_tree(t);
}

static void patch_row(const char *name, int files, const char *peer,
                      void (*theirs)(const struct trees *t), double bound) {
    double ours[MOST_RUNS], theirs_ms[MOST_RUNS], ms[2];
    bool same = true;
    if (!wanted(name))
        return;
    for (int i = -1; i < settings.runs; i++) { /* the first warms up */
        static int made;
        char tree[16];
        (void)snprintf(tree, sizeof tree, "t%d", made++);
        same = patch_run(&(struct trees){tree, files}, theirs, ms) && same;
        if (i >= 0) {
            ours[i] = ms[0];
            theirs_ms[i] = ms[1];
        }
    }
    print_row(name, median(ours, settings.runs), peer, median(theirs_ms, settings.runs), bound,
              same);
}

void patch_rows(void) {
    patch_row("write/patch-1000", PATCHED, "plain-C", theirs_plain_files, 1.5);
    patch_row("write/patch-1-git", 1, "git-apply", theirs_git, 1);
    patch_row("write/patch-1000-git", PATCHED, "git-apply", theirs_git, 1);
    patch_row("write/patch-1000-git-durable", PATCHED, "git-apply+fsync", theirs_git_durable, 1);
}
