/* Readers of the store take no lock, make nothing and wait for nobody: plans, lists and diffs.
 *
 * SPDX-License-Identifier: MIT
 */
#include "snapshot_store.h"

#include "cleanup.h"
#include "snapshot_record.h"
#include "snapshots.h"

#include "unity.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static aqfs_workspace *ws;

void setUp(void) {
    support_start();
    make_file(project_path("a.txt"), "one\n");
    make_file(project_path("dir/b.txt"), "bee\n");
    ws = open_project(STATE);
}

void tearDown(void) {
    aqfs_free(ws);
    support_end();
}

static const char *in_git_dir(const json_t *taken, const char *name) {
    static char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s", text_in(taken, "git_dir"), name);
    return path;
}

static const char *args_of(const char *id) {
    static char args[128];
    (void)snprintf(args, sizeof args, "{\"id\":\"%s\"}", id);
    return args;
}

/* Asks for everything that reads the store.  a.txt differs from the snapshot ID. */
static void check_readers(const char *id) {
    json_t *reply = preview(ws, "snapshot_restore", args_of(id));
    TEST_ASSERT_EQUAL_STRING_MESSAGE("ok", code_of(reply), text_in(reply, "message"));
    TEST_ASSERT_NOT_NULL(strstr(text_in(reply, "diff"), "+one"));
    reply = ask(ws, "snapshot_diff", args_of(id));
    TEST_ASSERT_EQUAL_STRING_MESSAGE("ok", code_of(reply), text_in(reply, "message"));
    TEST_ASSERT_EQUAL_STRING("a.txt", names_in(reply, "files", "path"));
    TEST_ASSERT_EQUAL(1, number_in(ask(ws, "snapshot_list", "{}"), "total"));
    TEST_ASSERT_EQUAL_STRING("ok", code_of(preview(ws, "snapshot_prune", "{\"keep\":1}")));
    TEST_ASSERT_EQUAL_STRING("ok", code_of(preview(ws, "snapshot_create", "{}")));
}

void test_snapshot_store__readers_wait_for_no_writer(void) {
    json_t *taken = change(ws, "snapshot_create", "{}");
    make_file(project_path("a.txt"), "two\n");
    aqfs_free(ws);
    ws = open_project(STATE ",\"limits\":{\"time_ms\":60000}");
    int fd = open(in_git_dir(taken, "lock"), O_RDWR | O_CLOEXEC);
    TEST_ASSERT_TRUE(fd >= 0);
    TEST_ASSERT_EQUAL(0, flock(fd, LOCK_EX | LOCK_NB));
    check_readers(text_in(taken, "id"));
    (void)close(fd);
}

/* Appends the inode and times of PATH and of everything below it. */
static void add_stamps(struct buf *out, const char *path) {
    struct stat s;
    TEST_ASSERT_EQUAL(0, lstat(path, &s));
    buf_printf(out, "%s %llu %lld.%09ld\n", path, (unsigned long long)s.st_ino,
               (long long)s.st_ctim.tv_sec, s.st_ctim.tv_nsec);
    if (!S_ISDIR(s.st_mode))
        return;
    struct names below = names_below(path);
    for (size_t i = 0; i < below.n; i++) {
        AUTO_FREE char *full = path_of("%s/%s", path, below.names[i]);
        add_stamps(out, full);
    }
    free_names(&below);
}

void test_snapshot_store__readers_change_nothing(void) {
    json_t *taken = change(ws, "snapshot_create", "{}");
    AUTO(buf_free) struct buf before = {0}, after = {0};
    make_file(project_path("a.txt"), "two\n");
    remove_all(in_git_dir(taken, "lock"));
    remove_all(in_git_dir(taken, "cache"));
    add_stamps(&before, base_path(""));
    check_readers(text_in(taken, "id"));
    add_stamps(&after, base_path(""));
    TEST_ASSERT_EQUAL_STRING(before.data, after.data);
}

void test_snapshot_store__readers_need_no_writable_state(void) {
    json_t *taken = change(ws, "snapshot_create", "{}");
    make_file(project_path("a.txt"), "two\n");
    remove_all(in_git_dir(taken, "lock"));
    TEST_ASSERT_EQUAL(0, chmod(text_in(taken, "git_dir"), 0500));
    check_readers(text_in(taken, "id"));
    TEST_ASSERT_EQUAL(0, chmod(text_in(taken, "git_dir"), 0700));
}

void test_snapshot_store__readers_make_no_store(void) {
    TEST_ASSERT_EQUAL(0, number_in(ask(ws, "snapshot_list", "{}"), "total"));
    TEST_ASSERT_EQUAL_STRING("ok", code_of(preview(ws, "snapshot_prune", "{}")));
    TEST_ASSERT_EQUAL_STRING("ok", code_of(preview(ws, "snapshot_create", "{}")));
    TEST_ASSERT_EQUAL_STRING("snapshot", code_of(preview(ws, "snapshot_restore",
                                                         "{\"id\":\"01234567-89ab-4def-8123-"
                                                         "456789abcde0\"}")));
    TEST_ASSERT_EQUAL('-', type_of(base_path("state")));
}

/* The first snapshot of another process is being taken: it makes HEAD after the directories. */
void test_snapshot_store__a_store_that_is_being_made_is_empty(void) {
    json_t *taken = change(ws, "snapshot_create", "{}");
    remove_all(in_git_dir(taken, "refs/snapshots"));
    TEST_ASSERT_EQUAL_STRING("snapshot", code_of(ask(ws, "snapshot_list", "{}")));
    remove_all(in_git_dir(taken, "HEAD"));
    TEST_ASSERT_EQUAL(0, number_in(ask(ws, "snapshot_list", "{}"), "total"));
}

