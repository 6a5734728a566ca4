/* frames.c -- lines that are no messages, and clients that stop reading, flood, or die.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cases.h"
#include "child.h"
#include "files.h"
#include "processes.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct bad_line {
    const char *line;
    long long code;
    const char *words; /* a part of the message */
    const char *id;    /* the answer's id as JSON text, or NULL */
};

static const struct bad_line bad_lines[] = {
    {"nonsense", -32700, "is no JSON", NULL},
    {"{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\"", -32700, "is no JSON", NULL},
    {"{\"jsonrpc\": \"2.0\", \"id\": 1, \"id\": 2, \"method\": \"ping\"}", -32700, "duplicate",
     NULL},
    {"\"\xFF\"", -32700, "unable to decode", NULL},
    {"{\"id\": 99999999999999999999, \"method\": \"ping\"}", -32700, "too big", NULL},
    {"5", -32600, "an object", NULL},
    {"[]", -32600, "Batches", NULL},
    {"[{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\"}]", -32600, "Batches", NULL},
    {"{\"id\": 1, \"method\": \"ping\"}", -32600, "jsonrpc", "1"},
    {"{\"jsonrpc\": \"1.0\", \"id\": \"x\", \"method\": \"ping\"}", -32600, "jsonrpc", "\"x\""},
    {"{\"jsonrpc\": \"2.0\", \"id\": null, \"method\": \"ping\"}", -32600, "id: expected", NULL},
    {"{\"jsonrpc\": \"2.0\", \"id\": 1.5, \"method\": \"ping\"}", -32600, "id: expected", NULL},
    {"{\"jsonrpc\": \"2.0\", \"id\": {}, \"method\": \"ping\"}", -32600, "id: expected", NULL},
    {"{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": 7}", -32600, "method: expected", "1"},
    {"{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\\u0000\"}", -32600, "without NUL", "1"},
    {"{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\", \"params\": []}", -32600, "params",
     "1"},
    {"{\"jsonrpc\": \"2.0\", \"id\": 1}", -32600, "expected a request", "1"},
    {"{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"no\x7fsuch\"}", -32601, "no method", "1"},
};

static void expect_fault(struct project *p, struct mcp *m, const struct bad_line *bad) {
    json_t *answer = mcp_receive(m);
    const json_t *id = json_object_get(answer, "id");
    char *got = id ? json_dumps(id, JSON_ENCODE_ANY) : NULL;
    EXPECT(p, number_at(answer, "error.code") == bad->code);
    EXPECT_PART(p, bad->words, text_at(answer, "error.message"));
    EXPECT_TEXT(p, bad->id, got);
    free(got);
    json_decref(answer);
}

/* Each is answered, and the next message is served. */
static void no_messages(struct project *p) {
    struct mcp *m = serve_legacy(p, false);
    for (size_t i = 0; i < sizeof bad_lines / sizeof *bad_lines; i++) {
        mcp_send_line(m, bad_lines[i].line);
        expect_fault(p, m, &bad_lines[i]);
    }
    json_decref(mcp_ask(m, "ping", NULL));
    END(p, m);
}

static char *repeat_char(char c, size_t n) {
    char *text = malloc(n + 1);
    memset(text, c, n);
    text[n] = '\0';
    return text;
}

static void too_long_and_too_deep(struct project *p) {
    static const struct bad_line deep = {"", -32700, "nested too deeply", NULL},
                                 longer = {"", -32700, "longer than 67108864 bytes", NULL};
    struct mcp *m = serve_legacy(p, false);
    char *brackets = repeat_char('[', 100000), *spaces = repeat_char('x', (size_t)1 << 20);
    mcp_send_line(m, brackets);
    expect_fault(p, m, &deep);
    for (int i = 0; i < 100; i++)
        mcp_send_bytes(m, spaces, (size_t)1 << 20);
    mcp_send_bytes(m, "\n", 1);
    expect_fault(p, m, &longer);
    json_decref(mcp_ask(m, "ping", NULL));
    END(p, m);
    free(brackets);
    free(spaces);
}

/* Bytes come as they like. */
static void in_pieces(struct project *p) {
    static const char two[] = "\n \r\n{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"ping\"}\r\n"
                              "{\"jsonrpc\":\"2.0\",\"id\":\"b\",\"method\":\"ping\"}\n";
    struct mcp *m = serve_legacy(p, false);
    for (size_t i = 0; i < sizeof two - 1; i++)
        mcp_send_bytes(m, &two[i], 1);
    mcp_send_bytes(m, two, sizeof two - 1);
    for (int i = 0; i < 4; i++) {
        json_t *answer = mcp_receive(m);
        EXPECT_TEXT(p, i % 2 ? "b" : "a", text_at(answer, "id"));
        json_decref(answer);
    }
    /* A last line may lack its end. */
    mcp_send_bytes(m, two + 4, strcspn(two + 4, "\r"));
    (void)close(m->in);
    m->in = -1;
    json_t *last = mcp_receive(m);
    EXPECT_TEXT(p, "a", text_at(last, "id"));
    json_decref(last);
    END(p, m);
}

