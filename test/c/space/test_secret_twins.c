/* SPDX-License-Identifier: MIT */
#include "secret.h"

#include "fixture.h"

#include "unity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECRET "TOPSECRET"

/* Links with secret names in the upper levels, between many files further down. */
void setUp(void) {
    static const char *const large[] = {"a", "m", "z"};
    support_start();
    for (size_t i = 0; i < sizeof large / sizeof *large; i++)
        for (int n = 0; n < 300; n++) {
            char name[64];
            (void)snprintf(name, sizeof name, "%s/b/c/d/%d", large[i], n);
            make_file(project_path(name), "x\n");
        }
    make_file(project_path("conf/local"), SECRET "\n");
    make_link(project_path("services/api/.env"), "../../conf/local");
    make_file(project_path("open"), "open\n");
    ws = open_project("\"secret_paths\":[\":default\"],\"limits\":{\"walk_entries\":100}");
}

/* The reply to OP with ARGUMENTS, which shows no secret. */
static const json_t *asked_by_model(const char *op, const char *arguments) {
    char request[PATH_BYTES_MAX + 200];
    int n = snprintf(request, sizeof request,
                     "{\"op\":\"%s\",\"origin\":\"model\",\"authority\":\"safe\",\"args\":{%s}}",
                     op, arguments);
    const json_t *reply = ask_raw(ws, request, (size_t)n, NULL);
    char *text = json_dumps(reply, 0);
    TEST_ASSERT_NULL_MESSAGE(strstr(text, SECRET), text);
    free(text);
    return reply;
}

static const char *read_by_model(const char *path) {
    char argument[PATH_BYTES_MAX + 20];
    (void)snprintf(argument, sizeof argument, "\"path\":\"%s\"", path);
    return code_of(asked_by_model("read_file", argument));
}

/* Threat 152.  Of a tree that is too large to be walked, the upper levels are. */
void test_secret_twins__links_in_a_large_tree(void) {
    TEST_ASSERT_EQUAL_STRING("approval-required", read_by_model("conf/local"));
    TEST_ASSERT_EQUAL_STRING("ok", read_by_model("open"));
}

/* Beyond them, a file of several names may be a secret: nobody knows. */
void test_secret_twins__several_names_in_a_large_tree(void) {
    make_second_name(project_path("open"), project_path("also"));
    TEST_ASSERT_EQUAL_STRING("approval-required", read_by_model("open"));
}

/* A search leaves out what reading asks about. */
void test_secret_twins__a_search_in_a_large_tree(void) {
    make_file(project_path("a/b/c/d/e/.env"), SECRET "\n");
    make_file(project_path("few/plain"), "TOP open\n");
    make_second_name(project_path("a/b/c/d/e/.env"), project_path("few/notes"));
    const json_t *reply = asked_by_model("grep_files", "\"pattern\":\"TOP\",\"path\":\"few\"");
    TEST_ASSERT_EQUAL_STRING("few/plain", names_in(reply, "matches", "path"));
    TEST_ASSERT_EQUAL_STRING("approval-required", read_by_model("few/notes"));
    reply = asked_by_model("grep_files", "\"pattern\":\"SECRET\",\"path\":\"few\"");
    TEST_ASSERT_NOT_NULL(strstr(text_in(reply, "text"), "[files of several names"));
}

/* The name is newer than the last look, which a search goes by for a second. */
void test_secret_twins__a_search_right_after_a_name(void) {
    aqfs_free(ws);
    make_file(project_path("few/.env"), SECRET "\n");
    make_file(project_path("few/plain"), "TOP open\n");
    ws = open_project("");
    for (int i = 0; i < 2; i++) {
        const json_t *reply = asked_by_model("grep_files", "\"pattern\":\"TOP\",\"path\":\"few\"");
        TEST_ASSERT_EQUAL_STRING("few/plain", names_in(reply, "matches", "path"));
        if (i == 0)
            make_second_name(project_path("few/.env"), project_path("few/notes"));
    }
}
