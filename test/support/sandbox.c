/* sandbox.c -- a directory of its own for a test: see sandbox.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sandbox.h"

#include "declared.h"

#include "files.h"
#include "unity.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *directory;
static aqfs_workspace *workspace;
static json_t *replies; /* an array that owns them */

static json_t *parsed(aqfs_reply *reply) {
    TEST_ASSERT_NOT_NULL(reply);
    size_t n;
    const char *text = aqfs_reply_text(reply, &n);
    json_error_t why;
    json_t *json = json_loadb(text, n, JSON_ALLOW_NUL, &why);
    if (!json)
        TEST_FAIL_MESSAGE(why.text);
    aqfs_reply_free(reply);
    json_array_append_new(replies, json);
    return json;
}

void sandbox_open(const char *options) {
    directory = make_temporary("aqfs-test");
    replies = json_array();
    json_t *object = json_loads(options, 0, NULL);
    TEST_ASSERT_NOT_NULL_MESSAGE(object, options);
    const char *resolver = getenv("AQFS_TEST_RESOLVER");
    json_object_set_new(object, "root", json_string(directory));
    if (resolver)
        json_object_set_new(object, "resolver", json_string(resolver));
    char *text = json_dumps(object, 0);
    const json_t *reply = parsed(aqfs_open(text, strlen(text), AQFS_JSON, &workspace));
    const json_t *message = json_object_get(reply, "message");
    TEST_ASSERT_NOT_NULL_MESSAGE(workspace, message ? json_string_value(message) : text);
    free(text);
    json_decref(object);
}

void sandbox_close(void) {
    aqfs_free(workspace);
    workspace = NULL;
    json_decref(replies);
    replies = NULL;
    remove_all(directory);
    free(directory);
    directory = NULL;
}

aqfs_workspace *sandbox_workspace(void) {
    return workspace;
}

const char *sandbox_path(const char *name) {
    static char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

void sandbox_write(const char *name, const void *bytes, size_t n) {
    make_bytes(sandbox_path(name), bytes, n);
}

void sandbox_text(const char *name, const char *text) {
    sandbox_write(name, text, strlen(text));
}

void sandbox_mkdir(const char *name) {
    make_directory(sandbox_path(name));
}

void sandbox_link(const char *name, const char *target) {
    make_link(sandbox_path(name), target);
}

json_t *sandbox_request(const char *request) {
    const aqfs_context context = {.format = AQFS_JSON};
    json_t *reply = parsed(aqfs_call(workspace, request, strlen(request), &context));
    struct buf faults = {0};
    declared_check(request, strlen(request), reply, &faults);
    TEST_ASSERT_EQUAL_STRING_MESSAGE("", faults.data ? faults.data : "", "reply");
    return reply;
}

json_t *sandbox_call(const char *op, const char *format, ...) {
    va_list values;
    va_start(values, format);
    json_error_t why;
    json_t *args = json_vpack_ex(&why, 0, format, values);
    va_end(values);
    if (!args)
        TEST_FAIL_MESSAGE(why.text);
    json_t *request = json_pack("{s:s, s:o}", "op", op, "args", args);
    char *text = json_dumps(request, 0);
    json_t *reply = sandbox_request(text);
    free(text);
    json_decref(request);
    return reply;
}

/* The member, or the reply's own error as the reason why it is missing. */
static const json_t *member(const json_t *reply, const char *key) {
    const json_t *value = json_object_get(reply, key);
    const json_t *message = json_object_get(reply, "message");
    TEST_ASSERT_NOT_NULL_MESSAGE(value, message ? json_string_value(message) : key);
    return value;
}

const char *reply_text(const json_t *reply, const char *key) {
    const json_t *value = member(reply, key);
    TEST_ASSERT_TRUE_MESSAGE(json_is_string(value), key);
    return json_string_value(value);
}

size_t reply_length(const json_t *reply, const char *key) {
    const json_t *value = member(reply, key);
    TEST_ASSERT_TRUE_MESSAGE(json_is_string(value), key);
    return json_string_length(value);
}

long long reply_number(const json_t *reply, const char *key) {
    const json_t *value = member(reply, key);
    TEST_ASSERT_TRUE_MESSAGE(json_is_integer(value), key);
    return json_integer_value(value);
}

bool reply_flag(const json_t *reply, const char *key) {
    const json_t *value = json_object_get(reply, key);
    return value && json_is_true(value);
}

bool reply_is_null(const json_t *reply, const char *key) {
    return json_is_null(member(reply, key));
}

void check_error(const json_t *reply, const char *code, const char *part) {
    TEST_ASSERT_EQUAL_STRING(code, reply_text(reply, "error"));
    const char *message = reply_text(reply, "message");
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(message, part), message);
}
