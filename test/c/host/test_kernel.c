/* Each call that a Linux may lack, where the kernel has it, and where a filter answers for it as
 * older kernels and as sandboxes do.  `make test-without` runs other tests that way.
 *
 * SPDX-License-Identifier: MIT
 */
#include "kernel.h"

#include "changes.h"
#include "support.h"
#include "unity.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NO_FILTERS "seccomp filters are not permitted here"

static int dir = -1, file = -1;

void setUp(void) {
    support_start();
    make_file(project_path("a/f"), "hello");
    make_link(project_path("a/l"), "f");
    dir = open(project_path("a"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    file = open(project_path("a/f"), O_RDONLY | O_CLOEXEC);
}

void tearDown(void) {
    close(dir);
    close(file);
    support_end();
}

/* ---- Opening */

static int open_without(int errnum) {
    if (!forbid_call(SYS_openat2, errnum))
        return CHILD_SKIP;
    CHILD_CHECK(kernel_open_beneath(dir, "f", O_RDONLY, false) == -ENOSYS);
    CHILD_CHECK(kernel_open_beneath(dir, "none", O_RDONLY, false) == -ENOSYS);
    return 0;
}

static int open_where_missing(void) {
    return open_without(ENOSYS);
}

static int open_where_forbidden(void) {
    return open_without(EPERM);
}

static void use_openat2(void) {
    int fd = kernel_open_beneath(dir, "f", O_RDONLY, false);
    TEST_ASSERT_GREATER_OR_EQUAL(0, fd);
    close(fd);
    TEST_ASSERT_EQUAL(-ENOENT, kernel_open_beneath(dir, "none", O_RDONLY, false));
    TEST_ASSERT_EQUAL(-ELOOP, kernel_open_beneath(dir, "l", O_RDONLY, false));
    TEST_ASSERT_EQUAL(-EXDEV, kernel_open_beneath(dir, "../a/f", O_RDONLY, true));
}

void test_kernel__openat2(void) {
    if (has_openat2())
        use_openat2();
    run_child(open_where_missing, NO_FILTERS);
    run_child(open_where_forbidden, NO_FILTERS);
}

/* ---- Looking */

static struct info file_before, link_before;

static void look_at_both(struct info *of_file, struct info *of_link) {
    TEST_ASSERT_EQUAL(0, kernel_stat(file, of_file));
    TEST_ASSERT_EQUAL(0, kernel_stat_at(dir, "l", of_link));
}

static bool tells_the_same(const struct info *a, const struct info *b) {
    return a->type == b->type && a->size == b->size && a->modified_ns == b->modified_ns &&
           a->accessed_ns == b->accessed_ns && a->changed_ns == b->changed_ns &&
           a->device == b->device && a->inode == b->inode && a->mode == b->mode &&
           a->links == b->links && a->owner == b->owner && a->group == b->group;
}

static uint64_t mount_of(int descriptor, const struct info *info) {
    uint64_t mount = 0;
    return kernel_mount(descriptor, info, &mount) == 0 ? mount : 0;
}

/* Everything but the time of creation and the mount. */
static int look_without(int errnum) {
    struct info of_file, of_link, none;
    if (!forbid_call(SYS_statx, errnum))
        return CHILD_SKIP;
    CHILD_CHECK(kernel_stat(file, &of_file) == 0 && kernel_stat_at(dir, "l", &of_link) == 0);
    CHILD_CHECK(tells_the_same(&of_file, &file_before) && tells_the_same(&of_link, &link_before));
    CHILD_CHECK(of_file.created_ns == TIME_UNKNOWN && of_file.mount == 0);
    CHILD_CHECK(mount_of(file, &of_file) == mount_of(file, &file_before));
    CHILD_CHECK(kernel_stat_at(dir, "none", &none) == -ENOENT);
    CHILD_CHECK(kernel_stat(-1, &none) == -EBADF);
    return 0;
}

static int look_where_missing(void) {
    return look_without(ENOSYS);
}

static int look_where_forbidden(void) {
    return look_without(EPERM);
}

void test_kernel__the_time_of_creation(void) {
#ifdef STATX_BTIME
    struct statx s = {0};
    struct info info;
    if (lacks_call("statx") || statx(file, "", AT_EMPTY_PATH, STATX_BTIME, &s) != 0 ||
        !(s.stx_mask & STATX_BTIME))
        TEST_IGNORE_MESSAGE("no time of creation is told here");
    TEST_ASSERT_EQUAL(0, kernel_stat(file, &info));
    TEST_ASSERT_EQUAL_INT64(s.stx_btime.tv_sec * INT64_C(1000000000) + s.stx_btime.tv_nsec,
                            info.created_ns);
#else
    TEST_IGNORE_MESSAGE("no time of creation is told here");
#endif
}

/* Threat 136. */
void test_kernel__statx(void) {
    look_at_both(&file_before, &link_before);
    TEST_ASSERT_EQUAL(NODE_FILE, file_before.type);
    TEST_ASSERT_EQUAL(5, file_before.size);
    TEST_ASSERT_EQUAL(NODE_SYMLINK, link_before.type);
    run_child(look_where_missing, NO_FILTERS);
    run_child(look_where_forbidden, NO_FILTERS);
}

/* ---- Mounts */

/* Two mounts of one file system. */
static int tell_binds_apart(void) {
    struct info of_root, of_bind;
    make_directory(project_path("bind"));
    if (!own_mounts() || mount(project_path("a"), project_path("bind"), NULL, MS_BIND, NULL) != 0)
        return CHILD_SKIP;
    int fd = open(project_path("bind/f"), O_PATH | O_CLOEXEC);
    CHILD_CHECK(kernel_stat(file, &of_root) == 0 && kernel_stat(fd, &of_bind) == 0);
    CHILD_CHECK(mount_of(file, &of_root) != mount_of(fd, &of_bind));
    CHILD_CHECK(of_root.device == of_bind.device);
    /* /proc tells it, too */
    uint64_t told = mount_of(fd, &of_bind);
    of_root.mount = of_bind.mount = 0;
    CHILD_CHECK(mount_of(fd, &of_bind) == told);
    CHILD_CHECK(mount_of(file, &of_root) != told);
    /* and is not believed where another file system has its place */
    CHILD_CHECK(mount("none", "/proc", "tmpfs", 0, "size=64k") == 0);
    CHILD_CHECK(mount_of(fd, &of_bind) == mount_of(file, &of_root));
    CHILD_CHECK(mount_of(fd, &of_bind) >> 63 == 1);
    return 0;
}

/* Threats 32, 91 and 137. */
void test_kernel__mounts_of_one_file_system(void) {
    run_child(tell_binds_apart, "nothing can be mounted here");
}

static int ask_proc_in_vain(void) {
    struct info unknown;
    uint64_t mount = 0;
    CHILD_CHECK(kernel_stat(file, &unknown) == 0);
    unknown.mount = 0;
    CHILD_CHECK(kernel_mount(file, &unknown, &mount) == 0 && mount != 0);
    struct rlimit before;
    CHILD_CHECK(getrlimit(RLIMIT_NOFILE, &before) == 0);
    CHILD_CHECK(setrlimit(RLIMIT_NOFILE, &(struct rlimit){0, before.rlim_max}) == 0);
    mount = 0;
    int error = kernel_mount(file, &unknown, &mount);
    CHILD_CHECK(setrlimit(RLIMIT_NOFILE, &before) == 0);
    CHILD_CHECK(error == -EMFILE && mount == 0);
    return 0;
}

/* An error, not another mount: else a file of the project would be refused as one outside. */
void test_kernel__mount_that_proc_cannot_tell_now(void) {
    run_child(ask_proc_in_vain, NULL);
}

/* ---- Listing */

static int list_where_forbidden(void) {
    char block[1024];
    aqfs_workspace *ws = open_project("");
    if (!forbid_call(SYS_getdents64, EPERM))
        return CHILD_SKIP;
    CHILD_CHECK(kernel_list(dir, block, sizeof block) ==
                (lacks_call("getdents64") ? -ENOSYS : -EPERM));
    CHILD_CHECK(strcmp(code_of(ask_path(ws, "list_directory", "a")), "ok") != 0);
    aqfs_free(ws);
    return 0;
}

/* The C library's readdir needs it, too: then there is an error, and never a list that is empty. */
static int list_where_missing(void) {
    aqfs_workspace *ws = open_project("");
    if (!forbid_call(SYS_getdents64, ENOSYS))
        return CHILD_SKIP;
    CHILD_CHECK(strcmp(code_of(ask_path(ws, "list_directory", "a")), "io") == 0);
    CHILD_CHECK(strcmp(code_of(ask(ws, "directory_tree", "{}")), "io") == 0);
    CHILD_CHECK(strcmp(code_of(ask(ws, "grep_files", "{\"pattern\": \"hello\"}")), "io") == 0);
    CHILD_CHECK(strcmp(code_of(change(ws, "snapshot_create", "{}")), "ok") != 0);
    CHILD_CHECK(strcmp(code_of(change(ws, "delete_file", "{\"path\": \"a\", \"recursive\": true}")),
                       "ok") != 0);
    CHILD_CHECK(strcmp(text_of(project_path("a/f")), "hello") == 0);
    CHILD_CHECK(strcmp(code_of(ask_path(ws, "read_file", "a/f")), "ok") == 0);
    aqfs_free(ws);
    return 0;
}

static void use_getdents64(void) {
    char block[1024];
    TEST_ASSERT_GREATER_THAN(0, kernel_list(dir, block, sizeof block));
    TEST_ASSERT_EQUAL(0, kernel_list(dir, block, sizeof block));
}

/* Threat 138. */
void test_kernel__getdents64(void) {
    if (!lacks_call("getdents64"))
        use_getdents64();
    run_child(list_where_missing, NO_FILTERS);
    run_child(list_where_forbidden, NO_FILTERS);
}

/* ---- Renaming */

static int rename_without(int errnum) {
    if (!forbid_call(SYS_renameat2, errnum))
        return CHILD_SKIP;
    CHILD_CHECK(kernel_rename(dir, "f", dir, "g", RENAME_FRESH) == ENOSYS);
    CHILD_CHECK(kernel_rename(dir, "f", dir, "l", RENAME_SWAP) == ENOSYS);
    return 0;
}

static int rename_where_missing(void) {
    return rename_without(ENOSYS);
}

static int rename_where_forbidden(void) {
    return rename_without(EPERM);
}

static void use_renameat2(void) {
    TEST_ASSERT_EQUAL(EEXIST, kernel_rename(dir, "f", dir, "l", RENAME_FRESH));
    TEST_ASSERT_EQUAL(0, kernel_rename(dir, "f", dir, "l", RENAME_SWAP));
    TEST_ASSERT_EQUAL_STRING("hello", text_of(project_path("a/l")));
    TEST_ASSERT_EQUAL(0, kernel_rename(dir, "l", dir, "g", RENAME_FRESH));
    TEST_ASSERT_EQUAL_STRING("hello", text_of(project_path("a/g")));
}

void test_kernel__renameat2(void) {
    if (!lacks_call("renameat2"))
        use_renameat2();
    run_child(rename_where_missing, NO_FILTERS);
    run_child(rename_where_forbidden, NO_FILTERS);
}

static int rename_what_is_not_ours(void) {
    if (geteuid() != 0 || setgid(65534) != 0 || setuid(65534) != 0)
        return CHILD_SKIP;
    CHILD_CHECK(kernel_rename(dir, "f", dir, "g", RENAME_FRESH) == EPERM);
    return 0;
}

/* EPERM is also what the kernel says of another's file in a directory like /tmp. */
void test_kernel__a_forbidden_rename_is_no_missing_call(void) {
    if (lacks_call("renameat2"))
        return;
    TEST_ASSERT_EQUAL(0, chmod(base_path(""), 0755));
    TEST_ASSERT_EQUAL(0, chmod(project_path("a"), 01777));
    run_child(rename_what_is_not_ours, "only root can become another user");
}

/* ---- Leases */

static int lease_where_missing(void) {
    if (!forbid_call_with(SYS_fcntl, 1, F_SETLEASE, EINVAL))
        return CHILD_SKIP;
    CHILD_CHECK(kernel_lease(file) == GUARD_NONE);
    return 0;
}

static void use_leases(void) {
    TEST_ASSERT_EQUAL(GUARD_HELD, kernel_lease(file));
    TEST_ASSERT_TRUE(kernel_lease_holds(file));
}

void test_kernel__leases(void) {
    if (!lacks_call("leases"))
        use_leases();
    run_child(lease_where_missing, NO_FILTERS);
}

/* ---- Copying */

static int copy_without(int errnum) {
    off_t at = 0;
    int to = open(project_path("a/copy"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    bool forbidden = forbid_call(SYS_copy_file_range, errnum);
    ssize_t copied = forbidden ? kernel_copy(file, &at, to) : -ENOSYS;
    (void)close(to);
    CHILD_CHECK(copied == -ENOSYS && at == 0);
    return forbidden ? 0 : CHILD_SKIP;
}

static int copy_where_missing(void) {
    return copy_without(ENOSYS);
}

static int copy_where_forbidden(void) {
    return copy_without(EPERM);
}

static void use_copy_file_range(void) {
    off_t at = 1;
    int to = open(project_path("a/to"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    ssize_t n = kernel_copy(file, &at, to);
    close(to);
    TEST_ASSERT_EQUAL(4, n);
    TEST_ASSERT_EQUAL(5, at);
    TEST_ASSERT_EQUAL_STRING("ello", text_of(project_path("a/to")));
}

void test_kernel__copy_file_range(void) {
    if (!lacks_call("copy_file_range"))
        use_copy_file_range();
    run_child(copy_where_missing, NO_FILTERS);
    run_child(copy_where_forbidden, NO_FILTERS);
}

/* ---- All of a file system */

static int sync_where_missing(void) {
    if (!forbid_call(SYS_syncfs, ENOSYS))
        return CHILD_SKIP;
    CHILD_CHECK(!kernel_has_syncfs());
    CHILD_CHECK(kernel_syncfs(dir) == ENOSYS);
    return 0;
}

static int sync_where_forbidden(void) {
    if (!forbid_call(SYS_syncfs, EPERM))
        return CHILD_SKIP;
    CHILD_CHECK(!kernel_has_syncfs());
    return 0;
}

void test_kernel__syncfs(void) {
    TEST_ASSERT_TRUE(!kernel_has_syncfs() || kernel_syncfs(dir) == 0);
    run_child(sync_where_missing, NO_FILTERS);
    run_child(sync_where_forbidden, NO_FILTERS);
}

/* ---- Permissions */

static int may_without(int errnum) {
    int locked = open(project_path("a/locked"), O_PATH | O_CLOEXEC);
    bool changed = geteuid() != 0 || (setgid(65534) == 0 && setuid(65534) == 0);
    if (!changed || (errnum && !forbid_call(SYS_faccessat2, errnum))) {
        (void)close(locked);
        return CHILD_SKIP;
    }
    CHILD_CHECK(kernel_may(file, false));
    CHILD_CHECK(kernel_may(locked, false));
    CHILD_CHECK(!kernel_may(locked, true));
    CHILD_CHECK(!kernel_may(-1, false));
    return 0;
}

static int may_as_it_is(void) {
    return may_without(0);
}

static int may_where_missing(void) {
    return may_without(ENOSYS);
}

static int may_where_forbidden(void) {
    return may_without(EPERM);
}

void test_kernel__faccessat2(void) {
    make_file(project_path("a/locked"), "x");
    TEST_ASSERT_EQUAL(0, chmod(project_path("a/locked"), 0444));
    run_child(may_as_it_is, "only root can become another user");
    run_child(may_where_missing, NO_FILTERS);
    run_child(may_where_forbidden, NO_FILTERS);
}
