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

/* The member KEY of a reply, or "". */
static const char *member_text(const json_t *reply, const char *key) {
    const char *text = json_string_value(json_object_get(reply, key));
    return text ? text : "";
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
    TEST_ASSERT_EQUAL_STRING("", member_text(reply, "accept"));
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

/* -- patches ------------------------------------------------------------------------------------
 */

#define TWO_FILES                                                                                  \
    "\"patch\":\"*** Begin Patch\\n*** Add File: b.txt\\n+b\\n*** Update File: a.el\\n@@\\n "      \
    "(defun c ()\\n-  (d))\\n+  (e)\\n*** End Patch\\n\""

static json_t *accept_patch(const char *op) {
    char args[200];
    (void)snprintf(args, sizeof args, "{\"accept\":\"%s\"}", digest);
    return change(ws, op, args);
}

void test_balance__a_patch_of_two_files_is_accepted_alone(void) {
    refuse("apply_patch", TWO_FILES);
    TEST_ASSERT_EQUAL_STRING("(none)", text_of(project_path("b.txt")));
    json_t *reply = accept_patch("apply_patch");
    TEST_ASSERT_EQUAL_STRING("ok", code_of(reply));
    check_text("a.el", AFTER);
    check_text("b.txt", "b\n");
    /* It is done, and cannot be done again. */
    TEST_ASSERT_NOT_EQUAL(0, strcmp("ok", code_of(accept_patch("apply_patch"))));
}

void test_balance__a_patch_of_two_files_is_accepted_beside_its_arguments(void) {
    refuse("apply_patch", TWO_FILES);
    reopen("");
    TEST_ASSERT_EQUAL_STRING("ok", code_of(accept_by("apply_patch", TWO_FILES)));
    check_text("a.el", AFTER);
    check_text("b.txt", "b\n");
}

void test_balance__an_offer_of_two_files_is_shown_whole(void) {
    json_t *reply = change(ws, "apply_patch", "{" TWO_FILES "}");
    TEST_ASSERT_NOT_NULL(strstr(member_text(reply, "message"), "'a.el'"));
    TEST_ASSERT_NOT_NULL(strstr(member_text(reply, "diff"), "+b"));
    TEST_ASSERT_NOT_NULL(strstr(member_text(reply, "diff"), "+  (e))"));
    TEST_ASSERT_NOT_NULL(strstr(text_in(reply, "text"), "apply_patch with \"accept\": \""));
}

void test_balance__each_file_of_a_patch_is_corrected(void) {
    make_file(project_path("z.el"), "(defun z ()\n  (y))\n");
    refuse("apply_patch",
           "\"patch\":\"--- a/a.el\\n+++ b/a.el\\n@@ -5,2 +5,2 @@\\n (defun c ()\\n-  (d))\\n+  "
           "(e)\\n--- a/z.el\\n+++ b/z.el\\n@@ -1,2 +1,2 @@\\n (defun z ()\\n-  (y))\\n+  "
           "(x)))\\n\"");
    TEST_ASSERT_EQUAL_STRING("ok", code_of(accept_patch("apply_patch_json")));
    check_text("a.el", AFTER);
    check_text("z.el", "(defun z ()\n  (x))\n");
}

void test_balance__a_patch_that_renames_is_accepted(void) {
    refuse("apply_patch_freeform",
           "\"patch\":\"*** Begin Patch\\n*** Update File: a.el\\n*** Move to: z.el\\n@@\\n (defun "
           "c ()\\n-  (d))\\n+  (e)\\n*** End Patch\\n\"");
    TEST_ASSERT_EQUAL_STRING("ok", code_of(accept_patch("apply_patch_freeform")));
    check_text("z.el", AFTER);
    TEST_ASSERT_EQUAL_STRING("(none)", text_of(project_path("a.el")));
}

void test_balance__a_patch_of_one_file_is_accepted_by_itself(void) {
    refuse("apply_patch", PATCH_ARGS);
    TEST_ASSERT_EQUAL_STRING("ok", code_of(accept_patch("apply_patch")));
    check_text("a.el", AFTER);
}

void test_balance__a_patch_with_a_version_is_accepted_alone(void) {
    json_t *read = change(ws, "read_file", "{\"path\":\"a.el\",\"version\":true}");
    char args[500];
    (void)snprintf(args, sizeof args, PATCH_ARGS ",\"version\":\"%s\"", text_in(read, "version"));
    refuse("apply_patch", args);
    TEST_ASSERT_EQUAL_STRING("ok", code_of(accept_patch("apply_patch")));
    check_text("a.el", AFTER);
}

void test_balance__a_file_that_changed_makes_the_offer_of_a_patch_stale(void) {
    refuse("apply_patch", TWO_FILES);
    make_file(project_path("a.el"), ";; mine\n" BEFORE);
    TEST_ASSERT_EQUAL_STRING("stale", code_of(accept_patch("apply_patch")));
    TEST_ASSERT_EQUAL_STRING("(none)", text_of(project_path("b.txt")));
}

void test_balance__another_patch_does_not_give_what_was_offered(void) {
    refuse("apply_patch", TWO_FILES);
    TEST_ASSERT_EQUAL_STRING("stale", code_of(accept_by("apply_patch", PATCH_ARGS)));
    check_text("a.el", BEFORE);
}

void test_balance__edit_file_takes_no_offer_of_two_files(void) {
    refuse("apply_patch", TWO_FILES);
    json_t *reply = accept_by("edit_file", "\"path\":\"a.el\"");
    TEST_ASSERT_EQUAL_STRING("stale", code_of(reply));
    TEST_ASSERT_NOT_NULL(strstr(member_text(reply, "message"), "more than edit one file"));
    check_text("a.el", BEFORE);
}

void test_balance__a_patch_takes_no_offer_of_an_edit(void) {
    refuse("edit_file", EDIT_ARGS);
    json_t *reply = accept_patch("apply_patch");
    TEST_ASSERT_EQUAL_STRING("stale", code_of(reply));
    TEST_ASSERT_NOT_NULL(strstr(member_text(reply, "message"), "no patch"));
    check_text("a.el", BEFORE);
}

void test_balance__a_patch_takes_no_offer_that_nobody_made(void) {
    (void)snprintf(digest, sizeof digest, "00");
    TEST_ASSERT_EQUAL_STRING("stale", code_of(accept_patch("apply_patch")));
}

/* Of one of its files no correction is known: the error is about that. */
void test_balance__a_patch_that_cannot_be_corrected_is_no_offer(void) {
    make_file(project_path("z.el"), "(defun z ()\n  (y))\n");
    json_t *reply = change(ws, "apply_patch",
                           "{\"patch\":\"*** Begin Patch\\n*** Update File: a.el\\n@@\\n (defun c "
                           "()\\n-  (d))\\n+  (e)\\n*** Update File: z.el\\n@@\\n (defun z ()\\n-  "
                           "(y))\\n+  \\\"\\n*** End Patch\\n\"}");
    TEST_ASSERT_EQUAL_STRING("unbalanced", code_of(reply));
    TEST_ASSERT_NOT_NULL(strstr(member_text(reply, "message"), "'z.el'"));
    TEST_ASSERT_EQUAL_STRING("", member_text(reply, "accept"));
    check_text("a.el", BEFORE);
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
