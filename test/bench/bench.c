/* SPDX-License-Identifier: MIT */
/* bench.c -- measures the core with what people use today.
 *
 * Each side is used as it is used: Emacs and Lisp have the core loaded and call it,
 * so a process that has it loaded is asked; so is the MCP server; rg and fd are
 * started for each question.
 *
 *     bench tree LABEL DIR BOUND    walk, find, tree and grep against fd, rg and the MCP server
 *     bench grep LABEL DIR BOUND    grep alone
 *     bench growth DIR              a corpus of corpus.c: is the time a file the same throughout?
 *                                   (on one processor)
 *     bench memory DIR BIG MILLION  a corpus, the directories of a 5 GB file and of many entries
 *
 * First the two sides' answers are compared as sets; only then are they timed,
 * in turns, so that what disturbs the machine disturbs both.  Prints
 *
 *     BENCH name ours_ms peer peer_ms ratio bound ok|SHORT|DIFFERS
 *     GROWTH name t1/8 t1/4 t1/2 t1 worst-deviation ok|SHORT
 *     MEMORY name rss_mib bound ok|SHORT
 *     SKIP name why
 *
 * and exits with 1 when an answer differed.  From the environment: BENCH_ROWS, a
 * wildcard for the names of the rows to run; BENCH_RUNS, how many runs a median
 * is taken of; BENCH_PROCESS, to have our side be a process a run too, and of each
 * row the milliseconds of processor time, `CPU name ours peer ratio`; BENCH_MCP,
 * where the MCP server's index.js is.
 */
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <jansson.h>
#include <libgen.h>
#include <math.h>
#include <sched.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

enum { MOST_RUNS = 99, SHOWN_DIFFERENCES = 5 };

static struct {
    const char *aqfs_call; /* the program that stands next to this one */
    const char *fd;        /* fd is called fdfind by Debian; NULL where there is none */
    const char *rg;
    const char *mcp;
    const char *rows;
    int runs;
    bool process; /* our side is a process a run, as rg and fd are */
    bool differed;
} bench;

static _Noreturn void die(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("bench: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(2);
}

static void *must(void *allocated) {
    if (!allocated)
        die("out of memory");
    return allocated;
}

__attribute__((format(printf, 1, 2))) static char *format(const char *format, ...) {
    char *text;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        die("out of memory");
    va_end(arguments);
    return text;
}

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* -- Processes -- */

typedef struct {
    double ms;
    double cpu_ms; /* of all threads: what the load of the machine does not change much */
    char *out;
    size_t out_length;
    char *err;
} run;

static void free_run(run r) {
    free(r.out);
    free(r.err);
}

static int new_memory_file(void) {
    int fd = memfd_create("bench", MFD_CLOEXEC);
    if (fd < 0)
        die("memfd: %s", strerror(errno));
    return fd;
}

/* What was written to FD, and a NUL behind it.  Closes FD. */
static char *take_content(int fd, size_t *length) {
    struct stat st;
    if (fstat(fd, &st) != 0)
        die("fstat: %s", strerror(errno));
    size_t size = (size_t)st.st_size;
    char *content = must(malloc(size + 1));
    for (size_t done = 0; done < size;) {
        ssize_t n = pread(fd, content + done, size - done, (off_t)done);
        if (n <= 0)
            die("pread: %s", strerror(errno));
        done += (size_t)n;
    }
    content[size] = '\0';
    if (length)
        *length = size;
    close(fd);
    return content;
}

static pid_t spawn(const char *const argv[], const char *directory, int in, int out, int err) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addchdir_np(&actions, directory);
    posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
    pid_t pid;
    int failure = posix_spawnp(&pid, argv[0], &actions, NULL, (char *const *)argv, environ);
    if (failure)
        die("%s: %s", argv[0], strerror(failure));
    posix_spawn_file_actions_destroy(&actions);
    return pid;
}

static double in_ms(struct timeval t) {
    return (double)t.tv_sec * 1e3 + (double)t.tv_usec / 1e3;
}

/* Runs ARGV in DIRECTORY.  Both sides write into memory: a pipe would have the
 * reader compete with them for the processors. */
