/* SPDX-License-Identifier: MIT */
/* meddled.h -- the changes with which others meddle while they fail, and the project they change.
 */
#ifndef FAULT_MEDDLED_H
#define FAULT_MEDDLED_H

#include <stdbool.h>
#include <stddef.h>

struct meddled {
    const char *name, *op, *args;
    const char *path;      /* what the others play with */
    bool is_file, is_free; /* which that is at some time during the change */
    const char *gone[2];   /* the files whose bytes are not there any more when it has succeeded */
};

extern const struct meddled meddled[];
extern const size_t meddled_count;

/* The files of the project; the first line of each, `IS d/f', is in no other. */
#define MEDDLED_FILES 5
extern const char *const meddled_files[MEDDLED_FILES];

/* Makes the project anew. */
void start_meddled(void);

#endif
