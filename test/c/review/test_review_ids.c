/* A test of the ids that a review gives: they tell nothing outside the workspace.
 *
 * SPDX-License-Identifier: MIT
 */
#include "changes.h"
#include "fixture.h"
#include "snapshots.h"

#include "unity.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void setUp(void) {
    support_start();
    make_file(project_path("a"), "1\n");
    ws = open_project(STATE);
    change(ws, "delete_file", "{\"path\":\"a\"}");
}

/* The id of the only file that differs. */
static const char *id_of_deleted(void) {
    const json_t *calls = json_object_get(ask(ws, "changes_list", "{}"), "calls");
    char *args = path_of("{\"calls\":[\"%s\"]}", text_in(json_array_get(calls, 0), "id"));
    const json_t *files = json_object_get(ask(ws, "changes_diff", args), "files");
    free(args);
    return text_in(json_array_get(files, 0), "id");
}

void test_review_ids__differ_between_processes(void) {
    int ends[2];
    char other[64] = "";
    TEST_ASSERT_EQUAL(0, pipe(ends));
    pid_t child = fork();
    if (child == 0) {
        const char *id = id_of_deleted();
        _exit(write(ends[1], id, strlen(id)) != (ssize_t)strlen(id));
    }
    close(ends[1]);
    TEST_ASSERT_TRUE(read(ends[0], other, sizeof other - 1) > 0);
    close(ends[0]);
    TEST_ASSERT_EQUAL(child, waitpid(child, NULL, 0));
    const char *own = id_of_deleted();
    TEST_ASSERT_EQUAL(strlen(own), strlen(other));
    TEST_ASSERT_NOT_EQUAL(0, strcmp(own, other));
    TEST_ASSERT_EQUAL_STRING(own, id_of_deleted());
}
