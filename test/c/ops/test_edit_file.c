/* Tests offers: an edit that was refused and can be accepted.
 *
 * SPDX-License-Identifier: MIT
 */
#include "changes.h"
#include "fixture.h"

#include "unity.h"

#include <stdio.h>
#include <string.h>

#define BEFORE "int f(void) {\n\tif (a)\n\t\tb();\n}\n"
#define AFTER "int f(void) {\n\tif (a)\n\t\tc();\n}\n"
#define NEARLY                                                                                     \
    "\"path\":\"a.c\",\"old_str\":\"if (a)\\n    b();\\n\",\"new_str\":\"if (a)\\n    c();\\n\""

void setUp(void) {
    support_start();
    make_file(project_path("a.c"), BEFORE);
    ws = open_project("");
}

static char digest[100];

/* Makes the edit that nearly fits, and keeps what is offered. */
static json_t *refuse(void) {
    json_t *reply = change(ws, "edit_file", "{" NEARLY "}");
    TEST_ASSERT_EQUAL_STRING("no-match", code_of(reply));
    check_text("a.c", BEFORE);
    (void)snprintf(digest, sizeof digest, "%s", text_in(reply, "accept"));
    return reply;
}

/* Accepts it, with MORE members of the arguments. */
static json_t *accept_offer(const char *more) {
    char args[600];
    (void)snprintf(args, sizeof args, "{\"accept\":\"%s\",%s}", digest, more);
    return change(ws, "edit_file", args);
}

void test_edit_file__an_offer_is_shown_and_accepted(void) {
    json_t *refused = refuse();
    TEST_ASSERT_NOT_NULL(strstr(text_in(refused, "diff"), "-\t\tb();\n+\t\tc();\n"));
    TEST_ASSERT_NOT_NULL(strstr(text_in(refused, "text"), digest));
    TEST_ASSERT_NOT_NULL(strstr(text_in(refused, "text"), "+\t\tc();\n"));
    json_t *reply = accept_offer("\"path\":\"./a.c\"");
    TEST_ASSERT_EQUAL_STRING("ok", code_of(reply));
    TEST_ASSERT_EQUAL(2, json_integer_value(json_object_get(reply, "start_line")));
    TEST_ASSERT_EQUAL(3, json_integer_value(json_object_get(reply, "end_line")));
    check_text("a.c", AFTER);
}

void test_edit_file__an_offer_is_accepted_once_and_for_its_own_file(void) {
    refuse();
    make_file(project_path("b.c"), BEFORE);
    TEST_ASSERT_EQUAL_STRING("stale", code_of(accept_offer("\"path\":\"b.c\"")));
    TEST_ASSERT_EQUAL_STRING("ok", code_of(accept_offer("\"path\":\"a.c\"")));
    TEST_ASSERT_EQUAL_STRING("stale", code_of(accept_offer("\"path\":\"a.c\"")));
    check_text("a.c", AFTER);
    check_text("b.c", BEFORE);
}

void test_edit_file__an_offer_is_stale_when_the_file_has_changed(void) {
    refuse();
    make_file(project_path("a.c"), BEFORE "\n");
    json_t *reply = accept_offer("\"path\":\"a.c\"");
    TEST_ASSERT_EQUAL_STRING("stale", code_of(reply));
    TEST_ASSERT_NOT_NULL(strstr(text_in(reply, "message"), "the file has changed"));
    check_text("a.c", BEFORE "\n");
}

void test_edit_file__an_unknown_offer_is_stale(void) {
    (void)strcpy(digest, "0123");
    json_t *reply = accept_offer("\"path\":\"a.c\"");
    TEST_ASSERT_EQUAL_STRING("stale", code_of(reply));
    TEST_ASSERT_NOT_NULL(strstr(text_in(reply, "message"), "no such offer"));
}

/* A workspace that has not made the offer can make it again. */
void test_edit_file__an_offer_is_known_elsewhere_by_the_arguments(void) {
    refuse();
    aqfs_workspace *own = ws;
    ws = open_project("");
    TEST_ASSERT_EQUAL_STRING("stale", code_of(accept_offer("\"path\":\"a.c\"")));
    TEST_ASSERT_EQUAL_STRING("ok", code_of(accept_offer(NEARLY)));
    check_text("a.c", AFTER);
    TEST_ASSERT_EQUAL_STRING("stale", code_of(accept_offer(NEARLY)));
    aqfs_free(ws);
    ws = own;
}

/* The oldest offers are forgotten; the newest is kept. */
void test_edit_file__offers_are_bounded(void) {
    char args[300], first[100] = "";
    for (int i = 0; i < 40; i++) {
        (void)snprintf(args, sizeof args,
                       "{\"path\":\"a.c\",\"old_str\":\"  if (a)\\n\",\"new_str\":\"  %d\\n\"}", i);
        json_t *reply = change(ws, "edit_file", args);
        (void)snprintf(digest, sizeof digest, "%s", text_in(reply, "accept"));
        if (i == 0)
            (void)snprintf(first, sizeof first, "%s", digest);
    }
    char last[100];
    (void)snprintf(last, sizeof last, "%s", digest);
    (void)snprintf(digest, sizeof digest, "%s", first);
    TEST_ASSERT_EQUAL_STRING("stale", code_of(accept_offer("\"path\":\"a.c\"")));
    (void)snprintf(digest, sizeof digest, "%s", last);
    TEST_ASSERT_EQUAL_STRING("ok", code_of(accept_offer("\"path\":\"a.c\"")));
    check_text("a.c", "int f(void) {\n\t39\n\t\tb();\n}\n");
}

/* All edits of a list are made, the one that does not fit where it is meant. */
void test_edit_file__an_offer_of_several_edits(void) {
    json_t *reply =
        change(ws, "edit_file",
               "{\"path\":\"a.c\",\"edits\":[{\"old_str\":\"int\",\"new_str\":\"long\"},"
               "{\"old_str\":\"    b();\\n\",\"new_str\":\"    c();\\n\"}]}");
    TEST_ASSERT_EQUAL_STRING("no-match", code_of(reply));
    (void)snprintf(digest, sizeof digest, "%s", text_in(reply, "accept"));
    TEST_ASSERT_EQUAL_STRING("ok", code_of(accept_offer("\"path\":\"a.c\"")));
    check_text("a.c", "long f(void) {\n\tif (a)\n\t\tc();\n}\n");
}

/* An offer is only a plan, so its commit can be approved, too. */
void test_edit_file__an_offer_is_previewed_and_approved(void) {
    char args[200];
    refuse();
    (void)snprintf(args, sizeof args, "{\"path\":\"a.c\",\"accept\":\"%s\"}", digest);
    json_t *shown = preview(ws, "edit_file", args);
    check_text("a.c", BEFORE);
    json_t *reply = change_approved(ws, text_in(shown, "digest"), "edit_file", args);
    TEST_ASSERT_EQUAL_STRING("ok", code_of(reply));
    check_text("a.c", AFTER);
}
