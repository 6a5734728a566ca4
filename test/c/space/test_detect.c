/* SPDX-License-Identifier: MIT */
#include "detect.h"

#include "support.h"

#include "unity.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *canonical, *spelled;
static const char *method;
static struct error e;

static void forget(void) {
    free(canonical);
    free(spelled);
    canonical = spelled = NULL;
    method = "none";
}

void setUp(void) {
    support_start();
    forget();
}

void tearDown(void) {
    forget();
    support_end();
}

static int detect(const struct root_sources *sources) {
    forget();
    return detect_root(sources, &canonical, &spelled, &method, &e);
}

static void check(const struct root_sources *sources, const char *root, const char *how) {
    TEST_ASSERT_EQUAL_MESSAGE(AQFS_OK, detect(sources), e.message);
    TEST_ASSERT_EQUAL_STRING(root, canonical);
    TEST_ASSERT_EQUAL_STRING(how, method);
}

void test_detect__an_explicit_root_comes_first(void) {
    make_repository(project_path(".git"));
    const struct root_sources sources = {.explicit_root = base_path(""),
                                         .start = project_path(""),
                                         .asdf_root = project_path(""),
                                         .cwd = project_path("")};
    check(&sources, base_path(""), "explicit");
}

void test_detect__an_explicit_root_may_be_home(void) {
    const struct root_sources sources = {.explicit_root = project_path(""),
                                         .home = project_path("")};
    check(&sources, project_path(""), "explicit");
}

/* The message names what was given. */
void test_detect__an_explicit_root_that_is_none(void) {
    const struct root_sources relative = {.explicit_root = "some/where"};
    TEST_ASSERT_EQUAL(AQFS_INVALID_ARGUMENT, detect(&relative));
    TEST_ASSERT_EQUAL_STRING("root: expected an absolute path, got some/where", e.message);
    const struct root_sources missing = {.explicit_root = "/no/where"};
    TEST_ASSERT_EQUAL(AQFS_NOT_FOUND, detect(&missing));
    TEST_ASSERT_EQUAL_STRING("root: /no/where is not a directory that can be opened", e.message);
}

/* Threat 3. */
void test_detect__an_explicit_root_keeps_its_spelling(void) {
    make_link(base_path("link"), "project");
    const struct root_sources sources = {.explicit_root = base_path("link/")};
    check(&sources, project_path(""), "explicit");
    TEST_ASSERT_EQUAL_STRING(base_path("link/"), spelled);
}

/* Threat 83. */
void test_detect__slash_is_never_a_root(void) {
    const struct root_sources slash = {.explicit_root = "/"};
    TEST_ASSERT_EQUAL(AQFS_INVALID_ARGUMENT, detect(&slash));
    TEST_ASSERT_NULL(canonical);
    const struct root_sources slashes = {.explicit_root = "//.//../"};
    TEST_ASSERT_EQUAL(AQFS_INVALID_ARGUMENT, detect(&slashes));
    const struct root_sources found = {.start = "/", .asdf_root = "/", .cwd = "/"};
    TEST_ASSERT_EQUAL(AQFS_INVALID_ARGUMENT, detect(&found));
}

void test_detect__an_explicit_root_must_be_an_absolute_directory(void) {
    make_file(project_path("f"), "x");
    const struct root_sources relative = {.explicit_root = "project"};
    TEST_ASSERT_EQUAL(AQFS_INVALID_ARGUMENT, detect(&relative));
    TEST_ASSERT_NOT_NULL(strstr(e.message, "root: expected an absolute path"));
    const struct root_sources empty = {.explicit_root = ""};
    TEST_ASSERT_EQUAL(AQFS_INVALID_ARGUMENT, detect(&empty));
    const struct root_sources missing = {.explicit_root = project_path("none")};
    TEST_ASSERT_EQUAL(AQFS_NOT_FOUND, detect(&missing));
    const struct root_sources file = {.explicit_root = project_path("f")};
    TEST_ASSERT_EQUAL(AQFS_NOT_FOUND, detect(&file));
    TEST_ASSERT_NULL(canonical);
}

