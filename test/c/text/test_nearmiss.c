/* SPDX-License-Identifier: MIT */
#include "nearmiss.h"

#include "error.h"
#include "lines.h"
#include "sample.h"
#include "unity.h"
#include "utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct text_ref ref(const char *s) {
    return (struct text_ref){s, strlen(s)};
}

static struct nearmiss near;

void tearDown(void) {
    nearmiss_free(&near);
}

static void look(const char *text, const char *old_str, const char *new_str) {
    nearmiss_free(&near);
    TEST_ASSERT_TRUE(nearmiss_find(ref(text), ref(old_str), ref(new_str), &near));
    TEST_ASSERT_TRUE(utf8_is_valid(near.words.data, near.words.len));
}

static const char *const file = "int add(int a, int b)\n"
                                "{\n"
                                "\tint sum = a + b; /* the \u201Csum\u201D */\n"
                                "\treturn sum;\n"
                                "}\n"
                                "\n"
                                "int subtract(int a, int b)\n"
                                "{\n"
                                "\tlog(\"subtracting\");\n"
                                "\treturn a - b;\n"
                                "}\n";

static void check(size_t first, size_t last, size_t line, unsigned kinds, const char *old_str) {
    look(file, old_str, "something else");
    const char *words = near.words.data;
    TEST_ASSERT_EQUAL_UINT64_MESSAGE(first, near.first, words);
    TEST_ASSERT_EQUAL_UINT64_MESSAGE(last, near.last, words);
    TEST_ASSERT_EQUAL_UINT64_MESSAGE(line, near.line, words);
    TEST_ASSERT_EQUAL_HEX32_MESSAGE(kinds, near.kinds, words);
    TEST_ASSERT_EQUAL_UINT64_MESSAGE(0, near.applied, words);
}

void test_nearmiss__white_space_is_told_by_kind(void) {
    check(4, 4, 4, NEAR_TABS, "    return sum;\n");
    check(10, 11, 10, NEAR_TABS, "        return a - b;\n}\n");
    check(4, 4, 4, NEAR_INDENTATION, "\t\treturn sum;\n");
    check(1, 2, 1, NEAR_TRAILING, "int add(int a, int b)  \n{\n");
    check(1, 1, 1, NEAR_SPACES, "int add(int a,int b)");
    check(3, 3, 3, NEAR_SPACES, "sum = a  + b;");
    check(4, 5, 4, NEAR_ENDINGS, "return sum;\r\n}\r\n");
    check(4, 4, 4, NEAR_UNICODE_SPACES, "return\u00A0sum;");
    check(4, 4, 4, NEAR_INVISIBLE, "return\u200B sum;");
    check(1, 2, 1, NEAR_BREAKS, "int add(int a, int b) {\n");
    check(5, 7, 7, NEAR_BREAKS, "}\n\n\nint subtract(");
}

void test_nearmiss__letters_are_told_by_kind(void) {
    check(4, 4, 4, NEAR_CASE, "Return sum;");
    check(3, 3, 3, NEAR_LOOKALIKES, "the \"sum\" */");
    check(4, 4, 4, NEAR_LOOKALIKES, "r\u00E9turn sum;");
    check(3, 3, 3, NEAR_TABS | NEAR_LOOKALIKES | NEAR_CASE,
          "    int SUM = a + b; /* the \"sum\" */\n");
}

void test_nearmiss__other_words_and_lines_are_told_by_kind(void) {
    check(10, 10, 10, NEAR_WORDS, "\treturn a - bee;\n");
    check(7, 9, 9, NEAR_WORDS, "int subtract(int a, int b)\n{\n\tlog(\"we are subtracting\");\n");
    check(7, 11, 9, NEAR_LACKING, "int subtract(int a, int b)\n{\n\treturn a - b;\n}\n");
    check(7, 10, 9, NEAR_EXTRA,
          "int subtract(int a, int b)\n{\n\tint unheard_of;\n\tlog(\"subtracting\");\n\treturn a - "
          "b;\n");
    check(3, 4, 4, NEAR_LINE, "\tint sum = a + b; /* the \u201Csum\u201D */\n\texit(0);\n");
}

void test_nearmiss__what_a_reader_added_is_told(void) {
    check(4, 5, 4, NEAR_NUMBERS, "     4\t\treturn sum;\n     5\t}\n");
    TEST_ASSERT_EQUAL_STRING("old_str does not occur in the file. Nearest to it: lines 4-5. It "
                             "differs in the line numbers that old_str has in front of its lines\n"
                             "line 4 is: \"\\treturn sum;\"",
                             near.words.data);
    check(4, 5, 4, NEAR_NUMBERS, "4: \treturn sum;\n5: }");
    check(4, 5, 4, NEAR_NUMBERS | NEAR_TABS, "     4\t    return sum;\n     5\t}\n");
    check(9, 9, 9, NEAR_ESCAPES, "log(\\\"subtracting\\\");");
    check(4, 5, 4, NEAR_ESCAPES, "\\treturn sum;\\n}\\n");
}

