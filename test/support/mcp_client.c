/* mcp_client.c -- the built program agent-q-fs, spoken to through pipes: see mcp_client.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "mcp_client.h"

#include "child.h"
#include "die.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define META "io.modelcontextprotocol/"

const char *mcp_program(void) {
    static char path[PATH_MAX];
    const char *build = getenv("BUILD");
    char given[PATH_MAX];
    (void)snprintf(given, sizeof given, "%s/agent-q-fs", build ? build : "build");
    if (!path[0] && !realpath(given, path))
        die_of(given);
    return path;
}

static void become_program(const char *command, const char *const args[], int in, int out,
                           int errors) {
    const char *words[64] = {mcp_program(), command};
    size_t n = 2;
    for (; *args && n < 63; args++)
        words[n++] = *args;
    (void)dup2(in, STDIN_FILENO);
    (void)dup2(out, STDOUT_FILENO);
    if (errors >= 0)
        (void)dup2(errors, STDERR_FILENO);
    const char *far = strcmp(command, "serve") == 0 ? getenv("FAR") : NULL;
    if (far)
        (void)execl("/bin/sh", "sh", "-c", far, (char *)NULL);
    else
        (void)execv(words[0], (char *const *)words);
    die_of(words[0]);
}

struct mcp *mcp_start(const char *const args[], int errors) {
    return program_start("mcp", args, errors);
}

struct mcp *program_start(const char *command, const char *const args[], int errors) {
    struct mcp *m = calloc(1, sizeof *m);
    int to[2], from[2];
    if (!m || pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0)
        die_of("pipe2");
    m->pid = start_child();
    if (m->pid == 0)
        become_program(command, args, to[0], from[1], errors);
    (void)close(to[0]);
    (void)close(from[1]);
    m->in = to[1];
    m->out = from[0];
    return m;
}

/* -- messages ---------------------------------------------------------------------------------- */

void mcp_send_bytes(struct mcp *m, const char *bytes, size_t n) {
    while (n > 0) {
        ssize_t done = write(m->in, bytes, n);
        if (done < 0 && errno == EINTR)
            continue;
        must(done > 0, "writing to agent-q-fs");
        bytes += done;
        n -= (size_t)done;
    }
}

void mcp_send_line(struct mcp *m, const char *line) {
    mcp_send_bytes(m, line, strlen(line));
    mcp_send_bytes(m, "\n", 1);
}

void mcp_send(struct mcp *m, json_t *message) {
    char *line = json_dumps(message, JSON_COMPACT);
    if (!line)
        die("json_dumps: there is no memory");
    mcp_send_line(m, line);
    free(line);
    json_decref(message);
}

static json_t *take_line(struct mcp *m, size_t n) {
    json_error_t problem;
    json_t *message =
        json_loadb(m->read.data, n, JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, &problem);
    if (!message)
        die("agent-q-fs wrote what is no JSON (%s): %.*s", problem.text, (int)n, m->read.data);
    m->read.len -= n + 1;
    memmove(m->read.data, m->read.data + n + 1, m->read.len);
    return message;
}

json_t *mcp_receive(struct mcp *m) {
    static char piece[65536];
    for (;;) {
        const char *newline = m->read.len ? memchr(m->read.data, '\n', m->read.len) : NULL;
        if (newline)
            return take_line(m, (size_t)(newline - m->read.data));
        ssize_t n = read(m->out, piece, sizeof piece);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return NULL;
        buf_add(&m->read, piece, (size_t)n);
    }
}

static json_t *own_meta(const struct mcp *m) {
    return json_pack("{s:s, s:{s:s, s:s}, s:o}", META "protocolVersion", "2026-07-28",
                     META "clientInfo", "name", "test", "version", "1", META "clientCapabilities",
                     m->asks ? json_pack("{s:{s:{}}}", "elicitation", "form") : json_object());
}

int mcp_request(struct mcp *m, const char *method, json_t *params) {
    int id = ++m->next_id;
    if (!params)
        params = json_object();
    if (m->era == MCP_MODERN) {
        json_t *meta = own_meta(m);
        json_object_update_missing(meta, json_object_get(params, "_meta"));
        json_object_set_new(params, "_meta", meta);
    }
    mcp_send(m, json_pack("{s:s, s:i, s:s, s:o}", "jsonrpc", "2.0", "id", id, "method", method,
                          "params", params));
    return id;
}

json_t *mcp_answer(struct mcp *m, int id) {
    for (;;) {
        json_t *message = mcp_receive(m);
        if (!message)
            die("agent-q-fs ended before it answered request %d", id);
        const json_t *of = json_object_get(message, "id");
        if (!json_object_get(message, "method") && json_is_integer(of) &&
            json_integer_value(of) == id)
            return message;
        json_decref(message);
    }
}

json_t *mcp_ask(struct mcp *m, const char *method, json_t *params) {
    return mcp_answer(m, mcp_request(m, method, params));
}

json_t *mcp_call(struct mcp *m, const char *tool, json_t *args) {
    return mcp_ask(m, "tools/call", json_pack("{s:s, s:o}", "name", tool, "arguments", args));
}

json_t *mcp_initialize(struct mcp *m, const char *version, const char *capabilities) {
    json_t *answer = mcp_ask(m, "initialize",
                             json_pack("{s:s, s:o, s:{s:s, s:s}}", "protocolVersion", version,
                                       "capabilities", json_loads(capabilities, 0, NULL),
                                       "clientInfo", "name", "test", "version", "1"));
    m->era = MCP_LEGACY;
    mcp_send_line(m, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
    return answer;
}

void mcp_be_modern(struct mcp *m, bool asks) {
    m->era = MCP_MODERN;
    m->asks = asks;
}

int mcp_end(struct mcp *m) {
    json_t *message;
    if (m->in >= 0)
        (void)close(m->in);
    while (m->out >= 0 && (message = mcp_receive(m)) != NULL)
        json_decref(message);
    if (m->out >= 0)
        (void)close(m->out);
    int status = end_child(m->pid);
    buf_free(&m->read);
    free(m);
    return status;
}
