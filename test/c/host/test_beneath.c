/* SPDX-License-Identifier: MIT */
#include "beneath.h"

#include "clock.h"
#include "fixture.h"
#include "kernel.h"

#include "unity.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

void setUp(void) {
    support_start();
    make_file(project_path("a/b/f"), "inside\n");
    make_file(base_path("outside/f"), "outside\n");
    ws = open_project("");
}

/* 0 when PATH can be opened with FLAGS and is what SAME names, else the error. */
static int opens(const char *path, int flags, const char *same) {
    struct stat opened, wanted;
    int fd = beneath_open(ws, &ws->roots[0], path, flags);
    if (fd < 0)
        return fd;
    bool right = fstat(fd, &opened) == 0 && lstat(same, &wanted) == 0 &&
                 opened.st_ino == wanted.st_ino && opened.st_dev == wanted.st_dev;
    bool closes_on_exec = fcntl(fd, F_GETFD) & FD_CLOEXEC;
    close(fd);
    return right && closes_on_exec ? 0 : -ESTALE;
}

static void check_open(const char *path, int flags) {
    TEST_ASSERT_EQUAL_MESSAGE(0, opens(path, flags, project_path(path)), path);
}

static void check_error(int error, const char *path, int flags) {
    TEST_ASSERT_EQUAL_MESSAGE(-error, opens(path, flags, "/"), path);
}

void test_beneath__files_and_directories(void) {
    check_open("a/b/f", O_RDONLY);
    check_open("a/b/f", O_PATH);
    check_open("a/b", O_RDONLY | O_DIRECTORY);
    check_open("a", O_PATH);
    check_open("", O_RDONLY | O_DIRECTORY);
    check_open("", O_PATH);
}

void test_beneath__what_is_not_there(void) {
    check_error(ENOENT, "none", O_RDONLY);
    check_error(ENOENT, "none/x", O_RDONLY);
    check_error(ENOTDIR, "a/b/f/x", O_RDONLY);
    check_error(ENOTDIR, "a/b/f", O_RDONLY | O_DIRECTORY);
}

/* A link is opened as itself at the end, with O_PATH; never followed. */
void test_beneath__links_are_refused(void) {
    make_link(project_path("in"), "a/b/f");
    make_link(project_path("dir"), "a");
    make_link(project_path("out"), "../outside");
    make_link(project_path("a/out"), "../../outside/f");
    make_link(project_path("dangling"), "none");
    check_open("in", O_PATH);
    check_open("out", O_PATH);
    check_error(ELOOP, "in", O_RDONLY);
    check_error(ELOOP, "a/out", O_RDONLY);
    check_error(ELOOP, "dangling", O_RDONLY);
    static const char *const through[] = {"dir/b/f", "out/f", "out/none", "in/x"};
    for (size_t i = 0; i < sizeof through / sizeof *through; i++) {
        int error = opens(through[i], O_RDONLY, "/");
        TEST_ASSERT_TRUE_MESSAGE(error == -ELOOP || error == -ENOTDIR, through[i]);
    }
    int error = opens("out", O_RDONLY | O_DIRECTORY, "/");
    TEST_ASSERT_TRUE(error == -ELOOP || error == -ENOTDIR);
}

/* These are not in canonical paths; openat2 and the steps refuse them anyway, or stay inside. */
void test_beneath__dots_lead_nowhere_else(void) {
    static const char *const paths[] = {"..", "../outside/f", "a/../../outside/f", "/etc/passwd"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths && !uses_fallback(); i++)
        TEST_ASSERT_EQUAL_MESSAGE(-EXDEV, opens(paths[i], O_RDONLY, "/"), paths[i]);
}

void test_beneath__long_names(void) {
    static char name[257];
    memset(name, 'n', 256);
    check_error(ENAMETOOLONG, name, O_PATH);
    name[255] = '\0';
    make_file(project_path(name), "");
    check_open(name, O_PATH);
}

