/* SPDX-License-Identifier: MIT */
#include "aqfs.h"

#include "changes.h"
#include "fixture.h"

#include "unity.h"

#include <fcntl.h>
#include <magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void setUp(void) {
    support_start();
    make_file(project_path("a.txt"), "one\n");
    ws = open_project("");
}

/* -- versions and the table ------------------------------------------------------------------- */

void test_ffi__the_abi_version(void) {
    TEST_ASSERT_EQUAL(AQFS_ABI_VERSION, aqfs_abi_version());
}

/* Takes REPLY, which must be data in FORMAT. */
static char *text_of_reply(aqfs_reply *reply) {
    size_t n;
    TEST_ASSERT_NOT_NULL(reply);
    TEST_ASSERT_NULL(aqfs_reply_error(reply));
    const char *text = aqfs_reply_text(reply, &n);
    TEST_ASSERT_EQUAL(n, strlen(text));
    char *copy = strdup(text);
    aqfs_reply_free(reply);
    return copy;
}

/* libmagic counts 5.44 as 544. */
static void check_libmagic(const char *member) {
    char *end;
    TEST_ASSERT_NOT_NULL(member);
    const char *number = strchr(member, '"') + 1;
    long major = strtol(number, &end, 10);
    TEST_ASSERT_EQUAL('.', *end);
    TEST_ASSERT_EQUAL(magic_version() / 100, major);
    TEST_ASSERT_EQUAL(2, strspn(end + 1, "0123456789"));
    TEST_ASSERT_EQUAL(magic_version(), 100 * major + strtol(end + 1, &end, 10));
    TEST_ASSERT_EQUAL('"', *end);
}

void test_ffi__versions_in_both_formats(void) {
    char *sexp = text_of_reply(aqfs_version(AQFS_SEXP));
    TEST_ASSERT_EQUAL_PTR(sexp, strstr(sexp, "(:version \"" AQFS_VERSION "\" :abi 2 :pcre2 \"10."));
    TEST_ASSERT_NOT_NULL(strstr(sexp, ":libgit2 \"1."));
    TEST_ASSERT_NOT_NULL(strstr(sexp, ":jansson \"2."));
    check_libmagic(strstr(sexp, ":libmagic \""));
    free(sexp);
    char *json = text_of_reply(aqfs_version(AQFS_JSON));
    TEST_ASSERT_EQUAL_PTR(json, strstr(json, "{\"version\": \"" AQFS_VERSION "\", \"abi\": 2"));
    free(json);
}

void test_ffi__other_formats_are_read_as_s_expressions(void) {
    const int32_t formats[] = {2, -1, INT32_MAX, INT32_MIN};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        char *text = text_of_reply(aqfs_operations(formats[i]));
        TEST_ASSERT_EQUAL('(', text[0]);
        free(text);
        aqfs_workspace *other = NULL;
        aqfs_reply *reply = aqfs_open("{}", 2, formats[i], &other);
        TEST_ASSERT_EQUAL('(', aqfs_reply_text(reply, NULL)[0]);
        aqfs_reply_free(reply);
        const aqfs_context context = {.format = formats[i]};
        static const char request[] = "{\"op\": \"list_dir\"}";
        reply = aqfs_call(ws, request, sizeof request - 1, &context);
        TEST_ASSERT_NULL(aqfs_reply_error(reply));
        TEST_ASSERT_EQUAL('(', aqfs_reply_text(reply, NULL)[0]);
        aqfs_reply_free(reply);
    }
}

/* -- descriptors ------------------------------------------------------------------------------ */

static bool is_among(const char *name, const struct names *names) {
    for (size_t i = 0; i < names->n; i++)
        if (strcmp(name, names->names[i]) == 0)
            return true;
    return false;
}

/* Programs that our host starts have the descriptors that are not closed on exec. */
static void check_inheritance(aqfs_workspace *(*open_it)(const char *members),
                              const char *members) {
    struct names before = names_below("/proc/self/fd");
    aqfs_workspace *other = open_it(members);
    put_file(other, "new.txt", "one");
    put_file(other, "new.txt", "two");
    (void)change(other, "snapshot_create", "{}");
    struct names names = names_below("/proc/self/fd");
    for (size_t i = 0; i < names.n; i++) {
        int flags = fcntl(atoi(names.names[i]), F_GETFD);
        bool old = flags == -1 || is_among(names.names[i], &before);
        TEST_ASSERT_TRUE_MESSAGE(old || (flags & FD_CLOEXEC), members);
    }
    free_names(&before);
    free_names(&names);
    aqfs_free(other);
}

