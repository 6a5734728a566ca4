/* Tests the edit that is offered where old_str nearly is at one place.
 *
 * SPDX-License-Identifier: MIT
 */
#include "correction.h"

#include "unity.h"

#include <string.h>

static struct text_ref ref(const char *s) {
    return (struct text_ref){s, strlen(s)};
}

/* EXPECTED is the whole text with the correction made; NULL where there must be none. */
static void check_correction(const char *expected, const char *text, const char *old_str,
                             const char *new_str) {
    const struct edit edit = {.old_str = ref(old_str), .new_str = ref(new_str)};
    struct correction c;
    TEST_ASSERT_EQUAL_MESSAGE(expected ? AQFS_OK : AQFS_NO_MATCH,
                              correction_find(ref(text), &edit, &c), old_str);
    if (expected) {
        struct buf all = {0};
        buf_add(&all, text, c.place.at);
        buf_add(&all, c.text.data, c.text.len);
        buf_str(&all, text + c.place.at + c.place.len);
        TEST_ASSERT_EQUAL_STRING(expected, all.data);
        buf_free(&all);
    }
    correction_free(&c);
}

void test_correction__shifted_indentation(void) {
    check_correction("{\n\t\tif (a) {\n\t\t\tc();\n\t\t\td();\n\t\t}\n}\n",
                     "{\n\t\tif (a) {\n\t\t\tb();\n\t\t}\n}\n", "\tif (a) {\n\t\tb();\n\t}\n",
                     "\tif (a) {\n\t\tc();\n\t\td();\n\t}\n");
    check_correction("  x\n  y\n", "  x\n", "    x\n", "    x\n    y\n");
    check_correction("    a\n      c\n", "    a\n      b\n", "a\n  b", "a\n  c");
    check_correction("    a\n\n      c\n", "    a\n\n      b\n", "  a\n\n    b\n",
                     "  a\n\n    c\n");
    check_correction("    a\n", "    a\n    b\n", "  a\n  b\n", "  a\n");
    check_correction("x\n", "x\n    b\n", "  b\n", "");
}

void test_correction__a_first_line_without_its_indentation(void) {
    check_correction("f(\n        g(2),\n    h)\n", "f(\n        g(1),\n    h)\n",
                     "f(\n      g(1),\n  h)", "f(\n      g(2),\n  h)");
    check_correction("  if a:\n    c\n", "  if a:\n    b\n", "if a:\n  b\n", "if a:\n  c\n");
    check_correction("x = if a:\n    c\n", "x = if a:\n    b\n", "if a:\n  b\n", "if a:\n  c\n");
}

void test_correction__tabs_against_spaces(void) {
    check_correction("\ta\n\t\tc\n", "\ta\n\t\tb\n", "    a\n        b\n", "    a\n        c\n");
    check_correction("\ta\n\t\tc\n", "\ta\n\t\tb\n", "  a\n    b\n", "  a\n    c\n");
    check_correction("    a\n        c\n", "    a\n        b\n", "\ta\n\t\tb\n", "\ta\n\t\tc\n");
    check_correction("f\n\tc\n", "f\n\tb\n", "f\n        b\n", "f\n        c\n");
}

void test_correction__white_space_at_the_end_of_lines(void) {
    check_correction("a  \nc\n", "a  \nb\n", "a\nb\n", "a\nc\n");
    check_correction("a\nc\n", "a\nb\n", "a  \nb", "a  \nc");
}

void test_correction__line_endings(void) {
    check_correction("a\r\nc\r\n", "a\r\nb\r\n", "a\nb\n", "a\nc\n");
    check_correction("a\nc\n", "a\nb\n", "a\r\nb\r\n", "a\r\nc\r\n");
}

void test_correction__a_newline_that_the_file_does_not_end_in(void) {
    check_correction("a\nc", "a\nb", "a\nb\n", "a\nc\n");
    check_correction("a\nb\nc", "a\nb", "b\n", "b\nc\n");
    check_correction("a", "a\nb", "a\nb\n", "a\n");
}

void test_correction__quotes_that_look_alike(void) {
    check_correction("say \u201cone\u201d\nc\n", "say \u201cone\u201d\nb\n", "say \"one\"\nb\n",
                     "say \"one\"\nc\n");
    check_correction("it\u2019s\nc\n", "it\u2019s\nb\n", "it's\nb\n", "it's\nc\n");
    /* Which quotes the new line should have is not known. */
    check_correction(NULL, "say \u201cone\u201d\n", "say \"one\"\n", "say \"two\"\n");
}

