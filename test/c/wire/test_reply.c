/* SPDX-License-Identifier: MIT */
#include "aqfs.h"
#include "reply.h"
#include "sample.h"
#include "utf8.h"

#include "unity.h"

#include <jansson.h>
#include <string.h>
#include <time.h>

static struct reply r;

void setUp(void) {
    r = (struct reply){.format = AQFS_SEXP};
}

void tearDown(void) {
    buf_free(&r.out);
}

static void start(int format) {
    buf_free(&r.out);
    r = (struct reply){.format = format};
}

static void check(const char *expected) {
    TEST_ASSERT_FALSE(r.out.failed);
    TEST_ASSERT_EQUAL_STRING(expected, r.out.data);
}

/* The example of reply.h, in both formats. */
static void check_both(void (*write)(void), const char *sexp, const char *json) {
    start(AQFS_SEXP);
    write();
    check(sexp);
    start(AQFS_JSON);
    write();
    check(json);
}

static void write_example(void) {
    reply_map(&r);
    reply_key(&r, "path");
    reply_string(&r, "a", 1);
    reply_key(&r, "entries");
    reply_list(&r);
    reply_kv_int(&r, NULL, 1);
    reply_kv_bool(&r, NULL, true);
    reply_end_list(&r);
    reply_end_map(&r);
}

void test_reply__the_example_of_the_header(void) {
    check_both(write_example, "(:path \"a\" :entries (1 t))",
               "{\"path\": \"a\", \"entries\": [1, true]}");
}

static void write_kinds(void) {
    reply_list(&r);
    reply_null(&r);
    reply_kv_bool(&r, NULL, false);
    reply_kv_int(&r, NULL, INT64_MIN);
    reply_kv_keyword(&r, NULL, "not-found");
    reply_kv_cstring(&r, NULL, "s");
    reply_kv_cstring(&r, NULL, NULL);
    reply_string(&r, "", 0);
    reply_end_list(&r);
}

void test_reply__every_kind_of_value(void) {
    check_both(write_kinds, "(nil nil -9223372036854775808 :not-found \"s\" nil \"\")",
               "[null, false, -9223372036854775808, \"not-found\", \"s\", null, \"\"]");
}

static void write_pairs(void) {
    reply_map(&r);
    reply_kv_string(&r, "a-string", "xyz", 2);
    reply_kv_cstring(&r, "hint", NULL);
    reply_kv_path(&r, "path", "a\377b", 3);
    reply_kv_int(&r, "total-lines", 12);
    reply_kv_bool(&r, "truncated", true);
    reply_kv_keyword(&r, "type", "file");
    reply_end_map(&r);
}

void test_reply__keys_and_values(void) {
    check_both(write_pairs,
               "(:a-string \"xy\" :hint nil :path \"\\\"a\\\\377b\\\"\" :total-lines 12"
               " :truncated t :type :file)",
               "{\"a_string\": \"xy\", \"hint\": null, \"path\": \"\\\"a\\\\377b\\\"\","
               " \"total_lines\": 12, \"truncated\": true, \"type\": \"file\"}");
}

static void write_nested(void) {
    reply_list(&r);
    for (int i = 0; i < 2; i++) {
        reply_map(&r);
        reply_key(&r, "children");
        reply_list(&r);
        reply_end_list(&r);
        reply_kv_int(&r, "n", i);
        reply_end_map(&r);
    }
    reply_map(&r);
    reply_end_map(&r);
    reply_end_list(&r);
}

void test_reply__nested_and_empty(void) {
    check_both(write_nested, "((:children () :n 0) (:children () :n 1) ())",
               "[{\"children\": [], \"n\": 0}, {\"children\": [], \"n\": 1}, {}]");
}

static void write_raw(void) {
    reply_list(&r);
    reply_raw(&r, "", 0);
    reply_raw(&r, "1", 1);
    reply_raw(&r, "", 0);
    reply_kv_int(&r, NULL, 2);
    reply_end_list(&r);
}

void test_reply__raw(void) {
    check_both(write_raw, "(1 2)", "[1, 2]");
}

static void write_special(void) {
    const char bytes[] = "q\" b\\ n\n t\t r\r \x01 \x1F \x7F \xC3\xA9 \xE2\x80\xA8";
    reply_string(&r, bytes, sizeof bytes - 1);
}

void test_reply__escapes(void) {
    check_both(write_special, "\"q\\\" b\\\\ n\n t\t r\r \x01 \x1F \x7F \xC3\xA9 \xE2\x80\xA8\"",
               "\"q\\\" b\\\\ n\\n t\\t r\\r \\u0001 \\u001f \x7F \xC3\xA9 \xE2\x80\xA8\"");
}

#define REPLACEMENT "\xEF\xBF\xBD"

static void write_stray(void) {
    reply_string(&r,
                 "a\xFF\xFE"
                 "b\xE2\x82"
                 "c\xC3",
                 8);
}

void test_reply__stray_bytes_are_replaced(void) {
    const char *expected =
        "\"a" REPLACEMENT REPLACEMENT "b" REPLACEMENT REPLACEMENT "c" REPLACEMENT "\"";
    check_both(write_stray, expected, expected);
}