void test_beneath__stat(void) {
    struct info info;
    int fd = open(project_path("a/b"), O_PATH | O_DIRECTORY | O_CLOEXEC);
    TEST_ASSERT_EQUAL(0, kernel_stat(fd, &info));
    TEST_ASSERT_EQUAL(NODE_DIRECTORY, info.type);
    TEST_ASSERT_EQUAL(0, kernel_stat_at(fd, "f", &info));
    TEST_ASSERT_EQUAL(NODE_FILE, info.type);
    TEST_ASSERT_EQUAL_INT64(7, info.size);
    TEST_ASSERT_EQUAL(1, info.links);
    uint64_t mount = 0;
    TEST_ASSERT_EQUAL(0, kernel_mount(fd, &info, &mount));
    TEST_ASSERT_EQUAL_UINT64(ws->roots[0].mount, mount);
    make_link(project_path("a/b/l"), "f");
    TEST_ASSERT_EQUAL(0, kernel_stat_at(fd, "l", &info));
    TEST_ASSERT_EQUAL(NODE_SYMLINK, info.type);
    TEST_ASSERT_EQUAL(0, mkfifo(project_path("a/b/p"), 0600));
    TEST_ASSERT_EQUAL(0, kernel_stat_at(fd, "p", &info));
    TEST_ASSERT_EQUAL(NODE_OTHER, info.type);
    TEST_ASSERT_EQUAL(-ENOENT, kernel_stat_at(fd, "none", &info));
    close(fd);
    TEST_ASSERT_EQUAL(-EBADF, kernel_stat(fd, &info));
}

/* -- without openat2 -------------------------------------------------------------------------- */

/* Everything as above, without openat2: in a child, since the filter stays. */
static int read_without_openat2(int errnum) {
    bool openat2_before = has_openat2();
    make_link(project_path("out"), "../outside");
    if (!forbid_call(SYS_openat2, errnum))
        return CHILD_SKIP;
    CHILD_CHECK(syscall(SYS_openat2, -1, "", NULL, 0) == -1);
    CHILD_CHECK(errno == errnum || !openat2_before);
    CHILD_CHECK(opens("a/b/f", O_RDONLY, project_path("a/b/f")) == 0);
    CHILD_CHECK(opens("", O_PATH, project_path("")) == 0);
    int error = opens("out/f", O_RDONLY, "/");
    CHILD_CHECK(error == -ELOOP || error == -ENOTDIR);
    CHILD_CHECK(strcmp(code_of(ask_path(ws, "read_file", "a/b/f")), "ok") == 0);
    CHILD_CHECK(strcmp(code_of(ask_path(ws, "read_file", "out/f")), "outside-root") == 0);
    CHILD_CHECK(strcmp(code_of(ask(ws, "directory_tree", "{}")), "ok") == 0);
    return 0;
}

/* Must the workspace have noticed that openat2 is missing?  Only where the resolver tried it. */
static bool misses_openat2(void) {
    return ws->resolver != RESOLVER_FALLBACK && !has_openat2();
}

static int without_openat2(void) {
    return read_without_openat2(ENOSYS);
}

static int with_openat2_forbidden(void) {
    return read_without_openat2(EPERM);
}

/* Threat 92: also with a filter installed after first use. */
void test_beneath__falls_back_where_openat2_is_missing(void) {
    check_open("a/b/f", O_RDONLY);
    run_child(without_openat2, "seccomp filters are not permitted here");
    TEST_ASSERT_EQUAL(misses_openat2(), ws->openat2_missing);
}

/* Threat 92: as container profiles older than openat2 answer. */
void test_beneath__falls_back_where_openat2_is_forbidden(void) {
    check_open("a/b/f", O_RDONLY);
    run_child(with_openat2_forbidden, "seccomp filters are not permitted here");
}

static int with_resolver_openat2(void) {
    ws->resolver = RESOLVER_OPENAT2;
    if (!forbid_call(SYS_openat2, ENOSYS))
        return CHILD_SKIP;
    CHILD_CHECK(opens("a/b/f", O_RDONLY, "/") == -ENOTSUP);
    CHILD_CHECK(strcmp(code_of(ask_path(ws, "read_file", "a/b/f")), "ok") != 0);
    return 0;
}

/* The resolver `openat2` never falls back to steps. */
void test_beneath__no_fallback_when_openat2_is_asked_for(void) {
    run_child(with_resolver_openat2, "seccomp filters are not permitted here");
}

static int only_the_path_is_forbidden(void) {
    if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
        return CHILD_SKIP;
    int error = opens("locked/x", O_PATH, "/");
    CHILD_CHECK(error == -EACCES);
    CHILD_CHECK(ws->openat2_missing == misses_openat2());
    return 0;
}

