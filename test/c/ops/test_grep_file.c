/* Tests searching files of all kinds: encodings, endings, and lines and files of any size.
 *
 * SPDX-License-Identifier: MIT
 */
#include "buf.h"
#include "sandbox.h"

#include "unity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

void setUp(void) {
    sandbox_open("{}");
}

void tearDown(void) {
    sandbox_close();
}

static const json_t *grep(const char *pattern) {
    return sandbox_call("grep_files", "{s:s,s:i}", "pattern", pattern, "limit", 1000000);
}

static const json_t *match(const json_t *reply, size_t i) {
    const json_t *m = json_array_get(json_object_get(reply, "matches"), i);
    TEST_ASSERT_NOT_NULL_MESSAGE(m, reply_text(reply, "text"));
    return m;
}

static void check_match(const json_t *reply, size_t i, long long line, long long start,
                        long long end, const char *text) {
    const json_t *m = match(reply, i);
    TEST_ASSERT_EQUAL(line, reply_number(m, "line"));
    TEST_ASSERT_EQUAL(start, reply_number(m, "start"));
    TEST_ASSERT_EQUAL(end, reply_number(m, "end"));
    if (text)
        TEST_ASSERT_EQUAL_STRING(text, reply_text(m, "text"));
}

#define WRITE(name, literal) sandbox_write(name, literal, sizeof(literal) - 1)

void test_grep_file__binary_is_skipped_and_counted(void) {
    WRITE("a", "x\0x\n");
    WRITE("b", "x\n");
    const json_t *reply = grep("x");
    TEST_ASSERT_EQUAL(1, reply_number(reply, "total"));
    TEST_ASSERT_EQUAL(1, reply_number(reply, "binary"));
    reply = grep("zebra");
    TEST_ASSERT_EQUAL_STRING("No matches for zebra (1 file searched)\n"
                             "[1 binary file not searched]\n",
                             reply_text(reply, "text"));
}

void test_grep_file__crlf_is_an_ending(void) {
    WRITE("a", "one\r\ntwo\r\n");
    WRITE("b", "one\r\ntwo\n");
    WRITE("c", "one\r\ntwo");
    const json_t *reply = grep("(one|two)$");
    TEST_ASSERT_EQUAL(6, reply_number(reply, "total"));
    check_match(reply, 0, 1, 0, 3, "one");
    check_match(reply, 1, 2, 0, 3, "two");
    check_match(reply, 2, 1, 0, 3, "one");
    check_match(reply, 3, 2, 0, 3, "two");
    TEST_ASSERT_EQUAL_STRING("b", reply_text(match(reply, 2), "path"));
    reply = grep("\\r"); /* where not all lines have it, it can be sought */
    TEST_ASSERT_EQUAL(1, reply_number(reply, "total"));
    check_match(reply, 0, 1, 3, 4, "one\r");
}

void test_grep_file__a_mark_is_no_part_of_the_first_line(void) {
    WRITE("a", "\xEF\xBB\xBFone\ntwo\n");
    check_match(grep("^one"), 0, 1, 0, 3, "one");
    check_match(grep("^two"), 0, 2, 0, 3, "two");
}

void test_grep_file__utf_16_is_decoded(void) {
    WRITE("a", "\xFF\xFEo\0n\0\xE9\0\n\0t\0w\0o\0");
    WRITE("b", "\xFE\xFF\0o\0n\0\xE9\0\r\0\n");
    const json_t *reply = grep("n.$");
    TEST_ASSERT_EQUAL(2, reply_number(reply, "total"));
    check_match(reply, 0, 1, 1, 4, "on\xC3\xA9");
    check_match(reply, 1, 1, 1, 4, "on\xC3\xA9");
    check_match(grep("two"), 0, 2, 0, 3, "two");
}

void test_grep_file__utf_16_over_many_blocks(void) {
    struct buf text = {0};
    buf_add(&text, "\xFF\xFE", 2);
    for (int i = 0; i < 300000; i++)
        buf_add(&text, i % 1000 == 999 ? "\n\0" : "\x0D\x54", 2);
    buf_add(&text, "x\0", 2);
    sandbox_write("a", text.data, text.len);
    buf_free(&text);
    check_match(grep("x"), 0, 301, 0, 1, "x");
    TEST_ASSERT_EQUAL(300, reply_number(grep("^\xE5\x90\x8D{999}$"), "total"));
}

void test_grep_file__utf_16_that_is_none_is_counted(void) {
    WRITE("a", "\xFF\xFEo\0\0\xD8x\0");
    TEST_ASSERT_EQUAL(1, reply_number(grep("x"), "unreadable"));
}

void test_grep_file__bad_bytes_are_shown_as_text(void) {
    WRITE("a", "a\xFF needle\n");
    check_match(grep("needle"), 0, 1, 3, 9, "a\xEF\xBF\xBD needle");
}

