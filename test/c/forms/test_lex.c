/* SPDX-License-Identifier: MIT */
#include "lex.h"
#include "sample.h"
#include "support.h"

#include <string.h>
#include <unity.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

void setUp(void) {
}
void tearDown(void) {
}

static const char *const pieces[] = {
    "(",     ")",   "[",  "]",   "{",    "}",        "\"",   "\\",  "|",   ";",  "\n",
    "?",     "'",   "`",  ",",   ",@",   ".",        " ",    "a",   "12",  "#",  "#|",
    "|#",    "#\\", "#'", "#(",  "#+",   "#;",       "#_",   "#!",  "!#",  "~",  "#<<E\n",
    "\nE\n", "^",   "@",  "?\\", "\\C-", "\xC2\xA0", "\xC2", "foo", "#1=", "#.", "\t",
};

static bool is_structure(const struct token *token) {
    return token->kind == TOKEN_OPEN || token->kind == TOKEN_CLOSE || token->kind == TOKEN_BROKEN ||
           token->kind == TOKEN_END;
}

static void check_same_structure(enum dialect dialect, const char *text, size_t n) {
    struct lexer all, inside;
    struct token expected, got;
    lex_begin(&all, dialect, text, n);
    lex_begin(&inside, dialect, text, n);
    do {
        do
            lex_next(&all, &expected);
        while (!is_structure(&expected));
        lex_next_inside(&inside, &got);
        TEST_ASSERT_EQUAL_INT_MESSAGE(expected.kind, got.kind, text);
        TEST_ASSERT_EQUAL_UINT64_MESSAGE(expected.start, got.start, text);
        TEST_ASSERT_EQUAL_UINT64_MESSAGE(expected.end, got.end, text);
        TEST_ASSERT_EQUAL_PTR_MESSAGE(expected.broken, got.broken, text);
    } while (got.kind != TOKEN_END && got.kind != TOKEN_BROKEN);
    TEST_ASSERT_EQUAL_PTR_MESSAGE(all.unsure, inside.unsure, text);
    TEST_ASSERT_EQUAL_UINT64_MESSAGE(all.unsure_at, inside.unsure_at, text);
}

/* Skipping what is no parenthesis finds the same ones as reading every token. */
void test_lex__inside_as_every_token(void) {
    uint64_t state = 19;
    char text[65];
    for (int i = 0; i < 50000; i++) {
        size_t n = sample_text(&state, pieces, COUNT(pieces), text, sizeof text - 1);
        text[n] = '\0';
        for (int dialect = 1; dialect < DIALECT_COUNT; dialect++)
            check_same_structure((enum dialect)dialect, text, n);
    }
}

/* A comment may stand before a parenthesis, and be all that is before it. */
void test_lex__inside_behind_comments(void) {
    static const char text[] = "a #| ( |# ) ; (\n) b\\( |(| #\\( \")\" ]";
    check_same_structure(DIALECT_COMMON_LISP, text, sizeof text - 1);
    check_same_structure(DIALECT_SCHEME, text, sizeof text - 1);
}

/* An escaped quote does not end a string, however many backslashes are before it. */
void test_lex__quotes_behind_backslashes(void) {
    struct lexer lx;
    struct token token;
    static const char *const strings[] = {"\"a\\\"b\"", "\"a\\\\\"", "\"\\\\\\\"\"", "\"\""};
    for (size_t i = 0; i < COUNT(strings); i++) {
        lex_begin(&lx, DIALECT_EMACS_LISP, strings[i], strlen(strings[i]));
        lex_next(&lx, &token);
        TEST_ASSERT_EQUAL_INT(TOKEN_STRING, token.kind);
        TEST_ASSERT_EQUAL_UINT64(strlen(strings[i]), token.end);
    }
}