void test_correction__white_space_within_lines(void) {
    check_correction("a:  1, // x\nd\n", "a:  1, // x\nb\n", "a: 1,  // x\nb\n",
                     "a: 1,  // x\nd\n");
    check_correction("\ta:  1\n\td\n", "\ta:  1\n\tb\n", "a: 1\nb\n", "a: 1\nd\n");
    check_correction("a\u00A0b\nd\n", "a\u00A0b\nc\n", "a b\nc\n", "a b\nd\n");
    check_correction("f(a,\tb);\nd", "f(a,\tb);\nc", "f(a, b);\nc", "f(a, b);\nd");
    /* A place that has them as they are goes before. */
    check_correction("  a b\n  c\na  b\nd\n", "  a b\n  d\na  b\nd\n", "    a b\n    d\n",
                     "    a b\n    c\n");
    check_correction(NULL, "a  b\nd\na   b\nd\n", "a b\nd\n", "a b\nc\n");
    /* Which columns the new line should have is not known, or space is not there. */
    check_correction(NULL, "a:  1\n", "a: 1\n", "a: 2\n");
    check_correction(NULL, "a: 1\nd\n", "a:1\nd\n", "a:1\nc\n");
}

void test_correction__none_where_two_places_qualify(void) {
    check_correction(NULL, "  a\n\ta\n", "    a\n", "    b\n");
    check_correction(NULL, "  a\n  a\n", "    a\n", "    b\n");
}

void test_correction__none_where_the_layout_is_not_certain(void) {
    check_correction(NULL, "  a\n     b\n", "    a\n      b\n",
                     "    a\n      c\n");                      /* two shifts */
    check_correction(NULL, "  a\n", "    a\n", "    b\n c\n"); /* c would begin before its line */
    check_correction(NULL, "maxim\n", "  max\n", "  min\n");
    check_correction(NULL, "say \u201cx\u201d \n", "say \"x\"", "one\ntwo");
    check_correction(NULL, "\ta b\n", "  a  b\n", "  c\n"); /* white space within a line */
    check_correction(NULL, "a\nb\n", "c\n", "d\n");
    check_correction(NULL, "a\n", " \n", "d\n");
    check_correction(NULL, "", "a\n", "d\n");
    check_correction(NULL, "  b\n", "    a\n", "    b\n");
}

void test_correction__none_that_changes_nothing(void) {
    check_correction(NULL, "a  \nb\n", "a\nb\n", "a  \nb\n");
    check_correction(NULL, "  b\n", "    b\n", "  b\n"); /* it is made already */
}

void test_correction__numbers_before_lines(void) {
    check_correction("one\nthree\n", "one\ntwo2\n", "2\ttwo2\n", "2\tthree\n");
    check_correction("a = 1\nb = 3\n", "a = 1\nb = 2\n", "   1\u2192a = 1\n   2\u2192b = 2",
                     "   1\u2192a = 1\n   2\u2192b = 3");
    check_correction("alpha\n  new\ngamma\n", "alpha\n  beta\ngamma\n", " 1: alpha\n 2:   beta\n",
                     "alpha\n  new\n");
    /* The layout differs, too. */
    check_correction("\tthree\n", "\ttwo2\n", "7|    two2\n", "7|    three\n");
    /* Some lines of new_str have numbers, which may be meant. */
    check_correction(NULL, "one1\n", "1: one1\n", "1: one1\ntwo\n");
    check_correction(NULL, "one1\none1\n", "1: one1", "1: two");
    check_correction(NULL, "one1\ntwo2\n", "1: one1\n3: two2", "1: a\n3: b");
}

void test_correction__escapes(void) {
    check_correction("say(\"two\")\n", "say(\"once\")\n", "say(\\\"once\\\")", "say(\\\"two\\\")");
    check_correction("alpha\ngamma\n", "alpha\nbeta\n", "alpha\\nbeta", "alpha\\ngamma");
    check_correction("if (abc > 2)\n", "if (abc < 2)\n", "abc &lt; 2", "abc > 2");
    check_correction("<b>bold</b>\n", "<i>bold</i>\n", "&lt;i&gt;bold&lt;/i&gt;",
                     "&lt;b&gt;bold&lt;/b&gt;");
    check_correction("f(\"a\\n\")\n", "f(\"abcd\\n\")\n", "f(\\\"abcd\\\\n\\\")",
                     "f(\\\"a\\\\n\\\")");
    /* The newline in new_str may be an escape in a string of C. */
    check_correction(NULL, "say(\"once\")\n", "say(\\\"once\\\")", "say(\\\"two\\n\\\")");
    check_correction(NULL, "a\nb\n", "a\\nb", "c\\nd"); /* too short to be certain */
    check_correction(NULL, "abcd\nefgh\nabcd\nefgh\n", "abcd\\nefgh", "abcd\\nijkl");
}

