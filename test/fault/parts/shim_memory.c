/* SPDX-License-Identifier: MIT */
/* shim_memory.c -- allocations, made to fail at will: see shim.h. */
#include "shim.h"

#include <libdeflate.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WRAP_MEMORY(type, name, parameters, arguments)                                             \
    type __real_##name parameters;                                                                 \
    type __wrap_##name parameters;                                                                 \
    type __wrap_##name parameters {                                                                \
        return memory_fails(#name) ? NULL : __real_##name arguments;                               \
    }

WRAP_MEMORY(void *, malloc, (size_t n), (n))
WRAP_MEMORY(void *, calloc, (size_t n, size_t size), (n, size))
WRAP_MEMORY(void *, realloc, (void *old, size_t n), (old, n))
WRAP_MEMORY(char *, strdup, (const char *text), (text))
WRAP_MEMORY(char *, strndup, (const char *text, size_t n), (text, n))
WRAP_MEMORY(struct libdeflate_compressor *, libdeflate_alloc_compressor, (int level), (level))

static int print_into(char **out, const char *format, va_list args) {
    *out = NULL;
    return memory_fails("asprintf") ? -1 : vasprintf(out, format, args);
}

__attribute__((format(printf, 2, 3))) int __wrap_asprintf(char **out, const char *format, ...);
int __wrap_asprintf(char **out, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = print_into(out, format, args);
    va_end(args);
    return n;
}

__attribute__((format(printf, 3, 4))) int __wrap___asprintf_chk(char **out, int flag,
                                                                const char *format, ...);
int __wrap___asprintf_chk(char **out, int flag, const char *format, ...) {
    (void)flag;
    va_list args;
    va_start(args, format);
    int n = print_into(out, format, args);
    va_end(args);
    return n;
}

/* Memory that jansson takes counts too. */
static void *json_takes(size_t n) {
    return memory_fails("json") ? NULL : __real_malloc(n);
}

/* But parsing is one allocation: without memory in the middle of a string, jansson 2.14 loses bytes
 * of it or aborts, and nothing can be done about that here. */
#define WRAP_PARSER(name, parameters, arguments)                                                   \
    json_t *__real_##name parameters;                                                              \
    json_t *__wrap_##name parameters;                                                              \
    json_t *__wrap_##name parameters {                                                             \
        if (memory_fails(#name)) {                                                                 \
            if (problem)                                                                           \
                problem->text[JSON_ERROR_TEXT_LENGTH - 1] = json_error_out_of_memory;              \
            return NULL;                                                                           \
        }                                                                                          \
        bool armed = fault.armed;                                                                  \
        fault.armed = false;                                                                       \
        json_t *result = __real_##name arguments;                                                  \
        fault.armed = armed;                                                                       \
        return result;                                                                             \
    }

WRAP_PARSER(json_loadb, (const char *text, size_t n, size_t flags, json_error_t *problem),
            (text, n, flags, problem))
WRAP_PARSER(json_loads, (const char *text, size_t flags, json_error_t *problem),
            (text, flags, problem))

void shim_start(void) {
    (void)unsetenv("LD_PRELOAD"); /* for copies of trees that other programs make: see leaks.sh */
    json_set_alloc_funcs(json_takes, free);
}
