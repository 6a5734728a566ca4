/* SPDX-License-Identifier: MIT */
#include "git_tree.h"

#include "support.h"

#include "unity.h"

#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define STRANGER 2000

void setUp(void) {
    support_start();
    make_directory(project_path("a/b"));
}

void tearDown(void) {
    support_end();
}

/* The root that is found from project/START, relative to the project; "none" without one. */
static const char *found_with(const char *start, const char *home) {
    static char path[PATH_BYTES_MAX + 1];
    size_t base = strlen(base_path(""));
    (void)snprintf(path, sizeof path, "%s", project_path(start));
    if (!git_tree_find(path, home))
        return "none";
    return path + base + (path[base] == '/');
}

static const char *found(const char *start) {
    return found_with(start, NULL);
}

/* -- what a repository is ---------------------------------------------------------------------- */

void test_git_tree__a_directory(void) {
    make_repository(project_path(".git"));
    TEST_ASSERT_EQUAL_STRING("project", found("a/b"));
    TEST_ASSERT_EQUAL_STRING("project", found("a"));
}

void test_git_tree__a_link(void) {
    make_repository(base_path("store"));
    make_link(project_path("a/.git"), "../../store");
    TEST_ASSERT_EQUAL_STRING("project/a", found("a/b"));
}

void test_git_tree__a_pointer(void) {
    char text[PATH_BYTES_MAX + 1];
    make_repository(base_path("store"));
    make_file(project_path("a/.git"), "gitdir: ../../store");
    TEST_ASSERT_EQUAL_STRING("project/a", found("a/b"));
    (void)snprintf(text, sizeof text, "gitdir: %s\r\n", base_path("store"));
    make_file(project_path("a/b/.git"), text);
    TEST_ASSERT_EQUAL_STRING("project/a/b", found("a/b"));
}

/* The directory of a worktree leads to the objects of another. */
void test_git_tree__a_worktree(void) {
    make_repository(base_path("store"));
    make_worktree_store(base_path("store/worktrees/w"));
    make_file(project_path(".git"), "gitdir: ../store/worktrees/w\n");
    TEST_ASSERT_EQUAL_STRING("project", found("a"));
}

static void is_none(const char *text) {
    make_file(project_path("a/.git"), text);
    TEST_ASSERT_EQUAL_STRING_MESSAGE("none", found("a/b"), text);
}

void test_git_tree__pointers_that_lead_nowhere(void) {
    static const char *const texts[] = {"",
                                        "\n",
                                        "gitdir:",
                                        "gitdir: ",
                                        "gitdir: \n",
                                        "gitdir: none\n",
                                        "gitdir: .git\n",
                                        "gitdir: .\n",
                                        "gitdir: b\n",
                                        "gitdir: /proc/self/mem\n",
                                        "GITDIR: ../../store\n",
                                        " gitdir: ../../store\n",
                                        "gitdir: ../../store\nx"};
    make_repository(base_path("store"));
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        is_none(texts[i]);
    is_none(repeated("gitdir: ", 1000));
}

void test_git_tree__directories_that_are_no_repositories(void) {
    make_directory(project_path("a/.git"));
    TEST_ASSERT_EQUAL_STRING("none", found("a/b"));
    make_file(project_path("a/.git/HEAD"), "ref: refs/heads/main\n");
    make_directory(project_path("a/.git/objects"));
    TEST_ASSERT_EQUAL_STRING("none", found("a/b"));
    make_directory(project_path("a/.git/refs"));
    TEST_ASSERT_EQUAL_STRING("project/a", found("a/b"));
}

/* A directory that is no repository hides none above it, and nothing waits. */
void test_git_tree__others_are_passed_over(void) {
    make_repository(project_path(".git"));
    TEST_ASSERT_EQUAL(0, mkfifo(project_path("a/.git"), 0600));
    TEST_ASSERT_EQUAL_STRING("project", found("a/b"));
    make_link(project_path("a/b/.git"), ".git");
    TEST_ASSERT_EQUAL_STRING("project", found("a/b"));
    TEST_ASSERT_EQUAL(0, unlink(project_path("a/.git")));
    make_file(project_path("a/.git"), "gitdir: ");
    TEST_ASSERT_EQUAL(0, truncate(project_path("a/.git"), INT64_C(1) << 42));
    TEST_ASSERT_EQUAL_STRING("project", found("a/b"));
}

/* Each level has a pointer to itself; the repository at the top is found. */
void test_git_tree__many_nested(void) {
    make_repository(project_path(".git"));
    char path[400] = "";
    for (size_t n = 0; n + 3 < sizeof path; n += 2) {
        memcpy(path + n, "d/", 3);
        char *pointer = path_of("%s/%s.git", project_path(""), path);
        make_file(pointer, "gitdir: .git\n");
        free(pointer);
    }
    TEST_ASSERT_EQUAL_STRING("project", found(path));
}

/* -- how far upwards --------------------------------------------------------------------------- */

void test_git_tree__nothing_above_home(void) {
    make_repository(base_path(".git"));
    TEST_ASSERT_EQUAL_STRING("none", found_with("a/b", project_path("a")));
    make_link(base_path("home"), "project/a");
    TEST_ASSERT_EQUAL_STRING("none", found_with("a/b", base_path("home")));
    TEST_ASSERT_EQUAL_STRING("", found_with("a/b", base_path("other")));
}

