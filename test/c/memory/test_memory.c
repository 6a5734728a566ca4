/* SPDX-License-Identifier: MIT */
#include "memory.h"

#include "changes.h"
#include "clock.h"
#include "fixture.h"

#include "unity.h"

#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct error e;

void setUp(void) {
    support_start();
    ws = open_elsewhere("\"backend\": \"memory\"");
}

static void drop(const char *path) {
    char args[512];
    (void)snprintf(args, sizeof args, "{\"path\": \"%s\", \"recursive\": true}", path);
    TEST_ASSERT_EQUAL_STRING("ok", code_of(change(ws, "delete_file", args)));
}

/* The next of numbers that look random. */
static unsigned next_number(void) {
    static unsigned state = 7;
    state = state * 1103515245 + 12345;
    return state >> 8;
}

/* -- names ------------------------------------------------------------------------------------ */

/* Compared with a plain list: the map has its names, in order, and no others. */
void test_memory__map_is_a_sorted_list(void) {
    enum { NAMES = 400, ROUNDS = 4000 };
    struct memory_meter *meter = memory_meter_new();
    struct memory_object *object = memory_directory_new(meter);
    struct memory_map *map = NULL;
    bool in[NAMES] = {false};
    for (int round = 0; round < ROUNDS; round++) {
        char name[16];
        int which = (int)(next_number() % NAMES);
        int n = snprintf(name, sizeof name, "%04d", which);
        struct memory_map *next = NULL;
        in[which] = next_number() % 3 > 0;
        TEST_ASSERT_TRUE(in[which] ? memory_map_with(map, name, (size_t)n, object, &next)
                                   : memory_map_without(map, name, (size_t)n, &next));
        memory_map_drop(map);
        map = next;
        TEST_ASSERT_EQUAL(in[which], memory_map_find(map, name, (size_t)n) != NULL);
    }
    struct memory_cursor cursor = {.map = map};
    for (int i = 0; i < NAMES; i++) {
        if (!in[i])
            continue;
        TEST_ASSERT_TRUE(memory_cursor_next(&cursor));
        TEST_ASSERT_EQUAL(i, atoi(cursor.name));
    }
    TEST_ASSERT_FALSE(memory_cursor_next(&cursor));
    memory_map_drop(map);
    memory_object_drop(object);
    TEST_ASSERT_EQUAL(0, atomic_load(&meter->bytes));
    memory_meter_drop(meter);
}

/* -- marks ------------------------------------------------------------------------------------ */

void test_memory__mark_keeps_what_was(void) {
    put_file(ws, "a/b.txt", "one");
    struct memory_root *mark = memory_mark(ws);
    put_file(ws, "a/b.txt", "two");
    drop("a");
    TEST_ASSERT_EQUAL_STRING("not-found", content_of(ws, "a/b.txt"));
    const struct memory_object *kept = memory_at(mark, "a/b.txt");
    TEST_ASSERT_NOT_NULL(kept);
    TEST_ASSERT_EQUAL_MEMORY("one", kept->bytes->data, 3);
    TEST_ASSERT_EQUAL(AQFS_OK, memory_reset(ws, mark, NULL, &e));
    TEST_ASSERT_EQUAL_STRING("one", content_of(ws, "a/b.txt"));
    memory_unmark(mark);
}

void test_memory__mark_outlives_the_workspace(void) {
    put_file(ws, "a", "one");
    struct memory_root *mark = memory_mark(ws);
    aqfs_free(ws);
    ws = NULL;
    TEST_ASSERT_EQUAL_MEMORY("one", memory_at(mark, "a")->bytes->data, 3);
    memory_unmark(mark);
}

void test_memory__reset_only_what_is_expected(void) {
    struct memory_root *empty = memory_mark(ws);
    put_file(ws, "a", "one");
    struct memory_root *seen = memory_mark(ws);
    TEST_ASSERT_FALSE(memory_same(empty, seen));
    put_file(ws, "b", "two");
    TEST_ASSERT_EQUAL(AQFS_STALE, memory_reset(ws, empty, seen, &e));
    TEST_ASSERT_EQUAL_STRING("two", content_of(ws, "b"));
    struct memory_root *now = memory_mark(ws);
    TEST_ASSERT_EQUAL(AQFS_OK, memory_reset(ws, empty, now, &e));
    TEST_ASSERT_EQUAL_STRING("not-found", content_of(ws, "a"));
    memory_unmark(empty);
    memory_unmark(seen);
    memory_unmark(now);
}

static int gather(void *data, const struct memory_change *change) {
    struct buf *out = data;
    buf_printf(out, "%c%s ", !change->before ? '+' : !change->after ? '-' : '=', change->path);
    return AQFS_OK;
}

