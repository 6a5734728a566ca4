/* Tests of directory_tree beyond the conformance table: deep, large, in both formats.
 *
 * SPDX-License-Identifier: MIT
 */
#include "aqfs.h"

#include "fixture.h"

#include "unity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void setUp(void) {
    support_start();
    ws = open_project("");
}

static const json_t *children(const json_t *node) {
    return json_object_get(node, "children");
}

static const json_t *tree_of(const json_t *reply) {
    return json_object_get(reply, "tree");
}

/* How many nodes there are, not counting the root's. */
static size_t count(const json_t *node) {
    size_t n = 0, i;
    json_t *child;
    json_array_foreach(children(node), i, child) n += 1 + count(child);
    return n;
}

static void make_many(int n) {
    char name[60];
    for (int i = 0; i < n; i++) {
        (void)snprintf(name, sizeof name, "d%02d/e%d/f%04d", i % 20, i % 3, i);
        make_file(project_path(name), "x");
    }
}

void test_directory_tree__every_entry_once(void) {
    make_many(900);
    const json_t *reply = ask(ws, "directory_tree", "{}");
    TEST_ASSERT_EQUAL(900, number_in(reply, "files"));
    TEST_ASSERT_EQUAL(80, number_in(reply, "directories"));
    TEST_ASSERT_EQUAL(980, count(tree_of(reply)));
    TEST_ASSERT_FALSE(json_is_true(json_object_get(reply, "truncated")));
}

/* The tree is the same whether sizes are read while walking or afterwards. */
void test_directory_tree__the_same_however_sizes_are_read(void) {
    make_many(300);
    const json_t *afterwards = ask(ws, "directory_tree", "{\"limit\": 2000}");
    const json_t *meanwhile = ask(ws, "directory_tree", "{\"limit\": 0}");
    TEST_ASSERT_TRUE(json_equal(tree_of(afterwards), tree_of(meanwhile)));
    TEST_ASSERT_EQUAL_STRING(text_in(afterwards, "text"), text_in(meanwhile, "text"));
}

/* The limit shows whole levels from the top, and each directory counts what it leaves out. */
void test_directory_tree__a_limit_leaves_out_and_counts(void) {
    make_many(900);
    for (int limit = 1; limit < 980; limit += 100) {
        char args[40];
        (void)snprintf(args, sizeof args, "{\"limit\": %d}", limit);
        const json_t *reply = ask(ws, "directory_tree", args);
        TEST_ASSERT_EQUAL(limit, count(tree_of(reply)));
        TEST_ASSERT_TRUE(json_is_true(json_object_get(reply, "truncated")));
        TEST_ASSERT_EQUAL(900, number_in(reply, "files"));
    }
    const json_t *reply = ask(ws, "directory_tree", "{\"limit\": 20}");
    TEST_ASSERT_EQUAL_STRING("d00", text_in(json_array_get(children(tree_of(reply)), 0), "name"));
    TEST_ASSERT_EQUAL(3, number_in(json_array_get(children(tree_of(reply)), 0), "more"));
}

static void make_deep(int levels) {
    make_file(project_path("top"), "x");
    make_directory(project_path(repeated("d/", (size_t)levels)));
}

/* Both formats of a tree that is as deep as a walk may be can be read back. */
void test_directory_tree__as_deep_as_a_walk_may_be(void) {
    static const char request[] = "{\"op\": \"directory_tree\"}";
    make_deep(300);
    const json_t *reply = ask(ws, "directory_tree", "{}");
    TEST_ASSERT_EQUAL_STRING("ok", code_of(reply));
    TEST_ASSERT_EQUAL(257, count(tree_of(reply)));
    TEST_ASSERT_TRUE(json_is_true(json_object_get(reply, "cut")));
    aqfs_reply *sexp = aqfs_call(ws, request, sizeof request - 1, NULL);
    const char *text = aqfs_reply_text(sexp, NULL);
    int depth = 0, deepest = 0;
    bool quoted = false;
    for (; *text; text++) {
        quoted = *text == '"' ? !quoted : quoted; /* no name here has a quote */
        depth += !quoted && *text == '(';
        depth -= !quoted && *text == ')';
        deepest = depth > deepest ? depth : deepest;
    }
    TEST_ASSERT_EQUAL(0, depth);
    TEST_ASSERT_TRUE(deepest > 500);
    aqfs_reply_free(sexp);
}

void test_directory_tree__its_text_is_bounded(void) {
    make_many(900);
    aqfs_free(ws);
    ws = open_project("\"limits\": {\"text_bytes\": 2048}");
    const json_t *reply = ask(ws, "directory_tree", "{}");
    TEST_ASSERT_EQUAL(980, count(tree_of(reply)));
    TEST_ASSERT_TRUE(strlen(text_in(reply, "text")) < 2200);
    TEST_ASSERT_NOT_NULL(strstr(text_in(reply, "text"), "[truncated"));
}

/* Threat 79: restricted places are neither named nor counted. */
void test_directory_tree__restricted_places_are_not_counted(void) {
    make_many(60);
    aqfs_free(ws);
    ws = open_project("\"restricted_paths\": [\"d00\", \"d01/e1\"]");
    const json_t *reply = ask(ws, "directory_tree", "{}");
    char *printed = json_dumps(reply, 0);
    TEST_ASSERT_NULL(strstr(printed, "d00"));
    free(printed);
    TEST_ASSERT_EQUAL(count(tree_of(reply)),
                      number_in(reply, "files") + number_in(reply, "directories"));
    TEST_ASSERT_TRUE(number_in(reply, "files") < 60);
}
