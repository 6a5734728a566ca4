/* sample.c -- C as draw.awk has to read it: each line names the mutants that it has.
 *
 * SPDX-License-Identifier: MIT
 */
#include <fcntl.h>
#include <stdbool.h>

#define SAMPLE_MAX 64 // constant
#define SAMPLE_NAME "if (a < b)"

enum { SAMPLE_SMALL = 4, SAMPLE_LARGE }; // constant

static const char *const sample_names[] = {
    "a, b",    // row
    "/* < */", // row
};

static int sample_size(const char *text) {
    int n = 0;                                // number
    while (n < SAMPLE_MAX && text[n] != '\0') // negation relation logic relation character
        n++;                                  // store
    return n;
}

int sample_open(int dir, const char *name, bool *opened);
int sample_open(int dir, const char *name, bool *opened) {
    /* if (a == b) is no code here; nor is
     * this: a < b && c */
    if (!name || sample_size(name) > SAMPLE_LARGE)               // negation negation logic relation
        return -1;                                               // success number
    *opened = true;                                              // store boolean
    (void)sample_size(sample_names[0]);                          // call number
    return openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC); // flag flag flag
}
