/* SPDX-License-Identifier: MIT */
#include "reach.h"

#include "unity.h"

#include <string.h>

static struct reach_rules rules;

void setUp(void) {
    rules = (struct reach_rules){0};
}

void tearDown(void) {
    reach_free(&rules);
}

static void rule(const char *path, enum reachable reach) {
    TEST_ASSERT_TRUE(reach_add(&rules, strdup(path), reach));
}

void test_reach__innermost_rule_holds(void) {
    rule("/p", REACH_WRITING);
    rule("/p/secret", REACH_NOTHING);
    rule("/p/secret/open", REACH_WRITING);
    rule("/usr", REACH_READING);
    TEST_ASSERT_EQUAL_INT(REACH_WRITING, (int)reach_at(&rules, "/p"));
    TEST_ASSERT_EQUAL_INT(REACH_WRITING, (int)reach_at(&rules, "/p/secrets"));
    TEST_ASSERT_EQUAL_INT(REACH_NOTHING, (int)reach_at(&rules, "/p/secret/x"));
    TEST_ASSERT_EQUAL_INT(REACH_WRITING, (int)reach_at(&rules, "/p/secret/open/x"));
    TEST_ASSERT_EQUAL_INT(REACH_READING, (int)reach_at(&rules, "/usr/bin"));
    TEST_ASSERT_EQUAL_INT(REACH_NOTHING, (int)reach_at(&rules, "/usrs"));
    TEST_ASSERT_EQUAL_INT(REACH_NOTHING, (int)reach_at(&rules, "/"));
}

void test_reach__the_root_is_above_all(void) {
    rule("/", REACH_READING);
    rule("/p", REACH_WRITING);
    TEST_ASSERT_EQUAL_INT(REACH_READING, (int)reach_at(&rules, "/x"));
    TEST_ASSERT_EQUAL_INT(REACH_WRITING, (int)reach_at(&rules, "/p/x"));
    TEST_ASSERT_FALSE(reach_is_inner(&rules, &rules.at[0]));
    TEST_ASSERT_TRUE(reach_is_inner(&rules, &rules.at[1]));
}

void test_reach__a_guard_holds_in_each_tree_that_is_written(void) {
    rule("/p", REACH_WRITING);
    rule("/p/hidden", REACH_NOTHING);
    rule("/q", REACH_READING);
    TEST_ASSERT_TRUE(reach_guard(&rules, ".git"));
    TEST_ASSERT_TRUE(reach_guard(&rules, "hidden/x"));
    TEST_ASSERT_TRUE(reach_guard(&rules, "hidden"));
    TEST_ASSERT_EQUAL_UINT(4, rules.n);
    TEST_ASSERT_EQUAL_INT(REACH_READING, (int)reach_at(&rules, "/p/.git/hooks"));
    TEST_ASSERT_EQUAL_INT(REACH_NOTHING, (int)reach_at(&rules, "/p/hidden/x"));
}

void test_reach__says_what_is_below(void) {
    rule("/", REACH_NOTHING); /* a directory */
    rule("/p/no-such-file", REACH_NOTHING);
    struct reach_below below = reach_below_of(&rules, "/p", 2);
    TEST_ASSERT_TRUE(below.any && below.hidden && !below.hidden_directory);
    rule("/usr", REACH_NOTHING);
    below = reach_below_of(&rules, "/", 1);
    TEST_ASSERT_TRUE(below.any && below.hidden && below.hidden_directory);
    TEST_ASSERT_FALSE(reach_below_of(&rules, "/p/no-such-file", 15).any);
    TEST_ASSERT_FALSE(reach_below_of(&rules, "/us", 3).any);
}
