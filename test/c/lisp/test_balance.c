/* Tests what is offered for a Lisp text that would not balance, at each tool that writes one.
 *
 * SPDX-License-Identifier: MIT
 */
#include "changes.h"
#include "fixture.h"

#include "unity.h"

#include <stdio.h>
#include <string.h>

#define BEFORE "(defun a (x)\n  (when x\n    (b x)))\n\n(defun c ()\n  (d))\n"
#define AFTER "(defun a (x)\n  (when x\n    (b x)))\n\n(defun c ()\n  (e))\n"
#define UNBALANCED                                                                                 \
    "(defun a (x)\\n  (when x\\n    (b x)))\\n\\n(defun c ()\\n  (e)\\n" /* as JSON */
#define EDIT_ARGS "\"path\":\"a.el\",\"old_str\":\"(d))\",\"new_str\":\"(e)\""
#define FORM_ARGS "\"path\":\"a.el\",\"name\":\"c\",\"content\":\"(defun c ()\\n  (e)\""

void setUp(void) {
    support_start();
    make_file(project_path("a.el"), BEFORE);
    ws = open_project("");
}

static char digest[100];

/* Makes a call that is refused, and keeps what is offered. */
static void refuse(const char *op, const char *args) {
    char whole[1000];
    (void)snprintf(whole, sizeof whole, "{%s}", args);
    json_t *reply = change(ws, op, whole);
    TEST_ASSERT_EQUAL_STRING("unbalanced", code_of(reply));
    check_text("a.el", BEFORE);
    TEST_ASSERT_NOT_NULL(strstr(text_in(reply, "text"), "the form ends in line "));
    (void)snprintf(digest, sizeof digest, "%s", text_in(reply, "accept"));
}

static json_t *accept_by(const char *op, const char *args) {
    char whole[1000];
    (void)snprintf(whole, sizeof whole, "{\"accept\":\"%s\",%s}", digest, args);
    return change(ws, op, whole);
}

static void check_accepted(const char *op, const char *args) {
    TEST_ASSERT_EQUAL_STRING("ok", code_of(accept_by(op, args)));
    check_text("a.el", AFTER);
}

void test_balance__an_edit_is_accepted_alone(void) {
    refuse("edit_file", EDIT_ARGS);
    check_accepted("edit_file", "\"path\":\"a.el\"");
}

void test_balance__an_edit_is_accepted_beside_its_arguments(void) {
    refuse("edit_file", EDIT_ARGS);
    reopen(""); /* as another process would */
    check_accepted("edit_file", EDIT_ARGS);
}

void test_balance__a_form_is_accepted_alone(void) {
    refuse("edit_form", FORM_ARGS);
    check_accepted("edit_form", "\"path\":\"a.el\"");
}

void test_balance__a_form_is_accepted_beside_its_arguments(void) {
    refuse("edit_form", FORM_ARGS);
    reopen("");
    check_accepted("edit_form", FORM_ARGS);
}

void test_balance__other_arguments_do_not_give_what_was_offered(void) {
    refuse("edit_form", FORM_ARGS);
    const char *other = "\"path\":\"a.el\",\"name\":\"c\",\"content\":\"(defun c ()\\n  (f)\"";
    TEST_ASSERT_EQUAL_STRING("stale", code_of(accept_by("edit_form", other)));
    check_text("a.el", BEFORE);
}

void test_balance__lines_are_accepted_by_edit_file(void) {
    refuse("insert_at_line", "\"path\":\"a.el\",\"line\":5,\"content\":\"  (list 1\"");
    TEST_ASSERT_EQUAL_STRING("ok", code_of(accept_by("edit_file", "\"path\":\"a.el\"")));
    check_text("a.el", "(defun a (x)\n  (when x\n    (b x)))\n\n(defun c ()\n  (list 1)\n  (d))\n");
}

void test_balance__a_file_is_accepted_by_edit_file(void) {
    refuse("write_file", "\"path\":\"a.el\",\"content\":\"" UNBALANCED "\"");
    check_accepted("edit_file", "\"path\":\"a.el\"");
}

void test_balance__a_patch_of_one_file_is_accepted_by_edit_file(void) {
    refuse("apply_patch", "\"patch\":\"*** Begin Patch\\n*** Update File: a.el\\n@@\\n (defun c ()"
                          "\\n-  (d))\\n+  (e)\\n*** End Patch\\n\"");
    check_accepted("edit_file", "\"path\":\"a.el\"");
}

void test_balance__of_a_patch_of_two_files_nothing_is_offered(void) {
    json_t *reply = change(
        ws, "apply_patch",
        "{\"patch\":\"*** Begin Patch\\n*** Add File: b.txt\\n+b\\n*** Update File: a.el\\n@@\\n"
        " (defun c ()\\n-  (d))\\n+  (e)\\n*** End Patch\\n\"}");
    TEST_ASSERT_EQUAL_STRING("unbalanced", code_of(reply));
    TEST_ASSERT_NULL(json_object_get(json_object_get(reply, "error"), "accept"));
    TEST_ASSERT_NOT_NULL(strstr(text_in(reply, "text"), "+  (e))"));
}

static void check_new(const char *op) {
    char args[1000];
    (void)snprintf(args, sizeof args, "{\"path\":\"n.el\",\"content\":\"" UNBALANCED "\"}");
    json_t *reply = change(ws, op, args);
    TEST_ASSERT_EQUAL_STRING("unbalanced", code_of(reply));
    (void)snprintf(digest, sizeof digest, "%s", text_in(reply, "accept"));
    reply = accept_by("edit_file", "\"path\":\"n.el\"");
    TEST_ASSERT_EQUAL_STRING("ok", code_of(reply));
    check_text("n.el", AFTER);
}

void test_balance__a_new_file_is_accepted_by_edit_file(void) {
    check_new("create_file");
}

void test_balance__a_new_file_that_is_there_by_now_is_stale(void) {
    char args[1000];
    (void)snprintf(args, sizeof args, "{\"path\":\"n.el\",\"content\":\"" UNBALANCED "\"}");
    json_t *reply = change(ws, "write_file", args);
    (void)snprintf(digest, sizeof digest, "%s", text_in(reply, "accept"));
    make_file(project_path("n.el"), "mine\n");
    TEST_ASSERT_EQUAL_STRING("stale", code_of(accept_by("edit_file", "\"path\":\"n.el\"")));
    check_text("n.el", "mine\n");
}

void test_balance__a_file_that_is_not_there_is_no_offer(void) {
    (void)snprintf(digest, sizeof digest, "00");
    TEST_ASSERT_EQUAL_STRING("stale", code_of(accept_by("edit_file", "\"path\":\"none.el\"")));
}