void test_memory__compare(void) {
    put_file(ws, "same/x", "x");
    put_file(ws, "gone/deep/y", "y");
    put_file(ws, "kept/changed", "1");
    put_file(ws, "turned", "file");
    struct memory_root *before = memory_mark(ws);
    drop("gone");
    put_file(ws, "kept/changed", "2");
    put_file(ws, "kept/new", "3");
    drop("turned");
    put_file(ws, "turned/in", "directory");
    struct memory_root *after = memory_mark(ws);
    struct buf told = {0};
    TEST_ASSERT_EQUAL(AQFS_OK, memory_compare(before, after, gather, &told));
    TEST_ASSERT_EQUAL_STRING("-gone -gone/deep -gone/deep/y =kept/changed +kept/new =turned "
                             "+turned/in ",
                             told.data);
    buf_clear(&told);
    TEST_ASSERT_EQUAL(AQFS_OK, memory_compare(after, after, gather, &told));
    TEST_ASSERT_EQUAL(0, told.len);
    buf_free(&told);
    memory_unmark(before);
    memory_unmark(after);
}

/* -- time and memory -------------------------------------------------------------------------- */

/* A tree of 60,000 files, put together without the calls. */
static void plant(int files) {
    struct memory *memory = ws->memory;
    for (int i = 0; i < files; i++) {
        char path[64];
        (void)snprintf(path, sizeof path, "d%d/e%d/f%d", i % 40, i / 40 % 30, i);
        struct memory_bytes *bytes = memory_bytes_new(memory->meter, 8);
        memcpy(bytes->data, "content\n", 8);
        struct memory_object *file = memory_file_new(memory->meter, bytes, NULL);
        struct memory_object *top = memory_tree_put(memory->top, path, file);
        memory_object_drop(memory->top);
        memory_object_drop(file);
        memory->top = top;
    }
}

void test_memory__mark_and_edit_of_60000_files(void) {
    plant(60000);
    int64_t start = clock_now_ns();
    struct memory_root *mark = memory_mark(ws);
    int64_t took = clock_now_ns() - start;
    TEST_ASSERT_LESS_THAN_INT64(1000000, took);
    struct memory_object *top = memory_top(ws->memory);
    struct memory_bytes *bytes = memory_bytes_new(ws->memory->meter, 8);
    memcpy(bytes->data, "changed\n", 8);
    struct memory_object *file = memory_file_new(ws->memory->meter, bytes, NULL);
    size_t before = mallinfo2().uordblks;
    struct memory_object *edited = memory_tree_put(top, "d7/e3/f127", file);
    size_t copied = mallinfo2().uordblks - before;
    TEST_ASSERT_NOT_NULL(edited);
    TEST_ASSERT_LESS_THAN(4096, copied);
    memory_object_drop(edited);
    memory_object_drop(file);
    memory_object_drop(top);
    put_file(ws, "d7/e3/f127", "changed");
    TEST_ASSERT_EQUAL_STRING("changed", content_of(ws, "d7/e3/f127"));
    memory_unmark(mark);
}

void test_memory__limit_counts_what_marks_keep(void) {
    aqfs_free(ws);
    ws = open_elsewhere("\"backend\": \"memory\", \"limits\": {\"memory_bytes\": 20000}");
    char big[512] = "";
    memset(big, 'x', 400);
    for (int i = 0; i < 20; i++) {
        char path[16];
        (void)snprintf(path, sizeof path, "f%d", i);
        put_file(ws, path, big);
    }
    struct memory_root *mark = memory_mark(ws);
    for (int i = 0; i < 20; i++) {
        char path[16];
        (void)snprintf(path, sizeof path, "f%d", i);
        drop(path);
    }
    char args[1024];
    int written = 0;
    for (; written < 40; written++) {
        (void)snprintf(args, sizeof args, "{\"path\": \"g%d\", \"content\": \"%s\"}", written, big);
        if (strcmp(code_of(change(ws, "write_file", args)), "ok") != 0)
            break;
    }
    TEST_ASSERT_LESS_THAN(20, written);
    TEST_ASSERT_EQUAL_STRING("limit", code_of(change(ws, "write_file", args)));
    memory_unmark(mark);
    TEST_ASSERT_EQUAL_STRING("ok", code_of(change(ws, "write_file", args)));
}

/* -- versions and times ----------------------------------------------------------------------- */

static long long revision(const char *path) {
    return number_in(ask_path(ws, "get_file_info", path), "revision");
}

