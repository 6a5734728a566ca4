/* Threats 72 to 74, 126 and 128: places prepared for a restore, repositories prepared for us, and
 * stores that an enemy wrote or a crash broke.
 *
 * SPDX-License-Identifier: MIT
 */
#include "fixture.h"
#include "snapshots.h"

#include "cleanup.h"
#include "own_file.h"
#include "pack.h"
#include "snapshot_record.h"
#include "zip.h"

#include "unity.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

void setUp(void) {
    support_start();
    make_file(project_path("a.txt"), "one\n");
    make_file(project_path("dir/b.txt"), "bee\n");
    make_file(base_path("outside/b.txt"), "outside\n");
    make_file(base_path("outside/a.txt"), "outside\n");
    ws = open_project(STATE);
}

static void check_outside(void) {
    TEST_ASSERT_EQUAL_STRING("outside\n", text_of(base_path("outside/a.txt")));
    TEST_ASSERT_EQUAL_STRING("outside\n", text_of(base_path("outside/b.txt")));
}

static void check_put_back(const char *id) {
    go_back(ws, id);
    check_text("a.txt", "one\n");
    check_text("dir/b.txt", "bee\n");
    TEST_ASSERT_EQUAL('f', type_of(project_path("a.txt")));
    TEST_ASSERT_EQUAL('d', type_of(project_path("dir")));
    check_outside();
}

/* -- threat 72: places ----------------------------------------------------------------------------
 */

void test_snapshot_hostile__directory_is_a_link_out(void) {
    const char *id = snapshot(ws);
    remove_all(project_path("dir"));
    make_link(project_path("dir"), base_path("outside"));
    check_put_back(id);
}

void test_snapshot_hostile__file_is_a_link_out(void) {
    const char *id = snapshot(ws);
    remove_all(project_path("a.txt"));
    make_link(project_path("a.txt"), base_path("outside/a.txt"));
    check_put_back(id);
}

void test_snapshot_hostile__file_is_a_hard_link_out(void) {
    const char *id = snapshot(ws);
    remove_all(project_path("a.txt"));
    make_second_name(base_path("outside/a.txt"), project_path("a.txt"));
    check_put_back(id);
}

void test_snapshot_hostile__file_is_a_fifo(void) {
    const char *id = snapshot(ws);
    remove_all(project_path("a.txt"));
    TEST_ASSERT_EQUAL(0, mkfifo(project_path("a.txt"), 0600));
    remove_all(project_path("dir"));
    TEST_ASSERT_EQUAL(0, mkfifo(project_path("dir"), 0600));
    check_put_back(id);
}

/* A link to a directory is a link, whatever is behind it. */
void test_snapshot_hostile__what_is_behind_a_link_is_not_kept(void) {
    make_link(project_path("out"), base_path("outside"));
    json_t *reply = change(ws, "snapshot_create", "{}");
    TEST_ASSERT_EQUAL(3, number_in(reply, "files"));
    remove_all(project_path("out"));
    make_file(project_path("out/a.txt"), "inside\n");
    go_back(ws, text_in(reply, "id"));
    TEST_ASSERT_EQUAL('l', type_of(project_path("out")));
    check_outside();
}

/* -- threats 73 and 74: repositories --------------------------------------------------------------
 */

static bool forbid_processes(void) {
#ifdef SYS_fork
    if (!end_at_call(SYS_fork))
        return false;
#endif
    return end_at_call(SYS_execve) && end_at_call(SYS_execveat);
}

/* Plants files that git would run or follow, in a directory that is a repository. */
static void plant(const char *where) {
    static const char *const hooks[] = {"post-checkout", "pre-commit", "post-commit",
                                        "fsmonitor-watchman", "post-index-change"};
    char directory[2000], path[4096], text[16384];
    (void)snprintf(directory, sizeof directory, "%s", where); /* it is soon another's */
    for (size_t i = 0; i < sizeof hooks / sizeof *hooks; i++) {
        (void)snprintf(path, sizeof path, "%s/hooks/%s", directory, hooks[i]);
        (void)snprintf(text, sizeof text, "#!/bin/sh\necho %s >>%s\n", hooks[i], base_path("ran"));
        make_file(path, text);
        TEST_ASSERT_EQUAL(0, chmod(path, 0755));
    }
    (void)snprintf(path, sizeof path, "%s/config", directory);
    (void)snprintf(text, sizeof text,
                   "[core]\n\trepositoryformatversion = 0\n\tworktree = %s\n\tfsmonitor = touch "
                   "%s\n\thooksPath = %s/hooks\n[include]\n\tpath = %s/more\n[filter \"x\"]\n\t"
                   "clean = touch %s\n\tsmudge = touch %s\n\trequired = true\n",
                   base_path("outside"), base_path("ran"), directory, directory, base_path("ran"),
                   base_path("ran"));
    make_file(path, text);
    (void)snprintf(path, sizeof path, "%s/objects/info/alternates", directory);
    (void)snprintf(text, sizeof text, "%s/objects\n", base_path("outside"));
    make_file(path, text);
}