void test_correction__escaped_characters(void) {
    check_correction("it\u2019s one\nit\u2019s three\n", "it\u2019s one\nit\u2019s two\n",
                     "it\\u2019s two", "it\\u2019s three");
    check_correction("say \U0001F600 bye\n", "say \U0001F600 hello\n", "say \\ud83d\\ude00 hello",
                     "say \\ud83d\\ude00 bye");
    /* Half of a character, and no number at all. */
    check_correction(NULL, "say \U0001F600 hello\n", "say \\ud83d hello", "say \\ud83d bye");
    check_correction(NULL, "say hello\n", "say \\u00zz hello", "say \\u00zz bye");
    check_correction(NULL, "say hello\n", "say \\u00", "say");
}

void test_correction__marks_of_a_diff(void) {
    check_correction("alpha\n\tnew\n\tgamma\n", "alpha\n\tbeta\n\tgamma\n",
                     " alpha\n-\tbeta\n \tgamma\n", " alpha\n+\tnew\n \tgamma\n");
    check_correction("one1\ntwo2\n", "one\ntwo\n", "-one\n-two", "+one1\n+two2");
    check_correction("alpha\n\nnew\n", "alpha\n\nbeta\n", " alpha\n\n-beta", " alpha\n\n+new");
    /* Items of a list, which are so in the text; marks in one text alone; no change marked. */
    check_correction(NULL, "one\ntwo\n", "- one\n- two", "- one1\n- two2");
    check_correction(NULL, "alpha\nbeta\n", "-alpha\n-beta", "gamma\ndelta");
    check_correction(NULL, "alpha\nalpha\n", "-alpha", "+beta");
}

void test_correction__half_made(void) {
    check_correction("one\n2\nthree\n4\n", "one\n2\nthree\nfour\n", "one\ntwo\nthree\nfour\n",
                     "one\n2\nthree\n4\n");
    check_correction("f() {\n\tp();\n\tt := []struct { // c\n",
                     "f() {\n\tp();\n\tt := []struct {\n", "f() { // c\n\tp();\n\tt := []struct {",
                     "f() {\n\tp();\n\tt := []struct { // c");
    /* All is made, at another place, or twice; or nothing of it is. */
    check_correction(NULL, "one\n2\nthree\n4\n", "one\ntwo\nthree\nfour\n", "one\n2\nthree\n4\n");
    check_correction(NULL, "one\n2\nthree\n4\none\n2\nthree\nfour\n", "one\ntwo\nthree\nfour\n",
                     "one\n2\nthree\n4\n");
    check_correction(NULL, "one\n2\nthree\nfour\none\n2\nthree\nfour\n", "one\ntwo\nthree\nfour\n",
                     "one\n2\nthree\n4\n");
    check_correction(NULL, "one\n2\nthree\nfour\none\ntwo\nthree\n4\n", "one\ntwo\nthree\nfour\n",
                     "one\n2\nthree\n4\n");
    /* Nothing shows that the first line was deleted, and not a line behind it added. */
    check_correction(NULL, "zero\nnew\none\ntwo\n", "zero\none\ntwo\n", "one\n2\n");
    check_correction("one\nthree\n4\n", "one\nthree\nfour\n", "one\ntwo\nthree\nfour\n",
                     "one\nthree\n4\n");
    check_correction(NULL, "one\nII\nthree\nfour\n", "one\ntwo\nthree\nfour\n",
                     "one\n2\nthree\n4\n");
}

#define CODE "int first(void);\nint second(void);\nint third(void);\nint fourth(void);\n"