static void same_id_twice(struct project *p) {
    static const struct bad_line known = {"", -32600, "has not been answered yet", "7"};
    struct mcp *m = serve_legacy(p, true);
    mcp_send_line(m, "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":"
                     "\"delete_file\",\"arguments\":{\"path\":\"a.txt\"}}}");
    json_decref(mcp_receive(m)); /* the question: the call waits */
    mcp_send_line(m, "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}");
    expect_fault(p, m, &known);
    END(p, m);
}

/* -- clients that are no good ------------------------------------------------------------------ */

/* Until the pipe FD holds as much as a pipe does. */
static void wait_until_full(int fd) {
    const struct timespec moment = {.tv_nsec = 1000000};
    int n = 0;
    while (ioctl(fd, FIONREAD, &n) == 0 && n < 60000)
        (void)nanosleep(&moment, NULL);
}

/* The writer waits; the program reads no more than it can keep, and then answers all. */
static void stops_reading(struct project *p) {
    enum { CALLS = 600 };
    char *big = repeat_char('b', 200000);
    make_file(project_file(p, "big.txt"), big);
    struct mcp *m = serve_legacy(p, false);
    pid_t writer = start_child();
    if (writer == 0) {
        for (int i = 0; i < CALLS; i++)
            (void)mcp_request(
                m, "tools/call",
                json_pack("{s:s, s:{s:s}}", "name", "read_file", "arguments", "path", "big.txt"));
        _exit(0);
    }
    json_t *first = mcp_receive(m);
    json_decref(first);
    wait_until_full(m->out);
    for (int i = 1; i < CALLS; i++) {
        json_t *answer = mcp_receive(m);
        EXPECT(p, answer && !is_error(answer));
        json_decref(answer);
    }
    EXPECT(p, process_peak_kb(m->pid) < 300000);
    EXPECT(p, end_child(writer) == 0);
    END(p, m);
    free(big);
}

static void many_calls(struct project *p) {
    enum { CALLS = 2000 };
    struct mcp *m = serve_legacy(p, false);
    bool seen[CALLS + 2] = {false};
    pid_t writer = start_child();
    if (writer == 0) {
        for (int i = 0; i < CALLS; i++)
            (void)mcp_request(
                m, "tools/call",
                json_pack("{s:s, s:{s:s}}", "name", "read_file", "arguments", "path", "a.txt"));
        _exit(0);
    }
    for (int i = 0; i < CALLS; i++) {
        json_t *answer = mcp_receive(m);
        long long id = number_at(answer, "id");
        if (EXPECT(p, id > 1 && id <= CALLS + 1))
            EXPECT(p, !seen[id]);
        seen[id] = true;
        json_decref(answer);
    }
    EXPECT(p, end_child(writer) == 0);
    END(p, m);
}

/* -- many calls -------------------------------------------------------------------------------- */

/* A process's holdings: descriptors, threads, resident KB. */
struct holdings {
    int descriptors, threads;
    long kb;
};

static int count_entries(pid_t pid, const char *what) {
    char *path = path_of("/proc/%d/%s", (int)pid, what);
    DIR *entries = opendir(path);
    int n = 0;
    while (entries && readdir(entries))
        n++;
    if (entries)
        (void)closedir(entries);
    free(path);
    return n;
}

static struct holdings holdings_of(const struct mcp *m) {
    struct holdings h = {.descriptors = count_entries(m->pid, "fd"),
                         .threads = count_entries(m->pid, "task")};
    char *path = path_of("/proc/%d/statm", (int)m->pid);
    FILE *f = fopen(path, "r");
    long whole;
    if (!f || fscanf(f, "%ld %ld", &whole, &h.kb) != 2)
        h.kb = -1;
    h.kb *= sysconf(_SC_PAGESIZE) / 1024;
    if (f)
        (void)fclose(f);
    free(path);
    return h;
}

/* An id may be used again as soon as its answer is there. */
static void ids_again(struct project *p) {
    struct mcp *m = serve_legacy(p, false);
    for (int i = 0; i < 3000 && !p->faults; i++) {
        m->next_id = 6;
        json_t *answer = mcp_call(m, "read_file", json_pack("{s:s}", "path", "a.txt"));
        EXPECT_TEXT(p, NULL, text_at(answer, "error.message"));
        json_decref(answer);
    }
    END(p, m);
}

