/* records.h -- the records of what calls have replaced, as a state directory has them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TEST_RECORDS_H
#define TEST_RECORDS_H

#include "files.h"

/* The ids of all records of one project below the state directory STATE, the oldest first. */
struct names records_below(const char *state);

/* TEXT with "$all" replaced by the ids of all records, as JSON strings with commas between them,
 * and "$last" by that of the latest one.  The caller frees it. */
char *with_records(const char *text, const char *state);

#endif