static int looks_up_from_a_mount(void) {
    if (!own_mounts() || mount("none", project_path("a"), "tmpfs", 0, "size=64k") != 0)
        return CHILD_SKIP;
    make_directory(project_path("a/b"));
    CHILD_CHECK(strcmp(found("a/b"), "none") == 0);
    make_repository(project_path("a/.git"));
    CHILD_CHECK(strcmp(found("a/b"), "project/a") == 0);
    return 0;
}

void test_git_tree__nothing_above_a_mount_point(void) {
    make_repository(project_path(".git"));
    run_child(looks_up_from_a_mount, "mounts of one's own are not permitted here");
}

/* -- whose it is ------------------------------------------------------------------------------- */

static void needs_root(void) {
    if (geteuid() != 0)
        TEST_IGNORE_MESSAGE("only root can give files to others");
}

static void give(const char *path, uid_t owner) {
    TEST_ASSERT_EQUAL_MESSAGE(0, lchown(path, owner, (gid_t)owner), path);
}

/* Threat 141: somebody else's `.git` says nothing, be it a directory, a link or a pointer, nor does
 * one of the caller's that leads to somebody else's. */
void test_git_tree__of_somebody_else(void) {
    needs_root();
    make_repository(project_path("a/.git"));
    give(project_path("a/.git"), STRANGER);
    TEST_ASSERT_EQUAL_STRING("none", found("a/b"));
    make_file(project_path("a/b/.git"), "gitdir: ../../store\n");
    make_repository(project_path("store"));
    TEST_ASSERT_EQUAL_STRING("project/a/b", found("a/b"));
    give(project_path("a/b/.git"), STRANGER);
    TEST_ASSERT_EQUAL_STRING("none", found("a/b"));
    give(project_path("a/b/.git"), 0);
    give(project_path("store"), STRANGER);
    TEST_ASSERT_EQUAL_STRING("none", found("a/b"));
    TEST_ASSERT_EQUAL(0, unlink(project_path("a/b/.git")));
    make_link(project_path("a/b/.git"), "../../store");
    TEST_ASSERT_EQUAL_STRING("none", found("a/b"));
}

/* The owner of a directory decides what is in it: nothing is looked at there, nor above. */
void test_git_tree__in_a_directory_of_somebody_else(void) {
    needs_root();
    make_repository(project_path(".git"));
    make_repository(project_path("a/.git"));
    give(project_path("a"), STRANGER);
    TEST_ASSERT_EQUAL_STRING("none", found("a/b"));
}

static int finds_in_a_shared_directory(void) {
    if (setgid(STRANGER) != 0 || setuid(STRANGER) != 0)
        return CHILD_SKIP;
    CHILD_CHECK(strcmp(found("a/b"), "none") == 0);
    return 0;
}

/* Threat 141: /tmp is root's, and everybody writes there.  An own file that somebody gave a second
 * name there is no pointer, and nothing above is looked at. */
void test_git_tree__in_a_directory_for_all(void) {
    needs_root();
    make_repository(project_path(".git"));
    make_repository(project_path("a/.git"));
    TEST_ASSERT_EQUAL(0, chmod(base_path(""), 0755));
    TEST_ASSERT_EQUAL(0, chmod(project_path("a"), 01777));
    give(project_path("a/b"), STRANGER);
    give(project_path("a/.git"), STRANGER);
    run_child(finds_in_a_shared_directory, "cannot become another user");
}

static int finds_own_in_own(void) {
    if (setgid(STRANGER) != 0 || setuid(STRANGER) != 0)
        return CHILD_SKIP;
    make_file(project_path("a/b/.git"), "gitdir: ../.git");
    CHILD_CHECK(strcmp(found("a/b"), "project/a/b") == 0);
    CHILD_CHECK(link(project_path("a/b/.git"), project_path("a/b/second")) == 0);
    CHILD_CHECK(strcmp(found("a/b"), "project/a") == 0);
    return 0;
}

/* Some file systems say of all directories that everybody may write to them: an own one counts. */
void test_git_tree__in_an_own_directory_for_all(void) {
    needs_root();
    make_repository(project_path("a/.git"));
    TEST_ASSERT_EQUAL(0, chmod(base_path(""), 0755));
    TEST_ASSERT_EQUAL(0, chmod(project_path("a"), 0777));
    TEST_ASSERT_EQUAL(0, chmod(project_path("a/b"), 0777));
    give(project_path("a"), STRANGER);
    give(project_path("a/b"), STRANGER);
    give(project_path("a/.git"), STRANGER);
    run_child(finds_own_in_own, "cannot become another user");
}

/* -- inside a repository ----------------------------------------------------------------------- */

void test_git_tree__inside_a_repository(void) {
    make_repository(project_path("store"));
    make_directory(project_path("store/hooks/deep"));
    make_file(project_path("store/main/.git"), "gitdir: ..\n");
    make_directory(project_path("store/main/src"));
    TEST_ASSERT_TRUE(git_tree_in_repository(project_path("store/hooks/deep")));
    TEST_ASSERT_TRUE(git_tree_in_repository(project_path("store/hooks")));
    TEST_ASSERT_FALSE(git_tree_in_repository(project_path("store/main/src")));
    TEST_ASSERT_FALSE(git_tree_in_repository(project_path("store/main")));
    TEST_ASSERT_FALSE(git_tree_in_repository(project_path("store")));
    TEST_ASSERT_FALSE(git_tree_in_repository(project_path("a/b")));
    TEST_ASSERT_FALSE(git_tree_in_repository("/"));
}
