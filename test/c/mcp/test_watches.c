/* SPDX-License-Identifier: MIT */
#include "watches.h"

#include "cleanup.h"
#include "files.h"

#include "unity.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

static struct watches w;
static struct error error;
static char *root;
static bool told;

void setUp(void) {
    root = make_temporary("watches");
    TEST_ASSERT_EQUAL_INT(AQFS_OK, watches_open(&w, &error));
    told = false;
}

void tearDown(void) {
    watches_close(&w);
    remove_all(root);
    free(root);
}

static void take_path(void *data, const char *path) {
    told = told || !path || strncmp(path, data, strlen(data)) == 0;
}

/* A file is noticed by what is above it, as far as there is anything. */
void test_watches__what_is_made_later(void) {
    AUTO_FREE char *directory = path_of("%s/d", root), *file = path_of("%s/d/e/f", root);
    TEST_ASSERT_EQUAL_INT(AQFS_OK, watches_add(&w, root, file, &error));
    make_directory(directory);
    struct pollfd ready = {.fd = w.notify, .events = POLLIN};
    TEST_ASSERT_EQUAL_INT(1, poll(&ready, 1, 10000));
    watches_read(&w, take_path, directory);
    TEST_ASSERT_TRUE(told);
}

/* Nothing is ever noticed of a file on another machine, as Emacs calls it. */
void test_watches__nothing_above_the_file(void) {
    TEST_ASSERT_EQUAL_INT(AQFS_IO, watches_add(&w, "/ssh:far:/p", "/ssh:far:/p/f", &error));
    TEST_ASSERT_NOT_NULL(strstr(error.message, "another machine"));
    TEST_ASSERT_EQUAL_UINT(0, w.count);
}
