/* SPDX-License-Identifier: MIT */
/* writes.c -- measures edits and patches: writes DIR
 *
 * Peers: the same done in plain C, durably, as little as that can be (read, copy, write beside it,
 * fsync, rename, fsync of the directory); the MCP filesystem server's edit_file; git apply.  The
 * two last do not wait for the disk; each has a second row, `-durable`, where what it wrote is
 * synced.
 *
 * Each side has files of its own in DIR, changes them there and back, in turns.  First their files
 * are compared after a change; then times are taken.  Of what a patch changes each side has a tree
 * a run, and all of it is on disk before.  Prints the lines that bench.c describes, and heeds
 * BENCH_ROWS, BENCH_RUNS and BENCH_MCP as it does.
 */
#include "aqfs.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <jansson.h>
#include <linux/fs.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { RUNS_MOST = 99, PATCHED = 1000, PATCHED_SIZE = 4096, NAME = 4200 };

static const char marker[] = "the line to change is this one: 1\n";
static const char changed[] = "the line to change is that one, which is longer: 2\n";

static struct {
    char ours[NAME], theirs[NAME]; /* directories */
    const char *rows, *mcp;
    int runs;
    aqfs_workspace *ws;
    bool differed;
} bench;

static _Noreturn void die(const char *what) {
    fprintf(stderr, "writes: %s: %s\n", what, strerror(errno));
    exit(2);
}

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* -- files ----------------------------------------------------------------------------------------
 */

struct bytes {
    char *data;
    size_t n;
};

static const char *in(const char *directory, const char *name) {
    static char path[2][NAME + 64];
    static int turn;
    turn = !turn;
    (void)snprintf(path[turn], sizeof path[turn], "%s/%s", directory, name);
    return path[turn];
}

static struct bytes read_file(const char *path) {
    struct stat s;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &s) != 0)
        die(path);
    struct bytes b = {malloc((size_t)s.st_size + 1), (size_t)s.st_size};
    if (!b.data || read(fd, b.data, b.n) != (ssize_t)b.n)
        die(path);
    (void)close(fd);
    return b;
}

static void write_all(int fd, const char *data, size_t n) {
    while (n > 0) {
        ssize_t wrote = write(fd, data, n);
        if (wrote <= 0)
            die("write");
        data += wrote;
        n -= (size_t)wrote;
    }
}

/* Lines of many kinds; the marker in the middle. */
static void make_file(const char *directory, const char *name, size_t size) {
    int fd = open(in(directory, name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
    if (!out)
        die(name);
    bool marked = false;
    for (size_t n = 0, line = 0; n < size; line++) {
        if (!marked && n >= size / 2) {
            n += (size_t)fprintf(out, "%s", marker);
            marked = true;
        }
        n += (size_t)fprintf(out, "%*sstatic int value_%zu = %zu; /* of %s */\n",
                             (int)(line % 5) * 2, "", line, line * line % 977, name);
    }
    if (fflush(out) != 0 || fsync(fd) != 0 || fclose(out) != 0)
        die(name);
}

static void sync_path(const char *path) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fsync(fd) != 0)
        die(path);
    (void)close(fd);
}

/* -- the plain way --------------------------------------------------------------------------------
 */

static struct bytes replaced(struct bytes old, const char *from, const char *to) {
    const char *at = memmem(old.data, old.n, from, strlen(from));
    if (!at)
        die("nothing to change");
    size_t before = (size_t)(at - old.data), from_n = strlen(from), to_n = strlen(to);
    struct bytes new = {malloc(old.n - from_n + to_n + 1), old.n - from_n + to_n};
    if (!new.data)
        die("memory");
    memcpy(new.data, old.data, before);
    memcpy(new.data + before, to, to_n);
    memcpy(new.data + before + to_n, at + from_n, old.n - before - from_n);
    return new;
}

