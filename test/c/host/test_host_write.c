/* A written file keeps the attributes of the one it replaces, and other writers are kept away.
 *
 * SPDX-License-Identifier: MIT
 */
#include "changes.h"
#include "fixture.h"

#include "unity.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define EDIT "{\"path\":\"a.txt\",\"old_str\":\"two\",\"new_str\":\"2\"}"

void setUp(void) {
    support_start();
    make_file(project_path("a.txt"), "one\ntwo\nthree\n");
    ws = open_project("");
}

static struct stat stat_of(const char *name) {
    struct stat s;
    TEST_ASSERT_EQUAL(0, lstat(project_path(name), &s));
    return s;
}

static void check_edit(void) {
    TEST_ASSERT_EQUAL_STRING("ok", code_of(change(ws, "edit_file", EDIT)));
    TEST_ASSERT_EQUAL_STRING("one\n2\nthree\n", text_of(project_path("a.txt")));
    TEST_ASSERT_EQUAL(0, temporary_files());
}

static void set_attribute(const char *name, const void *value, size_t n) {
    if (setxattr(project_path("a.txt"), name, value, n, 0) != 0)
        TEST_IGNORE_MESSAGE("extended attributes cannot be set here");
}

static void check_attribute(const char *name, const void *value, size_t n) {
    char got[256];
    TEST_ASSERT_EQUAL(n, getxattr(project_path("a.txt"), name, got, sizeof got));
    TEST_ASSERT_TRUE(memcmp(value, got, n) == 0);
}

void test_host_write__keeps_user_attributes(void) {
    set_attribute("user.note", "kept", 4);
    set_attribute("user.empty", "", 0);
    check_edit();
    check_attribute("user.note", "kept", 4);
    check_attribute("user.empty", "", 0);
}

/* user::rw- user:1:r-- group::r-- mask::r-- other::--- */
static const unsigned char acl[] = {2,  0, 0, 0,                         //
                                    1,  0, 6, 0, 0xFF, 0xFF, 0xFF, 0xFF, //
                                    2,  0, 4, 0, 1,    0,    0,    0,    //
                                    4,  0, 4, 0, 0xFF, 0xFF, 0xFF, 0xFF, //
                                    16, 0, 4, 0, 0xFF, 0xFF, 0xFF, 0xFF, //
                                    32, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF};

void test_host_write__keeps_access_lists(void) {
    set_attribute("system.posix_acl_access", acl, sizeof acl);
    mode_t mode = stat_of("a.txt").st_mode;
    check_edit();
    check_attribute("system.posix_acl_access", acl, sizeof acl);
    TEST_ASSERT_EQUAL(mode, stat_of("a.txt").st_mode);
}

/* CAP_NET_BIND_SERVICE, permitted. */
static const unsigned char capability[] = {1, 0, 0, 2, 0, 4, 0, 0, 0, 0,
                                           0, 0, 0, 0, 0, 0, 0, 0, 0, 0};

void test_host_write__drops_capabilities(void) {
    set_attribute("security.capability", capability, sizeof capability);
    check_edit();
    TEST_ASSERT_EQUAL(-1, getxattr(project_path("a.txt"), "security.capability", NULL, 0));
    TEST_ASSERT_EQUAL(ENODATA, errno);
}

void test_host_write__keeps_the_owner(void) {
    if (chown(project_path("a.txt"), 1234, 1235) != 0)
        TEST_IGNORE_MESSAGE("only root can give files away");
    check_edit();
    TEST_ASSERT_EQUAL(1234, stat_of("a.txt").st_uid);
    TEST_ASSERT_EQUAL(1235, stat_of("a.txt").st_gid);
}

/* The mode of a new file follows the directory's default access list and the umask. */
void test_host_write__new_files_take_after_the_directory(void) {
    mode_t mask = umask(027);
    TEST_ASSERT_EQUAL_STRING(
        "ok", code_of(change(ws, "create_file", "{\"path\":\"d/new\",\"content\":\"x\"}")));
    (void)umask(mask);
    TEST_ASSERT_EQUAL(S_IFREG | 0640, stat_of("d/new").st_mode);
    TEST_ASSERT_EQUAL(S_IFDIR | 0750, stat_of("d").st_mode);
}

