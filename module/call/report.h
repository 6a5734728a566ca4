/* report.h -- what several operations that change something report alike.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_REPORT_H
#define AQFS_REPORT_H

#include "call.h"
#include "plan.h"

/* :links, where the file that was replaced has further names, which keep what it held. */
void report_links(struct call *c, const struct change *change);

#endif
