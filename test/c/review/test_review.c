/* Tests of reviewing what calls have changed, and of taking it back.
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

#define TEXT "one\ntwo\nthree\nfour\nfive\nsix\nseven\n"

void setUp(void) {
    support_start();
    make_file(project_path("a.txt"), TEXT);
    make_file(project_path("d/x"), "x\n");
    make_file(project_path("d/e/y"), "y\n");
    make_directory(project_path("d/empty"));
    make_link(project_path("d/link"), "x");
    ws = open_project(STATE);
}

static json_t *by_model(const char *op, const char *args) {
    char *request = path_of("{\"op\":\"%s\",\"args\":%s,\"authority\":\"dangerous\","
                            "\"origin\":\"model\",\"caller\":\"tester\",\"call\":\"c-1\"}",
                            op, args);
    json_t *reply = ask_raw(ws, request, strlen(request), NULL);
    TEST_ASSERT_EQUAL_STRING_MESSAGE("ok", code_of(reply), text_in(reply, "message"));
    free(request);
    return reply;
}

static const json_t *call_at(size_t at) {
    return json_array_get(json_object_get(ask(ws, "changes_list", "{}"), "calls"), at);
}

/* Takes back the call AT, 0 for the latest. */
static json_t *undo_at(size_t at) {
    char *args = path_of("{\"calls\":[\"%s\"]}", text_in(call_at(at), "id"));
    json_t *reply = change(ws, "changes_undo", args);
    free(args);
    return reply;
}

static void check_undone(size_t at) {
    const json_t *reply = undo_at(at);
    TEST_ASSERT_EQUAL_STRING_MESSAGE("ok", code_of(reply), text_in(reply, "message"));
    TEST_ASSERT_EQUAL(0, temporary_files());
}

/* Fails unless taking the call AT back is the error CODE with WORDS, and changes nothing. */
static void check_refused(size_t at, const char *code, const char *words) {
    struct buf before = {0}, after = {0};
    tree_of_directory(&before, project_path(""), "");
    const json_t *reply = undo_at(at);
    TEST_ASSERT_EQUAL_STRING(code, code_of(reply));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(text_in(reply, "message"), words),
                                 text_in(reply, "message"));
    tree_of_directory(&after, project_path(""), "");
    TEST_ASSERT_EQUAL_STRING(before.data, after.data);
    buf_free(&before);
    buf_free(&after);
}

#define EDIT(old, new) "{\"path\":\"a.txt\",\"old_str\":\"" old "\",\"new_str\":\"" new "\"}"

void test_review__a_call_in_the_middle(void) {
    by_model("edit_file", EDIT("two", "2"));
    by_model("edit_file", EDIT("four", "4"));
    by_model("edit_file", EDIT("six", "6"));
    check_undone(1);
    check_text("a.txt", "one\n2\nthree\nfour\nfive\n6\nseven\n");
    check_undone(0);
    check_text("a.txt", "one\n2\nthree\n4\nfive\n6\nseven\n");
}

void test_review__other_lines_of_a_person_stay(void) {
    by_model("edit_file", EDIT("two", "2"));
    make_file(project_path("a.txt"), "zero\none\n2\nthree\nfour\nfive\nsix\n");
    check_undone(0);
    check_text("a.txt", "zero\none\ntwo\nthree\nfour\nfive\nsix\n");
}

void test_review__the_same_lines_of_a_person_are_not_touched(void) {
    by_model("edit_file", EDIT("two", "2"));
    make_file(project_path("a.txt"), "one\n2!\nthree\nfour\nfive\nsix\nseven\n");
    check_refused(0, "stale", "has lines that somebody else has changed since");
    const json_t *diff = ask(ws, "changes_diff", "{}");
    const json_t *file = json_array_get(json_object_get(diff, "files"), 0);
    TEST_ASSERT_TRUE(
        json_is_true(json_object_get(json_array_get(json_object_get(file, "hunks"), 0), "mixed")));
}

