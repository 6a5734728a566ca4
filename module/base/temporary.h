/* temporary.h -- names that nobody can guess and everybody can recognise.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_TEMPORARY_H
#define AQFS_TEMPORARY_H

#include <stdbool.h>

/* ".aqfs-" and 32 hexadecimal digits, ".tmp". */
#define TEMPORARY_NAME 43

bool temporary_name(char out[TEMPORARY_NAME]);
bool is_temporary_name(const char *name);

/* The second name that goes with a temporary name: it ends in ".old". */
void temporary_second(const char *name, char out[TEMPORARY_NAME]);

#endif
