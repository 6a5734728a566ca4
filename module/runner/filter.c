/* filter.c -- filters for system calls: see filter.h.
 *
 * A sandbox and a fence keep their command from files, but not from
 *   - a terminal that acts on input nobody typed: TIOCSTI types, TIOCLINUX pastes;
 *   - other processes' memory, and keys that the kernel holds for the person;
 *   - new user namespaces, in which much of the kernel can be reached that has had holes;
 *   - io_uring, by which calls are made that no filter sees.
 * A fence has the machine's network, so it also has no sockets (pairs of them are there).
 *
 * A program of the machine's 32-bit kind has other numbers for the same calls; those of any
 * other kind, and of x32, are refused whole.  libseccomp would be one more library that every
 * machine needs.
 *
 * SPDX-License-Identifier: MIT
 */
#include "filter.h"

#include <asm/ioctls.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined __x86_64__
#define OWN_MACHINE AUDIT_ARCH_X86_64
#define SMALL_MACHINE AUDIT_ARCH_I386
#define NUMBERS(own, i386, arm, generic) own, i386
#elif defined __aarch64__
#define OWN_MACHINE AUDIT_ARCH_AARCH64
#define SMALL_MACHINE AUDIT_ARCH_ARM
#define NUMBERS(own, i386, arm, generic) own, arm
#elif defined __riscv && __riscv_xlen == 64
#define OWN_MACHINE AUDIT_ARCH_RISCV64
#define SMALL_MACHINE AUDIT_ARCH_RISCV32
#define NUMBERS(own, i386, arm, generic) own, generic
#endif

#ifdef OWN_MACHINE

#define X32_BIT 0x40000000U /* in all numbers of x32; no other call has it */
#define INSTRUCTIONS_MOST 256

#define LOAD(offset) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)(offset))
#define LOAD_ARGUMENT(n)                                                                           \
    LOAD(offsetof(struct seccomp_data, args) + (n) * sizeof(unsigned long long))
#define WHEN(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)(value), yes, no)
#define ANSWER(value) BPF_STMT(BPF_RET | BPF_K, (unsigned)(value))
#define ALLOW ANSWER(SECCOMP_RET_ALLOW)
#define REFUSE(errnum) ANSWER(SECCOMP_RET_ERRNO | (unsigned)(errnum))

/* The part of a call that is refused. */
enum refused { ALL_OF_IT, AS_IF_UNKNOWN, INPUT_NOBODY_TYPED, NEW_USERS };

struct call_row {
    unsigned own, small; /* its numbers, NO_CALL where there is none */
    enum refused refused;
    int level;    /* of a fence, from which on it is allowed */
    bool sandbox; /* refused in one, too */
};
#define NO_CALL 0xffffffffU
#define EVERY_LEVEL 1000 /* refused at */

static const struct call_row call_rows[] = {
    {NUMBERS(SYS_ioctl, 54, 54, 29), INPUT_NOBODY_TYPED, EVERY_LEVEL, true},
    {NUMBERS(SYS_clone, 120, 120, 220), NEW_USERS, EVERY_LEVEL, true},
    {NUMBERS(SYS_unshare, 310, 337, 97), NEW_USERS, EVERY_LEVEL, true},
    {NUMBERS(435, 435, 435, 435), AS_IF_UNKNOWN, EVERY_LEVEL, true}, /* clone3 */
    {NUMBERS(425, 425, 425, 425), AS_IF_UNKNOWN, EVERY_LEVEL, true}, /* io_uring_setup */
    {NUMBERS(SYS_ptrace, 26, 26, 117), ALL_OF_IT, EVERY_LEVEL, true},
    {NUMBERS(SYS_process_vm_readv, 347, 376, 270), ALL_OF_IT, EVERY_LEVEL, true},
    {NUMBERS(SYS_process_vm_writev, 348, 377, 271), ALL_OF_IT, EVERY_LEVEL, true},
    {NUMBERS(SYS_add_key, 286, 309, 217), ALL_OF_IT, EVERY_LEVEL, true},
    {NUMBERS(SYS_request_key, 287, 310, 218), ALL_OF_IT, EVERY_LEVEL, true},
    {NUMBERS(SYS_keyctl, 288, 311, 219), ALL_OF_IT, EVERY_LEVEL, true},
    {NUMBERS(SYS_socket, 359, 281, 198), ALL_OF_IT, EVERY_LEVEL, false},
    {NUMBERS(NO_CALL, 102, 102, NO_CALL), ALL_OF_IT, EVERY_LEVEL, false}, /* socketcall */
    {NUMBERS(SYS_truncate, 92, 92, 45), ALL_OF_IT, 3, false},
    {NUMBERS(NO_CALL, 193, 193, NO_CALL), ALL_OF_IT, 3, false}, /* truncate64 */
};

