/* SPDX-License-Identifier: MIT */
#include "dialect.h"

#include <string.h>
#include <unity.h>

void setUp(void) {
}
void tearDown(void) {
}

static enum dialect of(const char *path, const char *text) {
    return dialect_of(path, strlen(path), text, strlen(text));
}

void test_dialect__by_ending(void) {
    TEST_ASSERT_EQUAL(DIALECT_COMMON_LISP, of("a.b/x.lisp", ""));
    TEST_ASSERT_EQUAL(DIALECT_COMMON_LISP, of("X.ASD", ""));
    TEST_ASSERT_EQUAL(DIALECT_EMACS_LISP, of("x.y.el", ""));
    TEST_ASSERT_EQUAL(DIALECT_SCHEME, of("x.scm", "(a)"));
    TEST_ASSERT_EQUAL(DIALECT_CLOJURE, of("x.cljc", "(a)"));
    TEST_ASSERT_EQUAL(DIALECT_NONE, of("a.lisp/x", ""));
    TEST_ASSERT_EQUAL(DIALECT_NONE, of("lisp", ""));
    TEST_ASSERT_EQUAL(DIALECT_NONE, of("x.c", "(a)"));
    TEST_ASSERT_EQUAL(DIALECT_NONE, of("", ""));
}

void test_dialect__by_mode_line(void) {
    TEST_ASSERT_EQUAL(DIALECT_COMMON_LISP, of("x", ";; -*- Lisp -*-\n"));
    TEST_ASSERT_EQUAL(DIALECT_SCHEME, of("x.el", "#!/bin/sh\n;; -*- a: b; Mode: Scheme; c: d -*-"));
    TEST_ASSERT_EQUAL(DIALECT_EMACS_LISP, of("x.el", ";; -*- lexical-binding: t; -*-"));
    TEST_ASSERT_EQUAL(DIALECT_NONE, of("x", "\n\n;; -*- lisp -*-\n"));
    TEST_ASSERT_EQUAL(DIALECT_NONE, of("x", "-*- lisp"));
}

void test_dialect__by_program(void) {
    TEST_ASSERT_EQUAL(DIALECT_SCHEME, of("x", "#!/usr/bin/env guile\n"));
    TEST_ASSERT_EQUAL(DIALECT_COMMON_LISP, of("x", "#!/usr/bin/sbcl --script\n"));
    TEST_ASSERT_EQUAL(DIALECT_NONE, of("x", "#!/bin/sh\n"));
}

void test_dialect__by_word(void) {
    TEST_ASSERT_EQUAL(DIALECT_CLOJURE, dialect_by_word("clojure", 7));
    TEST_ASSERT_EQUAL(DIALECT_NONE, dialect_by_word("cloj", 4));
    for (int i = DIALECT_COMMON_LISP; i < DIALECT_COUNT; i++) {
        const char *word = dialect_word((enum dialect)i);
        TEST_ASSERT_EQUAL(i, dialect_by_word(word, strlen(word)));
    }
}