static int take_and_go_back(void) {
    json_t *reply = change(ws, "snapshot_create", "{}");
    CHILD_CHECK(strcmp(code_of(reply), "ok") == 0);
    make_file(project_path("a.txt"), "two\n");
    remove_all(project_path("dir"));
    CHILD_CHECK(strcmp(code_of(on_snapshot(ws, "snapshot_restore", text_in(reply, "id"))), "ok") ==
                0);
    CHILD_CHECK(strcmp(text_of(project_path("a.txt")), "one\n") == 0);
    CHILD_CHECK(strcmp(text_of(project_path("dir/b.txt")), "bee\n") == 0);
    return 0;
}

/* In a child that a process it starts would end, where that is permitted; the next test says so. */
static void run_without_processes(int (*body)(void)) {
    int status;
    pid_t child = start_child();
    if (child == 0) {
        (void)forbid_processes();
        int line = body();
        if (line)
            (void)fprintf(stderr, "line %d\n", line);
        _exit(line ? 1 : 0);
    }
    TEST_ASSERT_EQUAL(child, waitpid(child, &status, 0));
    TEST_ASSERT_EQUAL(0, status);
}

/* Without which the tests below would show nothing. */
static int start_a_process(void) {
    return system("true"); // NOLINT(cert-env33-c): a test, not the core
}

void test_snapshot_hostile__a_process_would_be_noticed(void) {
    int status;
    pid_t child = start_child();
    if (child == 0)
        _exit(!forbid_processes() ? 3 : start_a_process() == 0 ? 1 : 2);
    TEST_ASSERT_EQUAL(child, waitpid(child, &status, 0));
    int answer = WIFEXITED(status) ? WEXITSTATUS(status) : 2;
    if (answer == 3)
        TEST_IGNORE_MESSAGE("seccomp filters are not permitted here");
    TEST_ASSERT_EQUAL(2, answer);
}

void test_snapshot_hostile__planted_in_the_project(void) {
    plant(project_path(".git"));
    make_file(project_path(".gitattributes"), "* filter=x\n");
    make_file(project_path(".gitmodules"), "[submodule \"x\"]\n\tupdate = !touch ran\n");
    run_without_processes(take_and_go_back);
    TEST_ASSERT_EQUAL('-', type_of(base_path("ran")));
    check_outside();
}

/* A program that can write there could as well write the project: nothing of it is run or
 * followed all the same. */
void test_snapshot_hostile__planted_in_the_store(void) {
    json_t *reply = change(ws, "snapshot_create", "{}");
    plant(text_in(reply, "git_dir"));
    run_without_processes(take_and_go_back);
    TEST_ASSERT_EQUAL('-', type_of(base_path("ran")));
    check_outside();
}

/* -- threat 126: trees that an enemy wrote
 * --------------------------------------------------------- */

struct writer {
    struct store store;
    struct pack pack;
    struct zip *zip;
    struct error e;
};

static struct oid put_object(struct writer *w, enum object_type type, const struct buf *bytes) {
    struct oid oid;
    TEST_ASSERT_EQUAL(0, store_name(type, bytes->data, bytes->len, &oid, &w->e));
    TEST_ASSERT_EQUAL(0, store_add(&w->store, &w->pack, w->zip,
                                   &(struct object){type, bytes->data, bytes->len, oid}, &w->e));
    return oid;
}

static void add_entry(struct buf *tree, const char *mode, const char *name, size_t n,
                      const struct oid *oid) {
    buf_printf(tree, "%s ", mode);
    buf_add(tree, name, n);
    buf_char(tree, '\0');
    buf_add(tree, (const char *)oid->bytes, OID_BYTES);
}

/* A snapshot, in the store that there is, whose top is TREE. */
static const char *put_snapshot(struct writer *w, const struct oid *tree) {
    static char id[SNAPSHOT_ID];
    struct buf commit = {0};
    struct snapshot record = {.created_ms = 1000, .root_path = (char *)project_path("")};
    TEST_ASSERT_TRUE(snapshot_new_id(record.id));
    TEST_ASSERT_EQUAL(0, record_commit(&record, tree, &commit, &w->e));
    struct oid oid = put_object(w, OBJECT_COMMIT, &commit);
    buf_free(&commit);
    oid_hex(&oid, record.commit_ref);
    TEST_ASSERT_EQUAL(0, pack_finish(&w->pack, &w->e));
    TEST_ASSERT_EQUAL(0, record_keep(&w->store, &record, &w->e));
    memcpy(id, record.id, sizeof id);
    return id;
}

