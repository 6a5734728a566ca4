/* SPDX-License-Identifier: MIT */
/* Can a reply that is not as declared be noticed?  See test/support/declared.h. */
#include "declared.h"

#include "aqfs.h"

#include "unity.h"

#include <string.h>

static struct buf faults;

void tearDown(void) {
    buf_free(&faults);
}

static const char *judge(const char *request, const char *text) {
    buf_free(&faults);
    json_t *reply = json_loads(text, 0, NULL);
    TEST_ASSERT_NOT_NULL_MESSAGE(reply, text);
    declared_check(request, request ? strlen(request) : 0, reply, &faults);
    json_decref(reply);
    return faults.data ? faults.data : "";
}

static void check_blamed(const char *request, const char *text, const char *words) {
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(judge(request, text), words), judge(request, text));
}

#define EXISTS "{\"op\": \"file_exists\"}"
#define MOVE "{\"op\": \"move_file\", \"verb\": \"plan\"}"
#define GOOD_EXISTS "\"path\": \"a\", \"exists\": true, \"text\": \"\""

void test_declared__what_is_as_declared(void) {
    TEST_ASSERT_EQUAL_STRING("", judge(EXISTS, "{\"type\": \"file\", " GOOD_EXISTS "}"));
    TEST_ASSERT_EQUAL_STRING("", judge(EXISTS, "{\"type\": null, " GOOD_EXISTS "}"));
}

void test_declared__members(void) {
    check_blamed(EXISTS, "{\"type\": \"file\", \"size\": 1, " GOOD_EXISTS "}", "/size is unknown");
    check_blamed(EXISTS, "{" GOOD_EXISTS "}", "file_exists/type is missing");
    check_blamed(EXISTS, "{\"type\": null, \"path\": \"a\", \"exists\": true}", "text is missing");
}

void test_declared__values(void) {
    check_blamed(EXISTS, "{\"type\": \"pipe\", " GOOD_EXISTS "}", "type is not of its type");
    check_blamed(EXISTS, "{\"type\": 1, " GOOD_EXISTS "}", "type is not of its type");
    check_blamed(EXISTS, "{\"type\": null, \"path\": null, \"exists\": true, \"text\": \"\"}",
                 "path is null");
    check_blamed(EXISTS, "{\"type\": null, \"path\": \"a\", \"exists\": 1, \"text\": \"\"}",
                 "exists is not of its type");
}

void test_declared__what_is_inside(void) {
    static const char tree[] = "{\"op\": \"directory_tree\"}";
#define TREE(child)                                                                                \
    "{\"path\": \".\", \"files\": 1, \"directories\": 0, \"truncated\": false, \"text\": \"\", "   \
    "\"tree\": {\"name\": \"a\", \"type\": \"directory\", \"children\": [{\"name\": \"b\", "       \
    "\"type\": \"directory\", \"children\": [" child "]}]}}"
    TEST_ASSERT_EQUAL_STRING("", judge(tree, TREE("{\"name\": \"c\", \"type\": \"other\"}")));
    check_blamed(tree, TREE("{\"name\": \"c\"}"), "tree/children/children/type is missing");
    check_blamed(tree, TREE("7"), "tree/children/children is not of its type");
}

void test_declared__errors(void) {
#define ERROR(code)                                                                                \
    "{\"error\": \"" code "\", \"message\": \"m\", \"path\": null, \"hint\": null, \"text\": "     \
    "\"t\"}"
    TEST_ASSERT_EQUAL_STRING("", judge(EXISTS, ERROR("restricted")));
    TEST_ASSERT_EQUAL_STRING("", judge(EXISTS, ERROR("limit")));
    TEST_ASSERT_EQUAL_STRING("", judge(NULL, ERROR("snapshot")));
    check_blamed(EXISTS, ERROR("snapshot"), "file_exists/snapshot is an error that it does not");
    check_blamed(EXISTS, ERROR("fatigue"), "error/error is not of its type");
    check_blamed(NULL, "{\"error\": \"limit\"}", "error/message is missing");
}

void test_declared__plans(void) {
    check_blamed(MOVE, "{\"source\": \"a\"}", "plan/source is unknown");
    check_blamed(MOVE, "{\"digest\": \"abc\"}", "plan/digest is not of its type");
}

void test_declared__what_no_operation_answers(void) {
    check_blamed(NULL, "{\"moved\": true}", "open/moved is unknown");
    declared_check_known("nothing", NULL, &faults);
    TEST_ASSERT_NOT_NULL(strstr(faults.data, "nothing is declared nowhere"));
}

static void check_printed(const char *name, aqfs_reply *printed) {
    json_t *reply = json_loads(aqfs_reply_text(printed, NULL), JSON_REJECT_DUPLICATES, NULL);
    declared_check_known(name, reply, &faults);
    TEST_ASSERT_EQUAL_STRING_MESSAGE("", faults.data ? faults.data : "", name);
    json_decref(reply);
    aqfs_reply_free(printed);
}

void test_declared__the_catalogue_is_as_it_says_of_itself(void) {
    check_printed("catalogue", aqfs_catalogue(AQFS_JSON));
    check_printed("version", aqfs_version(AQFS_JSON));
}