void test_nearmiss__every_mark_behind_a_number_is_known(void) {
    static const char *const marks[] = {"\t", "\u2192", "| ", "|", ": ", ":"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        char old_str[80];
        (void)snprintf(old_str, sizeof old_str, "4%s\treturn sum;\n5%s}\n", marks[i], marks[i]);
        check(4, 5, 4, NEAR_NUMBERS, old_str);
    }
}

void test_nearmiss__every_escape_is_known(void) {
    static const char *const escapes[][2] = {
        {"\\n", "\n"},   {"\\t", "\t"},  {"\\\"", "\""}, {"\\'", "'"},
        {"\\\\", "\\"},  {"&lt;", "<"},  {"&gt;", ">"},  {"&quot;", "\""},
        {"&apos;", "'"}, {"&#39;", "'"}, {"&amp;", "&"},
    };
    for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++) {
        char text[80], old_str[80];
        (void)snprintf(text, sizeof text, "one\nif (a %s b) {\n", escapes[i][1]);
        (void)snprintf(old_str, sizeof old_str, "if (a %s b) {", escapes[i][0]);
        look(text, old_str, "x");
        TEST_ASSERT_EQUAL_HEX32_MESSAGE(NEAR_ESCAPES, near.kinds, old_str);
    }
}

/* The last line of old_str may be the beginning of a line, however the lines before it differ. */
void test_nearmiss__the_end_may_lie_within_a_line(void) {
    check(1, 4, 3, NEAR_LACKING, "int add(int a, int b)\n{\n\treturn su");
    /* Those before it are whole. */
    check(1, 3, 1, NEAR_WORDS, "int add(int a\n{\n\tint sum");
}

void test_nearmiss__nothing_is_like_it(void) {
    check(0, 0, 0, 0, "zzzz qqqq wwww");
    TEST_ASSERT_EQUAL_STRING("old_str does not occur in the file, and nothing like it",
                             near.words.data);
    check(0, 0, 0, 0, "~");
    check(0, 0, 0, 0, "\t\t\t\t\t");
    TEST_ASSERT_EQUAL_STRING("old_str does not occur in the file; it is white space only",
                             near.words.data);
    look("", "a", "b");
    TEST_ASSERT_EQUAL_UINT64(0, near.first);
    nearmiss_free(&near);
    TEST_ASSERT_TRUE(nearmiss_find((struct text_ref){NULL, 0}, ref("a"), ref("b"), &near));
}

void test_nearmiss__what_is_there_already_is_told(void) {
    look(file, "\treturn a + b;\n", "\treturn a - b;\n");
    TEST_ASSERT_EQUAL_UINT64(10, near.applied);
    TEST_ASSERT_NOT_NULL(strstr(near.words.data, "new_str is there already, on line 10"));
    look(file, "int divide(int a", "int a"); /* occurs, but in more than one place */
    TEST_ASSERT_EQUAL_UINT64(1, near.first);
    TEST_ASSERT_EQUAL_UINT64(1, near.applied);
    look(file, "zzzz qqqq wwww", "int");
    TEST_ASSERT_EQUAL_UINT64(0, near.applied);
    look(file, "zzzz qqqq wwww", "");
    TEST_ASSERT_EQUAL_UINT64(0, near.applied);
}

void test_nearmiss__the_last_line_may_have_no_break(void) {
    struct error e;
    const char *hint = "the file does not end in a line break: leave out the one at the end of "
                       "old_str";
    TEST_ASSERT_EQUAL_INT(AQFS_NO_MATCH,
                          nearmiss_fail(ref("one\ntwo"), ref("two\n"), ref("2\n"), "", NULL, &e));
    TEST_ASSERT_EQUAL_STRING(hint, e.hint);
    TEST_ASSERT_EQUAL_INT(AQFS_NO_MATCH,
                          nearmiss_fail(ref("one\ntwo"), ref("one\ntwo\n"), ref(""), "", NULL, &e));
    TEST_ASSERT_EQUAL_STRING(hint, e.hint);
    TEST_ASSERT_EQUAL_INT(AQFS_NO_MATCH,
                          nearmiss_fail(ref("one\ntwo"), ref("\n\n"), ref(""), "", NULL, &e));
    TEST_ASSERT_NULL(strstr(e.hint, "line break"));
    TEST_ASSERT_EQUAL_INT(AQFS_NO_MATCH,
                          nearmiss_fail(ref("one\ntwo"), ref("tow\n"), ref(""), "", NULL, &e));
    TEST_ASSERT_NULL(strstr(e.hint, "line break"));
}

