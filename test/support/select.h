/* select.h -- the cases that T in the environment asks for.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TEST_SELECT_H
#define TEST_SELECT_H

#include <stdbool.h>

/* Is $T a part of the name that FORMAT makes?  Without $T every case is wanted. */
bool is_selected(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The name that was selected last; "" before. */
const char *selected_name(void);

/* Is one failure enough to know (AQFS_TEST_STOP)? */
bool stops_at_failure(void);

#endif
