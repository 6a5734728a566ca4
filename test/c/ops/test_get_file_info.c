/* SPDX-License-Identifier: MIT */
#include "sandbox.h"

#include "unity.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void setUp(void) {
    sandbox_open("{\"restricted_paths\": [\"secret\"]}");
}

void tearDown(void) {
    sandbox_close();
}

static json_t *info(const char *path) {
    return sandbox_call("get_file_info", "{s:s}", "path", path);
}

static json_t *exists(const char *path) {
    return sandbox_call("file_exists", "{s:s}", "path", path);
}

static void check_text_type(const char *bytes, size_t n, const char *mime, const char *encoding,
                            const char *endings) {
    sandbox_write("a", bytes, n);
    const json_t *reply = info("a");
    TEST_ASSERT_EQUAL_STRING(mime, reply_text(reply, "mime_type"));
    TEST_ASSERT_EQUAL_STRING(encoding, reply_text(reply, "encoding"));
    if (endings)
        TEST_ASSERT_EQUAL_STRING(endings, reply_text(reply, "line_endings"));
    else
        TEST_ASSERT_TRUE(reply_is_null(reply, "line_endings"));
    TEST_ASSERT_EQUAL(32, strlen(reply_text(reply, "version")));
}
#define CHECK_TYPE(literal, mime, encoding, endings)                                               \
    check_text_type(literal, sizeof(literal) - 1, mime, encoding, endings)

void test_get_file_info__a_file(void) {
    sandbox_mkdir("d");
    sandbox_text("d/a.txt", "one\n");
    TEST_ASSERT_EQUAL(0, chmod(sandbox_path("d/a.txt"), 0640));
    const json_t *reply = info("d/a.txt");
    TEST_ASSERT_EQUAL_STRING("d/a.txt", reply_text(reply, "path"));
    TEST_ASSERT_EQUAL_STRING(sandbox_path("d/a.txt"), reply_text(reply, "absolute"));
    TEST_ASSERT_EQUAL_STRING("file", reply_text(reply, "type"));
    TEST_ASSERT_EQUAL(4, reply_number(reply, "size"));
    TEST_ASSERT_EQUAL_STRING("rw-r-----", reply_text(reply, "permissions"));
    TEST_ASSERT_EQUAL_STRING("0640", reply_text(reply, "mode"));
    TEST_ASSERT_TRUE(reply_flag(reply, "readable"));
    TEST_ASSERT_TRUE(reply_flag(reply, "writable"));
    TEST_ASSERT_EQUAL(1, reply_number(reply, "links"));
    TEST_ASSERT_TRUE(reply_is_null(reply, "target"));
    TEST_ASSERT_EQUAL_STRING(
        reply_text(sandbox_call("read_file", "{s:s}", "path", "d/a.txt"), "version"),
        reply_text(reply, "version"));
    TEST_ASSERT_NOT_NULL(strstr(reply_text(reply, "text"), "path: d/a.txt\n"));
    TEST_ASSERT_NOT_NULL(strstr(reply_text(reply, "text"), "permissions: rw-r-----\n"));
}

void test_get_file_info__times_are_iso_8601_in_data_and_text(void) {
    sandbox_text("a", "one\n");
    const struct timespec times[] = {{1000000000, 0}, {1234567890, 123456789}};
    TEST_ASSERT_EQUAL(0, utimensat(AT_FDCWD, sandbox_path("a"), times, 0));
    const json_t *reply = info("a");
    TEST_ASSERT_EQUAL_STRING("2009-02-13T23:31:30.123Z", reply_text(reply, "modified"));
    TEST_ASSERT_EQUAL_STRING("2001-09-09T01:46:40.000Z", reply_text(reply, "accessed"));
    TEST_ASSERT_NOT_NULL(
        strstr(reply_text(reply, "text"), "\nmodified: 2009-02-13T23:31:30.123Z\n"));
}

void test_get_file_info__type_encoding_and_endings(void) {
    CHECK_TYPE("", "inode/x-empty", "utf-8", "none");
    CHECK_TYPE("hello there\n", "text/plain", "utf-8", "lf");
    CHECK_TYPE("hello\r\nthere\r\n", "text/plain", "utf-8", "crlf");
    CHECK_TYPE("un caf\xE9 au lait\nmixed\r\n", "text/plain", "iso-8859-1", "mixed");
    CHECK_TYPE("\xFF\xFEh\0i\0\n\0", "text/plain", "utf-16le", "lf");
    CHECK_TYPE("#!/bin/sh\necho\n", "text/x-shellscript", "utf-8", "lf");
    CHECK_TYPE("a\0b", "application/octet-stream", "binary", NULL);
    CHECK_TYPE("a \x81\x8D word here\n", "text/plain", "unknown-8bit", NULL);
}