/* The hint would lead away from what is wrong with old_str. */
void test_nearmiss__what_is_short_is_there_by_chance(void) {
    look("first (x)\nsecond\n", "first  (x)", "d");
    TEST_ASSERT_EQUAL_UINT64(0, near.applied);
    TEST_ASSERT_EQUAL_UINT64(1, near.first);
    look("first (x)\nsecond\n", "first  (x)", "\tx\n");
    TEST_ASSERT_EQUAL_UINT64(0, near.applied);
    look("first (x)\nsecond\n", "first  (x)", "second");
    TEST_ASSERT_EQUAL_UINT64(0, near.applied);
    look("first (x)\nsecond (y)\n", "first  (x)", "second (y)");
    TEST_ASSERT_EQUAL_UINT64(2, near.applied);
}

void test_nearmiss__the_nearest_of_several_places_is_named(void) {
    look("FOO  (bar)\nfoo\t(bar)\n\nFoo (bar)\n", "foo (Bar)", "x");
    TEST_ASSERT_EQUAL_UINT64(2, near.line);
    look("x(1);\nX(1);\nX(1);\n", "x (1);", "x");
    TEST_ASSERT_EQUAL_UINT64(1, near.line);
    TEST_ASSERT_EQUAL_UINT64(1, near.places);
    look("X(1);\nX(1);\nX(1);\n", "x(1);", "x");
    TEST_ASSERT_EQUAL_UINT64(3, near.places);
    TEST_ASSERT_NOT_NULL(strstr(near.words.data, " (as near: line 2, 3). It differs"));
    look("X(1);\nX(1);\nX(1);\nX(1);\nX(1);\n", "x(1);", "x");
    TEST_ASSERT_NOT_NULL(strstr(near.words.data, " (as near: line 2, 3, 4 and others). It"));
}

void test_nearmiss__both_sides_are_shown_with_what_cannot_be_seen(void) {
    look("a\n\tif (x)\u00A0{\r\nb\r\n", "    if (x) {\r\n", "y");
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(near.words.data, "line 2 is: \"\\tif (x)\\u00a0{\\r\""),
                                 near.words.data);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(near.words.data, "old_str has: \"    if (x) {\\r\""),
                                 near.words.data);
}

void test_nearmiss__long_lines_are_shown_where_they_differ(void) {
    char text[5000], old_str[5000];
    memset(text, 'x', sizeof text);
    for (size_t i = 0; i < sizeof text; i += 7)
        text[i] = (char)('a' + i % 23);
    (void)snprintf(text + 4990, 10, "\u00A0end");
    (void)snprintf(old_str, sizeof old_str, "%.3000s end", text + 1990);
    look(text, old_str, "y");
    TEST_ASSERT_EQUAL_HEX32(NEAR_UNICODE_SPACES, near.kinds);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(near.words.data, "\\u00a0end\""), near.words.data);
    TEST_ASSERT_TRUE(near.words.len < 500);
}

/* The excerpt of a line: 120 bytes, of which 40 are before the difference. */
void test_nearmiss__an_excerpt_is_around_the_difference(void) {
    char text[1000], old_str[1000], wanted[200];
    (void)snprintf(text, sizeof text, "first();\nsecond(%0300d, here, %0300d);\n", 1, 2);
    (void)snprintf(old_str, sizeof old_str, "first(0);\nsecond(%0300d, gone by, %0300d);\n", 1, 2);
    look(text, old_str, "y");
    TEST_ASSERT_EQUAL_UINT64(1, near.line);
    memcpy(old_str, "first()", 7);
    memmove(old_str + 7, old_str + 8, strlen(old_str + 8) + 1);
    look(text, old_str, "y");
    TEST_ASSERT_EQUAL_UINT64(2, near.line);
    (void)snprintf(wanted, sizeof wanted, "line 2 is: \u2026\"%037d1, here, %070d\"\u2026\n", 0, 0);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(near.words.data, wanted), near.words.data);
}

/* Of a line this long only a part is compared, wherever it lies. */
void test_nearmiss__very_long_lines_may_stand_before_and_behind(void) {
    char text[20000], old_str[20000];
    (void)snprintf(text, sizeof text, "%06000d\nalpha(one, two);\n%06000d\n", 1, 2);
    (void)snprintf(old_str, sizeof old_str, "alpha(one, 2);\n%06000d\n", 2);
    look(text, old_str, "y");
    TEST_ASSERT_EQUAL_UINT64(2, near.first);
    (void)snprintf(old_str, sizeof old_str, "%06000d\nalpha(one, 2);\n", 1);
    look(text, old_str, "y");
    TEST_ASSERT_EQUAL_UINT64(2, near.last);
}

