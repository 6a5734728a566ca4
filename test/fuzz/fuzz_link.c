/* SPDX-License-Identifier: MIT */
/* fuzz_link.c -- whatever comes from Emacs' end of the socket, a client gets lines of JSON-RPC: one
 * answer to each of its calls, and nothing is left behind. */
#include "fuzz.h"
#include "messages.h"

#include <string.h>

enum { CALLS = 4 };

static struct server server;
static struct link connection;
static struct settings settings = {
    .authority = TIER_CAUTIOUS, .tools = "coding", .emacs = true, .text_only = true};

static void make_box(struct outbox *box) {
    pthread_mutex_init(&box->lock, NULL);
    pthread_cond_init(&box->changed, NULL);
}

/* Without threads: what is queued is served here, and what is written stays in the boxes. */
static void start(void) {
    struct error e;
    server.settings = &settings;
    server.wake = -1;
    server.heard.ending = true; /* no file is watched */
    server.in.most = 1000;
    server.link = &connection;
    pthread_mutex_init(&server.lock, NULL);
    pthread_cond_init(&server.changed, NULL);
    pthread_mutex_init(&connection.lock, NULL);
    pthread_cond_init(&connection.changed, NULL);
    make_box(&server.out);
    make_box(&connection.out);
    audit_open(&server.audit, NULL, "");
    PROMISE(toolbox_open(&server.box, settings.tools, false, &e) == AQFS_OK);
    connection.take = far_take;
    connection.greet = far_welcome;
    connection.lost = far_lost;
    connection.data = &server;
}

static void say_line(const char *line) {
    frames_feed(&server.in, line, strlen(line), session_take, &server);
}

/* A client that waits for calls, some of them with their progress, and listens. */
static void begin(void) {
    static const char modern[] = "\"_meta\":{\"progressToken\":\"t\",\"io.modelcontextprotocol/"
                                 "protocolVersion\":\"2026-07-28\","
                                 "\"io.modelcontextprotocol/clientCapabilities\":{}}";
    char line[600];
    server.initialized = true;
    server.listed = true;
    server.session = (struct speaker){.era = ERA_LEGACY};
    server.root = strdup("");
    connection.state = LINK_UP;
    connection.fd = -1;
    connection.in = (struct frames){.most = 200};
    for (int i = 1; i <= CALLS; i++) {
        (void)snprintf(
            line, sizeof line,
            "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":{\"name\":"
            "\"read_file\",%s}}\n",
            i, i % 2 ? modern : "\"arguments\":{}");
        say_line(line);
    }
    (void)snprintf(
        line, sizeof line,
        "{\"jsonrpc\":\"2.0\",\"id\":99,\"method\":\"subscriptions/listen\",\"params\":{%s,"
        "\"notifications\":{\"toolsListChanged\":true}}}\n",
        modern);
    say_line(line);
    while (flights_work_once(&server))
        ;
    PROMISE(server.counts[FLIGHT_SENT] == CALLS);
}

static void end(void) {
    far_lost(&server);
    while (flights_work_once(&server))
        ;
    PROMISE(!server.flights && server.bytes == 0);
    subscriptions_free(&server);
    link_drop(&connection);
    buf_free(&connection.out.waiting);
    buf_free(&server.far_tools);
    free(server.root);
    server.sendings = 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!server.link)
        start();
    if (size < 2)
        return 0;
    begin();
    if (data[0] & 1)
        connection.state = LINK_SHAKING;
    const char *bytes = (const char *)data + 2;
    size_t n = size - 2, first = n ? data[1] % (n + 1) : 0;
    link_feed(&connection, bytes, first);
    while (flights_work_once(&server))
        ;
    link_feed(&connection, bytes + first, n - first);
    end();
    unsigned answers[100] = {0};
    check_messages(&server.out, answers);
    for (int i = 1; i <= CALLS; i++)
        PROMISE(answers[i] == 1);
    return 0;
}