static run run_process(const char *const argv[], const char *directory) {
    run r;
    int status;
    struct rusage used;
    int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
    int out = new_memory_file();
    int err = new_memory_file();
    double start = now_ms();
    pid_t pid = spawn(argv, directory, in, out, err);
    if (wait4(pid, &status, 0, &used) < 0)
        die("wait4: %s", strerror(errno));
    r.ms = now_ms() - start;
    r.cpu_ms = in_ms(used.ru_utime) + in_ms(used.ru_stime);
    close(in);
    r.out = take_content(out, &r.out_length);
    r.err = take_content(err, NULL);
    /* 1 is how rg and fd say that nothing matched. */
    if (!WIFEXITED(status) || WEXITSTATUS(status) > 1 || (WEXITSTATUS(status) == 1 && *r.err))
        die("%s in %s failed: %s", argv[0], directory, r.err);
    return r;
}

/* -- Servers: a request a line, an answer a line -- */

typedef struct {
    FILE *to;
    FILE *from;
    pid_t pid;
} server;

static server start_server(const char *const argv[], const char *directory) {
    int request[2], reply[2];
    if (pipe2(request, O_CLOEXEC) != 0 || pipe2(reply, O_CLOEXEC) != 0)
        die("pipe: %s", strerror(errno));
    int silence = open("/dev/null", O_WRONLY | O_CLOEXEC);
    server s = {.pid = spawn(argv, directory, request[0], reply[1], silence)};
    close(silence);
    close(request[0]);
    close(reply[1]);
    s.to = must(fdopen(request[1], "w"));
    s.from = must(fdopen(reply[0], "r"));
    return s;
}

static void stop_server(server *s) {
    fclose(s->to);
    fclose(s->from);
    waitpid(s->pid, NULL, 0);
}

static void say(server *s, const char *message) {
    fprintf(s->to, "%s\n", message);
    fflush(s->to);
}

static run ask(server *s, const char *message) {
    run r = {0};
    size_t room = 0;
    double start = now_ms();
    say(s, message);
    ssize_t n = getline(&r.out, &room, s->from);
    if (n < 0)
        die("a server went away");
    r.out_length = (size_t)n;
    r.ms = now_ms() - start;
    return r;
}

/* -- Answers: sets of strings -- */

typedef struct {
    char **item;
    size_t count;
    size_t room;
} answer;

static void add(answer *a, char *item) {
    if (a->count == a->room) {
        a->room = a->room ? 2 * a->room : 1024;
        a->item = must(realloc(a->item, a->room * sizeof *a->item));
    }
    a->item[a->count++] = item;
}

