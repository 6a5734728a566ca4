/* calls.c -- system calls that are there, or are taken away: see calls.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "calls.h"

#include <endian.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

bool lacks_call(const char *name) {
    const char *names = getenv("AQFS_TEST_LACKS");
    return names && strcasestr(names, name) != NULL;
}

bool has_openat2(void) {
    if (lacks_call("openat2"))
        return false;
    return syscall(SYS_openat2, -1, "", NULL, 0) == 0 || (errno != ENOSYS && errno != EPERM);
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