/* An explicit root that is missing is an error: no other source is tried. */
void test_detect__a_wrong_explicit_root_is_an_error(void) {
    const struct root_sources sources = {.explicit_root = project_path("none"),
                                         .cwd = project_path("")};
    TEST_ASSERT_EQUAL(AQFS_NOT_FOUND, detect(&sources));
}

void test_detect__git_is_looked_for_upwards(void) {
    make_repository(project_path(".git"));
    make_directory(project_path("a/b/c"));
    const struct root_sources sources = {.start = project_path("a/b/c"), .cwd = project_path("a")};
    check(&sources, project_path(""), "git");
    TEST_ASSERT_EQUAL_STRING(project_path(""), spelled);
    const struct root_sources itself = {.start = project_path("")};
    check(&itself, project_path(""), "git");
}

void test_detect__git_may_be_a_file(void) {
    make_file(project_path("tree/.git"), "gitdir: ../.git\n");
    make_directory(project_path("tree/a"));
    make_repository(project_path(".git"));
    const struct root_sources sources = {.start = project_path("tree/a")};
    check(&sources, project_path("tree"), "git");
}

void test_detect__git_that_is_no_repository(void) {
    make_directory(project_path("a/b"));
    make_directory(project_path("a/.git"));
    TEST_ASSERT_EQUAL(0, mkfifo(project_path("a/b/.git"), 0600));
    const struct root_sources sources = {.start = project_path("a/b"), .cwd = project_path("a/b")};
    check(&sources, project_path("a/b"), "cwd");
}

/* Threat 3. */
void test_detect__git_through_a_link_keeps_the_spelling(void) {
    make_repository(project_path(".git"));
    make_directory(project_path("a/b"));
    make_link(base_path("link"), "project");
    make_link(base_path("deep"), "project/a");
    const struct root_sources sources = {.start = base_path("link/a/b")};
    check(&sources, project_path(""), "git");
    TEST_ASSERT_EQUAL_STRING(base_path("link"), spelled);
    const struct root_sources below = {.start = base_path("deep/b")};
    check(&below, project_path(""), "git");
    TEST_ASSERT_EQUAL_STRING(project_path(""), spelled); /* no part of `deep` names the root */
}

void test_detect__the_sources_in_their_order(void) {
    make_directory(project_path("asdf"));
    make_directory(project_path("sly"));
    make_directory(project_path("cwd"));
    struct root_sources sources = {.start = project_path(""),
                                   .asdf_root = project_path("asdf"),
                                   .sly_directory = project_path("sly"),
                                   .cwd = project_path("cwd")};
    check(&sources, project_path("asdf"), "asdf");
    sources.asdf_root = NULL;
    check(&sources, project_path("sly"), "sly");
    sources.sly_directory = "relative";
    check(&sources, project_path("cwd"), "cwd");
    sources.cwd = project_path("gone");
    TEST_ASSERT_EQUAL(AQFS_INVALID_ARGUMENT, detect(&sources));
    TEST_ASSERT_NOT_NULL(strstr(e.message, "No project root was found"));
}

void test_detect__home_is_never_found(void) {
    make_repository(project_path(".git"));
    make_directory(project_path("a"));
    make_link(base_path("home"), "project");
    const char *const homes[] = {"project", "home", "home/", "./project/../project"};
    for (size_t i = 0; i < sizeof homes / sizeof *homes; i++) {
        const struct root_sources sources = {.start = project_path("a"),
                                             .sly_directory = project_path(""),
                                             .cwd = project_path("a"),
                                             .home = base_path(homes[i])};
        check(&sources, project_path("a"), "cwd");
    }
}

void test_detect__a_bad_home_is_no_home(void) {
    const struct root_sources sources = {.cwd = project_path(""), .home = "nowhere"};
    check(&sources, project_path(""), "cwd");
}

void test_detect__files_are_no_roots(void) {
    make_file(project_path("f"), "x");
    const struct root_sources sources = {
        .start = project_path("f"), .asdf_root = project_path("f"), .cwd = project_path("")};
    check(&sources, project_path(""), "cwd");
}
