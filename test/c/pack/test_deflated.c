/* test_deflated.c -- text is the same when it was made smaller and back, and bytes that are no
 * streams, or hold more than may come, are refused.
 *
 * SPDX-License-Identifier: MIT
 */
#include "deflated.h"
#include "zip.h"

#include "unity.h"

enum { MOST_BYTES = 300000 };

static struct buf text, small, back;

void setUp(void) {
    for (int i = 0; text.len < MOST_BYTES; i++)
        buf_printf(&text, " \"project/module/part-%d/file-%d.c\"", i / 100, i);
}

void tearDown(void) {
    buf_free(&text);
    buf_free(&small);
    buf_free(&back);
}

static void deflate_bytes(const char *bytes, size_t n) {
    struct zip *d = zip_new();
    for (size_t at = 0; at < n; at += DEFLATED_BLOCK)
        zip_add_raw(d, bytes + at, n - at < DEFLATED_BLOCK ? n - at : DEFLATED_BLOCK, &small);
    zip_free(d);
}

void test_deflated__paths_are_a_fifth_and_come_back(void) {
    deflate_bytes(text.data, text.len);
    TEST_ASSERT_LESS_THAN(text.len / 5, small.len);
    TEST_ASSERT_TRUE(inflate_all(small.data, small.len, text.len, &back));
    TEST_ASSERT_EQUAL(text.len, back.len);
    TEST_ASSERT_EQUAL_MEMORY(text.data, back.data, text.len);
}

void test_deflated__noise_comes_back(void) {
    unsigned seed = 1;
    for (size_t i = 0; i < text.len; i++)
        text.data[i] = (char)((seed = seed * 1103515245U + 12345U) >> 16);
    deflate_bytes(text.data, text.len);
    TEST_ASSERT_TRUE(inflate_all(small.data, small.len, text.len, &back));
    TEST_ASSERT_EQUAL_MEMORY(text.data, back.data, text.len);
}

void test_deflated__nothing_holds_nothing(void) {
    TEST_ASSERT_TRUE(inflate_all("", 0, 0, &back));
    TEST_ASSERT_EQUAL(0, back.len);
}

void test_deflated__more_than_may_come_is_refused(void) {
    deflate_bytes(text.data, text.len);
    TEST_ASSERT_FALSE(inflate_all(small.data, small.len, text.len - 1, &back));
    TEST_ASSERT_LESS_THAN(text.len, back.len);
}

/* No more memory is taken than for what came before, however much a stream would hold. */
void test_deflated__a_stream_of_more_than_a_block_is_refused(void) {
    static const size_t too_much = DEFLATED_BLOCK + 1;
    struct zip *d = zip_new();
    zip_add_raw(d, text.data, too_much, &small);
    zip_free(d);
    TEST_ASSERT_FALSE(inflate_all(small.data, small.len, MOST_BYTES, &back));
    TEST_ASSERT_EQUAL(0, back.len);
}

void test_deflated__what_is_cut_anywhere_is_refused(void) {
    deflate_bytes(text.data, 2000);
    for (size_t n = 1; n < small.len; n++) {
        back.len = 0;
        TEST_ASSERT_FALSE(inflate_all(small.data, n, MOST_BYTES, &back));
    }
}

void test_deflated__bytes_behind_a_stream_are_refused(void) {
    deflate_bytes(text.data, 2000);
    buf_str(&small, "\xff\xff");
    TEST_ASSERT_FALSE(inflate_all(small.data, small.len, MOST_BYTES, &back));
}
