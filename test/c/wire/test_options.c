/* SPDX-License-Identifier: MIT */
#include "options.h"

#include "unity.h"

#include <stdio.h>
#include <string.h>

static struct options options;
static struct error e;
static json_t *object;

void tearDown(void) {
    options_free(&options);
    memset(&options, 0, sizeof options);
    json_decref(object);
    object = NULL;
}

static int decode(const char *text) {
    tearDown();
    object = json_loads(text, JSON_ALLOW_NUL, NULL);
    TEST_ASSERT_NOT_NULL_MESSAGE(object, text);
    return options_decode(object, &options, &e);
}

static void refuses(const char *text, const char *part) {
    TEST_ASSERT_EQUAL_MESSAGE(AQFS_INVALID_ARGUMENT, decode(text), text);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(e.message, part), e.message);
}

void test_options__all_have_defaults(void) {
    TEST_ASSERT_EQUAL(AQFS_OK, decode("{}"));
    TEST_ASSERT_NULL(options_text(&options, OPT_ROOT));
    TEST_ASSERT_NULL(options_text(&options, OPT_HOME));
    TEST_ASSERT_EQUAL_STRING("restricted", options_text(&options, OPT_MODE));
    TEST_ASSERT_EQUAL_STRING("auto", options_text(&options, OPT_RESOLVER));
    TEST_ASSERT_EQUAL(0, options.values[OPT_ALLOWED_PATHS].count);
    TEST_ASSERT_EQUAL(0, options.values[OPT_RESTRICTED_PATHS].count);
    TEST_ASSERT_FALSE(options.values[OPT_READ_ONLY].boolean);
    TEST_ASSERT_FALSE(options.values[OPT_CROSS_MOUNTS].boolean);
#define X(field, value, least, most, doc) TEST_ASSERT_EQUAL_INT64(value, options.limits.field);
    LIMITS(X)
#undef X
}

void test_options__all_can_be_given(void) {
    TEST_ASSERT_EQUAL(
        AQFS_OK,
        decode("{\"root\": \"/r\", \"start\": \"/s\", \"asdf_root\": \"/a\", \"cwd\": \"/c\","
               " \"sly_directory\": \"/y\", \"home\": \"/h\", \"mode\": \"unrestricted\","
               " \"allowed_paths\": [\"x\", \"y\"], \"restricted_paths\": [\"z\"],"
               " \"read_only\": true, \"cross_mounts\": true, \"resolver\": \"fallback\","
               " \"limits\": {\"read_lines\": 7, \"time_ms\": 5}}"));
    TEST_ASSERT_EQUAL_STRING("/r", options_text(&options, OPT_ROOT));
    TEST_ASSERT_EQUAL_STRING("/s", options_text(&options, OPT_START));
    TEST_ASSERT_EQUAL_STRING("/a", options_text(&options, OPT_ASDF_ROOT));
    TEST_ASSERT_EQUAL_STRING("/y", options_text(&options, OPT_SLY_DIRECTORY));
    TEST_ASSERT_EQUAL_STRING("/c", options_text(&options, OPT_CWD));
    TEST_ASSERT_EQUAL_STRING("/h", options_text(&options, OPT_HOME));
    TEST_ASSERT_EQUAL(2, options.values[OPT_ALLOWED_PATHS].count);
    TEST_ASSERT_EQUAL_STRING("z", options.values[OPT_RESTRICTED_PATHS].list[0].data);
    TEST_ASSERT_TRUE(options.values[OPT_READ_ONLY].boolean);
    TEST_ASSERT_TRUE(options.values[OPT_CROSS_MOUNTS].boolean);
    TEST_ASSERT_EQUAL_INT64(7, options.limits.read_lines);
    TEST_ASSERT_EQUAL_INT64(5, options.limits.time_ms);
    TEST_ASSERT_EQUAL_INT64(200, options.limits.list_entries);
}

void test_options__null_is_not_given(void) {
    TEST_ASSERT_EQUAL(AQFS_OK, decode("{\"root\": null, \"mode\": null, \"limits\": null,"
                                      " \"allowed_paths\": null, \"read_only\": null}"));
    TEST_ASSERT_NULL(options_text(&options, OPT_ROOT));
    TEST_ASSERT_EQUAL_STRING("restricted", options_text(&options, OPT_MODE));
    TEST_ASSERT_EQUAL_INT64(2000, options.limits.read_lines);
}

void test_options__lists_may_come_as_text(void) {
    TEST_ASSERT_EQUAL(AQFS_OK, decode("{\"restricted_paths\": \"[\\\"a\\\", \\\"b\\\"]\"}"));
    TEST_ASSERT_EQUAL(2, options.values[OPT_RESTRICTED_PATHS].count);
}

static const char *limit_text(const char *field, long long value) {
    static char text[100];
    (void)snprintf(text, sizeof text, "{\"limits\": {\"%s\": %lld}}", field, value);
    return text;
}

static void check_bounds(const char *field, long long least, long long most, const int64_t *limit) {
    char expected[100];
    (void)snprintf(expected, sizeof expected, "%s: expected an integer from %lld to %lld", field,
                   least, most);
    refuses(limit_text(field, least - 1), expected);
    refuses(limit_text(field, most + 1), expected);
    TEST_ASSERT_EQUAL(AQFS_OK, decode(limit_text(field, most)));
    TEST_ASSERT_EQUAL_INT64(most, *limit);
}

void test_options__each_limit_has_bounds(void) {
#define X(field, value, least, most, doc) check_bounds(#field, least, most, &options.limits.field);
    LIMITS(X)
#undef X
}

void test_options__what_is_wrong_is_named(void) {
    refuses("{\"colour\": \"red\"}", "colour: unknown argument; expected root,");
    refuses("{\"root\": 5}", "root: expected a string, got an integer");
    refuses("{\"mode\": \"free\"}", "mode: expected one of restricted|unrestricted");
    refuses("{\"resolver\": \"openat3\"}", "resolver: expected one of auto|openat2|fallback");
    refuses("{\"read_only\": 1}", "read_only: expected true or false, got an integer");
    refuses("{\"allowed_paths\": \"src\"}", "allowed_paths: expected a list of strings");
    refuses("{\"restricted_paths\": [1]}", "restricted_paths: expected a list of strings, but");
    refuses("{\"limits\": []}", "limits: expected an object, got a list");
    refuses("{\"limits\": {\"patience\": 1}}", "patience: unknown argument");
    refuses("{\"limits\": {\"time_ms\": \"long\"}}", "time_ms: expected an integer");
}

/* Threat 5. */
void test_options__no_path_has_a_nul(void) {
    refuses("{\"root\": \"/a\\u0000b\"}", "root: expected a path without NUL");
    refuses("{\"start\": \"\\u0000\"}", "start: expected a path without NUL");
    refuses("{\"home\": \"/h\\u0000\"}", "home: expected a path without NUL");
    refuses("{\"allowed_paths\": [\"a\", \"b\\u0000\"]}", "allowed_paths: expected a path without");
    refuses("{\"restricted_paths\": [\"\\u0000\"]}", "restricted_paths: expected a path without");
    refuses("{\"restricted_paths\": \"[\\\"a\\\\u0000\\\"]\"}",
            "restricted_paths: expected a path");
}

void test_options__the_callers_object_stays_as_it_was(void) {
    TEST_ASSERT_EQUAL(AQFS_OK, decode("{\"limits\": {\"threads\": 3}, \"root\": \"/r\"}"));
    TEST_ASSERT_EQUAL(2, json_object_size(object));
    TEST_ASSERT_EQUAL_INT64(3, options.limits.threads);
}
