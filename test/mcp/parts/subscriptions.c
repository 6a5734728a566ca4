/* subscriptions.c -- resources that a client wants to hear of.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cases.h"
#include "files.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The URI of NAME in the project; valid until the next call. */
static const char *uri_of(const struct project *p, const char *name) {
    static char uri[4200];
    (void)snprintf(uri, sizeof uri, "file://%s/%s", p->root, name);
    return uri;
}

static json_t *subscribe(struct mcp *m, const char *how, const char *uri) {
    return mcp_ask(m, how, json_pack("{s:s}", "uri", uri));
}

/* Subscribes to NAME; the code of the error, or 0. */
static long long begin_subscription(const struct project *p, struct mcp *m, const char *name) {
    json_t *answer = subscribe(m, "resources/subscribe", uri_of(p, name));
    long long code = number_at(answer, "error.code");
    json_decref(answer);
    return code;
}

/* The next message is that NAME has changed, for the listening ID (0 for none). */
static void expect_updated(struct project *p, struct mcp *m, const char *name, int id, int line) {
    json_t *message = mcp_receive(m);
    expect_text(p, "notifications/resources/updated", text_at(message, "method"), line);
    expect_text(p, uri_of(p, name), text_at(message, "params.uri"), line);
    const json_t *meta = at_path(message, "params._meta");
    const json_t *of = json_object_get(meta, "io.modelcontextprotocol/subscriptionId");
    expect_at(p, json_integer_value(of) == id && (id || !meta), line, "the listening's id");
    json_decref(message);
}
#define EXPECT_UPDATED(p, m, name) expect_updated(p, m, name, 0, __LINE__)

/* Replaces the file NAME by one with TEXT, at once: nobody sees a part of it. */
static void put_file(const struct project *p, const char *name, const char *text) {
    char *other = path_of("%s/other", p->base);
    make_file(other, text);
    make_parents(project_file(p, name));
    (void)rename(other, project_file(p, name));
    free(other);
}

/* Nothing is told but of the file `last`, which is subscribed to.  The second time, all that is
 * older was looked at. */
static void expect_quiet(struct project *p, struct mcp *m, int line) {
    put_file(p, "last", "once");
    expect_updated(p, m, "last", 0, line);
    put_file(p, "last", "twice");
    expect_updated(p, m, "last", 0, line);
}

static void write_over(const struct project *p, const char *name, char first) {
    FILE *f = fopen(project_file(p, name), "r+");
    if (f) {
        (void)fputc(first, f);
        (void)fclose(f);
    }
}

/* However a file changes, it is told once, and only when its bytes are others. */
static void told_of_each_change(struct project *p) {
    struct mcp *m = serve_legacy(p, false);
    put_file(p, "last", "1");
    EXPECT(p, begin_subscription(p, m, "a.txt") == 0);
    EXPECT(p, begin_subscription(p, m, "a.txt") == 0); /* the same once more */
    EXPECT(p, begin_subscription(p, m, "last") == 0);
    write_over(p, "a.txt", 'X');
    EXPECT_UPDATED(p, m, "a.txt");
    put_file(p, "a.txt", "another one\n");
    EXPECT_UPDATED(p, m, "a.txt");
    (void)unlink(project_file(p, "a.txt"));
    EXPECT_UPDATED(p, m, "a.txt");
    put_file(p, "a.txt", "back\n");
    EXPECT_UPDATED(p, m, "a.txt");
    put_file(p, "a.txt", "back\n"); /* the same bytes */
    (void)chmod(project_file(p, "a.txt"), 0600);
    put_file(p, "beside", "nobody listens\n");
    expect_quiet(p, m, __LINE__);
    END(p, m);
}

/* Requests that come together for one file are one subscription. */
static void requests_at_once(struct project *p) {
    enum { FILES = 30, REQUESTS = 12 };
    char name[40];
    struct mcp *m = serve_legacy(p, false);
    put_file(p, "last", "1");
    EXPECT(p, begin_subscription(p, m, "last") == 0);
    for (int i = 0; i < FILES; i++) {
        (void)snprintf(name, sizeof name, "f%d", i);
        put_file(p, name, "1");
        for (int k = 0; k < REQUESTS; k++)
            (void)mcp_request(m, "resources/subscribe", json_pack("{s:s}", "uri", uri_of(p, name)));
    }
    for (int i = 0; i < FILES * REQUESTS; i++) {
        json_t *answer = mcp_receive(m);
        EXPECT(p, at_path(answer, "result") != NULL);
        json_decref(answer);
    }
    for (int i = 0; i < FILES; i++) {
        (void)snprintf(name, sizeof name, "f%d", i);
        put_file(p, name, "2");
        EXPECT_UPDATED(p, m, name);
    }
    expect_quiet(p, m, __LINE__);
    END(p, m);
}

