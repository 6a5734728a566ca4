/* Tests of doing to one text what was done to another.
 *
 * SPDX-License-Identifier: MIT
 */
#include "merge.h"

#include "unity.h"

void setUp(void) {
}

void tearDown(void) {
}

static struct text_ref ref(const char *text) {
    return (struct text_ref){text, strlen(text)};
}

/* Merges, expects OUT, and returns the number of clashes. */
static size_t merged(const char *base, const char *mine, const char *theirs, enum merge_side side,
                     const char *out) {
    struct buf text = {0};
    struct error e = {0};
    size_t clashes = 0;
    buf_str(&text, "");
    const struct merge_texts texts = {ref(base), ref(mine), ref(theirs), side};
    TEST_ASSERT_EQUAL(AQFS_OK, merge_both(NULL, &texts, &text, &clashes, &e));
    TEST_ASSERT_EQUAL_STRING(out, text.data);
    buf_free(&text);
    return clashes;
}

void test_merge__both_changes_are_made(void) {
    TEST_ASSERT_EQUAL(0, merged("1\n2\n3\n4\n5\n", "one\n2\n3\n4\n5\n", "1\n2\n3\n4\nfive\n",
                                MERGE_MINE, "one\n2\n3\n4\nfive\n"));
    TEST_ASSERT_EQUAL(0, merged("1\n2\n3\n", "1\n2\n3\n", "2\n3\n4\n", MERGE_MINE, "2\n3\n4\n"));
    TEST_ASSERT_EQUAL(
        0, merged("1\n2\n3\n", "0\n1\n2\n3\n", "1\n2\n3\n4", MERGE_MINE, "0\n1\n2\n3\n4"));
    TEST_ASSERT_EQUAL(0, merged("", "", "", MERGE_MINE, ""));
}

void test_merge__the_same_change_is_no_clash(void) {
    TEST_ASSERT_EQUAL(0, merged("1\n2\n", "1\ntwo\n", "1\ntwo\n", MERGE_MINE, "1\ntwo\n"));
    TEST_ASSERT_EQUAL(0, merged("1\n2\n", "", "", MERGE_THEIRS, ""));
}

void test_merge__the_same_lines_clash(void) {
    TEST_ASSERT_EQUAL(
        1, merged("1\n2\n3\n", "1\ntwo\n3\n", "1\nzwei\n3\n", MERGE_MINE, "1\ntwo\n3\n"));
    TEST_ASSERT_EQUAL(
        1, merged("1\n2\n3\n", "1\ntwo\n3\n", "1\nzwei\n3\n", MERGE_THEIRS, "1\nzwei\n3\n"));
    TEST_ASSERT_EQUAL(1, merged("1\n2", "1\n2\n", "1\n2\n3", MERGE_THEIRS, "1\n2\n3"));
}

void test_merge__lines_beside_each_other_clash(void) {
    TEST_ASSERT_EQUAL(1,
                      merged("1\n2\n3\n", "one\n2\n3\n", "1\ntwo\n3\n", MERGE_MINE, "one\n2\n3\n"));
    TEST_ASSERT_EQUAL(
        0, merged("1\n2\n3\n", "one\n2\n3\n", "1\n2\nthree\n", MERGE_MINE, "one\n2\nthree\n"));
}

void test_merge__a_chain_of_changes_is_one_clash(void) {
    TEST_ASSERT_EQUAL(1, merged("1\n2\n3\n4\n5\n", "1\nb\nc\n4\n5\n", "a\n2\n3\nd\n5\n",
                                MERGE_THEIRS, "a\n2\n3\nd\n5\n"));
}

void test_merge__endings_of_lines_are_bytes_like_others(void) {
    TEST_ASSERT_EQUAL(0, merged("1\r\n2\r\n3\r\n", "one\r\n2\r\n3\r\n", "1\r\n2\r\n3\n", MERGE_MINE,
                                "one\r\n2\r\n3\n"));
}
