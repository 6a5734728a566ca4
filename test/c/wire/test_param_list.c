/* SPDX-License-Identifier: MIT */
#include "param_list.h"

#include "reply.h"

#include "unity.h"

#include <string.h>

static struct error e;
static struct reply r;

void tearDown(void) {
    buf_free(&r.out);
    r = (struct reply){0};
}

/* What PARAMS make of ARGS, printed; the error's message where they make nothing of it. */
static const char *check(const char *params, const char *args) {
    struct param_list list;
    tearDown();
    json_t *given = json_loads(params, JSON_DECODE_ANY, NULL), *object = json_loads(args, 0, NULL);
    TEST_ASSERT_NOT_NULL_MESSAGE(given, params);
    TEST_ASSERT_NOT_NULL_MESSAGE(object, args);
    int code = param_list_read(given, &list, &e);
    code = code ? code : param_list_check(&list, object, &r, &e);
    param_list_free(&list);
    json_decref(given);
    json_decref(object);
    TEST_ASSERT_TRUE(!code || code == AQFS_INVALID_ARGUMENT);
    return code ? e.message : r.out.data;
}

#define ONE(type, more) "[{\"name\": \"x_y\", \"type\": \"" type "\"" more "}]"

static void check_equal(const char *expected, const char *params, const char *args) {
    TEST_ASSERT_EQUAL_STRING(expected, check(params, args));
}

void test_param_list__values_of_every_type(void) {
    check_equal("()", "[]", "{}");
    check_equal("(:x_y \"a\")", ONE("string", ""), "{\"x_y\": \"a\"}");
    check_equal("(:x_y \"a\")", ONE("path", ""), "{\"x_y\": \"a\"}");
    check_equal("(:x_y 7)", ONE("integer", ""), "{\"x_y\": 7.0}");
    check_equal("(:x_y t)", ONE("boolean", ""), "{\"x_y\": true}");
    check_equal("(:x_y nil)", ONE("boolean", ""), "{\"x_y\": false}");
    check_equal("(:x_y (\"a\" \"b\"))", ONE("strings", ""),
                "{\"x_y\": \"[\\\"a\\\", \\\"b\\\"]\"}");
    check_equal("(:x_y \"b\")", ONE("choice", ", \"choices\": [\"a\", \"b\"]"), "{\"x_y\": \"b\"}");
    check_equal("(:x_y ((:old_str \"a\" :new_str \"b\")))", ONE("edits", ""),
                "{\"x_y\": [{\"old_str\": \"a\", \"new_str\": \"b\"}]}");
}

void test_param_list__defaults(void) {
    check_equal("(:x_y 5)", ONE("integer", ", \"default\": \"5\""), "{}");
    check_equal("(:x_y ())", ONE("strings", ", \"default\": \"[]\""), "{\"x_y\": null}");
    check_equal("()", ONE("integer", ", \"default\": null, \"choices\": null"), "{}");
}

void test_param_list__arguments_that_do_not_fit(void) {
    check_equal("x_y: this argument is required", ONE("path", ", \"required\": true"), "{}");
    check_equal("x_y: expected an integer from 1 to 9, got 10",
                ONE("integer", ", \"least\": 1, \"most\": 9"), "{\"x_y\": 10}");
    check_equal("x_y: expected one of a|b, got another word",
                ONE("choice", ", \"choices\": [\"a\", \"b\"]"), "{\"x_y\": \"c\"}");
    check_equal("z: unknown argument; expected x_y", ONE("path", ""), "{\"z\": 1}");
    /* A checker of our own in Emacs Lisp took this for an empty list. */
    check_equal("x_y: expected a list of strings, got a string", ONE("strings", ""),
                "{\"x_y\": \"[oops\"}");
}

void test_param_list__parameters_that_are_none(void) {
    check_equal("params: expected a list, got a string", "\"x\"", "{}");
    check_equal("params: element 1 has no name", "[7]", "{}");
    check_equal("params: element 1 has no name", "[{\"type\": \"path\"}]", "{}");
    check_equal("params: element 1 has no type that is known", ONE("colour", ""), "{}");
    check_equal("params: element 1 has no type that is known", ONE("objects", ""), "{}");
    check_equal("params: element 1 has no choices that its type can have", ONE("choice", ""), "{}");
    check_equal("params: element 1 has no choices that its type can have",
                ONE("path", ", \"choices\": [\"a\"]"), "{}");
    check_equal("params: element 1 has no choices that its type can have",
                ONE("choice", ", \"choices\": [\"a|b\"]"), "{}");
    check_equal("params: element 1 has a default that is not JSON text",
                ONE("path", ", \"default\": \"[oops\""), "{}");
}
