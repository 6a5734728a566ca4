/* SPDX-License-Identifier: MIT */
#include "dispatch.h"
#include "table.h"

#include "fixture.h"

#include "unity.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void setUp(void) {
    support_start();
    make_file(project_path("a.txt"), "one\ntwo\n");
    make_file(project_path("sub/b.txt"), "one\n");
    ws = open_project("");
}

/* -- one reply -------------------------------------------------------------------------------- */

void test_dispatch__errors_have_one_form(void) {
    const json_t *reply = ask_path(ws, "read_file", "none");
    TEST_ASSERT_EQUAL(5, json_object_size(reply));
    TEST_ASSERT_EQUAL_STRING("not-found", text_in(reply, "error"));
    TEST_ASSERT_EQUAL_STRING("Path 'none' does not exist", text_in(reply, "message"));
    TEST_ASSERT_EQUAL_STRING("none", text_in(reply, "path"));
    TEST_ASSERT_TRUE(json_is_null(json_object_get(reply, "hint")));
    TEST_ASSERT_EQUAL_STRING("Error: Path 'none' does not exist", text_in(reply, "text"));
}

void test_dispatch__an_error_as_an_s_expression(void) {
    static const char request[] = "{\"op\": \"read_file\", \"args\": {\"path\": \"none\"}}";
    aqfs_reply *reply = aqfs_call(ws, request, sizeof request - 1, NULL);
    TEST_ASSERT_EQUAL_STRING("not-found", aqfs_reply_error(reply));
    TEST_ASSERT_EQUAL_STRING("(:error :not-found :message \"Path 'none' does not exist\" :path "
                             "\"none\" :hint nil :text \"Error: Path 'none' does not exist\")",
                             aqfs_reply_text(reply, NULL));
    aqfs_reply_free(reply);
}

void test_dispatch__an_error_without_path(void) {
    const json_t *reply = ask(ws, "read_file", "{}");
    TEST_ASSERT_TRUE(json_is_null(json_object_get(reply, "path")));
    reply = ask(ws, "read_file", "{\"path\": 5}");
    TEST_ASSERT_TRUE(json_is_null(json_object_get(reply, "path")));
}

void test_dispatch__a_hint_is_part_of_the_text(void) {
    const json_t *reply = ask_path(ws, "read_file", "\"a");
    TEST_ASSERT_TRUE(strlen(text_in(reply, "hint")) > 0);
    TEST_ASSERT_NOT_NULL(strstr(text_in(reply, "text"), text_in(reply, "hint")));
}

void test_dispatch__no_arguments_at_all(void) {
    static const char *const short_ones[] = {
        "{\"op\": \"get_project_root\"}", "{\"op\": \"list_dir\"}",
        "{\"op\": \"list_dir\", \"args\": null}", "{\"op\": \"list_dir\", \"args\": {}}"};
    for (size_t i = 0; i < 4; i++)
        TEST_ASSERT_EQUAL_STRING("ok",
                                 code_of(ask_raw(ws, short_ones[i], strlen(short_ones[i]), NULL)));
}

/* -- bounds ----------------------------------------------------------------------------------- */

/* A caller that shows only the words does not get the same text as data too. */
void test_dispatch__words_alone(void) {
    static const char *const asked[] = {
        "{\"op\":\"read_file\",\"args\":{\"path\":\"a.txt\"}}",
        "{\"op\":\"read_file\",\"args\":{\"path\":\"a.txt\"},\"words\":true}",
        "{\"op\":\"read_file\",\"args\":{\"path\":\"a.txt\"},\"words\":\"yes\"}"};
    make_file(project_path("a.txt"), "one\n");
    const json_t *whole = ask_raw(ws, asked[0], strlen(asked[0]), NULL);
    const json_t *words = ask_raw(ws, asked[1], strlen(asked[1]), NULL);
    TEST_ASSERT_EQUAL_STRING("one\n", text_in(whole, "content"));
    TEST_ASSERT_NULL(json_object_get(words, "content"));
    TEST_ASSERT_EQUAL_STRING(text_in(whole, "text"), text_in(words, "text"));
    TEST_ASSERT_EQUAL_STRING(text_in(whole, "version"), text_in(words, "version"));
    TEST_ASSERT_EQUAL_STRING("invalid-argument",
                             code_of(ask_raw(ws, asked[2], strlen(asked[2]), NULL)));
}

