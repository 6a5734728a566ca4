/* Journals of other versions: those of 0.1.0 are read, and those of a newer format are left alone,
 * with the project.
 *
 * SPDX-License-Identifier: MIT
 */
#include "changes.h"
#include "cleanup.h"
#include "journal.h"

#include "unity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STATE "\"state_dir\":\"%s/state\""
#define TEMP ".aqfs-0123456789abcdef0123456789abcdef.tmp"
#define EDIT "{\"path\":\"a.txt\",\"old_str\":\"one\",\"new_str\":\"two\"}"

static aqfs_workspace *ws;
static char *journal; /* where a dead process of this project left it */

void setUp(void) {
    char prefix[JOURNAL_PREFIX];
    support_start();
    make_file(project_path("a.txt"), "one\n");
    ws = open_project(STATE);
    journal_prefix(ws, prefix);
    journal = path_of("%s/%s%s", base_path("state/journal"), prefix, TEMP);
    aqfs_free(ws);
    ws = NULL;
}

void tearDown(void) {
    aqfs_free(ws);
    free(journal);
    support_end();
}

/* Leaves a journal that says, with MEMBERS more, that TEMP is still to become the new file b. */
static void leave_journal(const char *members) {
    AUTO_FREE char *record =
        path_of("{%s\"state\": \"staging\", \"steps\": [{\"kind\": \"create\", "
                "\"root\": 0, \"path\": \"b\", \"temp\": \"" TEMP "\"}]}\n",
                members);
    make_file(journal, record);
    make_file(project_path(TEMP), "half");
}

static void check_recovered(const char *members) {
    leave_journal(members);
    ws = open_project(STATE);
    TEST_ASSERT_EQUAL(-1, access(project_path(TEMP), F_OK));
    TEST_ASSERT_EQUAL(-1, access(journal, F_OK));
    TEST_ASSERT_EQUAL_STRING("ok", code_of(change(ws, "edit_file", EDIT)));
}

void test_journal_format__a_journal_without_one_is_of_the_first(void) {
    check_recovered("");
}

void test_journal_format__this_one_is_read(void) {
    AUTO_FREE char *members = path_of("\"format\": %d, ", JOURNAL_FORMAT);
    check_recovered(members);
}

void test_journal_format__it_is_written(void) {
    AUTO_FREE char *member = path_of("\"format\": %d,", JOURNAL_FORMAT);
    ws = open_project(STATE);
    TEST_ASSERT_EQUAL_STRING("ok", code_of(change(ws, "edit_file", EDIT)));
    struct names names = names_below(base_path("state/journal"));
    int found = 0;
    for (size_t i = 0; i < names.n; i++) {
        AUTO_FREE char *path = path_of("%s/%s", base_path("state/journal"), names.names[i]);
        found += strstr(text_of(path), member) != NULL;
    }
    free_names(&names);
    TEST_ASSERT_EQUAL(1, found);
}

/* Nothing is changed, by whatever operation, and reading and planning go on. */
static void check_refused(const char *op, const char *args) {
    json_t *reply = change(ws, op, args);
    TEST_ASSERT_EQUAL_STRING_MESSAGE("newer-format", code_of(reply), op);
    TEST_ASSERT_NOT_NULL(strstr(text_in(reply, "message"), "journal"));
    TEST_ASSERT_NOT_NULL(strstr(text_in(reply, "message"), "format 7"));
    TEST_ASSERT_NOT_NULL(strstr(text_in(reply, "hint"), base_path("state/journal")));
    check_text("a.txt", "one\n");
    check_text(TEMP, "half");
    TEST_ASSERT_EQUAL(0, access(journal, F_OK));
}

void test_journal_format__a_newer_one_is_refused_by_name(void) {
    leave_journal("\"format\": 7, ");
    ws = open_project(STATE);
    check_refused("edit_file", EDIT);
    check_refused("create_file", "{\"path\":\"new\",\"content\":\"x\"}");
    check_refused("delete_file", "{\"path\":\"a.txt\"}");
    TEST_ASSERT_EQUAL_STRING("ok", code_of(preview(ws, "edit_file", EDIT)));
    TEST_ASSERT_EQUAL_STRING("one\n", content_of(ws, "a.txt"));
    TEST_ASSERT_EQUAL_STRING("ok", code_of(ask_path(ws, "get_file_info", "a.txt")));
}

void test_journal_format__a_restore_is_refused_before_it_takes_a_snapshot(void) {
    char args[128];
    ws = open_project(STATE);
    json_t *taken = change(ws, "snapshot_create", "{}");
    (void)snprintf(args, sizeof args, "{\"id\":\"%s\"}", text_in(taken, "id"));
    aqfs_free(ws);
    make_file(project_path("a.txt"), "later\n");
    leave_journal("\"format\": 7, ");
    ws = open_project(STATE);
    TEST_ASSERT_EQUAL_STRING("newer-format", code_of(change(ws, "snapshot_restore", args)));
    check_text("a.txt", "later\n");
    TEST_ASSERT_EQUAL(1, number_in(ask(ws, "snapshot_list", "{}"), "total"));
}

/* The newer program has put its project in order meanwhile. */
void test_journal_format__changes_go_on_when_it_is_gone(void) {
    leave_journal("\"format\": 7, ");
    ws = open_project(STATE);
    check_refused("edit_file", EDIT);
    TEST_ASSERT_EQUAL(0, unlink(journal));
    TEST_ASSERT_EQUAL_STRING("ok", code_of(change(ws, "edit_file", EDIT)));
    check_text("a.txt", "two\n");
}