void test_ffi__no_descriptor_is_inherited(void) {
    check_inheritance(open_project, "\"state_dir\": \"%s/state\"");
    check_inheritance(open_elsewhere, "\"backend\": \"memory\"");
    check_inheritance(open_elsewhere, "\"backend\": \"session\", \"temp_dir\": \"%s\"");
}

/* -- malformed requests ----------------------------------------------------------------------- */

static void refuses(const char *request, size_t n, const char *part) {
    const json_t *reply = ask_raw(ws, request, n, NULL);
    TEST_ASSERT_EQUAL_STRING_MESSAGE("invalid-argument", code_of(reply), request);
    const char *message = text_in(reply, "message");
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(message, part), message);
    TEST_ASSERT_EQUAL(0, strncmp(text_in(reply, "text"), "Error: ", 7));
}
#define REFUSES(literal, part) refuses(literal, sizeof(literal) - 1, part)

/* Threat 134. */
void test_ffi__what_is_no_json_object(void) {
    REFUSES("", "request: expected a JSON object");
    REFUSES("   ", "request: expected a JSON object");
    REFUSES("[]", "request: expected a JSON object");
    REFUSES("\"op\"", "request: expected a JSON object");
    REFUSES("5", "request: expected a JSON object");
    REFUSES("null", "request: expected a JSON object");
    REFUSES("{", "request: expected a JSON object, but at byte 1");
    REFUSES("{\"op\": \"list_dir\"", "request: expected a JSON object, but at byte");
    REFUSES("{\"op\": \"list_dir\"} x", "request: expected a JSON object, but at byte");
    REFUSES("{\"op\": \"list_dir\"}{}", "request: expected a JSON object, but at byte");
    REFUSES("{\"op\": \"list_dir\"}\0", "request: expected a JSON object, but at byte");
    REFUSES("{'op': 'list_dir'}", "request: expected a JSON object, but at byte");
    REFUSES("{\"op\": \"list_dir\",}", "request: expected a JSON object, but at byte");
    REFUSES("\xEF\xBB\xBF{\"op\": \"list_dir\"}", "request: expected a JSON object");
}

void test_ffi__blanks_around_a_request_are_allowed(void) {
    static const char request[] = " \n\t{\"op\": \"list_dir\"}\r\n ";
    TEST_ASSERT_EQUAL_STRING("ok", code_of(ask_raw(ws, request, sizeof request - 1, NULL)));
}

void test_ffi__null_for_a_request(void) {
    refuses(NULL, 0, "request: expected a JSON object");
    refuses(NULL, 100, "request: expected a JSON object");
}

/* Threat 134. */
void test_ffi__a_length_that_lies(void) {
    static const char request[] = "{\"op\": \"list_dir\"}";
    refuses(request, sizeof request - 2, "request: expected a JSON object");
    refuses(request, 1, "request: expected a JSON object");
}

/* Threat 134. */
void test_ffi__keys_that_stand_twice(void) {
    REFUSES("{\"op\": \"list_dir\", \"op\": \"list_dir\"}", "duplicate");
    REFUSES("{\"op\": \"read_file\", \"args\": {\"path\": \"a.txt\", \"path\": \"../x\"}}",
            "duplicate");
}

/* Threat 134. */
void test_ffi__half_characters(void) {
    REFUSES("{\"op\": \"read_file\", \"args\": {\"path\": \"\\ud800\"}}", "request: expected");
    REFUSES("{\"op\": \"read_file\", \"args\": {\"path\": \"\\udc00\"}}", "request: expected");
    REFUSES("{\"op\": \"read_file\", \"args\": {\"path\": \"\\ud800x\"}}", "request: expected");
    REFUSES("{\"op\": \"read_file\", \"args\": {\"path\": \"\xED\xA0\x80\"}}", "request: expected");
    REFUSES("{\"op\": \"read_file\", \"args\": {\"path\": \"\xC0\xAF\"}}", "request: expected");
    REFUSES("{\"op\": \"read_file\", \"args\": {\"path\": \"\xFF\"}}", "request: expected");
    REFUSES("{\"op\": \"read_file\", \"args\": {\"path\": \"\xF4\x90\x80\x80\"}}",
            "request: expected");
}

