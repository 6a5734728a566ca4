/* The C library's realpath, and the same where a sandbox forbids the call that it needs.
 *
 * SPDX-License-Identifier: MIT
 */
#include "canonical.h"

#include "calls.h"
#include "files.h"
#include "support.h"
#include "unity.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NO_FILTERS "seccomp filters are not permitted here"

void setUp(void) {
    support_start();
    make_file(project_path("a/b/f"), "x");
    make_file(project_path("c/f"), "x");
    make_link(project_path("up"), "a/b/..");
    make_link(project_path("a/over"), "../c/");
    make_link(project_path("a/again"), "./over/../a//again.");
    make_link(project_path("a/again."), "b");
    make_link(project_path("whole"), project_path("a/b"));
    make_link(project_path("nothing"), "none/x");
    make_link(project_path("file"), "c/f");
    make_link(project_path("loop"), "a/../loop");
    make_link(project_path("root"), "../../../../../../../../../../../..");
}

void tearDown(void) {
    support_end();
}

/* Below the project; relative ones are asked about there. */
static const char *const asked[] = {
    "a/b/f",
    "a/b/",
    "a/b/..",
    "a/./b/../..//c",
    "up",
    "up/b/f",
    "a/over/f",
    "a/over/../a/b",
    "a/again/f",
    "whole/../b",
    "whole/..",
    "nothing",
    "nothing/..",
    "none/..",
    "none",
    "file",
    "file/",
    "file/..",
    "c/f/",
    "c/f/.",
    "c/f/../f",
    "loop",
    "root",
    "root/../tmp/..",
    "a/b/../../../",
    ".",
    "..",
    "../",
    "a/..",
    "",
    "../../../../../../../../../../../../..",
};
#define ASKED (sizeof asked / sizeof *asked)

static char expected[2 * ASKED][PATH_MAX + 40];

/* The answer in words: a path, or the number of the error. */
static const char *said(char *real, char words[PATH_MAX + 40]) {
    if (real)
        (void)snprintf(words, PATH_MAX + 40, "%s", real);
    else
        (void)snprintf(words, PATH_MAX + 40, "error %d", errno);
    free(real);
    return words;
}

static const char *answer(char *(*call)(const char *path), size_t i, char words[PATH_MAX + 40]) {
    char path[PATH_MAX];
    (void)snprintf(path, sizeof path, "%s/%s", project_path("."), asked[i % ASKED]);
    errno = 0;
    return said(call(i < ASKED ? path : asked[i % ASKED]), words);
}

static char *library_path(const char *path) {
    return realpath(path, NULL);
}

static int ask_without(int errnum) {
    char words[PATH_MAX + 40];
    if (errnum && !forbid_call(SYS_faccessat2, errnum))
        return CHILD_SKIP;
    for (size_t i = 0; i < 2 * ASKED; i++)
        if (strcmp(answer(canonical_path, i, words), expected[i]) != 0) {
            (void)fprintf(stderr, "%s: %s: expected %s\n", asked[i % ASKED], words, expected[i]);
            return __LINE__;
        }
    return 0;
}

static int ask_as_it_is(void) {
    return ask_without(0);
}

static int ask_where_missing(void) {
    return ask_without(ENOSYS);
}

static int ask_where_forbidden(void) {
    return ask_without(EPERM);
}

/* Under make test-without the library may be unable to say what is expected. */
void test_canonical__as_the_library_says(void) {
    if (lacks_call("faccessat2"))
        TEST_IGNORE_MESSAGE("the library cannot say it here");
    TEST_ASSERT_EQUAL(0, chdir(project_path("a/..")));
    for (size_t i = 0; i < 2 * ASKED; i++)
        (void)answer(library_path, i, expected[i]);
    TEST_ASSERT_EQUAL_STRING(project_path("a"), expected[4]);
    run_child(ask_as_it_is, NO_FILTERS);
    run_child(ask_where_missing, NO_FILTERS);
    run_child(ask_where_forbidden, NO_FILTERS);
}

static int lost_directory(void) {
    make_directory(project_path("gone"));
    CHILD_CHECK(chdir(project_path("gone")) == 0 && rmdir(project_path("gone")) == 0);
    if (!forbid_call(SYS_faccessat2, EPERM))
        return CHILD_SKIP;
    CHILD_CHECK(canonical_path("../c") == NULL && errno == ENOENT);
    return 0;
}

void test_canonical__from_a_directory_that_is_gone(void) {
    run_child(lost_directory, NO_FILTERS);
}

/* A path that is too long ends in an error, and so do links that only grow. */
static int long_paths(void) {
    static char path[3 * PATH_MAX];
    if (!forbid_call(SYS_faccessat2, EPERM))
        return CHILD_SKIP;
    (void)snprintf(path, sizeof path, "%s/a/../", project_path("."));
    size_t n = strlen(path);
    memset(path + n, 'x', sizeof path - n - 1);
    CHILD_CHECK(canonical_path(path) == NULL && errno == ENAMETOOLONG);
    make_link(project_path("grows"), "grows/../grows/..");
    (void)snprintf(path, sizeof path, "%s/grows", project_path("a/.."));
    CHILD_CHECK(canonical_path(path) == NULL && errno == ELOOP);
    return 0;
}

void test_canonical__what_has_no_end(void) {
    run_child(long_paths, NO_FILTERS);
}
