/* Tests of what a commit says that could not be done.
 *
 * SPDX-License-Identifier: MIT
 */
#include "backend.h"
#include "changes.h"
#include "fixture.h"
#include "workspace.h"

#include "unity.h"

#include <stdio.h>
#include <string.h>

void setUp(void) {
    support_start();
    make_file(project_path("a"), "a\n");
    ws = open_project("");
}

/* The backend of the workspace, and the same with another program: it exchanges the source in the
 * last moment before it is moved, and takes the target's name when the source is moved back. */
static const struct backend *real;
static struct backend disturbed;
static int renames;

static int rename_disturbed(const struct node *from, const char *name, const struct node *to,
                            const char *new_name, enum rename_kind kind, struct error *e) {
    renames++;
    if (renames == 1) {
        make_file(project_path("other"), "of somebody else\n");
        TEST_ASSERT_EQUAL(0, rename(project_path("other"), project_path("a")));
    }
    int code = real->rename(from, name, to, new_name, kind, e);
    if (renames == 2)
        make_file(project_path("b"), "taken\n");
    return code;
}

void test_commit__a_name_that_is_taken_when_all_is_back_is_not_told_of(void) {
    real = ws->backend;
    disturbed = *real;
    disturbed.rename = rename_disturbed;
    ws->backend = &disturbed;
    const json_t *reply = change(ws, "move_file", "{\"source\":\"a\",\"destination\":\"b\"}");
    ws->backend = real;
    TEST_ASSERT_EQUAL_STRING("stale", code_of(reply));
    TEST_ASSERT_EQUAL(2, renames);
    TEST_ASSERT_TRUE(json_is_null(json_object_get(reply, "hint")));
    check_text("a", "of somebody else\n");
    check_text("b", "taken\n");
}
