/* SPDX-License-Identifier: MIT */
#include "tree_remove.h"

#include "changes.h"
#include "fixture.h"

#include "unity.h"

#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

static struct error error;

void setUp(void) {
    support_start();
    make_file(project_path("d/e/f"), "inside\n");
    make_file(base_path("outside/f"), "outside\n");
    ws = open_project("");
}

static int remove_tree(const char *name) {
    struct node node = {0};
    int code = ws->backend->open(ws, &ws->roots[0], "", OPEN_DIRECTORY, &node, &error);
    code = code ? code : tree_remove(ws, &node, name, &error);
    node_close(&node);
    return code;
}

static bool exists(const char *path) {
    struct stat s;
    return lstat(path, &s) == 0;
}

void test_tree_remove__all_below(void) {
    make_file(project_path("d/.hidden"), "");
    make_directory(project_path("d/empty/empty"));
    make_file(project_path("dd/f"), "kept\n");
    TEST_ASSERT_EQUAL(0, mkfifo(project_path("d/fifo"), 0600));
    TEST_ASSERT_EQUAL(AQFS_OK, remove_tree("d"));
    TEST_ASSERT_FALSE(exists(project_path("d")));
    TEST_ASSERT_EQUAL_STRING("kept\n", text_of(project_path("dd/f")));
}

/* Threat 15: links are removed, their targets stay. */
void test_tree_remove__links_are_not_followed(void) {
    make_link(project_path("d/out"), "../../outside");
    make_link(project_path("d/file"), "../../outside/f");
    make_link(project_path("d/up"), "..");
    make_file(project_path("kept"), "kept\n");
    TEST_ASSERT_EQUAL(AQFS_OK, remove_tree("d"));
    TEST_ASSERT_EQUAL_STRING("outside\n", text_of(base_path("outside/f")));
    TEST_ASSERT_EQUAL_STRING("kept\n", text_of(project_path("kept")));
}

void test_tree_remove__a_link_itself_is_no_tree(void) {
    make_link(project_path("l"), "../outside");
    TEST_ASSERT_TRUE(remove_tree("l") != AQFS_OK);
    TEST_ASSERT_TRUE(exists(project_path("l")));
    TEST_ASSERT_EQUAL_STRING("outside\n", text_of(base_path("outside/f")));
}

void test_tree_remove__missing(void) {
    TEST_ASSERT_EQUAL(AQFS_NOT_FOUND, remove_tree("none"));
}

/* Threat 30: more names than one reading of a directory holds. */
void test_tree_remove__many(void) {
    for (int i = 0; i < 3000; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "d/e/%d", i);
        make_file(project_path(name), "");
    }
    TEST_ASSERT_EQUAL(AQFS_OK, remove_tree("d"));
    TEST_ASSERT_FALSE(exists(project_path("d")));
}

void test_tree_remove__not_too_deep(void) {
    aqfs_free(ws);
    ws = open_project("\"limits\":{\"walk_depth\":3}");
    make_file(project_path("d/1/2/3/4/f"), "kept\n");
    TEST_ASSERT_EQUAL(AQFS_LIMIT, remove_tree("d"));
    TEST_ASSERT_EQUAL_STRING("kept\n", text_of(project_path("d/1/2/3/4/f")));
}

/* Threats 32 and 103. */
static int mounted_inside(void) {
    if (!own_mounts() || mount("tmpfs", project_path("d/e"), "tmpfs", 0, "") != 0)
        return CHILD_SKIP;
    make_file(project_path("d/e/theirs"), "theirs\n");
    CHILD_CHECK(remove_tree("d") != AQFS_OK);
    CHILD_CHECK(strcmp(text_of(project_path("d/e/theirs")), "theirs\n") == 0);
    return 0;
}

void test_tree_remove__no_other_file_system(void) {
    run_child(mounted_inside, "no mounts of one's own are permitted here");
}

static bool mount_outside(const char *options) {
    char from[PATH_BYTES_MAX + 1];
    (void)snprintf(from, sizeof from, "%s", base_path("outside"));
    if (!own_mounts() || mount(from, project_path("d/e"), NULL, MS_BIND, NULL) != 0)
        return false;
    reopen(options);
    return true;
}

/* Without statx, or where it does not tell mounts, they are known by their file systems where they
 * are allowed: see doc/threats.org, "A kernel that lacks something". */
static bool mounts_are_told(void) {
    struct error e;
    struct info info = {0};
    struct node node = {0};
    bool told = ws->backend->open(ws, &ws->roots[0], "", OPEN_DIRECTORY, &node, &e) == AQFS_OK &&
                ws->backend->stat(&node, &info, &e) == AQFS_OK && info.mount != 0;
    node_close(&node);
    return told;
}

/* Threat 161: a directory of the same file system. */
static int directory_mounted_inside(void) {
    if (!mounts_are_told() || !mount_outside("\"cross_mounts\":true"))
        return CHILD_SKIP;
    CHILD_CHECK(remove_tree("d") != AQFS_OK);
    CHILD_CHECK(strcmp(text_of(base_path("outside/f")), "outside\n") == 0);
    return 0;
}

void test_tree_remove__no_other_mount(void) {
    run_child(directory_mounted_inside, "no mounts of one's own are permitted, or told, here");
}

static int asked_to_delete_a_mount(void) {
    static const char *const options[2] = {"", "\"cross_mounts\":true"};
    for (size_t i = 0; i < (mounts_are_told() ? 2 : 1); i++) {
        if (i == 0 && !mount_outside(options[i]))
            return CHILD_SKIP;
        reopen(options[i]);
        const json_t *reply = change(ws, "delete_file", "{\"path\":\"d\",\"recursive\":true}");
        CHILD_CHECK(strcmp(code_of(reply), "outside-root") == 0);
        CHILD_CHECK(strstr(text_in(reply, "message"), "'d/e' is mounted from elsewhere") != NULL);
        CHILD_CHECK(strcmp(text_of(project_path("d/e/f")), "outside\n") == 0);
        CHILD_CHECK(temporary_files() == 0);
    }
    return 0;
}

/* Before anything is done: nothing is moved away, and nothing is left. */
void test_tree_remove__a_deletion_says_what_is_mounted(void) {
    run_child(asked_to_delete_a_mount, "no mounts of one's own are permitted here");
}
