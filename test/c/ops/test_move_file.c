/* Tests of moving, copying and deleting that the conformance table cannot express.
 *
 * SPDX-License-Identifier: MIT
 */
#include "changes.h"
#include "cleanup.h"
#include "fixture.h"

#include "unity.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void setUp(void) {
    support_start();
    make_file(project_path("a.txt"), "one\n");
    ws = open_project("");
}

static bool exists(const char *name) {
    return access(project_path(name), F_OK) == 0;
}

/* Plans OP, calls DISTURB and commits the plan; returns the reply to the commit. */
static const char *disturbed(const char *op, const char *args, void (*disturb)(void)) {
    const json_t *shown = preview(ws, op, args);
    TEST_ASSERT_EQUAL_STRING("ok", code_of(shown));
    disturb();
    return code_of(change_approved(ws, text_in(shown, "digest"), op, args));
}

static void rewrite_a(void) {
    make_file(project_path("a.txt"), "theirs\n");
}

/* Threat 25: the file that was shown is the one that is deleted. */
void test_move_file__another_file_is_not_deleted(void) {
    TEST_ASSERT_EQUAL_STRING("stale", disturbed("delete_file", "{\"path\":\"a.txt\"}", rewrite_a));
    TEST_ASSERT_EQUAL_STRING("theirs\n", text_of(project_path("a.txt")));
}

void test_move_file__another_file_is_not_moved(void) {
    TEST_ASSERT_EQUAL_STRING(
        "stale", disturbed("move_file", "{\"source\":\"a.txt\",\"destination\":\"b\"}", rewrite_a));
    TEST_ASSERT_EQUAL_STRING("theirs\n", text_of(project_path("a.txt")));
    TEST_ASSERT_FALSE(exists("b"));
}

void test_move_file__another_file_is_not_copied(void) {
    TEST_ASSERT_EQUAL_STRING(
        "stale", disturbed("copy_file", "{\"source\":\"a.txt\",\"destination\":\"b\"}", rewrite_a));
    TEST_ASSERT_FALSE(exists("b"));
}

/* The digest of the plan to delete a file of these bytes, whose inode stays the same. */
static char *digest_of_deleting(const char *bytes) {
    make_file(project_path("full"), bytes);
    return strdup(text_in(preview(ws, "delete_file", "{\"path\":\"full\"}"), "digest"));
}

void test_move_file__the_digest_covers_as_many_bytes_as_can_be_read(void) {
    reopen("\"limits\":{\"read_bytes\":10}");
    AUTO_FREE char *digest = digest_of_deleting("0123456789");
    AUTO_FREE char *other = digest_of_deleting("9876543210");
    TEST_ASSERT_NOT_EQUAL(0, strcmp(digest, other));
}

static void make_b(void) {
    make_file(project_path("b"), "theirs\n");
}

void test_move_file__what_appears_at_the_destination_stays(void) {
    TEST_ASSERT_EQUAL_STRING("stale", disturbed("move_file",
                                                "{\"source\":\"a.txt\",\"destination\":\"b\","
                                                "\"allow_overwrite\":true}",
                                                make_b));
    TEST_ASSERT_EQUAL_STRING("theirs\n", text_of(project_path("b")));
    TEST_ASSERT_EQUAL_STRING("one\n", text_of(project_path("a.txt")));
}

static void retarget(void) {
    TEST_ASSERT_EQUAL(0, unlink(project_path("link")));
    make_link(project_path("link"), "other");
}

/* Some file systems give the other link the same inode, and often the same times. */
void test_move_file__another_link_is_not_deleted(void) {
    for (int i = 0; i < 20; i++) {
        char target[16] = "";
        make_link(project_path("link"), "a.txt");
        TEST_ASSERT_EQUAL_STRING("stale",
                                 disturbed("delete_file", "{\"path\":\"link\"}", retarget));
        TEST_ASSERT_EQUAL(5, readlink(project_path("link"), target, sizeof target));
        TEST_ASSERT_EQUAL(0, unlink(project_path("link")));
    }
}

/* Source and destination are two names of one inode: rename(2) would do nothing and succeed. */
void test_move_file__onto_a_hard_link_of_itself(void) {
    make_second_name(project_path("a.txt"), project_path("twin"));
    const json_t *reply = change(ws, "move_file",
                                 "{\"source\":\"a.txt\",\"destination\":\"twin\","
                                 "\"allow_overwrite\":true}");
    TEST_ASSERT_EQUAL_STRING("ok", code_of(reply));
    TEST_ASSERT_FALSE(exists("a.txt"));
    TEST_ASSERT_EQUAL_STRING("one\n", text_of(project_path("twin")));
}

/* -- trees ------------------------------------------------------------------------------------ */

static void make_deep(int levels) {
    int fd = open(project_path(""), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; i < levels; i++) {
        TEST_ASSERT_EQUAL(0, mkdirat(fd, "d", 0755));
        int below = openat(fd, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        close(fd);
        fd = below;
    }
    close(fd);
}

void test_move_file__a_deep_tree_is_deleted(void) {
    make_deep(250);
    TEST_ASSERT_EQUAL_STRING(
        "ok", code_of(change(ws, "delete_file", "{\"path\":\"d\",\"recursive\":true}")));
    TEST_ASSERT_FALSE(exists("d"));
    TEST_ASSERT_EQUAL(0, temporary_files());
}

/* A tree that cannot be read completely is not deleted even in part. */
void test_move_file__a_tree_that_is_too_deep_is_left_alone(void) {
    make_deep(400);
    TEST_ASSERT_EQUAL_STRING(
        "limit", code_of(change(ws, "delete_file", "{\"path\":\"d\",\"recursive\":true}")));
    TEST_ASSERT_TRUE(exists("d/d/d/d"));
    TEST_ASSERT_EQUAL(0, temporary_files());
}

void test_move_file__a_tree_with_what_cannot_be_read_is_left_alone(void) {
    if (geteuid() == 0)
        TEST_IGNORE_MESSAGE("root reads everything");
    make_file(project_path("d/e/f"), "x");
    TEST_ASSERT_EQUAL(0, chmod(project_path("d/e"), 0));
    TEST_ASSERT_EQUAL_STRING(
        "permission", code_of(change(ws, "delete_file", "{\"path\":\"d\",\"recursive\":true}")));
    TEST_ASSERT_EQUAL(0, chmod(project_path("d/e"), 0755));
    TEST_ASSERT_EQUAL_STRING("x", text_of(project_path("d/e/f")));
}

void test_move_file__the_tiers(void) {
    make_file(project_path("d/x"), "");
    TEST_ASSERT_EQUAL_STRING("dangerous",
                             text_in(preview(ws, "delete_file", "{\"path\":\"a.txt\"}"), "tier"));
    TEST_ASSERT_EQUAL_STRING(
        "dangerous",
        text_in(preview(ws, "delete_file", "{\"path\":\"d\",\"recursive\":true}"), "tier"));
}