static void plain_edit(const char *directory, const char *name, bool back) {
    struct bytes old = read_file(in(directory, name));
    struct bytes new = replaced(old, back ? changed : marker, back ? marker : changed);
    const char *temp = in(directory, ".new");
    int fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd < 0)
        die(temp);
    write_all(fd, new.data, new.n);
    if (fsync(fd) != 0 || close(fd) != 0 || rename(temp, in(directory, name)) != 0)
        die(temp);
    sync_path(directory);
    free(old.data);
    free(new.data);
}

/* -- our way --------------------------------------------------------------------------------------
 */

static char *request_of(const char *op, json_t *args) {
    json_t *request =
        json_pack("{s:s, s:o, s:s}", "op", op, "args", args, "authority", "dangerous");
    char *text = request ? json_dumps(request, JSON_COMPACT) : NULL;
    json_decref(request);
    if (!text)
        die("request");
    return text;
}

static char *edit_request(const char *name, const char *from, const char *to) {
    return request_of("edit_file",
                      json_pack("{s:s, s:s, s:s}", "path", name, "old_str", from, "new_str", to));
}

/* WANTED is the error's code, or NULL for none. */
static void call(const char *request, const char *wanted) {
    aqfs_reply *reply = aqfs_call(bench.ws, request, strlen(request), NULL);
    const char *error = aqfs_reply_error(reply);
    if (wanted ? !error || strcmp(error, wanted) != 0 : error != NULL) {
        fprintf(stderr, "writes: %.2000s\n", aqfs_reply_text(reply, NULL));
        exit(2);
    }
    aqfs_reply_free(reply);
}

/* -- rows -----------------------------------------------------------------------------------------
 */

struct row {
    const char *name, *peer, *file;
    double bound;
    void (*ours)(const struct row *, bool back);
    void (*theirs)(const struct row *, bool back);
    char *there, *back; /* our requests */
};

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *ms, int n) {
    // cppcheck-suppress uninitvar ; of the callers' arrays the first N are filled
    qsort(ms, (size_t)n, sizeof *ms, by_size);
    return n % 2 ? ms[n / 2] : (ms[n / 2 - 1] + ms[n / 2]) / 2;
}

static bool wanted(const char *name) {
    return fnmatch(bench.rows, name, 0) == 0;
}

static bool same_file(const char *name) {
    struct bytes a = read_file(in(bench.ours, name)), b = read_file(in(bench.theirs, name));
    bool same = a.n == b.n && memcmp(a.data, b.data, a.n) == 0;
    free(a.data);
    free(b.data);
    return same;
}

static double timed(void (*change)(const struct row *, bool), const struct row *row, bool back) {
    double start = now_ms();
    change(row, back);
    return now_ms() - start;
}

static void print_row(const char *name, double ours, const char *peer, double theirs, double bound,
                      bool same) {
    printf("BENCH %s %.2f %s %.2f %.3f %.2f %s\n", name, ours, peer, theirs, ours / theirs, bound,
           !same                    ? "DIFFERS"
           : ours <= bound * theirs ? "ok"
                                    : "SHORT");
    (void)fflush(stdout);
    bench.differed = bench.differed || !same;
}

static void compare(const struct row *row) {
    double ours[RUNS_MOST], theirs[RUNS_MOST];
    if (!wanted(row->name))
        return;
    row->ours(row, false);
    row->theirs(row, false);
    bool same = same_file(row->file);
    row->ours(row, true);
    row->theirs(row, true);
    same = same_file(row->file) && same;
    int runs = bench.runs + bench.runs % 2; /* as often there as back */
    for (int i = 0; i < runs; i++) {
        ours[i] = timed(row->ours, row, i % 2);
        theirs[i] = timed(row->theirs, row, i % 2);
    }
    print_row(row->name, median(ours, runs), row->peer, median(theirs, runs), row->bound, same);
}

static void ours_by_request(const struct row *row, bool back) {
    call(back ? row->back : row->there, NULL);
}

static void free_row(struct row *row) {
    free(row->there);
    free(row->back);
}

