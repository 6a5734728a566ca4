/* SPDX-License-Identifier: MIT */
#include "own_file.h"

#include "clock.h"
#include "files.h"
#include "unity.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static char *state;
static int dir;
static struct error error;

void setUp(void) {
    state = make_temporary("aqfs-own-file");
    dir = open(state, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    error = (struct error){0};
}

void tearDown(void) {
    close(dir);
    remove_all(state);
    free(state);
}

static const char *in_state(const char *name) {
    static char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s", state, name);
    return path;
}

static unsigned mode_of(const char *path) {
    struct stat s;
    TEST_ASSERT_EQUAL(0, lstat(path, &s));
    return s.st_mode & 07777;
}

void test_own_file__is_recognised(void) {
    char name[TEMPORARY_NAME];
    TEST_ASSERT_TRUE(temporary_name(name));
    TEST_ASSERT_TRUE(is_temporary_name(name));
    TEST_ASSERT_EQUAL(TEMPORARY_NAME - 1, strlen(name));
}

/* Names that a person chose are not taken for ours, and so never removed. */
void test_own_file__is_not_mistaken(void) {
    static const char *const names[] = {
        "",
        ".aqfs-.tmp",
        ".aqfs-0123456789abcdef0123456789abcde.tmp",
        ".aqfs-0123456789abcdef0123456789abcdef0.tmp",
        ".aqfs-0123456789ABCDEF0123456789abcdef.tmp",
        ".aqfs-0123456789abcdef0123456789abcdef",
        ".aqfs-0123456789abcdef0123456789abcdef.tmp~",
        "x.aqfs-0123456789abcdef0123456789abcdef.tmp",
        "aqfs-0123456789abcdef0123456789abcdef.tmp",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        TEST_ASSERT_FALSE_MESSAGE(is_temporary_name(names[i]), names[i]);
    TEST_ASSERT_TRUE(is_temporary_name(".aqfs-0123456789abcdef0123456789abcdef.tmp"));
}

static int compare(const void *a, const void *b) {
    return strcmp(a, b);
}

/* Threat 41: nobody can predict the next names.  Every digit takes every value. */
void test_own_file__cannot_be_guessed(void) {
    enum { COUNT = 2000 };
    static char names[COUNT][TEMPORARY_NAME];
    int seen[32] = {0};
    for (int i = 0; i < COUNT; i++) {
        TEST_ASSERT_TRUE(temporary_name(names[i]));
        for (int k = 0; k < 32; k++) {
            char digit[2] = {names[i][6 + k]};
            seen[k] |= 1 << strtol(digit, NULL, 16);
        }
    }
    for (int k = 0; k < 32; k++)
        TEST_ASSERT_EQUAL_HEX(0xFFFF, seen[k]);
    qsort(names, COUNT, sizeof *names, compare);
    for (int i = 1; i < COUNT; i++)
        TEST_ASSERT_TRUE(strcmp(names[i - 1], names[i]) != 0);
}

/* -- small files in the state directory -------------------------------------------------------- */

static int make_state(const char *name, const char *text) {
    return state_make(dir, name, text, strlen(text), &error);
}

static int read_state(const char *name, size_t most) {
    struct buf text = {0};
    int code = state_read(dir, name, most, &text, &error);
    buf_free(&text);
    return code;
}

/* A file that stands there already is neither taken over nor followed. */
void test_own_file__is_made_where_nothing_is(void) {
    TEST_ASSERT_EQUAL(AQFS_OK, make_state("new", "text"));
    TEST_ASSERT_EQUAL(AQFS_EXISTS, make_state("new", "other"));
    TEST_ASSERT_EQUAL_STRING("text", text_of(in_state("new")));
    make_link(in_state("link"), "target");
    TEST_ASSERT_EQUAL(AQFS_EXISTS, make_state("link", "text"));
    TEST_ASSERT_FALSE(state_has(dir, "target"));
}

void test_own_file__replaces_a_link_and_not_its_target(void) {
    make_file(in_state("target"), "theirs");
    make_link(in_state("link"), "target");
    TEST_ASSERT_EQUAL(AQFS_OK, state_replace(dir, "link", "ours", 4, false, &error));
    TEST_ASSERT_EQUAL_STRING("theirs", text_of(in_state("target")));
    TEST_ASSERT_EQUAL_STRING("ours", text_of(in_state("link")));
    struct names left = names_below(state);
    TEST_ASSERT_EQUAL(2, left.n);
    free_names(&left);
}

void test_own_file__is_read_by_its_own_name(void) {
    make_file(in_state("file"), "text");
    make_link(in_state("link"), "file");
    TEST_ASSERT_EQUAL(0, mkfifo(in_state("pipe"), 0600));
    TEST_ASSERT_EQUAL(AQFS_OK, read_state("file", 4));
    TEST_ASSERT_EQUAL(AQFS_TOO_LARGE, read_state("file", 3));
    TEST_ASSERT_EQUAL(AQFS_NOT_FOUND, read_state("nothing", 4));
    TEST_ASSERT_NOT_EQUAL(AQFS_OK, read_state("link", 4));
    /* Nobody writes to it, so opening it must not wait for a writer. */
    TEST_ASSERT_EQUAL(AQFS_NOT_REGULAR, read_state("pipe", 4));
}

void test_own_file__a_link_that_leads_nowhere_is_there(void) {
    make_link(in_state("link"), "nothing");
    TEST_ASSERT_TRUE(state_has(dir, "link"));
    TEST_ASSERT_FALSE(state_has(dir, "nothing"));
}

void test_own_file__leftovers_are_swept_and_nothing_else(void) {
    char name[TEMPORARY_NAME];
    TEST_ASSERT_TRUE(temporary_name(name));
    make_file(in_state(name), "left");
    make_file(in_state("kept"), "kept");
    state_sweep(dir);
    TEST_ASSERT_FALSE(state_has(dir, name));
    TEST_ASSERT_TRUE(state_has(dir, "kept"));
}

static mode_t asked_for;

/* The core's calls come here. */
int mkdir(const char *path, mode_t mode) {
    asked_for |= mode;
    return mkdirat(AT_FDCWD, path, mode);
}

void test_own_file__directories_are_private_from_the_first_moment(void) {
    asked_for = 0;
    state_make_directories(in_state("a/b"));
    TEST_ASSERT_EQUAL_HEX(0700, asked_for);
}

/* The mask is the host program's: it neither opens what is ours to others nor locks us out. */
void test_own_file__is_private_whatever_the_mask(void) {
    static const mode_t masks[] = {0, 0777};
    for (size_t i = 0; i < 2; i++) {
        char *path = path_of("%s/%zu/below", state, i), *file = path_of("%s/%zu.file", state, i);
        mode_t before = umask(masks[i]);
        state_make_directories(path);
        (void)make_state(strrchr(file, '/') + 1, "text");
        (void)umask(before);
        TEST_ASSERT_EQUAL_HEX(0700, mode_of(path));
        TEST_ASSERT_EQUAL_HEX(0600 & ~masks[i], mode_of(file));
        *strrchr(path, '/') = '\0';
        TEST_ASSERT_EQUAL_HEX(0700, mode_of(path));
        free(path);
        free(file);
    }
}

/* -- locks ------------------------------------------------------------------------------------- */

void test_own_file__a_lock_is_waited_for_as_long_as_the_budget_lasts(void) {
    make_file(in_state("lock"), "");
    int held = open(in_state("lock"), O_RDWR | O_CLOEXEC),
        fd = open(in_state("lock"), O_RDWR | O_CLOEXEC);
    TEST_ASSERT_EQUAL(0, flock(held, LOCK_EX));
    struct budget budget = {.deadline_ns = clock_now_ns() + 20000000};
    TEST_ASSERT_EQUAL(AQFS_LIMIT, lock_wait(fd, &budget, &error));
    TEST_ASSERT_EQUAL(0, flock(held, LOCK_UN));
    budget.deadline_ns = 0;
    TEST_ASSERT_EQUAL(AQFS_OK, lock_wait(fd, &budget, &error));
    TEST_ASSERT_NOT_EQUAL(0, flock(held, LOCK_EX | LOCK_NB));
    close(held);
    close(fd);
}
