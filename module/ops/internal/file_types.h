/* file_types.h -- kinds of files by their names.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_FILE_TYPES_H
#define AQFS_FILE_TYPES_H

#include "args.h"
#include "error.h"

/* AQFS_INVALID_ARGUMENT if an element of LIST, a list of texts, is not the name of a type. */
int file_types_check(const struct value *list, struct error *e);

/* Is a file called NAME of one of the types in LIST, which were checked? */
bool file_types_have(const struct value *list, const char *name, size_t n);

#endif
