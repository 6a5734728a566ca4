/* support.c -- a project with surroundings, for the tests of the C ABI: see support.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support.h"

#include "declared.h"

#include "unity.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char *base;
static json_t *replies; /* an array that owns them */
static int descriptors_before, threads_before;

/* -- trees ------------------------------------------------------------------------------------ */

/* Each thread keeps its own: a test's stand-in for a system call may run in several. */
static const char *kept_path(const char *above, const char *name) {
    static _Thread_local char paths[8][3 * PATH_BYTES_MAX];
    static _Thread_local unsigned next;
    char *path = paths[next++ % 8];
    (void)snprintf(path, sizeof paths[0], "%s%s%s%s", base, above, name[0] ? "/" : "", name);
    return path;
}

const char *base_path(const char *name) {
    return kept_path("", name);
}

const char *project_path(const char *name) {
    return kept_path("/project", name);
}

const char *repeated(const char *piece, size_t times) {
    static char text[8 * PATH_BYTES_MAX];
    size_t n = strlen(piece);
    TEST_ASSERT_TRUE(times * n < sizeof text);
    for (size_t i = 0; i < times; i++)
        memcpy(text + i * n, piece, n);
    text[times * n] = '\0';
    return text;
}

/* -- beginning and end ------------------------------------------------------------------------ */

void pause_ms(int ms) {
    const struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
    (void)nanosleep(&time, NULL);
}

int settled_threads(int before) {
    for (int i = 0; i < 60000 && running_threads() > before; i++)
        pause_ms(1);
    return running_threads();
}

static void *tell_number(void *number) {
    *(pid_t *)number = gettid();
    return NULL;
}

/* A sanitizer starts a thread of its own together with the first one; it must not count as ours.
 * The kernel may list a joined thread a moment longer. */
static void start_a_thread(void) {
    pthread_t thread;
    pid_t number = 0;
    char listed[40];
    TEST_ASSERT_EQUAL(0, pthread_create(&thread, NULL, tell_number, &number));
    TEST_ASSERT_EQUAL(0, pthread_join(thread, NULL));
    (void)snprintf(listed, sizeof listed, "/proc/self/task/%d", number);
    while (access(listed, F_OK) == 0)
        pause_ms(1);
}

void support_start(void) {
    base = make_temporary("aqfs-test");
    make_directory(project_path(""));
    replies = json_array();
    start_a_thread();
    descriptors_before = open_descriptors();
    threads_before = running_threads();
}

void support_end(void) {
    json_decref(replies);
    replies = NULL;
    remove_all(base);
    free(base);
    base = NULL;
    TEST_ASSERT_EQUAL_MESSAGE(descriptors_before, open_descriptors(), "descriptors left open");
    TEST_ASSERT_EQUAL_MESSAGE(threads_before, settled_threads(threads_before),
                              "threads left running");
}

/* -- workspaces and calls --------------------------------------------------------------------- */

static bool asks_for_fallback(void) {
    const char *resolver = getenv("AQFS_TEST_RESOLVER");
    return resolver && strcmp(resolver, "fallback") == 0;
}

bool uses_fallback(void) {
    return asks_for_fallback() || !has_openat2();
}

/* What REPLY answers to REQUEST, or to opening where that is NULL: as the catalogue declares it. */
static json_t *keep(aqfs_reply *reply, const char *request, size_t request_n) {
    size_t n;
    TEST_ASSERT_NOT_NULL(reply);
    const char *text = aqfs_reply_text(reply, &n);
    json_t *json = json_loadb(text, n, JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, NULL);
    TEST_ASSERT_NOT_NULL_MESSAGE(json, text);
    const char *code = aqfs_reply_error(reply);
    TEST_ASSERT_EQUAL_STRING(code_of(json), code ? code : "ok");
    aqfs_reply_free(reply);
    struct buf faults = {0};
    declared_check(request, request_n, json, &faults);
    TEST_ASSERT_EQUAL_STRING_MESSAGE("", faults.data ? faults.data : "", "reply");
    json_array_append_new(replies, json);
    return json;
}

