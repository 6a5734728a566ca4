/* Tests how a search runs: threads, listeners, limits, cancelling.
 *
 * SPDX-License-Identifier: MIT
 */
#include "buf.h"
#include "clock.h"
#include "sandbox.h"

#include "unity.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MS 1000000

void setUp(void) {
}

void tearDown(void) {
    sandbox_close();
}

/* Makes COUNT files in directories of ten.  Each has LINES lines, and a needle in the last one. */
static void make_files(int count, int lines) {
    struct buf text = {0};
    for (int i = 0; i < lines; i++)
        buf_str(&text, "some hay\n");
    buf_str(&text, "a needle\n");
    for (int i = 0; i < count; i++) {
        char name[64];
        snprintf(name, sizeof name, "d%03d", i / 10);
        if (i % 10 == 0)
            sandbox_mkdir(name);
        snprintf(name, sizeof name, "d%03d/%d.txt", i / 10, i % 10);
        sandbox_write(name, text.data, text.len);
    }
    buf_free(&text);
}

/* The reply as it was printed. */
static char *answer(const char *request, const aqfs_context *context) {
    aqfs_reply *reply = aqfs_call(sandbox_workspace(), request, strlen(request), context);
    char *text = strdup(aqfs_reply_text(reply, NULL));
    aqfs_reply_free(reply);
    return text;
}

static void check_same_every_time(const char *request) {
    const aqfs_context context = {.format = AQFS_JSON};
    char *first = answer(request, &context);
    TEST_ASSERT_NULL_MESSAGE(strstr(first, "\"error\""), first);
    for (int i = 0; i < 20; i++) {
        char *again = answer(request, &context);
        TEST_ASSERT_EQUAL_STRING(first, again);
        free(again);
    }
    free(first);
}

void test_grep_run__threads_change_nothing(void) {
    sandbox_open("{\"limits\": {\"threads\": 8}}");
    make_files(1000, 30);
    check_same_every_time("{\"op\": \"grep_files\", \"args\": {\"pattern\": \"needle\"}}");
    check_same_every_time("{\"op\": \"grep_files\", \"args\": {\"pattern\": \"needle\", "
                          "\"limit\": 777, \"context\": 1}}");
    check_same_every_time("{\"op\": \"grep_files\", \"args\": {\"pattern\": \"needle\", "
                          "\"limit\": 5, \"output\": \"files\"}}");
    check_same_every_time("{\"op\": \"grep_files\", \"args\": {\"pattern\": \"[hn]\", "
                          "\"limit\": 500, \"output\": \"count\"}}");
    check_same_every_time("{\"op\": \"grep_files\", \"args\": {\"pattern\": \"zebra\"}}");
}

void test_grep_run__a_thread_more_or_less_changes_nothing(void) {
    char *texts[3];
    for (int i = 0; i < 3; i++) {
        static const char *const options[] = {"{\"limits\": {\"threads\": 1}}",
                                              "{\"limits\": {\"threads\": 2}}",
                                              "{\"limits\": {\"threads\": 64}}"};
        const aqfs_context context = {.format = AQFS_SEXP};
        sandbox_open(options[i]);
        make_files(300, 100);
        texts[i] = answer("{\"op\": \"grep_files\", \"args\": {\"pattern\": \"hay|needle\", "
                          "\"limit\": 100000}}",
                          &context);
        if (i < 2)
            sandbox_close();
    }
    TEST_ASSERT_EQUAL_STRING(texts[0], texts[1]);
    TEST_ASSERT_EQUAL_STRING(texts[0], texts[2]);
    for (int i = 0; i < 3; i++)
        free(texts[i]);
}

/* ---- Listeners */

struct listener {
    struct buf items;
    int emits, progress, stop_after;
    pthread_mutex_t busy;
};

static int listen(void *data, const char *datum, size_t n) {
    struct listener *l = data;
    TEST_ASSERT_EQUAL_INT(0, pthread_mutex_trylock(&l->busy)); /* one at a time */
    TEST_ASSERT_EQUAL_UINT64(n, strlen(datum));
    l->emits++;
    if (strncmp(datum, "(:items (", 9) == 0) {
        buf_str(&l->items, l->items.len ? " " : "");
        buf_add(&l->items, datum + 9, n - 11);
    } else {
        TEST_ASSERT_EQUAL_STRING_LEN("(:progress ", datum, 11);
        l->progress++;
    }
    int stop = l->stop_after && l->emits >= l->stop_after;
    pthread_mutex_unlock(&l->busy);
    return stop;
}

/* The emitted items and the rest in the reply make up the reply that a call without a listener has.
 */
void test_grep_run__a_listener_hears_every_match_once(void) {
    static const char request[] = "{\"op\": \"grep_files\", \"args\": {\"pattern\": \"needle\", "
                                  "\"limit\": 1900}}";
    struct listener l = {.busy = PTHREAD_MUTEX_INITIALIZER};
    const aqfs_context heard = {.format = AQFS_SEXP, .emit = listen, .data = &l};
    const aqfs_context unheard = {.format = AQFS_SEXP};
    sandbox_open("{\"limits\": {\"threads\": 4}}");
    make_files(2000, 10);
    char *rest = answer(request, &heard), *whole = answer(request, &unheard);
    struct buf sum = {0};
    static const char none[] = "(:matches ()";
    TEST_ASSERT_EQUAL_STRING_LEN(none, rest, sizeof none - 1);
    buf_printf(&sum, "(:matches (%s)%s", l.items.data, rest + sizeof none - 1);
    TEST_ASSERT_EQUAL_STRING(whole, sum.data);
    TEST_ASSERT_GREATER_THAN_INT(2, l.emits);
    buf_free(&sum);
    buf_free(&l.items);
    free(rest);
    free(whole);
}

