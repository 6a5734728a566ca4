/* A test of the ids that a review gives: they tell nothing outside the workspace.
 *
 * SPDX-License-Identifier: MIT
 */
#include "changes.h"
#include "fixture.h"
#include "snapshots.h"

#include "unity.h"

#include <stdio.h>
#include <string.h>

void setUp(void) {
    support_start();
    make_file(project_path("a"), "1\n");
    ws = open_project(STATE);
    change(ws, "delete_file", "{\"path\":\"a\"}");
}

/* The id of the only file that differs. */
static const char *id_of_deleted(aqfs_workspace *of) {
    const json_t *calls = json_object_get(ask(of, "changes_list", "{}"), "calls");
    char *args = path_of("{\"calls\":[\"%s\"]}", text_in(json_array_get(calls, 0), "id"));
    const json_t *files = json_object_get(ask(of, "changes_diff", args), "files");
    free(args);
    return text_in(json_array_get(files, 0), "id");
}

void test_review_ids__differ_between_workspaces(void) {
    aqfs_workspace *another = open_project(STATE);
    char other[64] = "";
    (void)snprintf(other, sizeof other, "%s", id_of_deleted(another));
    aqfs_free(another);
    const char *own = id_of_deleted(ws);
    TEST_ASSERT_EQUAL(strlen(own), strlen(other));
    TEST_ASSERT_NOT_EQUAL(0, strcmp(own, other));
    TEST_ASSERT_EQUAL_STRING(own, id_of_deleted(ws));
}