/* One of the calls that an agent makes: most are answered, some refused. */
static void make_call(struct project *p, struct mcp *m, int i) {
    const char *old = i / 6 % 2 ? "three" : "one", *new = i / 6 % 2 ? "one" : "three";
    json_t *answer;
    switch (i % 6) {
    case 0:
        answer =
            mcp_call(m, "edit_file",
                     json_pack("{s:s, s:s, s:s}", "path", "a.txt", "old_str", old, "new_str", new));
        EXPECT(p, !is_error(answer));
        break;
    case 1:
        answer = mcp_call(m, "read_file", json_pack("{s:s}", "path", "a.txt"));
        EXPECT(p, !is_error(answer));
        break;
    case 2:
        answer = mcp_call(m, "delete_file", json_pack("{s:s}", "path", "a.txt"));
        EXPECT(p, is_error(answer));
        break;
    case 3:
        answer = mcp_call(m, "grep_files", json_pack("{s:s}", "pattern", "one|three"));
        EXPECT(p, !is_error(answer));
        break;
    case 4:
        answer = mcp_ask(m, "resources/list", NULL);
        EXPECT(p, at_path(answer, "result.resources"));
        break;
    default:
        answer = mcp_call(m, "no_such_tool", json_object());
        EXPECT(p, number_at(answer, "error.code") == -32602);
    }
    json_decref(answer);
}

/* After many calls, no more is held than before them. */
static void calls_leave_nothing(struct project *p) {
    enum { CALLS = 10000 };
    struct mcp *m = serve_legacy(p, false);
    for (int i = 0; i < 600; i++)
        make_call(p, m, i);
    struct holdings before = holdings_of(m);
    for (int i = 0; i < CALLS && !p->faults; i++)
        make_call(p, m, i);
    struct holdings after = holdings_of(m);
    EXPECT(p, before.descriptors == after.descriptors);
    EXPECT(p, before.threads == after.threads);
    /* Freed memory is in pieces: some pages more are no leak. */
    if (!EXPECT(p, after.kb - before.kb < 1024))
        printf("  %ld KB became %ld KB by %d calls\n", before.kb, after.kb, CALLS);
    END(p, m);
}

static void dies(struct project *p) {
    struct mcp *m = serve_legacy(p, true);
    (void)mcp_request(
        m, "tools/call",
        json_pack("{s:s, s:{s:s}}", "name", "delete_file", "arguments", "path", "a.txt"));
    json_decref(mcp_receive(m));
    (void)close(m->in);
    (void)close(m->out);
    m->in = m->out = -1;
    EXPECT(p, mcp_end(m) == 0);
    EXPECT_TEXT(p, "one\ntwo\n", text_of(project_file(p, "a.txt")));
}

static void told_to_end(struct project *p) {
    static const int signals[] = {SIGTERM, SIGINT, SIGHUP};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct mcp *m = serve_legacy(p, false);
        (void)kill(m->pid, signals[i]);
        EXPECT(p, mcp_receive(m) == NULL);
        EXPECT(p, mcp_end(m) == 0);
    }
}

/* -- the command line -------------------------------------------------------------------------- */

static void wrong_options(struct project *p) {
    static const char *const wrong[][3] = {{"--root", "/nonexistent", NULL},
                                           {"--colour", "red", NULL},
                                           {"--authority", "all", NULL},
                                           {"--root", NULL, NULL},
                                           {"--tools", "coding,x", NULL},
                                           {"--option", "x", NULL},
                                           {"--option", "nope=1", NULL},
                                           {"--read-only=yes", NULL},
                                           {NULL}};
    int null[2];
    EXPECT(p, pipe(null) == 0);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        bool needs_root = wrong[i][0] && strcmp(wrong[i][0], "--root") != 0;
        const char *args[6] = {wrong[i][0], wrong[i][1], NULL};
        if (needs_root && wrong[i][1]) {
            args[2] = "--root";
            args[3] = p->root;
        }
        struct mcp *m = mcp_start(args, null[1]);
        int status = mcp_end(m);
        EXPECT(p, WIFEXITED(status) && WEXITSTATUS(status) == 2);
    }
    (void)close(null[0]);
    (void)close(null[1]);
}

const struct mcp_case frame_cases[] = {{"frames/no-messages", no_messages},
                                       {"frames/too-long-and-too-deep", too_long_and_too_deep},
                                       {"frames/in-pieces", in_pieces},
                                       {"frames/same-id-twice", same_id_twice},
                                       {"clients/stops-reading", stops_reading},
                                       {"clients/many-calls", many_calls},
                                       {"clients/calls-leave-nothing", calls_leave_nothing},
                                       {"clients/ids-again", ids_again},
                                       {"clients/dies", dies},
                                       {"clients/told-to-end", told_to_end},
                                       {"command-line/wrong-options", wrong_options},
                                       {NULL, NULL}};
