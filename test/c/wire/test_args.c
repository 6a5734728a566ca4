/* SPDX-License-Identifier: MIT */
#include "args.h"

#include "unity.h"

#include <stdio.h>
#include <string.h>

static const struct param params[] = {
    {.name = "text", .type = PARAM_STRING},
    {.name = "path", .type = PARAM_PATH, .required = true},
    {.name = "number", .type = PARAM_INTEGER, .standard = "7", .least = -10, .most = 100},
    {.name = "wide", .type = PARAM_INTEGER, .least = INT64_MIN, .most = INT64_MAX},
    {.name = "flag", .type = PARAM_BOOLEAN, .standard = "true"},
    {.name = "list", .type = PARAM_STRINGS, .standard = "[\"a\", \"b\"]"},
    {.name = "word", .type = PARAM_CHOICE, .standard = "\"red\"", .choices = "red|green|blue"},
};
enum { TEXT, PATH, NUMBER, WIDE, FLAG, LIST, WORD, COUNT };

static struct value values[COUNT];
static struct error e;
static json_t *args;

void tearDown(void) {
    args_free(values, COUNT);
    memset(values, 0, sizeof values);
    json_decref(args);
    args = NULL;
}

static int decode(const char *text) {
    tearDown();
    args = json_loads(text, JSON_ALLOW_NUL | JSON_DECODE_ANY, NULL);
    TEST_ASSERT_NOT_NULL_MESSAGE(args, text);
    return args_decode(params, COUNT, args, values, &e);
}

static void accepts(const char *text) {
    TEST_ASSERT_EQUAL_MESSAGE(AQFS_OK, decode(text), e.message);
}

static void refuses(const char *text, const char *message) {
    TEST_ASSERT_EQUAL_MESSAGE(AQFS_INVALID_ARGUMENT, decode(text), text);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(e.message, message), e.message);
}

void test_args__defaults(void) {
    accepts("{\"path\": \"p\"}");
    TEST_ASSERT_FALSE(values[TEXT].known);
    TEST_ASSERT_TRUE(values[PATH].given);
    TEST_ASSERT_FALSE(values[NUMBER].given);
    TEST_ASSERT_TRUE(values[NUMBER].known);
    TEST_ASSERT_EQUAL_INT64(7, values[NUMBER].integer);
    TEST_ASSERT_FALSE(values[WIDE].known);
    TEST_ASSERT_TRUE(values[FLAG].boolean);
    TEST_ASSERT_EQUAL(2, values[LIST].count);
    TEST_ASSERT_EQUAL_STRING("b", values[LIST].list[1].data);
    TEST_ASSERT_EQUAL_STRING("red", values[WORD].text.data);
}

void test_args__what_is_given(void) {
    accepts("{\"path\": \"p\", \"text\": \"t\", \"number\": -10, \"flag\": false, \"list\": [],"
            " \"word\": \"blue\", \"wide\": 9223372036854775807}");
    TEST_ASSERT_EQUAL_STRING("t", values[TEXT].text.data);
    TEST_ASSERT_EQUAL_INT64(-10, values[NUMBER].integer);
    TEST_ASSERT_TRUE(values[FLAG].given);
    TEST_ASSERT_FALSE(values[FLAG].boolean);
    TEST_ASSERT_TRUE(values[LIST].given);
    TEST_ASSERT_EQUAL(0, values[LIST].count);
    TEST_ASSERT_EQUAL_STRING("blue", values[WORD].text.data);
    TEST_ASSERT_EQUAL_INT64(INT64_MAX, values[WIDE].integer);
    accepts("{\"path\": \"p\", \"wide\": -9223372036854775808}");
    TEST_ASSERT_EQUAL_INT64(INT64_MIN, values[WIDE].integer);
}

void test_args__null_is_not_given(void) {
    accepts("{\"path\": \"p\", \"text\": null, \"number\": null, \"list\": null, \"word\": null}");
    TEST_ASSERT_FALSE(values[TEXT].known);
    TEST_ASSERT_EQUAL_INT64(7, values[NUMBER].integer);
    TEST_ASSERT_EQUAL(2, values[LIST].count);
    refuses("{\"path\": null}", "path: this argument is required");
}

void test_args__none_at_all(void) {
    const struct param optional[] = {{.name = "x", .type = PARAM_STRING}};
    struct value value[1];
    json_t *null = json_null();
    TEST_ASSERT_EQUAL(AQFS_OK, args_decode(optional, 1, NULL, value, &e));
    args_free(value, 1);
    TEST_ASSERT_EQUAL(AQFS_OK, args_decode(optional, 1, null, value, &e));
    args_free(value, 1);
    TEST_ASSERT_EQUAL(AQFS_OK, args_decode(NULL, 0, NULL, NULL, &e));
}

void test_args__something_else_than_an_object(void) {
    refuses("[1]", "args: expected an object, got a list");
    refuses("\"path\"", "args: expected an object, got a string");
    refuses("5", "args: expected an object, got an integer");
    refuses("true", "args: expected an object, got a boolean");
}