/* EACCES of a path does not mean that openat2 is missing. */
void test_beneath__a_forbidden_path_is_no_missing_call(void) {
    make_file(project_path("locked/x"), "x");
    TEST_ASSERT_EQUAL(0, chmod(project_path("locked"), 0));
    TEST_ASSERT_EQUAL(0, chmod(base_path(""), 0755));
    run_child(only_the_path_is_forbidden, "cannot become another user");
    TEST_ASSERT_EQUAL(0, chmod(project_path("locked"), 0700));
}

static int always_again(void) {
    if (!forbid_call(SYS_openat2, EAGAIN))
        return CHILD_SKIP;
    int64_t start = clock_now_ns();
    CHILD_CHECK(opens("a/b/f", O_RDONLY, "/") == -EAGAIN);
    CHILD_CHECK(strcmp(code_of(ask_path(ws, "read_file", "a/b/f")), "raced") == 0);
    CHILD_CHECK(strcmp(code_of(ask(ws, "list_dir", "{}")), "raced") == 0);
    CHILD_CHECK(clock_now_ns() - start < INT64_C(10000000000));
    return 0;
}

/* Threat 93. */
void test_beneath__disturbed_again_and_again(void) {
    if (uses_fallback())
        TEST_IGNORE_MESSAGE("the fallback makes no such call");
    run_child(always_again, "seccomp filters are not permitted here");
}

/* -- mounts ----------------------------------------------------------------------------------- */

static int mount_below(void) {
    make_directory(project_path("mnt"));
    if (!own_mounts() || mount("none", project_path("mnt"), "tmpfs", 0, "size=64k") != 0)
        return CHILD_SKIP;
    ws = open_project(""); /* the first one looks at the mounts of before */
    make_file(project_path("mnt/f"), "mounted\n");
    CHILD_CHECK(opens("mnt", O_PATH, "/") == -EXDEV);
    CHILD_CHECK(opens("mnt/f", O_RDONLY, "/") == -EXDEV);
    CHILD_CHECK(opens("a/b/f", O_RDONLY, project_path("a/b/f")) == 0);
    ws->cross_mounts = true;
    CHILD_CHECK(opens("mnt/f", O_RDONLY, project_path("mnt/f")) == 0);
    return 0;
}

/* Threat 32. */
void test_beneath__mounts_are_not_crossed(void) {
    run_child(mount_below, "mounts of one's own are not permitted here");
}

static int bind_below(void) {
    make_directory(project_path("bound"));
    if (!own_mounts() ||
        mount(base_path("outside"), project_path("bound"), "none", MS_BIND, "") != 0)
        return CHILD_SKIP;
    ws = open_project("");
    CHILD_CHECK(opens("bound", O_PATH, "/") == -EXDEV);
    CHILD_CHECK(opens("bound/f", O_RDONLY, "/") == -EXDEV); /* though it is the same device */
    return 0;
}

/* Threat 32. */
void test_beneath__bind_mounts_are_not_crossed(void) {
    run_child(bind_below, "mounts of one's own are not permitted here");
}

static int bind_on_a_file(void) {
    make_file(base_path("outside/needle"), "needle outside\n");
    make_file(project_path("a/b/f"), "needle\n");
    make_file(project_path("bound"), "needle below\n");
    if (!own_mounts() ||
        mount(base_path("outside/needle"), project_path("bound"), "none", MS_BIND, "") != 0)
        return CHILD_SKIP;
    ws = open_project("");
    CHILD_CHECK(opens("bound", O_RDONLY, "/") == -EXDEV);
    const json_t *reply = ask(ws, "grep_files", "{\"pattern\": \"needle\"}");
    const json_t *found = json_object_get(reply, "matches");
    CHILD_CHECK(json_array_size(found) == 1);
    CHILD_CHECK(strcmp(text_in(json_array_get(found, 0), "path"), "a/b/f") == 0);
    CHILD_CHECK(number_in(reply, "unreadable") == 1);
    ws->cross_mounts = true;
    reply = ask(ws, "grep_files", "{\"pattern\": \"needle\"}");
    CHILD_CHECK(json_array_size(json_object_get(reply, "matches")) == 2);
    return 0;
}

/* Threat 32: in a listing it is a file like others. */
void test_beneath__files_that_are_mounted_are_not_searched(void) {
    run_child(bind_on_a_file, "mounts of one's own are not permitted here");
}