void test_memory__revisions_and_times(void) {
    put_file(ws, "a", "1");
    char created[32];
    (void)snprintf(created, sizeof created, "%s",
                   text_in(ask_path(ws, "get_file_info", "a"), "created"));
    TEST_ASSERT_EQUAL(1, revision("a"));
    pause_ms(3);
    TEST_ASSERT_EQUAL_STRING(
        "ok", code_of(change(ws, "write_file",
                             "{\"path\": \"a\", \"content\": \"2\", \"mode\": \"append\"}")));
    TEST_ASSERT_EQUAL_STRING(
        "ok", code_of(change(ws, "edit_file",
                             "{\"path\": \"a\", \"old_str\": \"12\", \"new_str\": \"3\"}")));
    const json_t *info = ask_path(ws, "get_file_info", "a");
    TEST_ASSERT_EQUAL(3, number_in(info, "revision"));
    TEST_ASSERT_EQUAL_STRING(created, text_in(info, "created"));
    TEST_ASSERT_TRUE(strcmp(created, text_in(info, "modified")) < 0);
    TEST_ASSERT_EQUAL('Z', created[strlen(created) - 1]);
    (void)change(ws, "copy_file", "{\"source\": \"a\", \"destination\": \"b\"}");
    TEST_ASSERT_EQUAL(1, revision("b"));
    (void)change(ws, "move_file", "{\"source\": \"a\", \"destination\": \"c\"}");
    TEST_ASSERT_EQUAL(3, revision("c"));
}

/* -- together --------------------------------------------------------------------------------- */

#define THREADS 4
#define WRITES 100

static void *write_and_read(void *data) {
    int me = *(int *)data;
    for (int i = 0; i < WRITES; i++) {
        char request[256];
        int n = snprintf(request, sizeof request,
                         "{\"op\": \"write_file\", \"authority\": \"dangerous\", \"args\": "
                         "{\"path\": \"t%d/f%d\", \"content\": \"%d\"}}",
                         me, i % 10, i);
        aqfs_reply_free(aqfs_call(ws, request, (size_t)n, NULL));
        static const char look[] = "{\"op\": \"directory_tree\", \"args\": {}}";
        aqfs_reply_free(aqfs_call(ws, look, sizeof look - 1, NULL));
    }
    return NULL;
}

/* threat 131: for the thread sanitizer, and for the files that are there in the end. */
void test_memory__threads(void) {
    pthread_t threads[THREADS];
    int me[THREADS];
    for (int i = 0; i < THREADS; i++) {
        me[i] = i;
        TEST_ASSERT_EQUAL(0, pthread_create(&threads[i], NULL, write_and_read, &me[i]));
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++) {
        char path[16];
        (void)snprintf(path, sizeof path, "t%d/f9", i);
        TEST_ASSERT_EQUAL_STRING("99", content_of(ws, path));
    }
}

/* threat 78: as deep as a path can be, and away again. */
void test_memory__deep(void) {
    char path[4096] = "d", args[5000];
    for (size_t n = 1; n < 4000; n += 2)
        memcpy(path + n, "/d", 3);
    (void)snprintf(args, sizeof args,
                   "{\"op\": \"make_directory\", \"args\": {\"path\": \"%s\"}, "
                   "\"authority\": \"dangerous\"}",
                   path);
    TEST_ASSERT_EQUAL_STRING("ok", code_of(ask_raw(ws, args, strlen(args), NULL)));
    TEST_ASSERT_EQUAL_STRING("ok", code_of(ask_path(ws, "get_file_info", path)));
    TEST_ASSERT_EQUAL_STRING("ok", code_of(ask_path(ws, "directory_tree", ".")));
    TEST_ASSERT_EQUAL_STRING("limit", code_of(change(ws, "delete_file",
                                                     "{\"path\": \"d\", "
                                                     "\"recursive\": true}")));
    aqfs_reply_free(aqfs_reset(ws, AQFS_JSON));
    TEST_ASSERT_EQUAL_STRING("not-found", code_of(ask_path(ws, "get_file_info", "d")));
}

/* threat 78: many names in one directory. */
void test_memory__wide(void) {
    for (int i = 0; i < 20000; i++) {
        char path[32];
        (void)snprintf(path, sizeof path, "w/%05d", (i * 7919) % 20000);
        struct memory_bytes *bytes = memory_bytes_new(ws->memory->meter, 0);
        struct memory_object *file = memory_file_new(ws->memory->meter, bytes, NULL);
        struct memory_object *top = memory_tree_put(ws->memory->top, path, file);
        memory_object_drop(ws->memory->top);
        memory_object_drop(file);
        ws->memory->top = top;
    }
    const json_t *reply = change(ws, "list_directory", "{\"path\": \"w\", \"limit\": 2}");
    TEST_ASSERT_EQUAL(20000, number_in(reply, "total"));
    TEST_ASSERT_EQUAL_STRING("00000 00001", names_in(reply, "entries", "name"));
}
