/* SPDX-License-Identifier: MIT */
/* side.c -- the two sides of a row: asked, compared and timed: see side.h. */
#include "side.h"

#include "die.h"
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* -- The two sides of a row -- */

enum { SHOWN_DIFFERENCES = 5, MOST_RIVALS = 4 };

struct tools tools;

static run run_side(const side *s) {
    return s->argv ? run_process(s->argv, s->directory) : ask(s->server, s->request);
}

json_t *our_reply(const char *directory, const char *request) {
    const char *argv[] = {tools.aqfs_call, "--json", directory, request, NULL};
    run r = run_process(argv, directory);
    json_t *reply = parse(r.out, r.out_length);
    free_run(r);
    return reply;
}

static answer ours_answer(const side *s, run timed) {
    (void)timed;
    json_t *reply = our_reply(s->directory, s->request);
    answer a = s->of_reply(reply);
    json_decref(reply);
    return a;
}

answer fd_answer(const side *s, run r) {
    (void)s;
    return answer_of_paths(r.out);
}

answer rg_answer(const side *s, run r) {
    (void)s;
    return answer_of_rg(r.out, r.out_length);
}

/* -- Comparing -- */

static bool has_nul(const char *path) {
    static char block[1 << 16];
    bool found = false;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    for (ssize_t n; !found && (n = read(fd, block, sizeof block)) > 0;)
        found = memchr(block, '\0', (size_t)n);
    close(fd);
    return found;
}

static bool is_link(const char *path) {
    struct stat st;
    return lstat(path, &st) == 0 && S_ISLNK(st.st_mode);
}

/* Where the tools mean to differ nobody errs.  A link to a file is a file to us
 * and to fd and rg a link.  rg reads a file until it meets a NUL, we do not begin
 * one that has a NUL among its first 8 KiB: so whatever was or was not found in a
 * file with a NUL is passed over.  The built corpus has no links, and no NUL but
 * in its images, in which nothing is found.  ITEM is a path, or `path:line`. */
static bool is_forgiven(const char *directory, const char *item) {
    struct stat st;
    char *path = path_of("%s/%s", directory, item);
    char *colon = strrchr(path, ':');
    if (colon && lstat(path, &st) != 0)
        *colon = '\0';
    bool forgiven = is_link(path) || (colon && !*colon && has_nul(path));
    free(path);
    return forgiven;
}

static void show_difference(size_t seen, const char *who, const char *item) {
    if (seen < SHOWN_DIFFERENCES)
        fprintf(stderr, "    only %s: %s\n", who, item);
}

/* Steps through both at once, as a merge does. */
static size_t differences(answer a, answer b, const side *ours, const side *peer) {
    size_t i = 0, j = 0, different = 0;
    while (i < a.count || j < b.count) {
        int order = i == a.count ? 1 : j == b.count ? -1 : strcmp(a.item[i], b.item[j]);
        const char *item = order < 0 ? a.item[i] : b.item[j];
        i += order <= 0;
        j += order >= 0;
        if (order == 0 || is_forgiven(ours->directory, item))
            continue;
        show_difference(different++, order < 0 ? "ours" : peer->name, item);
    }
    return different;
}

static bool same_answer(const char *row, const side *ours, const side *peer) {
    run ours_run = run_side(ours), peer_run = run_side(peer);
    answer a = ours->answer(ours, ours_run), b = peer->answer(peer, peer_run);
    size_t different = differences(a, b, ours, peer);
    if (different)
        fprintf(stderr, "  %s: %zu differences: ours %zu, %s %zu\n", row, different, a.count,
                peer->name, b.count);
    free_answer(a);
    free_answer(b);
    free_run(ours_run);
    free_run(peer_run);
    return different == 0;
}

/* -- Timing -- */

struct times {
    double ms[MOST_RUNS];
    double cpu_ms[MOST_RUNS];
};