void test_nearmiss__the_error_holds_all_of_it(void) {
    struct error e;
    TEST_ASSERT_EQUAL(AQFS_NO_MATCH, nearmiss_fail(ref(file), ref("Return sum;"), ref("x"),
                                                   "edit 2 of 3: ", NULL, &e));
    TEST_ASSERT_EQUAL_STRING(
        "edit 2 of 3: old_str does not occur in the file. Nearest to it: line 4. "
        "It differs in upper and lower case\n"
        "line 4 is: \"\\treturn sum;\"\n"
        "old_str has: \"Return sum;\"",
        e.message);
    TEST_ASSERT_EQUAL_STRING("nothing was changed; copy old_str exactly from line 4", e.hint);
}

/* A text of N bytes that repeats LINE. */
static char *large_text(size_t n, const char *line) {
    char *text = malloc(n + 1);
    TEST_ASSERT_NOT_NULL(text);
    const size_t len = strlen(line);
    for (size_t at = 0; at < n; at++)
        text[at] = line[at % len];
    text[n] = '\0';
    return text;
}

void test_nearmiss__large_texts_that_repeat_themselves_take_no_time(void) {
    enum { N = 3 << 20 };
    static const char *const lines[] = {"a", "ab\n", "the same line\n", "\n", " \t \n", "\u00A0"};
    static const char *const olds[] = {
        "aaaaaaaaB",       "aB\nab\nab\n", "the Same line\nthe other line\n",
        "x\n\n\n\n\n\n\n", "\t\t\tx\n",    "a a"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char *text = large_text(N, lines[i]);
        for (size_t k = 0; k < sizeof olds / sizeof *olds; k++)
            look(text, olds[k], "x");
        free(text);
    }
}

void test_nearmiss__a_long_needle_is_found(void) {
    enum { LINES = 40000 };
    struct buf text = {0}, old = {0};
    for (int i = 0; i < LINES; i++) {
        buf_printf(&text, "line %d of many: %x\n", i, (unsigned)i * 2654435761U);
        if (i >= 10000 && i < 30000)
            buf_printf(&old, "line %d of many: %x\n", i == 10100 ? 7 : i,
                       (unsigned)i * 2654435761U);
    }
    look(text.data, old.data, "x");
    TEST_ASSERT_EQUAL_UINT64_MESSAGE(10001, near.first, near.words.data);
    TEST_ASSERT_EQUAL_UINT64(10101, near.line);
    buf_free(&text);
    buf_free(&old);
}

/* For random questions, the answer names existing lines in valid words. */
void test_nearmiss__any_bytes_will_do(void) {
    static const char *const pieces[] = {
        "word",     "Word",      " ",      "\n",      "\t",     "\r\n", "\u00A0",
        "\u2026",   "...",       "\u200B", "e\u0301", "\u00E9", "\"",   "'",
        "\u2019",   "-",         "\\n",    "&lt;",    "1\t",    "2: ",  "\xff",
        "\xE2\x80", "return x;", "{",      "}\n",
    };
    enum { PIECES = sizeof pieces / sizeof *pieces, MOST = 600 };
    char text[MOST], old[MOST];
    uint64_t state = 21;
    for (int round = 0; round < 4000; round++) {
        size_t n = sample_text(&state, pieces, PIECES, text, round % 2 ? MOST : 60);
        size_t m = sample_text(&state, pieces, PIECES, old, round % 3 ? 40 : MOST);
        if (round % 5 == 0 && n > 0) {
            m = 1 + sample_below(&state, (uint32_t)n);
            memcpy(old, text + n - m, m);
            old[sample_below(&state, (uint32_t)m)] = 'Z';
        }
        const struct text_ref t = {text, n}, o = {old, m};
        if (m == 0 || (m <= n && memmem(text, n, old, m)))
            continue;
        TEST_ASSERT_TRUE(nearmiss_find(t, o, ref("word"), &near));
        const size_t lines = lines_count(text, n) + 1;
        TEST_ASSERT_TRUE(near.first <= near.last && near.last <= lines);
        TEST_ASSERT_TRUE(near.first == 0 || (near.line >= 1 && near.line <= lines));
        TEST_ASSERT_TRUE(near.applied <= lines);
        TEST_ASSERT_TRUE(utf8_is_valid(near.words.data, near.words.len));
        TEST_ASSERT_TRUE(near.words.len < 1000);
        nearmiss_free(&near);
    }
}
