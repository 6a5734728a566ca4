/* Tests of the tags of snapshots.
 *
 * SPDX-License-Identifier: MIT
 */
#include "changes.h"
#include "cleanup.h"
#include "fixture.h"

#include "unity.h"

#include <stdlib.h>
#include <string.h>

void setUp(void) {
    support_start();
    ws = open_project("\"state_dir\":\"%s/state\"");
}

static const char *code_for(const char *tag) {
    json_t *object = json_pack("{s:s}", "tag", tag);
    AUTO_FREE char *args = json_dumps(object, 0);
    json_decref(object);
    return code_of(preview(ws, "snapshot_create", args));
}

void test_snapshot_create__a_tag_is_one_line_without_control_characters(void) {
    static const char bad[] = {'\x01', '\t', '\n', '\x1F', '\x7F'};
    TEST_ASSERT_EQUAL_STRING("ok", code_for(" a tag~ \xC3\xA9"));
    for (size_t i = 0; i < sizeof bad; i++)
        for (size_t at = 0; at < 3; at++) {
            char tag[] = "abc";
            tag[at] = bad[i];
            TEST_ASSERT_EQUAL_STRING_MESSAGE("invalid-argument", code_for(tag), tag);
        }
}

void test_snapshot_create__a_tag_has_200_bytes(void) {
    char tag[202] = "";
    memset(tag, 'x', 200);
    TEST_ASSERT_EQUAL_STRING("ok", code_for(tag));
    tag[200] = 'x';
    TEST_ASSERT_EQUAL_STRING("invalid-argument", code_for(tag));
}