static int by_bytes(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static answer sorted(answer a) {
    if (a.count)
        qsort(a.item, a.count, sizeof *a.item, by_bytes);
    return a;
}

static void free_answer(answer a) {
    for (size_t i = 0; i < a.count; i++)
        free(a.item[i]);
    free(a.item);
}

static const char *without_dot(const char *path) {
    return strncmp(path, "./", 2) == 0 ? path + 2 : path;
}

/* A path a line, as fd prints them. */
static answer answer_of_paths(const char *text) {
    answer a = {0};
    for (const char *end; (end = strchr(text, '\n')); text = end + 1) {
        const char *path = without_dot(text);
        add(&a, must(strndup(path, (size_t)(end - path))));
    }
    return sorted(a);
}

/* `path NUL line ":" text`, as rg prints it with --null, as `path:line`.  What
 * it says of binary files has no NUL and is left out: we skip those files. */
static answer answer_of_rg(const char *text, size_t length) {
    answer a = {0};
    const char *all = text + length;
    for (const char *end; text < all && (end = memchr(text, '\n', (size_t)(all - text)));
         text = end + 1) {
        const char *nul = memchr(text, '\0', (size_t)(end - text));
        if (nul)
            add(&a, format("%s:%ld", without_dot(text), strtol(nul + 1, NULL, 10)));
    }
    return sorted(a);
}

static const char *member(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    if (!text)
        die("a reply lacks \"%s\"", key);
    return text;
}

static json_t *parse(const char *text, size_t length) {
    json_error_t problem;
    json_t *v = json_loadb(text, length, JSON_ALLOW_NUL, &problem);
    if (!v)
        die("a reply is not JSON: %s at byte %d", problem.text, problem.position);
    return v;
}

static answer answer_of_search(const json_t *reply) {
    answer a = {0};
    const json_t *paths = json_object_get(reply, "paths");
    for (size_t i = 0; i < json_array_size(paths); i++)
        add(&a, must(strdup(json_string_value(json_array_get(paths, i)))));
    return sorted(a);
}

static answer answer_of_grep(const json_t *reply) {
    answer a = {0};
    const json_t *matches = json_object_get(reply, "matches");
    for (size_t i = 0; i < json_array_size(matches); i++) {
        const json_t *match = json_array_get(matches, i);
        json_int_t line = json_integer_value(json_object_get(match, "line"));
        add(&a, format("%s:%lld", member(match, "path"), (long long)line));
    }
    return sorted(a);
}

/* Nested entries become paths; a directory's ends in a slash. */
static void add_tree(answer *a, const json_t *entries, const char *parent) {
    for (size_t i = 0; i < json_array_size(entries); i++) {
        const json_t *entry = json_array_get(entries, i);
        bool directory = strcmp(member(entry, "type"), "directory") == 0;
        char *path = format("%s%s%s", parent, member(entry, "name"), directory ? "/" : "");
        add(a, path);
        add_tree(a, json_object_get(entry, "children"), path);
    }
}

static answer answer_of_tree(const json_t *reply) {
    answer a = {0};
    add_tree(&a, json_object_get(json_object_get(reply, "tree"), "children"), "");
    return sorted(a);
}

/* -- The two sides of a row -- */

typedef struct side side;
struct side {
    const char *name;
    const char *directory;
    const char *const *argv; /* a process a run; or NULL: */
    server *server;          /* this one is asked */
    const char *request;
    answer (*answer)(const side *, run);
    answer (*of_reply)(const json_t *);
};

static run run_side(const side *s) {
    return s->argv ? run_process(s->argv, s->directory) : ask(s->server, s->request);
}

/* Timed runs print s-expressions, as for Emacs.  To read an answer here the
 * request is put once more, with a reply in JSON. */
static json_t *our_reply(const char *directory, const char *request) {
    const char *argv[] = {bench.aqfs_call, "--json", directory, request, NULL};
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

static answer fd_answer(const side *s, run r) {
    (void)s;
    return answer_of_paths(r.out);
}

static answer rg_answer(const side *s, run r) {
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
    char *path = format("%s/%s", directory, item);
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

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *ms, int count) {
    qsort(ms, (size_t)count, sizeof *ms, by_size);
    return count % 2 ? ms[count / 2] : (ms[count / 2 - 1] + ms[count / 2]) / 2;
}

struct times {
    double ms[MOST_RUNS];
    double cpu_ms[MOST_RUNS];
};

static void time_side(const side *s, struct times *t, int i) {
    run r = run_side(s);
    t->ms[i] = r.ms;
    t->cpu_ms[i] = r.cpu_ms;
    free_run(r);
}

static void print_row(const char *row, double ours, const side *peer, double peers, double bound,
                      bool same) {
    double ratio = ours / peers;
    const char *verdict = !same ? "DIFFERS" : ratio <= bound ? "ok" : "SHORT";
    printf("BENCH %s %.1f %s %.1f %.3f %.2f %s\n", row, ours, peer->name, peers, ratio, bound,
           verdict);
}

/* No verdict: to tell a slow row from a busy machine. */
static void print_cpu(const char *row, struct times *ours, struct times *peer) {
    double a = median(ours->cpu_ms, bench.runs), b = median(peer->cpu_ms, bench.runs);
    printf("CPU %s %.1f %.1f %.3f\n", row, a, b, a / b);
}

static void compare(const char *row, const side *ours, const side *peer, double bound) {
    struct times ours_times = {0}, peer_times = {0};
    bool same = same_answer(row, ours, peer);
    if (!same)
        bench.differed = true;
    for (int i = 0; i < bench.runs; i++) {
        time_side(ours, &ours_times, i);
        time_side(peer, &peer_times, i);
    }
    print_row(row, median(ours_times.ms, bench.runs), peer, median(peer_times.ms, bench.runs),
              bound, same);
    if (ours->argv && peer->argv)
        print_cpu(row, &ours_times, &peer_times);
    fflush(stdout);
}

static bool wanted(const char *row) {
    return fnmatch(bench.rows, row, 0) == 0;
}

static void skip(const char *row, const char *why) {
    printf("SKIP %s %s\n", row, why);
    fflush(stdout);
}

/* -- The MCP server: JSON-RPC -- */

static server start_mcp(const char *directory) {
    const char *argv[] = {"node", bench.mcp, directory, NULL};
    server s = start_server(argv, directory);
    free_run(ask(&s, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":"
                     "{\"protocolVersion\":\"2024-11-05\",\"capabilities\":{},"
                     "\"clientInfo\":{\"name\":\"bench\",\"version\":\"1\"}}}"));
    say(&s, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
    return s;
}

static char *mcp_request(const char *tool, json_t *arguments) {
    json_t *message =
        json_pack("{s:s, s:i, s:s, s:{s:s, s:o}}", "jsonrpc", "2.0", "id", 1, "method",
                  "tools/call", "params", "name", tool, "arguments", arguments);
    char *text = must(json_dumps(message, JSON_COMPACT));
    json_decref(message);
    return text;
}

/* The words of a tool's answer: the first piece of its content. */
static char *mcp_text(run r) {
    json_t *message = parse(r.out, r.out_length);
    json_t *content = json_object_get(json_object_get(message, "result"), "content");
    char *text = must(strdup(member(json_array_get(content, 0), "text")));
    json_decref(message);
    return text;
}

/* Paths come absolute; ours are relative. */
static answer mcp_search_answer(const side *s, run r) {
    answer a = {0};
    size_t prefix = strlen(s->directory) + 1;
    char *text = mcp_text(r), *rest = text;
    for (char *path; (path = strsep(&rest, "\n"));)
        if (strlen(path) > prefix && path[0] == '/') /* not "No matches found" */
            add(&a, must(strdup(path + prefix)));
    free(text);
    return sorted(a);
}

static answer mcp_tree_answer(const side *s, run r) {
    (void)s;
    answer a = {0};
    char *text = mcp_text(r);
    json_t *tree = parse(text, strlen(text));
    add_tree(&a, tree, "");
    json_decref(tree);
    free(text);
    return sorted(a);
}

/* -- Our side -- */

/* Everything there is: no limit, nothing excluded. */
static char *our_request(const char *operation, json_t *arguments) {
    json_object_set_new(arguments, "exclude_patterns", json_array());
    json_t *request = json_pack("{s:s, s:o}", "op", operation, "args", arguments);
    char *text = must(json_dumps(request, JSON_COMPACT));
    json_decref(request);
    return text;
}

static char *search_request(const char *pattern) {
    return our_request("search_files",
                       json_pack("{s:s, s:i}", "pattern", pattern, "limit", 100000000));
}

static char *tree_request(void) {
    return our_request("directory_tree", json_pack("{s:i}", "limit", 0));
}

static char *grep_request(const char *pattern, bool ignore_case) {
    return our_request("grep_files",
                       json_pack("{s:s, s:i, s:b, s:s}", "pattern", pattern, "limit", 100000000,
                                 "ignore_case", ignore_case, "output", "content"));
}

static void compare_ours(const char *row, const char *request, answer (*of_reply)(const json_t *),
                         const side *peer, double bound) {
    const char *once[] = {bench.aqfs_call, peer->directory, request, NULL};
    server core = {0};
    const side ours = {.name = "ours",
                       .directory = peer->directory,
                       .argv = bench.process ? once : NULL,
                       .server = &core,
                       .request = request,
                       .answer = ours_answer,
                       .of_reply = of_reply};
    if (!bench.process) {
        const char *loaded[] = {bench.aqfs_call, "--serve", peer->directory, NULL};
        core = start_server(loaded, peer->directory);
    }
    compare(row, &ours, peer, bound);
    if (!bench.process)
        stop_server(&core);
}

/* -- Rows: walk and find against fd -- */

static void fd_row(const char *label, const char *name, const char *directory, const char *pattern,
                   const char *const argv[]) {
    char *row = format("%s/%s", label, name), *request = search_request(pattern);
    const side peer = {.name = "fd", .directory = directory, .argv = argv, .answer = fd_answer};
    if (wanted(row) && !bench.fd)
        skip(row, "fd is not installed");
    else if (wanted(row))
        compare_ours(row, request, answer_of_search, &peer, 0.6);
    free(request);
    free(row);
}

static void fd_rows(const char *label, const char *directory) {
    const char *all[] = {bench.fd, "-uu", "-t", "f", "--color=never", NULL};
    const char *types[] = {bench.fd, "-uu", "-t", "f", "--color=never", "-g", "*.d.ts", NULL};
    fd_row(label, "walk", directory, "**", all);
    fd_row(label, "find-d.ts", directory, "**/*.d.ts", types);
}

/* -- Rows: the MCP server -- */

struct mcp_row {
    const char *name;
    const char *directory;
    char *ours; /* the requests; the row owns them */
    char *theirs;
    answer (*our_answer)(const json_t *);
    answer (*their_answer)(const side *, run);
};

static struct mcp_row mcp_find(const char *directory) {
    json_t *arguments = json_pack("{s:s, s:s}", "path", directory, "pattern", "**/*.d.ts");
    return (struct mcp_row){"find-d.ts-mcp",
                            directory,
                            search_request("**/*.d.ts"),
                            mcp_request("search_files", arguments),
                            answer_of_search,
                            mcp_search_answer};
}

static struct mcp_row mcp_tree(const char *directory) {
    json_t *arguments = json_pack("{s:s}", "path", directory);
    return (struct mcp_row){"tree-mcp",     directory,
                            tree_request(), mcp_request("directory_tree", arguments),
                            answer_of_tree, mcp_tree_answer};
}

static void compare_mcp(const char *row, const struct mcp_row *m) {
    server mcp = start_mcp(m->directory);
    const side peer = {.name = "mcp-server",
                       .directory = m->directory,
                       .server = &mcp,
                       .request = m->theirs,
                       .answer = m->their_answer};
    compare_ours(row, m->ours, m->our_answer, &peer, 0.6);
    stop_server(&mcp);
}

static void mcp_row(const char *label, struct mcp_row m) {
    char *row = format("%s/%s", label, m.name);
    if (wanted(row) && !bench.mcp)
        skip(row, "@modelcontextprotocol/server-filesystem is not installed");
    else if (wanted(row))
        compare_mcp(row, &m);
    free(row);
    free(m.ours);
    free(m.theirs);
}

static void mcp_rows(const char *label, const char *directory) {
    mcp_row(label, mcp_find(directory));
    mcp_row(label, mcp_tree(directory));
}

/* -- Rows: grep against rg -- */

struct grep_row {
    const char *name;
    const char *pattern;
    bool ignore_case;
};

static const struct grep_row grep_row[] = {
    {"grep-word", "deprecated", false},
    {"grep-frequent-word", "socket", false},
    {"grep-nothing", "no such words anywhere", false},
    {"grep-re-literal-prefix", "function\\s+\\w+\\(", false},
    {"grep-re-alternation", "deprecated|rollback|mutex", false},
    {"grep-re-class", "[A-Z][a-z]+Error", false},
    {"grep-re-gap", "import .* from", false},
    {"grep-re-ignore-case", "timeout", true},
    {"grep-re-non-ascii", "Größe", false},
    {"grep-re-word-boundary", "\\bmutex\\b", false},
};

static void grep_one(const struct grep_row *g, const char *label, const char *directory,
                     double bound) {
    char *row = format("%s/%s", label, g->name);
    char *request = grep_request(g->pattern, g->ignore_case);
    const char *argv[] = {bench.rg,
                          "-uuu",
                          "--no-config",
                          "--no-heading",
                          "--null",
                          "--line-number",
                          "--with-filename",
                          "--color",
                          "never",
                          "-e",
                          g->pattern,
                          g->ignore_case ? "-i" : "-s",
                          "./",
                          NULL};
    const side peer = {.name = "rg", .directory = directory, .argv = argv, .answer = rg_answer};
    if (wanted(row) && !bench.rg)
        skip(row, "rg is not installed");
    else if (wanted(row))
        compare_ours(row, request, answer_of_grep, &peer, bound);
    free(request);
    free(row);
}

static void grep_rows(const char *label, const char *directory, double bound) {
    for (size_t i = 0; i < LENGTH(grep_row); i++)
        grep_one(&grep_row[i], label, directory, bound);
}

/* -- Rows of our side alone: growth, memory -- */

/* What `aqfs-call --measure` says last of LABEL. */
static double measurement(run r, const char *label) {
    const char *last = NULL;
    for (const char *at = r.err; (at = strstr(at, label)); at += strlen(label))
        last = at;
    if (!last)
        die("aqfs-call did not say \"%s\": %s", label, r.err);
    return strtod(last + strlen(label), NULL);
}

static run run_measured(const char *times, const char *directory, const char *request) {
    const char *argv[] = {bench.aqfs_call, "--measure", "--times", times, directory, request, NULL};
    return run_process(argv, directory);
}

static json_int_t total_of(const char *directory, const char *request) {
    json_t *reply = our_reply(directory, request);
    json_int_t total = json_integer_value(json_object_get(reply, "total"));
    json_decref(reply);
    return total;
}

enum { FRACTIONS = 4 };

static const char *const fraction[FRACTIONS] = {"half/quarter/eighth", "half/quarter", "half", "."};

static void time_fractions(char *const directory[], const char *request, double out[]) {
    double ms[FRACTIONS][MOST_RUNS] = {{0}};
    for (int i = 0; i < bench.runs; i++) {
        for (int f = 0; f < FRACTIONS; f++) {
            run r = run_measured("3", directory[f], request);
            ms[f][i] = measurement(r, "ms ");
            free_run(r);
        }
    }
    for (int f = 0; f < FRACTIONS; f++)
        out[f] = median(ms[f], bench.runs);
}

/* Times are those of a call, not of a process, and of the third in it: what a process does once,
 * starting and filling its memory, does not grow with the tree. */
static void growth_row(const char *row, char *const directory[], const json_int_t files[],
                       char *request) {
    double ms[FRACTIONS], worst = 0;
    time_fractions(directory, request, ms);
    double whole = ms[FRACTIONS - 1] / (double)files[FRACTIONS - 1];
    for (int f = 0; f < FRACTIONS; f++) {
        double deviation = fabs(ms[f] / (double)files[f] / whole - 1);
        worst = deviation > worst ? deviation : worst;
    }
    printf("GROWTH %s %.1f %.1f %.1f %.1f %.1f%% %s\n", row, ms[0], ms[1], ms[2], ms[3],
           100 * worst, worst <= 0.15 ? "ok" : "SHORT");
    fflush(stdout);
    free(request);
}

/* What two processors make of a tree depends also on how evenly its directories divide: one of 600
 * files at the end of a small tree keeps one waiting for the other. */
static void stay_on_one_processor(void) {
    cpu_set_t allowed, one;
    size_t first = 0;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        die("sched_getaffinity: %s", strerror(errno));
    while (!CPU_ISSET(first, &allowed))
        first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0)
        die("sched_setaffinity: %s", strerror(errno));
}

static void growth_rows(const char *corpus) {
    char *directory[FRACTIONS];
    json_int_t files[FRACTIONS];
    char *all = search_request("**");
    for (int f = 0; f < FRACTIONS; f++) {
        directory[f] = format("%s/%s", corpus, fraction[f]);
        files[f] = total_of(directory[f], all);
    }
    growth_row("find", directory, files, search_request("**/*.d.ts"));
    growth_row("tree", directory, files, tree_request());
    growth_row("grep", directory, files, grep_request("deprecated", false));
    for (int f = 0; f < FRACTIONS; f++)
        free(directory[f]);
    free(all);
}

static double memory_row(const char *name, const char *directory, const char *request,
                         double bound) {
    run r = run_measured("1", directory, request);
    double mib = measurement(r, "rss-kib ") / 1024, ms = measurement(r, "ms ");
    printf("MEMORY %s %.1f %.0f %s\n", name, mib, bound, mib < bound ? "ok" : "SHORT");
    fflush(stdout);
    free_run(r);
    return ms;
}

static void free_memory_row(const char *name, const char *directory, char *request, double bound) {
    memory_row(name, directory, request, bound);
    free(request);
}

/* BIG holds numbers.txt, 5 GB of lines `1`, `2` and so on. */
static void big_file_row(const char *big) {
    const char *request = "{\"op\":\"read_file\",\"args\":{\"path\":\"numbers.txt\",\"start_line\":"
                          "10,\"end_line\":50}}";
    json_t *reply = our_reply(big, request);
    const char *content = member(reply, "content");
    if (strncmp(content, "10\n11\n", 6) != 0 || !strstr(content, "\n50")) {
        fprintf(stderr, "  read-5gb: not lines 10 to 50: %.80s\n", content);
        bench.differed = true;
    }
    json_decref(reply);
    printf("NOTE read_file of lines 10-50 of 5 GB: %.1f ms\n",
           memory_row("read-5gb", big, request, 64));
}

static void million_row(const char *million) {
    const char *request =
        "{\"op\":\"list_directory\",\"args\":{\"path\":\".\",\"exclude_patterns\":[]}}";
    json_t *reply = our_reply(million, request);
    size_t entries = json_array_size(json_object_get(reply, "entries"));
    json_int_t total = json_integer_value(json_object_get(reply, "total"));
    if (entries != 200 || !json_is_true(json_object_get(reply, "truncated"))) {
        fprintf(stderr, "  list-million: %zu entries, not 200 and truncated\n", entries);
        bench.differed = true;
    }
    json_decref(reply);
    double ms = memory_row("list-million", million, request, 200);
    printf("NOTE list_directory of a million entries: %.1f ms, %zu of %lld\n", ms, entries,
           (long long)total);
}

static void memory_rows(const char *corpus, const char *big, const char *million) {
    free_memory_row("find", corpus, search_request("**"), 200);
    free_memory_row("grep-word", corpus, grep_request("deprecated", false), 200);
    free_memory_row("grep-re", corpus, grep_request("function\\s+\\w+\\(", false), 200);
    if (*big)
        big_file_row(big);
    else
        skip("read-5gb", "the disk has no room for 5 GB");
    million_row(million);
}

/* -- Setting up -- */

/* NAME, if the path leads to a program of that name, or NULL. */
static const char *program(const char *name) {
    const char *search = getenv("PATH");
    char *path = must(strdup(search ? search : "")), *rest = path;
    const char *found = NULL;
    for (char *directory; !found && (directory = strsep(&rest, ":"));) {
        char *file = format("%s/%s", directory, name);
        if (access(file, X_OK) == 0)
            found = name;
        free(file);
    }
    free(path);
    return found;
}

static void set_up(char *self) {
    const char *runs = getenv("BENCH_RUNS");
    char *own_path = must(realpath(self, NULL));
    bench.aqfs_call = format("%s/aqfs-call", dirname(own_path));
    free(own_path);
    bench.fd = program("fdfind") ? "fdfind" : program("fd");
    bench.rg = program("rg");
    bench.mcp = getenv("BENCH_MCP");
    bench.rows = getenv("BENCH_ROWS") ? getenv("BENCH_ROWS") : "*";
    bench.process = getenv("BENCH_PROCESS");
    bench.runs = runs ? (int)strtol(runs, NULL, 10) : 9;
    if (bench.runs < 1 || bench.runs > MOST_RUNS)
        die("BENCH_RUNS: from 1 to %d", MOST_RUNS);
}

/* Absolute, as a workspace's root has to be; an empty one stays empty. */
static const char *directory_of(const char *argument) {
    if (!*argument)
        return argument;
    const char *path = realpath(argument, NULL);
    if (!path)
        die("%s: %s", argument, strerror(errno));
    return path;
}

int main(int argc, char **argv) {
    set_up(argv[0]);
    if (argc == 5 && strcmp(argv[1], "tree") == 0) {
        const char *directory = directory_of(argv[3]);
        fd_rows(argv[2], directory);
        grep_rows(argv[2], directory, strtod(argv[4], NULL));
        mcp_rows(argv[2], directory);
    } else if (argc == 5 && strcmp(argv[1], "grep") == 0) {
        grep_rows(argv[2], directory_of(argv[3]), strtod(argv[4], NULL));
    } else if (argc == 3 && strcmp(argv[1], "growth") == 0) {
        stay_on_one_processor();
        growth_rows(directory_of(argv[2]));
    } else if (argc == 5 && strcmp(argv[1], "memory") == 0) {
        memory_rows(directory_of(argv[2]), directory_of(argv[3]), directory_of(argv[4]));
    } else {
        die("usage: bench tree|grep LABEL DIR BOUND, growth DIR, memory DIR BIG MILLION");
    }
    return bench.differed;
}
