/* filter.c -- a filter for system calls: see filter.h.
 *
 * By two ioctls a program makes a terminal act on input that nobody typed: TIOCSTI types, and
 * TIOCLINUX pastes.  The filter refuses them to a command whose sandbox leaves it its terminal,
 * in both kinds of numbers that a 64-bit kernel takes, and all calls of other machines.
 *
 * These are 14 instructions; libseccomp would be one more library that every machine needs.
 *
 * SPDX-License-Identifier: MIT
 */
#include "filter.h"

#include <asm/ioctls.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined __x86_64__
#define OWN_MACHINE AUDIT_ARCH_X86_64
#define SMALL_MACHINE AUDIT_ARCH_I386
#define SMALL_IOCTL 54
#elif defined __aarch64__
#define OWN_MACHINE AUDIT_ARCH_AARCH64
#define SMALL_MACHINE AUDIT_ARCH_ARM
#define SMALL_IOCTL 54
#elif defined __riscv && __riscv_xlen == 64
#define OWN_MACHINE AUDIT_ARCH_RISCV64
#define SMALL_MACHINE AUDIT_ARCH_RISCV32
#define SMALL_IOCTL 29
#endif

#ifdef OWN_MACHINE

#define X32_BIT 0x40000000U /* x32 has a bit of its own in all numbers, */
#define X32_IOCTL 514       /* and a number of its own for ioctl */
#define LOAD(member)                                                                               \
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offsetof(struct seccomp_data, member))
#define LOAD_SECOND_ARGUMENT                                                                       \
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS,                                                             \
             (unsigned)offsetof(struct seccomp_data, args) + (unsigned)sizeof(unsigned long long))
#define WHEN(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)(value), yes, no)
#define ANSWER(value) BPF_STMT(BPF_RET | BPF_K, (unsigned)(value))

static const struct sock_filter instructions[] = {
    LOAD(arch),                                    /*  0 */
    WHEN(OWN_MACHINE, 0, 4),                       /*  1 else to 6 */
    LOAD(nr),                                      /*  2 */
    BPF_STMT(BPF_ALU | BPF_AND | BPF_K, ~X32_BIT), /*  3 */
    WHEN(SYS_ioctl, 4, 0),                         /*  4 to 9 */
    WHEN(X32_IOCTL, 3, 6),                         /*  5 to 9, else to 12 */
    WHEN(SMALL_MACHINE, 0, 6),                     /*  6 else to 13 */
    LOAD(nr),                                      /*  7 */
    WHEN(SMALL_IOCTL, 0, 3),                       /*  8 else to 12 */
    LOAD_SECOND_ARGUMENT,                          /*  9 */
    WHEN(TIOCSTI, 2, 0),                           /* 10 to 13 */
    WHEN(TIOCLINUX, 1, 0),                         /* 11 to 13 */
    ANSWER(SECCOMP_RET_ALLOW),                     /* 12 */
    ANSWER(SECCOMP_RET_ERRNO | EPERM),             /* 13 */
};

int filter_open(void) {
    int fd = memfd_create("agent-q-fs-filter", MFD_CLOEXEC);
    if (fd < 0)
        return -1;
    if (write(fd, instructions, sizeof instructions) == (ssize_t)sizeof instructions &&
        lseek(fd, 0, SEEK_SET) == 0)
        return fd;
    (void)close(fd);
    errno = ENOSPC;
    return -1;
}

#else

int filter_open(void) {
    errno = ENOSYS;
    return -1;
}

#endif