void test_get_file_info__a_large_file_is_told_by_its_beginning(void) {
    sandbox_close();
    sandbox_open("{\"limits\": {\"read_bytes\": 10}}");
    sandbox_text("a", "hello there\r\nhello\r\n");
    const json_t *reply = info("a");
    TEST_ASSERT_EQUAL_STRING("utf-8", reply_text(reply, "encoding"));
    TEST_ASSERT_EQUAL_STRING("crlf", reply_text(reply, "line_endings"));
    TEST_ASSERT_EQUAL_STRING("text/plain", reply_text(reply, "mime_type"));
    TEST_ASSERT_TRUE(reply_is_null(reply, "version"));
}

void test_get_file_info__a_directory(void) {
    sandbox_mkdir("d");
    TEST_ASSERT_EQUAL(0, chmod(sandbox_path("d"), 01755));
    const json_t *reply = info("d/");
    TEST_ASSERT_EQUAL_STRING("d", reply_text(reply, "path"));
    TEST_ASSERT_EQUAL_STRING("directory", reply_text(reply, "type"));
    TEST_ASSERT_EQUAL_STRING("inode/directory", reply_text(reply, "mime_type"));
    TEST_ASSERT_EQUAL_STRING("rwxr-xr-t", reply_text(reply, "permissions"));
    TEST_ASSERT_EQUAL_STRING("1755", reply_text(reply, "mode"));
    TEST_ASSERT_TRUE(reply_is_null(reply, "version"));
    TEST_ASSERT_TRUE(reply_is_null(reply, "encoding"));
    TEST_ASSERT_EQUAL_STRING(".", reply_text(info("."), "path"));
}

void test_get_file_info__threat_26_a_fifo_is_looked_at_and_not_opened(void) {
    TEST_ASSERT_EQUAL(0, mkfifo(sandbox_path("fifo"), 0600));
    const json_t *reply = info("fifo");
    TEST_ASSERT_EQUAL_STRING("other", reply_text(reply, "type"));
    TEST_ASSERT_EQUAL_STRING("inode/fifo", reply_text(reply, "mime_type"));
    TEST_ASSERT_EQUAL_STRING("rw-------", reply_text(reply, "permissions"));
}