/* Opens a workspace with the members FIRST and MEMBERS. */
static aqfs_workspace *open_with(const char *first, const char *members) {
    char more[8192], options[16384];
    const char *mark = strstr(members, "%s");
    if (mark)
        (void)snprintf(more, sizeof more, "%.*s%s%s", (int)(mark - members), members, base,
                       mark + 2);
    else
        (void)snprintf(more, sizeof more, "%s", members);
    int n = snprintf(options, sizeof options, "{%s\"resolver\": \"%s\"%s%s}", first,
                     asks_for_fallback() ? "fallback" : "auto", more[0] ? ", " : "", more);
    aqfs_workspace *ws = NULL;
    const json_t *reply = keep(aqfs_open(options, (size_t)n, AQFS_JSON, &ws), NULL, 0);
    TEST_ASSERT_EQUAL_STRING_MESSAGE("ok", code_of(reply), text_in(reply, "message"));
    TEST_ASSERT_NOT_NULL(ws);
    return ws;
}

aqfs_workspace *open_project(const char *members) {
    char first[8192];
    (void)snprintf(first, sizeof first, "\"root\": \"%s\", ", project_path(""));
    return open_with(first, members);
}

aqfs_workspace *open_elsewhere(const char *members) {
    return open_with("", members);
}

json_t *fail_to_open(const char *options) {
    aqfs_workspace *ws = (aqfs_workspace *)base; /* aqfs_open must overwrite it */
    json_t *reply = keep(aqfs_open(options, strlen(options), AQFS_JSON, &ws), NULL, 0);
    TEST_ASSERT_NULL(ws);
    TEST_ASSERT_TRUE(strcmp("ok", code_of(reply)) != 0);
    return reply;
}

json_t *ask_raw(aqfs_workspace *ws, const char *request, size_t n, const aqfs_context *context) {
    aqfs_context own = context ? *context : (aqfs_context){0};
    own.format = AQFS_JSON;
    return keep(aqfs_call(ws, request, n, &own), request, n);
}

int gather_items(void *array, const char *datum, size_t n) {
    json_t *json = json_loadb(datum, n, 0, NULL);
    const json_t *items = json_object_get(json, "items");
    struct buf faults = {0};
    declared_check_known(items ? "items" : "progress", json, &faults);
    TEST_ASSERT_EQUAL_STRING_MESSAGE("", faults.data ? faults.data : "", "datum");
    json_array_extend(array, (json_t *)items);
    json_decref(json);
    return 0;
}

json_t *ask(aqfs_workspace *ws, const char *op, const char *args) {
    char *request = NULL;
    int n = asprintf(&request, "{\"op\": \"%s\", \"args\": %s}", op, args);
    TEST_ASSERT_TRUE(n > 0);
    json_t *reply = ask_raw(ws, request, (size_t)n, NULL);
    free(request);
    return reply;
}

json_t *ask_path(aqfs_workspace *ws, const char *op, const char *path) {
    json_t *args = json_pack("{s:s}", "path", path);
    char *text = json_dumps(args, 0);
    json_t *reply = ask(ws, op, text);
    free(text);
    json_decref(args);
    return reply;
}

const char *code_of(const json_t *reply) {
    const json_t *code = json_object_get(reply, "error");
    return json_is_string(code) ? json_string_value(code) : "ok";
}

const char *text_in(const json_t *reply, const char *key) {
    const json_t *value = json_object_get(reply, key);
    return json_is_string(value) ? json_string_value(value) : "";
}

long long number_in(const json_t *reply, const char *key) {
    const json_t *value = json_object_get(reply, key);
    return json_is_integer(value) ? json_integer_value(value) : -1;
}

const char *names_in(const json_t *reply, const char *list, const char *key) {
    static char names[65536];
    size_t n = 0, i;
    json_t *item;
    names[0] = '\0';
    json_array_foreach(json_object_get(reply, list), i, item) {
        const char *name = key ? text_in(item, key) : json_string_value(item);
        if (name && n < sizeof names)
            n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", n ? " " : "", name);
    }
    return names;
}

/* -- children --------------------------------------------------------------------------------- */

void run_child(int (*body)(void), const char *why) {
    char message[120];
    int answer = in_child(body);
    if (answer == CHILD_SKIP)
        TEST_IGNORE_MESSAGE(why);
    (void)snprintf(message, sizeof message, "the check in line %d failed in the child", answer);
    TEST_ASSERT_EQUAL_MESSAGE(0, answer, message);
}