/* -- edits ----------------------------------------------------------------------------------------
 */

static void theirs_plain(const struct row *row, bool back) {
    plain_edit(bench.theirs, row->file, back);
}

static void edit_row(const char *name, const char *file, double bound) {
    struct row row = {.name = name,
                      .peer = "plain-C",
                      .file = file,
                      .bound = bound,
                      .ours = ours_by_request,
                      .theirs = theirs_plain,
                      .there = edit_request(file, marker, changed),
                      .back = edit_request(file, changed, marker)};
    compare(&row);
    free_row(&row);
}

/* Nothing is changed, and what comes nearest is told. */
static void hint_row(void) {
    char *request = edit_request("10mb.c", "the line to change is  this one: 1\n", changed);
    if (wanted("write/hint-10mb")) {
        call(request, "no-match");
        bool same = same_file("10mb.c");
        double ours[RUNS_MOST];
        for (int i = 0; i < bench.runs; i++) {
            double start = now_ms();
            call(request, "no-match");
            ours[i] = now_ms() - start;
        }
        print_row("write/hint-10mb", median(ours, bench.runs), "limit", 100, 1, same);
    }
    free(request);
}

/* -- the MCP server: JSON-RPC, a line a message
 * ----------------------------------------------------- */

static struct {
    FILE *to, *from;
    pid_t pid;
} server;

static void exchange(const char *message, bool answered) {
    char *line = NULL;
    size_t room = 0;
    fprintf(server.to, "%s\n", message);
    (void)fflush(server.to);
    if (answered && getline(&line, &room, server.from) < 0)
        die("the MCP server went away");
    if (line && strstr(line, "\"isError\":true"))
        die(line);
    free(line);
}

static void start_mcp(void) {
    int to[2], from[2];
    const char *argv[] = {"node", bench.mcp, bench.theirs, NULL};
    posix_spawn_file_actions_t actions;
    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0)
        die("pipe");
    (void)posix_spawn_file_actions_init(&actions);
    (void)posix_spawn_file_actions_adddup2(&actions, to[0], STDIN_FILENO);
    (void)posix_spawn_file_actions_adddup2(&actions, from[1], STDOUT_FILENO);
    (void)posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (posix_spawnp(&server.pid, argv[0], &actions, NULL, (char *const *)argv, environ) != 0)
        die("node");
    (void)posix_spawn_file_actions_destroy(&actions);
    (void)close(to[0]);
    (void)close(from[1]);
    server.to = fdopen(to[1], "w");
    server.from = fdopen(from[0], "r");
    exchange("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":"
             "{\"protocolVersion\":\"2024-11-05\",\"capabilities\":{},"
             "\"clientInfo\":{\"name\":\"bench\",\"version\":\"1\"}}}",
             true);
    exchange("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}", false);
}

static void stop_mcp(void) {
    (void)fclose(server.to);
    (void)fclose(server.from);
    (void)waitpid(server.pid, NULL, 0);
}

static void theirs_mcp(const struct row *row, bool back) {
    json_t *message =
        json_pack("{s:s, s:i, s:s, s:{s:s, s:{s:s, s:[{s:s, s:s}]}}}", "jsonrpc", "2.0", "id", 1,
                  "method", "tools/call", "params", "name", "edit_file", "arguments", "path",
                  in(bench.theirs, row->file), "edits", "oldText", back ? changed : marker,
                  "newText", back ? marker : changed);
    char *text = json_dumps(message, JSON_COMPACT);
    json_decref(message);
    exchange(text, true);
    free(text);
}

static void theirs_mcp_durable(const struct row *row, bool back) {
    theirs_mcp(row, back);
    sync_path(in(bench.theirs, row->file));
    sync_path(bench.theirs);
}

