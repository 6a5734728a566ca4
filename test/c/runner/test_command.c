/* SPDX-License-Identifier: MIT */
#include "command.h"

#include "aqfs.h"
#include "unity.h"

#include <string.h>

static struct command command;

void setUp(void) {
    command = (struct command){0};
}

void tearDown(void) {
    command_free(&command);
}

static const char *take(const char *word, const char *body) {
    struct record r = {.body = body, .length = strlen(body)};
    (void)strncpy(r.word, word, RECORD_WORD_MOST);
    return command_take(&command, &r);
}

static void begin(void) {
    TEST_ASSERT_NULL(take("version", AQFS_VERSION));
    TEST_ASSERT_NULL(take("directory", "/tmp"));
    TEST_ASSERT_NULL(take("window", "65536 16384"));
    TEST_ASSERT_NULL(take("word", "/bin/sh"));
}

void test_command__takes_a_request(void) {
    begin();
    TEST_ASSERT_NULL(take("word", ""));
    TEST_ASSERT_NULL(take("variable", "A=\377"));
    TEST_ASSERT_NULL(take("terminal", "24 80"));
    TEST_ASSERT_NULL(take("limit", "memory 4096"));
    TEST_ASSERT_NULL(take("limit", "files 10"));
    TEST_ASSERT_NULL(take("mark", "abc 5"));
    TEST_ASSERT_NULL(take("filter", ""));
    TEST_ASSERT_NULL(take("deaf", ""));
    TEST_ASSERT_NULL(take("start", ""));
    TEST_ASSERT_TRUE(command.ready && command.terminal && command.filter && command.deaf);
    TEST_ASSERT_EQUAL_UINT(2, command.words.n);
    TEST_ASSERT_EQUAL_STRING("", command.words.at[1]);
    TEST_ASSERT_NULL(command.words.at[2]);
    TEST_ASSERT_EQUAL_STRING("A=\377", command.environment.at[0]);
    TEST_ASSERT_EQUAL_STRING("abc", command.mark);
    TEST_ASSERT_EQUAL_UINT64(5 * 1024, command.mark_limit);
    TEST_ASSERT_EQUAL_UINT(2, command.limit_count);
    TEST_ASSERT_EQUAL_INT(RLIMIT_NOFILE, (int)command.limits[1].resource);
}

void test_command__takes_rules(void) {
    begin();
    TEST_ASSERT_NULL(take("fence", ""));
    TEST_ASSERT_NULL(take("write", "/p"));
    TEST_ASSERT_NULL(take("read", "/usr"));
    TEST_ASSERT_NULL(take("hide", "/p/secret"));
    TEST_ASSERT_NULL(take("guard", ".git"));
    TEST_ASSERT_NULL(take("mask", "/p/.envrc"));
    TEST_ASSERT_NOT_NULL(take("fence", "x"));
    TEST_ASSERT_NOT_NULL(take("write", "p"));
    TEST_ASSERT_NOT_NULL(take("hide", ""));
    TEST_ASSERT_NOT_NULL(take("guard", "/p"));
    TEST_ASSERT_NOT_NULL(take("guard", ""));
    TEST_ASSERT_NOT_NULL(take("mask", "/"));
    TEST_ASSERT_TRUE(command.fenced);
    TEST_ASSERT_EQUAL_UINT(3, command.reach.n);
    TEST_ASSERT_EQUAL_INT(REACH_NOTHING, (int)reach_at(&command.reach, "/p/secret/x"));
    TEST_ASSERT_EQUAL_STRING("/p/.envrc", command.masks.at[0]);
}

void test_command__sets_variables(void) {
    begin();
    TEST_ASSERT_NULL(take("variable", "HOME=/h"));
    TEST_ASSERT_NULL(take("variable", "HOMES=/hs"));
    TEST_ASSERT_TRUE(command_set_variable(&command, "HOME", "/other"));
    TEST_ASSERT_TRUE(command_set_variable(&command, "TMPDIR", ""));
    TEST_ASSERT_EQUAL_UINT(3, command.environment.n);
    TEST_ASSERT_EQUAL_STRING("/other", command_variable(&command, "HOME"));
    TEST_ASSERT_EQUAL_STRING("/hs", command_variable(&command, "HOMES"));
    TEST_ASSERT_EQUAL_STRING("", command_variable(&command, "TMPDIR"));
    TEST_ASSERT_NULL(command_variable(&command, "HOM"));
}

void test_command__has_a_version(void) {
    TEST_ASSERT_EQUAL_STRING("the version comes first", take("word", "/bin/sh"));
    TEST_ASSERT_NOT_NULL(strstr(take("version", "0"), AQFS_VERSION));
    TEST_ASSERT_NOT_NULL(take("version", AQFS_VERSION "x"));
    TEST_ASSERT_NULL(take("version", AQFS_VERSION));
}

void test_command__refuses_what_is_wrong(void) {
    static const char *const wrong[][2] = {
        {"directory", "/else"}, {"directory", ""}, {"terminal", "24"},    {"terminal", "24 10000"},
        {"terminal", "-1 80"},  {"window", "0"},   {"window", "1 0"},     {"window", "1 9999999"},
        {"limit", "memory"},    {"limit", "x 5"},  {"limit", "memory x"}, {"limit", ""},
        {"mark", "abc"},        {"mark", ""},      {"filter", "x"},       {"deaf", "x"},
        {"start", "x"},         {"unknown", ""},   {"in", "x"},           {"more", "5"}};
    begin();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        TEST_ASSERT_NOT_NULL_MESSAGE(take(wrong[i][0], wrong[i][1]), wrong[i][0]);
    struct record nul = {.word = "word", .body = "a\0b", .length = 3};
    TEST_ASSERT_EQUAL_STRING("a word with a NUL", command_take(&command, &nul));
    TEST_ASSERT_FALSE(command.ready);
}

void test_command__needs_its_parts(void) {
    TEST_ASSERT_NULL(take("version", AQFS_VERSION));
    TEST_ASSERT_NOT_NULL(take("start", ""));
    TEST_ASSERT_NULL(take("word", "sh"));
    TEST_ASSERT_EQUAL_STRING("the program is missing, or no absolute path", take("start", ""));
    command_free(&command);
    TEST_ASSERT_NULL(take("version", AQFS_VERSION));
    TEST_ASSERT_NULL(take("word", "/bin/sh"));
    TEST_ASSERT_EQUAL_STRING("the directory is missing", take("start", ""));
    TEST_ASSERT_NOT_NULL(take("directory", "tmp"));
    TEST_ASSERT_NULL(take("directory", "/tmp"));
    TEST_ASSERT_EQUAL_STRING("the window is missing", take("start", ""));
}

void test_command__many_words(void) {
    begin();
    for (int i = 0; i < 70000; i++)
        if (take("word", "x"))
            return; /* there is an end to it */
    TEST_ASSERT_NOT_NULL_MESSAGE(NULL, "a request of any length was taken");
}
