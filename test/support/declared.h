/* SPDX-License-Identifier: MIT */
/* declared.h -- is a reply what the catalogue declares? */
#ifndef TEST_DECLARED_H
#define TEST_DECLARED_H

#include "buf.h"

#include <jansson.h>

/* Appends to FAULTS a line for each thing that REPLY, JSON, has otherwise than is declared: a
 * member that is unknown, missing where it is not optional, null where it may not be, or of another
 * type or word; an error that the operation does not declare.  REQUEST is what was asked of
 * aqfs_call, or NULL where a workspace was opened. */
void declared_check(const char *request, size_t n, const json_t *reply, struct buf *faults);

/* The same for what is no one operation's: "error", "items", "catalogue". */
void declared_check_known(const char *name, const json_t *reply, struct buf *faults);

#endif
