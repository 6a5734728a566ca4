/* SPDX-License-Identifier: MIT */
#include "reply_scan.h"

#include "unity.h"

#include <stdlib.h>
#include <string.h>

#define DEEP 5

/* From memory of its own, so that the sanitizers notice a byte too many. */
static enum reply_form form_of_bytes(const char *text, size_t n) {
    char *copy = malloc(n ? n : 1);
    memcpy(copy, text, n);
    enum reply_form form = reply_scan(copy, n, DEEP);
    free(copy);
    return form;
}

static void has_form(enum reply_form form, const char *text) {
    TEST_ASSERT_EQUAL_MESSAGE(form, form_of_bytes(text, strlen(text)), text);
}

void test_reply_scan__replies(void) {
    has_form(REPLY_PLAIN, "()");
    has_form(REPLY_PLAIN,
             "(:paths (\"a\" \"d/\303\251.c\") :total 2 :truncated nil :text \"a\nb\n\")");
    has_form(REPLY_PLAIN, "(-12 :a-b t)  ");
    has_form(REPLY_PLAIN, "(\"a.c\" \"\\\"a\\\\377b\\\"\")");
    has_form(REPLY_PLAIN, "((((()))))");
}

void test_reply_scan__strings_that_may_be_no_path(void) {
    static const char *const texts[] = {
        "(\"\")",           "(\"a\nb\")",      "(\"~\")",
        "(\"..\")",         "(\"a/../b\")",    "(\"a\302\205b\")",
        "(\"a\177\")",      "(\"\001\")",      "(:text \"\n\" \"\n\")",
        "(:text (\"\n\"))", "(:texts \"\n\")", "(:text :a \"\n\")"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        has_form(REPLY_DATA, texts[i]);
    has_form(REPLY_PLAIN, "(\"a\302\240b\")");
    size_t n = 70000;
    char *text = malloc(n);
    memset(text, 'a', n);
    memcpy(text, "(\"", 2);
    memcpy(text + n - 2, "\")", 2);
    TEST_ASSERT_EQUAL(REPLY_DATA, form_of_bytes(text, n));
    free(text);
}

void test_reply_scan__no_replies(void) {
    static const char *const texts[] = {
        "",      "a",      "\"a\"",    " ()",    "(",    ")",       "(()",          "(\"a)",
        "(#)",   "(?a)",   "('a)",     "(`a)",   "(,a)", "(a . b)", "(;\n)",        "([1])",
        "(1.5)", "(A)",    "(a_b)",    "(\t)",   "(\n)", "(a\\ b)", "(((((())))))", "(\"a\\\")",
        "(é)",   "(\"a\\", "(#1=(a))", "(#.(f))"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        has_form(REPLY_NONE, texts[i]);
    TEST_ASSERT_EQUAL(REPLY_NONE, form_of_bytes("(a\0b)", 5));
    size_t n = 30000;
    char *text = malloc(n);
    memset(text, '9', n);
    text[0] = '(';
    text[n - 1] = ')';
    TEST_ASSERT_EQUAL(REPLY_NONE, form_of_bytes(text, n));
    free(text);
}

void test_reply_scan__escapes_and_several(void) {
    static const char *const escapes[] = {"(\"\\^a\")", "(\"\\x41\")", "(\"\\n\")", "(\"a\\\n\")"};
    static const char *const several[] = {"())", "() ()", "()a", "() \"a\"", "() \n", "()\n"};
    for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++)
        has_form(REPLY_ESCAPE, escapes[i]);
    for (size_t i = 0; i < sizeof several / sizeof *several; i++)
        has_form(REPLY_SEVERAL, several[i]);
}

/* A reply that is cut off, or changed into something that a reader obeys, is noticed. */
void test_reply_scan__each_beginning(void) {
    static const char reply[] = "(:paths (\"a b\" \"\\\"q\\\\\\\"\") :total 2 :text \"x\ny\")";
    const size_t n = sizeof reply - 1;
    TEST_ASSERT_EQUAL(REPLY_PLAIN, form_of_bytes(reply, n));
    for (size_t i = 0; i < n; i++)
        TEST_ASSERT_EQUAL(REPLY_NONE, form_of_bytes(reply, i));
}