void test_review__what_a_person_has_taken_back_is_done(void) {
    by_model("edit_file", EDIT("two", "2"));
    make_file(project_path("a.txt"), TEXT);
    TEST_ASSERT_EQUAL(0, number_in(ask(ws, "changes_diff", "{}"), "total"));
    check_undone(0);
    check_text("a.txt", TEXT);
}

void test_review__a_directory_comes_back_as_it_was(void) {
    struct buf before = {0}, after = {0};
    TEST_ASSERT_EQUAL(0, chmod(project_path("d/x"), 0640));
    TEST_ASSERT_EQUAL(0, chmod(project_path("d/e"), 0750));
    tree_of_directory(&before, project_path(""), "");
    by_model("delete_file", "{\"path\":\"d\",\"recursive\":true}");
    TEST_ASSERT_EQUAL('-', type_of(project_path("d")));
    check_undone(0);
    tree_of_directory(&after, project_path(""), "");
    TEST_ASSERT_EQUAL_STRING(before.data, after.data);
    TEST_ASSERT_EQUAL_HEX(0640, mode_of(project_path("d/x")));
    TEST_ASSERT_EQUAL_HEX(0750, mode_of(project_path("d/e")));
    check_undone(0); /* of the undo: it is deleted again */
    TEST_ASSERT_EQUAL('-', type_of(project_path("d")));
    buf_free(&before);
    buf_free(&after);
}

void test_review__a_name_that_is_taken_again_is_not_overwritten(void) {
    by_model("delete_file", "{\"path\":\"d/x\"}");
    make_file(project_path("d/x"), "another\n");
    check_refused(0, "stale", "somebody else");
}

void test_review__a_new_file_goes_with_its_directories(void) {
    by_model("create_file", "{\"path\":\"p/q/r\",\"content\":\"new\\n\"}");
    check_undone(0);
    TEST_ASSERT_EQUAL('-', type_of(project_path("p")));
}

void test_review__a_directory_in_which_somebody_works_stays(void) {
    by_model("create_file", "{\"path\":\"p/q/r\",\"content\":\"new\\n\"}");
    make_file(project_path("p/mine"), "mine\n");
    check_undone(0);
    TEST_ASSERT_EQUAL('-', type_of(project_path("p/q")));
    check_text("p/mine", "mine\n");
}

void test_review__a_new_file_that_somebody_has_edited_stays(void) {
    by_model("create_file", "{\"path\":\"n\",\"content\":\"new\\n\"}");
    make_file(project_path("n"), "new\nmine\n");
    check_refused(0, "stale", "somebody else");
}

void test_review__a_moved_directory_goes_back_with_what_is_in_it(void) {
    by_model("move_file", "{\"source\":\"d\",\"destination\":\"p/d\"}");
    make_file(project_path("p/d/x"), "mine\n");
    check_undone(0);
    TEST_ASSERT_EQUAL('-', type_of(project_path("p")));
    check_text("d/x", "mine\n");
    check_text("d/e/y", "y\n");
}

void test_review__an_undone_move_into_new_directories_is_done_again(void) {
    by_model("move_file", "{\"source\":\"d\",\"destination\":\"p/q/d\"}");
    check_undone(0);
    TEST_ASSERT_FALSE((access(project_path("p"), F_OK) == 0));
    TEST_ASSERT_TRUE((access(project_path("d/e/y"), F_OK) == 0));
    check_undone(0);
    TEST_ASSERT_FALSE((access(project_path("d"), F_OK) == 0));
    check_text("p/q/d/e/y", "y\n");
}

void test_review__a_move_over_a_file_puts_both_back(void) {
    by_model("move_file",
             "{\"source\":\"d/x\",\"destination\":\"a.txt\",\"allow_overwrite\":true}");
    check_undone(0);
    check_text("a.txt", TEXT);
    check_text("d/x", "x\n");
}

void test_review__a_copy_over_a_file_is_taken_back(void) {
    by_model("copy_file",
             "{\"source\":\"d/x\",\"destination\":\"a.txt\",\"allow_overwrite\":true}");
    check_undone(0);
    check_text("a.txt", TEXT);
}

