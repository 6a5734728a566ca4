/* SPDX-License-Identifier: MIT */
#include "base64.h"
#include "sandbox.h"

#include "unity.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void setUp(void) {
    sandbox_open("{}");
}

void tearDown(void) {
    sandbox_close();
}

static json_t *read_all(const char *path) {
    return sandbox_call("read_bytes", "{s:s}", "path", path);
}

static json_t *read_part(const char *path, json_int_t offset, json_int_t limit) {
    return sandbox_call("read_bytes", "{s:s, s:I, s:I}", "path", path, "offset", offset, "limit",
                        limit);
}

static void check_content(const json_t *reply, const char *bytes, size_t n) {
    struct buf content = {0};
    struct error e;
    TEST_ASSERT_EQUAL(AQFS_OK, base64_decode(&content, reply_text(reply, "content"),
                                             reply_length(reply, "content"), &e));
    TEST_ASSERT_EQUAL_UINT64(n, content.len);
    TEST_ASSERT_EQUAL_MEMORY(bytes, content.data, n + 1); /* the NUL too: N may be 0 */
    buf_free(&content);
}

void test_read_bytes__any_bytes_come_as_base64(void) {
    char bytes[257];
    for (int i = 0; i < 256; i++)
        bytes[i] = (char)i;
    bytes[256] = '\0';
    sandbox_write("a", bytes, 256);
    const json_t *reply = read_all("a");
    check_content(reply, bytes, 256);
    TEST_ASSERT_EQUAL_STRING("a", reply_text(reply, "path"));
    TEST_ASSERT_EQUAL(256, reply_number(reply, "size"));
    TEST_ASSERT_EQUAL(0, reply_number(reply, "offset"));
    TEST_ASSERT_FALSE(reply_flag(reply, "truncated"));
    TEST_ASSERT_EQUAL_STRING_LEN("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIj",
                                 reply_text(reply, "content"), 48);
}

void test_read_bytes__the_version_is_the_one_of_read_file(void) {
    sandbox_text("a", "one\ntwo\n");
    const char *version = reply_text(sandbox_call("read_file", "{s:s}", "path", "a"), "version");
    TEST_ASSERT_EQUAL_STRING(version, reply_text(read_all("a"), "version"));
    TEST_ASSERT_EQUAL_STRING(version, reply_text(read_part("a", 3, 1), "version"));
}

void test_read_bytes__parts(void) {
    sandbox_text("a", "0123456789");
    const json_t *reply = read_part("a", 2, 3);
    check_content(reply, "234", 3);
    TEST_ASSERT_EQUAL(2, reply_number(reply, "offset"));
    TEST_ASSERT_EQUAL(3, reply_number(reply, "limit"));
    TEST_ASSERT_TRUE(reply_flag(reply, "truncated"));
    TEST_ASSERT_EQUAL_STRING("MjM0\n[truncated: bytes 2-4 of 10; continue with offset=5]\n",
                             reply_text(reply, "text"));
    reply = read_part("a", 7, 3);
    check_content(reply, "789", 3);
    TEST_ASSERT_FALSE(reply_flag(reply, "truncated"));
    check_content(read_part("a", 7, 1000000000000), "789", 3);
    check_content(read_part("a", 10, 3), "", 0);
    check_content(sandbox_call("read_bytes", "{s:s, s:i}", "path", "a", "offset", 9), "9", 1);
}

void test_read_bytes__an_offset_behind_the_end_tells_the_size(void) {
    sandbox_text("a", "0123456789");
    check_error(read_part("a", 11, 1), "invalid-argument", "10 bytes");
    check_error(read_part("a", -1, 1), "invalid-argument", "offset");
    check_error(read_part("a", 0, 0), "invalid-argument", "limit");
}

void test_read_bytes__an_empty_file(void) {
    sandbox_text("a", "");
    const json_t *reply = read_all("a");
    check_content(reply, "", 0);
    TEST_ASSERT_EQUAL(0, reply_number(reply, "size"));
    TEST_ASSERT_FALSE(reply_flag(reply, "truncated"));
}

void test_read_bytes__a_reply_has_its_limit(void) {
    sandbox_close();
    sandbox_open("{\"limits\": {\"reply_bytes\": 4096, \"text_bytes\": 1024}}");
    static char bytes[10001];
    memset(bytes, 'x', 10000);
    sandbox_write("a", bytes, 10000);
    const json_t *reply = read_all("a");
    TEST_ASSERT_EQUAL(4096, reply_length(reply, "content"));
    TEST_ASSERT_EQUAL(3072, reply_number(reply, "limit"));
    TEST_ASSERT_TRUE(reply_flag(reply, "truncated"));
    /* The text is cut earlier, between groups, and says where to continue itself. */
    const char *text = reply_text(reply, "text");
    const char *newline = strchr(text, '\n');
    TEST_ASSERT_TRUE(strlen(text) <= 1024 && newline);
    char mark[100];
    int shown = (int)(newline - text) / 4 * 3;
    (void)snprintf(mark, sizeof mark,
                   "\n[truncated: bytes 0-%d of 10000; continue with offset=%d]\n", shown - 1,
                   shown);
    TEST_ASSERT_EQUAL(0, (newline - text) % 4);
    TEST_ASSERT_EQUAL_STRING(mark, newline);
}

void test_read_bytes__large_files_are_read_in_parts_without_a_version(void) {
    sandbox_close();
    sandbox_open("{\"limits\": {\"read_bytes\": 1000}}");
    sandbox_text("a", "0123456789");
    TEST_ASSERT_EQUAL(0, truncate(sandbox_path("a"), 1 << 30));
    const json_t *reply = read_part("a", 8, 4);
    check_content(reply, "89\0\0", 4);
    TEST_ASSERT_TRUE(reply_is_null(reply, "version"));
    TEST_ASSERT_TRUE(reply_flag(reply, "truncated"));
    check_content(read_part("a", (1 << 30) - 2, 4), "\0\0", 2);
}

void test_read_bytes__what_is_no_regular_file_is_refused(void) {
    sandbox_mkdir("d");
    check_error(read_all("d"), "is-directory", "'d'");
    check_error(read_all("missing"), "not-found", "'missing'");
    check_error(read_all("/etc/passwd"), "outside-root", "'/etc/passwd'");
}
