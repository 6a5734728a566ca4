/* The files that are in a snapshot, and those that are not, which a restore leaves alone.
 *
 * SPDX-License-Identifier: MIT
 */
#include "fixture.h"
#include "snapshots.h"

#include "unity.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

void setUp(void) {
    support_start();
    make_file(project_path("a.txt"), "one\n");
    ws = open_project(STATE);
}

void test_snapshot_rules__ignored_files_are_left_alone(void) {
    make_file(project_path(".gitignore"), "*.o\n/build/\n");
    make_file(project_path("x.o"), "object\n");
    make_file(project_path("build/y"), "built\n");
    make_file(project_path("src/build/kept"), "kept\n");
    json_t *reply = change(ws, "snapshot_create", "{}");
    TEST_ASSERT_EQUAL(3, number_in(reply, "files"));
    TEST_ASSERT_EQUAL(2, number_in(reply, "ignored"));
    make_file(project_path("x.o"), "newer\n");
    make_file(project_path("new.o"), "new\n");
    make_file(project_path("a.txt"), "two\n");
    remove_all(project_path("src"));
    go_back(ws, text_in(reply, "id"));
    check_text("a.txt", "one\n");
    check_text("x.o", "newer\n");
    check_text("new.o", "new\n");
    check_text("build/y", "built\n");
    check_text("src/build/kept", "kept\n");
}

/* A change of the rules, to ignore all or nothing, must not make a restore lose ignored files. */
void test_snapshot_rules__gitignore_changed_since(void) {
    make_file(project_path(".gitignore"), "secret\n");
    make_file(project_path("secret"), "mine\n");
    const char *id = snapshot(ws);
    make_file(project_path(".gitignore"), "*\n");
    make_file(project_path("a.txt"), "two\n");
    json_t *reply = go_back(ws, id);
    check_text("a.txt", "one\n");
    check_text("secret", "mine\n");
    go_back(ws, text_in(reply, "safety"));
    check_text("a.txt", "two\n");
    check_text(".gitignore", "*\n");
    make_file(project_path(".gitignore"), "");
    go_back(ws, id);
    check_text("secret", "mine\n");
    check_text(".gitignore", "secret\n");
}

void test_snapshot_rules__exclude_file(void) {
    make_file(project_path(".git/info/exclude"), "private\n");
    make_file(project_path("private"), "mine\n");
    TEST_ASSERT_EQUAL(1, number_in(change(ws, "snapshot_create", "{}"), "files"));
}

/* To put them back would lock a file that nobody edits, or offer an old text as unsaved. */
void test_snapshot_rules__locks_and_backups_of_editors(void) {
    make_link(project_path(".#a.txt"), "somebody@host.1:2");
    make_file(project_path("#a.txt#"), "unsaved\n");
    make_file(project_path("a.txt~"), "older\n");
    make_file(project_path("a~b#"), "an ordinary name\n");
    json_t *reply = change(ws, "snapshot_create", "{}");
    TEST_ASSERT_EQUAL(2, number_in(reply, "files"));
    TEST_ASSERT_EQUAL(3, number_in(reply, "ignored"));
    remove_all(project_path(".#a.txt"));
    make_file(project_path("a.txt~"), "newer\n");
    make_file(project_path("a.txt"), "two\n");
    go_back(ws, text_in(reply, "id"));
    check_text("a.txt", "one\n");
    check_text("a.txt~", "newer\n");
    check_text("#a.txt#", "unsaved\n");
    TEST_ASSERT_EQUAL('-', type_of(project_path(".#a.txt")));
}

void test_snapshot_rules__repositories(void) {
    make_file(project_path(".git/config"), "[core]\n");
    make_file(project_path("nested/.git/HEAD"), "ref: refs/heads/main\n");
    make_file(project_path("nested/file"), "nested\n");
    make_file(project_path("module/.git"), "gitdir: ../.git/modules/module\n");
    make_file(project_path("module/file"), "module\n");
    make_file(project_path("odd/.GIT/config"), "odd\n");
    json_t *reply = change(ws, "snapshot_create", "{}");
    TEST_ASSERT_EQUAL(3, number_in(reply, "files"));
    make_file(project_path("nested/file"), "changed\n");
    make_file(project_path(".git/config"), "[core] changed\n");
    remove_all(project_path("module/.git"));
    go_back(ws, text_in(reply, "id"));
    check_text("nested/file", "nested\n");
    check_text(".git/config", "[core] changed\n");
    TEST_ASSERT_EQUAL('-', type_of(project_path("module/.git")));
}

