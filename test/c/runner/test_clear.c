/* SPDX-License-Identifier: MIT */
#include "clear.h"

#include "cleanup.h"
#include "clock.h"
#include "files.h"

#include "unity.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char *top;

void setUp(void) {
    top = make_temporary("clear");
}

void tearDown(void) {
    remove_all(top);
    free(top);
}

static int open_top(void) {
    int fd = open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    TEST_ASSERT_TRUE(fd >= 0);
    return fd;
}

/* Deeper than a path may be long, and where nothing may be changed. */
void test_clear__whatever_a_program_has_left(void) {
    AUTO_CLOSE int fd = open_top();
    int at = dup(fd);
    for (int level = 0; level < 1000; level++) {
        TEST_ASSERT_EQUAL_INT(0, mkdirat(at, "directory", 0700));
        int below = openat(at, "directory", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        TEST_ASSERT_TRUE(below >= 0);
        (void)close(at);
        at = below;
    }
    TEST_ASSERT_EQUAL_INT(0, symlinkat("/etc", at, "link"));
    TEST_ASSERT_EQUAL_INT(0, mkdirat(at, "closed", 0));
    TEST_ASSERT_EQUAL_INT(0, fchmod(at, 0500));
    (void)close(at);
    clear_directory(fd, clock_now_ns() + 60 * NS_PER_S);
    TEST_ASSERT_EQUAL_INT(0, rmdir(top));
}

static atomic_bool enough;

static void *make_more(void *data) {
    const int *fd = data;
    char name[32];
    for (unsigned long i = 0; !atomic_load(&enough); i++) {
        (void)snprintf(name, sizeof name, "d%lu", i % 100);
        (void)mkdirat(*fd, name, 0700);
    }
    return NULL;
}

/* A program that outlived its runner holds nobody up. */
void test_clear__ends_where_somebody_makes_more(void) {
    AUTO_CLOSE int fd = open_top();
    pthread_t thread;
    atomic_store(&enough, false);
    TEST_ASSERT_EQUAL_INT(0, pthread_create(&thread, NULL, make_more, &fd));
    while (access(top, F_OK) == 0 && faccessat(fd, "d0", F_OK, 0) != 0)
        ;
    clear_directory(fd, clock_now_ns() + 50 * NS_PER_MS);
    atomic_store(&enough, true);
    TEST_ASSERT_EQUAL_INT(0, pthread_join(thread, NULL));
}