void test_review__permissions_are_put_back(void) {
    by_model("apply_patch", "{\"patch\":\"diff --git a/a.txt b/a.txt\\nold mode 100644\\n"
                            "new mode 100755\\n\"}");
    TEST_ASSERT_EQUAL_HEX(0755, mode_of(project_path("a.txt")));
    check_undone(0);
    TEST_ASSERT_EQUAL_HEX(0644, mode_of(project_path("a.txt")));
    check_text("a.txt", TEXT);
}

void test_review__a_patch_of_many_kinds_is_taken_back(void) {
    struct buf before = {0}, after = {0};
    tree_of_directory(&before, project_path(""), "");
    by_model("apply_patch",
             "{\"patch\":\"*** Begin Patch\\n*** Update File: a.txt\\n@@\\n-two\\n+2\\n"
             "*** Add File: n/new\\n+n\\n*** Delete File: d/x\\n*** Update File: d/e/y\\n"
             "*** Move to: m/y\\n@@\\n-y\\n+Y\\n*** End Patch\"}");
    check_undone(0);
    tree_of_directory(&after, project_path(""), "");
    TEST_ASSERT_EQUAL_STRING(before.data, after.data);
    buf_free(&before);
    buf_free(&after);
}

void test_review__a_restored_snapshot_is_taken_back(void) {
    const char *id = snapshot(ws);
    make_file(project_path("a.txt"), "mine\n");
    make_file(project_path("n"), "mine\n");
    unlink(project_path("d/x"));
    TEST_ASSERT_EQUAL_STRING("ok", code_of(on_snapshot(ws, "snapshot_restore", id)));
    check_text("a.txt", TEXT);
    check_undone(0);
    check_text("a.txt", "mine\n");
    check_text("n", "mine\n");
    TEST_ASSERT_EQUAL('-', type_of(project_path("d/x")));
}

void test_review__bytes_are_taken_back(void) {
    make_bytes(project_path("bin"), "\0\1\2", 3);
    by_model("write_bytes", "{\"path\":\"bin\",\"content\":\"AAEC/w==\"}");
    check_undone(0);
    struct buf bytes = {0};
    read_whole(project_path("bin"), &bytes);
    TEST_ASSERT_EQUAL(3, bytes.len);
    TEST_ASSERT_EQUAL_MEMORY("\0\1\2", bytes.data, 3);
    buf_free(&bytes);
}

void test_review__no_newline_at_the_end(void) {
    make_file(project_path("a.txt"), "one\r\ntwo\r\nthree");
    by_model("write_file", "{\"path\":\"a.txt\",\"content\":\"one\\r\\nzwei\\r\\nthree\\n\"}");
    const json_t *file = json_array_get(json_object_get(ask(ws, "changes_diff", "{}"), "files"), 0);
    TEST_ASSERT_EQUAL(1, json_array_size(json_object_get(file, "hunks")));
    check_undone(0);
    check_text("a.txt", "one\r\ntwo\r\nthree");
}

static const char *hunk_id(size_t at) {
    const json_t *file = json_array_get(json_object_get(ask(ws, "changes_diff", "{}"), "files"), 0);
    return text_in(json_array_get(json_object_get(file, "hunks"), at), "id");
}

void test_review__one_hunk_is_taken_back_and_one_accepted(void) {
    by_model("edit_file", EDIT("two", "2"));
    by_model("edit_file", EDIT("four", "4"));
    by_model("edit_file", EDIT("six", "6"));
    char *args = path_of("{\"hunks\":[\"%s\"]}", hunk_id(1));
    const json_t *plan = preview(ws, "changes_undo", args);
    TEST_ASSERT_EQUAL_STRING("cautious", text_in(plan, "tier"));
    TEST_ASSERT_EQUAL_STRING("ok", code_of(change(ws, "changes_undo", args)));
    TEST_ASSERT_EQUAL_STRING("stale", code_of(change(ws, "changes_undo", args)));
    free(args);
    check_text("a.txt", "one\n2\nthree\nfour\nfive\n6\nseven\n");
    args = path_of("{\"hunks\":[\"%s\"]}", hunk_id(0));
    const json_t *accepted = change(ws, "changes_accept", args);
    free(args);
    const json_t *left = ask(ws, "changes_diff", "{}");
    TEST_ASSERT_EQUAL(1, number_in(left, "hunks_total"));
    args = path_of("{\"calls\":[\"%s\"]}", text_in(accepted, "id"));
    TEST_ASSERT_EQUAL_STRING("ok", code_of(change(ws, "changes_forget", args)));
    free(args);
    TEST_ASSERT_EQUAL(2, number_in(ask(ws, "changes_diff", "{}"), "hunks_total"));
}