static void mcp_row(const char *name, const char *file, bool durable) {
    struct row row = {.name = name,
                      .peer = durable ? "mcp-server+fsync" : "mcp-server",
                      .file = file,
                      .bound = 1,
                      .ours = ours_by_request,
                      .theirs = durable ? theirs_mcp_durable : theirs_mcp,
                      .there = edit_request(file, marker, changed),
                      .back = edit_request(file, changed, marker)};
    if (wanted(name) && !bench.mcp)
        printf("SKIP %s @modelcontextprotocol/server-filesystem is not installed\n", name);
    else if (wanted(name)) {
        start_mcp();
        compare(&row);
        stop_mcp();
    }
    free_row(&row);
}

/* -- patches --------------------------------------------------------------------------------------
 */

/* One run: both sides have a directory of this name, with so many files in ten more. */
struct trees {
    const char *name;
    int files;
};

typedef void way(const struct trees *t);

static void patched_name(char out[48], const struct trees *t, int i) {
    (void)snprintf(out, 48, "%s/d%d/f%d.c", t->name, i / 100, i);
}

static void make_tree(const char *side, const struct trees *t) {
    char name[48];
    if (mkdir(in(side, t->name), 0755) != 0)
        die(t->name);
    for (int i = 0; i < t->files; i++) {
        patched_name(name, t, i);
        if (i % 100 == 0) {
            *strrchr(name, '/') = '\0';
            if (mkdir(in(side, name), 0755) != 0)
                die(name);
            patched_name(name, t, i);
        }
        make_file(side, name, PATCHED_SIZE);
    }
}

static void sync_directory_of(const char *name) {
    char above[48];
    (void)snprintf(above, sizeof above, "%.*s", (int)(strrchr(name, '/') - name), name);
    sync_path(in(bench.theirs, above));
}

