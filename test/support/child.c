/* child.c -- children of a test: see child.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "child.h"

#include "die.h"

#include <endian.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
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

static bool filter(const struct sock_filter *steps, size_t n) {
    const struct sock_fprog program = {.len = (unsigned short)n,
                                       .filter = (struct sock_filter *)steps};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static bool answer_call(long number, unsigned answer) {
    const struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, answer),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    return filter(steps, sizeof steps / sizeof *steps);
}

bool forbid_call(long number, int errnum) {
    return answer_call(number, SECCOMP_RET_ERRNO | ((unsigned)errnum & SECCOMP_RET_DATA));
}

bool end_at_call(long number) {
    return answer_call(number, SECCOMP_RET_KILL_PROCESS);
}

/* A filter reads the two halves of an argument one by one. */
#define LOW_HALF (__BYTE_ORDER == __BIG_ENDIAN ? 4U : 0U)

bool forbid_call_with(long number, unsigned argument, unsigned value, int errnum) {
    const size_t at = offsetof(struct seccomp_data, args) + argument * sizeof(uint64_t) + LOW_HALF;
    const struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)at),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ((unsigned)errnum & SECCOMP_RET_DATA)),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    return filter(steps, sizeof steps / sizeof *steps);
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
