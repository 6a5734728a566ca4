/* SPDX-License-Identifier: MIT */
/* trace.c -- counts the functions that a module calls while a file is there.
 *
 * Preloaded into a program whose module is compiled with -finstrument-functions
 * (scripts/crossed.sh). While the file $CROSSED_WHILE exists, each function that is entered is
 * counted; when the program ends, $CROSSED_OUT gets a line for each: how often, and where it lies
 * in its shared object.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define HIDDEN __attribute__((no_instrument_function))
#define SLOTS 65536

void __cyg_profile_func_enter(void *function, void *caller) HIDDEN;
void __cyg_profile_func_exit(void *function, void *caller) HIDDEN;

static struct {
    uintptr_t function;
    long calls;
} slots[SLOTS]; /* an open-addressing table, a power of two */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local int depth;
static _Thread_local bool counting;

HIDDEN static void count(uintptr_t function) {
    (void)pthread_mutex_lock(&lock);
    size_t at = function / 16 % SLOTS;
    while (slots[at].function && slots[at].function != function)
        at = (at + 1) % SLOTS;
    slots[at].function = function;
    slots[at].calls++;
    (void)pthread_mutex_unlock(&lock);
}

/* Looks for the file where a thread enters the module, not at each function. */
void __cyg_profile_func_enter(void *function, void *caller) {
    (void)caller;
    if (depth++ == 0) {
        const char *file = getenv("CROSSED_WHILE");
        counting = file && access(file, F_OK) == 0;
    }
    if (counting)
        count((uintptr_t)function);
}

void __cyg_profile_func_exit(void *function, void *caller) {
    (void)function, (void)caller;
    depth--;
}

__attribute__((destructor)) HIDDEN static void write_counts(void) {
    const char *path = getenv("CROSSED_OUT");
    FILE *out = path ? fopen(path, "w") : NULL;
    for (size_t i = 0; out && i < SLOTS; i++) {
        Dl_info where;
        if (slots[i].function && dladdr((void *)slots[i].function, &where))
            (void)fprintf(out, "%ld 0x%zx\n", slots[i].calls,
                          (size_t)(slots[i].function - (uintptr_t)where.dli_fbase));
    }
    if (out)
        (void)fclose(out);
}