void test_grep_file__of_a_long_line_the_match_is_shown(void) {
    struct buf line = {0};
    for (int i = 0; i < 1000; i++)
        buf_str(&line, "\xC3\xA9");
    buf_str(&line, "needle");
    for (int i = 0; i < 1000; i++)
        buf_str(&line, "z");
    sandbox_write("a", line.data, line.len);
    const json_t *reply = grep("needle");
    check_match(reply, 0, 1, 2000, 2006, NULL);
    const char *text = reply_text(match(reply, 0), "text");
    TEST_ASSERT_EQUAL_STRING_LEN("[truncated line] …\xC3\xA9", text, 22);
    TEST_ASSERT_NOT_NULL(strstr(text, "\xC3\xA9needlez"));
    TEST_ASSERT_NOT_NULL(strstr(text, "z… [truncated line]"));
    text = reply_text(match(grep("\xC3\xA9"), 0), "text");
    TEST_ASSERT_EQUAL(800, strcspn(text, "\xE2"));
    text = reply_text(match(grep("z$"), 0), "text");
    TEST_ASSERT_EQUAL(strlen("[truncated line] …") + 81, strlen(text));
    buf_free(&line);
}

/* ---- Blocks */

static void write_lines(const char *name, int lines, int every) {
    struct buf text = {0};
    for (int i = 1; i <= lines; i++)
        buf_printf(&text, "line %d%s\n", i, i % every == 0 ? " needle" : "");
    sandbox_write(name, text.data, text.len);
    buf_free(&text);
}

void test_grep_file__lines_are_numbered_through_all_blocks(void) {
    write_lines("a", 200000, 9973);
    const json_t *reply = grep("needle");
    TEST_ASSERT_EQUAL(20, reply_number(reply, "total"));
    for (size_t i = 0; i < 20; i++) {
        char text[64];
        int line = ((int)i + 1) * 9973;
        int n = snprintf(text, sizeof text, "line %d needle", line);
        check_match(reply, i, line, n - 6, n, text);
    }
}

static void check_neighbours(const json_t *m, const char *key, long long first, long long last) {
    const json_t *lines = json_object_get(m, key);
    TEST_ASSERT_EQUAL(last - first + 1, json_array_size(lines));
    for (long long i = first; i <= last; i++) {
        char text[64];
        snprintf(text, sizeof text, "line %lld", i);
        TEST_ASSERT_EQUAL_STRING(text,
                                 json_string_value(json_array_get(lines, (size_t)(i - first))));
    }
}

void test_grep_file__context_crosses_blocks(void) {
    write_lines("a", 100000, 31);
    const json_t *reply = sandbox_call("grep_files", "{s:s,s:i,s:i}", "pattern", "needle",
                                       "context", 15, "limit", 100000);
    const json_t *list = json_object_get(reply, "matches");
    TEST_ASSERT_EQUAL(100000 / 31, json_array_size(list));
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *m = json_array_get(list, i);
        long long line = reply_number(m, "line");
        TEST_ASSERT_EQUAL((i + 1) * 31, line);
        check_neighbours(m, "before", line - 15, line - 1);
        check_neighbours(m, "after", line + 1, line + 15 < 100000 ? line + 15 : 100000);
    }
}

void test_grep_file__crlf_crosses_blocks(void) {
    struct buf text = {0};
    for (int i = 0; i < 100000; i++)
        buf_printf(&text, "%d\r\n", i);
    sandbox_write("a", text.data, text.len);
    buf_free(&text);
    TEST_ASSERT_EQUAL(100000, reply_number(grep("[0-9]$"), "total"));
    TEST_ASSERT_EQUAL(0, reply_number(grep("\\r"), "total"));
}

void test_grep_file__a_line_longer_than_a_block(void) {
    struct buf text = {0};
    buf_str(&text, "first\n");
    for (int i = 0; i < 1500000; i++)
        buf_char(&text, 'y');
    buf_str(&text, "needle\nlast needle");
    sandbox_write("a", text.data, text.len);
    buf_free(&text);
    const json_t *reply = grep("needle");
    check_match(reply, 0, 2, 1500000, 1500006, NULL);
    check_match(reply, 1, 3, 5, 11, "last needle");
    check_match(grep("^y+needle$"), 0, 2, 0, 1500006, NULL);
    TEST_ASSERT_FALSE(reply_flag(reply, "truncated"));
}

static long peak_kib(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/* Threat 55 in small: in one line of 80 MB memory stays bounded and places stay right. */
void test_grep_file__a_line_longer_than_memory_allows(void) {
    static char block[1000000];
    sandbox_close();
    sandbox_open("{\"limits\": {\"time_ms\": 3600000}}"); /* valgrind takes minutes */
    memset(block, 'y', sizeof block);
    FILE *file = fopen(sandbox_path("a"), "w");
    for (int i = 0; i < 80; i++) {
        if (i == 40)
            fputs("needle", file);
        fwrite(block, 1, sizeof block, file);
    }
    fputs("\nneedle\n", file);
    fclose(file);
    long before = peak_kib();
    const json_t *reply = grep("needle");
    check_match(reply, 0, 1, 40000000, 40000006, NULL);
    check_match(reply, 1, 2, 0, 6, "needle");
    TEST_ASSERT_EQUAL(2, reply_number(reply, "total"));
    TEST_ASSERT_EQUAL(1, reply_number(reply, "undecided"));
    TEST_ASSERT_TRUE(reply_flag(reply, "truncated"));
    TEST_ASSERT_EQUAL(1, reply_number(grep("y"), "total"));
    TEST_ASSERT_EQUAL(2, reply_number(grep("^(y|n)"), "total"));
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__ /* which keep what was freed */
    TEST_ASSERT_LESS_THAN_INT64(before + 60 * 1024, peak_kib());
#endif
}
