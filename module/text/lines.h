/* lines.h -- counting newlines.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_LINES_H
#define AQFS_LINES_H

#include <stddef.h>

size_t lines_count(const char *text, size_t n);

#endif