void test_get_file_info__special_bits_are_spelled_as_ls_does(void) {
    static const struct {
        mode_t mode;
        const char *permissions;
    } cases[] = {{04755, "rwsr-xr-x"}, {04644, "rwSr--r--"}, {01777, "rwxrwxrwt"},
                 {01776, "rwxrwxrwT"}, {0, "---------"},     {0421, "r---w---x"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sandbox_mkdir("d"); /* a directory: files lose such bits more easily */
        TEST_ASSERT_EQUAL(0, chmod(sandbox_path("d"), cases[i].mode));
        TEST_ASSERT_EQUAL_STRING(cases[i].permissions, reply_text(info("d"), "permissions"));
        TEST_ASSERT_EQUAL(0, rmdir(sandbox_path("d")));
    }
}

void test_get_file_info__a_link_is_followed_and_its_text_told(void) {
    sandbox_mkdir("d");
    sandbox_text("d/a", "one\n");
    sandbox_link("d/link", "../d/a");
    sandbox_link("dir", "d");
    const json_t *reply = info("d/link");
    TEST_ASSERT_EQUAL_STRING("d/a", reply_text(reply, "path"));
    TEST_ASSERT_EQUAL_STRING("file", reply_text(reply, "type"));
    TEST_ASSERT_EQUAL_STRING("../d/a", reply_text(reply, "target"));
    reply = info("dir");
    TEST_ASSERT_EQUAL_STRING("directory", reply_text(reply, "type"));
    TEST_ASSERT_EQUAL_STRING("d", reply_text(reply, "target"));
    TEST_ASSERT_TRUE(reply_is_null(info("dir/a"), "target")); /* its last component is not a link */
}

void test_get_file_info__a_link_to_nothing_is_shown_as_itself(void) {
    sandbox_link("dangling", "missing");
    sandbox_link("loop", "loop");
    const json_t *reply = info("dangling");
    TEST_ASSERT_EQUAL_STRING("dangling", reply_text(reply, "path"));
    TEST_ASSERT_EQUAL_STRING("symlink", reply_text(reply, "type"));
    TEST_ASSERT_EQUAL_STRING("missing", reply_text(reply, "target"));
    TEST_ASSERT_EQUAL_STRING("inode/symlink", reply_text(reply, "mime_type"));
    TEST_ASSERT_FALSE(reply_flag(reply, "readable"));
    TEST_ASSERT_FALSE(reply_flag(reply, "writable"));
    TEST_ASSERT_EQUAL_STRING("symlink", reply_text(info("loop"), "type"));
}

/* A link that leads outside gives the same error whether anything is there or not. */
void test_get_file_info__a_link_out_tells_nothing(void) {
    sandbox_link("out", "/etc/passwd");
    sandbox_link("nowhere", "/no/such/place");
    for (int i = 0; i < 2; i++) { /* the same of both, but for what the links say themselves */
        const json_t *reply = info(i ? "nowhere" : "out");
        TEST_ASSERT_EQUAL_STRING("symlink", reply_text(reply, "type"));
        TEST_ASSERT_EQUAL_STRING(i ? "/no/such/place" : "/etc/passwd", reply_text(reply, "target"));
        TEST_ASSERT_FALSE(json_is_true(json_object_get(reply, "readable")));
        TEST_ASSERT_TRUE(reply_is_null(reply, "version"));
        TEST_ASSERT_TRUE(reply_is_null(reply, "encoding"));
    }
    check_error(exists("out"), "outside-root", "'out'");
    check_error(exists("nowhere"), "outside-root", "'nowhere'");
}

void test_get_file_info__errors(void) {
    sandbox_text("a", "one\n");
    check_error(info("missing"), "not-found", "'missing'");
    check_error(info("a/b"), "not-a-directory", "'a/b'");
    check_error(info(".."), "outside-root", "'..'");
    check_error(info("secret"), "restricted", "'secret'");
    check_error(info(""), "invalid-argument", "path");
}

void test_get_file_info__an_unreadable_file_can_be_looked_at(void) {
    if (geteuid() == 0)
        TEST_IGNORE_MESSAGE("root reads everything");
    sandbox_text("a", "one\n");
    TEST_ASSERT_EQUAL(0, chmod(sandbox_path("a"), 0200));
    const json_t *reply = info("a");
    TEST_ASSERT_EQUAL(4, reply_number(reply, "size"));
    TEST_ASSERT_FALSE(reply_flag(reply, "readable"));
    TEST_ASSERT_TRUE(reply_flag(reply, "writable"));
    TEST_ASSERT_TRUE(reply_is_null(reply, "mime_type"));
    TEST_ASSERT_TRUE(reply_is_null(reply, "version"));
}

void test_get_file_info__a_read_only_workspace_has_nothing_writable(void) {
    sandbox_close();
    sandbox_open("{\"read_only\": true}");
    sandbox_text("a", "one\n");
    TEST_ASSERT_FALSE(reply_flag(info("a"), "writable"));
    TEST_ASSERT_TRUE(reply_flag(info("a"), "readable"));
}

static void check_exists(const char *path, const char *type) {
    const json_t *reply = exists(path);
    TEST_ASSERT_TRUE_MESSAGE(reply_flag(reply, "exists"), path);
    TEST_ASSERT_EQUAL_STRING(type, reply_text(reply, "type"));
    TEST_ASSERT_NOT_NULL(strstr(reply_text(reply, "text"), "exists: yes\n"));
}

static void check_missing(const char *path, const char *shown) {
    const json_t *reply = exists(path);
    TEST_ASSERT_FALSE_MESSAGE(json_is_true(json_object_get(reply, "exists")), path);
    TEST_ASSERT_EQUAL_STRING(shown, reply_text(reply, "path"));
    TEST_ASSERT_NOT_NULL(strstr(reply_text(reply, "text"), "exists: no\n"));
}

void test_get_file_info__exists(void) {
    sandbox_mkdir("d");
    sandbox_text("d/a", "one\n");
    sandbox_link("link", "d/a");
    TEST_ASSERT_EQUAL(0, mkfifo(sandbox_path("fifo"), 0600));
    check_exists("d", "directory");
    check_exists("./d//a", "file");
    check_exists("link", "file");
    check_exists("fifo", "other");
    check_exists(".", "directory");
    TEST_ASSERT_EQUAL_STRING("d/a", reply_text(exists("link"), "path"));
}

void test_get_file_info__what_is_missing_is_no_error(void) {
    sandbox_text("a", "one\n");
    sandbox_mkdir("d");
    check_missing("missing", "missing");
    check_missing("d/./missing", "d/missing");
    check_missing("no/such/directory", "no/such/directory");
    check_missing("a/b", "a/b");
    check_missing("a/", "a/");
    TEST_ASSERT_TRUE(reply_is_null(exists("missing"), "type"));
    check_missing("\"n\\377o\"", "\"n\\377o\"");
    check_missing("\"a\\057\\377o\"", "\"a/\\377o\""); /* below a file */
}

void test_get_file_info__a_link_to_nothing_does_not_exist_but_is_a_link(void) {
    sandbox_link("dangling", "missing");
    sandbox_link("loop", "loop");
    check_missing("dangling", "dangling");
    TEST_ASSERT_EQUAL_STRING("symlink", reply_text(exists("dangling"), "type"));
    TEST_ASSERT_EQUAL_STRING("symlink", reply_text(exists("loop"), "type"));
}

void test_get_file_info__existence_outside_and_in_secret_is_not_told(void) {
    check_error(exists("../x"), "outside-root", "'../x'");
    check_error(exists("/etc/passwd"), "outside-root", "'/etc/passwd'");
    check_error(exists("secret/a"), "restricted", "'secret/a'");
    sandbox_mkdir("secret");
    check_error(exists("secret"), "restricted", "'secret'");
    check_error(exists("secret/a"), "restricted", "'secret/a'");
}
