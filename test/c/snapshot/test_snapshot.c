/* A snapshot keeps files, leaves others out, and can be found again.
 *
 * SPDX-License-Identifier: MIT
 */
#include "fixture.h"
#include "snapshots.h"

#include "unity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void setUp(void) {
    support_start();
    make_file(project_path("a.txt"), "one\n");
    make_file(project_path("src/b.c"), "int b;\n");
    make_directory(project_path("empty"));
    make_link(project_path("link"), "src/b.c");
    ws = open_project(STATE);
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
    TEST_ASSERT_EQUAL(3, number_in(json_array_get(json_object_get(list, "snapshots"), 0), "files"));
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

/* -- going back ----------------------------------------------------------------------------------
 */

void test_snapshot__restore(void) {
    const char *id = snapshot(ws);
    char target[100] = "";
    make_file(project_path("a.txt"), "two\n");
    make_file(project_path("new/dir/file"), "new\n");
    remove_all(project_path("src"));
    remove_all(project_path("empty"));
    remove_all(project_path("link"));
    go_back(ws, id);
    check_text("a.txt", "one\n");
    check_text("src/b.c", "int b;\n");
    TEST_ASSERT_EQUAL('d', type_of(project_path("empty")));
    TEST_ASSERT_EQUAL('-', type_of(project_path("new")));
    TEST_ASSERT_EQUAL(7, readlink(project_path("link"), target, sizeof target));
    TEST_ASSERT_EQUAL_STRING("src/b.c", target);
}

void test_snapshot__links_of_one_byte(void) {
    char target[100] = "";
    make_link(project_path("short"), "a");
    const char *id = snapshot(ws);
    remove_all(project_path("short"));
    go_back(ws, id);
    TEST_ASSERT_EQUAL(1, readlink(project_path("short"), target, sizeof target));
    TEST_ASSERT_EQUAL_STRING("a", target);
}

void test_snapshot__modes(void) {
    const struct {
        const char *name;
        mode_t mode;
    } cases[] = {{"a.txt", 0600}, {"src/b.c", 0755}, {"src", 0700}, {"empty", 0750}};
    for (size_t i = 0; i < 4; i++)
        TEST_ASSERT_EQUAL(0, chmod(project_path(cases[i].name), cases[i].mode));
    const char *id = snapshot(ws);
    TEST_ASSERT_EQUAL(0, chmod(project_path("a.txt"), 0644));
    remove_all(project_path("src"));
    remove_all(project_path("empty"));
    go_back(ws, id);
    for (size_t i = 0; i < 4; i++)
        TEST_ASSERT_EQUAL_MESSAGE(cases[i].mode, mode_of(project_path(cases[i].name)),
                                  cases[i].name);
}

void test_snapshot__restore_can_be_undone(void) {
    const char *id = snapshot(ws);
    make_file(project_path("a.txt"), "two\n");
    make_file(project_path("new.txt"), "new\n");
    json_t *reply = go_back(ws, id);
    check_text("a.txt", "one\n");
    go_back(ws, text_in(reply, "safety"));
    check_text("a.txt", "two\n");
    check_text("new.txt", "new\n");
}

void test_snapshot__nothing_to_restore(void) {
    const char *id = snapshot(ws);
    json_t *reply = go_back(ws, id);
    TEST_ASSERT_EQUAL_STRING("", text_in(reply, "safety"));
    TEST_ASSERT_EQUAL(1, number_in(ask(ws, "snapshot_list", "{}"), "total"));
}

void test_snapshot__a_later_session_restores(void) {
    const char *id = snapshot(ws);
    make_file(project_path("a.txt"), "two\n");
    aqfs_free(ws);
    ws = open_project(STATE);
    go_back(ws, id);
    check_text("a.txt", "one\n");
}

void test_snapshot__file_and_directory_change_places(void) {
    const char *id = snapshot(ws);
    remove_all(project_path("src"));
    make_file(project_path("src"), "a file now\n");
    remove_all(project_path("a.txt"));
    make_file(project_path("a.txt/deep/x"), "x\n");
    remove_all(project_path("link"));
    make_directory(project_path("link"));
    json_t *reply = go_back(ws, id);
    check_text("src/b.c", "int b;\n");
    check_text("a.txt", "one\n");
    TEST_ASSERT_EQUAL('l', type_of(project_path("link")));
    go_back(ws, text_in(reply, "safety"));
    check_text("src", "a file now\n");
    check_text("a.txt/deep/x", "x\n");
    TEST_ASSERT_EQUAL('d', type_of(project_path("link")));
}

void test_snapshot__preview_and_digest(void) {
    char args[100];
    (void)snprintf(args, sizeof args, "{\"id\":\"%s\"}", snapshot(ws));
    make_file(project_path("a.txt"), "two\n");
    json_t *shown = preview(ws, "snapshot_restore", args);
    TEST_ASSERT_EQUAL_STRING("dangerous", text_in(shown, "tier"));
    TEST_ASSERT_NOT_NULL(strstr(text_in(shown, "diff"), "-two\n+one\n"));
    check_text("a.txt", "two\n");
    TEST_ASSERT_EQUAL(1, number_in(ask(ws, "snapshot_list", "{}"), "total"));
    make_file(project_path("a.txt"), "six\n");
    const char *digest = text_in(shown, "digest");
    TEST_ASSERT_EQUAL_STRING("stale",
                             code_of(change_approved(ws, digest, "snapshot_restore", args)));
    check_text("a.txt", "six\n");
    digest = text_in(preview(ws, "snapshot_restore", args), "digest");
    TEST_ASSERT_EQUAL_STRING("ok", code_of(change_approved(ws, digest, "snapshot_restore", args)));
    check_text("a.txt", "one\n");
}