void test_grep_run__a_listener_can_end_it(void) {
    struct listener l = {.busy = PTHREAD_MUTEX_INITIALIZER, .stop_after = 1};
    const aqfs_context context = {.format = AQFS_SEXP, .emit = listen, .data = &l};
    sandbox_open("{\"limits\": {\"threads\": 2}}");
    make_files(2000, 10);
    char *text = answer("{\"op\": \"grep_files\", \"args\": {\"pattern\": \"needle\", "
                        "\"limit\": 100000}}",
                        &context);
    TEST_ASSERT_EQUAL_STRING_LEN("(:error :cancelled", text, 18);
    buf_free(&l.items);
    free(text);
}

/* ---- Limits */

static void write_hostile_text(int files) {
    struct buf text = {0};
    buf_str(&text, "aab!\n");
    for (int i = 0; i < 20000; i++)
        buf_str(&text, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\n");
    for (int i = 0; i < files; i++) {
        char name[16];
        snprintf(name, sizeof name, "%d", i);
        sandbox_write(name, text.data, text.len);
    }
    buf_free(&text);
}

void test_grep_run__a_hostile_pattern_ends_with_what_was_found(void) {
    sandbox_open("{\"limits\": {\"regex_steps\": 200000}}");
    write_hostile_text(5);
    const json_t *reply = sandbox_call("grep_files", "{s:s}", "pattern", "(a+)+[b$]");
    TEST_ASSERT_EQUAL_STRING("limit", reply_text(reply, "stopped"));
    TEST_ASSERT_TRUE(reply_flag(reply, "truncated"));
    TEST_ASSERT_NOT_NULL(strstr(reply_text(reply, "text"), "0:1:aab!\n"));
    TEST_ASSERT_NOT_NULL(strstr(reply_text(reply, "text"), "[stopped: "));
}

void test_grep_run__time_ends_it(void) {
    sandbox_open("{\"limits\": {\"time_ms\": 100, \"regex_steps\": 1000000000000}}");
    write_hostile_text(5);
    int64_t start = clock_now_ns();
    const json_t *reply = sandbox_call("grep_files", "{s:s}", "pattern", "(a+)+$");
    TEST_ASSERT_GREATER_OR_EQUAL_INT64(100 * MS, clock_now_ns() - start);
    TEST_ASSERT_EQUAL_STRING("limit", reply_text(reply, "stopped"));
}

void test_grep_run__a_reply_has_room_for_so_much(void) {
    sandbox_open("{\"limits\": {\"reply_bytes\": 20000, \"threads\": 3}}");
    make_files(1000, 100);
    const json_t *reply =
        sandbox_call("grep_files", "{s:s,s:i}", "pattern", "hay", "limit", 1000000);
    TEST_ASSERT_TRUE(reply_flag(reply, "truncated"));
    TEST_ASSERT_NOT_NULL(strstr(reply_text(reply, "text"), "there is no room for more"));
    char *text = json_dumps(reply, 0);
    TEST_ASSERT_LESS_THAN_UINT64(60000, strlen(text));
    free(text);
    TEST_ASSERT_EQUAL(100000, reply_number(sandbox_call("grep_files", "{s:s,s:s}", "pattern", "hay",
                                                        "output", "count"),
                                           "total"));
}

void test_grep_run__the_workspace_may_show_fewer_by_default(void) {
    sandbox_open("{\"limits\": {\"grep_matches\": 3}}");
    make_files(10, 0);
    TEST_ASSERT_EQUAL(
        3, reply_number(sandbox_call("grep_files", "{s:s}", "pattern", "needle"), "total"));
    const json_t *reply = sandbox_call("grep_files", "{s:s,s:i}", "pattern", "needle", "limit", 9);
    TEST_ASSERT_EQUAL(9, reply_number(reply, "total"));
}

/* ---- Cancelling */

static void *cancel_soon(void *flag) {
    nanosleep(&(struct timespec){.tv_nsec = 50 * MS}, NULL);
    __atomic_store_n((int32_t *)flag, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

static void check_cancelled(const char *request) {
    int32_t flag = 0;
    const aqfs_context context = {.format = AQFS_SEXP, .cancelled = &flag};
    pthread_t thread;
    TEST_ASSERT_EQUAL_INT(0, pthread_create(&thread, NULL, cancel_soon, &flag));
    char *text = NULL;
    do { /* a fast machine may end the search before it is cancelled: then it is started again */
        free(text);
        text = answer(request, &context);
    } while (strncmp(text, "(:error", 7) != 0);
    pthread_join(thread, NULL);
    TEST_ASSERT_EQUAL_STRING_LEN("(:error :cancelled", text, 18);
    free(text);
}

void test_grep_run__cancelling_ends_it_soon(void) {
    sandbox_open("{\"limits\": {\"regex_steps\": 1000000000000}}");
    write_hostile_text(20);
    check_cancelled("{\"op\": \"grep_files\", \"args\": {\"pattern\": \"(a+)+$\"}}");
    check_cancelled("{\"op\": \"grep_files\", \"args\": {\"pattern\": \"zebra\"}}");
    check_cancelled("{\"op\": \"grep_files\", \"args\": {\"pattern\": \"a\", \"limit\": 1000000, "
                    "\"context\": 100}}");
}
