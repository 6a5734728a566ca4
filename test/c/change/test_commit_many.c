/* Commits of many files: by several threads, and put on disk as a whole where that can be done.
 *
 * SPDX-License-Identifier: MIT
 */
#include "changes.h"
#include "fixture.h"

#include "buf.h"

#include "unity.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#define FILES 100

/* The machine as the code sees it, and the requests that it got. */
static struct {
    const char *release; /* of its kernel, or NULL for what it is */
    const char *meminfo; /* or NULL */
    int missing;         /* what syncfs always answers, or 0 */
    int fails;           /* so many-th syncfs fails */
    atomic_int syncfs, fsync, fsync_of_root;
} machine;

int syncfs(int fd) {
    if (machine.missing || fd < 0) {
        errno = machine.missing ? machine.missing : EBADF;
        return -1;
    }
    if (++machine.syncfs == machine.fails) {
        errno = EIO;
        return -1;
    }
    return (int)syscall(SYS_syncfs, fd);
}

int fsync(int fd) {
    struct stat s, root;
    machine.fsync++;
    machine.fsync_of_root += fstat(fd, &s) == 0 && stat(project_path(""), &root) == 0 &&
                             s.st_ino == root.st_ino && s.st_dev == root.st_dev;
    return (int)syscall(SYS_fsync, fd);
}

// NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): glibc's name is reserved
int uname(struct utsname *out) {
    int result = (int)syscall(SYS_uname, out);
    if (machine.release)
        (void)snprintf(out->release, sizeof out->release, "%s", machine.release);
    return result;
}

// NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): glibc's name is reserved
int openat(int dir, const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = (flags & O_CREAT) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    if (!machine.meminfo || strcmp(path, "/proc/meminfo") != 0)
        return (int)syscall(SYS_openat, dir, path, flags, mode);
    int fd = memfd_create("meminfo", MFD_CLOEXEC);
    TEST_ASSERT_EQUAL(strlen(machine.meminfo), write(fd, machine.meminfo, strlen(machine.meminfo)));
    return fd;
}

#define MEMINFO(dirty, writing)                                                                    \
    "MemTotal: 1 kB\nDirty: " dirty " kB\nWriteback:  " writing " kB\nWritebackTmp: 1 kB\n"

static const char *name_of(int i) {
    static char name[32];
    (void)snprintf(name, sizeof name, "d%d/f%d.txt", i % 7, i);
    return name;
}

void setUp(void) {
    support_start();
    for (int i = 0; i < FILES; i += 2)
        make_file(project_path(name_of(i)), "old\n");
    memset(&machine, 0, sizeof machine);
    machine.meminfo = MEMINFO("10", "10");
    machine.release = "6.1.0-13-amd64";
    machine.missing = lacks_call("syncfs") ? ENOSYS : 0;
    ws = open_project("");
}

/* -- a patch of the first N files: of two, one is changed and the other is new -------------------
 */

static char *patch_of(int n, int other) {
    struct buf out = {0};
    for (int i = 0; i < n; i++) {
        const char *name = name_of(i);
        if (i % 2)
            buf_printf(&out, "--- /dev/null\n+++ b/%s\n@@ -0,0 +1 @@\n+new\n", name);
        else
            buf_printf(&out, "--- a/%s\n+++ b/%s\n@@ -1 +1 @@\n-%s\n+new\n", name, name,
                       i >= other ? "other" : "old");
    }
    TEST_ASSERT_FALSE(out.failed);
    return out.data;
}

/* The patch says that the file OTHER and those behind it hold something else. */
static json_t *patch(int n, int other) {
    char *text = patch_of(n, other);
    json_t *args = json_pack("{s:s}", "patch", text);
    char *json = json_dumps(args, 0);
    json_t *reply = change(ws, "apply_patch", json);
    json_decref(args);
    free(json);
    free(text);
    return reply;
}

static void check_files(int changed) {
    for (int i = 0; i < FILES; i++) {
        const char *wanted = i < changed ? "new\n" : i % 2 ? "(none)" : "old\n";
        TEST_ASSERT_EQUAL_STRING_MESSAGE(wanted, text_of(project_path(name_of(i))), name_of(i));
    }
    TEST_ASSERT_EQUAL(0, temporary_files());
}

static void check_patch(int n, int syncfs_calls) {
    TEST_ASSERT_EQUAL_STRING("ok", code_of(patch(n, FILES)));
    check_files(n);
    TEST_ASSERT_EQUAL(syncfs_calls, machine.syncfs);
    if (syncfs_calls == 0)
        TEST_ASSERT_GREATER_OR_EQUAL(n, machine.fsync);
    else
        TEST_ASSERT_LESS_THAN(10, machine.fsync);
    /* Before Linux 5.17 syncfs does not tell of a file system's journal that could not be written.
     */
    TEST_ASSERT_EQUAL(syncfs_calls, machine.fsync_of_root);
}