static aqfs_reply *ask_apart(const char *op, const char *path, bool words) {
    json_t *request =
        json_pack("{s:s, s:{s:s}, s:b}", "op", op, "args", "path", path, "words", words);
    aqfs_reply *reply = call_run(ws, request, NULL, NULL, TEXT_APART);
    json_decref(request);
    TEST_ASSERT_NOT_NULL(reply);
    return reply;
}

/* A door may take the text unprinted, beside the data, whichever data the caller wants. */
void test_dispatch__text_apart(void) {
    make_file(project_path("a.txt"), "one \"é\"\n");
    for (int words = 0; words < 2; words++) {
        aqfs_reply *reply = ask_apart("read_file", "a.txt", words);
        const char *data = aqfs_reply_text(reply, NULL);
        TEST_ASSERT_NULL(strstr(data, ":text"));
        TEST_ASSERT_NOT_NULL(strstr(data, ":version"));
        TEST_ASSERT_EQUAL(words, !strstr(data, ":content"));
        TEST_ASSERT_EQUAL_STRING("one \"é\"\n", reply->words.data);
        TEST_ASSERT_EQUAL_UINT64(strlen("one \"é\"\n"), reply->words.len);
        aqfs_reply_free(reply);
    }
}

/* -- a listener to the reply ------------------------------------------------------------------ */

struct heard {
    struct buf bytes;
    int32_t cancelled;
    bool cancels;
};

static void hear(void *data, const char *bytes, size_t n) {
    struct heard *h = data;
    buf_add(&h->bytes, bytes, n);
    h->cancelled = h->cancels;
}

static aqfs_reply *find_early(struct heard *h) {
    struct reply_listener listener = {.take = hear, .data = h, .block = 1000};
    const aqfs_context context = {.format = AQFS_JSON, .cancelled = &h->cancelled};
    json_t *request = json_pack("{s:s, s:{s:s}}", "op", "search_files", "args", "pattern", "**");
    aqfs_reply *reply = call_run_early(ws, request, &context, &listener);
    json_decref(request);
    TEST_ASSERT_NOT_NULL(reply);
    TEST_ASSERT_EQUAL(listener.told, h->bytes.len);
    return reply;
}

/* A listener hears most of a long reply before it is whole, and nothing of it changes; after a
 * failure the reply is an error all the same. */
void test_dispatch__a_listener_hears_the_reply_early(void) {
    for (int i = 0; i < 3000; i++) {
        char name[40];
        (void)snprintf(name, sizeof name, "file-%d", i);
        make_file(project_path(name), "");
    }
    struct heard h = {0};
    aqfs_reply *reply = find_early(&h);
    TEST_ASSERT_NULL(aqfs_reply_error(reply));
    TEST_ASSERT_GREATER_THAN(10000, (int)h.bytes.len);
    TEST_ASSERT_EQUAL_MEMORY(reply->text.data, h.bytes.data, h.bytes.len);
    aqfs_reply_free(reply);
    buf_clear(&h.bytes);
    h.cancels = true;
    reply = find_early(&h);
    TEST_ASSERT_GREATER_THAN(0, (int)h.bytes.len);
    TEST_ASSERT_EQUAL_STRING("cancelled", aqfs_reply_error(reply));
    aqfs_reply_free(reply);
    buf_free(&h.bytes);
}

/* An error has all its members inside: a caller may look at nothing else. */
void test_dispatch__text_of_an_error_is_inside(void) {
    aqfs_reply *reply = ask_apart("read_file", "none", true);
    TEST_ASSERT_EQUAL_STRING("not-found", aqfs_reply_error(reply));
    TEST_ASSERT_NOT_NULL(strstr(aqfs_reply_text(reply, NULL), ":text \"Error: "));
    TEST_ASSERT_NULL(reply->words.data);
    aqfs_reply_free(reply);
}

