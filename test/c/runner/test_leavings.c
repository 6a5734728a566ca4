/* SPDX-License-Identifier: MIT */
#include "leavings.h"

#include "cleanup.h"

#include "unity.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

void setUp(void) {
    TEST_ASSERT_TRUE(leavings_share());
}

void tearDown(void) {
    leavings_remove();
}

static bool is_there(const char *path) {
    struct stat info;
    return lstat(path, &info) == 0;
}

void test_leavings__a_scratch_directory_comes_and_goes(void) {
    char path[200], home[220];
    const char *scratch = leavings_scratch();
    TEST_ASSERT_NOT_NULL(scratch);
    (void)snprintf(path, sizeof path, "%s", scratch);
    (void)snprintf(home, sizeof home, "%s/home", scratch);
    TEST_ASSERT_TRUE(is_there(home));
    leavings_remove();
    TEST_ASSERT_FALSE(is_there(path));
}

/* In another container that has the same /tmp, another runner may have the same number. */
void test_leavings__a_runner_of_the_same_number(void) {
    char theirs[200];
    (void)snprintf(theirs, sizeof theirs, "%s", leavings_scratch());
    AUTO_CLOSE int lock = open(theirs, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    TEST_ASSERT_EQUAL_INT(0, flock(lock, LOCK_SH | LOCK_NB));
    leavings_remove(); /* they have theirs still */
    TEST_ASSERT_TRUE(is_there(theirs));
    const char *own = leavings_scratch();
    TEST_ASSERT_NOT_NULL(own);
    TEST_ASSERT_TRUE(strcmp(own, theirs) != 0);
    TEST_ASSERT_TRUE(is_there(own));
    leavings_remove();
    TEST_ASSERT_TRUE(is_there(theirs));
    (void)flock(lock, LOCK_UN);
    TEST_ASSERT_EQUAL_STRING(theirs, leavings_scratch()); /* which removes what nobody has */
}