void test_args__missing_and_unknown(void) {
    refuses("{}", "path: this argument is required");
    refuses("{\"path\": \"p\", \"colour\": 1}",
            "colour: unknown argument; expected text, path, number, wide, flag, list, word");
    refuses("{\"path\": \"p\", \"Path\": \"q\"}", "Path: unknown argument");
    refuses("{\"path\": \"p\", \"\": 1}", ": unknown argument");
    const struct value *none = NULL;
    json_t *given = json_pack("{s:i}", "x", 1);
    TEST_ASSERT_EQUAL(AQFS_INVALID_ARGUMENT, args_decode(NULL, 0, given, (struct value *)none, &e));
    TEST_ASSERT_EQUAL_STRING("x: unknown argument; expected none", e.message);
    json_decref(given);
}

/* Threat 133. */
void test_args__unknown_names_are_shown_harmlessly(void) {
    refuses("{\"path\": \"p\", \"a\\u001b[2Jb\\u202e\": 1}",
            "\"a\\033[2Jb\\342\\200\\256\": unknown");
}

void test_args__strings(void) {
    refuses("{\"path\": \"p\", \"text\": 5}", "text: expected a string, got an integer");
    refuses("{\"path\": [\"p\"]}", "path: expected a string, got a list");
    refuses("{\"path\": {}}", "path: expected a string, got an object");
    accepts("{\"path\": \"\", \"text\": \"a\\u0000b\"}");
    TEST_ASSERT_EQUAL(0, values[PATH].text.len);
    TEST_ASSERT_EQUAL(3, values[TEXT].text.len);
    TEST_ASSERT_EQUAL_MEMORY("a\0b", values[TEXT].text.data, 4);
}

void test_args__integers(void) {
    accepts("{\"path\": \"p\", \"number\": 100}");
    refuses("{\"path\": \"p\", \"number\": 101}",
            "number: expected an integer from -10 to 100, got 101");
    refuses("{\"path\": \"p\", \"number\": -11}", "got -11");
    refuses("{\"path\": \"p\", \"number\": \"5\"}", "number: expected an integer, got a string");
    refuses("{\"path\": \"p\", \"number\": true}", "number: expected an integer, got a boolean");
}

void test_args__integral_floats(void) {
    accepts("{\"path\": \"p\", \"number\": 5.0}");
    TEST_ASSERT_EQUAL_INT64(5, values[NUMBER].integer);
    accepts("{\"path\": \"p\", \"number\": 1e2}");
    TEST_ASSERT_EQUAL_INT64(100, values[NUMBER].integer);
    accepts("{\"path\": \"p\", \"number\": -0.0}");
    TEST_ASSERT_EQUAL_INT64(0, values[NUMBER].integer);
    accepts("{\"path\": \"p\", \"wide\": 9007199254740992.0}");
    refuses("{\"path\": \"p\", \"number\": 5.5}",
            "number: expected an integer, got a number with a fraction");
    refuses("{\"path\": \"p\", \"number\": 101.0}", "from -10 to 100, got 101");
}

/* Threat 134: beyond what a double holds exactly, and beyond 2^63, nothing is rounded. */
void test_args__floats_too_large_to_be_exact(void) {
    refuses("{\"path\": \"p\", \"wide\": 9007199254740994.0}", "wide: expected an integer");
    refuses("{\"path\": \"p\", \"wide\": 1e19}", "wide: expected an integer");
    refuses("{\"path\": \"p\", \"wide\": 1e308}", "wide: expected an integer");
    refuses("{\"path\": \"p\", \"wide\": -1e19}", "wide: expected an integer");
}

void test_args__booleans(void) {
    refuses("{\"path\": \"p\", \"flag\": 0}", "flag: expected true or false, got an integer");
    refuses("{\"path\": \"p\", \"flag\": \"true\"}", "flag: expected true or false, got a string");
}

void test_args__lists(void) {
    refuses("{\"path\": \"p\", \"list\": \"*.o\"}",
            "list: expected a list of strings, got a string");
    refuses("{\"path\": \"p\", \"list\": [\"a\", null]}", "but element 2 is null");
    refuses("{\"path\": \"p\", \"list\": [\"a\", [\"b\"]]}", "but element 2 is a list");
    refuses("{\"path\": \"p\", \"list\": {\"a\": \"b\"}}", "got an object");
}

void test_args__a_list_as_a_string(void) {
    accepts("{\"path\": \"p\", \"list\": \" [\\\"x\\\", \\\"y\\\\u0000\\\"]\"}");
    TEST_ASSERT_EQUAL(2, values[LIST].count);
    TEST_ASSERT_EQUAL_STRING("x", values[LIST].list[0].data);
    TEST_ASSERT_EQUAL(2, values[LIST].list[1].len);
    accepts("{\"path\": \"p\", \"list\": \"[]\"}");
    TEST_ASSERT_EQUAL(0, values[LIST].count);
    refuses("{\"path\": \"p\", \"list\": \"[\\\"x\\\"\"}", "got a string");
    refuses("{\"path\": \"p\", \"list\": \"[\\\"x\\\"] y\"}", "got a string");
    refuses("{\"path\": \"p\", \"list\": \"[1]\"}", "but element 1 is an integer");
}

void test_args__choices(void) {
    accepts("{\"path\": \"p\", \"word\": \"green\"}");
    const char *const wrong[] = {"gree", "greenx", "", "red|green", "|", "RED", "red\\u0000"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[60];
        (void)snprintf(text, sizeof text, "{\"path\": \"p\", \"word\": \"%s\"}", wrong[i]);
        refuses(text, "word: expected one of red|green|blue");
    }
    refuses("{\"path\": \"p\", \"word\": 1}",
            "word: expected one of red|green|blue, got an integer");
}
