/* temporary.c -- names for temporary files: see temporary.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "temporary.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#define DIGITS 32

bool temporary_name(char out[TEMPORARY_NAME]) {
    unsigned char random[DIGITS / 2];
    ssize_t got;
    do {
        got = getrandom(random, sizeof random, 0);
    } while (got < 0 && errno == EINTR);
    if (got != (ssize_t)sizeof random)
        return false;
    char *digit = mempcpy(out, ".aqfs-", 6);
    for (size_t i = 0; i < sizeof random; i++) {
        *digit++ = "0123456789abcdef"[random[i] >> 4];
        *digit++ = "0123456789abcdef"[random[i] & 15];
    }
    memcpy(digit, ".tmp", sizeof ".tmp");
    return true;
}

bool is_temporary_name(const char *name) {
    return strncmp(name, ".aqfs-", 6) == 0 && strspn(name + 6, "0123456789abcdef") == DIGITS &&
           strcmp(name + 6 + DIGITS, ".tmp") == 0;
}

void temporary_second(const char *name, char out[TEMPORARY_NAME]) {
    snprintf(out, TEMPORARY_NAME, "%.*s.old", 6 + DIGITS, name);
}
