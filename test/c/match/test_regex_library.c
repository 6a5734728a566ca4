/* SPDX-License-Identifier: MIT */
#include "regex_library.h"

#include "cleanup.h"

#include "unity.h"

#include <string.h>

static struct error error;

static void check_agrees(bool expected, const char *pattern, const char *written) {
    AUTO(regex_compiler_free) struct regex_compiler c;
    struct regex_options options = {0};
    struct buf text = {0};
    buf_str(&text, written);
    TEST_ASSERT_TRUE(regex_compiler_init(&c, &options));
    TEST_ASSERT_EQUAL_INT(AQFS_OK, regex_compiler_judge(&c, pattern, strlen(pattern), &error));
    TEST_ASSERT_EQUAL_INT_MESSAGE(expected, regex_compiler_agrees(&c, &text), pattern);
    buf_free(&text);
}

void test_regex_library__another_reading_is_noticed(void) {
    check_agrees(true, "a{2}b", "aab");
    check_agrees(true, "\\Aa\\z", "^a$");
    check_agrees(true, "(?s)(.)\\1", "(\\N)\\g{1}");
    check_agrees(false, "a{2}", "a\\{2\\}");
    check_agrees(false, "a{0,2}", "a\\{0,2\\}");
    check_agrees(false, "(a)", "\\(a\\)");
    check_agrees(false, "(?:a)", "(a)");
    check_agrees(false, "(?<n>a)", "(a)");
    check_agrees(false, "(a)\\1", "(a)a");
    check_agrees(false, "a|", "a\\|");
    check_agrees(false, "a", "(a");
}

static bool uses_machine_code(const char *pattern, bool interpreted) {
    AUTO(regex_compiler_free) struct regex_compiler c;
    struct regex_options options = {.interpreted = interpreted};
    TEST_ASSERT_TRUE(regex_compiler_init(&c, &options));
    TEST_ASSERT_EQUAL_INT(AQFS_OK, regex_compiler_judge(&c, pattern, strlen(pattern), &error));
    return c.machine_code[TEXT_UTF];
}

void test_regex_library__machine_code_is_not_used_where_it_errs(void) {
    TEST_ASSERT_TRUE(uses_machine_code("[[:alpha:]]", false));
    TEST_ASSERT_FALSE(uses_machine_code("[[:alpha:]]", true));
    TEST_ASSERT_FALSE(uses_machine_code("[[:graph:]\\s]", false));
    TEST_ASSERT_FALSE(uses_machine_code("[\\s[:^print:]]", false));
    TEST_ASSERT_FALSE(uses_machine_code("(*napla:(*THEN)a)|", false));
}

void test_regex_library__the_interpreter_needs_no_care(void) {
    AUTO(regex_compiler_free) struct regex_compiler c;
    struct regex_options options = {.interpreted = true};
    TEST_ASSERT_TRUE(regex_compiler_init(&c, &options));
    TEST_ASSERT_EQUAL_UINT32(0, regex_compiler_care(&c, true, true));
}

/* Is what varies refused, or known to vary?  A length that is fixed is neither. */
void test_regex_library__a_lookbehind_is_known_to_vary(void) {
    static const struct {
        const char *pattern;
        bool varies;
    } cases[] = {{"(?<=ab?)c", true},     {"(?<!a|b{1,2})c", true}, {"(?<=(?:a|bc)d)e", true},
                 {"(?<=a|bc)d", false},   {"(?<!a{2})b", false},    {"(?<=\\bx)a?", false},
                 {"(*plb:ab?)c{2}", true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        AUTO(regex_compiler_free) struct regex_compiler c;
        struct regex_options options = {0};
        const char *p = cases[i].pattern;
        TEST_ASSERT_TRUE(regex_compiler_init(&c, &options));
        int code = regex_compiler_judge(&c, p, strlen(p), &error);
        if (!cases[i].varies)
            TEST_ASSERT_EQUAL_INT_MESSAGE(AQFS_OK, code, p);
        TEST_ASSERT_TRUE_MESSAGE(code || c.varies == cases[i].varies, p);
        TEST_ASSERT_TRUE_MESSAGE(code || c.machine_code[TEXT_BYTES] != c.varies, p);
    }
}
