/* Tests that lines which are edited as if they ended in LF keep their own endings.
 *
 * SPDX-License-Identifier: MIT
 */
#include "endings_restore.h"

#include "lines.h"
#include "unity.h"

#include <stdio.h>
#include <string.h>

static struct text_ref ref(const char *s) {
    return (struct text_ref){s, strlen(s)};
}

static void check_restored(const char *expected, const char *raw, const char *new) {
    char old[200];
    struct buf out = {0};
    struct error error;
    (void)snprintf(old, sizeof old, "%s", raw);
    const size_t n = text_crlf_to_lf(old, strlen(old));
    TEST_ASSERT_EQUAL(AQFS_OK, endings_restore(NULL, ref(raw), (struct text_ref){old, n}, ref(new),
                                               &out, &error));
    TEST_ASSERT_EQUAL_STRING(expected, out.len ? out.data : "");
    buf_free(&out);
}

void test_endings_restore__each_line_keeps_its_own(void) {
    check_restored("1\r\nx\n3\r\n", "1\r\n2\n3\r\n", "1\nx\n3\n");
    check_restored("x\r\ny\n3\r\n", "1\r\n2\n3\r\n", "x\ny\n3\n");
    check_restored("1\r\n3\r\n", "1\r\n2\n3\r\n", "1\n3\n");
    check_restored("1\r\n2\n3", "1\r\n2\n3", "1\n2\n3");
    check_restored("a\rb\r\nc\n", "a\rb\r\n2\n", "a\rb\nc\n");
}

void test_endings_restore__new_lines_have_that_of_their_neighbours(void) {
    check_restored("1\r\na\r\nb\r\n2\n", "1\r\n2\n", "1\na\nb\n2\n");
    check_restored("1\r\n2\na\n", "1\r\n2\n", "1\n2\na\n");
    check_restored("a\r\n1\r\n2\n", "1\r\n2\n", "a\n1\n2\n");
    check_restored("a\n1\n2\r\n", "1\n2\r\n", "a\n1\n2\n");
    check_restored("x\r\ny\r\nz\r\n2\n", "1\r\n2\n", "x\ny\nz\n2\n");
}

void test_endings_restore__the_end_of_the_text(void) {
    check_restored("1\n2\r\n3\r\n4", "1\n2\r\n3", "1\n2\n3\n4");
    check_restored("1\n2\r\n3\r\n", "1\n2\r\n3", "1\n2\n3\n");
    check_restored("1\n2", "1\n2\r\n", "1\n2");
    check_restored("", "1\n2\r\n", "");
}
