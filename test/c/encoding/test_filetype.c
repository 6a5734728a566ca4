/* SPDX-License-Identifier: MIT */
#include "filetype.h"

#include "unity.h"

#include <string.h>

static struct libraries libraries = {.magic_lock = PTHREAD_MUTEX_INITIALIZER};

void tearDown(void) {
    filetype_free(libraries.magic);
    libraries.magic = NULL;
}

static void check(const char *mime, const char *charset, const char *bytes, size_t n) {
    struct filetype type;
    struct error e = {0};
    TEST_ASSERT_EQUAL_MESSAGE(AQFS_OK, filetype_of(&libraries, bytes, n, &type, &e), e.message);
    TEST_ASSERT_EQUAL_STRING(mime, type.mime);
    TEST_ASSERT_EQUAL_STRING(charset, type.charset);
}
#define CHECK(mime, charset, literal) check(mime, charset, literal, sizeof(literal) - 1)

void test_filetype__names_type_and_charset(void) {
    CHECK("text/plain", "us-ascii", "hello there\n");
    CHECK("text/plain", "utf-8", "caf\xC3\xA9\n");
    CHECK("text/plain", "iso-8859-1", "un caf\xE9 au lait\n");
    CHECK("text/x-shellscript", "us-ascii", "#!/bin/sh\necho\n");
    CHECK("image/png", "binary", "\x89PNG\r\n\x1A\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\10\6\0\0\0");
    CHECK("application/octet-stream", "binary", "a\0b\0");
}

void test_filetype__compressed_bytes_are_not_looked_into(void) {
    CHECK("application/gzip", "binary", "\x1F\x8B\x08\0\0\0\0\0\0\3\3\0\0\0\0\0\0\0\0\0");
}

void test_filetype__looks_at_no_more_than_the_sample(void) {
    static char bytes[FILETYPE_SAMPLE + 1];
    memset(bytes, 'a', FILETYPE_SAMPLE);
    bytes[FILETYPE_SAMPLE] = '\0';
    check("text/plain", "us-ascii", bytes, sizeof bytes);
}

void test_filetype__loads_its_database_once_and_at_first_need(void) {
    TEST_ASSERT_NULL(libraries.magic);
    CHECK("text/plain", "us-ascii", "hello there\n");
    const void *loaded = libraries.magic;
    TEST_ASSERT_NOT_NULL(loaded);
    CHECK("text/plain", "us-ascii", "hello again\n");
    TEST_ASSERT_EQUAL_PTR(loaded, libraries.magic);
}

void test_filetype__a_missing_handle_is_freed_too(void) {
    filetype_free(NULL);
}

static void *ask_often(void *data) {
    const char *bytes = data;
    for (int i = 0; i < 50; i++) {
        struct filetype type;
        struct error e;
        if (filetype_of(&libraries, bytes, strlen(bytes), &type, &e) != AQFS_OK ||
            strcmp(type.charset, bytes[0] == '#' ? "us-ascii" : "utf-8") != 0)
            return data;
    }
    return NULL;
}

void test_filetype__threads_may_ask_at_once(void) {
    static char script[] = "#!/bin/sh\necho\n", text[] = "caf\xC3\xA9\n";
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        TEST_ASSERT_EQUAL(0, pthread_create(&threads[i], NULL, ask_often, i % 2 ? script : text));
    for (int i = 0; i < 4; i++) {
        void *wrong;
        TEST_ASSERT_EQUAL(0, pthread_join(threads[i], &wrong));
        TEST_ASSERT_NULL(wrong);
    }
}
