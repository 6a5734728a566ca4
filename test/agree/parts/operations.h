/* SPDX-License-Identifier: MIT */
/* operations.h -- random operations, as requests. */
#ifndef AGREE_OPERATIONS_H
#define AGREE_OPERATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dice {
    uint64_t state;
};

/* A number below N. */
size_t roll(struct dice *dice, size_t n);

struct operation {
    const char *name;
    char *request;
};

void operation_free(struct operation *operation);

/* With BUILDING one that makes a file. */
struct operation random_operation(struct dice *dice, bool building);

#endif