/* A directory that came since goes, but for the repository in it. */
void test_snapshot_rules__new_directory_with_a_repository(void) {
    const char *id = snapshot(ws);
    make_file(project_path("new/.git/HEAD"), "ref\n");
    make_file(project_path("new/file"), "file\n");
    go_back(ws, id);
    check_text("new/.git/HEAD", "ref\n");
    TEST_ASSERT_EQUAL('-', type_of(project_path("new/file")));
}

void test_snapshot_rules__special_files(void) {
    TEST_ASSERT_EQUAL(0, mkfifo(project_path("fifo"), 0600));
    json_t *reply = change(ws, "snapshot_create", "{}");
    TEST_ASSERT_EQUAL(1, number_in(reply, "files"));
    TEST_ASSERT_EQUAL_STRING("fifo", names_in(reply, "left_out", "path"));
    TEST_ASSERT_EQUAL_STRING("special", names_in(reply, "left_out", "why"));
    make_file(project_path("a.txt"), "two\n");
    go_back(ws, text_in(reply, "id"));
    TEST_ASSERT_EQUAL('p', type_of(project_path("fifo")));
}

/* 100 of them are named, and the others are counted. */
void test_snapshot_rules__many_that_are_left_out(void) {
    char name[32];
    for (int i = 0; i < 105; i++) {
        (void)snprintf(name, sizeof name, "fifo-%03d", i);
        TEST_ASSERT_EQUAL(0, mkfifo(project_path(name), 0600));
    }
    json_t *reply = change(ws, "snapshot_create", "{}");
    TEST_ASSERT_EQUAL_STRING("ok", code_of(reply));
    TEST_ASSERT_EQUAL(1, number_in(reply, "files"));
    TEST_ASSERT_EQUAL(100, json_array_size(json_object_get(reply, "left_out")));
    TEST_ASSERT_EQUAL(105, number_in(reply, "left_out_total"));
}

void test_snapshot_rules__large_files(void) {
    aqfs_free(ws);
    ws = open_project(STATE ",\"limits\":{\"read_bytes\":100}");
    make_file(project_path("large"), repeated("0123456789", 20));
    make_file(project_path("small"), "small\n");
    json_t *reply = change(ws, "snapshot_create", "{}");
    TEST_ASSERT_EQUAL_STRING("large", names_in(reply, "left_out", "path"));
    TEST_ASSERT_EQUAL_STRING("too-large", names_in(reply, "left_out", "why"));
    make_file(project_path("a.txt"), "two\n");
    go_back(ws, text_in(reply, "id"));
    TEST_ASSERT_EQUAL_STRING(repeated("0123456789", 20), text_of(project_path("large")));
    /* A file that a snapshot cannot hold is not replaced. */
    make_file(project_path("small"), repeated("0123456789", 20));
    make_file(project_path("a.txt"), "two\n");
    check_stays(ws, text_in(reply, "id"), "snapshot-restore");
    check_text("a.txt", "two\n");
}

void test_snapshot_rules__unreadable_files(void) {
    if (geteuid() == 0)
        TEST_IGNORE_MESSAGE("root can read everything");
    make_file(project_path("closed"), "closed\n");
    make_file(project_path("shut/x"), "x\n");
    TEST_ASSERT_EQUAL(0, chmod(project_path("closed"), 0));
    TEST_ASSERT_EQUAL(0, chmod(project_path("shut"), 0));
    json_t *reply = change(ws, "snapshot_create", "{}");
    make_file(project_path("a.txt"), "two\n");
    go_back(ws, text_in(reply, "id"));
    TEST_ASSERT_EQUAL(0, chmod(project_path("shut"), 0700));
    check_text("shut/x", "x\n");
    TEST_ASSERT_EQUAL_STRING("closed shut", names_in(reply, "left_out", "path"));
    TEST_ASSERT_EQUAL_STRING("unreadable unreadable", names_in(reply, "left_out", "why"));
}