static void begin_writing(struct writer *w) {
    json_t *reply = change(ws, "snapshot_create", "{}");
    struct work work = {.ws = ws};
    TEST_ASSERT_NOT_EQUAL(0, strlen(text_in(reply, "git_dir")));
    TEST_ASSERT_EQUAL(0, store_open(&work, STORE_WRITE, &w->store));
    TEST_ASSERT_EQUAL(0, pack_start(&w->pack, w->store.packs, &w->e));
    w->zip = zip_new();
}

static void end_writing(struct writer *w) {
    pack_end(&w->pack);
    zip_free(w->zip);
    store_close(&w->store);
}

/* One file and one directory of these names, as a tree that is written as it is. */
static void check_refused(const char *mode, const char *name, size_t n, const char *second) {
    struct writer w = {0};
    struct buf blob = {0}, tree = {0}, inner = {0};
    begin_writing(&w);
    buf_str(&blob, "evil\n");
    buf_str(&inner, "");
    struct oid bytes = put_object(&w, OBJECT_BLOB, &blob);
    struct oid empty = put_object(&w, OBJECT_TREE, &inner);
    bool is_directory = strcmp(mode, "40000") == 0;
    add_entry(&tree, mode, name, n, is_directory ? &empty : &bytes);
    if (second)
        add_entry(&tree, "40000", second, strlen(second), &empty);
    struct oid top = put_object(&w, OBJECT_TREE, &tree);
    const char *id = put_snapshot(&w, &top);
    end_writing(&w);
    check_stays(ws, id, "snapshot");
    TEST_ASSERT_EQUAL_STRING("snapshot", code_of(on_snapshot(ws, "snapshot_diff", id)));
    check_text("a.txt", "one\n");
    check_text("dir/b.txt", "bee\n");
    buf_free(&blob);
    buf_free(&tree);
    buf_free(&inner);
}

void test_snapshot_hostile__names_in_trees(void) {
    static const char *const names[] = {
        "..", ".", ".git", ".GIT", "a/b", "", "git~1", ".g\xE2\x80\x8Cit", "../escape", "/etc/x"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        check_refused("100644", names[i], strlen(names[i]), NULL);
        check_refused("40000", names[i], strlen(names[i]), NULL);
        check_refused("120000", names[i], strlen(names[i]), NULL);
    }
    check_outside();
}

void test_snapshot_hostile__entries_in_trees(void) {
    check_refused("160000", "submodule", 9, NULL);
    check_refused("104755", "setuid", 6, NULL);
    check_refused("60000", "device", 6, NULL);
    check_refused("100644", "twice", 5, "twice");
    check_refused("120000", "twice", 5, "twice");
    check_refused("100644", "z", 1, "a"); /* not in order */
    check_refused("10064x", "mode", 4, NULL);
}

static void cut_file(const char *path, off_t size) {
    TEST_ASSERT_EQUAL(0, chmod(path, 0600));
    TEST_ASSERT_EQUAL(0, truncate(path, size));
}

/* The first file in a directory whose name ends so. */
static const char *find_file(const char *directory, const char *end) {
    static char path[8192];
    DIR *stream = opendir(directory);
    TEST_ASSERT_NOT_NULL(stream);
    path[0] = '\0';
    for (const struct dirent *entry; (entry = readdir(stream)) != NULL;) {
        size_t n = strlen(entry->d_name), k = strlen(end);
        if (n > k && strcmp(entry->d_name + n - k, end) == 0)
            (void)snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
    }
    (void)closedir(stream);
    return path;
}

/* -- threat 128: what is broken
 * -------------------------------------------------------------------- */

static const char *in_store(const json_t *reply, const char *name) {
    static char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s", text_in(reply, "git_dir"), name);
    return path;
}

void test_snapshot_hostile__broken_packs(void) {
    static const char *const ends[] = {".pack", ".idx"};
    for (size_t i = 0; i < 2; i++) {
        json_t *reply = change(ws, "snapshot_create", "{}");
        const char *file = find_file(in_store(reply, "objects/pack"), ends[i]);
        cut_file(file, 40);
        make_file(project_path("a.txt"), "two\n");
        json_t *failed = on_snapshot(ws, "snapshot_restore", text_in(reply, "id"));
        TEST_ASSERT_EQUAL_STRING("snapshot", code_of(failed));
        check_text("a.txt", "two\n");
        remove_all(text_in(reply, "git_dir"));
        make_file(project_path("a.txt"), "one\n");
    }
}

