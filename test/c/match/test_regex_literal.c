/* SPDX-License-Identifier: MIT */
#include "regex_literal.h"

#include "sample.h"

#include "unity.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static size_t find_simply(const struct needle *needle, bool ignore_case, const char *text,
                          size_t n) {
    for (size_t at = 0; n - at >= needle->len && at < n; at++)
        if (ignore_case ? strncasecmp(text + at, needle->text, needle->len) == 0
                        : memcmp(text + at, needle->text, needle->len) == 0)
            return at;
    return n;
}

/* In memory that ends with the text, so that a sanitizer notices reads beyond it. */
static void check_text(const struct needle *needle, bool ignore_case, const char *text, size_t n) {
    struct regex_literal literal, narrow;
    char *copy = malloc(n + (n == 0));
    memcpy(copy, text, n);
    regex_literal_init(&literal, needle, ignore_case);
    TEST_ASSERT_EQUAL_UINT64(find_simply(needle, ignore_case, text, n),
                             regex_literal_find(&literal, copy, n));
    narrow = literal;
    narrow.wide = false;
    TEST_ASSERT_EQUAL_UINT64(regex_literal_find(&literal, copy, n),
                             regex_literal_find(&narrow, copy, n));
    free(copy);
}

void test_regex_literal__is_found_wherever_it_is(void) {
    const struct needle needle = {.len = 6, .text = "needle"};
    char text[300];
    for (size_t n = 6; n < sizeof text; n += 7)
        for (size_t at = 0; at + 6 <= n; at++) {
            memset(text, 'e', n);
            memcpy(text + at, "needle", 6);
            check_text(&needle, false, text, n);
        }
}

void test_regex_literal__agrees_with_the_simple_way(void) {
    static const char *const pieces[] = {"a", "b",  "ab", "ba",       "A",
                                         "B", "\n", "c",  "\xC3\xA9", "k"};
    uint64_t state = 42;
    char text[400];
    for (int i = 0; i < 20000; i++) {
        struct needle needle = {0};
        size_t n = sample_text(&state, pieces, 10, text, sizeof text - 1);
        do
            needle.len = (unsigned)sample_text(&state, pieces, 10, needle.text, 6);
        while (needle.len < 2 || memchr(needle.text, '\0', needle.len));
        for (size_t k = 0; k < n; k++)
            text[k] = text[k] ? text[k] : 'a';
        text[n] = '\0';
        check_text(&needle, i % 2, text, n);
    }
}
