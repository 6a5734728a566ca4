/* What a snapshot keeps, what it leaves out, and that it can be found again. */
#include "changes.h"

#include "unity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STATE "\"state_dir\":\"%s/state\""

static aqfs_workspace *ws;

void setUp(void) {
    support_start();
    make_file(project_path("a.txt"), "one\n");
    make_file(project_path("src/b.c"), "int b;\n");
    make_directory(project_path("empty"));
    make_link(project_path("link"), "src/b.c");
    ws = open_project(STATE);
}

void tearDown(void) {
    aqfs_free(ws);
    support_end();
}

static const char *create(const char *tag) {
    char args[100];
    (void)snprintf(args, sizeof args, "{\"tag\":\"%s\"}", tag);
    json_t *reply = change(ws, "snapshot_create", args);
    TEST_ASSERT_EQUAL_STRING_MESSAGE("ok", code_of(reply), text_in(reply, "message"));
    return text_in(reply, "id");
}

static json_t *ask_id(const char *op, const char *id) {
    char args[200];
    (void)snprintf(args, sizeof args, "{\"id\":\"%s\"}", id);
    return change(ws, op, args);
}

static void check_restored(const char *id) {
    json_t *reply = ask_id("snapshot_restore", id);
    TEST_ASSERT_EQUAL_STRING_MESSAGE("ok", code_of(reply), text_in(reply, "message"));
    reply = ask_id("snapshot_diff", id);
    TEST_ASSERT_EQUAL_STRING("", names_in(reply, "files", "path"));
}

static void check_text(const char *name, const char *text) {
    TEST_ASSERT_EQUAL_STRING(text, text_of(project_path(name)));
}

void test_snapshot__record(void) {
    json_t *reply = change(ws, "snapshot_create", "{\"tag\":\"first\"}");
    TEST_ASSERT_EQUAL_STRING("ok", code_of(reply));
    TEST_ASSERT_EQUAL(36, strlen(text_in(reply, "id")));
    TEST_ASSERT_EQUAL(40, strlen(text_in(reply, "commit_ref")));
    TEST_ASSERT_EQUAL_STRING("first", text_in(reply, "tag"));
    TEST_ASSERT_EQUAL_STRING(project_path(""), text_in(reply, "root_path"));
    TEST_ASSERT_NOT_NULL(strstr(text_in(reply, "git_dir"), "/state/snapshots/"));
    TEST_ASSERT_EQUAL(3, number_in(reply, "files"));
    json_t *list = ask(ws, "snapshot_list", "{}");
    TEST_ASSERT_EQUAL_STRING(text_in(reply, "id"), names_in(list, "snapshots", "id"));
    TEST_ASSERT_EQUAL_STRING("first", names_in(list, "snapshots", "tag"));
}

void test_snapshot__git_can_look_at_it(void) {
    json_t *reply = change(ws, "snapshot_create", "{}");
    char command[4096];
    (void)snprintf(command, sizeof command,
                   "cd / && git --git-dir='%s' fsck --strict --no-dangling 2>&1 && "
                   "test \"$(git --git-dir='%s' show %s:src/b.c)\" = 'int b;' && "
                   "git --git-dir='%s' verify-pack '%s'/objects/pack/*.idx",
                   text_in(reply, "git_dir"), text_in(reply, "git_dir"),
                   text_in(reply, "commit_ref"), text_in(reply, "git_dir"),
                   text_in(reply, "git_dir"));
    TEST_ASSERT_EQUAL(0, system(command)); // NOLINT(cert-env33-c): a test, not the core
}

void test_snapshot__needs_a_state_directory(void) {
    aqfs_free(ws);
    ws = open_project("");
    TEST_ASSERT_EQUAL_STRING("snapshot", code_of(change(ws, "snapshot_create", "{}")));
    TEST_ASSERT_EQUAL_STRING("snapshot", code_of(ask(ws, "snapshot_list", "{}")));
}

void test_snapshot__restore(void) {
    const char *id = create("x");
    make_file(project_path("a.txt"), "two\n");
    make_file(project_path("new/dir/file"), "new\n");
    remove_all(project_path("src"));
    remove_all(project_path("empty"));
    remove_all(project_path("link"));
    check_restored(id);
    struct stat s;
    char target[100] = "";
    check_text("a.txt", "one\n");
    check_text("src/b.c", "int b;\n");
    TEST_ASSERT_EQUAL(0, stat(project_path("empty"), &s));
    TEST_ASSERT_NOT_EQUAL(0, lstat(project_path("new"), &s));
    TEST_ASSERT_EQUAL(7, readlink(project_path("link"), target, sizeof target));
    TEST_ASSERT_EQUAL_STRING("src/b.c", target);
    TEST_ASSERT_EQUAL(0, temporary_files());
}