/* Threat 134. */
void test_ffi__numbers_that_are_none(void) {
    REFUSES("{\"op\": \"list_dir\", \"args\": {\"limit\": NaN}}", "request: expected");
    REFUSES("{\"op\": \"list_dir\", \"args\": {\"limit\": Infinity}}", "request: expected");
    REFUSES("{\"op\": \"list_dir\", \"args\": {\"limit\": 1e999}}", "request: expected");
    REFUSES("{\"op\": \"list_dir\", \"args\": {\"limit\": 0x10}}", "request: expected");
    REFUSES("{\"op\": \"list_dir\", \"args\": {\"limit\": 9223372036854775808}}",
            "too big integer");
    REFUSES("{\"op\": \"list_dir\", \"args\": {\"limit\": -9223372036854775809}}", "integer");
    REFUSES("{\"op\": \"list_dir\", \"args\": {\"limit\": 9223372036854775807}}",
            "limit: expected");
    REFUSES("{\"op\": \"list_dir\", \"args\": {\"limit\": 1e18}}", "limit: expected an integer");
}

static char *repeat(const char *text, size_t times, const char *begin, const char *end) {
    size_t n = strlen(text);
    char *out = malloc(strlen(begin) + times * n + strlen(end) + 1);
    TEST_ASSERT_NOT_NULL(out);
    char *at = stpcpy(out, begin);
    for (size_t i = 0; i < times; i++)
        at = stpcpy(at, text);
    (void)stpcpy(at, end);
    return out;
}

/* Threat 134: deep nesting is refused and does not overflow the stack. */
void test_ffi__a_hundred_thousand_levels(void) {
    static const struct {
        const char *text, *begin, *end;
    } deep[] = {
        {"[", "", ""},
        {"[", "{\"op\": ", "}"},
        {"{\"a\":", "", ""},
        {"[", "{\"op\": \"list_dir\", \"args\": {\"exclude_patterns\": \"", "\"}}"},
        {"[", "{\"op\": \"list_directory\", \"args\": {\"exclude_patterns\": \"", "\"}}"},
    };
    for (size_t i = 0; i < sizeof deep / sizeof *deep; i++) {
        char *request = repeat(deep[i].text, 100000, deep[i].begin, deep[i].end);
        TEST_ASSERT_EQUAL_STRING("invalid-argument",
                                 code_of(ask_raw(ws, request, strlen(request), NULL)));
        free(request);
    }
}

void test_ffi__huge_texts(void) {
    char *request = repeat("x", 5000000, "{\"op\": \"read_file\", \"args\": {\"path\": \"", "\"}}");
    const json_t *reply = ask_raw(ws, request, strlen(request), NULL);
    TEST_ASSERT_EQUAL_STRING("too-long", code_of(reply));
    free(request);
    request = repeat("x", 5000000, "{\"op\": \"", "\"}");
    reply = ask_raw(ws, request, strlen(request), NULL);
    TEST_ASSERT_EQUAL_STRING("unknown-operation", code_of(reply));
    TEST_ASSERT_TRUE(strlen(text_in(reply, "message")) < 1024);
    free(request);
    request = repeat("y", 5000000, "{\"op\": \"list_dir\", \"args\": {\"", "\": 1}}");
    reply = ask_raw(ws, request, strlen(request), NULL);
    TEST_ASSERT_EQUAL_STRING("invalid-argument", code_of(reply));
    TEST_ASSERT_TRUE(strlen(text_in(reply, "message")) < 1024);
    free(request);
}

void test_ffi__a_hundred_thousand_arguments(void) {
    struct buf request = {0};
    buf_str(&request, "{\"op\": \"list_directory\", \"args\": {\"exclude_patterns\": [\"q\"");
    for (int i = 0; i < 100000; i++)
        buf_printf(&request, ", \"q%d\"", i);
    buf_str(&request, "]}}");
    const json_t *reply = ask_raw(ws, request.data, request.len, NULL);
    TEST_ASSERT_EQUAL_STRING_MESSAGE("ok", code_of(reply), text_in(reply, "message"));
    TEST_ASSERT_EQUAL(1, number_in(reply, "total"));
    buf_free(&request);
}

/* -- unknown operations ----------------------------------------------------------------------- */