/* Threat 98: the words end at a whole character. */
void test_dispatch__the_text_is_bounded(void) {
    reopen("\"limits\": {\"text_bytes\": 1024}");
    for (int i = 0; i < 400; i++) {
        char name[40];
        (void)snprintf(name, sizeof name, "many/\xC3\xA9\xC3\xA9\xC3\xA9%03d", i);
        make_file(project_path(name), "");
    }
    const json_t *reply = ask(ws, "list_dir", "{\"path\": \"many\", \"limit\": 1000}");
    const char *text = text_in(reply, "text");
    TEST_ASSERT_EQUAL(400, json_array_size(json_object_get(reply, "entries")));
    TEST_ASSERT_TRUE(strlen(text) < 1100);
    TEST_ASSERT_NOT_NULL(strstr(text, "\n[truncated]"));
    TEST_ASSERT_NULL(strstr(text, "\xEF\xBF\xBD"));
}

/* The time that a slow listener takes counts as the call's. */
static int nap(void *data, const char *datum, size_t n) {
    (void)data, (void)datum, (void)n;
    pause_ms(30);
    return 0;
}

void test_dispatch__time_is_bounded(void) {
    static const char request[] = "{\"op\": \"search_files\", \"args\": {\"pattern\": \"**\"}}";
    const aqfs_context context = {.emit = nap};
    reopen("\"limits\": {\"time_ms\": 10}");
    const json_t *reply = ask_raw(ws, request, sizeof request - 1, &context);
    TEST_ASSERT_EQUAL_STRING("limit", code_of(reply));
    TEST_ASSERT_EQUAL_STRING("the call reached its limit of time or work",
                             text_in(reply, "message"));
}

/* -- cancelling and streaming ----------------------------------------------------------------- */

void test_dispatch__cancelled_before_it_begins(void) {
    static const char request[] = "{\"op\": \"list_dir\"}";
    const int32_t yes = 1, no = 0;
    aqfs_context context = {.cancelled = &yes};
    TEST_ASSERT_EQUAL_STRING("cancelled",
                             code_of(ask_raw(ws, request, sizeof request - 1, &context)));
    context.cancelled = &no;
    TEST_ASSERT_EQUAL_STRING("ok", code_of(ask_raw(ws, request, sizeof request - 1, &context)));
}

struct listener {
    int data, most; /* how many came with items; the number of the one that returns non-zero */
    int items;
    int32_t *cancel;      /* set when items come */
    pthread_mutex_t busy; /* held while the listener runs */
    bool overlapped;
};

static int listen(void *data, const char *datum, size_t n) {
    struct listener *l = data;
    if (pthread_mutex_trylock(&l->busy) != 0) {
        l->overlapped = true;
        return 0;
    }
    json_t *json = json_loadb(datum, n, 0, NULL);
    bool has_items = json_object_get(json, "items") != NULL;
    l->data += has_items;
    l->items += (int)json_array_size(json_object_get(json, "items"));
    json_decref(json);
    if (l->cancel && has_items)
        __atomic_store_n(l->cancel, 1, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&l->busy);
    return l->data >= l->most;
}

static const char search[] = "{\"op\": \"search_files\", \"args\": {\"pattern\": \"**\", "
                             "\"limit\": 100000}}";

static void make_many(int files) {
    for (int i = 0; i < files; i++) {
        char name[200];
        (void)snprintf(name, sizeof name, "many/%d/%0100d", i % 50, i);
        make_file(project_path(name), "");
    }
}

void test_dispatch__results_are_streamed_in_pieces(void) {
    make_many(1500);
    struct listener l = {.most = 1000, .busy = PTHREAD_MUTEX_INITIALIZER};
    const aqfs_context context = {.emit = listen, .data = &l};
    const json_t *reply = ask_raw(ws, search, sizeof search - 1, &context);
    TEST_ASSERT_EQUAL_STRING("ok", code_of(reply));
    TEST_ASSERT_EQUAL(1502, number_in(reply, "total"));
    TEST_ASSERT_EQUAL(1502, l.items);
    TEST_ASSERT_TRUE(l.data > 3);
    TEST_ASSERT_FALSE(l.overlapped);
}