void test_snapshot_hostile__broken_refs(void) {
    json_t *reply = change(ws, "snapshot_create", "{}");
    const char *good = text_in(reply, "id");
    static const char *const texts[] = {"", "nothing\n",
                                        "0000000000000000000000000000000000000000\n"};
    static const char *const ids[] = {"01234567-89ab-4def-8123-456789abcde0",
                                      "01234567-89ab-4def-8123-456789abcde1",
                                      "01234567-89ab-4def-8123-456789abcde2"};
    for (size_t i = 0; i < 3; i++) {
        char name[100];
        (void)snprintf(name, sizeof name, "refs/snapshots/%s", ids[i]);
        make_file(in_store(reply, name), texts[i]);
        TEST_ASSERT_EQUAL_STRING("snapshot", code_of(on_snapshot(ws, "snapshot_restore", ids[i])));
    }
    json_t *list = ask(ws, "snapshot_list", "{}");
    TEST_ASSERT_EQUAL_STRING(good, names_in(list, "snapshots", "id"));
    TEST_ASSERT_EQUAL(3, number_in(list, "damaged"));
    make_file(project_path("a.txt"), "two\n");
    go_back(ws, good);
}

void test_snapshot_hostile__broken_cache_and_what_a_dead_process_left(void) {
    json_t *reply = change(ws, "snapshot_create", "{}");
    make_file(in_store(reply, "cache"), repeated("garbage", 100));
    make_file(in_store(reply, "objects/pack/tmp_pack_0123"), "half");
    make_file(in_store(reply, "refs/snapshots/.aqfs-0123456789abcdef0123456789abcdef.tmp"), "half");
    remove_all(in_store(reply, "HEAD"));
    make_file(project_path("a.txt"), "two\n");
    json_t *second = change(ws, "snapshot_create", "{}");
    TEST_ASSERT_EQUAL_STRING("ok", code_of(second));
    TEST_ASSERT_EQUAL('-', type_of(in_store(reply, "objects/pack/tmp_pack_0123")));
    TEST_ASSERT_EQUAL(2, number_in(ask(ws, "snapshot_list", "{}"), "total"));
    go_back(ws, text_in(reply, "id"));
    check_text("a.txt", "one\n");
    go_back(ws, text_in(second, "id"));
    check_text("a.txt", "two\n");
}

void test_snapshot_hostile__store_is_a_link(void) {
    json_t *reply = change(ws, "snapshot_create", "{}");
    char moved[4096];
    (void)snprintf(moved, sizeof moved, "%s", base_path("outside/store"));
    TEST_ASSERT_EQUAL(0, rename(text_in(reply, "git_dir"), moved));
    make_link(text_in(reply, "git_dir"), moved);
    TEST_ASSERT_NOT_EQUAL(0, strcmp("ok", code_of(change(ws, "snapshot_create", "{}"))));
}

/* Nor is any part of it that we open by its name. */
void test_snapshot_hostile__parts_of_the_store_are_links(void) {
    static const char *const parts[] = {"refs/snapshots", "objects/pack", "lock"};
    json_t *reply = change(ws, "snapshot_create", "{}");
    const char *id = text_in(reply, "id");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char moved[4096], part[4096];
        (void)snprintf(part, sizeof part, "%s", in_store(reply, parts[i]));
        (void)snprintf(moved, sizeof moved, "%s", base_path("outside/part"));
        TEST_ASSERT_EQUAL(0, rename(part, moved));
        make_link(part, moved);
        struct names before = names_below(base_path("outside"));
        make_file(project_path("a.txt"), parts[i]);
        const char *code = code_of(change(ws, "snapshot_create", "{}"));
        TEST_ASSERT_EQUAL_STRING_MESSAGE("snapshot", code, parts[i]);
        struct names after = names_below(base_path("outside"));
        TEST_ASSERT_EQUAL_MESSAGE(before.n, after.n, parts[i]);
        free_names(&before), free_names(&after);
        remove_all(part);
        TEST_ASSERT_EQUAL(0, rename(moved, part));
    }
    go_back(ws, id);
    check_text("a.txt", "one\n");
}

/* Threat 129: a lock that is held is waited for, and not for ever. */
void test_snapshot_hostile__locked_by_another(void) {
    json_t *reply = change(ws, "snapshot_create", "{}");
    aqfs_free(ws);
    ws = open_project(STATE ",\"limits\":{\"time_ms\":200}");
    int fd = open(in_store(reply, "lock"), O_RDWR | O_CLOEXEC);
    TEST_ASSERT_TRUE(fd >= 0);
    struct error e;
    struct budget budget = {0};
    TEST_ASSERT_EQUAL(0, lock_wait(fd, &budget, &e));
    TEST_ASSERT_EQUAL_STRING("limit", code_of(change(ws, "snapshot_create", "{}")));
    (void)close(fd);
    aqfs_free(ws);
    ws = open_project(STATE);
    TEST_ASSERT_EQUAL_STRING("ok", code_of(change(ws, "snapshot_create", "{}")));
}
