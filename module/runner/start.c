/* start.c -- a command becomes a process: see start.h.
 *
 * All descriptors of this program are closed by the kernel when the command's program begins, and
 * guard_run has closed those that it was started with.
 *
 * SPDX-License-Identifier: MIT
 */
#include "start.h"

#include "cleanup.h"
#include "fence.h"
#include "filter.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <termios.h>
#include <unistd.h>

#define FILTER_DESCRIPTOR 9
#define LAST_STANDARD_SIGNAL 31

static void cleanup_ends(int (*ends)[2]) {
    cleanup_close(&(*ends)[0]);
    cleanup_close(&(*ends)[1]);
}

/* The steps of a start that can fail, and the words of them that the owner knows. */
enum start_step {
    STEP_NONE,
    STEP_TERMINAL,
    STEP_DIRECTORY,
    STEP_LIMIT,
    STEP_FILTER,
    STEP_FENCE,
    STEP_PROGRAM
};
static const char *const step_names[] = {"",       "terminal", "directory", "limit",
                                         "filter", "fence",    "program"};

struct misstep {
    enum start_step step;
    int errnum;
};

/* All that the command's process begins with. */
struct beginning {
    const struct command *command;
    const struct started *started;
    int out, err; /* what it writes to; -1 where it has a terminal */
    int filter, fence;
};

/* -- the terminal ------------------------------------------------------------------------------ */

static bool open_terminal(struct started *out) {
    out->out = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (out->out >= 0 && grantpt(out->out) == 0 && unlockpt(out->out) == 0 &&
        ptsname_r(out->out, out->terminal, sizeof out->terminal) == 0)
        return true;
    if (out->out >= 0)
        (void)close(out->out);
    return false;
}

/* A program is typed to by a model: what it types is not echoed, and lines end as in a pipe. */
static bool set_terminal(int fd, const struct command *command) {
    struct winsize size = {.ws_row = command->rows, .ws_col = command->columns};
    struct termios modes;
    if (tcgetattr(fd, &modes) != 0)
        return false;
    modes.c_lflag &= ~(tcflag_t)ECHO;
    modes.c_oflag &= ~(tcflag_t)ONLCR;
    return tcsetattr(fd, TCSANOW, &modes) == 0 && ioctl(fd, TIOCSWINSZ, &size) == 0;
}

/* -- in the command's process ------------------------------------------------------------------ */

static bool take_terminal_over(const struct beginning *b) {
    int fd = open(b->started->terminal, O_RDWR | O_CLOEXEC | O_NOCTTY);
    return fd >= 0 && ioctl(fd, TIOCSCTTY, 0) == 0 && set_terminal(fd, b->command) &&
           dup2(fd, 0) == 0 && dup2(fd, 1) == 1 && dup2(fd, 2) == 2;
}

static bool take_pipes_over(const struct beginning *b) {
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    return nothing >= 0 && dup2(nothing, 0) == 0 && dup2(b->out, 1) == 1 && dup2(b->err, 2) == 2;
}

/* The directory was judged by its name: it must still be what it was, and no link. */
static bool enter_directory(const char *directory) {
    char here[PATH_MAX];
    if (chdir(directory) != 0 || !getcwd(here, sizeof here))
        return false;
    errno = ESTALE;
    return strcmp(here, directory) == 0;
}

static bool limit_command(const struct command *command) {
    const struct rlimit none = {0, 0};
    if (setrlimit(RLIMIT_CORE, &none) != 0)
        return false;
    for (size_t i = 0; i < command->limit_count; i++) {
        struct rlimit now;
        if (getrlimit(command->limits[i].resource, &now) != 0)
            return false;
        if (now.rlim_max > command->limits[i].most)
            now.rlim_max = command->limits[i].most;
        now.rlim_cur = now.rlim_max;
        if (setrlimit(command->limits[i].resource, &now) != 0)
            return false;
    }
    return true;
}

