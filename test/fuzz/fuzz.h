/* SPDX-License-Identifier: MIT */
/* fuzz.h -- what the fuzz targets share.
 *
 * A target is one function that takes hostile bytes and stops the program when
 * a promise is broken; libFuzzer finds the bytes, the sanitizers watch.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PROMISE(holds)                                                                             \
    do {                                                                                           \
        if (!(holds)) {                                                                            \
            fprintf(stderr, "%s:%d: broken promise: %s\n", __FILE__, __LINE__, #holds);            \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

#endif