void test_ffi__an_operation_without_name(void) {
    REFUSES("{}", "op: expected the name of an operation");
    REFUSES("{\"op\": null}", "op: expected the name of an operation");
    REFUSES("{\"op\": 5}", "op: expected the name of an operation");
    REFUSES("{\"op\": [\"list_dir\"]}", "op: expected the name of an operation");
    REFUSES("{\"args\": {\"path\": \".\"}}", "op: expected the name of an operation");
    REFUSES("{\"op\": \"list_dir\", \"args\": []}", "args: expected an object, got a list");
}

/* Threat 5: a name is not cut off at a NUL. */
void test_ffi__a_name_with_nul(void) {
    static const char request[] = "{\"op\": \"list_dir\\u0000x\"}";
    const json_t *reply = ask_raw(ws, request, sizeof request - 1, NULL);
    TEST_ASSERT_EQUAL_STRING("unknown-operation", code_of(reply));
    TEST_ASSERT_NOT_NULL(strstr(text_in(reply, "message"), "\"list_dir\\000x\""));
}

/* -- malformed options ------------------------------------------------------------------------ */

void test_ffi__options_that_are_no_json_object(void) {
    static const char *const bad[] = {"",
                                      "[]",
                                      "{",
                                      "null",
                                      "{\"root\": \"/tmp\"} x",
                                      "{1}",
                                      "{\"root\": \"\\ud800\"}",
                                      "{\"root\": \"/tmp\", \"root\": \"/\"}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const json_t *reply = fail_to_open(bad[i]);
        TEST_ASSERT_EQUAL_STRING("invalid-argument", code_of(reply));
        TEST_ASSERT_NOT_NULL(strstr(text_in(reply, "message"), "options: expected a JSON object"));
    }
    aqfs_workspace *other = ws;
    aqfs_reply *reply = aqfs_open(NULL, 10, AQFS_JSON, &other);
    TEST_ASSERT_NULL(other);
    TEST_ASSERT_EQUAL_STRING("invalid-argument", aqfs_reply_error(reply));
    aqfs_reply_free(reply);
}

/* -- pointers --------------------------------------------------------------------------------- */

void test_ffi__null_for_a_workspace(void) {
    static const char request[] = "{\"op\": \"list_dir\"}";
    const json_t *reply = ask_raw(NULL, request, sizeof request - 1, NULL);
    TEST_ASSERT_EQUAL_STRING("invalid-argument", code_of(reply));
    aqfs_close(NULL);
    aqfs_free(NULL);
    aqfs_reply_free(NULL);
}

void test_ffi__a_reply_ends_with_nul(void) {
    static const char request[] = "{\"op\": \"read_file\", \"args\": {\"path\": \"a\\u0000b\"}}";
    aqfs_reply *reply = aqfs_call(ws, request, sizeof request - 1, NULL);
    size_t n;
    const char *text = aqfs_reply_text(reply, &n);
    TEST_ASSERT_EQUAL('\0', text[n]);
    TEST_ASSERT_EQUAL_PTR(text, aqfs_reply_text(reply, NULL));
    TEST_ASSERT_EQUAL_MEMORY(":path \"a\0b\"", memmem(text, n, ":path ", 6), 11);
    aqfs_reply_free(reply);
}

/* -- 10,000 requests spoiled at random never do more than fail -------------------------------- */

void test_ffi__spoiled_requests(void) {
    static const char good[] = "{\"op\": \"read_file\", \"args\": {\"path\": \"a.txt\", "
                               "\"start_line\": 1, \"end_line\": -1, \"encoding\": \"utf-8\"}}";
    unsigned state = 1;
    int answered = 0;
    for (int round = 0; round < 10000; round++) {
        char request[sizeof good];
        memcpy(request, good, sizeof good);
        for (int spoilt = 0; spoilt <= round % 3; spoilt++) {
            state = state * 1103515245U + 12345U;
            request[(state >> 8) % (sizeof good - 1)] = (char)(state >> 16);
        }
        aqfs_reply *reply = aqfs_call(ws, request, sizeof good - 1, NULL);
        answered += aqfs_reply_error(reply) == NULL;
        aqfs_reply_free(reply);
    }
    TEST_ASSERT_TRUE(answered > 0); /* some stay valid: a blank may replace a blank */
    TEST_ASSERT_EQUAL_STRING("ok", code_of(ask_path(ws, "read_file", "a.txt")));
}