static void reset_signals(bool deaf) {
    sigset_t none;
    for (int number = 1; number <= LAST_STANDARD_SIGNAL; number++)
        (void)signal(number, SIG_DFL);
    if (deaf) {
        (void)signal(SIGINT, SIG_IGN);
        (void)signal(SIGQUIT, SIG_IGN);
        (void)signal(SIGTSTP, SIG_IGN);
    }
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Returns only when something fails. */
static enum start_step become_command(const struct beginning *b) {
    (void)setsid();
    if (b->command->terminal ? !take_terminal_over(b) : !take_pipes_over(b))
        return STEP_TERMINAL;
    if (!enter_directory(b->command->directory))
        return STEP_DIRECTORY;
    if (!limit_command(b->command))
        return STEP_LIMIT;
    if (b->filter >= 0 && dup2(b->filter, FILTER_DESCRIPTOR) < 0)
        return STEP_FILTER;
    if (b->fence >= 0 && !fence_enter(b->fence))
        return STEP_FENCE;
    (void)prctl(PR_SET_PDEATHSIG, (unsigned long)SIGKILL, 0UL, 0UL, 0UL);
    reset_signals(b->command->deaf);
    static char *const no_environment[] = {NULL};
    char *const *environment =
        b->command->environment.n ? b->command->environment.at : no_environment;
    (void)execve(b->command->words.at[0], b->command->words.at, environment);
    return STEP_PROGRAM;
}

/* -- the start --------------------------------------------------------------------------------- */

static bool open_pipe(int ends[2]) {
    ends[0] = ends[1] = -1;
    return pipe2(ends, O_CLOEXEC) == 0;
}

/* Above the descriptors that the command's process gives a meaning to. */
static bool move_up(int *fd) {
    if (*fd < 0 || *fd > FILTER_DESCRIPTOR)
        return true;
    int higher = fcntl(*fd, F_DUPFD_CLOEXEC, FILTER_DESCRIPTOR + 1);
    if (higher < 0)
        return false;
    (void)close(*fd);
    *fd = higher;
    return true;
}

/* Makes the process and waits until its program has begun. */
static bool fork_command(struct beginning *b, struct started *out, struct start_refusal *refusal) {
    AUTO(cleanup_ends) int report[2] = {-1, -1};
    struct misstep misstep = {STEP_NONE, 0};
    *refusal = (struct start_refusal){"process", EMFILE};
    if (!open_pipe(report) || !move_up(&report[1]) || !move_up(&b->filter) || !move_up(&b->fence) ||
        !move_up(&b->out) || !move_up(&b->err))
        return false;
    out->pid = fork();
    if (out->pid < 0) {
        refusal->errnum = errno;
        return false;
    }
    if (out->pid == 0) {
        misstep.step = become_command(b);
        misstep.errnum = errno;
        (void)!write(report[1], &misstep, sizeof misstep);
        _exit(127);
    }
    (void)close(report[1]);
    report[1] = -1;
    ssize_t n;
    do
        n = read(report[0], &misstep, sizeof misstep);
    while (n < 0 && errno == EINTR);
    if (n != (ssize_t)sizeof misstep)
        return true;
    *refusal = (struct start_refusal){step_names[misstep.step], misstep.errnum};
    return false;
}

bool start_command(const struct command *command, struct started *out,
                   struct start_refusal *refusal) {
    AUTO(cleanup_ends) int out_ends[2] = {-1, -1};
    AUTO(cleanup_ends) int err_ends[2] = {-1, -1};
    AUTO_CLOSE int filter = -1;
    AUTO_CLOSE int fence = -1;
    *out = (struct started){.out = -1, .err = -1};
    *refusal = (struct start_refusal){"terminal", 0};
    if (command->terminal ? !open_terminal(out) : !(open_pipe(out_ends) && open_pipe(err_ends))) {
        refusal->errnum = errno;
        return false;
    }
    if (command->filter && (filter = filter_open()) < 0) {
        *refusal = (struct start_refusal){"filter", errno};
        return false;
    }
    if (command->fenced && (fence = fence_build(&command->reach, out->terminal)) < 0) {
        *refusal = (struct start_refusal){"fence", errno};
        return false;
    }
    struct beginning b = {
        command,         out, steal_fd(&out_ends[1]), steal_fd(&err_ends[1]), steal_fd(&filter),
        steal_fd(&fence)};
    if (!command->terminal) {
        out->out = steal_fd(&out_ends[0]);
        out->err = steal_fd(&err_ends[0]);
    }
    bool started = fork_command(&b, out, refusal);
    cleanup_close(&b.out);
    cleanup_close(&b.err);
    cleanup_close(&b.filter);
    cleanup_close(&b.fence);
    return started;
}
