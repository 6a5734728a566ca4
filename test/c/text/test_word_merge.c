/* SPDX-License-Identifier: MIT */
#include "merging.h"

#include "unity.h"

#include <string.h>

/* EXPECTED is NULL where the changes cannot be made into one. */
static void check_merged(const char *expected, const char *was, const char *is,
                         const char *wanted) {
    struct buf out = {0};
    const bool merged =
        word_merge((struct text_ref){was, strlen(was)}, (struct text_ref){is, strlen(is)},
                   (struct text_ref){wanted, strlen(wanted)}, &out);
    TEST_ASSERT_EQUAL_MESSAGE(expected != NULL, merged, wanted);
    if (expected)
        TEST_ASSERT_EQUAL_STRING(expected, out.data ? out.data : "");
    buf_free(&out);
}

void test_word_merge__changes_of_different_words(void) {
    check_merged("f(x, b, y)", "f(a, b, c)", "f(x, b, c)", "f(a, b, y)");
    check_merged("f(x, b, y)", "f(a, b, c)", "f(a, b, y)", "f(x, b, c)");
    check_merged("f(b, c, d)", "f(a, b, c)", "f(b, c)", "f(a, b, c, d)");
    check_merged("one  two four", "one two three", "one  two three", "one two four");
    check_merged("", "", "", "");
}

void test_word_merge__one_change_alone_and_the_same_change(void) {
    check_merged("f(x)", "f(a)", "f(x)", "f(a)");
    check_merged("f(x)", "f(a)", "f(a)", "f(x)");
    check_merged("f(x, c)", "f(a, b)", "f(x, b)", "f(a, c)");
    check_merged("f(x)", "f(a)", "f(x)", "f(x)");
}

void test_word_merge__changes_of_the_same_words(void) {
    check_merged(NULL, "f(a)", "f(x)", "f(y)");
    check_merged(NULL, "f(a)", "g(a)", "h(a)");
    check_merged(NULL, "one two", "one  two", "one three"); /* beside each other */
    check_merged(NULL, "f(a)", "f(a, b)", "f(a, c)");
}

void test_word_merge__characters_stay_whole(void) {
    check_merged("\u201cone\u201d x", "\u2018one\u2019 y", "\u201cone\u201d y",
                 "\u2018one\u2019 x");
    check_merged("caf\u00e9 b", "caf\u00ea a", "caf\u00e9 a", "caf\u00ea b");
    check_merged(NULL, "\u4e00", "\u4e01", "\u4f00");
}
