/* SPDX-License-Identifier: MIT */
/* snapshots.c -- measures snapshots against git: snapshots DIR STATE, DIR being a corpus of which
 * there are two copies, DIR/ours and DIR/theirs.
 *
 *     first      the first snapshot    `git add -A && git commit` in a repository just made
 *     second     ten files changed     the same
 *     restore    those ten put back    `git reset --hard`
 *
 * git does not wait for the disk, we do; nor may it clean up in the background meanwhile.  Prints
 * the lines that bench.c describes, and heeds BENCH_ROWS and BENCH_RUNS as it does; the first row
 * is measured once, it takes that long.
 */
#include "parts/rows.h"

#include "aqfs.h"
#include "die.h"
#include "request.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHANGED = 10 };

static struct {
    aqfs_workspace *ws;
    char ours[4096], theirs[4096];
    char *files[CHANGED]; /* relative */
    char id[64];
} bench;

/* -- both sides ----------------------------------------------------------------------------------
 */

/* This side does not wait for writes that the other has left behind. */
static double start(void) {
    sync();
    return now_ms();
}

static double git(const char *words) {
    char command[10000];
    (void)snprintf(command, sizeof command,
                   "cd '%s' && export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null "
                   "GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a "
                   "GIT_COMMITTER_EMAIL=a@b GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=gc.auto "
                   "GIT_CONFIG_VALUE_0=0 && %s",
                   bench.theirs, words);
    double started = start();
    if (system(command) != 0) // NOLINT(cert-env33-c): the peer
        die("%s", words);
    return now_ms() - started;
}

/* The milliseconds that a call takes; its `id` is kept where KEEP. */
static double call(const char *op, const char *args, bool keep) {
    char request[400];
    int n = snprintf(request, sizeof request,
                     "{\"op\":\"%s\",\"args\":%s,\"authority\":\"dangerous\"}", op, args);
    const aqfs_context context = {.format = AQFS_JSON};
    double started = start();
    aqfs_reply *r = aqfs_call(bench.ws, request, (size_t)n, &context);
    double took = now_ms() - started;
    if (!r || aqfs_reply_error(r))
        die("%s", r ? aqfs_reply_text(r, NULL) : "no reply");
    json_t *reply = json_loads(aqfs_reply_text(r, NULL), 0, NULL);
    const char *id = json_string_value(json_object_get(reply, "id"));
    if (keep && id)
        (void)snprintf(bench.id, sizeof bench.id, "%s", id);
    json_decref(reply);
    aqfs_reply_free(r);
    return took;
}

static void change_files(const char *directory, int run) {
    for (int i = 0; i < CHANGED; i++) {
        char path[8400];
        (void)snprintf(path, sizeof path, "%s/%s", directory, bench.files[i]);
        FILE *file = fopen(path, "ae");
        if (!file || fprintf(file, "run %d\n", run) < 0 || fclose(file) != 0)
            die("%s", path);
    }
}

static bool same_trees(void) {
    char command[9000];
    (void)snprintf(command, sizeof command, "diff -r --exclude=.git '%s' '%s' >/dev/null",
                   bench.ours, bench.theirs);
    return system(command) == 0; // NOLINT(cert-env33-c): a comparison
}

/* Ten that are spread over the tree. */
static void choose_files(void) {
    char command[5000], line[4096];
    (void)snprintf(command, sizeof command,
                   "cd '%s' && find . -type f -size -64k -not -path './.git/*' | sort | "
                   "awk 'NR %% 5000 == 7'",
                   bench.theirs);
    FILE *list = popen(command, "re"); // NOLINT(cert-env33-c): preparing
    int n = 0;
    while (list && n < CHANGED && fgets(line, sizeof line, list)) {
        line[strcspn(line, "\n")] = '\0';
        bench.files[n++] = strdup(line + 2);
    }
    if (!list || n < CHANGED)
        die("the corpus is too small");
    (void)pclose(list);
}

/* -- rows ----------------------------------------------------------------------------------------
 */

static void first(void) {
    double theirs = git("git init -q . && git add -A && git commit -qm first");
    double ours = call("snapshot_create", "{}", true);
    print_row("snapshot/first", ours, "git", theirs, 1, true);
}

static void later(void) {
    double taken[2][MOST_RUNS], put[2][MOST_RUNS];
    for (int run = 0; run < settings.runs; run++) {
        change_files(bench.ours, run);
        change_files(bench.theirs, run);
        taken[0][run] = call("snapshot_create", "{}", true);
        taken[1][run] = git("git add -A && git commit -qm later");
        change_files(bench.ours, -1);
        change_files(bench.theirs, -1);
        char args[100];
        (void)snprintf(args, sizeof args, "{\"id\":\"%s\"}", bench.id);
        put[0][run] = call("snapshot_restore", args, false);
        put[1][run] = git("git reset -q --hard");
    }
    bool same = same_trees();
    if (wanted("snapshot/second"))
        print_row("snapshot/second", median(taken[0], settings.runs), "git",
                  median(taken[1], settings.runs), 1, same);
    if (wanted("snapshot/restore"))
        print_row("snapshot/restore", median(put[0], settings.runs), "git",
                  median(put[1], settings.runs), 1, same);
}

static void open_workspace(const char *state) {
    char options[10000];
    (void)snprintf(options, sizeof options,
                   "{\"root\":\"%s\",\"state_dir\":\"%s\",\"limits\":{\"time_ms\":600000}}",
                   bench.ours, state);
    bench.ws = open_options(options);
}

int main(int argc, char **argv) {
    if (argc != 3)
        die("usage: snapshots DIR STATE");
    read_settings();
    (void)snprintf(bench.ours, sizeof bench.ours, "%s/ours", argv[1]);
    (void)snprintf(bench.theirs, sizeof bench.theirs, "%s/theirs", argv[1]);
    if (!wanted("snapshot/first") && !wanted("snapshot/second") && !wanted("snapshot/restore"))
        return 0;
    choose_files();
    open_workspace(argv[2]);
    first();
    later();
    aqfs_free(bench.ws);
    for (int i = 0; i < CHANGED; i++)
        free(bench.files[i]);
    return settings.differed;
}