bool drop_caches(void) {
    sync();
    int fd = open("/proc/sys/vm/drop_caches", O_WRONLY | O_CLOEXEC);
    bool dropped = fd >= 0 && write(fd, "3", 1) == 1;
    if (fd >= 0)
        close(fd);
    return dropped;
}

/* The tree is to be read from the disk, not the program that reads it. */
static void cool(const side *s) {
    if (!drop_caches())
        die("the page cache cannot be dropped any more");
    if (s->argv)
        free_run(run_process((const char *const[]){s->argv[0], "--version", NULL}, "/"));
}

static void time_side(const side *s, struct times *t, int i) {
    if (tools.cold)
        cool(s);
    run r = run_side(s);
    t->ms[i] = r.ms;
    t->cpu_ms[i] = r.cpu_ms;
    free_run(r);
}

/* No verdict: to tell a slow row from a busy machine. */
static void print_cpu(const char *row, struct times *ours, struct times *peer) {
    double a = median(ours->cpu_ms, settings.runs), b = median(peer->cpu_ms, settings.runs);
    printf("CPU %s %.1f %.1f %.3f\n", row, a, b, a / b);
}

static void print_rival(const struct rival *rival, struct times *ours, struct times *theirs,
                        bool both_run, double bound, bool same) {
    print_row(rival->row, median(ours->ms, settings.runs), rival->side.name,
              median(theirs->ms, settings.runs), bound, same);
    if (both_run)
        print_cpu(rival->row, ours, theirs);
    fflush(stdout);
}

static void compare(const side *ours, const struct rival *rivals, size_t n, double bound) {
    struct times ours_times = {0}, times[MOST_RIVALS] = {0};
    bool same[MOST_RIVALS];
    if (n > MOST_RIVALS)
        die("no more than %d rivals", MOST_RIVALS);
    for (size_t k = 0; k < n; k++)
        same[k] = same_answer(rivals[k].row, ours, &rivals[k].side);
    for (int i = 0; i < settings.runs; i++) {
        time_side(ours, &ours_times, i);
        for (size_t k = 0; k < n; k++)
            time_side(&rivals[k].side, &times[k], i);
    }
    for (size_t k = 0; k < n; k++)
        print_rival(&rivals[k], &ours_times, &times[k], ours->argv && rivals[k].side.argv, bound,
                    same[k]);
}

/* -- Our side -- */

/* No limit; with ALL, nothing is excluded either. */
static char *our_request(const char *operation, bool all, json_t *arguments) {
    if (all)
        json_object_set_new(arguments, "exclude_patterns", json_array());
    json_t *request = json_pack("{s:s, s:o}", "op", operation, "args", arguments);
    char *text = have(json_dumps(request, JSON_COMPACT));
    json_decref(request);
    return text;
}

char *search_request(const char *pattern, bool all) {
    return our_request("search_files", all,
                       json_pack("{s:s, s:i}", "pattern", pattern, "limit", 100000000));
}

char *tree_request(void) {
    return our_request("directory_tree", true, json_pack("{s:i}", "limit", 0));
}

char *grep_request(const char *pattern, bool ignore_case, bool all) {
    return our_request("grep_files", all,
                       json_pack("{s:s, s:i, s:b, s:s}", "pattern", pattern, "limit", 100000000,
                                 "ignore_case", ignore_case, "output", "content"));
}

void compare_ours(const char *request, answer (*of_reply)(const json_t *),
                  const struct rival *rivals, size_t n, double bound) {
    const char *directory = rivals[0].side.directory;
    const char *once[] = {tools.aqfs_call, directory, request, NULL};
    server core = {0};
    const side ours = {.name = "ours",
                       .directory = directory,
                       .argv = tools.process ? once : NULL,
                       .server = &core,
                       .request = request,
                       .answer = ours_answer,
                       .of_reply = of_reply};
    if (!tools.process) {
        const char *loaded[] = {tools.aqfs_call, "--serve", directory, NULL};
        core = start_server(loaded, directory);
    }
    compare(&ours, rivals, n, bound);
    if (!tools.process)
        stop_server(&core);
}
