/* SPDX-License-Identifier: MIT */
/* fuzz_mcp.c -- any bytes from a client get lines of JSON-RPC, and nothing is left of them. */
#include "fuzz.h"
#include "messages.h"

#include <string.h>

static struct server server;
static struct settings settings = {.authority = TIER_CAUTIOUS, .tools = "all"};

/* Without threads: what is queued is served here, and what is written stays in the box. */
static void start(void) {
    static const char options[] = "{\"backend\": \"memory\", \"limits\": {\"threads\": 1}}";
    struct error e;
    server.settings = &settings;
    server.root = strdup("");
    server.wake = -1;
    server.heard.ending = true; /* no file is watched */
    server.in.most = 200;
    pthread_mutex_init(&server.lock, NULL);
    pthread_cond_init(&server.changed, NULL);
    pthread_mutex_init(&server.out.lock, NULL);
    pthread_cond_init(&server.out.changed, NULL);
    audit_open(&server.audit, NULL, "");
    aqfs_reply_free(aqfs_open(options, sizeof options - 1, AQFS_JSON, &server.ws));
    PROMISE(server.ws && server.root);
    PROMISE(toolbox_open(&server.box, settings.tools, true, &e) == AQFS_OK);
}

/* A client that has shaken hands, or not, and can ask a person, or not. */
static void begin(uint8_t how) {
    server.initialized = how & 1;
    server.session = (struct speaker){.era = ERA_LEGACY, .can_ask = how & 2};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    aqfs_reply_free(server.ws ? aqfs_reset(server.ws, AQFS_JSON) : (start(), NULL));
    if (size < 2)
        return 0;
    begin(data[0]);
    const char *bytes = (const char *)data + 2;
    size_t n = size - 2, first = n ? data[1] % (n + 1) : 0;
    frames_feed(&server.in, bytes, first, session_take, &server);
    while (flights_work_once(&server))
        ;
    frames_feed(&server.in, bytes + first, n - first, session_take, &server);
    frames_end(&server.in, session_take, &server);
    while (flights_work_once(&server))
        ;
    subscriptions_free(&server);
    check_messages(&server.out, NULL);
    flights_free(&server);
    memset(server.counts, 0, sizeof server.counts);
    server.bytes = 0;
    PROMISE(!server.in.line.data && !server.in.skipping);
    return 0;
}