void test_snapshot__tiers(void) {
    TEST_ASSERT_EQUAL_STRING("approval-required", code_of(ask(ws, "snapshot_create", "{}")));
    TEST_ASSERT_EQUAL(0, number_in(ask(ws, "snapshot_list", "{}"), "total"));
    TEST_ASSERT_EQUAL_STRING("ok", code_of(change_as(ws, "cautious", "snapshot_create", "{}")));
    char args[100];
    (void)snprintf(args, sizeof args, "{\"id\":\"%s\"}", snapshot(ws));
    make_file(project_path("a.txt"), "two\n");
    TEST_ASSERT_EQUAL_STRING("approval-required",
                             code_of(change_as(ws, "cautious", "snapshot_restore", args)));
    check_text("a.txt", "two\n");
}

/* -- only what a call did ------------------------------------------------------------------------
 */

static const char *range(const char *from, const char *to) {
    static char text[100];
    (void)snprintf(text, sizeof text, "%s..%s", from, to);
    return text;
}

void test_snapshot__range_leaves_what_others_did(void) {
    const char *before = snapshot(ws);
    make_file(project_path("a.txt"), "by the call\n");
    make_file(project_path("made/by"), "the call\n");
    const char *after = snapshot(ws);
    make_file(project_path("src/b.c"), "by somebody\n");
    make_file(project_path("other.txt"), "by somebody\n");
    go_back(ws, range(before, after));
    check_text("a.txt", "one\n");
    TEST_ASSERT_EQUAL('-', type_of(project_path("made")));
    check_text("src/b.c", "by somebody\n");
    check_text("other.txt", "by somebody\n");
}

void test_snapshot__range_refuses_what_has_changed_since(void) {
    const char *before = snapshot(ws);
    make_file(project_path("a.txt"), "by the call\n");
    make_file(project_path("made/by"), "the call\n");
    const char *after = snapshot(ws);
    make_file(project_path("a.txt"), "typed since\n");
    check_stays(ws, range(before, after), "stale");
    make_file(project_path("a.txt"), "by the call\n");
    make_file(project_path("made/later"), "by somebody\n");
    check_stays(ws, range(before, after), "stale");
    check_text("made/later", "by somebody\n");
    check_text("made/by", "the call\n");
    check_text("a.txt", "by the call\n");
}

/* -- differences ---------------------------------------------------------------------------------
 */

void test_snapshot__diff(void) {
    const char *id = snapshot(ws);
    make_file(project_path("a.txt"), "one\ntwo\n");
    make_file(project_path("new.txt"), "new\n");
    remove_all(project_path("src"));
    json_t *reply = on_snapshot(ws, "snapshot_diff", id);
    TEST_ASSERT_EQUAL_STRING("a.txt new.txt src/b.c", names_in(reply, "files", "path"));
    TEST_ASSERT_EQUAL_STRING("modified added deleted", names_in(reply, "files", "action"));
    TEST_ASSERT_NOT_NULL(strstr(text_in(reply, "diff"), "@@ -1 +1,2 @@\n one\n+two\n"));
    char args[200];
    (void)snprintf(args, sizeof args, "{\"id\":\"%s\",\"other\":\"%s\"}", id, snapshot(ws));
    json_t *same = ask(ws, "snapshot_diff", args);
    TEST_ASSERT_EQUAL_STRING(text_in(reply, "diff"), text_in(same, "diff"));
}

/* 2,000 names are told, and the others are counted. */
void test_snapshot__a_diff_of_many_files(void) {
    char name[32];
    const char *id = snapshot(ws);
    for (int i = 1; i <= 2000; i++) {
        (void)snprintf(name, sizeof name, "many/%04d", i);
        make_file(project_path(name), "");
    }
    json_t *reply = on_snapshot(ws, "snapshot_diff", id);
    TEST_ASSERT_EQUAL(2000, json_array_size(json_object_get(reply, "files")));
    TEST_ASSERT_EQUAL(2000, number_in(reply, "total"));
    TEST_ASSERT_TRUE(json_is_false(json_object_get(reply, "truncated")));
    make_file(project_path("many/2001"), "");
    reply = on_snapshot(ws, "snapshot_diff", id);
    TEST_ASSERT_EQUAL(2000, json_array_size(json_object_get(reply, "files")));
    TEST_ASSERT_EQUAL(2001, number_in(reply, "total"));
    TEST_ASSERT_TRUE(json_is_true(json_object_get(reply, "truncated")));
}

void test_snapshot__wrong_ids(void) {
    static const char *const wrong[] = {"",
                                        "x",
                                        "..",
                                        "../../../etc/passwd",
                                        "01234567-89ab-4def-8123-456789abcdeF",
                                        "01234567-89ab-4def-8123-456789abcdef.."};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        TEST_ASSERT_EQUAL_STRING_MESSAGE(
            "invalid-argument", code_of(on_snapshot(ws, "snapshot_restore", wrong[i])), wrong[i]);
        TEST_ASSERT_EQUAL_STRING_MESSAGE(
            "invalid-argument", code_of(on_snapshot(ws, "snapshot_diff", wrong[i])), wrong[i]);
    }
    const char *absent = "01234567-89ab-4def-8123-456789abcdef";
    TEST_ASSERT_EQUAL_STRING("snapshot", code_of(on_snapshot(ws, "snapshot_restore", absent)));
    (void)snapshot(ws);
    TEST_ASSERT_EQUAL_STRING("snapshot", code_of(on_snapshot(ws, "snapshot_restore", absent)));
    TEST_ASSERT_EQUAL_STRING("invalid-argument",
                             code_of(change(ws, "snapshot_create", "{\"tag\":\"a\\nb\"}")));
}