static void theirs_plain_files(const struct trees *t) {
    char name[48], directory[NAME + 48];
    for (int i = 0; i < t->files; i++) {
        patched_name(name, t, i);
        const char *base = strrchr(name, '/') + 1;
        (void)snprintf(directory, sizeof directory, "%s/%.*s", bench.theirs, (int)(base - 1 - name),
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
    (void)posix_spawn_file_actions_addchdir_np(&actions, bench.theirs);
    if (posix_spawnp(&pid, argv[0], &actions, NULL, (char *const *)argv, environ) != 0 ||
        waitpid(pid, &status, 0) < 0 || status != 0)
        die("git apply");
    (void)posix_spawn_file_actions_destroy(&actions);
}

static void theirs_git_durable(const struct trees *t) {
    char name[48];
    theirs_git(t);
    for (int i = 0; i < t->files; i++) {
        patched_name(name, t, i);
        sync_path(in(bench.theirs, name));
        if (i % 100 == 99 || i == t->files - 1)
            sync_directory_of(name);
    }
}

/* A section a file: the marker's line, with one line around it. */
static void add_section(FILE *out, const char *name) {
    struct bytes b = read_file(in(bench.ours, name));
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
        die("patch");
    (void)snprintf(name, sizeof name, "../%s.patch", t->name);
    int fd = open(in(bench.ours, name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0)
        die(name);
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
        same = same_file(name) && same;
    }
    return same;
}

/* What one side leaves to be written is not the other's to wait for; and files are not just made:
 * those must be read twice to know that nobody writes to them. */
static double timed_patch(way *apply, const struct trees *t, const char *request) {
    sync();
    (void)nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
    double start = now_ms();
    if (apply)
        apply(t);
    else
        call(request, NULL);
    return now_ms() - start;
}

static bool patch_run(const struct trees *t, way *theirs, double ms[2]) {
    make_tree(bench.ours, t);
    make_tree(bench.theirs, t);
    char *request = patch_request(t);
    ms[0] = timed_patch(NULL, t, request);
    ms[1] = timed_patch(theirs, t, NULL);
    free(request);
    return same_tree(t);
}

static void patch_row(const char *name, int files, const char *peer, way *theirs, double bound) {
    double ours[RUNS_MOST], theirs_ms[RUNS_MOST], ms[2];
    bool same = true;
    if (!wanted(name))
        return;
    for (int i = -1; i < bench.runs; i++) { /* the first warms up */
        static int made;
        char tree[16];
        (void)snprintf(tree, sizeof tree, "t%d", made++);
        same = patch_run(&(struct trees){tree, files}, theirs, ms) && same;
        if (i >= 0) {
            ours[i] = ms[0];
            theirs_ms[i] = ms[1];
        }
    }
    print_row(name, median(ours, bench.runs), peer, median(theirs_ms, bench.runs), bound, same);
}

static void patch_rows(void) {
    patch_row("write/patch-1000", PATCHED, "plain-C", theirs_plain_files, 1.5);
    patch_row("write/patch-1-git", 1, "git-apply", theirs_git, 1);
    patch_row("write/patch-1000-git", PATCHED, "git-apply", theirs_git, 1);
    patch_row("write/patch-1000-git-durable", PATCHED, "git-apply+fsync", theirs_git_durable, 1);
}

/* -- the whole ------------------------------------------------------------------------------------
 */

/* Without a journal ext4 does not give away again the inodes of files deleted in the last minutes,
 * and looks at each of them for every new file: it is told that the trees in DIRECTORY have nothing
 * to do with each other, and puts them apart.  Other file systems need not be told. */
static void spread_trees(const char *directory) {
    unsigned flags = 0;
    int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        die(directory);
    if (ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0) {
        flags |= FS_TOPDIR_FL;
        (void)ioctl(fd, FS_IOC_SETFLAGS, &flags);
    }
    (void)close(fd);
}

static void make_files(const char *directory) {
    if (mkdir(directory, 0755) != 0)
        die(directory);
    spread_trees(directory);
    make_file(directory, "10mb.c", 10000000);
    make_file(directory, "4kb.c", 4096);
}

static void set_up(const char *directory) {
    char options[3 * NAME], real[NAME - 16];
    const char *runs = getenv("BENCH_RUNS");
    if (strlen(directory) > sizeof real - 16 || (mkdir(directory, 0755) != 0 && errno != EEXIST))
        die(directory);
    char *path = realpath(directory, NULL);
    if (!path)
        die(directory);
    (void)snprintf(real, sizeof real, "%s", path);
    free(path);
    bench.rows = getenv("BENCH_ROWS") ? getenv("BENCH_ROWS") : "*";
    bench.mcp = getenv("BENCH_MCP");
    bench.runs = runs ? (int)strtol(runs, NULL, 10) : 9;
    if (bench.runs < 1 || bench.runs >= RUNS_MOST)
        die("BENCH_RUNS");
    (void)snprintf(bench.ours, sizeof bench.ours, "%s/ours", real);
    (void)snprintf(bench.theirs, sizeof bench.theirs, "%s/theirs", real);
    (void)setenv("GIT_CEILING_DIRECTORIES", real, 1); /* no repository: paths are as they are */
    make_files(bench.ours);
    make_files(bench.theirs);
    int n = snprintf(options, sizeof options, "{\"root\":\"%s\",\"state_dir\":\"%s/state\"}",
                     bench.ours, real);
    aqfs_reply_free(aqfs_open(options, (size_t)n, AQFS_SEXP, &bench.ws));
    if (!bench.ws)
        die("workspace");
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: writes DIR\n");
        return 2;
    }
    set_up(argv[1]);
    edit_row("write/edit-10mb", "10mb.c", 2);
    edit_row("write/edit-4kb", "4kb.c", 1.3);
    hint_row();
    patch_rows();
    mcp_row("write/edit-4kb-mcp", "4kb.c", false);
    mcp_row("write/edit-4kb-mcp-durable", "4kb.c", true);
    mcp_row("write/edit-10mb-mcp", "10mb.c", false);
    mcp_row("write/edit-10mb-mcp-durable", "10mb.c", true);
    aqfs_free(bench.ws);
    return bench.differed;
}