void test_correction__comments_that_are_repeated(void) {
    /* before the code, behind it, and inside */
    check_correction("x\n// tells the first of all\n" CODE "new\n",
                     "x\n// tells the first of all\n" CODE, "// tells what is first of all\n" CODE,
                     "// tells what is first of all\n" CODE "new\n");
    check_correction(CODE "new\n// the end of it\ny\n", CODE "// the end of it\ny\n",
                     CODE "// the end of all", CODE "new\n// the end of all");
    check_correction("int zero;\n// of code\n" CODE "int b;",
                     "int zero;\n// of code\n" CODE "int a;", "int zero;\n" CODE "int a;",
                     "int zero;\n" CODE "int b;");
    check_correction("int zero;\n" CODE "int b;\n", "int zero;\n" CODE "int a;\n",
                     "int zero;\n\n# one\n" CODE "int a;\n",
                     "int zero;\n\n# one\n" CODE "int b;\n");
    check_correction("int zero;\n\n\n" CODE "int b;\n", "int zero;\n\n\n" CODE "int a;\n",
                     "int zero;\n\n" CODE "int a;\n", "int zero;\n\n" CODE "int b;\n");
    check_correction("; one\n" CODE "(b)", "; one\n" CODE "(a)", "; two\n" CODE "(a)",
                     "; two\n" CODE "(b)");
}

void test_correction__comments_that_are_not_certain(void) {
    const char *const text = "// the first of all\n" CODE "int a;\n";
    /* The edit changes it, or stands beside a comment that is another one. */
    check_correction(NULL, text, "// the first of it\n" CODE, "// mine\n" CODE);
    check_correction(NULL, text, "// one\n" CODE, "// one\nnew\n" CODE);
    check_correction(NULL, "int zero;\n// of code\n" CODE, "int zero;\n" CODE,
                     "int zero;\nnew\n" CODE);
    check_correction(NULL, "int zero;\n// of code\n" CODE, "int zero;\n" CODE, CODE);
    /* It is no comment; too little is the same; it is at two places, or the comment is elsewhere.
     */
    check_correction(NULL, "int zeroes;\n" CODE "int a;\n", "int zero;\n" CODE "int a;\n",
                     "int zero;\n" CODE "int b;\n");
    check_correction(NULL, "## Task 1\n" CODE "int a;\n", "## Task 2\n" CODE "int a;\n",
                     "## Task 2\n" CODE "int b;\n");
    check_correction(NULL, "// one\nint first;\n}\n}\n}\n", "// two\nint first;\n}\n}\n}\n",
                     "// two\nint first;\n}\n}\n}\nint b;\n");
    check_correction(NULL, "// one\n" CODE "// one\n" CODE, "// two\n" CODE,
                     "// two\n" CODE "int b;\n");
    check_correction(NULL, "// two\nint x;\n// one\n" CODE, "// two\n" CODE,
                     "// two\n" CODE "int b;\n");
}

#define MORE "int fifth(void);\nint sixth(void);\n"

void test_correction__comments_that_are_changed(void) {
    const char *const text = "// the first of all\n" CODE MORE "int a;\n";
    check_correction("// mine\n" CODE MORE "int a;\n", text, "// the first of it\n" CODE MORE,
                     "// mine\n" CODE MORE);
    /* A function goes with its comment, however many lines that has. */
    check_correction("int x;\n\nint y;\n",
                     "int x;\n\n// tells what is first\nf() {\n" CODE MORE "}\n\nint y;\n",
                     "// tells what the first is,\n// or is not\nf() {\n" CODE MORE "}\n\n", "");
    /* It says something else, or the edit moves it. */
    check_correction(NULL, text, "// nothing alike\n" CODE MORE, "// mine\n" CODE MORE);
    check_correction(NULL, text, "// the first of it\n" CODE MORE "int a;",
                     CODE MORE "// the first of it\nint b;");
}

void test_correction__words_of_a_line(void) {
    check_correction(CODE MORE "call(one, other, three, four);\n",
                     CODE MORE "call(one, other, three);\n", CODE MORE "call(one, two, three);",
                     CODE MORE "call(one, two, three, four);");
    check_correction(
        "call(one, other);\n" CODE MORE "int b;\n", "call(one, other);\n" CODE MORE "int a;\n",
        "call(one, two);\n" CODE MORE "int a;\n", "call(one, two);\n" CODE MORE "int b;\n");
    check_correction("say \u201cone\u201d and two\n", "say \u201cone\u201d and go\n",
                     "say \"one\" and go\n", "say \"one\" and two\n");
    /* Both change the same words, or neighbouring ones; or several lines differ. */
    check_correction(NULL, CODE MORE "call(one, other, three);\n",
                     CODE MORE "call(one, two, three);", CODE MORE "call(one, second, three);");
    check_correction(NULL, "call(one, other);\ncall(two, other);\n" CODE MORE "int a;\n",
                     "call(one, two);\ncall(two, two);\n" CODE MORE "int a;\n",
                     "call(one, two);\ncall(two, two);\n" CODE MORE "int b;\n");
    /* The line is at another place, where the edit may be meant. */
    check_correction(NULL, "call(one, other);\n" CODE MORE "int a;\ncall(one, two);\n",
                     "call(one, two);\n" CODE MORE "int a;\n",
                     "call(one, two);\n" CODE MORE "int b;\n");
}