/* A call that is taken back takes no other with it, also where a hunk was accepted meanwhile. */
void test_review__a_call_is_taken_back_alone_after_an_acceptance(void) {
    by_model("edit_file", EDIT("two", "2"));
    by_model("edit_file", EDIT("four", "4"));
    by_model("edit_file", EDIT("six", "6"));
    char *args = path_of("{\"hunks\":[\"%s\"]}", hunk_id(2));
    TEST_ASSERT_EQUAL_STRING("ok", code_of(change(ws, "changes_accept", args)));
    free(args);
    const json_t *nothing = undo_at(1); /* the acceptance is the latest call */
    TEST_ASSERT_EQUAL_STRING("ok", code_of(nothing));
    TEST_ASSERT_EQUAL(0, json_array_size(json_object_get(nothing, "files")));
    check_text("a.txt", "one\n2\nthree\n4\nfive\n6\nseven\n");
    TEST_ASSERT_EQUAL_STRING("ok", code_of(undo_at(2)));
    check_text("a.txt", "one\n2\nthree\nfour\nfive\n6\nseven\n");
}

/* An acceptance of some calls is none of the others, in the same file too. */
void test_review__accepting_a_call_leaves_the_others(void) {
    by_model("edit_file", EDIT("two", "2"));
    by_model("edit_file", EDIT("four", "4"));
    by_model("edit_file", EDIT("six", "6"));
    char *args = path_of("{\"calls\":[\"%s\"]}", text_in(call_at(1), "id"));
    TEST_ASSERT_EQUAL_STRING("ok", code_of(change(ws, "changes_accept", args)));
    TEST_ASSERT_EQUAL(0, number_in(ask(ws, "changes_diff", args), "total"));
    free(args);
    const json_t *left = ask(ws, "changes_diff", "{}");
    TEST_ASSERT_EQUAL(2, number_in(left, "hunks_total"));
    TEST_ASSERT_NULL(strstr(text_in(left, "text"), "\n+4\n"));
    TEST_ASSERT_EQUAL_STRING("ok", code_of(undo_at(1)));
    check_text("a.txt", "one\n2\nthree\n4\nfive\nsix\nseven\n");
}

/* A line that a person reads must not hold more than it shows. */
void test_review__hidden_characters_are_told(void) {
    by_model("edit_file", EDIT("two", "tw\\u202eo"));
    const char *text = text_in(ask(ws, "changes_diff", "{}"), "text");
    TEST_ASSERT_NOT_NULL_MESSAGE(
        strstr(text, "[line 4 of the diff of a.txt holds 1 invisible character"), text);
    by_model("edit_file", EDIT("tw\\u202eo", "two"));
    TEST_ASSERT_NULL(strstr(text_in(ask(ws, "changes_diff", "{}"), "text"), "invisible"));
}

/* The agent that made a change must not be able to hide it from its person. */
void test_review__only_somebody_with_authority_accepts(void) {
    by_model("edit_file", EDIT("two", "2"));
    TEST_ASSERT_EQUAL_STRING("approval-required",
                             code_of(change_as(ws, "cautious", "changes_accept", "{}")));
    TEST_ASSERT_EQUAL_STRING("approval-required",
                             code_of(change_as(ws, "cautious", "changes_forget", "{}")));
    TEST_ASSERT_EQUAL(1, number_in(ask(ws, "changes_diff", "{}"), "total"));
}

