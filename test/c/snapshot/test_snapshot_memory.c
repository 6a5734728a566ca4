/* Snapshots of workspaces that are no project: in memory, and a session's own directory.
 *
 * SPDX-License-Identifier: MIT
 */
#include "fixture.h"
#include "memory.h"
#include "snapshots.h"

#include "unity.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

void setUp(void) {
    support_start();
}

static json_t *ok(json_t *reply) {
    TEST_ASSERT_EQUAL_STRING_MESSAGE("ok", code_of(reply), text_in(reply, "message"));
    return reply;
}

static void drop(const char *path) {
    char args[400];
    (void)snprintf(args, sizeof args, "{\"path\": \"%s\", \"recursive\": true}", path);
    ok(change(ws, "delete_file", args));
}

static const char *tree(void) {
    static char text[2000];
    json_t *reply = ok(ask(ws, "directory_tree", "{\"exclude_patterns\": []}"));
    (void)snprintf(text, sizeof text, "%s", text_in(reply, "text"));
    return text;
}

static void open_as(const char *backend) {
    char members[1000];
    make_directory(base_path("tmp"));
    (void)snprintf(members, sizeof members,
                   "\"backend\": \"%s\", \"state_dir\": \"%s\", \"temp_dir\": \"%s\"", backend,
                   base_path("state"), base_path("tmp"));
    ws = open_elsewhere(members);
}

/* Everything that can differ, there and back. */
static void check_there_and_back(const char *backend) {
    open_as(backend);
    put_file(ws, "a.txt", "one");
    put_file(ws, "src/b.c", "int b;");
    put_file(ws, "src/deep/c.c", "int c;");
    put_file(ws, "thing", "a file");
    put_file(ws, "place/of/its", "own");
    ok(change(ws, "make_directory", "{\"path\": \"empty\"}"));
    char before[2000];
    (void)snprintf(before, sizeof before, "%s", tree());
    const char *id = snapshot(ws);

    put_file(ws, "a.txt", "two");
    drop("src");
    drop("empty");
    drop("thing");
    put_file(ws, "thing/now", "a directory");
    drop("place");
    put_file(ws, "place", "a file");
    put_file(ws, "new/file", "x");
    char after[2000];
    (void)snprintf(after, sizeof after, "%s", tree());
    TEST_ASSERT_NOT_NULL(strstr(text_in(on_snapshot(ws, "snapshot_diff", id), "diff"), "-one"));

    json_t *reply = go_back(ws, id);
    TEST_ASSERT_EQUAL_STRING(before, tree());
    TEST_ASSERT_EQUAL_STRING("one", content_of(ws, "a.txt"));
    TEST_ASSERT_EQUAL_STRING("int c;", content_of(ws, "src/deep/c.c"));
    TEST_ASSERT_EQUAL_STRING("a file", content_of(ws, "thing"));

    go_back(ws, text_in(reply, "safety"));
    TEST_ASSERT_EQUAL_STRING(after, tree());
    TEST_ASSERT_EQUAL_STRING("two", content_of(ws, "a.txt"));
    TEST_ASSERT_EQUAL_STRING("a directory", content_of(ws, "thing/now"));
}

void test_snapshot_memory__there_and_back(void) {
    check_there_and_back("memory");
}

void test_snapshot_memory__there_and_back_in_a_session(void) {
    check_there_and_back("session");
}

/* The deeds of a command in a session's directory are put back with their permissions. */
void test_snapshot_memory__modes_in_a_session(void) {
    char directory[1000], file[1010];
    open_as("session");
    put_file(ws, "private/key", "x");
    const char *root = text_in(ok(ask(ws, "get_project_root", "{}")), "root");
    (void)snprintf(directory, sizeof directory, "%sprivate", root);
    (void)snprintf(file, sizeof file, "%s/key", directory);
    TEST_ASSERT_EQUAL(0, chmod(file, 0600));
    TEST_ASSERT_EQUAL(0, chmod(directory, 0700));
    const char *id = snapshot(ws);
    drop("private");
    go_back(ws, id);
    TEST_ASSERT_EQUAL_HEX(0600, mode_of(file));
    TEST_ASSERT_EQUAL_HEX(0700, mode_of(directory));
}

