/* Stores of other versions: that of 0.1.0, which does not say its format, is used, and one of a
 * newer format is left alone.
 *
 * SPDX-License-Identifier: MIT
 */
#include "buf.h"
#include "cleanup.h"
#include "picture.h"
#include "snapshot.h"
#include "snapshots.h"

#include "unity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define THIS_FORMAT "agent-q-fs snapshots 1\n"

static aqfs_workspace *ws;
static char id[SNAPSHOT_ID], args[128];
static char *marker; /* the file that says the format of the store */

void setUp(void) {
    support_start();
    make_file(project_path("a.txt"), "one\n");
    ws = open_project(STATE);
    json_t *taken = change(ws, "snapshot_create", "{}");
    TEST_ASSERT_EQUAL_STRING("ok", code_of(taken));
    (void)snprintf(id, sizeof id, "%s", text_in(taken, "id"));
    (void)snprintf(args, sizeof args, "{\"id\":\"%s\"}", id);
    marker = path_of("%s/format", text_in(taken, "git_dir"));
    make_file(project_path("a.txt"), "two\n");
}

void tearDown(void) {
    aqfs_free(ws);
    free(marker);
    support_end();
}

void test_snapshot_format__a_new_store_says_it(void) {
    TEST_ASSERT_EQUAL_STRING(THIS_FORMAT, text_of(marker));
}

void test_snapshot_format__a_store_that_does_not_say_it_is_of_the_first(void) {
    TEST_ASSERT_EQUAL(0, unlink(marker));
    go_back(ws, id);
    check_text("a.txt", "one\n");
    TEST_ASSERT_EQUAL_STRING(THIS_FORMAT, text_of(marker));
}

/* Every operation that uses snapshots is refused, and nothing of the project or store changes. */
static void check_refused(const char *code, const char *words) {
    static const char *const ops[] = {"snapshot_create", "snapshot_list", "snapshot_diff",
                                      "snapshot_restore", "snapshot_prune"};
    AUTO_FREE char *before = picture_of(base_path(""), true, true);
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        bool by_id = strstr(ops[i], "diff") || strstr(ops[i], "restore");
        json_t *reply = change(ws, ops[i], by_id ? args : "{}");
        TEST_ASSERT_EQUAL_STRING_MESSAGE(code, code_of(reply), ops[i]);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(text_in(reply, "message"), words), ops[i]);
    }
    AUTO_FREE char *after = picture_of(base_path(""), true, true);
    TEST_ASSERT_EQUAL_STRING(before, after);
}

void test_snapshot_format__a_newer_one_is_refused_by_name(void) {
    make_file(marker, "agent-q-fs snapshots 7\n");
    check_refused("newer-format", "format 7");
    TEST_ASSERT_NOT_NULL(
        strstr(text_in(ask(ws, "snapshot_list", "{}"), "hint"), "state/snapshots/"));
}

/* A newer store may lack what this version makes in one. */
void test_snapshot_format__nothing_is_made_in_a_newer_one(void) {
    AUTO_FREE char *refs = path_of("%.*s/refs", (int)(strlen(marker) - strlen("/format")), marker);
    make_file(marker, "agent-q-fs snapshots 7\n");
    remove_all(refs);
    check_refused("newer-format", "format 7");
    TEST_ASSERT_EQUAL(-1, access(refs, F_OK));
}

void test_snapshot_format__a_marker_that_cannot_be_read_is_an_error(void) {
    make_file(marker, "something else\n");
    check_refused("snapshot", "format");
    make_file(marker, "agent-q-fs snapshots 1 and a half\n");
    check_refused("snapshot", "format");
}

/* The cache of a newer version is of no use, and of no harm. */
void test_snapshot_format__a_newer_cache_is_made_anew(void) {
    AUTO_FREE char *cache =
        path_of("%.*s/cache", (int)(strlen(marker) - strlen("/format")), marker);
    AUTO(buf_free) struct buf bytes = {0};
    read_whole(cache, &bytes);
    TEST_ASSERT_EQUAL(0, memcmp(bytes.data, "aqfs cache 1\n", 13));
    bytes.data[11] = '2';
    make_bytes(cache, bytes.data, bytes.len);
    TEST_ASSERT_EQUAL_STRING("a.txt", names_in(ask(ws, "snapshot_diff", args), "files", "path"));
    TEST_ASSERT_EQUAL_STRING("ok", code_of(change(ws, "snapshot_create", "{}")));
    bytes.len = 0;
    read_whole(cache, &bytes);
    TEST_ASSERT_EQUAL(0, memcmp(bytes.data, "aqfs cache 1\n", 13));
}
