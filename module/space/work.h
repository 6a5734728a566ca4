/* work.h -- what work in a workspace needs: where, for how long, and what went wrong.
 *
 * Planning, committing and keeping snapshots know no more of a call than this.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_WORK_H
#define AQFS_WORK_H

#include "budget.h"
#include "workspace.h"

struct work {
    struct aqfs_workspace *ws;
    struct budget budget;
    struct error error;
};

#endif
