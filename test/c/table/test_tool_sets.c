/* SPDX-License-Identifier: MIT */
#include "tool_sets.h"

#include "table.h"

#include "unity.h"

#include <stdio.h>
#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* Tools for one thing, of which a set has one at most. */
static const char *const doubles[][4] = {
    {"list_directory", "list_dir", "directory_tree"},
    {"edit_file", "apply_patch", "apply_patch_json", "apply_patch_freeform"},
    {"create_file", "write_file", "apply_patch"},
    {"move_file", "apply_patch"},
    {"get_file_info", "file_exists"},
};

static const struct tool_set *named(const char *name) {
    for (size_t i = 0; i < tool_set_count; i++)
        if (strcmp(tool_sets[i].name, name) == 0)
            return &tool_sets[i];
    TEST_FAIL_MESSAGE(name);
    return NULL;
}

static size_t size_of(const struct tool_set *set) {
    size_t n = 0;
    while (tool_set_at(set, n))
        n++;
    return n;
}

void test_tool_sets__have_operations_each_once(void) {
    for (size_t i = 0; i < tool_set_count; i++) {
        const struct tool_set *set = &tool_sets[i];
        TEST_ASSERT_TRUE_MESSAGE(set->bytes > 0 && size_of(set) > 0, set->name);
        for (size_t at = 0; tool_set_at(set, at); at++) {
            TEST_ASSERT_NOT_NULL_MESSAGE(op_find(tool_set_at(set, at)), tool_set_at(set, at));
            for (size_t other = 0; other < at; other++)
                TEST_ASSERT_TRUE_MESSAGE(strcmp(tool_set_at(set, at), tool_set_at(set, other)) != 0,
                                         set->name);
        }
    }
}

void test_tool_sets__no_two_tools_for_one_thing(void) {
    const char *const names[] = {"coding", "gpt", "lisp", "read-only"};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        for (size_t k = 0; k < COUNT_OF(doubles); k++) {
            int have = 0;
            for (size_t n = 0; n < COUNT_OF(doubles[k]) && doubles[k][n]; n++)
                have += tool_set_has(named(names[i]), doubles[k][n]);
            TEST_ASSERT_TRUE_MESSAGE(have <= 1, names[i]);
        }
}

static bool is_in_name(char c) {
    return c == '_' || (c >= 'a' && c <= 'z');
}

/* Does TEXT have WORD, and not as a part of a longer name? */
static bool names_it(const char *text, const char *word) {
    for (const char *at = text; (at = strstr(at, word)); at++)
        if ((at == text || !is_in_name(at[-1])) && !is_in_name(at[strlen(word)]))
            return true;
    return false;
}

/* A name with an underscore is nothing but a tool's. */
static void check_names(const struct tool_set *set, const struct op *op, const char *text) {
    for (size_t i = 0; i < op_count(); i++) {
        const char *other = op_at(i)->name;
        if (text && strchr(other, '_') && !tool_set_has(set, other) && names_it(text, other)) {
            printf("%s, in the set %s, names %s\n", op->name, set->name, other);
            TEST_FAIL_MESSAGE("a description names a tool that the set lacks");
        }
    }
}

/* The tools of "agent-q" stand beside those that Agent-Q has itself. */
void test_tool_sets__tell_of_no_tool_that_they_lack(void) {
    for (size_t i = 0; i < tool_set_count; i++) {
        const struct tool_set *set = &tool_sets[i];
        if (set == named("agent-q"))
            continue;
        for (size_t at = 0; tool_set_at(set, at); at++) {
            const struct op *op = op_find(tool_set_at(set, at));
            check_names(set, op, op->doc);
            for (size_t k = 0; k < op->param_count; k++)
                check_names(set, op, op->params[k].doc);
        }
    }
}

void test_tool_sets__are_what_their_names_say(void) {
    TEST_ASSERT_TRUE(size_of(named("coding")) <= 8);
    TEST_ASSERT_EQUAL_STRING("apply_patch", tool_set_at(named("gpt"), 0));
    TEST_ASSERT_EQUAL(op_count(), size_of(named("all")));
    const struct tool_set *reads = named("read-only");
    for (size_t at = 0; tool_set_at(reads, at); at++)
        TEST_ASSERT_EQUAL_MESSAGE(TIER_SAFE, op_find(tool_set_at(reads, at))->tier,
                                  tool_set_at(reads, at));
}
