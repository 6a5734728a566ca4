/* guard.c -- a process and a second one that guard each other: see guard.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "guard.h"

#include "leavings.h"
#include "tree.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Closes what the owner had open when it started this program. */
static void close_inherited(void) {
#ifdef SYS_close_range
    if (syscall(SYS_close_range, 3U, ~0U, 0U) == 0)
        return;
#endif
    DIR *directory = opendir("/proc/self/fd");
    if (!directory)
        return;
    for (struct dirent *entry; (entry = readdir(directory));) {
        long fd = strtol(entry->d_name, NULL, 10);
        if (fd > 2 && fd != dirfd(directory))
            (void)close((int)fd);
    }
    (void)closedir(directory);
}

/* Blocks what is waited for here; the child, which inherits that, reads its signals otherwise.
 * Among them is the one that tells the child of this process's death: it must not be lost before.
 */
static void block_signals(sigset_t *watched) {
    (void)sigemptyset(watched);
    (void)sigaddset(watched, SIGCHLD);
    (void)sigaddset(watched, SIGTERM);
    (void)sigaddset(watched, SIGINT);
    (void)sigaddset(watched, SIGHUP);
    (void)sigaddset(watched, GUARD_DIED);
    (void)sigprocmask(SIG_BLOCK, watched, NULL);
    (void)signal(SIGCHLD, SIG_DFL);
    (void)signal(SIGPIPE, SIG_IGN);
}

static int be_guarded(pid_t guard, int in, int out, guard_work *work) {
    (void)setsid();
    (void)prctl(PR_SET_PDEATHSIG, (unsigned long)GUARD_DIED, 0UL, 0UL, 0UL);
    /* The guard may have died before the kernel knew whom to tell. */
    if (getppid() != guard)
        return 1;
    return work(guard, in, out);
}

/* Waits for CHILD, and hands on the wish of the owner that everything end.  Returns how CHILD has
 * ended; one that was stopped guards nothing and counts as killed. */
static int guard_child(pid_t child, const sigset_t *watched) {
    for (;;) {
        int status, number = sigwaitinfo(watched, NULL);
        if (number == SIGTERM || number == SIGINT || number == SIGHUP)
            (void)kill(child, number == SIGHUP ? SIGHUP : SIGTERM);
        for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG | WUNTRACED)) > 0;) {
            if (pid != child)
                continue;
            if (!WIFSTOPPED(status))
                return status;
            (void)kill(child, SIGKILL);
        }
    }
}

int guard_run(int in, int out, guard_work *work) {
    sigset_t watched;
    pid_t own = getpid();
    close_inherited();
    block_signals(&watched);
    if (!tree_adopt() || !leavings_share())
        return 1;
    pid_t child = fork();
    if (child == 0)
        _exit(be_guarded(own, in, out, work));
    if (child < 0)
        return 1;
    int status = guard_child(child, &watched);
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    tree_end();
    leavings_remove();
    return 1;
}
