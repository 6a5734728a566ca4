/* SPDX-License-Identifier: MIT */
#include "rules.h"

#include "unity.h"

#include <stdio.h>
#include <string.h>

static struct rules rules;

void tearDown(void) {
    rules_free(&rules);
}

static void allow(const char *path) {
    TEST_ASSERT_TRUE(rules_add(&rules, path, strlen(path), false));
}

static void deny(const char *path) {
    TEST_ASSERT_TRUE(rules_add(&rules, path, strlen(path), true));
}

static bool denies(const char *path) {
    return rules_deny(&rules, path, strlen(path));
}

static bool denies_below(const char *path) {
    return rules_deny_below(&rules, path, strlen(path));
}

void test_rules__none_deny_nothing(void) {
    TEST_ASSERT_FALSE(denies("/p/a"));
    allow("/p");
    TEST_ASSERT_FALSE(rules.any_deny);
    TEST_ASSERT_FALSE(denies("/p/a"));
    TEST_ASSERT_FALSE(denies("/elsewhere"));
}

void test_rules__a_path_and_all_below_it(void) {
    deny("/p/secret");
    TEST_ASSERT_TRUE(rules.any_deny);
    TEST_ASSERT_TRUE(denies("/p/secret"));
    TEST_ASSERT_TRUE(denies("/p/secret/a/b/c"));
    TEST_ASSERT_FALSE(denies("/p"));
    TEST_ASSERT_FALSE(denies("/p/other"));
}

/* Threat 2. */
void test_rules__a_sibling_with_the_same_beginning(void) {
    deny("/p/src");
    TEST_ASSERT_FALSE(denies("/p/src2"));
    TEST_ASSERT_FALSE(denies("/p/src2/a"));
    TEST_ASSERT_FALSE(denies("/p/sr"));
    TEST_ASSERT_FALSE(denies("/p/src.c"));
    TEST_ASSERT_TRUE(denies("/p/src/c"));
}

/* Where the file system takes letters of either case for the same, and only there. */
void test_rules__letter_case(void) {
    deny("/p/Secret");
    TEST_ASSERT_FALSE(denies("/p/SECRET/a"));
    TEST_ASSERT_TRUE(denies_below("/p"));
    TEST_ASSERT_FALSE(denies_below("/P"));
    rules.rules[0].folds = true;
    TEST_ASSERT_TRUE(denies("/p/SECRET/a"));
    TEST_ASSERT_TRUE(denies_below("/P"));
    TEST_ASSERT_TRUE(denies_below(""));
    TEST_ASSERT_FALSE(denies_below("/P/Secr"));
    TEST_ASSERT_FALSE(denies_below("/P/Secret"));
}

/* Threat 80. */
void test_rules__the_deepest_decides(void) {
    allow("/p");
    deny("/p/a");
    allow("/p/a/b");
    deny("/p/a/b/c");
    TEST_ASSERT_FALSE(denies("/p/x"));
    TEST_ASSERT_TRUE(denies("/p/a"));
    TEST_ASSERT_TRUE(denies("/p/a/x"));
    TEST_ASSERT_FALSE(denies("/p/a/b"));
    TEST_ASSERT_FALSE(denies("/p/a/b/x"));
    TEST_ASSERT_TRUE(denies("/p/a/b/c"));
}

void test_rules__their_order_does_not_matter(void) {
    deny("/p/a/b/c");
    allow("/p/a/b");
    deny("/p/a");
    allow("/p");
    TEST_ASSERT_TRUE(denies("/p/a/x"));
    TEST_ASSERT_FALSE(denies("/p/a/b/x"));
    TEST_ASSERT_TRUE(denies("/p/a/b/c/x"));
}

void test_rules__deny_wins_a_tie(void) {
    allow("/p/a");
    deny("/p/a");
    TEST_ASSERT_TRUE(denies("/p/a/x"));
    deny("/p/b");
    allow("/p/b");
    TEST_ASSERT_TRUE(denies("/p/b/x"));
}

void test_rules__the_root_of_all(void) {
    deny("");
    allow("/p");
    TEST_ASSERT_TRUE(denies("/etc"));
    TEST_ASSERT_TRUE(denies(""));
    TEST_ASSERT_FALSE(denies("/p/a"));
    allow("");
    TEST_ASSERT_TRUE(denies("/etc"));
}

void test_rules__what_lies_below(void) {
    allow("/p");
    deny("/p/a/secret");
    TEST_ASSERT_TRUE(denies_below("/p"));
    TEST_ASSERT_TRUE(denies_below("/p/a"));
    TEST_ASSERT_TRUE(denies_below(""));
    TEST_ASSERT_FALSE(denies_below("/p/a/secret")); /* strictly below */
    TEST_ASSERT_FALSE(denies_below("/p/a/sec"));
    TEST_ASSERT_FALSE(denies_below("/p/b"));
}

void test_rules__they_keep_their_own_text(void) {
    char path[] = "/p/secret/more";
    TEST_ASSERT_TRUE(rules_add(&rules, path, strlen("/p/secret"), true));
    memset(path, 'x', sizeof path);
    TEST_ASSERT_TRUE(denies("/p/secret"));
}

void test_rules__many(void) {
    char path[40];
    for (int i = 0; i < 5000; i++) {
        (void)snprintf(path, sizeof path, "/p/%d", i);
        deny(path);
    }
    TEST_ASSERT_TRUE(denies("/p/4999/x"));
    TEST_ASSERT_FALSE(denies("/p/5000"));
}
