/* SPDX-License-Identifier: MIT */
#include "node.h"

#include "fixture.h"

#include "unity.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct error error;

void setUp(void) {
    support_start();
    make_file(project_path("d/e/f"), "inside\n");
    make_file(base_path("outside/f"), "outside\n");
    ws = open_project("");
}

static void check_path(const char *path, const char *above) {
    char out[PATH_BYTES_MAX + 1];
    TEST_ASSERT_TRUE(parent_path(path, out));
    TEST_ASSERT_EQUAL_STRING(above, out);
}

void test_node__path(void) {
    char out[PATH_BYTES_MAX + 1];
    check_path("a", "");
    check_path("a/b", "a");
    check_path("a/b/c", "a/b");
    TEST_ASSERT_FALSE(parent_path("", out));
}

static bool share(const char *a, const char *b) {
    struct place x = {.root = &ws->roots[0]}, y = {.root = &ws->roots[0]};
    (void)snprintf(x.path, sizeof x.path, "%s", a);
    (void)snprintf(y.path, sizeof y.path, "%s", b);
    TEST_ASSERT_EQUAL(parent_is_shared(&x, &y), parent_is_shared(&y, &x));
    return parent_is_shared(&x, &y);
}

void test_node__shared(void) {
    TEST_ASSERT_TRUE(share("a", "b"));
    TEST_ASSERT_TRUE(share("d/a", "d/b"));
    TEST_ASSERT_TRUE(share("d/e/a", "d/e/ab"));
    TEST_ASSERT_FALSE(share("d/a", "a"));
    TEST_ASSERT_FALSE(share("d/a", "e/a"));
    TEST_ASSERT_FALSE(share("d/e/a", "d/a"));
    struct place x = {.root = &ws->roots[0]}, y = {.root = NULL};
    TEST_ASSERT_FALSE(parent_is_shared(&x, &y));
}

static int open_at(const char *path, struct parent *out) {
    *out = (struct parent){0};
    return parent_open(ws, &ws->roots[0], path, out, &error);
}

void test_node__open(void) {
    struct parent p;
    struct info info;
    TEST_ASSERT_EQUAL(AQFS_OK, open_at("d/e/f", &p));
    TEST_ASSERT_EQUAL_STRING("f", p.name);
    TEST_ASSERT_EQUAL(AQFS_OK, ws->backend->stat_below(&p.node, "f", &info, &error));
    TEST_ASSERT_EQUAL(7, info.size);
    parent_close(&p);
    TEST_ASSERT_EQUAL(AQFS_OK, open_at("new", &p)); /* the name itself need not exist */
    TEST_ASSERT_EQUAL_STRING("new", p.name);
    parent_close(&p);
}

void test_node__a_root_has_none(void) {
    struct parent p;
    TEST_ASSERT_EQUAL(AQFS_INVALID_ARGUMENT, open_at("", &p));
    parent_close(&p);
}

void test_node__missing_or_no_directory(void) {
    struct parent p;
    TEST_ASSERT_EQUAL(AQFS_NOT_FOUND, open_at("none/f", &p));
    TEST_ASSERT_TRUE(open_at("d/e/f/g", &p) != AQFS_OK);
    parent_close(&p);
}

/* Threats 11 and 17: a directory that was replaced by a link is not entered. */
void test_node__no_link_is_followed(void) {
    struct parent p;
    make_link(project_path("in"), "d");
    make_link(project_path("out"), "../outside");
    make_link(project_path("d/out"), "../../outside");
    TEST_ASSERT_EQUAL(AQFS_RACED, open_at("in/f", &p));
    TEST_ASSERT_EQUAL(AQFS_RACED, open_at("out/f", &p));
    TEST_ASSERT_EQUAL(AQFS_RACED, open_at("d/out/f", &p));
    parent_close(&p);
}
