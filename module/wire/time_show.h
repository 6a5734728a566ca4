/* time_show.h -- times as words.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_TIME_SHOW_H
#define AQFS_TIME_SHOW_H

#include <stdint.h>

/* The form of times in replies: ISO 8601 in UTC, with milliseconds.  NS is counted from 1970. */
#define TIME_SHOWN 25
void time_show(int64_t ns, char out[TIME_SHOWN]);

#endif
