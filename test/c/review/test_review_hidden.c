/* Tests of what a review does not show, and does not bring back: what is restricted now.
 *
 * SPDX-License-Identifier: MIT
 */
#include "changes.h"
#include "cleanup.h"
#include "fixture.h"
#include "snapshots.h"
#include "trees.h"

#include "unity.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void setUp(void) {
    support_start();
    make_file(project_path("data/private/key"), "RESTRICTEDTEXT\ntwo\n");
    make_file(project_path("data/b"), "b\n");
    make_file(project_path("a"), "1\n");
    make_file(project_path("c"), "1\n");
    ws = open_project(STATE);
}

static const char *call_id(size_t at) {
    const json_t *calls = json_object_get(ask(ws, "changes_list", "{}"), "calls");
    return text_in(json_array_get(calls, at), "id");
}

/* The reply of OP for the call AT, 0 for the latest. */
static const json_t *about_call(const char *op, size_t at) {
    char *args = path_of("{\"calls\":[\"%s\"]}", call_id(at));
    const json_t *reply = change(ws, op, args);
    free(args);
    return reply;
}

/* The same, for a model without more authority than `safe`. */
static const json_t *diff_for_model(size_t at) {
    char *request = path_of("{\"op\":\"changes_diff\",\"args\":{\"calls\":[\"%s\"]},"
                            "\"authority\":\"safe\",\"origin\":\"model\"}",
                            call_id(at));
    const json_t *reply = ask_raw(ws, request, strlen(request), NULL);
    free(request);
    TEST_ASSERT_EQUAL_STRING_MESSAGE("ok", code_of(reply), text_in(reply, "message"));
    return reply;
}

static void check_without(const json_t *reply, const char *words) {
    char *all = json_dumps(reply, 0);
    TEST_ASSERT_NULL_MESSAGE(strstr(all, words), all);
    free(all);
}

void test_hidden__below_a_deleted_directory(void) {
    change(ws, "delete_file", "{\"path\":\"data\",\"recursive\":true}");
    reopen(STATE ",\"restricted_paths\":[\"data/private\"]");
    const json_t *diff = about_call("changes_diff", 0);
    TEST_ASSERT_EQUAL_STRING("ok", code_of(diff));
    TEST_ASSERT_NOT_NULL(strstr(text_in(diff, "text"), "data/b"));
    check_without(diff, "RESTRICTEDTEXT");
    check_without(diff, "private");
    TEST_ASSERT_NOT_EQUAL(0, strcmp("ok", code_of(about_call("changes_undo", 0))));
    TEST_ASSERT_EQUAL('-', type_of(project_path("data")));
}

void test_hidden__where_a_move_has_brought_it(void) {
    change(ws, "move_file", "{\"source\":\"data\",\"destination\":\"data2\"}");
    change(ws, "edit_file",
           "{\"path\":\"data2/private/key\",\"old_str\":\"two\",\"new_str\":\"2\"}");
    change(ws, "move_file", "{\"source\":\"data2\",\"destination\":\"data\"}");
    TEST_ASSERT_NOT_NULL(strstr(text_in(about_call("changes_diff", 1), "text"), "RESTRICTEDTEXT"));
    reopen(STATE ",\"restricted_paths\":[\"data/private\"]");
    TEST_ASSERT_EQUAL(0, number_in(about_call("changes_diff", 1), "total"));
    check_without(about_call("changes_diff", 1), "RESTRICTEDTEXT");
}

void test_hidden__where_a_restricted_move_has_brought_it(void) {
    make_file(project_path("k"), "RESTRICTEDTEXT\ntwo\n");
    change(ws, "edit_file", "{\"path\":\"k\",\"old_str\":\"two\",\"new_str\":\"2\"}");
    change(ws, "move_file", "{\"source\":\"k\",\"destination\":\"data/private/k\"}");
    reopen(STATE ",\"restricted_paths\":[\"data/private\"]");
    check_without(about_call("changes_diff", 1), "RESTRICTEDTEXT");
}

void test_hidden__a_move_back_over_a_restricted_path_is_refused(void) {
    change(ws, "move_file", "{\"source\":\"data\",\"destination\":\"data2\"}");
    reopen(STATE ",\"restricted_paths\":[\"data2/private\"]");
    const json_t *reply = about_call("changes_undo", 0);
    TEST_ASSERT_EQUAL_STRING("restricted", code_of(reply));
    TEST_ASSERT_NOT_NULL(strstr(text_in(reply, "message"), "below it"));
    TEST_ASSERT_EQUAL('-', type_of(project_path("data")));
    TEST_ASSERT_EQUAL('d', type_of(project_path("data2/private")));
}

