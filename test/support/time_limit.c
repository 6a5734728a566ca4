/* time_limit.c -- a limit of time for each test: see time_limit.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "time_limit.h"

#include "die.h"

#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static char limited[512]; /* the name, and what is printed behind it */
static size_t limited_n;

static double slowness(void) {
    const char *given = getenv("AQFS_TEST_SLOWNESS");
    double factor = given ? strtod(given, NULL) : 1;
    return factor > 0 ? factor : 1;
}

/* A handler may call write, and little else. */
static void end_hanging(int signal) {
    static const char waits[] = ":FAIL: hangs: it took too long\n";
    static const char computes[] = ":FAIL: hangs: it took too much of the processor\n";
    bool waited = signal == SIGALRM;
    (void)!write(STDOUT_FILENO, limited, limited_n);
    (void)!write(STDOUT_FILENO, waited ? waits : computes,
                 (waited ? sizeof waits : sizeof computes) - 1);
    _exit(TIME_LIMIT_STATUS);
}

static void set_timer(__itimer_which_t which, int number, double seconds) {
    const struct sigaction action = {.sa_handler = end_hanging};
    const struct itimerval time = {
        .it_value = {.tv_sec = (time_t)seconds,
                     .tv_usec = (suseconds_t)((seconds - (double)(time_t)seconds) * 1e6)}};
    must(sigaction(number, &action, NULL) == 0, "sigaction");
    must(setitimer(which, &time, NULL) == 0, "setitimer");
}

void time_limit_begin(const char *format, ...) {
    va_list args;
    time_limit_end();
    va_start(args, format);
    (void)vsnprintf(limited, sizeof limited, format, args);
    va_end(args);
    limited_n = strlen(limited);
    set_timer(ITIMER_REAL, SIGALRM, TIME_LIMIT_S * slowness());
    set_timer(ITIMER_PROF, SIGPROF, TIME_LIMIT_CPU_S * slowness());
}

void time_limit_end(void) {
    static const struct itimerval never;
    (void)setitimer(ITIMER_REAL, &never, NULL);
    (void)setitimer(ITIMER_PROF, &never, NULL);
}