/* The other streaming operation, search_files, is in test_search_files.c. */
void test_dispatch__what_grep_streams_the_reply_does_not_repeat(void) {
    static const struct {
        const char *output, *list;
        size_t items;
    } forms[] = {{"content", "matches", 2}, {"files", "paths", 1}, {"count", "counts", 1}};
    make_file(project_path("needles"), "needle\nhay\nneedle\n");
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        char request[100];
        int n = snprintf(request, sizeof request,
                         "{\"op\": \"grep_files\", \"args\": {\"pattern\": \"needle\", "
                         "\"output\": \"%s\"}}",
                         forms[i].output);
        json_t *items = json_array();
        const aqfs_context context = {.emit = gather_items, .data = items};
        const json_t *streamed = ask_raw(ws, request, (size_t)n, &context);
        const json_t *whole = ask_raw(ws, request, (size_t)n, NULL);
        TEST_ASSERT_EQUAL(forms[i].items, json_array_size(items));
        TEST_ASSERT_TRUE(json_equal(items, json_object_get(whole, forms[i].list)));
        TEST_ASSERT_EQUAL(0, json_array_size(json_object_get(streamed, forms[i].list)));
        TEST_ASSERT_EQUAL_STRING(text_in(whole, "text"), text_in(streamed, "text"));
        json_decref(items);
    }
}

static int tell_a_descriptor(void *data, const char *datum, size_t n) {
    return write(*(int *)data, datum, n) == (ssize_t)n ? 0 : 1;
}

/* A listener may be called on any thread of the call, and finds the same state there. */
void test_dispatch__a_listener_has_the_descriptors_of_the_process(void) {
    static const char request[] = "{\"op\":\"grep_files\",\"args\":{\"pattern\":\".\"}}";
    int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    const aqfs_context context = {.emit = tell_a_descriptor, .data = &fd};
    make_many(1500);
    for (int i = 0; i < 20; i++)
        TEST_ASSERT_EQUAL_STRING("ok", code_of(ask_raw(ws, request, sizeof request - 1, &context)));
    close(fd);
}

void test_dispatch__a_listener_may_end_the_call(void) {
    make_many(1500);
    struct listener l = {.most = 1, .busy = PTHREAD_MUTEX_INITIALIZER};
    const aqfs_context context = {.emit = listen, .data = &l};
    const json_t *reply = ask_raw(ws, search, sizeof search - 1, &context);
    TEST_ASSERT_EQUAL_STRING("cancelled", code_of(reply));
    TEST_ASSERT_TRUE(l.data <= 2); /* the one that refused, and what was left at the end */
}

void test_dispatch__cancelled_while_it_runs(void) {
    make_many(1500);
    int32_t cancelled = 0;
    struct listener l = {.most = 1000, .busy = PTHREAD_MUTEX_INITIALIZER, .cancel = &cancelled};
    const aqfs_context context = {.emit = listen, .data = &l, .cancelled = &cancelled};
    const json_t *reply = ask_raw(ws, search, sizeof search - 1, &context);
    TEST_ASSERT_EQUAL_STRING("cancelled", code_of(reply));
}

/* -- threads ---------------------------------------------------------------------------------- */

static const char *const requests[] = {
    "{\"op\": \"read_file\", \"args\": {\"path\": \"a.txt\"}}",
    "{\"op\": \"list_directory\", \"args\": {\"depth\": 3}}",
    "{\"op\": \"directory_tree\"}",
    "{\"op\": \"search_files\", \"args\": {\"pattern\": \"**/*.txt\"}}",
    "{\"op\": \"grep_files\", \"args\": {\"pattern\": \"one\"}}",
    "{\"op\": \"get_file_info\", \"args\": {\"path\": \"sub/b.txt\"}}",
    "{\"op\": \"read_bytes\", \"args\": {\"path\": \"a.txt\"}}",
    "{\"op\": \"file_exists\", \"args\": {\"path\": \"sub/../sub/none\"}}",
};
enum { REQUESTS = sizeof requests / sizeof *requests };

struct caller {
    pthread_t thread;
    unsigned first; /* the number of its first request */
    int rounds, good, closed, other;
};

