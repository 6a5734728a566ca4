/* SPDX-License-Identifier: MIT */
#include "textfile.h"

#include "support.h"

#include "unity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static aqfs_workspace *ws;
static struct work work;
static struct change *change;
static struct textfile file;

void setUp(void) {
    support_start();
    make_directory(project_path(""));
    ws = open_project("");
    work = (struct work){.ws = ws};
    change = calloc(1, sizeof *change);
    TEST_ASSERT_NOT_NULL(change);
    change->at.root = &ws->roots[0];
    strcpy(change->at.path, "f"); // NOLINT(clang-analyzer-security*): one letter
    change->at.len = 1;
}

static void forget(void) {
    buf_free(&change->old_bytes);
    buf_free(&change->new_bytes);
    buf_free(&change->old_text);
    buf_free(&change->new_text);
    textfile_free(&file);
    file = (struct textfile){0};
}

void tearDown(void) {
    forget();
    free(change);
    aqfs_free(ws);
    support_end();
}

static int load(const char *bytes, size_t n) {
    forget();
    buf_add(&change->old_bytes, bytes, n);
    return textfile_load(&work, change, &file);
}

/* BYTES are shown as TEXT, and NEW_TEXT is stored as NEW_BYTES. */
static void check(const char *bytes, size_t n, const char *text, const char *new_text,
                  const char *new_bytes, size_t new_n) {
    struct buf edited = {0};
    TEST_ASSERT_EQUAL_MESSAGE(AQFS_OK, load(bytes, n), work.error.message);
    TEST_ASSERT_EQUAL_STRING(text, file.text.data ? file.text.data : "");
    buf_str(&edited, new_text);
    TEST_ASSERT_EQUAL(AQFS_OK, textfile_store(&work, &file, &edited, change));
    buf_free(&edited);
    TEST_ASSERT_EQUAL(new_n, change->new_bytes.len);
    TEST_ASSERT_EQUAL_MEMORY(new_bytes, change->new_bytes.data, new_n);
}

#define CHECK(bytes, text, new_text, new_bytes)                                                    \
    check(bytes, sizeof(bytes) - 1, text, new_text, new_bytes, sizeof(new_bytes) - 1)

void test_textfile__plain(void) {
    CHECK("one\ntwo\n", "one\ntwo\n", "one\n2\n", "one\n2\n");
    CHECK("one", "one", "1", "1");
}

void test_textfile__uniform_crlf(void) {
    CHECK("one\r\ntwo\r\n", "one\ntwo\n", "one\n2\n", "one\r\n2\r\n");
    CHECK("one\r\ntwo", "one\ntwo", "one\n2", "one\r\n2");
}

void test_textfile__mixed_endings_are_left(void) {
    CHECK("one\r\ntwo\n", "one\r\ntwo\n", "one\r\n2\n", "one\r\n2\n");
    CHECK("one\rtwo\n", "one\rtwo\n", "one\r2\n", "one\r2\n");
}

void test_textfile__marks(void) {
    CHECK("\xEF\xBB\xBFone\n", "one\n", "1\n",
          "\xEF\xBB\xBF"
          "1\n");
    CHECK("\xEF\xBB\xBFone\r\n", "one\n", "1\n",
          "\xEF\xBB\xBF"
          "1\r\n");
    CHECK("\xFF\xFEo\0\n\0", "o\n", "1\n",
          "\xFF\xFE"
          "1\0\n\0");
    CHECK("\xFF\xFEo\0\r\0\n\0", "o\n", "1\n",
          "\xFF\xFE"
          "1\0\r\0\n\0");
}

/* A person is shown the text, where that is not the bytes. */
void test_textfile__text_for_the_diff(void) {
    CHECK("one\n", "one\n", "1\n", "1\n");
    TEST_ASSERT_NULL(change->old_text.data);
    CHECK("one\r\n", "one\n", "1\n", "1\r\n");
    TEST_ASSERT_EQUAL_STRING("one\n", change->old_text.data);
    TEST_ASSERT_EQUAL_STRING("1\n", change->new_text.data);
}

void test_textfile__binary(void) {
    static const char bytes[] = "\x7F"
                                "ELF\0\1\2\3";
    TEST_ASSERT_EQUAL(AQFS_BINARY, load(bytes, sizeof bytes));
}

void test_textfile__no_such_character(void) {
    static const char bytes[] = "caf\xE9 na\xEFve d\xE9j\xE0 vu\n";
    struct buf edited = {0};
    TEST_ASSERT_EQUAL(AQFS_OK, load(bytes, sizeof bytes - 1));
    buf_str(&edited, "\xE2\x82\xAC\n");
    TEST_ASSERT_EQUAL(AQFS_ENCODING, textfile_store(&work, &file, &edited, change));
    TEST_ASSERT_EQUAL(0, change->new_bytes.len);
    buf_free(&edited);
}

static int accept(const char *text, size_t n, struct buf *out) {
    buf_clear(out);
    return textfile_accept(&work, &file, (struct text_ref){text, n}, out);
}

/* A caller may spell endings as the file does, or as it was shown them. */
void test_textfile__accept(void) {
    struct buf out = {0};
    TEST_ASSERT_EQUAL(AQFS_OK, load("one\r\n", 5));
    TEST_ASSERT_EQUAL(AQFS_OK, accept("a\r\nb\n", 5, &out));
    TEST_ASSERT_EQUAL_STRING("a\nb\n", out.data);
    TEST_ASSERT_EQUAL(AQFS_OK, load("one\n", 4));
    TEST_ASSERT_EQUAL(AQFS_OK, accept("a\r\nb\n", 5, &out));
    TEST_ASSERT_EQUAL_STRING("a\r\nb\n", out.data);
    TEST_ASSERT_EQUAL(AQFS_INVALID_ARGUMENT, accept("a\0b", 3, &out));
    TEST_ASSERT_EQUAL(AQFS_OK, accept("", 0, &out));
    buf_free(&out);
}