/* Threat 79. */
void test_snapshot_rules__restricted_paths(void) {
    make_file(project_path("hidden/key"), "key\n");
    const char *open_id = snapshot(ws);
    aqfs_free(ws);
    ws = open_project(STATE ",\"restricted_paths\":[\"hidden\"]");
    json_t *reply = change(ws, "snapshot_create", "{}");
    TEST_ASSERT_EQUAL(1, number_in(reply, "files"));
    make_file(project_path("hidden/key"), "changed\n");
    json_t *diff = on_snapshot(ws, "snapshot_diff", open_id);
    TEST_ASSERT_EQUAL_STRING("", names_in(diff, "files", "path"));
    TEST_ASSERT_NULL(strstr(text_in(diff, "text"), "key"));
    make_file(project_path("a.txt"), "two\n");
    TEST_ASSERT_EQUAL_STRING("ok", code_of(on_snapshot(ws, "snapshot_restore", open_id)));
    check_text("a.txt", "one\n");
    check_text("hidden/key", "changed\n");
}

void test_snapshot_rules__own_state_below_the_root(void) {
    aqfs_free(ws);
    ws = open_project("\"state_dir\":\"%s/project/state\"");
    TEST_ASSERT_EQUAL(1, number_in(change(ws, "snapshot_create", "{}"), "files"));
    TEST_ASSERT_EQUAL(1, number_in(change(ws, "snapshot_create", "{}"), "files"));
}

/* Nothing changed, nothing new is written but the commit. */
void test_snapshot_rules__same_bytes_are_kept_once(void) {
    make_file(project_path("twin"), "one\n");
    json_t *first = change(ws, "snapshot_create", "{}");
    pause_ms(150);
    json_t *second = change(ws, "snapshot_create", "{}");
    char args[200];
    (void)snprintf(args, sizeof args, "{\"id\":\"%s\",\"other\":\"%s\"}", text_in(first, "id"),
                   text_in(second, "id"));
    TEST_ASSERT_EQUAL(0, number_in(ask(ws, "snapshot_diff", args), "total"));
}

/* Threat 96: the same size and the same time. */
void test_snapshot_rules__times_that_lie(void) {
    struct stat s;
    const char *first = snapshot(ws);
    pause_ms(150);
    (void)snapshot(ws); /* which remembers a.txt */
    TEST_ASSERT_EQUAL(0, stat(project_path("a.txt"), &s));
    make_file(project_path("a.txt"), "two\n");
    const struct timespec times[2] = {s.st_atim, s.st_mtim};
    TEST_ASSERT_EQUAL(0, utimensat(AT_FDCWD, project_path("a.txt"), times, 0));
    json_t *diff = on_snapshot(ws, "snapshot_diff", first);
    TEST_ASSERT_EQUAL_STRING("a.txt", names_in(diff, "files", "path"));
}

/* It is left out, as what cannot be read, and the others are kept. */
void test_snapshot_rules__second_names_of_what_is_restricted(void) {
    make_file(project_path("hidden"), "mine\n");
    make_second_name(project_path("hidden"), project_path("twin"));
    reopen(STATE ",\"restricted_paths\":[\"hidden\"]");
    json_t *reply = change(ws, "snapshot_create", "{}");
    TEST_ASSERT_EQUAL_STRING_MESSAGE("ok", code_of(reply), text_in(reply, "message"));
    TEST_ASSERT_EQUAL(1, number_in(reply, "files"));
    TEST_ASSERT_EQUAL_STRING("twin", names_in(reply, "left_out", "path"));
    make_file(project_path("a.txt"), "two\n");
    go_back(ws, text_in(reply, "id"));
    check_text("a.txt", "one\n");
    check_text("twin", "mine\n");
}

static int keeps_what_is_not_mounted(void) {
    char from[PATH_BYTES_MAX + 1];
    make_file(base_path("theirs"), "theirs\n");
    make_file(project_path("mounted"), "");
    (void)snprintf(from, sizeof from, "%s", base_path("theirs"));
    if (!own_mounts() || mount(from, project_path("mounted"), NULL, MS_BIND, NULL) != 0)
        return CHILD_SKIP;
    reopen(STATE);
    json_t *reply = change(ws, "snapshot_create", "{}");
    CHILD_CHECK(strcmp(code_of(reply), "ok") == 0);
    CHILD_CHECK(strcmp(names_in(reply, "left_out", "why"), "mount") == 0);
    make_file(project_path("a.txt"), "two\n");
    go_back(ws, text_in(reply, "id"));
    CHILD_CHECK(strcmp(text_of(project_path("a.txt")), "one\n") == 0);
    CHILD_CHECK(strcmp(text_of(base_path("theirs")), "theirs\n") == 0);
    return 0;
}

void test_snapshot_rules__a_mounted_file_is_left_out(void) {
    run_child(keeps_what_is_not_mounted, "no mounts of one's own are permitted here");
}