struct call_filter {
    struct sock_filter at[INSTRUCTIONS_MOST];
    unsigned short n;
};

static void add_instructions(struct call_filter *f, const struct sock_filter *these, size_t n) {
    for (size_t i = 0; i < n && f->n < INSTRUCTIONS_MOST; i++)
        f->at[f->n++] = these[i];
}
#define ADD(filter, ...)                                                                           \
    add_instructions(filter, (const struct sock_filter[]){__VA_ARGS__},                            \
                     sizeof((const struct sock_filter[]){__VA_ARGS__}) /                           \
                         sizeof(struct sock_filter))

/* The number of the call is loaded, also behind these instructions. */
static void add_call(struct call_filter *f, unsigned number, enum refused refused) {
    switch (refused) {
    case ALL_OF_IT:
        ADD(f, WHEN(number, 0, 1), REFUSE(EPERM));
        break;
    case AS_IF_UNKNOWN:
        ADD(f, WHEN(number, 0, 1), REFUSE(ENOSYS));
        break;
    case INPUT_NOBODY_TYPED:
        ADD(f, WHEN(number, 0, 5), LOAD_ARGUMENT(1), WHEN(TIOCSTI, 1, 0), WHEN(TIOCLINUX, 0, 1),
            REFUSE(EPERM), ALLOW);
        break;
    case NEW_USERS:
        ADD(f, WHEN(number, 0, 4), LOAD_ARGUMENT(0),
            BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (unsigned)CLONE_NEWUSER, 0, 1), REFUSE(EPERM),
            ALLOW);
        break;
    }
}

/* LEVEL is 0 for a sandbox. */
static void add_machine(struct call_filter *f, bool small, int level) {
    ADD(f, LOAD(offsetof(struct seccomp_data, nr)));
    ADD(f, BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1), REFUSE(EPERM));
    for (size_t i = 0; i < sizeof call_rows / sizeof *call_rows; i++) {
        const struct call_row *row = &call_rows[i];
        unsigned number = small ? row->small : row->own;
        if (number != NO_CALL && (row->sandbox || (level > 0 && level < row->level)))
            add_call(f, number, row->refused);
    }
    ADD(f, ALLOW);
}

static void filter_build(struct call_filter *f, int level) {
    f->n = 0;
    ADD(f, LOAD(offsetof(struct seccomp_data, arch)));
    ADD(f, WHEN(SMALL_MACHINE, 0, 1), BPF_STMT(BPF_JMP | BPF_JA, 0));
    unsigned short jump = (unsigned short)(f->n - 1);
    ADD(f, WHEN(OWN_MACHINE, 1, 0), REFUSE(EPERM));
    add_machine(f, false, level);
    f->at[jump].k = f->n - jump - 1U;
    add_machine(f, true, level);
}

int filter_open(void) {
    struct call_filter f;
    filter_build(&f, 0);
    ssize_t size = (ssize_t)(f.n * sizeof *f.at);
    int fd = memfd_create("agent-q-fs-filter", MFD_CLOEXEC);
    if (fd < 0)
        return -1;
    if (write(fd, f.at, (size_t)size) == size && lseek(fd, 0, SEEK_SET) == 0)
        return fd;
    (void)close(fd);
    errno = ENOSPC;
    return -1;
}

bool filter_enter(int level) {
    struct call_filter f;
    filter_build(&f, level);
    const struct sock_fprog program = {.len = f.n, .filter = f.at};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

#else

int filter_open(void) {
    errno = ENOSYS;
    return -1;
}

bool filter_enter(int level) {
    (void)level;
    errno = ENOSYS;
    return false;
}

#endif