void test_hidden__another_name_of_a_restricted_file_does_not_stop_the_rest(void) {
    change(ws, "edit_file", "{\"path\":\"a\",\"old_str\":\"1\",\"new_str\":\"2\"}");
    change(ws, "edit_file", "{\"path\":\"c\",\"old_str\":\"1\",\"new_str\":\"2\"}");
    char *args = path_of("{\"calls\":[\"%s\",\"%s\"]}", call_id(0), call_id(1));
    unlink(project_path("a"));
    make_second_name(project_path("data/private/key"), project_path("a"));
    reopen(STATE ",\"restricted_paths\":[\"data/private/key\"]");
    const json_t *diff = ask(ws, "changes_diff", args);
    TEST_ASSERT_EQUAL_STRING_MESSAGE("ok", code_of(diff), text_in(diff, "message"));
    TEST_ASSERT_EQUAL(2, number_in(diff, "total"));
    TEST_ASSERT_EQUAL_MESSAGE(1, number_in(diff, "hunks_total"), text_in(diff, "text"));
    TEST_ASSERT_NOT_NULL(strstr(text_in(diff, "text"), "a: modified, and it cannot be read"));
    check_without(diff, "RESTRICTEDTEXT");
    TEST_ASSERT_EQUAL_STRING("stale", code_of(change(ws, "changes_undo", args)));
    free(args);
}

void test_hidden__a_lost_name_of_a_restricted_file(void) {
    make_second_name(project_path("data/private/key"), project_path("other"));
    change(ws, "delete_file", "{\"path\":\"other\"}");
    reopen(STATE ",\"restricted_paths\":[\"data/private\"]");
    check_without(about_call("changes_diff", 0), "RESTRICTEDTEXT");
}

void test_hidden__a_lost_name_of_a_secret(void) {
    make_file(project_path(".env"), "A=TOPSECRET\n");
    make_second_name(project_path(".env"), project_path("other"));
    change(ws, "delete_file", "{\"path\":\"other\"}");
    TEST_ASSERT_NOT_NULL(strstr(text_in(about_call("changes_diff", 0), "text"), "TOPSECRET"));
    check_without(diff_for_model(0), "TOPSECRET");
    make_directory(project_path("dir"));
    make_second_name(project_path(".env"), project_path("dir/other"));
    change(ws, "delete_file", "{\"path\":\"dir\",\"recursive\":true}");
    check_without(diff_for_model(0), "TOPSECRET");
}

void test_hidden__what_a_secret_link_led_to(void) {
    make_file(project_path("real"), "A=TOPSECRET\n");
    make_link(project_path(".env"), "real");
    change(ws, "delete_file", "{\"path\":\"real\"}");
    check_without(diff_for_model(0), "TOPSECRET");
    unlink(project_path(".env"));
    reopen(STATE);
    check_without(diff_for_model(0), "TOPSECRET");
}

/* The model has read a file before, so it was known where the link leads. */
void test_hidden__what_was_replaced_behind_a_secret_link(void) {
    static const char read[] = "{\"op\":\"read_file\",\"args\":{\"path\":\"a\"},"
                               "\"authority\":\"safe\",\"origin\":\"model\"}";
    make_file(project_path("real"), "A=TOPSECRET\n");
    make_link(project_path(".env"), "real");
    TEST_ASSERT_EQUAL_STRING("ok", code_of(ask_raw(ws, read, strlen(read), NULL)));
    change(ws, "edit_file", "{\"path\":\"real\",\"old_str\":\"TOPSECRET\",\"new_str\":\"2\"}");
    unlink(project_path(".env"));
    TEST_ASSERT_NOT_NULL(strstr(text_in(about_call("changes_diff", 0), "text"), "TOPSECRET"));
    reopen(STATE);
    check_without(diff_for_model(0), "TOPSECRET");
}

void test_hidden__what_a_snapshot_has_of_a_lost_file(void) {
    make_file(project_path(".env"), "A=TOPSECRET\n");
    make_second_name(project_path(".env"), project_path("other"));
    char *request = path_of("{\"op\":\"snapshot_diff\",\"args\":{\"id\":\"%s\"},"
                            "\"authority\":\"safe\",\"origin\":\"model\"}",
                            snapshot(ws));
    unlink(project_path("other"));
    const json_t *diff = ask_raw(ws, request, strlen(request), NULL);
    free(request);
    TEST_ASSERT_EQUAL_STRING_MESSAGE("ok", code_of(diff), text_in(diff, "message"));
    TEST_ASSERT_NOT_NULL(strstr(text_in(diff, "text"), "other"));
    check_without(diff, "TOPSECRET");
}

void test_hidden__another_users_bit_does_not_come_back(void) {
    TEST_ASSERT_EQUAL(0, chmod(project_path("a"), 04755));
    change(ws, "delete_file", "{\"path\":\"a\"}");
    TEST_ASSERT_EQUAL_STRING("ok", code_of(about_call("changes_undo", 0)));
    TEST_ASSERT_EQUAL_HEX(0755, mode_of(project_path("a")));
}