/* Its own edit, by a tool, is a change, too. */
static void told_of_an_edit(struct project *p) {
    struct mcp *m = serve_legacy(p, false);
    EXPECT(p, begin_subscription(p, m, "a.txt") == 0);
    int id = mcp_request(m, "tools/call",
                         json_pack("{s:s, s:{s:s, s:s, s:s}}", "name", "edit_file", "arguments",
                                   "path", "a.txt", "old_str", "one", "new_str", "three"));
    bool answered = false, updated = false;
    while (!answered || !updated) {
        json_t *message = mcp_receive(m);
        answered = answered || number_at(message, "id") == id;
        updated = updated || text_at(message, "params.uri");
        json_decref(message);
    }
    END(p, m);
}

static void told_no_more(struct project *p) {
    struct mcp *m = serve_legacy(p, false);
    put_file(p, "last", "1");
    EXPECT(p, begin_subscription(p, m, "a.txt") == 0);
    EXPECT(p, begin_subscription(p, m, "last") == 0);
    json_decref(subscribe(m, "resources/unsubscribe", uri_of(p, "a.txt")));
    json_t *again = subscribe(m, "resources/unsubscribe", uri_of(p, "a.txt"));
    EXPECT(p, json_object_size(at_path(again, "result")) == 0 && at_path(again, "result"));
    json_decref(again);
    put_file(p, "a.txt", "changed\n");
    expect_quiet(p, m, __LINE__);
    END(p, m);
}

/* A directory that leads to the file may go, and come back. */
static void directories_that_go(struct project *p) {
    put_file(p, "d/e/f", "1");
    char *away = path_of("%s/away", p->base);
    struct mcp *m = serve_legacy(p, false);
    EXPECT(p, begin_subscription(p, m, "d/e/f") == 0);
    (void)rename(project_file(p, "d"), away);
    EXPECT_UPDATED(p, m, "d/e/f");
    put_file(p, "d/e/f", "2");
    EXPECT_UPDATED(p, m, "d/e/f");
    remove_all(project_file(p, "d"));
    EXPECT_UPDATED(p, m, "d/e/f");
    (void)rename(away, project_file(p, "d"));
    EXPECT_UPDATED(p, m, "d/e/f");
    put_file(p, "d/e/f", "3");
    EXPECT_UPDATED(p, m, "d/e/f");
    free(away);
    END(p, m);
}

/* A link to a file is that file; what it leads to is watched. */
static void through_links(struct project *p) {
    put_file(p, "real/f", "1");
    make_link(project_file(p, "link"), "real/f");
    struct mcp *m = serve_legacy(p, false);
    EXPECT(p, begin_subscription(p, m, "link") == 0);
    put_file(p, "real/f", "2");
    EXPECT_UPDATED(p, m, "link");
    put_file(p, "real/g", "3");
    (void)unlink(project_file(p, "link"));
    EXPECT_UPDATED(p, m, "link");
    make_link(project_file(p, "link"), "real/g");
    EXPECT_UPDATED(p, m, "link");
    put_file(p, "real/g", "4");
    EXPECT_UPDATED(p, m, "link");
    END(p, m);
}

/* A file that may not be read gives nothing, by its name or by a link put in between. */
static void places_that_give_nothing(struct project *p) {
    put_file(p, ".env", "KEY=1\n");
    put_file(p, "hidden/f", "1");
    put_file(p, "last", "1");
    char *outside = path_of("%s/outside", p->base);
    make_file(outside, "1");
    struct mcp *m = SERVE(p, "--restricted-path", "hidden");
    json_decref(mcp_initialize(m, "2025-11-25", "{}"));
    EXPECT(p, begin_subscription(p, m, ".env") == -32602);
    EXPECT(p, begin_subscription(p, m, "hidden/f") == -32602);
    EXPECT(p, begin_subscription(p, m, "../outside") == -32602);
    EXPECT(p, begin_subscription(p, m, "none") == -32002);
    EXPECT(p, begin_subscription(p, m, "") == -32602); /* a directory */
    EXPECT(p, begin_subscription(p, m, "last") == 0);
    EXPECT(p, begin_subscription(p, m, "a.txt") == 0);
    (void)unlink(project_file(p, "a.txt"));
    EXPECT_UPDATED(p, m, "a.txt");
    make_link(project_file(p, "a.txt"), ".env");
    EXPECT_UPDATED(p, m, "a.txt"); /* it cannot be read any more */
    put_file(p, ".env", "KEY=2\n");
    put_file(p, "hidden/f", "2");
    make_file(outside, "2");
    expect_quiet(p, m, __LINE__);
    free(outside);
    END(p, m);
}