void test_host_write__keeps_setgid_of_directories(void) {
    make_directory(project_path("d"));
    (void)!chown(project_path("d"), (uid_t)-1, geteuid() == 0 ? 1235 : (gid_t)-1);
    TEST_ASSERT_EQUAL(0, chmod(project_path("d"), 02755));
    TEST_ASSERT_EQUAL_STRING(
        "ok", code_of(change(ws, "create_file", "{\"path\":\"d/e/new\",\"content\":\"x\"}")));
    TEST_ASSERT_EQUAL(stat_of("d").st_gid, stat_of("d/e").st_gid);
    TEST_ASSERT_EQUAL(stat_of("d").st_gid, stat_of("d/e/new").st_gid);
    TEST_ASSERT_TRUE(stat_of("d/e").st_mode & S_ISGID);
}

void test_host_write__an_outside_hard_link_is_not_altered(void) {
    make_file(base_path("outside"), "one\ntwo\n");
    make_second_name(base_path("outside"), project_path("twin"));
    const json_t *reply =
        change(ws, "edit_file", "{\"path\":\"twin\",\"old_str\":\"two\",\"new_str\":\"2\"}");
    TEST_ASSERT_EQUAL(2, number_in(reply, "links"));
    TEST_ASSERT_EQUAL_STRING("one\ntwo\n", text_of(base_path("outside")));
    TEST_ASSERT_EQUAL_STRING("one\n2\n", text_of(project_path("twin")));
}

/* -- other writers ---------------------------------------------------------------------------- */

static bool has_leases(void) {
    int fd = open(project_path("a.txt"), O_RDONLY | O_CLOEXEC);
    bool has = !lacks_call("leases") && fcntl(fd, F_SETLEASE, F_RDLCK) == 0;
    close(fd);
    return has;
}

/* A program that has the file open would write to the file that was replaced. */
void test_host_write__not_under_somebody_who_writes(void) {
    if (!has_leases())
        TEST_IGNORE_MESSAGE("there are no leases here");
    int fd = open(project_path("a.txt"), O_RDWR | O_CLOEXEC);
    const json_t *reply = change(ws, "edit_file", EDIT);
    TEST_ASSERT_EQUAL_STRING("stale", code_of(reply));
    TEST_ASSERT_NOT_NULL(strstr(text_in(reply, "hint"), "open for writing"));
    TEST_ASSERT_EQUAL(3, pwrite(fd, "ONE", 3, 0));
    close(fd);
    TEST_ASSERT_EQUAL_STRING("ONE\ntwo\nthree\n", text_of(project_path("a.txt")));
    TEST_ASSERT_EQUAL(0, temporary_files());
}

static volatile sig_atomic_t signals;

static void count_signal(int number) {
    (void)number;
    signals++;
}

static void *write_often(void *stop) {
    while (!__atomic_load_n((bool *)stop, __ATOMIC_SEQ_CST)) {
        int fd = open(project_path("a.txt"), O_WRONLY | O_CLOEXEC);
        if (fd >= 0)
            close(fd);
    }
    return NULL;
}

/* The kernel ends a lease with a signal to its taker, which our host program must not get.  It may
 * get SIGWINCH, which is ignored unless handled, in the moment before the file has no owner. */
void test_host_write__sends_the_program_no_signal(void) {
    static const int numbers[] = {SIGIO, SIGURG};
    struct sigaction count = {.sa_handler = count_signal}, before[2];
    bool stop = false;
    pthread_t thread;
    signals = 0;
    for (int i = 0; i < 2; i++)
        TEST_ASSERT_EQUAL(0, sigaction(numbers[i], &count, &before[i]));
    TEST_ASSERT_EQUAL(0, pthread_create(&thread, NULL, write_often, &stop));
    for (int i = 0; i < 300; i++)
        (void)change(ws, "write_file",
                     i % 2 ? "{\"path\":\"a.txt\",\"content\":\"x\"}"
                           : "{\"path\":\"a.txt\",\"content\":\"y\"}");
    __atomic_store_n(&stop, true, __ATOMIC_SEQ_CST);
    TEST_ASSERT_EQUAL(0, pthread_join(thread, NULL));
    for (int i = 0; i < 2; i++)
        TEST_ASSERT_EQUAL(0, sigaction(numbers[i], &before[i], NULL));
    TEST_ASSERT_EQUAL(0, signals);
    TEST_ASSERT_EQUAL(0, temporary_files());
}
