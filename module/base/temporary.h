/* temporary.h -- names for temporary files: nobody can guess them, and we recognise them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_TEMPORARY_H
#define AQFS_TEMPORARY_H

#include <stdbool.h>

/* ".aqfs-", 32 hexadecimal digits, ".tmp" and a NUL. */
#define TEMPORARY_NAME 43

/* False when the kernel gives no random bytes. */
bool temporary_name(char out[TEMPORARY_NAME]);
bool is_temporary_name(const char *name);

/* A second name beside a temporary NAME: the same digits, but with ".old" at the end. */
void temporary_second(const char *name, char out[TEMPORARY_NAME]);

#endif
