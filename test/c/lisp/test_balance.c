/* Tests what is offered for a Lisp text that would not balance, at each tool that writes one.
 *
 * SPDX-License-Identifier: MIT
 */
#include "buf.h"
#include "changes.h"
#include "files.h"
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

/* Makes a call that is refused, for a.el, which holds BEFORE, and keeps what is offered. */
static void refuse_of(const char *before, const char *op, const char *args) {
    char whole[1000];
    (void)snprintf(whole, sizeof whole, "{%s}", args);
    json_t *reply = change(ws, op, whole);
    TEST_ASSERT_EQUAL_STRING("unbalanced", code_of(reply));
    check_text("a.el", before);
    TEST_ASSERT_NOT_NULL(strstr(text_in(reply, "text"), "the form ends in line "));
    (void)snprintf(digest, sizeof digest, "%s", text_in(reply, "accept"));
}

static void refuse(const char *op, const char *args) {
    refuse_of(BEFORE, op, args);
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

void test_balance__a_replacement_in_one_file_is_accepted_by_edit_file(void) {
    refuse("replace_in_files", "\"pattern\":\"(d))\",\"replacement\":\"(e)\"");
    check_accepted("edit_file", "\"path\":\"a.el\"");
}

#define PATCH_ARGS                                                                                 \
    "\"patch\":\"*** Begin Patch\\n*** Update File: a.el\\n@@\\n (defun c ()\\n-  (d))\\n+  "      \
    "(e)\\n*** End Patch\\n\""

/* The ends of lines stay as they are: CR and LF. */
void test_balance__a_patch_of_a_file_with_crlf_is_accepted(void) {
    const char *before = "(defun a ()\r\n  1)\r\n(defun c ()\r\n  (d))\r\n";
    make_file(project_path("a.el"), before);
    refuse_of(before, "apply_patch", PATCH_ARGS);
    TEST_ASSERT_EQUAL_STRING("ok", code_of(accept_by("edit_file", "\"path\":\"a.el\"")));
    check_text("a.el", "(defun a ()\r\n  1)\r\n(defun c ()\r\n  (e))\r\n");
}

void test_balance__a_file_with_crlf_is_accepted(void) {
    const char *before = "(defun c ()\r\n  (d))\r\n";
    make_file(project_path("a.el"), before);
    refuse_of(before, "write_file",
              "\"path\":\"a.el\",\"content\":\"(defun c ()\\r\\n  (e)\\r\\n\"");
    TEST_ASSERT_EQUAL_STRING("ok", code_of(accept_by("edit_file", "\"path\":\"a.el\"")));
    check_text("a.el", "(defun c ()\r\n  (e))\r\n");
}

/* The correction is shown, and not offered: it would be made with the old ends of lines. */
void test_balance__other_ends_of_lines_are_no_offer(void) {
    make_file(project_path("a.el"), "(defun c ()\r\n  (d))\r\n");
    json_t *reply =
        change(ws, "write_file", "{\"path\":\"a.el\",\"content\":\"(defun c ()\\n  (e)\\n\"}");
    TEST_ASSERT_EQUAL_STRING("unbalanced", code_of(reply));
    TEST_ASSERT_NULL(json_object_get(json_object_get(reply, "error"), "accept"));
}

/* Writes TEXT, of ASCII, as UTF-16 with a mark. */
static size_t widen(const char *text, char *out) {
    size_t n = 0;
    out[n++] = '\xFF';
    out[n++] = '\xFE';
    for (; *text; text++) {
        out[n++] = *text;
        out[n++] = '\0';
    }
    return n;
}

void test_balance__a_patch_of_utf_16_is_accepted(void) {
    char bytes[200], expected[200];
    struct buf got = {0};
    size_t n = widen("(defun c ()\n  (d))\n", bytes);
    make_bytes(project_path("a.el"), bytes, n);
    json_t *reply = change(ws, "apply_patch", "{" PATCH_ARGS "}");
    TEST_ASSERT_EQUAL_STRING("unbalanced", code_of(reply));
    (void)snprintf(digest, sizeof digest, "%s", text_in(reply, "accept"));
    TEST_ASSERT_EQUAL_STRING("ok", code_of(accept_by("edit_file", "\"path\":\"a.el\"")));
    n = widen("(defun c ()\n  (e))\n", expected);
    read_whole(project_path("a.el"), &got);
    TEST_ASSERT_EQUAL_UINT64(n, got.len);
    TEST_ASSERT_EQUAL_MEMORY(expected, got.data, n);
    buf_free(&got);
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