static void *call_often(void *data) {
    struct caller *c = data;
    for (int i = 0; i < c->rounds; i++) {
        const char *request = requests[(c->first + (unsigned)i) % REQUESTS];
        aqfs_reply *reply = aqfs_call(ws, request, strlen(request), NULL);
        const char *code = reply ? aqfs_reply_error(reply) : "none";
        if (!code)
            c->good++;
        else if (strcmp(code, "invalid-argument") == 0)
            c->closed++;
        else
            c->other++;
        aqfs_reply_free(reply);
    }
    return NULL;
}

/* Threat 131. */
void test_dispatch__eight_threads_in_one_workspace(void) {
    struct caller callers[8];
    for (unsigned i = 0; i < 8; i++) {
        callers[i] = (struct caller){.first = i, .rounds = 80};
        TEST_ASSERT_EQUAL(0, pthread_create(&callers[i].thread, NULL, call_often, &callers[i]));
    }
    for (unsigned i = 0; i < 8; i++) {
        pthread_join(callers[i].thread, NULL);
        TEST_ASSERT_EQUAL(80, callers[i].good);
    }
}

/* Threat 131: calls that have begun end well, later ones are refused, and nothing crashes. */
void test_dispatch__closed_while_in_use(void) {
    for (int round = 0; round < 10; round++) {
        struct caller callers[4];
        for (unsigned i = 0; i < 4; i++) {
            callers[i] = (struct caller){.first = i, .rounds = 60};
            TEST_ASSERT_EQUAL(0, pthread_create(&callers[i].thread, NULL, call_often, &callers[i]));
        }
        pause_ms(round % 4);
        aqfs_close(ws);
        for (unsigned i = 0; i < 4; i++) {
            pthread_join(callers[i].thread, NULL);
            TEST_ASSERT_EQUAL(0, callers[i].other);
            TEST_ASSERT_EQUAL(60, callers[i].good + callers[i].closed);
        }
        reopen("");
    }
}

static void *close_it(void *data) {
    (void)data;
    aqfs_close(ws);
    return NULL;
}

void test_dispatch__closed_by_many_at_once(void) {
    pthread_t threads[8];
    int before = open_descriptors();
    for (int i = 0; i < 8; i++)
        TEST_ASSERT_EQUAL(0, pthread_create(&threads[i], NULL, close_it, NULL));
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
    TEST_ASSERT_EQUAL(before - 1, open_descriptors());
}

void test_dispatch__closed_workspaces_say_so(void) {
    aqfs_close(ws);
    aqfs_close(ws);
    for (int i = 0; i < REQUESTS; i++) {
        const json_t *reply = ask_raw(ws, requests[i], strlen(requests[i]), NULL);
        TEST_ASSERT_EQUAL_STRING("invalid-argument", code_of(reply));
        TEST_ASSERT_EQUAL_STRING("The workspace is closed", text_in(reply, "message"));
    }
    TEST_ASSERT_EQUAL_STRING("invalid-argument", code_of(ask(ws, "no_such_operation", "{}")));
}

/* -- leaks ------------------------------------------------------------------------------------ */

/* Threat 130, in small: good and failing calls leave nothing open. */
void test_dispatch__descriptors_are_given_back(void) {
    static const char *const paths[] = {".",  "a.txt", "sub",    "none",  "a.txt/x", "../x",
                                        "lo", "loop",  "\"a",    "",      "sub/",    "/etc",
                                        "p",  "dang",  "sub/..", "a.txt/"};
    make_link(project_path("lo"), "..");
    make_link(project_path("loop"), "loop");
    make_link(project_path("dang"), "none/x");
    int before = open_descriptors(), threads = running_threads();
    for (size_t i = 0; i < op_count(); i++)
        for (size_t k = 0; k < sizeof paths / sizeof *paths; k++)
            (void)ask_path(ws, op_at(i)->name, paths[k]);
    for (size_t k = 0; k < sizeof paths / sizeof *paths; k++) {
        char args[100];
        (void)snprintf(args, sizeof args, "{\"path\": \"%s%s\", \"pattern\": \"o\"}",
                       paths[k][0] == '"' ? "\\" : "", paths[k]);
        (void)ask(ws, "search_files", args);
        (void)ask(ws, "grep_files", args);
    }
    TEST_ASSERT_EQUAL(before, open_descriptors());
    TEST_ASSERT_EQUAL(threads, settled_threads(threads));
}