void test_reply__paths_are_accepted_back(void) {
    reply_path(&r, "plain/é", strlen("plain/é"));
    check("\"plain/é\"");
    start(AQFS_SEXP);
    reply_path(&r, "~/x", 3);
    check("\"\\\"~/x\\\"\"");
}

static void check_time(int64_t ns, const char *expected) {
    char whole[64];
    start(AQFS_JSON);
    reply_map(&r);
    reply_kv_time(&r, "modified", ns);
    reply_end_map(&r);
    (void)snprintf(whole, sizeof whole, "{\"modified\": %s}", expected);
    check(whole);
}

void test_reply__times(void) {
    const int64_t second = 1000000000;
    check_time(0, "\"1970-01-01T00:00:00.000Z\"");
    check_time(-1, "\"1969-12-31T23:59:59.999Z\"");
    check_time(INT64_C(1795002004123456789), "\"2026-11-18T11:40:04.123Z\"");
    check_time(951782400 * second, "\"2000-02-29T00:00:00.000Z\"");
    check_time(4107542399 * second, "\"2100-02-28T23:59:59.000Z\"");
    check_time(4107542400 * second, "\"2100-03-01T00:00:00.000Z\"");
    check_time(-2203891200 * second, "\"1900-03-01T00:00:00.000Z\"");
    check_time(-2203891201 * second, "\"1900-02-28T23:59:59.000Z\"");
    check_time(INT64_MAX, "\"2262-04-11T23:47:16.854Z\"");
    check_time(INT64_MIN + 1, "\"1677-09-21T00:12:43.145Z\"");
    check_time(INT64_MIN, "null");
}

/* The C library serves as the reference for every day that can be shown. */
void test_reply__every_day(void) {
    for (int64_t day = -106750; day <= 106750; day++) {
        time_t seconds = day * 86400 + 86399;
        struct tm tm;
        char expected[64];
        TEST_ASSERT_NOT_NULL(gmtime_r(&seconds, &tm));
        (void)strftime(expected, sizeof expected, "(:t \"%Y-%m-%dT%H:%M:%S.000Z\")", &tm);
        start(AQFS_SEXP);
        reply_map(&r);
        reply_kv_time(&r, "t", seconds * INT64_C(1000000000));
        reply_end_map(&r);
        if (strcmp(expected, r.out.data) != 0)
            TEST_ASSERT_EQUAL_STRING(expected, r.out.data);
    }
}

/* Random bytes, read back. */

/* The string that must come back: the bytes, with U+FFFD for each stray one. */
static void replace_stray(struct buf *out, const char *bytes, size_t n) {
    for (size_t at = 0; at < n;) {
        int32_t code_point;
        size_t length = utf8_decode(bytes + at, n - at, &code_point);
        if (code_point < 0)
            buf_str(out, REPLACEMENT);
        else
            buf_add(out, bytes + at, length);
        at += length;
    }
}

/* Reads a string as both Lisps do: a backslash makes the next character literal. */
static void read_sexp(struct buf *out, const char *text, size_t n) {
    TEST_ASSERT_TRUE(n >= 2 && text[0] == '"' && text[n - 1] == '"');
    for (size_t at = 1; at < n - 1; at++) {
        TEST_ASSERT_NOT_EQUAL('"', text[at]);
        if (text[at] == '\\')
            at++;
        buf_char(out, text[at]);
    }
}

static void read_json(struct buf *out, const char *text, size_t n) {
    json_error_t error;
    json_t *parsed = json_loadb(text, n, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
    TEST_ASSERT_NOT_NULL_MESSAGE(parsed, error.text);
    buf_add(out, json_string_value(parsed), json_string_length(parsed));
    json_decref(parsed);
}

static void check_round_trip(const char *bytes, size_t n) {
    struct buf expected = {0};
    replace_stray(&expected, bytes, n);
    for (int format = AQFS_SEXP; format <= AQFS_JSON; format++) {
        struct buf got = {0};
        start(format);
        reply_string(&r, bytes, n);
        if (format == AQFS_JSON)
            read_json(&got, r.out.data, r.out.len);
        else
            read_sexp(&got, r.out.data, r.out.len);
        TEST_ASSERT_EQUAL_UINT(expected.len, got.len);
        if (got.len > 0)
            TEST_ASSERT_EQUAL_MEMORY(expected.data, got.data, got.len);
        buf_free(&got);
    }
    buf_free(&expected);
}

void test_reply__every_byte_is_read_back(void) {
    char all[256];
    for (int i = 0; i < 256; i++) {
        all[i] = (char)i;
        check_round_trip(all + i, 1);
    }
    check_round_trip(all, sizeof all);
}

void test_reply__random_strings_are_read_back(void) {
    const char *const pieces[] = {"\"", "\\", "\n", "é", "€", "😀", "x", " "};
    uint64_t state = 1;
    char bytes[200];
    for (int i = 0; i < 20000; i++)
        check_round_trip(bytes, sample_text(&state, pieces, 8, bytes, sizeof bytes));
}

void test_reply__every_byte_is_read_back_wherever_it_stands(void) {
    char text[75];
    for (size_t at = 0; at < sizeof text; at++)
        for (int byte = 0; byte < 256; byte++) {
            memset(text, 'x', sizeof text);
            text[at] = (char)byte;
            check_round_trip(text, sizeof text);
        }
}