/* Sessions keep their snapshots in one place; none forgets those of another. */
void test_snapshot_memory__sessions_prune_their_own(void) {
    open_as("session");
    aqfs_workspace *other = ws;
    put_file(other, "a", "one");
    const char *first = snapshot(other);
    put_file(other, "a", "two");
    (void)snapshot(other);
    put_file(other, "a", "three");
    open_as("session");
    put_file(ws, "b", "x");
    (void)snapshot(ws);
    put_file(ws, "b", "y");
    (void)snapshot(ws);
    json_t *shown = ok(preview(ws, "snapshot_prune", "{\"keep\": 1, \"bytes\": 0}"));
    TEST_ASSERT_EQUAL_STRING("snapshot_prune: forgets 1 of 2 snapshots", text_in(shown, "summary"));
    TEST_ASSERT_EQUAL(
        1, number_in(ok(change(ws, "snapshot_prune", "{\"keep\": 1, \"bytes\": 0}")), "forgotten"));
    TEST_ASSERT_EQUAL(2, number_in(ok(ask(other, "snapshot_list", "{}")), "total"));
    go_back(other, first);
    TEST_ASSERT_EQUAL_STRING("one", content_of(other, "a"));
    aqfs_free(other);
}

/* Where somebody asks for room, those that may go are named, and the latest is not one of them. */
void test_snapshot_memory__the_latest_stays(void) {
    open_as("memory");
    put_file(ws, "a", "one");
    const char *first = snapshot(ws);
    put_file(ws, "a", "two");
    const char *latest = snapshot(ws);
    json_t *shown = ok(preview(ws, "snapshot_prune", "{\"bytes\": 1}"));
    TEST_ASSERT_EQUAL_STRING("snapshot_prune: forgets up to 1 of 2 snapshots",
                             text_in(shown, "summary"));
    TEST_ASSERT_NOT_NULL(strstr(text_in(shown, "diff"), first));
    TEST_ASSERT_NULL(strstr(text_in(shown, "diff"), latest));
    TEST_ASSERT_EQUAL(1,
                      number_in(ok(change(ws, "snapshot_prune", "{\"bytes\": 1}")), "forgotten"));
    go_back(ws, latest);
    TEST_ASSERT_EQUAL_STRING("two", content_of(ws, "a"));
}

void test_snapshot_memory__records(void) {
    open_as("memory");
    put_file(ws, "a", "one");
    json_t *first = ok(change(ws, "snapshot_create", "{\"tag\": \"first\"}"));
    TEST_ASSERT_EQUAL_STRING("mem-1", text_in(first, "commit_ref"));
    TEST_ASSERT_EQUAL_STRING(MEMORY_ROOT, text_in(first, "root_path"));
    TEST_ASSERT_EQUAL(1, number_in(first, "files"));
    put_file(ws, "b/c", "two");
    json_t *second = ok(change(ws, "snapshot_create", "{}"));
    TEST_ASSERT_EQUAL_STRING("mem-2", text_in(second, "commit_ref"));
    TEST_ASSERT_EQUAL(2, number_in(second, "files"));
    char both[100];
    (void)snprintf(both, sizeof both, "{\"id\": \"%s\", \"other\": \"%s\"}", text_in(first, "id"),
                   text_in(second, "id"));
    json_t *diff = ok(ask(ws, "snapshot_diff", both));
    TEST_ASSERT_NOT_NULL(strstr(text_in(diff, "diff"), "+two"));
    TEST_ASSERT_EQUAL_STRING(
        "snapshot",
        code_of(on_snapshot(ws, "snapshot_diff", "00000000-0000-4000-8000-000000000000")));
    drop("b");
    ok(change(ws, "snapshot_prune", "{\"keep\": 1}"));
    TEST_ASSERT_EQUAL_STRING(text_in(second, "id"),
                             names_in(ask(ws, "snapshot_list", "{}"), "snapshots", "id"));
    TEST_ASSERT_EQUAL(1, number_in(ok(change(ws, "snapshot_create", "{}")), "files"));
}

/* Taking one copies nothing, and what is changed afterwards shares the rest. */
void test_snapshot_memory__shares_what_is_the_same(void) {
    open_as("memory");
    char path[40];
    for (int i = 0; i < 2000; i++) {
        (void)snprintf(path, sizeof path, "d%d/f%d", i % 40, i);
        put_file(ws, path, "the content of a file, which is not copied");
    }
    int64_t before = atomic_load(&ws->memory->meter->bytes);
    snapshot(ws);
    TEST_ASSERT_EQUAL_INT64(before, atomic_load(&ws->memory->meter->bytes));
    put_file(ws, "d0/f0", "another");
    TEST_ASSERT_LESS_THAN_INT64(before + 4096, atomic_load(&ws->memory->meter->bytes));
}
