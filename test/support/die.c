/* die.c -- ending a test program that cannot go on: see die.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "die.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MESSAGE_BYTES 2048

void (*die_instead)(const char *message);

void die(const char *format, ...) {
    static char message[MESSAGE_BYTES]; /* static, because die_instead does not return to free it */
    va_list args;
    va_start(args, format);
    (void)vsnprintf(message, sizeof message, format, args);
    va_end(args);
    (void)fflush(stdout);
    if (die_instead)
        die_instead(message);
    (void)fprintf(stderr, "%s: %s\n", program_invocation_short_name, message);
    exit(2);
}

void die_of(const char *what) {
    die("%s: %s", what, strerror(errno));
}

void must(bool ok, const char *what) {
    if (!ok)
        die_of(what);
}
