/* select.c -- the cases that T in the environment asks for: see select.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "select.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char selected[256];

const char *selected_name(void) {
    return selected;
}

bool is_selected(const char *format, ...) {
    char name[sizeof selected];
    const char *wanted = getenv("T");
    va_list args;
    va_start(args, format);
    (void)vsnprintf(name, sizeof name, format, args);
    va_end(args);
    bool is = !wanted || strstr(name, wanted);
    if (is)
        memcpy(selected, name, sizeof selected);
    return is;
}

bool stops_at_failure(void) {
    return getenv("AQFS_TEST_STOP") != NULL;
}
