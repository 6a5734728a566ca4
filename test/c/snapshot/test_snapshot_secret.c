/* Files of a snapshot that were secret by another name, which they have not any more.
 *
 * SPDX-License-Identifier: MIT
 */
#include "fixture.h"
#include "snapshots.h"

#include "unity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECRET "TOPSECRET"

void setUp(void) {
    support_start();
    make_file(project_path(".env"), "KEY=" SECRET "\n");
    make_file(project_path("a.txt"), "one\n");
    ws = open_project(STATE);
}

static void replace_file(const char *path) {
    TEST_ASSERT_EQUAL(0, unlink(project_path(path)));
    make_file(project_path(path), "other\n");
}

static json_t *ask_as(const char *origin, const char *authority, const char *verb, const char *op,
                      const char *arguments) {
    char request[600];
    int n = snprintf(request, sizeof request,
                     "{\"op\":\"%s\",\"origin\":\"%s\",\"authority\":\"%s\",\"verb\":\"%s\","
                     "\"args\":%s}",
                     op, origin, authority, verb, arguments);
    return ask_raw(ws, request, (size_t)n, &(aqfs_context){.format = AQFS_JSON});
}

/* Whether ORIGIN is shown the secret by OP on the snapshots. */
static bool is_shown(const char *origin, const char *verb, const char *op, const char *id,
                     const char *other) {
    char arguments[300];
    (void)snprintf(arguments, sizeof arguments,
                   other ? "{\"id\":\"%s\",\"other\":\"%s\"}" : "{\"id\":\"%s\"}", id, other);
    json_t *reply = ask_as(origin, "cautious", verb, op, arguments);
    TEST_ASSERT_EQUAL_STRING_MESSAGE("ok", code_of(reply), text_in(reply, "message"));
    return strstr(text_in(reply, "text"), SECRET) != NULL;
}

static bool is_compared(const char *origin, const char *id, const char *other) {
    return is_shown(origin, "call", "snapshot_diff", id, other);
}

/* Threat 152. */
void test_snapshot_secret__a_second_name_that_was_replaced(void) {
    make_second_name(project_path(".env"), project_path("notes.txt"));
    const char *id = snapshot(ws);
    TEST_ASSERT_FALSE(is_compared("model", id, NULL));
    replace_file("notes.txt");
    TEST_ASSERT_FALSE(is_compared("model", id, NULL));
    TEST_ASSERT_TRUE(is_compared("person", id, NULL));
    replace_file(".env");
    TEST_ASSERT_FALSE(is_compared("model", id, NULL));
    const char *later = snapshot(ws);
    TEST_ASSERT_FALSE(is_compared("model", id, later));
    TEST_ASSERT_FALSE(is_compared("model", later, id));
    TEST_ASSERT_TRUE(is_compared("person", later, id));
    reopen(STATE);
    TEST_ASSERT_FALSE(is_compared("model", id, NULL));
}

/* The snapshot holds no .env, which git ignores, and its second name. */
void test_snapshot_secret__of_a_name_that_is_ignored(void) {
    make_file(project_path(".gitignore"), ".env\n");
    make_second_name(project_path(".env"), project_path("notes.txt"));
    const char *id = snapshot(ws);
    replace_file("notes.txt");
    TEST_ASSERT_FALSE(is_compared("model", id, NULL));
}

void test_snapshot_secret__what_a_secret_link_led_to(void) {
    make_file(project_path("conf/plain"), SECRET "\n");
    make_file(project_path("keys/aws"), SECRET "\n");
    make_link(project_path("id_rsa"), "conf/plain");
    make_link(project_path(".aws"), "keys");
    make_file(project_path(".gitignore"), "id_rsa\n.aws\n");
    const char *id = snapshot(ws);
    TEST_ASSERT_EQUAL(0, unlink(project_path("id_rsa")));
    TEST_ASSERT_EQUAL(0, unlink(project_path(".aws")));
    replace_file("conf/plain");
    replace_file("keys/aws");
    reopen(STATE); /* which forgets where the links led */
    TEST_ASSERT_FALSE(is_compared("model", id, NULL));
    TEST_ASSERT_TRUE(is_compared("person", id, NULL));
}

/* The plan is shown to the model before somebody approves. */
void test_snapshot_secret__put_back(void) {
    make_second_name(project_path(".env"), project_path("notes.txt"));
    const char *id = snapshot(ws);
    replace_file("notes.txt");
    TEST_ASSERT_FALSE(is_shown("model", "plan", "snapshot_restore", id, NULL));
    char arguments[100];
    (void)snprintf(arguments, sizeof arguments, "{\"id\":\"%s\"}", id);
    const json_t *plan = ask_as("model", "cautious", "plan", "snapshot_restore", arguments);
    const json_t *target = json_array_get(json_object_get(plan, "targets"), 0);
    TEST_ASSERT_EQUAL_STRING("notes.txt", text_in(target, "path"));
    TEST_ASSERT_TRUE(json_is_string(json_object_get(target, "secret")));
    go_back(ws, id);
    check_text("notes.txt", "KEY=" SECRET "\n");
}

/* A file of several names is no secret for that. */
void test_snapshot_secret__other_second_names_are_shown(void) {
    make_file(project_path("b.txt"), SECRET "\n");
    make_second_name(project_path("b.txt"), project_path("c.txt"));
    make_second_name(project_path(".env"), project_path("notes.txt"));
    const char *id = snapshot(ws);
    replace_file("c.txt");
    TEST_ASSERT_TRUE(is_compared("model", id, NULL));
}
