/* SPDX-License-Identifier: MIT */
#include "secret.h"

#include "fixture.h"

#include "unity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static const char *read_by_model(const char *path) {
    char request[PATH_BYTES_MAX + 100];
    int n = snprintf(request, sizeof request,
                     "{\"op\":\"read_file\",\"origin\":\"model\",\"authority\":\"safe\","
                     "\"args\":{\"path\":\"%s\"}}",
                     path);
    const json_t *reply = ask_raw(ws, request, (size_t)n, NULL);
    char *text = json_dumps(reply, 0);
    TEST_ASSERT_NULL_MESSAGE(strstr(text, SECRET), text);
    free(text);
    return code_of(reply);
}

/* Threat 152.  Of a tree that is too large to be walked, the upper levels are. */
void test_secret_twins__links_in_a_large_tree(void) {
    TEST_ASSERT_EQUAL_STRING("approval-required", read_by_model("conf/local"));
    TEST_ASSERT_EQUAL_STRING("ok", read_by_model("open"));
}

/* Beyond them, a file of several names may be a secret: nobody knows. */
void test_secret_twins__several_names_in_a_large_tree(void) {
    char from[PATH_BYTES_MAX + 1];
    (void)snprintf(from, sizeof from, "%s", project_path("open"));
    TEST_ASSERT_EQUAL(0, link(from, project_path("also")));
    TEST_ASSERT_EQUAL_STRING("approval-required", read_by_model("open"));
}
