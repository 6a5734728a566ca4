/* SPDX-License-Identifier: MIT */
#include "error.h"
#include "utf8.h"

#include "unity.h"

#include <errno.h>
#include <string.h>

void test_error__code_names(void) {
    TEST_ASSERT_EQUAL_STRING("ok", code_name(AQFS_OK));
    TEST_ASSERT_EQUAL_STRING("outside-root", code_name(AQFS_OUTSIDE_ROOT));
    TEST_ASSERT_EQUAL_STRING("not-connected", code_name(AQFS_NOT_CONNECTED));
#define X(constant, name, doc) TEST_ASSERT_EQUAL_STRING(name, code_name(AQFS_##constant));
    ERROR_CODES(X)
#undef X
}

void test_error__fail_answers_its_code(void) {
    struct error e = {.hint = "an older one"};
    TEST_ASSERT_EQUAL_INT(AQFS_STALE, fail(&e, AQFS_STALE, "%s has %d lines", "a.c", 7));
    TEST_ASSERT_EQUAL_INT(AQFS_STALE, e.code);
    TEST_ASSERT_EQUAL_STRING("a.c has 7 lines", e.message);
    TEST_ASSERT_EQUAL_STRING("", e.hint);
}

void test_error__faults_of_a_path_are_unnamed_until_the_next_error(void) {
    struct error e;
    TEST_ASSERT_EQUAL_INT(AQFS_OUTSIDE_ROOT,
                          fail_path(&e, AQFS_OUTSIDE_ROOT, FAULT_MOUNT, "It is 100% mounted"));
    TEST_ASSERT_EQUAL_INT(AQFS_OUTSIDE_ROOT, e.code);
    TEST_ASSERT_EQUAL_INT(FAULT_MOUNT, e.unnamed);
    TEST_ASSERT_EQUAL_STRING("It is 100% mounted", e.message);
    TEST_ASSERT_EQUAL_INT(AQFS_NOT_FOUND, fail_path_errno(&e, ENOENT, "open"));
    TEST_ASSERT_EQUAL_INT(FAULT_BY_CODE, e.unnamed);
    TEST_ASSERT_EQUAL_STRING("open: No such file or directory", e.message);
    (void)fail(&e, AQFS_STALE, "another");
    TEST_ASSERT_EQUAL_INT(FAULT_NONE, e.unnamed);
}

void test_error__hint_leaves_the_rest(void) {
    struct error e;
    (void)fail(&e, AQFS_NOT_FOUND, "gone");
    error_hint(&e, "did you mean %s?", "b.c");
    TEST_ASSERT_EQUAL_INT(AQFS_NOT_FOUND, e.code);
    TEST_ASSERT_EQUAL_STRING("gone", e.message);
    TEST_ASSERT_EQUAL_STRING("did you mean b.c?", e.hint);
}

/* For characters of one to four bytes, with the cut at each place within one. */
void test_error__cut_between_code_points(void) {
    const char *const characters[] = {"x", "é", "€", "😀"};
    for (size_t c = 0; c < 4; c++) {
        const size_t n = strlen(characters[c]);
        char text[2048] = "";
        for (size_t at = 0; at + n < sizeof text; at += n)
            memcpy(text + at, characters[c], n);
        for (int before = 0; before < 4; before++) {
            struct error e;
            (void)fail(&e, AQFS_IO, "%.*s%s", before, "abc", text);
            error_hint(&e, "%.*s%s", before, "abc", text);
            TEST_ASSERT_TRUE(utf8_is_valid(e.message, strlen(e.message)));
            TEST_ASSERT_TRUE(utf8_is_valid(e.hint, strlen(e.hint)));
            size_t lost = sizeof e.message - 1 - strlen(e.message);
            TEST_ASSERT_TRUE(lost < n);
            lost = sizeof e.hint - 1 - strlen(e.hint);
            TEST_ASSERT_TRUE(lost < n);
        }
    }
}

void test_error__longest_message_is_whole(void) {
    struct error e;
    char text[sizeof e.message];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    (void)fail(&e, AQFS_IO, "%s", text);
    TEST_ASSERT_EQUAL_STRING(text, e.message);
}

void test_error__from_errno(void) {
    static const struct {
        int errnum;
        enum code code;
    } table[] = {
        {ENOENT, AQFS_NOT_FOUND},
        {EACCES, AQFS_PERMISSION},
        {EPERM, AQFS_PERMISSION},
        {EISDIR, AQFS_IS_DIRECTORY},
        {ENOTDIR, AQFS_NOT_A_DIRECTORY},
        {EEXIST, AQFS_EXISTS},
        {ELOOP, AQFS_LOOP},
        {ENAMETOOLONG, AQFS_TOO_LONG},
        {ENOSPC, AQFS_NO_SPACE},
        {EDQUOT, AQFS_NO_SPACE},
        {EROFS, AQFS_READ_ONLY},
        {EFBIG, AQFS_TOO_LARGE},
        {EMFILE, AQFS_LIMIT},
        {ENFILE, AQFS_LIMIT},
        {ENOMEM, AQFS_LIMIT},
        {EIO, AQFS_IO},
        {EINVAL, AQFS_IO},
        {123456, AQFS_IO},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct error e;
        TEST_ASSERT_EQUAL_INT(table[i].code, fail_errno(&e, table[i].errnum, "a.c"));
        TEST_ASSERT_EQUAL_INT(table[i].code, e.code);
        TEST_ASSERT_EQUAL_INT(0, strncmp(e.message, "a.c: ", 5));
    }
}

void test_error__errno_words(void) {
    struct error e;
    (void)fail_errno(&e, ENOENT, "a.c");
    TEST_ASSERT_EQUAL_STRING("a.c: No such file or directory", e.message);
    (void)fail_errno(&e, 123456, "a.c");
    TEST_ASSERT_EQUAL_STRING("a.c: error 123456", e.message);
    (void)fail_errno(&e, ENOMEM, "a.c");
    TEST_ASSERT_EQUAL_STRING("a.c: out of memory", e.message);
}

void test_error__memory(void) {
    struct error e;
    TEST_ASSERT_EQUAL_INT(AQFS_LIMIT, fail_memory(&e));
    TEST_ASSERT_EQUAL_STRING("out of memory", e.message);
}