/* -- a prune between two reads ------------------------------------------------------------------
 */

/* In another process, because libgit2 shares open packs within one. */
// cppcheck-suppress constParameter ; it is called through a pointer
static void prune_in_child(void *takes_one) {
    aqfs_workspace *other = open_project(STATE);
    if (takes_one)
        (void)snapshot(other);
    json_t *reply = change(other, "snapshot_prune", "{\"keep\":1}");
    if (strcmp(code_of(reply), "ok") != 0 || number_in(reply, "forgotten") == 0)
        _exit(1);
}

/* Forgets all snapshots but the last. */
static void prune_elsewhere(void) {
    TEST_ASSERT_EQUAL(0, run_apart(prune_in_child, NULL));
}

/* Two snapshots in packs of their own, of which pruning moves what the second has of the first. */
static const char *take_two(const char **first) {
    char name[40];
    for (int i = 0; i < 20; i++) {
        (void)snprintf(name, sizeof name, "old/%d", i);
        make_file(project_path(name), name);
    }
    *first = snapshot(ws);
    remove_all(project_path("old"));
    pause_ms(2);
    return snapshot(ws);
}

/* The pack that a reader has found goes, and another one has its objects. */
void test_snapshot_store__what_a_prune_moves_is_found_again(void) {
    const char *first, *second = take_two(&first);
    make_file(project_path("a.txt"), "two\n");
    json_t *shown = preview(ws, "snapshot_restore", args_of(second));
    TEST_ASSERT_EQUAL_STRING("ok", code_of(shown));
    prune_elsewhere();
    TEST_ASSERT_EQUAL_STRING("ok", code_of(change_approved(ws, text_in(shown, "digest"),
                                                           "snapshot_restore", args_of(second))));
    check_text("a.txt", "one\n");
}

/* Its packs are gone before anything of them has been opened. */
void test_snapshot_store__an_open_store_follows_a_prune(void) {
    const char *first, *second = take_two(&first);
    struct work work = {.ws = ws};
    struct store store;
    struct snapshot record;
    struct oid tree;
    AUTO(arena_free) struct arena arena = {0};
    struct tree *top;
    TEST_ASSERT_EQUAL(0, store_open(&work, STORE_READ, &store));
    TEST_ASSERT_EQUAL(-1, store.lock);
    prune_elsewhere();
    TEST_ASSERT_EQUAL(0, record_find(&store, second, &record, &tree, &work.error));
    snapshot_free(&record);
    TEST_ASSERT_EQUAL(0, store_tree(&store, &tree, &arena, &top, &work.error));
    TEST_ASSERT_EQUAL(2, top->n);
    store_close(&store);
}

/* Its objects are gone with it: that is not damage.  Nothing may have opened the first pack,
 * because an open pack can be read after it was removed. */
void test_snapshot_store__forgotten_after_it_was_compared(void) {
    remove_all(project_path("dir"));
    const char *first, *second = take_two(&first);
    struct work work = {.ws = ws};
    AUTO(item_changes_free) struct item_changes changes = {0};
    AUTO(buf_free) struct buf bytes = {0};
    make_file(project_path("a.txt"), "two\n");
    TEST_ASSERT_EQUAL(0, ws->keeper->compare(&work, second, NULL, &changes));
    TEST_ASSERT_EQUAL(1, changes.n);
    pause_ms(2);
    TEST_ASSERT_EQUAL(0, run_apart(prune_in_child, &work));
    TEST_ASSERT_EQUAL(AQFS_SNAPSHOT,
                      ws->keeper->read(&work, &changes, &changes.all[0].before, &bytes));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(work.error.message, "There is no snapshot"),
                                 work.error.message);
    TEST_ASSERT_NOT_NULL(strstr(work.error.message, second));
}

/* It does what was shown if the packs are still open, and nothing otherwise. */
void test_snapshot_store__a_restore_that_was_forgotten_is_whole_or_nothing(void) {
    const char *first;
    (void)take_two(&first);
    make_file(project_path("a.txt"), "two\n");
    json_t *shown = preview(ws, "snapshot_restore", args_of(first));
    TEST_ASSERT_EQUAL_STRING("ok", code_of(shown));
    prune_elsewhere();
    json_t *reply =
        change_approved(ws, text_in(shown, "digest"), "snapshot_restore", args_of(first));
    bool done = strcmp(code_of(reply), "ok") == 0;
    check_text("a.txt", done ? "one\n" : "two\n");
    TEST_ASSERT_EQUAL_STRING(done ? "old/19" : "(none)", text_of(project_path("old/19")));
    TEST_ASSERT_TRUE(done || strstr(text_in(reply, "message"), "There is no snapshot"));
    TEST_ASSERT_EQUAL(0, temporary_files());
}

/* Without the rules of its .gitignore, files that it ignores would be taken for new, and go. */
void test_snapshot_store__rules_that_cannot_be_read(void) {
    make_file(project_path(".gitignore"), "precious\n");
    make_file(project_path("precious"), "kept\n");
    json_t *taken = change(ws, "snapshot_create", "{}");
    struct names packs = names_below(in_git_dir(taken, "objects/pack"));
    make_file(project_path("a.txt"), "two\n");
    const char *second = snapshot(ws);
    for (size_t i = 0; i < packs.n; i++) {
        AUTO_FREE char *name = path_of("objects/pack/%s", packs.names[i]);
        remove_all(in_git_dir(taken, name));
    }
    free_names(&packs);
    json_t *reply = preview(ws, "snapshot_restore", args_of(second));
    TEST_ASSERT_EQUAL_STRING_MESSAGE("snapshot", code_of(reply), text_in(reply, "summary"));
}