static void no_more_than_a_bound(struct project *p) {
    struct mcp *m = serve_legacy(p, false);
    char name[40];
    long long code = 0;
    int n = 0;
    for (; n < 300 && !code; n++) {
        (void)snprintf(name, sizeof name, "d%d/f", n);
        make_file(project_file(p, name), "");
        code = begin_subscription(p, m, name);
    }
    EXPECT(p, n == 257 && code == -32603);
    json_decref(subscribe(m, "resources/unsubscribe", uri_of(p, "d0/f")));
    EXPECT(p, begin_subscription(p, m, name) == 0);
    END(p, m);
}

/* How many directories the program watches. */
static int count_watches(const struct mcp *m) {
    char command[200], line[40] = "";
    (void)snprintf(command, sizeof command, "grep -sh '^inotify' /proc/%d/fdinfo/* | wc -l",
                   (int)m->pid);
    FILE *f = popen(command, "r");
    if (!f || !fgets(line, sizeof line, f))
        line[0] = '\0';
    if (f)
        (void)pclose(f);
    return (int)strtol(line, NULL, 10);
}

/* Where LEVELS directories below NAME lead to a file; valid until the next call. */
static const char *deep_file(int levels, const char *name) {
    static char path[400];
    int n = snprintf(path, sizeof path, "%s", name);
    for (int i = 1; i < levels; i++)
        n += snprintf(path + n, sizeof path - (size_t)n, "/d");
    (void)snprintf(path + n, sizeof path - (size_t)n, "/f");
    return path;
}

/* A file that cannot be watched any more is looked at all the same. */
static void more_directories_than_can_be_watched(struct project *p) {
    enum { LEVELS = 40 };
    struct mcp *m = serve_legacy(p, false);
    char name[40];
    long long code = 0;
    put_file(p, "real", "1");
    put_file(p, deep_file(LEVELS + 1, "deep"), "2");
    make_link(project_file(p, "link"), "real");
    EXPECT(p, begin_subscription(p, m, "link") == 0);
    for (int n = 0; n < 250 && !code; n++) {
        (void)snprintf(name, sizeof name, "n%d", n);
        make_file(project_file(p, deep_file(LEVELS, name)), "");
        code = begin_subscription(p, m, deep_file(LEVELS, name));
    }
    EXPECT(p, code == -32603);
    (void)unlink(project_file(p, "link"));
    EXPECT_UPDATED(p, m, "link");
    make_link(project_file(p, "link"), deep_file(LEVELS + 1, "deep"));
    EXPECT_UPDATED(p, m, "link");
    put_file(p, deep_file(LEVELS + 1, "deep"), "3");
    EXPECT_UPDATED(p, m, "link");
    END(p, m);
}

static void nothing_is_left(struct project *p) {
    struct mcp *m = serve_legacy(p, false);
    char name[40];
    for (int i = 0; i < 20; i++) {
        (void)snprintf(name, sizeof name, "d%d/f", i);
        make_file(project_file(p, name), "");
        EXPECT(p, begin_subscription(p, m, name) == 0);
    }
    EXPECT(p, count_watches(m) == 21);
    for (int i = 0; i < 20; i++) {
        (void)snprintf(name, sizeof name, "d%d/f", i);
        json_decref(subscribe(m, "resources/unsubscribe", uri_of(p, name)));
    }
    EXPECT(p, count_watches(m) == 0);
    END(p, m);
}

/* -- since 2026-07-28 -------------------------------------------------------------------------- */

/* Listens to what FILTER, JSON, says, and takes the acknowledgment, which comes first. */
static json_t *begin_listening(struct project *p, struct mcp *m, json_t *filter, int *id) {
    *id = mcp_request(m, "subscriptions/listen", json_pack("{s:o}", "notifications", filter));
    json_t *first = mcp_receive(m);
    EXPECT_TEXT(p, "notifications/subscriptions/acknowledged", text_at(first, "method"));
    const json_t *of =
        json_object_get(at_path(first, "params._meta"), "io.modelcontextprotocol/subscriptionId");
    EXPECT(p, json_integer_value(of) == *id);
    return first;
}

static void cancel_listening(struct mcp *m, int id) {
    mcp_send(m, json_pack("{s:s, s:s, s:{s:i}}", "jsonrpc", "2.0", "method",
                          "notifications/cancelled", "params", "requestId", id));
}

static json_t *filter_of(const struct project *p, const char *name) {
    return json_pack("{s:[s]}", "resourceSubscriptions", uri_of(p, name));
}