/* The person who is asked sees which changes an agent would have accepted, or forgotten. */
void test_review__an_approval_names_what_it_is_of(void) {
    by_model("edit_file", EDIT("two", "2"));
    by_model("edit_file", EDIT("six", "6\\n6a"));
    by_model("edit_file", "{\"path\":\"d/x\",\"old_str\":\"x\",\"new_str\":\"evil\"}");
    char *args = path_of("{\"hunks\":[\"%s\"]}", hunk_id(1));
    const char *words = text_in(preview(ws, "changes_accept", args), "diff");
    TEST_ASSERT_EQUAL_PTR_MESSAGE(words, strstr(words, "Accepts of a.txt\n  lines 6 to 7, +2 -1 ("),
                                  words);
    TEST_ASSERT_NULL_MESSAGE(strstr(words, "line 2"), words);
    free(args);
    words = text_in(preview(ws, "changes_accept", "{}"), "diff");
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(words, "Accepts all changes of a.txt ("), words);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(words, "Accepts all changes of d/x ("), words);
    words = text_in(preview(ws, "changes_forget", "{\"keep\":1}"), "diff");
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(words, "  model  edit_file: a.txt (1 target)\n"), words);
    TEST_ASSERT_NULL_MESSAGE(strstr(words, "d/x"), words);
    reopen(STATE ",\"restricted_paths\":[\"a.txt\"]");
    words = text_in(preview(ws, "changes_forget", "{\"keep\":0}"), "diff");
    TEST_ASSERT_NULL_MESSAGE(strstr(words, "a.txt"), words);
    words = text_in(preview(ws, "changes_accept", "{}"), "diff");
    TEST_ASSERT_NULL_MESSAGE(strstr(words, "a.txt"), words);
}

void test_review__what_is_restricted_is_not_shown(void) {
    by_model("edit_file", EDIT("two", "TOPSECRET"));
    reopen(STATE ",\"restricted_paths\":[\"a.txt\"]");
    const json_t *diff = ask(ws, "changes_diff", "{}"), *list = ask(ws, "changes_list", "{}");
    TEST_ASSERT_EQUAL(0, number_in(diff, "total"));
    TEST_ASSERT_NULL(strstr(text_in(list, "text"), "a.txt"));
    const json_t *reply = undo_at(0);
    TEST_ASSERT_EQUAL(0, json_array_size(json_object_get(reply, "files")));
    TEST_ASSERT_NULL(strstr(text_in(reply, "text"), "a.txt"));
    check_text("a.txt", "one\nTOPSECRET\nthree\nfour\nfive\nsix\nseven\n");
}

void test_review__the_names_of_caller_and_call_are_kept(void) {
    by_model("edit_file", EDIT("two", "2"));
    TEST_ASSERT_EQUAL_STRING("tester", text_in(call_at(0), "caller"));
    TEST_ASSERT_EQUAL_STRING("c-1", text_in(call_at(0), "call"));
    TEST_ASSERT_EQUAL_STRING("model", text_in(call_at(0), "origin"));
}

void test_review__memory_keeps_as_the_disk_does(void) {
    aqfs_workspace *host = ws;
    ws = open_elsewhere("\"backend\":\"memory\"");
    put_file(ws, "a.txt", "one\\ntwo\\nthree\\n");
    put_file(ws, "d/x", "x\\n");
    by_model("edit_file", EDIT("two", "2"));
    by_model("delete_file", "{\"path\":\"d\",\"recursive\":true}");
    TEST_ASSERT_EQUAL_STRING("ok", code_of(undo_at(0)));
    TEST_ASSERT_EQUAL_STRING("x\n", content_of(ws, "d/x"));
    TEST_ASSERT_EQUAL_STRING("ok", code_of(undo_at(2)));
    TEST_ASSERT_EQUAL_STRING("one\ntwo\nthree\n", content_of(ws, "a.txt"));
    aqfs_free(ws);
    ws = host;
}
