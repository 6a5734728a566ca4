/* SPDX-License-Identifier: MIT */
#include "regex_plan.h"

#include "unity.h"

#include <string.h>

static void check_plan(const char *pattern, const char *facts, const char *needles) {
    struct regex_plan plan;
    struct buf text = {0}, found = {0};
    TEST_ASSERT_TRUE(regex_plan_read(&plan, pattern, strlen(pattern), false, false));
    buf_printf(&text, "%s%s%s%s%s", plan.understood ? "" : "strange ", plan.by_line ? "line " : "",
               plan.any_text   ? "bytes"
               : plan.utf_only ? "utf"
                               : "either",
               plan.repeats == 0   ? ""
               : plan.repeats == 1 ? " repeat"
                                   : " repeats",
               plan.newline ? " newline" : "");
    buf_str(&found, "");
    for (unsigned i = 0; i < plan.needles.n; i++) {
        buf_str(&found, i ? "|" : "");
        buf_add(&found, plan.needles.of[i].text, plan.needles.of[i].len);
    }
    TEST_ASSERT_EQUAL_STRING_MESSAGE(facts, text.data, pattern);
    TEST_ASSERT_EQUAL_STRING_MESSAGE(needles, found.data, pattern);
    buf_free(&text);
    buf_free(&found);
    regex_plan_free(&plan);
}

void test_regex_plan__a_plan_knows_when_bytes_will_do(void) {
    check_plan("foo", "bytes", "foo");
    check_plan("import .* from", "bytes repeat", "import ");
    check_plan("\"[^\"]*\"", "bytes repeat", "");
    check_plan("[A-Z][a-z]+Error", "bytes repeat", "Error");
    check_plan("\xC3\xA9t\xC3\xA9", "bytes", "\xC3\xA9t\xC3\xA9");
    check_plan("\xC3\xA9+", "bytes repeat", "\xC3\xA9");
    check_plan("a.+b", "bytes repeat", "");
    check_plan("a.b", "either", "");
    check_plan("a.+?b", "either repeat", "");
    check_plan("(.+x)+", "either repeats", "");
    check_plan("a.+b.+", "either repeats", "");
    check_plan("\\bfoo\\b", "either", "foo");
    check_plan("\\w+ = \\d", "either repeat", " = ");
    check_plan("(?i)[[:upper:]]", "utf", "");
    check_plan("[\\p{L}]", "utf", "");
    check_plan("[!-:]", "bytes", "");
    check_plan("[A-[]", "bytes", "");
    check_plan("a{}{b", "bytes", "a{}{b");
    check_plan("[^\xC3\xA9]", "utf", "");
    check_plan("\\xe9", "utf", "");
    check_plan("(?i)foo", "bytes", "foo");
    check_plan("(?i)ask", "either", "");
    check_plan("(?i)password", "either", "word");
    check_plan("(?i)\xC3\xA9", "utf", "");
}

void test_regex_plan__a_plan_knows_what_every_match_has(void) {
    check_plan("(TODO|FIXME):", "bytes", "TODO|FIXME");
    check_plan("foo|bar|baz", "bytes", "foo|bar|baz");
    check_plan("foo|b", "bytes", "");
    check_plan("foo|", "bytes", "");
    check_plan("(foo)?barn", "bytes", "barn");
    check_plan("(foo)+ba", "bytes repeat", "foo");
    check_plan("fo+bar", "bytes repeat", "obar");
    check_plan("foo?bar", "bytes", "bar");
    check_plan("(?!fool)bar", "either", "bar");
    check_plan("(?=fool)bar", "either", "fool");
    check_plan("foo{0}bar", "bytes", "bar");
    check_plan("ab{2}cd", "bytes", "bcd");
    check_plan("^foo\\.bar$", "bytes", "foo.bar");
    check_plan("\\Qa+b\\E", "bytes", "a+b");
    check_plan("a|b|c|d|e|f|g|hhh|iii|jjj", "bytes", "");
}

void test_regex_plan__a_plan_knows_what_could_cross_a_newline(void) {
    check_plan("a\\s+b", "either repeat", "");
    check_plan("[^x\\s]", "either", "");
    check_plan("[\\s,]", "either", "");
    check_plan("[\\D]", "line either", "");
    check_plan("[\\s\\S]", "either newline", "");
    check_plan("a\\nb", "line bytes newline", "a\nb");
    check_plan("(?s).*", "bytes repeat newline", "");
    check_plan("\\p{Lu}", "either", "");
    check_plan("[[:ascii:]]", "line either", "");
    check_plan("[[:^digit:]]", "line either", "");
    check_plan("[[:^space:]]", "either", "");
    check_plan("\\P{Lu}", "line either", "");
    check_plan("\\p{Common}", "line either", "");
    check_plan("\\pC", "line either", "");
    check_plan("\\p{C}", "line either", "");
    check_plan("\\p{Cc}", "line either", "");
    check_plan("\\P{Cc}", "line either", "");
    check_plan("\\pL", "either", "");
    check_plan("\\PL", "line either", "");
    check_plan("\\p{Zs}", "either", "");
    check_plan("\\p{Zyyy}", "line either", "");
    check_plan("\\p{Latin}", "line either", "");
}

void test_regex_plan__a_plan_says_when_it_does_not_know(void) {
    static const char *const strange[] = {
        "(?x)a b", "(?R)?",  "a(?1)?(b)", "(?(?=a)b|c)", "\\R",    "\\X",        "a(*ACCEPT)",
        "\\012",   "\\ca",   "(?#c)",     "a(?C1)",      "\\Ga",   "\\N{U+e9}",  "(a)\\g{1}",
        "a{,2}",   "a{ 2 }", "a{\t2}",    "a{2, }",      "a{,}",   "(?<*[)]>a)", "[[:<:]]a",
        "[[:[:]]", "(?r)a",  "(?aD)a",    "(?^)a",       "(?xx)a", "\\x{ 61 }",
    };
    for (size_t i = 0; i < sizeof strange / sizeof *strange; i++)
        check_plan(strange[i], "strange line utf repeats", "");
}
