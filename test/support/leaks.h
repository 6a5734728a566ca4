/* leaks.h -- does this program look for memory that nothing leads to any more?
 *
 * scripts/test-c.sh runs the programs with AddressSanitizer's allocator, which looks when they
 * end.  With $AQFS_TEST_LEAKS it looks after each test, which takes longer and names the test.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TEST_LEAKS_H
#define TEST_LEAKS_H

#include <stdbool.h>

/* Was memory lost, for the first time?  False where nobody looks. */
bool leaks_found(void);

#endif