void test_correction__blank_lines(void) {
    check_correction("int first;\n\nint second;\nint c;\n", "int first;\n\nint second;\nint b;\n",
                     "int first;\nint second;\nint b;\n", "int first;\nint second;\nint c;\n");
    check_correction("int first;\nint second;\nint c;\n", "int first;\nint second;\nint b;\n",
                     "\nint first;\n\nint second;\nint b;\n",
                     "\nint first;\n\nint second;\nint c;\n");
    check_correction("int first;\nint third;\n", "int first;\nint second;\n",
                     "int first;\nint second;\n\n", "int first;\nint third;\n\n");
}

void test_correction__each_hunk_has_its_own_indentation(void) {
    check_correction("f() {\n\t\tif (alpha) {\n\t\t\tbeta(2);\n\t\t}\n}\n\ng() {\n}\n",
                     "f() {\n\t\tif (alpha) {\n\t\t\tbeta(1);\n\t\t}\n}\n",
                     "\tif (alpha) {\n\t\tbeta(1);\n\t}\n}\n",
                     "\tif (alpha) {\n\t\tbeta(2);\n\t}\n}\n\ng() {\n}\n");
    /* The lines beside what is new do not agree. */
    check_correction(NULL, "  alpha();\n     beta();\n", "    alpha();\n      beta();\n",
                     "    alpha();\n    new();\n      beta();\n");
}

void test_correction__half_made_and_indented(void) {
    check_correction("\tif (alpha) {\n\t\tone();\n\t} else if (beta) {\n\t\ttwo();\n\t}\n",
                     "\tif (alpha) {\n\t\tone();\n\t} else if (beta) {\n\t\t\ttwo();\n\t\t}\n\t}\n",
                     "if (alpha) {\n\tone();\n} else {\n\tif (beta) {\n\t\ttwo();\n\t}\n}\n",
                     "if (alpha) {\n\tone();\n} else if (beta) {\n\ttwo();\n}\n");
    /* All of it is made, and what the edit adds stands there in another order. */
    check_correction(NULL, "// two\nif (beta) {\n\tif (alpha) {\n\t\tone();\n\t}\n}\n",
                     "// one\nif (alpha) {\n\tone();\n}\n",
                     "// two\nif (beta) {\n\tif (alpha) {\n\t\tone();\n\t}\n}\n");
    check_correction(NULL, "// at most\nalpha(1);\n}\nbeta(2);\n}\n", "// most\nalpha(1);\n}\n",
                     "// at most\nalpha(1);\n}\nbeta(2);\n}\n");
    /* Where the edit moves the lines they are already. */
    check_correction(NULL, "if (alpha) {\n\n\tone();\n}\n", "\tif (alpha) {\n\t\tone();\n\t}\n",
                     "if (alpha) {\n\tone();\n}\n");
}

void test_correction__a_place_that_is_hardly_better(void) {
    check_correction(NULL, "// the one\n" CODE "// the other\n" CODE,
                     "// the best one\n" CODE "int a;", "// the best one\n" CODE "int b;");
    check_correction(NULL, "// the one\n" CODE "int a;\n// the other one\n" CODE "int a;\n",
                     "// the best one\n" CODE "int a;", "// the best one\n" CODE "int b;");
}

void test_correction__endings_where_a_line_differs(void) {
    check_correction(
        "// a comment\r\nint first;\r\nint second;\r\nint third;\r\nint last;\r\nnew;\r\n",
        "// a comment\r\nint first;\r\nint second;\r\nint third;\r\nint last;\r\n",
        "// a remark\nint first;\nint second;\nint third;\nint last;\n",
        "// a remark\nint first;\nint second;\nint third;\nint last;\nnew;\n");
    check_correction("// a comment\n" CODE "int b;", "// a comment\n" CODE "int a;",
                     "// a remark\n" CODE "int a;\n", "// a remark\n" CODE "int b;\n");
}