static void listening(struct project *p) {
    int one, two;
    put_file(p, "b.txt", "1");
    put_file(p, ".env", "KEY=1\n");
    struct mcp *m = serve_modern(p, false);
    json_t *filter = json_pack("{s:b, s:b, s:b}", "toolsListChanged", 1, "promptsListChanged", 1,
                               "resourcesListChanged", 1);
    json_t *uris = json_array();
    const char *const names[] = {"a.txt", ".env", "none", "a.txt"};
    for (size_t i = 0; i < 4; i++)
        json_array_append_new(uris, json_string(uri_of(p, names[i])));
    json_object_set_new(filter, "resourceSubscriptions", uris);
    json_t *first = begin_listening(p, m, filter, &one);
    const json_t *honoured = at_path(first, "params.notifications");
    EXPECT(p, json_object_size(honoured) == 1); /* the lists of this server do not change */
    EXPECT(p, json_array_size(json_object_get(honoured, "resourceSubscriptions")) == 1);
    EXPECT_TEXT(p, uri_of(p, "a.txt"), text_at(honoured, "resourceSubscriptions.0"));
    json_decref(begin_listening(p, m, filter_of(p, "b.txt"), &two));
    put_file(p, "a.txt", "2");
    expect_updated(p, m, "a.txt", one, __LINE__);
    put_file(p, "b.txt", "2");
    expect_updated(p, m, "b.txt", two, __LINE__);
    cancel_listening(m, one);
    put_file(p, "a.txt", "3");
    put_file(p, "b.txt", "3");
    expect_updated(p, m, "b.txt", two, __LINE__);
    json_decref(first);
    END(p, m);
}

/* The id of one that goes on is taken, and free afterwards. */
static void ids_of_listenings(struct project *p) {
    int id;
    struct mcp *m = serve_modern(p, false);
    json_decref(begin_listening(p, m, filter_of(p, "a.txt"), &id));
    m->next_id = id - 1;
    json_t *taken = mcp_ask(m, "tools/list", NULL);
    EXPECT(p, number_at(taken, "error.code") == -32600);
    json_decref(taken);
    cancel_listening(m, id);
    m->next_id = id - 1;
    json_t *list = mcp_ask(m, "tools/list", NULL);
    EXPECT(p, at_path(list, "result.tools"));
    json_decref(list);
    END(p, m);
}

static void wrong_subscriptions(struct project *p) {
    static const char *const wrong[] = {"{}", "{\"notifications\": []}",
                                        "{\"notifications\": {\"toolsListChanged\": 1}}",
                                        "{\"notifications\": {\"resourceSubscriptions\": \"x\"}}",
                                        "{\"notifications\": {\"resourceSubscriptions\": [1]}}"};
    struct mcp *m = serve_modern(p, false);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        json_t *answer = mcp_ask(m, "subscriptions/listen", json_loads(wrong[i], 0, NULL));
        EXPECT(p, number_at(answer, "error.code") == -32602);
        EXPECT_PART(p, "expected", text_at(answer, "error.message"));
        json_decref(answer);
    }
    json_t *old = subscribe(m, "resources/subscribe", uri_of(p, "a.txt"));
    EXPECT(p, number_at(old, "error.code") == -32601);
    json_decref(old);
    END(p, m);
    m = serve_legacy(p, false);
    json_t *new = mcp_ask(m, "subscriptions/listen", NULL);
    EXPECT(p, number_at(new, "error.code") == -32601);
    json_decref(new);
    static const char *const methods[] = {"resources/subscribe", "resources/unsubscribe"};
    for (size_t i = 0; i < 2; i++) {
        json_t *answer = mcp_ask(m, methods[i], json_pack("{s:i}", "uri", 1));
        EXPECT(p, number_at(answer, "error.code") == -32602);
        json_decref(answer);
    }
    END(p, m);
}

/* A server that ends says so. */
static void end_of_a_listening(struct project *p) {
    int id;
    struct mcp *m = serve_modern(p, false);
    json_decref(begin_listening(p, m, filter_of(p, "a.txt"), &id));
    (void)kill(m->pid, SIGTERM);
    json_t *last = mcp_receive(m);
    EXPECT(p, number_at(last, "id") == id);
    EXPECT_TEXT(p, "complete", text_at(last, "result.resultType"));
    json_decref(last);
    END(p, m);
}

const struct mcp_case subscription_cases[] = {
    {"subscriptions/told-of-each-change", told_of_each_change},
    {"subscriptions/requests-at-once", requests_at_once},
    {"subscriptions/told-of-an-edit", told_of_an_edit},
    {"subscriptions/told-no-more", told_no_more},
    {"subscriptions/directories-that-go", directories_that_go},
    {"subscriptions/through-links", through_links},
    {"subscriptions/places-that-give-nothing", places_that_give_nothing},
    {"subscriptions/no-more-than-a-bound", no_more_than_a_bound},
    {"subscriptions/more-directories-than-can-be-watched", more_directories_than_can_be_watched},
    {"subscriptions/nothing-is-left", nothing_is_left},
    {"subscriptions/listening", listening},
    {"subscriptions/ids-of-listenings", ids_of_listenings},
    {"subscriptions/wrong-ones", wrong_subscriptions},
    {"subscriptions/end-of-a-listening", end_of_a_listening},
    {NULL, NULL}};
