/* work.h -- one piece of work in a workspace: where, for how long, and what went wrong.
 *
 * Planning, committing and snapshots see no more of a call than this.
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
