/* child.c -- children of a test: see child.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "child.h"

#include "die.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

pid_t start_child(void) {
    (void)fflush(stdout);
    pid_t child = fork();
    must(child >= 0, "fork");
    /* A test that hangs ends alone, and its children must not go on. */
    if (child == 0)
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    return child;
}

int end_child(pid_t child) {
    int status = 0;
    must(waitpid(child, &status, 0) == child, "waitpid");
    return status;
}

int run_apart(void (*body)(void *data), void *data) {
    pid_t child = start_child();
    if (child == 0) {
        body(data);
        (void)fflush(stdout);
        _exit(0);
    }
    return end_child(child);
}

bool was_killed(int status) {
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

/* The child runs another program in the end, so that no leak checker reports what it left open. */
int in_child(int (*body)(void)) {
    int *answer =
        mmap(NULL, sizeof *answer, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    must(answer != MAP_FAILED, "mmap");
    *answer = -1;
    pid_t child = start_child();
    if (child == 0) {
        *answer = body();
        (void)execl("/bin/true", "true", (char *)NULL);
        _exit(1);
    }
    int status = end_child(child), answered = *answer;
    (void)munmap(answer, sizeof *answer);
    if (status != 0)
        die("the child ended with status %d", status);
    return answered;
}

static bool write_file(const char *path, const char *text) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    if (fd >= 0)
        close(fd);
    return written;
}

/* A user may change mounts in a namespace of users in which only this user exists. */
static bool own_users(void) {
    char users[40], groups[40];
    (void)snprintf(users, sizeof users, "%u %u 1", geteuid(), geteuid());
    (void)snprintf(groups, sizeof groups, "%u %u 1", getegid(), getegid());
    return unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 &&
           write_file("/proc/self/setgroups", "deny") && write_file("/proc/self/uid_map", users) &&
           write_file("/proc/self/gid_map", groups);
}

bool own_mounts(void) {
    return (unshare(CLONE_NEWNS) == 0 || own_users()) &&
           mount("none", "/", "none", MS_REC | MS_PRIVATE, "") == 0;
}

bool mount_folding(const char *image, const char *folding, const char *on) {
    char command[4000];
    (void)snprintf(command, sizeof command,
                   "exec >/dev/null 2>&1; i=%s p=%s f=%s; truncate -s 64M $i && mkdir $f && "
                   "{ mkfs.ext4 -q -O casefold $i && mount -o loop $i $f && "
                   "  { chattr +F $f || { mkdir $f/x && chattr +F $f/x && f=$f/x; }; } || "
                   "  mkfs.exfat $i && l=$(losetup -f --show $i) && "
                   "  { mount -t exfat $l $f || mount.exfat-fuse $l $f; r=$?; losetup -d $l; "
                   "    [ $r = 0 ]; }; } && mount --bind $f $p",
                   image, on, folding);
    return own_mounts() && system(command) == 0;
}