/* How often syncfs is called where it may be. */
static int whole(void) {
    return ws->roots[0].is_well_known && !machine.missing ? 2 : 0;
}

static void need_syncfs(void) {
    if (!whole())
        TEST_IGNORE_MESSAGE("there is no syncfs here, or it is not known what it does");
}

/* -- tests --------------------------------------------------------------------------------------
 */

/* Once for the new files, and once for their names. */
void test_commit_many__many_are_put_on_disk_as_a_whole(void) {
    check_patch(FILES, whole());
}

void test_commit_many__few_are_put_on_disk_each(void) {
    check_patch(15, 0);
}

void test_commit_many__each_where_there_is_no_syncfs(void) {
    machine.missing = ENOSYS;
    check_patch(FILES, 0);
}

void test_commit_many__each_where_syncfs_is_forbidden(void) {
    machine.missing = EPERM;
    check_patch(FILES, 0);
}

void test_commit_many__each_where_syncfs_tells_of_no_errors(void) {
    machine.release = "5.7.19";
    check_patch(FILES, 0);
}

void test_commit_many__each_where_the_kernel_is_old(void) {
    machine.release = "4.19.0-9-amd64";
    check_patch(FILES, 0);
}

void test_commit_many__as_a_whole_from_5_8_on(void) {
    machine.release = "5.8";
    check_patch(FILES, whole());
}

/* Syncing all would wait for the writes of others. */
void test_commit_many__each_where_much_is_waiting(void) {
    machine.meminfo = MEMINFO("999999", "0");
    check_patch(FILES, 0);
}

void test_commit_many__as_a_whole_where_64_megabytes_are_waiting(void) {
    machine.meminfo = MEMINFO("65000", "536");
    check_patch(FILES, whole());
}

void test_commit_many__each_where_more_is_waiting(void) {
    machine.meminfo = MEMINFO("65000", "537");
    check_patch(FILES, 0);
}

void test_commit_many__each_where_much_is_being_written(void) {
    machine.meminfo = MEMINFO("0", "999999");
    check_patch(FILES, 0);
}

void test_commit_many__each_where_that_is_not_told(void) {
    machine.meminfo = "MemTotal: 1 kB\n";
    check_patch(FILES, 0);
}

/* Not all of it need be on one file system. */
void test_commit_many__each_where_mounts_are_crossed(void) {
    aqfs_free(ws);
    ws = open_project("\"cross_mounts\":true");
    check_patch(FILES, 0);
}

void test_commit_many__nothing_is_done_where_the_disk_fails(void) {
    need_syncfs();
    machine.fails = 1;
    TEST_ASSERT_EQUAL_STRING("io", code_of(patch(FILES, FILES)));
    check_files(0);
    machine.fails = 0;
    machine.syncfs = 0;
    machine.fsync = 0;
    check_patch(FILES, 2);
}

void test_commit_many__it_is_told_where_the_disk_may_not_have_the_names(void) {
    need_syncfs();
    machine.fails = 2;
    TEST_ASSERT_EQUAL_STRING("durability-unknown", code_of(patch(FILES, FILES)));
    check_files(FILES);
}

static int fail_in_the_middle(void) {
    const struct rlimit limit = {64 * 1024, 64 * 1024};
    struct buf json = {0};
    buf_str(&json, "{\"patch\":\"");
    for (int i = 1; i < FILES; i += 2) {
        int lines = i == 51 ? 70000 : 1;
        buf_printf(&json, "--- /dev/null\\n+++ b/%s\\n@@ -0,0 +1,%d @@\\n", name_of(i), lines);
        for (int line = 0; line < lines; line++)
            buf_str(&json, "+\\n");
    }
    buf_str(&json, "\"}");
    CHILD_CHECK(signal(SIGXFSZ, SIG_IGN) != SIG_ERR && setrlimit(RLIMIT_FSIZE, &limit) == 0);
    CHILD_CHECK(strcmp(code_of(change(ws, "apply_patch", json.data)), "ok") != 0);
    buf_free(&json);
    return 0;
}

/* By then other threads have made some of the other files. */
void test_commit_many__nothing_is_done_where_one_cannot_be_made(void) {
    run_child(fail_in_the_middle, "");
    check_files(0);
}

/* Whichever thread was faster. */
void test_commit_many__the_first_error_is_told(void) {
    for (int round = 0; round < 20; round++) {
        const json_t *reply = patch(FILES, 20);
        TEST_ASSERT_EQUAL_STRING("patch-apply", code_of(reply));
        TEST_ASSERT_NOT_NULL(strstr(text_in(reply, "message"), "d6/f20.txt"));
        check_files(0);
    }
}

void test_commit_many__one_thread_is_enough(void) {
    aqfs_free(ws);
    ws = open_project("\"limits\":{\"threads\":1}");
    check_patch(FILES, whole());
}
