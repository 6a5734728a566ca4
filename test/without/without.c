/* without.c -- runs a program without some system calls, as on a kernel that does not have them or
 * in a container that forbids them:
 *
 *     without ENOSYS|EPERM CALL... -- PROGRAM [ARG...]
 *
 * CALL `leases` stands for the part of fcntl that takes leases, which answers EINVAL where a kernel
 * has none.  Ends with 77 where no filter is permitted.
 *
 * SPDX-License-Identifier: MIT
 */
#include "calls.h"
#include "die.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NOT_PERMITTED 77

static const struct {
    const char *name;
    long number;
} calls[] = {
    {"copy_file_range", SYS_copy_file_range},
    {"faccessat2", SYS_faccessat2},
    {"getdents64", SYS_getdents64},
    {"openat2", SYS_openat2},
    {"renameat2", SYS_renameat2},
    {"statx", SYS_statx},
    {"sync_file_range", SYS_sync_file_range},
    {"syncfs", SYS_syncfs},
};

static bool forbid(const char *name, int errnum) {
    if (strcmp(name, "leases") == 0)
        return forbid_call_with(SYS_fcntl, 1, F_SETLEASE, errnum == ENOSYS ? EINVAL : errnum);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (strcmp(name, calls[i].name) == 0)
            return forbid_call(calls[i].number, errnum);
    die("without: there is no call %s here", name);
}

int main(int argc, char **argv) {
    int i = 1;
    const char *error = argc > 1 ? argv[i++] : "";
    int errnum = strcmp(error, "ENOSYS") == 0 ? ENOSYS : strcmp(error, "EPERM") == 0 ? EPERM : 0;
    must(errnum, "without: ENOSYS or EPERM");
    for (; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (!forbid(argv[i], errnum))
            return NOT_PERMITTED;
    must(i + 1 < argc, "without: no program");
    (void)execvp(argv[i + 1], argv + i + 1);
    die("without: %s: %s", argv[i + 1], strerror(errno));
}
